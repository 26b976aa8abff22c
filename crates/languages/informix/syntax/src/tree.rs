//! Statements. Expressions and queries are those of the shared tree, with these conventions:
//!
//! | here | there |
//! |---|---|
//! | `SKIP 5 FIRST 10`, LIMIT 10 | `Query::offset`, `Select::top` |
//! | UNIQUE | `SetQuantifier::Distinct` |
//! | `?` | `Expr::Variable` with the name `?1` |
//! | `c[1,3]` | a call of `substring_range` |
//! | `a MATCHES 'x*' ESCAPE '!'` | a call of `matches` |
//! | `5 UNITS DAY` | a call of `units` with 5 and the text `day` |
//! | TODAY, USER | `Expr::Niladic`; CURRENT is one inside a cast to its DATETIME |
//! | `x::t`, `EXTEND(x, YEAR TO DAY)`, `DATETIME (..) YEAR TO DAY` | `Expr::Cast`; the type's name is that of [`crate::Type::declared`] |
//! | `OUTER t` in FROM | `Source::Apply` with `true` over the tables before it |
//! | `INTO TEMP t WITH NO LOG` | `Select::into` |

mod routine;

use crate::types::Type;
pub use mainstay_syntax::Span;
pub use mainstay_syntax::tree::{
    Alias, Argument, BinaryOperator, Bound, Call, Case, Cast, CastKind, CommonTable, DataType, Expr, Frame, GroupBy,
    Grouping, Join, JoinKind, Literal, Name, ObjectName, OrderItem, Over, Quantifier, Query, QueryBody, Select,
    SelectItem, SetOperator, SetQuantifier, Source, TableSource, Test, Top, UnaryOperator, Window, With,
};

pub use routine::{
    Block, Definition, Dynamic, Foreach, Handler, Invocation, Leave, Loop, LoopKind, Parameter, ParameterMode, Range,
    Routine, RowSource, Spl, SplKind, Target, Trigger, Triggered, TypeName,
};

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// SELECT.
    Query(Box<Query>),
    /// INSERT.
    Insert(Box<Insert>),
    /// UPDATE.
    Update(Box<Update>),
    /// DELETE.
    Delete(Box<Delete>),
    /// MERGE.
    Merge(Box<Merge>),
    /// CREATE TABLE.
    CreateTable(Box<CreateTable>),
    /// ALTER TABLE.
    AlterTable(ObjectName, Vec<TableAction>),
    /// DROP TABLE, VIEW, INDEX, SEQUENCE, SYNONYM: the word in capitals, the name, IF EXISTS.
    Drop(String, ObjectName, bool),
    /// CREATE INDEX.
    CreateIndex(Box<CreateIndex>),
    /// CREATE VIEW: name, columns, query.
    CreateView(ObjectName, Vec<Name>, Box<Query>),
    /// CREATE SEQUENCE, with its options as numbers by name.
    CreateSequence(ObjectName, Vec<(String, Option<String>)>),
    /// CREATE SYNONYM: name, table, IF NOT EXISTS.
    CreateSynonym(ObjectName, ObjectName, bool),
    /// TRUNCATE.
    Truncate(ObjectName),
    /// RENAME TABLE a TO b.
    RenameTable(ObjectName, Name),
    /// RENAME COLUMN t.a TO b.
    RenameColumn(ObjectName, Name),
    /// BEGIN WORK.
    Begin,
    /// COMMIT WORK.
    Commit,
    /// ROLLBACK WORK, TO SAVEPOINT.
    Rollback(Option<Name>),
    /// SAVEPOINT.
    Savepoint(Name),
    /// RELEASE SAVEPOINT.
    ReleaseSavepoint(Name),
    /// DATABASE.
    Database(Name),
    /// CREATE DATABASE; true for IF NOT EXISTS.
    CreateDatabase(Name, bool),
    /// DROP DATABASE; true for IF EXISTS.
    DropDatabase(Name, bool),
    /// SET ISOLATION, with its words in capitals: `COMMITTED READ LAST COMMITTED`.
    Isolation(String),
    /// SET LOCK MODE: seconds to wait; `None` for without end.
    LockMode(Option<u64>),
    /// SET EXPLAIN.
    Explain(Explain),
    /// GRANT or REVOKE: the word, and the table that the rights are on; none for rights on the database and roles.
    Rights(String, Option<ObjectName>),
    /// CREATE PROCEDURE and CREATE FUNCTION.
    CreateRoutine(Box<Routine>),
    /// DROP PROCEDURE, FUNCTION, ROUTINE.
    DropRoutine(Box<DropRoutine>),
    /// EXECUTE PROCEDURE, EXECUTE FUNCTION, CALL.
    Execute(Box<Invocation>),
    /// CREATE TRIGGER.
    CreateTrigger(Box<Trigger>),
    /// DROP TRIGGER: name, IF EXISTS.
    DropTrigger(ObjectName, bool),
    /// SET TRIGGERS: the triggers, the table that they are all of, true for ENABLED.
    SetTriggers(Vec<ObjectName>, Option<ObjectName>, bool),
    /// A statement that is accepted and has no effect here: its first words.
    NoEffect(String),
}

