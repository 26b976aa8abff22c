//! `+ - * / % & | ^ << >>`: the types that operands are converted to, the type of the result, and the result.

use super::{arithmetic, converted, decimal};
use crate::argument::Argument;
use crate::context::Context;
use crate::convert::{Conversion, Parts};
use crate::messages::Message;
use crate::moment::datetime;
use crate::settings::Switches;
use crate::text::Encoding;
use crate::types::{DataType, Length};
use DataType as T;
use mainstay_types::{Decimal, Timestamp, Value, ValueRef};

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}
use BinaryOperator::*;

impl BinaryOperator {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Add => "add",
            Subtract => "subtract",
            Multiply => "multiply",
            Divide => "divide",
            Modulo => "modulo",
            BitAnd => "'&'",
            BitOr => "'|'",
            BitXor => "'^'",
            ShiftLeft => "'<<'",
            ShiftRight => "'>>'",
        }
    }

    fn is_bitwise(self) -> bool {
        matches!(self, BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight)
    }
}

/// An operator whose operands' types are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binary {
    /// The operator.
    pub operator: BinaryOperator,
    /// The type that the left operand becomes.
    pub left: DataType,
    /// The type that the right operand becomes.
    pub right: DataType,
    /// The type of the result.
    pub result: DataType,
    convert_left: Option<Conversion>,
    convert_right: Option<Conversion>,
}

impl Binary {
    /// Finds the types. Errors: 402, 8117, 206, 257.
    pub fn bind(operator: BinaryOperator, left: Argument<'_>, right: Argument<'_>) -> Result<Binary, Message> {
        let (a, b) = match (left.data_type, right.data_type) {
            (Some(a), Some(b)) => (a, b),
            (Some(a), None) => (a, bare_null(a)),
            (None, Some(b)) => (bare_null(b), b),
            (None, None) => (T::Int, T::Int),
        };
        let (to_left, to_right, result) = types(operator, (a, left), (b, right))?;
        Binary { operator, left: to_left, right: to_right, result, convert_left: None, convert_right: None }
            .with_conversions(a, b)
    }

    fn with_conversions(mut self, a: DataType, b: DataType) -> Result<Binary, Message> {
        self.convert_left = conversion(a, self.left)?;
        self.convert_right = conversion(b, self.right)?;
        Ok(self)
    }

    /// The result for two values of the types it was bound to.
    pub fn evaluate(&self, context: &Context<'_>, a: ValueRef<'_>, b: ValueRef<'_>) -> Result<Value, Message> {
        if a.is_null() || b.is_null() {
            return self.with_null(context, a, b);
        }
        let result = self.converted(context, a, b);
        context.arithmetic(result, Value::Null)
    }

    /// NULL, but for a sum of texts when NULL counts as an empty one.
    fn with_null(&self, context: &Context<'_>, a: ValueRef<'_>, b: ValueRef<'_>) -> Result<Value, Message> {
        if context.settings.has(Switches::CONCAT_NULL_YIELDS_NULL)
            || !self.result.is_string()
            || (a.is_null() && b.is_null())
        {
            return Ok(Value::Null);
        }
        let empty = |value: ValueRef<'_>| if value.is_null() { Value::Text(String::new()) } else { value.to_value() };
        let (a, b) = (empty(a), empty(b));
        self.converted(context, a.as_ref(), b.as_ref())
    }

    fn converted(&self, context: &Context<'_>, a: ValueRef<'_>, b: ValueRef<'_>) -> Result<Value, Message> {
        let (mut left, mut right) = (Value::Null, Value::Null);
        let a = converted(self.convert_left.as_ref(), context, a, &mut left)?;
        let b = converted(self.convert_right.as_ref(), context, b, &mut right)?;
        self.compute(a, b)
    }

