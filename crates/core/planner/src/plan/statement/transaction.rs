//! BEGIN, COMMIT, ROLLBACK, SAVEPOINT, the settings of a transaction's isolation, and SET CONSTRAINTS.

use super::words::Words;
use super::{Name, unsupported};
use crate::parse::text::Text;
use datafusion::sql::sqlparser::ast::{Set, Statement, TransactionIsolationLevel, TransactionMode};
use mainstay_types::Result;

/// An isolation level, as ISO SQL and its users name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsolationLevel {
    /// READ UNCOMMITTED: here the same as read committed, which it allows.
    ReadUncommitted,
    /// READ COMMITTED.
    ReadCommitted,
    /// REPEATABLE READ.
    RepeatableRead,
    /// SNAPSHOT.
    Snapshot,
    /// SERIALIZABLE.
    Serializable,
}

impl IsolationLevel {
    /// The level of this name, in any case.
    pub fn by_name(name: &str) -> Option<IsolationLevel> {
        Some(match name.to_lowercase().replace(['_', '-'], " ").as_str() {
            "read uncommitted" => IsolationLevel::ReadUncommitted,
            "read committed" => IsolationLevel::ReadCommitted,
            "repeatable read" => IsolationLevel::RepeatableRead,
            "snapshot" => IsolationLevel::Snapshot,
            "serializable" => IsolationLevel::Serializable,
            _ => return None,
        })
    }

    /// Its name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            IsolationLevel::ReadUncommitted => "read uncommitted",
            IsolationLevel::ReadCommitted => "read committed",
            IsolationLevel::RepeatableRead => "repeatable read",
            IsolationLevel::Snapshot => "snapshot",
            IsolationLevel::Serializable => "serializable",
        }
    }
}

/// A statement about transactions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionStatement {
    /// `BEGIN [TRANSACTION] [ISOLATION LEVEL ...]`.
    Begin(Option<IsolationLevel>),
    /// COMMIT.
    Commit,
    /// ROLLBACK, of all or to a savepoint.
    Rollback(Option<Name>),
    /// SAVEPOINT name.
    Savepoint(Name),
    /// RELEASE SAVEPOINT name.
    Release(Name),
    /// SET TRANSACTION ISOLATION LEVEL ...: of the open transaction, or of the session's next ones.
    Isolation(IsolationLevel),
    /// SET CONSTRAINTS: when references are looked at, until the transaction ends.
    Constraints {
        /// Which ones; none for all that are DEFERRABLE.
        names: Vec<Name>,
        /// At the end of the transaction, or of each statement.
        deferred: bool,
    },
}

/// `SET CONSTRAINTS { ALL | a, b } { DEFERRED | IMMEDIATE }` and `ABORT [WORK | TRANSACTION]`, which the parser does not
/// know; `None` for anything else.
pub(super) fn by_words(text: &Text) -> Result<Option<TransactionStatement>> {
    let mut words = Words::of(text);
    if words.takes("abort") {
        words.one_of(&["work", "transaction"]);
        words.end()?;
        return Ok(Some(TransactionStatement::Rollback(None)));
    }
    if !(words.takes("set") && words.takes("constraints")) {
        return Ok(None);
    }
    let mut names = Vec::new();
    if !words.takes("all") {
        names.push(words.name()?);
        while words.takes_comma() {
            names.push(words.name()?);
        }
    }
    let deferred = match words.one_of(&["deferred", "immediate"]) {
        Some(word) => word == "deferred",
        None => return Err(words.unexpected("DEFERRED or IMMEDIATE")),
    };
    words.end()?;
    Ok(Some(TransactionStatement::Constraints { names, deferred }))
}

pub(super) fn of(statement: &Statement, text: &Text) -> Result<Option<TransactionStatement>> {
    Ok(Some(match statement {
        Statement::StartTransaction { modes, .. } => TransactionStatement::Begin(isolation(modes)?),
        Statement::Commit { .. } => TransactionStatement::Commit,
        Statement::Rollback { savepoint, .. } => {
            TransactionStatement::Rollback(savepoint.as_ref().map(|name| Name::simple(name, text)))
        }
        Statement::Savepoint { name } => TransactionStatement::Savepoint(Name::simple(name, text)),
        Statement::ReleaseSavepoint { name } => TransactionStatement::Release(Name::simple(name, text)),
        Statement::Set(Set::SetTransaction { modes, .. }) => match isolation(modes)? {
            Some(level) => TransactionStatement::Isolation(level),
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

fn isolation(modes: &[TransactionMode]) -> Result<Option<IsolationLevel>> {
    let mut level = None;
    for mode in modes {
        match mode {
            TransactionMode::IsolationLevel(named) => {
                level = Some(match named {
                    TransactionIsolationLevel::ReadUncommitted => IsolationLevel::ReadUncommitted,
                    TransactionIsolationLevel::ReadCommitted => IsolationLevel::ReadCommitted,
                    TransactionIsolationLevel::RepeatableRead => IsolationLevel::RepeatableRead,
                    TransactionIsolationLevel::Serializable => IsolationLevel::Serializable,
                    TransactionIsolationLevel::Snapshot => IsolationLevel::Snapshot,
                });
            }
            TransactionMode::AccessMode(mode) => {
                return Err(unsupported(format!("a transaction declared {mode}")));
            }
        }
    }
    Ok(level)
}
