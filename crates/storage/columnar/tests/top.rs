//! The first rows in an order, against a stable sort of all rows.

mod common;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::BooleanBuffer;
use common::{LENGTHS, Random, cell, column, types};
use mainstay_columnar::vector::{SortKey, Top};
use mainstay_types::Value;
use std::cmp::Ordering;

fn order(a: &Value, b: &Value, key: &SortKey) -> Ordering {
    let nulls = if key.nulls_first { Ordering::Less } else { Ordering::Greater };
    let order = match (a, b) {
        (Value::Null, Value::Null) => return Ordering::Equal,
        (Value::Null, _) => return nulls,
        (_, Value::Null) => return nulls.reverse(),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        (Value::Binary(a), Value::Binary(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b),
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Time(a), Value::Time(b)) => a.cmp(b),
        (Value::Timestamp(a), Value::Timestamp(b)) => a.cmp(b),
        (Value::TimestampWithOffset { utc: a, .. }, Value::TimestampWithOffset { utc: b, .. }) => a.cmp(b),
        (Value::Uuid(a), Value::Uuid(b)) => a.cmp(b),
        (a, b) => a.as_decimal().cmp(&b.as_decimal()),
    };
    if key.descending { order.reverse() } else { order }
}

#[test]
fn like_a_stable_sort() {
    for seed in 0..250 {
        let mut random = Random(seed);
        let all = types();
        let keys: Vec<SortKey> = (0..1 + random.below(3) as usize)
            .map(|column| SortKey { column, descending: random.chance(50), nulls_first: random.chance(50) })
            .collect();
        let kinds: Vec<_> = keys.iter().map(|_| &all[random.below(all.len() as u64) as usize]).collect();
        let spread = [3, 50, 100_000][random.below(3) as usize];
        let nulls = [0, 10, 100][random.below(3) as usize];
        let limit = [0, 1, 10, 100, 5000][random.below(5) as usize];
        let (mut top, mut rows, mut first) = (Top::new(keys.clone(), limit), Vec::new(), 5u64);
        for _ in 0..3 {
            let len = LENGTHS[random.below(12) as usize];
            let vectors: Vec<ArrayRef> =
                kinds.iter().map(|kind| column(&mut random, kind, len, nulls, spread)).collect();
            let selection = random.chance(50).then(|| BooleanBuffer::collect_bool(len, |_| random.chance(60)));
            top.update(first, &vectors, len, selection.as_ref()).unwrap();
            for row in (0..len).filter(|row| selection.as_ref().is_none_or(|bits| bits.value(*row))) {
                let cells: Vec<Value> = vectors.iter().map(|vector| cell(vector, row)).collect();
                rows.push((first + row as u64, cells));
            }
            first += len as u64;
        }
        rows.sort_by(|(_, a), (_, b)| {
            let each = keys.iter().enumerate().map(|(i, key)| order(&a[i], &b[i], key));
            each.fold(Ordering::Equal, Ordering::then)
        });
        let wanted: Vec<u64> = rows.iter().take(limit).map(|(row, _)| *row).collect();
        assert_eq!(top.finish(), wanted, "seed {seed}: {kinds:?} {keys:?}");
    }
}

#[test]
fn a_missing_column_is_an_error() {
    let key = SortKey { column: 1, descending: false, nulls_first: false };
    let vectors: Vec<ArrayRef> = vec![column(&mut Random(1), &types()[4], 5, 0, 5)];
    assert!(Top::new(vec![key], 3).update(0, &vectors, 5, None).is_err());
    assert_eq!(vectors[0].len(), 5);
}
