//! Random columns of every physical type, and the value of a row as the naive models see it.
#![allow(dead_code)]

use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::*;
use arrow_schema::{DataType, TimeUnit};
use mainstay_types::{Date, Decimal, Time, Timestamp, Value};
use std::sync::Arc;

/// A small generator, so that every failure can be repeated from its seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

pub fn types() -> Vec<DataType> {
    let dictionary = |codes| DataType::Dictionary(Box::new(codes), Box::new(DataType::Utf8View));
    vec![
        dictionary(DataType::UInt8),
        dictionary(DataType::UInt16),
        DataType::Utf8View,
        DataType::BinaryView,
        DataType::Decimal32(8, 2),
        DataType::Decimal64(16, 4),
        DataType::Decimal128(24, 3),
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt32,
        DataType::Float32,
        DataType::Float64,
        DataType::Date32,
        DataType::Timestamp(TimeUnit::Millisecond, None),
        DataType::Timestamp(TimeUnit::Microsecond, None),
        DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into())),
        DataType::Time32(TimeUnit::Millisecond),
        DataType::Time64(TimeUnit::Nanosecond),
        DataType::FixedSizeBinary(16),
        DataType::Boolean,
    ]
}

/// Lengths around the words of a bitmap.
pub const LENGTHS: [usize; 12] = [0, 1, 7, 63, 64, 65, 127, 128, 129, 191, 500, 3000];

fn text(random: &mut Random, spread: u64) -> String {
    let number = random.below(spread);
    match number % 5 {
        0 => format!("{number}"),
        1 => format!("tag{number:05}"),
        2 => format!("a text too long for its view, {number}"),
        3 => format!("a te{}", "é".repeat(number as usize % 9)),
        _ => String::new(),
    }
}

fn whole(random: &mut Random, spread: u64, extremes: &[i128]) -> i128 {
    match random.below(50) {
        0 if !extremes.is_empty() => extremes[random.below(extremes.len() as u64) as usize],
        _ => i128::from(random.below(spread)) - i128::from(spread / 2),
    }
}

fn double(random: &mut Random, spread: u64) -> f64 {
    const ODD: [f64; 8] = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, f64::NAN, -1e-300];
    if random.chance(10) { ODD[random.below(8) as usize] } else { random.below(spread) as f64 / 4.0 - 3.0 }
}

fn float(random: &mut Random, spread: u64) -> f32 {
    const ODD: [f32; 8] = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::EPSILON, f32::NAN, -0.5];
    if random.chance(10) { ODD[random.below(8) as usize] } else { random.below(spread) as f32 / 4.0 - 3.0 }
}

/// With bits on both sides of the middle, where bytes and signed integers order differently.
fn uuid(random: &mut Random, spread: u64) -> [u8; 16] {
    let mut uuid = [[0; 16], [0xFF; 16], [0x80; 16]][random.below(3) as usize];
    let number = random.below(spread);
    uuid[0] ^= number as u8;
    uuid[14..].copy_from_slice(&(number as u16).to_be_bytes());
    uuid
}

