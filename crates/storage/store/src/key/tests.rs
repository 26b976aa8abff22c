//! The order of keys is the order of values: random values of every type, both directions, several columns.

use super::*;
use mainstay_types::{Code, Date, Decimal, Interval, TICKS_PER_DAY, Time, Timestamp, Value, ValueRef};
use std::cmp::Ordering;
use std::ops::Bound;

/// Pseudo-random numbers (SplitMix64, by Sebastiano Vigna).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Few and close together, or anywhere, of at most this many bits.
    fn whole(&mut self, bits: u32) -> i64 {
        match self.below(3) {
            0 => self.below(5) as i64 - 2,
            1 => [i64::MIN, i64::MAX][self.below(2)] >> (64 - bits),
            _ => self.next() as i64 >> (64 - bits),
        }
    }
}

const CI: Collation = Collation::CaseAccentInsensitive;

const TYPES: [SqlType; 25] = [
    SqlType::Boolean,
    SqlType::TinyInt,
    SqlType::SmallInt,
    SqlType::Integer,
    SqlType::BigInt,
    SqlType::Decimal { precision: 9, scale: 2 },
    SqlType::Decimal { precision: 18, scale: 0 },
    SqlType::Decimal { precision: 38, scale: 6 },
    SqlType::Money,
    SqlType::Real,
    SqlType::Double,
    SqlType::Char { length: 6, collation: Collation::Binary },
    SqlType::Char { length: 6, collation: CI },
    SqlType::VarChar { length: Some(9), collation: CI },
    SqlType::TEXT,
    SqlType::Binary { length: 5 },
    SqlType::VarBinary { length: None },
    SqlType::Date,
    SqlType::Time { digits: 7 },
    SqlType::Timestamp { digits: 0 },
    SqlType::Timestamp { digits: 7 },
    SqlType::TimestampWithOffset { digits: 3 },
    SqlType::IntervalYearMonth,
    SqlType::IntervalDayTime,
    SqlType::Uuid,
];

fn random_value(sql_type: SqlType, random: &mut Random) -> Value {
    match sql_type {
        SqlType::Boolean => Value::Boolean(random.below(2) == 1),
        SqlType::TinyInt => Value::Integer(random.whole(8)),
        SqlType::SmallInt => Value::Integer(random.whole(16)),
        SqlType::Integer => Value::Integer(random.whole(32)),
        SqlType::BigInt => Value::Integer(random.whole(64)),
        SqlType::Decimal { precision: 38, scale } => {
            Value::Decimal(Decimal::new(i128::from(random.whole(64)) * (1 + random.below(1 << 40) as i128), scale))
        }
        // Digits behind the point that are zeros, or fewer of them, make the same number.
        SqlType::Decimal { scale, .. } => Value::Decimal(match random.below(3) {
            0 => Decimal::new(i128::from(random.whole(8)) * 1000, scale + 3),
            1 => Decimal::new(i128::from(random.whole(8)), 0),
            _ => Decimal::new(i128::from(random.whole(29)), scale),
        }),
        SqlType::Money => Value::Decimal(Decimal::new(i128::from(random.whole(60)), 4)),
        SqlType::Real => Value::Float(f64::from(random_double(random) as f32)),
        SqlType::Double => Value::Float(random_double(random)),
        SqlType::Char { .. } | SqlType::VarChar { .. } => Value::Text(random_text(random)),
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => {
            let length = random.below(6);
            Value::Binary((0..length).map(|_| [0, 1, 2, 0xFE, 0xFF][random.below(5)]).collect())
        }
        SqlType::Date => Value::Date(Date(random.whole(22) as i32)),
        SqlType::Time { .. } => Value::Time(Time(random.whole(40).abs())),
        SqlType::Timestamp { .. } => Value::Timestamp(Timestamp(random.whole(64))),
        SqlType::TimestampWithOffset { .. } => {
            Value::TimestampWithOffset { utc: Timestamp(random.whole(64)), offset_minutes: random.whole(9) as i16 }
        }
        SqlType::IntervalYearMonth => Value::Interval(Interval::from_months(random.whole(32) as i32)),
        SqlType::IntervalDayTime => Value::Interval(Interval {
            months: 0,
            days: random.whole(32) as i32,
            ticks: random.whole(64) % TICKS_PER_DAY,
        }),
        SqlType::Uuid => {
            let [a, b] = [random.whole(64), random.whole(64)].map(i64::to_be_bytes);
            Value::Uuid([a, b].concat().try_into().unwrap())
        }
    }
}

