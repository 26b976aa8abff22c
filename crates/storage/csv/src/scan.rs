//! The pass over the whole file that collects its metadata.
//!
//! ```text
//!   file    | head | row row row ... | row row row ... | row ... |
//!             names  group 0           group 1           group 2
//! ```
//!
//! The file goes through a buffer of about a megabyte; only the results of the pass are stored:
//! the shapes of each column, the position of every 65,536th row, a checksum of each group,
//! and the findings. A row that the buffer cuts is moved to its front and completed. Memory is bounded by
//! the longest row, which may have 16 MiB. Between two buffers the pass can be cancelled, and reports its progress
//! ([`mainstay_types::interrupt`]).
//!
//! A quote that is still open at the end of the file (or for longer than a row may be) was not meant as
//! one: the scan reports it, goes back to it and continues with quotes as ordinary characters from there.

use crate::checksum::Checksum;
use crate::decode::is_of_type;
use crate::dialect::{Dialect, detect};
use crate::finding::{Findings, Kind};
use crate::guess::{ColumnType, Guess};
use crate::options::{CodePage, CsvOptions};
use crate::shape::NumberFormat;
use crate::split::{ESCAPED, Field, LineEnd, QUOTED, Row, Rows, Step, is_escaped};
use mainstay_columnar::names::free_name;
use mainstay_types::{Code, Error, Result, interrupt};
use mainstay_vfs::File;
use std::collections::HashMap;

/// The number of bytes read at once.
const CHUNK: usize = 1 << 20;

/// The longest row.
const MAX_ROW: usize = 16 << 20;

/// The most columns.
pub(crate) const MAX_COLUMNS: usize = 32_768;

/// The number of rows of a group, and the limit of its bytes.
pub(crate) const GROUP_ROWS: usize = 65_536;
const GROUP_BYTES: u64 = 64 << 20;

/// A run of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Its bytes in the file.
    pub(crate) offset: u64,
    pub(crate) len: u64,
    pub(crate) checksum: u64,
    /// Its rows.
    pub(crate) first_row: usize,
    pub(crate) rows: usize,
}

/// The metadata of one state of a file.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    pub(crate) dialect: Dialect,
    pub(crate) code_page: CodePage,
    pub(crate) names: Vec<String>,
    pub(crate) types: Vec<ColumnType>,
    pub(crate) head: Group,
    pub(crate) groups: Vec<Group>,
    pub(crate) rows: usize,
    /// From this byte on quotes are ordinary characters.
    pub(crate) quotes_until: u64,
    /// Tabs, line ends and backslashes of its texts are written as two signs.
    pub(crate) escapes: bool,
    pub(crate) findings: Findings,
    /// Notices about names and lines that the table does not have as the file has them.
    pub(crate) remarks: Vec<String>,
    /// The columns whose types are declared; their other values are NULL.
    pub(crate) declared: Vec<bool>,
}

/// The file was changed, or cut, while it was read.
pub(crate) fn changed(file: &dyn File) -> Error {
    let error = Error::new(Code::Busy, "the file was changed while it was read").at(file.path().display());
    error.hint("run the statement again")
}

/// Looks at all of a file of this length.
pub(crate) fn scan(file: &dyn File, len: u64, options: &CsvOptions) -> Result<Scan> {
    let mut sample_len = CHUNK;
    loop {
        let mut sample = vec![0; usize::try_from(len).unwrap_or(usize::MAX).min(sample_len)];
        read(file, &mut sample, 0)?;
        refuse_other_formats(&sample, file)?;
        let bom = if sample.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let at_end = sample.len() as u64 == len;
        let end = if at_end { content_len(&sample) } else { sample.len() };
        let dialect = detect(&sample[bom.min(end)..end], at_end, options);
        // A first row longer than the sample would pass for one without names.
        if !at_end && dialect.names.is_none() && first_row_is_cut(&sample[bom..], &dialect) && sample_len < MAX_ROW {
            sample_len = (sample_len * 4).min(MAX_ROW);
            continue;
        }
        if dialect.columns > MAX_COLUMNS {
            let message = format!("the rows have {} fields; up to {MAX_COLUMNS} are read", dialect.columns);
            return Err(Error::new(Code::NotThisFormat, message).at(file.path().display()));
        }
        return Scanner::new(file, dialect, options, bom)?.run(len, &sample[..end]);
    }
}

