//! `sp_rename`: of tables, columns, indexes, constraints and modules.
//!
//! Texts that name the renamed object stay as they are, as SQL Server leaves them; so does the text of a renamed
//! module.

use crate::catalog::Detail;
use crate::definitions::extended_properties::Subject;
use crate::objects::modules;
use crate::session::scope::local_name;
use crate::session::{Inner, object_name};
use crate::statements::errors::raised;
use crate::statements::runner::{Ran, Runner};
use mainstay_tsql_syntax::reduce::{self, Scope, quoted};
use mainstay_tsql_syntax::tree::{Name, ObjectName, StatementKind, TriggerTarget};
use mainstay_tsql_types::Message;
use mainstay_vm::{Flow, Raised};

/// Renames, and warns as SQL Server does.
///
/// Errors: 15225 for an object that does not exist, 15248 for a column that does not, 15249 for an unknown kind, 15335
/// for a name that is taken, 15336 for an object that a table or a schema-bound module needs, 40515 for views,
/// sequences, synonyms and types.
pub(crate) fn rename(runner: &mut Runner<'_>, name: &str, to: &str, kind: &str) -> Ran {
    let known = object_name(name);
    // In one: a row that came between a table's new name and that of what belongs to it would miss its triggers.
    match kind.to_ascii_uppercase().as_str() {
        "" if is_column(runner.inner, &known)? => runner.inner.as_one(|inner| column(inner, &known, to))?,
        "" if is_index(runner.inner, &known)? => runner.inner.as_one(|inner| index(inner, &known, to))?,
        "" | "OBJECT" => runner.inner.as_one(|inner| object(inner, &known, name, to, kind))?,
        "COLUMN" => runner.inner.as_one(|inner| column(inner, &known, to))?,
        "INDEX" => runner.inner.as_one(|inner| index(inner, &known, to))?,
        "USERDATATYPE" | "STATISTICS" | "DATABASE" => {
            return Err(raised(reduce::not_supported(&format!("sp_rename of this kind ({kind})"))));
        }
        _ => return Err(raised(Message::numbered(15249, &[&kind]).severity(11))),
    }
    let message = Message::numbered(15477, &[]);
    runner.message(message);
    Ok(Flow::NEXT)
}

/// Returns true if a name without a kind is a column's, and not an object's.
fn is_column(inner: &mut Inner, known: &ObjectName) -> Result<bool, Box<Raised>> {
    let mut table = known.clone();
    let column = table.parts.pop().map(|part| part.text).unwrap_or_default();
    let catalog = inner.catalog().map_err(crate::statements::errors::raised_error)?;
    let has_column = || catalog.find(&table).is_some_and(|found| found.column(&column).is_some());
    Ok(!table.parts.is_empty() && catalog.find(known).is_none() && has_column())
}

/// True if a name without a kind is an index's or a key's, named by its table, and not an object's.
fn is_index(inner: &mut Inner, known: &ObjectName) -> Result<bool, Box<Raised>> {
    let mut table = known.clone();
    let index = table.parts.pop().map(|part| part.text).unwrap_or_default();
    let catalog = inner.catalog().map_err(crate::statements::errors::raised_error)?;
    let has_index = |found: &crate::catalog::Object| {
        found.indexes.iter().filter_map(|known| known.name.as_ref()).any(|known| known.eq_ignore_ascii_case(&index))
    };
    Ok(!table.parts.is_empty() && catalog.find(known).is_none() && catalog.find(&table).is_some_and(has_index))
}

