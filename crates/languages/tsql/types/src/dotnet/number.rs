//! Numbers in the standard formats of .NET: a letter and, if wanted, a count of digits.

use super::culture::Culture;
use super::custom;
use mainstay_types::{Decimal, ValueRef};

/// The most digits that a format may ask for.
const MAX_PRECISION: usize = 999;

/// A number as its decimal digits: `0.d1d2d3... * 10^point`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digits {
    /// True if it is below zero.
    pub negative: bool,
    /// The digits, 0 to 9, without zeros in front; none for zero.
    pub digits: Vec<u8>,
    /// The number of digits in front of the point (zeros follow if there are less).
    pub point: i32,
    /// Digits behind the point that the type has; `None` for a floating point number.
    pub scale: Option<usize>,
}

impl Digits {
    /// The digits of a number; of a double the fifteen that .NET looks at.
    pub fn of(value: ValueRef<'_>) -> Option<Digits> {
        let exact = |value: Decimal| {
            let digits = value.unscaled.unsigned_abs().to_string();
            let point = digits.len() as i32 - i32::from(value.scale);
            Digits::new(value.unscaled < 0, &digits, point, Some(usize::from(value.scale)))
        };
        match value {
            ValueRef::Integer(value) => Some(exact(Decimal::new(i128::from(value), 0))),
            ValueRef::Boolean(value) => Some(exact(Decimal::new(i128::from(value), 0))),
            ValueRef::Decimal(value) => Some(exact(value)),
            ValueRef::Float(value) => Some(Digits::of_float(value, 15)),
            _ => None,
        }
    }

    /// So many significant digits of a double.
    pub fn of_float(value: f64, count: usize) -> Digits {
        let text = format!("{:.1$e}", value.abs(), count.saturating_sub(1));
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        Digits::new(value < 0.0, &mantissa.replace('.', ""), exponent + 1, None)
    }

    fn new(negative: bool, text: &str, point: i32, scale: Option<usize>) -> Digits {
        let trimmed = text.trim_start_matches('0');
        let point = point - (text.len() - trimmed.len()) as i32;
        let digits: Vec<u8> = trimmed.trim_end_matches('0').bytes().map(|byte| byte - b'0').collect();
        let point = if digits.is_empty() { 0 } else { point };
        Digits { negative, digits, point, scale }
    }

    /// Rounded to so many digits in all, halves away from zero.
    pub fn rounded_to(mut self, count: i32) -> Digits {
        if count < 0 {
            self.digits.clear();
        } else if let Some(next) = self.digits.get(count as usize) {
            let up = *next >= 5;
            self.digits.truncate(count as usize);
            if up {
                match self.digits.iter().rposition(|digit| *digit < 9) {
                    Some(place) => {
                        self.digits.truncate(place + 1);
                        self.digits.iter_mut().skip(place).for_each(|digit| *digit += 1);
                    }
                    None => {
                        self.digits = vec![1];
                        self.point += 1;
                    }
                }
            }
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
        self
    }

    /// Rounded to so many digits behind the point.
    pub fn rounded(self, decimals: usize) -> Digits {
        let count = self.point.saturating_add(decimals as i32);
        self.rounded_to(count)
    }

    /// Returns true if it is zero.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// The digit at a place: 0 is the first one in front of the point, -1 the first behind it.
    pub fn at(&self, place: i32) -> u8 {
        let index = self.point - 1 - place;
        usize::try_from(index).ok().and_then(|index| self.digits.get(index)).copied().unwrap_or(0)
    }

    /// The whole part, at least one digit.
    pub fn whole(&self) -> String {
        (0..self.point.max(1)).rev().map(|place| char::from(b'0' + self.at(place))).collect()
    }

    /// So many digits behind the point.
    pub fn fraction(&self, decimals: usize) -> String {
        (1..=decimals as i32).map(|place| char::from(b'0' + self.at(-place))).collect()
    }

    /// Whole part and fraction, with marks between groups if wanted.
    fn fixed(&self, decimals: usize, culture: &Culture, grouped: bool) -> String {
        let mut out = if grouped { group(&self.whole(), culture.group) } else { self.whole() };
        if decimals > 0 {
            out.push_str(culture.decimal);
            out.push_str(&self.fraction(decimals));
        }
        out
    }
}

/// Digits with a mark before every third one from the end.
pub fn group(digits: &str, mark: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 2);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push_str(mark);
        }
        out.push(digit);
    }
    out
}

