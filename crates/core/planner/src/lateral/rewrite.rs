//! The rule that turns subqueries that DataFusion would refuse into [`Lateral`] nodes.

use super::below::Below;
use super::has_column;
use super::sides::side;
use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::search::is_subquery;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result, not_impl_err};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    Aggregate, Expr, Filter, LogicalPlan, LogicalPlanBuilder, Projection, Sort, Subquery, Window,
};
use datafusion::optimizer::AnalyzerRule;
use std::sync::Arc;

/// Puts [`Lateral`] nodes in the place of correlated subqueries. The last rule of the analyzer: what is inside of the
/// nodes has been analyzed.
#[derive(Debug)]
pub(crate) struct Rewrite {
    /// True if none is left to DataFusion: it has failed to make joins of them.
    pub(crate) all: bool,
}

impl AnalyzerRule for Rewrite {
    fn name(&self) -> &str {
        "lateral"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        match has_subqueries(&plan) {
            true => self.rewritten(plan),
            false => Ok(plan),
        }
    }
}

/// Returns true if anything in a plan looks at rows outside of it.
pub(crate) fn has_outer_references(plan: &LogicalPlan) -> bool {
    let mut found = false;
    // The closure does not fail.
    let _ = plan.each_with_subqueries(|node| {
        found |= node.contains_outer_reference();
        Ok(match found {
            true => TreeNodeRecursion::Stop,
            false => TreeNodeRecursion::Continue,
        })
    });
    found
}

/// Returns true if a plan has subqueries that the rule may have to do with.
pub(super) fn has_subqueries(plan: &LogicalPlan) -> bool {
    crate::tree::search::any_node(plan, |node| {
        node.contains_outer_reference() || crate::tree::search::any_expression(node, is_subquery)
    })
}

impl Rewrite {
    /// The plan with its correlated subqueries as nodes.
    pub(super) fn of(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        self.rewritten(plan)
    }

    fn rewritten(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        plan.map_up(|node| self.node(node)).data()
    }

    fn node(&self, node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        match node {
            LogicalPlan::Join(join) => match side(&join.right) {
                Some(inner) => self.applied(join, inner),
                None if join.filter.as_ref().is_some_and(has_subquery) => self.on(join).map(Transformed::yes),
                None => Ok(Transformed::no(LogicalPlan::Join(join))),
            },
            LogicalPlan::Aggregate(aggregate) => {
                refuse_aggregates_of_others(&aggregate)?;
                self.aggregated(aggregate)
            }
            LogicalPlan::Window(window) => self.windows(window),
            node => self.expressions(node),
        }
    }

    /// The rows of a plan that meet a condition, which may have subqueries.
    pub(super) fn filtered(&self, input: LogicalPlan, condition: Expr) -> Result<LogicalPlan> {
        let filter = Filter::try_new(condition, Arc::new(input))?;
        self.expressions(LogicalPlan::Filter(filter)).data()
    }

    pub(super) fn with_values(&self, values: Values) -> Result<LogicalPlan> {
        if values.added.is_empty() {
            return Ok(values.input);
        }
        let mut list = columns_of(values.input.schema());
        list.extend(values.added);
        let projection = Projection::try_new(list, Arc::new(values.input))?;
        self.expressions(LogicalPlan::Projection(projection)).data()
    }

