//! SUM and AVG of DECIMALs whose point floats.
//!
//! A sum has 32 digits after each step, as on a server: the order of the rows may decide its last digit where values of
//! very different size meet. NULLs are ignored; no value at all gives NULL.

use super::PREFIX;
use super::function::{field, in_plan};
use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};
use mainstay_columnar::values::{array_of, value_at};
use mainstay_informix_syntax::floating::{FloatingDecimal, MOST_DIGITS};
use mainstay_planner::tools::failed;
use mainstay_types::{Value, ValueRef};
use std::collections::BTreeSet;
use std::mem::size_of;
use std::sync::Arc;

/// One of the two.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Total {
    name: String,
    is_average: bool,
    signature: Signature,
}

/// The aggregate of a name, which stands here without its prefix.
pub(super) fn function(name: &str) -> Option<Arc<AggregateUDF>> {
    let is_average = match name {
        "sum" => false,
        "avg" => true,
        _ => return None,
    };
    let signature = Signature::any(1, Volatility::Immutable);
    Some(Arc::new(AggregateUDF::from(Total { name: format!("{PREFIX}{name}"), is_average, signature })))
}

impl AggregateUDFImpl for Total {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(field(&self.name, MOST_DIGITS as u8).data_type().clone())
    }

    fn return_field(&self, _: &[FieldRef]) -> Result<FieldRef> {
        Ok(Arc::new(field(&self.name, MOST_DIGITS as u8)))
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Running {
            is_average: self.is_average,
            data_type: args.return_field.data_type().clone(),
            sum: FloatingDecimal::ZERO,
            count: 0,
            distinct: args.is_distinct.then(BTreeSet::new),
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let state = args.return_field.as_ref().clone();
        let of = |name: &str| format!("{}[{name}]", args.name);
        Ok(vec![Arc::new(state.with_name(of("sum"))), Arc::new(Field::new(of("count"), DataType::Int64, true))])
    }
}

/// The values so far.
#[derive(Debug)]
struct Running {
    is_average: bool,
    data_type: DataType,
    sum: FloatingDecimal,
    count: i64,
    /// The values that were seen, of an aggregate with DISTINCT.
    distinct: Option<BTreeSet<Vec<u8>>>,
}

impl Running {
    fn add(&mut self, number: FloatingDecimal, count: i64) -> Result<()> {
        self.sum = self.sum.plus(number).map_err(|error| in_plan(&error))?;
        self.count = self.count.saturating_add(count);
        Ok(())
    }

    fn take(&mut self, number: FloatingDecimal) -> Result<()> {
        let is_new = self.distinct.as_mut().is_none_or(|seen| seen.insert(number.to_bytes()));
        if is_new { self.add(number, 1) } else { Ok(()) }
    }

    fn scalar(&self, bytes: Option<&[u8]>) -> Result<ScalarValue> {
        let value = bytes.map_or(ValueRef::Null, ValueRef::Binary);
        ScalarValue::try_from_array(&array_of(&self.data_type, &[value]), 0)
    }
}

/// Values with their lengths before them: a number has no more than 18 bytes.
fn packed(values: &BTreeSet<Vec<u8>>) -> Vec<u8> {
    values.iter().flat_map(|bytes| std::iter::once(bytes.len() as u8).chain(bytes.iter().copied())).collect()
}

fn unpacked(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut values = Vec::new();
    while let Some((length, rest)) = bytes.split_first() {
        let Some((value, rest)) = rest.split_at_checked(usize::from(*length)) else { break };
        values.push(value);
        bytes = rest;
    }
    values
}

fn number_at(array: &ArrayRef, row: usize) -> Result<Option<FloatingDecimal>> {
    let value = value_at(array.as_ref(), row).map_err(failed)?;
    match &value {
        Value::Null => Ok(None),
        value => FloatingDecimal::of_value(value.as_ref()).map(Some).map_err(|error| in_plan(&error)),
    }
}

impl Accumulator for Running {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let Some(array) = values.first() else { return Ok(()) };
        for row in 0..array.len() {
            if let Some(number) = number_at(array, row)? {
                self.take(number)?;
            }
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        if self.count == 0 {
            return self.scalar(None);
        }
        let result = match self.is_average {
            true => FloatingDecimal::of_value(ValueRef::Integer(self.count)).and_then(|count| self.sum.divide(count)),
            false => Ok(self.sum),
        };
        let bytes = result.map_err(|error| in_plan(&error))?.to_bytes();
        self.scalar(Some(&bytes))
    }

    fn size(&self) -> usize {
        // A value with its node of the tree.
        let seen = self.distinct.as_ref().map_or(0, |seen| seen.len() * 64);
        size_of::<Running>() + seen
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let bytes = match &self.distinct {
            Some(seen) => packed(seen),
            None => self.sum.to_bytes(),
        };
        Ok(vec![self.scalar(Some(&bytes))?, ScalarValue::Int64(Some(self.count))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [sums, counts] = states else { return Ok(()) };
        for row in 0..sums.len() {
            let (state, count) = (value_at(sums.as_ref(), row).map_err(failed)?, value_at(counts.as_ref(), row));
            let (Value::Binary(bytes), Value::Integer(count)) = (&state, count.map_err(failed)?) else { continue };
            if self.distinct.is_some() {
                for value in unpacked(bytes) {
                    self.take(FloatingDecimal::from_bytes(value).map_err(|error| in_plan(&error))?)?;
                }
            } else {
                self.add(FloatingDecimal::from_bytes(bytes).map_err(|error| in_plan(&error))?, count)?;
            }
        }
        Ok(())
    }
}
