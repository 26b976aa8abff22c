//! Changes through common table expressions, derived tables and views: the changed table, and its rows.
//!
//! ```text
//!   WITH d AS (SELECT id, ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) AS n FROM t)  DELETE FROM d WHERE n > 1
//!
//!   d becomes  SELECT id, ROW_NUMBER() ... AS n, t._rowid AS "#row1" FROM t      the table: t
//!   and rows are found by d."#row1"                                              columns:   id is t.id, n is none
//! ```
//!
//! So a query keeps its conditions, counts and orders, and gives the number of the row behind each of its rows. A query
//! with groups, or with assigned columns of several tables, has no such row (4403, 4405, 4417, 4418, 4426).

use super::target::{Found, find_target, is_ambiguous};
use super::{Reducer, not_supported, refusals};
use crate::tree::{
    Alias, Expr, Name, ObjectName, Query, QueryBody, SelectItem, SetQuantifier, Source, TableSource, With,
};
use mainstay_tsql_types::Message;

/// The greatest nesting depth of views.
const DEPTH: usize = 32;

/// A column of what is changed, and the table's column that it is; `None` for one that is calculated.
pub(super) type Mapped = (String, Option<String>);

/// The table behind the target of a change, which may be a view, a common table expression or an alias.
#[derive(Debug)]
pub(super) struct Resolved {
    /// The table.
    pub(super) table: ObjectName,
    /// Its name in the FROM of the core's statement.
    pub(super) alias: String,
    /// By what the statement's own FROM knows it.
    pub(super) called: ObjectName,
    /// The column there that is the number of the table's row.
    pub(super) row: String,
    /// Its columns, where they are not the table's own.
    pub(super) map: Option<Vec<Mapped>>,
    /// The sources, with queries that give the number of the row.
    pub(super) from: Vec<Source>,
    /// WITH, likewise.
    pub(super) with: With,
    /// True if rows have to be found by their number.
    pub(super) by_number: bool,
    /// Conditions of WITH CHECK OPTION for new rows, over the columns that stand beside each.
    pub(super) checks: Vec<(Expr, Option<Vec<Mapped>>)>,
}

/// A query that gives the number of a row.
struct Exposed {
    query: Query,
    table: ObjectName,
    /// The name of the number's column.
    row: String,
    map: Vec<Mapped>,
    checks: Vec<(Expr, Option<Vec<Mapped>>)>,
}

/// A source of a query that can be changed.
pub(super) struct Leaf {
    pub(super) alias: String,
    pub(super) source: Source,
}

