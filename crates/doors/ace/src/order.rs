//! An order of an open table: an index's tag, as a handle.

use std::sync::{Arc, Mutex, PoisonError};

use mainstay_workarea::{OrderId, OrderInfo, ValueKind};

use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::table::{State, Table};

/// An order.
pub struct Order {
    /// Its table.
    pub table: Arc<Table>,
    /// The order's number in the table.
    pub id: OrderId,
    /// The record of the raw key that a program puts together.
    raw: Mutex<Option<Vec<u8>>>,
}

impl Order {
    /// An order of a table.
    pub fn new(table: Arc<Table>, id: OrderId) -> Order {
        Order { table, id, raw: Mutex::default() }
    }

    /// The record of the raw key that is put together.
    pub fn raw(&self) -> Option<Vec<u8>> {
        self.raw.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces it.
    pub fn set_raw(&self, record: Option<Vec<u8>>) {
        *self.raw.lock().unwrap_or_else(PoisonError::into_inner) = record;
    }

    /// Works with the table's area, in this order.
    pub fn with<T>(&self, work: impl FnOnce(&mut State, OrderInfo) -> Result<T>) -> Result<T> {
        self.table.with(|state| {
            let info = state.area.order_info(self.id);
            let info = info.ok_or_else(|| Failure::new(AE_INVALID_INDEX_HANDLE, "the index was closed"))?;
            state.area.set_order(Some(self.id))?;
            work(state, info)
        })
    }

    /// The kind of its keys. It is the table's order from here on, as after [`Order::with`].
    pub fn key_kind(&self) -> Result<ValueKind> {
        self.table.with(|state| {
            let kind = state.area.order_key_kind(self.id);
            let kind = kind.ok_or_else(|| Failure::new(AE_INVALID_INDEX_HANDLE, "the index was closed"))?;
            state.area.set_order(Some(self.id))?;
            Ok(kind)
        })
    }

    /// The properties of the order.
    pub fn info(&self) -> Result<OrderInfo> {
        self.with(|_, info| Ok(info))
    }
}
