//! Calls of procedures, and texts that are executed.

use super::{DataType, Expr, Name, ObjectName, Phrase};

/// EXEC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execute {
    /// `@status =`.
    pub status: Option<Name>,
    /// The executed module or text.
    pub module: ExecuteModule,
    /// WITH RECOMPILE, RESULT SETS.
    pub options: Vec<ExecuteOption>,
}

/// The module or text that EXECUTE runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecuteModule {
    /// A procedure, its number in a group, its arguments.
    Procedure(ObjectName, Option<String>, Vec<ExecuteArgument>),
    /// A procedure whose name is in a variable.
    Variable(Name, Vec<ExecuteArgument>),
    /// Text: its pieces, arguments for its `?`, AS LOGIN or USER, AT a server.
    Text(Expr, Vec<ExecuteArgument>, Option<Phrase>, Option<Name>),
}

/// An argument of EXEC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecuteArgument {
    /// The parameter's name with its `@`.
    pub name: Option<Name>,
    /// The value: a constant, a variable, a bare word (a string), or [`Expr::Default`].
    pub value: Expr,
    /// OUTPUT.
    pub output: bool,
}

/// An option of EXEC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecuteOption {
    /// RECOMPILE.
    Recompile,
    /// RESULT SETS UNDEFINED (false) or NONE (true).
    ResultSets(bool),
    /// RESULT SETS and what each has.
    Defined(Vec<ResultSet>),
}

/// A result set that EXEC is to give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultSet {
    /// These columns; true for NULL.
    Columns(Vec<(Name, DataType, Option<Name>, Option<bool>)>),
    /// AS OBJECT, AS TYPE, AS FOR XML.
    Words(Phrase),
}
