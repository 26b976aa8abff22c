//! WRITE, INSERT, UPDATE, REMOVE and PURGE, and the locks of EXTRACT.
//!
//! A record is written field by field. Fields that have the same text as before keep their value, so that a value that its
//! text does not say in full is not changed by a program that does not know it.

use crate::access::Record;
use crate::channel::{TableChannel, removed};
use crate::condition::at;
use crate::shape::{Column, Identity};
use crate::text::{self, Kind};
use mainstay_basic_files::error::record_missing;
use mainstay_basic_files::{FileError, FileErrorKind, Result, WriteMode, WriteOptions};
use mainstay_types::Value;
use std::time::Duration;

/// How long a change waits for who has the row.
const WAIT: Duration = Duration::from_secs(1);

impl TableChannel {
    fn check_writable(&self) -> Result<()> {
        match self.is_read_only {
            true => Err(FileError::new(FileErrorKind::AccessMode, "the table can only be read here")),
            false => Ok(()),
        }
    }

    /// Locks the row of a record: the record as it is then.
    ///
    /// Errors: 0, 11.
    pub(crate) fn lock_row(&mut self, record: Record, order: usize, wait: Duration) -> Result<Record> {
        let text = record.identity_text();
        self.shared.extract(&text, self.session, wait)?;
        let locked = self.lock_in_transaction(&record, order, wait);
        match locked {
            Ok(found) => {
                self.extracted = Some(found.clone());
                Ok(found)
            }
            Err(error) => {
                self.end_transaction()?;
                self.shared.release(&text);
                Err(error)
            }
        }
    }

    fn lock_in_transaction(&mut self, record: &Record, order: usize, wait: Duration) -> Result<Record> {
        let _limit = self.access.limit_waits(wait)?;
        self.access.forget();
        // In a transaction of the program the lock is one of that.
        if !self.access.is_in_scope() {
            self.access.session.begin()?;
            self.access.is_in_transaction = true;
        }
        let mut parameters = Vec::new();
        let shape = &self.access.shape;
        let condition = at(shape.identifying(), &record.identity, &mut parameters);
        let (table, first) = (&shape.table, shape.columns.first().map_or("", |column| column.sql.as_str()));
        let count = match shape.identity {
            // A change that changes nothing takes the lock of the record as any change does.
            Identity::Record => {
                let sql = format!("UPDATE {table} SET {first} = {first} WHERE {condition}");
                self.access.change(&sql, &parameters)?
            }
            Identity::Key => {
                let sql = format!("SELECT 1 FROM {table} WHERE {condition} FOR UPDATE");
                self.access.rows(&sql, &parameters)?.len() as u64
            }
            Identity::Row => return Err(FileError::new(FileErrorKind::AccessMode, "rows of this table have no locks")),
        };
        if count == 0 {
            return Err(removed());
        }
        self.access.identified(order, &record.identity)?.ok_or_else(removed)
    }

    /// Gives back a lock that the channel took before the program began its transaction: the change waits for it otherwise.
    fn enter_scope(&mut self) -> Result<()> {
        match self.access.is_in_scope() && self.access.is_in_transaction {
            true => self.end_transaction(),
            false => Ok(()),
        }
    }

    fn end_transaction(&mut self) -> Result<()> {
        if std::mem::take(&mut self.access.is_in_transaction) {
            self.access.forget();
            self.access.session.rollback()?;
        }
        Ok(())
    }

    /// Gives back the lock of the extracted record.
    pub(crate) fn release_lock(&mut self) -> Result<()> {
        let Some(record) = self.extracted.take() else { return Ok(()) };
        self.spot.included = false;
        let ended = self.end_transaction();
        self.shared.release(&record.identity_text());
        ended
    }

    /// Commits what was written under the lock of a record, which ends.
    fn commit(&mut self) -> Result<()> {
        if std::mem::take(&mut self.access.is_in_transaction) {
            self.access.session.commit()?;
        }
        self.access.forget();
        self.release_lock()
    }

