//! A CSV file as a table.
//!
//! The columns of a [`CsvTable`] never change; the file may. Every snapshot first checks that the file is still the one
//! that was scanned, and scans it anew if not. The next statement sees added or removed rows; if new values do not fit
//! the columns, [`CsvTable::is_current`] is false, statements fail with [`Code::Busy`], and the catalog replaces the
//! table by [`CsvTable::reopen`].
//!
//! **A young file.** A file time is no proof while it is too young ([`Stamp::is_settled`]). Within these two
//! seconds after a write the checksums are compared instead: reading the file again, but not parsing it.

use crate::checksum::Checksum;
use crate::decode::{decode, read_group};
use crate::dialect::NO_DELIMITER;
use crate::finding::{Finding, Kind};
use crate::guess::ColumnType;
use crate::options::{CodePage, CsvOptions};
use crate::scan::{Scan, changed, scan};
use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringViewArray, new_empty_array};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::interleave::interleave;
use mainstay_columnar::{Access, Ordering, Predicate, RowSet, Snapshot, Table, VectorCache, VectorPlace, VectorSource};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{File, FileSystem, Stamp};
use std::fmt;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// The number of attempts to read a file that changes while it is scanned.
const ATTEMPTS: usize = 3;

/// A CSV file as a table, read in place.
pub struct CsvTable {
    files: Arc<dyn FileSystem>,
    path: PathBuf,
    name: String,
    options: CsvOptions,
    cache: VectorCache,
    schema: SchemaRef,
    state: Mutex<Arc<State>>,
}

/// One state of the file.
struct State {
    file: Arc<dyn File>,
    options: CsvOptions,
    stamp: Stamp,
    /// True if the stamp was old enough to be trusted when the file was last looked at.
    settled: AtomicBool,
    scan: Scan,
    schema: SchemaRef,
    vectors: VectorSource,
}

impl CsvTable {
    /// Opens the file and scans it once. Fails with [`Code::NotThisFormat`] on UTF-16 and on what is no
    /// text at all, with [`Code::InvalidSetting`] on options that contradict themselves, and with
    /// [`Code::Busy`] when the file keeps changing.
    pub fn open(
        files: Arc<dyn FileSystem>,
        path: impl Into<PathBuf>,
        name: impl Into<String>,
        cache: VectorCache,
        options: CsvOptions,
    ) -> Result<CsvTable> {
        options.check()?;
        let path = path.into();
        let state = State::load(&*files, &path, &options, &cache)?;
        let (schema, state) = (Arc::clone(&state.schema), Mutex::new(Arc::new(state)));
        Ok(CsvTable { files, path, name: name.into(), options, cache, schema, state })
    }

    /// The same file with the columns that it has now; cheap if it has been scanned since it changed.
    pub fn reopen(&self) -> Result<CsvTable> {
        let state = self.refreshed()?;
        Ok(CsvTable {
            files: Arc::clone(&self.files),
            path: self.path.clone(),
            name: self.name.clone(),
            options: self.options.clone(),
            cache: self.cache.clone(),
            schema: Arc::clone(&state.schema),
            state: Mutex::new(state),
        })
    }

    /// Returns true if the columns are still those of the file. If not, [`CsvTable::reopen`] gives the table anew.
    pub fn is_current(&self) -> Result<bool> {
        Ok(self.refreshed()?.schema == self.schema)
    }

    /// The length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.state().stamp.len
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The options with all that was detected filled in.
    pub fn dialect(&self) -> CsvOptions {
        let state = self.state();
        let dialect = &state.scan.dialect;
        CsvOptions {
            delimiter: Some(dialect.grammar.delimiter),
            quote: Some(dialect.grammar.quote),
            header: Some(dialect.names.is_some()),
            code_page: Some(state.scan.code_page.clone()),
            ..self.options.clone()
        }
    }

    /// A sentence about how the file is read: delimiter, quote, names, decimal sign and encoding, detected or given.
    pub fn reading(&self) -> String {
        let state = self.state();
        let (dialect, types) = (&state.scan.dialect, &state.scan.types);
        let sign = |byte: u8| match byte {
            0 => "none".to_owned(),
            b'\t' => "tab".to_owned(),
            NO_DELIMITER => "none".to_owned(),
            byte => char::from(byte).to_string(),
        };
        let names = match dialect.names {
            Some(_) => format!("names above line {}", dialect.data_line),
            None => "no names".to_owned(),
        };
        let comma = types.iter().any(|column_type| matches!(column_type, ColumnType::Decimal { comma: true, .. }));
        let thousands = self.options.thousands.map(|byte| format!(", thousands {}", sign(byte))).unwrap_or_default();
        format!(
            "read as {:?}: delimiter {}, quote {}, {names}, decimal sign {}{thousands}",
            state.scan.code_page,
            sign(dialect.grammar.delimiter),
            sign(dialect.grammar.quote),
            if comma { "," } else { "." },
        )
    }

