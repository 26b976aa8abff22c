//! The picture of a screen on a terminal: the text plane with controls drawn over it as characters.
//!
//! Controls keep their cells: a list shows as many rows as it is high, a button is `[ text ]`, a check box `[x] text`, a radio
//! button `(*) text`, a drop box its choice and `v`, a grid its headings and rows, moved sideways to the current cell. The control with the focus is reversed. A message box is drawn over
//! everything, the message line below the plane if the terminal has room. The menu bar stands above the plane if the terminal has
//! a row more than the screen; otherwise it is drawn over the first row while it is open.

use crate::drop_list::DropList;
use crate::menu::{Effect, OpenMenu, draw_bar, group_of_letter};
use mainstay_screen::cell::{Attributes, Cell, Colour, Run, Style};
use mainstay_screen::controls::Kind;
use mainstay_screen::event::{Event, Key, KeyPress};
use mainstay_screen::frame::{ControlState, Heading, ListState, Operation};
use mainstay_screen::menu::Menu;
use mainstay_screen::mnemonic::CursorMode;
use mainstay_screen::panels::MessageBox;
use mainstay_screen::plane::{Plane, Region};
use mainstay_screen::window::outline;
use std::collections::BTreeMap;

/// Gives texts of rows of a list: handle, first row, number of rows.
pub type RowSource<'r> = &'r dyn Fn(u32, usize, usize) -> Vec<String>;

/// A list as it is shown.
#[derive(Default)]
struct ShownList {
    count: usize,
    selected: Vec<u32>,
    top: usize,
}

/// The state that frames have described.
pub struct View {
    rows: Vec<Vec<Run>>,
    columns: u16,
    cursor: (u16, u16),
    cursor_mode: CursorMode,
    pub(crate) controls: BTreeMap<u32, ControlState>,
    lists: BTreeMap<u32, ShownList>,
    focus: Option<u32>,
    pub(crate) message_box: Option<MessageBox>,
    messages: [String; 4],
    has_input: bool,
    pub(crate) menu: Menu,
    pub(crate) open_menu: Option<OpenMenu>,
    pub(crate) drop_list: Option<DropList>,
}

/// The use of a key by the face itself.
pub enum KeyUse {
    /// The program gets the key.
    Unused,
    /// The picture has changed.
    Used,
    /// The program gets an event instead.
    Becomes(Event),
}

impl Default for View {
    fn default() -> View {
        View {
            rows: Vec::new(),
            columns: 0,
            cursor: (0, 0),
            cursor_mode: CursorMode::Normal,
            controls: BTreeMap::new(),
            lists: BTreeMap::new(),
            focus: None,
            message_box: None,
            messages: Default::default(),
            has_input: false,
            menu: Menu::default(),
            open_menu: None,
            drop_list: None,
        }
    }
}

impl View {
    /// Takes over one operation of a frame. Returns whether the bell is to ring.
    pub fn perform(&mut self, operation: Operation) -> bool {
        match operation {
            Operation::Size { columns, rows } => {
                *self = View::default();
                self.columns = columns;
                self.rows = vec![Vec::new(); usize::from(rows)];
            }
            Operation::Row { row, runs } => {
                if let Some(place) = self.rows.get_mut(usize::from(row)) {
                    *place = runs;
                }
            }
            Operation::Cursor { column, row, mode } => (self.cursor, self.cursor_mode) = ((column, row), mode),
            Operation::Control(control) => drop(self.controls.insert(control.handle, *control)),
            Operation::Removed(handle) => {
                self.controls.remove(&handle);
                self.lists.remove(&handle);
                self.drop_list.take_if(|open| open.handle == handle);
            }
            Operation::List(list) => {
                self.drop_list.take_if(|open| open.handle == list.handle);
                self.update_list(list);
            }
            Operation::Focus(handle) => self.focus = handle,
            Operation::Input(_) => self.has_input = true,
            Operation::InputClosed(_) => self.has_input = false,
            Operation::MessageBox(message) => self.message_box = Some(message),
            Operation::MessageBoxClosed => self.message_box = None,
            Operation::MessageLine(segment, text) => {
                if let Some(place) = self.messages.get_mut(usize::from(segment)) {
                    *place = text;
                }
            }
            Operation::Bell => return true,
            Operation::Menu(menu) => {
                self.menu = menu;
                self.open_menu.take_if(|open| open.is_bar());
            }
            Operation::MenuFocus if !self.menu.items.is_empty() => {
                self.open_menu = Some(OpenMenu::bar(&self.menu.items, 0));
            }
            Operation::Popup(popup) => self.open_menu = Some(OpenMenu::popup(popup)),
            Operation::PopupClosed => drop(self.open_menu.take_if(|open| !open.is_bar())),
            Operation::MenuFocus | Operation::Caption(_) | Operation::Document { .. } => {}
        }
        false
    }

