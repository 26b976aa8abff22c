//! Type inference before any record is read: the result's type, the lengths a text can have, the form a number prints
//! in, and its value if it is the same for every record.

use super::calendar::LONGEST_NAME;
use super::catalog::Builtin;
use super::machine::MAX_TEXT;
use super::number::{Layout, Number};
use super::tree::Binary;
use super::types::{Kind, NumberForm, TextLength, Width};

/// The static description of a value.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) kind: Kind,
    /// For texts.
    pub(super) text: TextLength,
    /// For numbers; `None` when it depends on the data.
    pub(super) form: Option<NumberForm>,
    /// The number, where it is written in the expression.
    pub(super) number: Option<Number>,
    /// The text, where it is written in the expression.
    pub(super) literal: Option<Vec<u8>>,
}

impl Typed {
    pub(super) fn of(kind: Kind) -> Typed {
        Typed { kind, text: TextLength::exactly(0), form: None, number: None, literal: None }
    }

    pub(super) fn text(text: TextLength) -> Typed {
        Typed { text, ..Typed::of(Kind::Character) }
    }

    pub(super) fn numeric(form: Option<NumberForm>) -> Typed {
        Typed { form, ..Typed::of(Kind::Numeric) }
    }

    /// A number that is written in the expression, or follows from ones that are.
    pub(super) fn constant(number: Number, form: NumberForm) -> Typed {
        Typed { number: Some(number), ..Typed::numeric(Some(form)) }
    }

    /// The common type of the two branches of a choice.
    pub(super) fn or(&self, other: &Typed) -> Typed {
        let form = if self.form == other.form { self.form } else { None };
        Typed { text: self.text.or(other.text), form, ..Typed::of(self.kind) }
    }

    fn is_nonzero(&self) -> bool {
        self.number.is_some_and(|number| !number.is_zero())
    }

    /// The constant as a count of bytes; 0 if it is negative.
    fn count(&self) -> Option<usize> {
        self.number.map(|number| usize::try_from(number.as_i64().max(0)).unwrap_or(usize::MAX))
    }
}

/// The form of a whole number that is written in an expression: from 10^9 on, one wider per digit.
pub(super) fn literal_form(number: Number, decimals: usize, whole_digits: usize) -> NumberForm {
    match number {
        Number::Integer(value) if value >= 1_000_000_000 => {
            let digits = value.checked_ilog10().unwrap_or(0) as usize;
            NumberForm::integer(Width::Fixed(digits + 2))
        }
        Number::Integer(_) => NumberForm::natural(true, 0),
        Number::Double(_) if whole_digits >= 10 && decimals > 0 => {
            NumberForm { integer: false, width: Width::Fixed(whole_digits), decimals }
        }
        Number::Double(_) => NumberForm::natural(false, decimals),
    }
}

/// The form that `*`, `/`, `%`, `^`, `+` and `-` give two numbers. SET DECIMALS is 2, its default.
pub(super) fn arithmetic(operator: Binary, left: &Typed, right: &Typed) -> Option<NumberForm> {
    let (first, second) = (left.form?, right.form?);
    let integer = first.integer && second.integer;
    match operator {
        Binary::Plus | Binary::Minus => Some(NumberForm::natural(integer, first.decimals.max(second.decimals))),
        Binary::Multiply => Some(NumberForm::natural(integer, first.decimals + second.decimals)),
        // A division by zero gives an integer, so the form depends on the divisor.
        Binary::Divide | Binary::Modulo => right.is_nonzero().then_some(NumberForm::natural(false, 2)),
        _ => Some(NumberForm::natural(false, 2)),
    }
}

/// The value and form of an operator between two numbers that are written in the expression: whole
/// quotients and remainders of whole numbers stay whole when the compiler finds them.
pub(super) fn folded(operator: Binary, left: &Typed, right: &Typed) -> Option<Typed> {
    let (first, second, form) = (left.number?, right.number?, arithmetic(operator, left, right)?);
    let (number, form) = match (operator, first, second) {
        (Binary::Divide, Number::Integer(first), Number::Integer(second)) if first.checked_rem(second)? == 0 => {
            (Number::Integer(first.checked_div(second)?), NumberForm::natural(true, 0))
        }
        (Binary::Modulo, Number::Integer(first), Number::Integer(second)) => {
            (Number::Integer(first.checked_rem(second)?), NumberForm::natural(true, 0))
        }
        (Binary::Plus, ..) => (first.add(second), form),
        (Binary::Minus, ..) => (first.subtract(second), form),
        (Binary::Multiply, ..) => (first.multiply(second), form),
        (Binary::Divide, ..) => (first.divide(second), form),
        (Binary::Modulo, ..) => (first.remainder(second), form),
        _ => return None,
    };
    let form = if form.integer { literal_form(number, 0, 0) } else { form };
    Some(Typed::constant(number, form))
}

