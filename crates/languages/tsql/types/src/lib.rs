//! SQL Server's types and messages, and its conversions, operators and functions over single values.
//!
//! Values are those of [`mainstay_types`]; a [`DataType`] is the SQL Server type of a value, since several types share
//! a representation (`INT` and `BIGINT` are both [`Value::Integer`](mainstay_types::Value::Integer)). This crate knows
//! no tables or sessions; a [`Context`] has the state of a session that functions read.
//!
//! ```text
//!   types        names, catalog, conversion matrix, precedence
//!   messages     numbers, severities and texts; the formats of RAISERROR
//!   convert      CAST, CONVERT with styles, TRY_, assignment
//!   operators    arithmetic, comparisons, LIKE: bound to types once, evaluated often
//!   functions    the built-in scalar functions: found by name, bound to types, evaluated
//! ```
//!
//! Representation of each type's values:
//!
//! | type | value |
//! |---|---|
//! | BIT | `Boolean` |
//! | TINYINT, SMALLINT, INT, BIGINT | `Integer` |
//! | DECIMAL | `Decimal` with the scale of the type |
//! | MONEY, SMALLMONEY | `Decimal` with scale 4 |
//! | FLOAT, REAL | `Float`; a REAL is one that 32 bits hold |
//! | CHAR, NCHAR | `Text` with blanks up to its length |
//! | the other texts, XML | `Text` |
//! | BINARY | `Binary` with zeros up to its length |
//! | VARBINARY, IMAGE, ROWVERSION | `Binary` |
//! | DATE, TIME | `Date`, `Time` |
//! | SMALLDATETIME, DATETIME, DATETIME2 | `Timestamp`; a DATETIME in milliseconds that end in 0, 3 or 7 |
//! | DATETIMEOFFSET | `TimestampWithOffset` |
//! | UNIQUEIDENTIFIER | `Uuid` |
//! | SQL_VARIANT | `Binary` with the value and its type, in the form of [`variant`] |

mod argument;
pub mod collation;
mod context;
pub mod convert;
pub mod dotnet;
pub mod functions;
pub mod json;
pub mod language;
pub mod listed;
pub mod literal;
pub mod messages;
pub mod moment;
pub mod operation;
pub mod operators;
pub mod rows_text;
pub mod rowset;
pub mod settings;
pub mod text;
pub mod time_zone;
pub mod types;
pub mod variant;
pub mod xml;

#[cfg(test)]
mod random_texts;

pub use argument::{Argument, common_type};
pub use context::{Context, DateFormat, Forgiven, Random, is_arithmetic};
pub use mainstay_character_sets::CodePage;
pub use messages::Message;
pub use operation::{Bound, ConvertKind, Operation};
pub use settings::{Settings, Switches};
pub use types::{DataType, Length};
