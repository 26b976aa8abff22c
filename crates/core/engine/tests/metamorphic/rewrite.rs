//! Equivalent statements: each rule replaces a construct by an equivalent one, wherever the statement has it.

use crate::generator::is_of_rows;
use crate::tree::{Body, Expr, Item, Kind, OrderKey, Over, Query, Select, Source, WindowSpec};
use crate::visit::{self, Node};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// Named windows are written out.
    Windows,
    /// Conditions and calls in other forms with the same three-valued result.
    Forms,
    /// `a INNER JOIN b ON p` as a condition of WHERE; `a RIGHT JOIN b` as `b LEFT JOIN a`.
    Joins,
    /// `UNION` as DISTINCT over UNION ALL, DISTINCT as GROUP BY.
    Distinct,
    /// `IN` and `EXISTS` as each other and as counts.
    Membership,
    /// LIMIT as a condition on ROW_NUMBER().
    Limit,
    /// Conditions of WHERE behind a CASE, which no rule takes apart.
    Opaque,
    /// Tables as queries of all their rows.
    Tables(usize),
    /// The statement beside its own empty part or itself in a set operation.
    SetOperation(usize),
}

pub const REWRITES: [Rewrite; 15] = [
    Rewrite::Windows,
    Rewrite::Forms,
    Rewrite::Joins,
    Rewrite::Distinct,
    Rewrite::Membership,
    Rewrite::Limit,
    Rewrite::Opaque,
    Rewrite::Tables(0),
    Rewrite::Tables(1),
    Rewrite::Tables(2),
    Rewrite::Tables(3),
    Rewrite::SetOperation(0),
    Rewrite::SetOperation(1),
    Rewrite::SetOperation(2),
    Rewrite::SetOperation(3),
];

/// Forms in other words.
const FORMS: [(&str, &str); 20] = [
    ("@1 BETWEEN @2 AND @3", "(@1 >= @2 AND @1 <= @3)"),
    ("@1 NOT BETWEEN @2 AND @3", "(@1 < @2 OR @1 > @3)"),
    ("@1 IN (@2, @3)", "(@1 = @2 OR @1 = @3)"),
    ("@1 NOT IN (@2, @3)", "(@1 <> @2 AND @1 <> @3)"),
    (
        "@1 IS DISTINCT FROM @2",
        "(CASE WHEN @1 = @2 THEN FALSE WHEN @1 IS NULL AND @2 IS NULL THEN FALSE ELSE TRUE END)",
    ),
    ("@1 IS NOT DISTINCT FROM @2", "(CASE WHEN @1 = @2 THEN TRUE ELSE @1 IS NULL AND @2 IS NULL END)"),
    ("COALESCE(@1, @2)", "CASE WHEN @1 IS NOT NULL THEN @1 ELSE @2 END"),
    ("NULLIF(@1, @2)", "CASE WHEN @1 = @2 THEN NULL ELSE @1 END"),
    ("@1 = @2", "@2 = @1"),
    ("@1 < @2", "NOT (@1 >= @2)"),
    ("@1 <= @2", "(@1 < @2 OR @1 = @2)"),
    ("@1 > @2", "@2 < @1"),
    ("@1 >= @2", "NOT (@2 > @1)"),
    ("@1 <> @2", "NOT (@1 = @2)"),
    ("(@1 AND @2)", "NOT (NOT (@1) OR NOT (@2))"),
    ("(@1 OR @2)", "NOT (NOT (@1) AND NOT (@2))"),
    ("(@1) IS TRUE", "COALESCE(@1, FALSE)"),
    ("(@1) IS NOT FALSE", "COALESCE(@1, TRUE)"),
    ("SUM(@1) FILTER (WHERE @2)", "SUM(CASE WHEN @2 THEN @1 END)"),
    ("COUNT(*) FILTER (WHERE @1)", "COUNT(CASE WHEN @1 THEN 1 END)"),
];

