//! SQL Server's types and messages, and what its conversions, operators and functions do with single values.
//!
//! Values are those of [`mainstay_base`]; a [`DataType`] says which of SQL Server's types one has, since several of them
//! share a form (`INT` and `BIGINT` are both [`Value::Integer`](mainstay_base::Value::Integer)). Nothing here knows a
//! table or a session.

mod data_type;
mod message;

pub use data_type::{DataType, Length};
pub use message::Message;
