//! Functions of T-SQL for the planner.
//!
//! The result type follows from the argument types, which are in their fields. Functions that remain after
//! [`lower`](super::lower) are *bound*: they store the types of their arguments, independent of later changes of the
//! fields. They run row by row.

use super::{PREFIX, types};
use datafusion::arrow::datatypes::{DataType as ArrowType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF};
use mainstay_columnar::values::{data_type_of, value_at};
use mainstay_planner::dialect::{DialectFunction, Properties, downcast, row_by_row, scalar_function};
use mainstay_planner::tools;
use mainstay_tsql_types::{Bound, Context, DataType, Forgiven, Message, Operation, Random, Settings, variant};
use mainstay_types::{Code, DialectError, Error, SqlType, Value, ValueRef};
use std::any::Any;
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
}

/// The function of this name, which stands here without its prefix.
pub(super) fn function(name: &str) -> Option<Arc<ScalarUDF>> {
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
    let forgiven = Forgiven::numbered(settings.hears);
    scalar_function(Function { name: name.to_owned(), operation, bound, settings, forgiven })
}

/// A message of SQL Server on its way through the planner.
pub(super) fn failed(message: Message) -> DataFusionError {
    tools::failed(error_of(message))
}

/// The engine's error for a message.
pub(super) fn error_of(message: Message) -> Error {
    let dialect = DialectError { number: message.number, severity: message.severity, state: message.state };
    Error::new(Code::InvalidValue, message.text).in_dialect(dialect)
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

impl DialectFunction for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_volatile(&self) -> bool {
        self.operation.is_volatile()
    }

    fn is_same(&self, other: &dyn DialectFunction) -> bool {
        let other: &dyn Any = other;
        match other.downcast_ref::<Function>().map(|other| (&self.bound, &other.bound)) {
            Some((Some(one), Some(other))) => one.arguments == other.arguments && one.result == other.result,
            Some((None, None)) => true,
            _ => false,
        }
    }

    fn call_name(&self, arguments: &[Expr]) -> Result<String> {
        tools::call_name(&self.name, arguments)
    }

    fn field(&self, arguments: &[FieldRef], constants: &[Option<&ScalarValue>]) -> Result<FieldRef> {
        let result = match &self.bound {
            Some(bound) => bound.result,
            None => self.bind(arguments, constants)?.result,
        };
        Ok(Arc::new(match result {
            Some(data_type) => types::field(&self.name, data_type),
            None => Field::new(&self.name, ArrowType::Boolean, true),
        }))
    }

    fn evaluate(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let known;
        let bound = match &self.bound {
            Some(bound) => bound.as_ref(),
            None => {
                let constants: Vec<Option<&ScalarValue>> = arguments.args.iter().map(constant).collect();
                known = self.bind(&arguments.arg_fields, &constants)?;
                &known
            }
        };
        let forgiven = self.forgiven.as_deref();
        let context = Context { settings: self.settings, random: Some(&RANDOM), forgiven, ..Context::default() };
        let label = self.name.split(TYPES).next().unwrap_or_default().trim_start_matches(PREFIX);
        let data_type = bound.result.map_or(ArrowType::Boolean, |result| data_type_of(types::sql_type(result)));
        row_by_row(&arguments, (label, self.is_volatile()), &data_type, &mut |values| {
            let value = bound.evaluate(&context, values).map_err(failed)?;
            Ok(match bound.result {
                Some(DataType::SqlVariant) => variant::encode(DataType::SqlVariant, value.as_ref()),
                _ => value,
            })
        })
    }

    /// A function that is bound to its types, and gives the same for the same arguments.
    fn for_rows(&self) -> Option<Arc<dyn mainstay_row_executor::Function>> {
        let bound = Arc::clone(self.bound.as_ref()?);
        let (settings, forgiven) = (self.settings, self.forgiven.clone());
        (!self.is_volatile())
            .then(|| Arc::new(OfRows { bound, settings, forgiven }) as Arc<dyn mainstay_row_executor::Function>)
    }

    fn properties(&self) -> Properties {
        let result = self.gives();
        let collation = match self.operation.as_ref() {
            Operation::Collate(name) => mainstay_tsql_types::collation::by_name(name),
            _ => None,
        };
        Properties {
            collation,
            gives_offset: matches!(result, Some(DataType::DateTimeOffset(_))),
            gives_own_keys: result == Some(DataType::SqlVariant),
            refuses_rows: matches!(self.operation.as_ref(), Operation::SingleValue),
            is_user_defined: false,
        }
    }
}

fn constant(arg: &ColumnarValue) -> Option<&ScalarValue> {
    match arg {
        ColumnarValue::Scalar(value) => Some(value),
        ColumnarValue::Array(_) => None,
    }
}

/// The function of T-SQL that is called.
pub(super) fn function_of(call: &ScalarFunction) -> Option<&Function> {
    downcast(&call.func)
}
