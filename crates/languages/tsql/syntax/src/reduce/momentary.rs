//! Computed columns that depend on the time at which they are read: `Age AS DATEDIFF(YEAR, Born, GETDATE())`.
//!
//! The core stores every computed column, so its values of these columns are of the time at which the row was written.
//! A query reads the table with the expressions in the place of the columns:
//!
//! ```text
//!   FROM People AS p      FROM (SELECT "id", "born", "mssql:datediff:year"("born", "mssql:given:datetime"($1)) AS "age"
//!                               FROM "people") AS "p"
//! ```
//!
//! Statements that need the rows of the table itself read it directly, with the expressions in the place of the
//! columns' names: the target of a change, a query whose rows are locked or come in the table's order, and a query for
//! the core's number of a row.
//!
//! ```text
//!   UPDATE People SET Old = 1      UPDATE "people" AS "People" SET "old" = 1
//!   WHERE Age > 65                 WHERE "mssql:greater"("mssql:datediff:year"("People"."born", ...), 65)
//! ```
//!
//! An unqualified name in a subquery refers to such a column of the outer query if no table of the subquery has a
//! column of that name.

use super::output::OutputNames;
use super::{Reducer, quoted, source_name};
use crate::tree::{Expr, Name, ObjectName, OrderItem, Query, Select, SelectItem, Source};
use mainstay_tsql_types::Message;

/// A column of a table, and its expression in the core's SQL if it is computed of the moment.
pub type MomentaryColumn = (String, Option<String>);

/// A table that is read itself though it has such columns.
pub(super) struct ReadItself {
    /// The statement's name for it.
    alias: String,
    /// The depth of the query that reads it; 0 for the target of a change.
    depth: usize,
    columns: Vec<MomentaryColumn>,
}

/// The functions that tell the moment, with their types and the moment as definitions have it. That of UTC is the same to the
/// core, and has parentheses for the display of the definition.
const MOMENTS: [(&str, &str, &str); 6] = [
    ("getdate", "datetime", "now()"),
    ("getutcdate", "datetime", "(now())"),
    ("sysdatetime", "datetime2(7)", "now()"),
    ("sysutcdatetime", "datetime2(7)", "(now())"),
    ("sysdatetimeoffset", "datetimeoffset(7)", "now()"),
    ("current_date", "date", "now()"),
];

/// The expression of a function of the current time in the definition of a table; `None` for other functions.
pub(super) fn in_definition(function: &str) -> Option<String> {
    let function = if function == "current_timestamp" { "getdate" } else { function };
    MOMENTS.into_iter().find(|(known, ..)| *known == function).map(|(_, data_type, moment)| written(data_type, moment))
}

fn written(data_type: &str, moment: &str) -> String {
    format!("\"mssql:cast:{data_type}\"(CAST({moment} AS TIMESTAMP))")
}

/// Returns true if the expression of a computed column is of the moment.
pub fn is_momentary(text: &str) -> bool {
    text.contains("now()")
}

