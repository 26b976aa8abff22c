//! The cached rows: a run of records that follow each other in an order.

use crate::wire::messages::{Numbers, Page, Row};
use mainstay_workarea::OrderId;
use std::cell::Cell;
use std::collections::VecDeque;
use std::time::Instant;

/// Rows that are kept at most.
const MOST_ROWS: usize = 4000;
/// Bytes of rows that are kept at most.
const MOST_BYTES: usize = 2 << 20;

/// The contents of a page, and its place.
#[derive(Debug)]
pub(crate) struct Run {
    pub rows: VecDeque<Row>,
    /// The order in which the rows follow each other.
    pub order: Option<OrderId>,
    pub is_first: bool,
    pub is_last: bool,
    /// The state of the table that they are of.
    pub stamp: u64,
    /// When they were last known to be so.
    pub asked: Instant,
    /// The counts, and the row for which they were made.
    pub numbers: [Option<Numbers>; 3],
    pub numbered: u32,
    /// The place of the record that was asked for last.
    asked_for: Cell<usize>,
}

impl Run {
    pub fn empty() -> Run {
        Run {
            rows: VecDeque::new(),
            order: None,
            is_first: false,
            is_last: false,
            stamp: 0,
            asked: Instant::now(),
            numbers: [None; 3],
            numbered: 0,
            asked_for: Cell::new(0),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.rows.clear();
        (self.is_first, self.is_last) = (false, false);
        self.numbers = [None; 3];
    }

    /// The place of a record among the rows.
    pub fn place_of(&self, record: u32) -> Option<usize> {
        let is_at = |at: &usize| self.rows.get(*at).is_some_and(|row| row.record == record);
        // A walk asks for the record that it asked for last, or its neighbour.
        let last = self.asked_for.get();
        let near = [last, last.wrapping_add(1), last.wrapping_sub(1)].into_iter().find(is_at);
        let found = near.or_else(|| self.rows.iter().position(|row| row.record == record))?;
        self.asked_for.set(found);
        Some(found)
    }

    /// Takes a page in. One that follows the rows at hand, of the same state, is put behind or before them.
    pub fn take(&mut self, page: Page, order: Option<OrderId>, stamp: u64, current: u32, now: Instant) {
        let Page { rows, is_first, is_last, numbers, .. } = page;
        let joins = self.order == order && self.stamp == stamp && !self.rows.is_empty() && !rows.is_empty();
        // The rows overlap or touch where the new ones contain the last, or the first, of those at hand.
        let behind = self.rows.back().and_then(|last| rows.iter().position(|row| row.record == last.record));
        let before = self.rows.front().and_then(|first| rows.iter().position(|row| row.record == first.record));
        match (joins, behind, before) {
            (true, Some(last), None) => {
                self.rows.extend(rows.into_iter().skip(last + 1));
                self.is_last = is_last;
            }
            (true, None, Some(first)) => {
                rows.into_iter().take(first).rev().for_each(|row| self.rows.push_front(row));
                self.is_first = is_first;
            }
            _ => {
                self.rows = rows.into();
                (self.is_first, self.is_last) = (is_first, is_last);
            }
        }
        (self.order, self.stamp, self.asked) = (order, stamp, now);
        (self.numbers, self.numbered) = (numbers, current);
        self.shorten(current);
    }

    /// Drops what is far from the current record.
    fn shorten(&mut self, current: u32) {
        let length = self.rows.front().map_or(1, |row| row.bytes.len().max(1));
        let most = (MOST_BYTES / length).clamp(64, MOST_ROWS);
        let mut at = self.place_of(current).unwrap_or(0);
        while self.rows.len() > most {
            if at > self.rows.len() / 2 {
                self.rows.pop_front();
                self.is_first = false;
                at -= 1;
            } else {
                self.rows.pop_back();
                self.is_last = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(records: std::ops::Range<u32>, is_last: bool) -> Page {
        let rows = records.map(|record| Row { record, bytes: vec![0; 10], key: None }).collect();
        Page { rows, is_last, ..Page::default() }
    }

    #[test]
    fn pages_that_touch_are_joined_and_others_replace_them() {
        let mut run = Run::empty();
        let records = |run: &Run| run.rows.iter().map(|row| row.record).collect::<Vec<_>>();
        run.take(page(10..13, false), None, 1, 10, Instant::now());
        run.take(page(12..15, true), None, 1, 13, Instant::now());
        assert_eq!((records(&run), run.is_last), (vec![10, 11, 12, 13, 14], true));
        run.take(page(8..11, false), None, 1, 9, Instant::now());
        assert_eq!((records(&run), run.is_last), (vec![8, 9, 10, 11, 12, 13, 14], true));
        run.take(page(14..17, false), None, 2, 14, Instant::now());
        assert_eq!(records(&run), [14, 15, 16]);
        run.take(page(1..9000, false), None, 2, 4500, Instant::now());
        assert!(run.rows.len() == MOST_ROWS && run.place_of(4500).is_some());
    }
}
