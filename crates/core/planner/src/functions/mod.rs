//! PostgreSQL's scalar functions that DataFusion does not have.
//!
//! ```text
//!   sign(n)  div(n, m)  width_bucket(x, low, high, buckets)
//!   age(a, b)  justify_days(i)  justify_hours(i)  justify_interval(i)
//!   make_timestamp(y, m, d, h, m, s)  make_time(h, m, s)
//!   interval * n, interval / n        fractions of months become days of 30, those of days time
//!   to_char, to_date, to_timestamp    with PostgreSQL's templates: `template`
//!   isfinite(moment)  make_interval(...)  of texts and bytes: `texts`
//! ```

pub(crate) mod collate_clause;
pub(crate) mod joined;
pub(crate) mod like_pattern;
pub(crate) mod ordered_sets;
pub(crate) mod rank;
pub(crate) mod regression;
pub(crate) mod result_sizes;
pub(crate) mod sequences;
pub(crate) mod series;
pub(crate) mod sources;
pub(crate) mod string_agg;
pub(crate) mod template;

mod fields;
mod texts;

use crate::functions::template::Template;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, TimeUnit};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use mainstay_types::{
    Code, Date, Decimal, Error, Interval, Result as BaseResult, SqlType, TICKS_PER_DAY, TICKS_PER_SECOND, Time,
    Timestamp, Value, convert,
};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Days of a month where one is counted in days.
const DAYS_OF_MONTH: i64 = 30;

const MICROS: DataType = DataType::Timestamp(TimeUnit::Microsecond, None);
use crate::types::average_sums::INTERVAL;

/// A function on the values of a row.
#[derive(Clone, Debug)]
struct Ours {
    name: &'static str,
    /// How many, or [`ANY`].
    arguments: usize,
    result: fn(&Given<'_>) -> DataType,
    value: fn(&[Value]) -> BaseResult<Value>,
    signature: Signature,
}

/// The argument types and constants of a call that are known when it is planned.
struct Given<'a> {
    types: &'a [DataType],
    /// The arguments that are constants.
    constants: &'a [Option<&'a ScalarValue>],
}

/// The arguments of a function that takes any number of them, NULLs too. Others give NULL for a NULL.
const ANY: usize = usize::MAX;

type Parts = (&'static str, usize, fn(&Given<'_>) -> DataType, fn(&[Value]) -> BaseResult<Value>);

const FUNCTIONS: [Parts; 23] = [
    ("version", 0, |_| DataType::Utf8View, |_| Ok(Value::Text(format!("Mainstay {}", env!("CARGO_PKG_VERSION"))))),
    ("sign", 1, type_of_sign, sign),
    ("div", 2, |_| DataType::Decimal128(38, 0), div),
    ("width_bucket", 4, |_| DataType::Int32, width_bucket),
    ("age", 2, |_| INTERVAL, age),
    ("justify_days", 1, |_| INTERVAL, |values| justified(values, false, true)),
    ("justify_hours", 1, |_| INTERVAL, |values| justified(values, true, false)),
    ("justify_interval", 1, |_| INTERVAL, |values| justified(values, true, true)),
    ("make_time", 3, |_| DataType::Time64(TimeUnit::Nanosecond), make_time),
    ("make_timestamp", 6, |_| MICROS, make_timestamp),
    ("make_interval", 7, |_| INTERVAL, make_interval),
    ("isfinite", 1, |_| DataType::Boolean, |_| Ok(Value::Boolean(true))),
    ("md5", 1, |_| DataType::Utf8View, texts::md5),
    ("encode", 2, |_| DataType::Utf8View, texts::encode),
    ("decode", 2, |_| DataType::BinaryView, texts::decode),
    ("quote_literal", 1, |_| DataType::Utf8View, texts::quote_literal),
    ("quote_nullable", ANY, |_| DataType::Utf8View, texts::quote_literal),
    ("quote_ident", 1, |_| DataType::Utf8View, texts::quote_ident),
    ("format", ANY, |_| DataType::Utf8View, texts::format),
    ("to_number", 2, type_of_number, texts::to_number),
    ("field_text", ANY, |_| DataType::Utf8View, fields::text),
    ("field_number", ANY, fields::type_of_number, fields::decimal),
    ("code_page_text", ANY, |_| DataType::Utf8View, fields::whole),
];

