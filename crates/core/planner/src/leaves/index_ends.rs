//! MIN and MAX of computed values, from the ends of indexes that are ordered by them.

use crate::leaves::batches;
use crate::leaves::fused::{Batches, Input};
use arrow_array::{ArrayRef, RecordBatch, new_null_array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::physical_expr::PhysicalExpr;
use mainstay_columnar::Ordering;
use mainstay_columnar::vector::materialize;
use mainstay_types::Result;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The first values of some orders.
#[derive(Clone, Debug)]
pub(crate) struct EndsKernel {
    pub(crate) ends: Vec<End>,
    /// The columns of the table that the values are computed of, and how the expressions know them.
    pub(crate) columns: Vec<usize>,
    pub(crate) schema: SchemaRef,
    /// Which of the values are given, in this order.
    pub(crate) outputs: Vec<usize>,
}

/// The value of the first row of an order in which it is not NULL.
#[derive(Clone, Debug)]
pub(crate) struct End {
    pub(crate) ordering: Ordering,
    pub(crate) value: Arc<dyn PhysicalExpr>,
    pub(crate) data_type: DataType,
    /// As a person would write it.
    pub(crate) text: String,
}

impl EndsKernel {
    pub(crate) fn project(&self, outputs: &[usize]) -> EndsKernel {
        let outputs = outputs.iter().map(|output| self.outputs[*output]).collect();
        EndsKernel { outputs, ..self.clone() }
    }

    pub(crate) fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<&str> = self.ends.iter().map(|end| end.text.as_str()).collect();
        let orders: Vec<&str> = self.ends.iter().map(|end| end.ordering.text.as_str()).collect();
        write!(f, "TableAggregate: aggregates=[{}], from the ends of [{}], ", values.join(", "), orders.join(", "))
    }

    pub(crate) fn run(&self, input: &Input<'_>) -> Result<Option<Batches>> {
        let mut arrays = Vec::with_capacity(self.outputs.len());
        for output in &self.outputs {
            match self.first(input, &self.ends[*output])? {
                Some(array) => arrays.push(array),
                None => return Ok(None),
            }
        }
        let batch = batches::batch(Arc::clone(input.schema), arrays, 1)?;
        Ok(Some(Box::new(std::iter::once(Ok(batch)))))
    }

    /// `None` when the index cannot be used now.
    fn first(&self, input: &Input<'_>, end: &End) -> Result<Option<ArrayRef>> {
        let snapshot = input.snapshot;
        let mut first = None;
        let mut visit = |row: u32| {
            let (vectors, kept) = snapshot.fetch(&[row], &self.columns, !end.ordering.with_hidden)?;
            if kept.is_empty() {
                return Ok(ControlFlow::Continue(()));
            }
            let fields = self.schema.fields().iter();
            let arrays = vectors.iter().zip(fields).map(|(vector, field)| materialize(vector, field.data_type()));
            let batch = batches::batch(Arc::clone(&self.schema), arrays.collect::<Result<_>>()?, 1)?;
            let value = value_of(end, &batch).map_err(|error| crate::error::from_datafusion(error, None, None))?;
            if value.is_null(0) {
                return Ok(ControlFlow::Continue(()));
            }
            first = Some(value);
            Ok(ControlFlow::Break(()))
        };
        if !snapshot.walk(&end.ordering, &mut visit)? {
            return Ok(None);
        }
        Ok(Some(first.unwrap_or_else(|| new_null_array(&end.data_type, 1))))
    }
}

fn value_of(end: &End, batch: &RecordBatch) -> datafusion::common::Result<ArrayRef> {
    let value = end.value.evaluate(batch)?.into_array(1)?;
    Ok(cast(&value, &end.data_type)?)
}