    /// An aggregate whose groups and arguments have subqueries, which become columns below it.
    fn aggregated(&self, aggregate: Aggregate) -> Result<Transformed<LogicalPlan>> {
        if !aggregate.group_expr.iter().chain(&aggregate.aggr_expr).any(has_subquery) {
            return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
        }
        let Aggregate { input, group_expr, aggr_expr, schema, .. } = aggregate;
        let mut values = Values::new(&input, "value");
        let mut named = |expr: Expr, is_group: bool| -> Result<Expr> {
            let (relation, name) = expr.qualified_name();
            if !has_subquery(&expr) {
                return Ok(expr);
            }
            let without = if is_group { values.of_group(expr)? } else { values.of_calls(expr)? };
            Ok(without.unalias().alias_qualified(relation, name))
        };
        let group_expr = group_expr.into_iter().map(|expr| named(expr, true)).collect::<Result<Vec<_>>>()?;
        let aggr_expr = aggr_expr.into_iter().map(|expr| named(expr, false)).collect::<Result<Vec<_>>>()?;
        let input = Arc::new(self.with_values(values)?);
        let plan = Aggregate::try_new_with_schema(input, group_expr, aggr_expr, schema)?;
        Ok(Transformed::yes(LogicalPlan::Aggregate(plan)))
    }

    /// Window functions whose arguments have subqueries, which become columns below them.
    fn windows(&self, window: Window) -> Result<Transformed<LogicalPlan>> {
        if !window.window_expr.iter().any(has_subquery) {
            return Ok(Transformed::no(LogicalPlan::Window(window)));
        }
        let shown = columns_of(&window.schema);
        let mut values = Values::new(&window.input, "value");
        let named = |expr: Expr| -> Result<Expr> {
            let (relation, name) = expr.qualified_name();
            let without = values.of_calls(expr)?;
            Ok(without.unalias().alias_qualified(relation, name))
        };
        let functions = window.window_expr.into_iter().map(named).collect::<Result<Vec<_>>>()?;
        let input = Arc::new(self.with_values(values)?);
        let plan = LogicalPlan::Window(Window::try_new(functions, input)?);
        Ok(Transformed::yes(LogicalPlanBuilder::from(plan).project(shown)?.build()?))
    }

    /// A node whose expressions have subqueries.
    fn expressions(&self, node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        match node {
            LogicalPlan::Projection(Projection { expr, input, schema, .. }) => {
                let mut below = Below::new(self, input);
                let expr = expr.into_iter().map(|expr| below.named(expr)).collect::<Result<Vec<_>>>()?;
                let plan = Projection::try_new_with_schema(expr, below.input, schema)?;
                Ok(below.changed.of(LogicalPlan::Projection(plan)))
            }
            LogicalPlan::Filter(filter) => self.conditions(filter),
            LogicalPlan::Sort(Sort { expr, input, fetch }) => {
                let columns = columns_of(input.schema());
                let mut below = Below::new(self, input);
                let sort = |mut sort: datafusion::logical_expr::SortExpr| {
                    sort.expr = below.expr(sort.expr)?;
                    Ok(sort)
                };
                let expr = expr.into_iter().map(sort).collect::<Result<Vec<_>>>()?;
                let changed = below.changed;
                restored(LogicalPlan::Sort(Sort { expr, input: below.input, fetch }), columns, changed)
            }
            // Subqueries of other nodes stay where they are; what is inside of them may be hard.
            node => node.map_each_expression(|expr| expr.map_up(|expr| self.inside(expr))),
        }
    }

    /// A filter, of which the conditions with subqueries that are left to DataFusion, or without any, come first: the others
    /// are asked of the rows only that have met those before.
    fn conditions(&self, filter: Filter) -> Result<Transformed<LogicalPlan>> {
        let Filter { predicate, input, .. } = filter;
        if !has_subquery(&predicate) {
            return Ok(Transformed::no(LogicalPlan::Filter(Filter::try_new(predicate, input)?)));
        }
        let columns = columns_of(input.schema());
        let (asked, plain): (Vec<_>, Vec<_>) = split_conjunction_owned(predicate).into_iter().partition(has_subquery);
        // Tests are what DataFusion makes joins of most often.
        let (tests, others): (Vec<_>, Vec<_>) = asked.into_iter().partition(is_test);
        let mut plan = Arc::unwrap_or_clone(input);
        let mut kept = plain;
        for condition in tests.into_iter().chain(others) {
            let input = Arc::new(filtered_by(plan.clone(), kept.clone())?);
            let mut below = Below::new(self, Arc::clone(&input));
            below.is_filter = true;
            let condition = below.condition(condition, true)?;
            if Arc::ptr_eq(&below.input, &input) {
                kept.push(condition);
                continue;
            }
            kept.clear();
            let filter = LogicalPlan::Filter(Filter::try_new(condition, below.input)?);
            plan = restored(filter, columns.clone(), Changed(true))?.data;
        }
        Ok(Transformed::yes(filtered_by(plan, kept)?))
    }

