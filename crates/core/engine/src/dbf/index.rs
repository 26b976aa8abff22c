//! CREATE INDEX, DROP INDEX, REINDEX of DBF tables.
//!
//! ```sql
//! CREATE INDEX name ON stock (upper(name))                        -- a tag of stock.cdx
//! CREATE INDEX stock_id ON stock USING ntx (id)                   -- a file stock_id.ntx
//! CREATE INDEX dear ON stock (price DESC) WHERE NOT _deleted      -- FOR .NOT. DELETED(), descending
//! CREATE UNIQUE INDEX id ON stock (id)                            -- a candidate tag: a second key is refused
//! CREATE INDEX city ON stock ('UPPER(CITY)+DTOS(BORN)')           -- an xBase expression as it is
//! CREATE INDEX name ON people (upper(name), born)                 -- of an ADT: a tag of people.adi, UPPER(name);born
//! ```
//! Without USING the index is a tag of the structural CDX, or an NTX file if the table has NTX files and no CDX.
//!
//! Limits: an index file that is not structural belongs to a table if its keys are those of the table's records. Over
//! an empty table this cannot be checked, so the name of the file must begin with the name of the table.

use super::define::open_alone;
use super::values::{place_of, table_name, unknown_field};
use crate::writable::WriteSettings;
use mainstay_columnar::Table;
use mainstay_planner::{CreateIndex, KeyColumn};
use mainstay_types::{Code, Error, Result};
use mainstay_xbase::dbf::{Field, FieldKind};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec};
use mainstay_xbase::table::{DbfTable, is_named_for, structural_extension};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// CREATE INDEX.
pub(super) fn create_index(table: &DbfTable, create: &CreateIndex, how: WriteSettings) -> Result<()> {
    let name = create.name.written.to_uppercase();
    if has_index(table, &create.name.key) {
        return match create.if_not_exists {
            true => Ok(()),
            false => Err(Error::new(Code::Duplicate, format!("there is an index {} already", create.name))),
        };
    }
    let column = |name: &str| key_column(table, name);
    let key = create.xbase_key(&column)?;
    let condition = create.xbase_condition(&column)?;
    let (kind, path) = file_of(table, create)?;
    if create.unique && !matches!(kind, BagKind::Cdx | BagKind::Adi) {
        let error = Error::new(Code::Unsupported, "a UNIQUE index that is no CDX: it would not refuse a second key");
        return Err(error.hint("CREATE UNIQUE INDEX ... USING cdx"));
    }
    let page = table.code_page();
    let encoded = |text: &str| {
        let lacking = || Error::new(Code::InvalidValue, format!("{text} has characters that {} lacks", page.name()));
        page.encode(text).ok_or_else(lacking)
    };
    let spec = IndexSpec {
        condition: condition.as_deref().map(encoded).transpose()?,
        candidate: create.unique,
        descending: create.is_descending(),
        ..IndexSpec::new(&name, encoded(&key)?)
    };
    let mut open = open_alone(table, how)?;
    if let Some(path) = &path
        && open.count()? == 0
        && !is_named_for(path, table.path())
    {
        let message = format!("an empty index file is known as that of {} by its name only", table_name(table));
        let stem = table.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return Err(Error::new(Code::InvalidValue, message).hint(format!("name it {stem}_{}", create.name.key)));
    }
    open.create_index(path.as_deref(), kind, &spec, Building::default())?;
    open.close()
}

