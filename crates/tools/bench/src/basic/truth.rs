//! The expected answers of the programs, calculated from the generator that both share.
//!
//! The generator is that of Park and Miller: the next number is 16807 times the last one, modulo 2^31 - 1. Every product is
//! below 10^14, so that it is exact in the decimals of the language.

use super::programs::Order;
use std::collections::{BTreeMap, BTreeSet};

/// The first number of the generator.
pub const SEED: u64 = 12_345;
/// Its factor.
pub const FACTOR: u64 = 16_807;
/// Its modulus.
pub const MODULUS: u64 = 2_147_483_647;
/// The modulus of checksums.
pub const CHECK_MODULUS: u64 = 1_000_000_007;

/// The record of 26 fields.
pub const FIELDS: [&str; 26] = [
    "C00417",
    "Harbour Bakery Ltd",
    "18 Quay Street",
    "2nd floor",
    "",
    "Old Port",
    "Northhaven",
    "NH",
    "Freeland",
    "+99 555 0101",
    "+99 555 0102",
    "Ada Brandt",
    "Rail",
    "bakery.example",
    "wholesale",
    "30",
    "days",
    "net",
    "white",
    "982.50",
    "17450.00",
    "88.25",
    "0",
    "3",
    "Flour",
    "Yeast",
];

/// Numbers of the generator.
struct Numbers(u64);

impl Iterator for Numbers {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0 * FACTOR % MODULUS;
        Some(self.0)
    }
}

/// How much each program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// READs of the record of 26 fields.
    pub reads: usize,
    /// WRITEs to memory.
    pub memory_writes: usize,
    /// WRITEs to the keyed file.
    pub writes: usize,
    /// Rows of the list box.
    pub list_rows: usize,
}

impl Sizes {
    /// The sizes of a run with this many writes to the keyed file; with 200,000 they are those of the published programs.
    pub fn of(rows: usize) -> Sizes {
        let part = |of_standard: usize| (rows * of_standard).div_ceil(super::STANDARD_ROWS);
        Sizes { reads: part(500_000), memory_writes: part(25_000), writes: rows, list_rows: part(32_768) }
    }
}

/// The output of the programs of the record of 26 fields: the number of READs, and the fields of the last one.
pub fn fields(reads: usize) -> Vec<String> {
    let mut lines = vec![reads.to_string()];
    lines.extend(FIELDS.map(str::to_owned));
    lines
}

/// The output of the program that writes to memory: the number of records, the first, the 1000th and the last key.
pub fn memory_keys(sizes: &Sizes) -> Vec<String> {
    let key = |number: u64| format!("{:04}{:04}", number % 10_000, number / 10_000 % 10_000);
    let keys: BTreeSet<String> = Numbers(SEED).take(sizes.memory_writes).map(key).collect();
    let place = |key: Option<&String>| key.cloned().unwrap_or_default();
    vec![keys.len().to_string(), place(keys.first()), place(keys.iter().nth(999)), place(keys.last())]
}

/// The rows of the list box.
pub fn list_rows(count: usize) -> Vec<String> {
    let row = |number: usize| format!("Order line {number} ").chars().cycle().take(120).collect();
    (1..=count).map(row).collect()
}

/// The records of the keyed file: lengths by key, and the keys in the order in which they came.
pub struct Sales {
    lengths: BTreeMap<u64, u64>,
    arrivals: Vec<u64>,
}

impl Sales {
    /// The records after so many writes.
    pub fn of(writes: usize) -> Sales {
        let mut sales = Sales { lengths: BTreeMap::new(), arrivals: Vec::new() };
        for number in Numbers(SEED).take(writes) {
            let key = number % 1_000_000;
            if sales.lengths.insert(key, 100 + number / 1_000_000 % 100).is_none() {
                sales.arrivals.push(key);
            }
        }
        sales
    }

    /// The number of records.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// A number that depends on the keys and lengths of all records, and on their order.
    pub fn checksum(&self, order: Order) -> u64 {
        let add = |sum: u64, key: &u64| (sum * 31 + key + self.lengths[key]) % CHECK_MODULUS;
        match order {
            Order::Key => self.lengths.keys().fold(0, add),
            Order::Physical => self.arrivals.iter().fold(0, add),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_that_of_its_authors() {
        // Park and Miller, Communications of the ACM 31 (1988): from 1, the 10,000th next number is 1043618065.
        assert_eq!(Numbers(1).nth(9_999), Some(1_043_618_065));
    }

    #[test]
    fn the_published_size_gives_about_as_many_records_as_were_published() {
        // 200,000 draws of 1,000,000 keys: 1,000,000 (1 - e^-0.2) = 181,269 are expected, with a deviation of about 140.
        let records = Sales::of(200_000).len();
        assert!(records.abs_diff(181_269) < 700, "{records}");
    }
}
