//! State of a writer's file, for readers that use the file by other means, and for the writer itself.
//!
//! **Own writes.** Each write changes the file's stamp. Reading the stamp after each write costs more than the call
//! itself: Linux then gives the next write a separate time, which has to be written to the inode. So where a counter
//! reports all writes of others (in an NTX: [`BagWriter::begin`]), the time of the last write is noted, and a stamp
//! found later belongs to the own write if its times are not later:
//!
//! ```text
//!   own write   -- noted here: W          stamp: a time up to W
//!   another's   -- after W                stamp: a time after W, or within the tick of the clock in which W is: the same
//! ```
//! Within that tick (1 to 10 ms) the stamp proves nothing, so it is not read at once. The counter reveals another
//! program's write in it; once a program is seen not to raise the counter, the exact stamp is used from then on. FoxPro
//! writes CDX files too, and does not raise the counter in a file that Harbour has made: there the stamp is read after
//! each write, and since Linux 6.13 two writes have different stamps, however close they are.
//!
//! Limits: only times of this machine's clock are compared with it; if it was set back in between, the stamp counts as
//! another program's.

use super::bag::{BagWriter, HEAD_LEN};
use mainstay_vfs::Stamp;
use std::time::{Duration, Instant, SystemTime};

/// So long after an own write the stamp is not asked for: the shortest tick of a clock that files have their times of.
const TOO_YOUNG: Duration = Duration::from_millis(1);

/// Files with longer ticks have their times of another clock, or cut.
const LONGEST_LOCAL_TICK: Duration = Duration::from_millis(100);

/// By more than that two clocks do not differ over the time between two writes, unless one was set back.
const CLOCKS_AGREE: Duration = Duration::from_millis(10);

/// In which state of the file a writer last read or wrote it. Two states with the same number of reloads differ by the
/// writer's own changes only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BagState {
    /// The file's first bytes, its update counter among them.
    pub head: [u8; HEAD_LEN],
    /// The known stamps of the file.
    pub known: KnownStamp,
    /// The number of times that the file was read again because other programs wrote.
    pub reloads: u64,
}

impl BagWriter {
    /// The state in which the file was last read or written.
    pub fn state(&self) -> BagState {
        BagState { head: self.head, known: self.known, reloads: self.reloads }
    }
}

/// The stamp of a state of the file: as it was asked for, or before own writes up to a time. See the module's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownStamp {
    stamp: Stamp,
    written: Option<Moment>,
}

/// A time by the clock that files have, and by one that is never set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    wall: SystemTime,
    steady: Instant,
}

impl KnownStamp {
    /// The stamp as it was asked for.
    pub fn of(stamp: Stamp) -> KnownStamp {
        KnownStamp { stamp, written: None }
    }

    /// The stamp that was asked for last.
    pub fn asked(&self) -> Stamp {
        self.stamp
    }

    /// Notes an own write, which is done. False where its time cannot be told from others': then it is to be asked for.
    pub(super) fn wrote(&mut self) -> bool {
        if self.stamp.tick.is_zero() || self.stamp.tick > LONGEST_LOCAL_TICK {
            return false;
        }
        self.written = Some(Moment::now());
        true
    }

    /// Returns true if this stamp, found now, is that of the state.
    pub fn is(&self, found: Stamp) -> bool {
        let Some(written) = self.written else { return found == self.stamp };
        let newest = found.modified.max(found.changed);
        found.identity == self.stamp.identity && newest <= written.wall && !written.was_set_back()
    }

    /// Returns true if two are of one state, if the file's first bytes are the same in both.
    pub fn is_as(&self, other: &KnownStamp) -> bool {
        self == other || self.is(other.stamp) || other.is(self.stamp)
    }

    /// Returns true if the last own write is so recent that the stamp would prove nothing.
    pub(super) fn is_too_young_to_ask(&self) -> bool {
        self.written.is_some_and(|written| written.steady.elapsed() < TOO_YOUNG)
    }
}

impl Moment {
    /// The clocks are read in the order in which a pause between the two does not look as if one had been set back.
    fn now() -> Moment {
        let wall = SystemTime::now();
        Moment { wall, steady: Instant::now() }
    }

    /// Returns true if the clock that files have their times of was set back since.
    fn was_set_back(&self) -> bool {
        let run = self.steady.elapsed();
        SystemTime::now() + CLOCKS_AGREE < self.wall + run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(at: SystemTime, tick: Duration) -> Stamp {
        Stamp { len: 512, modified: at, changed: at, identity: 7, tick }
    }

    #[test]
    fn an_own_write_is_told_by_its_time() {
        let (ms, tick) = (Duration::from_millis(1), Duration::from_millis(50));
        let before = stamp(SystemTime::now() - 20 * ms, tick);
        let mut known = KnownStamp::of(before);
        assert!(known.is(before) && !known.is(stamp(SystemTime::now(), tick)));
        let own = SystemTime::now();
        // The test may be kept from running for longer than that.
        assert!((0..1_000).any(|_| known.wrote() && known.is_too_young_to_ask()));
        assert!(known.is(stamp(own, tick)), "the time that the own write has left");
        std::thread::sleep(3 * ms);
        let later = stamp(SystemTime::now(), tick);
        assert!(!known.is_too_young_to_ask() && known.is(stamp(own, tick)));
        assert!(!known.is(later), "another has written since");
        assert!(!known.is(Stamp { modified: own, ..later }), "somebody has put the time of before back");
        assert!(!known.is(Stamp { identity: 8, ..stamp(own, tick) }), "another file");
        assert!(known.is_as(&known) && known.is_as(&KnownStamp::of(stamp(own, tick))));
        assert!(KnownStamp::of(stamp(own, tick)).is_as(&known) && !known.is_as(&KnownStamp::of(later)));
    }

    #[test]
    fn times_of_other_clocks_are_not_compared_with_this_one() {
        for tick in [Duration::ZERO, Duration::from_secs(2)] {
            let before = stamp(SystemTime::now(), tick);
            let mut known = KnownStamp::of(before);
            assert!(!known.wrote());
            assert_eq!(known, KnownStamp::of(before));
        }
        let mut known = KnownStamp::of(stamp(SystemTime::now(), Duration::from_millis(50)));
        assert!(known.wrote());
        let own = known.asked();
        let set_back = |by: Duration| {
            let written = known.written.map(|written| Moment { wall: written.wall + by, ..written });
            KnownStamp { written, ..known }
        };
        assert!(set_back(Duration::from_millis(2)).is(own));
        assert!(!set_back(Duration::from_millis(200)).is(own), "the clock was set back since");
    }
}
