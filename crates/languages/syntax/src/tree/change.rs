//! Changes of rows.

use super::{AssignOperator, Execute, Expr, Name, ObjectName, Phrase, Query, SelectItem, Source, Top, With};

/// INSERT, UPDATE, DELETE or MERGE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// INSERT.
    Insert(Box<Insert>),
    /// UPDATE.
    Update(Box<Update>),
    /// DELETE.
    Delete(Box<Delete>),
    /// MERGE.
    Merge(Box<Merge>),
}

/// The target of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A table, view, alias or table variable (its name starts with `@`), and hints.
    Table(ObjectName, Vec<Phrase>),
    /// OPENQUERY, OPENROWSET or OPENDATASOURCE.
    Remote(Source),
}

/// OUTPUT: what the statement gives of the rows it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The returned columns.
    pub items: Vec<SelectItem>,
    /// INTO a table or table variable, and its columns; without it they go to the client.
    pub into: Option<(ObjectName, Vec<Name>)>,
}

/// INSERT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insert {
    /// WITH.
    pub with: With,
    /// TOP.
    pub top: Option<Top>,
    /// Into what.
    pub target: Target,
    /// The listed columns.
    pub columns: Vec<Name>,
    /// OUTPUT; there may be two, INTO first.
    pub outputs: Vec<Output>,
    /// The rows.
    pub rows: InsertRows,
    /// OPTION.
    pub hints: Vec<Phrase>,
}

/// The rows that are inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InsertRows {
    /// VALUES.
    Values(Vec<Vec<Expr>>),
    /// DEFAULT VALUES.
    Default,
    /// Those of a query.
    Query(Box<Query>),
    /// Those that a procedure gives.
    Execute(Box<Execute>),
}

/// An item of UPDATE's SET.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetItem {
    /// `column = value`.
    Column(ObjectName, AssignOperator, Expr),
    /// `@x = value`.
    Variable(Name, AssignOperator, Expr),
    /// `@x = column = value`.
    Both(Name, ObjectName, AssignOperator, Expr),
    /// `column.WRITE(value, offset, length)`, and methods of user types.
    Method(ObjectName, Name, Vec<Expr>),
}

/// UPDATE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// WITH.
    pub with: With,
    /// TOP.
    pub top: Option<Top>,
    /// The target.
    pub target: Target,
    /// SET.
    pub items: Vec<SetItem>,
    /// OUTPUT.
    pub outputs: Vec<Output>,
    /// FROM.
    pub from: Vec<Source>,
    /// WHERE.
    pub condition: Option<Expr>,
    /// OPTION.
    pub hints: Vec<Phrase>,
}

/// DELETE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delete {
    /// WITH.
    pub with: With,
    /// TOP.
    pub top: Option<Top>,
    /// The target.
    pub target: Target,
    /// OUTPUT.
    pub outputs: Vec<Output>,
    /// The second FROM.
    pub from: Vec<Source>,
    /// WHERE.
    pub condition: Option<Expr>,
    /// OPTION.
    pub hints: Vec<Phrase>,
}

/// MERGE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// WITH.
    pub with: With,
    /// TOP.
    pub top: Option<Top>,
    /// The target.
    pub target: Target,
    /// The name it goes by.
    pub alias: Option<Name>,
    /// USING.
    pub source: Source,
    /// ON.
    pub condition: Expr,
    /// WHEN.
    pub branches: Vec<MergeBranch>,
    /// OUTPUT.
    pub outputs: Vec<Output>,
    /// OPTION.
    pub hints: Vec<Phrase>,
}

/// When a branch of MERGE is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeCase {
    /// MATCHED
    Matched,
    /// NOT MATCHED BY TARGET
    NotMatchedByTarget,
    /// NOT MATCHED BY SOURCE
    NotMatchedBySource,
}

/// A branch of MERGE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeBranch {
    /// When.
    pub case: MergeCase,
    /// AND.
    pub condition: Option<Expr>,
    /// THEN.
    pub action: MergeAction,
}

/// The action of a branch of MERGE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeAction {
    /// UPDATE SET.
    Update(Vec<SetItem>),
    /// DELETE.
    Delete,
    /// INSERT columns VALUES row; without a row DEFAULT VALUES.
    Insert(Vec<Name>, Option<Vec<Expr>>),
}
