//! Detection of a CSV file's characters and of a header row, from its first rows.
//!
//! **Delimiter.** The candidates are tried one by one over the first thousand rows. A delimiter is the
//! better, the more rows agree on one number of fields (more than one), and much the better if the first
//! row is among them: decimal commas also come in regular numbers, but not in the row of names. Between
//! equals the rarer character in texts wins: tab, semicolon, bar, comma. A file in which none of them
//! divides the rows has one column. A first line `sep=;`, as Excel writes it, settles the question.
//!
//! **Quote.** The double quote, unless there is none and single quotes open and close fields without
//! exception.
//!
//! **Header.** The first row holds names if none of its fields can be a number, a date or a boolean, and
//! either a column below it is of such a type, or its fields are distinct, read like names and do not
//! come back as values. Fields may be without a name, as long as half of them have one.
//!
//! **Columns.** As many as most rows have, or as the first row has if that is more: a field too many is
//! worse than a NULL.
//!
//! **Preamble.** Reports have title lines above the row of names. Rows of one field at the beginning are not part of the table
//! if the rows below them agree on one number of fields, and these read like a table: a row of names, or values of a type.
//! Prose does not: its commas and semicolons are followed by blanks.

use crate::guess::{ColumnType, Guess};
use crate::options::CsvOptions;
use crate::scan::MAX_COLUMNS;
use crate::shape::{NumberFormat, Shape, trim};
use crate::split::{ESCAPED, Field, Grammar, LineEnd, QUOTED, Rows, Step, unquote};
use std::collections::HashSet;

/// The number of sampled rows, and the greatest number of their fields.
const SAMPLE_ROWS: usize = 1_000;
const SAMPLE_FIELDS: usize = 1_000_000;

/// The most rows that can stand above the row of names.
const PREAMBLE_ROWS: usize = 64;

/// The delimiter of a file that has none: the ASCII unit separator.
pub(crate) const NO_DELIMITER: u8 = 0x1f;

/// Between equals, the first wins.
const DELIMITERS: [u8; 4] = [b'\t', b';', b'|', b','];

/// The dialect of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) grammar: Grammar,
    /// The names in the first row, if it holds names.
    pub(crate) names: Option<Vec<Vec<u8>>>,
    pub(crate) columns: usize,
    /// Where the rows below the names begin, relative to the sample, and in which line (from 1).
    pub(crate) data_start: usize,
    pub(crate) data_line: u64,
    /// The line end of the row of names.
    pub(crate) line_end: LineEnd,
    /// The number of rows above the row of names that are not part of the table.
    pub(crate) preamble: usize,
}

/// The first rows of a file under some grammar.
struct Sample {
    /// The values of each row, and whether each was quoted.
    rows: Vec<Vec<(Vec<u8>, bool)>>,
    /// The ends of the first rows: as many as can be a preamble, and the row of names below them.
    ends: Vec<RowEnd>,
    /// The number of rows that were taken away from the beginning.
    preamble: usize,
    /// Quotes occur, and each opens and closes a field.
    clean_quotes: bool,
}

/// The place behind a row in the sample.
#[derive(Clone, Copy)]
struct RowEnd {
    /// The byte behind it, and that byte's line from 1.
    at: usize,
    line: u64,
    line_end: LineEnd,
}

