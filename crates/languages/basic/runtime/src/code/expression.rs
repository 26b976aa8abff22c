//! Typed expressions.

use super::{Options, Symbol, VariableRef};
use crate::fault::Outcome;
use crate::machine::Machine;
use crate::number::Number;

/// An expression of either type.
#[derive(Debug)]
pub enum Expr {
    /// A number.
    Number(NumberExpr),
    /// A string.
    Text(TextExpr),
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// The comparison holds for this order.
    #[inline]
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        }
    }
}

/// An expression that gives a number.
#[derive(Debug)]
pub enum NumberExpr {
    /// A literal.
    Constant(Number),
    /// A variable.
    Variable(Symbol),
    /// An element of an array.
    Element(Symbol, Box<[NumberExpr]>),
    /// An element by its keyword.
    Keyed(Symbol, Box<TextExpr>),
    /// The element of a range whose turn it is in an assignment to a range.
    Each(Symbol, Option<Box<(NumberExpr, NumberExpr)>>),
    /// An element, which leaves its array.
    Removed(Symbol, Box<NumberExpr>),
    /// A property or a method of an object.
    Member(Box<super::MemberUse>),
    /// An element of a structured string.
    Field(Box<super::FieldUse>),
    /// `++A`, `A++`: the step, and whether the value is that before.
    Bump(Symbol, i8, bool),
    /// The same for an element of a structured string.
    BumpField(Box<super::FieldUse>, i8, bool),
    /// `a + b`
    Add(Box<(NumberExpr, NumberExpr)>),
    /// `a - b`
    Subtract(Box<(NumberExpr, NumberExpr)>),
    /// `a * b`
    Multiply(Box<(NumberExpr, NumberExpr)>),
    /// `a / b`, rounded as the quotient rule says.
    Divide(Box<(NumberExpr, NumberExpr)>),
    /// `a | b`
    Remainder(Box<(NumberExpr, NumberExpr)>),
    /// `a ^ b`
    Power(Box<(NumberExpr, NumberExpr)>),
    /// `-a`
    Negate(Box<NumberExpr>),
    /// A comparison of numbers.
    Compare(Comparison, Box<(NumberExpr, NumberExpr)>),
    /// A comparison of strings.
    CompareText(Comparison, Box<(TextExpr, TextExpr)>),
    /// `a LIKE b`
    Like(Box<(TextExpr, TextExpr)>),
    /// `a AND b`, without evaluating `b` if `a` is false.
    And(Box<(NumberExpr, NumberExpr)>),
    /// `a OR b`
    Or(Box<(NumberExpr, NumberExpr)>),
    /// `NOT a`
    Not(Box<NumberExpr>),
    /// A string as a condition: true unless it is empty or blank.
    Truth(Box<TextExpr>),
    /// A system function or variable.
    Call(Box<Call>, NumberFunction),
    /// A function of the program.
    User(Box<UserCall>),
}

/// An expression that gives a string.
#[derive(Debug)]
pub enum TextExpr {
    /// An element of a structured string.
    Field(Box<super::FieldUse>),
    /// A property or a method of an object.
    Member(Box<super::MemberUse>),
    /// A literal.
    Constant(Box<[u8]>),
    /// A variable.
    Variable(Symbol),
    /// A variable that DIM may make a composite string.
    Composite(Symbol),
    /// An element of an array.
    Element(Symbol, Box<[NumberExpr]>),
    /// An element by its keyword.
    Keyed(Symbol, Box<TextExpr>),
    /// The element of a range whose turn it is.
    Each(Symbol, Option<Box<(NumberExpr, NumberExpr)>>),
    /// An element, which leaves its array.
    Removed(Symbol, Box<NumberExpr>),
    /// A string so many times.
    Repeated(Box<(TextExpr, NumberExpr)>),
    /// Parts one after the other.
    Concatenate(Box<[TextExpr]>),
    /// A sub-string.
    Substring(Box<Substring>),
    /// A system function or variable.
    Call(Box<Call>, TextFunction),
    /// A function of the program.
    User(Box<UserCall>),
    /// A mnemonic with its arguments.
    Mnemonic(Box<str>, Box<[Expr]>),
    /// A position.
    Position(Box<[NumberExpr]>),
}

/// A sub-string.
#[derive(Debug)]
pub struct Substring {
    /// The string.
    pub base: TextExpr,
    /// The first byte, from 1.
    pub position: NumberExpr,
    /// How many bytes; to the end if there is none.
    pub length: Option<NumberExpr>,
}

/// A function of the system that gives a number.
pub type NumberFunction = fn(&mut Machine, &Call) -> Outcome<Number>;
/// A function of the system that appends a string.
pub type TextFunction = fn(&mut Machine, &Call, &mut Vec<u8>) -> Outcome<()>;

/// A call of a system function.
#[derive(Debug)]
pub struct Call {
    /// Its name.
    pub name: &'static str,
    /// Arguments.
    pub arguments: Vec<Argument>,
    /// Options.
    pub options: Options,
    /// The relation of POS.
    pub relation: &'static str,
    /// Keywords before the arguments.
    pub words: Vec<String>,
}

/// An argument of a system function.
#[derive(Debug)]
pub struct Argument {
    /// `*` or `^`.
    pub prefix: Option<char>,
    /// The value; `None` for `*` alone.
    pub value: Option<Expr>,
    /// A mask.
    pub mask: Option<TextExpr>,
    /// The variable or array, if the argument is nothing else.
    pub variable: Option<VariableRef>,
}

/// A call of a function of the program.
#[derive(Debug)]
pub struct UserCall {
    /// Its name, with `$`.
    pub name: String,
    /// Arguments.
    pub arguments: Vec<Expr>,
}
