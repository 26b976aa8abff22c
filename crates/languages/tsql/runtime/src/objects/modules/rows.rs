//! The rows of the table that stores the texts: written and deleted.

use super::temporary::{definition_of, plain_name, table_of};
use super::{DEFAULT, DEFAULT_PREFIX, MADE_UNDER, TABLE, defined, key_of, key_of_type, kind_of};
use crate::catalog::key_of_column;
use crate::changes::ignored_keys::{IGNORED, IGNORED_PREFIX};
use crate::definitions::extended_properties::{TYPE, TYPE_PREFIX};
use crate::session::scope::{is_global, local_name};
use crate::statements::errors::message_of;
use mainstay_tsql_syntax::reduce;
use mainstay_tsql_syntax::tree::{DefineKind, ObjectName, Statement};
use mainstay_tsql_types::{Message, Switches};
use mainstay_types::{Code, Result, ValueRef};

/// Keeps an object's text: false when CREATE finds an object of its name, or ALTER finds none. Objects that another
/// session has created or dropped since the names were looked up count, too. `owner` is the session that a global
/// temporary procedure ends with.
///
/// Errors: those of writing the table.
pub(crate) fn keep(
    core: &mut mainstay_engine::Session,
    statement: &Statement,
    define: DefineKind,
    text: &str,
    (made_under, owner): (Switches, &str),
) -> std::result::Result<bool, Message> {
    let Some((name, kind, parent)) = defined(statement) else {
        return Err(reduce::not_supported("An object of this kind"));
    };
    let (schema, last) = local_name(name);
    let shown = format!("{}.{last}", schema.unwrap_or("dbo"));
    let parent = match parent {
        Some(parent) => key_of(parent),
        None if is_global(last) => owner.to_owned(),
        None => String::new(),
    };
    let key = if matches!(kind, "TT" | "UDT") { key_of_type(name) } else { key_of(name) };
    let text = crate::definitions::module_text::as_created(text);
    let off = MADE_UNDER.iter().filter(|(switch, _)| !made_under.has(*switch)).map(|(_, off)| *off);
    let kind: String = std::iter::once(kind).chain(off).collect();
    match write_row(core, [&key, &shown, &kind, &parent, &text], define) {
        Ok(rows) => Ok(rows > 0),
        Err(error) if error.code() == Code::UniqueViolation => Ok(false),
        Err(error) => Err(message_of(&error)),
    }
}

/// Renames an object, with the settings beside its text if it is a trigger: false when the table does not have it.
///
/// Errors: `taken` when there is an object of that name, and those of writing the table.
pub(crate) fn rename(
    core: &mut mainstay_engine::Session,
    from: &str,
    to: &str,
    shown: &str,
    taken: Message,
) -> std::result::Result<bool, Message> {
    let work = |core: &mut mainstay_engine::Session| -> Result<bool> {
        let mut update = core.prepare(&format!("UPDATE {TABLE} SET \"key\" = ?, name = ? WHERE \"key\" = ?"))?;
        if update.execute(core, &[to, shown, from].map(ValueRef::Text))? == 0 {
            return Ok(false);
        }
        let mut update = core.prepare(&format!("UPDATE {TABLE} SET \"key\" = ? WHERE \"key\" = ?"))?;
        for (old, new) in crate::objects::triggers::keys_of(from).zip(crate::objects::triggers::keys_of(to)) {
            update.execute(core, &[ValueRef::Text(&new), ValueRef::Text(&old)])?;
        }
        Ok(true)
    };
    work(core).map_err(|error| if error.code() == Code::UniqueViolation { taken } else { message_of(&error) })
}

/// Keeps the name of a column's default.
///
/// Errors: those of writing the table.
pub(crate) fn keep_default(
    core: &mut mainstay_engine::Session,
    table: &ObjectName,
    column: &str,
    name: &str,
) -> std::result::Result<(), Message> {
    keep_of_column(core, (table, column), (DEFAULT_PREFIX, DEFAULT), name)
}

