//! User-defined functions in queries: the session that runs the query evaluates them, a row at a time.
//!
//! A dialect reduces a call to `"user:NAME"(...)`, or to a function of its own that treats the values as its types
//! need ([`DialectFunction`] with `is_user_defined`). Expressions of tables are compiled once for all sessions: the
//! functions that they call are those in force on the thread that writes ([`FunctionsInForce`]).

use super::function::{DialectFunction, Properties, properties_of, row_by_row, scalar_function};
use crate::carried_error::to_datafusion;
use crate::catalog::UserFunctions;
use datafusion::arrow::datatypes::FieldRef;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF};
use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;

/// The prefix of the core's name for a user-defined function.
pub(crate) const USER_PREFIX: &str = "user:";

/// A function of the session that planned the call.
#[derive(Debug)]
struct UserFunction {
    /// The name with the prefix.
    name: String,
    field: FieldRef,
    functions: Arc<dyn UserFunctions>,
}

impl UserFunction {
    /// The name that the session knows the function by.
    fn function(&self) -> &str {
        self.name.strip_prefix(USER_PREFIX).unwrap_or(&self.name)
    }
}

/// The function that a name with the prefix is, if the session has it.
pub(crate) fn user_function(
    name: &str,
    functions: impl FnOnce() -> Option<Arc<dyn UserFunctions>>,
) -> Option<Arc<ScalarUDF>> {
    let function = name.strip_prefix(USER_PREFIX)?;
    let functions = functions()?;
    let field = Arc::new(functions.result(function)?.with_name(name));
    Some(scalar_function(UserFunction { name: name.to_owned(), field, functions }))
}

impl DialectFunction for UserFunction {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_volatile(&self) -> bool {
        true
    }

    fn is_same(&self, other: &dyn DialectFunction) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<UserFunction>().is_some_and(|other| Arc::ptr_eq(&self.functions, &other.functions))
    }

    fn field(&self, _: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<FieldRef> {
        Ok(Arc::clone(&self.field))
    }

    fn evaluate(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        row_by_row(&arguments, (self.function(), true), self.field.data_type(), &mut |values| {
            self.functions.call(self.function(), values).map_err(to_datafusion)
        })
    }

    fn properties(&self) -> Properties {
        Properties { is_user_defined: true, ..Properties::default() }
    }
}

/// Returns true if a plan calls user-defined functions: it belongs to the session that asked for it.
pub(crate) fn calls_user_functions(plan: &LogicalPlan) -> bool {
    crate::tree::search::any_expression_of_plan(plan, |expr| match expr {
        Expr::ScalarFunction(call) => properties_of(&call.func).is_user_defined,
        _ => false,
    })
}

thread_local! {
    static IN_FORCE: RefCell<Vec<Arc<dyn UserFunctions>>> = const { RefCell::new(Vec::new()) };
}

/// While this exists, the expressions of tables (CHECK, DEFAULT, computed columns) call these functions on this thread.
///
/// Such an expression is compiled once for all sessions, and evaluated by the thread of the session that writes.
#[derive(Debug)]
pub struct FunctionsInForce(PhantomData<*const ()>);

impl FunctionsInForce {
    /// Puts functions in force; dropping the guard restores those before.
    pub fn new(functions: Arc<dyn UserFunctions>) -> FunctionsInForce {
        IN_FORCE.with_borrow_mut(|all| all.push(functions));
        FunctionsInForce(PhantomData)
    }
}

impl Drop for FunctionsInForce {
    fn drop(&mut self) {
        IN_FORCE.with_borrow_mut(Vec::pop);
    }
}

/// The functions in force on this thread.
pub fn functions_in_force() -> Option<Arc<dyn UserFunctions>> {
    IN_FORCE.with_borrow(|all| all.last().cloned())
}
