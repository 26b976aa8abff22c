//! Long chains of OR and of AND as balanced trees.
//!
//! ```text
//!   a OR b OR c OR d     as the parser reads it   ((a OR b) OR c) OR d
//!                        here                     (a OR b) OR (c OR d)
//! ```
//!
//! Properties of an operator - its type, its hash, its equality with another - are computed over all operators below
//! it, and the planner and the operators compute them for each: quadratic time for a chain, and little more than linear
//! for a balanced tree.

use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, Ident, Statement, VisitorMut};
use std::ops::ControlFlow;

/// Shorter chains stay as they are.
const SHORT: usize = 16;

/// The statement with its long chains divided.
pub(crate) fn divided(mut statement: Statement) -> Statement {
    // The visitor does not break.
    let _ = statement.walk_mut(&mut Chains);
    statement
}

struct Chains;

impl VisitorMut for Chains {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::BinaryOp { op: op @ (BinaryOperator::And | BinaryOperator::Or), .. } = expr {
            let op = op.clone();
            if length(expr, &op) > SHORT {
                let chain = std::mem::replace(expr, Expr::Identifier(Ident::new("")));
                *expr = joined(operands(chain, &op), &op);
            }
        }
        ControlFlow::Continue(())
    }
}

/// How many operands a chain of this operator has.
fn length(mut expr: &Expr, op: &BinaryOperator) -> usize {
    let mut length = 1;
    while let Expr::BinaryOp { left, op: this, .. } = expr
        && this == op
    {
        (expr, length) = (left, length + 1);
    }
    length
}

fn operands(mut chain: Expr, op: &BinaryOperator) -> Vec<Expr> {
    let mut operands = Vec::new();
    loop {
        match chain {
            Expr::BinaryOp { left, op: this, right } if this == *op => {
                operands.push(*right);
                chain = *left;
            }
            first => {
                operands.push(first);
                operands.reverse();
                return operands;
            }
        }
    }
}

fn joined(mut operands: Vec<Expr>, op: &BinaryOperator) -> Expr {
    match (operands.len(), operands.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            operands.extend(last);
            let right = operands.split_off(operands.len() / 2);
            let (left, right) = (joined(operands, op), joined(right, op));
            Expr::BinaryOp { left: Box::new(left), op: op.clone(), right: Box::new(right) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::text::Text;
    use crate::parse::walk::Walk;
    use datafusion::sql::sqlparser::ast::Visitor;

    /// How many operators of a condition are within each other, at most, and how many there are below all of them together.
    #[derive(Default)]
    struct Depths {
        depth: usize,
        deepest: usize,
        below: usize,
    }

    impl Visitor for Depths {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            if matches!(expr, Expr::BinaryOp { op: BinaryOperator::And | BinaryOperator::Or, .. }) {
                self.depth += 1;
                self.deepest = self.deepest.max(self.depth);
                self.below += self.depth;
            }
            ControlFlow::Continue(())
        }

        fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            self.depth -=
                usize::from(matches!(expr, Expr::BinaryOp { op: BinaryOperator::And | BinaryOperator::Or, .. }));
            ControlFlow::Continue(())
        }
    }

    fn depths(statement: &Statement) -> Depths {
        let mut depths = Depths::default();
        let _ = statement.walk(&mut depths);
        depths
    }

    #[test]
    fn long_chains_are_no_deeper_than_need_be() {
        let pairs: Vec<String> = (0..400).map(|n| format!("a = {n} AND b = {}", 2 * n)).collect();
        let all: Vec<String> = (0..100).map(|n| format!("c <> {n}")).collect();
        let sql = format!("SELECT * FROM t WHERE ({}) AND {}", pairs.join(" OR "), all.join(" AND "));
        // As the planner does with a statement of this depth.
        let (chained, divided, text) = crate::execute::deep_stack::on_deep_stack(|| {
            let statement = Text::new(&sql)?.parse()?;
            let chained = depths(&statement);
            let statement = divided(statement);
            Ok((chained, depths(&statement), statement.to_string()))
        })
        .unwrap();
        assert_eq!(chained.deepest, 500);
        assert!(divided.deepest <= 17, "{}", divided.deepest);
        assert!(divided.below * 10 < chained.below, "{} of {}", divided.below, chained.below);
        // In the same order.
        assert_eq!(text, sql);
    }

    #[test]
    fn other_operators_and_short_chains_stay() {
        let numbers = (0..40).map(|n| n.to_string()).collect::<Vec<_>>().join(" - ");
        let sql = format!("SELECT {numbers} FROM t WHERE a OR b OR (c OR d) AND e");
        let statement = Text::new(&sql).unwrap().parse().unwrap();
        assert_eq!(divided(statement.clone()), statement);
    }
}
