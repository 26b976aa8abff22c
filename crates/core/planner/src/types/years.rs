//! Dates and timestamps outside of the years 1 to 9999, which no column can store: `DATE '9999-12-31' + INTERVAL '1'
//! DAY`.
//!
//! The general executor calculates with them, and converts texts to them. So the results of its operators and
//! conversions pass a function that checks them. A literal is checked during planning, and stays a literal.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use datafusion::arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, TimeUnit, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampSecondType,
};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    Cast, ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TryCast, Volatility,
};
use mainstay_types::{Code, Date, Error};
use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock};

const SECONDS_PER_DAY: i64 = 86_400;

static WITHIN: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Within::function("checked_moment", false));
static WITHIN_OR_NULL: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Within::function("moment_or_null", true));

/// Returns true if values of a type may lie outside of these years. Nanoseconds do not reach so far.
pub(crate) fn may_leave(data_type: &DataType) -> bool {
    bounds(data_type).is_some()
}

/// A check that fails where a day or a moment is outside of these years.
pub(crate) fn within(moment: Expr) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(&WITHIN), vec![moment]))
}

/// The same for a text that is read as a day.
///
/// Errors: `InvalidValue` for a literal that is none of these days.
pub(crate) fn read(cast: Cast) -> Result<Expr> {
    let is_literal = matches!(*cast.expr, Expr::Literal(..));
    match literal_day(&cast.expr) {
        Some(day) if !is_day(day) => Err(outside()),
        _ if is_literal => Ok(Expr::Cast(cast)),
        _ => Ok(within(Expr::Cast(cast))),
    }
}

/// The same with NULL in the place of an error.
pub(crate) fn read_or_null(cast: TryCast) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(&WITHIN_OR_NULL), vec![Expr::TryCast(cast)]))
}

fn literal_day(expr: &Expr) -> Option<i32> {
    let Expr::Literal(text, _) = expr else { return None };
    match text.cast_to(&DataType::Date32).ok()? {
        ScalarValue::Date32(day) => day,
        _ => None,
    }
}

fn is_day(day: i32) -> bool {
    (Date::FIRST.0..=Date::LAST.0).contains(&day)
}

fn outside() -> datafusion::common::DataFusionError {
    crate::carried_error::to_datafusion(Error::new(
        Code::InvalidValue,
        "a timestamp out of range: outside of the years 1 to 9999",
    ))
}

/// The first and the last value within these years.
fn bounds(data_type: &DataType) -> Option<RangeInclusive<i64>> {
    let (first, end) = (i64::from(Date::FIRST.0), i64::from(Date::LAST.0) + 1);
    let units = match data_type {
        DataType::Date32 => return Some(first..=end - 1),
        DataType::Timestamp(TimeUnit::Second, _) => 1,
        DataType::Timestamp(TimeUnit::Millisecond, _) => 1_000,
        DataType::Timestamp(TimeUnit::Microsecond, _) => 1_000_000,
        _ => return None,
    };
    let per_day = SECONDS_PER_DAY * units;
    Some(first * per_day..=end * per_day - 1)
}

/// Looks at days and moments, and gives them on.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Within {
    name: &'static str,
    or_null: bool,
    signature: Signature,
}

impl Within {
    fn function(name: &'static str, or_null: bool) -> Arc<ScalarUDF> {
        let signature = Signature::any(1, Volatility::Immutable);
        Arc::new(ScalarUDF::from(Within { name, or_null, signature }))
    }

    fn looked_at(&self, array: ArrayRef) -> Result<ArrayRef> {
        match array.data_type() {
            DataType::Date32 => self.of::<Date32Type>(&array),
            DataType::Timestamp(TimeUnit::Second, _) => self.of::<TimestampSecondType>(&array),
            DataType::Timestamp(TimeUnit::Millisecond, _) => self.of::<TimestampMillisecondType>(&array),
            DataType::Timestamp(TimeUnit::Microsecond, _) => self.of::<TimestampMicrosecondType>(&array),
            _ => Ok(array),
        }
    }

    fn of<T: ArrowPrimitiveType<Native: Into<i64>>>(&self, array: &ArrayRef) -> Result<ArrayRef> {
        let Some(bounds) = bounds(array.data_type()) else { return Ok(Arc::clone(array)) };
        let moments = array.as_primitive::<T>();
        let is_within = |moment: T::Native| bounds.contains(&moment.into());
        if moments.iter().flatten().all(is_within) {
            return Ok(Arc::clone(array));
        }
        if !self.or_null {
            return Err(outside());
        }
        let kept: PrimitiveArray<T> = moments.iter().map(|moment| moment.filter(|it| is_within(*it))).collect();
        Ok(Arc::new(kept.with_data_type(array.data_type().clone())))
    }
}

impl ScalarUDFImpl for Within {
    fn name(&self) -> &str {
        self.name
    }

    fn schema_name(&self, arguments: &[Expr]) -> Result<String> {
        crate::tree::expression_names::of_call(self.name, arguments)
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Null))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.into_iter().next() {
            Some(ColumnarValue::Array(array)) => self.looked_at(array).map(ColumnarValue::Array),
            Some(ColumnarValue::Scalar(value)) => {
                let looked_at = self.looked_at(value.to_array()?)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&looked_at, 0)?))
            }
            None => internal_err!("{} of nothing", self.name),
        }
    }
}
