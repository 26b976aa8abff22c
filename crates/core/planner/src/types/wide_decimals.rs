//! Sums, differences, products and quotients of decimals whose results would exceed the 38 digits of DECIMAL.
//!
//! ```text
//!   DECIMAL(p, s) + DECIMAL(q, t)     max(p - s, q - t) + 1 digits before the point     max(s, t) after it
//!   DECIMAL(p, s) * DECIMAL(q, t)     p - s + q - t                                     s + t
//!   DECIMAL(p, s) / DECIMAL(q, t)     p - s + t                                         s + 4
//! ```
//!
//! Up to 38 digits the operators are DataFusion's, and [`quotient`](crate::types::quotient)'s. Beyond, digits after the
//! point are dropped, until there is room for those before it, or for [`ROOM`] of them: nearly all values are smaller
//! than their types allow. The result is rounded, half away from zero. An integer has as many digits as its type, and a
//! literal those that are written.

use crate::carried_error::to_datafusion;
use crate::types::quotient::{rounded, too_long};
use arrow_array::types::Decimal128Type;
use arrow_buffer::i256;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result, ScalarValue, internal_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::planner::{PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ExprSchemable, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, cast,
};
use datafusion::sql::sqlparser::ast::BinaryOperator;
use mainstay_types::{Code, Decimal, Error, Result as BaseResult, Value, ValueRef};
use std::sync::Arc;

/// The digits of a DECIMAL at most.
const MOST: i16 = 38;

/// So many digits before the point have room, if a type says that there may be so many.
const ROOM: i16 = 18;

/// The digits that a numeric type, or a result, has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digits {
    /// Before the point.
    whole: i16,
    /// After it.
    decimals: i16,
}

impl Digits {
    fn of(data_type: &DataType) -> Option<Digits> {
        let whole = match data_type {
            DataType::Decimal128(precision, decimals @ 0..) => {
                let decimals = i16::from(*decimals);
                return Some(Digits { whole: i16::from(*precision) - decimals, decimals });
            }
            DataType::Int8 => 3,
            DataType::Int16 => 5,
            DataType::Int32 => 10,
            DataType::Int64 => 19,
            _ => return None,
        };
        Some(Digits { whole, decimals: 0 })
    }

    /// Those of a result.
    fn result(op: Operation, left: Digits, right: Digits) -> Digits {
        match op {
            Operation::Plus | Operation::Minus => {
                Digits { whole: left.whole.max(right.whole) + 1, decimals: left.decimals.max(right.decimals) }
            }
            Operation::Times => Digits { whole: left.whole + right.whole, decimals: left.decimals + right.decimals },
            Operation::Over => Digits { whole: left.whole + right.decimals, decimals: MOST.min(left.decimals + 4) },
        }
    }

