//! The steps on a table, each a call of its area.

use super::folder::Folder;
use super::pages;
use super::service::Service;
use super::session::Open;
use crate::wire::messages::{PageWish, Reply, Step};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use mainstay_workarea::{Area, NewOrder};
use mainstay_xbase::indexed::Telling;
use mainstay_xbase::writer::Source;

impl Step {
    /// Returns true if it is about the folder and not about a table.
    pub(crate) fn is_about_folder(&self) -> bool {
        matches!(
            self,
            Step::Find { .. }
                | Step::List { .. }
                | Step::Remove { .. }
                | Step::Clear { .. }
                | Step::Create { .. }
                | Step::Begin
                | Step::Commit
                | Step::RollBack
                | Step::Savepoint
                | Step::RollBackTo(_)
                | Step::Users
                | Step::LockOwner { .. }
                | Step::Activity
                | Step::Execute { .. }
                | Step::Query { .. }
                | Step::Live { .. }
                | Step::Prepare(_)
                | Step::StatementTimeout(_)
                | Step::TableType(_)
                | Step::ShowDeleted(_)
                | Step::CreateDictionary { .. }
                | Step::Call { .. }
                | Step::RowsOfView(_)
                | Step::EndUser { .. }
        )
    }

    /// True for a step that creates, changes or removes files.
    pub(crate) fn changes_files(&self) -> bool {
        self.changes_table()
            || matches!(
                self,
                Step::Remove { .. }
                    | Step::Clear { .. }
                    | Step::Create { .. }
                    | Step::CreateDictionary { .. }
                    | Step::Edit
                    | Step::CopyTo { .. }
                    | Step::CreateWordIndex(_)
                    | Step::DeleteWordIndex(_)
                    | Step::RebuildWordIndexes
            )
    }

    /// Returns true if the table may be another afterwards.
    pub(crate) fn changes_table(&self) -> bool {
        matches!(
            self,
            Step::Write(_)
                | Step::Append
                | Step::CreateOrder(_)
                | Step::DeleteOrder(_)
                | Step::AddKey(_)
                | Step::DropKey(_)
                | Step::Pack
                | Step::Zap
                | Step::Reindex
                | Step::Restructure { .. }
        )
    }
}

impl Open {
    /// Does what a step says.
    pub(crate) fn carry_out(
        &mut self,
        step: &Step,
        folder: &Folder,
        service: &Service,
        progress: Telling<'_>,
    ) -> Result<Reply> {
        let files = &*service.files;
        let reply = self
            .move_about(step)
            .or_else(|| self.ask(step, service))
            .or_else(|| self.narrow(step))
            .or_else(|| self.change(step))
            .unwrap_or_else(|| self.make_anew(step, folder, files, progress));
        if step.changes_table() {
            self.changes.add();
        }
        reply
    }

    /// Where the area is, and moves.
    fn move_about(&mut self, step: &Step) -> Option<Result<Reply>> {
        let area = &mut self.area;
        let done = match step {
            Step::View { hide_deleted, exact } => {
                area.set_hide_deleted(*hide_deleted);
                area.set_exact(*exact);
                Ok(())
            }
            Step::SetOrder(order) => area.set_order(*order),
            Step::Turn { order, descending } => area.set_descending(*order, *descending),
            Step::At(position) => area.set_position(*position),
            Step::GoTo(record) => area.go_to(*record),
            Step::GoTop => area.go_top(),
            Step::GoBottom => area.go_bottom(),
            Step::Skip(count) => area.skip(*count),
            Step::Refresh => area.refresh(),
            Step::SetRelativePosition(position) => area.set_relative_position(*position),
            Step::Seek { key, how } => return Some(area.seek(key, *how).map(Reply::Yes)),
            _ => return None,
        };
        Some(done.map(|()| Reply::Done))
    }

    /// Runs a step that asks for a state.
    fn ask(&mut self, step: &Step, service: &Service) -> Option<Result<Reply>> {
        if let Step::IsRecordInAof(record) = step
            && self.members.is_some()
            && (!self.is_row(*record) || self.area.aof().is_none())
        {
            return Some(Ok(Reply::Yes(self.is_row(*record))));
        }
        let area = &mut self.area;
        Some(match step {
            Step::LookUp { order, key } => {
                area.look_up(*order, key).map(|found| Reply::MaybeNumber(found.map(u64::from)))
            }
            Step::Page(wish) => self.page(wish, service),
            Step::Row => area.record().map(|bytes| Reply::Row(bytes.to_vec())),
            Step::Value(field) => area.get((*field).into()).map(Reply::Value),
            Step::Key(None) => area.key().map(Reply::MaybeBytes),
            Step::Key(Some(bytes)) => area.as_if(bytes, Area::key).map(Reply::MaybeBytes),
            Step::KeyOf { order, bytes } => area.key_of_record(*order, bytes).map(|key| Reply::MaybeBytes(Some(key))),
            Step::RecordCount(what) => area.record_count(*what).map(|count| Reply::Number(count.into())),
            Step::KeyCount(what) => area.key_count(*what).map(Reply::Number),
            Step::KeyNumber(what) => area.key_number(*what).map(Reply::MaybeNumber),
            Step::RelativePosition => area.relative_position().map(Reply::Fraction),
            Step::IsInScope(None) => area.is_in_scope().map(Reply::Yes),
            Step::IsInScope(Some(bytes)) => area.as_if(bytes, Area::is_in_scope).map(Reply::Yes),
            Step::IsRecordInAof(record) => area.is_record_in_aof(*record).map(Reply::Yes),
            Step::WordIndexes => area.word_indexes().map(Reply::WordIndexes),
            Step::AofLevelOf(condition) => area.aof_level_of(condition).map(Reply::Level),
            _ => return None,
        })
    }