/// SET EXPLAIN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explain {
    /// OFF.
    Off,
    /// ON, perhaps with AVOID_EXECUTE.
    On {
        /// Statements are not executed.
        avoids_execution: bool,
    },
    /// FILE TO a name, perhaps WITH APPEND.
    File {
        /// The file.
        name: String,
        /// True if the file keeps its contents.
        appends: bool,
    },
}

/// DROP PROCEDURE, FUNCTION, ROUTINE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropRoutine {
    /// PROCEDURE, FUNCTION or ROUTINE.
    pub kind: String,
    /// The routine.
    pub name: ObjectName,
    /// SPECIFIC: the name is the specific one.
    pub is_specific: bool,
    /// How many parameters it has, where their types are written.
    pub parameters: Option<usize>,
    /// IF EXISTS.
    pub if_exists: bool,
}

/// INSERT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insert {
    /// Into which table.
    pub target: ObjectName,
    /// Which columns; none for all.
    pub columns: Vec<Name>,
    /// The rows.
    pub rows: InsertRows,
}

/// The rows of an INSERT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertRows {
    /// VALUES.
    Values(Vec<Expr>),
    /// Those of a query.
    Query(Box<Query>),
    /// Those that a routine returns.
    Call(Box<Invocation>),
}

/// UPDATE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// Which table.
    pub target: ObjectName,
    /// The name that it has in the condition.
    pub alias: Option<Name>,
    /// SET.
    pub items: Vec<(Name, Expr)>,
    /// WHERE.
    pub condition: Option<Expr>,
    /// WHERE CURRENT OF.
    pub cursor: Option<CurrentOf>,
}

/// DELETE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delete {
    /// From which table.
    pub target: ObjectName,
    /// The name that it has in the condition.
    pub alias: Option<Name>,
    /// WHERE.
    pub condition: Option<Expr>,
    /// WHERE CURRENT OF.
    pub cursor: Option<CurrentOf>,
}

/// The row of a cursor, which an UPDATE or DELETE changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentOf {
    /// The name of the cursor.
    pub name: Name,
    /// The number of the parameter that holds the row's number: the one behind those of the statement.
    pub parameter: usize,
}

/// MERGE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The table that is changed.
    pub target: ObjectName,
    /// The name that it has in the statement.
    pub alias: Option<Name>,
    /// The table or query that it is compared with.
    pub source: Source,
    /// ON.
    pub condition: Expr,
    /// WHEN MATCHED.
    pub matched: Option<Matched>,
    /// WHEN NOT MATCHED: columns, none for all, and their values.
    pub unmatched: Option<(Vec<Name>, Vec<Expr>)>,
}

/// The change of a row of the target that has a partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matched {
    /// UPDATE SET.
    Update(Vec<(Name, Expr)>),
    /// DELETE.
    Delete,
}

/// CREATE TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateTable {
    /// Its name.
    pub name: ObjectName,
    /// TEMP.
    pub is_temporary: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Constraints of the table.
    pub constraints: Vec<Constraint>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub data_type: Type,
    /// The first number of SERIAL(n).
    pub start: Option<u64>,
    /// NOT NULL.
    pub not_null: bool,
    /// DEFAULT.
    pub default: Option<Expr>,
    /// Constraints of the column.
    pub constraints: Vec<Constraint>,
}

/// A constraint, with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// CONSTRAINT name.
    pub name: Option<Name>,
    /// Which.
    pub kind: ConstraintKind,
}

/// A kind of constraint. Columns are empty for the column that it stands behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// PRIMARY KEY.
    PrimaryKey(Vec<Name>),
    /// UNIQUE.
    Unique(Vec<Name>),
    /// CHECK.
    Check(Expr),
    /// REFERENCES: columns, table, its columns, ON DELETE CASCADE.
    References(Vec<Name>, ObjectName, Vec<Name>, bool),
}

/// An action of ALTER TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableAction {
    /// ADD.
    Add(Column),
    /// MODIFY.
    Modify(Column),
    /// DROP.
    Drop(Name),
    /// ADD CONSTRAINT.
    AddConstraint(Constraint),
    /// DROP CONSTRAINT.
    DropConstraint(Name),
}

/// CREATE INDEX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateIndex {
    /// Its name.
    pub name: ObjectName,
    /// Of which table.
    pub table: ObjectName,
    /// UNIQUE or DISTINCT.
    pub is_unique: bool,
    /// IF NOT EXISTS.
    pub if_not_exists: bool,
    /// The columns; true for DESC.
    pub columns: Vec<(Name, bool)>,
}
