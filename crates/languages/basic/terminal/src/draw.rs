//! Drawing: the cells that differ from those on the terminal, as its commands.

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::style::{Attribute, Color, Print, ResetColor, SetAttribute, SetBackgroundColor, SetForegroundColor};
use crossterm::terminal::{Clear, ClearType};
use mainstay_screen::cell::{Attributes, Cell, Colour, Style};
use mainstay_screen::plane::Plane;
use std::io::{Result, Write};

/// Cells that are drawn again rather than skipped.
const GAP: usize = 8;

/// A terminal and the picture that it shows.
pub struct Canvas<W> {
    out: W,
    shown: Option<Plane>,
}

impl<W: Write> Canvas<W> {
    /// A terminal whose contents are not known.
    pub fn new(out: W) -> Canvas<W> {
        Canvas { out, shown: None }
    }

    /// Shows a picture and the cursor, then flushes.
    pub fn show(&mut self, picture: Plane, cursor: Option<(u16, u16)>, bell: bool) -> Result<()> {
        let known = self.shown.take().filter(|shown| shown.region() == picture.region());
        if known.is_none() {
            queue!(self.out, ResetColor, SetAttribute(Attribute::Reset), Clear(ClearType::All))?;
        }
        queue!(self.out, Hide)?;
        for row in 0..picture.rows() {
            let before = known.as_ref().map(|known| known.row(row));
            self.row(row, picture.row(row), before)?;
        }
        if bell {
            queue!(self.out, Print('\x07'))?;
        }
        if let Some((column, row)) = cursor.filter(|(column, row)| *column < picture.columns() && *row < picture.rows())
        {
            queue!(self.out, MoveTo(column, row), Show)?;
        }
        self.shown = Some(picture);
        self.out.flush()
    }

    fn row(&mut self, row: u16, cells: &[Cell], before: Option<&[Cell]>) -> Result<()> {
        let same = |at: usize| match before {
            Some(before) => before.get(at) == cells.get(at),
            None => cells.get(at) == Some(&Cell::default()),
        };
        let mut at = 0;
        while at < cells.len() {
            if same(at) {
                at += 1;
                continue;
            }
            // A movement takes more bytes than a few cells that are right already.
            let end = (at..cells.len()).find(|at| (*at..at + GAP).all(|at| at >= cells.len() || same(at)));
            let end = end.unwrap_or(cells.len());
            queue!(self.out, MoveTo(at as u16, row))?;
            for run in cells.get(at..end).unwrap_or_default().chunk_by(|one, other| one.style == other.style) {
                let text: String = run.iter().map(|cell| cell.character).collect();
                set_style(&mut self.out, run.first().map(|cell| cell.style).unwrap_or_default())?;
                queue!(self.out, Print(text), SetAttribute(Attribute::Reset), ResetColor)?;
            }
            at = end;
        }
        Ok(())
    }

    /// Forgets what is shown, for a terminal that has changed its size.
    pub fn forget(&mut self) {
        self.shown = None;
    }
}

fn set_style(out: &mut impl Write, style: Style) -> Result<()> {
    let attributes = [
        (Attributes::DIM, Attribute::Dim),
        (Attributes::REVERSE, Attribute::Reverse),
        (Attributes::BLINK, Attribute::SlowBlink),
        (Attributes::UNDERLINE, Attribute::Underlined),
    ];
    for (bit, attribute) in attributes {
        if style.attributes.contains(bit) {
            queue!(out, SetAttribute(attribute))?;
        }
    }
    if let Some(colour) = colour(style.foreground) {
        queue!(out, SetForegroundColor(colour))?;
    }
    if let Some(colour) = colour(style.background) {
        queue!(out, SetBackgroundColor(colour))?;
    }
    Ok(())
}

fn colour(colour: Colour) -> Option<Color> {
    Some(match colour {
        Colour::Default => return None,
        Colour::Black => Color::Black,
        Colour::Red => Color::DarkRed,
        Colour::Green => Color::DarkGreen,
        Colour::Yellow => Color::DarkYellow,
        Colour::Blue => Color::DarkBlue,
        Colour::Magenta => Color::DarkMagenta,
        Colour::Cyan => Color::DarkCyan,
        Colour::White => Color::Grey,
    })
}
