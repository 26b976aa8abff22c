//! Controls: grids, list boxes, drop boxes, buttons, check boxes, radio buttons and text inputs.
//!
//! A program names a control by its number; a radio button also by the number within its group. Controls belong to the window
//! that was current when they were created and go with it, global ones stay (manual, `directives/button`). Faces name a
//! control by its handle, which is never used twice.

pub(crate) mod caret;
pub mod columns;
pub mod grid;
pub mod list;
pub mod properties;
pub mod rows;
mod tree;
mod verbs;

pub use grid::Grid;
pub use list::{List, ListStyle};
pub use properties::{Properties, PropertyValue};

use crate::characters::decode;
use crate::error::{CONTROL, CONTROL_ARGUMENT, Result, ScreenError};

/// The most controls of a screen.
const MOST_CONTROLS: usize = 4096;
/// The longest text of a text input in bytes.
pub const LONGEST_TEXT: usize = 1 << 20;

/// The directive that a control belongs to; the discriminant is its number on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// `BUTTON`
    Button,
    /// `CHECK_BOX`
    CheckBox,
    /// `RADIO_BUTTON`
    RadioButton,
    /// `LIST_BOX`
    ListBox,
    /// `DROP_BOX`
    DropBox,
    /// `MULTI_LINE`
    MultiLine,
    /// `GRID`
    Grid,
}

impl Kind {
    /// The name of the directive.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Button => "BUTTON",
            Kind::CheckBox => "CHECK_BOX",
            Kind::RadioButton => "RADIO_BUTTON",
            Kind::ListBox => "LIST_BOX",
            Kind::DropBox => "DROP_BOX",
            Kind::MultiLine => "MULTI_LINE",
            Kind::Grid => "GRID",
        }
    }
}

/// A control as a program names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The directive.
    pub kind: Kind,
    /// The number, -32000 to 32000.
    pub id: i32,
    /// The number within a group of radio buttons; 0 for the others.
    pub sub: i32,
}

impl Name {
    /// The name of a control that is no radio button.
    pub fn new(kind: Kind, id: i32) -> Name {
        Name { kind, id, sub: 0 }
    }
}

/// `@(column,line,width,height)` in columns and lines of the window; fractions are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    /// The first column.
    pub column: f32,
    /// The first line.
    pub row: f32,
    /// The width.
    pub columns: f32,
    /// The height.
    pub rows: f32,
}

/// The definition of a control.
#[derive(Clone, Debug, Default)]
pub struct Definition {
    /// Its place.
    pub area: Area,
    /// The text on it.
    pub contents: Vec<u8>,
    /// The letters of `OPT=`.
    pub options: Vec<u8>,
    /// `FMT=`
    pub format: Vec<u8>,
    /// `LEN=`
    pub length: Option<usize>,
    /// `KEY=`: the letter that focuses it together with Alt.
    pub key: Option<char>,
    /// `MSG=`: the text of the message line while it has the focus.
    pub message: Vec<u8>,
    /// `TIP=`
    pub tip: Vec<u8>,
    /// `SEP=`: the separator of a grid's cells.
    pub separator: Option<u8>,
    /// `MNU=`: the value of `CTL` when its menu is wanted; 0 for none.
    pub menu_ctl: i32,
    /// `TBL=`: a character for each element, state or radio button.
    pub table: Vec<u8>,
    /// `FNT=`, which is kept only.
    pub font: Vec<u8>,
    /// True if it belongs to no window (`*` before its number).
    pub global: bool,
}

/// The contents of a control.
#[derive(Clone, Debug)]
pub enum Contents {
    /// A button, and whether it is pressed.
    Button(bool),
    /// A check box or a radio button, and whether it is on.
    Toggle(bool),
    /// A list box or a drop box.
    List(Box<List>),
    /// A grid.
    Grid(Box<Grid>),
    /// The text of a text input; lines are separated by `SEP`.
    Text(Vec<u8>),
}

/// One control.
#[derive(Clone, Debug)]
pub struct Control {
    /// Its name to faces.
    pub handle: u32,
    /// Its name to programs.
    pub name: Name,
    /// The serial number of its window; 0 for a global one.
    pub window: u32,
    /// Its place in the window.
    pub area: Area,
    /// The place of the window's grid on the screen when it was created.
    pub origin: (u16, u16),
    /// The text on it, with `&` before its hot key and pictures removed.
    pub text: String,
    /// The letters of `OPT=`.
    pub options: Vec<u8>,
    /// The contents.
    pub contents: Contents,
    /// `LEN=`
    pub length: Option<usize>,
    /// The letter that reaches it together with Alt.
    pub key: Option<char>,
    /// `MSG=`
    pub message: String,
    /// `TIP=`
    pub tip: String,
    /// True if it can be used.
    pub enabled: bool,
    /// True if it is shown.
    pub shown: bool,
    /// True if the user can change it.
    pub locked: bool,
    /// True if every change is reported (`AUTO`, `OPT="A"`).
    pub auto: bool,
    /// The value of `CTL` when its menu is wanted (`MNU=`); 0 for none.
    pub menu_ctl: i32,
    /// `TBL=`
    pub table: Vec<u8>,
    /// State that properties alone use.
    pub properties: Properties,
    /// The value of `CTL` when it gets the focus (`SET_FOCUS`).
    pub focus_ctl: Option<i32>,
    /// The user's last action on it: 1 for the mouse, 2 for a double click, 0D for Enter; reading it resets it.
    pub mode: u8,
    /// True if the user has changed the text since the control got the focus.
    pub edited: bool,
    /// The characters of the text before the caret, for faces whose keys the screen interprets; at the end if the text is
    /// shorter.
    pub caret: usize,
    /// True if a face has to be told of it.
    pub changed: bool,
}

