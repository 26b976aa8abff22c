//! Messages of a page.

use mainstay_screen::event::{Action, Event, Key, KeyPress, Modifiers, MouseButton};

/// The codes of operations of a page.
mod code {
    pub const ATTACH: u8 = 1;
    pub const KEY: u8 = 2;
    pub const TEXT: u8 = 3;
    pub const ACKNOWLEDGE: u8 = 4;
    pub const ROWS: u8 = 5;
    pub const FIELD: u8 = 6;
    pub const CONTROL: u8 = 7;
    pub const MOUSE: u8 = 8;
    pub const ANSWER: u8 = 9;
    pub const MENU: u8 = 10;
    pub const CLOSE: u8 = 11;
    pub const POPUP: u8 = 12;
}

/// The most rows that one message asks for.
const MOST_ROWS: u32 = 4096;

/// One operation of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The first one: the page has this ticket.
    Attach {
        /// The version that the page speaks.
        version: u16,
        /// The size of a character in pixels.
        character: (u8, u8),
        /// The ticket.
        ticket: String,
    },
    /// An event of the screen.
    Event(Event),
    /// A frame is shown.
    Acknowledge(u32),
    /// Rows of a list are needed.
    Rows {
        /// The control.
        handle: u32,
        /// The first row.
        from: usize,
        /// The number of rows.
        count: usize,
    },
}

/// The rest of a message.
struct Reader<'m>(&'m [u8]);

impl<'m> Reader<'m> {
    fn take(&mut self, count: usize) -> Option<&'m [u8]> {
        let (part, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(part)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn u8(&mut self) -> Option<u8> {
        self.array().map(|[number]| number)
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.u32()? as usize;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }
}

/// The operations of a message. Unknown ones are left out; `None` for one that is cut or not valid.
pub fn decode(bytes: &[u8]) -> Option<Vec<Message>> {
    let mut reader = Reader(bytes);
    let mut messages = Vec::new();
    while !reader.0.is_empty() {
        let code = reader.u8()?;
        let length = reader.u32()? as usize;
        let mut payload = Reader(reader.take(length)?);
        if (code::ATTACH..=code::POPUP).contains(&code) {
            messages.push(operation(code, &mut payload)?);
        }
    }
    Some(messages)
}

fn operation(code: u8, r: &mut Reader<'_>) -> Option<Message> {
    Some(match code {
        code::ATTACH => Message::Attach { version: r.u16()?, character: (r.u8()?, r.u8()?), ticket: r.text()? },
        code::ACKNOWLEDGE => Message::Acknowledge(r.u32()?),
        code::ROWS => {
            let (handle, from, count) = (r.u32()?, r.u32()?, r.u32()?);
            Message::Rows { handle, from: from as usize, count: count.min(MOST_ROWS) as usize }
        }
        _ => Message::Event(event(code, r)?),
    })
}

fn event(code: u8, r: &mut Reader<'_>) -> Option<Event> {
    Some(match code {
        code::KEY => Event::Key(key(r)?),
        code::TEXT => Event::Text(r.text()?),
        code::FIELD => Event::Field,
        code::CONTROL => Event::Control { handle: r.u32()?, action: action(r)? },
        code::MOUSE => {
            let (column, row, bits) = (r.u16()?, r.u16()?, r.u8()?);
            let button = if bits & 2 == 0 { MouseButton::Left } else { MouseButton::Right };
            Event::Mouse { column, row, button, down: bits & 1 != 0 }
        }
        code::ANSWER => Event::Answer { number: r.u32()?, button: r.u32()? as usize },
        code::MENU => Event::Menu(r.text()?),
        code::CLOSE => Event::Close,
        code::POPUP => Event::Popup { number: r.u32()?, path: r.text()? },
        _ => return None,
    })
}

/// A key: held keys, a code, and a character for code 0.
fn key(r: &mut Reader<'_>) -> Option<KeyPress> {
    let (held, code, character) = (r.u8()?, r.u8()?, r.u32()?);
    const NAMED: [Key; 15] = [
        Key::Enter,
        Key::Tab,
        Key::BackTab,
        Key::Backspace,
        Key::Delete,
        Key::Insert,
        Key::Left,
        Key::Right,
        Key::Up,
        Key::Down,
        Key::Home,
        Key::End,
        Key::PageUp,
        Key::PageDown,
        Key::Escape,
    ];
    let key = match code {
        0 => Key::Character(char::from_u32(character).filter(|c| !c.is_control())?),
        101..=124 => Key::Function(code - 100),
        _ => *NAMED.get(usize::from(code) - 1)?,
    };
    let modifiers = Modifiers { shift: held & 1 != 0, control: held & 2 != 0, alt: held & 4 != 0 };
    Some(KeyPress { key, modifiers })
}

fn action(r: &mut Reader<'_>) -> Option<Action> {
    Some(match r.u8()? {
        0 => Action::Focus,
        1 => Action::Press,
        2 => Action::Select { row: r.u32()? as usize, mode: r.u8()?, extend: r.u8()? != 0 },
        3 => Action::Sort { column: r.u32()? as usize, descending: r.u8()? != 0 },
        4 => Action::Expand { row: r.u32()? as usize },
        5 => Action::Value(r.text()?),
        6 => Action::Finish(r.u8()?),
        7 => Action::Search { from: r.u32()? as usize, start: r.text()? },
        8 => Action::Cell { column: r.u32()? as usize, row: r.u32()? as usize, mode: r.u8()? },
        9 => Action::Menu,
        _ => return None,
    })
}
