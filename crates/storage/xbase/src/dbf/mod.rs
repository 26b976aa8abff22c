//! DBF tables: a header, field descriptors, and records of fixed length one after the other.
//!
//! ```text
//!   | header 32 | descriptor | descriptor | ... | 0x0D |  record 1  |  record 2  | ... | 0x1A |
//!                                                       flag field field ...
//! ```
//! [`Dbf::open`] reads the header once and determines the layout of a record: the fields with their places ([`Field`]),
//! the code page, the bits for NULL. After that a table is plain arithmetic: [`Dbf::read_records`] reads a run of
//! records with one read, [`decode_column`] turns one field of the run into an Arrow vector.
//!
//! **Damage.** Damage that makes every record unreadable is an error; all other damage is in [`Dbf::findings`] and the
//! sound rows are read. Values that cannot be read become NULL and are reported by the column's findings.
//!
//! **Appends by others.** The record count is read from the header and bounded by the length of the file, both when the
//! caller calls [`Dbf::read_count`], so a statement that calls it once sees one count.

mod check;
mod column;
mod counted;
pub(crate) mod counter;
mod create;
mod descriptor;
pub(crate) mod encode;
mod field;
mod findings;
mod header;

pub use check::check;
pub(crate) use check::{check_values, overlapping_memos};
pub(crate) use column::any_blocks;
pub use column::{Column, Decoding, Records, decode_column, decode_few, decode_rows, deleted_flags};
pub(crate) use counted::beyond_the_end;
pub use counted::{blank_deleted, read_counted};
pub(crate) use create::date_bytes;
pub use create::{FieldSpec, Format, TableSpec};
pub use descriptor::Counter;
pub(crate) use descriptor::REPEATED_NAME;
pub use encode::{Encoding, blank, blank_record, encode, encode_reference};
pub use field::{Field, FieldKind};
pub use findings::Findings;
pub use header::{Family, Header};

use crate::adt;
use crate::codepage::CodePage;
use crate::memo::{Memo, MemoKind};
use crate::{Finding, Severity};
use header::FIXED_LENGTH;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The mark that most programs write behind the last record.
const END_MARK: u8 = 0x1A;

/// Properties that the opener knows better than the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenOptions {
    /// The code page, whatever the language byte says.
    pub code_page: Option<CodePage>,
}

/// An open table: its structure, and access to its records.
#[derive(Clone, Debug)]
pub struct Dbf {
    file: Arc<dyn File>,
    header: Header,
    fields: Vec<Field>,
    counters: Vec<Option<Counter>>,
    wide_descriptors: bool,
    code_page: CodePage,
    findings: Vec<Finding>,
    /// Whole records behind those that the header counts.
    uncounted: u64,
}

impl Dbf {
    /// Reads header and descriptors.
    pub fn open(file: Arc<dyn File>, options: OpenOptions) -> Result<Dbf> {
        let path = file.path().to_owned();
        Dbf::open_unplaced(file, options).map_err(|error| match error.place() {
            Some(place) if place.contains(path.to_string_lossy().as_ref()) => error,
            _ => error.at(path.display()),
        })
    }

    fn open_unplaced(file: Arc<dyn File>, options: OpenOptions) -> Result<Dbf> {
        let mut bytes = vec![0; FIXED_LENGTH];
        let read = file.read_at(&mut bytes, 0)?;
        if adt::is_signature(&bytes[..read]) {
            return Dbf::open_adt(file, options);
        }
        let header = Header::parse(&bytes[..read])?;
        refuse_encrypted(&header)?;
        // After the count, so that every record that another program has counted meanwhile is there.
        let file_length = file.stamp()?.len;
        let length = u64::from(header.header_length).min(file_length).max(FIXED_LENGTH as u64);
        bytes.resize(usize::try_from(length).unwrap_or(FIXED_LENGTH), 0);
        file.read_exact_at(&mut bytes[FIXED_LENGTH..], FIXED_LENGTH as u64)?;

        let mut findings = Vec::new();
        let code_page = choose_code_page(&header, options, &mut findings);
        let structure = descriptor::parse(&header, &bytes, code_page)?;
        findings.extend(structure.warnings.into_iter().map(|(cause, message)| (Severity::Warning, cause, message)));
        findings.extend(structure.errors.into_iter().map(|(cause, message)| (Severity::Error, cause, message)));
        let uncounted = uncounted_records(&header, file_length, &*file)?;
        check_size(&header, file_length, uncounted, &*file, &mut findings)?;
        let path = file.path().to_owned();
        let findings = placed(findings, &path);
        let (fields, counters, wide_descriptors) = (structure.fields, structure.counters, structure.wide);
        Ok(Dbf { file, header, fields, counters, wide_descriptors, code_page, findings, uncounted })
    }

