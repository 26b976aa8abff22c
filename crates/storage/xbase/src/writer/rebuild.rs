//! Rebuilding of tables: created, packed, emptied, restructured, or repaired.
//!
//! ```text
//!   old table --run of records--> each field: its bytes | its memo, stored anew | its value, converted --> new table
//! ```
//! All of these write new files and leave the old ones as they are until the new ones are complete and on the disk;
//! then the new ones take their place (`swap.rs`). An interrupt ends it before that. Indexes are not touched: they are stale afterwards, except for
//! those of a new table.

mod rejects;
mod repair;

pub use repair::{Repair, repair};

use self::rejects::{Rejects, take_out, unreadable};
use super::swap::{self, new_memo, new_table};
use super::{Access, Counting, TableWriter, Telling, WriteOptions, untold};
use crate::adt::{self, RecordLayout};
use crate::codepage::CodePage;
use crate::dbf::{Dbf, Field, FieldKind, FieldSpec, TableSpec, decode_rows};
use crate::memo::{Fetched, Memo, MemoKind, MemoWriter, Window, empty_file};
use crate::{Finding, Severity};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Float64Type, Int32Type, Int64Type, Time32MillisecondType,
    TimestampMillisecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use mainstay_types::interrupt::Pace;
use mainstay_types::{
    Code, Collation, Date, Decimal, Error, Result, SqlType, Time, Timestamp, Value, ValueRef, convert,
};
use mainstay_vfs::{Create, FileSystem, LockMode};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// About how many bytes of records are read at a time.
const RUN_BYTES: u64 = 1 << 20;

/// Creates a table, and its memo file if a field needs one; what is there after a crash is the whole table or
/// nothing that has its name. Fails with `Code::Duplicate` if there is a file of this name.
pub fn create(fs: &dyn FileSystem, path: &Path, spec: &TableSpec, options: &WriteOptions) -> Result<()> {
    if fs.stamp(path).is_ok() {
        return Err(Error::new(Code::Duplicate, "there is a table of this name already").at(path.display()));
    }
    let mut bytes = spec.header((options.clock)().date())?;
    bytes.extend(layout_of(&bytes).end_mark());
    if spec.has_memo() {
        let flex = spec.format == crate::dbf::Format::FoxPro;
        let memo = empty_file(spec.format.memo_kind(), spec.block_size(), flex);
        fs.replace(&memo_path(path, spec.format.memo_kind()), &memo)?;
    }
    fs.replace(path, &bytes)
}

/// The usual name of the memo file, in capitals if the table's is.
fn memo_path(table: &Path, kind: MemoKind) -> PathBuf {
    let extension = match kind {
        MemoKind::DbaseThree | MemoKind::DbaseFour => "dbt",
        MemoKind::FoxPro => "fpt",
        MemoKind::Six => "smt",
        MemoKind::Advantage => "adm",
    };
    let capitals = table.extension().is_some_and(|extension| extension == "DBF" || extension == "ADT");
    table.with_extension(if capitals { extension.to_uppercase() } else { extension.to_owned() })
}

/// Where the values of a new field come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// The old field at this place, converted if the types differ.
    Field(usize),
    /// The same value for all records.
    Value(Value),
    /// Nothing: the field is blank.
    Blank,
}

/// The source and the target of a rebuild.
struct Plan<'a> {
    dbf: &'a Dbf,
    memo: Option<&'a Memo>,
    count: u64,
    /// For each new field.
    sources: &'a [Source],
    /// True if the fields are the same, so that records are copied whole.
    same: bool,
    keep_deleted: bool,
    keep_none: bool,
    /// The part of the old memo file that was read last.
    window: Window,
    /// Given, values that cannot be read are left out of the new table and added here; else those of memos are errors, and
    /// others are copied as they are.
    rejects: Option<&'a mut Rejects>,
    /// Is told how many records of how many are done.
    progress: Telling<'a>,
}

/// A record of the old table.
#[derive(Clone, Copy)]
struct Old<'r> {
    bytes: &'r [u8],
    /// Its number in the table, from 1.
    number: u64,
    /// Its place in the run.
    row: usize,
}