fn random_double(random: &mut Random) -> f64 {
    match random.below(4) {
        0 => [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, -5e-324][random.below(8)],
        1 => random.whole(8) as f64 / 4.0,
        _ => f64::from_bits(random.next()),
    }
}

fn random_text(random: &mut Random) -> String {
    let letters = ['a', 'A', 'b', 'ä', ' ', ' ', 'z', '\u{1}', '\0', '€'];
    let length = random.below(6);
    (0..length).map(|_| letters[random.below(10)]).collect()
}

/// The order of two values of a column, written down without keys.
fn compare(column: KeyColumn, a: &Value, b: &Value) -> Ordering {
    let order = match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Boolean(a), Value::Boolean(b)) => a.cmp(b),
        (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
        (Value::Decimal(a), Value::Decimal(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())),
        (Value::Text(a), Value::Text(b)) => {
            let trimmed = |text: &String| {
                if column.trailing_blanks_count { text.len() } else { text.trim_end_matches(' ').len() }
            };
            column.sql_type.collation().unwrap_or_default().compare(&a[..trimmed(a)], &b[..trimmed(b)])
        }
        (Value::Binary(a), Value::Binary(b)) => match column.sql_type {
            SqlType::Binary { length } => {
                let mut padded = [a.clone(), b.clone()];
                padded.iter_mut().for_each(|bytes| bytes.resize(length as usize, 0));
                padded[0].cmp(&padded[1])
            }
            _ => a.cmp(b),
        },
        (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Time(a), Value::Time(b)) => a.cmp(b),
        (Value::Timestamp(a), Value::Timestamp(b)) => a.cmp(b),
        (Value::TimestampWithOffset { utc: a, .. }, Value::TimestampWithOffset { utc: b, .. }) => a.cmp(b),
        (Value::Interval(a), Value::Interval(b)) => (a.months, a.day_ticks()).cmp(&(b.months, b.day_ticks())),
        (Value::Uuid(a), Value::Uuid(b)) => a.cmp(b),
        _ => panic!("two kinds in a column: {a} {b}"),
    };
    if column.descending { order.reverse() } else { order }
}

fn random_column(random: &mut Random) -> KeyColumn {
    KeyColumn {
        sql_type: TYPES[random.below(TYPES.len())],
        nullable: random.below(2) == 1,
        descending: random.below(2) == 1,
        trailing_blanks_count: random.below(4) == 0,
        is_typed: false,
    }
}

fn random_row(columns: &[KeyColumn], random: &mut Random) -> Vec<Value> {
    let mut value = |column: &KeyColumn| match column.nullable && random.below(5) == 0 {
        true => Value::Null,
        false => random_value(column.sql_type, random),
    };
    columns.iter().map(&mut value).collect()
}

fn key(encoder: &KeyEncoder, row: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = encoder.start(&mut bytes);
    row.iter().for_each(|value| writer.push(value.as_ref()).unwrap());
    bytes
}

fn compare_rows(columns: &[KeyColumn], a: &[Value], b: &[Value]) -> Ordering {
    let orders = columns.iter().zip(a.iter().zip(b)).map(|(column, (a, b))| compare(*column, a, b));
    orders.fold(Ordering::Equal, Ordering::then)
}

