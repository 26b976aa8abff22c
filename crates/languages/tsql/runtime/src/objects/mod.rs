//! Objects that are texts: procedures, functions, triggers and views; their files, their calls, and the changes that
//! fire triggers.

pub(crate) mod direct_function;
pub(crate) mod fired_triggers;
pub(crate) mod function_uses;
pub(crate) mod functions;
pub(crate) mod inlined_views;
pub(crate) mod module_files;
pub(crate) mod modules;
pub(crate) mod procedures;
pub(crate) mod table_calls;
pub(crate) mod triggers;
