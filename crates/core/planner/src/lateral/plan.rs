//! Physical planning of the nodes.

use super::constant::{ConstantRows, ConstantRowsExec};
use super::keys::{KeyRows, KeyRowsExec, are_looked_up};
use super::rewrite::columns_of;
use super::run::LateralExec;
use super::sets::Spread;
use super::{Kind, Lateral, replaced};
use crate::execute::recursion::{Recursion, RecursionExec};
use crate::execute::shared_rows::{SharedRows, SharedRowsExec};
use crate::execute::work_table::{WorkRows, WorkRowsExec};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::SessionState;
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{NodePlanner, Planning};
use std::sync::Arc;

/// Plans our own nodes.
#[derive(Debug)]
pub(crate) struct LateralPlanner {
    /// The rules for plain statements, which most inner plans are.
    pub(crate) plain: Arc<SessionState>,
}

impl NodePlanner for LateralPlanner {
    fn plan(
        &self,
        node: &dyn UserDefinedLogicalNode,
        inputs: &[Arc<dyn ExecutionPlan>],
        planning: &Planning<'_>,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        if let Some(recursion) = node.as_any().downcast_ref::<Recursion>() {
            return Ok(Some(RecursionExec::planned(recursion, inputs)?));
        }
        if let Some(rows) = node.as_any().downcast_ref::<WorkRows>() {
            return Ok(Some(WorkRowsExec::planned(rows)?));
        }
        if let Some(rows) = node.as_any().downcast_ref::<ConstantRows>() {
            return Ok(Some(ConstantRowsExec::planned(rows)));
        }
        if let Some(shared) = node.as_any().downcast_ref::<SharedRows>() {
            return SharedRowsExec::planned(shared, inputs).map(Some);
        }
        if let Some(keys) = node.as_any().downcast_ref::<KeyRows>() {
            return Ok(Some(KeyRowsExec::planned(keys)?));
        }
        let Some(lateral) = node.as_any().downcast_ref::<Lateral>() else {
            return crate::dialect::operator(node, inputs, planning);
        };
        let Some(input) = inputs.first() else { return internal_err!("a lateral node without an input") };
        let state = planning.session;
        let inner = optimized(state, lateral.with_placeholders()?)?;
        // The short list of rules leaves the branches of a union apart, each of which would be grouped by itself.
        let is_plain = crate::tree::search::is_plain(&inner) && !has_union(&inner);
        let plain = is_plain.then(|| Arc::clone(&self.plain));
        let inner = Inner { rows: inner, plain, set: lateral.for_sets(state) };
        Ok(Some(Arc::new(LateralExec::new(lateral, inner, Arc::clone(input), Arc::new(state.clone()))?)))
    }
}

fn has_union(plan: &LogicalPlan) -> bool {
    crate::tree::search::any_node(plan, |node| matches!(node, LogicalPlan::Union(_)))
}

/// The name of the placeholder for a key; DataFusion's name of it begins with a dollar sign.
pub(super) fn placeholder(place: usize) -> String {
    format!("k{place}")
}

/// The inner plan in the forms that it runs in.
pub(super) struct Inner {
    /// Optimized, with placeholders for the values of one key.
    pub(super) rows: LogicalPlan,
    /// The rules for plain plans, if that one is.
    pub(super) plain: Option<Arc<SessionState>>,
    /// For a set of keys at once, if the keys are looked up in it.
    pub(super) set: Option<SetPlan>,
}

/// An inner plan for a set of keys: optimized. The number of the key is its last column.
pub(super) struct SetPlan {
    pub(super) plan: LogicalPlan,
    /// How many rows its largest table has.
    pub(super) table_rows: usize,
}

impl Lateral {
    /// The inner plan for a set of keys. One that cannot be made is no error: the plan for a single key answers as well.
    fn for_sets(&self, state: &SessionState) -> Option<SetPlan> {
        if self.keys.is_empty() { None } else { self.spread(state).ok().flatten() }
    }

    fn spread(&self, state: &SessionState) -> Result<Option<SetPlan>> {
        let bound = |reference: &Expr| {
            let place = self.free.iter().position(|free| free == reference)?;
            self.bound.get(place).cloned()
        };
        let inner = replaced(self.inner().clone(), &bound)?;
        let columns = columns_of(inner.schema());
        let Some(set) = Spread::over(inner, &self.keys, self.input.schema())? else { return Ok(None) };
        let id = Expr::Column(set.id);
        let builder = LogicalPlanBuilder::from(set.plan);
        let plan = match self.kind {
            Kind::Exists => builder.project([id])?.distinct()?,
            Kind::In => builder.project(columns.into_iter().take(1).chain([id]))?.distinct()?,
            _ => builder.project(columns.into_iter().chain([id]))?,
        };
        let plan = optimized(state, plan.build()?)?;
        if !are_looked_up(&plan) {
            return Ok(None);
        }
        let mut table_rows = 0;
        super::each_node(&plan, &mut |node| {
            if let LogicalPlan::TableScan(scan) = node {
                table_rows = table_rows.max(crate::leaves::relation::estimated_rows(&scan.source));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(Some(SetPlan { plan, table_rows }))
    }

    /// The inner plan with the values of free references, and placeholders for the columns of the row.
    fn with_placeholders(&self) -> Result<LogicalPlan> {
        let instead = |reference: &Expr| {
            if let Some(place) = self.free.iter().position(|free| free == reference) {
                return self.bound.get(place).cloned();
            }
            let Expr::OuterReferenceColumn(field, column) = reference else { return None };
            let place = self.keys.iter().position(|key| key == column)?;
            let field = Some(Arc::new(field.as_ref().clone().with_nullable(true)));
            Some(Expr::Placeholder(Placeholder::new_with_field(format!("${}", placeholder(place)), field)))
        };
        replaced(self.inner().clone(), &instead)
    }
}

/// A plan that is analyzed, optimized; with every correlated subquery evaluated row by row where DataFusion's rules
/// leave one over or fail.
pub(crate) fn optimized(state: &SessionState, plan: LogicalPlan) -> Result<LogicalPlan> {
    let optimizer = state.optimizer();
    let first = optimizer.optimize(plan.clone(), state, |_, _| {});
    let has_subqueries = super::rewrite::has_subqueries(&plan);
    match first {
        Ok(done) if !has_subqueries || !is_left_over(&done) => Ok(done),
        Err(error) if !has_subqueries => Err(error),
        _ => {
            let all = super::Rewrite { all: true }.of(plan)?;
            optimizer.optimize(all, state, |_, _| {})
        }
    }
}

/// True if the rules have left a subquery over: one with outer references, or a test or a side of a join whose references
/// went with a condition that is never true. A subquery for one value of all rows is evaluated as it is.
fn is_left_over(plan: &LogicalPlan) -> bool {
    super::rewrite::has_outer_references(plan) || crate::tree::search::any_node(plan, has_left_over)
}

fn has_left_over(node: &LogicalPlan) -> bool {
    let is_left = |expr: &Expr| match expr {
        Expr::Exists(_) | Expr::InSubquery(_) | Expr::SetComparison(_) => true,
        // Of one whose references went with a folded condition the list of them is still there.
        Expr::ScalarSubquery(subquery) => !subquery.outer_ref_columns.is_empty(),
        _ => false,
    };
    let is_side = node.inputs().into_iter().any(|input| matches!(input, LogicalPlan::Subquery(_)));
    is_side || crate::tree::search::any_expression(node, is_left)
}
