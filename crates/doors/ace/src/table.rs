//! An open table: a work area, the handles of its orders, and the tables that follow it.
//!
//! **Locking.** Each table has one lock around its area; a call takes it, works and releases it. No call holds two
//! except the end of a transaction, which takes those of its tables in the order of their handles: a table that follows
//! another is only marked when that one moves, and follows at its own next call, when it reads the key from the other
//! table first and then takes its own lock (relations of the interface have always been resolved when the child is
//! accessed). A scoped relation is resolved when the child moves, too: it moves among the records that belong to the
//! other table's record.
//!
//! **Ends.** At BOF the interface is before the first record, at EOF behind the last; both have no current record. A
//! work area at BOF is on the first record with a flag, hence [`is_positioned`], and the way [`Table::skip`] leaves
//! BOF.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use mainstay_workarea::{OrderId, SeekHow, SeekKey, Side, ValueKind, WorkArea};

use crate::border::Handle;
use crate::calls::dictionary::opening::{Binding, Bound};
use crate::conditions::Written;
use crate::connection::Connection;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::live::Members;
use crate::lock::{Guard, IsOwn, Lock};
use crate::order::Order;
use crate::registry::{self, Object};
use crate::settings;

/// An open table, or the rows of a query.
pub struct Table {
    /// Its own handle.
    handle: OnceLock<Handle>,
    /// The connection through which it was opened.
    pub connection: Arc<Connection>,
    /// The handle of that connection; 0 if it was opened without one.
    pub connection_handle: Handle,
    /// The path of the file.
    pub path: PathBuf,
    /// The name that the program opened it by.
    pub opened_as: String,
    /// Its alias.
    pub alias: String,
    /// ADS_NTX, ADS_CDX or ADS_VFP.
    pub table_type: u32,
    /// ADS_ANSI, ADS_OEM or the number of a collation.
    pub char_type: u32,
    /// ADS_COMPATIBLE_LOCKING or ADS_PROPRIETARY_LOCKING, as the program asked for it.
    pub lock_type: u32,
    /// The mode in which it was opened: ADS_SHARED, ADS_EXCLUSIVE, ADS_READONLY.
    pub options: u32,
    /// The statement whose rows these are.
    pub statement: Option<Handle>,
    /// The names of a query's columns, where a field's name is too short for them.
    pub columns: Vec<String>,
    /// The table's entry in the dictionary.
    pub bound: Binding,
    /// The records that it shows, if it is a live cursor.
    pub live: OnceLock<Arc<Members>>,
    /// True if the table takes no part in transactions.
    pub is_transaction_free: AtomicBool,
    state: Lock<Option<State>>,
    /// The ends that the last call, a skip, has left the area at: see [`Table::ends`].
    ends: AtomicU8,
    parent: Mutex<Option<Link>>,
    /// True if a table that this one follows has moved.
    is_behind: AtomicBool,
    children: Mutex<Vec<Weak<Table>>>,
    /// True if the table has ever had children: most tables have none, and move often.
    has_children: AtomicBool,
}

/// A relation: this table follows another.
struct Link {
    parent: Weak<Table>,
    /// The order in which this table seeks.
    order: OrderId,
    /// The key expression, over the other table's fields.
    expression: String,
    /// True if it shows only the records with that key.
    scoped: bool,
}

/// The state behind the lock.
pub struct State {
    /// The work area.
    pub area: Box<dyn WorkArea>,
    /// The handles of its orders.
    pub orders: Vec<(OrderId, Handle)>,
    /// The settings that the area has.
    revision: u64,
    /// The orders that are seen from their other end.
    pub turned: Vec<OrderId>,
    /// The handles of its indexes of words, by their names.
    pub words: Vec<(String, Handle)>,
    /// The condition of `AdsLocate`, for `AdsContinue`.
    pub locate: Option<(String, bool)>,
    /// Its filters as the program wrote them.
    pub written: Written,
}

/// Bits of [`Table::ends`].
const ENDS_KNOWN: u8 = 1;
const AT_BOF: u8 = 2;
const AT_EOF: u8 = 4;

