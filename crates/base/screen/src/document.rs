//! Printed documents: the pages that a program has sent to its printer, as text and as PDF.
//!
//! A document begins as the lines of a program, in which a form feed starts a page. A page has at most 66 lines, which is a sheet
//! of 11 inches at 6 lines an inch; further lines go to the next page.
//!
//! The PDF file (ISO 32000-1) has one content stream for each page, the standard font Courier with the encoding WinAnsi, and pages
//! of A4, across if lines are longer than 96 characters. Characters that WinAnsi does not have are printed as `?`.
//!
//! **Limits.** A document is text in one size: mnemonics for fonts, pitches and pictures have no effect on it. A screen keeps the
//! last 32 documents, and of these at most 32 MB, which is the limit of a single document too. The bytes are those of the lines in
//! memory, and so many for each line and page that the PDF file of a document is bounded as well.

use crate::characters::{decode_fields, printable};
use std::fmt::Write;
use std::sync::Arc;

/// The lines of a page.
const PAGE_LINES: usize = 66;
/// The longest line that is printed upright.
const UPRIGHT_COLUMNS: usize = 96;
/// The sides of A4 in points.
const SHORT_SIDE: f64 = 595.0;
const LONG_SIDE: f64 = 842.0;
const MARGIN: f64 = 36.0;
/// The width of a character of Courier in its size.
const CHARACTER_WIDTH: f64 = 0.6;
const FORM_FEED: char = '\u{c}';
/// The most documents of a screen, and the most bytes of them.
const MOST_DOCUMENTS: usize = 32;
const MOST_BYTES: usize = 32 << 20;
/// The bytes of a line beside its characters: its string in memory, or its operators in a PDF file.
const LINE_BYTES: usize = size_of::<String>();
/// The bytes of a page beside its lines: its list of lines in memory, or its objects in a PDF file.
const PAGE_BYTES: usize = size_of::<Vec<String>>() + 488;

/// A document has more than 32 MB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentTooLarge;

impl std::fmt::Display for DocumentTooLarge {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "a printed document has at most {} MB", MOST_BYTES >> 20)
    }
}

impl std::error::Error for DocumentTooLarge {}

/// A printed document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The title that users read.
    pub title: String,
    pages: Vec<Vec<String>>,
    bytes: usize,
}

impl Document {
    /// A document of lines, whose form feeds begin pages. A form feed at the top of an empty document starts no page, and one
    /// at its end ejects the last page. Fields of a line are separated by a blank.
    ///
    /// Errors: more than 32 MB.
    pub fn new<'l>(
        title: impl Into<String>,
        lines: impl IntoIterator<Item = &'l [u8]>,
    ) -> Result<Document, DocumentTooLarge> {
        let mut document = DocumentBuilder::new(title);
        lines.into_iter().try_for_each(|line| document.add(line))?;
        Ok(document.finish())
    }

    /// The lines of each page.
    pub fn pages(&self) -> &[Vec<String>] {
        &self.pages
    }

    /// The document as text with a form feed between pages.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (number, page) in self.pages.iter().enumerate() {
            if number > 0 {
                text.push(FORM_FEED);
            }
            for line in page {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }

    /// The bytes of its lines and pages.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The document as a PDF file.
    pub fn pdf(&self) -> Vec<u8> {
        let mut file = File::default();
        let layout = Layout::of(&self.pages);
        let kids: String = (0..self.pages.len()).map(|page| format!("{} 0 R ", 5 + 2 * page)).collect();
        file.object(b"<< /Type /Catalog /Pages 2 0 R >>");
        file.object(format!("<< /Type /Pages /Count {} /Kids [ {kids}] >>", self.pages.len()).as_bytes());
        file.object(b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>");
        // A text string in UTF-16 with its byte order mark (7.9.2.2).
        let title: String = self.title.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
        file.object(format!("<< /Title <FEFF{title}> /Producer (Mainstay) >>").as_bytes());
        for (number, page) in self.pages.iter().enumerate() {
            file.object(layout.page(6 + 2 * number).as_bytes());
            let contents = layout.contents(page);
            let mut stream = format!("<< /Length {} >>\nstream\n", contents.len()).into_bytes();
            stream.extend_from_slice(&contents);
            stream.extend_from_slice(b"\nendstream");
            file.object(&stream);
        }
        file.end()
    }
}

/// A document that gets its lines one after the other.
#[derive(Debug)]
pub struct DocumentBuilder {
    document: Document,
}

impl DocumentBuilder {
    /// An empty document.
    pub fn new(title: impl Into<String>) -> DocumentBuilder {
        DocumentBuilder { document: Document { title: title.into(), pages: vec![Vec::new()], bytes: PAGE_BYTES } }
    }

    /// Adds a line, as [`Document::new`] does.
    ///
    /// Errors: more than 32 MB.
    pub fn add(&mut self, line: &[u8]) -> Result<(), DocumentTooLarge> {
        let text = decode_fields(line, ' ');
        let has_break = text.contains(FORM_FEED);
        for (part, text) in text.split(FORM_FEED).enumerate() {
            if part > 0 {
                self.break_page()?;
            }
            if !(has_break && text.is_empty()) {
                self.push(text)?;
            }
        }
        Ok(())
    }

    /// The document.
    pub fn finish(self) -> Document {
        let mut document = self.document;
        if document.pages.len() > 1 && document.pages.last().is_some_and(Vec::is_empty) {
            document.pages.pop();
            document.bytes -= PAGE_BYTES;
        }
        document
    }

