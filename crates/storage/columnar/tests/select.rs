//! Selection against a model that evaluates one row at a time.

mod common;

use arrow_array::{Array, ArrayRef, IntervalYearMonthArray, StringViewArray};
use arrow_schema::{DataType, TimeUnit};
use common::{LENGTHS, Random, cell, column, types};
use mainstay_columnar::predicate::{Comparison, Predicate};
use mainstay_columnar::vector::{self, select};
use mainstay_types::{Code, Collation, Decimal, Timestamp, Value};
use std::cmp::Ordering;
use std::sync::Arc;

const OPS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
];

fn total(a: f64, b: f64) -> Ordering {
    (a + 0.0).total_cmp(&(b + 0.0))
}

/// The order of a row's value relative to a constant; `None` if either is NULL.
fn order(value: &Value, constant: &Value) -> Option<Ordering> {
    Some(match (value, constant) {
        (Value::Null, _) | (_, Value::Null) => return None,
        (Value::Text(a), Value::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
        (Value::Binary(a), Value::Binary(b)) => a.cmp(b),
        (Value::Binary(a), Value::Text(b)) => a.as_slice().cmp(b.as_bytes()),
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Uuid(a), Value::Uuid(b)) => a.cmp(b),
        (Value::Float(a), b) => total(*a, b.as_f64().unwrap()),
        (Value::Decimal(a), Value::Float(b)) => total(a.unscaled as f64 / 10f64.powi(a.scale.into()), *b),
        (Value::Integer(a), Value::Float(b)) => total(*a as f64, *b),
        (a, b) => match (a.as_decimal(), b.as_decimal()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => nanoseconds(a).cmp(&nanoseconds(b)),
        },
    })
}

fn nanoseconds(value: &Value) -> i128 {
    match value {
        Value::Date(date) => i128::from(date.0) * 86_400_000_000_000,
        Value::Timestamp(at) => i128::from(at.0) * 100,
        Value::TimestampWithOffset { utc, .. } => i128::from(utc.0) * 100,
        Value::Time(time) => i128::from(time.0) * 100,
        other => panic!("{other}"),
    }
}

fn holds(op: Comparison, order: Ordering) -> bool {
    match op {
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    }
}

/// SQL's three values.
fn model(predicate: &Predicate, vectors: &[ArrayRef], row: usize) -> Option<bool> {
    let value = |column: &usize| cell(&vectors[*column], row);
    match predicate {
        Predicate::Constant(value) => Some(*value),
        Predicate::Compare { column, op, value: constant } => {
            order(&value(column), constant).map(|order| holds(*op, order))
        }
        Predicate::In { column, values, negated } => {
            let equal = values.iter().map(|constant| order(&value(column), constant).map(Ordering::is_eq));
            equal.fold(Some(false), or).map(|found| found != *negated)
        }
        Predicate::Null { column, negated } => Some((value(column) == Value::Null) != *negated),
        Predicate::Truth { column, value: wanted } => match value(column) {
            Value::Boolean(value) => Some(value == *wanted),
            _ => None,
        },
        Predicate::Like { column, pattern, negated, .. } => match value(column) {
            Value::Text(text) => Some(like(text.as_bytes(), pattern.as_bytes()) != *negated),
            _ => None,
        },
        Predicate::Collated { collation, pads, leaf } => {
            let column = leaf.columns()[0];
            let key = match value(&column) {
                Value::Text(text) => Some(collation.text_key(&text, *pads)),
                _ => None,
            };
            let mut keys = vectors.to_vec();
            keys[column] = Arc::new(StringViewArray::from(vec![key]));
            model(leaf, &keys, 0)
        }
        Predicate::And(parts) => {
            let negated = parts.iter().map(|part| model(part, vectors, row).map(|value| !value));
            negated.fold(Some(false), or).map(|value| !value)
        }
        Predicate::Or(parts) => parts.iter().map(|part| model(part, vectors, row)).fold(Some(false), or),
    }
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

fn like(text: &[u8], pattern: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'%', rest @ ..] => (0..=text.len()).any(|skip| like(&text[skip..], rest)),
        [first, rest @ ..] => text.first() == Some(first) && like(&text[1..], rest),
    }
}

