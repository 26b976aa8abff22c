//! Common parts of these tests: folders of files made in the test, a seeded source of choices, and
//! answers as text.
#![allow(clippy::disallowed_methods, dead_code)]

pub mod dbf;
pub mod statements;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Decimal128Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_schema::{DataType, SchemaRef};
use mainstay_engine::Session;
use mainstay_types::{Date, Decimal, Error};
use std::path::{Path, PathBuf};

/// The same choices for the same seed, on every machine (SplitMix64).
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of a list.
    pub fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        self.pick(list)
    }

    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }

    pub fn pick_from<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// So many seeds, or as many as `MAINSTAY_SEEDS` says, for a long run.
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    0..std::env::var("MAINSTAY_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(usual)
}

/// A folder of this crate's own for the files of one test.
pub struct Folder(pub tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Folder {
        std::fs::write(self.path().join(name), bytes).unwrap();
        self
    }

    /// Copies the fixture files whose names begin like this.
    pub fn copy_fixtures(&self, prefix: &str) -> &Folder {
        for entry in std::fs::read_dir(fixtures()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            // The .csv files beside the tables say what is in them; here they would be tables themselves.
            if name.starts_with(prefix) && !name.ends_with(".csv") {
                std::fs::copy(&path, self.path().join(name)).unwrap();
            }
        }
        self
    }
}

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures")
}

/// Rows of an answer as text, one text a cell.
pub struct Rows {
    pub schema: SchemaRef,
    pub rows: Vec<Vec<String>>,
}

/// Runs a statement to its end.
pub fn run(session: &mut Session, statement: &str) -> Result<Rows, Error> {
    let answer = session.execute(statement)?;
    let schema = answer.schema().clone();
    let batches = answer.collect()?;
    let rows = batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| cells(batch, row)));
    Ok(Rows { rows: rows.collect(), schema })
}

/// The rows of a statement that must not fail, cells divided by `|`.
#[track_caller]
pub fn rows(session: &mut Session, statement: &str) -> Vec<String> {
    match run(session, statement) {
        Ok(rows) => rows.rows.iter().map(|row| row.join("|")).collect(),
        Err(error) => panic!("{statement}\n{error:?}"),
    }
}

fn cells(batch: &RecordBatch, row: usize) -> Vec<String> {
    batch.columns().iter().map(|column| cell(column.as_ref(), row)).collect()
}

/// One value as text. Times and types that no statement of these tests gives fall to Arrow's own form.
fn cell(array: &dyn arrow_array::Array, row: usize) -> String {
    if array.is_null(row) {
        return "NULL".to_owned();
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).to_string(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).to_string(),
        DataType::Float64 => format!("{:?}", array.as_primitive::<Float64Type>().value(row)),
        DataType::Decimal128(_, scale) => {
            Decimal::new(array.as_primitive::<Decimal128Type>().value(row), *scale as u8).to_string()
        }
        DataType::Date32 => Date(array.as_primitive::<Date32Type>().value(row)).to_string(),
        DataType::Utf8 => format!("'{}'", array.as_string::<i32>().value(row)),
        DataType::Utf8View => format!("'{}'", array.as_string_view().value(row)),
        DataType::BinaryView => format!("{:02x?}", array.as_binary_view().value(row)),
        _ => format!("{:?}", array.slice(row, 1)),
    }
}

/// Compares `actual` with the file of this name in `tests/golden`; with UPDATE_GOLDEN=1 it writes the file.
#[track_caller]
pub fn golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(actual == expected, "{name} differs\n--- expected\n{expected}\n--- actual\n{actual}");
}
