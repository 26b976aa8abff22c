//! The table interface over native tables: vectors, rows by index, walks, and rows in bulk.

mod common;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef, Int64Array};
use common::*;
use mainstay_columnar::{Comparison, Predicate, RowSet, Snapshot, Table, sample};
use mainstay_store::column::layout::data_type;
use mainstay_store::{Isolation, Shown, Store, TableDefinition};
use mainstay_types::{Code, Decimal, SqlType, Timestamp, Value, ValueRef};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// One value of every type with a distinct form in memory.
fn every_type() -> Vec<(SqlType, ValueRef<'static>)> {
    vec![
        (SqlType::Boolean, ValueRef::Boolean(true)),
        (SqlType::TinyInt, ValueRef::Integer(-8)),
        (SqlType::SmallInt, ValueRef::Integer(-1600)),
        (SqlType::Integer, ValueRef::Integer(-320_000)),
        (SqlType::BigInt, ValueRef::Integer(i64::MIN)),
        (SqlType::Decimal { precision: 9, scale: 2 }, ValueRef::Decimal(Decimal::new(-123_456_789, 2))),
        (SqlType::Decimal { precision: 18, scale: 3 }, ValueRef::Decimal(Decimal::new(1 << 50, 3))),
        (SqlType::Decimal { precision: 38, scale: 0 }, ValueRef::Decimal(Decimal::new(-(1 << 100), 0))),
        (SqlType::Money, ValueRef::Decimal(Decimal::new(123, 4))),
        (SqlType::Real, ValueRef::Float(0.5)),
        (SqlType::Double, ValueRef::Float(-0.1)),
        (SqlType::TEXT, ValueRef::Text("a text that is longer than a view")),
        (SqlType::VarBinary { length: None }, ValueRef::Binary(&[0, 255, 7])),
        (SqlType::Date, ValueRef::Date(mainstay_types::Date(20_000))),
        (SqlType::Time { digits: 7 }, ValueRef::Time(mainstay_types::Time(123_456_789))),
        (SqlType::Timestamp { digits: 6 }, ValueRef::Timestamp(Timestamp(1_234_567_890))),
        (SqlType::Timestamp { digits: 7 }, ValueRef::Timestamp(Timestamp(1_234_567_891))),
        (SqlType::Uuid, ValueRef::Uuid([9; 16])),
    ]
}