    /// The result for two values that have the types `left` and `right` already.
    pub fn compute(&self, a: ValueRef<'_>, b: ValueRef<'_>) -> Result<Value, Message> {
        let overflow = || arithmetic::overflowed(self.result);
        match (self.result, a, b) {
            (_, ValueRef::Null, _) | (_, _, ValueRef::Null) => Ok(Value::Null),
            (T::Decimal { precision, scale }, _, _) => {
                let (Some(a), Some(b)) = (exact(a), exact(b)) else { return Err(overflow()) };
                let result = decimal_result(self.operator, a, b, (precision, scale))?;
                result
                    .map(Value::Decimal)
                    .ok_or_else(|| crate::convert::overflow("expression", T::Decimal { precision, scale }))
            }
            (T::Money | T::SmallMoney, ValueRef::Decimal(a), ValueRef::Decimal(b)) => {
                let unscaled = arithmetic::money(self.operator, a.unscaled, b.unscaled, self.result)?;
                Ok(Value::Decimal(Decimal { unscaled, scale: 4 }))
            }
            (T::Float | T::Real, ValueRef::Float(a), ValueRef::Float(b)) => {
                arithmetic::float(self.operator, a, b, self.result).map(Value::Float)
            }
            (T::Bit, _, _) => {
                let (Some(a), Some(b)) = (arithmetic::as_integer(a), arithmetic::as_integer(b)) else {
                    return Err(overflow());
                };
                Ok(Value::Boolean(arithmetic::integer(self.operator, a, b, T::Bit)? != 0))
            }
            (data_type, _, _) if data_type.is_integer() => {
                let (Some(a), Some(b)) = (arithmetic::as_integer(a), arithmetic::as_integer(b)) else {
                    return Err(overflow());
                };
                arithmetic::integer(self.operator, a, b, data_type).map(Value::Integer)
            }
            (T::DateTime | T::SmallDateTime, _, _) => self.moment(a, b),
            (_, ValueRef::Text(a), ValueRef::Text(b)) => Ok(Value::Text(joined(a, b, self.result))),
            (data_type, ValueRef::Binary(a), ValueRef::Binary(b)) => {
                let mut bytes = [a, b].concat();
                bytes.truncate(data_type.limit().map_or(usize::MAX, usize::from));
                Ok(Value::Binary(bytes))
            }
            _ => Err(overflow()),
        }
    }

    /// A DATETIME is a number of days after 1900-01-01.
    fn moment(&self, a: ValueRef<'_>, b: ValueRef<'_>) -> Result<Value, Message> {
        const UNITS: i64 = 86_400 * 300;
        let count = |value| {
            let (days, units) = datetime::to_units(Parts::of(value).local());
            i64::from(days) * UNITS + units
        };
        let (a, b) = (count(a), count(b));
        let units = if self.operator == Add { a + b } else { a - b };
        let days = i32::try_from(units.div_euclid(UNITS)).ok();
        let moment = days.and_then(|days| datetime::from_units(days, units.rem_euclid(UNITS)));
        let moment: Option<Timestamp> = match self.result {
            T::SmallDateTime => moment.and_then(datetime::round_small),
            _ => moment,
        };
        moment.map(Value::Timestamp).ok_or_else(|| arithmetic::overflowed(self.result))
    }
}

/// The type of a bare NULL beside an operand of a type.
fn bare_null(other: DataType) -> DataType {
    match other {
        T::Char(_, page) | T::VarChar(_, page) | T::Text(page) => T::VarChar(Length::Limited(1), page),
        T::NChar(_) | T::NVarChar(_) | T::NText => T::NVarChar(Length::Limited(1)),
        T::Binary(_) | T::VarBinary(_) => T::VarBinary(Length::Limited(1)),
        T::Bit => T::Int,
        _ => other,
    }
}

/// `None` where there is nothing to convert.
fn conversion(from: DataType, to: DataType) -> Result<Option<Conversion>, Message> {
    let numbers = |data_type: DataType| data_type.is_integer() || matches!(data_type, T::Decimal { .. });
    // Integers and decimals of any precision are computed with as they are.
    if crate::convert::is_identity(from, to) || (numbers(from) && matches!(to, T::Decimal { .. })) {
        return Ok(None);
    }
    Ok(Some(Conversion::implicit(from, to)?))
}

