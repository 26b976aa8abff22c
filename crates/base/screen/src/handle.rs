//! Events of a face become changes of the screen, entries of the input queue, and values of `CTL`.
//!
//! A browser sends the use of a control as an [`Action`], as its own elements handle keys. A terminal sends keys only: while a
//! control has the focus, [`Screen::event`] turns them into the same actions. Events for controls that are hidden, disabled,
//! covered by a window or gone are ignored, as they may come from a page that is behind.

use crate::characters::typed_byte;
use crate::controls::caret::{self, Effect};
use crate::controls::{Contents, Control, Kind, LONGEST_TEXT};
use crate::event::{Action, Event, Key, KeyPress, MouseButton, ctl};
use crate::input::Queued;
use crate::screen::Screen;

/// The mode of a use by the mouse.
const MOUSE: u8 = 0x01;
/// The mode of a use by Enter.
const ENTER: u8 = 0x0d;

impl Screen {
    /// Performs an event of a face.
    pub fn event(&mut self, event: Event) {
        match event {
            Event::Key(press) => self.key(press),
            Event::Text(text) => self.pasted(&text),
            Event::Field => self.controls.set_focus(None),
            Event::Mouse { column, row, button, down } => self.mouse_event((column, row), button, down),
            Event::Control { handle, action } => self.act(handle, action),
            Event::Menu(path) => {
                if let Some(value) = self.panels.choose_menu(&path) {
                    self.signal(value, vec![MOUSE]);
                }
            }
            Event::Popup { number, path } => self.panels.choose(number, &path),
            Event::Answer { number, button } => self.panels.answer_box(number, button),
            Event::Close => self.signal(ctl::CLOSE, vec![0x80 + 4]),
        }
        self.work();
    }

    fn key(&mut self, press: KeyPress) {
        let breaks = press.modifiers.control && matches!(press.key, Key::Character('c' | 'C'));
        if breaks || (press.key == Key::Escape && !self.panels.has_message_box() && !self.panels.has_popup()) {
            self.input.interrupted = true;
            // Faces count their keys; one that breaks is used at once.
            self.input.keys_done = self.input.keys_done.wrapping_add(1);
            return;
        }
        let used = self.panels.message_box_key(press)
            || self.panels.popup_key(press)
            || self.hot_key(press)
            || self.control_key(press);
        if !used && !press.modifiers.alt && !press.modifiers.control {
            if !self.input.push(Queued::Key(press)) {
                self.ring();
            }
            return;
        }
        self.input.keys_done = self.input.keys_done.wrapping_add(1);
        if !used {
            self.ring();
        }
    }

    fn pasted(&mut self, text: &str) {
        for character in text.chars() {
            let key = if matches!(character, '\n' | '\r') { Key::Enter } else { Key::Character(character) };
            self.key(key.into());
        }
    }

    pub(crate) fn signal(&mut self, value: i32, eom: Vec<u8>) {
        if !self.input.push(Queued::Signal(value, eom)) {
            self.ring();
        }
    }

    fn mouse_event(&mut self, at: (u16, u16), button: MouseButton, down: bool) {
        let screen = self.text.screen();
        (self.mouse.column, self.mouse.row) = (at.0.min(screen.columns() - 1), at.1.min(screen.rows() - 1));
        let (bit, value) = match (button, down) {
            (MouseButton::Left, true) => (1, ctl::LEFT_DOWN),
            (MouseButton::Left, false) => (1, ctl::LEFT_UP),
            (MouseButton::Right, true) => (2, ctl::RIGHT_DOWN),
            (MouseButton::Right, false) => (2, ctl::RIGHT_UP),
        };
        if down {
            self.mouse.buttons |= bit
        } else {
            self.mouse.buttons &= !bit
        }
        // Negative values reach a program in edit mode only, and only when it waits.
        if self.input.modes.edit && self.input.active.is_some() {
            self.signal(value, vec![0]);
        }
    }

    fn hot_key(&mut self, press: KeyPress) -> bool {
        let Key::Character(character) = press.key else { return false };
        if !press.modifiers.alt {
            return false;
        }
        let character = character.to_ascii_lowercase();
        let found =
            self.controls.all().iter().find(|control| control.key == Some(character) && self.is_usable(control));
        let Some((handle, kind)) = found.map(|control| (control.handle, control.name.kind)) else { return false };
        self.focus_on(handle);
        if matches!(kind, Kind::Button | Kind::CheckBox | Kind::RadioButton) {
            self.press(handle, ENTER);
        }
        true
    }

