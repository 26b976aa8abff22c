//! The text plane: windows on top of each other, and the screen that they make.
//!
//! Programs print into the current window, which is the topmost. [`TextPlane::compose`] brings the changed rows of all windows
//! together; faces only see the result. A window that moves or goes away recomposes everything.

use crate::cell::{Attributes, Cell, Colour, Style};
use crate::characters::{decode, printable};
use crate::error::{NO_WINDOW, Result, ScreenError};
use crate::mnemonic::{self, CursorMode, ESCAPE, Frame, Mnemonic};
use crate::plane::{Plane, Region};
use crate::window::{PRIMARY, Window, outline};

/// The most columns of a screen.
pub const MOST_COLUMNS: u16 = 132;
/// The most rows of a screen.
pub const MOST_ROWS: u16 = 60;
/// The most windows of a screen: their numbers are bytes.
const MOST_WINDOWS: usize = 256;
/// The line drawing characters `A` to `K` (manual, `mnemonics/gd`), and the digits and the colon that draw the same.
const LETTERS: [(char, char); 11] = [
    ('2', '┌'),
    ('3', '┐'),
    ('4', '└'),
    ('5', '┘'),
    ('0', '─'),
    ('1', '│'),
    (':', '┼'),
    ('6', '├'),
    ('7', '┤'),
    ('8', '┴'),
    ('9', '┬'),
];
/// The Unicode characters of the VT100's line drawing set, from `j` to `x`, which programs for such terminals print.
const LINES: [(char, char); 11] = [
    ('j', '┘'),
    ('k', '┐'),
    ('l', '┌'),
    ('m', '└'),
    ('n', '┼'),
    ('q', '─'),
    ('t', '├'),
    ('u', '┤'),
    ('v', '┴'),
    ('w', '┬'),
    ('x', '│'),
];

/// Windows and the screen composed of them.
#[derive(Debug)]
pub struct TextPlane {
    /// The topmost window.
    current: Window,
    /// The windows under it, from the bottom to the top.
    below: Vec<Window>,
    screen: Plane,
    next_serial: u32,
    raw: bool,
    /// The next colour is that behind characters.
    background_next: bool,
    /// The look of the cursor.
    pub cursor_mode: CursorMode,
    /// True if windows have moved, appeared or gone since the last composition.
    moved: bool,
}

impl TextPlane {
    /// A plane with one window that fills it. Sizes are clamped to 1 by 1 and 132 by 60.
    pub fn new(columns: u16, rows: u16) -> TextPlane {
        let (columns, rows) = (columns.clamp(1, MOST_COLUMNS), rows.clamp(1, MOST_ROWS));
        TextPlane {
            current: Window::new(PRIMARY, 1, Region::sized(columns, rows), None),
            below: Vec::new(),
            screen: Plane::new(columns, rows),
            next_serial: 2,
            raw: false,
            background_next: false,
            cursor_mode: CursorMode::Normal,
            moved: true,
        }
    }

    /// The current window.
    pub fn window(&self) -> &Window {
        &self.current
    }

    /// The current window, to be changed.
    pub fn window_mut(&mut self) -> &mut Window {
        &mut self.current
    }

    /// All windows, from the bottom to the top.
    pub fn windows(&self) -> impl DoubleEndedIterator<Item = &Window> {
        self.below.iter().chain(std::iter::once(&self.current))
    }

    /// The screen as last composed.
    pub fn screen(&self) -> &Plane {
        &self.screen
    }

    /// The serial number of the window that owns new controls.
    pub fn control_owner(&self) -> u32 {
        let owner = self.windows().rev().find(|window| !window.shares_controls);
        owner.map_or(1, |window| window.serial)
    }

    /// The parts of a rectangle of the screen that windows above the one with this serial number cover. They do not overlap.
    pub fn covered_parts(&self, serial: u32, region: Region) -> Vec<Region> {
        if serial == 0 {
            return Vec::new();
        }
        let above = self.windows().rev().take_while(|window| window.serial != serial);
        let covers = |window: &&Window| !window.shares_controls && window.frame.overlaps(region);
        crate::plane::union(&above.filter(covers).map(|window| window.frame.clamped(region)).collect::<Vec<_>>())
    }

