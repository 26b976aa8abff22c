//! READPAST of an UPDATE or a DELETE: rows that other sessions have locked are skipped, for tables that serve as
//! queues.
//!
//! ```text
//!   DELETE TOP (1) FROM Queue WITH (READPAST)            SELECT TOP (1) _rowid FROM Queue WITH (UPDLOCK, READPAST) ...
//!   OUTPUT deleted.* WHERE State = 'new'           -->   DELETE FROM Queue OUTPUT deleted.* WHERE _rowid IN (4711)
//!
//!   WITH q AS (SELECT TOP (1) * FROM Queue WITH (READPAST) ORDER BY Id) UPDATE q SET ...       likewise, within q
//! ```
//!
//! Both are one unit: the first locks the rows and the second changes them, in one transaction. In a join a query finds
//! the rows first, and locks those of them that are free. With TOP a join waits like any other.

use crate::statements::errors::raised;
use crate::statements::runner::{Ran, Runner};
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::reduce::{self, ReducedQuery, Scope};
use mainstay_tsql_syntax::tree::{
    Change, Expr, Literal, Name, ObjectName, OrderItem, Phrase, PhraseItem, Query, QueryBody, Select, SelectItem,
    SetQuantifier, Source, TableSource, Target, Test, Top, With,
};
use mainstay_types::Value;
use mainstay_vm::{Raised, StatementCall};

/// The source of the rows of a change.
struct RowsOf<'c> {
    table: TableSource,
    condition: Option<&'c Expr>,
    top: Option<&'c Top>,
    order: &'c [OrderItem],
    /// The sources of a join.
    joined: &'c [Source],
    /// True if a common table expression finds them.
    in_common_table: bool,
}

/// The parts of an UPDATE or a DELETE that find rows.
struct Parts<'c> {
    target: &'c Target,
    with: &'c With,
    from: &'c [Source],
    condition: Option<&'c Expr>,
    top: Option<&'c Top>,
}

impl Runner<'_> {
    /// A change that passes by what others hold; `None` if it is no such change.
    pub(crate) fn change_of_free_rows(
        &mut self,
        host: &HostStatement,
        change: &Change,
        call: &mut StatementCall<'_>,
    ) -> Option<Ran> {
        let rows = rows_of(change)?;
        let top = match rows.top {
            Some(top) => Some(literal_top(top, host, call)?),
            None => None,
        };
        let number = {
            let names = self.inner.names(&[]);
            names.key(&rows.table.name)?;
            names.row_number(&rows.table.name)
        };
        let done = self.unit(call, |it, call| {
            let free = it.free_rows(host, &rows, top, number, call)?;
            let mut narrowed = change.clone();
            narrow(&mut narrowed, &rows, is_one_of(&rows.table, number, &free));
            it.made_change(host, &narrowed, call)
        });
        Some(done.and_then(|count| self.changed(change, count)))
    }

    /// The numbers of the rows that are free, which are locked now.
    fn free_rows(
        &mut self,
        host: &HostStatement,
        rows: &RowsOf<'_>,
        top: Option<Top>,
        number: &str,
        call: &mut StatementCall<'_>,
    ) -> Result<Vec<i64>, Box<Raised>> {
        if rows.joined.is_empty() {
            return self.lock_free(host, (rows.table.clone(), top, rows.condition.cloned(), rows.order), number, call);
        }
        let item = SelectItem::Value(row_number(&rows.table, number), None);
        let found =
            selected((item, Some(SetQuantifier::Distinct)), None, rows.joined.to_vec(), rows.condition.cloned());
        let found = self.numbers(host, &query_of(found, &[]), call)?;
        let condition = is_one_of(&rows.table, number, &found);
        self.lock_free(host, (rows.table.clone(), None, Some(condition), &[]), number, call)
    }

    /// Locks the rows of a table that are free: their numbers.
    fn lock_free(
        &mut self,
        host: &HostStatement,
        (mut table, top, condition, order): (TableSource, Option<Top>, Option<Expr>, &[OrderItem]),
        number: &str,
        call: &mut StatementCall<'_>,
    ) -> Result<Vec<i64>, Box<Raised>> {
        let item = SelectItem::Value(row_number(&table, number), None);
        let hint = |word: &str| Phrase { items: vec![PhraseItem::Word(named(word))] };
        table.hints.extend([hint("UPDLOCK"), hint("READPAST")]);
        let select = selected((item, None), top, vec![Source::Table(Box::new(table))], condition);
        self.numbers(host, &query_of(select, order), call)
    }

    /// The numbers that a query gives.
    fn numbers(
        &mut self,
        host: &HostStatement,
        query: &Query,
        call: &mut StatementCall<'_>,
    ) -> Result<Vec<i64>, Box<Raised>> {
        let ReducedQuery { text, parameters, heads } =
            reduce::query(query, &self.inner.names(&host.inputs)).map_err(raised)?;
        let mut plan = self.inner.plan(&text, parameters, heads)?;
        let values = self.values(&mut plan, host, call)?;
        let found = self.inner.rows_of(&mut plan, &values)?;
        let number = |row: &Vec<Value>| match row.first() {
            Some(Value::Integer(number)) => Some(*number),
            Some(value) => value.as_decimal().and_then(|number| i64::try_from(number.unscaled).ok()),
            None => None,
        };
        Ok(found.rows.iter().filter_map(number).collect())
    }
}

