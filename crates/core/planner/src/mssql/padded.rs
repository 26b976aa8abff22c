//! Comparison of binary values of different lengths: SQL Server pads the shorter one with zeros.
//!
//! ```text
//!   binary(3) = x                   b = padded_to(x, 3)                    the column has all its zeros, and finds its index
//!   varbinary(10) = 0xAE00          v >= 0xAE AND v < 0xAE01 AND padded_key(v) = 0xAE
//!   v < w, v IN (...)               padded_key(v) < padded_key(w)          values without the zeros at their ends
//!   GROUP BY v, DISTINCT, ORDER BY  by padded_key(v)                       (crate::analyze::collate)
//! ```
//!
//! Values without trailing zeros have the order of the padded values. All values that are equal to a key k are in the
//! range from k to k with a byte 1 behind it, which an index finds.
//!
//! Limits: an index stores the values as they are, so a unique one of VARBINARY accepts two that are equal in this way.

use super::types::{DECLARED, declared_type};
use crate::plan::nodes::Tree;
use datafusion::arrow::array::{ArrayRef, AsArray, BinaryViewArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType as ArrowType, Field};
use datafusion::common::{DFSchema, ExprSchema, Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::{FieldMetadata, InList, ScalarFunction};
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, ExprSchemable, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use mainstay_tsql_types::DataType;
use mainstay_types::{Value, ValueRef};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Metadata of a literal that is a bound for values as they are stored.
const BOUND: &str = "mainstay.bound";

/// The form that a value is brought to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form {
    /// Without the zeros at its end.
    Key,
    /// The least value that is greater than all that are equal to it.
    Next,
    /// With zeros, so that it has at least so many bytes, and no others at its end.
    Filled(u16),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Padded {
    form: Form,
    signature: Signature,
}

impl Padded {
    fn made(&self, bytes: &[u8]) -> Vec<u8> {
        let length = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let mut made = bytes[..length].to_vec();
        match self.form {
            Form::Key => {}
            Form::Next => made.push(1),
            Form::Filled(length) => made.resize(made.len().max(usize::from(length)), 0),
        }
        made
    }

    fn vector(&self, array: &ArrayRef) -> Result<ArrayRef> {
        let bytes = cast(array, &ArrowType::BinaryView)?;
        let made = bytes.as_binary_view().iter().map(|bytes| bytes.map(|bytes| self.made(bytes)));
        Ok(Arc::new(made.collect::<BinaryViewArray>()))
    }
}

impl ScalarUDFImpl for Padded {
    fn name(&self) -> &str {
        match self.form {
            Form::Key => "padded_key",
            Form::Next => "padded_next",
            Form::Filled(_) => "padded_to",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> Result<ArrowType> {
        Ok(ArrowType::BinaryView)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.as_slice() {
            [ColumnarValue::Array(array)] => self.vector(array).map(ColumnarValue::Array),
            [ColumnarValue::Scalar(value)] => {
                let made = self.vector(&value.to_array()?)?;
                ScalarValue::try_from_array(&made, 0).map(ColumnarValue::Scalar)
            }
            _ => exec_err!("{} takes one value", self.name()),
        }
    }
}

/// Form of the function for the row executor.
impl mainstay_row_executor::Function for Padded {
    fn call(&self, arguments: &[ValueRef<'_>]) -> mainstay_types::Result<Value> {
        Ok(match arguments {
            [ValueRef::Binary(bytes)] => Value::Binary(self.made(bytes)),
            _ => Value::Null,
        })
    }
}

/// The function for the row executor, if it is one of these.
pub(super) fn row_function(function: &ScalarUDF) -> Option<Arc<dyn mainstay_row_executor::Function>> {
    Some(Arc::new(function.inner().downcast_ref::<Padded>()?.clone()))
}

/// The argument of a call of one of the functions.
pub(crate) fn padded_of(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::ScalarFunction(call) if call.func.inner().is::<Padded>() => call.args.first(),
        _ => None,
    }
}

fn call(form: Form, expr: Expr) -> Result<Expr> {
    let padded = Padded { form, signature: Signature::any(1, Volatility::Immutable) };
    if let Expr::Literal(value, _) = &expr {
        let made = padded.vector(&value.to_array()?)?;
        return Ok(Expr::Literal(ScalarValue::try_from_array(&made, 0)?, None));
    }
    let function = Arc::new(ScalarUDF::from(padded));
    Ok(Expr::ScalarFunction(ScalarFunction::new_udf(function, vec![expr])))
}

/// The key that a value compares by.
pub(crate) fn padded_key(expr: Expr) -> Result<Expr> {
    match padded_of(&expr) {
        Some(_) => Ok(expr),
        None => call(Form::Key, expr),
    }
}

/// Reports whether a column contains values of any length.
pub(crate) fn holds_padded(field: &Field) -> bool {
    let is_declared = || field.metadata().contains_key(DECLARED);
    is_any_length(field.data_type()) && is_declared() && matches!(declared_type(field), Some(DataType::VarBinary(_)))
}

/// Reports whether an expression gives values of any length.
pub(crate) fn is_padded(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::Column(column) => schema.field_from_column(column).is_ok_and(|field| holds_padded(field)),
        Expr::OuterReferenceColumn(field, _) => holds_padded(field),
        Expr::Alias(alias) => is_padded(&alias.expr, schema),
        Expr::Case(case) => {
            let results = case.when_then_expr.iter().map(|(_, then)| then).chain(&case.else_expr);
            results.into_iter().any(|result| is_padded(result, schema))
        }
        Expr::ScalarFunction(call) if call.name() == "coalesce" => {
            call.args.iter().any(|argument| is_padded(argument, schema))
        }
        Expr::ScalarFunction(_) | Expr::AggregateFunction(_) | Expr::WindowFunction(_) | Expr::ScalarSubquery(_) => {
            expr.to_field(schema).is_ok_and(|(_, field)| holds_padded(&field))
        }
        _ => false,
    }
}

/// Reports whether an expression can be compared by its key.
pub(crate) fn has_padded_key(expr: &Expr, schema: &DFSchema) -> bool {
    match expr {
        Expr::Literal(_, Some(metadata)) if metadata.inner().contains_key(BOUND) => false,
        expr if padded_of(expr).is_some() => false,
        expr => expr.get_type(schema).is_ok_and(|of| is_any_length(&of) || of.is_null()),
    }
}

/// Reports whether values of a vector have any number of bytes; a UUID has 16.
pub(crate) fn is_any_length(of: &ArrowType) -> bool {
    matches!(of, ArrowType::Binary | ArrowType::LargeBinary | ArrowType::BinaryView)
}

/// The bytes that every value of a type has.
fn fixed_length(data_type: DataType) -> Option<u16> {
    match data_type {
        DataType::Binary(length) => Some(length),
        DataType::RowVersion => Some(8),
        _ => None,
    }
}

/// Reports whether values of a type are bytes that compare in this way.
pub(super) fn is_bytes(data_type: DataType) -> bool {
    fixed_length(data_type).is_some() || matches!(data_type, DataType::VarBinary(_))
}

/// The comparison of two values with their types, by an operator of the core.
pub(super) fn comparison(
    (left, of_left): (Expr, DataType),
    op: Operator,
    (right, of_right): (Expr, DataType),
) -> Result<Expr> {
    let plain = |left: Expr, right: Expr| Ok(binary(left, op, right));
    let filled = |expr: Expr, length: u16| call(Form::Filled(length), expr);
    match (fixed_length(of_left), fixed_length(of_right)) {
        (Some(one), Some(other)) if one == other => plain(left, right),
        (Some(one), Some(other)) if one < other => plain(filled(left, other)?, right),
        // A literal of BINARY is no column that has an index.
        (Some(length), _) if !matches!(left, Expr::Literal(..)) => plain(left, filled(right, length)?),
        (_, Some(length)) if !matches!(right, Expr::Literal(..)) => plain(filled(left, length)?, right),
        _ if op == Operator::Eq && finds_index(&left, &right)? => equal(left, right),
        _ if op == Operator::Eq && finds_index(&right, &left)? => equal(right, left),
        _ => plain(padded_key(left)?, padded_key(right)?),
    }
}

/// The test that the first of these values is among the others.
pub(super) fn is_in(values: Vec<(Expr, DataType)>) -> Result<Expr> {
    let length = values.first().and_then(|(_, of)| fixed_length(*of));
    let mut sides = values.into_iter().map(|(expr, _)| expr);
    let expr = sides.next().unwrap_or_default();
    let (expr, list) = match length {
        Some(length) => (expr, sides.map(|side| call(Form::Filled(length), side)).collect::<Result<Vec<_>>>()?),
        None => (padded_key(expr)?, sides.map(padded_key).collect::<Result<Vec<_>>>()?),
    };
    Ok(Expr::InList(InList { expr: Box::new(expr), list, negated: false }))
}

/// Reports whether one side is a column, and the other one the same for all its rows.
fn finds_index(column: &Expr, value: &Expr) -> Result<bool> {
    let is_of_rows = |expr: &Expr| {
        Ok(matches!(
            expr,
            Expr::Column(_) | Expr::OuterReferenceColumn(..) | Expr::ScalarSubquery(_) | Expr::AggregateFunction(_)
        ))
    };
    Ok(matches!(column, Expr::Column(_)) && !value.has(is_of_rows)?)
}

/// The column is equal to a value, and in the range of an index that has all that are.
fn equal(column: Expr, value: Expr) -> Result<Expr> {
    let bound = |form: Form| -> Result<Expr> {
        Ok(match call(form, value.clone())? {
            Expr::Literal(value, _) => {
                let mark = BTreeMap::from([(BOUND.to_owned(), String::new())]);
                Expr::Literal(value, Some(FieldMetadata::from(mark)))
            }
            other => other,
        })
    };
    let from = binary(column.clone(), Operator::GtEq, bound(Form::Key)?);
    let to = binary(column.clone(), Operator::Lt, bound(Form::Next)?);
    Ok(from.and(to).and(binary(padded_key(column)?, Operator::Eq, padded_key(value)?)))
}

fn binary(left: Expr, op: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr { left: Box::new(left), op, right: Box::new(right) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_at_the_end_do_not_count() {
        let made =
            |form: Form, bytes: &[u8]| Padded { form, signature: Signature::any(1, Volatility::Immutable) }.made(bytes);
        assert_eq!(made(Form::Key, &[0xAE, 0, 0]), [0xAE]);
        assert_eq!(made(Form::Key, &[0, 0xAE, 0]), [0, 0xAE]);
        assert_eq!(made(Form::Key, &[0, 0]), [0u8; 0]);
        assert_eq!(made(Form::Next, &[0xAE, 0]), [0xAE, 1]);
        assert_eq!(made(Form::Filled(3), &[0xAE, 0, 0, 0]), [0xAE, 0, 0]);
        assert_eq!(made(Form::Filled(1), &[0xAE, 1, 0]), [0xAE, 1]);
    }
}