impl TableWriter {
    /// [`TableWriter::pack`]; `progress` is told how many records of how many are done, and may stop it before anything is
    /// changed.
    pub fn pack_telling(&mut self, progress: Telling<'_>) -> Result<()> {
        self.rebuild(None, false, false, progress)
    }

    /// Removes all records and memos. Counters go on counting.
    pub fn zap(&mut self) -> Result<()> {
        self.rebuild(None, true, false, &mut untold)
    }

    /// Gives the table another structure: the fields of `spec`, each with the values that `sources` says. Deleted
    /// records stay, and stay deleted. A value that the new field cannot hold is an error, and nothing is changed.
    pub fn restructure(&mut self, spec: &TableSpec, sources: &[Source]) -> Result<()> {
        if sources.len() != spec.fields.len() {
            let message = format!("{} fields and sources for {} of them", spec.fields.len(), sources.len());
            return Err(Error::new(Code::InvalidValue, message));
        }
        self.rebuild(Some((spec, sources)), false, true, &mut untold)
    }

    fn rebuild(
        &mut self,
        new: Option<(&TableSpec, &[Source])>,
        empty: bool,
        keep_deleted: bool,
        progress: Telling<'_>,
    ) -> Result<()> {
        if self.options.access != Access::Exclusive {
            let message = "the table must be open for exclusive use to be packed, emptied or given other fields";
            return Err(Error::new(Code::Busy, message).at(self.path.display()));
        }
        self.flush()?;
        let same: Vec<Source> = (0..self.fields().len()).map(Source::Field).collect();
        let sources = new.map_or(same.as_slice(), |(_, sources)| sources);
        let header = match new {
            Some((spec, _)) => self.new_header(spec)?,
            None => self.old_header()?,
        };
        let old_memo = self.memo.as_ref().map(MemoWriter::memo);
        let memo = match new {
            Some((spec, _)) if !spec.has_memo() => None,
            Some((spec, _)) if old_memo.is_none() => Some((
                memo_path(&self.path, spec.format.memo_kind()),
                empty_file(spec.format.memo_kind(), spec.block_size(), spec.format == crate::dbf::Format::FoxPro),
            )),
            _ => old_memo.map(|memo| Ok::<_, Error>((memo.path().to_owned(), empty_like(memo)?))).transpose()?,
        };
        let plan = Plan {
            dbf: &self.dbf,
            memo: old_memo,
            count: self.count,
            sources,
            same: new.is_none(),
            keep_deleted,
            keep_none: empty,
            window: Window::default(),
            rejects: None,
            progress,
        };
        let memo_path = memo.as_ref().map(|(path, _)| path.clone());
        let counters: Vec<Option<Counting>> = sources
            .iter()
            .enumerate()
            .map(|(at, source)| self.counter_of(source, new.map(|(spec, _)| &spec.fields[at])))
            .collect();
        let unneeded = old_memo.filter(|_| memo_path.is_none()).map(|memo| memo.path().to_owned());
        let made = write_files(&self.fs, &self.path, &header, memo, &self.options, plan, &counters);
        if let Err(error) = made {
            swap::discard(&*self.fs, &self.path, memo_path.as_deref());
            return Err(error);
        }
        let replaced = self.replace(memo_path.as_deref(), unneeded.as_deref());
        if let Err(error) = &replaced {
            // Half done, perhaps: what would be written to the old files now may be lost with them.
            self.failed = Some(error.to_string());
        }
        replaced?;
        self.reopen()
    }

    fn replace(&self, memo: Option<&Path>, unneeded: Option<&Path>) -> Result<()> {
        swap::swap(&*self.fs, &self.path, memo)?;
        // A memo file that no field needs any more goes with the old structure.
        unneeded.map_or(Ok(()), |unneeded| self.fs.remove(unneeded))
    }

    /// The counter that goes on in a new field: that of the old one, unless the new one was given another.
    fn counter_of(&self, source: &Source, new: Option<&FieldSpec>) -> Option<Counting> {
        let Source::Field(field) = source else { return None };
        if new.is_some_and(|new| new.counter != self.dbf.counter(*field)) {
            return None;
        }
        self.counting.iter().find(|counting| counting.field == *field).copied()
    }

