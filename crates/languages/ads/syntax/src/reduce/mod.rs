//! Reduction of the dialect's queries and changes to the SQL of the core.
//!
//! ```text
//!   SELECT TOP 2 lastname + ', ' + firstname, qty FROM items WHERE id = @id AND born < {d '1992-02-22'}
//!
//!   SELECT "ads:add"("ads:add"("lastname", ', '), "firstname") AS "EXPR", "qty" FROM "items"
//!   WHERE ("ads:equal"("id", 7) AND "ads:less"("born", DATE '1992-02-22')) LIMIT 2
//! ```
//!
//! The grammar is reduced here, on the tree; operations that depend on types are not: such operators and functions
//! become functions of the core whose name begins with `ads:`, which the planner replaces by its own operators, or
//! computes with `mainstay_ads_types`. Variables, parameters and functions of the session (`NOW()`, `USER()`) become
//! literals, which the planner turns into parameters again: a statement in a loop is planned once. The [`Scope`]
//! resolves names that are not those of columns and tables.

mod change;
mod define;
mod expression;
mod function;
mod query;
mod source;
mod value;

pub use change::{MergePlan, changed_table, delete, insert, merge, merge_update, update, upsert, upsert_parts};
pub use define::{add_columns, create_index, create_table, index_name, type_name};
pub(crate) use expression::{binary_function, ignores_case, moment, number};
pub(crate) use function::{SESSION_FUNCTIONS, WORD_FUNCTIONS};
pub use value::literal;

use crate::error::{Parse, SqlError};
use crate::tree::{DataType, Expr, Name, ObjectName, Query, QueryBody};
use mainstay_types::{SqlType, Value};
use std::fmt::Write;

/// The meaning of names in a statement.
pub trait Scope {
    /// The value of a variable, parameter or cursor's column, by its name in lower case, and its type.
    ///
    /// Errors: 2220, 2222, 2223 for a cursor's column that is not there, 2141 for a parameter without a value.
    fn value(&self, name: &str) -> Parse<Option<(Value, SqlType)>>;

    /// The FROM item for a table: a query in parentheses, or a name; `None` for a table of the core.
    ///
    /// Errors: 2122 for an unknown system table.
    fn table(&self, name: &ObjectName) -> Parse<Option<String>>;

    /// The FROM item for a call of a procedure.
    ///
    /// Errors: those of running it.
    fn procedure(&self, name: &ObjectName, arguments: &[Expr]) -> Parse<String>;

    /// The columns of a table, if the scope knows them.
    fn columns(&self, table: &ObjectName) -> Option<Vec<String>>;

    /// The length in characters of a text column of a table, if it has one: longer values are cut.
    fn text_length(&self, table: &ObjectName, column: &str) -> Option<u32>;

    /// The columns of a table in their order, for an INSERT that names none.
    fn all_columns(&self, table: &ObjectName) -> Option<Vec<String>>;

    /// The value of a function that the session answers: `user`, `now`, `lastautoinc`.
    fn session(&self, function: &str) -> Option<(Value, SqlType)>;

    /// The name under which the core knows a function of the database.
    fn function(&self, name: &ObjectName) -> Option<String>;
}

/// A query in the SQL of the core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The text.
    pub text: String,
    /// `TOP n PERCENT`: how many of a hundred rows are wanted.
    pub percent: Option<u64>,
    /// INTO this table.
    pub into: Option<ObjectName>,
}

/// The type that a declaration means.
pub fn sql_type(data_type: &DataType) -> Option<SqlType> {
    mainstay_ads_types::convert::named_type(&crate::parser::type_text(data_type))
}

/// Reduces a query.
///
/// Errors: 2158 for a function that is not one, 2229 for a name that is a column's and a variable's, 2103 for what the core
/// has no way to do, and those of the scope.
pub fn query(query: &Query, scope: &dyn Scope) -> Parse<Reduced> {
    let mut reducer = Reducer::new(scope);
    let (mut percent, mut into) = (None, None);
    if let QueryBody::Select(select) = &query.body {
        if let Some(top) = select.top.as_ref().filter(|top| top.percent) {
            percent = Some(reducer.count(&top.count)?);
        }
        into = select.into.as_ref().map(|(name, _)| name.clone());
    }
    reducer.query(query)?;
    Ok(Reduced { text: reducer.out, percent, into })
}

/// Reduces an expression to a query of one row and one column.
///
/// Errors: as [`query`].
pub fn expression(value: &Expr, scope: &dyn Scope) -> Parse<String> {
    let mut reducer = Reducer::new(scope);
    reducer.push("SELECT ");
    reducer.expression(value)?;
    reducer.push(" AS \"EXPR\"");
    Ok(reducer.out)
}

/// A statement while it is written.
struct Reducer<'s> {
    scope: &'s dyn Scope,
    out: String,
    /// The tables of the queries around this place, the innermost last: those whose columns the scope knows.
    tables: Vec<Vec<ObjectName>>,
    depth: u32,
}

impl<'s> Reducer<'s> {
    fn new(scope: &'s dyn Scope) -> Reducer<'s> {
        Reducer { scope, out: String::new(), tables: Vec::new(), depth: 0 }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, name: &str) {
        self.push(&quoted(name));
    }

    fn number(&mut self, number: impl std::fmt::Display) {
        // Writing to a String does not fail.
        let _ = write!(self.out, "{number}");
    }

    /// Writes things with commas between them.
    fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Parse<()>,
    ) -> Parse<()> {
        for (place, item) in items.into_iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            write(self, item)?;
        }
        Ok(())
    }

    /// Writes a name of the dialect: a column of a table of this place, or the value of a variable.
    fn variable(&mut self, name: &Name) -> Parse<()> {
        match self.scope.value(&name.text.to_lowercase())? {
            Some((value, sql_type)) => {
                self.push(&literal(&value, sql_type));
                Ok(())
            }
            None => {
                let text = format!("Variable not found: {}", name.text);
                Err(SqlError::at(mainstay_ads_types::native::VARIABLE, name.span, text))
            }
        }
    }

    /// Returns true if a table of the enclosing queries has a column of this name.
    fn is_column(&self, name: &str) -> bool {
        let has = |table: &ObjectName| {
            let columns = self.scope.columns(table);
            columns.is_some_and(|columns| columns.iter().any(|column| column.eq_ignore_ascii_case(name)))
        };
        self.tables.iter().flatten().any(has)
    }
}

/// A name as the core quotes it. Names mean the same in any case there.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The core's name of a table, as far as that depends on the name alone: the last part, without a file's extension.
pub fn table_name(name: &ObjectName) -> String {
    let last = name.last();
    let file = last.rsplit(['/', '\\']).next().unwrap_or(last);
    let stem = match file.rsplit_once('.') {
        Some((stem, extension)) if ["dbf", "adt", "vfp"].iter().any(|known| extension.eq_ignore_ascii_case(known)) => {
            stem
        }
        _ => file,
    };
    stem.to_lowercase()
}
