//! Records outside of a table: bytes composed by a program, and the keys that orders would have for them.
//!
//! [`Area::compose`] shows such bytes in the place of the current record, so that its fields are set and read as those of
//! any record; nothing of it is written. [`Area::take_back`] ends that.

use crate::area::{Area, Row};
use crate::order::OrderId;
use crate::rules::Aside;
use mainstay_types::{Code, Error, Result};

impl Area {
    /// A record without values.
    pub fn blank_record(&self) -> &[u8] {
        &self.blank
    }

    /// Shows these bytes in the place of the current record, to be changed; [`Area::record`] is what they became.
    ///
    /// Errors: `InvalidValue` for bytes that are no record.
    pub fn compose(&mut self, bytes: &[u8]) -> Result<Aside> {
        self.must_be_record(bytes)?;
        let shown =
            Row { bytes: bytes.to_vec(), before: bytes.to_vec(), is_loaded: true, is_changed: true, ..Row::default() };
        Ok(self.exchange(shown))
    }

    /// The bytes of the key that an order would have for a record, whether it would list it or not.
    ///
    /// Errors: `InvalidValue` for bytes that are no record, and for an order that there is not; those of the key
    /// expression.
    pub fn key_of_record(&mut self, order: OrderId, bytes: &[u8]) -> Result<Vec<u8>> {
        self.must_be_record(bytes)?;
        let recno = self.recno;
        let Some(order) = self.orders.iter().find(|known| known.id == order) else {
            return Err(Error::new(Code::InvalidValue, "the order is closed"));
        };
        order.keys.key_of(&mut self.scratch, bytes, recno)
    }

    fn must_be_record(&self, bytes: &[u8]) -> Result<()> {
        match bytes.len() == self.blank.len() {
            true => Ok(()),
            false => Err(Error::new(Code::InvalidValue, "the bytes of a record are as many as its length")),
        }
    }
}
