//! The queries of a cursor: one for its rows, and one that reads a row again.
//!
//! ```text
//!   DECLARE c CURSOR KEYSET FOR SELECT Name FROM Customers WHERE City = @city ORDER BY Name
//!
//!   rows    SELECT Name, Customers.Id AS "#k0" FROM Customers WHERE City = @city ORDER BY Name
//!   again   SELECT Name FROM Customers WHERE Customers.Id = @#k0
//! ```
//!
//! The columns of its primary key identify a row of a table, or else the core's row number. A keyset keeps its rows
//! whatever happens to them; a dynamic cursor's rows must still meet the condition. A query with groups, outer joins or
//! TOP has no such keys: its cursor is static.

use super::updatable::{Leaf, leaves_of, named_as};
use super::{Reducer, Scope, TableColumn, quoted};
use crate::tree::{
    BinaryOperator, CursorName, Expr, JoinKind, Name, ObjectName, OrderItem, Query, QueryBody, Select, SelectItem,
    SetQuantifier, Source,
};
use mainstay_tsql_types::{DataType, Message};

/// The statements that a cursor sends to the core.
#[derive(Clone, Debug, PartialEq)]
pub struct CursorQueries {
    /// Its query, with the keys behind its own columns.
    pub rows: Query,
    /// The query of one row by the variables of its keys, where rows can be read again.
    pub again: Option<Query>,
    /// The keys.
    pub keys: Vec<CursorKey>,
    /// True if the rows are those of OPEN even for a dynamic cursor: they are counted, or sorted without an index.
    pub keeps_rows: bool,
}

/// A column that identifies a row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct CursorKey {
    /// The core's name of the table.
    pub table: String,
    /// Its place among the sources of the query, from 0.
    pub place: usize,
    /// The column there.
    pub column: String,
    /// Its type.
    pub data_type: DataType,
    /// The variable that stands for it in [`CursorQueries::again`].
    pub variable: String,
}

/// The queries of a cursor.
pub fn cursor_queries(query: &Query, is_dynamic: bool, scope: &dyn Scope) -> CursorQueries {
    let plain = || CursorQueries { rows: query.clone(), again: None, keys: Vec::new(), keeps_rows: true };
    let QueryBody::Select(select) = &query.body else { return plain() };
    if query.format.is_some() || is_grouped(select) {
        return plain();
    }
    let mut leaves = Vec::new();
    select.from.iter().for_each(|source| leaves_of(source, &mut leaves));
    let (mut keys, mut conditions, mut items, mut keyed) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (place, leaf) in leaves.iter().enumerate() {
        let table = match &leaf.source {
            Source::Table(table) if !query.with.tables.iter().any(|with| table.name.is(&with.name.text)) => {
                table.name.clone()
            }
            Source::Variable(name, _) => ObjectName { parts: vec![name.clone()], span: name.span },
            _ => continue,
        };
        let (Some(columns), Ok(core)) = (scope.key(&table), scope.table(&table)) else { continue };
        keyed += 1;
        for (column, data_type) in key_columns(columns, scope.row_number(&table)) {
            let variable = format!("@#k{}", keys.len());
            let parts = vec![named_as(&leaf.alias), named_as(&column)];
            let named = Expr::Column(ObjectName { parts, ..ObjectName::default() });
            items.push(SelectItem::Value(named.clone(), Some(named_as(&variable[1..]))));
            let value = Expr::Variable(Name { text: variable.clone(), ..Name::default() });
            conditions.push(Expr::Binary(Box::new(named), BinaryOperator::Equal, Box::new(value)));
            keys.push(CursorKey { table: core.clone(), place, column, data_type, variable });
        }
    }
    let is_rereadable = !keys.is_empty() && keyed == leaves.len() && select.from.iter().all(is_inner);
    let mut rows = query.clone();
    if let QueryBody::Select(select) = &mut rows.body {
        select.items.extend(items);
    }
    let again = is_rereadable.then(|| {
        let mut again = Query { order: Vec::new(), offset: None, fetch: None, ..query.clone() };
        if let QueryBody::Select(select) = &mut again.body {
            let counts = select.top.take().is_some() || query.fetch.is_some();
            let own = select.condition.take();
            conditions.extend(own.filter(|_| is_dynamic && !counts));
            select.condition = Some(Expr::And(conditions));
        }
        again
    });
    let keeps_rows = select.top.is_some() || query.fetch.is_some() || !is_in_index_order(query, &leaves, scope);
    CursorQueries { rows, again, keys, keeps_rows }
}

/// The columns of a key; without a key the hidden column with the row's number.
fn key_columns(columns: Vec<TableColumn>, row_number: &str) -> Vec<(String, DataType)> {
    match columns.is_empty() {
        true => vec![(row_number.to_owned(), DataType::BigInt)],
        false => columns.into_iter().map(|column| (column.name, column.data_type)).collect(),
    }
}

/// Returns true if an index gives the order that a query asks for.
fn is_in_index_order(query: &Query, leaves: &[Leaf], scope: &dyn Scope) -> bool {
    if query.order.is_empty() {
        return true;
    }
    let [Leaf { source: Source::Table(table), .. }] = leaves else { return false };
    let column = |item: &OrderItem| match &item.value {
        Expr::Column(name) => Some(name.last().to_owned()),
        _ => None,
    };
    let Some(order) = query.order.iter().map(column).collect::<Option<Vec<_>>>() else { return false };
    let starts = |index: &Vec<String>| {
        order.len() <= index.len() && order.iter().zip(index).all(|(asked, is)| asked.eq_ignore_ascii_case(is))
    };
    scope.indexes(&table.name).iter().any(starts)
}

/// Returns true if the rows of a query are not those of its tables.
fn is_grouped(select: &Select) -> bool {
    let counts = |item: &SelectItem| match item {
        SelectItem::Value(value, _) => {
            super::function::has_aggregate(value) || crate::print_expression(value).contains(" OVER ")
        }
        _ => false,
    };
    select.group.is_some()
        || select.having.is_some()
        || select.quantifier == Some(SetQuantifier::Distinct)
        || select.items.iter().any(counts)
}

/// Returns true if a source is made of tables, each of which has a row in every row of it.
fn is_inner(source: &Source) -> bool {
    match source {
        Source::Table(_) | Source::Variable(..) => true,
        Source::Nested(inner) => is_inner(inner),
        Source::Join(join) => {
            matches!(join.kind, JoinKind::Inner | JoinKind::Cross) && is_inner(&join.left) && is_inner(&join.right)
        }
        _ => false,
    }
}

impl Reducer<'_> {
    /// WHERE CURRENT OF.
    pub(super) fn current_row(&mut self, cursor: &CursorName) -> Result<(), Message> {
        let current = self.current.clone().filter(|(_, row, _)| matches!(row.as_str(), "_rowid" | "_recno"));
        let Some((alias, _, table)) = current else {
            let text = "The cursor does not include the table being modified or the table is not updatable through the \
                        cursor.";
            return Err(Message::error(16933, text));
        };
        let core = self.scope.table(&table)?;
        let hidden = self.scope.row_number(&table);
        let columns = key_columns(self.scope.key(&table).unwrap_or_default(), hidden);
        for (place, (column, data_type)) in columns.into_iter().enumerate() {
            let source = super::Source::CurrentRow(cursor.clone(), core.clone(), column.clone());
            let number = self.parameter_number(source, data_type, None);
            if place > 0 {
                self.push(" AND ");
            }
            self.name(&alias);
            self.push(&format!(".{} = ${number}", if column == hidden { column } else { quoted(&column) }));
        }
        Ok(())
    }
}