/// How the names of hidden functions begin in what is made of a statement before it is planned.
pub(crate) const PREFIX: &str = "core:";

/// Those that statements do not call by their names.
const HIDDEN: [Parts; 6] = [
    (like_pattern::FUNCTION, 2, |_| DataType::Utf8View, like_pattern),
    ("interval_times", 2, |_| INTERVAL, |values| scaled(values, false)),
    ("interval_over", 2, |_| INTERVAL, |values| scaled(values, true)),
    ("to_char", 2, |_| DataType::Utf8View, to_char),
    ("to_date", 2, |_| DataType::Date32, |values| read(values, SqlType::Date)),
    ("to_timestamp", 2, |_| MICROS, |values| read(values, SqlType::Timestamp { digits: 6 })),
];

fn made((name, arguments, result, value): Parts) -> Arc<ScalarUDF> {
    let signature = Signature::user_defined(Volatility::Immutable);
    Arc::new(ScalarUDF::from(Ours { name, arguments, result, value, signature }))
}

/// The function of this name.
pub(crate) fn function(name: &str) -> Option<Arc<ScalarUDF>> {
    match name.strip_prefix(PREFIX) {
        Some(name) => HIDDEN.into_iter().find(|(known, ..)| *known == name).map(made),
        None => FUNCTIONS.into_iter().find(|(known, ..)| *known == name).map(made),
    }
}

/// The names of these functions.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.into_iter().map(|(name, ..)| name)
}

/// A call of a function that statements do not call by its name.
pub(crate) fn call(name: &str, args: Vec<Expr>) -> Option<Expr> {
    let parts = HIDDEN.into_iter().find(|(known, ..)| *known == name)?;
    Some(Expr::ScalarFunction(ScalarFunction::new_udf(made(parts), args)))
}

/// The result type of a function whose format is a template, and not the signs of C's `strftime`.
pub(crate) fn by_template(name: &str, template: Option<&ScalarValue>) -> Option<DataType> {
    let template = template?.try_as_str().flatten()?;
    let to = match name {
        "to_char" | "date_format" => DataType::Utf8View,
        "to_date" => DataType::Date32,
        "to_timestamp" => MICROS,
        _ => return None,
    };
    (!template.contains('%')).then_some(to)
}

