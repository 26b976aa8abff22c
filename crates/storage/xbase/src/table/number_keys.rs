//! Conditions on numbers, days and truth values as ranges of keys that are such values.
//!
//! A computed key (`QTY*PRICE`) was computed with doubles, and SQL's value is exact: the range is wider by the possible
//! error of the doubles, which follows from the greatest values of the fields.

use super::Files;
use super::bounds::{Interval, Leaf, Part};
use crate::dbf::FieldKind;
use crate::expr::Kind;
use crate::index::{EncodedKey, KeyType, KeyValue};
use mainstay_columnar::{Comparison, Operation, Term, Test};
use mainstay_types::{Date, Value};

/// The greatest error of one operation with doubles, with room to spare.
const UNIT: f64 = 1.0 / (1u64 << 50) as f64;

/// Days of a column from one to another; `None` where there is no end.
pub(super) struct Days {
    pub(super) column: usize,
    pub(super) first: Option<Date>,
    pub(super) last: Option<Date>,
}

/// The days of a column of which a condition can hold.
pub(super) fn days(asked: &Term, test: &Test) -> Option<Days> {
    let Test::Compare(op, value) = test else { return None };
    let (column, first, last) = match (asked, value) {
        (Term::Column(column), Value::Date(day)) => (*column, *day, *day),
        (Term::Year(day), Value::Integer(year)) => {
            let Term::Column(column) = day.as_ref() else { return None };
            let year = i32::try_from(*year).ok().filter(|year| (1..=9999).contains(year))?;
            (*column, Date::from_ymd(year, 1, 1)?, Date::from_ymd(year, 12, 31)?)
        }
        _ => return None,
    };
    let (first, last) = match op {
        Comparison::Equal => (Some(first), Some(last)),
        Comparison::Less | Comparison::LessOrEqual => (None, Some(last)),
        Comparison::Greater | Comparison::GreaterOrEqual => (Some(first), None),
        Comparison::NotEqual => return None,
    };
    Some(Days { column, first, last })
}

/// The keys of the records that satisfy a condition.
pub(super) fn interval(of: &Part<'_>, term: &Term, (asked, test): Leaf<'_>) -> Option<Interval> {
    let key_type = of.key_type;
    if matches!(of.part.kind, Kind::Date | Kind::Timestamp)
        && let Some(days) = days(asked, test).filter(|days| *term == Term::Column(days.column))
    {
        let bound = |day: Option<Date>, op| match day {
            None => Some(None),
            Some(day) => Some(Some(compared(&key_type, op, &KeyValue::Date(day))?)),
        };
        let lower = bound(days.first, Comparison::GreaterOrEqual)?.and_then(|interval| interval.lower);
        // The moments of a day come behind its beginning.
        let last = if of.part.kind == Kind::Timestamp { None } else { days.last };
        let upper = bound(last, Comparison::LessOrEqual)?.and_then(|interval| interval.upper);
        return (lower.is_some() || upper.is_some()).then(|| Interval { lower, upper, ..Interval::default() });
    }
    if asked != term {
        return None;
    }
    match test {
        Test::Compare(op, value) => {
            let value = key_value(value)?;
            match (term, &value) {
                (Term::Arithmetic(..), KeyValue::Decimal(_) | KeyValue::Float(_)) => {
                    computed(&key_type, of.files, term, *op, &value)
                }
                (Term::Arithmetic(..), _) => None,
                _ => compared(&key_type, *op, &value),
            }
        }
        Test::Truth(value) if of.part.kind == Kind::Logical => {
            compared(&key_type, Comparison::Equal, &KeyValue::Logical(*value))
        }
        Test::Null => blank_date(of),
        _ => None,
    }
}

/// The keys of the records in which a day is NULL because it is blank.
fn blank_date(of: &Part<'_>) -> Option<Interval> {
    let key_type = of.key_type;
    if !matches!(of.part.kind, Kind::Date | Kind::Timestamp) || key_type.is_nullable() {
        return None;
    }
    match key_type.encode(&KeyValue::BlankDate)? {
        EncodedKey::Exact(key) => Some(Interval { upper: Some(key), ..Interval::default() }),
        _ => None,
    }
}

