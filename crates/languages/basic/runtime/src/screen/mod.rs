//! Strings with mnemonics, and the screen that they are printed on.
//!
//! Mnemonics and positions stand in strings in the form of [`mainstay_screen::mnemonic`], because programs put them
//! together with text and keep them in variables. The screen itself is that crate's [`Screen`](mainstay_screen::Screen),
//! shared with a face (a terminal, a browser) through a [`ScreenHandle`]. A host without a face of that kind, as
//! [`PlainHost`](crate::plain::PlainHost), gets each output as it happens beside it.

mod control_directive;
mod grid_directive;
mod menu_directive;
mod property;

pub(crate) use property::{control_property, set_control_property};

use crate::fault::{Fault, Outcome};
use crate::host::{Host, Input, InputRequest, Output};
use crate::machine::SEPARATOR;
use mainstay_screen::mnemonic::{self, Argument, ESCAPE, Mnemonic};
use mainstay_screen::session::{ScreenHandle, share};
use mainstay_screen::{Screen, ScreenError};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The size of the screen of a host that has none.
const SIZE: (u16, u16) = (80, 25);

impl From<ScreenError> for Box<Fault> {
    fn from(error: ScreenError) -> Box<Fault> {
        Fault::with(error.number, error.message)
    }
}

/// The screen of a session.
#[derive(Debug)]
pub(crate) struct ProgramScreen {
    handle: ScreenHandle,
    /// A face shows it: the host needs to be told nothing.
    is_shown: bool,
}

impl ProgramScreen {
    /// The host's screen, or one that nobody sees.
    pub(crate) fn of(host: &dyn Host) -> ProgramScreen {
        match host.screen() {
            Some(handle) => ProgramScreen { handle, is_shown: true },
            None => ProgramScreen { handle: share(Screen::new(SIZE.0, SIZE.1)).0, is_shown: false },
        }
    }

    /// Calls a function with the screen. Error 4 when the terminal is gone.
    pub(crate) fn with<R>(&self, call: impl FnOnce(&mut Screen) -> R) -> Outcome<R> {
        Ok(self.handle.with(call)?)
    }

    /// The screen, if a face of it shows printed documents.
    pub(crate) fn document_screen(&self) -> Outcome<Option<ScreenHandle>> {
        Ok(self.with(|screen| screen.keeps_documents())?.then(|| self.handle.clone()))
    }

    /// Prints a string with its mnemonics.
    pub(crate) fn write(&self, text: &[u8], host: &mut dyn Host) -> Outcome<()> {
        let text = with_line_ends(text);
        self.with(|screen| screen.print(&text))?;
        if self.is_shown {
            return Ok(());
        }
        let mut rest = &text[..];
        while !rest.is_empty() {
            let (piece, length) = next_piece(rest);
            match piece {
                Piece::Text(text) => host.output(Output::Text(text))?,
                Piece::NewLine => host.output(Output::NewLine)?,
                Piece::Mnemonic(Mnemonic::Position(column, line)) => {
                    host.output(Output::Position(column, Some(line)))?;
                }
                Piece::Mnemonic(Mnemonic::Column(column)) => host.output(Output::Position(column, None))?,
                Piece::Mnemonic(mnemonic) => host.output(Output::Mnemonic(&mnemonic))?,
            }
            rest = rest.get(length..).unwrap_or_default();
        }
        Ok(())
    }

    /// The end of a line of output.
    pub(crate) fn new_line(&self, host: &mut dyn Host) -> Outcome<()> {
        self.with(|screen| screen.print(b"\r\n"))?;
        match self.is_shown {
            true => Ok(()),
            false => host.output(Output::NewLine),
        }
    }

    /// The user has typed a line into a host without a face.
    pub(crate) fn entered(&self, text: &[u8], hidden: bool) -> Outcome<()> {
        if self.is_shown {
            return Ok(());
        }
        self.with(|screen| {
            if !hidden {
                screen.print(text);
            }
            screen.print(b"\r\n");
        })
    }

    /// The end of the list of INPUT on a screen with a face. Elsewhere the user's own line end has moved the cursor.
    pub(crate) fn end_input(&self) -> Outcome<()> {
        match self.is_shown {
            true => Ok(self.with(|screen| screen.perform(Mnemonic::EndInput))??),
            false => Ok(()),
        }
    }

    /// An input that PREINPUT has put into the queue, for a host without a face; a face's own queue has it otherwise.
    pub(crate) fn input_from_queue(&self, request: &InputRequest) -> Outcome<Option<Input>> {
        if self.is_shown {
            return Ok(None);
        }
        let result = self.with(|screen| screen.input_from_queue(request.into()))?;
        Ok(result.map(Input::from))
    }

    /// Columns and lines.
    pub(crate) fn size(&self) -> Outcome<(u16, u16)> {
        self.with(|screen| (screen.text().screen().columns(), screen.text().screen().rows()))
    }

    /// Column and line of the cursor.
    pub(crate) fn place(&self) -> Outcome<(u16, u16)> {
        self.with(|screen| screen.text().window().cursor_on_screen())
    }