/// Keys of random rows of these columns sort as the rows do, and are as wide as the encoder says.
fn check_order(columns: &[KeyColumn], random: &mut Random) {
    let encoder = KeyEncoder::new(columns, Uniqueness::Unique);
    let rows: Vec<Vec<Value>> = (0..60).map(|_| random_row(columns, random)).collect();
    let keys: Vec<Vec<u8>> = rows.iter().map(|row| key(&encoder, row)).collect();
    for (a, key_a) in rows.iter().zip(&keys) {
        assert!(encoder.width().is_none_or(|width| width == key_a.len()), "{columns:?} {a:?}");
        for (b, key_b) in rows.iter().zip(&keys) {
            assert_eq!(
                key_a.cmp(key_b),
                compare_rows(columns, a, b),
                "{columns:?}\n{a:?} {key_a:x?}\n{b:?} {key_b:x?}"
            );
            assert!(key_a == key_b || !key_b.starts_with(key_a), "{columns:?}: one key starts another");
        }
    }
}

#[test]
fn keys_of_every_type_sort_as_their_values() {
    let mut random = Random(1);
    for sql_type in TYPES {
        for descending in [false, true] {
            for trailing_blanks_count in [false, true] {
                for nullable in [false, true] {
                    check_order(
                        &[KeyColumn { sql_type, nullable, descending, trailing_blanks_count, is_typed: false }],
                        &mut random,
                    );
                }
            }
        }
    }
}

#[test]
fn keys_of_several_columns_sort_as_their_rows() {
    let mut random = Random(2);
    for _ in 0..300 {
        let count = 2 + random.below(3);
        let columns: Vec<KeyColumn> = (0..count).map(|_| random_column(&mut random)).collect();
        check_order(&columns, &mut random);
    }
}

#[test]
fn ranges_hold_what_their_conditions_say() {
    let mut random = Random(3);
    for _ in 0..400 {
        let columns: Vec<KeyColumn> = (0..3).map(|_| random_column(&mut random)).collect();
        let encoder = KeyEncoder::new(columns.as_slice(), Uniqueness::Unique);
        let rows: Vec<Vec<Value>> = (0..50).map(|_| random_row(&columns, &mut random)).collect();
        let pattern = &rows[0];
        let equal = random.below(3);
        let column = KeyColumn { descending: false, ..columns[equal] };
        let (low, high) = (rows[1][equal].clone(), rows[2][equal].clone());
        let mut bound = |value| [Bound::Unbounded, Bound::Included(value), Bound::Excluded(value)][random.below(3)];
        let (from, to) = (bound(low.as_ref()), bound(high.as_ref()));
        let values: Vec<ValueRef<'_>> = pattern[..equal].iter().map(Value::as_ref).collect();
        let range = encoder.range(&values, from, to).unwrap();
        for row in &rows {
            let key = key(&encoder, row);
            let inside = key >= range.low && range.high.as_ref().is_none_or(|high| key < *high);
            let value = &row[equal];
            let admits = |bound: Bound<ValueRef<'_>>, wanted: Ordering| match bound {
                Bound::Unbounded => true,
                Bound::Included(ValueRef::Null) | Bound::Excluded(ValueRef::Null) => false,
                _ if *value == Value::Null => false,
                Bound::Included(end) => compare(column, value, &end.to_value()) != wanted.reverse(),
                Bound::Excluded(end) => compare(column, value, &end.to_value()) == wanted,
            };
            let meets = compare_rows(&columns[..equal], row, pattern) == Ordering::Equal
                && admits(from, Ordering::Greater)
                && admits(to, Ordering::Less);
            assert_eq!(inside, meets, "{columns:?} {pattern:?} {equal} {from:?} {to:?} {row:?}");
        }
    }
}

