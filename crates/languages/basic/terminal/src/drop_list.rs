//! The open list of a drop box on a terminal, and its keys.
//!
//! A drop box shows its choice alone. A click on it, or the space bar, opens the list below it, or above it where there is more
//! room. The cursor keys move, Enter or a click chooses, Escape or a click elsewhere closes it. The program hears of the choice alone.
//!
//! ```text
//!   Dog           v
//! ┌────────────────┐
//! │ Cat            │
//! │»Dog           «│
//! └────────────────┘
//! ```

use crate::menu::Effect;
use mainstay_screen::cell::{Attributes, Cell, Style};
use mainstay_screen::event::{Action, Event, Key, KeyPress};
use mainstay_screen::frame::ControlState;
use mainstay_screen::plane::{Plane, Region};
use mainstay_screen::window::outline;

/// The way in which an element is chosen, as by the mouse.
const MOUSE: u8 = 1;
/// The rows of an open list without its border, unless the drop box itself is higher.
const ROWS: usize = 6;

/// An open list.
pub struct DropList {
    /// The control.
    pub handle: u32,
    /// The elements.
    count: usize,
    current: usize,
    /// The first row that is shown.
    top: usize,
    /// The place of the drop box on the screen.
    at: (u16, u16),
    columns: u16,
    rows: usize,
}

impl DropList {
    /// The list of a control with so many elements, on the selected one; `None` if it has none.
    pub fn open(control: &ControlState, count: usize, selected: Option<usize>) -> Option<DropList> {
        let rows = count.min((control.area.rows.max(0.0) as usize).saturating_sub(1).max(ROWS));
        let mut list = DropList {
            handle: control.handle,
            count,
            current: selected.unwrap_or(0).min(count.checked_sub(1)?),
            top: 0,
            at: (control.area.column.max(0.0) as u16, control.area.row.max(0.0) as u16),
            columns: (control.area.columns.ceil() as u16).max(4),
            rows,
        };
        list.follow();
        Some(list)
    }

    fn follow(&mut self) {
        self.top = self.top.clamp((self.current + 1).saturating_sub(self.rows), self.current);
    }

    /// Performs a key.
    pub fn key(&mut self, press: KeyPress) -> Effect {
        let last = self.count.saturating_sub(1);
        self.current = match press.key {
            Key::Up => self.current.saturating_sub(1),
            Key::Down => self.current + 1,
            Key::PageUp => self.current.saturating_sub(self.rows),
            Key::PageDown => self.current + self.rows,
            Key::Home => 0,
            Key::End => last,
            Key::Enter | Key::Character(' ') => return self.choose(self.current),
            Key::Escape | Key::Tab | Key::BackTab => return Effect::Closes(None),
            _ => self.current,
        }
        .min(last);
        self.follow();
        Effect::Stays
    }

    fn choose(&self, row: usize) -> Effect {
        let action = Action::Select { row, mode: MOUSE, extend: false };
        Effect::Closes(Some(Event::Control { handle: self.handle, action }))
    }

    /// Performs a click on a cell of the screen.
    pub fn click(&self, column: u16, row: u16, plane: Region) -> Effect {
        let region = self.region(plane);
        let inside = (region.column..region.right()).contains(&column);
        let line = row.checked_sub(region.row + 1).map(usize::from).filter(|line| inside && *line < self.rows);
        match line.map(|line| self.top + line).filter(|row| *row < self.count) {
            Some(row) => self.choose(row),
            None => Effect::Closes(None),
        }
    }

    /// The box with its border.
    fn region(&self, plane: Region) -> Region {
        let rows = (self.rows as u16 + 2).min(plane.rows);
        let below = self.at.1.saturating_add(1);
        let row = if below + rows <= plane.rows { below } else { self.at.1.saturating_sub(rows) };
        let columns = self.columns.min(plane.columns);
        Region { column: self.at.0.min(plane.columns - columns), row, columns, rows }
    }

    /// The first row that is shown, and their number.
    pub fn shown(&self) -> (usize, usize) {
        (self.top, self.rows)
    }

    /// Draws the list with the texts of the rows that are shown.
    pub fn draw(&self, plane: &mut Plane, texts: &[String]) {
        let region = self.region(plane.region());
        plane.clear(region, Style::default());
        for (column, row, character) in outline(region, None) {
            plane.put(column, row, Cell { character, style: Style::default() });
        }
        let inner = usize::from(region.columns.saturating_sub(2));
        let lines = (region.row + 1..region.bottom().saturating_sub(1)).zip(texts);
        for (at, (row, text)) in lines.enumerate() {
            let mut style = Style::default();
            style.attributes.set(Attributes::REVERSE, self.top + at == self.current);
            let text = format!("{text:<inner$}");
            for (column, character) in (region.column + 1..).zip(text.chars().take(inner)) {
                plane.put(column, row, Cell { character, style });
            }
        }
    }
}
