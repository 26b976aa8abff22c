//! Types and arithmetic that DataFusion does not have or computes in another way.
//!
//! Timestamps of 100 ns and with an offset (`offset`, `ticks`, `date_parts`, `moment_arithmetic`), years outside 1 to
//! 9999, UUIDs, bytes that compare padded (`padded_bytes`), and decimals whose results keep the digits that ISO SQL gives
//! them (`quotient`, `wide_decimals`, `sum`, `wide_sums`, `average_sums`, `ceil_floor`), or whose values are small
//! (`narrow_decimals`). `sql_types` and `declared` read the names of types and collations.

pub(crate) mod average_sums;
pub(crate) mod ceil_floor;
pub(crate) mod current_time;
pub(crate) mod date_parts;
pub(crate) mod declared;
pub(crate) mod interval_text;
pub(crate) mod moment_arithmetic;
pub(crate) mod narrow_decimals;
pub(crate) mod offset;
pub(crate) mod padded_bytes;
pub(crate) mod quotient;
pub(crate) mod sql_types;
pub(crate) mod sum;
pub(crate) mod ticks;
pub(crate) mod uuid;
pub(crate) mod wide_decimals;
mod wide_sums;
pub(crate) mod years;
