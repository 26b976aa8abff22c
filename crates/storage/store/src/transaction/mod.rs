//! Transactions: views, waits, commit and rollback.
//!
//! A [`Transaction`] belongs to one session at a time. It reads at a [`View`], marks its writes, and keeps a list of
//! them, to turn the marks into a commit number at the end, or to undo everything.
//!
//! ```text
//!   begin(isolation)
//!     begin_statement()  -> View     read committed: the last published commit; else that of the first statement
//!       table.insert / update / delete     marks; waits for other transactions where they were first
//!       savepoint, rollback_to
//!     end_statement()                references are checked
//!   commit()  = number, journal, stamps, publish          rollback() = undo in reverse order
//! ```
//!
//! | isolation | reads at | another transaction changed the row first |
//! |---|---|---|
//! | read committed | a new view for every statement | wait, then look at the newest version |
//! | repeatable read, snapshot | the first statement's view | wait, then fail with `Conflict` |
//! | serializable | the same, and everything read is noted and compared at the commit | the same |
//!
//! A transaction that is dropped without commit is rolled back.

mod commit;
mod deferral;
pub(crate) mod definitions;
mod held;
mod held_locks;
pub(crate) mod history;
pub(crate) mod locks;
pub(crate) mod log;
mod memory;
pub(crate) mod names;
mod obstacle;
mod outlook;
mod own_catalog;
mod pending;
pub(crate) mod ranges;
mod refusal;
mod restart;
mod rights;
pub(crate) mod serializable;
pub(crate) mod shared;
mod undo;
pub(crate) mod views;
pub(crate) mod waits;

pub use held_locks::{Held, HeldLock};
pub use locks::LockMode;
pub use log::{Journal, NoJournal, Redo};
pub(crate) use memory::Balance;
pub use memory::{Account, Accounts};
pub(crate) use obstacle::{Obstacle, obstacle, overtaken};
pub use outlook::Outlook;
pub(crate) use own_catalog::CatalogNote;
pub use ranges::{Interval, KeyRange};
pub use refusal::HolderNames;
pub use serializable::Read;
pub use undo::Savepoint;

use crate::catalog::temporary::TemporaryTables;
use crate::journal::Durability;
use crate::stamp::{MARK, View};
use crate::table::{Check, NativeTable};
use deferral::Deferral;
use definitions::DefinitionLock;
use locks::RowName;
use mainstay_types::{Code, Error, Result};
use memory::WritePace;
use names::Subject;
use own_catalog::{CatalogStep, OwnCatalog};
use shared::Shared;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use views::Ticket;
use waits::Waiter;
pub use waits::{Awaited, Wait};

/// The isolation level of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isolation {
    /// Every statement sees what was committed before it began.
    ReadCommitted,
    /// All statements see what was committed before the first one.
    RepeatableRead,
    /// The same as repeatable read, under its own name.
    Snapshot,
    /// As if transactions ran one after the other.
    Serializable,
}

/// A change, for commit and undo. Tables are numbered as the transaction met them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Write {
    /// Rows in slots that follow each other.
    Inserted { table: u32, first: u64, count: u32 },
    /// A version that replaces another.
    Updated { table: u32, old: u64, new: u64 },
    /// Rows that are gone, of versions in slots that follow each other.
    Deleted { table: u32, first: u64, count: u32 },
}

