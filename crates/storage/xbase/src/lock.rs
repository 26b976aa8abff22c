//! The locks of programs on shared tables: their bytes, and the wait for them.
//!
//! There is no lock manager in xBase. A program locks bytes that by convention represent a record, the whole file or
//! the header, mostly far beyond the end of the file. Programs exclude each other only if they take the same bytes, so
//! a table has to be opened with the scheme of the programs that share it: the usual one for its kind of file, unless
//! the settings of its folder name another ([`LockSettings`]).
//!
//! ```text
//!   scheme        base               header     the file                  record r
//!   Clipper       1,000,000,000      base, 1    base + 1, 1,000,000,000   base + r, 1
//!   Clipper 5.3   1,000,000,000      base, 1    base + 1, 1,000,000,000   base + r, 1
//!   extended      4,000,000,000      base, 1    base + 1, 294,967,295     base + r, 1
//!   FoxPro        0x4000_0000        base, 1    base + 1, 0x3FFF_FFFD     base + offset of the record, 1
//!   FoxPro, CDX   0x7FFF_FFFE        base, 1    base - 0x07FF_FFFF, ..    base - r, 1
//!   Harbour 64    0x7F00 << 48       base, 1    base + 1, 0xFFFF_FFFE     base + r, 1
//! ```
//!
//! Indexes are locked too, on bytes of their own files: one byte, or a pool of bytes after it. A writer locks all of
//! them; a reader locks any one byte of the pool, so that readers do not conflict, or the one byte shared.
//!
//! ```text
//!   scheme                 byte                      pool behind it
//!   Clipper, extended      1,000,000,000             -
//!   Clipper 5.3, Harb. 32  0xFFFE_FFFF               65,536
//!   FoxPro                 0x7FFF_FFFE               -
//!   Harbour 64             0x7FFF_FFFF << 32 | 1     65,536
//! ```
//! (Harbour `include/hbrdddbf.h` and `hb_dbfRawLock`; FoxPro's is also that of CA-Clipper's and Six's CDX drivers.
//! The Advantage server's compatibility locking takes FoxPro's for tables with CDX and Clipper's for those with NTX.)
//!
//! Programs of different schemes do not exclude each other. Mainstay's own users must: one that opens a table of dBASE
//! as ADS_CDX locks as FoxPro does, and SQL as Clipper does. So a user of another scheme than the usual one of a table
//! takes the usual locks first and then those of the requested scheme, for records, table, header and indexes
//! ([`LockPlan`]): any two users conflict at the usual locks. A user of the usual scheme, the common case, locks
//! nothing twice; the second lock costs two microseconds.
//!
//! Limits: Clipper's bytes and FoxPro's for tables without a structural index overlap from record 73,741,824 on. There
//! an unlocked record may appear to be locked, if one program has requested the other's scheme.
//!
//! An append locks the header, counts the records, and locks the new record, which fails while another program holds
//! the file. A change locks its record. The memo file has a lock of its own: its first byte.
//!
//! The locks are those of the operating system, see `mainstay_vfs`. Waiting is polling every few milliseconds, up to a
//! limit, as in the other programs; a lock that is not released is reported with its holder.

mod held;
mod index;
mod settings;
mod sharing;
mod table;

pub use held::HeldRecords;
pub(crate) use index::IndexLock;
pub use index::ReadingLock;
pub use settings::{LockSettings, SETTINGS_FILE};
pub use sharing::{LockSharing, Paused, Sharer, Sharing};
pub(crate) use table::TableLocks;

use crate::adt::RecordLayout;
use crate::dbf::Header;
use mainstay_types::{Cause, Code, Error, Result, interrupt};
use mainstay_vfs::{ByteRange, LockHolder, LockMode, WritableFile};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// The layout of locked bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockScheme {
    /// Clipper with NTX indexes; Harbour `DB_DBFLOCK_CLIPPER`.
    Clipper,
    /// Clipper 5.3 with CDX indexes (COMIX); Harbour `DB_DBFLOCK_COMIX`. The table's locks are Clipper's; those
    /// of its indexes differ.
    ClipperComix,
    /// Clipper with `NTXLOCK2.OBJ`, for tables over 1 GB; Harbour `DB_DBFLOCK_CLIPPER2`.
    ClipperExtended,
    /// Harbour `DB_DBFLOCK_HB32`, also called CL53EXT: the table's locks are Clipper's extended ones, those of its
    /// indexes COMIX's.
    Harbour32,
    /// FoxPro and Visual FoxPro, and what follows them: Clipper 5.2 with CDX, Six, Advantage with CDX; Harbour
    /// `DB_DBFLOCK_VFP`, the default with CDX. Tables with a structural index are locked in another way than those
    /// without.
    FoxPro,
    /// Harbour `DB_DBFLOCK_HB64`, for files of any size.
    Harbour64,
}

