//! LAG and LEAD with a default that is not a literal, which the planner does not support, or a literal with decimals,
//! which it converts to the type of the values: the type of `lag(n, 1, 2.5)` has room for both (PostgreSQL's manual,
//! 9.22).
//!
//! ```text
//!   lag(x, n, d) OVER w    CASE WHEN lag(TRUE, n) OVER w IS NULL THEN d ELSE lag(x, n) OVER w END
//! ```
//!
//! The default is for rows without such a neighbour only, and not for a neighbour whose value is NULL. With IGNORE
//! NULLS no such neighbour exists, so the value itself decides whether there is one.

use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    CaseWhen, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, NullTreatment, UnaryOperator, Value,
    VisitMut, VisitorMut,
};
use std::ops::ControlFlow;

/// The statement with CASE in the place of such calls.
pub(crate) fn with_defaults<T: VisitMut>(mut of: T) -> T {
    // The visitor does not break.
    let _ = of.walk_mut(&mut Calls);
    of
}

struct Calls;

impl VisitorMut for Calls {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Function(call) = expr
            && let Some(chosen) = chosen(call)
        {
            *expr = Expr::Nested(Box::new(chosen));
        }
        ControlFlow::Continue(())
    }
}

fn chosen(call: &Function) -> Option<Expr> {
    let is_neighbour = matches!(call.name.to_string().as_str(), "lag" | "lead");
    if !is_neighbour || call.over.is_none() {
        return None;
    }
    let FunctionArguments::List(list) = &call.args else { return None };
    let [_, _, FunctionArg::Unnamed(FunctionArgExpr::Expr(default))] = list.args.as_slice() else { return None };
    if is_literal(default) || !list.clauses.is_empty() {
        return None;
    }
    let with = |change: fn(&mut Vec<FunctionArg>)| {
        let mut list = list.clone();
        list.args.truncate(2);
        change(&mut list.args);
        Expr::Function(Function { args: FunctionArguments::List(list), ..call.clone() })
    };
    let is_there = match call.null_treatment {
        Some(NullTreatment::IgnoreNulls) => with(|_| {}),
        _ => with(|args| {
            let truth = Expr::Value(Value::Boolean(true).into());
            args.splice(..1, [FunctionArg::Unnamed(FunctionArgExpr::Expr(truth))]);
        }),
    };
    let condition = Expr::IsNull(Box::new(is_there));
    Some(Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions: vec![CaseWhen { condition, result: default.clone() }],
        else_result: Some(Box::new(with(|_| {}))),
    })
}

fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.bytes().all(|digit| digit.is_ascii_digit()),
            _ => true,
        },
        Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr } => is_literal(expr),
        _ => false,
    }
}
