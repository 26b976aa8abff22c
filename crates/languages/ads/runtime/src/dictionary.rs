//! A data dictionary over a folder: tables under names of their own, views and scripts that are stored in it, and the
//! rights of users.
//!
//! Limits: the table calls enforce rights on single columns, values of fields and referential integrity; statements do
//! not.

use crate::failure::Failed;
use crate::modules::{Kind, Stored, read_text};
use mainstay_ads_syntax::SqlError;
use mainstay_ads_syntax::reduce::table_name;
use mainstay_ads_syntax::tree::{Column, Module, ModuleKind, ObjectName, StatementKind};
use mainstay_data_dictionary::Session;
use mainstay_data_dictionary::constants::*;
use mainstay_data_dictionary::contents::{Contents, Object, same};
use mainstay_data_dictionary::failure::Failure;
use mainstay_data_dictionary::firing;
use mainstay_data_dictionary::integrity::Relation;
use std::path::{Path, PathBuf};

/// An error of the dictionary in the dialect's form.
pub(crate) fn failed(failure: Failure) -> Failed {
    let number = i32::try_from(failure.code).unwrap_or(0);
    SqlError::new(number, if failure.detail.is_empty() { number.to_string() } else { failure.into_detail() })
}

/// The tables with their files.
pub(crate) fn tables(dictionary: &Session, contents: &Contents) -> Vec<(String, PathBuf)> {
    let tables = contents.all(ADS_DD_TABLE_OBJECT);
    tables.map(|table| (table.name.to_lowercase(), dictionary.table_path(table))).collect()
}

/// A type of the dictionary's lists: `CHAR,20` is `CHAR(20)`.
fn type_of(parts: &[&str]) -> String {
    match parts {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [name, numbers @ ..] => format!("{name}({})", numbers.join(",")),
    }
}

/// The parameters of a list such as `id,INTEGER;name,CHAR,20;`, or as they stand in a definition.
fn parameters(text: &str, output: bool) -> Vec<String> {
    let behind = if output { " OUTPUT" } else { "" };
    let one = |item: &str| {
        let parts: Vec<&str> = item.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        match parts.split_first() {
            Some((name, rest)) if !rest.is_empty() => format!("{name} {}{behind}", type_of(rest)),
            _ => format!("{}{behind}", item.trim()),
        }
    };
    match text.contains(';') || !text.trim().contains(' ') {
        true => text.split(';').filter(|item| !item.trim().is_empty()).map(one).collect(),
        false => vec![text.trim().to_owned()],
    }
}

/// The script of a module, without the BEGIN and END that it may have.
fn body(text: &str) -> &str {
    let text = text.trim().trim_end_matches(';').trim();
    let inner = |text: &'_ str| -> Option<(usize, usize)> {
        let head = text.get(..5).filter(|head| head.eq_ignore_ascii_case("BEGIN"))?;
        let tail = text.len().checked_sub(3)?;
        text.get(tail..).filter(|tail| tail.eq_ignore_ascii_case("END"))?;
        Some((head.len(), tail))
    };
    inner(text).and_then(|(from, to)| text.get(from..to)).unwrap_or(text)
}

/// The definition of an object in the dialect's own words; `None` for an object without a script.
fn definition(object: &Object) -> Option<String> {
    let name = |parent: &str| match parent {
        "" => format!("[{}]", object.name),
        parent => format!("[{parent}].[{}]", object.name),
    };
    let script = || object.text(ADS_DD_PROC_SCRIPT).map(body);
    let inputs = || object.text(ADS_DD_PROC_INPUT).map_or_else(Vec::new, |text| parameters(text, false));
    Some(match object.kind {
        ADS_DD_VIEW_OBJECT => format!("CREATE VIEW {} AS {}", name(""), object.text(ADS_DD_VIEW_STMT)?),
        ADS_DD_PROCEDURE_OBJECT => {
            let mut all = inputs();
            all.extend(object.text(ADS_DD_PROC_OUTPUT).map_or_else(Vec::new, |text| parameters(text, true)));
            format!("CREATE PROCEDURE {} ({}) BEGIN {}; END", name(""), all.join(", "), script()?)
        }
        ADS_DD_FUNCTION_OBJECT => {
            let result = object.text(ADS_DD_PROC_OUTPUT).unwrap_or("String");
            let result = type_of(&result.split(',').map(str::trim).collect::<Vec<_>>());
            let (name, inputs) = (name(&object.parent), inputs().join(", "));
            format!("CREATE FUNCTION {name} ({inputs}) RETURNS {result} BEGIN {}; END", script()?)
        }
        ADS_DD_TRIGGER_OBJECT if object.number(ADS_DD_TRIG_CONTAINER_TYPE) == ADS_TRIG_SCRIPT => {
            let time = match object.number(ADS_DD_TRIG_TRIGGER_TYPE) {
                ADS_TRIGTYPE_BEFORE => "BEFORE",
                ADS_TRIGTYPE_INSTEADOF => "INSTEAD OF",
                ADS_TRIGTYPE_AFTER => "AFTER",
                _ => return None,
            };
            let event = match object.number(ADS_DD_TRIG_EVENT_TYPE) {
                ADS_TRIGEVENT_INSERT => "INSERT",
                ADS_TRIGEVENT_UPDATE => "UPDATE",
                ADS_TRIGEVENT_DELETE => "DELETE",
                _ => return None,
            };
            let script = body(object.text(ADS_DD_TRIG_CONTAINER)?);
            let (name, priority) = (name(""), object.number(ADS_DD_TRIG_PRIORITY));
            format!(
                "CREATE TRIGGER {name} ON [{}] {time} {event} BEGIN {script}; END PRIORITY {priority}",
                object.parent
            )
        }
        _ => return None,
    })
}

