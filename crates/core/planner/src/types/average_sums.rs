//! Sums of averages that DataFusion does not support: of decimals whose averages need all 38 digits, which leave no
//! digit for rounding, and of intervals.

use crate::carried_error::to_datafusion;
use crate::functions::interval_of;
use crate::types::quotient::{rounded, too_long};
use arrow_array::types::{
    Decimal128Type, Decimal256Type, Int64Type, IntervalMonthDayNanoType, IntervalYearMonthType, UInt64Type,
};
use arrow_buffer::i256;
use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, IntervalUnit};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::Accumulator;
use mainstay_columnar::values::array_of;
use mainstay_types::ValueRef;
use std::sync::Arc;

/// The type of averages of intervals.
pub(crate) const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);

/// The digits that a sum of decimals may have.
const SUM_DIGITS: u8 = 76;

/// An average of decimals, of all their digits.
#[derive(Debug)]
pub(crate) struct WideAverage {
    /// The digits of the values after the point.
    scale: i8,
    /// The digits of the average.
    to: (u8, i8),
    sum: i256,
    count: u64,
}

impl WideAverage {
    /// Of no values yet.
    pub(crate) fn none(scale: i8, to: (u8, i8)) -> WideAverage {
        WideAverage { scale, to, sum: i256::ZERO, count: 0 }
    }
}

impl Accumulator for WideAverage {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for value in decimals(values)? {
            self.sum = self.sum.wrapping_add(i256::from_i128(value));
            self.count += 1;
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [counts, sums] = states else { return internal_err!("a state of an average of {} parts", states.len()) };
        self.count += counts.as_primitive::<UInt64Type>().iter().flatten().sum::<u64>();
        for sum in sums.as_primitive::<Decimal256Type>().iter().flatten() {
            self.sum = self.sum.wrapping_add(sum);
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for value in decimals(values)? {
            self.sum = self.sum.wrapping_sub(i256::from_i128(value));
            self.count -= 1;
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let (precision, scale) = self.to;
        if self.count == 0 {
            return Ok(ScalarValue::Decimal128(None, precision, scale));
        }
        let factor = i256::from_i128(10).checked_pow(u32::from((scale - self.scale).unsigned_abs()));
        let sum = factor.and_then(|factor| self.sum.checked_mul(factor));
        let average = sum.and_then(|sum| rounded(sum, i256::from_i128(i128::from(self.count))));
        let average = average.ok_or_else(|| to_datafusion(too_long()))?;
        Ok(ScalarValue::Decimal128(Some(average), precision, scale))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let sum = ScalarValue::Decimal256(Some(self.sum), SUM_DIGITS, self.scale);
        Ok(vec![ScalarValue::UInt64(Some(self.count)), sum])
    }

    fn size(&self) -> usize {
        size_of::<WideAverage>()
    }
}

fn decimals(values: &[ArrayRef]) -> Result<impl Iterator<Item = i128>> {
    match values.first().and_then(|values| values.as_primitive_opt::<Decimal128Type>()) {
        Some(decimals) => Ok(decimals.iter().flatten()),
        None => internal_err!("an average of decimals over something else"),
    }
}

/// An average of intervals: months, days and time for themselves, and what is left of months and days in days of 30 to the
/// month, and in time.
#[derive(Debug, Default)]
pub(crate) struct IntervalAverage {
    months: i64,
    days: i64,
    ns: i128,
    count: u64,
}

/// The fields of its state.
pub(crate) fn interval_state(name: &str) -> Vec<FieldRef> {
    let field = |part: &str, data_type| Arc::new(Field::new(format!("{name}[{part}]"), data_type, true));
    vec![
        field("count", DataType::UInt64),
        field("months", DataType::Int64),
        field("days", DataType::Int64),
        field("ns", DataType::Decimal128(38, 0)),
    ]
}

impl IntervalAverage {
    fn add(&mut self, values: &[ArrayRef], sign: i64) -> Result<()> {
        let Some(values) = values.first() else { return internal_err!("an average of nothing") };
        let count = (values.len() - values.null_count()) as u64;
        self.count = if sign > 0 { self.count + count } else { self.count - count };
        if let Some(months) = values.as_primitive_opt::<IntervalYearMonthType>() {
            self.months += sign * months.iter().flatten().map(i64::from).sum::<i64>();
            return Ok(());
        }
        let Some(intervals) = values.as_primitive_opt::<IntervalMonthDayNanoType>() else {
            return internal_err!("an average of intervals over {}", values.data_type());
        };
        for interval in intervals.iter().flatten() {
            self.months += sign * i64::from(interval.months);
            self.days += sign * i64::from(interval.days);
            self.ns += i128::from(sign) * i128::from(interval.nanoseconds);
        }
        Ok(())
    }
}

impl Accumulator for IntervalAverage {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.add(values, 1)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [counts, months, days, ns] = states else {
            return internal_err!("a state of an average of {} parts", states.len());
        };
        self.count += counts.as_primitive::<UInt64Type>().iter().flatten().sum::<u64>();
        self.months += months.as_primitive::<Int64Type>().iter().flatten().sum::<i64>();
        self.days += days.as_primitive::<Int64Type>().iter().flatten().sum::<i64>();
        self.ns += ns.as_primitive::<Decimal128Type>().iter().flatten().sum::<i128>();
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.add(values, -1)
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let average = match self.count {
            0 => ValueRef::Null,
            count => {
                let part = |sum: f64| sum / count as f64;
                let parts = [self.months as f64, self.days as f64, self.ns as f64 / 100.0].map(part);
                ValueRef::Interval(interval_of(parts).map_err(to_datafusion)?)
            }
        };
        ScalarValue::try_from_array(&array_of(&INTERVAL, &[average]), 0)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![
            ScalarValue::UInt64(Some(self.count)),
            ScalarValue::Int64(Some(self.months)),
            ScalarValue::Int64(Some(self.days)),
            ScalarValue::Decimal128(Some(self.ns), 38, 0),
        ])
    }

    fn size(&self) -> usize {
        size_of::<IntervalAverage>()
    }
}
