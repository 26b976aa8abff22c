//! The locks that programs take on tables they share: which bytes, and how they are waited for.
//!
//! There is no lock manager in xBase. A program locks bytes that everybody agrees stand for a record, for the whole
//! file or for the header, mostly far beyond the end of the file. Programs exclude each other only if they take the
//! same bytes, so a table has to be opened with the scheme of those that share it.
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
//! Indexes are locked too, on bytes of their own files: one byte, or a pool of bytes after it. Who writes locks all of
//! them; who reads locks one of the pool (any of them), so that readers do not meet, or the one byte shared.
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
//! Programs of different schemes know nothing of each other. Two of Mainstay's have to: one that opens a table of
//! dBASE as ADS_CDX locks as FoxPro does, and SQL as Clipper does. So who asks for another scheme than is usual for a
//! table takes the usual locks first and those of his own after them, of records, table, header and indexes
//! ([`LockPlan`]): whatever two of us ask for, they meet at the usual ones. Who is content with those, as nearly
//! everybody is, locks nothing twice; the second lock costs two microseconds.
//!
//! Limits: Clipper's bytes and FoxPro's for tables without a structural index meet from record 73,741,824 on. There a
//! record may seem to be locked that is not, if one program has asked for the other's scheme.
//!
//! Who appends locks the header, counts the records, and locks the new record, which fails while another holds the
//! file. Who changes a record locks it. The memo file has a lock of its own: its first byte.
//!
//! The locks are those of the operating system, see `mainstay_vfs`. They are waited for by asking again every few
//! milliseconds, up to a limit, as the other programs do; a lock that nobody gives back is reported with its holder.

mod index;

pub(crate) use index::IndexLock;
pub use index::ReadingLock;

use crate::dbf::Header;
use mainstay_base::{Code, Error, Result, interrupt};
use mainstay_vfs::{ByteRange, LockHolder, LockMode, WritableFile};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Which bytes stand for what.
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
    /// What programs take that have not been told otherwise: FoxPro's for its own tables, for those with an FPT memo
    /// or (as the caller knows) a CDX beside them, else Clipper's. (The header's mark of a structural index does not
    /// tell a CDX from dBASE's MDX.)
    pub fn default_for(header: &Header, has_cdx: bool) -> LockScheme {
        match header.version {
            0x30..=0x32 | 0xF5 | 0xFB => LockScheme::FoxPro,
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

    /// Who keeps them from being taken.
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

/// How long a lock is waited for.
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
/// Fails with `Code::Busy`, naming the holder where the system tells who it is, and as [`interrupt::check`] does.
pub fn take(file: &dyn WritableFile, range: ByteRange, wait: LockWait, what: impl Fn() -> String) -> Result<()> {
    // Mostly nobody else has it, and no time is looked at.
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
            return Err(Error::new(Code::Busy, message).at(file.path().display()).hint("try again later"));
        }
        interrupt::check()?;
        std::thread::sleep(wait.interval.min(wait.timeout - waited).max(Duration::from_micros(100)));
    }
}

/// The locks that one handle holds on a table.
#[derive(Debug)]
pub(crate) struct TableLocks {
    file: Arc<dyn WritableFile>,
    pub(crate) plan: LockPlan,
    pub(crate) wait: LockWait,
    /// Opened for exclusive use: nobody else is there, and no lock is needed.
    alone: bool,
    table: bool,
    header: bool,
    records: BTreeSet<u64>,
}

impl TableLocks {
    pub(crate) fn new(file: Arc<dyn WritableFile>, plan: LockPlan, wait: LockWait, alone: bool) -> TableLocks {
        TableLocks { file, plan, wait, alone, table: false, header: false, records: BTreeSet::new() }
    }

    fn record(&self, record: u64) -> LockRanges {
        self.plan.records(&(record..=record))
    }

    /// Takes the locks of something within the time that there is.
    fn take(&self, ranges: LockRanges, what: impl Fn() -> String) -> Result<()> {
        let Some(second) = ranges.second else { return take(&*self.file, ranges.first, self.wait, what) };
        let begun = Instant::now();
        take(&*self.file, ranges.first, self.wait, &what)?;
        let wait = LockWait { timeout: self.wait.timeout.saturating_sub(begun.elapsed()), ..self.wait };
        let taken = take(&*self.file, second, wait, what);
        if taken.is_err() {
            self.give_back(ranges.first)?;
        }
        taken
    }

    /// Asks once for them.
    fn try_take(&self, ranges: LockRanges) -> Result<bool> {
        if !self.file.try_lock_range(ranges.first, LockMode::Exclusive)? {
            return Ok(false);
        }
        let Some(second) = ranges.second else { return Ok(true) };
        let taken = self.file.try_lock_range(second, LockMode::Exclusive);
        if !matches!(taken, Ok(true)) {
            self.give_back(ranges.first)?;
        }
        taken
    }

    /// Gives bytes back, unless they are among those of the table, which is held: two schemes' bytes may meet.
    fn unlock(&self, range: ByteRange) -> Result<()> {
        let covers = |table: ByteRange| table.start <= range.start && range.end() <= table.end();
        match self.table && self.plan.table().iter().any(covers) {
            true => Ok(()),
            false => self.file.unlock_range(range),
        }
    }

