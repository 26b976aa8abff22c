//! Guards of subqueries in branches, which are evaluated only for the rows that reach the branch.
//!
//! ```text
//!   CASE WHEN a = 0 THEN 0 ELSE (SELECT sum(v) / a ...) END
//!
//!     Projection    CASE WHEN #branch1 THEN 0 ELSE #lateral2 END
//!       Lateral       #lateral2: the subquery, where #guard is true, and NULL elsewhere
//!         Projection    NOT #branch1 AS #guard
//!           Projection    (a = 0) IS TRUE AS #branch1
//! ```
//!
//! A condition becomes a column, which the branch and the guard both read: so a volatile condition has one value for
//! both. Conditions after the first are evaluated only for the rows that reach them.
//!
//! CASE is guarded by the rule of the standard (ISO/IEC 9075-2, 6.12: the value is that of the first WHEN that is true)
//! as PostgreSQL and SQL Server apply it to subqueries; COALESCE and similar functions are CASE by the same rule. The
//! right side of AND and OR is evaluated where the left one has not decided, as in PostgreSQL; the standard leaves that
//! open.
//!
//! A subquery that cannot fail ([`failing`](super::failing)) has no guard, and may become a join.

use super::below::Below;
use super::failing::has_failing_subquery;
use super::rewrite::{Changed, columns_of, has_subquery};
use crate::tree::nodes::Tree;
use crate::upstream::scalar_subqueries::perhaps;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::expr::{Case, InSubquery, ScalarFunction};
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlanBuilder, Operator, lit, when};
use std::sync::Arc;

/// The functions that give the first of their arguments that is not NULL.
const FIRST_VALUES: [&str; 3] = ["coalesce", "nvl", "ifnull"];

impl Below<'_> {
    /// An expression without hard subqueries, which is evaluated where the guard is true; for all rows, if there is none.
    pub(super) fn walk(&mut self, expr: Expr, guard: Option<&Expr>) -> Result<Expr> {
        if !has_subquery(&expr) {
            return Ok(expr);
        }
        self.changed = Changed(true);
        match expr {
            Expr::Case(case) if is_guarded(&case) => self.case(case, guard),
            Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right })
                if has_failing_subquery(&right) =>
            {
                self.decided(*left, op, *right, guard)
            }
            Expr::ScalarFunction(call) if FIRST_VALUES.contains(&call.name()) && has_guarded_argument(&call) => {
                self.first_value(call, guard)
            }
            Expr::ScalarFunction(call) if call.name() == "nvl2" && has_guarded_argument(&call) => {
                match <[Expr; 3]>::try_from(call.args) {
                    Ok([value, then, otherwise]) => {
                        self.walk(when(value.is_not_null(), then).otherwise(otherwise)?, guard)
                    }
                    Err(args) => Ok(Expr::ScalarFunction(ScalarFunction { func: call.func, args })),
                }
            }
            Expr::SetComparison(comparison) => {
                let tests = self.compared_with_all(comparison)?;
                tests.map_up(|expr| self.subquery(expr, guard).map(Transformed::yes)).data()
            }
            Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
                let expr = Box::new(self.walk(*expr, guard)?);
                self.subquery(Expr::InSubquery(InSubquery { expr, subquery, negated }), guard)
            }
            expr @ (Expr::ScalarSubquery(_) | Expr::Exists(_)) => self.subquery(expr, guard),
            other => other.map_children(|part| self.walk(part, guard).map(Transformed::yes)).data(),
        }
    }

    fn case(&mut self, case: Case, guard: Option<&Expr>) -> Result<Expr> {
        let Case { expr, when_then_expr, else_expr } = case;
        let base = match expr {
            Some(expr) => {
                let value = self.column_value(*expr, guard)?;
                Some(self.column(value, "base")?)
            }
            None => None,
        };
        let mut reached = guard.cloned();
        let mut branches = Vec::with_capacity(when_then_expr.len());
        for (condition, value) in when_then_expr {
            let condition = self.column_value(*condition, reached.as_ref())?;
            let condition = match &base {
                Some(base) => base.clone().eq(condition),
                None => condition,
            };
            let is_true = only_where(reached.as_ref(), condition.is_true())?;
            let branch = self.column(is_true, "branch")?;
            let value = self.walk(*value, Some(&branch))?;
            reached = Some(both(reached, Expr::Not(Box::new(branch.clone()))));
            branches.push((Box::new(branch), Box::new(value)));
        }
        let otherwise = else_expr.map(|value| self.walk(*value, reached.as_ref())).transpose()?;
        Ok(Expr::Case(Case { expr: None, when_then_expr: branches, else_expr: otherwise.map(Box::new) }))
    }

    /// `left AND right`, `left OR right`
    fn decided(&mut self, left: Expr, op: Operator, right: Expr, guard: Option<&Expr>) -> Result<Expr> {
        let left = self.column_value(left, guard)?;
        let left = self.column(only_where(guard, left)?, "decided")?;
        let is_open = match op {
            Operator::And => left.clone().is_not_false(),
            _ => left.clone().is_not_true(),
        };
        let right = self.walk(right, Some(&both(guard.cloned(), is_open)))?;
        Ok(datafusion::logical_expr::binary_expr(left, op, right))
    }

    fn first_value(&mut self, call: ScalarFunction, guard: Option<&Expr>) -> Result<Expr> {
        let mut reached = guard.cloned();
        let mut args = Vec::with_capacity(call.args.len());
        let mut rest = call.args.into_iter().peekable();
        while let Some(arg) = rest.next() {
            if rest.peek().is_none() {
                args.push(self.walk(arg, reached.as_ref())?);
                break;
            }
            let arg = self.column_value(arg, reached.as_ref())?;
            let arg = self.column(only_where(reached.as_ref(), arg)?, "value")?;
            reached = Some(both(reached, arg.clone().is_null()));
            args.push(arg);
        }
        Ok(Expr::ScalarFunction(ScalarFunction { func: call.func, args }))
    }

    /// An expression that is to become a column: a test in it cannot be left to the filter.
    fn column_value(&mut self, expr: Expr, guard: Option<&Expr>) -> Result<Expr> {
        let was_filter = std::mem::replace(&mut self.is_filter, false);
        let value = self.walk(expr, guard);
        self.is_filter = was_filter;
        value
    }

    /// Adds a column.
    pub(super) fn column(&mut self, value: Expr, prefix: &str) -> Result<Expr> {
        if matches!(value, Expr::Column(_)) {
            return Ok(value);
        }
        let name = self.new_name(prefix);
        let list = columns_of(self.input.schema()).into_iter().chain([perhaps(value)?.alias(&name)]);
        self.input = Arc::new(LogicalPlanBuilder::from(self.input.as_ref().clone()).project(list)?.build()?);
        Ok(Expr::Column(Column::new_unqualified(name)))
    }
}

