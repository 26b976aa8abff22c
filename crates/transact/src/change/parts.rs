//! What a change says of itself.

use mainstay_tds::Command;
use mainstay_tsql::tree::{Change, ObjectName, Output, Target};

/// What triggers call this.
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

/// What it gives back of its rows.
pub(crate) fn outputs_of(change: &Change) -> &[Output] {
    match change {
        Change::Insert(insert) => &insert.outputs,
        Change::Update(update) => &update.outputs,
        Change::Delete(delete) => &delete.outputs,
        Change::Merge(merge) => &merge.outputs,
    }
}

/// The command that the client is told of.
pub(super) fn command_of(change: &Change) -> Command {
    match change {
        Change::Insert(_) => Command::INSERT,
        Change::Update(_) => Command::UPDATE,
        Change::Delete(_) => Command::DELETE,
        Change::Merge(_) => Command::MERGE,
    }
}