    /// The digits after the point that there is room for.
    fn kept(self) -> i16 {
        self.decimals.min(MOST - self.whole.clamp(0, ROOM))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Operation {
    Plus,
    Minus,
    Times,
    Over,
}

/// An operator whose result has fewer digits after the point than the sides say.
pub(crate) fn planned(expr: RawBinaryExpr, schema: &DFSchema) -> PlannerResult<RawBinaryExpr> {
    let op = match expr.op {
        BinaryOperator::Plus => Operation::Plus,
        BinaryOperator::Minus => Operation::Minus,
        BinaryOperator::Multiply => Operation::Times,
        BinaryOperator::Divide => Operation::Over,
        _ => return PlannerResult::Original(expr),
    };
    let (Some(left), Some(right)) = (side(&expr.left, schema), side(&expr.right, schema)) else {
        return PlannerResult::Original(expr);
    };
    let is_decimal = |side: &Expr| side.get_type(schema).is_ok_and(|of| of.is_decimal());
    let digits = Digits::result(op, left.1, right.1);
    let kept = digits.kept();
    if kept == digits.decimals || !(is_decimal(&expr.left) || is_decimal(&expr.right)) {
        return PlannerResult::Original(expr);
    }
    let signature = Signature::any(2, Volatility::Immutable);
    PlannerResult::Planned(match op {
        Operation::Over => match crate::types::quotient::of(&left.0, &right.0, &type_of(kept), schema) {
            Some(quotient) => quotient,
            None => return PlannerResult::Original(expr),
        },
        op => {
            let function = Arc::new(ScalarUDF::from(Exact { op, signature }));
            Expr::ScalarFunction(ScalarFunction::new_udf(function, vec![left.0, right.0]))
        }
    })
}

fn type_of(decimals: i16) -> DataType {
    DataType::Decimal128(MOST as u8, decimals as i8)
}

/// A side as a decimal, and its digits; `None` for one that is no exact number.
fn side(expr: &Expr, schema: &DFSchema) -> Option<(Expr, Digits)> {
    if let Expr::Literal(ScalarValue::Int64(Some(number)), metadata) = expr {
        let whole = number.unsigned_abs().checked_ilog10().map_or(1, |digits| digits + 1);
        let value = ScalarValue::Decimal128(Some(i128::from(*number)), whole as u8, 0);
        return Some((Expr::Literal(value, metadata.clone()), Digits { whole: whole as i16, decimals: 0 }));
    }
    let of = expr.get_type(schema).ok()?;
    let digits = Digits::of(&of)?;
    let expr = match of.is_decimal() {
        true => expr.clone(),
        false => cast(expr.clone(), DataType::Decimal128(digits.whole as u8, 0)),
    };
    Some((expr, digits))
}

/// A sum, a difference or a product of two decimals, in 256 bits and rounded.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Exact {
    op: Operation,
    signature: Signature,
}

impl Exact {
    fn value(&self, left: Decimal, right: Decimal, decimals: u8) -> BaseResult<i128> {
        let power = |digits: u8| i256::from_i128(10).checked_pow(u32::from(digits));
        let common = left.scale.max(right.scale);
        let wide =
            |side: Decimal| power(common - side.scale).and_then(|by| i256::from_i128(side.unscaled).checked_mul(by));
        let (scale, result) = match self.op {
            Operation::Times => {
                let product = i256::from_i128(left.unscaled).checked_mul(i256::from_i128(right.unscaled));
                (left.scale + right.scale, product)
            }
            Operation::Minus => (common, wide(left).zip(wide(right)).and_then(|(one, other)| one.checked_sub(other))),
            _ => (common, wide(left).zip(wide(right)).and_then(|(one, other)| one.checked_add(other))),
        };
        let result = match scale.checked_sub(decimals) {
            Some(less) => result.zip(power(less)).and_then(|(result, divisor)| rounded(result, divisor)),
            // Values may be written with fewer digits than their types have.
            None => {
                result.zip(power(decimals - scale)).and_then(|(result, factor)| result.checked_mul(factor)?.to_i128())
            }
        };
        result.filter(|unscaled| unscaled.unsigned_abs() < 10u128.pow(MOST as u32)).ok_or_else(too_long)
    }

    /// The digits after the point of a result of sides of these scales.
    fn decimals(&self, types: &[DataType]) -> Result<i16> {
        match types.iter().map(Digits::of).collect::<Option<Vec<_>>>().as_deref() {
            Some([left, right]) => Ok(Digits::result(self.op, *left, *right).kept()),
            _ => internal_err!("exact numbers of {types:?}"),
        }
    }
}

impl ScalarUDFImpl for Exact {
    fn name(&self) -> &str {
        match self.op {
            Operation::Plus => "exact_sum",
            Operation::Minus => "exact_difference",
            Operation::Times => "exact_product",
            Operation::Over => "exact_quotient",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.decimals(types).map(type_of)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let [left, right] = arrays.as_slice() else { return internal_err!("{} sides of an operator", arrays.len()) };
        let to = args.return_field.data_type();
        let results = self.vector(left, right, to)?;
        match is_scalar {
            true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&results, 0)?)),
            false => Ok(ColumnarValue::Array(results)),
        }
    }
}