/// The statement in other words; `None` where the rule finds nothing in it.
pub fn rewritten(rewrite: Rewrite, query: &Query) -> Option<Query> {
    let mut changed = query.clone();
    let mut names = 0;
    match rewrite {
        Rewrite::Windows => visit::query(&mut changed, &mut |node| write_out_windows(node)),
        Rewrite::Forms => visit::query(&mut changed, &mut |node| {
            if let Node::Expr(Expr::Form { form, .. }) = node
                && let Some((_, other)) = FORMS.iter().find(|(known, _)| known == form)
            {
                *form = other;
            }
        }),
        Rewrite::Joins => visit::query(&mut changed, &mut |node| rewrite_joins(node)),
        Rewrite::Distinct => visit::query(&mut changed, &mut |node| rewrite_distinct(node, &mut names)),
        Rewrite::Membership => visit::query(&mut changed, &mut |node| rewrite_membership(node, &mut names)),
        Rewrite::Limit => visit::query(&mut changed, &mut |node| rewrite_limit(node, &mut names)),
        Rewrite::Opaque => visit::query(&mut changed, &mut |node| {
            if let Node::Select(select) = node
                && let Some(filter) = select.filter.take()
            {
                let opaque = "CASE WHEN @1 THEN TRUE ELSE FALSE END";
                select.filter = Some(Expr::form(opaque, Kind::Flag, vec![filter]));
            }
        }),
        Rewrite::Tables(form) => visit::query(&mut changed, &mut |node| {
            if let Node::Source(Source::Table { name, .. }) = node
                && name.starts_with('t')
            {
                *name = match form {
                    0 => format!("(SELECT * FROM {name})"),
                    1 => format!("(SELECT * FROM {name} UNION ALL SELECT * FROM {name} WHERE 1 = 0)"),
                    2 => format!("(SELECT DISTINCT * FROM {name})"),
                    _ => format!("(SELECT * FROM {name} ORDER BY id LIMIT 1000)"),
                };
            }
        }),
        Rewrite::SetOperation(form) => {
            if query.has_limit() || !query.with.is_empty() {
                return None;
            }
            let whole = query.without_tail();
            let nothing = Query { limit: Some(0), ..whole.clone() };
            changed = match form {
                0 => Query::set("UNION ALL", whole, nothing),
                1 => Query::set("EXCEPT ALL", whole, nothing),
                2 => Query::set("INTERSECT ALL", whole.clone(), whole),
                _ => {
                    let twice = Query::set("UNION ALL", whole.clone(), whole.clone());
                    Query::set("EXCEPT ALL", twice, whole)
                }
            };
            changed.order.clone_from(&query.order);
        }
    }
    (changed != *query).then_some(changed)
}

fn write_out_windows(node: Node<'_>) {
    let Node::Select(select) = node else { return };
    let named = std::mem::take(&mut select.windows);
    let find = |name: &str| named.iter().find(|(known, _)| known == name).map(|(_, spec)| spec.clone());
    // A window has the partition and, unless it has none, the order of the one that it refines.
    let resolved = |mut spec: WindowSpec| {
        while let Some(base) = spec.base.take().and_then(|name| find(&name)) {
            spec.partition = base.partition;
            if spec.order.is_empty() {
                spec.order = base.order;
            }
            spec.base = base.base;
        }
        spec
    };
    for item in &mut select.items {
        visit::expr(&mut item.expr, &mut |node| {
            if let Node::Expr(Expr::Window { over, .. }) = node {
                *over = match over {
                    Over::Name(name) => find(name).map_or_else(|| over.clone(), |spec| Over::Own(resolved(spec))),
                    Over::Own(spec) => Over::Own(resolved(spec.clone())),
                };
            }
        });
    }
}

fn rewrite_joins(node: Node<'_>) {
    match node {
        Node::Source(Source::Join { kind, left, right, .. }) if *kind == "RIGHT" => {
            *kind = "LEFT";
            std::mem::swap(left, right);
        }
        Node::Select(select) => {
            for source in &mut select.from {
                if let Source::Join { kind, on, .. } = source
                    && *kind == "INNER"
                    && let Some(condition) = on.take()
                {
                    *kind = "CROSS";
                    select.filter = Some(match select.filter.take() {
                        Some(filter) => Expr::form("(@1 AND @2)", Kind::Flag, vec![filter, condition]),
                        None => condition,
                    });
                }
            }
        }
        _ => {}
    }
}

