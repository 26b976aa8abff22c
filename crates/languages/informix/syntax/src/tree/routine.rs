//! Routines in SPL, and triggers: their heads, and the statements of their bodies.
//!
//! A body is made of blocks. A block begins with its variables and its handlers (DEFINE, ON EXCEPTION), which a server accepts
//! nowhere else. Statements of SQL in a body are those of [`Statement`]; a name in them that is one of a variable is still an
//! [`Expr::Column`], which the compiler replaces.

use super::{Expr, Name, ObjectName, Query, Span, Statement};
use crate::types::Type;

/// CREATE PROCEDURE and CREATE FUNCTION.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine {
    /// Its name.
    pub name: ObjectName,
    /// FUNCTION.
    pub is_function: bool,
    /// OR REPLACE.
    pub replaces: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// RETURNING: types and names of the values that it returns.
    pub returns: Vec<(TypeName, Option<Name>)>,
    /// SPECIFIC name.
    pub specific: Option<Name>,
    /// Its body.
    pub body: Block,
    /// DOCUMENT.
    pub document: Vec<String>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub data_type: TypeName,
    /// DEFAULT.
    pub default: Option<Expr>,
    /// IN, OUT or INOUT.
    pub mode: ParameterMode,
}

impl Parameter {
    /// True if the parameter gives a value back.
    pub fn is_output(&self) -> bool {
        self.mode != ParameterMode::In
    }
}

/// The direction of a parameter's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum ParameterMode {
    #[default]
    In,
    Out,
    InOut,
}

/// A type as a routine declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeName {
    /// A type.
    Known(Type),
    /// LIKE table.column.
    Like(ObjectName, Name),
}

/// Variables, handlers and statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// DEFINE.
    pub definitions: Vec<Definition>,
    /// ON EXCEPTION.
    pub handlers: Vec<Handler>,
    /// The statements.
    pub statements: Vec<Spl>,
}

/// DEFINE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The names.
    pub names: Vec<Name>,
    /// Their type.
    pub data_type: TypeName,
    /// GLOBAL, with its DEFAULT.
    pub global: Option<Expr>,
}

/// ON EXCEPTION.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// IN: the SQL codes that it handles; none for all.
    pub codes: Vec<i32>,
    /// SET: variables for the SQL code, the ISAM code and the text.
    pub variables: Vec<Name>,
    /// Its statements.
    pub body: Block,
    /// WITH RESUME.
    pub resumes: bool,
    /// Where it stands.
    pub span: Span,
}

/// A statement of a body and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spl {
    /// The statement.
    pub kind: SplKind,
    /// Where it stands.
    pub span: Span,
}

/// A statement of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SplKind {
    /// BEGIN .. END.
    Block(Block),
    /// LET.
    Let(Vec<Target>, Vec<Expr>),
    /// IF, ELIF, ELSE.
    If(Vec<(Expr, Block)>, Option<Block>),
    /// CASE.
    Case(Expr, Vec<(Expr, Block)>, Option<Block>),
    /// FOR, WHILE, LOOP, FOREACH, with the label before it.
    Loop(Option<Name>, Box<Loop>),
    /// EXIT and CONTINUE.
    Leave(Leave),
    /// GOTO.
    Goto(Name),
    /// `<<label>>` before a statement that is no loop.
    Label(Name),
    /// RETURN; true for WITH RESUME.
    Return(Vec<Expr>, bool),
    /// RAISE EXCEPTION: SQL code, ISAM code, text.
    Raise(Vec<Expr>),
    /// CALL and EXECUTE: the variables of RETURNING or INTO.
    Call(Invocation, Vec<Name>),
    /// SELECT .. INTO variables.
    Select(Box<Query>, Vec<Name>),
    /// Dynamic SQL.
    Dynamic(Dynamic),
    /// SYSTEM.
    System(Expr),
    /// TRACE and SET DEBUG FILE, which have no effect.
    Trace,
    /// Another statement of SQL.
    Sql(Box<Statement>),
}

/// The target of LET.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The variable.
    pub name: Name,
    /// The first and last character of `v[1,3]`.
    pub characters: Option<(u32, u32)>,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loop {
    /// FOR variable over ranges and values.
    For(Name, Vec<Range>, Block),
    /// WHILE.
    While(Expr, Block),
    /// LOOP.
    Endless(Block),
    /// FOREACH.
    Foreach(Foreach),
}

/// A range of FOR; a value alone has no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first value.
    pub first: Expr,
    /// TO.
    pub last: Option<Expr>,
    /// STEP.
    pub step: Option<Expr>,
}

/// FOREACH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreach {
    /// The name of its cursor, for WHERE CURRENT OF.
    pub cursor: Option<Name>,
    /// The source of its rows.
    pub source: RowSource,
    /// The variables.
    pub variables: Vec<Name>,
    /// The body.
    pub body: Block,
}

/// A source of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowSource {
    /// A query.
    Query(Box<Query>),
    /// A routine.
    Call(Invocation),
}

/// The kinds of loops that EXIT and CONTINUE name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum LoopKind {
    For,
    While,
    Loop,
    Foreach,
}

/// EXIT or CONTINUE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leave {
    /// CONTINUE.
    pub continues: bool,
    /// The kind of loop that is named.
    pub kind: Option<LoopKind>,
    /// The label that is named.
    pub label: Option<Name>,
    /// WHEN.
    pub condition: Option<Expr>,
}

/// A call of a routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The routine.
    pub name: ObjectName,
    /// The arguments, with the names of those that have one.
    pub arguments: Vec<(Option<Name>, Expr)>,
}

/// Dynamic SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dynamic {
    /// EXECUTE IMMEDIATE.
    Immediate(Expr),
    /// PREPARE statement FROM text.
    Prepare(Name, Expr),
    /// DECLARE cursor CURSOR FOR statement.
    Declare(Name, Name),
    /// OPEN cursor USING variables.
    Open(Name, Vec<Expr>),
    /// FETCH cursor INTO variables.
    Fetch(Name, Vec<Name>),
    /// CLOSE cursor.
    Close(Name),
    /// FREE cursor or statement.
    Free(Name),
}

/// CREATE TRIGGER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// Its name.
    pub name: ObjectName,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// OR REPLACE.
    pub replaces: bool,
    /// INSERT, UPDATE, DELETE, in capitals.
    pub event: String,
    /// UPDATE OF; none for all columns.
    pub columns: Vec<Name>,
    /// The table.
    pub table: ObjectName,
    /// REFERENCING OLD AS.
    pub old: Option<Name>,
    /// REFERENCING NEW AS.
    pub new: Option<Name>,
    /// BEFORE.
    pub before: Vec<Triggered>,
    /// FOR EACH ROW.
    pub each_row: Vec<Triggered>,
    /// AFTER.
    pub after: Vec<Triggered>,
    /// DISABLED.
    pub is_disabled: bool,
}

/// `WHEN (condition) (actions)` of a trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triggered {
    /// WHEN.
    pub condition: Option<Expr>,
    /// The actions: INSERT, UPDATE, DELETE, and calls with the columns of INTO.
    pub actions: Vec<Spl>,
}
