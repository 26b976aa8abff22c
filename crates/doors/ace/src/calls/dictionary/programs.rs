//! Views, procedures, functions, packages and triggers: stored here, run by the SQL engine.

use crate::border::*;
use crate::calls::dictionary::properties::Named;
use crate::calls::dictionary::{change, session};
use crate::constants::*;
use crate::dictionary::Object;
use crate::failure::{Failure, Result};

/// Creates an object of a kind; the right to create this kind is enough.
fn make(dictionary: Handle, kind: u32, parent: &str, name: &str, fill: impl FnOnce(&mut Object)) -> Result<()> {
    let session = session(dictionary)?;
    change(&session, (kind, "", "", ADS_PERMISSION_CREATE), |contents| {
        fill(contents.add(kind, parent, name)?);
        Ok(())
    })
}

/// Takes one away.
fn unmake(dictionary: Handle, kind: u32, parent: &str, name: &str) -> Result<()> {
    let session = session(dictionary)?;
    change(&session, (kind, parent, name, ADS_PERMISSION_DROP), |contents| {
        contents.remove(kind, parent, name).map(drop)
    })
}

pub fn add_view(dictionary: Handle, name: Text, comments: Text, sql: Text) -> Result<()> {
    session(dictionary)?;
    let (name, sql) = (name.string()?, sql.string()?);
    make(dictionary, ADS_DD_VIEW_OBJECT, "", &name, |view| {
        view.set_text(ADS_DD_COMMENT, comments.optional_string());
        view.set_text(ADS_DD_VIEW_STMT, Some(sql));
    })
}

