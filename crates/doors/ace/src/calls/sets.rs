//! Setting fields of the current record, and parameters of statements.
//!
//! The first change of a shared record locks it; the lock is released when the record is written, unless the program
//! has taken it itself. A value that does not fit is refused; a text is cut to the length of the field, and the call
//! reports that it was cut.

use std::sync::atomic::Ordering;

use mainstay_types::{Code, Value};
use mainstay_workarea::FieldValue;
use mainstay_xbase::dbf::FieldKind;

use crate::border::*;
use crate::calls::{fields, raw_keys, statements};
use crate::constants::*;
use crate::dates;
use crate::failure::{Failure, Result};
use crate::registry;
use crate::settings;
use crate::table::{State, Table};

/// The bytes of most texts that programs put into fields.
const SHORT_TEXT: usize = 64;

/// Works with a field of a record that may be written.
fn on_field<T>(object: Handle, field: Field, work: impl FnOnce(&mut State, usize, &Table) -> Result<T>) -> Result<T> {
    registry::on_table_or_raw_key(object, |table, order| match order {
        Some(order) => raw_keys::on_raw(order, |state| {
            let number = fields::number(table, state, field)?;
            work(state, number, table)
        }),
        None => table.to_write(|state| {
            let number = fields::number(table, state, field)?;
            check_counting(state, number, table)?;
            work(state, number, table)
        }),
    })
}

/// The failure for a value that the work area refuses.
pub fn refused(error: mainstay_types::Error) -> Failure {
    match error.code() {
        Code::Conflict => Failure::new(AE_RECORD_NOT_LOCKED, error.to_string()),
        Code::InvalidValue => Failure::new(AE_VALUE_OVERFLOW, error.to_string()),
        Code::TypeMismatch => Failure::new(AE_INVALID_FIELD_TYPE, error.to_string()),
        _ => error.into(),
    }
}

/// The kind of a field, which decides the values that it takes.
fn kind_of(state: &State, number: usize) -> Result<FieldKind> {
    state.area.fields().get(number).map(|field| field.kind).ok_or_else(|| AE_INTERNAL_ERROR.into())
}

/// A counting field takes no number, unless the connection's programs give them.
fn check_counting(state: &State, number: usize, table: &Table) -> Result<()> {
    match state.area.fields().get(number) {
        Some(field)
            if fields::counts(state.area.form(), number) && !table.connection.counts_freely.load(Ordering::Relaxed) =>
        {
            Err(Failure::new(AE_INVALID_FIELD_TYPE, format!("field {} counts by itself", field.name)))
        }
        _ => Ok(()),
    }
}

fn wrong_type(state: &State, number: usize) -> Failure {
    let name = state.area.fields().get(number).map_or("", |field| field.name.as_str());
    Failure::new(AE_INVALID_FIELD_TYPE, format!("field {name}"))
}

fn is_number(kind: FieldKind) -> bool {
    use FieldKind::{Currency, Double, DoubleSortable, Integer, IntegerSortable, Numeric, RowVersion};
    matches!(kind, Numeric | Integer | IntegerSortable | Double | DoubleSortable | Currency | RowVersion)
}

fn is_day(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Date | FieldKind::DateBinary | FieldKind::DateJulian | FieldKind::DatePacked)
}

fn is_moment(kind: FieldKind) -> bool {
    matches!(kind, FieldKind::Timestamp | FieldKind::ModificationTime)
}

/// Puts a text into a field of any type: dates by the mask, times as they are written.
fn put_text(state: &mut State, number: usize, table: &Table, text: &[u8]) -> Result<()> {
    let kind = kind_of(state, number)?;
    let epoch = || settings::read(|settings| settings.epoch);
    let readable = || String::from_utf8_lossy(text).into_owned();
    let invalid = || Failure::new(AE_INVALID_DATE, readable());
    if is_day(kind) {
        let day = dates::read_stored(text).filter(|_| text.len() == 8);
        let day = day.or_else(|| dates::read(&readable(), &table.connection.date_format(), epoch()));
        return state.area.set(number, &FieldValue::Date(day.ok_or_else(invalid)?)).map_err(refused);
    }
    if is_moment(kind) {
        let text = readable();
        let (date, time) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        let day = dates::read(date, &table.connection.date_format(), epoch()).ok_or_else(invalid)?;
        let ms = dates::read_time(time).ok_or_else(invalid)?;
        return state.area.set(number, &FieldValue::Timestamp { day, ms }).map_err(refused);
    }
    if kind == FieldKind::Time {
        let ms = dates::read_time(&readable()).and_then(|ms| u32::try_from(ms).ok()).ok_or_else(invalid)?;
        return state.area.set(number, &FieldValue::Time(ms)).map_err(refused);
    }
    let length = state.area.fields().get(number).map_or(0, |field| field.length);
    state.area.set_bytes(number, text).map_err(refused)?;
    let has_width = matches!(
        kind,
        FieldKind::Character
            | FieldKind::CharacterBinary
            | FieldKind::Varchar
            | FieldKind::VarcharUnconverted
            | FieldKind::Varbinary
    );
    match has_width && text.get(length..).is_some_and(|rest| rest.iter().any(|byte| *byte != b' ')) {
        true => Err(Failure::new(AE_DATA_TRUNCATED, format!("{} bytes into {length}", text.len()))),
        false => Ok(()),
    }
}

