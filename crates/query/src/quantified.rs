//! `IN`, `ANY` and `ALL` with a query, in terms of EXISTS.
//!
//! ```text
//!   WHERE x IN (q), x NOT IN (q)      stay: the planner joins for them
//!   WHERE x > ANY (q)                 EXISTS (a row of q with x > it)
//!   WHERE x > ALL (q)                 NOT EXISTS (a row of q of which x > it is not true)
//!   x IN (q), anywhere else           CASE WHEN one is equal THEN TRUE WHEN one may be THEN NULL ELSE FALSE END
//!   x > ANY (q), x > ALL (q)          the same
//! ```
//!
//! A condition of WHERE need only be told whether it is true; what stands below OR or NOT, in a SELECT list or in CASE has
//! three values (ISO 9075-2, 8.4 and 8.9), of which the planner's joins know two. `q` becomes a table with names of its
//! own, so that a column on the left that is called as one of `q` stays what it is.

use crate::compared::Compared;
use crate::contains::any_expression_of_plan;
use crate::rewrite::schema_of;
use crate::row_values::{binary, compared, members, nested};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{DFSchema, ExprSchema};
use datafusion::logical_expr::expr::{Exists, InSubquery};
use datafusion::logical_expr::{Expr as PlanExpr, LogicalPlan, LogicalPlanBuilder, Subquery};
use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, JoinConstraint, JoinOperator, Query, Select, Statement, Value, VisitMut, VisitorMut,
};
use mainstay_base::{Error, Result};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The statement without ANY and ALL of queries, and with IN only where the planner gives it its meaning.
///
/// Errors: `Syntax` for a row and a query of different widths.
pub(crate) fn by_exists(mut statement: Statement) -> Result<Statement> {
    match VisitMut::visit(&mut statement, &mut Quantified { kept: HashSet::new() }) {
        ControlFlow::Continue(()) => Ok(statement),
        ControlFlow::Break(error) => Err(error),
    }
}

struct Quantified {
    /// Where the queries are of those IN that stay. Their addresses hold while the statement is walked: they are boxed.
    kept: HashSet<*const Query>,
}

impl VisitorMut for Quantified {
    type Break = Error;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Error> {
        let joined = select.from.iter_mut().flat_map(|table| &mut table.joins);
        let on = joined.filter_map(|join| match &mut join.join_operator {
            JoinOperator::Join(JoinConstraint::On(condition)) | JoinOperator::Inner(JoinConstraint::On(condition)) => {
                Some(condition)
            }
            _ => None,
        });
        for condition in on.chain(&mut select.selection).chain(&mut select.having) {
            if let Err(error) = self.in_condition(condition) {
                return ControlFlow::Break(error);
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        let value = match &*expr {
            Expr::InSubquery { subquery, .. } if self.kept.contains(&std::ptr::from_ref(subquery.as_ref())) => None,
            other => Quantifier::of(other).map(|it| it.value()),
        };
        match value.transpose() {
            Ok(Some(value)) => *expr = nested(value),
            Ok(None) => {}
            Err(error) => return ControlFlow::Break(error),
        }
        ControlFlow::Continue(())
    }
}

impl Quantified {
    /// What is wanted true.
    fn in_condition(&mut self, condition: &mut Expr) -> Result<()> {
        match condition {
            Expr::Nested(inner) => return self.in_condition(inner),
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.in_condition(left)?;
                return self.in_condition(right);
            }
            Expr::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. }
            | Expr::AllOp { left, compare_op: BinaryOperator::NotEq, right } => {
                if let Expr::Subquery(query) = right.as_ref() {
                    let (expr, subquery) = (Box::new(nested((**left).clone())), query.clone());
                    let negated = matches!(condition, Expr::AllOp { .. });
                    *condition = Expr::InSubquery { expr, subquery, negated };
                }
            }
            _ => {}
        }
        if let Expr::InSubquery { expr, subquery, .. } = condition
            && members(expr).is_none()
        {
            self.kept.insert(std::ptr::from_ref(subquery.as_ref()));
            return Ok(());
        }
        if let Some(truth) = Quantifier::of(condition).map(|it| it.truth()).transpose()? {
            *condition = truth;
        }
        Ok(())
    }
}

/// A row, an operator, and a query.
struct Quantifier<'a> {
    row: Vec<Expr>,
    op: BinaryOperator,
    query: &'a Query,
    /// Of ALL rows, not of ANY.
    all: bool,
}

