//! Locks of names, and of objects without their own lock: views, sequences and schemas.
//!
//! A transaction that creates, renames or drops an object holds an exclusive lock on its name until it ends. So of two
//! that create the same name the second waits, and then finds it there or not. Every object of a schema holds a shared
//! lock on the schema, so that it stays.

use super::locks::LockMode;
use super::{Awaited, Transaction};
use mainstay_types::Result;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The locked object. Names are in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// The name of a table or view in the schema of this number.
    Relation(u64, String),
    /// The name of a sequence, the same.
    Sequence(u64, String),
    /// The name of a schema.
    SchemaName(String),
    /// The schema of this number.
    Schema(u64),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Relation(_, name) | Subject::Sequence(_, name) | Subject::SchemaName(name) => {
                write!(f, "the name {name}")
            }
            Subject::Schema(id) => write!(f, "schema number {id}"),
        }
    }
}

type Holders = Vec<(u64, LockMode)>;

/// The names that are held, and by which transactions.
#[derive(Default)]
pub(crate) struct NameLocks {
    held: Mutex<HashMap<Subject, Holders>>,
}

impl NameLocks {
    /// Takes a lock. True if the transaction had no part in it before; an error is the holder.
    fn take(&self, subject: &Subject, transaction: u64, mode: LockMode) -> Result<bool, u64> {
        let mut held = self.lock();
        if let Some(holder) = obstacle(&held, subject, transaction, mode) {
            return Err(holder);
        }
        let holders = held.entry(subject.clone()).or_default();
        match holders.iter_mut().find(|(id, _)| *id == transaction) {
            Some((_, known)) if mode == LockMode::Exclusive => *known = mode,
            Some(_) => {}
            None => {
                holders.push((transaction, mode));
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_kept_by(&self, holder: u64, subject: &Subject, transaction: u64, mode: LockMode) -> bool {
        obstacle(&self.lock(), subject, transaction, mode) == Some(holder)
    }

    /// Gives these back.
    pub(super) fn release(&self, transaction: u64, subjects: &[Subject]) {
        let mut held = self.lock();
        for subject in subjects {
            let Some(holders) = held.get_mut(subject) else { continue };
            holders.retain(|(id, _)| *id != transaction);
            if holders.is_empty() {
                held.remove(subject);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Subject, Holders>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn obstacle(held: &HashMap<Subject, Holders>, subject: &Subject, transaction: u64, mode: LockMode) -> Option<u64> {
    let excludes = |known: LockMode| mode == LockMode::Exclusive || known == LockMode::Exclusive;
    held.get(subject)?.iter().find(|(id, known)| *id != transaction && excludes(*known)).map(|(id, _)| *id)
}

impl Transaction {
    /// Takes a name or a schema until the transaction ends.
    ///
    /// Errors: those of waiting.
    pub(crate) fn take_name(&mut self, subject: &Subject, mode: LockMode) -> Result<()> {
        loop {
            match self.shared.names.take(subject, self.id, mode) {
                Ok(true) => {
                    self.names.push(subject.clone());
                    return Ok(());
                }
                Ok(false) => return Ok(()),
                Err(holder) => {
                    let is_held = || self.shared.names.is_kept_by(holder, subject, self.id, mode);
                    let what = subject.to_string();
                    let waited = self.wait_as((Awaited::Definition, &what), holder, is_held);
                    waited.map_err(|error| self.with_holder(error, holder, |_| what))?;
                }
            }
        }
    }
}
