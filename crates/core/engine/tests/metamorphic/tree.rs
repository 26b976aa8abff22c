//! Statements as trees: the generator builds them, oracles change them, the minimiser cuts them.
//!
//! A tree is written in two dialects: ours, and SQLite's where SQLite has all that the statement uses.

use std::fmt::Write;

/// The type of a value, as far as the generator needs to know it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Whole,
    Decimal,
    Double,
    Text,
    Flag,
    Date,
}

impl Kind {
    /// The name of the type in a CAST.
    pub fn sql_type(self) -> &'static str {
        match self {
            Kind::Whole => "INTEGER",
            Kind::Decimal => "DECIMAL(12,2)",
            Kind::Double => "DOUBLE PRECISION",
            Kind::Text => "VARCHAR(20)",
            Kind::Flag => "BOOLEAN",
            Kind::Date => "DATE",
        }
    }

    pub fn is_number(self) -> bool {
        self <= Kind::Double
    }

    /// The type that values of both have in a common column.
    pub fn wider(self, other: Kind) -> Kind {
        if self.is_number() && other.is_number() { self.max(other) } else { self }
    }
}

/// An expression. In a form, `@1` to `@9` stand for arguments and `#` for the query.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Column { source: String, name: String, kind: Kind },
    Literal { text: String, kind: Kind },
    Form { form: &'static str, kind: Kind, args: Vec<Expr> },
    Subquery { form: &'static str, kind: Kind, args: Vec<Expr>, query: Box<Query> },
    Window { call: &'static str, kind: Kind, args: Vec<Expr>, over: Over },
}

/// The window of a call: one of the SELECT's, or its own, which can refine one of the SELECT's.
#[derive(Clone, PartialEq, Debug)]
pub enum Over {
    Name(String),
    Own(WindowSpec),
}

#[derive(Clone, PartialEq, Default, Debug)]
pub struct WindowSpec {
    pub base: Option<String>,
    pub partition: Vec<Expr>,
    pub order: Vec<(Expr, &'static str)>,
    pub frame: &'static str,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    pub with: Vec<(String, Query)>,
    pub body: Body,
    pub order: Vec<OrderKey>,
    pub limit: Option<usize>,
    pub offset: Option<usize>,
}

/// A key of ORDER BY: an output column, counted from 0, by its name or by its place.
#[derive(Clone, PartialEq, Debug)]
pub struct OrderKey {
    pub column: usize,
    pub by_place: bool,
    pub suffix: &'static str,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Body {
    Select(Box<Select>),
    Set { operator: &'static str, left: Box<Query>, right: Box<Query> },
}

#[derive(Clone, PartialEq, Default, Debug)]
pub struct Select {
    pub distinct: bool,
    pub items: Vec<Item>,
    pub from: Vec<Source>,
    pub filter: Option<Expr>,
    pub groups: Vec<Expr>,
    /// Word before the keys: `ROLLUP`, `CUBE`, or nothing.
    pub grouping: &'static str,
    pub having: Option<Expr>,
    pub windows: Vec<(String, WindowSpec)>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    pub expr: Expr,
    pub name: String,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    Table { name: String, alias: String },
    Derived { query: Box<Query>, alias: String, is_lateral: bool },
    Join { kind: &'static str, left: Box<Source>, right: Box<Source>, on: Option<Expr> },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Ours,
    Sqlite,
}

/// Forms that SQLite does not have, or means differently.
const OURS_ONLY: [&str; 12] = [
    "LATERAL ",
    "INTERSECT ALL",
    "EXCEPT ALL",
    "ANY (",
    "ALL (SELECT",
    "ROLLUP (",
    "CUBE (",
    "AVG(",
    "GREATEST(",
    "AS DATE)",
    "MIXED",
    "EXTRACT(",
];

impl Expr {
    pub fn kind(&self) -> Kind {
        match self {
            Expr::Column { kind, .. }
            | Expr::Literal { kind, .. }
            | Expr::Form { kind, .. }
            | Expr::Subquery { kind, .. }
            | Expr::Window { kind, .. } => *kind,
        }
    }

    pub fn form(form: &'static str, kind: Kind, args: Vec<Expr>) -> Expr {
        Expr::Form { form, kind, args }
    }

    pub fn literal(text: &str, kind: Kind) -> Expr {
        Expr::Literal { text: text.to_owned(), kind }
    }

    pub fn text(&self, dialect: Dialect) -> String {
        match self {
            Expr::Column { source, name, .. } => format!("{source}.{name}"),
            Expr::Literal { text, .. } => text.clone(),
            Expr::Form { form, args, .. } => filled(form, args, None, dialect),
            Expr::Subquery { form, args, query, .. } => filled(form, args, Some(query), dialect),
            Expr::Window { call, args, over, .. } => {
                let call = filled(call, args, None, dialect);
                match over {
                    Over::Name(name) => format!("{call} OVER {name}"),
                    Over::Own(spec) => format!("{call} OVER ({})", spec.text(dialect)),
                }
            }
        }
    }

    /// As an operand: conditions in parentheses, which bind in other ways than functions.
    fn operand(&self, dialect: Dialect) -> String {
        match self {
            Expr::Form { kind: Kind::Flag, .. } | Expr::Subquery { kind: Kind::Flag, .. } => {
                format!("({})", self.text(dialect))
            }
            _ => self.text(dialect),
        }
    }

    pub fn has_window(&self) -> bool {
        match self {
            Expr::Window { .. } => true,
            Expr::Form { args, .. } | Expr::Subquery { args, .. } => args.iter().any(Expr::has_window),
            _ => false,
        }
    }
}

fn filled(form: &str, args: &[Expr], query: Option<&Query>, dialect: Dialect) -> String {
    let (mut text, mut chars) = (String::new(), form.chars());
    while let Some(c) = chars.next() {
        match c {
            '@' => {
                let place = chars.next().and_then(|digit| digit.to_digit(10)).unwrap_or(1) as usize;
                text += &args[place - 1].operand(dialect);
            }
            '#' => text += &query.map(|query| query.text(dialect)).unwrap_or_default(),
            c => text.push(c),
        }
    }
    text
}

impl WindowSpec {
    fn text(&self, dialect: Dialect) -> String {
        let mut parts = Vec::new();
        parts.extend(self.base.clone());
        if !self.partition.is_empty() {
            parts.push(format!("PARTITION BY {}", list(&self.partition, dialect)));
        }
        if !self.order.is_empty() {
            let keys: Vec<String> =
                self.order.iter().map(|(expr, suffix)| format!("{}{suffix}", expr.text(dialect))).collect();
            parts.push(format!("ORDER BY {}", keys.join(", ")));
        }
        if !self.frame.is_empty() {
            parts.push(self.frame.to_owned());
        }
        parts.join(" ")
    }
}

fn list(exprs: &[Expr], dialect: Dialect) -> String {
    exprs.iter().map(|expr| expr.text(dialect)).collect::<Vec<_>>().join(", ")
}

impl Query {
    pub fn of(select: Select) -> Query {
        Query::plain(Body::Select(Box::new(select)))
    }

    pub fn plain(body: Body) -> Query {
        Query { with: Vec::new(), body, order: Vec::new(), limit: None, offset: None }
    }

    pub fn set(operator: &'static str, left: Query, right: Query) -> Query {
        Query::plain(Body::Set { operator, left: Box::new(left), right: Box::new(right) })
    }

    /// `SELECT c1, c2 ... FROM (this) alias`.
    pub fn wrapped(self, alias: &str) -> Select {
        let items = self.columns(alias).into_iter().enumerate();
        let items = items.map(|(place, expr)| Item { expr, name: format!("c{}", place + 1) }).collect();
        let source = Source::Derived { query: Box::new(self), alias: alias.to_owned(), is_lateral: false };
        Select { items, from: vec![source], ..Select::default() }
    }

    /// The output columns, as a query around it names them.
    pub fn columns(&self, alias: &str) -> Vec<Expr> {
        let kinds = self.kinds().into_iter();
        let column = |(name, kind)| Expr::Column { source: alias.to_owned(), name, kind };
        self.names().into_iter().zip(kinds).map(column).collect()
    }

    pub fn kinds(&self) -> Vec<Kind> {
        match &self.body {
            Body::Select(select) => select.items.iter().map(|item| item.expr.kind()).collect(),
            Body::Set { left, right, .. } => {
                left.kinds().into_iter().zip(right.kinds()).map(|(left, right)| left.wider(right)).collect()
            }
        }
    }

    pub fn names(&self) -> Vec<String> {
        match &self.body {
            Body::Select(select) => select.items.iter().map(|item| item.name.clone()).collect(),
            Body::Set { left, .. } => left.names(),
        }
    }

    /// True if ORDER BY decides which row comes where: rows that are equal in all columns are the same text.
    pub fn has_total_order(&self) -> bool {
        (0..self.kinds().len()).all(|column| self.order.iter().any(|key| key.column == column))
    }

    pub fn has_limit(&self) -> bool {
        self.limit.is_some() || self.offset.is_some()
    }

    /// The same rows without their order and limit.
    pub fn without_tail(&self) -> Query {
        Query { order: Vec::new(), limit: None, offset: None, ..self.clone() }
    }

    pub fn select(&self) -> Option<&Select> {
        match &self.body {
            Body::Select(select) => Some(select),
            Body::Set { .. } => None,
        }
    }

    pub fn text(&self, dialect: Dialect) -> String {
        let mut text = String::new();
        for (place, (name, query)) in self.with.iter().enumerate() {
            let word = if place == 0 { "WITH " } else { ", " };
            let _ = write!(text, "{word}{name} AS ({})", query.text(dialect));
        }
        if !self.with.is_empty() {
            text.push(' ');
        }
        match &self.body {
            Body::Select(select) => text += &select.text(dialect),
            Body::Set { operator, left, right } => {
                let (left, right) = (left.operand("l", dialect), right.operand("r", dialect));
                let _ = write!(text, "{left} {operator} {right}");
            }
        }
        if !self.order.is_empty() {
            let names = self.names();
            let key = |key: &OrderKey| match key.by_place {
                true => format!("{}{}", key.column + 1, key.suffix),
                false => format!("{}{}", names.get(key.column).map_or("c1", String::as_str), key.suffix),
            };
            let _ = write!(text, " ORDER BY {}", self.order.iter().map(key).collect::<Vec<_>>().join(", "));
        }
        match (self.limit, self.offset, dialect) {
            (None, Some(offset), Dialect::Sqlite) => {
                let _ = write!(text, " LIMIT -1 OFFSET {offset}");
            }
            (limit, offset, _) => {
                let _ = limit.map(|limit| write!(text, " LIMIT {limit}"));
                let _ = offset.map(|offset| write!(text, " OFFSET {offset}"));
            }
        }
        text
    }

    /// As an operand of a set operation: in parentheses where it is more than a SELECT. SQLite has no such parentheses.
    fn operand(&self, alias: &str, dialect: Dialect) -> String {
        let is_plain = self.with.is_empty() && self.order.is_empty() && !self.has_limit();
        match (&self.body, dialect) {
            (Body::Select(_), _) if is_plain => self.text(dialect),
            (_, Dialect::Ours) => format!("({})", self.text(dialect)),
            (_, Dialect::Sqlite) => format!("SELECT * FROM ({}) {alias}", self.text(dialect)),
        }
    }

    /// The statement for SQLite, if it has all that is used.
    pub fn sqlite_text(&self) -> Option<String> {
        let text = self.text(Dialect::Sqlite);
        // A comma binds as JOIN does there: what stands before it is part of the left side.
        let mut has_other_joins = false;
        crate::visit::query(&mut self.clone(), &mut |node| {
            if let crate::visit::Node::Select(select) = node {
                let keeps_right = |source: &Source| matches!(source, Source::Join { .. }) && source.keeps_right();
                has_other_joins |= select.from.len() > 1 && select.from.iter().any(keeps_right);
            }
        });
        // It takes DISTINCT out of EXISTS, and skips other rows than there are.
        let skips_equal_rows = text.contains("EXISTS (SELECT DISTINCT") && text.contains(" OFFSET ");
        if has_other_joins || skips_equal_rows || OURS_ONLY.iter().any(|word| text.contains(word)) {
            return None;
        }
        Some(text.replace("DATE '", "'").replace("DOUBLE PRECISION", "REAL").replace("AS DECIMAL(12,2)", "AS REAL"))
    }
}

impl Select {
    fn text(&self, dialect: Dialect) -> String {
        let items: Vec<String> =
            self.items.iter().map(|item| format!("{} AS {}", item.expr.text(dialect), item.name)).collect();
        let mut text = format!("SELECT {}{}", if self.distinct { "DISTINCT " } else { "" }, items.join(", "));
        if !self.from.is_empty() {
            let from: Vec<String> = self.from.iter().map(|source| source.text(dialect)).collect();
            let _ = write!(text, " FROM {}", from.join(", "));
        }
        if let Some(filter) = &self.filter {
            let _ = write!(text, " WHERE {}", filter.text(dialect));
        }
        if !self.groups.is_empty() {
            let keys = list(&self.groups, dialect);
            let _ = match self.grouping {
                "" => write!(text, " GROUP BY {keys}"),
                word => write!(text, " GROUP BY {word} ({keys})"),
            };
        }
        if let Some(having) = &self.having {
            let _ = write!(text, " HAVING {}", having.text(dialect));
        }
        for (place, (name, spec)) in self.windows.iter().enumerate() {
            let word = if place == 0 { " WINDOW " } else { ", " };
            let _ = write!(text, "{word}{name} AS ({})", spec.text(dialect));
        }
        text
    }
}

impl Source {
    /// True if it has a join that keeps all rows of its right side.
    fn keeps_right(&self) -> bool {
        match self {
            Source::Join { kind, left, right, .. } => {
                matches!(*kind, "RIGHT" | "FULL") || left.keeps_right() || right.keeps_right()
            }
            _ => false,
        }
    }

    fn text(&self, dialect: Dialect) -> String {
        match self {
            Source::Table { name, alias } => format!("{name} {alias}"),
            Source::Derived { query, alias, is_lateral } => {
                let word = if *is_lateral { "LATERAL " } else { "" };
                format!("{word}({}) {alias}", query.text(dialect))
            }
            Source::Join { kind, left, right, on } => {
                let (left, right_text) = (left.text(dialect), right.text(dialect));
                let right = match **right {
                    Source::Join { .. } => format!("({right_text})"),
                    _ => right_text,
                };
                match on {
                    Some(on) => format!("{left} {kind} JOIN {right} ON {}", on.text(dialect)),
                    None => format!("{left} {kind} JOIN {right}"),
                }
            }
        }
    }
}
