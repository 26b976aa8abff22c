//! Speed of scanning and decoding a CSV file, on a generated file of 50 MB.
//!
//! `cargo run --release -p mainstay-csv --example speed [MEGABYTES]`

use mainstay_columnar::{Table, VectorCache};
use mainstay_csv::{CsvOptions, CsvTable};
use mainstay_types::Result;
use mainstay_vfs::Memory;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

/// Order lines, as a trading company exports them.
fn order_lines(bytes: usize) -> String {
    const TOWNS: [&str; 7] = ["Hamburg", "Bremen", "Rotterdam", "\"Frankfurt, Main\"", "Lyon", "Gdansk", "Bergen"];
    let mut text = String::from("id,customer,town,article,quantity,price,ordered,note\n");
    let (mut id, mut random) = (0u32, 0x1234_5678u32);
    while text.len() < bytes {
        id += 1;
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let number = random >> 8;
        let _ = writeln!(
            text,
            "{id},{},{},A{:05}-{},{},{}.{:02},20{:02}-{:02}-{:02},{}",
            number % 90_000 + 10_000,
            TOWNS[number as usize % 7],
            number % 5_000,
            number % 9,
            number % 99,
            number % 10_000,
            number % 100,
            number % 25,
            number % 12 + 1,
            number % 28 + 1,
            if number % 3 == 0 { "deliver in the morning" } else { "" },
        );
    }
    text
}

fn main() -> Result<()> {
    let megabytes = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(50);
    let text = order_lines(megabytes * 1_000_000);
    let size = text.len() as f64 / 1e6;
    let files = Memory::new();
    files.write("lines.csv", text);
    let speed = |seconds: f64| format!("{:6.1} ms, {:6.0} MB/s", seconds * 1e3, size / seconds);
    let mut table = None;
    for _ in 0..3 {
        let start = Instant::now();
        let cache = VectorCache::new(1 << 30);
        table = Some(CsvTable::open(Arc::new(files.clone()), "lines.csv", "lines", cache, CsvOptions::default())?);
        println!("scan                 {}", speed(start.elapsed().as_secs_f64()));
    }
    let Some(table) = table else { return Ok(()) };
    println!("{} rows", table.estimated_rows());
    let snapshot = table.snapshot()?;
    for (column, field) in table.schema().fields().iter().enumerate() {
        let start = Instant::now();
        let mut physical = String::new();
        for group in 0..snapshot.groups() {
            physical = snapshot.vectors(group, &[column])?[0].data_type().to_string();
        }
        println!("{:9} {:10} {}  {physical}", field.name(), "", speed(start.elapsed().as_secs_f64()));
    }
    let all: Vec<usize> = (0..table.schema().fields().len()).collect();
    let cache = VectorCache::new(1 << 30);
    let table = CsvTable::open(Arc::new(files), "lines.csv", "lines", cache, CsvOptions::default())?;
    let (snapshot, start) = (table.snapshot()?, Instant::now());
    for group in 0..snapshot.groups() {
        snapshot.vectors(group, &all)?;
    }
    println!("all columns          {}", speed(start.elapsed().as_secs_f64()));
    let start = Instant::now();
    for group in 0..snapshot.groups() {
        snapshot.vectors(group, &all)?;
    }
    println!("all columns, again   {:6.3} ms", start.elapsed().as_secs_f64() * 1e3);
    Ok(())
}
