//! Controls: list boxes and their relatives, as the server knows them.
//!
//! The contents of a list are here and not on the client, so that a program can load tens of thousands of rows at
//! memory speed, and a client shows what it needs of them.

use std::collections::BTreeMap;

/// Kinds of controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlClass {
    /// LIST_BOX.
    ListBox,
    /// DROP_BOX.
    DropBox,
    /// BUTTON.
    Button,
    /// CHECK_BOX.
    CheckBox,
    /// RADIO_BUTTON.
    RadioButton,
    /// MULTI_LINE.
    MultiLine,
}

impl ControlClass {
    /// The class of a directive.
    pub fn of(name: &str) -> Option<ControlClass> {
        Some(match name {
            "LIST_BOX" => ControlClass::ListBox,
            "DROP_BOX" => ControlClass::DropBox,
            "BUTTON" => ControlClass::Button,
            "CHECK_BOX" => ControlClass::CheckBox,
            "RADIO_BUTTON" => ControlClass::RadioButton,
            "MULTI_LINE" => ControlClass::MultiLine,
            _ => return None,
        })
    }
}

/// A control.
#[derive(Clone, Debug)]
pub struct Control {
    /// Its class.
    pub class: ControlClass,
    /// Column, line, width and height in characters.
    pub place: [u16; 4],
    /// Its text: of a button, a check box, a multi-line.
    pub text: Vec<u8>,
    /// Its rows.
    pub rows: Vec<Box<[u8]>>,
    /// Bytes of all rows.
    pub row_bytes: usize,
    /// The row that is selected, from 1; 0 for none. On or off for boxes.
    pub selected: usize,
    /// It can be used.
    pub enabled: bool,
    /// It is shown.
    pub visible: bool,
    /// OPT=.
    pub options: Vec<u8>,
}

impl Control {
    /// A control without contents.
    pub fn new(class: ControlClass, place: [u16; 4]) -> Control {
        Control {
            class,
            place,
            text: Vec::new(),
            rows: Vec::new(),
            row_bytes: 0,
            selected: 0,
            enabled: true,
            visible: true,
            options: Vec::new(),
        }
    }

    /// Inserts a row before the one with this number, from 1; 0 appends.
    pub fn insert_row(&mut self, index: usize, text: &[u8]) {
        self.row_bytes += text.len();
        match index.checked_sub(1).filter(|at| *at < self.rows.len()) {
            Some(at) => self.rows.insert(at, text.into()),
            None => self.rows.push(text.into()),
        }
    }

    /// Removes a row.
    pub fn remove_row(&mut self, index: usize) -> bool {
        match index.checked_sub(1).filter(|at| *at < self.rows.len()) {
            Some(at) => {
                self.row_bytes -= self.rows.remove(at).len();
                true
            }
            None => false,
        }
    }

    /// Replaces all rows.
    pub fn set_rows(&mut self, rows: Vec<Box<[u8]>>) {
        self.row_bytes = rows.iter().map(|row| row.len()).sum();
        self.rows = rows;
        self.selected = 0;
    }
}

/// The controls of a screen, by number.
#[derive(Debug, Default)]
pub struct Controls {
    controls: BTreeMap<i64, Control>,
    /// The control with the focus.
    pub focus: i64,
}

impl Controls {
    /// A control.
    pub fn get(&self, id: i64) -> Option<&Control> {
        self.controls.get(&id)
    }

    /// A control, to change it.
    pub fn get_mut(&mut self, id: i64) -> Option<&mut Control> {
        self.controls.get_mut(&id)
    }

    /// Adds a control. False if there is one of this number.
    pub fn insert(&mut self, id: i64, control: Control) -> bool {
        let is_new = !self.controls.contains_key(&id);
        if is_new {
            self.controls.insert(id, control);
        }
        is_new
    }

    /// Removes a control.
    pub fn remove(&mut self, id: i64) -> bool {
        self.controls.remove(&id).is_some()
    }

    /// Numbers and controls.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &Control)> {
        self.controls.iter().map(|(id, control)| (*id, control))
    }
}
