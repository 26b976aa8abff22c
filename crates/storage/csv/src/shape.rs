//! The possible readings of one text, and the readers.
//!
//! [`shape`] classifies a field without regard to its neighbours; [`crate::guess`] combines the
//! shapes of a column. The readers below ([`integer`], [`decimal`] and so on) turn a field into
//! a value once the type of its column is settled; they accept exactly the fields of that shape, so a
//! field that no longer fits (the file was changed) is noticed.
//!
//! Numbers are recognized strictly, because texts that look like one often are none: `00123` is an article
//! or a postal code, `+49` the beginning of a telephone number, `1.234,50` ambiguous. All of these stay
//! text, unless the options of the file give the sign between thousands ([`NumberFormat`]). Blanks around a value are
//! allowed (fixed-width exports have them) unless it is text, where they belong to it.

use crate::guess::DayOrder;
use mainstay_types::Date;

/// The shape of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Nothing but blanks: a NULL of any type but text.
    Blank,
    /// Digits, perhaps with a minus. `fits` is true if they fit an i64.
    Integer {
        digits: u32,
        fits: bool,
    },
    /// Digits with a point (or a decimal comma): how many before, not counting a lone zero, and after; and how many of those
    /// after are zeros before the first other digit of the number.
    Decimal {
        whole: u32,
        fraction: u32,
        zeros: u32,
        comma: bool,
    },
    /// A number with an exponent, and how many digits it has.
    Double {
        digits: u32,
    },
    Boolean,
    /// `2024-12-31`.
    IsoDate,
    /// `31.12.2024`.
    DottedDate,
    /// `31/12/2024` or `12/31/2024`: which of the two it can be.
    SlashedDate {
        day_first: bool,
        month_first: bool,
    },
    /// `2024-12-31T23:59:59.123` and how many digits the fraction has.
    Timestamp {
        fraction: u32,
    },
    Text,
}

/// The signs in the numbers of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NumberFormat {
    /// A comma may be the decimal sign.
    pub(crate) comma: bool,
    /// A point may be it.
    pub(crate) point: bool,
    /// The sign between groups of three digits, where there is one.
    pub(crate) thousands: Option<u8>,
}

/// The longest number whose groups are put together.
const GROUPED: usize = 64;

/// A number without the signs between its thousands.
pub(crate) struct Ungrouped {
    bytes: [u8; GROUPED],
    len: usize,
}

impl Ungrouped {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl NumberFormat {
    /// The number without the signs between its thousands; `None` if it has no such signs, or they are not in the
    /// places of thousands.
    pub(crate) fn ungroup(&self, bytes: &[u8]) -> Option<Ungrouped> {
        let sign = self.thousands?;
        let unsigned = bytes.strip_prefix(b"-").unwrap_or(bytes);
        let first = digits(unsigned);
        if !(1..=3).contains(&first) || unsigned[0] == b'0' || bytes.len() > GROUPED {
            return None;
        }
        let mut rest = &unsigned[first..];
        let mut number = Ungrouped { bytes: [0; GROUPED], len: 0 };
        let mut take = |part: &[u8]| {
            number.bytes[number.len..number.len + part.len()].copy_from_slice(part);
            number.len += part.len();
        };
        take(&bytes[..bytes.len() - rest.len()]);
        while let Some(group) = rest.strip_prefix(&[sign]) {
            if digits(group) < 3 || group.get(3).is_some_and(u8::is_ascii_digit) {
                return None;
            }
            take(&group[..3]);
            rest = &group[3..];
        }
        take(rest);
        (number.len < bytes.len()).then_some(number)
    }

    /// The shape of a field that is not empty.
    #[inline]
    pub(crate) fn shape(&self, bytes: &[u8]) -> Shape {
        if self.thousands.is_some()
            && let Some(number) = self.ungroup(trim(bytes))
        {
            return self.allowed(shape(number.bytes(), self.comma));
        }
        self.allowed(shape(bytes, self.comma))
    }