    fn is_usable(&self, control: &Control) -> bool {
        let current = control.window == 0 || control.window == self.text.control_owner();
        control.enabled && control.shown && current
    }

    fn usable(&self, handle: u32) -> Option<&Control> {
        self.controls.by_handle(handle).filter(|control| self.is_usable(control))
    }

    /// The keys of a terminal while a control has the focus, and the tab key. Returns whether the key was used.
    fn control_key(&mut self, press: KeyPress) -> bool {
        let focus = self.controls.focus().filter(|handle| self.usable(*handle).is_some());
        if matches!(press.key, Key::Tab | Key::BackTab) && !self.input.modes.edit {
            return self.move_focus(focus, press.key == Key::Tab);
        }
        let Some(handle) = focus else { return false };
        let Some(kind) = self.controls.by_handle(handle).map(|control| control.name.kind) else { return false };
        match (kind, press.key) {
            (_, Key::Function(10)) if press.modifiers.shift => return self.want_menu(handle),
            (_, Key::Function(_)) if kind != Kind::MultiLine => return false,
            (Kind::Button | Kind::CheckBox | Kind::RadioButton, Key::Enter | Key::Character(' ')) => {
                self.press(handle, ENTER)
            }
            (Kind::ListBox | Kind::DropBox, key) => self.list_key(handle, kind, key),
            (Kind::Grid, key) => self.grid_key(handle, key),
            (Kind::MultiLine, key) => self.text_key(handle, key),
            _ => self.ring(),
        }
        true
    }

    fn move_focus(&mut self, focus: Option<u32>, forward: bool) -> bool {
        let order: Vec<u32> = self.controls.all().iter().filter(|c| self.is_usable(c)).map(|c| c.handle).collect();
        if order.is_empty() {
            return false;
        }
        // The input field is one more place, before the first control.
        let places: Vec<Option<u32>> = std::iter::once(None).chain(order.into_iter().map(Some)).collect();
        let places = if self.input.active.is_some() { &places[..] } else { &places[1..] };
        let at = places.iter().position(|place| *place == focus);
        let count = places.len();
        let next = match (at, forward) {
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
            (None, _) => 0,
        };
        if let Some(left) = focus {
            self.finish(left, 0x09);
        }
        match places.get(next).copied().flatten() {
            Some(handle) => self.focus_on(handle),
            None => self.controls.set_focus(None),
        }
        true
    }

    fn list_key(&mut self, handle: u32, kind: Kind, key: Key) {
        let Some(control) = self.controls.by_handle(handle) else { return };
        let page = (control.area.rows as usize).saturating_sub(1).max(1);
        let Some(list) = control.list() else { return };
        let count = list.shown();
        let row = list.row_of_index(list.selected_index());
        let at = row.unwrap_or(0);
        let target = match key {
            Key::Up => at.saturating_sub(1),
            Key::Down => row.map_or(0, |row| row + 1),
            Key::PageUp => at.saturating_sub(page),
            Key::PageDown => at + page,
            Key::Home => 0,
            Key::End => count,
            Key::Enter => return self.act(handle, Action::Select { row: at, mode: ENTER, extend: true }),
            Key::Left | Key::Right => return self.act(handle, Action::Expand { row: at }),
            Key::Character(start) => {
                let start = start.to_string();
                return self.act(handle, Action::Search { start, from: row.map_or(0, |row| row + 1) });
            }
            _ => return self.ring(),
        };
        if count > 0 {
            let mode = if kind == Kind::DropBox { ENTER } else { 0 };
            self.act(handle, Action::Select { row: target.min(count - 1), mode, extend: false });
        }
    }

