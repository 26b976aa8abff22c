//! Join order: the tables of inner joins in the order with the least estimated work.
//!
//! DataFusion joins tables in the order in which a statement names them and chooses only which side of each join is
//! built. With six tables the order decides how many rows pass through the joins: a supplier's nation, named last, leaves
//! one line in twelve.
//!
//! ```text
//!   Filter a, b, c, d conditions            Projection the columns in their order
//!     Join c, d                        -->    Filter all conditions
//!       Join a, b                               Join of d, b, a, c without conditions
//! ```
//!
//! The rules that follow find the conditions of each join (`eliminate_cross_join`) and push the others down. The order is
//! chosen by dynamic programming over the sets of tables ([`cost`]), from the number of rows of each table and of the
//! different values in its columns ([`estimate`]). Equalities that follow from others ([`equalities`]) link tables, too. A
//! test for membership in an uncorrelated subquery goes to its table, since it otherwise remains above all joins.
//!
//! Limits: joins of correlated subqueries keep their order, as do more than [`MOST_INPUTS`] inputs, small tables, and joins
//! none of whose conditions is known here. Outer joins, LATERAL joins ([`references`]) and joins with USING are inputs as a
//! whole, whose own inputs are reordered by themselves. The estimates know nothing about the distribution of values. The
//! number of distinct values comes from a sample ([`mainstay_columnar::sample`]) and may be too low or too high.

mod cost;
mod equalities;
mod estimate;
mod references;

use crate::tree::nodes::PlanTree;
use cost::{Graph, Link};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, JoinType, NullEquality, Result};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    Expr, Filter, Join, JoinConstraint, LogicalPlan, LogicalPlanBuilder, Projection, TableSource,
};
use equalities::{Class, Equalities};
use estimate::Size;
use std::sync::Arc;

/// Inputs of a join of which all orders are compared; there are 1,023 sets of ten.
const MOST_INPUTS: usize = 10;
/// Joins of a statement from which on planning would take longer than it saves.
const MOST_JOINS: usize = 64;
/// Operators of a statement, for the same reason and because the walk over them is recursive.
const MOST_NODES: usize = 300;
/// Rows of the largest table below which every order is fast.
const LEAST_ROWS: f64 = 50_000.0;
/// The share of the work of the statement's order that another order may take at most to be chosen.
const WORTHWHILE: f64 = 0.9;
/// The share of rows for which a test for membership in a subquery is assumed to hold.
const MEMBER_SHARE: f64 = 0.05;

/// Facts about the tables of a plan.
pub(crate) struct Tables {
    /// About how many rows a table has.
    pub(crate) rows: fn(&Arc<dyn TableSource>) -> usize,
    /// The estimated number of distinct values of a column, if there is an estimate; it may be too low or too high.
    pub(crate) distinct: fn(&Arc<dyn TableSource>, usize) -> Option<usize>,
}

