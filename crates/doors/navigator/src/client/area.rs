//! The work area's methods, over a table of a server.

use super::remote::RemoteArea;
use crate::wire::malformed;
use crate::wire::messages::{Reply, Step};
use mainstay_types::{Code, Error, Result};
use mainstay_workarea::{
    Area, CopyOptions, Counting, Customize, Mode, NewOrder, Optimized, OrderId, OrderInfo, SeekHow, SeekKey, Side,
    WordIndex, WorkArea,
};
use mainstay_xbase::dbf::TableSpec;
use mainstay_xbase::indexed::Telling;
use mainstay_xbase::writer::Source;
use std::path::{Path, PathBuf};

fn yes(reply: Reply) -> Result<bool> {
    match reply {
        Reply::Yes(answer) => Ok(answer),
        _ => Err(malformed("another reply")),
    }
}

impl RemoteArea {
    /// Takes the table out of the transactions of the connection, or into them again.
    ///
    /// Errors: `TransactionState` while one is under way that it is part of.
    pub fn set_transaction_free(&mut self, is_free: bool) -> Result<()> {
        self.ask_one(true, Step::TransactionFree(is_free))?;
        self.view.is_transaction_free = is_free;
        Ok(())
    }

    /// Has the table show the records of a statement, of which the server has said this number, and goes to the first.
    pub fn show_members(&mut self, number: u32) -> Result<()> {
        self.ask_one(false, Step::Members(number))?;
        self.is_live = true;
        self.forget_rows();
        self.go_to_end(true)
    }

    fn is_on_record(&self) -> bool {
        self.place.record >= 1 && self.place.record <= self.count
    }

    /// The record as it is here, if it is not so there yet.
    fn pending_record(&mut self) -> Result<Option<Vec<u8>>> {
        self.catch_up()?;
        self.record.has_pending().then(|| self.record.record().map(<[u8]>::to_vec)).transpose()
    }

    /// Runs a step that changes the records shown.
    fn narrow(&mut self, step: Step) -> Result<Reply> {
        self.forget_rows();
        // Indexes are asked about records as they are, so what is changed is written first.
        let leave = matches!(step, Step::SetAof(_) | Step::RefreshAof);
        self.ask_one(leave, step)
    }

    /// The table is made anew: afterwards other records may be where they were.
    fn make_anew(&mut self, step: Step, progress: Telling<'_>) -> Result<Reply> {
        let keeps_numbers = matches!(step, Step::Reindex);
        let reply = self.ask_long(step, progress);
        self.forget_rows();
        let reply = reply?;
        if !keeps_numbers {
            self.view.by_hand.clear();
        }
        self.arrive();
        Ok(reply)
    }

    /// The client's name of an order that the server has just named.
    fn order_here(&self, there: OrderId) -> Result<OrderId> {
        let found = self.orders.iter().find(|(_, info)| info.id == there).map(|(id, _)| *id);
        found.ok_or_else(|| malformed("an order that is not there"))
    }

    fn orders_here(&self, reply: Reply) -> Result<Vec<OrderId>> {
        match reply {
            Reply::Orders(orders) => orders.into_iter().map(|order| self.order_here(order)).collect(),
            _ => Err(malformed("another reply")),
        }
    }

    /// Asks for a lock. Afterwards reads return the current state.
    fn lock(&mut self, step: Step, is_current: bool) -> Result<bool> {
        let mut steps = vec![step];
        if is_current && !self.record.has_pending() {
            steps.push(Step::Row);
        }
        let replies = self.ask(false, steps)?;
        replies.into_iter().next().map_or(Err(malformed("no reply")), yes)
    }
}

impl WorkArea for RemoteArea {
    fn form(&self) -> &Area {
        &self.record
    }

    fn row(&mut self) -> Result<&mut Area> {
        self.catch_up()?;
        if !self.is_loaded && !self.record.has_pending() {
            self.ask(false, vec![Step::Row])?;
            if !self.is_loaded {
                return Err(malformed("no row"));
            }
        }
        Ok(&mut self.record)
    }

