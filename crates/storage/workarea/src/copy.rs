//! Records copied into a new table: COPY TO, SORT.
//!
//! The copy has the records that the area shows, in its order, or all records; deletion marks are copied too. Fields of
//! the same type are copied byte for byte; in another format values are converted as when they are written.

use crate::area::Area;
use mainstay_types::{Code, Error, Result, ValueRef};
use mainstay_vfs::FileSystem;
use mainstay_xbase::adt::RecordLayout;
use mainstay_xbase::dbf::{
    Counter, Dbf, Encoding, Field, FieldSpec, Format, OpenOptions, TableSpec, blank_record, encode,
};
use mainstay_xbase::indexed::{IndexedTable, Telling};
use mainstay_xbase::writer::{Access, WriteOptions};
use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;

/// The records and fields to copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopyOptions {
    /// The fields, by their places; all without it.
    pub fields: Option<Vec<usize>>,
    /// The format of the new table; that of the old one without it.
    pub format: Option<Format>,
    /// All records in their own order, instead of those that are shown in the current one.
    pub everything: bool,
    /// Only records for which this condition is true.
    pub condition: Option<String>,
}

/// By what records are sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortKey {
    /// An expression; most often a field.
    pub expression: String,
    /// From the greatest to the least.
    pub descending: bool,
    /// Small and capital letters (of ASCII) are equal.
    pub ignore_case: bool,
}

impl Area {
    /// Says where copies are written from now on: rows that are a table in memory are copied to the disk.
    pub fn set_copies_to(&mut self, fs: Arc<dyn FileSystem>) {
        self.copies_to = Some(fs);
    }

    /// Copies records into a new table and says how many; `progress` is told how many of how many are done. A copy that
    /// is stopped stays as far as it is.
    ///
    /// Errors: `Duplicate` if there is a file of this name; those of values that the format does not hold.
    pub fn copy_to(&mut self, path: &Path, options: &CopyOptions, progress: Telling<'_>) -> Result<u32> {
        let records = match options.everything {
            true => {
                self.leave()?;
                self.look()?;
                (1..=self.blocks.count()).collect()
            }
            false => self.shown_records()?,
        };
        self.copy_records(path, options, records, progress)
    }

    /// Copies the records that are shown into a new table, sorted; equal ones stay in their order.
    pub fn sort_to(
        &mut self,
        path: &Path,
        keys: &[SortKey],
        options: &CopyOptions,
        progress: Telling<'_>,
    ) -> Result<u32> {
        let records = self.shown_records()?;
        let parked = self.park();
        let rows: Result<Vec<_>> =
            records.into_iter().map(|recno| Ok((self.sort_values(recno, keys)?, recno))).collect();
        self.return_to(parked);
        let mut rows = rows?;
        rows.sort_by(|(left, _), (right, _)| {
            let orders = left.iter().zip(right).zip(keys).map(|((left, right), key)| {
                let order = left.compare(right);
                if key.descending { order.reverse() } else { order }
            });
            orders.fold(Ordering::Equal, Ordering::then)
        });
        let records = rows.into_iter().map(|(_, recno)| recno).collect();
        self.copy_records(path, options, records, progress)
    }

    fn sort_values(&mut self, recno: u32, keys: &[SortKey]) -> Result<Vec<crate::FieldValue>> {
        self.visit(recno)?;
        keys.iter().map(|key| self.sort_value(key)).collect()
    }

    fn sort_value(&mut self, key: &SortKey) -> Result<crate::FieldValue> {
        let mut value = self.evaluate(&key.expression)?;
        if let (crate::FieldValue::Text(text), true) = (&mut value, key.ignore_case) {
            text.make_ascii_uppercase();
        }
        Ok(value)
    }

    /// Is on a record for a moment, to read it.
    pub(crate) fn visit(&mut self, recno: u32) -> Result<()> {
        self.recno = recno;
        self.row.is_loaded = false;
        self.load()
    }

    /// Ends a visit.
    pub(crate) fn return_to(&mut self, parked: crate::positions::Parked) {
        self.unpark(parked);
        self.row.is_loaded = false;
    }

