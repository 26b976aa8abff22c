//! Timestamps that Arrow has no type for: of 100 ns ([`TICKS`]), and with an offset ([`OFFSET`]).
//!
//! Vectors of both are numbers in the order of time, so sorting, MIN and MAX need no special treatment. Two equal
//! timestamps with different offsets are different numbers: comparisons, groups and joins use their [`key`], the UTC
//! value, as text with a collation uses its sort key (see [`collate`](crate::analyze::collate)).
//!
//! ```text
//!   a = b                  utc_moment(a) = utc_moment(b)
//!   GROUP BY a             by utc_moment(a); the group shows the member with the least offset
//! ```
//!
//! A comparison of `utc_moment(column)` with a constant is a predicate on the column, and finds its index.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use datafusion::arrow::datatypes::{
    DataType, Date32Type, Decimal64Type, Decimal128Type, Field, TimeUnit, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType,
};
use datafusion::common::{DFSchema, ExprSchema, Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    Case, ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use mainstay_columnar::values::{OFFSET, TICKS, array_of, value_at};
use mainstay_types::{SqlType, TICKS_PER_DAY, Timestamp, Value, ValueRef, convert};
use std::sync::{Arc, LazyLock};

/// Ticks of 100 ns in a microsecond.
const TICKS_PER_US: i64 = 10;

/// Nanoseconds of a tick.
const NS_PER_TICK: i64 = 100;

/// The name of the function that gives the moment of UTC.
const KEY: &str = "utc_moment";

static UTC_MOMENT: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Conversion::function(KEY, TICKS));
static AS_TICKS: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Conversion::function("as_ticks", TICKS));
static AS_OFFSET: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Conversion::function("as_offset", OFFSET));

static AS_MICROS: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Conversion::function("as_micros", micros(None)));
static AS_UTC_MICROS: LazyLock<Arc<ScalarUDF>> =
    LazyLock::new(|| Conversion::function("as_utc_micros", micros(Some("+00:00"))));
static AS_TIME: LazyLock<Arc<ScalarUDF>> =
    LazyLock::new(|| Conversion::function("as_time", DataType::Time64(TimeUnit::Nanosecond)));
static AS_TEXT: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Conversion::function("moment_text", DataType::Utf8View));

fn micros(zone: Option<&str>) -> DataType {
    DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into))
}

/// A conversion of moments to another form.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Conversion {
    name: &'static str,
    to: DataType,
    signature: Signature,
}

impl Conversion {
    fn function(name: &'static str, to: DataType) -> Arc<ScalarUDF> {
        let signature = Signature::any(1, Volatility::Immutable);
        Arc::new(ScalarUDF::from(Conversion { name, to, signature }))
    }

    fn converted(&self, array: &ArrayRef) -> Result<ArrayRef> {
        if *array.data_type() == OFFSET && self.name == KEY {
            let moments = array.as_primitive::<Decimal128Type>();
            let ticks: PrimitiveArray<Decimal64Type> = moments.unary(|packed| Timestamp::unpacked(packed).0.0);
            return Ok(Arc::new(ticks.with_data_type(TICKS)));
        }
        converted(array, &self.to)
    }

    fn scalar(&self, value: &ScalarValue) -> Result<ScalarValue> {
        ScalarValue::try_from_array(&self.converted(&value.to_array()?)?, 0)
    }
}

impl ScalarUDFImpl for Conversion {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.to.clone())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.as_slice() {
            [ColumnarValue::Array(array)] => self.converted(array).map(ColumnarValue::Array),
            [ColumnarValue::Scalar(value)] => self.scalar(value).map(ColumnarValue::Scalar),
            _ => exec_err!("{} takes one moment", self.name),
        }
    }
}

/// The ticks of moments without offsets and of days, where a vector of them is a calculation.
fn ticks_of(array: &ArrayRef) -> Option<PrimitiveArray<Decimal64Type>> {
    Some(match array.data_type() {
        &TICKS => array.as_primitive::<Decimal64Type>().clone(),
        DataType::Timestamp(TimeUnit::Microsecond, None) => {
            array.as_primitive::<TimestampMicrosecondType>().unary(|us| us.saturating_mul(TICKS_PER_US))
        }
        DataType::Date32 => {
            array.as_primitive::<Date32Type>().unary(|day| i64::from(day).saturating_mul(TICKS_PER_DAY))
        }
        _ => return None,
    })
}