fn first_row_is_cut(sample: &[u8], dialect: &Dialect) -> bool {
    let mut fields = Vec::new();
    !matches!(Rows::new(sample, dialect.grammar, false, usize::MAX).next_row(&mut fields), Step::Row(_))
}

/// Without the Ctrl-Z that programs from DOS times end, and fill up, a text file with.
fn content_len(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|&byte| byte != 0x1a).map_or(0, |last| last + 1)
}

fn read(file: &dyn File, buffer: &mut [u8], offset: u64) -> Result<()> {
    let read = file.read_at(buffer, offset)?;
    if read == buffer.len() { Ok(()) } else { Err(changed(file)) }
}

fn refuse_other_formats(sample: &[u8], file: &dyn File) -> Result<()> {
    let refuse =
        |what: &str, hint: &str| Err(Error::new(Code::NotThisFormat, what).at(file.path().display()).hint(hint));
    let start = &sample[..sample.len().min(1_024)];
    let zeros = |from: usize| start.iter().skip(from).step_by(2).filter(|&&byte| byte == 0).count() * 10;
    let mostly = start.len() * 4;
    let pairs = start.len() >= 8 && (zeros(0) > mostly || zeros(1) > mostly) && (zeros(0) == 0 || zeros(1) == 0);
    if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") || pairs {
        return refuse("the file is UTF-16, which is not read", "save it as UTF-8");
    }
    if start.starts_with(b"PK\x03\x04") {
        return refuse("the file is a ZIP archive or an Excel workbook, not CSV", "export it as CSV");
    }
    Ok(())
}

/// The state of a running scan.
struct Scanner<'a> {
    file: &'a dyn File,
    dialect: Dialect,
    options: &'a CsvOptions,
    numbers: NumberFormat,
    /// The declared types, by column.
    declared: Vec<Option<ColumnType>>,
    bom: usize,
    guesses: Vec<Guess>,
    groups: Vec<Group>,
    /// The checksum of the last group so far.
    checksum: Checksum,
    rows: usize,
    /// The line of what comes next, from 1.
    line: u64,
    line_end: LineEnd,
    quotes_until: u64,
    escapes: Escapes,
    is_utf8: bool,
    findings: Findings,
}

/// The use of escapes: database programs write fields between tabs without quotes and with escapes.
/// A single other backslash, as in `C:\Users`, makes all of them ordinary characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    Impossible,
    NoneSeen,
    Seen,
}

impl Escapes {
    fn of(dialect: &Dialect) -> Escapes {
        if dialect.grammar.delimiter == b'\t' { Escapes::NoneSeen } else { Escapes::Impossible }
    }

    fn observe(&mut self, fields: &[Field], data: &[u8]) {
        for field in fields {
            let bytes = field.bytes(data);
            if field.flags & QUOTED != 0 {
                *self = Escapes::Impossible;
                return;
            }
            if memchr::memchr(b'\\', bytes).is_some() {
                *self = if is_escaped(bytes) { Escapes::Seen } else { Escapes::Impossible };
                if *self == Escapes::Impossible {
                    return;
                }
            }
        }
    }
}