fn rewrite_distinct(node: Node<'_>, names: &mut usize) {
    match node {
        Node::Query(query) => {
            if let Body::Set { operator, .. } = &mut query.body
                && *operator == "UNION"
            {
                *operator = "UNION ALL";
                let body = Query::plain(query.body.clone());
                query.body = Body::Select(Box::new(Select { distinct: true, ..body.wrapped(&fresh(names)) }));
            }
        }
        Node::Select(select) => {
            let is_plain = is_of_rows(select) && !select.items.iter().any(|item| item.expr.has_window());
            // A literal as a key of GROUP BY would be a place.
            let has_literal = select.items.iter().any(|item| matches!(item.expr, Expr::Literal { .. }));
            if select.distinct && is_plain && !has_literal {
                select.distinct = false;
                select.groups = select.items.iter().map(|item| item.expr.clone()).collect();
            }
        }
        _ => {}
    }
}

fn fresh(names: &mut usize) -> String {
    *names += 1;
    format!("z{names}")
}

fn rewrite_membership(node: Node<'_>, names: &mut usize) {
    let Node::Expr(expr) = node else { return };
    let Expr::Subquery { form, args, query, .. } = &*expr else { return };
    // The rows of the query that meet a condition with the value.
    let mut with = |condition: &'static str| {
        let alias = fresh(names);
        let column = query.columns(&alias).remove(0);
        let mut select = query.as_ref().clone().wrapped(&alias);
        select.items.truncate(1);
        select.filter = args.first().map(|value| Expr::form(condition, Kind::Flag, vec![column, value.clone()]));
        Expr::Subquery { form: "EXISTS (#)", kind: Kind::Flag, args: Vec::new(), query: Box::new(Query::of(select)) }
    };
    *expr = match *form {
        "@1 IN (#)" => {
            let args = vec![with("@1 = @2"), with("(@1 = @2) IS NULL")];
            Expr::form("CASE WHEN @1 THEN TRUE WHEN @2 THEN CAST(NULL AS BOOLEAN) ELSE FALSE END", Kind::Flag, args)
        }
        "@1 NOT IN (#)" => {
            let args = vec![with("@1 = @2"), with("(@1 = @2) IS NULL")];
            Expr::form("CASE WHEN @1 THEN FALSE WHEN @2 THEN CAST(NULL AS BOOLEAN) ELSE TRUE END", Kind::Flag, args)
        }
        "EXISTS (#)" | "NOT EXISTS (#)" => {
            let mut count = query.as_ref().clone().wrapped(&fresh(names));
            count.items = vec![Item { expr: Expr::form("COUNT(*)", Kind::Whole, Vec::new()), name: "c1".to_owned() }];
            let form = if *form == "EXISTS (#)" { "((#) > 0)" } else { "((#) = 0)" };
            Expr::Subquery { form, kind: Kind::Flag, args: Vec::new(), query: Box::new(Query::of(count)) }
        }
        _ => return,
    };
}

/// Only behind a total order: of equal rows it does not matter which are left.
fn rewrite_limit(node: Node<'_>, names: &mut usize) {
    let Node::Query(query) = node else { return };
    if !query.has_limit() || !query.has_total_order() || !query.with.is_empty() {
        return;
    }
    let (order, limit, offset) = (query.order.clone(), query.limit, query.offset.unwrap_or(0));
    let whole = query.without_tail();
    let (inner, outer) = (fresh(names), fresh(names));
    let columns = whole.columns(&inner);
    let count = columns.len();
    let mut numbered = whole.wrapped(&inner);
    let keys = order.iter().map(|OrderKey { column, suffix, .. }| (columns[*column].clone(), *suffix)).collect();
    let over = Over::Own(WindowSpec { order: keys, ..WindowSpec::default() });
    let number = Expr::Window { call: "ROW_NUMBER()", kind: Kind::Whole, args: Vec::new(), over };
    numbered.items.push(Item { expr: number, name: "place".to_owned() });
    let mut select = Query::of(numbered).wrapped(&outer);
    select.items.truncate(count);
    let place = Expr::Column { source: outer, name: "place".to_owned(), kind: Kind::Whole };
    let bound = |number: usize| Expr::literal(&number.to_string(), Kind::Whole);
    let above = Expr::form("@1 > @2", Kind::Flag, vec![place.clone(), bound(offset)]);
    select.filter = Some(match limit {
        Some(limit) => {
            let below = Expr::form("@1 <= @2", Kind::Flag, vec![place, bound(offset + limit)]);
            Expr::form("(@1 AND @2)", Kind::Flag, vec![above, below])
        }
        None => above,
    });
    *query = Query { order, ..Query::of(select) };
}
