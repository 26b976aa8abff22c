//! Random queries: joins, groups, windows, set operations, WITH, subqueries, LIMIT.
//!
//! The statement determines its rows: a LIMIT inside of it follows an order over all columns, and a window function
//! that depends on the order of equal rows has a key in its order. Only the LIMIT of the statement itself may leave the
//! choice of rows open.

use crate::common::Random;
use crate::data::Table;
use crate::tree::{Expr, Item, Kind, OrderKey, Over, Query, Select, Source, WindowSpec};

/// The columns of one source of FROM.
#[derive(Clone)]
pub struct Visible {
    pub alias: String,
    pub columns: Vec<(String, Kind)>,
    /// `id` has no equal values.
    pub has_key: bool,
}

/// The sources of a query and those of the queries around it.
#[derive(Clone, Default)]
pub struct Scope {
    pub own: Vec<Visible>,
    pub outer: Vec<Visible>,
}

impl Scope {
    /// The part of this that a subquery sees.
    fn around(&self) -> Vec<Visible> {
        self.own.iter().chain(&self.outer).cloned().collect()
    }
}

pub struct Generator<'r> {
    pub random: &'r mut Random,
    tables: &'r [Table],
    names: usize,
    /// Subqueries that the statement may still have.
    nested: usize,
    /// Common table expressions that can be named, with their columns.
    shared: Vec<(String, Vec<Kind>)>,
}

