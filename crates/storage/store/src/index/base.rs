//! The lower layer of an index: the runs that a checkpoint has written of it.
//!
//! ```text
//!   tree in memory     what has changed since          a key that is here hides the same key below
//!   runs, newest first what the last checkpoint had    a key of a newer run hides that of an older one
//! ```
//!
//! **Entries are never removed from a run.** An entry may lead to a dead version, or to a dropped group:
//! positions are never reused, every reader of an index checks the version that it finds, and a writer takes over the
//! entry of a dead version. So nothing is written when a version dies. Entries of dead versions are dropped when runs
//! are merged, and so are those of versions that only older views see: a checkpoint puts these into the tree before its
//! runs take their place.
//!
//! **Memory.** A point read of a run takes about twice as long as one of the tree. A base that is small enough and is
//! read
//! often enough is loaded into the tree ([`Base::is_hot`]); the files stay as they are.
//!
//! **Damage.** A damaged block of a run is no loss, as the whole index follows from the rows: its
//! entries are rebuilt from them ([`BaseRows`]), in memory, and the next checkpoint writes them to another file. The
//! table is damaged only if the rows cannot be read either.

use super::cursor::Direction;
use super::run::{Place, Run};
use mainstay_types::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The rows of which an index's runs are made.
pub(crate) trait BaseRows: Send + Sync {
    /// Visits the key and the position of every version that is or may be in the runs, by ascending positions.
    ///
    /// # Errors
    /// Why the rows could not be read.
    fn each(&self, visit: &mut dyn FnMut(&[u8], u64)) -> Result<()>;

    /// Takes note that runs could not be read, and that the index was made from the rows instead of them.
    fn note_damage(&self, runs: &[u64], reason: &Error);
}

/// The runs of an index.
pub(crate) struct Base {
    /// The newest first.
    runs: Vec<Arc<Run>>,
    rows: Arc<dyn BaseRows>,
    /// The greatest key of all.
    greatest: OnceLock<Vec<u8>>,
    /// Neither runs nor rows can be read.
    is_lost: AtomicBool,
    /// The number of lookups, and the number from which the base counts as hot.
    reads: AtomicU64,
    often: u64,
    /// No checkpoint has written the runs.
    is_provisional: bool,
}

impl Base {
    /// The base of these runs, the newest first. An index that is asked so often is brought into memory.
    pub(crate) fn new(runs: Vec<Arc<Run>>, rows: Arc<dyn BaseRows>, often: u64) -> Base {
        let (is_lost, reads) = (AtomicBool::new(false), AtomicU64::new(0));
        Base { runs, rows, greatest: OnceLock::new(), is_lost, reads, often, is_provisional: false }
    }

    /// The same of runs that no checkpoint has written, to be replaced by the next one.
    pub(crate) fn provisional(runs: Vec<Arc<Run>>, rows: Arc<dyn BaseRows>) -> Base {
        Base { is_provisional: true, ..Base::new(runs, rows, u64::MAX) }
    }

    /// True until a checkpoint has written runs of its own.
    pub(super) fn is_provisional(&self) -> bool {
        self.is_provisional
    }

    /// True when the base has been read often enough to be worth loading into the tree.
    #[inline]
    pub(super) fn is_hot(&self) -> bool {
        self.reads.load(Ordering::Relaxed) >= self.often
    }

    /// All entries, ascending.
    ///
    /// # Errors
    /// As [`Base::get`].
    pub(super) fn all(&self) -> Result<Walk> {
        Walk::of(self.readable())
    }

    /// The rows that it is made of.
    pub(super) fn rows(&self) -> &Arc<dyn BaseRows> {
        &self.rows
    }

    /// The numbers of its files.
    pub(super) fn numbers(&self) -> Vec<u64> {
        self.runs.iter().map(|run| run.number()).collect()
    }

    /// Marks the base as lost: it is not read again. The table is damaged by then.
    pub(super) fn lose(&self) {
        self.is_lost.store(true, Ordering::Release);
    }

    fn readable(&self) -> &[Arc<Run>] {
        if self.is_lost.load(Ordering::Acquire) { &[] } else { &self.runs }
    }

    /// Entries, those that are hidden or lead nowhere included.
    pub(super) fn entries(&self) -> usize {
        self.readable().iter().map(|run| run.entries().unwrap_or(0) as usize).sum()
    }