/// The ticks of moments of UTC, where a vector of them is a calculation.
fn utc_ticks_of(array: &ArrayRef) -> Option<PrimitiveArray<Decimal64Type>> {
    Some(match array.data_type() {
        DataType::Timestamp(TimeUnit::Nanosecond, Some(_)) => {
            array.as_primitive::<TimestampNanosecondType>().unary(|ns| ns.div_euclid(NS_PER_TICK))
        }
        DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => {
            array.as_primitive::<TimestampMicrosecondType>().unary(|us| us.saturating_mul(TICKS_PER_US))
        }
        DataType::Timestamp(TimeUnit::Millisecond, Some(_)) => {
            array.as_primitive::<TimestampMillisecondType>().unary(|ms| ms.saturating_mul(1_000 * TICKS_PER_US))
        }
        _ => return None,
    })
}

/// Moments in another form: less than a microsecond is cut off, and a moment without an offset is what its clock shows.
fn converted(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let micros = |ticks: i64| Timestamp(ticks).us();
    let times: PrimitiveArray<TimestampMicrosecondType> = match (array.data_type(), to) {
        (from, to) if from == to => return Ok(Arc::clone(array)),
        (&TICKS, DataType::Timestamp(..)) => array.as_primitive::<Decimal64Type>().unary(micros),
        (&OFFSET, DataType::Timestamp(_, zone)) => array.as_primitive::<Decimal128Type>().unary(|packed| {
            let (utc, offset) = Timestamp::unpacked(packed);
            micros(if zone.is_some() { utc.0 } else { utc.to_local(offset).0 })
        }),
        (_, &TICKS) => match ticks_of(array) {
            Some(ticks) => return Ok(Arc::new(ticks.with_data_type(TICKS))),
            None => return of_values(array, to),
        },
        (_, &OFFSET) => match ticks_of(array).or_else(|| utc_ticks_of(array)) {
            Some(ticks) => {
                let packed: PrimitiveArray<Decimal128Type> = ticks.unary(|ticks| Timestamp(ticks).packed(0));
                return Ok(Arc::new(packed.with_data_type(OFFSET)));
            }
            None => return of_values(array, to),
        },
        _ => return of_values(array, to),
    };
    Ok(Arc::new(times.with_data_type(to.clone())))
}

/// The same for what is converted value by value: texts, days, moments of other units.
fn of_values(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let sql_type = match to {
        &OFFSET => SqlType::TimestampWithOffset { digits: 7 },
        DataType::Utf8View => SqlType::TEXT,
        DataType::Time64(_) => SqlType::Time { digits: 7 },
        _ => SqlType::Timestamp { digits: 7 },
    };
    let value = |row| value_at(array.as_ref(), row).and_then(|value| convert(value.as_ref(), sql_type));
    let values = (0..array.len()).map(value).collect::<mainstay_types::Result<Vec<Value>>>();
    let values = values.map_err(crate::carried_error::to_datafusion)?;
    let refs: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
    Ok(array_of(to, &refs))
}

/// A call of one of the functions; of a literal, its result.
fn call(function: &Arc<ScalarUDF>, expr: Expr) -> Result<Expr> {
    Ok(match (expr, function.inner().downcast_ref::<Conversion>()) {
        (Expr::Literal(value, metadata), Some(conversion)) => Expr::Literal(conversion.scalar(&value)?, metadata),
        (expr, _) => Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(function), vec![expr])),
    })
}

/// A moment, day or text as one of 100 ns.
pub(crate) fn as_ticks(expr: Expr) -> Result<Expr> {
    call(&AS_TICKS, expr)
}

/// A moment, day or text as one with an offset; without one it is of UTC.
pub(crate) fn as_offset(expr: Expr) -> Result<Expr> {
    call(&AS_OFFSET, expr)
}

/// The function that makes a moment one with an offset.
pub(crate) fn offset_function() -> Arc<ScalarUDF> {
    Arc::clone(&AS_OFFSET)
}

/// A moment of 100 ns in microseconds, or one with an offset as one of UTC in microseconds.
pub(crate) fn as_micros(expr: Expr, has_offset: bool) -> Result<Expr> {
    call(if has_offset { &AS_UTC_MICROS } else { &AS_MICROS }, expr)
}

