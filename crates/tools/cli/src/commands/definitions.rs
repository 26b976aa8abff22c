//! Definitions as statements: the output of `.schema` for native tables and views, and the part of `.dump` before the
//! data.
//!
//! ```text
//!   .dump     sequences, tables with keys and checks, data as INSERT, numbers of identity columns,
//!             indexes, references between tables, views, objects of T-SQL
//! ```
//!
//! References follow the data, so that the order of the tables does not matter. For a file table, `.dump TABLE` writes
//! a native table with its columns and rows.

use super::words;
use crate::errors::{Failure, usage};
use crate::shell::{Flow, Shell};
use crate::tokens::quote_name;
use mainstay_engine::TableInfo;
use mainstay_engine::definitions::{
    Catalog, ColumnDefinition, FilterDefinition, FilterKind, ForeignKeyDefinition, IndexColumn, IndexDefinition,
    KeyDefinition, ReferentialAction, SequenceDefinition, TableDefinition,
};
use mainstay_types::{Code, Error};
use std::fmt::Write;

/// The name of a thing of a schema, as statements write it.
fn qualified(catalog: &Catalog, schema: u64, name: &str) -> String {
    let schema = catalog.schemas.iter().find(|known| known.id == schema).map(|schema| schema.name.as_str());
    match schema {
        Some(schema) if !["main", "public", "dbo"].contains(&schema.to_lowercase().as_str()) => {
            format!("{}.{}", quote_name(schema), quote_name(name))
        }
        _ => quote_name(name),
    }
}

fn table_name(catalog: &Catalog, table: &TableDefinition) -> String {
    qualified(catalog, table.schema, &table.name)
}

fn column_name(table: &TableDefinition, id: u64) -> String {
    table.columns.iter().find(|column| column.id == id).map(|column| quote_name(&column.name)).unwrap_or_default()
}

fn names(table: &TableDefinition, columns: &[u64]) -> String {
    columns.iter().map(|id| column_name(table, *id)).collect::<Vec<_>>().join(", ")
}

fn ordered(table: &TableDefinition, columns: &[IndexColumn]) -> String {
    let column = |column: &IndexColumn| {
        let name = column_name(table, column.column);
        if column.descending { format!("{name} DESC") } else { name }
    };
    columns.iter().map(column).collect::<Vec<_>>().join(", ")
}

/// CREATE TABLE, without its references to other tables. With rows behind it, identity columns take values of theirs.
fn create_table(catalog: &Catalog, table: &TableDefinition, with_rows: bool) -> String {
    let mut parts: Vec<String> = table.columns.iter().map(|column| column_line(catalog, column, with_rows)).collect();
    let key = |word: &str, key: &KeyDefinition| {
        let nulls = if key.nulls_not_distinct { " NULLS NOT DISTINCT" } else { "" };
        let columns: Vec<u64> = key.columns.iter().map(|column| column.column).collect();
        format!("CONSTRAINT {} {word}{nulls} ({})", quote_name(&key.name), names(table, &columns))
    };
    parts.extend(table.primary_key.iter().map(|primary| key("PRIMARY KEY", primary)));
    parts.extend(table.unique.iter().map(|unique| key("UNIQUE", unique)));
    let check = |check: &mainstay_engine::definitions::CheckDefinition| {
        format!("CONSTRAINT {} CHECK ({})", quote_name(&check.name), check.text)
    };
    parts.extend(table.checks.iter().map(check));
    format!("CREATE TABLE {} (\n  {}\n);\n", table_name(catalog, table), parts.join(",\n  "))
}

fn column_line(catalog: &Catalog, column: &ColumnDefinition, with_rows: bool) -> String {
    let mut line = format!("{} {}", quote_name(&column.name), column.sql_type);
    if let Some(computed) = &column.computed {
        let _ = write!(line, " GENERATED ALWAYS AS ({})", computed.text);
        line.push_str(if computed.stored { " STORED" } else { "" });
        return line;
    }
    if let Some(identity) = &column.identity {
        let how = if identity.always && !with_rows { "ALWAYS" } else { "BY DEFAULT" };
        let _ = write!(line, " GENERATED {how} AS IDENTITY");
        if let Some(sequence) = catalog.sequences.iter().find(|sequence| sequence.id == identity.sequence) {
            let _ = write!(line, " (START WITH {} INCREMENT BY {})", sequence.start, sequence.increment);
        }
    }
    if column.not_null {
        line.push_str(" NOT NULL");
    }
    if let Some(default) = &column.default {
        let _ = write!(line, " DEFAULT {default}");
    }
    if let Some(check) = &column.check {
        let _ = write!(line, " CHECK ({check})");
    }
    line
}

fn action(word: &str, action: ReferentialAction) -> String {
    let what = match action {
        ReferentialAction::NoAction => return String::new(),
        ReferentialAction::Restrict => "RESTRICT",
        ReferentialAction::Cascade => "CASCADE",
        ReferentialAction::SetNull => "SET NULL",
        ReferentialAction::SetDefault => "SET DEFAULT",
    };
    format!(" {word} {what}")
}

