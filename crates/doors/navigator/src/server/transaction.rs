//! The transaction of a session, over its tables and the changes of its statements.
//!
//! The session of statements may let its files take part in the tables' transaction (`join`): then one commit is that
//! of both. If it cannot, its own step comes first. It is opened by the first statement, and takes part from there on
//! in a transaction that is under way.

use super::session::{Open, Session};
use crate::dictionary::Dictionary;
use crate::sql::{SqlSession, TransactionStep};
use crate::wire::messages::{Reply, Step};
use mainstay_types::{Code, Error, Result};
use mainstay_workarea::{self as workarea, Area};
use mainstay_xbase::indexed::{IndexedTable, Savepoint, Transaction};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

/// Savepoints of a transaction.
const MOST_SAVEPOINTS: usize = 10_000;

/// A transaction that is under way.
pub(crate) struct Running {
    pub transaction: Transaction,
    savepoints: Vec<Savepoint>,
    /// True if the files that statements change are part of it.
    is_joined: bool,
}

/// The statements' name of a savepoint.
fn savepoint_name(number: usize) -> String {
    format!("navigator {number}")
}

/// The areas that take part in transactions.
fn writable(tables: &mut BTreeMap<u32, Open>) -> Vec<&mut Area> {
    let takes_part = |open: &&mut Open| open.area.is_writable() && !open.is_transaction_free;
    tables.values_mut().filter(takes_part).map(|open| &mut open.area).collect()
}

/// Has statements take part in a transaction that has begun.
fn join(statements: &mut dyn SqlSession, transaction: &Transaction) -> Result<bool> {
    statements.transaction(&TransactionStep::Begin)?;
    statements.join(transaction).inspect_err(|_| {
        // Nothing was done in it; the first error is the one to report.
        let _ = statements.transaction(&TransactionStep::RollBack);
    })
}

impl Running {
    /// Works with all tables: those that are open, and those that statements have open.
    fn with_all(
        &self,
        tables: &mut BTreeMap<u32, Open>,
        statements: &mut Option<Box<dyn SqlSession>>,
        dictionary: Option<&dyn Dictionary>,
        work: impl Fn(&mut [&mut Area], &mut [&mut IndexedTable]) -> Result<()>,
    ) -> Result<()> {
        let kept = dictionary.map(|dictionary| dictionary.helpers());
        let lock = || kept.as_ref().map(|kept| kept.lock().unwrap_or_else(PoisonError::into_inner));
        let mut helpers = lock().map_or_else(Vec::new, |mut kept| std::mem::take(&mut *kept));
        let mut areas = writable(tables);
        areas.extend(helpers.iter_mut());
        let done = match statements {
            Some(statements) if self.is_joined => statements.with_tables(&mut |others| work(&mut areas, others)),
            _ => work(&mut areas, &mut []),
        };
        helpers.retain(Area::is_in_transaction);
        if let Some(mut kept) = lock() {
            kept.append(&mut helpers);
        }
        done
    }
}

impl Session {
    /// The session that runs this client's statements.
    pub(crate) fn statements(&mut self) -> Result<&mut Box<dyn SqlSession>> {
        match &mut self.statements {
            Some(statements) => Ok(statements),
            none => {
                let sql = self.service.sql().ok_or_else(crate::sql::absent)?;
                let mut opened = sql.open(&self.folder.root, &self.member.person.user)?;
                if self.is_read_only {
                    opened.set_read_only();
                }
                if let Some(running) = &mut self.transaction {
                    running.is_joined = join(opened.as_mut(), &running.transaction)?;
                    // Places that were made before are places before its first change.
                    (0..running.savepoints.len()).try_for_each(|number| {
                        opened.transaction(&TransactionStep::Savepoint(savepoint_name(number)))
                    })?;
                }
                Ok(none.insert(opened))
            }
        }
    }

    pub(crate) fn about_transaction(&mut self, step: &Step) -> Result<Reply> {
        let done = match step {
            Step::Begin => self.begin(),
            Step::Commit | Step::RollBack => self.end(step),
            Step::Savepoint => self.savepoint(),
            Step::RollBackTo(place) => self.roll_back_to(*place),
            _ => return Err(Error::new(Code::Internal, "a step of another kind")),
        };
        if *step != Step::Begin {
            self.tables.values().for_each(|open| open.changes.add());
            let paths: Vec<PathBuf> = self.tables.values().map(|open| open.path.clone()).collect();
            paths.iter().for_each(|path| self.publish(path));
        }
        done
    }

