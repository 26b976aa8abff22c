//! Random expressions of every type, well formed.

use crate::common::Random;
use mainstay_types::{Collation, Decimal, Value};
use mainstay_vm::*;

/// Makes expressions over the slots of a routine.
pub struct Maker {
    pub random: Random,
    pub routine: Routine,
}

const WIDTHS: [Width; 5] = Width::ALL;

impl Maker {
    pub fn new(seed: u64) -> Maker {
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

    pub fn ty(&mut self) -> Type {
        match self.random.below(6) {
            0 => Type::Boolean,
            1 | 2 => Type::Integer(self.width()),
            3 => self.decimal_type(),
            4 => Type::Float,
            _ => self.text_type(),
        }
    }

    pub fn constant(&mut self, ty: Type) -> Value {
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
    pub fn expression(&mut self, ty: Type, depth: usize) -> Expression {
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
