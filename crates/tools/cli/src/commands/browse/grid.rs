//! The cursor of BROWSE in the table, and the lines that show it.

use crate::output::table::{fit, thousands};
use unicode_width::UnicodeWidthStr;

/// The widest a column is shown.
const WIDEST: usize = 40;

/// The movement that a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Rows(i64),
    Pages(i64),
    Columns(i64),
    First,
    Last,
    Leave,
}

/// Rows that are at hand.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// The position of the first one in the table, from zero.
    pub(super) start: u64,
    /// True if the first column is the record number.
    pub(super) numbered: bool,
    /// The names of the columns, and whether they stand to the right.
    pub(super) heads: Vec<(String, bool)>,
    pub(super) rows: Vec<Vec<String>>,
}

/// A line of the screen.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) reversed: bool,
}

/// The table seen through the screen.
pub(super) struct Grid {
    name: String,
    total: u64,
    /// The row under the bar, from zero.
    current: u64,
    /// The row at the top of the screen.
    top: u64,
    /// The first column that moves sideways.
    left: usize,
    width: usize,
    height: usize,
    window: Window,
    widths: Vec<usize>,
}

impl Grid {
    pub(super) fn new(name: &str, total: u64, current: u64) -> Grid {
        let current = current.min(total.saturating_sub(1));
        Grid {
            name: name.to_owned(),
            total,
            current,
            top: current,
            left: 0,
            width: 80,
            height: 24,
            window: Window::default(),
            widths: Vec::new(),
        }
    }

    /// Rows between the header and the status line.
    fn page(&self) -> u64 {
        self.height.saturating_sub(2).max(1) as u64
    }