/// The result of a function. Its arguments have been checked.
pub(super) fn result(builtin: Builtin, arguments: &[Typed]) -> Typed {
    use Builtin::*;
    let nothing = Typed::of(Kind::Logical);
    let argument = |position: usize| arguments.get(position).unwrap_or(&nothing);
    let text = argument(0).text;
    match builtin {
        Upper | Lower | Transform | Reverse => Typed::text(text),
        I2Bin => Typed::text(TextLength::exactly(2)),
        L2Bin => Typed::text(TextLength::exactly(4)),
        Descend => descend(argument(0)),
        Trim | LTrim | AllTrim => Typed::text(TextLength::at_most(text.max)),
        Left | Right => Typed::text(match argument(1).count() {
            Some(count) => text.cut(count),
            None => TextLength::at_most(text.max),
        }),
        SubStr => Typed::text(substr(text, argument(1), arguments.get(2))),
        Str | StrZero | PadL | PadR | PadC | Space | Replicate | Stuff | StrTran | ChrTran | BinToC => {
            Typed::text(made(builtin, arguments))
        }
        Chr => Typed::text(TextLength::exactly(1)),
        Soundex => Typed::text(TextLength::exactly(4)),
        DToS | DToC => Typed::text(TextLength::exactly(8)),
        TToC => Typed::text(TextLength::exactly(14)),
        TToS => Typed::text(TextLength::exactly(17)),
        Cdow | Cmonth => Typed::text(TextLength::at_most(LONGEST_NAME)),
        CToD | SToD | TToD => Typed::of(Kind::Date),
        DToT | SToTS => Typed::of(Kind::Timestamp),
        Deleted | Empty | IsAlpha | IsDigit | IsLower | IsUpper | IsNull | Between | InList | Like => nothing.clone(),
        Max | Min => arguments.iter().skip(1).fold(argument(0).or(argument(0)), |all, next| all.or(next)),
        Iif => argument(1).or(argument(2)),
        Nvl => argument(0).or(argument(1)),
        _ => Typed::numeric(number_form(builtin, arguments)),
    }
}

fn descend(argument: &Typed) -> Typed {
    match argument.kind {
        Kind::Character => Typed::text(argument.text),
        Kind::Numeric => Typed::numeric(Some(NumberForm::natural(false, 2))),
        Kind::Date | Kind::Timestamp => Typed::numeric(Some(NumberForm::natural(true, 0))),
        Kind::Logical => Typed::of(Kind::Logical),
    }
}

fn substr(text: TextLength, start: &Typed, count: Option<&Typed>) -> TextLength {
    let count = count.map_or(Some(usize::MAX), Typed::count);
    let (Some(start), Some(count)) = (start.number.map(Number::as_i64), count) else {
        return TextLength::at_most(text.max);
    };
    let from_end = || usize::try_from(start.saturating_neg()).unwrap_or(usize::MAX);
    match start {
        1.. => text.without(usize::try_from(start - 1).unwrap_or(usize::MAX)),
        0 => text,
        _ => text.cut(from_end()),
    }
    .cut(count)
}

/// The lengths of texts that are as long as an argument says.
fn made(builtin: Builtin, arguments: &[Typed]) -> TextLength {
    let count = |position: usize| arguments.get(position).and_then(Typed::count);
    let long = |position: usize| arguments.get(position).map_or(0, |argument| argument.text.max);
    let text = arguments.first().map_or(TextLength::exactly(0), |argument| argument.text);
    let anything = TextLength::at_most(MAX_TEXT);
    match builtin {
        Builtin::Str | Builtin::StrZero => {
            let given = |position: usize| arguments.get(position).and_then(|argument| argument.number);
            match (given(1).map(Number::as_i64), given(2).map(Number::as_i64)) {
                (Some(decimals), None) if arguments.len() == 2 => {
                    let decimals = usize::try_from(decimals).unwrap_or(0);
                    let rest = if decimals > 0 { decimals.saturating_add(1) } else { 0 };
                    TextLength { min: rest.saturating_add(10), max: rest.saturating_add(20) }
                }
                (Some(width), Some(decimals)) => TextLength::exactly(Layout::of(width, decimals).size),
                _ => anything,
            }
        }
        Builtin::PadL | Builtin::PadR | Builtin::PadC => count(1).map_or(anything, TextLength::exactly),
        Builtin::Space => count(0).map_or(anything, TextLength::exactly),
        Builtin::Replicate => count(1).map_or(anything, |count| TextLength {
            min: text.min.saturating_mul(count),
            max: text.max.saturating_mul(count),
        }),
        Builtin::Stuff => TextLength::at_most(text.max.saturating_add(long(3))),
        Builtin::StrTran => TextLength::at_most(text.max.saturating_mul(long(2).max(1))),
        Builtin::ChrTran => match (&arguments[1].literal, &arguments[2].literal) {
            (Some(searched), Some(replacements)) if replacements.len() >= searched.len() => text,
            _ => TextLength::at_most(text.max),
        },
        _ => count(1).map_or(TextLength::exactly(4), TextLength::exactly),
    }
}

fn number_form(builtin: Builtin, arguments: &[Typed]) -> Option<NumberForm> {
    use Builtin::*;
    let form = arguments.first().and_then(|argument| argument.form);
    match builtin {
        Asc | At | Rat | Len | Recno | Bin2I | Bin2W | Bin2L => Some(NumberForm::natural(true, 0)),
        Year => Some(NumberForm::integer(Width::Fixed(5))),
        Month | Day | Dow | Week => Some(NumberForm::integer(Width::Fixed(3))),
        Int => form.map(|form| NumberForm::integer(form.width)),
        Abs => form
            .filter(|form| !form.integer || form.width == Width::Natural)
            .map(|form| NumberForm::natural(form.integer, form.decimals)),
        Round => match arguments.get(1)?.number?.as_i64() {
            decimals @ 1.. => Some(NumberForm::natural(false, usize::try_from(decimals).ok()?)),
            _ => Some(NumberForm::natural(true, 0)),
        },
        Mod if arguments.get(1)?.is_nonzero() => Some(NumberForm::natural(false, 2)),
        Sqrt => Some(NumberForm::natural(false, 2)),
        _ => None,
    }
}
