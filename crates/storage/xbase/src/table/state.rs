//! One state of a table's records: a fixed record count, and columns decoded on first use.
//!
//! Records are divided into groups. The bytes of a group are read once, with one read, and a column of it is
//! decoded once; both are in the database's [`VectorCache`] during the lifetime of this state. After an eviction they
//! are read again.
//!
//! A record that another program writes while it is read may come out half old and half new, exactly as for
//! the xBase programs that share the file: only locks could prevent that. A record beyond the statement's initial count
//! is never seen.
//!
//! Records that the state counts may be removed from the file, because their append is rolled back
//! (`dbf/counted.rs`): `taken_back.rs`.

use super::indexes::Indexes;
use super::{Files, Stamps};
use crate::adt::RecordLayout;
use crate::codepage::CodePage;
use crate::dbf::{Field, Findings, Records, decode_column, decode_few, deleted_flags};
use crate::{Finding, Severity};
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, UInt8Array};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, Buffer, ScalarBuffer};
use arrow_schema::DataType;
use mainstay_columnar::vector::gather;
use mainstay_columnar::{Access, Ordering, RowSet, Snapshot, VectorCache, VectorPlace, VectorSource};
use mainstay_types::{Code, Error, Result};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Records in a group.
pub(super) const GROUP_ROWS: usize = 1 << 16;

/// From this many records of one group on, reading the whole group is cheaper than reading them one by one.
const READ_GROUP_FROM: usize = 64;

/// Bytes of records that are read at once when only their flags are wanted.
const PIECE_BYTES: usize = 1 << 16;

/// The place of a group's record bytes among its columns in the cache. Below it are those of its pieces.
pub(super) const RECORD_BYTES: u32 = u32::MAX;

/// Bytes of a piece of records, of which one was asked for by itself: as many as the system reads of a file at least.
const KEPT_BYTES: usize = 4_096;

pub(super) fn place_of(group: usize, column: u32) -> VectorPlace {
    VectorPlace { group: group as u32, column }
}

/// One state of a table.
pub(crate) struct State {
    pub(crate) files: Arc<Files>,
    pub(crate) stamps: Stamps,
    /// True if a later write is certain to give the files other stamps.
    pub(crate) settled: bool,
    slots: usize,
    vectors: VectorSource,
    pub(super) visible: Vec<OnceLock<Option<BooleanBuffer>>>,
    /// True if a statement has read runs instead of groups.
    was_run: AtomicBool,
    /// By group, for they are found in any order.
    findings: Mutex<BTreeMap<usize, Findings>>,
    indexes: Arc<Indexes>,
    /// The number of reads of each group's bytes.
    reads: Vec<AtomicU32>,
    /// Records that the state counts were taken back.
    pub(super) has_lost: AtomicBool,
    /// Values decoded in the previous state, until every group has been read.
    before: Mutex<Option<Arc<State>>>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "State({} records of {})", self.slots, self.files.dbf.path().display())
    }
}

impl State {
    pub(crate) fn new(
        files: Arc<Files>,
        stamps: Stamps,
        settled: bool,
        cache: &VectorCache,
        indexes: Arc<Indexes>,
    ) -> Result<State> {
        let slots = usize::try_from(files.dbf.record_count(stamps.dbf.len)).unwrap_or(usize::MAX);
        let vectors = cache.new_source();
        let visible = (0..slots.div_ceil(GROUP_ROWS)).map(|_| OnceLock::new()).collect();
        let (was_run, findings) = (AtomicBool::new(false), Mutex::default());
        let (reads, before) = ((0..slots.div_ceil(GROUP_ROWS)).map(|_| AtomicU32::new(0)).collect(), Mutex::default());
        let has_lost = AtomicBool::new(false);
        Ok(State {
            files,
            stamps,
            settled,
            slots,
            vectors,
            visible,
            was_run,
            findings,
            indexes,
            reads,
            has_lost,
            before,
        })
    }

