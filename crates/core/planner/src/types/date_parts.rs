//! Date and time parts with all their digits, and truncation and differences of the timestamps that DataFusion has no
//! type for.
//!
//! ```text
//!   EXTRACT(SECOND FROM column)       56.1234567, a DECIMAL(9,7), or of microseconds 56.123456, a DECIMAL(8,6);
//!                                     MILLISECOND, MICROSECOND and EPOCH have all digits too, as times and intervals have
//!   EXTRACT(TIMEZONE FROM column)     the offset in seconds; TIMEZONE_HOUR and TIMEZONE_MINUTE
//!   EXTRACT(HOUR FROM column)         DataFusion's own, of the local time
//!   date_trunc('hour', column)        in the column's type: of the local time, with the same offset
//!   column - column                   an INTERVAL DAY TO SECOND of ticks; with offsets, in UTC
//! ```

use datafusion::arrow::array::{ArrayRef, AsArray, PrimitiveArray};
use datafusion::arrow::datatypes::{DataType, IntervalUnit, TimeUnit, TimestampMicrosecondType};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use mainstay_columnar::values::{OFFSET, TICKS, array_of, value_at};
use mainstay_types::{
    Code, Date, Decimal, Error, Interval, TICKS_PER_DAY, TICKS_PER_SECOND, Timestamp, Value, ValueRef,
};
use std::sync::Arc;

/// A part of a moment that DataFusion has no digits or no word for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    Epoch,
    Timezone,
    TimezoneHour,
    TimezoneMinute,
}

impl Part {
    /// The part of this name, if it is one of these; `to` is the type of the moment.
    pub(crate) fn of(name: &ScalarValue, to: &DataType) -> Option<Part> {
        let name = name.try_as_str().flatten()?.to_lowercase();
        let has_time = matches!(to, DataType::Timestamp(..) | DataType::Time64(_) | DataType::Interval(_));
        if !(has_time || *to == TICKS || *to == OFFSET) {
            return None;
        }
        Some(match name.as_str() {
            "second" | "seconds" | "sec" | "secs" => Part::Second,
            "millisecond" | "milliseconds" => Part::Millisecond,
            "microsecond" | "microseconds" => Part::Microsecond,
            "nanosecond" | "nanoseconds" => Part::Nanosecond,
            "epoch" => Part::Epoch,
            "timezone" if *to == OFFSET => Part::Timezone,
            "timezone_hour" if *to == OFFSET => Part::TimezoneHour,
            "timezone_minute" if *to == OFFSET => Part::TimezoneMinute,
            _ => return None,
        })
    }

    /// The type of the part of a value of this type.
    pub(crate) fn data_type(self, of: &DataType) -> DataType {
        let is_micros = matches!(of, DataType::Timestamp(TimeUnit::Microsecond | TimeUnit::Millisecond, _));
        // Digits less than with ticks.
        let less = if is_micros { 1 } else { 0 };
        let decimal = |precision: u8, scale: i8| match scale - less {
            0 => DataType::Int64,
            scale => DataType::Decimal128(precision - less as u8, scale),
        };
        match self {
            Part::Second => decimal(9, 7),
            Part::Millisecond => decimal(9, 4),
            Part::Microsecond => decimal(9, 1),
            Part::Nanosecond => DataType::Int64,
            Part::Epoch => decimal(19, 7),
            Part::Timezone | Part::TimezoneHour | Part::TimezoneMinute => DataType::Int32,
        }
    }

    /// The part of a value, as one of the type that it has.
    fn value(self, of: &Value, to: &DataType) -> Value {
        let (ticks, offset) = match of {
            Value::Timestamp(moment) => (i128::from(moment.0), 0),
            Value::TimestampWithOffset { utc, offset_minutes } => (i128::from(utc.0), i64::from(*offset_minutes)),
            Value::Time(time) => (i128::from(time.0), 0),
            Value::Interval(interval) => (self.of_interval(*interval), 0),
            _ => return Value::Null,
        };
        // Offsets are whole minutes, so seconds are the same on each clock. Those of an interval have its sign.
        let minute = i128::from(60 * TICKS_PER_SECOND);
        let of_minute = if matches!(of, Value::Interval(_)) { ticks % minute } else { ticks.rem_euclid(minute) };
        let decimal = |units: i128, scale: u8| {
            let number = Decimal::new(units, scale);
            match to {
                DataType::Decimal128(_, to) => number.rescale(to.unsigned_abs()).map_or(Value::Null, Value::Decimal),
                _ => {
                    number.rescale(0).and_then(|it| i64::try_from(it.unscaled).ok()).map_or(Value::Null, Value::Integer)
                }
            }
        };
        match self {
            Part::Second => decimal(of_minute, 7),
            Part::Millisecond => decimal(of_minute, 4),
            Part::Microsecond => decimal(of_minute, 1),
            Part::Nanosecond => Value::Integer(of_minute as i64 * 100),
            Part::Epoch => decimal(ticks, 7),
            Part::Timezone => Value::Integer(offset * 60),
            Part::TimezoneHour => Value::Integer(offset / 60),
            Part::TimezoneMinute => Value::Integer(offset % 60),
        }
    }

