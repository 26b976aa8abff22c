//! Menus on a terminal: the bar in the first row, popup menus, and their keys.
//!
//! A bar stays closed until Alt and a letter, a click, or the program opens it. An open menu takes all keys: the cursor keys move,
//! Enter or a letter chooses, Escape closes one level. The program hears of the choice alone.
//!
//! ```text
//!  File  Edit             path [0]: the bar has the focus
//! ┌──────────┐            path [0, 1]: the second element below the first group is current
//! │ Open     │
//! │ Save    >│┌──────┐    path [0, 1, 0]: one level deeper
//! └──────────┘│ All  │
//!             └──────┘
//! ```

use mainstay_screen::cell::{Attributes, Cell, Style};
use mainstay_screen::event::{Event, Key, KeyPress};
use mainstay_screen::menu::{MenuItem, Popup};
use mainstay_screen::plane::{Plane, Region};
use mainstay_screen::window::outline;

/// The blanks around the text of a group in the bar.
const GAP: u16 = 1;

/// An open menu.
pub struct OpenMenu {
    /// The number and the place of a popup menu; `None` for the bar.
    popup: Option<(u32, (u16, u16))>,
    items: Vec<MenuItem>,
    /// The current element of each open level.
    path: Vec<usize>,
}

/// The effect of a key or a click on an open menu.
pub enum Effect {
    /// The menu stays open.
    Stays,
    /// The menu is closed; the program is told this, if anything.
    Closes(Option<Event>),
}

impl OpenMenu {
    /// The bar with the focus on a group.
    pub fn bar(items: &[MenuItem], group: usize) -> OpenMenu {
        OpenMenu { popup: None, items: items.to_vec(), path: vec![group] }
    }

    /// A popup menu on its first element.
    pub fn popup(popup: Popup) -> OpenMenu {
        let mut menu = OpenMenu { popup: Some((popup.number, popup.at)), items: popup.items, path: vec![0] };
        menu.path = vec![menu.first_of(&menu.items)];
        menu
    }

    /// True for the bar.
    pub fn is_bar(&self) -> bool {
        self.popup.is_none()
    }

    fn first_of(&self, items: &[MenuItem]) -> usize {
        items.iter().position(|item| !item.text.is_empty()).unwrap_or(0)
    }

    /// The elements of a level, counted from 0.
    fn level(&self, level: usize) -> &[MenuItem] {
        let above = self.path.get(..level).unwrap_or_default();
        above.iter().fold(&self.items[..], |items, at| items.get(*at).map_or(&[][..], |item| &item.items))
    }

    fn current(&self) -> Option<&MenuItem> {
        let (at, above) = self.path.split_last()?;
        self.level(above.len()).get(*at)
    }

    /// Opens the level below the current element; false if it has none.
    fn descend(&mut self) -> bool {
        let below = self.current().filter(|item| item.enabled).map(|item| self.first_of(&item.items));
        let has_items = self.current().is_some_and(|item| item.enabled && !item.items.is_empty());
        if let Some(first) = below.filter(|_| has_items) {
            self.path.push(first);
        }
        has_items
    }

    /// Chooses the current element or opens what is below it.
    fn choose(&mut self) -> Effect {
        if self.descend() {
            return Effect::Stays;
        }
        match self.current().filter(|item| item.enabled && !item.text.is_empty()).map(|item| item.path.clone()) {
            Some(path) => Effect::Closes(Some(self.event(path))),
            None => Effect::Stays,
        }
    }

    fn event(&self, path: String) -> Event {
        match self.popup {
            Some((number, _)) => Event::Popup { number, path },
            None => Event::Menu(path),
        }
    }

    /// Closes the menu without a choice, which the program of a popup menu waits for.
    pub fn close(&self) -> Effect {
        Effect::Closes(self.popup.map(|(number, _)| Event::Popup { number, path: String::new() }))
    }

    fn step(&mut self, forward: bool) {
        let level = self.path.len().saturating_sub(1);
        let texts: Vec<bool> = self.level(level).iter().map(|item| !item.text.is_empty()).collect();
        let Some(at) = self.path.last_mut().filter(|_| texts.contains(&true)) else { return };
        loop {
            *at = if forward { (*at + 1) % texts.len() } else { (*at + texts.len() - 1) % texts.len() };
            if texts.get(*at) == Some(&true) {
                return;
            }
        }
    }

    /// Another group of the bar, open if one was.
    fn step_group(&mut self, forward: bool) {
        let was_open = self.path.len() > 1;
        self.path.truncate(1);
        self.step(forward);
        if was_open {
            self.descend();
        }
    }

    /// Performs a key.
    pub fn key(&mut self, press: KeyPress) -> Effect {
        let in_bar = self.is_bar() && self.path.len() == 1;
        match press.key {
            Key::Escape if self.path.len() > 1 => drop(self.path.pop()),
            Key::Escape => return self.close(),
            Key::Left | Key::Right if in_bar => self.step(press.key == Key::Right),
            Key::Down | Key::Up if in_bar => drop(self.descend()),
            Key::Down | Key::Tab => self.step(true),
            Key::Up | Key::BackTab => self.step(false),
            Key::Right if self.descend() => {}
            Key::Right if self.is_bar() => self.step_group(true),
            Key::Left if self.is_bar() && self.path.len() == 2 => self.step_group(false),
            Key::Left if self.path.len() > 1 => drop(self.path.pop()),
            Key::Enter => return self.choose(),
            Key::Character(letter) => {
                let level = self.path.len().saturating_sub(1);
                let has_letter =
                    |item: &MenuItem| item.path.chars().last().is_some_and(|last| last.eq_ignore_ascii_case(&letter));
                if let Some(found) = self.level(level).iter().position(has_letter) {
                    self.path.truncate(level);
                    self.path.push(found);
                    return self.choose();
                }
            }
            _ => {}
        }
        Effect::Stays
    }

