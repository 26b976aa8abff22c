//! CAST to a narrower type: the value that a column of that type would store.
//!
//! ```text
//!   CAST(2.5 AS INTEGER)                3: halves away from zero, of doubles too; overflow is an error
//!   CAST(price AS DECIMAL(8,1))         the same
//!   CAST('1e309' AS DOUBLE PRECISION)   an error: no double is that large; CAST('infinity' AS ...) is one
//!   CAST('42' AS INTERVAL)              42 seconds, as INTERVAL '42'
//!   CAST('93000' AS TIME)               an error: digits alone are no time of day
//!   CAST(at AS TIMESTAMP(3)), TIME(0)   halves up, carried over into minutes and days
//!   CAST(name AS VARCHAR(3)), CHAR(3)   the first three characters (ISO 9075-2, 6.13); storing refuses the rest
//!   CAST(data AS VARBINARY(3))          the first three bytes
//!   CAST(id AS VARCHAR), '...' AS UUID  by the text of the UUID
//!   CAST(at AS VARCHAR)                 2024-02-29 12:34:56.5, the fewest digits that say it
//! ```
//!
//! DataFusion truncates digits, and its optimizer rewrites `CAST(price AS DECIMAL(8,1)) = 1.3` to `price = 1.3`. So
//! each CAST that may lose information becomes a call of a function, before any other rule sees the plan; casts that
//! the planner adds to bring operands together lose nothing and stay. [`base::convert`](mainstay_types::convert()) is
//! the rule, value by value; vectors of numbers and timestamps have separate code with the same results.

use crate::tree::nodes::Tree;
use crate::types::interval_text::INTERVAL;
use datafusion::arrow::array::{ArrayRef, AsArray, PrimitiveArray, StringViewArray};
use datafusion::arrow::compute::kernels::cast_utils::string_to_time_nanoseconds;
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{
    DataType, Field, FieldRef, Float32Type, Float64Type, IntervalUnit, IntervalYearMonthType, TimeUnit,
    TimestampMicrosecondType,
};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    BinaryExpr, Cast, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Operator, ReturnFieldArgs, ScalarFunctionArgs,
    ScalarUDF, ScalarUDFImpl, Signature, TryCast, Volatility,
};
use datafusion::sql::sqlparser::ast;
use mainstay_columnar::values::{OFFSET, TICKS, array_of, data_type_of, value_at};
use mainstay_types::{Collation, Result as BaseResult, SqlType, Timestamp, Value, ValueRef, convert};
use std::sync::Arc;

/// Metadata of the field of a CAST: the type that it names, where the form of its values does not say all of it.
const NAMED: &str = "mainstay.cast";

/// The type that columns of UUID have.
const UUID: DataType = DataType::FixedSizeBinary(16);

/// The type of moments that columns of TIMESTAMP have.
const MICROS: DataType = DataType::Timestamp(TimeUnit::Microsecond, None);