impl Sample {
    fn read(bytes: &[u8], at_end: bool, grammar: Grammar) -> Sample {
        let mut sample = Sample { rows: Vec::new(), ends: Vec::new(), preamble: 0, clean_quotes: true };
        let (mut fields, mut line, mut quoted_fields) = (Vec::new(), 1, 0);
        let (mut start, mut quotes_until, mut seen_fields) = (0, usize::MAX, 0);
        'again: loop {
            let mut rows = Rows::new(&bytes[start..], grammar, at_end, quotes_until);
            while sample.rows.len() < SAMPLE_ROWS && seen_fields < SAMPLE_FIELDS {
                match rows.next_row(&mut fields) {
                    Step::Row(row) => {
                        line += u64::from(row.lines_before + row.lines);
                        if sample.ends.len() <= PREAMBLE_ROWS {
                            sample.ends.push(RowEnd { at: start + rows.position(), line, line_end: row.line_end });
                        }
                        seen_fields += fields.len();
                        // Enough to see that there are too many.
                        fields.truncate(MAX_COLUMNS + 1);
                        sample.clean_quotes &= row.text_after_quote.is_none();
                        quoted_fields += fields.iter().filter(|field| field.flags & QUOTED != 0).count();
                        sample.rows.push(fields.iter().map(|field| value(field, &bytes[start..], grammar)).collect());
                    }
                    Step::Unterminated { quote } => {
                        sample.clean_quotes = false;
                        line += u64::from(rows.blank_lines());
                        (start, quotes_until) = (start + rows.position(), quote - rows.position());
                        continue 'again;
                    }
                    Step::NeedMore { .. } | Step::End => break 'again,
                }
            }
            break;
        }
        sample.clean_quotes &= quoted_fields > 0;
        sample
    }

    /// The same without the rows above the row of names that are not part of the table.
    fn without_preamble(mut self, numbers: NumberFormat) -> Sample {
        self.preamble = self.preamble_rows(numbers);
        self.rows.drain(..self.preamble);
        self
    }

    fn preamble_rows(&self, numbers: NumberFormat) -> usize {
        let titles = self.rows.iter().take_while(|row| row.len() == 1).count();
        let (fields, _) = self.most_frequent_count();
        let table = &self.rows[titles..];
        let agree = table.iter().filter(|row| row.len() == fields).count();
        let is_table = (1..=PREAMBLE_ROWS).contains(&titles)
            && fields > 1
            && table.len() > 1
            && table[0].len() == fields
            && agree * 10 >= table.len() * 9;
        if !is_table {
            return 0;
        }
        let has_types = column_types(table, fields, numbers).any(|column_type| column_type != ColumnType::Text);
        let is_prose = || table.iter().all(|row| row.iter().skip(1).all(|(value, _)| value.starts_with(b" ")));
        let has_names = || !is_prose() && is_header(table, fields, numbers);
        if has_types || has_names() { titles } else { 0 }
    }

    /// The end of the first so many rows: the byte behind them, and its line.
    fn end_of(&self, rows: usize) -> (usize, u64) {
        match rows.checked_sub(1).and_then(|last| self.ends.get(last)) {
            Some(end) => (end.at, end.line),
            None => (0, 1),
        }
    }

    /// The number of fields that most rows have, and how many rows that is.
    fn most_frequent_count(&self) -> (usize, usize) {
        let mut counts: Vec<(usize, usize)> = Vec::new();
        for row in &self.rows {
            match counts.iter_mut().find(|(fields, _)| *fields == row.len()) {
                Some((_, rows)) => *rows += 1,
                None => counts.push((row.len(), 1)),
            }
        }
        counts.into_iter().rev().max_by_key(|&(_, rows)| rows).unwrap_or((1, 0))
    }

    /// The score of its delimiter: 0 if it does not divide the rows.
    fn score(&self) -> usize {
        let (fields, rows) = self.most_frequent_count();
        let percent = rows * 100 / self.rows.len().max(1);
        let first = self.rows.first().map_or(0, Vec::len);
        let accepted = fields > 1 && percent >= if first == 1 { 90 } else { 25 };
        match accepted {
            // A table that needs a preamble to be one is less likely than one that does not.
            true if first == fields && self.preamble > 0 => 50 + percent / 10,
            true if first == fields => 100 + percent / 10,
            true => percent / 10,
            false => 0,
        }
    }
}

fn value(field: &Field, bytes: &[u8], grammar: Grammar) -> (Vec<u8>, bool) {
    let mut value = field.bytes(bytes).to_vec();
    if field.flags & ESCAPED != 0 {
        unquote(field.bytes(bytes), grammar.quote, &mut value);
    }
    (value, field.flags & QUOTED != 0)
}

/// The dialect of a file that begins with these bytes; `at_end` if they are all of it.
pub(crate) fn detect(bytes: &[u8], at_end: bool, options: &CsvOptions) -> Dialect {
    let (declared, sep_len) = declared_delimiter(bytes);
    let known = options.delimiter.or(declared);
    let (skipped, skipped_lines) = match options.skip {
        0 => (sep_len, u64::from(sep_len > 0)),
        lines => (end_of_lines(bytes, lines), lines),
    };
    let (grammar, sample) = choose_grammar(&bytes[skipped..], at_end, known, options);
    let first_row = sample.rows.first().map_or(0, Vec::len);
    let columns = sample.most_frequent_count().0.max(first_row).max(1);
    let numbers = options.numbers(grammar.delimiter);
    let has_names = options.header.unwrap_or_else(|| is_header(&sample.rows, columns, numbers));
    let names = sample.rows.first().filter(|_| has_names);
    let names = names.map(|row| row.iter().map(|(name, _)| trim(name).to_vec()).collect::<Vec<_>>());
    let (data_start, data_line) = sample.end_of(sample.preamble + usize::from(names.is_some()));
    let line_end = match names {
        Some(_) => sample.ends.get(sample.preamble).map_or(LineEnd::None, |end| end.line_end),
        None => LineEnd::None,
    };
    Dialect {
        grammar,
        names,
        columns,
        data_start: skipped + data_start,
        data_line: skipped_lines + data_line,
        line_end,
        preamble: sample.preamble,
    }
}

