//! Expressions without a type: their only value is NULL.

use crate::tree::{Case, Expr, Literal};
use mainstay_tsql_types::Message;

fn is_null(value: &Expr) -> bool {
    matches!(value, Expr::Literal(Literal::Null))
}

/// Errors: 8133 for a CASE (or IIF) of NULLs alone.
pub(crate) fn check_case(case: &Case) -> Result<(), Message> {
    let mut results = case.branches.iter().map(|(_, then)| then).chain(&case.otherwise);
    if results.all(is_null) { Err(Message::numbered(8133, &[])) } else { Ok(()) }
}

/// Errors: 4127 for a COALESCE of NULLs alone.
pub(crate) fn check_coalesce(arguments: &[&Expr]) -> Result<(), Message> {
    let is_wrong = !arguments.is_empty() && arguments.iter().all(|argument| is_null(argument));
    if is_wrong { Err(Message::numbered(4127, &[])) } else { Ok(()) }
}

/// Errors: 4151 for a NULLIF of NULL.
pub(crate) fn check_nullif(first: &Expr) -> Result<(), Message> {
    if is_null(first) { Err(Message::numbered(4151, &[])) } else { Ok(()) }
}