/// The field of a CAST to a type whose digits or characters count.
///
/// Errors: `InvalidValue` for digits and lengths that are not possible.
pub(crate) fn named_type(data_type: &ast::DataType) -> Result<Option<FieldRef>> {
    use ast::DataType as D;
    let counts = match data_type {
        D::Timestamp(digits, _) | D::Time(digits, _) | D::Datetime(digits) => digits.is_some(),
        D::Char(_) | D::Character(_) => true,
        D::Custom(name, arguments) => {
            arguments.is_empty() && crate::types::sql_types::named_type(&name.to_string().to_lowercase()).is_some()
        }
        D::Uuid | D::Binary(_) | D::Varbinary(_) | D::Interval { fields: Some(_), .. } => true,
        D::Varchar(length) | D::CharVarying(length) | D::CharacterVarying(length) | D::Nvarchar(length) => {
            matches!(length, Some(ast::CharacterLength::IntegerLength { .. }))
        }
        _ => false,
    };
    // A time of day has no offset here.
    let is_known = !matches!(data_type, D::Time(_, ast::TimezoneInfo::WithTimeZone | ast::TimezoneInfo::Tz));
    if !(counts && is_known) {
        return Ok(None);
    }
    let to =
        crate::types::sql_types::sql_type(data_type, Collation::Binary).map_err(crate::carried_error::to_datafusion)?;
    let size = match to {
        SqlType::Time { digits } | SqlType::Timestamp { digits } | SqlType::TimestampWithOffset { digits } => {
            digits.to_string()
        }
        SqlType::Char { length, .. } => format!("char {length}"),
        SqlType::Binary { length } => format!("char {length}"),
        SqlType::VarChar { length: Some(length), .. } | SqlType::VarBinary { length: Some(length) } => {
            length.to_string()
        }
        SqlType::IntervalDayTime => "day".to_owned(),
        SqlType::Uuid | SqlType::Money | SqlType::VarBinary { length: None } | SqlType::IntervalYearMonth => {
            return Ok(Some(Arc::new(Field::new("", data_type_of(to), true))));
        }
        _ => return Ok(None),
    };
    let metadata = [(NAMED.to_owned(), size)].into_iter().collect();
    Ok(Some(Arc::new(Field::new("", data_type_of(to), true).with_metadata(metadata))))
}

/// Returns true if a CAST names digits that it rounds to.
pub(crate) fn has_digits(cast: &Cast) -> bool {
    cast.field.metadata().get(NAMED).is_some_and(|digits| digits != "7")
}

/// The type that a CAST names.
fn target(field: &Field) -> Option<SqlType> {
    let named = field.metadata().get(NAMED).map(String::as_str);
    let digits = |most: u8| named.and_then(|digits| digits.parse().ok()).unwrap_or(most);
    let collation = Collation::Binary;
    // The length of what is filled up to it, and that of what is not.
    let full = named.and_then(|named| named.strip_prefix("char ")).map(str::parse);
    let length = named.and_then(|length| length.parse().ok());
    Some(match field.data_type() {
        DataType::Int8 => SqlType::TinyInt,
        DataType::Int16 => SqlType::SmallInt,
        DataType::Int32 => SqlType::Integer,
        DataType::Int64 => SqlType::BigInt,
        DataType::Float32 => SqlType::Real,
        DataType::Float64 => SqlType::Double,
        &OFFSET => SqlType::TimestampWithOffset { digits: digits(7) },
        &TICKS => SqlType::Timestamp { digits: 7 },
        DataType::Decimal128(precision, scale) => {
            SqlType::Decimal { precision: *precision, scale: u8::try_from(*scale).ok()? }
        }
        DataType::Time64(_) => SqlType::Time { digits: digits(7) },
        &MICROS => SqlType::Timestamp { digits: digits(6) },
        DataType::Utf8 | DataType::Utf8View => match full {
            Some(length) => SqlType::Char { length: length.ok()?, collation },
            None => SqlType::VarChar { length, collation },
        },
        DataType::BinaryView => match full {
            Some(length) => SqlType::Binary { length: length.ok()? },
            None => SqlType::VarBinary { length },
        },
        &UUID => SqlType::Uuid,
        DataType::Interval(IntervalUnit::YearMonth) => SqlType::IntervalYearMonth,
        DataType::Interval(IntervalUnit::MonthDayNano) if named == Some("day") => SqlType::IntervalDayTime,
        _ => return None,
    })
}

fn is_moment(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(..) | DataType::Date32) || *data_type == TICKS || *data_type == OFFSET
}

