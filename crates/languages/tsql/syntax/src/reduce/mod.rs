//! Reduces T-SQL's queries and changes to the SQL of the core.
//!
//! ```text
//!   SELECT TOP 2 [Name], qty + 1 FROM dbo.Items WHERE id = @id
//!
//!   SELECT "name", "mssql:add"("qty", "mssql:int"(1)) AS "#2" FROM "dbo"."items"
//!   WHERE "mssql:equal"("id", "mssql:given:int"($1)) LIMIT 2                  parameters: @id int
//! ```
//!
//! The reduction translates the grammar, on the tree, but not the *meaning*: every operator, conversion and function of
//! T-SQL becomes a function whose name begins with `mssql:`, which the planner replaces by its implementation for the
//! types of its arguments, once it knows them. So the reduction decides nothing about types, and the planner nothing
//! about text. The part of a name behind a second colon belongs to the function: the type of a literal, a conversion's
//! target, a datepart.
//!
//! Variables become parameters, and so do values that only the session has (`@@ROWCOUNT`, `GETDATE()`, which is
//! constant during a statement): [`Parameter`] describes the value that the caller has to supply. The [`Scope`]
//! resolves names that the core does not know: temporary tables, table variables, objects of other schemas.

mod affected;
mod bulk;
mod catalog;
mod change;
mod checks;
mod constant_rows;
mod constraint_names;
mod counted;
mod cursor;
mod cursor_source;
mod define;
mod expression;
mod format;
mod function;
mod group_all;
mod grouping;
mod hinted;
mod identity_name;
mod index;
mod json;
mod listed;
mod locking;
mod merge;
mod merge_through;
mod momentary;
mod natural;
mod never_null;
mod next_value;
mod order_names;
mod outer_aggregate;
mod outer_names;
mod output;
mod parameter;
mod pivot;
mod quantified;
mod query;
mod recursion;
pub(crate) mod refusals;
mod rowset;
mod settings;
mod single;
mod source;
mod table_call;
mod target;
mod ties;
mod untyped;
mod updatable;
mod update;
mod variable;
mod within;
mod xml;

pub use affected::{rows_of_change, target_table};
pub use catalog::{CATALOG_FUNCTION, CatalogFunction, catalog_function};
pub use change::{IgnoredKeys, ReducedChange, change, compound, insert_columns};
pub use checks::check_module_columns;
pub use constraint_names::{constraint_name, is_made_up};
pub use cursor::{CursorKey, CursorQueries, cursor_queries};
pub use cursor_source::{CursorSources, SourceColumn, cursor_sources, result_order, result_sources};
pub use define::{
    ROW_VERSIONS, SESSION_CALL, alter_table, column_type, column_types, create_table, row_types, type_name,
    whole_number,
};
pub use expression::literal_value;
pub use function::{SessionFunction, session_function};
pub(crate) use function::{is_datepart_function, trim_function};
pub use hinted::{Hinted, hinted_of_change, hinted_of_expression, hinted_of_query, may_have_hints, rows_to_lock};
pub use identity_name::column_tag;
pub use index::create_index;
pub(crate) use json::operation as json_operation;
pub use momentary::{MomentaryColumn, is_momentary};
pub use natural::NaturalOrder;
pub use never_null::never_null;
pub use output::{Assigned, Images, ReducedOutput};
pub use parameter::{Input, Parameter, Source, TakingColumn};
pub use query::{NO_COUNT, NO_ROWS};
pub use refusals::not_supported;
pub use table_call::{InlineFunction, TableCall, TableFunction};
pub(crate) use untyped::{check_case, check_coalesce, check_nullif};
pub use within::named_columns;

use crate::tree::{self, ObjectName, Query, TypeArgument};
use mainstay_tsql_types::types::{self, Declared};
use mainstay_tsql_types::{DataType, Message, Settings};
use source::{mark_of, source_name};
use std::fmt::Write;
use std::rc::Rc;

/// Resolves the names of a statement.
pub trait Scope {
    /// The type of a variable, by its name with the `@`.
    fn variable(&self, name: &str) -> Option<DataType>;

