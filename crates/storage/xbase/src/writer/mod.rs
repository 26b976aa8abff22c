//! Writing to a table in place, with exclusive or shared use.
//!
//! ```text
//!   append      memos | lock header | count, counters | lock new record | record + 0x1A | header | unlock
//!   update      lock record | read | memos | record | free old memos | unlock
//!   rebuild     a new file beside the old one, then renamed over it: pack, zap, new structure      rebuild, swap
//! ```
//! **Shared.** Everything goes to the file at once, one write for a record, under the locks of the table's
//! [`LockScheme`]. The number of records is read again under the header's lock, so two programs that append at once
//! lose nothing: what the header counts, and the whole records behind (another program's, which writes the
//! header later). A record may be locked by the caller for longer ([`TableWriter::lock_record`]), around the update
//! of indexes.
//!
//! **Exclusive.** No other program has the table open (flock(2), by which Harbour implements exclusive mode on Linux).
//! Appended records are collected and written together; [`TableWriter::flush`] and closing write the collected records.
//!
//! **Crashes.** A record is written after its memos, and the header after the record. A program that is killed leaves
//! the old or the new record; records that the header does not count yet are read, and reported. Against the loss of
//! power each step has to be on the disk before the next: [`WriteOptions::durable`] syncs between them. After a failed
//! sync the file is not written any more.
//!
//! **Preserved bytes.** In the header only date, count and counters are changed, so flags and bytes of unknown meaning
//! stay as they are. A table with errors in its header is not written to; [`repair`] makes a new one.

mod append;
mod change;
mod locking;
mod rebuild;
mod reuse;
mod swap;
mod undo;
mod values;

pub use change::Update;
pub(crate) use rebuild::converted;
pub use rebuild::{Repair, Source, create, decode, repair};
pub use swap::finish as finish_swap;

use crate::Severity;
use crate::adt::{self, RecordLayout};
use crate::codepage::CodePage;
use crate::dbf::counter::Place;
use crate::dbf::{Dbf, Encoding, Field, FieldKind, Header, OpenOptions, blank_record, date_bytes};
use crate::lock::{LockPlan, LockScheme, LockWait, TableLocks};
use crate::memo::MemoWriter;
use mainstay_types::{Code, Date, Error, Result, Timestamp, interrupt};
use mainstay_vfs::{Create, File, FileSystem, LockMode, WritableFile};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// A progress callback of a long operation: the finished steps and all steps; `Break` stops it.
pub type Telling<'p> = &'p mut dyn FnMut(u64, u64) -> ControlFlow<()>;

/// A callback that ignores the progress.
fn untold(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The access that other users have to the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nobody.
    Exclusive,
    /// Other programs, and other writers of this one.
    Shared,
}

/// Options for writing to a table.
#[derive(Clone, Copy, Debug)]
pub struct WriteOptions {
    /// The access that other users have.
    pub access: Access,
    /// The locks of those that share it; [`LockScheme::default_for`] without it.
    pub scheme: Option<LockScheme>,
    /// The time to wait for locks and for the permission to open.
    pub wait: LockWait,
    /// The time to wait for the permission to open, if that is less.
    pub open_timeout: Option<Duration>,
    /// The code page of the text, whatever the language byte says.
    pub code_page: Option<CodePage>,
    /// See [`Encoding::replacement`].
    pub replacement: Option<u8>,
    /// See [`Encoding::cut_long_text`].
    pub cut_long_text: bool,
    /// True if each step is on the disk before the next one.
    pub durable: bool,
    /// The time, for the header's date and for fields that keep the time of the last write. Other programs take
    /// the local time; the default is UTC.
    pub clock: fn() -> Timestamp,
}

impl WriteOptions {
    /// The defaults for this access: strict values, the usual locks, not durable.
    pub fn new(access: Access) -> WriteOptions {
        WriteOptions {
            access,
            scheme: None,
            wait: LockWait::default(),
            open_timeout: None,
            code_page: None,
            replacement: None,
            cut_long_text: false,
            durable: false,
            clock: utc_now,
        }
    }
}

fn utc_now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).ok().and_then(Timestamp::from_ms).unwrap_or(Timestamp::FIRST)
}

