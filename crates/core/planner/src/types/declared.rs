//! Types that a dialect declares and the core does not interpret.
//!
//! ```text
//!   CREATE TABLE t (id "declared:INTEGER=informix:serial")
//!                                |              |
//!                      type of the column       stored in the metadata of its field, as written
//! ```
//!
//! A dialect finds its own types in the metadata of every result that shows the column unchanged, under the key
//! `mainstay.declared`. A declaration begins with the dialect's name, so that dialects never take each other's types
//! for theirs.

use datafusion::sql::sqlparser::ast::DataType;
use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
use datafusion::sql::sqlparser::parser::Parser;

const PREFIX: &str = "declared:";

/// The core's type and the declared one of a type's name.
fn parts(name: &str) -> Option<(&str, &str)> {
    name.trim_matches('"').strip_prefix(PREFIX)?.split_once('=')
}

/// The core's type of such a name.
pub(crate) fn core_type(name: &str) -> Option<DataType> {
    let (core, _) = parts(name)?;
    let mut parser = Parser::new(&PostgreSqlDialect {}).try_with_sql(core).ok()?;
    parser.parse_data_type().ok()
}

/// The declared type of such a name, for the metadata of a field.
pub(crate) fn declared_name(data_type: &DataType) -> Option<String> {
    match data_type {
        DataType::Custom(name, _) => parts(&name.to_string()).map(|(_, declared)| declared.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_type_of_the_core_and_one_of_a_dialect() {
        assert_eq!(core_type("\"declared:INTEGER=informix:serial\""), Some(DataType::Integer(None)));
        assert_eq!(core_type("\"declared:nonsense (=x\""), None);
        assert_eq!(core_type("integer"), None);
        assert_eq!(
            parts("declared:TIME(0)=informix:datetime hour to second"),
            Some(("TIME(0)", "informix:datetime hour to second"))
        );
    }
}