    /// The same of an ADT, in which nothing names the code page: it is the server's.
    fn open_adt(file: Arc<dyn File>, options: OpenOptions) -> Result<Dbf> {
        let mut bytes = vec![0; adt::FIXED_LENGTH];
        let read = file.read_at(&mut bytes, 0)?;
        let own = adt::Header::parse(&bytes[..read])?;
        let file_length = file.stamp()?.len;
        bytes.resize(u64::from(own.header_length).min(file_length) as usize, 0);
        file.read_exact_at(&mut bytes, 0)?;
        let described = adt::parse_fields(&own, &bytes)?;
        let header = Header::of_adt(&own);
        let code_page = options.code_page.unwrap_or_else(|| CodePage::default_for_version(header.version));
        let mut warnings = Vec::new();
        let fields = adt::record_fields(&described, code_page, &mut warnings);
        let mut findings = warnings.into_iter().map(|(cause, message)| (Severity::Warning, cause, message)).collect();
        check_size(&header, file_length, 0, &*file, &mut findings)?;
        let findings = placed(findings, file.path());
        let counts = |field: &Field| field.adt == Some(adt::Type::AutoIncrement);
        let next = u32::try_from(own.next_auto_increment).unwrap_or(u32::MAX);
        let counters = fields.iter().map(|field| counts(field).then_some(Counter { next, step: 1 })).collect();
        Ok(Dbf { file, header, fields, counters, wide_descriptors: false, code_page, findings, uncounted: 0 })
    }

