//! The rules of a table, for a statement of SQL that changes many of its records at once.
//!
//! ```text
//!   statement                               here
//!   INSERT leaves columns out          -->  defaults   the values that the dictionary has for them
//!   rows as they were and have become  -->  check      rules of fields, the table's condition, parents
//!   more statements                    <--             what becomes of the children of changed and deleted rows
//! ```
//! The rules themselves are those of the records that are written through handles ([`super::guard`]): each row is
//! passed to them as a record ([`Area::detached`]). They are checked when all rows of the statement are in the file, so
//! that two rows may exchange their keys; the caller rolls the statement back when a rule is broken.
//!
//! Limits: the number of a record is unknown here, so that a record which is its own child counts as any other child.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use mainstay_types::Value;
use mainstay_workarea::{Area, FieldValue, Form, Mode, Position};

use crate::constants::*;
use crate::contents::{Contents, Object, Property};
use crate::failure::{Failure, Result};
use crate::integrity::{self, Action, Relation};
use crate::{Session, rules};

/// A row as it was, which is nothing for a new one, and as it has become, which is nothing for a deleted one.
pub type Change<'r> = (Option<&'r [Value]>, Option<&'r [Value]>);

/// A change of the records that depend on the changed ones.
#[derive(Clone, Debug)]
pub struct Following {
    /// Their table.
    pub table: String,
    /// Their numbers.
    pub records: Vec<u32>,
    /// The fields that they get; without any they are deleted.
    pub values: Option<Vec<(String, Value)>>,
    relation: String,
    message: Option<String>,
}

impl Following {
    /// The failure to report if the change is not possible.
    pub fn failure(&self, reason: &str) -> Failure {
        let text = format!("relation {}, table {}: {reason}", self.relation, self.table);
        Failure::new(AE_RI_CASCADE, self.message.clone().unwrap_or(text))
    }
}

/// See the module.
#[derive(Debug)]
pub struct Rules {
    session: Arc<Session>,
    contents: Arc<Contents>,
    table: String,
    /// One record of the table.
    row: Area,
    /// Relations that the table is the child of, with the expression of its key; and those that it is the parent of.
    as_child: Vec<(Relation, String)>,
    as_parent: Vec<(Relation, String)>,
}

/// Returns true if a field has rules that a value can break.
fn is_ruled(field: &Object) -> bool {
    field.properties.get(&ADS_DD_FIELD_CAN_NULL).and_then(Property::number) == Some(0)
        || [ADS_DD_FIELD_MIN_VALUE, ADS_DD_FIELD_MAX_VALUE].iter().any(|limit| field.text(*limit).is_some())
}

/// The values that the dictionary has for columns of a table which a new row leaves out.
///
/// Errors: AE_INVALID_CONSTRAINT for an invalid default; those of opening the table.
pub fn defaults(session: &Session, table: &str) -> Result<Vec<(String, Value)>> {
    let contents = session.live.contents()?;
    let has_default = |field: &&Object| field.text(ADS_DD_FIELD_DEFAULT_VALUE).is_some();
    let fields: Vec<&Object> = contents.children(ADS_DD_FIELD_OBJECT, table).filter(has_default).collect();
    if fields.is_empty() {
        return Ok(Vec::new());
    }
    let mut area = session.open(&contents, table, Mode::ReadOnly)?;
    let mut values = Vec::new();
    for field in fields {
        let (Some(place), Some(text)) = (area.field_number(&field.name), field.text(ADS_DD_FIELD_DEFAULT_VALUE)) else {
            continue;
        };
        let value = rules::constant(&mut area, place, text, session.date_form)?;
        values.push((field.name.clone(), value_of(&area, &value)));
    }
    Ok(values)
}

fn value_of(area: &Area, value: &FieldValue) -> Value {
    match value {
        FieldValue::Text(bytes) => Value::Text(area.decode_text(bytes).trim_end_matches(' ').to_owned()),
        value => value.to_value(|bytes| area.decode_text(bytes)),
    }
}

fn field_value(area: &Area, value: &Value) -> FieldValue {
    match value {
        Value::Boolean(value) => FieldValue::Logical(*value),
        Value::Integer(number) => FieldValue::Integer(*number),
        Value::Decimal(number) => FieldValue::Decimal(*number),
        Value::Float(number) => FieldValue::Number(*number),
        Value::Text(text) => FieldValue::Text(area.encode_text(text)),
        Value::Binary(bytes) => FieldValue::Bytes(bytes.clone()),
        Value::Date(date) => FieldValue::Date(date.julian()),
        Value::Time(time) => FieldValue::Time(u32::try_from(time.nanos() / 1_000_000).unwrap_or(0)),
        Value::Timestamp(moment) => {
            let ms = i32::try_from(moment.time().nanos() / 1_000_000).unwrap_or(0);
            FieldValue::Timestamp { day: moment.date().julian(), ms }
        }
        _ => FieldValue::Null,
    }
}

