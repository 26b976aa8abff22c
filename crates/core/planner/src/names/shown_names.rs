//! Names of the columns of an answer.

use crate::fields::{CHAR_COLUMN, COLLATED_COLUMN, DECLARED, FIELD_COLUMN, ORIGINAL_NAME, SHOWN_LENGTH};
use crate::parse::text::Text;
use datafusion::arrow::datatypes::{Field, FieldRef, Schema, SchemaRef};
use std::sync::Arc;

/// The columns under the names that the user wrote, or else that their files have.
pub(crate) fn named_schema(schema: &SchemaRef, text: &Text) -> SchemaRef {
    let heads = text.column_heads().filter(|heads| heads.len() == schema.fields().len());
    let named = |(i, field): (usize, &FieldRef)| -> Field {
        let written = heads.as_ref().and_then(|heads| heads[i].clone());
        let known = crate::parse::marks::unmarked(crate::names::duplicate_columns::shown(field.name()));
        let known = known.as_ref();
        let original = || field.metadata().get(ORIGINAL_NAME).filter(|name| name.to_lowercase() == known).cloned();
        let name = written.or_else(original).or_else(|| text.spelling(known));
        let name = name.unwrap_or_else(|| known.to_owned());
        // How the text of a dialect compares is for who makes columns of it.
        let collation = field.metadata().contains_key(DECLARED).then_some(COLLATED_COLUMN);
        let kept = [DECLARED, FIELD_COLUMN].into_iter().chain(collation);
        let kept = kept.filter_map(|key| Some((key.to_owned(), field.metadata().get(key)?.clone())));
        let length = field.metadata().get(CHAR_COLUMN).map(|length| (SHOWN_LENGTH.to_owned(), length.clone()));
        let metadata = kept.chain(length).collect();
        Field::new(name, field.data_type().clone(), field.is_nullable()).with_metadata(metadata)
    };
    Arc::new(Schema::new(schema.fields().iter().enumerate().map(named).collect::<Vec<Field>>()))
}