    pub(crate) fn write_record(&mut self, data: &[u8], options: &WriteOptions<'_>) -> Result<()> {
        self.check_writable()?;
        let fields = self.fields_of(data)?;
        self.enter_scope()?;
        let before = self.replaced(&fields, options)?;
        let is_new = before.is_none();
        match (is_new, options.mode) {
            (false, WriteMode::New) => {
                let message = "a record with this key is there already";
                return Err(FileError::new(FileErrorKind::DuplicateKey, message));
            }
            (true, WriteMode::Existing) => return Err(record_missing("this key")),
            _ => {}
        }
        let holds = |held: &Record| before.as_ref().is_some_and(|before| held.identity == before.identity);
        if !self.extracted.as_ref().is_some_and(holds) {
            self.release_lock()?;
            if let Some(before) = &before {
                self.shared.check(&before.identity_text(), self.session, options.wait)?;
            }
        }
        let _limit = self.access.limit_waits(WAIT)?;
        let identity = match before {
            Some(before) => self.update(&before, &fields)?,
            None => self.insert(&fields)?,
        };
        self.commit()?;
        let order = self.current_key;
        let Some(record) = self.access.identified(order, &identity)? else { return Ok(()) };
        let record = match options.keeps_lock {
            true => self.lock_row(record, order, options.wait)?,
            false => record,
        };
        self.settle(order, record);
        Ok(())
    }

    /// The texts of the fields of a record, by column.
    ///
    /// Errors: 1 for more fields than the table has columns.
    fn fields_of(&self, data: &[u8]) -> Result<Vec<Vec<u8>>> {
        let separator = self.access.separator;
        let data = data.strip_suffix(&[separator]).unwrap_or(data);
        let fields: Vec<Vec<u8>> = data.split(|byte| *byte == separator).map(<[u8]>::to_vec).collect();
        let columns = self.access.shape.columns.len();
        if fields.len() > columns {
            let message = format!("the record has {} fields, and the table {columns} columns", fields.len());
            return Err(FileError::new(FileErrorKind::RecordTooLong, message));
        }
        Ok(fields)
    }

    /// The record that a WRITE replaces.
    fn replaced(&mut self, fields: &[Vec<u8>], options: &WriteOptions<'_>) -> Result<Option<Record>> {
        if self.access.shape.identity == Identity::Key {
            if options.key.is_some() {
                let message = "KEY= is given, and the key is part of the record";
                return Err(FileError::new(FileErrorKind::KeyDefinition, message));
            }
            let mut key = Vec::new();
            for part in self.access.shape.identifying() {
                let at = part.field.map_or(0, |field| field as usize - 1);
                let own = fields.get(at).map_or(&[][..], Vec::as_slice);
                key.push(match text::value(own, part.kind)? {
                    Value::Null => text::empty(part.kind),
                    value => value,
                });
            }
            return self.access.exactly(0, &key);
        }
        if let Some(index) = options.index {
            return self.find_index(index, 0).map(Some);
        }
        match (options.key, &self.extracted) {
            (Some(key), _) => {
                let place = self.values_of(0, key)?;
                let found = self.access.exactly(0, &place)?;
                // A new record gets the number behind the last one, so no other number can be asked for.
                found.map(Some).ok_or_else(|| record_missing("this number"))
            }
            (None, Some(held)) if options.mode != WriteMode::New => Ok(Some(held.clone())),
            _ => Ok(None),
        }
    }

    fn value_of(column: &Column, field: &[u8]) -> Result<Value> {
        Ok(match text::value(field, column.kind)? {
            Value::Null if !column.nullable => text::empty(column.kind),
            value => value,
        })
    }

    fn update(&mut self, before: &Record, fields: &[Vec<u8>]) -> Result<Vec<Value>> {
        let old = self.fields_of(&before.data)?;
        let (mut set, mut parameters) = (Vec::new(), Vec::new());
        let empty = Vec::new();
        for (at, column) in self.access.shape.columns.iter().enumerate() {
            // Fields that are not written are empty.
            let field = fields.get(at).unwrap_or(&empty);
            if old.get(at) != Some(field) && !(field.is_empty() && old.get(at).is_none()) {
                set.push(format!("{} = {}", column.sql, parameter(column)));
                parameters.push(TableChannel::value_of(column, field)?);
            }
        }
        if !set.is_empty() {
            let condition = at(self.access.shape.identifying(), &before.identity, &mut parameters);
            let sql = format!("UPDATE {} SET {} WHERE {condition}", self.access.shape.table, set.join(", "));
            if self.access.change(&sql, &parameters).map_err(refused)? == 0 {
                return Err(removed());
            }
        }
        Ok(before.identity.clone())
    }