    /// Performs a click on a cell of the picture, whose screen begins `shift` rows below its top: chooses what is there, or closes
    /// the menu.
    pub fn click(&mut self, column: u16, row: u16, plane: Region, shift: u16) -> Effect {
        if self.is_bar() && row == 0 {
            let Some(group) = group_at(&self.items, column) else { return self.close() };
            self.path = vec![group];
            self.descend();
            return Effect::Stays;
        }
        for (level, region) in self.boxes(plane, shift).into_iter().enumerate().rev() {
            let is_inside =
                (region.column..region.right()).contains(&column) && (region.row..region.bottom()).contains(&row);
            if is_inside {
                let level = level + usize::from(self.is_bar());
                let at = usize::from(row - region.row).wrapping_sub(1);
                if self.level(level).get(at).is_some_and(|item| !item.text.is_empty()) {
                    self.path.truncate(level);
                    self.path.push(at);
                    return self.choose();
                }
                return Effect::Stays;
            }
        }
        self.close()
    }

    /// The boxes of the open levels, without that of the bar. Popup menus have places of the screen, which begins `shift` rows below
    /// the top of the picture.
    fn boxes(&self, plane: Region, shift: u16) -> Vec<Region> {
        let first = usize::from(self.is_bar());
        let mut at = match (self.popup, self.path.first()) {
            (Some((_, (column, row))), _) => (column, row.saturating_add(shift)),
            (None, group) => (group_column(&self.items, group.copied().unwrap_or(0)), 1),
        };
        let mut boxes = Vec::new();
        for level in first..self.path.len() {
            let items = self.level(level);
            let width_of = |item: &MenuItem| text_of(item).chars().count() + if item.items.is_empty() { 0 } else { 2 };
            let width = items.iter().map(width_of).max().unwrap_or(0) as u16;
            let columns = width.saturating_add(4).min(plane.columns);
            let rows = (items.len() as u16).saturating_add(2).min(plane.rows);
            let column = at.0.min(plane.columns - columns);
            let row = at.1.min(plane.rows - rows);
            boxes.push(Region { column, row, columns, rows });
            let current = self.path.get(level).copied().unwrap_or(0) as u16;
            at = (column.saturating_add(columns), row.saturating_add(current));
        }
        boxes
    }

    /// Draws the open levels into a picture whose screen begins `shift` rows below its top.
    pub fn draw(&self, plane: &mut Plane, shift: u16) {
        let first = usize::from(self.is_bar());
        for (level, region) in (first..).zip(self.boxes(plane.region(), shift)) {
            plane.clear(region, Style::default());
            for (column, row, character) in outline(region, None) {
                plane.put(column, row, Cell { character, style: Style::default() });
            }
            let inner = usize::from(region.columns.saturating_sub(2));
            let lines = (region.row + 1..region.bottom().saturating_sub(1)).zip(self.level(level));
            for (at, (row, item)) in lines.enumerate() {
                let mut style = Style::default();
                style.attributes.set(Attributes::DIM, !item.enabled);
                style.attributes.set(Attributes::REVERSE, self.path.get(level) == Some(&at));
                let text = if item.text.is_empty() { "─".repeat(inner) } else { format!(" {} ", text_of(item)) };
                let sign = if item.items.is_empty() { "" } else { ">" };
                let line = format!("{text:<width$}{sign}", width = inner.saturating_sub(sign.len()));
                for (column, character) in (region.column + 1..).zip(line.chars().take(inner)) {
                    plane.put(column, row, Cell { character, style });
                }
            }
        }
    }

    /// The group of the bar that has the focus.
    pub fn group(&self) -> Option<usize> {
        self.path.first().copied().filter(|_| self.is_bar())
    }
}

/// The text of an element with its check mark; a tab stands before the name of a key.
fn text_of(item: &MenuItem) -> String {
    let mark = if item.checked { "√ " } else { "" };
    format!("{mark}{}", item.text.replace('\t', "   "))
}

/// Draws the closed bar into the first row.
pub fn draw_bar(plane: &mut Plane, items: &[MenuItem], current: Option<usize>) {
    let mut style = Style::default();
    style.attributes.set(Attributes::UNDERLINE, true);
    for column in 0..plane.columns() {
        plane.put(column, 0, Cell { character: ' ', style });
    }
    for (at, item) in items.iter().enumerate() {
        let mut style = style;
        style.attributes.set(Attributes::REVERSE, current == Some(at));
        style.attributes.set(Attributes::DIM, !item.enabled);
        let start = group_column(items, at);
        for (column, character) in (start..).zip(format!(" {} ", item.text).chars()) {
            plane.put(column, 0, Cell { character, style });
        }
    }
}

/// The column where a group of the bar begins.
fn group_column(items: &[MenuItem], group: usize) -> u16 {
    items.iter().take(group).map(|item| item.text.chars().count() as u16 + 2 * GAP).sum()
}

/// The group of the bar in a column of its row.
pub fn group_at(items: &[MenuItem], column: u16) -> Option<usize> {
    (0..items.len()).find(|group| (group_column(items, *group)..group_column(items, group + 1)).contains(&column))
}

/// The group of the bar that Alt and a letter open.
pub fn group_of_letter(items: &[MenuItem], letter: char) -> Option<usize> {
    items.iter().position(|item| item.path.chars().last().is_some_and(|last| last.eq_ignore_ascii_case(&letter)))
}