/// The properties of a new open table.
pub struct Opening {
    /// The connection that opens it.
    pub connection: Arc<Connection>,
    /// The handle of that.
    pub connection_handle: Handle,
    /// The name that the program gives.
    pub opened_as: String,
    /// Its alias.
    pub alias: String,
    /// ADS_NTX, ADS_CDX or ADS_VFP.
    pub table_type: u32,
    /// ADS_ANSI, ADS_OEM or the number of a collation.
    pub char_type: u32,
    /// ADS_COMPATIBLE_LOCKING or ADS_PROPRIETARY_LOCKING.
    pub lock_type: u32,
    /// ADS_SHARED, ADS_EXCLUSIVE, ADS_READONLY.
    pub options: u32,
    /// The statement whose rows these are.
    pub statement: Option<Handle>,
    /// The names of a query's columns.
    pub columns: Vec<String>,
}

/// Returns true if the area is on a record in the sense of the interface.
pub fn is_positioned(area: &dyn WorkArea) -> bool {
    !area.is_eof() && !area.is_bof()
}

#[cold]
fn is_in_use(_: IsOwn) -> Failure {
    let reason = "a function of the program's that is told of progress may not use the table that is worked on";
    Failure::new(AE_ILLEGAL_USER_OPERATION, reason)
}

#[cold]
fn is_closed() -> Failure {
    Failure::new(AE_INVALID_TABLE_HANDLE, "the table was closed meanwhile")
}

impl State {
    #[cold]
    fn take_settings(&mut self, revision: u64) {
        self.revision = revision;
        let (hide, exact) = settings::read(|settings| (!settings.show_deleted, settings.exact));
        self.area.set_hide_deleted(hide);
        self.area.set_exact(exact);
    }

    /// Returns true if the area is on a record in the sense of the interface.
    #[inline]
    fn is_positioned(&mut self) -> bool {
        match self.area.local() {
            Some(area) => !area.is_eof() && !area.is_bof(),
            None => is_positioned(&*self.area),
        }
    }
}

impl Table {
    /// Gives an open area its handles.
    pub fn add(opening: Opening, area: Box<dyn WorkArea>) -> Result<(Handle, Arc<Table>)> {
        let path = area.path().to_path_buf();
        let table = Arc::new(Table {
            handle: OnceLock::new(),
            connection: opening.connection,
            connection_handle: opening.connection_handle,
            path,
            opened_as: opening.opened_as,
            alias: opening.alias,
            table_type: opening.table_type,
            char_type: opening.char_type,
            lock_type: opening.lock_type,
            options: opening.options,
            statement: opening.statement,
            columns: opening.columns,
            bound: Binding::new(),
            live: OnceLock::new(),
            is_transaction_free: AtomicBool::new(false),
            state: Lock::new(Some(State {
                area,
                orders: Vec::new(),
                revision: 0,
                turned: Vec::new(),
                words: Vec::new(),
                locate: None,
                written: Written::default(),
            })),
            ends: AtomicU8::new(0),
            parent: Mutex::new(None),
            is_behind: AtomicBool::new(false),
            children: Mutex::new(Vec::new()),
            has_children: AtomicBool::new(false),
        });
        let handle = registry::add(Object::Table(Arc::clone(&table)))?;
        let _ = table.handle.set(handle);
        table.with(|state| table.name_orders(state))?;
        Ok((handle, table))
    }

    /// Its handle.
    pub fn handle(&self) -> Handle {
        self.handle.get().copied().unwrap_or_default()
    }

    /// Returns true if the user may not read a field.
    pub fn hides(&self, state: &State, field: usize) -> bool {
        self.bound.get().is_some_and(|bound| bound.hides(state, field))
    }

    /// Returns true if there may be fields that the user may not read.
    #[inline]
    pub fn may_hide(&self) -> bool {
        self.bound.get().is_some()
    }

    /// Refuses a condition over fields that the user may not read.
    pub fn check_condition(&self, state: &State, condition: &str) -> Result<()> {
        self.bound.get().map_or(Ok(()), |bound| bound.check_condition(state, condition))
    }

    /// Refuses an expression over such fields whose value the program is given.
    pub fn check_value(&self, state: &State, expression: &str) -> Result<()> {
        self.bound.get().map_or(Ok(()), |bound| bound.check_value(state, expression))
    }

    /// Refuses to give all fields where the user may not read some of them.
    ///
    /// Errors: AE_PERMISSION_NOT_GRANTED.
    pub fn check_reads_all(&self) -> Result<()> {
        match self.bound.get().is_some_and(Bound::hides_some) {
            true => Err(Failure::new(AE_PERMISSION_NOT_GRANTED, "some fields of the table are not to be read")),
            false => Ok(()),
        }
    }

