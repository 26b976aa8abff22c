//! The rows of a change that INSTEAD OF triggers carry out.

use super::change::{insert_columns, table_of};
use super::target::find_target;
use super::update::Sets;
use super::{Head, ReducedQuery, Reducer, Scope, TableColumn, not_supported, refusals};
use crate::tree::{Change, Expr, InsertRows, Name, ObjectName, Source, TableSource, Top, With};
use mainstay_tsql_types::Message;

/// The table that a change names, if one of its sources is it.
pub fn target_table(from: &[Source], named: &ObjectName) -> Option<ObjectName> {
    find_target(from, named).filter(|found| !matches!(found.source, Source::Query(..))).map(|found| found.table)
}

/// Reduces a change of this table or view to a query for its rows: all columns as they would be (INSERT), as they are
/// (DELETE), or as they are and then as they would be (UPDATE). Columns without a value are NULL, and an identity is 0.
///
/// Errors: as [`super::change`].
pub fn rows_of_change(change: &Change, table: &ObjectName, scope: &dyn Scope) -> Result<ReducedQuery, Message> {
    let mut reducer = Reducer::new(scope);
    let columns = scope.columns(table).ok_or_else(|| not_supported(refusals::INSTEAD_OF_TRIGGER))?;
    match change {
        Change::Insert(insert) => {
            reducer.with(&insert.with)?;
            reducer.new_rows(&insert.rows, &insert.columns, table, &columns)?;
        }
        Change::Update(update) => {
            let sets = Sets::of(&update.items, Some(&columns), None)?;
            let target = Affected { table: table_of(&update.target)?, from: &update.from };
            reducer.old_rows(&target, &update.with, &columns, Some(&sets))?;
            reducer.bounded(update.condition.as_ref(), update.top.as_ref())?;
        }
        Change::Delete(delete) => {
            let target = Affected { table: table_of(&delete.target)?, from: &delete.from };
            reducer.old_rows(&target, &delete.with, &columns, None)?;
            reducer.bounded(delete.condition.as_ref(), delete.top.as_ref())?;
        }
        Change::Merge(_) => return Err(not_supported("MERGE with INSTEAD OF triggers")),
    }
    let heads = columns.iter().map(|column| Head::Named(column.name.clone())).collect();
    Ok(ReducedQuery { text: reducer.out, parameters: reducer.parameters, heads })
}

/// The target of a change and the sources that find it.
struct Affected<'c> {
    table: &'c ObjectName,
    from: &'c [Source],
}

impl Reducer<'_> {
    fn new_rows(
        &mut self,
        rows: &InsertRows,
        named: &[Name],
        table: &ObjectName,
        columns: &[TableColumn],
    ) -> Result<(), Message> {
        // A view takes values for what its tables would not, so identities may be given.
        let is_view = self.scope.view(table).is_some();
        let given: Vec<TableColumn> = match is_view {
            false => insert_columns(columns, named, table, false)?,
            true if named.is_empty() => columns.to_vec(),
            true => named
                .iter()
                .map(|name| {
                    let found = columns.iter().find(|column| column.name.eq_ignore_ascii_case(&name.text));
                    found.cloned().ok_or_else(|| Message::error(207, format!("Invalid column name '{}'.", name.text)))
                })
                .collect::<Result<_, _>>()?,
        };
        let place = |column: &TableColumn| given.iter().position(|known| known.name.eq_ignore_ascii_case(&column.name));
        self.push("SELECT ");
        for (number, column) in columns.iter().enumerate() {
            if number > 0 {
                self.push(", ");
            }
            match place(column) {
                Some(place) if !matches!(rows, InsertRows::Default) => {
                    self.open(&format!("assign:{}", column.data_type));
                    self.push(&format!("\"#i{place}\")"));
                }
                _ if column.is_identity => self.typed(column.data_type, "0"),
                _ => {
                    self.open(&format!("cast:{}", column.data_type));
                    self.push("NULL)");
                }
            }
            self.push(&format!(" AS \"#{}\"", number + 1));
        }
        match rows {
            InsertRows::Default => return Ok(()),
            InsertRows::Execute(_) => return Err(not_supported("INSERT ... EXEC here")),
            InsertRows::Query(query) => {
                super::change::check_heads(query, &given, !named.is_empty())?;
                self.push(" FROM (");
                self.query(query)?;
                self.push(")");
            }
            InsertRows::Values(rows) => {
                self.push(" FROM (");
                for (number, row) in rows.iter().enumerate() {
                    super::change::check_length(row.len(), Some(&given), !named.is_empty())?;
                    self.push(if number == 0 { "SELECT " } else { " UNION ALL SELECT " });
                    self.list(row.iter().enumerate(), |it, (place, value)| {
                        match value {
                            Expr::Default => it.push("NULL"),
                            value => it.converted(value, given[place].data_type)?,
                        }
                        it.push(&format!(" AS \"#i{place}\""));
                        Ok(())
                    })?;
                }
                self.push(")");
            }
        }
        let names = (0..given.len()).map(|number| format!("\"#i{number}\"")).collect::<Vec<_>>().join(", ");
        self.push(&format!(" AS \"#q\" ({names})"));
        Ok(())
    }

    /// Writes the query up to its FROM.
    fn old_rows(
        &mut self,
        target: &Affected<'_>,
        with: &With,
        columns: &[TableColumn],
        sets: Option<&Sets<'_>>,
    ) -> Result<(), Message> {
        let found = find_target(target.from, target.table);
        let alias = found.map_or_else(|| target.table.last().to_owned(), |found| found.alias);
        let alias = super::source_name(&alias).into_owned();
        self.with(with)?;
        self.push("SELECT ");
        for (number, column) in columns.iter().enumerate() {
            if number > 0 {
                self.push(", ");
            }
            self.name(&alias);
            self.push(".");
            self.name(&column.name);
            self.push(&format!(" AS \"#{}\"", number + 1));
        }
        for (number, column) in columns.iter().enumerate().filter(|_| sets.is_some()) {
            self.push(", ");
            let set = sets.and_then(|sets| sets.columns.iter().find(|set| set.name.eq_ignore_ascii_case(&column.name)));
            match set {
                Some(set) => self.set_value(set, &alias)?,
                None => {
                    self.name(&alias);
                    self.push(".");
                    self.name(&column.name);
                }
            }
            self.push(&format!(" AS \"#{}\"", columns.len() + number + 1));
        }
        self.push(" FROM ");
        match target.from {
            [] => {
                let source = TableSource { name: target.table.clone(), ..TableSource::default() };
                self.source(&Source::Table(Box::new(source)))
            }
            from => self.list(from, |it, source| it.source(source)),
        }
    }

    fn bounded(&mut self, condition: Option<&Expr>, top: Option<&Top>) -> Result<(), Message> {
        if let Some(condition) = condition {
            self.push(" WHERE ");
            self.condition(condition)?;
        }
        match top {
            None => Ok(()),
            Some(top) if top.percent => self.percent(top, &[]),
            Some(top) => {
                self.push(" LIMIT ");
                self.row_count(&top.count)
            }
        }
    }
}
