//! The types of expressions: the operands and the result of each operation.

use super::{Checked, EXPRESSION_DEPTH, Verifier};
use crate::*;

/// The most arguments of a native function, a value of the host, or a call.
const ARGUMENTS: usize = 2_000;

impl Verifier<'_> {
    /// Checks an expression that must be of this very type.
    pub(super) fn typed(&self, e: &Expression, ty: Type) -> Checked {
        self.expression(e, 0)?;
        self.is(e, ty)
    }

    fn is(&self, e: &Expression, ty: Type) -> Checked {
        if e.ty == ty { Ok(()) } else { self.error(format!("{} where {ty} is needed", e.ty)) }
    }

    /// Returns true if a value of one type may be put where another is: no conversion is implied.
    pub(super) fn assignable(&self, from: Type, to: Type) -> Checked {
        let fits = match (from, to) {
            (Type::Integer(from), Type::Integer(to)) => to.includes(from),
            (Type::Decimal { precision, scale }, Type::Decimal { precision: to_precision, scale: to_scale }) => {
                scale == to_scale && precision <= to_precision
            }
            (Type::Text { .. }, Type::Text { .. }) | (Type::Bytes { .. }, Type::Bytes { .. }) => true,
            _ => from == to,
        };
        if fits { Ok(()) } else { self.error(format!("{from} does not go into {to} without a conversion")) }
    }

    /// Checks an expression.
    ///
    /// This calls itself as deeply as expressions are nested, so what needs much of the stack is in [`Verifier::node`].
    pub(super) fn expression(&self, e: &Expression, depth: usize) -> Checked {
        if depth > EXPRESSION_DEPTH {
            return self.error(format!("an expression is nested deeper than {EXPRESSION_DEPTH}"));
        }
        if let ExpressionKind::Call(call) = &e.kind {
            self.call(call, depth + 1)?;
        }
        each_operand(e, &mut |operand| self.expression(operand, depth + 1))?;
        self.node(e)
    }

    /// Checks a node whose operands were checked.
    fn node(&self, e: &Expression) -> Checked {
        self.sensible(e.ty)?;
        match &e.kind {
            ExpressionKind::Constant(value) => match e.ty.admits(value) {
                true => Ok(()),
                false => self.error(format!("{value} is no {}", e.ty)),
            },
            ExpressionKind::Slot(slot) => {
                let ty = self.slot(*slot)?.ty;
                self.is(e, ty)
            }
            ExpressionKind::Negate(value) | ExpressionKind::BitNot(value) => self.unary(e, value),
            ExpressionKind::Arithmetic { left, right, .. } | ExpressionKind::Bitwise { left, right, .. } => {
                self.binary(e, left, right)
            }
            ExpressionKind::Compare { left, right, .. } => {
                self.is(e, Type::Boolean)?;
                self.comparable(left.ty, right.ty)
            }
            ExpressionKind::IsNull(_) => self.is(e, Type::Boolean),
            ExpressionKind::Not(value) => {
                self.is(value, Type::Boolean)?;
                self.is(e, Type::Boolean)
            }
            ExpressionKind::And(left, right) | ExpressionKind::Or(left, right) => {
                [&**left, right, e].into_iter().try_for_each(|side| self.is(side, Type::Boolean))
            }
            ExpressionKind::Case { arms, otherwise } => {
                self.not_too_many(arms.len())?;
                for (condition, value) in arms {
                    self.is(condition, Type::Boolean)?;
                    self.assignable(value.ty, e.ty)?;
                }
                otherwise.as_ref().map_or(Ok(()), |value| self.assignable(value.ty, e.ty))
            }
            ExpressionKind::Coalesce(list) => {
                self.some(list)?;
                list.iter().try_for_each(|value| self.assignable(value.ty, e.ty))
            }
            ExpressionKind::Convert { value, .. } => self.convertible(value.ty, e.ty),
            ExpressionKind::Fit { value, .. } => {
                self.long(e.ty)?;
                match value.ty.same_family(e.ty) {
                    true => Ok(()),
                    false => self.error(format!("{} is fitted to {}", value.ty, e.ty)),
                }
            }
            ExpressionKind::Concat { parts, .. } => {
                self.some(parts)?;
                self.long(e.ty)?;
                match parts.iter().find(|part| !part.ty.same_family(e.ty)) {
                    Some(part) => self.error(format!("{} in a concatenation of {}", part.ty, e.ty)),
                    None => Ok(()),
                }
            }
            ExpressionKind::Element { array, indexes } => {
                let element = self.array(*array)?.element;
                self.is(e, element)?;
                indexes.iter().try_for_each(|index| self.is_subscript(index))
            }
            ExpressionKind::Native { arguments, .. }
            | ExpressionKind::Operation { arguments, .. }
            | ExpressionKind::HostCall { arguments, .. } => self.not_too_many(arguments.len()),
            ExpressionKind::Call(_) => Ok(()),
        }
    }

    fn some(&self, list: &[Expression]) -> Checked {
        self.not_too_many(list.len())?;
        if list.is_empty() { self.error("a list of expressions is empty") } else { Ok(()) }
    }

    fn not_too_many(&self, count: usize) -> Checked {
        if count > ARGUMENTS { self.error(format!("more than {ARGUMENTS} operands")) } else { Ok(()) }
    }

    fn long(&self, ty: Type) -> Checked {
        match ty {
            Type::Text { .. } | Type::Bytes { .. } => Ok(()),
            _ => self.error(format!("{ty} where text or bytes are needed")),
        }
    }

    fn unary(&self, e: &Expression, value: &Expression) -> Checked {
        let fits = match (&e.kind, e.ty, value.ty) {
            (_, Type::Integer(_), Type::Integer(_)) => true,
            (ExpressionKind::Negate(_), Type::Decimal { .. } | Type::Real | Type::Float, ty) => ty == e.ty,
            _ => false,
        };
        if fits { Ok(()) } else { self.error(format!("an operation on {} that gives {}", value.ty, e.ty)) }
    }

    fn binary(&self, e: &Expression, left: &Expression, right: &Expression) -> Checked {
        let bitwise = matches!(e.kind, ExpressionKind::Bitwise { .. });
        let both = |test: fn(Type) -> bool| test(left.ty) && test(right.ty);
        let fits = match e.ty {
            Type::Integer(_) => both(|ty| matches!(ty, Type::Integer(_))),
            Type::Decimal { .. } => !bitwise && both(|ty| matches!(ty, Type::Decimal { .. })),
            Type::Float => !bitwise && both(|ty| matches!(ty, Type::Float | Type::Real)),
            Type::Real => !bitwise && both(|ty| matches!(ty, Type::Real)),
            _ => false,
        };
        let message = || format!("an operation on {} and {} that gives {}", left.ty, right.ty, e.ty);
        if fits { Ok(()) } else { self.error(message()) }
    }

    fn comparable(&self, left: Type, right: Type) -> Checked {
        let float = |ty| matches!(ty, Type::Float | Type::Real);
        let known = !matches!(left, Type::Any | Type::Interval);
        if known && (left.same_family(right) || float(left) && float(right)) {
            return Ok(());
        }
        self.error(format!("{left} is compared with {right}"))
    }

    fn convertible(&self, from: Type, to: Type) -> Checked {
        let number = |ty| matches!(ty, Type::Integer(_) | Type::Decimal { .. } | Type::Real | Type::Float);
        let integer = |ty| matches!(ty, Type::Integer(_));
        let fits = (number(from) && number(to))
            || (from == Type::Boolean && integer(to))
            || (integer(from) && to == Type::Boolean)
            || (integer(from) && matches!(to, Type::Text { .. }))
            || from == Type::Any
            || to == Type::Any
            || from == to;
        if fits { Ok(()) } else { self.error(format!("there is no conversion from {from} to {to}")) }
    }

    /// Checks a call of a routine, which itself is not known yet.
    pub(super) fn call(&self, call: &Call, depth: usize) -> Checked {
        if let Callee::Dynamic(name) = &call.callee {
            self.expression(name, depth)?;
            if !matches!(name.ty, Type::Text { .. }) {
                return self.error(format!("a routine is called by {}, which is no text", name.ty));
            }
        }
        self.not_too_many(call.arguments.len())?;
        call.arguments.iter().try_for_each(|argument| match &argument.value {
            ArgumentValue::Value(value) => self.expression(value, depth),
            ArgumentValue::InOut(slot) => self.slot(*slot).map(|_| ()),
            ArgumentValue::Default => Ok(()),
        })
    }
}

