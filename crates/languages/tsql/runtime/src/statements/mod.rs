//! Statements as the machine runs them: queries, flow, errors, transactions, and the statements about the server.

pub(crate) mod application_locks;
pub(crate) mod backup;
pub(crate) mod dbcc;
pub(crate) mod errors;
pub(crate) mod flow;
pub(crate) mod null_variables;
pub(crate) mod permissions;
pub(crate) mod query;
pub(crate) mod raise;
pub(crate) mod runner;
pub(crate) mod transactions;
pub(crate) mod xml_documents;
