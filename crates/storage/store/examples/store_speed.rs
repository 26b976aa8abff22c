//! Speed of the store: 10,000 rows of BIGINT, short text, DOUBLE, in memory.
//!
//! Prints nanoseconds per row, the minimum of several runs.

use mainstay_store::column::Slice;
use mainstay_store::{ColumnDefinition, Isolation, NativeTable, Store, TableDefinition};
use mainstay_types::{Result, SqlType, ValueRef};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const ROWS: usize = 10_000;
const RUNS: usize = 15;

fn definition(with_key: bool) -> TableDefinition {
    let column = |name: &str, sql_type| ColumnDefinition::new(name, sql_type, true);
    let columns = vec![column("id", SqlType::BigInt), column("name", SqlType::TEXT), column("price", SqlType::Double)];
    let definition = TableDefinition::new("items", columns);
    if with_key { definition.with_primary_key(&[0]) } else { definition }
}

fn row(id: usize) -> [ValueRef<'static>; 3] {
    [ValueRef::Integer(id as i64), ValueRef::Text("item name"), ValueRef::Float(id as f64)]
}

fn filled(with_key: bool) -> Result<(Store, Arc<NativeTable>)> {
    let store = Store::in_memory();
    let table = store.create_table(definition(with_key))?;
    let mut transaction = store.begin(Isolation::ReadCommitted);
    (0..ROWS).try_for_each(|id| table.insert(&mut transaction, &row(id)[..]).map(|_| ()))?;
    transaction.commit()?;
    Ok((store, table))
}

/// The least nanoseconds per row of several runs, each with its own state.
fn least<S>(prepare: impl Fn() -> Result<S>, run: impl Fn(&S) -> Result<()>) -> Result<f64> {
    let mut least = f64::MAX;
    for _ in 0..RUNS {
        let state = prepare()?;
        let start = Instant::now();
        run(&state)?;
        least = least.min(start.elapsed().as_nanos() as f64 / ROWS as f64);
    }
    Ok(least)
}

fn insert(with_key: bool) -> Result<f64> {
    let prepare = || {
        let store = Store::in_memory();
        let table = store.create_table(definition(with_key))?;
        Ok((store, table))
    };
    least(prepare, |(store, table)| {
        let mut transaction = store.begin(Isolation::ReadCommitted);
        (0..ROWS).try_for_each(|id| table.insert(&mut transaction, &row(id)[..]).map(|_| ()))?;
        transaction.commit().map(|_| ())
    })
}

fn shuffled(i: usize) -> i64 {
    (i * 7919 % ROWS) as i64
}

fn main() -> Result<()> {
    println!("insert, no key, one transaction      {:7.1} ns", insert(false)?);
    println!("insert, primary key, one transaction {:7.1} ns", insert(true)?);
    let autocommit = least(
        || {
            let store = Store::in_memory();
            let table = store.create_table(definition(true))?;
            Ok((store, table))
        },
        |(store, table)| {
            (0..ROWS).try_for_each(|id| {
                let mut transaction = store.begin(Isolation::ReadCommitted);
                table.insert(&mut transaction, &row(id)[..])?;
                transaction.commit().map(|_| ())
            })
        },
    )?;
    println!("insert, primary key, own commit      {autocommit:7.1} ns");
    let read = least(
        || filled(true),
        |(store, table)| {
            (0..ROWS).try_for_each(|i| {
                let mut transaction = store.begin(Isolation::ReadCommitted);
                let view = transaction.begin_statement()?;
                let mut reader = table.reader(view);
                let version = reader.get(0, &[ValueRef::Integer(shuffled(i))])?;
                if let Some(version) = version {
                    black_box((version.value(0), version.value(1), version.value(2)));
                }
                Ok(())
            })
        },
    )?;
    println!("point read by key, own transaction   {read:7.1} ns");
    let read = least(
        || filled(true),
        |(_, table)| {
            let mut reader = table.reader(table.current_view());
            for i in 0..ROWS {
                if let Some(version) = reader.get(0, &[ValueRef::Integer(shuffled(i))])? {
                    black_box((version.value(0), version.value(1), version.value(2)));
                }
            }
            Ok(())
        },
    )?;
    println!("point read by key, one statement     {read:7.1} ns");
    let update = least(
        || filled(true),
        |(store, table)| {
            (0..ROWS).try_for_each(|i| {
                let mut transaction = store.begin(Isolation::ReadCommitted);
                let view = transaction.begin_statement()?;
                let found =
                    table.reader(view).get(0, &[ValueRef::Integer(shuffled(i))])?.map(|version| version.position);
                if let Some(position) = found {
                    table.update_columns(&mut transaction, position, &[(2, ValueRef::Float(1.5))])?;
                }
                transaction.commit().map(|_| ())
            })
        },
    )?;
    println!("update by key, own commit            {update:7.1} ns");
    let scan = least(|| filled(true), |(_, table)| scan(table))?;
    println!("scan, typed values                   {scan:7.2} ns");
    Ok(())
}

/// Reads every row's three values through typed slices.
fn scan(table: &Arc<NativeTable>) -> Result<()> {
    let reader = table.reader(table.current_view());
    let (mut ids, mut letters, mut prices) = (0i64, 0usize, 0.0);
    for (ordinal, group) in reader.directory().groups().iter().enumerate() {
        let length = reader.length(ordinal);
        let visible = group.visible(reader.view(), length);
        let [id, name, price] = group.columns() else { continue };
        let (Slice::I64(id), Slice::F64(price)) = (id.slice(), price.slice()) else { continue };
        for offset in 0..length {
            if visible.as_ref().is_none_or(|visible| visible.value(offset)) {
                ids += id[offset];
                letters += name.text(offset).map_or(0, str::len);
                prices += price[offset];
            }
        }
    }
    black_box((ids, letters, prices));
    Ok(())
}
