//! Sequences of a session: by name, and with the last value that the session took.
//!
//! A value is taken at once and never given again, whatever the outcome of the transaction
//! ([`mainstay_store::Store::next_value`]). The last value belongs to the session: values given to another one never
//! show in `currval`.

use super::Scope;
use mainstay_planner::{DEFAULT_SCHEMAS, Sequences, SharedValues, unknown_sequence};
use mainstay_store::files::catalog::SequenceDefinition;
use mainstay_store::{Transaction, ValueRange};
use mainstay_types::{Cause, Code, Error, Result};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The values that a session was given last.
#[derive(Debug, Default)]
pub(crate) struct Given {
    values: Mutex<Values>,
    /// How many rows the last INSERT left out that was to leave out what is there already.
    left_out: AtomicU64,
    /// The last new record of a DBF table; 0 before there was one.
    record: AtomicU64,
    /// Those that calls of one row share.
    shared: SharedValues,
    /// True in the session of a user who may only read: sequences that are kept give no numbers.
    is_read_only: AtomicBool,
}

#[derive(Debug, Default)]
struct Values {
    /// By the number of the sequence.
    by_sequence: HashMap<u64, i64>,
    /// By the name of a DBF table that counts.
    by_file: HashMap<String, i64>,
    latest: Option<i64>,
}

/// Where the numbers of an identity column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The first number.
    pub start: i64,
    /// The difference between a number and the one before.
    pub increment: i64,
    /// The number that comes next; `None` when all are given.
    pub next: Option<i64>,
}

impl Scope {
    /// Where the identity column of this sequence stands.
    pub(crate) fn identity(&self, id: u64) -> Option<Identity> {
        let definition = self.sequence_of(id)?;
        let next = match self.owner_of_sequence(id) {
            Some(own) => own.upcoming_value(definition),
            None => self.store().upcoming_value(definition),
        };
        Some(Identity { start: definition.start, increment: definition.increment, next })
    }

    /// Takes so many values of this sequence at once; `None` if there are not so many.
    ///
    /// Errors: those of the journal.
    pub(crate) fn take_range(&self, id: u64, count: u64) -> Result<Option<ValueRange>> {
        self.sequence_of(id).map_or(Ok(None), |definition| self.store().take_range(definition, count))
    }

    /// Lets the identity column of this sequence go on with a number.
    ///
    /// Errors: `InvalidValue` for one that is beyond its bounds, and those of the journal.
    pub(crate) fn set_identity(&self, id: u64, next: i64) -> Result<()> {
        match (self.sequence_of(id), self.owner_of_sequence(id)) {
            (None, _) => Ok(()),
            (Some(definition), Some(own)) => own.set_value(definition, next, false),
            (Some(definition), None) => self.store().set_value(definition, next, false),
        }
    }
}

/// The sequences that a statement can name, for one session.
#[derive(Clone)]
pub(crate) struct SessionSequences {
    pub(crate) scope: Scope,
    pub(crate) given: Arc<Given>,
}

impl SessionSequences {
    /// The next value of the sequence of this number.
    ///
    /// Errors: those of [`mainstay_store::Store::next_value`].
    pub(crate) fn next_of(&self, id: u64) -> Result<i64> {
        let missing = || Error::new(Code::Internal, format!("there is no sequence number {id}"));
        self.take(self.scope.sequence_of(id).ok_or_else(missing)?)
    }

    /// Restarts the sequence of this number, unless the transaction is rolled back. The transaction has locked its
    /// table exclusively, so no other one takes numbers until it ends.
    ///
    /// Errors: as [`Transaction::restart`].
    pub(super) fn restart(&self, transaction: &mut Transaction, id: u64) -> Result<()> {
        let Some(definition) = self.scope.sequence_of(id) else { return Ok(()) };
        let Some(own) = self.scope.owner_of_sequence(id) else { return transaction.restart(definition) };
        if let Some(next) = own.upcoming_value(definition) {
            let scope = self.scope.clone();
            // A number that it had is within its bounds.
            transaction.on_rollback(move || drop(scope.set_identity(id, next)));
        }
        own.set_value(definition, definition.start, false)
    }

    fn take(&self, definition: &SequenceDefinition) -> Result<i64> {
        let value = match self.scope.owner_of_sequence(definition.id) {
            Some(own) => own.next_of(definition)?,
            None => {
                self.given.check_may_give()?;
                self.scope.store().next_of(definition)?
            }
        };
        self.note(definition.id, value);
        Ok(value)
    }