/// A record before and after a change, for the keys of indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its number, from 1.
    pub record: u64,
    /// Its bytes before, the deletion flag included.
    pub old: Vec<u8>,
    /// Its bytes after.
    pub new: Vec<u8>,
}

/// A callback that gets each change before it is written - the record's number, its bytes before (none for a new one)
/// and after - and may refuse it: then nothing is written.
pub(crate) type Follower<'f> = &'f mut dyn FnMut(u64, Option<&[u8]>, &[u8]) -> Result<()>;

/// The follower of a table without indexes.
fn alone(_: u64, _: Option<&[u8]>, _: &[u8]) -> Result<()> {
    Ok(())
}

/// A field that counts, or that counts the writes of the table.
#[derive(Clone, Copy, Debug)]
struct Counting {
    field: usize,
    place: Place,
    next: u64,
    step: u64,
}

/// A table open for writing. See the module's text.
#[derive(Debug)]
pub struct TableWriter {
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
    options: WriteOptions,
    file: Arc<dyn WritableFile>,
    dbf: Dbf,
    memo: Option<MemoWriter>,
    locks: TableLocks,
    counting: Vec<Counting>,
    blank: Vec<u8>,
    /// The number of records: the current one with exclusive use, else that of the last check.
    count: u64,
    /// Records that were appended and not yet written, the last ones of `count`.
    pending: Vec<u8>,
    /// The date in the header was written since the table was opened.
    date_is_current: bool,
    /// Counters under exclusive use differ from those in the file.
    counters_changed: bool,
    /// True if the file may hold a record that refers to the memos stored for the change under way.
    is_referred_to: bool,
    /// Why nothing may be written any more.
    failed: Option<String>,
    /// Records stay locked after a change: in a transaction, and after an append that asks for it.
    keeps_locks: bool,
}

impl TableWriter {
    /// Opens an existing table, with its memo file if a field needs one.
    ///
    /// Fails with `Code::Busy` while another program has it open in a way that excludes this one, with
    /// `Code::Damaged` if the header contradicts the file, and as [`Dbf::open`] does.
    pub fn open(fs: Arc<dyn FileSystem>, path: &Path, options: WriteOptions) -> Result<TableWriter> {
        swap::finish(&*fs, path)?;
        loop {
            let file = fs.create(path, Create::Existing)?;
            share(&*file, &options)?;
            // While it was waited for, another may have put a new file in its place.
            if file.stamp()?.identity != fs.stamp(path)?.identity {
                continue;
            }
            let memo = open_memo(&*fs, path, &file, &options)?;
            return TableWriter::assemble(fs, path, file, memo, options);
        }
    }

    /// Removes the deleted records, and from the memo file what no record refers to. Records get new numbers.
    /// The caller must be alone ([`Access::Exclusive`]).
    pub fn pack(&mut self) -> Result<()> {
        self.pack_telling(&mut untold)
    }

    fn assemble(
        fs: Arc<dyn FileSystem>,
        path: &Path,
        file: Arc<dyn WritableFile>,
        memo: Option<MemoWriter>,
        options: WriteOptions,
    ) -> Result<TableWriter> {
        let read = Arc::clone(&file) as Arc<dyn File>;
        let dbf = Dbf::open(read, OpenOptions { code_page: options.code_page })?;
        if let Some(finding) = dbf.findings().iter().find(|finding| finding.severity == Severity::Error) {
            let error = Error::new(Code::Damaged, finding.message.clone()).at(path.display());
            return Err(error.hint("repair the table into a new one before it is written to"));
        }
        let alone = options.access == Access::Exclusive;
        let has_cdx = crate::table::sibling(&*fs, path, &["cdx"]).is_some();
        let plan = LockPlan::new(options.scheme, dbf.header(), has_cdx);
        let locks = TableLocks::new(Arc::clone(&file), plan, options.wait, alone);
        let counting = counting_fields(&dbf, &*file)?;
        let blank = blank_record(dbf.fields(), dbf.header());
        let count = dbf.record_count(file.stamp()?.len);
        Ok(TableWriter {
            fs,
            path: path.to_owned(),
            options,
            file,
            dbf,
            memo,
            locks,
            counting,
            blank,
            count,
            pending: Vec::new(),
            date_is_current: false,
            counters_changed: false,
            is_referred_to: false,
            failed: None,
            keeps_locks: false,
        })
    }

