//! Windows of the text plane: a grid of their own, a cursor, a style and a scroll region.
//!
//! A window with a title has a border of one cell on each side, and its grid is the area inside the border (manual,
//! `mnemonics/window`). Positions are relative to the scroll region (`mnemonics/scroll`).

use crate::cell::{Attributes, Cell, Style};
use crate::plane::{Plane, Region};

/// The number of the first window of a screen.
pub const PRIMARY: u8 = 0;

/// A coordinate beyond every plane.
const OUTSIDE: u16 = 1000;

/// One window.
#[derive(Clone, Debug)]
pub struct Window {
    /// The number that programs name it by.
    pub id: u8,
    /// A number that no other window of this screen ever has; controls refer to it.
    pub serial: u32,
    /// Its place on the screen, border included.
    pub frame: Region,
    /// The title, with which the window has a border.
    pub title: Option<String>,
    /// The text inside the border.
    pub plane: Plane,
    /// The cursor, relative to the scroll region.
    pub cursor: (u16, u16),
    /// The style of what is printed next.
    pub style: Style,
    /// The style that `'RM'` returns to.
    pub default_style: Style,
    /// The style of the border.
    pub border_style: Style,
    /// Styles kept by `'SA'`.
    pub saved_style: Option<Style>,
    /// The scroll region within the grid.
    pub scroll: Region,
    /// True if text moves up at the end of the scroll region; if not, the cursor returns to its first line.
    pub scrolling: bool,
    /// True if text that reaches the right edge goes on in the next line.
    pub wrapping: bool,
    /// True if the window shares its controls with the one below it (`OPT="&"`).
    pub shares_controls: bool,
    /// True if the program has placed the cursor in its line by `@(column,row)`.
    pub is_placed: bool,
}

impl Window {
    /// A window at a place of the screen.
    pub fn new(id: u8, serial: u32, frame: Region, title: Option<String>) -> Window {
        let border = if title.is_some() { 2 } else { 0 };
        let (columns, rows) = (frame.columns.saturating_sub(border).max(1), frame.rows.saturating_sub(border).max(1));
        Window {
            id,
            serial,
            frame,
            title,
            plane: Plane::new(columns, rows),
            cursor: (0, 0),
            style: Style::default(),
            default_style: Style::default(),
            border_style: Style::default(),
            saved_style: None,
            scroll: Region::sized(columns, rows),
            scrolling: true,
            wrapping: true,
            shares_controls: false,
            is_placed: false,
        }
    }

    /// The place of the grid's first cell on the screen.
    pub fn origin(&self) -> (u16, u16) {
        let border = u16::from(self.title.is_some());
        (self.frame.column + border, self.frame.row + border)
    }

    /// The cursor's place on the screen.
    pub fn cursor_on_screen(&self) -> (u16, u16) {
        self.on_screen(self.cursor)
    }

    /// The place on the screen of a position of the scroll region.
    pub fn on_screen(&self, position: (u16, u16)) -> (u16, u16) {
        let (column, row) = self.at(position);
        let origin = self.origin();
        (origin.0 + column, origin.1 + row)
    }

    /// A position of the scroll region as one of the grid.
    pub fn at(&self, position: (u16, u16)) -> (u16, u16) {
        let column = position.0.min(self.scroll.columns.saturating_sub(1));
        (self.scroll.column + column, self.scroll.row + position.1.min(self.scroll.rows.saturating_sub(1)))
    }

    /// The style that cleared cells get: the background stays, attributes of characters do not.
    pub fn blank(&self) -> Style {
        let mut attributes = Attributes::default();
        attributes.set(Attributes::REVERSE, self.style.attributes.contains(Attributes::REVERSE));
        Style { attributes, ..self.style }
    }

    /// Moves the cursor; positions outside are clamped to the scroll region.
    pub fn move_to(&mut self, column: u16, row: u16) {
        self.cursor = (column.min(self.scroll.columns.saturating_sub(1)), row.min(self.scroll.rows.saturating_sub(1)));
    }

    /// Prints one character at the cursor.
    pub fn put(&mut self, character: char) {
        if self.cursor.0 >= self.scroll.columns {
            if !self.wrapping {
                return;
            }
            self.line_feed();
        }
        let (column, row) = self.at(self.cursor);
        self.plane.put(column, row, Cell { character, style: self.style });
        self.cursor.0 += 1;
    }

