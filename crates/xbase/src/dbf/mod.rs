//! DBF tables.

mod field;

pub use field::{Field, FieldKind};
