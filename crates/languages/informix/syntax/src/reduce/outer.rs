//! `FROM a, OUTER b WHERE a.x = b.x`: the old form of an outer join.
//!
//! Conditions about a subordinate table decide whether it has a partner, not whether the row of the dominant table is shown:
//! they belong to the join. Source: "Informix Extension Outer Joins" of the Guide to SQL.

use super::{Known, Reducer};
use crate::error::Parse;
use crate::tree::{Argument, Expr, ObjectName, Source, Test};

impl Reducer<'_> {
    /// Writes the conditions that name a table of `right`, and takes them out of the list.
    pub(super) fn outer_conditions(&mut self, right: &Source, conditions: &mut Vec<Expr>) -> Parse<()> {
        let known = self.tables_of(std::slice::from_ref(right));
        let (of_join, rest) = std::mem::take(conditions).into_iter().partition(|part| names_table(part, &known));
        *conditions = rest;
        let of_join: Vec<Expr> = of_join;
        if of_join.is_empty() {
            self.push("TRUE");
        }
        for (place, part) in of_join.iter().enumerate() {
            self.push(if place > 0 { " AND " } else { "" });
            self.expression(part)?;
        }
        Ok(())
    }
}

fn is_of(name: &ObjectName, known: &[Known]) -> bool {
    match &name.parts[..] {
        [column] => known.iter().any(|table| table.columns.iter().any(|(known, _)| column.is(known))),
        [.., table, _] => known.iter().any(|known| table.is(&known.alias)),
        [] => false,
    }
}

/// True if an expression names a column of these tables.
fn names_table(value: &Expr, known: &[Known]) -> bool {
    let any = |value: &Expr| names_table(value, known);
    match value {
        Expr::Column(name) => is_of(name, known),
        Expr::Unary(_, operand) => any(operand),
        Expr::Binary(left, _, right) => any(left) || any(right),
        Expr::And(parts) | Expr::Or(parts) => parts.iter().any(any),
        Expr::Quantified(left, ..) => any(left),
        Expr::Test(left, _, test) => {
            any(left)
                || match test {
                    Test::Between(low, high) => any(low) || any(high),
                    Test::InList(items) => items.iter().any(any),
                    Test::Like(pattern, _) | Test::DistinctFrom(pattern) => any(pattern),
                    Test::InQuery(_) | Test::Null => false,
                }
        }
        Expr::Cast(cast) => any(&cast.value),
        Expr::Call(call) => call.arguments.iter().any(|argument| match argument {
            Argument::Value(value) => any(value),
            _ => false,
        }),
        Expr::Case(case) => {
            case.operand.iter().any(any)
                || case.branches.iter().any(|(when, then)| any(when) || any(then))
                || case.otherwise.iter().any(any)
        }
        _ => false,
    }
}