    /// Where the table is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The fields, in the order of the header.
    pub fn fields(&self) -> &[Field] {
        self.dbf.fields()
    }

    /// The table as it is read: its header as it was at opening.
    pub fn dbf(&self) -> &Dbf {
        &self.dbf
    }

    /// The memo file, for reading.
    pub fn memo(&self) -> Option<&crate::memo::Memo> {
        self.memo.as_ref().map(MemoWriter::memo)
    }

    /// The number of records now, those not yet written included.
    pub fn count(&mut self) -> Result<u64> {
        if self.options.access == Access::Shared {
            self.count = self.count_in_file()?;
        }
        Ok(self.count)
    }

    /// Reads a record, which counts from 1, into `record`, replacing what is there.
    pub fn read(&mut self, record: u64, bytes: &mut Vec<u8>) -> Result<()> {
        if record == 0 || record > self.count && record > self.count()? {
            let message = format!("there is no record {record}; the table has {}", self.count);
            return Err(Error::new(Code::InvalidValue, message).at(self.path.display()));
        }
        if let Some(range) = self.pending_range(record) {
            bytes.clear();
            bytes.extend_from_slice(&self.pending[range]);
            return Ok(());
        }
        self.dbf.read_record(record - 1, bytes)
    }

    /// Returns true if a record, whose bytes are put into `record`, is as it was when it was appended without values:
    /// what counts has a number then, or a time.
    pub(crate) fn is_blank(&mut self, record: u64, bytes: &mut Vec<u8>) -> Result<bool> {
        self.read(record, bytes)?;
        let mut blank = self.blank.clone();
        let is_counted = |place: usize| self.counting.iter().any(|counting| counting.field == place);
        for (place, field) in self.dbf.fields().iter().enumerate() {
            if !is_counted(place) && field.kind != FieldKind::ModificationTime {
                continue;
            }
            let cell = field.offset..field.offset + field.length;
            if let (Some(to), Some(from)) = (blank.get_mut(cell.clone()), bytes.get(cell)) {
                to.copy_from_slice(from);
            }
        }
        Ok(*bytes == blank)
    }

    /// Writes what is only in memory: appended records, counters, the header's date and count, and the memo file's
    /// list of free blocks. With [`WriteOptions::durable`] it is on the disk when this returns.
    pub fn flush(&mut self) -> Result<()> {
        self.check_usable()?;
        self.write_pending()?;
        if let Some(memo) = &mut self.memo {
            memo.settle()?;
        }
        self.sync_if_durable()
    }

    /// Writes what is only in memory, gives back all locks and closes the files. Dropping does the same, but tells
    /// nobody of an error.
    pub fn close(mut self) -> Result<()> {
        let flushed = self.flush();
        let unlocked = self.locks.unlock_all();
        self.pending.clear();
        flushed.and(unlocked)
    }

    /// Sets the header's flag of a structural index; with exclusive use.
    pub(crate) fn mark_structural_index(&mut self, has: bool) -> Result<()> {
        if self.layout() == RecordLayout::Adt {
            return Ok(());
        }
        let mut flags = [0];
        self.file.read_exact_at(&mut flags, 28)?;
        let wanted = flags[0] & !1 | u8::from(has);
        if wanted == flags[0] { Ok(()) } else { self.file.write_at(&[wanted], 28) }
    }

    fn encoding(&self) -> Encoding {
        Encoding {
            code_page: self.dbf.code_page(),
            replacement: self.options.replacement,
            cut_long_text: self.options.cut_long_text,
        }
    }

    fn today(&self) -> Date {
        (self.options.clock)().date()
    }

    /// The form of the records.
    pub(crate) fn layout(&self) -> RecordLayout {
        self.dbf.header().layout
    }

    fn record_length(&self) -> usize {
        self.blank.len()
    }

    fn offset(&self, record: u64) -> u64 {
        let length = u64::from(self.dbf.header().record_length);
        u64::from(self.dbf.header().header_length) + record.saturating_sub(1) * length
    }

