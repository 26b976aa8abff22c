//! Scopes: the first and the last key that an order shows.

use crate::area::Area;
use crate::options::Side;
use crate::value::SeekKey;
use mainstay_types::{Code, Error, Result};

impl Area {
    /// Sets an end of the current order's scope, from the next move on. Text stands for all keys that begin with it. In
    /// a descending order the top is the greater one.
    ///
    /// Errors: `InvalidValue` without an order; `TypeMismatch` if the key cannot be one of the order's.
    pub fn set_scope(&mut self, side: Side, key: &SeekKey) -> Result<()> {
        let id = self.order().ok_or_else(no_order)?;
        let key = self.encode_key(id, key)?;
        if let Some(order) = self.current.and_then(|at| self.orders.get_mut(at)) {
            order.set_scope(side, Some(key));
        }
        Ok(())
    }

    /// Takes an end of the scope away.
    pub fn clear_scope(&mut self, side: Side) -> Result<()> {
        match self.current.and_then(|at| self.orders.get_mut(at)) {
            Some(order) => {
                order.set_scope(side, None);
                Ok(())
            }
            None => Err(no_order()),
        }
    }

    /// An end of the current order's scope, as the bytes that its keys begin with.
    pub fn scope(&self, side: Side) -> Option<&[u8]> {
        self.current.and_then(|at| self.orders.get(at))?.scope(side)
    }

    /// Returns true if the record the area is on lies in the scope; true without an order.
    pub fn is_in_scope(&mut self) -> Result<bool> {
        match self.key()? {
            Some(key) => {
                let order = self.current.and_then(|at| self.orders.get(at));
                Ok(order.is_none_or(|order| order.is_below_top(&key) && order.is_above_bottom(&key)))
            }
            None => Ok(self.current.is_none()),
        }
    }

    /// The key of the current record in the current order, computed from the record; `None` at EOF, without an order,
    /// and for a record that the order's condition leaves out.
    pub fn key(&mut self) -> Result<Option<Vec<u8>>> {
        if !self.is_positioned() {
            return Ok(None);
        }
        self.load()?;
        let Some(order) = self.current.and_then(|at| self.orders.get(at)) else { return Ok(None) };
        if !order.keys.lists(&mut self.scratch, &self.row.bytes, self.recno)? {
            return Ok(None);
        }
        order.keys.key_of(&mut self.scratch, &self.row.bytes, self.recno).map(Some)
    }
}

pub(crate) fn no_order() -> Error {
    Error::new(Code::InvalidValue, "a scope needs an order, and none is set")
}
