//! Queries.

use super::{Change, DataType, Expr, Name, ObjectName, Phrase, SetQuantifier, Window};

/// A query with everything around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// WITH.
    pub with: With,
    /// The SELECT, or several of them.
    pub body: QueryBody,
    /// ORDER BY.
    pub order: Vec<OrderItem>,
    /// OFFSET: rows to skip.
    pub offset: Option<Expr>,
    /// FETCH NEXT: rows to give.
    pub fetch: Option<Expr>,
    /// FOR XML, FOR JSON, FOR BROWSE.
    pub format: Option<Format>,
    /// OPTION.
    pub hints: Vec<Phrase>,
}

/// The WITH clause before a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct With {
    /// XMLNAMESPACES: each its address and its prefix, the default one without.
    pub namespaces: Vec<(String, Option<Name>)>,
    /// Common table expressions.
    pub tables: Vec<CommonTable>,
}

/// `name (columns) AS (query)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommonTable {
    /// Its name.
    pub name: Name,
    /// Its columns' names.
    pub columns: Vec<Name>,
    /// Its query.
    pub query: Query,
}

/// A SELECT, or two queries and what joins them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryBody {
    /// One SELECT.
    Select(Box<Select>),
    /// `left UNION right`; true for ALL.
    Set(Box<QueryBody>, SetOperator, bool, Box<QueryBody>),
}

impl QueryBody {
    /// True if one of its SELECTs assigns variables.
    pub fn assigns(&self) -> bool {
        match self {
            QueryBody::Select(select) => select.items.iter().any(|item| matches!(item, SelectItem::Assign(..))),
            QueryBody::Set(left, _, _, right) => left.assigns() || right.assigns(),
        }
    }
}

/// An operator between two queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum SetOperator {
    Union,
    Except,
    Intersect,
}

/// One SELECT.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Select {
    /// DISTINCT or ALL.
    pub quantifier: Option<SetQuantifier>,
    /// TOP.
    pub top: Option<Top>,
    /// The selected items.
    pub items: Vec<SelectItem>,
    /// INTO a new table, perhaps ON a filegroup.
    pub into: Option<(ObjectName, Option<Name>)>,
    /// FROM.
    pub from: Vec<Source>,
    /// WHERE.
    pub condition: Option<Expr>,
    /// GROUP BY.
    pub group: Option<GroupBy>,
    /// HAVING.
    pub having: Option<Expr>,
    /// WINDOW.
    pub windows: Vec<(Name, Window)>,
}

/// `TOP (n) PERCENT WITH TIES`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Top {
    /// The number.
    pub count: Expr,
    /// True if of a hundred.
    pub percent: bool,
    /// True if rows like the last one are given too.
    pub with_ties: bool,
}

/// An assignment operator: `=`, or an operator and `=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum AssignOperator {
    Set,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
    Concatenate,
}

impl AssignOperator {
    /// Every one and how it is written.
    pub const ALL: [(AssignOperator, &'static str); 10] = [
        (AssignOperator::Set, "="),
        (AssignOperator::Add, "+="),
        (AssignOperator::Subtract, "-="),
        (AssignOperator::Multiply, "*="),
        (AssignOperator::Divide, "/="),
        (AssignOperator::Modulo, "%="),
        (AssignOperator::BitAnd, "&="),
        (AssignOperator::BitOr, "|="),
        (AssignOperator::BitXor, "^="),
        (AssignOperator::Concatenate, "||="),
    ];

    /// As it is written.
    pub fn text(self) -> &'static str {
        AssignOperator::ALL.iter().find(|(operator, _)| *operator == self).map_or("=", |(_, text)| text)
    }
}

/// An item of a select list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectItem {
    /// A value and the name of its column; `name = value` and `value AS name` are the same.
    Value(Expr, Option<Name>),
    /// `*` and `t.*`.
    Star(Option<ObjectName>),
    /// `@x = value`.
    Assign(Name, AssignOperator, Expr),
}

/// GROUP BY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupBy {
    /// The old GROUP BY ALL.
    pub all: bool,
    /// The grouping items.
    pub items: Vec<Grouping>,
    /// The old WITH ROLLUP (false) and WITH CUBE (true).
    pub with_cube: Option<bool>,
}

/// An item of GROUP BY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// A value.
    Value(Expr),
    /// Several values as one, `(a, b)`; none for the grand total, `()`.
    Tuple(Vec<Expr>),
    /// ROLLUP.
    Rollup(Vec<Grouping>),
    /// CUBE.
    Cube(Vec<Grouping>),
    /// GROUPING SETS.
    Sets(Vec<Grouping>),
}

