//! A grid of cells and the operations that move, clear and scroll parts of it.
//!
//! Coordinates start at 0 and are clamped: an operation never reaches outside the grid. The grid notes which rows have
//! changed, so that composing windows and drawing touch those alone.

use crate::cell::{Cell, Style};

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// The first column.
    pub column: u16,
    /// The first row.
    pub row: u16,
    /// The number of columns.
    pub columns: u16,
    /// The number of rows.
    pub rows: u16,
}

impl Region {
    /// A rectangle at the origin.
    pub fn sized(columns: u16, rows: u16) -> Region {
        Region { column: 0, row: 0, columns, rows }
    }

    /// The column behind the last one.
    pub fn right(self) -> u16 {
        self.column.saturating_add(self.columns)
    }

    /// The row behind the last one.
    pub fn bottom(self) -> u16 {
        self.row.saturating_add(self.rows)
    }

    /// True if two rectangles have a cell in common.
    pub fn overlaps(self, other: Region) -> bool {
        self.column < other.right()
            && other.column < self.right()
            && self.row < other.bottom()
            && other.row < self.bottom()
    }

    /// The part of this rectangle inside `other`.
    pub fn clamped(self, other: Region) -> Region {
        let column = self.column.clamp(other.column, other.right());
        let row = self.row.clamp(other.row, other.bottom());
        Region {
            column,
            row,
            columns: self.right().min(other.right()).saturating_sub(column),
            rows: self.bottom().min(other.bottom()).saturating_sub(row),
        }
    }
}

/// Rectangles that do not overlap and have the cells of the given ones: spans of columns, each as many rows high as it stays the same.
pub fn union(regions: &[Region]) -> Vec<Region> {
    let mut edges: Vec<u16> = regions.iter().flat_map(|region| [region.row, region.bottom()]).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut parts: Vec<Region> = Vec::new();
    for band in edges.windows(2) {
        let &[top, bottom] = band else { continue };
        let inside = |region: &&Region| region.row <= top && bottom <= region.bottom() && region.columns > 0;
        let mut spans: Vec<(u16, u16)> =
            regions.iter().filter(inside).map(|region| (region.column, region.right())).collect();
        spans.sort_unstable();
        let mut merged: Vec<(u16, u16)> = Vec::new();
        for (left, right) in spans {
            match merged.last_mut().filter(|last| left <= last.1) {
                Some(last) => last.1 = last.1.max(right),
                None => merged.push((left, right)),
            }
        }
        for (left, right) in merged {
            let columns = right - left;
            let same = |part: &&mut Region| part.column == left && part.columns == columns && part.bottom() == top;
            match parts.iter_mut().find(same) {
                Some(part) => part.rows += bottom - top,
                None => parts.push(Region { column: left, row: top, columns, rows: bottom - top }),
            }
        }
    }
    parts
}

/// A grid of cells.
#[derive(Clone, Debug)]
pub struct Plane {
    columns: u16,
    rows: u16,
    cells: Vec<Cell>,
    changed: Vec<bool>,
}

impl Plane {
    /// A blank grid; every row counts as changed.
    pub fn new(columns: u16, rows: u16) -> Plane {
        let count = usize::from(columns) * usize::from(rows);
        Plane { columns, rows, cells: vec![Cell::default(); count], changed: vec![true; usize::from(rows)] }
    }

    /// The number of columns.
    pub fn columns(&self) -> u16 {
        self.columns
    }

    /// The number of rows.
    pub fn rows(&self) -> u16 {
        self.rows
    }

    /// The whole grid.
    pub fn region(&self) -> Region {
        Region::sized(self.columns, self.rows)
    }

    /// The cells of a row; none outside the grid.
    pub fn row(&self, row: u16) -> &[Cell] {
        let from = usize::from(row) * usize::from(self.columns);
        self.cells.get(from..from + usize::from(self.columns)).unwrap_or_default()
    }

    fn row_mut(&mut self, row: u16) -> &mut [Cell] {
        let from = usize::from(row) * usize::from(self.columns);
        if let Some(changed) = self.changed.get_mut(usize::from(row)) {
            *changed = true;
        }
        self.cells.get_mut(from..from + usize::from(self.columns)).unwrap_or_default()
    }

