//! The keys of a table's records, for rebuilding indexes.

use super::build::Building;
use super::{IndexedTable, Telling};
use crate::expr::Scratch;
use crate::index::write::{KeySorter, Progress, Rebuild};
use crate::index::{KeyType, TagHeader};
use crate::keys::TagKeys;
use mainstay_types::Result;
use std::ops::ControlFlow;
use std::path::Path;

/// The records of a table, for making its indexes anew.
pub(super) struct OverRecords<'r> {
    pub(super) count: u64,
    pub(super) table: &'r IndexedTable,
    pub(super) path: &'r Path,
    pub(super) keeps_custom: bool,
    pub(super) progress: Telling<'r>,
    /// The number of the file, and how many there are.
    pub(super) at: (u64, u64),
}

impl Rebuild for OverRecords<'_> {
    fn key_type(&mut self, header: &TagHeader) -> Result<KeyType> {
        let dbf = &self.table.indexes.dbf;
        let keys = TagKeys::new(header, dbf)?;
        match self.table.indexes.conventions(self.path, &header.name) {
            Some(known) => keys.with_conventions(known, header, dbf).map(|keys| keys.key_type),
            None => Ok(keys.key_type),
        }
    }

    fn collect(&mut self, number: usize, header: &TagHeader, keys: &mut KeySorter) -> Result<()> {
        if header.custom {
            return if self.keeps_custom { self.custom_entries(number, header, keys) } else { Ok(()) };
        }
        let known = self.table.indexes.conventions(self.path, &header.name);
        let all = self.table.collect(self.path, (header, known), self.count, &mut Building::default())?;
        *keys = all;
        Ok(())
    }

    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        let (file, files) = self.at;
        let steps = 1000;
        let of_tag = (steps * progress.keys_done).checked_div(progress.keys).unwrap_or(0);
        let of_file = (steps * progress.number as u64 + of_tag) / progress.tags.max(1) as u64;
        (self.progress)(file * steps + of_file, files * steps)
    }
}

impl OverRecords<'_> {
    /// The records that the old file lists in a custom tag, with the keys that they have now.
    fn custom_entries(&self, number: usize, header: &TagHeader, keys: &mut KeySorter) -> Result<()> {
        let mut known = TagKeys::new(header, &self.table.indexes.dbf)?;
        if let Some(conventions) = self.table.indexes.conventions(self.path, &header.name) {
            known = known.with_conventions(conventions, header, &self.table.indexes.dbf)?;
        }
        let bag = crate::index::Bag::open(self.table.fs.open(self.path)?)?;
        let count = self.count;
        let mut listed = Vec::new();
        bag.tag(number, known.key_type)?.range(
            std::ops::Bound::Unbounded,
            std::ops::Bound::Unbounded,
            |record, _| {
                listed.push(record);
                ControlFlow::Continue(())
            },
        )?;
        let (mut scratch, mut bytes) = (Scratch::new(), Vec::new());
        for record in listed.into_iter().filter(|record| (1..=count).contains(&u64::from(*record))) {
            self.table.indexes.dbf.read_record(u64::from(record) - 1, &mut bytes)?;
            keys.push(&known.key_of(&mut scratch, &bytes, record)?, record)?;
        }
        Ok(())
    }
}
