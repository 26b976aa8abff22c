//! INSERT, UPDATE and DELETE: the table, the rows, the values.

use super::define::is_word;
use super::index::{FilterPart, filter_parts};
use super::{Name, unsupported};
use crate::parse::postgres::{NOTHING, WHERE};
use crate::parse::text::Text;
use crate::plan::literal_values::constants;
use datafusion::sql::sqlparser::ast::{
    self, AssignmentTarget, ConflictTarget, Expr, FromTable, ObjectName, OnConflictAction, OnInsert, Query, SelectItem,
    SetExpr, TableFactor, TableObject, TableWithJoins, UpdateTableFromKind, With,
};
use mainstay_types::{Code, Error, Result, ValueRef};

/// INSERT.
#[derive(Clone, Debug)]
pub struct Insert {
    /// The table.
    pub table: Name,
    /// The name it has in the statement.
    pub alias: Option<Name>,
    /// The columns that values are given for; all of them when none are named.
    pub columns: Vec<Name>,
    /// Where the values come from.
    pub source: InsertSource,
    /// The treatment of a row whose key is there already.
    pub conflict: Option<Conflict>,
    /// The RETURNING clause over the new rows.
    pub returning: Option<Returning>,
}

impl Insert {
    /// How many parameters a statement has of which each stands by itself in a list of values; `None` when there are
    /// others, or lists of expressions.
    ///
    /// Errors: those of reading the text.
    pub fn listed_parameters(&self, source: &str) -> Result<Option<usize>> {
        let InsertSource::Values(rows) = &self.source else { return Ok(None) };
        let parameters = Text::new(source)?.parameters();
        let count = parameters.iter().map(|(_, number)| number + 1).max().unwrap_or(0);
        let is_parameter =
            |expr: &&Expr| matches!(expr, Expr::Value(ast::ValueWithSpan { value: ast::Value::Placeholder(_), .. }));
        let listed = rows.iter().flatten().flatten().filter(is_parameter).count();
        let nulls = vec![ValueRef::Null; count];
        let is_listed = listed == parameters.len() && constants(rows, &nulls)?.is_some();
        Ok(is_listed.then_some(count))
    }
}

/// Where the values of an INSERT come from.
#[derive(Clone, Debug)]
pub enum InsertSource {
    /// Lists of expressions; DEFAULT is `None`.
    Values(Vec<Vec<Option<Expr>>>),
    /// A query.
    Query(Box<Query>),
    /// DEFAULT VALUES: one row of defaults.
    Defaults,
}

/// ON CONFLICT.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The columns of the key that may be there; any key when none are named.
    pub columns: Vec<Name>,
    /// Of which rows it is the key, if not of all: a unique index with such a filter is meant, too.
    pub filter: Vec<FilterPart>,
    /// ON CONSTRAINT: the name of that key.
    pub constraint: Option<Name>,
    /// The action on a conflict.
    pub action: ConflictAction,
}

/// The treatment of a row whose key is there already.
#[derive(Clone, Debug)]
pub enum ConflictAction {
    /// The row is left out.
    Nothing,
    /// The row that is there is changed; the one that was to be inserted is called `excluded`.
    Update {
        /// Its new values.
        assignments: Vec<Assignment>,
        /// Only if this holds.
        condition: Option<Box<Expr>>,
    },
}

/// `column = expression`
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The column.
    pub column: Name,
    /// Its new value; `None` for DEFAULT.
    pub value: Option<Expr>,
}

/// RETURNING: what a change gives of its rows.
#[derive(Clone, Debug)]
pub struct Returning {
    pub(crate) items: Vec<SelectItem>,
}

/// UPDATE.
#[derive(Clone, Debug)]
pub struct Update {
    /// The table.
    pub table: Name,
    /// The name it has in the statement.
    pub alias: Option<Name>,
    /// The new values.
    pub assignments: Vec<Assignment>,
    /// WITH before it.
    pub(crate) with: Option<With>,
    /// Other tables that values and condition refer to.
    pub from: Vec<TableWithJoins>,
    /// Which rows.
    pub condition: Option<Expr>,
    /// The RETURNING clause over the changed rows.
    pub returning: Option<Returning>,
}

