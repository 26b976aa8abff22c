//! Exact numbers: a head byte and base-100 digits.
//!
//! ```text
//!   value = 0.d1 d2 d3 ... x 100^e       each digit 0 to 99
//!   positive   head 0x80 | (64 + e), digits as they are
//!   negative   head (64 + e) ^ 0x7F, digits complemented: zeros at the end stay, the last other one d becomes
//!              100 - d, those before it 99 - d
//!   NULL       head 0 and digits 0
//! ```
//!
//! DATETIME and INTERVAL have the same form, see [`crate::moment`].

use crate::error::WireError;
use mainstay_types::Decimal;

/// The most base-100 digits that are read: 38 decimal digits on either side of the point take no more.
const MOST_PAIRS: usize = 130;
/// 10^38: numbers of more digits do not fit.
const MOST_DIGITS: usize = 38;
/// Significant decimal digits of a DECIMAL.
const MOST_SIGNIFICANT: usize = 32;

/// A number as digits: `e` of them before the point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pairs {
    pub is_negative: bool,
    pub exponent: i32,
    pub digits: Vec<u8>,
}

impl Pairs {
    /// Appends head and digits, with zeros up to `width` bytes; without a width, as many bytes as there are digits.
    pub fn write(&self, width: Option<usize>, out: &mut Vec<u8>) {
        let biased = (self.exponent + 64).clamp(0, 127) as u8;
        let from = out.len();
        out.push(if self.is_negative { biased ^ 0x7F } else { biased | 0x80 });
        out.extend_from_slice(&self.digits);
        if self.is_negative {
            complement(out.get_mut(from + 1..).unwrap_or_default());
        }
        if let Some(width) = width {
            out.resize(from + width, 0);
        }
    }

    /// The digits of these bytes; `None` for NULL.
    pub fn read(bytes: &[u8]) -> Result<Option<Pairs>, WireError> {
        let Some((head, digits)) = bytes.split_first() else { return Ok(None) };
        if *head == 0 && digits.iter().all(|digit| *digit == 0) {
            return Ok(None);
        }
        if digits.len() > MOST_PAIRS {
            return Err(WireError::Malformed("a number has too many digits"));
        }
        let is_negative = head & 0x80 == 0;
        let biased = if is_negative { head ^ 0x7F } else { head & 0x7F };
        let mut digits = digits.to_vec();
        if is_negative {
            complement(&mut digits);
        }
        if digits.iter().any(|digit| *digit > 99) {
            return Err(WireError::Malformed("a digit of a number is not one of base 100"));
        }
        Ok(Some(Pairs { is_negative, exponent: i32::from(biased) - 64, digits }))
    }
}

/// Complements digits; doing it twice gives them back.
fn complement(digits: &mut [u8]) {
    let mut is_last = true;
    for digit in digits.iter_mut().rev() {
        if is_last && *digit == 0 {
            continue;
        }
        *digit = (if is_last { 100u8 } else { 99 }).wrapping_sub(*digit);
        is_last = false;
    }
}

/// Appends a number. With a width it is rounded to the digits that fit into it, and filled up; without, it has as many as it
/// needs.
pub fn encode_decimal(value: Decimal, width: Option<usize>, out: &mut Vec<u8>) {
    let most = width.map_or(MOST_PAIRS, |width| width.saturating_sub(1));
    let mut pairs = pairs_of(value);
    if pairs.digits.len() > most {
        round(&mut pairs, most);
    }
    pairs.write(width, out);
}

