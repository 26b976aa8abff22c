//! Semantics of Advantage SQL: functions whose names begin with `ads:`, and the rule that replaces them by plain
//! expressions.
//!
//! ```text
//!   "ads:less"(born, '1992-02-22')       the reduced form of the dialect's queries (`mainstay_ads_syntax::reduce`)
//!      |  the planner asks each function for its type, which follows from the fields of its arguments
//!      v
//!   born < DATE '1992-02-22'             where the core has an equivalent operator: lower
//!   "ads:soundex"(name)                  otherwise the function itself runs, row by row: function
//! ```
//!
//! The type of a value is that of its field. The metadata of a field marks a CHAR column, and functions see its values
//! padded with the blanks of the record (`name + city`, `CHAR_LENGTH`).

mod function;
mod lower;

pub(crate) use function::function;
pub use function::sql_type;
pub(crate) use lower::in_plan;

use datafusion::sql::sqlparser::ast;
use mainstay_types::SqlType;

/// The prefix of these functions' names.
pub(crate) const PREFIX: &str = "ads:";

/// The type of a column that is declared with one of Advantage's: `"ads:rowversion"`. Which field of a file it becomes is more
/// than its type says.
pub(crate) fn declared_type(name: &str) -> Option<SqlType> {
    mainstay_ads_types::convert::named_type(name.trim_matches('"').strip_prefix(PREFIX)?)
}

/// The same name, for a field of a file.
pub(crate) fn declared_name(data_type: &ast::DataType) -> Option<String> {
    match data_type {
        ast::DataType::Custom(name, _) => {
            let name = name.to_string().to_lowercase();
            declared_type(&name).map(|_| name.trim_matches('"').to_owned())
        }
        _ => None,
    }
}