    /// The types of the columns, with the way they are written.
    pub fn column_types(&self) -> Vec<ColumnType> {
        self.state().scan.types.clone()
    }

    /// The findings of the last scan, in the order of their places; of each kind the
    /// first hundred, and the number of further ones.
    pub fn findings(&self) -> Vec<Finding> {
        self.state().scan.findings.list(&self.path)
    }

    fn lock(&self) -> MutexGuard<'_, Arc<State>> {
        // The state is replaced as a whole, so it is sound even if its last user panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> Arc<State> {
        Arc::clone(&self.lock())
    }

    /// The state of the file now.
    fn refreshed(&self) -> Result<Arc<State>> {
        let mut state = self.lock();
        let (now, stamp) = (SystemTime::now(), self.files.stamp(&self.path)?);
        if stamp == state.stamp && state.settled.load(Relaxed) {
            return Ok(Arc::clone(&state));
        }
        if stamp == state.stamp && state.is_unchanged() {
            state.settled.store(stamp.is_settled(now), Relaxed);
            return Ok(Arc::clone(&state));
        }
        *state = Arc::new(State::load(&*self.files, &self.path, &self.options, &self.cache)?);
        Ok(Arc::clone(&state))
    }
}

impl State {
    fn load(files: &dyn FileSystem, path: &Path, options: &CsvOptions, cache: &VectorCache) -> Result<State> {
        let mut error = None;
        for _ in 0..ATTEMPTS {
            let file = files.open(path)?;
            let (now, stamp) = (SystemTime::now(), file.stamp()?);
            match scan(&*file, stamp.len, options) {
                Ok(scan) if files.stamp(path)? == stamp => {
                    let schema = schema_of(&scan);
                    let (settled, vectors) = (AtomicBool::new(stamp.is_settled(now)), cache.new_source());
                    return Ok(State { file, options: options.clone(), stamp, settled, scan, schema, vectors });
                }
                Ok(_) => error = Some(changed(&*file)),
                Err(problem) if problem.code() == Code::Busy => error = Some(problem),
                Err(problem) => return Err(problem),
            }
        }
        Err(error.unwrap_or_else(|| Error::new(Code::Internal, "the file was never scanned").at(path.display())))
    }

    /// Returns true if the open file still has the bytes that were scanned.
    fn is_unchanged(&self) -> bool {
        let mut head = vec![0; usize::try_from(self.scan.head.len).unwrap_or(0)];
        let is_head = self.file.read_at(&mut head, 0).is_ok_and(|read| read == head.len());
        // Without rows there is next to nothing to scan, and no checksum of it.
        let has_rows = !self.scan.groups.is_empty();
        has_rows
            && is_head
            && Checksum::of(&head) == self.scan.head.checksum
            && self.scan.groups.iter().all(|group| read_group(&*self.file, group).is_ok())
    }
}

fn place_of(group: usize, column: usize) -> VectorPlace {
    VectorPlace { group: group as u32, column: column as u32 }
}

