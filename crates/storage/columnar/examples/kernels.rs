//! Benchmark of the vector kernels on 100,000 rows, beside the times they have to reach.
//!
//! `cargo run --release --example kernels -p mainstay-columnar`

use arrow_array::types::{Decimal32Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, Decimal32Array, DictionaryArray, Float64Array, Int32Array, StringViewArray, UInt8Array,
};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;
use mainstay_columnar::predicate::{Comparison, Predicate};
use mainstay_columnar::vector::{
    Aggregate, Aggregator, Function, GroupColumn, SortKey, Top, Vectors, filter, gather, materialize, select,
    selected_rows,
};
use mainstay_types::{Decimal, Value};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const ROWS: usize = 100_000;
const TAG: usize = 0;
const AMOUNT: usize = 1;
const NAME: usize = 2;
const ID: usize = 3;
const PRICE: usize = 4;
const AMOUNT_OR_NULL: usize = 5;

fn main() {
    let vectors = table();
    let vectors = &vectors;
    println!("{:44} {:>9} {:>9}", "100,000 rows", "median us", "target us");
    selections(vectors);
    aggregates(vectors);
    let key = |column| SortKey { column, descending: false, nulls_first: false };
    for (name, keys, target) in [
        ("top 10 by Decimal32", vec![key(AMOUNT)], "40"),
        ("top 10 by text", vec![key(NAME)], "-"),
        ("top 10 by dictionary, Decimal32", vec![key(TAG), key(AMOUNT)], "-"),
    ] {
        time(name, target, || {
            let mut top = Top::new(keys.clone(), 10);
            top.update(0, vectors, ROWS, None).unwrap();
            top.finish()
        });
    }
    copies(vectors);
}

fn table() -> Vec<ArrayRef> {
    let mut seed = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed >> 11
    };
    let tags = (0..26u8).map(|i| std::str::from_utf8(&[b'A' + i; 4]).unwrap().to_string());
    let tags = Arc::new(StringViewArray::from_iter_values(tags));
    let codes = UInt8Array::from_iter_values((0..ROWS).map(|i| (i % 26) as u8));
    let amounts: Vec<i32> = (0..ROWS).map(|_| (random() % 100_000) as i32).collect();
    let names: Vec<String> = (0..ROWS).map(|_| format!("N{:07}", random() % 50_000)).collect();
    let prices: Vec<f64> = (0..ROWS).map(|_| random() as f64 / 1000.0).collect();
    let nullable = amounts.iter().map(|amount| (amount % 10 != 0).then_some(*amount));
    vec![
        Arc::new(DictionaryArray::<UInt8Type>::new(codes, tags)),
        Arc::new(Decimal32Array::from(amounts.clone()).with_precision_and_scale(8, 2).unwrap()),
        Arc::new(StringViewArray::from_iter_values(names)),
        Arc::new(Int32Array::from_iter_values(0..ROWS as i32)),
        Arc::new(Float64Array::from(prices)),
        Arc::new(nullable.collect::<Decimal32Array>().with_data_type(DataType::Decimal32(8, 2))),
    ]
}