pub fn string(object: Handle, field: Field, text: Text, length: u32) -> Result<()> {
    let bytes = || match length {
        ADS_NTS => text.required(),
        length => text.bytes(length as usize),
    };
    if let Some(statement) = statements::is_statement(object) {
        return statement.set_parameter(&field.name()?, statements::text_value(bytes()?));
    }
    on_field(object, field, |state, number, table| {
        let mut short = [0; SHORT_TEXT];
        match short.get_mut(..length as usize) {
            // A text that fits here needs no memory of its own.
            Some(short) => {
                text.fill(short)?;
                put_text(state, number, table, short)
            }
            None => put_text(state, number, table, &bytes()?),
        }
    })
}

pub fn string_wide(object: Handle, field: Field, text: Wide, length: u32) -> Result<()> {
    if let Some(statement) = statements::is_statement(object) {
        return statement.set_parameter(&field.name()?, Value::Text(text.of_length(length as usize)?));
    }
    on_field(object, field, |state, number, table| {
        let bytes = state.area.encode_text(&text.of_length(length as usize)?);
        put_text(state, number, table, &bytes)
    })
}

/// The bytes of a field in the record, as many as it has.
pub fn raw(object: Handle, field: Field, bytes: Buffer, length: u32) -> Result<()> {
    on_field(object, field, |state, number, _| {
        kind_of(state, number)?;
        let bytes = bytes.bytes(length as usize)?;
        state.area.set_bytes(number, &bytes).map_err(refused)
    })
}

pub fn double(object: Handle, field: Field, value: f64) -> Result<()> {
    if let Some(statement) = statements::is_statement(object) {
        return statement.set_parameter(&field.name()?, Value::Float(value));
    }
    on_field(object, field, |state, number, _| match is_number(kind_of(state, number)?) {
        true if value.is_finite() => state.area.set_number(number, value).map_err(refused),
        true => Err(Failure::new(AE_INVALID_VALUE, value.to_string())),
        false => Err(wrong_type(state, number)),
    })
}

fn whole(object: Handle, field: Field, value: i64) -> Result<()> {
    if let Some(statement) = statements::is_statement(object) {
        return statement.set_parameter(&field.name()?, Value::Integer(value));
    }
    on_field(object, field, |state, number, _| match is_number(kind_of(state, number)?) {
        true => state.area.set_integer(number, value).map_err(refused),
        false => Err(wrong_type(state, number)),
    })
}

pub fn long(object: Handle, field: Field, value: i32) -> Result<()> {
    whole(object, field, value.into())
}

pub fn short(object: Handle, field: Field, value: i16) -> Result<()> {
    whole(object, field, value.into())
}

pub fn long_long(object: Handle, field: Field, value: i64) -> Result<()> {
    whole(object, field, value)
}

pub fn money(object: Handle, field: Field, value: i64) -> Result<()> {
    let amount = mainstay_types::Decimal::new(value.into(), 4);
    if let Some(statement) = statements::is_statement(object) {
        return statement.set_parameter(&field.name()?, statements::money_value(value));
    }
    on_field(object, field, |state, number, _| match is_number(kind_of(state, number)?) {
        true => state.area.set(number, &FieldValue::Decimal(amount)).map_err(refused),
        false => Err(wrong_type(state, number)),
    })
}

pub fn logical(object: Handle, field: Field, value: u16) -> Result<()> {
    if let Some(statement) = statements::is_statement(object) {
        return statement.set_parameter(&field.name()?, Value::Boolean(value != 0));
    }
    on_field(object, field, |state, number, _| match kind_of(state, number)? {
        FieldKind::Logical => state.area.set_logical(number, value != 0).map_err(refused),
        _ => Err(wrong_type(state, number)),
    })
}

