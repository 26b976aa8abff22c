//! Functions that the machine calls by itself.

use crate::convert::{assign, assign_from};
use crate::error::SqlError;
use crate::floating::FloatingDecimal;
use crate::types::Type;
use mainstay_types::{Decimal, Value, ValueRef};
use mainstay_vm::{
    self as program, ArithmeticOp, Expression, NativeContext, NativeFunction, Operation, Produced, Raised,
};
use std::any::Any;
use std::sync::Arc;

/// An error of the language as one of the machine: its detail is the [`SqlError`].
pub fn raised(error: Box<SqlError>) -> Box<Raised> {
    let mut raised = Raised::new(error.code, 16, error.isam, error.message.clone());
    let detail: Box<dyn Any + Send + Sync> = error;
    raised.detail = Some(detail);
    raised
}

/// The value as one of a type.
struct Assigned(Type);

impl Operation for Assigned {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn call(&self, context: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
        let value = arguments.first().copied().unwrap_or(ValueRef::Null);
        let value = assign(value, self.0).map_err(raised)?;
        Ok(produced(context, value))
    }
}

fn produced(context: &mut NativeContext<'_>, value: Value) -> Produced {
    match value {
        Value::Text(text) => {
            context.text().push_str(&text);
            Produced::Text
        }
        Value::Null => Produced::Null,
        Value::Boolean(value) => Produced::Boolean(value),
        Value::Integer(value) => Produced::Integer(value),
        Value::Decimal(value) => Produced::Decimal(value),
        Value::Float(value) => Produced::Float(value),
        Value::Date(value) => Produced::Date(value),
        Value::Time(value) => Produced::Time(value),
        Value::Timestamp(value) => Produced::Timestamp(value),
        other => Produced::Value(other),
    }
}

/// An operation that makes a value one of a type.
pub(super) fn assigned(known: Type, value: Expression) -> Expression {
    Expression::operation(super::storage(known), Arc::new(Assigned(known)), vec![value])
}

/// The value of one type as one of another.
struct AssignedFrom(Type, Type);

impl Operation for AssignedFrom {
    fn name(&self) -> &str {
        self.1.name()
    }

    fn call(&self, context: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
        let value = arguments.first().copied().unwrap_or(ValueRef::Null);
        let value = assign_from(value, self.0, self.1).map_err(raised)?;
        Ok(produced(context, value))
    }
}

/// An operation that makes a value of one type one of another.
pub(super) fn assigned_from(from: Type, to: Type, value: Expression) -> Expression {
    Expression::operation(super::storage(to), Arc::new(AssignedFrom(from, to)), vec![value])
}

/// Arithmetic over DECIMALs whose point floats.
struct Floating(ArithmeticOp);

impl Operation for Floating {
    fn name(&self) -> &str {
        "floating"
    }

    fn call(&self, context: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
        let [ValueRef::Binary(left), ValueRef::Binary(right)] = arguments else { return Ok(Produced::Null) };
        let compute = || {
            let (left, right) = (FloatingDecimal::from_bytes(left)?, FloatingDecimal::from_bytes(right)?);
            match self.0 {
                ArithmeticOp::Add => left.plus(right),
                ArithmeticOp::Subtract => left.subtract(right),
                ArithmeticOp::Multiply => left.multiply(right),
                ArithmeticOp::Divide => left.divide(right),
                ArithmeticOp::Remainder => left.remainder(right),
            }
        };
        let number = compute().map_err(raised)?;
        Ok(produced(context, Value::Binary(number.to_bytes())))
    }
}

/// An operation over two DECIMALs whose point floats.
pub(super) fn floating(op: ArithmeticOp, operands: Vec<Expression>) -> Expression {
    Expression::operation(program::Type::BYTES, Arc::new(Floating(op)), operands)
}

/// A call of one of the functions below.
pub(super) fn call(name: &str, ty: program::Type, arguments: Vec<Expression>) -> Expression {
    let function = FUNCTIONS.iter().find(|function| function.name == name).copied().unwrap_or(NOTHING);
    Expression::native(ty, function, arguments)
}