    /// Returns true if the table contains the rows of a query.
    pub fn is_cursor(&self) -> bool {
        self.statement.is_some()
    }

    /// Returns true if other users may have it open.
    pub fn is_shared(&self) -> bool {
        self.options & ADS_EXCLUSIVE == 0
    }

    /// Returns true if it is read-only.
    pub fn is_read_only(&self) -> bool {
        self.options & ADS_READONLY != 0
    }

    /// Works with the area, which is where it should be: relations are resolved and settings are taken.
    #[inline]
    pub fn with<T>(&self, work: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        if self.is_behind.load(Ordering::Acquire) {
            self.catch_up()?;
        }
        self.without_relation(work)
    }

    /// The same without looking at what it follows: for calls that move it anyway.
    #[inline]
    pub fn without_relation<T>(&self, work: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        if self.state.is_own() {
            return Err(is_in_use(IsOwn));
        }
        let live = match self.live.get() {
            Some(members) if members.refresh()? => Some(members),
            _ => None,
        };
        let mut guard = self.lock()?;
        let Some(state) = guard.as_mut() else { return Err(is_closed()) };
        let revision = settings::revision();
        if state.revision != revision {
            state.take_settings(revision);
        }
        if let (Some(members), Some(area)) = (live, state.area.local()) {
            area.set_predicate(Some(members.predicate(area.header().layout)));
        }
        work(state)
    }

    /// As [`Table::with`], for calls that need a current record.
    #[inline]
    pub fn on_record<T>(&self, work: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        self.with(|state| match state.is_positioned() {
            true => work(state),
            false => Err(Failure::new(AE_NO_CURRENT_RECORD, "the table is at its beginning or its end")),
        })
    }

    /// As [`Table::on_record`], for calls that write.
    pub fn to_write<T>(&self, work: impl FnOnce(&mut State) -> Result<T>) -> Result<T> {
        self.check_writable()?;
        self.on_record(work)
    }

    /// Refuses what writes to a table that is open for reading.
    pub fn check_writable(&self) -> Result<()> {
        match self.is_read_only() {
            true => Err(Failure::new(AE_TABLE_READONLY, self.path.display().to_string())),
            false => Ok(()),
        }
    }

    /// Moves the area in an order; what follows this table is marked. Its own position by the table that it follows
    /// does not matter then, but the records that it shows do.
    pub fn go<T>(&self, order: Option<&Order>, work: impl FnOnce(&mut dyn WorkArea) -> Result<T>) -> Result<T> {
        if self.is_behind.load(Ordering::Acquire) {
            match self.is_scoped() {
                true => self.catch_up()?,
                false => self.is_behind.store(false, Ordering::Release),
            }
        }
        let answer = self.without_relation(|state| {
            state.area.set_order(order.map(|order| order.id))?;
            work(&mut *state.area)
        });
        self.mark_children();
        answer
    }

    /// Goes `count` records on.
    pub fn skip(&self, order: Option<&Order>, count: i64) -> Result<()> {
        if self.is_behind.load(Ordering::Acquire) {
            self.catch_up()?;
        }
        let order = order.map(|order| order.id);
        let answer = self.without_relation(|state| {
            let (bof, eof) = match state.area.local() {
                Some(area) => {
                    skip(area, order, count)?;
                    (area.is_bof(), area.is_eof())
                }
                None => {
                    skip(&mut *state.area, order, count)?;
                    (state.area.is_bof(), state.area.is_eof())
                }
            };
            self.remember_ends(bof, eof);
            Ok(())
        });
        self.mark_children();
        answer
    }

    /// Returns BOF and EOF of the area, which a program reads after every skip: without the lock, as long as no other
    /// call has been made since. Any call that takes the lock invalidates them first.
    #[inline]
    pub fn ends(&self) -> Result<(bool, bool)> {
        let ends = self.ends.load(Ordering::Acquire);
        if ends & ENDS_KNOWN != 0 && !self.is_behind.load(Ordering::Acquire) {
            return Ok((ends & AT_BOF != 0, ends & AT_EOF != 0));
        }
        self.look_at_ends()
    }

    #[cold]
    fn look_at_ends(&self) -> Result<(bool, bool)> {
        self.with(|state| Ok((state.area.is_bof(), state.area.is_eof())))
    }

