//! Errors in the form that users read.
//!
//! ```text
//! error: no column "custmer"
//!  --> line 1, column 8
//!   |
//! 1 | SELECT custmer FROM orders
//!   |        ^^^^^^^
//! hint: did you mean "customer"?
//! code: unknown_column (SQLSTATE 42703)
//! ```
//!
//! The message, the place, the hint and the code to search for, in this order and each on its own line. Lines and
//! columns are those of the script or of the text that was typed, counted from one in characters. A long line is cut
//! around the place. Everything goes to standard error.

use crate::output::table::printable;
use mainstay_types::{Code, Error};
use nu_ansi_term::{Color, Style};
use std::fmt::Write;
use std::io;
use unicode_width::UnicodeWidthStr;

/// The characters of a statement's line that are shown at most.
const LINE_WIDTH: usize = 100;

/// Why something was not done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something to tell the person.
    Error(Error),
    /// Something to tell the person about a statement that a command made.
    Made(Error, String),
    /// The result could not be written. A broken pipe is no error: who reads has read enough.
    Output(io::Error),
    /// A file for results could not be made or finished.
    CannotWrite(Error),
    /// Parts failed and have been told already.
    Reported,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        // A format refuses what it has no type for by an error of its own.
        match error.downcast::<Error>() {
            Ok(error) => Failure::Error(error),
            Err(error) => Failure::Output(error),
        }
    }
}

/// A failure of what was typed, in the words given.
pub(crate) fn usage(message: impl Into<String>) -> Failure {
    Failure::Error(Error::new(Code::Syntax, message))
}

/// Where a piece of text was taken from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The script, when it is one.
    pub(crate) name: Option<String>,
    /// How many lines of it stand before the text.
    pub(crate) lines_before: usize,
    /// How many characters stand before the text on its first line.
    pub(crate) columns_before: usize,
}

impl Origin {
    /// The origin of what stands at byte `at` of `text`, which has this origin itself.
    pub(crate) fn at(&self, text: &str, at: usize) -> Origin {
        let before = &text[..at];
        let lines = before.matches('\n').count();
        let last = before.rsplit('\n').next().unwrap_or_default().chars().count();
        Origin {
            name: self.name.clone(),
            lines_before: self.lines_before + lines,
            columns_before: if lines == 0 { self.columns_before + last } else { last },
        }
    }
}

/// The error in full; `text` is the statement that its span counts in.
pub(crate) fn render(error: &Error, text: &str, origin: &Origin, colour: bool) -> String {
    let paint = |style: Style, text: &str| if colour { style.paint(text).to_string() } else { text.to_owned() };
    let mut out = format!("{} {}\n", paint(Color::Red.bold(), "error:"), printable(error.message().to_owned()));
    if let Some(place) = error.place() {
        let _ = writeln!(out, " {} {}", paint(Color::Blue.bold(), "-->"), printable(place.to_owned()));
    }
    if let Some(place) = error.text_span().and_then(|span| Place::find(text, span)) {
        place.write(origin, colour, &mut out);
    }
    if let Some(hint) = error.hint_text() {
        let _ = writeln!(out, "{} {}", paint(Color::Cyan.bold(), "hint:"), printable(hint.to_owned()));
    }
    let code = format!("code: {} (SQLSTATE {})", error.code().name(), error.code().sqlstate());
    let _ = writeln!(out, "{}", paint(Style::new().dimmed(), &code));
    out
}

/// A place in a text: the line, and what is marked on it.
struct Place {
    /// Lines before it.
    line: usize,
    /// Characters before it on its line.
    column: usize,
    /// The line, cut around the place.
    shown: String,
    /// Cells before the mark, and of the mark.
    indent: usize,
    width: usize,
}

impl Place {
    /// Nothing when the span is not inside the text.
    fn find(text: &str, (start, end): (usize, usize)) -> Option<Place> {
        let start = (0..=start.min(text.len()))
            .rev()
            .find(|&start| text.is_char_boundary(start))
            .filter(|_| start <= text.len())?;
        let (before, rest) = text.split_at_checked(start)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = rest.find('\n').map_or(text.len(), |at| start + at);
        let end = (start..=end.clamp(start, line_end)).rev().find(|&end| text.is_char_boundary(end))?;
        let (left, marked, right) = (&text[line_start..start], &text[start..end], &text[end..line_end]);
        let fits = text[line_start..line_end].chars().count() <= LINE_WIDTH;
        let (left, right) = (flat(left), flat(right));
        let (left, right) = if fits { (left, right) } else { (cut_left(&left), cut_right(&right)) };
        let marked = flat(marked);
        Some(Place {
            line: before.matches('\n').count(),
            column: text[line_start..start].chars().count(),
            indent: left.width(),
            width: marked.width().max(1),
            shown: format!("{left}{marked}{right}"),
        })
    }