pub fn julian(object: Handle, field: Field, day: i32) -> Result<()> {
    if let Some(statement) = statements::is_statement(object) {
        return statement.set_parameter(&field.name()?, statements::day_value(day));
    }
    on_field(object, field, |state, number, _| match day == 0 || (1_721_426..=5_373_484).contains(&day) {
        true => put_day(state, number, day),
        false => Err(Failure::new(AE_INVALID_DATE, day.to_string())),
    })
}

/// Puts a day into a date, or into the day of a timestamp, whose time stays.
fn put_day(state: &mut State, number: usize, day: i32) -> Result<()> {
    let kind = kind_of(state, number)?;
    if is_day(kind) {
        return state.area.set_julian(number, day).map_err(refused);
    }
    if !is_moment(kind) {
        return Err(wrong_type(state, number));
    }
    let (_, ms) = state.area.get_timestamp(number)?;
    state.area.set(number, &FieldValue::Timestamp { day, ms }).map_err(refused)
}

pub fn date(object: Handle, field: Field, text: Text, length: u16) -> Result<()> {
    known(object)?;
    let bytes = match u32::from(length) {
        ADS_NTS => text.required()?,
        length => text.bytes(length as usize)?,
    };
    if let Some(statement) = statements::is_statement(object) {
        let text = text_of(bytes);
        let epoch = settings::read(|settings| settings.epoch);
        let day = dates::read(&text, &statement.connection.date_format(), epoch);
        let day = day.ok_or_else(|| Failure::new(AE_INVALID_DATE, text))?;
        return statement.set_parameter(&field.name()?, statements::day_value(day));
    }
    on_field(object, field, |state, number, table| match is_day(kind_of(state, number)?) {
        true => put_text(state, number, table, &bytes),
        false => Err(wrong_type(state, number)),
    })
}

pub fn milliseconds(object: Handle, field: Field, time: i32) -> Result<()> {
    known(object)?;
    if !(0..86_400_000).contains(&time) {
        return Err(Failure::new(AE_INVALID_VALUE, time.to_string()));
    }
    if let Some(statement) = statements::is_statement(object) {
        return statement.set_parameter(&field.name()?, statements::time_value(time));
    }
    on_field(object, field, |state, number, _| put_time(state, number, time))
}

/// A timestamp as in the file: the number of its day in the lower half, milliseconds in the upper.
pub fn moment_raw(object: Handle, field: Field, value: Out<u64>, length: u32) -> Result<()> {
    known(object)?;
    let bits = match length {
        8 => value.get()?,
        other => return Err(Failure::new(AE_INVALID_VALUE, format!("a moment has 8 bytes, not {other}"))),
    };
    let (day, ms) = (bits as u32, (bits >> 32) as u32);
    let (Ok(day), Ok(ms)) = (i32::try_from(day), i32::try_from(ms)) else {
        return Err(Failure::new(AE_INVALID_VALUE, format!("{bits:#x}")));
    };
    if !(day == 0 && ms == 0 || (1_721_426..=5_373_484).contains(&day) && ms < 86_400_000) {
        return Err(Failure::new(AE_INVALID_DATE, format!("day {day}, millisecond {ms}")));
    }
    if let Some(statement) = statements::is_statement(object) {
        return statement.set_parameter(&field.name()?, statements::raw_moment_value(day, ms));
    }
    on_field(object, field, |state, number, _| match is_moment(kind_of(state, number)?) {
        true => state.area.set(number, &FieldValue::Timestamp { day, ms }).map_err(refused),
        false => Err(wrong_type(state, number)),
    })
}

/// Puts a time into a time field, or into that of a timestamp, whose day stays; a timestamp without a day gets the
/// first possible one.
fn put_time(state: &mut State, number: usize, time: i32) -> Result<()> {
    match kind_of(state, number)? {
        FieldKind::Time => {
            let time = FieldValue::Time(u32::try_from(time).unwrap_or(0));
            state.area.set(number, &time).map_err(refused)
        }
        kind if is_moment(kind) => {
            let (day, _) = state.area.get_timestamp(number)?;
            let day = if day == 0 && time != 0 { dates::today() } else { day };
            state.area.set(number, &FieldValue::Timestamp { day, ms: time }).map_err(refused)
        }
        _ => Err(wrong_type(state, number)),
    }
}

