//! Validation of the existing records when a dictionary gets a new rule, and the table for records that break it.

use std::path::PathBuf;
use std::sync::Arc;

use mainstay_workarea::{Area, AreaOptions, Mode};

use crate::border::*;
use crate::calls::dictionary::properties::Named;
use crate::constants::*;
use crate::dictionary::contents::{Contents, Property};
use crate::dictionary::{Session, rules};
use crate::failure::{Failure, Result};
use crate::files;

/// Treatment of the existing records.
pub struct Validation {
    /// ADS_NO_VALIDATE and its siblings.
    option: u32,
    /// The table for refused records.
    fail_table: Option<String>,
}

impl Validation {
    /// They are left as they are.
    pub fn none() -> Validation {
        Validation { option: ADS_NO_VALIDATE, fail_table: None }
    }

    /// As a program asks for it.
    ///
    /// Errors: AE_INVALID_OPTION.
    pub fn new(option: u16, fail_table: Text) -> Result<Validation> {
        match u32::from(option) {
            option if option <= ADS_VALIDATE_RETURN_ERROR => {
                Ok(Validation { option, fail_table: fail_table.optional_string() })
            }
            other => Err(Failure::new(AE_INVALID_OPTION, other.to_string())),
        }
    }

    /// Records are put aside, into a new table or none.
    pub fn aside(fail_table: Option<String>) -> Validation {
        match fail_table {
            Some(_) => Validation { option: ADS_VALIDATE_WRITE_FAIL, fail_table },
            None => Validation { option: ADS_VALIDATE_RETURN_ERROR, fail_table: None },
        }
    }
}

/// Checks the value that a property of a table or a field is about to get, and the records with it.
pub fn validate(
    session: &Session,
    contents: &Contents,
    named: &Named,
    id: u32,
    value: Option<&Property>,
    validation: &Validation,
) -> Result<()> {
    let Some(value) = value else { return Ok(()) };
    let table = match (named.kind, id) {
        (ADS_DD_TABLE_OBJECT, ADS_DD_TABLE_PRIMARY_KEY) => {
            let area = session.open(contents, &named.name, Mode::ReadOnly)?;
            let index = value.text().unwrap_or_default();
            let order = area.order_named(index).and_then(|order| area.order_info(order));
            return match order {
                Some(order) if order.unique || order.candidate => Ok(()),
                Some(_) => Err(Failure::new(AE_INVALID_KEY_OPTIONS, format!("index {index} is not unique"))),
                None => Err(Failure::new(AE_INVALID_PROPERTY, format!("there is no index {index}"))),
            };
        }
        (ADS_DD_TABLE_OBJECT, ADS_DD_TABLE_PERMISSION_LEVEL) => {
            return match value.number() {
                Some(1..=3) => Ok(()),
                _ => Err(Failure::new(AE_INVALID_PROPERTY, "a permission level is 1, 2 or 3")),
            };
        }
        (ADS_DD_TABLE_OBJECT, ADS_DD_TABLE_VALIDATION_EXPR) => &named.name,
        (
            ADS_DD_FIELD_OBJECT,
            ADS_DD_FIELD_CAN_NULL | ADS_DD_FIELD_MIN_VALUE | ADS_DD_FIELD_MAX_VALUE | ADS_DD_FIELD_DEFAULT_VALUE,
        ) => &named.parent,
        _ => return Ok(()),
    };
    // The new rule, in a private copy.
    let mut changed = contents.clone();
    let object = match named.kind {
        ADS_DD_TABLE_OBJECT => changed.get_mut(ADS_DD_TABLE_OBJECT, "", table)?,
        _ => changed.get_or_add(ADS_DD_FIELD_OBJECT, table, &named.name),
    };
    object.properties.insert(id, value.clone());
    let mut area = session.open(&changed, table, Mode::ReadOnly)?;
    let field = (named.kind == ADS_DD_FIELD_OBJECT).then_some(named.name.as_str());
    rules::check_definition(&mut area, &changed, table, field, session.date_form)
        .map_err(|failure| Failure::new(AE_INVALID_CONSTRAINT, failure.into_detail()))?;
    if id == ADS_DD_FIELD_DEFAULT_VALUE {
        return Ok(());
    }
    area.close()?;
    let date_form = session.date_form;
    let broken = move |area: &mut Area| rules::check_record(area, &changed, table, date_form);
    put_aside(session, contents, table, validation, AE_CONSTRAINT_VALIDATION_ERROR, broken)
}

/// Goes through the records of a table, and treats those as asked that are refused.
pub fn put_aside(
    session: &Session,
    contents: &Contents,
    table: &str,
    validation: &Validation,
    code: u32,
    mut check: impl FnMut(&mut Area) -> Result<()>,
) -> Result<()> {
    if validation.option == ADS_NO_VALIDATE {
        return Ok(());
    }
    let only_reads = validation.option == ADS_VALIDATE_RETURN_ERROR;
    let mode = if only_reads { Mode::ReadOnly } else { Mode::Exclusive };
    let mut area = session.open(contents, table, mode)?;
    let mut refused = Vec::new();
    area.set_order(None)?;
    area.go_top()?;
    while !area.is_eof() {
        if !area.is_deleted()?
            && let Err(failure) = check(&mut area)
        {
            if only_reads {
                let reason = format!("record {} does not obey it: {}", area.record_number(), failure.detail);
                return Err(Failure::new(code, reason));
            }
            refused.push(area.record_number());
        }
        area.skip(1)?;
    }
    if refused.is_empty() {
        return Ok(area.close()?);
    }
    let mut kept = match validation.option {
        ADS_VALIDATE_NO_SAVE => None,
        option => Some(fail_table(session, contents, &area, validation, option == ADS_VALIDATE_APPEND_FAIL)?),
    };
    for record in refused {
        area.go_to(record)?;
        if let Some(kept) = &mut kept {
            kept.append_blank()?;
            for field in 0..area.fields().len() {
                let value = area.get(field)?;
                kept.set(field, &value)?;
            }
            kept.write()?;
        }
        area.delete()?;
        area.write()?;
    }
    kept.map_or(Ok(()), Area::close)?;
    Ok(area.close()?)
}

/// The table for refused records: an existing one if they are appended, else a new one.
fn fail_table(
    session: &Session,
    contents: &Contents,
    area: &Area,
    validation: &Validation,
    appends: bool,
) -> Result<Area> {
    let name = validation.fail_table.as_deref().unwrap_or("savefail.dbf");
    let path: PathBuf = session.table_folder(contents).join(files::with_extension(files::path_of(name), "dbf"));
    let is_there = files::existing(&path);
    let path = is_there.clone().unwrap_or(path);
    if !(appends && is_there.is_some()) {
        let connection = crate::connection::Connection::of_files(Arc::clone(&session.files));
        crate::calls::tables::remove(&connection, &path)?;
        Area::create(&session.files, &path, &area.spec())?;
    }
    let options = AreaOptions { mode: Mode::Exclusive, ..AreaOptions::default() };
    Ok(Area::open(Arc::clone(&session.files), &path, &options)?)
}