    /// The same with what the state before has decoded, or the one before that.
    pub(crate) fn following(self, before: &Arc<State>) -> State {
        let earlier = before.before.lock().unwrap_or_else(PoisonError::into_inner).take();
        let has_read = before.reads.iter().any(|reads| reads.load(Relaxed) > 0);
        *self.before.lock().unwrap_or_else(PoisonError::into_inner) =
            if has_read { Some(Arc::clone(before)) } else { earlier };
        self
    }

    pub(super) fn before(&self) -> Option<Arc<State>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns true if all cached values of a group are of the same bytes.
    pub(super) fn was_read_once(&self, group: usize) -> bool {
        self.reads.get(group).is_some_and(|reads| reads.load(Relaxed) == 1)
    }

    pub(super) fn kept(&self, place: VectorPlace) -> Option<ArrayRef> {
        self.vectors.get(place)
    }

    pub(super) fn keep(&self, place: VectorPlace, vector: ArrayRef) {
        self.vectors.insert(place, vector);
    }

    pub(super) fn has_findings(&self) -> bool {
        !self.findings.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub(super) fn code_page(&self) -> CodePage {
        self.files.dbf.code_page()
    }

    /// A number that no other state of any table has.
    pub(crate) fn number(&self) -> u64 {
        self.vectors.number()
    }

    pub(super) fn fields(&self) -> &[Field] {
        self.files.dbf.fields()
    }

    pub(super) fn layout(&self) -> RecordLayout {
        self.files.dbf.header().layout
    }

    pub(super) fn record_length(&self) -> usize {
        self.files.dbf.header().record_bytes()
    }

    /// The bytes of a group's records.
    fn record_bytes(&self, group: usize) -> Result<UInt8Array> {
        let key = place_of(group, RECORD_BYTES);
        if let Some(bytes) = self.vectors.get(key)
            && let Some(bytes) = bytes.as_any().downcast_ref::<UInt8Array>()
        {
            return Ok(bytes.clone());
        }
        let rows = self.group(group);
        let mut buffer = vec![0; rows.len() * self.record_length()];
        self.read_counted(rows.start, &mut buffer)?;
        let length = buffer.len();
        let bytes = UInt8Array::new(ScalarBuffer::new(Buffer::from_vec(buffer), 0, length), None);
        self.vectors.insert(key, Arc::new(bytes.clone()));
        self.reads[group].fetch_add(1, Relaxed);
        self.carry(group, bytes.values());
        if self.reads.iter().all(|reads| reads.load(Relaxed) > 0) {
            *self.before.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        Ok(bytes)
    }

    fn vector(&self, group: usize, column: usize) -> Result<ArrayRef> {
        let key = place_of(group, column as u32);
        if let Some(vector) = self.vectors.get(key) {
            return Ok(vector);
        }
        let vector = self.decode(group, column)?;
        self.vectors.insert(key, Arc::clone(&vector));
        Ok(vector)
    }

    fn decode(&self, group: usize, column: usize) -> Result<ArrayRef> {
        let rows = self.group(group);
        if let Some(field) = self.fields().get(column) {
            let bytes = self.record_bytes(group)?;
            // Reading them may have found what the state before has decoded.
            if let Some(vector) = self.vectors.get(place_of(group, column as u32)) {
                return Ok(vector);
            }
            let records = Records::new(bytes.values(), self.record_length(), rows.start as u64 + 1);
            let decoding = self.files.decoding();
            let decoded = decode_column(field, &records, &decoding)?;
            self.note(group, decoded.findings);
            return Ok(decoded.vector);
        }
        Ok(match column - self.fields().len() {
            0 => self.record_numbers(rows),
            _ => {
                let deleted = match self.visible(group)? {
                    Some(visible) => !&visible,
                    None => BooleanBuffer::new_unset(rows.len()),
                };
                Arc::new(BooleanArray::new(deleted, None))
            }
        })
    }

    /// `_recno` of a run of row slots.
    fn record_numbers(&self, slots: Range<usize>) -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(slots.map(|slot| slot as i64 + 1)))
    }

