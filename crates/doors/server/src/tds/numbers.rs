//! The numbers of sessions, `@@SPID`.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The first number of a session: those below are a server's own.
const FIRST: u16 = 51;

/// The numbers in use.
#[derive(Clone, Default)]
pub(super) struct SessionNumbers {
    used: Arc<Mutex<BTreeSet<u16>>>,
}

/// The number of a session, which is free again when this is dropped.
pub(super) struct SessionNumber {
    pub number: u16,
    numbers: SessionNumbers,
}

impl SessionNumbers {
    fn used(&self) -> MutexGuard<'_, BTreeSet<u16>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lowest number that is free.
    pub fn next(&self) -> SessionNumber {
        let mut used = self.used();
        let number = (FIRST..=u16::MAX).find(|number| !used.contains(number)).unwrap_or(u16::MAX);
        used.insert(number);
        SessionNumber { number, numbers: self.clone() }
    }
}

impl Drop for SessionNumber {
    fn drop(&mut self) {
        self.numbers.used().remove(&self.number);
    }
}
