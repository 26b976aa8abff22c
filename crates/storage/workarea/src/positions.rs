//! Counts and positions: the number of records, the number of the current one, and its relative position.

use crate::area::Area;
use crate::options::{Counting, SeekHow};
use crate::order::OrderId;
use crate::value::SeekKey;
use mainstay_types::Result;
use std::ops::Bound;

/// A place to come back to: it can be kept and sent, and holds after the table has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bookmark {
    /// The record; 0 for EOF.
    pub record: u32,
    /// The tag of the order in which the place was taken, if there was one.
    pub order: Option<String>,
    /// The record's key in it.
    pub key: Option<Vec<u8>>,
}

impl Area {
    /// The number of records: all that the table has, those of the order's scope, or those that are shown.
    pub fn record_count(&mut self, what: Counting) -> Result<u32> {
        self.blocks.look(&self.dbf)?;
        if what == Counting::All {
            return Ok(self.blocks.count());
        }
        let count = self.key_count(what)?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// The number of keys in the current order: all, those of its scope, or those whose records are shown. Without an
    /// order, the number of records.
    pub fn key_count(&mut self, what: Counting) -> Result<u64> {
        self.leave()?;
        self.look()?;
        let shows_all = what != Counting::Visible || self.visibility.is_everything();
        if self.current.is_none() {
            return if shows_all { Ok(self.blocks.count().into()) } else { self.count_shown() };
        }
        if shows_all {
            return self.in_order(|area, at| {
                let order = &area.orders[at];
                let (lower, upper) = match what {
                    Counting::All => (Bound::Unbounded, Bound::Unbounded),
                    _ => order.scope_bounds(),
                };
                match (lower, upper) {
                    (Bound::Unbounded, Bound::Unbounded) => order.tag().key_count(),
                    (lower, upper) => order.tag().count_range(lower, upper),
                }
            });
        }
        self.elsewhere(|area| {
            let (mut count, mut record) = (0, area.first()?);
            while let Some(recno) = record {
                count += 1;
                record = area.after_in_order(recno)?;
            }
            Ok(count)
        })
    }

    fn count_shown(&mut self) -> Result<u64> {
        let (mut count, mut record) = (0, self.shown_from(1, true)?);
        while let Some(recno) = record {
            count += 1;
            record = self.shown_from(recno + 1, true)?;
        }
        Ok(count)
    }

    /// The shown record after this one, at which the order's place is.
    fn after_in_order(&mut self, recno: u32) -> Result<Option<u32>> {
        if self.current.is_none() {
            return self.shown_from(recno + 1, true);
        }
        self.recno = recno;
        self.step_shown(true)
    }

    /// The number of the record's key in the order, counting from 1; without an order, among the records. `None` for a
    /// record that is not counted.
    pub fn key_number(&mut self, what: Counting) -> Result<Option<u64>> {
        if !self.is_positioned() {
            return Ok(None);
        }
        self.leave()?;
        self.look()?;
        let (recno, shows_all) = (self.recno, what != Counting::Visible || self.visibility.is_everything());
        if !self.is_positioned() || !shows_all && !self.is_shown(recno)? {
            return Ok(None);
        }
        if self.current.is_none() {
            return if shows_all { Ok(Some(recno.into())) } else { self.count_shown_to(recno).map(Some) };
        }
        if shows_all {
            return self.in_order(|area, at| area.key_position(at, recno, what));
        }
        if !self.is_listed(recno)? {
            return Ok(None);
        }
        self.elsewhere(|area| {
            let (mut count, mut record) = (1, area.first()?);
            while let Some(at) = record.filter(|at| *at != recno) {
                count += 1;
                record = area.after_in_order(at)?;
            }
            Ok(record.map(|_| count))
        })
    }

    fn count_shown_to(&mut self, recno: u32) -> Result<u64> {
        let (mut count, mut record) = (0, self.shown_from(1, true)?);
        while let Some(at) = record.filter(|at| *at <= recno) {
            count += 1;
            record = self.shown_from(at + 1, true)?;
        }
        Ok(count)
    }

    /// Returns true if the order lists the record, in its scope.
    pub(crate) fn is_listed(&mut self, recno: u32) -> Result<bool> {
        self.in_order(|area, at| {
            let record = area.blocks.record(recno)?;
            let order = &mut area.orders[at];
            Ok(order.find(recno, record, &mut area.scratch)? && order.is_in_scope()?)
        })
    }

    fn key_position(&mut self, at: usize, recno: u32, what: Counting) -> Result<Option<u64>> {
        let record = self.blocks.record(recno)?;
        let order = &mut self.orders[at];
        if !order.find(recno, record, &mut self.scratch)? || what != Counting::All && !order.is_in_scope()? {
            return Ok(None);
        }
        let position = order.place.position(order.tag())?;
        let before = if what == Counting::All { 0 } else { order.keys_before_scope()? };
        Ok(position.map(|position| position - before))
    }

    /// Goes to the key of this number, counting from 1; to EOF if there are fewer, or for 0.
    pub fn go_to_key(&mut self, number: u64, what: Counting) -> Result<()> {
        self.leave()?;
        self.look()?;
        let shows_all = what != Counting::Visible || self.visibility.is_everything();
        if shows_all && self.current.is_none() {
            self.arrive(u32::try_from(number).ok());
            return Ok(());
        }
        if shows_all {
            let record = self.in_order(|area, at| area.orders[at].nth(number, what))?;
            self.arrive(record);
            return Ok(());
        }
        let mut record = if number == 0 { None } else { self.first()? };
        for _ in 1..number {
            let Some(recno) = record else { break };
            record = self.after_in_order(recno)?;
        }
        self.arrive(record);
        Ok(())
    }

    /// Where the record is in the order's scope, from 0 (the first) to 1 (the last); 0 before and 1 behind them.
    pub fn relative_position(&mut self) -> Result<f64> {
        if !self.is_positioned() {
            return Ok(if self.eof && self.recno > 1 { 1.0 } else { 0.0 });
        }
        let Some(number) = self.key_number(Counting::Scoped)? else { return Ok(0.0) };
        let count = self.key_count(Counting::Scoped)?;
        Ok(if count <= 1 { 0.0 } else { (number - 1) as f64 / (count - 1) as f64 })
    }

    /// Goes to the record at this part of the order's scope, from 0 to 1, or the next one that is shown; without one
    /// behind it, to the last.
    pub fn set_relative_position(&mut self, position: f64) -> Result<()> {
        if position.is_nan() || position <= 0.0 {
            return self.go_top();
        }
        if position >= 1.0 {
            return self.go_bottom();
        }
        let count = self.key_count(Counting::Scoped)?;
        let number = (position * count.saturating_sub(1) as f64).round() as u64 + 1;
        self.go_to_key(number, Counting::Scoped)?;
        if self.is_positioned() && !self.is_shown(self.recno)? {
            self.skip(1)?;
        }
        if self.eof { self.go_bottom() } else { Ok(()) }
    }

    /// A place to come back to.
    pub fn bookmark(&mut self) -> Result<Bookmark> {
        let order = self.order().and_then(|id| self.order_info(id)).map(|info| info.name);
        let record = if self.is_positioned() { self.recno } else { 0 };
        Ok(Bookmark { record, order, key: self.key()? })
    }

    /// Goes back to a place.
    pub fn go_to_bookmark(&mut self, bookmark: &Bookmark) -> Result<()> {
        self.go_to(bookmark.record)
    }

    /// The place of the area, while it looks elsewhere.
    pub(crate) fn park(&mut self) -> Parked {
        Parked { recno: self.recno, bof: self.bof, eof: self.eof, found: self.found, is_loaded: self.row.is_loaded }
    }

    pub(crate) fn unpark(&mut self, parked: Parked) {
        let Parked { recno, bof, eof, found, is_loaded } = parked;
        (self.recno, self.bof, self.eof, self.found, self.row.is_loaded) = (recno, bof, eof, found, is_loaded);
    }

    /// Does something elsewhere and comes back, also after an error.
    pub(crate) fn elsewhere<T>(&mut self, what: impl FnOnce(&mut Area) -> Result<T>) -> Result<T> {
        let place = self.park();
        let result = what(self);
        self.unpark(place);
        result
    }

    /// Returns true if a key is in an order, without moving: the record, if there is one.
    pub fn look_up(&mut self, id: OrderId, key: &SeekKey) -> Result<Option<u32>> {
        self.leave()?;
        let (place, order) = (self.park(), self.order());
        self.set_order(Some(id))?;
        let (row, found) = (std::mem::take(&mut self.row), self.seek(key, SeekHow::default()));
        let record = self.recno;
        self.row = row;
        self.current = order.and_then(|id| self.place_of(id));
        self.unpark(place);
        Ok(found?.then_some(record))
    }
}

/// See [`Area::park`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parked {
    pub(crate) recno: u32,
    bof: bool,
    eof: bool,
    found: bool,
    is_loaded: bool,
}
