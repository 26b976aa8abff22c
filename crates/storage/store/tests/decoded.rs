//! Decoded columns of files under a limit: those that are read stay, those that are not read any more make room.

mod common;

use arrow_array::{Array, ArrayRef, Int64Array};
use common::catalog::{schema, table};
use mainstay_store::column::Column;
use mainstay_store::files::catalog::CatalogChange;
use mainstay_store::{Durability, Isolation, NativeTable, Store, StoreOptions};
use mainstay_vfs::Simulated;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// With it decoded columns have 2 MiB.
const LIMIT: usize = 8 << 20;
const DECODED: usize = LIMIT / 4;
/// Rows of a table whose two columns take 16 bytes a row: four fifths of that.
const FITS: i64 = 100_000;
const BATCH: i64 = 10_000;

fn open() -> Store {
    let options = StoreOptions {
        durability: Durability::Os,
        checkpoint_bytes: None,
        memory_bytes: Some(LIMIT),
        ..StoreOptions::DEFAULT
    };
    let store = Store::open(Arc::new(Simulated::new()), Path::new("shop"), options).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, schema()).unwrap();
    transaction.commit().unwrap();
    store
}

/// A number of 32 bits in no order, so that a column of them is packed and decoding it is worth keeping.
fn value(id: i64) -> i64 {
    (id.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64) as u64 >> 34) as i64
}

fn load(store: &Store, number: u64, rows: i64) -> Arc<NativeTable> {
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, CatalogChange::PutTable(table(number, &format!("t{number}")))).unwrap();
    transaction.commit().unwrap();
    let table = store.table_of(number).unwrap();
    for first in (0..rows).step_by(BATCH as usize) {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        let ids = first..(first + BATCH).min(rows);
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(ids.clone())),
            Arc::new(Int64Array::from_iter_values(ids.map(value))),
        ];
        table.insert_columns(&mut transaction, &columns).unwrap();
        transaction.commit().unwrap();
    }
    table
}

/// Reads both columns of all rows as vectors, as a large scan does.
fn scan(table: &NativeTable, rows: i64) {
    let mut sum = 0i64;
    for seen in table.reader(table.current_view()).groups() {
        for column in seen.group.columns() {
            let array = column.array(seen.length);
            let values = array.as_any().downcast_ref::<Int64Array>().unwrap();
            sum = values.values().iter().fold(sum, |sum, value| sum.wrapping_add(*value));
        }
    }
    assert_eq!(sum, (0..rows).fold(0i64, |sum, id| sum.wrapping_add(id + value(id))));
}

/// Bytes of decoded columns, by group of a file.
fn decoded(table: &NativeTable) -> Vec<usize> {
    let directory = table.directory();
    let stored = directory.groups().iter().filter(|group| group.is_stored());
    stored.map(|group| group.columns().iter().map(Column::bytes).sum()).collect()
}

fn sum(table: &NativeTable) -> usize {
    decoded(table).iter().sum()
}

#[test]
fn columns_that_are_not_read_any_more_make_room() {
    let store = open();
    let (old, new) = (load(&store, 100, FITS), load(&store, 200, FITS));
    store.checkpoint().unwrap();
    let most = FITS as usize * 16 * 3 / 4;
    (0..2).for_each(|_| scan(&old, FITS));
    assert!(sum(&old) > most, "{} bytes", sum(&old));
    scan(&new, FITS);
    assert!(sum(&old) > most && sum(&new) < DECODED - most, "{} and {} bytes", sum(&old), sum(&new));
    // The demand for four times the limit is to come first, and a thread makes the room.
    let is_there = (0..300).any(|_| {
        scan(&new, FITS);
        std::thread::sleep(Duration::from_millis(10));
        sum(&new) > most
    });
    assert!(is_there, "{} bytes of a table that is read, and {} of one that is not", sum(&new), sum(&old));
    assert!(sum(&old) + sum(&new) <= DECODED);
    scan(&old, FITS);
}

#[test]
fn a_part_of_a_table_that_is_larger_than_the_memory_stays_decoded() {
    let store = open();
    let table = load(&store, 100, 4 * FITS);
    store.checkpoint().unwrap();
    scan(&table, 4 * FITS);
    let first = decoded(&table);
    let there: Vec<usize> = (0..first.len()).filter(|group| first[*group] > 0).collect();
    assert!(!there.is_empty() && there.len() < first.len(), "{first:?}");
    for _ in 0..6 {
        std::thread::sleep(Duration::from_millis(10));
        scan(&table, 4 * FITS);
    }
    let now = decoded(&table);
    assert!(there.iter().all(|group| now[*group] > 0), "{first:?}, then {now:?}");
    assert!(now.iter().sum::<usize>() <= DECODED);
}
