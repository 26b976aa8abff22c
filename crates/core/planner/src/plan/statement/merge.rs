//! MERGE: source rows, each with the matching target row or without one, and the action for it.

use super::change::{assignments, sets, target, value_or_default};
use super::define::is_word;
use super::{Assignment, Name, Returning, unsupported};
use crate::parse::postgres::NOTHING;
use crate::parse::text::Text;
use datafusion::sql::sqlparser::ast::{
    self, Expr, MergeClauseKind, MergeInsertKind, OutputClause, TableFactor, TableWithJoins, With,
};
use mainstay_types::{Code, Error, Result};

/// MERGE.
#[derive(Clone, Debug)]
pub struct Merge {
    /// The table that is changed.
    pub table: Name,
    /// The name it has in the statement.
    pub alias: Option<Name>,
    /// WITH before it.
    pub(crate) with: Option<With>,
    /// The source.
    pub(crate) source: TableFactor,
    /// When two rows meet.
    pub(crate) on: Expr,
    /// For which of the rows that meet something is done.
    pub(crate) limit: Option<MergeLimit>,
    /// The branches: the first whose case and condition hold is taken.
    pub branches: Vec<MergeBranch>,
    /// The RETURNING clause.
    pub returning: Option<Returning>,
}

/// For which rows of those that a branch is taken for.
#[derive(Clone, Debug)]
pub(crate) enum MergeLimit {
    /// At most so many.
    Rows(Expr),
    /// Those for which a condition on window functions holds.
    Qualify(Expr),
}

/// WHEN ... THEN ...
#[derive(Clone, Debug)]
pub struct MergeBranch {
    /// When.
    pub case: MergeCase,
    /// AND.
    pub(crate) condition: Option<Expr>,
    /// THEN.
    pub action: MergeAction,
}

/// Which rows a branch is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeCase {
    /// A row of the target and one of the source.
    Matched,
    /// A row of the source that meets none of the target.
    NotMatchedByTarget,
    /// A row of the target that meets none of the source.
    NotMatchedBySource,
}

/// The action of a branch.
#[derive(Clone, Debug)]
pub enum MergeAction {
    /// Changes the row of the target.
    Update(Vec<Assignment>),
    /// Takes it away.
    Delete,
    /// Does nothing; no later branch does anything about the row, either.
    Nothing,
    /// Puts a row into the target: columns, all of them when none are named, and values, `None` for DEFAULT.
    Insert(Vec<Name>, Vec<Option<Expr>>),
}

impl MergeAction {
    /// The values that the statement's query gives for it, in order.
    pub fn values(&self) -> Vec<&Expr> {
        match self {
            MergeAction::Update(assignments) => assignments.iter().filter_map(|it| it.value.as_ref()).collect(),
            MergeAction::Delete | MergeAction::Nothing => Vec::new(),
            MergeAction::Insert(_, values) => values.iter().flatten().collect(),
        }
    }
}

/// The function that marks a condition with the count of the rows that are changed.
const FIRST: &str = "merge:first";
/// The function that marks a QUALIFY condition of these rows.
const QUALIFY: &str = "merge:qualify";

pub(super) fn merge(merge: ast::Merge, text: &Text) -> Result<Merge> {
    let (table, alias) = target(&TableWithJoins { relation: merge.table, joins: Vec::new() }, text)?;
    let branches: Result<Vec<MergeBranch>> = merge.clauses.into_iter().map(|clause| branch(clause, text)).collect();
    let branches = branches?;
    if branches.is_empty() {
        return Err(Error::new(Code::Syntax, "a MERGE without WHEN does nothing"));
    }
    let returning = match merge.output {
        None => None,
        Some(OutputClause::Returning { select_items, .. }) => Some(Returning { items: select_items }),
        Some(OutputClause::Output { .. }) => return Err(unsupported("OUTPUT of a MERGE").hint("write RETURNING")),
    };
    let (limit, on) = limited(*merge.on);
    Ok(Merge { table, alias, with: None, source: merge.source, on, limit, branches, returning })
}

/// The condition of a MERGE, taken out of `"merge:first"(count, condition)` or `"merge:qualify"(window condition, condition)`:
/// how a dialect says for how many rows.
fn limited(on: Expr) -> (Option<MergeLimit>, Expr) {
    let Expr::Function(call) = &on else { return (None, on) };
    let ast::FunctionArguments::List(list) = &call.args else { return (None, on) };
    let limit: fn(Expr) -> MergeLimit = match call.name.0.as_slice() {
        [name] if name.as_ident().is_some_and(|name| name.value == FIRST) => MergeLimit::Rows,
        [name] if name.as_ident().is_some_and(|name| name.value == QUALIFY) => MergeLimit::Qualify,
        _ => return (None, on),
    };
    match list.args.as_slice() {
        [
            ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(count)),
            ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(condition)),
        ] => (Some(limit(count.clone())), condition.clone()),
        _ => (None, on),
    }
}

fn branch(clause: ast::MergeClause, text: &Text) -> Result<MergeBranch> {
    let case = match clause.clause_kind {
        MergeClauseKind::Matched => MergeCase::Matched,
        MergeClauseKind::NotMatched | MergeClauseKind::NotMatchedByTarget => MergeCase::NotMatchedByTarget,
        MergeClauseKind::NotMatchedBySource => MergeCase::NotMatchedBySource,
    };
    let action = match clause.action {
        // `grammar` rewrites DO NOTHING so.
        ast::MergeAction::Update(update) if matches!(update.assignments.as_slice(), [only] if sets(only, NOTHING)) => {
            MergeAction::Nothing
        }
        ast::MergeAction::Insert(insert) if matches!(insert.columns.as_slice(), [only] if is_word(only, NOTHING)) => {
            MergeAction::Nothing
        }
        ast::MergeAction::Update(update) if update.update_predicate.is_none() && update.delete_predicate.is_none() => {
            MergeAction::Update(assignments(update.assignments, text)?)
        }
        ast::MergeAction::Delete { .. } => MergeAction::Delete,
        ast::MergeAction::Insert(insert) if insert.insert_predicate.is_none() => {
            let columns: Result<Vec<Name>> = insert.columns.iter().map(|column| Name::of(column, text)).collect();
            let MergeInsertKind::Values(values) = insert.kind else { return Err(unsupported("INSERT ROW")) };
            let mut rows = values.rows.into_iter();
            let (Some(row), None) = (rows.next(), rows.next()) else {
                return Err(Error::new(Code::Syntax, "a branch of MERGE inserts one row"));
            };
            MergeAction::Insert(columns?, row.content.into_iter().map(value_or_default).collect())
        }
        _ => return Err(unsupported("WHERE within a branch of MERGE").hint("write AND before THEN")),
    };
    Ok(MergeBranch { case, condition: clause.predicate, action })
}
