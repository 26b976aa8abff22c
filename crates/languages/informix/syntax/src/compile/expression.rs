//! Expressions over variables: the machine's own where the types of all operands are known, else a query of the host.
//!
//! Whole numbers are computed with 64 bits, DECIMALs with all their digits, a quotient with 16 behind the point; the variable
//! that takes the value has the last word on its range.

use super::functions::{assigned, assigned_from, call, floating};
use super::statement::invocation;
use super::{ActionKind, Compiler};
use crate::error::Parse;
use crate::tree::{Argument, BinaryOperator, Call, Case, Expr, Literal, Span, Test, UnaryOperator};
use crate::types::{Field, Type};
use mainstay_types::{Collation, Decimal, SqlType, Value};
use mainstay_vm::{self as program, ArithmeticOp, CompareOp, Expression, ExpressionKind, Rounding, TextUnit, Width};

/// Digits behind the point of a quotient.
const QUOTIENT_SCALE: u8 = 16;
/// A DECIMAL whose point floats: computed by operations of the language ([`crate::FloatingDecimal`]).
const FLOATING: Type = Type::Decimal(32, None);
/// The DECIMAL that the machine's own arithmetic gives.
const COMPUTED: Type = Type::Decimal(32, Some(16));
/// A text of any length.
const ANY_TEXT: Type = Type::LVarChar(32_739);

/// The machine's type that stores values of a type.
pub fn storage(known: Type) -> program::Type {
    match known.sql_type() {
        SqlType::Boolean => program::Type::Boolean,
        SqlType::TinyInt | SqlType::SmallInt => program::Type::Integer(Width::I16),
        SqlType::Integer => program::Type::I32,
        SqlType::BigInt => program::Type::I64,
        SqlType::Decimal { precision, scale } => program::Type::Decimal { precision, scale },
        SqlType::Real => program::Type::Real,
        SqlType::Double => program::Type::Float,
        SqlType::Char { .. } | SqlType::VarChar { .. } => program::Type::TEXT,
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => program::Type::BYTES,
        SqlType::Date => program::Type::Date,
        SqlType::Time { .. } => program::Type::Time,
        SqlType::Timestamp { .. } => program::Type::Timestamp,
        SqlType::IntervalYearMonth | SqlType::IntervalDayTime => program::Type::Interval,
        _ => program::Type::Any,
    }
}

/// An expression of the machine, and its type in the language.
type Typed = (Expression, Type);

fn is_number(ty: program::Type) -> bool {
    use program::Type::{Decimal, Float, Integer, Real};
    matches!(ty, Integer(_) | Decimal { .. } | Real | Float)
}

fn is_float(ty: program::Type) -> bool {
    matches!(ty, program::Type::Float | program::Type::Real)
}

fn is_whole(ty: program::Type) -> bool {
    matches!(ty, program::Type::Integer(_))
}

fn is_text(ty: program::Type) -> bool {
    matches!(ty, program::Type::Text { .. })
}

