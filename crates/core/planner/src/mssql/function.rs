//! Functions of T-SQL for the planner.
//!
//! The result type follows from the argument types, which are in their fields. Functions that remain after
//! [`lower`](super::lower) are *bound*: they store the types of their arguments, independent of later changes of the
//! fields. They run row by row.

use super::{PREFIX, types};
use datafusion::arrow::datatypes::{DataType as ArrowType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use mainstay_columnar::values::{array_of, data_type_of, value_at};
use mainstay_tsql_types::{Bound, Context, DataType, Forgiven, Message, Operation, Random, Settings, variant};
use mainstay_types::{Code, DialectError, Error, SqlType, Value, ValueRef};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

/// The random numbers of NEWID.
static RANDOM: LazyLock<Random> = LazyLock::new(Random::unpredictable);

/// The separator between the name of a function and its types.
const TYPES: &str = " of ";

/// One of the functions whose names begin with `mssql:`.
#[derive(Debug)]
pub(super) struct Function {
    /// Its name, and the types of its arguments once they are decided: the planner takes two calls for one that have the
    /// same name and arguments, and a conversion that loses nothing leaves no trace in an argument.
    name: String,
    pub(super) operation: Arc<Operation>,
    bound: Option<Arc<Bound>>,
    /// The options that its name says.
    pub(super) settings: Settings,
    forgiven: Option<Arc<Forgiven>>,
    signature: Signature,
}

/// The function of this name, which stands here without its prefix.
pub(crate) fn function(name: &str) -> Option<Arc<ScalarUDF>> {
    let (settings, plain) = Settings::of_name(name);
    let operation = Operation::by_name(plain)?;
    // The planner gives a call another name when its function is called otherwise.
    Some(make(&format!("{PREFIX}{name}"), settings, Arc::new(operation), None))
}

/// The same function with its types decided.
pub(super) fn bound(function: &Function, bound: Bound) -> Arc<ScalarUDF> {
    let shown = |of: &Option<DataType>| of.map_or_else(|| "null".to_owned(), |data_type| data_type.to_string());
    let types: Vec<String> = bound.arguments.iter().chain([&bound.result]).map(shown).collect();
    let base = function.name.split(TYPES).next().unwrap_or_default();
    let name = format!("{base}{TYPES}{}", types.join(" "));
    make(&name, function.settings, Arc::clone(&function.operation), Some(Arc::new(bound)))
}

fn make(name: &str, settings: Settings, operation: Arc<Operation>, bound: Option<Arc<Bound>>) -> Arc<ScalarUDF> {
    let volatility = if operation.is_volatile() { Volatility::Volatile } else { Volatility::Immutable };
    let signature = Signature::user_defined(volatility);
    Arc::new(ScalarUDF::from(Function {
        name: name.to_owned(),
        operation,
        bound,
        settings,
        forgiven: Forgiven::numbered(settings.hears),
        signature,
    }))
}

/// A message of SQL Server on its way through the planner.
pub(crate) fn failed(message: Message) -> datafusion::common::DataFusionError {
    crate::error::to_datafusion(error_of(message))
}

fn error_of(message: Message) -> Error {
    let dialect = DialectError { number: message.number, severity: message.severity, state: message.state };
    Error::new(Code::InvalidValue, message.text).in_dialect(dialect)
}

/// A function for the row executor: one of T-SQL's that is bound to its types, and gives the same for the same arguments.
pub(crate) fn row_function(function: &ScalarUDF) -> Option<Arc<dyn mainstay_row_executor::Function>> {
    if let Some(of_bytes) = super::guid::row_function(function).or_else(|| super::padded::row_function(function)) {
        return Some(of_bytes);
    }
    let function = function.inner().downcast_ref::<Function>()?;
    let bound = Arc::clone(function.bound.as_ref()?);
    let (settings, forgiven) = (function.settings, function.forgiven.clone());
    (!function.operation.is_volatile())
        .then(|| Arc::new(OfRows { bound, settings, forgiven }) as Arc<dyn mainstay_row_executor::Function>)
}

/// Returns true if a function of T-SQL gives moments with offsets.
pub(crate) fn gives_offset(call: &ScalarFunction) -> bool {
    let result = call.func.inner().downcast_ref::<Function>().and_then(Function::gives);
    matches!(result, Some(DataType::DateTimeOffset(_)))
}

/// A function as the row executor calls it.
#[derive(Debug)]
struct OfRows {
    bound: Arc<Bound>,
    settings: Settings,
    forgiven: Option<Arc<Forgiven>>,
}

impl mainstay_row_executor::Function for OfRows {
    fn call(&self, arguments: &[ValueRef<'_>]) -> mainstay_types::Result<Value> {
        let context = Context { settings: self.settings, forgiven: self.forgiven.as_deref(), ..Context::default() };
        let value = self.bound.evaluate(&context, arguments).map_err(error_of)?;
        if self.bound.result == Some(DataType::SqlVariant) {
            return Ok(variant::encode(DataType::SqlVariant, value.as_ref()));
        }
        // A number has the digits of its type, as in a vector.
        let scale = match (&value, self.bound.result.map(types::sql_type)) {
            (Value::Decimal(number), Some(SqlType::Decimal { scale, .. })) if number.scale != scale => scale,
            _ => return Ok(value),
        };
        let scaled = value.as_ref().as_decimal().and_then(|number| number.rescale(scale));
        scaled.map(Value::Decimal).ok_or_else(|| Error::new(Code::InvalidValue, "a number does not fit its type"))
    }
}

impl Function {
    /// The type of what it gives, once that is decided.
    pub(super) fn gives(&self) -> Option<DataType> {
        self.bound.as_ref().and_then(|bound| bound.result)
    }

    fn bind(&self, fields: &[FieldRef], constants: &[Option<&ScalarValue>]) -> Result<Bound> {
        let types: Vec<Option<DataType>> = fields.iter().map(|field| types::declared_type(field)).collect();
        let constant = |value: &Option<&ScalarValue>| -> Option<Value> {
            let array = (*value)?.to_array().ok()?;
            value_at(array.as_ref(), 0).ok()
        };
        let constants: Vec<Option<Value>> = constants.iter().map(constant).collect();
        self.operation.bind(&types, &constants).map_err(failed)
    }
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema_name(&self, arguments: &[Expr]) -> Result<String> {
        crate::upstream::expression_names::of_call(&self.name, arguments)
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

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let result = match &self.bound {
            Some(bound) => bound.result,
            None => self.bind(args.arg_fields, args.scalar_arguments)?.result,
        };
        Ok(Arc::new(match result {
            Some(data_type) => types::field(&self.name, data_type),
            None => Field::new(&self.name, ArrowType::Boolean, true),
        }))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let known;
        let bound = match &self.bound {
            Some(bound) => bound.as_ref(),
            None => {
                let constants: Vec<Option<&ScalarValue>> = args.args.iter().map(constant).collect();
                known = self.bind(&args.arg_fields, &constants)?;
                &known
            }
        };
        // NEWID has no arguments, and another value for every row.
        let is_scalar =
            !self.operation.is_volatile() && args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if is_scalar { 1 } else { args.number_rows };
        let arrays = args.args.iter().map(|arg| arg.to_array(rows)).collect::<Result<Vec<_>>>()?;
        let forgiven = self.forgiven.as_deref();
        let context = Context { settings: self.settings, random: Some(&RANDOM), forgiven, ..Context::default() };
        let (mut results, mut bytes) = (Vec::with_capacity(rows), 0);
        let name = self.name.split(TYPES).next().unwrap_or_default().trim_start_matches(PREFIX);
        let most = crate::functions::result_sizes::limit(&args.config_options);
        for row in 0..rows {
            let values = arrays.iter().map(|array| value_at(array.as_ref(), row));
            let values = values.collect::<mainstay_types::Result<Vec<Value>>>().map_err(crate::error::to_datafusion)?;
            let values: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
            let result = bound.evaluate(&context, &values).map_err(failed)?;
            if let Value::Text(text) = &result {
                bytes += text.len() as u64;
            }
            if bytes > most {
                return Err(crate::error::to_datafusion(crate::functions::result_sizes::too_long(name, bytes, most)));
            }
            results.push(result);
        }
        if bound.result == Some(DataType::SqlVariant) {
            results.iter_mut().for_each(|value| *value = variant::encode(DataType::SqlVariant, value.as_ref()));
        }
        let refs: Vec<ValueRef<'_>> = results.iter().map(Value::as_ref).collect();
        let data_type = bound.result.map_or(ArrowType::Boolean, |result| data_type_of(types::sql_type(result)));
        let array = array_of(&data_type, &refs);
        let results = match is_scalar {
            true => ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?),
            false => ColumnarValue::Array(array),
        };
        crate::functions::result_sizes::counted(results, args.number_rows, &args.config_options)
    }
}

fn constant(arg: &ColumnarValue) -> Option<&ScalarValue> {
    match arg {
        ColumnarValue::Scalar(value) => Some(value),
        ColumnarValue::Array(_) => None,
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        let same_types = match (&self.bound, &other.bound) {
            (Some(a), Some(b)) => a.arguments == b.arguments && a.result == b.result,
            (None, None) => true,
            _ => false,
        };
        self.name == other.name && same_types
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
