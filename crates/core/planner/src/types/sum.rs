//! SUM of whole numbers and decimals that fails when the sum is too large, and does not wrap around.
//!
//! The general executor's SUM adds in the type of the result. This SUM is DataFusion's for every other type; integers
//! are added in 128 bits, which no number of rows overflows, and checked when a sum is given, to the statement or to
//! the operator that adds up the parts of several threads. Decimals whose sum may have more than 38 digits are added in
//! 256 bits.

use super::wide_sums::{WideSums, numbers_in_scale, sum_of_digits};
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, PrimitiveArray};
use arrow_buffer::i256;
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, ReversedUDAF, Signature,
};
use mainstay_types::{Code, Error};
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, LazyLock};

/// The SUM of statements.
pub(crate) static SUM: LazyLock<Arc<AggregateUDF>> =
    LazyLock::new(|| Arc::new(AggregateUDF::from(CheckedSum { general: Sum::new() })));

#[derive(Debug, PartialEq, Eq, Hash)]
struct CheckedSum {
    general: Sum,
}

/// Whole numbers of 64 bits.
trait Whole: ArrowPrimitiveType<Native: Into<i128> + TryFrom<i128>> + std::fmt::Debug + Send + Sync {}

impl Whole for Int64Type {}

impl Whole for UInt64Type {}

/// An accumulator of whole numbers of the type that the sum has; `None` for other types.
fn checked<A: ?Sized>(args: &AccumulatorArgs<'_>, signed: fn() -> Box<A>, unsigned: fn() -> Box<A>) -> Option<Box<A>> {
    match args.return_field.data_type() {
        DataType::Int64 if !args.is_distinct => Some(signed()),
        DataType::UInt64 if !args.is_distinct => Some(unsigned()),
        _ => None,
    }
}

fn checked_sum(args: &AccumulatorArgs<'_>) -> Option<Box<dyn Accumulator>> {
    fn none<T: Whole>() -> Box<dyn Accumulator> {
        Box::new(WholeSum { sum: 0, count: 0, of: PhantomData::<T> })
    }
    checked(args, none::<Int64Type>, none::<UInt64Type>)
}

fn checked_sums(args: &AccumulatorArgs<'_>) -> Option<Box<dyn GroupsAccumulator>> {
    fn none<T: Whole>() -> Box<dyn GroupsAccumulator> {
        Box::new(WholeSums { sums: Vec::new(), is_any: Vec::new(), of: PhantomData::<T> })
    }
    checked(args, none::<Int64Type>, none::<UInt64Type>)
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
        if args.is_distinct
            && let Some(none) = none_of_distinct(&args)
        {
            return Ok(Box::new(SumOfDistinct { none, values: self.general.accumulator(args)? }));
        }
        match (wide_scale(&args), checked_sum(&args)) {
            (Some(scale), _) => Ok(Box::new(WideSum::none(scale))),
            (None, Some(checked)) => Ok(checked),
            (None, None) => self.general.accumulator(args),
        }
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        match (wide_scale(&args), checked_sum(&args)) {
            (Some(scale), _) => Ok(Box::new(WideSum::none(scale))),
            (None, Some(checked)) => Ok(checked),
            (None, None) => self.general.create_sliding_accumulator(args),
        }
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        !args.is_distinct && (wide_scale(&args).is_some() || self.general.groups_accumulator_supported(args))
    }

    fn create_groups_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        match (wide_scale(&args), checked_sums(&args)) {
            (Some(scale), _) => Ok(Box::new(WideSums::none(scale))),
            (None, Some(checked)) => Ok(checked),
            (None, None) => self.general.create_groups_accumulator(args),
        }
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

fn whole<T: Whole>(sum: i128) -> Result<T::Native> {
    T::Native::try_from(sum)
        .map_err(|_| crate::carried_error::to_datafusion(Error::new(Code::InvalidValue, "a sum is out of range")))
}

fn numbers<T: Whole>(values: &[ArrayRef]) -> Result<&PrimitiveArray<T>> {
    match values.first().and_then(|values| values.as_primitive_opt::<T>()) {
        Some(numbers) => Ok(numbers),
        None => internal_err!("a sum of whole numbers over something else"),
    }
}

/// One sum.
#[derive(Debug)]
struct WholeSum<T> {
    sum: i128,
    count: usize,
    of: PhantomData<T>,
}

impl<T: Whole> WholeSum<T> {
    fn of(numbers: &PrimitiveArray<T>) -> WholeSum<T> {
        let count = numbers.len() - numbers.null_count();
        let sum = match numbers.null_count() {
            0 => numbers.values().iter().map(|number| (*number).into()).sum(),
            _ => numbers.iter().flatten().map(Into::into).sum(),
        };
        WholeSum { sum, count, of: PhantomData }
    }
}