/// True if a subquery in an expression that may fail is not evaluated for every row.
pub(super) fn has_guard(expr: &Expr) -> bool {
    let is_one = |part: &Expr| {
        Ok(match part {
            Expr::Case(case) => is_guarded(case),
            Expr::BinaryExpr(BinaryExpr { op: Operator::And | Operator::Or, right, .. }) => has_failing_subquery(right),
            Expr::ScalarFunction(call) => {
                (FIRST_VALUES.contains(&call.name()) || call.name() == "nvl2") && has_guarded_argument(call)
            }
            _ => false,
        })
    };
    expr.has(is_one).unwrap_or(true)
}

/// True if a part of a CASE that not every row comes to has a subquery that may fail.
fn is_guarded(case: &Case) -> bool {
    let later = case.when_then_expr.iter().skip(1).map(|(condition, _)| condition);
    let values = case.when_then_expr.iter().map(|(_, value)| value);
    later.chain(values).chain(&case.else_expr).any(|part| has_failing_subquery(part))
}

fn has_guarded_argument(call: &ScalarFunction) -> bool {
    call.args.iter().skip(1).any(has_failing_subquery)
}

fn both(guard: Option<Expr>, condition: Expr) -> Expr {
    match guard {
        Some(guard) => guard.and(condition),
        None => condition,
    }
}

/// A value that is evaluated where the guard is true, and NULL or false elsewhere.
fn only_where(guard: Option<&Expr>, value: Expr) -> Result<Expr> {
    match guard {
        None => Ok(value),
        Some(_) if matches!(value, Expr::Column(_) | Expr::Literal(..)) => Ok(value),
        Some(guard) if matches!(value, Expr::IsTrue(_)) => when(guard.clone(), value).otherwise(lit(false)),
        Some(guard) => when(guard.clone(), value).end(),
    }
}
