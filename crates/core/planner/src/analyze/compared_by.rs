//! Comparison keys of values: the sort keys of texts, the UTC values of timestamps with offsets, the keys of values
//! with types of their own, and bytes without trailing zeros ([`collate`](crate::analyze::collate)).

use crate::analyze::collate::{key, keyed};
use crate::dialect::{self, OwnKey};
use crate::fields::COLLATED_COLUMN;
use crate::functions::collate_clause;
use crate::types::{offset, padded_bytes};
use datafusion::arrow::datatypes::Field;
use datafusion::common::{DFSchema, ExprSchema, Result};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator};
use mainstay_types::Collation;

/// The collation that a text is under.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Derived {
    pub(crate) collation: Collation,
    /// True if a COLLATE of the core says so. Else that of bytes is one of a dialect, in which blanks at the end do not count.
    is_said: bool,
}

impl Derived {
    fn of_column(field: &Field) -> Option<Derived> {
        let collation = collation_of_field(field).or_else(|| dialect::declared_collation(field));
        collation.map(|collation| Derived { collation, is_said: false })
    }

    fn by(self) -> By {
        match self {
            Derived { collation: Collation::Binary, is_said: false } => By::Bytes,
            Derived { collation, .. } => By::Text(collation),
        }
    }

    /// The collation of two texts that are compared.
    ///
    /// Errors: `CollationMismatch`.
    fn with(self, other: Derived) -> Result<Derived> {
        match (self.is_said, other.is_said) {
            (true, true) if self.collation != other.collation => {
                Err(collate_clause::conflict(self.collation, other.collation))
            }
            (false, true) => Ok(other),
            _ => Ok(self),
        }
    }

    fn of_all<'e>(exprs: impl Iterator<Item = &'e Expr>, schema: &DFSchema) -> Result<Option<Derived>> {
        let mut found: Option<Derived> = None;
        for expr in exprs {
            if let Some(derived) = Derived::of(expr, schema)? {
                found = Some(found.map_or(Ok(derived), |found| found.with(derived))?);
            }
        }
        Ok(found)
    }

    /// The collation that an expression is text under; `None` for what compares by its bytes.
    pub(crate) fn of(expr: &Expr, schema: &DFSchema) -> Result<Option<Derived>> {
        if let Some((collation, _)) = collate_clause::said(expr) {
            return Ok(Some(Derived { collation, is_said: true }));
        }
        Ok(match expr {
            Expr::Column(column) => schema.field_from_column(column).ok().and_then(|it| Derived::of_column(it)),
            // A column of the statement around a subquery.
            Expr::OuterReferenceColumn(field, _) => Derived::of_column(field),
            Expr::Alias(alias) => Derived::of(&alias.expr, schema)?,
            Expr::Cast(cast) if cast.field.data_type().is_string() => Derived::of(&cast.expr, schema)?,
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::StringConcat, right }) => {
                Derived::of_all([left.as_ref(), right.as_ref()].into_iter(), schema)?
            }
            Expr::ScalarFunction(call) if let Some(collation) = dialect::properties_of(&call.func).collation => {
                Some(Derived { collation, is_said: false })
            }
            Expr::ScalarFunction(call) if keyed(expr).is_none() && is_text(expr, schema) => {
                Derived::of_all(call.args.iter(), schema)?
            }
            Expr::Case(case) => {
                let results = case.when_then_expr.iter().map(|(_, then)| then).chain(&case.else_expr);
                Derived::of_all(results.map(AsRef::as_ref), schema)?
            }
            _ => None,
        })
    }
}

/// The keys that values are compared by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// The sort keys of texts.
    Text(Collation),
    /// The bytes of texts without the blanks at their ends.
    Bytes,
    /// The moments of moments with offsets.
    Moment,
    /// The keys that a dialect makes of values.
    Own(OwnKey),
    /// Bytes without the zeros at their ends.
    Padded,
}

