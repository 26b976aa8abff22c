//! Properties of a change: its kind, target and OUTPUT.

use mainstay_session::push::Command;
use mainstay_tsql_syntax::tree::{Change, Expr, InsertRows, Literal, ObjectName, Output, Target, Top};

/// The trigger events of this change.
pub(crate) fn events_of(change: &Change) -> &'static [&'static str] {
    match change {
        Change::Insert(_) => &["INSERT"],
        Change::Update(_) => &["UPDATE"],
        Change::Delete(_) => &["DELETE"],
        Change::Merge(_) => &["INSERT", "UPDATE", "DELETE"],
    }
}

/// The name of what is changed, as it was written.
pub(crate) fn target_of(change: &Change) -> Option<&ObjectName> {
    let target = match change {
        Change::Insert(insert) => &insert.target,
        Change::Update(update) => &update.target,
        Change::Delete(delete) => &delete.target,
        Change::Merge(merge) => &merge.target,
    };
    match target {
        Target::Table(name, _) => Some(name),
        Target::Remote(_) => None,
    }
}

/// The OUTPUT clauses of the change.
pub(crate) fn outputs_of(change: &Change) -> &[Output] {
    match change {
        Change::Insert(insert) => &insert.outputs,
        Change::Update(update) => &update.outputs,
        Change::Delete(delete) => &delete.outputs,
        Change::Merge(merge) => &merge.outputs,
    }
}

/// The command that is reported to the client.
pub(super) fn command_of(change: &Change) -> Command {
    match change {
        Change::Insert(_) => Command::Insert,
        Change::Update(_) => Command::Update,
        Change::Delete(_) => Command::Delete,
        Change::Merge(_) => Command::Merge,
    }
}

/// A change of so many rows at most, as SET ROWCOUNT has it; `None` where its own TOP is no number, and for MERGE.
pub(super) fn limited(change: &Change, most: u64) -> Option<Change> {
    let mut change = change.clone();
    let top = match &mut change {
        Change::Insert(insert) if matches!(insert.rows, InsertRows::Values(_) | InsertRows::Query(_)) => {
            &mut insert.top
        }
        Change::Update(update) => &mut update.top,
        Change::Delete(delete) => &mut delete.top,
        Change::Merge(merge) => &mut merge.top,
        _ => return None,
    };
    let most = match top {
        None => most,
        Some(Top { count: Expr::Literal(Literal::Integer(digits)), percent: false, .. }) => {
            digits.parse().map_or(most, |own: u64| own.min(most))
        }
        Some(_) => return None,
    };
    *top = Some(Top { count: Expr::Literal(Literal::Integer(most.to_string())), percent: false, with_ties: false });
    Some(change)
}

/// The statement that a change is.
pub(crate) fn word_of(change: &Change) -> &'static str {
    match change {
        Change::Insert(_) => "INSERT",
        Change::Update(_) => "UPDATE",
        Change::Delete(_) => "DELETE",
        Change::Merge(_) => "MERGE",
    }
}
