//! Expressions over a table's fields, and conversions of texts, dates and times.

use std::cmp::Ordering;

use mainstay_workarea::{FieldValue, ValueKind};

use crate::border::*;
use crate::calls::connections;
use crate::conditions;
use crate::constants::*;
use crate::dates;
use crate::failure::{Failure, Result};
use crate::files;
use crate::registry;
use crate::settings;

fn value(table: Handle, expression: Text) -> Result<FieldValue> {
    let (table, _) = registry::table_or_order(table)?;
    let given = Given::Bytes(expression.required()?);
    table.with(|state| {
        let expression = conditions::meant_in(state, &table.connection, given);
        table.check_value(state, &expression)?;
        Ok(state.area.evaluate(&expression)?)
    })
}

pub fn logical(table: Handle, expression: Text, result: Out<u16>) -> Result<()> {
    match value(table, expression)? {
        FieldValue::Logical(value) => result.set(value.into()),
        FieldValue::Null => result.set(0),
        _ => Err(Failure::new(AE_INVALID_EXPRESSION, "the expression is not logical")),
    }
}

pub fn logical_wide(table: Handle, expression: Wide, result: Out<u16>) -> Result<()> {
    let (table, _) = registry::table_or_order(table)?;
    let expression = conditions::meant_now(&table.connection, &expression.string()?);
    let value = table.with(|state| {
        table.check_value(state, &expression)?;
        Ok(state.area.evaluate_logical(&expression)?)
    })?;
    result.set(value.into())
}

pub fn numeric(table: Handle, expression: Text, result: Out<f64>) -> Result<()> {
    match value(table, expression)? {
        FieldValue::Date(day) => result.set(day.into()),
        FieldValue::Null => result.set(0.0),
        FieldValue::Logical(_) => Err(Failure::new(AE_INVALID_EXPRESSION, "the expression is logical")),
        value => {
            let number = value.as_number();
            result.set(number.ok_or_else(|| Failure::new(AE_INVALID_EXPRESSION, "the expression is not numeric"))?)
        }
    }
}

pub fn string(table: Handle, expression: Text, result: Buffer, length: Out<u16>) -> Result<()> {
    match value(table, expression)? {
        FieldValue::Text(text) | FieldValue::Bytes(text) => result.set_text(length, &text),
        FieldValue::Null => result.set_text(length, b""),
        _ => Err(Failure::new(AE_INVALID_EXPRESSION, "the expression is not a text")),
    }
}

/// An expression with the long or the short names of its fields: in these tables a field has one name.
pub fn same(table: Handle, expression: Text, other: Buffer, length: Out<u16>) -> Result<()> {
    other.set_text(length, &checked(table, expression)?)
}

pub fn same_90(table: Handle, expression: Text, other: Buffer, length: Out<u32>) -> Result<()> {
    other.set_text(length, &checked(table, expression)?)
}

/// An expression that means something over a table's fields.
fn checked(table: Handle, expression: Text) -> Result<Vec<u8>> {
    let (table, _) = registry::table_or_order(table)?;
    let expression = expression.required()?;
    let given = Given::Bytes(expression.clone());
    table.with(|state| {
        let meant = conditions::meant_in(state, &table.connection, given);
        Ok(state.area.check_expression(&meant)?)
    })?;
    Ok(expression)
}

/// The type that an expression gives, as a field's type; AE_INVALID_EXPRESSION for one that gives none.
pub fn kind(table: Handle, expression: Text, kind: Out<u16>) -> Result<()> {
    let (table, _) = registry::table_or_order(table)?;
    let given = Given::Bytes(expression.required()?);
    let found = table.with(|state| {
        let expression = conditions::meant_in(state, &table.connection, given);
        Ok(state.area.check_expression(&expression)?)
    })?;
    kind.set(u16::try_from(number_of(found)).unwrap_or(0))
}

/// A value's type as a field's.
pub fn number_of(kind: ValueKind) -> u32 {
    match kind {
        ValueKind::Text => ADS_STRING,
        ValueKind::Number => ADS_NUMERIC,
        ValueKind::Date => ADS_DATE,
        ValueKind::Logical => ADS_LOGICAL,
        ValueKind::Timestamp | ValueKind::Time | ValueKind::Bytes => ADS_RAW,
    }
}

pub fn is_valid(table: Handle, expression: Text, valid: Out<u16>) -> Result<()> {
    let (table, _) = registry::table_or_order(table)?;
    let given = Given::Bytes(expression.required()?);
    let answer = table.with(|state| {
        let expression = conditions::meant_in(state, &table.connection, given);
        Ok(state.area.check_expression(&expression).is_ok())
    })?;
    valid.set(answer.into())
}