/// DELETE.
#[derive(Clone, Debug)]
pub struct Delete {
    /// The table.
    pub table: Name,
    /// The name it has in the statement.
    pub alias: Option<Name>,
    /// WITH before it.
    pub(crate) with: Option<With>,
    /// Other tables that the condition refers to.
    pub using: Vec<TableWithJoins>,
    /// Which rows.
    pub condition: Option<Expr>,
    /// The RETURNING clause over the deleted rows.
    pub returning: Option<Returning>,
}

pub(super) fn insert(insert: ast::Insert, text: &Text) -> Result<Insert> {
    let odd = [
        (insert.or.is_some(), "INSERT OR"),
        (insert.ignore, "INSERT IGNORE"),
        (insert.overwrite, "INSERT OVERWRITE"),
        (insert.replace_into, "REPLACE INTO"),
        (insert.partitioned.is_some(), "PARTITION"),
        (!insert.assignments.is_empty(), "INSERT ... SET"),
    ];
    refuse(&odd)?;
    let TableObject::TableName(table) = &insert.table else {
        return Err(unsupported("an INSERT into something that is not a table"));
    };
    let columns: Result<Vec<Name>> = insert.columns.iter().map(|column| Name::of(column, text)).collect();
    let conflict = match insert.on {
        None => None,
        Some(OnInsert::OnConflict(conflict)) => Some(on_conflict(conflict, text)?),
        Some(other) => return Err(unsupported(format!("INSERT ... {other}"))),
    };
    Ok(Insert {
        table: Name::of(table, text)?,
        alias: crate::parse::postgres::insert_alias(text).as_deref().map(Name::new),
        columns: columns?,
        source: insert.source.map_or(InsertSource::Defaults, source),
        conflict,
        returning: insert.returning.map(|items| Returning { items }),
    })
}

impl Insert {
    /// The same with WITH before it.
    ///
    /// Errors: `Unsupported` when there is nothing that could use it.
    pub(super) fn with(mut self, with: With) -> Result<Insert> {
        self.source = match self.source {
            InsertSource::Query(query) if query.with.is_none() => {
                InsertSource::Query(Box::new(Query { with: Some(with), ..*query }))
            }
            InsertSource::Query(_) => return Err(unsupported("WITH twice in an INSERT")),
            InsertSource::Values(_) | InsertSource::Defaults => {
                return Err(unsupported("WITH before an INSERT of values"));
            }
        };
        Ok(self)
    }
}

/// A VALUES list without more around it, or a query.
fn source(query: Box<Query>) -> InsertSource {
    let is_bare = query.with.is_none() && query.order_by.is_none() && query.limit_clause.is_none();
    match *query.body {
        SetExpr::Values(values) if is_bare => {
            let row = |row: ast::Parens<Vec<Expr>>| row.content.into_iter().map(value_or_default).collect();
            InsertSource::Values(values.rows.into_iter().map(row).collect())
        }
        body => InsertSource::Query(Box::new(Query { body: Box::new(body), ..*query })),
    }
}

/// The expression; `None` for the word DEFAULT.
pub(super) fn value_or_default(value: Expr) -> Option<Expr> {
    match &value {
        Expr::Identifier(name) if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("default") => None,
        _ => Some(value),
    }
}

fn on_conflict(conflict: ast::OnConflict, text: &Text) -> Result<Conflict> {
    let (mut columns, mut constraint) = (Vec::new(), None);
    match &conflict.conflict_target {
        None => {}
        Some(ConflictTarget::Columns(named)) => {
            columns = named.iter().map(|column| Name::simple(column, text)).collect();
        }
        Some(ConflictTarget::OnConstraint(name)) => constraint = Some(Name::of(name, text)?),
    }
    let mut filter = Vec::new();
    let action = match conflict.action {
        OnConflictAction::DoNothing => ConflictAction::Nothing,
        OnConflictAction::DoUpdate(mut update) => {
            if let Some(condition) = update.assignments.first().filter(|it| sets(it, WHERE)) {
                filter_parts(&condition.value, &mut filter)?;
                update.assignments.remove(0);
            }
            match update.assignments.first().is_some_and(|first| sets(first, NOTHING)) {
                true => ConflictAction::Nothing,
                false => ConflictAction::Update {
                    assignments: assignments(update.assignments, text)?,
                    condition: update.selection.map(Box::new),
                },
            }
        }
    };
    Ok(Conflict { columns, filter, constraint, action })
}

/// True if the assignment sets this marker word, which [`postgres`](crate::parse::postgres) puts into the text.
pub(super) fn sets(assignment: &ast::Assignment, word: &str) -> bool {
    matches!(&assignment.target, AssignmentTarget::ColumnName(name) if is_word(name, word))
}

