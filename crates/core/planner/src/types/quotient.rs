//! Quotients and averages of decimals, rounded half away from zero to the digits of their types: four more than the
//! dividend, or the averaged values.
//!
//! DataFusion truncates them. Here its averages get an additional digit, by which the results are rounded: that digit
//! shows on which side of the half the truncated part lies.

use crate::carried_error::to_datafusion;
use crate::types::average_sums::{INTERVAL, IntervalAverage, WideAverage, interval_state};
use arrow_array::types::Decimal128Type;
use arrow_buffer::i256;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, PrimitiveArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, IntervalUnit};
use datafusion::common::{DFSchema, Result, ScalarValue, internal_err};
use datafusion::functions_aggregate::average::avg_udaf;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, ColumnarValue, EmitTo, Expr, ExprSchemable, GroupsAccumulator,
    ReversedUDAF, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature, Volatility, cast,
};
use mainstay_types::{Code, Decimal, Error, Result as BaseResult, Value, ValueRef, rounded_quotient};
use std::sync::{Arc, LazyLock};

/// The quotient of two sides as a decimal of this type; `None` for sides of which none is a decimal, or one is no exact
/// number.
pub(crate) fn of(left: &Expr, right: &Expr, to: &DataType, schema: &DFSchema) -> Option<Expr> {
    let DataType::Decimal128(_, scale @ 0..) = to else { return None };
    let side = |side: &Expr| match side.get_type(schema).ok()? {
        DataType::Decimal128(_, 0..) => Some(side.clone()),
        of if of.is_integer() => Some(cast(side.clone(), DataType::Decimal128(20, 0))),
        _ => None,
    };
    let is_exact = |side: &Expr| side.get_type(schema).is_ok_and(|of| of.is_decimal());
    if !is_exact(left) && !is_exact(right) {
        return None;
    }
    let args = vec![side(left)?, side(right)?];
    let signature = Signature::any(2, Volatility::Immutable);
    let function = ScalarUDF::from(Quotient { to: to.clone(), scale: scale.unsigned_abs(), signature });
    Some(Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(function), args)))
}

/// A decimal divided by another one.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Quotient {
    to: DataType,
    /// The digits of the result after the point.
    scale: u8,
    signature: Signature,
}

impl Quotient {
    fn value(&self, left: Decimal, right: Decimal) -> BaseResult<Decimal> {
        if right.unscaled == 0 {
            return Err(Error::new(Code::DivisionByZero, "division by zero"));
        }
        let more = (u32::from(self.scale) + u32::from(right.scale)).checked_sub(u32::from(left.scale));
        let more =
            more.ok_or_else(|| Error::new(Code::Internal, "a quotient has at least the digits of the dividend"))?;
        let narrow = 10i128.checked_pow(more).and_then(|factor| left.unscaled.checked_mul(factor));
        let unscaled = match narrow {
            Some(dividend) => rounded_quotient(dividend, right.unscaled),
            None => wide_quotient(left.unscaled, more, right.unscaled),
        };
        let unscaled = unscaled.filter(|unscaled| unscaled.unsigned_abs() < 10u128.pow(38)).ok_or_else(too_long)?;
        Ok(Decimal::new(unscaled, self.scale))
    }

    fn vector(&self, left: &ArrayRef, right: &ArrayRef) -> Result<ArrayRef> {
        let scale_of = |side: &ArrayRef| match side.data_type() {
            DataType::Decimal128(_, scale) => Ok(scale.unsigned_abs()),
            other => internal_err!("a quotient of {other}"),
        };
        let (of_left, of_right) = (scale_of(left)?, scale_of(right)?);
        let divided = |sides: (Option<i128>, Option<i128>)| match sides {
            (Some(left), Some(right)) => {
                let quotient = self.value(Decimal::new(left, of_left), Decimal::new(right, of_right))?;
                Ok(Some(quotient.unscaled))
            }
            _ => Ok(None),
        };
        let sides = left.as_primitive::<Decimal128Type>().iter().zip(right.as_primitive::<Decimal128Type>());
        let quotients = sides.map(divided).collect::<BaseResult<PrimitiveArray<Decimal128Type>>>();
        let quotients = quotients.map_err(to_datafusion)?;
        Ok(Arc::new(quotients.with_data_type(self.to.clone())))
    }
}