/// A constant near the values of a column, now and then of another numeric type or out of its range.
fn constant(random: &mut Random, vector: &ArrayRef) -> Value {
    let data_type = vector.data_type();
    let number = matches!(data_type, DataType::Int8 | DataType::Int16)
        || matches!(data_type, DataType::Int32 | DataType::Int64 | DataType::UInt32)
        || matches!(data_type, DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..))
        || matches!(data_type, DataType::Float32 | DataType::Float64);
    if random.chance(4) {
        return Value::Null;
    }
    if number && random.chance(50) {
        let near = random.below(400) as i128 - 200;
        return match random.below(6) {
            0 => Value::Integer(near as i64),
            1 => Value::Decimal(Decimal::new(near, random.below(6) as u8)),
            2 => Value::Float(near as f64 / 100.0),
            3 => Value::Float([f64::NAN, f64::INFINITY, -1e300, -0.0][random.below(4) as usize]),
            4 => Value::Integer([i64::MIN, i64::MAX, i64::from(i32::MAX) + 1][random.below(3) as usize]),
            _ => Value::Decimal(Decimal::new(10i128.pow(37) * (near.signum() * 9), 2)),
        };
    }
    let own = match vector.len() {
        0 => Value::Null,
        rows => cell(vector, random.below(rows as u64) as usize),
    };
    match own {
        Value::Text(mut text) if random.chance(30) => {
            text.push('x');
            Value::Text(text)
        }
        // Between two that a column can store.
        Value::Timestamp(at) if random.chance(30) => Value::Timestamp(Timestamp(at.0.saturating_add(3))),
        Value::TimestampWithOffset { utc, .. } if random.chance(30) => {
            Value::TimestampWithOffset { utc: Timestamp(utc.0.saturating_sub(3)), offset_minutes: 90 }
        }
        Value::Uuid(mut uuid) if random.chance(30) => {
            uuid[15] ^= 1;
            Value::Uuid(uuid)
        }
        own => own,
    }
}

fn leaf(random: &mut Random, vectors: &[ArrayRef]) -> Predicate {
    let column = random.below(vectors.len() as u64) as usize;
    let vector = &vectors[column];
    let text = is_text(vector);
    let negated = random.chance(40);
    match random.below(10) {
        0 => Predicate::Null { column, negated },
        1..=3 => {
            let size = [0, 1, 3, 12][random.below(4) as usize];
            let values = (0..size).map(|_| constant(random, vector)).collect();
            Predicate::In { column, values, negated }
        }
        4 if text => {
            let pattern = ["%", "tag%", "%5", "%te%", "a%1%", "", "12"][random.below(7) as usize].to_string();
            Predicate::Like { column, pattern, escape: None, case_insensitive: false, negated }
        }
        5 if *vector.data_type() == DataType::Boolean => Predicate::Truth { column, value: negated },
        _ => {
            let op = OPS[random.below(6) as usize];
            Predicate::Compare { column, op, value: constant(random, vector) }
        }
    }
}

fn is_text(vector: &ArrayRef) -> bool {
    matches!(vector.data_type(), DataType::Dictionary(..) | DataType::Utf8View)
}

/// A leaf, or the same by the keys of a collation.
fn any_leaf(random: &mut Random, vectors: &[ArrayRef]) -> Predicate {
    let collation = Collation::CaseAccentInsensitive;
    match leaf(random, vectors) {
        leaf @ (Predicate::Compare { .. } | Predicate::In { .. } | Predicate::Like { .. })
            if is_text(&vectors[leaf.columns()[0]]) && random.chance(30) =>
        {
            Predicate::Collated { collation, pads: random.chance(50), leaf: Box::new(leaf) }
        }
        leaf => leaf,
    }
}