    /// Where a record is among those not yet written.
    fn pending_range(&self, record: u64) -> Option<std::ops::Range<usize>> {
        let length = self.record_length();
        let first = self.count + 1 - (self.pending.len() / length) as u64;
        let at = usize::try_from(record.checked_sub(first)?).ok()? * length;
        (at + length <= self.pending.len()).then_some(at..at + length)
    }

    fn count_in_file(&self) -> Result<u64> {
        let mut bytes = [0; 4];
        self.file.read_exact_at(&mut bytes, self.layout().count_at())?;
        let counted = u64::from(u32::from_le_bytes(bytes));
        // Where the end mark stands right behind the records that are counted, there are no others. That is asked for by
        // reading: after a question for the file's length the next write takes longer (the system keeps a finer time
        // of it).
        let mut end = [0];
        let mark = self.layout().end_mark();
        if mark.is_some() && self.file.read_at(&mut end, self.offset(counted + 1))? == 1 && Some(end[0]) == mark {
            return Ok(counted);
        }
        let header = Header { record_count: u32::from_le_bytes(bytes), ..self.dbf.header().clone() };
        let length = self.file.stamp()?.len;
        let counted = u64::from(header.record_count);
        if counted > header.records_in(length) {
            let message = format!("the header counts {counted} records; the file holds {}", header.records_in(length));
            let error = Error::new(Code::Damaged, message).at(self.path.display());
            return Err(error.hint("repair the table into a new one before it is written to"));
        }
        Ok(counted + crate::dbf::uncounted_records(&header, length, &*self.file)?)
    }

    /// Returns true if anything may still be written.
    pub(crate) fn is_usable(&self) -> bool {
        self.failed.is_none()
    }

    fn check_usable(&self) -> Result<()> {
        match &self.failed {
            None => Ok(()),
            Some(reason) => {
                let message = format!("nothing is written any more after an earlier error: {reason}");
                Err(Error::new(Code::Io, message).at(self.path.display()).hint("close the table and open it again"))
            }
        }
    }

    fn sync_if_durable(&mut self) -> Result<()> {
        if !self.options.durable {
            return Ok(());
        }
        let file = Arc::clone(&self.file);
        self.latch(file.sync())
    }

    fn sync_memo_if_durable(&mut self) -> Result<()> {
        let Some(memo) = &mut self.memo else { return Ok(()) };
        let settled = memo.settle();
        let synced = if self.options.durable && settled.is_ok() { memo.sync() } else { Ok(()) };
        settled?;
        self.latch(synced)
    }

    /// Remembers that a sync failed.
    fn latch(&mut self, result: Result<()>) -> Result<()> {
        if let Err(error) = &result {
            self.failed = Some(error.to_string());
        }
        result
    }

    /// Writes date and count; under the lock of the header, or alone.
    fn write_header(&mut self, count: u64) -> Result<()> {
        let narrow = u32::try_from(count).map_err(|_| {
            Error::new(Code::Unsupported, format!("a table has at most {} records", u32::MAX)).at(self.path.display())
        })?;
        if self.layout() == RecordLayout::Adt {
            return self.file.write_at(&narrow.to_le_bytes(), self.layout().count_at());
        }
        let mut bytes = [0; 7];
        bytes[..3].copy_from_slice(&date_bytes(self.today(), self.dbf.header().version));
        bytes[3..].copy_from_slice(&narrow.to_le_bytes());
        self.file.write_at(&bytes, 1)?;
        self.date_is_current = true;
        Ok(())
    }
}

impl Drop for TableWriter {
    fn drop(&mut self) {
        if !self.pending.is_empty() && self.failed.is_none() {
            // Errors are lost here; a caller that needs them closes the table.
            let _ = self.flush();
        } else if let Some(memo) = &mut self.memo {
            let _ = memo.settle();
        }
    }
}

