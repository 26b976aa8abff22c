//! Grids: cells in columns and rows, which the program fills and the user reads.
//!
//! The rows of a grid are those of a list whose fields are its cells, so that faces show a grid as they show a report view:
//! virtually, with headings. The user moves a current cell, and its use is queued for `GRID READ`.
//!
//! Rules are those of the manual's page `directives/grid`. Columns and rows are numbered from 1; 0 stands for all of them, and
//! row -1 for the headings.
//!
//! **Limits.** The user cannot change a cell: cell types are read and have no effect, and every cell behaves as a locked one.
//! Headings of rows (column -1) are refused. A grid has at most 256 columns.

use super::columns::Column;
use super::list::{List, SEPARATOR};
use crate::characters::{decode, encode, split_fields};
use crate::error::{CONTROL_ARGUMENT, END, INTEGER, Result, ScreenError};
use std::collections::VecDeque;

/// The most columns of a grid.
const MOST_COLUMNS: usize = 256;
/// The most uses of cells that wait for `GRID READ`, and the most ranges of a selection.
const MOST_QUEUED: usize = 1024;
/// The width of a column without a format.
const WIDTH: f32 = 10.0;

/// A column and a row, from 1.
pub type Cell = (usize, usize);

/// A cell that the user has used: its address, its value, and the key as `EOM`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedCell {
    /// Column and row.
    pub cell: Cell,
    /// The value.
    pub value: Vec<u8>,
    /// 1 for the mouse, 2 for a double click, 0D for Enter, 0 for the cursor keys.
    pub eom: u8,
}

/// Cells as directives name them: the first column and row, 0 for all of them, and the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first column; 0 for all.
    pub column: i64,
    /// The first row; 0 for all, -1 for the headings where they are allowed.
    pub row: i64,
    /// The number of columns.
    pub columns: usize,
    /// The number of rows.
    pub rows: usize,
}

impl Range {
    /// One cell, one column or one row.
    pub fn one(column: i64, row: i64) -> Range {
        Range { column, row, columns: 1, rows: 1 }
    }
}

/// The contents of a grid.
#[derive(Clone, Debug)]
pub struct Grid {
    pub(crate) list: List,
    separator: u8,
    /// The delimiter of rows of the last load.
    delimiter: u8,
    /// The current column, from 1.
    column: usize,
    used: VecDeque<(Cell, u8)>,
    /// The value of `CTL` was reported, and no `GRID READ` has followed.
    posted: bool,
    /// Ranges with their sizes cut to the grid: first column and row, columns, rows.
    selected: Vec<[usize; 4]>,
    /// The position of `SELECT READ NEXT`: a range and a cell in it.
    next_selected: (usize, usize),
}

impl Grid {
    /// An empty grid with the letters of `OPT=`, a format, and `SEP=`.
    pub fn new(options: &[u8], format: &str, separator: Option<u8>) -> Grid {
        // The style of a report; the other letters of a grid have no meaning for a list.
        let letters: Vec<u8> = options.iter().copied().filter(|letter| *letter == b'T').chain([b'r']).collect();
        Grid {
            list: List::new(&letters, format),
            separator: separator.unwrap_or(SEPARATOR),
            delimiter: b'\n',
            column: 1,
            used: VecDeque::new(),
            posted: false,
            selected: Vec::new(),
            next_selected: (0, 0),
        }
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.list.columns.len()
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.list.len()
    }

    /// The current column and row; 1, 1 before the user has moved.
    pub fn current(&self) -> Cell {
        (self.column, self.list.selected_index().max(1))
    }

    /// The value of a cell; empty for one that is not there.
    fn value(&self, (column, row): Cell) -> Vec<u8> {
        let cells = split_fields(&self.list.element(row).unwrap_or_default(), SEPARATOR);
        cells.into_iter().nth(column.saturating_sub(1)).unwrap_or_default()
    }

    /// The cells of a row, as many as there are columns.
    fn cells(&self, row: usize) -> Vec<Vec<u8>> {
        let mut cells = split_fields(&self.list.element(row).unwrap_or_default(), SEPARATOR);
        cells.resize(self.columns(), Vec::new());
        cells
    }

