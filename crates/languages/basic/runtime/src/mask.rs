//! Format masks of numbers and strings: `STR(n:"###,##0.00-")`.
//!
//! A mask has a character for each character of the result. `0` and `#` take digits from right to left around the
//! point; signs and the currency sign before the first digit float to where the digits begin. Source: the manual's page
//! on data format masks.

use crate::number::Number;
use crate::number_text::whole_text;

/// The characters that parameters 'DP', 'TH' and 'CU' set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signs {
    /// The decimal point.
    pub point: u8,
    /// Between thousands.
    pub thousands: u8,
    /// The currency.
    pub currency: u8,
}

impl Signs {
    /// Without parameters.
    pub const DEFAULT: Signs = Signs { point: b'.', thousands: b',', currency: b'$' };
}

/// The parts of a mask, found before anything is written.
struct Layout {
    /// The first and the last digit position.
    first: usize,
    last: usize,
    /// The decimal point, if there is one.
    point: Option<usize>,
    /// Digit positions before and after the point.
    whole: usize,
    decimals: usize,
}

fn layout(mask: &[u8]) -> Layout {
    let is_digit = |byte: &u8| matches!(byte, b'0' | b'#' | b'~');
    let point = mask.iter().position(|byte| matches!(byte, b'.' | b'!'));
    let count = |part: &[u8]| part.iter().filter(|byte| is_digit(byte)).count();
    let (whole, decimals) = match point {
        Some(at) => (count(&mask[..at]), count(&mask[at..])),
        None => (count(mask), 0),
    };
    let first = mask.iter().position(is_digit).or(point).unwrap_or(mask.len());
    let last = mask.iter().rposition(is_digit).or(point).unwrap_or(mask.len());
    Layout { first, last, point, whole, decimals }
}

/// Writes a number through a mask. `None` if it has more digits than the mask: error 43.
pub fn number(out: &mut Vec<u8>, value: Number, mask: &[u8], signs: Signs) -> Option<()> {
    if let Some(whole) = value.as_whole()
        && mask.iter().all(|byte| *byte == b'0')
    {
        return zeros(out, whole, mask.len());
    }
    let layout = layout(mask);
    let rounded = value.rounded(layout.decimals as i32);
    let negative = rounded.signum() < 0;
    let digits = digits_of(rounded, layout.whole, layout.decimals)?;
    let start = out.len();
    if rounded.is_zero() && mask.contains(&b'!') {
        out.extend(std::iter::repeat_n(b' ', mask.len()));
        return Some(());
    }
    let mut writer = Writer {
        mask,
        signs,
        layout,
        negative,
        digits: &digits,
        taken: 0,
        fill: b' ',
        started: None,
        floats: Vec::new(),
    };
    let mut at = 0;
    while at < mask.len() {
        at += writer.step(out, at);
    }
    writer.place_floats(out, start);
    Some(())
}

/// A whole number through a mask of zeros only, which keys are made with.
fn zeros(out: &mut Vec<u8>, value: i64, length: usize) -> Option<()> {
    let mut buffer = [0u8; 20];
    let text = if value == 0 { &[][..] } else { whole_text(&mut buffer, value.unsigned_abs()) };
    let missing = length.checked_sub(text.len())?;
    out.extend(std::iter::repeat_n(b'0', missing));
    out.extend_from_slice(text);
    Some(())
}

/// The digits for all positions of a mask, or nothing if there are more.
fn digits_of(value: Number, whole: usize, decimals: usize) -> Option<Vec<u8>> {
    if value.scale() < 0 {
        return None;
    }
    let mut buffer = [0u8; 20];
    let text = if value.is_zero() { &[][..] } else { whole_text(&mut buffer, value.digits().unsigned_abs()) };
    let mut digits = text.to_vec();
    digits.extend(std::iter::repeat_n(b'0', decimals - value.scale() as usize));
    // Zeros that rounding has left in front of a fraction are no digits of the whole part.
    let leading =
        digits.iter().take_while(|digit| **digit == b'0').count().min(digits.len().saturating_sub(whole + decimals));
    digits.drain(..leading);
    match digits.len() <= whole + decimals {
        true => {
            let missing = whole + decimals - digits.len();
            digits.splice(..0, std::iter::repeat_n(b'0', missing));
            Some(digits)
        }
        false => None,
    }
}

struct Writer<'a> {
    mask: &'a [u8],
    signs: Signs,
    layout: Layout,
    negative: bool,
    digits: &'a [u8],
    taken: usize,
    fill: u8,
    /// Where in the output the digits begin.
    started: Option<usize>,
    /// Signs that float to the digits.
    floats: Vec<u8>,
}

