//! Temporary tables: the catalog of a session, beside the catalog that all sessions share.
//!
//! They are native tables like all others, with the same transactions, but nothing of them is logged: no change of
//! this catalog, no row, no value of a sequence. No other session reads it, so a change waits for no other session and
//! invalidates no plan of another session.
//!
//! Changes are part of the session's transaction and are rolled back with it, in one list with the changes of the other
//! catalog and in order with the rows that were written between them.
//!
//! A procedure creates the same table each time it runs, and drops it. Tables that are dropped in the reverse order of
//! their creation stay available: creating such a table again ([`TemporaryTables::make_again`]) returns to the state
//! with the table, emptied, under the number of that state. So whatever was compiled for that state stays valid.
//!
//! ```text
//!   state 7  --CREATE #t-->  state 8     made:  [7 -> 8]    spare: []
//!   state 8  --DROP #t---->  state 7     made:  []          spare: [7 -> 8]      #t is emptied
//!   state 7  --CREATE #t-->  state 8     the table of before, and the number of before
//! ```
//!
//! Any other change clears both lists, so that no dropped table with rows is referenced by an earlier state. Limits:
//! only tables without indexes, identities and references, outside of a transaction.

use super::Cataloged;
use super::change::{Changed, Step};
use super::scope::Touched;
use super::sequences::Sequences;
use crate::files::catalog::{Catalog, CatalogChange, SchemaDefinition, SequenceDefinition};
use crate::store::Store;
use crate::table::NativeTable;
use crate::transaction::{Balance, CatalogNote, Transaction};
use mainstay_types::{Code, Error, Result};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The first number of temporary tables. They are given round and round: a session that holds one for a billion others
/// would have to share its number.
pub(crate) const FIRST_TEMPORARY: u32 = 3 << 30;

/// The number of the only schema.
const SCHEMA: u64 = 1;

/// Everything else than tables is numbered from here: columns, keys, sequences.
const FIRST_OTHER: u64 = 1 << 32;

/// A version that no state of any session's temporary tables had before.
pub(super) fn next_version() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A change that created a table: the states before and after it.
struct Made {
    before: Arc<Cataloged>,
    after: Arc<Cataloged>,
    table: Arc<NativeTable>,
}

/// The current catalog, and the tables that are created and dropped.
struct State {
    current: Arc<Cataloged>,
    /// The changes that created the last tables, each on the state of the one before it.
    made: Vec<Made>,
    /// Those that were dropped again, empty.
    spare: Vec<Made>,
}

/// So many tables at most are at hand.
const MOST_SPARE: usize = 16;

/// The temporary tables of a session.
pub struct TemporaryTables {
    state: Mutex<State>,
    /// The number of the state while there are tables, else 0.
    number: AtomicU64,
    sequences: Sequences,
    next_id: AtomicU64,
    /// The last commit at which one of the session's transactions may have looked.
    looked_at: AtomicU64,
    /// The memory that is held for the rows.
    balance: Mutex<Balance>,
}

impl TemporaryTables {
    /// None yet. Their schema is called so.
    pub fn new(schema: &str) -> TemporaryTables {
        let mut catalog = Catalog::new();
        catalog.schemas.push(SchemaDefinition { id: SCHEMA, name: schema.to_owned() });
        catalog.next_id = FIRST_OTHER;
        let cataloged = Cataloged { version: 0, catalog: Arc::new(catalog), tables: Default::default() };
        let state = State { current: Arc::new(cataloged), made: Vec::new(), spare: Vec::new() };
        TemporaryTables {
            state: Mutex::new(state),
            number: AtomicU64::new(0),
            sequences: Sequences::default(),
            next_id: AtomicU64::new(FIRST_OTHER),
            // A transaction that was open before there were any did not note its views.
            looked_at: AtomicU64::new(u64::MAX),
            balance: Mutex::default(),
        }
    }

    /// The bytes of memory that the rows and indexes take.
    pub(crate) fn bytes(&self) -> usize {
        let current = Arc::clone(&self.lock().current);
        current.tables.values().map(|table| table.bytes()).sum()
    }

    /// The memory that is held for them.
    pub(crate) fn balance(&self) -> MutexGuard<'_, Balance> {
        self.balance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives back the memory of rows that are gone.
    fn lower_balance(&self) {
        if !self.balance().is_empty() {
            let bytes = self.bytes();
            self.balance().lower_to(bytes);
        }
    }

    /// Notes that a transaction of the session looks at what is there as of a commit.
    #[inline]
    pub(crate) fn note_look(&self, commit: u64) {
        self.looked_at.fetch_max(commit, Ordering::Relaxed);
    }

    /// Notes that all current views were taken before this commit, which no view has seen yet.
    pub(crate) fn note_unseen(&self, commit: u64) {
        self.looked_at.store(commit - 1, Ordering::Relaxed);
    }

    /// Returns true if a row that seems to be of this commit, the last one that is seen, is in no view that there is.
    /// Views that are yet to come have it.
    #[inline]
    pub(crate) fn is_unseen(&self, commit: u64) -> bool {
        self.looked_at.load(Ordering::Relaxed) < commit
    }