/// The same for a dividend that has more digits, once it is brought to the scale that it is divided at.
fn wide_quotient(dividend: i128, more: u32, divisor: i128) -> Option<i128> {
    let ten = i256::from_i128(10);
    rounded(i256::from_i128(dividend).checked_mul(ten.checked_pow(more)?)?, i256::from_i128(divisor))
}

/// The nearest whole number, halves away from zero; `None` if it has more than 128 bits.
pub(crate) fn rounded(dividend: i256, divisor: i256) -> Option<i128> {
    let is_negative = dividend.is_negative() != divisor.is_negative();
    let (dividend, divisor) = (dividend.wrapping_abs(), divisor.wrapping_abs());
    let (whole, rest) = (dividend.checked_div(divisor)?, dividend.checked_rem(divisor)?);
    let rounded = if rest >= divisor.wrapping_sub(rest) { whole.checked_add(i256::ONE)? } else { whole };
    rounded.to_i128().map(|rounded| if is_negative { -rounded } else { rounded })
}

/// The error of a result that no DECIMAL holds.
pub(crate) fn too_long() -> Error {
    Error::new(Code::InvalidValue, "the result has more than the 38 digits that a DECIMAL can have")
}

/// The same for the row executor.
pub(crate) fn row_function(function: &ScalarUDF) -> Option<Arc<dyn mainstay_row_executor::Function>> {
    let function = function.inner().downcast_ref::<Quotient>()?;
    Some(Arc::new(OfRow(Quotient { to: function.to.clone(), signature: function.signature.clone(), ..*function })))
}

#[derive(Debug)]
struct OfRow(Quotient);

impl mainstay_row_executor::Function for OfRow {
    fn call(&self, arguments: &[ValueRef<'_>]) -> BaseResult<Value> {
        match arguments {
            [left, right] => match (left.as_decimal(), right.as_decimal()) {
                (Some(left), Some(right)) => self.0.value(left, right).map(Value::Decimal),
                _ => Ok(Value::Null),
            },
            _ => Err(Error::new(Code::Internal, "a quotient has two sides")),
        }
    }
}

impl ScalarUDFImpl for Quotient {
    fn name(&self) -> &str {
        "quotient"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.to.clone())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let [left, right] = arrays.as_slice() else { return internal_err!("a quotient of {} sides", arrays.len()) };
        let quotients = self.vector(left, right)?;
        match is_scalar {
            true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&quotients, 0)?)),
            false => Ok(ColumnarValue::Array(quotients)),
        }
    }
}

/// The AVG of statements.
pub(crate) static AVG: LazyLock<Arc<AggregateUDF>> = LazyLock::new(|| {
    let general = avg_udaf();
    let kinds = [INTERVAL, DataType::Interval(IntervalUnit::YearMonth)].map(|of| TypeSignature::Exact(vec![of]));
    let signatures = [general.signature().type_signature.clone()].into_iter().chain(kinds).collect();
    let signature = Signature::one_of(signatures, Volatility::Immutable);
    Arc::new(AggregateUDF::from(Average { general, signature }))
});

#[derive(Debug, PartialEq, Eq, Hash)]
struct Average {
    general: Arc<AggregateUDF>,
    signature: Signature,
}

/// The sums of an average that is made here.
fn own(of: Option<&DataType>, to: &DataType, is_distinct: bool) -> Option<Box<dyn Accumulator>> {
    match (of?, to) {
        (DataType::Interval(_), _) if !is_distinct => Some(Box::<IntervalAverage>::default()),
        (DataType::Decimal128(precision, of), DataType::Decimal128(to_precision, to)) if !is_distinct => {
            // With the digits before the point there is no room for one more behind it.
            let is_wide = i16::from(*precision) - i16::from(*of) + i16::from(*to) >= 38;
            is_wide.then(|| Box::new(WideAverage::none(*of, (*to_precision, *to))) as Box<dyn Accumulator>)
        }
        _ => None,
    }
}

fn own_of(args: &AccumulatorArgs<'_>) -> Option<Box<dyn Accumulator>> {
    let of = args.expr_fields.first().map(|field| field.data_type());
    own(of, args.return_field.data_type(), args.is_distinct)
}

/// The field of a decimal with one digit more; `None` for other types, and where there is no room for one.
fn with_a_digit_more(field: &Field) -> Option<FieldRef> {
    match field.data_type() {
        DataType::Decimal128(precision, scale) if *scale < 38 => {
            let finer = DataType::Decimal128((precision + 1).min(38), scale + 1);
            Some(Arc::new(field.clone().with_data_type(finer)))
        }
        _ => None,
    }
}