    /// A subquery that stays, with its own subqueries rewritten.
    pub(super) fn inside(&self, expr: Expr) -> Result<Transformed<Expr>> {
        Ok(match expr {
            Expr::ScalarSubquery(subquery) => Transformed::yes(Expr::ScalarSubquery(self.kept(subquery)?)),
            Expr::Exists(Exists { subquery, negated }) => {
                Transformed::yes(Expr::Exists(Exists { subquery: self.kept(subquery)?, negated }))
            }
            Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
                Transformed::yes(Expr::InSubquery(InSubquery { expr, subquery: self.kept(subquery)?, negated }))
            }
            Expr::SetComparison(comparison) => {
                let subquery = self.kept(comparison.subquery)?;
                Transformed::yes(Expr::SetComparison(SetComparison { subquery, ..comparison }))
            }
            other => Transformed::no(other),
        })
    }

    pub(super) fn kept(&self, subquery: Subquery) -> Result<Subquery> {
        let plan = self.rewritten(Arc::unwrap_or_clone(subquery.subquery))?;
        let outer_ref_columns = plan.all_out_ref_exprs();
        Ok(Subquery { subquery: Arc::new(plan), outer_ref_columns, spans: subquery.spans })
    }
}

/// True if something has changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Changed(pub(super) bool);

impl Changed {
    fn of<T>(self, data: T) -> Transformed<T> {
        if self.0 { Transformed::yes(data) } else { Transformed::no(data) }
    }
}

/// A node that passes its input's rows on, without the columns that were added to them.
fn restored(plan: LogicalPlan, columns: Vec<Expr>, changed: Changed) -> Result<Transformed<LogicalPlan>> {
    if plan.schema().fields().len() == columns.len() {
        return Ok(changed.of(plan));
    }
    Ok(Transformed::yes(LogicalPlanBuilder::from(plan).project(columns)?.build()?))
}

/// The rows that meet these conditions.
fn filtered_by(plan: LogicalPlan, conditions: Vec<Expr>) -> Result<LogicalPlan> {
    match conjunction(conditions) {
        Some(condition) => Ok(LogicalPlan::Filter(Filter::try_new(condition, Arc::new(plan))?)),
        None => Ok(plan),
    }
}

/// True if a condition is EXISTS or IN, or the opposite of it.
fn is_test(condition: &Expr) -> bool {
    match condition {
        Expr::Not(inner) => is_test(inner),
        other => matches!(other, Expr::Exists(_) | Expr::InSubquery(_)),
    }
}

pub(super) fn columns_of(schema: &DFSchema) -> Vec<Expr> {
    schema.iter().map(|field| Expr::Column(Column::from(field))).collect()
}

pub(super) fn has_subquery(expr: &Expr) -> bool {
    expr.has(|expr| Ok(is_subquery(expr))).unwrap_or(true)
}

/// An expression over these columns and others, with outer references in their places.
pub(super) fn outside(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    let replaced = expr.map_up(|expr| match &expr {
        Expr::Column(column) if has_column(schema, column) => {
            let field = Arc::clone(schema.qualified_field_from_column(column)?.1);
            Ok(Transformed::yes(Expr::OuterReferenceColumn(field, column.clone())))
        }
        _ => Ok(Transformed::no(expr)),
    });
    replaced.data()
}