/// A unit of work.
pub struct Transaction {
    shared: Arc<Shared>,
    isolation: Isolation,
    /// 0 until the first write.
    id: u64,
    /// Where others find that number while it is open.
    sign: Option<Arc<AtomicU64>>,
    ticket: Option<Ticket>,
    view: Option<View>,
    statement: Option<Arc<str>>,
    lock_timeout: Option<Duration>,
    deadlock_priority: i8,
    /// True if changes wait for rows that others have put in and not committed.
    waits_for_pending: bool,
    /// True if its first statement has not ended, so that nothing was done yet by what its view shows.
    is_fresh: bool,
    /// Its writes, which end when the statement is to end.
    pace: WritePace,
    writes: Vec<Write>,
    /// The number of versions it has ended, those included that were rolled back.
    ended: usize,
    /// True if the last write may be extended by the next one: not beyond a savepoint.
    extensible: bool,
    /// The tables that it writes; it has its part in the lock of each.
    tables: Vec<Arc<NativeTable>>,
    /// The definitions that it has alone.
    claimed: Vec<Arc<DefinitionLock>>,
    /// The names that it has.
    names: Vec<Subject>,
    redo: Option<Box<dyn Redo>>,
    reads: Vec<(u32, Read)>,
    locked: Vec<RowName>,
    /// True if it holds ranges of tables.
    has_ranges: bool,
    pub(crate) checks: Vec<Check>,
    /// The version of the catalog for which the SQL layer has planned its statements.
    planned_with: Option<u64>,
    /// The checks that wait for the end of the transaction.
    deferral: Deferral,
    durability: Durability,
    /// The catalog as this transaction has changed it, and as its statement has seen it.
    own_catalog: OwnCatalog,
    /// The temporary tables of its session.
    temporary: Option<Arc<TemporaryTables>>,
    /// Where others find what its statements see.
    outlook: Option<Arc<Outlook>>,
    /// The one beside which it reads, and whether it sees what that one's statement does, and not what it would see now.
    beside: Option<(Arc<Outlook>, bool)>,
    /// The changes of the catalog, for their undo.
    steps: Vec<CatalogStep>,
    /// Further actions of a rollback.
    reversals: undo::Reversals,
    is_over: bool,
    /// True if it may change temporary tables only.
    is_read_only: bool,
}

/// The lists of a transaction, empty, for the thread's next one.
type Lists = (Vec<Write>, Vec<Arc<NativeTable>>);

/// Lists longer than this are not kept.
const KEPT_WRITES: usize = 1024;

thread_local! {
    static SPARE: Cell<Option<Lists>> = const { Cell::new(None) };
}

impl Transaction {
    pub(crate) fn new(shared: Arc<Shared>, isolation: Isolation) -> Transaction {
        let durability = shared.journal.durability();
        let (writes, tables) = SPARE.try_with(Cell::take).ok().flatten().unwrap_or_default();
        Transaction {
            shared,
            isolation,
            durability,
            own_catalog: OwnCatalog::default(),
            temporary: None,
            outlook: None,
            beside: None,
            steps: Vec::new(),
            reversals: undo::Reversals::default(),
            id: 0,
            sign: None,
            ticket: None,
            view: None,
            statement: None,
            lock_timeout: None,
            deadlock_priority: 0,
            waits_for_pending: false,
            is_fresh: false,
            pace: WritePace::default(),
            writes,
            ended: 0,
            extensible: false,
            tables,
            claimed: Vec::new(),
            names: Vec::new(),
            redo: None,
            reads: Vec::new(),
            locked: Vec::new(),
            has_ranges: false,
            planned_with: None,
            checks: Vec::new(),
            deferral: Deferral::default(),
            is_over: false,
            is_read_only: false,
        }
    }

    /// Its isolation.
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// Names the statement that runs next, for messages about deadlocks and waits.
    pub fn set_statement(&mut self, text: impl Into<Arc<str>>) {
        self.statement = Some(text.into());
    }

    /// The same with a text that often comes again.
    #[inline]
    pub fn set_shared_statement(&mut self, text: &Arc<str>) {
        if self.statement.as_ref().is_none_or(|known| !Arc::ptr_eq(known, text)) {
            self.statement = Some(Arc::clone(text));
        }
    }

    /// Sets the version of the catalog for which the SQL layer has planned the statements, and from more than the
    /// catalog shows: from triggers, which belong to a table and are not in its definition. A write that has waited for
    /// an exclusive lock on the table then is `DefinitionChanged`, whatever the holder did.
    #[inline]
    pub fn set_planned_with(&mut self, catalog: Option<u64>) {
        self.planned_with = catalog;
    }

    /// The version that was said.
    #[inline]
    pub fn planned_with(&self) -> Option<u64> {
        self.planned_with
    }

    /// Sets the time that a write may wait for another transaction; `None`, the default, for ever.
    pub fn set_lock_timeout(&mut self, timeout: Option<Duration>) {
        self.lock_timeout = timeout;
    }

    /// Of those in a deadlock the one of the lowest priority gives way; 0 unless it is said.
    pub fn set_deadlock_priority(&mut self, priority: i8) {
        self.deadlock_priority = priority;
    }