    #[inline(always)]
    fn allowed(&self, shape: Shape) -> Shape {
        match shape {
            Shape::Decimal { comma: false, .. } if !self.point => Shape::Text,
            shape => shape,
        }
    }
}

/// The shape of a field that is not empty.
#[inline]
pub(crate) fn shape(bytes: &[u8], decimal_comma: bool) -> Shape {
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return Shape::Blank };
    if is_blank(first) || is_blank(last) {
        let trimmed = trim(bytes);
        return if trimmed.is_empty() { Shape::Blank } else { shape(trimmed, decimal_comma) };
    }
    match first {
        b'0'..=b'9' | b'-' | b'.' | b',' => number_or_date(bytes, decimal_comma),
        b't' | b'T' | b'f' | b'F' if boolean(bytes).is_some() => Shape::Boolean,
        _ => Shape::Text,
    }
}

#[inline(always)]
fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Without the blanks around it.
#[inline]
pub(crate) fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

#[inline]
fn number_or_date(bytes: &[u8], decimal_comma: bool) -> Shape {
    let unsigned = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let whole = digits(unsigned);
    if whole > 1 && unsigned[0] == b'0' {
        // A leading zero: no number, but perhaps the day of a date.
        return date_shape(bytes, whole);
    }
    let Some(&next) = unsigned.get(whole) else {
        let fits = whole < 19 || integer(bytes).is_some();
        return if whole == 0 { Shape::Text } else { Shape::Integer { digits: whole as u32, fits } };
    };
    let significant = if unsigned[0] == b'0' { 0 } else { whole };
    match next {
        b'.' => after_point(bytes, unsigned, whole, significant, false),
        b',' if decimal_comma => after_point(bytes, unsigned, whole, significant, true),
        b'e' | b'E' if whole > 0 => double_shape(bytes, significant),
        _ => date_shape(bytes, whole),
    }
}

/// A number with a point, or a date with points.
#[inline]
fn after_point(bytes: &[u8], unsigned: &[u8], whole: usize, significant: usize, comma: bool) -> Shape {
    let rest = &unsigned[whole + 1..];
    let fraction = digits(rest);
    match rest.get(fraction) {
        _ if whole + fraction == 0 => Shape::Text,
        None => {
            let zeros = if significant == 0 { rest.iter().take_while(|byte| **byte == b'0').count() } else { 0 };
            Shape::Decimal { whole: significant as u32, fraction: fraction as u32, zeros: zeros as u32, comma }
        }
        Some(b'e' | b'E') if !comma => double_shape(bytes, significant + fraction),
        Some(b'.') if !comma => date_shape(bytes, whole),
        _ => Shape::Text,
    }
}

/// The number of digits it begins with.
#[inline(always)]
fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// A number with an exponent, unless it is beyond the range of doubles or too close to zero for all of
/// its digits.
fn double_shape(bytes: &[u8], digits: usize) -> Shape {
    match double(bytes) {
        Some(value) if value.is_normal() || has_digits_of(bytes, value) => Shape::Double { digits: digits as u32 },
        _ => Shape::Text,
    }
}

/// Returns true if these digits distinguish a double from its neighbours: zero, and numbers near to it.
#[cold]
fn has_digits_of(bytes: &[u8], value: f64) -> bool {
    let digits = |text: &[u8]| -> Vec<u8> {
        let mantissa = text.iter().take_while(|byte| !matches!(byte, b'e' | b'E')).filter(|byte| byte.is_ascii_digit());
        let digits: Vec<u8> = mantissa.copied().skip_while(|digit| *digit == b'0').collect();
        let kept = digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
        digits[..kept].to_vec()
    };
    value.is_finite() && digits(bytes) == digits(format!("{value:e}").as_bytes())
}

