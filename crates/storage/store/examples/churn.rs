//! Memory use while all rows of a table are deleted and inserted again, ten times.
//!
//! Prints the anonymous memory of the process (Linux), the store's own count, and the time, after each step.

// The example reads no stored data but Linux's own account of the process.
#![allow(clippy::disallowed_methods)]

use arrow_array::{ArrayRef, Float64Array, Int64Array, StringViewArray};
use mainstay_store::{ColumnDefinition, Isolation, NativeTable, Store, TableDefinition};
use mainstay_types::{Result, SqlType};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

const ROWS: i64 = 1_000_000;
const BATCH: i64 = 10_000;
const ROUNDS: usize = 10;

fn definition() -> TableDefinition {
    let column = |name: &str, sql_type| ColumnDefinition::new(name, sql_type, true);
    let columns = vec![column("id", SqlType::BigInt), column("name", SqlType::TEXT), column("price", SqlType::Double)];
    TableDefinition::new("bench", columns).with_primary_key(&[0])
}

fn fill(store: &Store, table: &Arc<NativeTable>) -> Result<()> {
    for first in (0..ROWS).step_by(BATCH as usize) {
        let ids = first..first + BATCH;
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from_iter_values(ids.clone())),
            Arc::new(StringViewArray::from_iter_values(ids.clone().map(|id| format!("name {id}")))),
            Arc::new(Float64Array::from_iter_values(ids.map(|id| id as f64))),
        ];
        let mut transaction = store.begin(Isolation::ReadCommitted);
        table.insert_columns(&mut transaction, &arrays)?;
        transaction.commit()?;
    }
    Ok(())
}

fn empty(store: &Store, table: &Arc<NativeTable>) -> Result<()> {
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let view = transaction.begin_statement()?;
    let mut positions = Vec::new();
    table.reader(view).for_each(&mut |version| {
        positions.push(version.position);
        Ok(ControlFlow::Continue(()))
    })?;
    for position in positions {
        table.delete(&mut transaction, position)?;
    }
    transaction.commit().map(|_| ())
}

fn anonymous_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(f64::NAN) / 1024.0
}

fn main() -> Result<()> {
    let store = Store::in_memory();
    let table = store.create_table(definition())?;
    let own = || store.bytes() as f64 / (1 << 20) as f64;
    fill(&store, &table)?;
    println!("filled         {:6.1} MiB, by its own count {:6.1}", anonymous_mib(), own());
    for round in 1..=ROUNDS {
        let start = Instant::now();
        empty(&store, &table)?;
        let (deleted, after, own_after) = (start.elapsed(), anonymous_mib(), own());
        let start = Instant::now();
        fill(&store, &table)?;
        println!(
            "round {round:2}: deleted {after:6.1} MiB ({own_after:6.1}) in {:4} ms, filled {:6.1} MiB ({:6.1}) in {:4} ms",
            deleted.as_millis(),
            anonymous_mib(),
            own(),
            start.elapsed().as_millis()
        );
    }
    Ok(())
}
