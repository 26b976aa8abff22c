//! Numbers as in Clipper and Harbour, and their exact printed text.
//!
//! A number is an integer of 64 bits or a double. The difference shows in keys: integers keep all their digits, and a
//! double prints 16 significant digits, the rest as zeros. A double prints as its binary value, digit by digit, rounded
//! half up at the last requested decimal - except that `4999...` up to the sixteenth significant digit counts as `5`,
//! so that 8.995, whose nearest double is slightly below, prints as 9.00 and not as 8.99.

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i64),
    Double(f64),
}

/// Significant digits that a double prints.
const PRECISION: usize = 16;

/// Harbour (and Clipper 5.3) raise a double by this factor before cutting it in ROUND() and INT(), so
/// that a value that is an ulp below a whole number counts as that number.
const NUDGE: f64 = 1.000_000_000_000_000_2;

impl Number {
    pub(super) fn as_f64(self) -> f64 {
        match self {
            Number::Integer(value) => value as f64,
            Number::Double(value) => value,
        }
    }

    /// As a length or a position: cut towards zero.
    pub(super) fn as_i64(self) -> i64 {
        match self {
            Number::Integer(value) => value,
            Number::Double(value) => value as i64,
        }
    }

    pub(super) fn is_zero(self) -> bool {
        match self {
            Number::Integer(value) => value == 0,
            Number::Double(value) => value == 0.0,
        }
    }

    pub(super) fn add(self, other: Number) -> Number {
        match (self, other) {
            (Number::Integer(left), Number::Integer(right)) => match left.checked_add(right) {
                Some(sum) => Number::Integer(sum),
                None => Number::Double(left as f64 + right as f64),
            },
            _ => Number::Double(self.as_f64() + other.as_f64()),
        }
    }

    pub(super) fn subtract(self, other: Number) -> Number {
        match (self, other) {
            (Number::Integer(left), Number::Integer(right)) => match left.checked_sub(right) {
                Some(difference) => Number::Integer(difference),
                None => Number::Double(left as f64 - right as f64),
            },
            _ => Number::Double(self.as_f64() - other.as_f64()),
        }
    }

    /// The product of two integers beyond 32 bits goes through a double, and loses its last digits.
    pub(super) fn multiply(self, other: Number) -> Number {
        let product = self.as_f64() * other.as_f64();
        match (self, other) {
            (Number::Integer(left), Number::Integer(right)) => match (i32::try_from(left), i32::try_from(right)) {
                (Ok(left), Ok(right)) => Number::Integer(i64::from(left) * i64::from(right)),
                _ if product.abs() < i64::MAX as f64 => Number::Integer(product as i64),
                _ => Number::Double(product),
            },
            _ => Number::Double(product),
        }
    }

    /// 0 when divided by zero: what Clipper's and Harbour's error handler puts in place.
    pub(super) fn divide(self, other: Number) -> Number {
        if other.is_zero() { Number::Integer(0) } else { Number::Double(self.as_f64() / other.as_f64()) }
    }

    /// `%`: the sign is that of the dividend; 0 when divided by zero.
    pub(super) fn remainder(self, other: Number) -> Number {
        match (self, other) {
            _ if other.is_zero() => Number::Integer(0),
            (Number::Integer(left), Number::Integer(right)) => Number::Double(left.wrapping_rem(right) as f64),
            _ => Number::Double(self.as_f64() % other.as_f64()),
        }
    }

    /// `MOD()`: the sign is that of the divisor; the dividend itself when divided by zero.
    pub(super) fn modulo(self, other: Number) -> Number {
        if other.is_zero() {
            return self;
        }
        let (dividend, divisor) = (self.as_f64(), other.as_f64());
        let rest = dividend % divisor;
        let opposite = if dividend > 0.0 { divisor < 0.0 } else { divisor > 0.0 };
        Number::Double(if rest != 0.0 && opposite { rest + divisor } else { rest })
    }

