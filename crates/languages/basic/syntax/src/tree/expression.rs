//! Expressions, options and lists.

use super::{Name, Place, Target};

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Where it begins.
    pub place: Place,
    /// Its form.
    pub kind: ExprKind,
}

/// Forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number as written.
    Number(String),
    /// A quoted string.
    Text(Vec<u8>),
    /// A hex string, `$0A$`.
    Hex(Vec<u8>),
    /// A variable.
    Variable(Name),
    /// An element of an array.
    Element(Name, Vec<Expr>),
    /// The next element of a dynamic array, `A[*]`.
    Append(Name),
    /// `A[n REMOVE]`: an element, which leaves the array.
    Removed(Name, Box<Expr>),
    /// `++A`, `A--`: the variable, whether it counts up, and whether its value is that before.
    Bump(Name, bool, bool),
    /// An element of a structured string, `A::NAME$`, `A::NAME[1]`: the name of the string, that of the element, and subscripts.
    Field(Name, Name, Vec<Expr>),
    /// All or a range of an array: `A{ALL}`, `A{1:5}`.
    Range(Name, Option<(Box<Expr>, Box<Expr>)>),
    /// A sub-string: position, and length.
    Substring(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// A system variable, upper case.
    System(String),
    /// A call of a system function.
    Call(Call),
    /// A call of a function of the program, `FNX$(..)`.
    User(Name, Vec<Expr>),
    /// A mnemonic, `'CS'`, with its arguments.
    Mnemonic(String, Vec<Expr>),
    /// `@(column, line, ..)`.
    At(Vec<Expr>),
    /// `-x`, `+x`, `NOT x`.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `object'name`, `object'name(..)`: a property or a method of an object; the arguments of a method.
    Property(Box<Expr>, Name, Option<MethodArguments>),
    /// A parenthesised expression, which is never a variable that a CALL may change.
    Group(Box<Expr>),
}

/// The arguments of a method.
#[derive(Clone, Debug, Default)]
pub struct MethodArguments {
    /// Values.
    pub values: Vec<Expr>,
    /// `ERR=`.
    pub options: Vec<IoOption>,
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `NOT`
    Not,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `+`: sum, or concatenation.
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `|`: the remainder.
    Remainder,
    /// `^` or `**`
    Power,
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
    /// `LIKE`
    Like,
    /// `AND`
    And,
    /// `OR`
    Or,
}

/// A call of a system function.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function's name, upper case.
    pub name: String,
    /// Positional arguments.
    pub arguments: Vec<Argument>,
    /// `ERR=`, `KEY=` and others.
    pub options: Vec<IoOption>,
    /// The relation of POS: `=`, `<`, `>`, `<>`, `:`, `^` and combinations.
    pub relation: Option<&'static str>,
    /// A keyword before the arguments: `READ` in `DIM(READ NUM(A))`, `FILE`, `INPUT`.
    pub words: Vec<String>,
}

/// An argument of a system function.
#[derive(Clone, Debug)]
pub struct Argument {
    /// `*` or `^` before the value, or `*` alone.
    pub prefix: Option<char>,
    /// The value; `None` for `*` alone.
    pub value: Option<Expr>,
    /// A mask behind a colon.
    pub mask: Option<Expr>,
}

/// An option of an I/O directive or function.
#[derive(Clone, Debug)]
pub struct IoOption {
    /// Its name without `=`, upper case.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// Its value.
    pub value: OptionValue,
}

/// The value of an [`IoOption`].
#[derive(Clone, Debug)]
pub enum OptionValue {
    /// A branch.
    Target(Target),
    /// A value.
    Value(Expr),
    /// Segments of a key, separated by colons.
    Segments(Vec<Expr>),
    /// `*`.
    Star,
    /// A list.
    List(ListRef),
    /// An option without a value.
    Flag,
}

/// A reference to an IOLIST.
#[derive(Clone, Debug)]
pub enum ListRef {
    /// By line or label.
    Target(Target),
    /// Compiled text in a string.
    Text(Expr),
    /// `*`: the dictionary in the file.
    Embedded,
}

/// An item of a list of variables or values.
#[derive(Clone, Debug)]
pub enum Item {
    /// A value or a variable.
    Value(ValueItem),
    /// The items of an IOLIST.
    List(ListRef, Place),
    /// `*`: skips a field.
    Skip(Place),
}

/// A value or variable of a list, with its formats.
#[derive(Clone, Debug)]
pub struct ValueItem {
    /// The value or variable.
    pub value: Expr,
    /// A mask behind a colon.
    pub mask: Option<Expr>,
    /// Formats and validations in brackets: `[chr(30)]`, `[max(7)]`.
    pub formats: Vec<Format>,
    /// Branches of INPUT: values and the target for them.
    pub branches: Vec<(Expr, Target)>,
    /// The limit of an input behind its branches.
    pub limit: Option<Box<InputLimit>>,
}

/// A limit of an input (manual, "Input Statements").
#[derive(Clone, Debug)]
pub enum InputLimit {
    /// `LEN=least,most`: the length of a string; without the second value it is the length.
    Length(Expr, Option<Expr>),
    /// The greatest number, and with a minus the least one as well; its decimals are the most of an input.
    Range(Expr),
}

/// A format of an IOLIST item.
#[derive(Clone, Debug)]
pub struct Format {
    /// `CHR`, `NUM`, `STR`, `BIN`, `DEC`, `LEN`, `MAX`, `MIN`, `TBL` and others, upper case.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Expr>,
    /// `SIZ=`.
    pub size: Option<Expr>,
    /// `SEP=`.
    pub separator: Option<Expr>,
}
