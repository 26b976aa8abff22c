//! Sequences, types, users, permissions, and statements that are words.

use super::{DataType, Expr, Name, ObjectName, Phrase, PhraseItem, Statement, TableElement};

/// The kinds of objects that have DROP, and definitions made of words.
pub const OBJECT_KINDS: [&str; 41] = [
    "PROCEDURE",
    "PROC",
    "FUNCTION",
    "TRIGGER",
    "VIEW",
    "TABLE",
    "INDEX",
    "SEQUENCE",
    "SYNONYM",
    "SCHEMA",
    "TYPE",
    "STATISTICS",
    "DATABASE",
    "LOGIN",
    "USER",
    "ROLE",
    "SERVER ROLE",
    "APPLICATION ROLE",
    "DEFAULT",
    "RULE",
    "ASSEMBLY",
    "AGGREGATE",
    "XML SCHEMA COLLECTION",
    "PARTITION FUNCTION",
    "PARTITION SCHEME",
    "FULLTEXT INDEX",
    "FULLTEXT CATALOG",
    "CERTIFICATE",
    "SYMMETRIC KEY",
    "ASYMMETRIC KEY",
    "MASTER KEY",
    "CREDENTIAL",
    "EXTERNAL DATA SOURCE",
    "SECURITY POLICY",
    "QUEUE",
    "SERVICE",
    "MESSAGE TYPE",
    "CONTRACT",
    "ENDPOINT",
    "EVENT NOTIFICATION",
    "EVENT SESSION",
];

/// DROP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drop {
    /// The kind of object, one of [`OBJECT_KINDS`].
    pub kind: &'static str,
    /// IF EXISTS.
    pub if_exists: bool,
    /// The names. An index of the old form is `table.index`.
    pub names: Vec<DropName>,
    /// ON DATABASE, ON ALL SERVER, WITH ..., as words.
    pub rest: Phrase,
}

/// An object that is dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropName {
    /// Its name.
    pub name: ObjectName,
    /// ON: an index's table.
    pub table: Option<ObjectName>,
    /// An index's WITH.
    pub options: Vec<Phrase>,
}

/// CREATE or ALTER SEQUENCE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// True if it is ALTER.
    pub alter: bool,
    /// Its name.
    pub name: ObjectName,
    /// AS.
    pub data_type: Option<DataType>,
    /// START WITH, INCREMENT BY and so on, in order.
    pub options: Vec<SequenceOption>,
}

/// An option of a sequence. Without a value it is the NO form, or (RESTART, CACHE, CYCLE) the bare word.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum SequenceOption {
    StartWith(Expr),
    RestartWith(Option<Expr>),
    IncrementBy(Expr),
    MinValue(Option<Expr>),
    MaxValue(Option<Expr>),
    Cycle(bool),
    Cache(Option<Expr>),
    NoCache,
}

/// CREATE TYPE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CreateType {
    /// FROM another type; true for NULL, false for NOT NULL.
    Alias(ObjectName, DataType, Option<bool>),
    /// AS TABLE, with options.
    Table(ObjectName, Vec<TableElement>, Vec<Phrase>),
    /// EXTERNAL NAME.
    External(ObjectName, ObjectName),
}

/// CREATE SCHEMA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateSchema {
    /// Its name.
    pub name: Option<Name>,
    /// AUTHORIZATION.
    pub owner: Option<Name>,
    /// The objects created in it.
    pub elements: Vec<Statement>,
}

/// CREATE STATISTICS and UPDATE STATISTICS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// True if they are made, not updated.
    pub create: bool,
    /// Their name, for CREATE.
    pub name: Option<Name>,
    /// The table.
    pub table: ObjectName,
    /// The columns; for UPDATE the statistics.
    pub columns: Vec<Name>,
    /// WHERE.
    pub filter: Option<Expr>,
    /// WITH.
    pub options: Vec<Phrase>,
}

/// The kind of a permission statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum PermissionKind {
    Grant,
    Deny,
    Revoke,
}

/// GRANT, DENY, REVOKE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// The kind of statement.
    pub kind: PermissionKind,
    /// REVOKE GRANT OPTION FOR.
    pub grant_option_for: bool,
    /// SELECT, EXECUTE, VIEW DEFINITION ..., each with its columns; ALL is a word too.
    pub permissions: Vec<Phrase>,
    /// ON: the class (OBJECT, SCHEMA, ...) and the object.
    pub object: Option<(Option<String>, ObjectName)>,
    /// The object's columns.
    pub columns: Vec<Name>,
    /// TO (or FROM).
    pub principals: Vec<Name>,
    /// WITH GRANT OPTION.
    pub with_grant_option: bool,
    /// CASCADE.
    pub cascade: bool,
    /// AS.
    pub grantor: Option<Name>,
}

/// A definition or an administrative statement that is words and values: CREATE DATABASE, ALTER LOGIN, BACKUP, DBCC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// The words that name the statement, in capitals: `CREATE DATABASE`.
    pub verb: String,
    /// The name of the object, if it has one.
    pub name: Option<ObjectName>,
    /// The rest. Commas are kept as symbols.
    pub rest: Vec<PhraseItem>,
}
