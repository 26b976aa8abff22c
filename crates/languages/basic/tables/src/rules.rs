//! The rules of records that statements of SQL change: their keys, lengths and numbers.
//!
//! A statement changes fields of `record`. Everything else of the row follows from that by the definition of the file, with the same
//! code as for a program's WRITE:
//!
//! ```text
//!   record          checked for its length, filled up to a fixed one
//!   record_index    of a new record: the next number, from the counter that channels use
//!   key_0           the external key if the file has one: given by the statement; otherwise made of the record
//!   key_1 ...       made of the record
//! ```
//!
//! **Limits.** The lock of a file (OPEN LOCK) does not keep statements out: those of the same program come after the changes that its channels have
//! gathered, those of others wait for the rows until these are committed. Two transactions that add records with an auto-increment
//! key at the same time may make the same number: the second one gets the error of a unique key.

use crate::schema::{self, KeyPlace, Places, RECORD, RECORD_INDEX};
use crate::sharing::{OpenFiles, SharedFile};
use mainstay_basic_files::key::{Increment, KeySource};
use mainstay_basic_files::{FileDefinition, FileError, FileErrorKind, FileKind, RecordFormat};
use mainstay_store::index::{Cursor, Direction};
use mainstay_store::{NativeTable, Reader, Store, Transaction};
use mainstay_types::{Code, Error, Result, Value, ValueRef};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The rules of a file's records.
pub struct RecordRules {
    /// Has the counter of record numbers, which channels use.
    file: Arc<SharedFile>,
    table: Arc<NativeTable>,
    definition: FileDefinition,
    places: Places,
}

impl RecordRules {
    /// The rules of a table, by its number in the catalog; `None` for one that is not a file's.
    ///
    /// Errors: `Damaged` for a definition that cannot be read or does not fit the table; those of the store.
    pub fn of(
        store: &Arc<Store>,
        (number, table): (u64, &Arc<NativeTable>),
        transaction: &mut Transaction,
    ) -> Result<Option<RecordRules>> {
        let definition = schema::definition(store, transaction, number).map_err(refusal)?;
        let Some(definition) = definition else { return Ok(None) };
        let places = Places::of(table, &definition.keys).map_err(refusal)?;
        let (file, table) = (OpenFiles::of(store).file(number), Arc::clone(table));
        Ok(Some(RecordRules { file, table, definition, places }))
    }

    /// Returns true for columns whose values follow from the record: all but the record and an external key.
    pub fn is_derived(&self, column: usize) -> bool {
        let is_external = self.definition.keys.external_length().is_some()
            && self.primary().is_some_and(|place| place.column == column);
        column != RECORD && !is_external
    }

    fn primary(&self) -> Option<KeyPlace> {
        self.places.keys.first().copied().flatten()
    }

    /// Completes a row that is about to be written. `old` is the row before; `None` for a new one.
    ///
    /// Errors: `InvalidValue` for a record or a key that is too long, a missing external key, and a file that is full.
    pub fn complete(&self, transaction: &mut Transaction, old: Option<&[Value]>, row: &mut [Value]) -> Result<()> {
        let mut record = match row.get(RECORD) {
            Some(Value::Binary(bytes)) if self.definition.kind != FileKind::Sort => bytes.clone(),
            _ => Vec::new(),
        };
        if let RecordFormat::Fixed(length) = self.definition.format {
            // The filling behind the last separator makes room for longer fields.
            while record.len() > length as usize && record.last() == Some(&0) {
                record.pop();
            }
        }
        let external = self.external_key(old, row)?;
        if old.is_none() {
            self.increment(transaction, &mut record, &external)?;
        }
        self.definition.check_length(&mut record).map_err(refusal)?;
        for (number, place) in self.places.keys.iter().enumerate() {
            let Some(place) = place else { continue };
            let mut key = None;
            self.definition.make_key(number, &record, &external, &mut key);
            row[place.column] = key.map_or(Value::Null, Value::Binary);
        }
        row[RECORD] = Value::Binary(record);
        if old.is_none() {
            row[RECORD_INDEX] = Value::Integer(self.next_index(transaction)?);
        }
        Ok(())
    }