    /// Makes the grid have this many columns and rows at least.
    fn extend(&mut self, columns: usize, rows: usize) -> Result<()> {
        if columns > MOST_COLUMNS {
            return Err(ScreenError::new(INTEGER, format!("A grid has no more than {MOST_COLUMNS} columns")));
        }
        while self.columns() < columns {
            let field = Some(self.columns());
            self.list.columns.push(Column { width: WIDTH, field, ..Column::default() });
        }
        while self.rows() < rows {
            self.list.load(0, b"")?;
        }
        Ok(())
    }

    fn set_row(&mut self, row: usize, cells: &[Vec<u8>]) -> Result<()> {
        self.list.replace(row, &cells.join(&SEPARATOR))
    }

    /// The columns and rows of a range, cut to the grid. Errors: 41 for a cell that is not there.
    fn extent(&self, range: Range) -> Result<[usize; 4]> {
        let part = |first: i64, size: usize, count: usize| match usize::try_from(first) {
            Ok(0) => Ok((1, count)),
            Ok(first) if first <= count => Ok((first, size.min(count + 1 - first))),
            _ => Err(ScreenError::new(INTEGER, format!("The grid has no cell {},{}", range.column, range.row))),
        };
        let (column, columns) = part(range.column, range.columns, self.columns())?;
        let (row, rows) = part(range.row, range.rows, self.rows())?;
        Ok([column, row, columns, rows])
    }

    /// `GRID ADD`: a blank column before this one, a blank row before this one; the grid grows up to them if they are beyond
    /// its end. Errors: 60 without either, 41.
    pub fn add(&mut self, column: i64, row: i64) -> Result<()> {
        let (Ok(column), Ok(row)) = (usize::try_from(column), usize::try_from(row)) else { return Err(no_headings()) };
        match (column, row) {
            (0, 0) => return Err(ScreenError::new(CONTROL_ARGUMENT, "GRID ADD needs a column or a row")),
            (0, _) => {}
            (column, _) if column > self.columns() => self.extend(column, 0)?,
            (column, _) => {
                self.extend(self.columns() + 1, 0)?;
                // The new cell at the end of each row moves to its place.
                self.move_columns(|cells| cells.get_mut(column - 1..).unwrap_or_default().rotate_right(1))?;
                let blank = Column { width: WIDTH, ..Column::default() };
                self.list.columns.pop();
                self.list.columns.insert(column - 1, blank);
                self.number_columns();
            }
        }
        match row {
            0 => Ok(()),
            row if row > self.rows() => self.extend(0, row),
            row => self.list.load(row, b""),
        }
    }

    /// Changes the cells of each row.
    fn move_columns(&mut self, change: impl Fn(&mut Vec<Vec<u8>>)) -> Result<()> {
        for row in 1..=self.rows() {
            let mut cells = self.cells(row);
            change(&mut cells);
            self.set_row(row, &cells)?;
        }
        Ok(())
    }

    fn number_columns(&mut self) {
        for (field, column) in self.list.columns.iter_mut().enumerate() {
            column.field = Some(field);
        }
    }

    /// `GRID LOAD`: rows behind each other from a cell on. The last byte separates rows; where it is the separator of cells, the
    /// text is one row. Column and row 0 clear the grid first, row 0 appends, row -1 loads headings.
    ///
    /// Errors: 41, 46, 31.
    pub fn load(&mut self, column: i64, row: i64, contents: &[u8]) -> Result<()> {
        if (column, row) == (0, 0) {
            self.list.clear();
            self.forget();
        }
        let first = usize::try_from(column).map_err(|_| no_headings())?.max(1);
        let Some((delimiter, contents)) = contents.split_last() else { return Ok(()) };
        if *delimiter != self.separator {
            self.delimiter = *delimiter;
        }
        let is_one_row = *delimiter == self.separator;
        if row == -1 {
            return self.load_headings(first, contents);
        }
        let row = usize::try_from(row).map_err(|_| no_headings())?;
        let from = if row == 0 { self.rows() + 1 } else { row };
        let lines = if is_one_row { vec![contents.to_vec()] } else { split_fields(contents, *delimiter) };
        for (at, line) in (from..).zip(lines) {
            self.load_row(first, at, &line)?;
        }
        Ok(())
    }

