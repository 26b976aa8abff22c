//! Writes finished bytes of records together with their keys, for callers with a record buffer.

use super::IndexedTable;
use crate::index::write::BagState;
use crate::writer::Change;
use mainstay_types::Result;

impl IndexedTable {
    /// The state in which an index file (by its number) was last read or written here; a reader by other means can tell
    /// from two of these if only this table's changes are between them.
    pub fn index_state(&self, bag: usize) -> Option<BagState> {
        self.indexes.bags.get(bag)?.live().ok().map(|live| live.writer.state())
    }

    /// Replaces the bytes of a record, its mark of deletion included. Its memo fields must refer to what they referred
    /// to, or to values of this table's memo file that no other record refers to.
    pub fn write_record(&mut self, record: u64, bytes: &[u8]) -> Result<Change> {
        self.waiting_for_keys(|table| {
            table.changing(record, |writer, follower| writer.write_record_followed(record, bytes, follower))
        })
    }

    /// The same of a record that has been locked here all the time since these bytes, `known`, were read of it or
    /// written: it is not read again. `bytes` gets what is written: fields that keep the time or the number of the
    /// last write are this table's to fill.
    pub fn replace_record(&mut self, record: u64, known: &[u8], bytes: &mut [u8]) -> Result<()> {
        self.waiting_for_keys(|table| {
            table.followed(|writer, follower| writer.replace_followed(record, known, bytes, follower))
        })
    }

    /// Returns true if the record that was appended last has no keys yet.
    pub fn has_unlisted(&self) -> bool {
        self.unlisted.is_some()
    }

    /// Appends a record of these bytes; memo fields as above. Fields that count are left as they are in the bytes.
    pub fn append_record(&mut self, bytes: &[u8]) -> Result<u64> {
        let appended = self.waiting_for_keys(|table| {
            table.followed(|writer, follower| writer.append_record_followed(bytes, follower))
        })?;
        self.release_at_end(appended, self.keeps_appended);
        Ok(appended)
    }
}
