//! CREATE INDEX. A unique index takes one NULL, as SQL Server's does; its filter may exclude others.
//!
//! A filter is passed to the core unchanged: a conjunction of conditions of a column with constants. The core compares
//! by the column's collation, as everywhere. INCLUDE and options have no effect: an index proposes rows, and the rows
//! themselves have the columns.

use super::{not_supported, quoted, refusals};
use crate::tree::{BinaryOperator, Expr, IndexSpec, KeyKind, Literal, Name, Test, UnaryOperator};
use mainstay_tsql_types::Message;

/// The statement that makes an index of a table, which is the core's name, quoted.
///
/// Errors: 40515 for a columnstore index, and for a unique one whose filter is more than comparisons with constants, IN
/// and IS NULL.
pub fn create_index(index: &IndexSpec, table: &str) -> Result<String, Message> {
    if index.columnstore {
        return Err(not_supported(refusals::COLUMNSTORE));
    }
    let is_unique = index.key != KeyKind::None;
    let (unique, nulls) = if is_unique { ("UNIQUE ", " NULLS NOT DISTINCT") } else { ("", "") };
    let name = index.name.as_ref().map_or_else(String::new, |name| quoted(&name.text));
    let mut text = format!("CREATE {unique}INDEX {name} ON {table} ({}){nulls}", key_columns(index));
    match index.filter.as_ref().map(filter) {
        Some(Some(filter)) => text.push_str(&format!(" WHERE {filter}")),
        Some(None) if is_unique => return Err(not_supported("A unique index with this filter")),
        _ => {}
    }
    Ok(text)
}

/// The columns of a key or an index with their directions.
pub(super) fn key_columns(index: &IndexSpec) -> String {
    let column = |(name, descending): &(Name, Option<bool>)| {
        format!("{}{}", quoted(&name.text), if *descending == Some(true) { " DESC" } else { "" })
    };
    index.columns.iter().map(column).collect::<Vec<_>>().join(", ")
}

/// The filter for the core, if it is one that it knows.
fn filter(condition: &Expr) -> Option<String> {
    let column = |expr: &Expr| match expr {
        Expr::Column(name) => Some(quoted(&name.parts.last()?.text)),
        _ => None,
    };
    match condition {
        Expr::And(parts) => Some(parts.iter().map(filter).collect::<Option<Vec<_>>>()?.join(" AND ")),
        Expr::Test(value, not, Test::Null) => {
            Some(format!("{} IS {}NULL", column(value)?, if *not { "NOT " } else { "" }))
        }
        Expr::Test(value, false, Test::InList(values)) => {
            let values = values.iter().map(constant).collect::<Option<Vec<_>>>()?;
            Some(format!("{} IN ({})", column(value)?, values.join(", ")))
        }
        Expr::Binary(left, operator, right) if is_comparison(*operator) => {
            Some(format!("{} {} {}", column(left)?, operator.text(), constant(right)?))
        }
        _ => None,
    }
}

fn is_comparison(operator: BinaryOperator) -> bool {
    use BinaryOperator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    matches!(operator, Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual)
}

fn constant(value: &Expr) -> Option<String> {
    Some(match value {
        Expr::Literal(Literal::Integer(digits) | Literal::Decimal(digits) | Literal::Float(digits)) => digits.clone(),
        Expr::Literal(Literal::String(text) | Literal::NationalString(text)) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        Expr::Unary(UnaryOperator::Minus, inner) => format!("-{}", constant(inner)?),
        Expr::Unary(UnaryOperator::Plus, inner) => constant(inner)?,
        _ => return None,
    })
}
