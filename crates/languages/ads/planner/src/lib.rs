//! Semantics of Advantage SQL for the planner: functions whose names begin with `ads:`, and the rule that replaces them
//! by plain expressions.
//!
//! ```text
//!   "ads:less"(born, '1992-02-22')       the reduced form of the dialect's queries (`mainstay_ads_syntax::reduce`)
//!      |  the planner asks each function for its type, which follows from the fields of its arguments
//!      v
//!   born < DATE '1992-02-22'             where the core has an equivalent operator: lower
//!   "ads:soundex"(name)                  otherwise the function itself runs, row by row: function
//! ```
//!
//! The type of a value is that of its field. The metadata of a field marks a CHAR column, and functions see its values
//! padded with the blanks of the record (`name + city`, `CHAR_LENGTH`).

mod function;
mod lower;

pub use function::sql_type;

use datafusion::common::Result;
use datafusion::logical_expr::{LogicalPlan, ScalarUDF};
use mainstay_planner::dialect::{DeclaredType, Dialect, FIELD_TYPE, SessionFunctions, Stage};
use std::sync::Arc;

/// The prefix of the names of functions and types.
const PREFIX: &str = "ads:";

/// Registers the dialect with the planner, for the whole process.
pub fn register() {
    mainstay_planner::dialect::register(&AdvantageSql);
}

#[derive(Debug)]
struct AdvantageSql;

impl Dialect for AdvantageSql {
    fn prefix(&self) -> &'static str {
        PREFIX
    }

    fn stage(&self) -> Stage {
        Stage::Operators
    }

    fn function(&self, name: &str, _: SessionFunctions<'_>) -> Option<Arc<ScalarUDF>> {
        function::function(name)
    }

    /// The types are those of fields of files, which are more than the core's types.
    fn declared_type(&self, name: &str) -> Option<DeclaredType> {
        let sql_type = mainstay_ads_types::convert::named_type(name)?;
        Some(DeclaredType { sql_type, name: format!("{FIELD_TYPE}{name}") })
    }

    fn lower(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        lower::in_plan(plan)
    }

    fn key_function<'n>(&self, name: &'n str) -> Option<&'n str> {
        Some(name)
    }
}
