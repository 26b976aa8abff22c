//! Screen model: a plane of characters and the controls on it.
//!
//! Strings contain mnemonics and positions in an internal form, because programs put them together with text and keep
//! them in variables:
//!
//! ```text
//!   ESC '@' column line      a position: two bytes each, line $FFFF$ for none
//!   ESC 'CS'                 a mnemonic of two letters without arguments
//!   ESC ''' NAME ( text ) '  any other mnemonic with its arguments
//! ```
//!
//! The model is the truth; the host shows it. A host that draws incrementally gets each output as it happens, one that
//! draws whole screens reads the model when it is asked to flush.

mod control;
mod control_directive;

pub use control::{Control, ControlClass, Controls};

use crate::fault::Outcome;
use crate::host::{Host, Output};

const ESCAPE: u8 = 0x1B;
const NO_LINE: u16 = u16::MAX;

/// A character with its attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The byte.
    pub byte: u8,
    /// Attributes.
    pub attributes: Attributes,
}

/// Attributes of characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// 'BR'
    pub reverse: bool,
    /// 'BU'
    pub underline: bool,
    /// 'BB'
    pub blink: bool,
    /// 'SB'
    pub background: bool,
}

const BLANK: Cell =
    Cell { byte: b' ', attributes: Attributes { reverse: false, underline: false, blink: false, background: false } };

/// The screen of a session.
#[derive(Debug)]
pub struct Screen {
    columns: u16,
    lines: u16,
    cells: Vec<Cell>,
    column: u16,
    line: u16,
    attributes: Attributes,
    /// Controls.
    pub controls: Controls,
}

impl Default for Screen {
    fn default() -> Screen {
        Screen::new(80, 25)
    }
}

impl Screen {
    /// An empty screen.
    pub fn new(columns: u16, lines: u16) -> Screen {
        let cells = vec![BLANK; usize::from(columns) * usize::from(lines)];
        let (column, line, attributes) = (0, 0, Attributes::default());
        Screen { columns, lines, cells, column, line, attributes, controls: Controls::default() }
    }

    /// Columns.
    pub fn columns(&self) -> u16 {
        self.columns
    }

    /// Lines.
    pub fn lines(&self) -> u16 {
        self.lines
    }

    /// The cursor: column and line from 0.
    pub fn cursor(&self) -> (u16, u16) {
        (self.column, self.line)
    }

    /// The characters of a line, without blanks at its end.
    pub fn line_text(&self, line: u16) -> Vec<u8> {
        let width = usize::from(self.columns);
        let start = usize::from(line) * width;
        let cells = self.cells.get(start..start + width).unwrap_or(&[]);
        let text: Vec<u8> = cells.iter().map(|cell| cell.byte).collect();
        text.trim_ascii_end().to_vec()
    }

    /// The character at a place.
    pub fn cell(&self, column: u16, line: u16) -> Option<Cell> {
        if column >= self.columns {
            return None;
        }
        self.cells.get(usize::from(line) * usize::from(self.columns) + usize::from(column)).copied()
    }

    /// Puts out a string with its mnemonics.
    pub fn write(&mut self, text: &[u8], host: &mut dyn Host) -> Outcome<()> {
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, length) = next_piece(rest);
            match piece {
                Piece::Text(text) => {
                    self.put(text);
                    host.output(Output::Text(text))?;
                }
                Piece::NewLine => self.new_line(host)?,
                Piece::Position(column, line) => {
                    self.column = column.min(self.columns - 1);
                    if let Some(line) = line {
                        self.line = line.min(self.lines - 1);
                    }
                    host.output(Output::Position(column, line))?;
                }
                Piece::Mnemonic(name, arguments) => {
                    self.apply(&name);
                    host.output(Output::Mnemonic(&name, &arguments))?;
                }
            }
            rest = &rest[length..];
        }
        Ok(())
    }

    /// The end of a line of output.
    pub fn new_line(&mut self, host: &mut dyn Host) -> Outcome<()> {
        self.column = 0;
        self.down();
        host.output(Output::NewLine)
    }

    /// The user has typed a line.
    pub fn entered(&mut self, text: &[u8], hidden: bool) {
        if !hidden {
            self.put(text);
        }
        self.column = 0;
        self.down();
    }

    fn put(&mut self, text: &[u8]) {
        for byte in text {
            if self.column >= self.columns {
                self.column = 0;
                self.down();
            }
            let at = usize::from(self.line) * usize::from(self.columns) + usize::from(self.column);
            if let Some(cell) = self.cells.get_mut(at) {
                *cell = Cell { byte: *byte, attributes: self.attributes };
            }
            self.column += 1;
        }
    }

    fn down(&mut self) {
        if self.line + 1 < self.lines {
            self.line += 1;
            return;
        }
        let width = usize::from(self.columns);
        self.cells.copy_within(width.., 0);
        let last = self.cells.len() - width;
        self.cells[last..].fill(BLANK);
    }

    fn clear_from(&mut self, from: usize, to: usize) {
        if let Some(cells) = self.cells.get_mut(from..to) {
            cells.fill(BLANK);
        }
    }

    fn apply(&mut self, name: &str) {
        let width = usize::from(self.columns);
        let at = usize::from(self.line) * width + usize::from(self.column.min(self.columns - 1));
        match name {
            "CS" => {
                self.clear_from(0, self.cells.len());
                (self.column, self.line) = (0, 0);
                self.attributes = Attributes::default();
            }
            "CE" => self.clear_from(at, self.cells.len()),
            "CL" => self.clear_from(at, (usize::from(self.line) + 1) * width),
            "CF" => self.cells.iter_mut().filter(|cell| !cell.attributes.background).for_each(|cell| *cell = BLANK),
            "CH" => (self.column, self.line) = (0, 0),
            "CR" => self.column = 0,
            "LF" | "VT" => {
                self.column = 0;
                self.down();
            }
            "FF" => self.clear_from(0, self.cells.len()),
            "BS" | "LT" => self.column = self.column.saturating_sub(1),
            "RT" => self.column = (self.column + 1).min(self.columns - 1),
            "UP" => self.line = self.line.saturating_sub(1),
            "DN" => self.line = (self.line + 1).min(self.lines - 1),
            "BR" => self.attributes.reverse = true,
            "ER" => self.attributes.reverse = false,
            "BU" => self.attributes.underline = true,
            "EU" => self.attributes.underline = false,
            "BB" => self.attributes.blink = true,
            "EB" => self.attributes.blink = false,
            "SB" => self.attributes.background = true,
            "SF" => self.attributes.background = false,
            _ => {}
        }
    }
}

