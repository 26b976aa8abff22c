//! Aggregates against a model that adds one row at a time.

mod common;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Float32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Decimal128Array, Float32Array, Int8Array, Int64Array};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, TimeUnit};
use common::{LENGTHS, Random, cell, column, same, types};
use mainstay_columnar::vector::aggregate::Progress;
use mainstay_columnar::vector::{Aggregate, Aggregator, Function, GroupColumn, Vectors, sql_type};
use mainstay_types::{Code, Value, rounded_quotient};
use std::sync::Arc;

const FUNCTIONS: [Function; 6] =
    [Function::Count, Function::CountColumn, Function::Sum, Function::Min, Function::Max, Function::Avg];

/// The type the planner gives a function of a column, `None` where SQL has no such function.
fn output(function: Function, physical: &DataType) -> Option<DataType> {
    let input = sql_type(physical)?;
    Some(match (function, &input) {
        (Function::Count | Function::CountColumn, _) => DataType::Int64,
        (Function::Min | Function::Max, input) => (*input).clone(),
        (Function::Sum, DataType::Decimal128(p, s)) => DataType::Decimal128(38.min(p + 10), *s),
        (Function::Avg, DataType::Decimal128(p, s)) => DataType::Decimal128(38.min(p + 4), 38.min(s + 4)),
        (Function::Sum, DataType::UInt32) => DataType::UInt64,
        (Function::Sum, DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64) => DataType::Int64,
        (Function::Sum | Function::Avg, DataType::Float32 | DataType::Float64) => DataType::Float64,
        (Function::Avg, DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 | DataType::UInt32) => {
            DataType::Float64
        }
        _ => return None,
    })
}

fn is_float(physical: &DataType) -> bool {
    matches!(physical, DataType::Float32 | DataType::Float64)
}

fn before(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => a < b,
        (Value::Binary(a), Value::Binary(b)) => a < b,
        (Value::Float(a), Value::Float(b)) => a.total_cmp(b).is_lt(),
        (Value::Boolean(a), Value::Boolean(b)) => a < b,
        (Value::Date(a), Value::Date(b)) => a < b,
        (Value::Time(a), Value::Time(b)) => a < b,
        (Value::Timestamp(a), Value::Timestamp(b)) => a < b,
        (Value::TimestampWithOffset { utc: a, .. }, Value::TimestampWithOffset { utc: b, .. }) => a < b,
        (Value::Uuid(a), Value::Uuid(b)) => a < b,
        (a, b) => a.as_decimal() < b.as_decimal(),
    }
}

/// One function over the values of one group, as a text; doubles rounded, since order changes them.
fn model(function: Function, values: &[Value], physical: &DataType) -> String {
    let present: Vec<&Value> = values.iter().filter(|value| **value != Value::Null).collect();
    let least = |smaller: fn(&Value, &Value) -> bool| {
        present.iter().copied().reduce(|a, b| if smaller(b, a) { b } else { a }).cloned().unwrap_or(Value::Null)
    };
    let unscaled = |value: &Value| match value {
        Value::Decimal(decimal) => decimal.unscaled,
        other => other.as_decimal().unwrap().unscaled,
    };
    match function {
        Function::Count => return values.len().to_string(),
        Function::CountColumn => return present.len().to_string(),
        _ if present.is_empty() => return "NULL".into(),
        Function::Min => return show(&least(before)),
        Function::Max => return show(&least(|a, b| before(b, a))),
        Function::Sum | Function::Avg => {}
    }
    if is_float(physical) {
        let sum = present.iter().fold(0.0, |sum, value| sum + value.as_f64().unwrap());
        let double = if function == Function::Sum { sum } else { sum / present.len() as f64 };
        return show_double(double);
    }
    let sum = present.iter().fold(0i128, |sum, value| sum.wrapping_add(unscaled(value)));
    match (function, output(function, physical).unwrap()) {
        (Function::Sum, DataType::Decimal128(..)) => sum.to_string(),
        (Function::Sum, _) => i64::try_from(sum).map_or(OUT_OF_RANGE.to_owned(), |sum| sum.to_string()),
        (_, DataType::Float64) => show_double(sum as f64 / present.len() as f64),
        _ => rounded_quotient(sum * 10_000, present.len() as i128).unwrap().to_string(),
    }
}