#[test]
fn values_of_every_type_come_back_one_by_one_and_as_vectors() {
    let types = every_type();
    let store = Store::in_memory();
    let columns = types.iter().enumerate().map(|(i, (sql_type, _))| column(&format!("c{i}"), *sql_type)).collect();
    let table = store.create_table(TableDefinition::new("types", columns)).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let row: Vec<ValueRef<'_>> = types.iter().map(|(_, value)| *value).collect();
    let nulls = vec![ValueRef::Null; row.len()];
    for i in 0..100 {
        table.insert(&mut transaction, if i % 3 == 1 { &nulls[..] } else { &row[..] }).unwrap();
    }
    transaction.commit().unwrap();
    let snapshot = table.snapshot_for(table.current_view());
    assert_eq!((snapshot.slots(), snapshot.groups()), (100, 2));
    let copy = store.create_table(TableDefinition { name: "copy".into(), ..table.definition().clone() }).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let numbers: Vec<usize> = (0..types.len()).collect();
    for group in 0..2 {
        let vectors = snapshot.vectors(group, &numbers).unwrap();
        for (vector, (sql_type, _)) in vectors.iter().zip(&types) {
            assert_eq!(*vector.data_type(), data_type(*sql_type));
            assert_eq!(vector.null_count(), (group * 64..snapshot.group(group).end).filter(|i| i % 3 == 1).count());
        }
        copy.insert_columns(&mut transaction, &vectors).unwrap();
    }
    let view = transaction.begin_statement().unwrap();
    let reader = copy.reader(view);
    let mut rows = 0;
    reader
        .for_each(&mut |version| {
            for (number, (_, value)) in types.iter().enumerate() {
                assert_eq!(version.value(number), if rows % 3 == 1 { ValueRef::Null } else { *value });
            }
            rows += 1;
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!(rows, 100);
    let (fetched, kept) = snapshot.fetch(&[99, 0, 1], &numbers, true).unwrap();
    assert_eq!(kept, [99, 0, 1]);
    for (array, vector) in fetched.iter().zip(snapshot.vectors(0, &numbers).unwrap()) {
        assert_eq!(array.slice(1, 2).to_data(), vector.slice(0, 2).to_data());
    }
    assert_eq!(fetched[15].as_primitive::<TimestampMicrosecondType>().value(0), 123_456_789);
}

fn shown() -> (Store, Shown) {
    let store = Store::in_memory();
    let table = store.create_table(pairs(true).with_index("by_value", &[1], false)).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    let values: ArrayRef = Arc::new((0..1000).map(|i| (i % 10 != 9).then_some(i % 10)).collect::<Int64Array>());
    assert_eq!(table.insert_columns(&mut transaction, &[ids, values]).unwrap(), 1000);
    transaction.commit().unwrap();
    (store, Shown(table))
}

#[test]
fn a_run_has_the_rows_of_the_vectors() {
    let (store, shown) = shown();
    let before = shown.snapshot().unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let position = shown.0.snapshot_for(shown.0.current_view()).position(130).unwrap();
    shown.0.delete(&mut transaction, position).unwrap();
    transaction.commit().unwrap();
    let snapshot = shown.snapshot().unwrap();
    assert!(snapshot.reads_runs());
    let (run, visible) = snapshot.run(128..134, &[0, 1]).unwrap();
    assert_eq!(run[0].as_primitive::<Int64Type>().values(), &[128, 129, 130, 131, 132, 133]);
    assert_eq!(run[1].null_count(), 1, "of 129");
    let visible: Vec<bool> = visible.unwrap().iter().collect();
    assert_eq!(visible, [true, true, false, true, true, true]);
    assert_eq!(before.run(128..134, &[0]).unwrap().1, None);
}

#[test]
fn a_sample_is_spread_over_the_groups() {
    let store = Store::in_memory();
    let table = store.create_table(pairs(true)).unwrap();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100_000));
    let values: ArrayRef = Arc::new(Int64Array::from_iter_values((0..100_000).map(|i| i / 10)));
    table.insert_columns(&mut transaction, &[ids, values]).unwrap();
    transaction.commit().unwrap();
    let snapshot = Shown(table).snapshot().unwrap();
    assert!(snapshot.groups() > 1);
    let runs = sample::runs(snapshot.as_ref(), 1).unwrap();
    let values_of = |run: &ArrayRef| run.as_primitive::<Int64Type>().values().iter().copied().collect();
    let values: Vec<HashSet<i64>> = runs.iter().map(values_of).collect();
    assert!(values.last().unwrap().iter().all(|value| *value > 8_000), "the last run is near the end");
    let sampled = runs.iter().map(|run| run.len()).sum();
    let distinct = sample::distinct_values(&values, sampled, 100_000).unwrap();
    assert!((8_000..=12_000).contains(&distinct), "{distinct} of 10,000 values");
}

fn compare(column: usize, op: Comparison, value: i64) -> Predicate {
    Predicate::Compare { column, op, value: Value::Integer(value) }
}

/// The number of rows that an access yields.
fn count(shown: &Shown, predicate: &Predicate) -> usize {
    let access = shown.access(predicate, true).expect("an index serves it");
    match shown.snapshot().unwrap().rows(&access, usize::MAX).unwrap().unwrap() {
        RowSet::List(rows) => rows.len(),
        RowSet::Bitmap(bits) => bits.count_set_bits(),
    }
}

