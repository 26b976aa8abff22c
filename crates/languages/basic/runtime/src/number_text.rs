//! Numbers as text, and text as numbers.
//!
//! Output drops zeros at the end of decimals and the point of whole numbers; a fraction has a zero before its point
//! unless parameter 'LZ' is set; from 1E18 on, and below 1E-18, numbers have an exponent. Sources: the manual's pages on
//! format masks (defaults), 'LZ', STR( ) and NUM( ).

use crate::number::Number;

/// The digits of a number in FLOATINGPOINT mode (manual, `directives/floatingpoint.md`, `functions/tan.md`).
const SCIENTIFIC_DIGITS: i32 = 15;

/// Writes a number: its sign only if negative.
pub fn write(out: &mut Vec<u8>, value: Number, hides_zero: bool) {
    let value = value.normalized();
    let digits = value.digits().unsigned_abs();
    if value.digits() < 0 {
        out.push(b'-');
    }
    if value.scale() == 0 {
        return push_whole(out, digits);
    }
    let mut buffer = [0u8; 20];
    let text = whole_text(&mut buffer, digits);
    let exponent = text.len() as i32 - 1 - value.scale();
    if value.scale() < 0 || exponent < -18 {
        return push_exponent(out, text, exponent);
    }
    let decimals = value.scale() as usize;
    if text.len() > decimals {
        let (whole, fraction) = text.split_at(text.len() - decimals);
        out.extend_from_slice(whole);
        out.push(b'.');
        out.extend_from_slice(fraction);
    } else {
        if !hides_zero {
            out.push(b'0');
        }
        out.push(b'.');
        out.extend(std::iter::repeat_n(b'0', decimals - text.len()));
        out.extend_from_slice(text);
    }
}

/// Writes a number as FLOATINGPOINT mode does: a fraction of at most 15 digits and a power of ten, `.166666666666667E+01`.
pub fn write_scientific(out: &mut Vec<u8>, value: Number) {
    let value = value.normalized();
    if value.is_zero() {
        return out.push(b'0');
    }
    let mut buffer = [0u8; 20];
    let length = whole_text(&mut buffer, value.digits().unsigned_abs()).len() as i32;
    // As many decimals as leave 15 digits.
    let value = value.rounded(value.scale() - length + SCIENTIFIC_DIGITS).normalized();
    let mut buffer = [0u8; 20];
    let text = whole_text(&mut buffer, value.digits().unsigned_abs());
    let exponent = text.len() as i32 - value.scale();
    let kept = text.iter().rposition(|digit| *digit != b'0').map_or(1, |at| at + 1);
    if value.digits() < 0 {
        out.push(b'-');
    }
    out.push(b'.');
    out.extend_from_slice(&text[..kept]);
    write_exponent(out, exponent);
}

/// The decimal digits of a whole number.
pub(crate) fn whole_text(buffer: &mut [u8; 20], mut value: u64) -> &[u8] {
    let mut at = buffer.len();
    loop {
        at -= 1;
        buffer[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return &buffer[at..];
        }
    }
}

fn push_whole(out: &mut Vec<u8>, value: u64) {
    let mut buffer = [0u8; 20];
    out.extend_from_slice(whole_text(&mut buffer, value));
}

fn push_exponent(out: &mut Vec<u8>, text: &[u8], exponent: i32) {
    let kept = text.iter().rposition(|digit| *digit != b'0').map_or(1, |at| at + 1);
    out.push(text[0]);
    if kept > 1 {
        out.push(b'.');
        out.extend_from_slice(&text[1..kept]);
    }
    write_exponent(out, exponent);
}

fn write_exponent(out: &mut Vec<u8>, exponent: i32) {
    out.push(b'E');
    out.push(if exponent < 0 { b'-' } else { b'+' });
    let magnitude = exponent.unsigned_abs();
    if magnitude < 10 {
        out.push(b'0');
    }
    push_whole(out, magnitude.into());
}

/// A number as programs have it: digits, a point, an exponent.
pub fn parse_literal(text: &[u8]) -> Option<Number> {
    let (negative, text) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let mut state = Digits::default();
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            byte if byte.is_ascii_digit() => state.push(byte - b'0'),
            b'.' if !state.point => state.point = true,
            b'e' | b'E' => {
                state.exponent = parse_exponent(&text[at + 1..])?;
                break;
            }
            _ => return None,
        }
        at += 1;
    }
    state.finish(negative)
}

/// Text as NUM( ) reads it: blanks, commas, `=` and `$` do not count, a sign may stand at either end. Empty text is 0.
pub fn parse_number(text: &[u8]) -> Option<Number> {
    let mut state = Digits { any: true, ..Digits::default() };
    let mut sign = None;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            byte if byte.is_ascii_digit() => state.push(byte - b'0'),
            b' ' | b',' | b'=' | b'$' => {}
            b'.' if !state.point => state.point = true,
            byte @ (b'-' | b'+') if sign.is_none() => sign = Some(byte),
            b'e' | b'E' if state.digits > 0 => {
                state.exponent = parse_exponent(text[at + 1..].trim_ascii())?;
                break;
            }
            _ => return None,
        }
        at += 1;
    }
    state.finish(sign == Some(b'-'))
}

fn parse_exponent(text: &[u8]) -> Option<i32> {
    std::str::from_utf8(text).ok()?.parse().ok().filter(|exponent: &i32| exponent.unsigned_abs() < 1000)
}

/// Digits as they are read. Those beyond what fits are counted only.
#[derive(Default)]
struct Digits {
    value: i128,
    digits: u32,
    scale: i32,
    point: bool,
    any: bool,
    exponent: i32,
}

impl Digits {
    fn push(&mut self, digit: u8) {
        self.any = true;
        if self.digits < 30 {
            self.value = self.value * 10 + i128::from(digit);
            self.digits += u32::from(self.value != 0);
            self.scale += i32::from(self.point);
        } else if !self.point {
            self.scale -= 1;
        }
    }

    fn finish(self, negative: bool) -> Option<Number> {
        if !self.any {
            return None;
        }
        let value = if negative { -self.value } else { self.value };
        Number::new(value, self.scale - self.exponent).ok()
    }
}
