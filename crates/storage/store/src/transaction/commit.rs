//! Commit: one number, one frame, all stamps, then publication.
//!
//! ```text
//!   under the commit mutex            validate (serializable) -> number -> frame to the journal -> marks become the number
//!   then, side by side with others    wait for the journal -> publish -> wake who waited
//! ```
//!
//! Stamps are set before the journal is durable: no view reads them as committed, because views read at the
//! published number, and a writer that meets such a stamp waits for its publication ([`super::Obstacle::Commit`]).

use super::history::Committed;
use super::{Isolation, Transaction, Write};
use crate::directory::Directory;
use crate::group::{group_of, offset_of};
use crate::journal::Durability;
use crate::table::NativeTable;
use mainstay_types::{Code, Error, Result};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A commit that has its number.
struct Stamped {
    commit: u64,
    /// The journal's ticket for the frame of the transaction.
    ticket: Option<u64>,
    durability: Durability,
    /// The last commit before it that has to keep a promise yet.
    unseen: Option<u64>,
}

/// Why a commit did not get a number.
struct Refused {
    error: Error,
    /// The commit of another transaction that was first.
    overtaken_by: Option<u64>,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused { error, overtaken_by: None }
    }
}

impl Transaction {
    /// Makes the changes last and visible: the commit's number. A transaction without changes has that of its view.
    ///
    /// Errors: `ForeignKeyViolation` of the last statement or of a deferred check, `Conflict` of a serializable
    /// transaction, or an error of the journal. The transaction is then rolled back, except if the journal failed: then
    /// its fate is decided when the store is opened again, and until then it stays invisible.
    pub fn commit(mut self) -> Result<u64> {
        if let Err(error) = self.run_checks().and_then(|()| self.run_deferred()).and_then(|()| self.check_sound()) {
            self.rollback_all();
            return Err(error);
        }
        self.note_restarts();
        if !self.has_written() && self.reversals.restarts.is_empty() {
            let commit = self.view.map_or(0, |view| view.commit);
            self.release();
            return Ok(commit);
        }
        let Stamped { commit, ticket, durability, unseen } = match self.commit_stamps() {
            Ok(committed) => committed,
            Err(Refused { error, overtaken_by }) => {
                self.rollback_all();
                // Run again at once, the transaction is to see the one that was first.
                return match overtaken_by {
                    Some(commit) => self.shared.wait_published_for(commit, None).and(Err(error)),
                    None => Err(error),
                };
            }
        };
        let outcome = match (ticket, unseen) {
            (Some(ticket), _) => match self.shared.journal.wait_for(ticket, durability) {
                Ok(()) => self.shared.check(),
                Err(error) => Err(self.shared.fail(error)),
            },
            // Nothing of it is in the journal; but a view that sees it sees the commits before, too.
            (None, Some(unseen)) => self.shared.wait_published(unseen),
            (None, None) => self.shared.check(),
        };
        let outcome = outcome.map(|()| commit);
        if outcome.is_ok() {
            self.end_restarts(commit);
            self.shared.publish(commit);
        }
        self.release();
        // The commit stands whatever comes of this; what could not be cleaned now is cleaned later.
        let _ = self.tables.iter().try_for_each(|table| table.tidy(self.ended).map(|_| ()));
        outcome
    }

    /// Errors: the reason why the rows of a written table could not be read, as the writes may depend on them.
    fn check_sound(&self) -> Result<()> {
        self.tables.iter().try_for_each(|table| table.check_sound())
    }

