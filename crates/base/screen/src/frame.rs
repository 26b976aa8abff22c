//! Frames: what a face has to do to show the screen as it is now.
//!
//! A frame holds states, not the history of calls: a row that was printed a hundred times is in it once. So a program that floods
//! its screen costs a face no more than 60 frames a second, and a face that comes back gets everything in one frame.

use crate::cell::Run;
use crate::controls::{Area, Kind};
use crate::menu::{Menu, Popup};
use crate::message_box::MessageBox;
use crate::mnemonic::CursorMode;
use crate::plane::Region;

/// A column of a list as a face shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Heading {
    /// The heading.
    pub title: String,
    /// The width in columns of the text plane.
    pub width: f32,
    /// 0 left, 1 right, 2 centred.
    pub alignment: u8,
    /// The field of a row that it shows.
    pub field: Option<usize>,
}

/// The state of a control without the rows of its list.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlState {
    /// The handle.
    pub handle: u32,
    /// The directive.
    pub kind: Kind,
    /// The number that the program knows it by.
    pub id: i32,
    /// The number within its group.
    pub sub: i32,
    /// The place on the screen.
    pub area: Area,
    /// The text on it, or in it for text inputs, whose lines are separated by a line feed.
    pub text: String,
    /// True if it is on or pressed.
    pub on: bool,
    /// True if it is drawn as a whole.
    pub visible: bool,
    /// The cells of the screen that windows above cover, of a control that is drawn apart from them and cannot be used. Empty if it is
    /// drawn as a whole or not at all.
    pub covered: Vec<Region>,
    /// True if it can be used.
    pub enabled: bool,
    /// True if its contents can be changed.
    pub locked: bool,
    /// True if a click with the right button is reported (`MNU=`).
    pub has_menu: bool,
    /// The letters of `OPT=`.
    pub options: String,
    /// `LEN=`
    pub length: Option<usize>,
    /// The hot key.
    pub key: Option<char>,
    /// `TIP=`
    pub tip: String,
    /// `MSG=`
    pub message: String,
    /// The form of a list; see [`crate::controls::ListStyle`].
    pub style: u8,
    /// The columns of a list.
    pub headings: Vec<Heading>,
    /// The current column of a grid, from 1; 0 for other controls.
    pub current_column: usize,
    /// The characters before the caret of a text input.
    pub caret: usize,
}

/// The state of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListState {
    /// The handle of the control.
    pub handle: u32,
    /// The number that rows of this state have.
    pub generation: u32,
    /// The number of rows that are shown.
    pub count: usize,
    /// The first row that may differ from what the face knows.
    pub first_changed: usize,
    /// Selected rows, at most [`MOST_SELECTED`].
    pub selected: Vec<u32>,
}

/// The most selected rows that a face is told of.
pub const MOST_SELECTED: usize = 1000;

/// The state of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputState {
    /// The number of the input.
    pub number: u32,
    /// The first column on the screen.
    pub column: u16,
    /// The row on the screen.
    pub row: u16,
    /// The columns that the field has.
    pub width: usize,
    /// The longest text.
    pub longest: usize,
    /// The text; empty if it is hidden.
    pub text: String,
    /// The position of the cursor in the text.
    pub cursor: usize,
    /// The first position that is shown.
    pub scroll: usize,
    /// True if characters are inserted.
    pub insert: bool,
    /// True if typed characters are not shown.
    pub hidden: bool,
    /// True if letters become upper case.
    pub upper: bool,
    /// True if the face must not foresee the effect of keys.
    pub guarded: bool,
    /// True if keys that the editor does not use end the input (`'ME'`).
    pub edit: bool,
    /// True if a character that is typed next takes the place of the whole text.
    pub fresh: bool,
    /// The number of the face's keys that have been used.
    pub keys_done: u32,
}

/// One part of a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// The size of the screen. Everything that follows replaces what the face knows.
    Size {
        /// Columns
        columns: u16,
        /// Rows
        rows: u16,
    },
    /// The cells of a row.
    Row {
        /// The row.
        row: u16,
        /// Its cells; all others are blank.
        runs: Vec<Run>,
    },
    /// The place of the cursor.
    Cursor {
        /// The column.
        column: u16,
        /// The row.
        row: u16,
        /// The look.
        mode: CursorMode,
    },
    /// A control, new or changed.
    Control(Box<ControlState>),
    /// A control that is gone.
    Removed(u32),
    /// The rows or the selection of a list have changed.
    List(ListState),
    /// The control with the focus; none for the input field.
    Focus(Option<u32>),
    /// The input that the program waits for.
    Input(InputState),
    /// The program waits for no input; the number of keys that have been used.
    InputClosed(u32),
    /// A message box that waits for an answer.
    MessageBox(MessageBox),
    /// There is no message box.
    MessageBoxClosed,
    /// The menu bar.
    Menu(Menu),
    /// The menu bar gets the focus.
    MenuFocus,
    /// A popup menu that waits for a choice.
    Popup(Popup),
    /// There is no popup menu.
    PopupClosed,
    /// The text of a segment of the message line.
    MessageLine(u8, String),
    /// A document that the program has printed.
    Document {
        /// Its number.
        number: u32,
        /// Its title.
        title: String,
        /// The number of its pages.
        pages: usize,
    },
    /// The title of the program.
    Caption(String),
    /// The bell.
    Bell,
}

/// A frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Its number; a face acknowledges it after it has drawn it.
    pub sequence: u32,
    /// True if the program waits for the acknowledgement.
    pub barrier: bool,
    /// Its parts, in the order in which they are to be performed.
    pub operations: Vec<Operation>,
}
