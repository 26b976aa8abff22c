//! The rules that a record must obey before it is written: values of fields, and the condition of the table.
//!
//! A field may have a default, a least and a greatest value, and may require a value; a table may have a condition.
//! Limits are expressions over constants alone, or, in fields of text, the text itself. A field without a value (NULL,
//! or blanks where there is no NULL, as in DBF tables) obeys its limits.

use mainstay_workarea::{Area, FieldValue};
use mainstay_xbase::dbf::FieldKind;

use crate::constants::*;
use crate::contents::{Contents, Object, Property};
use crate::dates::{self, DateForm};
use crate::failure::{Failure, Result};

/// Returns true if a field of the current record has no value.
pub fn is_null(area: &mut Area, field: usize) -> Result<bool> {
    let Some(definition) = area.fields().get(field) else { return Ok(true) };
    let (kind, has_null) = (definition.kind, definition.null_bit.is_some());
    if has_null && area.is_null(field)? {
        return Ok(true);
    }
    Ok(match kind {
        FieldKind::Integer | FieldKind::Double | FieldKind::Currency | FieldKind::RowVersion => false,
        kind if kind.needs_memo() => area.is_empty(field)?,
        _ => area.field_bytes(field)?.iter().all(|byte| matches!(byte, b' ' | 0)),
    })
}

/// The value that a limit or a default means for a field.
pub fn constant(area: &mut Area, field: usize, text: &str, date_form: DateForm) -> Result<FieldValue> {
    let invalid = || Failure::new(AE_INVALID_CONSTRAINT, format!("'{text}' is no value of the field"));
    let kind = area.fields().get(field).map(|field| field.kind).ok_or_else(invalid)?;
    let trimmed = text.trim();
    if trimmed.eq_ignore_ascii_case("null") {
        return Ok(FieldValue::Null);
    }
    let is_quoted = trimmed.starts_with(['\'', '"']);
    let is_text = matches!(
        kind,
        FieldKind::Character
            | FieldKind::CharacterBinary
            | FieldKind::Varchar
            | FieldKind::VarcharUnconverted
            | FieldKind::Varbinary
    ) || kind.needs_memo();
    if is_text && !is_quoted {
        return Ok(FieldValue::Text(area.encode_text(trimmed)));
    }
    let is_day = matches!(
        kind,
        FieldKind::Date | FieldKind::DateBinary | FieldKind::DateJulian | FieldKind::DatePacked | FieldKind::Timestamp
    );
    if is_day {
        // A day may be written as it is in a file, or as the program writes days.
        let plain = trimmed.trim_matches(['\'', '"', '{', '}']);
        let day = dates::read_stored(plain.as_bytes()).filter(|_| plain.len() == 8);
        let as_program_writes = || {
            let (mask, epoch) = date_form();
            dates::read(plain, &mask, epoch)
        };
        if let Some(day) = day.or_else(as_program_writes).filter(|_| !plain.is_empty()) {
            return Ok(FieldValue::Date(day));
        }
    }
    if kind == FieldKind::Logical
        && let Some(value) = logical(trimmed)
    {
        return Ok(FieldValue::Logical(value));
    }
    area.evaluate(trimmed).map_err(|error| Failure::new(AE_INVALID_CONSTRAINT, error.to_string()))
}

fn logical(text: &str) -> Option<bool> {
    match text.trim_matches(['\'', '"', '.']).to_ascii_uppercase().as_str() {
        "T" | "TRUE" | "Y" | "1" => Some(true),
        "F" | "FALSE" | "N" | "0" => Some(false),
        _ => None,
    }
}

/// Compares a field's value with a limit; texts without trailing blanks.
fn compare(value: &FieldValue, limit: &FieldValue) -> std::cmp::Ordering {
    match (value, limit) {
        (FieldValue::Text(value) | FieldValue::Bytes(value), FieldValue::Text(limit) | FieldValue::Bytes(limit)) => {
            value.trim_ascii_end().cmp(limit.trim_ascii_end())
        }
        (FieldValue::Timestamp { day, .. }, FieldValue::Date(limit)) => day.cmp(limit),
        (value, limit) => value.compare(limit),
    }
}

/// The dictionary's entries of the fields of a table, with their places in it.
fn fields<'c>(area: &Area, contents: &'c Contents, table: &'c str) -> Vec<(usize, &'c Object)> {
    let objects = contents.children(ADS_DD_FIELD_OBJECT, table);
    objects.filter_map(|object| Some((area.field_number(&object.name)?, object))).collect()
}

