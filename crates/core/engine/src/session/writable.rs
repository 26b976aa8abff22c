//! The dispatcher of statements that change rows or definitions of tables: a name to its writable table, whatever stores it.

use super::Session;
use crate::native::{NativeTable, key_of};
use crate::writable::{
    Changed, Sight, StatementContext, TableTransaction, Work, WritableTable, WriteScope, WriteSettings,
    cannot_be_changed, change, insert,
};
use mainstay_columnar::Table;
use mainstay_planner::{Answer, Insert, Name, Newest, RunOptions, Statement, View};
use mainstay_store::Durability;
use mainstay_types::{Code, Error, Result, ValueRef, interrupt};
use std::sync::Arc;
use std::time::Duration;

/// How often a statement begins again because others changed its rows first.
const RESTARTS: usize = 10_000;

/// How much longer each wait before a restart is than the one before it.
const WAIT_STEP: Duration = Duration::from_micros(100);

/// The most steps of a wait.
const LONGEST_WAIT: u32 = 10;

/// Begins a transaction of a storage.
pub(crate) type Begin<'b> = &'b mut dyn FnMut(&WriteSettings) -> Result<Box<dyn TableTransaction>>;

impl Session {
    /// The table of this name, to change it. Native tables and views come before files; a name without a table gives one whose
    /// statements report that, because native tables are looked up in the transaction of the statement.
    ///
    /// Errors: `ReadOnly` for files that are only read.
    pub(crate) fn writable<'n>(&self, name: &'n Name) -> Result<Arc<dyn WritableTable + 'n>> {
        Ok(match self.writable_file(name)? {
            Some(table) => table,
            None => Arc::new(NativeTable(name)),
        })
    }

    /// The same for a table outside of the store; `None` for any other name.
    ///
    /// Errors: as of [`Session::writable`].
    pub(super) fn writable_file(&self, name: &Name) -> Result<Option<Arc<dyn WritableTable>>> {
        let key = key_of(name);
        let scope = self.transaction.scope(self.native());
        if scope.definition(&key).is_some() || scope.relation(&key)?.is_some() {
            return Ok(None);
        }
        self.database.shared.catalog.writable(name, &key)
    }

    /// Runs INSERT, UPDATE, DELETE, MERGE or a query that locks its rows.
    pub(super) fn change_rows(&mut self, text: &str, table: &Name, statement: &Statement) -> Result<Answer> {
        let (name, locks) = (table, matches!(statement, Statement::LockRows(_)));
        let table = match self.writable(name) {
            Ok(table) if !locks || table.has_row_locks() => table,
            Err(error) if !locks || error.code() != Code::ReadOnly => return Err(error),
            _ => return Err(cannot_be_changed(name, false)),
        };
        let mut scope = WriteScope { session: self, text, parameters: &[], position_column: table.position_column() };
        if let Some(answer) = table.change_directly(&mut scope, statement)? {
            return Ok(answer);
        }
        table.write(&mut scope, &mut |rows, context| change(rows, context, statement))
    }

    /// Runs an INSERT with these values for the parameters in its lists of values.
    pub(crate) fn insert(&mut self, text: &str, new: &Insert, parameters: &[ValueRef<'_>]) -> Result<Answer> {
        let table = self.writable(&new.table)?;
        let mut scope = WriteScope { session: self, text, parameters, position_column: table.position_column() };
        table.write(&mut scope, &mut |rows, context| insert(rows, context, new))
    }

    /// How the session writes to tables that are shared with other programs.
    pub(super) fn write_settings(&self) -> WriteSettings {
        // Native tables commit to the disk unless told otherwise, programs that share files never: here it is done when
        // it is asked for.
        let durable = self.transaction.durability == Some(Durability::Full);
        WriteSettings { lock_timeout: self.transaction.waiting.lock_timeout, durable }
    }
}

impl WriteScope<'_> {
    /// How the session writes.
    pub fn settings(&self) -> WriteSettings {
        self.session.write_settings()
    }

    /// Works with the parts of the statement that are the same for every storage. Its queries read in the view of the
    /// session's transaction.
    pub(super) fn with_context<T>(&mut self, work: impl FnOnce(&mut StatementContext<'_>) -> Result<T>) -> Result<T> {
        let WriteScope { session, text, parameters, position_column } = self;
        let database = session.database.clone();
        let shared = &database.shared;
        let catalog = session.catalog(shared);
        let (cancel, progress) = (session.cancel.clone(), Arc::clone(&session.progress));
        let options = || RunOptions { cancel: cancel.clone(), progress: Arc::clone(&progress), view: Newest::shared() };
        let visibility = session.visibility;
        let transaction = &mut session.transaction;
        let mut view = |tables: &[Arc<dyn Table>]| -> Result<Arc<dyn View>> {
            Ok(Arc::new(transaction.view(&shared.catalog.native, tables, text)?))
        };
        work(&mut StatementContext {
            planner: &shared.planner,
            catalog: &catalog,
            text,
            parameters,
            visibility,
            position_column,
            options: &options,
            sight: Sight::Session(&mut view),
        })
    }

    /// See [`WriteScope::join`].
    pub(crate) fn change_joined(&mut self, name: &str, begin: Begin<'_>, work: Work<'_>) -> Result<Answer> {
        self.session.check_may_change(name)?;
        let settings = self.settings();
        let _ends = self.session.transaction.interrupt_in_force();
        let Some(mut joined) = self.session.transaction.take_joined() else {
            let mut own = begin(&settings)?;
            return match self.attempt(own.as_mut(), work) {
                Ok(answer) => match own.commit() {
                    Ok(()) => Ok(answer),
                    Err(error) => own.rollback().and(Err(error)),
                },
                Err(error) => own.rollback().and(Err(error)),
            };
        };
        let done = joined.part(name, || begin(&settings)).and_then(|part| self.attempt(part, work));
        self.session.transaction.put_joined(joined);
        done
    }

    /// Runs the statement until no other transaction is first. After an error its changes are undone.
    fn attempt(&mut self, part: &mut dyn TableTransaction, work: Work<'_>) -> Result<Answer> {
        self.with_context(|context| {
            let savepoint = part.savepoint();
            for restart in 0..RESTARTS {
                match work(part, context) {
                    Ok(Changed::Done(answer)) => return Ok(answer),
                    Ok(Changed::Overtaken) => {
                        part.rollback_to(savepoint)?;
                        wait_to_restart(restart)?;
                    }
                    Err(error) => return part.rollback_to(savepoint).and(Err(error)),
                }
            }
            let message = "other transactions changed the rows of this statement whenever it began";
            Err(Error::new(Code::Conflict, message).hint("run it again"))
        })
    }
}

/// Waits a little longer after each restart, so that the others get to their ends.
///
/// Errors: those of an interrupt.
fn wait_to_restart(restart: usize) -> Result<()> {
    interrupt::check()?;
    let steps = u32::try_from(restart).map_or(LONGEST_WAIT, |restart| restart.min(LONGEST_WAIT));
    std::thread::sleep(WAIT_STEP * steps);
    Ok(())
}