impl<'r> Generator<'r> {
    pub fn new(random: &'r mut Random, tables: &'r [Table]) -> Generator<'r> {
        let nested = random.below(4);
        Generator { random, tables, names: 0, nested, shared: Vec::new() }
    }

    /// A name that no other source of the statement has.
    pub fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    /// No part that is generated from here on names a common table expression.
    pub fn forget_shared(&mut self) {
        self.shared.clear();
    }

    pub fn may_nest(&self) -> bool {
        self.nested > 0
    }

    /// A whole statement.
    pub fn statement(&mut self) -> Query {
        let mut with = Vec::new();
        if self.random.one_in(8) {
            for _ in 0..1 + self.random.below(2) {
                let query = self.part(1, &[], None);
                let name = self.name("w");
                self.shared.push((name.clone(), query.kinds()));
                with.push((name, query));
            }
        }
        let mut query = self.rows(2, &[], None);
        query.with = with;
        let count = query.kinds().len();
        match self.random.below(5) {
            0 => {}
            1 => query.order = vec![self.order_key(0, count)],
            _ => query.order = self.total_order(count),
        }
        if self.random.below(5) < 2 {
            self.limit(&mut query);
        }
        query
    }

    /// A query without WITH, order and limit of its own.
    fn rows(&mut self, depth: u32, outer: &[Visible], kinds: Option<&[Kind]>) -> Query {
        if depth == 0 || self.random.below(5) > 0 {
            return Query::of(self.select(depth, outer, kinds));
        }
        const OPERATORS: [&str; 9] = [
            "UNION ALL",
            "UNION ALL",
            "UNION ALL",
            "UNION",
            "UNION",
            "EXCEPT",
            "INTERSECT",
            "EXCEPT ALL",
            "INTERSECT ALL",
        ];
        let operator = OPERATORS[self.random.below(OPERATORS.len())];
        let left = self.part(depth - 1, outer, kinds);
        let mut kinds = left.kinds();
        for kind in &mut kinds {
            // Columns that only together have a type.
            if *kind == Kind::Whole && self.random.one_in(12) {
                *kind = Kind::Decimal;
            }
        }
        let right = self.part(depth - 1, outer, Some(&kinds));
        Query::set(operator, left, right)
    }

    /// A query that is part of another one: with a limit only behind a total order.
    pub fn part(&mut self, depth: u32, outer: &[Visible], kinds: Option<&[Kind]>) -> Query {
        let mut query = self.rows(depth, outer, kinds);
        if self.random.one_in(6) {
            query.order = self.total_order(query.kinds().len());
            self.limit(&mut query);
        }
        query
    }

    fn limit(&mut self, query: &mut Query) {
        const LIMITS: [usize; 7] = [0, 1, 2, 3, 5, 8, 20];
        query.limit = (self.random.below(8) > 0).then(|| LIMITS[self.random.below(LIMITS.len())]);
        query.offset = self.random.one_in(3).then(|| self.random.below(6));
        if !query.has_limit() {
            query.limit = Some(3);
        }
    }

    fn order_key(&mut self, column: usize, count: usize) -> OrderKey {
        const SUFFIXES: [&str; 6] = ["", "", " DESC", " NULLS LAST", " DESC NULLS FIRST", " DESC NULLS LAST"];
        let by_place = count > 1 && self.random.one_in(6);
        OrderKey { column, by_place, suffix: SUFFIXES[self.random.below(SUFFIXES.len())] }
    }

    fn total_order(&mut self, count: usize) -> Vec<OrderKey> {
        let start = self.random.below(count);
        (0..count).map(|place| self.order_key((start + place) % count, count)).collect()
    }

    fn select(&mut self, depth: u32, outer: &[Visible], kinds: Option<&[Kind]>) -> Select {
        let (from, own) = self.sources(depth, outer);
        let scope = Scope { own, outer: outer.to_vec() };
        let kinds = match kinds {
            Some(kinds) => kinds.to_vec(),
            None => (0..1 + self.random.below(4)).map(|_| self.kind()).collect(),
        };
        let mut select = Select { from, ..Select::default() };
        if self.random.below(3) > 0 {
            select.filter = Some(self.condition(&scope, 2));
        }
        if self.random.one_in(3) {
            self.grouped(&mut select, &scope, &kinds);
        } else {
            select.distinct = self.random.one_in(7);
            if self.random.one_in(5) {
                self.windows(&mut select, &scope);
            }
            for kind in kinds {
                let expr = match self.random.one_in(4) {
                    true => self.window_call(&scope, &select.windows, kind),
                    false => None,
                };
                let expr = expr.filter(|_| !select.windows.is_empty() || self.random.one_in(2));
                let expr = expr.unwrap_or_else(|| self.expression(&scope, kind, 2));
                let name = format!("c{}", select.items.len() + 1);
                select.items.push(Item { expr, name });
            }
        }
        select
    }

    /// Keys, and items of keys and aggregates.
    fn grouped(&mut self, select: &mut Select, scope: &Scope, kinds: &[Kind]) {
        for _ in 0..[0, 1, 1, 1, 2, 2][self.random.below(6)] {
            let kind = self.kind();
            let deep = u32::from(self.random.one_in(4));
            let key = match self.column(&Scope { outer: Vec::new(), ..scope.clone() }, kind) {
                Some(column) if deep == 0 => column,
                Some(column) if kind.is_number() => Expr::form("(@1 + 1)", kind, vec![column]),
                Some(column) => Expr::form("COALESCE(@1, @2)", kind, vec![column, self.literal(kind)]),
                None => continue,
            };
            if !select.groups.contains(&key) {
                select.groups.push(key);
            }
        }
        if !select.groups.is_empty() && self.random.one_in(12) {
            select.grouping = ["ROLLUP", "CUBE"][self.random.below(2)];
        }
        for kind in kinds {
            let expr = self.of_group(scope, &select.groups, *kind);
            let name = format!("c{}", select.items.len() + 1);
            select.items.push(Item { expr, name });
        }
        if self.random.one_in(3) {
            let count = self.of_group(scope, &select.groups, Kind::Whole);
            let forms = ["@1 > 1", "@1 < 3", "@1 IS NOT NULL", "COALESCE(@1, 0) >= 1", "NOT (@1 = 2)"];
            select.having = Some(Expr::form(forms[self.random.below(forms.len())], Kind::Flag, vec![count]));
        }
    }

    /// A key, an aggregate, or an expression over them.
    fn of_group(&mut self, scope: &Scope, keys: &[Expr], kind: Kind) -> Expr {
        let fitting: Vec<&Expr> = keys.iter().filter(|key| key.kind() == kind).collect();
        if !fitting.is_empty() && self.random.below(2) == 0 {
            return (*self.random.pick_from(&fitting)).clone();
        }
        let aggregate = self.aggregate(scope, kind);
        match self.random.below(5) {
            0 => {
                let form = "CASE WHEN @1 > 1 THEN @2 ELSE @3 END";
                let count = Expr::form("COUNT(*)", Kind::Whole, Vec::new());
                Expr::form(form, kind, vec![count, aggregate, self.literal(kind)])
            }
            1 => Expr::form("COALESCE(@1, @2)", kind, vec![aggregate, self.literal(kind)]),
            2 if kind == Kind::Whole => {
                let count = self.aggregate(scope, Kind::Whole);
                Expr::form("CASE WHEN @2 = 0 THEN @1 ELSE @1 / @2 END", kind, vec![aggregate, count])
            }
            _ => aggregate,
        }
    }

    /// A condition for HAVING.
    pub fn condition_of_group(&mut self, scope: &Scope, keys: &[Expr]) -> Expr {
        let kind = [Kind::Whole, Kind::Whole, Kind::Text, Kind::Decimal][self.random.below(4)];
        let (left, right) = (self.of_group(scope, keys, kind), self.literal(kind));
        let form = ["@1 > @2", "@1 = @2", "@1 <= @2", "@1 IN (@2, @2)"][self.random.below(4)];
        Expr::form(form, Kind::Flag, vec![left, right])
    }

    /// An aggregate whose argument is of the query's own columns.
    fn aggregate(&mut self, scope: &Scope, kind: Kind) -> Expr {
        let own = Scope { own: scope.own.clone(), outer: Vec::new() };
        let nested = std::mem::take(&mut self.nested);
        let expr = match kind {
            Kind::Whole if self.random.below(2) == 0 => match self.random.below(4) {
                0 => Expr::form("COUNT(*)", kind, Vec::new()),
                1 => {
                    let other = self.kind();
                    Expr::form("COUNT(DISTINCT @1)", kind, vec![self.expression(&own, other, 1)])
                }
                2 => Expr::form("COUNT(*) FILTER (WHERE @1)", kind, vec![self.condition(&own, 1)]),
                _ => {
                    let other = self.kind();
                    Expr::form("COUNT(@1)", kind, vec![self.expression(&own, other, 1)])
                }
            },
            Kind::Whole | Kind::Decimal | Kind::Double => {
                let argument = self.expression(&own, kind, 1);
                let form = ["SUM(@1)", "MIN(@1)", "MAX(@1)", "SUM(DISTINCT @1)", "SUM(@1) FILTER (WHERE @2)"]
                    [self.random.below(5)];
                Expr::form(form, kind, vec![argument, self.condition(&own, 1)])
            }
            Kind::Flag => {
                let argument = self.expression(&own, Kind::Whole, 1);
                Expr::form(["(MAX(@1) > 1)", "(COUNT(@1) = 2)"][self.random.below(2)], kind, vec![argument])
            }
            Kind::Text | Kind::Date => {
                let argument = self.expression(&own, kind, 1);
                Expr::form(["MIN(@1)", "MAX(@1)"][self.random.below(2)], kind, vec![argument])
            }
        };
        self.nested = nested;
        with_only_needed_arguments(expr)
    }

    /// The sources of a SELECT.
    fn sources(&mut self, depth: u32, outer: &[Visible]) -> (Vec<Source>, Vec<Visible>) {
        let (mut from, mut own) = (Vec::new(), Vec::new());
        for _ in 0..[1, 1, 1, 1, 2][self.random.below(5)] {
            let lateral: Vec<Visible> = own.clone();
            let (source, visible) = self.source(depth, outer, &lateral);
            from.push(source);
            own.extend(visible);
        }
        while own.len() < 3 && self.random.one_in(3) {
            const KINDS: [&str; 7] = ["INNER", "INNER", "LEFT", "LEFT", "RIGHT", "FULL", "CROSS"];
            let kind = KINDS[self.random.below(KINDS.len())];
            let Some(left) = from.pop() else { break };
            let of_left: Vec<Visible> = own.iter().filter(|visible| left.has(&visible.alias)).cloned().collect();
            let lateral = if kind == "INNER" || kind == "LEFT" { of_left.clone() } else { Vec::new() };
            let (right, visible) = self.source(depth, outer, &lateral);
            let mut seen = of_left.clone();
            seen.extend(visible.iter().cloned());
            let on = (kind != "CROSS").then(|| self.join_condition(&of_left, &visible, seen));
            from.push(Source::Join { kind, left: Box::new(left), right: Box::new(right), on });
            own.extend(visible);
        }
        (from, own)
    }

    /// Mostly an equality of both sides, and more.
    fn join_condition(&mut self, left: &[Visible], right: &[Visible], all: Vec<Visible>) -> Expr {
        let kind = self.kind();
        let side = |own: &[Visible]| Scope { own: own.to_vec(), outer: Vec::new() };
        let (one, other) = (self.column(&side(left), kind), self.column(&side(right), kind));
        let nested = std::mem::take(&mut self.nested);
        let more = self.condition(&Scope { own: all, outer: Vec::new() }, 1);
        self.nested = nested;
        match (one, other, self.random.below(4)) {
            (Some(one), Some(other), 0..=1) => Expr::form("@1 = @2", Kind::Flag, vec![one, other]),
            (Some(one), Some(other), 2) => Expr::form("(@1 = @2 AND @3)", Kind::Flag, vec![one, other, more]),
            _ => more,
        }
    }

    /// A table, a common table expression, or a derived table, which may see the sources before it.
    fn source(&mut self, depth: u32, outer: &[Visible], before: &[Visible]) -> (Source, Vec<Visible>) {
        let alias = self.name("q");
        if depth > 0 && self.random.below(4) == 0 {
            let is_lateral = !before.is_empty() && self.nested > 0 && self.random.one_in(2);
            self.nested -= usize::from(is_lateral);
            let around: Vec<Visible> = match is_lateral {
                true => before.iter().chain(outer).cloned().collect(),
                false => Vec::new(),
            };
            let query = Box::new(self.part(depth - 1, &around, None));
            let columns = query.names().into_iter().zip(query.kinds()).collect();
            let visible = Visible { alias: alias.clone(), columns, has_key: false };
            return (Source::Derived { query, alias, is_lateral }, vec![visible]);
        }
        if !self.shared.is_empty() && self.random.one_in(2) {
            let (name, kinds) = self.random.pick_from(&self.shared).clone();
            let columns =
                kinds.into_iter().enumerate().map(|(place, kind)| (format!("c{}", place + 1), kind)).collect();
            let visible = Visible { alias: alias.clone(), columns, has_key: false };
            return (Source::Table { name, alias }, vec![visible]);
        }
        let table = self.random.pick_from(self.tables);
        let columns = table.columns.iter().map(|(name, kind, _)| (name.clone(), *kind)).collect();
        let visible = Visible { alias: alias.clone(), columns, has_key: true };
        (Source::Table { name: table.name.clone(), alias }, vec![visible])
    }

    /// A subquery of an expression; its sources often meet those around it in the condition.
    pub fn subquery(&mut self, scope: &Scope, kinds: &[Kind], depth: u32) -> Query {
        self.nested = self.nested.saturating_sub(1);
        self.part(depth.min(1), &scope.around(), Some(kinds))
    }

    /// A subquery of one row at most.
    pub fn single_value(&mut self, scope: &Scope, kind: Kind, depth: u32) -> Query {
        self.nested = self.nested.saturating_sub(1);
        let outer = scope.around();
        if self.random.below(3) == 0 {
            let mut query = self.part(depth.min(1), &outer, Some(&[kind]));
            query.order = self.total_order(1);
            query.limit = Some(1);
            return query;
        }
        let (from, own) = self.sources(0, &outer);
        let inner = Scope { own, outer };
        let filter = (self.random.below(4) > 0).then(|| self.condition(&inner, 1));
        let mut select = Select { from, filter, ..Select::default() };
        select.items.push(Item { expr: self.of_group(&inner, &[], kind), name: "c1".to_owned() });
        Query::of(select)
    }

    /// Named windows; some refine one before them.
    fn windows(&mut self, select: &mut Select, scope: &Scope) {
        let mut spec = self.window_spec(scope);
        spec.frame = "";
        if self.random.one_in(3) {
            spec.order.clear();
            let refined = WindowSpec { base: Some("w1".to_owned()), partition: Vec::new(), ..self.window_spec(scope) };
            select.windows.push(("w1".to_owned(), spec));
            select.windows.push(("w2".to_owned(), WindowSpec { frame: "", ..refined }));
        } else {
            select.windows.push(("w1".to_owned(), spec));
        }
    }

    /// A window whose rows do not depend on the order of equal ones, unless sources have keys.
    fn window_spec(&mut self, scope: &Scope) -> WindowSpec {
        let own = Scope { own: scope.own.clone(), outer: Vec::new() };
        let mut spec = WindowSpec::default();
        for _ in 0..self.random.below(2) {
            let kind = self.kind();
            spec.partition.extend(self.column(&own, kind));
        }
        if self.random.below(3) > 0 {
            let kind = self.kind();
            let suffix = ["", " DESC", " NULLS LAST"][self.random.below(3)];
            spec.order.extend(self.column(&own, kind).map(|column| (column, suffix)));
        }
        if scope.own.iter().all(|visible| visible.has_key) && !spec.order.is_empty() && self.random.one_in(2) {
            for visible in &scope.own {
                let key = Expr::Column { source: visible.alias.clone(), name: "id".to_owned(), kind: Kind::Whole };
                spec.order.push((key, ""));
            }
            const FRAMES: [&str; 4] = [
                "",
                "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
                "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING",
                "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
            ];
            spec.frame = FRAMES[self.random.below(FRAMES.len())];
        }
        spec
    }

    /// A window function of this kind.
    fn window_call(&mut self, scope: &Scope, named: &[(String, WindowSpec)], kind: Kind) -> Option<Expr> {
        let own = Scope { own: scope.own.clone(), outer: Vec::new() };
        let over = match named.is_empty() {
            false if self.random.one_in(3) => {
                // A window of the SELECT, with an order where it has none.
                let (name, spec) = self.random.pick_from(named).clone();
                let order = if spec.order.is_empty() { self.window_spec(scope).order } else { Vec::new() };
                Over::Own(WindowSpec { base: Some(name), order, ..WindowSpec::default() })
            }
            false => Over::Name(self.random.pick_from(named).0.clone()),
            true => Over::Own(self.window_spec(scope)),
        };
        let is_total = matches!(&over, Over::Own(spec) if spec.order.len() > scope.own.len());
        let nested = std::mem::take(&mut self.nested);
        let argument = self.expression(&own, kind, 1);
        self.nested = nested;
        let calls: &[&'static str] = match (kind, is_total) {
            (Kind::Whole, true) => {
                &["ROW_NUMBER()", "LAG(@1)", "LEAD(@1, 2)", "FIRST_VALUE(@1)", "NTILE(2)", "SUM(@1)"]
            }
            (Kind::Whole, false) => {
                &["RANK()", "DENSE_RANK()", "COUNT(*)", "COUNT(@1)", "SUM(@1)", "MIN(@1)", "MAX(@1)"]
            }
            (Kind::Flag, _) => return None,
            (Kind::Decimal | Kind::Double, false) => &["SUM(@1)", "MIN(@1)", "MAX(@1)"],
            (_, false) => &["MIN(@1)", "MAX(@1)"],
            (_, true) => &["LAG(@1)", "LEAD(@1)", "FIRST_VALUE(@1)", "LAST_VALUE(@1)", "MAX(@1)"],
        };
        let call = calls[self.random.below(calls.len())];
        let args = if call.contains("@1") { vec![argument] } else { Vec::new() };
        Some(Expr::Window { call, kind, args, over })
    }
}

