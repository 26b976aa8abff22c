//! Metadata of the fields of a plan: what a column is beyond its type.
//!
//! Fields carry it from the table through the plan to the answer. Names are in lower case in a plan; the spelling of the
//! table is metadata, too.

use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use mainstay_types::Collation;
use std::collections::HashMap;
use std::sync::Arc;

/// Metadata of a field: the column's name as its file has it.
pub(crate) const ORIGINAL_NAME: &str = "mainstay.name";

/// Metadata of a field that holds text padded with blanks.
pub(crate) const CHAR_COLUMN: &str = "mainstay.char";

/// Metadata of a column of an answer that comes from such a field: its length.
pub const SHOWN_LENGTH: &str = "mainstay.length";

/// Metadata of a column of numbers, of text that is not padded, or of truths whose NULL is a blank, in a file: its field, as
/// programs of that kind of file write it. An answer has it too.
pub const FIELD_COLUMN: &str = "mainstay.field";

/// Metadata of a field that holds text with a collation: its name.
pub(crate) const COLLATED_COLUMN: &str = "mainstay.collation";

/// Metadata of a column of a native table: its type. Those of files have none.
const SQL_TYPE: &str = "sql_type";

/// Metadata of a field that a dialect declared with a type of its own: the dialect's name of the type.
pub const DECLARED: &str = "mainstay.declared";

/// Columns of a file with its text under a collation. Those of native tables have their own, and say which SQL type they are
/// of.
pub(crate) fn collated(schema: &SchemaRef, collation: Collation) -> SchemaRef {
    let says_nothing = |field: &FieldRef| {
        let metadata = field.metadata();
        is_text(field.data_type()) && !metadata.contains_key(SQL_TYPE) && !metadata.contains_key(COLLATED_COLUMN)
    };
    if collation == Collation::Binary || !schema.fields().iter().any(says_nothing) {
        return Arc::clone(schema);
    }
    let field = |field: &FieldRef| match says_nothing(field) {
        true => {
            let mut metadata = field.metadata().clone();
            metadata.insert(COLLATED_COLUMN.to_owned(), collation.name().to_owned());
            Arc::new(field.as_ref().clone().with_metadata(metadata))
        }
        false => Arc::clone(field),
    };
    Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()))
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => values.is_string(),
        other => other.is_string(),
    }
}

/// The field under the name that the planner knows it by, with the file's own name as metadata.
pub(crate) fn lower_case(field: &Field) -> Field {
    let mut metadata: HashMap<String, String> = field.metadata().clone();
    metadata.insert(ORIGINAL_NAME.to_owned(), field.name().clone());
    field.clone().with_name(field.name().to_lowercase()).with_metadata(metadata)
}
