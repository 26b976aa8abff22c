//! The source rows of an INSERT, independent of the kind of its table.

use arrow_array::RecordBatch;
use mainstay_columnar::values::value_at;
use mainstay_planner::{
    Catalog, Insert, InsertSource, Place, Planned, Planner, SqlExpr, Visibility, constants, values_queries,
};
use mainstay_types::interrupt::Pace;
use mainstay_types::{Result, Value, ValueRef};

/// A row of an INSERT: a value for each column that it names; `None` for DEFAULT. Empty for a row of defaults.
pub(crate) type GivenRow = Vec<Option<Value>>;

/// Reads the source of an INSERT.
pub(crate) struct Source<'s> {
    pub(crate) planner: &'s Planner,
    pub(crate) catalog: &'s dyn Catalog,
    /// The rows that its query sees.
    pub(crate) visibility: Visibility,
    /// The text of the statement, for places in errors.
    pub(crate) text: &'s str,
    /// The values of parameters in lists of values.
    pub(crate) parameters: &'s [ValueRef<'s>],
}

/// The rows that an INSERT adds.
pub(crate) enum GivenRows {
    All(Vec<GivenRow>),
    /// Those of a query, which have a value for each column.
    Query(Box<Planned>),
}

impl Source<'_> {
    /// The rows that are there, or the query that gives them; `run` gives the rows of queries in lists of values.
    pub(crate) fn given(
        &self,
        insert: &Insert,
        run: &mut dyn FnMut(&Planned) -> Result<Vec<RecordBatch>>,
    ) -> Result<GivenRows> {
        let rows = match &insert.source {
            InsertSource::Query(query) => {
                return self
                    .planner
                    .plan_insert(self.text, query, self.catalog, self.visibility)
                    .map(Box::new)
                    .map(GivenRows::Query);
            }
            InsertSource::Defaults => Ok(vec![Vec::new()]),
            InsertSource::Values(rows) => match constants(rows, self.parameters)? {
                Some(rows) => Ok(rows),
                None => {
                    // Rows whose values have no type in common are a query each.
                    let together = self.lists(rows, false);
                    let (plans, defaults) = together.or_else(|error| match rows.len() {
                        0 | 1 => Err(error),
                        _ => self.lists(rows, true),
                    })?;
                    let mut rows = Vec::with_capacity(rows.len());
                    for plan in &plans {
                        rows.extend(values(run(plan)?)?);
                    }
                    defaults.into_iter().for_each(|(row, column)| rows[row][column] = None);
                    Ok(rows)
                }
            },
        };
        rows.map(GivenRows::All)
    }

    /// The plans of lists of values, and where DEFAULT stands in them.
    fn lists(&self, rows: &[Vec<Option<SqlExpr>>], by_rows: bool) -> Result<(Vec<Planned>, Vec<Place>)> {
        let (queries, defaults) = values_queries(rows, by_rows)?;
        let plan = |query| self.planner.plan_insert(self.text, query, self.catalog, self.visibility);
        Ok((queries.iter().map(plan).collect::<Result<_>>()?, defaults))
    }
}

fn values(batches: Vec<RecordBatch>) -> Result<Vec<GivenRow>> {
    let (mut rows, mut pace) = (Vec::new(), Pace::default());
    for batch in batches {
        for row in 0..batch.num_rows() {
            pace.step()?;
            let values = batch.columns().iter().map(|column| value_at(column, row).map(Some));
            rows.push(values.collect::<Result<Vec<_>>>()?);
        }
    }
    Ok(rows)
}
