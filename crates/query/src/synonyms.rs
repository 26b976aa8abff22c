//! Functions that are short for something else.
//!
//! ```text
//!   mod(a, b)                          a % b, whatever the types of the two
//!   coalesce(a, b), ifnull, nvl        CASE WHEN a IS NOT NULL THEN a ELSE b END
//! ```
//!
//! The planner knows the second by itself; where there is no plan - in CHECK, DEFAULT, RETURNING - nothing else does.

use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, VisitMut, VisitorMut,
};
use std::ops::ControlFlow;

/// The statement, or the expression, with operators in the place of such calls.
pub(crate) fn written_out<T: VisitMut>(mut of: T) -> T {
    // The visitor does not break.
    let _ = of.visit(&mut Calls);
    of
}

struct Calls;

impl VisitorMut for Calls {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Function(Function { name, args: FunctionArguments::List(list), over: None, .. }) = expr
            && name.to_string() == "mod"
            && let [
                FunctionArg::Unnamed(FunctionArgExpr::Expr(left)),
                FunctionArg::Unnamed(FunctionArgExpr::Expr(right)),
            ] = list.args.as_slice()
        {
            let side = |side: &Expr| Box::new(Expr::Nested(Box::new(side.clone())));
            let remainder = Expr::BinaryOp { left: side(left), op: BinaryOperator::Modulo, right: side(right) };
            *expr = Expr::Nested(Box::new(remainder));
        } else if let Some(chosen) = first_value(expr) {
            *expr = Expr::Nested(Box::new(chosen));
        }
        ControlFlow::Continue(())
    }
}

/// The first argument that is not NULL.
fn first_value(expr: &Expr) -> Option<Expr> {
    let Expr::Function(Function { name, args: FunctionArguments::List(list), over: None, .. }) = expr else {
        return None;
    };
    if !["coalesce", "ifnull", "nvl"].contains(&name.to_string().to_lowercase().as_str()) {
        return None;
    }
    let argument = |arg: &FunctionArg| match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
        _ => None,
    };
    let mut arguments: Vec<Expr> = list.args.iter().map(argument).collect::<Option<_>>()?;
    let last = arguments.pop()?;
    let when = |expr: Expr| CaseWhen {
        condition: Expr::IsNotNull(Box::new(Expr::Nested(Box::new(expr.clone())))),
        result: expr,
    };
    Some(match arguments.is_empty() {
        true => last,
        false => Expr::Case {
            case_token: AttachedToken::empty(),
            end_token: AttachedToken::empty(),
            operand: None,
            conditions: arguments.into_iter().map(when).collect(),
            else_result: Some(Box::new(last)),
        },
    })
}