/// An item of ORDER BY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderItem {
    /// The value to order by.
    pub value: Expr,
    /// ASC (false) or DESC (true), if written.
    pub descending: Option<bool>,
}

/// FOR XML and its kin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// FOR BROWSE.
    Browse,
    /// FOR XML: the mode, its element name if given, and the directives.
    Xml(XmlMode, Option<String>, Vec<Phrase>),
    /// FOR JSON: whether PATH (not AUTO), and the directives.
    Json(bool, Vec<Phrase>),
}

/// The mode of FOR XML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum XmlMode {
    Raw,
    Auto,
    Explicit,
    Path,
}

/// The name a source goes by, and those of its columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alias {
    /// The name.
    pub name: Option<Name>,
    /// The columns.
    pub columns: Vec<Name>,
}

/// Where rows come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A table or view.
    Table(Box<TableSource>),
    /// A table variable.
    Variable(Name, Alias),
    /// A query in parentheses.
    Query(Box<Query>, Alias),
    /// VALUES in parentheses.
    Values(Vec<Vec<Expr>>, Alias),
    /// The rows that a change in parentheses gives by OUTPUT.
    Change(Box<Change>, Alias),
    /// A table function, or the rows of a method (`x.nodes('/a')`), with the columns of its WITH.
    Function(Box<Expr>, Vec<SchemaColumn>, Alias),
    /// OPENROWSET, as words and values.
    OpenRowset(Phrase, Vec<SchemaColumn>, Alias),
    /// OPENXML's or OPENJSON's WITH that names a table: the function and the table.
    FunctionLike(Box<Expr>, ObjectName, Alias),
    /// A join.
    Join(Box<Join>),
    /// `left CROSS APPLY right`; true for OUTER.
    Apply(Box<Source>, bool, Box<Source>),
    /// PIVOT.
    Pivot(Box<Pivot>),
    /// UNPIVOT.
    Unpivot(Box<Unpivot>),
    /// A FROM item in parentheses, which changes the order of joins.
    Nested(Box<Source>),
    /// `{oj a LEFT OUTER JOIN b ON ..}`.
    OdbcJoin(Box<Source>),
}

/// A table or view in FROM.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableSource {
    /// Its name.
    pub name: ObjectName,
    /// FOR SYSTEM_TIME.
    pub system_time: Option<SystemTime>,
    /// The name it goes by here.
    pub alias: Option<Name>,
    /// TABLESAMPLE.
    pub sample: Option<Sample>,
    /// Hints, with or without WITH.
    pub hints: Vec<Phrase>,
}

/// FOR SYSTEM_TIME.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SystemTime {
    /// AS OF.
    AsOf(Expr),
    /// FROM .. TO ..
    FromTo(Expr, Expr),
    /// BETWEEN .. AND ..
    Between(Expr, Expr),
    /// CONTAINED IN (.., ..)
    ContainedIn(Expr, Expr),
    /// ALL
    All,
}

/// TABLESAMPLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// True if SYSTEM is written.
    pub system: bool,
    /// The amount.
    pub amount: Expr,
    /// PERCENT (true) or ROWS (false).
    pub percent: Option<bool>,
    /// REPEATABLE.
    pub seed: Option<Expr>,
}

/// A join of two sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// The left side.
    pub left: Source,
    /// The kind of join.
    pub kind: JoinKind,
    /// LOOP, HASH, MERGE or REMOTE.
    pub hint: Option<Name>,
    /// The right side.
    pub right: Source,
    /// ON; none for CROSS JOIN.
    pub condition: Option<Expr>,
}

/// The kind of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
}

/// `source PIVOT (SUM(x) FOR c IN ([1], [2])) AS p`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pivot {
    /// The pivoted source.
    pub source: Source,
    /// The aggregate.
    pub aggregate: Expr,
    /// The column whose values become columns.
    pub column: ObjectName,
    /// These.
    pub values: Vec<Name>,
    /// The result's name.
    pub alias: Alias,
}

/// `source UNPIVOT (x FOR c IN (a, b)) AS u`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpivot {
    /// The unpivoted source.
    pub source: Source,
    /// The column of the values.
    pub value: Name,
    /// The column of the names.
    pub column: Name,
    /// The columns that become rows.
    pub columns: Vec<ObjectName>,
    /// The result's name.
    pub alias: Alias,
}

/// A column in the WITH of OPENJSON, OPENXML and OPENROWSET.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaColumn {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub data_type: DataType,
    /// COLLATE.
    pub collation: Option<Name>,
    /// Its path, or for a file its number.
    pub path: Option<Expr>,
    /// AS JSON.
    pub as_json: bool,
}
