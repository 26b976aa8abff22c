//! Parsing: tokens, lifted literals, and token-level rewrites into the grammar of the parser.
//!
//! `text` splits a statement into tokens and brings names to lower case; `grammar`, `postgres`, `prefix`, `operators`,
//! `numbers` and `table_query` rewrite tokens that the parser does not read; `incomplete` refuses statements that the parser
//! reads although a part is missing; `marks` has the mark of renamed tables; `fragments` reads expressions and queries;
//! `packed_views` reads the views through which fields of packed columns are changed.
//! `walk` and `tree` are the helpers of everything that changes the parser's tree.

pub(crate) mod file_names;
pub(crate) mod fragments;
pub(crate) mod grammar;
pub(crate) mod incomplete;
pub(crate) mod literals;
pub(crate) mod marks;
pub(crate) mod numbers;
pub(crate) mod operators;
pub(crate) mod packed_views;
pub(crate) mod postgres;
pub(crate) mod prefix;
pub(crate) mod table_query;
pub(crate) mod text;
pub(crate) mod tree;
pub(crate) mod walk;
