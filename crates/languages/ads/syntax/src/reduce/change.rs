//! INSERT, UPDATE, DELETE, MERGE.
//!
//! ```text
//!   UPDATE o SET o.total = l.amount                 UPDATE "orders" AS "o" SET "total" = "l"."amount"
//!   FROM orders o INNER JOIN lines l ON l.o = o.id  FROM "lines" AS "l" WHERE "ads:equal"("l"."o", "o"."id")
//! ```
//!
//! MERGE is several statements: first a query finds the new rows, then the others are updated, then the new ones are
//! inserted.

use super::{Reducer, Scope, quoted, table_name};
use crate::error::{Parse, SqlError};
use crate::tree::{
    Delete, Expr, Insert, InsertRows, JoinKind, Mark, Merge, Name, ObjectName, Source, TableSource, Update,
};

/// A MERGE in the SQL of the core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergePlan {
    /// The columns of the rows that are inserted, in the core's writing; empty for all.
    pub columns: String,
    /// A query of the rows to insert.
    pub rows: Option<String>,
    /// The UPDATE of those that match.
    pub update: Option<String>,
}

/// Reduces an INSERT.
///
/// Errors: as [`super::query`].
pub fn insert(insert: &Insert, scope: &dyn Scope) -> Parse<String> {
    if insert.mark.is_some() {
        return Err(SqlError::unsupported("WITH DELETE"));
    }
    let mut reducer = Reducer::new(scope);
    reducer.push("INSERT INTO ");
    reducer.target(&insert.target)?;
    reducer.columns(&insert.columns);
    let columns = match insert.columns.is_empty() {
        true => scope.all_columns(&insert.target).unwrap_or_default(),
        false => insert.columns.iter().map(|name| name.text.clone()).collect(),
    };
    let lengths: Vec<Option<u32>> = columns.iter().map(|column| scope.text_length(&insert.target, column)).collect();
    match &insert.rows {
        InsertRows::Default => reducer.push(" DEFAULT VALUES"),
        InsertRows::Query(query) => {
            let of_lengths: Vec<String> =
                lengths.iter().enumerate().map(|(place, length)| cut(place, *length)).collect();
            let heads: Vec<String> = (1..=lengths.len()).map(|place| format!("\"#{place}\"")).collect();
            let is_cut = lengths.iter().any(Option::is_some);
            reducer.push(&if is_cut { format!(" SELECT {} FROM (", of_lengths.join(", ")) } else { " ".to_owned() });
            reducer.query(query)?;
            reducer.push(&if is_cut { format!(") AS \"#rows\" ({})", heads.join(", ")) } else { String::new() });
        }
        InsertRows::Values(rows) => {
            reducer.push(" VALUES ");
            reducer.list(rows, |it, row| {
                it.push("(");
                let lengths = lengths.iter().copied().chain(std::iter::repeat(None));
                it.list(row.iter().zip(lengths), |it, (value, length)| it.assigned(value, length))?;
                it.push(")");
                Ok(())
            })?;
        }
    }
    Ok(reducer.out)
}

/// A column of the rows that are inserted, cut to this length.
fn cut(place: usize, length: Option<u32>) -> String {
    let column = format!("\"#rows\".\"#{}\"", place + 1);
    match length {
        Some(length) => format!("\"ads:convert:char({length})\"({column})"),
        None => column,
    }
}

/// Reduces an UPDATE. With `images` it returns the rows as they were and as they have become: these columns of both.
///
/// Errors: as [`super::query`]; 2103 for a table that is found through an outer join.
pub fn update(update: &Update, images: Option<&[String]>, scope: &dyn Scope) -> Parse<String> {
    if update.mark == Some(Mark::Delete) || update.mark == Some(Mark::Recall) {
        return Err(SqlError::unsupported("WITH DELETE and WITH RECALL"));
    }
    let mut reducer = Reducer::new(scope);
    let found = Found::of(&update.target, &update.from)?;
    reducer.push("UPDATE ");
    reducer.found(&found)?;
    reducer.tables.push(found.tables());
    reducer.set(&found.target.name, &update.items)?;
    reducer.from(&found.others)?;
    reducer.conditions(&found, update.condition.as_ref())?;
    if let Some(columns) = images {
        reducer.images(columns, &["old", "new"]);
    }
    Ok(reducer.out)
}

/// Reduces a DELETE. With `images` it returns these columns of the rows.
///
/// Errors: as [`update`].
pub fn delete(delete: &Delete, images: Option<&[String]>, scope: &dyn Scope) -> Parse<String> {
    let mut reducer = Reducer::new(scope);
    let found = Found::of(&delete.target, &delete.from)?;
    reducer.push("DELETE FROM ");
    reducer.found(&found)?;
    reducer.tables.push(found.tables());
    if !found.others.is_empty() {
        reducer.push(" USING ");
        reducer.list(&found.others, Reducer::source)?;
    }
    reducer.conditions(&found, delete.condition.as_ref())?;
    if let Some(columns) = images {
        reducer.images(columns, &["old"]);
    }
    Ok(reducer.out)
}

