//! Changes of keys in UNIQUE tags are journaled before they are made, even without a transaction.
//!
//! A process that is killed between writing a record and its keys leaves the old key in each tag. In a tag that lists
//! every record, the record's next change detects that (`trust.rs`); a UNIQUE tag may lack the new key correctly,
//! because another record has it, so nothing is detected. So during such a change in shared use there is a journal like
//! that of a transaction with this one record: the next process that opens the table, or locks a record of it, undoes
//! the change.
//!
//! ```text
//!   keys in memory | journal | record | pages | journal removed | record's lock given back
//! ```
//! If no journal can be created, the change is made without one.

use super::journal::{Entry, Journal};
use super::transaction::About;
use mainstay_types::Result;
use mainstay_vfs::FileSystem;
use std::sync::Arc;

/// The journal of one change, if it needs one.
#[derive(Debug, Default)]
pub(super) struct Safeguard {
    journal: Option<Journal>,
    durable: bool,
}

impl Safeguard {
    /// Writes down how to undo a change that is about to be made.
    pub(super) fn note(
        &mut self,
        (fs, durable): (&Arc<dyn FileSystem>, bool),
        table: About<'_>,
        (record, old, new): (u64, Option<&[u8]>, &[u8]),
    ) {
        if self.journal.is_none() {
            let Ok(mut journal) = Journal::create(fs, table.path, durable) else { return };
            let bags = table.bags.iter().map(|bag| (*bag).to_owned()).collect();
            let entry = Entry::Table { number: 0, scheme: table.scheme, path: table.path.to_owned(), bags };
            let noted = journal.write(&entry, durable);
            (self.journal, self.durable) = (Some(journal), durable);
            if noted.is_err() {
                return self.give_up();
            }
        }
        let entry = Entry::Change { table: 0, record, old: old.map(<[u8]>::to_vec), new: new.to_vec() };
        let noted = self.journal.as_mut().map_or(Ok(()), |journal| journal.write(&entry, durable));
        if noted.is_err() {
            self.give_up();
        }
    }

    /// Half a journal would undo half of what is done.
    fn give_up(&mut self) {
        if let Some(journal) = self.journal.take() {
            // An empty one undoes nothing.
            let _ = journal.remove(false);
        }
    }

    /// The change is made with its keys, or was taken back.
    pub(super) fn end(self) -> Result<()> {
        self.journal.map_or(Ok(()), |journal| journal.remove(self.durable))
    }
}