    /// The columns, in the order of the header.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The field with this name, in any case.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name))
    }

    /// The counter of the autoincrement field at this place in [`Dbf::fields`].
    pub fn counter(&self, field: usize) -> Option<Counter> {
        self.counters.get(field).copied().flatten()
    }

    /// The header as it was when the table was opened.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns true if the fields are described as in dBASE 7.
    pub(crate) fn has_wide_descriptors(&self) -> bool {
        self.wide_descriptors
    }

    /// The code page of the text.
    pub fn code_page(&self) -> CodePage {
        self.code_page
    }

    /// The same, unless it is only the one that is assumed where nothing is said.
    pub fn stated_code_page(&self) -> Option<CodePage> {
        let is_stated = CodePage::from_language_byte(self.header.language).is_some()
            || self.code_page != CodePage::default_for_version(self.header.version);
        is_stated.then_some(self.code_page)
    }

    /// Errors and oddities of header and length.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Where the table is.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The open file.
    pub fn file(&self) -> &Arc<dyn File> {
        &self.file
    }

    /// The kind of memo file that belongs to the table; `None` if no field refers to one.
    pub fn memo_kind(&self) -> Option<MemoKind> {
        let needed = self.fields.iter().any(|field| field.kind.needs_memo());
        needed.then(|| MemoKind::of_version(self.header.version)).flatten()
    }

    /// The extensions of the memo files that may belong to the table.
    pub fn memo_extensions(&self) -> &'static [&'static str] {
        self.header.layout.memo_extensions()
    }

    /// The number of records that can be read: what the header said at opening with the whole records found
    /// behind them, at most what a file of this length holds.
    pub fn record_count(&self, file_length: u64) -> u64 {
        (u64::from(self.header.record_count) + self.uncounted).min(self.header.records_in(file_length))
    }

    /// The number of records now: the count is read anew, and bounded by the file's length after that, so that
    /// every record counted is there.
    pub fn read_count(&self) -> Result<u64> {
        let count = self.counted()?;
        let file_length = self.file.stamp()?.len;
        Ok(u64::from(count).min(self.header.records_in(file_length)))
    }

    /// The number of records now as the programs that share the table count them: what the header says, and the
    /// whole records that another program has written behind those and not yet counted.
    pub fn count_now(&self) -> Result<u64> {
        self.count_in(self.file.stamp()?.len)
    }

    /// The same, usually without reading the file's length, for a caller that has just seen `known` records: if the
    /// file ends with the end mark behind these, there was no append, because every program writes a new record behind
    /// the others. Otherwise, where the end mark is right behind the counted records, there are no others. After a read
    /// of the length the next write takes longer (the system records its time with a finer resolution).
    pub fn count_by_mark(&self, known: u64) -> Result<u64> {
        if self.header.layout.end_mark().is_none() {
            return self.count_now();
        }
        let mark_of = |count: u64| u64::from(self.header.header_length) + count * u64::from(self.header.record_length);
        let mut end = [0; 2];
        if self.file.read_few_at(&mut end, mark_of(known))? == 1 && end[0] == END_MARK {
            return Ok(known);
        }
        let counted = u64::from(self.counted()?);
        match self.file.read_at(&mut end[..1], mark_of(counted))? == 1 && end[0] == END_MARK {
            true => Ok(counted),
            false => self.count_now(),
        }
    }

    /// The same for a known length of the file.
    pub fn count_in(&self, file_length: u64) -> Result<u64> {
        let header = Header { record_count: self.counted()?, ..self.header.clone() };
        let whole = header.records_in(file_length);
        let counted = u64::from(header.record_count).min(whole);
        if counted == whole {
            return Ok(counted);
        }
        Ok(counted + uncounted_records(&header, file_length, &*self.file)?)
    }

    /// The number of records that the header has now.
    fn counted(&self) -> Result<u32> {
        let mut count = [0; 4];
        self.file.read_exact_at(&mut count, self.header.layout.count_at())?;
        Ok(u32::from_le_bytes(count))
    }

    /// Returns true if the header counts records now that a file of this length has not.
    pub fn counts_beyond(&self, file_length: u64) -> Result<bool> {
        Ok(u64::from(self.counted()?) > self.header.records_in(file_length))
    }

    /// Reads a run of records with one read into `buffer`, replacing what is there. Rows count from 0: record
    /// `n` is row `n - 1`.
    pub fn read_records<'a>(&self, rows: Range<u64>, buffer: &'a mut Vec<u8>) -> Result<Records<'a>> {
        let record_length = u64::from(self.header.record_length);
        let bytes = rows.end.saturating_sub(rows.start).saturating_mul(record_length);
        let offset = rows.start.saturating_mul(record_length).saturating_add(u64::from(self.header.header_length));
        let file_length = self.file.stamp()?.len;
        if offset.saturating_add(bytes) > file_length {
            return Err(beyond_the_end(&*self.file, rows.start, rows.end.saturating_sub(rows.start)));
        }
        let length = usize::try_from(bytes).map_err(|_| Error::new(Code::OutOfMemory, "the table is too large"))?;
        if buffer.capacity() < length {
            // New memory comes cleared from the system.
            *buffer = vec![0; length];
        } else {
            // A buffer that is reused keeps its length: only what is new has to be cleared.
            buffer.resize(length, 0);
        }
        self.file.read_exact_at(buffer, offset)?;
        Ok(Records::new(buffer, self.header.record_bytes(), rows.start + 1))
    }

    /// Reads one record into `buffer`, replacing what is there. Rows count from 0.
    pub fn read_record(&self, row: u64, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.resize(self.header.record_bytes(), 0);
        self.read_record_into(row, buffer)
    }

    /// Reads from a record on, as many bytes as there is room for: the first ones of it, or several records.
    pub(crate) fn read_record_into(&self, row: u64, buffer: &mut [u8]) -> Result<()> {
        let offset = row.saturating_mul(u64::from(self.header.record_length));
        self.file.read_exact_at(buffer, offset.saturating_add(u64::from(self.header.header_length)))
    }

    /// The options for decoding values of this table.
    pub fn decoding<'a>(&'a self, memo: Option<&'a Memo>) -> Decoding<'a> {
        Decoding { path: self.path(), memo, is_told: false, code_page: self.code_page, layout: self.header.layout }
    }
}

