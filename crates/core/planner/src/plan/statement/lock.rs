//! SELECT ... FOR UPDATE and FOR SHARE: the rows to lock, and the lock mode.

use super::change::target;
use super::{Name, unsupported};
use crate::parse::text::Text;
use crate::parse::walk::Walk;
use datafusion::sql::sqlparser::ast::{
    Expr, GroupByExpr, LimitClause, LockType, NonBlock, Query, Select, SetExpr, Value, Visitor,
};
use mainstay_types::{Code, Error, Result};
use std::ops::ControlFlow;

/// A query of one table that locks the rows that it gives.
#[derive(Clone, Debug)]
pub struct LockingQuery {
    /// The table.
    pub table: Name,
    /// The name that the table has in the statement.
    pub alias: Option<Name>,
    /// True if others may lock the rows likewise, and only not change them (FOR SHARE).
    pub is_shared: bool,
    /// The treatment of a row that another transaction holds.
    pub if_held: IfHeld,
    /// How many rows are left out at the beginning. They are locked.
    pub offset: u64,
    /// How many rows are given at most.
    pub limit: Option<u64>,
    /// The query, without what it locks, and without a limit.
    pub(crate) query: Box<Query>,
}

/// The treatment of a row that another transaction holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfHeld {
    /// Its end is waited for.
    Wait,
    /// The statement fails (NOWAIT).
    Fail,
    /// The row is left out (SKIP LOCKED).
    Skip,
}

/// The locking clause of a query; `None` for a query without one.
///
/// Errors: `Unsupported` for queries of more than the rows of one table.
pub(super) fn locking_query(query: &Query, text: &Text) -> Result<Option<LockingQuery>> {
    let Some(first) = query.locks.first() else { return Ok(None) };
    let [lock] = query.locks.as_slice() else { return Err(unsupported("several FOR UPDATE of one query")) };
    let SetExpr::Select(select) = query.body.as_ref() else {
        return Err(unsupported("FOR UPDATE of anything but a SELECT"));
    };
    if query.with.is_some() || !is_plain(select) {
        return Err(unsupported("FOR UPDATE of a query of more than the rows of one table"));
    }
    let [only] = select.from.as_slice() else { return Err(unsupported("FOR UPDATE of a query of several tables")) };
    let (table, alias) = target(only, text)?;
    if let Some(of) = &first.of {
        let of = Name::of(of, text)?;
        let known = alias.as_ref().unwrap_or(&table);
        if of.key != known.key {
            return Err(Error::new(Code::UnknownTable, format!("the query has no table {of}")));
        }
    }
    let (limit, offset) = bounds(query.limit_clause.as_ref())?;
    Ok(Some(LockingQuery {
        table,
        alias,
        is_shared: lock.lock_type == LockType::Share,
        if_held: match lock.nonblock {
            None => IfHeld::Wait,
            Some(NonBlock::Nowait) => IfHeld::Fail,
            Some(NonBlock::SkipLocked) => IfHeld::Skip,
        },
        offset,
        limit,
        query: Box::new(Query { locks: Vec::new(), limit_clause: None, ..query.clone() }),
    }))
}

/// Returns true if each row of the answer is a row of a table.
fn is_plain(select: &Select) -> bool {
    let ungrouped = matches!(&select.group_by, GroupByExpr::Expressions(list, modifiers) if list.is_empty() && modifiers.is_empty());
    let is_bare = select.distinct.is_none() && select.having.is_none() && select.qualify.is_none();
    ungrouped && is_bare && select.top.is_none() && select.from.iter().all(|table| table.joins.is_empty())
}

fn bounds(clause: Option<&LimitClause>) -> Result<(Option<u64>, u64)> {
    let number = |expr: &Expr| match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) => text.parse().map_err(|_| unsupported(format!("LIMIT {text}"))),
            _ => Err(unsupported(format!("LIMIT {expr} beside FOR UPDATE"))),
        },
        _ => Err(unsupported(format!("LIMIT {expr} beside FOR UPDATE"))),
    };
    Ok(match clause {
        None => (None, 0),
        Some(LimitClause::LimitOffset { limit, offset, limit_by }) if limit_by.is_empty() => (
            limit.as_ref().map(number).transpose()?,
            offset.as_ref().map(|offset| number(&offset.value)).transpose()?.unwrap_or(0),
        ),
        Some(LimitClause::OffsetCommaLimit { offset, limit }) => (Some(number(limit)?), number(offset)?),
        Some(other) => return Err(unsupported(format!("{other} beside FOR UPDATE"))),
    })
}

/// Returns true if a query inside of this one, or the query itself, locks rows.
pub(crate) fn locks_rows(statement: &datafusion::sql::sqlparser::ast::Statement) -> bool {
    struct Locks;
    impl Visitor for Locks {
        type Break = ();

        fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
            if query.locks.is_empty() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        }
    }
    statement.walk(&mut Locks).is_break()
}
