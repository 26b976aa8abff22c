//! The parts of expressions, for changes in place.

use super::{Argument, Case, Expr, Over, Test};

impl Expr {
    /// Looks at the expressions that this one is made of, but not into queries.
    pub fn parts_mut(&mut self, look: &mut dyn FnMut(&mut Expr)) {
        match self {
            Expr::Call(call) => {
                for argument in &mut call.arguments {
                    match argument {
                        Argument::Value(value) | Argument::Trim(_, None, value) => look(value),
                        Argument::KeyValue(one, other) | Argument::Trim(_, Some(one), other) => {
                            look(one);
                            look(other);
                        }
                    }
                }
                call.within_group.iter_mut().for_each(|item| look(&mut item.value));
                if let Some(Over::Window(window)) = &mut call.over {
                    window.partition.iter_mut().for_each(&mut *look);
                    window.order.iter_mut().for_each(|item| look(&mut item.value));
                }
            }
            Expr::Unary(_, operand) | Expr::Collate(operand, _) | Expr::Quantified(operand, ..) => look(operand),
            Expr::Binary(left, _, right) | Expr::AtTimeZone(left, right) => {
                look(left);
                look(right);
            }
            Expr::And(parts) | Expr::Or(parts) => parts.iter_mut().for_each(look),
            Expr::Cast(cast) => {
                look(&mut cast.value);
                cast.style.iter_mut().for_each(look);
            }
            Expr::Case(case) => {
                let Case { operand, branches, otherwise } = case.as_mut();
                operand.iter_mut().chain(otherwise).for_each(&mut *look);
                for (when, then) in branches {
                    look(when);
                    look(then);
                }
            }
            Expr::Test(tested, _, test) => {
                look(tested);
                match test {
                    Test::Between(one, other) | Test::Like(one, Some(other)) => {
                        look(one);
                        look(other);
                    }
                    Test::DistinctFrom(other) | Test::Like(other, None) => look(other),
                    Test::InList(items) => items.iter_mut().for_each(look),
                    Test::Null | Test::InQuery(_) => {}
                }
            }
            Expr::Method(target, _, arguments) => {
                look(target);
                arguments.iter_mut().flatten().for_each(look);
            }
            Expr::TypeMethod(_, _, arguments) => arguments.iter_mut().flatten().for_each(look),
            Expr::Literal(_)
            | Expr::Column(_)
            | Expr::Variable(_)
            | Expr::Star(_)
            | Expr::Default
            | Expr::Niladic(_)
            | Expr::Exists(_)
            | Expr::Subquery(_)
            | Expr::NextValue(..)
            | Expr::FullText(_)
            | Expr::OdbcLiteral(..)
            | Expr::CurrentOf(_) => {}
        }
    }
}
