//! From the statements of Informix to the SQL of the core.
//!
//! ```text
//!   SELECT SKIP 5 FIRST 10 c[1,3], n/2 FROM t, OUTER u WHERE t.k = u.k AND f = 't'
//!
//!   SELECT substr("c", 1, 3) AS "c", (1.0 * "n" / 2) AS "(expression)" FROM "t" AS "t" LEFT JOIN "u" AS "u"
//!   ON ("t"."k" = "u"."k") WHERE "f" = TRUE LIMIT 10 OFFSET 5
//! ```
//!
//! Parameters stay parameters (`$1`), so that the core prepares the text once. To learn a query's columns before its
//! parameters have values, they are written as NULL of the type of the column that they meet ([`Mode::Describe`]).
//! Types of columns are asked of the [`Scope`], where grammar alone does not decide: `'t'` compared with a BOOLEAN is TRUE.

mod change;
mod define;
mod expression;
mod floating;
mod function;
mod merge;
mod metadata;
mod moment;
mod names;
mod outer;
mod query;
mod source;
mod text;

pub use define::{
    add_constraint, alter_table, create_index, create_sequence, create_table, create_view, drop, rename_column,
    rename_table,
};

use crate::error::{Parse, SqlError};
use crate::tree::{
    Cast, CastKind, DataType, Delete, Expr, Insert, Literal, Merge, Name, ObjectName, Query, QueryBody, Select,
    SelectItem, SetQuantifier, Source, Span, Statement, TableSource, Update, With,
};
use crate::types::Type;
use mainstay_types::Value;

/// The meaning of a statement's names where it stands.
pub trait Scope {
    /// The text that stands in FROM for a table of the system: a query in parentheses. `None` for a table of the core.
    ///
    /// Errors: those of making its rows.
    fn table(&self, name: &ObjectName) -> Parse<Option<String>>;

    /// The columns of a table in their order, with their types; `None` for a table that is not known.
    fn columns(&self, table: &ObjectName) -> Option<Vec<(String, Type)>>;

    /// The core's name of a table.
    fn core_name(&self, table: &ObjectName) -> String {
        table.last().to_lowercase()
    }

    /// The core's hidden column that numbers the rows of a table.
    fn row_number(&self, _table: &ObjectName) -> &'static str {
        "_rowid"
    }

    /// The sequence that counts the SERIAL column of a table, as the core's `nextval` names it.
    fn serial_sequence(&self, _table: &ObjectName) -> Option<String> {
        None
    }

    /// The type of the value that a routine of the database returns, and the name by which the core calls it: one of this
    /// name and so many parameters that returns one value.
    fn function(&self, _name: &ObjectName, _arguments: usize) -> Option<(String, Type)> {
        None
    }

    /// The name of the user.
    fn user(&self) -> String;

    /// The name of the server.
    fn server(&self) -> String;

    /// The value of `DBINFO(word)` as a literal of the core.
    fn database_information(&self, words: &[String]) -> Option<String>;
}

/// How parameters are written.
#[derive(Clone, Debug)]
pub enum Mode<'m> {
    /// As parameters of these types; those of the numbers before, counted from 1, as DEFAULT.
    Execute(&'m [usize], &'m [Type]),
    /// As NULL of these types; queries give no rows.
    Describe(&'m [Type]),
    /// As variables of a routine: parameters with these types of their own. Those of the numbers before are DEFAULT.
    Routine(&'m [usize], &'m [Type]),
}

/// Reduces a query.
///
/// Errors: -999 for constructs that are not supported, and those of the scope.
pub fn query(query: &Query, mode: Mode<'_>, scope: &dyn Scope) -> Parse<String> {
    let mut reducer = Reducer::new(mode, scope);
    reducer.query(query)?;
    Ok(reducer.out)
}

/// The table whose rows a cursor of a query FOR UPDATE changes: the only one of the query, which neither groups rows nor
/// counts them. `None` for a query whose cursor can only read.
pub fn updatable_table(query: &Query) -> Option<&TableSource> {
    let QueryBody::Select(select) = &query.body else { return None };
    let [Source::Table(table)] = &select.from[..] else { return None };
    let is_aggregate = |item: &SelectItem| match item {
        SelectItem::Value(Expr::Call(call), _) => AGGREGATES.contains(&call.name.last()),
        _ => false,
    };
    let is_plain = select.group.is_none()
        && select.having.is_none()
        && select.quantifier != Some(SetQuantifier::Distinct)
        && query.with.tables.is_empty()
        && !select.items.iter().any(is_aggregate);
    is_plain.then_some(table)
}

/// Functions of groups of rows.
const AGGREGATES: [&str; 7] = ["count", "sum", "avg", "min", "max", "stdev", "variance"];

/// Reduces a query whose cursor changes rows: each row has the number of the table's row as its last column. With `locks`
/// the rows are locked.
///
/// Errors: as [`query`].
pub fn query_for_update(query: &Query, mode: Mode<'_>, locks: bool, scope: &dyn Scope) -> Parse<String> {
    let mut reducer = Reducer::new(mode, scope);
    reducer.row_number = updatable_table(query).map(|table| {
        let alias = table.alias.as_ref().map_or_else(|| table.name.last(), |alias| &alias.text);
        format!("{}.{}", quoted(alias), quoted(scope.row_number(&table.name)))
    });
    reducer.query(query)?;
    reducer.push(if locks { " FOR UPDATE" } else { "" });
    Ok(reducer.out)
}

/// Reduces an INSERT.
///
/// Errors: as [`query`].
pub fn insert(insert: &Insert, mode: Mode<'_>, scope: &dyn Scope) -> Parse<String> {
    let mut reducer = Reducer::new(mode, scope);
    reducer.insert(insert)?;
    Ok(reducer.out)
}

