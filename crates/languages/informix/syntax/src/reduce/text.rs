//! Values that become texts: in `||`, in casts, and in columns of texts; and the greatest of several values.
//!
//! A DATE is `12/31/2024`, a DATETIME and an INTERVAL have the fields of their type, a CHAR keeps its blanks. The core writes
//! dates as `2024-12-31`, moments down to the second, and a CHAR without its trailing blanks.
//!
//! Source: "Concatenation operator" and "Implicit casts" in the Guide to SQL: Syntax and Reference.

use super::Reducer;
use crate::error::Parse;
use crate::tree::Expr;
use crate::types::{Field, Type};

/// The places of the first and the last character of each field in `YYYY-MM-DD HH:MM:SS`, from 1.
const PLACES: [(u32, u32); 6] = [(1, 4), (6, 7), (9, 10), (12, 13), (15, 16), (18, 19)];
/// Characters before the hour.
const DATE_LENGTH: u32 = 11;

/// The start and the length of the fields of a DATETIME within what the core writes; no length for a fraction, which is its
/// end.
fn characters(first: Field, last: Field) -> Option<(u32, Option<u32>)> {
    let before = if first >= Field::HOUR { DATE_LENGTH } else { 0 };
    let (start, _) = *PLACES.get(first.0 as usize / 2)?;
    let start = start - before;
    if last > Field::SECOND {
        return Some((start, None));
    }
    let (_, end) = *PLACES.get(last.0 as usize / 2)?;
    Some((start, Some(end - before - start + 1)))
}

/// Characters behind the last field of an INTERVAL of days in what the core writes: `3 04:00:00`.
fn behind(last: Field) -> u32 {
    match last.0 {
        4 => 9,
        6 => 6,
        8 => 3,
        _ => 0,
    }
}

impl Reducer<'_> {
    /// Writes a value as an operand of `||`.
    pub(super) fn operand_text(&mut self, value: &Expr) -> Parse<()> {
        if self.moment_as_text(value)? {
            return Ok(());
        }
        match self.type_of(value) {
            Some(Type::Char(length) | Type::NChar(length)) => self.around("rpad(", &[value], &format!(", {length})")),
            _ => self.expression(value),
        }
    }

    /// Writes GREATEST or LEAST, which are NULL where one of their arguments is.
    pub(super) fn extreme(&mut self, name: &str, arguments: &[&Expr]) -> Parse<()> {
        self.push("CASE WHEN ");
        for (place, argument) in arguments.iter().enumerate() {
            self.push(if place > 0 { " OR " } else { "" });
            self.around("(", &[argument], ") IS NULL")?;
        }
        self.push(&format!(" THEN NULL ELSE {name}("));
        self.around("", arguments, ") END")
    }

    /// Writes a DATE, DATETIME or INTERVAL as a text; false for other values, of which nothing is written.
    pub(super) fn moment_as_text(&mut self, value: &Expr) -> Parse<bool> {
        match self.type_of(value) {
            Some(Type::Date) => self.around("to_char(CAST(", &[value], " AS DATE), '%m/%d/%Y')")?,
            Some(Type::DateTime(first, last)) => {
                let Some((start, length)) = characters(first, last) else { return Ok(false) };
                let length = length.map_or_else(String::new, |length| format!(", {length}"));
                self.around("substr(CAST(", &[value], &format!(" AS VARCHAR), {start}{length})"))?;
            }
            Some(Type::Interval(Field::DAY, _, last)) if behind(last) > 0 => {
                self.around("left(CAST(", &[value], &format!(" AS VARCHAR(40)), -{})", behind(last)))?;
            }
            Some(Type::Interval(..)) => self.around("CAST(", &[value], " AS VARCHAR(40))")?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}