    fn update_list(&mut self, state: ListState) {
        let height = self.controls.get(&state.handle).map_or(1, rows_of);
        let list = self.lists.entry(state.handle).or_default();
        list.count = state.count;
        list.selected = state.selected;
        if let Some(row) = list.selected.first().map(|row| *row as usize) {
            list.top = list.top.clamp((row + 1).saturating_sub(height), row);
        }
        list.top = list.top.min(state.count.saturating_sub(height));
    }

    /// A key that an open menu uses, or that opens the menu bar.
    pub fn key(&mut self, press: KeyPress) -> KeyUse {
        if let Some(menu) = &mut self.open_menu {
            let Effect::Closes(event) = menu.key(press) else { return KeyUse::Used };
            self.open_menu = None;
            return event.map_or(KeyUse::Used, KeyUse::Becomes);
        }
        if let Some(list) = &mut self.drop_list {
            let Effect::Closes(event) = list.key(press) else { return KeyUse::Used };
            self.drop_list = None;
            return event.map_or(KeyUse::Used, KeyUse::Becomes);
        }
        if press.key == Key::Character(' ')
            && self.message_box.is_none()
            && let Some(handle) = self.focus
            && self.open_drop_list(handle)
        {
            return KeyUse::Used;
        }
        let Key::Character(letter) = press.key else { return KeyUse::Unused };
        let group = group_of_letter(&self.menu.items, letter).filter(|_| press.modifiers.alt);
        let Some(group) = group.filter(|_| self.message_box.is_none()) else { return KeyUse::Unused };
        self.open_group(group).map_or(KeyUse::Used, KeyUse::Becomes)
    }

    /// Opens the list of a drop box; false if the control is none, or has no elements.
    pub(crate) fn open_drop_list(&mut self, handle: u32) -> bool {
        let control = self.controls.get(&handle).filter(|control| control.kind == Kind::DropBox);
        let (Some(control), Some(list)) = (control, self.lists.get(&handle)) else { return false };
        self.drop_list = DropList::open(control, list.count, list.selected.first().map(|row| *row as usize));
        self.drop_list.is_some()
    }

    /// Opens a group of the menu bar; one without elements is chosen at once.
    pub(crate) fn open_group(&mut self, group: usize) -> Option<Event> {
        let mut menu = OpenMenu::bar(&self.menu.items, group);
        match menu.key(Key::Enter.into()) {
            Effect::Stays => {
                self.open_menu = Some(menu);
                None
            }
            Effect::Closes(event) => event,
        }
    }

    /// The rows above the plane on a terminal with so many rows: one for the menu bar if there is room.
    pub fn shift(&self, rows: u16) -> u16 {
        u16::from(!self.menu.items.is_empty() && usize::from(rows) > self.rows.len())
    }

