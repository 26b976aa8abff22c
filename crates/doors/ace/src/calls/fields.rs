//! Fields: their properties, their values, and setting values.

use mainstay_workarea::{Area, FieldValue};
use mainstay_xbase::adt::{RecordLayout, Type};
use mainstay_xbase::dbf::{Field as Definition, FieldKind};

use crate::border::*;
use crate::conditions::text_in;
use crate::constants::*;
use crate::dates;
use crate::failure::{Failure, Result};
use crate::registry;
use crate::table::{State, Table};

/// The place of the field that a program means.
pub fn number(table: &Table, state: &State, field: Field) -> Result<usize> {
    let fields = state.area.fields();
    match field.name()? {
        FieldName::Number(number) if number <= fields.len() => Ok(number - 1),
        FieldName::Number(number) => Err(Failure::new(AE_INVALID_FIELDNUMBER, number.to_string())),
        FieldName::Name(name) => {
            let name = text_in(&*state.area, name);
            let name = name.trim_end();
            let long = table.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
            let found = long.or_else(|| state.area.field_number(name));
            found.ok_or_else(|| Failure::new(AE_INVALID_FIELDNAME, name))
        }
    }
}

fn definition<T>(table: Handle, field: Field, read: impl FnOnce(&Definition) -> T) -> Result<T> {
    registry::on_table(table, |table| {
        table.without_relation(|state| {
            let number = number(table, state, field)?;
            let definition = state.area.fields().get(number).ok_or(AE_INTERNAL_ERROR)?;
            Ok(read(definition))
        })
    })
}

fn type_in(table: Handle, field: Field) -> Result<u32> {
    registry::on_table(table, |table| {
        table.without_relation(|state| {
            let number = number(table, state, field)?;
            type_of(state.area.form(), number, table.table_type)
        })
    })
}

/// The interface's type of the field at a place of a table.
pub fn type_of(area: &Area, place: usize, table_type: u32) -> Result<u32> {
    let field = area.fields().get(place).ok_or(AE_INTERNAL_ERROR)?;
    if let Some(kind) = field.adt {
        // The codes of an ADT are the interface's.
        return Ok(kind.code().into());
    }
    Ok(if counts(area, place) { ADS_AUTOINC } else { type_by_letter(field, table_type) })
}

/// Returns true if a field is filled by a counter: FoxPro's are integers with a counter in their descriptor.
pub fn counts(area: &Area, place: usize) -> bool {
    let letter = area.fields().get(place).map(|field| field.letter);
    letter == Some(b'+') || letter == Some(b'I') && area.counts_up(place)
}

fn type_by_letter(field: &Definition, table_type: u32) -> u32 {
    match (field.letter, field.kind) {
        (_, FieldKind::CharacterBinary) => ADS_RAW,
        (_, FieldKind::CharacterWide) => ADS_NCHAR,
        (_, FieldKind::Character) => ADS_STRING,
        (b'Q', _) => ADS_VARBINARY_FOX,
        (b'V', FieldKind::Varchar | FieldKind::VarcharUnconverted) => ADS_VARCHAR_FOX,
        (b'V', FieldKind::Any) => ADS_VARCHAR,
        (b'N' | b'F', _) => ADS_NUMERIC,
        (b'D', FieldKind::DateBinary | FieldKind::DateJulian) => ADS_COMPACTDATE,
        (b'D', _) | (b'V', FieldKind::DatePacked) => ADS_DATE,
        (b'L', _) => ADS_LOGICAL,
        (b'P', _) => ADS_IMAGE,
        (b'G' | b'W', _) => ADS_BINARY,
        (_, FieldKind::MemoBinary) if table_type == ADS_VFP => ADS_BINARY,
        (b'M', _) => ADS_MEMO,
        (b'Y', _) => ADS_MONEY,
        (b'T', _) if field.length == 4 => ADS_TIME,
        (b'T' | b'@', _) => ADS_TIMESTAMP,
        (b'=', _) => ADS_MODTIME,
        (b'^', _) => ADS_ROWVERSION,
        (b'+', _) => ADS_AUTOINC,
        (b'I' | b'2' | b'4' | b'V', _) => match field.length {
            2 => ADS_SHORTINT,
            8 => ADS_LONGLONG,
            _ => ADS_INTEGER,
        },
        (b'B' | b'O' | b'8' | b'Z', _) if field.length == 8 => ADS_DOUBLE,
        (b'B', _) => ADS_BINARY,
        _ => ADS_RAW,
    }
}

pub fn count(table: Handle, count: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let fields = table.without_relation(|state| Ok(state.area.fields().len()))?;
    count.set(u16::try_from(fields).unwrap_or(u16::MAX))
}

