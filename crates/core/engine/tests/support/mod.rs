//! Common parts of the tests over folders: copies of the fixtures, statements and their rows, and edits of a DBF
//! as another program makes them.

#![allow(clippy::disallowed_methods, dead_code)]

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use mainstay_engine::{Database, Session};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder of the fixtures; `""` is the one above the others.
pub fn fixtures(folder: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures")).join(folder)
}

/// The files of tables and indexes, without the text that describes them.
const TABLE_FILES: [&str; 7] = ["dbf", "dbt", "fpt", "smt", "cpg", "cdx", "ntx"];

/// A copy of the files of a fixture folder that are part of a table and whose name begins with one of these.
pub fn copy(folder: &str, names: &[&str]) -> TempDir {
    copy_where(folder, |path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        names.iter().any(|start| name.starts_with(start))
    })
}

/// The same without indexes: what a scan answers.
pub fn copy_without_indexes(folder: &str, names: &[&str]) -> TempDir {
    let copied = copy(folder, names);
    for file in files(copied.path()).iter().filter(|file| is_index(file)) {
        std::fs::remove_file(file).unwrap();
    }
    copied
}

pub fn is_index(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "cdx" || extension == "ntx")
}

pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn copy_where(folder: &str, wanted: impl Fn(&Path) -> bool) -> TempDir {
    let copied = tempfile::tempdir().unwrap();
    for path in files(&fixtures(folder)) {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if TABLE_FILES.contains(&extension) && wanted(&path) {
            std::fs::copy(&path, copied.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    copied
}

/// A session on a folder.
pub fn session(folder: &Path) -> Session {
    Database::open(folder).unwrap().session()
}

/// The batches of a statement.
#[track_caller]
pub fn batches(session: &mut Session, sql: &str) -> Vec<RecordBatch> {
    let answer = session.execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    answer.collect().unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The rows of a statement as text; NULL is `NULL`.
#[track_caller]
pub fn rows(session: &mut Session, sql: &str) -> Vec<Vec<String>> {
    batches(session, sql).iter().flat_map(texts).collect()
}

/// The cells of a batch as text.
pub fn texts(batch: &RecordBatch) -> Vec<Vec<String>> {
    let options = FormatOptions::default().with_null("NULL");
    let columns: Vec<ArrayFormatter<'_>> =
        batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
    (0..batch.num_rows()).map(|row| columns.iter().map(|column| column.value(row).to_string()).collect()).collect()
}

/// The rows with `|` between their cells.
#[track_caller]
pub fn lines(session: &mut Session, sql: &str) -> Vec<String> {
    rows(session, sql).iter().map(|row| row.join("|")).collect()
}

/// The one value that a statement gives.
#[track_caller]
pub fn value(session: &mut Session, sql: &str) -> String {
    let rows = rows(session, sql);
    assert_eq!((rows.len(), rows.first().map(Vec::len)), (1, Some(1)), "{sql}: {rows:?}");
    rows[0][0].clone()
}

/// Runs a statement: how many rows it changed.
#[track_caller]
pub fn change(session: &mut Session, sql: &str) -> u64 {
    let mut answer = session.execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    while answer.next_batch().unwrap_or_else(|error| panic!("{sql}: {error}")).is_some() {}
    answer.changed().unwrap_or_default()
}

/// The error of a statement.
#[track_caller]
pub fn failure(session: &mut Session, sql: &str) -> mainstay_types::Error {
    match session.execute(sql).and_then(|answer| answer.collect()) {
        Ok(_) => panic!("{sql} should fail"),
        Err(error) => error,
    }
}

/// Nothing is wrong with the files of a folder: records, memos, and every key of every index.
#[track_caller]
pub fn check(folder: &Path) {
    let findings = mainstay_engine::check(folder, &mainstay_engine::Options::default()).unwrap();
    assert!(findings.is_empty(), "{findings:#?}");
}

/// The rows of a statement, and the notices after them.
#[track_caller]
pub fn lines_and_notices(session: &mut Session, sql: &str) -> (Vec<String>, Vec<String>) {
    let mut answer = session.execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let mut lines = Vec::new();
    while let Some(batch) = answer.next_batch().unwrap_or_else(|error| panic!("{sql}: {error}")) {
        lines.extend(texts(&batch).iter().map(|row| row.join("|")));
    }
    (lines, answer.notices())
}

/// The plan of a statement.
#[track_caller]
pub fn plan(session: &mut Session, sql: &str) -> String {
    lines(session, &format!("EXPLAIN {sql}")).join("\n")
}

/// Rows of cells of a CSV of the fixtures, the header first.
pub fn csv(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    rows
}

/// A DBF as another program sees it: its bytes, changed and written back.
pub struct Records {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Records {
    pub fn read(path: impl Into<PathBuf>) -> Records {
        let path = path.into();
        Records { bytes: std::fs::read(&path).unwrap(), path }
    }

    fn number(&self, at: usize) -> usize {
        usize::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]))
    }

    pub fn count(&self) -> usize {
        u32::from_le_bytes(self.bytes[4..8].try_into().unwrap()) as usize
    }

    fn range(&self, record: usize) -> std::ops::Range<usize> {
        let start = self.number(8) + (record - 1) * self.number(10);
        start..start + self.number(10)
    }

    pub fn record(&self, record: usize) -> &[u8] {
        &self.bytes[self.range(record)]
    }

    /// The place of a field in a record.
    pub fn field(&self, name: &str) -> std::ops::Range<usize> {
        let mut offset = 1;
        for descriptor in self.bytes[32..].chunks(32).take_while(|descriptor| descriptor[0] != 0x0D) {
            let end = descriptor[..11].iter().position(|byte| *byte == 0).unwrap_or(11);
            let length = usize::from(descriptor[16]);
            if descriptor[..end] == *name.as_bytes() {
                return offset..offset + length;
            }
            offset += length;
        }
        panic!("no field {name}");
    }

    /// Puts a text at the beginning of a field and blanks behind it.
    pub fn put(&mut self, record: usize, name: &str, text: &str) {
        let (range, field) = (self.range(record), self.field(name));
        let field = &mut self.bytes[range][field];
        field.fill(b' ');
        field[..text.len()].copy_from_slice(text.as_bytes());
    }

    /// Adds a copy of a record at the end.
    pub fn append(&mut self, record: usize) -> usize {
        let copy = self.record(record).to_vec();
        let count = self.count() + 1;
        let end = self.range(count).start;
        self.bytes.truncate(end);
        self.bytes.extend(copy);
        self.bytes.push(0x1A);
        self.bytes[4..8].copy_from_slice(&(count as u32).to_le_bytes());
        count
    }

    /// Cuts the table after so many records; the header goes on counting the others if `torn`.
    pub fn truncate(&mut self, count: usize, torn: bool) {
        let end = self.range(count + 1).start;
        self.bytes.truncate(end);
        if !torn {
            self.bytes[4..8].copy_from_slice(&(count as u32).to_le_bytes());
        }
    }

    pub fn set_deleted(&mut self, record: usize, deleted: bool) {
        let start = self.range(record).start;
        self.bytes[start] = if deleted { b'*' } else { b' ' };
    }

    /// Writes into the same file.
    pub fn write(&self) {
        use std::io::Write;
        let mut file = std::fs::OpenOptions::new().write(true).open(&self.path).unwrap();
        file.write_all(&self.bytes).unwrap();
        file.set_len(self.bytes.len() as u64).unwrap();
    }

    /// Writes another file and gives it the name.
    pub fn replace(&self) {
        let beside = self.path.with_extension("new");
        std::fs::write(&beside, &self.bytes).unwrap();
        std::fs::rename(&beside, &self.path).unwrap();
    }
}
