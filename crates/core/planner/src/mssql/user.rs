//! User-defined functions in queries: the session that runs the query evaluates them row by row.

use super::{PREFIX, types};
use crate::UserFunctions;
use datafusion::arrow::datatypes::{DataType as ArrowType, FieldRef};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use mainstay_columnar::values::{array_of, data_type_of, value_at};
use mainstay_tsql_types::DataType;
use mainstay_types::{Code, Error, Value, ValueRef};
use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::Arc;

/// A function of the database.
#[derive(Debug)]
struct User {
    /// As the planner knows it.
    name: String,
    /// As the session knows it.
    function: String,
    result: DataType,
    /// Of the session that planned the call; nothing where it belongs to a table, whose functions are those of the session
    /// that writes.
    functions: Option<Arc<dyn UserFunctions>>,
    signature: Signature,
}

/// The function of this name.
pub(crate) fn user_function(name: &str, functions: Arc<dyn UserFunctions>) -> Option<Arc<ScalarUDF>> {
    let result = mainstay_tsql_types::operation::data_type(&functions.result(name)?)?;
    let signature = Signature::user_defined(Volatility::Volatile);
    let (called, functions) = (format!("{PREFIX}user:{name}"), Some(functions));
    Some(Arc::new(ScalarUDF::from(User { name: called, function: name.to_owned(), result, functions, signature })))
}

/// The prefix of functions that expressions of a table call; the type and the function's name follow.
pub(crate) const STORED: &str = "stored:";

/// Returns true if the text of an expression of a table calls functions of the database.
pub fn calls_functions(text: &str) -> bool {
    text.contains(&format!("\"{PREFIX}{STORED}"))
}

/// The function that an expression of a table calls: `int:dbo.f`. In a query it is the session's.
pub(crate) fn stored_function(name: &str, functions: Option<Arc<dyn UserFunctions>>) -> Option<Arc<ScalarUDF>> {
    let (result, function) = name.split_once(':')?;
    let result = mainstay_tsql_types::operation::data_type(result)?;
    let signature = Signature::user_defined(Volatility::Volatile);
    let (called, function) = (format!("{PREFIX}{STORED}{name}"), function.to_owned());
    Some(Arc::new(ScalarUDF::from(User { name: called, function, result, functions, signature })))
}

thread_local! {
    static IN_FORCE: RefCell<Vec<Arc<dyn UserFunctions>>> = const { RefCell::new(Vec::new()) };
}

/// While this is there, the expressions of tables (CHECK, DEFAULT, computed columns) call these functions in this thread.
///
/// Such an expression is compiled once for all sessions, and evaluated by the thread of the session that writes.
#[derive(Debug)]
pub struct FunctionsInForce(PhantomData<*const ()>);

impl FunctionsInForce {
    /// Puts functions in force; those before come back when this is dropped.
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

fn in_force(function: &str) -> mainstay_types::Result<Arc<dyn UserFunctions>> {
    let last = IN_FORCE.with_borrow(|all| all.last().cloned());
    last.ok_or_else(|| {
        let message = format!("the function {function} of a table runs in sessions of T-SQL only");
        Error::new(Code::Unsupported, message)
    })
}

/// Returns true if a plan calls functions of the database: it belongs to the session that asked for it.
pub(crate) fn calls_user_functions(plan: &LogicalPlan) -> bool {
    crate::plan::search::any_expression_of_plan(
        plan,
        |expr| matches!(expr, Expr::ScalarFunction(call) if call.func.inner().downcast_ref::<User>().is_some()),
    )
}

impl ScalarUDFImpl for User {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[ArrowType]) -> Result<Vec<ArrowType>> {
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[ArrowType]) -> Result<ArrowType> {
        plan_err!("{} has no type without the fields of its arguments", self.name)
    }

    fn return_field_from_args(&self, _: ReturnFieldArgs) -> Result<FieldRef> {
        Ok(Arc::new(types::field(&self.name, self.result)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = args.number_rows;
        let functions = match &self.functions {
            Some(functions) => Arc::clone(functions),
            None => in_force(&self.function).map_err(crate::error::to_datafusion)?,
        };
        let arrays = args.args.iter().map(|arg| arg.to_array(rows)).collect::<Result<Vec<_>>>()?;
        // Columns of CHAR are stored without the blanks at their ends.
        let given: Vec<Option<DataType>> = args.arg_fields.iter().map(|field| types::declared_type(field)).collect();
        let mut results: Vec<Value> = Vec::with_capacity(rows);
        for row in 0..rows {
            let values = arrays.iter().map(|array| value_at(array.as_ref(), row));
            let values = values.collect::<mainstay_types::Result<Vec<Value>>>().map_err(crate::error::to_datafusion)?;
            let whole = |(value, of): (Value, &Option<DataType>)| {
                let padded = of.and_then(|of| mainstay_tsql_types::convert::padded(value.as_ref(), of));
                padded.map_or(value, Value::Text)
            };
            let values: Vec<Value> = values.into_iter().zip(&given).map(whole).collect();
            let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
            let result = functions.call(&self.function, &values).map_err(crate::error::to_datafusion)?;
            results.push(match self.result {
                DataType::SqlVariant => mainstay_tsql_types::variant::encode(self.result, result.as_ref()),
                _ => result,
            });
        }
        let refs: Vec<ValueRef<'_>> = results.iter().map(Value::as_ref).collect();
        Ok(ColumnarValue::Array(array_of(&data_type_of(types::sql_type(self.result)), &refs)))
    }
}

impl PartialEq for User {
    fn eq(&self, other: &User) -> bool {
        self.name == other.name
            && match (&self.functions, &other.functions) {
                (Some(one), Some(other)) => Arc::ptr_eq(one, other),
                (one, other) => one.is_none() && other.is_none(),
            }
    }
}

impl Eq for User {}

impl Hash for User {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