fn time<T>(name: &str, target: &str, mut run: impl FnMut() -> T) {
    let mut times: Vec<f64> = (0..201)
        .map(|_| {
            let start = Instant::now();
            black_box(run());
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{name:44} {:9.1} {target:>9}", times[times.len() / 2]);
}

fn compare(column: usize, op: Comparison, value: Value) -> Predicate {
    Predicate::Compare { column, op, value }
}

fn between(column: usize, low: Value, high: Value) -> Predicate {
    let low = compare(column, Comparison::GreaterOrEqual, low);
    Predicate::And(vec![low, compare(column, Comparison::LessOrEqual, high)])
}

fn selections(vectors: &dyn Vectors) {
    let text = |text: &str| Value::Text(text.into());
    let cents = |cents| Value::Decimal(Decimal::new(cents, 2));
    let every_other = (0..26).step_by(2).map(|i| text(std::str::from_utf8(&[b'A' + i; 4]).unwrap())).collect();
    let rows = [
        ("dictionary = text", "10", compare(TAG, Comparison::Equal, text("CCCC"))),
        ("dictionary IN (13 of 26)", "-", Predicate::In { column: TAG, values: every_other, negated: false }),
        ("Decimal32 BETWEEN", "15", between(AMOUNT, cents(10_000), cents(50_000))),
        ("Decimal32 = Float64", "-", compare(AMOUNT, Comparison::Equal, Value::Float(123.45))),
        ("Float64 BETWEEN", "-", between(PRICE, Value::Float(10.0), Value::Float(1e9))),
        ("Utf8View = short text", "70", compare(NAME, Comparison::Equal, text("N0012345"))),
        ("Utf8View < text", "-", compare(NAME, Comparison::Less, text("N0012345"))),
        (
            "Utf8View LIKE '%12%'",
            "-",
            Predicate::Like {
                column: NAME,
                pattern: "%12%".into(),
                escape: None,
                case_insensitive: false,
                negated: false,
            },
        ),
    ];
    for (name, target, predicate) in rows {
        time(name, target, || select(&predicate, vectors, ROWS).unwrap());
    }
}

fn aggregates(vectors: &dyn Vectors) {
    let decimal = |precision, scale| DataType::Decimal128(precision, scale);
    let four = |column| {
        vec![
            Aggregate { function: Function::Sum, column, output: decimal(18, 2) },
            Aggregate { function: Function::Avg, column, output: decimal(12, 6) },
            Aggregate { function: Function::Min, column, output: decimal(8, 2) },
            Aggregate { function: Function::Max, column, output: decimal(8, 2) },
        ]
    };
    let count = vec![Aggregate { function: Function::Count, column: 0, output: DataType::Int64 }];
    let by = |column, output| vec![GroupColumn { column, output }];
    let tag = || by(TAG, DataType::Utf8View);
    let sum = four(AMOUNT)[..1].to_vec();
    let half = BooleanBuffer::collect_bool(ROWS, |i| i % 5 < 2);
    let rows = [
        ("SUM, AVG, MIN, MAX of Decimal32", "40", vec![], four(AMOUNT), None::<&BooleanBuffer>),
        ("the same, one in ten NULL", "-", vec![], four(AMOUNT_OR_NULL), None),
        ("the same, 40 % of the rows", "-", vec![], four(AMOUNT), Some(&half)),
        ("COUNT by dictionary", "40", tag(), count.clone(), None),
        ("COUNT by dictionary, 40 % of the rows", "-", tag(), count.clone(), Some(&half)),
        ("SUM of Decimal32 by dictionary", "120", tag(), sum.clone(), None),
        ("all four by dictionary", "-", tag(), four(AMOUNT), None),
        ("SUM by dictionary, one in ten NULL", "-", tag(), four(AMOUNT_OR_NULL)[..1].to_vec(), None),
        ("DISTINCT dictionary", "40", tag(), vec![], None),
        ("COUNT by text, 43,000 groups", "-", by(NAME, DataType::Utf8View), count.clone(), None),
        ("COUNT by Decimal32, 63,000 groups", "-", by(AMOUNT, decimal(8, 2)), count, None),
    ];
    for (name, target, group_by, aggregates, selection) in rows {
        time(name, target, || {
            let mut aggregator = Aggregator::new(group_by.clone(), aggregates.clone());
            let _ = black_box(aggregator.update(vectors, ROWS, selection).unwrap());
            aggregator.finish().unwrap()
        });
    }
}

fn copies(vectors: &[ArrayRef]) {
    let types = [DataType::Int32, DataType::Utf8View, DataType::Decimal128(8, 2)];
    let columns = [ID, TAG, AMOUNT];
    let selection = BooleanBuffer::collect_bool(ROWS, |i| i % 25 == 3);
    time("4,000 of three columns, by bitmap", "30", || {
        let rows = selected_rows(&selection);
        columns
            .iter()
            .zip(&types)
            .map(|(column, sql)| gather(&vectors[*column], &rows, sql).unwrap().len())
            .sum::<usize>()
    });
    time("the same, each column by itself", "-", || {
        columns.iter().zip(&types).map(|(c, sql)| filter(&vectors[*c], &selection, sql).unwrap().len()).sum::<usize>()
    });
    time("all of a dictionary", "-", || materialize(&vectors[TAG], &DataType::Utf8View).unwrap());
    time("all of a Decimal32", "-", || materialize(&vectors[AMOUNT], &types[2]).unwrap());
    assert!(vectors[AMOUNT].as_any().is::<arrow_array::PrimitiveArray<Decimal32Type>>());
}