impl<'a> Scanner<'a> {
    fn new(file: &'a dyn File, dialect: Dialect, options: &'a CsvOptions, bom: usize) -> Result<Scanner<'a>> {
        let declared = declared_types(&dialect, options).map_err(|error| error.at(file.path().display()))?;
        Ok(Scanner {
            file,
            options,
            numbers: options.numbers(dialect.grammar.delimiter),
            declared,
            bom,
            guesses: vec![Guess::new(); dialect.columns],
            groups: Vec::new(),
            checksum: Checksum::new(),
            rows: 0,
            line: dialect.data_line,
            line_end: dialect.line_end,
            quotes_until: u64::MAX,
            escapes: Escapes::of(&dialect),
            is_utf8: true,
            findings: Findings::new(),
            dialect,
        })
    }

    fn run(mut self, len: u64, sample: &[u8]) -> Result<Scan> {
        let data_start = self.bom + self.dialect.data_start;
        let head = sample.get(..data_start).unwrap_or(sample);
        self.check_bytes(&head[self.bom.min(head.len())..], 1);
        let head = Group { offset: 0, len: head.len() as u64, checksum: Checksum::of(head), first_row: 0, rows: 0 };
        self.scan_rows(head.len, len)?;
        self.finish(head)
    }

    fn scan_rows(&mut self, start: u64, len: u64) -> Result<()> {
        let mut buffer: Vec<u8> = Vec::new();
        // The buffer holds `filled` bytes from `offset` of the file.
        let (mut offset, mut filled, mut unread) = (start, 0, len.saturating_sub(start));
        let mut grow = true;
        loop {
            interrupt::check()?;
            interrupt::note_read(offset, len);
            if grow && unread > 0 {
                let more = usize::try_from(unread).unwrap_or(usize::MAX).min(CHUNK.max(filled));
                if buffer.len() < filled + more {
                    buffer.resize(filled + more, 0);
                }
                read(self.file, &mut buffer[filled..filled + more], offset + filled as u64)?;
                filled += more;
                unread -= more as u64;
            }
            let at_end = unread == 0;
            let end = if at_end { content_len(&buffer[..filled]) } else { filled };
            let (taken, next) = self.take_rows(&buffer[..end], offset, at_end)?;
            match next {
                Next::End => return Ok(()),
                Next::More => grow = true,
                Next::Again => grow = false,
            }
            buffer.copy_within(taken..filled, 0);
            offset += taken as u64;
            filled -= taken;
        }
    }

    /// Takes the whole rows of the buffer; gives their length and how to go on.
    fn take_rows(&mut self, data: &[u8], offset: u64, at_end: bool) -> Result<(usize, Next)> {
        let first_line = self.line;
        let quotes_until = usize::try_from(self.quotes_until.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut rows = Rows::new(data, self.dialect.grammar, at_end, quotes_until);
        let mut fields: Vec<Field> = Vec::new();
        let mut summed = 0;
        let next = loop {
            match rows.next_row(&mut fields) {
                Step::Row(row) => {
                    if self.group_is_full(offset + row.start as u64) {
                        self.checksum.update(&data[summed..row.start]);
                        summed = row.start;
                        self.begin_group(offset + row.start as u64);
                    }
                    self.take_row(data, &row, &fields);
                }
                Step::End => break Next::End,
                Step::Unterminated { quote } => break self.give_up_quote(data, rows.position(), quote, offset),
                Step::NeedMore { open_quote } if data.len() - rows.position() >= MAX_ROW => match open_quote {
                    Some(quote) => break self.give_up_quote(data, rows.position(), quote, offset),
                    None => return Err(self.too_long()),
                },
                Step::NeedMore { .. } => break Next::More,
            }
        };
        self.line += u64::from(rows.blank_lines());
        let taken = rows.position();
        self.checksum.update(&data[summed..taken]);
        if let Some(group) = self.groups.last_mut() {
            group.len = offset + taken as u64 - group.offset;
        }
        self.check_bytes(&data[..taken], first_line);
        Ok((taken, next))
    }

    fn group_is_full(&self, offset: u64) -> bool {
        match self.groups.last() {
            Some(group) => self.rows - group.first_row >= GROUP_ROWS || offset - group.offset >= GROUP_BYTES,
            None => true,
        }
    }

    /// Ends the last group where the next row begins, and begins another there.
    fn begin_group(&mut self, offset: u64) {
        let checksum = std::mem::replace(&mut self.checksum, Checksum::new()).finish();
        if let Some(group) = self.groups.last_mut() {
            group.len = offset - group.offset;
            group.checksum = checksum;
            group.rows = self.rows - group.first_row;
        }
        self.groups.push(Group { offset, len: 0, checksum: 0, first_row: self.rows, rows: 0 });
    }

    #[inline(always)]
    fn take_row(&mut self, data: &[u8], row: &Row, fields: &[Field]) {
        self.line += u64::from(row.lines_before);
        if fields.len() != self.guesses.len() || row.line_end != self.line_end || row.text_after_quote.is_some() {
            self.look_closer(data, row, fields);
        }
        for (guess, field) in self.guesses.iter_mut().zip(fields) {
            if field.flags & ESCAPED != 0 {
                guess.observe_text();
            } else if field.flags & QUOTED != 0 || !self.options.is_null(field.bytes(data)) {
                guess.observe(field.bytes(data), field.flags & QUOTED != 0, self.numbers);
            }
        }
        if !self.options.types.is_empty() {
            self.check_types(data, row, fields);
        }
        if self.escapes != Escapes::Impossible {
            self.escapes.observe(fields, data);
        }
        self.rows += 1;
        self.line += u64::from(row.lines);
    }

    /// Reports the values that are not of the types that their columns are declared with.
    fn check_types(&mut self, data: &[u8], row: &Row, fields: &[Field]) {
        for (column, (field, declared)) in fields.iter().zip(&self.declared).enumerate() {
            let Some(column_type) = *declared else { continue };
            let bytes = field.bytes(data);
            if (field.flags & QUOTED == 0 && self.options.is_null(bytes))
                || is_of_type(column_type, bytes, self.numbers)
            {
                continue;
            }
            let (line, place) = place(&data[row.start..(field.start as usize).min(data.len())], self.line);
            self.findings.add(Kind::NotOfType, line, place, || {
                let (value, wanted) = (excerpt(bytes), column_type.sql_type());
                format!("column {}: {value} is not of its declared type ({wanted}) and is NULL", column + 1)
            });
        }
    }

    /// Columns of numbers whose points can stand between thousands are text where another column of the file has a comma for
    /// its decimal sign: a file has one decimal sign.
    fn settle_points(&mut self, names: &[String]) -> Vec<String> {
        let has_comma = self.guesses.iter().any(Guess::has_decimal_comma);
        let is_open = self.options.decimal.is_none() && self.options.thousands.is_none() && has_comma;
        let columns = self.guesses.iter_mut().zip(names).zip(&self.declared);
        let mut remarks = Vec::new();
        for ((guess, name), _) in
            columns.filter(|((guess, _), declared)| is_open && declared.is_none() && guess.may_be_grouped())
        {
            guess.observe_text();
            let message = format!(
                "column {name} is text: its points can be decimal signs or stand between thousands; \
                 the settings decimal and thousands of the table say which"
            );
            self.findings.add(Kind::Ambiguous, self.dialect.data_line, 1, || message.clone());
            remarks.push(message);
        }
        remarks
    }

    /// Reports what is unusual about a row.
    #[cold]
    fn look_closer(&mut self, data: &[u8], row: &Row, fields: &[Field]) {
        let columns = self.guesses.len();
        let (line, place) = (self.line, |at: usize| place(&data[row.start..at.min(data.len())], self.line));
        if let Some(extra) = fields.get(columns) {
            let at = extra.start as usize - usize::from(extra.flags & QUOTED != 0);
            let (line, column) = place(at);
            let rest = fields.last().map_or(&[][..], |last| &data[at..last.end as usize]);
            self.findings.add(Kind::TooManyFields, line, column, || {
                let (fields, rest) = (fields.len(), excerpt(rest));
                format!("the row has {fields} fields and the table {columns} columns; not in the table: {rest}")
            });
        } else if fields.len() < columns {
            self.findings.add(Kind::TooFewFields, line, 1, || {
                format!("the row has {} of {columns} fields; the others are NULL", fields.len())
            });
        }
        if let Some(at) = row.text_after_quote {
            let (line, column) = place(at);
            let message = || "text stands behind the closing quote; it is read as part of the value".into();
            self.findings.add(Kind::TextAfterQuote, line, column, message);
        }
        let differs = row.line_end != self.line_end && row.line_end != LineEnd::None;
        if differs && self.line_end != LineEnd::None {
            let end = fields.last().map_or(row.start, |last| last.end as usize);
            let (line, column) = place(end);
            let (found, usual) = (line_end_name(row.line_end), line_end_name(self.line_end));
            self.findings.add(Kind::MixedLineEnds, line, column, || {
                format!("the line ends with {found}, earlier ones with {usual}")
            });
        }
        // The line end of the first row below the names is the usual one.
        if self.rows == 0 && differs {
            self.line_end = row.line_end;
        }
    }

    /// Reads on as if the quote were an ordinary character, and all after it.
    fn give_up_quote(&mut self, data: &[u8], row_start: usize, quote: usize, offset: u64) -> Next {
        let (line, column) = place(&data[row_start..quote], self.line);
        let message = || "this quote is never closed; from here on quotes are read as ordinary characters".into();
        self.findings.add(Kind::UnterminatedQuote, line, column, message);
        self.quotes_until = offset + quote as u64;
        Next::Again
    }

    fn too_long(&self) -> Error {
        let message = format!("the row is longer than {} MiB; this is not a CSV file", MAX_ROW >> 20);
        Error::new(Code::NotThisFormat, message).at(format!("line {}", self.line)).at(self.file.path().display())
    }

    /// Looks for bytes that are not text. `line` is the line in which `bytes` begin.
    fn check_bytes(&mut self, bytes: &[u8], line: u64) {
        if self.is_utf8
            && let Err(error) = std::str::from_utf8(bytes)
        {
            self.is_utf8 = false;
            let at = error.valid_up_to();
            if matches!(self.options.code_page, None | Some(CodePage::Utf8)) {
                let (line, column) = place(&bytes[..at], line);
                let byte = bytes.get(at).copied().unwrap_or_default();
                self.findings.add(Kind::NotUtf8, line, column, || {
                    format!("byte {byte:#04x} is not UTF-8; the file is read as windows-1252")
                });
            }
        }
        let mut seen = (0, line, 1);
        let mut zeros = memchr::memchr_iter(0, bytes);
        while self.findings.has_room(Kind::NulByte)
            && let Some(at) = zeros.next()
        {
            let (line, column) = place(&bytes[seen.0..at], seen.1);
            let column = if line == seen.1 { column + seen.2 - 1 } else { column };
            seen = (at, line, column);
            self.findings.add(Kind::NulByte, line, column, || "a NUL byte".into());
        }
        self.findings.count_more(Kind::NulByte, zeros.count() as u64);
    }

    fn finish(mut self, head: Group) -> Result<Scan> {
        if let Some(group) = self.groups.last_mut() {
            group.rows = self.rows - group.first_row;
            group.checksum = std::mem::replace(&mut self.checksum, Checksum::new()).finish();
        }
        if self.options.code_page == Some(CodePage::Utf8)
            && let Some((line, column, _)) = self.findings.of(Kind::NotUtf8).kept.first()
        {
            let error =
                Error::new(Code::InvalidValue, "the file is not UTF-8").at(format!("line {line}, column {column}"));
            return Err(error.at(self.file.path().display()).hint("leave the code page out, or name another"));
        }
        let detected = if self.is_utf8 { CodePage::Utf8 } else { CodePage::Windows1252 };
        let code_page = self.options.code_page.clone().unwrap_or(detected);
        let (names, mut remarks) = column_names(&self.dialect, &code_page);
        if self.dialect.preamble > 0 {
            let rows = self.dialect.preamble;
            remarks.push(format!("rows above the table that are not part of it: {rows}"));
        }
        remarks.extend(self.settle_points(&names));
        let guessed = self.guesses.iter().map(|guess| guess.column_type_with(self.options.dates));
        let types = guessed.zip(&self.declared).map(|(guessed, declared)| declared.unwrap_or(guessed)).collect();
        Ok(Scan {
            code_page,
            names,
            types,
            head,
            groups: self.groups,
            rows: self.rows,
            quotes_until: self.quotes_until,
            escapes: self.escapes == Escapes::Seen,
            findings: self.findings,
            remarks,
            declared: self.declared.iter().map(Option::is_some).collect(),
            dialect: self.dialect,
        })
    }
}