    /// The cells of a row, separated by the separator of the grid. Errors: 41, 46, 31.
    pub fn load_cells(&mut self, row: i64, cells: &[u8]) -> Result<()> {
        let row = usize::try_from(row).ok().filter(|row| *row > 0);
        let row = row.ok_or_else(|| ScreenError::new(INTEGER, "The cells need the number of a row"))?;
        self.load_row(1, row, cells.strip_suffix(&[self.separator]).unwrap_or(cells))
    }

    fn load_row(&mut self, first: usize, row: usize, line: &[u8]) -> Result<()> {
        let values: Vec<Vec<u8>> = split_fields(line, self.separator).iter().map(|value| cell_text(value)).collect();
        if row > 1 << 20 {
            return Err(ScreenError::new(INTEGER, "A grid has no more than 1,048,576 rows"));
        }
        self.extend(first - 1 + values.len(), row)?;
        let mut cells = self.cells(row);
        for (cell, value) in cells.iter_mut().skip(first - 1).zip(values) {
            *cell = value;
        }
        self.set_row(row, &cells)
    }

    fn load_headings(&mut self, first: usize, line: &[u8]) -> Result<()> {
        let titles: Vec<String> =
            split_fields(line, self.separator).iter().map(|title| decode(title).into_owned()).collect();
        self.extend(first - 1 + titles.len(), 0)?;
        for (column, title) in self.list.columns.iter_mut().skip(first - 1).zip(titles) {
            column.title = title;
        }
        Ok(())
    }

    /// `GRID WRITE`, and `GRID CLEAR` with an empty text: one value in all cells of a range. Errors: 41, 46, 31.
    pub fn write(&mut self, range: Range, value: &[u8]) -> Result<()> {
        if range.row == -1 {
            let first = usize::try_from(range.column).map_err(|_| no_headings())?.max(1);
            return self.load_headings(first, value);
        }
        let [column, row, columns, rows] = self.extent(range)?;
        let value = cell_text(value);
        for row in row..row + rows {
            let mut cells = self.cells(row);
            for cell in cells.iter_mut().skip(column - 1).take(columns) {
                cell.clone_from(&value);
            }
            self.set_row(row, &cells)?;
        }
        Ok(())
    }

    /// `GRID DELETE`: a column, a row, or everything for 0, 0. Errors: 41.
    pub fn delete(&mut self, column: i64, row: i64) -> Result<()> {
        self.extent(Range::one(column, row))?;
        self.forget();
        let (Ok(column), Ok(row)) = (usize::try_from(column), usize::try_from(row)) else { return Err(no_headings()) };
        if (column, row) == (0, 0) {
            self.list.clear();
            self.list.columns.clear();
            return Ok(());
        }
        if column > 0 {
            self.move_columns(|cells| drop(cells.remove(column - 1)))?;
            self.list.columns.remove(column - 1);
            self.number_columns();
        }
        if row > 0 { self.list.delete(row) } else { Ok(()) }
    }

    /// The use of cells and the selection name cells that may be gone.
    fn forget(&mut self) {
        self.used.clear();
        self.posted = false;
        self.selected.clear();
        self.column = 1;
    }

    /// `GRID FIND`: the value of a cell. Of all cells of a column or a row each is followed by the separator; of all cells of the
    /// grid each row ends with the delimiter of rows of the last load in place of its last separator. Errors: 41.
    pub fn find(&self, column: i64, row: i64) -> Result<Vec<u8>> {
        if row == -1 {
            let title = usize::try_from(column - 1).ok().and_then(|at| self.list.columns.get(at));
            return title.map(|column| encode(&column.title).into_owned()).ok_or_else(no_headings);
        }
        let [first, top, columns, rows] = self.extent(Range::one(column, row))?;
        if column > 0 && row > 0 {
            return Ok(self.value((first, top)));
        }
        let mut all = Vec::new();
        for row_at in top..top + rows {
            let cells = self.cells(row_at);
            for cell in cells.iter().skip(first - 1).take(columns) {
                all.extend_from_slice(cell);
                all.push(self.separator);
            }
            if let Some(last) = all.last_mut().filter(|_| (column, row) == (0, 0)) {
                *last = self.delimiter;
            }
        }
        Ok(all)
    }