impl By {
    /// The key kind of an expression; `None` if it compares by itself.
    pub(crate) fn of(expr: &Expr, schema: &DFSchema) -> Result<Option<By>> {
        By::of_all(&[expr], schema)
    }

    /// The key kind of expressions that are compared with each other.
    ///
    /// Errors: `CollationMismatch`.
    pub(crate) fn of_all(exprs: &[&Expr], schema: &DFSchema) -> Result<Option<By>> {
        let text = Derived::of_all(exprs.iter().copied(), schema)?.map(Derived::by);
        let is_moment = || exprs.iter().any(|expr| offset::is_with_offset(expr, schema));
        let own_key = || exprs.iter().find_map(|expr| dialect::own_key(expr, schema));
        let is_padded = || exprs.iter().any(|expr| dialect::padded(expr, schema));
        let by = text.or_else(|| is_moment().then_some(By::Moment)).or_else(|| own_key().map(By::Own));
        Ok(by.or_else(|| is_padded().then_some(By::Padded)))
    }

    /// The same for values of a column.
    pub(crate) fn of_field(field: &Field) -> Option<By> {
        let text = Derived::of_column(field).map(Derived::by);
        let moment = || offset::has_offset(field).then_some(By::Moment);
        let by = text.or_else(moment).or_else(|| dialect::own_key_of_field(field).map(By::Own));
        by.or_else(|| dialect::padded_field(field).then_some(By::Padded))
    }

    /// Returns true if an expression has a key of this kind.
    pub(crate) fn takes(self, expr: &Expr, schema: &DFSchema) -> bool {
        match self {
            By::Text(_) | By::Bytes => is_text(expr, schema),
            By::Moment => {
                offset::is_with_offset(expr, schema) || matches!(expr, Expr::Literal(value, _) if value.is_null())
            }
            By::Own(key) => {
                dialect::own_key(expr, schema) == Some(key)
                    || matches!(expr, Expr::Literal(value, _) if value.is_null())
            }
            By::Padded => padded_bytes::has_padded_key(expr, schema),
        }
    }

    /// The key that an expression is compared by.
    pub(crate) fn key(self, expr: Expr, schema: &DFSchema) -> Result<Expr> {
        match self {
            By::Text(Collation::Binary) => {
                let text = collate_clause::without(expr);
                let is_collated = Derived::of(&text, schema)?.is_some();
                Ok(if is_collated { collate_clause::by_bytes(text) } else { text })
            }
            By::Text(collation) => Ok(key(collate_clause::without(expr), collation)),
            By::Bytes => Ok(key(collate_clause::without(expr), Collation::Binary)),
            By::Moment => offset::key(expr),
            By::Own(key) => key.key(expr),
            By::Padded => padded_bytes::padded_key(expr),
        }
    }
}

/// The comparison of a binary COLLATE.
pub(crate) const BYTES: By = By::Text(Collation::Binary);

/// The key of an expression that has one; others as they are.
pub(crate) fn key_if_any(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    match By::of(&expr, schema)? {
        Some(by) => by.key(expr, schema),
        None => Ok(expr),
    }
}

/// Returns true if a column compares by keys.
pub(crate) fn has_key(field: &Field) -> bool {
    By::of_field(field).is_some()
}

/// Returns true if a column holds text under a collation.
pub(crate) fn has_collation(field: &Field) -> bool {
    Derived::of_column(field).is_some()
}

/// The collation of the text that a column holds; `None` for what compares by its bytes.
pub(crate) fn collation_of_field(field: &Field) -> Option<Collation> {
    let name = field.metadata().get(COLLATED_COLUMN)?;
    Collation::by_name(name).filter(|collation| *collation != Collation::Binary)
}

/// Returns true if it is text, or NULL, or a parameter of a type that is not known yet.
pub(crate) fn is_text(expr: &Expr, schema: &DFSchema) -> bool {
    expr.get_type(schema).map_or(matches!(expr, Expr::Placeholder(_)), |kind| kind.is_string() || kind.is_null())
}