    fn reopen(&mut self) -> Result<()> {
        match TableWriter::open(Arc::clone(&self.fs), &self.path, self.options) {
            Ok(new) => {
                *self = new;
                Ok(())
            }
            Err(error) => {
                self.failed = Some("the table was replaced and could not be opened again".to_owned());
                Err(error)
            }
        }
    }

    /// The header as it is, without records.
    fn old_header(&self) -> Result<Vec<u8>> {
        let mut header = vec![0; self.dbf.header().header_length as usize];
        self.file.read_exact_at(&mut header, 0)?;
        match self.layout() {
            RecordLayout::Dbf => header[4..8].fill(0),
            // The list of reusable records goes with the records.
            RecordLayout::Adt => [24, 40, 48].iter().for_each(|at| header[*at..at + 4].fill(0)),
        }
        Ok(header)
    }

    fn new_header(&self, spec: &TableSpec) -> Result<Vec<u8>> {
        let mut header = spec.header_in_place_of(self.today(), self.fields())?;
        // The structural index stays the table's; it has to be built anew.
        if self.layout() == RecordLayout::Dbf {
            header[28] |= u8::from(self.dbf.header().has_structural_index);
        }
        Ok(header)
    }
}

/// The form of the records behind this header.
fn layout_of(header: &[u8]) -> RecordLayout {
    if adt::is_signature(header) { RecordLayout::Adt } else { RecordLayout::Dbf }
}

/// An empty memo file of the kind and with the marks of this one.
fn empty_like(memo: &Memo) -> Result<Vec<u8>> {
    let mut head = vec![0; 1024];
    let read = memo.file().read_at(&mut head, 0)?;
    head.truncate(read);
    // Larger blocks than any program makes are a broken header's.
    let size = u32::try_from(memo.block_size()).ok().filter(|size| *size <= 1 << 16).unwrap_or(512);
    let flex = head.get(512..521) == Some(b"FlexFile3");
    let mut bytes = empty_file(memo.kind(), size, flex);
    match memo.kind() {
        MemoKind::FoxPro => bytes[8..18].copy_from_slice(head.get(8..18).unwrap_or(&[0; 10])),
        MemoKind::DbaseFour => bytes[8..16].copy_from_slice(head.get(8..16).unwrap_or(&[0; 8])),
        _ => {}
    }
    Ok(bytes)
}

/// Writes the new files, complete and synced, under the names of `swap`.
fn write_files(
    fs: &Arc<dyn FileSystem>,
    path: &Path,
    header: &[u8],
    memo: Option<(PathBuf, Vec<u8>)>,
    options: &WriteOptions,
    plan: Plan<'_>,
    counters: &[Option<Counting>],
) -> Result<()> {
    let wait = options.wait;
    let memo = match memo {
        None => None,
        Some((memo_path, empty)) => {
            let file = fs.create(&new_memo(&memo_path), Create::Truncate)?;
            file.write_at(&empty, 0)?;
            Some(MemoWriter::open(file, header[0], true, wait)?)
        }
    };
    let file = fs.create(&new_table(path), Create::Truncate)?;
    file.try_share(LockMode::Exclusive)?;
    file.write_at(header, 0)?;
    if let Some(mark) = layout_of(header).end_mark() {
        file.write_at(&[mark], header.len() as u64)?;
    }
    let options = WriteOptions { access: Access::Exclusive, durable: false, ..*options };
    let mut new = TableWriter::assemble(Arc::clone(fs), &new_table(path), file, memo, options)?;
    // Texts in fields of any type and in memos are read in the old table's code page and written in the new one's.
    copy(plan, &mut new)?;
    for (field, counter) in counters.iter().enumerate() {
        let place = new.counting.iter().position(|counting| counting.field == field);
        if let (Some(at), Some(counter)) = (place, counter) {
            new.counting[at].next = counter.next;
            new.counting[at].write(&*new.file)?;
        }
    }
    new.write_pending()?;
    if let Some(memo) = &mut new.memo {
        memo.sync()?;
    }
    new.file.sync()
}