impl LockScheme {
    /// The default scheme of programs: FoxPro's for its own tables, for those with an FPT memo
    /// or (as the caller knows) a CDX beside them, else Clipper's. (The header's mark of a structural index does not
    /// tell a CDX from dBASE's MDX.)
    pub fn default_for(header: &Header, has_cdx: bool) -> LockScheme {
        match header.version {
            0x30..=0x32 | 0xF5 | 0xFB => LockScheme::FoxPro,
            // Those of Advantage's programs are in no public source: these bytes keep Mainstay's from each other.
            _ if header.layout == RecordLayout::Adt => LockScheme::Harbour64,
            _ if has_cdx => LockScheme::FoxPro,
            _ => LockScheme::Clipper,
        }
    }

    /// The scheme of this name: `clipper`, `comix` (or `cl53`), `extended` (or `clipper2`),
    /// `harbour32` (or `hb32`, `cl53ext`), `foxpro` (or `vfp`, `ads`), `harbour64` (or `hb64`).
    pub fn by_name(name: &str) -> Option<LockScheme> {
        Some(match name.to_ascii_lowercase().as_str() {
            "clipper" | "ntx" => LockScheme::Clipper,
            "comix" | "cl53" => LockScheme::ClipperComix,
            "extended" | "clipper2" => LockScheme::ClipperExtended,
            "harbour32" | "hb32" | "cl53ext" => LockScheme::Harbour32,
            "foxpro" | "vfp" | "ads" | "cdx" => LockScheme::FoxPro,
            "harbour64" | "hb64" => LockScheme::Harbour64,
            _ => return None,
        })
    }
}

/// The bytes that one table's locks are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockBytes {
    scheme: LockScheme,
    /// FoxPro's second way, for tables with a structural index.
    backwards: bool,
    header_length: u64,
    record_length: u64,
}

impl LockBytes {
    /// Those of a table with this header.
    pub fn new(scheme: LockScheme, header: &Header) -> LockBytes {
        LockBytes {
            scheme,
            backwards: scheme == LockScheme::FoxPro && header.has_structural_index,
            header_length: header.header_length.into(),
            record_length: header.record_length.into(),
        }
    }

    /// The scheme that they are of.
    pub fn scheme(self) -> LockScheme {
        self.scheme
    }

    fn base(self) -> u64 {
        match self.scheme {
            LockScheme::Clipper | LockScheme::ClipperComix => 1_000_000_000,
            LockScheme::ClipperExtended | LockScheme::Harbour32 => 4_000_000_000,
            LockScheme::FoxPro if self.backwards => 0x7FFF_FFFE,
            LockScheme::FoxPro => 0x4000_0000,
            LockScheme::Harbour64 => 0x7F00_0000_0000_0000,
        }
    }

    /// The header: held while records are appended and counted.
    pub fn header(self) -> ByteRange {
        ByteRange { start: self.base(), length: 1 }
    }

    /// All records.
    pub fn table(self) -> ByteRange {
        let (start, length) = match self.scheme {
            LockScheme::Clipper | LockScheme::ClipperComix => (self.base() + 1, 1_000_000_000),
            LockScheme::ClipperExtended | LockScheme::Harbour32 => (self.base() + 1, 294_967_295),
            LockScheme::FoxPro if self.backwards => (self.base() - 0x07FF_FFFF, 0x07FF_FFFF),
            LockScheme::FoxPro => (self.base() + 1, 0x3FFF_FFFD),
            LockScheme::Harbour64 => (self.base() + 1, 0xFFFF_FFFE),
        };
        ByteRange { start, length }
    }

