//! `= <> < <= > >=`, and the order of values of a type.
//!
//! Texts compare by a collation without the blanks at their ends, bytes without the zeros at theirs; a UNIQUEIDENTIFIER
//! by its last group first.

use super::converted;
use crate::argument::Argument;
use crate::context::Context;
use crate::convert::Conversion;
use crate::messages::Message;
use crate::settings::Switches;
use crate::types::{self, DataType, Length};
use mainstay_session::typed_value::uuid_key;
use mainstay_types::{Collation, Value, ValueRef};
use std::cmp::Ordering;

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum ComparisonOperator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl ComparisonOperator {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            ComparisonOperator::Equal => "equal to",
            ComparisonOperator::NotEqual => "not equal to",
            ComparisonOperator::Less => "less than",
            ComparisonOperator::LessOrEqual => "less than or equal to",
            ComparisonOperator::Greater => "greater than",
            ComparisonOperator::GreaterOrEqual => "greater than or equal to",
        }
    }

    /// Returns true if it holds for operands in this order.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            ComparisonOperator::Equal => order.is_eq(),
            ComparisonOperator::NotEqual => order.is_ne(),
            ComparisonOperator::Less => order.is_lt(),
            ComparisonOperator::LessOrEqual => order.is_le(),
            ComparisonOperator::Greater => order.is_gt(),
            ComparisonOperator::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// A comparison whose operands' types are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The operator.
    pub operator: ComparisonOperator,
    /// The type that both operands become.
    pub common: DataType,
    convert_left: Option<Conversion>,
    convert_right: Option<Conversion>,
    collation: Option<Collation>,
}

impl Comparison {
    /// Finds the type in which two operands compare. Errors: 206, 257, 305, 402.
    pub fn bind(operator: ComparisonOperator, left: Argument<'_>, right: Argument<'_>) -> Result<Comparison, Message> {
        let (a, b) = match (left.data_type, right.data_type) {
            (Some(a), Some(b)) => (a, b),
            (Some(only), None) | (None, Some(only)) => (only, only),
            (None, None) => (DataType::Int, DataType::Int),
        };
        if a == DataType::Xml || b == DataType::Xml {
            return Err(Message::numbered(305, &[&"XML"]));
        }
        if a.is_large_object() || b.is_large_object() {
            return Err(Message::numbered(402, &[&a.value_name(), &b.value_name(), &operator.name()]));
        }
        let common = common_type(a, b)?;
        Ok(Comparison {
            operator,
            common,
            convert_left: conversion(a, common)?,
            convert_right: conversion(b, common)?,
            collation: left.collation.or(right.collation),
        })
    }

    /// Returns true if it holds; `None` when an operand is NULL.
    pub fn evaluate(&self, context: &Context<'_>, a: ValueRef<'_>, b: ValueRef<'_>) -> Result<Option<bool>, Message> {
        match a.is_null() || b.is_null() {
            true => Ok(None),
            false => Ok(Some(self.operator.holds(self.order(context, a, b)?))),
        }
    }

    /// Returns true if it holds where an operand is a variable or NULL itself: with ANSI_NULLS off two NULLs are equal,
    /// and NULL and anything else differ.
    pub fn evaluate_with_null(
        &self,
        context: &Context<'_>,
        a: ValueRef<'_>,
        b: ValueRef<'_>,
    ) -> Result<Option<bool>, Message> {
        if (a.is_null() || b.is_null()) && !context.settings.has(Switches::ANSI_NULLS) {
            let equal = a.is_null() && b.is_null();
            return Ok(match self.operator {
                ComparisonOperator::Equal => Some(equal),
                ComparisonOperator::NotEqual => Some(!equal),
                _ => None,
            });
        }
        self.evaluate(context, a, b)
    }

    /// The order of two values of the types it was bound to, neither of them NULL.
    pub fn order(&self, context: &Context<'_>, a: ValueRef<'_>, b: ValueRef<'_>) -> Result<Ordering, Message> {
        let (mut left, mut right) = (Value::Null, Value::Null);
        let a = converted(self.convert_left.as_ref(), context, a, &mut left)?;
        let b = converted(self.convert_right.as_ref(), context, b, &mut right)?;
        if self.common == DataType::SqlVariant {
            return Ok(crate::variant::order(a, b));
        }
        Ok(order(a, b, self.collation.unwrap_or(context.collation)))
    }
}

