//! Oracles: from one statement to others that must give the same rows, and the comparison of the rows.
//!
//! ```text
//!   engines      the statement by every database of `engines`, and by SQLite
//!   partition    WHERE p, WHERE NOT p and WHERE p IS NULL together are all rows (ternary logic partitioning, as SQLancer
//!                does it): of plain rows, DISTINCT, HAVING, aggregates and groups
//!   counted      the number of rows that p keeps is the number of rows for which p is true in the list
//!   shape        the statement as a derived table, a CTE, a view and a temporary table, below a condition and a limit
//!   limit        a limit leaves as many rows as it says, all of them rows of the statement
//!   rewrite      the statement in other words: see `rewrite`
//! ```

use crate::engines::{Engines, Failure, Outcome, text};
use crate::generator::is_of_rows;
use crate::rewrite::{Rewrite, rewritten};
use crate::tree::{Dialect, Expr, Item, Kind, Query, Select};

#[derive(Clone, Debug, PartialEq)]
pub enum Oracle {
    /// By all databases, or by the base and the one of this name.
    Engines(Option<String>),
    Partition,
    PartitionedAggregates,
    Counted,
    Shape,
    Limit,
    Rewrite(Rewrite),
}

/// A statement with what an oracle needs beside it.
#[derive(Clone)]
pub struct Case {
    pub oracle: Oracle,
    pub query: Query,
    /// A condition over the sources of the statement's SELECT; over its columns for [`Oracle::Shape`].
    pub predicate: Option<Expr>,
}

pub enum Verdict {
    Agrees,
    /// The oracle says nothing of the statement.
    Skipped,
    /// The statement is refused; with the reason.
    Refused(String),
    Differs(Report),
}

/// A fault that was found.
#[derive(Clone, Debug)]
pub struct Report {
    /// Faults of one class are taken for one while a statement is made smaller.
    pub class: String,
    /// The database that differs from the base, for [`Oracle::Engines`].
    pub engine: Option<String>,
    pub text: String,
}

impl Report {
    fn of_rows(what: &str, statements: [&str; 2], rows: [&[String]; 2]) -> Report {
        let shown = |rows: &[String]| {
            let mut lines: Vec<&str> = rows.iter().take(12).map(String::as_str).collect();
            lines.sort_unstable();
            format!("{} rows: {}", rows.len(), lines.join("  "))
        };
        let [one, other] = statements;
        let text = format!("{what}\n  {one}\n    {}\n  {other}\n    {}", shown(rows[0]), shown(rows[1]));
        Report { class: format!("rows: {what}"), engine: None, text }
    }

    fn of_failure(what: &str, statement: &str, failure: &str) -> Report {
        // Of the text of an error the first words: numbers and names change while a statement is made smaller.
        let start: String = failure.chars().take(30).collect();
        let class = format!("failure: {what} {start}");
        Report { class, engine: None, text: format!("{what}\n  {statement}\n    {failure}") }
    }
}

/// How the rows of two runs are compared.
#[derive(Clone, Copy)]
enum Order {
    /// Their order is decided.
    Total,
    Any,
}

fn same(one: &[String], other: &[String], order: Order) -> bool {
    match order {
        Order::Total => one == other,
        Order::Any => sorted(one) == sorted(other),
    }
}

fn sorted(rows: &[String]) -> Vec<&String> {
    let mut rows: Vec<&String> = rows.iter().collect();
    rows.sort_unstable();
    rows
}

/// True if each of the rows is one of `all`, as often at most.
fn is_part(part: &[String], all: &[String]) -> bool {
    let mut left = all.iter().fold(std::collections::HashMap::<&String, i64>::new(), |mut counts, row| {
        *counts.entry(row).or_default() += 1;
        counts
    });
    part.iter().all(|row| {
        let count = left.entry(row).or_default();
        *count -= 1;
        *count >= 0
    })
}

/// Ends an oracle early: with rows, or with what its statement's failure means.
fn rows_of(outcome: Outcome, what: &str, statement: &str) -> Result<Vec<String>, Verdict> {
    match outcome {
        Ok(rows) => Ok(rows),
        Err(Failure::Fault(text)) => Err(Verdict::Differs(Report::of_failure(what, statement, &text))),
        Err(Failure::Refused(text)) => Err(Verdict::Refused(text)),
        Err(Failure::Limit(_)) => Err(Verdict::Skipped),
    }
}

