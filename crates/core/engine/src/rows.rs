//! Rows of changes: as values, and as batches for expressions.

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use mainstay_types::{Code, Error, Result, Value};
use std::sync::Arc;

/// A row that is about to be written: a value for each column.
pub(crate) type NewRow = Vec<Value>;

/// A batch under a schema whose columns may be NULL whatever it says: constraints are applied by those who write.
pub(crate) fn batch_of(schema: &SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch> {
    let fields = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema, columns, &options)
        .map_err(|error| Error::new(Code::Internal, format!("rows that do not fit their table: {error}")))
}

/// A row without columns, for expressions that refer to none.
pub(crate) fn one_row() -> Result<RecordBatch> {
    batch_of(&Arc::new(Schema::empty()), Vec::new(), 1)
}