    /// The core's name of a table, quoted as it stands in SQL.
    ///
    /// Errors: 208 for a temporary table or table variable that is not there. Other tables are looked up by the planner.
    fn table(&self, name: &ObjectName) -> Result<String, Message>;

    /// The columns of a table, in order; `None` if the scope does not know it.
    fn columns(&self, name: &ObjectName) -> Option<Vec<TableColumn>>;

    /// The hidden column by which a row of a table is found again.
    fn row_number(&self, _name: &ObjectName) -> &'static str {
        "_rowid"
    }

    /// The statement asks functions of the catalog for its rows: what they answer is of this moment.
    fn asks_catalog(&self) {}

    /// The options of the session that say what values mean.
    fn settings(&self) -> Settings {
        Settings::NEW
    }

    /// Returns true if this variable is NULL when the statement runs, which then is what it is reduced for: asked where
    /// ANSI_NULLS is off.
    fn is_null(&self, _variable: &str) -> bool {
        false
    }

    /// The type of the values of a sequence; `None` for an unknown name.
    fn sequence_type(&self, _name: &ObjectName) -> Option<DataType> {
        None
    }

    /// Returns true if tables are called otherwise than the statement calls them: for a column that bears the name of a
    /// table of an outer query, which the core would look into.
    fn disguises_tables(&self) -> bool {
        false
    }

    /// A number that tells names of constraints apart that are made up for tables of one name.
    fn salt(&self) -> u64 {
        0
    }

    /// Returns true if this is a scalar function of the database.
    fn is_scalar_function(&self, name: &ObjectName) -> bool;

    /// The view of this name, if its query is to stand in its place.
    fn inlined_view(&self, _name: &ObjectName) -> Option<tree::View> {
        None
    }

    /// The type that such a function returns, where it is known.
    fn scalar_result(&self, _: &ObjectName) -> Option<DataType> {
        None
    }

    /// The value of DEFAULT for each parameter of such a function.
    fn scalar_defaults(&self, _: &ObjectName) -> Option<Vec<Option<tree::Expr>>> {
        None
    }

    /// The view of this name, as it was written.
    fn view(&self, _name: &ObjectName) -> Option<tree::View> {
        None
    }

    /// The query of an inline table function of this name, and its parameters with their types.
    fn inline_function(&self, name: &ObjectName) -> Option<InlineFunction>;

    /// A function of this name that fills a table.
    fn table_function(&self, _: &ObjectName) -> Option<TableFunction> {
        None
    }

    /// Has a function that fills a table called whenever the statement is to run; the core's name of the table that has
    /// its rows then, quoted, with the arguments as the columns `#a0` and so on behind its own.
    ///
    /// Errors: those of making the table.
    fn table_call(&self, _: TableCall) -> Result<String, Message> {
        Err(not_supported(refusals::TABLE_FUNCTION))
    }

    /// The columns of the primary key of a table of the core's own, none where it has none; `None` for anything else.
    fn key(&self, _: &ObjectName) -> Option<Vec<TableColumn>> {
        None
    }

    /// The columns of the indexes of a table, its keys among them.
    fn indexes(&self, _: &ObjectName) -> Vec<Vec<String>> {
        Vec::new()
    }

    /// Returns true if a table has an index of this name, as far as it is known.
    fn has_index(&self, _table: &ObjectName, _index: &str) -> bool {
        true
    }

    /// The order in which a table of the core's own gives its rows; `None` for anything else.
    fn natural_order(&self, _: &ObjectName) -> Option<NaturalOrder> {
        None
    }

    /// The unique keys of a table of which an INSERT leaves out what is there already.
    fn ignored_keys(&self, _: &ObjectName) -> IgnoredKeys {
        IgnoredKeys::None
    }

    /// The columns of a table that has some of the moment at which they are read; `None` for any other.
    fn momentary_columns(&self, _: &ObjectName) -> Option<Vec<MomentaryColumn>> {
        None
    }

    /// Returns true if statements may read this file.
    ///
    /// Errors: 4860, 4861.
    fn check_file(&self, _: &str) -> Result<(), Message> {
        Err(not_supported(refusals::OPENROWSET_BULK))
    }

    /// The type of this name that the database defines (`CREATE TYPE`).
    fn user_type(&self, name: &ObjectName) -> Option<DataType>;

    /// Returns true if the type of this name that the database defines takes no NULL.
    fn is_not_null_type(&self, _: &ObjectName) -> bool {
        false
    }

    /// The type of the one column of a query in the core's SQL.
    ///
    /// Errors: those of planning it.
    fn expression_type(&self, query: &str) -> Result<DataType, Message>;
}

