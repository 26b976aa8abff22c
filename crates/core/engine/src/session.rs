//! A session: one user's settings, and the statement that runs.

mod again;
mod compile;
mod create;
mod define;
mod explain;
mod files;
mod identities;
mod joint;
mod located;
mod outside;
mod query;
mod ranges;
mod read_counts;
mod rights;
mod settings;
mod show;
mod wish;
mod writable;

pub(crate) use again::again;
pub(crate) use joint::{is_internal, settle_commits};
pub use ranges::Bound;
pub(crate) use read_counts::{count_row, count_run};
pub use settings::Setting;

use crate::Database;
use crate::activity::SessionWork;
use crate::collected::CollectedRows;
use crate::database::Shared;
use crate::native::{
    Changer, Definitions, Form, Given, Native, Outlook, SessionCatalog, SessionSequences, SessionTransaction, accounts,
    key_of,
};
use crate::prepared::{Prepared, Workspace};
use crate::words::{self, Words};
use crate::writable::{Changed, Definition, cannot_be_changed};
use arrow_schema::{Field, Schema};
use compile::Compiler;
use mainstay_planner::dialect::FunctionsInForce;
use mainstay_planner::{
    Answer, CancelHandle, DropKind, FileReading, Name, Newest, Progress, Relation, RunOptions, Statement,
    TransactionStatement, UserFunctions, Visibility,
};
use mainstay_store::{TemporaryTables, Transaction};
use mainstay_types::{Code, Error, Result};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use wish::Wish;

/// A session on a database. It runs one statement at a time; sessions of other threads run beside it.
pub struct Session {
    pub(crate) database: Database,
    cancel: CancelHandle,
    progress: Arc<Progress>,
    timeout: Option<Duration>,
    visibility: Visibility,
    /// How its language reads the fields of files.
    reading: FileReading,
    transaction: SessionTransaction,
    /// Buffers that runs of the row executor reuse.
    workspace: Workspace,
}

/// A column of a table that statements can change, for callers that generate statements.
#[derive(Clone, Debug)]
pub struct ChangeableColumn {
    /// Its name and type. The metadata has what its dialect declared.
    pub field: Arc<Field>,
    /// True if its numbers come from a sequence, or from the counter of a DBF.
    pub is_identity: bool,
    /// True if it is computed from others.
    pub is_computed: bool,
}

impl Session {
    pub(crate) fn new(database: Database) -> Session {
        let options = &database.shared.options;
        let visibility = if options.show_deleted { Visibility::Shown } else { Visibility::Live };
        let timeout = options.statement_timeout;
        let (cancel, progress) = (CancelHandle::default(), Arc::<Progress>::default());
        let ends = Wish::of(&cancel, &progress);
        let transaction = SessionTransaction::new(ends, accounts(&database.shared.planner));
        transaction.given.set_read_only(database.shared.options.read_only);
        Session {
            cancel,
            progress,
            timeout,
            visibility,
            reading: FileReading::AS_THEY_ARE,
            transaction,
            workspace: Workspace::default(),
            database,
        }
    }

    /// Runs one statement. Its rows come with [`Answer::next_batch`]; a statement without rows has run when
    /// this returns.
    ///
    /// Errors carry a code, the place in `statement` where that is known, and often a hint.
    pub fn execute(&mut self, statement: &str) -> Result<Answer> {
        self.begin_statement();
        let placed = |error| mainstay_planner::placed(error, statement);
        self.run_text(statement).map_err(placed).map_err(|error| self.located(error, statement))
    }

    /// Runs a change that neither cancellation nor the timeout ends: for the clean-up after a cancelled request.
    ///
    /// Errors: as [`Session::execute`].
    pub fn execute_uninterrupted(&mut self, statement: &str) -> Result<Answer> {
        self.transaction.set_uninterrupted(true);
        let done = self.execute(statement);
        self.transaction.set_uninterrupted(false);
        done
    }

    /// Begins a statement: its time counts from now, and a cancellation of the one before is reset.
    #[inline]
    pub(crate) fn begin_statement(&self) {
        self.cancel.begin(self.timeout);
    }

