//! Change detection of files by their stamps; the crate's text describes when they are checked.
//!
//! A young stamp proves nothing: a write right after it may leave the same one ([`Stamp::is_settled`]). So while the
//! stamp is young, cached data counts as out of date at every check, which costs a block or a few pages.

use mainstay_types::Result;
use mainstay_vfs::{File, Stamp};
use std::time::{Duration, Instant, SystemTime};

/// The greatest age of a look at the files when the area skips.
pub const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(5);

/// The known state of a file that other programs may write to.
#[derive(Debug)]
pub(crate) struct Freshness {
    stamp: Stamp,
    settled: bool,
    looked: Instant,
    /// Nobody else writes to the file.
    alone: bool,
    /// So many times it is not asked how late it is: asking costs a third of a skip.
    unasked: u32,
    /// When the area itself has written to the file last, if it was seen by no look since.
    written: Option<Instant>,
}

/// The result of a look at the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The file is as it was.
    Same,
    /// It may be another, and is so long.
    Changed(u64),
    /// The area itself has written to it a moment ago.
    Written,
}

/// In a quick run of skips the clock is read at every so many.
const SKIPS_UNASKED: u32 = 16;

impl Freshness {
    /// The state from a new look: later reads are at least as new.
    pub(crate) fn new(file: &dyn File, alone: bool) -> Result<Freshness> {
        let now = SystemTime::now();
        let stamp = file.stamp()?;
        Ok(Freshness {
            stamp,
            settled: stamp.is_settled(now),
            looked: Instant::now(),
            alone,
            unasked: 0,
            written: None,
        })
    }

    /// Looks, and says whether what was read before may be out of date.
    ///
    /// A stamp that is younger than our own last write is too young to tell anything, and is not asked for: on Linux the write
    /// after such a question takes twice as long, because it has to leave another time behind.
    pub(crate) fn look(&mut self, file: &dyn File) -> Result<Seen> {
        if self.alone {
            return Ok(Seen::Same);
        }
        (self.looked, self.unasked) = (Instant::now(), 0);
        if self.written.is_some_and(|written| self.looked.duration_since(written) < self.stamp.tick) {
            self.settled = false;
            return Ok(Seen::Written);
        }
        self.written = None;
        if self.settled && file.stamp()? == self.stamp {
            return Ok(Seen::Same);
        }
        // The time before the stamp: a write between the two is then too young, and not missed.
        let now = SystemTime::now();
        self.stamp = file.stamp()?;
        self.settled = self.stamp.is_settled(now);
        Ok(Seen::Changed(self.stamp.len))
    }

    /// The area itself has written to the file.
    pub(crate) fn note_write(&mut self) {
        self.written = Some(Instant::now());
    }

    /// The stamp that what was read is of, if every later write is certain to give the file another one.
    pub(crate) fn settled_stamp(&self) -> Option<Stamp> {
        self.settled.then_some(self.stamp)
    }

    /// Returns true if the last look is too old.
    #[inline]
    pub(crate) fn is_due(&mut self) -> bool {
        if self.alone {
            return false;
        }
        if let Some(left) = self.unasked.checked_sub(1) {
            self.unasked = left;
            return false;
        }
        self.unasked = SKIPS_UNASKED;
        self.looked.elapsed() > LOOK_AGAIN_AFTER
    }
}
