//! Dependents of a function: the conditions, defaults and computed columns of tables that call it.
//!
//! Such an expression was compiled with the function's definition, and rows were written by it. So a function that an
//! expression calls is neither altered nor dropped (3729), nor renamed (15336).

use crate::catalog::Detail;
use crate::objects::modules::key_of;
use crate::session::Inner;
use crate::statements::errors::raised;
use mainstay_tsql_syntax::tree::ObjectName;
use mainstay_tsql_types::Message;
use mainstay_vm::Raised;

/// Prefix of a function call in the stored expression of a table: `"mssql:stored:int:dbo.f"(...)`.
const CALL: &str = "\"mssql:stored:";

impl Inner {
    /// Checks that no table depends on a function that is to be changed as the word says (`DROP FUNCTION`, `ALTER`).
    ///
    /// Errors: 3729.
    pub(crate) fn check_unused(&mut self, function: &ObjectName, word: &str) -> Result<(), Box<Raised>> {
        let Some(user) = self.user_of(&key_of(function)) else { return Ok(()) };
        let name = crate::definitions::define::shown_name(function);
        let state = if word == "ALTER" { 3 } else { 1 };
        Err(raised(Message::numbered(3729, &[&word, &name, &user]).state(state)))
    }

    /// The constraint or table whose expression calls a function, by the function's schema and name in lower case.
    pub(crate) fn user_of(&mut self, function: &str) -> Option<String> {
        let shared = self.core.definitions().shared;
        for table in &shared.tables {
            let calls = |text: &str| calls(text, function);
            if let Some(check) = table.checks.iter().find(|check| calls(&check.text)) {
                return Some(check.name.clone());
            }
            for column in &table.columns {
                if column.computed.as_ref().is_some_and(|computed| calls(&computed.text)) {
                    return Some(table.name.clone());
                }
                if column.default.as_deref().is_some_and(calls) {
                    return Some(self.name_of_default(&table.name, &column.name).unwrap_or_else(|| table.name.clone()));
                }
            }
        }
        None
    }

    fn name_of_default(&mut self, table: &str, column: &str) -> Option<String> {
        let catalog = self.catalog().ok()?;
        let tables = catalog.objects.iter().filter(|object| object.name == table);
        tables.into_iter().find_map(|object| {
            let is_it = |known: &&crate::catalog::Object| match known.detail {
                Detail::Default(of, _) => object.column_name(of).eq_ignore_ascii_case(column),
                _ => false,
            };
            catalog.children(object, "D").find(is_it).map(|default| default.name.clone())
        })
    }
}

/// Returns true if the text of an expression calls a function.
fn calls(text: &str, function: &str) -> bool {
    text.split(CALL).skip(1).any(|rest| {
        let called = rest.split('"').next().and_then(|name| name.split_once(':')).map_or("", |(_, name)| name);
        // The name may have a database before the schema.
        called == function || called.strip_suffix(function).is_some_and(|before| before.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::calls;

    #[test]
    fn calls_are_found_by_whole_names() {
        let text = r#""mssql:less"("mssql:stored:decimal(10,2):shop.dbo.f"("a"), 1)"#;
        assert!(calls(text, "dbo.f"));
        assert!(!calls(text, "o.f") && !calls(text, "dbo.ff") && !calls("dbo.f", "dbo.f"));
    }
}
