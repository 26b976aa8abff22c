//! What every part of Mainstay shares: values and their types, dates, decimals, and the error type.
//!
//! This crate does no I/O and knows no dialect. A dialect's rules about these types (how T-SQL rounds,
//! how xBase pads) live with the dialect; here is only what the types *are*.

mod date;
mod decimal;
mod error;
mod sql_type;
mod value;

pub use date::{Date, Timestamp};
pub use decimal::{Decimal, DecimalError};
pub use error::{Class, Code, Error, Result};
pub use sql_type::{Collation, SqlType};
pub use value::Value;
