//! DATETIME and INTERVAL: base-100 digits of their fields, from the largest to the smallest.
//!
//! ```text
//!   DATETIME YEAR TO FRACTION(5)   2026-01-02 03:04:05.6789   C7 20 26 01 02 03 04 05 67 89 00 (digits in decimal)
//! ```
//!
//! A qualifier is `(digits << 8) | (first << 4) | last`. The exponent counts the pairs down to the second, even where the
//! last field is larger: `(digits + 10 - last + 1) / 2`. Fields have two digits, years four, and the first field of an
//! INTERVAL as many as were declared.

use crate::decimal::Pairs;
use crate::error::WireError;
use mainstay_types::{Date, Interval, TICKS_PER_DAY, TICKS_PER_SECOND, Time, Timestamp, Value, ValueRef};

/// A field of a DATETIME or INTERVAL, by its number on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unit(pub u8);

#[allow(missing_docs, reason = "each is its own name")]
impl Unit {
    pub const YEAR: Unit = Unit(0);
    pub const MONTH: Unit = Unit(2);
    pub const DAY: Unit = Unit(4);
    pub const HOUR: Unit = Unit(6);
    pub const MINUTE: Unit = Unit(8);
    pub const SECOND: Unit = Unit(10);

    /// FRACTION with this many digits, 1 to 5.
    pub fn fraction(digits: u8) -> Unit {
        Unit(10 + digits.clamp(1, 5))
    }
}

/// The fields that a DATETIME or INTERVAL has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Qualifier {
    /// The largest field.
    pub first: Unit,
    /// The smallest field.
    pub last: Unit,
    /// Digits of all fields together.
    pub digits: u8,
}

impl Qualifier {
    /// The qualifier of a DATETIME, whose fields have two digits and years four.
    pub fn datetime(first: Unit, last: Unit) -> Qualifier {
        let leading = if first == Unit::YEAR { 4 } else { 2 };
        Qualifier::interval(first, leading, last)
    }

    /// The qualifier of an INTERVAL whose first field has so many digits.
    pub fn interval(first: Unit, leading: u8, last: Unit) -> Qualifier {
        let whole = last.min(Unit::SECOND).0.saturating_sub(first.0);
        let fraction = last.0.saturating_sub(Unit::SECOND.0);
        let leading = if first > Unit::SECOND { 0 } else { leading };
        Qualifier { first, last, digits: leading + whole + fraction }
    }

    /// The qualifier of the length of a type.
    ///
    /// Errors: `Malformed` for fields in the wrong order.
    pub fn of_length(length: u32) -> Result<Qualifier, WireError> {
        let (digits, first, last) = ((length >> 8) as u8, (length >> 4) as u8 & 0xF, length as u8 & 0xF);
        let is_unit = |unit: u8| unit > 10 || unit.is_multiple_of(2);
        if first > last || !is_unit(first) || !is_unit(last) || digits == 0 || digits > 24 {
            return Err(WireError::Malformed("a qualifier of a DATETIME or INTERVAL"));
        }
        Ok(Qualifier { first: Unit(first), last: Unit(last), digits })
    }

    /// The same as the length of a type.
    pub fn length(self) -> u32 {
        (u32::from(self.digits) << 8) | (u32::from(self.first.0) << 4) | u32::from(self.last.0)
    }

    /// Pairs of digits down to the second.
    fn exponent(self) -> i32 {
        (i32::from(self.digits) + 10 - i32::from(self.last.0) + 1) / 2
    }

    /// Pairs of digits of a value.
    fn pairs(self) -> usize {
        ((usize::from(self.digits) + usize::from(self.last.0 & 1) + 3) / 2).saturating_sub(1)
    }

    /// Digits of the fraction of a second.
    pub fn fraction_digits(self) -> u8 {
        self.last.0.saturating_sub(Unit::SECOND.0)
    }

    /// Digits of the first field.
    pub fn leading_digits(self) -> u8 {
        let whole = self.last.min(Unit::SECOND).0.saturating_sub(self.first.0);
        self.digits.saturating_sub(whole + self.fraction_digits())
    }

    fn has(self, unit: Unit) -> bool {
        self.first <= unit && unit <= self.last.min(Unit::SECOND)
    }
}