    fn write(&self, origin: &Origin, colour: bool, out: &mut String) {
        let paint = |style: Style, text: &str| if colour { style.paint(text).to_string() } else { text.to_owned() };
        let (blue, red) = (Color::Blue.bold(), Color::Red.bold());
        let line = origin.lines_before + self.line + 1;
        let column = self.column + 1 + if self.line == 0 { origin.columns_before } else { 0 };
        let name = origin.name.as_deref().map(|name| format!("{name}, ")).unwrap_or_default();
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        let _ = writeln!(out, "{gutter}{} {name}line {line}, column {column}", paint(blue, "-->"));
        let _ = writeln!(out, "{gutter} {}", paint(blue, "|"));
        let _ = writeln!(out, "{} {}", paint(blue, &format!("{number} |")), self.shown.trim_end());
        let mark = paint(red, &"^".repeat(self.width));
        let _ = writeln!(out, "{gutter} {} {}{mark}", paint(blue, "|"), " ".repeat(self.indent));
    }
}

/// Tabs and other control characters as one space, so that the mark stands under its text.
fn flat(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

fn cut_left(text: &str) -> String {
    let characters = text.chars().count();
    let most = LINE_WIDTH / 2;
    if characters <= most {
        return text.to_owned();
    }
    std::iter::once('…').chain(text.chars().skip(characters - most)).collect()
}

fn cut_right(text: &str) -> String {
    if text.chars().count() <= LINE_WIDTH {
        return text.to_owned();
    }
    text.chars().take(LINE_WIDTH / 2).chain(std::iter::once('…')).collect()
}

/// The candidate that differs least from what was typed, when it is near enough to be meant.
pub(crate) fn nearest<'c>(typed: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let typed = typed.to_lowercase();
    let letters = typed.chars().count();
    // Two changes also swap two letters, the most common slip, even in a word of three.
    let most = if letters < 3 { 1 } else { letters.div_ceil(3).max(2) };
    let near = candidates.map(|candidate| (distance(&typed, &candidate.to_lowercase()), candidate));
    near.filter(|(distance, _)| *distance <= most).min_by_key(|near| near.0).map(|near| near.1)
}

/// How many characters must be changed, added or removed to make one text of the other (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, character) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(character != *other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn errors_are_as_their_golden_file() {
        let unknown = |start: usize, end: usize| {
            Error::new(Code::UnknownColumn, "no column \"custmer\"").span(start, end).hint("did you mean \"customer\"?")
        };
        let script = Origin { name: Some("nightly.sql".to_owned()), lines_before: 11, columns_before: 4 };
        let long = format!("SELECT {} custmer {}", "a, ".repeat(60), ", b".repeat(60));
        let cases = [
            ("one line", unknown(7, 14), "SELECT custmer FROM orders", Origin::default()),
            ("a line of a script", unknown(7, 14), "SELECT custmer FROM orders", script.clone()),
            ("a later line", unknown(23, 30), "SELECT 漢\tx,\n  '漢', custmer\nFROM t", script),
            ("a long line", unknown(188, 195), &long, Origin::default()),
            (
                "the end of the text",
                Error::new(Code::Syntax, "the statement ends too early").span(6, 6),
                "SELECT",
                Origin::default(),
            ),
            (
                "stored data",
                Error::new(Code::Damaged, "the block is empty")
                    .at("block 7")
                    .at("a.fpt")
                    .hint("run `mainstay check a.dbf`"),
                "SELECT 1",
                Origin::default(),
            ),
            ("a span outside", unknown(90, 99), "SELECT 1", Origin::default()),
        ];
        let mut all = String::new();
        for (name, error, text, origin) in &cases {
            let _ = writeln!(all, "# {name}\n{}", render(error, text, origin, false));
        }
        golden::check("errors.golden.txt", all.as_bytes());
    }

    #[test]
    fn no_span_breaks_it() {
        let text = "SELECT 'é漢'\n, x";
        for start in 0..20 {
            for end in 0..20 {
                let _ = render(&Error::new(Code::Syntax, "x").span(start, end), text, &Origin::default(), true);
            }
        }
    }

    #[test]
    fn origins_count_lines_and_columns() {
        let text = "SELECT 1; SELECT 2;\n SELECT 3";
        let origin = Origin::default();
        assert_eq!(origin.at(text, 10), Origin { columns_before: 10, ..Origin::default() });
        assert_eq!(origin.at(text, 21), Origin { lines_before: 1, columns_before: 1, ..Origin::default() });
    }

    #[test]
    fn the_nearest_name_is_near() {
        let names = ["customers", "orders", "products"];
        assert_eq!(nearest("custmers", names.into_iter()), Some("customers"));
        assert_eq!(nearest("ORDER", names.into_iter()), Some("orders"));
        assert_eq!(nearest("cvs", ["table", "tsv", "csv"].into_iter()), Some("csv"));
        assert_eq!(nearest("xyz", names.into_iter()), None);
    }
}