    fn row_with(&mut self, field: usize) -> Result<&mut Area> {
        self.row()?;
        if self.record.lacks_value(field)? {
            let number = u16::try_from(field).map_err(|_| malformed("a field's number"))?;
            match self.ask_one(false, Step::Value(number))? {
                Reply::Value(value) => self.record.lend_value(field, value),
                _ => return Err(malformed("another reply")),
            }
        }
        Ok(&mut self.record)
    }

    fn row_to_change(&mut self) -> Result<&mut Area> {
        self.catch_up()?;
        let is_ready = self.record.has_pending() || !self.is_on_record() || self.how.mode == Mode::ReadOnly;
        if !is_ready && !self.is_edited {
            if self.has_lock(self.place.record) {
                self.row()?;
            } else {
                self.ask(false, vec![Step::Edit, Step::Row])?;
                self.is_edited = true;
            }
        }
        Ok(&mut self.record)
    }

    fn local(&mut self) -> Option<&mut Area> {
        None
    }

    fn far(&mut self) -> Option<&mut dyn std::any::Any> {
        Some(self)
    }

    fn path(&self) -> &Path {
        &self.path
    }
    fn record_number(&self) -> u32 {
        self.place.record
    }
    fn is_bof(&self) -> bool {
        self.place.bof
    }
    fn is_eof(&self) -> bool {
        self.place.eof
    }
    fn is_found(&self) -> bool {
        self.place.found
    }

    fn go_to(&mut self, record: u32) -> Result<()> {
        self.go_to_record(record)
    }
    fn go_top(&mut self) -> Result<()> {
        self.go_to_end(true)
    }
    fn go_bottom(&mut self) -> Result<()> {
        self.go_to_end(false)
    }
    fn skip(&mut self, count: i64) -> Result<()> {
        self.skip_rows(count)
    }
    fn refresh(&mut self) -> Result<()> {
        self.skip_rows(0)
    }
    fn seek(&mut self, key: &SeekKey, how: SeekHow) -> Result<bool> {
        self.seek_key(key, how)
    }

    fn look_up(&mut self, id: OrderId, key: &SeekKey) -> Result<Option<u32>> {
        let order = self.order_there(id)?;
        match self.ask_one(true, Step::LookUp { order, key: key.clone() })? {
            Reply::MaybeNumber(record) => Ok(record.and_then(|record| u32::try_from(record).ok())),
            _ => Err(malformed("another reply")),
        }
    }

    fn relative_position(&mut self) -> Result<f64> {
        if !self.is_on_record() {
            return Ok(if self.place.eof && self.place.record > 1 { 1.0 } else { 0.0 });
        }
        let numbers = self.numbers(Counting::Scoped)?;
        let Some(number) = numbers.number else { return Ok(0.0) };
        Ok(if numbers.count <= 1 { 0.0 } else { (number.saturating_sub(1)) as f64 / (numbers.count - 1) as f64 })
    }

    fn set_relative_position(&mut self, position: f64) -> Result<()> {
        let wish = self.wish_around();
        self.move_by(Step::SetRelativePosition(position), wish)
    }

