//! Options that override detection.

use crate::guess::{ColumnType, DayOrder};
use crate::shape::NumberFormat;
use mainstay_types::{Code, Error, Result};
use std::sync::Arc;

/// The encoding of characters.
#[derive(Clone, PartialEq, Eq)]
pub enum CodePage {
    /// UTF-8. A file with other bytes is an error when this is asked for.
    Utf8,
    /// The Western European code page of Windows. The five bytes that it leaves open stand for the
    /// control characters of the same number, so no byte is lost.
    Windows1252,
    /// Any code page of one byte a character that agrees with ASCII in its lower half.
    Table {
        /// Its name, for messages.
        name: String,
        /// The characters of the bytes 128 to 255.
        upper: Arc<[char; 128]>,
    },
}

/// The characters of the bytes 0x80 to 0x9F in windows-1252; the others are those of Latin-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', //
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

impl CodePage {
    /// Appends the characters of these bytes. False, and nothing appended, if they are not UTF-8 and
    /// should be.
    pub(crate) fn decode(&self, bytes: &[u8], text: &mut String) -> bool {
        match self {
            CodePage::Utf8 => {
                let Ok(valid) = std::str::from_utf8(bytes) else { return false };
                text.push_str(valid);
            }
            CodePage::Windows1252 => text.extend(bytes.iter().map(|&byte| match byte {
                0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
                _ => char::from(byte),
            })),
            CodePage::Table { upper, .. } => text.extend(bytes.iter().map(|&byte| match byte {
                0x80.. => upper[usize::from(byte - 0x80)],
                _ => char::from(byte),
            })),
        }
        true
    }
}

impl std::fmt::Debug for CodePage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            CodePage::Utf8 => "UTF-8",
            CodePage::Windows1252 => "windows-1252",
            CodePage::Table { name, .. } => name,
        })
    }
}

/// Properties of a CSV file that are known beforehand; whatever is `None` (or empty) is detected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsvOptions {
    /// The ASCII character between fields.
    pub delimiter: Option<u8>,
    /// The ASCII character around fields; 0 if nothing is a quote.
    pub quote: Option<u8>,
    /// The first row holds the names of the columns.
    pub header: Option<bool>,
    /// The number of lines at the beginning that are not part of the table.
    pub skip: u64,
    /// The sign between the whole digits of a number and its fraction: `.` or `,`.
    pub decimal: Option<u8>,
    /// The sign between groups of three digits of a number: `.`, `,`, `'` or a blank.
    pub thousands: Option<u8>,
    /// The form of dates that are neither timestamps nor in the form of ISO 8601.
    pub dates: Option<DateFormat>,
    /// Texts without quotes that stand for NULL, besides the empty one.
    pub nulls: Vec<String>,
    /// Types of columns, by name in any case. A value that is not of its column's type is NULL and a finding.
    pub types: Vec<(String, DeclaredType)>,
    /// The encoding of characters.
    pub code_page: Option<CodePage>,
}

/// The form of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateFormat {
    /// `2024-12-31`.
    Iso,
    /// `31.12.2024`.
    Dotted,
    /// `31/12/2024` or `12/31/2024`.
    Slashed(DayOrder),
}

/// The type that a column is declared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclaredType {
    /// BIGINT.
    Integer,
    /// DECIMAL: digits in all, 1 to 38, and after the point.
    Decimal(u8, u8),
    /// DOUBLE.
    Double,
    /// BOOLEAN.
    Boolean,
    /// DATE, in the form that [`CsvOptions::dates`] gives, else in that of ISO 8601.
    Date,
    /// TIMESTAMP in microseconds.
    Timestamp,
    /// TEXT.
    Text,
}

impl CsvOptions {
    /// The signs in the numbers of a file with this delimiter.
    pub(crate) fn numbers(&self, delimiter: u8) -> NumberFormat {
        NumberFormat {
            // Programs of countries with a decimal comma write semicolons between fields.
            comma: self.decimal.map_or(delimiter == b';', |decimal| decimal == b','),
            point: self.decimal.is_none_or(|decimal| decimal == b'.'),
            thousands: self.thousands,
        }
    }

