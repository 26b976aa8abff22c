//! Tables with locking hints, anywhere in a statement.
//!
//! ```text
//!   IF NOT EXISTS (SELECT 1 FROM Stock WITH (UPDLOCK, HOLDLOCK) WHERE Id = @id) INSERT ...
//!   SELECT SUM(o.Amount) FROM Customers AS c JOIN Orders AS o WITH (UPDLOCK) ON o.Customer = c.Id WHERE c.City = @city
//!   UPDATE Stock WITH (SERIALIZABLE) SET ... WHERE Id = @id            MERGE Stock WITH (HOLDLOCK) AS s USING ...
//!   INSERT Stock WITH (TABLOCK) SELECT ...                             SELECT MAX(Id) FROM Stock WITH (TABLOCK, HOLDLOCK)
//! ```
//!
//! Rows that the core locks by itself (`locking`: those of an outermost query of one table) are marked. For the others
//! the result has the sources and the condition that select the rows; the caller locks them before it runs the
//! statement.

use super::target::find_target;
use crate::tree::{
    Argument, Case, Change, Expr, InsertRows, Merge, Name, ObjectName, OrderItem, Phrase, Query, QueryBody, Select,
    SelectItem, Source, TableSource, Target, Test, Top,
};
use std::borrow::Cow;

/// A table with hints that lock.
#[derive(Clone, Debug, PartialEq)]
pub struct Hinted {
    /// The table, with the name it goes by and its hints.
    pub table: TableSource,
    /// The sources of the SELECT that it is in; for the target of a change only itself.
    pub from: Vec<Source>,
    /// The condition on the rows that are read.
    pub condition: Option<Expr>,
    /// The TOP clause that limits the rows.
    pub top: Option<Top>,
    /// The order that TOP counts in.
    pub order: Vec<OrderItem>,
    /// True if the rows that are there are locked by what runs itself: the core's lock, or the change of these rows.
    pub is_locked: bool,
    /// True if it is the target of the statement: rows read for a change are locked exclusively.
    pub is_changed: bool,
    /// Values of the columns of another source: its name, the column, the value.
    pub known: Vec<(String, String, Expr)>,
}

/// Hints that keep others from changing what was read.
const LOCKING: [&str; 6] = ["UPDLOCK", "XLOCK", "TABLOCKX", "HOLDLOCK", "SERIALIZABLE", "REPEATABLEREAD"];
/// Hints that keep others from putting rows where none were found.
const RANGES: [&str; 3] = ["HOLDLOCK", "SERIALIZABLE", WHOLE];
/// The hint that keeps others from changing anything of the table.
const WHOLE: &str = "TABLOCKX";
/// Hints of the target of a change that mean something before it is changed.
const OF_TARGET: [&str; 4] = ["HOLDLOCK", "SERIALIZABLE", WHOLE, HURRIED];
/// The hint that does not wait for others.
const HURRIED: &str = "NOWAIT";
/// The hint that makes another one's lock, or that of a change, one of the whole table.
const TABLE: &str = "TABLOCK";
/// Hints that keep others from locking likewise.
const EXCLUSIVE: [&str; 3] = ["UPDLOCK", "XLOCK", "TABLOCKX"];

fn says(hints: &[Phrase], words: &[&str]) -> bool {
    hints.iter().any(|hint| words.iter().any(|word| hint.starts(word)))
}

impl Hinted {
    /// Returns true if locks are not waited for.
    pub fn is_hurried(&self) -> bool {
        says(&self.table.hints, &[HURRIED])
    }

    /// Returns true if rows that are not there are kept out.
    pub fn keeps_range(&self) -> bool {
        says(&self.table.hints, &RANGES)
    }

    /// Returns true if the statement has exclusive use of the table: no other transaction writes to it or locks
    /// anything of it.
    pub fn holds_table(&self) -> bool {
        let hints = &self.table.hints;
        says(hints, &[WHOLE]) || says(hints, &[TABLE]) && (self.is_changed || says(hints, &EXCLUSIVE))
    }

    /// The rows to lock: the whole table where the hint says so, whatever the statement reads of it.
    pub fn locked(&self) -> Cow<'_, Hinted> {
        if !says(&self.table.hints, &[WHOLE, TABLE]) {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Hinted {
            table: self.table.clone(),
            from: vec![Source::Table(Box::new(self.table.clone()))],
            condition: None,
            top: None,
            order: Vec::new(),
            is_locked: false,
            is_changed: self.is_changed,
            known: Vec::new(),
        })
    }

    /// Returns true if the lock excludes other locks of its kind. Of two transactions that read rows in order to change
    /// them, one waits: if both read, each would keep the other from changing them.
    pub fn is_exclusive(&self) -> bool {
        self.is_changed || says(&self.table.hints, &EXCLUSIVE)
    }
}

/// Returns true if a text may have such hints: a look before the tree is walked.
pub fn may_have_hints(text: &str) -> bool {
    let text = text.as_bytes();
    LOCKING
        .iter()
        .chain([&TABLE, &HURRIED])
        .any(|word| text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes())))
}