fn key_value(value: &Value) -> Option<KeyValue<'static>> {
    Some(match value {
        Value::Integer(_) | Value::Decimal(_) => KeyValue::Decimal(value.as_decimal()?),
        Value::Float(number) => KeyValue::Float(*number),
        Value::Date(day) => KeyValue::Date(*day),
        Value::Timestamp(moment) => KeyValue::Timestamp(*moment),
        Value::Boolean(value) => KeyValue::Logical(*value),
        // xBase has no such keys.
        Value::Null | Value::Text(_) | Value::Binary(_) | Value::Time(_) => return None,
        Value::TimestampWithOffset { .. } | Value::Interval(_) | Value::Uuid(_) => return None,
    })
}

fn compared(key_type: &KeyType, op: Comparison, value: &KeyValue<'_>) -> Option<Interval> {
    let encoded = key_type.encode(value)?;
    match (op, encoded) {
        (Comparison::Equal, EncodedKey::Exact(key) | EncodedKey::Shared(key)) => {
            let exact = Some(key.clone());
            Some(Interval { lower: Some(key.clone()), upper: Some(key), exact, text: String::new() })
        }
        (
            Comparison::Greater | Comparison::GreaterOrEqual,
            EncodedKey::Exact(key) | EncodedKey::Shared(key) | EncodedKey::After(key),
        ) => Some(Interval { lower: Some(key), ..Interval::default() }),
        (
            Comparison::Less | Comparison::LessOrEqual,
            EncodedKey::Exact(key) | EncodedKey::Shared(key) | EncodedKey::After(key),
        ) => Some(Interval { upper: Some(key), ..Interval::default() }),
        _ => None,
    }
}

/// The keys of the records in which a computed number stands so to a value.
fn computed(key_type: &KeyType, files: &Files, term: &Term, op: Comparison, value: &KeyValue<'_>) -> Option<Interval> {
    let value = match value {
        KeyValue::Decimal(number) => number.to_f64(),
        KeyValue::Float(number) => *number,
        _ => return None,
    };
    let doubt = Doubt::of(files, term)?;
    let by_size = doubt.relative.map_or(f64::INFINITY, |relative| value.abs() * relative);
    let margin = doubt.absolute.min(by_size) + value.abs() * UNIT;
    if !margin.is_finite() {
        return None;
    }
    let lower = || compared(key_type, Comparison::GreaterOrEqual, &KeyValue::Float(value - margin));
    let upper = || compared(key_type, Comparison::LessOrEqual, &KeyValue::Float(value + margin));
    match op {
        Comparison::Equal => Some(Interval { upper: upper()?.upper, ..lower()? }),
        Comparison::Less | Comparison::LessOrEqual => upper(),
        Comparison::Greater | Comparison::GreaterOrEqual => lower(),
        Comparison::NotEqual => None,
    }
}

/// By how much a value that is computed with doubles can be wrong.
struct Doubt {
    /// The value is never larger than this.
    most: f64,
    absolute: f64,
    /// The same as a share of the value, where it is one.
    relative: Option<f64>,
}

impl Doubt {
    fn of(files: &Files, term: &Term) -> Option<Doubt> {
        let number = |most: f64| Doubt { most, absolute: most * UNIT, relative: Some(UNIT) };
        Some(match term {
            Term::Number(value) => number(value.to_f64().abs()),
            Term::Column(column) => {
                let field = files.dbf.fields().get(*column)?;
                number(match field.kind {
                    FieldKind::Numeric => 10f64.powi(i32::try_from(field.length).ok()?),
                    FieldKind::Integer | FieldKind::IntegerSortable => f64::from(u32::MAX),
                    FieldKind::Currency => 1e15,
                    // SQL's results with doubles are not exact either.
                    _ => return None,
                })
            }
            Term::Arithmetic(operation, left, right) => {
                let (left, right) = (Doubt::of(files, left)?, Doubt::of(files, right)?);
                match operation {
                    Operation::Plus | Operation::Minus => {
                        let most = left.most + right.most;
                        Doubt { most, absolute: left.absolute + right.absolute + most * UNIT, relative: None }
                    }
                    Operation::Times => Doubt {
                        most: left.most * right.most,
                        absolute: left.most * right.absolute
                            + right.most * left.absolute
                            + left.most * right.most * UNIT,
                        relative: left.relative.zip(right.relative).map(|(left, right)| left + right + UNIT),
                    },
                }
            }
            _ => return None,
        })
    }
}