    pub(super) fn negate(self) -> Number {
        match self {
            Number::Integer(value) => value.checked_neg().map_or(Number::Double(-(value as f64)), Number::Integer),
            Number::Double(value) => Number::Double(-value),
        }
    }

    pub(super) fn compare(self, other: Number) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Number::Integer(left), Number::Integer(right)) => Some(left.cmp(&right)),
            _ => self.as_f64().partial_cmp(&other.as_f64()),
        }
    }

    /// `INT()`. `nudge` is for Clipper and Harbour.
    pub(super) fn whole(self, nudge: bool) -> Number {
        match self {
            Number::Integer(_) => self,
            Number::Double(value) => whole_or_double((if nudge { value * NUDGE } else { value }).trunc()),
        }
    }

    /// `ROUND()`.
    pub(super) fn round(self, decimals: i64) -> Number {
        if let (Number::Integer(_), 0) = (self, decimals) {
            return self;
        }
        let rounded = round(self.as_f64(), decimals);
        if decimals > 0 { Number::Double(rounded) } else { whole_or_double(rounded) }
    }

    /// Characters that the whole part takes when nothing says so.
    pub(super) fn natural_width(self) -> usize {
        let value = self.as_f64();
        // NaN is neither above nor below the limits.
        let fits = value.is_nan() || (-999_999_999.0..=9_999_999_999.0).contains(&value);
        if fits { 10 } else { 20 }
    }
}

fn whole_or_double(value: f64) -> Number {
    let integer = value as i64;
    if integer as f64 == value { Number::Integer(integer) } else { Number::Double(value) }
}

fn power_of_ten(exponent: i64) -> f64 {
    // Products of tens are exact up to 10^22; the library's power is the one the programs use beyond.
    match u32::try_from(exponent) {
        Ok(exponent) if exponent < 16 => 10u64.pow(exponent) as f64,
        _ => 10f64.powf(exponent.clamp(-400, 400) as f64),
    }
}

/// Half away from zero, at this many decimals (negative ones count to the left of the point).
pub(super) fn round(value: f64, decimals: i64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let power = power_of_ten(decimals.saturating_abs());
    let tenfold = if decimals < 0 { value / power * 10.0 } else { value * power * 10.0 };
    let half = if value < 0.0 { -5.0 } else { 5.0 };
    let whole = ((tenfold + half) / 10.0 * NUDGE).trunc();
    if decimals < 0 { whole * power } else { whole / power }
}

/// The value of a text of digits: blanks, a sign, digits, a point, digits; the rest is ignored, and
/// nothing is 0. A whole number of up to 63 bits is an integer.
pub(super) fn value_of(text: &[u8]) -> Number {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let mut rest = &text[text.iter().take_while(|byte| blank(byte)).count()..];
    let negative = rest.first() == Some(&b'-');
    if let Some(b'-' | b'+') = rest.first() {
        rest = &rest[1..];
    }
    let (mut integer, mut double, mut decimals) = (0i64, None::<f64>, None::<i64>);
    for byte in rest {
        match byte {
            b'0'..=b'9' => {
                let digit = i64::from(byte - b'0');
                (integer, double) = match (double, integer.checked_mul(10).and_then(|ten| ten.checked_add(digit))) {
                    (Some(value), _) => (integer, Some(value * 10.0 + digit as f64)),
                    (None, Some(next)) => (next, None),
                    (None, None) => (integer, Some(integer as f64 * 10.0 + digit as f64)),
                };
                decimals = decimals.map(|count| count + 1);
            }
            b'.' if decimals.is_none() => decimals = Some(0),
            _ => {
                // A point after other characters still makes the number a double.
                decimals = decimals.or_else(|| rest.contains(&b'.').then_some(0));
                break;
            }
        }
    }
    let sign = |value: f64| if negative { -value } else { value };
    match (double, decimals) {
        (None, None) => Number::Integer(if negative { -integer } else { integer }),
        (double, decimals) => {
            let value = sign(double.unwrap_or(integer as f64));
            Number::Double(if decimals.unwrap_or(0) > 0 { value / power_of_ten(decimals.unwrap_or(0)) } else { value })
        }
    }
}