const NOTHING: NativeFunction = NativeFunction { name: "nothing", call: |_, _| Ok(Produced::Null) };

const FUNCTIONS: [NativeFunction; 8] = [
    NativeFunction { name: "abs", call: abs },
    NativeFunction { name: "length", call: length },
    NativeFunction { name: "lower", call: lower },
    NativeFunction { name: "ltrim", call: ltrim },
    NativeFunction { name: "splice", call: splice },
    NativeFunction { name: "substr", call: substr },
    NativeFunction { name: "trim", call: trim },
    NativeFunction { name: "upper", call: upper },
];

fn abs(_: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
    Ok(match arguments {
        [ValueRef::Integer(number)] => Produced::Integer(number.saturating_abs()),
        [ValueRef::Decimal(number)] => Produced::Decimal(Decimal::new(number.unscaled.saturating_abs(), number.scale)),
        [ValueRef::Float(number)] => Produced::Float(number.abs()),
        _ => Produced::Null,
    })
}

/// Characters without blanks at the end.
fn length(_: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
    Ok(match arguments {
        [ValueRef::Text(text)] => {
            Produced::Integer(i64::try_from(text.trim_end_matches(' ').chars().count()).unwrap_or(i64::MAX))
        }
        _ => Produced::Null,
    })
}

fn of_text(
    context: &mut NativeContext<'_>,
    arguments: &[ValueRef<'_>],
    write: impl FnOnce(&str, &mut String),
) -> Result<Produced, Box<Raised>> {
    match arguments.first() {
        Some(ValueRef::Text(text)) => {
            write(text, context.text());
            Ok(Produced::Text)
        }
        _ => Ok(Produced::Null),
    }
}

fn lower(context: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
    of_text(context, arguments, |text, out| out.extend(text.chars().flat_map(char::to_lowercase)))
}

fn upper(context: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
    of_text(context, arguments, |text, out| out.extend(text.chars().flat_map(char::to_uppercase)))
}

fn trim(context: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
    of_text(context, arguments, |text, out| out.push_str(text.trim_matches(' ')))
}

fn ltrim(context: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
    of_text(context, arguments, |text, out| out.push_str(text.trim_start_matches(' ')))
}

/// `substr(text, first, count)`: a negative first counts from the end.
fn substr(context: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
    let (Some(ValueRef::Text(text)), Some(ValueRef::Integer(first))) = (arguments.first(), arguments.get(1)) else {
        return Ok(Produced::Null);
    };
    let size = text.chars().count();
    let first = match *first {
        0 => 1,
        first if first < 0 => i64::try_from(size).unwrap_or(i64::MAX).saturating_add(first).saturating_add(1),
        first => first,
    };
    let count = match arguments.get(2) {
        None => usize::MAX,
        Some(ValueRef::Integer(count)) => usize::try_from(*count).unwrap_or(0),
        Some(_) => return Ok(Produced::Null),
    };
    let skipped = usize::try_from(first.saturating_sub(1)).unwrap_or(size);
    context.text().extend(text.chars().skip(skipped).take(count));
    Ok(Produced::Text)
}

/// `splice(old, new, first, last)`: the old text with the new one from one character to another.
fn splice(context: &mut NativeContext<'_>, arguments: &[ValueRef<'_>]) -> Result<Produced, Box<Raised>> {
    let [old, new, ValueRef::Integer(first), ValueRef::Integer(last)] = arguments else { return Ok(Produced::Null) };
    let old = if let ValueRef::Text(old) = old { old } else { "" };
    let new = if let ValueRef::Text(new) = new { new } else { "" };
    let before = usize::try_from(first - 1).unwrap_or(0);
    let out = context.text();
    let mut letters: Vec<char> = old.chars().take(before).collect();
    letters.resize(before, ' ');
    out.extend(letters);
    out.push_str(new);
    out.extend(old.chars().skip(usize::try_from(*last).unwrap_or(0)));
    Ok(Produced::Text)
}