impl Writer<'_> {
    fn step(&mut self, out: &mut Vec<u8>, at: usize) -> usize {
        let before = at < self.layout.first;
        let behind = at > self.layout.last;
        match self.mask[at] {
            b'0' => self.digit(out, true),
            b'#' => self.digit(out, false),
            b'~' => {
                self.taken += 1;
                self.start(out);
                out.push(b'~');
            }
            b'.' | b'!' if self.layout.point == Some(at) => {
                self.start(out);
                out.push(self.signs.point);
            }
            b',' => out.push(if self.started.is_some() { self.signs.thousands } else { self.fill }),
            b'*' if before => {
                self.fill = b'*';
                out.push(b'*');
            }
            b'-' if before => self.float(out, self.negative.then_some(b'-')),
            b'-' if behind => out.push(if self.negative { b'-' } else { self.fill_behind() }),
            b'+' if before => self.float(out, Some(if self.negative { b'-' } else { b'+' })),
            b'+' => out.push(if self.negative { b'-' } else { b'+' }),
            b'$' if before => self.float(out, Some(self.signs.currency)),
            b'$' => out.push(self.signs.currency),
            byte @ (b'(' | b')') => out.push(if self.negative { byte } else { self.fill_behind() }),
            b'C' if self.mask.get(at + 1) == Some(&b'R') => {
                out.extend_from_slice(if self.negative { b"CR" } else { b"  " });
                return 2;
            }
            b'D' if self.mask.get(at + 1) == Some(&b'R') => {
                out.extend_from_slice(if self.negative { b"CR" } else { b"DR" });
                return 2;
            }
            b'B' => out.push(b' '),
            other => out.push(other),
        }
        1
    }

    fn fill_behind(&self) -> u8 {
        self.fill
    }

    fn start(&mut self, out: &[u8]) {
        self.started.get_or_insert(out.len());
    }

    fn digit(&mut self, out: &mut Vec<u8>, always: bool) {
        let digit = self.digits.get(self.taken).copied().unwrap_or(b'0');
        self.taken += 1;
        if always || digit != b'0' || self.started.is_some() {
            self.start(out);
            out.push(digit);
        } else {
            out.push(self.fill);
        }
    }

    fn float(&mut self, out: &mut Vec<u8>, sign: Option<u8>) {
        self.floats.extend(sign);
        out.push(self.fill);
    }

    /// Floating signs stand directly before the digits, in the mask's order.
    fn place_floats(&self, out: &mut [u8], start: usize) {
        let end = self.started.unwrap_or(out.len());
        let Some(begin) = end.checked_sub(self.floats.len()).filter(|begin| *begin >= start) else { return };
        out[begin..end].copy_from_slice(&self.floats);
    }
}

/// Writes a string through a mask. `None` if it does not fit: error 43.
pub fn text(out: &mut Vec<u8>, value: &[u8], mask: &[u8]) -> Option<()> {
    let mut rest = value.iter().copied();
    let mut at = 0;
    while at < mask.len() {
        let format = mask[at];
        at += 1;
        let mut count = 1;
        if is_format(format)
            && mask.get(at) == Some(&b'(')
            && let Some(length) = mask[at..].iter().position(|byte| *byte == b')')
            && let Ok(number) = mainstay_code_page::decode(&mask[at + 1..at + length]).parse::<usize>()
        {
            count = number.min(8192);
            at += length + 1;
        }
        for _ in 0..count {
            match is_format(format) {
                true => out.push(masked(format, rest.next())?),
                false => out.push(format),
            }
        }
    }
    rest.next().is_none().then_some(())
}

fn is_format(byte: u8) -> bool {
    matches!(byte, b'0' | b'A' | b'a' | b'X' | b'x' | b'Z' | b'z' | b'~')
}

fn masked(format: u8, byte: Option<u8>) -> Option<u8> {
    let Some(byte) = byte else { return matches!(format, b'X' | b'x' | b'~').then_some(b' ') };
    match format {
        b'0' => byte.is_ascii_digit().then_some(byte),
        b'A' => byte.is_ascii_alphabetic().then(|| byte.to_ascii_uppercase()),
        b'a' => byte.is_ascii_alphabetic().then_some(byte),
        b'X' => Some(byte.to_ascii_uppercase()),
        b'Z' => byte.is_ascii_alphanumeric().then(|| byte.to_ascii_uppercase()),
        b'z' => byte.is_ascii_alphanumeric().then_some(byte),
        b'~' => Some(b'~'),
        _ => Some(byte),
    }
}

/// The text is one that the mask could have made.
pub fn matches(text: &[u8], mask: &[u8]) -> bool {
    text.len() == mask.len()
        && text.iter().zip(mask).all(|(byte, format)| match is_format(*format) {
            true => masked(*format, Some(*byte)) == Some(*byte),
            false => byte == format,
        })
}