fn object(inner: &mut Inner, known: &ObjectName, name: &str, to: &str, kind: &str) -> Result<(), Box<Raised>> {
    let catalog = inner.catalog().map_err(crate::statements::errors::raised_error)?;
    let missing = |inner: &Inner| {
        let kind = if kind.is_empty() { "(null)" } else { kind };
        raised(Message::numbered(15225, &[&name, &inner.state.database, &kind]))
    };
    let Some(found) = catalog.find(known) else { return Err(missing(inner)) };
    let mut target = known.clone();
    if let Some(last) = target.parts.last_mut() {
        last.text = to.to_owned();
    }
    if catalog.find(&target).is_some() {
        return Err(raised(Message::numbered(15335, &[&to, &"object"])));
    }
    if found.kind == "P" && found.is_temporary {
        // It is an object of tempdb.
        return Err(missing(inner));
    }
    if matches!(found.kind, "U" | "V" | "FN" | "IF" | "TF") {
        inner.check_free_to_rename(known, name)?;
    }
    match found.kind {
        "U" => {
            let table = inner.names(&[]).table(known).map_err(raised)?;
            inner.execute(&format!("ALTER TABLE {table} RENAME TO {}", quoted(to)))?;
            inner.note_renamed_table(known, &target)
        }
        "P" | "FN" | "IF" | "TF" | "TR" => {
            let Some(object) = inner.modules.find(known).cloned() else { return Err(missing(inner)) };
            object.check_changeable()?;
            let shown = format!("{}.{to}", local_name(known).0.unwrap_or("dbo"));
            if let StatementKind::Trigger(trigger) = &object.statement.kind
                && let TriggerTarget::Table(table) = &trigger.target
            {
                inner.hold_for_triggers(table)?;
            }
            let key = modules::key_of(&target);
            let taken = Message::numbered(15335, &[&to, &"object"]);
            match modules::rename(&mut inner.core, &object.key, &key, &shown, taken).map_err(raised)? {
                true => {
                    inner.objects_changed()?;
                    inner.move_properties(known, &target)
                }
                false => Err(missing(inner)),
            }
        }
        "C" | "F" | "PK" | "UQ" | "D" => {
            let Some(table) = catalog.objects.iter().find(|table| table.id == found.parent) else {
                return Err(missing(inner));
            };
            let part = |text: &str| Name { text: text.to_owned(), ..Name::default() };
            let parts = vec![part(catalog.schema_name(table.schema)), part(&table.name)];
            let owner = ObjectName { parts, ..ObjectName::default() };
            if let Detail::Default(column, _) = found.detail {
                modules::keep_default(&mut inner.core, &owner, table.column_name(column), to).map_err(raised)?;
                inner.objects_changed()?;
                return inner.rename_properties(Subject::Part(&owner, &found.name), to);
            }
            rename_constraint(inner, &owner, &found.name, to)
        }
        _ => Err(raised(reduce::not_supported("sp_rename of an object of this kind"))),
    }
}

/// An index, named by its table.
fn index(inner: &mut Inner, known: &ObjectName, to: &str) -> Result<(), Box<Raised>> {
    let mut table = known.clone();
    let index = table.parts.pop().map(|part| part.text).unwrap_or_default();
    let catalog = inner.catalog().map_err(crate::statements::errors::raised_error)?;
    let found = catalog.find(&table).filter(|_| !table.parts.is_empty());
    let has = |name: &str| {
        let names = found.iter().flat_map(|found| &found.indexes).filter_map(|index| index.name.as_deref());
        names.into_iter().any(|known| known.eq_ignore_ascii_case(name))
    };
    if !has(&index) {
        return Err(raised(Message::numbered(15248, &[&"INDEX"])));
    }
    if has(to) {
        return Err(raised(Message::numbered(15335, &[&to, &"INDEX"])));
    }
    rename_constraint(inner, &table, &index, to)
}

/// A constraint or an index: the core has one statement for both.
fn rename_constraint(inner: &mut Inner, table: &ObjectName, from: &str, to: &str) -> Result<(), Box<Raised>> {
    let core = inner.names(&[]).table(table).map_err(raised)?;
    inner.execute(&format!("ALTER TABLE {core} RENAME CONSTRAINT {} TO {}", quoted(from), quoted(to)))?;
    inner.note_renamed_index(table, from, to)
}

fn column(inner: &mut Inner, known: &ObjectName, to: &str) -> Result<(), Box<Raised>> {
    let mut table = known.clone();
    let column = table.parts.pop().map(|part| part.text).unwrap_or_default();
    let catalog = inner.catalog().map_err(crate::statements::errors::raised_error)?;
    let found = catalog.find(&table).filter(|found| !table.parts.is_empty() && found.column(&column).is_some());
    let Some(found) = found else {
        return Err(raised(Message::numbered(15248, &[&"COLUMN"])));
    };
    if found.column(to).is_some() {
        return Err(raised(Message::numbered(15335, &[&to, &"COLUMN"])));
    }
    let core = inner.names(&[]).table(&table).map_err(raised)?;
    inner.execute(&format!("ALTER TABLE {core} RENAME COLUMN {} TO {}", quoted(&column), quoted(to)))?;
    if modules::rename_parts(&mut inner.core, &table, &column, to).map_err(raised)? > 0 {
        inner.objects_changed()?;
    }
    inner.rename_properties(Subject::Column(&table, &column), to)
}