/// Where STR() puts the parts of a number: `size` characters with `decimals` digits after the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) size: usize,
    pub(super) decimals: usize,
}

impl Layout {
    /// The layout of `STR(n, width, decimals)`: a width under 1 is 10, and a width of 1 has no room for
    /// decimals.
    pub(super) fn of(width: i64, decimals: i64) -> Layout {
        let size = if width < 1 { 10 } else { usize::try_from(width).unwrap_or(usize::MAX) };
        let decimals = if size > 1 { usize::try_from(decimals.max(0)).unwrap_or(usize::MAX) } else { 0 };
        Layout { size, decimals }
    }
}

/// Prints a number into `out`, which has `layout.size` bytes. Asterisks, and `false`, when it does not
/// fit.
pub(super) fn print(number: Number, layout: Layout, out: &mut [u8]) -> bool {
    let places = if layout.decimals > 0 { layout.size.checked_sub(layout.decimals + 1) } else { Some(layout.size) };
    let printed = match (number, places) {
        (_, None | Some(0)) => false,
        (Number::Integer(value), Some(places)) => print_integer(value, places, out),
        (Number::Double(value), Some(places)) => value.is_finite() && print_double(value, places, layout.decimals, out),
    };
    if !printed {
        out.fill(b'*');
    }
    printed
}

fn print_integer(value: i64, places: usize, out: &mut [u8]) -> bool {
    out.fill(b'0');
    if let Some(point) = out.get_mut(places) {
        *point = b'.';
    }
    let (mut rest, mut position) = (value.unsigned_abs(), places);
    loop {
        let Some(next) = position.checked_sub(1) else { return false };
        position = next;
        out[position] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out[..position].fill(b' ');
    sign(value < 0, position, out)
}

/// Puts the minus before the first digit, if there is one to put.
fn sign(negative: bool, first_digit: usize, out: &mut [u8]) -> bool {
    match (negative, first_digit.checked_sub(1)) {
        (false, _) => true,
        (true, Some(before)) => {
            out[before] = b'-';
            true
        }
        (true, None) => false,
    }
}

/// One decimal digit of a value under 10, which is never quite whole.
fn digit(value: f64) -> u8 {
    (value + 0.01) as u8
}

/// The digits of a double while they are laid out: `digits` is the text without its point.
struct Digits<'o> {
    out: &'o mut [u8],
    places: usize,
    decimals: usize,
    /// The index of the first digit that is not zero.
    first: Option<usize>,
    /// The rest of the fraction after the last digit produced.
    fraction: f64,
}

