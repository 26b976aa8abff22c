//! Operators whose precedence differs between PostgreSQL and the parser.
//!
//! `a ^ b` is a to the power of b, a DOUBLE. It binds tighter than `*`, and from the left; the parser takes the sign
//! for an exclusive or that binds looser than `+`. `a || b` binds looser than `+`, and the parser gives it the
//! precedence of `*`. So the parser's tree around one of the two is taken apart and built again:
//!
//! ```text
//!   2 * a ^ 2 + 1      (2 * a) ^ (2 + 1)            as the parser has it
//!                      2  *  a  ^  2  +  1
//!                      (2 * power(a, 2)) + 1
//!
//!   'no. ' || n + 1    ('no. ' || n) + 1            as the parser has it
//!                      'no. ' || (n + 1)
//! ```
//!
//! And `~a`, the bitwise complement, is `-1 - a`, since the planner does not support it.
//!
//! An expression in parentheses is one operand, and so is a signed one: `-2 ^ 2` is 4.

use crate::parse::tree::call;
use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CastKind, DataType, ExactNumberInfo, Expr, Ident, UnaryOperator, Value, VisitMut, VisitorMut,
};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use std::ops::ControlFlow;

/// Returns true if these tokens may make such operators.
pub(crate) fn are_in(tokens: &[TokenWithSpan]) -> bool {
    tokens.iter().any(|token| matches!(token.token, Token::Caret | Token::StringConcat | Token::Tilde))
}

/// The statement with its operators bound as they are to be, and what `^` and `~` are short for.
pub(crate) fn bound<T: VisitMut>(mut of: T) -> T {
    // The visitor does not break.
    let _ = of.walk_mut(&mut Chains);
    of
}

struct Chains;

impl VisitorMut for Chains {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::UnaryOp { op: UnaryOperator::BitwiseNot, expr: of } = expr {
            let of = std::mem::replace(of.as_mut(), Expr::Value(Value::Null.into()));
            *expr = other_bits(of);
        }
        if is_bound_otherwise(expr) {
            let mut chain = Chain::default();
            chain.add(std::mem::replace(expr, Expr::Value(Value::Null.into())));
            *expr = chain.with_powers().joined();
        }
        ControlFlow::Continue(())
    }
}

/// Returns true if the operators of a chain are to be put together in another way: there is a `^` among them, or a `||`
/// beside others.
fn is_bound_otherwise(expr: &Expr) -> bool {
    let (mut joins, mut others, mut left) = (false, false, vec![expr]);
    while let Some(expr) = left.pop() {
        match expr {
            Expr::BinaryOp { op: BinaryOperator::BitwiseXor, .. } => return true,
            Expr::BinaryOp { left: before, op, right: after } if tightness(op).is_some() => {
                let is_join = *op == BinaryOperator::StringConcat;
                (joins, others) = (joins | is_join, others | !is_join);
                left.extend([before.as_ref(), after.as_ref()]);
            }
            _ => {}
        }
    }
    joins && others
}

/// How tight an operator binds that the parser may have put beside a `^` or `||`; `None` for others.
fn tightness(op: &BinaryOperator) -> Option<u8> {
    use BinaryOperator::*;
    Some(match op {
        BitwiseXor => 6,
        Multiply | Divide | Modulo | DuckIntegerDivide | MyIntegerDivide => 5,
        Plus | Minus => 4,
        Xor => 3,
        BitwiseAnd => 2,
        PGBitwiseShiftLeft | PGBitwiseShiftRight => 1,
        StringConcat => 0,
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

fn other_bits(of: Expr) -> Expr {
    let all = Expr::Value(Value::Number("1".to_owned(), false).into());
    let all = Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(all) };
    let of = Expr::Nested(Box::new(of));
    Expr::Nested(Box::new(Expr::BinaryOp { left: Box::new(all), op: BinaryOperator::Minus, right: Box::new(of) }))
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
    use crate::parse::text::Text;
    use datafusion::sql::sqlparser::ast::{Expr, SelectItem, SetExpr, Statement};

    fn shown(source: &str) -> String {
        let statement = Text::new(&format!("SELECT {source}")).unwrap().parse().unwrap().to_string();
        statement.replace("CAST(", "").replace(" AS DOUBLE)", "").replace("SELECT ", "")
    }

    /// The loosest operator of an expression with its sides.
    fn split(source: &str) -> (String, String, String) {
        let statement = Text::new(&format!("SELECT {source}")).unwrap().parse().unwrap();
        let Statement::Query(query) = statement else { panic!("no query") };
        let SetExpr::Select(select) = *query.body else { panic!("no SELECT") };
        match select.projection.into_iter().next() {
            Some(SelectItem::UnnamedExpr(Expr::BinaryOp { left, op, right })) => {
                (left.to_string(), op.to_string(), right.to_string())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_other_bits_are_a_difference() {
        assert_eq!(shown("~5 + ~a"), "(-1 - (5)) + (-1 - (a))");
    }

    #[test]
    fn texts_are_joined_last_and_from_the_left() {
        let parts = |left: &str, op: &str, right: &str| (left.to_owned(), op.to_owned(), right.to_owned());
        assert_eq!(split("'no. ' || n + 1"), parts("'no. '", "||", "n + 1"));
        assert_eq!(split("n - 1 || 'x' || 2 * n + 1"), parts("n - 1 || 'x'", "||", "2 * n + 1"));
        assert_eq!(split("a || b || c"), parts("a || b", "||", "c"));
        assert_eq!(split("(a || b) + c"), parts("(a || b)", "+", "c"));
        assert_eq!(split("a || b + 1 = c || 'x'"), parts("a || b + 1", "=", "c || 'x'"));
        assert_eq!(split("a + 1 || b LIKE 'x' OR c"), parts("a + 1 || b LIKE 'x'", "OR", "c"));
        assert_eq!(split("'2' || a ^ 2 * 3").1, "||");
    }

    #[test]
    fn powers_bind_tightest_and_from_the_left() {
        assert_eq!(shown("2 ^ 3 ^ 2"), "power(power(2, 3), 2)");
        assert_eq!(shown("2 * a ^ 2 + 1"), "2 * power(a, 2) + 1");
        assert_eq!(shown("a + b ^ c * d - e"), "a + power(b, c) * d - e");
        assert_eq!(shown("-2 ^ 2 > (1 + a ^ 2) ^ -1"), "power(-2, 2) > power((1 + power(a, 2)), -1)");
        assert_eq!(shown("a # b + 1"), "a XOR b + 1");
    }
}
