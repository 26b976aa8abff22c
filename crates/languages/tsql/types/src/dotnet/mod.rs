//! Formats and cultures of .NET, which FORMAT, PARSE and TRY_PARSE follow.
//!
//! ```text
//!   culture      separators, currencies, patterns and names by culture
//!   number       C D E F G N P R X, and formats of 0 # , . % E
//!   custom       formats of numbers that are patterns
//!   date         d D f F g G M O R s t T u U Y, and formats of yyyy MM dd HH mm ss
//!   parse        a text as a number or a moment of a culture
//! ```
//!
//! Limits: the cultures of the table; others of the same language use their names. An invalid format gives no value,
//! which FORMAT returns as NULL.

mod culture;
mod custom;
mod date;
mod number;
mod parse;

pub use culture::{Culture, EN_US};
pub use date::{date, time};
pub use number::{Digits, number};
pub use parse::{parse, try_parse};
