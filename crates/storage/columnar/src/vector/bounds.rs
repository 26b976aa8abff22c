//! Comparisons with a value as ranges of the integers that a column stores.
//!
//! Whatever the types, a comparison of a number column with a value selects ranges of stored integers:
//!
//! ```text
//!   Decimal(8,2) > 1.005      1.005 lies between the stored 100 and 101      101 ..= max
//!   Decimal(8,2) = 1.005                                                     nothing
//!   Date <> 2024-02-29                             min ..= 19781, 19783 ..= max
//!   a BETWEEN 1 AND 5 AND a <> 3                   1 ..= 2, 4 ..= 5
//! ```
//!
//! So a condition on one column becomes a [`Ranges`] once, AND, OR and NOT of such conditions are
//! intersections, unions and complements of sets of ranges, and only the ranges meet the rows.
//!
//! A value is reduced to two [`Cuts`] of the order of stored integers: the first that is not below it, and
//! the first that is above it. For exact values that is a division. For a double against a decimal or an
//! integer the general executor converts the *column* to doubles; that conversion never decreases, so the
//! cuts are found by bisection with the very same conversion.

use super::kernel::{signless, uuid_order};
use super::physical::UUID_BYTES;
use crate::predicate::Comparison;
use crate::values::{OFFSET, TICKS};
use arrow_schema::{DataType, TimeUnit};
use mainstay_types::{Code, Error, Result, Value};

/// The meaning of a column's stored integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Measure {
    /// A number: the stored integer times 10^-scale.
    Number { scale: i8 },
    /// A double, stored as itself and compared as its total-order integer.
    Double,
    /// A timestamp, in units of this many nanoseconds since 1970.
    Moment { unit_ns: i128 },
    /// A timestamp in UTC (TIMESTAMP WITH TIME ZONE in Arrow), in units of this many nanoseconds since 1970.
    Instant { unit_ns: i128 },
    /// A timestamp in UTC with an offset that does not count, packed into one number.
    Packed,
    /// A time of day, in units of this many nanoseconds since midnight.
    TimeOfDay { unit_ns: i128 },
    /// A UUID, stored as itself and compared as the integer of its bytes.
    Uuid,
    /// 0 or 1.
    Boolean,
}

impl Measure {
    /// The measure of a column type, `None` for text and bytes.
    pub(crate) fn of(data_type: &DataType) -> Option<Measure> {
        Some(match data_type {
            &TICKS => Measure::Moment { unit_ns: 100 },
            &OFFSET => Measure::Packed,
            DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) | DataType::Decimal128(_, scale) => {
                Measure::Number { scale: *scale }
            }
            DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 | DataType::UInt32 => {
                Measure::Number { scale: 0 }
            }
            DataType::Float32 | DataType::Float64 => Measure::Double,
            DataType::Date32 => Measure::Moment { unit_ns: 86_400_000_000_000 },
            DataType::Timestamp(unit, None) => Measure::Moment { unit_ns: nanoseconds(*unit) },
            DataType::Timestamp(unit, Some(_)) => Measure::Instant { unit_ns: nanoseconds(*unit) },
            DataType::Time32(unit @ TimeUnit::Millisecond) | DataType::Time64(unit @ TimeUnit::Nanosecond) => {
                Measure::TimeOfDay { unit_ns: nanoseconds(*unit) }
            }
            DataType::FixedSizeBinary(UUID_BYTES) => Measure::Uuid,
            DataType::Boolean => Measure::Boolean,
            _ => return None,
        })
    }
}

fn nanoseconds(unit: TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

/// Where a value falls among integers; `None` is past the largest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cuts {
    /// The first integer that is not below the value.
    not_below: Option<i128>,
    /// The first integer above the value.
    above: Option<i128>,
}

impl Cuts {
    const BELOW_ALL: Cuts = Cuts { not_below: Some(i128::MIN), above: Some(i128::MIN) };
    const ABOVE_ALL: Cuts = Cuts { not_below: None, above: None };

    fn exactly(value: i128) -> Cuts {
        Cuts { not_below: Some(value), above: value.checked_add(1) }
    }

