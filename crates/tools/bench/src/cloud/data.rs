//! The tables of the suite, made by formula, and the truth about them.
//!
//! ```text
//!   bench      id 1..n in order   name "row <id>"     amount a multiple of 0.25 below 2,500
//!   numbers    id 1..1000 n       value below 1,000,000
//!   sales      id 1..10 n, customer, product, amount ──> customers (n / 10, 10 regions)
//!                                                   └──> products  (n / 100, 8 categories)
//! ```
//!
//! Amounts are multiples of a quarter, so that their sums are exact in a double, in whatever order they are added.

use crate::answer::{Cell, Rows};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringViewArray};
use mainstay_types::{Code, Error, Result};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Rows of a batch when a large table is filled.
pub const BATCH_ROWS: usize = 10_000;

/// A row of the table `bench`.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// From 1 on.
    pub id: i64,
    /// Short enough to be kept without an allocation by those who can.
    pub name: String,
    /// A multiple of 0.25.
    pub amount: f64,
}

/// Sums over rows of `bench`: what is held against the truth when a row is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// How many.
    pub rows: u64,
    /// Of the ids.
    pub ids: i64,
    /// Of the bytes of the names.
    pub letters: u64,
    /// Of the amounts.
    pub amounts: f64,
}

impl Totals {
    /// Adds a row that was read.
    #[inline]
    pub fn add(&mut self, id: i64, name: &str, amount: f64) {
        self.rows += 1;
        self.ids = self.ids.wrapping_add(id);
        self.letters += name.len() as u64;
        self.amounts += amount;
    }

    /// The totals of reading these records so many times.
    pub fn of(records: &[Record], times: usize) -> Totals {
        let mut totals = Totals::default();
        records.iter().for_each(|record| totals.add(record.id, &record.name, record.amount));
        let times = times as u64;
        Totals {
            rows: totals.rows * times,
            ids: totals.ids * times as i64,
            letters: totals.letters * times,
            amounts: totals.amounts * times as f64,
        }
    }
}

