//! Names on the parser's tree: tables, columns and windows that a statement refers to, made unambiguous for the planner;
//! and the names of an answer's columns (`shown_names`).

pub(crate) mod applied_names;
pub(crate) mod colliding_names;
pub(crate) mod column_references;
pub(crate) mod duplicate_columns;
pub(crate) mod name;
pub(crate) mod outer_names;
pub(crate) mod schema_names;
pub(crate) mod shown_names;
pub(crate) mod using;
pub(crate) mod view_renames;
pub(crate) mod wildcard;
pub(crate) mod window_names;
