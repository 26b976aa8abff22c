//! Moves: to a number, to the ends, and record by record.
//!
//! Going forward past the last record leaves the area at EOF, going back past the first leaves it on the first with
//! BOF set. A table (or scope, or filter) without records has both. Two rules of Clipper's family apply: a skip forward
//! clears BOF and a skip back clears EOF, in any case; and a record that the order does not list counts as being at the
//! place of its key.

use crate::area::Area;
use crate::index_file::IndexFile;
use mainstay_types::{Code, Error, Result};

/// The number of retries while an index is being written to.
const ATTEMPTS: usize = 50;

impl Area {
    /// Looks at the table and the index of the current order: what follows is at least as new.
    pub(crate) fn look(&mut self) -> Result<()> {
        self.must_look = false;
        self.blocks.look(&self.dbf)?;
        self.look_at_index()
    }

    fn look_at_index(&mut self) -> Result<()> {
        let Some(order) = self.current.and_then(|at| self.orders.get(at)) else { return Ok(()) };
        let file = self.files.iter_mut().find(|file| file.number == order.file);
        file.map_or(Ok(()), IndexFile::look)
    }

    /// Runs an operation on the current order. Its reads of the index are of one state of the file: either there was no
    /// write meanwhile, or writers were excluded.
    pub(crate) fn in_order<T>(&mut self, what: impl FnMut(&mut Area, usize) -> Result<T>) -> Result<T> {
        self.in_order_from(true, what)
    }

    /// The same for what does not begin where the order's place is: nothing is remembered of that.
    pub(crate) fn in_order_anew<T>(&mut self, what: impl FnMut(&mut Area, usize) -> Result<T>) -> Result<T> {
        self.in_order_from(false, what)
    }

    fn in_order_from<T>(&mut self, here: bool, mut what: impl FnMut(&mut Area, usize) -> Result<T>) -> Result<T> {
        let Some(at) = self.current else {
            return Err(Error::new(Code::Internal, "a move in an order, and none is set"));
        };
        let place = self.orders.get(at).and_then(|order| self.files.iter().position(|file| file.number == order.file));
        let Some(place) = place else { return Err(Error::new(Code::Internal, "an order without a file")) };
        for attempt in 1.. {
            let file = &self.files[place];
            let is_stale = self.orders[at].stale == Some(file.version) && !self.is_alone();
            let is_doubtful = is_stale || file.is_doubtful() && !file.is_fresh();
            match attempt {
                _ if is_stale || !here => self.orders[at].forget(),
                1 if !self.is_alone() => self.orders[at].remember(),
                _ => {}
            }
            let file = &mut self.files[place];
            let is_unlocked = is_doubtful && !is_stale && attempt == 1 && file.holds_unlocked()?;
            let is_doubtful = is_doubtful && !is_unlocked;
            let locked = if is_doubtful { file.lock()? } else { None };
            let result = self.renew(at, place, is_doubtful).and_then(|()| what(self, at));
            let file = &mut self.files[place];
            file.unlock(locked)?;
            let is_damaged = matches!(&result, Err(error) if error.code() == Code::IndexDamaged);
            let is_consistent = if is_unlocked { file.still_holds()? } else { file.is_consistent(is_doubtful)? };
            if is_consistent && !is_damaged || self.is_alone() || attempt == ATTEMPTS {
                return result;
            }
            if locked.is_some() {
                if !is_damaged {
                    return result;
                }
                // Under the lock it is the file that is damaged, unless something was left of an earlier state.
                self.files[place].read_anew()?;
                self.renew(at, place, true)?;
                return what(self, at);
            }
            self.files[place].doubt();
            self.orders[at].at = None;
        }
        Err(Error::new(Code::Internal, "an index was read without an end"))
    }

    /// Has the tag of an order ready as it is in the file now.
    pub(crate) fn renew(&mut self, at: usize, place: usize, is_doubtful: bool) -> Result<()> {
        let alone = self.is_alone();
        let (order, file) = (&mut self.orders[at], &mut self.files[place]);
        if is_doubtful {
            file.verify()?;
        }
        if order.stale == Some(file.version) && !alone {
            file.read_anew()?;
        }
        order.renew(file, &self.dbf)
    }

    /// Goes to a record by its number, whatever order, scope and filter are set; to EOF if it does not exist.
    pub fn go_to(&mut self, record: u32) -> Result<()> {
        self.leave()?;
        self.look()?;
        self.arrive(Some(record));
        Ok(())
    }

    /// Goes behind the last record.
    pub fn go_eof(&mut self) -> Result<()> {
        self.go_to(0)
    }

    /// Goes to the first record of the order that scope and filter show.
    pub fn go_top(&mut self) -> Result<()> {
        self.leave()?;
        self.look()?;
        self.refresh_aof_if_stale()?;
        let first = self.first()?;
        self.arrive(first);
        Ok(())
    }

    /// Goes to the last record of the order that scope and filter show.
    pub fn go_bottom(&mut self) -> Result<()> {
        self.leave()?;
        self.look()?;
        self.refresh_aof_if_stale()?;
        let last = self.last()?;
        self.arrive(last);
        Ok(())
    }

    /// Goes `count` records on, or back if it is negative, among those that scope and filter show. With 0 the current
    /// record is read again.
    pub fn skip(&mut self, count: i64) -> Result<()> {
        if count == 0 {
            return self.refresh();
        }
        self.leave()?;
        if self.must_look || self.blocks.freshness.is_due() {
            self.look()?;
        }
        let (forward, mut left) = (count > 0, count.unsigned_abs());
        if self.current.is_none() && self.visibility.is_everything() {
            return self.skip_plainly(forward, left);
        }
        while left > 0 {
            left -= 1;
            if let Some(record) = self.next_at_hand(forward) {
                self.arrive(Some(record));
                continue;
            }
            match self.next(forward)? {
                Some(record) => self.arrive(Some(record)),
                None => {
                    let first = if forward { None } else { self.first()? };
                    self.arrive(first);
                    self.bof = !forward;
                    break;
                }
            }
        }
        self.end_skip(forward);
        Ok(())
    }