pub fn remove_view(dictionary: Handle, name: Text) -> Result<()> {
    session(dictionary)?;
    unmake(dictionary, ADS_DD_VIEW_OBJECT, "", &name.string()?)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn add_procedure(
    dictionary: Handle,
    name: Text,
    container: Text,
    procedure: Text,
    invoke: u32,
    input: Text,
    output: Text,
    comments: Text,
) -> Result<()> {
    session(dictionary)?;
    let (name, container) = (name.string()?, container.string()?);
    if !matches!(invoke, ADS_STORED_PROC | ADS_COMSTORED_PROC | ADS_SCRIPT_PROC) {
        return Err(Failure::new(AE_INVALID_OPTION, invoke.to_string()));
    }
    make(dictionary, ADS_DD_PROCEDURE_OBJECT, "", &name, |object| {
        object.set_number(ADS_DD_PROC_INVOKE_OPTION, invoke);
        object.set_text(ADS_DD_PROC_INPUT, input.optional_string());
        object.set_text(ADS_DD_PROC_OUTPUT, output.optional_string());
        object.set_text(ADS_DD_COMMENT, comments.optional_string());
        match invoke {
            ADS_SCRIPT_PROC => object.set_text(ADS_DD_PROC_SCRIPT, Some(container)),
            _ => {
                object.set_text(ADS_DD_PROC_DLL_NAME, Some(container));
                object.set_text(ADS_DD_PROC_DLL_FUNCTION_NAME, procedure.optional_string());
            }
        }
    })
}

pub fn remove_procedure(dictionary: Handle, name: Text) -> Result<()> {
    session(dictionary)?;
    unmake(dictionary, ADS_DD_PROCEDURE_OBJECT, "", &name.string()?)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn create_function(
    dictionary: Handle,
    name: Text,
    result: Text,
    _parameter_count: u16,
    parameters: Text,
    body: Text,
    comments: Text,
) -> Result<()> {
    let session = session(dictionary)?;
    let (named, result, body) = (Named::function(&name.string()?), result.string()?, body.string()?);
    if !named.parent.is_empty() {
        session.live.contents()?.get(ADS_DD_PACKAGE_OBJECT, "", &named.parent)?;
    }
    make(dictionary, ADS_DD_FUNCTION_OBJECT, &named.parent, &named.name, |object| {
        object.set_text(ADS_DD_PROC_OUTPUT, Some(result));
        object.set_text(ADS_DD_PROC_INPUT, parameters.optional_string());
        object.set_text(ADS_DD_PROC_SCRIPT, Some(body));
        object.set_text(ADS_DD_COMMENT, comments.optional_string());
    })
}

pub fn drop_function(dictionary: Handle, name: Text) -> Result<()> {
    session(dictionary)?;
    let named = Named::function(&name.string()?);
    unmake(dictionary, ADS_DD_FUNCTION_OBJECT, &named.parent, &named.name)
}

pub fn create_package(dictionary: Handle, name: Text, comments: Text) -> Result<()> {
    session(dictionary)?;
    let name = name.string()?;
    make(dictionary, ADS_DD_PACKAGE_OBJECT, "", &name, |package| {
        package.set_text(ADS_DD_COMMENT, comments.optional_string());
    })
}

pub fn drop_package(dictionary: Handle, name: Text) -> Result<()> {
    session(dictionary)?;
    unmake(dictionary, ADS_DD_PACKAGE_OBJECT, "", &name.string()?)
}

/// Makes a trigger: of a table or a view, or without one of the database.
#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn create_trigger(
    dictionary: Handle,
    name: Text,
    table: Text,
    trigger_type: u32,
    event: u32,
    container_type: u32,
    container: Text,
    function: Text,
    priority: u32,
    comments: Text,
    options: u32,
) -> Result<()> {
    let session = session(dictionary)?;
    let (name, container) = (name.string()?, container.string()?);
    let table = table.optional_string().unwrap_or_default();
    let is_of_table = matches!(event, ADS_TRIGEVENT_INSERT | ADS_TRIGEVENT_UPDATE | ADS_TRIGEVENT_DELETE);
    let is_of_database = matches!(
        event,
        ADS_TRIGEVENT_OPEN_TABLE | ADS_TRIGEVENT_CLOSE_TABLE | ADS_TRIGEVENT_CONNECT | ADS_TRIGEVENT_DISCONNECT
    );
    let types = [ADS_TRIGTYPE_BEFORE, ADS_TRIGTYPE_INSTEADOF, ADS_TRIGTYPE_AFTER, ADS_TRIGTYPE_CONFLICTON];
    let fits = if table.is_empty() { is_of_database } else { is_of_table };
    if !fits || !types.contains(&trigger_type) || !(ADS_TRIG_WIN32DLL..=ADS_TRIG_SCRIPT).contains(&container_type) {
        return Err(Failure::new(AE_TRIG_CREATION_FAILED, "there is no trigger of this type, event and container"));
    }
    let owner = if table.is_empty() { ADS_DD_DATABASE_OBJECT } else { ADS_DD_TABLE_OBJECT };
    change(&session, (owner, "", &table, ADS_PERMISSION_ALTER), |contents| {
        if owner == ADS_DD_TABLE_OBJECT {
            session.access.require(contents, ADS_DD_PROCEDURE_OBJECT, "", "", ADS_PERMISSION_CREATE)?;
        }
        let parent = match table.as_str() {
            "" => String::new(),
            table => {
                let owner = contents.find(ADS_DD_TABLE_OBJECT, "", table);
                match owner.or_else(|| contents.find(ADS_DD_VIEW_OBJECT, "", table)) {
                    Some(owner) => owner.name.clone(),
                    None => return Err(Failure::new(AE_INVALID_OBJECT_NAME, table)),
                }
            }
        };
        let trigger = contents.add(ADS_DD_TRIGGER_OBJECT, &parent, &name)?;
        trigger.set_number(ADS_DD_TRIG_TRIGGER_TYPE, trigger_type);
        trigger.set_number(ADS_DD_TRIG_EVENT_TYPE, event);
        trigger.set_number(ADS_DD_TRIG_CONTAINER_TYPE, container_type);
        trigger.set_number(ADS_DD_TRIG_PRIORITY, priority);
        trigger.set_number(ADS_DD_TRIG_OPTIONS, options);
        trigger.set_text(ADS_DD_TRIG_CONTAINER, Some(container));
        trigger.set_text(ADS_DD_TRIG_FUNCTION_NAME, function.optional_string());
        trigger.set_text(ADS_DD_COMMENT, comments.optional_string());
        Ok(())
    })
}

pub fn remove_trigger(dictionary: Handle, name: Text) -> Result<()> {
    let session = session(dictionary)?;
    let Named { kind, parent, name } = Named::trigger(&name.string()?);
    let owner = if parent.is_empty() { ADS_DD_DATABASE_OBJECT } else { ADS_DD_TABLE_OBJECT };
    change(&session, (owner, "", &parent, ADS_PERMISSION_ALTER), |contents| {
        contents.remove(kind, &parent, &name).map(drop)
    })
}

/// Switches triggers off or on: one (`Table::Name`, or a name with its table as parent), those of a table, or all.
fn switch(dictionary: Handle, object: Text, parent: Text, disabled: bool) -> Result<()> {
    let session = session(dictionary)?;
    let (name, parent) = (object.optional_string(), parent.optional_string());
    session.live.change(|contents| {
        let target = match (&name, &parent) {
            (None, _) => contents.get_mut(ADS_DD_DATABASE_OBJECT, "", "")?,
            (Some(name), Some(parent)) => contents.get_mut(ADS_DD_TRIGGER_OBJECT, parent, name)?,
            (Some(name), None) if name.contains("::") => {
                let named = Named::trigger(name);
                contents.get_mut(ADS_DD_TRIGGER_OBJECT, &named.parent, &named.name)?
            }
            (Some(name), None) => contents.get_mut(ADS_DD_TABLE_OBJECT, "", name)?,
        };
        match disabled {
            true => target.set_number(ADS_DD_TRIGGERS_DISABLED, 1),
            false => drop(target.properties.remove(&ADS_DD_TRIGGERS_DISABLED)),
        }
        let (kind, parent, name) = match target.kind {
            ADS_DD_TRIGGER_OBJECT => (ADS_DD_TABLE_OBJECT, String::new(), target.parent.clone()),
            kind => (kind, target.parent.clone(), target.name.clone()),
        };
        session.access.require(contents, kind, &parent, &name, ADS_PERMISSION_ALTER)
    })
}

pub fn disable_triggers(dictionary: Handle, object: Text, parent: Text, _options: u32) -> Result<()> {
    switch(dictionary, object, parent, true)
}

pub fn enable_triggers(dictionary: Handle, object: Text, parent: Text, _options: u32) -> Result<()> {
    switch(dictionary, object, parent, false)
}
