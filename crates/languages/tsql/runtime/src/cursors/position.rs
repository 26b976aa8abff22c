//! The position of a cursor in its stored rows, as `sp_cursorfetch` moves it.
//!
//! A cursor stands on the rows that were fetched last: `first` is the first of them, counted from 1, `size` how many they
//! are. Before the first row `first` is 0, behind the last it is one more than there are rows. (SQL Server's reference,
//! "sp_cursorfetch", and ODBC's SQLFetchScroll for what it leaves open.)
//!
//! ```text
//!   rows      1 2 3 4 5 6 7        count 3
//!   First     ^---^                first 1, size 3
//!   Next            ^---^          first 4, size 3
//!   Next                  ^        first 7, size 1
//!   Next                    .      first 8, size 0: behind the last row
//!   Prior             ^---^        first 5, size 3
//! ```

use crate::cursors::calls::Fetch;
use std::ops::Range;

/// The place of a cursor in its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StaticCursor {
    rows: i64,
    first: i64,
    size: i64,
}

impl StaticCursor {
    /// Before the first of so many rows.
    pub(crate) fn new(rows: usize) -> StaticCursor {
        StaticCursor { rows: i64::try_from(rows).unwrap_or(i64::MAX), first: 0, size: 0 }
    }

    /// The number of the first row that was fetched last; 0 before the first row, one more than there are behind the last.
    pub(crate) fn position(&self) -> i64 {
        self.first
    }

    /// The position that [`Fetch::Information`] returns: as [`StaticCursor::position`], but -1 behind the last row,
    /// which jTDS waits for.
    pub(crate) fn said_position(&self) -> i64 {
        if self.first > self.rows { -1 } else { self.position() }
    }

    /// The rows that were fetched last, from 0.
    pub(crate) fn fetched(&self) -> Range<usize> {
        let start = usize::try_from(self.first - 1).unwrap_or(0);
        start..start + usize::try_from(self.size).unwrap_or(0)
    }

    /// A row has come behind the last.
    pub(crate) fn grow(&mut self) {
        self.rows = self.rows.saturating_add(1);
    }

    /// Moves, and gives the rows that are to be sent, from 0.
    pub(crate) fn fetch(&mut self, fetch: Fetch) -> Range<usize> {
        let (rows, first) = (self.rows, self.first);
        match fetch {
            Fetch::First { count } => self.stand(1, count),
            Fetch::Next { count } if first == 0 => self.stand(1, count),
            Fetch::Next { count } => self.stand(first + self.size, count),
            Fetch::Prior { count, adjusted } => self.before(count, adjusted),
            Fetch::Last { count } => self.stand((rows - i64::from(count.max(0)) + 1).max(1), count),
            Fetch::Absolute { row, count } if row >= 0 => self.stand(i64::from(row), count),
            Fetch::Absolute { row, count } => self.back_from_end(i64::from(row), count),
            Fetch::Relative { row, count } if first > rows => self.back_from_end(i64::from(row), count),
            Fetch::Relative { row, count } => self.stand((first + i64::from(row)).max(0), count),
            Fetch::Refresh => {}
            Fetch::Information => return 0..0,
        }
        self.fetched()
    }

    /// Moves to so many rows from one on; before or behind all of them for an empty result.
    fn stand(&mut self, first: i64, count: i32) {
        self.first = first.clamp(0, self.rows.saturating_add(1));
        let there = if self.first == 0 { 0 } else { self.rows + 1 - self.first };
        self.size = i64::from(count.max(0)).min(there);
    }

    /// Stands so many rows before the end: -1 is the last row.
    fn back_from_end(&mut self, row: i64, count: i32) {
        let first = self.rows + 1 + row;
        let reaches_over = first < 1 && -row <= i64::from(count);
        self.stand(if reaches_over { 1 } else { first.max(0) }, count);
    }

    fn before(&mut self, count: i32, adjusted: bool) {
        if self.first <= 1 {
            return self.stand(0, count);
        }
        let (first, last) = (self.first - i64::from(count.max(0)), self.first - 1);
        match (first < 1, adjusted) {
            (true, false) => self.stand(1, i32::try_from(last).unwrap_or(count)),
            _ => self.stand(first.max(1), count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_move_through_their_rows() {
        let mut cursor = StaticCursor::new(7);
        let count = 3;
        let steps = [
            (Fetch::Prior { count, adjusted: true }, 0..0, 0),
            (Fetch::Next { count }, 0..3, 1),
            (Fetch::Next { count }, 3..6, 4),
            (Fetch::Refresh, 3..6, 4),
            (Fetch::Information, 0..0, 4),
            (Fetch::Next { count }, 6..7, 7),
            (Fetch::Next { count }, 7..7, 8),
            (Fetch::Next { count }, 7..7, 8),
            (Fetch::Prior { count, adjusted: true }, 4..7, 5),
            (Fetch::Prior { count, adjusted: true }, 1..4, 2),
            (Fetch::Prior { count, adjusted: true }, 0..3, 1),
            (Fetch::Relative { row: 2, count: 1 }, 2..3, 3),
            (Fetch::Prior { count, adjusted: false }, 0..2, 1),
            (Fetch::Prior { count, adjusted: false }, 0..0, 0),
            (Fetch::Last { count: 2 }, 5..7, 6),
            (Fetch::Relative { row: -5, count: 1 }, 0..1, 1),
            (Fetch::Relative { row: -1, count: 1 }, 0..0, 0),
            (Fetch::Absolute { row: 4, count: 1 }, 3..4, 4),
            (Fetch::Absolute { row: -1, count }, 6..7, 7),
            (Fetch::Absolute { row: -9, count: 3 }, 0..0, 0),
            (Fetch::Absolute { row: -9, count: 10 }, 0..7, 1),
            (Fetch::Absolute { row: 0, count }, 0..0, 0),
            (Fetch::Absolute { row: 100, count }, 7..7, 8),
            (Fetch::Relative { row: -1, count }, 6..7, 7),
            (Fetch::First { count: 100 }, 0..7, 1),
        ];
        for (step, (fetch, rows, position)) in steps.into_iter().enumerate() {
            assert_eq!((cursor.fetch(fetch), cursor.position()), (rows, position), "step {step}: {fetch:?}");
            assert_eq!(cursor.said_position(), if position == 8 { -1 } else { position });
        }
    }

    #[test]
    fn anybodys_numbers_are_no_trouble() {
        let numbers = [i32::MIN, -1, 0, 1, 5, i32::MAX];
        for rows in [0, 1, 5] {
            let mut cursor = StaticCursor::new(rows);
            for (row, count) in numbers.into_iter().flat_map(|row| numbers.map(|count| (row, count))) {
                for fetch in [
                    Fetch::Absolute { row, count },
                    Fetch::Next { count },
                    Fetch::Relative { row, count },
                    Fetch::Prior { count, adjusted: row > 0 },
                    Fetch::Last { count },
                ] {
                    let fetched = cursor.fetch(fetch);
                    assert!(fetched.is_empty() || fetched.end <= rows, "{fetch:?} of {rows}: {fetched:?}");
                }
            }
        }
    }
}