    /// The place of the cursor; none where it is not shown. A control with the focus has it at its current element, which also
    /// shows where the keys go while nothing is selected.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        if self.message_box.is_some() || self.open_menu.is_some() || self.drop_list.is_some() {
            return None;
        }
        match self.focus.and_then(|handle| self.controls.get(&handle)) {
            Some(control) => control.visible.then(|| self.place_in(control)),
            None => (self.cursor_mode != CursorMode::Hidden).then_some(self.cursor),
        }
    }

    /// The cell of a control's current element.
    fn place_in(&self, control: &ControlState) -> (u16, u16) {
        let at = (control.area.column.max(0.0) as u16, control.area.row.max(0.0) as u16);
        let width = (control.area.columns.ceil() as u16).max(1);
        let (column, row) = match control.kind {
            Kind::Button => (2, 0),
            Kind::CheckBox | Kind::RadioButton => (1, 0),
            Kind::DropBox => (0, 0),
            Kind::MultiLine => {
                let caret = Caret::of(control, width);
                (caret.column - caret.left, caret.line - caret.top)
            }
            Kind::ListBox | Kind::Grid => {
                let cell = current_cell(control, width);
                (
                    cell.columns.start.saturating_sub(cell.offset),
                    usize::from(has_headings(control)) + self.line_of(control),
                )
            }
        };
        let column = column.min(usize::from(width) - 1) as u16;
        (at.0.saturating_add(column), at.1.saturating_add(row.min(usize::from(u16::MAX)) as u16))
    }

    /// The line of a list that shows its first selected row; the first line if there is none.
    fn line_of(&self, control: &ControlState) -> usize {
        let list = self.lists.get(&control.handle);
        let line = list.and_then(|list| (*list.selected.first()? as usize).checked_sub(list.top));
        line.filter(|line| *line < rows_of(control)).unwrap_or(0)
    }

    /// Moves the rows of the list at a cell by some lines; false if there is no list.
    pub fn scroll(&mut self, (column, row): (u16, u16), lines: isize, terminal_rows: u16) -> bool {
        let is_modal = self.message_box.is_some() || self.open_menu.is_some();
        let row = row.checked_sub(self.shift(terminal_rows)).filter(|_| !is_modal);
        let Some(control) = row.and_then(|row| self.control_at(column, row)) else { return false };
        let (handle, height) = (control.handle, rows_of(control));
        let Some(list) = self.lists.get_mut(&handle) else { return false };
        list.top = list.top.saturating_add_signed(lines).min(list.count.saturating_sub(height));
        true
    }

    /// The text of the plane alone, for the end of a program: rows without blanks at their ends.
    pub fn text(&self) -> Vec<String> {
        let mut plane = Plane::new(self.columns.max(1), (self.rows.len() as u16).max(1));
        self.draw_plane(&mut plane);
        let text =
            |row: u16| plane.row(row).iter().map(|cell| cell.character).collect::<String>().trim_end().to_owned();
        let mut rows: Vec<String> = (0..plane.rows()).map(text).collect();
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }

    /// The picture for a terminal of this size.
    pub fn picture(&self, columns: u16, rows: u16, source: RowSource<'_>) -> Plane {
        let shift = self.shift(rows);
        let inner = self.screen_picture(columns, rows.saturating_sub(shift), source);
        if shift == 0 && self.open_menu.is_none() {
            return inner;
        }
        let mut plane = Plane::new(columns.max(1), rows.max(1));
        for row in shift..plane.rows() {
            plane.replace_row(row, inner.row(row - shift));
        }
        let group = self.open_menu.as_ref().and_then(OpenMenu::group);
        if shift > 0 || group.is_some() {
            draw_bar(&mut plane, &self.menu.items, group);
        }
        if let Some(menu) = &self.open_menu {
            menu.draw(&mut plane, shift);
        }
        plane
    }

    /// The picture without the menu bar and what is open of it.
    fn screen_picture(&self, columns: u16, rows: u16, source: RowSource<'_>) -> Plane {
        let mut plane = Plane::new(columns.max(1), rows.max(1));
        self.draw_plane(&mut plane);
        self.draw_covered(&mut plane, source);
        for control in self.controls.values().filter(|control| control.visible) {
            self.draw_control(&mut plane, control, source);
        }
        let below = self.rows.len() as u16;
        let message = self.messages.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join("  ");
        let own = self.focus.and_then(|handle| self.controls.get(&handle)).map(|control| control.message.as_str());
        let message = own.filter(|text| !text.is_empty()).unwrap_or(&message);
        if below < plane.rows() {
            put(&mut plane, (0, below), columns, message, Style::default());
        }
        if let Some(list) = &self.drop_list {
            let (top, rows) = list.shown();
            list.draw(&mut plane, &source(list.handle, top, rows));
        }
        if let Some(message) = &self.message_box {
            draw_box(&mut plane, message);
        }
        plane
    }

    /// Controls below windows: the cells that windows cover keep their text.
    fn draw_covered(&self, plane: &mut Plane, source: RowSource<'_>) {
        let text = plane.clone();
        for control in self.controls.values().filter(|control| !control.covered.is_empty()) {
            self.draw_control(plane, control, source);
            let whole = plane.region();
            for region in control.covered.iter().map(|region| region.clamped(whole)) {
                for row in region.row..region.bottom() {
                    for column in region.column..region.right() {
                        plane.put(column, row, text.cell(column, row));
                    }
                }
            }
        }
    }

    fn draw_plane(&self, plane: &mut Plane) {
        for (row, runs) in (0_u16..).zip(&self.rows) {
            for run in runs {
                put(plane, (run.column, row), u16::MAX, &run.text, run.style);
            }
        }
    }

    fn draw_control(&self, plane: &mut Plane, control: &ControlState, source: RowSource<'_>) {
        let at = (control.area.column.max(0.0) as u16, control.area.row.max(0.0) as u16);
        let width = (control.area.columns.ceil() as u16).max(1);
        let mut style = Style::default();
        style.attributes.set(Attributes::REVERSE, self.focus == Some(control.handle));
        style.attributes.set(Attributes::DIM, !control.enabled);
        let text = &control.text;
        let mark = |on: char| if control.on { on } else { ' ' };
        match control.kind {
            Kind::Button => put(plane, at, width, &format!("[ {text} ]"), style),
            Kind::CheckBox => put(plane, at, width, &format!("[{}] {text}", mark('x')), style),
            Kind::RadioButton => put(plane, at, width, &format!("({}) {text}", mark('*')), style),
            Kind::DropBox => {
                let row = self.lists.get(&control.handle).and_then(|list| list.selected.first());
                let chosen = row.map(|row| source(control.handle, *row as usize, 1).concat()).unwrap_or_default();
                let room = usize::from(width.saturating_sub(2));
                let chosen: String = chosen.chars().take(room).collect();
                put(plane, at, width, &format!("{chosen:<room$} v"), style);
            }
            Kind::MultiLine => self.draw_text(plane, control, at, width),
            Kind::ListBox | Kind::Grid => self.draw_list(plane, control, at, width, source),
        }
    }

    /// A text input: the lines around the caret, which is the one cell that is not reversed while it has the focus.
    fn draw_text(&self, plane: &mut Plane, control: &ControlState, at: (u16, u16), width: u16) {
        let mut style = Style::default();
        style.attributes.set(Attributes::REVERSE, self.focus == Some(control.handle));
        style.attributes.set(Attributes::DIM, !control.enabled);
        style.attributes.set(Attributes::UNDERLINE, true);
        let Caret { line, column, top, left } = Caret::of(control, width);
        let is_hidden = control.options.contains('$');
        let rows = rows_of(control);
        let lines = control.text.split('\n').chain(std::iter::repeat("")).skip(top);
        for (offset, (row, text)) in (at.1..at.1.saturating_add(rows as u16)).zip(lines).enumerate() {
            let shown = text.chars().map(|character| if is_hidden { '$' } else { character }).skip(left);
            put_cells(plane, (at.0, row), width, shown.map(|character| Cell { character, style }), style);
            if self.focus == Some(control.handle) && top + offset == line {
                let place = at.0.saturating_add((column - left) as u16);
                let mut cell = plane.cell(place, row);
                cell.style.attributes.set(Attributes::REVERSE, false);
                plane.put(place, row, cell);
            }
        }
    }

    /// The row of a list or a grid at a line of its area, if there is one.
    pub(crate) fn list_row(&self, control: &ControlState, line: u16) -> Option<usize> {
        let list = self.lists.get(&control.handle)?;
        let line = usize::from(line).checked_sub(usize::from(has_headings(control)))?;
        Some(list.top + line).filter(|row| *row < list.count)
    }

    /// The column of a grid at a column of its area, if there is one.
    pub(crate) fn grid_column(&self, control: &ControlState, column: u16) -> Option<usize> {
        let width = (control.area.columns.ceil() as u16).max(1);
        let mut left = (usize::from(column)).saturating_add(current_cell(control, width).offset);
        for (at, heading) in control.headings.iter().enumerate() {
            left = match left.checked_sub(width_of(heading)) {
                Some(left) => left,
                None => return Some(at),
            };
        }
        None
    }

    fn draw_list(&self, plane: &mut Plane, control: &ControlState, at: (u16, u16), width: u16, source: RowSource<'_>) {
        let Some(list) = self.lists.get(&control.handle) else { return };
        let focused = self.focus == Some(control.handle);
        let cell = current_cell(control, width);
        let mut row = at.1;
        if has_headings(control) {
            let titles: Vec<&str> = control.headings.iter().map(|heading| heading.title.as_str()).collect();
            let mut style = Style::default();
            style.attributes.set(Attributes::UNDERLINE, true);
            let text = arranged(&control.headings, |at, _| titles.get(at).copied().unwrap_or_default().to_owned());
            let text: String = text.chars().skip(cell.offset).collect();
            put(plane, (at.0, row), width, &text, style);
            row = row.saturating_add(1);
        }
        let height = rows_of(control);
        let texts = source(control.handle, list.top, height);
        for offset in 0..height {
            let selected = list.selected.binary_search(&((list.top + offset) as u32)).is_ok();
            let mut style = Style::default();
            let is_grid = control.kind == Kind::Grid;
            style.attributes.set(Attributes::REVERSE, selected && !is_grid);
            style.attributes.set(Attributes::UNDERLINE, selected && !focused && !is_grid);
            style.attributes.set(Attributes::DIM, !control.enabled);
            let text = texts.get(offset).map(|text| line(control, text)).unwrap_or_default();
            let cells = coloured(&text, style).enumerate().map(|(at, mut shown)| {
                let is_current = is_grid && selected && cell.columns.contains(&at);
                shown.style.attributes.set(Attributes::REVERSE, is_current || (selected && !is_grid));
                shown
            });
            put_cells(plane, (at.0, row), width, cells.skip(cell.offset), style);
            row = row.saturating_add(1);
        }
    }
}