    fn record_count(&mut self, what: Counting) -> Result<u32> {
        if what == Counting::All {
            if !self.is_fresh() || !self.is_whole {
                self.ask_one(false, Step::RecordCount(what))?;
            }
            return Ok(self.count);
        }
        let count = self.key_count(what)?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    fn key_count(&mut self, what: Counting) -> Result<u64> {
        Ok(self.numbers(what)?.count)
    }

    fn key_number(&mut self, what: Counting) -> Result<Option<u64>> {
        if !self.is_on_record() {
            return Ok(None);
        }
        Ok(self.numbers(what)?.number)
    }

    fn key_of_record(&mut self, id: OrderId, bytes: &[u8]) -> Result<Vec<u8>> {
        let order = self.order_there(id)?;
        match self.ask_one(false, Step::KeyOf { order, bytes: bytes.to_vec() })? {
            Reply::MaybeBytes(Some(key)) => Ok(key),
            _ => Err(malformed("another reply")),
        }
    }

    fn key(&mut self) -> Result<Option<Vec<u8>>> {
        if !self.is_on_record() || self.current.is_none() {
            return Ok(None);
        }
        let is_unchanged = !self.record.has_pending() && self.is_loaded && self.run.order == self.current;
        if let (true, Some(at)) = (is_unchanged && self.is_fresh(), self.run.place_of(self.place.record)) {
            return Ok(self.run.rows.get(at).and_then(|row| row.key.clone()));
        }
        let bytes = self.pending_record()?;
        match self.ask_one(false, Step::Key(bytes))? {
            Reply::MaybeBytes(key) => Ok(key),
            _ => Err(malformed("another reply")),
        }
    }

    fn orders(&self) -> Vec<OrderInfo> {
        self.orders.iter().map(|(id, info)| OrderInfo { id: *id, ..info.clone() }).collect()
    }
    fn order(&self) -> Option<OrderId> {
        self.current
    }
    fn set_order(&mut self, id: Option<OrderId>) -> Result<()> {
        id.map_or(Ok(()), |id| self.order_there(id).map(drop))?;
        self.current = id;
        Ok(())
    }

    fn set_descending(&mut self, id: OrderId, descending: bool) -> Result<()> {
        let order = self.order_there(id)?;
        if self.order_info(id).is_some_and(|info| info.descending == descending) {
            return Ok(());
        }
        self.narrow(Step::Turn { order, descending })?;
        for (known, side, _) in &mut self.view.scopes {
            if *known == id {
                *side = if *side == Side::Top { Side::Bottom } else { Side::Top };
            }
        }
        match self.view.turned.iter_mut().find(|(known, _)| *known == id) {
            Some(turned) => turned.1 = descending,
            None => self.view.turned.push((id, descending)),
        }
        Ok(())
    }

    fn open_index(&mut self, path: &Path) -> Result<Vec<OrderId>> {
        let name = self.client.name(path);
        let reply = self.ask_one(false, Step::OpenIndex(name.clone()))?;
        if !self.view.opened.contains(&name) {
            self.view.opened.push(name);
        }
        self.orders_here(reply)
    }

    fn close_index(&mut self, path: &Path) -> Result<()> {
        let name = self.client.name(path);
        self.view.opened.retain(|opened| *opened != name);
        self.narrow(Step::CloseIndex(name)).map(drop)
    }

    fn index_files(&self) -> Vec<PathBuf> {
        self.files.clone()
    }

    fn create_order(&mut self, new: &NewOrder, progress: Telling<'_>) -> Result<OrderId> {
        let file = new.file.as_ref().map(|file| self.client.name(file));
        let reply = self.ask_long(Step::CreateOrder(NewOrder { file: file.clone(), ..new.clone() }), progress);
        self.forget_rows();
        let made = self.orders_here(reply?)?.first().copied().ok_or_else(|| malformed("no order"))?;
        if let Some(file) = file.filter(|file| !self.view.opened.contains(file)) {
            self.view.opened.push(file);
        }
        Ok(made)
    }

    fn word_indexes(&mut self) -> Result<Vec<WordIndex>> {
        match self.ask_one(false, Step::WordIndexes)? {
            Reply::WordIndexes(indexes) => Ok(indexes),
            _ => Err(malformed("another reply")),
        }
    }
    fn create_word_index(&mut self, new: &WordIndex) -> Result<()> {
        self.ask_one(true, Step::CreateWordIndex(new.clone())).map(drop)
    }
    fn delete_word_index(&mut self, tag: &str) -> Result<bool> {
        yes(self.ask_one(true, Step::DeleteWordIndex(tag.to_owned()))?)
    }
    fn rebuild_word_indexes(&mut self) -> Result<()> {
        self.ask_one(true, Step::RebuildWordIndexes).map(drop)
    }

    fn delete_order(&mut self, id: OrderId) -> Result<()> {
        let order = self.order_there(id)?;
        self.forget_rows();
        self.ask_one(true, Step::DeleteOrder(order)).map(drop)
    }
    fn add_key(&mut self, id: OrderId) -> Result<bool> {
        let order = self.order_there(id)?;
        yes(self.ask_one(true, Step::AddKey(order))?)
    }
    fn drop_key(&mut self, id: OrderId) -> Result<bool> {
        let order = self.order_there(id)?;
        yes(self.ask_one(true, Step::DropKey(order))?)
    }

    fn set_scope(&mut self, side: Side, key: &SeekKey) -> Result<()> {
        let id =
            self.current.ok_or_else(|| Error::new(Code::InvalidValue, "a scope needs an order, and none is set"))?;
        match self.narrow(Step::SetScope { side, key: key.clone() })? {
            Reply::MaybeBytes(bytes) => {
                self.view.scopes.retain(|(known, end, _)| (*known, *end) != (id, side));
                self.view.scopes.extend(bytes.map(|bytes| (id, side, bytes)));
                Ok(())
            }
            _ => Err(malformed("another reply")),
        }
    }

    fn clear_scope(&mut self, side: Side) -> Result<()> {
        let id =
            self.current.ok_or_else(|| Error::new(Code::InvalidValue, "a scope needs an order, and none is set"))?;
        if WorkArea::scope(self, side).is_some() {
            self.narrow(Step::ClearScope(side))?;
            self.view.scopes.retain(|(known, end, _)| (*known, *end) != (id, side));
        }
        Ok(())
    }

    fn scope(&self, side: Side) -> Option<Vec<u8>> {
        let id = self.current?;
        self.view.scopes.iter().find(|(known, end, _)| (*known, *end) == (id, side)).map(|(.., bytes)| bytes.clone())
    }

    fn is_in_scope(&mut self) -> Result<bool> {
        let bytes = self.pending_record()?;
        yes(self.ask_one(false, Step::IsInScope(bytes))?)
    }

    fn set_hide_deleted(&mut self, hide: bool) {
        // No row of a statement is marked as deleted.
        if !self.is_cursor && self.view.hide_deleted != hide {
            self.view.hide_deleted = hide;
            self.forget_rows();
        }
    }
    fn set_exact(&mut self, exact: bool) {
        self.view.exact = exact;
        self.record.set_exact(exact);
    }

    fn set_filter(&mut self, condition: Option<&str>) -> Result<()> {
        if condition.is_some() || self.view.filter.is_some() {
            self.narrow(Step::SetFilter(condition.map(str::to_owned)))?;
            self.view.filter = condition.map(str::to_owned);
        }
        Ok(())
    }
    fn filter(&self) -> Option<&str> {
        self.view.filter.as_deref()
    }

    fn set_aof(&mut self, condition: &str) -> Result<Optimized> {
        match self.narrow(Step::SetAof(condition.to_owned()))? {
            Reply::Level(level) => {
                self.view.aof = Some((condition.to_owned(), level));
                self.view.by_hand.clear();
                Ok(level)
            }
            _ => Err(malformed("another reply")),
        }
    }
    fn clear_aof(&mut self) {
        self.view.by_hand.clear();
        if self.view.aof.take().is_some() {
            // A server that cannot be reached forgets it with the connection.
            let _ = self.narrow(Step::ClearAof);
        }
    }
    fn aof(&self) -> Option<&str> {
        self.view.aof.as_ref().map(|(text, _)| text.as_str())
    }
    fn aof_level(&self) -> Option<Optimized> {
        self.view.aof.as_ref().map(|(_, level)| *level)
    }
    fn aof_level_of(&mut self, condition: &str) -> Result<Optimized> {
        match self.ask_one(true, Step::AofLevelOf(condition.to_owned()))? {
            Reply::Level(level) => Ok(level),
            _ => Err(malformed("another reply")),
        }
    }
    fn refresh_aof(&mut self) -> Result<()> {
        self.narrow(Step::RefreshAof)?;
        self.view.by_hand.clear();
        Ok(())
    }
    fn customize_aof(&mut self, records: &[u32], how: Customize) -> Result<()> {
        self.narrow(Step::CustomizeAof { records: records.to_vec(), how })?;
        self.view.by_hand.note(records, how);
        Ok(())
    }
    fn is_record_in_aof(&mut self, record: u32) -> Result<bool> {
        yes(self.ask_one(false, Step::IsRecordInAof(record))?)
    }

    fn append_blank(&mut self) -> Result<()> {
        let replies = self.ask(true, vec![Step::Append, Step::Row])?;
        drop(replies);
        if self.is_new {
            self.record.show_as_new();
        }
        // It is there to be written, with values that a dictionary may have given it, or to be cancelled.
        self.is_edited = true;
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        if self.record.has_pending() || self.is_edited {
            self.ask(true, vec![Step::Row])?;
        }
        Ok(())
    }

    fn cancel(&mut self) -> Result<()> {
        self.record.cancel()?;
        if std::mem::take(&mut self.is_edited) {
            self.forget_tried();
            self.ask(false, vec![Step::Cancel, Step::Row])?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.ask_one(true, Step::Flush).map(drop)
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.close_it()
    }

    fn try_lock_record(&mut self, record: u32) -> Result<bool> {
        if self.has_lock(record) && !self.is_edited {
            return Ok(true);
        }
        self.lock(Step::LockRecord(record), record == self.place.record)
    }
    fn lock_owner(&mut self, record: u32) -> Option<String> {
        let step = Step::LockOwner { path: self.client.name(&self.path), record };
        match self.ask_one(false, step) {
            Ok(Reply::Owner(owner)) => owner.map(|owner| owner.to_string()),
            // In all other cases the lock is not ours.
            _ => None,
        }
    }
    fn unlock_record(&mut self, record: u32) -> Result<()> {
        self.ask_one(true, Step::UnlockRecord(record)).map(drop)
    }
    fn try_lock_table(&mut self) -> Result<bool> {
        self.lock(Step::LockTable, true)
    }
    fn unlock(&mut self) -> Result<()> {
        self.ask_one(true, Step::Unlock).map(drop)
    }
    fn is_table_locked(&self) -> bool {
        self.locks.0
    }
    fn locked_records(&self) -> Vec<u32> {
        self.locks.1.clone()
    }

    fn pack(&mut self, progress: Telling<'_>) -> Result<()> {
        self.make_anew(Step::Pack, progress).map(drop)
    }
    fn zap(&mut self) -> Result<()> {
        self.make_anew(Step::Zap, &mut mainstay_workarea::untold).map(drop)
    }
    fn reindex(&mut self, progress: Telling<'_>) -> Result<()> {
        self.make_anew(Step::Reindex, progress).map(drop)
    }

    fn restructure(&mut self, spec: &TableSpec, sources: &[Source], progress: Telling<'_>) -> Result<()> {
        let place = |source: &Source| match source {
            Source::Field(place) => Ok(Some(*place)),
            Source::Blank => Ok(None),
            Source::Value(_) => Err(Error::new(Code::Unsupported, "a server gives new fields no values")),
        };
        let sources = sources.iter().map(place).collect::<Result<Vec<_>>>()?;
        match self.make_anew(Step::Restructure { spec: spec.clone(), sources }, progress)? {
            Reply::Form(form) => {
                // They may be about fields that are gone.
                (self.view.filter, self.view.aof) = (None, None);
                self.take_form(&form)?;
                self.arrive();
                Ok(())
            }
            _ => Err(malformed("another reply")),
        }
    }

    fn copy_to(&mut self, path: &Path, options: &CopyOptions, progress: Telling<'_>) -> Result<u32> {
        let step = Step::CopyTo { path: self.client.name(path), options: options.clone() };
        match self.ask_long(step, progress)? {
            Reply::Number(count) => Ok(u32::try_from(count).unwrap_or(u32::MAX)),
            _ => Err(malformed("another reply")),
        }
    }
}
