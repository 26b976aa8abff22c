//! A second, simple interpreter of the form: it walks the tree, computes decimals with numbers of any size, and
//! allocates freely. The machine must give the same results.
#![allow(dead_code, unused_imports, reason = "each test uses what it needs")]

mod expressions;
mod statements;

pub use expressions::Maker;
pub use statements::StatementMaker;

use mainstay_types::{Decimal, Value};
use mainstay_vm::*;
use num_bigint::BigInt;
use std::cmp::Ordering;
use std::collections::HashMap;

/// A failure in an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    Overflow,
    DivideByZero,
    TooLong,
    Subscript,
    Raised(String),
}

/// The result of a statement.
#[derive(Debug)]
pub enum Signal {
    Next,
    Break,
    Continue,
    Goto(LabelId),
    Return,
    Fail(Failure),
}

/// The state of a routine that is walked over.
pub struct Walker {
    pub slots: Vec<Value>,
    pub result: Value,
    pub notes: Vec<String>,
    /// Errors that CATCHes hold.
    pub errors: Vec<Failure>,
    /// Arrays of one subscript: the least one and the elements; nothing before they are dimensioned.
    pub arrays: Vec<(i64, Vec<Value>)>,
    firsts: Vec<Value>,
}

impl Walker {
    pub fn new(routine: &Routine) -> Walker {
        let slots = routine.slots.iter().map(|slot| slot.initial.clone()).collect();
        let firsts: Vec<Value> = routine.arrays.iter().map(|array| array.initial.clone()).collect();
        let arrays = vec![(0, Vec::new()); firsts.len()];
        Walker { arrays, firsts, slots, result: routine.default_result.clone(), notes: Vec::new(), errors: Vec::new() }
    }

    /// Walks over statements, and on from labels among them.
    pub fn statements(&mut self, body: &[Statement]) -> Signal {
        let labels: HashMap<LabelId, usize> = body
            .iter()
            .enumerate()
            .filter_map(|(at, statement)| match statement.kind {
                StatementKind::Label(label) => Some((label, at)),
                _ => None,
            })
            .collect();
        let mut at = 0;
        while let Some(statement) = body.get(at) {
            at += 1;
            match self.statement(&statement.kind) {
                Signal::Next => {}
                Signal::Goto(label) if labels.contains_key(&label) => at = labels[&label],
                other => return other,
            }
        }
        Signal::Next
    }

    fn statement(&mut self, kind: &StatementKind) -> Signal {
        match self.attempt(kind) {
            Ok(signal) => signal,
            Err(failure) => Signal::Fail(failure),
        }
    }

    fn attempt(&mut self, kind: &StatementKind) -> Result<Signal, Failure> {
        Ok(match kind {
            StatementKind::Block(body) | StatementKind::Group(body) => self.statements(body),
            StatementKind::Assign { target, value } => {
                self.slots[usize::from(target.0)] = self.value(value)?;
                Signal::Next
            }
            StatementKind::Dimension { array, bounds } => {
                let (least, most) = (self.value(&bounds[0].0)?, self.value(&bounds[0].1)?);
                let (Value::Integer(least), Value::Integer(most)) = (least, most) else {
                    return Err(Failure::Subscript);
                };
                let array = usize::from(array.0);
                self.arrays[array] = (least, vec![self.firsts[array].clone(); (most - least + 1).max(0) as usize]);
                if self.arrays[array].1.is_empty() {
                    Err(Failure::Subscript)?
                }
                Signal::Next
            }
            StatementKind::AssignElement { array, indexes, value } => {
                let (index, value) = (self.value(&indexes[0])?, self.value(value)?);
                let place = self.place(*array, &index)?;
                self.arrays[usize::from(array.0)].1[place] = value;
                Signal::Next
            }
            StatementKind::If { condition, then, otherwise } => {
                let taken = if self.truth(condition, true)? { then } else { otherwise };
                self.statements(taken)
            }
            StatementKind::While { condition, body } => {
                while self.truth(condition, true)? {
                    match self.statements(body) {
                        Signal::Next | Signal::Continue => {}
                        Signal::Break => break,
                        other => return Ok(other),
                    }
                }
                Signal::Next
            }
            StatementKind::Loop(body) => loop {
                match self.statements(body) {
                    Signal::Next | Signal::Continue => {}
                    Signal::Break => break Signal::Next,
                    other => return Ok(other),
                }
            },
            StatementKind::Break => Signal::Break,
            StatementKind::Continue => Signal::Continue,
            StatementKind::Label(_) => Signal::Next,
            StatementKind::Goto(label) => Signal::Goto(*label),
            StatementKind::Switch { index, labels } => match self.value(index)? {
                Value::Integer(index) if (0..labels.len() as i64).contains(&index) => {
                    Signal::Goto(labels[index as usize])
                }
                _ => Signal::Next,
            },
            StatementKind::Try { body, catch } => match self.statements(body) {
                Signal::Fail(failure) => {
                    self.errors.push(failure);
                    let signal = self.statements(catch);
                    self.errors.pop();
                    signal
                }
                other => other,
            },
            StatementKind::Rethrow => Signal::Fail(self.errors.last().expect("in a CATCH").clone()),
            StatementKind::Return(value) => {
                if let Some(value) = value {
                    self.result = self.value(value)?;
                }
                Signal::Return
            }
            StatementKind::Host { statement, inputs, .. } => {
                let shown = inputs.iter().map(|input| Ok(self.value(input)?.to_string()));
                let shown = shown.collect::<Result<Vec<_>, Failure>>()?.join(" ");
                if *statement == super::common::RAISE {
                    return Err(Failure::Raised(shown));
                }
                self.notes.push(shown);
                Signal::Next
            }
            other => panic!("the walker does not know {other:?}"),
        })
    }

