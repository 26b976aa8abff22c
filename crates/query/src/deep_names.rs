//! Names of calls within calls.
//!
//! The planner names every part of an expression, and asks for these names again at every level above: of a sum of a hundred
//! columns, each `+` of which is a call, it writes the beginning of the sum some ten thousand times. So a call that has calls
//! deep within it is named by a number that is made of its arguments.

use datafusion::common::Result;
use datafusion::logical_expr::Expr;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Calls within calls that are written out.
const DEEPEST: usize = 4;

/// The name of a function's call, for the columns of plans.
pub(crate) fn of_call(function: &str, arguments: &[Expr]) -> Result<String> {
    if arguments.iter().any(|argument| is_deeper(argument, DEEPEST)) {
        let mut hasher = DefaultHasher::new();
        arguments.hash(&mut hasher);
        return Ok(format!("{function}(#{:016x})", hasher.finish()));
    }
    let names: Vec<String> = arguments.iter().map(|argument| argument.schema_name().to_string()).collect();
    Ok(format!("{function}({})", names.join(",")))
}

fn is_deeper(expr: &Expr, levels: usize) -> bool {
    match expr {
        Expr::ScalarFunction(call) => levels == 0 || call.args.iter().any(|argument| is_deeper(argument, levels - 1)),
        Expr::Cast(cast) => is_deeper(&cast.expr, levels),
        Expr::Alias(alias) => is_deeper(&alias.expr, levels),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::logical_expr::col;
    use datafusion::prelude::abs;

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
    }
}