impl Control {
    /// True if `OPT=` has a letter.
    pub fn has(&self, letter: u8) -> bool {
        self.options.contains(&letter)
    }

    /// True if it has this number and belongs to this window, or is global.
    pub fn is_of(&self, id: i32, window: u32) -> bool {
        self.name.id == id && (self.window == window || self.window == 0)
    }

    /// The list of a list box or a drop box, or the rows of a grid.
    pub fn list(&self) -> Option<&List> {
        match &self.contents {
            Contents::List(list) => Some(list),
            Contents::Grid(grid) => Some(&grid.list),
            _ => None,
        }
    }

    /// The list of a list box or a drop box, or the rows of a grid, to be changed.
    pub fn list_mut(&mut self) -> Option<&mut List> {
        match &mut self.contents {
            Contents::List(list) => Some(list),
            Contents::Grid(grid) => Some(&mut grid.list),
            _ => None,
        }
    }

    /// The grid.
    pub fn grid_mut(&mut self) -> Option<&mut Grid> {
        match &mut self.contents {
            Contents::Grid(grid) => Some(grid),
            _ => None,
        }
    }

    /// The current cell of a grid: column and row from 1.
    pub fn current_cell(&self) -> Option<grid::Cell> {
        match &self.contents {
            Contents::Grid(grid) => Some(grid.current()),
            _ => None,
        }
    }

    /// The cells of the screen that it covers.
    pub fn cells(&self) -> crate::plane::Region {
        let whole = |number: f32| number.clamp(0.0, 10_000.0) as u16;
        let (column, row) = (whole(self.area.column), whole(self.area.row));
        crate::plane::Region {
            column: column.saturating_add(self.origin.0),
            row: row.saturating_add(self.origin.1),
            columns: whole((self.area.column.fract() + self.area.columns).ceil()).max(1),
            rows: whole((self.area.row.fract() + self.area.rows).ceil()).max(1),
        }
    }
}

/// The controls of a screen, in the order of their creation, which is that of the tab key.
#[derive(Debug, Default)]
pub struct Controls {
    all: Vec<Control>,
    next_handle: u32,
    /// Handles that faces have to forget.
    removed: Vec<u32>,
    /// The control with the focus.
    focus: Option<u32>,
    /// True if the focus has moved since the last frame.
    focus_changed: bool,
    /// The radio buttons that properties of their groups name (`'Id`).
    radio_ids: Vec<(i32, i32)>,
}

impl Controls {
    /// All controls.
    pub fn all(&self) -> &[Control] {
        &self.all
    }

    /// All controls, to be changed.
    pub(crate) fn all_mut(&mut self) -> &mut [Control] {
        &mut self.all
    }

    /// A control by its handle.
    pub fn by_handle(&self, handle: u32) -> Option<&Control> {
        self.all.iter().find(|control| control.handle == handle)
    }

    pub(crate) fn by_handle_mut(&mut self, handle: u32) -> Option<&mut Control> {
        self.all.iter_mut().find(|control| control.handle == handle)
    }

    /// The handle of the control with the focus.
    pub fn focus(&self) -> Option<u32> {
        self.focus
    }

    /// Gives a control the focus, or takes it from all.
    pub fn set_focus(&mut self, handle: Option<u32>) {
        self.focus_changed |= self.focus != handle;
        self.focus = handle;
    }

    pub(crate) fn take_focus_changed(&mut self) -> bool {
        std::mem::take(&mut self.focus_changed)
    }