    /// Sets one cell.
    pub fn put(&mut self, column: u16, row: u16, cell: Cell) {
        if let Some(place) = self.row_mut(row).get_mut(usize::from(column)) {
            *place = cell;
        }
    }

    /// One cell; a blank one outside the grid.
    pub fn cell(&self, column: u16, row: u16) -> Cell {
        self.row(row).get(usize::from(column)).copied().unwrap_or_default()
    }

    /// Blanks a rectangle.
    pub fn clear(&mut self, region: Region, style: Style) {
        let region = region.clamped(self.region());
        let blank = Cell { character: ' ', style };
        for row in region.row..region.bottom() {
            let cells = self.row_mut(row).get_mut(usize::from(region.column)..usize::from(region.right()));
            cells.unwrap_or_default().fill(blank);
        }
    }

    /// Moves the rows of a rectangle up and blanks those that become free at its end.
    pub fn scroll_up(&mut self, region: Region, count: u16, style: Style) {
        let region = region.clamped(self.region());
        let count = count.min(region.rows);
        for row in region.row..region.bottom() - count {
            self.copy_row(region, row + count, row);
        }
        self.clear(Region { row: region.bottom() - count, rows: count, ..region }, style);
    }

    /// Moves the rows of a rectangle down and blanks those that become free at its start.
    pub fn scroll_down(&mut self, region: Region, count: u16, style: Style) {
        let region = region.clamped(self.region());
        let count = count.min(region.rows);
        for row in (region.row..region.bottom() - count).rev() {
            self.copy_row(region, row, row + count);
        }
        self.clear(Region { rows: count, ..region }, style);
    }

    fn copy_row(&mut self, region: Region, from: u16, to: u16) {
        let columns = usize::from(region.column)..usize::from(region.right());
        let cells = self.row(from).get(columns.clone()).unwrap_or_default().to_vec();
        if let Some(target) = self.row_mut(to).get_mut(columns) {
            target.copy_from_slice(&cells);
        }
    }

    /// Shifts the cells of a row from `column` to `right` by one place to the right; the last one is lost.
    pub fn insert_cell(&mut self, column: u16, right: u16, row: u16, style: Style) {
        let cells = self.row_mut(row).get_mut(usize::from(column)..usize::from(right)).unwrap_or_default();
        if !cells.is_empty() {
            cells.rotate_right(1);
        }
        if let Some(first) = cells.first_mut() {
            *first = Cell { character: ' ', style };
        }
    }

    /// Removes the cell at `column` and shifts those up to `right` by one place to the left.
    pub fn delete_cell(&mut self, column: u16, right: u16, row: u16, style: Style) {
        let cells = self.row_mut(row).get_mut(usize::from(column)..usize::from(right)).unwrap_or_default();
        if !cells.is_empty() {
            cells.rotate_left(1);
        }
        if let Some(last) = cells.last_mut() {
            *last = Cell { character: ' ', style };
        }
    }

    /// Blanks the cells of a rectangle that satisfy a condition.
    pub fn clear_where(&mut self, region: Region, condition: impl Fn(Style) -> bool) {
        let region = region.clamped(self.region());
        for row in region.row..region.bottom() {
            let cells = self.row_mut(row).get_mut(usize::from(region.column)..usize::from(region.right()));
            for cell in cells.unwrap_or_default().iter_mut().filter(|cell| condition(cell.style)) {
                cell.character = ' ';
            }
        }
    }

    /// Replaces a row by cells that may differ; the row counts as changed only when one does.
    pub fn replace_row(&mut self, row: u16, cells: &[Cell]) {
        if self.row(row) != cells && self.row(row).len() == cells.len() {
            self.row_mut(row).copy_from_slice(cells);
        }
    }

    /// The rows that have changed since the last call.
    pub fn take_changed(&mut self) -> Vec<u16> {
        let rows = (0_u16..).zip(&mut self.changed);
        rows.filter_map(|(row, changed)| std::mem::take(changed).then_some(row)).collect()
    }

    /// Marks every row as changed.
    pub fn mark_all(&mut self) {
        self.changed.fill(true);
    }
}