/// The hinted tables of a query that is a statement.
pub fn hinted_of_query(query: &Query) -> Vec<Hinted> {
    let mut found = Vec::new();
    of_query(query, true, &mut found);
    found
}

/// The hinted tables in the queries of an expression.
pub fn hinted_of_expression(value: &Expr) -> Vec<Hinted> {
    let mut found = Vec::new();
    of_expr(value, &mut found);
    found
}

/// The hinted tables of a change.
pub fn hinted_of_change(change: &Change) -> Vec<Hinted> {
    let mut found = Vec::new();
    let (target, from, condition) = match change {
        Change::Insert(insert) => {
            of_held_target(&insert.target, &mut found);
            if let InsertRows::Query(query) = &insert.rows {
                of_query(query, false, &mut found);
            }
            return found;
        }
        Change::Update(update) => (&update.target, &update.from, &update.condition),
        Change::Delete(delete) => (&delete.target, &delete.from, &delete.condition),
        Change::Merge(merge) => {
            of_merge(merge, &mut found);
            return found;
        }
    };
    of_held_target(target, &mut found);
    if let Target::Table(name, hints) = target
        && says(hints, &OF_TARGET)
        && from.is_empty()
    {
        let table = TableSource { name: name.clone(), hints: hints.clone(), ..TableSource::default() };
        found.push(target_of(table, condition.clone(), Vec::new()));
    }
    let begin = found.len();
    of_sources(from, condition.as_ref(), (None, &[]), false, &mut found);
    if let Target::Table(name, _) = target
        && let Some(Source::Table(table)) = find_target(from, name).map(|found| found.source)
    {
        let of_target = found.iter_mut().skip(begin).filter(|hinted| hinted.table == **table);
        of_target.for_each(|hinted| (hinted.is_changed, hinted.is_locked) = (true, true));
    }
    condition.iter().for_each(|condition| of_expr(condition, &mut found));
    found
}

/// The target of a change that has its table alone.
fn of_held_target(target: &Target, found: &mut Vec<Hinted>) {
    if let Target::Table(name, hints) = target
        && says(hints, &[WHOLE, TABLE])
    {
        let table = TableSource { name: name.clone(), hints: hints.clone(), ..TableSource::default() };
        found.push(target_of(table, None, Vec::new()));
    }
}

/// The target of a change: its rows are locked by being changed.
fn target_of(table: TableSource, condition: Option<Expr>, known: Vec<(String, String, Expr)>) -> Hinted {
    Hinted {
        table,
        from: Vec::new(),
        condition,
        top: None,
        order: Vec::new(),
        is_locked: true,
        is_changed: true,
        known,
    }
}

fn of_merge(merge: &Merge, found: &mut Vec<Hinted>) {
    of_held_target(&merge.target, found);
    if let Target::Table(name, hints) = &merge.target
        && says(hints, &OF_TARGET)
    {
        let table = TableSource {
            name: name.clone(),
            alias: merge.alias.clone(),
            hints: hints.clone(),
            ..TableSource::default()
        };
        found.push(target_of(table, Some(merge.condition.clone()), single_row(&merge.source)));
    }
    of_source(&merge.source, found);
}

/// The columns of a source of one row, and their values.
fn single_row(source: &Source) -> Vec<(String, String, Expr)> {
    let named = |alias: &Option<Name>, columns: Vec<(String, Expr)>| {
        let alias = alias.as_ref().map_or("", |name| &name.text);
        columns.into_iter().map(|(column, value)| (alias.to_owned(), column, value)).collect()
    };
    match source {
        Source::Values(rows, alias) => match &rows[..] {
            [row] => {
                let names = alias.columns.iter().map(|name| name.text.clone());
                named(&alias.name, names.zip(row.iter().cloned()).collect())
            }
            _ => Vec::new(),
        },
        Source::Query(query, alias) => {
            let QueryBody::Select(select) = &query.body else { return Vec::new() };
            if !select.from.is_empty() {
                return Vec::new();
            }
            let column = |(place, item): (usize, &SelectItem)| match item {
                SelectItem::Value(value, name) => {
                    let name = alias.columns.get(place).or(name.as_ref())?;
                    Some((name.text.clone(), value.clone()))
                }
                _ => None,
            };
            named(&alias.name, select.items.iter().enumerate().filter_map(column).collect())
        }
        Source::Nested(inner) => single_row(inner),
        _ => Vec::new(),
    }
}

fn of_query(query: &Query, is_outermost: bool, found: &mut Vec<Hinted>) {
    query.with.tables.iter().for_each(|table| of_query(&table.query, false, found));
    of_body(query, &query.body, is_outermost, found);
}

fn of_body(query: &Query, body: &QueryBody, is_outermost: bool, found: &mut Vec<Hinted>) {
    match body {
        QueryBody::Select(select) => of_select(query, select, is_outermost, found),
        QueryBody::Set(left, _, _, right) => {
            of_body(query, left, false, found);
            of_body(query, right, false, found);
        }
    }
}

