//! The rows by a formula, as files, and the truth about them.

use super::Task;
use crate::answer::{Cell, Rows, same_rows_in_order};
use crate::scratch::Scratch;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, PrimitiveArray, RecordBatch, StringArray};
use mainstay_types::{Code, Date, Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

pub(super) const ONE: &str = "SELECT 1";
pub(super) const POINT: &str = "SELECT customer FROM sales WHERE id = 4321";
pub(super) const TOTALS: &str = "SELECT COUNT(*), SUM(customer) FROM sales";
pub(super) const FROM_PARQUET: &str = "INSERT INTO sales SELECT * FROM sales_parquet";
pub(super) const FROM_CSV: &str = "INSERT INTO sales SELECT * FROM sales_csv";

/// The names of the files; Mainstay's tables have them without the ending.
pub(super) const PARQUET: &str = "sales_parquet.parquet";
pub(super) const CSV: &str = "sales_csv.csv";

/// The row that is read by its key.
const KEY: i64 = 4321;
/// Rows of a batch, and of a row group.
const BATCH: usize = 1 << 16;
const CITIES: [&str; 8] = ["Malmö", "Paris", "Lyon", "Rome", "Kristianstad i Skåne", "Oslo", "Berlin", "Utrecht"];

fn customer(id: i64) -> i32 {
    (id.wrapping_mul(2_654_435_761) % 100_000).unsigned_abs() as i32
}

fn amount(id: i64) -> f64 {
    (id % 10_007) as f64 / 4.0
}

fn city(id: i64) -> &'static str {
    CITIES[id.unsigned_abs() as usize % CITIES.len()]
}

fn day(id: i64) -> Date {
    Date(10_000 + i32::try_from(id / 5000).unwrap_or(0))
}

/// The right answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Truth {
    rows: i64,
    customers: i64,
}

impl Truth {
    /// Compares the rows of the question that belongs to a task; says how they differ.
    pub(super) fn judge(&self, task: Task, rows: &Rows) -> std::result::Result<(), String> {
        let truth = match task {
            Task::Open => vec![vec![Cell::whole(1)]],
            Task::Point if KEY < self.rows => vec![vec![Cell::whole(customer(KEY))]],
            Task::Point => Vec::new(),
            Task::LoadParquet | Task::LoadCsv | Task::Check => {
                vec![vec![Cell::whole(self.rows), Cell::whole(self.customers)]]
            }
        };
        same_rows_in_order(rows, &truth)
    }
}

/// The folder of the files.
pub(super) fn folder(scratch: &Scratch) -> Result<PathBuf> {
    scratch.folder("data")
}

/// Writes both files.
pub(super) fn write(scratch: &Scratch, rows: usize) -> Result<Truth> {
    let folder = folder(scratch)?;
    let ids = 0..i64::try_from(rows).unwrap_or(i64::MAX);
    let mut csv = BufWriter::new(scratch.create(&folder.join(CSV))?);
    let broken = |error: std::io::Error| Error::from(error).at(CSV);
    writeln!(csv, "id,customer,amount,city,day").map_err(broken)?;
    for id in ids.clone() {
        writeln!(csv, "{id},{},{},{},{}", customer(id), amount(id), city(id), day(id)).map_err(broken)?;
    }
    csv.flush().map_err(broken)?;
    write_parquet(scratch, &folder, rows)?;
    Ok(Truth { rows: ids.end, customers: ids.map(|id| i64::from(customer(id))).sum() })
}

fn write_parquet(scratch: &Scratch, folder: &std::path::Path, rows: usize) -> Result<()> {
    let broken = |error: parquet::errors::ParquetError| Error::new(Code::Io, error.to_string()).at(PARQUET);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = scratch.create(&folder.join(PARQUET))?;
    let mut writer = ArrowWriter::try_new(file, batch(0, 0)?.schema(), Some(properties)).map_err(broken)?;
    for first in (0..rows).step_by(BATCH) {
        writer.write(&batch(first as i64, BATCH.min(rows - first))?).map_err(broken)?;
    }
    writer.close().map(drop).map_err(broken)
}

fn batch(first: i64, rows: usize) -> Result<RecordBatch> {
    let ids = || first..first + rows as i64;
    let columns: [(&str, ArrayRef); 5] = [
        ("id", Arc::new(PrimitiveArray::<Int64Type>::from_iter_values(ids()))),
        ("customer", Arc::new(PrimitiveArray::<Int32Type>::from_iter_values(ids().map(customer)))),
        ("amount", Arc::new(PrimitiveArray::<Float64Type>::from_iter_values(ids().map(amount)))),
        ("city", Arc::new(StringArray::from_iter_values(ids().map(city)))),
        ("day", Arc::new(PrimitiveArray::<Date32Type>::from_iter_values(ids().map(|id| day(id).0)))),
    ];
    RecordBatch::try_from_iter(columns).map_err(|error| Error::new(Code::Internal, error.to_string()))
}

/// The sizes of the files.
pub(super) fn facts(scratch: &Scratch) -> Result<Vec<(String, String)>> {
    let folder = folder(scratch)?;
    let bytes = |name: &str| Disk.stamp(&folder.join(name)).map(|stamp| megabytes(stamp.len));
    Ok(vec![("The CSV file".into(), bytes(CSV)?), ("The Parquet file, Snappy".into(), bytes(PARQUET)?)])
}

pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.0} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_have_the_rows_of_the_truth() {
        let scratch = Scratch::new().unwrap();
        let truth = write(&scratch, 70_000).unwrap();
        let csv = Disk.read(&folder(&scratch).unwrap().join(CSV)).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        let customers = csv.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse::<i64>().unwrap());
        assert_eq!((csv.lines().count(), customers.sum::<i64>()), (70_001, truth.customers));
        assert_eq!(csv.lines().nth(4322).unwrap(), "4321,23281,1080.25,Paris,1997-05-19");
        let answer = vec![vec![Cell::whole(70_000), Cell::whole(truth.customers)]];
        assert_eq!(truth.judge(Task::Check, &answer), Ok(()));
        assert!(truth.judge(Task::Check, &Vec::new()).is_err());
    }
}
