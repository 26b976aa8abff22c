//! Adaptive group commit: the delay of a sync for further committers.
//!
//! Callers that commit one after the other split into two parties that take turns: while one waits for its sync the
//! other one gathers, so each waits for two syncs. If the callers that a sync has released return soon - their next
//! commit takes less time than a sync - the next sync should wait for them: then all are part of every sync.
//! ```text
//!   two parties     sync A | sync B | sync A | sync B ...        a caller: 2 syncs
//!   company         sync A+B  | sync A+B  | ...                  a caller: 1 sync, and until the last one is back
//! ```
//!
//! As in the ski rental problem, no sync is delayed by more than half of its duration, counted from the end of the last
//! one: callers that come later, and a caller that is alone, are synced at once. If the released callers did not
//! return, syncs are not delayed for a while, longer each time that this happens.
//!
//! Limits: the callers that wait are counted, not those that will come; a caller that ends is waited for once.

use std::time::{Duration, Instant};

/// The longest that is waited for company, whatever a sync takes.
const LONGEST: Duration = Duration::from_millis(1);

/// The greatest number of syncs without a delay after one that did not pay off.
const MOST_SKIPPED: u32 = 64;

/// The delay of the next sync for further committers.
#[derive(Debug, Default)]
pub(super) struct Company {
    /// The duration of a sync, estimated from the last ones.
    sync: Duration,
    /// The number of callers that the last sync released.
    released: u32,
    /// The number of callers that waited for the next sync then.
    left_over: u32,
    /// The time until which the next sync waits for the released callers.
    until: Option<Instant>,
    /// The number of syncs without a delay that remain, and their number the next time.
    skipped: u32,
    penalty: u32,
}

impl Company {
    /// The time until which the next sync is delayed, for so many waiting callers; `None` when it is to begin.
    pub(super) fn deadline(&self, present: u32, now: Instant) -> Option<Instant> {
        self.until.filter(|until| present < self.released + self.left_over && now < *until)
    }

    /// A sync begins for so many.
    pub(super) fn begins(&mut self, present: u32) {
        if self.until.take().is_none() {
            return;
        }
        let returned = present.saturating_sub(self.left_over);
        self.penalty = match returned.saturating_mul(2) >= self.released {
            true => 0,
            false => (self.penalty * 2).clamp(1, MOST_SKIPPED),
        };
        self.skipped = self.penalty;
    }

    /// Notes that a sync has ended at `now` after `took`: the callers that it releases, and those that wait for the
    /// next one.
    pub(super) fn ends(&mut self, now: Instant, took: Duration, released: u32, left_over: u32) {
        self.sync = if self.sync.is_zero() { took } else { (self.sync * 7 + took) / 8 };
        (self.released, self.left_over) = (released, left_over);
        self.until = match self.skipped.checked_sub(1) {
            Some(skipped) => {
                self.skipped = skipped;
                None
            }
            // A single caller has no others to wait for.
            None if released + left_over < 2 => None,
            None => Some(now + (self.sync / 2).min(LONGEST)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNC: Duration = Duration::from_micros(200);

    #[test]
    fn one_caller_never_waits() {
        let mut company = Company::default();
        let now = Instant::now();
        for _ in 0..3 {
            company.begins(1);
            company.ends(now, SYNC, 1, 0);
            assert_eq!(company.deadline(1, now), None);
        }
    }

    #[test]
    fn two_parties_become_one_that_waits_for_its_last_member_and_not_for_ever() {
        let mut company = Company::default();
        let now = Instant::now();
        company.begins(8);
        company.ends(now, SYNC, 8, 8);
        assert_eq!(company.deadline(15, now), Some(now + SYNC / 2));
        assert_eq!(company.deadline(16, now), None, "all are there");
        assert_eq!(company.deadline(9, now + SYNC / 2), None, "it has waited long enough");
        company.begins(16);
        company.ends(now, SYNC, 16, 0);
        assert!(company.deadline(15, now).is_some());
    }

    #[test]
    fn who_does_not_come_back_is_waited_for_less_and_less() {
        let mut company = Company::default();
        let now = Instant::now();
        let mut waited = 0;
        for _ in 0..1_000 {
            company.ends(now, SYNC, 4, 4);
            waited += u32::from(company.deadline(4, now).is_some());
            company.begins(4);
        }
        assert!((7..=25).contains(&waited), "{waited}");
        // Callers that return are detected in time.
        let mut again = 0;
        for _ in 0..200 {
            company.ends(now, SYNC, 4, 4);
            again += u32::from(company.deadline(4, now).is_some());
            company.begins(8);
        }
        assert!(again > 100, "{again}");
    }

    #[test]
    fn slow_disks_are_waited_for_no_longer_than_a_millisecond() {
        let mut company = Company::default();
        let now = Instant::now();
        company.ends(now, Duration::from_millis(50), 2, 2);
        assert_eq!(company.deadline(2, now), Some(now + LONGEST));
    }
}
