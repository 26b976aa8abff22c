//! Execution of a plan: its start, its restart with less memory, cancellation, memory accounting, and Mainstay's
//! operators other than leaves.

pub(crate) mod busy_operators;
pub(crate) mod cancellation;
pub(crate) mod compact_batches;
pub(crate) mod concatenate;
pub(crate) mod deep_stack;
pub(crate) mod dictionaries;
pub(crate) mod join_filters;
pub(crate) mod materialized;
pub(crate) mod memory;
pub(crate) mod reads;
pub(crate) mod recursion;
pub(crate) mod run;
pub(crate) mod shared_rows;
pub(crate) mod spilled;
pub(crate) mod spilling;
pub(crate) mod work_table;