    /// Sets the durability that the commit needs before it is acknowledged; the default is the store's.
    pub fn set_durability(&mut self, durability: Durability) {
        self.durability = durability;
    }

    /// Publishes its number there from the first write to its end; 0 is no number.
    pub fn set_sign(&mut self, sign: Arc<AtomicU64>) {
        self.sign = Some(sign);
    }

    /// Says which temporary tables its session has.
    pub fn set_temporary(&mut self, temporary: Arc<TemporaryTables>) {
        self.temporary = Some(temporary);
    }

    /// The temporary tables of its session, if that has any.
    pub fn temporary(&self) -> Option<&Arc<TemporaryTables>> {
        self.temporary.as_ref()
    }

    /// Returns true if anything was written.
    pub fn has_written(&self) -> bool {
        !self.writes.is_empty() || !self.steps.is_empty()
    }

    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    /// Waits for the end of another transaction, or until that gives back what it holds.
    fn wait_as(&self, (what, named): (Awaited, &str), holder: u64, is_held: impl Fn() -> bool) -> Result<()> {
        let statement = self.statement.clone().unwrap_or_else(|| Arc::from("a statement"));
        let (transaction, timeout, priority) = (self.id, self.lock_timeout, self.deadlock_priority);
        let waiter = Waiter { transaction, statement: &statement, what, named, timeout, priority };
        self.shared.waits.wait(&waiter, holder, is_held)
    }

    /// Begins a statement, and returns its view.
    ///
    /// Errors: the transaction is over, or the store failed.
    pub fn begin_statement(&mut self) -> Result<View> {
        self.check_open()?;
        if let (Some(view), false) = (self.view, self.isolation == Isolation::ReadCommitted) {
            self.is_fresh = false;
            self.show(view, false);
            return Ok(view);
        }
        if self.isolation == Isolation::Serializable {
            // Changes of commits are recorded from now on, and this transaction sees everything before.
            let last = {
                let mut commits = self.shared.commits();
                commits.history.enter();
                commits.last
            };
            if let Err(error) = self.shared.wait_published_for(last, None) {
                self.shared.commits().history.leave();
                return Err(error);
            }
        }
        let ticket = self.ticket.get_or_insert_with(|| self.shared.views.ticket());
        let commit = self.shared.views.look(ticket, self.shared.published());
        if let Some(temporary) = &self.temporary {
            temporary.note_look(commit);
        }
        let mut view = View::at(commit, self.mark_or_none());
        if let Some((outlook, is_of_statement)) = &self.beside {
            let (seen, mark) = outlook.seen();
            view = view.beside((if *is_of_statement { seen } else { commit }, mark));
        }
        self.show(view, self.view.is_none());
        self.is_fresh = self.view.is_none();
        self.view = Some(view);
        Ok(view)
    }

    /// Waits until everything that other transactions have committed so far is published, so that the next view shows it.
    ///
    /// Errors: the store failed, and it never will be; those of [`mainstay_types::interrupt`].
    pub fn wait_for_commits(&self) -> Result<()> {
        let last = self.shared.commits().last;
        self.shared.wait_published_for(last, None).map(drop)
    }

    /// The current committed state, whatever the statement sees: for a table that the transaction holds
    /// ([`Transaction::hold`]), where vacuum does not run meanwhile.
    ///
    /// Errors: the store failed.
    pub fn view_of_now(&self) -> Result<View> {
        let last = self.shared.commits().last;
        self.shared.wait_published_for(last, None)?;
        Ok(View::at(last, self.mark_or_none()))
    }

    /// The view of the current statement. Begins a statement if there is none.
    pub fn view(&mut self) -> Result<View> {
        match self.view {
            Some(view) => Ok(view),
            None => self.begin_statement(),
        }
    }

    /// Ends a statement: checks the references of the rows it wrote. Under read committed, what was dead before it may be
    /// cleaned up from now on.
    ///
    /// Errors: `ForeignKeyViolation`, and those of waiting. The caller then rolls back to before the statement.
    pub fn end_statement(&mut self) -> Result<()> {
        self.run_checks()?;
        self.is_fresh = false;
        self.own_catalog.look_away();
        if self.isolation == Isolation::ReadCommitted {
            self.view = None;
            if let Some(ticket) = &mut self.ticket {
                self.shared.views.look_away(ticket);
            }
        }
        Ok(())
    }

