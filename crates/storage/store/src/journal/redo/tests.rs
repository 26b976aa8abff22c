//! Round trips of every type, runs that share an operation, and arbitrary bytes.

use super::*;
use arrow_array::{ArrayRef, BooleanArray, Decimal128Array, FixedSizeBinaryArray, Int64Array, StringViewArray};
use arrow_schema::DataType;
use mainstay_types::{Code, Collation, Date, Decimal, Interval, Result, SqlType, Time, Timestamp, ValueRef};
use std::sync::Arc;

fn every_type() -> Vec<SqlType> {
    let collation = Collation::default();
    vec![
        SqlType::Boolean,
        SqlType::TinyInt,
        SqlType::SmallInt,
        SqlType::Integer,
        SqlType::BigInt,
        SqlType::Decimal { precision: 38, scale: 10 },
        SqlType::Money,
        SqlType::Real,
        SqlType::Double,
        SqlType::Char { length: 3, collation },
        SqlType::TEXT,
        SqlType::Binary { length: 2 },
        SqlType::VarBinary { length: None },
        SqlType::Date,
        SqlType::Time { digits: 7 },
        SqlType::Timestamp { digits: 7 },
        SqlType::TimestampWithOffset { digits: 3 },
        SqlType::IntervalYearMonth,
        SqlType::IntervalDayTime,
        SqlType::Uuid,
    ]
}

fn a_row() -> Vec<ValueRef<'static>> {
    vec![
        ValueRef::Boolean(true),
        ValueRef::Integer(-128),
        ValueRef::Integer(32_767),
        ValueRef::Integer(-2_147_483_648),
        ValueRef::Integer(i64::MIN),
        ValueRef::Decimal(Decimal::new(-(10i128.pow(38) - 1), 10)),
        ValueRef::Decimal(Decimal::new(12_345, 4)),
        ValueRef::Float(0.5),
        ValueRef::Float(-1e300),
        ValueRef::Text("abc"),
        ValueRef::Text("Malmö"),
        ValueRef::Binary(&[0, 255]),
        ValueRef::Binary(&[]),
        ValueRef::Date(Date(-719_162)),
        ValueRef::Time(Time(863_999_999_999)),
        ValueRef::Timestamp(Timestamp(-1)),
        ValueRef::TimestampWithOffset { utc: Timestamp(1), offset_minutes: -840 },
        ValueRef::Interval(Interval::from_months(-18)),
        ValueRef::Interval(Interval { months: 0, days: -3, ticks: -7 }),
        ValueRef::Uuid([7; 16]),
    ]
}

/// A payload as text: every operation and every row.
fn told(payload: &[u8], types: &[SqlType], vectors: &[DataType]) -> Result<Vec<String>> {
    let mut reader = RedoReader::new(payload)?;
    let mut told = vec![format!("commit {}", reader.commit_number())];
    while let Some(operation) = reader.next_operation()? {
        match operation {
            Operation::Insert(mut rows) => {
                told.push(format!("insert {}", rows.table));
                let mut values = Vec::new();
                while let Some(row_id) = rows.next_row(types, &mut values)? {
                    told.push(format!("  {row_id}: {values:?}"));
                }
            }
            Operation::InsertColumns(run) => {
                told.push(format!("columns {} from {}", run.table, run.first_row_id));
                told.extend(run.columns(vectors)?.iter().map(|column| format!("  {column:?}")));
            }
            Operation::Update(mut rows) => {
                told.push(format!("update {}", rows.table));
                let mut changed = Vec::new();
                while let Some(row_id) = rows.next_row(types, &mut changed)? {
                    told.push(format!("  {row_id}: {changed:?}"));
                }
            }
            Operation::Delete(mut ids) => {
                told.push(format!("delete {}", ids.table));
                while let Some(row_id) = ids.next_row_id()? {
                    told.push(format!("  {row_id}"));
                }
            }
            Operation::Catalog(json) => told.push(format!("catalog {json}")),
            Operation::Sequence { sequence, next_value } => told.push(format!("sequence {sequence} = {next_value}")),
        }
    }
    Ok(told)
}

#[test]
fn a_value_of_every_type_comes_back() {
    let (types, row) = (every_type(), a_row());
    let mut buffer = RedoBuffer::new();
    buffer.insert_row(5, &types, 1 << 40, row.iter().copied()).unwrap();
    buffer.insert_row(5, &types, (1 << 40) + 1, types.iter().map(|_| ValueRef::Null)).unwrap();
    buffer.update_row(5, &types, 9, row.iter().copied().enumerate()).unwrap();

    let mut reader = RedoReader::new(buffer.seal(77)).unwrap();
    assert_eq!(reader.commit_number(), 77);
    let Some(Operation::Insert(mut rows)) = reader.next_operation().unwrap() else { panic!("no insert") };
    let mut values = Vec::new();
    assert_eq!(rows.next_row(&types, &mut values).unwrap(), Some(1 << 40));
    assert_eq!(values, row);
    assert_eq!(rows.next_row(&types, &mut values).unwrap(), Some((1 << 40) + 1));
    assert!(values.len() == types.len() && values.iter().all(|value| value.is_null()));
    assert_eq!(rows.next_row(&types, &mut values).unwrap(), None);
    let Some(Operation::Update(mut rows)) = reader.next_operation().unwrap() else { panic!("no update") };
    let mut changed = Vec::new();
    assert_eq!(rows.next_row(&types, &mut changed).unwrap(), Some(9));
    assert!(changed.iter().copied().eq(row.into_iter().enumerate()));
}

