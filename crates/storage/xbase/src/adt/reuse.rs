//! The list of deleted records that are reused before the table grows.
//!
//! ```text
//!   header: first 101, length 3      101 -> 100 -> 20 -> 0
//! ```
//! It is a stack linked through bytes 1 to 4 of the deleted records. The order of writes ensures that after a crash the
//! list contains only deleted records: a record is deleted before it is put on the list, and taken off before it is
//! used. In between it is deleted and on no list, which wastes its space until the table is packed.

use super::header::word;
use super::layout::RecordLayout;
use mainstay_types::Result;
use mainstay_vfs::{File, WritableFile};

/// The place of the first record in the header; the length of the list is 8 bytes behind it.
const FIRST_AT: u64 = 40;

/// First record and length of the list, as they stand in the header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReuseList {
    pub(crate) first: u32,
    pub(crate) length: u32,
}

/// Where records are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) header_length: u64,
    pub(crate) record_length: u64,
    /// Records of the table.
    pub(crate) count: u64,
}

impl Place {
    fn offset(self, record: u32) -> u64 {
        self.header_length + u64::from(record).saturating_sub(1) * self.record_length
    }

    /// Flag and link of a record; none for one that the table does not have.
    pub(super) fn prefix(self, file: &dyn File, record: u32) -> Result<Option<[u8; 5]>> {
        if record == 0 || u64::from(record) > self.count {
            return Ok(None);
        }
        let mut prefix = [0; 5];
        file.read_exact_at(&mut prefix, self.offset(record))?;
        Ok(Some(prefix))
    }
}

impl ReuseList {
    /// Reads it from the header.
    pub(crate) fn read(file: &dyn File) -> Result<ReuseList> {
        let mut bytes = [0; 12];
        file.read_exact_at(&mut bytes, FIRST_AT)?;
        Ok(ReuseList { first: word(&bytes, 0), length: word(&bytes, 8) })
    }

    fn write(self, file: &dyn WritableFile) -> Result<()> {
        let mut bytes = [0; 12];
        bytes[..4].copy_from_slice(&self.first.to_le_bytes());
        bytes[8..].copy_from_slice(&self.length.to_le_bytes());
        file.write_at(&bytes, FIRST_AT)
    }

    /// Puts a record on top that is deleted and links to the record which was first.
    pub(crate) fn push(file: &dyn WritableFile, record: u32) -> Result<()> {
        let list = ReuseList::read(file)?;
        ReuseList { first: record, length: list.length.saturating_add(1) }.write(file)
    }

    /// The record on top, if it is one that can be used; a list that is damaged is left alone.
    pub(crate) fn top(file: &dyn File, place: Place) -> Result<Option<u32>> {
        let list = ReuseList::read(file)?;
        let usable =
            |prefix: [u8; 5]| RecordLayout::Adt.is_deleted(&prefix) && !RecordLayout::Adt.is_encrypted(&prefix);
        Ok(place.prefix(file, list.first)?.filter(|prefix| usable(*prefix)).map(|_| list.first))
    }

    /// Takes a record off the list, wherever it is in it.
    pub(crate) fn remove(file: &dyn WritableFile, place: Place, record: u32) -> Result<()> {
        let list = ReuseList::read(file)?;
        let (mut before, mut at) = (None, list.first);
        for _ in 0..place.count {
            let Some(prefix) = place.prefix(file, at)? else { return Ok(()) };
            let next = RecordLayout::Adt.link(&prefix);
            if at != record {
                (before, at) = (Some(at), next);
                continue;
            }
            let shorter = list.length.saturating_sub(1);
            let Some(before) = before else { return ReuseList { first: next, length: shorter }.write(file) };
            file.write_at(&next.to_le_bytes(), place.offset(before) + 1)?;
            return ReuseList { first: list.first, length: shorter }.write(file);
        }
        Ok(())
    }
}