fn copy(mut plan: Plan<'_>, new: &mut TableWriter) -> Result<()> {
    if plan.keep_none {
        return Ok(());
    }
    let length = u64::from(plan.dbf.header().record_length);
    let run = (RUN_BYTES / length).max(1);
    let percent = plan.count.div_ceil(100).max(1);
    let (mut buffer, mut start, mut pace) = (Vec::new(), 0, Pace::default());
    while start < plan.count {
        let end = plan.count.min(start + run);
        let records = plan.dbf.read_records(start..end, &mut buffer)?;
        let columns = converted_columns(&plan, new, &records, length as usize)?;
        let unread = if plan.rejects.is_some() { unreadable(&plan, &records)? } else { Vec::new() };
        let mut unread = unread.into_iter().peekable();
        for (row, bytes) in records.iter().enumerate() {
            pace.step()?;
            let done = start + row as u64;
            if done.is_multiple_of(percent) && (plan.progress)(done, plan.count).is_break() {
                return Err(Error::new(Code::Cancelled, "making the table anew was stopped"));
            }
            if plan.dbf.header().layout.is_deleted(bytes) && !plan.keep_deleted {
                continue;
            }
            let old = Old { bytes, number: records.number(row), row };
            let mut made = if plan.same { bytes.to_vec() } else { new.blank.clone() };
            made[0] = bytes[0];
            // An old list is not copied: deleted records that stay are put on the new one.
            let is_linked = new.layout() == RecordLayout::Adt && new.layout().is_deleted(bytes);
            new.layout().set_link(&mut made, 0);
            for (field, column) in columns.iter().enumerate() {
                fill_field(&mut plan, new, field, old, &mut made, column.as_ref())?;
            }
            while let Some(value) = unread.next_if(|value| value.row == row) {
                let field = &plan.dbf.fields()[value.field];
                let Some(rejects) = &mut plan.rejects else { break };
                let cell = &bytes[field.offset..field.offset + field.length];
                rejects.add(value.finding, old.number, &field.name, cell)?;
                take_out(field, &new.blank, &mut made);
            }
            let record = new.append_record(&made)?;
            if is_linked {
                new.link_deleted(record)?;
            }
        }
        start = end;
    }
    Ok(())
}

/// The decoded values of those fields that are converted.
fn converted_columns(
    plan: &Plan<'_>,
    new: &TableWriter,
    records: &crate::dbf::Records<'_>,
    length: usize,
) -> Result<Vec<Option<ArrayRef>>> {
    let column = |(source, field): (&Source, &Field)| match source {
        Source::Field(old) => match plan.dbf.fields().get(*old) {
            Some(old) if !plan.same && !alike(old, field, plan.dbf.code_page(), new.dbf.code_page()) => {
                let rows = records.iter().enumerate().map(|(row, record)| (records.number(row), record));
                decode_rows(old, length, rows, &plan.dbf.decoding(plan.memo)).map(|column| Some(column.vector))
            }
            Some(_) => Ok(None),
            None => Err(Error::new(Code::UnknownColumn, format!("there is no field {}", old + 1))),
        },
        _ => Ok(None),
    };
    plan.sources.iter().zip(new.fields()).map(column).collect()
}

/// Returns true if the bytes of one field mean the same in the other.
fn alike(old: &Field, new: &Field, old_page: CodePage, new_page: CodePage) -> bool {
    let texts =
        [FieldKind::Character, FieldKind::Varchar, FieldKind::VarcharUnconverted, FieldKind::Memo, FieldKind::Any];
    let text = !texts.contains(&new.kind);
    (old.kind, old.length, old.decimals, old.adt) == (new.kind, new.length, new.decimals, new.adt)
        && (text || old_page == new_page)
        && old.null_bit.is_some() == new.null_bit.is_some()
}

fn fill_field(
    plan: &mut Plan<'_>,
    new: &mut TableWriter,
    number: usize,
    record: Old<'_>,
    made: &mut [u8],
    column: Option<&ArrayRef>,
) -> Result<()> {
    let place = |error: Error, name: &str| error.at(format!("record {}, field {name}", record.number));
    let name = new.fields()[number].name.clone();
    match (&plan.sources[number], column) {
        (Source::Blank, _) => Ok(()),
        (Source::Value(value), _) => {
            let value = converted(value.as_ref(), &new.fields()[number]).map_err(|error| place(error, &name))?;
            new.fill(made, std::iter::once((number, value.as_ref())), &mut Vec::new())
        }
        (Source::Field(_), Some(column)) => {
            let value = converted(value_at(column, record.row)?.as_ref(), &new.fields()[number]);
            let value = value.map_err(|error| place(error, &name))?;
            let filled = new.fill(made, std::iter::once((number, value.as_ref())), &mut Vec::new());
            filled.map_err(|error| place(error, &name))
        }
        (Source::Field(old), None) => {
            let old = &plan.dbf.fields()[*old];
            if !plan.same {
                copy_bytes(old, record.bytes, &new.fields()[number].clone(), made);
            }
            if old.kind.needs_memo() {
                move_memo(plan, new, number, old.clone(), record, made)?;
            }
            Ok(())
        }
    }
}

