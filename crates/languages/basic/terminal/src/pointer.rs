//! The mouse on a terminal: clicks on controls and menus, which a browser gets from its own elements.

use crate::menu::{Effect, group_at};
use crate::view::View;
use mainstay_screen::controls::Kind;
use mainstay_screen::event::{Action, Event, MouseButton};
use mainstay_screen::frame::ControlState;
use mainstay_screen::plane::Region;

/// The mode of a use by the mouse.
const MOUSE: u8 = 1;

impl View {
    /// The events of a button of the mouse over a cell of the terminal, whose size is given.
    pub fn mouse(
        &mut self,
        (column, row): (u16, u16),
        button: MouseButton,
        down: bool,
        size: (u16, u16),
    ) -> Vec<Event> {
        let shift = self.shift(size.1);
        if let Some(menu) = &mut self.open_menu {
            if !down {
                return Vec::new();
            }
            return match menu.click(column, row, Region::sized(size.0, size.1), shift) {
                Effect::Stays => Vec::new(),
                Effect::Closes(event) => {
                    self.open_menu = None;
                    event.into_iter().collect()
                }
            };
        }
        if row < shift {
            let group = group_at(&self.menu.items, column).filter(|_| down);
            return group.and_then(|group| self.open_group(group)).into_iter().collect();
        }
        let row = row.saturating_sub(shift);
        if let Some(list) = self.drop_list.take() {
            let plane = Region::sized(size.0, size.1.saturating_sub(shift));
            return match list.click(column, row, plane) {
                Effect::Closes(event) if down => event.into_iter().collect(),
                _ => {
                    // The button comes up again after the click that has opened the list.
                    self.drop_list = Some(list);
                    Vec::new()
                }
            };
        }
        let control = self.control_at(column, row);
        let is_modal = self.message_box.is_some();
        match control.filter(|_| !is_modal) {
            Some(control) if down => {
                let events = self.click(control, button, (column, row));
                let drops = (control.kind == Kind::DropBox && button == MouseButton::Left).then_some(control.handle);
                drops.map(|handle| self.open_drop_list(handle));
                events
            }
            Some(_) => Vec::new(),
            None => vec![Event::Mouse { column, row, button, down }],
        }
    }

    /// The control that covers a cell of the screen and can be used.
    pub(crate) fn control_at(&self, column: u16, row: u16) -> Option<&ControlState> {
        self.controls.values().rev().find(|control| {
            let cells = cells_of(control);
            let is_inside =
                (cells.column..cells.right()).contains(&column) && (cells.row..cells.bottom()).contains(&row);
            is_inside && control.visible && control.enabled
        })
    }

    fn click(&self, control: &ControlState, button: MouseButton, (column, row): (u16, u16)) -> Vec<Event> {
        let handle = control.handle;
        let mut events = vec![Event::Control { handle, action: Action::Focus }];
        let cells = cells_of(control);
        let action = match (button, control.kind) {
            (MouseButton::Right, _) => control.has_menu.then_some(Action::Menu),
            (_, Kind::Button | Kind::CheckBox | Kind::RadioButton) => Some(Action::Press),
            (_, Kind::ListBox) => {
                let row = self.list_row(control, row - cells.row);
                row.map(|row| Action::Select { row, mode: MOUSE, extend: false })
            }
            (_, Kind::Grid) => {
                let column = self.grid_column(control, column - cells.column);
                let row = self.list_row(control, row - cells.row);
                row.zip(column).map(|(row, column)| Action::Cell { column, row, mode: MOUSE })
            }
            _ => None,
        };
        events.extend(action.map(|action| Event::Control { handle, action }));
        events
    }
}

/// The cells of the screen that a control covers. A drop box shows its choice alone.
fn cells_of(control: &ControlState) -> Region {
    let whole = |number: f32| number.clamp(0.0, 10_000.0) as u16;
    let rows = if control.kind == Kind::DropBox { 1 } else { whole(control.area.rows.ceil()).max(1) };
    let columns = whole(control.area.columns.ceil()).max(1);
    Region { column: whole(control.area.column), row: whole(control.area.row), columns, rows }
}