/// ALTER TABLE that adds a reference.
fn add_reference(catalog: &Catalog, table: &TableDefinition, key: &ForeignKeyDefinition) -> Option<String> {
    let referenced = catalog.tables.iter().find(|other| other.id == key.referenced_table)?;
    let full = if key.match_full { " MATCH FULL" } else { "" };
    Some(format!(
        "ALTER TABLE {} ADD CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({}){full}{}{};\n",
        table_name(catalog, table),
        quote_name(&key.name),
        names(table, &key.columns),
        table_name(catalog, referenced),
        names(referenced, &key.referenced_columns),
        action("ON DELETE", key.on_delete),
        action("ON UPDATE", key.on_update),
    ))
}

fn create_index(catalog: &Catalog, table: &TableDefinition, index: &IndexDefinition) -> String {
    let unique = if index.unique { "UNIQUE " } else { "" };
    let nulls = if index.nulls_not_distinct { " NULLS NOT DISTINCT" } else { "" };
    let filter: Vec<String> = index.filter.iter().map(|filter| condition(table, filter)).collect();
    let filter = if filter.is_empty() { String::new() } else { format!(" WHERE {}", filter.join(" AND ")) };
    format!(
        "CREATE {unique}INDEX {} ON {} ({}){nulls}{filter};\n",
        quote_name(&index.name),
        table_name(catalog, table),
        ordered(table, &index.columns),
    )
}

fn condition(table: &TableDefinition, filter: &FilterDefinition) -> String {
    let column = column_name(table, filter.column);
    let values: Vec<String> = filter.values.iter().map(|value| format!("'{}'", value.replace('\'', "''"))).collect();
    let compared = |sign: &str| format!("{column} {sign} {}", values.join(", "));
    match filter.test {
        FilterKind::Null => format!("{column} IS NULL"),
        FilterKind::NotNull => format!("{column} IS NOT NULL"),
        FilterKind::Equal if values.len() > 1 => format!("{column} IN ({})", values.join(", ")),
        FilterKind::Equal => compared("="),
        FilterKind::NotEqual => compared("<>"),
        FilterKind::Less => compared("<"),
        FilterKind::LessOrEqual => compared("<="),
        FilterKind::Greater => compared(">"),
        FilterKind::GreaterOrEqual => compared(">="),
    }
}

fn create_sequence(catalog: &Catalog, sequence: &SequenceDefinition, next: Option<i64>) -> String {
    let cycle = if sequence.cycle { " CYCLE" } else { "" };
    format!(
        "CREATE SEQUENCE {} INCREMENT BY {} MINVALUE {} MAXVALUE {} START WITH {}{cycle};\n",
        qualified(catalog, sequence.schema, &sequence.name),
        sequence.increment,
        sequence.minimum,
        sequence.maximum,
        next.unwrap_or(sequence.start),
    )
}

/// True if a thing of a schema has this name, as lists of tables write it.
fn named(catalog: &Catalog, schema: u64, name: &str, shown: &str) -> bool {
    qualified(catalog, schema, name).replace('"', "").eq_ignore_ascii_case(shown)
}

/// The statements that define a native table or a view of this name, for `.schema`; `None` for what is a file.
pub(super) fn of_table(shell: &Shell, info: &TableInfo) -> Option<String> {
    let definitions = shell.session.definitions();
    let catalog = &*definitions.shared;
    let is_it = |schema: u64, name: &str| named(catalog, schema, name, &info.name);
    if let Some(view) = catalog.views.iter().find(|view| is_it(view.schema, &view.name)) {
        return Some(create_view(catalog, view));
    }
    let table = catalog.tables.iter().find(|table| is_it(table.schema, &table.name))?;
    let mut text = create_table(catalog, table, false);
    table.indexes.iter().for_each(|index| text.push_str(&create_index(catalog, table, index)));
    table
        .foreign_keys
        .iter()
        .filter_map(|key| add_reference(catalog, table, key))
        .for_each(|line| text.push_str(&line));
    Some(text)
}

fn create_view(catalog: &Catalog, view: &mainstay_engine::definitions::ViewDefinition) -> String {
    let columns: Vec<String> = view.columns.iter().map(|column| quote_name(column)).collect();
    let columns = if columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) };
    format!("CREATE VIEW {}{columns} AS {};\n", qualified(catalog, view.schema, &view.name), view.text)
}

/// `.dump [TABLE]`.
pub(super) fn dump(shell: &mut Shell, arguments: &str) -> Result<Flow, Failure> {
    match &words(arguments)[..] {
        [] => dump_all(shell),
        [name] => dump_one(shell, &name.clone()),
        _ => Err(usage(".dump takes a table, or nothing for all native tables")),
    }
}

