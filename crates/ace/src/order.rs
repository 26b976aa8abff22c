//! An order of an open table: an index's tag, as a handle.

use std::sync::Arc;

use mainstay_workarea::{OrderId, OrderInfo};

use crate::constants::*;
use crate::failure::{Failure, Result};
use crate::table::{State, Table};

/// An order.
pub struct Order {
    /// Its table.
    pub table: Arc<Table>,
    /// Which of the table's orders it is.
    pub id: OrderId,
}

impl Order {
    /// Works with the table's area, in this order.
    pub fn with<T>(&self, work: impl FnOnce(&mut State, OrderInfo) -> Result<T>) -> Result<T> {
        self.table.with(|state| {
            let info = state.area.order_info(self.id);
            let info = info.ok_or_else(|| Failure::new(AE_INVALID_INDEX_HANDLE, "the index was closed"))?;
            state.area.set_order(Some(self.id))?;
            work(state, info)
        })
    }

    /// What it is.
    pub fn info(&self) -> Result<OrderInfo> {
        self.with(|_, info| Ok(info))
    }
}