/// A SELECT of one value.
fn selected(
    (item, quantifier): (SelectItem, Option<SetQuantifier>),
    top: Option<Top>,
    from: Vec<Source>,
    condition: Option<Expr>,
) -> Select {
    let (into, group, having, windows) = (None, None, None, Vec::new());
    Select { quantifier, top, items: vec![item], into, from, condition, group, having, windows }
}

/// The query of a SELECT.
fn query_of(select: Select, order: &[OrderItem]) -> Query {
    Query {
        with: With::default(),
        body: QueryBody::Select(Box::new(select)),
        order: order.to_vec(),
        offset: None,
        fetch: None,
        format: None,
        hints: Vec::new(),
    }
}

/// The rows of a change with READPAST on its table.
fn rows_of(change: &Change) -> Option<RowsOf<'_>> {
    let parts = match change {
        Change::Update(update) => Parts {
            target: &update.target,
            with: &update.with,
            from: &update.from,
            condition: update.condition.as_ref(),
            top: update.top.as_ref(),
        },
        Change::Delete(delete) => Parts {
            target: &delete.target,
            with: &delete.with,
            from: &delete.from,
            condition: delete.condition.as_ref(),
            top: delete.top.as_ref(),
        },
        _ => return None,
    };
    let Target::Table(name, hints) = parts.target else { return None };
    let says = |hints: &[Phrase]| hints.iter().any(|hint| hint.starts("READPAST"));
    if let ([common], [], None, None) = (&parts.with.tables[..], parts.from, parts.condition, parts.top)
        && name.parts.len() == 1
        && name.is(&common.name.text)
    {
        let (query, select) = (&common.query, plain(&common.query)?);
        let [Source::Table(table)] = &select.from[..] else { return None };
        return says(&table.hints).then(|| RowsOf {
            table: table.as_ref().clone(),
            condition: select.condition.as_ref(),
            top: select.top.as_ref(),
            order: &query.order,
            joined: &[],
            in_common_table: true,
        });
    }
    if !parts.with.tables.is_empty() {
        return None;
    }
    let table = match parts.from {
        [] => TableSource { name: name.clone(), hints: hints.clone(), ..TableSource::default() },
        [Source::Table(table)] if goes_by(table, name) => {
            TableSource { hints: [&table.hints[..], hints].concat(), ..table.as_ref().clone() }
        }
        joined => {
            let table =
                parts.top.is_none().then(|| joined.iter().find_map(|source| table_in(source, name))).flatten()?;
            TableSource { hints: [&table.hints[..], hints].concat(), ..table.clone() }
        }
    };
    let (condition, top) = (parts.condition, parts.top);
    let joined = if matches!(parts.from, [] | [Source::Table(_)]) { &[] } else { parts.from };
    says(&table.hints).then_some(RowsOf { table, condition, top, order: &[], joined, in_common_table: false })
}