fn schema_of(scan: &Scan) -> SchemaRef {
    let fields = scan.names.iter().zip(&scan.types);
    let fields = fields.map(|(name, column_type)| Field::new(name, column_type.sql_type(), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

impl fmt::Debug for CsvTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CsvTable({})", self.path.display())
    }
}

impl Table for CsvTable {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn hidden_columns(&self) -> usize {
        0
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let state = self.refreshed()?;
        if state.schema != self.schema {
            let error = Error::new(Code::Busy, "the columns of the file have changed").at(self.path.display());
            return Err(error.hint("run the statement again"));
        }
        Ok(state)
    }

    fn estimated_rows(&self) -> usize {
        self.state().scan.rows
    }

    fn access(&self, _: &Predicate, _: bool) -> Option<Access> {
        None
    }

    fn order(&self, _: usize, _: bool) -> Option<Ordering> {
        None
    }
}

impl Snapshot for State {
    fn slots(&self) -> usize {
        self.scan.rows
    }

    fn bytes(&self) -> u64 {
        self.stamp.len
    }

    fn visible_rows(&self) -> Result<usize> {
        Ok(self.scan.rows)
    }

    fn groups(&self) -> usize {
        self.scan.groups.len()
    }

    fn group(&self, group: usize) -> Range<usize> {
        match self.scan.groups.get(group) {
            Some(group) => group.first_row..group.first_row + group.rows,
            None => self.scan.rows..self.scan.rows,
        }
    }

    fn visible(&self, _: usize) -> Result<Option<BooleanBuffer>> {
        Ok(None)
    }

    fn vectors(&self, group: usize, columns: &[usize]) -> Result<Vec<ArrayRef>> {
        let Some(place) = self.scan.groups.get(group) else {
            return Err(Error::new(Code::Internal, format!("there is no row group {group}")));
        };
        let mut vectors: Vec<Option<ArrayRef>> =
            columns.iter().map(|&column| self.vectors.get(place_of(group, column))).collect();
        let wanted = columns.iter().zip(&vectors).filter(|(_, vector)| vector.is_none());
        let mut missing: Vec<usize> = wanted.map(|(&column, _)| column).collect();
        missing.sort_unstable();
        missing.dedup();
        if !missing.is_empty() {
            let decoded = decode(&*self.file, &self.scan, &self.options, place, &missing)?;
            for (&column, vector) in missing.iter().zip(decoded) {
                for (_, slot) in columns.iter().zip(&mut vectors).filter(|(wanted, _)| **wanted == column) {
                    *slot = Some(Arc::clone(&vector));
                }
                self.vectors.insert(place_of(group, column), vector);
            }
        }
        Ok(vectors.into_iter().flatten().collect())
    }

    fn is_decoded(&self, group: usize, columns: &[usize]) -> bool {
        columns.iter().all(|&column| self.vectors.get(place_of(group, column)).is_some())
    }

    /// Text comes as views, whatever the groups keep it as.
    fn fetch(&self, rows: &[u32], columns: &[usize], _: bool) -> Result<(Vec<ArrayRef>, Vec<u32>)> {
        // The groups that are needed, each once, and where in them each row is.
        let mut groups: Vec<usize> = Vec::new();
        let mut numbers: Vec<Option<usize>> = vec![None; self.scan.groups.len()];
        let mut places = Vec::with_capacity(rows.len());
        for &row in rows {
            let row = row as usize;
            let group = self.scan.groups.partition_point(|group| group.first_row + group.rows <= row);
            let Some(found) = self.scan.groups.get(group) else {
                return Err(Error::new(Code::Internal, format!("there is no row {row}")));
            };
            let at = *numbers[group].get_or_insert_with(|| {
                groups.push(group);
                groups.len() - 1
            });
            places.push((at, row - found.first_row));
        }
        let vectors = groups.iter().map(|&group| self.vectors(group, columns)).collect::<Result<Vec<_>>>()?;
        let gathered = columns.iter().enumerate().map(|(at, &column)| {
            let sources: Vec<&ArrayRef> = vectors.iter().filter_map(|columns| columns.get(at)).collect();
            match self.scan.types.get(column) {
                Some(&column_type) => gather(column_type, &sources, &places),
                None => Err(Error::new(Code::Internal, format!("there is no column {column}"))),
            }
        });
        Ok((gathered.collect::<Result<Vec<_>>>()?, rows.to_vec()))
    }

    fn rows(&self, _: &Access, _: usize) -> Result<Option<RowSet>> {
        Ok(None)
    }

    fn walk(&self, _: &Ordering, _: &mut dyn FnMut(u32) -> Result<ControlFlow<()>>) -> Result<bool> {
        Ok(false)
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        let findings = &self.scan.findings;
        if let Some((line, column, _)) = findings.of(Kind::NotUtf8).kept.first()
            && self.scan.code_page == CodePage::Windows1252
        {
            notices.push(format!("read as windows-1252, because line {line}, column {column} is not UTF-8"));
        }
        notices.extend(self.scan.remarks.iter().cloned());
        let told =
            [Kind::TooManyFields, Kind::TooFewFields, Kind::UnterminatedQuote, Kind::TextAfterQuote, Kind::NotOfType];
        for kind in told {
            let of_kind = findings.of(kind);
            if let Some((line, ..)) = of_kind.kept.first() {
                notices.push(format!("{}: {}, the first in line {line}", kind.plural(), of_kind.count));
            }
        }
        notices
    }
}

/// The values at these places (vector, row) as one vector.
fn gather(column_type: ColumnType, sources: &[&ArrayRef], places: &[(usize, usize)]) -> Result<ArrayRef> {
    if column_type == ColumnType::Text {
        return Ok(Arc::new(gather_text(sources, places)));
    }
    if places.is_empty() {
        return Ok(new_empty_array(&column_type.physical_type()));
    }
    let sources: Vec<&dyn Array> = sources.iter().map(|vector| &***vector).collect();
    interleave(&sources, places).map_err(|error| Error::new(Code::Internal, error.to_string()))
}

fn gather_text(sources: &[&ArrayRef], places: &[(usize, usize)]) -> StringViewArray {
    let mut views = StringViewBuilder::with_capacity(places.len());
    for &(source, row) in places {
        match sources.get(source) {
            Some(vector) if !vector.is_null(row) => views.append_value(text_at(vector, row)),
            _ => views.append_null(),
        }
    }
    views.finish()
}

fn text_at(vector: &ArrayRef, row: usize) -> &str {
    match vector.data_type() {
        DataType::Dictionary(..) => {
            let dictionary = vector.as_any_dictionary();
            let key = match vector.as_dictionary_opt::<arrow_array::types::UInt8Type>() {
                Some(small) => usize::from(small.keys().value(row)),
                None => usize::from(vector.as_dictionary::<arrow_array::types::UInt16Type>().keys().value(row)),
            };
            dictionary.values().as_string_view().value(key)
        }
        _ => vector.as_string_view().value(row),
    }
}