/// Refuses an aggregate whose argument is made of columns of a query outside only: it is that query's aggregate, by the
/// standard's rule and SQL Server's, and not one of the rows here.
fn refuse_aggregates_of_others(aggregate: &Aggregate) -> Result<()> {
    for expr in &aggregate.aggr_expr {
        expr.each(|part| {
            if let Expr::AggregateFunction(call) = part
                && call.func.name() != "first_value"
                && call.params.args.iter().any(Expr::contains_outer)
                && !call.params.args.iter().any(|arg| arg.any_column_refs() || has_subquery(arg))
            {
                return not_impl_err!(
                    "An aggregate of columns of an outer query only, which is that query's aggregate"
                );
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
    }
    Ok(())
}

/// A plan and the subqueries that are to become columns of it.
pub(super) struct Values {
    input: LogicalPlan,
    /// The prefix of these columns' names.
    prefix: &'static str,
    added: Vec<Expr>,
}

impl Values {
    pub(super) fn new(input: &LogicalPlan, prefix: &'static str) -> Values {
        Values { input: input.clone(), prefix, added: Vec::new() }
    }

    /// Returns true if a subquery, with what it is compared with, looks at columns of this plan only.
    pub(super) fn has_all_of(&self, subquery: &Expr) -> Result<bool> {
        let (plan, compared) = match subquery {
            Expr::ScalarSubquery(subquery) => (&subquery.subquery, None),
            Expr::Exists(test) => (&test.subquery.subquery, None),
            Expr::InSubquery(test) => (&test.subquery.subquery, Some(&test.expr)),
            Expr::SetComparison(test) => (&test.subquery.subquery, Some(&test.expr)),
            _ => return Ok(false),
        };
        let schema = self.input.schema();
        let is_here = |reference: &Expr| match reference {
            Expr::OuterReferenceColumn(_, column) => has_column(schema, column),
            _ => false,
        };
        let of_compared = compared.is_none_or(|compared| {
            !has_subquery(compared) && compared.column_refs().into_iter().all(|column| has_column(schema, column))
        });
        Ok(of_compared && super::outer_references(plan)?.iter().all(is_here))
    }

    /// A key of groups whose parts with subqueries are columns: the whole key, or each of a set of keys.
    fn of_group(&mut self, expr: Expr) -> Result<Expr> {
        match expr {
            Expr::GroupingSet(_) => expr.map_children(|part| self.of_group(part).map(Transformed::yes)).data(),
            expr if has_subquery(&expr) => {
                let key = expr.unalias();
                // Several sets may have the same key.
                let known = self.added.iter().find(|added| (**added).clone().unalias() == key);
                Ok(match known.map(Expr::qualified_name) {
                    Some((relation, name)) => Expr::Column(Column::new(relation, name)),
                    None => self.add(key)?,
                })
            }
            expr => Ok(expr),
        }
    }

    /// Calls whose arguments with subqueries are columns.
    fn of_calls(&mut self, expr: Expr) -> Result<Expr> {
        let replaced = expr.map_down(|expr| {
            if !matches!(expr, Expr::AggregateFunction(_) | Expr::WindowFunction(_)) {
                return Ok(Transformed::no(expr));
            }
            let changed = expr.map_children(|part| {
                Ok(match has_subquery(&part) {
                    true => Transformed::yes(self.add(part)?),
                    false => Transformed::no(part),
                })
            })?;
            Ok(Transformed::new(changed.data, true, TreeNodeRecursion::Jump))
        });
        replaced.data()
    }

    pub(super) fn add(&mut self, value: Expr) -> Result<Expr> {
        let mut number = self.added.len();
        let mut name = format!("#{}{number}", self.prefix);
        while self.input.schema().has_column_with_unqualified_name(&name) {
            number += 1;
            name = format!("#{}{number}", self.prefix);
        }
        self.added.push(crate::upstream::scalar_subqueries::perhaps(value)?.alias(&name));
        Ok(Expr::Column(Column::new_unqualified(name)))
    }
}
