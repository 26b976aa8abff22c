//! The seam between the planner and the dialects: functions, types and rules of a language, behind one trait.
//!
//! The reduced form of a dialect's statement is the core's SQL with functions and types of the dialect in it, whose
//! names begin with the dialect's prefix:
//!
//! ```text
//!   "PREFIX:add"(qty, price)          name --prefix--> Dialect      registry: one comparison of prefixes
//!        plan::context asks             Dialect::function           functions, aggregates, functions in FROM
//!        types::sql_types asks          Dialect::declared_type      types of columns
//!        passes run                     Dialect::lower              the dialect's functions become the core's operators
//!        analyze::compared_by asks      Dialect::compares           values that compare by a key
//!        passes and executors ask       DialectFunction             properties of a call that is left over
//! ```
//!
//! A dialect is registered for the whole process ([`register`]): stored expressions and views contain its functions, so
//! that sessions of every language need it. Runtimes register their own dialect, products all that they contain.
//! The core names no dialect, and never searches a text for one.
//!
//! Limits: a statement has functions of one dialect with a type system of its own ([`Dialect::owns`]) at most.

mod comparison;
mod effects;
mod function;
mod lowering;
mod registry;
mod user;

pub use crate::tree::nodes::{PlanTree, Tree};
pub use effects::{Effects, effects_of};
pub use function::{DialectFunction, Properties, downcast, row_by_row, scalar_function};
pub use registry::register;
pub use user::{FunctionsInForce, functions_in_force};

pub(crate) use comparison::{
    OwnKey, declared_collation, gives_own_keys, own_key, own_key_of_field, padded, padded_field,
};
pub(crate) use function::{properties_of, row_function};
pub(crate) use lowering::{lower, lower_expression, operator, owns_expression, owns_plan};
pub(crate) use registry::{declared, declared_type, with_prefix};
pub(crate) use user::{USER_PREFIX, calls_user_functions, user_function};

pub use crate::fields::DECLARED;

use crate::catalog::UserFunctions;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::planner::RelationPlannerContext;
use datafusion::logical_expr::{AggregateUDF, Expr, LogicalPlan, ScalarUDF, UserDefinedLogicalNode};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::Planning;
use datafusion::sql::sqlparser::ast::FunctionArg;
use mainstay_types::SqlType;
use std::fmt::Debug;
use std::sync::Arc;

/// The beginning of the name of a declared type that decides the field of a file which a column becomes
/// ([`DeclaredType::name`]); the storage's name for the type of the field follows. Columns of other tables have the core's type.
pub const FIELD_TYPE: &str = "field:";

/// The user-defined functions of the session whose statement is planned.
pub type SessionFunctions<'a> = &'a dyn Fn() -> Option<Arc<dyn UserFunctions>>;

/// The place of a dialect's lowering among the passes of the analyzer (`passes::PASSES`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Lowering gives columns other types, so it runs before the passes that replace references to fields.
    Types,
    /// Lowering replaces operators by those of the core, over fields whose blank values are replaced already.
    Operators,
}

/// A type that a column is declared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredType {
    /// The core's type of the column.
    pub sql_type: SqlType,
    /// The name for the metadata of the column's field ([`DECLARED`]).
    pub name: String,
}

/// The comparison of values of a declared type whose vectors are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// By the keys that the dialect makes of them ([`Dialect::key`]).
    OwnKey,
    /// As if the shorter one had zeros at its end (`types::padded_bytes`).
    Padded,
}

/// A language whose reduced statements the planner plans.
///
/// Names are given without the prefix, in lower case.
pub trait Dialect: Debug + Send + Sync {
    /// The beginning of the names of the dialect's functions and types, with the colon at its end.
    fn prefix(&self) -> &'static str;

    /// The place of [`Dialect::lower`] among the analyzer's passes.
    fn stage(&self) -> Stage;

    /// The scalar function of a name; `functions` gives the session's user-defined ones. The function is a
    /// [`DialectFunction`].
    fn function(&self, name: &str, functions: SessionFunctions<'_>) -> Option<Arc<ScalarUDF>>;

    /// The aggregate of a name. It exists for planning, and lowering replaces it.
    fn aggregate(&self, _name: &str) -> Option<Arc<AggregateUDF>> {
        None
    }

    /// The plan of a function in FROM; `None` if the dialect has no such function.
    ///
    /// Errors: arguments that the function does not take.
    fn source(
        &self,
        _name: &str,
        _arguments: &[FunctionArg],
        _context: &mut dyn RelationPlannerContext,
    ) -> Result<Option<LogicalPlan>> {
        Ok(None)
    }

    /// The operator of a node that [`Dialect::source`] made; `None` for other nodes.
    ///
    /// Errors: those of planning the node's expressions.
    fn operator(
        &self,
        _node: &dyn UserDefinedLogicalNode,
        _inputs: &[Arc<dyn ExecutionPlan>],
        _planning: &Planning<'_>,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        Ok(None)
    }

    /// The type of a name in CREATE TABLE.
    fn declared_type(&self, _name: &str) -> Option<DeclaredType> {
        None
    }

    /// Returns true if the dialect's rules for types and blanks apply to a plan in place of the core's.
    fn owns(&self, _plan: &LogicalPlan) -> bool {
        false
    }

    /// Returns true if these rules apply to an expression.
    fn owns_expression(&self, _expr: &Expr) -> bool {
        false
    }

    /// The plan without the dialect's functions that the core has an equivalent operator for. It has the same columns.
    /// Recursive parts of an owned plan are described by [`described_recursion`](crate::tools::described_recursion).
    ///
    /// Errors: in the numbers and words of the dialect.
    fn lower(&self, plan: LogicalPlan) -> Result<LogicalPlan>;

    /// The same for an expression over rows of a table: a CHECK, a DEFAULT, a computed column.
    ///
    /// Errors: as [`Dialect::lower`].
    fn lower_expression(&self, expr: Expr, _schema: &DFSchema) -> Result<Expr> {
        Ok(expr)
    }

    /// The comparison of values of a declared type ([`DECLARED`]); `None` where bytes compare as they are.
    fn compares(&self, _declared: &str) -> Option<Comparison> {
        None
    }

    /// The key that such values compare by ([`Comparison::OwnKey`]).
    ///
    /// Errors: a value that has no key.
    fn key(&self, expr: Expr) -> Result<Expr> {
        Ok(expr)
    }

    /// The name of a function in key expressions of indexes, if the function has the same meaning there.
    fn key_function<'n>(&self, _name: &'n str) -> Option<&'n str> {
        None
    }
}
