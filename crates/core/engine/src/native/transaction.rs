//! The transaction of a session, and the views of its statements.
//!
//! A statement outside of a transaction runs in one that ends with the statement. The answer of a query outlives the
//! call that started it, so the answer keeps its view ([`StatementView`]), not the session.

mod deferred;
mod joined;
mod view;
mod waiting;

pub(crate) use view::StatementView;

use super::actions::carry_out;
use super::outlook::{Beside, Outlook};
use super::scope::{find_table, with_temporary};
use super::versions::positions;
use super::{Given, Native, Scope, key_of};
use crate::activity::SessionWork;
use crate::dbf::{OpenTables, TableSavepoint};
use crate::writable::Changed;
use joined::{Joined, JoinedSavepoint};
use mainstay_columnar::Table;
use mainstay_planner::dialect::FunctionsInForce;
use mainstay_planner::{DEFAULT_SCHEMAS, IsolationLevel, Name, OnCommit, Planner, UserFunctions};
use mainstay_store::files::catalog::CatalogChange;
use mainstay_store::{Accounts, Durability, Isolation, Read, Savepoint, Shown, TemporaryTables, Transaction};
use mainstay_types::interrupt::{self, InForce, Interrupt};
use mainstay_types::{Class, Code, Error, Result};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use view::native;
use waiting::Waiting;

/// How often a statement is begun again because another transaction changed its rows first.
const RESTARTS: usize = 10_000;

/// A session's transaction, if one is open, and how its next ones begin.
pub(crate) struct SessionTransaction {
    open: Option<Open>,
    /// The isolation of the session's transactions.
    pub(crate) isolation: IsolationLevel,
    /// The isolation of the next one only.
    next_isolation: Option<IsolationLevel>,
    /// How they wait for those of others.
    pub(crate) waiting: Waiting,
    /// The part that others may see.
    pub(crate) work: Arc<SessionWork>,
    /// The cancellation of the session's statements.
    interrupt: Arc<dyn Interrupt>,
    /// Where its changes ask for memory.
    accounts: Accounts,
    /// True if nothing ends the statement that runs.
    is_uninterrupted: bool,
    /// How durable a commit is before it is acknowledged; the store's way unless it is said.
    pub(crate) durability: Option<Durability>,
    /// The catalog for which the statement that runs was planned outside ([`Transaction::set_planned_with`]).
    pub(crate) planned_with: Option<u64>,
    /// The last values that sequences gave the session.
    pub(crate) given: Arc<Given>,
    /// The session's temporary tables, once it has had one.
    temporary: Option<Arc<TemporaryTables>>,
    /// The ON COMMIT action of temporary tables that have one, by number.
    on_commit: HashMap<u64, OnCommit>,
    /// Where the session in which functions run finds what statements see, once there are functions.
    outlook: Option<Arc<Outlook>>,
    /// The functions of the session's language.
    pub(crate) functions: Option<Arc<dyn UserFunctions>>,
    /// Another session's, if this is the one in which its functions run.
    beside: Option<Beside>,
}

struct Open {
    transaction: Transaction,
    /// The DBF tables that take part in it.
    tables: OpenTables,
    /// True if their changes wait for the native commit.
    is_prepared: bool,
    /// Tables of further storages that take part in it.
    joined: Joined,
    savepoints: Vec<(String, Savepoint, Option<TableSavepoint>, JoinedSavepoint)>,
}

impl SessionTransaction {
    pub(crate) fn new(interrupt: Arc<dyn Interrupt>, accounts: Accounts) -> SessionTransaction {
        let isolation = IsolationLevel::ReadCommitted;
        SessionTransaction {
            interrupt,
            accounts,
            is_uninterrupted: false,
            open: None,
            isolation,
            next_isolation: None,
            waiting: Waiting::default(),
            work: Arc::default(),
            durability: None,
            planned_with: None,
            given: Arc::default(),
            temporary: None,
            on_commit: HashMap::new(),
            outlook: None,
            functions: None,
            beside: None,
        }
    }

    /// Has statements end when this says so, from now on.
    pub(crate) fn end_with(&mut self, interrupt: Arc<dyn Interrupt>) {
        self.interrupt = interrupt;
    }

    /// Lets the expressions of tables call the session's functions.
    pub(crate) fn functions_in_force(&self) -> Option<FunctionsInForce> {
        // Without an outlook there are none.
        self.outlook.as_ref().and(self.functions.clone()).map(FunctionsInForce::new)
    }

