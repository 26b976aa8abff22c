//! The text of a file for BULK INSERT, split into rows and fields.
//!
//! ```text
//!   1+|Ann+|2001-01-01&|\n          FIELDTERMINATOR '+|', ROWTERMINATOR '&|\n'
//!   ---1--- --2-- ----3----
//! ```
//!
//! Every field but a row's last ends with the field's terminator, whatever it contains; the last one ends with the
//! row's. A line's end in a terminator is the end of a line as either kind of system writes it, unless it is written
//! `0x0a`. With FORMAT = 'CSV' a field may stand in quotes, which are doubled inside of it. (SQL Server's reference,
//! "BULK INSERT".)

use mainstay_tsql_types::CodePage;

/// The layout of a file.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) field: Vec<String>,
    pub(crate) row: Vec<String>,
    /// The quote of a CSV file.
    pub(crate) quote: Option<char>,
}

/// A field: its text, and whether it stood in quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) text: String,
    pub(crate) is_quoted: bool,
}

/// The file ended within a row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended;

/// The forms of a terminator in a file, from its form in a statement: `\t`, `\n`, `\r`, `\0`, `\\`, or `0x0a`.
pub(crate) fn terminators(said: &str) -> Vec<String> {
    if let Some(digits) = said.strip_prefix("0x").or_else(|| said.strip_prefix("0X")) {
        let bytes = (0..digits.len() / 2).filter_map(|place| digits.get(2 * place..2 * place + 2));
        let text: Option<String> = bytes.map(|two| u8::from_str_radix(two, 16).ok().map(char::from)).collect();
        return text.filter(|text| !text.is_empty()).into_iter().collect();
    }
    let mut text = String::new();
    let mut rest = said.chars();
    while let Some(c) = rest.next() {
        match (c, rest.clone().next()) {
            ('\\', Some(escaped @ ('t' | 'n' | 'r' | '0' | '\\'))) => {
                rest.next();
                text.push(match escaped {
                    't' => '\t',
                    'n' => '\n',
                    'r' => '\r',
                    '0' => '\0',
                    _ => '\\',
                });
            }
            _ => text.push(c),
        }
    }
    if text.is_empty() {
        return Vec::new();
    }
    match text.contains('\n') && !text.contains('\r') {
        true => vec![text.replace('\n', "\r\n"), text],
        false => vec![text],
    }
}

/// The nearest of some terminators: where it begins and ends.
fn nearest(text: &str, terminators: &[String]) -> Option<(usize, usize)> {
    let found = terminators.iter().filter_map(|one| text.find(one.as_str()).map(|start| (start, start + one.len())));
    found.min()
}

/// Reads a file's rows one by one.
pub(crate) struct Rows<'t> {
    rest: &'t str,
    layout: &'t Layout,
}

impl<'t> Rows<'t> {
    pub(crate) fn new(text: &'t str, layout: &'t Layout) -> Rows<'t> {
        Rows { rest: text, layout }
    }

    /// Passes over rows: up to so many ends of rows.
    pub(crate) fn skip(&mut self, rows: usize) {
        for _ in 0..rows {
            let end = nearest(self.rest, &self.layout.row).map_or(self.rest.len(), |(_, end)| end);
            self.rest = self.rest.get(end..).unwrap_or_default();
        }
    }

    /// The next row, of so many fields; `None` at the end of the file.
    pub(crate) fn next_row(&mut self, fields: usize) -> Option<Result<Vec<Field>, Ended>> {
        if self.rest.is_empty() {
            return None;
        }
        let mut row = Vec::with_capacity(fields);
        for place in 0..fields {
            let is_last = place + 1 == fields;
            match self.next_field(is_last) {
                Some(field) => row.push(field),
                // A line without anything at the end of the file is no row.
                None if row.iter().all(|field| field.text.trim().is_empty()) && self.rest.trim().is_empty() => {
                    return None;
                }
                None => return Some(Err(Ended)),
            }
        }
        Some(Ok(row))
    }

    fn next_field(&mut self, is_last: bool) -> Option<Field> {
        let ends = if is_last { &self.layout.row } else { &self.layout.field };
        if let Some(quote) = self.layout.quote
            && let Some(inner) = self.rest.strip_prefix(quote)
        {
            return self.quoted(inner, quote, ends);
        }
        let (start, end) = match nearest(self.rest, ends) {
            Some(found) => found,
            None if is_last => (self.rest.len(), self.rest.len()),
            None => return None,
        };
        let text = self.rest.get(..start)?.to_owned();
        // In a CSV file no field reaches over the end of its line.
        if self.layout.quote.is_some() && !is_last && nearest(&text, &self.layout.row).is_some() {
            return None;
        }
        self.rest = self.rest.get(end..)?;
        Some(Field { text, is_quoted: false })
    }

    fn quoted(&mut self, inner: &'t str, quote: char, ends: &[String]) -> Option<Field> {
        let mut text = String::new();
        let mut rest = inner;
        loop {
            let (before, behind) = rest.split_once(quote)?;
            text.push_str(before);
            match behind.strip_prefix(quote) {
                Some(more) => {
                    text.push(quote);
                    rest = more;
                }
                None => {
                    rest = behind;
                    break;
                }
            }
        }
        let end = match ends.iter().filter_map(|one| rest.strip_prefix(one.as_str())).next() {
            Some(behind) => behind,
            None if rest.is_empty() => rest,
            None => return None,
        };
        self.rest = end;
        Some(Field { text, is_quoted: true })
    }
}

