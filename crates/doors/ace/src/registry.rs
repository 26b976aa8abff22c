//! The table of handles and their objects.
//!
//! A handle is a place in a list and the number of times that the place was used before, so that a closed handle does
//! not refer to the next object there. A handle that C made up, closed or mixed up is recognized by its place, its use,
//! or the kind of its object.
//!
//! ```text
//!   31        20 19                 0
//!   [ use       ][ place from 1       ]
//! ```
//!
//! Calls that move and read are made for every record, mostly with the same few handles. So each thread caches the
//! tables and orders that it used last ([`on_table`] and its siblings), and finds them without a lock and without
//! reference counting. The caches are cleared when any handle is removed: each [`remove`] increments `REVISION`, and
//! older entries are looked up again. A thread that makes no call meanwhile may so keep a closed table's shell: its
//! name and settings; the files are closed, and its connection is not one to a server.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::border::Handle;
use crate::connection::Connection;
use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::management::Server;
use crate::order::Order;
use crate::statement::Statement;
use crate::table::Table;
use crate::words::Words;

/// The objects that handles stand for.
#[derive(Clone)]
pub enum Object {
    /// A connection to a folder or a server.
    Connection(Arc<Connection>),
    /// An open table, or the rows of a query.
    Table(Arc<Table>),
    /// An order of an open table.
    Order(Arc<Order>),
    /// An index of words of an open table.
    Words(Arc<Words>),
    /// An SQL statement.
    Statement(Arc<Statement>),
    /// A connection for management calls.
    Server(Arc<Server>),
    /// A search for files that is under way: the names that are left.
    Search(Arc<std::sync::Mutex<Vec<String>>>),
    /// The same for objects of a dictionary.
    Objects(Arc<std::sync::Mutex<Vec<String>>>),
}

impl Object {
    /// The number that `AdsGetHandleType` answers; none for objects that it does not know.
    pub fn kind(&self) -> Option<u32> {
        match self {
            Object::Connection(connection) if connection.dictionary.is_some() || connection.is_far_dictionary => {
                Some(ADS_DATABASE_CONNECTION)
            }
            Object::Connection(_) => Some(ADS_CONNECTION),
            Object::Table(table) if table.is_cursor() => Some(ADS_CURSOR),
            Object::Table(_) => Some(ADS_TABLE),
            Object::Order(_) => Some(ADS_INDEX_ORDER),
            Object::Words(_) => Some(ADS_FTS_INDEX_ORDER),
            Object::Statement(_) => Some(ADS_STATEMENT),
            Object::Server(_) | Object::Search(_) | Object::Objects(_) => None,
        }
    }
}

const PLACE_BITS: u32 = 20;
const USES: u32 = 1 << 11;

struct Slot {
    uses: u32,
    object: Option<Object>,
    /// A number that the program has put there (`AdsSetHandleLong`).
    note: u64,
}

static SLOTS: RwLock<(Vec<Slot>, Vec<usize>)> = RwLock::new((Vec::new(), Vec::new()));

/// Gives an object a handle.
pub fn add(object: Object) -> Result<Handle> {
    let mut slots = SLOTS.write().unwrap_or_else(PoisonError::into_inner);
    let (slots, free) = &mut *slots;
    let place = match free.pop() {
        Some(place) => place,
        None if slots.len() + 1 < 1 << PLACE_BITS => {
            slots.push(Slot { uses: 0, object: None, note: 0 });
            slots.len() - 1
        }
        None => return Err(Failure::new(AE_ALLOCATION_FAILED, "there are too many open handles")),
    };
    let Some(slot) = slots.get_mut(place) else { return Err(AE_INTERNAL_ERROR.into()) };
    slot.object = Some(object);
    slot.note = 0;
    Ok(Handle((slot.uses as usize) << PLACE_BITS | (place + 1)))
}

/// Takes an object out: its handle means nothing from here on.
pub fn remove(handle: Handle) -> Option<Object> {
    let mut slots = SLOTS.write().unwrap_or_else(PoisonError::into_inner);
    let (slots, free) = &mut *slots;
    let (place, uses) = parts(handle)?;
    let slot = slots.get_mut(place).filter(|slot| slot.uses == uses)?;
    let object = slot.object.take()?;
    slot.uses = (slot.uses + 1) % USES;
    free.push(place);
    REVISION.fetch_add(1, Ordering::Release);
    forget();
    Some(object)
}

/// The object, if the handle is one.
pub fn find(handle: Handle) -> Option<Object> {
    with(handle, |slot| slot.object.clone()).flatten()
}

