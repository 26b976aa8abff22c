//! Statements of Advantage SQL. Expressions and queries are those of T-SQL's tree, with these conventions:
//!
//! | here | there |
//! |---|---|
//! | `TOP 5 START AT 11` | `Select::top`, and `Query::offset` with the 11 |
//! | `?`, `:name`, `::stmt.UpdateCount`, `@x` | `Expr::Variable` with the name `?1`, `:name`, `::stmt.updatecount`, `@x` |
//! | `x` and `cursor.column` of a script | `Expr::Column`, like any column |
//! | TRUE, FALSE | `Expr::Niladic` |
//! | `a << b` | a call of `shift_left` |
//! | `EXTRACT(DAY FROM x)`, `POSITION(a IN b)`, `CHAR_LENGTH(a USING OCTETS)` | calls with these arguments, in order |
//! | `EXECUTE PROCEDURE p(1)` in FROM | `Source::Function` |
//! | `{static}` | `SELECT ALL`, whose cursor is static |

pub use mainstay_syntax::Span;
pub use mainstay_syntax::tree::{
    Alias, Argument, BinaryOperator, Call, Case, Cast, CastKind, DataType, Expr, GroupBy, Grouping, Join, JoinKind,
    Literal, Name, ObjectName, OrderItem, Quantifier, Query, QueryBody, Select, SelectItem, SetOperator, SetQuantifier,
    Source, TableSource, Test, Top, TypeArgument, UnaryOperator, With,
};

/// A statement and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The statement itself.
    pub kind: StatementKind,
    /// Where.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// DECLARE.
    Declare(Vec<Declaration>),
    /// OPEN a cursor, AS another query.
    Open(Name, Option<CursorSource>),
    /// FETCH the next row.
    Fetch(Name),
    /// CLOSE a cursor.
    Close(Name),
    /// `x = value`.
    Assign(Name, Expr),
    /// SET of a system variable: `::conn.collation`.
    SetSystem(Name, Expr),
    /// IF and ELSEIF, each with its statements, and ELSE.
    If(Vec<(Condition, Vec<Statement>)>, Option<Vec<Statement>>),
    /// WHILE.
    While(Condition, Vec<Statement>),
    /// LEAVE the loop.
    Leave,
    /// CONTINUE with the next turn.
    Continue,
    /// TRY.
    Try(Box<Try>),
    /// RAISE: class, number, text; or the error that is being handled once more.
    Raise(Option<Box<(Name, Expr, Expr)>>),
    /// RETURN.
    Return(Option<Expr>),
    /// EXECUTE IMMEDIATE a text.
    ExecuteImmediate(Expr),
    /// EXECUTE PROCEDURE.
    ExecuteProcedure(ObjectName, Vec<Expr>),
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
    /// DROP TABLE; whether only the dictionary is to forget it (FROM DATABASE NO_DELETE).
    DropTable(ObjectName, bool),
    /// CREATE INDEX.
    CreateIndex(Box<CreateIndex>),
    /// DROP INDEX `table.index`.
    DropIndex(ObjectName),
    /// CREATE VIEW.
    CreateView(ObjectName, Box<Query>),
    /// CREATE and ALTER PROCEDURE, FUNCTION, TRIGGER.
    CreateModule(Box<Module>),
    /// CREATE PACKAGE.
    CreatePackage(Name),
    /// DROP VIEW, PROCEDURE, FUNCTION, TRIGGER, PACKAGE: its kind in capitals.
    Drop(String, ObjectName),
    /// BEGIN TRANSACTION.
    Begin,
    /// COMMIT WORK.
    Commit,
    /// ROLLBACK WORK, TO a savepoint.
    Rollback(Option<Name>),
    /// SAVEPOINT.
    Savepoint(Name),
    /// A statement that is parsed and not run (GRANT, CREATE DATABASE), by its first words.
    Other(String),
}

/// The subject of a DECLARE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// A variable.
    Variable(Name, DataType),
    /// A cursor.
    Cursor(Name, Option<CursorSource>),
}

/// The source of a cursor's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CursorSource {
    /// A query.
    Query(Box<Query>),
    /// The rows that a procedure gives.
    Procedure(ObjectName, Vec<Expr>),
}

/// The condition of IF and WHILE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A value of logic.
    Value(Expr),
    /// True if FETCH finds a row; true for NOT.
    Fetch(Name, bool),
}

/// TRY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Try {
    /// The body of TRY.
    pub body: Vec<Statement>,
    /// CATCH of a class, or of ALL.
    pub catches: Vec<(Option<Name>, Vec<Statement>)>,
    /// FINALLY.
    pub finally: Option<Vec<Statement>>,
}