    fn count(&mut self, bytes: usize) -> Result<(), DocumentTooLarge> {
        self.document.bytes += bytes;
        if self.document.bytes > MOST_BYTES { Err(DocumentTooLarge) } else { Ok(()) }
    }

    fn break_page(&mut self) -> Result<(), DocumentTooLarge> {
        let pages = &self.document.pages;
        match pages.len() > 1 || pages.iter().any(|page| !page.is_empty()) {
            true => self.add_page(),
            false => Ok(()),
        }
    }

    fn add_page(&mut self) -> Result<(), DocumentTooLarge> {
        self.count(PAGE_BYTES)?;
        self.document.pages.push(Vec::new());
        Ok(())
    }

    fn push(&mut self, line: &str) -> Result<(), DocumentTooLarge> {
        if self.document.pages.last().is_none_or(|page| page.len() >= PAGE_LINES) {
            self.add_page()?;
        }
        let line = line.trim_end();
        self.count(LINE_BYTES + line.len())?;
        let mut text = String::with_capacity(line.len());
        text.extend(line.chars().map(printable));
        if let Some(page) = self.document.pages.last_mut() {
            page.push(text);
        }
        Ok(())
    }
}

/// The bytes of a PDF file and the places of its objects, which are numbered from 1.
struct File {
    bytes: Vec<u8>,
    offsets: Vec<usize>,
}

impl Default for File {
    fn default() -> File {
        // The bytes above 127 mark the file as a binary one (7.5.2).
        File { bytes: b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec(), offsets: Vec::new() }
    }
}

impl File {
    fn object(&mut self, body: &[u8]) {
        self.offsets.push(self.bytes.len());
        self.bytes.extend_from_slice(format!("{} 0 obj\n", self.offsets.len()).as_bytes());
        self.bytes.extend_from_slice(body);
        self.bytes.extend_from_slice(b"\nendobj\n");
    }

    /// The cross-reference table, whose entries have 20 bytes, and the trailer (7.5.4, 7.5.5).
    fn end(mut self) -> Vec<u8> {
        let (start, count) = (self.bytes.len(), self.offsets.len() + 1);
        let mut table = format!("xref\n0 {count}\n0000000000 65535 f \n");
        for offset in &self.offsets {
            // Writing to a string does not fail.
            let _ = writeln!(table, "{offset:010} 00000 n ");
        }
        let _ = write!(table, "trailer\n<< /Size {count} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{start}\n%%EOF\n");
        self.bytes.extend_from_slice(table.as_bytes());
        self.bytes
    }
}

/// The size of the sheet and of its text in points.
struct Layout {
    width: f64,
    height: f64,
    size: f64,
    leading: f64,
}

impl Layout {
    /// The largest text of at most 10 points in which the longest line and the longest page fit on a sheet.
    fn of(pages: &[Vec<String>]) -> Layout {
        let columns = pages.iter().flatten().map(|line| line.chars().count()).max().unwrap_or(0).max(1);
        let lines = pages.iter().map(Vec::len).max().unwrap_or(0).max(1) as f64;
        let is_across = columns > UPRIGHT_COLUMNS;
        let (width, height) = if is_across { (LONG_SIDE, SHORT_SIDE) } else { (SHORT_SIDE, LONG_SIDE) };
        let leading = ((height - 2.0 * MARGIN) / lines).min(12.0);
        let size = ((width - 2.0 * MARGIN) / (columns as f64 * CHARACTER_WIDTH)).min(10.0).min(leading / 1.05);
        Layout { width, height, size, leading: leading.min(size * 1.2) }
    }

    /// A page whose content stream is an object with this number.
    fn page(&self, contents: usize) -> String {
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Resources << /Font << /F1 3 0 R >> >> /Contents {contents} 0 R >>",
            self.width, self.height
        )
    }

    /// The content stream of a page: each line as a string on a line of its own (9.4.3).
    fn contents(&self, page: &[String]) -> Vec<u8> {
        let top = self.height - MARGIN - self.size;
        let head = format!("BT\n/F1 {:.2} Tf\n{:.2} TL\n{MARGIN} {top:.2} Td\n", self.size, self.leading);
        let mut contents = head.into_bytes();
        for line in page {
            contents.push(b'(');
            for byte in line.chars().map(|character| mainstay_code_page::byte(character).unwrap_or(b'?')) {
                if matches!(byte, b'(' | b')' | b'\\') {
                    contents.push(b'\\');
                }
                contents.push(byte);
            }
            contents.extend_from_slice(b") Tj T*\n");
        }
        contents.extend_from_slice(b"ET");
        contents
    }
}

/// The documents of a screen.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    kept: Vec<(u32, Arc<Document>)>,
    last: u32,
}

impl Documents {
    /// Keeps a document under the next number, and drops the oldest ones beyond the limits.
    pub fn add(&mut self, document: Document) {
        self.last = self.last.wrapping_add(1);
        self.kept.push((self.last, Arc::new(document)));
        let bytes = |kept: &[(u32, Arc<Document>)]| kept.iter().map(|(_, document)| document.bytes()).sum::<usize>();
        while self.kept.len() > MOST_DOCUMENTS || bytes(&self.kept) > MOST_BYTES {
            self.kept.remove(0);
        }
    }

    /// The documents with their numbers, the oldest first.
    pub fn all(&self) -> &[(u32, Arc<Document>)] {
        &self.kept
    }
}
