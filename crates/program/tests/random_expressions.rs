//! Random expressions: the machine and a plain walk over the tree must agree, on values and on faults.

mod common;
mod reference;

use common::{Random, TestHost};
use mainstay_base::{Collation, Decimal, Value};
use mainstay_program::*;
use reference::{Failure, Walker};

/// Makes expressions over the slots of a routine.
struct Maker {
    random: Random,
    routine: Routine,
}

const WIDTHS: [Width; 5] = Width::ALL;

impl Maker {
    fn new(seed: u64) -> Maker {
        let mut maker = Maker { random: Random(seed), routine: Routine::new("random") };
        for number in 0..14 {
            let ty = maker.ty();
            let initial = maker.constant(ty);
            maker.routine.slot_with(&format!("@{number}"), ty, initial);
        }
        maker
    }

    fn chance(&mut self, of: usize) -> bool {
        self.random.below(of) == 0
    }

    fn decimal_type(&mut self) -> Type {
        let precision = 1 + self.random.below(38) as u8;
        Type::Decimal { precision, scale: self.random.below(usize::from(precision) + 1) as u8 }
    }

    fn text_type(&mut self) -> Type {
        if self.chance(2) { Type::TEXT } else { Type::Text { limit: Some(1 + self.random.below(12) as u32) } }
    }

    fn width(&mut self) -> Width {
        if self.chance(2) { Width::I32 } else { WIDTHS[self.random.below(5)] }
    }

    fn ty(&mut self) -> Type {
        match self.random.below(6) {
            0 => Type::Boolean,
            1 | 2 => Type::Integer(self.width()),
            3 => self.decimal_type(),
            4 => Type::Float,
            _ => self.text_type(),
        }
    }

    fn constant(&mut self, ty: Type) -> Value {
        if self.chance(6) {
            return Value::Null;
        }
        let bits = self.random.next();
        match ty {
            Type::Boolean => Value::Boolean(bits & 1 == 0),
            Type::Integer(width) => {
                let (least, most) = width.range();
                Value::Integer(match self.random.below(8) {
                    0 => least,
                    1 => most,
                    2 => 0,
                    3 | 4 => (bits as i64).clamp(least, most),
                    _ => (bits % 20) as i64,
                })
            }
            Type::Decimal { precision, scale } => {
                let digits = self.random.below(usize::from(precision) + 1) as u32;
                let wide = (i128::from(bits) << 60).wrapping_mul(i128::from(self.random.next())) % 10i128.pow(digits);
                Value::Decimal(Decimal::new(if bits & 1 == 0 { wide } else { -wide }, scale))
            }
            Type::Float => Value::Float(match self.random.below(6) {
                0 => 0.0,
                1 => 2.5,
                2 => -0.125,
                3 => f64::MAX / 4.0,
                4 => (bits as i64 as f64) / 1e6,
                _ => (bits % 1000) as f64 / 8.0,
            }),
            _ => {
                let texts = ["", "a", "A", "ab ", "Malmö", "MALMO", "  ", "zebra", "straße", "x\u{1F600}y"];
                let text: String = texts[self.random.below(texts.len())].to_owned();
                let limit = if let Type::Text { limit: Some(limit) } = ty { limit as usize } else { 20 };
                Value::Text(text.chars().take(limit).collect())
            }
        }
    }

    /// A slot of this family, or a constant of the type.
    fn leaf(&mut self, ty: Type) -> Expression {
        let fits: Vec<u16> =
            (0..self.routine.slots.len() as u16).filter(|n| self.routine.slots[usize::from(*n)].ty == ty).collect();
        if fits.is_empty() || self.chance(3) {
            let value = self.constant(ty);
            return Expression::constant(ty, value);
        }
        let slot = SlotId(fits[self.random.below(fits.len())]);
        Expression::slot(&self.routine, slot)
    }

    fn rounding(&mut self) -> Rounding {
        if self.chance(2) { Rounding::HalfAway } else { Rounding::Truncate }
    }