    /// The external key as programs see it; empty for files whose primary key is made of the record.
    fn external_key(&self, old: Option<&[Value]>, row: &[Value]) -> Result<Vec<u8>> {
        let (Some(length), Some(place)) = (self.definition.keys.external_length(), self.primary()) else {
            return Ok(Vec::new());
        };
        let before = old.and_then(|old| old.get(place.column));
        match row.get(place.column) {
            Some(Value::Binary(compared)) if before == row.get(place.column) => {
                let mut shown = Vec::new();
                self.definition.keys.key(0).map_err(refusal)?.shown(compared, &mut shown);
                Ok(shown)
            }
            Some(Value::Binary(key)) if key.len() <= length as usize => Ok(key.clone()),
            Some(Value::Binary(key)) => {
                Err(invalid(format!("the key has {} bytes, and the file allows {length}", key.len())))
            }
            _ => Err(invalid("a record of this file has a key beside its fields, which is missing".to_owned())),
        }
    }

    /// The number of a new record.
    fn next_index(&self, transaction: &mut Transaction) -> Result<i64> {
        let view = transaction.view()?;
        let reader = self.table.reader(view);
        if self.definition.max_records.is_some_and(|most| reader.count() as u64 >= most) {
            return Err(invalid("the file has as many records as it may have".to_owned()));
        }
        let next = self.file.next_id(|| Ok(last_index(&reader, self.places.ids)?)).map_err(refusal)?;
        i64::try_from(next).map_err(|_| invalid("the numbers of records are used up".to_owned()))
    }

    /// Gives the auto-increment segment of a new record its value.
    fn increment(&self, transaction: &mut Transaction, record: &mut Vec<u8>, external: &[u8]) -> Result<()> {
        let Some(increment) = self.definition.keys.increment() else { return Ok(()) };
        let source = KeySource { record, external, separator: self.definition.separator };
        if !increment.is_wanted(&source) {
            return Ok(());
        }
        let prefix = increment.prefix(&source);
        let value = self.last_value(transaction, &increment, &prefix)?.saturating_add(1);
        increment.write(value, self.definition.separator, record).map_err(refusal)
    }

    /// The greatest value of an auto-increment segment behind these segments; 0 without a record.
    fn last_value(&self, transaction: &mut Transaction, increment: &Increment<'_>, prefix: &[u8]) -> Result<u64> {
        let Some(Some(place)) = self.places.keys.get(increment.key_number) else { return Ok(0) };
        let encoded = |key: &[u8]| -> Result<Vec<u8>> {
            let mut bytes = Vec::new();
            self.table.indexes()[place.index].encoder().start(&mut bytes).push(ValueRef::Binary(key))?;
            Ok(bytes)
        };
        let start = encoded(prefix)?;
        let mut end = prefix.to_vec();
        end.resize(end.len() + increment.key.length() as usize + 1, 0xFF);
        let end = encoded(&end)?;
        // Descending segments are inverted, so that the greatest value comes first.
        let direction = if increment.is_descending() { Direction::Ascending } else { Direction::Descending };
        let mut cursor = Cursor::new(&start, Some(&end), direction);
        let reader = self.table.reader(transaction.view()?);
        let mut last = None;
        reader.scan_with(&mut cursor, place.index, true, &mut |version| {
            if let ValueRef::Binary(key) = version.value(place.column)
                && key.starts_with(prefix)
            {
                last = Some(increment.value_of(key));
            }
            Ok(ControlFlow::Break(()))
        })?;
        Ok(last.unwrap_or(0))
    }
}

/// The greatest number of a record; 0 for an empty file.
fn last_index(reader: &Reader<'_>, index: usize) -> Result<u64> {
    let mut cursor = Cursor::new(&[], None, Direction::Descending);
    let mut last = 0;
    reader.scan_with(&mut cursor, index, true, &mut |version| {
        if let ValueRef::Integer(number) = version.value(RECORD_INDEX) {
            last = u64::try_from(number).unwrap_or(0);
        }
        Ok(ControlFlow::Break(()))
    })?;
    Ok(last)
}

fn invalid(message: String) -> Error {
    Error::new(Code::InvalidValue, message)
}

/// An error of a file's rules as one of a statement.
pub(crate) fn refusal(error: FileError) -> Error {
    let code = match error.kind() {
        FileErrorKind::Damaged | FileErrorKind::DamagedHeader => Code::Damaged,
        FileErrorKind::Busy => Code::LockTimeout,
        FileErrorKind::Interrupted => Code::Cancelled,
        FileErrorKind::OutOfMemory => Code::OutOfMemory,
        FileErrorKind::Internal => Code::Internal,
        _ => Code::InvalidValue,
    };
    Error::new(code, error.message())
}