    fn insert(&mut self, fields: &[Vec<u8>]) -> Result<Vec<Value>> {
        let (mut names, mut marks, mut parameters) = (Vec::new(), Vec::new(), Vec::new());
        for (column, field) in self.access.shape.columns.iter().zip(fields) {
            let value = text::value(field, column.kind)?;
            // A column that is left out gets the default of the table.
            let value = match value {
                Value::Null if column.nullable || column.kind != Kind::Text => continue,
                Value::Null => text::empty(column.kind),
                value => value,
            };
            names.push(column.sql.clone());
            marks.push(parameter(column));
            parameters.push(value);
        }
        let table = &self.access.shape.table;
        let sql = match names.is_empty() {
            true => format!("INSERT INTO {table} DEFAULT VALUES"),
            false => format!("INSERT INTO {table} ({}) VALUES ({})", names.join(", "), marks.join(", ")),
        };
        self.access.change(&sql, &parameters).map_err(refused)?;
        self.counters.count_block_write();
        if self.access.shape.identity == Identity::Record {
            let number =
                self.access.with_session(|session| session.last_record()).and_then(|number| i64::try_from(number).ok());
            return Ok(vec![Value::Integer(number.unwrap_or(0))]);
        }
        let name = self.access.shape.name.clone();
        let counted = self.access.with_session(|session| session.last_identity(&name))?;
        let parts = self.access.shape.identifying().iter();
        let key = parts.map(|part| {
            let field = part.field.and_then(|field| fields.get(field as usize - 1)).map_or(&[][..], Vec::as_slice);
            match (text::value(field, part.kind)?, counted) {
                (Value::Null, Some(counted)) => Ok(Value::Integer(counted)),
                (Value::Null, None) => Ok(text::empty(part.kind)),
                (value, _) => Ok(value),
            }
        });
        key.collect()
    }

    pub(crate) fn remove_record(&mut self, key: Option<&[u8]>, index: Option<i64>, wait: Duration) -> Result<()> {
        self.check_writable()?;
        let record = match (key, index, self.spot.current.clone()) {
            (Some(key), _, _) => {
                let place = self.values_of(0, key)?;
                self.access.exactly(0, &place)?.ok_or_else(|| record_missing("this key"))?
            }
            (None, Some(index), _) => self.find_index(index, 0)?,
            (None, None, Some(identity)) => self.access.identified(0, &identity)?.ok_or_else(removed)?,
            (None, None, None) => return Err(record_missing("no key, and no record was read")),
        };
        let in_order = self.access.identified(self.current_key, &record.identity)?;
        let holds = |held: &Record| held.identity == record.identity;
        if !self.extracted.as_ref().is_some_and(holds) {
            self.release_lock()?;
            self.shared.check(&record.identity_text(), self.session, wait)?;
        }
        let _limit = self.access.limit_waits(WAIT)?;
        let mut parameters = Vec::new();
        let condition = at(self.access.shape.identifying(), &record.identity, &mut parameters);
        let sql = format!("DELETE FROM {} WHERE {condition}", self.access.shape.table);
        if self.access.change(&sql, &parameters).map_err(refused)? == 0 {
            return Err(removed());
        }
        self.commit()?;
        if let Some(before) = in_order {
            self.settle(self.current_key, before);
        }
        (self.spot.current, self.spot.included) = (None, false);
        Ok(())
    }

    pub(crate) fn remove_all(&mut self) -> Result<()> {
        self.check_writable()?;
        self.release_lock()?;
        let _limit = self.access.limit_waits(WAIT)?;
        let sql = format!("DELETE FROM {}", self.access.shape.table);
        self.access.change(&sql, &[]).map_err(refused)?;
        self.spot = crate::channel::Spot::default();
        Ok(())
    }
}

/// The place of a value in a statement; SQL converts what has no kind of its own.
fn parameter(column: &Column) -> String {
    match column.kind {
        Kind::Other => format!("CAST(? AS {})", column.sql_type),
        _ => "?".to_owned(),
    }
}

/// The error of a change that the table's own rules refuse.
fn refused(error: FileError) -> FileError {
    match error.kind() {
        FileErrorKind::Internal => FileError::new(FileErrorKind::AccessMode, error.message()),
        _ => error,
    }
}