fn placed(findings: Notes, path: &Path) -> Vec<Finding> {
    let finding = |(severity, cause, message)| Finding::new(severity, path, "", message).of_cause(cause);
    findings.into_iter().map(finding).collect()
}

fn refuse_encrypted(header: &Header) -> Result<()> {
    if header.family() == Family::Encrypted || header.encrypted && header.family() != Family::VisualFoxPro {
        return Err(
            Error::new(Code::Encrypted, "the table is encrypted").hint("decrypt it with the program that made it")
        );
    }
    Ok(())
}

/// Findings about a header: severity, cause and message.
type Notes = Vec<(Severity, &'static str, String)>;

fn choose_code_page(header: &Header, options: OpenOptions, findings: &mut Notes) -> CodePage {
    if let Some(page) = options.code_page {
        return page;
    }
    let page = CodePage::from_language_byte(header.language);
    if page.is_none() && header.language != 0 {
        let message = format!("language byte {:#04x} is not known", header.language);
        findings.push((Severity::Warning, "the language byte is not known", message));
    }
    page.unwrap_or_else(|| CodePage::default_for_version(header.version))
}

/// Whole records behind those that the header counts: up to the end mark, each with a deletion mark. A program
/// that appends (or ended while it did) writes the record first and the count later; Clipper and Harbour
/// count by the length of the file, and see them.
pub(crate) fn uncounted_records(header: &Header, file_length: u64, file: &dyn File) -> Result<u64> {
    const BLOCK: u64 = 1 << 16;
    if header.layout == adt::RecordLayout::Adt {
        // Records beyond the header's count do not exist: programs write the count last, and no mark shows their
        // progress.
        return Ok(0);
    }
    let record_length = u64::from(header.record_length);
    let (counted, whole) = (u64::from(header.record_count), header.records_in(file_length));
    let per_block = (BLOCK / record_length.max(1)).max(1);
    let mut found = 0;
    let mut buffer = Vec::new();
    while counted + found < whole {
        let records = per_block.min(whole - counted - found);
        let offset = u64::from(header.header_length) + (counted + found) * record_length;
        buffer.resize((records * record_length) as usize, 0);
        // Another may have taken its record out since the length was asked for.
        let read = file.read_at(&mut buffer, offset)?;
        buffer.truncate(read);
        let sound = buffer.chunks_exact(record_length as usize).take_while(|record| matches!(record[0], b' ' | b'*'));
        let sound = sound.count() as u64;
        found += sound;
        if sound < records {
            break;
        }
    }
    Ok(found)
}

/// Compares the count in the header with the length of the file.
fn check_size(header: &Header, file_length: u64, uncounted: u64, file: &dyn File, findings: &mut Notes) -> Result<()> {
    if header.transaction_open {
        let cause = "a transaction was begun and not ended";
        findings.push((Severity::Warning, cause, cause.to_owned()));
    }
    let header_length = u64::from(header.header_length);
    let record_length = u64::from(header.record_length);
    if file_length < header_length {
        let message = format!("the header says that it has {header_length} bytes; the file has {file_length}");
        findings.push((Severity::Error, "the file is shorter than its header", message));
        return Ok(());
    }
    let count = u64::from(header.record_count);
    let whole = header.records_in(file_length);
    if count > whole {
        let torn = (file_length - header_length) % record_length;
        let tail = if torn == 0 { String::new() } else { format!(" and {torn} bytes of another") };
        let message = format!("the header counts {count} records; the file holds {whole}{tail}");
        findings.push((Severity::Error, "the header counts more records than the file holds", message));
        return Ok(());
    }
    if uncounted > 0 {
        let message = format!("{uncounted} whole records follow those that the header counts; they are read too");
        findings.push((Severity::Warning, "the header counts fewer records than the file holds", message));
    }
    let end = header_length + (count + uncounted) * record_length;
    let beyond = file_length - end;
    let mut first = [0];
    if beyond > 0 && file.read_at(&mut first, end)? == 0 {
        // Another has taken its record out since the length was asked for.
        return Ok(());
    }
    let mark = u64::from(header.layout.end_mark() == Some(first[0]));
    if beyond > mark {
        let message = format!("{} bytes follow the last record that the header counts", beyond - mark);
        findings.push((Severity::Warning, "bytes follow the last record that the header counts", message));
    }
    Ok(())
}