impl Compiler<'_> {
    /// A value for a variable of a type.
    pub(super) fn value(&mut self, value: &Expr, to: Type) -> Parse<Expression> {
        if matches!(value, Expr::Literal(Literal::Null)) {
            return Ok(Expression::null(storage(to)));
        }
        if let Some(direct) = self.whole_arithmetic(value, to)? {
            return Ok(direct);
        }
        Ok(match self.known(value)? {
            Some((value, from)) => self.converted(value, from, to),
            None => assigned(to, self.computed(value)?),
        })
    }

    /// A value of whatever type it has.
    pub(super) fn typed_or_text(&mut self, value: &Expr) -> Parse<Typed> {
        match self.known(value)? {
            Some(found) => Ok(found),
            None => Ok((assigned(ANY_TEXT, self.computed(value)?), ANY_TEXT)),
        }
    }

    /// A condition.
    pub(super) fn condition(&mut self, value: &Expr) -> Parse<Expression> {
        Ok(match self.known(value)? {
            Some((value, from)) => self.converted(value, from, Type::Boolean),
            None => assigned(Type::Boolean, self.computed(value)?),
        })
    }

    /// A value that a query of the host computes.
    fn computed(&mut self, value: &Expr) -> Parse<Expression> {
        // Its names stand outside of the query that it becomes.
        let mut checked = value.clone();
        let mut missing = None;
        crate::visit::expression(&mut checked, false, &mut |part, in_query| {
            if let Expr::Column(name) = part
                && let [only] = &name.parts[..]
                && !in_query
                && self.find(&only.text).is_none()
            {
                missing = Some(super::undeclared(only));
            }
        });
        if let Some(error) = missing {
            return Err(error);
        }
        let (statement, inputs, types) = self.with_parameters(&crate::reduce::value_query(value))?;
        let action = self.action(ActionKind::Value(Box::new(statement)), types, Span::default());
        Ok(self.asked(action, program::Type::Any, "value", inputs))
    }

    /// `LET i = i + 1` of whole numbers: computed in the width of the variable.
    fn whole_arithmetic(&mut self, value: &Expr, to: Type) -> Parse<Option<Expression>> {
        let Expr::Binary(left, operator, right) = value else { return Ok(None) };
        let Some(op) = arithmetic_op(*operator).filter(|op| *op != ArithmeticOp::Divide) else { return Ok(None) };
        if !to.is_integer() {
            return Ok(None);
        }
        let (Some((left, _)), Some((right, _))) = (self.known(left)?, self.known(right)?) else { return Ok(None) };
        let is_direct = is_whole(left.ty) && is_whole(right.ty);
        Ok(is_direct.then(|| Expression::arithmetic(storage(to), op, left, right)))
    }

    /// A value of one type as one of another.
    pub(super) fn converted(&self, value: Expression, from: Type, to: Type) -> Expression {
        let ty = storage(to);
        let is_padded = matches!(to, Type::Char(_) | Type::NChar(_));
        if from.is_floating() && !to.is_floating() {
            return assigned_from(from, to, value);
        }
        if to.is_floating() {
            return if from == to { value } else { assigned(to, value) };
        }
        if is_text(value.ty) && to.is_text() {
            let limit = match to {
                Type::Char(length)
                | Type::NChar(length)
                | Type::VarChar(length)
                | Type::NVarChar(length)
                | Type::LVarChar(length) => length,
                _ => return value,
            };
            let is_short = matches!(from, Type::VarChar(length) | Type::NVarChar(length) if length <= limit);
            if from == to || (is_short && !is_padded) {
                return value;
            }
            return value.fit(program::Type::Text { limit: Some(limit) }, TextUnit::Characters, is_padded, false);
        }
        if value.ty == ty && !matches!(to, Type::DateTime(..)) {
            return value;
        }
        if is_number(value.ty) && is_number(ty) {
            let rounding = if is_whole(ty) { Rounding::Truncate } else { Rounding::HalfAway };
            return value.convert_rounding(ty, rounding);
        }
        match from == to {
            true => value,
            false => assigned(to, value),
        }
    }

    /// The machine's own form of an expression, if it has one.
    fn known(&mut self, value: &Expr) -> Parse<Option<Typed>> {
        Ok(match value {
            Expr::Literal(literal) => constant(literal),
            Expr::Column(name) => match self.named(name)? {
                Some(variable) => Some((self.read(&variable), variable.known)),
                None if name.is("sqlcode") => {
                    let action = self.action(ActionKind::SqlCode, Vec::new(), name.span);
                    Some((self.asked(action, program::Type::I32, "sqlcode", Vec::new()), Type::Integer))
                }
                None if name.parts.len() == 1 => {
                    return Err(name
                        .parts
                        .first()
                        .map_or_else(|| crate::SqlError::unsupported("a name without parts"), super::undeclared));
                }
                None => None,
            },
            Expr::Unary(UnaryOperator::Plus, operand) => self.known(operand)?,
            Expr::Unary(UnaryOperator::Minus, operand) => self.known(operand)?.and_then(negated),
            Expr::Unary(UnaryOperator::Not, operand) => {
                self.truth(operand)?.map(|operand| (Expression::not(operand), Type::Boolean))
            }
            Expr::Binary(left, operator, right) => match (self.known(left)?, self.known(right)?) {
                (Some(left), Some(right)) => self.operation(left, *operator, right),
                _ => None,
            },
            Expr::And(parts) => self.joined(parts, Expression::and)?,
            Expr::Or(parts) => self.joined(parts, Expression::or)?,
            Expr::Test(left, is_negated, test) => self.tested(left, *is_negated, test)?,
            Expr::Case(case) => self.case(case)?,
            Expr::Cast(cast) => self.cast(cast)?,
            Expr::Call(found) => self.function(found)?,
            _ => None,
        })
    }

    fn truth(&mut self, value: &Expr) -> Parse<Option<Expression>> {
        Ok(self.known(value)?.filter(|(_, known)| *known == Type::Boolean).map(|(value, _)| value))
    }

    fn joined(&mut self, parts: &[Expr], join: fn(Expression, Expression) -> Expression) -> Parse<Option<Typed>> {
        let mut all: Option<Expression> = None;
        for part in parts {
            let Some(part) = self.truth(part)? else { return Ok(None) };
            all = Some(match all {
                Some(before) => join(before, part),
                None => part,
            });
        }
        Ok(all.map(|all| (all, Type::Boolean)))
    }

    fn operation(&mut self, left: Typed, operator: BinaryOperator, right: Typed) -> Option<Typed> {
        if let Some(op) = comparison(operator) {
            return self.compared(left, op, right).map(|found| (found, Type::Boolean));
        }
        if operator == BinaryOperator::Concatenate {
            let parts = [left, right].map(|(value, from)| self.converted(value, from, unpadded(from)));
            let kind = ExpressionKind::Concat { parts: parts.into(), null_as_empty: false, unit: TextUnit::Characters };
            return Some((Expression::new(program::Type::TEXT, kind), ANY_TEXT));
        }
        let op = arithmetic_op(operator)?;
        if left.1.is_floating() || right.1.is_floating() {
            let sides = [self.floating(left)?, self.floating(right)?];
            return Some((floating(op, sides.into()), FLOATING));
        }
        arithmetic(left.0, op, right.0)
    }

    /// A number, or a text of one, as a DECIMAL whose point floats.
    fn floating(&self, (value, from): Typed) -> Option<Expression> {
        match from.is_floating() {
            true => Some(value),
            false if is_number(value.ty) || is_text(value.ty) => Some(assigned(FLOATING, value)),
            false => None,
        }
    }

    fn compared(&mut self, left: Typed, op: CompareOp, right: Typed) -> Option<Expression> {
        if left.1.is_floating() || right.1.is_floating() {
            let (left, right) = (self.floating(left)?, self.floating(right)?);
            return Some(Expression::compare(op, left, right));
        }
        let ((left, left_type), (right, right_type)) = (left, right);
        let (left, right) = match (left.ty, right.ty) {
            (one, other) if is_text(one) && is_text(other) => (left, right),
            (one, other) if is_number(one) && is_number(other) => (common(left, other), common(right, one)),
            // A text that is compared with a value of another type is one of that type.
            (one, _) if is_text(one) => (assigned(comparable(right_type), left), right),
            (_, other) if is_text(other) => (left, assigned(comparable(left_type), right)),
            (one, other) if one == other && one != program::Type::Interval => (left, right),
            _ => return None,
        };
        let (left, right) = match (left.ty, right.ty) {
            (one, other) if is_number(one) && is_number(other) => (common(left, other), common(right, one)),
            _ => (left, right),
        };
        if left.ty == program::Type::Any || left.ty == program::Type::Interval {
            return None;
        }
        Some(Expression::compare_text(op, Collation::Binary, true, left, right))
    }

    fn tested(&mut self, left: &Expr, is_negated: bool, test: &Test) -> Parse<Option<Typed>> {
        let Some(operand) = self.known(left)? else { return Ok(None) };
        let found = match test {
            Test::Null => Some(Expression::is_null(operand.0)),
            Test::Between(low, high) => match (self.known(low)?, self.known(high)?) {
                (Some(low), Some(high)) => {
                    let above = self.compared(operand.clone(), CompareOp::GreaterOrEqual, low);
                    let below = self.compared(operand, CompareOp::LessOrEqual, high);
                    above.zip(below).map(|(above, below)| Expression::and(above, below))
                }
                _ => None,
            },
            Test::InList(items) => {
                let mut all: Option<Expression> = None;
                for item in items {
                    let Some(item) = self.known(item)? else { return Ok(None) };
                    let Some(equal) = self.compared(operand.clone(), CompareOp::Equal, item) else { return Ok(None) };
                    all = Some(match all {
                        Some(before) => Expression::or(before, equal),
                        None => equal,
                    });
                }
                all
            }
            _ => None,
        };
        let found = found.map(|found| if is_negated { Expression::not(found) } else { found });
        Ok(found.map(|found| (found, Type::Boolean)))
    }

    fn case(&mut self, case: &Case) -> Parse<Option<Typed>> {
        let mut arms = Vec::with_capacity(case.branches.len());
        let mut common: Option<Typed> = None;
        for (when, then) in &case.branches {
            let condition = match &case.operand {
                Some(operand) => match (self.known(operand)?, self.known(when)?) {
                    (Some(operand), Some(when)) => self.compared(operand, CompareOp::Equal, when),
                    _ => None,
                },
                None => self.truth(when)?,
            };
            let (Some(condition), Some(then)) = (condition, self.known(then)?) else { return Ok(None) };
            if common.get_or_insert_with(|| then.clone()).0.ty != then.0.ty {
                return Ok(None);
            }
            arms.push((condition, then.0));
        }
        let otherwise = match &case.otherwise {
            None | Some(Expr::Literal(Literal::Null)) => None,
            Some(value) => match self.known(value)? {
                Some(found) => Some(found),
                None => return Ok(None),
            },
        };
        let Some((first, known)) = common else { return Ok(None) };
        if otherwise.as_ref().is_some_and(|(other, _)| other.ty != first.ty) {
            return Ok(None);
        }
        let known = if known.is_text() { ANY_TEXT } else { known };
        let otherwise = otherwise.map(|(value, _)| Box::new(value));
        Ok(Some((Expression::new(first.ty, ExpressionKind::Case { arms, otherwise }), known)))
    }

    fn cast(&mut self, cast: &crate::tree::Cast) -> Parse<Option<Typed>> {
        let declared = cast.data_type.name.last().trim_matches('"').split_once('=');
        let Some(to) = declared.and_then(|(_, declared)| Type::of_declared(declared)) else { return Ok(None) };
        if matches!(to, Type::DateTime(..) | Type::Interval(..)) {
            return Ok(None);
        }
        Ok(self.known(&cast.value)?.map(|(value, from)| (self.converted(value, from, to), to)))
    }

    fn function(&mut self, found: &Call) -> Parse<Option<Typed>> {
        if found.quantifier.is_some() || found.over.is_some() {
            return Ok(None);
        }
        if let Some(signature) = self.environment.routine(&found.name, found.arguments.len()) {
            if !signature.outputs.is_empty() {
                return Err(super::statement::has_outputs(found.name.last()));
            }
            return match (signature.is_single, &signature.returns[..]) {
                (true, [known]) => {
                    let known = *known;
                    let (key, names, values, _) = self.arguments(&invocation(found))?;
                    let arguments = names
                        .into_iter()
                        .zip(values)
                        .map(|(name, value)| program::Argument { name, value: program::ArgumentValue::Value(value) });
                    let callee = program::Callee::Named(key.into());
                    let made = program::Call { callee, arguments: arguments.collect() };
                    Ok(Some((Expression::new(storage(known), ExpressionKind::Call(Box::new(made))), known)))
                }
                _ => Ok(None),
            };
        }
        let mut arguments = Vec::with_capacity(found.arguments.len());
        for argument in &found.arguments {
            let Argument::Value(value) = argument else { return Ok(None) };
            let Some(value) = self.known(value)? else { return Ok(None) };
            arguments.push(value);
        }
        Ok(native(found.name.last(), arguments))
    }
}