/// The time of day of a moment.
pub(crate) fn as_time(expr: Expr) -> Result<Expr> {
    call(&AS_TIME, expr)
}

/// A moment as text.
pub(crate) fn as_text(expr: Expr) -> Result<Expr> {
    call(&AS_TEXT, expr)
}

/// The operand of a conversion to one of the two types; `None` for other expressions.
pub(crate) fn conversion_of(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::ScalarFunction(function) if function.func.inner().is::<Conversion>() => function.args.first(),
        _ => None,
    }
}

/// The column of moments or days that an expression shows as moments of 100 ns, which changes no order.
pub(crate) fn finer(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::ScalarFunction(function) if function.name() == "as_ticks" => function.args.first(),
        _ => None,
    }
}

/// The moment of UTC of a moment with an offset: what it compares by.
pub(crate) fn key(expr: Expr) -> Result<Expr> {
    if keyed(&expr).is_some() { Ok(expr) } else { call(&UTC_MOMENT, expr) }
}

/// The moment with an offset of which this is the key.
pub(crate) fn keyed(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::ScalarFunction(function) if function.name() == KEY => function.args.first(),
        _ => None,
    }
}

/// An expression of a type of Arrow's that says less than its values do: in the type that statements have for them.
pub(crate) fn exact(expr: Expr, data_type: &DataType) -> Result<Expr> {
    match data_type {
        DataType::Timestamp(TimeUnit::Nanosecond, None) => as_ticks(expr),
        DataType::Timestamp(_, Some(_)) => as_offset(expr),
        _ => Ok(expr),
    }
}

/// Returns true if a column holds moments with offsets.
pub(crate) fn has_offset(field: &Field) -> bool {
    *field.data_type() == OFFSET
}

/// Returns true if an expression makes a moment with an offset of something else.
pub(crate) fn is_made(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(value, _) => matches!(value, ScalarValue::Decimal128(_, 38, -12)),
        Expr::Cast(cast) => has_offset(&cast.field),
        Expr::ScalarFunction(call) => call.name() == AS_OFFSET.name(),
        _ => false,
    }
}

/// Returns true if an expression gives moments with offsets.
pub(crate) fn is_with_offset(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::Column(column) => schema.field_from_column(column).is_ok_and(|field| has_offset(field)),
        // A column of the statement around a subquery.
        Expr::OuterReferenceColumn(field, _) => has_offset(field),
        Expr::Literal(value, _) => matches!(value, ScalarValue::Decimal128(_, 38, -12)),
        Expr::Placeholder(placeholder) => placeholder.field.as_ref().is_some_and(|field| has_offset(field)),
        Expr::Alias(alias) => is_with_offset(&alias.expr, schema),
        Expr::Cast(cast) => has_offset(&cast.field),
        Expr::Case(Case { when_then_expr, else_expr, .. }) => {
            let results = when_then_expr.iter().map(|(_, then)| then).chain(else_expr);
            results.into_iter().any(|result| is_with_offset(result, schema))
        }
        Expr::ScalarFunction(function) => match function.name() {
            "as_offset" => true,
            "coalesce" | "nullif" | "greatest" | "least" | "moment_plus" | "moment_minus" | "moment_trunc" => {
                function.args.iter().any(|argument| is_with_offset(argument, schema))
            }
            "cast" | "try_cast" => crate::analyze::cast::gives_offset(function),
            _ => crate::dialect::properties_of(&function.func).gives_offset,
        },
        Expr::ScalarSubquery(subquery) => {
            subquery.subquery.schema().fields().first().is_some_and(|field| has_offset(field))
        }
        _ => false,
    }
}

/// The same for the row executor: the moment of UTC of a moment with an offset.
#[derive(Debug)]
pub(crate) struct MomentOfRow;

impl mainstay_row_executor::Function for MomentOfRow {
    fn call(&self, arguments: &[ValueRef<'_>]) -> mainstay_types::Result<Value> {
        Ok(match arguments {
            [ValueRef::TimestampWithOffset { utc, .. } | ValueRef::Timestamp(utc)] => Value::Timestamp(*utc),
            _ => Value::Null,
        })
    }
}
