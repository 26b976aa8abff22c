//! The types of SQL Server: their names, catalog properties, and common types.
//!
//! ```text
//!   data_type    the types, and their names as they are declared
//!   declared     the declarations that sessions give to their clients
//!   declare      a type from its name and arguments, with every synonym
//!   catalog      identifiers, lengths and precisions as sys.types and sys.columns show them
//!   matrix       which type converts to which, by itself or only when asked
//!   column       the columns that keep a type's values
//!   aggregate    the types that aggregates give
//!   meet         precedence, and the one type of several (CASE, COALESCE, UNION)
//! ```

mod aggregate;
mod catalog;
mod column;
mod data_type;
mod declare;
mod declared;
mod matrix;
mod meet;

pub use aggregate::aggregate;
pub use data_type::{DataType, Length};
pub use declare::{Declared, TypeArgument};
pub use matrix::{explicit, implicit};
pub use meet::{of_all, union};