    /// `numerator / divisor`
    fn quotient(numerator: i128, divisor: i128) -> Cuts {
        let (floor, rest) = (numerator.div_euclid(divisor), numerator.rem_euclid(divisor));
        let next = floor.checked_add(1);
        Cuts { not_below: if rest == 0 { Some(floor) } else { next }, above: next }
    }

    /// `number * 10^shift`
    fn shifted(number: i128, shift: i32) -> Cuts {
        let power = 10i128.checked_pow(shift.unsigned_abs());
        match (shift >= 0, power) {
            (true, Some(power)) => match number.checked_mul(power) {
                Some(product) => Cuts::exactly(product),
                None => Cuts::beyond(number),
            },
            (true, None) => Cuts::beyond(number),
            (false, Some(power)) => Cuts::quotient(number, power),
            // The number is nearer to zero than one unit of the column.
            (false, None) => Cuts::quotient(number.signum(), 2),
        }
    }

    fn beyond(number: i128) -> Cuts {
        match number.signum() {
            0 => Cuts::exactly(0),
            1 => Cuts::ABOVE_ALL,
            _ => Cuts::BELOW_ALL,
        }
    }

    /// The cuts of a double among integers that `convert` takes to doubles without ever decreasing.
    fn bisect(value: f64, convert: impl Fn(i128) -> f64) -> Cuts {
        let wanted = signless(value);
        Cuts { not_below: first(|x| signless(convert(x)) >= wanted), above: first(|x| signless(convert(x)) > wanted) }
    }
}