#[test]
fn indexes_narrow_conditions_down() {
    let (_, shown) = shown();
    assert_eq!(count(&shown, &compare(0, Comparison::Equal, 17)), 1);
    assert_eq!(count(&shown, &compare(1, Comparison::Equal, 3)), 100);
    assert_eq!(count(&shown, &compare(1, Comparison::GreaterOrEqual, 7)), 200);
    assert_eq!(count(&shown, &Predicate::Null { column: 1, negated: false }), 100);
    let both = Predicate::And(vec![compare(0, Comparison::Greater, 10), compare(0, Comparison::LessOrEqual, 20)]);
    assert_eq!(count(&shown, &both), 10);
    let either = Predicate::Or(vec![compare(0, Comparison::Equal, 1), compare(1, Comparison::Equal, 1)]);
    assert_eq!(count(&shown, &either), 100);
    let values = vec![Value::Integer(1), Value::Null, Value::Integer(2)];
    assert_eq!(count(&shown, &Predicate::In { column: 0, values, negated: false }), 2);
    let access = shown.access(&both, true).unwrap();
    assert_eq!(access.to_string(), "pairs_pkey: id > 10 and id <= 20");
    let snapshot = shown.snapshot().unwrap();
    assert!(snapshot.rows(&access, 10).unwrap().is_some() && snapshot.rows(&access, 9).unwrap().is_none());
    assert!(shown.access(&compare(0, Comparison::NotEqual, 1), true).is_none());
}

#[test]
fn walks_give_every_row_once_in_order_also_after_changes() {
    let (store, shown) = shown();
    let mut old = store.begin(Isolation::Snapshot);
    let view = old.begin_statement().unwrap();
    let mut writer = store.begin(Isolation::ReadCommitted);
    for id in 0..500 {
        let at = position(&shown.0, &mut writer, id).unwrap();
        shown.0.update_columns(&mut writer, at, &[(1, ValueRef::Integer(1000 - id))]).unwrap();
    }
    writer.commit().unwrap();
    for (snapshot, first) in
        [(shown.0.snapshot_for(view), Some(8)), (shown.0.snapshot_for(shown.0.current_view()), Some(1000))]
    {
        let ordering = shown.order(1, true).unwrap();
        let mut slots = Vec::new();
        let whole = snapshot.walk(&ordering, &mut |slot| {
            slots.push(slot);
            Ok(ControlFlow::Continue(()))
        });
        assert!(whole.unwrap());
        let (vectors, _) = snapshot.fetch(&slots, &[1], true).unwrap();
        let values: Vec<Option<i64>> = vectors[0].as_primitive::<Int64Type>().iter().collect();
        assert_eq!((values.len(), values[0]), (1000, first));
        assert!(values.is_sorted_by(|a, b| a >= b));
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(slots.len(), 1000);
    }
}

#[test]
fn bulk_rows_with_a_key_that_is_there_are_refused() {
    let (store, shown) = shown();
    let mut transaction = store.begin(Isolation::ReadCommitted);
    let before = transaction.savepoint();
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![2000, 2001, 5, 2002]));
    let error = shown.0.insert_columns(&mut transaction, &[Arc::clone(&ids), Arc::clone(&ids)]).unwrap_err();
    assert_eq!(error.code(), Code::UniqueViolation);
    transaction.rollback_to(&before).unwrap();
    let nulls: ArrayRef = Arc::new(Int64Array::from(vec![None]));
    let error = shown.0.insert_columns(&mut transaction, &[Arc::clone(&nulls), nulls]).unwrap_err();
    assert_eq!((error.code(), error.place()), (Code::NotNullViolation, Some("pairs.id")));
    transaction.commit().unwrap();
    assert_eq!(committed(&store, &shown.0).len(), 1000);
    let mut again = store.begin(Isolation::ReadCommitted);
    shown.0.insert(&mut again, &pair(2000, 1)[..]).unwrap();
    let row_ids = shown.snapshot().unwrap().vectors(0, &[2]).unwrap();
    assert_eq!(row_ids[0].as_primitive::<Int64Type>().value(0), 1);
}