    /// Takes the table out of the client's transactions, or into them again.
    fn set_transaction_free(&mut self, is_free: bool) -> Result<Reply> {
        if is_free && self.area.is_in_transaction() {
            return Err(Error::new(Code::TransactionState, "the table is part of the transaction that is under way"));
        }
        self.is_transaction_free = is_free;
        Ok(Reply::Done)
    }

    fn page(&mut self, wish: &PageWish, service: &Service) -> Result<Reply> {
        if let Some(known) = wish.unless
            && self.stamp(service)? == known
        {
            return Ok(Reply::Unchanged);
        }
        pages::page(&mut self.area, wish).map(Reply::Page)
    }

    /// Runs a step that changes the records shown.
    fn narrow(&mut self, step: &Step) -> Option<Result<Reply>> {
        let area = &mut self.area;
        let done = match step {
            Step::SetScope { side, key } => {
                let set = area.set_scope(*side, key);
                return Some(set.map(|()| Reply::MaybeBytes(area.scope(*side).map(<[u8]>::to_vec))));
            }
            Step::ClearScope(side) => area.clear_scope(*side),
            Step::SetFilter(condition) => area.set_filter(condition.as_deref()),
            Step::SetAof(condition) => return Some(area.set_aof(condition).map(Reply::Level)),
            Step::ClearAof => {
                area.clear_aof();
                Ok(())
            }
            Step::RefreshAof => area.refresh_aof(),
            Step::CustomizeAof { records, how } => area.customize_aof(records, *how),
            _ => return None,
        };
        Some(done.map(|()| Reply::Done))
    }

    /// Changes of records, and locks.
    fn change(&mut self, step: &Step) -> Option<Result<Reply>> {
        let area = &mut self.area;
        let done = match step {
            Step::Edit => area.begin_edit(),
            Step::Write(changes) => match changes.pieces.is_empty() && changes.memos.is_empty() {
                true => area.write(),
                false => area.put_changes(changes).and_then(|()| area.write()),
            },
            Step::Cancel => area.cancel(),
            Step::Append => area.append_blank(),
            Step::Flush => area.flush(),
            Step::LockRecord(record) => return Some(area.try_lock_record(*record).map(Reply::Yes)),
            Step::UnlockRecord(record) => area.unlock_record(*record),
            Step::LockTable => return Some(area.try_lock_table().map(Reply::Yes)),
            Step::Unlock => area.unlock(),
            Step::AddKey(order) => return Some(area.add_key(*order).map(Reply::Yes)),
            Step::DropKey(order) => return Some(area.drop_key(*order).map(Reply::Yes)),
            _ => return None,
        };
        Some(done.map(|()| Reply::Done))
    }

    /// Orders and tables that are opened, made and made anew.
    fn make_anew(
        &mut self,
        step: &Step,
        folder: &Folder,
        files: &dyn FileSystem,
        progress: Telling<'_>,
    ) -> Result<Reply> {
        let area = &mut self.area;
        match step {
            Step::OpenIndex(path) => area.open_index(&folder.existing(files, path)?).map(Reply::Orders),
            Step::CloseIndex(path) => area.close_index(&folder.place(files, path)?).map(|()| Reply::Done),
            Step::CreateOrder(new) => {
                let file = new.file.as_ref().map(|file| folder.place(files, file)).transpose()?;
                let order = area.create_order(&NewOrder { file, ..new.clone() }, progress)?;
                Ok(Reply::Orders(vec![order]))
            }
            Step::CreateWordIndex(new) => area.create_word_index(new).map(|()| Reply::Done),
            Step::DeleteWordIndex(tag) => area.delete_word_index(tag).map(Reply::Yes),
            Step::RebuildWordIndexes => area.rebuild_word_indexes().map(|()| Reply::Done),
            Step::TransactionFree(is_free) => self.set_transaction_free(*is_free),
            Step::DeleteOrder(order) => area.delete_order(*order).map(|()| Reply::Done),
            Step::Pack => area.pack(progress).map(|()| Reply::Done),
            Step::Zap => area.zap().map(|()| Reply::Done),
            Step::Reindex => area.reindex(progress).map(|()| Reply::Done),
            Step::Restructure { spec, sources } => {
                let sources: Vec<Source> =
                    sources.iter().map(|from| from.map_or(Source::Blank, Source::Field)).collect();
                area.restructure(spec, &sources, progress)?;
                area.form_of_table().map(Reply::Form)
            }
            Step::CopyTo { path, options } => {
                let path = folder.place(files, path)?;
                area.copy_to(&path, options, progress).map(|count| Reply::Number(count.into()))
            }
            _ => Err(Error::new(Code::Internal, "a step of another kind")),
        }
    }
}
