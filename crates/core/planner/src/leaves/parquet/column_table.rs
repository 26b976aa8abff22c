//! Parquet files as a table of column vectors, which are decoded once and kept in the cache of the database.
//!
//! A reader of Parquet files decompresses and decodes pages with every statement, which takes most of the time of an
//! analytical query. Row groups of Parquet are the groups of a [`Table`]: a column of one is decoded
//! ([`column_decoder`](super::column_decoder)) in a narrow type, and all kernels over column vectors apply. It is kept within the
//! memory limit when it is decoded for the second time: new memory for what is read once costs more than decoding.
//!
//! ```text
//!   statement --> TableScan --> Snapshot::vectors(group, columns) --> cache, recent groups --> decoder --> file
//!                     |
//!                     +--> Snapshot::excludes(group, condition): the bounds in the footer
//! ```
//!
//! A file that was changed within the last seconds may be changed again without another time or length. Vectors of it are kept
//! for one statement only.
//!
//! Limits: files of equal columns, none of whose row groups is larger than [`MOST_GROUP_ROWS`]; columns of [`is_readable`]
//! types. DataFusion reads other files, and other columns.

use super::column_decoder::{decode, narrow_footer};
use super::damaged;
use super::files::{Files, stamp_of};
use crate::error::from_datafusion;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::BooleanBuffer;
use datafusion::arrow::array::new_empty_array;
use datafusion::arrow::compute::concat;
use datafusion::arrow::datatypes::{DataType, FieldRef, SchemaRef};
use datafusion::common::ScalarValue;
use datafusion::parquet::arrow::arrow_reader::ArrowReaderMetadata;
use datafusion::parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use mainstay_columnar::vector::exclusion::{GroupBounds, excludes};
use mainstay_columnar::vector::gather;
use mainstay_columnar::{Access, Ordering, Predicate, RowSet, Snapshot, Table, VectorCache, VectorPlace, VectorSource};
use mainstay_types::{Code, Error, Result};
use std::collections::VecDeque;
use std::fmt;
use std::fs::File;
use std::num::NonZero;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

/// Rows of a row group up to which its columns are decoded as a whole.
const MOST_GROUP_ROWS: usize = 1 << 20;
/// Files whose footers are kept.
const MOST_FILES: usize = 256;
/// The age from which on the time of a file's last change is trusted: no file system has coarser times.
const SETTLED: Duration = Duration::from_secs(2);
/// Groups whose vectors are at hand, for each thread.
const RECENT_GROUPS_OF_A_THREAD: usize = 3;
/// Bytes of these vectors beyond which only the latest group has some.
const MOST_RECENT_BYTES: usize = 32 << 20;
/// The part of a group that is decoded for a few of its rows.
const RUN_SHARE: usize = 8;

/// The table.
pub(super) struct ColumnTable {
    layout: Arc<Layout>,
    cache: VectorCache,
    /// The vectors of the settled files.
    settled: Mutex<Option<Arc<State>>>,
}

/// The least and the greatest value of a column in each row group, where its file has them.
type ColumnBounds = Vec<Option<(i128, i128)>>;

/// The files, and where in them the rows are.
struct Layout {
    name: String,
    schema: SchemaRef,
    sources: Vec<Source>,
    groups: Vec<Group>,
    rows: usize,
    bytes: u64,
    /// For each column the bounds of each group, once they are asked for.
    bounds: Vec<OnceLock<ColumnBounds>>,
}

struct Source {
    path: PathBuf,
    stamp: (u64, SystemTime),
    /// With the types that are decoded.
    narrow: ArrowReaderMetadata,
    /// The types of the columns as statements see them.
    columns: SchemaRef,
}

struct Group {
    source: usize,
    row_group: usize,
    first_row: usize,
    rows: usize,
}

/// The files with the vectors that were decoded of them.
struct State {
    layout: Arc<Layout>,
    vectors: VectorSource,
    recent: Mutex<Recent>,
    /// For each column of each group true if it was decoded.
    was_decoded: Vec<AtomicBool>,
}

