//! Semantics of T-SQL: functions whose names begin with `mssql:`, and the rule that replaces them by plain expressions.
//!
//! ```text
//!   "mssql:add"(qty, "mssql:int"(1))                   the reduced form of T-SQL's queries
//!      |  the planner asks each function for its type: types::declared_type
//!      v
//!   checked_add(qty, 1)          typed "int"           where the core has an equivalent operator: lower
//!   "mssql:add"(name, 'x')       typed "varchar(21)"   otherwise the function itself runs, row by row: function
//! ```
//!
//! The type of a value is one of SQL Server's, in the metadata of the column's field (`types::DECLARED`): plans pass it
//! on through views, joins and subqueries. If a field has none (columns of files), it follows from the field's own
//! type.

mod aggregate;
mod choose;
mod collations;
mod function;
mod guid;
mod listed;
mod lower;
mod moment_types;
mod padded;
mod percentile;
mod settings;
mod types;
mod union;
mod user;
mod variant;

use crate::plan::search::{any_expression, any_node};
use datafusion::logical_expr::LogicalPlan;

pub(crate) use aggregate::{function as aggregate_function, variant_key};
pub(crate) use function::{failed, function, gives_offset, row_function};
pub(crate) use lower::{collate_of, has_function, in_expression, in_plan};
pub(crate) use padded::{has_padded_key, holds_padded, is_any_length, is_padded, padded_key, padded_of};
pub(crate) use types::{DECLARED, custom_type, declared_type_of as declared_type, field as field_of};
pub use types::{collation_of, declared_type as type_of_field, sql_type as sql_type_of};
pub use user::{FunctionsInForce, calls_functions};
pub(crate) use user::{STORED, calls_user_functions, stored_function, user_function};
pub(crate) use variant::{holds_variants, is_variant, makes_variant};

/// The prefix of these functions' names.
pub(crate) const PREFIX: &str = "mssql:";

/// Returns true if a statement is one of T-SQL, which has types and comparisons of its own.
pub(crate) fn is_transact(plan: &LogicalPlan) -> bool {
    any_node(plan, |node| {
        crate::execute::recursion::is_limited(node)
            || union::has_types_to_meet(node)
            || any_expression(node, lower::is_function)
    })
}