    /// The current catalog.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.lock().current.catalog)
    }

    /// A number of this state of them: no other one had it, of whatever session. 0 when there were never any.
    pub fn version(&self) -> u64 {
        self.lock().current.version
    }

    /// The same, if there are any tables.
    #[inline]
    pub fn version_of_tables(&self) -> Option<u64> {
        Some(self.number.load(Ordering::Acquire)).filter(|number| *number != 0)
    }

    /// The table of this number.
    ///
    /// Errors: `UnknownTable`.
    pub fn table(&self, id: u64) -> Result<Arc<NativeTable>> {
        let missing = || Error::new(Code::UnknownTable, format!("there is no temporary table {id}"));
        self.lock().current.tables.get(&id).cloned().ok_or_else(missing)
    }

    /// The number of the schema that all of them are in.
    pub fn schema(&self) -> u64 {
        SCHEMA
    }

    /// A number for a new table.
    pub fn new_table_id(&self) -> u64 {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed) % (u32::MAX - FIRST_TEMPORARY);
        u64::from(FIRST_TEMPORARY + number)
    }

    /// A number for a column, a key or a sequence.
    pub fn new_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// The next value of a sequence of these tables.
    ///
    /// Errors: `InvalidValue` when all are given.
    pub fn next_of(&self, definition: &SequenceDefinition) -> Result<i64> {
        self.sequences.next(definition, |_| Ok(()))
    }

    /// The value that a sequence will give next; `None` when all are given.
    pub fn upcoming_value(&self, definition: &SequenceDefinition) -> Option<i64> {
        self.sequences.upcoming(definition)
    }

    /// Lets a sequence go on after this value, or with it if it was not `given` yet.
    ///
    /// Errors: `InvalidValue` for a value beyond its bounds.
    pub fn set_value(&self, definition: &SequenceDefinition, value: i64, given: bool) -> Result<()> {
        definition.check_value(value)?;
        self.sequences.set_after(definition, value, given, |_| Ok(()))
    }

    /// Recreates the table that led from the state `before` to the state `after` when it was created. Returns true if
    /// it exists now. Not to be called within a transaction, which could not undo it.
    pub fn make_again(&self, before: u64, after: u64) -> bool {
        let mut state = self.lock();
        if state.current.version != before {
            return false;
        }
        let is_it = |made: &Made| made.after.version == after && Arc::ptr_eq(&made.before, &state.current);
        let Some(place) = state.spare.iter().position(is_it) else { return false };
        let made = state.spare.swap_remove(place);
        made.table.set_replaced(false);
        self.show(&mut state, Arc::clone(&made.after));
        state.made.push(made);
        true
    }

    /// Drops the table of this name, in lower case, if it is the one that was created last and can be recreated.
    /// Returns true if it was. Not to be called within a transaction, nor while a statement reads the table.
    ///
    /// Errors: those of emptying the table.
    pub fn drop_last(&self, name: &str) -> Result<bool> {
        let mut state = self.lock();
        let is_last = state.made.last().is_some_and(|made| {
            Arc::ptr_eq(&made.after, &state.current)
                && made.table.definition().name.to_lowercase() == name
                && state.spare.len() < MOST_SPARE
        });
        let Some(made) = state.made.pop_if(|_| is_last) else { return Ok(false) };
        if let Err(error) = made.table.empty() {
            state.made.push(made);
            return Err(error);
        }
        made.table.set_replaced(true);
        self.show(&mut state, Arc::clone(&made.before));
        state.spare.push(made);
        drop(state);
        self.lower_balance();
        Ok(true)
    }

    /// Goes back to a state of before.
    pub(crate) fn put_back(&self, cataloged: Arc<Cataloged>) {
        let mut state = self.lock();
        (state.made, state.spare) = (Vec::new(), Vec::new());
        self.show(&mut state, cataloged);
        drop(state);
        self.lower_balance();
    }

    /// Notes a change, and how to make it again when it made a table that can be.
    fn note(&self, after: &Arc<Cataloged>, step: &Step) {
        let mut state = self.lock();
        let before = std::mem::replace(&mut state.current, Arc::clone(after));
        match step {
            Step::Created(table) if after.can_lose(table) => {
                let made = Made { before, after: Arc::clone(after), table: Arc::clone(table) };
                if state.made.last().is_some_and(|last| !Arc::ptr_eq(&last.after, &made.before)) {
                    state.made.clear();
                }
                state.made.push(made);
            }
            _ => (state.made, state.spare) = (Vec::new(), Vec::new()),
        }
        self.show(&mut state, Arc::clone(after));
        drop(state);
        self.lower_balance();
    }

    fn show(&self, state: &mut State, cataloged: Arc<Cataloged>) {
        let number = if cataloged.tables.is_empty() { 0 } else { cataloged.version };
        state.current = cataloged;
        self.number.store(number, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cataloged {
    /// Returns true if a table that was made has nothing beside its rows that would have to begin anew with it.
    fn can_lose(&self, table: &NativeTable) -> bool {
        let definition = self.catalog.table(table.id().into());
        let is_plain =
            definition.is_some_and(|definition| definition.columns.iter().all(|column| column.identity.is_none()));
        is_plain && table.indexes().is_empty() && table.definition().foreign_keys.is_empty()
    }
}

impl Store {
    /// Changes the catalog of a session's temporary tables. Rolling the transaction back undoes it.
    ///
    /// Errors: those of [`Store::change_catalog`], but for waiting for others.
    pub fn change_temporary(
        &self,
        transaction: &mut Transaction,
        temporary: &Arc<TemporaryTables>,
        change: CatalogChange,
    ) -> Result<()> {
        let mark = transaction.mark()?;
        let before = Arc::clone(&temporary.lock().current);
        let touched = Touched::by(&change);
        let Changed { cataloged, step, appended, connected } =
            before.change(change, mark, &transaction.shared(), true)?;
        let appended = step.new_table().map(|table| (table, appended));
        temporary.note(&cataloged, &step);
        let temporary = Some(Arc::clone(temporary));
        transaction.note_catalog(CatalogNote { before, touched, step, connected, temporary }, None);
        if let Some((table, appended)) = appended {
            appended.into_iter().for_each(|(first, count)| transaction.note_inserted(&table, first, count));
            if !table.definition().foreign_keys.is_empty() {
                table.check_references(mark, transaction)?;
            }
        }
        Ok(())
    }
}
