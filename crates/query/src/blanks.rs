//! Logical fields that nobody has filled in, for dialects that read them as FALSE.
//!
//! A logical field of a DBF holds T, F or a blank. The core reads a blank as NULL; Advantage has no NULL in such tables, and
//! its filters, its indexes and its calls take the blank for FALSE. So a table is a query over itself to statements of that
//! dialect, whose conditions, columns and changes then see what the rest of it sees:
//!
//! ```text
//!   FROM t     SELECT name, paid IS TRUE AS paid FROM t        conditions on paid are the scan's own still
//! ```
//! Source: the help page of `EMPTY`, "List of DBF Empty Values".

use crate::rules::FIELD_COLUMN;
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::catalog::ViewSource;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::expr::FieldMetadata;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, TableSource};
use std::sync::Arc;

/// Whether a column is a logical field whose NULL is a blank.
pub(crate) fn may_be_blank(field: &Field) -> bool {
    let is_logical = |kept: &String| kept.starts_with('L');
    field.data_type() == &DataType::Boolean && field.metadata().get(FIELD_COLUMN).is_some_and(is_logical)
}

/// The table with its blank logical fields as FALSE; the same if it has no such fields.
pub(crate) fn as_false(name: &str, source: Arc<dyn TableSource>) -> Result<Arc<dyn TableSource>> {
    if !source.schema().fields().iter().any(|field| may_be_blank(field)) {
        return Ok(source);
    }
    let table = LogicalPlanBuilder::scan(name, source, None)?;
    let columns: Vec<Expr> = table
        .schema()
        .iter()
        .map(|(table, field)| {
            let column = Expr::Column(Column::from((table, field)));
            match may_be_blank(field) {
                true => {
                    let metadata = FieldMetadata::from(field.metadata().clone());
                    Expr::IsTrue(Box::new(column)).alias_with_metadata(field.name(), Some(metadata))
                }
                false => column,
            }
        })
        .collect();
    Ok(Arc::new(ViewSource::new(table.project(columns)?.build()?)))
}
