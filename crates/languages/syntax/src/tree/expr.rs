//! Expressions and conditions.
//!
//! Both are one type, since parentheses may contain either; the parser accepts a condition only where one is expected,
//! and the other way round. Parentheses are not stored: the printer adds the necessary ones.

use super::{DataType, Name, ObjectName, OrderItem, Query};

/// A constant, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// NULL.
    Null,
    /// Digits.
    Integer(String),
    /// Digits with a point.
    Decimal(String),
    /// Digits with an exponent.
    Float(String),
    /// A currency sign and digits.
    Money(String),
    /// `0x` and hexadecimal digits.
    Binary(String),
    /// The characters of `'..'`.
    String(String),
    /// The characters of `N'..'`.
    NationalString(String),
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `~`
    BitNot,
    /// NOT
    Not,
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum BinaryOperator {
    Multiply,
    Divide,
    Modulo,
    Add,
    Subtract,
    Concatenate,
    BitAnd,
    BitOr,
    BitXor,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl BinaryOperator {
    /// The function of the core's that it is.
    pub fn function(self) -> &'static str {
        use BinaryOperator::*;
        match self {
            Multiply => "multiply",
            Divide => "divide",
            Modulo => "modulo",
            Add => "add",
            Subtract => "subtract",
            Concatenate => "concatenate",
            BitAnd => "bit_and",
            BitOr => "bit_or",
            BitXor => "bit_xor",
            Equal => "equal",
            NotEqual => "not_equal",
            Less => "less",
            LessOrEqual => "less_or_equal",
            Greater => "greater",
            GreaterOrEqual => "greater_or_equal",
        }
    }

    /// As it is written; `!=`, `!<` and `!>` are their standard forms.
    pub fn text(self) -> &'static str {
        use BinaryOperator::*;
        match self {
            Multiply => "*",
            Divide => "/",
            Modulo => "%",
            Add => "+",
            Subtract => "-",
            Concatenate => "||",
            BitAnd => "&",
            BitOr => "|",
            BitXor => "^",
            Equal => "=",
            NotEqual => "<>",
            Less => "<",
            LessOrEqual => "<=",
            Greater => ">",
            GreaterOrEqual => ">=",
        }
    }

    /// Returns true if it makes a condition.
    pub fn is_comparison(self) -> bool {
        use BinaryOperator::*;
        matches!(self, Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual)
    }
}

/// The rows of a subquery for which a comparison must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// ALL
    All,
    /// ANY and SOME
    Any,
}

/// The function that converts a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum CastKind {
    Cast,
    TryCast,
    Parse,
    TryParse,
    Convert,
    TryConvert,
}

/// An expression or a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A constant.
    Literal(Literal),
    /// A column, perhaps with its table; also `$action`, `$identity`, `$rowguid`.
    Column(ObjectName),
    /// `@x`, and `@@x` of the server.
    Variable(Name),
    /// `*` as an argument, perhaps with a table.
    Star(Option<ObjectName>),
    /// DEFAULT, in a row of VALUES, SET or an argument.
    Default,
    /// A function without parentheses: CURRENT_TIMESTAMP, USER. In capitals.
    Niladic(String),
    /// An operator and its operand.
    Unary(UnaryOperator, Box<Expr>),
    /// Two operands and their operator.
    Binary(Box<Expr>, BinaryOperator, Box<Expr>),
    /// Two or more conditions that must all hold.
    And(Vec<Expr>),
    /// Two or more conditions of which one must hold.
    Or(Vec<Expr>),
    /// `x > ALL (SELECT ...)`.
    Quantified(Box<Expr>, BinaryOperator, Quantifier, Box<Query>),
    /// A value and the test that it is put to; `true` for NOT.
    Test(Box<Expr>, bool, Test),
    /// EXISTS.
    Exists(Box<Query>),
    /// A query that gives one value.
    Subquery(Box<Query>),
    /// CASE.
    Case(Box<Case>),
    /// CAST and its kin.
    Cast(Box<Cast>),
    /// `x COLLATE Latin1_General_CI_AS`.
    Collate(Box<Expr>, Name),
    /// `x AT TIME ZONE 'UTC'`.
    AtTimeZone(Box<Expr>, Box<Expr>),
    /// A function.
    Call(Box<Call>),
    /// A method of a value: `x.value('.', 'int')`; without arguments' list a property, `x.STX`.
    Method(Box<Expr>, Name, Option<Vec<Expr>>),
    /// A method of a type: `geography::Point(1, 2, 4326)`; without arguments a property.
    TypeMethod(ObjectName, Name, Option<Vec<Expr>>),
    /// NEXT VALUE FOR a sequence, OVER an order.
    NextValue(ObjectName, Option<Vec<OrderItem>>),
    /// CONTAINS and FREETEXT.
    FullText(Box<FullText>),
    /// `{d '2026-01-31'}`, `{t ..}`, `{ts ..}`: the word and the text.
    OdbcLiteral(Name, String),
    /// CURRENT OF a cursor, the whole of a WHERE.
    CurrentOf(CursorName),
}