pub fn name(table: Handle, field: u16, name: Buffer, length: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let text = table.without_relation(|state| {
        let place = usize::from(field).checked_sub(1);
        let long = place.and_then(|place| table.columns.get(place)).cloned();
        let found = long.or_else(|| Some(state.area.fields().get(place?)?.name.clone()));
        found.ok_or_else(|| Failure::new(AE_INVALID_FIELDNUMBER, field.to_string()))
    })?;
    name.set_text(length, text.as_bytes())
}

pub fn field_number(table: Handle, field: Field, place: Out<u16>) -> Result<()> {
    let table = registry::table(table)?;
    let found = table.without_relation(|state| number(&table, state, field))?;
    place.set(u16::try_from(found + 1).unwrap_or(u16::MAX))
}

pub fn field_type(table: Handle, field: Field, kind: Out<u16>) -> Result<()> {
    let found = type_in(table, field)?;
    kind.set(u16::try_from(found).unwrap_or(0))
}

pub fn length(table: Handle, field: Field, length: Out<u32>) -> Result<()> {
    let bytes = definition(table, field, |field| match field.kind {
        FieldKind::CharacterWide => field.length / 2,
        FieldKind::VarcharWide if field.adt.is_some() => field.length / 2 - 1,
        FieldKind::Varchar | FieldKind::Varbinary if field.adt.is_some() => field.length - 2,
        _ => field.length,
    })?;
    length.set(u32::try_from(bytes).unwrap_or(u32::MAX))
}

pub fn length_100(table: Handle, field: Field, options: u32, length: Out<u32>) -> Result<()> {
    match options {
        ADS_CODEUNIT_LENGTH => self::length(table, field, length),
        ADS_BYTE_LENGTH | ADS_BYTE_LENGTH_IN_BUFFER => {
            let bytes = definition(table, field, |field| field.length)?;
            length.set(u32::try_from(bytes).unwrap_or(u32::MAX))
        }
        _ => Err(Failure::new(AE_INVALID_OPTION, options.to_string())),
    }
}

pub fn decimals(table: Handle, field: Field, decimals: Out<u16>) -> Result<()> {
    decimals.set(definition(table, field, |field| field.decimals)?.into())
}

pub fn offset(table: Handle, field: Field, offset: Out<u32>) -> Result<()> {
    offset.set(u32::try_from(definition(table, field, |field| field.offset)?).unwrap_or(u32::MAX))
}

pub fn is_nullable(table: Handle, field: Field, nullable: Out<u16>) -> Result<()> {
    nullable.set(
        definition(table, field, |field| field.null_bit.is_some() || field.adt.is_some_and(Type::can_be_null))?.into(),
    )
}

pub fn is_binary(table: Handle, field: Field, binary: Out<u16>) -> Result<()> {
    let kind = type_in(table, field)?;
    binary.set(matches!(kind, ADS_BINARY | ADS_IMAGE | ADS_RAW | ADS_VARBINARY_FOX).into())
}

/// Works with a field of the current record.
fn on_field<T>(table: Handle, field: Field, work: impl FnOnce(&mut State, usize, &Table) -> Result<T>) -> Result<T> {
    registry::on_table(table, |table| {
        table.on_record(|state| {
            let number = number(table, state, field)?;
            match table.hides(state, number) {
                false => work(state, number, table),
                true => on_hidden(state, |state| work(state, number, table)),
            }
        })
    })
}

/// A field that the user may not read has no value.
#[cold]
fn on_hidden<T>(state: &mut State, work: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
    let aside = state.area.local().map(Area::show_blank);
    let answer = work(state);
    if let Some((area, aside)) = state.area.local().zip(aside) {
        area.take_back(aside);
    }
    answer
}

/// A field's value as text: as it is in the file, dates by the mask, logicals as T and F.
pub fn text(table: Handle, field: Field, buffer: Buffer, length: Out<u32>, option: u16) -> Result<()> {
    let text = on_field(table, field, text_of_field)?;
    buffer.set_text(length, trimmed(&text, option))
}

pub fn text_wide(table: Handle, field: Field, buffer: WideBuffer, length: Out<u32>, option: u16) -> Result<()> {
    let text = on_field(table, field, |state, number, table| {
        if let FieldValue::Text(text) = state.area.get(number)? {
            return Ok(state.area.decode_text(trimmed(&text, option)));
        }
        let text = text_of_field(state, number, table)?;
        Ok(state.area.decode_text(trimmed(&text, option)))
    })?;
    buffer.set_text(length, &text)
}