/// Returns true if a conversion may lose something, or is not as the type's columns have it.
fn may_lose(from: &DataType, to: SqlType, is_named: bool) -> bool {
    let is_float = matches!(from, DataType::Float32 | DataType::Float64);
    let scale = match from {
        &TICKS | &OFFSET => None,
        DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) | DataType::Decimal128(_, scale) => Some(*scale),
        _ => None,
    };
    match to {
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Integer | SqlType::BigInt => {
            is_float || scale.is_some_and(|scale| scale > 0)
        }
        SqlType::Decimal { scale: to, .. } => is_float || scale.is_some_and(|scale| i32::from(scale) > i32::from(to)),
        SqlType::Double => from.is_string(),
        SqlType::Real => from.is_string() || *from == DataType::Float64,
        SqlType::Time { digits: 7 } => from.is_string(),
        SqlType::Time { .. } => is_moment(from) || from.is_string() || matches!(from, DataType::Time64(_)),
        // The other operand may decide how a literal is read: see `read_moments`.
        SqlType::Timestamp { digits: 6 } if !is_named => {
            *from == TICKS || *from == OFFSET || matches!(from, DataType::Timestamp(TimeUnit::Nanosecond, _))
        }
        SqlType::Timestamp { digits: 7 } | SqlType::TimestampWithOffset { digits: 7 } => false,
        SqlType::Timestamp { .. } | SqlType::TimestampWithOffset { .. } => is_moment(from) || from.is_string(),
        SqlType::VarChar { length: None, .. } => {
            let is_moment = matches!(from, DataType::Timestamp(_, None) | DataType::Time64(TimeUnit::Nanosecond));
            is_moment || matches!(from, &UUID | DataType::Interval(IntervalUnit::YearMonth))
        }
        SqlType::IntervalYearMonth | SqlType::IntervalDayTime => {
            from.is_string() || matches!(from, DataType::Interval(_))
        }
        SqlType::Uuid => from.is_string() || from.is_binary() || *from == UUID,
        SqlType::VarBinary { length: None } => *from == UUID,
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => *from != DataType::Null,
        SqlType::VarChar { .. } | SqlType::Char { .. } => *from != DataType::Null,
        _ => false,
    }
}

/// True if a CAST may have no result. Of a column of the query around, it becomes one of a literal for each row, and the
/// optimizer fails where that has none, whatever guards it; a call that fails is left for when it is evaluated.
fn may_fail(from: &DataType, to: SqlType) -> bool {
    use SqlType::{BigInt, Decimal, Integer, SmallInt, TinyInt};
    (from.is_string() || from.is_numeric()) && matches!(to, TinyInt | SmallInt | Integer | BigInt | Decimal { .. })
}

/// The plan with functions for the CASTs that may lose something, and for moments that are joined to texts.
pub(crate) fn in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    crate::tree::rewrite::concerned(plan, is_concerned, in_expression)
}

fn is_concerned(expr: &Expr) -> bool {
    let is_join = matches!(expr, Expr::BinaryExpr(BinaryExpr { op: Operator::StringConcat, .. }));
    is_join
        || matches!(expr, Expr::Cast(_) | Expr::TryCast(_))
        || joins_texts(expr)
        || crate::functions::string_agg::is_call(expr)
}

/// Returns true if it is a call of `concat`.
fn joins_texts(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarFunction(call) if crate::functions::joined::is_call(call))
}