    /// The object through which the session of functions sees later statements.
    pub(crate) fn outlook(&mut self, native: &Native) -> Arc<Outlook> {
        if let Some(known) = &self.outlook {
            return Arc::clone(known);
        }
        let outlook = Arc::<Outlook>::default();
        self.outlook = Some(Arc::clone(&outlook));
        if let Some(open) = &mut self.open {
            open.transaction.set_outlook(Arc::clone(&outlook.rows));
        }
        self.publish(native);
        outlook
    }

    /// Returns true if functions may read what statements see.
    pub(crate) fn has_outlook(&self) -> bool {
        self.outlook.is_some()
    }

    /// Statements read beside those of another session from now on.
    pub(crate) fn read_beside(&mut self, outlook: Arc<Outlook>) {
        self.beside = Some(Beside { outlook, is_of_statement: true });
    }

    /// Sets whether statements see the changes of the other session's running statement, instead of the view that its
    /// next read would have. Returns the old setting.
    pub(crate) fn see_statement(&mut self, is_of_statement: bool) -> bool {
        let beside = self.beside.as_mut();
        beside.is_none_or(|beside| std::mem::replace(&mut beside.is_of_statement, is_of_statement))
    }

    /// Puts the cancellation of the session's statement in force on this thread, as long as the guard lives.
    pub(crate) fn interrupt_in_force(&self) -> InForce {
        if self.is_uninterrupted { interrupt::suspended() } else { InForce::new(Arc::clone(&self.interrupt)) }
    }

    /// Says whether nothing ends what runs from now on.
    pub(crate) fn set_uninterrupted(&mut self, is_uninterrupted: bool) {
        self.is_uninterrupted = is_uninterrupted;
    }

    /// Lets who reads beside this session know what exists for its statements.
    fn publish(&self, native: &Native) {
        let Some(outlook) = &self.outlook else { return };
        let changed = self.open.as_ref().filter(|open| open.transaction.has_changed_catalog());
        outlook.set_scope(changed.map(|open| native.scope(&open.transaction)));
    }

    /// Lets a transaction see, and be seen, beside those of other sessions.
    #[inline]
    fn connect(&self, transaction: &mut Transaction) {
        if let Some(outlook) = &self.outlook {
            transaction.set_outlook(Arc::clone(&outlook.rows));
        }
        if let Some(beside) = &self.beside {
            transaction.set_beside(Arc::clone(&beside.outlook.rows), beside.is_of_statement);
        }
    }

    /// Returns true if its statements see the catalog changes of another session's transaction.
    pub(crate) fn sees_changed_catalog(&self) -> bool {
        self.beside.as_ref().is_some_and(|beside| beside.outlook.scope().is_some())
    }

    /// Returns true if a transaction is open.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// BEGIN.
    pub(crate) fn begin(&mut self, native: &Native, isolation: Option<IsolationLevel>) -> Result<()> {
        if self.is_open() {
            let error = Error::new(Code::TransactionState, "a transaction is open already");
            return Err(error.hint("COMMIT or ROLLBACK it first, or use SAVEPOINT inside of it"));
        }
        // The tables that the transaction will create are not known yet.
        native.make()?;
        let isolation = isolation.or(self.next_isolation.take()).unwrap_or(self.isolation);
        let transaction = self.start(native, isolation)?;
        self.work.begin();
        self.open = Some(Open {
            transaction,
            tables: OpenTables::of(&self.work),
            is_prepared: false,
            joined: Joined::default(),
            savepoints: Vec::new(),
        });
        Ok(())
    }

    fn start(&self, native: &Native, isolation: IsolationLevel) -> Result<Transaction> {
        let mut transaction = native.begin(stored(isolation))?;
        self.connect(&mut transaction);
        self.waiting.apply(&mut transaction);
        transaction.set_sign(Arc::clone(self.work.number()));
        transaction.set_accounts(Arc::clone(&self.accounts));
        transaction.set_read_only(self.given.is_read_only());
        if let Some(durability) = self.durability {
            transaction.set_durability(durability);
        }
        if let Some(temporary) = &self.temporary {
            transaction.set_temporary(Arc::clone(temporary));
        }
        Ok(transaction)
    }

