//! The statement, with control of flow, variables, cursors, transactions and EXEC.

use super::*;
use mainstay_syntax::Span;

/// A statement and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The kind of statement.
    pub kind: StatementKind,
    /// From its first token to its last, without the semicolon.
    pub span: Span,
    /// Its line, from 1.
    pub line: Line,
}

/// A line of the text, from 1. Lines compare equal always, as [`Span`]s do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line(pub u32);

impl PartialEq for Line {
    fn eq(&self, _: &Line) -> bool {
        true
    }
}

impl Eq for Line {}

/// The kind of a statement, with its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// A query.
    Select(Box<Query>),
    /// INSERT, UPDATE, DELETE, MERGE.
    Change(Change),
    /// DECLARE of variables.
    Declare(Vec<Declaration>),
    /// SET of a variable.
    SetVariable(Box<SetVariable>),
    /// SET of an option: the words and the value. `SET ANSI_NULLS, QUOTED_IDENTIFIER ON` is one statement.
    SetOption(Vec<Phrase>),
    /// SET TRANSACTION ISOLATION LEVEL.
    SetIsolation(Isolation),
    /// IF, with ELSE.
    If(Box<(Expr, Statement, Option<Statement>)>),
    /// WHILE.
    While(Box<(Expr, Statement)>),
    /// BREAK.
    Break,
    /// CONTINUE.
    Continue,
    /// GOTO a label.
    Goto(Name),
    /// A label.
    Label(Name),
    /// RETURN, with a value.
    Return(Option<Expr>),
    /// BEGIN .. END.
    Block(Vec<Statement>),
    /// BEGIN ATOMIC WITH (..) .. END.
    AtomicBlock(Vec<Phrase>, Vec<Statement>),
    /// BEGIN TRY .. END TRY BEGIN CATCH .. END CATCH.
    Try(Vec<Statement>, Vec<Statement>),
    /// THROW, with number, message and state.
    Throw(Option<Box<(Expr, Expr, Expr)>>),
    /// RAISERROR, and the words of its WITH.
    Raiserror(Vec<Expr>, Vec<Phrase>),
    /// The old `RAISERROR 50001 'text'`.
    OldRaiserror(Box<(Expr, Expr)>),
    /// PRINT.
    Print(Expr),
    /// WAITFOR.
    WaitFor(WaitFor),
    /// READTEXT, WRITETEXT, UPDATETEXT.
    LargeValue(Box<LargeValue>),
    /// EXEC.
    Execute(Box<Execute>),
    /// EXECUTE AS, its words.
    ExecuteAs(Phrase),
    /// REVERT.
    Revert(Option<Expr>),
    /// DECLARE of a cursor.
    DeclareCursor(Name, Box<Cursor>),
    /// OPEN.
    Open(CursorName),
    /// FETCH.
    Fetch(Box<Fetch>),
    /// CLOSE.
    Close(CursorName),
    /// DEALLOCATE.
    Deallocate(CursorName),
    /// BEGIN TRANSACTION, COMMIT, ROLLBACK, SAVE.
    Transaction(Transaction),
    /// USE.
    Use(Name),
    /// KILL.
    Kill(Phrase),
    /// CHECKPOINT.
    Checkpoint(Option<Expr>),
    /// DBCC: the command, its arguments, the words of its WITH.
    Dbcc(Name, Option<Vec<Phrase>>, Vec<Phrase>),
    /// TRUNCATE TABLE, WITH PARTITIONS.
    Truncate(ObjectName, Vec<Phrase>),
    /// CREATE PROCEDURE.
    Procedure(Box<Procedure>),
    /// CREATE FUNCTION.
    Function(Box<Function>),
    /// CREATE TRIGGER.
    Trigger(Box<Trigger>),
    /// CREATE VIEW.
    View(Box<View>),
    /// CREATE TABLE.
    CreateTable(Box<CreateTable>),
    /// ALTER TABLE.
    AlterTable(Box<AlterTable>),
    /// CREATE INDEX.
    CreateIndex(Box<CreateIndex>),
    /// ALTER INDEX.
    AlterIndex(Box<AlterIndex>),
    /// CREATE SEQUENCE.
    Sequence(Box<Sequence>),
    /// CREATE SYNONYM name FOR object.
    CreateSynonym(ObjectName, ObjectName),
    /// CREATE SCHEMA.
    CreateSchema(Box<CreateSchema>),
    /// CREATE TYPE.
    CreateType(Box<CreateType>),
    /// CREATE STATISTICS, UPDATE STATISTICS.
    Statistics(Box<Statistics>),
    /// DROP.
    Drop(Box<Drop>),
    /// GRANT, DENY, REVOKE.
    Permission(Box<Permission>),
    /// ENABLE (true) or DISABLE TRIGGER; no names for ALL.
    EnableTrigger(bool, Vec<ObjectName>, TriggerTarget),
    /// BULK INSERT: the table, the file, WITH.
    BulkInsert(ObjectName, String, Vec<Phrase>),
    /// A statement that is words and values.
    Words(Box<Words>),
}