    fn place(&self, array: ArrayId, index: &Value) -> Result<usize, Failure> {
        let (least, elements) = &self.arrays[usize::from(array.0)];
        match index {
            Value::Integer(index) if (*least..*least + elements.len() as i64).contains(index) => {
                Ok((index - least) as usize)
            }
            _ => Err(Failure::Subscript),
        }
    }

    /// Returns true if a condition is true, or is false. NULL is neither.
    pub fn truth(&self, e: &Expression, wanted: bool) -> Result<bool, Failure> {
        match &e.kind {
            ExpressionKind::Not(value) => self.truth(value, !wanted),
            ExpressionKind::And(a, b) if wanted => Ok(self.truth(a, true)? && self.truth(b, true)?),
            ExpressionKind::And(a, b) => Ok(self.truth(a, false)? || self.truth(b, false)?),
            ExpressionKind::Or(a, b) if wanted => Ok(self.truth(a, true)? || self.truth(b, true)?),
            ExpressionKind::Or(a, b) => Ok(self.truth(a, false)? && self.truth(b, false)?),
            _ => Ok(self.value(e)? == Value::Boolean(wanted)),
        }
    }

    /// The value of an expression.
    pub fn value(&self, e: &Expression) -> Result<Value, Failure> {
        Ok(match &e.kind {
            ExpressionKind::Constant(value) => value.clone(),
            ExpressionKind::Slot(slot) => self.slots[usize::from(slot.0)].clone(),
            ExpressionKind::Element { array, indexes } => {
                let place = self.place(*array, &self.value(&indexes[0])?)?;
                self.arrays[usize::from(array.0)].1[place].clone()
            }
            ExpressionKind::Negate(value) => match self.value(value)? {
                Value::Integer(n) => whole(e.ty, Some(-i128::from(n)))?,
                Value::Decimal(d) => Value::Decimal(Decimal::new(-d.unscaled, d.scale)),
                Value::Float(f) => Value::Float(-f),
                other => other,
            },
            ExpressionKind::BitNot(value) => match self.value(value)? {
                Value::Integer(n) if e.ty == Type::Integer(Width::U8) => {
                    whole(e.ty, Some(i128::from(255 - (n & 255))))?
                }
                Value::Integer(n) => whole(e.ty, Some(i128::from(!n)))?,
                other => other,
            },
            ExpressionKind::Arithmetic { op, rounding, left, right } => {
                self.arithmetic(e.ty, *op, *rounding, self.value(left)?, self.value(right)?)?
            }
            ExpressionKind::Bitwise { op, left, right } => match (self.value(left)?, self.value(right)?) {
                (Value::Integer(a), Value::Integer(b)) => {
                    let number = match op {
                        BitwiseOp::And => a & b,
                        BitwiseOp::Or => a | b,
                        BitwiseOp::Xor => a ^ b,
                        other => panic!("the walker does not know {other:?}"),
                    };
                    whole(e.ty, Some(number.into()))?
                }
                _ => Value::Null,
            },
            ExpressionKind::Compare { op, left, right, collation, pads } => {
                let order = match (self.value(left)?, self.value(right)?) {
                    (Value::Integer(a), Value::Integer(b)) => a.cmp(&b),
                    (Value::Decimal(a), Value::Decimal(b)) => a.cmp(&b),
                    (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b).expect("numbers"),
                    (Value::Boolean(a), Value::Boolean(b)) => a.cmp(&b),
                    (Value::Text(a), Value::Text(b)) => {
                        collation.text_key(&a, *pads).cmp(&collation.text_key(&b, *pads))
                    }
                    _ => return Ok(Value::Null),
                };
                Value::Boolean(match op {
                    CompareOp::Equal => order == Ordering::Equal,
                    CompareOp::NotEqual => order != Ordering::Equal,
                    CompareOp::Less => order == Ordering::Less,
                    CompareOp::LessOrEqual => order != Ordering::Greater,
                    CompareOp::Greater => order == Ordering::Greater,
                    CompareOp::GreaterOrEqual => order != Ordering::Less,
                })
            }
            ExpressionKind::IsNull(value) => Value::Boolean(self.value(value)? == Value::Null),
            ExpressionKind::Not(value) => match self.value(value)? {
                Value::Boolean(value) => Value::Boolean(!value),
                other => other,
            },
            ExpressionKind::And(a, b) => self.logic(a, b, false)?,
            ExpressionKind::Or(a, b) => self.logic(a, b, true)?,
            ExpressionKind::Case { arms, otherwise } => {
                for (condition, value) in arms {
                    if self.truth(condition, true)? {
                        return self.value(value);
                    }
                }
                otherwise.as_ref().map_or(Ok(Value::Null), |value| self.value(value))?
            }
            ExpressionKind::Coalesce(list) => {
                for value in list {
                    let value = self.value(value)?;
                    if value != Value::Null {
                        return Ok(value);
                    }
                }
                Value::Null
            }
            ExpressionKind::Convert { value, rounding } => convert(self.value(value)?, e.ty, *rounding)?,
            ExpressionKind::Fit { value, pad, strict, .. } => self.fit(e.ty, self.value(value)?, *pad, *strict)?,
            ExpressionKind::Concat { parts, null_as_empty, .. } => {
                let mut all = String::new();
                let mut null = false;
                for part in parts {
                    match self.value(part)? {
                        Value::Text(text) => all.push_str(&text),
                        _ => null |= !null_as_empty,
                    }
                }
                if null { Value::Null } else { self.fit(e.ty, Value::Text(all), false, false)? }
            }
            other => panic!("the walker does not know {other:?}"),
        })
    }