/// The declared types, by column. A declaration of a column that the file does not have is an error.
fn declared_types(dialect: &Dialect, options: &CsvOptions) -> Result<Vec<Option<ColumnType>>> {
    let mut types = vec![None; dialect.columns];
    if options.types.is_empty() {
        return Ok(types);
    }
    let is_utf8 = dialect.names.iter().flatten().all(|name| std::str::from_utf8(name).is_ok());
    let detected = if is_utf8 { CodePage::Utf8 } else { CodePage::Windows1252 };
    let (names, _) = column_names(dialect, options.code_page.as_ref().unwrap_or(&detected));
    for (wanted, declared) in &options.types {
        let same = |name: &String| name.to_lowercase() == wanted.to_lowercase();
        let Some(column) = names.iter().position(same) else {
            let message = format!("a type is declared for the column \"{wanted}\", which the file does not have");
            return Err(Error::new(Code::InvalidSetting, message).hint(format!("its columns are {}", names.join(", "))));
        };
        types[column] = Some(options.column_type(*declared, dialect.grammar.delimiter));
    }
    Ok(types)
}

/// The continuation of a scan.
enum Next {
    /// With more bytes.
    More,
    /// With the same bytes, read in another way.
    Again,
    End,
}

/// Line and column of the byte behind these, if they begin at the start of this line.
fn place(before: &[u8], line: u64) -> (u64, u64) {
    let (mut line, mut line_start) = (line, 0);
    for at in memchr::memchr2_iter(b'\n', b'\r', before) {
        // The CR of a CRLF does not end a separate line.
        if before[at] == b'\n' || before.get(at + 1).is_some_and(|&next| next != b'\n') {
            line += 1;
            line_start = at + 1;
        }
    }
    (line, (before.len() - line_start) as u64 + 1)
}