    fn begin(&mut self) -> Result<Reply> {
        if self.transaction.is_some() {
            return Err(Error::new(Code::TransactionState, "a transaction is under way"));
        }
        let transaction = Transaction::begin(Arc::clone(&self.service.files));
        let mut areas = writable(&mut self.tables);
        let joined = areas.iter_mut().try_for_each(|area| area.enlist(&transaction));
        let joined = joined.and_then(|()| match &mut self.statements {
            Some(statements) => join(statements.as_mut(), &transaction),
            None => Ok(false),
        });
        match joined {
            Ok(is_joined) => {
                self.dictionary.iter().for_each(|dictionary| dictionary.note_transaction(Some(&transaction)));
                self.transaction = Some(Running { transaction, savepoints: Vec::new(), is_joined });
                Ok(Reply::Done)
            }
            Err(error) => {
                // Nothing was done in it: those that had joined are free again.
                areas.retain(|area| area.is_in_transaction());
                let _ = workarea::commit(&transaction, &mut areas);
                Err(error)
            }
        }
    }

    fn end(&mut self, step: &Step) -> Result<Reply> {
        let running = self.transaction.as_ref().ok_or_else(none_under_way)?;
        let (tables, statements) = (&mut self.tables, &mut self.statements);
        let said = match step {
            Step::Commit => TransactionStep::Commit,
            _ => TransactionStep::RollBack,
        };
        // Statements that are part of the tables' transaction only close their tables afterwards.
        let mut stepped = Ok(());
        if let (Some(statements), false) = (statements.as_mut(), running.is_joined) {
            stepped = statements.transaction(&said);
        }
        if stepped.is_err() && *step == Step::Commit {
            return stepped.map(|()| Reply::Done);
        }
        let transaction = &running.transaction;
        let done = running.with_all(tables, statements, self.dictionary.as_deref(), |areas, others| match step {
            Step::Commit => workarea::commit_with(transaction, areas, others),
            _ => workarea::rollback_with(transaction, areas, others),
        });
        // It may have ended though something failed after that: a lock that could not be given back, say.
        if done.is_ok() || transaction.is_ended() {
            if let (Some(statements), true) = (statements.as_mut(), running.is_joined) {
                stepped = statements.transaction(&said);
            }
            self.transaction = None;
            self.dictionary.iter().for_each(|dictionary| dictionary.note_transaction(None));
        }
        done.and(stepped).map(|()| Reply::Done)
    }

    fn savepoint(&mut self) -> Result<Reply> {
        let running = self.transaction.as_mut().ok_or_else(none_under_way)?;
        let number = running.savepoints.len();
        if number >= MOST_SAVEPOINTS {
            return Err(Error::new(
                Code::OutOfMemory,
                format!("a transaction has at most {MOST_SAVEPOINTS} savepoints"),
            ));
        }
        writable(&mut self.tables).into_iter().try_for_each(|area| area.write())?;
        if let Some(statements) = &mut self.statements {
            statements.transaction(&TransactionStep::Savepoint(savepoint_name(number)))?;
        }
        running.savepoints.push(running.transaction.savepoint());
        Ok(Reply::Number(number as u64))
    }

    fn roll_back_to(&mut self, number: u32) -> Result<Reply> {
        let running = self.transaction.as_ref().ok_or_else(none_under_way)?;
        let number = number as usize;
        let missing = || Error::new(Code::NotFound, format!("there is no savepoint {number}"));
        let place = *running.savepoints.get(number).ok_or_else(missing)?;
        let step = TransactionStep::RollBackTo(savepoint_name(number));
        let (tables, statements) = (&mut self.tables, &mut self.statements);
        if let (Some(statements), false) = (statements.as_mut(), running.is_joined) {
            statements.transaction(&step)?;
        }
        let transaction = &running.transaction;
        running.with_all(tables, statements, self.dictionary.as_deref(), |areas, others| {
            workarea::rollback_to_with(transaction, place, areas, others)
        })?;
        if let (Some(statements), true) = (statements.as_mut(), running.is_joined) {
            statements.transaction(&step)?;
        }
        Ok(Reply::Done)
    }

    /// Undoes the open transaction; errors cannot be reported any more.
    pub(crate) fn abandon(&mut self) {
        let Some(running) = self.transaction.take() else { return };
        let transaction = &running.transaction;
        let dictionary = self.dictionary.as_deref();
        let _ = running.with_all(&mut self.tables, &mut self.statements, dictionary, |areas, others| {
            workarea::rollback_with(transaction, areas, others)
        });
        if let Some(statements) = &mut self.statements {
            let _ = statements.transaction(&TransactionStep::RollBack);
        }
    }
}

fn none_under_way() -> Error {
    Error::new(Code::TransactionState, "no transaction is under way")
}