/// The model's result for a sum of whole numbers that exceeds 64 bits.
const OUT_OF_RANGE: &str = "out of range";

fn show_double(value: f64) -> String {
    if value.is_nan() { "NaN".into() } else { format!("{value:.9e}") }
}

/// A value as the model shows it: decimals by their digits.
fn show(value: &Value) -> String {
    match value {
        Value::Decimal(decimal) => decimal.unscaled.to_string(),
        Value::Float(double) => show_double(*double),
        other => format!("{other:?}").replace("Integer(", "").trim_end_matches(')').to_string(),
    }
}

fn result(array: &ArrayRef, row: usize) -> String {
    show(&cell(array, row))
}

fn shown_model(text: String) -> String {
    if text == "NULL" { show(&Value::Null) } else { text }
}

fn run(seed: u64, group_columns: usize) {
    let mut random = Random(seed);
    let all = types();
    let kinds: Vec<DataType> = (0..4).map(|_| all[random.below(all.len() as u64) as usize].clone()).collect();
    let of = |column: usize| kinds[column].clone();
    let group_by: Vec<GroupColumn> =
        (0..group_columns).map(|column| GroupColumn { column, output: sql_type(&kinds[column]).unwrap() }).collect();
    let mut aggregates = Vec::new();
    for _ in 0..random.below(6) {
        let (function, column) = (FUNCTIONS[random.below(6) as usize], random.below(4) as usize);
        if let Some(output) = output(function, &kinds[column]) {
            aggregates.push(Aggregate { function, column, output });
        }
    }
    let supported = Aggregator::supports(&group_by, &aggregates, &of);
    assert_eq!(supported, !kinds[..group_columns].iter().any(is_float), "{group_by:?} {aggregates:?}");
    if !supported {
        return;
    }
    let mut aggregator = Aggregator::new(group_by, aggregates.clone());
    let mut groups: Vec<(Vec<Value>, Vec<Vec<Value>>)> = Vec::new();
    if group_columns == 0 {
        groups.push((Vec::new(), vec![Vec::new(); 4]));
    }
    let (nulls, spread) = ([0, 10, 100][random.below(3) as usize], [2, 9, 60][random.below(3) as usize]);
    for _ in 0..3 {
        let rows = LENGTHS[random.below(11) as usize];
        let vectors: Vec<ArrayRef> = kinds.iter().map(|kind| column(&mut random, kind, rows, nulls, spread)).collect();
        let selection = random.chance(50).then(|| BooleanBuffer::collect_bool(rows, |_| random.chance(60)));
        if group_columns == 0 && seed % 2 == 1 {
            // As several threads do it.
            let mut part = Aggregator::new(Vec::new(), aggregates.clone());
            assert_eq!(part.update(&vectors, rows, selection.as_ref()).unwrap(), Progress::Done);
            aggregator.absorb(&part);
        } else {
            assert_eq!(aggregator.update(&vectors, rows, selection.as_ref()).unwrap(), Progress::Done);
        }
        for row in (0..rows).filter(|row| selection.as_ref().is_none_or(|bits| bits.value(*row))) {
            let cells: Vec<Value> = vectors.iter().map(|vector| cell(vector, row)).collect();
            let key = &cells[..group_columns];
            let at = groups.iter().position(|(group, _)| group == key).unwrap_or_else(|| {
                groups.push((key.to_vec(), vec![Vec::new(); 4]));
                groups.len() - 1
            });
            groups[at].1.iter_mut().zip(cells).for_each(|(values, cell)| values.push(cell));
        }
    }
    let is_out_of_range = |(_, values): &(Vec<Value>, Vec<Vec<Value>>)| {
        let model =
            |aggregate: &Aggregate| model(aggregate.function, &values[aggregate.column], &kinds[aggregate.column]);
        aggregates.iter().any(|aggregate| model(aggregate) == OUT_OF_RANGE)
    };
    if groups.iter().any(is_out_of_range) {
        assert_eq!(aggregator.finish().unwrap_err().code(), Code::InvalidValue, "seed {seed}");
        return;
    }
    let results = aggregator.finish().unwrap();
    assert_eq!(results.len(), group_columns + aggregates.len());
    for (i, array) in results.iter().enumerate() {
        assert_eq!(array.len(), groups.len(), "seed {seed}");
        for (row, (key, values)) in groups.iter().enumerate() {
            if i < group_columns {
                assert!(same(&cell(array, row), &key[i]), "seed {seed}, group {row}");
                continue;
            }
            let Aggregate { function, column, output } = &aggregates[i - group_columns];
            assert_eq!(array.data_type(), output);
            let wanted = shown_model(model(*function, &values[*column], &kinds[*column]));
            assert_eq!(result(array, row), wanted, "seed {seed}, group {key:?}, {function:?} of {}", kinds[*column]);
        }
    }
}

