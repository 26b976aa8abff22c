//! Conditions: branches on three-valued logic, without intermediate Booleans.
//!
//! `branch(e, sense, unknown, target)` goes to the target when `e` is `sense`, or when it is NULL and `unknown` is set.
//! AND and OR become branches of their sides. With `d` the value that decides them (false for AND, true for OR):
//!
//! ```text
//!   sense = d     branch(left, d, unknown, target)    branch(right, d, unknown, target)
//!   sense != d    branch(left, d, !unknown, skip)     branch(right, sense, unknown, target)    skip:
//! ```

use super::code::*;
use super::emit::{Emitter, Target};
use crate::{CompareOp, Expression, ExpressionKind, File, Type};
use mainstay_types::Value;

/// The outcomes for which a comparison is true.
pub(super) fn outcomes(op: CompareOp) -> u8 {
    match op {
        CompareOp::Equal => EQUAL,
        CompareOp::NotEqual => LESS | GREATER,
        CompareOp::Less => LESS,
        CompareOp::LessOrEqual => LESS | EQUAL,
        CompareOp::Greater => GREATER,
        CompareOp::GreaterOrEqual => GREATER | EQUAL,
    }
}

/// Returns true if cells of a type compare as whole numbers.
pub(super) fn compares_as_integer(ty: Type) -> bool {
    matches!(ty, Type::Boolean | Type::Integer(_) | Type::Date | Type::Time | Type::Timestamp | Type::Handle)
}

/// A constant that an instruction holds itself.
pub(super) fn small_constant(expression: &Expression) -> Option<i32> {
    match (&expression.kind, expression.ty) {
        (ExpressionKind::Constant(Value::Integer(number)), Type::Integer(_)) => i32::try_from(*number).ok(),
        _ => None,
    }
}

impl Emitter<'_> {
    /// Goes to the target when the condition is `sense`, or NULL and `unknown` is set.
    pub(super) fn branch(&mut self, condition: &Expression, sense: bool, unknown: bool, target: Target) {
        match &condition.kind {
            ExpressionKind::Constant(value) => {
                let jumps = match value {
                    Value::Boolean(value) => *value == sense,
                    _ => unknown,
                };
                if jumps {
                    self.jump(target);
                }
            }
            ExpressionKind::Not(value) => self.branch(value, !sense, unknown, target),
            ExpressionKind::And(left, right) => self.branch_pair(false, [left, right], sense, unknown, target),
            ExpressionKind::Or(left, right) => self.branch_pair(true, [left, right], sense, unknown, target),
            ExpressionKind::IsNull(value) => self.branch_null(value, sense, target),
            ExpressionKind::Compare { op, left, right, .. } => {
                let wanted = if sense { outcomes(*op) } else { !outcomes(*op) & (LESS | EQUAL | GREATER) };
                let mask = wanted | if unknown { UNKNOWN } else { 0 };
                self.branch_compare(condition, (left, right), mask, target);
            }
            _ => {
                let taken = self.taken();
                let a = self.operand(condition).place;
                self.release(taken);
                let mask = (if sense { TRUE } else { FALSE }) | if unknown { UNKNOWN } else { 0 };
                self.branch_to(Instruction::JumpMask { mask, a, target: 0 }, target);
            }
        }
    }

    fn branch_pair(&mut self, decides: bool, sides: [&Expression; 2], sense: bool, unknown: bool, target: Target) {
        let [left, right] = sides;
        if sense == decides {
            self.branch(left, decides, unknown, target);
            self.branch(right, decides, unknown, target);
        } else {
            let skip = self.new_target();
            self.branch(left, decides, !unknown, skip);
            self.branch(right, sense, unknown, target);
            self.bind(skip);
        }
    }

    fn branch_null(&mut self, value: &Expression, sense: bool, target: Target) {
        let taken = self.taken();
        let a = self.operand(value);
        let instruction = if a.ty.file() == File::Cells {
            let a = a.place;
            if sense { Instruction::JumpNull { a, target: 0 } } else { Instruction::JumpNotNull { a, target: 0 } }
        } else {
            let to = self.temporary(Type::Boolean);
            self.is_null(to, a);
            Instruction::JumpMask { mask: if sense { TRUE } else { FALSE }, a: to, target: 0 }
        };
        self.release(taken);
        self.branch_to(instruction, target);
    }

    fn branch_compare(
        &mut self,
        comparison: &Expression,
        (left, right): (&Expression, &Expression),
        mask: u8,
        target: Target,
    ) {
        let taken = self.taken();
        let instruction = if !compares_as_integer(left.ty) {
            let a = self.temporary(Type::Boolean);
            self.order(comparison, a);
            Instruction::JumpMask { mask, a, target: 0 }
        } else if let Some(value) = small_constant(right) {
            let a = self.operand(left).place;
            Instruction::JumpCompareConstant { mask, a, value, target: 0 }
        } else if let Some(value) = small_constant(left) {
            let a = self.operand(right).place;
            Instruction::JumpCompareConstant { mask: exchanged(mask), a, value, target: 0 }
        } else {
            let (a, b) = (self.operand(left).place, self.operand(right).place);
            Instruction::JumpCompare { mask, a, b, target: 0 }
        };
        self.release(taken);
        self.branch_to(instruction, target);
    }
}

/// The outcomes as they are with the sides exchanged.
fn exchanged(mask: u8) -> u8 {
    let swap = |from: u8, to: u8| if mask & from != 0 { to } else { 0 };
    (mask & (EQUAL | UNKNOWN)) | swap(LESS, GREATER) | swap(GREATER, LESS)
}