impl Reducer<'_> {
    /// Finds what is changed. `wanted` are the columns that are set.
    ///
    /// Errors: 4403, 4405, 4426 for what cannot be changed.
    pub(super) fn resolve(
        &self,
        named: &ObjectName,
        from: &[Source],
        with: &With,
        wanted: &[String],
    ) -> Result<Resolved, Message> {
        let found = find_target(from, named);
        if found.is_none() && is_ambiguous(from, named) {
            return Err(Message::numbered(8154, &[&named.last()]));
        }
        let called = found.as_ref().map_or_else(|| named.clone(), |found| found.called.clone());
        let source = match &found {
            Some(Found { source: Source::Query(query, alias), alias: name, .. }) => {
                Some(self.exposed(query, &alias.columns, with, wanted, (name, 1, true))?)
            }
            _ => None,
        };
        let (table, alias, is_outer) = match &found {
            Some(found) => (found.table.clone(), found.alias.clone(), found.is_outer),
            None => (named.clone(), named.last().to_owned(), false),
        };
        let mut from = from.to_vec();
        let mut with = with.clone();
        let common = with.tables.iter().position(|table_of| table.is(&table_of.name.text));
        let exposed = match (source, common) {
            (Some(exposed), _) => exposed,
            (None, Some(place)) => {
                let known = With { tables: with.tables[..place].to_vec(), namespaces: Vec::new() };
                let own = with.tables[place].clone();
                let exposed = self.exposed(&own.query, &own.columns, &known, wanted, (&own.name.text, 1, false))?;
                if let Some(common) = with.tables.get_mut(place) {
                    common.query = exposed.query.clone();
                    if !common.columns.is_empty() {
                        common.columns.push(named_as(&exposed.row));
                    }
                }
                let Exposed { table, row, map, checks, .. } = exposed;
                if from.is_empty() {
                    from.push(Source::Table(Box::new(TableSource { name: named.clone(), ..TableSource::default() })));
                }
                return Ok(Resolved { table, alias, called, row, map: Some(map), from, with, by_number: true, checks });
            }
            (None, None) => match self.scope.view(&table) {
                Some(view) => {
                    let mut exposed =
                        self.exposed(&view.query, &view.columns, &With::default(), wanted, (named.last(), 1, false))?;
                    if view.check_option {
                        exposed.checks = checks_of(&view.query, &exposed);
                    }
                    exposed
                }
                None => {
                    let row = self.scope.row_number(&table).to_owned();
                    let (map, checks) = (None, Vec::new());
                    let alias = super::source_name(&alias).into_owned();
                    return Ok(Resolved { table, alias, called, row, map, from, with, by_number: is_outer, checks });
                }
            },
        };
        let columns = self.columns_written(&found, &table, &exposed);
        let shown = Alias { name: Some(named_as(&alias)), columns };
        let replacement = Source::Query(Box::new(exposed.query), shown);
        if from.is_empty() {
            from.push(replacement);
        } else {
            from.iter_mut().for_each(|source| replace(source, named, &alias, &replacement));
        }
        let Exposed { table, row, map, checks, .. } = exposed;
        Ok(Resolved { table, alias, called, row, map: Some(map), from, with, by_number: true, checks })
    }

    /// The names that columns are given behind the source, if any are.
    fn columns_written(&self, found: &Option<Found<'_>>, table: &ObjectName, exposed: &Exposed) -> Vec<Name> {
        let mut columns = match found {
            Some(Found { source: Source::Query(_, alias), .. }) => alias.columns.clone(),
            _ => self.scope.view(table).map_or_else(Vec::new, |view| view.columns),
        };
        if !columns.is_empty() {
            columns.push(named_as(&exposed.row));
        }
        columns
    }

    /// A query with the number of the row of the one table that it is of.
    fn exposed(
        &self,
        query: &Query,
        columns: &[Name],
        with: &With,
        wanted: &[String],
        (name, depth, is_derived): (&str, usize, bool),
    ) -> Result<Exposed, Message> {
        if depth > DEPTH {
            return Err(not_supported("A change through so many views"));
        }
        let QueryBody::Select(select) = &query.body else {
            let (number, what) = if is_derived { (4417, "Derived table") } else { (4426, "View") };
            let text = format!("{what} '{name}' is not updatable because the definition contains a UNION operator.");
            return Err(Message::error(number, text));
        };
        let groups = select.group.is_some()
            || select.having.is_some()
            || select.quantifier == Some(SetQuantifier::Distinct)
            || select
                .items
                .iter()
                .any(|item| matches!(item, SelectItem::Value(value, _) if super::function::has_aggregate(value)));
        if groups {
            let why = "it contains aggregates, or a DISTINCT or GROUP BY clause, or PIVOT or UNPIVOT operator.";
            return Err(match is_derived {
                true => Message::error(4418, format!("Derived table '{name}' is not updatable because {why}")),
                false => Message::error(4403, format!("Cannot update the view or function '{name}' because {why}")),
            });
        }
        let mut leaves = Vec::new();
        select.from.iter().for_each(|source| leaves_of(source, &mut leaves));
        let place = self.leaf_of(&leaves, select, columns, wanted, name)?;
        let leaf = &leaves[place];
        let inner = self.inner(leaf, with, depth)?;
        let row = format!("#row{depth}");
        let mut query = query.clone();
        let map = self.map(&leaves, place, select, columns, inner.as_ref());
        if let QueryBody::Select(select) = &mut query.body {
            let number = match (&inner, &leaf.source) {
                (Some(inner), _) => inner.row.as_str(),
                (None, Source::Table(table)) => self.scope.row_number(&table.name),
                (None, _) => "_rowid",
            };
            let parts = vec![named_as(&leaf.alias), named_as(number)];
            let number = Expr::Column(ObjectName { parts, ..ObjectName::default() });
            select.items.push(SelectItem::Value(number, Some(named_as(&row))));
            if let Some(inner) = &inner {
                let alias = Alias { name: Some(named_as(&leaf.alias)), columns: Vec::new() };
                let replacement = Source::Query(Box::new(inner.query.clone()), alias);
                let target = ObjectName { parts: vec![named_as(&leaf.alias)], ..ObjectName::default() };
                select.from.iter_mut().for_each(|source| replace(source, &target, &leaf.alias, &replacement));
            }
        }
        let (table, checks) = match (inner, &leaf.source) {
            (Some(inner), _) => (inner.table, inner.checks),
            (None, Source::Table(table)) => (table.name.clone(), Vec::new()),
            (None, Source::Variable(name, _)) => {
                (ObjectName { parts: vec![name.clone()], span: name.span }, Vec::new())
            }
            _ => return Err(not_supported(refusals::CHANGE_THROUGH)),
        };
        Ok(Exposed { query, table, row, map, checks })
    }

    /// The source whose columns are set: the only one, or the one that has them.
    fn leaf_of(
        &self,
        leaves: &[Leaf],
        select: &crate::tree::Select,
        columns: &[Name],
        wanted: &[String],
        name: &str,
    ) -> Result<usize, Message> {
        if leaves.len() == 1 {
            return Ok(0);
        }
        let several = || {
            let text = format!(
                "View or function '{name}' is not updatable because the modification affects multiple base tables."
            );
            Message::error(4405, text)
        };
        let mut chosen = None;
        for wanted in wanted {
            let item = select.items.iter().enumerate().find_map(|(place, item)| match item {
                SelectItem::Value(Expr::Column(column), alias) => {
                    let shown = columns.get(place).or(alias.as_ref()).map_or(column.last(), |name| &name.text);
                    shown.eq_ignore_ascii_case(wanted).then_some(column)
                }
                _ => None,
            });
            let place = match item {
                Some(column) => leaves.iter().position(|leaf| self.has_column(leaf, column)),
                None => leaves.iter().position(|leaf| {
                    self.has_column(leaf, &ObjectName { parts: vec![named_as(wanted)], ..ObjectName::default() })
                }),
            };
            if place.is_none() || chosen.is_some() && chosen != place {
                return Err(several());
            }
            chosen = place;
        }
        chosen.ok_or_else(several)
    }

    pub(super) fn has_column(&self, leaf: &Leaf, column: &ObjectName) -> bool {
        match &column.parts[..] {
            [.., table, _] => table.text.eq_ignore_ascii_case(&leaf.alias),
            _ => self.leaf_columns(leaf).iter().any(|known| known.eq_ignore_ascii_case(column.last())),
        }
    }

    fn leaf_columns(&self, leaf: &Leaf) -> Vec<String> {
        self.columns_of(&leaf.source).unwrap_or_default()
    }

    /// The query behind a source; `None` for a table.
    fn inner(&self, leaf: &Leaf, with: &With, depth: usize) -> Result<Option<Exposed>, Message> {
        let place = (leaf.alias.as_str(), depth + 1, matches!(leaf.source, Source::Query(..)));
        match &leaf.source {
            Source::Query(query, alias) => self.exposed(query, &alias.columns, with, &[], place).map(Some),
            Source::Table(table) => {
                if let Some(common) = with.tables.iter().find(|common| table.name.is(&common.name.text)) {
                    return self.exposed(&common.query, &common.columns, with, &[], place).map(Some);
                }
                let Some(view) = self.scope.view(&table.name) else { return Ok(None) };
                let mut exposed = self.exposed(&view.query, &view.columns, &With::default(), &[], place)?;
                if view.check_option {
                    exposed.checks = checks_of(&view.query, &exposed);
                }
                Ok(Some(exposed))
            }
            _ => Ok(None),
        }
    }

    /// The columns of a query, and the table's columns that they are.
    fn map(
        &self,
        leaves: &[Leaf],
        chosen: usize,
        select: &crate::tree::Select,
        columns: &[Name],
        inner: Option<&Exposed>,
    ) -> Vec<Mapped> {
        let below = |column: &str| match inner {
            None => Some(column.to_owned()),
            Some(inner) => {
                let found = inner.map.iter().find(|(name, _)| name.eq_ignore_ascii_case(column));
                found.and_then(|(_, below)| below.clone())
            }
        };
        let mut map: Vec<Mapped> = Vec::new();
        let all = |place: usize| -> Vec<Mapped> {
            let Some(leaf) = leaves.get(place) else { return Vec::new() };
            let names = match inner {
                Some(inner) if place == chosen => inner.map.iter().map(|(name, _)| name.clone()).collect(),
                _ => self.leaf_columns(leaf),
            };
            let mapped = |name: String| {
                let below = if place == chosen { below(&name) } else { None };
                (name, below)
            };
            names.into_iter().map(mapped).collect()
        };
        for item in &select.items {
            match item {
                SelectItem::Star(None) => (0..leaves.len()).for_each(|place| map.extend(all(place))),
                SelectItem::Star(Some(of)) => {
                    let place = leaves.iter().position(|leaf| leaf.alias.eq_ignore_ascii_case(of.last()));
                    map.extend(place.map_or_else(Vec::new, all));
                }
                SelectItem::Value(Expr::Column(column), alias) => {
                    let is_own =
                        leaves.get(chosen).is_some_and(|leaf| leaves.len() == 1 || self.has_column(leaf, column));
                    let name = alias.as_ref().map_or(column.last(), |alias| &alias.text);
                    map.push((name.to_owned(), if is_own { below(column.last()) } else { None }));
                }
                SelectItem::Value(_, alias) => {
                    map.push((alias.as_ref().map_or_else(String::new, |alias| alias.text.clone()), None));
                }
                SelectItem::Assign(..) => {}
            }
        }
        for (mapped, name) in map.iter_mut().zip(columns) {
            mapped.0.clone_from(&name.text);
        }
        map
    }
}