/// A function that the machine calls by itself.
fn native(name: &str, mut arguments: Vec<Typed>) -> Option<Typed> {
    let name = name.to_lowercase();
    match (name.as_str(), &arguments[..]) {
        ("length" | "len", [(text, _)]) if is_text(text.ty) => {
            let text = arguments.pop()?.0;
            Some((call("length", program::Type::I32, vec![text]), Type::Integer))
        }
        ("upper" | "lower" | "trim" | "ltrim", [(text, _)]) if is_text(text.ty) => {
            let text = arguments.pop()?.0;
            Some((call(&name, program::Type::TEXT, vec![text]), ANY_TEXT))
        }
        ("substr" | "substring_range", [(text, _), (first, _), rest @ ..])
            if is_text(text.ty) && is_whole(first.ty) && rest.iter().all(|(value, _)| is_whole(value.ty)) =>
        {
            let mut values: Vec<Expression> = arguments.into_iter().map(|(value, _)| value).collect();
            if name == "substring_range" {
                // The last character stands where the count is wanted.
                let (last, first) = (values.pop()?, values.get(1)?.clone());
                let one = Expression::constant(program::Type::I64, Value::Integer(1));
                let count = Expression::arithmetic(program::Type::I64, ArithmeticOp::Subtract, last, first);
                values.push(Expression::arithmetic(program::Type::I64, ArithmeticOp::Add, count, one));
            }
            Some((call("substr", program::Type::TEXT, values), ANY_TEXT))
        }
        ("abs", [(number, known)]) if is_number(number.ty) => {
            let (ty, known) = (number.ty, *known);
            Some((call("abs", ty, vec![arguments.pop()?.0]), known))
        }
        ("mod", [(left, _), (right, _)]) if is_whole(left.ty) && is_whole(right.ty) => {
            let (right, left) = (arguments.pop()?.0, arguments.pop()?.0);
            Some((Expression::arithmetic(program::Type::I64, ArithmeticOp::Remainder, left, right), Type::BigInt))
        }
        ("nvl", [(first, known), (second, _)]) if first.ty == second.ty => {
            let known = if known.is_text() { ANY_TEXT } else { *known };
            let ty = first.ty;
            let values = arguments.into_iter().map(|(value, _)| value).collect();
            Some((Expression::new(ty, ExpressionKind::Coalesce(values)), known))
        }
        _ => None,
    }
}

