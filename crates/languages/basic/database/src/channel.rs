//! [`TableChannel`]: a channel on a table. Positions are those of [`mainstay_basic_files::file`].

use crate::access::{Access, Record, Stretch};
use crate::shape::Identity;
use crate::sharing::Shared;
use crate::text;
use mainstay_basic_files::error::{end_of_file, record_missing};
use mainstay_basic_files::{
    Counters, FileDefinition, FileError, FileErrorKind, FileInformation, KeyFunction, OpenMode, OpenOptions, Order,
    Place, ReadMode, ReadOptions, RecordFile, RecordReference, Result, Scan, ScanRange, Scanned, SessionId,
    WriteOptions,
};
use mainstay_types::Value;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// So many SELECTs of a channel may be open.
const SCANS: usize = 64;

/// The place from which a channel goes on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spot {
    pub(crate) order: usize,
    /// The first values of a place; empty at the beginning.
    pub(crate) place: Vec<Value>,
    /// True if the record at the place is the next one.
    pub(crate) included: bool,
    /// The identity of the current record, if there is one.
    pub(crate) current: Option<Vec<Value>>,
    /// The key that was sought in vain.
    pub(crate) sought: Option<Vec<u8>>,
}

/// A range that SELECT reads.
struct Range {
    spot: Spot,
    end: Option<Vec<Value>>,
}

/// A channel on a table. See the module.
pub(crate) struct TableChannel {
    pub(crate) access: Access,
    pub(crate) shared: Arc<Shared>,
    pub(crate) session: SessionId,
    pub(crate) definition: FileDefinition,
    name: String,
    pub(crate) is_read_only: bool,
    was_purged: bool,
    pub(crate) has_file: bool,
    pub(crate) counters: Arc<Counters>,
    pub(crate) current_key: usize,
    pub(crate) spot: Spot,
    pub(crate) record: Record,
    /// The record of which the channel has the lock.
    pub(crate) extracted: Option<Record>,
    scans: HashMap<u64, Range>,
    last_scan: u64,
    scanned_key: Vec<u8>,
}

impl TableChannel {
    pub(crate) fn new(
        access: Access,
        shared: Arc<Shared>,
        name: &str,
        options: &OpenOptions,
        has_file: bool,
    ) -> TableChannel {
        let mut definition = access.shape.definition();
        definition.separator = access.separator;
        TableChannel {
            is_read_only: options.mode == OpenMode::Input || !access.shape.is_writable(),
            access,
            shared,
            session: options.session,
            definition,
            name: name.to_owned(),
            was_purged: options.mode == OpenMode::Purge,
            has_file,
            counters: Arc::clone(&options.counters),
            current_key: 0,
            spot: Spot::default(),
            record: Record::default(),
            extracted: None,
            scans: HashMap::new(),
            last_scan: 0,
            scanned_key: Vec::new(),
        }
    }

    /// The number of the order of `KNO=`.
    fn switch(&mut self, order: Option<Order>) -> Result<usize> {
        match order {
            None => Ok(self.current_key),
            Some(Order::Physical) => Ok(0),
            Some(Order::Key(number)) => {
                self.access.shape.order(number)?;
                self.current_key = number;
                Ok(number)
            }
        }
    }

    /// A copy of the place, in another order: behind the current record there, or at its beginning.
    pub(crate) fn spot_in(&mut self, order: usize) -> Result<Spot> {
        if self.spot.order == order {
            return Ok(self.spot.clone());
        }
        let found = match self.spot.current.clone() {
            Some(identity) => self.access.identified(order, &identity)?,
            None => None,
        };
        Ok(match found {
            Some(record) => Spot { order, place: record.place, ..self.spot.clone() },
            None => Spot { order, ..Spot::default() },
        })
    }

    /// Finds a record, and stays where it is.
    pub(crate) fn found(&mut self, place: Place<'_>, order: usize) -> Result<Record> {
        let before = self.spot.clone();
        let found = self.find(place, order);
        self.spot = before;
        found
    }

    fn find(&mut self, place: Place<'_>, order: usize) -> Result<Record> {
        match place {
            Place::Next => self.find_relative(1, order),
            Place::Relative(distance) => self.find_relative(distance, order),
            Place::Key(key) => {
                let values = self.values_of(order, key)?;
                match self.access.exactly(order, &values)? {
                    Some(record) if !values.is_empty() => Ok(record),
                    _ => {
                        let sought = Some(key.to_vec());
                        self.spot = Spot { order, place: values, included: true, current: None, sought };
                        Err(record_missing(format_args!("the key \"{}\"", text::characters(key))))
                    }
                }
            }
            Place::Index(index) => self.find_index(index, order),
            Place::Number(number) => {
                let distance = u64::try_from(number).ok().and_then(|number| number.checked_sub(1));
                let distance = distance.ok_or_else(|| invalid(number, "number"))?;
                self.nth(order, distance)?.ok_or_else(end_of_file)
            }
        }
    }

    fn nth(&mut self, order: usize, distance: u64) -> Result<Option<Record>> {
        self.access.step(&Stretch { order, place: &[], forward: true, included: true }, distance)
    }

