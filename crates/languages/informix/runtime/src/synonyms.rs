//! Synonyms: other names of tables and views, kept in a table of the schema `sys`.
//!
//! The core has no synonyms. Statements look a name up here when no table has it; a synonym of a synonym means the table behind
//! both. It follows a table that is renamed, and goes with one that is dropped.

use crate::failure::{NO_TABLE, TABLE_EXISTS, of_core};
use crate::scope::Names;
use mainstay_columnar::values::value_at;
use mainstay_engine::Session;
use mainstay_informix_syntax::reduce::{Scope, text_literal};
use mainstay_informix_syntax::tree::ObjectName;
use mainstay_session::Failure;
use mainstay_types::Value;

/// The table of synonyms.
const TABLE: &str = "\"sys\".\"informix_synonyms\"";

/// The error that a table, view or synonym is not there.
pub(crate) fn no_table(name: &str) -> Failure {
    let message = format!("The specified table ({name}) is not in the database.");
    Failure { number: NO_TABLE, detail: -111, subject: name.to_owned(), message, ..Failure::default() }
}

/// All synonyms with their tables, by name; nothing where none was ever created.
pub(crate) fn all(core: &mut Session) -> Vec<(String, String)> {
    read(core, "")
}

fn read(core: &mut Session, condition: &str) -> Vec<(String, String)> {
    let Ok(mut answer) = core.execute(&format!("SELECT name, target FROM {TABLE}{condition} ORDER BY name")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    while let Ok(Some(batch)) = answer.next_batch() {
        for row in 0..batch.num_rows() {
            let cell = |column: usize| value_at(batch.column(column).as_ref(), row);
            if let (Ok(Value::Text(name)), Ok(Value::Text(target))) = (cell(0), cell(1)) {
                found.push((name, target));
            }
        }
    }
    found
}

/// The table that a synonym means.
pub(crate) fn target(core: &mut Session, name: &str) -> Option<String> {
    // Without the table of synonyms there is nothing to look for.
    core.definitions().shared.tables.iter().find(|table| table.name == "informix_synonyms")?;
    read(core, &format!(" WHERE name = {}", text_literal(name))).pop().map(|(_, target)| target)
}

/// The statements that create a synonym; none where one is there and may be.
///
/// Errors: -206 for a table that is not there, -310 for a name that is used.
pub(crate) fn create(
    name: &ObjectName,
    table: &ObjectName,
    if_not_exists: bool,
    names: &Names<'_>,
) -> Result<Vec<String>, Failure> {
    if names.columns(table).is_none() {
        return Err(no_table(table.last()));
    }
    let key = name.last().to_lowercase();
    if names.columns(name).is_some() {
        let message = format!("Table or synonym ({key}) already exists in database.");
        let failure = Failure { number: TABLE_EXISTS, subject: key, message, ..Failure::default() };
        return if if_not_exists { Ok(Vec::new()) } else { Err(failure) };
    }
    let target = names.core_name(table);
    Ok(vec![
        "CREATE SCHEMA IF NOT EXISTS \"sys\"".to_owned(),
        format!("CREATE TABLE IF NOT EXISTS {TABLE} (name VARCHAR(128) PRIMARY KEY, target VARCHAR(128) NOT NULL)"),
        format!("INSERT INTO {TABLE} VALUES ({}, {})", text_literal(&key), text_literal(&target)),
    ])
}

/// The statement that drops a synonym; none where it need not be there.
///
/// Errors: -206 for one that is not there.
pub(crate) fn drop(name: &ObjectName, if_exists: bool, names: &Names<'_>) -> Result<Vec<String>, Failure> {
    let key = name.last().to_lowercase();
    match target(&mut names.core.borrow_mut(), &key) {
        Some(_) => Ok(vec![format!("DELETE FROM {TABLE} WHERE name = {}", text_literal(&key))]),
        None if if_exists => Ok(Vec::new()),
        None => Err(no_table(&key)),
    }
}

/// Lets the synonyms of a table follow its new name, or drops them with it.
///
/// Errors: those of writing.
pub(crate) fn follow(core: &mut Session, table: &str, new: Option<&str>) -> Result<(), Failure> {
    if !all(core).iter().any(|(_, target)| target == table) {
        return Ok(());
    }
    let condition = format!("WHERE target = {}", text_literal(table));
    let text = match new {
        Some(new) => format!("UPDATE {TABLE} SET target = {} {condition}", text_literal(&new.to_lowercase())),
        None => format!("DELETE FROM {TABLE} {condition}"),
    };
    core.execute(&text).map(std::mem::drop).map_err(|error| of_core(&error, false))
}
