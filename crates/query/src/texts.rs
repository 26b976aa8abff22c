//! Literals of text beside values of other types, where the planner does not read them, or not as columns do.
//!
//! ```text
//!   active = 'true'                              as a BOOLEAN
//!   at = '2024-01-01 12:00:00+02:00'             of a TIMESTAMP: what the clock shows; the offset says nothing, as in PostgreSQL
//! ```

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::{Expr, ExprSchemable};
use mainstay_base::{SqlType, Timestamp, Value, ValueRef, convert};

/// The sides of a comparison, a literal of text read as a value of the other side's type.
///
/// Errors: `InvalidValue` for a text that says none.
pub(crate) fn read(left: Expr, right: Expr, schema: &DFSchema) -> Result<(Expr, Expr)> {
    Ok(match (text_of(&left), text_of(&right)) {
        (None, Some(text)) => match of_type_of(&left, text, schema)? {
            Some(read) => (left, read),
            None => (left, right),
        },
        (Some(text), None) => match of_type_of(&right, text, schema)? {
            Some(read) => (read, right),
            None => (left, right),
        },
        _ => (left, right),
    })
}

fn text_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Literal(value, _) => value.try_as_str().flatten(),
        _ => None,
    }
}

/// Whether a text is a moment with an offset: what it says depends on the type that it is compared with.
pub(crate) fn has_offset(text: &str) -> bool {
    matches!(Timestamp::parse_with_offset(text), Ok((_, Some(_))))
}

/// The text as a value of the type of an expression; `None` for what the planner reads.
fn of_type_of(expr: &Expr, text: &str, schema: &DFSchema) -> Result<Option<Expr>> {
    let value = match expr.get_type(schema)? {
        DataType::Boolean => {
            let value = convert(ValueRef::Text(text), SqlType::Boolean).map_err(crate::error::to_datafusion)?;
            ScalarValue::Boolean(Some(value == Value::Boolean(true)))
        }
        DataType::Timestamp(TimeUnit::Microsecond, None) if has_offset(text) => {
            match crate::cast::moment_of(text, SqlType::Timestamp { digits: 6 }).map_err(crate::error::to_datafusion)? {
                Value::Timestamp(moment) => ScalarValue::TimestampMicrosecond(Some(moment.us()), None),
                _ => return Ok(None),
            }
        }
        _ => return Ok(None),
    };
    Ok(Some(Expr::Literal(value, None)))
}
