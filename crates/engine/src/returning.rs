//! RETURNING: what a change gives of its rows.
//!
//! Its expressions are over the row as it has become (or was, in a DELETE), and over values that the statement's query gives
//! beside it: what the row was before an UPDATE, and columns of the other tables.

use crate::native::{NewRow, batch_of};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema, SchemaRef};
use mainstay_base::{Result, Value, ValueRef};
use mainstay_query::{Answer, BoundReturning, HeldMemory, Name, Planned, Planner, Returning, RowExpressions};
use mainstay_store::group::Group;
use mainstay_table::values::{array_of, value_at};
use std::sync::Arc;

/// The RETURNING of a statement that knows its table by `alias` or else by its own name.
pub(crate) struct Shown {
    table: String,
    /// The columns of the rows.
    schema: SchemaRef,
    bound: Option<BoundReturning>,
    /// The fields of the values beside each row.
    fields: Vec<Arc<Field>>,
    /// Whether rows of nothing but NULLs stand for rows that are gone, whatever the columns hold.
    may_miss: bool,
}

impl Shown {
    /// What is shown of a table with these columns, of which the last `hidden` ones are not part of `*`. Without a
    /// RETURNING it shows nothing.
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

    /// Whether it wants rows.
    pub(crate) fn is_wanted(&self) -> bool {
        self.bound.is_some()
    }

    /// Its expressions, compiled once for many rows; `None` for those over more than the rows as they have become.
    pub(crate) fn of_rows_alone(&self, planner: &Planner) -> Option<RowExpressions> {
        let bound = self.bound.as_ref().filter(|bound| bound.beside.is_empty() && !bound.may_have_parameters())?;
        planner.row_returning(bound, &self.table, &self.schema, &[]).ok()
    }

    /// The values beside each row that the statement's query has to give.
    pub(crate) fn beside(&self) -> &[mainstay_query::SqlExpr] {
        self.bound.as_ref().map_or(&[], |bound| &bound.beside)
    }

    /// Learns of the types of the values beside each row, which are the query's last columns.
    pub(crate) fn planned(&mut self, planned: &Planned) {
        let fields = planned.schema().fields();
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
        let schema = match self.may_miss {
            false => Arc::clone(&self.schema),
            true => {
                let nullable = |field: &Arc<Field>| field.as_ref().clone().with_nullable(true);
                Arc::new(Schema::new(self.schema.fields().iter().map(nullable).collect::<Vec<_>>()))
            }
        };
        let Kept { rows: kept, memory: _held } = rows.kept;
        let (kept, beside): (Vec<NewRow>, Vec<Vec<Value>>) = kept.into_iter().unzip();
        let column = |(place, field): (usize, &Arc<Field>)| -> ArrayRef {
            let values: Vec<ValueRef<'_>> =
                kept.iter().map(|row| row.get(place).map_or(ValueRef::Null, Value::as_ref)).collect();
            array_of(field.data_type(), &values)
        };
        let mut columns: Vec<ArrayRef> = schema.fields().iter().enumerate().map(column).collect();
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
}