    /// Under the lock: what [`Table::ends`] answers from here on. Those of a live cursor are read each time.
    #[inline]
    fn remember_ends(&self, bof: bool, eof: bool) {
        if self.live.get().is_none() {
            let ends = ENDS_KNOWN | if bof { AT_BOF } else { 0 } | if eof { AT_EOF } else { 0 };
            self.ends.store(ends, Ordering::Release);
        }
    }

    /// Creates handles for orders that have none, and removes those of orders that are gone.
    pub fn name_orders(self: &Arc<Table>, state: &mut State) -> Result<()> {
        let infos = state.area.orders();
        let (kept, gone): (Vec<_>, Vec<_>) =
            state.orders.drain(..).partition(|(id, _)| infos.iter().any(|info| info.id == *id));
        for (_, handle) in gone {
            registry::remove(handle);
        }
        state.orders = kept;
        for info in &infos {
            if !state.orders.iter().any(|(id, _)| *id == info.id) {
                let order = Arc::new(Order::new(Arc::clone(self), info.id));
                state.orders.push((info.id, registry::add(Object::Order(order))?));
            }
        }
        state.orders.sort_by_key(|(id, _)| infos.iter().position(|info| info.id == *id));
        Ok(())
    }

    /// Takes the handles back and closes the area, which writes what is pending.
    pub fn close(&self) -> Result<()> {
        let mut open = self.lock()?;
        registry::remove(self.handle());
        let state = open.take();
        drop(open);
        let Some(state) = state else { return Ok(()) };
        for (_, handle) in &state.orders {
            registry::remove(*handle);
        }
        for (_, handle) in &state.words {
            registry::remove(*handle);
        }
        Ok(state.area.close()?)
    }

    /// The lock itself, for what works with several tables at once: those take them in the order of their handles.
    ///
    /// Errors: AE_ILLEGAL_USER_OPERATION, if this thread has it already.
    #[inline]
    pub fn lock(&self) -> Result<Guard<'_, Option<State>>> {
        let guard = self.state.take().map_err(is_in_use)?;
        if self.ends.load(Ordering::Relaxed) != 0 {
            self.ends.store(0, Ordering::Release);
        }
        Ok(guard)
    }

    /// From now on `child` follows this table.
    pub fn relate(self: &Arc<Table>, child: &Arc<Table>, order: OrderId, expression: &str, scoped: bool) -> Result<()> {
        if Arc::ptr_eq(self, child) || self.follows(child) {
            return Err(Failure::new(AE_CYCLIC_RELATION, "a table would follow itself"));
        }
        let value = self.with(|state| Ok(state.area.check_expression(expression)?))?;
        let key = child.without_relation(|state| Ok(state.area.order_info(order).map(|info| info.key_kind)))?;
        if key.is_some_and(|key| !is_key_of(value, key)) {
            // A program's own relation may still do: rddads then follows by the number of the record.
            return Err(Failure::new(AE_INVALID_EXPRESSION, format!("{expression} gives no key of the order")));
        }
        let link = Link { parent: Arc::downgrade(self), order, expression: expression.to_owned(), scoped };
        *child.parent.lock().unwrap_or_else(PoisonError::into_inner) = Some(link);
        let mut children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
        children.retain(|known| known.upgrade().is_some_and(|known| !Arc::ptr_eq(&known, child)));
        children.push(Arc::downgrade(child));
        self.has_children.store(true, Ordering::Release);
        drop(children);
        child.fall_behind();
        Ok(())
    }

    /// Returns true if it shows only the records that belong to the record of a table that it follows.
    fn is_scoped(&self) -> bool {
        self.parent.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|link| link.scoped)
    }

    /// From now on nothing follows this table, and what followed it shows all again.
    pub fn clear_relations(&self) -> Result<()> {
        let children = std::mem::take(&mut *self.children.lock().unwrap_or_else(PoisonError::into_inner));
        let mut first = Ok(());
        for child in children.iter().filter_map(Weak::upgrade) {
            child.is_behind.store(false, Ordering::Release);
            let link = child.parent.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(link) = link.filter(|link| link.scoped) {
                first = first.and(child.in_order_of_relation(link.order, |area| {
                    area.clear_scope(Side::Top)?;
                    Ok(area.clear_scope(Side::Bottom)?)
                }));
            }
        }
        first
    }

    /// Works in the order in which this table follows another; the order that is set stays.
    fn in_order_of_relation<T>(&self, order: OrderId, work: impl FnOnce(&mut dyn WorkArea) -> Result<T>) -> Result<T> {
        self.without_relation(|state| {
            let before = state.area.order();
            state.area.set_order(Some(order))?;
            let answer = work(&mut *state.area);
            state.area.set_order(before)?;
            answer
        })
    }

    /// Returns true if this table follows another, directly or through others.
    fn follows(&self, other: &Arc<Table>) -> bool {
        let parent = self.parent.lock().unwrap_or_else(PoisonError::into_inner);
        let parent = parent.as_ref().and_then(|link| link.parent.upgrade());
        parent.is_some_and(|parent| Arc::ptr_eq(&parent, other) || parent.follows(other))
    }

    #[inline]
    fn mark_children(&self) {
        if self.has_children.load(Ordering::Acquire) {
            self.mark_all_children();
        }
    }

    #[cold]
    fn mark_all_children(&self) {
        let children = self.children.lock().unwrap_or_else(PoisonError::into_inner);
        if children.is_empty() {
            return;
        }
        let children: Vec<Arc<Table>> = children.iter().filter_map(Weak::upgrade).collect();
        for child in children {
            child.fall_behind();
        }
    }

    fn fall_behind(&self) {
        self.is_behind.store(true, Ordering::Release);
        self.mark_children();
    }

    /// Follows: to the first record with the key that the other table's record gives, or to EOF.
    fn catch_up(&self) -> Result<()> {
        self.is_behind.store(false, Ordering::Release);
        let link = {
            let parent = self.parent.lock().unwrap_or_else(PoisonError::into_inner);
            let link = parent
                .as_ref()
                .and_then(|link| Some((link.parent.upgrade()?, link.order, link.expression.clone(), link.scoped)));
            match link {
                Some(link) => link,
                None => return Ok(()),
            }
        };
        let (parent, order, expression, scoped) = link;
        let key = parent.with(|state| match is_positioned(&*state.area) {
            true => Ok(state.area.evaluate(&expression)?.into_key()),
            false => Ok(None),
        })?;
        self.in_order_of_relation(order, |area| match &key {
            Some(key) => follow(area, key, scoped),
            None if scoped => show_nothing(area),
            None => Ok(area.go_eof()?),
        })
    }
}

