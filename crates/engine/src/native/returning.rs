//! RETURNING: what a change gives of its rows.
//!
//! Its expressions are over the row as it has become (or was, in a DELETE), and over values that the statement's query gives
//! beside it: what the row was before an UPDATE, and columns of the other tables.

use super::forms::{Form, NewRow, batch_of};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{Field, Schema};
use mainstay_base::{Result, Value, ValueRef};
use mainstay_query::{Answer, BoundReturning, Name, Planned, Planner, Returning};
use mainstay_table::values::{array_of, value_at};
use std::sync::Arc;

/// The RETURNING of a statement that knows its table by `alias` or else by its own name.
pub(super) struct Shown {
    table: String,
    bound: Option<BoundReturning>,
    /// The fields of the values beside each row.
    fields: Vec<Arc<Field>>,
    /// Whether rows of nothing but NULLs stand for rows that are gone, whatever the columns hold.
    may_miss: bool,
}

impl Shown {
    /// Without a RETURNING it shows nothing.
    pub(super) fn new(form: &Form, alias: Option<&Name>, returning: Option<&Returning>) -> Result<Shown> {
        let table = alias.map_or_else(|| form.definition.name.to_lowercase(), |alias| alias.key.clone());
        let bound = returning.map(|returning| returning.bind(&table, &form.schema)).transpose()?;
        Ok(Shown { table, bound, fields: Vec::new(), may_miss: false })
    }

    /// The same where rows may be gone, which are shown as NULLs.
    pub(super) fn with_missing_rows(self) -> Shown {
        Shown { may_miss: true, ..self }
    }

    /// Whether it wants rows.
    pub(super) fn is_wanted(&self) -> bool {
        self.bound.is_some()
    }

    /// The values beside each row that the statement's query has to give.
    pub(super) fn beside(&self) -> &[mainstay_query::SqlExpr] {
        self.bound.as_ref().map_or(&[], |bound| &bound.beside)
    }

    /// Learns of the types of the values beside each row, which are the query's last columns.
    pub(super) fn planned(&mut self, planned: &Planned) {
        let fields = planned.schema().fields();
        self.fields = fields[fields.len() - self.beside().len()..].to_vec();
    }

    /// The values beside a row of the query.
    pub(super) fn values(&self, batch: &RecordBatch, row: usize) -> Result<Vec<Value>> {
        let first = batch.num_columns() - self.fields.len();
        batch.columns()[first..].iter().map(|column| value_at(column, row)).collect()
    }

    /// The answer of a change: the count, and what is asked for.
    pub(super) fn answer(&self, planner: &Planner, form: &Form, rows: Rows) -> Result<Answer> {
        let Some(bound) = &self.bound else {
            return Ok(Answer::of(Arc::new(Schema::empty()), Vec::new()).with_changed(rows.count));
        };
        let schema = match self.may_miss {
            false => Arc::clone(&form.schema),
            true => {
                let nullable = |field: &Arc<Field>| field.as_ref().clone().with_nullable(true);
                Arc::new(Schema::new(form.schema.fields().iter().map(nullable).collect::<Vec<_>>()))
            }
        };
        let (kept, beside): (Vec<NewRow>, Vec<Vec<Value>>) = rows.kept.into_iter().unzip();
        let mut columns = form.arrays(&kept);
        let mut fields: Vec<Arc<Field>> = schema.fields().to_vec();
        for (place, field) in self.fields.iter().enumerate() {
            let values: Vec<ValueRef<'_>> =
                beside.iter().map(|values| values.get(place).map_or(ValueRef::Null, Value::as_ref)).collect();
            let column = array_of(field.data_type(), &values);
            // Texts of literals have another layout than those of tables.
            fields.push(Arc::new(field.as_ref().clone().with_data_type(column.data_type().clone())));
            columns.push(column);
        }
        let behind = &fields[schema.fields().len()..];
        let expressions = planner.row_returning(bound, &self.table, &schema, behind)?;
        let batch = batch_of(&Arc::new(Schema::new(fields)), columns, kept.len())?;
        let batch = expressions.evaluate(&batch)?;
        Ok(Answer::of(expressions.schema().clone(), vec![batch]).with_changed(rows.count))
    }
}

/// The rows that a change has written or ended.
#[derive(Default)]
pub(crate) struct Rows {
    /// How many.
    pub(crate) count: u64,
    /// Their values, and the values beside each, when something asks for them.
    pub(crate) kept: Vec<(NewRow, Vec<Value>)>,
}
