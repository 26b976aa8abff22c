//! The open views, and the commits that they read at.
//!
//! Vacuum may remove versions that no open view can see. So every statement publishes the commit it reads at before it
//! reads, in its own slot; the minimum of all slots is the horizon.
//!
//! ```text
//!   slots   [ 17 | free | 21 | free | ... ]      published: 23      horizon: 17
//! ```
//!
//! Between reading the published number and writing it into the slot, vacuum could compute a horizon that does not know of
//! it; so the slot is written first and the number read again until both agree.
//!
//! Limit: `SLOTS` views at a time; further ones share the last slot through a counted map.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

const SLOTS: usize = 128;
/// The slot is free.
const FREE: u64 = u64::MAX;
/// The slot is in use, but no statement reads now.
const IDLE: u64 = u64::MAX - 1;

/// A slot on a separate cache line.
#[repr(align(64))]
struct Slot(AtomicU64);

/// The commits that are being looked at.
pub(crate) struct Views {
    slots: Box<[Slot]>,
    /// The number of views beyond the slots, by the commit that they read at.
    others: Mutex<BTreeMap<u64, usize>>,
}

/// The right to look at a commit.
#[derive(Debug)]
pub(crate) enum Ticket {
    /// The slot of this number.
    Slot(usize),
    /// One of the others, at this commit.
    Other(Option<u64>),
}

impl Views {
    pub(crate) fn new() -> Views {
        Views { slots: (0..SLOTS).map(|_| Slot(AtomicU64::new(FREE))).collect(), others: Mutex::default() }
    }

    /// A ticket that looks at nothing yet.
    pub(crate) fn ticket(&self) -> Ticket {
        let take = |slot: &Slot| slot.0.compare_exchange(FREE, IDLE, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        self.slots.iter().position(take).map_or(Ticket::Other(None), Ticket::Slot)
    }

    /// Looks at the last published commit from now on: its number.
    #[inline]
    pub(crate) fn look(&self, ticket: &mut Ticket, published: &AtomicU64) -> u64 {
        match ticket {
            Ticket::Slot(number) => {
                let slot = &self.slots[*number].0;
                let mut commit = published.load(Ordering::Acquire);
                loop {
                    slot.store(commit, Ordering::SeqCst);
                    let again = published.load(Ordering::SeqCst);
                    if again == commit {
                        return commit;
                    }
                    commit = again;
                }
            }
            Ticket::Other(seen) => {
                let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
                forget(&mut others, seen.take());
                let commit = published.load(Ordering::SeqCst);
                *others.entry(commit).or_default() += 1;
                *seen = Some(commit);
                commit
            }
        }
    }

    /// Looks at nothing any more, and keeps the ticket.
    #[inline]
    pub(crate) fn look_away(&self, ticket: &mut Ticket) {
        match ticket {
            Ticket::Slot(number) => self.slots[*number].0.store(IDLE, Ordering::Release),
            Ticket::Other(seen) => {
                forget(&mut self.others.lock().unwrap_or_else(PoisonError::into_inner), seen.take());
            }
        }
    }

    /// Gives the ticket back.
    pub(crate) fn give_back(&self, mut ticket: Ticket) {
        self.look_away(&mut ticket);
        if let Ticket::Slot(number) = ticket {
            self.slots[number].0.store(FREE, Ordering::Release);
        }
    }

    /// The least commit that a view reads at; without views, the last published one.
    pub(crate) fn horizon(&self, published: &AtomicU64) -> u64 {
        // Locked until the slots are read, so that a view cannot move from the slots to the others unseen.
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let now = published.load(Ordering::SeqCst);
        let least = self.slots.iter().map(|slot| slot.0.load(Ordering::SeqCst)).min().unwrap_or(FREE);
        let other = others.keys().next().copied().unwrap_or(FREE);
        now.min(least).min(other)
    }
}

fn forget(others: &mut BTreeMap<u64, usize>, commit: Option<u64>) {
    let Some(commit) = commit else { return };
    if let Some(count) = others.get_mut(&commit) {
        *count -= 1;
        if *count == 0 {
            others.remove(&commit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vacuum goes by the horizon, so no view may find that it was passed while the view registered. The test explores
    /// every interleaving: docs/durability.md names the explorers under which it runs.
    #[test]
    fn no_horizon_passes_a_view_that_is_looked_at() {
        let (views, published, cleaned) = (Views::new(), AtomicU64::new(1), AtomicU64::new(0));
        let looking = AtomicU64::new(2);
        let rounds = if cfg!(miri) { 12 } else { 1_000_000 };
        let somebody_looks = || looking.load(Ordering::Relaxed) > 0;
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut ticket = views.ticket();
                    let mut worst = 0;
                    for _ in 0..rounds {
                        let commit = views.look(&mut ticket, &published);
                        worst = cleaned.load(Ordering::SeqCst).saturating_sub(commit).max(worst);
                        views.look_away(&mut ticket);
                    }
                    views.give_back(ticket);
                    looking.fetch_sub(1, Ordering::Relaxed);
                    assert_eq!(worst, 0, "so many commits after a view were cleaned up under it");
                });
            }
            scope.spawn(|| {
                while somebody_looks() {
                    let commit = published.fetch_add(1, Ordering::SeqCst);
                    cleaned.fetch_max(views.horizon(&published), Ordering::SeqCst);
                    assert!(commit < u64::MAX / 2);
                }
            });
        });
    }

    #[test]
    fn the_horizon_is_the_oldest_view() {
        let (views, published) = (Views::new(), AtomicU64::new(5));
        let mut tickets: Vec<Ticket> = (0..SLOTS + 3).map(|_| views.ticket()).collect();
        assert_eq!(views.horizon(&published), 5);
        for ticket in &mut tickets {
            assert_eq!(views.look(ticket, &published), published.load(Ordering::Relaxed));
            published.fetch_add(1, Ordering::Relaxed);
        }
        assert_eq!(views.horizon(&published), 5);
        for ticket in tickets.drain(..SLOTS + 2) {
            views.give_back(ticket);
        }
        assert_eq!(views.horizon(&published), 5 + SLOTS as u64 + 2);
        tickets.into_iter().for_each(|ticket| views.give_back(ticket));
        assert_eq!(views.horizon(&published), published.load(Ordering::Relaxed));
    }
}