/// The expression with functions for the CASTs that may lose something.
pub(crate) fn in_expression(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    expr.map_up(|expr| {
        if !is_concerned(&expr) {
            return Ok(Transformed::no(expr));
        }
        let as_text = |expr: Expr| match expr.get_type(schema) {
            Ok(from) if may_lose(&from, SqlType::TEXT, false) => call(expr, SqlType::TEXT, false),
            _ => expr,
        };
        let (inner, field, is_try) = match expr {
            Expr::Cast(Cast { expr, field }) => (expr, field, false),
            Expr::TryCast(TryCast { expr, field }) => (expr, field, true),
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
                let (left, right) = (Box::new(as_text(*left)), Box::new(as_text(*right)));
                return Ok(Transformed::yes(Expr::BinaryExpr(BinaryExpr { left, op, right })));
            }
            Expr::ScalarFunction(mut call) => {
                call.args = call.args.into_iter().map(as_text).collect();
                return Ok(Transformed::yes(Expr::ScalarFunction(crate::functions::joined::unwrapped(call))));
            }
            other => return Ok(Transformed::yes(crate::functions::string_agg::of_texts(other, as_text))),
        };
        if *field.data_type() == DataType::Date32 && inner.get_type(schema).is_ok_and(|from| from.is_string()) {
            return Ok(Transformed::yes(match is_try {
                true => crate::types::years::read_or_null(TryCast { expr: inner, field }),
                false => crate::types::years::read(Cast { expr: inner, field })?,
            }));
        }
        let is_named = field.metadata().contains_key(NAMED);
        let is_text = |expr: &Expr| expr.get_type(schema).is_ok_and(|from| from.is_string());
        if *field.data_type() == INTERVAL && !is_named && is_text(&inner) {
            return Ok(Transformed::yes(crate::types::interval_text::read(*inner, is_try)));
        }
        if let (Some(to @ SqlType::Time { digits: 7 }), Expr::Literal(text, _)) = (target(&field), inner.as_ref())
            && let Some(value) = literal_time(text, to)
        {
            return Ok(Transformed::yes(Expr::Literal(value, None)));
        }
        let to = inner.get_type(schema).ok().zip(target(&field));
        let is_bound_later = inner.contains_outer();
        let is_called = |from: &DataType, to| may_lose(from, to, is_named) || is_bound_later && may_fail(from, to);
        match to.filter(|(from, to)| is_called(from, *to)) {
            Some((_, to)) => Ok(Transformed::yes(call(*inner, to, is_try))),
            None if is_try => Ok(Transformed::no(Expr::TryCast(TryCast { expr: inner, field }))),
            None => Ok(Transformed::no(Expr::Cast(Cast { expr: inner, field }))),
        }
    })
}

/// The plan with moments in the place of `TIMESTAMP '...'` that nothing has taken for moments of 100 ns: read as columns
/// read them, and rounded to microseconds. Other texts are read the same way.
pub(crate) fn read_moments(plan: LogicalPlan) -> Result<LogicalPlan> {
    let is_cast = |expr: &Expr| match expr {
        Expr::Cast(Cast { field, .. }) | Expr::TryCast(TryCast { field, .. }) => *field.data_type() == MICROS,
        _ => false,
    };
    crate::tree::rewrite::concerned(plan, is_cast, read_moments_in)
}

/// The same of an expression.
pub(crate) fn read_moments_in(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    expr.map_up(|expr| {
        if let Some(moment) = literal_moment(&expr) {
            return Ok(Transformed::yes(Expr::Literal(moment, None)));
        }
        let to = SqlType::Timestamp { digits: 6 };
        let is_text = |expr: &Expr| expr.get_type(schema).is_ok_and(|of| of.is_string());
        Ok(match expr {
            Expr::Cast(Cast { expr, field }) if *field.data_type() == MICROS && is_text(&expr) => {
                Transformed::yes(call(*expr, to, false))
            }
            Expr::TryCast(TryCast { expr, field }) if *field.data_type() == MICROS && is_text(&expr) => {
                Transformed::yes(call(*expr, to, true))
            }
            other => Transformed::no(other),
        })
    })
}

/// The value of `TIMESTAMP '...'`; `None` for other expressions and for a literal that is no moment.
fn literal_moment(expr: &Expr) -> Option<ScalarValue> {
    let Expr::Cast(Cast { expr, field }) = expr else { return None };
    let (&MICROS, Expr::Literal(text, _)) = (field.data_type(), expr.as_ref()) else { return None };
    match moment_of(text.try_as_str().flatten()?, SqlType::Timestamp { digits: 6 }).ok()? {
        Value::Timestamp(moment) => Some(ScalarValue::TimestampMicrosecond(Some(moment.us()), None)),
        _ => None,
    }
}

/// The value of `TIME '...'`; `None` for other expressions, and for a text that is no time of day.
fn literal_time(text: &ScalarValue, to: SqlType) -> Option<ScalarValue> {
    let value = time_of(text.try_as_str().flatten()?, to).ok()?;
    ScalarValue::try_from_array(&array_of(&data_type_of(to), &[value.as_ref()]), 0).ok()
}

