//! RETURNING: expressions over the changed rows.
//!
//! The expressions refer to the row after the change (in a DELETE, before it), and to values of the statement's query
//! beside it: the row before an UPDATE, and columns of the other tables.

use crate::rows::{NewRow, batch_of};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use mainstay_columnar::values::{array_of, value_at};
use mainstay_planner::{Answer, BoundReturning, HeldMemory, Name, Planned, Planner, Returning, RowExpressions};
use mainstay_store::group::Group;
use mainstay_types::{Result, Value, ValueRef};
use std::sync::Arc;

/// The RETURNING of a statement that knows its table by `alias` or else by its own name.
pub(crate) struct Shown {
    table: String,
    /// The columns of the rows.
    schema: SchemaRef,
    bound: Option<BoundReturning>,
    /// The fields of the values beside each row.
    fields: Vec<Arc<Field>>,
    /// True if rows of nothing but NULLs stand for rows that are gone, whatever the columns hold.
    may_miss: bool,
}

impl Shown {
    /// The RETURNING clause over a table with these columns, of which the last `hidden` ones are not part of `*`.
    /// Without a RETURNING it gives no rows.
    pub(crate) fn new(
        (name, schema, hidden): (&str, &SchemaRef, usize),
        alias: Option<&Name>,
        returning: Option<&Returning>,
    ) -> Result<Shown> {
        let table = alias.map_or_else(|| name.to_lowercase(), |alias| alias.key.clone());
        let columns = schema.fields().len().saturating_sub(hidden);
        let visible: SchemaRef = match hidden {
            0 => Arc::clone(schema),
            _ => Arc::new(Schema::new(schema.fields().iter().take(columns).cloned().collect::<Vec<_>>())),
        };
        let bound = returning.map(|returning| returning.bind(&table, &visible)).transpose()?;
        Ok(Shown { table, schema: Arc::clone(schema), bound, fields: Vec::new(), may_miss: false })
    }

    /// The same where rows may be gone, which are shown as NULLs.
    pub(crate) fn with_missing_rows(self) -> Shown {
        Shown { may_miss: true, ..self }
    }

    /// No rows yet of a change; those that it wants, or that something else looks at, count in the memory of statements.
    pub(crate) fn no_rows(&self, planner: &Planner, are_looked_at: bool) -> Rows {
        let is_counted = are_looked_at || self.is_wanted();
        let memory = is_counted.then(|| planner.held_memory("the rows of RETURNING"));
        Rows { kept: Kept { rows: Vec::new(), memory }, ..Rows::default() }
    }

    /// Returns true if it wants rows.
    pub(crate) fn is_wanted(&self) -> bool {
        self.bound.is_some()
    }

    /// Its expressions, compiled once for many runs; `None` for those that name parameters.
    pub(crate) fn compiled(&self, planner: &Planner) -> Option<RowExpressions> {
        let bound = self.bound.as_ref().filter(|bound| !bound.may_have_parameters())?;
        planner.row_returning(bound, &self.table, &self.schema, &self.fields).ok()
    }

    /// The values beside each row that the statement's query has to give.
    pub(crate) fn beside(&self) -> &[mainstay_planner::SqlExpr] {
        self.bound.as_ref().map_or(&[], |bound| &bound.beside)
    }

    /// Learns of the types of the values beside each row, which are the query's last columns.
    pub(crate) fn planned(&mut self, planned: &Planned) {
        self.found(planned.schema());
    }

    /// The same from the columns of the query.
    pub(crate) fn found(&mut self, schema: &Schema) {
        let fields = schema.fields();
        self.fields = fields[fields.len() - self.beside().len()..].to_vec();
    }

    /// The values beside a row of the query.
    pub(crate) fn values(&self, batch: &RecordBatch, row: usize) -> Result<Vec<Value>> {
        let first = batch.num_columns() - self.fields.len();
        batch.columns()[first..].iter().map(|column| value_at(column, row)).collect()
    }