/// The length of the first so many lines.
fn end_of_lines(bytes: &[u8], lines: u64) -> usize {
    let last = usize::try_from(lines).unwrap_or(usize::MAX).saturating_sub(1);
    memchr::memchr_iter(b'\n', bytes).nth(last).map_or(bytes.len(), |end| end + 1)
}

/// The delimiter and quote that divide the rows best, where they are not known, and the rows under them.
fn choose_grammar(bytes: &[u8], at_end: bool, delimiter: Option<u8>, options: &CsvOptions) -> (Grammar, Sample) {
    let quote = options.quote;
    // Options that say where the table begins leave no room for a preamble.
    let begins = options.skip > 0 || options.header == Some(false);
    let read = |grammar: Grammar| {
        let sample = Sample::read(bytes, at_end, grammar);
        let numbers = options.numbers(grammar.delimiter);
        (grammar, if begins { sample } else { sample.without_preamble(numbers) })
    };
    let best_with = |quote: u8| match delimiter {
        Some(delimiter) => Some(read(Grammar { delimiter, quote })),
        None => {
            let candidates = DELIMITERS.into_iter().filter(|&delimiter| delimiter != quote);
            let samples = candidates.map(|delimiter| read(Grammar { delimiter, quote }));
            // Of equals `max_by_key` gives the last.
            samples.rev().max_by_key(|(_, sample)| sample.score()).filter(|(_, sample)| sample.score() > 0)
        }
    };
    if quote.is_none() && delimiter != Some(b'\'') && memchr::memchr(b'"', bytes).is_none() {
        let single = best_with(b'\'').filter(|(_, sample)| sample.clean_quotes);
        if let Some(found) = single {
            return found;
        }
    }
    // A delimiter that was given as the double quote leaves nothing for the quote to be.
    let quote = quote.unwrap_or(if delimiter == Some(b'"') { 0 } else { b'"' });
    best_with(quote).unwrap_or_else(|| read(Grammar { delimiter: NO_DELIMITER, quote }))
}

/// The delimiter that a first line `sep=;` declares, and how long that line is.
fn declared_delimiter(bytes: &[u8]) -> (Option<u8>, usize) {
    match bytes {
        [b's', b'e', b'p', b'=', delimiter, b'\r', b'\n', ..] if is_delimiter(*delimiter) => (Some(*delimiter), 7),
        [b's', b'e', b'p', b'=', delimiter, b'\n', ..] if is_delimiter(*delimiter) => (Some(*delimiter), 6),
        _ => (None, 0),
    }
}

fn is_delimiter(byte: u8) -> bool {
    byte == b'\t' || (byte.is_ascii_punctuation() && byte != b'"')
}

fn is_header(rows: &[Vec<(Vec<u8>, bool)>], columns: usize, numbers: NumberFormat) -> bool {
    let Some((first, below)) = rows.split_first() else { return false };
    let names: Vec<&[u8]> = first.iter().map(|(name, _)| trim(name)).collect();
    let named = names.iter().filter(|name| !name.is_empty()).count();
    let only_text = names.iter().all(|name| name.is_empty() || numbers.shape(name) == Shape::Text);
    if !only_text || named == 0 || named * 2 < columns {
        return false;
    }
    let types_differ = column_types(below, columns, numbers).any(|column_type| column_type != ColumnType::Text);
    let distinct = names.iter().filter(|name| !name.is_empty()).collect::<HashSet<_>>().len() == named;
    let come_back = below
        .iter()
        .any(|row| row.iter().zip(&names).any(|((value, _), name)| trim(value) == *name && !name.is_empty()));
    types_differ || (distinct && !come_back && names.iter().all(|name| reads_like_a_name(name)))
}

fn column_types(
    rows: &[Vec<(Vec<u8>, bool)>],
    columns: usize,
    numbers: NumberFormat,
) -> impl Iterator<Item = ColumnType> + use<> {
    let mut guesses = vec![Guess::new(); columns];
    for row in rows {
        for (guess, (value, quoted)) in guesses.iter_mut().zip(row) {
            guess.observe(value, *quoted, numbers);
        }
    }
    guesses.into_iter().filter(|guess| !guess.is_empty()).map(|guess| guess.column_type())
}

