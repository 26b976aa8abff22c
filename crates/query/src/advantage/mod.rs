//! Advantage SQL's meaning: functions whose names begin with `ads:`, and the rule that replaces them by plain expressions.
//!
//! ```text
//!   "ads:less"(born, '1992-02-22')       what the dialect's queries are reduced to (`mainstay_adssql::reduce`)
//!      |  the planner asks each function for its type, which the fields of its arguments tell
//!      v
//!   born < DATE '1992-02-22'             where the core has an operator that means the same: lower
//!   "ads:soundex"(name)                  where not, the function itself runs, row by row: function
//! ```
//!
//! A value's type is that of its field; a CHAR column is known by its metadata, and is given the blanks that it has in its
//! record where a function sees them (`name + city`, `CHAR_LENGTH`).

mod function;
mod lower;

pub(crate) use function::function;
pub use function::sql_type;
pub(crate) use lower::in_plan;

/// What the names of these functions begin with.
pub(crate) const PREFIX: &str = "ads:";
