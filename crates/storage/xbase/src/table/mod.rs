//! A DBF with its memo and its indexes, as a table of SQL.
//!
//! ```text
//!   DbfTable      finds the files, keeps the current state           mod
//!   State         one state of the records; columns decoded once     state
//!   Indexes       the tags that can be used, and why others cannot   indexes, tag, own
//!   Claims        index files that would fit other tables as well    claim
//!   access()      a condition as ranges of keys (Rushmore)           access, bounds, text_keys, digit_keys, number_keys
//!   Listing       which records a tag with a condition has           listing
//!   walk()        the rows in the order of a tag                     walk
//! ```
//!
//! **Changes by others.** Every statement reads the [`Stamp`] of the table and its memo (of the open files, which shows
//! at once that they were written to, renamed or replaced: [`mainstay_vfs::File::stamp_by_name`]). While it is that of
//! the current `State`, that state is reused; otherwise a new one is made, with the current record count of the header.
//! A statement keeps its state to its end, so it sees one record count whatever is appended meanwhile. If the
//! *structure* has changed, the statement fails with `Busy`, and the catalog opens the table anew.
//!
//! **Hidden columns.** `_recno` and `_deleted` follow the fields; they are not part of `*`.

mod access;
mod bounds;
mod carry;
mod check;
mod claim;
mod compared;
mod digit_keys;
mod files;
mod indexes;
mod listing;
mod named;
mod number_keys;
mod own;
mod row_set;
mod seen;
mod seen_with;
mod state;
mod tag;
mod taken_back;
mod text_keys;
mod unlisted;
mod walk;

pub use check::{CheckedTag, TagState, check, check_index_files, check_with_tags, lacks_index, other_index_files};
pub use claim::Disputed;
pub(crate) use files::production_mdx;
pub use files::{companion_extensions, companions, sibling, structural_extension, structural_index};
pub use indexes::IndexDescription;
pub use named::is_named_for;
pub use own::BeforeWrite;

use crate::adt::{RecordLayout, Type};
use crate::codepage::CodePage;
use crate::dbf::{Dbf, Decoding, Family, Field, FieldKind, OpenOptions};
use crate::indexed::{IndexedTable, declared};
use crate::lock::{LockSettings, LockSharing, LockWait};
use crate::memo::Memo;
use crate::writer::{Access as WriteAccess, WriteOptions};
use crate::{Finding, Severity};
use arrow_schema::{DataType, Field as Column, Schema, SchemaRef};
use indexes::Indexes;
use mainstay_columnar::names::free_name;
use mainstay_columnar::{Access, Ordering, Predicate, Snapshot, Sought, Table, Term, TermOrder, VectorCache};
use mainstay_types::{Code, Collation, Error, Result};
use mainstay_vfs::{FileSystem, Stamp};
use state::State;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Metadata of a column that holds text padded with blanks: it compares without them.
pub const CHAR_COLUMN: &str = "mainstay.char";

/// Metadata of a column of numbers, of text that is not padded, or of a logical field whose NULL is a blank: its field as
/// programs of xBase write it, `N(8,2)`, `M(10,0)`. The type alone does not say it.
pub const FIELD_COLUMN: &str = "mainstay.field";

/// Metadata of a column of text with a collation, by the collation's name: that of a CICharacter of an ADT, in which letters
/// that differ in their case alone are equal.
pub const COLLATED_COLUMN: &str = "mainstay.collation";

/// Metadata of a column whose NULL is an empty field, of numbers or truths, in a file without NULLs: there is
/// no other NULL there. In a file of Visual FoxPro, which has NULLs of its own, the value is `own`.
pub const BLANK_COLUMN: &str = "mainstay.blank";

/// The number of hidden columns at the end of the schema.
const HIDDEN_COLUMNS: usize = 2;

/// A DBF table, open for reading; [`DbfTable::writer`] opens it for writing.
#[derive(Debug)]
pub struct DbfTable {
    name: String,
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
    schema: SchemaRef,
    /// The structure that the schema was made from; every state has it.
    fields: Vec<Field>,
    options: OpenOptions,
    /// The lock settings of its folder.
    locks: LockSettings,
    cache: VectorCache,
    indexes: Arc<Indexes>,
    claims: claim::Claims,
    state: Mutex<Arc<State>>,
}