    /// These records, which count from 1. Of FoxPro's forward locks it is one range from the first record's byte to
    /// the last one's.
    pub fn records(self, records: &RangeInclusive<u64>) -> ByteRange {
        let (first, last) = (*records.start(), (*records.end()).max(*records.start()));
        let (first, last) = match self.scheme {
            LockScheme::FoxPro if self.backwards => {
                (self.base().saturating_sub(last), self.base().saturating_sub(first))
            }
            LockScheme::FoxPro => (self.base() + self.offset(first), self.base() + self.offset(last)),
            _ => (self.base() + first, self.base() + last),
        };
        ByteRange { start: first, length: last - first + 1 }
    }

    /// The index files of the table: all of it for writing. (Harbour `hb_dbfLockIdxGetData`.)
    pub fn index(self) -> ByteRange {
        let (start, pool) = match self.scheme {
            LockScheme::Clipper | LockScheme::ClipperExtended => (1_000_000_000, 0),
            LockScheme::ClipperComix | LockScheme::Harbour32 => (0xFFFE_FFFF, 0x1_0000),
            LockScheme::FoxPro => (0x7FFF_FFFE, 0),
            LockScheme::Harbour64 => (0x7FFF_FFFF_0000_0001, 0x1_0000),
        };
        ByteRange { start, length: pool + 1 }
    }

    fn offset(self, record: u64) -> u64 {
        record.saturating_sub(1).saturating_mul(self.record_length).saturating_add(self.header_length)
    }
}

/// The locks of a table as everybody here takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockPlan {
    asked: LockBytes,
    /// Those that are usual for the table, if other ones were asked for.
    usual: Option<LockBytes>,
}

/// The bytes of one lock, in the order in which they are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockRanges {
    first: ByteRange,
    second: Option<ByteRange>,
}

impl LockPlan {
    /// Those of a table with this header, and a CDX of its name beside it or not, in a scheme or in the usual one.
    pub fn new(asked: Option<LockScheme>, header: &Header, has_cdx: bool) -> LockPlan {
        let usual = LockScheme::default_for(header, has_cdx);
        let of = |scheme| LockBytes::new(scheme, header);
        match asked.filter(|asked| *asked != usual) {
            Some(asked) => LockPlan { asked: of(asked), usual: Some(of(usual)) },
            None => LockPlan { asked: of(usual), usual: None },
        }
    }

    /// The bytes of the scheme that was asked for.
    pub fn asked(self) -> LockBytes {
        self.asked
    }

    fn ranges(self, of: impl Fn(LockBytes) -> ByteRange) -> LockRanges {
        let asked = of(self.asked);
        match self.usual.map(of).filter(|usual| *usual != asked) {
            Some(usual) => LockRanges { first: usual, second: Some(asked) },
            None => LockRanges { first: asked, second: None },
        }
    }

    /// The header.
    pub fn header(self) -> LockRanges {
        self.ranges(LockBytes::header)
    }

    /// All records.
    pub fn table(self) -> LockRanges {
        self.ranges(LockBytes::table)
    }

    /// These records.
    pub fn records(self, records: &RangeInclusive<u64>) -> LockRanges {
        self.ranges(|bytes| bytes.records(records))
    }

    /// The index files, for writing.
    pub fn index(self) -> LockRanges {
        self.ranges(LockBytes::index)
    }
}

impl LockRanges {
    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = ByteRange> {
        std::iter::once(self.first).chain(self.second)
    }

    /// The holder of a lock that conflicts with them.
    pub(crate) fn holder(self, file: &dyn WritableFile, mode: LockMode) -> Result<Option<LockHolder>> {
        match (file.range_holder(self.first, mode)?, self.second) {
            (None, Some(second)) => file.range_holder(second, mode),
            (holder, _) => Ok(holder),
        }
    }

    /// Gives them back.
    pub(crate) fn release(self, file: &dyn WritableFile) -> Result<()> {
        release_all(self.iter(), |range| file.unlock_range(range))
    }
}

/// Gives back each of these; the first error of the system is told when all were tried.
fn release_all(ranges: impl Iterator<Item = ByteRange>, release: impl Fn(ByteRange) -> Result<()>) -> Result<()> {
    let mut done = Ok(());
    for range in ranges {
        done = done.and(release(range));
    }
    done
}

/// The wait for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockWait {
    /// After this long it is an error; zero asks once.
    pub timeout: Duration,
    /// The time between two attempts.
    pub interval: Duration,
}