/// A number that looks random and is the same every time.
fn scrambled(id: i64, salt: u64) -> u64 {
    let mut bits = (id as u64).wrapping_add(salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits ^ (bits >> 31)
}

/// The amount of the row with this id.
pub fn amount(id: i64) -> f64 {
    (scrambled(id, 1) % 10_000) as f64 / 4.0
}

/// The rows of `bench` with ids from 1 to `rows`.
pub fn records(rows: usize) -> Vec<Record> {
    (1..=rows as i64).map(|id| Record { id, name: format!("row {id}"), amount: amount(id) }).collect()
}

/// Every id once, in an order that looks random.
pub fn shuffled_ids(rows: usize) -> Vec<i64> {
    let mut ids: Vec<i64> = (1..=rows as i64).collect();
    ids.sort_by_key(|&id| scrambled(id, 2));
    ids
}

/// Rows of `bench` as a batch.
pub fn bench_batch(ids: Range<usize>) -> Result<RecordBatch> {
    let ids = ids.start as i64..ids.end as i64;
    let names: StringViewArray = ids.clone().map(|id| Some(format!("row {id}"))).collect();
    let amounts = Float64Array::from_iter_values(ids.clone().map(amount));
    batch([("id", integers(ids)), ("name", Arc::new(names)), ("amount", Arc::new(amounts))])
}

/// The ranges of ids, from 1 on, that are filled in as batches.
pub fn id_ranges(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (1..rows + 1).step_by(BATCH_ROWS).map(move |first| first..(first + BATCH_ROWS).min(rows + 1))
}

/// Rows of `numbers` as a batch.
pub fn numbers_batch(ids: Range<usize>) -> Result<RecordBatch> {
    let ids = ids.start as i64..ids.end as i64;
    batch([("id", integers(ids.clone())), ("value", integers(ids.map(number)))])
}

/// The sum over `numbers` of this many rows.
pub fn sum_of_numbers(rows: usize) -> i64 {
    (1..=rows as i64).map(number).sum()
}

fn number(id: i64) -> i64 {
    (scrambled(id, 3) % 1_000_000) as i64
}

/// The three tables of the join, each as one batch, by name.
pub fn join_batches(rows: usize) -> Result<Vec<(&'static str, RecordBatch)>> {
    let sizes = JoinSizes::of(rows);
    let sales = 1..=sizes.sales;
    let customers = sales.clone().map(|id| sizes.customer(id));
    let products = sales.clone().map(|id| sizes.product(id));
    let amounts = Float64Array::from_iter_values(sales.clone().map(amount));
    let texts = |ids: i64, text: fn(i64) -> String| -> ArrayRef {
        Arc::new((1..=ids).map(|id| Some(text(id))).collect::<StringViewArray>())
    };
    Ok(vec![
        (
            "sales",
            batch([
                ("id", integers(sales.clone())),
                ("customer", integers(customers)),
                ("product", integers(products)),
                ("amount", Arc::new(amounts)),
            ])?,
        ),
        ("customers", batch([("id", integers(1..=sizes.customers)), ("region", texts(sizes.customers, region))])?),
        ("products", batch([("id", integers(1..=sizes.products)), ("category", texts(sizes.products, category))])?),
    ])
}

/// The answer of the join: region, category, sales, sum of amounts, in the order of the first two.
pub fn join_answer(rows: usize) -> Rows {
    let sizes = JoinSizes::of(rows);
    let mut groups: BTreeMap<(String, String), (i64, f64)> = BTreeMap::new();
    for id in 1..=sizes.sales {
        let group = groups.entry((region(sizes.customer(id)), category(sizes.product(id)))).or_default();
        group.0 += 1;
        group.1 += amount(id);
    }
    let row = |((region, category), (count, sum)): ((String, String), (i64, f64))| {
        vec![Cell::text(region), Cell::text(category), Cell::whole(count), quarters(sum)]
    };
    groups.into_iter().map(row).collect()
}

/// An exact cell of a sum of amounts.
pub fn quarters(sum: f64) -> Cell {
    Cell::cents((sum * 100.0) as i128)
}

struct JoinSizes {
    sales: i64,
    customers: i64,
    products: i64,
}

impl JoinSizes {
    fn of(rows: usize) -> JoinSizes {
        let rows = rows as i64;
        JoinSizes { sales: rows * 10, customers: (rows / 10).max(1), products: (rows / 100).max(1) }
    }

    fn customer(&self, sale: i64) -> i64 {
        1 + (scrambled(sale, 4) % self.customers as u64) as i64
    }

    fn product(&self, sale: i64) -> i64 {
        1 + (scrambled(sale, 5) % self.products as u64) as i64
    }
}

fn region(customer: i64) -> String {
    format!("region {}", customer % 10)
}

fn category(product: i64) -> String {
    format!("category {}", product % 8)
}

fn integers(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

fn batch<const N: usize>(columns: [(&str, ArrayRef); N]) -> Result<RecordBatch> {
    RecordBatch::try_from_iter(columns).map_err(|error| Error::new(Code::Internal, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_amounts_are_exact_in_any_order() {
        let forth: f64 = (1..=100_000).map(amount).sum();
        let back: f64 = (1..=100_000).rev().map(amount).sum();
        assert_eq!(forth, back);
        assert_eq!(quarters(2.75), Cell::cents(275));
    }

    #[test]
    fn batches_hold_the_records_and_ids_come_once() {
        let ranges: Vec<_> = id_ranges(25_000).collect();
        assert_eq!(ranges, [1..10_001, 10_001..20_001, 20_001..25_001]);
        assert_eq!(bench_batch(1..101).unwrap().num_rows(), records(100).len());
        let mut ids = shuffled_ids(1_000);
        assert_ne!(ids, (1..=1_000).collect::<Vec<i64>>());
        ids.sort_unstable();
        assert_eq!(ids, (1..=1_000).collect::<Vec<i64>>());
    }

    #[test]
    fn every_sale_is_in_a_group() {
        let answer = join_answer(1_000);
        assert_eq!(answer.len(), 80, "10 regions with 8 categories each");
        let counts = answer.iter().map(|row| row[2].as_f64().unwrap());
        assert_eq!(counts.sum::<f64>(), 10_000.0);
        assert_eq!(join_batches(1_000).unwrap()[0].1.num_rows(), 10_000);
    }
}
