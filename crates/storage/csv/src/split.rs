//! Rows and fields: the grammar of CSV, 64 bytes at a time.
//!
//! Only four bytes mean anything: delimiter, quote, LF and CR. [`Marks`] finds them 64 bytes at a
//! time with plain integer arithmetic; the state machine in [`Rows`] looks at nothing else, so its work
//! depends on the number of fields and not on their length.
//!
//! The grammar is that of RFC 4180, read generously:
//!
//! - A row ends with LF, CRLF or CR, or with the data. A row of no bytes at all is skipped.
//! - A quote at the very start of a field opens it; there delimiters and line ends are text and a
//!   doubled quote stands for one. Anywhere else a quote is an ordinary character.
//! - Text between the closing quote and the delimiter belongs to the value as it is (and is
//!   reported).
//! - From `quotes_until` on quotes are ordinary characters: that is how the scan continues behind a quote
//!   that is never closed.
//!
//! The data may end in the middle of a row (`at_end` false); the row is then given again, whole, when
//! more of it is there.

/// The field is between quotes.
pub(crate) const QUOTED: u8 = 1;
/// The field's bytes run from behind its opening quote to its delimiter, and are not yet its value:
/// [`unquote`] makes it.
pub(crate) const ESCAPED: u8 = 2;

/// Where a field is, relative to the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) flags: u8,
}

impl Field {
    /// The bytes between the delimiters, or between the quotes. `\N` without quotes is nothing: database programs write
    /// NULL like that if they distinguish it from an empty text.
    #[inline(always)]
    pub(crate) fn bytes<'a>(&self, data: &'a [u8]) -> &'a [u8] {
        let bytes = &data[self.start as usize..self.end as usize];
        if bytes == b"\\N" && self.flags & QUOTED == 0 { &[] } else { bytes }
    }
}

/// The characters that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grammar {
    pub(crate) delimiter: u8,
    /// 0 when nothing is a quote.
    pub(crate) quote: u8,
}

/// The end of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    Lf,
    CrLf,
    Cr,
    /// The data end.
    None,
}

/// A row, relative to the data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) start: usize,
    pub(crate) line_end: LineEnd,
    /// The number of lines that ended before the row began (blank ones), and of those that end with it and within it.
    pub(crate) lines_before: u32,
    pub(crate) lines: u32,
    /// Where text stands behind a closing quote.
    pub(crate) text_after_quote: Option<usize>,
}

/// The result of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Row(Row),
    /// The data end in the middle of a row, perhaps within the quote that opened here.
    NeedMore {
        open_quote: Option<usize>,
    },
    /// The data are at their end, and this quote is still open.
    Unterminated {
        quote: usize,
    },
    /// There are no more rows.
    End,
}

/// The number of bytes that are scanned together.
const BLOCK: usize = 64;

/// The positions of the bytes that matter, in order.
struct Marks {
    patterns: [u64; 4],
    /// The position of the current block, and a bit for each byte of it that is still to be given.
    base: usize,
    found: u64,
}

const LOW_SEVEN: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Moves the high bits of eight bytes, shifted down to the lowest, next to each other at the top.
const GATHER: u64 = 0x0102_0408_1020_4080;

impl Marks {
    fn new(grammar: Grammar) -> Marks {
        // Without a quote its place is taken by the delimiter, which is looked for anyway.
        let quote = if grammar.quote == 0 { grammar.delimiter } else { grammar.quote };
        let spread = |byte: u8| u64::from_le_bytes([byte; 8]);
        let patterns = [spread(grammar.delimiter), spread(quote), spread(b'\n'), spread(b'\r')];
        Marks { patterns, base: 0, found: 0 }
    }

    fn seek(&mut self, data: &[u8], position: usize) {
        self.base = position;
        self.found = self.find(data);
    }

    #[inline(always)]
    fn next(&mut self, data: &[u8]) -> Option<usize> {
        while self.found == 0 {
            self.base += BLOCK;
            if self.base >= data.len() {
                self.base = data.len();
                return None;
            }
            self.found = self.find(data);
        }
        let position = self.base + self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        Some(position)
    }

    #[inline(always)]
    fn find(&self, data: &[u8]) -> u64 {
        match data.get(self.base..self.base + BLOCK) {
            Some(block) => self.marks_of(block),
            None => self.find_in_tail(data),
        }
    }