/// The plan with its inner joins in the order with the least estimated work.
///
/// Errors: as building the new nodes of the plan.
pub(crate) fn reordered(plan: LogicalPlan, tables: &Tables) -> Result<LogicalPlan> {
    let (mut joins, mut nodes) = (0, 0);
    plan.each_with_subqueries(|node| {
        nodes += 1;
        joins += usize::from(matches!(node, LogicalPlan::Join(_)));
        Ok(if nodes > MOST_NODES { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    if !(2..=MOST_JOINS).contains(&joins) || nodes > MOST_NODES {
        return Ok(plan);
    }
    Ok(changed(plan, tables)?.data)
}

fn changed(plan: LogicalPlan, tables: &Tables) -> Result<Transformed<LogicalPlan>> {
    let plan = plan.map_subqueries(|plan| changed(plan, tables))?;
    if let Some(chain) = Chain::of(&plan.data)? {
        return match chain.reordered(tables)? {
            Some(reordered) => Ok(Transformed::yes(reordered)),
            None => Ok(plan),
        };
    }
    let is_new = plan.transformed;
    let plan = plan.data.map_children(|plan| changed(plan, tables))?;
    match plan.transformed {
        true => Ok(Transformed::yes(plan.data.recompute_schema()?)),
        false => Ok(Transformed::new_transformed(plan.data, is_new)),
    }
}

/// Inner joins below each other, and the filter above them.
struct Chain<'p> {
    schema: &'p DFSchema,
    inputs: Vec<LogicalPlan>,
    conditions: Vec<Expr>,
}

impl<'p> Chain<'p> {
    fn of(plan: &'p LogicalPlan) -> Result<Option<Chain<'p>>> {
        let (top, predicate) = match plan {
            LogicalPlan::Filter(filter) => (filter.input.as_ref(), Some(&filter.predicate)),
            other => (other, None),
        };
        let LogicalPlan::Join(join) = top else { return Ok(None) };
        if !is_inner(join)? {
            return Ok(None);
        }
        let mut chain = Chain { schema: plan.schema(), inputs: Vec::new(), conditions: Vec::new() };
        chain.flatten(top)?;
        chain.conditions.extend(predicate.into_iter().flat_map(|predicate| split_conjunction_owned(predicate.clone())));
        Ok(Some(chain))
    }

    fn flatten(&mut self, plan: &LogicalPlan) -> Result<()> {
        match plan {
            LogicalPlan::Join(join) if is_inner(join)? => {
                self.flatten(&join.left)?;
                self.flatten(&join.right)?;
                self.conditions.extend(join.on.iter().map(|(left, right)| left.clone().eq(right.clone())));
                let filter = join.filter.iter().flat_map(|filter| split_conjunction_owned(filter.clone()));
                self.conditions.extend(filter);
            }
            other => self.inputs.push(other.clone()),
        }
        Ok(())
    }

    /// The joins in another order; `None` if they stay as they are.
    fn reordered(mut self, tables: &Tables) -> Result<Option<LogicalPlan>> {
        if self.has_outer_references()? {
            return Ok(None);
        }
        let mut is_new = false;
        for input in &mut self.inputs {
            let plan = changed(input.clone(), tables)?;
            is_new |= plan.transformed;
            *input = plan.data;
        }
        let order = self.order(tables)?;
        match order {
            Some(order) => self.rebuilt(&order).map(Some),
            None if is_new => {
                let order: Vec<usize> = (0..self.inputs.len()).collect();
                self.rebuilt(&order).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Returns true if the joins are those of a correlated subquery: the rules that turn it into a join look for conditions
    /// where the statement has them.
    fn has_outer_references(&self) -> Result<bool> {
        let inputs: Vec<&LogicalPlan> = self.inputs.iter().collect();
        for condition in &self.conditions {
            if !references::unbound_in(condition, &inputs)?.is_empty() {
                return Ok(true);
            }
        }
        for input in inputs {
            if !references::unbound(input)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn order(&mut self, tables: &Tables) -> Result<Option<Vec<usize>>> {
        let count = self.inputs.len();
        if !(3..=MOST_INPUTS).contains(&count) || self.conditions.iter().any(Expr::is_volatile) {
            return Ok(None);
        }
        let mut sizes: Vec<Size> = self.inputs.iter().map(|input| estimate::size(input, tables)).collect();
        if sizes.iter().all(|size| size.base < LEAST_ROWS) {
            return Ok(None);
        }
        let is_moved = self.push_membership_tests(&mut sizes)?;
        let equalities = self.equalities();
        // Conditions above another operator, such as a LATERAL join, may link the inputs: another order could be a product.
        if equalities.classes.is_empty() {
            return Ok(is_moved.then(|| (0..count).collect()));
        }
        self.apply_shares(&mut sizes, tables);
        let link = |class: &Class| {
            let distinct = |(input, column): &(usize, Column)| {
                let distinct = estimate::distinct(&self.inputs[*input], column, tables);
                distinct.unwrap_or(sizes[*input].base)
            };
            let least = class.columns.iter().map(distinct).fold(f64::INFINITY, f64::min).max(1.0);
            Link { inputs: class.columns.iter().fold(0, |set, (input, _)| set | 1 << input), distinct: least }
        };
        let links = equalities.classes.iter().map(link).collect();
        let rows = sizes.iter().map(|size| size.rows.max(1.0)).collect();
        let bases: Vec<f64> = sizes.iter().map(|size| size.base.max(1.0)).collect();
        let graph = Graph::new(rows, &bases, links);
        let written = graph.written_order();
        let most = graph.work(&written) * WORTHWHILE;
        let best = graph.best_order().filter(|best| graph.work(best) < most);
        let order = best.or_else(|| is_moved.then_some(written));
        self.conditions.extend(order.iter().flat_map(|order| equalities.implied(order)));
        Ok(order)
    }

    /// Filters an input by the tests for membership in uncorrelated subqueries that are about that input only; true if
    /// there was one.
    fn push_membership_tests(&mut self, sizes: &mut [Size]) -> Result<bool> {
        let (mut kept, mut is_moved) = (Vec::new(), false);
        for condition in std::mem::take(&mut self.conditions) {
            let is_test = matches!(&condition, Expr::InSubquery(test)
                if !test.negated && test.subquery.outer_ref_columns.is_empty());
            match self.inputs_of(&condition).filter(|_| is_test).as_deref() {
                Some([input]) => {
                    let below = Arc::new(self.inputs[*input].clone());
                    self.inputs[*input] = LogicalPlan::Filter(Filter::try_new(condition, below)?);
                    sizes[*input].rows *= MEMBER_SHARE;
                    is_moved = true;
                }
                _ => kept.push(condition),
            }
        }
        self.conditions = kept;
        Ok(is_moved)
    }

    /// The equalities of columns of two inputs.
    fn equalities(&self) -> Equalities {
        let mut equalities = Equalities::default();
        for (left, right, is_plain) in self.conditions.iter().filter_map(equalities::equal_columns) {
            if let (Some(a), Some(b)) = (self.input_with(left), self.input_with(right))
                && a != b
            {
                let (of_left, of_right) = (self.inputs[a].schema(), self.inputs[b].schema());
                let is_transitive = is_plain && equalities::are_alike((of_left, left), (of_right, right));
                equalities.add((a, left.clone()), (b, right.clone()), is_transitive);
            }
        }
        equalities
    }

    /// Reduces the rows of the inputs to the shares that conditions leave.
    fn apply_shares(&self, sizes: &mut [Size], tables: &Tables) {
        for condition in &self.conditions {
            let inputs = self.inputs_of(condition).unwrap_or_default();
            for &input in &inputs {
                let is_about_it = |part: &Expr| self.inputs_of(part).as_deref() == Some(&[input]);
                sizes[input].rows *= match inputs.len() {
                    1 => estimate::share_of_input(condition, &self.inputs[input], tables),
                    _ => estimate::share_of_branches(condition, &is_about_it),
                };
            }
        }
    }

    /// The inputs that a condition is about; `None` if a column of it has none.
    fn inputs_of(&self, condition: &Expr) -> Option<Vec<usize>> {
        let columns = condition.column_refs();
        let inputs: Option<Vec<usize>> = columns.into_iter().map(|column| self.input_with(column)).collect();
        let mut inputs = inputs?;
        inputs.sort_unstable();
        inputs.dedup();
        Some(inputs)
    }

    fn input_with(&self, column: &Column) -> Option<usize> {
        self.inputs.iter().position(|input| input.schema().has_column(column))
    }

    fn rebuilt(self, order: &[usize]) -> Result<LogicalPlan> {
        let mut inputs = order.iter().map(|&input| self.inputs[input].clone());
        let first = inputs.next().map_or_else(|| LogicalPlanBuilder::empty(true), LogicalPlanBuilder::from);
        let mut plan = inputs.try_fold(first, LogicalPlanBuilder::cross_join)?.build()?;
        if let Some(predicate) = conjunction(self.conditions) {
            plan = LogicalPlan::Filter(Filter::try_new(predicate, Arc::new(plan))?);
        }
        let columns = self.schema.iter().map(Expr::from).collect();
        Ok(LogicalPlan::Projection(Projection::try_new(columns, Arc::new(plan))?))
    }
}

/// Returns true for a join whose sides can be joined in any order.
fn is_inner(join: &Join) -> Result<bool> {
    let is_plain = join.join_type == JoinType::Inner
        && join.join_constraint == JoinConstraint::On
        && join.null_equality == NullEquality::NullEqualsNothing;
    Ok(is_plain && !references::is_lateral(join)?)
}

#[cfg(test)]
mod tests;
