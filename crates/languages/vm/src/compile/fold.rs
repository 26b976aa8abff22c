//! Constant folding: arithmetic, comparisons and conversions of constants, and conditions that one
//! constant decides.
//!
//! Only operations that cannot fail are folded: `1 / 0` fails when it is executed.

use super::condition::{compares_as_integer, outcomes};
use super::{EQUAL, GREATER, LESS};
use crate::*;
use mainstay_types::{Decimal, Value};
use std::cmp::Ordering;

/// Folds every expression of these statements.
pub(super) fn statements(body: &mut [Statement]) {
    for statement in body {
        match &mut statement.kind {
            StatementKind::Block(body) | StatementKind::Group(body) | StatementKind::Loop(body) => statements(body),
            StatementKind::Assign { value, .. }
            | StatementKind::Evaluate(value)
            | StatementKind::Return(Some(value))
            | StatementKind::Switch { index: value, .. } => expression(value),
            StatementKind::If { condition, then, otherwise } => {
                expression(condition);
                statements(then);
                statements(otherwise);
            }
            StatementKind::While { condition, body } => {
                expression(condition);
                statements(body);
            }
            StatementKind::Try { body, catch } => {
                statements(body);
                statements(catch);
            }
            StatementKind::Dimension { bounds, .. } => bounds.iter_mut().for_each(|(least, most)| {
                expression(least);
                expression(most);
            }),
            StatementKind::AssignElement { indexes, value, .. } => {
                indexes.iter_mut().for_each(expression);
                expression(value);
            }
            StatementKind::Call { call, .. } => fold_call(call),
            StatementKind::Host { inputs, .. } => inputs.iter_mut().for_each(expression),
            _ => {}
        }
    }
}

fn fold_call(call: &mut Call) {
    if let Callee::Dynamic(name) = &mut call.callee {
        expression(name);
    }
    for argument in &mut call.arguments {
        if let ArgumentValue::Value(value) = &mut argument.value {
            expression(value);
        }
    }
}

/// Folds an expression, from its leaves up.
fn expression(e: &mut Expression) {
    match &mut e.kind {
        ExpressionKind::Constant(_) | ExpressionKind::Slot(_) => return,
        ExpressionKind::Negate(value)
        | ExpressionKind::BitNot(value)
        | ExpressionKind::IsNull(value)
        | ExpressionKind::Not(value)
        | ExpressionKind::Convert { value, .. }
        | ExpressionKind::Fit { value, .. } => expression(value),
        ExpressionKind::Arithmetic { left, right, .. }
        | ExpressionKind::Bitwise { left, right, .. }
        | ExpressionKind::Compare { left, right, .. }
        | ExpressionKind::And(left, right)
        | ExpressionKind::Or(left, right) => {
            expression(left);
            expression(right);
        }
        ExpressionKind::Case { arms, otherwise } => {
            for (condition, value) in arms {
                expression(condition);
                expression(value);
            }
            otherwise.iter_mut().for_each(|value| expression(value));
        }
        ExpressionKind::Coalesce(list) => list.iter_mut().for_each(expression),
        ExpressionKind::Concat { parts, .. } => parts.iter_mut().for_each(expression),
        ExpressionKind::Element { indexes: arguments, .. }
        | ExpressionKind::Native { arguments, .. }
        | ExpressionKind::Operation { arguments, .. }
        | ExpressionKind::HostCall { arguments, .. } => {
            arguments.iter_mut().for_each(expression);
        }
        ExpressionKind::Call(call) => fold_call(call),
    }
    if let Some(value) = known(e)
        && e.ty.admits(&value)
    {
        e.kind = ExpressionKind::Constant(value);
    }
}

/// The value, if it is known and can be had without a fault.
fn known(e: &Expression) -> Option<Value> {
    let constant = |e: &Expression| match &e.kind {
        ExpressionKind::Constant(value) => Some(value.clone()),
        _ => None,
    };
    let integer = |e: &Expression| match (constant(e), e.ty) {
        (Some(Value::Integer(number)), Type::Integer(_)) => Some(number),
        _ => None,
    };
    match &e.kind {
        ExpressionKind::Negate(value) => Some(Value::Integer(integer(value)?.checked_neg()?)),
        ExpressionKind::Arithmetic { op, left, right, .. } => {
            let (left, right) = (integer(left)?, integer(right)?);
            let number = match op {
                ArithmeticOp::Add => left.checked_add(right),
                ArithmeticOp::Subtract => left.checked_sub(right),
                ArithmeticOp::Multiply => left.checked_mul(right),
                ArithmeticOp::Divide => left.checked_div(right),
                ArithmeticOp::Remainder => left.checked_rem(right),
            };
            number.map(Value::Integer)
        }
        ExpressionKind::Compare { op, left, right, .. } if compares_as_integer(left.ty) => {
            let outcome = match integer(left)?.cmp(&integer(right)?) {
                Ordering::Less => LESS,
                Ordering::Equal => EQUAL,
                Ordering::Greater => GREATER,
            };
            Some(Value::Boolean(outcomes(*op) & outcome != 0))
        }
        ExpressionKind::IsNull(value) => Some(Value::Boolean(constant(value)? == Value::Null)),
        ExpressionKind::Not(value) => match constant(value)? {
            Value::Boolean(value) => Some(Value::Boolean(!value)),
            _ => Some(Value::Null),
        },
        // The left side decides, so the right one is never looked at.
        ExpressionKind::And(left, _) if constant(left)? == Value::Boolean(false) => Some(Value::Boolean(false)),
        ExpressionKind::Or(left, _) if constant(left)? == Value::Boolean(true) => Some(Value::Boolean(true)),
        ExpressionKind::Convert { value, .. } => match (constant(value)?, e.ty) {
            (Value::Null, _) => Some(Value::Null),
            (Value::Integer(number), Type::Integer(_)) => Some(Value::Integer(number)),
            (Value::Integer(number), Type::Float) => Some(Value::Float(number as f64)),
            (Value::Integer(number), Type::Decimal { scale, .. }) => {
                Decimal::new(number.into(), 0).rescale(scale).map(Value::Decimal)
            }
            (Value::Decimal(number), Type::Decimal { scale, .. }) if number.scale <= scale => {
                number.rescale(scale).map(Value::Decimal)
            }
            (Value::Text(text), Type::Any) => Some(Value::Text(text)),
            _ => None,
        },
        _ => None,
    }
}
