//! Comparison of declared types whose vectors are bytes: by keys of their dialect, or padded with zeros.
//!
//! A field tells by its metadata; of an expression it is what its columns, branches and calls give.

use super::function::properties_of;
use super::registry::{registered, with_prefix};
use super::{Comparison, DECLARED, Dialect};
use crate::fields::COLLATED_COLUMN;
use crate::types::padded_bytes::is_any_length;
use datafusion::arrow::datatypes::Field;
use datafusion::common::{DFSchema, ExprSchema, Result};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, ExprSchemable};
use mainstay_types::Collation;

/// The keys of a dialect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnKey(&'static dyn Dialect);

impl OwnKey {
    /// The key that a value compares by.
    pub(crate) fn key(self, expr: Expr) -> Result<Expr> {
        self.0.key(expr)
    }
}

impl PartialEq for OwnKey {
    fn eq(&self, other: &OwnKey) -> bool {
        self.0.prefix() == other.0.prefix()
    }
}

impl Eq for OwnKey {}

fn comparison_of(field: &Field) -> Option<(&'static dyn Dialect, Comparison)> {
    if !is_any_length(field.data_type()) {
        return None;
    }
    let declared = field.metadata().get(DECLARED)?;
    registered().find_map(|dialect| Some((dialect, dialect.compares(declared)?)))
}

/// The dialect's key that values of a column compare by.
pub(crate) fn own_key_of_field(field: &Field) -> Option<OwnKey> {
    match comparison_of(field)? {
        (dialect, Comparison::OwnKey) => Some(OwnKey(dialect)),
        _ => None,
    }
}

/// Returns true if values of a column compare as if padded with zeros.
pub(crate) fn padded_field(field: &Field) -> bool {
    matches!(comparison_of(field), Some((_, Comparison::Padded)))
}

/// The dialect's key that values of an expression compare by.
pub(crate) fn own_key(expr: &Expr, schema: &DFSchema) -> Option<OwnKey> {
    found(expr, schema, &own_key_of_field, &own_key_of_call)
}

/// Returns true if values of an expression compare as if padded with zeros.
pub(crate) fn padded(expr: &Expr, schema: &DFSchema) -> bool {
    found(expr, schema, &|field| padded_field(field).then_some(()), &|_| None).is_some()
}

/// Returns true if a call makes values that compare by a dialect's keys of its arguments.
pub(crate) fn gives_own_keys(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarFunction(call) if properties_of(&call.func).gives_own_keys)
}

fn own_key_of_call(call: &ScalarFunction) -> Option<OwnKey> {
    let gives_own_keys = properties_of(&call.func).gives_own_keys;
    with_prefix(call.name()).filter(|_| gives_own_keys).map(|(dialect, _)| OwnKey(dialect))
}

/// Looks for the comparison in everything that may be the value of an expression.
fn found<C>(
    expr: &Expr,
    schema: &DFSchema,
    of_field: &dyn Fn(&Field) -> Option<C>,
    of_call: &dyn Fn(&ScalarFunction) -> Option<C>,
) -> Option<C> {
    let again = |expr: &Expr| found(expr, schema, of_field, of_call);
    match expr {
        Expr::Column(column) => of_field(schema.field_from_column(column).ok()?),
        Expr::OuterReferenceColumn(field, _) => of_field(field),
        Expr::Alias(alias) => again(&alias.expr),
        Expr::Case(case) => {
            let results = case.when_then_expr.iter().map(|(_, then)| then).chain(&case.else_expr);
            results.into_iter().find_map(|result| again(result))
        }
        Expr::ScalarFunction(call) if call.name() == "coalesce" => call.args.iter().find_map(again),
        Expr::ScalarFunction(_) | Expr::AggregateFunction(_) | Expr::WindowFunction(_) | Expr::ScalarSubquery(_) => {
            let known = if let Expr::ScalarFunction(call) = expr { of_call(call) } else { None };
            known.or_else(|| of_field(&expr.to_field(schema).ok()?.1))
        }
        _ => None,
    }
}

/// The collation of text that a dialect declared; without one in its metadata such text compares by its bytes.
pub(crate) fn declared_collation(field: &Field) -> Option<Collation> {
    let named = field.metadata().get(COLLATED_COLUMN).and_then(|name| Collation::by_name(name));
    let is_declared = || field.data_type().is_string() && field.metadata().contains_key(DECLARED);
    named.or_else(|| is_declared().then_some(Collation::Binary))
}