/// Claims the file for the access wanted, waiting as long as the options have it.
fn share(file: &dyn WritableFile, options: &WriteOptions) -> Result<()> {
    let mode = match options.access {
        Access::Exclusive => LockMode::Exclusive,
        Access::Shared => LockMode::Shared,
    };
    let begun = Instant::now();
    while !file.try_share(mode)? {
        if begun.elapsed() >= options.open_timeout.unwrap_or(options.wait.timeout).min(options.wait.timeout) {
            let message = match options.access {
                Access::Exclusive => "another program, or another handle of this one, has the file open",
                Access::Shared => "another program, or another handle of this one, has the file open for itself alone",
            };
            return Err(Error::new(Code::Busy, message).at(file.path().display()).hint("close it there, or try later"));
        }
        interrupt::check()?;
        std::thread::sleep(options.wait.interval);
    }
    Ok(())
}

fn open_memo(
    fs: &dyn FileSystem,
    path: &Path,
    table: &Arc<dyn WritableFile>,
    options: &WriteOptions,
) -> Result<Option<MemoWriter>> {
    let dbf = Dbf::open(Arc::clone(table) as Arc<dyn File>, OpenOptions { code_page: options.code_page })?;
    let needed = dbf.fields().iter().any(|field| field.kind.needs_memo());
    let Some(memo_path) = crate::table::sibling(fs, path, dbf.memo_extensions()).filter(|_| needed) else {
        // A field of any type may do without.
        let must = dbf.fields().iter().any(|field| field.kind.needs_memo() && field.kind != FieldKind::Any);
        if must {
            let message = "the table has memo fields, and there is no memo file";
            return Err(Error::new(Code::Damaged, message).at(path.display()));
        }
        return Ok(None);
    };
    let file = fs.create(&memo_path, Create::Existing)?;
    share(&*file, options)?;
    let alone = options.access == Access::Exclusive;
    Ok(Some(MemoWriter::open(file, dbf.header().version, alone, options.wait)?))
}

/// The fields with counters, and what their counters say.
fn counting_fields(dbf: &Dbf, file: &dyn File) -> Result<Vec<Counting>> {
    if dbf.header().layout == RecordLayout::Adt {
        return adt_counting_fields(dbf, file);
    }
    let mut header = vec![0; dbf.header().header_length as usize];
    let read = file.read_at(&mut header, 0)?;
    header.truncate(read);
    let wide = dbf.has_wide_descriptors();
    let (mut at, step) = if wide { (68, 48) } else { (32, 32) };
    let mut found = Vec::new();
    for (number, field) in dbf.fields().iter().enumerate() {
        // _NullFlags is described among the others, and is not a field.
        while !wide && header.get(at..at + 11) == Some(b"_NullFlags\0") && header.get(at + 11) == Some(&b'0') {
            at += step;
        }
        if dbf.counter(number).is_some() || field.kind == FieldKind::RowVersion {
            let place = Place::of(at as u64, wide, field.letter, field.length, field.decimals);
            found.push(Counting { field: number, place, next: 0, step: 1 }.read(file)?);
        }
        at += step;
    }
    Ok(found)
}

/// The same of an ADT, whose counters stand in the fixed part of the header.
fn adt_counting_fields(dbf: &Dbf, file: &dyn File) -> Result<Vec<Counting>> {
    let mut found = Vec::new();
    for (number, field) in dbf.fields().iter().enumerate() {
        let offset = match field.adt {
            Some(adt::Type::AutoIncrement) => adt::AUTO_INCREMENT_AT,
            Some(adt::Type::RowVersion) => adt::ROW_VERSION_AT,
            _ => continue,
        };
        let place = Place { offset, width: 8, step: None };
        found.push(Counting { field: number, place, next: 0, step: 1 }.read(file)?);
    }
    Ok(found)
}

impl Counting {
    /// The same with the values that the file has now.
    fn read(self, file: &dyn File) -> Result<Counting> {
        let (mut next, mut step) = ([0; 8], [1]);
        file.read_exact_at(&mut next[..self.place.width], self.place.offset)?;
        if let Some(at) = self.place.step {
            file.read_exact_at(&mut step, at)?;
        }
        Ok(Counting { next: u64::from_le_bytes(next), step: u64::from(step[0].max(1)), ..self })
    }

    fn write(&self, file: &dyn WritableFile) -> Result<()> {
        file.write_at(&self.next.to_le_bytes()[..self.place.width], self.place.offset)
    }
}