#[test]
fn all_rows() {
    (0..300).for_each(|seed| run(seed, 0));
}

#[test]
fn by_one_column() {
    (1000..1400).for_each(|seed| run(seed, 1));
}

#[test]
fn by_two_and_three_columns() {
    (2000..2250).for_each(|seed| run(seed, 2));
    (3000..3150).for_each(|seed| run(seed, 3));
}

fn one(function: Function, array: ArrayRef, output: DataType) -> mainstay_types::Result<ArrayRef> {
    let mut aggregator = Aggregator::new(vec![], vec![Aggregate { function, column: 0, output }]);
    let rows = array.len();
    let _ = aggregator.update(&vec![array] as &dyn Vectors, rows, None)?;
    Ok(aggregator.finish()?.remove(0))
}

#[test]
fn sums_and_averages_that_do_not_fit_fail() {
    let numbers = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
    let error = one(Function::Sum, numbers(vec![i64::MAX, 1]), DataType::Int64).unwrap_err();
    assert_eq!(error.code(), Code::InvalidValue);
    // Only what comes out counts, not the sums on the way to it.
    let sum = one(Function::Sum, numbers(vec![i64::MAX, 1, -2]), DataType::Int64).unwrap();
    assert_eq!(sum.as_primitive::<Int64Type>().value(0), i64::MAX - 1);
    let decimals = |values: Vec<i128>| {
        Arc::new(Decimal128Array::from(values).with_precision_and_scale(25, 0).unwrap()) as ArrayRef
    };
    let average = one(Function::Avg, decimals(vec![-10, -10, -12]), DataType::Decimal128(29, 4)).unwrap();
    assert_eq!(average.as_primitive::<Decimal128Type>().value(0), -106_667);
    let error = one(Function::Avg, decimals(vec![10i128.pow(24); 3]), DataType::Decimal128(25, 4)).unwrap_err();
    assert_eq!(error.code(), Code::InvalidValue);
}

#[test]
fn sums_of_decimals_have_as_many_digits_as_their_type() {
    let most = 10i128.pow(38) - 1;
    let decimals = |values: &[i128]| {
        let values = Decimal128Array::from(values.to_vec()).with_precision_and_scale(38, 0).unwrap();
        Arc::new(values) as ArrayRef
    };
    let sum = |values: &[i128]| one(Function::Sum, decimals(values), DataType::Decimal128(38, 0));
    for values in [&[most, 1] as &[i128], &[most; 2], &[most; 4], &[-most; 3], &[most; 200]] {
        assert_eq!(sum(values).unwrap_err().code(), Code::InvalidValue, "{values:?}");
    }
    // Here too only what comes out counts, though the way to it leads beyond 128 bits.
    let back = [most, most, most, -most, -most];
    assert_eq!(sum(&back).unwrap().as_primitive::<Decimal128Type>().value(0), most);
    let keys: ArrayRef = Arc::new(Int8Array::from(vec![1, 2, 1, 2, 1]));
    let by_key = |values: &[i128]| {
        let groups = vec![GroupColumn { column: 0, output: DataType::Int8 }];
        let sum = Aggregate { function: Function::Sum, column: 1, output: DataType::Decimal128(38, 0) };
        let mut aggregator = Aggregator::new(groups, vec![sum]);
        let vectors = vec![Arc::clone(&keys), decimals(values)];
        let _ = aggregator.update(&vectors as &dyn Vectors, values.len(), None).unwrap();
        aggregator.finish().map(|columns| columns[1].as_primitive::<Decimal128Type>().values().to_vec())
    };
    assert_eq!(by_key(&[most, 1, most, 2, -most]).unwrap(), [most, 3]);
    assert_eq!(by_key(&[most, 1, most, 2, most]).unwrap_err().code(), Code::InvalidValue);
    // Portions that threads have summed up.
    let part = |values: &[i128]| {
        let aggregate = Aggregate { function: Function::Sum, column: 0, output: DataType::Decimal128(38, 0) };
        let mut part = Aggregator::new(vec![], vec![aggregate]);
        let _ = part.update(&vec![decimals(values)] as &dyn Vectors, values.len(), None).unwrap();
        part
    };
    let mut whole = part(&[most, most]);
    whole.absorb(&part(&[most, -most]));
    whole.absorb(&part(&[-most]));
    assert_eq!(whole.finish().unwrap()[0].as_primitive::<Decimal128Type>().value(0), most);
}

