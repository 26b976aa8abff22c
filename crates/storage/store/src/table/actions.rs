//! Referential actions: the rows that refer to what a statement has deleted or renamed.
//!
//! ISO SQL finds the rows that refer to a row by the key that it had when the statement began, and acts on all of them at
//! once. A statement may rename several keys, and a renamed key may be one that another row had (`SET id = id + 1`), so the
//! rows are found for everything that has ended before the first of them is changed, and a row whose reference was set by
//! the statement itself, or by an action before, is no longer one that refers to the key that went:
//!
//! ```text
//!   parent 1 -> 2, 2 -> 3       child a (1), b (2)       round 1: a, b found;  a becomes (2), b becomes (3)
//!                                                        round 2: what a and b were referred to by, and so on
//! ```
//!
//! The rounds end: one that finds nothing more is the last, each deletes rows that were there or sets references that were
//! not set yet. The SQL layer changes what is found here, since it knows defaults, checks and computed columns. The check at
//! the end of the statement is the same for all references; so an action that does not mend one (SET DEFAULT to a key that
//! is not there) is an error.

use super::NativeTable;
use super::references::{Reference, What, still_referred};
use crate::files::catalog::ReferentialAction;
use crate::group::offset_of;
use crate::row::{Row, Stored};
use crate::stamp::{MARK, NOWHERE};
use crate::transaction::{Savepoint, Transaction, Write, overtaken};
use mainstay_types::interrupt::Pace;
use mainstay_types::{Result, Value, ValueRef};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The action on a row whose reference leads nowhere now.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// It is deleted.
    Delete,
    /// Its columns get these values: the key's new ones, or NULL.
    Set(Vec<Value>),
    /// Its columns get their defaults.
    SetDefault,
}

/// A row that refers to one that is gone, or whose key has changed.
pub struct Referring {
    /// Its table.
    pub table: Arc<NativeTable>,
    /// Its newest version.
    pub position: u64,
    /// The columns of the reference.
    pub columns: Vec<usize>,
    /// The action on the row.
    pub action: Action,
}

/// The changes of a statement to a table so far.
struct Written {
    /// The versions of rows that were not there before.
    inserted: HashSet<u64>,
    /// The version that each new one replaces.
    replaced: HashMap<u64, u64>,
}

/// The progress of a statement's referential actions.
#[derive(Default)]
pub struct ActionCursor {
    /// The number of checks that have been processed.
    checks: usize,
}

impl Transaction {
    /// The rows that refer to what has been deleted or renamed since the last call with this cursor, for references with
    /// an action. `statement` is where the statement began. Nothing, when nothing has.
    ///
    /// Errors: `ForeignKeyViolation` for a reference with RESTRICT, `Conflict` for a row that the transaction does not see,
    /// and those of waiting.
    pub fn next_actions(&mut self, statement: &Savepoint, cursor: &mut ActionCursor) -> Result<Vec<Referring>> {
        cursor.checks = cursor.checks.max(statement.checks());
        if cursor.checks >= self.checks.len() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let (mut written, mut pace) = (HashMap::new(), Pace::default());
        while let Some(check) = self.checks.get(cursor.checks) {
            cursor.checks += 1;
            pace.step()?;
            let What::Parent(old, new) = check.what else { continue };
            let parent = Arc::clone(&check.table);
            for reference in parent.references.children().iter() {
                if reference.action(new.is_none()) == ReferentialAction::NoAction {
                    continue;
                }
                self.act(statement, &mut written, (&parent, old, new), reference, &mut found)?;
            }
        }
        Ok(found)
    }