    #[cold]
    fn find_in_tail(&self, data: &[u8]) -> u64 {
        let rest = data.get(self.base..).unwrap_or(&[]);
        let mut block = [0; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        self.marks_of(&block)
    }

    #[inline(always)]
    fn marks_of(&self, block: &[u8]) -> u64 {
        let mut marks = 0;
        for (at, bytes) in block.chunks_exact(8).enumerate() {
            let mut word = [0; 8];
            word.copy_from_slice(bytes);
            marks |= self.marks_of_word(u64::from_le_bytes(word)) << (8 * at);
        }
        marks
    }

    /// A bit for each byte that is one of the four. A byte is zero exactly if neither it nor its lower
    /// seven bits plus 0x7f have the high bit; after XOR, zero means equal.
    #[inline(always)]
    fn marks_of_word(&self, word: u64) -> u64 {
        let [a, b, c, d] = self.patterns.map(|pattern| {
            let difference = word ^ pattern;
            ((difference & LOW_SEVEN) + LOW_SEVEN) | difference
        });
        ((!(a & b & c & d) & !LOW_SEVEN) >> 7).wrapping_mul(GATHER) >> 56
    }
}

/// The rows of some data.
pub(crate) struct Rows<'a> {
    data: &'a [u8],
    grammar: Grammar,
    at_end: bool,
    quotes_until: usize,
    marks: Marks,
    position: usize,
    blank_lines: u32,
}