    fn note(&self, id: u64, value: i64) {
        let mut values = self.given.lock();
        values.by_sequence.insert(id, value);
        values.latest = Some(value);
    }

    fn named(&self, name: &str) -> Result<&SequenceDefinition> {
        self.scope.sequence(&key_of_text(name)).ok_or_else(|| unknown_sequence(name))
    }
}

impl Given {
    /// Lets the session only read, or change things again.
    pub(crate) fn set_read_only(&self, is_read_only: bool) {
        self.is_read_only.store(is_read_only, Ordering::Relaxed);
    }

    /// True if the session may only read.
    pub(crate) fn is_read_only(&self) -> bool {
        self.is_read_only.load(Ordering::Relaxed)
    }

    /// Errors: `NotPermitted` where numbers of sequences that are kept may not be taken.
    pub(crate) fn check_may_give(&self) -> Result<()> {
        if !self.is_read_only() {
            return Ok(());
        }
        let error = Error::new(Code::NotPermitted, "the user may only read, and may not take numbers of a sequence");
        Err(error.because(Cause::ReadOnlyUserDefinition))
    }

    /// Notes how many rows an INSERT has left out.
    pub(super) fn note_left_out(&self, rows: u64) {
        self.left_out.store(rows, Ordering::Relaxed);
    }

    /// The number of rows that [`Self::note_left_out`] noted.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out.load(Ordering::Relaxed)
    }

    /// Notes the number that a DBF table has given its last new record.
    pub(crate) fn note_file(&self, table: &str, number: i64) {
        self.lock().by_file.insert(table.to_owned(), number);
    }

    /// The last number that [`Self::note_file`] noted for the table.
    pub(crate) fn last_of_file(&self, table: &str) -> Option<i64> {
        self.lock().by_file.get(table).copied()
    }

    /// Notes the last new record of a DBF table.
    pub(crate) fn note_record(&self, record: u64) {
        self.record.store(record, Ordering::Relaxed);
    }

    /// The record number that [`Self::note_record`] noted.
    pub(crate) fn last_record(&self) -> Option<u64> {
        Some(self.record.load(Ordering::Relaxed)).filter(|record| *record > 0)
    }

    /// The last value that the sequence of this number gave the session.
    pub(crate) fn last_of(&self, id: u64) -> Option<i64> {
        self.lock().by_sequence.get(&id).copied()
    }

    /// Takes the last value of one sequence over to another number.
    pub(super) fn follow(&self, from: u64, to: u64) {
        let mut values = self.lock();
        if let Some(value) = values.by_sequence.get(&from).copied() {
            values.by_sequence.insert(to, value);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Values> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sequences for SessionSequences {
    fn next(&self, name: &str) -> Result<i64> {
        self.take(self.named(name)?)
    }

    fn current(&self, name: Option<&str>) -> Result<i64> {
        let found = match name {
            None => self.given.lock().latest,
            Some(name) => {
                let id = self.named(name)?.id;
                self.given.lock().by_sequence.get(&id).copied()
            }
        };
        found.ok_or_else(|| {
            let of = name.map_or_else(|| "of any sequence".to_owned(), |name| format!("of the sequence \"{name}\""));
            let error = Error::new(Code::InvalidValue, format!("this session was given no value {of} yet"));
            error.hint("take one with nextval first")
        })
    }

    fn set(&self, name: &str, value: i64, given: bool) -> Result<()> {
        let definition = self.named(name)?;
        match self.scope.owner_of_sequence(definition.id) {
            Some(own) => own.set_value(definition, value, given)?,
            None => {
                self.given.check_may_give()?;
                self.scope.store().set_value(definition, value, given)?;
            }
        }
        if given {
            self.given.lock().by_sequence.insert(definition.id, value);
        }
        Ok(())
    }

    fn shared(&self) -> &SharedValues {
        &self.given.shared
    }
}

impl std::fmt::Debug for SessionSequences {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionSequences").finish_non_exhaustive()
    }
}

/// The lookup key of a name in a text: in any case, quoted or not, without the default schema.
fn key_of_text(name: &str) -> String {
    let parts: Vec<String> = name.split('.').map(|part| part.trim().trim_matches('"').to_lowercase()).collect();
    match parts.split_first() {
        Some((schema, rest)) if !rest.is_empty() && DEFAULT_SCHEMAS.contains(&schema.as_str()) => rest.join("."),
        _ => parts.join("."),
    }
}