pub(super) fn assignments(assignments: Vec<ast::Assignment>, text: &Text) -> Result<Vec<Assignment>> {
    let column = |name: &ObjectName| match name.0.last().and_then(|part| part.as_ident()) {
        Some(last) => Ok(Name::simple(last, text)),
        None => Err(Error::new(Code::Syntax, format!("{name} is not the name of a column"))),
    };
    let mut all = Vec::with_capacity(assignments.len());
    for ast::Assignment { target, value } in assignments {
        match target {
            AssignmentTarget::ColumnName(name) => {
                all.push(Assignment { column: column(&name)?, value: value_or_default(value) });
            }
            AssignmentTarget::Tuple(names) => {
                for (name, value) in names.iter().zip(several(value, names.len())?) {
                    all.push(Assignment { column: column(name)?, value: value_or_default(value) });
                }
            }
        }
    }
    Ok(all)
}

/// The values of `(a, b) = (x, y)`, and of `(a, b) = (SELECT x, y ...)`, which becomes a subquery for each.
fn several(value: Expr, columns: usize) -> Result<Vec<Expr>> {
    let values = match value {
        Expr::Tuple(values) => values,
        Expr::Nested(value) => vec![*value],
        Expr::Subquery(query) => {
            let items = match query.body.as_ref() {
                SetExpr::Select(select) => select.projection.clone(),
                _ => return Err(unsupported("SET of several columns to anything but a SELECT")),
            };
            if items.iter().any(|item| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))) {
                return Err(unsupported("SET of several columns to a *").hint("name the columns"));
            }
            let one = |item: SelectItem| {
                let mut query = query.clone();
                if let SetExpr::Select(select) = query.body.as_mut() {
                    select.projection = vec![item];
                }
                Expr::Subquery(query)
            };
            items.into_iter().map(one).collect()
        }
        other => vec![other],
    };
    match values.len() == columns {
        true => Ok(values),
        false => Err(Error::new(Code::Syntax, format!("{} values are given for {columns} columns", values.len()))),
    }
}

pub(super) fn update(update: ast::Update, text: &Text) -> Result<Update> {
    refuse(&[
        (update.or.is_some(), "UPDATE OR"),
        (!update.order_by.is_empty(), "ORDER BY in an UPDATE"),
        (update.limit.is_some(), "LIMIT in an UPDATE"),
        (!update.table.joins.is_empty(), "a join as the table of an UPDATE"),
    ])?;
    let (table, alias) = target(&update.table, text)?;
    let from = match update.from {
        None => Vec::new(),
        Some(UpdateTableFromKind::BeforeSet(tables) | UpdateTableFromKind::AfterSet(tables)) => tables,
    };
    Ok(Update {
        table,
        alias,
        assignments: assignments(update.assignments, text)?,
        with: None,
        from,
        condition: update.selection,
        returning: update.returning.map(|items| Returning { items }),
    })
}

pub(super) fn delete(delete: ast::Delete, text: &Text) -> Result<Delete> {
    refuse(&[
        (!delete.tables.is_empty(), "a DELETE from several tables"),
        (!delete.order_by.is_empty(), "ORDER BY in a DELETE"),
        (delete.limit.is_some(), "LIMIT in a DELETE"),
    ])?;
    let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = delete.from;
    let [only] = from.as_slice() else { return Err(unsupported("a DELETE from several tables")) };
    let (table, alias) = target(only, text)?;
    Ok(Delete {
        table,
        alias,
        with: None,
        using: delete.using.unwrap_or_default(),
        condition: delete.selection,
        returning: delete.returning.map(|items| Returning { items }),
    })
}

pub(super) fn target(table: &TableWithJoins, text: &Text) -> Result<(Name, Option<Name>)> {
    match &table.relation {
        TableFactor::Table { name, alias, .. } if table.joins.is_empty() => {
            let alias = alias.as_ref().map(|alias| Name::simple(&alias.name, text));
            Ok((Name::of(name, text)?, alias))
        }
        _ => Err(unsupported("a change of something that is not a table")),
    }
}

fn refuse(odd: &[(bool, &str)]) -> Result<()> {
    match odd.iter().find(|(is_there, _)| *is_there) {
        Some((_, what)) => Err(unsupported(what)),
        None => Ok(()),
    }
}