/// The rows of a statement in other words, which must not be refused if the statement itself is not.
fn rows_of_variant(outcome: Outcome, what: &str, statement: &str) -> Result<Vec<String>, Verdict> {
    match outcome {
        Err(Failure::Refused(text)) if !text.starts_with("0A000") => {
            Err(Verdict::Differs(Report::of_failure(&format!("{what}: refused"), statement, &text)))
        }
        other => rows_of(other, what, statement),
    }
}

pub fn check(engines: &mut Engines, case: &Case) -> Verdict {
    let checked = match &case.oracle {
        Oracle::Engines(only) => by_engines(engines, &case.query, only.as_deref()),
        Oracle::Partition => partition(engines, case),
        Oracle::PartitionedAggregates => partitioned_aggregates(engines, case),
        Oracle::Counted => counted(engines, case),
        Oracle::Shape => shapes(engines, case),
        Oracle::Limit => limit(engines, &case.query),
        Oracle::Rewrite(rewrite) => other_words(engines, &case.query, *rewrite),
    };
    match checked {
        Ok(()) => Verdict::Agrees,
        Err(verdict) => verdict,
    }
}

fn by_engines(engines: &mut Engines, query: &Query, only: Option<&str>) -> Result<(), Verdict> {
    let statement = text(query);
    let rows = match rows_of(engines.base.run(&statement), "base", &statement) {
        Err(Verdict::Differs(report)) => {
            return Err(Verdict::Differs(Report { engine: Some("base".to_owned()), ..report }));
        }
        rows => rows?,
    };
    let is_decided = !query.has_limit() || query.has_total_order();
    let order = if query.has_total_order() { Order::Total } else { Order::Any };
    let agrees = |other: &[String]| match is_decided {
        true => same(&rows, other, order),
        false => rows.len() == other.len(),
    };
    for engine in &mut engines.others {
        if only.is_some_and(|only| only != engine.name) {
            continue;
        }
        let name = engine.name.clone();
        let named = |mut report: Report| {
            report.engine = Some(name.clone());
            report.class = format!("{name}{}", report.class);
            report
        };
        // Without its rules, a statement may not be planned at all.
        let is_without_rule = name.starts_with("without");
        let other = match engine.run(&statement) {
            Err(Failure::Refused(_) | Failure::Limit(_)) if is_without_rule => continue,
            Err(Failure::Refused(text)) => Err(Verdict::Differs(Report::of_failure("refused", &statement, &text))),
            outcome => rows_of(outcome, "fails", &statement),
        };
        let other = match other {
            Ok(rows) => rows,
            Err(Verdict::Differs(report)) => return Err(Verdict::Differs(named(report))),
            Err(verdict) => return Err(verdict),
        };
        if !agrees(&other) {
            let names = ["base", name.as_str()];
            let mut report = named(Report::of_rows("databases differ", names, [&rows, &other]));
            report.text = format!("{statement}\n{}", report.text);
            return Err(Verdict::Differs(report));
        }
    }
    if only.is_none_or(|only| only == "SQLite")
        && let Some(other) = engines.sqlite(query)
        && !agrees(&other)
    {
        let mut report = Report::of_rows("databases differ", ["base", "SQLite"], [&rows, &other]);
        report.engine = Some("SQLite".to_owned());
        report.text = format!("{statement}\n{}", report.text);
        return Err(Verdict::Differs(report));
    }
    Ok(())
}

/// The three conditions of a partition.
fn parts(predicate: &Expr) -> [Expr; 3] {
    ["@1", "NOT (@1)", "(@1) IS NULL"].map(|form| Expr::form(form, Kind::Flag, vec![predicate.clone()]))
}

fn and(left: Option<Expr>, right: Expr) -> Option<Expr> {
    Some(match left {
        Some(left) => Expr::form("((@1) AND (@2))", Kind::Flag, vec![left, right]),
        None => right,
    })
}

/// The statement's SELECT and the condition, without what the oracles do not look at.
fn select_and_predicate(case: &Case) -> Result<(&Select, &Expr), Verdict> {
    match (case.query.select(), &case.predicate) {
        (Some(select), Some(predicate)) if case.query.with.is_empty() => Ok((select, predicate)),
        _ => Err(Verdict::Skipped),
    }
}

