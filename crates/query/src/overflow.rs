//! Numbers that are too large for their type: `+`, `-` and `*`, and a sign, fail and do not wrap around.
//!
//! The general executor's operators wrap. So each one over whole numbers becomes a function that looks: of the type that
//! the planner gives the result, over both sides in that type. Decimals have room for a digit more, but where their type has
//! 38 already: there a function looks whether the result has more.

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::compute::kernels::numeric::{add, mul, sub};
use datafusion::arrow::datatypes::{DataType, Decimal128Type};
use datafusion::arrow::error::ArrowError;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Operator, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, Volatility, cast,
};
use mainstay_base::{Code, Error};
use std::sync::{Arc, LazyLock};

static PLUS: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Checked::function("checked_add", Operator::Plus));
static MINUS: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Checked::function("checked_subtract", Operator::Minus));
static TIMES: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Checked::function("checked_multiply", Operator::Multiply));

/// An operator over whole numbers of one type that fails where the result is none of it.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Checked {
    name: &'static str,
    operator: Operator,
    signature: Signature,
}

impl Checked {
    fn function(name: &'static str, operator: Operator) -> Arc<ScalarUDF> {
        let signature = Signature::any(2, Volatility::Immutable);
        Arc::new(ScalarUDF::from(Checked { name, operator, signature }))
    }
}

impl ScalarUDFImpl for Checked {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Int64))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = args.args.as_slice() else {
            return datafusion::common::internal_err!("{} of {} arguments", self.name, args.args.len());
        };
        let apply = match self.operator {
            Operator::Plus => add,
            Operator::Minus => sub,
            _ => mul,
        };
        let failed = |error: ArrowError| match error {
            ArrowError::ArithmeticOverflow(_) => crate::error::to_datafusion(out_of_range(self.operator, &args)),
            other => other.into(),
        };
        // A single value stands for a whole vector, so no vector is made of it.
        let of_scalar = |value: &ScalarValue| value.to_scalar();
        let result: ArrayRef = match (left, right) {
            (ColumnarValue::Array(left), ColumnarValue::Array(right)) => apply(left, right),
            (ColumnarValue::Array(left), ColumnarValue::Scalar(right)) => apply(left, &of_scalar(right)?),
            (ColumnarValue::Scalar(left), ColumnarValue::Array(right)) => apply(&of_scalar(left)?, right),
            (ColumnarValue::Scalar(left), ColumnarValue::Scalar(right)) => {
                let result = apply(&of_scalar(left)?, &of_scalar(right)?).map_err(failed)?;
                return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?));
            }
        }
        .map_err(failed)?;
        Ok(ColumnarValue::Array(result))
    }
}

/// A decimal that has no more digits than its type.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Fitting {
    signature: Signature,
}

static FITTING: LazyLock<Arc<ScalarUDF>> =
    LazyLock::new(|| Arc::new(ScalarUDF::from(Fitting { signature: Signature::any(1, Volatility::Immutable) })));

/// What the function is called that looks at decimals.
pub(crate) const FITS: &str = "checked_decimal";

impl ScalarUDFImpl for Fitting {
    fn name(&self) -> &str {
        FITS
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types.first().cloned().unwrap_or(DataType::Null))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some(value) = args.args.into_iter().next() else {
            return datafusion::common::internal_err!("{FITS} of nothing");
        };
        let too_long = || {
            let error =
                Error::new(Code::InvalidValue, "the result has more than the 38 digits that a DECIMAL can have");
            crate::error::to_datafusion(error)
        };
        let fits = |number: i128| number.unsigned_abs() < 10u128.pow(38);
        match &value {
            ColumnarValue::Scalar(ScalarValue::Decimal128(Some(number), ..)) if !fits(*number) => {
                return Err(too_long());
            }
            ColumnarValue::Array(array) => {
                if let Some(numbers) = array.as_primitive_opt::<Decimal128Type>()
                    && numbers.iter().flatten().any(|number| !fits(number))
                {
                    return Err(too_long());
                }
            }
            ColumnarValue::Scalar(_) => {}
        }
        Ok(value)
    }
}