/// Visits the operands of a node, but for those of calls.
fn each_operand(e: &Expression, visit: &mut dyn FnMut(&Expression) -> Checked) -> Checked {
    match &e.kind {
        ExpressionKind::Constant(_) | ExpressionKind::Slot(_) | ExpressionKind::Call(_) => Ok(()),
        ExpressionKind::Negate(value)
        | ExpressionKind::BitNot(value)
        | ExpressionKind::IsNull(value)
        | ExpressionKind::Not(value)
        | ExpressionKind::Convert { value, .. }
        | ExpressionKind::Fit { value, .. } => visit(value),
        ExpressionKind::Arithmetic { left, right, .. }
        | ExpressionKind::Bitwise { left, right, .. }
        | ExpressionKind::Compare { left, right, .. }
        | ExpressionKind::And(left, right)
        | ExpressionKind::Or(left, right) => {
            visit(left)?;
            visit(right)
        }
        ExpressionKind::Case { arms, otherwise } => {
            for (condition, value) in arms {
                visit(condition)?;
                visit(value)?;
            }
            otherwise.as_ref().map_or(Ok(()), |value| visit(value))
        }
        ExpressionKind::Coalesce(list)
        | ExpressionKind::Concat { parts: list, .. }
        | ExpressionKind::Element { indexes: list, .. }
        | ExpressionKind::Native { arguments: list, .. }
        | ExpressionKind::Operation { arguments: list, .. }
        | ExpressionKind::HostCall { arguments: list, .. } => list.iter().try_for_each(visit),
    }
}