/// Reduces a MERGE with USING.
///
/// Errors: as [`super::query`].
pub fn merge(merge: &Merge, using: &Source, scope: &dyn Scope) -> Parse<MergePlan> {
    let mut plan = MergePlan { columns: String::new(), rows: None, update: None };
    let alias = merge.target.alias.as_ref().map_or_else(|| table_name(&merge.target.name), |alias| alias.text.clone());
    if let Some((columns, rows)) = &merge.insert {
        let mut reducer = Reducer::new(scope);
        reducer.tables.push(Reducer::tables_of(std::slice::from_ref(using)));
        reducer.push("SELECT ");
        match rows {
            InsertRows::Values(rows) => match &rows[..] {
                [row] => reducer.list(row.iter().enumerate(), |it, (place, value)| {
                    it.expression(value)?;
                    it.push(&format!(" AS \"#{}\"", place + 1));
                    Ok(())
                })?,
                _ => return Err(SqlError::unsupported("several rows in MERGE")),
            },
            _ => return Err(SqlError::unsupported("MERGE with a query or default values")),
        }
        reducer.from(std::slice::from_ref(using))?;
        reducer.push(" WHERE NOT EXISTS (SELECT 1 FROM ");
        reducer.target(&merge.target.name)?;
        reducer.push(" AS ");
        reducer.name(&alias);
        reducer.push(" WHERE ");
        reducer.expression(&merge.condition)?;
        reducer.push(")");
        plan.rows = Some(reducer.out);
        let mut reducer = Reducer::new(scope);
        reducer.columns(columns);
        plan.columns = reducer.out;
    }
    if let Some(items) = &merge.update {
        let mut reducer = Reducer::new(scope);
        reducer.push("UPDATE ");
        reducer.target(&merge.target.name)?;
        reducer.push(" AS ");
        reducer.name(&alias);
        reducer.set(&merge.target.name, items)?;
        reducer.from(std::slice::from_ref(using))?;
        reducer.push(" WHERE ");
        reducer.expression(&merge.condition)?;
        plan.update = Some(reducer.out);
    }
    Ok(plan)
}

/// The UPDATE and the INSERT that a MERGE without USING consists of, the second for the case that the first finds no
/// row, and a query that tests if there is one.
///
/// Errors: as [`super::query`].
pub fn upsert(merge: &Merge, scope: &dyn Scope) -> Parse<(Option<String>, Option<String>, String)> {
    let (changed, added) = upsert_parts(merge);
    let changed = changed.map(|changed| update(&changed, None, scope)).transpose()?;
    let added = added.map(|added| insert(&added, scope)).transpose()?;
    let from = vec![Source::Table(Box::new(merge.target.clone()))];
    let mut reducer = Reducer::new(scope);
    reducer.tables.push(Reducer::tables_of(&from));
    reducer.push("SELECT 1 AS \"#1\"");
    reducer.from(&from)?;
    reducer.push(" WHERE ");
    reducer.expression(&merge.condition)?;
    reducer.push(" LIMIT 1");
    Ok((changed, added, reducer.out))
}

/// The UPDATE and the INSERT that a MERGE without USING is.
pub fn upsert_parts(merge: &Merge) -> (Option<Update>, Option<Insert>) {
    let target = merge.target.name.clone();
    let from = match merge.target.alias {
        Some(_) => vec![Source::Table(Box::new(merge.target.clone()))],
        None => Vec::new(),
    };
    let condition = Some(merge.condition.clone());
    let changed =
        merge.update.clone().map(|items| Update { target: target.clone(), mark: None, items, from, condition });
    let added = merge.insert.clone().map(|(columns, rows)| Insert { target, mark: None, columns, rows });
    (changed, added)
}

/// The UPDATE of the rows that a MERGE with USING matches.
pub fn merge_update(merge: &Merge, using: &Source) -> Option<Update> {
    let items = merge.update.clone()?;
    let alias = merge.target.alias.clone().map(|alias| ObjectName { parts: vec![alias], ..ObjectName::default() });
    let from = vec![Source::Table(Box::new(merge.target.clone())), using.clone()];
    let target = alias.unwrap_or_else(|| merge.target.name.clone());
    Some(Update { target, mark: None, items, from, condition: Some(merge.condition.clone()) })
}

/// The target of a change, and what else stands in its FROM.
struct Found {
    target: TableSource,
    others: Vec<Source>,
    conditions: Vec<Expr>,
}