/// The kind of file, and its path if it is not the structural CDX.
fn file_of(table: &DbfTable, create: &CreateIndex) -> Result<(BagKind, Option<PathBuf>)> {
    let ends_with = |path: &Path, ending: &str| path.extension().is_some_and(|it| it.eq_ignore_ascii_case(ending));
    if structural_extension(table.path()) == "adi" {
        return match create.using.as_deref() {
            None | Some("adi") => Ok((BagKind::Adi, None)),
            Some(_) => {
                let error = Error::new(Code::Unsupported, "the index of an Advantage table is an ADI");
                Err(error.hint("leave USING out, or USING adi"))
            }
        };
    }
    let kind = match create.using.as_deref() {
        Some("cdx") => BagKind::Cdx,
        Some("ntx") => BagKind::Ntx,
        Some("idx") => BagKind::CompactIdx,
        Some(other) => {
            let error = Error::new(Code::Unsupported, format!("there is no kind of DBF index \"{other}\""));
            return Err(error.hint("USING cdx, ntx or idx"));
        }
        None => {
            // Of a table without records nothing but its name says that a file is one of its own.
            let is_empty = Table::snapshot(table)?.slots() == 0;
            let is_own = |file: &PathBuf| !is_empty || is_named_for(file, table.path());
            let files: Vec<PathBuf> = table.indexes().into_iter().map(|index| index.file).filter(is_own).collect();
            let has = |ending: &str| files.iter().any(|file| ends_with(file, ending));
            if has("ntx") && !has("cdx") { BagKind::Ntx } else { BagKind::Cdx }
        }
    };
    let ending = match kind {
        BagKind::Cdx | BagKind::Adi => return Ok((kind, None)),
        BagKind::Ntx => "ntx",
        _ => "idx",
    };
    let path = table.path().with_file_name(format!("{}.{ending}", create.name.key));
    Ok((kind, Some(path)))
}

/// How a column stands in an xBase expression.
fn key_column(table: &DbfTable, name: &str) -> Result<KeyColumn> {
    let of = |plain: &str, text: &str| Ok(KeyColumn { plain: plain.to_owned(), text: text.to_owned() });
    match name {
        "_deleted" => return of("DELETED()", "IIF(DELETED(),\"T\",\"F\")"),
        "_recno" => return of("RECNO()", "STR(RECNO(),10)"),
        _ => {}
    }
    let field = place_of(table, name).and_then(|place| table.fields().get(place));
    let unknown = || unknown_field(table, name);
    let place = place_of(table, name);
    let Field { name, kind, length, decimals, .. } = field.ok_or_else(unknown)?;
    let begins = name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    if let (true, Some(place)) = (structural_extension(table.path()) == "adi", place) {
        // Parts of Advantage's keys are whole fields, which their numbers name whatever their names are.
        let number = format!("F{}", place + 1);
        return of(&number, &number);
    }
    if !begins || !name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
        let message = format!("the field \"{name}\" cannot be part of a key: an xBase expression cannot name it");
        let error = Error::new(Code::InvalidValue, message).at(format_args!("table {}", table_name(table)));
        return Err(error.hint("rename the column: letters, digits and underscores, a letter first"));
    }
    let text = match kind {
        FieldKind::Numeric if *decimals == 0 => format!("STR({name},{length})"),
        FieldKind::Numeric => format!("STR({name},{length},{decimals})"),
        FieldKind::Integer | FieldKind::IntegerSortable => format!("STR({name},11)"),
        FieldKind::Date => format!("DTOS({name})"),
        FieldKind::Logical => format!("IIF({name},\"T\",\"F\")"),
        _ => name.clone(),
    };
    of(name, &text)
}

/// Returns true if the table has an index of this name.
pub(super) fn has_index(table: &DbfTable, name: &str) -> bool {
    table.indexes().iter().any(|index| index.name.eq_ignore_ascii_case(name))
}

/// DROP INDEX: the tag, and with the last tag of a file the file.
pub(super) fn drop_index(table: &DbfTable, name: &str, how: WriteSettings) -> Result<()> {
    let mut open = open_alone(table, how)?;
    let missing = || Error::new(Code::NotFound, format!("the table {} has no index {name}", table_name(table)));
    match open.find_tag(name) {
        Some(tag) => open.drop_tag(tag)?,
        None if open.drop_damaged_tag(name)? => {}
        None => return Err(missing()),
    }
    open.close()
}

/// REINDEX: all indexes made anew from the records.
pub(super) fn reindex(table: &DbfTable, how: WriteSettings) -> Result<()> {
    let mut open = open_alone(table, how)?;
    open.reindex(&mut |_, _| ControlFlow::Continue(()))?;
    open.close()
}