fn text_of_field(state: &mut State, number: usize, table: &Table) -> Result<Vec<u8>> {
    let mask = || table.connection.date_format();
    Ok(match state.area.get(number)? {
        FieldValue::Date(day) => dates::write(day, &mask()).into_bytes(),
        FieldValue::Timestamp { day, ms } if day == 0 && ms == 0 => Vec::new(),
        FieldValue::Timestamp { day, ms } => {
            format!("{} {}", dates::write(day, &mask()), dates::write_time(ms)).into_bytes()
        }
        FieldValue::Time(ms) => dates::write_time(i32::try_from(ms).unwrap_or(0)).into_bytes(),
        FieldValue::Logical(value) => if value { b"T" } else { b"F" }.to_vec(),
        FieldValue::Text(text) | FieldValue::Bytes(text) => text,
        FieldValue::Null => empty_text(state, number, table)?,
        FieldValue::Integer(_) | FieldValue::Decimal(_) | FieldValue::Number(_) => state.area.get_text(number)?,
    })
}

/// The text of a field that is NULL: that of an empty one. Source: the help page "Null Values".
fn empty_text(state: &mut State, number: usize, table: &Table) -> Result<Vec<u8>> {
    let field = state.area.fields().get(number).map(|field| (field.kind, field.length));
    Ok(match field {
        Some((FieldKind::Date | FieldKind::DateBinary | FieldKind::DateJulian | FieldKind::DatePacked, _)) => {
            dates::write(0, &table.connection.date_format()).into_bytes()
        }
        Some((FieldKind::Logical, _)) => b"F".to_vec(),
        Some((FieldKind::Character, length)) => vec![b' '; length],
        Some((FieldKind::Numeric, length)) if state.area.header().layout == RecordLayout::Adt => vec![b' '; length],
        Some((FieldKind::Numeric, _)) => state.area.get_text(number)?,
        _ => Vec::new(),
    })
}

/// Without the blanks that an option takes away.
fn trimmed(text: &[u8], option: u16) -> &[u8] {
    let mut text = text;
    if u32::from(option) & ADS_LTRIM != 0 {
        text = text.trim_ascii_start();
    }
    if u32::from(option) & ADS_RTRIM != 0 {
        text = text.trim_ascii_end();
    }
    text
}

/// The bytes of a field in the record.
pub fn raw(table: Handle, field: Field, buffer: Buffer, length: Out<u32>) -> Result<()> {
    let bytes = on_field(table, field, |state, number, _| Ok(state.area.field_bytes(number)?.to_vec()))?;
    buffer.set_bytes(length, &bytes)
}

fn wrong_type(state: &State, number: usize) -> Failure {
    let name = state.area.fields().get(number).map_or("", |field| field.name.as_str());
    Failure::new(AE_INVALID_FIELD_TYPE, format!("field {name}"))
}

#[inline]
fn number_of(state: &mut State, number: usize) -> Result<f64> {
    if let Some(area) = state.area.local()
        && let Some(number) = area.plain_number(number)?
    {
        return Ok(number);
    }
    any_number_of(state, number)
}

/// The same of a field that is not one of plain digits.
fn any_number_of(state: &mut State, number: usize) -> Result<f64> {
    match state.area.get(number)? {
        FieldValue::Null => Ok(0.0),
        FieldValue::Text(text) => {
            let text = String::from_utf8_lossy(&text);
            let text = text.trim();
            if text.is_empty() { Ok(0.0) } else { text.parse().map_err(|_| wrong_type(state, number)) }
        }
        value => match value {
            FieldValue::Logical(_) => Err(wrong_type(state, number)),
            value => value.as_number().ok_or_else(|| wrong_type(state, number)),
        },
    }
}

pub fn double(table: Handle, field: Field, value: Out<f64>) -> Result<()> {
    // The value goes to its place from within: on the way out with the result it would be copied from one to the next.
    let mut is_set = false;
    registry::on_table(table, |table| {
        table.with(|state| match plain_number(table, state, field)? {
            Some(found) => {
                is_set = true;
                value.set(found)
            }
            None => Ok(()),
        })
    })?;
    match is_set {
        true => Ok(()),
        false => value.set(on_field(table, field, |state, number, _| number_of(state, number))?),
    }
}

/// The number in a field of plain digits that is given by its number, of a record that is here: most that are asked for.
#[inline]
fn plain_number(table: &Table, state: &mut State, field: Field) -> Result<Option<f64>> {
    let (Some(place), false) = (field.place(), table.may_hide()) else { return Ok(None) };
    match state.area.local() {
        Some(area) if !area.is_eof() && !area.is_bof() => Ok(area.plain_number(place)?),
        _ => Ok(None),
    }
}

/// A field's value, which is found sooner in one of plain digits.
fn value_of(state: &mut State, number: usize) -> Result<FieldValue> {
    let plain = state.area.local().map_or(Ok(None), |area| area.plain_number(number))?;
    plain.map_or_else(|| Ok(state.area.get(number)?), |number| Ok(FieldValue::Number(number)))
}

