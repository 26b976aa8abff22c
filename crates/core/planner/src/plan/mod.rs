//! Planning: from the parser's tree to an executable plan, and the plan cache.
//!
//! `planner` drives the steps; `context` answers DataFusion's questions about tables and functions; `statement` and `change`
//! are the statements that are not queries; `short` makes statements for the row executor, and `start` starts all others.

pub(crate) mod change;
pub(crate) mod context;
pub(crate) mod literal_values;
pub(crate) mod lookup;
pub(crate) mod merge;
pub(crate) mod operator_tree;
pub(crate) mod planned;
pub(crate) mod planner;
pub(crate) mod short;
pub(crate) mod start;
pub(crate) mod statement;
