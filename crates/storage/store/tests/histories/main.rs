//! Random histories of concurrent transactions, checked for the anomalies that their isolation level forbids.
//!
//! The method is that of Elle (Kingsbury and Alvaro, 2020): transactions append values, each of them unique, to lists that
//! are kept in rows, and read lists. A list that was read tells everything about its key: which values were written, in
//! which order, and which of them were there. So what depends on what is known from the reads alone, without asking the
//! store, and the phenomena of Adya's thesis (1999) are cycles in a graph.
//!
//! ```text
//!   workload   threads run transactions against a store         ->  History
//!   history    what they did, what they saw, who committed
//!   checker    History  ->  version orders  ->  dependencies    ->  anomalies, each with its witness
//!   graph      strongly connected components, shortest cycles
//!
//!   planted    histories written by hand, each with one anomaly that the checker must find, or none
//!   levels     the store at every level, and the store with a rule broken on purpose, which must be found out
//! ```

#[path = "../common/mod.rs"]
mod common;

mod checker;
mod graph;
mod history;
mod levels;
mod planted;
mod workload;