fn constant(literal: &Literal) -> Option<Typed> {
    match literal {
        Literal::String(text) | Literal::NationalString(text) => {
            let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
            let known = if (1..=255).contains(&length) { Type::VarChar(length) } else { ANY_TEXT };
            Some((Expression::text(text.clone()), known))
        }
        Literal::Integer(digits) => {
            let number: i64 = digits.parse().ok()?;
            Some(match i32::try_from(number) {
                Ok(number) => (Expression::int(number), Type::Integer),
                Err(_) => (Expression::constant(program::Type::I64, Value::Integer(number)), Type::BigInt),
            })
        }
        Literal::Decimal(digits) => {
            let number: Decimal = digits.parse().ok()?;
            let length = number.unscaled.unsigned_abs().checked_ilog10().map_or(1, |log| log as u8 + 1);
            let precision = length.max(number.scale).max(1);
            let ty = program::Type::Decimal { precision, scale: number.scale };
            let known = Type::Decimal(precision.min(32), Some(number.scale.min(32)));
            (precision <= 32).then(|| (Expression::constant(ty, Value::Decimal(number)), known))
        }
        Literal::Float(digits) => {
            let value = Value::Float(digits.parse().ok()?);
            Some((Expression::constant(program::Type::Float, value), Type::Float))
        }
        _ => None,
    }
}

