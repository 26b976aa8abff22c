//! The operators and functions of numbers, and the ones that choose between values.

use super::calendar;
use super::catalog::Builtin;
use super::machine::{Machine, Slot};
use super::number::{self, Layout, Number};
use super::tree::Binary;
use super::types::Dialect;
use mainstay_types::{Code, Error, Result};

/// Runs a function of numbers, or one that compares values; `false` for another function.
pub(super) fn call(machine: &mut Machine<'_>, builtin: Builtin, arguments: usize) -> Result<bool> {
    match builtin {
        Builtin::Str | Builtin::StrZero => str(machine, builtin, arguments)?,
        Builtin::Val => {
            let text = machine.text()?;
            let value = number::value_of(machine.bytes(text));
            machine.push(Slot::Number(value));
        }
        Builtin::Abs | Builtin::Int | Builtin::Sqrt | Builtin::Floor | Builtin::Ceiling | Builtin::Sign => {
            let number = machine.number()?;
            let nudge = machine.program.dialect == Dialect::Clipper;
            machine.push(Slot::Number(of_one(builtin, number, nudge)));
        }
        Builtin::Round => {
            let (decimals, number) = (machine.integer()?, machine.number()?);
            machine.push(Slot::Number(number.round(decimals)));
        }
        Builtin::Mod => {
            let (divisor, dividend) = (machine.number()?, machine.number()?);
            if divisor.is_zero() && machine.program.dialect == Dialect::FoxPro {
                return Err(division_by_zero());
            }
            machine.push(Slot::Number(dividend.modulo(divisor)));
        }
        Builtin::Max | Builtin::Min => extreme(machine, builtin, arguments)?,
        Builtin::Between => {
            let (high, low, value) = (machine.pop()?, machine.pop()?, machine.pop()?);
            let inside = machine.holds(Binary::GreaterOrEqual, value, low)?
                && machine.holds(Binary::LessOrEqual, value, high)?;
            machine.push_logical(inside);
        }
        Builtin::InList => in_list(machine, arguments)?,
        Builtin::I2Bin | Builtin::L2Bin => {
            let (number, mark) = (machine.integer()?, machine.mark());
            machine.append_bytes(&number.to_le_bytes()[..if builtin == Builtin::I2Bin { 2 } else { 4 }])?;
            machine.push_text(machine.since(mark));
        }
        Builtin::Bin2I | Builtin::Bin2W | Builtin::Bin2L => {
            let text = machine.text()?;
            let byte = |at: usize| machine.bytes(text).get(at).copied().unwrap_or(0);
            let low = u16::from_le_bytes([byte(0), byte(1)]);
            let value = match builtin {
                Builtin::Bin2I => i64::from(low as i16),
                Builtin::Bin2W => i64::from(low),
                _ => i64::from(i32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])),
            };
            machine.push_integer(value);
        }
        Builtin::BinToC => bintoc(machine)?,
        Builtin::CToBin => ctobin(machine)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn of_one(builtin: Builtin, number: Number, nudge: bool) -> Number {
    let value = number.as_f64();
    match (builtin, number) {
        (Builtin::Abs, Number::Integer(integer)) if integer < 0 => number.negate(),
        (Builtin::Abs, Number::Double(double)) => Number::Double(double.abs()),
        (Builtin::Int, _) => number.whole(nudge),
        (Builtin::Sqrt, _) => Number::Double(if value <= 0.0 { 0.0 } else { value.sqrt() }),
        (Builtin::Floor, Number::Double(double)) => Number::Double(double.floor()),
        (Builtin::Ceiling, Number::Double(double)) => Number::Double(double.ceil()),
        (Builtin::Sign, _) => Number::Integer(i64::from(value > 0.0) - i64::from(value < 0.0)),
        _ => number,
    }
}

fn division_by_zero() -> Error {
    Error::new(Code::DivisionByZero, "the expression divides by zero")
        .hint("FoxPro cannot have made a key of this record")
}

/// `*`, `/`, `%` and `^`.
pub(super) fn product(operator: Binary, left: Number, right: Number, dialect: Dialect) -> Result<Number> {
    let divides = matches!(operator, Binary::Divide | Binary::Modulo);
    if divides && right.is_zero() && dialect == Dialect::FoxPro {
        return Err(division_by_zero());
    }
    Ok(match operator {
        Binary::Multiply => left.multiply(right),
        Binary::Divide => left.divide(right),
        Binary::Modulo if dialect == Dialect::FoxPro => left.modulo(right),
        Binary::Modulo => left.remainder(right),
        _ => Number::Double(left.as_f64().powf(right.as_f64())),
    })
}

/// `+` and `-` of numbers, and of days and numbers; `None` for anything else.
pub(super) fn sum(left: Slot, right: Slot, minus: bool) -> Option<Slot> {
    let signed = |number: Number| if minus { number.negate() } else { number };
    Some(match (left, right) {
        (Slot::Number(left), Slot::Number(right)) => {
            Slot::Number(if minus { left.subtract(right) } else { left.add(right) })
        }
        (Slot::Date(day), Slot::Number(days)) => Slot::Date(later(day, signed(days).as_i64())),
        (Slot::Number(days), Slot::Date(day)) if !minus => Slot::Date(later(day, days.as_i64())),
        (Slot::Date(left), Slot::Date(right)) if minus => {
            Slot::Number(Number::Integer(i64::from(left) - i64::from(right)))
        }
        (Slot::Timestamp(day, ms), Slot::Number(days)) => calendar::later(day, ms, signed(days)),
        (Slot::Number(days), Slot::Timestamp(day, ms)) if !minus => calendar::later(day, ms, days),
        (Slot::Timestamp(day, ms), Slot::Timestamp(other_day, other_ms)) if minus => {
            let days = i64::from(day) - i64::from(other_day);
            let ms = i64::from(ms) - i64::from(other_ms);
            Slot::Number(match ms {
                0 => Number::Integer(days),
                _ => Number::Double(days as f64 + ms as f64 / calendar::DAY_MS as f64),
            })
        }
        _ => return None,
    })
}

