//! What the body of a function may not do: change anything but its own variables, speak to the client, begin or end
//! transactions.

use crate::tree::{
    Change, ExecuteModule, InsertRows, LargeValueWork, ObjectName, QueryBody, SelectItem, Source, StatementKind,
    Target, Transaction, With,
};

/// What is wrong with a statement in a function.
pub(crate) enum Misplaced {
    /// It does this, with the state of the message (443).
    SideEffect(&'static str, u8),
    /// It gives rows to the client (444).
    Rows,
}

/// What is wrong with a statement, of which those in it have been looked at already.
pub(crate) fn misplaced(statement: &StatementKind) -> Option<Misplaced> {
    Some(match statement {
        StatementKind::Select(query) => return gives_rows(&query.body).then_some(Misplaced::Rows),
        StatementKind::Change(change) => return changed(change).map(|verb| Misplaced::SideEffect(verb, 15)),
        StatementKind::Print(_) => Misplaced::SideEffect("PRINT", 14),
        StatementKind::Raiserror(..) | StatementKind::OldRaiserror(_) => Misplaced::SideEffect("RAISERROR", 14),
        StatementKind::Throw(_) => Misplaced::SideEffect("THROW", 14),
        StatementKind::Try(..) => Misplaced::SideEffect("BEGIN TRY", 14),
        StatementKind::LargeValue(value) => match value.work {
            LargeValueWork::Read(..) => Misplaced::Rows,
            LargeValueWork::Write(..) => Misplaced::SideEffect("WRITETEXT", 14),
            LargeValueWork::Update(..) => Misplaced::SideEffect("UPDATETEXT", 14),
        },
        StatementKind::WaitFor(_) => Misplaced::SideEffect("WAITFOR", 14),
        StatementKind::Transaction(transaction) => {
            let verb = match transaction {
                Transaction::Begin(..) => "BEGIN TRANSACTION",
                Transaction::Commit(..) => "COMMIT TRANSACTION",
                Transaction::Rollback(_) => "ROLLBACK TRANSACTION",
                Transaction::Save(_) => "SAVE TRANSACTION",
            };
            Misplaced::SideEffect(verb, 14)
        }
        StatementKind::CreateTable(_) => Misplaced::SideEffect("CREATE TABLE", 14),
        StatementKind::Truncate(..) => Misplaced::SideEffect("TRUNCATE TABLE", 14),
        StatementKind::Execute(execute) if matches!(execute.module, ExecuteModule::Text(..)) => {
            Misplaced::SideEffect("EXECUTE STRING", 14)
        }
        _ => return None,
    })
}

/// What is wrong with the call of a function in another one: of those that give another value whenever they are called.
pub(crate) fn misplaced_call(function: &ObjectName) -> Option<Misplaced> {
    let name = ["newid", "newsequentialid", "rand"].into_iter().find(|name| function.is(name))?;
    Some(Misplaced::SideEffect(name, 1))
}

fn gives_rows(body: &QueryBody) -> bool {
    match body {
        QueryBody::Set(left, ..) => gives_rows(left),
        QueryBody::Select(select) => {
            select.into.is_none() && !select.items.iter().any(|item| matches!(item, SelectItem::Assign(..)))
        }
    }
}

/// The verb of a change of what is not a table variable of the function's own.
fn changed(change: &Change) -> Option<&'static str> {
    let (verb, target, with, from): (_, _, _, &[Source]) = match change {
        Change::Insert(insert) if matches!(insert.rows, InsertRows::Execute(_)) => return Some("INSERT EXEC"),
        Change::Insert(insert) => ("INSERT", &insert.target, &insert.with, &[]),
        Change::Update(update) => ("UPDATE", &update.target, &update.with, &update.from),
        Change::Delete(delete) => ("DELETE", &delete.target, &delete.with, &delete.from),
        Change::Merge(merge) => ("MERGE", &merge.target, &merge.with, &[]),
    };
    let Target::Table(name, _) = target else { return Some(verb) };
    let is_own = name.last().starts_with('@') || is_common(with, name) || from.iter().any(|source| is_of(source, name));
    (!is_own).then_some(verb)
}

/// Whether it is a common table expression, behind which there may be a table variable.
fn is_common(with: &With, name: &ObjectName) -> bool {
    with.tables.iter().any(|table| name.is(&table.name.text))
}

/// Whether a name is the alias of a table variable.
fn is_of(source: &Source, name: &ObjectName) -> bool {
    match source {
        Source::Variable(_, alias) => alias.name.as_ref().is_some_and(|alias| name.is(&alias.text)),
        Source::Join(join) => is_of(&join.left, name) || is_of(&join.right, name),
        Source::Apply(left, _, right) => is_of(left, name) || is_of(right, name),
        Source::Nested(inner) | Source::OdbcJoin(inner) => is_of(inner, name),
        _ => false,
    }
}