impl Found {
    /// Takes the target out of FROM: it is the source of this alias, or the only one of this name.
    fn of(target: &ObjectName, from: &[Source]) -> Parse<Found> {
        let mut found = Found {
            target: TableSource { name: target.clone(), ..TableSource::default() },
            others: Vec::new(),
            conditions: Vec::new(),
        };
        let mut flat = Vec::new();
        if !from.iter().any(|source| names(source, target)) {
            found.others = from.to_vec();
            return Ok(found);
        }
        for source in from {
            flatten(source, &mut flat, &mut found.conditions)?;
        }
        let place = flat
            .iter()
            .position(|source| matches!(source, Source::Table(table) if is_alias(table, target)))
            .or_else(|| flat.iter().position(|source| names(source, target)));
        if let Some(Source::Table(table)) = place.map(|place| flat.remove(place)) {
            found.target = *table;
        }
        found.others = flat;
        Ok(found)
    }

    fn tables(&self) -> Vec<ObjectName> {
        let mut tables = Reducer::tables_of(&self.others);
        tables.push(self.target.name.clone());
        tables
    }
}

fn is_alias(table: &TableSource, name: &ObjectName) -> bool {
    match &table.alias {
        Some(alias) => name.is(&alias.text),
        None => table_name(&table.name) == table_name(name),
    }
}

/// The table that an UPDATE or DELETE changes: its target may be an alias of FROM.
pub fn changed_table<'t>(target: &'t ObjectName, from: &'t [Source]) -> &'t ObjectName {
    fn find<'t>(source: &'t Source, target: &ObjectName) -> Option<&'t ObjectName> {
        match source {
            Source::Table(table) if is_alias(table, target) => Some(&table.name),
            Source::Join(join) => find(&join.left, target).or_else(|| find(&join.right, target)),
            Source::Nested(inner) | Source::OdbcJoin(inner) => find(inner, target),
            _ => None,
        }
    }
    from.iter().find_map(|source| find(source, target)).unwrap_or(target)
}

/// Returns true if a source has the table of this name or alias.
fn names(source: &Source, name: &ObjectName) -> bool {
    match source {
        Source::Table(table) => is_alias(table, name) || table_name(&table.name) == table_name(name),
        Source::Join(join) => names(&join.left, name) || names(&join.right, name),
        Source::Nested(inner) | Source::OdbcJoin(inner) => names(inner, name),
        _ => false,
    }
}

/// The sources of inner joins side by side, and their conditions.
fn flatten(source: &Source, flat: &mut Vec<Source>, conditions: &mut Vec<Expr>) -> Parse<()> {
    match source {
        Source::Join(join) if matches!(join.kind, JoinKind::Inner | JoinKind::Cross) => {
            flatten(&join.left, flat, conditions)?;
            flatten(&join.right, flat, conditions)?;
            conditions.extend(join.condition.clone());
        }
        Source::Join(_) => return Err(SqlError::unsupported("a change through an outer join")),
        Source::Nested(inner) | Source::OdbcJoin(inner) => flatten(inner, flat, conditions)?,
        other => flat.push(other.clone()),
    }
    Ok(())
}

impl Reducer<'_> {
    fn columns(&mut self, columns: &[Name]) {
        if columns.is_empty() {
            return;
        }
        let names: Vec<String> = columns.iter().map(|column| quoted(&column.text)).collect();
        self.push(&format!(" ({})", names.join(", ")));
    }

    fn found(&mut self, found: &Found) -> Parse<()> {
        self.target(&found.target.name)?;
        if let Some(alias) = &found.target.alias {
            self.push(" AS ");
            self.name(&alias.text);
        }
        Ok(())
    }

    fn set(&mut self, table: &ObjectName, items: &[(ObjectName, Expr)]) -> Parse<()> {
        self.push(" SET ");
        self.list(items, |it, (column, value)| {
            it.name(column.last());
            it.push(" = ");
            let length = it.scope.text_length(table, column.last());
            it.assigned(value, length)
        })
    }

    /// Writes the new value of a column: text is cut to its length, without a word, as the engine does.
    fn assigned(&mut self, value: &Expr, length: Option<u32>) -> Parse<()> {
        let Some(length) = length.filter(|_| *value != Expr::Default) else { return self.expression(value) };
        let from = self.out.len();
        self.expression(value)?;
        let written = self.out.split_off(from);
        // A text that is short enough with its quotes is short enough without them.
        let is_short = written.starts_with('\'') && written.chars().count() <= length as usize + 2;
        match is_short || written == "NULL" {
            true => self.push(&written),
            false => self.push(&format!("\"ads:convert:char({length})\"({written})")),
        }
        Ok(())
    }

    fn conditions(&mut self, found: &Found, condition: Option<&Expr>) -> Parse<()> {
        for (place, part) in found.conditions.iter().chain(condition).enumerate() {
            self.push(if place == 0 { " WHERE " } else { " AND " });
            self.expression(part)?;
        }
        Ok(())
    }

    fn images(&mut self, columns: &[String], sides: &[&str]) {
        self.push(" RETURNING ");
        for (place, side) in sides.iter().enumerate() {
            for (number, column) in columns.iter().enumerate() {
                let comma = if place + number > 0 { ", " } else { "" };
                let alias = quoted(&format!("{side}.{column}"));
                self.push(&format!("{comma}\"{side}\".{} AS {alias}", quoted(column)));
            }
        }
    }
}
