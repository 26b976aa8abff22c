//! Hints that lock the rows of a statement before it runs: in joins, groups and subqueries, and ranges without rows.
//!
//! ```text
//!   IF NOT EXISTS (SELECT 1 FROM Stock WITH (UPDLOCK, HOLDLOCK) WHERE Id = @id) INSERT INTO Stock ...
//!
//!   1  the range Id = @id of Stock is held: nobody else puts a row there, or holds it for itself
//!   2  the rows of Stock that the query reads are locked, those of one table by the query itself
//!   3  the statement runs, and sees what others had committed until it had its locks
//! ```
//!
//! TABLOCKX, and TABLOCK of the target of a change or with UPDLOCK or XLOCK, lock the whole table instead: no other
//! session writes it or locks anything of it. With HOLDLOCK or REPEATABLEREAD alone TABLOCK holds all of its rows and
//! its whole range; a query's TABLOCK by itself is ignored, since its lock would end with the query.
//!
//! Both kinds of locks end with the transaction; without one there is nothing to hold beyond a read, which becomes a
//! transaction if it has to wait for others (UPDLOCK, XLOCK, TABLOCKX). A change with HOLDLOCK (the target of an
//! UPDATE, DELETE or MERGE, or a table that an INSERT reads) is its own transaction then, and holds its ranges within
//! it. A range comes from the condition's comparisons of the table's columns with constants and variables; any other
//! part of the condition makes the range wider. A subquery that names columns of the outer query locks no rows by
//! itself.

use crate::objects::modules::Loaded;
use crate::statements::query::Plan;
use crate::statements::runner::{Ran, Runner};
use mainstay_engine::Bound;
use mainstay_tsql_syntax::compile::{Action, HostStatement};
use mainstay_tsql_syntax::reduce::{self, Hinted, ReducedQuery, Scope, TableColumn};
use mainstay_tsql_syntax::tree::{BinaryOperator, Expr, Literal, ObjectName, Test, Top, UnaryOperator};
use mainstay_tsql_types::DataType;
use mainstay_types::Value;
use mainstay_vm::{Raised, StatementCall};
use std::collections::HashMap;
use std::sync::Arc;

/// Plans that lock rows, by their texts.
pub(crate) type LockPlans = HashMap<String, Box<Plan>>;

/// More than an application has such statements: their texts may be made.
const KEPT: usize = 100;