/// The time of day that a text says: as columns read it, or with AM or PM. Digits alone say none; the kernel takes them for
/// nanoseconds.
fn time_of(text: &str, to: SqlType) -> BaseResult<Value> {
    let read = convert(ValueRef::Text(text), to);
    match string_to_time_nanoseconds(text) {
        Ok(ns) if read.is_err() && text.contains(':') => {
            let (seconds, ns) = (ns / 1_000_000_000, ns % 1_000_000_000);
            let clock = format!("{:02}:{:02}:{:02}.{:07}", seconds / 3600, seconds / 60 % 60, seconds % 60, ns / 100);
            convert(ValueRef::Text(&clock), to)
        }
        _ => read,
    }
}

/// The moment that a text says. An offset behind it says nothing, as in PostgreSQL; storing such a text is refused.
pub(crate) fn moment_of(text: &str, to: SqlType) -> BaseResult<Value> {
    let (moment, _) = Timestamp::parse_with_offset(text.trim_ascii())?;
    convert(ValueRef::Timestamp(moment), to)
}

fn call(expr: Expr, to: SqlType, is_try: bool) -> Expr {
    let signature = Signature::user_defined(Volatility::Immutable);
    let function = ScalarUDF::from(Assigned { to, is_try, signature });
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(function), vec![expr]))
}

/// Returns true if a call gives moments with offsets.
pub(crate) fn gives_offset(call: &ScalarFunction) -> bool {
    let function = call.func.inner().downcast_ref::<Assigned>();
    function.is_some_and(|function| data_type_of(function.to) == OFFSET)
}

/// A value as one that a column of a type holds; with `is_try`, NULL where there is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Assigned {
    to: SqlType,
    is_try: bool,
    signature: Signature,
}

impl Assigned {
    fn value(&self, value: ValueRef<'_>) -> BaseResult<Value> {
        let converted = match (self.to, value) {
            (SqlType::Timestamp { .. }, ValueRef::Text(text)) => moment_of(text, self.to),
            (SqlType::Time { .. }, ValueRef::Text(text)) => time_of(text, self.to),
            (SqlType::VarChar { length: Some(length), .. }, _) => first_characters(value, length),
            // Values of CHAR carry no blanks at their end.
            (SqlType::Char { length, .. }, _) => first_characters(value, length).map(|value| match value {
                Value::Text(text) => Value::Text(text.trim_end_matches(' ').to_owned()),
                other => other,
            }),
            (SqlType::Binary { length } | SqlType::VarBinary { length: Some(length) }, ValueRef::Binary(bytes)) => {
                convert(ValueRef::Binary(bytes.get(..length as usize).unwrap_or(bytes)), self.to)
            }
            (to, _) => convert(value, to),
        };
        match converted {
            Err(_) if self.is_try => Ok(Value::Null),
            converted => converted,
        }
    }

    fn vector(&self, array: &ArrayRef) -> Result<ArrayRef> {
        if let Some(vector) = self.fast(array) {
            return Ok(vector);
        }
        let value = |row| value_at(array.as_ref(), row).and_then(|value| self.value(value.as_ref()));
        let values = (0..array.len()).map(value).collect::<BaseResult<Vec<Value>>>();
        let values = values.map_err(crate::carried_error::to_datafusion)?;
        let refs: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        Ok(array_of(&data_type_of(self.to), &refs))
    }

