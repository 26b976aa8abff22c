//! Memory, time and disk space of large tables: loaded, opened, read by key, recovered.
//!
//! ```text
//!   open_scale create ROWS FOLDER [MEGABYTES]   a table of five columns with a key and an index, in batches
//!   open_scale once ROWS FOLDER plain|encoded   the same with a single checkpoint at the end, to compare reading: the
//!                                               number of runs of an index does not depend on the time then
//!   open_scale open FOLDER                      opens and closes it
//!   open_scale read FOLDER                      opens it and reads a row by its key, and one by the index
//!   open_scale points FOLDER COUNT              reads rows by their keys: nanoseconds each
//!   open_scale scan FOLDER                      sums two columns up
//!   open_scale journal ROWS FOLDER              inserts rows one by one, and ends without closing
//!   open_scale update ROWS FOLDER               updates rows one by one, and ends without closing
//! ```
//!
//! Each prints its CPU seconds, its greatest resident memory and the bytes of the folder.

// Besides the store it reads only Linux's account of the process and the sizes of files.
#![allow(clippy::disallowed_methods)]

use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, PrimitiveArray, StringViewArray};
use mainstay_store::files::catalog::{
    CatalogChange, ColumnDefinition, IndexColumn, IndexDefinition, KeyDefinition, SchemaDefinition, TableDefinition,
};
use mainstay_store::{Durability, Isolation, NativeTable, Store, StoreOptions};
use mainstay_types::{Result, SqlType, ValueRef};
use mainstay_vfs::Disk;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// As in the command: another allocator keeps more or less of what was freed.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TABLE: u64 = 10;
const BATCH: usize = 1 << 16;
const CITIES: [&str; 8] = ["Malmö", "Paris", "Lyon", "Rome", "Kristianstad, Skåne", "Oslo", "Berlin", "Utrecht"];

fn definition() -> TableDefinition {
    let column = |id: u64, name: &str, sql_type| ColumnDefinition {
        id,
        name: name.into(),
        sql_type,
        declared: None,
        not_null: true,
        default: None,
        check: None,
        identity: None,
        computed: None,
    };
    let ascending = |id: u64| vec![IndexColumn { column: id, descending: false }];
    TableDefinition {
        id: TABLE,
        schema: 1,
        name: "sales".into(),
        columns: vec![
            column(11, "id", SqlType::BigInt),
            column(12, "customer", SqlType::Integer),
            column(13, "amount", SqlType::Double),
            column(14, "city", SqlType::TEXT),
            column(15, "day", SqlType::Date),
        ],
        primary_key: Some(KeyDefinition {
            id: 16,
            name: "sales_pkey".into(),
            columns: ascending(11),
            nulls_not_distinct: false,
        }),
        unique: Vec::new(),
        checks: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: vec![IndexDefinition {
            id: 17,
            name: "by_customer".into(),
            nulls_not_distinct: false,
            filter: Vec::new(),
            unique: false,
            columns: ascending(12),
        }],
    }
}

fn customer(id: i64) -> i32 {
    (id.wrapping_mul(2_654_435_761) % 100_000).unsigned_abs() as i32
}

fn batch(first: i64, rows: usize) -> Vec<ArrayRef> {
    let ids = || first..first + rows as i64;
    let texts: StringViewArray = ids().map(|id| Some(CITIES[id as usize % CITIES.len()])).collect();
    vec![
        Arc::new(PrimitiveArray::<Int64Type>::from_iter_values(ids())),
        Arc::new(PrimitiveArray::<Int32Type>::from_iter_values(ids().map(customer))),
        Arc::new(PrimitiveArray::<Float64Type>::from_iter_values(ids().map(|id| (id % 10_007) as f64 / 4.0))),
        Arc::new(texts),
        Arc::new(PrimitiveArray::<Date32Type>::from_iter_values(ids().map(|id| (id / 5000) as i32 + 10_000))),
    ]
}

fn open(folder: &str, options: StoreOptions) -> Result<Store> {
    Store::open(Arc::new(Disk), Path::new(folder), StoreOptions { durability: Durability::Os, ..options })
}

fn create(rows: i64, folder: &str, options: StoreOptions) -> Result<()> {
    let store = open(folder, options)?;
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store
        .change_catalog(&mut transaction, CatalogChange::PutSchema(SchemaDefinition { id: 1, name: "main".into() }))?;
    store.change_catalog(&mut transaction, CatalogChange::PutTable(definition()))?;
    transaction.commit()?;
    let table = store.table_of(TABLE)?;
    let mut first = 0;
    while first < rows {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        for _ in 0..8 {
            let count = BATCH.min((rows - first) as usize);
            table.insert_columns(&mut transaction, &batch(first, count))?;
            first += count as i64;
        }
        transaction.commit()?;
    }
    report("loaded");
    store.close()
}