    /// The ticks of an interval: of all of it, with years of 365.25 and months of 30 days as PostgreSQL counts them, or of
    /// its time.
    fn of_interval(self, interval: Interval) -> i128 {
        if self != Part::Epoch {
            return i128::from(interval.ticks);
        }
        let (years, months) = (i128::from(interval.months / 12), i128::from(interval.months % 12));
        let day = i128::from(TICKS_PER_DAY);
        (years * 1_461 * day) / 4 + months * 30 * day + interval.day_ticks()
    }
}

/// The result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum What {
    Part(Part),
    Truncated,
    Difference,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Clock {
    what: What,
    signature: Signature,
}

impl Clock {
    fn call(what: What, args: Vec<Expr>) -> Expr {
        let signature = Signature::user_defined(Volatility::Immutable);
        let function = Arc::new(ScalarUDF::from(Clock { what, signature }));
        Expr::ScalarFunction(ScalarFunction::new_udf(function, args))
    }

    fn value(&self, args: &[Value], to: &DataType) -> mainstay_types::Result<Value> {
        let moment = |value: &Value| match value {
            Value::Timestamp(moment) => Some((*moment, None)),
            Value::TimestampWithOffset { utc, offset_minutes } => Some((*utc, Some(*offset_minutes))),
            _ => None,
        };
        Ok(match (self.what, args) {
            (What::Part(part), [value]) => part.value(value, to),
            (What::Truncated, [Value::Text(unit), value]) => match moment(value) {
                Some((moment, None)) => Value::Timestamp(truncated(unit, moment)?),
                Some((utc, Some(offset_minutes))) => {
                    let utc = truncated(unit, utc.to_local(offset_minutes))?.to_utc(offset_minutes);
                    Value::TimestampWithOffset { utc, offset_minutes }
                }
                None => Value::Null,
            },
            (What::Difference, [left, right]) => match (moment(left), moment(right)) {
                (Some((left, _)), Some((right, _))) => {
                    let ticks = i128::from(left.0) - i128::from(right.0);
                    Interval::from_ticks(ticks).map_or(Value::Null, Value::Interval)
                }
                _ => Value::Null,
            },
            _ => Value::Null,
        })
    }
}

/// A part of a moment of ours.
pub(crate) fn part(part: Part, moment: Expr) -> Expr {
    Clock::call(What::Part(part), vec![moment])
}

/// A moment of ours, cut off at a unit that is named.
pub(crate) fn truncation(unit: Expr, moment: Expr) -> Expr {
    Clock::call(What::Truncated, vec![unit, moment])
}

/// The interval from one moment to another; both are of one of our types.
pub(crate) fn difference(left: Expr, right: Expr) -> Expr {
    Clock::call(What::Difference, vec![left, right])
}

/// Moments in microseconds, cut off.
fn truncated_vector(
    unit: &str,
    moments: &PrimitiveArray<TimestampMicrosecondType>,
) -> mainstay_types::Result<ArrayRef> {
    let outside = || Error::new(Code::InvalidValue, "a timestamp outside of the years 1 to 9999");
    let cut = |us| truncated(unit, Timestamp::from_us(us).ok_or_else(outside)?).map(|moment| moment.us());
    let cut: PrimitiveArray<TimestampMicrosecondType> = moments.try_unary(cut)?;
    Ok(Arc::new(cut))
}