fn negated((value, known): Typed) -> Option<Typed> {
    if known.is_floating() {
        let zero = Expression::constant(program::Type::BYTES, Value::Binary(crate::FloatingDecimal::ZERO.to_bytes()));
        return Some((floating(ArithmeticOp::Subtract, vec![zero, value]), known));
    }
    let ty = value.ty;
    let is_small = matches!(ty, program::Type::Integer(_));
    let (value, ty) = if is_small { (value, program::Type::I64) } else { (value, ty) };
    let known = if is_small { Type::BigInt } else { known };
    // `-1` is a constant, which keeps its width.
    if let ExpressionKind::Constant(Value::Integer(number)) = &value.kind
        && let Ok(number) = i32::try_from(-number)
    {
        return Some((Expression::int(number), Type::Integer));
    }
    is_number(ty).then(|| (Expression::new(ty, ExpressionKind::Negate(Box::new(value))), known))
}

fn arithmetic_op(operator: BinaryOperator) -> Option<ArithmeticOp> {
    Some(match operator {
        BinaryOperator::Add => ArithmeticOp::Add,
        BinaryOperator::Subtract => ArithmeticOp::Subtract,
        BinaryOperator::Multiply => ArithmeticOp::Multiply,
        BinaryOperator::Divide => ArithmeticOp::Divide,
        _ => return None,
    })
}

