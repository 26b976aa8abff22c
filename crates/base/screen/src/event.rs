//! Events of a face: keys, the mouse, and the use of controls; and the values of `CTL` that end an input.

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Character(char),
    /// Enter
    Enter,
    /// Tab
    Tab,
    /// Shift and Tab
    BackTab,
    /// Backspace
    Backspace,
    /// Delete
    Delete,
    /// Insert
    Insert,
    /// Cursor left
    Left,
    /// Cursor right
    Right,
    /// Cursor up
    Up,
    /// Cursor down
    Down,
    /// Home
    Home,
    /// End
    End,
    /// Page up
    PageUp,
    /// Page down
    PageDown,
    /// Escape
    Escape,
    /// A function key, 1 to 24
    Function(u8),
}

/// Keys that are held with another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Shift
    pub shift: bool,
    /// Control
    pub control: bool,
    /// Alt
    pub alt: bool,
}

/// A key that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPress {
    /// The key.
    pub key: Key,
    /// Keys held with it.
    pub modifiers: Modifiers,
}

impl From<Key> for KeyPress {
    fn from(key: Key) -> KeyPress {
        KeyPress { key, modifiers: Modifiers::default() }
    }
}

/// A button of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseButton {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// The use of a control. Rows are numbered from 0 as they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It got the focus.
    Focus,
    /// A button was pressed, or a check box or radio button switched.
    Press,
    /// A row was selected; 1 for the mouse, 2 for a double click, 0D for Enter, 0 for the cursor keys.
    Select {
        /// The row.
        row: usize,
        /// The way in which it was selected.
        mode: u8,
        /// True if the selection of other rows stays.
        extend: bool,
    },
    /// A cell of a grid was made the current one, or used: the mode is that of [`Action::Select`].
    Cell {
        /// The column, from 0.
        column: usize,
        /// The row.
        row: usize,
        /// The way in which it was used.
        mode: u8,
    },
    /// The heading of a column was pressed.
    Sort {
        /// The column.
        column: usize,
        /// The direction.
        descending: bool,
    },
    /// A branch of a tree was expanded or collapsed.
    Expand {
        /// The row.
        row: usize,
    },
    /// The text of a text input is now this.
    Value(String),
    /// A text input was left: 0 by the focus, 09 by tab, 0D by Enter, 80 and a number by a function key.
    Finish(u8),
    /// The menu of the control is wanted: a click with the right button, or the key for it.
    Menu,
    /// The first row from `from` that begins with a text is to be selected.
    Search {
        /// The start of the row.
        start: String,
        /// The row where the search begins.
        from: usize,
    },
}

/// An event of a face.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A key was pressed.
    Key(KeyPress),
    /// Text was pasted or composed.
    Text(String),
    /// The input field got the focus: no control has it.
    Field,
    /// A button of the mouse went down or up over a cell of the screen.
    Mouse {
        /// The column.
        column: u16,
        /// The row.
        row: u16,
        /// The button.
        button: MouseButton,
        /// True if it went down.
        down: bool,
    },
    /// A control was used.
    Control {
        /// Its handle.
        handle: u32,
        /// The use.
        action: Action,
    },
    /// An element of the menu was chosen, by its path.
    Menu(String),
    /// An element of a popup menu was chosen, by its path; the empty path closes it without a choice.
    Popup {
        /// The number of the popup menu.
        number: u32,
        /// The path.
        path: String,
    },
    /// A button of a message box was pressed.
    Answer {
        /// The number of the message box.
        number: u32,
        /// The index of the button.
        button: usize,
    },
    /// The user asks the program to close its window.
    Close,
}

/// Values of `CTL` that the system gives (manual, `appendix/negative_ctl_definitions`).
pub mod ctl {
    use super::Key;

    /// The input reached its `SIZ=`.
    pub const FULL: i32 = 5;
    /// The left button of the mouse went down.
    pub const LEFT_DOWN: i32 = -1080;
    /// The left button of the mouse went up.
    pub const LEFT_UP: i32 = -1081;
    /// The right button of the mouse went down.
    pub const RIGHT_DOWN: i32 = -1802;
    /// The right button of the mouse went up.
    pub const RIGHT_UP: i32 = -1803;
    /// The close button of the window, which the system maps to F4.
    pub const CLOSE: i32 = 4;

    /// The value of a key that ends an input always: Enter and the function keys.
    pub fn of_terminator(key: Key) -> Option<i32> {
        match key {
            Key::Enter => Some(0),
            Key::Function(number) => Some(i32::from(number)),
            _ => None,
        }
    }

    /// The value of a key that the editor does not use; it ends an input in edit mode (`'ME'`).
    pub fn of_edit_key(key: Key) -> Option<i32> {
        Some(match key {
            // These where the field has nothing to move over or to remove.
            Key::Backspace => -1003,
            Key::Left => -1004,
            Key::Right => -1005,
            Key::Delete => -1007,
            Key::Up => -1011,
            Key::Down => -1012,
            Key::PageUp => -1013,
            Key::PageDown => -1014,
            Key::Tab => -1015,
            Key::BackTab => -1016,
            _ => return None,
        })
    }

    /// The bytes of `EOM` for a key.
    pub fn eom(key: Key) -> Vec<u8> {
        match key {
            Key::Enter => vec![0x0d],
            Key::Tab | Key::BackTab => vec![0x09],
            Key::Function(number) => vec![0x80 + number.min(0x7f)],
            _ => vec![0],
        }
    }
}
