//! Functions that are operators: `mod(a, b)` is `a % b`, whatever the types of the two.

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, VisitMut, VisitorMut,
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
        }
        ControlFlow::Continue(())
    }
}
