//! Relations between tables: a child's key must be one of its parent's; rules decide about the children when the
//! parent's key changes.
//!
//! A relation names an index of each table: the parent's key, which is unique, and the child's. A record of the child
//! has a parent with the same key, or no key at all (all its fields without a value). When a parent is deleted, or its
//! key changes, the relation's rule decides about its children: the change is refused (RESTRICT), it is made to them,
//! too (CASCADE), or their key is removed (SETNULL, SETDEFAULT). Deleted records are neither parents nor children.

use mainstay_workarea::{Area, FieldValue, Mode, OrderId, SeekHow};

use crate::constants::*;
use crate::contents::{Contents, Object, same};
use crate::dates::DateForm;
use crate::failure::{Failure, Result};
use crate::{Session, rules};

/// A relation as the dictionary has it.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// The parent's table, and its index.
    pub parent: (String, String),
    /// The child's.
    pub child: (String, String),
    /// ADS_DD_RI_CASCADE and its siblings, when the parent's key changes.
    pub on_update: u32,
    /// The same when the parent is deleted.
    pub on_delete: u32,
    /// The message for a missing parent.
    pub no_parent: Option<String>,
    /// The message for children that cannot be changed.
    pub cascade: Option<String>,
}

impl Relation {
    /// Of an object of the dictionary.
    pub fn of(object: &Object) -> Relation {
        let text = |id: u32| object.text(id).unwrap_or_default().to_owned();
        Relation {
            name: object.name.clone(),
            parent: (text(ADS_DD_RI_PRIMARY_TABLE), text(ADS_DD_RI_PRIMARY_INDEX)),
            child: (text(ADS_DD_RI_FOREIGN_TABLE), text(ADS_DD_RI_FOREIGN_INDEX)),
            on_update: object.number(ADS_DD_RI_UPDATERULE),
            on_delete: object.number(ADS_DD_RI_DELETERULE),
            no_parent: object.text(ADS_DD_RI_NO_PKEY_ERROR).map(str::to_owned),
            cascade: object.text(ADS_DD_RI_CASCADE_ERROR).map(str::to_owned),
        }
    }

    /// Those of which a table is the child, and those of which it is the parent.
    pub fn of_table(contents: &Contents, table: &str) -> (Vec<Relation>, Vec<Relation>) {
        let all: Vec<Relation> = contents.all(ADS_DD_RELATION_OBJECT).map(Relation::of).collect();
        let children = all.iter().filter(|relation| same(&relation.child.0, table)).cloned().collect();
        (children, all.into_iter().filter(|relation| same(&relation.parent.0, table)).collect())
    }
}

/// The key expression of an index of an open table.
pub fn key_expression(area: &Area, index: &str) -> Result<(OrderId, String)> {
    let order = area.order_named(index).and_then(|order| Some((order, area.order_info(order)?.key)));
    order.ok_or_else(|| Failure::new(AE_RI_FAILED, format!("there is no index {index}")))
}

/// The fields that an expression names, in the order in which it does.
pub fn fields_of(area: &Area, expression: &str) -> Vec<usize> {
    let mut fields = Vec::new();
    let mut rest = expression;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_alphabetic() || matches!(letter, '_' | '"' | '\''))
    {
        let from = &rest[start..];
        if let Some(quote) = from.chars().next().filter(|first| matches!(first, '"' | '\'')) {
            let end = from[1..].find(quote).map_or(from.len(), |end| end + 2);
            rest = &from[end..];
            continue;
        }
        let end = from.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(from.len());
        if let Some(field) = area.field_number(&from[..end]).filter(|field| !fields.contains(field)) {
            fields.push(field);
        }
        rest = &from[end..];
    }
    fields
}

/// The key of the current record; nothing if one of its fields has no value.
pub fn key(area: &mut Area, expression: &str) -> Result<Option<FieldValue>> {
    for field in fields_of(area, expression) {
        if rules::is_null(area, field)? {
            return Ok(None);
        }
    }
    Ok(Some(area.evaluate(expression)?))
}

/// The records that have a key, deleted ones left out.
pub fn records_with(area: &mut Area, index: &str, wanted: &FieldValue) -> Result<Vec<u32>> {
    let (order, expression) = key_expression(area, index)?;
    let Some(sought) = wanted.clone().into_key() else { return Ok(Vec::new()) };
    area.set_hide_deleted(true);
    area.set_order(Some(order))?;
    let mut found = Vec::new();
    let mut is_there = area.seek(&sought, SeekHow::default())?;
    while is_there {
        if same_key(&area.evaluate(&expression)?, wanted) {
            found.push(area.record_number());
        }
        area.skip(1)?;
        is_there = !area.is_eof() && begins(&area.evaluate(&expression)?, wanted);
    }
    Ok(found)
}

