//! Subqueries that cannot be rewritten as joins: evaluated for the keys of the outer rows.
//!
//! ```text
//!   a CROSS APPLY (SELECT TOP 1 * FROM b WHERE b.k = a.k ORDER BY b.d)      Lateral(a; TOP 1 ... b.k = $k0)
//!   SELECT (SELECT TOP 1 ... b.k = a.k) FROM a                              Projection over Lateral(a; ...)
//!
//!   analyzer   rewrite: hard ones become nodes of [`Lateral`], whose columns of the row are outer references
//!   planning   the inner plan is optimized for a set of keys at once, if it looks its rows up by them     (sets)
//!              and once more for a single key, with a placeholder for each column of it                   (plan)
//!   running    rows are collected, the plan runs for their distinct keys, its rows assigned              (run, answers)
//!              otherwise for each distinct key: values into placeholders, operators, rows; remembered     (run)
//! ```
//!
//! DataFusion turns most subqueries into joins, which is better wherever the result is right. This module evaluates the
//! subqueries that its rules do not support (limits, windows, unions, table functions, columns of a query further out)
//! or answer wrongly: aggregates that give a row for an empty input, HAVING, IN whose unknown result matters ([`easy`],
//! [`below`]), and ON ([`sides`]). It also evaluates a subquery that may fail in a branch that not every row reaches
//! ([`guard`], [`failing`]): a join evaluates it for all.
//!
//! The parts of an inner plan that are the same for every row run once ([`constant`]).
//!
//! References of the inner plan that do not refer to the row at the left are *free*: columns of a query further out,
//! which are the node's own expressions, so that the evaluation of that query can supply their values.

mod answers;
mod below;
mod constant;
mod easy;
mod failing;
mod guard;
mod keys;
mod plan;
mod rewrite;
mod run;
mod sets;
mod sides;

pub(crate) use constant::is_constant;
pub(crate) use failing::expr_may_fail;
pub(crate) use plan::{LateralPlanner, optimized};
pub(crate) use rewrite::{Rewrite, has_outer_references};

use crate::tree::nodes::{PlanTree, Tree};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, DFSchemaRef, Result, internal_err};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};
use datafusion::physical_plan::ExecutionPlan;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Returns true if an operator evaluates a plan for the rows of its input.
pub(crate) fn is_lateral(plan: &Arc<dyn ExecutionPlan>) -> bool {
    plan.is::<run::LateralExec>()
}

/// The use of the inner rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// They stand beside the row; a row without any is left out.
    Cross,
    /// They stand beside the row; a row without any has NULL there.
    Outer,
    /// The value of the only one stands beside the row, or NULL.
    Value,
    /// Beside the row: true if there is an inner row.
    Exists,
    /// Beside the row: true if its last column is among the values of the inner rows.
    In,
}

/// An inner plan that is evaluated for the rows of another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lateral {
    /// The rows.
    input: LogicalPlan,
    /// The plan that is evaluated for each.
    inner: Arc<LogicalPlan>,
    /// The columns of the row that the inner plan reads, as outer references.
    keys: Vec<Column>,
    /// The inner plan's outer references to queries further out.
    free: Vec<Expr>,
    /// The current form of these: themselves, placeholders, or values.
    bound: Vec<Expr>,
    kind: Kind,
    /// The column of the rows that want an answer; the others have NULL. All do, if there is none.
    guard: Option<Column>,
    schema: DFSchemaRef,
}

impl Lateral {
    /// A node whose columns are those of this schema: the input's, and behind them what the kind says.
    pub(crate) fn plan(input: LogicalPlan, inner: LogicalPlan, kind: Kind, schema: DFSchemaRef) -> Result<LogicalPlan> {
        Lateral::guarded(input, inner, kind, schema, None)
    }

    /// The same for the rows of which a column of the input is true.
    fn guarded(
        input: LogicalPlan,
        inner: LogicalPlan,
        kind: Kind,
        schema: DFSchemaRef,
        guard: Option<Column>,
    ) -> Result<LogicalPlan> {
        let (mut keys, mut free) = (Vec::new(), Vec::new());
        for reference in outer_references(&inner)? {
            match reference {
                Expr::OuterReferenceColumn(_, column) if has_column(input.schema(), &column) => keys.push(column),
                other => free.push(other),
            }
        }
        let bound = free.clone();
        let node = Arc::new(Lateral { input, inner: Arc::new(inner), keys, free, bound, kind, guard, schema });
        Ok(LogicalPlan::Extension(Extension { node }))
    }