/// The caret of a text input, and the first line and column of its text that are shown so that the caret is in sight.
struct Caret {
    line: usize,
    column: usize,
    top: usize,
    left: usize,
}

impl Caret {
    fn of(control: &ControlState, width: u16) -> Caret {
        let before: String = control.text.chars().take(control.caret).collect();
        let (line, column) = (before.matches('\n').count(), before.chars().rev().take_while(|c| *c != '\n').count());
        let top = (line + 1).saturating_sub(rows_of(control));
        Caret { line, column, top, left: (column + 1).saturating_sub(usize::from(width)) }
    }
}

/// The current column of a grid on the terminal.
struct CurrentCell {
    /// The characters of a row that it takes.
    columns: std::ops::Range<usize>,
    /// The characters at the start of each row that are not shown.
    offset: usize,
}

/// The current column of a grid, and how far its rows are moved to the left so that the column is within the width.
fn current_cell(control: &ControlState, width: u16) -> CurrentCell {
    let widths = control.headings.iter().map(width_of);
    let start = widths.clone().take(control.current_column.saturating_sub(1)).sum::<usize>();
    let end = start + widths.clone().nth(control.current_column.saturating_sub(1)).unwrap_or(0);
    let is_grid = control.kind == Kind::Grid;
    let offset = if is_grid { end.saturating_sub(usize::from(width)).min(start) } else { 0 };
    CurrentCell { columns: start..end, offset }
}