    pub(crate) fn find_index(&mut self, index: i64, order: usize) -> Result<Record> {
        let wanted = u64::try_from(index).map_err(|_| invalid(index, "index"))?;
        let found = match self.access.shape.identity {
            Identity::Record => self.access.identified(order, &[Value::Integer(index)])?,
            _ => self.nth(order, wanted)?,
        };
        found.ok_or_else(|| record_missing(format_args!("the index {index}")))
    }

    pub(crate) fn find_relative(&mut self, distance: i64, order: usize) -> Result<Record> {
        let spot = self.spot_in(order)?;
        let stretch = Stretch { order, place: &spot.place, forward: distance >= 0, included: spot.included };
        let found = match distance {
            0 => match &spot.current {
                Some(identity) => self.access.identified(order, identity)?,
                None => self.access.step(&stretch, 0)?,
            },
            1 => {
                let counters = Arc::clone(&self.counters);
                self.access.next(&stretch, || counters.count_block_read())?
            }
            // Going back, the record at the place is never the one before it.
            _ if distance < 0 => {
                let stretch = Stretch { included: false, ..stretch };
                self.access.step(&stretch, distance.unsigned_abs() - 1)?
            }
            _ => self.access.step(&stretch, distance.unsigned_abs() - 1)?,
        };
        found.ok_or_else(end_of_file)
    }

    /// The record is the current one; the channel goes on behind it.
    pub(crate) fn settle(&mut self, order: usize, record: Record) {
        let current = Some(record.identity.clone());
        let included = self.extracted.is_some();
        self.spot = Spot { order, place: record.place.clone(), included, current, sought: None };
        self.record = record;
    }

    fn read_record(&mut self, place: Place<'_>, options: &ReadOptions) -> Result<()> {
        let before = (self.spot.clone(), self.current_key);
        let order = self.switch(options.order)?;
        let outcome = self.find(place, order).and_then(|record| self.admit(record, order, options));
        match outcome {
            Ok(record) => {
                self.settle(order, record);
                Ok(())
            }
            Err(error) => {
                // A record that is busy leaves the position as it is; one that is missing moves it, unless it is FIND.
                if options.mode == ReadMode::Find || error.kind() == FileErrorKind::Busy {
                    (self.spot, self.current_key) = before;
                }
                self.release_lock()?;
                Err(error)
            }
        }
    }

    /// Locks a record for EXTRACT, or waits for who has it; gives it as it is then.
    fn admit(&mut self, record: Record, order: usize, options: &ReadOptions) -> Result<Record> {
        let is_held = self.extracted.as_ref().is_some_and(|held| held.identity == record.identity);
        if options.mode == ReadMode::Extract {
            if is_held {
                return Ok(record);
            }
            self.release_lock()?;
            return self.lock_row(record, order, options.wait);
        }
        self.release_lock()?;
        if !options.ignores_locks && !self.shared.is_quiet() {
            let has_waited = self.shared.check(&record.identity_text(), self.session, options.wait)?;
            if has_waited {
                return self.access.identified(order, &record.identity)?.ok_or_else(removed);
            }
        }
        Ok(record)
    }

    fn key_in(&mut self, key_number: Option<usize>) -> Result<usize> {
        let number = key_number.unwrap_or(self.current_key);
        self.access.shape.order(number)?;
        Ok(number)
    }

    fn referred(&mut self, record: RecordReference<'_>, order: usize) -> Result<Record> {
        match record {
            RecordReference::Next => self.find_relative(1, order),
            RecordReference::Key(key) => self.found(Place::Key(key), order),
            RecordReference::Index(index) => self.find_index(index, order),
            RecordReference::Number(number) => self.found(Place::Number(number), order),
        }
    }

    fn is_behind(&self, order: usize, place: &[Value], range: &Scan, end: &[Value]) -> bool {
        let parts = &self.access.shape.orders[order].parts;
        for (at, (value, end_value)) in place.iter().zip(end).enumerate() {
            let compared = text::compare(value, end_value, range.end_is_prefix && at + 1 == end.len());
            let compared = if parts[at].descending { compared.reverse() } else { compared };
            if compared.is_ne() {
                return compared.is_gt();
            }
        }
        false
    }
}

fn invalid(number: i64, what: &str) -> FileError {
    FileError::new(FileErrorKind::InvalidInteger, format!("{number} is not a record {what}"))
}

pub(crate) fn removed() -> FileError {
    FileError::new(FileErrorKind::RecordMissing, "another session has removed the record")
}