fn read(table: &Arc<NativeTable>) -> Result<()> {
    let mut reader = table.reader(table.current_view());
    let found = reader.get(0, &[ValueRef::Integer(4321)])?.map(|row| row.value(2).to_value());
    println!("row 4321: {found:?}");
    let reader = table.reader(table.current_view());
    let (mut low, mut count) = (Vec::new(), 0);
    table.indexes()[1].encoder().start(&mut low).push(ValueRef::Integer(77))?;
    let mut high = low.clone();
    mainstay_store::key::successor(&mut high);
    reader.scan(1, &low, Some(&high), mainstay_store::index::Direction::Ascending, true, &mut |_| {
        count += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    println!("rows of customer 77: {count}");
    Ok(())
}

fn points(table: &Arc<NativeTable>, count: i64) -> Result<()> {
    let rows = table.estimated_rows() as i64;
    let mut reader = table.reader(table.current_view());
    for _ in 0..3 {
        let (start, mut sum) = (Instant::now(), 0.0);
        for i in 0..count {
            let id = i.wrapping_mul(7_919_117) % rows;
            if let Some(row) = reader.get(0, &[ValueRef::Integer(id)])?
                && let ValueRef::Float(amount) = row.value(2)
            {
                sum += amount;
            }
        }
        println!("{:.1} ns a point read ({sum})", start.elapsed().as_nanos() as f64 / count as f64);
    }
    Ok(())
}

fn scan(table: &Arc<NativeTable>) -> Result<()> {
    let start = Instant::now();
    let (mut rows, mut sum) = (0u64, 0.0);
    table.reader(table.current_view()).for_each(&mut |row| {
        if let ValueRef::Float(amount) = row.value(2) {
            sum += amount;
        }
        rows += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    println!("{rows} rows, sum {sum}, {:.2} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn change(folder: &str, rows: i64, is_new: bool) -> Result<()> {
    let store = open(folder, StoreOptions::default())?;
    let table = store.table_of(TABLE)?;
    let first = table.estimated_rows() as i64;
    for id in 0..rows {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        transaction.set_durability(if id + 1 == rows { Durability::Os } else { Durability::None });
        if is_new {
            let id = first + id;
            let row = [
                ValueRef::Integer(id),
                ValueRef::Integer(i64::from(customer(id))),
                ValueRef::Float(1.5),
                ValueRef::Text("Malmö"),
                ValueRef::Date(mainstay_types::Date(10_000)),
            ];
            table.insert(&mut transaction, &row[..])?;
        } else {
            let key = [ValueRef::Integer(id.wrapping_mul(7_919_117) % first)];
            let view = transaction.begin_statement()?;
            if let Some(position) = table.reader(view).get(0, &key)?.map(|row| row.position) {
                table.update_columns(&mut transaction, position, &[(2, ValueRef::Float(2.5))])?;
            }
        }
        transaction.commit()?;
    }
    report("changed");
    // As a kill would: nothing is closed.
    std::process::exit(0);
}

/// CPU seconds and the greatest resident memory of the process so far.
fn report(what: &str) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = |field: usize| stat.rsplit(')').next()?.split_whitespace().nth(field - 3)?.parse::<f64>().ok();
    let cpu = (ticks(14).unwrap_or(0.0) + ticks(15).unwrap_or(0.0)) / 100.0;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let memory = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
    };
    let (peak, anonymous) = (memory("VmHWM:"), memory("RssAnon:"));
    println!("{what}: {cpu:.2} CPU s, {peak} MB at most, {anonymous} MB anonymous now");
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<i64>().unwrap_or(0);
    let opened = |folder: &str| -> Result<(Store, Arc<NativeTable>)> {
        let store = open(folder, StoreOptions::default())?;
        let table = store.table_of(TABLE)?;
        report("opened");
        Ok((store, table))
    };
    let folder = match words[..] {
        ["create", rows, folder] => create(number(rows), folder, StoreOptions::default()).map(|()| folder),
        ["create", rows, folder, megabytes] => {
            let memory_bytes = Some((number(megabytes) as usize) << 20);
            create(number(rows), folder, StoreOptions { memory_bytes, ..StoreOptions::default() }).map(|()| folder)
        }
        ["once", rows, folder, form @ ("plain" | "encoded")] => {
            let options = StoreOptions {
                encodes: form == "encoded",
                checkpoint_bytes: None,
                memory_bytes: None,
                ..StoreOptions::default()
            };
            create(number(rows), folder, options).map(|()| folder)
        }
        ["open", folder] => opened(folder).map(|_| folder),
        ["read", folder] => opened(folder).and_then(|(_store, table)| read(&table)).map(|()| folder),
        ["points", folder, count] => {
            opened(folder).and_then(|(_store, table)| points(&table, number(count))).map(|()| folder)
        }
        ["scan", folder] => opened(folder).and_then(|(_store, table)| scan(&table)).map(|()| folder),
        ["journal", rows, folder] => change(folder, number(rows), true).map(|()| folder),
        ["update", rows, folder] => change(folder, number(rows), false).map(|()| folder),
        _ => {
            eprintln!("see the head of the source for what to ask");
            return Ok(());
        }
    }?;
    report(words[0]);
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes: u64 = files.filter_map(|file| file.metadata().ok()).map(|file| file.len()).sum();
    println!("{} MB in the folder", bytes >> 20);
    Ok(())
}
