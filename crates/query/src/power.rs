//! `a ^ b`: a to the power of b, a DOUBLE. It binds tighter than `*`, and from the left, as in PostgreSQL.
//!
//! The parser takes the sign for an exclusive or that binds looser than `+`. So what it made of the operators beside one is
//! taken apart and put together again:
//!
//! ```text
//!   2 * a ^ 2 + 1      (2 * a) ^ (2 + 1)            as the parser has it
//!                      2  *  a  ^  2  +  1
//!                      (2 * power(a, 2)) + 1
//! ```
//!
//! What stands in parentheses is one operand, and so is what has a sign: `-2 ^ 2` is 4.

use crate::tree::call;
use crate::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CastKind, DataType, ExactNumberInfo, Expr, Ident, Value, VisitMut, VisitorMut,
};
use std::ops::ControlFlow;

/// The statement with calls of `power` in the place of `^`.
pub(crate) fn as_calls<T: VisitMut>(mut of: T) -> T {
    // The visitor does not break.
    let _ = of.walk_mut(&mut Powers);
    of
}

struct Powers;

impl VisitorMut for Powers {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if matches!(expr, Expr::BinaryOp { op: BinaryOperator::BitwiseXor, .. }) {
            let mut chain = Chain::default();
            chain.add(std::mem::replace(expr, Expr::Value(Value::Null.into())));
            *expr = chain.with_powers().joined();
        }
        ControlFlow::Continue(())
    }
}

/// How tight an operator binds that the parser may have put below a `^`; `None` for others.
fn tightness(op: &BinaryOperator) -> Option<u8> {
    use BinaryOperator::*;
    Some(match op {
        BitwiseXor => 5,
        Multiply | Divide | Modulo | StringConcat | DuckIntegerDivide | MyIntegerDivide => 4,
        Plus | Minus => 3,
        Xor => 2,
        BitwiseAnd => 1,
        PGBitwiseShiftLeft | PGBitwiseShiftRight => 0,
        _ => return None,
    })
}

/// Operands, with an operator between each two.
#[derive(Default)]
struct Chain {
    operands: Vec<Expr>,
    operators: Vec<BinaryOperator>,
}

impl Chain {
    fn add(&mut self, expr: Expr) {
        match expr {
            Expr::BinaryOp { left, op, right } if tightness(&op).is_some() => {
                self.add(*left);
                self.operators.push(op);
                self.add(*right);
            }
            operand => self.operands.push(operand),
        }
    }

    fn with_powers(self) -> Chain {
        let mut chain = Chain::default();
        let mut operands = self.operands.into_iter();
        chain.operands.extend(operands.next());
        for (op, right) in self.operators.into_iter().zip(operands) {
            match (op, chain.operands.pop()) {
                (BinaryOperator::BitwiseXor, Some(left)) => chain.operands.push(power(left, right)),
                (op, left) => {
                    chain.operands.extend(left.into_iter().chain([right]));
                    chain.operators.push(op);
                }
            }
        }
        chain
    }

    /// The chain as one expression: its loosest operator is done last, and of several such the one at the right.
    fn joined(mut self) -> Expr {
        let Some(loosest) = (0..self.operators.len()).rev().min_by_key(|at| tightness(&self.operators[*at])) else {
            return self.operands.pop().unwrap_or_else(|| Expr::Value(Value::Null.into()));
        };
        let operands = self.operands.split_off(loosest + 1);
        let operators = self.operators.split_off(loosest + 1);
        match self.operators.pop() {
            Some(op) => {
                let right = Chain { operands, operators };
                Expr::BinaryOp { left: Box::new(self.joined()), op, right: Box::new(right.joined()) }
            }
            None => self.joined(),
        }
    }
}

fn power(base: Expr, exponent: Expr) -> Expr {
    let as_double = |expr: Expr| {
        let (kind, data_type) = (CastKind::Cast, DataType::Double(ExactNumberInfo::None));
        Expr::Cast { kind, expr: Box::new(expr), data_type, array: false, format: None }
    };
    call(Ident::new("power"), vec![as_double(base), as_double(exponent)])
}

#[cfg(test)]
mod tests {
    use crate::text::Text;

    #[test]
    fn powers_bind_tightest_and_from_the_left() {
        let shown = |source: &str| {
            let statement = Text::new(&format!("SELECT {source}")).unwrap().parse().unwrap().to_string();
            statement.replace("CAST(", "").replace(" AS DOUBLE)", "").replace("SELECT ", "")
        };
        assert_eq!(shown("2 ^ 3 ^ 2"), "power(power(2, 3), 2)");
        assert_eq!(shown("2 * a ^ 2 + 1"), "2 * power(a, 2) + 1");
        assert_eq!(shown("a + b ^ c * d - e"), "a + power(b, c) * d - e");
        assert_eq!(shown("-2 ^ 2 > (1 + a ^ 2) ^ -1"), "power(-2, 2) > power((1 + power(a, 2)), -1)");
        assert_eq!(shown("a # b + 1"), "a XOR b + 1");
    }
}