    fn grid_key(&mut self, handle: u32, key: Key) {
        let Some(control) = self.controls.by_handle(handle) else { return };
        let (Some((column, row)), Some(list)) = (control.current_cell(), control.list()) else { return };
        // The heading takes one line.
        let page = (control.area.rows as usize).saturating_sub(2).max(1);
        let is_selected = list.selected_index() > 0;
        let (mut column, mut row, count, columns) = (column - 1, row - 1, list.shown(), list.columns.len());
        let mut mode = 0;
        match key {
            Key::Up => row = row.saturating_sub(1),
            Key::Down if is_selected => row += 1,
            // The first cursor key shows the current cell.
            Key::Down => {}
            Key::Left => column = column.saturating_sub(1),
            Key::Right => column += 1,
            Key::PageUp => row = row.saturating_sub(page),
            Key::PageDown => row += page,
            Key::Home => row = 0,
            Key::End => row = count,
            Key::Enter => mode = ENTER,
            _ => return self.ring(),
        }
        if count > 0 {
            let column = column.min(columns.saturating_sub(1));
            self.act(handle, Action::Cell { column, row: row.min(count - 1), mode });
        }
    }

    fn text_key(&mut self, handle: u32, key: Key) {
        let Some(Control { contents: Contents::Text(text), area, caret, locked, .. }) = self.controls.by_handle(handle)
        else {
            return;
        };
        let (is_one_line, is_locked) = (area.rows < 2.0, *locked);
        let mut text: Vec<char> = crate::characters::decode_fields(text, '\n').chars().collect();
        let mut caret = *caret;
        let effect = match key {
            Key::Enter if is_one_line => return self.finish(handle, ENTER),
            Key::Function(number) => return self.finish(handle, 0x80 + number.min(0x7f)),
            key => caret::press(&mut text, &mut caret, key, is_one_line),
        };
        match effect {
            Effect::Unused => return self.ring(),
            Effect::Changed if is_locked => return self.ring(),
            Effect::Changed => self.act(handle, Action::Value(text.into_iter().collect())),
            Effect::Moved => {}
        }
        if let Some(control) = self.controls.by_handle_mut(handle) {
            control.caret = caret;
            control.changed = true;
        }
    }

    fn focus_on(&mut self, handle: u32) {
        let Some((id, value)) = self.usable(handle).map(|control| (control.name.id, control.focus_ctl)) else { return };
        if self.controls.focus() == Some(handle) {
            return;
        }
        self.note_focus(id);
        self.controls.set_focus(Some(handle));
        if let Some(Control { contents: Contents::Text(text), caret, changed, .. }) =
            self.controls.by_handle_mut(handle)
        {
            (*caret, *changed) = (text.len(), true);
        }
        if let Some(value) = value {
            self.signal(value, vec![0]);
        }
    }

    /// Keeps the control with the focus for `MSE`.
    pub(crate) fn note_focus(&mut self, id: i32) {
        self.mouse.last_focus = self.mouse.focus;
        self.mouse.lost_focus = self.mouse.focus;
        self.mouse.focus = id;
    }

    fn act(&mut self, handle: u32, action: Action) {
        if self.usable(handle).is_none() {
            return;
        }
        match action {
            Action::Focus => self.focus_on(handle),
            Action::Press => self.press(handle, MOUSE),
            Action::Select { row, mode, extend } => self.select(handle, row, mode, extend),
            Action::Cell { column, row, mode } => self.use_cell(handle, (Some(column), row), mode),
            Action::Sort { column, descending } => self.change_list(handle, |list| list.sort(column, descending)),
            Action::Expand { row } => self.change_list(handle, |list| list.toggle_branch(row)),
            Action::Value(text) => self.set_value(handle, &text),
            Action::Finish(eom) => self.finish(handle, eom),
            Action::Menu => drop(self.want_menu(handle)),
            Action::Search { start, from } => {
                let list = self.controls.by_handle(handle).and_then(Control::list);
                match list.and_then(|list| list.search(start.as_bytes(), from)) {
                    Some(row) => self.select(handle, row, 0, false),
                    None => self.ring(),
                }
            }
        }
    }

    /// The user wants the menu of a control: it gets the focus, and the value of `MNU=` is reported. False without that.
    fn want_menu(&mut self, handle: u32) -> bool {
        let Some(value) = self.usable(handle).map(|control| control.menu_ctl).filter(|value| *value != 0) else {
            return false;
        };
        self.focus_on(handle);
        self.signal(value, vec![MOUSE]);
        true
    }

