//! Live cursors: a SELECT of all columns of one table whose rows are the table's own records.
//!
//! ```text
//!   SELECT * FROM t WHERE ..    the table is opened; which of its records are rows is asked by another query:
//!                               SELECT RECNO() FROM t WHERE ..            all of them, when it begins
//!                               the same, of one record                   after that record was written
//! ```
//! So a condition has the same meaning in a live cursor as in a static one. Source: the help pages "Live versus Static
//! Cursors" and "Cursor Types".
//!
//! Limits: a list of columns, ORDER BY, DISTINCT, TOP, ALL (which stands for `{static}`), joins, groups and views make
//! static cursors.

use crate::modules::Kind;
use crate::scope::Values;
use crate::session::{Inner, Result};
use mainstay_ads_syntax::reduce::{self, table_name};
use mainstay_ads_syntax::tree::{ObjectName, Query, QueryBody, Select, SelectItem, Source, StatementKind};
use mainstay_ads_syntax::{Parsed, parse};
use mainstay_area_session::Live;
use mainstay_types::Value;

/// The name of the column of record numbers.
const NUMBER: &str = "record_";

/// The only table of a query whose rows could be its records.
fn only_table(query: &Query) -> Option<(&Select, &ObjectName)> {
    let QueryBody::Select(select) = &query.body else { return None };
    let is_plain = query.order.is_empty()
        && query.offset.is_none()
        && select.quantifier.is_none()
        && select.top.is_none()
        && select.into.is_none()
        && select.group.is_none()
        && select.having.is_none();
    match (&select.items[..], &select.from[..]) {
        ([SelectItem::Star(_)], [Source::Table(table)]) if is_plain => Some((select, &table.name)),
        _ => None,
    }
}

impl Inner {
    /// The live cursor of a statement whose rows are records of a table; `None` for any other statement.
    ///
    /// Errors: those of the statement's condition.
    pub(crate) fn live(&mut self, parsed: &Parsed) -> Result<Option<Live>> {
        let [statement] = &parsed.statements[..] else { return Ok(None) };
        let StatementKind::Query(query) = &statement.kind else { return Ok(None) };
        let Some((select, name)) = only_table(query) else { return Ok(None) };
        let last = name.last();
        let is_system = name.parts.len() > 1;
        let is_view = self.modules.find(Kind::View, &last.to_lowercase()).is_some();
        if is_system || is_view || last.starts_with('#') || self.temporary.find(last).is_some() {
            return Ok(None);
        }
        // A table that only the dictionary knows is opened by its name there.
        let known = self.modules.dictionary.as_ref().and_then(|dictionary| {
            let contents = dictionary.live.contents().ok()?;
            crate::dictionary::object_of(dictionary, &contents, &self.folder, name)
        });
        let table = match known {
            Some((mainstay_data_dictionary::constants::ADS_DD_TABLE_OBJECT, table)) => table,
            Some(_) => return Ok(None),
            None if last.contains(['/', '\\']) => last.to_owned(),
            None => {
                // A DBF comes before an ADT of its name, as in the core.
                let file = |extension: &str| format!("{}.{extension}", table_name(name));
                let is_there = |extension: &str| {
                    mainstay_data_dictionary::files::existing(&self.folder.join(file(extension))).is_some()
                };
                file(if !is_there("dbf") && is_there("adt") { "adt" } else { "dbf" })
            }
        };
        if select.condition.is_none() {
            return Ok(Some(Live { table, members: None }));
        }
        let numbers = parse(&format!("SELECT RECNO() AS {NUMBER} FROM t"))?;
        let Some(StatementKind::Query(numbers)) = numbers.statements.first().map(|statement| &statement.kind) else {
            return Ok(None);
        };
        let QueryBody::Select(numbers) = &numbers.body else { return Ok(None) };
        let items = numbers.items.clone();
        let select = Select { items, ..select.clone() };
        let query = Query { body: QueryBody::Select(Box::new(select)), ..Query::clone(query) };
        let reduced = self.reduced(&Values::new(), |scope| reduce::query(&query, scope))?;
        Ok(Some(Live { table, members: Some(reduced.text) }))
    }

    /// The records that are rows of a live cursor, or whether one is.
    ///
    /// Errors: those of the query.
    pub(crate) fn members(&mut self, query: &str, record: Option<u32>) -> Result<Vec<u32>> {
        let text = match record {
            Some(record) => format!("SELECT * FROM ({query}) AS \"#rows\" WHERE \"#rows\".\"{NUMBER}\" = {record}"),
            None => query.to_owned(),
        };
        let number = |row: Vec<Value>| match row.first() {
            Some(Value::Integer(number)) => u32::try_from(*number).ok(),
            Some(value) => value.as_ref().as_f64().map(|number| number as u32),
            None => None,
        };
        Ok(self.core(&text)?.rows.into_iter().filter_map(number).collect())
    }
}