impl Rules {
    /// The rules of a table; nothing for one that has none that a change can break.
    ///
    /// Errors: those of the dictionary and of opening the table; AE_RI_FAILED for a relation without its index.
    pub fn of(session: &Arc<Session>, table: &str) -> Result<Option<Rules>> {
        let contents = session.live.contents()?;
        let Some(object) = contents.find(ADS_DD_TABLE_OBJECT, "", table) else { return Ok(None) };
        let has_rules = object.text(ADS_DD_TABLE_VALIDATION_EXPR).is_some()
            || contents.children(ADS_DD_FIELD_OBJECT, &object.name).any(is_ruled);
        let (as_child, as_parent) = match session.is_integrity_off.load(Ordering::Relaxed) {
            true => (Vec::new(), Vec::new()),
            false => Relation::of_table(&contents, &object.name),
        };
        if !has_rules && as_child.is_empty() && as_parent.is_empty() {
            return Ok(None);
        }
        let area = session.open(&contents, &object.name, Mode::ReadOnly)?;
        let keyed = |relations: Vec<Relation>, index: fn(&Relation) -> &str| {
            let expressions = relations.into_iter().map(|relation| {
                let (_, expression) = integrity::key_expression(&area, index(&relation))?;
                Ok((relation, expression))
            });
            expressions.collect::<Result<Vec<_>>>()
        };
        let as_child = keyed(as_child, |relation| &relation.child.1)?;
        let as_parent = keyed(as_parent, |relation| &relation.parent.1)?;
        let form = Form { is_writable: true, ..area.form_of_table()? };
        let row = Area::detached(area.path(), &form)?;
        let (session, table) = (Arc::clone(session), object.name.clone());
        Ok(Some(Rules { session, contents, table, row, as_child, as_parent }))
    }

    /// Makes a row the current record.
    fn show(&mut self, columns: &[String], values: &[Value]) -> Result<()> {
        // No record of a table has this number.
        let position = Position { record: u32::MAX - 1, ..Position::default() };
        self.row.show(position, u32::MAX - 1, None);
        for (column, value) in columns.iter().zip(values) {
            if let Some(field) = self.row.field_number(column) {
                let value = field_value(&self.row, value);
                self.row.set(field, &value)?;
            }
        }
        Ok(())
    }

    /// The keys of the current record in these relations.
    fn keys(&mut self, is_child: bool) -> Result<Vec<Option<FieldValue>>> {
        let relations = if is_child { &self.as_child } else { &self.as_parent };
        relations.iter().map(|(_, expression)| integrity::key(&mut self.row, expression)).collect()
    }

    /// Checks the rows of a change against the rules, and returns the changes that follow from it. The rows are in the
    /// file.
    ///
    /// Errors: those of [`rules::check_record`]; AE_NO_PRIMARY_KEY_FOUND, AE_RI_RESTRICT.
    pub fn check(&mut self, columns: &[String], changes: &[Change<'_>]) -> Result<Vec<Following>> {
        let mut following = Vec::new();
        let mut children = Vec::new();
        for (relation, _) in &self.as_parent {
            children.push(self.session.open(&self.contents, &relation.child.0, Mode::ReadOnly)?);
        }
        for (old, new) in changes {
            let (mut was_child, mut was_parent) = (Vec::new(), Vec::new());
            if let Some(old) = old {
                self.show(columns, old)?;
                (was_child, was_parent) = (self.keys(true)?, self.keys(false)?);
            }
            let (mut is_child, mut is_parent) = (Vec::new(), Vec::new());
            if let Some(new) = new {
                self.show(columns, new)?;
                rules::check_record(&mut self.row, &self.contents, &self.table, self.session.date_form)?;
                (is_child, is_parent) = (self.keys(true)?, self.keys(false)?);
            }
            for (place, (relation, _)) in self.as_child.iter().enumerate() {
                let was = was_child.get(place).and_then(Option::as_ref);
                match is_child.get(place).and_then(Option::as_ref) {
                    Some(is) if !was.is_some_and(|was| integrity::same_key(was, is)) => {
                        integrity::require_parent(&self.session, &self.contents, relation, is)?;
                    }
                    _ => {}
                }
            }
            for (place, ((relation, own), child)) in self.as_parent.iter().zip(&mut children).enumerate() {
                let Some(was) = was_parent.get(place).and_then(Option::as_ref) else { continue };
                if is_parent.get(place).and_then(Option::as_ref).is_some_and(|is| integrity::same_key(is, was)) {
                    continue;
                }
                let parent = (&mut self.row, own.as_str());
                if let Some(plan) = integrity::plan(
                    &self.contents,
                    self.session.date_form,
                    relation,
                    parent,
                    child,
                    was,
                    new.is_none(),
                )? {
                    following.push(followed(relation, child, plan));
                }
            }
        }
        Ok(following)
    }
}

fn followed(relation: &Relation, child: &Area, (records, action): (Vec<u32>, Action)) -> Following {
    let values = match action {
        Action::Delete => None,
        Action::Set(values) => {
            let named = values.iter().filter_map(|(field, value)| {
                let name = child.fields().get(*field)?.name.clone();
                Some((name, value_of(child, value)))
            });
            Some(named.collect())
        }
    };
    let (table, relation, message) = (relation.child.0.clone(), relation.name.clone(), relation.cascade.clone());
    Following { table, records, values, relation, message }
}