fn compared(
    engines: &mut Engines,
    what: &str,
    (whole, other): (&Query, &Query),
    compare: impl Fn(&[String], &[String]) -> bool,
) -> Result<(), Verdict> {
    let (whole, other) = (text(whole), text(other));
    let rows = rows_of(engines.base.run(&whole), what, &whole)?;
    let other_rows = rows_of_variant(engines.base.run(&other), what, &other)?;
    match compare(&rows, &other_rows) {
        true => Ok(()),
        false => Err(Verdict::Differs(Report::of_rows(what, [&whole, &other], [&rows, &other_rows]))),
    }
}

fn partition(engines: &mut Engines, case: &Case) -> Result<(), Verdict> {
    let (select, predicate) = select_and_predicate(case)?;
    let is_grouped = !is_of_rows(select);
    if select.items.iter().any(|item| item.expr.has_window()) || !select.windows.is_empty() {
        return Err(Verdict::Skipped);
    }
    let part = |condition: Expr| {
        let mut part = select.clone();
        match is_grouped {
            true => part.having = and(part.having, condition),
            false => part.filter = and(part.filter, condition),
        }
        Query::of(part)
    };
    let [yes, no, unknown] = parts(predicate).map(part);
    let operator = if select.distinct { "UNION" } else { "UNION ALL" };
    let together = Query::set(operator, Query::set(operator, yes, no), unknown);
    let what = if is_grouped { "partition by HAVING" } else { "partition by WHERE" };
    compared(engines, what, (&Query::of(select.clone()), &together), |one, other| same(one, other, Order::Any))
}

/// COUNT, SUM, MIN and MAX of all rows, and of those of the three parts.
fn partitioned_aggregates(engines: &mut Engines, case: &Case) -> Result<(), Verdict> {
    let (select, predicate) = select_and_predicate(case)?;
    if !is_of_rows(select) || select.items.iter().any(|item| item.expr.has_window()) {
        return Err(Verdict::Skipped);
    }
    let (mut inner, mut outer) = (Vec::new(), Vec::new());
    let column = |place: usize, kind| Expr::Column { source: "d".to_owned(), name: format!("c{place}"), kind };
    let item = |expr, place: usize| Item { expr, name: format!("c{place}") };
    let mut groups = Vec::new();
    inner.push(item(Expr::form("COUNT(*)", Kind::Whole, Vec::new()), 1));
    outer.push(item(Expr::form("COALESCE(SUM(@1), 0)", Kind::Whole, vec![column(1, Kind::Whole)]), 1));
    for (number, each) in select.items.iter().enumerate() {
        let (place, kind) = (number + 2, each.expr.kind());
        let form = match kind {
            Kind::Flag => continue,
            _ if number == 0 && matches!(each.expr, Expr::Column { .. }) => {
                groups.push((each.expr.clone(), column(place, kind)));
                "@1"
            }
            kind if kind.is_number() => ["SUM(@1)", "MIN(@1)", "MAX(@1)"][number % 3],
            _ => ["MIN(@1)", "MAX(@1)"][number % 2],
        };
        inner.push(item(Expr::form(form, kind, vec![each.expr.clone()]), place));
        outer.push(item(Expr::form(form, kind, vec![column(place, kind)]), place));
    }
    let (keys, outer_keys): (Vec<Expr>, Vec<Expr>) = groups.into_iter().unzip();
    let base = Select { items: inner, distinct: false, groups: keys, ..select.clone() };
    let part = |condition: Expr| Query::of(Select { filter: and(base.filter.clone(), condition), ..base.clone() });
    let [yes, no, unknown] = parts(predicate).map(part);
    let together = Query::set("UNION ALL", Query::set("UNION ALL", yes, no), unknown).wrapped("d");
    let together = Query::of(Select { items: outer, groups: outer_keys, ..together });
    compared(engines, "partition of aggregates", (&Query::of(base.clone()), &together), |one, other| {
        same(one, other, Order::Any)
    })
}