    /// Runs a statement that has begun.
    pub(crate) fn run_text(&mut self, statement: &str) -> Result<Answer> {
        match self.transaction.planned_with {
            Some(_) => self.run_once(statement),
            None => again(|| self.run_once(statement)),
        }
    }

    fn run_once(&mut self, statement: &str) -> Result<Answer> {
        // Only queries have cached plans, so a text with a cached plan is a query.
        if let Some(planned) = self.known_query(statement) {
            return self.run_query(&planned, words::without_end(statement));
        }
        match Words::of(statement)? {
            Words::Query(query) if words::may_lock(query) || words::may_change(query) => self.other(query),
            Words::Query(query) => self.query(query),
            Words::Other(statement) => self.other(statement),
            Words::Explain { analyze, statement, offset } => {
                self.explain(statement, analyze).map_err(|error| moved(error, offset))
            }
            Words::ShowTables(pattern) => self.show_tables(pattern.as_deref()),
            Words::ShowColumns(table) => self.show_columns(&table),
            Words::ShowIndexes(table) => self.show_indexes(&table),
            Words::ShowSettings(name) => self.show_settings(name.as_deref()),
            Words::Upkeep(upkeep, table) => self.upkeep(upkeep, &table),
            Words::Set { name, value } => {
                self.set(&name, &value)?;
                Ok(nothing())
            }
        }
    }

    /// Prepares a statement. Its parameters are written `?`, or `$1` and so on.
    ///
    /// Errors: those of parsing. Most names are looked up at execution.
    pub fn prepare(&mut self, statement: &str) -> Result<Prepared> {
        Prepared::new(self, statement)
    }

    /// An empty collection of rows for a language; `purpose` names them in errors ("the rows of a cursor").
    pub fn collected_rows(&self, purpose: &'static str) -> CollectedRows {
        CollectedRows::new(&self.database.shared.planner, purpose)
    }

    /// Makes changes and locking queries wait for uncommitted rows of others, at every level but snapshot, as engines with
    /// lock-based isolation do. If the first statement of a transaction has waited, it reads the rows committed then.
    pub fn wait_for_pending_rows(&mut self) {
        self.transaction.set_waiting(|waiting| waiting.for_pending = true);
    }

    /// Sets the deadlock priority, 0 by default. The lowest one is the victim; among equals, the last to wait.
    pub fn set_deadlock_priority(&mut self, priority: i8) {
        self.transaction.set_waiting(|waiting| waiting.deadlock_priority = priority);
    }

    /// The transaction of the session and its locks, for other threads; the same object for all statements.
    pub fn work(&self) -> Arc<SessionWork> {
        Arc::clone(&self.transaction.work)
    }

    /// The next number of an identity column, by its sequence.
    pub(crate) fn next_identity(&self, sequence: u64) -> Result<i64> {
        let (scope, given) = (self.scope(), Arc::clone(&self.transaction.given));
        SessionSequences { scope, given }.next_of(sequence)
    }

    /// Registers a language's functions for queries of this session.
    pub fn set_functions(&mut self, functions: Arc<dyn UserFunctions>) {
        self.transaction.functions = Some(functions);
    }

    /// The view of this session's statements, for the session in which the functions run that they call: that session's
    /// statements read by it with [`Session::read_beside`]. The object is the same for all statements.
    pub fn outlook(&mut self) -> Arc<Outlook> {
        self.transaction.outlook(&self.database.shared.catalog.native)
    }

    /// Lets the statements of this session read by the view of another session's running statement, except for temporary
    /// tables, which stay its own. They may change only these.
    pub fn read_beside(&mut self, outlook: Arc<Outlook>) {
        self.transaction.read_beside(outlook);
    }

    /// Sets whether statements read by the view of the other session's running statement (`true`, the initial setting), or
    /// by that of a statement that it would begin now. Returns the old setting.
    pub fn see_statement(&mut self, is_of_statement: bool) -> bool {
        self.transaction.see_statement(is_of_statement)
    }

    /// A handle with which another thread cancels the running statement.
    pub fn cancel_handle(&self) -> CancelHandle {
        self.cancel.clone()
    }