fn dump_one(shell: &mut Shell, name: &str) -> Result<Flow, Failure> {
    let info = shell.look_up(|session| session.describe(name))?;
    match of_table(shell, &info) {
        Some(text) if text.starts_with("CREATE VIEW") => shell.print(&text)?,
        Some(_) => {
            let catalog = shell.session.definitions().shared;
            let is_it = |table: &&TableDefinition| named(&catalog, table.schema, &table.name, &info.name);
            let Some(table) = catalog.tables.iter().find(is_it) else { return Ok(Flow::Continue) };
            shell.print(&create_table(&catalog, table, true))?;
            rows(shell, &table_name(&catalog, table), Some(table))?;
            for index in &table.indexes {
                shell.print(&create_index(&catalog, table, index))?;
            }
        }
        None => {
            let columns: Vec<String> = info
                .columns
                .iter()
                .map(|column| {
                    format!(
                        "{} {}{}",
                        quote_name(&column.name),
                        column.sql_type,
                        if column.nullable { "" } else { " NOT NULL" }
                    )
                })
                .collect();
            shell.print(&format!("CREATE TABLE {} (\n  {}\n);\n", quote_name(&info.name), columns.join(",\n  ")))?;
            rows(shell, &quote_name(&info.name), None)?;
        }
    }
    Ok(Flow::Continue)
}

fn dump_all(shell: &mut Shell) -> Result<Flow, Failure> {
    // One transaction: the rows of all tables are of one state.
    let begins = !shell.session.is_in_transaction() && !shell.session.definitions().shared.tables.is_empty();
    if begins {
        shell.session.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")?;
    }
    let done = dump_native(shell).and_then(|()| super::modules::dump(shell));
    if begins {
        shell.session.execute("ROLLBACK")?;
    }
    done?;
    let files = shell.database.file_names()?;
    if !files.is_empty() {
        let count = crate::output::table::count(files.len() as u64, "table");
        shell.print(&format!(
            "-- {count} that are files are not in it; .dump TABLE writes one: {}\n",
            files.join(", ")
        ))?;
    }
    Ok(Flow::Continue)
}

fn dump_native(shell: &mut Shell) -> Result<(), Failure> {
    let catalog = shell.session.definitions().shared;
    let internal = |name: &str| name.starts_with("mainstay_");
    for schema in &catalog.schemas {
        match schema.name.to_lowercase().as_str() {
            "main" | "public" | "dbo" => {}
            // The first object of a language creates it.
            "sys" if !catalog.tables.iter().any(|table| table.schema == schema.id && !internal(&table.name)) => {}
            "sys" => shell.print("CREATE SCHEMA IF NOT EXISTS sys;\n")?,
            _ => shell.print(&format!("CREATE SCHEMA {};\n", quote_name(&schema.name)))?,
        }
    }
    let of_columns = catalog.tables.iter().flat_map(|table| &table.columns).filter_map(|it| it.identity.as_ref());
    let of_columns: Vec<u64> = of_columns.map(|identity| identity.sequence).collect();
    for sequence in catalog.sequences.iter().filter(|sequence| !of_columns.contains(&sequence.id)) {
        let next = shell.session.upcoming_value(sequence.id);
        shell.print(&create_sequence(&catalog, sequence, next))?;
    }
    let tables: Vec<&TableDefinition> = catalog.tables.iter().filter(|table| !internal(&table.name)).collect();
    for table in &tables {
        shell.print(&create_table(&catalog, table, true))?;
        rows(shell, &table_name(&catalog, table), Some(table))?;
        let identity = table.columns.iter().find_map(|column| column.identity.as_ref());
        let sequence = identity.and_then(|identity| catalog.sequences.iter().find(|it| it.id == identity.sequence));
        if let Some(sequence) = sequence
            && let Some(next) = shell.session.upcoming_value(sequence.id)
        {
            let name = qualified(&catalog, sequence.schema, &sequence.name);
            shell.print(&format!("ALTER SEQUENCE {name} RESTART WITH {next};\n"))?;
        }
    }
    for table in &tables {
        for index in &table.indexes {
            shell.print(&create_index(&catalog, table, index))?;
        }
    }
    for table in &tables {
        for key in &table.foreign_keys {
            shell.print(&add_reference(&catalog, table, key).unwrap_or_default())?;
        }
    }
    let of_tsql = super::modules::view_names(shell)?;
    for view in &catalog.views {
        if !of_tsql.contains(&super::modules::plain(&qualified(&catalog, view.schema, &view.name))) {
            shell.print(&create_view(&catalog, view))?;
        }
    }
    Ok(())
}

/// The rows of a table as INSERT; columns that are computed are left out.
fn rows(shell: &mut Shell, name: &str, table: Option<&TableDefinition>) -> Result<(), Failure> {
    let columns = table.map(|table| {
        let given = table.columns.iter().filter(|column| column.computed.is_none());
        given.map(|column| quote_name(&column.name)).collect::<Vec<_>>().join(", ")
    });
    let columns = columns.filter(|columns| !columns.is_empty()).unwrap_or_else(|| "*".to_owned());
    let sql = format!("SELECT {columns} FROM {name}");
    shell.write_inserts(&sql, name).map_err(|failure| match failure {
        Failure::Error(error) if error.code() == Code::UnknownTable => {
            Failure::Error(Error::new(Code::UnknownTable, format!("no table {name}")))
        }
        other => other,
    })
}