/// The deletion mark of the written records: set or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// WITH DELETE.
    Delete,
    /// WITH RECALL.
    Recall,
}

/// INSERT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insert {
    /// Into which table.
    pub target: ObjectName,
    /// WITH DELETE.
    pub mark: Option<Mark>,
    /// The columns that get values.
    pub columns: Vec<Name>,
    /// The rows.
    pub rows: InsertRows,
}

/// The rows of an INSERT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertRows {
    /// VALUES.
    Values(Vec<Vec<Expr>>),
    /// DEFAULT VALUES.
    Default,
    /// Those of a query.
    Query(Box<Query>),
}

/// UPDATE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The table, or an alias of FROM.
    pub target: ObjectName,
    /// WITH DELETE or RECALL.
    pub mark: Option<Mark>,
    /// SET.
    pub items: Vec<(ObjectName, Expr)>,
    /// FROM.
    pub from: Vec<Source>,
    /// WHERE.
    pub condition: Option<Expr>,
}

/// DELETE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delete {
    /// From which table, or an alias of FROM.
    pub target: ObjectName,
    /// The second FROM.
    pub from: Vec<Source>,
    /// WHERE.
    pub condition: Option<Expr>,
}

/// MERGE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// Into which table.
    pub target: TableSource,
    /// USING; without it the table's own rows decide.
    pub using: Option<Source>,
    /// ON.
    pub condition: Expr,
    /// WHEN MATCHED THEN UPDATE SET.
    pub update: Option<Vec<(ObjectName, Expr)>>,
    /// WHEN NOT MATCHED THEN INSERT: columns and rows.
    pub insert: Option<(Vec<Name>, InsertRows)>,
}

/// CREATE TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateTable {
    /// Its name; one that starts with `#` is temporary.
    pub name: ObjectName,
    /// Its columns.
    pub columns: Vec<Column>,
    /// PRIMARY KEY of the table: name of the index, columns.
    pub primary_key: Option<(Option<Name>, Vec<Name>)>,
    /// AS FREE TABLE: it is no table of the dictionary.
    pub is_free: bool,
}

/// A column of CREATE TABLE or ALTER TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub data_type: DataType,
    /// NOT NULL.
    pub not_null: bool,
    /// PRIMARY KEY.
    pub primary_key: bool,
    /// DEFAULT: the text of an expression.
    pub default: Option<String>,
    /// MINIMUM and MAXIMUM: the texts of expressions.
    pub range: (Option<String>, Option<String>),
    /// ERROR MESSAGE.
    pub error_message: Option<String>,
}

/// An action of ALTER TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableAction {
    /// ADD COLUMN.
    Add(Column),
    /// ALTER COLUMN name to what it is then.
    Alter(Name, Column),
    /// DROP COLUMN.
    Drop(Name),
}

/// CREATE INDEX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateIndex {
    /// Its name.
    pub name: Name,
    /// Of which table.
    pub table: ObjectName,
    /// UNIQUE.
    pub unique: bool,
    /// The columns; true for DESC.
    pub columns: Vec<(Name, bool)>,
    /// CONTENT: an index of words.
    pub content: Option<Box<Content>>,
}

/// The options of an index of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The splitting of a text into words.
    pub options: mainstay_full_text::Options,
    /// KEEPSCORE.
    pub keeps_score: bool,
}

/// CREATE PROCEDURE, FUNCTION or TRIGGER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its name; a function's may have a package.
    pub name: ObjectName,
    /// ALTER: it replaces another.
    pub alter: bool,
    /// The kind of the module.
    pub kind: ModuleKind,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The script between BEGIN and END.
    pub body: Vec<Statement>,
    /// The place of the body.
    pub body_span: Span,
}

/// The kind of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModuleKind {
    /// A procedure; true if its output is a cursor of any columns (CURSOR VARYING OUTPUT).
    Procedure(bool),
    /// A function and what it returns.
    Function(DataType),
    /// A trigger.
    Trigger(Trigger),
}

/// The time at which a trigger fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// On which table.
    pub table: ObjectName,
    /// BEFORE, INSTEAD OF, AFTER, CONFLICT.
    pub time: String,
    /// INSERT, UPDATE, DELETE.
    pub event: String,
    /// PRIORITY; 1 fires first.
    pub priority: u32,
}

/// A parameter of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub data_type: DataType,
    /// OUTPUT.
    pub output: bool,
}
