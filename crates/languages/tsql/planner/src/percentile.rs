//! PERCENTILE_CONT and PERCENTILE_DISC over the values of a window.
//!
//! Of n sorted values the first function takes the place (n - 1) * p, counted from 0, and interpolates between two
//! values; the second takes the first value whose share of the rows is at least p. NULLs are ignored. The rules are
//! those of the functions' reference pages.

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType as ArrowType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};
use std::cmp::Ordering;
use std::mem::size_of_val;
use std::sync::Arc;

/// One of the two, over values in one of two orders. Its arguments are the values and p.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Percentile {
    continuous: bool,
    descending: bool,
    signature: Signature,
}

/// The aggregate that a function of T-SQL stands for: `percentile_cont`, or `percentile_disc_desc`.
pub(super) fn function(name: &str) -> Arc<AggregateUDF> {
    let (continuous, descending) = (name.starts_with("percentile_cont"), name.ends_with("_desc"));
    let signature = Signature::any(2, Volatility::Immutable);
    Arc::new(AggregateUDF::from(Percentile { continuous, descending, signature }))
}

impl AggregateUDFImpl for Percentile {
    fn name(&self) -> &str {
        match (self.continuous, self.descending) {
            (true, false) => "percentile_cont_of",
            (true, true) => "percentile_cont_of_desc",
            (false, false) => "percentile_disc_of",
            (false, true) => "percentile_disc_of_desc",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[ArrowType]) -> Result<ArrowType> {
        Ok(match types.first() {
            Some(of) if !self.continuous => of.clone(),
            _ => ArrowType::Float64,
        })
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Values {
            continuous: self.continuous,
            descending: self.descending,
            result: args.return_field.data_type().clone(),
            values: Vec::new(),
            share: 0.0,
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let of = args.input_fields.first().map_or(ArrowType::Float64, |field| field.data_type().clone());
        let list = Field::new_list("values", Field::new_list_field(of, true), true);
        Ok(vec![Arc::new(list), Arc::new(Field::new("share", ArrowType::Float64, true))])
    }
}

/// The values so far.
#[derive(Debug)]
struct Values {
    continuous: bool,
    descending: bool,
    result: ArrowType,
    values: Vec<ScalarValue>,
    share: f64,
}

impl Values {
    fn take(&mut self, array: &ArrayRef) -> Result<()> {
        for row in 0..array.len() {
            let value = ScalarValue::try_from_array(array, row)?;
            if !value.is_null() {
                self.values.push(value);
            }
        }
        Ok(())
    }

    fn take_share(&mut self, array: &ArrayRef) -> Result<()> {
        if array.is_empty() {
            return Ok(());
        }
        match ScalarValue::try_from_array(array, 0)?.cast_to(&ArrowType::Float64)? {
            ScalarValue::Float64(Some(share)) => self.share = share,
            _ => return exec_err!("a percentile without a share"),
        }
        Ok(())
    }
}

fn float(value: &ScalarValue) -> Result<f64> {
    match value.cast_to(&ArrowType::Float64)? {
        ScalarValue::Float64(Some(value)) => Ok(value),
        _ => Ok(0.0),
    }
}

impl Accumulator for Values {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        if let Some(array) = values.first() {
            self.take(array)?;
        }
        values.get(1).map_or(Ok(()), |share| self.take_share(share))
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let descending = self.descending;
        self.values.sort_by(|one, other| {
            let order = one.partial_cmp(other).unwrap_or(Ordering::Equal);
            if descending { order.reverse() } else { order }
        });
        let Some(last) = self.values.len().checked_sub(1) else { return ScalarValue::try_from(&self.result) };
        if !self.continuous {
            let place = (self.share * self.values.len() as f64).ceil() as usize;
            let value = self.values.get(place.saturating_sub(1).min(last)).cloned();
            return value.map_or_else(|| ScalarValue::try_from(&self.result), Ok);
        }
        let place = self.share * last as f64;
        let (low, high) = (place.floor() as usize, place.ceil() as usize);
        let at = |place: usize| self.values.get(place.min(last)).map_or(Ok(0.0), float);
        let (low, high, between) = (at(low)?, at(high)?, place - place.floor());
        Ok(ScalarValue::Float64(Some(low + (high - low) * between)))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.values.iter().map(ScalarValue::size).sum::<usize>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let of = self.values.first().map_or(ArrowType::Float64, ScalarValue::data_type);
        let list = ScalarValue::new_list_nullable(&self.values, &of);
        Ok(vec![ScalarValue::List(list), ScalarValue::Float64(Some(self.share))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        if let Some(lists) = states.first() {
            for row in 0..lists.len() {
                if let ScalarValue::List(list) = ScalarValue::try_from_array(lists, row)? {
                    self.take(&list.value(0))?;
                }
            }
        }
        states.get(1).map_or(Ok(()), |share| self.take_share(share))
    }
}