/// The first moment of the unit that a moment is in.
fn truncated(unit: &str, moment: Timestamp) -> mainstay_types::Result<Timestamp> {
    let (date, ticks) = moment.split();
    let cut = |length: i64| Timestamp::at(date, ticks - ticks % length);
    let (year, month, _) = date.ymd();
    let day = |date: Option<Date>| {
        let outside = || Error::new(Code::InvalidValue, "a timestamp outside of the years 1 to 9999");
        date.map(|date| Timestamp::at(date, 0)).ok_or_else(outside)
    };
    let of_years = |count: i32, first: i32| day(Date::from_ymd(year - (year - first).rem_euclid(count), 1, 1));
    Ok(match unit.to_lowercase().as_str() {
        "microsecond" | "microseconds" => cut(TICKS_PER_SECOND / 1_000_000),
        "millisecond" | "milliseconds" => cut(TICKS_PER_SECOND / 1_000),
        "second" | "seconds" => cut(TICKS_PER_SECOND),
        "minute" | "minutes" => cut(TICKS_PER_SECOND * 60),
        "hour" | "hours" => cut(TICKS_PER_SECOND * 3_600),
        "day" | "days" => cut(TICKS_PER_DAY),
        // From Monday on; the days of the week are counted from Sunday.
        "week" | "weeks" => {
            let before = (date.weekday() as i32 + 6) % 7;
            day(Some(Date(date.0 - before)))?
        }
        "month" | "months" => day(Date::from_ymd(year, month, 1))?,
        "quarter" | "quarters" => day(Date::from_ymd(year, (month - 1) / 3 * 3 + 1, 1))?,
        "year" | "years" => of_years(1, 0)?,
        "decade" => of_years(10, 0)?,
        "century" => of_years(100, 1)?,
        "millennium" => of_years(1_000, 1)?,
        _ => return Err(Error::new(Code::InvalidValue, format!("date_trunc to '{unit}', which is no unit of time"))),
    })
}

impl ScalarUDFImpl for Clock {
    fn name(&self) -> &str {
        match self.what {
            What::Part(_) => "moment_part",
            What::Truncated => "moment_trunc",
            What::Difference => "moment_difference",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(match self.what {
            What::Part(part) => part.data_type(types.first().unwrap_or(&TICKS)),
            What::Truncated => types.get(1).cloned().unwrap_or(OFFSET),
            What::Difference => DataType::Interval(IntervalUnit::MonthDayNano),
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let to = args.return_field.data_type().clone();
        if let (What::Truncated, [ColumnarValue::Scalar(unit), ColumnarValue::Array(moments)]) =
            (self.what, args.args.as_slice())
            && let (Some(Some(unit)), Some(moments)) = (unit.try_as_str(), moments.as_primitive_opt())
        {
            return truncated_vector(unit, moments)
                .map(ColumnarValue::Array)
                .map_err(crate::carried_error::to_datafusion);
        }
        by_rows(&args, &to, |values| self.value(values, &to).map_err(crate::carried_error::to_datafusion))
    }
}

/// The results of a function that is asked row by row.
pub(crate) fn by_rows(
    args: &ScalarFunctionArgs,
    to: &DataType,
    of: impl Fn(&[Value]) -> Result<Value>,
) -> Result<ColumnarValue> {
    let is_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
    let rows = if is_scalar { 1 } else { args.number_rows };
    let arrays = args.args.iter().map(|arg| arg.to_array(rows)).collect::<Result<Vec<ArrayRef>>>()?;
    let mut values = Vec::with_capacity(rows);
    let mut row_values = Vec::with_capacity(arrays.len());
    for row in 0..rows {
        row_values.clear();
        for array in &arrays {
            row_values.push(value_at(array.as_ref(), row).map_err(crate::carried_error::to_datafusion)?);
        }
        values.push(of(&row_values)?);
    }
    let refs: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
    let array = array_of(to, &refs);
    if array.len() != rows {
        return internal_err!("{} results for {rows} rows", array.len());
    }
    match is_scalar {
        true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?)),
        false => Ok(ColumnarValue::Array(array)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_begin_where_calendars_say() {
        let cut = |unit: &str, text: &str| {
            let (moment, _) = Timestamp::parse_with_offset(text).unwrap();
            truncated(unit, moment).unwrap().to_string()
        };
        let moment = "2024-02-29 12:34:56.1234567";
        assert_eq!(cut("microsecond", moment), "2024-02-29 12:34:56.123456");
        assert_eq!(cut("Hour", moment), "2024-02-29 12:00:00");
        assert_eq!(cut("week", moment), "2024-02-26 00:00:00");
        assert_eq!(cut("week", "2024-03-03 00:00:00"), "2024-02-26 00:00:00");
        assert_eq!(cut("quarter", "2024-06-30 23:00:00"), "2024-04-01 00:00:00");
        assert_eq!(cut("century", "2000-06-30 23:00:00"), "1901-01-01 00:00:00");
        assert_eq!(cut("hour", "0001-01-01 00:59:59.9999999"), "0001-01-01 00:00:00");
        assert!(truncated("fortnight", Timestamp(0)).is_err());
    }
}