/// The files of a table, open.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) dbf: Dbf,
    pub(crate) memo: Option<Memo>,
    pub(crate) memo_path: Option<PathBuf>,
    /// Errors of the memo file as a whole, and of the declared code page.
    pub(crate) findings: Vec<Finding>,
    /// The structural index that the header promises, if it is not there.
    pub(crate) missing_index: Option<Finding>,
}

impl Files {
    fn open(fs: &dyn FileSystem, path: &Path, options: OpenOptions) -> Result<Files> {
        let declared = options.code_page.or_else(|| declared_code_page(fs, path));
        let dbf = Dbf::open(fs.open(path)?, OpenOptions { code_page: declared })?;
        let missing_index = missing_index(fs, path, &dbf);
        let mut files = Files { dbf, memo: None, memo_path: None, findings: Vec::new(), missing_index };
        if declared.is_none() {
            files.findings.extend(unknown_declaration(fs, path));
        }
        if files.dbf.fields().iter().any(|field| field.kind.needs_memo()) {
            files.open_memo(fs, path);
        }
        Ok(files)
    }

    /// A table whose memo file is missing or damaged still has its other fields.
    fn open_memo(&mut self, fs: &dyn FileSystem, path: &Path) {
        let found = sibling(fs, path, self.dbf.memo_extensions());
        let (place, problem) = match &found {
            None => (path, "the table has memo fields, and there is no memo file: they are NULL".to_owned()),
            Some(memo_path) => match fs.open(memo_path).and_then(|file| Memo::open(file, self.dbf.header().version)) {
                Ok(memo) => {
                    if let Some(doubt) = memo.doubt() {
                        let finding = Finding::new(Severity::Error, memo_path, "", doubt);
                        self.findings.push(finding.of_cause("it is not certain of which kind the memo file is"));
                    }
                    self.memo = Some(memo);
                    self.memo_path = found;
                    return;
                }
                Err(error) => (memo_path.as_path(), format!("{}: memo fields are NULL", error.message())),
            },
        };
        self.findings.push(Finding::new(Severity::Error, place, "", problem));
    }

    /// The options for decoding values. A missing memo file is among the findings, and is not reported for each record.
    pub(crate) fn decoding(&self) -> Decoding<'_> {
        Decoding { is_told: true, ..self.dbf.decoding(self.memo.as_ref()) }
    }

    /// The findings from opening them.
    fn found(&self) -> impl Iterator<Item = &Finding> {
        self.dbf.findings().iter().chain(&self.findings).chain(&self.missing_index)
    }

    fn stamps(&self, fs: &dyn FileSystem, path: &Path) -> Result<Stamps> {
        let memo = match &self.memo_path {
            Some(memo_path) => Some(fs.stamp(memo_path)?),
            None => None,
        };
        Ok(Stamps { dbf: fs.stamp(path)?, memo })
    }

    /// The same, asked of the open files.
    fn stamps_by_name(&self, fs: &dyn FileSystem) -> Result<Stamps> {
        let memo = match &self.memo {
            Some(memo) => Some(memo.file().stamp_by_name(fs)?),
            None => None,
        };
        Ok(Stamps { dbf: self.dbf.file().stamp_by_name(fs)?, memo })
    }
}

/// Stamps that distinguish states of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamps {
    pub(crate) dbf: Stamp,
    memo: Option<Stamp>,
}

impl Stamps {
    fn are_settled(&self, now: SystemTime) -> bool {
        self.dbf.is_settled(now) && self.memo.is_none_or(|memo| memo.is_settled(now))
    }
}