    /// The part under the commit mutex: the number, and the journal's ticket if there was something to write.
    fn commit_stamps(&mut self) -> Result<Stamped, Refused> {
        let shared = Arc::clone(&self.shared);
        let mut commits = shared.commits();
        shared.check()?;
        if self.isolation == Isolation::Serializable {
            if let Some(outlook) = &self.outlook {
                self.reads.extend(outlook.take_reads());
            }
            let view = self.view.map_or(0, |view| view.commit);
            if let Some(commit) = commits.history.conflict(view, &self.reads) {
                let message = "another transaction changed what this one has read";
                let error = Error::new(Code::Conflict, message).hint("run the transaction again");
                return Err(Refused { error, overtaken_by: Some(commit) });
            }
        }
        let commit = commits.last + 1;
        let ticket = match self.redo.as_mut().filter(|redo| !redo.is_empty()) {
            Some(redo) => match shared.journal.append(commit, &redo.seal(commit)?) {
                Ok(ticket) => Some(ticket),
                // Too large for a frame, or its records cannot be read back from their file: nothing was written.
                Err(error) if shared.journal.is_open() => return Err(error.into()),
                Err(error) => {
                    drop(commits);
                    return Err(shared.fail(error).into());
                }
            },
            None => None,
        };
        let unseen = commits.unseen(shared.published().load(Ordering::Acquire));
        commits.last = commit;
        let durability = match ticket {
            Some(_) => commits.effective(self.durability, shared.published().load(Ordering::Acquire)),
            None => Durability::None,
        };
        self.commit_catalog(&mut commits, commit);
        self.stamp(commit);
        if commits.history.is_wanted() {
            let committed = Committed { commit, changes: self.changes() };
            commits.history.note(committed, shared.horizon());
        }
        Ok(Stamped { commit, ticket, durability, unseen })
    }

    /// Turns the marks of all changes into the number of the commit.
    fn stamp(&self, commit: u64) {
        let mut pinned: Option<(u32, Arc<Directory>)> = None;
        let mut ended = EndedRun::default();
        for write in &self.writes {
            let (Write::Inserted { table, .. } | Write::Updated { table, .. } | Write::Deleted { table, .. }) = *write;
            if pinned.as_ref().is_none_or(|(number, _)| *number != table) {
                if let Some((number, directory)) = &pinned {
                    ended.count(directory, &self.tables[*number as usize]);
                }
                pinned = Some((table, self.tables[table as usize].directory()));
            }
            let Some((_, directory)) = &pinned else { continue };
            match *write {
                Write::Inserted { first, count, .. } => {
                    let offset = offset_of(first);
                    if let Some(group) = directory.group(first) {
                        group.commit_created(offset..offset + count as usize, commit);
                    }
                }
                Write::Updated { table, old, new } => {
                    ended.end(directory, &self.tables[table as usize], (old, 1), commit);
                    if let Some(group) = directory.group(new) {
                        group.commit_created(offset_of(new)..offset_of(new) + 1, commit);
                    }
                }
                Write::Deleted { table, first, count } => {
                    ended.end(directory, &self.tables[table as usize], (first, count), commit);
                }
            }
        }
        if let Some((number, directory)) = &pinned {
            ended.count(directory, &self.tables[*number as usize]);
        }
    }

    /// The versions that were created or ended, by table.
    fn changes(&self) -> Vec<(Arc<NativeTable>, Vec<u64>)> {
        let mut changes: Vec<(Arc<NativeTable>, Vec<u64>)> =
            self.tables.iter().map(|table| (Arc::clone(table), Vec::new())).collect();
        for write in &self.writes {
            match *write {
                Write::Inserted { table, first, count } => {
                    debug_assert_eq!(group_of(first), group_of(first + u64::from(count) - 1));
                    changes[table as usize].1.extend(first..first + u64::from(count));
                }
                Write::Updated { table, old, new } => changes[table as usize].1.extend([old, new]),
                Write::Deleted { table, first, count } => {
                    changes[table as usize].1.extend(first..first + u64::from(count));
                }
            }
        }
        changes
    }
}

/// Versions of one group that a commit ends, one behind the other in its list: they are counted together.
#[derive(Default)]
struct EndedRun {
    /// One of them.
    position: u64,
    versions: usize,
}

impl EndedRun {
    /// Ends versions in slots that follow each other.
    #[inline]
    fn end(&mut self, directory: &Directory, table: &NativeTable, (first, count): (u64, u32), commit: u64) {
        if group_of(first) != group_of(self.position) {
            self.count(directory, table);
        }
        let Some(group) = directory.group(first) else { return };
        let offset = offset_of(first);
        (offset..offset + count as usize).for_each(|offset| group.commit_end(offset, commit));
        self.position = first;
        self.versions += count as usize;
    }

    /// Counts those there have been.
    fn count(&mut self, directory: &Directory, table: &NativeTable) {
        if let (1.., Some(group)) = (self.versions, directory.group(self.position)) {
            group.count_ended(self.versions);
            table.count_garbage(self.versions);
        }
        self.versions = 0;
    }
}