/// A skip as the interface has it, in an order.
#[inline]
fn skip(area: &mut (impl WorkArea + ?Sized), order: Option<OrderId>, count: i64) -> Result<()> {
    area.set_order(order)?;
    if area.is_bof() && !area.is_eof() {
        // Before the first record: one step is the first record itself.
        if count <= 0 {
            return Ok(());
        }
        area.go_top()?;
        return if count > 1 { Ok(area.skip(count - 1)?) } else { Ok(()) };
    }
    Ok(area.skip(count)?)
}

/// Returns true if a value may be sought among keys of this kind.
fn is_key_of(value: ValueKind, key: ValueKind) -> bool {
    let is_moment = |kind| matches!(kind, ValueKind::Date | ValueKind::Timestamp | ValueKind::Time);
    match (value, key) {
        (ValueKind::Text | ValueKind::Bytes, _) => true,
        (_, ValueKind::Text | ValueKind::Bytes) => false,
        (ValueKind::Logical, key) => !is_moment(key),
        (value, ValueKind::Number | ValueKind::Logical) => !is_moment(value),
        _ => true,
    }
}

fn follow(area: &mut dyn WorkArea, key: &SeekKey, scoped: bool) -> Result<()> {
    if scoped {
        area.set_scope(Side::Top, key)?;
        area.set_scope(Side::Bottom, key)?;
    }
    area.seek(key, SeekHow::default())?;
    Ok(())
}

/// No key is both at least the greatest and at most the least: nothing belongs to a record that there is not.
fn show_nothing(area: &mut dyn WorkArea) -> Result<()> {
    let info = area.order().and_then(|id| area.order_info(id));
    let (length, descending) = info.map_or((0, false), |info| (info.key_length, info.descending));
    let (top, bottom) = if descending { (0x00, 0xFF) } else { (0xFF, 0x00) };
    area.set_scope(Side::Top, &SeekKey::Raw(vec![top; length]))?;
    area.set_scope(Side::Bottom, &SeekKey::Raw(vec![bottom; length]))?;
    Ok(area.go_eof()?)
}