/// A number in a format, standard or not; `None` if the format is invalid for it.
pub fn number(value: ValueRef<'_>, format: &str, culture: &Culture) -> Option<String> {
    let (letter, precision) = match standard(format) {
        Some(standard) => standard,
        None => return custom::number(Digits::of(value)?, format, culture),
    };
    let digits = Digits::of(value)?;
    let with_sign = |text: String, negative: bool| if negative { format!("-{text}") } else { text };
    let integer = match value {
        ValueRef::Integer(number) => Some(number),
        ValueRef::Boolean(bit) => Some(i64::from(bit)),
        _ => None,
    };
    Some(match letter.to_ascii_uppercase() {
        'C' => {
            let decimals = precision.unwrap_or(culture.currency_digits);
            amount(digits, decimals, culture)
        }
        'D' => {
            let width = precision.unwrap_or(0);
            with_sign(format!("{:0>width$}", integer?.unsigned_abs()), integer? < 0)
        }
        'E' => exponential(digits, precision.unwrap_or(6), letter, 3, culture),
        'F' => {
            let rounded = digits.rounded(precision.unwrap_or(2));
            with_sign(rounded.fixed(precision.unwrap_or(2), culture, false), rounded.negative && !rounded.is_zero())
        }
        'N' => {
            let rounded = digits.rounded(precision.unwrap_or(2));
            with_sign(rounded.fixed(precision.unwrap_or(2), culture, true), rounded.negative && !rounded.is_zero())
        }
        'P' => {
            let mut shifted = digits;
            shifted.point += if shifted.is_zero() { 0 } else { 2 };
            let rounded = shifted.rounded(precision.unwrap_or(2));
            let negative = rounded.negative && !rounded.is_zero();
            let pattern = if negative { culture.percent_negative } else { culture.percent_positive };
            pattern.replace('n', &rounded.fixed(precision.unwrap_or(2), culture, true))
        }
        'G' => general(digits, precision.filter(|precision| *precision > 0), letter, culture),
        'R' => match value {
            ValueRef::Float(number) => round_trip(number, culture),
            _ => return None,
        },
        'X' => {
            let width = precision.unwrap_or(0);
            let bits = integer?;
            let bits = if i32::try_from(bits).is_ok() { u64::from(bits as u32) } else { bits as u64 };
            if letter == 'X' { format!("{bits:0>width$X}") } else { format!("{bits:0>width$x}") }
        }
        _ => return None,
    })
}

/// The letter and the count of a standard format.
fn standard(format: &str) -> Option<(char, Option<usize>)> {
    if format.is_empty() {
        return Some(('G', None));
    }
    let letter = format.chars().next().filter(char::is_ascii_alphabetic)?;
    let count = format.get(1..)?;
    if count.len() > 3 || !count.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((letter, count.parse().ok().map(|count: usize| count.min(MAX_PRECISION))))
}

fn amount(digits: Digits, decimals: usize, culture: &Culture) -> String {
    let rounded = digits.rounded(decimals);
    let negative = rounded.negative && !rounded.is_zero();
    let pattern = if negative { culture.currency_negative } else { culture.currency_positive };
    let shown = rounded.fixed(decimals, culture, true);
    // The sign first: it may hold an n of its own.
    pattern.split('n').map(|part| part.replace('$', culture.currency)).collect::<Vec<_>>().join(&shown)
}

fn exponential(digits: Digits, decimals: usize, letter: char, width: usize, culture: &Culture) -> String {
    let rounded = digits.rounded_to(decimals as i32 + 1);
    let exponent = if rounded.is_zero() { 0 } else { rounded.point - 1 };
    let mut mantissa = rounded.clone();
    mantissa.point = 1;
    let sign = if rounded.negative && !rounded.is_zero() { "-" } else { "" };
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    let shown = mantissa.fixed(decimals, culture, false);
    format!("{sign}{shown}{letter}{exponent_sign}{:0>width$}", exponent.unsigned_abs())
}

/// The shorter of fixed and exponential; exact numbers without a count as they are.
fn general(digits: Digits, precision: Option<usize>, letter: char, culture: &Culture) -> String {
    if let (None, Some(scale)) = (precision, digits.scale) {
        let sign = if digits.negative && !digits.is_zero() { "-" } else { "" };
        return format!("{sign}{}", digits.fixed(scale, culture, false));
    }
    let count = precision.unwrap_or(15);
    let rounded = digits.rounded_to(count as i32);
    let exponent = rounded.point - 1;
    if rounded.is_zero() || (-5..count as i32).contains(&exponent) {
        let decimals = (rounded.digits.len() as i32 - rounded.point).max(0) as usize;
        let sign = if rounded.negative && !rounded.is_zero() { "-" } else { "" };
        return format!("{sign}{}", rounded.fixed(decimals, culture, false));
    }
    let decimals = rounded.digits.len().saturating_sub(1);
    exponential(rounded, decimals, if letter == 'g' { 'e' } else { 'E' }, 2, culture)
}

/// As few digits as tell the double from every other.
fn round_trip(number: f64, culture: &Culture) -> String {
    let short = Digits::of_float(number, 15);
    let text = general(short, Some(15), 'G', culture);
    let same = text.replace(culture.decimal, ".").parse() == Ok(number);
    if same { text } else { general(Digits::of_float(number, 17), Some(17), 'G', culture) }
}
