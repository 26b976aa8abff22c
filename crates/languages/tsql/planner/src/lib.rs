//! Semantics of T-SQL for the planner: functions whose names begin with `mssql:`, and the rule that replaces them by
//! plain expressions.
//!
//! ```text
//!   "mssql:add"(qty, "mssql:int"(1))                   the reduced form of T-SQL's queries
//!      |  the planner asks each function for its type: types::declared_type
//!      v
//!   checked_add(qty, 1)          typed "int"           where the core has an equivalent operator: lower
//!   "mssql:add"(name, 'x')       typed "varchar(21)"   otherwise the function itself runs, row by row: function
//! ```
//!
//! The type of a value is one of SQL Server's, in the metadata of the column's field
//! ([`DECLARED`](mainstay_planner::dialect::DECLARED)): plans pass it on through views, joins and subqueries. If a field
//! has none (columns of files), it follows from the field's own type.

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
mod rows_text;
mod rowset;
mod settings;
mod sources;
mod typed;
mod types;
mod union;
mod user;
mod variant;

pub use mainstay_planner::tools::declared_collation as collation_of;
pub use types::{declared_type as type_of_field, field as field_of, sql_type as sql_type_of};

use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::{AggregateUDF, Expr, LogicalPlan, ScalarUDF, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::Planning;
use datafusion::sql::sqlparser::ast::FunctionArg;
use mainstay_planner::dialect::{Comparison, DeclaredType, Dialect, SessionFunctions, Stage};
use mainstay_planner::tools::{any_expression, any_node, is_limited_recursion};
use mainstay_tsql_types::DataType;
use std::sync::Arc;

/// The prefix of the names of functions and types.
const PREFIX: &str = "mssql:";

/// Registers the dialect with the planner, for the whole process.
pub fn register() {
    mainstay_planner::dialect::register(&TransactSql);
}

#[derive(Debug)]
struct TransactSql;

impl Dialect for TransactSql {
    fn prefix(&self) -> &'static str {
        PREFIX
    }

    fn stage(&self) -> Stage {
        Stage::Types
    }

    fn function(&self, name: &str, functions: SessionFunctions<'_>) -> Option<Arc<ScalarUDF>> {
        match user::is_name(name) {
            true => user::function(name, functions),
            false => function::function(name),
        }
    }

    fn aggregate(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        aggregate::function(name)
    }

    fn source(
        &self,
        name: &str,
        arguments: &[FunctionArg],
        context: &mut dyn RelationPlannerContext,
    ) -> Result<Option<LogicalPlan>> {
        sources::plan(name, arguments, context)
    }

    fn operator(
        &self,
        node: &dyn UserDefinedLogicalNode,
        inputs: &[Arc<dyn ExecutionPlan>],
        planning: &Planning<'_>,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        sources::operator(node, inputs, planning)
    }

    fn declared_type(&self, name: &str) -> Option<DeclaredType> {
        let data_type = mainstay_tsql_types::operation::data_type(name)?;
        Some(DeclaredType { sql_type: sql_type_of(data_type), name: data_type.to_string() })
    }

    fn owns(&self, plan: &LogicalPlan) -> bool {
        any_node(plan, |node| {
            is_limited_recursion(node) || union::has_types_to_meet(node) || any_expression(node, lower::is_function)
        })
    }

    fn owns_expression(&self, expr: &Expr) -> bool {
        lower::has_function(expr)
    }

    fn lower(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        let is_owned = self.owns(&plan);
        lower::in_plan(plan, is_owned)
    }

    fn lower_expression(&self, expr: Expr, schema: &DFSchema) -> Result<Expr> {
        lower::in_expression(expr, schema)
    }

    fn compares(&self, declared: &str) -> Option<Comparison> {
        match mainstay_tsql_types::operation::data_type(declared)? {
            DataType::SqlVariant => Some(Comparison::OwnKey),
            DataType::VarBinary(_) => Some(Comparison::Padded),
            _ => None,
        }
    }

    fn key(&self, expr: Expr) -> Result<Expr> {
        variant::key(expr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_planner::effects_of;

    #[test]
    fn stored_expressions_tell_what_they_do_by_their_functions() {
        register();
        // NEWID and CRYPT_GEN_RANDOM give another value for every row, GETDATE and RAND one for a statement.
        assert!(effects_of("(\"mssql:newid\"())").is_of_each_row);
        assert!(effects_of("\"mssql:cast:varchar(36)\"(\"mssql:newid:sequential\"())").is_of_each_row);
        assert!(effects_of("\"mssql:crypt_gen_random\"(\"mssql:int\"(4))").is_of_each_row);
        assert!(!effects_of("(\"mssql:int\"(0))").is_of_each_row);
        assert!(!effects_of("\"mssql:varchar(20)\"('\"mssql:newid\"()')").is_of_each_row);
        let check = effects_of("\"mssql:less\"(\"mssql:stored:decimal(10,2):shop.dbo.f\"(\"a\"), \"mssql:int\"(1))");
        assert!(check.calls_user_functions && check.is_of_each_row && !check.uses_sequences);
    }

    #[test]
    fn binary_types_say_how_they_compare() {
        assert_eq!(TransactSql.compares("sql_variant"), Some(Comparison::OwnKey));
        assert_eq!(TransactSql.compares("varbinary(10)"), Some(Comparison::Padded));
        // All values of BINARY have the same length.
        assert_eq!(TransactSql.compares("binary(3)"), None);
        assert_eq!(TransactSql.compares("informix:byte"), None);
    }

    #[test]
    fn columns_are_declared_with_types_of_sql_server() {
        let declared = TransactSql.declared_type("datetimeoffset(3)");
        assert_eq!(declared.map(|declared| declared.name), Some("datetimeoffset(3)".to_owned()));
        assert_eq!(TransactSql.declared_type("no such type"), None);
    }
}