impl<'a> Quantifier<'a> {
    fn of(expr: &'a Expr) -> Option<Quantifier<'a>> {
        let (left, op, query, all) = match expr {
            Expr::InSubquery { expr, subquery, negated: false } => (expr, BinaryOperator::Eq, subquery.as_ref(), false),
            Expr::InSubquery { expr, subquery, negated: true } => {
                (expr, BinaryOperator::NotEq, subquery.as_ref(), true)
            }
            Expr::AnyOp { left, compare_op, right, .. } => (left, compare_op.clone(), subquery_of(right)?, false),
            Expr::AllOp { left, compare_op, right } => (left, compare_op.clone(), subquery_of(right)?, true),
            _ => return None,
        };
        let row = members(left).unwrap_or_else(|| vec![(**left).clone()]);
        Some(Quantifier { row, op, query, all })
    }

    fn compared(&self) -> Result<(Compared<'a>, Expr)> {
        let rows = Compared::new(self.row.len(), self.query)?;
        let condition = compared(&self.row, &self.op, rows.names())?;
        let condition = condition.ok_or_else(|| crate::statement::unsupported(format!("{} of a query", self.op)))?;
        Ok((rows, nested(condition)))
    }

    /// Whether it is true.
    fn truth(&self) -> Result<Expr> {
        let (rows, condition) = self.compared()?;
        match self.all {
            true => rows.exists(Some(Expr::IsNotTrue(Box::new(condition))), true),
            false => rows.exists(Some(condition), false),
        }
    }

    /// TRUE, FALSE or NULL.
    fn value(&self) -> Result<Expr> {
        let (rows, condition) = self.compared()?;
        let boolean = |value: bool| Expr::Value(Value::Boolean(value).into());
        // One row decides: of ANY one that is so, of ALL one that is not.
        let decided = match (self.all, &self.op) {
            (true, BinaryOperator::NotEq) => compared(&self.row, &BinaryOperator::Eq, rows.names())?.map(nested),
            (true, _) => Some(Expr::IsFalse(Box::new(condition.clone()))),
            (false, _) => Some(condition.clone()),
        };
        let when = |condition, result| CaseWhen { condition, result };
        Ok(Expr::Case {
            case_token: AttachedToken::empty(),
            end_token: AttachedToken::empty(),
            operand: None,
            conditions: vec![
                when(rows.exists(decided, false)?, boolean(!self.all)),
                when(self.unknown(&rows, condition)?, Expr::Value(Value::Null.into())),
            ],
            else_result: Some(Box::new(boolean(self.all))),
        })
    }

    /// Whether there is a row of which it is unknown. Of two values that is so where one is NULL, which needs no look at
    /// all pairs.
    fn unknown(&self, rows: &Compared<'_>, condition: Expr) -> Result<Expr> {
        let is_null = |expr: &Expr| Expr::IsNull(Box::new(nested(expr.clone())));
        match (self.row.as_slice(), rows.names()) {
            ([left], [right]) => {
                let of_none = binary(is_null(left), BinaryOperator::And, rows.exists(None, false)?);
                Ok(binary(of_none, BinaryOperator::Or, rows.exists(Some(is_null(right)), false)?))
            }
            _ => rows.exists(Some(Expr::IsNull(Box::new(condition))), false),
        }
    }
}

fn subquery_of(expr: &Expr) -> Option<&Query> {
    match expr {
        Expr::Nested(inner) => subquery_of(inner),
        Expr::Subquery(query) => Some(query),
        _ => None,
    }
}

/// The plan with `NOT IN` of a query that looks out, or of a value that is no column's, as `NOT EXISTS`: the planner's join
/// for it takes the NULLs of all rows for those of each. What is left of IN by now are conditions that are wanted true.
pub(crate) fn in_plan(plan: LogicalPlan) -> datafusion::common::Result<LogicalPlan> {
    let is_concerned = |expr: &PlanExpr| matches!(expr, PlanExpr::InSubquery(test) if is_beyond_joins(test));
    if !any_expression_of_plan(&plan, is_concerned) {
        return Ok(plan);
    }
    plan.transform_up_with_subqueries(|node| {
        let schema = schema_of(&node);
        node.map_expressions(|expr| {
            expr.transform_up(|expr| match expr {
                PlanExpr::InSubquery(test) if is_beyond_joins(&test) => not_exists(test, &schema).map(Transformed::yes),
                other => Ok(Transformed::no(other)),
            })
        })
    })
    .data()
}

fn is_beyond_joins(test: &InSubquery) -> bool {
    test.negated && (!test.subquery.outer_ref_columns.is_empty() || test.expr.column_refs().is_empty())
}

/// `NOT EXISTS (a row of q of which x = it is not false)`.
fn not_exists(test: InSubquery, schema: &DFSchema) -> datafusion::common::Result<PlanExpr> {
    let InSubquery { expr, subquery, .. } = test;
    let mut outer = subquery.outer_ref_columns.clone();
    let seen_from_within = expr.transform_up(|part| match part {
        PlanExpr::Column(column) => {
            let seen = PlanExpr::OuterReferenceColumn(Arc::clone(schema.field_from_column(&column)?), column);
            outer.push(seen.clone());
            Ok(Transformed::yes(seen))
        }
        other => Ok(Transformed::no(other)),
    })?;
    let rows = subquery.subquery.as_ref();
    let column = PlanExpr::Column(rows.schema().columns().swap_remove(0));
    let plan =
        LogicalPlanBuilder::from(rows.clone()).filter(seen_from_within.data.eq(column).is_not_false())?.build()?;
    let subquery = Subquery { subquery: Arc::new(plan), outer_ref_columns: outer, ..subquery };
    Ok(PlanExpr::Exists(Exists { subquery, negated: true }))
}
