//! Scalar functions of dialects: one type of DataFusion's functions for all of them, around what the dialect defines.
//!
//! The result type of such a function follows from the fields of its arguments, which have declared types in their
//! metadata, so the function accepts arguments of all types as they are.

use crate::carried_error::to_datafusion;
use crate::functions::result_sizes;
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use mainstay_columnar::values::{array_of, value_at};
use mainstay_types::{Collation, Value, ValueRef};
use std::any::Any;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Properties of a call that passes of the core ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// The collation that the call gives its argument: COLLATE.
    pub collation: Option<Collation>,
    /// True if the results are timestamps with offsets.
    pub gives_offset: bool,
    /// True if the results compare by keys of the dialect ([`Comparison::OwnKey`](super::Comparison)).
    pub gives_own_keys: bool,
    /// True if the call fails for the rows of a subquery that has several: it is evaluated for the rows that need the
    /// subquery's value only.
    pub refuses_rows: bool,
    /// True if the session evaluates it: a user-defined function. A plan with such a call belongs to the session.
    pub is_user_defined: bool,
}

/// A scalar function of a dialect.
pub trait DialectFunction: Any + Debug + Send + Sync {
    /// The name with the dialect's prefix. Calls of one name with equal arguments are equal, unless
    /// [`DialectFunction::is_same`] says otherwise.
    fn name(&self) -> &str;

    /// Returns true if the function gives another value for every row.
    fn is_volatile(&self) -> bool;

    /// Returns true if another function of this name is the same.
    fn is_same(&self, _other: &dyn DialectFunction) -> bool {
        true
    }

    /// The name of a call, for the columns of plans.
    ///
    /// Errors: those of the arguments' names.
    fn call_name(&self, arguments: &[Expr]) -> Result<String> {
        let names: Vec<String> = arguments.iter().map(|argument| argument.schema_name().to_string()).collect();
        Ok(format!("{}({})", self.name(), names.join(",")))
    }

    /// The field of the results, with the declared type in its metadata.
    ///
    /// Errors: arguments that the function does not take.
    fn field(&self, arguments: &[FieldRef], constants: &[Option<&ScalarValue>]) -> Result<FieldRef>;

    /// The results for a batch; [`row_by_row`] calls a function of values for each row.
    ///
    /// Errors: those of the function.
    fn evaluate(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue>;

    /// The function for the row executor, if that can run it.
    fn for_rows(&self) -> Option<Arc<dyn mainstay_row_executor::Function>> {
        None
    }

    /// The properties that the core's passes need to know.
    fn properties(&self) -> Properties {
        Properties::default()
    }
}

/// DataFusion's view of a function.
#[derive(Debug)]
struct Planned {
    function: Arc<dyn DialectFunction>,
    signature: Signature,
}

/// A function of DataFusion for one of a dialect.
pub fn scalar_function(function: impl DialectFunction) -> Arc<ScalarUDF> {
    let volatility = if function.is_volatile() { Volatility::Volatile } else { Volatility::Immutable };
    let (function, signature) = (Arc::new(function), Signature::user_defined(volatility));
    Arc::new(ScalarUDF::from(Planned { function, signature }))
}

/// The function of a dialect that one of DataFusion is.
pub(crate) fn function_of(function: &ScalarUDF) -> Option<&dyn DialectFunction> {
    function.inner().downcast_ref::<Planned>().map(|planned| planned.function.as_ref())
}

/// The same, as the dialect's own type of functions.
pub fn downcast<F: DialectFunction>(function: &ScalarUDF) -> Option<&F> {
    let function: &dyn Any = function_of(function)?;
    function.downcast_ref::<F>()
}

/// The properties of a function; those of DataFusion and the core have none of these.
pub(crate) fn properties_of(function: &ScalarUDF) -> Properties {
    function_of(function).map(DialectFunction::properties).unwrap_or_default()
}

/// The function for the row executor.
pub(crate) fn row_function(function: &ScalarUDF) -> Option<Arc<dyn mainstay_row_executor::Function>> {
    function_of(function)?.for_rows()
}

/// Evaluates a function of values for every row of a batch; once for all rows where all arguments are constants, unless
/// the function is volatile. `label` is the function's name in errors; `data_type` is the vector of an SQL type
/// (`mainstay_columnar::values::data_type_of`), as in the field of the results.
///
/// Errors: those of the function, and `OutOfMemory` for results of more bytes than a statement may hold.
pub fn row_by_row(
    arguments: &ScalarFunctionArgs,
    (label, is_volatile): (&str, bool),
    data_type: &DataType,
    evaluate: &mut dyn FnMut(&[ValueRef<'_>]) -> Result<Value>,
) -> Result<ColumnarValue> {
    let is_scalar = !is_volatile && arguments.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
    let rows = if is_scalar { 1 } else { arguments.number_rows };
    let arrays = arguments.args.iter().map(|arg| arg.to_array(rows)).collect::<Result<Vec<_>>>()?;
    let (mut results, mut bytes) = (Vec::with_capacity(rows), 0);
    let most = result_sizes::limit(&arguments.config_options);
    for row in 0..rows {
        let values = arrays.iter().map(|array| value_at(array.as_ref(), row));
        let values = values.collect::<mainstay_types::Result<Vec<Value>>>().map_err(to_datafusion)?;
        let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let result = evaluate(&values)?;
        if let Value::Text(text) = &result {
            bytes += text.len() as u64;
        }
        if bytes > most {
            return Err(to_datafusion(result_sizes::too_long(label, bytes, most)));
        }
        results.push(result);
    }
    let refs: Vec<ValueRef<'_>> = results.iter().map(Value::as_ref).collect();
    let array = array_of(data_type, &refs);
    let results = match is_scalar {
        true => ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?),
        false => ColumnarValue::Array(array),
    };
    result_sizes::counted(results, arguments.number_rows, &arguments.config_options)
}

impl ScalarUDFImpl for Planned {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn schema_name(&self, arguments: &[Expr]) -> Result<String> {
        self.function.call_name(arguments)
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        plan_err!("{} has no type without the fields of its arguments", self.function.name())
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs) -> Result<FieldRef> {
        self.function.field(arguments.arg_fields, arguments.scalar_arguments)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        self.function.evaluate(arguments)
    }
}

impl PartialEq for Planned {
    fn eq(&self, other: &Planned) -> bool {
        self.function.name() == other.function.name() && self.function.is_same(other.function.as_ref())
    }
}

impl Eq for Planned {}

impl Hash for Planned {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.name().hash(state);
    }
}