/// Checks that a handle is a statement's or a table's, before anything else is checked.
fn known(object: Handle) -> Result<()> {
    match statements::is_statement(object) {
        Some(_) => Ok(()),
        None => registry::table(object).map(|_| ()),
    }
}

pub fn time(object: Handle, field: Field, text: Text, length: u16) -> Result<()> {
    known(object)?;
    let text = text_of(text.bytes(length.into())?);
    let time = dates::read_time(&text).ok_or_else(|| Failure::new(AE_INVALID_VALUE, text))?;
    milliseconds(object, field, time)
}

pub fn moment(object: Handle, field: Field, text: Text, length: u32) -> Result<()> {
    known(object)?;
    let bytes = text.bytes(length as usize)?;
    if let Some(statement) = statements::is_statement(object) {
        let text = text_of(bytes);
        let value = statements::moment_value(&text, &statement.connection.date_format());
        return statement.set_parameter(&field.name()?, value.ok_or_else(|| Failure::new(AE_INVALID_DATE, text))?);
    }
    on_field(object, field, |state, number, table| match is_moment(kind_of(state, number)?) {
        true => put_text(state, number, table, &bytes),
        false => Err(wrong_type(state, number)),
    })
}

pub fn empty(object: Handle, field: Field) -> Result<()> {
    if let Some(statement) = statements::is_statement(object) {
        return statement.set_parameter(&field.name()?, Value::Null);
    }
    on_field(object, field, |state, number, _| {
        kind_of(state, number)?;
        state.area.set_blank(number).map_err(refused)
    })
}

pub fn null(object: Handle, field: Field) -> Result<()> {
    if let Some(statement) = statements::is_statement(object) {
        return statement.set_parameter(&field.name()?, Value::Null);
    }
    on_field(object, field, |state, number, _| {
        kind_of(state, number)?;
        match state.area.fields().get(number).map(|field| (field.adt, field.null_bit)) {
            Some((Some(adt), _)) if !adt.can_be_null() => {
                Err(Failure::new(AE_COLUMN_CANNOT_BE_NULL, "the table gives the field its values"))
            }
            Some((Some(_), _) | (None, Some(_))) => state.area.set_null(number).map_err(refused),
            _ => Err(Failure::new(AE_NOT_VFP_NULLABLE_FIELD, "the field cannot be NULL")),
        }
    })
}

/// A long value, in parts: the first part has the total length, and each part its offset.
#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn binary(
    object: Handle,
    field: Field,
    _kind: u16,
    total: u32,
    offset: u32,
    bytes: Buffer,
    length: u32,
) -> Result<()> {
    if let Some(statement) = statements::is_statement(object) {
        return statement.set_parameter(&field.name()?, Value::Binary(bytes.bytes(length as usize)?));
    }
    on_field(object, field, |state, number, _| {
        if !kind_of(state, number)?.needs_memo() {
            return Err(wrong_type(state, number));
        }
        let (total, offset, part) = (total as usize, offset as usize, bytes.bytes(length as usize)?);
        let end = offset.checked_add(part.len()).filter(|end| *end <= total);
        let end = end.ok_or_else(|| Failure::new(AE_INVALID_BINARY_OFFSET, format!("{offset} of {total}")))?;
        let mut value = if offset == 0 { Vec::new() } else { state.area.memo_bytes(number)?.unwrap_or_default() };
        value.resize(if offset == 0 { end } else { value.len().max(end) }, 0);
        if let Some(place) = value.get_mut(offset..end) {
            place.copy_from_slice(&part);
        }
        state.area.set_memo(number, &value).map_err(refused)
    })
}

pub fn from_file(object: Handle, field: Field, _kind: u16, name: Text) -> Result<()> {
    file_into(object, field, &name.string()?)
}

pub fn from_file_wide(object: Handle, field: Field, _kind: u16, name: Wide) -> Result<()> {
    file_into(object, field, &name.string()?)
}

fn file_into(object: Handle, field: Field, name: &str) -> Result<()> {
    use mainstay_vfs::FileSystem;
    on_field(object, field, |state, number, _| {
        if !kind_of(state, number)?.needs_memo() {
            return Err(wrong_type(state, number));
        }
        let path = crate::files::path_of(name);
        let path = crate::files::existing(&path).ok_or_else(|| Failure::new(AE_FILE_NOT_FOUND, name))?;
        let bytes = mainstay_vfs::Disk.read(&path);
        let bytes = bytes.map_err(|error| Failure::new(AE_BINARY_FILE_ERROR, error.to_string()))?;
        state.area.set_memo(number, &bytes).map_err(refused)
    })
}