/// Keeps what the definition of a column calls its type.
///
/// Errors: those of writing the table.
pub(crate) fn keep_type(
    core: &mut mainstay_engine::Session,
    table: &ObjectName,
    column: &str,
    name: &str,
) -> std::result::Result<(), Message> {
    keep_of_column(core, (table, column), (TYPE_PREFIX, TYPE), name)
}

fn keep_of_column(
    core: &mut mainstay_engine::Session,
    (table, column): (&ObjectName, &str),
    (prefix, kind): (&str, &str),
    name: &str,
) -> std::result::Result<(), Message> {
    let parent = key_of(table);
    let key = format!("{prefix}{}", key_of_column(&parent, column));
    keep_row(core, &key, name, kind, &parent, column)
}

/// Forgets the names of a column's default and type; with no column, those of the whole table and its triggers.
///
/// Errors: those of writing the table.
pub(crate) fn forget_parts(
    core: &mut mainstay_engine::Session,
    table: &ObjectName,
    column: Option<&str>,
) -> std::result::Result<u64, Message> {
    let parent = key_of(table);
    let work = |core: &mut mainstay_engine::Session| -> Result<u64> {
        if core.changeable_columns(TABLE)?.is_none() {
            return Ok(0);
        }
        let (column_key, values) = match column {
            Some(column) => {
                let key = key_of_column(&parent, column);
                ("\"key\"", vec![format!("{DEFAULT_PREFIX}{key}"), format!("{TYPE_PREFIX}{key}")])
            }
            None => ("parent", vec![parent]),
        };
        let mut delete = core.prepare(&format!("DELETE FROM {TABLE} WHERE {column_key} = ?"))?;
        let mut forgotten = 0;
        for value in &values {
            forgotten += delete.execute(core, &[ValueRef::Text(value)])?;
        }
        Ok(forgotten)
    };
    work(core).map_err(|error| message_of(&error))
}

/// Gives a renamed column the stored entries about its default and its type: their number.
///
/// Errors: those of writing the table.
pub(crate) fn rename_parts(
    core: &mut mainstay_engine::Session,
    table: &ObjectName,
    from: &str,
    to: &str,
) -> std::result::Result<u64, Message> {
    let parent = key_of(table);
    let (old, new) = (key_of_column(&parent, from), key_of_column(&parent, to));
    let work = |core: &mut mainstay_engine::Session| -> Result<u64> {
        if core.changeable_columns(TABLE)?.is_none() {
            return Ok(0);
        }
        let text = format!("UPDATE {TABLE} SET \"key\" = ?, \"text\" = ? WHERE \"key\" = ?");
        let (mut update, mut moved) = (core.prepare(&text)?, 0);
        for prefix in [DEFAULT_PREFIX, TYPE_PREFIX] {
            let values = [&format!("{prefix}{new}"), to, &format!("{prefix}{old}")];
            moved += update.execute(core, &values.map(ValueRef::Text))?;
        }
        Ok(moved)
    };
    work(core).map_err(|error| message_of(&error))
}

