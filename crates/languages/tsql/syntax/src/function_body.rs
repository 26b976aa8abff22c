//! Statements that the body of a function must not contain: those that change anything but its own variables, send
//! results to the client, define objects, set options, or begin or end transactions.
//!
//! Rule: CREATE FUNCTION in SQL Server's manual, "Valid statements in a function"; everything that is not listed there is refused.

use crate::tree::{
    Change, DefineKind, Drop, ExecuteModule, InsertRows, LargeValueWork, ObjectName, PermissionKind, Phrase,
    PhraseItem, QueryBody, SelectItem, Source, StatementKind, Target, Transaction, With,
};

/// Errors of statements and calls that a function body must not contain.
pub(crate) enum Misplaced {
    /// It does this, with the state of the message (443).
    SideEffect(&'static str, u8),
    /// It gives rows to the client (444).
    Rows,
}

/// The error of a statement in a function body; nested statements have been checked already.
pub(crate) fn misplaced(statement: &StatementKind) -> Option<Misplaced> {
    Some(match statement {
        StatementKind::Select(query) => return gives_rows(&query.body).then_some(Misplaced::Rows),
        StatementKind::Change(change) => {
            return match changed(change) {
                Some(verb) => Some(Misplaced::SideEffect(verb, 15)),
                None => tells_rows(change).then_some(Misplaced::Rows),
            };
        }
        StatementKind::Fetch(fetch) => return fetch.into.is_empty().then_some(Misplaced::Rows),
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
        StatementKind::SetOption(options) => Misplaced::SideEffect(set(options), 15),
        StatementKind::Execute(execute) if matches!(execute.module, ExecuteModule::Text(..)) => {
            Misplaced::SideEffect("EXECUTE STRING", 14)
        }
        other => Misplaced::SideEffect(side_effect(other)?, 14),
    })
}

/// The action of a statement that defines objects, or changes how the server or the session works, as message 443 has it; `None`
/// for other statements, and for those that stand in a batch of their own.
pub fn side_effect(statement: &StatementKind) -> Option<&'static str> {
    Some(match statement {
        StatementKind::CreateTable(_) => "CREATE TABLE",
        StatementKind::AlterTable(_) => "ALTER TABLE",
        StatementKind::Truncate(..) => "TRUNCATE TABLE",
        StatementKind::CreateIndex(_) => "CREATE INDEX",
        StatementKind::AlterIndex(_) => "ALTER INDEX",
        StatementKind::Drop(drop) => dropped(drop),
        StatementKind::View(view) if view.define == DefineKind::Alter => "ALTER VIEW",
        StatementKind::View(_) => "CREATE VIEW",
        StatementKind::Sequence(sequence) if sequence.alter => "ALTER SEQUENCE",
        StatementKind::Sequence(_) => "CREATE SEQUENCE",
        StatementKind::CreateSynonym(..) => "CREATE SYNONYM",
        StatementKind::CreateSchema(_) => "CREATE SCHEMA",
        StatementKind::CreateType(_) => "CREATE TYPE",
        StatementKind::Statistics(statistics) if statistics.create => "CREATE STATISTICS",
        StatementKind::Statistics(_) => "UPDATE STATISTICS",
        StatementKind::Permission(permission) => match permission.kind {
            PermissionKind::Grant => "GRANT",
            PermissionKind::Deny => "DENY",
            PermissionKind::Revoke => "REVOKE",
        },
        StatementKind::EnableTrigger(true, ..) => "ENABLE TRIGGER",
        StatementKind::EnableTrigger(false, ..) => "DISABLE TRIGGER",
        StatementKind::SetIsolation(_) => "SET TRANSACTION ISOLATION LEVEL",
        StatementKind::BulkInsert(..) => "BULK INSERT",
        StatementKind::Dbcc(..) => "DBCC",
        StatementKind::Kill(_) => "KILL",
        StatementKind::Checkpoint(_) => "CHECKPOINT",
        StatementKind::ExecuteAs(_) => "EXECUTE AS",
        StatementKind::Revert(_) => "REVERT",
        StatementKind::Words(_) => "COMMAND",
        _ => return None,
    })
}

fn dropped(drop: &Drop) -> &'static str {
    match drop.kind {
        "INDEX" => "DROP INDEX",
        "SCHEMA" => "DROP SCHEMA",
        "TYPE" => "DROP TYPE",
        _ => "DROP OBJECT",
    }
}

/// SET of options that are ON or OFF, or of others.
fn set(options: &[Phrase]) -> &'static str {
    let last = options.last().and_then(|option| option.items.last());
    match last {
        Some(PhraseItem::Word(word)) if word.is("ON") => "SET OPTION ON",
        Some(PhraseItem::Word(word)) if word.is("OFF") => "SET OPTION OFF",
        _ => "SET COMMAND",
    }
}

/// True if a change tells the client of its rows.
fn tells_rows(change: &Change) -> bool {
    let outputs = match change {
        Change::Insert(insert) => &insert.outputs,
        Change::Update(update) => &update.outputs,
        Change::Delete(delete) => &delete.outputs,
        Change::Merge(merge) => &merge.outputs,
    };
    outputs.iter().any(|output| output.into.is_none())
}

/// The error of a call in a function body to a function that gives another value on each call.
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

/// Returns true if it is a common table expression, behind which there may be a table variable.
fn is_common(with: &With, name: &ObjectName) -> bool {
    with.tables.iter().any(|table| name.is(&table.name.text))
}

/// Returns true if a name is the alias of a table variable.
fn is_of(source: &Source, name: &ObjectName) -> bool {
    match source {
        Source::Variable(_, alias) => alias.name.as_ref().is_some_and(|alias| name.is(&alias.text)),
        Source::Join(join) => is_of(&join.left, name) || is_of(&join.right, name),
        Source::Apply(left, _, right) => is_of(left, name) || is_of(right, name),
        Source::Nested(inner) | Source::OdbcJoin(inner) => is_of(inner, name),
        _ => false,
    }
}