fn counted(engines: &mut Engines, case: &Case) -> Result<(), Verdict> {
    let (select, predicate) = select_and_predicate(case)?;
    let count = |form: &'static str, args: Vec<Expr>, filter| {
        let items = vec![Item { expr: Expr::form(form, Kind::Whole, args), name: "c1".to_owned() }];
        Query::of(Select { items, filter, from: select.from.clone(), ..Select::default() })
    };
    let kept = count("COUNT(*)", Vec::new(), and(select.filter.clone(), predicate.clone()));
    let both = and(select.filter.clone(), predicate.clone()).into_iter().collect();
    let listed = count("COUNT(CASE WHEN @1 THEN 1 END)", both, None);
    compared(engines, "rows kept and counted", (&kept, &listed), |one, other| one == other)
}

fn shapes(engines: &mut Engines, case: &Case) -> Result<(), Verdict> {
    let query = &case.query;
    if query.has_limit() && !query.has_total_order() {
        return Err(Verdict::Skipped);
    }
    let inner = text(query);
    rows_of(engines.base.run(&inner), "base", &inner)?;
    let condition = match &case.predicate {
        Some(predicate) => format!(" WHERE {}", predicate.text(Dialect::Ours)),
        None => String::new(),
    };
    let columns: Vec<String> = query.columns("d").iter().map(|column| column.text(Dialect::Ours)).collect();
    let order: Vec<String> = (1..=columns.len()).map(|place| place.to_string()).collect();
    let tail = format!("{condition} ORDER BY {} LIMIT 7", order.join(", "));
    let list = columns.join(", ");
    let _ = engines.base.run("DROP VIEW IF EXISTS v");
    let _ = engines.base.run("DROP TABLE IF EXISTS h");
    let made = format!("CREATE TEMPORARY TABLE h AS {inner}");
    rows_of_variant(engines.base.run(&made), "temporary table", &made)?;
    let held = format!("SELECT {list} FROM h d{tail}");
    let rows = rows_of(engines.base.run(&held), "temporary table", &held)?;
    let made = format!("CREATE VIEW v AS {inner}");
    rows_of_variant(engines.base.run(&made), "view", &made)?;
    let variants = [
        ("derived table", format!("SELECT {list} FROM ({inner}) d{tail}")),
        ("view", format!("SELECT {list} FROM v d{tail}")),
        ("CTE", format!("WITH d AS ({inner}) SELECT {list} FROM d{tail}")),
    ];
    for (what, statement) in variants {
        let other = rows_of_variant(engines.base.run(&statement), what, &statement)?;
        if rows != other {
            let held = format!("{held}   -- h AS {inner}");
            return Err(Verdict::Differs(Report::of_rows(what, [&held, &statement], [&rows, &other])));
        }
    }
    Ok(())
}

fn limit(engines: &mut Engines, query: &Query) -> Result<(), Verdict> {
    if !query.has_limit() {
        return Err(Verdict::Skipped);
    }
    let whole = match query.has_total_order() {
        true => Query { limit: None, offset: None, ..query.clone() },
        false => query.without_tail(),
    };
    let whole = Query { with: query.with.clone(), ..whole };
    let (offset, most) = (query.offset.unwrap_or(0), query.limit.unwrap_or(usize::MAX));
    let is_total = query.has_total_order();
    compared(engines, "limit", (&whole, query), |all, some| {
        let expected = all.len().saturating_sub(offset).min(most);
        let is_slice = !is_total || some == &all[offset.min(all.len())..][..expected];
        some.len() == expected && is_part(some, all) && is_slice
    })?;
    // The same rows counted, and kept.
    let mut count = query.clone().wrapped("d");
    count.items = vec![Item { expr: Expr::form("COUNT(*)", Kind::Whole, Vec::new()), name: "c1".to_owned() }];
    compared(engines, "rows counted behind a limit", (&whole, &Query::of(count)), |all, count| {
        let expected = all.len().saturating_sub(offset).min(most);
        count == [expected.to_string()]
    })
}

fn other_words(engines: &mut Engines, query: &Query, rewrite: Rewrite) -> Result<(), Verdict> {
    if query.has_limit() && !query.has_total_order() {
        return Err(Verdict::Skipped);
    }
    let other = rewritten(rewrite, query).ok_or(Verdict::Skipped)?;
    // Of a body that became another one, the order of equal rows is not the same.
    let order = if query.has_total_order() && other.has_total_order() { Order::Total } else { Order::Any };
    compared(engines, &format!("rewrite {rewrite:?}"), (query, &other), |one, other| same(one, other, order))
}