    /// The position of a key.
    ///
    /// # Errors
    /// `Damaged`, and those of the file system.
    #[inline]
    pub(super) fn get(&self, key: &[u8]) -> Result<Option<u64>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        for run in self.readable() {
            if let Some(position) = run.get(key)? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// The same for a key that is about to be put in, which mostly is greater than all that are there.
    ///
    /// # Errors
    /// As [`Base::get`].
    pub(super) fn get_for_insert(&self, key: &[u8]) -> Result<Option<u64>> {
        let greatest = match self.greatest.get() {
            Some(greatest) => greatest,
            None => {
                let greatest = self.greatest()?;
                self.greatest.get_or_init(|| greatest)
            }
        };
        if key > greatest.as_slice() { Ok(None) } else { self.get(key) }
    }

    fn greatest(&self) -> Result<Vec<u8>> {
        let (mut greatest, mut key) = (Vec::new(), Vec::new());
        for run in self.readable() {
            if run.previous(&mut run.end()?, &mut key)?.is_some() && key > greatest {
                std::mem::swap(&mut greatest, &mut key);
            }
        }
        Ok(greatest)
    }

    /// Its entries from `low` up to, not including, `high`, in a direction.
    ///
    /// # Errors
    /// As [`Base::get`].
    pub(super) fn walk(&self, low: &[u8], high: Option<&[u8]>, direction: Direction) -> Result<Walk> {
        let bound = match direction {
            Direction::Ascending => high.map(<[u8]>::to_vec),
            Direction::Descending => Some(low.to_vec()),
        };
        let mut walk = Walk { direction, bound, legs: Vec::new() };
        for run in self.readable() {
            let place = match (direction, high) {
                (Direction::Ascending, _) => run.seek(low)?,
                (Direction::Descending, Some(high)) => run.seek(high)?,
                (Direction::Descending, None) => run.end()?,
            };
            walk.legs.push(Leg::at(run, place));
        }
        (0..walk.legs.len()).try_for_each(|leg| walk.step(leg))?;
        Ok(walk)
    }
}

/// The entries of several runs in one order.
pub(crate) struct Walk {
    direction: Direction,
    /// The end of the range: not included when ascending, included when descending.
    bound: Option<Vec<u8>>,
    /// The newest run first.
    legs: Vec<Leg>,
}

struct Leg {
    run: Arc<Run>,
    place: Place,
    key: Vec<u8>,
    /// The position of the entry that comes next; `None` at the end.
    position: Option<u64>,
    /// The pages before it were given back.
    released: Place,
}

impl Leg {
    fn at(run: &Arc<Run>, place: Place) -> Leg {
        Leg { run: Arc::clone(run), place, key: Vec::new(), position: None, released: place }
    }
}

impl Walk {
    /// All entries of these runs, the newest first, ascending.
    ///
    /// # Errors
    /// As [`Base::get`].
    pub(crate) fn of(runs: &[Arc<Run>]) -> Result<Walk> {
        let legs = runs.iter().map(|run| Leg::at(run, run.start())).collect();
        let mut walk = Walk { direction: Direction::Ascending, bound: None, legs };
        (0..walk.legs.len()).try_for_each(|leg| walk.step(leg))?;
        Ok(walk)
    }

    fn step(&mut self, leg: usize) -> Result<()> {
        let Leg { run, place, key, position, .. } = &mut self.legs[leg];
        *position = match self.direction {
            Direction::Ascending => run.next(place, key)?,
            Direction::Descending => run.previous(place, key)?,
        };
        let is_outside = self.bound.as_ref().is_some_and(|bound| match self.direction {
            Direction::Ascending => *key >= *bound,
            Direction::Descending => *key < *bound,
        });
        if is_outside {
            *position = None;
        }
        Ok(())
    }

    /// The leg with the entry that comes next, the newest of those with its key.
    fn first(&self) -> Option<usize> {
        let mut first: Option<usize> = None;
        for (at, leg) in self.legs.iter().enumerate().filter(|(_, leg)| leg.position.is_some()) {
            let comes_first = first.is_none_or(|other| match self.direction {
                Direction::Ascending => leg.key < self.legs[other].key,
                Direction::Descending => leg.key > self.legs[other].key,
            });
            if comes_first {
                first = Some(at);
            }
        }
        first
    }

    /// The key and position of the entry that comes next.
    pub(crate) fn peek(&self) -> Option<(&[u8], u64)> {
        let leg = &self.legs[self.first()?];
        Some((&leg.key, leg.position?))
    }

    /// Gives back the memory of the pages that an ascending walk has passed.
    pub(crate) fn release_passed(&mut self) {
        for leg in &mut self.legs {
            leg.run.release(leg.released, leg.place);
            leg.released = leg.place;
        }
    }

    /// Goes on behind the entry that comes next, and those of older runs that it hides.
    ///
    /// # Errors
    /// As [`Base::get`].
    pub(crate) fn advance(&mut self) -> Result<()> {
        let Some(first) = self.first() else { return Ok(()) };
        for leg in (first + 1..self.legs.len()).rev() {
            if self.legs[leg].position.is_some() && self.legs[leg].key == self.legs[first].key {
                self.step(leg)?;
            }
        }
        self.step(first)
    }
}