    /// Returns true if the open transaction has changed what exists.
    pub(crate) fn has_changed_catalog(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.transaction.has_changed_catalog())
    }

    /// The catalog of the session's next statement.
    pub(crate) fn scope(&self, native: &Native) -> Scope {
        if let Some(scope) = self.beside.as_ref().and_then(|beside| beside.outlook.scope()) {
            return scope.with(self.temporary.as_ref());
        }
        match &self.open {
            Some(open) => native.scope(&open.transaction),
            None => native.committed().with(self.temporary.as_ref()),
        }
    }

    /// Makes the DBF tables' part of a commit ready that native tables have a part in, too, and gives the name under which
    /// these have to note it (`session::joint`). `None` when one kind of tables only was changed.
    pub(crate) fn prepare(&mut self, folder: &Path) -> Result<Option<String>> {
        let Some(open) = &mut self.open else { return Ok(None) };
        if !open.transaction.has_written() {
            return Ok(None);
        }
        let prepared = open.tables.prepare(folder)?;
        open.is_prepared = prepared.is_some();
        Ok(prepared)
    }

    /// COMMIT.
    ///
    /// The DBF tables' part does all steps that may fail before the native commit, which decides: after it only the
    /// journal of the DBF tables is left to be removed. When the outcome of the native commit is unknown, because the
    /// journal could not be written, the DBF tables' part waits until the database is opened again.
    pub(crate) fn commit(&mut self, native: &Native) -> Result<()> {
        let mut open = self.take()?;
        {
            // Until here everything can be undone.
            let _ends = self.interrupt_in_force();
            self.before_commit(native, &mut open.transaction)?;
            open.tables.flush()?;
        }
        match open.transaction.commit() {
            Ok(_) => open.tables.commit().and(open.joined.commit()),
            Err(error) => {
                if open.is_prepared && error.code().class() == Class::Environment {
                    open.tables.leave_in_doubt();
                }
                Err(error)
            }
        }
    }

    /// ROLLBACK.
    pub(crate) fn rollback(&mut self) -> Result<()> {
        let mut open = self.take()?;
        open.transaction.rollback();
        open.tables.rollback().and(open.joined.rollback())
    }

    /// Ends whatever is open, when the session ends.
    pub(crate) fn abandon(&mut self) {
        self.work.end();
        if let Some(open) = self.open.take() {
            // The DBF tables' part is undone when it is dropped.
            open.transaction.rollback();
        }
    }

    /// The DBF tables of the open transaction.
    ///
    /// Errors: `TransactionState` when none is open.
    pub(crate) fn tables(&mut self) -> Result<&mut OpenTables> {
        self.open.as_mut().map(|open| &mut open.tables).ok_or_else(no_transaction)
    }

    /// The open transaction of native tables.
    pub(crate) fn native(&mut self) -> Option<&mut Transaction> {
        self.open.as_mut().map(|open| &mut open.transaction)
    }

    /// Creates the container of temporary tables if it is missing.
    pub(crate) fn make_temporary(&mut self) {
        let own = self.temporary.get_or_insert_with(|| Arc::new(TemporaryTables::new(DEFAULT_SCHEMAS[0])));
        if let Some(open) = &mut self.open {
            open.transaction.set_temporary(Arc::clone(own));
        }
    }

    /// The version of the visible catalog, from that of the shared one.
    pub(crate) fn version(&self, shared: u64) -> u64 {
        let own = self.temporary.as_ref().and_then(|own| own.version_of_tables());
        own.map_or(shared, |own| with_temporary(shared, own))
    }

    /// Returns true if a statement is a transaction of its own, at whose end nothing else is done.
    #[inline]
    fn is_alone(&self) -> bool {
        self.open.is_none() && self.on_commit.is_empty() && self.next_isolation.is_none()
    }

    /// The session's temporary tables, when a change of them is a transaction of its own.
    #[inline]
    pub(crate) fn temporary_alone(&self) -> Option<&Arc<TemporaryTables>> {
        self.temporary.as_ref().filter(|_| self.is_alone())
    }

    /// The number of the state of the session's temporary tables; 0 when it never had any.
    pub(crate) fn temporary_version(&self) -> u64 {
        self.temporary.as_ref().map_or(0, |own| own.version())
    }

    /// Notes what is to become of a temporary table at each commit.
    pub(crate) fn on_commit(&mut self, name: &Name, what: OnCommit) {
        let Some(own) = &self.temporary else { return };
        if let (Some(table), true) = (find_table(&own.catalog(), &key_of(name)), what != OnCommit::PreserveRows) {
            self.on_commit.insert(table.id, what);
        }
    }

    /// Does with the temporary tables what they were created with.
    fn before_commit(&mut self, native: &Native, transaction: &mut Transaction) -> Result<()> {
        let (Some(own), false) = (&self.temporary, self.on_commit.is_empty()) else { return Ok(()) };
        let catalog = own.catalog();
        // A table that is not in the catalog was dropped.
        self.on_commit.retain(|id, _| catalog.table(*id).is_some());
        for (id, what) in &self.on_commit {
            match what {
                OnCommit::PreserveRows => {}
                OnCommit::Drop => {
                    native.store().change_temporary(transaction, own, CatalogChange::DropTable(*id))?;
                }
                OnCommit::DeleteRows => {
                    let (table, view) = (own.table(*id)?, transaction.view()?);
                    for position in positions(&table, view)? {
                        table.delete(transaction, position)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn take(&mut self) -> Result<Open> {
        if let Some(outlook) = &self.outlook {
            outlook.set_scope(None);
        }
        self.work.end();
        self.open.take().ok_or_else(no_transaction)
    }

    /// SAVEPOINT.
    pub(crate) fn savepoint(&mut self, name: &str) -> Result<()> {
        let open = self.open.as_mut().ok_or_else(no_transaction)?;
        let savepoint = open.transaction.savepoint();
        let joined = open.joined.savepoint();
        open.savepoints.push((name.to_owned(), savepoint, open.tables.savepoint(), joined));
        Ok(())
    }

    /// ROLLBACK TO: the savepoint stays.
    pub(crate) fn rollback_to(&mut self, name: &str) -> Result<()> {
        let open = self.open.as_mut().ok_or_else(no_transaction)?;
        let place = open.place_of(name)?;
        open.savepoints.truncate(place + 1);
        let (_, savepoint, of_tables, of_joined) = &open.savepoints[place];
        open.joined.rollback_to(of_joined)?;
        open.tables.rollback_to(*of_tables)?;
        open.transaction.rollback_to(savepoint)
    }

    /// RELEASE SAVEPOINT.
    pub(crate) fn release(&mut self, name: &str) -> Result<()> {
        let open = self.open.as_mut().ok_or_else(no_transaction)?;
        let place = open.place_of(name)?;
        open.savepoints.truncate(place);
        Ok(())
    }

    /// SET TRANSACTION ISOLATION LEVEL: of the next transaction, since the open one has begun.
    pub(crate) fn set_next_isolation(&mut self, isolation: IsolationLevel) -> Result<()> {
        if self.is_open() {
            let message = "the isolation of a transaction is set before it begins";
            return Err(Error::new(Code::TransactionState, message));
        }
        self.next_isolation = Some(isolation);
        Ok(())
    }

    /// The view of a query; a serializable transaction notes the read.
    pub(crate) fn view(&mut self, native: &Native, tables: &[Arc<dyn Table>], text: &str) -> Result<StatementView> {
        self.publish(native);
        match &mut self.open {
            Some(open) => {
                open.transaction.set_statement(text);
                let view = open.transaction.begin_statement()?;
                note_reads(&mut open.transaction, tables)?;
                Ok(StatementView::of(view))
            }
            None => {
                let mut own = native.begin_reading(stored(self.isolation));
                self.connect(&mut own);
                // The answer outlives the statement: later rows must not appear in it.
                if let Some(temporary) = &self.temporary {
                    own.set_temporary(Arc::clone(temporary));
                }
                let view = own.begin_statement()?;
                // For who it reads beside; its own transaction compares nothing.
                note_reads(&mut own, tables)?;
                Ok(StatementView::with_own(view, own))
            }
        }
    }

    /// Runs a read of native tables: within the open transaction, or in one of its own.
    pub(crate) fn read<T>(
        &mut self,
        native: &Native,
        text: &Arc<str>,
        work: impl FnOnce(&mut Transaction, mainstay_store::View) -> Result<T>,
    ) -> Result<T> {
        self.publish(native);
        match &mut self.open {
            Some(open) => {
                open.transaction.set_shared_statement(text);
                let view = open.transaction.begin_statement()?;
                work(&mut open.transaction, view)
            }
            None => {
                let mut own = native.begin_reading(stored(self.isolation));
                self.connect(&mut own);
                let view = own.begin_statement()?;
                work(&mut own, view)
            }
        }
    }

    /// A transaction of its own for something that is no statement, when none is open.
    pub(crate) fn own(&mut self, native: &Native) -> Result<Option<Transaction>> {
        match self.is_open() {
            true => Ok(None),
            false => self.start(native, self.isolation).map(Some),
        }
    }

    /// The open transaction.
    pub(crate) fn open(&mut self) -> Result<&mut Transaction> {
        self.open.as_mut().map(|open| &mut open.transaction).ok_or_else(no_transaction)
    }

    /// Runs a statement that changes something: within the open transaction, or in a separate one. After an error,
    /// including cancellation, the statement has no effect.
    ///
    /// When another transaction changed a row first, what the statement did is undone and it begins again with what is
    /// there now, as read committed has it; under other isolations it fails with `Conflict`.
    pub(crate) fn change<T>(
        &mut self,
        (native, planner): (&Native, &Planner),
        text: &Arc<str>,
        mut work: impl FnMut(&mut Transaction) -> Result<Changed<T>>,
    ) -> Result<T> {
        self.publish(native);
        let (_functions, _ends) = (self.functions_in_force(), self.interrupt_in_force());
        match &mut self.open {
            Some(open) => {
                open.transaction.set_planned_with(self.planned_with);
                let done = statement((native, planner, &self.given), &mut open.transaction, text, &mut work);
                // Others that write in it, as a bulk load does, were not.
                open.transaction.set_planned_with(None);
                if done.as_ref().is_err_and(|error| error.code() == Code::Deadlock) {
                    // The others wait for the locks of the victim.
                    self.abandon();
                    return done.map_err(|error| error.hint("the transaction was rolled back: run it again"));
                }
                done
            }
            None => {
                let isolation = self.next_isolation.take().unwrap_or(self.isolation);
                let mut own = self.start(native, isolation)?;
                own.set_planned_with(self.planned_with);
                match statement((native, planner, &self.given), &mut own, text, &mut work) {
                    Ok(done) => {
                        self.before_commit(native, &mut own)?;
                        own.commit().map(|_| done)
                    }
                    Err(error) => {
                        own.rollback();
                        Err(error)
                    }
                }
            }
        }
    }
}

fn statement<T>(
    (native, planner, given): (&Native, &Planner, &Arc<Given>),
    transaction: &mut Transaction,
    text: &Arc<str>,
    work: &mut impl FnMut(&mut Transaction) -> Result<Changed<T>>,
) -> Result<T> {
    transaction.set_shared_statement(text);
    let savepoint = transaction.savepoint();
    for _ in 0..RESTARTS {
        let outcome = match work(transaction) {
            Ok(Changed::Done(done)) => match carry_out((native, planner, given), transaction, &savepoint) {
                Ok(true) => transaction.end_statement().map(|()| Changed::Done(done)),
                Ok(false) => Ok(Changed::Overtaken),
                Err(error) => Err(error),
            },
            other => other,
        };
        match outcome {
            Ok(Changed::Done(done)) => return Ok(done),
            Ok(Changed::Overtaken) => {
                transaction.rollback_to(&savepoint)?;
                transaction.wait_for_commits()?;
            }
            Err(error) => {
                transaction.rollback_to(&savepoint)?;
                if error.code() != Code::Conflict || !transaction.look_again() {
                    return Err(error);
                }
                transaction.wait_for_commits()?;
            }
        }
    }
    let message = "other transactions changed the rows of this statement whenever it began";
    Err(Error::new(Code::Conflict, message).hint("run it again"))
}

/// Sees that the statement finds in its tables what it should, and notes that it reads them.
///
/// Errors: `DefinitionChanged`, and `Conflict` for a table that is younger than what the transaction sees.
pub(super) fn note_reads(transaction: &mut Transaction, tables: &[Arc<dyn Table>]) -> Result<()> {
    for Shown(table) in tables.iter().filter_map(native) {
        transaction.check_seen(table)?;
        transaction.note_read(table, Read::Everything);
    }
    Ok(())
}

impl Open {
    fn place_of(&self, name: &str) -> Result<usize> {
        let place = self.savepoints.iter().rposition(|(known, ..)| known == name);
        place.ok_or_else(|| Error::new(Code::TransactionState, format!("there is no savepoint \"{name}\"")))
    }
}

/// The store's name for an isolation level.
fn stored(isolation: IsolationLevel) -> Isolation {
    match isolation {
        IsolationLevel::ReadUncommitted | IsolationLevel::ReadCommitted => Isolation::ReadCommitted,
        IsolationLevel::RepeatableRead => Isolation::RepeatableRead,
        IsolationLevel::Snapshot => Isolation::Snapshot,
        IsolationLevel::Serializable => Isolation::Serializable,
    }
}

fn no_transaction() -> Error {
    Error::new(Code::TransactionState, "no transaction is open").hint("BEGIN one first")
}