    fn note(&self, group: usize, findings: Findings) {
        if !findings.is_empty() {
            let mut all = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(group).or_default().append(findings);
        }
    }

    /// The bytes of one record (row slots count from 0), from the cache if its group is there.
    pub(crate) fn record(&self, row: u32, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.resize(self.record_length(), 0);
        self.copy_record(row, buffer)
    }

    /// The same into a slice of just its length.
    fn copy_record(&self, row: u32, bytes: &mut [u8]) -> Result<()> {
        let row = row as usize;
        if row >= self.slots {
            return Err(self.no_such_record(row));
        }
        let group = row / GROUP_ROWS;
        let start = (row - group * GROUP_ROWS) * self.record_length();
        if let Some(kept) = self.vectors.get(place_of(group, RECORD_BYTES))
            && let Some(kept) = kept.as_any().downcast_ref::<UInt8Array>()
            && let Some(record) = kept.values().get(start..start + bytes.len())
        {
            bytes.copy_from_slice(record);
            return Ok(());
        }
        self.read_counted(row, bytes)
    }

    /// The deletion flags of a group whose bytes are not needed otherwise: read a piece at a time, so that each piece
    /// is examined in the processor's cache, and memory is not filled with unneeded bytes.
    fn flags(&self, group: usize) -> Result<(BooleanBuffer, Findings)> {
        let how = self.files.decoding();
        if self.vectors.get(place_of(group, RECORD_BYTES)).is_some() {
            let (bytes, first) = (self.record_bytes(group)?, self.group(group).start as u64 + 1);
            return Ok(deleted_flags(&Records::new(bytes.values(), self.record_length(), first), &how));
        }
        let rows = self.group(group);
        let step = (PIECE_BYTES / self.record_length().max(1)).max(1);
        let (mut flags, mut findings) = (BooleanBufferBuilder::new(rows.len()), Findings::default());
        let mut buffer = Vec::new();
        for start in rows.clone().step_by(step) {
            buffer.resize((rows.end.min(start + step) - start) * self.record_length(), 0);
            self.read_counted(start, &mut buffer)?;
            let records = Records::new(&buffer, self.record_length(), start as u64 + 1);
            let (deleted, found) = deleted_flags(&records, &how);
            flags.append_buffer(&deleted);
            findings.append(found);
        }
        Ok((flags.finish(), findings))
    }

    /// Keeps which records of a group are there.
    fn note_visible(&self, group: usize, (deleted, findings): (BooleanBuffer, Findings)) -> Option<BooleanBuffer> {
        let visible = (deleted.count_set_bits() > 0).then(|| !&deleted);
        if self.visible[group].set(visible.clone()).is_ok() {
            self.note(group, findings);
        }
        visible
    }

    fn no_such_record(&self, row: usize) -> Error {
        let message = format!("an index names record {}, and the table has {}", row + 1, self.slots);
        Error::new(Code::IndexDamaged, message).at(self.files.dbf.path().display())
    }

    /// One record alone, with its neighbours: what is looked for by a key is looked for again, and a copy of its bytes is
    /// quicker than asking the system for them.
    fn copy_kept(&self, row: u32, bytes: &mut [u8]) -> Result<()> {
        let (row, length) = (row as usize, self.record_length());
        // Bytes that the next statement cannot see again are not cached.
        if !self.settled || row >= self.slots {
            return self.copy_record(row as u32, bytes);
        }
        let (group, step) = (row / GROUP_ROWS, (KEPT_BYTES / length.max(1)).max(1));
        let slots = self.group(group);
        let piece = (row - slots.start) / step;
        let start = slots.start + piece * step;
        let key = place_of(group, RECORD_BYTES - 1 - piece as u32);
        let place = (row - start) * length..(row - start + 1) * length;
        if let Some(kept) = self.vectors.get(key)
            && let Some(kept) = kept.as_any().downcast_ref::<UInt8Array>()
            && let Some(record) = kept.values().get(place.clone())
        {
            bytes.copy_from_slice(record);
            return Ok(());
        }
        let mut buffer = Vec::new();
        let is_read =
            self.files.dbf.read_records(start as u64..slots.end.min(start + step) as u64, &mut buffer).is_ok();
        match buffer.get(place) {
            Some(record) if is_read => bytes.copy_from_slice(record),
            // The file has become shorter, and the record may still be there.
            _ => return self.copy_record(row as u32, bytes),
        }
        self.vectors.insert(key, Arc::new(UInt8Array::from(buffer)));
        Ok(())
    }

