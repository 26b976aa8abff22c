//! Foundation types of Mainstay: values and their types, dates, decimals, and the error type.
//!
//! This crate does no I/O and is independent of dialects. A dialect's rules about these types (how T-SQL rounds, how
//! xBase pads) live with the dialect; this crate defines the types, their text forms, and the conversion of a value for
//! a column.
//!
//! ```text
//!   Date, Time, Timestamp, Interval, Decimal, uuid     one file a type: its range, its text both ways
//!   Value, ValueRef                                    one value of any of them, owned and borrowed
//!   SqlType, Collation                                 what a column holds, and how its text compares
//!   convert                                            a value for a column
//!   Error, Code                                        what went wrong, for every door
//!   typed_bytes                                        a value of any type with its type, as bytes that sort
//!   compatibility                                      constructs of a dialect that are refused, ignored or different
//!   interrupt                                          per-thread cancellation
//! ```

mod collation;
pub mod compatibility;
pub mod convert;
mod date;
mod decimal;
mod error;
pub mod interrupt;
mod interval;
mod scan;
mod sql_type;
mod time;
mod timestamp;
pub mod typed_bytes;
pub mod uuid;
mod value;

pub use collation::Collation;
pub use convert::convert;
pub use date::Date;
pub use decimal::{Decimal, DecimalError, rounded_quotient};
pub use error::{Cause, Class, Code, Constraint, ConstraintKind, DialectError, Error, Result};
pub use interval::Interval;
pub use sql_type::SqlType;
pub use time::{TICKS_PER_DAY, TICKS_PER_SECOND, Time};
pub use timestamp::Timestamp;
pub use value::{Value, ValueRef};
