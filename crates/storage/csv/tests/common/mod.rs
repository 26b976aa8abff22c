//! Helpers that the tests over whole tables share.
#![allow(dead_code, clippy::disallowed_methods)]

use arrow_array::{Array, ArrayRef};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use mainstay_columnar::{Snapshot, Table, VectorCache};
use mainstay_csv::{CsvOptions, CsvTable};
use mainstay_types::Result;
use mainstay_vfs::{FileSystem, Memory};
use std::sync::Arc;

/// A value as text, `None` for NULL.
pub type Cell = Option<String>;

pub fn memory(content: impl Into<Vec<u8>>) -> Memory {
    let files = Memory::new();
    files.write("t.csv", content);
    files
}

pub fn open_in(files: impl FileSystem + 'static, options: CsvOptions) -> Result<CsvTable> {
    CsvTable::open(Arc::new(files), "t.csv", "t", VectorCache::new(1 << 26), options)
}

pub fn open(content: impl Into<Vec<u8>>) -> CsvTable {
    open_in(memory(content), CsvOptions::default()).unwrap()
}

/// `name TYPE` of every column.
pub fn columns(table: &CsvTable) -> Vec<String> {
    table.schema().fields().iter().map(|field| format!("{} {}", field.name(), field.data_type())).collect()
}

pub fn text_of(vector: &ArrayRef) -> Vec<Cell> {
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(vector, &options).unwrap();
    (0..vector.len()).map(|row| (!vector.is_null(row)).then(|| formatter.value(row).to_string())).collect()
}

/// All rows of a snapshot.
pub fn rows_of(snapshot: &dyn Snapshot, columns: usize) -> Result<Vec<Vec<Cell>>> {
    let wanted: Vec<usize> = (0..columns).collect();
    let mut rows = Vec::new();
    for group in 0..snapshot.groups() {
        let vectors = snapshot.vectors(group, &wanted)?;
        let texts: Vec<Vec<Cell>> = vectors.iter().map(text_of).collect();
        assert!(texts.iter().all(|column| column.len() == snapshot.group(group).len()));
        assert_eq!(snapshot.group(group).start, rows.len());
        rows.extend(
            (0..snapshot.group(group).len()).map(|row| texts.iter().map(|column| column[row].clone()).collect()),
        );
    }
    assert_eq!(rows.len(), snapshot.slots());
    Ok(rows)
}

pub fn rows(table: &CsvTable) -> Vec<Vec<Cell>> {
    rows_of(&*table.snapshot().unwrap(), table.schema().fields().len()).unwrap()
}

/// The rows as lines, NULL as `-`.
pub fn lines(table: &CsvTable) -> Vec<String> {
    let line = |row: Vec<Cell>| row.into_iter().map(|cell| cell.unwrap_or("-".into())).collect::<Vec<_>>().join("|");
    rows(table).into_iter().map(line).collect()
}

/// A small generator of random numbers, the same on every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}