impl RecordFile for TableChannel {
    fn definition(&self) -> &FileDefinition {
        &self.definition
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn current_key(&self) -> usize {
        self.current_key
    }

    fn read(&mut self, place: Place<'_>, options: &ReadOptions) -> Result<&[u8]> {
        self.counters.count_read();
        self.read_record(place, options)?;
        Ok(&self.record.data)
    }

    fn write(&mut self, data: &[u8], options: &WriteOptions<'_>) -> Result<()> {
        self.counters.count_write();
        self.write_record(data, options)
    }

    fn remove(&mut self, key: Option<&[u8]>, index: Option<i64>, wait: Duration) -> Result<()> {
        self.counters.count_write();
        self.remove_record(key, index, wait)
    }

    fn release(&mut self) -> Result<()> {
        self.release_lock()
    }

    fn key(&mut self, function: KeyFunction<'_>, key_number: Option<usize>) -> Result<Vec<u8>> {
        let order = self.key_in(key_number)?;
        self.key_of(function, order)
    }

    fn record_number(&mut self, record: RecordReference<'_>, key_number: Option<usize>) -> Result<u64> {
        let order = self.key_in(key_number)?;
        let place = self.referred(record, order)?.place;
        self.access.count(order, &place)
    }

    fn record_index(&mut self, record: RecordReference<'_>, key_number: Option<usize>) -> Result<i64> {
        let order = self.key_in(key_number)?;
        let found = self.referred(record, order)?;
        match (self.access.shape.identity, found.identity.first()) {
            (Identity::Record, Some(Value::Integer(number))) => Ok(*number),
            _ => Ok(i64::try_from(self.access.count(order, &found.place)?).unwrap_or(i64::MAX) - 1),
        }
    }

    fn scan(&mut self, range: &ScanRange<'_>) -> Result<Scan> {
        let order = self.switch(range.order)?;
        self.release_lock()?;
        let place = range.begin.map_or(Ok(Vec::new()), |begin| self.values_of(order, begin))?;
        let end = range.end.map(|end| self.values_of(order, end)).transpose()?;
        if self.scans.len() >= SCANS {
            let message = format!("more than {SCANS} SELECTs of the channel are open");
            return Err(FileError::new(FileErrorKind::OutOfMemory, message));
        }
        self.last_scan += 1;
        let spot = Spot { order, place, included: true, ..Spot::default() };
        self.scans.insert(self.last_scan, Range { spot, end });
        Ok(Scan {
            order: Order::Key(order),
            options: ReadOptions { wait: range.wait, ignores_locks: range.ignores_locks, ..ReadOptions::default() },
            place: (Vec::new(), self.last_scan),
            end: None,
            end_is_prefix: range.end_match == mainstay_basic_files::EndMatch::Prefix,
        })
    }

    fn scan_next(&mut self, scan: &mut Scan) -> Result<Option<Scanned<'_>>> {
        self.counters.count_read();
        let Some(mut range) = self.scans.remove(&scan.place.1) else { return Ok(None) };
        let order = range.spot.order;
        let stretch = Stretch { order, place: &range.spot.place, forward: true, included: range.spot.included };
        let counters = Arc::clone(&self.counters);
        let found = self.access.next(&stretch, || counters.count_block_read())?;
        let is_over =
            |record: &Record| range.end.as_ref().is_some_and(|end| self.is_behind(order, &record.place, scan, end));
        let Some(record) = found.filter(|record| !is_over(record)) else { return Ok(None) };
        match self.admit(record, order, &scan.options) {
            Ok(record) => {
                (range.spot.place, range.spot.included) = (record.place.clone(), false);
                self.scans.insert(scan.place.1, range);
                self.settle(order, record);
            }
            Err(error) => {
                self.scans.insert(scan.place.1, range);
                return Err(error);
            }
        }
        self.scanned_key = self.shown_key(order, &self.record.place);
        Ok(Some(Scanned { data: &self.record.data, key: &self.scanned_key }))
    }

    fn lock(&mut self, wait: Duration) -> Result<()> {
        self.shared.lock_file(self.session, wait)?;
        self.has_file = true;
        Ok(())
    }

    fn unlock(&mut self) -> Result<()> {
        if !self.has_file {
            return Err(FileError::new(FileErrorKind::FileState, "the file is not locked"));
        }
        self.has_file = false;
        self.shared.unlock_file();
        Ok(())
    }

    fn purge(&mut self) -> Result<()> {
        if !self.has_file {
            return Err(FileError::new(FileErrorKind::NotLocked, "the file is not locked"));
        }
        self.remove_all()
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn information(&mut self) -> Result<FileInformation> {
        let current = match (self.access.shape.identity, &self.spot.current) {
            (Identity::Record, Some(identity)) => identity.first().cloned(),
            _ => None,
        };
        Ok(FileInformation {
            name: self.name.clone(),
            path: self.access.shape.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default(),
            definition: self.definition.clone(),
            records: self.access.count(0, &[])?,
            bytes: self.access.database.describe(&self.access.shape.name)?.bytes,
            modified: None,
            current_key: self.current_key,
            current_index: current
                .and_then(|value| if let Value::Integer(number) = value { Some(number) } else { None }),
            has_extracted: self.extracted.is_some(),
            is_locked: self.has_file,
            is_read_only: self.is_read_only,
            was_purged: self.was_purged,
        })
    }
}

impl Drop for TableChannel {
    fn drop(&mut self) {
        // Nobody is left to be told; the transaction of the lock has no changes.
        let _ = self.release_lock();
        self.shared.close(self.session, self.has_file);
    }
}