/// A column as [`Scope::columns`] tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
    /// True if its numbers are given by the table.
    pub is_identity: bool,
    /// True if it is computed, or a row version: no statement gives it values.
    pub is_computed: bool,
    /// True if it may be NULL.
    pub is_nullable: bool,
}

/// The heading of a column of the outermost list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// By this name; empty for an expression without one.
    Named(String),
    /// As the columns are that the star stands for.
    Star,
}

/// A query in the SQL of the core.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedQuery {
    /// The text.
    pub text: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The heads of its columns.
    pub heads: Vec<Head>,
}

/// The collation of this name.
///
/// Errors: 448 for an unknown name.
pub fn collation(name: &str) -> Result<mainstay_types::Collation, Message> {
    mainstay_tsql_types::collation::by_name(name)
        .ok_or_else(|| Message::error(448, format!("Invalid collation '{name}'.")))
}

/// Reduces a query. What it assigns to variables is reduced to the values that are assigned.
///
/// Errors: 137 for a variable that is not declared, 195 for a function that is not one, and others with SQL Server's
/// numbers; 40515 for what the core has no way to do.
pub fn query(query: &Query, scope: &dyn Scope) -> Result<ReducedQuery, Message> {
    reduced_query(query, Reducer { locks: true, is_ordered: true, packs_lists: true, ..Reducer::new(scope) })
}

/// Reduces the query of a view, whose rows have no order.
///
/// Errors: as [`query`].
pub fn view(query: &Query, scope: &dyn Scope) -> Result<ReducedQuery, Message> {
    // A view means the same for every session.
    reduced_query(query, Reducer { settings: Settings::NEW, settings_mark: String::new(), ..Reducer::new(scope) })
}

/// The names of the columns of a view that have to be said: those that it gives them, or else those of its query, where the
/// reduced query has others.
pub fn view_columns(view: &tree::View) -> Vec<String> {
    if !view.columns.is_empty() || !order_names::hides_names(&view.query) {
        return view.columns.iter().map(|name| name.text.clone()).collect();
    }
    let named = |head| match head {
        Head::Named(name) if !name.is_empty() => Some(name),
        _ => None,
    };
    query::heads(&view.query.body).into_iter().map(named).collect::<Option<_>>().unwrap_or_default()
}

fn reduced_query(query: &Query, reducer: Reducer<'_>) -> Result<ReducedQuery, Message> {
    let mut reducer = Reducer { mark: mark_of(reducer.scope), ..reducer };
    let named = reducer.with_identities_named(query);
    let query = named.as_ref().unwrap_or(query);
    reducer.query(query)?;
    let heads = match &query.format {
        Some(format) => vec![format::head(format)],
        None => query::heads(&query.body),
    };
    Ok(ReducedQuery { text: reducer.out, parameters: reducer.parameters, heads })
}

/// Reduces an expression to a query of one row and one column.
///
/// Errors: as [`query`].
pub fn expression(value: &tree::Expr, scope: &dyn Scope) -> Result<ReducedQuery, Message> {
    let mut reducer = Reducer { mark: mark_of(scope), in_value: true, packs_lists: true, ..Reducer::new(scope) };
    reducer.push("SELECT ");
    match value.is_condition() {
        true => reducer.condition(value)?,
        false => reducer.expression(value)?,
    }
    reducer.push(" AS \"#1\"");
    let heads = vec![Head::Named(String::new())];
    Ok(ReducedQuery { text: reducer.out, parameters: reducer.parameters, heads })
}

