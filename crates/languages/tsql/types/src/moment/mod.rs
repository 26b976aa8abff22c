//! Dates and times of SQL Server's types: storage, parsing and formatting.
//!
//! ```text
//!   datetime    the 1/300 s of DATETIME, the minutes of SMALLDATETIME, the ranges of each type
//!   parse       a text as a moment, by DATEFORMAT, language and style
//!   style       a moment as text, by style
//!   hijri       the calendar of styles 130 and 131
//!   part        years to nanoseconds: names, values, and arithmetic with them
//! ```

pub mod datetime;
mod hijri;
pub mod parse;
pub mod part;
pub mod style;