/// Begins with a letter, is short, and has nothing in it that names do not have.
fn reads_like_a_name(name: &[u8]) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80 || byte == b'_';
    let fits = |&byte: &u8| is_letter(byte) || byte.is_ascii_digit() || b" -.#%()/&:$*?[]'".contains(&byte);
    name.is_empty() || (name.len() <= 64 && is_letter(name[0]) && name.iter().all(fits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(text: &str) -> Dialect {
        detect(text.as_bytes(), true, &CsvOptions::default())
    }

    fn delimiter(text: &str) -> char {
        char::from(dialect(text).grammar.delimiter)
    }

    #[test]
    fn delimiters() {
        assert_eq!(delimiter("a,b\n1,2\n"), ',');
        assert_eq!(delimiter("a\tb\n1,5\t2\n"), '\t');
        assert_eq!(delimiter("a|b\nx|y\n"), '|');
        assert_eq!(delimiter("a;b\n1,5;2,5\n3,5;4,5\n"), ';');
        assert_eq!(delimiter("1,5;2,5\n3,5;4,5\n"), ';');
        assert_eq!(delimiter("\"a;b\",c\n\"d;e\",f\n"), ',');
        assert_eq!(delimiter("sep=^\na^b\n"), '^');
        assert_eq!(dialect("note\none, two\nthree\n").columns, 1);
    }

    #[test]
    fn lines_above_the_names_are_a_preamble() {
        let seen = |text: &str| {
            let dialect = dialect(text);
            (dialect.preamble, dialect.columns, dialect.data_line, dialect.names.is_some())
        };
        assert_eq!(seen("Report\nid;name;amt\n1;a;2,5\n2;b;3,5\n"), (1, 3, 3, true));
        assert_eq!(seen("Report\n\nof May\n\nid,name\n1,a\n2,b\n"), (2, 2, 6, true));
        assert_eq!(seen("Report\n1;2\n3;4\n"), (1, 2, 2, false));
        assert_eq!(seen("Names\nfirst,last\nAnna,Berg\nOtto,Lund\n"), (1, 2, 3, true));
        // A column of prose, and one of decimal commas below its name.
        assert_eq!(seen("name\nBerg, Anna\nLund, Otto\n"), (0, 1, 2, true));
        assert_eq!(seen("id;price\n1;2,5\n2;3,5\n"), (0, 2, 2, true));
        let given = CsvOptions { header: Some(false), ..CsvOptions::default() };
        assert_eq!(detect(b"Report\na;1\nb;2\n", true, &given).preamble, 0);
        let skipped = CsvOptions { skip: 2, ..CsvOptions::default() };
        let skipped = detect(b"a;b\nx;y\nid;name\n1;c\n", true, &skipped);
        assert_eq!((skipped.names.map(|names| names[0].clone()), skipped.data_line), (Some(b"id".to_vec()), 4));
    }

    #[test]
    fn single_quotes_only_when_they_are_quotes() {
        assert_eq!(dialect("'a','b,c'\n'd','e'\n").grammar.quote, b'\'');
        assert_eq!(dialect("town,n\n's Gravenhage,1\nDelft,2\n").grammar.quote, b'"');
        assert_eq!(dialect("'a',\"b\"\n").grammar.quote, b'"');
    }

    #[test]
    fn headers() {
        let names = |text| dialect(text).names.map(|names| names.len());
        assert_eq!(names("id,name\n1,x\n"), Some(2));
        assert_eq!(names(",name\n0,x\n"), Some(2));
        assert_eq!(names("id,id\n1,x\n"), Some(2));
        assert_eq!(names("id,id\ny,x\n"), None);
        assert_eq!(names("first,last\nAnna,Berg\n"), Some(2));
        assert_eq!(names("Anna,Berg\nOtto,Berg\n"), None);
        assert_eq!(names("id,2019\n1,2\n"), None);
        assert_eq!(names("1,2\n3,4\n"), None);
        assert_eq!(names("a@b.example,x\nc@d.example,y\n"), None);
        assert_eq!(names(""), None);
    }

    #[test]
    fn the_widest_of_first_row_and_most_rows_counts() {
        assert_eq!(dialect("a,b,c\n1,2\n1,2\n").columns, 3);
        assert_eq!(dialect("a,b\n1,2,3\n1,2,3\n").columns, 3);
        assert_eq!(dialect("a,b\n1,2\n1,2,3\n1,2\n").columns, 2);
    }
}