/// The views, procedures, functions and triggers that are scripts. What cannot be read is left out.
pub(crate) fn modules(contents: &Contents) -> Vec<((Kind, String), Stored)> {
    let is_meant = |object: &&Object| object.kind != ADS_DD_TRIGGER_OBJECT || firing::is_on(contents, object);
    let objects = contents.objects.iter().filter(is_meant);
    objects.filter_map(|object| read_text(definition(object)?)).collect()
}

/// Kind, parent and name of a definition in the dictionary.
fn place(definition: &StatementKind) -> Option<(u32, String, String)> {
    match definition {
        StatementKind::CreateView(name, _) => Some((ADS_DD_VIEW_OBJECT, String::new(), name.last().to_owned())),
        StatementKind::CreateModule(module) => {
            let name = module.name.last().to_owned();
            Some(match &module.kind {
                ModuleKind::Procedure(_) => (ADS_DD_PROCEDURE_OBJECT, String::new(), name),
                ModuleKind::Function(_) => {
                    let package = module.name.parts.iter().rev().nth(1).map(|part| part.text.clone());
                    (ADS_DD_FUNCTION_OBJECT, package.unwrap_or_default(), name)
                }
                ModuleKind::Trigger(trigger) => (ADS_DD_TRIGGER_OBJECT, trigger.table.last().to_owned(), name),
            })
        }
        _ => None,
    }
}

fn list(module: &Module, output: bool) -> String {
    let parameters = module.parameters.iter().filter(|parameter| parameter.output == output);
    let one = |parameter: &mainstay_ads_syntax::tree::Parameter| {
        let data_type = mainstay_ads_syntax::reduce::sql_type(&parameter.data_type);
        let name = data_type.map_or_else(String::new, mainstay_ads_types::convert::type_name);
        format!("{},{};", parameter.name.text, name.replace('(', ",").replace(')', ""))
    };
    parameters.map(one).collect()
}

/// Puts a definition into the dictionary.
///
/// Errors: those of the dictionary, for a user without the right, and for an existing name.
pub(crate) fn create(dictionary: &Session, stored: &Stored, replaces: bool) -> Result<(), Failed> {
    let Some((kind, parent, name)) = place(&stored.definition) else { return Err(SqlError::unsupported("this")) };
    dictionary
        .live
        .change(|contents| {
            dictionary.access.require(contents, kind, "", "", ADS_PERMISSION_CREATE)?;
            let object = match replaces {
                true => contents.get_mut(kind, &parent, &name)?,
                false => contents.add(kind, &parent, &name)?,
            };
            match (stored.module(), &stored.definition) {
                (None, _) => object.set_text(ADS_DD_VIEW_STMT, Some(stored.body().to_owned())),
                (Some(module), _) => match &module.kind {
                    ModuleKind::Trigger(_) => {
                        let Some((event, time, priority)) = stored.trigger_numbers() else { return Ok(()) };
                        object.set_number(ADS_DD_TRIG_EVENT_TYPE, event);
                        object.set_number(ADS_DD_TRIG_TRIGGER_TYPE, time);
                        object.set_number(ADS_DD_TRIG_PRIORITY, priority);
                        object.set_number(ADS_DD_TRIG_CONTAINER_TYPE, ADS_TRIG_SCRIPT);
                        object.set_text(ADS_DD_TRIG_CONTAINER, Some(stored.body().to_owned()));
                    }
                    kind => {
                        let output = match kind {
                            ModuleKind::Function(_) => stored.signature().1.replace('(', ",").replace(')', ""),
                            _ => list(module, true),
                        };
                        object.set_number(ADS_DD_PROC_INVOKE_OPTION, ADS_SCRIPT_PROC);
                        object.set_text(ADS_DD_PROC_INPUT, Some(list(module, false)));
                        object.set_text(ADS_DD_PROC_OUTPUT, Some(output));
                        object.set_text(ADS_DD_PROC_SCRIPT, Some(stored.body().to_owned()));
                    }
                },
            }
            Ok(())
        })
        .map_err(failed)
}

