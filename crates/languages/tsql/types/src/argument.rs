//! Operands and arguments at binding time, before there are values.

use crate::messages::Message;
use crate::types::{self, DataType};
use mainstay_types::{Collation, ValueRef};

/// An operand or an argument.
#[derive(Clone, Copy, Debug, Default)]
pub struct Argument<'a> {
    /// Its type; `None` for a bare NULL, which takes what type is asked for.
    pub data_type: Option<DataType>,
    /// Its value, if it is a constant.
    pub constant: Option<ValueRef<'a>>,
    /// The word that stands there instead of an expression: `year` of `DATEADD(year, ..)`, `LEADING` of TRIM.
    pub keyword: Option<&'a str>,
    /// Its explicit collation, if it has one.
    pub collation: Option<Collation>,
    /// True if it is JSON, which functions of JSON take as it is: JSON_QUERY, JSON_MODIFY, JSON_OBJECT, FOR JSON.
    pub is_json: bool,
}

impl<'a> Argument<'a> {
    /// An expression of a type.
    pub fn of(data_type: DataType) -> Argument<'a> {
        Argument { data_type: Some(data_type), ..Argument::default() }
    }

    /// A bare NULL.
    pub fn null() -> Argument<'a> {
        Argument { constant: Some(ValueRef::Null), ..Argument::default() }
    }

    /// A constant of a type.
    pub fn constant(data_type: DataType, value: ValueRef<'a>) -> Argument<'a> {
        Argument { data_type: Some(data_type), constant: Some(value), ..Argument::default() }
    }

    /// A word.
    pub fn keyword(word: &'a str) -> Argument<'a> {
        Argument { keyword: Some(word), ..Argument::default() }
    }

    /// The same with a collation of its own.
    pub fn collate(self, collation: Collation) -> Argument<'a> {
        Argument { collation: Some(collation), ..self }
    }

    /// Returns true if it is a bare NULL.
    pub fn is_null(&self) -> bool {
        self.data_type.is_none() && self.keyword.is_none()
    }

    /// The type; INT for a bare NULL.
    pub fn data_type_or_int(&self) -> DataType {
        self.data_type.unwrap_or(DataType::Int)
    }

    /// The constant as an integer.
    pub fn constant_integer(&self) -> Option<i64> {
        match self.constant {
            Some(ValueRef::Integer(value)) => Some(value),
            _ => None,
        }
    }

    /// Precision and scale of the exact number that it is: a constant integer has as many digits as it shows, which is
    /// why `1.0 / 3` has six digits and not twelve.
    pub fn as_exact(&self) -> Option<(u8, u8)> {
        let data_type = self.data_type_or_int();
        match (data_type, self.constant_integer()) {
            (DataType::TinyInt | DataType::SmallInt | DataType::Int | DataType::BigInt, Some(value)) => {
                let digits = value.unsigned_abs().checked_ilog10().map_or(1, |log| log as u8 + 1);
                Some((digits, 0))
            }
            _ => data_type.as_exact(),
        }
    }
}

/// The type of all of them, as [`of_all`](crate::types::of_all) has it; beside a decimal a constant integer has as many
/// digits as it shows: `CASE .. 1 .. 2.5` is a `decimal(2,1)`. `None` when all are bare NULLs.
pub fn common_type(arguments: &[Argument<'_>]) -> Result<Option<DataType>, Message> {
    let all = types::of_all(arguments.iter().map(|argument| argument.data_type))?;
    let Some(DataType::Decimal { .. }) = all else { return Ok(all) };
    types::of_all(arguments.iter().map(|argument| match (argument.data_type, argument.as_exact()) {
        (Some(data_type), Some((precision, scale))) if data_type.is_integer() => {
            Some(DataType::Decimal { precision, scale })
        }
        (data_type, _) => data_type,
    }))
}
