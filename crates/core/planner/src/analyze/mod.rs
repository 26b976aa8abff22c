//! Semantics of a statement as passes over its logical plan, before DataFusion's analyzer and optimizer run.
//!
//! [`crate::passes`] has their order. Every pass returns a plan with the same columns; most return at once if the plan
//! contains nothing for them (`tree::search`).

pub(crate) mod blank_fields;
pub(crate) mod cast;
pub(crate) mod char_columns;
pub(crate) mod coercion;
pub(crate) mod collate;
pub(crate) mod compared_by;
pub(crate) mod field_metadata;
pub(crate) mod group_by_subqueries;
pub(crate) mod order_by_subqueries;
pub(crate) mod outer_reference_types;
pub(crate) mod overflow;
pub(crate) mod result_types;
pub(crate) mod set_operations;
pub(crate) mod sort_key;
pub(crate) mod text_literals;
pub(crate) mod trailing_blanks;