fn out_of_range(operator: Operator, args: &ScalarFunctionArgs) -> Error {
    let bits = match args.return_field.data_type() {
        DataType::Int8 | DataType::UInt8 => 8,
        DataType::Int16 | DataType::UInt16 => 16,
        DataType::Int32 | DataType::UInt32 => 32,
        _ => 64,
    };
    let error = Error::new(Code::InvalidValue, format!("the result of {operator} is no whole number of {bits} bits"));
    error.hint("convert one side to DECIMAL first: CAST(x AS DECIMAL(38, 0))")
}

/// The plan with operators that look.
pub(crate) fn checked_in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    crate::rewrite::concerned(plan, is_arithmetic, checked)
}

fn is_arithmetic(expr: &Expr) -> bool {
    use Operator::{Minus, Multiply, Plus};
    match expr {
        Expr::BinaryExpr(BinaryExpr { op: Plus | Minus | Multiply, .. }) => true,
        // Of a literal the planner makes another literal.
        Expr::Negative(of) => !matches!(of.as_ref(), Expr::Literal(..)),
        other => digits_of(other).is_some(),
    }
}

/// The digits that ROUND or TRUNC of a decimal keeps, where they are a number of 64 bits.
///
/// The general executor's function has 32 bits for them. A literal that is brought to that by a cast is none while types are
/// settled, and is one again when the cast is folded: the result would get another scale behind the back of what it is
/// compared with.
fn digits_of(expr: &Expr) -> Option<i32> {
    match expr {
        Expr::ScalarFunction(call) if matches!(call.name(), "round" | "trunc") => match call.args.as_slice() {
            [_, Expr::Literal(ScalarValue::Int64(Some(digits)), _)] => i32::try_from(*digits).ok(),
            _ => None,
        },
        _ => None,
    }
}

/// The expression with operators that look.
pub(crate) fn checked(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    expr.transform_up(|expr| {
        if !is_arithmetic(&expr) {
            return Ok(Transformed::no(expr));
        }
        let digits = digits_of(&expr);
        let expr = match (expr, digits) {
            (Expr::ScalarFunction(mut call), Some(digits)) => {
                call.args.truncate(1);
                call.args.push(Expr::Literal(ScalarValue::Int32(Some(digits)), None));
                return Ok(Transformed::yes(Expr::ScalarFunction(call)));
            }
            (expr, _) => expr,
        };
        let Ok(kind) = expr.get_type(schema) else { return Ok(Transformed::no(expr)) };
        let expr = match expr {
            // The least whole number has no counterpart.
            Expr::Negative(of) if kind.is_integer() => {
                let args = vec![Expr::Literal(ScalarValue::new_zero(&kind)?, None), *of];
                return Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(&MINUS), args))));
            }
            other => other,
        };
        let Expr::BinaryExpr(BinaryExpr { left, op, right }) = expr else { return Ok(Transformed::no(expr)) };
        let is_whole = |side: &Expr| side.get_type(schema).is_ok_and(|kind| kind.is_integer());
        if matches!(kind, DataType::Decimal128(38, 0..)) {
            let result = Expr::BinaryExpr(BinaryExpr { left, op, right });
            let fitting = ScalarFunction::new_udf(Arc::clone(&FITTING), vec![result]);
            return Ok(Transformed::yes(Expr::ScalarFunction(fitting)));
        }
        if !(kind.is_integer() && is_whole(&left) && is_whole(&right)) {
            return Ok(Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right })));
        }
        let function = match op {
            Operator::Plus => &PLUS,
            Operator::Minus => &MINUS,
            _ => &TIMES,
        };
        let of_kind = |side: Expr| match side.get_type(schema) {
            Ok(own) if own == kind => side,
            _ => cast(side, kind.clone()),
        };
        let args = vec![of_kind(*left), of_kind(*right)];
        Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(function), args))))
    })
}
