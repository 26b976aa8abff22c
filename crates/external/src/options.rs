//! What the caller may know better than detection does.

use mainstay_base::{Code, Error, Result};
use std::sync::Arc;

/// How bytes become characters.
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

/// What is known about a CSV file; whatever is `None` is detected.
#[derive(Clone, Debug, Default)]
pub struct CsvOptions {
    /// The ASCII character between fields.
    pub delimiter: Option<u8>,
    /// The ASCII character around fields; 0 if nothing is a quote.
    pub quote: Option<u8>,
    /// Whether the first row holds the names of the columns.
    pub header: Option<bool>,
    /// How bytes become characters.
    pub code_page: Option<CodePage>,
}

impl CsvOptions {
    /// Refuses what no file can be read with.
    pub(crate) fn check(&self) -> Result<()> {
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
    }
}