/// A variable of DECLARE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// A value, a cursor or a table type, with its first value.
    Scalar(Name, DataType, Option<Expr>),
    /// A table.
    Table(Name, Vec<TableElement>),
}

/// SET of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetVariable {
    /// To a value.
    Value(Name, AssignOperator, Expr),
    /// To a cursor.
    Cursor(Name, Box<Cursor>),
    /// A method of its user type: `SET @x.modify('..')`, with arguments.
    Method(Name, Name, Vec<Expr>),
    /// A property of its user type: `SET @p.X = 1`.
    Property(Name, Name, Expr),
}

/// An isolation level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum Isolation {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Snapshot,
    Serializable,
}

/// WAITFOR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitFor {
    /// DELAY.
    Delay(Expr),
    /// TIME.
    Time(Expr),
}

/// A cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// INSENSITIVE and SCROLL before CURSOR (ISO), LOCAL, STATIC and so on after it, in capitals.
    pub options: Vec<String>,
    /// True if the options stand before CURSOR.
    pub iso: bool,
    /// FOR.
    pub query: Query,
    /// FOR READ ONLY, FOR UPDATE.
    pub update: Option<CursorUpdate>,
}

/// True if rows are changed through a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CursorUpdate {
    /// FOR READ ONLY.
    ReadOnly,
    /// FOR UPDATE OF these columns; none for all.
    Update(Vec<ObjectName>),
}

/// FETCH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// NEXT, PRIOR, FIRST, LAST.
    pub direction: Direction,
    /// FROM.
    pub cursor: CursorName,
    /// INTO.
    pub into: Vec<Name>,
}

/// The row that FETCH reads.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum Direction {
    Next,
    Prior,
    First,
    Last,
    Absolute(Expr),
    Relative(Expr),
}

/// A statement about transactions. The name is a word or a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transaction {
    /// BEGIN: whether DISTRIBUTED, the name, WITH MARK and its description.
    Begin(bool, Option<Name>, Option<Option<Expr>>),
    /// COMMIT: the name, DELAYED_DURABILITY.
    Commit(Option<Name>, Option<bool>),
    /// ROLLBACK to the name.
    Rollback(Option<Name>),
    /// SAVE.
    Save(Name),
}

/// A part of a TEXT, NTEXT or IMAGE that is read or written by its pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargeValue {
    /// The column, behind its table.
    pub column: ObjectName,
    /// The pointer that `TEXTPTR` gave.
    pub pointer: Expr,
    /// The operation.
    pub work: LargeValueWork,
}

/// The operation of READTEXT, WRITETEXT or UPDATETEXT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LargeValueWork {
    /// READTEXT: from where on, and how much; true for HOLDLOCK.
    Read(Expr, Expr, bool),
    /// WRITETEXT of a value.
    Write(LoggedAs, Expr),
    /// UPDATETEXT: where something is put in, how much goes away there, and what comes.
    Update(LoggedAs, Expr, Expr, Option<LargeValueData>),
}

/// BULK and WITH LOG, which say how a change is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoggedAs {
    /// BULK.
    pub bulk: bool,
    /// WITH LOG.
    pub with_log: bool,
}

/// The data that UPDATETEXT inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LargeValueData {
    /// A value.
    Value(Expr),
    /// The value of another column, with its pointer.
    Column(ObjectName, Expr),
}