impl DbfTable {
    /// Opens a table under a name. What was cut off here is put right first, if it can be: the replacement of a table by
    /// a packed one is finished, a transaction is undone. Its decoded columns are kept in `cache`. `index_files` are the index
    /// files of its folder, of which those that belong to the table are used.
    pub fn open(
        fs: Arc<dyn FileSystem>,
        path: &Path,
        name: &str,
        options: OpenOptions,
        cache: VectorCache,
        index_files: &[PathBuf],
    ) -> Result<DbfTable> {
        let options = OpenOptions { code_page: options.code_page.or_else(|| declared_code_page(fs.as_ref(), path)) };
        let locks = LockSettings::of_table(fs.as_ref(), path)?;
        let cut_off = crate::writer::finish_swap(&*fs, path).and_then(|()| crate::indexed::recover(&fs, path)).err();
        let now = SystemTime::now();
        let mut files = Files::open(fs.as_ref(), path, options)?;
        files.findings.extend(cut_off.map(|error| {
            let message =
                format!("what a program has left here that was cut off is not put right: {}", error.message());
            Finding::new(Severity::Error, path, "", message)
        }));
        let files = Arc::new(files);
        let stamps = files.stamps(fs.as_ref(), path)?;
        let fields = files.dbf.fields().to_vec();
        let indexes = Arc::new(Indexes::new(Arc::clone(&fs), path, &files.dbf, index_files));
        let schema = schema(&fields, files.dbf.header().family() == Family::VisualFoxPro);
        let settled = stamps.are_settled(now);
        let state = State::new(files, stamps, settled, &cache, Arc::clone(&indexes))?;
        let state = Mutex::new(Arc::new(state));
        Ok(DbfTable {
            name: name.to_owned(),
            fs,
            path: path.to_owned(),
            schema,
            fields,
            options,
            locks,
            cache,
            indexes,
            claims: claim::Claims::default(),
            state,
        })
    }

    /// The path of the DBF.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The fields, in the order of the columns.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns true if the table itself numbers the field at this place in [`DbfTable::fields`].
    pub fn counts(&self, field: usize) -> bool {
        self.current().files.dbf.counter(field).is_some()
    }

    /// The product named by the header: `Visual FoxPro`.
    pub fn kind(&self) -> String {
        self.current().files.dbf.header().product().to_owned()
    }

    /// The code page in which the text is read.
    pub fn code_page(&self) -> CodePage {
        self.current().files.dbf.code_page()
    }

    /// The length of the DBF in bytes.
    pub fn bytes(&self) -> u64 {
        self.current().stamps.dbf.len
    }

    /// Errors and oddities of the files as a whole.
    pub fn findings(&self) -> Vec<Finding> {
        let state = self.current();
        state.files.found().cloned().collect()
    }

    /// The structural index that the header says there is, if there is none. It is one of [`DbfTable::findings`].
    pub fn missing_index(&self) -> Option<Finding> {
        missing_index(&*self.fs, &self.path, &self.current().files.dbf)
    }

    /// The tags of the table's indexes.
    pub fn indexes(&self) -> Vec<IndexDescription> {
        self.indexes.describe(&self.current())
    }

    /// Opens the table for writing, with the index files that are its own: the structural CDX, and those of its folder
    /// whose keys are those of its records. (An index without keys beside a table without records proves nothing; it is
    /// taken along if its name is the table's, or begins with it: [`is_named_for`].) Text is written in the code page in
    /// which it is read, unless `options` say otherwise. What is written is seen by the next statement that reads.
    ///
    /// Errors: those of [`IndexedTable::open`]; `Busy` if the structure has changed; `Ambiguous` for an index file that may
    /// as well be another table's: `claim.rs`.
    pub fn writer(&self, options: WriteOptions) -> Result<IndexedTable> {
        self.writer_with(options, Disputed::Refused)
    }

    /// The same with a choice for index files that may be another table's.
    pub fn writer_with(&self, options: WriteOptions, disputed: Disputed) -> Result<IndexedTable> {
        let code_page = options.code_page.or(self.options.code_page);
        let state = self.refreshed()?;
        let files = self.claimed_files(&state, disputed)?;
        let (scheme, wait) = (self.locks.scheme_or(options.scheme), self.locks.wait_or(options.wait));
        let access = self.access_for(&state, options.access);
        let options = WriteOptions { access, code_page, scheme, wait, ..options };
        let mut table = IndexedTable::open(Arc::clone(&self.fs), &self.path, options)?;
        if table.fields() != self.fields {
            let message = "the structure of the table has changed";
            return Err(Error::new(Code::Busy, message).at(self.path.display()));
        }
        for file in files {
            table.open_bag(&file)?;
        }
        Ok(table)
    }

