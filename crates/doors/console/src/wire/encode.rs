//! Frames of a screen as operations for a page.

use super::VERSION;
use mainstay_screen::cell::{Run, Style};
use mainstay_screen::frame::{ControlState, Frame, InputState, ListState, Operation};
use mainstay_screen::menu::MenuItem;
use mainstay_screen::panels::MessageBox;
use mainstay_screen::plane::Region;

/// The codes of operations to a page.
mod code {
    pub const HELLO: u8 = 1;
    pub const SIZE: u8 = 2;
    pub const ROW: u8 = 3;
    pub const CURSOR: u8 = 4;
    pub const CONTROL: u8 = 5;
    pub const REMOVED: u8 = 6;
    pub const LIST: u8 = 7;
    pub const ROWS: u8 = 8;
    pub const INPUT: u8 = 9;
    pub const INPUT_CLOSED: u8 = 10;
    pub const MESSAGE_BOX: u8 = 11;
    pub const MESSAGE_BOX_CLOSED: u8 = 12;
    pub const BELL: u8 = 13;
    pub const MENU: u8 = 14;
    pub const MESSAGE_LINE: u8 = 15;
    pub const CAPTION: u8 = 16;
    pub const FOCUS: u8 = 17;
    pub const FRAME_END: u8 = 18;
    pub const ENDED: u8 = 19;
    pub const DOCUMENT: u8 = 20;
    pub const MENU_FOCUS: u8 = 21;
    pub const POPUP: u8 = 22;
    pub const POPUP_CLOSED: u8 = 23;
}

/// The reason why a page gets no more frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ended {
    /// The program has ended.
    Program,
    /// Another page has taken over.
    Replaced,
    /// The page may not use the program: its ticket is not valid, or its version is unknown.
    Refused,
}

/// Bytes of operations.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    /// Appends an operation, whose payload `write` appends.
    fn operation(&mut self, code: u8, write: impl FnOnce(&mut Writer)) {
        self.0.push(code);
        let at = self.0.len();
        self.u32(0);
        write(self);
        let length = (self.0.len() - at - 4) as u32;
        if let Some(place) = self.0.get_mut(at..at + 4) {
            place.copy_from_slice(&length.to_le_bytes());
        }
    }

    fn u8(&mut self, number: u8) {
        self.0.push(number);
    }

    fn u16(&mut self, number: u16) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn u32(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn i32(&mut self, number: i32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn f32(&mut self, number: f32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// A count or a position; the screen's own limits keep it below 4,294,967,295.
    fn count(&mut self, number: usize) {
        self.u32(u32::try_from(number).unwrap_or(u32::MAX));
    }

    fn flags(&mut self, flags: &[bool]) {
        let bits = flags.iter().enumerate().map(|(bit, on)| u8::from(*on) << bit);
        self.u8(bits.fold(0, |all, bit| all | bit));
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }
}

/// The first message: the version, the name of the program and the seconds that it waits for a page that was lost.
pub fn hello(program: &str, grace_seconds: u32) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.operation(code::HELLO, |w| {
        w.u16(VERSION);
        w.u32(grace_seconds);
        w.text(program);
    });
    writer.0
}

/// The last message, with the error of the program if it failed.
pub fn ended(reason: Ended, message: &str) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.operation(code::ENDED, |w| {
        w.u8(reason as u8);
        w.text(message);
    });
    writer.0
}

/// Rows of a list.
pub fn list_rows(handle: u32, generation: u32, from: usize, rows: &[String]) -> Vec<u8> {
    let mut writer = Writer(Vec::with_capacity(rows.iter().map(|row| row.len() + 4).sum::<usize>() + 21));
    writer.operation(code::ROWS, |w| {
        w.u32(handle);
        w.u32(generation);
        w.count(from);
        w.count(rows.len());
        for row in rows {
            w.text(row);
        }
    });
    writer.0
}

/// A frame. `first_rows` gives the rows of a list that are sent with it.
pub fn frame(frame: &Frame, mut first_rows: impl FnMut(&ListState) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut writer = Writer::default();
    for operation in &frame.operations {
        write(&mut writer, operation);
        if let Operation::List(list) = operation
            && let Some(rows) = first_rows(list)
        {
            writer.0.extend_from_slice(&rows);
        }
    }
    writer.operation(code::FRAME_END, |w| {
        w.u32(frame.sequence);
        w.u8(u8::from(frame.barrier));
    });
    writer.0
}