/// A piece of a string that is put out.
enum Piece<'a> {
    Text(&'a [u8]),
    NewLine,
    Position(u16, Option<u16>),
    Mnemonic(String, String),
}

/// The first piece of a string, and how many bytes it takes.
fn next_piece(text: &[u8]) -> (Piece<'_>, usize) {
    match text {
        [ESCAPE, b'@', a, b, c, d, ..] => {
            let line = u16::from_be_bytes([*c, *d]);
            (Piece::Position(u16::from_be_bytes([*a, *b]), (line != NO_LINE).then_some(line)), 6)
        }
        [ESCAPE, b'\'', rest @ ..] => {
            let length = rest.iter().position(|byte| *byte == b'\'').unwrap_or(rest.len());
            let body = String::from_utf8_lossy(&rest[..length]).into_owned();
            let (name, arguments) = body.split_once('(').unwrap_or((&body, ""));
            let arguments = arguments.trim_end_matches(')').to_owned();
            (Piece::Mnemonic(name.to_owned(), arguments), (length + 3).min(text.len()))
        }
        [ESCAPE, a, b, ..] => (Piece::Mnemonic(String::from_utf8_lossy(&[*a, *b]).into_owned(), String::new()), 3),
        [ESCAPE, ..] => (Piece::Text(&[]), text.len()),
        [b'\r', b'\n', ..] => (Piece::NewLine, 2),
        [b'\n', ..] => (Piece::NewLine, 1),
        [b'\r', ..] => (Piece::Mnemonic("CR".to_owned(), String::new()), 1),
        [0x0C, ..] => (Piece::Mnemonic("FF".to_owned(), String::new()), 1),
        [0x07, ..] => (Piece::Mnemonic("RB".to_owned(), String::new()), 1),
        _ => {
            let is_control = |byte: &u8| matches!(byte, 0x1B | b'\r' | b'\n' | 0x0C | 0x07);
            let length = text.iter().position(is_control).unwrap_or(text.len());
            (Piece::Text(&text[..length]), length)
        }
    }
}

/// Appends a position in its internal form.
pub fn encode_position(out: &mut Vec<u8>, column: u16, line: Option<u16>) {
    out.extend_from_slice(&[ESCAPE, b'@']);
    out.extend_from_slice(&column.to_be_bytes());
    out.extend_from_slice(&line.unwrap_or(NO_LINE).to_be_bytes());
}

/// Appends a mnemonic in its internal form.
pub fn encode_mnemonic(out: &mut Vec<u8>, name: &str, arguments: &str) {
    out.push(ESCAPE);
    if name.len() == 2 && arguments.is_empty() && !name.starts_with(['@', '\'']) {
        out.extend_from_slice(name.as_bytes());
        return;
    }
    out.push(b'\'');
    out.extend_from_slice(name.as_bytes());
    if !arguments.is_empty() {
        out.push(b'(');
        out.extend_from_slice(arguments.as_bytes());
        out.push(b')');
    }
    out.push(b'\'');
}

/// Appends a string as a file gets it: positions become blanks up to their column, other mnemonics nothing.
pub fn plain(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, length) = next_piece(rest);
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::NewLine => out.push(b'\n'),
            Piece::Position(column, _) => {
                let start = out.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                let width = out.len() - start;
                out.extend(std::iter::repeat_n(b' ', usize::from(column).saturating_sub(width)));
            }
            Piece::Mnemonic(name, _) => match name.as_str() {
                "LF" => out.push(b'\n'),
                "FF" => out.push(0x0C),
                _ => {}
            },
        }
        rest = &rest[length..];
    }
}

/// A string without its mnemonics: `STP(MNEMONIC ..)`.
pub fn without_mnemonics(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, length) = next_piece(rest);
        if let Piece::Text(text) = piece {
            out.extend_from_slice(text);
        }
        rest = &rest[length..];
    }
}
