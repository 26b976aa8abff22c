//! Changes of keys in UNIQUE tags are noted before they are made, without a transaction, too.
//!
//! A process that is killed between a record and its keys leaves the key of before in each tag. A tag that lists every record
//! tells that with the record's next change (`trust.rs`); one that is UNIQUE may lack the new key rightly, because another
//! record has it, and tells nothing. So for the moment of such a change beside others there is a journal as that of a
//! transaction, of which the record is the only one: who opens the table next, or locks a record of it, undoes the change.
//!
//! ```text
//!   keys in memory | journal | record | pages | journal removed | record's lock given back
//! ```
//! Where no journal can be made, the change is made without one.

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