#[test]
fn small_numbers_are_summed_in_large_ones() {
    let bytes: ArrayRef = Arc::new(Int8Array::from(vec![i8::MAX; 300]));
    let sum = one(Function::Sum, bytes, DataType::Int64).unwrap();
    assert_eq!(sum.as_primitive::<Int64Type>().value(0), 38_100);
    let floats: ArrayRef = Arc::new(Float32Array::from(vec![f32::MAX, f32::MAX, 0.1]));
    let sum = one(Function::Sum, floats.clone(), DataType::Float64).unwrap();
    assert_eq!(sum.as_primitive::<Float64Type>().value(0), f64::from(f32::MAX) * 2.0 + f64::from(0.1f32));
    let least = one(Function::Min, floats, DataType::Float32).unwrap();
    assert_eq!(least.as_primitive::<Float32Type>().value(0), 0.1);
}

#[test]
fn what_has_no_sum_is_not_supported() {
    let uuid = DataType::FixedSizeBinary(16);
    let zoned = DataType::Timestamp(TimeUnit::Microsecond, Some("+00:00".into()));
    for physical in [uuid.clone(), zoned, DataType::Time64(TimeUnit::Nanosecond)] {
        for function in [Function::Sum, Function::Avg] {
            for output in [DataType::Int64, DataType::Float64, physical.clone()] {
                let aggregate = Aggregate { function, column: 0, output };
                assert!(!Aggregator::supports(&[], &[aggregate], &|_| physical.clone()), "{function:?} {physical}");
            }
        }
    }
    let other_size = DataType::FixedSizeBinary(15);
    let least = Aggregate { function: Function::Min, column: 0, output: other_size.clone() };
    assert!(!Aggregator::supports(&[], &[least], &|_| other_size.clone()));
}

#[test]
fn no_rows_at_all() {
    let of = |function, output| {
        let aggregates = vec![Aggregate { function, column: 0, output }];
        Aggregator::new(vec![], aggregates).finish().unwrap().remove(0)
    };
    assert_eq!(of(Function::Count, DataType::Int64).as_primitive::<Int64Type>().value(0), 0);
    assert!(of(Function::Sum, DataType::Decimal128(18, 2)).is_null(0));
    assert!(of(Function::Avg, DataType::Float64).is_null(0));
    assert!(of(Function::Min, DataType::Utf8View).is_null(0));
}

#[test]
fn too_many_groups_are_reported() {
    let group_by = vec![GroupColumn { column: 0, output: DataType::Int64 }];
    let mut aggregator = Aggregator::new(group_by, vec![]).with_limit(100);
    let vectors = |rows| vec![Arc::new(Int64Array::from_iter_values(0..rows)) as ArrayRef];
    assert_eq!(aggregator.update(&vectors(100), 100, None).unwrap(), Progress::Done);
    assert_eq!(aggregator.update(&vectors(101), 101, None).unwrap(), Progress::TooManyGroups);
}