/// Fields as numbers: year, month, day, hour, minute, second, and ticks of 100 ns.
#[derive(Clone, Copy, Debug, Default)]
struct Fields {
    units: [u32; 6],
    ticks: u32,
}

impl Fields {
    /// The pairs of the fields that a qualifier has.
    fn pairs(&self, qualifier: Qualifier) -> Vec<u8> {
        let mut digits = Vec::new();
        for (place, number) in self.units.iter().enumerate() {
            let unit = Unit(2 * place as u8);
            if !qualifier.has(unit) {
                continue;
            }
            let width = if unit == qualifier.first { usize::from(qualifier.leading_digits()).div_ceil(2) } else { 1 };
            let pair = |at: usize| (number / 100u32.saturating_pow(at as u32) % 100) as u8;
            digits.extend((0..width).rev().map(pair));
        }
        let fraction = usize::from(qualifier.fraction_digits());
        if fraction > 0 {
            // Seven digits of ticks, cut to those of the qualifier, then in pairs.
            let mut text = format!("{:07}", self.ticks);
            text.truncate(fraction);
            text.push_str(if fraction % 2 == 1 { "0" } else { "" });
            digits.extend(text.as_bytes().chunks(2).map(|pair| pair.iter().fold(0, |sum, d| sum * 10 + (d - b'0'))));
        }
        digits
    }

    /// The fields of pairs, of which so many are missing at the start or end.
    fn of_pairs(pairs: &Pairs, qualifier: Qualifier) -> Result<Fields, WireError> {
        let missing = usize::try_from(qualifier.exponent() - pairs.exponent)
            .map_err(|_| WireError::Malformed("a DATETIME or INTERVAL has digits before its first field"))?;
        if missing > qualifier.pairs() + 6 {
            return Err(WireError::Malformed("a DATETIME or INTERVAL has digits behind its last field"));
        }
        let mut digits =
            std::iter::repeat_n(0, missing).chain(pairs.digits.iter().copied()).chain(std::iter::repeat(0));
        let mut fields = Fields::default();
        for (place, number) in fields.units.iter_mut().enumerate() {
            let unit = Unit(2 * place as u8);
            if !qualifier.has(unit) {
                continue;
            }
            let width = if unit == qualifier.first { usize::from(qualifier.leading_digits()).div_ceil(2) } else { 1 };
            for _ in 0..width {
                let digit = u32::from(digits.next().unwrap_or(0));
                *number = number
                    .checked_mul(100)
                    .and_then(|number| number.checked_add(digit))
                    .ok_or(WireError::Malformed("the first field of an INTERVAL is too large"))?;
            }
        }
        let mut ticks = 0;
        for factor in [100_000, 1000, 10] {
            ticks += u32::from(digits.next().unwrap_or(0)) * factor;
        }
        fields.ticks = if qualifier.fraction_digits() > 0 { ticks } else { 0 };
        Ok(fields)
    }

    fn of_day_ticks(&mut self, ticks: i64) {
        let ticks = ticks.clamp(0, TICKS_PER_DAY - 1);
        let seconds = (ticks / TICKS_PER_SECOND) as u32;
        self.units[3] = seconds / 3600;
        self.units[4] = seconds / 60 % 60;
        self.units[5] = seconds % 60;
        self.ticks = (ticks % TICKS_PER_SECOND) as u32;
    }

    fn day_ticks(&self) -> i64 {
        let seconds = i64::from(self.units[3]) * 3600 + i64::from(self.units[4]) * 60 + i64::from(self.units[5]);
        seconds * TICKS_PER_SECOND + i64::from(self.ticks)
    }
}

