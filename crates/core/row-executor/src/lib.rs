//! The row executor: short statements over native tables, a row at a time.
//!
//! ```text
//!   Block      what the planner asks for: tables, conditions, groups, an order, a limit, output expressions
//!     Plan::of     an order of the tables, an index for each, conditions where they can first be decided
//!   Plan       kept with the prepared statement
//!     Plan::run    nested loops:  index --positions--> version --conditions--> next table ... --> output or groups
//!   Buffer     the answer: cells, and one run of bytes for all their texts; used again by the next run
//! ```
//!
//! Values are read in place in the tables' columns and are borrowed until they are written into the buffer, so once the
//! buffers have grown nothing is allocated for a row. There is no async here, and vectors are used only for groups over
//! a whole table (`whole`): a statement that reads a handful of rows is done before a vector executor has set itself
//! up. A statement that turns out to read many rows gives up ([`Outcome::TooMany`]) and is run by the batch executor,
//! with the same answer.
//!
//! An index gives a superset of the wanted rows, and every condition is applied to them; so an index may
//! serve a condition that it answers only approximately.

mod access;
mod aggregate;
mod arithmetic;
mod block;
mod buffer;
mod expression;
mod node;
mod plan;
mod run;
mod subquery;
mod whole;

pub use aggregate::{Aggregate, Call};
pub use arithmetic::{Number, Operation};
pub use block::{Block, Numbered, ParameterType, Role, SortKey, Source};
pub use buffer::Buffer;
pub use expression::{Called, Expression, Function};
pub use node::{Join, Node, Operator, node_of};
pub use plan::Plan;
pub use run::{Outcome, Reads, Scratch};
pub use subquery::Subquery;
