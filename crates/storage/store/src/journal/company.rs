//! True if it pays to wait for company before a sync.
//!
//! Callers that commit one behind the other fall into two parties that take turns: while one waits for its sync the other
//! one gathers, so each waits for two syncs. When those whom a sync has released come back soon - their next commit takes
//! less time than a sync - the sync that follows had better wait for them: then all ride with every sync.
//!
//! ```text
//!   two parties     sync A | sync B | sync A | sync B ...        a caller: 2 syncs
//!   company         sync A+B  | sync A+B  | ...                  a caller: 1 sync, and until the last one is back
//! ```
//!
//! As in renting skis or buying them, nobody waits longer than half of what a sync takes, counted from the end of the last
//! one: what comes later than that, and a caller that is alone, is synced at once. Where they did not come back, nobody
//! waits for a while, longer each time that this happens again.
//!
//! Limits: who waits is counted, and not who will come; a caller that ends is waited for once.

use std::time::{Duration, Instant};

/// The longest that is waited for company, whatever a sync takes.
const LONGEST: Duration = Duration::from_millis(1);

/// The most syncs that nobody waits for after it did not pay.
const MOST_SKIPPED: u32 = 64;

/// Who shares syncs.
#[derive(Debug, Default)]
pub(super) struct Company {
    /// What a sync takes, as the last ones did.
    sync: Duration,
    /// How many the last sync released.
    released: u32,
    /// How many waited then for the next one.
    left_over: u32,
    /// Until when the next sync waits for those who were released.
    until: Option<Instant>,
    /// How many syncs nobody waits for, and how many it will be the next time.
    skipped: u32,
    penalty: u32,
}

impl Company {
    /// Until when the next sync is to wait, when so many are there, at this moment; `None` when it is to begin.
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

    /// A sync has ended at this moment that took so long: how many it releases, and how many wait for the next one.
    pub(super) fn ends(&mut self, now: Instant, took: Duration, released: u32, left_over: u32) {
        self.sync = if self.sync.is_zero() { took } else { (self.sync * 7 + took) / 8 };
        (self.released, self.left_over) = (released, left_over);
        self.until = match self.skipped.checked_sub(1) {
            Some(skipped) => {
                self.skipped = skipped;
                None
            }
            // One who is alone has nobody to wait for.
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
        // Those who come back again are found out in time.
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