/// Appends a DATETIME: a date, a time or a moment, cut to the fields of the qualifier.
///
/// Errors: `Value` for values of other kinds, and for years that have no four digits.
pub fn encode_datetime(value: ValueRef<'_>, qualifier: Qualifier, out: &mut Vec<u8>) -> Result<(), WireError> {
    let mut fields = Fields { units: [1900, 1, 1, 0, 0, 0], ticks: 0 };
    let date_of = |fields: &mut Fields, date: Date| {
        let (year, month, day) = date.ymd();
        let year = u32::try_from(year).ok().filter(|year| *year <= 9999);
        let year = year.ok_or(WireError::Value("a year beyond four digits"))?;
        fields.units[..3].copy_from_slice(&[year, month, day]);
        Ok::<(), WireError>(())
    };
    match value {
        ValueRef::Date(date) => date_of(&mut fields, date)?,
        ValueRef::Time(time) => fields.of_day_ticks(time.0),
        ValueRef::Timestamp(moment) => {
            let (date, ticks) = moment.split();
            date_of(&mut fields, date)?;
            fields.of_day_ticks(ticks);
        }
        _ => return Err(WireError::Value("not a DATETIME")),
    }
    let pairs = Pairs { is_negative: false, exponent: qualifier.exponent(), digits: fields.pairs(qualifier) };
    pairs.write(Some(qualifier.pairs() + 1), out);
    Ok(())
}

/// The DATETIME of these bytes: a time of day if it begins with HOUR or a smaller field, else a moment. NULL is `Null`.
///
/// Errors: `Malformed`; `Value` for fields that are no date or time.
pub fn decode_datetime(bytes: &[u8], qualifier: Qualifier) -> Result<Value, WireError> {
    let Some(pairs) = Pairs::read(bytes)? else { return Ok(Value::Null) };
    let mut fields = Fields::of_pairs(&pairs, qualifier)?;
    let invalid = WireError::Value("the fields of a DATETIME are out of range");
    let [.., hour, minute, second] = fields.units;
    if hour > 23 || minute > 59 || second > 59 || pairs.is_negative {
        return Err(invalid);
    }
    if qualifier.first >= Unit::HOUR {
        return Ok(Value::Time(Time(fields.day_ticks())));
    }
    for (place, missing) in [1900, 1, 1].into_iter().enumerate() {
        if !qualifier.has(Unit(2 * place as u8)) {
            fields.units[place] = missing;
        }
    }
    let [year, month, day, ..] = fields.units;
    let year = i32::try_from(year).map_err(|_| invalid.clone())?;
    let date = Date::from_ymd(year, month, day).ok_or(invalid)?;
    Ok(Value::Timestamp(Timestamp::at(date, fields.day_ticks())))
}

/// Appends an INTERVAL, cut to the fields of the qualifier.
///
/// Errors: `Value` where the first field has too few digits, and for an interval of the other kind: months in fields of days,
/// or days in fields of months.
pub fn encode_interval(value: Interval, qualifier: Qualifier, out: &mut Vec<u8>) -> Result<(), WireError> {
    let mut fields = Fields::default();
    let too_long = || WireError::Value("an INTERVAL is longer than its first field has digits for");
    // Zero would stand for what the qualifier has no fields for.
    let is_lost = if qualifier.first <= Unit::MONTH { value.day_ticks() != 0 } else { value.months != 0 };
    if is_lost {
        return Err(WireError::Value("an INTERVAL of months has no days, and one of days has no months"));
    }
    let is_negative = if qualifier.first <= Unit::MONTH {
        let months = value.months.unsigned_abs();
        match qualifier.first {
            Unit::YEAR => fields.units[..2].copy_from_slice(&[months / 12, months % 12]),
            _ => fields.units[1] = months,
        }
        value.months < 0
    } else {
        let ticks = value.day_ticks();
        let mut rest = ticks.unsigned_abs();
        let second = TICKS_PER_SECOND as u128;
        let sizes = [86_400 * second, 3600 * second, 60 * second, second];
        for (place, size) in sizes.into_iter().enumerate().map(|(place, size)| (place + 2, size)) {
            if qualifier.has(Unit(2 * place as u8)) {
                fields.units[place] = u32::try_from(rest / size).map_err(|_| too_long())?;
                rest %= size;
            }
        }
        fields.ticks = (rest % second) as u32;
        ticks < 0
    };
    let leading = fields.units.get(usize::from(qualifier.first.0 / 2)).copied().unwrap_or(0);
    if leading >= 10u32.saturating_pow(u32::from(qualifier.leading_digits())) && qualifier.first <= Unit::SECOND {
        return Err(too_long());
    }
    let pairs = Pairs { is_negative, exponent: qualifier.exponent(), digits: fields.pairs(qualifier) };
    pairs.write(Some(qualifier.pairs() + 1), out);
    Ok(())
}

