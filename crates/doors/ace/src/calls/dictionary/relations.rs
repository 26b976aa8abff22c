//! Relations between the tables of a dictionary.

use std::sync::atomic::Ordering;

use mainstay_workarea::Mode;

use crate::border::*;
use crate::calls::dictionary::checks::{self, Validation};
use crate::calls::dictionary::session;
use crate::constants::*;
use crate::dictionary::Session;
use crate::dictionary::contents::{Contents, same};
use crate::dictionary::integrity::{self, Relation};
use crate::failure::{Failure, Result};
use crate::far_dictionary::forward;

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn create(
    dictionary: Handle,
    name: Text,
    fail_table: Text,
    parent: Text,
    parent_index: Text,
    child: Text,
    child_index: Text,
    on_update: u16,
    on_delete: u16,
) -> Result<()> {
    let none = Text::NONE;
    create_62(dictionary, name, fail_table, parent, parent_index, child, child_index, on_update, on_delete, none, none)
}

#[allow(clippy::too_many_arguments, reason = "the parameters are the interface's")]
pub fn create_62(
    dictionary: Handle,
    name: Text,
    fail_table: Text,
    parent: Text,
    parent_index: Text,
    child: Text,
    child_index: Text,
    on_update: u16,
    on_delete: u16,
    no_parent: Text,
    cascade: Text,
) -> Result<()> {
    let session = session(dictionary)?;
    let known = ADS_DD_RI_CASCADE..=ADS_DD_RI_SETDEFAULT;
    for rule in [on_update, on_delete] {
        if !known.contains(&u32::from(rule)) {
            return Err(Failure::new(AE_INVALID_OPTION, rule.to_string()));
        }
    }
    let mut relation = Relation {
        name: name.string()?,
        parent: (parent.string()?, parent_index.optional_string().unwrap_or_default()),
        child: (child.string()?, child_index.string()?),
        on_update: on_update.into(),
        on_delete: on_delete.into(),
        no_parent: no_parent.optional_string(),
        cascade: cascade.optional_string(),
    };
    let fail_table = fail_table.optional_string();
    session.live.change(|contents| {
        for table in [&relation.parent.0, &relation.child.0] {
            session.access.require(contents, ADS_DD_TABLE_OBJECT, "", table, ADS_PERMISSION_ALTER)?;
        }
        relation.parent.0 = contents.get(ADS_DD_TABLE_OBJECT, "", &relation.parent.0)?.name.clone();
        relation.child.0 = contents.get(ADS_DD_TABLE_OBJECT, "", &relation.child.0)?.name.clone();
        if contents.is_taken(ADS_DD_RELATION_OBJECT, "", &relation.name) {
            return Err(Failure::new(AE_RI_RULE_EXISTS, relation.name.clone()));
        }
        check_indexes(&session, contents, &mut relation)?;
        check_children(&session, contents, &relation, fail_table)?;
        let object = contents.add(ADS_DD_RELATION_OBJECT, "", &relation.name)?;
        object.set_text(ADS_DD_RI_PRIMARY_TABLE, Some(relation.parent.0));
        object.set_text(ADS_DD_RI_PRIMARY_INDEX, Some(relation.parent.1));
        object.set_text(ADS_DD_RI_FOREIGN_TABLE, Some(relation.child.0));
        object.set_text(ADS_DD_RI_FOREIGN_INDEX, Some(relation.child.1));
        object.set_number(ADS_DD_RI_UPDATERULE, relation.on_update);
        object.set_number(ADS_DD_RI_DELETERULE, relation.on_delete);
        object.set_text(ADS_DD_RI_NO_PKEY_ERROR, relation.no_parent);
        object.set_text(ADS_DD_RI_CASCADE_ERROR, relation.cascade);
        Ok(())
    })
}