impl Source {
    fn has(&self, name: &str) -> bool {
        match self {
            Source::Table { alias, .. } | Source::Derived { alias, .. } => alias == name,
            Source::Join { left, right, .. } => left.has(name) || right.has(name),
        }
    }
}

/// The form without arguments that it does not name.
fn with_only_needed_arguments(expr: Expr) -> Expr {
    match expr {
        Expr::Form { form, kind, mut args } => {
            if !form.contains("@2") {
                args.truncate(1);
            }
            if !form.contains("@1") {
                args.clear();
            }
            Expr::Form { form, kind, args }
        }
        other => other,
    }
}

/// The sources of a SELECT again, for conditions that are added to it.
pub fn visible(from: &[Source], tables: &[Table], with: &[(String, Query)]) -> Vec<Visible> {
    let mut all = Vec::new();
    for source in from {
        match source {
            Source::Table { name, alias } => {
                let table = tables.iter().find(|table| table.name == *name);
                let shared = with.iter().find(|(shared, _)| shared == name);
                let columns = match (table, shared) {
                    (Some(table), _) => table.columns.iter().map(|(name, kind, _)| (name.clone(), *kind)).collect(),
                    (None, Some((_, query))) => query.names().into_iter().zip(query.kinds()).collect(),
                    (None, None) => Vec::new(),
                };
                all.push(Visible { alias: alias.clone(), columns, has_key: table.is_some() });
            }
            Source::Derived { query, alias, .. } => {
                let columns = query.names().into_iter().zip(query.kinds()).collect();
                all.push(Visible { alias: alias.clone(), columns, has_key: false });
            }
            Source::Join { left, right, .. } => {
                all.extend(visible(std::slice::from_ref(left), tables, with));
                all.extend(visible(std::slice::from_ref(right), tables, with));
            }
        }
    }
    all
}

/// True if the body is a SELECT of rows, without groups.
pub fn is_of_rows(select: &Select) -> bool {
    select.groups.is_empty() && select.having.is_none() && !select.items.iter().any(|item| has_aggregate(&item.expr))
}

pub fn has_aggregate(expr: &Expr) -> bool {
    match expr {
        Expr::Form { form, args, .. } => {
            ["COUNT(", "SUM(", "MIN(", "MAX("].iter().any(|name| form.contains(name)) || args.iter().any(has_aggregate)
        }
        _ => false,
    }
}
