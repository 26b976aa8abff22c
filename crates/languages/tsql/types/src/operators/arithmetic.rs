//! Arithmetic by kind of number, for callers that know the kinds.
//!
//! Integers are those of a type, whose range they are checked against; money counts ten-thousandths.

use super::BinaryOperator;
use super::BinaryOperator::*;
use crate::convert::{fit_float, overflow, range};
use crate::messages::Message;
use crate::types::DataType;
use mainstay_types::{Value, ValueRef};

/// 8134.
#[cold]
pub fn divided_by_zero() -> Message {
    Message::numbered(8134, &[])
}

/// 8115 for the result of an operator.
#[cold]
pub fn overflowed(data_type: DataType) -> Message {
    overflow("expression", data_type)
}

/// `a + b` of INT.
#[inline]
pub fn add_int(a: i64, b: i64) -> Result<i64, Message> {
    in_int(a + b)
}

/// `a - b` of INT.
#[inline]
pub fn subtract_int(a: i64, b: i64) -> Result<i64, Message> {
    in_int(a - b)
}

/// `a * b` of INT.
#[inline]
pub fn multiply_int(a: i64, b: i64) -> Result<i64, Message> {
    in_int(a * b)
}

/// `a / b` of INT, cut towards zero.
#[inline]
pub fn divide_int(a: i64, b: i64) -> Result<i64, Message> {
    if b == 0 { Err(divided_by_zero()) } else { in_int(a / b) }
}

/// `a % b` of INT, with the sign of `a`.
#[inline]
pub fn modulo_int(a: i64, b: i64) -> Result<i64, Message> {
    match b {
        0 => Err(divided_by_zero()),
        // The server forms the quotient, which the least INT by -1 does not have.
        -1 if a == i64::from(i32::MIN) => Err(overflowed(DataType::Int)),
        _ => Ok(a % b),
    }
}

/// A result that 64 bits hold, as an INT. (Operands are INTs, so 64 bits do hold it.)
#[inline]
fn in_int(value: i64) -> Result<i64, Message> {
    if i32::try_from(value).is_ok() { Ok(value) } else { Err(overflowed(DataType::Int)) }
}

/// An operator between integers of one type.
pub fn integer(operator: BinaryOperator, a: i64, b: i64, data_type: DataType) -> Result<i64, Message> {
    let value = match operator {
        Add => a.checked_add(b),
        Subtract => a.checked_sub(b),
        Multiply => a.checked_mul(b),
        Divide | Modulo if b == 0 => return Err(divided_by_zero()),
        Divide => a.checked_div(b),
        // The server forms the quotient, which the least of them by -1 does not have.
        Modulo if b == -1 && a == range(data_type).0 => None,
        Modulo => a.checked_rem(b),
        BitAnd => Some(a & b),
        BitOr => Some(a | b),
        BitXor => Some(a ^ b),
        ShiftLeft => return Ok(shift(a, b, data_type)),
        ShiftRight => return Ok(shift(a, b.saturating_neg(), data_type)),
    };
    let (least, most) = range(data_type);
    value.filter(|value| (least..=most).contains(value)).ok_or_else(|| overflowed(data_type))
}

/// LEFT_SHIFT: the bits of the type, moved by so many places; the other way for a negative number. No sign is kept.
pub fn shift(value: i64, places: i64, data_type: DataType) -> i64 {
    let bits = u32::from(data_type.max_length().unsigned_abs()) * 8;
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let pattern = value as u64 & mask;
    let count = places.unsigned_abs();
    let moved = match (count < u64::from(bits), places >= 0) {
        (false, _) => 0,
        (true, true) => pattern << count & mask,
        (true, false) => pattern >> count,
    };
    match data_type {
        DataType::SmallInt => i64::from(moved as i16),
        DataType::Int => i64::from(moved as i32),
        _ => moved as i64,
    }
}

