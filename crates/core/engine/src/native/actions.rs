//! Referential actions: ON DELETE and ON UPDATE of references.
//!
//! At the end of a statement the store lists the rows that refer to deleted or renamed rows
//! ([`Transaction::next_actions`]), round by round, since the actions may affect rows that have references in turn. A
//! row that is found through several references is changed once. Its checks, computed columns and NOT NULL apply as for
//! any UPDATE; the statement's row count does not include it.

use super::Native;
use super::forms::{Defaults, Form};
use super::scope::Scope;
use super::sequences::{Given, SessionSequences};
use super::update::{Keep, Late, RowChange, update_late, update_row};
use crate::returning::Rows;
use mainstay_planner::Planner;
use mainstay_store::{Action, ActionCursor, NativeTable, Referring, Savepoint, Transaction, Written};
use mainstay_types::{Code, Result, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The effect of the referential actions on one row.
enum Fate {
    Deleted,
    Changed(Vec<(usize, Value)>),
}

/// The rows of a table that refer to what is gone, by position.
struct Affected {
    table: Arc<NativeTable>,
    rows: BTreeMap<u64, Vec<(Vec<usize>, Action)>>,
}

/// Does what the references say about everything that the statement has deleted or renamed. False when another transaction
/// was first, so that the statement is to begin again.
///
/// Errors: `ForeignKeyViolation` of RESTRICT, those of the rows that are changed, and those of waiting.
pub(super) fn carry_out(
    (native, planner, given): (&Native, &Planner, &Arc<Given>),
    transaction: &mut Transaction,
    statement: &Savepoint,
) -> Result<bool> {
    let mut cursor = ActionCursor::default();
    loop {
        let found = transaction.next_actions(statement, &mut cursor)?;
        if found.is_empty() {
            return Ok(true);
        }
        let scope = native.scope(transaction);
        for affected in by_table(found) {
            let form = native.form(planner, &scope, &key_of_table(&scope, &affected.table)?)?;
            let sequences = SessionSequences { scope: scope.clone(), given: Arc::clone(given) };
            if !apply(planner, sequences, transaction, &form, affected.rows)? {
                return Ok(false);
            }
        }
    }
}

fn by_table(found: Vec<Referring>) -> Vec<Affected> {
    let mut tables: Vec<Affected> = Vec::new();
    for Referring { table, position, columns, action } in found {
        let place = tables.iter().position(|known| Arc::ptr_eq(&known.table, &table)).unwrap_or_else(|| {
            tables.push(Affected { table, rows: BTreeMap::new() });
            tables.len() - 1
        });
        tables[place].rows.entry(position).or_default().push((columns, action));
    }
    tables
}

/// The name by which a table's form is found.
fn key_of_table(scope: &Scope, table: &NativeTable) -> Result<String> {
    scope.key_of_id(u64::from(table.id()))
}

/// Changes the rows of one table; false when another transaction was first.
fn apply(
    planner: &Planner,
    sequences: SessionSequences,
    transaction: &mut Transaction,
    form: &Form,
    rows: BTreeMap<u64, Vec<(Vec<usize>, Action)>>,
) -> Result<bool> {
    let needs_defaults = rows.values().flatten().any(|(_, action)| *action == Action::SetDefault);
    let defaults = if needs_defaults { Some(form.defaults(planner, sequences)?) } else { None };
    let view = transaction.view()?;
    let whole = form.looks_at_rows();
    let (mut uncounted, mut late) = (Rows::default(), Late::default());
    for (position, actions) in rows {
        match fate(form, defaults.as_ref(), actions)? {
            Fate::Deleted => {
                if let Written::Moved(_) = form.table.delete(transaction, position)? {
                    return Ok(false);
                }
            }
            Fate::Changed(changes) => {
                let change = RowChange { position, changes, beside: Vec::new() };
                match update_row(transaction, form, view, &change, Keep::whole(whole), &mut uncounted) {
                    Ok(Written::Moved(_) | Written::Deleted) => return Ok(false),
                    Ok(Written::Done(_) | Written::Gone) => {}
                    Err(error) if error.code() == Code::UniqueViolation => late.push(Some(planner), change, error)?,
                    Err(error) => return Err(error),
                }
            }
        }
    }
    Ok(!update_late(transaction, form, view, late, Keep::whole(whole), &mut uncounted)?)
}

/// The combined effect of all references on a row: deletion outweighs the others.
fn fate(form: &Form, defaults: Option<&Defaults>, actions: Vec<(Vec<usize>, Action)>) -> Result<Fate> {
    let mut changes: Vec<(usize, Value)> = Vec::new();
    for (columns, action) in actions {
        let values = match action {
            Action::Delete => return Ok(Fate::Deleted),
            Action::Set(values) => values,
            Action::SetDefault => {
                let value = |column: &usize| defaults.map_or(Ok(Value::Null), |it| it.value(form, *column));
                columns.iter().map(value).collect::<Result<_>>()?
            }
        };
        for (column, value) in columns.into_iter().zip(values) {
            let value = match value {
                Value::Null => Value::Null,
                value => form.converted(column, value.as_ref())?,
            };
            match changes.iter_mut().find(|(known, _)| *known == column) {
                // Two references of one column that disagree: the check at the end of the statement decides.
                Some((_, known)) => *known = value,
                None => changes.push((column, value)),
            }
        }
    }
    Ok(Fate::Changed(changes))
}
