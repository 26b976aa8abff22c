//! Application of the filters that joins give a scan: see [`crate::execute::join_filters`].
//!
//! The scan reads the keys of the rows that its own condition leaves, applies the filters, and then reads the other columns of
//! the rows that are left. A filter that leaves most rows is given up.

use crate::carried_error::to_datafusion;
use crate::error::from_datafusion;
use crate::tree::nodes::Tree;
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{Column, DynamicFilterPhysicalExpr};
use datafusion::physical_expr::utils::collect_columns;
use mainstay_columnar::Snapshot;
use mainstay_columnar::vector::gather;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Rows that a filter has met before it may be given up.
const TRIAL_ROWS: usize = 20_000;
/// The share of rows, in percent, above which a filter costs more than it saves.
const MOST_PERCENT: usize = 80;

/// The new filters of a run, by the numbers of those in the plan.
pub(crate) type NewFilters = HashMap<u64, Arc<DynamicFilterPhysicalExpr>>;

/// A filter over some columns of a scan.
#[derive(Clone, Debug)]
pub(crate) struct JoinFilter {
    /// Over a batch of these columns.
    expr: Arc<dyn PhysicalExpr>,
    /// The places of the columns in the output of the scan.
    places: Vec<usize>,
    schema: SchemaRef,
}

impl JoinFilter {
    /// The filter that a join has given a scan with this output; `None` for an expression that is no such filter.
    pub(crate) fn of(expr: &Arc<dyn PhysicalExpr>, output: &SchemaRef) -> Result<Option<JoinFilter>> {
        if !expr.is::<DynamicFilterPhysicalExpr>() {
            return Ok(None);
        }
        let mut places: Vec<usize> = collect_columns(expr).iter().map(Column::index).collect();
        places.sort_unstable();
        let schema = Arc::new(output.project(&places)?);
        let expr = Arc::clone(expr).map_up(|part| match part.downcast_ref::<Column>() {
            Some(column) => {
                let place = places.iter().position(|place| *place == column.index()).unwrap_or_default();
                Ok(Transformed::yes(Arc::new(Column::new(column.name(), place)) as Arc<dyn PhysicalExpr>))
            }
            None => Ok(Transformed::no(part)),
        });
        Ok(Some(JoinFilter { expr: expr.data()?, places, schema }))
    }

    /// The same for another run; `None` if its join fills none.
    pub(crate) fn renewed(&self, filters: &NewFilters) -> Result<Option<JoinFilter>> {
        let Some(new) = self.expr.expression_id().and_then(|number| filters.get(&number)) else { return Ok(None) };
        let keys = self.expr.children().into_iter().cloned().collect();
        let expr = (Arc::clone(new) as Arc<dyn PhysicalExpr>).with_new_children(keys)?;
        Ok(Some(JoinFilter { expr, ..self.clone() }))
    }

    /// The rows of a group that pass.
    fn passing(
        &self,
        (columns, snapshot): (&[usize], &dyn Snapshot),
        group: usize,
        rows: Vec<u32>,
    ) -> Result<Vec<u32>> {
        let columns: Vec<usize> = self.places.iter().map(|place| columns[*place]).collect();
        let vectors = snapshot.vectors(group, &columns).map_err(to_datafusion)?;
        let keys = vectors.iter().zip(self.schema.fields());
        let keys = keys.map(|(vector, field)| gather(vector, &rows, field.data_type()).map_err(to_datafusion));
        let options = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let keys = RecordBatch::try_new_with_options(Arc::clone(&self.schema), keys.collect::<Result<_>>()?, &options)?;
        let passes = self.expr.evaluate(&keys)?.into_array(rows.len())?;
        let passes = passes.as_boolean();
        if passes.true_count() == rows.len() {
            return Ok(rows);
        }
        Ok(rows
            .into_iter()
            .enumerate()
            .filter(|(at, _)| passes.is_valid(*at) && passes.value(*at))
            .map(|(_, row)| row)
            .collect())
    }
}

impl fmt::Display for JoinFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        f.write_str(&names.join(" and "))
    }
}

/// The filters of a running scan.
pub(crate) struct RunningFilters {
    filters: Vec<RunningFilter>,
}

struct RunningFilter {
    filter: JoinFilter,
    met: usize,
    passed: usize,
}

impl RunningFilters {
    /// Of a scan that begins; `None` without filters.
    pub(crate) fn of(filters: &[JoinFilter]) -> Option<RunningFilters> {
        let running = |filter: &JoinFilter| RunningFilter { filter: filter.clone(), met: 0, passed: 0 };
        let filters: Vec<RunningFilter> = filters.iter().map(running).collect();
        (!filters.is_empty()).then_some(RunningFilters { filters })
    }

    /// The columns of the table that the filters are about.
    pub(crate) fn columns(&self, columns: &[usize]) -> Vec<usize> {
        self.filters.iter().flat_map(|it| it.filter.places.iter().map(|place| columns[*place])).collect()
    }

    /// The rows of a group that pass, of these; `None` if none of the filters is worth it. `columns` are those of the table in the
    /// output of the scan.
    ///
    /// Errors: as reading the keys, and as comparing them.
    pub(crate) fn passing(
        &mut self,
        (columns, snapshot): (&[usize], &dyn Snapshot),
        group: usize,
        rows: &dyn Fn() -> mainstay_types::Result<Vec<u32>>,
    ) -> mainstay_types::Result<Option<Vec<u32>>> {
        self.filters.retain(|it| it.met < TRIAL_ROWS || it.passed * 100 <= it.met * MOST_PERCENT);
        if self.filters.is_empty() {
            return Ok(None);
        }
        let mut rows = rows()?;
        for it in &mut self.filters {
            if rows.is_empty() {
                break;
            }
            it.met += rows.len();
            let passing = it.filter.passing((columns, snapshot), group, rows);
            rows = passing.map_err(|error| from_datafusion(error, None, None))?;
            it.passed += rows.len();
        }
        Ok(Some(rows))
    }
}
