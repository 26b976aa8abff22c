//! Keys of SQL_VARIANT values: their bytes, which contain their types, compare by a part of them.

use super::typed::{By, Typed, call};
use datafusion::common::Result;
use datafusion::logical_expr::Expr;
use mainstay_tsql_types::DataType;

/// The comparison key of a SQL_VARIANT.
pub(super) fn key(expr: Expr) -> Result<Expr> {
    let variant = Typed { expr, data_type: Some(DataType::SqlVariant), by: By::DEFAULT };
    Ok(call("variant_key", vec![variant])?.expr)
}
