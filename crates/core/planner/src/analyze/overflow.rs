//! Overflow of numbers: `+`, `-`, `*` and negation fail instead of wrapping around.
//!
//! The operators of the general executor wrap. So each one over integers becomes a function that checks, with the
//! result type of the planner, over both sides in that type. Decimals get an additional digit, except if their type
//! already has 38: then a function checks the digits of the result. Quotients of decimals are rounded
//! ([`quotient`](crate::types::quotient)). Timestamp arithmetic stays within the valid years
//! ([`years`](crate::types::years)).

use crate::tree::nodes::{PlanTree, Tree};
use crate::tree::search::any_expression_of_plan;
use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::compute::kernels::numeric::{add, mul, sub};
use datafusion::arrow::datatypes::{DataType, Decimal128Type};
use datafusion::arrow::error::ArrowError;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::planner::RawBinaryExpr;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Operator, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, Volatility, cast,
};
use datafusion::sql::sqlparser::ast::BinaryOperator;
use mainstay_types::{Cause, Code, Error};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

static PLUS: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Checked::function("checked_add", Operator::Plus));
static MINUS: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Checked::function("checked_subtract", Operator::Minus));
static TIMES: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| Checked::function("checked_multiply", Operator::Multiply));

/// An operator over whole numbers of one type that fails where the result is none of it.
#[derive(Debug, PartialEq, Eq)]
struct Checked {
    name: &'static str,
    operator: Operator,
    signature: Signature,
    /// The number of a deep call: see [`crate::tree::expression_names`].
    number: Option<u64>,
}

impl Checked {
    fn function(name: &'static str, operator: Operator) -> Arc<ScalarUDF> {
        let signature = Signature::any(2, Volatility::Immutable);
        Arc::new(ScalarUDF::from(Checked { name, operator, signature, number: None }))
    }
}

/// The name and the number say all.
impl Hash for Checked {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.name, self.number).hash(state);
    }
}

/// A call of one of the functions.
fn call(function: &Arc<ScalarUDF>, args: Vec<Expr>) -> Expr {
    let numbered = crate::tree::expression_names::number(function.name(), &args, number_of).and_then(|number| {
        let (inner, number) = (function.inner(), Some(number));
        if let Some(Checked { name, operator, signature, .. }) = inner.downcast_ref() {
            let (name, operator, signature) = (*name, *operator, signature.clone());
            return Some(ScalarUDF::from(Checked { name, operator, signature, number }));
        }
        let Fitting { signature, .. } = inner.downcast_ref()?;
        Some(ScalarUDF::from(Fitting { signature: signature.clone(), number }))
    });
    let function = numbered.map_or_else(|| Arc::clone(function), Arc::new);
    Expr::ScalarFunction(ScalarFunction::new_udf(function, args))
}

/// The number of a call of one of the functions, if it has one.
fn number_of(function: &ScalarUDF) -> Option<u64> {
    let inner = function.inner();
    let checked = inner.downcast_ref::<Checked>().map(|checked| checked.number);
    checked.or_else(|| inner.downcast_ref::<Fitting>().map(|fitting| fitting.number)).flatten()
}

/// The name of a call in the columns of plans.
fn named(function: &str, number: Option<u64>, arguments: &[Expr]) -> Result<String> {
    match number {
        Some(number) => crate::tree::expression_names::of_number(function, number),
        None => crate::tree::expression_names::of_call(function, arguments),
    }
}

impl ScalarUDFImpl for Checked {
    fn name(&self) -> &str {
        self.name
    }

    fn schema_name(&self, arguments: &[Expr]) -> Result<String> {
        named(self.name, self.number, arguments)
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
            ArrowError::ArithmeticOverflow(_) => {
                crate::carried_error::to_datafusion(out_of_range(self.operator, &args))
            }
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
    /// The number of a deep call.
    number: Option<u64>,
}

static FITTING: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| {
    Arc::new(ScalarUDF::from(Fitting { signature: Signature::any(1, Volatility::Immutable), number: None }))
});