/// A cursor where a statement names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorName {
    /// True if GLOBAL stands before it.
    pub global: bool,
    /// Its name, or the variable that holds it.
    pub name: Name,
}

/// The test of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// IS NULL.
    Null,
    /// IS DISTINCT FROM.
    DistinctFrom(Box<Expr>),
    /// BETWEEN low AND high.
    Between(Box<Expr>, Box<Expr>),
    /// IN a list.
    InList(Vec<Expr>),
    /// IN a query.
    InQuery(Box<Query>),
    /// LIKE a pattern, ESCAPE a character.
    Like(Box<Expr>, Option<Box<Expr>>),
}

/// `CASE [operand] WHEN .. THEN .. ELSE .. END`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The value that each branch's value is compared with; without it each branch has a condition.
    pub operand: Option<Expr>,
    /// WHEN and THEN.
    pub branches: Vec<(Expr, Expr)>,
    /// ELSE.
    pub otherwise: Option<Expr>,
}

/// A conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cast {
    /// By which function.
    pub kind: CastKind,
    /// The value.
    pub value: Expr,
    /// Into what.
    pub data_type: DataType,
    /// CONVERT's style, PARSE's culture.
    pub style: Option<Expr>,
}

/// A call of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The function.
    pub name: ObjectName,
    /// DISTINCT (or ALL) before the arguments.
    pub quantifier: Option<SetQuantifier>,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// `NULL ON NULL` (true) and `ABSENT ON NULL` (false) of JSON functions.
    pub json_nulls: Option<bool>,
    /// IGNORE NULLS (true) and RESPECT NULLS (false).
    pub ignore_nulls: Option<bool>,
    /// WITHIN GROUP (ORDER BY ..).
    pub within_group: Vec<OrderItem>,
    /// OVER.
    pub over: Option<Over>,
}

/// An argument of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A value; for IIF first a condition.
    Value(Expr),
    /// `key: value` of JSON_OBJECT.
    KeyValue(Expr, Expr),
    /// `[LEADING | TRAILING | BOTH] [characters] FROM text` of TRIM.
    Trim(Option<Name>, Option<Expr>, Expr),
}

/// DISTINCT or ALL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum SetQuantifier {
    Distinct,
    All,
}

/// OVER a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Over {
    /// A name of the WINDOW clause.
    Name(Name),
    /// A window described here.
    Window(Window),
}

/// A window: which rows an aggregate sees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The window that it refines.
    pub base: Option<Name>,
    /// PARTITION BY.
    pub partition: Vec<Expr>,
    /// ORDER BY.
    pub order: Vec<OrderItem>,
    /// ROWS or RANGE.
    pub frame: Option<Frame>,
}

/// The frame of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// True if it is RANGE, not ROWS.
    pub range: bool,
    /// From where.
    pub start: Bound,
    /// Up to where (BETWEEN .. AND ..).
    pub end: Option<Bound>,
}

/// An end of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum Bound {
    UnboundedPreceding,
    UnboundedFollowing,
    CurrentRow,
    Preceding(Box<Expr>),
    Following(Box<Expr>),
}

/// `CONTAINS ((a, b), 'text', LANGUAGE 1033)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FullText {
    /// True if it is FREETEXT.
    pub free: bool,
    /// The columns; `*` is a [`Expr::Star`]; PROPERTY is a call of that name.
    pub columns: Vec<Expr>,
    /// The search condition.
    pub text: Expr,
    /// LANGUAGE.
    pub language: Option<Expr>,
}

impl Expr {
    /// Returns true if it is a condition: it has no value that a variable could hold.
    pub fn is_condition(&self) -> bool {
        match self {
            Expr::Unary(UnaryOperator::Not, _) | Expr::And(_) | Expr::Or(_) => true,
            Expr::Quantified(..) | Expr::Test(..) | Expr::Exists(_) | Expr::FullText(_) | Expr::CurrentOf(_) => true,
            Expr::Binary(_, operator, _) => operator.is_comparison(),
            // The one function that is a condition: UPDATE(column) in a trigger.
            Expr::Call(call) => call.name.is("UPDATE"),
            _ => false,
        }
    }
}