    /// Records read one by one and decoded, without their groups.
    fn fetch_records(&self, rows: &[u32], columns: &[usize], visible_only: bool) -> Result<(Vec<ArrayRef>, Vec<u32>)> {
        let length = self.record_length();
        let (mut bytes, mut end) = (vec![0; rows.len() * length], 0);
        let (mut kept, mut numbers) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        for row in rows {
            // There is room for every row.
            let Some(record) = bytes.get_mut(end..end + length) else { break };
            match rows {
                [_] => self.copy_kept(*row, record)?,
                _ => self.copy_record(*row, record)?,
            }
            if !(visible_only && self.layout().is_deleted(record)) {
                kept.push(*row);
                numbers.push(u64::from(*row) + 1);
                end += length;
            }
        }
        bytes.truncate(end);
        let records = Records::of_rows(&bytes, length, &numbers);
        let decoding = self.files.decoding();
        let mut vectors: Vec<ArrayRef> = Vec::with_capacity(columns.len());
        for column in columns {
            vectors.push(match self.fields().get(*column) {
                Some(field) => {
                    let decoded = decode_few(field, &records, &decoding)?;
                    self.note(kept.first().map_or(0, |row| *row as usize / GROUP_ROWS), decoded.findings);
                    decoded.vector
                }
                None if *column == self.fields().len() => {
                    Arc::new(Int64Array::from_iter_values(kept.iter().map(|row| i64::from(*row) + 1)))
                }
                None => {
                    let deleted: Vec<bool> =
                        bytes.chunks_exact(length).map(|record| self.layout().is_deleted(record)).collect();
                    Arc::new(BooleanArray::from(deleted))
                }
            });
        }
        Ok((vectors, kept))
    }

    /// Rows of one group, gathered from its decoded columns.
    fn fetch_decoded(
        &self,
        group: usize,
        rows: &[u32],
        columns: &[usize],
        visible_only: bool,
    ) -> Result<(Vec<ArrayRef>, Vec<u32>)> {
        let first = (group * GROUP_ROWS) as u32;
        let visible = if visible_only { self.visible(group)? } else { None };
        let is_kept = |row: &&u32| visible.as_ref().is_none_or(|bits| bits.value((**row - first) as usize));
        let kept: Vec<u32> = rows.iter().filter(is_kept).copied().collect();
        let places: Vec<u32> = kept.iter().map(|row| row - first).collect();
        let mut vectors = Vec::with_capacity(columns.len());
        for column in columns {
            vectors.push(gather(&self.vector(group, *column)?, &places, &self.sql_type(*column))?);
        }
        Ok((vectors, kept))
    }

    fn sql_type(&self, column: usize) -> DataType {
        match self.fields().get(column) {
            Some(field) => field.sql_type(),
            None if column == self.fields().len() => DataType::Int64,
            None => DataType::Boolean,
        }
    }
}

impl Snapshot for State {
    fn slots(&self) -> usize {
        self.slots
    }

    fn bytes(&self) -> u64 {
        self.slots as u64 * self.record_length() as u64
    }

    fn visible_rows(&self) -> Result<usize> {
        let mut count = 0;
        for group in 0..self.groups() {
            let visible = match self.visible[group].get() {
                Some(visible) => visible.clone(),
                None => self.note_visible(group, self.flags(group)?),
            };
            count += match visible {
                Some(visible) => visible.count_set_bits(),
                None => self.group(group).len(),
            };
        }
        Ok(count)
    }

    fn groups(&self) -> usize {
        self.visible.len()
    }

