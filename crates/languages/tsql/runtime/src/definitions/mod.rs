//! Statements that define: tables, columns, indexes, constraints, sequences, types, and SQL Server's messages for
//! invalid definitions.

mod administer;
pub(crate) mod alter;
pub(crate) mod alter_column;
pub(crate) mod clustered;
pub(crate) mod constraints;
pub(crate) mod define;
pub(crate) mod definition_errors;
pub(crate) mod dependencies;
pub(crate) mod events;
pub(crate) mod extended_properties;
pub(crate) mod indexes;
pub(crate) mod module_text;
pub(crate) mod reference_errors;
pub(crate) mod rename;
pub(crate) mod reused_temporaries;
pub(crate) mod select_into;
pub(crate) mod sequences;
pub(crate) mod table_variables;
pub(crate) mod transfer;
pub(crate) mod truncate;
mod unsupported_parts;