/// The width of a column in characters.
fn width_of(heading: &Heading) -> usize {
    heading.width.clamp(0.0, 1000.0) as usize
}

fn has_headings(control: &ControlState) -> bool {
    control.style == mainstay_screen::controls::ListStyle::Report as u8 && !control.options.contains('b')
}

/// The rows of a control that show contents.
fn rows_of(control: &ControlState) -> usize {
    let rows = (control.area.rows.ceil() as usize).max(1);
    if has_headings(control) { rows.saturating_sub(1).max(1) } else { rows }
}

/// The text of a row of a list, arranged in its columns or as a branch of a tree.
fn line(control: &ControlState, text: &str) -> String {
    if control.style == mainstay_screen::controls::ListStyle::Tree as u8 {
        let mut parts = text.splitn(3, '\t');
        let depth = parts.next().and_then(|depth| depth.parse::<usize>().ok()).unwrap_or(0);
        let sign = parts.next().unwrap_or_default();
        return format!("{:indent$}{sign} {}", "", parts.next().unwrap_or_default(), indent = depth.min(30) * 2);
    }
    if control.headings.is_empty() {
        return text.replace('\t', " ");
    }
    let fields: Vec<&str> = text.split('\t').collect();
    arranged(&control.headings, |_, heading| {
        heading.field.and_then(|field| fields.get(field)).map(|field| (*field).to_owned()).unwrap_or_default()
    })
}

