//! Tables of further storages that take part in a session's transaction.

use super::SessionTransaction;
use crate::dbf::OpenTables;
use crate::writable::TableTransaction;
use mainstay_types::Result;

/// The transactions of further storages within one of a session, in the order in which they joined.
#[derive(Default)]
pub(crate) struct Joined {
    parts: Vec<Part>,
}

struct Part {
    name: String,
    transaction: Box<dyn TableTransaction>,
    beginning: u64,
}

/// A place in what was done with the tables: a savepoint of each that had joined.
pub(super) type JoinedSavepoint = Vec<u64>;

impl Joined {
    /// The transaction of the table of this name, which is begun when it is the first time.
    ///
    /// Errors: those of `begin`.
    pub(crate) fn part(
        &mut self,
        name: &str,
        begin: impl FnOnce() -> Result<Box<dyn TableTransaction>>,
    ) -> Result<&mut dyn TableTransaction> {
        let place = match self.parts.iter().position(|part| part.name == name) {
            Some(place) => place,
            None => {
                let mut transaction = begin()?;
                let beginning = transaction.savepoint();
                self.parts.push(Part { name: name.to_owned(), transaction, beginning });
                self.parts.len() - 1
            }
        };
        Ok(self.parts[place].transaction.as_mut())
    }

    pub(super) fn savepoint(&mut self) -> JoinedSavepoint {
        self.parts.iter_mut().map(|part| part.transaction.savepoint()).collect()
    }

    /// Undoes what came after a place. A table that joined later returns to its beginning.
    pub(super) fn rollback_to(&mut self, savepoint: &[u64]) -> Result<()> {
        let places = savepoint.iter().copied().map(Some).chain(std::iter::repeat(None));
        let mut parts = self.parts.iter_mut().zip(places);
        parts.try_for_each(|(part, place)| part.transaction.rollback_to(place.unwrap_or(part.beginning)))
    }

    pub(super) fn commit(&mut self) -> Result<()> {
        self.end(|transaction| transaction.commit())
    }

    pub(super) fn rollback(&mut self) -> Result<()> {
        self.end(|transaction| transaction.rollback())
    }

    /// Ends all of them; the first error is the one that is reported.
    fn end(&mut self, mut how: impl FnMut(&mut dyn TableTransaction) -> Result<()>) -> Result<()> {
        let mut done = Ok(());
        for mut part in std::mem::take(&mut self.parts) {
            done = done.and(how(part.transaction.as_mut()));
        }
        done
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        // Without a caller to report to; the storage undoes the rest when it opens the table next.
        let _ = self.rollback();
    }
}

impl SessionTransaction {
    /// The DBF tables that take part in the open transaction, for a statement that changes one: they are to be given
    /// back. `None` when no transaction is open.
    pub(crate) fn take_tables(&mut self) -> Option<OpenTables> {
        self.open.as_mut().map(|open| std::mem::take(&mut open.tables))
    }

    /// Gives them back.
    pub(crate) fn put_tables(&mut self, tables: OpenTables) {
        if let Some(open) = &mut self.open {
            open.tables = tables;
        }
    }

    /// The same for the tables of further storages.
    pub(crate) fn take_joined(&mut self) -> Option<Joined> {
        self.open.as_mut().map(|open| std::mem::take(&mut open.joined))
    }

    /// Gives them back.
    pub(crate) fn put_joined(&mut self, joined: Joined) {
        if let Some(open) = &mut self.open {
            open.joined = joined;
        }
    }
}