/// A column of this type, `nulls` percent NULL, with about `spread` distinct values, and not at offset 0.
pub fn column(random: &mut Random, data_type: &DataType, rows: usize, nulls: u64, spread: u64) -> ArrayRef {
    let offset = random.below(70) as usize;
    let all = rows + offset + random.below(5) as usize;
    macro_rules! primitive {
        ($type:ty, $native:ty, $extremes:expr) => {{
            let extremes: &[i128] = $extremes;
            let values = (0..all).map(|_| {
                let value = whole(random, spread, extremes) as $native;
                (!random.chance(nulls)).then_some(value)
            });
            Arc::new(values.collect::<PrimitiveArray<$type>>().with_data_type(data_type.clone())) as ArrayRef
        }};
    }
    let i32s = [i128::from(i32::MIN), i128::from(i32::MAX)];
    let i64s = [i128::from(i64::MIN), i128::from(i64::MAX)];
    let array: ArrayRef = match data_type {
        DataType::Dictionary(codes, _) => dictionary(random, **codes == DataType::UInt8, all, nulls, spread),
        DataType::Utf8View => {
            let mut builder = StringViewBuilder::new();
            (0..all).for_each(|_| builder.append_option((!random.chance(nulls)).then(|| text(random, spread))));
            Arc::new(builder.finish())
        }
        DataType::BinaryView => {
            let mut builder = BinaryViewBuilder::new();
            (0..all).for_each(|_| builder.append_option((!random.chance(nulls)).then(|| text(random, spread))));
            Arc::new(builder.finish())
        }
        DataType::Decimal32(..) => primitive!(Decimal32Type, i32, &[-99_999_999, 99_999_999]),
        DataType::Decimal64(..) => primitive!(Decimal64Type, i64, &[-9_999_999_999_999_999, 9_999_999_999_999_999]),
        DataType::Decimal128(..) => primitive!(Decimal128Type, i128, &[10i128.pow(24) - 1, 1 - 10i128.pow(24)]),
        DataType::Int8 => primitive!(Int8Type, i8, &[-128, 127]),
        DataType::Int16 => primitive!(Int16Type, i16, &[-32_768, 32_767]),
        DataType::Int32 => primitive!(Int32Type, i32, &i32s),
        DataType::Int64 => primitive!(Int64Type, i64, &i64s),
        DataType::UInt32 => primitive!(UInt32Type, u32, &[0, 4_294_967_295]),
        DataType::Date32 => primitive!(Date32Type, i32, &i32s),
        // The model counts them in ticks of 100 ns.
        DataType::Timestamp(TimeUnit::Millisecond, None) => {
            primitive!(TimestampMillisecondType, i64, &i64s.map(|limit| limit / 10_000))
        }
        DataType::Timestamp(..) => primitive!(TimestampMicrosecondType, i64, &i64s.map(|limit| limit / 10)),
        DataType::Time64(_) => {
            let ticks = (0..all).map(|_| whole(random, spread, &[0, 863_999_999_999]) as i64);
            let nanos: Vec<i64> = ticks.map(|ticks| ticks * 100).collect();
            let nanos = nanos.into_iter().map(|nanos| (!random.chance(nulls)).then_some(nanos));
            Arc::new(nanos.collect::<Time64NanosecondArray>())
        }
        DataType::FixedSizeBinary(_) => {
            let values = (0..all).map(|_| (!random.chance(nulls)).then(|| uuid(random, spread)));
            Arc::new(FixedSizeBinaryArray::try_from_sparse_iter_with_size(values, 16).unwrap())
        }
        DataType::Time32(_) => primitive!(Time32MillisecondType, i32, &[0, 86_399_999]),
        DataType::Float32 => {
            let values = (0..all).map(|_| (!random.chance(nulls)).then(|| float(random, spread)));
            Arc::new(values.collect::<Float32Array>())
        }
        DataType::Float64 => {
            let values = (0..all).map(|_| (!random.chance(nulls)).then(|| double(random, spread)));
            Arc::new(values.collect::<Float64Array>())
        }
        DataType::Boolean => {
            let values = (0..all).map(|_| (!random.chance(nulls)).then(|| random.chance(50)));
            Arc::new(values.collect::<BooleanArray>())
        }
        other => panic!("{other}"),
    };
    array.slice(offset, rows)
}