/// The type in which two types compare, wide enough that neither operand loses anything.
fn common_type(a: DataType, b: DataType) -> Result<DataType, Message> {
    use DataType::*;
    let common = types::union(a, b)?;
    Ok(match common {
        Char(_, page) | VarChar(_, page) => VarChar(Length::Max, page),
        NChar(_) | NVarChar(_) => NVarChar(Length::Max),
        Binary(_) | VarBinary(_) => VarBinary(Length::Max),
        Time(_) => Time(7),
        DateTime2(_) => DateTime2(7),
        DateTimeOffset(_) => DateTimeOffset(7),
        // A text beside a decimal takes its type; numbers compare as they are.
        Decimal { precision, .. } if a.is_string() || b.is_string() => {
            Decimal { precision: precision.max(38), scale: common.scale() }
        }
        other => other,
    })
}

fn conversion(from: DataType, to: DataType) -> Result<Option<Conversion>, Message> {
    use DataType::*;
    let comparable = match to {
        Decimal { .. } | Money | SmallMoney => from.as_exact().is_some(),
        BigInt | Int | SmallInt | TinyInt => from.is_integer(),
        VarChar(..) | NVarChar(_) => from.is_string(),
        VarBinary(_) => from.is_binary(),
        _ => crate::convert::is_identity(from, to),
    };
    let by_itself = comparable || from.name() == to.name();
    if by_itself { Ok(None) } else { Ok(Some(Conversion::implicit(from, to)?)) }
}

/// The order of two values of one type, as ORDER BY has it: NULL first.
pub fn order(a: ValueRef<'_>, b: ValueRef<'_>, collation: Collation) -> Ordering {
    use ValueRef::*;
    match (a, b) {
        (Null, Null) => Ordering::Equal,
        (Null, _) => Ordering::Less,
        (_, Null) => Ordering::Greater,
        (Integer(a), Integer(b)) => a.cmp(&b),
        (Text(a), Text(b)) => collation.compare(a.trim_end_matches(' '), b.trim_end_matches(' ')),
        (Decimal(a), Decimal(b)) => a.cmp(&b),
        (Float(a), Float(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
        (Boolean(a), Boolean(b)) => a.cmp(&b),
        (Timestamp(a), Timestamp(b)) => a.cmp(&b),
        (Date(a), Date(b)) => a.cmp(&b),
        (Time(a), Time(b)) => a.cmp(&b),
        (TimestampWithOffset { utc: a, .. }, TimestampWithOffset { utc: b, .. }) => a.cmp(&b),
        (Binary(a), Binary(b)) => without_zeros(a).cmp(without_zeros(b)),
        (Uuid(a), Uuid(b)) => uuid_key(a).cmp(&uuid_key(b)),
        _ => mixed(a, b),
    }
}

fn without_zeros(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().rev().take_while(|byte| **byte == 0).count();
    bytes.get(..bytes.len() - zeros).unwrap_or(bytes)
}

/// Numbers of two kinds, or values of a SQL_VARIANT, whose families have an order: moments, numbers, texts, UUIDs, bytes.
fn mixed(a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    let exact = |value: ValueRef<'_>| match value {
        ValueRef::Boolean(value) => Some(mainstay_types::Decimal::new(i128::from(value), 0)),
        other => other.as_decimal(),
    };
    if let (Some(a), Some(b)) = (exact(a), exact(b)) {
        return a.cmp(&b);
    }
    if let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) {
        return a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    }
    let family = |value: ValueRef<'_>| match crate::convert::type_of(value) {
        data_type if data_type.is_moment() => 4,
        data_type if data_type.is_number() => 3,
        data_type if data_type.is_text() => 2,
        DataType::UniqueIdentifier => 1,
        _ => 0,
    };
    if family(a) == 4 && family(b) == 4 {
        return crate::convert::Parts::of(a).local().cmp(&crate::convert::Parts::of(b).local());
    }
    family(a).cmp(&family(b))
}