/// Returns true if two keys are equal; trailing blanks of a text are ignored.
pub fn same_key(left: &FieldValue, right: &FieldValue) -> bool {
    match (left, right) {
        (FieldValue::Text(left), FieldValue::Text(right)) => left.trim_ascii_end() == right.trim_ascii_end(),
        (left, right) => std::mem::discriminant(left) == std::mem::discriminant(right) && left.compare(right).is_eq(),
    }
}

fn begins(key: &FieldValue, wanted: &FieldValue) -> bool {
    match (key, wanted) {
        (FieldValue::Text(key), FieldValue::Text(wanted)) => key.starts_with(wanted.trim_ascii_end()),
        (key, wanted) => same_key(key, wanted),
    }
}

/// Fails unless the current record of a child has its parent.
///
/// Errors: AE_NO_PRIMARY_KEY_FOUND.
pub fn check_child(session: &Session, contents: &Contents, relation: &Relation, area: &mut Area) -> Result<()> {
    let (_, expression) = key_expression(area, &relation.child.1)?;
    let Some(wanted) = key(area, &expression)? else { return Ok(()) };
    if same(&relation.parent.0, &relation.child.0) {
        // A record may be its own parent.
        let (_, own) = key_expression(area, &relation.parent.1)?;
        if key(area, &own)?.is_some_and(|own| same_key(&own, &wanted)) {
            return Ok(());
        }
    }
    require_parent(session, contents, relation, &wanted)
}

/// Fails unless there is a parent with this key.
///
/// Errors: AE_NO_PRIMARY_KEY_FOUND.
pub fn require_parent(session: &Session, contents: &Contents, relation: &Relation, wanted: &FieldValue) -> Result<()> {
    let mut parent = session.open(contents, &relation.parent.0, Mode::ReadOnly)?;
    match records_with(&mut parent, &relation.parent.1, wanted)?.is_empty() {
        false => Ok(()),
        true => {
            let reason = format!("relation {}: {} has no such key", relation.name, relation.parent.0);
            Err(Failure::new(AE_NO_PRIMARY_KEY_FOUND, relation.no_parent.clone().unwrap_or(reason)))
        }
    }
}

/// The action on the children of a record.
#[derive(Clone, Debug)]
pub enum Action {
    /// They are deleted, too.
    Delete,
    /// Their fields get these values.
    Set(Vec<(usize, FieldValue)>),
}

/// The effect of a change of a parent's current record on its children: the children, and the action on them. `was` is
/// the key that it had; the parent comes with the expression of its key.
///
/// Errors: AE_RI_RESTRICT.
pub fn plan(
    contents: &Contents,
    date_form: DateForm,
    relation: &Relation,
    (area, own): (&mut Area, &str),
    child: &mut Area,
    was: &FieldValue,
    is_deleted: bool,
) -> Result<Option<(Vec<u32>, Action)>> {
    let children = records_with(child, &relation.child.1, was)?;
    // A record that is its own child does not hold itself.
    let itself = same(&relation.parent.0, &relation.child.0).then(|| area.record_number());
    let children: Vec<u32> = children.into_iter().filter(|record| Some(*record) != itself).collect();
    if children.is_empty() {
        return Ok(None);
    }
    let rule = if is_deleted { relation.on_delete } else { relation.on_update };
    let (_, expression) = key_expression(child, &relation.child.1)?;
    let fields = fields_of(child, &expression);
    let count = children.len();
    let action = match rule {
        ADS_DD_RI_CASCADE if is_deleted => Action::Delete,
        ADS_DD_RI_CASCADE => {
            let own = fields_of(area, own);
            let mut values = Vec::new();
            for (to, from) in fields.into_iter().zip(own) {
                values.push((to, area.get(from)?));
            }
            Action::Set(values)
        }
        ADS_DD_RI_SETNULL => Action::Set(fields.into_iter().map(|field| (field, FieldValue::Null)).collect()),
        ADS_DD_RI_SETDEFAULT => {
            let mut values = Vec::new();
            for field in fields {
                let name = child.fields().get(field).map_or_else(String::new, |field| field.name.clone());
                let object = contents.find(ADS_DD_FIELD_OBJECT, &relation.child.0, &name);
                values.push((
                    field,
                    match object.and_then(|object| object.text(ADS_DD_FIELD_DEFAULT_VALUE)) {
                        Some(default) => rules::constant(child, field, default, date_form)?,
                        None => FieldValue::Null,
                    },
                ));
            }
            Action::Set(values)
        }
        _ => {
            let reason = format!("relation {}: {count} records of {} need it", relation.name, relation.child.0);
            return Err(Failure::new(AE_RI_RESTRICT, reason));
        }
    };
    Ok(Some((children, action)))
}
