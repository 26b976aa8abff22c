//! Conditions on numbers as ranges of the part of a key that is their digits: `STR(NUMBER,8,2)`, `STRZERO(NUMBER,8)`.
//!
//! Such texts order as the numbers do as long as they have no sign. A negative number has its minus before its first digit
//! (STRZERO: before all zeros), so that of two negative numbers the less one has the greater text; and a number that is too
//! long is asterisks. So a range of numbers is split into those without and those with a minus, and the range of texts
//! covers both:
//!
//! ```text
//!   STR(n,6), -20 <= n <= 5      0 .. 5     "     0" .. "     5"
//!                              -20 .. -0    "     0" .. "   -20"      together "     0" .. "   -20"
//! ```
//! A number with more decimals than the text is rounded outwards. A blank field is written as 0, and no condition holds
//! of it.

use super::Files;
use super::bounds::{Interval, Leaf, text_of};
use mainstay_columnar::{Comparison, Term, Test};
use mainstay_types::{Decimal, Value};

/// Of numbers with more digits the text is not sure.
const SURE_DIGITS: u32 = 15;

/// Numbers from one to another; `None` where there is no end.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    from: Option<Decimal>,
    to: Option<Decimal>,
}

/// Where the digits of a column are (by its number, their length, their decimals, and whether zeros are put before them),
/// and which of the conditions say so.
pub(super) fn intervals(
    (column, width, decimals, zeros): (usize, usize, usize, bool),
    files: &Files,
    leaves: &[Leaf<'_>],
) -> Option<(Vec<Interval>, Vec<usize>)> {
    let layout = Layout { width, decimals: u8::try_from(decimals).ok()?, zeros };
    if decimals > 0 && width < decimals + 2 || width == 0 {
        return None;
    }
    let about = |leaf: &Leaf<'_>| numbers(column, leaf.0, leaf.1);
    let asked: Vec<(usize, Vec<Numbers>)> =
        leaves.iter().enumerate().filter_map(|(place, leaf)| Some((place, about(leaf)?))).collect();
    // Values one by one are the best that can be known.
    if let Some((place, values)) = asked.iter().find(|(_, numbers)| numbers.len() > 1) {
        let Test::In(listed) = leaves[*place].1 else { return None };
        let text = |value: &Value| text_of(files, leaves[*place].0, &Test::Compare(Comparison::Equal, value.clone()));
        let listed = listed.iter().filter(|value| **value != Value::Null);
        let intervals = values.iter().zip(listed).map(|(numbers, value)| layout.interval(*numbers, text(value)));
        return Some((intervals.collect::<Option<Vec<_>>>()?, vec![*place]));
    }
    let mut common = Numbers::default();
    let (mut places, mut texts) = (Vec::new(), Vec::new());
    for (place, numbers) in &asked {
        let numbers = numbers.first()?;
        common.from = [common.from, numbers.from].into_iter().flatten().max();
        common.to = [common.to, numbers.to].into_iter().flatten().min_by(Decimal::cmp);
        places.push(*place);
        texts.push(text_of(files, leaves[*place].0, leaves[*place].1));
    }
    let interval = layout.interval(common, texts.join(" and "))?;
    Some((vec![interval], places))
}

/// The numbers of a column of which a condition can hold, one range for each value that is listed.
fn numbers(column: usize, term: &Term, test: &Test) -> Option<Vec<Numbers>> {
    let one = |from, to| vec![Numbers { from, to }];
    match (term, test) {
        (Term::Column(of), Test::Compare(op, value)) if *of == column => {
            let number = number_of(value)?;
            Some(match op {
                Comparison::Equal => one(Some(number), Some(number)),
                Comparison::Less | Comparison::LessOrEqual => one(None, Some(number)),
                Comparison::Greater | Comparison::GreaterOrEqual => one(Some(number), None),
                Comparison::NotEqual => return None,
            })
        }
        // The text may be that of any number that is rounded to it.
        (Term::Digits { number, decimals, .. }, Test::Compare(Comparison::Equal, Value::Text(text))) => {
            let number =
                if **number == Term::Column(column) { text.trim().parse::<Decimal>().ok()? } else { return None };
            let unit = Decimal::new(1, u8::try_from(*decimals).ok()?);
            Some(one(Some(difference(number, unit, -1)?), Some(difference(number, unit, 1)?)))
        }
        (_, Test::In(values)) => {
            let listed = values.iter().filter(|value| **value != Value::Null);
            let equal = |value: &Value| numbers(column, term, &Test::Compare(Comparison::Equal, value.clone()));
            let each: Option<Vec<Vec<Numbers>>> = listed.map(equal).collect();
            each.map(|each| each.concat()).filter(|all| !all.is_empty())
        }
        _ => None,
    }
}

fn number_of(value: &Value) -> Option<Decimal> {
    match value {
        Value::Float(number) if number.is_finite() => format!("{number}").parse().ok(),
        _ => value.as_decimal(),
    }
}

/// A number plus so many units.
fn difference(number: Decimal, unit: Decimal, count: i128) -> Option<Decimal> {
    let scale = number.scale.max(unit.scale);
    let sum = number.rescale(scale)?.unscaled.checked_add(unit.rescale(scale)?.unscaled.checked_mul(count)?)?;
    Some(Decimal::new(sum, scale))
}

/// The text layout of a number.
#[derive(Clone, Copy)]
struct Layout {
    width: usize,
    decimals: u8,
    zeros: bool,
}

impl Layout {
    /// The texts of some numbers; `None` where that is no range to speak of.
    fn interval(self, numbers: Numbers, text: String) -> Option<Interval> {
        let zero = Decimal::new(0, 0);
        if let (Some(from), Some(to)) = (numbers.from, numbers.to)
            && from > to
        {
            // No record: any empty range will do.
            return Some(Interval { lower: Some(vec![0xFF]), upper: Some(vec![0x00]), exact: None, text });
        }
        // The texts of a run of numbers of one sign; `None` where there is no last one.
        let mut runs: Vec<(Vec<u8>, Option<Vec<u8>>)> = Vec::new();
        let nothing = self.write(Some(0), false)?;
        if numbers.to.is_none_or(|to| to >= zero) {
            let from = self.first(numbers.from.filter(|from| *from > zero).unwrap_or(zero), false);
            let to = numbers.to.and_then(|to| self.write(ceiling(to, self.decimals), false));
            runs.push((from, to));
        }
        if numbers.from.is_none_or(|from| from < zero) {
            let nearest = numbers.to.filter(|to| *to < zero).and_then(negated).unwrap_or(zero);
            let last = numbers.from.and_then(|from| self.write(ceiling(negated(from)?, self.decimals), true));
            match floor(nearest, self.decimals) {
                // A number that rounds to 0 is written with or without its minus.
                Some(0) if self.zeros => runs.push((b"-".to_vec(), last.map(|last| last.max(nothing.clone())))),
                Some(0) => runs.push((nothing.clone(), last)),
                _ => runs.push((self.first(nearest, true), last)),
            }
        }
        if runs.iter().any(|(_, last)| last.is_none()) {
            runs.push((self.too_long(), None));
        }
        let lower = runs.iter().map(|(first, _)| first.clone()).min()?;
        let lasts: Option<Vec<Vec<u8>>> = runs.iter().map(|(_, last)| last.clone()).collect();
        let upper = lasts.and_then(|lasts| lasts.into_iter().max());
        let least = if self.zeros { self.too_long() } else { nothing };
        if upper.is_none() && lower <= least {
            return None;
        }
        let lower = Some(lower);
        let exact = lower.clone().filter(|_| lower == upper);
        Some(Interval { lower, upper, exact, text })
    }

    /// The first text of the numbers from this one on, away from 0.
    fn first(self, number: Decimal, negative: bool) -> Vec<u8> {
        // Of numbers with more digits the text is at least as great as that of the last which is sure.
        let most = 10i128.pow(SURE_DIGITS) - 1;
        let units = floor(number, self.decimals).unwrap_or(most).min(most);
        self.write(Some(units), negative).unwrap_or_else(|| self.too_long())
    }

    /// A number of units of the last decimal as the text that it is; `None` if it is too long, or not sure.
    fn write(self, units: Option<i128>, negative: bool) -> Option<Vec<u8>> {
        let units = units.filter(|units| (0..10i128.pow(SURE_DIGITS)).contains(units))?;
        let digits = Decimal::new(units, self.decimals).to_string();
        let sign = usize::from(negative);
        if digits.len() + sign > self.width {
            return None;
        }
        let sign = if negative { "-" } else { "" };
        let text = match self.zeros {
            true => format!("{sign}{digits:0>width$}", width = self.width - sign.len()),
            false => format!("{:>width$}", format!("{sign}{digits}"), width = self.width),
        };
        Some(text.into_bytes())
    }

    /// The text of a number that is too long.
    fn too_long(self) -> Vec<u8> {
        vec![b'*'; self.width]
    }
}

fn negated(number: Decimal) -> Option<Decimal> {
    Some(Decimal::new(number.unscaled.checked_neg()?, number.scale))
}

/// The number in units of its last decimal, rounded down.
fn floor(number: Decimal, scale: u8) -> Option<i128> {
    match scale.checked_sub(number.scale) {
        Some(more) => number.unscaled.checked_mul(10i128.checked_pow(more.into())?),
        None => Some(number.unscaled.div_euclid(10i128.checked_pow((number.scale - scale).into())?)),
    }
}

/// The same, rounded up.
fn ceiling(number: Decimal, scale: u8) -> Option<i128> {
    floor(negated(number)?, scale)?.checked_neg()
}