    fn group(&self, group: usize) -> Range<usize> {
        let start = group * GROUP_ROWS;
        start..self.slots.min(start + GROUP_ROWS)
    }

    fn visible(&self, group: usize) -> Result<Option<BooleanBuffer>> {
        if let Some(visible) = self.visible[group].get() {
            return Ok(visible.clone());
        }
        let bytes = self.record_bytes(group)?;
        let first = self.group(group).start as u64 + 1;
        let records = Records::new(bytes.values(), self.record_length(), first);
        Ok(self.note_visible(group, deleted_flags(&records, &self.files.decoding())))
    }

    fn vectors(&self, group: usize, columns: &[usize]) -> Result<Vec<ArrayRef>> {
        columns.iter().map(|column| self.vector(group, *column)).collect()
    }

    fn run(&self, slots: Range<usize>, columns: &[usize]) -> Result<(Vec<ArrayRef>, Option<BooleanBuffer>)> {
        let mut buffer = vec![0; slots.len() * self.record_length()];
        self.read_counted(slots.start, &mut buffer)?;
        let records = Records::new(&buffer, self.record_length(), slots.start as u64 + 1);
        let (deleted, _) = deleted_flags(&records, &self.files.decoding());
        let decoding = self.files.decoding();
        let mut vectors: Vec<ArrayRef> = Vec::with_capacity(columns.len());
        for column in columns {
            vectors.push(match self.fields().get(*column) {
                Some(field) => {
                    let decoded = decode_column(field, &records, &decoding)?;
                    self.note(slots.start / GROUP_ROWS, decoded.findings);
                    decoded.vector
                }
                None if *column == self.fields().len() => self.record_numbers(slots.clone()),
                None => Arc::new(BooleanArray::new(deleted.clone(), None)),
            });
        }
        Ok((vectors, (deleted.count_set_bits() > 0).then(|| !&deleted)))
    }

    fn reads_runs(&self) -> bool {
        true
    }

    fn prefers_run(&self, group: usize, columns: &[usize]) -> bool {
        !self.is_decoded(group, columns) && !self.was_run.swap(true, Relaxed)
    }

    fn is_decoded(&self, group: usize, columns: &[usize]) -> bool {
        columns.iter().all(|column| self.vectors.get(place_of(group, *column as u32)).is_some())
    }

    fn fetch(&self, rows: &[u32], columns: &[usize], visible_only: bool) -> Result<(Vec<ArrayRef>, Vec<u32>)> {
        let Some(first) = rows.first() else { return self.fetch_records(rows, columns, visible_only) };
        if let Some(row) = rows.iter().find(|row| **row as usize >= self.slots) {
            return Err(self.no_such_record(*row as usize));
        }
        let group = *first as usize / GROUP_ROWS;
        let in_one_group = rows.iter().all(|row| *row as usize / GROUP_ROWS == group);
        if in_one_group && rows.len() > 1 && (self.is_decoded(group, columns) || rows.len() >= READ_GROUP_FROM) {
            return self.fetch_decoded(group, rows, columns, visible_only);
        }
        self.fetch_records(rows, columns, visible_only)
    }

    fn rows(&self, access: &Access, most: usize) -> Result<Option<RowSet>> {
        self.indexes.rows(self, access, most)
    }

    fn walk(&self, ordering: &Ordering, visit: &mut dyn FnMut(u32) -> Result<ControlFlow<()>>) -> Result<bool> {
        self.indexes.walk(self, ordering, visit)
    }

    fn notices(&self) -> Vec<String> {
        let by_group = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let mut findings = Findings::default();
        by_group.values().cloned().for_each(|of_group| findings.append(of_group));
        // Errors of the files as a whole cost rows or values too; mere oddities are for the check.
        let of_files = self.files.dbf.findings().iter().chain(&self.files.findings);
        let mut list: Vec<Finding> = of_files.filter(|finding| finding.severity == Severity::Error).cloned().collect();
        findings.list_into(self.files.dbf.path(), "", &mut list);
        list.extend(self.indexes.notices(self));
        list.iter().map(Finding::text).collect()
    }
}