fn comparison(operator: BinaryOperator) -> Option<CompareOp> {
    Some(match operator {
        BinaryOperator::Equal => CompareOp::Equal,
        BinaryOperator::NotEqual => CompareOp::NotEqual,
        BinaryOperator::Less => CompareOp::Less,
        BinaryOperator::LessOrEqual => CompareOp::LessOrEqual,
        BinaryOperator::Greater => CompareOp::Greater,
        BinaryOperator::GreaterOrEqual => CompareOp::GreaterOrEqual,
        _ => return None,
    })
}

/// A number as a DECIMAL of the machine with all its digits.
fn exact(value: Expression) -> (Expression, u8) {
    match value.ty {
        program::Type::Decimal { scale, .. } => (value, scale),
        _ => (value.convert(program::Type::Decimal { precision: 19, scale: 0 }), 0),
    }
}

fn arithmetic(left: Expression, op: ArithmeticOp, right: Expression) -> Option<Typed> {
    if !is_number(left.ty) || !is_number(right.ty) {
        return None;
    }
    if is_float(left.ty) || is_float(right.ty) {
        let [left, right] = [left, right].map(|side| side.convert(program::Type::Float));
        return Some((Expression::arithmetic(program::Type::Float, op, left, right), Type::Float));
    }
    if is_whole(left.ty) && is_whole(right.ty) && op != ArithmeticOp::Divide {
        return Some((Expression::arithmetic(program::Type::I64, op, left, right), Type::BigInt));
    }
    let ((left, left_scale), (right, right_scale)) = (exact(left), exact(right));
    let scale = match op {
        ArithmeticOp::Multiply => left_scale.checked_add(right_scale).filter(|scale| *scale <= 32)?,
        ArithmeticOp::Divide => QUOTIENT_SCALE,
        _ => left_scale.max(right_scale),
    };
    let ty = program::Type::Decimal { precision: 38, scale };
    let known = if scale <= 16 { COMPUTED } else { Type::Decimal(32, Some(scale)) };
    Some((Expression::arithmetic(ty, op, left, right), known))
}

/// A number beside one of another type, as what both can be.
fn common(value: Expression, other: program::Type) -> Expression {
    match (value.ty, other) {
        (ty, other) if ty == other || (is_whole(ty) && is_whole(other)) => value,
        (ty, other) if is_float(ty) || is_float(other) => match is_float(ty) {
            true => value,
            false => value.convert(program::Type::Float),
        },
        _ => exact(value).0,
    }
}

/// The type of a text that is compared with a value of a type.
fn comparable(known: Type) -> Type {
    match known {
        Type::DateTime(first, _) if first < Field::HOUR => Type::DateTime(Field::YEAR, Field(15)),
        known if known.is_integer() || matches!(known, Type::Decimal(..) | Type::Money(..)) => COMPUTED,
        known => known,
    }
}

/// The type of a value as a part of a text.
fn unpadded(known: Type) -> Type {
    if known.is_text() { known } else { ANY_TEXT }
}
