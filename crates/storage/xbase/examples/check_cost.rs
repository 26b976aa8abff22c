//! Measures a check of a DBF against building its tags: `check_cost FOLDER [ROWS] [TURNS]`.
//!
//! Makes a table of ROWS records (a million without it) with three tags, a number, a text and a date, in a random order. Each turn
//! builds the tags anew and checks the table, and prints the CPU time of both in seconds and their ratio.

#![allow(clippy::disallowed_methods)]

use mainstay_types::{Date, Decimal, Error, Result, ValueRef};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::dbf::{FieldSpec, Format, OpenOptions, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable};
use mainstay_xbase::table;
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

fn create(fs: &Arc<dyn FileSystem>, path: &Path, rows: u64) -> Result<()> {
    let fields = vec![
        FieldSpec::new("ID", b'N', 9, 0),
        FieldSpec::new("NAME", b'C', 24, 0),
        FieldSpec::new("AMOUNT", b'N', 10, 2),
        FieldSpec::new("DAY", b'D', 0, 0),
        FieldSpec::new("PAID", b'L', 0, 0),
    ];
    let options = WriteOptions::new(Access::Exclusive);
    writer::create(fs.as_ref(), path, &TableSpec::new(Format::FoxPro, fields), &options)?;
    let mut table = IndexedTable::open(Arc::clone(fs), path, options)?;
    for row in 0..rows {
        let random = row.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let name = format!("Customer {:08}", random % 90_000_000);
        let day = 2_451_545 + i32::try_from(random >> 20 & 0x1FFF).unwrap_or(0);
        table.append(&[
            ValueRef::Integer((random >> 8 & 0x1FFF_FFFF) as i64),
            ValueRef::Text(&name),
            ValueRef::Decimal(Decimal::new(i128::from(random % 10_000_000), 2)),
            ValueRef::Date(Date::from_julian(day)),
            ValueRef::Boolean(random & 1 == 0),
        ])?;
    }
    for (name, key) in [("ID", "ID"), ("NAME", "UPPER(NAME)"), ("DAY", "DAY")] {
        table.create_index(None, BagKind::Cdx, &IndexSpec::new(name, key), Building::default())?;
    }
    table.close()
}

/// User and system time of this process in seconds.
fn cpu_time() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    Ok((ticks(11) + ticks(12)) / 100.0)
}

fn measure(folder: &Path, rows: u64, turns: u32) -> Result<()> {
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let path = folder.join("cost.dbf");
    create(&fs, &path, rows)?;
    for _ in 0..turns {
        let begun = cpu_time()?;
        let mut table = IndexedTable::open(Arc::clone(&fs), &path, WriteOptions::new(Access::Exclusive))?;
        table.reindex(&mut |_, _| ControlFlow::Continue(()))?;
        table.close()?;
        let built = cpu_time()?;
        let findings = table::check(&fs, &path, OpenOptions::default(), &[path.with_extension("cdx")]);
        let checked = cpu_time()?;
        if let Some(finding) = findings.first() {
            return Err(Error::new(mainstay_types::Code::Damaged, finding.to_string()));
        }
        let (build, check) = (built - begun, checked - built);
        println!("build {build:.2} s, check {check:.2} s, ratio {:.2}", check / build);
    }
    Ok(())
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: check_cost FOLDER [ROWS] [TURNS]");
        return ExitCode::FAILURE;
    };
    let mut number = |other: u64| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(other);
    let (rows, turns) = (number(1_000_000), number(3));
    match measure(Path::new(&folder), rows, u32::try_from(turns).unwrap_or(3)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
