//! Application locks: `sp_getapplock`, `sp_releaseapplock`, APPLOCK_MODE and APPLOCK_TEST, on names that have a meaning
//! to their users only.
//!
//! A lock is held by a session or by its transaction, as often as it was taken. A request waits until the locks of all
//! other sessions on the name are compatible with it, or for its own time limit. (SQL Server's reference:
//! "sp_getapplock".)
//!
//! Limits: two sessions that wait for each other wait until their time is over; there is no deadlock victim (-3).

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The interval at which a waiting session checks for cancellation.
const NAP: Duration = Duration::from_millis(20);

/// A mode of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    IntentShared,
    Shared,
    Update,
    IntentExclusive,
    Exclusive,
}

impl Mode {
    /// The mode of this name.
    pub(crate) fn of(name: &str) -> Option<Mode> {
        Some(match name.trim().to_ascii_lowercase().as_str() {
            "intentshared" => Mode::IntentShared,
            "shared" => Mode::Shared,
            "update" => Mode::Update,
            "intentexclusive" => Mode::IntentExclusive,
            "exclusive" => Mode::Exclusive,
            _ => return None,
        })
    }

    /// Its name in `APPLOCK_MODE`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Mode::IntentShared => "IntentShared",
            Mode::Shared => "Shared",
            Mode::Update => "Update",
            Mode::IntentExclusive => "IntentExclusive",
            Mode::Exclusive => "Exclusive",
        }
    }

    fn agrees(self, other: Mode) -> bool {
        use Mode::*;
        match (self.min(other), self.max(other)) {
            (_, Exclusive) => false,
            (IntentShared, _) | (Shared, Shared | Update) | (IntentExclusive, IntentExclusive) => true,
            _ => false,
        }
    }
}

#[derive(Debug)]
struct Held {
    session: i16,
    of_transaction: bool,
    mode: Mode,
    count: u32,
}

/// The locks of a database's sessions.
#[derive(Debug, Default)]
pub(crate) struct AppLocks {
    held: Mutex<HashMap<String, Vec<Held>>>,
    freed: Condvar,
}

impl AppLocks {
    fn held(&self) -> MutexGuard<'_, HashMap<String, Vec<Held>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a lock: 0 at once, 1 after waiting, -1 when the time is over, -2 when it is cancelled. Without a time it
    /// waits for ever.
    pub(crate) fn take(
        &self,
        name: &str,
        (session, of_transaction): (i16, bool),
        mode: Mode,
        patience: Option<Duration>,
        stops: &dyn Fn() -> bool,
    ) -> i64 {
        let began = Instant::now();
        let mut all = self.held();
        let mut waited = false;
        loop {
            let locks = all.entry(name.to_owned()).or_default();
            if locks.iter().all(|lock| lock.session == session || lock.mode.agrees(mode)) {
                let own = locks.iter_mut().find(|own| own.session == session && own.of_transaction == of_transaction);
                match own {
                    Some(own) => (own.mode, own.count) = (own.mode.max(mode), own.count + 1),
                    None => locks.push(Held { session, of_transaction, mode, count: 1 }),
                }
                return i64::from(waited);
            }
            if stops() {
                return -2;
            }
            if patience.is_some_and(|patience| began.elapsed() >= patience) {
                return -1;
            }
            waited = true;
            all = self.freed.wait_timeout(all, NAP).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Gives one back that was taken; whether it was held.
    pub(crate) fn give_back(&self, name: &str, (session, of_transaction): (i16, bool)) -> bool {
        let mut all = self.held();
        let Some(locks) = all.get_mut(name) else { return false };
        let own = locks.iter_mut().find(|own| own.session == session && own.of_transaction == of_transaction);
        let Some(own) = own else { return false };
        own.count -= 1;
        locks.retain(|lock| lock.count > 0);
        if locks.is_empty() {
            all.remove(name);
        }
        self.freed.notify_all();
        true
    }

    /// Gives back what a session's transaction holds, or all that the session holds.
    pub(crate) fn end(&self, session: i16, only_transaction: bool) {
        let mut all = self.held();
        if all.is_empty() {
            return;
        }
        for locks in all.values_mut() {
            locks.retain(|lock| lock.session != session || only_transaction && !lock.of_transaction);
        }
        all.retain(|_, locks| !locks.is_empty());
        self.freed.notify_all();
    }

    /// The mode in which an owner holds a name.
    pub(crate) fn mode(&self, name: &str, (session, of_transaction): (i16, bool)) -> Option<Mode> {
        let is_own = |lock: &&Held| lock.session == session && lock.of_transaction == of_transaction;
        self.held().get(name)?.iter().find(is_own).map(|lock| lock.mode)
    }

    /// Returns true if a session would get a lock of a name in this mode at once.
    pub(crate) fn is_free(&self, name: &str, session: i16, mode: Mode) -> bool {
        let held = self.held();
        let agrees = |lock: &Held| lock.session == session || lock.mode.agrees(mode);
        held.get(name).is_none_or(|locks| locks.iter().all(agrees))
    }
}

#[cfg(test)]
mod tests {
    use super::{AppLocks, Mode};
    use std::time::Duration;

    #[test]
    fn modes_agree_as_documented() {
        use Mode::*;
        let all = [IntentShared, Shared, Update, IntentExclusive, Exclusive];
        let table = ["yyyyn", "yyynn", "yynnn", "ynnyn", "nnnnn"];
        for (first, row) in all.iter().zip(table) {
            let agrees: String = all.iter().map(|second| if first.agrees(*second) { 'y' } else { 'n' }).collect();
            assert_eq!(agrees, row, "{first:?}");
        }
    }

    #[test]
    fn locks_are_counted_and_end_with_their_owner() {
        let locks = AppLocks::default();
        let take = |owner, mode| locks.take("a", owner, mode, Some(Duration::ZERO), &|| false);
        assert_eq!((take((1, false), Mode::Shared), take((2, true), Mode::Shared)), (0, 0));
        assert_eq!(take((1, false), Mode::Exclusive), -1);
        locks.end(2, true);
        assert_eq!(take((1, false), Mode::Exclusive), 0);
        assert_eq!(locks.mode("a", (1, false)), Some(Mode::Exclusive));
        assert!(locks.give_back("a", (1, false)) && !locks.give_back("a", (1, true)));
        assert_eq!(take((2, true), Mode::Shared), -1);
        assert!(locks.give_back("a", (1, false)) && !locks.give_back("a", (1, false)));
        assert_eq!(take((2, true), Mode::Shared), 0);
    }
}