    /// The value of `MSE`.
    pub(crate) fn mse(&self) -> Outcome<[u8; 32]> {
        self.with(|screen| screen.mse())
    }
}

/// The separator of fields ends a line of the screen (manual, "System Variables", SEP): a record is printed with a line for each field.
fn with_line_ends(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(SEPARATOR, text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, length) = next_piece(rest);
        let (part, behind) = rest.split_at(length.min(rest.len()));
        match piece {
            Piece::Text(_) => {
                for (index, field) in part.split(|byte| *byte == SEPARATOR).enumerate() {
                    out.extend_from_slice(if index > 0 { b"\r\n" } else { b"" });
                    out.extend_from_slice(field);
                }
            }
            _ => out.extend_from_slice(part),
        }
        rest = behind;
    }
    Cow::Owned(out)
}

/// A piece of a string that is put out.
enum Piece<'a> {
    Text(&'a [u8]),
    NewLine,
    Mnemonic(Mnemonic),
}

/// The first piece of a string, and how many bytes it takes.
fn next_piece(text: &[u8]) -> (Piece<'_>, usize) {
    match text {
        [ESCAPE, ..] => {
            let (mnemonic, length) = mnemonic::decode(text);
            (Piece::Mnemonic(mnemonic), length.max(1))
        }
        [b'\r', b'\n', ..] => (Piece::NewLine, 2),
        [b'\n', ..] => (Piece::NewLine, 1),
        [b'\r', ..] => (Piece::Mnemonic(Mnemonic::CarriageReturn), 1),
        [0x0C, ..] => (Piece::Mnemonic(Mnemonic::ClearScreen), 1),
        [0x07, ..] => (Piece::Mnemonic(Mnemonic::Bell), 1),
        _ => {
            let is_control = |byte: &u8| matches!(byte, 0x1B | b'\r' | b'\n' | 0x0C | 0x07);
            let length = text.iter().position(is_control).unwrap_or(text.len());
            (Piece::Text(text.get(..length).unwrap_or_default()), length)
        }
    }
}

/// Appends a position in its internal form.
///
/// Errors: 29.
pub(crate) fn encode_position(out: &mut Vec<u8>, column: u16, line: Option<u16>) -> Outcome<()> {
    let numbers = std::iter::once(column).chain(line).map(|number| Argument::Number(f64::from(number)));
    encode_mnemonic(out, "@", &numbers.collect::<Vec<_>>())
}

/// Appends a mnemonic in its internal form. One of two letters without arguments may be the name of a parameter as well
/// (`PRM('DP')`), so that it is passed on as it is; a screen ignores those that it does not know.
///
/// Errors: 29 for another name that is unknown, or arguments that do not fit.
pub(crate) fn encode_mnemonic(out: &mut Vec<u8>, name: &str, arguments: &[Argument]) -> Outcome<()> {
    if arguments.is_empty() && name.len() == 2 && !name.starts_with(['@', '\'']) {
        out.push(ESCAPE);
        out.extend_from_slice(name.to_ascii_uppercase().as_bytes());
        return Ok(());
    }
    out.extend_from_slice(&mnemonic::encode(name, arguments)?);
    Ok(())
}

/// Appends a string as a file gets it: positions become blanks up to their column, `'FF'` the byte of a form feed, mnemonics of the
/// channel (MNEMONIC) their sequences, other mnemonics nothing. An escape that begins no mnemonic is the device's.
pub(crate) fn plain(text: &[u8], sequences: &BTreeMap<Vec<u8>, Vec<u8>>, out: &mut Vec<u8>) {
    let mut rest = text;
    while !rest.is_empty() {
        if let [ESCAPE, name @ ..] = rest
            && !matches!(name, [b'@' | b'\'', ..])
        {
            let name = name.get(..2).unwrap_or_default();
            if let Some(sequence) = sequences.get(name) {
                out.extend_from_slice(sequence);
                rest = &rest[3..];
                continue;
            }
            let is_known = std::str::from_utf8(name).is_ok_and(|name| mnemonic::encode(name, &[]).is_ok());
            if !is_known {
                out.push(ESCAPE);
                rest = &rest[1..];
                continue;
            }
        }
        let (piece, length) = next_piece(rest);
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::NewLine => out.push(b'\n'),
            Piece::Mnemonic(Mnemonic::Position(column, _) | Mnemonic::Column(column)) => {
                let start = out.iter().rposition(|byte| matches!(byte, b'\n' | 0x0C)).map_or(0, |at| at + 1);
                let width = out.len() - start;
                out.extend(std::iter::repeat_n(b' ', usize::from(column).saturating_sub(width)));
            }
            Piece::Mnemonic(Mnemonic::LineFeed) => out.push(b'\n'),
            Piece::Mnemonic(Mnemonic::ClearScreen) => out.push(0x0C),
            Piece::Mnemonic(_) => {}
        }
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// A string without its mnemonics: `STP(MNEMONIC ..)`.
pub(crate) fn without_mnemonics(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, length) = next_piece(rest);
        if let Piece::Text(text) = piece {
            out.extend_from_slice(text);
        }
        rest = rest.get(length..).unwrap_or_default();
    }
}
