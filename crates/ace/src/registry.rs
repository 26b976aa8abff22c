//! Which object a handle is.
//!
//! A handle is a place in a list and how often the place was used before, so that a handle that was closed is not taken
//! for the next object there. A handle that C made up, closed or mixed up is found out by its place, its use, or the
//! kind of its object.
//!
//! ```text
//!   31        20 19                 0
//!   [ use       ][ place from 1       ]
//! ```

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

/// What a handle can be.
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

fn invalid(code: u32) -> Failure {
    Failure::new(code, "the handle is none, is closed, or is one of another kind")
}