#[inline]
fn date_shape(bytes: &[u8], first_digits: usize) -> Shape {
    match (first_digits, bytes.get(first_digits)) {
        (4, Some(b'-')) if bytes.len() == 10 => iso_date(bytes).map_or(Shape::Text, |_| Shape::IsoDate),
        (4, Some(b'-')) => timestamp(bytes).map_or(Shape::Text, |(_, fraction)| Shape::Timestamp { fraction }),
        (1 | 2, Some(b'.')) => dotted_date(bytes).map_or(Shape::Text, |_| Shape::DottedDate),
        (1 | 2, Some(b'/')) => {
            let can_be = |order| slashed_date(bytes, order).is_some();
            let (day_first, month_first) = (can_be(DayOrder::DayFirst), can_be(DayOrder::MonthFirst));
            if day_first || month_first { Shape::SlashedDate { day_first, month_first } } else { Shape::Text }
        }
        _ => Shape::Text,
    }
}

/// A whole number of 64 bits.
#[inline]
pub(crate) fn integer(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        _ => (false, bytes),
    };
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let mut value = 0u64;
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        // Nineteen digits are below 2^64.
        value = value * 10 + u64::from(digit);
    }
    if negative { 0i64.checked_sub_unsigned(value) } else { i64::try_from(value).ok() }
}

/// A number of this many digits after the point, without its point; `None` also if it has more.
#[inline]
pub(crate) fn decimal(bytes: &[u8], scale: u32, point: u8) -> Option<i128> {
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        _ => (false, bytes),
    };
    let value = if digits.len() <= 18 {
        let (value, fraction) = decimal_digits(digits, point)?;
        i128::from(value).checked_mul(power_of_ten(scale.checked_sub(fraction)?)?)?
    } else {
        long_decimal(digits, scale, point)?
    };
    Some(if negative { -value } else { value })
}

/// The digits of up to eighteen bytes, and how many are behind the point.
#[inline(always)]
fn decimal_digits(digits: &[u8], point: u8) -> Option<(u64, u32)> {
    let (mut value, mut seen, mut point_at) = (0u64, 0, None);
    for (at, &byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            value = value * 10 + u64::from(digit);
            seen += 1;
        } else if byte == point && point_at.is_none() {
            point_at = Some(at);
        } else {
            return None;
        }
    }
    let fraction = point_at.map_or(0, |at| digits.len() - at - 1);
    (seen > 0).then_some((value, fraction as u32))
}

#[inline(always)]
fn power_of_ten(exponent: u32) -> Option<i128> {
    const POWERS: [i64; 10] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
    match POWERS.get(exponent as usize) {
        Some(&power) => Some(i128::from(power)),
        None => 10i128.checked_pow(exponent),
    }
}

fn long_decimal(digits: &[u8], scale: u32, point: u8) -> Option<i128> {
    let mut text = String::with_capacity(digits.len());
    for &byte in digits {
        match byte {
            b'0'..=b'9' => text.push(char::from(byte)),
            _ if byte == point => text.push('.'),
            _ => return None,
        }
    }
    let value: mainstay_types::Decimal = text.parse().ok()?;
    if u32::from(value.scale) > scale {
        return None;
    }
    Some(value.rescale(u8::try_from(scale).ok()?)?.unscaled)
}

