//! The clock of the system, in UTC.

use crate::host::Clock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const DAY_MILLISECONDS: i64 = 86_400_000;

/// The system's clocks since the start of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// Clocks that start now.
    pub(crate) fn start() -> SystemClock {
        SystemClock { started: Instant::now() }
    }

    /// The date and time.
    pub(crate) fn now(self) -> Clock {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let milliseconds = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        Clock {
            days: milliseconds.div_euclid(DAY_MILLISECONDS),
            milliseconds: milliseconds.rem_euclid(DAY_MILLISECONDS),
        }
    }

    /// The time since the start.
    pub(crate) fn elapsed(self) -> Duration {
        self.started.elapsed()
    }
}