impl Reducer<'_> {
    /// The columns of a table that is read, where some are of the moment and it is not read itself.
    pub(super) fn momentary_columns(&self, table: &ObjectName, alias: Option<&Name>) -> Option<Vec<MomentaryColumn>> {
        let alias = alias.map_or(table.last(), |alias| &alias.text);
        if self.in_table || self.reads_itself(alias) {
            return None;
        }
        self.scope.momentary_columns(table)
    }

    /// Returns true if the query that is written reads the table of this name itself.
    pub(super) fn reads_itself(&self, alias: &str) -> bool {
        self.read_itself.iter().any(|table| table.depth == self.depth && table.is_called(alias))
    }

    /// Notes the target of a change.
    pub(super) fn note_target(&mut self, table: &ObjectName, alias: &str) {
        self.note(table, alias);
    }

    /// Notes the tables of a query that it reads themselves.
    pub(super) fn note_read_itself(&mut self, query: &Query, select: &Select) {
        let mut leaves = Vec::new();
        select.from.iter().for_each(|source| super::updatable::leaves_of(source, &mut leaves));
        let is_single = self.depth == 1 && matches!(&select.from[..], [Source::Table(_) | Source::Variable(..)]);
        for leaf in leaves {
            let table = match &leaf.source {
                Source::Table(table) => table.name.clone(),
                Source::Variable(name, _) => ObjectName { parts: vec![name.clone()], span: name.span },
                _ => continue,
            };
            if self.common.iter().any(|known| table.is(known)) {
                continue;
            }
            let is_of_rows = is_single && super::natural::is_of_rows(select);
            if is_of_rows && !self.hides_column(&table, query, select) || names_row(query, select) {
                self.note(&table, &leaf.alias);
            }
        }
        if !self.read_itself.is_empty() {
            let own: Option<Vec<Vec<String>>> = select.from.iter().map(|source| self.columns_of(source)).collect();
            self.columns_in_sight.push((self.depth, own.map(|own| own.concat())));
        }
    }

    /// Returns true if a name without its table is that of a column of the query at this depth, around the one that is
    /// written: no table between them has a column of that name.
    fn is_from_around(&self, depth: usize, column: &str) -> bool {
        let has_none = |depth: usize| {
            let known = self.columns_in_sight.iter().rev().find(|(of, _)| *of == depth);
            let columns = known.and_then(|(_, columns)| columns.as_ref());
            columns.is_some_and(|columns| !columns.iter().any(|known| known.eq_ignore_ascii_case(column)))
        };
        depth < self.depth && (depth + 1..=self.depth).all(has_none)
    }

    fn note(&mut self, table: &ObjectName, alias: &str) {
        if let Some(columns) = self.scope.momentary_columns(table) {
            self.read_itself.push(ReadItself { alias: alias.to_owned(), depth: self.depth, columns });
        }
    }

    /// Returns true if an order means a value of the list by a name that a column of the moment has too.
    fn hides_column(&self, table: &ObjectName, query: &Query, select: &Select) -> bool {
        let columns = self.scope.momentary_columns(table).unwrap_or_default();
        let is_ordered = |alias: &Name| {
            let is_it = |item: &OrderItem| matches!(&item.value, Expr::Column(name) if name.last().eq_ignore_ascii_case(&alias.text));
            query.order.iter().any(is_it)
        };
        let is_column = |alias: &Name| columns.iter().any(|(name, text)| text.is_some() && alias.is(name));
        let hides = |alias: &Name| is_column(alias) && is_ordered(alias);
        select.items.iter().any(|item| matches!(item, SelectItem::Value(_, Some(alias)) if hides(alias)))
    }

    /// Writes a table with such columns, without the name that it goes by.
    pub(super) fn momentary_table(&mut self, table: &ObjectName, columns: &[MomentaryColumn]) -> Result<(), Message> {
        self.push("(SELECT ");
        self.list(columns, |it, (name, text)| {
            if let Some(text) = text {
                it.momentary(text)?;
                it.push(" AS ");
            }
            it.push(&quoted(name));
            Ok(())
        })?;
        self.push(" FROM ");
        self.table_name(table)?;
        self.push(")");
        Ok(())
    }

    /// The expression behind the name of such a column, for a table that is read directly.
    pub(super) fn moment_of(&mut self, name: &ObjectName) -> Result<Option<String>, Message> {
        let [.., column] = &name.parts[..] else { return Ok(None) };
        let qualifier = name.parts.len().checked_sub(2).and_then(|place| name.parts.get(place));
        let is_meant = |table: &&ReadItself| match qualifier {
            Some(qualifier) => table.is_called(&qualifier.text),
            None => table.depth == self.depth || self.is_from_around(table.depth, &column.text),
        };
        let found = self.read_itself.iter().rev().filter(is_meant).find_map(|table| {
            let text = table.text(&column.text)?;
            Some((text.to_owned(), table.alias.clone(), table.columns.clone()))
        });
        let Some((text, alias, columns)) = found else { return Ok(None) };
        self.aside(|it| {
            let alias = it.aside(|it| {
                it.table_alias(&alias);
                Ok(())
            })?;
            it.momentary(&qualified(&text, &alias, &columns))
        })
        .map(Some)
    }

    /// The same of a column of `deleted`, in the list of an OUTPUT.
    pub(super) fn moment_of_deleted(
        &mut self,
        names: &OutputNames,
        name: &ObjectName,
    ) -> Result<Option<String>, Message> {
        let [row, column] = &name.parts[..] else { return Ok(None) };
        let Some(target) = self.read_itself.first().filter(|table| table.depth == 0) else { return Ok(None) };
        let Some(text) = target.text(&column.text).filter(|_| row.is("deleted") && names.map.is_none()) else {
            return Ok(None);
        };
        let text = match names.has_both_rows() {
            true => qualified(text, "\"old\"", &target.columns),
            false => text.to_owned(),
        };
        self.aside(|it| it.momentary(&text)).map(Some)
    }

    /// Writes all columns of a star's table; false if the table is not read directly.
    pub(super) fn star_of_moment(&mut self, of: Option<&ObjectName>) -> Result<bool, Message> {
        let is_meant =
            |table: &&ReadItself| table.depth == self.depth && of.is_none_or(|of| table.is_called(of.last()));
        let mut tables = self.read_itself.iter().filter(is_meant);
        let (Some(table), None) = (tables.next(), tables.next()) else { return Ok(false) };
        let part = |text: &str| Name { text: text.to_owned(), quoted: true, ..Name::default() };
        let name = |(column, _): &MomentaryColumn| ObjectName {
            parts: vec![part(&table.alias), part(column)],
            ..ObjectName::default()
        };
        let names: Vec<ObjectName> = table.columns.iter().map(name).collect();
        self.list(&names, |it, name| {
            it.expression(&Expr::Column(name.clone()))?;
            it.push(" AS ");
            it.name(name.last());
            Ok(())
        })?;
        Ok(true)
    }

    /// Writes the expression of a column, with the session's moment in the place of the core's.
    fn momentary(&mut self, text: &str) -> Result<(), Message> {
        let mut text = text.to_owned();
        for (function, data_type, moment) in MOMENTS {
            let known = written(data_type, moment);
            if text.contains(&known) {
                text = text.replace(&known, &self.aside(|it| it.niladic(function))?);
            }
        }
        self.push(&text);
        Ok(())
    }
}