    /// Sets the timeout of statements, like the setting `timeout`; `None` removes it.
    pub fn set_timeout(&mut self, timeout: Option<Duration>) {
        self.timeout = timeout;
    }

    /// The timeout of statements.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Cancels statements together with those of another session, by its handle: for the sessions of functions.
    pub fn end_with(&mut self, cancel: &CancelHandle) {
        self.cancel = cancel.clone();
        self.transaction.end_with(Wish::of(cancel, &self.progress));
    }

    /// The progress of the running statement; the same object for all statements of the session.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// Names a file outside of the folder, for as long as the database is open.
    pub fn attach(&mut self, path: &Path, name: &str) -> Result<()> {
        self.database.shared.catalog.attach(&std::path::absolute(path)?, name)
    }

    /// Removes a name that [`attach`](Session::attach) has given.
    pub fn detach(&mut self, name: &str) {
        self.database.shared.catalog.detach(name);
    }

    /// The names that are visible to the next statement.
    fn catalog<'d>(&self, shared: &'d Shared) -> SessionCatalog<'d> {
        let (scope, given) = (self.transaction.scope(&shared.catalog.native), Arc::clone(&self.transaction.given));
        let functions = self.transaction.functions.clone();
        SessionCatalog { folder: &shared.catalog, scope, given, functions, reading: self.reading }
    }

    /// Lets the expressions of tables call the session's functions.
    pub(crate) fn functions_in_force(&self) -> Option<FunctionsInForce> {
        self.transaction.functions_in_force()
    }

    /// The catalog of the next statement.
    pub(crate) fn scope(&self) -> crate::native::Scope {
        self.transaction.scope(self.native())
    }

    /// The database.
    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// The rows of files that queries see.
    pub(crate) fn visibility(&self) -> Visibility {
        self.visibility
    }

    /// The last numbers that tables and sequences gave the session.
    pub(crate) fn given(&self) -> &Given {
        &self.transaction.given
    }

    /// The native tables of the database.
    pub(crate) fn native(&self) -> &Native {
        &self.database.shared.catalog.native
    }

    /// The version of the catalog.
    pub fn catalog_version(&self) -> u64 {
        match self.transaction.has_changed_catalog() || self.transaction.sees_changed_catalog() {
            true => self.transaction.scope(self.native()).version(),
            false => self.transaction.version(self.native().version()),
        }
    }

    /// The version of the committed catalog, without the session's transaction and temporary tables.
    pub fn shared_catalog_version(&self) -> u64 {
        self.native().version()
    }

    /// A native table, for changes and reads by key.
    pub(crate) fn form(&self, key: &str) -> Result<Arc<Form>> {
        self.native().form(&self.database.shared.planner, &self.transaction.scope(self.native()), key)
    }

    /// Compiles statements for the row executor.
    pub(crate) fn compiler(&self) -> Compiler<'_> {
        Compiler(self)
    }

    pub(crate) fn read_native<T>(
        &mut self,
        text: &Arc<str>,
        work: impl FnOnce(&mut Transaction, mainstay_store::View) -> Result<T>,
    ) -> Result<T> {
        self.transaction.read(&self.database.shared.catalog.native, text, work)
    }

    pub(crate) fn change_native<T>(
        &mut self,
        text: &Arc<str>,
        work: impl FnMut(&mut Transaction) -> Result<Changed<T>>,
    ) -> Result<T> {
        let shared = &self.database.shared;
        self.transaction.change((&shared.catalog.native, &shared.planner), text, work)
    }

    /// Runs a plan of the caller for this version of the catalog.
    ///
    /// Errors: `DefinitionChanged` if the version is outdated, and those of `run`.
    pub(crate) fn as_planned<T>(&mut self, catalog: u64, run: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        self.transaction.planned_with = Some(catalog);
        let done = run(self);
        self.transaction.planned_with = None;
        done
    }

    /// Checks that the catalog still has the version for which the caller has planned the statement.
    ///
    /// Errors: `DefinitionChanged`.
    pub(crate) fn check_planned(&self) -> Result<()> {
        self.native().check_planned(self.transaction.planned_with)
    }

    /// Locks a native table exclusively until the transaction ends, to change objects that belong to it outside of its
    /// definition: waits for all writers, and blocks new ones. File tables and temporary tables are not locked.
    ///
    /// Errors: those of waiting. A transaction must be open.
    pub fn hold_table(&mut self, table: &str) -> Result<()> {
        let key = table.replace('"', "").to_lowercase();
        again(|| match self.form(&key) {
            Err(error) if error.code() == Code::UnknownTable => Ok(()),
            form => {
                let table = Arc::clone(&form?.table);
                self.with_open(|transaction| transaction.hold(&table))
            }
        })
    }

    /// The session's temporary tables, if a change of them is a separate transaction.
    #[inline]
    pub(crate) fn temporary_alone(&self) -> Option<&Arc<TemporaryTables>> {
        self.transaction.temporary_alone()
    }

    pub(crate) fn own_transaction(&mut self) -> Result<Option<Transaction>> {
        self.transaction.own(&self.database.shared.catalog.native)
    }

    pub(crate) fn with_open<T>(&mut self, work: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        work(self.transaction.open()?)
    }

    /// The view of a cursor, and the transaction that keeps it if none is open.
    pub(crate) fn cursor_view(&mut self) -> Result<(mainstay_store::View, Option<Transaction>)> {
        match self.own_transaction()? {
            Some(mut own) => Ok((own.begin_statement()?, Some(own))),
            None => Ok((self.transaction.open()?.begin_statement()?, None)),
        }
    }

    /// A statement that is neither a query nor one of ours.
    fn other(&mut self, text: &str) -> Result<Answer> {
        let statement = Statement::parse(text)?;
        let database = self.database.clone();
        let native = &database.shared.catalog.native;
        match &statement {
            Statement::Query => self.query(text),
            Statement::Transaction(statement) => self.transaction_statement(statement),
            Statement::Insert(insert) => self.change_rows(text, &insert.table, &statement),
            Statement::Update(update) => self.change_rows(text, &update.table, &statement),
            Statement::Delete(delete) => self.change_rows(text, &delete.table, &statement),
            Statement::Merge(merge) => self.change_rows(text, &merge.table, &statement),
            Statement::LockRows(locking) => self.change_rows(text, &locking.table, &statement),
            Statement::Truncate { names, restart } => self.truncate(text, names, *restart),
            Statement::CreateTable(create) => self.create_table(text, create),
            Statement::CreateIndex(create) => self.define_table(text, &create.table, &Definition::CreateIndex(create)),
            Statement::AlterTable(alter) => self.define_table(text, &alter.table, &Definition::Alter(alter)),
            Statement::CreateView(create) => self.create_view(text, create),
            Statement::CreateSequence(create) => {
                self.create(text, |transaction| Definitions::shared(native).create_sequence(transaction, create))
            }
            Statement::CreateSchema { name, if_not_exists } => self.create(text, |transaction| {
                Definitions::shared(native).create_schema(transaction, name, *if_not_exists)
            }),
            Statement::Drop(drop) => self.drop_objects(text, drop),
            Statement::AlterSequence(alter) => {
                self.change(text, |changer, transaction| changer.alter_sequence(transaction, alter))
            }
            Statement::Rename(rename) => self.change(text, |changer, transaction| changer.rename(transaction, rename)),
            Statement::SetSchema(set) => self.change(text, |changer, transaction| changer.set_schema(transaction, set)),
        }
    }

    /// DROP of objects of the store.
    pub(crate) fn drop_native(&mut self, text: &str, drop: &mainstay_planner::Drop) -> Result<Answer> {
        let database = self.database.clone();
        let native = &database.shared.catalog.native;
        // The view exists, so another name is missing.
        let is_here = |name: &Name| {
            let relation = self.transaction.scope(native).relation(&key_of(name));
            drop.kind == DropKind::View && matches!(relation, Ok(Some(Relation::View { .. })))
        };
        let missing: Vec<Name> = drop.names.iter().filter(|name| !is_here(name)).cloned().collect();
        self.define(text, |transaction| Definitions::drop(native, transaction, drop))
            .map_err(|error| self.of_a_file(&missing, error))
    }

    /// Runs a statement that changes the store, in the open transaction or in a separate one.
    pub(crate) fn change<T>(
        &mut self,
        text: &str,
        mut work: impl FnMut(&Changer<'_>, &mut Transaction) -> Result<Changed<T>>,
    ) -> Result<T> {
        let database = self.database.clone();
        let shared = &database.shared;
        let (cancel, progress) = (self.cancel.clone(), Arc::clone(&self.progress));
        let options = || RunOptions { cancel: cancel.clone(), progress: Arc::clone(&progress), view: Newest::shared() };
        let native = &shared.catalog.native;
        let catalog = self.catalog(shared);
        let given = &Arc::clone(&self.transaction.given);
        let planner = &*shared.planner;
        let (catalog, options) = (&catalog, &options);
        let folder = &shared.catalog;
        let changer = Changer { native, planner, catalog, folder, options, text, given };
        let place = (native, &*shared.planner);
        self.transaction.change(place, &Arc::from(text), |transaction| work(&changer, transaction))
    }

    /// Runs a statement that creates an object, and creates the store if it is missing.
    fn create(&mut self, text: &str, work: impl FnMut(&mut Transaction) -> Result<()>) -> Result<Answer> {
        self.check_may_define()?;
        self.native().make_kept()?;
        self.define(text, work)
    }

    /// Runs a statement that changes the catalog.
    pub(crate) fn define(
        &mut self,
        text: &str,
        mut work: impl FnMut(&mut Transaction) -> Result<()>,
    ) -> Result<Answer> {
        let database = self.database.clone();
        let place = (&database.shared.catalog.native, &*database.shared.planner);
        self.transaction.change(place, &Arc::from(text), |transaction| work(transaction).map(Changed::Done))?;
        Ok(nothing())
    }

    /// Returns true if there is a native table or a view of this name.
    pub(crate) fn is_known(&self, name: &Name) -> Result<bool> {
        Ok(self.transaction.scope(self.native()).relation(&key_of(name))?.is_some())
    }

    /// The error of a statement that changes the catalog: a file table exists, and cannot be changed.
    pub(crate) fn of_a_file(&self, names: &[Name], error: Error) -> Error {
        let folder = &self.database.shared.catalog;
        let scope = self.transaction.scope(self.native());
        let is_view = |key: &str| matches!(scope.relation(key), Ok(Some(Relation::View { .. })));
        let is_file = |name: &&Name| {
            let key = key_of(name);
            is_view(&key) || folder.file(&key).is_ok_and(|relation| relation.is_some())
        };
        match names.iter().find(is_file) {
            Some(name) if error.code() == Code::UnknownTable => cannot_be_changed(name, is_view(&key_of(name))),
            _ => error,
        }
    }

    fn transaction_statement(&mut self, statement: &TransactionStatement) -> Result<Answer> {
        let database = self.database.clone();
        let native = &database.shared.catalog.native;
        match statement {
            TransactionStatement::Begin(isolation) => self.transaction.begin(native, *isolation)?,
            TransactionStatement::Commit => self.commit_begun()?,
            TransactionStatement::Rollback(None) => self.rollback()?,
            TransactionStatement::Rollback(Some(name)) => self.transaction.rollback_to(&name.key)?,
            TransactionStatement::Savepoint(name) => self.transaction.savepoint(&name.key)?,
            TransactionStatement::Release(name) => self.transaction.release(&name.key)?,
            TransactionStatement::Isolation(isolation) => self.transaction.set_next_isolation(*isolation)?,
            TransactionStatement::Constraints { names, deferred } => {
                self.transaction.set_constraints(native, names, *deferred)?;
            }
        }
        Ok(nothing())
    }
}

/// The answer of a statement without rows.
pub(crate) fn nothing() -> Answer {
    Answer::of(Arc::new(Schema::empty()), Vec::new())
}

impl Drop for Session {
    fn drop(&mut self) {
        self.transaction.abandon();
    }
}

/// The error with its place moved by the length of the text before the statement.
fn moved(error: Error, offset: usize) -> Error {
    match error.text_span() {
        Some((start, end)) => error.span(start + offset, end + offset),
        None => error,
    }
}
