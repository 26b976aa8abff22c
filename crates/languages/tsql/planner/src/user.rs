//! User-defined functions of T-SQL in queries: their arguments have the blanks of CHAR, and results may be SQL_VARIANT.
//!
//! ```text
//!   "mssql:user:dbo.f"(a)            in a query: a function of the session that plans it
//!   "mssql:stored:int:dbo.f"(a)      in an expression of a table: one of the session that writes, with its type
//! ```

use super::{PREFIX, types};
use datafusion::arrow::datatypes::FieldRef;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF};
use mainstay_columnar::values::data_type_of;
use mainstay_planner::UserFunctions;
use mainstay_planner::dialect::{
    DialectFunction, Properties, SessionFunctions, functions_in_force, row_by_row, scalar_function,
};
use mainstay_planner::tools;
use mainstay_tsql_types::DataType;
use mainstay_types::{Code, Error, ValueRef};
use std::any::Any;
use std::sync::Arc;

/// The prefix of functions in queries.
const USER: &str = "user:";

/// The prefix of functions that expressions of a table call; the type and the function's name follow.
const STORED: &str = "stored:";

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
}

/// Returns true if a name is one of a user-defined function.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(USER) || name.starts_with(STORED)
}

/// The function of such a name, if there is one. One that an expression of a table calls is the session's in a query.
pub(super) fn function(name: &str, functions: SessionFunctions<'_>) -> Option<Arc<ScalarUDF>> {
    let functions = functions();
    let (function, result) = match name.strip_prefix(STORED) {
        Some(stored) => {
            let (result, function) = stored.split_once(':')?;
            (function, mainstay_tsql_types::operation::data_type(result)?)
        }
        None => {
            let function = name.strip_prefix(USER)?;
            (function, types::declared_type(&functions.as_ref()?.result(function)?)?)
        }
    };
    let (name, function) = (format!("{PREFIX}{name}"), function.to_owned());
    Some(scalar_function(User { name, function, result, functions }))
}

fn in_force(function: &str) -> Result<Arc<dyn UserFunctions>> {
    functions_in_force().ok_or_else(|| {
        let message = format!("the function {function} of a table runs in sessions of T-SQL only");
        tools::failed(Error::new(Code::Unsupported, message))
    })
}

impl DialectFunction for User {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_volatile(&self) -> bool {
        true
    }

    fn is_same(&self, other: &dyn DialectFunction) -> bool {
        let other: &dyn Any = other;
        match other.downcast_ref::<User>().map(|other| (&self.functions, &other.functions)) {
            Some((Some(one), Some(other))) => Arc::ptr_eq(one, other),
            Some((None, None)) => true,
            _ => false,
        }
    }

    fn field(&self, _: &[FieldRef], _: &[Option<&ScalarValue>]) -> Result<FieldRef> {
        Ok(Arc::new(types::field(&self.name, self.result)))
    }

    fn evaluate(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let functions = match &self.functions {
            Some(functions) => Arc::clone(functions),
            None => in_force(&self.function)?,
        };
        // Columns of CHAR are stored without the blanks at their ends.
        let given: Vec<Option<DataType>> =
            arguments.arg_fields.iter().map(|field| types::declared_type(field)).collect();
        let data_type = data_type_of(types::sql_type(self.result));
        row_by_row(&arguments, (&self.function, true), &data_type, &mut |values| {
            let padded = |(value, of): (&ValueRef<'_>, &Option<DataType>)| {
                of.and_then(|of| mainstay_tsql_types::convert::padded(*value, of))
            };
            let padded: Vec<Option<String>> = values.iter().zip(&given).map(padded).collect();
            let whole = values.iter().zip(&padded);
            let values: Vec<ValueRef<'_>> =
                whole.map(|(value, padded)| padded.as_deref().map_or(*value, ValueRef::Text)).collect();
            let result = functions.call(&self.function, &values).map_err(tools::failed)?;
            Ok(match self.result {
                DataType::SqlVariant => mainstay_tsql_types::variant::encode(self.result, result.as_ref()),
                _ => result,
            })
        })
    }

    fn properties(&self) -> Properties {
        Properties { is_user_defined: true, ..Properties::default() }
    }
}