impl Digits<'_> {
    /// The place of digit `index` in the text, behind the point or before it.
    fn at(&mut self, index: usize) -> &mut u8 {
        let position = if index < self.places { index } else { index + 1 };
        &mut self.out[position]
    }

    fn count(&self) -> usize {
        self.places + self.decimals
    }

    fn next_fraction_digit(&mut self) -> f64 {
        let tenfold = self.fraction * 10.0;
        self.fraction = tenfold.fract();
        tenfold.trunc()
    }

    /// Lays out the whole part from its last digit. `None` when it does not fit.
    fn whole(&mut self, mut whole: f64) -> Option<usize> {
        let mut index = self.places;
        loop {
            index = index.checked_sub(1)?;
            let shifted = whole / 10.0 + 0.01;
            let value = digit(shifted.fract() * 10.0);
            *self.at(index) = b'0' + value;
            if value != 0 {
                self.first = Some(index);
            }
            whole = shifted.trunc();
            if whole < 1.0 {
                self.out[..index].fill(b' ');
                return Some(index);
            }
        }
    }

    /// Lays out the decimals, up to the precision; the others are zeros.
    fn decimals(&mut self) {
        for index in self.places..self.count() {
            *self.at(index) = b'0';
        }
        for index in self.places..self.count() {
            if self.first.is_some_and(|first| index > first && index - first >= PRECISION && index > self.places) {
                break;
            }
            let value = self.next_fraction_digit();
            *self.at(index) = b'0' + digit(value);
            if self.first.is_none() && digit(value) != 0 {
                self.first = Some(index);
            }
        }
    }

    /// True if the digits behind the last significant one round it up, and the index behind that digit.
    fn rounding(&mut self) -> (bool, usize) {
        let count = self.count();
        let significant = self.first.map_or(0, |first| count - first);
        let Some(excess) = significant.checked_sub(PRECISION) else {
            let next = digit(self.next_fraction_digit());
            let spare = if self.first.is_some() { PRECISION - significant } else { 0 };
            return (next >= 5 || next == 4 && self.only_nines(spare), count);
        };
        let end = count - excess;
        // The digit behind the last one that counts is on the paper already if it is in the whole part
        // or the first decimal.
        let up = if end <= self.places && excess > 0 {
            *self.at(end) >= b'5'
        } else {
            digit(self.next_fraction_digit()) >= 5
        };
        for index in end..count {
            *self.at(index) = b'0';
        }
        (up, end)
    }

    /// Returns true if the next `spare` digits are nines, the last of them at least a two.
    fn only_nines(&mut self, spare: usize) -> bool {
        spare > 0
            && (1..=spare).rev().all(|left| {
                let value = self.next_fraction_digit();
                value + 0.01 >= 9.0 || left == 1 && value >= 2.0
            })
    }

    /// Adds one at the digit before `end`. `false` when the number grows out of its place.
    fn carry(&mut self, end: usize) -> bool {
        for index in (0..end).rev() {
            let place = self.at(index);
            match *place {
                b'9' => *place = b'0',
                b'0'..=b'8' => {
                    *place += 1;
                    self.first = Some(self.first.map_or(index, |first| first.min(index)));
                    return true;
                }
                _ => {
                    *place = b'1';
                    self.first = Some(index);
                    return true;
                }
            }
        }
        false
    }
}

fn print_double(value: f64, places: usize, decimals: usize, out: &mut [u8]) -> bool {
    match short(value.abs(), decimals) {
        Some(scaled) => print_scaled(value < 0.0, scaled, places, decimals, out),
        None => print_digits(value, places, decimals, out),
    }
}

/// The number in units of its last decimal, when any way of rounding gives the same: it has fewer digits
/// than a double holds, and what is cut off is far from a half. That is nearly every number of a table.
fn short(magnitude: f64, decimals: usize) -> Option<u64> {
    let scaled = magnitude * power_of_ten(i64::try_from(decimals).ok().filter(|decimals| *decimals < 16)?);
    let nearest = scaled.round();
    (scaled < 1e14 && (scaled - nearest).abs() < 0.49).then_some(nearest as u64)
}