    /// Gives back bytes that were taken in vain. Records that are held stay so if it was the table that was asked for.
    fn give_back(&self, range: ByteRange) -> Result<()> {
        let mut held: Vec<ByteRange> = match range == self.plan.table().first {
            true => self.records.iter().flat_map(|record| self.record(*record).iter()).collect(),
            false => Vec::new(),
        };
        held.retain(|held| range.start <= held.start && held.end() <= range.end());
        held.sort_unstable_by_key(|held| held.start);
        let mut start = range.start;
        for held in held {
            if start < held.start {
                self.file.unlock_range(ByteRange { start, length: held.start - start })?;
            }
            start = held.end();
        }
        match range.end().saturating_sub(start) {
            0 => Ok(()),
            length => self.unlock(ByteRange { start, length }),
        }
    }

    /// Locks the header; it must be given back before the next statement of the caller's.
    pub(crate) fn lock_header(&mut self) -> Result<()> {
        if !self.alone && !self.header {
            self.take(self.plan.header(), || "the header".to_owned())?;
            self.header = true;
        }
        Ok(())
    }

    pub(crate) fn unlock_header(&mut self) -> Result<()> {
        match std::mem::take(&mut self.header) {
            true => release_all(self.plan.header().iter(), |range| self.unlock(range)),
            false => Ok(()),
        }
    }

    /// Locks all records until [`TableLocks::unlock_all`].
    pub(crate) fn lock_table(&mut self) -> Result<()> {
        if !self.alone && !self.table {
            self.take(self.plan.table(), || "the table".to_owned())?;
            self.table = true;
        }
        Ok(())
    }

    /// Whether a record is locked already, by itself or with the table.
    pub(crate) fn holds(&self, record: u64) -> bool {
        self.alone || self.table || self.records.contains(&record)
    }

    /// Locks a record until it is unlocked.
    pub(crate) fn lock_record(&mut self, record: u64) -> Result<()> {
        if !self.holds(record) {
            self.take(self.record(record), || format!("record {record}"))?;
            self.records.insert(record);
        }
        Ok(())
    }

    pub(crate) fn unlock_record(&mut self, record: u64) -> Result<()> {
        // Under a lock of the table the byte belongs to that.
        if self.records.remove(&record) && !self.table {
            self.record(record).release(&*self.file)?;
        }
        Ok(())
    }

    /// Asks once for records that are about to be appended. `None`: another holds them, as a rule with the whole
    /// table; else whether the caller has to give them back.
    pub(crate) fn try_lock_new(&mut self, records: &RangeInclusive<u64>) -> Result<Option<bool>> {
        if self.alone || self.table {
            return Ok(Some(false));
        }
        let locked = self.try_take(self.plan.records(records))?;
        Ok(locked.then_some(true))
    }

    /// What to say when they could not be had.
    pub(crate) fn refused(&self, records: &RangeInclusive<u64>) -> Result<Error> {
        let holder = self.plan.records(records).holder(&*self.file, LockMode::Exclusive)?;
        let holder = holder.map_or_else(|| "another program".to_owned(), |holder| holder.to_string());
        let message = format!("nothing can be appended: the table is locked by {holder}");
        Ok(Error::new(Code::Busy, message).at(self.file.path().display()).hint("try again later"))
    }

    pub(crate) fn unlock_new(&mut self, records: &RangeInclusive<u64>) -> Result<()> {
        self.plan.records(records).release(&*self.file)
    }

    /// Keeps the locks of records that were appended, each by itself.
    pub(crate) fn keep_new(&mut self, records: &RangeInclusive<u64>) -> Result<()> {
        for (record, next) in records.clone().zip(records.clone().skip(1)) {
            // FoxPro's range covers the bytes between those of the records too.
            for (this, next) in self.record(record).iter().zip(self.record(next).iter()) {
                if this.end() < next.start {
                    self.file.unlock_range(ByteRange { start: this.end(), length: next.start - this.end() })?;
                }
            }
        }
        self.records.extend(records.clone());
        Ok(())
    }

    pub(crate) fn try_lock_record(&mut self, record: u64) -> Result<bool> {
        if self.holds(record) {
            return Ok(true);
        }
        let locked = self.try_take(self.record(record))?;
        if locked {
            self.records.insert(record);
        }
        Ok(locked)
    }

    pub(crate) fn try_lock_table(&mut self) -> Result<bool> {
        if !self.alone && !self.table {
            self.table = self.try_take(self.plan.table())?;
        }
        Ok(self.alone || self.table)
    }

    pub(crate) fn holds_table(&self) -> bool {
        self.alone || self.table
    }

    /// The records that are locked one by one.
    pub(crate) fn records(&self) -> Vec<u64> {
        self.records.iter().copied().collect()
    }

    pub(crate) fn record_holder(&self, record: u64) -> Result<Option<LockHolder>> {
        self.record(record).holder(&*self.file, LockMode::Exclusive)
    }

    pub(crate) fn table_holder(&self) -> Result<Option<LockHolder>> {
        self.plan.table().holder(&*self.file, LockMode::Exclusive)
    }

    /// Gives back the table and every record.
    pub(crate) fn unlock_all(&mut self) -> Result<()> {
        if std::mem::take(&mut self.table) {
            // The ranges cover the bytes of all records.
            self.records.clear();
            self.plan.table().release(&*self.file)?;
        }
        for record in std::mem::take(&mut self.records) {
            self.record(record).release(&*self.file)?;
        }
        Ok(())
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