impl<'a> Rows<'a> {
    /// `data` must be shorter than 4 GiB.
    pub(crate) fn new(data: &'a [u8], grammar: Grammar, at_end: bool, quotes_until: usize) -> Rows<'a> {
        let mut rows =
            Rows { data, grammar, at_end, quotes_until, marks: Marks::new(grammar), position: 0, blank_lines: 0 };
        rows.marks.seek(data, 0);
        rows
    }

    /// Where the next row begins, blank lines included.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// The number of blank lines before that place that no row has counted.
    pub(crate) fn blank_lines(&self) -> u32 {
        self.blank_lines
    }

    /// The next row, its fields in `fields`. With [`Step::NeedMore`] and [`Step::Unterminated`] nothing
    /// but blank lines is taken.
    #[inline(always)]
    pub(crate) fn next_row(&mut self, fields: &mut Vec<Field>) -> Step {
        fields.clear();
        let data = self.data;
        let mut row =
            Row { start: self.position, line_end: LineEnd::None, lines_before: 0, lines: 0, text_after_quote: None };
        let mut start = self.position;
        // A field whose closing quote has been seen, waiting for its delimiter.
        let mut closed: Option<Field> = None;
        loop {
            let Some(at) = self.marks.next(data) else {
                return self.end_of_data(row, start, closed, fields);
            };
            let byte = data[at];
            if byte == self.grammar.delimiter {
                fields.push(closed.take().map_or(plain(start, at), |field| field.up_to(at)));
                start = at + 1;
            } else if byte == b'\n' || byte == b'\r' {
                let Some((line_end, len)) = self.line_end(at) else {
                    return self.need_more(None);
                };
                self.position = at + len;
                if at == row.start {
                    self.blank_lines += 1;
                    row.start = self.position;
                    start = self.position;
                    continue;
                }
                fields.push(closed.take().map_or(plain(start, at), |field| field.up_to(at)));
                row.lines += 1;
                row.line_end = line_end;
                row.lines_before = std::mem::take(&mut self.blank_lines);
                return Step::Row(row);
            } else if at == start && at < self.quotes_until {
                match self.quoted_field(at, &mut row) {
                    Ok(field) => closed = Some(field),
                    Err(step) => return step,
                }
            }
        }
    }

    /// Reads on to the closing quote of the field that opens here.
    #[inline(always)]
    fn quoted_field(&mut self, open: usize, row: &mut Row) -> Result<Field, Step> {
        let (data, quote) = (self.data, self.grammar.quote);
        let mut flags = QUOTED;
        loop {
            let Some(at) = self.marks.next(data) else {
                return Err(if self.at_end { self.unterminated(open) } else { self.need_more(Some(open)) });
            };
            let byte = data[at];
            if byte == b'\n' || byte == b'\r' {
                let Some((_, _)) = self.line_end(at) else {
                    return Err(self.need_more(Some(open)));
                };
                row.lines += 1;
            } else if byte == quote {
                match data.get(at + 1) {
                    Some(&next) if next == quote => {
                        flags |= ESCAPED;
                        self.marks.next(data);
                    }
                    Some(&next) if next != self.grammar.delimiter && next != b'\n' && next != b'\r' => {
                        row.text_after_quote = row.text_after_quote.or(Some(at + 1));
                        return Ok(Field { start: (open + 1) as u32, end: at as u32, flags: QUOTED | ESCAPED });
                    }
                    // Also when the data end here: a row without its line end is given again anyway.
                    _ => return Ok(Field { start: (open + 1) as u32, end: at as u32, flags }),
                }
            }
        }
    }

    /// The kind of line end at this CR or LF, and its length; `None` if that is not known yet.
    #[inline(always)]
    fn line_end(&mut self, at: usize) -> Option<(LineEnd, usize)> {
        if self.data[at] == b'\n' {
            return Some((LineEnd::Lf, 1));
        }
        match self.data.get(at + 1) {
            Some(b'\n') => {
                self.marks.next(self.data);
                Some((LineEnd::CrLf, 2))
            }
            None if !self.at_end => None,
            _ => Some((LineEnd::Cr, 1)),
        }
    }

    #[cold]
    fn end_of_data(&mut self, mut row: Row, start: usize, closed: Option<Field>, fields: &mut Vec<Field>) -> Step {
        let len = self.data.len();
        if start == len && fields.is_empty() && closed.is_none() {
            self.position = len;
            return if self.at_end { Step::End } else { self.need_more(None) };
        }
        if !self.at_end {
            return self.need_more(None);
        }
        fields.push(closed.map_or(plain(start, len), |field| field.up_to(len)));
        self.position = len;
        row.lines_before = std::mem::take(&mut self.blank_lines);
        Step::Row(row)
    }

    #[cold]
    fn need_more(&mut self, open_quote: Option<usize>) -> Step {
        self.marks.seek(self.data, self.position);
        Step::NeedMore { open_quote }
    }

    #[cold]
    fn unterminated(&mut self, quote: usize) -> Step {
        self.marks.seek(self.data, self.position);
        Step::Unterminated { quote }
    }
}

#[inline(always)]
fn plain(start: usize, end: usize) -> Field {
    Field { start: start as u32, end: end as u32, flags: 0 }
}

impl Field {
    /// A quoted field whose delimiter has been found.
    #[inline(always)]
    fn up_to(self, delimiter: usize) -> Field {
        if self.flags & ESCAPED == 0 { self } else { Field { end: delimiter as u32, ..self } }
    }
}

/// The value of an [`ESCAPED`] field.
pub(crate) fn unquote(bytes: &[u8], quote: u8, value: &mut Vec<u8>) {
    value.clear();
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(quote, rest) {
        value.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if rest.first() != Some(&quote) {
            break;
        }
        value.push(quote);
        rest = &rest[1..];
    }
    value.extend_from_slice(rest);
}

/// Returns true if each backslash of a field stands before a sign that is written so: `\t`, `\n`, `\r`, `\\`.
pub(crate) fn is_escaped(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        match rest.get(at + 1) {
            Some(b't' | b'n' | b'r' | b'\\') => rest = &rest[at + 2..],
            _ => return false,
        }
    }
    true
}