    fn logic(&self, a: &Expression, b: &Expression, decides: bool) -> Result<Value, Failure> {
        let a = self.value(a)?;
        if a == Value::Boolean(decides) {
            return Ok(a);
        }
        let b = self.value(b)?;
        Ok(if b == Value::Boolean(decides) || a != Value::Null { b } else { a })
    }

    fn fit(&self, ty: Type, value: Value, pad: bool, strict: bool) -> Result<Value, Failure> {
        let (Type::Text { limit: Some(limit) }, Value::Text(text)) = (ty, &value) else { return Ok(value) };
        let limit = limit as usize;
        let mut kept: Vec<char> = text.chars().take(limit).collect();
        if strict && text.chars().skip(limit).any(|c| c != ' ') {
            return Err(Failure::TooLong);
        }
        if pad {
            kept.resize(limit, ' ');
        }
        Ok(Value::Text(kept.into_iter().collect()))
    }

    fn arithmetic(&self, ty: Type, op: ArithmeticOp, rounding: Rounding, a: Value, b: Value) -> Result<Value, Failure> {
        let divides = matches!(op, ArithmeticOp::Divide | ArithmeticOp::Remainder);
        match (a, b) {
            (Value::Integer(_), Value::Integer(0)) if divides => Err(Failure::DivideByZero),
            (Value::Integer(a), Value::Integer(b)) => {
                let (a, b) = (i128::from(a), i128::from(b));
                whole(
                    ty,
                    Some(match op {
                        ArithmeticOp::Add => a + b,
                        ArithmeticOp::Subtract => a - b,
                        ArithmeticOp::Multiply => a * b,
                        ArithmeticOp::Divide => a / b,
                        ArithmeticOp::Remainder => a % b,
                    }),
                )
            }
            (Value::Decimal(_), Value::Decimal(b)) if divides && b.unscaled == 0 => Err(Failure::DivideByZero),
            (Value::Decimal(a), Value::Decimal(b)) => {
                // As fractions: a = x / 10^s, b = y / 10^s.
                let scale = u32::from(a.scale.max(b.scale));
                let raise = |d: Decimal| BigInt::from(d.unscaled) * BigInt::from(10).pow(scale - u32::from(d.scale));
                let (x, y, unit) = (raise(a), raise(b), BigInt::from(10).pow(scale));
                let (numerator, denominator) = match op {
                    ArithmeticOp::Add => (x + y, unit),
                    ArithmeticOp::Subtract => (x - y, unit),
                    ArithmeticOp::Multiply => (x * y, &unit * &unit),
                    ArithmeticOp::Divide => (x, y),
                    ArithmeticOp::Remainder => (x % y, unit),
                };
                decimal(ty, numerator, denominator, rounding)
            }
            (Value::Float(_), Value::Float(b)) if divides && b == 0.0 => Err(Failure::DivideByZero),
            (Value::Float(a), Value::Float(b)) => {
                let number = match op {
                    ArithmeticOp::Add => a + b,
                    ArithmeticOp::Subtract => a - b,
                    ArithmeticOp::Multiply => a * b,
                    ArithmeticOp::Divide => a / b,
                    ArithmeticOp::Remainder => a % b,
                };
                if number.is_finite() { Ok(Value::Float(number)) } else { Err(Failure::Overflow) }
            }
            _ => Ok(Value::Null),
        }
    }
}