fn copy_bytes(old: &Field, record: &[u8], new: &Field, made: &mut [u8]) {
    made[new.offset..new.offset + new.length].copy_from_slice(&record[old.offset..old.offset + old.length]);
    for (from, to) in [(old.null_bit, new.null_bit), (old.varying_bit, new.varying_bit)] {
        if let (Some(from), Some(to)) = (from, to) {
            let mask = 1 << (to % 8);
            let set = record[from / 8] >> (from % 8) & 1 == 1;
            made[to / 8] = if set { made[to / 8] | mask } else { made[to / 8] & !mask };
        }
    }
}

/// Stores the long value of a field in the new memo file as it stands in the old one.
fn move_memo(
    plan: &mut Plan<'_>,
    new: &mut TableWriter,
    number: usize,
    old: Field,
    record: Old<'_>,
    made: &mut [u8],
) -> Result<()> {
    let cell = &record.bytes[old.offset..old.offset + old.length];
    let (Some(memo), false) = (plan.memo, old.kind == FieldKind::Any) else {
        return move_any(plan, new, number, &old, record, made);
    };
    let found = match memo.reference(cell) {
        Ok(None) => return Ok(()),
        Ok(Some(reference)) => memo.fetch_stored(&reference, &mut plan.window)?,
        Err(reason) => Err(reason),
    };
    let field = new.fields()[number].clone();
    match found {
        Ok((kind, bytes)) => {
            let Some(target) = &mut new.memo else { return Err(Error::new(Code::Internal, "no new memo file")) };
            let reference = target.store_as(kind, &bytes)?;
            crate::dbf::encode_reference(&field, target.memo().kind(), reference.as_ref(), made)
        }
        Err(reason) => {
            damaged(plan, &field, record.number, cell, reason)?;
            crate::dbf::encode_reference(&field, memo.kind(), None, made)
        }
    }
}

/// The rest of a long text of a field of any type; other long values are stored with the length that they say.
fn move_any(
    plan: &mut Plan<'_>,
    new: &mut TableWriter,
    number: usize,
    old: &Field,
    record: Old<'_>,
    made: &mut [u8],
) -> Result<()> {
    let cell = &record.bytes[old.offset..old.offset + old.length];
    let Some((block, length)) = crate::dbf::any_blocks(cell) else { return Ok(()) };
    let mut bytes = Vec::new();
    let fetched = match plan.memo {
        Some(memo) => match length {
            Some(length) => memo.fetch_raw(block, length, &mut plan.window, &mut bytes)?,
            None => Fetched::Damaged("a value whose length is not known".to_owned()),
        },
        None => Fetched::Damaged("the memo file is missing".to_owned()),
    };
    let field = new.fields()[number].clone();
    match (fetched, &mut new.memo) {
        (Fetched::Value, Some(target)) => {
            let block = target.store_raw(&bytes)?;
            let at = field.offset + field.length - 6;
            let narrow =
                u32::try_from(block).map_err(|_| Error::new(Code::Unsupported, "the memo file is too large"))?;
            made[at..at + 4].copy_from_slice(&narrow.to_le_bytes());
            Ok(())
        }
        (Fetched::Damaged(reason), _) => {
            damaged(plan, old, record.number, cell, reason)?;
            made[field.offset..field.offset + field.length].fill(b' ');
            Ok(())
        }
        _ => Err(Error::new(Code::Internal, "no new memo file")),
    }
}