    /// A skip along the record numbers.
    #[inline]
    fn skip_plainly(&mut self, forward: bool, count: u64) -> Result<()> {
        let from = u64::from(self.recno);
        if forward {
            let mut to = from.saturating_add(count);
            if to > u64::from(self.blocks.count()) {
                // There may be more by now.
                self.blocks.look(&self.dbf)?;
                to = if from > u64::from(self.blocks.count()) { u64::from(u32::MAX) } else { to };
            }
            self.arrive(Some(u32::try_from(to).unwrap_or(u32::MAX)));
        } else if count >= from {
            self.arrive(Some(1));
            self.bof = true;
        } else {
            self.arrive(Some((from - count) as u32));
        }
        self.end_skip(forward);
        Ok(())
    }

    fn end_skip(&mut self, forward: bool) {
        if forward {
            self.bof = false;
        } else {
            self.eof = false;
        }
    }

    /// Reads the current record again, as it is now. Changes that are pending are written first.
    pub fn refresh(&mut self) -> Result<()> {
        let (bof, eof) = (self.bof, self.eof);
        self.leave()?;
        self.look()?;
        self.arrive(Some(self.recno));
        (self.bof, self.eof) = (bof, eof);
        Ok(())
    }

    /// Writes pending changes before the area leaves a record.
    pub(crate) fn leave(&mut self) -> Result<()> {
        if self.row.is_changed || self.row.is_new || self.row.is_unlisted || self.row.implicit_lock.is_some() {
            self.write()?;
        }
        self.settle()
    }

    /// The area is on this record now; at EOF if there is no such one.
    #[inline]
    pub(crate) fn arrive(&mut self, record: Option<u32>) {
        let count = self.blocks.count();
        match record {
            Some(record) if record >= 1 && record <= count => {
                self.recno = record;
                (self.bof, self.eof) = (false, false);
            }
            _ => {
                self.recno = count.saturating_add(1);
                (self.bof, self.eof) = (true, true);
            }
        }
        self.found = false;
        (self.row.is_loaded, self.row.is_appended) = (false, false);
    }

    /// The first shown record of the order.
    pub(crate) fn first(&mut self) -> Result<Option<u32>> {
        if self.current.is_none() {
            return if self.visibility.is_everything() { Ok(Some(1)) } else { self.shown_from(1, true) };
        }
        let record = self.in_order_anew(|area, at| area.orders[at].first())?;
        self.shown_in_order(record, true)
    }

    /// The last shown record of the order.
    pub(crate) fn last(&mut self) -> Result<Option<u32>> {
        if self.current.is_none() {
            let count = self.blocks.count();
            return if self.visibility.is_everything() { Ok(Some(count)) } else { self.shown_from(count, false) };
        }
        let record = self.in_order_anew(|area, at| area.orders[at].last())?;
        self.shown_in_order(record, false)
    }

    /// The same, for walks that do not stop at the record.
    pub(crate) fn step_shown(&mut self, forward: bool) -> Result<Option<u32>> {
        self.next(forward)
    }

    /// The shown record after the one the area is on, or before it.
    fn next(&mut self, forward: bool) -> Result<Option<u32>> {
        if self.current.is_none() {
            if !forward {
                return match self.recno.checked_sub(1) {
                    Some(before) if before > 0 => self.shown_from(before, false),
                    _ => Ok(None),
                };
            }
            if self.recno >= self.blocks.count() {
                self.blocks.look(&self.dbf)?;
            }
            return self.shown_from(self.recno.saturating_add(1), true);
        }
        let record = self.in_order(|area, at| area.step_from_here(at, forward))?;
        self.shown_in_order(record, forward)
    }

    /// The record of the order's scope after the one the area is on, or before it.
    fn step_from_here(&mut self, at: usize, forward: bool) -> Result<Option<u32>> {
        if !self.is_positioned() {
            return if forward { Ok(None) } else { self.orders[at].last() };
        }
        let recno = self.recno;
        let order = &mut self.orders[at];
        if order.at == Some(recno) {
            return order.step(forward);
        }
        let record = self.blocks.record(recno)?;
        if order.find(recno, record, &mut self.scratch)? {
            return order.step(forward);
        }
        // The order does not list the record: the place is at the next key in the order of the bytes.
        order.step_from_gap(forward)
    }

    /// From a record of the order on, or back, the first that is shown; `record` is where the order's place is.
    pub(crate) fn shown_in_order(&mut self, record: Option<u32>, forward: bool) -> Result<Option<u32>> {
        let mut record = record;
        while let Some(recno) = record {
            if recno > self.blocks.count() {
                // The index may know of a record that was appended since the last look at the table.
                self.blocks.look(&self.dbf)?;
                if recno > self.blocks.count() {
                    return Ok(Some(recno));
                }
            }
            if self.is_shown(recno)? {
                return Ok(record);
            }
            record = self.in_order(|area, at| {
                let order = &mut area.orders[at];
                let bytes = area.blocks.record(recno)?;
                match order.find(recno, bytes, &mut area.scratch)? {
                    true => order.step(forward),
                    false => order.step_from_gap(forward),
                }
            })?;
        }
        Ok(None)
    }
}