/// Every object of a kind, with its handle, in no particular order.
pub fn all<T>(choose: impl Fn(Handle, &Object) -> Option<T>) -> Vec<T> {
    let slots = SLOTS.read().unwrap_or_else(PoisonError::into_inner);
    let handles = slots.0.iter().enumerate().filter_map(|(place, slot)| {
        let handle = Handle((slot.uses as usize) << PLACE_BITS | (place + 1));
        choose(handle, slot.object.as_ref()?)
    });
    handles.collect()
}

/// The number that the program keeps with a handle.
pub fn note(handle: Handle) -> Result<u64> {
    with(handle, |slot| slot.note).ok_or_else(|| invalid(AE_INVALID_HANDLE))
}

/// Replaces that number.
pub fn set_note(handle: Handle, note: u64) -> Result<()> {
    let mut slots = SLOTS.write().unwrap_or_else(PoisonError::into_inner);
    let slot = parts(handle)
        .and_then(|(place, uses)| slots.0.get_mut(place).filter(|slot| slot.uses == uses && slot.object.is_some()));
    slot.map(|slot| slot.note = note).ok_or_else(|| invalid(AE_INVALID_HANDLE))
}

/// A connection's handle.
pub fn connection(handle: Handle) -> Result<Arc<Connection>> {
    match find(handle) {
        Some(Object::Connection(connection)) => Ok(connection),
        _ => Err(invalid(AE_INVALID_CONNECTION_HANDLE)),
    }
}

/// A table's handle, or a cursor's.
pub fn table(handle: Handle) -> Result<Arc<Table>> {
    let table = with(handle, |slot| match &slot.object {
        Some(Object::Table(table)) => Some(Arc::clone(table)),
        _ => None,
    });
    table.flatten().ok_or_else(|| invalid(AE_INVALID_TABLE_HANDLE))
}

/// An order's handle.
pub fn order(handle: Handle) -> Result<Arc<Order>> {
    match find(handle) {
        Some(Object::Order(order)) => Ok(order),
        _ => Err(invalid(AE_INVALID_INDEX_HANDLE)),
    }
}

/// The handle of an index of words.
pub fn words(handle: Handle) -> Result<Arc<Words>> {
    match find(handle) {
        Some(Object::Words(words)) => Ok(words),
        _ => Err(invalid(AE_INVALID_INDEX_HANDLE)),
    }
}

/// A statement's handle.
pub fn statement(handle: Handle) -> Result<Arc<Statement>> {
    match find(handle) {
        Some(Object::Statement(statement)) => Ok(statement),
        _ => Err(invalid(AE_INVALID_SQLSTATEMENT_HANDLE)),
    }
}

/// A management connection's handle.
pub fn server(handle: Handle) -> Result<Arc<Server>> {
    match find(handle) {
        Some(Object::Server(server)) => Ok(server),
        _ => Err(invalid(AE_INVALID_CONNECTION_HANDLE)),
    }
}

/// The number of handles that were removed.
static REVISION: AtomicU64 = AtomicU64::new(0);

/// The number of handles that a thread caches; handles with the same place modulo this number replace each other.
const KEPT: usize = 16;

/// A thread's cache of handles.
struct Kept {
    /// [`REVISION`] before the first of them was looked for.
    revision: u64,
    found: [Option<Found>; KEPT],
}

/// The object of a cached handle: a table, or an order of it.
struct Found {
    handle: Handle,
    table: Arc<Table>,
    order: Option<Arc<Order>>,
}

thread_local! {
    static KEPT_HERE: RefCell<Kept> = const { RefCell::new(Kept { revision: 0, found: [const { None }; KEPT] }) };
}

impl Kept {
    #[inline]
    fn get(&self, handle: Handle) -> Option<&Found> {
        let found = self.found[handle.0 % KEPT].as_ref()?;
        (found.handle == handle && self.revision == REVISION.load(Ordering::Acquire)).then_some(found)
    }

    /// Gives back what had the place, to be dropped when nothing of this is borrowed any more.
    fn put(&mut self, revision: u64, found: Found) -> [Option<Found>; KEPT] {
        let mut before = [const { None }; KEPT];
        if self.revision != revision {
            std::mem::swap(&mut before, &mut self.found);
            self.revision = revision;
        }
        let place = found.handle.0 % KEPT;
        before[place] = self.found[place].replace(found);
        before
    }
}

/// Keeps nothing of this thread's: something that it knows was closed.
fn forget() {
    let nothing = || [const { None }; KEPT];
    let before = KEPT_HERE.try_with(|kept| Some(std::mem::replace(&mut kept.try_borrow_mut().ok()?.found, nothing())));
    drop(before);
}