fn of_select(query: &Query, select: &Select, is_outermost: bool, found: &mut Vec<Hinted>) {
    let is_locked = is_outermost && super::locking::is_core_locked(query, select);
    let whole = select.group.is_some() || query.offset.is_some() || select.quantifier.is_some();
    let top = select.top.as_ref().filter(|top| !whole && !top.percent && !top.with_ties);
    of_sources(&select.from, select.condition.as_ref(), (top, &query.order), is_locked, found);
    let values = select.items.iter().filter_map(|item| match item {
        SelectItem::Value(value, _) | SelectItem::Assign(_, _, value) => Some(value),
        SelectItem::Star(_) => None,
    });
    values.chain(&select.condition).chain(&select.having).for_each(|value| of_expr(value, found));
}

/// The hinted tables among the sources of a SELECT, and what is within them.
fn of_sources(
    from: &[Source],
    condition: Option<&Expr>,
    (top, order): (Option<&Top>, &[OrderItem]),
    is_locked: bool,
    found: &mut Vec<Hinted>,
) {
    let mut leaves = Vec::new();
    from.iter().for_each(|source| super::updatable::leaves_of(source, &mut leaves));
    let is_single = leaves.len() == 1;
    for leaf in leaves {
        match leaf.source {
            Source::Table(table) if says(&table.hints, &LOCKING) => found.push(Hinted {
                table: *table,
                from: from.to_vec(),
                condition: condition.cloned(),
                top: top.filter(|_| is_single).cloned(),
                order: if is_single && top.is_some() { order.to_vec() } else { Vec::new() },
                is_locked,
                is_changed: false,
                known: Vec::new(),
            }),
            _ => {}
        }
    }
    from.iter().for_each(|source| of_source(source, found));
}

/// The queries within a source.
fn of_source(source: &Source, found: &mut Vec<Hinted>) {
    match source {
        Source::Query(query, _) => of_query(query, false, found),
        Source::Join(join) => {
            of_source(&join.left, found);
            of_source(&join.right, found);
            join.condition.iter().for_each(|condition| of_expr(condition, found));
        }
        Source::Apply(left, _, right) => {
            of_source(left, found);
            of_source(right, found);
        }
        Source::Nested(inner) | Source::OdbcJoin(inner) => of_source(inner, found),
        _ => {}
    }
}

fn of_expr(value: &Expr, found: &mut Vec<Hinted>) {
    match value {
        Expr::Exists(query) | Expr::Subquery(query) => of_query(query, false, found),
        Expr::Quantified(left, _, _, query) => {
            of_expr(left, found);
            of_query(query, false, found);
        }
        Expr::Test(left, _, test) => {
            of_expr(left, found);
            if let Test::InQuery(query) = test {
                of_query(query, false, found);
            }
        }
        Expr::Call(call) => call.arguments.iter().for_each(|argument| match argument {
            Argument::Value(value) | Argument::KeyValue(_, value) | Argument::Trim(_, _, value) => {
                of_expr(value, found)
            }
        }),
        Expr::Unary(_, operand) | Expr::Collate(operand, _) => of_expr(operand, found),
        Expr::Binary(left, _, right) | Expr::AtTimeZone(left, right) => {
            of_expr(left, found);
            of_expr(right, found);
        }
        Expr::And(parts) | Expr::Or(parts) => parts.iter().for_each(|part| of_expr(part, found)),
        Expr::Cast(cast) => of_expr(&cast.value, found),
        Expr::Case(case) => {
            let Case { operand, branches, otherwise } = case.as_ref();
            let parts = operand.iter().chain(otherwise).chain(branches.iter().flat_map(|(a, b)| [a, b]));
            parts.for_each(|part| of_expr(part, found));
        }
        _ => {}
    }
}

/// The rows of a hinted table that its statement reads, as a query that locks them and gives their numbers.
pub fn rows_to_lock(hinted: &Hinted, number: &str) -> Query {
    let alias = hinted.table.alias.clone().unwrap_or_else(|| super::updatable::named_as(hinted.table.name.last()));
    let mut row = alias.clone();
    row.quoted = true;
    let number = Name { text: number.to_owned(), ..Name::default() };
    let row = Expr::Column(ObjectName { parts: vec![row, number], ..ObjectName::default() });
    let select = |from: Vec<Source>, condition: Option<Expr>, top: Option<Top>| Select {
        quantifier: None,
        top,
        items: vec![SelectItem::Value(row.clone(), None)],
        into: None,
        from,
        condition,
        group: None,
        having: None,
        windows: Vec::new(),
    };
    let query = |select: Select, order: Vec<OrderItem>| Query {
        with: Default::default(),
        body: QueryBody::Select(Box::new(select)),
        order,
        offset: None,
        fetch: None,
        format: None,
        hints: Vec::new(),
    };
    let own = Source::Table(Box::new(hinted.table.clone()));
    if let [Source::Table(_)] = &hinted.from[..] {
        return query(select(vec![own], hinted.condition.clone(), hinted.top.clone()), hinted.order.clone());
    }
    let read = query(select(hinted.from.clone(), hinted.condition.clone(), None), Vec::new());
    let is_read = Expr::Test(Box::new(row.clone()), false, Test::InQuery(Box::new(read)));
    query(select(vec![own], Some(is_read), None), Vec::new())
}