/// Reduces a condition to a query of one column: a row with true, or one with false, or none where it is unknown.
///
/// Errors: as [`query`].
pub fn condition(condition: &tree::Expr, scope: &dyn Scope) -> Result<ReducedQuery, Message> {
    let mut reducer = Reducer { mark: mark_of(scope), packs_lists: true, ..Reducer::new(scope) };
    reducer.push("SELECT TRUE AS \"#1\" WHERE ");
    reducer.condition(condition)?;
    reducer.push(" UNION ALL SELECT FALSE AS \"#1\" WHERE ");
    reducer.not(|it| it.condition(condition))?;
    let heads = vec![Head::Named(String::new())];
    Ok(ReducedQuery { text: reducer.out, parameters: reducer.parameters, heads })
}

/// The expression of a CHECK, DEFAULT or computed column, which has no variables.
///
/// Errors: as [`query`].
pub fn table_expression(value: &tree::Expr, scope: &dyn Scope) -> Result<String, Message> {
    let new = Settings::NEW;
    let mut reducer = Reducer { in_table: true, settings: new, settings_mark: String::new(), ..Reducer::new(scope) };
    match value.is_condition() {
        true => reducer.condition(value)?,
        false => reducer.expression(value)?,
    }
    match reducer.parameters.is_empty() {
        true => Ok(reducer.out),
        false => Err(not_supported("a function of the session in the definition of a table")),
    }
}

/// SQL Server's type of this name and these arguments.
///
/// Errors: 2715 for an unknown name, and those of lengths and precisions that are not possible.
pub fn data_type(declared: &tree::DataType, place: Declared<'_>, scope: &dyn Scope) -> Result<DataType, Message> {
    if let Some(known) = scope.user_type(&declared.name) {
        return Ok(known);
    }
    let argument = |argument: &TypeArgument| match argument {
        TypeArgument::Max => Some(types::TypeArgument::Max),
        TypeArgument::Number(digits) => digits.parse().ok().map(types::TypeArgument::Number),
        TypeArgument::Schema(..) => None,
    };
    let arguments: Vec<types::TypeArgument> = declared.arguments.iter().filter_map(argument).collect();
    DataType::declare(declared.name.last(), &arguments, place)
}

/// A statement while it is written.
struct Reducer<'s> {
    scope: &'s dyn Scope,
    out: String,
    parameters: Vec<Parameter>,
    /// Numbers for names that the reduction makes.
    made: usize,
    /// The common table expressions that are in sight, in lower case.
    common: Vec<String>,
    /// Those around the view whose query is written, to which they are not in sight.
    hidden: Vec<String>,
    /// The names of `inserted` and `deleted` in the list of an OUTPUT.
    output: Option<Rc<output::OutputNames>>,
    /// Columns that the query which finds the rows of a change gives beside each row.
    beside: Vec<String>,
    /// The name of a change's target, its column with the number of the row, and the table.
    current: Option<(String, String, ObjectName)>,
    /// True if the outermost query may lock rows.
    locks: bool,
    /// The table and the column that what is assigned next is for.
    taking: Option<(String, String)>,
    /// Conditions on the rows of the query whose FROM is being written.
    conditions: Vec<tree::Expr>,
    /// The WITH of the statement, once it is written.
    written_with: Option<tree::With>,
    /// The nesting depth of queries; the outermost is 1.
    depth: usize,
    /// The depth of the query whose columns have the names that what is around it gives them.
    named_outside: usize,
    /// True if this is part of the definition of a table, where there are no parameters.
    in_table: bool,
    /// True if a change gives back its rows whole.
    images: bool,
    /// The values of a function's parameters, where its query stands in for its call.
    inlined: Vec<variable::InlinedValue>,
    /// The views and inline functions whose queries are being written in their places, by their names in lower case.
    in_place: Vec<String>,
    /// The columns of the common table expressions whose columns can be told.
    common_columns: Vec<(String, Vec<String>)>,
    /// Those of common table expressions whose values have no order, with their types.
    common_without_order: Vec<(String, Vec<(String, DataType)>)>,
    /// True if a path into XML of the SELECT goes up from the rows of `nodes`.
    looks_up: bool,
    /// The limit of runs of a common table expression's recursive part; 0 for no limit.
    recursion_limit: u32,
    /// The suffix of the names of tables that differ from those in the statement: where a table's name would be taken
    /// for a column, and in the query of an inline function, whose arguments name tables around the call.
    mark: String,
    /// True if the order of the outermost query's rows is seen.
    is_ordered: bool,
    /// True if a condition that is written is part of a value, where the core looks into no subquery but for one value.
    in_value: bool,
    /// True if what is written has NOT around it, an odd number of times.
    is_negated: bool,
    /// The tables in sight with columns of the moment that are read themselves.
    read_itself: Vec<momentary::ReadItself>,
    /// The columns of the tables of the queries in sight, by their depth, where there are such tables; `None` where they cannot
    /// be told.
    columns_in_sight: Vec<(usize, Option<Vec<String>>)>,
    /// The queries in sight whose groups are made below them.
    grouped: Vec<outer_aggregate::Grouped>,
    /// The options of the session, and what the names of functions say of them.
    settings: Settings,
    settings_mark: String,
    /// The sequences of which the list that is written takes values more than once.
    shared_values: Vec<next_value::SharedValue>,
    /// True if long lists of literals are one text: not in definitions, which are kept and shown.
    packs_lists: bool,
}