/// Takes a definition out of the dictionary.
///
/// Errors: those of the dictionary.
pub(crate) fn remove(dictionary: &Session, stored: &Stored) -> Result<(), Failed> {
    let Some((kind, parent, name)) = place(&stored.definition) else { return Err(SqlError::unsupported("this")) };
    let removed = dictionary.live.change(|contents| {
        dictionary.access.require(contents, kind, &parent, &name, ADS_PERMISSION_DROP)?;
        contents.remove(kind, &parent, &name).map(drop)
    });
    removed.map_err(failed)
}

/// Checks that the user may run a procedure or function of the dictionary.
///
/// Errors: 5054 (AE_PERMISSION_DENIED).
pub(crate) fn require_to_run(dictionary: &Session, stored: &Stored) -> Result<(), Failed> {
    let Some((kind, parent, name)) = place(&stored.definition) else { return Ok(()) };
    let contents = dictionary.live.contents().map_err(failed)?;
    dictionary.access.require(&contents, kind, &parent, &name, ADS_PERMISSION_EXECUTE).map_err(failed)
}

/// The dictionary's kind and name of a table or view in a statement. A table is found by its name, or by its file,
/// whatever folder that is in.
pub(crate) fn object_of(
    dictionary: &Session,
    contents: &Contents,
    folder: &Path,
    name: &ObjectName,
) -> Option<(u32, String)> {
    let (last, core) = (name.last(), table_name(name));
    // A path into the folder itself is the table of that name.
    let elsewhere = crate::place::elsewhere(folder, last);
    for kind in [ADS_DD_TABLE_OBJECT, ADS_DD_VIEW_OBJECT] {
        let by_stem = || contents.find(kind, "", &core).filter(|_| elsewhere.is_none());
        if let Some(found) = contents.find(kind, "", last).or_else(by_stem) {
            return Some((kind, found.name.clone()));
        }
    }
    let files = elsewhere.map_or_else(
        || ["dbf", "adt"].iter().map(|extension| folder.join(format!("{core}.{extension}"))).collect(),
        |file| vec![file],
    );
    let found = files.iter().find_map(|file| dictionary.table_of_file(contents, file))?;
    Some((ADS_DD_TABLE_OBJECT, found.name.clone()))
}

/// Checks the user's rights to a table or view of the dictionary; a table that it does not know is open to all users.
///
/// Errors: 5054 (AE_PERMISSION_DENIED).
pub(crate) fn require(dictionary: &Session, folder: &Path, name: &ObjectName, rights: u32) -> Result<(), Failed> {
    let contents = dictionary.live.contents().map_err(failed)?;
    match object_of(dictionary, &contents, folder, name) {
        Some((kind, name)) => dictionary.access.require(&contents, kind, "", &name, rights).map_err(failed),
        None => Ok(()),
    }
}

/// The columns of a table or view that the user may read, of those that it has; nothing where he may read all of them.
///
/// Errors: 5054 (AE_PERMISSION_DENIED) for a user who may read none.
pub(crate) fn readable(
    dictionary: &Session,
    folder: &Path,
    name: &ObjectName,
    columns: impl FnOnce() -> Option<Vec<String>>,
) -> Result<Option<Vec<String>>, Failed> {
    let contents = dictionary.live.contents().map_err(failed)?;
    let Some((kind, object)) = object_of(dictionary, &contents, folder, name) else { return Ok(None) };
    let refused = match dictionary.access.require(&contents, kind, "", &object, ADS_PERMISSION_READ) {
        Ok(()) => return Ok(None),
        Err(refused) => refused,
    };
    let may_read = |column: &String| {
        let rights = dictionary.access.rights(&contents, ADS_DD_FIELD_OBJECT, &object, column);
        rights & ADS_PERMISSION_READ != 0
    };
    let mut columns = if kind == ADS_DD_TABLE_OBJECT { columns().unwrap_or_default() } else { Vec::new() };
    columns.retain(may_read);
    if columns.is_empty() { Err(failed(refused)) } else { Ok(Some(columns)) }
}

