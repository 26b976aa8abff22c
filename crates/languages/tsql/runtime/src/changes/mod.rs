//! Statements that change rows: INSERT, UPDATE, DELETE, MERGE and bulk loads, with variables, OUTPUT and hints.

pub(crate) mod accumulate;
pub(crate) mod bulk;
pub(crate) mod bulk_file;
pub(crate) mod bulk_text;
pub(crate) mod change;
pub(crate) mod hints;
pub(crate) mod identity;
pub(crate) mod ignored_keys;
pub(crate) mod large_values;
pub(crate) mod readpast;
pub(crate) mod running_row;
pub(crate) mod running_variables;
pub(crate) mod statement_scope;
pub(crate) mod table_values;