fn exact(value: ValueRef<'_>) -> Option<Decimal> {
    match value {
        ValueRef::Boolean(value) => Some(Decimal::new(i128::from(value), 0)),
        value => value.as_decimal(),
    }
}

fn decimal_result(
    operator: BinaryOperator,
    a: Decimal,
    b: Decimal,
    result: decimal::Digits,
) -> Result<Option<Decimal>, Message> {
    if matches!(operator, Divide | Modulo) && b.unscaled == 0 {
        return Err(arithmetic::divided_by_zero());
    }
    Ok(match operator {
        Add => decimal::add(a, b, result),
        Subtract => decimal::subtract(a, b, result),
        Multiply => decimal::multiply(a, b, result),
        Divide => decimal::divide(a, b, result),
        _ => decimal::remainder(a, b, result),
    })
}

fn joined(a: &str, b: &str, result: DataType) -> String {
    let mut text = String::with_capacity(a.len() + b.len());
    text.push_str(a);
    text.push_str(b);
    if let Some(limit) = result.limit()
        && text.len() > usize::from(limit)
    {
        result.encoding().cut(&mut text, limit.into());
    }
    text
}

/// The types that the operands are converted to, and the type of the result.
fn types(
    operator: BinaryOperator,
    (a, left): (DataType, Argument<'_>),
    (b, right): (DataType, Argument<'_>),
) -> Result<(DataType, DataType, DataType), Message> {
    let (high, low) = if a.precedence() >= b.precedence() { (a, b) } else { (b, a) };
    let incompatible = || Message::numbered(402, &[&a.value_name(), &b.value_name(), &operator.name()]);
    let invalid = |data_type: DataType| Message::numbered(8117, &[&data_type.value_name(), &operator.name()]);
    if high == T::SqlVariant {
        let number = low.is_number() && low != T::Bit;
        let computes = matches!(operator, Add | Subtract | Multiply | Divide);
        return Err(match (low == T::SqlVariant && operator.is_bitwise(), number && computes) {
            (true, _) => invalid(a),
            (false, true) => Message::numbered(257, &[&high.message_name(), &low.message_name()]).state(3),
            (false, false) => incompatible(),
        });
    }
    if high.is_large_object() || low.is_large_object() || high == T::Xml {
        return Err(if a.name() == b.name() { invalid(a) } else { incompatible() });
    }
    if operator.is_bitwise() {
        return bitwise(operator, a, b);
    }
    match high {
        T::DateTime | T::SmallDateTime => {
            if matches!(low, T::Date | T::Time(_)) {
                return Err(incompatible());
            }
            if !matches!(operator, Add | Subtract) {
                return Err(invalid(high));
            }
            crate::types::implicit(low, high)?;
            Ok((high, high, high))
        }
        _ if high.is_moment() => Err(match (a.name() == b.name(), low.is_moment() || low.is_string()) {
            (true, _) => invalid(a),
            (false, true) => incompatible(),
            (false, false) => Message::numbered(206, &[&high.message_name(), &low.message_name()]).state(2),
        }),
        T::UniqueIdentifier => Err(match a.name() == b.name() {
            true => invalid(a),
            false => Message::numbered(206, &[&a.message_name(), &b.message_name()]).state(2),
        }),
        _ if high.is_string() && low.is_string() && operator == Add => {
            let result = text_sum(a, b);
            Ok((texts(a, result), texts(b, result), result))
        }
        _ if high.is_string() && low.is_string() => Err(invalid(a)),
        _ if high.is_string() => Err(incompatible()),
        _ if high.is_binary() && operator == Add => Ok((a, b, binary_sum(a, b))),
        _ if high.is_binary() && matches!(operator, Multiply | Divide) => Err(invalid(a)),
        _ if high.is_binary() => Err(incompatible()),
        // A BIT has no arithmetic with its like or with a text; the messages differ by operator.
        T::Bit if matches!(operator, Multiply | Divide) => Err(invalid(a)),
        T::Bit => Err(incompatible()),
        T::Float | T::Real if operator == Modulo && low.is_approximate() => Err(invalid(a)),
        T::Float | T::Real if operator == Modulo => Err(incompatible()),
        T::Decimal { .. } => {
            let digits = |data_type: DataType, argument: Argument<'_>| match data_type.as_exact() {
                Some(_) => argument.as_exact().unwrap_or((38, 0)),
                None => (high.precision(), high.scale()),
            };
            crate::types::implicit(low, high)?;
            let (x, y) = (digits(a, left), digits(b, right));
            let (precision, scale) = match operator {
                Add | Subtract => decimal::sum_type(x, y),
                Multiply => decimal::product_type(x, y),
                Divide => decimal::quotient_type(x, y),
                _ => decimal::remainder_type(x, y),
            };
            let decimal = |(precision, scale): decimal::Digits| T::Decimal { precision, scale };
            Ok((decimal(x), decimal(y), decimal((precision, scale))))
        }
        _ => {
            crate::types::implicit(low, high)?;
            Ok((high, high, high))
        }
    }
}

fn bitwise(operator: BinaryOperator, a: DataType, b: DataType) -> Result<(DataType, DataType, DataType), Message> {
    let incompatible = || Message::numbered(402, &[&a.value_name(), &b.value_name(), &operator.name()]);
    let (high, low) = if a.precedence() >= b.precedence() { (a, b) } else { (b, a) };
    match (operator, high.is_integer(), low.is_integer() || low.is_binary()) {
        (ShiftLeft | ShiftRight, _, _) if a.is_integer() && b.is_integer() && a != T::Bit => Ok((a, T::BigInt, a)),
        (BitAnd | BitOr | BitXor, true, true) => Ok((high, high, high)),
        _ => Err(incompatible()),
    }
}

/// The N types win; what is longer than a page is cut unless one of them is MAX.
fn text_sum(a: DataType, b: DataType) -> DataType {
    let encoding = a.encoding().meet(b.encoding());
    let length = match (a.limit(), b.limit()) {
        (Some(a), Some(b)) => Length::Limited((a.saturating_add(b)).min(encoding.most() as u16)),
        _ => Length::Max,
    };
    let fixed = matches!((a, b), (T::Char(..) | T::NChar(_), T::Char(..) | T::NChar(_)));
    match (fixed, length, encoding) {
        (true, Length::Limited(length), Encoding::Page(page)) => T::Char(length, page),
        (true, Length::Limited(length), Encoding::National) => T::NChar(length),
        _ => T::string_of(encoding, length),
    }
}

/// The type that an operand of a concatenation is converted to: an N type of its own length where the result is one, or
/// one of the result's code page.
fn texts(data_type: DataType, result: DataType) -> DataType {
    match (data_type, result.code_page()) {
        (T::Char(length, _), None) => T::NChar(length.min(4000)),
        (T::VarChar(Length::Limited(length), _), None) => T::NVarChar(Length::Limited(length.min(4000))),
        (T::VarChar(Length::Max, _), None) => T::NVarChar(Length::Max),
        (_, Some(page)) => data_type.in_page(page),
        _ => data_type,
    }
}

fn binary_sum(a: DataType, b: DataType) -> DataType {
    match (a, b, a.limit(), b.limit()) {
        (T::Binary(_), T::Binary(_), Some(a), Some(b)) => T::Binary(a.saturating_add(b).min(8000)),
        (_, _, Some(a), Some(b)) => T::VarBinary(Length::Limited(a.saturating_add(b).min(8000))),
        _ => T::VarBinary(Length::Max),
    }
}