/// The conditions that new rows have to meet: the view's own, over the columns of its source, and those behind it.
fn checks_of(query: &Query, exposed: &Exposed) -> Vec<(Expr, Option<Vec<Mapped>>)> {
    let mut checks = exposed.checks.clone();
    if let QueryBody::Select(select) = &query.body
        && let Some(condition) = &select.condition
    {
        checks.push((condition.clone(), None));
    }
    checks
}

pub(super) fn named_as(text: &str) -> Name {
    Name { text: text.to_owned(), quoted: true, ..Name::default() }
}

/// The tables and queries of a source.
pub(super) fn leaves_of(source: &Source, leaves: &mut Vec<Leaf>) {
    match source {
        Source::Table(table) => {
            let alias = table.alias.as_ref().map_or(table.name.last(), |alias| &alias.text).to_owned();
            leaves.push(Leaf { alias, source: source.clone() });
        }
        Source::Variable(name, alias) => {
            let alias = alias.name.as_ref().map_or(&name.text, |alias| &alias.text).clone();
            leaves.push(Leaf { alias, source: source.clone() });
        }
        Source::Query(_, alias) => {
            let alias = alias.name.as_ref().map_or_else(String::new, |alias| alias.text.clone());
            leaves.push(Leaf { alias, source: source.clone() });
        }
        Source::Join(join) => {
            leaves_of(&join.left, leaves);
            leaves_of(&join.right, leaves);
        }
        Source::Apply(left, ..) => leaves_of(left, leaves),
        Source::Nested(inner) | Source::OdbcJoin(inner) => leaves_of(inner, leaves),
        _ => {}
    }
}

/// Puts another source in the place of the target.
fn replace(source: &mut Source, target: &ObjectName, alias: &str, with: &Source) {
    let is_it = match source {
        Source::Table(table) => match &table.alias {
            Some(known) => known.text.eq_ignore_ascii_case(alias),
            None => table.name.last().eq_ignore_ascii_case(target.last()),
        },
        Source::Query(_, known) => known.name.as_ref().is_some_and(|known| known.text.eq_ignore_ascii_case(alias)),
        _ => false,
    };
    if is_it {
        *source = with.clone();
        return;
    }
    match source {
        Source::Join(join) => {
            replace(&mut join.left, target, alias, with);
            replace(&mut join.right, target, alias, with);
        }
        Source::Apply(left, ..) => replace(left, target, alias, with),
        Source::Nested(inner) | Source::OdbcJoin(inner) => replace(inner, target, alias, with),
        _ => {}
    }
}