    /// The type of a column that is declared with one, in the way its texts are written.
    pub(crate) fn column_type(&self, declared: DeclaredType, delimiter: u8) -> ColumnType {
        match declared {
            DeclaredType::Integer => ColumnType::Integer,
            DeclaredType::Decimal(precision, scale) => {
                ColumnType::Decimal { precision, scale, comma: self.numbers(delimiter).comma }
            }
            DeclaredType::Double => ColumnType::Double,
            DeclaredType::Boolean => ColumnType::Boolean,
            DeclaredType::Date => match self.dates.unwrap_or(DateFormat::Iso) {
                DateFormat::Iso => ColumnType::IsoDate,
                DateFormat::Dotted => ColumnType::DottedDate,
                DateFormat::Slashed(order) => ColumnType::SlashedDate(order),
            },
            DeclaredType::Timestamp => ColumnType::Timestamp { micros: true },
            DeclaredType::Text => ColumnType::Text,
        }
    }

    /// The text of an unquoted field stands for NULL.
    #[inline]
    pub(crate) fn is_null(&self, bytes: &[u8]) -> bool {
        !self.nulls.is_empty() && self.nulls.iter().any(|null| null.as_bytes() == bytes)
    }

    /// Refuses options that no file can be read with ([`Code::InvalidSetting`]).
    pub fn check(&self) -> Result<()> {
        let refuse = |what: &str| Err(Error::new(Code::InvalidSetting, what));
        if let Some(delimiter) = self.delimiter
            && (!delimiter.is_ascii() || matches!(delimiter, 0 | b'\r' | b'\n'))
        {
            return refuse("the delimiter must be an ASCII character other than a line end");
        }
        if let Some(quote) = self.quote
            && (!quote.is_ascii() || matches!(quote, b'\r' | b'\n') || Some(quote) == self.delimiter)
        {
            return refuse("the quote must be an ASCII character other than a line end and the delimiter");
        }
        if self.decimal.is_some_and(|decimal| !matches!(decimal, b'.' | b',')) {
            return refuse("the decimal sign must be a point or a comma");
        }
        if self.thousands.is_some_and(|sign| !matches!(sign, b'.' | b',' | b'\'' | b' ')) {
            return refuse("the sign between thousands must be a point, a comma, an apostrophe or a blank");
        }
        if self.thousands.is_some() && self.thousands == self.decimal {
            return refuse("the decimal sign and the sign between thousands must differ");
        }
        let impossible = |declared: &DeclaredType| match *declared {
            DeclaredType::Decimal(precision, scale) => !(1..=38).contains(&precision) || scale > precision,
            _ => false,
        };
        if self.types.iter().any(|(_, declared)| impossible(declared)) {
            return refuse("a DECIMAL has 1 to 38 digits, and not more of them after the point");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_windows_1252_is_a_character_of_its_own() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut text = String::new();
        assert!(CodePage::Windows1252.decode(&bytes, &mut text));
        let distinct: std::collections::HashSet<char> = text.chars().collect();
        assert_eq!(distinct.len(), 256);
        assert!("€äöüß’“”".chars().all(|char| distinct.contains(&char)));
    }

    #[test]
    fn impossible_options_are_refused() {
        let options = |delimiter, quote| CsvOptions { delimiter, quote, ..CsvOptions::default() };
        assert!(options(Some(b';'), Some(b'\'')).check().is_ok());
        assert!(options(Some(b';'), Some(0)).check().is_ok());
        assert!(options(Some(b'\n'), None).check().is_err());
        assert!(options(Some(b';'), Some(b';')).check().is_err());
        assert!(options(Some(0xe4), None).check().is_err());
        let signs = |decimal, thousands| CsvOptions { decimal, thousands, ..CsvOptions::default() }.check();
        assert!(signs(Some(b','), Some(b'.')).is_ok());
        assert!(signs(Some(b','), Some(b',')).is_err());
        assert!(signs(Some(b';'), None).is_err());
        assert!(signs(None, Some(b'_')).is_err());
        let types = vec![("a".to_owned(), DeclaredType::Decimal(5, 6))];
        assert!(CsvOptions { types, ..CsvOptions::default() }.check().is_err());
    }
}