/// The smallest integer for which `holds`, which once true stays true.
fn first(holds: impl Fn(i128) -> bool) -> Option<i128> {
    let (mut low, mut high) = (i128::MIN, i128::MAX);
    if !holds(high) {
        return None;
    }
    while low < high {
        let middle = low + (high.wrapping_sub(low) as u128 / 2) as i128;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

/// Where a value falls among the stored integers of a column.
fn cuts(measure: Measure, value: &Value) -> Result<Cuts> {
    let mismatch = || Error::new(Code::TypeMismatch, format!("a column cannot be compared with {value}"));
    let moment = |ns: i128, unit: i128| Cuts::quotient(ns, unit);
    Ok(match (measure, value) {
        (Measure::Number { scale }, Value::Integer(number)) => Cuts::shifted(i128::from(*number), i32::from(scale)),
        (Measure::Number { scale }, Value::Decimal(number)) => {
            Cuts::shifted(number.unscaled, i32::from(scale) - i32::from(number.scale))
        }
        (Measure::Number { scale }, Value::Float(number)) => {
            // The same two operations as the cast of a decimal to a double.
            let power = 10f64.powi(i32::from(scale));
            Cuts::bisect(*number, |stored| stored as f64 / power)
        }
        (Measure::Double, value) => Cuts::exactly(i128::from(signless(value.as_f64().ok_or_else(mismatch)?))),
        (Measure::Moment { unit_ns }, Value::Timestamp(at)) => moment(i128::from(at.0) * 100, unit_ns),
        (Measure::Moment { unit_ns }, Value::Date(day)) => moment(i128::from(day.0) * 86_400_000_000_000, unit_ns),
        (Measure::Instant { unit_ns }, Value::TimestampWithOffset { utc, .. }) => {
            moment(i128::from(utc.0) * 100, unit_ns)
        }
        // A timestamp without an offset is compared as UTC.
        (Measure::Packed, Value::TimestampWithOffset { utc, .. } | Value::Timestamp(utc)) => {
            let (first, last) = utc.packed_range();
            Cuts { not_below: Some(first), above: last.checked_add(1) }
        }
        // The UTC timestamp of a local time depends on the session's time zone.
        (Measure::Instant { .. }, Value::Timestamp(_) | Value::Date(_))
        | (Measure::Packed, Value::Date(_))
        | (Measure::Moment { .. }, Value::TimestampWithOffset { .. }) => {
            let message = format!("a condition on a timestamp with {value}, of which only one has a time zone");
            return Err(Error::new(Code::Unsupported, message));
        }
        (Measure::TimeOfDay { unit_ns }, Value::Time(time)) => moment(i128::from(time.0) * 100, unit_ns),
        (Measure::Uuid, Value::Uuid(uuid)) => Cuts::exactly(uuid_order(*uuid)),
        (Measure::Boolean, Value::Boolean(value)) => Cuts::exactly(i128::from(*value)),
        _ => return Err(mismatch()),
    })
}

/// Returns true if `stored op value` holds: what [`Ranges::compare`] says of all integers, for one.
pub(crate) fn compares(measure: Measure, op: Comparison, value: &Value, stored: i128) -> Result<bool> {
    if *value == Value::Null {
        return Ok(false);
    }
    let Cuts { not_below, above } = cuts(measure, value)?;
    let reaches = |cut: Option<i128>| cut.is_some_and(|cut| stored >= cut);
    Ok(match op {
        Comparison::Equal => reaches(not_below) && !reaches(above),
        Comparison::NotEqual => !reaches(not_below) || reaches(above),
        Comparison::Less => !reaches(not_below),
        Comparison::LessOrEqual => !reaches(above),
        Comparison::Greater => reaches(above),
        Comparison::GreaterOrEqual => reaches(not_below),
    })
}

/// A set of integers: ranges, both ends included, ascending, with gaps between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ranges(pub(crate) Vec<(i128, i128)>);

impl Ranges {
    /// The stored integers for which `stored op value` holds. NULL has none.
    pub(crate) fn compare(measure: Measure, op: Comparison, value: &Value) -> Result<Ranges> {
        if *value == Value::Null {
            return Ok(Ranges(Vec::new()));
        }
        let Cuts { not_below, above } = cuts(measure, value)?;
        Ok(match op {
            Comparison::Equal => Ranges::until(above).intersect(&Ranges::from(not_below)),
            Comparison::NotEqual => Ranges::until(above).intersect(&Ranges::from(not_below)).complement(),
            Comparison::Less => Ranges::until(not_below),
            Comparison::LessOrEqual => Ranges::until(above),
            Comparison::Greater => Ranges::from(above),
            Comparison::GreaterOrEqual => Ranges::from(not_below),
        })
    }

    /// The stored integers that equal one of the values, or (negated) that equal none.
    pub(crate) fn any_of(measure: Measure, values: &[Value], negated: bool) -> Result<Ranges> {
        if negated && values.contains(&Value::Null) {
            return Ok(Ranges(Vec::new()));
        }
        let mut all = Vec::new();
        for value in values {
            all.extend(Ranges::compare(measure, Comparison::Equal, value)?.0);
        }
        let union = Ranges::normalized(all);
        Ok(if negated { union.complement() } else { union })
    }

    fn from(cut: Option<i128>) -> Ranges {
        Ranges(cut.map(|cut| (cut, i128::MAX)).into_iter().collect())
    }

    fn until(cut: Option<i128>) -> Ranges {
        match cut {
            None => Ranges(vec![(i128::MIN, i128::MAX)]),
            Some(cut) => Ranges(cut.checked_sub(1).map(|last| (i128::MIN, last)).into_iter().collect()),
        }
    }

    fn normalized(mut all: Vec<(i128, i128)>) -> Ranges {
        all.sort_unstable();
        let mut ranges: Vec<(i128, i128)> = Vec::with_capacity(all.len());
        for (low, high) in all {
            match ranges.last_mut() {
                Some(last) if last.1 == i128::MAX || low <= last.1 + 1 => last.1 = last.1.max(high),
                _ => ranges.push((low, high)),
            }
        }
        Ranges(ranges)
    }

    pub(crate) fn union(self, other: &Ranges) -> Ranges {
        let mut all = self.0;
        all.extend(&other.0);
        Ranges::normalized(all)
    }

    pub(crate) fn intersect(&self, other: &Ranges) -> Ranges {
        let (mut i, mut j, mut both) = (0, 0, Vec::new());
        while let (Some(a), Some(b)) = (self.0.get(i), other.0.get(j)) {
            let (low, high) = (a.0.max(b.0), a.1.min(b.1));
            if low <= high {
                both.push((low, high));
            }
            if a.1 < b.1 { i += 1 } else { j += 1 }
        }
        Ranges(both)
    }

    pub(crate) fn complement(&self) -> Ranges {
        let (mut gaps, mut next) = (Vec::with_capacity(self.0.len() + 1), Some(i128::MIN));
        for (low, high) in &self.0 {
            if let Some(next) = next.filter(|next| next < low) {
                gaps.push((next, low - 1));
            }
            next = high.checked_add(1);
        }
        gaps.extend(next.map(|next| (next, i128::MAX)));
        Ranges(gaps)
    }

    pub(crate) fn contains(&self, value: i128) -> bool {
        let next = self.0.partition_point(|(low, _)| *low <= value);
        next > 0 && value <= self.0[next - 1].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_types::{Date, Decimal, Time, Timestamp};

    const CENTS: Measure = Measure::Number { scale: 2 };

    fn ranges(measure: Measure, op: Comparison, value: Value) -> Vec<(i128, i128)> {
        Ranges::compare(measure, op, &value).unwrap().0
    }

    #[test]
    fn a_value_between_two_stored_numbers() {
        let value = Value::Decimal(Decimal::new(1005, 3));
        assert_eq!(ranges(CENTS, Comparison::Greater, value.clone()), [(101, i128::MAX)]);
        assert_eq!(ranges(CENTS, Comparison::GreaterOrEqual, value.clone()), [(101, i128::MAX)]);
        assert_eq!(ranges(CENTS, Comparison::Less, value.clone()), [(i128::MIN, 100)]);
        assert_eq!(ranges(CENTS, Comparison::Equal, value.clone()), []);
        assert_eq!(ranges(CENTS, Comparison::NotEqual, value), [(i128::MIN, i128::MAX)]);
        let negative = Value::Decimal(Decimal::new(-1005, 3));
        assert_eq!(ranges(CENTS, Comparison::LessOrEqual, negative), [(i128::MIN, -101)]);
    }

    #[test]
    fn values_out_of_reach() {
        let huge = Value::Decimal(Decimal::new(10i128.pow(37), 0));
        assert_eq!(ranges(CENTS, Comparison::Less, huge.clone()), [(i128::MIN, i128::MAX)]);
        assert_eq!(ranges(CENTS, Comparison::Greater, huge), []);
        let tiny = Value::Decimal(Decimal::new(-1, 60));
        assert_eq!(ranges(CENTS, Comparison::Less, tiny.clone()), [(i128::MIN, -1)]);
        assert_eq!(ranges(CENTS, Comparison::Greater, tiny), [(0, i128::MAX)]);
        assert_eq!(ranges(CENTS, Comparison::Equal, Value::Null), []);
    }

    #[test]
    fn doubles_cut_where_the_cast_does() {
        assert_eq!(ranges(CENTS, Comparison::Equal, Value::Float(0.1)), [(10, 10)]);
        assert_eq!(ranges(CENTS, Comparison::Greater, Value::Float(1.005)), [(101, i128::MAX)]);
        assert_eq!(ranges(CENTS, Comparison::GreaterOrEqual, Value::Float(f64::NAN)), []);
        assert_eq!(ranges(CENTS, Comparison::Equal, Value::Float(-0.0)), [(0, 0)]);
        // Above 2^53 several integers are the same double.
        let whole = Measure::Number { scale: 0 };
        let at = 1i128 << 53;
        assert_eq!(ranges(whole, Comparison::Equal, Value::Float(at as f64)), [(at, at + 1)]);
    }

    #[test]
    fn moments_in_every_unit() {
        let days = Measure::Moment { unit_ns: 86_400_000_000_000 };
        assert_eq!(ranges(days, Comparison::Less, Value::Timestamp(Timestamp(1))), [(i128::MIN, 0)]);
        assert_eq!(ranges(days, Comparison::Equal, Value::Date(Date(-5))), [(-5, -5)]);
        let micros = Measure::Moment { unit_ns: 1000 };
        assert_eq!(ranges(micros, Comparison::Equal, Value::Date(Date(1))), [(86_400_000_000, 86_400_000_000)]);
        assert!(Ranges::compare(days, Comparison::Equal, &Value::Text("x".into())).is_err());
        // Ticks are finer than the units of some columns and coarser than those of others.
        assert_eq!(ranges(micros, Comparison::Equal, Value::Timestamp(Timestamp(15))), []);
        assert_eq!(ranges(micros, Comparison::Less, Value::Timestamp(Timestamp(15))), [(i128::MIN, 1)]);
        let nanos = Measure::of(&DataType::Time64(TimeUnit::Nanosecond)).unwrap();
        assert_eq!(ranges(nanos, Comparison::LessOrEqual, Value::Time(Time(15))), [(i128::MIN, 1_500)]);
    }

    #[test]
    fn offsets_do_not_count() {
        let packed = Measure::of(&OFFSET).unwrap();
        let (utc, before) = (Timestamp(20), Timestamp(19).packed(840));
        let (least, most) = (utc.packed(-840), utc.packed(840));
        for value in [Value::TimestampWithOffset { utc, offset_minutes: 60 }, Value::Timestamp(utc)] {
            let equal = Ranges::compare(packed, Comparison::Equal, &value).unwrap();
            assert!(equal.contains(least) && equal.contains(most) && !equal.contains(before));
            let less = Ranges::compare(packed, Comparison::Less, &value).unwrap();
            assert!(less.contains(before) && !less.contains(least));
            let greater = Ranges::compare(packed, Comparison::Greater, &value).unwrap();
            assert!(!greater.contains(most) && greater.contains(Timestamp(21).packed(-840)));
        }
        let ticks = Measure::of(&TICKS).unwrap();
        assert_eq!(
            ranges(ticks, Comparison::Equal, Value::Timestamp(Timestamp::LAST)),
            [(Timestamp::LAST.0.into(), Timestamp::LAST.0.into())]
        );
    }

    #[test]
    fn a_time_zone_on_one_side_only_is_left_to_the_planner() {
        let zoned = Measure::of(&DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into()))).unwrap();
        let plain = Measure::of(&DataType::Timestamp(TimeUnit::Microsecond, None)).unwrap();
        let with_offset = Value::TimestampWithOffset { utc: Timestamp(20), offset_minutes: 60 };
        assert_eq!(ranges(zoned, Comparison::Equal, with_offset.clone()), [(2, 2)]);
        for (measure, value) in
            [(zoned, Value::Timestamp(Timestamp(0))), (zoned, Value::Date(Date(0))), (plain, with_offset)]
        {
            let error = Ranges::compare(measure, Comparison::Equal, &value).unwrap_err();
            assert_eq!(error.code(), Code::Unsupported);
        }
    }

    #[test]
    fn the_first_and_the_last_uuid() {
        let last = Value::Uuid([0xFF; 16]);
        assert_eq!(ranges(Measure::Uuid, Comparison::Equal, last.clone()), [(i128::MAX, i128::MAX)]);
        assert_eq!(ranges(Measure::Uuid, Comparison::Greater, last), []);
        let first = Value::Uuid([0; 16]);
        assert_eq!(ranges(Measure::Uuid, Comparison::Less, first.clone()), []);
        assert_eq!(ranges(Measure::Uuid, Comparison::LessOrEqual, first), [(i128::MIN, i128::MIN)]);
    }

    #[test]
    fn sets_combine() {
        let values = [Value::Integer(1), Value::Integer(3), Value::Integer(2), Value::Integer(9)];
        let whole = Measure::Number { scale: 0 };
        let set = Ranges::any_of(whole, &values, false).unwrap();
        assert_eq!(set.0, [(1, 3), (9, 9)]);
        assert_eq!(set.complement().complement(), set);
        assert!(set.contains(2) && !set.contains(4) && !set.contains(i128::MIN));
        assert_eq!(set.intersect(&set.complement()).0, []);
        assert_eq!(set.clone().union(&set.complement()).0, [(i128::MIN, i128::MAX)]);
        assert_eq!(Ranges::any_of(whole, &[Value::Null], true).unwrap().0, []);
    }
}