fn refused(code: u32, object: &Object, message: u32, reason: String) -> Failure {
    Failure::new(code, object.text(message).map_or(reason, str::to_owned))
}

/// Checks that the current record obeys the rules of its table.
///
/// Errors: AE_COLUMN_CANNOT_BE_NULL, AE_MIN_CONSTRAINT_VIOLATION, AE_MAX_CONSTRAINT_VIOLATION,
/// AE_RECORD_CONSTRAINT_VIOLATION, each with the dictionary's message, if it has one.
pub fn check_record(area: &mut Area, contents: &Contents, table: &str, date_form: DateForm) -> Result<()> {
    for (field, object) in fields(area, contents, table) {
        check_field(area, field, object, date_form)?;
    }
    let Some(object) = contents.find(ADS_DD_TABLE_OBJECT, "", table) else { return Ok(()) };
    let Some(condition) = object.text(ADS_DD_TABLE_VALIDATION_EXPR) else { return Ok(()) };
    match area.evaluate_logical(condition)? {
        true => Ok(()),
        false => {
            let reason = format!("the record does not obey {condition}");
            Err(refused(AE_RECORD_CONSTRAINT_VIOLATION, object, ADS_DD_TABLE_VALIDATION_MSG, reason))
        }
    }
}

fn check_field(area: &mut Area, field: usize, object: &Object, date_form: DateForm) -> Result<()> {
    let message = ADS_DD_FIELD_VALIDATION_MSG;
    let needs_value = object.properties.get(&ADS_DD_FIELD_CAN_NULL).and_then(Property::number) == Some(0);
    let limits = [ADS_DD_FIELD_MIN_VALUE, ADS_DD_FIELD_MAX_VALUE].map(|limit| object.text(limit));
    if !needs_value && limits == [None, None] {
        return Ok(());
    }
    if is_null(area, field)? {
        return match needs_value {
            true => {
                let reason = format!("field {} must have a value", object.name);
                Err(refused(AE_COLUMN_CANNOT_BE_NULL, object, message, reason))
            }
            false => Ok(()),
        };
    }
    let value = area.get(field)?;
    if let [Some(least), _] = limits
        && compare(&value, &constant(area, field, least, date_form)?).is_lt()
    {
        let reason = format!("field {} is to be at least {least}", object.name);
        return Err(refused(AE_MIN_CONSTRAINT_VIOLATION, object, message, reason));
    }
    if let [_, Some(greatest)] = limits
        && compare(&value, &constant(area, field, greatest, date_form)?).is_gt()
    {
        let reason = format!("field {} is to be at most {greatest}", object.name);
        return Err(refused(AE_MAX_CONSTRAINT_VIOLATION, object, message, reason));
    }
    Ok(())
}

/// Gives the fields of a new record the defaults of the dictionary.
pub fn set_defaults(area: &mut Area, contents: &Contents, table: &str, date_form: DateForm) -> Result<()> {
    for (field, object) in fields(area, contents, table) {
        if let Some(default) = object.text(ADS_DD_FIELD_DEFAULT_VALUE) {
            let value = constant(area, field, default, date_form)?;
            area.set(field, &value)?;
        }
    }
    Ok(())
}

/// Checks that a field's rules, or without a field the table's, are valid expressions.
pub fn check_definition(
    area: &mut Area,
    contents: &Contents,
    table: &str,
    field: Option<&str>,
    date_form: DateForm,
) -> Result<()> {
    let Some(name) = field else {
        let object = contents.get(ADS_DD_TABLE_OBJECT, "", table)?;
        let condition = object.text(ADS_DD_TABLE_VALIDATION_EXPR).unwrap_or_default();
        return match area.check_expression(condition)? {
            mainstay_workarea::ValueKind::Logical => Ok(()),
            _ => Err(Failure::new(AE_INVALID_CONSTRAINT, format!("{condition} is neither true nor false"))),
        };
    };
    let place = area.field_number(name).ok_or_else(|| Failure::new(AE_INVALID_OBJECT_NAME, name))?;
    let Some(object) = contents.find(ADS_DD_FIELD_OBJECT, table, name) else { return Ok(()) };
    for id in [ADS_DD_FIELD_DEFAULT_VALUE, ADS_DD_FIELD_MIN_VALUE, ADS_DD_FIELD_MAX_VALUE] {
        if let Some(text) = object.text(id) {
            constant(area, place, text, date_form)?;
        }
    }
    Ok(())
}