fn dictionary(random: &mut Random, narrow: bool, rows: usize, nulls: u64, spread: u64) -> ArrayRef {
    let size = if narrow { spread.min(256) } else { spread.min(3000) };
    let mut builder = StringViewBuilder::new();
    for code in 0..size {
        // Texts may repeat, and one may be NULL.
        let null = nulls > 0 && code == 3;
        builder.append_option((!null).then(|| text(random, spread)));
    }
    let texts: ArrayRef = Arc::new(builder.finish());
    let keys: Vec<Option<u64>> = (0..rows).map(|_| (!random.chance(nulls)).then(|| random.below(size))).collect();
    if narrow {
        let keys = keys.into_iter().map(|key| key.map(|key| key as u8)).collect::<UInt8Array>();
        Arc::new(DictionaryArray::<UInt8Type>::new(keys, texts))
    } else {
        let keys = keys.into_iter().map(|key| key.map(|key| key as u16)).collect::<UInt16Array>();
        Arc::new(DictionaryArray::<UInt16Type>::new(keys, texts))
    }
}

/// The value of a row, as the model of the tests sees it.
pub fn cell(array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Dictionary(codes, _) => {
            let code = match **codes {
                DataType::UInt8 => usize::from(array.as_dictionary::<UInt8Type>().keys().value(row)),
                _ => usize::from(array.as_dictionary::<UInt16Type>().keys().value(row)),
            };
            cell(array.as_any_dictionary().values(), code)
        }
        DataType::Utf8View => Value::Text(array.as_string_view().value(row).to_string()),
        DataType::BinaryView => Value::Binary(array.as_binary_view().value(row).to_vec()),
        DataType::Decimal32(_, s) => decimal(array.as_primitive::<Decimal32Type>().value(row).into(), *s),
        DataType::Decimal64(_, s) => decimal(array.as_primitive::<Decimal64Type>().value(row).into(), *s),
        DataType::Decimal128(_, s) => decimal(array.as_primitive::<Decimal128Type>().value(row), *s),
        DataType::Int8 => Value::Integer(array.as_primitive::<Int8Type>().value(row).into()),
        DataType::Int16 => Value::Integer(array.as_primitive::<Int16Type>().value(row).into()),
        DataType::Int32 => Value::Integer(array.as_primitive::<Int32Type>().value(row).into()),
        DataType::Int64 => Value::Integer(array.as_primitive::<Int64Type>().value(row)),
        DataType::UInt32 => Value::Integer(array.as_primitive::<UInt32Type>().value(row).into()),
        DataType::UInt64 => Value::Integer(array.as_primitive::<UInt64Type>().value(row) as i64),
        DataType::Float32 => Value::Float(array.as_primitive::<Float32Type>().value(row).into()),
        DataType::Float64 => Value::Float(array.as_primitive::<Float64Type>().value(row)),
        DataType::Date32 => Value::Date(Date(array.as_primitive::<Date32Type>().value(row))),
        DataType::Timestamp(TimeUnit::Millisecond, None) => {
            Value::Timestamp(Timestamp::from_ms(array.as_primitive::<TimestampMillisecondType>().value(row)).unwrap())
        }
        DataType::Timestamp(_, zone) => {
            let utc = Timestamp::from_us(array.as_primitive::<TimestampMicrosecondType>().value(row)).unwrap();
            match zone {
                Some(_) => Value::TimestampWithOffset { utc, offset_minutes: 0 },
                None => Value::Timestamp(utc),
            }
        }
        DataType::Time32(_) => {
            let ms = array.as_primitive::<Time32MillisecondType>().value(row);
            Value::Time(Time(i64::from(ms) * 10_000))
        }
        DataType::Time64(_) => Value::Time(Time(array.as_primitive::<Time64NanosecondType>().value(row) / 100)),
        DataType::FixedSizeBinary(_) => Value::Uuid(array.as_fixed_size_binary().value(row).try_into().unwrap()),
        DataType::Boolean => Value::Boolean(array.as_boolean().value(row)),
        other => panic!("{other}"),
    }
}

fn decimal(unscaled: i128, scale: i8) -> Value {
    Value::Decimal(Decimal::new(unscaled, scale as u8))
}

/// Two values of one column are the same: as `==`, but a NaN is itself, and 0.0 is not -0.0.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    }
}