impl ScalarUDFImpl for Ours {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        match self.arguments == ANY || types.len() == self.arguments {
            true => Ok(types.to_vec()),
            false => plan_err!("{} takes {} arguments", self.name, self.arguments),
        }
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok((self.result)(&Given { types, constants: &[] }))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let types: Vec<DataType> = args.arg_fields.iter().map(|field| field.data_type().clone()).collect();
        let result = (self.result)(&Given { types: &types, constants: args.scalar_arguments });
        Ok(Arc::new(Field::new(self.name, result, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let to = args.return_field.data_type().clone();
        crate::types::date_parts::by_rows(&args, &to, |values| {
            if self.arguments != ANY && values.iter().any(|value| matches!(value, Value::Null)) {
                return Ok(Value::Null);
            }
            (self.value)(values).map_err(crate::carried_error::to_datafusion)
        })
    }
}

impl PartialEq for Ours {
    fn eq(&self, other: &Ours) -> bool {
        self.name == other.name
    }
}

impl Eq for Ours {}

impl Hash for Ours {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

fn refused(function: &str, value: &Value) -> Error {
    Error::new(Code::TypeMismatch, format!("{function} does not take {value}"))
}

fn out_of_range(what: &str) -> Error {
    Error::new(Code::InvalidValue, format!("{what} is out of range"))
}

fn number(function: &str, value: &Value) -> BaseResult<f64> {
    value.as_ref().as_f64().ok_or_else(|| refused(function, value))
}

fn interval(function: &str, value: &Value) -> BaseResult<Interval> {
    match value {
        Value::Interval(interval) => Ok(*interval),
        Value::Text(text) => text.parse(),
        other => Err(refused(function, other)),
    }
}

/// The local time of a moment.
fn moment(function: &str, value: &Value) -> BaseResult<Timestamp> {
    match convert(value.as_ref(), SqlType::Timestamp { digits: 7 }) {
        Ok(Value::Timestamp(moment)) => Ok(moment),
        _ => Err(refused(function, value)),
    }
}

/// The type of what a template of `to_number` reads.
fn type_of_number(given: &Given<'_>) -> DataType {
    let template = given.constants.get(1).copied().flatten().and_then(|template| template.try_as_str().flatten());
    let decimals = template.map_or(texts::DECIMALS, texts::decimals);
    DataType::Decimal128(38, i8::try_from(decimals.min(38)).unwrap_or(38))
}

fn type_of_sign(given: &Given<'_>) -> DataType {
    match given.types.first() {
        Some(kind) if kind.is_integer() => kind.clone(),
        Some(DataType::Decimal128(..)) => DataType::Decimal128(1, 0),
        _ => DataType::Float64,
    }
}

fn sign(values: &[Value]) -> BaseResult<Value> {
    Ok(match values {
        [Value::Integer(number)] => Value::Integer(number.signum()),
        [Value::Decimal(number)] => Value::Decimal(Decimal::new(number.unscaled.signum(), 0)),
        [Value::Float(number)] => Value::Float(if *number == 0.0 { 0.0 } else { number.signum() }),
        [other] => return Err(refused("sign", other)),
        _ => Value::Null,
    })
}

/// The whole part of a quotient.
fn div(values: &[Value]) -> BaseResult<Value> {
    let [left, right] = values else { return Ok(Value::Null) };
    let exact = |value: &Value| value.as_ref().as_decimal().ok_or_else(|| refused("div", value));
    let (left, right) = (exact(left)?, exact(right)?);
    let scale = left.scale.max(right.scale);
    let (left, right) = left.rescale(scale).zip(right.rescale(scale)).ok_or_else(|| out_of_range("a quotient"))?;
    match left.unscaled.checked_div(right.unscaled) {
        Some(quotient) => Ok(Value::Decimal(Decimal::new(quotient, 0))),
        None => Err(Error::new(Code::DivisionByZero, "a division by zero")),
    }
}

/// In which of so many buckets of one width a number is: 0 before the first, one more than there are behind the last.
fn width_bucket(values: &[Value]) -> BaseResult<Value> {
    let [operand, low, high, Value::Integer(count)] = values else {
        return Err(Error::new(Code::TypeMismatch, "width_bucket takes three numbers and a whole one"));
    };
    let of = |value| number("width_bucket", value);
    let (operand, low, high) = (of(operand)?, of(low)?, of(high)?);
    if *count < 1 || *count >= i64::from(i32::MAX) || low == high || !(low.is_finite() && high.is_finite()) {
        return Err(Error::new(Code::InvalidValue, "width_bucket needs buckets, and bounds that differ"));
    }
    let share = (operand - low) / (high - low);
    Ok(Value::Integer(match share {
        share if share.is_nan() => return Err(out_of_range("the number")),
        share if share < 0.0 => 0,
        share if share >= 1.0 => count + 1,
        share => (share * *count as f64).floor() as i64 + 1,
    }))
}

/// The difference of two moments in years, months, days and time, as a person counts it.
fn age(values: &[Value]) -> BaseResult<Value> {
    let [later, earlier] = values else { return Ok(Value::Null) };
    let (later, earlier) = (moment("age", later)?, moment("age", earlier)?);
    if later < earlier {
        let Interval { months, days, ticks } = between(earlier, later)?;
        return Ok(Value::Interval(Interval { months: -months, days: -days, ticks: -ticks }));
    }
    between(later, earlier).map(Value::Interval)
}

fn between(later: Timestamp, earlier: Timestamp) -> BaseResult<Interval> {
    let ((to, to_ticks), (from, from_ticks)) = (later.split(), earlier.split());
    let ((to_year, to_month, to_day), (year, month, day)) = (to.ymd(), from.ymd());
    let mut months = (to_year - year) * 12 + to_month as i32 - month as i32;
    let (mut days, mut ticks) = (to_day as i32 - day as i32, to_ticks - from_ticks);
    if ticks < 0 {
        (days, ticks) = (days - 1, ticks + TICKS_PER_DAY);
    }
    if days < 0 {
        // The days of the month that the earlier moment is in.
        let next = if month == 12 { Date::from_ymd(year + 1, 1, 1) } else { Date::from_ymd(year, month + 1, 1) };
        let first = Date::from_ymd(year, month, 1).zip(next).ok_or_else(|| out_of_range("an age"))?;
        (months, days) = (months - 1, days + first.1.0 - first.0.0);
    }
    Ok(Interval { months, days, ticks })
}

fn justified(values: &[Value], hours: bool, days: bool) -> BaseResult<Value> {
    let [value] = values else { return Ok(Value::Null) };
    let Interval { months, days: count, ticks } = interval("justify", value)?;
    let (mut months, mut count, mut ticks) = (i64::from(months), i64::from(count), ticks);
    if hours {
        (count, ticks) = (count + ticks / TICKS_PER_DAY, ticks % TICKS_PER_DAY);
    }
    if days {
        (months, count) = (months + count / DAYS_OF_MONTH, count % DAYS_OF_MONTH);
    }
    // All parts of one sign, where both kinds are carried over.
    if hours && (count > 0 && ticks < 0 || days && count == 0 && months > 0 && ticks < 0) {
        (count, ticks) = (count - 1, ticks + TICKS_PER_DAY);
    } else if hours && (count < 0 && ticks > 0 || days && count == 0 && months < 0 && ticks > 0) {
        (count, ticks) = (count + 1, ticks - TICKS_PER_DAY);
    }
    if days && months > 0 && count < 0 {
        (months, count) = (months - 1, count + DAYS_OF_MONTH);
    } else if days && months < 0 && count > 0 {
        (months, count) = (months + 1, count - DAYS_OF_MONTH);
    }
    let narrow = |count: i64| i32::try_from(count).map_err(|_| out_of_range("an interval"));
    Ok(Value::Interval(Interval { months: narrow(months)?, days: narrow(count)?, ticks }))
}

/// An interval times a number, or divided by it.
fn scaled(values: &[Value], divides: bool) -> BaseResult<Value> {
    let [of, by] = values else { return Ok(Value::Null) };
    let (of, by) = (interval("*", of)?, number("*", by)?);
    if divides && by == 0.0 {
        return Err(Error::new(Code::DivisionByZero, "a division by zero"));
    }
    let factor = |count: f64| if divides { count / by } else { count * by };
    interval_of([f64::from(of.months), f64::from(of.days), of.ticks as f64].map(factor)).map(Value::Interval)
}

/// The interval of so many months, days and ticks, whose fractions go on in days of 30 to the month, and in time.
///
/// Errors: `InvalidValue` for one that is out of range.
pub(crate) fn interval_of([months, days, ticks]: [f64; 3]) -> BaseResult<Interval> {
    let days = days + (months - months.trunc()) * DAYS_OF_MONTH as f64;
    // A day that is all but whole comes of a fraction that a double does not have.
    let days = if (days - days.round()).abs() < 1e-9 { days.round() } else { days };
    let ticks = ticks + (days - days.trunc()) * TICKS_PER_DAY as f64;
    let narrow = |count: f64| {
        let fits = count.is_finite() && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&count);
        if fits { Ok(count.trunc() as i32) } else { Err(out_of_range("an interval")) }
    };
    // To microseconds, as moments have them.
    let micros = (ticks / 10.0).round();
    if !micros.is_finite() || micros.abs() > 9e17 {
        return Err(out_of_range("an interval"));
    }
    Ok(Interval { months: narrow(months)?, days: narrow(days)?, ticks: micros as i64 * 10 })
}

fn make_timestamp(values: &[Value]) -> BaseResult<Value> {
    let [
        Value::Integer(year),
        Value::Integer(month),
        Value::Integer(day),
        Value::Integer(hour),
        Value::Integer(minute),
        seconds,
    ] = values
    else {
        return Err(Error::new(Code::TypeMismatch, "make_timestamp takes whole numbers, and seconds"));
    };
    let wrong = || Error::new(Code::InvalidValue, "make_timestamp: there is no such moment");
    let year = i32::try_from(*year).ok().filter(|year| (1..=9999).contains(year)).ok_or_else(wrong)?;
    let small = |number: &i64| u32::try_from(*number).ok();
    let date = small(month).zip(small(day)).and_then(|(month, day)| Date::from_ymd(year, month, day));
    Ok(Value::Timestamp(Timestamp::at(date.ok_or_else(wrong)?, time_of(*hour, *minute, seconds)?.0)))
}

/// An interval of years, months, weeks, days, hours, minutes and seconds.
fn make_interval(values: &[Value]) -> BaseResult<Value> {
    let wrong = || out_of_range("an interval");
    let [counts @ .., seconds] = values else { return Ok(Value::Null) };
    let counts = counts.iter().map(|count| match count {
        Value::Integer(count) => Ok(i128::from(*count)),
        other => Err(refused("make_interval", other)),
    });
    let counts = counts.collect::<BaseResult<Vec<i128>>>()?;
    let [years, months, weeks, days, hours, minutes] = counts[..] else { return Ok(Value::Null) };
    let micros = match convert(seconds.as_ref(), SqlType::Decimal { precision: 18, scale: 6 })? {
        Value::Decimal(seconds) => seconds.unscaled,
        _ => 0,
    };
    let narrow = |count: i128| i32::try_from(count).map_err(|_| wrong());
    let ticks = (hours * 60 + minutes) * i128::from(60 * TICKS_PER_SECOND) + micros * 10;
    let ticks = i64::try_from(ticks).map_err(|_| wrong())?;
    Ok(Value::Interval(Interval { months: narrow(years * 12 + months)?, days: narrow(weeks * 7 + days)?, ticks }))
}

fn make_time(values: &[Value]) -> BaseResult<Value> {
    match values {
        [Value::Integer(hour), Value::Integer(minute), seconds] => time_of(*hour, *minute, seconds).map(Value::Time),
        _ => Err(Error::new(Code::TypeMismatch, "make_time takes whole numbers, and seconds")),
    }
}

/// The time of day with these parts; seconds may have six digits after the point.
fn time_of(hour: i64, minute: i64, seconds: &Value) -> BaseResult<Time> {
    let micros = match convert(seconds.as_ref(), SqlType::Decimal { precision: 9, scale: 6 })? {
        Value::Decimal(seconds) => i64::try_from(seconds.unscaled).ok(),
        _ => None,
    };
    let micros = micros.filter(|micros| (0..60_000_000).contains(micros));
    let small = |number: i64| u32::try_from(number).ok();
    let minutes = small(hour).zip(small(minute)).and_then(|(hour, minute)| Time::from_hms(hour, minute, 0, 0));
    let time = minutes.zip(micros).map(|(time, micros)| Time(time.0 + micros * (TICKS_PER_SECOND / 1_000_000)));
    time.ok_or_else(|| Error::new(Code::InvalidValue, "there is no such time of day"))
}

/// A pattern of LIKE with backslashes, and what escapes in it.
fn like_pattern(values: &[Value]) -> BaseResult<Value> {
    match values {
        [Value::Text(pattern), Value::Text(escape)] => {
            Ok(Value::Text(like_pattern::rewritten(pattern, escape.chars().next())))
        }
        _ => Err(Error::new(Code::TypeMismatch, "a pattern of LIKE is a text")),
    }
}

/// A moment, an interval or a number as text by a template.
fn to_char(values: &[Value]) -> BaseResult<Value> {
    let [value, Value::Text(format)] = values else { return Err(refused("to_char", &Value::Null)) };
    Ok(Value::Text(match value {
        Value::Integer(_) | Value::Decimal(_) | Value::Float(_) => crate::functions::template::number(value, format)?,
        Value::TimestampWithOffset { utc, offset_minutes } => {
            Template::new(format)?.shown(utc.to_local(*offset_minutes), *offset_minutes)
        }
        Value::Time(time) => Template::new(format)?.shown(Timestamp::at(Date(0), time.0), 0),
        other => Template::new(format)?.shown(moment("to_char", other)?, 0),
    }))
}

/// A moment that a text has in the places of a template.
fn read(values: &[Value], to: SqlType) -> BaseResult<Value> {
    let [Value::Text(text), Value::Text(format)] = values else { return Err(refused("to_date", &Value::Null)) };
    convert(Value::Timestamp(Template::new(format)?.read(text)?).as_ref(), to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: BaseResult<Value>) -> String {
        match value.unwrap() {
            Value::Interval(Interval { months, days, ticks }) => format!("{months} {days} {ticks}"),
            other => other.to_string(),
        }
    }

    fn at(text: &str) -> Value {
        Value::Timestamp(text.parse().unwrap())
    }

    #[test]
    fn ages_are_counted_as_postgres_counts_them() {
        let age = |a: &str, b: &str| shown(age(&[at(a), at(b)]));
        assert_eq!(age("2001-04-10", "1957-06-13"), format!("{} 27 0", 43 * 12 + 9));
        assert_eq!(age("2024-03-01", "2024-01-31"), "1 1 0");
        assert_eq!(age("2024-01-31", "2024-03-01"), "-1 -1 0");
        assert_eq!(age("2024-01-02 00:00", "2024-01-01 01:00"), "0 0 828000000000");
    }

    #[test]
    fn intervals_are_justified_and_multiplied() {
        let of = |months, days, hours: i64| {
            Value::Interval(Interval { months, days, ticks: hours * 3_600 * TICKS_PER_SECOND })
        };
        assert_eq!(shown(justified(&[of(0, 35, 0)], false, true)), "1 5 0");
        assert_eq!(shown(justified(&[of(0, 0, 27)], true, false)), "0 1 108000000000");
        assert_eq!(shown(justified(&[of(1, 0, -1)], true, true)), "0 29 828000000000");
        assert_eq!(shown(scaled(&[of(0, 1, 0), Value::Float(1.5)], false)), "0 1 432000000000");
        assert_eq!(shown(scaled(&[of(1, 0, 0), Value::Integer(2)], true)), "0 15 0");
        assert_eq!(shown(scaled(&[of(0, 0, 1), Value::Integer(-3)], false)), "0 0 -108000000000");
        assert!(scaled(&[of(0, 1, 0), Value::Integer(0)], true).is_err());
    }

    #[test]
    fn buckets_are_of_one_width() {
        let bucket = |x: f64| {
            let bounds = [Value::Float(x), Value::Float(0.024), Value::Float(10.06), Value::Integer(5)];
            shown(width_bucket(&bounds))
        };
        assert_eq!([bucket(5.35), bucket(-1.0), bucket(10.06), bucket(0.024)], ["3", "0", "6", "1"]);
    }
}
