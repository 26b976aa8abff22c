//! Binary values of different lengths that compare as if the shorter one had zeros at its end.
//!
//! ```text
//!   v < w, v IN (...)               padded_key(v) < padded_key(w)          values without the zeros at their ends
//!   GROUP BY v, DISTINCT, ORDER BY  by padded_key(v)                       (crate::analyze::collate)
//! ```
//!
//! Values without trailing zeros have the order of the padded values. Which columns compare in this way is a matter of
//! their declared types ([`Comparison::Padded`](crate::dialect::Comparison)).

use datafusion::arrow::array::{ArrayRef, AsArray, BinaryViewArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::{DFSchema, Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::{FieldMetadata, ScalarFunction};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ExprSchemable, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use mainstay_types::{Value, ValueRef};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Metadata of a literal that is a bound for values as they are stored.
const BOUND: &str = "mainstay.bound";

/// The form that a value is brought to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
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
pub(crate) fn row_function(function: &ScalarUDF) -> Option<Arc<dyn mainstay_row_executor::Function>> {
    Some(Arc::new(function.inner().downcast_ref::<Padded>()?.clone()))
}

/// The argument of a call of one of the functions.
pub(crate) fn padded_of(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::ScalarFunction(call) if call.func.inner().is::<Padded>() => call.args.first(),
        _ => None,
    }
}

/// A value in a form.
///
/// Errors: a literal that is no value of bytes.
pub fn padded(form: Form, expr: Expr) -> Result<Expr> {
    let function = Padded { form, signature: Signature::any(1, Volatility::Immutable) };
    if let Expr::Literal(value, _) = &expr {
        let made = function.vector(&value.to_array()?)?;
        return Ok(Expr::Literal(ScalarValue::try_from_array(&made, 0)?, None));
    }
    let function = Arc::new(ScalarUDF::from(function));
    Ok(Expr::ScalarFunction(ScalarFunction::new_udf(function, vec![expr])))
}

/// The key that a value compares by.
///
/// Errors: as [`padded`].
pub fn padded_key(expr: Expr) -> Result<Expr> {
    match padded_of(&expr) {
        Some(_) => Ok(expr),
        None => padded(Form::Key, expr),
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

/// Marks a literal as a bound for values as they are stored, which has no key.
pub fn stored_bound(expr: Expr) -> Expr {
    match expr {
        Expr::Literal(value, _) => {
            let mark = BTreeMap::from([(BOUND.to_owned(), String::new())]);
            Expr::Literal(value, Some(FieldMetadata::from(mark)))
        }
        other => other,
    }
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