impl Exact {
    fn vector(&self, left: &ArrayRef, right: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
        let (DataType::Decimal128(_, of_left), DataType::Decimal128(_, of_right), DataType::Decimal128(_, decimals)) =
            (left.data_type(), right.data_type(), to)
        else {
            return internal_err!("{} and {} as {to}", left.data_type(), right.data_type());
        };
        let result = |sides: (Option<i128>, Option<i128>)| match sides {
            (Some(left), Some(right)) => {
                let left = Decimal::new(left, of_left.unsigned_abs());
                let right = Decimal::new(right, of_right.unsigned_abs());
                self.value(left, right, decimals.unsigned_abs()).map(Some)
            }
            _ => Ok(None),
        };
        let sides = left.as_primitive::<Decimal128Type>().iter().zip(right.as_primitive::<Decimal128Type>());
        let results = sides.map(result).collect::<BaseResult<PrimitiveArray<Decimal128Type>>>();
        Ok(Arc::new(results.map_err(to_datafusion)?.with_data_type(to.clone())))
    }
}

/// The same for the row executor, over arguments of these types.
pub(crate) fn row_function(
    function: &ScalarUDF,
    types: &[DataType],
) -> Option<Arc<dyn mainstay_row_executor::Function>> {
    let function = function.inner().downcast_ref::<Exact>()?;
    let decimals = u8::try_from(function.decimals(types).ok()?).ok()?;
    Some(Arc::new(OfRow { function: Exact { op: function.op, signature: function.signature.clone() }, decimals }))
}

#[derive(Debug)]
struct OfRow {
    function: Exact,
    /// The digits of the result after the point.
    decimals: u8,
}

impl mainstay_row_executor::Function for OfRow {
    fn call(&self, arguments: &[ValueRef<'_>]) -> BaseResult<Value> {
        match arguments {
            [left, right] => match (left.as_decimal(), right.as_decimal()) {
                (Some(left), Some(right)) => {
                    let unscaled = self.function.value(left, right, self.decimals)?;
                    Ok(Value::Decimal(Decimal::new(unscaled, self.decimals)))
                }
                _ => Ok(Value::Null),
            },
            _ => Err(Error::new(Code::Internal, "an operator has two sides")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_after_the_point_give_way() {
        let digits = |precision, scale| Digits::of(&DataType::Decimal128(precision, scale)).unwrap();
        let kept = |op, left, right| Digits::result(op, left, right).kept();
        assert_eq!(kept(Operation::Times, digits(38, 20), digits(38, 20)), 20);
        assert_eq!(kept(Operation::Times, digits(38, 38), digits(38, 38)), 38);
        assert_eq!(kept(Operation::Times, digits(20, 4), digits(20, 4)), 8);
        assert_eq!(kept(Operation::Times, digits(25, 20), digits(25, 20)), 28);
        assert_eq!(kept(Operation::Plus, digits(38, 38), digits(1, 0)), 36);
        assert_eq!(kept(Operation::Plus, digits(38, 0), digits(10, 4)), 4);
        assert_eq!(kept(Operation::Over, digits(38, 38), digits(38, 38)), 20);
        assert_eq!(kept(Operation::Over, digits(18, 4), digits(18, 4)), 8);
    }

    #[test]
    fn results_are_rounded_and_may_not_have_more_digits() {
        let exact = |op| Exact { op, signature: Signature::any(2, Volatility::Immutable) };
        let of = |text: &str| text.parse::<Decimal>().unwrap();
        let product = exact(Operation::Times).value(of("-1.5"), of("0.05"), 2).unwrap();
        assert_eq!(product, -8);
        assert_eq!(exact(Operation::Plus).value(of("0.25"), of("1"), 1).unwrap(), 13);
        assert_eq!(exact(Operation::Times).value(of("1.5"), of("2"), 3).unwrap(), 3000);
        assert_eq!(exact(Operation::Minus).value(of("0.25"), of("1"), 1).unwrap(), -8);
        let large = of("99999999999999999999999999999999999999");
        assert!(exact(Operation::Times).value(large, large, 0).is_err());
        assert!(exact(Operation::Plus).value(large, of("1"), 0).is_err());
    }
}
