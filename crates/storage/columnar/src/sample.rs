//! Samples of a column: runs of rows from several places of a table, and the number of distinct values they indicate.
//!
//! The rows of a table are often in the order of a date or of a customer. Its first thousand rows then have three or four
//! values of that column, and a thousand rows picked one by one would each need a read of their own. So a sample is
//! eight runs of 128 consecutive rows:
//!
//! ```text
//!   row slots    |....####........####........####........####....|
//!   a key         every value is in one run                             -> as many values as rows
//!   a customer    few values in each run, each value in one run         -> as many as in a run, for all rows
//!   a status      the same few values in all runs                       -> these
//! ```
//!
//! Limits: deleted rows count. A run within one value indicates that runs of this length have one value each, so the number
//! for a column in its own order is at most a 128th of the rows but may be much larger than the true one. Where reading a
//! run decodes the column of a whole group, all runs are in the first group.

use crate::Snapshot;
use arrow_array::ArrayRef;
use mainstay_types::Result;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;

/// Runs of a sample.
const RUNS: usize = 8;
/// Rows of a run.
const RUN_ROWS: usize = 128;

/// Runs of rows of a column in its physical type, spread evenly over the table; all rows of a small table.
///
/// Errors: those of [`Snapshot::run`].
pub fn runs(snapshot: &dyn Snapshot, column: usize) -> Result<Vec<ArrayRef>> {
    if snapshot.groups() == 0 {
        return Ok(Vec::new());
    }
    let all = if snapshot.reads_runs() { 0..snapshot.slots() } else { snapshot.group(0) };
    let mut read = Vec::with_capacity(RUNS);
    for start in starts(&all) {
        let slots = within_group(snapshot, start..(start + RUN_ROWS).min(all.end));
        if !slots.is_empty() {
            let (vectors, _) = snapshot.run(slots, &[column])?;
            read.extend(vectors);
        }
    }
    Ok(read)
}

/// The first row slots of the runs.
fn starts(all: &Range<usize>) -> impl Iterator<Item = usize> {
    let step = (all.len() / RUNS).max(RUN_ROWS);
    let first = all.start;
    (0..RUNS.min(all.len().div_ceil(step))).map(move |run| first + run * step)
}

/// The slots of a run up to the end of the group in which it begins.
fn within_group(snapshot: &dyn Snapshot, slots: Range<usize>) -> Range<usize> {
    let (mut low, mut high) = (0, snapshot.groups());
    while low < high {
        let middle = low + (high - low) / 2;
        match snapshot.group(middle).end <= slots.start {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    let group = snapshot.group(low.min(snapshot.groups().saturating_sub(1)));
    slots.start.max(group.start)..slots.end.min(group.end)
}

/// The estimated number of distinct values of a column, from the distinct values of each run of a sample. `sampled` is the
/// number of rows of the sample, `rows` that of the table. `None` for an empty sample.
///
/// The estimator is Duj1 of Haas and Stokes (IBM Research Report RJ 10025, 1998), `n d / (n - f1 + f1 n / N)`, whose
/// observations are values of runs instead of rows: neighbouring rows are not independent. `n` is the sum of the distinct
/// values of all runs, `d` the number of distinct values, `f1` the number of values that are in one run only, and `n / N` the
/// share of the rows that the sample has.
pub fn distinct_values<T: Hash + Eq>(runs: &[HashSet<T>], sampled: usize, rows: usize) -> Option<usize> {
    let mut runs_of_value: HashMap<&T, usize> = HashMap::new();
    for value in runs.iter().flatten() {
        *runs_of_value.entry(value).or_default() += 1;
    }
    let distinct = runs_of_value.len();
    if distinct == 0 {
        return None;
    }
    let in_one_run = runs_of_value.values().filter(|&&runs| runs == 1).count() as f64;
    let observed = runs.iter().map(HashSet::len).sum::<usize>() as f64;
    let share = (sampled as f64 / rows.max(sampled) as f64).min(1.0);
    let estimate = observed * distinct as f64 / (observed - in_one_run + in_one_run * share);
    Some((estimate.round() as usize).clamp(distinct, rows.max(distinct)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The estimate for a table of which row `row` has the value `value(row)`.
    fn estimate(rows: usize, value: impl Fn(usize) -> usize) -> usize {
        let runs: Vec<Range<usize>> = starts(&(0..rows)).map(|start| start..(start + RUN_ROWS).min(rows)).collect();
        let sampled = runs.iter().map(|run| run.len()).sum();
        let values: Vec<HashSet<usize>> = runs.into_iter().map(|run| run.map(&value).collect()).collect();
        distinct_values(&values, sampled, rows).unwrap()
    }

    /// A number that looks random.
    fn mixed(row: usize) -> usize {
        let mixed = (row as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32) as usize
    }

    fn is_about(estimate: usize, expected: usize) -> bool {
        (expected * 4 / 5..=expected * 5 / 4).contains(&estimate)
    }

    #[test]
    fn runs_are_spread_and_cover_a_small_table() {
        let starts_of = |rows| starts(&(0..rows)).collect::<Vec<_>>();
        assert_eq!(starts_of(8_000), [0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000]);
        assert_eq!(starts_of(300), [0, 128, 256]);
        assert_eq!(starts_of(0), [0; 0]);
        assert_eq!(starts(&(64..192)).collect::<Vec<_>>(), [64]);
    }

    #[test]
    fn a_key_has_as_many_values_as_rows() {
        assert_eq!(estimate(1_000_000, |row| row), 1_000_000);
        assert_eq!(estimate(500, |row| row), 500);
    }

    #[test]
    fn a_column_in_the_order_of_the_table_has_more_values_than_its_sample() {
        let customers = estimate(1_000_000, |row| row / 10);
        assert!(is_about(customers, 100_000), "{customers}");
        let large = estimate(1_000_000, |row| row / 300);
        assert!((3_334..=1_000_000 / RUN_ROWS * 2).contains(&large), "{large}");
    }

    #[test]
    fn values_in_no_order_are_estimated_by_how_often_they_occur_again() {
        assert_eq!(estimate(1_000_000, |row| mixed(row) % 3), 3);
        let thousand = estimate(1_000_000, |row| mixed(row) % 1_000);
        assert!(is_about(thousand, 1_000), "{thousand}");
    }

    #[test]
    fn an_empty_sample_has_no_estimate() {
        assert_eq!(distinct_values::<u8>(&[], 0, 0), None);
    }
}
