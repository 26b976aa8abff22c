//! Printers: `*PRINTER*`, `*WINPRT*` and `*VIEWER*` are one device, whose output is a document of pages of text.
//!
//! ```text
//!   OPEN (7)"*PRINTER*"   a face shows documents (a browser)   lines in memory; CLOSE gives the document to the screen
//!                         any other host                       a new text file, print-001.txt, print-002.txt, ...
//! ```
//!
//! `'FF'` begins a page. The text behind `;` in the name chooses paper and trays of a real printer and has no effect. Source: the
//! manual's pages `file_handling/~winprt~` and `~viewer~`.

use super::Machine;
use super::channels::{Channel, file_fault};
use crate::fault::{Fault, Outcome, fail};
use mainstay_basic_files::{FileDefinition, OpenMode, OpenOptions, RecordFile, ScanRange};
use mainstay_screen::document::DocumentBuilder;
use mainstay_screen::session::ScreenHandle;

/// The names of the device.
const NAMES: [&str; 3] = ["*PRINTER*", "*WINPRT*", "*VIEWER*"];
/// The longest line.
const LINE_BYTES: u32 = 32_000;
/// The most text files of printers.
const MOST_FILES: u32 = 999;

/// A printer that a channel has open.
#[derive(Debug)]
pub struct Printer {
    /// The title of its document.
    title: String,
    /// The screen that gets the document; none for a text file.
    screen: Option<ScreenHandle>,
}

/// True for the name of a printer.
pub(super) fn is_printer(name: &str) -> bool {
    let device = name.split(';').next().unwrap_or_default().trim();
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(device))
}

impl Machine {
    /// Opens a printer.
    ///
    /// Errors: 10 and 13 where files cannot be created, 12 if all names of text files are in use.
    pub(super) fn open_printer(&mut self, options: &OpenOptions) -> Outcome<(Box<dyn RecordFile>, Printer)> {
        let title = self.frame.program.name.clone();
        let mut options = options.clone();
        options.mode = OpenMode::Lock;
        if let Some(screen) = self.screen.document_screen()? {
            options.record_size = Some(LINE_BYTES);
            let file = self.volume.open("*MEMORY*", &options).map_err(file_fault)?;
            return Ok((file, Printer { title, screen: Some(screen) }));
        }
        for number in 1..=MOST_FILES {
            let name = format!("print-{number:03}.txt");
            match self.volume.create(&name, &FileDefinition::serial(0)) {
                Err(error) if error.number() == 12 => continue,
                created => created.map_err(file_fault)?,
            }
            let file = self.volume.open(&name, &options).map_err(file_fault)?;
            return Ok((file, Printer { title, screen: None }));
        }
        fail(12, "print-001.txt to print-999.txt are in use")
    }
}

impl Channel {
    /// Closes a file. The screen gets the document of a printer; one without lines is dropped.
    ///
    /// Errors: 31 for a document that is too large.
    pub(super) fn end(mut self: Box<Self>) -> Outcome<()> {
        let Some(Printer { title, screen: Some(screen) }) = self.printer.take() else {
            return self.file.flush().map_err(file_fault);
        };
        let (mut document, mut has_lines) = (DocumentBuilder::new(title), false);
        let mut scan = self.file.scan(&ScanRange::default()).map_err(file_fault)?;
        while let Some(line) = self.file.scan_next(&mut scan).map_err(file_fault)? {
            document.add(line.data).map_err(|error| Fault::with(31, error.to_string()))?;
            has_lines = true;
        }
        if has_lines {
            screen.with(|screen| screen.add_document(document.finish()))?;
        }
        Ok(())
    }
}