/// The INTERVAL of these bytes; `None` for NULL.
///
/// Errors: `Malformed`; `Value` for one that is too long.
pub fn decode_interval(bytes: &[u8], qualifier: Qualifier) -> Result<Option<Interval>, WireError> {
    let Some(pairs) = Pairs::read(bytes)? else { return Ok(None) };
    let fields = Fields::of_pairs(&pairs, qualifier)?;
    let sign = if pairs.is_negative { -1 } else { 1 };
    let too_long = || WireError::Value("an INTERVAL is too long");
    if qualifier.first <= Unit::MONTH {
        let months = i64::from(fields.units[0]) * 12 + i64::from(fields.units[1]);
        let months = i32::try_from(sign * months).map_err(|_| too_long())?;
        return Ok(Some(Interval::from_months(months)));
    }
    let day = i128::from(fields.units[2]) * i128::from(TICKS_PER_DAY);
    Interval::from_ticks(i128::from(sign) * (day + i128::from(fields.day_ticks()))).map(Some).ok_or_else(too_long)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datetimes_have_the_bytes_of_the_reference_page() {
        // As JDBC binds 2026-01-02 03:04:05.67890.
        let moment =
            Timestamp::at(Date::from_ymd(2026, 1, 2).unwrap(), (3 * 3600 + 4 * 60 + 5) * TICKS_PER_SECOND + 6_789_000);
        let qualifier = Qualifier::datetime(Unit::YEAR, Unit::fraction(5));
        assert_eq!(qualifier.length(), 0x130F);
        let mut out = Vec::new();
        encode_datetime(ValueRef::Timestamp(moment), qualifier, &mut out).unwrap();
        assert_eq!(out, [0xC7, 0x14, 0x1A, 1, 2, 3, 4, 5, 0x43, 0x59, 0]);
        assert_eq!(decode_datetime(&out, qualifier).unwrap(), Value::Timestamp(moment));
    }

    #[test]
    fn times_have_no_date() {
        let time = Time((23 * 3600 + 59 * 60 + 1) * TICKS_PER_SECOND);
        let qualifier = Qualifier::datetime(Unit::HOUR, Unit::SECOND);
        let mut out = Vec::new();
        encode_datetime(ValueRef::Time(time), qualifier, &mut out).unwrap();
        assert_eq!(out, [0xC3, 23, 59, 1]);
        assert_eq!(decode_datetime(&out, qualifier).unwrap(), Value::Time(time));
    }

    #[test]
    fn intervals_keep_sign_and_first_field() {
        let qualifier = Qualifier::interval(Unit::DAY, 3, Unit::SECOND);
        let value = Interval { months: 0, days: -123, ticks: -(4 * 3600 + 5 * 60 + 6) * TICKS_PER_SECOND };
        let mut out = Vec::new();
        encode_interval(value, qualifier, &mut out).unwrap();
        // 5 pairs 01 23 04 05 06, complemented; exponent 5.
        assert_eq!(out, [(64 + 5) ^ 0x7F, 98, 76, 95, 94, 94]);
        assert_eq!(decode_interval(&out, qualifier).unwrap(), Some(value));
        let years = Qualifier::interval(Unit::YEAR, 4, Unit::MONTH);
        let mut out = Vec::new();
        encode_interval(Interval::from_months(18), years, &mut out).unwrap();
        assert_eq!(out, [0x80 | (64 + 7), 0, 1, 6]);
        assert_eq!(decode_interval(&out, years).unwrap(), Some(Interval::from_months(18)));
        assert!(encode_interval(Interval::from_months(12 * 100_000), years, &mut out).is_err());
        assert!(encode_interval(Interval::from_months(18), qualifier, &mut out).is_err());
        assert!(encode_interval(value, years, &mut out).is_err());
    }

    #[test]
    fn zeros_that_were_left_out_at_the_start_are_read() {
        let qualifier = Qualifier::interval(Unit::DAY, 3, Unit::SECOND);
        let value = Interval { months: 0, days: 0, ticks: 6 * TICKS_PER_SECOND };
        assert_eq!(decode_interval(&[0x80 | 65, 6], qualifier).unwrap(), Some(value));
    }
}
