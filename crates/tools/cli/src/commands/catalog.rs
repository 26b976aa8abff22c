//! Commands that list the tables, and the columns and indexes of one.

use crate::errors::Failure;
use crate::progress::size;
use crate::shell::{Flow, Shell};
use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use arrow_schema::ArrowError;
use mainstay_engine::{IndexInfo, Session, TableInfo};
use mainstay_types::{Code, Error};
use std::sync::Arc;

/// Lists the tables.
pub(super) fn tables(shell: &mut Shell, _: &str) -> Result<Flow, Failure> {
    let tables = shell.look_up(Session::tables)?;
    let text = |cell: fn(&TableInfo) -> Option<String>| strings(tables.iter().map(cell));
    let number =
        |cell: fn(&TableInfo) -> Option<u64>| Arc::new(UInt64Array::from_iter(tables.iter().map(cell))) as ArrayRef;
    show(
        shell,
        vec![
            ("table", text(|table| Some(table.name.clone()))),
            ("kind", text(|table| Some(table.kind.clone()))),
            ("rows", number(|table| table.rows)),
            ("deleted", number(|table| table.deleted)),
            ("columns", number(|table| Some(table.columns.len() as u64))),
            ("indexes", number(|table| Some(table.indexes.len() as u64))),
            ("size", text(|table| Some(size(table.bytes)))),
            ("code page", text(|table| table.code_page.clone())),
        ],
    )
}

/// Shows the columns and indexes of a table; lists the tables when none is named.
pub(super) fn schema(shell: &mut Shell, name: &str) -> Result<Flow, Failure> {
    let name = name.trim_matches('"');
    if name.is_empty() {
        return tables(shell, "");
    }
    let table = match shell.look_up(|session| session.describe(name)) {
        Ok(table) => table,
        Err(error) if error.code() == Code::UnknownTable => {
            let text = super::modules::of_name(shell, name)?.ok_or(Failure::Error(error))?;
            shell.print(&text)?;
            return Ok(Flow::Continue);
        }
        Err(error) => return Err(error.into()),
    };
    shell.print(&format!("{}: {}, {}\n", table.name, table.kind, table.path.display()))?;
    let column = |cell: fn(&mainstay_engine::ColumnInfo) -> String| {
        strings(table.columns.iter().map(|column| Some(cell(column))))
    };
    show(
        shell,
        vec![
            ("column", column(|column| column.name.clone())),
            ("type", column(|column| column.sql_type.clone())),
            ("stored as", column(|column| column.native_type.clone())),
            ("null", column(|column| if column.nullable { "yes" } else { "no" }.to_owned())),
        ],
    )?;
    if !table.indexes.is_empty() {
        indexes(shell, &table)?;
    }
    // The original text of T-SQL is shown, not its reduced form.
    let of_tsql = if table.kind == "view" { super::modules::of_name(shell, &table.name)? } else { None };
    if let Some(text) = of_tsql.or_else(|| super::definitions::of_table(shell, &table)) {
        shell.print(&text)?;
    }
    for note in &table.notes {
        shell.print(&format!("note: {note}\n"))?;
    }
    Ok(Flow::Continue)
}

fn indexes(shell: &mut Shell, table: &TableInfo) -> Result<Flow, Failure> {
    let index = |cell: fn(&IndexInfo) -> Option<String>| strings(table.indexes.iter().map(cell));
    show(
        shell,
        vec![
            ("index", index(|index| Some(index.name.clone()))),
            ("file", index(|index| Some(index.file.file_name()?.to_string_lossy().into_owned()))),
            ("key", index(|index| Some(index.key.clone()))),
            ("for", index(|index| Some(index.condition.clone().unwrap_or_default()))),
            ("flags", index(|index| Some(flags(index)))),
            ("used", index(|index| Some(index.unusable.as_ref().map_or("yes".to_owned(), |why| format!("no: {why}"))))),
        ],
    )
}

fn flags(index: &IndexInfo) -> String {
    let flags = [(index.unique, "unique"), (index.descending, "descending")];
    flags.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect::<Vec<_>>().join(" ")
}

/// A column of text.
pub(super) fn strings(cells: impl Iterator<Item = Option<String>>) -> ArrayRef {
    Arc::new(StringArray::from_iter(cells))
}

/// Writes columns as a result.
pub(super) fn show(shell: &mut Shell, columns: Vec<(&str, ArrayRef)>) -> Result<Flow, Failure> {
    let columns = columns.into_iter().map(|(name, array)| (name, array, true));
    let internal = |error: ArrowError| Error::new(Code::Internal, error.to_string());
    let batch = RecordBatch::try_from_iter_with_nullable(columns).map_err(internal)?;
    let shown = shell.look.max_rows.take();
    let done = shell.show(batch);
    shell.look.max_rows = shown;
    done.map(|()| Flow::Continue)
}