    /// Sees that its statement finds in a table what it should.
    ///
    /// Errors: as [`NativeTable::check_seen`].
    pub fn check_seen(&self, table: &NativeTable) -> Result<()> {
        self.view.map_or(Ok(()), |view| table.check_seen(view))
    }

    /// Notes what was read, for a serializable transaction; others need not.
    pub fn note_read(&mut self, table: &NativeTable, read: Read) {
        if let Some((outlook, _)) = &self.beside {
            outlook.note_read(table.id(), read);
        } else if self.isolation == Isolation::Serializable {
            self.reads.push((table.id(), read));
        }
    }

    /// The mark of this transaction, for a write that is about to begin. The first one makes it a writer.
    ///
    /// Errors: the transaction is over, the store failed, or the statement is to end ([`mainstay_types::interrupt`]).
    #[inline]
    pub(crate) fn mark(&mut self) -> Result<u64> {
        if self.pace.step_of_write()? {
            self.count_changes()?;
        }
        if self.id == 0 {
            self.check_open()?;
            self.id = self.shared.start_writing()?;
            if let Some(sign) = &self.sign {
                sign.store(self.id, Ordering::Relaxed);
            }
            if let Some(view) = &mut self.view {
                *view = view.marked(MARK | self.id);
            }
            if let Some(outlook) = &self.outlook {
                outlook.set_mark(MARK | self.id);
            }
        }
        Ok(MARK | self.id)
    }

    /// Returns true if it has written before.
    #[inline]
    pub(crate) fn is_writer(&self) -> bool {
        self.id != 0
    }

    /// The mark of this transaction; 0 before its first write.
    pub(crate) fn mark_or_none(&self) -> u64 {
        if self.id == 0 { 0 } else { MARK | self.id }
    }

    fn check_open(&self) -> Result<()> {
        if self.is_over { Err(Error::new(Code::Internal, "the transaction is over")) } else { Ok(()) }
    }

    /// Waits until an obstacle is gone, and what the other transaction did is published.
    ///
    /// Errors: `Deadlock`, `LockTimeout`, those of [`mainstay_types::interrupt`], or the store failed.
    pub(crate) fn wait(&self, obstacle: &Obstacle) -> Result<()> {
        let named = |error, holder| self.with_holder(error, holder, |own| own.lock_text(obstacle));
        match obstacle {
            Obstacle::Mark { group, offset, stamp } => {
                let holder = *stamp & !MARK;
                let is_held = || group.created(*offset) == *stamp || group.ended(*offset) == *stamp;
                self.wait_as((Awaited::Row, "a row"), holder, is_held).map_err(|error| named(error, holder))?;
                let stamps = [group.created(*offset), group.ended(*offset)];
                stamps.into_iter().filter(|stamp| *stamp < MARK).try_for_each(|commit| self.wait_for_commit(commit))
            }
            Obstacle::Commit { commit } => self.wait_for_commit(*commit),
            Obstacle::Lock { row, holder, mode } => {
                let is_held = || self.shared.locks.obstacle(*row, self.id, *mode) == Some(*holder);
                self.wait_as((Awaited::Row, "a row"), *holder, is_held).map_err(|error| named(error, *holder))
            }
            Obstacle::Range { table, holder } => {
                let is_held = || self.shared.ranges.holds(*table, *holder);
                self.wait_as((Awaited::Range, "rows"), *holder, is_held).map_err(|error| named(error, *holder))
            }
        }
    }

    /// Waits until a commit that is decided is published, as long as for any lock.
    fn wait_for_commit(&self, commit: u64) -> Result<()> {
        if self.shared.wait_published_for(commit, self.lock_timeout)? {
            return Ok(());
        }
        let statement = self.statement.as_deref().unwrap_or("a statement");
        Err(waits::timed_out(statement, self.lock_timeout.unwrap_or_default(), "a row"))
    }

    /// The error of the second of two writers, unless its isolation lets it read again.
    pub(crate) fn check_overtaken(&self) -> Result<()> {
        if self.isolation == Isolation::ReadCommitted {
            return Ok(());
        }
        Err(overtaken())
    }

