//! `-x`, `+x` and `~x`.

use super::arithmetic;
use crate::argument::Argument;
use crate::context::Context;
use crate::messages::Message;
use crate::types::DataType;
use mainstay_types::{Decimal, Value, ValueRef};

/// An operator in front of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum UnaryOperator {
    Minus,
    Plus,
    BitNot,
}

/// An operator whose operand's type is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unary {
    /// The operator.
    pub operator: UnaryOperator,
    /// The type of the result.
    pub result: DataType,
}

impl Unary {
    /// Finds the type. The error is 8117.
    pub fn bind(operator: UnaryOperator, argument: Argument<'_>) -> Result<Unary, Message> {
        let data_type = argument.data_type_or_int();
        let invalid = |name: &str| Message::numbered(8117, &[&data_type.value_name(), &name]);
        let result = match operator {
            UnaryOperator::Plus => data_type,
            UnaryOperator::Minus if !data_type.is_number() || data_type == DataType::Bit => {
                return Err(invalid("minus"));
            }
            // The one number that is an INT only below zero.
            UnaryOperator::Minus if is_least_int(argument) => DataType::Int,
            // Values below zero do not fit a TINYINT.
            UnaryOperator::Minus if data_type == DataType::TinyInt => DataType::SmallInt,
            UnaryOperator::Minus => data_type,
            UnaryOperator::BitNot if !data_type.is_integer() => return Err(invalid("'~'")),
            UnaryOperator::BitNot => data_type,
        };
        Ok(Unary { operator, result })
    }

    /// The result for a value.
    pub fn evaluate(&self, context: &Context<'_>, value: ValueRef<'_>) -> Result<Value, Message> {
        context.arithmetic(self.compute(value), Value::Null)
    }

    fn compute(&self, value: ValueRef<'_>) -> Result<Value, Message> {
        let overflowed = || arithmetic::overflowed(self.result);
        match (self.operator, value) {
            (UnaryOperator::Plus, value) | (_, value @ ValueRef::Null) => Ok(value.to_value()),
            (UnaryOperator::Minus, ValueRef::Integer(value)) => {
                arithmetic::integer(super::BinaryOperator::Subtract, 0, value, self.result).map(Value::Integer)
            }
            (UnaryOperator::Minus, ValueRef::Decimal(value)) if self.result == DataType::Int => {
                let value = value.unscaled.checked_neg().and_then(|value| i64::try_from(value).ok());
                crate::convert::fit_integer(value.ok_or_else(overflowed)?, DataType::Int)
            }
            (UnaryOperator::Minus, ValueRef::Decimal(value)) => {
                let unscaled = value.unscaled.checked_neg().ok_or_else(overflowed)?;
                if self.result.is_money() {
                    arithmetic::money(super::BinaryOperator::Add, unscaled, 0, self.result)?;
                }
                Ok(Value::Decimal(Decimal { unscaled, scale: value.scale }))
            }
            (UnaryOperator::Minus, ValueRef::Float(value)) => Ok(Value::Float(-value)),
            (UnaryOperator::BitNot, ValueRef::Boolean(value)) => Ok(Value::Boolean(!value)),
            (UnaryOperator::BitNot, ValueRef::Integer(value)) if self.result == DataType::TinyInt => {
                Ok(Value::Integer(255 - value))
            }
            (UnaryOperator::BitNot, ValueRef::Integer(value)) => Ok(Value::Integer(!value)),
            _ => Err(overflowed()),
        }
    }
}

/// Returns true if it is the constant 2147483648, which is a decimal because no INT is so large.
fn is_least_int(argument: Argument<'_>) -> bool {
    matches!(argument.constant, Some(ValueRef::Decimal(Decimal { unscaled: 2_147_483_648, scale: 0 })))
}
