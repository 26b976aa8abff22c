//! The definitions of a database as statements of Informix SQL, as `dbschema` writes them.
//!
//! ```text
//!   create table stock
//!     (
//!       id serial not null,
//!       name char(8),
//!       primary key (id) constraint stock_pkey
//!     );
//!   create index stock_name on stock (name desc);
//! ```
//!
//! Tables come first, then indexes, references, sequences, routines, views, synonyms and triggers, so that the text runs as a
//! script in an empty database: views may call routines, whose own statements are looked at when they run. Conditions and views
//! are written as the engine keeps them: functions of the system have the core's names. Tables of files have columns only.

use crate::failure::of_core;
use crate::modules::{Modules, Stored};
use crate::objects::{free_sequences, shown_default};
use crate::routine_names::routine_name;
use crate::scope::{KnownColumns, core_columns};
use mainstay_engine::Session;
use mainstay_engine::definitions::{IndexColumn, ReferentialAction, TableDefinition};
use mainstay_informix_syntax::Type;
use mainstay_informix_syntax::reduce::text_literal;
use mainstay_session::Failure;
use std::fmt::Write;

/// The definitions of all objects, or of a table with its indexes, references and triggers.
///
/// Errors: -206 for a table that is not there; those of reading the catalog.
pub(crate) fn text(core: &mut Session, modules: &Modules, table: Option<&str>) -> Result<String, Failure> {
    let mut tables = core.tables().map_err(|error| of_core(&error, false))?;
    tables
        .retain(|info| !info.name.starts_with("sys.") && table.is_none_or(|name| info.name.eq_ignore_ascii_case(name)));
    tables.sort_by(|one, other| one.name.cmp(&other.name));
    if let Some(name) = table.filter(|_| tables.is_empty()) {
        return Err(crate::synonyms::no_table(name));
    }
    let definitions = core.definitions();
    let (mut text, mut known, mut native) = (String::new(), KnownColumns::default(), Vec::new());
    for info in &tables {
        let name = info.name.to_lowercase();
        if definitions.shared.views.iter().any(|view| view.name.eq_ignore_ascii_case(&name)) {
            continue;
        }
        let columns = core_columns(core, &mut known, &name).unwrap_or_default();
        let definition = core.table_definition(&name);
        let start = |column: usize| {
            let identity = definition.as_ref()?.columns.get(column)?.identity.clone()?;
            definitions.shared.sequences.iter().find(|found| found.id == identity.sequence).map(|found| found.start)
        };
        write_table(&mut text, &name, &columns, definition.as_ref(), &start);
        native.extend(definition);
    }
    native.iter().for_each(|definition| write_indexes(&mut text, definition));
    let all = &definitions.shared.tables;
    native.iter().for_each(|definition| write_references(&mut text, definition, all));
    let of_table = |name: &str| table.is_none_or(|wanted| name.eq_ignore_ascii_case(wanted));
    for known in free_sequences(core).into_iter().filter(|_| table.is_none()) {
        let cycle = if known.cycle { " cycle" } else { "" };
        let (name, start, step) = (known.name.to_lowercase(), known.start, known.increment);
        push(&mut text, format_args!("create sequence {name} increment by {step} start with {start}{cycle};\n\n"));
    }
    let (routines, triggers): (Vec<_>, Vec<_>) = modules.all.iter().partition(|stored| stored.routine().is_some());
    routines.into_iter().filter(|_| table.is_none()).for_each(|stored| write_module(&mut text, stored));
    for view in definitions.shared.views.iter().filter(|view| of_table(&view.name)) {
        let columns = if view.columns.is_empty() { String::new() } else { format!(" ({})", view.columns.join(", ")) };
        push(
            &mut text,
            format_args!("create view {}{columns} as {};\n\n", view.name.to_lowercase(), plain(&view.text)),
        );
    }
    for (name, target) in crate::synonyms::all(core).into_iter().filter(|(_, target)| of_table(target)) {
        push(&mut text, format_args!("create synonym {name} for {target};\n\n"));
    }
    triggers.into_iter().filter(|stored| of_table(&stored.table)).for_each(|stored| write_module(&mut text, stored));
    Ok(text)
}

/// A routine or trigger, as it was written.
fn write_module(text: &mut String, stored: &Stored) {
    push(text, format_args!("{};\n\n", stored.text.trim().trim_end_matches(';')));
}

fn push(text: &mut String, part: std::fmt::Arguments<'_>) {
    // Writing to a text does not fail.
    let _ = text.write_fmt(part);
}