    fn op(&mut self) -> ArithmeticOp {
        use ArithmeticOp::*;
        [Add, Subtract, Multiply, Divide, Remainder][self.random.below(5)]
    }

    /// An expression of this very type.
    fn expression(&mut self, ty: Type, depth: usize) -> Expression {
        if depth == 0 || self.chance(5) {
            return self.leaf(ty);
        }
        match self.random.below(8) {
            0 => {
                let arms = (0..1 + self.random.below(3))
                    .map(|_| (self.expression(Type::Boolean, depth - 1), self.expression(ty, depth - 1)))
                    .collect();
                let otherwise = if self.chance(2) { None } else { Some(Box::new(self.expression(ty, depth - 1))) };
                Expression::new(ty, ExpressionKind::Case { arms, otherwise })
            }
            1 => {
                let list = (0..1 + self.random.below(3)).map(|_| self.expression(ty, depth - 1)).collect();
                Expression::new(ty, ExpressionKind::Coalesce(list))
            }
            _ => self.operation(ty, depth - 1),
        }
    }

    fn operation(&mut self, ty: Type, depth: usize) -> Expression {
        match ty {
            Type::Boolean => self.boolean(depth),
            Type::Integer(_) => self.integer(ty, depth),
            Type::Text { .. } => self.text(ty, depth),
            _ if self.chance(4) => {
                // Doubles of any size do not print in a fraction of any length; keep to what converts.
                let from = if self.chance(2) { Type::Integer(self.width()) } else { self.decimal_type() };
                let rounding = self.rounding();
                self.expression(from, depth).convert_rounding(ty, rounding)
            }
            Type::Decimal { .. } => {
                if self.chance(8) {
                    return self.expression(Type::Float, depth).convert(ty);
                }
                if self.chance(8) {
                    return Expression::new(ty, ExpressionKind::Negate(Box::new(self.expression(ty, depth))));
                }
                let (left, right, op, rounding) =
                    (self.decimal_type(), self.decimal_type(), self.op(), self.rounding());
                let (left, right) = (self.expression(left, depth), self.expression(right, depth));
                Expression::arithmetic_rounding(ty, op, rounding, left, right)
            }
            _ => {
                let op = self.op();
                Expression::arithmetic(ty, op, self.expression(ty, depth), self.expression(ty, depth))
            }
        }
    }

    fn boolean(&mut self, depth: usize) -> Expression {
        use CompareOp::*;
        let op = [Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual][self.random.below(6)];
        match self.random.below(6) {
            0 => Expression::not(self.expression(Type::Boolean, depth)),
            1 => Expression::and(self.expression(Type::Boolean, depth), self.expression(Type::Boolean, depth)),
            2 => Expression::or(self.expression(Type::Boolean, depth), self.expression(Type::Boolean, depth)),
            3 => {
                let ty = self.ty();
                Expression::is_null(self.expression(ty, depth))
            }
            _ => {
                let left = self.ty();
                let right = match left {
                    Type::Integer(_) => Type::Integer(self.width()),
                    Type::Decimal { .. } => self.decimal_type(),
                    other => other,
                };
                let collation = if self.chance(2) { Collation::Binary } else { Collation::CaseAccentInsensitive };
                let pads = self.chance(2);
                let (left, right) = (self.expression(left, depth), self.expression(right, depth));
                Expression::compare_text(op, collation, pads, left, right)
            }
        }
    }

