//! Statements that find or write one row, as programs prepare them.
//!
//! ```text
//!   SELECT columns FROM table WHERE column = cell AND ...
//!   INSERT INTO table (columns) VALUES (cells)
//!   UPDATE table SET column = cell, ... WHERE column = cell AND ...
//!   DELETE FROM table WHERE column = cell AND ...
//! ```
//!
//! A cell is a parameter or a literal. The engine decides which of them the row executor takes, by the table (is there
//! a unique index of these columns?); all others go through the planner.

use super::{Assignment, InsertSource, Name, Statement};
use crate::parse::text::{Text, parameter_number};
use crate::plan::literal_values::constants;
use datafusion::sql::sqlparser::ast::{
    self, BinaryOperator, Expr, GroupByExpr, Select, SelectItem, SetExpr, TableFactor,
};
use mainstay_types::{Code, Error, Result, Value, ValueRef};
use std::fmt::Write;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// The parameter of this number, from 0.
    Parameter(usize),
    /// A literal.
    Constant(Value),
    /// The column's default.
    Default,
}

/// A statement about one row.
#[derive(Clone, Debug, PartialEq)]
pub enum PointStatement {
    /// SELECT.
    Select {
        /// The table.
        table: Name,
        /// The columns to give; `None` for `*`.
        columns: Option<Vec<Name>>,
        /// The columns of the key, and their values.
        key: Vec<(Name, Cell)>,
    },
    /// INSERT.
    Insert {
        /// The table.
        table: Name,
        /// The columns that are given; all when there are none.
        columns: Vec<Name>,
        /// Their values.
        cells: Vec<Cell>,
    },
    /// UPDATE.
    Update {
        /// The table.
        table: Name,
        /// The new values.
        changes: Vec<(Name, Cell)>,
        /// The columns of the key, and their values.
        key: Vec<(Name, Cell)>,
    },
    /// DELETE.
    Delete {
        /// The table.
        table: Name,
        /// The columns of the key, and their values.
        key: Vec<(Name, Cell)>,
    },
}

impl PointStatement {
    /// The statement, if it has one of these forms.
    ///
    /// Errors: those of reading it at all.
    pub fn parse(source: &str) -> Result<Option<PointStatement>> {
        let text = Text::new(source)?;
        text.check_length()?;
        if text.is_deep() || Statement::by_words(&text)?.is_some() {
            return Ok(None);
        }
        Ok(match text.parse()? {
            ast::Statement::Query(query) => select(&query, &text),
            statement => PointStatement::of(&Statement::of(statement, &text)?, &text),
        })
    }

    /// A change that was read already, if it has one of these forms.
    ///
    /// Errors: those of splitting the text.
    pub fn of_change(statement: &Statement, source: &str) -> Result<Option<PointStatement>> {
        Ok(PointStatement::of(statement, &Text::new(source)?))
    }

    fn of(statement: &Statement, text: &Text) -> Option<PointStatement> {
        match statement {
            Statement::Insert(insert) if insert.conflict.is_none() && insert.returning.is_none() => {
                let InsertSource::Values(rows) = &insert.source else { return None };
                let [row] = rows.as_slice() else { return None };
                let cells: Option<Vec<Cell>> = row.iter().map(|expr| cell_or_default(expr.as_ref())).collect();
                let (table, columns) = (insert.table.clone(), insert.columns.clone());
                cells.map(|cells| PointStatement::Insert { table, columns, cells })
            }
            Statement::Update(update) if update.from.is_empty() && update.returning.is_none() => {
                let change = |change: &Assignment| Some((change.column.clone(), cell(change.value.as_ref()?)?));
                let changes: Option<Vec<_>> = update.assignments.iter().map(change).collect();
                let key = update.condition.as_ref().and_then(|condition| equalities(condition, text));
                let table = update.table.clone();
                changes.zip(key).map(|(changes, key)| PointStatement::Update { table, changes, key })
            }
            Statement::Delete(delete) if delete.using.is_empty() && delete.returning.is_none() => {
                let key = delete.condition.as_ref().and_then(|condition| equalities(condition, text));
                key.map(|key| PointStatement::Delete { table: delete.table.clone(), key })
            }
            _ => None,
        }
    }
}

/// A query as one about a row, if it has that form.
pub(crate) fn select(query: &ast::Query, text: &Text) -> Option<PointStatement> {
    let (table, select) = of_one_table(query, text)?;
    let columns = match select.projection.as_slice() {
        [SelectItem::Wildcard(options)] if options.to_string().is_empty() => None,
        items => {
            let column = |item: &SelectItem| match item {
                SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(Name::simple(name, text)),
                _ => None,
            };
            Some(items.iter().map(column).collect::<Option<Vec<_>>>()?)
        }
    };
    let key = equalities(select.selection.as_ref()?, text)?;
    Some(PointStatement::Select { table, columns, key })
}

/// The table of a query that is `SELECT COUNT(*) FROM table`.
pub(crate) fn counted(query: &ast::Query, text: &Text) -> Option<Name> {
    let (table, select) = of_one_table(query, text)?;
    let [SelectItem::UnnamedExpr(Expr::Function(call)) | SelectItem::ExprWithAlias { expr: Expr::Function(call), .. }] =
        select.projection.as_slice()
    else {
        return None;
    };
    let is_count = select.selection.is_none() && call.to_string().eq_ignore_ascii_case("count(*)");
    is_count.then_some(table)
}