    /// Prints a string into the current window, performing its control characters. Mnemonics are passed to `perform`.
    pub fn print(&mut self, bytes: &[u8], perform: &mut dyn FnMut(&mut TextPlane, Mnemonic)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if rest.first() == Some(&ESCAPE) {
                let (mnemonic, length) = mnemonic::decode(rest);
                // In output transparency nothing but its end is a mnemonic.
                if self.raw && mnemonic != Mnemonic::RawOutput(false) {
                    let (escape, after) = rest.split_at(1);
                    self.print_text(escape, perform);
                    rest = after;
                    continue;
                }
                perform(self, mnemonic);
                rest = rest.get(length.max(1)..).unwrap_or_default();
                continue;
            }
            let length = rest.iter().position(|byte| *byte == ESCAPE).unwrap_or(rest.len());
            let (text, after) = rest.split_at(length);
            self.print_text(text, perform);
            rest = after;
        }
    }

    fn print_text(&mut self, text: &[u8], perform: &mut dyn FnMut(&mut TextPlane, Mnemonic)) {
        let raw = self.raw;
        for character in decode(text).chars() {
            match character {
                '\n' if !raw => self.window_mut().line_feed(),
                '\r' if !raw => self.window_mut().cursor.0 = 0,
                '\x08' if !raw => perform(self, Mnemonic::Left),
                '\x0c' if !raw => perform(self, Mnemonic::ClearScreen),
                '\x07' if !raw => perform(self, Mnemonic::Bell),
                '\0' if !raw => {}
                _ => {
                    let graphic = self.window().style.attributes.contains(Attributes::GRAPHIC);
                    let character = if graphic { line_drawing(character) } else { printable(character) };
                    self.window_mut().put(character);
                }
            }
        }
    }

    /// Performs an operation on the text plane; those on other parts of a screen do nothing here.
    ///
    /// Errors: 57 for a window that does not exist.
    pub fn perform(&mut self, mnemonic: &Mnemonic) -> Result<()> {
        let window = self.window_mut();
        match mnemonic {
            Mnemonic::Position(column, row) => {
                window.move_to(*column, *row);
                window.is_placed = true;
            }
            Mnemonic::Column(column) => window.move_to(*column, window.cursor.1),
            Mnemonic::ClearScreen => window.clear(),
            Mnemonic::ClearToEnd => window.clear_to_end(),
            Mnemonic::ClearLine => window.clear_line(),
            Mnemonic::ClearForeground => {
                window.plane.clear_where(window.scroll, |style| !style.attributes.contains(Attributes::DIM));
            }
            Mnemonic::Home => window.cursor = (0, 0),
            Mnemonic::CarriageReturn => window.cursor.0 = 0,
            Mnemonic::LineFeed => window.line_feed(),
            Mnemonic::EndInput => window.end_input(),
            Mnemonic::Left => window.cursor.0 = window.cursor.0.saturating_sub(1),
            Mnemonic::Right => window.move_to(window.cursor.0 + 1, window.cursor.1),
            Mnemonic::Up => window.cursor.1 = window.cursor.1.saturating_sub(1),
            Mnemonic::Down => window.down(),
            Mnemonic::Wrap(on) => window.wrapping = *on,
            Mnemonic::ShiftCells(insert) => window.shift_cells(*insert),
            Mnemonic::ShiftLines(insert) => window.shift_lines(*insert),
            Mnemonic::Scrolling(on) => window.scrolling = *on,
            Mnemonic::ScrollRegion(region) => {
                let whole = window.plane.region();
                let region = region.map_or(whole, |region| region.clamped(whole));
                window.scroll = if region.columns == 0 || region.rows == 0 { whole } else { region };
                window.cursor = (0, 0);
            }
            Mnemonic::Box(frame) => self.draw_box(frame),
            Mnemonic::Text(column, row, text) => self.print_at(*column, *row, text),
            Mnemonic::Caption(text) => self.set_title(text),
            Mnemonic::Cursor(mode) => self.cursor_mode = *mode,
            Mnemonic::RawOutput(on) => self.raw = *on,
            Mnemonic::Repaint => self.screen.mark_all(),
            Mnemonic::Window(_)
            | Mnemonic::Push
            | Mnemonic::Pop
            | Mnemonic::Drop(_)
            | Mnemonic::Goto(_)
            | Mnemonic::Swap
            | Mnemonic::Move(..) => self.perform_on_windows(mnemonic)?,
            _ => self.set_style(mnemonic),
        }
        Ok(())
    }

    fn set_style(&mut self, mnemonic: &Mnemonic) {
        let is_background = match mnemonic {
            Mnemonic::Foreground(_) | Mnemonic::Background(_) => std::mem::take(&mut self.background_next),
            _ => false,
        };
        self.background_next |= *mnemonic == Mnemonic::NextIsBackground;
        let window = self.window_mut();
        match mnemonic {
            Mnemonic::Foreground(colour) if is_background => window.style.background = *colour,
            Mnemonic::Mode(attributes, foreground, background) => {
                let style = window.style;
                window.style = Style {
                    attributes: attributes.unwrap_or(style.attributes),
                    foreground: foreground.unwrap_or(style.foreground),
                    background: background.unwrap_or(style.background),
                };
            }
            Mnemonic::Attribute(attribute, on) => window.style.attributes.set(*attribute, *on),
            Mnemonic::Foreground(colour) => window.style.foreground = *colour,
            Mnemonic::Background(colour) => window.style.background = *colour,
            Mnemonic::ResetModes => window.style = window.default_style,
            Mnemonic::SetDefault => window.default_style = window.style,
            Mnemonic::KeepStyle(true) => window.saved_style = Some(window.style),
            Mnemonic::KeepStyle(false) => window.style = window.saved_style.take().unwrap_or(window.default_style),
            _ => {}
        }
    }

    fn draw_box(&mut self, frame: &Frame) {
        let style = self.window().style;
        self.set_attributes(&frame.attributes);
        let title = frame.title.as_deref().map(decode);
        self.window_mut().draw_box(frame.region, title.as_deref());
        self.window_mut().style = style;
    }

    fn set_attributes(&mut self, attributes: &[u8]) {
        let mut rest = attributes;
        while let Some(at) = rest.iter().position(|byte| *byte == ESCAPE) {
            let (mnemonic, length) = mnemonic::decode(rest.get(at..).unwrap_or_default());
            self.set_style(&mnemonic);
            rest = rest.get(at + length.max(1)..).unwrap_or_default();
        }
    }

    fn print_at(&mut self, column: u16, row: u16, text: &[u8]) {
        let cursor = self.window().cursor;
        self.window_mut().move_to(column, row);
        for character in decode(text).chars() {
            let window = self.window_mut();
            if window.cursor.0 < window.scroll.columns {
                window.put(printable(character));
            }
        }
        self.window_mut().cursor = cursor;
    }

    fn set_title(&mut self, text: &[u8]) {
        let text = decode(text).into_owned();
        let window = self.window_mut();
        if window.title.is_some() {
            window.title = Some(text);
            self.moved = true;
        }
    }

    fn perform_on_windows(&mut self, mnemonic: &Mnemonic) -> Result<()> {
        self.moved = true;
        match mnemonic {
            Mnemonic::Window(frame) => self.open(frame),
            Mnemonic::Push => {
                let mut copy = self.window().clone();
                copy.serial = self.next_serial();
                copy.id = self.free_id()?;
                self.put_on_top(copy);
                Ok(())
            }
            Mnemonic::Pop | Mnemonic::Drop(None) => self.remove_current(),
            Mnemonic::Drop(Some(-1)) => {
                self.keep_first();
                Ok(())
            }
            Mnemonic::Drop(Some(id)) if i32::from(self.current.id) == *id => self.remove_current(),
            Mnemonic::Drop(Some(id)) => self.find(*id).map(|at| drop(self.below.remove(at))),
            Mnemonic::Goto(id) if self.current.id == *id => Ok(()),
            Mnemonic::Goto(id) => {
                let at = self.find(i32::from(*id))?;
                let window = self.below.remove(at);
                self.put_on_top(window);
                Ok(())
            }
            Mnemonic::Swap => {
                if let Some(below) = self.below.last_mut() {
                    std::mem::swap(below, &mut self.current);
                }
                Ok(())
            }
            Mnemonic::Move(column, row) => {
                let (columns, rows) = (self.screen.columns(), self.screen.rows());
                let window = self.window_mut();
                window.frame.column = (*column).min(columns.saturating_sub(window.frame.columns));
                window.frame.row = (*row).min(rows.saturating_sub(window.frame.rows));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn next_serial(&mut self) -> u32 {
        self.next_serial = self.next_serial.wrapping_add(1).max(2);
        self.next_serial
    }

    fn put_on_top(&mut self, window: Window) {
        let below = std::mem::replace(&mut self.current, window);
        self.below.push(below);
    }

    fn keep_first(&mut self) {
        if !self.below.is_empty() {
            self.current = self.below.swap_remove(0);
            self.below.clear();
        }
    }

    fn free_id(&self) -> Result<u8> {
        let free = (1..=u8::MAX).find(|id| self.windows().all(|window| window.id != *id));
        free.ok_or_else(|| ScreenError::new(NO_WINDOW, "No more than 256 windows can be open"))
    }

    fn find(&self, id: i32) -> Result<usize> {
        let at = self.below.iter().position(|window| i32::from(window.id) == id);
        at.ok_or_else(|| ScreenError::new(NO_WINDOW, format!("Window {id} is not defined")))
    }

    fn remove_current(&mut self) -> Result<()> {
        let only = || ScreenError::new(NO_WINDOW, "The only window cannot be closed");
        self.current = self.below.pop().ok_or_else(only)?;
        Ok(())
    }

    /// Opens a window. Its place is relative to the screen; one that does not fit is moved and cut to the screen.
    fn open(&mut self, frame: &Frame) -> Result<()> {
        if self.below.len() + 1 >= MOST_WINDOWS {
            return Err(ScreenError::new(NO_WINDOW, "No more than 256 windows can be open"));
        }
        let id = match frame.id {
            Some(id) => id,
            None => self.free_id()?,
        };
        self.below.retain(|window| window.id != id || window.id == PRIMARY);
        if self.current.id == id && id != PRIMARY {
            self.remove_current()?;
        }
        let whole = self.screen.region();
        let mut region = frame.region;
        region.columns = region.columns.clamp(1, whole.columns);
        region.rows = region.rows.clamp(1, whole.rows);
        region.column = region.column.min(whole.columns - region.columns);
        region.row = region.row.min(whole.rows - region.rows);
        let serial = self.next_serial();
        let mut window =
            Window::new(id, serial, region, frame.title.as_deref().map(|title| decode(title).into_owned()));
        window.style = self.window().default_style;
        window.shares_controls = frame.options.contains(&b'&');
        self.put_on_top(window);
        self.set_attributes(&frame.attributes);
        let window = self.window_mut();
        window.default_style = window.style;
        window.border_style = window.style;
        window.clear();
        Ok(())
    }

    /// Brings the screen up to date and returns the rows that differ from the last time.
    pub fn compose(&mut self) -> Vec<u16> {
        let moved = std::mem::take(&mut self.moved);
        let mut stale = vec![moved; usize::from(self.screen.rows())];
        for window in self.below.iter_mut().chain(std::iter::once(&mut self.current)) {
            let (_, top) = window.origin();
            for row in window.plane.take_changed() {
                if let Some(stale) = stale.get_mut(usize::from(top + row)) {
                    *stale = true;
                }
            }
        }
        for row in (0..self.screen.rows()).filter(|row| stale.get(usize::from(*row)) == Some(&true)) {
            let cells = self.composed_row(row);
            self.screen.replace_row(row, &cells);
        }
        self.screen.take_changed()
    }

    fn composed_row(&self, row: u16) -> Vec<Cell> {
        let mut cells = vec![Cell::default(); usize::from(self.screen.columns())];
        let mut set = |column: u16, cell: Cell| {
            if let Some(place) = cells.get_mut(usize::from(column)) {
                *place = cell;
            }
        };
        for window in self.windows().filter(|window| (window.frame.row..window.frame.bottom()).contains(&row)) {
            let (left, top) = window.origin();
            if let Some(row) = row.checked_sub(top).filter(|row| *row < window.plane.rows()) {
                for (column, cell) in (left..).zip(window.plane.row(row)) {
                    set(column, *cell);
                }
            }
            if window.title.is_some() {
                let style = window.border_style;
                let border = outline(window.frame, window.title.as_deref());
                for (column, _, character) in border.into_iter().filter(|(_, at, _)| *at == row) {
                    set(column, Cell { character, style });
                }
            }
        }
        cells
    }

    /// Marks every row as changed, for a face that has nothing yet.
    pub fn mark_all(&mut self) {
        self.moved = true;
        self.screen.mark_all();
    }

    /// Returns to one blank window with default colours.
    pub fn reset(&mut self) {
        self.keep_first();
        let window = self.window_mut();
        window.style = Style { foreground: Colour::Default, ..Default::default() };
        window.default_style = window.style;
        window.scroll = window.plane.region();
        window.clear();
        self.moved = true;
    }
}

fn line_drawing(character: char) -> char {
    let letters = LETTERS.iter().zip('A'..='K');
    if let Some(((_, line), _)) =
        letters.into_iter().find(|((digit, _), letter)| [*digit, *letter].contains(&character))
    {
        return *line;
    }
    LINES.iter().find(|(from, _)| *from == character).map_or(printable(character), |(_, to)| *to)
}
