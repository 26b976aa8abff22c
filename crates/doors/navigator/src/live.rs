//! Live cursors: the records of a table that a statement shows, known by their numbers.
//!
//! The owner of the statement's session determines the records ([`SqlSession::members`]): in the library the library
//! itself, at a server the session of a client. This module is the part that both share.
//!
//! [`SqlSession::members`]: crate::sql::SqlSession::members

use mainstay_types::Result;
use mainstay_workarea::{Area, Predicate, RecordRules};
use mainstay_xbase::adt::RecordLayout;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The records that are rows of a cursor.
#[derive(Debug)]
pub struct Rows {
    /// A bit for each record, from the first on; none if every record is one.
    records: Option<Mutex<Vec<u64>>>,
}

fn place(record: u32) -> (usize, u64) {
    let at = record.saturating_sub(1) as usize;
    (at / 64, 1 << (at % 64))
}

impl Rows {
    /// Every record.
    pub fn all() -> Arc<Rows> {
        Arc::new(Rows { records: None })
    }

    /// None until it is said which.
    pub fn none() -> Arc<Rows> {
        Arc::new(Rows { records: Some(Mutex::default()) })
    }

    fn records(&self) -> Option<MutexGuard<'_, Vec<u64>>> {
        self.records.as_ref().map(|records| records.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// From now on they are these.
    pub fn replace(&self, found: &[u32]) {
        if let Some(mut records) = self.records() {
            records.clear();
            found.iter().for_each(|record| put(&mut records, *record, true));
        }
    }

    /// Returns true if a record is one.
    pub fn set(&self, record: u32, is_row: bool) {
        if let Some(mut records) = self.records() {
            put(&mut records, record, is_row);
        }
    }

    /// The same as far as it is known by its number.
    pub fn has(&self, record: u32) -> bool {
        let (word, bit) = place(record);
        self.records().is_none_or(|records| records.get(word).is_some_and(|bits| bits & bit != 0))
    }

    /// The records that an area shows. Deleted ones of a DBF are hidden by the area, if it hides them; those of an ADT are
    /// never rows.
    pub fn predicate(self: &Arc<Rows>, layout: RecordLayout) -> Predicate {
        let rows = Arc::clone(self);
        let hides = layout == RecordLayout::Adt;
        Box::new(move |record, bytes| Ok(rows.has(record) && !(hides && layout.is_deleted(bytes))))
    }
}

fn put(records: &mut Vec<u64>, record: u32, is_row: bool) {
    let (word, bit) = place(record);
    if records.len() <= word {
        records.resize(word + 1, 0);
    }
    if let Some(bits) = records.get_mut(word) {
        *bits = if is_row { *bits | bit } else { *bits & !bit };
    }
}

/// Notes the records that are written through a cursor, after the rules of its table have run.
#[derive(Debug)]
pub(crate) struct Watch {
    rules: Option<Arc<dyn RecordRules>>,
    rows: Arc<Rows>,
    written: Arc<Mutex<Vec<u32>>>,
}

impl Watch {
    /// Has an area show these rows only; the records that are written through it from now on.
    pub(crate) fn over(area: &mut Area, rows: &Arc<Rows>) -> Arc<Mutex<Vec<u32>>> {
        let (rules, written) = (area.rules(), Arc::default());
        area.set_predicate(Some(rows.predicate(area.header().layout)));
        let watch = Watch { rules, rows: Arc::clone(rows), written: Arc::clone(&written) };
        area.set_rules(Some(Arc::new(watch)));
        written
    }
}

impl RecordRules for Watch {
    fn appended(&self, area: &mut Area) -> Result<()> {
        // Until it is written it is what the program works on.
        self.rows.set(area.record_number(), true);
        self.rules.as_ref().map_or(Ok(()), |rules| rules.appended(area))
    }

    fn before_write(&self, area: &mut Area) -> Result<()> {
        self.rules.as_ref().map_or(Ok(()), |rules| rules.before_write(area))
    }

    fn after_write(&self, area: &mut Area) -> Result<()> {
        self.rules.as_ref().map_or(Ok(()), |rules| rules.after_write(area))?;
        self.written.lock().unwrap_or_else(PoisonError::into_inner).push(area.record_number());
        Ok(())
    }

    fn write_failed(&self, area: &mut Area) {
        if let Some(rules) = &self.rules {
            rules.write_failed(area);
        }
    }

    fn cancelled(&self, area: &mut Area) -> Result<()> {
        match &self.rules {
            Some(rules) => rules.cancelled(area),
            None => area.cancel_appended(),
        }
    }
}