impl ReadItself {
    fn is_called(&self, name: &str) -> bool {
        source_name(&self.alias).eq_ignore_ascii_case(&source_name(name))
    }

    /// The expression of a column of the moment.
    fn text(&self, column: &str) -> Option<&str> {
        let found = self.columns.iter().find(|(name, _)| name.eq_ignore_ascii_case(column));
        found.and_then(|(_, text)| text.as_deref())
    }
}

/// Returns true if a query asks for the core's number of a row.
fn names_row(query: &Query, select: &Select) -> bool {
    let values = select.items.iter().filter_map(|item| match item {
        SelectItem::Value(value, _) => Some(value),
        _ => None,
    });
    let values = values.chain(&select.condition).chain(query.order.iter().map(|item| &item.value));
    values.into_iter().any(|value| crate::print_expression(value).contains("_rowid"))
}

/// An expression of the core with the name of the table before those of its columns.
fn qualified(text: &str, table: &str, columns: &[MomentaryColumn]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = &rest[start..=start];
        let Some(end) = rest[start + 1..].find(quote).map(|end| start + 1 + end) else { break };
        let name = &rest[start + 1..end];
        let is_call = rest[end + 1..].starts_with('(');
        out.push_str(&rest[..start]);
        if quote == "\"" && !is_call && columns.iter().any(|(column, _)| column.eq_ignore_ascii_case(name)) {
            out.push_str(table);
            out.push('.');
        }
        out.push_str(&rest[start..=end]);
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_with_their_table() {
        let columns = [("born".to_owned(), None), ("the year".to_owned(), None)];
        let text = "\"mssql:datediff:year\"(\"born\", 'the \"born\" one', \"The Year\", \"born\"(\"else\"))";
        let expected = "\"mssql:datediff:year\"(p.\"born\", 'the \"born\" one', p.\"The Year\", \"born\"(\"else\"))";
        assert_eq!(qualified(text, "p", &columns), expected);
    }
}