    /// Makes a cell the current one. Errors: 41.
    pub fn go_to(&mut self, column: i64, row: i64) -> Result<()> {
        if column < 1 || row < 1 {
            return Err(ScreenError::new(INTEGER, "GRID GOTO needs a column and a row"));
        }
        let [column, row, ..] = self.extent(Range::one(column, row))?;
        self.column = column;
        self.list.select(row)
    }

    /// The user moves to a cell, whose use is queued if it `reports`. True if the value of `CTL` is to be reported: once until
    /// the next `GRID READ`, which reports it again for further cells.
    pub(crate) fn use_cell(&mut self, (column, row): Cell, mode: u8, reports: bool) -> bool {
        self.column = column.clamp(1, self.columns().max(1));
        // The row is one that is shown.
        let _ = self.list.select(row);
        if reports && self.used.len() < MOST_QUEUED {
            self.used.push_back(((self.column, row), mode));
        }
        let was_posted = self.posted;
        self.posted |= reports;
        reports && !was_posted
    }

    /// `GRID READ`, or `READ NEXT`: the first used cell that was not read yet. Errors: 2 if there is no such cell.
    pub fn read(&mut self, next: bool) -> Result<UsedCell> {
        self.posted = !next && self.used.len() > 1;
        let (cell, eom) = self.used.pop_front().ok_or_else(|| ScreenError::new(END, "No cell of the grid was used"))?;
        Ok(UsedCell { cell, value: self.value(cell), eom })
    }

    /// True if there are more used cells to read.
    pub fn has_used(&self) -> bool {
        !self.used.is_empty()
    }

    /// `GRID SELECT`: adds a range to the selection. Errors: 41, 31.
    pub fn select(&mut self, range: Range) -> Result<()> {
        let extent = self.extent(range)?;
        if self.selected.len() >= MOST_QUEUED {
            return Err(ScreenError::new(crate::error::MEMORY, "A grid takes no more than 1,024 selected ranges"));
        }
        self.selected.push(extent);
        Ok(())
    }

    /// `GRID SELECT RESET`.
    pub fn reset_selection(&mut self) {
        self.selected.clear();
        self.next_selected = (0, 0);
    }

    /// `GRID SELECT READ` and `SELECT READ NEXT`: the selected cells row by row, each once; without a selection the current cell.
    /// Errors: 2 behind the last one.
    pub fn read_selection(&mut self, next: bool) -> Result<Cell> {
        if !next {
            self.next_selected = (0, 0);
        }
        if self.selected.is_empty() && self.next_selected == (0, 0) {
            self.next_selected = (0, 1);
            return Ok(self.current());
        }
        while let Some([column, row, columns, rows]) = self.selected.get(self.next_selected.0).copied() {
            let at = self.next_selected.1;
            if at >= columns * rows {
                self.next_selected = (self.next_selected.0 + 1, 0);
                continue;
            }
            self.next_selected.1 += 1;
            let cell = (column + at % columns, row + at / columns);
            let earlier = self.selected.iter().take(self.next_selected.0);
            if !earlier.clone().any(|range| contains(*range, cell)) {
                return Ok(cell);
            }
        }
        Err(ScreenError::new(END, "The selection has no further cell"))
    }
}

fn contains([column, row, columns, rows]: [usize; 4], cell: Cell) -> bool {
    (column..column + columns).contains(&cell.0) && (row..row + rows).contains(&cell.1)
}

/// The text of a cell: the byte that separates cells in the list becomes a blank.
fn cell_text(text: &[u8]) -> Vec<u8> {
    split_fields(text, SEPARATOR).join(&b' ')
}

fn no_headings() -> ScreenError {
    ScreenError::new(CONTROL_ARGUMENT, "Headings of rows are not supported, and cannot be part of a range")
}