    /// By a kernel, where there is one and all values fit.
    fn fast(&self, array: &ArrayRef) -> Option<ArrayRef> {
        let to = data_type_of(self.to);
        let cast = |array: &ArrayRef, to: &DataType| {
            cast_with_options(array, to, &CastOptions { safe: false, ..CastOptions::default() }).ok()
        };
        match (array.data_type(), self.to) {
            (DataType::Decimal128(..), SqlType::Decimal { .. }) => cast(array, &to),
            // The kernel takes three months back for a year back and nine months on.
            (DataType::Interval(IntervalUnit::YearMonth), SqlType::VarChar { length: None, .. }) => {
                let text = |months: i32| format!("{} years {} mons", months / 12, months % 12);
                let months = array.as_primitive::<IntervalYearMonthType>().iter();
                Some(Arc::new(months.map(|months| months.map(text)).collect::<StringViewArray>()))
            }
            // The kernel rounds as we do, between decimals only.
            (DataType::Decimal128(..), _) if to.is_integer() => cast(&cast(array, &DataType::Decimal128(38, 0))?, &to),
            // The kernels make infinity of what is too large.
            (DataType::Utf8 | DataType::Utf8View, SqlType::Double) => {
                let numbers = cast(array, &to)?;
                let is_read = !numbers.as_primitive::<Float64Type>().iter().flatten().any(f64::is_infinite);
                is_read.then_some(numbers)
            }
            (DataType::Utf8 | DataType::Utf8View | DataType::Float64, SqlType::Real) => {
                let numbers = cast(array, &to)?;
                let is_read = !numbers.as_primitive::<Float32Type>().iter().flatten().any(f32::is_infinite);
                is_read.then_some(numbers)
            }
            (DataType::Float64, _) if to.is_integer() => {
                let rounded: PrimitiveArray<Float64Type> = array.as_primitive::<Float64Type>().unary(f64::round);
                cast(&(Arc::new(rounded) as ArrayRef), &to)
            }
            (DataType::Float32, _) if to.is_integer() => {
                let rounded: PrimitiveArray<Float32Type> = array.as_primitive::<Float32Type>().unary(f32::round);
                cast(&(Arc::new(rounded) as ArrayRef), &to)
            }
            (DataType::Timestamp(TimeUnit::Microsecond, None), SqlType::Timestamp { digits: digits @ ..=6 }) => {
                let moments = array.as_primitive::<TimestampMicrosecondType>();
                let rounded = moments.try_unary(|us| {
                    let moment = Timestamp::from_us(us).map(|moment| moment.rounded(digits)).ok_or(())?;
                    (moment <= Timestamp::LAST).then(|| moment.us()).ok_or(())
                });
                let rounded: PrimitiveArray<TimestampMicrosecondType> = rounded.ok()?;
                Some(Arc::new(rounded))
            }
            _ => None,
        }
    }
}

/// The first characters of a value as text.
fn first_characters(value: ValueRef<'_>, length: u32) -> BaseResult<Value> {
    Ok(match convert(value, SqlType::TEXT)? {
        Value::Text(mut text) => {
            if let Some((end, _)) = text.char_indices().nth(length as usize) {
                text.truncate(end);
            }
            Value::Text(text)
        }
        other => other,
    })
}

impl ScalarUDFImpl for Assigned {
    fn name(&self) -> &str {
        if self.is_try { "try_cast" } else { "cast" }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(data_type_of(self.to))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let [value] = args.arg_fields else { return internal_err!("CAST of {} values", args.arg_fields.len()) };
        let is_nullable = self.is_try || value.is_nullable();
        Ok(Arc::new(Field::new(self.name(), data_type_of(self.to), is_nullable)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.as_slice() {
            [ColumnarValue::Array(array)] => self.vector(array).map(ColumnarValue::Array),
            [ColumnarValue::Scalar(value)] => {
                let result = self.vector(&value.to_array()?)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?))
            }
            _ => exec_err!("CAST of {} values", args.args.len()),
        }
    }
}

/// The same for the row executor.
pub(crate) fn row_function(function: &ScalarUDF) -> Option<Arc<dyn mainstay_row_executor::Function>> {
    let function = function.inner().downcast_ref::<Assigned>()?;
    Some(Arc::new(OfRow(function.clone())))
}

#[derive(Debug)]
struct OfRow(Assigned);

impl mainstay_row_executor::Function for OfRow {
    fn call(&self, arguments: &[ValueRef<'_>]) -> BaseResult<Value> {
        arguments.first().map_or(Ok(Value::Null), |value| self.0.value(*value))
    }
}