impl<'s> Reducer<'s> {
    fn new(scope: &'s dyn Scope) -> Reducer<'s> {
        let settings = scope.settings();
        Reducer {
            scope,
            out: String::new(),
            parameters: Vec::new(),
            made: 0,
            common: Vec::new(),
            hidden: Vec::new(),
            output: None,
            beside: Vec::new(),
            current: None,
            locks: false,
            taking: None,
            conditions: Vec::new(),
            written_with: None,
            depth: 0,
            named_outside: 0,
            in_table: false,
            images: false,
            inlined: Vec::new(),
            in_place: Vec::new(),
            common_columns: Vec::new(),
            common_without_order: Vec::new(),
            looks_up: false,
            recursion_limit: 100,
            mark: String::new(),
            is_ordered: false,
            in_value: false,
            is_negated: false,
            read_itself: Vec::new(),
            columns_in_sight: Vec::new(),
            grouped: Vec::new(),
            settings,
            settings_mark: settings.mark(),
            shared_values: Vec::new(),
            packs_lists: false,
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Writes a name as the core quotes it. Names mean the same in any case there.
    fn name(&mut self, name: &str) {
        self.push(&quoted(name));
    }

    fn number(&mut self, number: impl std::fmt::Display) {
        // Writing to a String does not fail.
        let _ = write!(self.out, "{number}");
    }

    /// Writes what a table is called.
    fn table_alias(&mut self, name: &str) {
        match self.mark.is_empty() {
            true => self.name(&source_name(name)),
            false => self.name(&format!("{name}{}", self.mark)),
        }
    }

    /// A name that nothing else has.
    fn made_name(&mut self) -> String {
        self.made += 1;
        format!("#m{}", self.made)
    }

    /// The text that `work` writes, separate from the output.
    fn aside(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Message>) -> Result<String, Message> {
        let before = std::mem::take(&mut self.out);
        let done = work(self);
        let written = std::mem::replace(&mut self.out, before);
        done.map(|()| written)
    }

    /// Writes `"mssql:NAME"(`; the caller closes it.
    fn open(&mut self, function: &str) {
        self.push("\"mssql:");
        self.mark_settings(function);
        self.push(&function.replace('"', "\"\""));
        self.push("\"(");
    }

    /// Writes things with commas between them.
    fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<(), Message>,
    ) -> Result<(), Message> {
        for (number, item) in items.into_iter().enumerate() {
            if number > 0 {
                self.push(", ");
            }
            write(self, item)?;
        }
        Ok(())
    }

    fn data_type(&self, declared: &tree::DataType) -> Result<DataType, Message> {
        data_type(declared, Declared::Cast, self.scope)
    }
}

/// A name as the core quotes it. Names mean the same in any case there, and tables show them as they were first written.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A literal of text as the core writes it.
fn text_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