fn whole(table: Handle, field: Field) -> Result<i64> {
    on_field(table, field, |state, number, _| match value_of(state, number)? {
        FieldValue::Integer(value) => Ok(value),
        FieldValue::Number(value) if value.abs() < 9.3e18 => Ok(value as i64),
        FieldValue::Null => Ok(0),
        FieldValue::Date(day) => Ok(day.into()),
        _ => {
            let value = number_of(state, number)?;
            match value.abs() < 9.3e18 {
                true => Ok(value as i64),
                false => Err(AE_VALUE_OVERFLOW.into()),
            }
        }
    })
}

pub fn long(table: Handle, field: Field, value: Out<i32>) -> Result<()> {
    value.set(i32::try_from(whole(table, field)?).map_err(|_| AE_VALUE_OVERFLOW)?)
}

pub fn short(table: Handle, field: Field, value: Out<i16>) -> Result<()> {
    value.set(i16::try_from(whole(table, field)?).map_err(|_| AE_VALUE_OVERFLOW)?)
}

pub fn long_long(table: Handle, field: Field, value: Out<i64>) -> Result<()> {
    value.set(whole(table, field)?)
}

/// A currency in ten-thousandths.
pub fn money(table: Handle, field: Field, value: Out<i64>) -> Result<()> {
    let found = on_field(table, field, |state, number, _| {
        if state.area.fields().get(number).is_some_and(|field| field.letter == b'Y') {
            return Ok(state.area.get_money(number)?);
        }
        let value = (number_of(state, number)? * 10_000.0).round();
        if value.abs() < 9.2e18 { Ok(value as i64) } else { Err(AE_VALUE_OVERFLOW.into()) }
    })?;
    value.set(found)
}

pub fn logical(table: Handle, field: Field, value: Out<u16>) -> Result<()> {
    let found = on_field(table, field, |state, number, _| match state.area.get(number)? {
        FieldValue::Logical(value) => Ok(value),
        FieldValue::Null => Ok(false),
        _ => Err(wrong_type(state, number)),
    })?;
    value.set(found.into())
}

/// The day of a date or a timestamp; 0 for none.
fn day_of(state: &mut State, number: usize) -> Result<i32> {
    match state.area.get(number)? {
        FieldValue::Date(day) | FieldValue::Timestamp { day, .. } => Ok(day),
        FieldValue::Null => Ok(0),
        _ => Err(wrong_type(state, number)),
    }
}

pub fn julian(table: Handle, field: Field, day: Out<i32>) -> Result<()> {
    let found = on_field(table, field, |state, number, _| day_of(state, number))?;
    day.set(found)
}

pub fn date(table: Handle, field: Field, buffer: Buffer, length: Out<u16>) -> Result<()> {
    let text = on_field(table, field, |state, number, table| {
        Ok(dates::write(day_of(state, number)?, &table.connection.date_format()))
    })?;
    buffer.set_text(length, text.as_bytes())
}

fn milliseconds_of(state: &mut State, number: usize) -> Result<i32> {
    match state.area.get(number)? {
        FieldValue::Timestamp { ms, .. } => Ok(ms),
        FieldValue::Time(ms) => Ok(i32::try_from(ms).unwrap_or(0)),
        FieldValue::Null => Ok(0),
        _ => Err(wrong_type(state, number)),
    }
}

pub fn milliseconds(table: Handle, field: Field, time: Out<i32>) -> Result<()> {
    let found = on_field(table, field, |state, number, _| milliseconds_of(state, number))?;
    time.set(found)
}

pub fn time(table: Handle, field: Field, buffer: Buffer, length: Out<u16>) -> Result<()> {
    let found = on_field(table, field, |state, number, _| milliseconds_of(state, number))?;
    buffer.set_text(length, dates::write_time(found).as_bytes())
}

pub fn is_empty(table: Handle, field: Field, empty: Out<u16>) -> Result<()> {
    let found = on_field(table, field, |state, number, _| Ok(state.area.is_empty(number)?))?;
    empty.set(found.into())
}

pub fn is_null(table: Handle, field: Field, null: Out<u16>) -> Result<()> {
    let found = on_field(table, field, |state, number, _| Ok(state.area.is_null(number)?))?;
    null.set(found.into())
}

pub fn data_length(table: Handle, field: Field, options: u32, length: Out<u32>) -> Result<()> {
    if options > ADS_BYTE_LENGTH_IN_BUFFER {
        return Err(Failure::new(AE_INVALID_OPTION, options.to_string()));
    }
    let bytes = on_field(table, field, |state, number, table| {
        let kind = state.area.fields().get(number).map(|field| field.kind);
        match kind.is_some_and(FieldKind::needs_memo) {
            true => Ok(state.area.memo_length(number)?),
            false => Ok(text_of_field(state, number, table)?.len() as u64),
        }
    })?;
    length.set(u32::try_from(bytes).unwrap_or(u32::MAX))
}