#[test]
fn rows_tell_equal_keys_apart_where_they_may() {
    let columns = [KeyColumn::new(SqlType::Integer, true)];
    let whole = |uniqueness, value: Option<i64>, row| {
        let encoder = KeyEncoder::new(columns, uniqueness);
        let mut bytes = Vec::new();
        let mut key = encoder.start(&mut bytes);
        key.push(value.map_or(ValueRef::Null, ValueRef::Integer)).unwrap();
        key.finish(row);
        assert_eq!(Some(bytes.len()), encoder.width());
        bytes
    };
    for (uniqueness, values_differ, nulls_differ) in [
        (Uniqueness::Unique, false, false),
        (Uniqueness::UniqueUnlessNull, false, true),
        (Uniqueness::NotUnique, true, true),
    ] {
        assert_eq!(whole(uniqueness, Some(7), 1) != whole(uniqueness, Some(7), 2), values_differ);
        assert_eq!(whole(uniqueness, None, 1) != whole(uniqueness, None, 2), nulls_differ);
        assert!(whole(uniqueness, None, u64::MAX) < whole(uniqueness, Some(i64::from(i32::MIN)), 0));
    }
}

#[test]
fn integer_keys_have_the_widths_of_the_fast_shapes() {
    let width = |columns: &[KeyColumn], uniqueness| KeyEncoder::new(columns, uniqueness).width();
    let [integer, big] = [SqlType::Integer, SqlType::BigInt].map(|sql_type| KeyColumn::new(sql_type, false));
    assert_eq!(width(&[big], Uniqueness::Unique), Some(8));
    assert_eq!(width(&[integer, integer], Uniqueness::Unique), Some(8));
    assert_eq!(width(&[big], Uniqueness::NotUnique), Some(16));
    assert_eq!(width(&[KeyColumn::new(SqlType::Date, true)], Uniqueness::Unique), Some(5));
    assert_eq!(width(&[integer, KeyColumn::new(SqlType::TEXT, false)], Uniqueness::Unique), None);
}

#[test]
fn values_without_a_key_are_errors_that_leave_the_key_as_it_was() {
    let columns = [
        KeyColumn::new(SqlType::SmallInt, false).descending(),
        KeyColumn::new(SqlType::Decimal { precision: 9, scale: 2 }, true),
        KeyColumn::new(SqlType::TEXT, true),
    ];
    let encoder = KeyEncoder::new(columns, Uniqueness::Unique);
    let mut bytes = Vec::new();
    let mut writer = encoder.start(&mut bytes);
    let mut code = |value: ValueRef<'_>, good: ValueRef<'_>| {
        let before = writer.bytes().to_vec();
        let code = writer.push(value).unwrap_err().code();
        assert_eq!(writer.bytes(), before);
        writer.push(good).unwrap();
        code
    };
    let long = "x".repeat(MAX_KEY_BYTES);
    assert_eq!(code(ValueRef::Integer(40_000), ValueRef::Integer(1)), Code::InvalidValue);
    let cents = ValueRef::Decimal(Decimal::new(1234, 3));
    assert_eq!(code(cents, ValueRef::Integer(1)), Code::InvalidValue);
    assert_eq!(code(ValueRef::Text(&long), ValueRef::Null), Code::InvalidValue);
    assert_eq!(writer.push(ValueRef::Null).unwrap_err().code(), Code::Internal);
    let mut writer = encoder.start(&mut bytes);
    assert_eq!(writer.push(ValueRef::Null).unwrap_err().code(), Code::InvalidValue);
    assert_eq!(writer.push(ValueRef::Text("1")).unwrap_err().code(), Code::TypeMismatch);
    assert_eq!(writer.push(ValueRef::Float(1.0)).unwrap_err().code(), Code::TypeMismatch);
}

#[test]
fn blanks_that_do_not_count_do_not_make_a_key_too_long() {
    let encoder = KeyEncoder::new([KeyColumn::new(SqlType::TEXT, false)], Uniqueness::Unique);
    let padded = format!("a{}", " ".repeat(50_000));
    assert_eq!(key(&encoder, &[Value::Text(padded)]), b"a\0");
}

#[test]
fn the_successor_of_the_greatest_start_is_the_end() {
    let mut bytes = vec![1, 0xFF, 0xFF];
    assert!(successor(&mut bytes));
    assert_eq!(bytes, [2]);
    let mut bytes = vec![0xFF, 0xFF];
    assert!(!successor(&mut bytes));
}