pub fn date_to_julian(connection: Handle, date: Text, length: u16, julian: Out<f64>) -> Result<()> {
    let connection = connections::of(connection)?;
    let text = text_of(date.bytes(length.into())?);
    let epoch = settings::read(|settings| settings.epoch);
    let day = dates::read(&text, &connection.date_format(), epoch);
    julian.set(day.ok_or_else(|| Failure::new(AE_INVALID_DATE, text))?.into())
}

/// A day number as `CCYYMMDD`.
pub fn julian_to_string(julian: f64, text: Buffer, length: Out<u16>) -> Result<()> {
    if !(0.0..=5_400_000.0).contains(&julian) {
        return Err(Failure::new(AE_INVALID_DATE, julian.to_string()));
    }
    text.set_text(length, dates::write(julian as i32, "CCYYMMDD").as_bytes())
}

pub fn string_to_julian(text: Text, length: u16, julian: Out<f64>) -> Result<()> {
    let bytes = text.bytes(length.into())?;
    let day = dates::read_stored(bytes.get(..8).unwrap_or(&bytes));
    julian.set(day.ok_or_else(|| Failure::new(AE_INVALID_DATE, text_of(bytes)))?.into())
}

pub fn milliseconds_to_string(milliseconds: u32, time: Buffer, length: Out<u16>) -> Result<()> {
    if milliseconds >= 86_400_000 {
        return Err(Failure::new(AE_INVALID_VALUE, milliseconds.to_string()));
    }
    time.set_text(length, dates::write_time(i32::try_from(milliseconds).unwrap_or(0)).as_bytes())
}

pub fn string_to_milliseconds(time: Text, length: u16, milliseconds: Out<u32>) -> Result<()> {
    let text = text_of(time.bytes(length.into())?);
    let found = dates::read_time(&text).and_then(|time| u32::try_from(time).ok());
    milliseconds.set(found.ok_or_else(|| Failure::new(AE_INVALID_VALUE, text))?)
}

/// `CCYYMMDD` by the mask of the settings. The caller's place is as long as a mask may be.
pub fn stored_date_to_string(date: Text, formatted: Buffer) -> Result<()> {
    let bytes = date.bytes(8)?;
    let day = dates::read_stored(&bytes).ok_or_else(|| Failure::new(AE_INVALID_DATE, text_of(bytes)))?;
    formatted.set_known(dates::write(day, &settings::date_format()).as_bytes())
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn compare(
    connection: Handle,
    first: Text,
    first_length: u32,
    second: Text,
    second_length: u32,
    _char_set: u16,
    _collation: u32,
    result: Out<i16>,
) -> Result<()> {
    connections::of(connection)?;
    let (first, second) = (first.bytes(first_length as usize)?, second.bytes(second_length as usize)?);
    result.set(first.cmp(&second) as i16)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn compare_without_case_90(
    connection: Handle,
    first: Text,
    first_length: u32,
    second: Text,
    second_length: u32,
    char_set: u16,
    _collation: u32,
    result: Out<i16>,
) -> Result<()> {
    compare_without_case(connection, first, first_length, second, second_length, char_set, result)
}

pub fn compare_without_case(
    connection: Handle,
    first: Text,
    first_length: u32,
    second: Text,
    second_length: u32,
    _char_set: u16,
    result: Out<i16>,
) -> Result<()> {
    connections::of(connection)?;
    let (first, second) = (first.bytes(first_length as usize)?, second.bytes(second_length as usize)?);
    let order: Ordering = first.to_ascii_lowercase().cmp(&second.to_ascii_lowercase());
    result.set(order as i16)
}

/// The parts of a path, by number: drive 1, server 2, volume 3, folder 4, base name 5, file name 6, extension 7.
pub fn path_part(part: u16, file: Text, result: Buffer, length: Out<u16>) -> Result<()> {
    let path = files::path_of(&file.string()?);
    let text =
        |part: Option<&std::ffi::OsStr>| part.map_or_else(String::new, |part| part.to_string_lossy().into_owned());
    let found = match part {
        1..=3 => String::new(),
        4 => path.parent().map_or_else(String::new, |folder| folder.to_string_lossy().into_owned()),
        5 => text(path.file_stem()),
        6 => text(path.file_name()),
        7 => text(path.extension()),
        _ => return Err(Failure::new(AE_INVALID_OPTION, part.to_string())),
    };
    result.set_text(length, found.as_bytes())
}