    /// The locks of Advantage's programs are not known. So an ADT is opened for exclusive use, unless its folder says that
    /// only Mainstay writes to it, or a caller of the library that guarantees this has it open.
    fn access_for(&self, state: &State, asked: WriteAccess) -> WriteAccess {
        let is_adt = state.files.dbf.header().layout == RecordLayout::Adt;
        let is_ours = self.locks.adt_shared || LockSharing::is_entered();
        if is_adt && !is_ours { WriteAccess::Exclusive } else { asked }
    }

    /// The wait for its locks: the requested one, or the folder's where the request has the default.
    pub fn wait_or(&self, asked: LockWait) -> LockWait {
        self.locks.wait_or(asked)
    }

    /// The rows that are there and those that are deleted, as of now.
    pub fn row_counts(&self) -> Result<(u64, u64)> {
        let state = self.refreshed()?;
        let (slots, visible) = (state.slots() as u64, state.visible_rows()? as u64);
        Ok((visible, slots - visible))
    }

    fn current(&self) -> Arc<State> {
        Arc::clone(&self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn refreshed(&self) -> Result<Arc<State>> {
        let mut current = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if current.settled && current.files.stamps_by_name(self.fs.as_ref())? == current.stamps {
            return Ok(Arc::clone(&current));
        }
        let now = SystemTime::now();
        let stamps = current.files.stamps(self.fs.as_ref(), &self.path)?;
        let files = Arc::new(Files::open(self.fs.as_ref(), &self.path, self.options)?);
        if files.dbf.fields() != self.fields {
            let message = "the structure of the table has changed";
            return Err(Error::new(Code::Busy, message).at(self.path.display()));
        }
        let settled = stamps.are_settled(now);
        let state = State::new(files, stamps, settled, &self.cache, Arc::clone(&self.indexes))?;
        *current = Arc::new(state.following(&current));
        Ok(Arc::clone(&current))
    }
}

impl Table for DbfTable {
    fn name(&self) -> &str {
        &self.name
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn hidden_columns(&self) -> usize {
        HIDDEN_COLUMNS
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(self.refreshed()?)
    }

    fn may_take_back(&self) -> bool {
        true
    }

    /// Deleted records of an ADT are free places, which programs never see.
    fn keeps_deleted_rows(&self) -> bool {
        self.current().files.dbf.header().layout == RecordLayout::Dbf
    }

    fn estimated_rows(&self) -> usize {
        self.current().slots()
    }

    fn access(&self, predicate: &Predicate, visible_only: bool) -> Option<Access> {
        self.access_of(&Sought::from(predicate), visible_only)
    }

    fn access_of(&self, sought: &Sought, visible_only: bool) -> Option<Access> {
        let state = self.refreshed().ok()?;
        access::plan(&self.indexes, &state, sought, visible_only)
    }

    fn has_computed_keys(&self) -> bool {
        self.indexes.paths().next().is_some()
    }

    fn order(&self, column: usize, descending: bool) -> Option<Ordering> {
        self.order_of(&[TermOrder { term: Term::Column(column), descending }], true)
    }

    fn order_of(&self, keys: &[TermOrder], visible_only: bool) -> Option<Ordering> {
        let state = self.refreshed().ok()?;
        self.indexes.order(&state, keys, visible_only)
    }
}

/// The structural index that the header says there is, if there is none. Programs keep it up with every record, so keys are
/// missing from a file that is brought back later.
fn missing_index(fs: &dyn FileSystem, path: &Path, dbf: &Dbf) -> Option<Finding> {
    let header = dbf.header();
    // The structural index of dBASE is an MDX, and other programs use its version bytes too.
    let is_foxpro = header.family() == Family::VisualFoxPro || matches!(header.version, 0xF5 | 0xFB);
    let extensions: &[&str] = if is_foxpro { &["cdx"] } else { &["cdx", "mdx"] };
    if !header.has_structural_index || sibling(fs, path, extensions).is_some() {
        return None;
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let names: Vec<String> = extensions.iter().map(|extension| format!("{stem}.{extension}")).collect();
    let message =
        format!("the header says that the table has a structural index, and there is no {}", names.join(" or "));
    let finding = Finding::new(Severity::Warning, path, "", message);
    Some(finding.of_cause("the header says that the table has a structural index, and there is none"))
}

/// The code page in a `.cpg` file beside the table, as GIS programs write it: without the byte order mark of a
/// Windows editor, and without NULs behind it.
pub fn declared_text(fs: &dyn FileSystem, path: &Path) -> Option<(PathBuf, String)> {
    let file = sibling(fs, path, &["cpg"])?;
    let declared = fs.read(&file).ok()?;
    let text = String::from_utf8_lossy(declared.get(..declared.len().min(40))?).into_owned();
    let text = text.trim_start_matches('\u{feff}').trim_matches(|sign: char| sign.is_whitespace() || sign.is_control());
    Some((file, text.to_owned()))
}

/// The code page that a `.cpg` file beside the table names.
fn declared_code_page(fs: &dyn FileSystem, path: &Path) -> Option<CodePage> {
    CodePage::by_name(&declared_text(fs, path)?.1)
}

/// A `.cpg` file that is not understood: the header decides, and may be wrong.
fn unknown_declaration(fs: &dyn FileSystem, path: &Path) -> Option<Finding> {
    let (file, text) = declared_text(fs, path)?;
    if CodePage::by_name(&text).is_some() {
        return None;
    }
    let message =
        format!("'{}' is no code page that is known; that of the table's header is used", text.escape_debug());
    let finding = Finding::new(Severity::Warning, &file, "", message);
    Some(finding.of_cause("the code page that the .cpg file names is not known"))
}

/// The columns that are in no file: the number of a record, and whether it is deleted.
const OWN_COLUMNS: [&str; 2] = ["_recno", "_deleted"];

fn schema(fields: &[Field], has_nulls: bool) -> SchemaRef {
    let names = fields.iter().map(|field| field.name.as_str()).chain(OWN_COLUMNS);
    let mut taken = names.map(|name| (name.to_lowercase(), 2)).collect();
    let column = |field: &Field| {
        let mut metadata = match field.kind {
            FieldKind::Character if field.adt.is_some() => HashMap::from([
                (CHAR_COLUMN.to_owned(), field.length.to_string()),
                (FIELD_COLUMN.to_owned(), declared(field)),
            ]),
            _ if field.adt.is_some() => HashMap::from([(FIELD_COLUMN.to_owned(), declared(field))]),
            FieldKind::Character => HashMap::from([(CHAR_COLUMN.to_owned(), field.length.to_string())]),
            FieldKind::Numeric
            | FieldKind::Currency
            | FieldKind::Memo
            | FieldKind::Varchar
            | FieldKind::VarcharUnconverted => HashMap::from([(FIELD_COLUMN.to_owned(), declared(field))]),
            FieldKind::Logical if field.null_bit.is_none() => {
                HashMap::from([(FIELD_COLUMN.to_owned(), declared(field))])
            }
            _ => HashMap::new(),
        };
        if field.adt == Some(Type::CiCharacter) {
            metadata.insert(COLLATED_COLUMN.to_owned(), Collation::CaseInsensitive.name().to_owned());
        }
        let has_own_null = field.null_bit.is_some() || field.adt.is_some();
        if !has_own_null && matches!(field.kind, FieldKind::Numeric | FieldKind::Logical) {
            let nulls = if has_nulls { "own" } else { "none" };
            metadata.insert(BLANK_COLUMN.to_owned(), nulls.to_owned());
        }
        // A field may be called as one of the two that every table has.
        let is_own = OWN_COLUMNS.iter().any(|own| field.name.eq_ignore_ascii_case(own));
        let name = if is_own { free_name(&field.name, &mut taken) } else { field.name.clone() };
        Column::new(name, field.sql_type(), true).with_metadata(metadata)
    };
    let mut columns: Vec<Column> = fields.iter().map(column).collect();
    let [number, deleted] = OWN_COLUMNS;
    columns.push(Column::new(number, DataType::Int64, false));
    columns.push(Column::new(deleted, DataType::Boolean, false));
    Arc::new(Schema::new(columns))
}