    pub(super) fn resize(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width, height);
        self.follow();
    }

    /// Where the window should start so that there are rows on both sides of the screen.
    pub(super) fn wanted(&self, rows: u64) -> u64 {
        self.top.saturating_sub(rows.saturating_sub(self.page()) / 2)
    }

    pub(super) fn set_window(&mut self, window: Window) {
        let head_width = |head: &(String, bool)| head.0.width();
        let mut widths: Vec<usize> = window.heads.iter().map(head_width).collect();
        for row in &window.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        self.widths = widths.into_iter().map(|width| width.clamp(1, WIDEST)).collect();
        let reached = window.start.saturating_add(window.rows.len() as u64);
        if window.rows.is_empty() || reached < self.last_visible().min(self.total) {
            // Another program has taken rows away.
            self.total = reached;
            self.current = self.current.min(reached.saturating_sub(1));
        }
        self.window = window;
        self.follow();
    }

    fn last_visible(&self) -> u64 {
        self.top.saturating_add(self.page()).min(self.total)
    }

    /// Returns true if the window holds everything that is on the screen.
    pub(super) fn has_visible_rows(&self) -> bool {
        let reached = self.window.start.saturating_add(self.window.rows.len() as u64);
        self.top >= self.window.start && self.last_visible() <= reached
    }

    pub(super) fn step(&mut self, step: Move) {
        let page = i64::try_from(self.page()).unwrap_or(i64::MAX);
        match step {
            Move::Rows(by) => self.go(by),
            Move::Pages(by) => self.turn(by.saturating_mul(page)),
            Move::First => self.current = 0,
            Move::Last => self.current = self.total.saturating_sub(1),
            Move::Columns(by) if by < 0 => self.left = self.left.saturating_sub(1),
            Move::Columns(_) => self.left = (self.left + 1).min(self.moving_columns().saturating_sub(1)),
            Move::Leave => {}
        }
        self.follow();
    }

    fn go(&mut self, by: i64) {
        self.current = self.current.saturating_add_signed(by).min(self.total.saturating_sub(1));
    }

    /// Moves the rows on the screen as far as the bar, which stays where it is on it; not beyond the last full screen.
    fn turn(&mut self, by: i64) {
        let last_top = self.total.saturating_sub(self.page()).max(self.top);
        self.top = self.top.saturating_add_signed(by).min(last_top);
        self.go(by);
    }

    fn moving_columns(&self) -> usize {
        self.widths.len().saturating_sub(usize::from(self.window.numbered))
    }

    /// Moves the screen so that the bar is on it.
    fn follow(&mut self) {
        let page = self.page();
        self.top = self.top.min(self.current).max(self.current.saturating_sub(page - 1));
    }

    fn row(&self, position: u64) -> Option<&Vec<String>> {
        let index = usize::try_from(position.checked_sub(self.window.start)?).ok()?;
        self.window.rows.get(index)
    }

    /// The number of the record under the bar.
    pub(super) fn record(&self) -> Option<u64> {
        if self.total == 0 {
            return None;
        }
        if !self.window.numbered {
            return Some(self.current + 1);
        }
        self.row(self.current)?.first()?.parse().ok()
    }

    /// The whole screen: the names, the rows, the status.
    pub(super) fn lines(&self) -> Vec<Line> {
        let names: Vec<String> = self.window.heads.iter().map(|head| head.0.clone()).collect();
        let mut lines = vec![Line { text: self.draw(&names), reversed: true }];
        for position in self.top..self.top.saturating_add(self.page()) {
            let text = self.row(position).map(|row| self.draw(row)).unwrap_or_default();
            lines.push(Line { text, reversed: position == self.current && position < self.total });
        }
        lines.push(Line { text: self.status(), reversed: true });
        lines
    }

    /// The cells that fit side by side; the record number stays at the left.
    fn draw(&self, cells: &[String]) -> String {
        let mut line = String::new();
        let mut room = self.width;
        let fixed = usize::from(self.window.numbered);
        for (index, cell) in cells.iter().enumerate() {
            let (Some(&width), Some(head)) = (self.widths.get(index), self.window.heads.get(index)) else { break };
            if index >= fixed && index < fixed + self.left {
                continue;
            }
            if room == 0 {
                break;
            }
            let width = width.min(room);
            fit::pad(cell, width, head.1, true, &mut line);
            room -= width;
            let gap = room.min(2);
            line.extend(std::iter::repeat_n(' ', gap));
            room -= gap;
        }
        line.extend(std::iter::repeat_n(' ', room));
        line
    }

    fn status(&self) -> String {
        let place = if self.total == 0 { 0 } else { self.current + 1 };
        let text = format!(
            "{}: row {} of {}   arrows PgUp PgDn Home End, q leaves",
            self.name,
            thousands(place),
            thousands(self.total)
        );
        let mut line = String::new();
        fit::pad(&text, self.width, false, true, &mut line);
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(start: u64, rows: u64) -> Window {
        let row = |number: u64| vec![(number + 1).to_string(), format!("name {number}"), "x".repeat(50)];
        Window {
            start,
            numbered: true,
            heads: vec![("Record#".into(), true), ("name".into(), false), ("note".into(), false)],
            rows: (start..start + rows).map(row).collect(),
        }
    }

    fn grid() -> Grid {
        let mut grid = Grid::new("customers", 1_000, 0);
        grid.resize(40, 12);
        grid.set_window(window(0, 512));
        grid
    }

    #[test]
    fn the_bar_stays_on_the_screen_and_in_the_table() {
        let mut grid = grid();
        for (step, record, top) in [
            (Move::Rows(-1), 1, 0),
            (Move::Rows(9), 10, 0),
            (Move::Rows(1), 11, 1),
            (Move::Pages(1), 21, 11),
            (Move::Pages(-1), 11, 1),
            (Move::First, 1, 0),
        ] {
            grid.step(step);
            assert_eq!((grid.record(), grid.top), (Some(record), top), "{step:?}");
        }
        grid.step(Move::Last);
        assert!(!grid.has_visible_rows());
        grid.set_window(window(grid.wanted(512), 265));
        assert!(grid.has_visible_rows());
        assert_eq!(grid.record(), Some(1_000));
    }

    #[test]
    fn a_page_down_shows_the_rows_that_follow() {
        let mut grid = grid();
        for (step, record, top) in [
            (Move::Pages(1), 11, 10),
            (Move::Pages(1), 21, 20),
            (Move::Rows(3), 24, 20),
            (Move::Pages(-1), 14, 10),
            (Move::Pages(-2), 1, 0),
            (Move::Pages(98), 981, 980),
            (Move::Pages(1), 991, 990),
            (Move::Pages(1), 1_000, 990),
            (Move::Pages(-1), 990, 980),
        ] {
            grid.step(step);
            grid.set_window(window(grid.wanted(512), 512.min(1_000 - grid.wanted(512))));
            assert_eq!((grid.record(), grid.top), (Some(record), top), "{step:?}");
        }
    }

    #[test]
    fn every_line_fills_the_screen_exactly() {
        let mut grid = grid();
        for width in [1, 7, 9, 40, 200] {
            grid.resize(width, 12);
            let lines = grid.lines();
            assert_eq!(lines.len(), 12);
            assert!(lines.iter().all(|line| line.text.width() == width), "{width}: {lines:?}");
        }
        grid.step(Move::Columns(1));
        assert!(!grid.lines()[0].text.contains("name"));
        assert!(grid.lines()[0].text.contains("Record#"));
    }

    #[test]
    fn a_table_that_shrank_or_is_empty_is_shown_as_it_is() {
        let mut grid = grid();
        grid.step(Move::Last);
        grid.set_window(window(488, 100));
        assert_eq!(grid.record(), Some(588));
        let mut empty = Grid::new("none", 0, 5);
        empty.set_window(Window::default());
        assert_eq!(empty.record(), None);
        assert!(empty.has_visible_rows());
        empty.step(Move::Pages(3));
        assert!(empty.lines().last().is_some_and(|line| line.text.contains("row 0 of 0")));
    }
}