fn predicate(random: &mut Random, vectors: &[ArrayRef], depth: u64) -> Predicate {
    let parts = |random: &mut Random| {
        let count = random.below(4);
        (0..count).map(|_| predicate(random, vectors, depth - 1)).collect()
    };
    match random.below(10) {
        0..=2 if depth > 0 => Predicate::And(parts(random)),
        3..=4 if depth > 0 => Predicate::Or(parts(random)),
        5 if depth > 0 => predicate(random, vectors, depth - 1).negate(),
        6 if random.chance(10) => Predicate::Constant(random.chance(50)),
        _ => any_leaf(random, vectors),
    }
}

fn check(predicate: &Predicate, vectors: &Vec<ArrayRef>, rows: usize, seed: u64) {
    let selected = select(predicate, vectors, rows).unwrap();
    assert_eq!(selected.len(), rows);
    for row in 0..rows {
        let names: Vec<String> = vectors.iter().map(|vector| format!("{}", vector.data_type())).collect();
        let wanted = model(predicate, vectors, row) == Some(true);
        let values: Vec<Value> = predicate.columns().iter().map(|c| cell(&vectors[*c], row)).collect();
        assert_eq!(selected.value(row), wanted, "seed {seed}, row {row} {values:?}: {}", predicate.display(&names));
        let alone: Vec<ArrayRef> = vectors.iter().map(|vector| vector.slice(row, 1)).collect();
        let known = vector::holds(predicate, &alone).unwrap();
        assert!(known.is_none_or(|known| known == wanted), "seed {seed}, row {row} alone {values:?}");
    }
}

#[test]
fn every_leaf_on_every_type() {
    for seed in 0..40 {
        let mut random = Random(seed);
        for data_type in types() {
            let rows = LENGTHS[random.below(11) as usize];
            let (nulls, spread) = ([0, 20, 100][random.below(3) as usize], [3, 40, 400][random.below(3) as usize]);
            let vectors = vec![column(&mut random, &data_type, rows, nulls, spread)];
            for _ in 0..12 {
                check(&any_leaf(&mut random, &vectors), &vectors, rows, seed);
            }
        }
    }
}

#[test]
fn combinations_over_several_columns() {
    for seed in 0..150 {
        let mut random = Random(1000 + seed);
        let rows = LENGTHS[random.below(11) as usize];
        let all = types();
        let vectors: Vec<ArrayRef> = (0..4)
            .map(|_| {
                let data_type = &all[random.below(all.len() as u64) as usize];
                let nulls = [0, 20][random.below(2) as usize];
                column(&mut random, data_type, rows, nulls, 30)
            })
            .collect();
        for _ in 0..10 {
            check(&predicate(&mut random, &vectors, 3), &vectors, rows, 1000 + seed);
        }
    }
}

#[test]
fn types_that_do_not_fit_are_errors() {
    let mut random = Random(7);
    let vectors =
        vec![column(&mut random, &DataType::Int32, 3, 0, 5), column(&mut random, &DataType::Utf8View, 3, 0, 5)];
    let compare = |column, value| Predicate::Compare { column, op: Comparison::Equal, value };
    assert!(select(&compare(0, Value::Text("1".into())), &vectors, 3).is_err());
    assert!(select(&compare(1, Value::Integer(1)), &vectors, 3).is_err());
    assert!(select(&compare(2, Value::Integer(1)), &vectors, 3).is_err());
    assert!(select(&Predicate::Truth { column: 1, value: true }, &vectors, 3).is_err());
    assert!(select(&compare(0, Value::Integer(1)), &vectors, 4).is_err());
    let other: Vec<ArrayRef> = vec![
        column(&mut random, &DataType::FixedSizeBinary(16), 3, 0, 5),
        column(&mut random, &DataType::Time64(TimeUnit::Nanosecond), 3, 0, 5),
        Arc::new(IntervalYearMonthArray::from(vec![1, 2, 3])),
    ];
    let code = |column, value| select(&compare(column, value), &other, 3).unwrap_err().code();
    assert_eq!(code(0, Value::Text("x".into())), Code::TypeMismatch);
    assert_eq!(code(1, Value::Integer(1)), Code::TypeMismatch);
    assert_eq!(code(2, Value::Integer(1)), Code::Unsupported);
}
