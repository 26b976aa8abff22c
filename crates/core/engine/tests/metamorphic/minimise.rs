//! Makes a failing statement smaller as long as it fails in the same way.

use crate::tree::{Body, Expr, Kind, Over, Query, Select, Source};
use crate::visit::{self, Node};

/// Candidates that are looked at, at most.
const MOST_CHECKS: usize = 1_500;

/// The smallest statement found for which `fails` holds.
pub fn minimised(query: &Query, fails: &mut dyn FnMut(&Query) -> bool) -> Query {
    let mut smallest = query.clone();
    let mut checks = 0;
    'smaller: loop {
        let mut node = count(&smallest);
        while node > 0 {
            node -= 1;
            for variant in 0.. {
                let Some(candidate) = reduced(&smallest, node, variant) else { break };
                checks += 1;
                if checks > MOST_CHECKS {
                    return smallest;
                }
                if size(&candidate) < size(&smallest) && fails(&candidate) {
                    smallest = candidate;
                    continue 'smaller;
                }
            }
        }
        return smallest;
    }
}

/// The same for a condition beside the statement.
pub fn minimised_expr(expr: &Expr, fails: &mut dyn FnMut(&Expr) -> bool) {
    let mut smallest = expr.clone();
    'smaller: loop {
        for variant in 0.. {
            let mut candidate = smallest.clone();
            if !reduce_expr(&mut candidate, variant) {
                return;
            }
            if candidate != smallest && !matches!(smallest, Expr::Literal { .. }) && fails(&candidate) {
                smallest = candidate;
                continue 'smaller;
            }
        }
    }
}

fn size(query: &Query) -> usize {
    query.text(crate::tree::Dialect::Ours).len()
}

fn count(query: &Query) -> usize {
    let mut count = 0;
    visit::query(&mut query.clone(), &mut |_| count += 1);
    count
}

/// The statement with one node made smaller in one of its ways; `None` behind the last way.
fn reduced(query: &Query, wanted: usize, variant: usize) -> Option<Query> {
    let (mut candidate, mut number, mut is_done) = (query.clone(), 0, false);
    visit::query(&mut candidate, &mut |node| {
        if number == wanted {
            is_done = match node {
                Node::Query(query) => reduce_query(query, variant),
                Node::Select(select) => reduce_select(select, variant),
                Node::Source(source) => reduce_source(source, variant),
                Node::Expr(expr) => reduce_expr(expr, variant),
            };
        }
        number += 1;
    });
    is_done.then_some(candidate)
}

fn reduce_query(query: &mut Query, variant: usize) -> bool {
    let mut ways: Vec<Query> = Vec::new();
    if let Body::Set { left, right, .. } = &query.body {
        ways.extend([left.as_ref().clone(), right.as_ref().clone()]);
        ways.extend([left, right].map(|side| Query { body: side.body.clone(), ..query.clone() }));
    }
    if let Body::Select(select) = &query.body
        && let [Source::Derived { query: inner, .. }] = select.from.as_slice()
    {
        ways.push(inner.as_ref().clone());
    }
    if query.has_limit() || !query.order.is_empty() {
        ways.push(query.without_tail());
        ways.push(Query { offset: None, ..query.clone() });
        ways.push(Query { limit: None, ..query.clone() });
        ways.extend(query.limit.filter(|limit| *limit > 0).map(|_| Query { limit: Some(0), ..query.clone() }));
    }
    // Of a limit without a total order nobody knows the rows.
    if !query.has_limit() {
        ways.extend((0..query.order.len()).map(|key| {
            let mut fewer = query.clone();
            fewer.order.remove(key);
            fewer
        }));
    }
    for place in 0..query.with.len() {
        let mut fewer = query.clone();
        fewer.with.remove(place);
        ways.push(fewer);
    }
    take(query, ways, variant)
}

fn reduce_select(select: &mut Select, variant: usize) -> bool {
    let mut ways: Vec<Select> = Vec::new();
    let mut way = |change: &dyn Fn(&mut Select)| {
        let mut smaller = select.clone();
        change(&mut smaller);
        if smaller != *select {
            ways.push(smaller);
        }
    };
    way(&|select| select.filter = None);
    way(&|select| select.having = None);
    way(&|select| select.distinct = false);
    way(&|select| select.windows.clear());
    way(&|select| select.grouping = "");
    for place in (0..select.items.len()).filter(|_| select.items.len() > 1) {
        way(&|select| drop(select.items.remove(place)));
    }
    for place in 0..select.groups.len() {
        way(&|select| drop(select.groups.remove(place)));
    }
    for place in (0..select.from.len()).filter(|_| select.from.len() > 1) {
        way(&|select| drop(select.from.remove(place)));
    }
    take(select, ways, variant)
}

fn reduce_source(source: &mut Source, variant: usize) -> bool {
    let ways = match source {
        Source::Join { left, right, on, kind } => {
            let mut ways = vec![left.as_ref().clone(), right.as_ref().clone()];
            if on.is_some() && *kind != "INNER" && *kind != "CROSS" {
                ways.push(Source::Join { kind: "INNER", left: left.clone(), right: right.clone(), on: on.clone() });
            }
            ways
        }
        _ => Vec::new(),
    };
    take(source, ways, variant)
}

fn reduce_expr(expr: &mut Expr, variant: usize) -> bool {
    let mut ways = Vec::new();
    match expr {
        Expr::Literal { .. } => {}
        Expr::Column { kind, .. } => ways.extend(literals(*kind)),
        // A literal that is no number cannot be cast, whatever guards it.
        Expr::Form { form, .. } if form.contains("CAST(@1 AS INTEGER)") => ways.extend(literals(Kind::Whole)),
        Expr::Form { args, kind, .. } | Expr::Subquery { args, kind, .. } | Expr::Window { args, kind, .. } => {
            ways.extend(literals(*kind));
            ways.extend(args.iter().filter(|arg| arg.kind() == *kind).cloned());
        }
    }
    if let Expr::Window { call, kind, args, over: Over::Own(spec) } = expr {
        // These calls and frames need the order that they have.
        let may_lose_order = spec.frame.is_empty() && (call.contains("RANK") || !call.contains('_') && call.len() < 10);
        for change in 0..if may_lose_order { 4 } else { 2 } {
            let mut smaller = spec.clone();
            match change {
                0 => smaller.partition.clear(),
                1 => smaller.frame = "",
                2 => smaller.order.clear(),
                _ => drop(smaller.order.pop()),
            }
            ways.push(Expr::Window { call, kind: *kind, args: args.clone(), over: Over::Own(smaller) });
        }
    }
    take(expr, ways, variant)
}

fn literals(kind: Kind) -> Vec<Expr> {
    let texts: &[&str] = match kind {
        Kind::Whole => &["1", "0"],
        Kind::Decimal => &["0.5"],
        Kind::Double => &["1e0"],
        // One that every guarded expression takes.
        Kind::Text => &["'2'"],
        Kind::Flag => &["TRUE", "FALSE"],
        Kind::Date => &["DATE '2024-01-10'"],
    };
    texts.iter().map(|text| Expr::literal(text, kind)).collect()
}

fn take<T>(node: &mut T, ways: Vec<T>, variant: usize) -> bool {
    match ways.into_iter().nth(variant) {
        Some(way) => {
            *node = way;
            true
        }
        None => false,
    }
}