    fn integer(&mut self, ty: Type, depth: usize) -> Expression {
        let (left, right) = (Type::Integer(self.width()), Type::Integer(self.width()));
        match self.random.below(8) {
            0 => {
                let from = self.ty();
                let from = if matches!(from, Type::Text { .. } | Type::Float) { self.decimal_type() } else { from };
                let rounding = self.rounding();
                self.expression(from, depth).convert_rounding(ty, rounding)
            }
            1 => Expression::new(ty, ExpressionKind::Negate(Box::new(self.expression(left, depth)))),
            2 => Expression::new(ty, ExpressionKind::BitNot(Box::new(self.expression(ty, depth)))),
            3 => {
                let op = [BitwiseOp::And, BitwiseOp::Or, BitwiseOp::Xor][self.random.below(3)];
                let (left, right) = (Box::new(self.expression(left, depth)), Box::new(self.expression(right, depth)));
                Expression::new(ty, ExpressionKind::Bitwise { op, left, right })
            }
            _ => {
                let op = self.op();
                Expression::arithmetic(ty, op, self.expression(left, depth), self.expression(right, depth))
            }
        }
    }

    fn text(&mut self, ty: Type, depth: usize) -> Expression {
        let (pad, strict, null_as_empty) = (self.chance(3), self.chance(3), self.chance(2));
        let unit = TextUnit::Characters;
        match self.random.below(3) {
            0 => {
                let from = self.text_type();
                self.expression(from, depth).fit(ty, unit, pad, strict)
            }
            1 => {
                let from = Type::Integer(self.width());
                self.expression(from, depth).convert(ty)
            }
            _ => {
                let parts = (0..1 + self.random.below(3))
                    .map(|_| {
                        let ty = self.text_type();
                        self.expression(ty, depth)
                    })
                    .collect();
                Expression::new(ty, ExpressionKind::Concat { parts, null_as_empty, unit })
            }
        }
    }
}

/// What a fault is to the walker.
fn failure(raised: &Raised) -> Failure {
    match &raised.fault {
        Some(Fault::Overflow { .. }) => Failure::Overflow,
        Some(Fault::DivideByZero) => Failure::DivideByZero,
        Some(Fault::TooLong { .. }) => Failure::TooLong,
        _ => Failure::Raised(raised.to_string()),
    }
}

/// The same value, doubles by their bits but for the sign of zero.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a == b,
        _ => a == b && format!("{a:?}") == format!("{b:?}"),
    }
}

#[test]
fn the_machine_agrees_with_a_walk_over_the_tree() {
    let (mut values, mut nulls, mut failures) = (0, 0, 0);
    for seed in 0..6000 {
        let mut maker = Maker::new(seed);
        let ty = maker.ty();
        let expression = maker.expression(ty, 1 + seed as usize % 5);
        let mut routine = maker.routine;
        // Into a slot of its own type, which it may read itself: half done assignments would be seen.
        let target = SlotId(maker.random.below(routine.slots.len()) as u16);
        let own = (0..routine.slots.len() as u16).map(SlotId).find(|slot| routine.slots[usize::from(slot.0)].ty == ty);
        let expected = Walker::new(&routine).value(&expression);
        let (target, value) = (own.unwrap_or(target), expression.clone());
        if own.is_some() {
            routine.body.push(Statement::new(1, StatementKind::Assign { target, value }));
            let again = Expression::slot(&routine, target);
            routine.result = Some(ty);
            routine.default_result = Value::Null;
            routine.body.push(Statement::new(2, StatementKind::Return(Some(again))));
        } else {
            routine.result = Some(ty);
            routine.default_result = Value::Null;
            routine.body.push(Statement::new(1, StatementKind::Return(Some(value))));
        }
        let shown = routine.to_string();
        let given = common::run(&mut TestHost::default(), routine);
        match (&expected, &given) {
            (Ok(expected), Ok(given)) => {
                assert!(same(expected, given), "seed {seed}\n{shown}\n{expected:?}\n{given:?}")
            }
            (Err(expected), Err(given)) => assert_eq!(*expected, failure(given), "seed {seed}\n{shown}"),
            _ => panic!("seed {seed}\n{shown}\n{expected:?}\n{given:?}"),
        }
        match expected {
            Ok(Value::Null) => nulls += 1,
            Ok(_) => values += 1,
            Err(_) => failures += 1,
        }
    }
    // All three are worth something only if all three happen.
    assert!(values > 1500 && nulls > 500 && failures > 500, "{values} {nulls} {failures}");
}