    fn change_list(&mut self, handle: u32, change: impl FnOnce(&mut crate::controls::List)) {
        if let Some(list) = self.controls.by_handle_mut(handle).and_then(Control::list_mut) {
            change(list);
        }
    }

    fn press(&mut self, handle: u32, mode: u8) {
        let Some(control) = self.controls.by_handle_mut(handle).filter(|control| !control.locked) else { return };
        control.mode = mode;
        control.changed = true;
        let id = control.name.id;
        match (&mut control.contents, control.name.kind) {
            (Contents::Toggle(_), Kind::RadioButton) => self.controls.choose(handle),
            (Contents::Toggle(on), _) => *on = !*on,
            (Contents::Button(_), _) => {}
            _ => return,
        }
        self.signal(id, vec![mode]);
    }

    fn select(&mut self, handle: u32, row: usize, mode: u8, extend: bool) {
        if self.controls.by_handle(handle).is_some_and(|control| control.name.kind == Kind::Grid) {
            return self.use_cell(handle, (None, row), mode);
        }
        let Some(control) = self.controls.by_handle_mut(handle).filter(|control| !control.locked) else { return };
        let (id, auto, drop_box) = (control.name.id, control.auto, control.name.kind == Kind::DropBox);
        let Some(list) = control.list_mut() else { return };
        let Some(index) = list.index_of_row(row) else { return };
        let before = list.selection().clone();
        if list.multiple && extend && mode != ENTER {
            list.toggle_selected(index);
        } else if !(list.multiple && mode == ENTER) {
            // The index is that of a row: it exists.
            let _ = list.select(0).and_then(|()| list.select(index));
        }
        let changed = *list.selection() != before;
        if mode != 0 {
            control.mode = mode;
        }
        if mode != 0 || ((auto || drop_box) && changed) {
            self.signal(id, vec![mode]);
        }
    }

    /// The user moves to a cell of a grid, in the current column without one, and uses it with a mode. Columns and rows are
    /// numbered from 0.
    fn use_cell(&mut self, handle: u32, (column, row): (Option<usize>, usize), mode: u8) {
        let Some(control) = self.controls.by_handle_mut(handle) else { return };
        let (id, auto, before) = (control.name.id, control.auto, control.current_cell());
        control.changed = true;
        let Some(grid) = control.grid_mut().filter(|grid| row < grid.rows()) else { return };
        let cell = (column.map_or(grid.current().0, |column| column + 1), row + 1);
        let reports = mode != 0 || (auto && before != Some(cell));
        if grid.use_cell(cell, mode, reports) {
            self.signal(id, vec![mode]);
        }
    }

    fn set_value(&mut self, handle: u32, text: &str) {
        let Some(control) = self.controls.by_handle_mut(handle).filter(|control| !control.locked) else { return };
        let (id, auto, upper) = (control.name.id, control.auto, control.has(b'U'));
        let (full, null) = (control.has(b'F'), control.has(b'N'));
        let limit = control.length.unwrap_or(LONGEST_TEXT).min(LONGEST_TEXT);
        let Contents::Text(value) = &mut control.contents else { return };
        let was_empty = value.is_empty();
        value.clear();
        for character in text.chars().take(limit) {
            match character {
                '\n' => value.push(crate::controls::list::SEPARATOR),
                '\r' => {}
                _ => value.push(typed_byte(character, upper)),
            }
        }
        value.truncate(LONGEST_TEXT);
        control.caret = value.len();
        let signals = auto || (full && text.chars().count() >= limit) || (null && was_empty != value.is_empty());
        control.edited = true;
        control.changed = true;
        if signals {
            self.signal(id, vec![0]);
        }
    }

    /// A text input is left, which is reported if it was changed, if a key other than tab ended it, or with `OPT="X"`.
    fn finish(&mut self, handle: u32, eom: u8) {
        let Some(control) = self.controls.by_handle_mut(handle) else { return };
        let exit = control.has(b'X');
        let edited = std::mem::take(&mut control.edited);
        let ended = control.name.kind == Kind::MultiLine && (edited || !matches!(eom, 0 | 0x09));
        let id = control.name.id;
        if ended {
            control.mode = eom;
        }
        self.mouse.lost_focus = id;
        if ended || exit {
            self.signal(id, vec![eom]);
        }
    }
}
