//! The dialects of the process, found by the prefix of a name.
//!
//! A list that only grows: lookups take no lock, and a dialect never goes away while plans refer to its functions.

use super::{DeclaredType, Dialect};
use datafusion::sql::sqlparser::ast;
use std::sync::OnceLock;

/// A dialect, and the one that was registered after it.
struct Entry {
    dialect: &'static dyn Dialect,
    next: OnceLock<Box<Entry>>,
}

static FIRST: OnceLock<Box<Entry>> = OnceLock::new();

/// Registers a dialect for the process. A prefix is registered once: further calls with it change nothing.
pub fn register(dialect: &'static dyn Dialect) {
    let mut place = &FIRST;
    loop {
        let entry = place.get_or_init(|| Box::new(Entry { dialect, next: OnceLock::new() }));
        if entry.dialect.prefix() == dialect.prefix() {
            return;
        }
        place = &entry.next;
    }
}

/// All dialects, in the order of their registration.
pub(crate) fn registered() -> impl Iterator<Item = &'static dyn Dialect> {
    let mut place = &FIRST;
    std::iter::from_fn(move || {
        let entry = place.get()?;
        place = &entry.next;
        Some(entry.dialect)
    })
}

/// The dialect that a name belongs to, and the rest of the name.
pub(crate) fn with_prefix(name: &str) -> Option<(&'static dyn Dialect, &str)> {
    registered().find_map(|dialect| Some((dialect, name.strip_prefix(dialect.prefix())?)))
}

/// The type of a dialect that a name in a definition is, with or without its quotes.
pub(crate) fn declared_type(name: &str) -> Option<DeclaredType> {
    let (dialect, name) = with_prefix(name.trim_matches('"'))?;
    dialect.declared_type(name)
}

/// The name of a dialect's type for the metadata of a field.
pub(crate) fn declared(data_type: &ast::DataType) -> Option<String> {
    match data_type {
        ast::DataType::Custom(name, _) => declared_type(&name.to_string().to_lowercase()).map(|declared| declared.name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{SessionFunctions, Stage};
    use datafusion::common::Result;
    use datafusion::logical_expr::{LogicalPlan, ScalarUDF};
    use mainstay_types::SqlType;
    use std::sync::Arc;

    #[derive(Debug)]
    struct Invented(&'static str, SqlType);

    impl Dialect for Invented {
        fn prefix(&self) -> &'static str {
            self.0
        }

        fn stage(&self) -> Stage {
            Stage::Operators
        }

        fn function(&self, _: &str, _: SessionFunctions<'_>) -> Option<Arc<ScalarUDF>> {
            None
        }

        fn declared_type(&self, name: &str) -> Option<DeclaredType> {
            (name == "number").then(|| DeclaredType { sql_type: self.1, name: format!("{}{name}", self.0) })
        }

        fn lower(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
            Ok(plan)
        }
    }

    #[test]
    fn names_lead_to_the_dialect_of_their_prefix() {
        register(&Invented("first:", SqlType::Integer));
        register(&Invented("second:", SqlType::BigInt));
        register(&Invented("first:", SqlType::Date));
        let own = registered().filter(|dialect| ["first:", "second:"].contains(&dialect.prefix()));
        assert_eq!(own.count(), 2, "a prefix is registered once");
        assert_eq!(with_prefix("second:add").map(|(dialect, name)| (dialect.prefix(), name)), Some(("second:", "add")));
        assert!(with_prefix("add").is_none() && with_prefix("third:add").is_none());
        assert_eq!(declared_type("\"first:number\"").map(|declared| declared.sql_type), Some(SqlType::Integer));
        assert_eq!(declared_type("second:number").map(|declared| declared.name), Some("second:number".to_owned()));
        assert_eq!(declared_type("first:text"), None);
    }
}