fn print_scaled(negative: bool, scaled: u64, places: usize, decimals: usize, out: &mut [u8]) -> bool {
    let (mut rest, mut position) = (scaled, out.len());
    for _ in 0..decimals {
        position -= 1;
        out[position] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    if decimals > 0 {
        out[places] = b'.';
    }
    position = places;
    loop {
        let Some(next) = position.checked_sub(1) else { return false };
        position = next;
        out[position] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out[..position].fill(b' ');
    sign(negative && scaled != 0, position, out)
}

fn print_digits(value: f64, places: usize, decimals: usize, out: &mut [u8]) -> bool {
    let magnitude = value.abs();
    let mut digits = Digits { out, places, decimals, first: None, fraction: magnitude.fract() };
    if digits.whole(magnitude.trunc()).is_none() {
        return false;
    }
    digits.decimals();
    let (up, end) = digits.rounding();
    if up && !digits.carry(end) {
        return false;
    }
    let first = digits.first;
    if decimals > 0 {
        out[places] = b'.';
    }
    match first {
        Some(first) => sign(value < 0.0, first.min(places - 1), out),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(number: Number, width: i64, decimals: i64) -> String {
        let layout = Layout::of(width, decimals);
        let mut out = vec![0; layout.size];
        print(number, layout, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn doubles_print_as_harbour_prints_them() {
        for (value, width, decimals, expected) in [
            (8.995, 6, 2, "  9.00"),
            (0.285, 5, 2, " 0.29"),
            (1.005, 5, 2, " 1.01"),
            (-8952.71, 12, 2, "    -8952.71"),
            (-0.001, 6, 2, "  0.00"),
            (-0.5, 4, 2, "****"),
            (-0.5, 5, 2, "-0.50"),
            (9.999, 4, 2, "****"),
            (99.5, 3, 0, "100"),
            (99.5, 2, 0, "**"),
            (0.0, 3, 2, "***"),
            (1e15, 16, 0, "1000000000000000"),
            (12345678901234567890.0, 22, 0, "  12345678901234570000"),
            (0.1, 25, 20, "   0.10000000000000000000"),
            (1.5, 1, 2, "2"),
            (f64::INFINITY, 4, 0, "****"),
        ] {
            assert_eq!(text(Number::Double(value), width, decimals), expected, "{value}");
        }
    }

    #[test]
    fn the_short_way_prints_what_the_long_way_prints() {
        let mut state = 1u64;
        for turn in 0..200_000i64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let cents = (state >> 20) as i64 % 10i64.pow((turn % 14) as u32 + 1);
            let value = cents as f64 / power_of_ten(turn % 7) * if turn % 3 == 0 { -1.0 } else { 1.0 };
            let (places, decimals) = (1 + turn as usize % 14, turn as usize % 6);
            let size = if decimals > 0 { places + 1 + decimals } else { places };
            let (mut first, mut second) = (vec![0; size], vec![0; size]);
            let fits = print_double(value, places, decimals, &mut first);
            assert_eq!(fits, print_digits(value, places, decimals, &mut second), "{value} {places} {decimals}");
            assert!(!fits || first == second, "{value} {places} {decimals}: {first:?} {second:?}");
        }
    }

    #[test]
    fn integers_keep_all_their_digits() {
        assert_eq!(text(Number::Integer(1_234_567_890_123_456_789), 20, 0), " 1234567890123456789");
        assert_eq!(text(Number::Integer(-5), 6, 2), " -5.00");
        assert_eq!(text(Number::Integer(-5), 1, 0), "*");
        assert_eq!(text(Number::Integer(5), 0, 0), "         5");
    }

    #[test]
    fn values_of_texts() {
        for (text, value) in [
            ("  12 ", Number::Integer(12)),
            ("-1.50", Number::Double(-1.5)),
            ("", Number::Integer(0)),
            ("12abc", Number::Integer(12)),
            ("1.2.3", Number::Double(1.2)),
            ("****", Number::Integer(0)),
            ("9223372036854775808", Number::Double(9_223_372_036_854_775_808.0)),
        ] {
            assert_eq!(value_of(text.as_bytes()), value, "{text}");
        }
    }

    #[test]
    fn remainders_take_their_sign_from_different_sides() {
        let (minus_seven, three) = (Number::Integer(-7), Number::Integer(3));
        assert_eq!(minus_seven.remainder(three), Number::Double(-1.0));
        assert_eq!(minus_seven.modulo(three), Number::Double(2.0));
        assert_eq!(minus_seven.modulo(Number::Integer(0)), minus_seven);
        assert_eq!(minus_seven.divide(Number::Integer(0)), Number::Integer(0));
    }

    #[test]
    fn rounding_is_away_from_zero() {
        assert_eq!(Number::Double(2.345).round(2), Number::Double(2.35));
        assert_eq!(Number::Double(-2.5).round(0), Number::Integer(-3));
        assert_eq!(Number::Double(1251.0).round(-2), Number::Integer(1300));
        assert_eq!(Number::Double(2.999_999_999_999_999_6).whole(true), Number::Integer(3));
    }
}