/// The table of a query that has one without an alias, and no clause but a list and a condition.
fn of_one_table<'q>(query: &'q ast::Query, text: &Text) -> Option<(Name, &'q Select)> {
    let is_bare = query.with.is_none()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none()
        && query.locks.is_empty();
    let SetExpr::Select(select) = query.body.as_ref() else { return None };
    if !is_bare || !is_plain(select) {
        return None;
    }
    let [from] = select.from.as_slice() else { return None };
    let TableFactor::Table { name, alias: None, args: None, sample: None, .. } = &from.relation else { return None };
    from.joins.is_empty().then_some((Name::of(name, text).ok()?, select.as_ref()))
}

fn is_plain(select: &Select) -> bool {
    let is_grouped =
        !matches!(&select.group_by, GroupByExpr::Expressions(list, more) if list.is_empty() && more.is_empty());
    select.distinct.is_none()
        && select.top.is_none()
        && select.having.is_none()
        && select.qualify.is_none()
        && select.into.is_none()
        && !is_grouped
}

/// `column = cell AND column = cell ...`
fn equalities(condition: &Expr, text: &Text) -> Option<Vec<(Name, Cell)>> {
    match condition {
        Expr::Nested(inner) => equalities(inner, text),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            let mut all = equalities(left, text)?;
            all.extend(equalities(right, text)?);
            Some(all)
        }
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => match (left.as_ref(), right.as_ref()) {
            (Expr::Identifier(name), value) | (value, Expr::Identifier(name)) => {
                Some(vec![(Name::simple(name, text), cell(value)?)])
            }
            _ => None,
        },
        _ => None,
    }
}

fn cell_or_default(expr: Option<&Expr>) -> Option<Cell> {
    match expr {
        None => Some(Cell::Default),
        Some(expr) => cell(expr),
    }
}

fn cell(expr: &Expr) -> Option<Cell> {
    if let Expr::Value(ast::ValueWithSpan { value: ast::Value::Placeholder(name), .. }) = expr {
        return parameter_number(name).map(Cell::Parameter);
    }
    let rows = constants(&[vec![Some(expr.clone())]], &[]).ok()??;
    rows.into_iter().flatten().flatten().next().map(Cell::Constant)
}

/// The statement with each parameter's value in its place.
///
/// Errors: `InvalidValue` when there are fewer values than parameters, or more.
pub fn with_parameters(source: &str, values: &[ValueRef<'_>]) -> Result<String> {
    let text = Text::new(source)?;
    let mut bound = String::with_capacity(source.len() + 16 * values.len());
    let (mut copied, mut used) = (0, 0);
    for (range, number) in text.parameters() {
        let value = values.get(number).ok_or_else(|| {
            let message =
                format!("the statement has a parameter {} and {} values were given", number + 1, values.len());
            Error::new(Code::InvalidValue, message).span(range.start, range.end)
        })?;
        bound.push_str(&source[copied..range.start]);
        write_literal(&mut bound, *value);
        copied = range.end;
        used = used.max(number + 1);
    }
    if used < values.len() {
        let message = format!("{} values were given for {used} parameters", values.len());
        return Err(Error::new(Code::InvalidValue, message));
    }
    bound.push_str(&source[copied..]);
    Ok(bound)
}

/// An error of the text that [`with_parameters`] has made, with its place in the statement that has the parameters.
pub fn placed_before_binding(error: Error, source: &str, values: &[ValueRef<'_>]) -> Error {
    let (Some((start, end)), Ok(text)) = (error.text_span(), Text::new(source)) else { return error };
    // Of each place in the text that was made: where what is before the next parameter begins in both, and the parameter.
    let original = |place: usize, is_end: bool| {
        let (mut copied, mut made) = (0, 0);
        for (range, number) in text.parameters() {
            let literal_start = made + range.start - copied;
            let mut literal = String::new();
            values.get(number).into_iter().for_each(|value| write_literal(&mut literal, *value));
            let literal_end = literal_start + literal.len();
            if place < literal_start || (is_end && place == literal_start) {
                break;
            }
            if place < literal_end || (is_end && place == literal_end) {
                return if is_end { range.end } else { range.start };
            }
            (copied, made) = (range.end, literal_end);
        }
        (copied + place - made).min(source.len())
    };
    error.span(original(start, false), original(end, true))
}

fn write_literal(text: &mut String, value: ValueRef<'_>) {
    // Writing into a string does not fail.
    let _ = match value {
        // A whole number of a double stays a double.
        ValueRef::Float(value) => write!(text, "CAST('{value}' AS DOUBLE)"),
        ValueRef::Uuid(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            write!(text, "arrow_cast(X'{hex}', 'FixedSizeBinary(16)')")
        }
        // A sign must not run into what stands before it.
        ValueRef::Integer(value) if value < 0 => write!(text, "({value})"),
        other => write!(text, "{}", other.to_value()),
    };
}
