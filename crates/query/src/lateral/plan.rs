//! From the nodes to operators.

use super::constant::{ConstantRows, ConstantRowsExec};
use super::run::LateralExec;
use super::{Lateral, replaced};
use crate::recursion::{Recursion, RecursionExec};
use crate::rows_text::{RowsText, RowsTextExec};
use crate::rowset::{Rowset, RowsetExec};
use crate::work_table::{WorkRows, WorkRowsExec};
use datafusion::common::{Result, internal_err};
use datafusion::execution::SessionState;
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::{Expr, LogicalPlan, UserDefinedLogicalNode};
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
        if let Some(rowset) = node.as_any().downcast_ref::<Rowset>() {
            return Ok(Some(RowsetExec::planned(rowset, planning)?));
        }
        if let Some(recursion) = node.as_any().downcast_ref::<Recursion>() {
            return Ok(Some(RecursionExec::planned(recursion, inputs)?));
        }
        if let Some(rows) = node.as_any().downcast_ref::<WorkRows>() {
            return Ok(Some(WorkRowsExec::planned(rows)?));
        }
        if let Some(text) = node.as_any().downcast_ref::<RowsText>() {
            return Ok(Some(RowsTextExec::planned(text, inputs)?));
        }
        if let Some(rows) = node.as_any().downcast_ref::<ConstantRows>() {
            return Ok(Some(ConstantRowsExec::planned(rows)));
        }
        let Some(lateral) = node.as_any().downcast_ref::<Lateral>() else { return Ok(None) };
        let Some(input) = inputs.first() else { return internal_err!("a lateral node without an input") };
        let state = planning.session;
        let inner = optimized(state, lateral.with_placeholders()?)?;
        // The short list of rules leaves the branches of a union apart, each of which would be grouped by itself.
        let is_plain = crate::optimize::is_plain(&inner) && !has_union(&inner);
        let plain = is_plain.then(|| Arc::clone(&self.plain));
        Ok(Some(Arc::new(LateralExec::new(lateral, inner, Arc::clone(input), Arc::new(state.clone()), plain)?)))
    }
}

fn has_union(plan: &LogicalPlan) -> bool {
    crate::contains::any_node(plan, |node| matches!(node, LogicalPlan::Union(_)))
}

/// What the placeholder for a key is called; DataFusion's name of it has a dollar before.
pub(super) fn placeholder(place: usize) -> String {
    format!("k{place}")
}

impl Lateral {
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

/// Whether the rules have left a subquery over: one with outer references, or one whose references went with a condition
/// that is never true.
fn is_left_over(plan: &LogicalPlan) -> bool {
    let is_side = |node: &LogicalPlan| matches!(node, LogicalPlan::Subquery(_));
    super::rewrite::has_outer_references(plan) || crate::contains::any_node(plan, is_side)
}