impl<T: Whole> Accumulator for WholeSum<T> {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let more = WholeSum::<T>::of(numbers(values)?);
        self.sum += more.sum;
        self.count += more.count;
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let less = WholeSum::<T>::of(numbers(values)?);
        self.sum -= less.sum;
        self.count -= less.count;
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let sum = if self.count == 0 { None } else { Some(whole::<T>(self.sum)?) };
        ScalarValue::try_from_array(&PrimitiveArray::<T>::from_iter([sum]), 0)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn size(&self) -> usize {
        size_of::<WholeSum<T>>()
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
    fn none(scale: i8) -> WideSum {
        WideSum { scale, sum: i256::ZERO, count: 0 }
    }

    fn add(&mut self, values: &[ArrayRef], sign: i64) -> Result<()> {
        for number in numbers_in_scale(values, self.scale)?.iter().flatten() {
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
        let sum = if self.count == 0 { None } else { Some(sum_of_digits(self.sum)?) };
        Ok(ScalarValue::Decimal128(sum, 38, self.scale))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn size(&self) -> usize {
        size_of::<WideSum>()
    }
}

/// A sum of no numbers yet.
type NoSum = Box<dyn Fn() -> Box<dyn Accumulator> + Send + Sync>;

/// How the numbers that differ are summed, where a sum of them may be too large for its type.
fn none_of_distinct(args: &AccumulatorArgs<'_>) -> Option<NoSum> {
    match *args.return_field.data_type() {
        DataType::Int64 => Some(Box::new(|| Box::new(WholeSum::<Int64Type>::of(&PrimitiveArray::new_null(0))))),
        DataType::UInt64 => Some(Box::new(|| Box::new(WholeSum::<UInt64Type>::of(&PrimitiveArray::new_null(0))))),
        DataType::Decimal128(38, scale) => Some(Box::new(move || Box::new(WideSum::none(scale)))),
        _ => None,
    }
}

/// One sum of the numbers that differ: the general executor's, which keeps them, with a sum of ours of what it has kept.
struct SumOfDistinct {
    none: NoSum,
    values: Box<dyn Accumulator>,
}

impl fmt::Debug for SumOfDistinct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SumOfDistinct").field("values", &self.values).finish_non_exhaustive()
    }
}

impl Accumulator for SumOfDistinct {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.values.update_batch(values)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.values.merge_batch(states)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mut sum = (self.none)();
        for state in self.values.state()? {
            let ScalarValue::List(kept) = state else { return internal_err!("distinct values that are no list") };
            sum.update_batch(&[Arc::clone(kept.values())])?;
        }
        sum.evaluate()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.values.state()
    }

    fn size(&self) -> usize {
        size_of::<SumOfDistinct>() + self.values.size()
    }
}

/// A sum for each group.
#[derive(Debug)]
struct WholeSums<T> {
    sums: Vec<i128>,
    /// True if there was a number to add.
    is_any: Vec<bool>,
    of: PhantomData<T>,
}

impl<T: Whole> GroupsAccumulator for WholeSums<T> {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        filter: Option<&BooleanArray>,
        groups: usize,
    ) -> Result<()> {
        let numbers = numbers::<T>(values)?;
        self.sums.resize(groups, 0);
        self.is_any.resize(groups, false);
        for (row, (group, number)) in group_indices.iter().zip(numbers.values()).enumerate() {
            let is_added =
                numbers.is_valid(row) && filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row));
            if is_added && let (Some(sum), Some(is_any)) = (self.sums.get_mut(*group), self.is_any.get_mut(*group)) {
                *sum += (*number).into();
                *is_any = true;
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], groups: usize) -> Result<()> {
        self.update_batch(values, group_indices, None, groups)
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let numbers = numbers::<T>(values)?;
        let kept = |(number, is_kept): (Option<T::Native>, Option<bool>)| number.filter(|_| is_kept == Some(true));
        let states: PrimitiveArray<T> = match filter {
            Some(filter) => numbers.iter().zip(filter).map(kept).collect(),
            None => numbers.clone(),
        };
        Ok(vec![Arc::new(states)])
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let (sums, is_any) = (emit_to.take_needed(&mut self.sums), emit_to.take_needed(&mut self.is_any));
        let sum = |(sum, is_any): (i128, bool)| if is_any { whole::<T>(sum).map(Some) } else { Ok(None) };
        let sums: Result<PrimitiveArray<T>> = sums.into_iter().zip(is_any).map(sum).collect();
        Ok(Arc::new(sums?))
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate(emit_to)?])
    }

    fn size(&self) -> usize {
        self.sums.capacity() * size_of::<i128>() + self.is_any.capacity()
    }
}
