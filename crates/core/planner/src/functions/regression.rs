//! `regr_r2` of values on a horizontal line is 1 (ISO 9075-2, 10.9; PostgreSQL), and NULL only where all x are the same.
//!
//! ```text
//!   N < 1, or Sxx = 0    NULL
//!   Syy = 0              1
//!   otherwise            Sxy² / (Sxx * Syy)
//! ```
//!
//! DataFusion gives NULL in the second case too. Its sums are used, and its final calculation is replaced.

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::functions_aggregate::regr::regr_r2_udaf;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature};
use std::sync::{Arc, LazyLock};

/// The function's name.
pub(crate) const NAME: &str = "regr_r2";

/// The function.
pub(crate) static R2: LazyLock<Arc<AggregateUDF>> =
    LazyLock::new(|| Arc::new(AggregateUDF::from(RSquared { sums: regr_r2_udaf() })));

#[derive(Debug, PartialEq, Eq, Hash)]
struct RSquared {
    sums: Arc<AggregateUDF>,
}

impl AggregateUDFImpl for RSquared {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        self.sums.signature()
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Sums(self.sums.accumulator(args)?)))
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        self.sums.state_fields(args)
    }
}

/// The sums, whose state is: the count, the means of x and of y, the sums of squares of their distances from these, and the
/// sum of the products of the distances.
#[derive(Debug)]
struct Sums(Box<dyn Accumulator>);

impl Accumulator for Sums {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.0.update_batch(values)
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.0.merge_batch(states)
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.0.retract_batch(values)
    }

    fn supports_retract_batch(&self) -> bool {
        self.0.supports_retract_batch()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.0.state()
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.0.size()
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let is_flat = match self.0.state()?.as_slice() {
            [
                ScalarValue::UInt64(Some(1..)),
                _,
                _,
                ScalarValue::Float64(Some(xx)),
                ScalarValue::Float64(Some(yy)),
                _,
            ] => *xx != 0.0 && *yy == 0.0,
            _ => false,
        };
        if is_flat { Ok(ScalarValue::Float64(Some(1.0))) } else { self.0.evaluate() }
    }
}