fn write(writer: &mut Writer, operation: &Operation) {
    match operation {
        Operation::Size { columns, rows } => writer.operation(code::SIZE, |w| {
            w.u16(*columns);
            w.u16(*rows);
        }),
        Operation::Row { row, runs } => writer.operation(code::ROW, |w| {
            w.u16(*row);
            runs.iter().for_each(|run| write_run(w, run));
        }),
        Operation::Cursor { column, row, mode } => writer.operation(code::CURSOR, |w| {
            w.u16(*column);
            w.u16(*row);
            w.u8(*mode as u8);
        }),
        Operation::Control(control) => writer.operation(code::CONTROL, |w| write_control(w, control)),
        Operation::Removed(handle) => writer.operation(code::REMOVED, |w| w.u32(*handle)),
        Operation::List(list) => writer.operation(code::LIST, |w| {
            w.u32(list.handle);
            w.u32(list.generation);
            w.count(list.count);
            w.count(list.first_changed);
            list.selected.iter().for_each(|row| w.u32(*row));
        }),
        Operation::Focus(handle) => writer.operation(code::FOCUS, |w| w.u32(handle.unwrap_or(0))),
        Operation::Input(input) => writer.operation(code::INPUT, |w| write_input(w, input)),
        Operation::InputClosed(keys) => writer.operation(code::INPUT_CLOSED, |w| w.u32(*keys)),
        Operation::MessageBox(message) => writer.operation(code::MESSAGE_BOX, |w| write_box(w, message)),
        Operation::MessageBoxClosed => writer.operation(code::MESSAGE_BOX_CLOSED, |_| ()),
        Operation::Menu(menu) => writer.operation(code::MENU, |w| write_items(w, &menu.items)),
        Operation::MenuFocus => writer.operation(code::MENU_FOCUS, |_| ()),
        Operation::Popup(popup) => writer.operation(code::POPUP, |w| {
            w.u32(popup.number);
            w.u16(popup.at.0);
            w.u16(popup.at.1);
            write_items(w, &popup.items);
        }),
        Operation::PopupClosed => writer.operation(code::POPUP_CLOSED, |_| ()),
        Operation::MessageLine(segment, text) => writer.operation(code::MESSAGE_LINE, |w| {
            w.u8(*segment);
            w.text(text);
        }),
        Operation::Caption(text) => writer.operation(code::CAPTION, |w| w.text(text)),
        Operation::Document { number, title, pages } => writer.operation(code::DOCUMENT, |w| {
            w.u32(*number);
            w.count(*pages);
            w.text(title);
        }),
        Operation::Bell => writer.operation(code::BELL, |_| ()),
    }
}

fn write_run(w: &mut Writer, run: &Run) {
    let Style { attributes, foreground, background } = run.style;
    w.u16(run.column);
    w.u8(attributes.0);
    w.u8(foreground as u8);
    w.u8(background as u8);
    w.text(&run.text);
}

fn write_control(w: &mut Writer, control: &ControlState) {
    w.u32(control.handle);
    w.u8(control.kind as u8);
    w.i32(control.id);
    w.i32(control.sub);
    let area = control.area;
    [area.column, area.row, area.columns, area.rows].iter().for_each(|number| w.f32(*number));
    w.flags(&[control.on, control.visible, control.enabled, control.locked, control.has_menu]);
    w.text(&control.text);
    w.text(&control.options);
    w.count(control.length.unwrap_or(0));
    w.text(&control.key.map(String::from).unwrap_or_default());
    w.text(&control.tip);
    w.text(&control.message);
    w.u8(control.style);
    w.count(control.headings.len());
    for heading in &control.headings {
        w.text(&heading.title);
        w.f32(heading.width);
        w.u8(heading.alignment);
        w.i32(heading.field.and_then(|field| i32::try_from(field).ok()).unwrap_or(-1));
    }
    w.count(control.current_column);
    w.count(control.covered.len());
    for Region { column, row, columns, rows } in &control.covered {
        [column, row, columns, rows].iter().for_each(|number| w.u16(**number));
    }
}

fn write_input(w: &mut Writer, input: &InputState) {
    w.u32(input.number);
    w.u16(input.column);
    w.u16(input.row);
    w.count(input.width);
    w.count(input.longest);
    w.count(input.cursor);
    w.count(input.scroll);
    w.flags(&[input.insert, input.hidden, input.upper, input.guarded, input.edit, input.fresh]);
    w.u32(input.keys_done);
    w.text(&input.text);
}

fn write_box(w: &mut Writer, message: &MessageBox) {
    w.u32(message.number);
    w.text(&message.title);
    w.text(&message.icon);
    w.count(message.default);
    for texts in [&message.lines, &message.buttons] {
        w.count(texts.len());
        texts.iter().for_each(|text| w.text(text));
    }
}

fn write_items(w: &mut Writer, items: &[MenuItem]) {
    w.count(items.len());
    for item in items {
        w.text(&item.text);
        w.text(&item.path);
        w.flags(&[item.enabled, item.checked]);
        write_items(w, &item.items);
    }
}
