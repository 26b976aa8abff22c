//! Answers of a server as batches of rows, and all rows of a short query.

use super::Remote;
use super::rows::Rows;
use arrow_array::RecordBatch;
use mainstay_tds_client::{Address, Event};
use mainstay_types::{Code, Error, Result, Value};
use std::path::Path;

impl Remote {
    /// The next rows of a result; `None` at its end.
    pub(crate) fn next_batch(&mut self, rows: &mut Rows) -> Result<Option<RecordBatch>> {
        loop {
            match self.next_event()? {
                Event::Row(row) => {
                    if rows.push(row) {
                        return rows.take();
                    }
                }
                other => {
                    self.put_back(other);
                    return rows.take();
                }
            }
        }
    }

    /// The rows of a query that the command asks for itself.
    ///
    /// Errors: `ConnectionLost`, and those of the query as `Unsupported`.
    pub(crate) fn look_up(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Vec<Value>>> {
        self.send(sql, values)?;
        let (mut rows, mut failure) = (Vec::new(), None);
        loop {
            match self.next_event()? {
                Event::Row(row) => rows.push(row),
                Event::Message(message) if message.is_error() => failure = failure.or(Some(message.text)),
                Event::Ready => break,
                _ => {}
            }
        }
        failure.map_or(Ok(rows), |text| Err(Error::new(Code::Unsupported, text)))
    }
}

/// The address in what stands where a folder may stand.
///
/// Errors: `InvalidSetting` for an address that is not one.
pub(crate) fn address_of(path: Option<&Path>) -> Result<Option<Address>> {
    path.and_then(Path::to_str).and_then(Address::parse).transpose()
}
