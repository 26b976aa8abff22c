//! SUM of whole numbers and decimals that fails when the sum is too large, and does not wrap around.
//!
//! The general executor's SUM adds in the type of the result. This one is DataFusion's for every other type; whole numbers
//! are added in 128 bits, which no number of rows fills, and looked at when a sum is given: to whom it may concern, and to
//! the operator that adds up the parts of several threads. Decimals whose sum may have more than 38 digits are added in 256
//! bits.

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array};
use arrow_buffer::i256;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, ReversedUDAF, Signature,
};
use mainstay_base::{Code, Error};
use std::sync::{Arc, LazyLock};

/// What SUM means in a statement.
pub(crate) static SUM: LazyLock<Arc<AggregateUDF>> =
    LazyLock::new(|| Arc::new(AggregateUDF::from(CheckedSum { general: Sum::new() })));

#[derive(Debug, PartialEq, Eq, Hash)]
struct CheckedSum {
    general: Sum,
}

fn is_checked(args: &AccumulatorArgs<'_>) -> bool {
    !args.is_distinct && args.return_field.data_type() == &DataType::Int64
}

/// The scale of a sum of decimals that may have more than 38 digits: those of up to 28 have not in ten thousand million rows.
fn wide_scale(args: &AccumulatorArgs<'_>) -> Option<i8> {
    let of = args.expr_fields.first().map(|field| field.data_type());
    match (of, args.return_field.data_type()) {
        (Some(DataType::Decimal128(29.., _)), DataType::Decimal128(_, scale)) if !args.is_distinct => Some(*scale),
        _ => None,
    }
}

impl AggregateUDFImpl for CheckedSum {
    fn name(&self) -> &str {
        self.general.name()
    }

    fn signature(&self) -> &Signature {
        self.general.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.general.return_type(types)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        self.general.state_fields(args)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        match wide_scale(&args) {
            Some(scale) => Ok(Box::new(WideSum { scale, sum: i256::ZERO, count: 0 })),
            None if is_checked(&args) => Ok(Box::new(WholeSum::default())),
            None => self.general.accumulator(args),
        }
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        match wide_scale(&args) {
            Some(scale) => Ok(Box::new(WideSum { scale, sum: i256::ZERO, count: 0 })),
            None if is_checked(&args) => Ok(Box::new(WholeSum::default())),
            None => self.general.create_sliding_accumulator(args),
        }
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        // Each group has a sum of its own type then.
        wide_scale(&args).is_none() && self.general.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        if is_checked(&args) {
            Ok(Box::new(WholeSums::default()))
        } else {
            self.general.create_groups_accumulator(args)
        }
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

fn whole(sum: i128) -> Result<i64> {
    i64::try_from(sum).map_err(|_| crate::error::to_datafusion(Error::new(Code::InvalidValue, "a sum is out of range")))
}

fn numbers(values: &[ArrayRef]) -> Result<&Int64Array> {
    match values.first().and_then(|values| values.as_primitive_opt::<Int64Type>()) {
        Some(numbers) => Ok(numbers),
        None => internal_err!("a sum of whole numbers over something else"),
    }
}

/// One sum.
#[derive(Debug, Default)]
struct WholeSum {
    sum: i128,
    count: usize,
}

impl WholeSum {
    fn of(numbers: &Int64Array) -> WholeSum {
        let count = numbers.len() - numbers.null_count();
        let sum = match numbers.null_count() {
            0 => numbers.values().iter().map(|number| i128::from(*number)).sum(),
            _ => numbers.iter().flatten().map(i128::from).sum(),
        };
        WholeSum { sum, count }
    }
}

impl Accumulator for WholeSum {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let more = WholeSum::of(numbers(values)?);
        self.sum += more.sum;
        self.count += more.count;
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let less = WholeSum::of(numbers(values)?);
        self.sum -= less.sum;
        self.count -= less.count;
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::Int64(if self.count == 0 { None } else { Some(whole(self.sum)?) }))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn size(&self) -> usize {
        size_of::<WholeSum>()
    }
}

/// One sum of decimals, of all its digits.
#[derive(Debug)]
struct WideSum {
    scale: i8,
    sum: i256,
    count: i64,
}

impl WideSum {
    fn add(&mut self, values: &[ArrayRef], sign: i64) -> Result<()> {
        let Some(values) = values.first() else { return internal_err!("a sum of nothing") };
        let wide = cast(values, &DataType::Decimal128(38, self.scale))?;
        for number in wide.as_primitive::<Decimal128Type>().iter().flatten() {
            let number = i256::from_i128(number);
            self.sum = if sign > 0 { self.sum.wrapping_add(number) } else { self.sum.wrapping_sub(number) };
            self.count += sign;
        }
        Ok(())
    }
}

impl Accumulator for WideSum {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.add(values, 1)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.add(states, 1)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.add(values, -1)
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let fits = |sum: &i128| sum.unsigned_abs() < 10u128.pow(38);
        let sum = match self.count {
            0 => None,
            _ => Some(self.sum.to_i128().filter(fits).ok_or_else(|| {
                crate::error::to_datafusion(Error::new(Code::InvalidValue, "a sum has more than 38 digits"))
            })?),
        };
        Ok(ScalarValue::Decimal128(sum, 38, self.scale))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn size(&self) -> usize {
        size_of::<WideSum>()
    }
}

/// A sum for each group.
#[derive(Debug, Default)]
struct WholeSums {
    sums: Vec<i128>,
    /// Whether there was a number to add.
    is_any: Vec<bool>,
}

impl GroupsAccumulator for WholeSums {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        filter: Option<&BooleanArray>,
        groups: usize,
    ) -> Result<()> {
        let numbers = numbers(values)?;
        self.sums.resize(groups, 0);
        self.is_any.resize(groups, false);
        for (row, (group, number)) in group_indices.iter().zip(numbers.values()).enumerate() {
            let is_added =
                numbers.is_valid(row) && filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row));
            if is_added && let (Some(sum), Some(is_any)) = (self.sums.get_mut(*group), self.is_any.get_mut(*group)) {
                *sum += i128::from(*number);
                *is_any = true;
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], groups: usize) -> Result<()> {
        self.update_batch(values, group_indices, None, groups)
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let numbers = numbers(values)?;
        let kept = |(number, is_kept): (Option<i64>, Option<bool>)| number.filter(|_| is_kept == Some(true));
        let states: Int64Array = match filter {
            Some(filter) => numbers.iter().zip(filter).map(kept).collect(),
            None => numbers.clone(),
        };
        Ok(vec![Arc::new(states)])
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let (sums, is_any) = (emit_to.take_needed(&mut self.sums), emit_to.take_needed(&mut self.is_any));
        let sum = |(sum, is_any): (i128, bool)| if is_any { whole(sum).map(Some) } else { Ok(None) };
        let sums: Result<Vec<Option<i64>>> = sums.into_iter().zip(is_any).map(sum).collect();
        Ok(Arc::new(Int64Array::from(sums?)))
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate(emit_to)?])
    }

    fn size(&self) -> usize {
        self.sums.capacity() * size_of::<i128>() + self.is_any.capacity()
    }
}
