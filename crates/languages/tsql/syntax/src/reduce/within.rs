//! Contents of an expression: the columns that it names, subqueries.

use super::is_datepart_function;
use crate::tree::{Argument, Case, Expr, ObjectName, Test};

/// The columns that an expression names itself; those of its subqueries are theirs.
pub fn named_columns(value: &Expr) -> Vec<&ObjectName> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect<'e>(value: &'e Expr, found: &mut Vec<&'e ObjectName>) {
    match value {
        Expr::Column(name) => found.push(name),
        Expr::Unary(_, inner) | Expr::Collate(inner, _) => collect(inner, found),
        Expr::Binary(left, _, right) | Expr::AtTimeZone(left, right) => {
            collect(left, found);
            collect(right, found);
        }
        Expr::And(parts) | Expr::Or(parts) => parts.iter().for_each(|part| collect(part, found)),
        Expr::Cast(cast) => collect(&cast.value, found),
        Expr::Case(case) => {
            let Case { operand, branches, otherwise } = case.as_ref();
            let parts = operand.iter().chain(otherwise).chain(branches.iter().flat_map(|(when, then)| [when, then]));
            parts.for_each(|part| collect(part, found));
        }
        Expr::Test(value, _, test) => {
            collect(value, found);
            match test {
                Test::Null | Test::InQuery(_) => {}
                Test::DistinctFrom(other) => collect(other, found),
                Test::Between(low, high) => [low, high].into_iter().for_each(|part| collect(part, found)),
                Test::InList(items) => items.iter().for_each(|item| collect(item, found)),
                Test::Like(pattern, escape) => {
                    std::iter::once(pattern).chain(escape).for_each(|part| collect(part, found));
                }
            }
        }
        Expr::Call(call) => {
            // The part of a date is a word.
            let skipped = usize::from(is_datepart_function(&call.name.last().to_ascii_lowercase()));
            for argument in call.arguments.iter().skip(skipped) {
                match argument {
                    Argument::Value(value) => collect(value, found),
                    Argument::KeyValue(key, value) => [key, value].into_iter().for_each(|part| collect(part, found)),
                    Argument::Trim(_, what, value) => {
                        what.iter().chain([value]).for_each(|part| collect(part, found));
                    }
                }
            }
        }
        _ => {}
    }
}

/// Returns true if an expression has a subquery in it.
pub(super) fn has_subquery(value: &Expr) -> bool {
    match value {
        Expr::Subquery(_) | Expr::Exists(_) | Expr::Quantified(..) | Expr::Test(_, _, Test::InQuery(_)) => true,
        Expr::Call(call) => call.arguments.iter().any(|argument| match argument {
            Argument::Value(value) => has_subquery(value),
            Argument::KeyValue(key, value) => has_subquery(key) || has_subquery(value),
            Argument::Trim(_, what, value) => what.as_ref().is_some_and(has_subquery) || has_subquery(value),
        }),
        Expr::Unary(_, inner) | Expr::Collate(inner, _) | Expr::Test(inner, ..) => has_subquery(inner),
        Expr::Binary(left, _, right) | Expr::AtTimeZone(left, right) => has_subquery(left) || has_subquery(right),
        Expr::And(parts) | Expr::Or(parts) => parts.iter().any(has_subquery),
        Expr::Cast(cast) => has_subquery(&cast.value),
        Expr::Case(case) => {
            let Case { operand, branches, otherwise } = case.as_ref();
            let mut parts = operand.iter().chain(otherwise).chain(branches.iter().flat_map(|(a, b)| [a, b]));
            parts.any(has_subquery)
        }
        _ => false,
    }
}