/// A whole number of a type.
fn whole(ty: Type, number: Option<i128>) -> Result<Value, Failure> {
    let number = number.and_then(|number| i64::try_from(number).ok()).ok_or(Failure::Overflow)?;
    if ty.width().expect("a whole number").holds(number) { Ok(Value::Integer(number)) } else { Err(Failure::Overflow) }
}

/// A fraction as a decimal of a type.
fn decimal(ty: Type, numerator: BigInt, denominator: BigInt, rounding: Rounding) -> Result<Value, Failure> {
    let Type::Decimal { precision, scale } = ty else { panic!("{ty} is no decimal") };
    let raised = numerator * BigInt::from(10).pow(scale.into());
    let (mut quotient, rest) = (&raised / &denominator, &raised % &denominator);
    let sign = |n: &BigInt| if *n < BigInt::from(0) { -1 } else { 1 };
    if rounding == Rounding::HalfAway && (&rest * 2 * sign(&rest)) >= (&denominator * sign(&denominator)) {
        quotient += sign(&raised) * sign(&denominator);
    }
    let limit = BigInt::from(10).pow(precision.into());
    let number = i128::try_from(quotient.clone()).map_err(|_| Failure::Overflow)?;
    if quotient < limit && quotient > -limit {
        Ok(Value::Decimal(Decimal::new(number, scale)))
    } else {
        Err(Failure::Overflow)
    }
}

/// The exact value of a double as a fraction.
fn fraction(number: f64) -> (BigInt, BigInt) {
    let text = format!("{number:.1100}");
    let digits: String = text.chars().filter(|c| *c != '.').collect();
    (digits.parse().expect("digits"), BigInt::from(10).pow(1100))
}

fn convert(value: Value, ty: Type, rounding: Rounding) -> Result<Value, Failure> {
    let (numerator, denominator) = match &value {
        Value::Null => return Ok(Value::Null),
        Value::Boolean(value) if ty != Type::Boolean => return Ok(Value::Integer((*value).into())),
        Value::Integer(n) => (BigInt::from(*n), BigInt::from(1)),
        Value::Decimal(d) => (BigInt::from(d.unscaled), BigInt::from(10).pow(d.scale.into())),
        Value::Float(f) => fraction(*f),
        _ => return Ok(value),
    };
    match ty {
        Type::Boolean => Ok(Value::Boolean(numerator != BigInt::from(0))),
        Type::Integer(_) => {
            let number = match decimal(Type::Decimal { precision: 38, scale: 0 }, numerator, denominator, rounding)? {
                Value::Decimal(number) => number.unscaled,
                other => panic!("{other} is no decimal"),
            };
            whole(ty, Some(number))
        }
        Type::Decimal { .. } => decimal(ty, numerator, denominator, rounding),
        Type::Float => Ok(Value::Float(value.as_f64().expect("a number"))),
        Type::Text { limit } => {
            let text = numerator.to_string();
            match limit {
                Some(limit) if text.len() > limit as usize => Err(Failure::TooLong),
                _ => Ok(Value::Text(text)),
            }
        }
        other => panic!("the walker does not convert to {other}"),
    }
}