/// The nearest double.
pub(crate) fn double(bytes: &[u8]) -> Option<f64> {
    // The parser of the standard library also takes words ("inf") and a plus, which are text here.
    if !bytes.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'))
        || bytes.starts_with(b"+")
    {
        return None;
    }
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

/// `true` or `false` in any case.
#[inline]
pub(crate) fn boolean(bytes: &[u8]) -> Option<bool> {
    match bytes.len() {
        4 if bytes.eq_ignore_ascii_case(b"true") => Some(true),
        5 if bytes.eq_ignore_ascii_case(b"false") => Some(false),
        _ => None,
    }
}

/// A number of exactly so many digits as there are bytes.
#[inline(always)]
fn small(bytes: &[u8]) -> Option<u32> {
    let mut value = 0;
    for &byte in bytes {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u32::from(digit);
    }
    Some(value)
}

/// `2024-12-31`.
#[inline]
pub(crate) fn iso_date(bytes: &[u8]) -> Option<Date> {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = bytes else { return None };
    Date::from_ymd(small(&[y1, y2, y3, y4])? as i32, small(&[m1, m2])?, small(&[d1, d2])?)
}

/// `31.12.2024`, `1.2.2024`.
pub(crate) fn dotted_date(bytes: &[u8]) -> Option<Date> {
    let (day, month, year) = three_numbers(bytes, b'.')?;
    Date::from_ymd(year, month, day)
}

/// `31/12/2024` or `12/31/2024`.
pub(crate) fn slashed_date(bytes: &[u8], order: DayOrder) -> Option<Date> {
    let (first, second, year) = three_numbers(bytes, b'/')?;
    match order {
        DayOrder::DayFirst => Date::from_ymd(year, second, first),
        DayOrder::MonthFirst => Date::from_ymd(year, first, second),
    }
}

fn three_numbers(bytes: &[u8], separator: u8) -> Option<(u32, u32, i32)> {
    let mut parts = bytes.splitn(3, |&byte| byte == separator);
    let (first, second, year) = (parts.next()?, parts.next()?, parts.next()?);
    if !(1..=2).contains(&first.len()) || !(1..=2).contains(&second.len()) || year.len() != 4 {
        return None;
    }
    Some((small(first)?, small(second)?, small(year)? as i32))
}

/// `2024-12-31T23:59`, seconds and up to six digits of a fraction after it; also with a blank for the
/// `T`. Microseconds after 1970-01-01, and the number of digits of the fraction. A zone is not allowed:
/// the type has none, and leaving it out would change the meaning.
pub(crate) fn timestamp(bytes: &[u8]) -> Option<(i64, u32)> {
    let (date, time) = bytes.split_at_checked(10)?;
    let date = iso_date(date)?;
    let &[b'T' | b' ', h1, h2, b':', m1, m2, ref rest @ ..] = time else { return None };
    let (hour, minute) = (small(&[h1, h2])?, small(&[m1, m2])?);
    let (second, fraction) = match rest {
        [] => (0, &[][..]),
        &[b':', s1, s2] => (small(&[s1, s2])?, &[][..]),
        &[b':', s1, s2, b'.', ref fraction @ ..] if (1..=6).contains(&fraction.len()) => (small(&[s1, s2])?, fraction),
        _ => return None,
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let micros = i64::from(small(fraction)?) * 10i64.pow(6 - fraction.len() as u32);
    let seconds = i64::from(date.0) * 86_400 + i64::from(hour * 3_600 + minute * 60 + second);
    Some((seconds * 1_000_000 + micros, fraction.len() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Shape {
        shape(text.as_bytes(), false)
    }

    #[test]
    fn numbers_and_what_only_looks_like_one() {
        assert_eq!(of("0"), Shape::Integer { digits: 1, fits: true });
        assert_eq!(of(" -42 "), Shape::Integer { digits: 2, fits: true });
        assert_eq!(of("9223372036854775808"), Shape::Integer { digits: 19, fits: false });
        assert_eq!(of("0.50"), Shape::Decimal { whole: 0, fraction: 2, zeros: 0, comma: false });
        assert_eq!(of("-.5"), Shape::Decimal { whole: 0, fraction: 1, zeros: 0, comma: false });
        assert_eq!(of("12."), Shape::Decimal { whole: 2, fraction: 0, zeros: 0, comma: false });
        assert_eq!(of("1.5e-3"), Shape::Double { digits: 2 });
        assert_eq!(of("1E5"), Shape::Double { digits: 1 });
        assert_eq!(of("-0.0e5"), Shape::Double { digits: 1 });
        assert_eq!(of("0.00125"), Shape::Decimal { whole: 0, fraction: 5, zeros: 2, comma: false });
        assert_eq!(of("5e-324"), Shape::Double { digits: 1 });
        assert_eq!(of("1.50E-310"), Shape::Double { digits: 3 });
        assert_eq!(shape(b"1,5", true), Shape::Decimal { whole: 1, fraction: 1, zeros: 0, comma: true });
        for text in [
            "00123",
            "-07",
            "00.5",
            "+5",
            "1,5",
            "1.234.567",
            "1 000",
            "-",
            ".",
            "1e",
            "1e400",
            "1e-400",
            "6e-324",
            "1e5x",
            "NaN",
            "--1",
            "1-2",
        ] {
            assert_eq!(of(text), Shape::Text, "{text}");
        }
        assert_eq!(shape(b"1.234,5", true), Shape::Text);
        assert_eq!(of("   "), Shape::Blank);
    }

    #[test]
    fn thousands_are_put_together_where_their_sign_is_given() {
        let format = NumberFormat { comma: true, point: false, thousands: Some(b'.') };
        let decimal = |whole| Shape::Decimal { whole, fraction: 2, zeros: 0, comma: true };
        assert_eq!(format.shape(b"1.234,50"), decimal(4));
        assert_eq!(format.shape(b" -1.234.567,50 "), decimal(7));
        assert_eq!(format.shape(b"2.000"), Shape::Integer { digits: 4, fits: true });
        assert_eq!(format.shape(b"12,00"), decimal(2));
        assert_eq!(format.shape(b"31.12.2024"), Shape::DottedDate);
        for text in ["1.5", "1.23,5", "12345.678", "0.123", "1.2345", "1.234.56", "1..234"] {
            assert_eq!(format.shape(text.as_bytes()), Shape::Text, "{text}");
        }
        let long = "1".to_owned() + &".000".repeat(30);
        assert_eq!(format.shape(long.as_bytes()), Shape::Text);
        let apostrophe = NumberFormat { comma: false, point: true, thousands: Some(b'\'') };
        assert_eq!(apostrophe.ungroup(b"12'345.5").map(|number| number.bytes().to_vec()), Some(b"12345.5".to_vec()));
        assert!(apostrophe.ungroup(b"12345").is_none());
    }

    #[test]
    fn dates_exist_or_are_text() {
        assert_eq!(of("2024-02-29"), Shape::IsoDate);
        assert_eq!(of("31.12.2024"), Shape::DottedDate);
        assert_eq!(of("1.2.2024"), Shape::DottedDate);
        assert_eq!(of("01/02/2024"), Shape::SlashedDate { day_first: true, month_first: true });
        assert_eq!(of("13/02/2024"), Shape::SlashedDate { day_first: true, month_first: false });
        assert_eq!(of("2024-12-31 23:59"), Shape::Timestamp { fraction: 0 });
        assert_eq!(of("2024-12-31T23:59:59.123"), Shape::Timestamp { fraction: 3 });
        for text in ["2023-02-29", "31.13.2024", "31.12.24", "32/13/2024", "2024-12-31T24:00", "2024-12-31T23:59:59Z"] {
            assert_eq!(of(text), Shape::Text, "{text}");
        }
    }

    #[test]
    fn values_are_exact() {
        assert_eq!(integer(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(integer(b"9223372036854775808"), None);
        assert_eq!(integer(b""), None);
        assert_eq!(decimal(b"-1.5", 3, b'.'), Some(-1500));
        assert_eq!(decimal(b"1.2345", 3, b'.'), None);
        assert_eq!(decimal(b"1,25", 2, b','), Some(125));
        assert_eq!(decimal(b"12345678901234567890.123", 3, b'.'), Some(12_345_678_901_234_567_890_123));
        assert_eq!(decimal(b".", 3, b'.'), None);
        assert_eq!(double(b"1e3"), Some(1000.0));
        assert_eq!(double(b"inf"), None);
        assert_eq!(timestamp(b"1970-01-02 00:00:01.5"), Some((86_401_500_000, 1)));
        assert_eq!(boolean(b"TRUE"), Some(true));
    }
}