/// Looks for a handle and keeps what is found, unless the table is a server's: its connection ends with its last table.
#[cold]
fn keep(handle: Handle) -> Option<(Arc<Table>, Option<Arc<Order>>)> {
    let revision = REVISION.load(Ordering::Acquire);
    let (table, order) = table_or_order(handle).ok()?;
    if table.connection.server.is_none() {
        let found = Found { handle, table: Arc::clone(&table), order: order.clone() };
        // While a cached object is in use (a call within a call) it stays as it is.
        let before = KEPT_HERE.try_with(|kept| Some(kept.try_borrow_mut().ok()?.put(revision, found)));
        drop(before);
    }
    Some((table, order))
}

/// Returns true if a handle is a table's or an order's in this thread's cache: it is of no other kind then.
#[inline]
pub fn is_at_hand(handle: Handle) -> bool {
    let known = KEPT_HERE.try_with(|kept| kept.try_borrow().is_ok_and(|kept| kept.get(handle).is_some()));
    known.unwrap_or(false)
}

/// As [`on_table_or_order`], for calls to which a handle that is neither is no table's.
#[inline]
pub fn on_table_or_raw_key<T>(
    handle: Handle,
    work: impl FnOnce(&Arc<Table>, Option<&Arc<Order>>) -> Result<T>,
) -> Result<T> {
    on_found(handle, AE_INVALID_TABLE_HANDLE, work)
}

/// Works with a table by its own handle, or by that of one of its orders.
#[inline]
pub fn on_table_or_order<T>(
    handle: Handle,
    work: impl FnOnce(&Arc<Table>, Option<&Arc<Order>>) -> Result<T>,
) -> Result<T> {
    on_found(handle, AE_INVALID_HANDLE, work)
}

/// Works with a table by its own handle, or with a cursor.
#[inline]
pub fn on_table<T>(handle: Handle, work: impl FnOnce(&Arc<Table>) -> Result<T>) -> Result<T> {
    on_found(handle, AE_INVALID_TABLE_HANDLE, |table, order| match order {
        None => work(table),
        Some(_) => Err(invalid(AE_INVALID_TABLE_HANDLE)),
    })
}

/// Works with an order.
#[inline]
pub fn on_order<T>(handle: Handle, work: impl FnOnce(&Arc<Order>) -> Result<T>) -> Result<T> {
    on_found(handle, AE_INVALID_INDEX_HANDLE, |_, order| match order {
        Some(order) => work(order),
        None => Err(invalid(AE_INVALID_INDEX_HANDLE)),
    })
}

/// Works with what a handle is, or fails with `code` if it is neither a table nor an order.
#[inline]
fn on_found<T>(
    handle: Handle,
    code: u32,
    work: impl FnOnce(&Arc<Table>, Option<&Arc<Order>>) -> Result<T>,
) -> Result<T> {
    let mut work = Some(work);
    let answer = KEPT_HERE.try_with(|kept| {
        let kept = kept.try_borrow().ok()?;
        let found = kept.get(handle)?;
        Some(work.take()?(&found.table, found.order.as_ref()))
    });
    match (answer, work) {
        (Ok(Some(answer)), _) => answer,
        (_, Some(work)) => {
            let (table, order) = keep(handle).ok_or_else(|| invalid(code))?;
            work(&table, order.as_ref())
        }
        (_, None) => Err(AE_INTERNAL_ERROR.into()),
    }
}

/// A table by its own handle, or by that of one of its orders: what moves and counts takes either.
pub fn table_or_order(handle: Handle) -> Result<(Arc<Table>, Option<Arc<Order>>)> {
    let found = with(handle, |slot| match &slot.object {
        Some(Object::Table(table)) => Some((Arc::clone(table), None)),
        Some(Object::Order(order)) => Some((Arc::clone(&order.table), Some(Arc::clone(order)))),
        _ => None,
    });
    found.flatten().ok_or_else(|| invalid(AE_INVALID_HANDLE))
}

fn with<T>(handle: Handle, work: impl FnOnce(&Slot) -> T) -> Option<T> {
    let slots = SLOTS.read().unwrap_or_else(PoisonError::into_inner);
    let (place, uses) = parts(handle)?;
    slots.0.get(place).filter(|slot| slot.uses == uses && slot.object.is_some()).map(work)
}

/// The place and its use.
fn parts(handle: Handle) -> Option<(usize, u32)> {
    let place = (handle.0 & ((1 << PLACE_BITS) - 1)).checked_sub(1)?;
    Some((place, u32::try_from(handle.0 >> PLACE_BITS).ok()?))
}

#[cold]
fn invalid(code: u32) -> Failure {
    Failure::new(code, "the handle is none, is closed, or is one of another kind")
}