/// Gives a table that has another name, or is in another schema, the stored entries about its columns and its triggers.
///
/// Errors: those of writing the table.
pub(crate) fn move_parts(
    core: &mut mainstay_engine::Session,
    from: &ObjectName,
    to: &ObjectName,
) -> std::result::Result<(), Message> {
    let (old, new) = (key_of(from), key_of(to));
    let schema = |key: &str| key.split('.').next().unwrap_or_default().to_owned();
    let read = |core: &mut mainstay_engine::Session| -> Result<Vec<[String; 4]>> {
        if core.changeable_columns(TABLE)?.is_none() {
            return Ok(Vec::new());
        }
        let text = format!("SELECT \"key\", name, kind, \"text\" FROM {TABLE} WHERE parent = ?");
        let mut statement = core.prepare(&text)?;
        let mut rows = statement.query(core, &[ValueRef::Text(&old)])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(std::array::from_fn(|column| match row.get(column) {
                ValueRef::Text(text) => text.to_owned(),
                _ => String::new(),
            }));
        }
        Ok(found)
    };
    for [key, name, kind, text] in read(core).map_err(|error| message_of(&error))? {
        let of_column = |prefix: &str| format!("{prefix}{}", key_of_column(&new, &text));
        let (moved, shown) = match kind_of(&kind).0 {
            DEFAULT => (of_column(DEFAULT_PREFIX), name),
            TYPE => (of_column(TYPE_PREFIX), name),
            IGNORED => (of_column(IGNORED_PREFIX), name),
            "TR" if schema(&old) == schema(&new) => (key.clone(), name),
            // A trigger is in the schema of its table.
            "TR" => {
                let last = name.rsplit('.').next().unwrap_or_default();
                let shown = format!("{}.{last}", local_name(to).0.unwrap_or("dbo"));
                (shown.to_lowercase(), shown)
            }
            _ => continue,
        };
        if moved != key {
            forget(core, &key)?;
        }
        keep_row(core, &moved, &shown, &kind, &new, &text)?;
    }
    Ok(())
}

/// Keeps a row of the table of objects, in place of one with its key.
///
/// Errors: those of writing the table.
pub(crate) fn keep_row(
    core: &mut mainstay_engine::Session,
    key: &str,
    shown: &str,
    kind: &str,
    parent: &str,
    text: &str,
) -> std::result::Result<(), Message> {
    let done = write_row(core, [key, shown, kind, parent, text], DefineKind::CreateOrAlter);
    done.map(drop).map_err(|error| message_of(&error))
}

/// Writes a row of the table of objects, which is made when it is not there: how many it has written.
fn write_row(core: &mut mainstay_engine::Session, values: [&str; 5], define: DefineKind) -> Result<u64> {
    let table = table_of(values[0]);
    if core.changeable_columns(plain_name(table))?.is_none() {
        let (schema, create) = definition_of(table);
        if let Some(schema) = schema {
            core.execute(&format!("CREATE SCHEMA IF NOT EXISTS {schema}"))?;
        }
        core.execute(&format!(
            "{create} {table} (\"key\" TEXT PRIMARY KEY, name TEXT, kind TEXT, parent TEXT, \"text\" TEXT)"
        ))?;
    }
    let insert = format!("INSERT INTO {table} VALUES ($1, $2, $3, $4, $5)");
    let statement = match define {
        DefineKind::Create => insert,
        DefineKind::Alter => {
            format!("UPDATE {table} SET name = $2, kind = $3, parent = $4, \"text\" = $5 WHERE \"key\" = $1")
        }
        // In one statement: no session must find an object missing while it is replaced.
        DefineKind::CreateOrAlter => format!(
            "{insert} ON CONFLICT (\"key\") DO UPDATE SET name = excluded.name, kind = excluded.kind, \
             parent = excluded.parent, \"text\" = excluded.\"text\""
        ),
    };
    core.prepare(&statement)?.execute(core, &values.map(ValueRef::Text))
}

/// Drops an object's text.
///
/// Errors: those of writing the table.
pub(crate) fn forget(core: &mut mainstay_engine::Session, key: &str) -> std::result::Result<(), Message> {
    let work = |core: &mut mainstay_engine::Session| -> Result<u64> {
        for key in std::iter::once(key.to_owned()).chain(crate::objects::triggers::keys_of(key)) {
            let table = table_of(&key);
            // A rollback may have removed the table together with what it held.
            if core.changeable_columns(plain_name(table))?.is_some() {
                let mut delete = core.prepare(&format!("DELETE FROM {table} WHERE \"key\" = ?"))?;
                delete.execute(core, &[ValueRef::Text(&key)])?;
            }
        }
        Ok(0)
    };
    work(core).map(|_| ()).map_err(|error| message_of(&error))
}
