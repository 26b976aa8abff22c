//! Every expression of a statement, to be replaced: names of variables become parameters this way.
//!
//! Names that are no expressions are not visited: targets of changes, and what ORDER BY and GROUP BY name, which are columns
//! and aliases of the list.

use crate::tree::{
    Argument, Expr, InsertRows, Invocation, Matched, Merge, Query, QueryBody, Select, SelectItem, Source, Statement,
    Test, Top,
};

/// Visits an expression before its parts; true inside of a query.
pub(crate) type Visit<'v> = dyn FnMut(&mut Expr, bool) + 'v;

/// Visits the expressions of a statement of SQL.
pub(crate) fn statement(statement: &mut Statement, visit: &mut Visit<'_>) {
    match statement {
        Statement::Query(found) => query(found, visit),
        Statement::Insert(insert) => match &mut insert.rows {
            InsertRows::Values(values) => values.iter_mut().for_each(|value| expression(value, true, visit)),
            InsertRows::Query(found) => query(found, visit),
            InsertRows::Call(call) => invocation(call, visit),
        },
        Statement::Update(update) => {
            update.items.iter_mut().for_each(|(_, value)| expression(value, true, visit));
            update.condition.iter_mut().for_each(|condition| expression(condition, true, visit));
        }
        Statement::Delete(delete) => {
            delete.condition.iter_mut().for_each(|condition| expression(condition, true, visit));
        }
        Statement::Merge(found) => merge(found, visit),
        Statement::Execute(call) => invocation(call, visit),
        _ => {}
    }
}

fn invocation(call: &mut Invocation, visit: &mut Visit<'_>) {
    call.arguments.iter_mut().for_each(|(_, value)| expression(value, false, visit));
}

fn merge(merge: &mut Merge, visit: &mut Visit<'_>) {
    source(&mut merge.source, visit);
    expression(&mut merge.condition, true, visit);
    if let Some(Matched::Update(items)) = &mut merge.matched {
        items.iter_mut().for_each(|(_, value)| expression(value, true, visit));
    }
    if let Some((_, values)) = &mut merge.unmatched {
        values.iter_mut().for_each(|value| expression(value, true, visit));
    }
}

fn query(query: &mut Query, visit: &mut Visit<'_>) {
    query.with.tables.iter_mut().for_each(|table| self::query(&mut table.query, visit));
    body(&mut query.body, visit);
    [&mut query.offset, &mut query.fetch].into_iter().flatten().for_each(|count| expression(count, true, visit));
    // A name alone is one of the list.
    let items = query.order.iter_mut().filter(|item| !matches!(item.value, Expr::Column(_)));
    items.for_each(|item| expression(&mut item.value, true, visit));
}

fn body(body: &mut QueryBody, visit: &mut Visit<'_>) {
    match body {
        QueryBody::Select(found) => select(found, visit),
        QueryBody::Set(left, _, _, right) => {
            self::body(left, visit);
            self::body(right, visit);
        }
    }
}

fn select(select: &mut Select, visit: &mut Visit<'_>) {
    if let Some(Top { count, .. }) = &mut select.top {
        expression(count, true, visit);
    }
    for item in &mut select.items {
        if let SelectItem::Value(value, _) = item {
            expression(value, true, visit);
        }
    }
    select.from.iter_mut().for_each(|found| source(found, visit));
    let conditions = select.condition.iter_mut().chain(&mut select.having);
    conditions.for_each(|condition| expression(condition, true, visit));
}

fn source(source: &mut Source, visit: &mut Visit<'_>) {
    match source {
        Source::Query(found, _) => query(found, visit),
        Source::Values(rows, _) => rows.iter_mut().flatten().for_each(|value| expression(value, true, visit)),
        Source::Function(call, ..) => expression(call, true, visit),
        Source::Join(join) => {
            self::source(&mut join.left, visit);
            self::source(&mut join.right, visit);
            join.condition.iter_mut().for_each(|condition| expression(condition, true, visit));
        }
        Source::Apply(left, _, right) => {
            self::source(left, visit);
            self::source(right, visit);
        }
        Source::Nested(inner) => self::source(inner, visit),
        _ => {}
    }
}

/// Visits an expression and its parts.
pub(crate) fn expression(value: &mut Expr, in_query: bool, visit: &mut Visit<'_>) {
    visit(value, in_query);
    match value {
        Expr::Unary(_, operand) => expression(operand, in_query, visit),
        Expr::Binary(left, _, right) => {
            expression(left, in_query, visit);
            expression(right, in_query, visit);
        }
        Expr::And(parts) | Expr::Or(parts) => parts.iter_mut().for_each(|part| expression(part, in_query, visit)),
        Expr::Quantified(left, _, _, found) => {
            expression(left, in_query, visit);
            query(found, visit);
        }
        Expr::Exists(found) | Expr::Subquery(found) => query(found, visit),
        Expr::Test(left, _, test) => {
            expression(left, in_query, visit);
            tested(test, in_query, visit);
        }
        Expr::Case(case) => {
            case.operand.iter_mut().for_each(|operand| expression(operand, in_query, visit));
            for (when, then) in &mut case.branches {
                expression(when, in_query, visit);
                expression(then, in_query, visit);
            }
            case.otherwise.iter_mut().for_each(|otherwise| expression(otherwise, in_query, visit));
        }
        Expr::Cast(cast) => expression(&mut cast.value, in_query, visit),
        Expr::Call(call) => {
            for argument in &mut call.arguments {
                if let Argument::Value(value) = argument {
                    expression(value, in_query, visit);
                }
            }
        }
        _ => {}
    }
}

fn tested(test: &mut Test, in_query: bool, visit: &mut Visit<'_>) {
    match test {
        Test::Between(low, high) => {
            expression(low, in_query, visit);
            expression(high, in_query, visit);
        }
        Test::InList(items) => items.iter_mut().for_each(|item| expression(item, in_query, visit)),
        Test::InQuery(found) => query(found, visit),
        Test::Like(pattern, escape) => {
            expression(pattern, in_query, visit);
            escape.iter_mut().for_each(|escape| expression(escape, in_query, visit));
        }
        Test::DistinctFrom(other) => expression(other, in_query, visit),
        Test::Null => {}
    }
}