/// The vectors of the groups that were decoded last. A scan asks for the columns of its condition and for those of its
/// output apart, and other threads read the groups that it comes to next.
#[derive(Default)]
struct Recent {
    /// The latest group first.
    groups: VecDeque<RecentGroup>,
    bytes: usize,
}

struct RecentGroup {
    group: usize,
    vectors: Vec<(usize, ArrayRef)>,
    bytes: usize,
}

impl Recent {
    fn get(&self, group: usize, column: usize) -> Option<ArrayRef> {
        let recent = self.groups.iter().find(|recent| recent.group == group)?;
        recent.vectors.iter().find(|(known, _)| *known == column).map(|(_, vector)| Arc::clone(vector))
    }

    fn insert(&mut self, group: usize, column: usize, vector: &ArrayRef) {
        let at = self.groups.iter().position(|recent| recent.group == group).unwrap_or_else(|| {
            self.groups.push_front(RecentGroup { group, vectors: Vec::new(), bytes: 0 });
            0
        });
        let bytes = vector.get_array_memory_size();
        let recent = &mut self.groups[at];
        recent.vectors.push((column, Arc::clone(vector)));
        recent.bytes += bytes;
        self.bytes += bytes;
        let most_groups = RECENT_GROUPS_OF_A_THREAD * std::thread::available_parallelism().map_or(1, NonZero::get);
        while self.groups.len() > most_groups || (self.groups.len() > 1 && self.bytes > MOST_RECENT_BYTES) {
            self.bytes -= self.groups.pop_back().map_or(0, |oldest| oldest.bytes);
        }
    }
}

/// Returns true if columns of this type are read as vectors.
fn is_readable(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::Int64
            | DataType::Float32
            | DataType::Float64
            | DataType::Boolean
            | DataType::Date32
            | DataType::Decimal128(..)
            | DataType::Utf8View
            | DataType::Timestamp(_, None)
    )
}

impl ColumnTable {
    /// A table over these files, with the columns of `schema`; `None` if they are not of the kind that can be read so.
    pub(super) fn of(path: &Path, files: &Files, schema: &SchemaRef, cache: &VectorCache) -> Option<ColumnTable> {
        let (mut sources, mut groups, mut rows, mut bytes) = (Vec::new(), Vec::new(), 0_usize, 0);
        if files.has_partitions() || files.all().len() > MOST_FILES {
            return None;
        }
        for file in files.all() {
            // Fields may be optional in some of the files.
            let is_same = |(one, other): (&FieldRef, &FieldRef)| {
                one.name() == other.name() && one.data_type() == other.data_type()
            };
            let all = files.schema();
            if file.columns.fields().len() != all.fields().len()
                || !file.columns.fields().iter().zip(all.fields()).all(is_same)
            {
                return None;
            }
            for (row_group, found) in file.metadata.row_groups().iter().enumerate() {
                let of_group = usize::try_from(found.num_rows()).ok().filter(|rows| *rows <= MOST_GROUP_ROWS)?;
                if of_group > 0 {
                    groups.push(Group { source: sources.len(), row_group, first_row: rows, rows: of_group });
                }
                rows = rows.checked_add(of_group).filter(|rows| u32::try_from(*rows).is_ok())?;
            }
            bytes += file.stamp.0;
            sources.push(Source {
                path: file.path.clone(),
                stamp: file.stamp,
                narrow: damaged::caught(|| narrow_footer(&file.metadata, &file.columns)).ok()?,
                columns: Arc::clone(&file.columns),
            });
        }
        let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().to_lowercase());
        let bounds = schema.fields().iter().map(|_| OnceLock::new()).collect();
        let layout = Layout { name, schema: Arc::clone(schema), sources, groups, rows, bytes, bounds };
        Some(ColumnTable { layout: Arc::new(layout), cache: cache.clone(), settled: Mutex::default() })
    }

    /// Returns true if the column is read as vectors.
    pub(super) fn has_vectors(&self, column: usize) -> bool {
        let shown = self.layout.schema.fields().get(column).map(|field| field.data_type());
        let stored = self.layout.sources.first().and_then(|source| source.columns.fields().get(column));
        shown.is_some_and(is_readable) && stored.map(|field| field.data_type()) == shown
    }

    fn state(&self) -> Arc<State> {
        let new = || Arc::new(State::new(Arc::clone(&self.layout), self.cache.new_source()));
        let now = SystemTime::now();
        let is_settled = |source: &Source| now.duration_since(source.stamp.1).is_ok_and(|age| age > SETTLED);
        if !self.layout.sources.iter().all(is_settled) {
            return new();
        }
        let mut settled = self.settled.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(settled.get_or_insert_with(new))
    }
}