    fn act(
        &mut self,
        statement: &Savepoint,
        written: &mut HashMap<u32, Written>,
        (parent, old, new): (&Arc<NativeTable>, u64, Option<u64>),
        reference: &Reference,
        found: &mut Vec<Referring>,
    ) -> Result<()> {
        let Some(child) = reference.child.upgrade() else { return Ok(()) };
        let Some((old, group)) = parent.resolve(old) else { return Ok(()) };
        let stored = Stored { group: &group, offset: offset_of(old) };
        if !parent.has_lost_key(reference, &stored, new) {
            return Ok(());
        }
        let values: Vec<ValueRef<'_>> = reference.parent_columns.iter().map(|column| stored.value(*column)).collect();
        let rows = child.referring(reference, self, &values)?;
        let action = match reference.action(new.is_none()) {
            _ if rows.is_empty() => return Ok(()),
            ReferentialAction::NoAction => return Ok(()),
            ReferentialAction::Restrict => return Err(still_referred(parent, &child, reference, &values)),
            ReferentialAction::SetNull => Action::Set(vec![Value::Null; values.len()]),
            ReferentialAction::SetDefault => Action::SetDefault,
            ReferentialAction::Cascade => match new.and_then(|new| parent.resolve(new)) {
                None => Action::Delete,
                Some((new, group)) => {
                    let renewed = Stored { group: &group, offset: offset_of(new) };
                    Action::Set(reference.parent_columns.iter().map(|c| renewed.value(*c).to_value()).collect())
                }
            },
        };
        let view = self.fixed_view();
        for position in rows {
            let written = written.entry(child.id()).or_insert_with(|| self.written(statement, &child));
            if written.has_set(&child, position, &reference.child_columns) {
                continue;
            }
            let created = child.resolve(position).map_or(0, |(at, group)| group.created(offset_of(at)));
            if created < MARK && created > view {
                return Err(overtaken());
            }
            let (table, columns, action) = (Arc::clone(&child), reference.child_columns.clone(), action.clone());
            found.push(Referring { table, position, columns, action });
        }
        Ok(())
    }

    /// The changes of this statement to a table.
    fn written(&self, statement: &Savepoint, table: &Arc<NativeTable>) -> Written {
        let mut written = Written { inserted: HashSet::new(), replaced: HashMap::new() };
        for write in self.writes_since(statement) {
            match *write {
                Write::Inserted { table: number, first, count } if self.is_number_of(number, table) => {
                    written.inserted.extend(first..first + u64::from(count));
                }
                Write::Updated { table: number, old, new } if self.is_number_of(number, table) => {
                    written.replaced.insert(new, old);
                }
                _ => {}
            }
        }
        // Rows that were taken out and put back with other keys.
        for check in &self.checks {
            if let What::Parent(old, Some(new)) = check.what
                && Arc::ptr_eq(&check.table, table)
                && written.inserted.remove(&new)
            {
                written.replaced.insert(new, old);
            }
        }
        written
    }

    /// Says of a row that was deleted and put back by the same statement that it is the same one under another key, so that
    /// what refers to it follows it.
    pub fn note_replaced(&mut self, table: &Arc<NativeTable>, old: u64, new: u64) {
        let is_it = |what: &What| matches!(what, What::Parent(ended, None) if *ended == old);
        let found = self.checks.iter_mut().rev().find(|check| Arc::ptr_eq(&check.table, table) && is_it(&check.what));
        if let Some(check) = found {
            check.what = What::Parent(old, Some(new));
        }
    }
}

impl Written {
    /// Returns true if the statement has set one of these columns of the row of which there is a version here.
    fn has_set(&self, table: &NativeTable, position: u64, columns: &[usize]) -> bool {
        if self.inserted.contains(&position) {
            return true;
        }
        let Some((newest, group)) = table.resolve(position) else { return false };
        let row = Stored { group: &group, offset: offset_of(newest) };
        let mut at = position;
        while let Some(&before) = self.replaced.get(&at).filter(|before| **before != NOWHERE) {
            let Some((old, group)) = table.resolve(before) else { return false };
            let old = Stored { group: &group, offset: offset_of(old) };
            if columns.iter().any(|column| old.value(*column) != row.value(*column)) {
                return true;
            }
            at = before;
        }
        false
    }
}