/// Texts in columns with their widths and alignments.
fn arranged(headings: &[Heading], text: impl Fn(usize, &Heading) -> String) -> String {
    let column = |(at, heading): (usize, &Heading)| {
        let width = width_of(heading);
        let text = text(at, heading);
        let shown: usize = visible(&text).count();
        let free = width.saturating_sub(shown);
        let before = match heading.alignment {
            1 => free,
            2 => free / 2,
            _ => 0,
        };
        format!("{:before$}{text}{:after$}", "", "", after = free - before)
    };
    headings.iter().enumerate().map(column).collect()
}

/// The characters of a text without the marks of its colours.
fn visible(text: &str) -> impl Iterator<Item = char> {
    let mut skip = 0;
    text.chars().filter(move |character| {
        if *character == '\x1b' {
            skip = 3;
        }
        let shown = skip == 0;
        skip = skip.max(1) - 1;
        shown
    })
}

/// The cells of a text with the marks of its colours.
fn coloured(text: &str, style: Style) -> impl Iterator<Item = Cell> {
    let mut style = style;
    let mut mark: Vec<char> = Vec::new();
    text.chars().filter_map(move |character| {
        if character == '\x1b' || !mark.is_empty() {
            mark.push(character);
            if let [_, place, digit] = mark.as_slice() {
                let colour =
                    digit.to_digit(10).and_then(|digit| Colour::ALL.get(digit as usize)).copied().unwrap_or_default();
                if *place == 'f' {
                    style.foreground = colour
                } else {
                    style.background = colour
                }
                mark.clear();
            }
            return None;
        }
        Some(Cell { character, style })
    })
}

fn put(plane: &mut Plane, at: (u16, u16), width: u16, text: &str, style: Style) {
    for (column, character) in (at.0..at.0.saturating_add(width)).zip(text.chars()) {
        plane.put(column, at.1, Cell { character, style });
    }
}

/// Puts cells and fills the width with blanks.
fn put_cells(plane: &mut Plane, at: (u16, u16), width: u16, cells: impl Iterator<Item = Cell>, style: Style) {
    let filled = cells.chain(std::iter::repeat(Cell { character: ' ', style }));
    for (column, cell) in (at.0..at.0.saturating_add(width)).zip(filled) {
        plane.put(column, at.1, cell);
    }
}

fn draw_box(plane: &mut Plane, message: &MessageBox) {
    let buttons: Vec<String> = message.buttons.iter().map(|button| format!("[ {button} ]")).collect();
    let longest = message.lines.iter().map(|line| line.chars().count());
    let widest = longest.chain([message.title.chars().count() + 2, buttons.iter().map(|b| b.len() + 1).sum()]).max();
    let columns = (widest.unwrap_or(10) as u16).saturating_add(4).min(plane.columns());
    let rows = (message.lines.len() as u16).saturating_add(4).min(plane.rows());
    let region = Region { column: (plane.columns() - columns) / 2, row: (plane.rows() - rows) / 2, columns, rows };
    plane.clear(region, Style::default());
    for (column, row, character) in outline(region, Some(&message.title)) {
        plane.put(column, row, Cell { character, style: Style::default() });
    }
    let inner = columns.saturating_sub(4);
    for (row, line) in (region.row + 1..region.bottom().saturating_sub(3)).zip(&message.lines) {
        put(plane, (region.column + 2, row), inner, line, Style::default());
    }
    let mut column = region.column + 2;
    for (at, button) in buttons.iter().enumerate() {
        let mut style = Style::default();
        style.attributes.set(Attributes::REVERSE, at == message.default);
        put(plane, (column, region.bottom().saturating_sub(2)), inner, button, style);
        column = column.saturating_add(button.len() as u16 + 1);
    }
}