/// The parent's index must be its primary key, and both must have the same keys.
fn check_indexes(session: &Session, contents: &Contents, relation: &mut Relation) -> Result<()> {
    let failed = |reason: String| Failure::new(AE_RI_FAILED, reason);
    let primary = contents.get(ADS_DD_TABLE_OBJECT, "", &relation.parent.0)?.text(ADS_DD_TABLE_PRIMARY_KEY);
    let primary = primary.ok_or_else(|| {
        Failure::new(AE_NO_PRIMARY_KEY_EXISTS, format!("table {} has no primary key", relation.parent.0))
    })?;
    if relation.parent.1.is_empty() {
        relation.parent.1 = primary.to_owned();
    }
    if !same(&relation.parent.1, primary) {
        return Err(failed(format!("index {} is not the primary key, which is {primary}", relation.parent.1)));
    }
    let parent = session.open(contents, &relation.parent.0, Mode::ReadOnly)?;
    let child = session.open(contents, &relation.child.0, Mode::ReadOnly)?;
    let find = |area: &mainstay_workarea::Area, index: &str| {
        let order = area.order_named(index).and_then(|order| area.order_info(order));
        order.ok_or_else(|| failed(format!("there is no index {index}")))
    };
    let (of_parent, of_child) = (find(&parent, &relation.parent.1)?, find(&child, &relation.child.1)?);
    let parts = |area, expression: &str| integrity::fields_of(area, expression).len();
    let same_keys = of_parent.key_kind == of_child.key_kind
        && of_parent.key_length == of_child.key_length
        && parts(&parent, &of_parent.key) == parts(&child, &of_child.key);
    match same_keys && of_child.condition.is_none() {
        true => Ok(()),
        false => Err(failed(format!("the keys {} and {} are not of the same kind", of_parent.key, of_child.key))),
    }
}

/// Every child must have its parent; those without one go into the table that the program names.
fn check_children(
    session: &Session,
    contents: &Contents,
    relation: &Relation,
    fail_table: Option<String>,
) -> Result<()> {
    let mut parent = session.open(contents, &relation.parent.0, Mode::ReadOnly)?;
    // Records that are parents themselves are not taken away.
    let is_parent =
        !Relation::of_table(contents, &relation.child.0).1.is_empty() || same(&relation.parent.0, &relation.child.0);
    let validation = Validation::aside(fail_table.filter(|_| !is_parent));
    checks::put_aside(session, contents, &relation.child.0, &validation, AE_RI_FAILED, |area| {
        let (_, expression) = integrity::key_expression(area, &relation.child.1)?;
        let Some(key) = integrity::key(area, &expression)? else { return Ok(()) };
        match integrity::records_with(&mut parent, &relation.parent.1, &key)?.is_empty() {
            true => Err(Failure::new(AE_RI_FAILED, format!("{} has no such key", relation.parent.0))),
            false => Ok(()),
        }
    })
}

pub fn remove(dictionary: Handle, name: Text) -> Result<()> {
    let session = session(dictionary)?;
    let name = name.string()?;
    session.live.change(|contents| {
        let relation = Relation::of(contents.get(ADS_DD_RELATION_OBJECT, "", &name)?);
        for table in [&relation.parent.0, &relation.child.0] {
            session.access.require(contents, ADS_DD_TABLE_OBJECT, "", table, ADS_PERMISSION_ALTER)?;
        }
        contents.remove(ADS_DD_RELATION_OBJECT, "", &name).map(drop)
    })
}

/// Switches the checks of relations off or on for this connection; for administrators, who repair data with it.
fn switch(connection: Handle, off: bool) -> Result<()> {
    let session = session(connection)?;
    let contents = session.live.contents()?;
    session.access.require(&contents, ADS_DD_DATABASE_OBJECT, "", "", ADS_PERMISSION_ALTER)?;
    session.is_integrity_off.store(off, Ordering::Relaxed);
    Ok(())
}

pub fn disable(connection: Handle) -> Result<()> {
    match forward("AdsDisableRI", &[connection.into()])? {
        true => Ok(()),
        false => switch(connection, true),
    }
}

pub fn enable(connection: Handle) -> Result<()> {
    match forward("AdsEnableRI", &[connection.into()])? {
        true => Ok(()),
        false => switch(connection, false),
    }
}

/// Looks whether every child has its parent, in all relations.
///
/// Errors: AE_RI_FAILED, with the first relation and record that is not so.
pub fn verify(connection: Handle, exclusive: u16) -> Result<()> {
    if forward("AdsVerifyRI", &[connection.into(), exclusive.into()])? {
        return Ok(());
    }
    let session = session(connection)?;
    let contents = session.live.contents()?;
    contents.all(ADS_DD_RELATION_OBJECT).map(Relation::of).try_for_each(|relation| {
        check_children(&session, &contents, &relation, None)
            .map_err(|failure| Failure::new(failure.code, format!("relation {}: {}", relation.name, failure.detail)))
    })
}
