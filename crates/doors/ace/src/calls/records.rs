//! Appending, writing, deleting and recalling records; copying and rebuilding tables.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use mainstay_types::{Code, Decimal};
use mainstay_workarea::{AreaOptions, CopyOptions, Counting, FieldValue, Mode, WorkArea};
use mainstay_xbase::adt::Type;
use mainstay_xbase::dbf::{FieldKind, FieldSpec, Format, TableSpec};
use mainstay_xbase::writer::Source;

use crate::border::*;
use crate::calls::sets::refused;
use crate::calls::{connections, definitions, dictionary, fields, tables};
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::order::Order;
use crate::registry;
use crate::remote;
use crate::settings::{self, Progress};
use crate::table::{State, Table, is_positioned};

/// Tells the program how far an operation is, each percentage once.
pub struct Teller {
    progress: Progress,
    percent: Option<u16>,
}

impl Teller {
    /// A teller for the callbacks that are registered now.
    pub fn new() -> Teller {
        Teller { progress: settings::read(|settings| settings.progress), percent: None }
    }

    /// So many of so many steps are done; the program may stop the rest.
    pub fn tell(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        let percent = u16::try_from(done.saturating_mul(100).checked_div(all).unwrap_or(100).min(100)).unwrap_or(100);
        if self.percent == Some(percent) {
            return ControlFlow::Continue(());
        }
        self.percent = Some(percent);
        match self.progress.tell(percent) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}

pub fn append(table: Handle) -> Result<()> {
    registry::on_table(table, |table| {
        table.check_writable()?;
        table.go(None, |area| area.append_blank().map_err(append_failed))
    })
}

/// Failures of appending. If another program has the whole table locked, programs expect 1024: rddads makes NetErr() of
/// it, and of any other code an error that ends the program.
fn append_failed(error: mainstay_types::Error) -> Failure {
    match error.code() {
        Code::Busy | Code::LockTimeout => Failure::new(AE_APPEND_LOCK_FAILED, error.to_string()),
        _ => write_failed(error),
    }
}

/// Failures of what writes records and keys.
fn write_failed(error: mainstay_types::Error) -> Failure {
    match error.code() {
        Code::Conflict => Failure::new(AE_RECORD_NOT_LOCKED, error.to_string()),
        _ => error.into(),
    }
}

pub fn write(table: Handle) -> Result<()> {
    registry::on_table(table, |table| table.with(|state| state.area.write().map_err(write_failed)))
}

pub fn write_all() -> Result<()> {
    let tables = registry::all(|_, object| match object {
        registry::Object::Table(table) => Some(Arc::clone(table)),
        _ => None,
    });
    let mut first = Ok(());
    for table in tables {
        first = first.and(table.with(|state| state.area.write().map_err(write_failed)));
    }
    first
}

pub fn cancel(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    table.with(|state| Ok(state.area.cancel()?))
}

pub fn cancel_90(table: Handle, _options: u32) -> Result<()> {
    cancel(table)
}

pub fn flush(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    table.with(|state| Ok(state.area.flush()?))
}

pub fn delete(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    table.to_write(|state| {
        state.area.delete().map_err(write_failed)?;
        state.area.write().map_err(write_failed)
    })
}

pub fn recall(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    table.to_write(|state| {
        state.area.recall().map_err(write_failed)?;
        state.area.write().map_err(write_failed)
    })
}

pub fn recall_all(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    exclusively(&table, |area| {
        area.set_order(None)?;
        for record in 1..=area.record_count(mainstay_workarea::Counting::All)? {
            area.go_to(record)?;
            if area.is_deleted()? {
                area.recall()?;
            }
        }
        area.write()?;
        Ok(area.go_top()?)
    })
}

pub fn is_deleted(table: Handle, deleted: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let answer = table.on_record(|state| Ok(state.area.is_deleted()?))?;
    deleted.set(answer.into())
}

pub fn get(table: Handle, record: Buffer, length: Out<u32>) -> Result<()> {
    let table = registry::table(table)?;
    let bytes = table.on_record(|state| {
        let mut bytes = state.area.record()?.to_vec();
        for (number, field) in state.area.fields().iter().enumerate() {
            if table.hides(state, number)
                && let Some(cell) = bytes.get_mut(field.offset..field.offset + field.length)
            {
                cell.fill(b' ');
            }
        }
        Ok(bytes)
    })?;
    record.set_bytes(length, &bytes)
}

/// Replaces the record's fields by those of a record's bytes. Memos stay: a reference is no value.
pub fn set(object: Handle, record: Buffer, length: u32) -> Result<()> {
    set_bytes(object, record, length, false)
}

/// The same of the fields that are whole in the first bytes of a record.
pub fn set_partial(object: Handle, record: Buffer, length: u32) -> Result<()> {
    set_bytes(object, record, length, true)
}

fn set_bytes(object: Handle, record: Buffer, length: u32, is_partial: bool) -> Result<()> {
    let table = registry::table(object)?;
    table.to_write(|state| {
        let expected = state.area.header().record_bytes();
        let fits = if is_partial { length as usize <= expected } else { length as usize == expected };
        if !fits {
            return Err(Failure::new(AE_INVALID_RECORD_LENGTH, format!("{length}, not {expected}")));
        }
        let bytes = record.bytes(length as usize)?;
        for number in 0..state.area.fields().len() {
            let Some(field) = state.area.fields().get(number) else { break };
            if !field.kind.needs_memo()
                && field.letter != b'+'
                && let Some(cell) = bytes.get(field.offset..field.offset + field.length)
            {
                put_cell(&mut *state.area, number, cell)?;
            }
        }
        let layout = state.area.header().layout;
        match bytes.first() {
            None => Ok(()),
            Some(&flag) if layout.is_deleted_flag(flag) => state.area.delete().map_err(refused),
            Some(_) => state.area.recall().map_err(refused),
        }
    })
}

/// The bytes that a field has in a record, as its value.
fn put_cell(area: &mut dyn WorkArea, number: usize, cell: &[u8]) -> Result<()> {
    let Some((kind, adt)) = area.fields().get(number).map(|field| (field.kind, field.adt)) else { return Ok(()) };
    match adt {
        // The table fills these.
        Some(Type::AutoIncrement | Type::RowVersion | Type::ModTime) => return Ok(()),
        Some(adt) if adt.is_null(cell) => return area.set(number, &FieldValue::Null).map_err(refused),
        _ => {}
    }
    let whole = |bytes: &[u8]| {
        let unused = 64 - 8 * bytes.len().clamp(1, 8) as u32;
        let value = bytes.iter().take(8).rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
        (value << unused) as i64 >> unused
    };
    let half = |from: usize| i32::try_from(whole(cell.get(from..from + 4).unwrap_or(&[0]))).unwrap_or(0);
    let set = match kind {
        FieldKind::Integer | FieldKind::RowVersion => area.set_integer(number, whole(cell)),
        FieldKind::Currency => area.set(number, &FieldValue::Decimal(Decimal::new(whole(cell).into(), 4))),
        FieldKind::Double => match cell.try_into().map(f64::from_le_bytes) {
            Ok(value) => area.set_number(number, value),
            Err(_) => Ok(()),
        },
        FieldKind::Timestamp | FieldKind::ModificationTime => {
            area.set(number, &FieldValue::Timestamp { day: half(0), ms: half(4) })
        }
        FieldKind::DateJulian => area.set(number, &FieldValue::Date(half(0))),
        FieldKind::Varchar | FieldKind::Varbinary if adt.is_some() => {
            let (text, length) = cell.split_at(cell.len().saturating_sub(2));
            let length = usize::try_from(whole(length)).unwrap_or(0).min(text.len());
            area.set_bytes(number, &text[..length])
        }
        FieldKind::Guid => match cell.try_into() {
            Ok(uuid) => area.set_bytes(number, mainstay_types::uuid::display(uuid).to_string().as_bytes()),
            Err(_) => Ok(()),
        },
        FieldKind::Time => area.set(number, &FieldValue::Time(u32::try_from(half(0)).unwrap_or(0))),
        _ => area.set_bytes(number, cell),
    };
    set.map_err(refused)
}

/// Runs work that needs exclusive use of the table.
fn exclusively<T>(table: &Arc<Table>, work: impl FnOnce(&mut dyn WorkArea) -> Result<T>) -> Result<T> {
    table.check_writable()?;
    if table.is_shared() {
        return Err(Failure::new(AE_TABLE_NOT_EXCLUSIVE, table.path.display().to_string()));
    }
    table.go(None, work)
}

fn stopped(error: mainstay_types::Error) -> Failure {
    match error.code() {
        Code::Cancelled => Failure::new(AE_OPERATION_ABORTED, "the program's function has stopped it"),
        _ => error.into(),
    }
}

pub fn pack(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    let mut teller = Teller::new();
    exclusively(&table, |area| {
        area.pack(&mut |done, all| teller.tell(done, all)).map_err(stopped)?;
        let _ = teller.tell(1, 1);
        Ok(())
    })
}

pub fn zap(table: Handle) -> Result<()> {
    let table = registry::table(table)?;
    dictionary::opening::check_zap(&table)?;
    exclusively(&table, |area| Ok(area.zap()?))
}

pub fn reindex(object: Handle) -> Result<()> {
    let (table, _) = registry::table_or_order(object)?;
    let mut teller = Teller::new();
    exclusively(&table, |area| {
        area.reindex(&mut |done, all| teller.tell(done, all)).map_err(stopped)?;
        // A program that shows a bar waits for its end; it is too late to stop anything.
        let _ = teller.tell(1, 1);
        Ok(())
    })?;
    table.with(|state| table.name_orders(state))
}

pub fn reindex_61(object: Handle, _page_size: u32) -> Result<()> {
    reindex(object)
}

fn format_of(table_type: u32) -> Format {
    match table_type {
        ADS_NTX => Format::DbaseThree,
        ADS_VFP => Format::VisualFoxPro,
        ADS_ADT => Format::Advantage,
        _ => Format::FoxPro,
    }
}

/// Copies what a table or an order shows (ADS_RESPECTFILTERS), what its scope leaves, or everything, into a new table.
fn copy_as(object: Handle, option: u16, file: Text, table_type: Option<u32>) -> Result<()> {
    let (table, order) = registry::table_or_order(object)?;
    let everything = match u32::from(option) {
        ADS_RESPECTFILTERS | ADS_RESPECTSCOPES => false,
        ADS_IGNOREFILTERS => true,
        _ => return Err(Failure::new(AE_INVALID_FILTER_OPTION, option.to_string())),
    };
    table.check_reads_all()?;
    let ending = tables::extension(table_type.unwrap_or(table.table_type));
    let path = table.connection.place(&file.string()?, ending);
    if path == table.path {
        return Err(AE_SAME_TABLE.into());
    }
    if tables::is_open(&path) {
        return Err(Failure::new(AE_FILE_IN_USE, path.display().to_string()));
    }
    tables::remove(&table.connection, &path)?;
    let mut teller = Teller::new();
    // The rows of a statement of a server are here when they are few, and the copy is to be there.
    if table.connection.server.is_some() && table.with(|state| Ok(state.area.local().is_some()))? {
        let respects = if everything { None } else { Some(u32::from(option)) };
        return copy_to_server(&table, order.as_deref(), respects, (&path, table_type), &mut teller);
    }
    table.with(|state| {
        let filters = (state.area.filter().map(str::to_owned), state.area.aof().map(str::to_owned));
        state.area.set_order(order.as_ref().map(|order| order.id))?;
        // A scope alone is asked for: what else hides records is put aside.
        let aside = u32::from(option) == ADS_RESPECTSCOPES && filters.0.is_some();
        if aside {
            state.area.set_filter(None)?;
        }
        let options = CopyOptions { format: table_type.map(format_of), everything, ..CopyOptions::default() };
        let copied = state.area.copy_to(&path, &options, &mut |done, all| teller.tell(done, all)).map_err(stopped);
        if aside {
            state.area.set_filter(filters.0.as_deref())?;
        }
        copied.map(|_| ())
    })
}

/// Copies rows that are here into a new table of the connection's server: what is shown, what the scope leaves, or all.
///
/// Errors: those of making the table and of its records; nothing of it stays then.
fn copy_to_server(
    from: &Arc<Table>,
    order: Option<&Order>,
    respects: Option<u32>,
    (path, table_type): (&Path, Option<u32>),
    teller: &mut Teller,
) -> Result<()> {
    let Some(server) = &from.connection.server else { return Err(AE_INTERNAL_ERROR.into()) };
    let spec = from.with(|state| {
        let own = state.area.spec();
        let format = table_type.map_or(own.format, format_of);
        let fields = state.area.fields().iter().zip(&own.fields);
        let fields = fields.map(|(field, own)| FieldSpec::in_format(field, own.counter, format)).collect();
        Ok(TableSpec { format, fields, ..own })
    })?;
    tables::make(&from.connection, path, &spec)?;
    let options = AreaOptions { mode: Mode::Exclusive, open_structural: false, ..AreaOptions::default() };
    let (mut to, _) = remote::open(server, &[path.to_path_buf()], &options)?;
    let copied = from.with(|state| {
        state.area.set_order(order.map(|order| order.id))?;
        let filter = state.area.filter().map(str::to_owned).filter(|_| respects == Some(ADS_RESPECTSCOPES));
        if filter.is_some() {
            state.area.set_filter(None)?;
        }
        let place = state.area.record_number();
        let copied = copy_rows(state, &mut *to, respects.is_some(), teller);
        if filter.is_some() {
            state.area.set_filter(filter.as_deref())?;
        }
        state.area.go_to(place)?;
        copied
    });
    let closed = to.close();
    copied.and_then(|()| Ok(closed?)).or_else(|failure| {
        tables::remove(&from.connection, path)?;
        Err(failure)
    })
}

fn copy_rows(state: &mut State, to: &mut dyn WorkArea, respects: bool, teller: &mut Teller) -> Result<()> {
    let (fields, all) = (state.area.fields().len(), u64::from(state.area.record_count(Counting::All)?));
    if respects { state.area.go_top() } else { state.area.go_to(1) }?;
    for done in 0.. {
        if !is_positioned(&*state.area) {
            break;
        }
        if teller.tell(done, all).is_break() {
            return Err(Failure::new(AE_OPERATION_ABORTED, "the program's function has stopped it"));
        }
        to.append_blank()?;
        for field in 0..fields {
            let value = state.area.get(field)?;
            to.set(field, &value).map_err(refused)?;
        }
        if state.area.is_deleted()? {
            to.delete()?;
        }
        to.write()?;
        if respects { state.area.skip(1) } else { state.area.go_to(state.area.record_number() + 1) }?;
    }
    Ok(())
}

pub fn copy(object: Handle, option: u16, file: Text) -> Result<()> {
    copy_as(object, option, file, None)
}

pub fn convert(object: Handle, option: u16, file: Text, table_type: u16) -> Result<()> {
    match u32::from(table_type) {
        table_type @ (ADS_NTX | ADS_CDX | ADS_ADT | ADS_VFP) => copy_as(object, option, file, Some(table_type)),
        other => Err(Failure::new(AE_INVALID_TABLETYPE, other.to_string())),
    }
}

pub fn copy_structure(table: Handle, file: Text) -> Result<()> {
    let table = registry::table(table)?;
    let path = table.connection.place(&file.string()?, tables::extension(table.table_type));
    if path == table.path {
        return Err(AE_SAME_TABLE.into());
    }
    if tables::is_open(&path) {
        return Err(Failure::new(AE_FILE_IN_USE, path.display().to_string()));
    }
    let spec = table.with(|state| Ok(state.area.spec()))?;
    tables::make(&table.connection, &path, &spec)
}

pub fn copy_structure_81(table: Handle, file: Text, _options: u32) -> Result<()> {
    copy_structure(table, file)
}

/// Appends to another open table what this one shows, field by field of the same name.
pub fn copy_contents(from: Handle, to: Handle, option: u16) -> Result<()> {
    registry::table_or_order(from)?;
    match u32::from(option) {
        ADS_RESPECTFILTERS | ADS_RESPECTSCOPES => copy_some(from, to, true, u32::MAX),
        ADS_IGNOREFILTERS => copy_some(from, to, false, u32::MAX),
        _ => Err(Failure::new(AE_INVALID_FILTER_OPTION, option.to_string())),
    }
}

/// The same of so many records, those that are shown or all.
pub fn copy_some(from: Handle, to: Handle, respect: bool, most: u32) -> Result<()> {
    let (from, order) = registry::table_or_order(from)?;
    let to = registry::table(to)?;
    if Arc::ptr_eq(&from, &to) {
        return Err(AE_SAME_TABLE.into());
    }
    from.check_reads_all()?;
    to.check_writable()?;
    let names = |state: &mut State| Ok(state.area.fields().iter().map(|field| field.name.clone()).collect::<Vec<_>>());
    let (source, target) = (from.with(names)?, to.with(names)?);
    let pairs: Vec<(usize, usize)> = source
        .iter()
        .enumerate()
        .filter_map(|(from, name)| Some((from, target.iter().position(|other| other.eq_ignore_ascii_case(name))?)))
        .collect();
    from.go(order.as_deref(), |area| Ok(if respect { area.go_top() } else { area.go_to(1) }?))?;
    for _ in 0..most {
        let values = from.with(|state| {
            if !is_positioned(&*state.area) {
                return Ok(None);
            }
            let values =
                pairs.iter().map(|(from, to)| Ok((*to, state.area.get(*from)?))).collect::<Result<Vec<_>>>()?;
            Ok(Some((values, state.area.is_deleted()?)))
        })?;
        let Some((values, deleted)) = values else { break };
        to.go(None, |area| {
            area.append_blank()?;
            for (field, value) in &values {
                area.set(*field, value).map_err(refused)?;
            }
            if deleted {
                area.delete()?;
            }
            Ok(area.write()?)
        })?;
        from.go(order.as_deref(), |area| match respect {
            true => Ok(area.skip(1)?),
            false => Ok(area.go_to(area.record_number() + 1)?),
        })?;
    }
    Ok(())
}

/// Gives a table other fields: new ones, some taken away, some changed (`NAME,NEWNAME,Type,Length;`).
#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn restructure(
    connection: Handle,
    name: Text,
    _password: Text,
    table_type: u16,
    char_type: u16,
    lock_type: u16,
    _rights: u16,
    add: Text,
    delete: Text,
    change: Text,
) -> Result<()> {
    let add = add.optional_string().unwrap_or_default();
    let delete = delete.optional_string().unwrap_or_default();
    let change = change.optional_string().unwrap_or_default();
    let alone =
        tables::Wanted { alias: None, table_type, char_type, lock_type, options: ADS_EXCLUSIVE, statement: None };
    let table = registry::table(tables::open_named(connection, name.string()?, &alone)?)?;
    let mut teller = Teller::new();
    let answer = table.go(None, |area| {
        let (spec, sources) = definitions::restructured(&area.spec(), &add, &delete, &change, table.table_type)?;
        let sources: Vec<Source> = sources.into_iter().map(|from| from.map_or(Source::Blank, Source::Field)).collect();
        area.restructure(&spec, &sources, &mut |done, all| teller.tell(done, all))
            .map_err(|error| Failure::new(AE_RESTRUCTURE_FAILED, error.to_string()))
    });
    answer.and(table.close())
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn restructure_90(
    connection: Handle,
    name: Text,
    password: Text,
    table_type: u16,
    char_type: u16,
    lock_type: u16,
    rights: u16,
    add: Text,
    delete: Text,
    change: Text,
    collation: Text,
) -> Result<()> {
    connections::of(connection)?;
    tables::no_collation(collation)?;
    restructure(connection, name, password, table_type, char_type, lock_type, rights, add, delete, change)
}

/// The number that an autoincrement field of the last appended record got.
pub fn last_counter(object: Handle, number: Out<u32>) -> Result<()> {
    let table = registry::table(object)?;
    let last = table.with(|state| {
        let form = state.area.form();
        let field = (0..form.fields().len()).find(|field| fields::counts(form, *field));
        match field {
            Some(field) if is_positioned(&*state.area) => Ok(state.area.get_integer(field)?),
            Some(_) => Err(AE_NO_CURRENT_RECORD.into()),
            None => Err(Failure::new(AE_INVALID_FIELD_TYPE, "the table has no autoincrement field")),
        }
    })?;
    number.set(u32::try_from(last).unwrap_or(0))
}