/// The name of the function that checks decimals.
pub(crate) const FITS: &str = "checked_decimal";

impl ScalarUDFImpl for Fitting {
    fn name(&self) -> &str {
        FITS
    }

    fn schema_name(&self, arguments: &[Expr]) -> Result<String> {
        named(FITS, self.number, arguments)
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
            crate::carried_error::to_datafusion(error)
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
    error.because(Cause::WholeNumber(bits)).hint("convert one side to DECIMAL first: CAST(x AS DECIMAL(38, 0))")
}

/// A literal of 64 bits as an INTEGER, if it is one.
fn integer(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Literal(ScalarValue::Int64(Some(value)), metadata) => {
            let value = i32::try_from(*value).ok()?;
            Some(Expr::Literal(ScalarValue::Int32(Some(value)), metadata.clone()))
        }
        _ => None,
    }
}

/// An operator with its literal as an INTEGER, beside a whole number that is none of 64 bits: so its result is an INTEGER,
/// as in PostgreSQL. The planner has 64 bits for every literal.
pub(crate) fn with_integers(mut expr: RawBinaryExpr, schema: &DFSchema) -> RawBinaryExpr {
    use BinaryOperator::{Divide, Minus, Modulo, Multiply, Plus};
    let is_small = |side: &Expr| {
        let small = [DataType::Int8, DataType::Int16, DataType::Int32];
        !matches!(side, Expr::Literal(..)) && side.get_type(schema).is_ok_and(|of| small.contains(&of))
    };
    if !matches!(expr.op, Plus | Minus | Multiply | Divide | Modulo) {
        return expr;
    }
    match (integer(&expr.left), integer(&expr.right)) {
        (Some(left), None) if is_small(&expr.right) => expr.left = left,
        (None, Some(right)) if is_small(&expr.left) => expr.right = right,
        _ => {}
    }
    expr
}

/// The plan with operators that look.
pub(crate) fn checked_in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    let is_case = |expr: &Expr| matches!(expr, Expr::Case(_));
    if !any_expression_of_plan(&plan, |expr| is_arithmetic(expr) || is_case(expr)) {
        return Ok(plan);
    }
    let has_case = any_expression_of_plan(&plan, is_case);
    plan.map_up_with_subqueries(|each| {
        let each = crate::tree::rewrite::node(each, checked)?;
        // The results of a CASE may have another type than the operators above know.
        if has_case { each.map_data(LogicalPlan::recompute_schema) } else { Ok(each) }
    })
    .data()
}

fn is_arithmetic(expr: &Expr) -> bool {
    use Operator::{Divide, Minus, Multiply, Plus};
    match expr {
        Expr::BinaryExpr(BinaryExpr { op: Plus | Minus | Multiply | Divide, .. }) => true,
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
    expr.map_up(|expr| {
        if let Expr::Case(case) = expr {
            return crate::analyze::result_types::settled(case, schema);
        }
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
                return Ok(Transformed::yes(call(&MINUS, args)));
            }
            other => other,
        };
        let Expr::BinaryExpr(BinaryExpr { left, op, right }) = expr else { return Ok(Transformed::no(expr)) };
        let is_whole = |side: &Expr| side.get_type(schema).is_ok_and(|kind| kind.is_integer());
        if op == Operator::Divide {
            return Ok(match crate::types::quotient::of(&left, &right, &kind, schema) {
                Some(quotient) => Transformed::yes(quotient),
                None => Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right })),
            });
        }
        if matches!(kind, DataType::Decimal128(38, 0..)) {
            let result = Expr::BinaryExpr(BinaryExpr { left, op, right });
            return Ok(Transformed::yes(call(&FITTING, vec![result])));
        }
        if crate::types::years::may_leave(&kind) && matches!(op, Operator::Plus | Operator::Minus) {
            let moved = Expr::BinaryExpr(BinaryExpr { left, op, right });
            return Ok(Transformed::yes(crate::types::years::within(moved)));
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
        Ok(Transformed::yes(call(function, args)))
    })
}
