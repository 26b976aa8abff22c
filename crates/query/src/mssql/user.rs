//! Functions that the database defines, in queries: each row's value is asked of the session that runs the query.

use super::{PREFIX, types};
use crate::UserFunctions;
use datafusion::arrow::datatypes::{DataType as ArrowType, FieldRef};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use mainstay_base::{Value, ValueRef};
use mainstay_mssql::DataType;
use mainstay_table::values::{array_of, data_type_of, value_at};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A function of the database.
#[derive(Debug)]
struct User {
    /// As the planner knows it.
    name: String,
    /// As the session knows it.
    function: String,
    result: DataType,
    functions: Arc<dyn UserFunctions>,
    signature: Signature,
}

/// The function of this name.
pub(crate) fn user_function(name: &str, functions: Arc<dyn UserFunctions>) -> Option<Arc<ScalarUDF>> {
    let result = mainstay_mssql::operation::data_type(&functions.result(name)?)?;
    let signature = Signature::user_defined(Volatility::Volatile);
    let called = format!("{PREFIX}user:{name}");
    Some(Arc::new(ScalarUDF::from(User { name: called, function: name.to_owned(), result, functions, signature })))
}

/// Whether a plan calls functions of the database: it belongs to the session that asked for it.
pub(crate) fn calls_user_functions(plan: &LogicalPlan) -> bool {
    crate::contains::any_expression_of_plan(
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
        let arrays = args.args.iter().map(|arg| arg.to_array(rows)).collect::<Result<Vec<_>>>()?;
        let mut results: Vec<Value> = Vec::with_capacity(rows);
        for row in 0..rows {
            let values = arrays.iter().map(|array| value_at(array.as_ref(), row));
            let values = values.collect::<mainstay_base::Result<Vec<Value>>>().map_err(crate::error::to_datafusion)?;
            let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
            results.push(self.functions.call(&self.function, &values).map_err(crate::error::to_datafusion)?);
        }
        let refs: Vec<ValueRef<'_>> = results.iter().map(Value::as_ref).collect();
        Ok(ColumnarValue::Array(array_of(&data_type_of(types::sql_type(self.result)), &refs)))
    }
}

impl PartialEq for User {
    fn eq(&self, other: &User) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.functions, &other.functions)
    }
}

impl Eq for User {}

impl Hash for User {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
