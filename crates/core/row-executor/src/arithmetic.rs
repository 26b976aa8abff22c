//! Numbers: the types of results, and the operators.
//!
//! The planner gives every operation the type of its result, and converts the operands to types that go together; so
//! here a sum of whole numbers is a whole number, and a sum of decimals has the decimals of the result's scale. A value
//! that does not fit the result's type is an error, in both executors.

use mainstay_types::{Code, Decimal, Error, Result, ValueRef};

/// The type of a numeric result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A whole number of so many bits.
    Integer(u8),
    /// An exact number.
    Decimal {
        /// Digits in all.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
    /// A double.
    Double,
}

/// An operator on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, of whole numbers without a remainder. Not of decimals.
    Divide,
    /// `%`, with the sign of the dividend. Not of decimals.
    Remainder,
}

impl Operation {
    fn symbol(self) -> &'static str {
        match self {
            Operation::Add => "+",
            Operation::Subtract => "-",
            Operation::Multiply => "*",
            Operation::Divide => "/",
            Operation::Remainder => "%",
        }
    }

    /// The result; NULL if either side is.
    ///
    /// Errors: `DivisionByZero`, and `InvalidValue` for what does not fit the result's type.
    #[inline]
    pub(crate) fn apply<'v>(self, left: ValueRef<'v>, right: ValueRef<'v>, to: Number) -> Result<ValueRef<'v>> {
        if left.is_null() || right.is_null() {
            return Ok(ValueRef::Null);
        }
        match to {
            Number::Integer(bits) => {
                let (ValueRef::Integer(a), ValueRef::Integer(b)) = (left, right) else { return Err(no_number()) };
                let result = match self {
                    Operation::Add => a.checked_add(b),
                    Operation::Subtract => a.checked_sub(b),
                    Operation::Multiply => a.checked_mul(b),
                    Operation::Divide | Operation::Remainder if b == 0 => return Err(division_by_zero()),
                    Operation::Divide => a.checked_div(b),
                    // The least number has no remainder by -1, though the machine says that it overflows.
                    Operation::Remainder => Some(a.checked_rem(b).unwrap_or(0)),
                };
                let fits = |result: &i64| {
                    let spare = 64 - u32::from(bits);
                    (*result << spare) >> spare == *result
                };
                match result.filter(fits) {
                    Some(result) => Ok(ValueRef::Integer(result)),
                    None => Err(self.overflow(left, right)),
                }
            }
            Number::Decimal { precision, scale } => {
                let (Some(a), Some(b)) = (left.as_decimal(), right.as_decimal()) else { return Err(no_number()) };
                let result = match self {
                    Operation::Add => scaled(a, scale).zip(scaled(b, scale)).and_then(|(a, b)| a.checked_add(b)),
                    Operation::Subtract => scaled(a, scale).zip(scaled(b, scale)).and_then(|(a, b)| a.checked_sub(b)),
                    Operation::Multiply if a.scale + b.scale == scale => a.unscaled.checked_mul(b.unscaled),
                    _ => return Err(Error::new(Code::Internal, "a decimal operation that is not done here")),
                };
                let limit = 10u128.pow(u32::from(precision.min(38)));
                match result.filter(|result| result.unsigned_abs() < limit) {
                    Some(unscaled) => Ok(ValueRef::Decimal(Decimal { unscaled, scale })),
                    None => Err(self.overflow(left, right)),
                }
            }
            Number::Double => {
                let (Some(a), Some(b)) = (left.as_f64(), right.as_f64()) else { return Err(no_number()) };
                Ok(ValueRef::Float(match self {
                    Operation::Add => a + b,
                    Operation::Subtract => a - b,
                    Operation::Multiply => a * b,
                    Operation::Divide => a / b,
                    Operation::Remainder => a % b,
                }))
            }
        }
    }

    #[cold]
    fn overflow(self, left: ValueRef<'_>, right: ValueRef<'_>) -> Error {
        let message = format!("{left} {} {right} is out of range", self.symbol());
        Error::new(Code::InvalidValue, message)
    }
}

/// The digits of a number at a scale that is not less than its own.
fn scaled(number: Decimal, scale: u8) -> Option<i128> {
    let factor = 10i128.checked_pow(u32::from(scale.checked_sub(number.scale)?))?;
    number.unscaled.checked_mul(factor)
}

/// A number as another type, which can hold it exactly or is a double; NULL stays NULL.
#[inline]
pub(crate) fn cast<'v>(value: ValueRef<'v>, to: Number) -> Result<ValueRef<'v>> {
    if value.is_null() {
        return Ok(value);
    }
    let cast = match to {
        Number::Integer(_) => matches!(value, ValueRef::Integer(_)).then_some(value),
        Number::Decimal { precision, scale } => {
            let limit = 10u128.pow(u32::from(precision.min(38)));
            let unscaled = value.as_decimal().and_then(|number| scaled(number, scale));
            let unscaled = unscaled.filter(|unscaled| unscaled.unsigned_abs() < limit);
            unscaled.map(|unscaled| ValueRef::Decimal(Decimal { unscaled, scale }))
        }
        Number::Double => value.as_f64().map(ValueRef::Float),
    };
    cast.ok_or_else(|| Error::new(Code::InvalidValue, format!("{value} is out of range")))
}

#[cold]
fn division_by_zero() -> Error {
    Error::new(Code::DivisionByZero, "division by zero")
}

#[cold]
fn no_number() -> Error {
    Error::new(Code::Internal, "an operand is not of the type that the planner gave it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_do_not_fit_are_errors() {
        let int = |value| ValueRef::Integer(value);
        let add = |a, b, bits| Operation::Add.apply(int(a), int(b), Number::Integer(bits));
        assert_eq!(add(1, 2, 64).unwrap(), int(3));
        assert_eq!(add(i64::MAX, 1, 64).unwrap_err().code(), Code::InvalidValue);
        assert_eq!(add(i64::from(i32::MAX), 1, 32).unwrap_err().code(), Code::InvalidValue);
        let divide = |a, b| Operation::Divide.apply(int(a), int(b), Number::Integer(64));
        assert_eq!(divide(-7, 2).unwrap(), int(-3));
        assert_eq!(divide(1, 0).unwrap_err().code(), Code::DivisionByZero);
        assert_eq!(divide(i64::MIN, -1).unwrap_err().code(), Code::InvalidValue);
        let rest = Operation::Remainder.apply(int(i64::MIN), int(-1), Number::Integer(64));
        assert_eq!(rest.unwrap(), int(0));
        assert!(Operation::Add.apply(ValueRef::Null, int(1), Number::Integer(64)).unwrap().is_null());
    }

    #[test]
    fn decimals_stay_exact() {
        let number = |unscaled, scale| ValueRef::Decimal(Decimal::new(unscaled, scale));
        let sum = Operation::Add.apply(number(15, 1), number(125, 2), Number::Decimal { precision: 5, scale: 2 });
        let ValueRef::Decimal(sum) = sum.unwrap() else { panic!() };
        assert_eq!((sum.unscaled, sum.scale), (275, 2));
        let product =
            Operation::Multiply.apply(number(15, 1), number(125, 2), Number::Decimal { precision: 7, scale: 3 });
        let ValueRef::Decimal(product) = product.unwrap() else { panic!() };
        assert_eq!((product.unscaled, product.scale), (1_875, 3));
        let large =
            Operation::Multiply.apply(number(999, 0), number(999, 0), Number::Decimal { precision: 3, scale: 0 });
        assert_eq!(large.unwrap_err().code(), Code::InvalidValue);
    }
}
