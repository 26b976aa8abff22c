//! Leaves of a physical plan: scans of Mainstay's tables, alone and fused with the operators right above them.
//!
//! `relation` adapts a table for DataFusion's planner, and `condition` says which of its conditions a scan applies.

pub(crate) mod aggregate;
pub(crate) mod batches;
pub(crate) mod condition;
pub(crate) mod dictionary_groups;
pub(crate) mod direct_reads;
pub(crate) mod fused;
pub(crate) mod index_ends;
pub(crate) mod join_filters;
pub(crate) mod order;
pub(crate) mod parquet;
pub(crate) mod read_ahead;
pub(crate) mod relation;
pub(crate) mod scan;
pub(crate) mod top_rows;