/// The text of a file: UTF-16 and UTF-8 by their marks, and otherwise as the options give it.
pub(crate) fn decoded(bytes: &[u8], is_wide: bool, page: CodePage) -> String {
    let wide = |bytes: &[u8]| {
        let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => wide(rest),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ if is_wide => wide(bytes),
        _ => page.decode(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, field: &str, row: &str, quote: Option<char>, fields: usize) -> Vec<Option<Vec<String>>> {
        let layout = Layout { field: terminators(field), row: terminators(row), quote };
        let mut rows = Rows::new(text, &layout);
        let mut read = Vec::new();
        while let Some(row) = rows.next_row(fields) {
            let ended = row.is_err();
            read.push(row.ok().map(|row| row.into_iter().map(|field| field.text).collect()));
            if ended {
                break;
            }
        }
        read
    }

    fn row(fields: &[&str]) -> Option<Vec<String>> {
        Some(fields.iter().map(|field| (*field).to_owned()).collect())
    }

    #[test]
    fn rows_end_as_their_terminators_say() {
        assert_eq!(rows("1,a\r\n2,b\n", ",", "\\n", None, 2), [row(&["1", "a"]), row(&["2", "b"])]);
        assert_eq!(rows("1,a\r\n2,b", ",", "0x0a", None, 2), [row(&["1", "a\r"]), row(&["2", "b"])]);
        assert_eq!(
            rows("1+|two\nlines+|&|\r\n2+|+|x&|\n", "+|", "&|\\n", None, 3),
            [row(&["1", "two\nlines", ""]), row(&["2", "", "x"])]
        );
        assert_eq!(rows("1\t2\n3\n", "\\t", "\\n", None, 2), [row(&["1", "2"]), None]);
        assert_eq!(rows("1,2\n\r\n", ",", "\\n", None, 2), [row(&["1", "2"])]);
        assert_eq!(rows("", ",", "\\n", None, 2), [] as [Option<Vec<String>>; 0]);
    }

    #[test]
    fn quotes_of_csv_hold_terminators() {
        let text = "1,\"a, \"\"b\"\"\nc\"\r\n2,plain\n";
        assert_eq!(rows(text, ",", "\\n", Some('"'), 2), [row(&["1", "a, \"b\"\nc"]), row(&["2", "plain"])]);
        assert_eq!(rows("1\n2,3\n", ",", "\\n", Some('"'), 2), [None]);
        assert_eq!(rows("1,\"open\n", ",", "\\n", Some('"'), 2), [None]);
    }

    #[test]
    fn texts_are_read_by_their_marks() {
        assert_eq!(decoded(&[0xFF, 0xFE, 0xE4, 0], false, CodePage::DEFAULT), "ä");
        assert_eq!(decoded(&[0xE4, 0], true, CodePage::DEFAULT), "ä");
        assert_eq!(decoded(&[0xE4], false, CodePage::DEFAULT), "ä");
        assert_eq!(decoded("ä".as_bytes(), false, CodePage::Utf8), "ä");
        assert_eq!(decoded(&[0xEF, 0xBB, 0xBF, 0xC3, 0xA4], false, CodePage::DEFAULT), "ä");
    }
}
