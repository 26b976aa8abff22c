//! Execution of a plan: the state of a run, cancellation, memory accounting, and Mainstay's operators other than leaves.
//! A run is started, and started again with less memory, by `plan::start`.

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
