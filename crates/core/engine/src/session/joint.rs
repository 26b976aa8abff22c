//! Atomic commits over native and DBF tables.
//!
//! ```text
//!   DBF tables   everything is written; the journal that could undo it is marked as in doubt
//!   native       their own changes, and the journal's name in a table: one commit, which decides
//!   DBF tables   the journal is removed
//!   native       the name is removed
//! ```
//! After a crash in between, the journal in doubt protects the changes from every program. The next process that opens
//! the database looks for the journal's name among the native tables: if it is there the changes stay, else they are
//! undone.
//!
//! Limits: this holds for processes that are killed, and for a loss of power when DBF tables are written durably
//! (`SET durability = full`).

use super::Session;
use crate::database::Database;
use arrow_array::cast::AsArray;
use mainstay_store::Isolation;
use mainstay_types::Result;
use mainstay_xbase::indexed::{in_doubt, settle};
use std::collections::HashSet;

/// The table that the names of journals are noted in, by its schema and name.
const SCHEMA: &str = "sys";
const TABLE: &str = "sys.mainstay_joint_commits";

/// Returns true if a table is internal: the one that joins commits of native and DBF tables.
pub(crate) fn is_internal(name: &str) -> bool {
    name == TABLE
}

impl Session {
    /// BEGIN, for a caller that has no text of it.
    ///
    /// Errors: `TransactionState` when one is open, and those of opening the store.
    pub fn begin(&mut self) -> Result<()> {
        self.transaction.begin(&self.database.shared.catalog.native, None)
    }

    /// Returns true if the open transaction has changed the shared catalog.
    pub fn has_changed_catalog(&self) -> bool {
        self.transaction.has_changed_catalog()
    }

    /// The number that this session was given last by a sequence.
    pub fn last_of_sequence(&self, sequence: u64) -> Option<i64> {
        self.transaction.given.last_of(sequence)
    }

    /// ROLLBACK of the whole transaction.
    ///
    /// Errors: `TransactionState` when none is open, and those of giving DBF tables back what they held.
    pub fn rollback(&mut self) -> Result<()> {
        self.transaction.rollback()
    }

    /// COMMIT.
    ///
    /// Errors: `TransactionState` when none is open, and those of writing.
    pub fn commit(&mut self) -> Result<()> {
        self.begin_statement();
        self.commit_begun()
    }

    /// The same as a statement that has begun. It ends as any other while it waits; then nothing is committed.
    pub(super) fn commit_begun(&mut self) -> Result<()> {
        let joint = self.prepare_joint_commit().inspect_err(|_| self.transaction.abandon())?;
        let database = self.database.clone();
        self.transaction.commit(&database.shared.catalog.native)?;
        if let Some(name) = joint {
            // If this fails the name means nothing, and is removed when the database is opened next.
            let _ = forget(&database, &name);
        }
        Ok(())
    }

    /// Prepares the DBF tables' part of a commit that both kinds of tables have a part in, and notes its name.
    fn prepare_joint_commit(&mut self) -> Result<Option<String>> {
        let database = self.database.clone();
        let catalog = &database.shared.catalog;
        if !catalog.native.is_kept() {
            return Ok(None);
        }
        // Native tables are kept below a folder only. It is not asked for again: that costs as much as the commit's write.
        let Some(name) = self.transaction.prepare(catalog.path())? else { return Ok(None) };
        if !self.has_joint_commits() {
            // Once in a folder's life.
            self.other(&format!("CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))?;
            self.other(&format!("CREATE TABLE IF NOT EXISTS {TABLE} (journal TEXT PRIMARY KEY)"))?;
        }
        self.other(&format!("INSERT INTO {TABLE} VALUES ('{name}')"))?;
        Ok(Some(name))
    }

    fn has_joint_commits(&self) -> bool {
        self.scope().definition(TABLE).is_some()
    }
}

/// Removes a name whose journal is gone. Nothing is lost if this is.
fn forget(database: &Database, name: &str) -> Result<()> {
    let mut session = database.session();
    session.set("durability", "none")?;
    session.other(&format!("DELETE FROM {TABLE} WHERE journal = '{name}'")).map(drop)
}

/// Settles what a process has left in doubt that was cut off in a commit.
///
/// Errors: those of reading the native tables. What cannot be settled now stays in doubt.
pub(crate) fn settle_commits(database: &Database) -> Result<()> {
    let catalog = &database.shared.catalog;
    let Ok(folder) = catalog.folder() else { return Ok(()) };
    // A journal that cannot be read is reported by the tables that it concerns.
    let found = in_doubt(&**catalog.file_system(), folder).unwrap_or_default();
    let mut session = database.session();
    if found.is_empty() && !session.has_joint_commits() {
        return Ok(());
    }
    // If another process has the native tables open, that process settles the journal. If they cannot be read, or
    // nothing may be written, the journal stays in doubt.
    if database.shared.options.salvage {
        return Ok(());
    }
    let Ok(transaction) = catalog.native.begin(Isolation::ReadCommitted) else { return Ok(()) };
    transaction.rollback();
    let mut committed = HashSet::new();
    if session.has_joint_commits() {
        let Ok(noted) = session.execute(&format!("SELECT journal FROM {TABLE}")) else { return Ok(()) };
        for batch in noted.collect()? {
            let names = arrow_cast::cast(batch.column(0), &arrow_schema::DataType::Utf8);
            let names =
                names.map_err(|error| mainstay_types::Error::new(mainstay_types::Code::Internal, error.to_string()))?;
            committed.extend(names.as_string::<i32>().iter().flatten().map(str::to_owned));
        }
    }
    for journal in found {
        let name = journal.name();
        if settle(catalog.file_system(), journal, committed.contains(&name)).is_err() {
            committed.remove(&name);
        }
    }
    committed.iter().try_for_each(|name| forget(database, name))
}
