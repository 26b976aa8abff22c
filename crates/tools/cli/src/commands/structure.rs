//! LIST STRUCTURE, in the layout of dBASE.
//!
//! ```text
//! Structure for table:    customers.dbf
//! Number of records:      5,000
//! Field  Field Name  Type       Width  Dec  Index
//!     1  ID          Numeric        8         Asc
//!     2  NAME        Character     30        Desc
//! ** Total **                      39
//! ```
//!
//! The total counts one byte a record for the deletion mark. The index column shows whether a tag has exactly this
//! field as its key. Tables that are not xBase files show their SQL types and no widths.

use super::xbase;
use crate::errors::Failure;
use crate::output::table::thousands;
use crate::shell::{Flow, Shell};
use mainstay_engine::{ColumnInfo, TableInfo};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Shows the fields of the table in use.
pub(super) fn show(shell: &mut Shell, _: &str) -> Result<Flow, Failure> {
    let table = xbase::table_in_use(shell)?;
    shell.print(&layout(&table))?;
    Ok(Flow::Continue)
}

/// A field as its file stores it.
#[derive(Debug, PartialEq, Eq)]
struct Stored {
    type_name: String,
    width: Option<usize>,
    decimals: Option<usize>,
}

fn layout(table: &TableInfo) -> String {
    let file = table.path.file_name().unwrap_or(table.path.as_os_str()).to_string_lossy();
    let mut text = format!("{:<24}{file}\n", "Structure for table:");
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(text, "{name:<24}{value}");
        }
    };
    line("Kind:", Some(table.kind.clone()));
    line("Number of records:", table.rows.map(thousands));
    line("Deleted records:", table.deleted.filter(|deleted| *deleted > 0).map(thousands));
    line("Code page:", table.code_page.clone());
    let fields: Vec<Stored> = table.columns.iter().map(|column| stored(column, &table.kind)).collect();
    let names = table.columns.iter().map(|column| column.name.width()).max().unwrap_or(0).max("Field Name".len());
    let types = fields.iter().map(|field| field.type_name.width()).max().unwrap_or(0).max("Type".len());
    let _ = writeln!(text, "Field  {:<names$}  {:<types$}  Width  Dec  Index", "Field Name", "Type");
    for (number, (column, field)) in table.columns.iter().zip(&fields).enumerate() {
        let width = field.width.map(|width| width.to_string()).unwrap_or_default();
        let decimals =
            field.decimals.filter(|decimals| *decimals > 0).map(|number| number.to_string()).unwrap_or_default();
        let name = format!("{}{}", column.name, " ".repeat(names - column.name.width()));
        let row = format!(
            "{:>5}  {name}  {:<types$}  {width:>5}  {decimals:>3}  {:>5}",
            number + 1,
            field.type_name,
            index_of(table, &column.name)
        );
        let _ = writeln!(text, "{}", row.trim_end());
    }
    if fields.iter().all(|field| field.width.is_some()) {
        let total = fields.iter().filter_map(|field| field.width).sum::<usize>() + 1;
        let _ = writeln!(text, "{:<width$}{total:>5}", "** Total **", width = names + types + 11);
    }
    text
}

/// The direction of a tag whose whole key is this column.
fn index_of(table: &TableInfo, column: &str) -> &'static str {
    let tag = table.indexes.iter().find(|index| index.key.trim().eq_ignore_ascii_case(column));
    tag.map_or("", |index| if index.descending { "Desc" } else { "Asc" })
}

/// Reads `N(8,2)`, `C(30)` or `D`; anything else is shown by its SQL type.
fn stored(column: &ColumnInfo, kind: &str) -> Stored {
    let unknown = || Stored { type_name: column.sql_type.clone(), width: None, decimals: None };
    let native = column.native_type.trim();
    if let Some((name, size)) = native.strip_suffix(')').and_then(|native| native.split_once('('))
        && name.chars().count() > 1
    {
        // A field of an ADT, which names its type.
        let mut numbers = size.split(',').map(|number| number.parse().ok());
        let (width, decimals) = (numbers.next().flatten(), numbers.next().flatten());
        return Stored { type_name: name.to_owned(), width, decimals };
    }
    let letter_end = native.chars().next().map_or(0, char::len_utf8);
    let (letter, rest) = native.split_at(letter_end);
    let numbers: Vec<usize> =
        rest.split(|character: char| !character.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
    let Some((name, width)) = field_type(letter, kind) else { return unknown() };
    if rest.starts_with(|first: char| first.is_alphabetic()) {
        return unknown();
    }
    Stored { type_name: name.to_owned(), width: numbers.first().copied().or(width), decimals: numbers.get(1).copied() }
}

/// The name of a field type, and the width of those that have only one.
fn field_type(letter: &str, kind: &str) -> Option<(&'static str, Option<usize>)> {
    let memo = Some(if kind.contains("Visual") { 4 } else { 10 });
    Some(match letter {
        "C" => ("Character", None),
        "N" => ("Numeric", None),
        "F" => ("Float", None),
        "D" => ("Date", Some(8)),
        "L" => ("Logical", Some(1)),
        "M" => ("Memo", memo),
        "G" => ("General", memo),
        "P" => ("Picture", memo),
        "W" => ("Blob", Some(4)),
        "B" | "O" => ("Double", Some(8)),
        "I" => ("Integer", Some(4)),
        "+" => ("Autoincrement", Some(4)),
        "Y" => ("Currency", Some(8)),
        "T" => ("DateTime", Some(8)),
        "@" => ("Timestamp", Some(8)),
        "=" => ("ModTime", Some(8)),
        "^" => ("RowVersion", Some(8)),
        "V" => ("Varchar", None),
        "Q" => ("Varbinary", None),
        "Z" => ("Ansi Character", None),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_engine::IndexInfo;

    fn column(name: &str, native: &str) -> ColumnInfo {
        ColumnInfo { name: name.into(), sql_type: "VARCHAR".into(), native_type: native.into(), nullable: true }
    }

    #[test]
    fn native_types_are_taken_apart() {
        let read = |native: &str| stored(&column("x", native), "Visual FoxPro");
        assert_eq!(read("N(8,2)"), Stored { type_name: "Numeric".into(), width: Some(8), decimals: Some(2) });
        assert_eq!(read("D"), Stored { type_name: "Date".into(), width: Some(8), decimals: None });
        assert_eq!(read("M").width, Some(4));
        for other in ["text", "INT64", "", "é", "C("] {
            let _ = read(other);
        }
        assert_eq!(read("Double").type_name, "VARCHAR");
        let of_adt = Stored { type_name: "CICharacter".into(), width: Some(12), decimals: None };
        assert_eq!(read("CICharacter(12)"), of_adt);
    }

    #[test]
    fn the_layout_is_as_its_golden_file() {
        let index = IndexInfo {
            name: "NAME".into(),
            file: "customers.cdx".into(),
            key: "name".into(),
            condition: None,
            unique: false,
            refuses_equal_keys: false,
            descending: true,
            unusable: None,
        };
        let table = TableInfo {
            name: "customers".into(),
            path: "shop/customers.dbf".into(),
            kind: "dBASE III".into(),
            rows: Some(5_000),
            deleted: Some(3),
            bytes: 1,
            code_page: Some("850".into()),
            columns: vec![
                column("ID", "N(8,0)"),
                column("NAME", "C(30)"),
                column("BALANCE", "N(10,2)"),
                column("NOTES", "M"),
            ],
            indexes: vec![index],
            notes: Vec::new(),
        };
        crate::golden::check("commands/structure.golden.txt", layout(&table).as_bytes());
    }
}
