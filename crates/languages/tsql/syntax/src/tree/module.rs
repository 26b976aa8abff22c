//! Procedures, functions, triggers and views.

use super::{DataType, Expr, Name, ObjectName, Phrase, Query, Statement, TableElement};

/// CREATE, ALTER, or CREATE OR ALTER.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum DefineKind {
    Create,
    Alter,
    CreateOrAlter,
}

/// A parameter of a procedure or function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name with the `@`.
    pub name: Name,
    /// Its type.
    pub data_type: DataType,
    /// NULL (true) or NOT NULL.
    pub nullable: Option<bool>,
    /// VARYING, of a cursor.
    pub varying: bool,
    /// The value if the caller leaves it out.
    pub default: Option<Expr>,
    /// OUTPUT.
    pub output: bool,
    /// READONLY.
    pub readonly: bool,
}

/// The body of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Statements.
    Statements(Vec<Statement>),
    /// EXTERNAL NAME assembly.class.method.
    External(ObjectName),
}

/// CREATE PROCEDURE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// CREATE, ALTER or CREATE OR ALTER.
    pub define: DefineKind,
    /// Its name.
    pub name: ObjectName,
    /// `;2`: its number in a group.
    pub number: Option<String>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// WITH RECOMPILE, ENCRYPTION, EXECUTE AS.
    pub options: Vec<Phrase>,
    /// FOR REPLICATION.
    pub for_replication: bool,
    /// AS.
    pub body: Body,
}

/// CREATE FUNCTION.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// CREATE, ALTER or CREATE OR ALTER.
    pub define: DefineKind,
    /// Its name.
    pub name: ObjectName,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its result and its body.
    pub returns: FunctionKind,
    /// WITH.
    pub options: Vec<Phrase>,
}

/// The kind of a function's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// One value.
    Scalar(DataType, Body),
    /// The rows of one query.
    Inline(Box<Query>),
    /// The rows that it put into its variable.
    MultiStatement(Name, Vec<TableElement>, Vec<Statement>),
    /// The rows of an assembly.
    ExternalTable(Vec<TableElement>, ObjectName),
}

/// CREATE TRIGGER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// CREATE, ALTER or CREATE OR ALTER.
    pub define: DefineKind,
    /// Its name.
    pub name: ObjectName,
    /// On what.
    pub target: TriggerTarget,
    /// WITH.
    pub options: Vec<Phrase>,
    /// AFTER (and FOR), or INSTEAD OF.
    pub instead: bool,
    /// INSERT, UPDATE, DELETE, or events of definitions, in capitals.
    pub events: Vec<String>,
    /// The old WITH APPEND.
    pub append: bool,
    /// NOT FOR REPLICATION.
    pub not_for_replication: bool,
    /// AS.
    pub body: Body,
}

/// The object that a trigger watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TriggerTarget {
    /// A table or view.
    Table(ObjectName),
    /// DATABASE.
    Database,
    /// ALL SERVER.
    Server,
}

/// CREATE VIEW.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// CREATE, ALTER or CREATE OR ALTER.
    pub define: DefineKind,
    /// Its name.
    pub name: ObjectName,
    /// Its columns' names.
    pub columns: Vec<Name>,
    /// WITH SCHEMABINDING, ENCRYPTION, VIEW_METADATA.
    pub options: Vec<Phrase>,
    /// AS.
    pub query: Query,
    /// WITH CHECK OPTION.
    pub check_option: bool,
}