    /// The first column of the next line; at the end of the scroll region the text moves up, or the cursor returns to the first
    /// line.
    pub fn line_feed(&mut self) {
        self.cursor.0 = 0;
        self.is_placed = false;
        self.down();
    }

    /// The end of an input: the next line, as at the end of PRINT. A form whose input is placed in the last line keeps its text.
    pub fn end_input(&mut self) {
        match self.is_placed && self.cursor.1 + 1 >= self.scroll.rows {
            true => self.cursor.0 = 0,
            false => self.line_feed(),
        }
    }

    /// One line down, as [`Window::line_feed`] does, in the same column.
    pub fn down(&mut self) {
        if self.cursor.1 + 1 < self.scroll.rows {
            self.cursor.1 += 1;
        } else if self.scrolling {
            self.plane.scroll_up(self.scroll, 1, self.blank());
        } else {
            self.cursor = (0, 0);
        }
    }

    /// Blanks the scroll region and moves the cursor to its start.
    pub fn clear(&mut self) {
        self.plane.clear(self.scroll, self.blank());
        self.cursor = (0, 0);
    }

    /// Blanks from the cursor to the end of its line.
    pub fn clear_line(&mut self) {
        let (column, row) = self.at(self.cursor);
        if self.cursor.0 < self.scroll.columns {
            let region = Region { column, row, columns: self.scroll.right() - column, rows: 1 };
            self.plane.clear(region, self.blank());
        }
    }

    /// Blanks from the cursor to the end of the scroll region.
    pub fn clear_to_end(&mut self) {
        self.clear_line();
        let (_, row) = self.at(self.cursor);
        let rows = self.scroll.bottom().saturating_sub(row + 1);
        self.plane.clear(Region { row: row + 1, rows, ..self.scroll }, self.blank());
    }

    /// Inserts a blank cell at the cursor, or removes the one there.
    pub fn shift_cells(&mut self, insert: bool) {
        let (column, row) = self.at(self.cursor);
        let (right, blank) = (self.scroll.right(), self.blank());
        if insert {
            self.plane.insert_cell(column, right, row, blank);
        } else {
            self.plane.delete_cell(column, right, row, blank);
        }
    }

    /// Inserts a blank line at the cursor, or removes the one there.
    pub fn shift_lines(&mut self, insert: bool) {
        let (_, row) = self.at(self.cursor);
        let region = Region { row, rows: self.scroll.bottom() - row, ..self.scroll };
        if insert {
            self.plane.scroll_down(region, 1, self.blank());
        } else {
            self.plane.scroll_up(region, 1, self.blank());
        }
    }

    /// Draws the outline of a box of at least 2 by 2 cells with a title on its upper edge.
    pub fn draw_box(&mut self, region: Region, title: Option<&str>) {
        let style = self.style;
        let shifted = Region {
            column: region.column.saturating_add(self.scroll.column),
            row: region.row.saturating_add(self.scroll.row),
            ..region
        };
        for (column, row, character) in outline(shifted, title) {
            self.plane.put(column, row, Cell { character, style });
        }
    }
}

/// The cells of a box's outline.
pub fn outline(region: Region, title: Option<&str>) -> Vec<(u16, u16, char)> {
    // No plane is as large as that: such a box has no visible cell.
    let is_outside = region.column >= OUTSIDE || region.row >= OUTSIDE;
    if region.columns < 2 || region.rows < 2 || is_outside {
        return Vec::new();
    }
    let (right, bottom) = (region.right() - 1, region.bottom() - 1);
    let mut cells = Vec::new();
    for column in region.column + 1..right {
        cells.extend([(column, region.row, '─'), (column, bottom, '─')]);
    }
    for row in region.row + 1..bottom {
        cells.extend([(region.column, row, '│'), (right, row, '│')]);
    }
    cells.extend([(region.column, region.row, '┌'), (right, region.row, '┐')]);
    cells.extend([(region.column, bottom, '└'), (right, bottom, '┘')]);
    let title = title.unwrap_or_default();
    let places = region.column + 1..right;
    cells.extend(places.zip(title.chars()).map(|(column, character)| (column, region.row, character)));
    cells
}