#[test]
fn runs_share_an_operation_and_everything_keeps_its_order() {
    let types = [SqlType::BigInt, SqlType::TEXT];
    let row = |n: i64| [ValueRef::Integer(n), ValueRef::Text("x")];
    let mut buffer = RedoBuffer::new();
    for n in 0..3 {
        buffer.insert_row(1, &types, 10 + n as u64, row(n)).unwrap();
    }
    buffer.insert_row(1, &types, 20, row(20)).unwrap();
    buffer.insert_row(2, &types, 21, row(21)).unwrap();
    [5, 4, u64::MAX, 6].into_iter().for_each(|id| buffer.delete_row(1, id));
    buffer.update_row(1, &types, 10, [(1, ValueRef::Null)]).unwrap();
    buffer.update_row(1, &types, 11, [(0, ValueRef::Integer(1))]).unwrap();
    buffer.catalog("{}");
    buffer.sequence(3, -1);
    let expected = [
        "commit 1",
        "insert 1",
        "  10: [Integer(0), Text(\"x\")]",
        "  11: [Integer(1), Text(\"x\")]",
        "  12: [Integer(2), Text(\"x\")]",
        "insert 1",
        "  20: [Integer(20), Text(\"x\")]",
        "insert 2",
        "  21: [Integer(21), Text(\"x\")]",
        "delete 1",
        "  5",
        "  4",
        "  18446744073709551615",
        "  6",
        "update 1",
        "  10: [(1, Null)]",
        "  11: [(0, Integer(1))]",
        "catalog {}",
        "sequence 3 = -1",
    ];
    assert_eq!(told(buffer.seal(1), &types, &[]).unwrap(), expected);
}

#[test]
fn what_fails_or_is_rolled_back_leaves_nothing_behind() {
    let types = [SqlType::Integer, SqlType::TEXT];
    let good = [ValueRef::Integer(1), ValueRef::Text("a")];
    let mut buffer = RedoBuffer::new();
    buffer.insert_row(1, &types, 1, good).unwrap();
    let error = buffer.insert_row(1, &types, 2, [ValueRef::Integer(1), ValueRef::Float(1.0)]).unwrap_err();
    assert_eq!(error.code(), Code::Internal);
    assert!(buffer.insert_row(1, &types, 2, [ValueRef::Integer(1)]).is_err());
    assert!(buffer.update_row(1, &types, 2, [(1, ValueRef::Null), (0, ValueRef::Null)]).is_err());
    buffer.insert_row(1, &types, 2, good).unwrap();
    let before = buffer.seal(3).to_vec();
    let mark = buffer.mark();
    buffer.insert_row(1, &types, 3, good).unwrap();
    buffer.delete_row(1, 1);
    buffer.roll_back(mark);
    assert_eq!(buffer.seal(3), before);
    // The update that failed ended the run of inserts.
    assert_eq!(
        told(&before, &types, &[]).unwrap(),
        ["commit 3", "insert 1", "  1: [Integer(1), Text(\"a\")]", "insert 1", "  2: [Integer(1), Text(\"a\")]",]
    );
    buffer.clear();
    assert!(buffer.is_empty());
}

fn some_columns() -> (Vec<ArrayRef>, Vec<DataType>) {
    let uuids = FixedSizeBinaryArray::try_from_iter([[1u8; 16], [2; 16], [3; 16]].into_iter()).unwrap();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![Some(1), None, Some(-3)])),
        Arc::new(StringViewArray::from(vec![Some("short"), Some("a text that is longer than twelve bytes"), None])),
        Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])),
        Arc::new(Decimal128Array::from(vec![1, 2, 3]).with_precision_and_scale(19, 4).unwrap()),
        Arc::new(uuids),
    ];
    let types = columns.iter().map(|column| column.data_type().clone()).collect();
    (columns, types)
}

#[test]
fn columns_come_back_and_slices_too() {
    let (columns, vectors) = some_columns();
    for (start, len) in [(0, 3), (1, 2), (2, 1)] {
        let slices: Vec<ArrayRef> = columns.iter().map(|column| column.slice(start, len)).collect();
        let mut buffer = RedoBuffer::new();
        buffer.insert_columns(4, 100, &slices).unwrap();
        let mut reader = RedoReader::new(buffer.seal(1)).unwrap();
        let Some(Operation::InsertColumns(run)) = reader.next_operation().unwrap() else { panic!("no columns") };
        assert_eq!((run.table, run.first_row_id, run.rows), (4, 100, len));
        assert_eq!(run.columns(&vectors).unwrap(), slices);
    }
}

#[test]
fn bytes_that_nobody_wrote_are_refused_and_never_panic() {
    let types = every_type();
    let (columns, vectors) = some_columns();
    let mut buffer = RedoBuffer::new();
    buffer.insert_row(5, &types, 1, a_row()).unwrap();
    buffer.update_row(5, &types, 9, a_row().into_iter().enumerate()).unwrap();
    buffer.insert_columns(4, 100, &columns).unwrap();
    buffer.delete_row(1, 2);
    buffer.catalog("{\"a\":1}");
    buffer.sequence(3, -1);
    let payload = buffer.seal(1).to_vec();
    assert!(told(&payload, &types, &vectors).is_ok());
    for len in 0..payload.len() {
        drop(told(&payload[..len], &types, &vectors));
    }
    for at in COMMIT_BYTES..payload.len() {
        for value in 0..=255 {
            let mut damaged = payload.clone();
            damaged[at] = value;
            drop(told(&damaged, &types, &vectors));
        }
    }
    assert_eq!(told(&[0; 20], &types, &vectors).unwrap_err().code(), Code::Damaged);
}
