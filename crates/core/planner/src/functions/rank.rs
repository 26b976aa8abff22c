//! ROW_NUMBER, RANK, DENSE_RANK and NTILE as BIGINT.
//!
//! DataFusion's functions give unsigned numbers, which have no type of SQL: beside other integers they would become
//! decimals, and half of one would have a fraction.

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::compute::{SortOptions, cast};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{ExpressionArgs, PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion::logical_expr::window_state::WindowAggState;
use datafusion::logical_expr::{LimitEffect, PartitionEvaluator, ReversedUDWF, Signature, WindowUDF, WindowUDFImpl};
use datafusion::physical_expr::PhysicalExpr;
use std::ops::Range;
use std::sync::Arc;

/// The functions that count.
const NAMES: [&str; 4] = ["row_number", "rank", "dense_rank", "ntile"];

/// The function as statements have it.
pub(crate) fn signed(general: Arc<WindowUDF>) -> Arc<WindowUDF> {
    if NAMES.contains(&general.name()) { Arc::new(WindowUDF::from(Counting { general })) } else { general }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Counting {
    /// DataFusion's own.
    general: Arc<WindowUDF>,
}

impl WindowUDFImpl for Counting {
    fn name(&self) -> &str {
        self.general.name()
    }

    fn signature(&self) -> &Signature {
        self.general.signature()
    }

    fn expressions(&self, args: ExpressionArgs) -> Vec<Arc<dyn PhysicalExpr>> {
        self.general.inner().expressions(args)
    }

    fn partition_evaluator(&self, args: PartitionEvaluatorArgs) -> Result<Box<dyn PartitionEvaluator>> {
        Ok(Box::new(Counts { general: self.general.inner().partition_evaluator(args)? }))
    }

    fn field(&self, args: WindowUDFFieldArgs) -> Result<FieldRef> {
        Ok(Arc::new(Field::new(args.name(), DataType::Int64, false)))
    }

    fn sort_options(&self) -> Option<SortOptions> {
        self.general.inner().sort_options()
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.general.inner().coerce_types(types)
    }

    fn reverse_expr(&self) -> ReversedUDWF {
        ReversedUDWF::NotSupported
    }

    fn limit_effect(&self, args: &[Arc<dyn PhysicalExpr>]) -> LimitEffect {
        self.general.inner().limit_effect(args)
    }
}

/// The numbers of a partition.
#[derive(Debug)]
struct Counts {
    general: Box<dyn PartitionEvaluator>,
}

impl PartitionEvaluator for Counts {
    fn memoize(&mut self, state: &mut WindowAggState) -> Result<()> {
        self.general.memoize(state)
    }

    fn get_range(&self, at: usize, rows: usize) -> Result<Range<usize>> {
        self.general.get_range(at, rows)
    }

    fn is_causal(&self) -> bool {
        self.general.is_causal()
    }

    fn evaluate_all(&mut self, values: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        Ok(cast(&self.general.evaluate_all(values, rows)?, &DataType::Int64)?)
    }

    fn evaluate(&mut self, values: &[ArrayRef], range: &Range<usize>) -> Result<ScalarValue> {
        self.general.evaluate(values, range)?.cast_to(&DataType::Int64)
    }

    fn evaluate_all_with_rank(&self, rows: usize, ranks: &[Range<usize>]) -> Result<ArrayRef> {
        Ok(cast(&self.general.evaluate_all_with_rank(rows, ranks)?, &DataType::Int64)?)
    }

    fn supports_bounded_execution(&self) -> bool {
        self.general.supports_bounded_execution()
    }

    fn uses_window_frame(&self) -> bool {
        self.general.uses_window_frame()
    }

    fn include_rank(&self) -> bool {
        self.general.include_rank()
    }
}