    fn copy_records(
        &mut self,
        path: &Path,
        options: &CopyOptions,
        records: Vec<u32>,
        progress: Telling<'_>,
    ) -> Result<u32> {
        let chosen = match &options.fields {
            Some(fields) => fields.clone(),
            None => (0..self.fields().len()).collect(),
        };
        let own = self.spec();
        let format = options.format.unwrap_or(own.format);
        let counters = self.counters_now()?;
        let mut fields = Vec::with_capacity(chosen.len());
        for number in &chosen {
            let counter = counters.get(*number).copied().flatten();
            fields.push(FieldSpec::in_format(self.field(*number)?, counter, format));
        }
        let spec = TableSpec { format, fields, ..own };
        let fs = Arc::clone(self.copies_to.as_ref().unwrap_or(&self.fs));
        Area::create(&fs, path, &spec)?;
        let written = WriteOptions {
            code_page: self.options().code_page,
            replacement: Some(b'?'),
            cut_long_text: true,
            ..WriteOptions::new(Access::Exclusive)
        };
        let mut to = IndexedTable::open(fs, path, written)?;
        let parked = self.park();
        let copied = self.copy_each(&mut to, &chosen, options, &records, progress);
        self.return_to(parked);
        let closed = to.close();
        copied.and_then(|count| closed.map(|()| count))
    }

    /// The counters as they are in the file: the header of this area is as old as its opening.
    fn counters_now(&mut self) -> Result<Vec<Option<Counter>>> {
        let fields = 0..self.fields().len();
        if !fields.clone().any(|field| self.dbf.counter(field).is_some()) {
            return Ok(vec![None; fields.len()]);
        }
        if let Some(table) = &mut self.table {
            table.flush()?;
        }
        let options = OpenOptions { code_page: self.options().code_page };
        let now = self.fs.open(self.path()).and_then(|file| Dbf::open(file, options));
        Ok(fields.map(|field| now.as_ref().map_or(self.dbf.counter(field), |now| now.counter(field))).collect())
    }

    fn copy_each(
        &mut self,
        to: &mut IndexedTable,
        chosen: &[usize],
        options: &CopyOptions,
        records: &[u32],
        progress: Telling<'_>,
    ) -> Result<u32> {
        let fields = to.fields().to_vec();
        let how = Encoding { code_page: to.dbf().code_page(), replacement: Some(b'?'), cut_long_text: true };
        let blank = blank_record(&fields, to.dbf().header());
        let mut copied = 0;
        for (done, recno) in records.iter().enumerate() {
            if done % 1000 == 0 && progress(done as u64, records.len() as u64).is_break() {
                return Err(Error::new(Code::Cancelled, "the copy was stopped"));
            }
            self.visit(*recno)?;
            if let Some(condition) = &options.condition
                && !self.evaluate_logical(condition)?
            {
                continue;
            }
            let (mut record, mut memos) = (blank.clone(), Vec::new());
            let (from, to_layout) = (self.layout(), to.dbf().header().layout);
            let is_deleted = from.is_deleted(&self.row.bytes);
            // A deleted record of an ADT is put on its list, too.
            to_layout.set_deleted(&mut record, is_deleted && to_layout == RecordLayout::Dbf);
            for (number, (from, field)) in chosen.iter().zip(&fields).enumerate() {
                if let Some(memo) = self.copy_field(*from, field, &how, &mut record)? {
                    memos.push((number, memo));
                }
            }
            let made = to.append_record(&record)?;
            if !memos.is_empty() {
                let values: Vec<(usize, ValueRef<'_>)> =
                    memos.iter().map(|(number, memo)| (*number, ValueRef::Binary(memo))).collect();
                to.update(made, &values)?;
            }
            if is_deleted && to_layout == RecordLayout::Adt {
                to.delete(made)?;
            }
            copied += 1;
        }
        Ok(copied)
    }

    /// Copies one field; a long value is given back, to be stored in the new memo file.
    fn copy_field(&mut self, from: usize, field: &Field, how: &Encoding, record: &mut [u8]) -> Result<Option<Vec<u8>>> {
        let source = self.field(from)?;
        let flags = |field: &Field| (field.null_bit.is_some(), field.varying_bit.is_some());
        let same = (source.kind, source.length, source.decimals) == (field.kind, field.length, field.decimals);
        let same = same && source.adt == field.adt;
        let plain = flags(source) == (false, false) && flags(field) == (false, false);
        let cell = source.offset..source.offset + source.length;
        if field.kind.needs_memo() {
            return Ok(self.memo_bytes(from)?.filter(|memo| !memo.is_empty()));
        }
        if same && plain {
            if let (Some(to), Some(from)) =
                (record.get_mut(field.offset..field.offset + field.length), self.row.bytes.get(cell))
            {
                to.copy_from_slice(from);
            }
            return Ok(None);
        }
        let value = mainstay_xbase::writer::decode(&self.dbf, self.memo.as_ref(), from, &self.row.bytes)?;
        encode(field, value.as_ref(), how, record)?;
        Ok(None)
    }
}