    /// The commit at which it must not meet rows that were ended since, or `u64::MAX`.
    #[inline]
    pub(crate) fn fixed_view(&self) -> u64 {
        match self.view {
            Some(view) if self.isolation != Isolation::ReadCommitted => view.commit,
            _ => u64::MAX,
        }
    }

    /// The number of a table among those of this transaction.
    #[inline]
    fn table_number(&mut self, table: &Arc<NativeTable>) -> u32 {
        let found = self.tables.iter().rposition(|known| Arc::ptr_eq(known, table));
        found.unwrap_or_else(|| {
            self.tables.push(Arc::clone(table));
            self.tables.len() - 1
        }) as u32
    }

    /// Notes rows that were inserted in slots that follow each other.
    #[inline]
    pub(crate) fn note_inserted(&mut self, table: &Arc<NativeTable>, position: u64, rows: u32) {
        let number = self.table_number(table);
        if let (true, Some(Write::Inserted { table, first, count })) = (self.extensible, self.writes.last_mut())
            && (*table, *first + u64::from(*count)) == (number, position)
            && crate::group::group_of(*first) == crate::group::group_of(position)
        {
            *count += rows;
            return;
        }
        self.writes.push(Write::Inserted { table: number, first: position, count: rows });
        self.extensible = true;
    }

    /// Notes a version that replaces another.
    pub(crate) fn note_updated(&mut self, table: &Arc<NativeTable>, old: u64, new: u64) {
        let table = self.table_number(table);
        self.ended += 1;
        self.writes.push(Write::Updated { table, old, new });
    }

    /// Notes a row that is gone.
    pub(crate) fn note_deleted(&mut self, table: &Arc<NativeTable>, old: u64) {
        let number = self.table_number(table);
        self.ended += 1;
        if let (true, Some(Write::Deleted { table, first, count })) = (self.extensible, self.writes.last_mut())
            && (*table, *first + u64::from(*count)) == (number, old)
            && crate::group::group_of(*first) == crate::group::group_of(old)
        {
            *count += 1;
            return;
        }
        self.writes.push(Write::Deleted { table: number, first: old, count: 1 });
        self.extensible = true;
    }

    /// Notes what the end of the statement has to check.
    pub(crate) fn note_check(&mut self, check: Check) {
        self.checks.push(check);
    }

    /// Where changes of logged tables are written down, if anywhere.
    #[inline]
    pub(crate) fn redo(&mut self) -> Option<&mut (dyn Redo + 'static)> {
        if self.redo.is_none() {
            self.redo = self.shared.journal.redo();
        }
        self.redo.as_deref_mut()
    }

    /// Checks now what is otherwise checked at the end of the statement.
    ///
    /// Errors: as [`Transaction::end_statement`].
    pub fn run_checks(&mut self) -> Result<()> {
        if self.checks.is_empty() {
            return Ok(());
        }
        for check in std::mem::take(&mut self.checks) {
            self.pace.step()?;
            if check.run(self, |transaction, reference| !transaction.is_deferred(reference))? {
                self.deferral.pending.push(check);
            }
        }
        Ok(())
    }

    /// Gives back what a transaction holds besides its marks.
    fn release(&mut self) {
        for row in self.locked.drain(..) {
            self.shared.locks.release(row, self.id);
        }
        if std::mem::take(&mut self.has_ranges) {
            self.shared.ranges.release(self.id);
        }
        if self.id != 0 {
            if let Some(sign) = &self.sign {
                sign.store(0, Ordering::Relaxed);
            }
            self.release_definitions();
            self.shared.waits.wake();
        }
        if self.isolation == Isolation::Serializable && self.view.is_some() {
            self.shared.commits().history.leave();
        }
        if let Some(ticket) = self.ticket.take() {
            self.shared.views.give_back(ticket);
        }
        self.view = None;
        self.is_over = true;
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.is_over {
            self.rollback_all();
        }
        // A short transaction then allocates nothing.
        let (mut writes, mut tables) = (std::mem::take(&mut self.writes), std::mem::take(&mut self.tables));
        if (1..=KEPT_WRITES).contains(&writes.capacity()) {
            writes.clear();
            tables.clear();
            // A thread that is ending has no place for them.
            let _ = SPARE.try_with(|spare| spare.set(Some((writes, tables))));
        }
    }
}