/// Checks that the user may create an object of a kind.
///
/// Errors: 5054 (AE_PERMISSION_DENIED).
pub(crate) fn require_to_create(dictionary: &Session, kind: u32) -> Result<(), Failed> {
    let contents = dictionary.live.contents().map_err(failed)?;
    dictionary.access.require(&contents, kind, "", "", ADS_PERMISSION_CREATE).map_err(failed)
}

/// Puts a new table into the dictionary, with what its columns are to be.
///
/// Errors: 5132 (AE_INVALID_OBJECT_NAME) for a name that another object has.
pub(crate) fn add_table(
    dictionary: &Session,
    name: &ObjectName,
    path: &Path,
    table_type: u32,
    columns: &[Column],
) -> Result<(), Failed> {
    let name = ["dbf", "adt", "vfp"]
        .iter()
        .find_map(|extension| {
            let (stem, last) = name.last().rsplit_once('.')?;
            last.eq_ignore_ascii_case(extension).then_some(stem)
        })
        .unwrap_or(name.last());
    let changed = dictionary.live.change(|contents| {
        let table = contents.add(ADS_DD_TABLE_OBJECT, "", name)?;
        table.set_text(ADS_DD_TABLE_PATH, Some(dictionary.stored(path)));
        table.set_number(ADS_DD_TABLE_TYPE, table_type);
        for column in columns {
            let said = [&column.default, &column.range.0, &column.range.1, &column.error_message];
            if !column.not_null && said.iter().all(|text| text.is_none()) {
                continue;
            }
            let field = contents.get_or_add(ADS_DD_FIELD_OBJECT, name, &column.name.text);
            let ids = [
                ADS_DD_FIELD_DEFAULT_VALUE,
                ADS_DD_FIELD_MIN_VALUE,
                ADS_DD_FIELD_MAX_VALUE,
                ADS_DD_FIELD_VALIDATION_MSG,
            ];
            for (id, text) in ids.into_iter().zip(said) {
                if let Some(text) = text {
                    field.set_text(id, Some(text.clone()));
                }
            }
            if column.not_null {
                field.set_number(ADS_DD_FIELD_CAN_NULL, 0);
            }
        }
        Ok(())
    });
    changed.map_err(failed)
}

/// Takes a table out of the dictionary while `work` removes its files. Relations of which it is the child go with it.
///
/// Errors: 5054; 5130 (AE_DD_REQUEST_NOT_COMPLETED) for a table that is the parent of others; those of `work`.
pub(crate) fn remove_table(
    dictionary: &Session,
    folder: &Path,
    name: &ObjectName,
    work: impl FnOnce() -> Result<(), Failed>,
) -> Result<(), Failed> {
    let contents = dictionary.live.contents().map_err(failed)?;
    let Some((ADS_DD_TABLE_OBJECT, table)) = object_of(dictionary, &contents, folder, name) else { return work() };
    let mut worked = Ok(());
    let changed = dictionary.live.change(|contents| {
        dictionary.access.require(contents, ADS_DD_TABLE_OBJECT, "", &table, ADS_PERMISSION_DROP)?;
        let (_, as_parent) = Relation::of_table(contents, &table);
        if let Some(relation) = as_parent.first() {
            let reason = format!("the table is the parent of the relation {}", relation.name);
            return Err(Failure::new(AE_DD_REQUEST_NOT_COMPLETED, reason));
        }
        contents.remove(ADS_DD_TABLE_OBJECT, "", &table)?;
        let is_child = |object: &Object| object.text(ADS_DD_RI_FOREIGN_TABLE).is_some_and(|of| same(of, &table));
        contents.objects.retain(|object| !(object.kind == ADS_DD_RELATION_OBJECT && is_child(object)));
        worked = work();
        // Its files are there: so it stays in the dictionary.
        if worked.is_err() { Err(AE_DD_REQUEST_NOT_COMPLETED.into()) } else { Ok(()) }
    });
    worked.and(changed.map_err(failed))
}

/// Refuses what would take records away behind the relations of a table.
///
/// Errors: 5130 (AE_DD_REQUEST_NOT_COMPLETED).
pub(crate) fn without_relations(dictionary: &Session, folder: &Path, name: &ObjectName) -> Result<(), Failed> {
    let contents = dictionary.live.contents().map_err(failed)?;
    let Some((_, table)) = object_of(dictionary, &contents, folder, name) else { return Ok(()) };
    let (as_child, as_parent) = Relation::of_table(&contents, &table);
    match as_child.is_empty() && as_parent.is_empty() {
        true => Ok(()),
        false => {
            Err(failed(Failure::new(AE_DD_REQUEST_NOT_COMPLETED, "a table with relations is not emptied at once")))
        }
    }
}