impl fmt::Debug for ColumnTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ColumnTable({})", self.layout.name)
    }
}

impl Table for ColumnTable {
    fn name(&self) -> &str {
        &self.layout.name
    }

    fn schema(&self) -> &SchemaRef {
        &self.layout.schema
    }

    fn hidden_columns(&self) -> usize {
        0
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(self.state())
    }

    fn estimated_rows(&self) -> usize {
        self.layout.rows
    }

    fn access(&self, _: &Predicate, _: bool) -> Option<Access> {
        None
    }

    fn order(&self, _: usize, _: bool) -> Option<Ordering> {
        None
    }
}

impl Layout {
    /// The group of a row.
    fn group_of(&self, row: usize) -> Result<usize> {
        let group = self.groups.partition_point(|group| group.first_row + group.rows <= row);
        match group < self.groups.len() {
            true => Ok(group),
            false => Err(Error::new(Code::Internal, format!("there is no row {row}"))),
        }
    }

    fn data_type(&self, column: usize) -> Result<&DataType> {
        let field = self.schema.fields().get(column);
        let missing = || Error::new(Code::Internal, format!("there is no column {column}"));
        field.map(|field| field.data_type()).ok_or_else(missing)
    }

    /// Columns, ascending, of some rows of a group (`None`: of all).
    ///
    /// Errors: `Busy` if the file has changed; `Damaged`; as reading it.
    fn decoded(&self, group: usize, columns: &[usize], rows: Option<Range<usize>>) -> Result<Vec<ArrayRef>> {
        let missing = || Error::new(Code::Internal, format!("there is no row group {group}"));
        let group = self.groups.get(group).ok_or_else(missing)?;
        let source = self.sources.get(group.source).ok_or_else(missing)?;
        let mut file = source.open()?;
        decode((&mut file, &source.narrow), group.row_group, columns, rows)
            .map_err(|error| from_datafusion(error, None, None).at(source.path.display()))
    }

    /// The least and the greatest value of a column of a group, as far as the footer has them.
    fn bounds(&self, group: usize, column: usize) -> Option<GroupBounds> {
        let all = self.bounds.get(column)?.get_or_init(|| self.all_bounds(column));
        let (least, greatest) = (*all.get(group)?)?;
        Some((self.schema.field(column).data_type().clone(), least, greatest))
    }

    /// Errors: `Damaged` if the least value of one of the columns is above the greatest.
    fn check_bounds(&self, group: usize, columns: &[usize]) -> Result<()> {
        for column in columns {
            if let Some((_, least, greatest)) = self.bounds(group, *column)
                && least > greatest
                && let Some(Group { source, row_group, .. }) = self.groups.get(group)
                && let Some(source) = self.sources.get(*source)
            {
                let name = source.columns.field(*column).name();
                let said = format!("column \"{name}\" of row group {row_group} has a least value above its greatest");
                return Err(Error::new(Code::Damaged, said).at(source.path.display()));
            }
        }
        Ok(())
    }

    fn all_bounds(&self, column: usize) -> ColumnBounds {
        let of_source = |(number, source): (usize, &Source)| {
            let of_group = |group: &&Group| group.source == number;
            let row_groups: Vec<usize> = self.groups.iter().filter(of_group).map(|group| group.row_group).collect();
            let unknown = vec![None; row_groups.len()];
            damaged::caught(|| source.bounds(column, &row_groups)).unwrap_or(unknown)
        };
        self.sources.iter().enumerate().flat_map(of_source).collect()
    }
}