fn pairs_of(value: Decimal) -> Pairs {
    let scale = usize::from(value.scale);
    let text = value.unscaled.unsigned_abs().to_string();
    let padded = format!("{text:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    let whole = whole.trim_start_matches('0');
    let odd = |text: &str| if text.len() % 2 == 1 { "0" } else { "" };
    let all = format!("{}{whole}{fraction}{}", odd(whole), odd(fraction));
    let digits: Vec<u8> =
        all.as_bytes().chunks(2).map(|pair| pair.iter().fold(0, |sum, d| sum * 10 + (d - b'0'))).collect();
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    let end = digits.iter().rposition(|digit| *digit != 0).map_or(zeros, |last| last + 1);
    let exponent = whole.len().div_ceil(2) as i32 - zeros as i32;
    let digits = digits.get(zeros..end).unwrap_or_default().to_vec();
    let exponent = if digits.is_empty() { 0 } else { exponent };
    Pairs { is_negative: value.unscaled < 0, exponent, digits }
}

/// Keeps so many digits, the last one rounded half up.
fn round(pairs: &mut Pairs, most: usize) {
    let is_up = pairs.digits.get(most).is_some_and(|next| *next >= 50);
    pairs.digits.truncate(most);
    if !is_up {
        return;
    }
    for digit in pairs.digits.iter_mut().rev() {
        *digit += 1;
        if *digit < 100 {
            return;
        }
        *digit = 0;
    }
    pairs.digits.insert(0, 1);
    pairs.digits.truncate(most.max(1));
    pairs.exponent += 1;
}

/// The number of these bytes; `None` for NULL.
///
/// Errors: `Malformed` for digits that are not of base 100, `Value` for a number of more than 38 digits.
pub fn decode_decimal(bytes: &[u8]) -> Result<Option<Decimal>, WireError> {
    let Some(mut pairs) = Pairs::read(bytes)? else { return Ok(None) };
    while pairs.digits.last() == Some(&0) {
        pairs.digits.pop();
    }
    if pairs.digits.is_empty() {
        return Ok(Some(Decimal::new(0, 0)));
    }
    let too_long = WireError::Value("a number has more than 38 digits");
    let places = 2 * (pairs.digits.len() as i32 - pairs.exponent);
    let mut unscaled: i128 = 0;
    let step = |unscaled: i128, factor: i128, digit: i128| unscaled.checked_mul(factor)?.checked_add(digit);
    for digit in &pairs.digits {
        unscaled = step(unscaled, 100, i128::from(*digit)).ok_or(too_long.clone())?;
    }
    let mut scale = places;
    while scale < 0 {
        unscaled = step(unscaled, 100, 0).ok_or(too_long.clone())?;
        scale += 2;
    }
    if scale > 0 && unscaled % 10 == 0 {
        unscaled /= 10;
        scale -= 1;
    }
    let scale = u8::try_from(scale).ok().filter(|scale| usize::from(*scale) <= MOST_DIGITS);
    let scale = scale.ok_or(too_long)?;
    Ok(Some(Decimal::new(if pairs.is_negative { -unscaled } else { unscaled }, scale)))
}

/// The exact text of the number of these bytes, such as `-1234.56`; `None` for NULL.
///
/// DECIMAL(p) has a floating point: numbers beyond the 38 digits of [`Decimal`] can be read only as text.
///
/// Errors: `Malformed` for digits that are not of base 100.
pub fn decimal_text(bytes: &[u8]) -> Result<Option<String>, WireError> {
    let Some(mut pairs) = Pairs::read(bytes)? else { return Ok(None) };
    while pairs.digits.last() == Some(&0) {
        pairs.digits.pop();
    }
    if pairs.digits.is_empty() {
        return Ok(Some("0".to_owned()));
    }
    let mut text = String::with_capacity(2 * pairs.digits.len() + 8);
    if pairs.is_negative {
        text.push('-');
    }
    let sign = text.len();
    if pairs.exponent <= 0 {
        text.push('0');
    }
    let mut push = |digit: u8| text.extend([char::from(b'0' + digit / 10), char::from(b'0' + digit % 10)]);
    let before = usize::try_from(pairs.exponent).unwrap_or(0);
    pairs.digits.iter().chain(std::iter::repeat(&0)).take(before).for_each(|digit| push(*digit));
    if pairs.digits.len() > before {
        let zeros = usize::try_from(-pairs.exponent).unwrap_or(0);
        let point = text.len();
        let mut push = |digit: u8| text.extend([char::from(b'0' + digit / 10), char::from(b'0' + digit % 10)]);
        (0..zeros).for_each(|_| push(0));
        pairs.digits.iter().skip(before).for_each(|digit| push(*digit));
        text.insert(point, '.');
        if text.ends_with('0') {
            text.pop();
        }
    }
    if before > 0 && text.get(sign..=sign) == Some("0") {
        text.remove(sign);
    }
    Ok(Some(text))
}

/// Appends head and digits of a decimal text with an optional exponent (`-1.5E+20`), and returns precision and scale, the
/// scale 255 where the number has more than 32 digits behind or before the point.
///
/// Errors: `Value` for other texts, for more than 32 significant digits, and beyond 10^126.
pub fn encode_decimal_text(text: &str, out: &mut Vec<u8>) -> Result<(u8, u8), WireError> {
    let invalid = || WireError::Value("not an exact number");
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| invalid())?),
        None => (text, 0),
    };
    let (is_negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() == 0 || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return Err(invalid());
    }
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    let leading = all.len() - significant.len();
    let significant = significant.trim_end_matches('0');
    if significant.is_empty() {
        Pairs { is_negative: false, exponent: 0, digits: Vec::new() }.write(None, out);
        return Ok((1, 0));
    }
    // Decimal digits before the point; negative for zeros behind it.
    let point = i64::from(exponent) + whole.len() as i64 - leading as i64;
    let base_100 = point.div_euclid(2) + point.rem_euclid(2);
    if significant.len() > MOST_SIGNIFICANT || !(-64..=63).contains(&base_100) {
        return Err(WireError::Value("a number has more digits than a DECIMAL"));
    }
    let odd = if point.rem_euclid(2) == 1 { "0" } else { "" };
    let padded = format!("{odd}{significant}");
    let digit = |pair: &[u8]| (pair[0] - b'0') * 10 + pair.get(1).map_or(0, |low| low - b'0');
    let digits = padded.as_bytes().chunks(2).map(digit).collect();
    Pairs { is_negative, exponent: base_100 as i32, digits }.write(None, out);
    let scale = (significant.len() as i64 - point).max(0);
    let precision = (significant.len() as i64).max(point).max(scale);
    match precision <= MOST_SIGNIFICANT as i64 {
        true => Ok((precision as u8, scale as u8)),
        false => Ok((MOST_SIGNIFICANT as u8, 255)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_as_text() {
        for text in
            ["0", "1", "-1", "0.1", "-0.01", "0.001", "99.99", "10", "100", "1000000", "-100.5", "0.00005", "12345.678"]
        {
            let mut out = Vec::new();
            encode_decimal_text(text, &mut out).unwrap();
            assert_eq!(decimal_text(&out).unwrap().as_deref(), Some(text));
            let mut same = Vec::new();
            encode_decimal(text.parse().unwrap(), None, &mut same);
            assert_eq!(out, same, "{text}");
        }
        assert_eq!(decimal_text(&[0, 0]).unwrap(), None);
    }

    #[test]
    fn texts_with_exponents_and_beyond_38_digits() {
        let text = |text: &str| {
            let mut out = Vec::new();
            let form = encode_decimal_text(text, &mut out)?;
            Ok::<_, WireError>((decimal_text(&out)?.unwrap(), form))
        };
        assert_eq!(text("-1.5E+3").unwrap(), ("-1500".into(), (4, 0)));
        assert_eq!(text("1E-5").unwrap(), ("0.00001".into(), (5, 5)));
        assert_eq!(text("1e120").unwrap(), (format!("1{}", "0".repeat(120)), (32, 255)));
        assert_eq!(text("0.00").unwrap(), ("0".into(), (1, 0)));
        assert_eq!(text("1234.56").unwrap().1, (6, 2));
        for wrong in ["", ".", "-", "NaN", "1E999", "1e", "١", &"9".repeat(33)] {
            assert!(text(wrong).is_err(), "{wrong}");
        }
    }

    fn encoded(text: &str, width: Option<usize>) -> Vec<u8> {
        let mut out = Vec::new();
        encode_decimal(text.parse().unwrap(), width, &mut out);
        out
    }

    #[test]
    fn numbers_have_the_bytes_of_the_reference_page() {
        // -1234.56 as JDBC binds it.
        assert_eq!(encoded("-1234.56", None), [0x3D, 0x57, 0x41, 0x2C]);
        assert_eq!(encoded("1234.56", Some(6)), [0xC2, 12, 34, 56, 0, 0]);
        assert_eq!(encoded("0.5", None), [0xC0, 50]);
        assert_eq!(encoded("0.005", None), [0xBF, 50]);
        assert_eq!(encoded("100", None), [0xC2, 1]);
        assert_eq!(decode_decimal(&[0, 0, 0]).unwrap(), None);
        assert_eq!(decode_decimal(&[0x3D, 0x57, 0x41, 0x2C]).unwrap(), Some("-1234.56".parse().unwrap()));
    }

    #[test]
    fn numbers_round_to_the_digits_that_fit() {
        assert_eq!(encoded("12345.6", Some(3)), [0xC3, 1, 23]);
        assert_eq!(encoded("12355.6", Some(3)), [0xC3, 1, 24]);
        assert_eq!(encoded("999950", Some(2)), [0xC4, 1]);
    }

    #[test]
    fn numbers_come_back() {
        for text in
            ["0", "1", "-1", "0.1", "-0.01", "99.99", "123456789012345678901234567890.12345678", "1000000", "-100.5"]
        {
            let number: Decimal = text.parse().unwrap();
            let mut out = Vec::new();
            encode_decimal(number, None, &mut out);
            assert_eq!(decode_decimal(&out).unwrap(), Some(number), "{text}");
        }
    }
}
