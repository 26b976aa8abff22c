//! Names of nested calls.
//!
//! The planner names every part of an expression, and computes these names again at every level above: for a sum of a
//! hundred columns, each `+` of which is a call, it writes the beginning of the sum some ten thousand times. So a
//! deeply nested call is named by a number that is derived from its arguments.
//!
//! Calls that are built from the leaves up get that number when they are created ([`number`]), from the numbers of
//! their arguments: then each level costs the same, whatever the depth.

use datafusion::common::Result;
use datafusion::logical_expr::{BinaryExpr, Expr, ScalarUDF};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Calls within calls, and operators, that are written out.
const DEEPEST: usize = 4;

/// The name of a function's call, for the columns of plans.
pub(crate) fn of_call(function: &str, arguments: &[Expr]) -> Result<String> {
    match number(function, arguments, |_| None) {
        Some(number) => of_number(function, number),
        None => {
            let names: Vec<String> = arguments.iter().map(|argument| argument.schema_name().to_string()).collect();
            Ok(format!("{function}({})", names.join(",")))
        }
    }
}

/// The name of a call that has got a number.
pub(crate) fn of_number(function: &str, number: u64) -> Result<String> {
    Ok(format!("{function}(#{number:016x})"))
}

/// The number of a call, if it is so deep that it is named by one; `known` is that of a function which has one.
pub(crate) fn number(function: &str, arguments: &[Expr], known: impl Fn(&ScalarUDF) -> Option<u64>) -> Option<u64> {
    arguments.iter().any(|argument| is_deeper(argument, DEEPEST)).then(|| {
        let mut hasher = DefaultHasher::new();
        function.hash(&mut hasher);
        arguments.iter().for_each(|argument| hash(argument, &known, &mut hasher));
        hasher.finish()
    })
}

fn is_deeper(expr: &Expr, levels: usize) -> bool {
    match expr {
        Expr::ScalarFunction(call) => levels == 0 || call.args.iter().any(|argument| is_deeper(argument, levels - 1)),
        Expr::BinaryExpr(BinaryExpr { left, right, .. }) => {
            levels == 0 || is_deeper(left, levels - 1) || is_deeper(right, levels - 1)
        }
        Expr::Cast(cast) => is_deeper(&cast.expr, levels),
        Expr::Alias(alias) => is_deeper(&alias.expr, levels),
        _ => false,
    }
}

fn hash(expr: &Expr, known: &impl Fn(&ScalarUDF) -> Option<u64>, hasher: &mut DefaultHasher) {
    match expr {
        Expr::ScalarFunction(call) if let Some(number) = known(&call.func) => number.hash(hasher),
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            op.hash(hasher);
            hash(left, known, hasher);
            hash(right, known, hasher);
        }
        Expr::Cast(cast) => {
            cast.field.hash(hasher);
            hash(&cast.expr, known, hasher);
        }
        other => other.hash(hasher),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::functions::math::expr_fn::abs;
    use datafusion::logical_expr::col;

    fn nested(levels: usize, column: &str) -> Vec<Expr> {
        vec![(0..levels).fold(col(column), |expr, _| abs(expr))]
    }

    #[test]
    fn deep_calls_have_short_names_that_differ() {
        assert_eq!(of_call("f", &nested(1, "a")).unwrap(), "f(abs(a))");
        let (a, b) = (of_call("f", &nested(50, "a")).unwrap(), of_call("f", &nested(50, "b")).unwrap());
        assert!(a != b && a.len() < 30, "{a} {b}");
        assert_eq!(a, of_call("f", &nested(50, "a")).unwrap());
        assert_ne!(a, of_call("f", &nested(51, "a")).unwrap());
        assert_ne!(a, of_call("g", &nested(50, "a")).unwrap());
    }
}