impl Source {
    #[expect(clippy::disallowed_methods, reason = "Parquet files are not read through the project's file system")]
    fn open(&self) -> Result<File> {
        let open = || -> std::io::Result<(File, std::fs::Metadata)> {
            let file = File::open(&self.path)?;
            let metadata = file.metadata()?;
            Ok((file, metadata))
        };
        let (file, metadata) = open().map_err(|error| Error::from(error).at(self.path.display()))?;
        match stamp_of(&metadata) {
            Ok(stamp) if stamp == self.stamp => Ok(file),
            _ => {
                let changed = Error::new(Code::Busy, "the file has changed while it was read").at(self.path.display());
                Err(changed.hint("run the statement again"))
            }
        }
    }

    /// The bounds of a column in some row groups.
    fn bounds(&self, column: usize, row_groups: &[usize]) -> datafusion::common::Result<ColumnBounds> {
        let footer = self.narrow.metadata();
        let converter = StatisticsConverter::try_new(
            self.columns.field(column).name(),
            &self.columns,
            self.narrow.parquet_schema(),
        )?;
        let groups = || row_groups.iter().map(|group| footer.row_group(*group));
        let (least, greatest) = (converter.row_group_mins(groups())?, converter.row_group_maxes(groups())?);
        let bound = |row: usize| -> datafusion::common::Result<Option<(i128, i128)>> {
            let of = |values: &ArrayRef| ScalarValue::try_from_array(values, row).map(|value| stored(&value));
            Ok(of(&least)?.zip(of(&greatest)?))
        };
        (0..row_groups.len()).map(bound).collect()
    }
}

/// The integer that a column stores for a value.
fn stored(value: &ScalarValue) -> Option<i128> {
    match value {
        ScalarValue::Decimal128(value, _, _) => *value,
        ScalarValue::TimestampSecond(value, None)
        | ScalarValue::TimestampMillisecond(value, None)
        | ScalarValue::TimestampMicrosecond(value, None)
        | ScalarValue::TimestampNanosecond(value, None) => value.map(i128::from),
        other => super::files::whole(other).map(i128::from),
    }
}

impl State {
    fn new(layout: Arc<Layout>, vectors: VectorSource) -> State {
        let places = layout.groups.len() * layout.schema.fields().len();
        let was_decoded = (0..places).map(|_| AtomicBool::new(false)).collect();
        State { layout, vectors, recent: Mutex::default(), was_decoded }
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self, group: usize, column: usize) -> Option<ArrayRef> {
        self.vectors.get(State::place(group, column)).or_else(|| self.recent().get(group, column))
    }

    /// Keeps a vector that was decoded: for the scans that run now, or for good.
    fn keep(&self, group: usize, column: usize, vector: &ArrayRef) {
        let was_decoded = self.was_decoded.get(group * self.layout.schema.fields().len() + column);
        match was_decoded.is_some_and(|it| it.swap(true, Relaxed)) {
            true => self.vectors.insert(State::place(group, column), Arc::clone(vector)),
            false => self.recent().insert(group, column, vector),
        }
    }

    fn place(group: usize, column: usize) -> VectorPlace {
        VectorPlace { group: group as u32, column: column as u32 }
    }

    /// Some rows of a group, ascending and by their places in it, without the whole group if they are few.
    fn some(&self, group: usize, places: &[u32], columns: &[usize]) -> Result<Vec<ArrayRef>> {
        let (Some(first), Some(last)) = (places.iter().min(), places.iter().max()) else { return Ok(Vec::new()) };
        let span = *first as usize..*last as usize + 1;
        let is_run = span.len() <= self.group(group).len() / RUN_SHARE && !self.is_decoded(group, columns);
        let (vectors, base) = match is_run {
            true => (self.decoded_run(group, span, columns)?, *first),
            false => (self.vectors(group, columns)?, 0),
        };
        let places: Vec<u32> = places.iter().map(|place| place - base).collect();
        let gathered = |(vector, column): (&ArrayRef, &usize)| gather(vector, &places, self.layout.data_type(*column)?);
        vectors.iter().zip(columns).map(gathered).collect()
    }

