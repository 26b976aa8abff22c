//! Functions in FROM: `generate_series` ([`series`](crate::functions::series)), and those of the dialects.
//!
//! ```text
//!   generate_series(1, 10)          the core's
//!   "DIALECT:name"(a, b)            a plan that the dialect makes ([`Dialect::source`](crate::dialect::Dialect))
//! ```

use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::planner::{PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning};
use datafusion::sql::sqlparser::ast::TableFactor;

/// Plans these functions where they stand in FROM.
#[derive(Debug)]
pub(crate) struct SourcePlanner;

impl RelationPlanner for SourcePlanner {
    fn plan_relation(
        &self,
        relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        // Each source of a query comes by here, common table expressions too.
        crate::planning_cancellation::check()?;
        let TableFactor::Table { name, alias, args: Some(args), .. } = &relation else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        let called = name.to_string();
        let called = called.trim_matches('"');
        let planned =
            |plan: LogicalPlan| RelationPlanning::Planned(Box::new(PlannedRelation::new(plan, alias.clone())));
        if called == crate::functions::series::NAME {
            return Ok(planned(crate::functions::series::plan(&args.args, alias.as_ref(), context)?));
        }
        if let Some((dialect, function)) = crate::dialect::with_prefix(called)
            && let Some(plan) = dialect.source(function, &args.args, context)?
        {
            return Ok(planned(plan));
        }
        Ok(RelationPlanning::Original(Box::new(relation)))
    }
}
