//! Walks over logical plans and operators, for everything that reads or changes them.
//!
//! Closures are passed as trait objects (`nodes`), so that DataFusion's generic walks are compiled once. `search` finds
//! expressions and nodes; `rewrite` changes the nodes of a plan, with their subqueries.

pub(crate) mod expression_names;
pub(crate) mod fold;
pub(crate) mod nodes;
pub(crate) mod rewrite;
pub(crate) mod search;
