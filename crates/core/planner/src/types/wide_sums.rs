//! SUM of decimals of more than 28 digits for each group, added in 256 bits.
//!
//! Such a sum may have more than 38 digits on the way. An accumulator for each group would be given a slice of each batch
//! for each of its groups, which takes several times as long as the addition when there are many groups; here one
//! vector has the sums of all.

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef, BooleanArray, PrimitiveArray};
use arrow_buffer::i256;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result, internal_err};
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};
use mainstay_columnar::vector::decimals::{WideSum, add_by_group};
use mainstay_types::{Code, Error};
use std::sync::Arc;

/// The decimals of the first column, in this scale.
pub(super) fn numbers_in_scale(values: &[ArrayRef], scale: i8) -> Result<PrimitiveArray<Decimal128Type>> {
    let Some(values) = values.first() else { return internal_err!("a sum of nothing") };
    match values.data_type() {
        DataType::Decimal128(_, own) if *own == scale => Ok(values.as_primitive().clone()),
        _ => Ok(cast(values, &DataType::Decimal128(38, scale))?.as_primitive().clone()),
    }
}

/// A sum of all digits as a decimal.
///
/// Errors: `InvalidValue` for more than 38 digits.
pub(super) fn sum_of_digits(sum: i256) -> Result<i128> {
    let fits = |sum: &i128| sum.unsigned_abs() < 10u128.pow(38);
    let too_large = || Error::new(Code::InvalidValue, "a sum has more than 38 digits");
    sum.to_i128().filter(fits).ok_or_else(|| DataFusionError::External(Box::new(too_large())))
}

/// A sum for each group.
#[derive(Debug)]
pub(super) struct WideSums {
    scale: i8,
    sums: Vec<WideSum>,
}

impl WideSums {
    /// No groups yet; the sums have this scale.
    pub(super) fn none(scale: i8) -> WideSums {
        WideSums { scale, sums: Vec::new() }
    }

    fn typed(&self, sums: PrimitiveArray<Decimal128Type>) -> ArrayRef {
        Arc::new(sums.with_data_type(DataType::Decimal128(38, self.scale)))
    }
}

impl GroupsAccumulator for WideSums {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        group_indices: &[usize],
        filter: Option<&BooleanArray>,
        groups: usize,
    ) -> Result<()> {
        let numbers = numbers_in_scale(values, self.scale)?;
        self.sums.resize(groups, WideSum::default());
        if numbers.null_count() == 0 && filter.is_none() {
            add_by_group(&mut self.sums, group_indices, numbers.values());
            return Ok(());
        }
        for (row, (group, number)) in group_indices.iter().zip(numbers.values()).enumerate() {
            let is_kept = filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row));
            if is_kept
                && numbers.is_valid(row)
                && let Some(sum) = self.sums.get_mut(*group)
            {
                sum.add(*number);
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], group_indices: &[usize], groups: usize) -> Result<()> {
        self.update_batch(values, group_indices, None, groups)
    }

    fn convert_to_state(&self, values: &[ArrayRef], filter: Option<&BooleanArray>) -> Result<Vec<ArrayRef>> {
        let numbers = numbers_in_scale(values, self.scale)?;
        let kept = |(number, is_kept): (Option<i128>, Option<bool>)| number.filter(|_| is_kept == Some(true));
        let states: PrimitiveArray<Decimal128Type> = match filter {
            Some(filter) => numbers.iter().zip(filter).map(kept).collect(),
            None => numbers,
        };
        Ok(vec![self.typed(states)])
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let sum = |sum: WideSum| sum.parts().map(|(low, high)| sum_of_digits(i256::from_parts(low, high))).transpose();
        let sums: Result<PrimitiveArray<Decimal128Type>> =
            emit_to.take_needed(&mut self.sums).into_iter().map(sum).collect();
        Ok(self.typed(sums?))
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate(emit_to)?])
    }

    fn size(&self) -> usize {
        self.sums.capacity() * size_of::<WideSum>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Decimal128Array;

    fn decimals(values: &[Option<i128>]) -> Vec<ArrayRef> {
        vec![Arc::new(Decimal128Array::from(values.to_vec()).with_precision_and_scale(38, 4).unwrap())]
    }

    fn values(array: &ArrayRef) -> Vec<Option<i128>> {
        array.as_primitive::<Decimal128Type>().iter().collect()
    }

    const MOST: i128 = 10i128.pow(38) - 1;

    #[test]
    fn each_group_has_its_sum_and_one_without_numbers_has_none() {
        let mut sums = WideSums::none(4);
        sums.update_batch(&decimals(&[Some(1), Some(20), None, Some(300)]), &[0, 1, 2, 0], None, 3).unwrap();
        let filter = BooleanArray::from(vec![Some(true), Some(false), None]);
        sums.update_batch(&decimals(&[Some(4_000), Some(9), Some(9)]), &[1, 1, 2], Some(&filter), 3).unwrap();
        assert_eq!(values(&sums.evaluate(EmitTo::First(1)).unwrap()), [Some(301)]);
        let state = sums.state(EmitTo::All).unwrap();
        assert_eq!(values(&state[0]), [Some(4_020), None]);
        let mut merged = WideSums::none(4);
        merged.merge_batch(&state, &[1, 0], 2).unwrap();
        assert_eq!(values(&merged.evaluate(EmitTo::All).unwrap()), [None, Some(4_020)]);
    }

    #[test]
    fn a_sum_may_have_too_many_digits_on_the_way_but_not_at_the_end() {
        let mut sums = WideSums::none(4);
        sums.update_batch(&decimals(&[Some(MOST), Some(MOST), Some(-MOST)]), &[0, 0, 0], None, 1).unwrap();
        assert_eq!(values(&sums.evaluate(EmitTo::All).unwrap()), [Some(MOST)]);
        sums.update_batch(&decimals(&[Some(MOST), Some(1)]), &[0, 0], None, 1).unwrap();
        assert!(sums.evaluate(EmitTo::All).is_err());
    }

    #[test]
    fn rows_become_states_without_groups() {
        let filter = BooleanArray::from(vec![Some(true), Some(false), None]);
        let state = WideSums::none(4).convert_to_state(&decimals(&[Some(1), Some(2), Some(3)]), Some(&filter)).unwrap();
        assert_eq!(values(&state[0]), [Some(1), None, None]);
        assert_eq!(state[0].data_type(), &DataType::Decimal128(38, 4));
    }
}