/// A long value that cannot be read: an error, or left out by a repair. `cell` is its reference.
fn damaged(plan: &mut Plan<'_>, field: &Field, record: u64, cell: &[u8], reason: String) -> Result<()> {
    let place = format!("record {record}, field {}", field.name);
    let path = plan.dbf.path().to_owned();
    match &mut plan.rejects {
        Some(rejects) => {
            let finding = Finding::new(Severity::Error, &path, place, reason);
            rejects.add(finding, record, &field.name, cell)
        }
        None => Err(Error::new(Code::Damaged, reason)
            .at(format!("{}, {place}", path.display()))
            .hint("repair the table into a new one")),
    }
}

/// The value as a field takes it.
pub(crate) fn converted(value: ValueRef<'_>, field: &Field) -> Result<Value> {
    let exact = SqlType::Decimal { precision: 38, scale: field.decimals.min(38) };
    let to = match field.kind {
        FieldKind::Numeric if field.is_floating() => SqlType::Double,
        FieldKind::Numeric | FieldKind::Integer | FieldKind::IntegerSortable | FieldKind::Currency => exact,
        FieldKind::RowVersion => SqlType::BigInt,
        FieldKind::Double | FieldKind::DoubleSortable => SqlType::Double,
        FieldKind::Logical => SqlType::Boolean,
        FieldKind::Date | FieldKind::DateBinary | FieldKind::DateJulian | FieldKind::DatePacked => SqlType::Date,
        FieldKind::Timestamp | FieldKind::ModificationTime => SqlType::Timestamp { digits: 3 },
        FieldKind::Time => SqlType::Time { digits: 3 },
        FieldKind::Guid => SqlType::Uuid,
        FieldKind::CharacterBinary | FieldKind::Varbinary | FieldKind::MemoBinary => return Ok(value.to_value()),
        _ => SqlType::VarChar { length: None, collation: Collation::default() },
    };
    convert(value, to)
}

/// One value of a decoded column.
fn value_at(column: &ArrayRef, row: usize) -> Result<Value> {
    if column.is_null(row) {
        return Ok(Value::Null);
    }
    let decimal = |unscaled: i128, scale: i8| Value::Decimal(Decimal::new(unscaled, scale.unsigned_abs()));
    Ok(match column.data_type() {
        DataType::Utf8View => Value::Text(column.as_string_view().value(row).to_owned()),
        DataType::BinaryView => Value::Binary(column.as_binary_view().value(row).to_vec()),
        DataType::FixedSizeBinary(16) => {
            let bytes = column.as_fixed_size_binary().value(row);
            bytes.try_into().map_or(Value::Null, Value::Uuid)
        }
        DataType::Boolean => Value::Boolean(column.as_boolean().value(row)),
        DataType::Int32 => Value::Integer(column.as_primitive::<Int32Type>().value(row).into()),
        DataType::Int64 => Value::Integer(column.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => Value::Float(column.as_primitive::<Float64Type>().value(row)),
        DataType::Date32 => Value::Date(Date(column.as_primitive::<Date32Type>().value(row))),
        DataType::Decimal32(_, scale) => decimal(column.as_primitive::<Decimal32Type>().value(row).into(), *scale),
        DataType::Decimal64(_, scale) => decimal(column.as_primitive::<Decimal64Type>().value(row).into(), *scale),
        DataType::Decimal128(_, scale) => decimal(column.as_primitive::<Decimal128Type>().value(row), *scale),
        DataType::Timestamp(..) => {
            let ms = column.as_primitive::<TimestampMillisecondType>().value(row);
            Timestamp::from_ms(ms).map_or(Value::Null, Value::Timestamp)
        }
        DataType::Time32(_) => {
            let ms = column.as_primitive::<Time32MillisecondType>().value(row);
            Time::from_nanos(i64::from(ms) * 1_000_000).map_or(Value::Null, Value::Time)
        }
        other => return Err(Error::new(Code::Internal, format!("a column of type {other}"))),
    })
}

/// The value of one field of one record, as the reader gives it: the inverse of
/// [`encode`](crate::dbf::encode).
pub fn decode(dbf: &Dbf, memo: Option<&Memo>, field: usize, record: &[u8]) -> Result<Value> {
    let Some(field) = dbf.fields().get(field) else {
        return Err(Error::new(Code::UnknownColumn, format!("there is no field {}", field + 1)));
    };
    let column = decode_rows(field, record.len(), [(0, record)], &dbf.decoding(memo))?;
    value_at(&column.vector, 0)
}