/// Reduces an UPDATE.
///
/// Errors: as [`query`].
pub fn update(update: &Update, mode: Mode<'_>, scope: &dyn Scope) -> Parse<String> {
    let mut reducer = Reducer::new(mode, scope);
    reducer.update(update)?;
    Ok(reducer.out)
}

/// Reduces an INSERT, UPDATE or DELETE that gives these columns of its rows: of the old rows as `old.a`, behind them of the new
/// rows as `new.a`, each where the statement has such rows. An INSERT gives the columns under their own names.
///
/// Errors: as [`query`]; -999 for another statement.
pub fn change_with_images(
    statement: &Statement,
    columns: &[String],
    mode: Mode<'_>,
    scope: &dyn Scope,
) -> Parse<String> {
    let mut reducer = Reducer::new(mode, scope);
    match statement {
        Statement::Insert(insert) => {
            reducer.insert(insert)?;
            let columns: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
            reducer.push(&format!(" RETURNING {}", columns.join(", ")));
        }
        Statement::Update(update) => {
            reducer.update(update)?;
            reducer.images(&["old", "new"], columns);
        }
        Statement::Delete(delete) => {
            reducer.delete(delete)?;
            reducer.images(&["old"], columns);
        }
        _ => return Err(SqlError::unsupported("a trigger of this statement")),
    }
    Ok(reducer.out)
}

/// Reduces a MERGE.
///
/// Errors: as [`query`].
pub fn merge(merge: &Merge, mode: Mode<'_>, scope: &dyn Scope) -> Parse<String> {
    let mut reducer = Reducer::new(mode, scope);
    reducer.merge(merge)?;
    Ok(reducer.out)
}

/// Reduces a DELETE.
///
/// Errors: as [`query`].
pub fn delete(delete: &Delete, mode: Mode<'_>, scope: &dyn Scope) -> Parse<String> {
    let mut reducer = Reducer::new(mode, scope);
    reducer.delete(delete)?;
    Ok(reducer.out)
}

/// A query of nothing but a value.
pub fn value_query(value: &Expr) -> Statement {
    let select = Select { items: vec![SelectItem::Value(value.clone(), None)], ..Select::default() };
    Statement::Query(Box::new(Query {
        with: With::default(),
        body: QueryBody::Select(Box::new(select)),
        order: Vec::new(),
        offset: None,
        fetch: None,
        format: None,
        hints: Vec::new(),
    }))
}

/// The statement with values in place of the variables of a routine: for definitions, which have no parameters.
pub fn with_values(statement: &Statement, values: &[Value], types: &[Type]) -> Statement {
    let mut statement = statement.clone();
    crate::visit::statement(&mut statement, &mut |part, _| {
        let Expr::Variable(name) = part else { return };
        let number: usize = name.text.trim_start_matches('?').parse().unwrap_or(0);
        let (Some(value), Some(known)) = (values.get(number.wrapping_sub(1)), types.get(number.wrapping_sub(1))) else {
            return;
        };
        let literal = match value {
            Value::Null => Literal::Null,
            Value::Text(text) => Literal::String(text.clone()),
            Value::Boolean(value) => Literal::String(if *value { "t" } else { "f" }.to_owned()),
            Value::Binary(bytes) if known.is_floating() => {
                let number = crate::FloatingDecimal::from_bytes(bytes).unwrap_or(crate::FloatingDecimal::ZERO);
                Literal::String(number.to_string())
            }
            other => Literal::String(other.to_string()),
        };
        let text = Name { text: known.declared(), quoted: true, ..Name::default() };
        let name = ObjectName { parts: vec![text], ..ObjectName::default() };
        let data_type = DataType { name, arguments: Vec::new(), span: Span::default() };
        let value = Expr::Literal(literal);
        *part = Expr::Cast(Box::new(Cast { kind: CastKind::Cast, value, data_type, style: None }));
    });
    statement
}

/// A name as the core quotes it. Names mean the same in any case there.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text as a literal of the core.
pub fn text_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A table of FROM by the name that it has there.
#[derive(Clone)]
struct Known {
    alias: String,
    /// The table of the database.
    table: Option<ObjectName>,
    /// The columns, with their types where they are known.
    columns: Vec<(String, Option<Type>)>,
}

/// The state of reducing.
struct Reducer<'s> {
    out: String,
    mode: Mode<'s>,
    scope: &'s dyn Scope,
    /// The tables of the queries around, the innermost last.
    tables: Vec<Vec<Known>>,
    /// The common table expressions of the queries around.
    common: Vec<Known>,
    /// The columns of the set operation that is written which are DECIMALs whose point floats.
    floats: Vec<bool>,
    /// The hidden column that the outermost query gives behind its own, for WHERE CURRENT OF.
    row_number: Option<String>,
    /// How deep the query is nested that is written.
    depth: usize,
}

impl<'s> Reducer<'s> {
    fn new(mode: Mode<'s>, scope: &'s dyn Scope) -> Reducer<'s> {
        Reducer {
            out: String::new(),
            mode,
            scope,
            tables: Vec::new(),
            common: Vec::new(),
            floats: Vec::new(),
            row_number: None,
            depth: 0,
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, name: &str) {
        let name = quoted(name);
        self.push(&name);
    }

    /// Writes things with commas between them.
    fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Parse<()>,
    ) -> Parse<()> {
        for (place, item) in items.into_iter().enumerate() {
            self.push(if place > 0 { ", " } else { "" });
            write(self, item)?;
        }
        Ok(())
    }
}