/// An operator between amounts in ten-thousandths. Products round, quotients are cut.
pub fn money(operator: BinaryOperator, a: i128, b: i128, data_type: DataType) -> Result<i128, Message> {
    const UNIT: i128 = 10_000;
    let value = match operator {
        Add => a + b,
        Subtract => a - b,
        Multiply => {
            let product = a * b;
            (product + product.signum() * (UNIT / 2)) / UNIT
        }
        Divide | Modulo if b == 0 => return Err(divided_by_zero()),
        Divide => a * UNIT / b,
        _ => a % b,
    };
    let (least, most) = match data_type {
        DataType::SmallMoney => (i128::from(i32::MIN), i128::from(i32::MAX)),
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    };
    if (least..=most).contains(&value) { Ok(value) } else { Err(overflowed(data_type)) }
}

/// An operator between doubles, or between the doubles that are REALs.
pub fn float(operator: BinaryOperator, a: f64, b: f64, data_type: DataType) -> Result<f64, Message> {
    let value = match operator {
        Add => a + b,
        Subtract => a - b,
        Multiply => a * b,
        Divide if b == 0.0 => return Err(divided_by_zero()),
        _ => a / b,
    };
    if data_type == DataType::Float && value.is_finite() {
        return Ok(value);
    }
    match fit_float(value, data_type, data_type) {
        Ok(Value::Float(value)) => Ok(value),
        _ => Err(overflowed(data_type)),
    }
}

/// The integer of a value of an integer type, BIT included.
pub fn as_integer(value: ValueRef<'_>) -> Option<i64> {
    match value {
        ValueRef::Integer(value) => Some(value),
        ValueRef::Boolean(value) => Some(i64::from(value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_stay_in_their_type() {
        let int = |operator, a, b| integer(operator, a, b, DataType::Int).map_err(|message| message.number);
        assert_eq!(int(Add, 2_147_483_647, 1), Err(8115));
        assert_eq!(int(Divide, 7, 2), Ok(3));
        assert_eq!(int(Divide, -7, 2), Ok(-3));
        assert_eq!(int(Modulo, -7, 2), Ok(-1));
        assert_eq!(int(Divide, 1, 0), Err(8134));
        assert_eq!(int(Divide, -2_147_483_648, -1), Err(8115));
        assert_eq!(int(Modulo, -2_147_483_648, -1), Err(8115));
        assert_eq!(modulo_int(-2_147_483_648, -1).map_err(|m| m.number), Err(8115));
        assert_eq!(integer(Divide, i64::MIN, -1, DataType::BigInt).map_err(|m| m.number), Err(8115));
        assert_eq!(integer(Subtract, 1, 2, DataType::TinyInt).map_err(|m| m.number), Err(8115));
        assert_eq!(add_int(2_147_483_647, 1).map_err(|m| m.number), Err(8115));
        assert_eq!((add_int(1, 2), divide_int(7, -2), modulo_int(7, -2)), (Ok(3), Ok(-3), Ok(1)));
    }

    #[test]
    fn shifts_are_of_the_bits_of_the_type() {
        assert_eq!(shift(12_345, 5, DataType::Int), 395_040);
        assert_eq!(shift(-1, -1, DataType::Int), 2_147_483_647);
        assert_eq!(shift(1, 31, DataType::Int), -2_147_483_648);
        assert_eq!(shift(1, 32, DataType::Int), 0);
        assert_eq!(shift(255, 1, DataType::TinyInt), 254);
        assert_eq!(shift(1, -64, DataType::BigInt), 0);
    }

    #[test]
    fn money_cuts_quotients_and_rounds_products() {
        // 100 / 339 is 0.2949; times 10000 it is 2949.
        let quotient = money(Divide, 1_000_000, 3_390_000, DataType::Money);
        assert_eq!(quotient, Ok(2949));
        assert_eq!(money(Multiply, 1, 5_000, DataType::Money), Ok(1));
        assert_eq!(money(Multiply, -1, 4_999, DataType::Money), Ok(0));
        assert_eq!(money(Add, i128::from(i64::MAX), 1, DataType::Money).map_err(|m| m.number), Err(8115));
    }
}