impl Runner<'_> {
    /// Locks what the hints of a statement lock; what it came to, if that is done already.
    pub(crate) fn lock_hinted(
        &mut self,
        loaded: &Arc<Loaded>,
        number: usize,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Option<Ran> {
        if self.inner.state.options.fmt_only {
            return None;
        }
        if self.inner.state.transactions > 0 {
            return self.lock_all(host, call).err().map(Err);
        }
        let keeps = match host.action {
            Action::Change(_) => host.hinted.iter().any(|hinted| hinted.keeps_range() || hinted.holds_table()),
            // A lock that is not kept is waited for all the same.
            _ => host.hinted.iter().any(|hinted| hinted.is_exclusive() && !hinted.locked().is_locked),
        };
        keeps.then(|| {
            self.unit(call, |it, call| {
                it.lock_all(host, call)?;
                it.act(loaded, number, host, call)
            })
        })
    }

    fn lock_all(&mut self, host: &HostStatement, call: &mut StatementCall<'_>) -> Result<(), Box<Raised>> {
        for hinted in &host.hinted {
            let holds_table = hinted.holds_table();
            let hinted = &*hinted.locked();
            let columns = {
                let names = self.inner.names(&[]);
                let name = &hinted.table.name;
                // Only tables of the core's own that others can reach.
                match (names.key(name), names.table(name), names.columns(name)) {
                    (Some(_), Ok(core), Some(columns)) if !name.last().starts_with(['#', '@']) => {
                        Some((core.replace('"', ""), columns, names.row_number(name)))
                    }
                    _ => None,
                }
            };
            let Some((core, columns, number)) = columns else { continue };
            if holds_table {
                self.inner.core.hold_table(&core).map_err(crate::statements::errors::raised_error)?;
                continue;
            }
            if hinted.keeps_range() {
                let bounds = self.bounds(hinted, &columns, host, call);
                self.inner
                    .core
                    .lock_range(&core, bounds, !hinted.is_exclusive())
                    .map_err(crate::statements::errors::raised_error)?;
            }
            if !hinted.is_locked {
                self.lock_rows(hinted, number, host, call)?;
            }
        }
        Ok(())
    }

    /// Locks the rows that are there. A subquery that means nothing without the query around it is passed over.
    fn lock_rows(
        &mut self,
        hinted: &Hinted,
        number: &str,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Result<(), Box<Raised>> {
        let mut counted = hinted.clone();
        counted.top = hinted.top.as_ref().and_then(|top| counted_top(top, host, call));
        let query = reduce::rows_to_lock(&counted, number);
        let Ok(ReducedQuery { text, parameters, heads }) = reduce::query(&query, &self.inner.names(&host.inputs))
        else {
            return Ok(());
        };
        let known = self.inner.lock_plans.remove(&text);
        let mut plan = match known.filter(|plan| plan.parameters[..] == parameters[..] && self.inner.is_current(plan)) {
            Some(plan) => plan,
            None => match self.inner.plan(&text, parameters, heads) {
                Ok(plan) => Box::new(plan),
                Err(_) => return Ok(()),
            },
        };
        let values = self.values(&mut plan, host, call)?;
        let locked = self.inner.rows_of(&mut plan, &values).map(|_| ());
        if self.inner.lock_plans.len() >= KEPT {
            self.inner.lock_plans.clear();
        }
        self.inner.lock_plans.insert(text, plan);
        locked
    }

    /// The bounds that a condition sets for single columns of the table.
    fn bounds(
        &self,
        hinted: &Hinted,
        columns: &[TableColumn],
        host: &HostStatement,
        call: &StatementCall<'_>,
    ) -> Vec<Bound> {
        let mut parts = Vec::new();
        hinted.condition.iter().for_each(|condition| conjuncts(condition, &mut parts));
        let alias = hinted.table.alias.as_ref().map_or(hinted.table.name.last(), |alias| &alias.text);
        let is_single = hinted.from.len() <= 1;
        let column_of = |value: &Expr| {
            let Expr::Column(name) = value else { return None };
            let is_own = match qualifier(name) {
                Some(qualifier) => qualifier.eq_ignore_ascii_case(alias),
                None => is_single,
            };
            columns.iter().find(|column| is_own && column.name.eq_ignore_ascii_case(name.last()))
        };
        let value_of = |value: &Expr, to: DataType| {
            let known = match value {
                Expr::Column(name) => hinted.known.iter().find(|(source, column, _)| {
                    qualifier(name).is_some_and(|it| it.eq_ignore_ascii_case(source))
                        && column.eq_ignore_ascii_case(name.last())
                }),
                _ => None,
            };
            let (from, value) = constant(known.map_or(value, |(_, _, value)| value), host, call)?;
            let context = self.context();
            let value = mainstay_tsql_types::convert::convert(&context, value.as_ref(), from, to, None).ok()?;
            (value != Value::Null).then_some(value)
        };
        let mut bounds = Vec::new();
        for part in parts {
            let sides = match part {
                Expr::Binary(left, operator, right) => match (column_of(left), column_of(right)) {
                    (Some(column), _) => Some((column, *operator, right.as_ref())),
                    (None, Some(column)) => turned(*operator).map(|operator| (column, operator, left.as_ref())),
                    (None, None) => None,
                },
                Expr::Test(value, false, Test::Between(low, high)) => {
                    if let Some(column) = column_of(value).filter(|column| has_core_order(column.data_type)) {
                        let (low, high) = (value_of(low, column.data_type), value_of(high, column.data_type));
                        bounds.push((column.name.clone(), low, high));
                    }
                    None
                }
                _ => None,
            };
            let Some((column, operator, value)) = sides else { continue };
            let Some(value) = value_of(value, column.data_type) else { continue };
            let is_ordered = has_core_order(column.data_type);
            let (low, high) = match operator {
                BinaryOperator::Equal => (Some(value.clone()), Some(value)),
                BinaryOperator::Less | BinaryOperator::LessOrEqual if is_ordered => (None, Some(value)),
                BinaryOperator::Greater | BinaryOperator::GreaterOrEqual if is_ordered => (Some(value), None),
                _ => continue,
            };
            bounds.push((column.name.clone(), low, high));
        }
        bounds
    }
}

/// Returns true if the core's keys of this type have SQL Server's order.
fn has_core_order(data_type: DataType) -> bool {
    !data_type.is_text() && data_type != DataType::UniqueIdentifier
}

fn qualifier(name: &ObjectName) -> Option<&str> {
    let place = name.parts.len().checked_sub(2)?;
    name.parts.get(place).map(|part| part.text.as_str())
}

fn conjuncts<'e>(condition: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match condition {
        Expr::And(all) => all.iter().for_each(|part| conjuncts(part, parts)),
        other => parts.push(other),
    }
}

/// The operator when the sides change places.
fn turned(operator: BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
    Some(match operator {
        Equal => Equal,
        Less => Greater,
        LessOrEqual => GreaterOrEqual,
        Greater => Less,
        GreaterOrEqual => LessOrEqual,
        _ => return None,
    })
}

/// The value of a constant or a variable, with its type.
pub(crate) fn constant(value: &Expr, host: &HostStatement, call: &StatementCall<'_>) -> Option<(DataType, Value)> {
    match value {
        Expr::Literal(literal) => reduce::literal_value(literal).ok().flatten(),
        Expr::Unary(UnaryOperator::Minus, operand) => match operand.as_ref() {
            Expr::Literal(Literal::Integer(digits)) => {
                reduce::literal_value(&Literal::Integer(format!("-{digits}"))).ok().flatten()
            }
            _ => None,
        },
        Expr::Variable(name) => {
            let place = host.inputs.iter().position(|(known, _)| name.is(known))?;
            let (_, data_type) = host.inputs.get(place)?;
            Some((*data_type, call.input(place).to_value()))
        }
        _ => None,
    }
}

/// TOP with a number; `None` for another count: then all rows are locked that the condition names.
fn counted_top(top: &Top, host: &HostStatement, call: &StatementCall<'_>) -> Option<Top> {
    match constant(&top.count, host, call)? {
        (_, Value::Integer(count)) if count >= 0 => {
            Some(Top { count: Expr::Literal(Literal::Integer(count.to_string())), ..top.clone() })
        }
        _ => None,
    }
}
