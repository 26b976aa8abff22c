//! Informix SQL for the planner: functions and aggregates over DECIMALs whose point floats.
//!
//! ```text
//!   "informix:multiply"("amount", X'C102')     the reduced form of a statement (`mainstay_informix_syntax::reduce`)
//!        function: a row at a time, over the bytes that columns store
//!   "informix:sum"("amount")
//!        aggregate: sums and averages of 32 digits
//! ```
//!
//! The functions are defined over values of any type of number. Their results carry the declared type in the metadata of
//! their fields, so that views, temporary tables and answers know it. Nothing is lowered: the core has no operator that
//! could stand for them. All else of the dialect is the core's own.

mod aggregate;
mod function;

use datafusion::common::Result;
use datafusion::logical_expr::{AggregateUDF, LogicalPlan, ScalarUDF};
use mainstay_planner::dialect::{Dialect, SessionFunctions, Stage};
use std::sync::Arc;

/// The prefix of the names of functions and declared types.
const PREFIX: &str = "informix:";

/// Registers the dialect with the planner, for the whole process.
pub fn register() {
    mainstay_planner::dialect::register(&InformixSql);
}

#[derive(Debug)]
struct InformixSql;

impl Dialect for InformixSql {
    fn prefix(&self) -> &'static str {
        PREFIX
    }

    fn stage(&self) -> Stage {
        Stage::Types
    }

    fn function(&self, name: &str, _: SessionFunctions<'_>) -> Option<Arc<ScalarUDF>> {
        function::function(name)
    }

    fn aggregate(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        aggregate::function(name)
    }

    fn lower(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        Ok(plan)
    }
}