    /// Columns of a run of rows of a group, which are not kept.
    fn decoded_run(&self, group: usize, rows: Range<usize>, columns: &[usize]) -> Result<Vec<ArrayRef>> {
        let mut sorted = columns.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let decoded = self.layout.decoded(group, &sorted, Some(rows))?;
        let vector = |column: &usize| sorted.binary_search(column).ok().and_then(|at| decoded.get(at).cloned());
        Ok(columns.iter().filter_map(vector).collect())
    }
}

impl Snapshot for State {
    fn slots(&self) -> usize {
        self.layout.rows
    }

    fn bytes(&self) -> u64 {
        self.layout.bytes
    }

    fn visible_rows(&self) -> Result<usize> {
        Ok(self.layout.rows)
    }

    fn groups(&self) -> usize {
        self.layout.groups.len()
    }

    fn group(&self, group: usize) -> Range<usize> {
        match self.layout.groups.get(group) {
            Some(group) => group.first_row..group.first_row + group.rows,
            None => self.layout.rows..self.layout.rows,
        }
    }

    fn visible(&self, _: usize) -> Result<Option<BooleanBuffer>> {
        Ok(None)
    }

    fn vectors(&self, group: usize, columns: &[usize]) -> Result<Vec<ArrayRef>> {
        let mut vectors: Vec<Option<ArrayRef>> = columns.iter().map(|&column| self.known(group, column)).collect();
        let missing = columns.iter().zip(&vectors).filter(|(_, vector)| vector.is_none());
        let mut missing: Vec<usize> = missing.map(|(column, _)| *column).collect();
        missing.sort_unstable();
        missing.dedup();
        if !missing.is_empty() {
            for (column, vector) in missing.iter().zip(self.layout.decoded(group, &missing, None)?) {
                for (_, slot) in columns.iter().zip(&mut vectors).filter(|(wanted, _)| *wanted == column) {
                    *slot = Some(Arc::clone(&vector));
                }
                self.keep(group, *column, &vector);
            }
        }
        Ok(vectors.into_iter().flatten().collect())
    }

    fn excludes(&self, group: usize, predicate: &Predicate) -> Result<bool> {
        self.layout.check_bounds(group, &predicate.columns())?;
        Ok(excludes(predicate, &|column| self.layout.bounds(group, column)))
    }

    fn is_decoded(&self, group: usize, columns: &[usize]) -> bool {
        columns.iter().all(|&column| self.known(group, column).is_some())
    }

    fn fetch(&self, rows: &[u32], columns: &[usize], _: bool) -> Result<(Vec<ArrayRef>, Vec<u32>)> {
        let mut parts: Vec<Vec<ArrayRef>> = vec![Vec::new(); columns.len()];
        let mut rest = rows;
        while let Some(row) = rest.first() {
            let group = self.layout.group_of(*row as usize)?;
            let range = self.group(group);
            let end = rest.iter().position(|row| !range.contains(&(*row as usize))).unwrap_or(rest.len());
            let (own, others) = rest.split_at(end);
            let places: Vec<u32> = own.iter().map(|row| row - range.start as u32).collect();
            parts.iter_mut().zip(self.some(group, &places, columns)?).for_each(|(part, found)| part.push(found));
            rest = others;
        }
        let joined = |(parts, column): (&Vec<ArrayRef>, &usize)| match parts.as_slice() {
            [] => Ok(new_empty_array(self.layout.data_type(*column)?)),
            [only] => Ok(Arc::clone(only)),
            many => {
                let many: Vec<_> = many.iter().map(|part| part.as_ref()).collect();
                concat(&many).map_err(|error| Error::new(Code::Internal, error.to_string()))
            }
        };
        let vectors = parts.iter().zip(columns).map(joined).collect::<Result<Vec<_>>>()?;
        Ok((vectors, rows.to_vec()))
    }

    fn rows(&self, _: &Access, _: usize) -> Result<Option<RowSet>> {
        Ok(None)
    }

    fn walk(&self, _: &Ordering, _: &mut dyn FnMut(u32) -> Result<ControlFlow<()>>) -> Result<bool> {
        Ok(false)
    }

    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}
