//! Bulk loads: the columns and rows that a client sends after an INSERT BULK. (MS-TDS 2.2.6.1.)
//!
//! ```text
//!   COLMETADATA    ROW ROW ROW ...    DONE
//! ```
//!
//! A load may be longer than memory: its payload is fed piece by piece, and rows come out as they are complete. An
//! incomplete row is parsed again when the number of available bytes has doubled, so that a long value costs no more
//! than a few times its length.

use crate::column::{Column, TableName, read_columns};
use crate::error::{Wire, WireError};
use crate::reader::Reader;
use crate::type_info::TypeInfo;
use crate::value_read::{Place, read_value};
use crate::version::Version;
use mainstay_types::Value;

/// Reads a bulk load.
#[derive(Debug)]
pub struct BulkReader {
    version: Version,
    input: Vec<u8>,
    start: usize,
    /// Not tried again before so many bytes are there.
    wanted: usize,
    limit_bytes: usize,
    columns: Option<Vec<Column>>,
    infos: Vec<TypeInfo>,
    row: Vec<Value>,
    done: bool,
}

/// The next part of a load.
#[derive(Debug, PartialEq)]
pub enum BulkEvent<'a> {
    /// The columns, once, first.
    Columns(&'a [Column]),
    /// A row.
    Row(&'a [Value]),
    /// More has to be fed.
    NeedsMore,
    /// The end: further input is skipped.
    End,
}

/// True if a row comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextRow {
    /// One is there.
    Row,
    /// More has to be fed.
    NeedsMore,
    /// The end of the load.
    End,
}

impl BulkReader {
    /// A row of more than `limit_bytes` is refused.
    pub fn new(version: Version, limit_bytes: usize) -> BulkReader {
        BulkReader {
            version,
            input: Vec::new(),
            start: 0,
            wanted: 0,
            limit_bytes,
            columns: None,
            infos: Vec::new(),
            row: Vec::new(),
            done: false,
        }
    }

    /// Takes the payload of a packet.
    pub fn feed(&mut self, payload: &[u8]) {
        if self.done {
            return;
        }
        self.input.drain(..self.start);
        self.start = 0;
        self.input.extend_from_slice(payload);
    }

    /// The columns, when they are known.
    pub fn columns(&self) -> Option<&[Column]> {
        self.columns.as_deref()
    }

    /// Returns true if a row comes next, which is then [`BulkReader::row`]. The columns have to be read before.
    pub fn next_row(&mut self, ended: bool) -> Wire<NextRow> {
        match self.next_event(ended)? {
            BulkEvent::Row(_) => Ok(NextRow::Row),
            BulkEvent::End => Ok(NextRow::End),
            BulkEvent::NeedsMore => Ok(NextRow::NeedsMore),
            BulkEvent::Columns(_) => Err(WireError::Malformed("columns where a row has to be")),
        }
    }

    /// The row that was read last.
    pub fn row(&self) -> &[Value] {
        &self.row
    }

    /// The next part. `ended` is true if everything was fed, so that an incomplete row is an error.
    pub fn next_event(&mut self, ended: bool) -> Wire<BulkEvent<'_>> {
        let available = self.input.len() - self.start;
        if self.done || (ended && available == 0 && self.columns.is_some()) {
            return Ok(BulkEvent::End);
        }
        if available < self.wanted && !ended {
            return Ok(BulkEvent::NeedsMore);
        }
        let mut reader = Reader::new(self.input.get(self.start..).unwrap_or_default());
        match read_event(&mut reader, self.version, self.columns.is_some(), &self.infos, &mut self.row) {
            Ok(event) => {
                self.start += reader.position();
                self.wanted = 0;
                Ok(match event {
                    Event::Columns(columns, infos) => {
                        self.infos = infos;
                        BulkEvent::Columns(self.columns.insert(columns))
                    }
                    Event::Row => BulkEvent::Row(&self.row),
                    Event::End => {
                        self.done = true;
                        self.input = Vec::new();
                        self.start = 0;
                        BulkEvent::End
                    }
                })
            }
            Err(WireError::Incomplete) if available > self.limit_bytes => {
                Err(WireError::TooLong("a row of a bulk load", self.limit_bytes))
            }
            Err(WireError::Incomplete) if !ended => {
                self.wanted = (2 * available).min(self.limit_bytes);
                Ok(BulkEvent::NeedsMore)
            }
            Err(error) => Err(error),
        }
    }
}

enum Event {
    Columns(Vec<Column>, Vec<TypeInfo>),
    Row,
    End,
}

fn read_event(
    reader: &mut Reader<'_>,
    version: Version,
    has_columns: bool,
    infos: &[TypeInfo],
    row: &mut Vec<Value>,
) -> Wire<Event> {
    match (reader.u8()?, has_columns) {
        (0x81, false) => {
            read_columns(reader, version, TableName::Any).map(|(columns, infos)| Event::Columns(columns, infos))
        }
        (0xD1, true) => {
            row.clear();
            for info in infos {
                row.push(read_value(reader, info, Place::Row)?);
            }
            Ok(Event::Row)
        }
        (0xD2, true) => {
            row.clear();
            let nulls = reader.bytes(infos.len().div_ceil(8))?;
            for (i, info) in infos.iter().enumerate() {
                let is_null = nulls.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 != 0);
                row.push(if is_null { Value::Null } else { read_value(reader, info, Place::Row)? });
            }
            Ok(Event::Row)
        }
        (0xFD..=0xFF, true) => Ok(Event::End),
        _ => Err(WireError::Malformed("an unknown part of a bulk load")),
    }
}