/// The core's text with names as Informix writes them: without DELIMIDENT, a text in double quotes is no name. Routines have
/// their own names again.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut in_string) = (text, false);
    while let Some(at) = rest.find(['"', '\'']) {
        let (before, quoted) = rest.split_at(at);
        out.push_str(before);
        let name = quoted.get(1..).and_then(|inner| inner.split('"').next()).unwrap_or_default();
        let is_plain =
            name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
        let is_name = !in_string && quoted.starts_with('"') && !name.is_empty();
        if let Some(routine) = routine_name(name).filter(|_| is_name) {
            out.push_str(routine);
            rest = quoted.get(name.len() + 2..).unwrap_or_default();
            continue;
        }
        if is_name && is_plain {
            out.push_str(name);
            rest = quoted.get(name.len() + 2..).unwrap_or_default();
            continue;
        }
        in_string ^= quoted.starts_with('\'');
        out.push_str(quoted.get(..1).unwrap_or_default());
        rest = quoted.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// DEFAULT of a column.
fn default_of(text: &str, known: Type) -> String {
    match shown_default(text.trim(), known) {
        ("C", _) => match known {
            Type::DateTime(first, last) => format!(" default current {first} to {last}"),
            _ => " default current".to_owned(),
        },
        ("T", _) => " default today".to_owned(),
        (_, Some(value)) if known.is_text() || matches!(known, Type::Boolean | Type::Date) => {
            format!(" default {}", text_literal(&value))
        }
        (_, Some(value)) => format!(" default {}", plain(&value)),
        _ => String::new(),
    }
}

fn columns_of(definition: &TableDefinition, columns: &[IndexColumn]) -> String {
    let name = |column: &IndexColumn| {
        let order = if column.descending { " desc" } else { "" };
        format!("{}{order}", name_of(definition, column.column))
    };
    columns.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn name_of(definition: &TableDefinition, id: u64) -> String {
    let found = definition.columns.iter().find(|column| column.id == id);
    found.map(|column| column.name.to_lowercase()).unwrap_or_default()
}

fn write_table(
    text: &mut String,
    name: &str,
    columns: &[(String, Type)],
    definition: Option<&TableDefinition>,
    start: &dyn Fn(usize) -> Option<i64>,
) {
    let mut lines = Vec::new();
    for (place, (column, known)) in columns.iter().enumerate() {
        let first = start(place).filter(|first| *first > 1 && known.is_serial());
        let mut line = match first {
            Some(first) => format!("{column} {known}({first})"),
            None => format!("{column} {known}"),
        };
        let kept = definition.and_then(|definition| definition.columns.get(place));
        if let Some(default) = kept.and_then(|kept| kept.default.as_ref()).filter(|_| !known.is_serial()) {
            line.push_str(&default_of(default, *known));
        }
        if kept.is_some_and(|kept| kept.not_null) {
            line.push_str(" not null");
        }
        if let Some(check) = kept.and_then(|kept| kept.check.as_ref()) {
            line.push_str(&format!(" check ({})", plain(check)));
        }
        lines.push(line);
    }
    if let Some(definition) = definition {
        let key = |word: &str, columns: &[IndexColumn], name: &str| {
            format!("{word} ({}) constraint {}", columns_of(definition, columns), name.to_lowercase())
        };
        lines.extend(definition.primary_key.iter().map(|known| key("primary key", &known.columns, &known.name)));
        lines.extend(definition.unique.iter().map(|known| key("unique", &known.columns, &known.name)));
        let check = |name: &str, text: &str| format!("check ({}) constraint {}", plain(text), name.to_lowercase());
        lines.extend(definition.checks.iter().map(|known| check(&known.name, &known.text)));
    }
    push(text, format_args!("create table {name}\n  (\n    {}\n  );\n\n", lines.join(",\n    ")));
}

fn write_indexes(text: &mut String, definition: &TableDefinition) {
    for index in &definition.indexes {
        let (unique, table) = (if index.unique { "unique " } else { "" }, definition.name.to_lowercase());
        let (name, columns) = (index.name.to_lowercase(), columns_of(definition, &index.columns));
        push(text, format_args!("create {unique}index {name} on {table} ({columns});\n\n"));
    }
}

fn write_references(text: &mut String, definition: &TableDefinition, all: &[TableDefinition]) {
    for key in &definition.foreign_keys {
        let Some(parent) = all.iter().find(|known| known.id == key.referenced_table) else { continue };
        let own: Vec<String> = key.columns.iter().map(|id| name_of(definition, *id)).collect();
        let others: Vec<String> = key.referenced_columns.iter().map(|id| name_of(parent, *id)).collect();
        let cascades = if key.on_delete == ReferentialAction::Cascade { " on delete cascade" } else { "" };
        let (table, parent) = (definition.name.to_lowercase(), parent.name.to_lowercase());
        let (own, others, name) = (own.join(", "), others.join(", "), key.name.to_lowercase());
        push(
            text,
            format_args!(
                "alter table {table} add constraint (foreign key ({own}) references {parent} ({others}){cascades} \
                 constraint {name});\n\n"
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_quotes_and_strings_keep_theirs() {
        assert_eq!(
            plain(r#"("a" > 0 AND "b_2" <> 'it''s "x"' AND "Other" = 1)"#),
            r#"(a > 0 AND b_2 <> 'it''s "x"' AND "Other" = 1)"#
        );
        assert_eq!(plain("no quotes"), "no quotes");
        assert_eq!(plain(r#""user:f/2"("a") > 0"#), "f(a) > 0");
        assert_eq!(plain(r#""mssql:user:f/2"("a", '"mssql:user:f/2"') > 0"#), r#"f(a, '"mssql:user:f/2"') > 0"#);
        assert_eq!(plain("an open \""), "an open \"");
    }
}