    pub(crate) fn take_removed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.removed)
    }

    /// Creates a control in a window whose grid starts at `origin` of the screen.
    ///
    /// Errors: 60 for a number out of range or an area without size, 65 if it exists.
    pub fn create(&mut self, name: Name, definition: Definition, window: u32, origin: (u16, u16)) -> Result<u32> {
        if !(-32_000..=32_000).contains(&name.id) {
            return Err(ScreenError::new(
                CONTROL_ARGUMENT,
                format!("{} {} is out of range", name.kind.name(), name.id),
            ));
        }
        let window = if definition.global { 0 } else { window };
        if self.position(name, window).is_some() {
            return Err(ScreenError::new(CONTROL, format!("{} {} exists already", name.kind.name(), name.id)));
        }
        if self.all.len() >= MOST_CONTROLS {
            return Err(ScreenError::new(CONTROL_ARGUMENT, "A screen has no more than 4,096 controls"));
        }
        let Area { column, row, columns, rows } = definition.area;
        if ![column, row, columns, rows].iter().all(|number| number.is_finite()) || columns <= 0.0 || rows <= 0.0 {
            return Err(ScreenError::new(CONTROL_ARGUMENT, format!("{} {} has no area", name.kind.name(), name.id)));
        }
        self.next_handle += 1;
        self.all.push(new_control(self.next_handle, name, definition, window, origin));
        Ok(self.next_handle)
    }

    fn position(&self, name: Name, window: u32) -> Option<usize> {
        self.all.iter().position(|control| control.name == name && control.window == window)
    }

    /// The control of a name: of the given window, else a global one, else of any window.
    ///
    /// Errors: 65.
    pub fn get_mut(&mut self, name: Name, window: u32) -> Result<&mut Control> {
        let at = self.position(name, window).or_else(|| self.position(name, 0));
        let at = at.or_else(|| self.all.iter().rposition(|control| control.name == name));
        let missing = || ScreenError::new(CONTROL, format!("{} {} does not exist", name.kind.name(), name.id));
        at.and_then(|at| self.all.get_mut(at)).ok_or_else(missing)
    }

    /// Removes a control. Errors: 65.
    pub fn remove(&mut self, name: Name, window: u32) -> Result<()> {
        let handle = self.get_mut(name, window)?.handle;
        self.retain(|control| control.handle != handle);
        Ok(())
    }

    /// Removes all controls that do not satisfy a condition.
    pub fn retain(&mut self, mut keep: impl FnMut(&Control) -> bool) {
        let Controls { all, removed, .. } = self;
        all.retain(|control| {
            let stays = keep(control);
            if !stays {
                removed.push(control.handle);
            }
            stays
        });
        let all = &self.all;
        self.radio_ids.retain(|(group, _)| all.iter().any(|control| control.name.id == *group));
        if self.focus.is_some_and(|focus| self.by_handle(focus).is_none()) {
            self.set_focus(None);
        }
    }

    /// Turns on a radio button and turns off the others of its group.
    pub(crate) fn choose(&mut self, handle: u32) {
        let Some((name, window)) = self.by_handle(handle).map(|control| (control.name, control.window)) else { return };
        for control in &mut self.all {
            if control.name.kind == Kind::RadioButton && control.name.id == name.id && control.window == window {
                control.contents = Contents::Toggle(control.handle == handle);
                control.changed = true;
            }
        }
    }
}

fn new_control(handle: u32, name: Name, definition: Definition, window: u32, origin: (u16, u16)) -> Control {
    let has = |letter: u8| definition.options.contains(&letter);
    let format = decode(&definition.format);
    let contents = match name.kind {
        Kind::Button => Contents::Button(false),
        Kind::CheckBox | Kind::RadioButton => Contents::Toggle(false),
        Kind::ListBox | Kind::DropBox => Contents::List(Box::new(List::new(&definition.options, &format))),
        Kind::MultiLine => Contents::Text(Vec::new()),
        Kind::Grid => Contents::Grid(Box::new(Grid::new(&definition.options, &format, definition.separator))),
    };
    let (text, hot_key) = label(&decode(&definition.contents));
    Control {
        handle,
        name,
        window,
        area: definition.area,
        origin,
        text,
        contents,
        length: definition.length,
        key: definition.key.or(hot_key).map(|key| key.to_ascii_lowercase()),
        message: decode(&definition.message).into_owned(),
        tip: decode(&definition.tip).into_owned(),
        enabled: !has(b'D') && !has(b'd'),
        shown: !has(b'H') && !has(b'h'),
        locked: has(b'L'),
        auto: has(b'A'),
        menu_ctl: definition.menu_ctl,
        table: definition.table,
        properties: Properties::new(definition.contents, definition.format, definition.font),
        focus_ctl: None,
        mode: 0,
        edited: false,
        caret: usize::MAX,
        changed: true,
        options: definition.options,
    }
}

/// The text of a control without pictures in braces and without `&`, and the letter behind it.
fn label(contents: &str) -> (String, Option<char>) {
    let (mut text, mut key) = (String::new(), None);
    let mut characters = contents.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '{' => drop(characters.find(|c| *c == '}')),
            '&' if characters.peek() == Some(&'&') => text.extend(characters.next()),
            '&' => key = key.or(characters.peek().copied()),
            _ => text.push(character),
        }
    }
    (text, key)
}