/// A day this many days later, within what 32 bits can say.
fn later(day: i32, days: i64) -> i32 {
    i64::from(day).saturating_add(days).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// `STR(number, width, decimals)`; without the width, the number's natural one.
fn str(machine: &mut Machine<'_>, builtin: Builtin, arguments: usize) -> Result<()> {
    let decimals = machine.integer()?;
    let width = if arguments > 2 { Some(machine.integer()?) } else { None };
    let (number, mark) = (machine.number()?, machine.mark());
    let natural = || number.natural_width() as i64 + if decimals > 0 { decimals.saturating_add(1) } else { 0 };
    let layout = Layout::of(width.unwrap_or_else(natural), decimals);
    machine.fill(b' ', layout.size)?;
    let out = &mut machine.scratch.text[mark..];
    let fits = number::print(number, layout, out);
    if builtin == Builtin::StrZero {
        zero_fill(out);
    }
    if !fits && machine.program.dialect == Dialect::FoxPro {
        return Err(Error::new(
            Code::Unsupported,
            "a number does not fit into its STR(), which FoxPro prints in its own way",
        ));
    }
    machine.push_text(machine.since(mark));
    Ok(())
}

/// Blanks in front become zeros, and the minus goes to the front.
fn zero_fill(text: &mut [u8]) {
    let minus = text.iter().position(|byte| *byte == b'-');
    if let Some(place) = minus {
        text[place] = b' ';
    }
    let blanks = text.iter().take_while(|byte| **byte == b' ').count();
    text[..blanks].fill(b'0');
    if let (Some(_), Some(first)) = (minus, text.first_mut()) {
        *first = b'-';
    }
}

/// The first of equal values, as Clipper has it.
fn extreme(machine: &mut Machine<'_>, builtin: Builtin, arguments: usize) -> Result<()> {
    let keeps = if builtin == Builtin::Max { Binary::GreaterOrEqual } else { Binary::LessOrEqual };
    let first = machine.scratch.stack.len().saturating_sub(arguments);
    let mut best = machine.pop()?;
    while machine.scratch.stack.len() > first {
        let earlier = machine.pop()?;
        if machine.holds(keeps, earlier, best)? {
            best = earlier;
        }
    }
    machine.push(best);
    Ok(())
}

fn in_list(machine: &mut Machine<'_>, arguments: usize) -> Result<()> {
    let first = machine.scratch.stack.len().saturating_sub(arguments);
    let value = machine.scratch.stack.get(first).copied();
    let mut found = false;
    while machine.scratch.stack.len() > first + 1 {
        let item = machine.pop()?;
        if let Some(value) = value {
            found |= machine.holds(Binary::Equal, value, item)?;
        }
    }
    machine.pop()?;
    machine.push_logical(found);
    Ok(())
}

/// `BINTOC(n, bytes)`: the highest byte first, and the sign bit turned over, so that bytes order as
/// numbers do.
fn bintoc(machine: &mut Machine<'_>) -> Result<()> {
    let (bytes, number) = (machine.integer()?, machine.number()?);
    let value = match number {
        Number::Integer(value) => Some(value),
        Number::Double(value) if value.fract() == 0.0 => Some(value as i64),
        Number::Double(_) => None,
    };
    let half = 1i64 << (8 * bytes.clamp(1, 4) - 1);
    let value = value.filter(|value| (-half..half).contains(value)).ok_or_else(|| {
        Error::new(Code::InvalidValue, format!("the number does not fit into the {bytes} bytes of BINTOC()"))
    })?;
    let mark = machine.mark();
    let raised = (value + half).to_be_bytes();
    machine.append_bytes(&raised[8 - bytes.clamp(1, 4) as usize..])?;
    machine.push_text(machine.since(mark));
    Ok(())
}

fn ctobin(machine: &mut Machine<'_>) -> Result<()> {
    let text = machine.text()?;
    let bytes = machine.bytes(text);
    if !matches!(bytes.len(), 1 | 2 | 4) {
        return Err(Error::new(Code::InvalidValue, "CTOBIN() takes 1, 2 or 4 bytes"));
    }
    let raised = bytes.iter().fold(0i64, |value, byte| value << 8 | i64::from(*byte));
    let value = raised - (1i64 << (8 * bytes.len() - 1));
    machine.push_integer(value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_in_front_leave_the_sign_first() {
        for (text, expected) in [("   -5", "-0005"), ("   12", "00012"), ("*****", "*****"), (" -1.5", "-01.5")] {
            let mut bytes = text.as_bytes().to_vec();
            zero_fill(&mut bytes);
            assert_eq!(String::from_utf8(bytes).unwrap(), expected);
        }
    }

    #[test]
    fn days_and_numbers() {
        let three = Slot::Number(Number::Double(3.9));
        assert!(matches!(sum(Slot::Date(100), three, true), Some(Slot::Date(97))));
        assert!(matches!(sum(three, Slot::Date(100), false), Some(Slot::Date(103))));
        assert!(sum(Slot::Date(1), Slot::Date(2), false).is_none());
    }
}
