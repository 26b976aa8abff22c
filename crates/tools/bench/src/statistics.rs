//! Repeated times and their statistics.
//!
//! A row is run at least `repeats` times. Rows that take microseconds go on until [`ENOUGH`] has been spent or
//! [`AT_MOST`] times the repeats are done, so that their median does not depend on five ticks of a clock; every run
//! counts, none is dropped. Verdicts use the median, because a shared machine delays single runs; minimum and maximum
//! are printed beside it.

use std::time::Duration;

/// Time after which a row has been run often enough, once the asked repeats are done.
pub const ENOUGH: Duration = Duration::from_millis(30);
/// The most runs of one row, as a multiple of the asked repeats.
pub const AT_MOST: usize = 1000;

/// The times of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    /// The fastest run.
    pub min: Duration,
    /// The middle run; with an even count the mean of the middle two.
    pub median: Duration,
    /// The slowest run.
    pub max: Duration,
    /// How many runs there were.
    pub runs: usize,
}

impl Statistics {
    /// Sums up the times of runs; `None` when there were none.
    pub fn of(times: &[Duration]) -> Option<Statistics> {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len().is_multiple_of(2) { (sorted[middle - 1] + sorted[middle]) / 2 } else { sorted[middle] };
        Some(Statistics { min, median, max, runs: sorted.len() })
    }
}

/// Returns true if a row needs another run after these.
pub fn wants_another(times: &[Duration], repeats: usize) -> bool {
    times.len() < repeats || (times.len() < repeats * AT_MOST && times.iter().sum::<Duration>() < ENOUGH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(values: &[u64]) -> Vec<Duration> {
        values.iter().map(|&value| Duration::from_micros(value)).collect()
    }

    #[test]
    fn the_median_is_the_middle_whatever_the_order() {
        let odd = Statistics::of(&us(&[9, 1, 5])).unwrap();
        assert_eq!((odd.min, odd.median, odd.max), (us(&[1])[0], us(&[5])[0], us(&[9])[0]));
        let even = Statistics::of(&us(&[8, 2, 4, 100])).unwrap();
        assert_eq!((even.median, even.runs), (us(&[6])[0], 4));
        assert_eq!(Statistics::of(&[]), None);
    }

    #[test]
    fn short_rows_run_more_often_and_long_ones_as_asked() {
        assert!(wants_another(&us(&[60_000; 4]), 5));
        assert!(!wants_another(&us(&[60_000; 5]), 5));
        assert!(wants_another(&us(&[10; 2_999]), 5));
        assert!(!wants_another(&us(&[10; 3_000]), 5));
        assert!(wants_another(&us(&[0; 4_999]), 5));
        assert!(!wants_another(&us(&[0; 5_000]), 5));
    }
}
