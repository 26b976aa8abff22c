//! SQL_VARIANT in plans: columns and expressions of bytes that compare by a part of them.

use super::lower::function_of;
use super::types::{DECLARED, declared_type};
use datafusion::arrow::datatypes::Field;
use datafusion::common::{DFSchema, ExprSchema};
use datafusion::logical_expr::{Expr, ExprSchemable};
use mainstay_tsql_types::DataType;

/// Returns true if a column holds values with types of their own.
pub(crate) fn holds_variants(field: &Field) -> bool {
    let is_bytes = field.data_type().is_binary();
    is_bytes && field.metadata().contains_key(DECLARED) && declared_type(field) == Some(DataType::SqlVariant)
}

/// Returns true if an expression gives such values.
pub(crate) fn is_variant(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::Column(column) => schema.field_from_column(column).is_ok_and(|field| holds_variants(field)),
        Expr::OuterReferenceColumn(field, _) => holds_variants(field),
        Expr::Alias(alias) => is_variant(&alias.expr, schema),
        Expr::Case(case) => {
            let results = case.when_then_expr.iter().map(|(_, then)| then).chain(&case.else_expr);
            results.into_iter().any(|result| is_variant(result, schema))
        }
        Expr::ScalarFunction(_) if makes_variant(expr) => true,
        Expr::ScalarFunction(call) if call.name() == "coalesce" => {
            call.args.iter().any(|argument| is_variant(argument, schema))
        }
        Expr::ScalarFunction(_) | Expr::AggregateFunction(_) | Expr::WindowFunction(_) | Expr::ScalarSubquery(_) => {
            expr.to_field(schema).is_ok_and(|(_, field)| holds_variants(&field))
        }
        _ => false,
    }
}

/// Returns true if a call makes such a value of its arguments.
pub(crate) fn makes_variant(expr: &Expr) -> bool {
    let Expr::ScalarFunction(call) = expr else { return false };
    function_of(call).is_some_and(|function| function.gives() == Some(DataType::SqlVariant))
}