impl Default for LockWait {
    /// Five seconds, asking every two milliseconds.
    fn default() -> LockWait {
        LockWait { timeout: Duration::from_secs(5), interval: Duration::from_millis(2) }
    }
}

/// Takes a lock, waiting for it as told. `what` is the thing locked, for the message: `record 17`.
///
/// Fails with `Code::Busy`, naming the holder where the system knows it, and as [`interrupt::check`] does.
pub fn take(file: &dyn WritableFile, range: ByteRange, wait: LockWait, what: impl Fn() -> String) -> Result<()> {
    // Usually the lock is free, and the clock is not read.
    if file.try_lock_range(range, LockMode::Exclusive)? {
        return Ok(());
    }
    let begun = Instant::now();
    loop {
        if file.try_lock_range(range, LockMode::Exclusive)? {
            return Ok(());
        }
        let waited = begun.elapsed();
        if waited >= wait.timeout {
            let holder = file.range_holder(range, LockMode::Exclusive)?;
            let holder = holder.map_or_else(|| "another program".to_owned(), |holder| holder.to_string());
            let message = format!("{} is locked by {holder}; waited {} ms", what(), waited.as_millis());
            let error = Error::new(Code::Busy, message).because(Cause::Waited);
            return Err(error.at(file.path().display()).hint("try again later"));
        }
        interrupt::check()?;
        std::thread::sleep(wait.interval.min(wait.timeout - waited).max(Duration::from_micros(100)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_other_programs() {
        let mut bytes = [0; 32];
        (bytes[0], bytes[8], bytes[10]) = (3, 66, 21);
        let range = |start, length| ByteRange { start, length };
        let mut header = Header::parse(&bytes).unwrap();
        let of = |scheme, header: &Header| {
            let bytes = LockBytes::new(scheme, header);
            (bytes.header(), bytes.table(), bytes.records(&(3..=3)), bytes.records(&(3..=5)))
        };
        let billion = 1_000_000_000;
        let clipper = (range(billion, 1), range(billion + 1, billion), range(billion + 3, 1), range(billion + 3, 3));
        assert_eq!(of(LockScheme::Clipper, &header), clipper);
        assert_eq!(of(LockScheme::ClipperComix, &header), clipper);
        let far = 4 * billion;
        let extended = (range(far, 1), range(far + 1, 294_967_295), range(far + 3, 1), range(far + 3, 3));
        assert_eq!(of(LockScheme::ClipperExtended, &header), extended);
        let fox = 0x4000_0000;
        let forward = (range(fox, 1), range(fox + 1, 0x3FFF_FFFD), range(fox + 108, 1), range(fox + 108, 43));
        assert_eq!(of(LockScheme::FoxPro, &header), forward);
        let wide = 0x7F00_0000_0000_0000;
        let harbour = (range(wide, 1), range(wide + 1, 0xFFFF_FFFE), range(wide + 3, 1), range(wide + 3, 3));
        assert_eq!(of(LockScheme::Harbour64, &header), harbour);
        header.has_structural_index = true;
        let top = 0x7FFF_FFFE;
        let back = (range(top, 1), range(top - 0x07FF_FFFF, 0x07FF_FFFF), range(top - 3, 1), range(top - 5, 3));
        assert_eq!(of(LockScheme::FoxPro, &header), back);
        assert_eq!(LockScheme::default_for(&header, true), LockScheme::FoxPro);
        assert_eq!(LockScheme::default_for(&header, false), LockScheme::Clipper);
        header.version = 0x30;
        assert_eq!(LockScheme::default_for(&header, false), LockScheme::FoxPro);
        assert_eq!(LockScheme::by_name("CL53EXT"), Some(LockScheme::Harbour32));
        assert_eq!(of(LockScheme::Harbour32, &header), extended);
        let index = |scheme| LockBytes::new(scheme, &header).index();
        assert_eq!(index(LockScheme::Clipper), range(billion, 1));
        assert_eq!(index(LockScheme::ClipperExtended), range(billion, 1));
        assert_eq!(index(LockScheme::ClipperComix), range(0xFFFE_FFFF, 65_537));
        assert_eq!(index(LockScheme::Harbour32), range(0xFFFE_FFFF, 65_537));
        assert_eq!(index(LockScheme::FoxPro), range(top, 1));
        assert_eq!(index(LockScheme::Harbour64), range(0x7FFF_FFFF_0000_0001, 65_537));
    }
}