/// The value of such a field.
pub(crate) fn unescape(bytes: &[u8], value: &mut Vec<u8>) {
    value.clear();
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        value.extend_from_slice(&rest[..at]);
        let sign = match rest.get(at + 1) {
            Some(b't') => b'\t',
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            _ => b'\\',
        };
        value.push(sign);
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    value.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_as_they_are_written() {
        let mut value = Vec::new();
        unescape(b"a\\tb\\nc\\\\N\\r", &mut value);
        assert_eq!(value, b"a\tb\nc\\N\r");
        assert!(is_escaped(b"a\\tb\\\\") && is_escaped(b"") && !is_escaped(b"C:\\Users") && !is_escaped(b"a\\"));
    }

    const GRAMMAR: Grammar = Grammar { delimiter: b',', quote: b'"' };

    /// The values of all rows, taken from the data in two pieces that meet at `cut`.
    fn rows(data: &[u8], cut: usize) -> Vec<Vec<Vec<u8>>> {
        rows_and_lines(data, cut).0
    }

    /// Also the lines in which they begin.
    fn rows_and_lines(data: &[u8], cut: usize) -> (Vec<Vec<Vec<u8>>>, Vec<u32>) {
        let (mut all, mut fields, mut value) = (Vec::new(), Vec::new(), Vec::new());
        let (mut lines, mut line) = (Vec::new(), 1);
        let mut start = 0;
        for (piece, at_end) in [(&data[..cut], false), (data, true)] {
            let piece = &piece[start..];
            let mut rows = Rows::new(piece, GRAMMAR, at_end, usize::MAX);
            while let Step::Row(found) = rows.next_row(&mut fields) {
                lines.push(line + found.lines_before);
                line += found.lines_before + found.lines;
                let mut row = Vec::new();
                for field in &fields {
                    value.clear();
                    match field.flags & ESCAPED {
                        0 => value.extend_from_slice(field.bytes(piece)),
                        _ => unquote(field.bytes(piece), GRAMMAR.quote, &mut value),
                    }
                    row.push(value.clone());
                }
                all.push(row);
            }
            start += rows.position();
            line += rows.blank_lines();
        }
        (all, lines)
    }

    #[test]
    fn rfc_4180_and_what_it_leaves_open() {
        let check = |text: &str, expected: &[&[&str]]| {
            let found = rows(text.as_bytes(), 0);
            let found: Vec<Vec<&str>> =
                found.iter().map(|row| row.iter().map(|value| std::str::from_utf8(value).unwrap()).collect()).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check("a,b\r\nc,d\r\n", &[&["a", "b"], &["c", "d"]]);
        check("a,b\nc,d", &[&["a", "b"], &["c", "d"]]);
        check("a,b\rc,d\r", &[&["a", "b"], &["c", "d"]]);
        check("\"a,1\",\"b\nc\"\n", &[&["a,1", "b\nc"]]);
        check("\"say \"\"yes\"\"\",\"\"\"\"\n", &[&["say \"yes\"", "\""]]);
        check("a\"b,c\"\"d\n", &[&["a\"b", "c\"\"d"]]);
        check("\"a\"b\"c,d\n", &[&["ab\"c", "d"]]);
        check(" \"a\",b\n", &[&[" \"a\"", "b"]]);
        check(",\n,,\n", &[&["", ""], &["", "", ""]]);
        check("\n\r\n\na\n\n\rb\n\n", &[&["a"], &["b"]]);
        check("\"\"\n", &[&[""]]);
        check("a,\"\"", &[&["a", ""]]);
        check("a,", &[&["a", ""]]);
        check("", &[]);
    }

    #[test]
    fn a_cut_anywhere_changes_nothing() {
        let text = b"id,name\r\n1,\"a \"\"b\"\", c\r\nd\"\r\n\r\n22,\"\"\r3,x\n\n4,\"y\"z,\r\n\"\"\"\",12345678901234567890\r\n";
        let whole = rows_and_lines(text, 0);
        assert_eq!(whole.1, [1, 2, 5, 6, 8, 9]);
        for cut in 0..=text.len() {
            assert_eq!(rows_and_lines(text, cut), whole, "cut at {cut}");
        }
    }

    #[test]
    fn an_open_quote_is_told_of_and_nothing_is_taken() {
        let text = b"a,b\n\nc,\"d\ne\n";
        let (mut rows, mut fields) = (Rows::new(text, GRAMMAR, true, usize::MAX), Vec::new());
        assert!(matches!(rows.next_row(&mut fields), Step::Row(_)));
        assert!(matches!(rows.next_row(&mut fields), Step::Unterminated { quote: 7 }));
        assert_eq!((rows.position(), rows.blank_lines()), (5, 1));
        let mut rows = Rows::new(&text[5..], GRAMMAR, true, 2);
        assert!(matches!(rows.next_row(&mut fields), Step::Row(_)));
        assert_eq!(fields[1].bytes(&text[5..]), b"\"d");
    }

    #[test]
    fn every_position_of_every_mark_is_found() {
        for len in (0..40).chain(120..140) {
            for at in 0..len {
                for mark in [b',', b'"', b'\n', b'\r'] {
                    // The neighbours of a mark differ from it in one bit or by one.
                    let mut data: Vec<u8> = (0..len).map(|i| [mark ^ 0x80, mark + 1, 0, 0xff][i % 4]).collect();
                    data.iter_mut().filter(|byte| b",\"\n\r".contains(byte)).for_each(|byte| *byte = b'x');
                    data[at] = mark;
                    let mut marks = Marks::new(GRAMMAR);
                    marks.seek(&data, 0);
                    assert_eq!((marks.next(&data), marks.next(&data)), (Some(at), None));
                }
            }
        }
    }
}