    /// The inner plan, for who looks for tables in it.
    pub(crate) fn inner(&self) -> &LogicalPlan {
        &self.inner
    }
}

/// The node that a plan is, if it is one.
pub(crate) fn of(plan: &LogicalPlan) -> Option<&Lateral> {
    match plan {
        LogicalPlan::Extension(extension) => extension.node.as_any().downcast_ref::<Lateral>(),
        _ => None,
    }
}

/// Reports a node of this kind in a plan or in a subquery of its expressions: its parameters are part of it.
pub(crate) fn is_in(plan: &LogicalPlan) -> bool {
    let mut found = false;
    let look = plan.each_with_subqueries(|node| {
        found |= of(node).is_some();
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    found || look.is_err()
}

/// Calls `visit` for every node of a plan, those inside of subqueries and of inner plans too.
pub(crate) fn each_node(
    plan: &LogicalPlan,
    visit: &mut dyn FnMut(&LogicalPlan) -> Result<TreeNodeRecursion>,
) -> Result<TreeNodeRecursion> {
    plan.each_with_subqueries(|node| {
        if let Some(lateral) = of(node)
            && each_node(&lateral.inner, visit)? == TreeNodeRecursion::Stop
        {
            return Ok(TreeNodeRecursion::Stop);
        }
        visit(node)
    })
}

/// Returns true if a column is one of this schema.
fn has_column(schema: &DFSchema, column: &Column) -> bool {
    schema.has_column(column)
}

/// The outer references of a plan, each once; not those inside of subqueries of its expressions, which are to the plan's
/// own rows.
fn outer_references(plan: &LogicalPlan) -> Result<Vec<Expr>> {
    let mut found = Vec::new();
    plan.each(|node| {
        node.each_expression(|expr| {
            expr.each(|expr| {
                if matches!(expr, Expr::OuterReferenceColumn(..)) && !found.contains(expr) {
                    found.push(expr.clone());
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(found)
}

/// The plan with other expressions in the place of its outer references, which go on under their names.
fn replaced(plan: LogicalPlan, instead: &dyn Fn(&Expr) -> Option<Expr>) -> Result<LogicalPlan> {
    plan.map_up(|node| {
        let names = NamePreserver::new(&node);
        let node = node.map_each_expression(|expr| {
            let name = names.save(&expr);
            let replaced = expr.map_up(|expr| {
                Ok(match &expr {
                    Expr::OuterReferenceColumn(..) => match instead(&expr) {
                        Some(value) => Transformed::yes(value),
                        None => Transformed::no(expr),
                    },
                    _ => Transformed::no(expr),
                })
            })?;
            Ok(replaced.update_data(|expr| name.restore(expr)))
        })?;
        node.map_data(|node| match node {
            // A side of a join that looked at the other one does not any more.
            LogicalPlan::Subquery(subquery) if subquery.subquery.all_out_ref_exprs().is_empty() => {
                Ok(Arc::unwrap_or_clone(subquery.subquery))
            }
            node => node.recompute_schema(),
        })
    })
    .data()
}

impl PartialOrd for Lateral {
    fn partial_cmp(&self, other: &Lateral) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for Lateral {
    fn name(&self) -> &str {
        "Lateral"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        self.bound.clone()
    }

    /// A condition on the input's columns may be asked of the input: what is added depends on nothing but its row.
    fn prevent_predicate_push_down_columns(&self) -> HashSet<String> {
        let added = self.schema.fields().iter().skip(self.input.schema().fields().len());
        added.map(|field| field.name().clone()).collect()
    }

    /// The first rows are made of the first rows of the input, if each of these has one.
    fn supports_limit_pushdown(&self) -> bool {
        self.kind != Kind::Cross
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lateral: {:?}", self.kind)
    }

    fn with_exprs_and_inputs(&self, bound: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<Lateral> {
        let (Some(input), true) = (inputs.pop(), bound.len() == self.free.len()) else {
            return internal_err!("a lateral node without its input or with other expressions");
        };
        Ok(Lateral { input, bound, ..self.clone() })
    }
}