/// Averages with a digit too many, rounded to the type that they have.
fn rounded_averages(averages: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let (DataType::Decimal128(_, finer), DataType::Decimal128(precision, scale)) = (averages.data_type(), to) else {
        return internal_err!("an average of {} as {to}", averages.data_type());
    };
    let limit = 10u128.pow(u32::from(*precision));
    let rounded = |units: i128| {
        let decimal = Decimal::new(units, finer.unsigned_abs()).rescale(scale.unsigned_abs());
        let decimal = decimal.filter(|decimal| decimal.unscaled.unsigned_abs() < limit);
        let outside = || to_datafusion(Error::new(Code::InvalidValue, "an average is out of range"));
        decimal.map(|decimal| decimal.unscaled).ok_or_else(outside)
    };
    let rounded: PrimitiveArray<Decimal128Type> = averages.as_primitive::<Decimal128Type>().try_unary(rounded)?;
    Ok(Arc::new(rounded.with_data_type(to.clone())))
}

impl AggregateUDFImpl for Average {
    fn name(&self) -> &str {
        self.general.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [DataType::Interval(_)] => Ok(INTERVAL),
            // All digits before the point have room.
            [DataType::Decimal128(precision @ 35.., scale @ 0..)] => {
                let room = 38 - (*precision as i8 - scale);
                Ok(DataType::Decimal128(38, room.min(scale.saturating_add(4))))
            }
            _ => self.general.return_type(types),
        }
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        match args.input_fields.first().map(|field| field.data_type()) {
            Some(DataType::Interval(_)) if !args.is_distinct => Ok(interval_state(args.name)),
            _ => self.general.inner().state_fields(args),
        }
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        if let Some(own) = own_of(&args) {
            return Ok(own);
        }
        let to = args.return_field.data_type().clone();
        match with_a_digit_more(&args.return_field) {
            Some(return_field) => {
                let general = self.general.accumulator(AccumulatorArgs { return_field, ..args })?;
                Ok(Box::new(Rounded { general, to }))
            }
            None => self.general.accumulator(args),
        }
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        if let Some(own) = own_of(&args) {
            return Ok(own);
        }
        let to = args.return_field.data_type().clone();
        match with_a_digit_more(&args.return_field) {
            Some(return_field) => {
                let args = AccumulatorArgs { return_field, ..args };
                Ok(Box::new(Rounded { general: self.general.create_sliding_accumulator(args)?, to }))
            }
            None => self.general.create_sliding_accumulator(args),
        }
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        // Each group has a sum of its own type then.
        own_of(&args).is_none() && self.general.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        let to = args.return_field.data_type().clone();
        match with_a_digit_more(&args.return_field) {
            Some(return_field) => {
                let general = self.general.create_groups_accumulator(AccumulatorArgs { return_field, ..args })?;
                Ok(Box::new(RoundedGroups { general, to }))
            }
            None => self.general.create_groups_accumulator(args),
        }
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

/// An average of decimals.
#[derive(Debug)]
struct Rounded {
    /// Gives a digit more.
    general: Box<dyn Accumulator>,
    to: DataType,
}

impl Accumulator for Rounded {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.general.update_batch(values)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.general.merge_batch(states)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.general.retract_batch(values)
    }

    fn supports_retract_batch(&self) -> bool {
        self.general.supports_retract_batch()
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let average = self.general.evaluate()?.to_array()?;
        ScalarValue::try_from_array(&rounded_averages(&average, &self.to)?, 0)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.general.state()
    }

    fn size(&self) -> usize {
        self.general.size()
    }
}

/// An average of decimals for each group.
struct RoundedGroups {
    /// Gives a digit more.
    general: Box<dyn GroupsAccumulator>,
    to: DataType,
}

impl GroupsAccumulator for RoundedGroups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        filter: Option<&BooleanArray>,
        groups: usize,
    ) -> Result<()> {
        self.general.update_batch(values, group_indices, filter, groups)
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], groups: usize) -> Result<()> {
        self.general.merge_batch(values, group_indices, groups)
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        self.general.convert_to_state(values, filter)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        rounded_averages(&self.general.evaluate(emit_to)?, &self.to)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        self.general.state(emit_to)
    }

    fn size(&self) -> usize {
        self.general.size()
    }
}