fn line_end_name(line_end: LineEnd) -> &'static str {
    match line_end {
        LineEnd::Lf => "LF",
        LineEnd::CrLf => "CRLF",
        LineEnd::Cr => "CR",
        LineEnd::None => "the file",
    }
}

fn excerpt(bytes: &[u8]) -> String {
    const LEN: usize = 80;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LEN)]);
    if bytes.len() > LEN { format!("`{text}`... ({} bytes)", bytes.len()) } else { format!("`{text}`") }
}

/// A name for every column, no two the same whatever the case, and what had to be changed for that.
fn column_names(dialect: &Dialect, code_page: &CodePage) -> (Vec<String>, Vec<String>) {
    let given = dialect.names.as_deref().unwrap_or(&[]);
    // The names taken so far in lower case, and the number to try next for a name like it.
    let mut taken: HashMap<String, usize> = HashMap::new();
    let (mut names, mut renamed) = (Vec::with_capacity(dialect.columns), Vec::new());
    for column in 0..dialect.columns {
        let mut wanted = String::new();
        if let Some(bytes) = given.get(column)
            && !code_page.decode(bytes, &mut wanted)
        {
            wanted = String::from_utf8_lossy(bytes).into_owned();
        }
        let base = if wanted.is_empty() { format!("column{}", column + 1) } else { wanted.clone() };
        let name = free_name(&base, &mut taken);
        if name != base {
            renamed.push(format!("column {} is the second one called {base}; its name here is {name}", column + 1));
        }
        names.push(name);
    }
    (names, renamed)
}