/// The table that goes by this name within a join.
fn table_in<'s>(source: &'s Source, name: &ObjectName) -> Option<&'s TableSource> {
    match source {
        Source::Table(table) if goes_by(table, name) => Some(table),
        Source::Join(join) => table_in(&join.left, name).or_else(|| table_in(&join.right, name)),
        Source::Nested(inner) => table_in(inner, name),
        _ => None,
    }
}

/// The SELECT of a query that shows rows of its tables as they are.
fn plain(query: &Query) -> Option<&Select> {
    let QueryBody::Select(select) = &query.body else { return None };
    let is_plain = select.group.is_none()
        && select.having.is_none()
        && select.quantifier.is_none()
        && query.with.tables.is_empty()
        && query.offset.is_none();
    is_plain.then_some(select.as_ref())
}

fn goes_by(table: &TableSource, name: &ObjectName) -> bool {
    match &table.alias {
        Some(alias) => name.parts.len() == 1 && name.is(&alias.text),
        None => name.last().eq_ignore_ascii_case(table.name.last()),
    }
}

/// TOP with a number in place of a variable; `None` for other counts.
fn literal_top(top: &Top, host: &HostStatement, call: &StatementCall<'_>) -> Option<Top> {
    if top.percent || top.with_ties {
        return None;
    }
    let digits = match &top.count {
        Expr::Literal(Literal::Integer(digits)) => digits.clone(),
        Expr::Variable(name) => {
            let place = host.inputs.iter().position(|(known, _)| name.is(known))?;
            match call.input(place).to_value() {
                Value::Integer(count) if count >= 0 => count.to_string(),
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(Top { count: Expr::Literal(Literal::Integer(digits)), ..top.clone() })
}

fn named(text: &str) -> Name {
    Name { text: text.to_owned(), ..Name::default() }
}

/// The hidden column of a table's rows, by the name that the table goes by.
fn row_number(table: &TableSource, number: &str) -> Expr {
    let mut parts = match &table.alias {
        Some(alias) => vec![alias.clone()],
        None => vec![named(table.name.last())],
    };
    parts.push(named(number));
    Expr::Column(ObjectName { parts, ..ObjectName::default() })
}

/// The condition that a row is one of these.
fn is_one_of(table: &TableSource, number: &str, rows: &[i64]) -> Expr {
    let rows = if rows.is_empty() { &[-1] } else { rows };
    let numbers = rows.iter().map(|row| Expr::Literal(Literal::Integer(row.to_string()))).collect();
    Expr::Test(Box::new(row_number(table, number)), false, Test::InList(numbers))
}

/// Lets a change find the rows that were found for it.
fn narrow(change: &mut Change, rows: &RowsOf<'_>, condition: Expr) {
    let (with, own, top) = match change {
        Change::Update(update) => (&mut update.with, &mut update.condition, &mut update.top),
        Change::Delete(delete) => (&mut delete.with, &mut delete.condition, &mut delete.top),
        _ => return,
    };
    if !rows.joined.is_empty() {
        *own = Some(Expr::And(own.take().into_iter().chain([condition]).collect()));
        return;
    }
    if !rows.in_common_table {
        (*own, *top) = (Some(condition), None);
        return;
    }
    if let Some(common) = with.tables.first_mut()
        && let QueryBody::Select(select) = &mut common.query.body
    {
        (select.condition, select.top) = (Some(condition), None);
        common.query.order.clear();
    }
}