    /// The answer of a change: the count, and what is asked for.
    pub(crate) fn answer(&self, planner: &Planner, rows: Rows) -> Result<Answer> {
        let Some(bound) = &self.bound else {
            return Ok(Answer::of(Arc::new(Schema::empty()), Vec::new()).with_changed(rows.count));
        };
        let schema = self.row_schema();
        let (batch, behind) = self.batch(&schema, &rows.kept.rows)?;
        let expressions = planner.row_returning(bound, &self.table, &schema, &behind)?;
        let batch = expressions.evaluate(&batch)?;
        Ok(Answer::of(expressions.schema().clone(), vec![batch]).with_changed(rows.count))
    }

    /// The answer of a change whose expressions are compiled.
    pub(crate) fn answer_compiled(&self, expressions: &RowExpressions, rows: Rows) -> Result<Answer> {
        let (batch, _) = self.batch(&self.row_schema(), &rows.kept.rows)?;
        let batch = expressions.evaluate(&batch)?;
        Ok(Answer::of(expressions.schema().clone(), vec![batch]).with_changed(rows.count))
    }

    fn row_schema(&self) -> SchemaRef {
        match self.may_miss {
            false => Arc::clone(&self.schema),
            true => {
                let nullable = |field: &Arc<Field>| field.as_ref().clone().with_nullable(true);
                Arc::new(Schema::new(self.schema.fields().iter().map(nullable).collect::<Vec<_>>()))
            }
        }
    }

    /// Rows and the values beside them as vectors, and the fields of the latter.
    fn batch(&self, schema: &SchemaRef, kept: &[(NewRow, Vec<Value>)]) -> Result<(RecordBatch, Vec<Arc<Field>>)> {
        let column = |(place, field): (usize, &Arc<Field>)| -> ArrayRef {
            let values: Vec<ValueRef<'_>> =
                kept.iter().map(|(row, _)| row.get(place).map_or(ValueRef::Null, Value::as_ref)).collect();
            array_of(field.data_type(), &values)
        };
        let mut columns: Vec<ArrayRef> = schema.fields().iter().enumerate().map(column).collect();
        let mut fields: Vec<Arc<Field>> = schema.fields().to_vec();
        for (place, field) in self.fields.iter().enumerate() {
            let values: Vec<ValueRef<'_>> =
                kept.iter().map(|(_, beside)| beside.get(place).map_or(ValueRef::Null, Value::as_ref)).collect();
            let column = array_of(field.data_type(), &values);
            // Texts of literals have another layout than those of tables.
            fields.push(Arc::new(field.as_ref().clone().with_data_type(column.data_type().clone())));
            columns.push(column);
        }
        let behind = fields[schema.fields().len()..].to_vec();
        Ok((batch_of(&Arc::new(Schema::new(fields)), columns, kept.len())?, behind))
    }
}

/// Rows with the values beside each, and the memory that they hold.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) rows: Vec<(NewRow, Vec<Value>)>,
    memory: Option<HeldMemory>,
}

impl Kept {
    /// Keeps a row.
    ///
    /// Errors: `OutOfMemory`.
    pub(crate) fn push(&mut self, row: NewRow, beside: Vec<Value>) -> Result<()> {
        if let Some(memory) = &mut self.memory {
            memory.add(bytes_of(&row) + bytes_of(&beside))?;
        }
        self.rows.push((row, beside));
        Ok(())
    }
}

/// The bytes that values take.
pub(crate) fn bytes_of(values: &[Value]) -> usize {
    let beyond = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    };
    size_of::<Vec<Value>>() + size_of_val(values) + values.iter().map(beyond).sum::<usize>()
}

/// The rows that a change has written or ended.
#[derive(Default)]
pub(crate) struct Rows {
    /// How many.
    pub(crate) count: u64,
    /// Their values, and the values beside each, when something asks for them.
    pub(crate) kept: Kept,
    /// The versions that were written, when something asks for them as they are: a group and the offset in it each.
    pub(crate) versions: Vec<(Arc<Group>, usize)>,
    /// The values beside each of those versions, one after the other.
    pub(crate) beside: Vec<Value>,
}
