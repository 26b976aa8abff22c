//! The implementations of the entries: one function for each entry that is implemented, grouped by subject.
//!
//! A function takes the entry's own parameters and returns a code with details; it checks handles before anything else,
//! so that a wrong handle never reaches a pointer.

#![allow(missing_docs, reason = "each function is the entry that names it; the entry is what is documented")]

pub mod collations;
pub mod connections;
pub mod definitions;
pub mod dictionary;
pub mod expressions;
pub mod fields;
pub mod filters;
pub mod indexes;
pub mod key_columns;
pub mod keys;
pub mod locks;
pub mod management;
pub mod memos;
pub mod moves;
pub mod others;
pub mod raw_keys;
pub mod records;
pub mod sections;
pub mod sets;
pub mod settings;
pub mod sql_text;
pub mod statements;
pub mod tables;
pub mod text_search;
pub mod transactions;
