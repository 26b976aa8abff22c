//! A host without a screen: text goes to a writer, line by line, and input comes from a reader.
//!
//! It is what a program gets in a pipe, in a test, or in a nightly job. A position in the line that is being written
//! becomes blanks; one in another line begins a new one. Attributes and colours leave no trace. Output is UTF-8; a line of input
//! is UTF-8, or 8-bit text if it is not valid.

use crate::fault::{Fault, Outcome, fail};
use crate::host::{Clock, Host, Input, InputRequest, Output};
use crate::system_clock::SystemClock;
use mainstay_code_page as code_page;
use mainstay_screen::menu::{Choice, MenuItem, Popup};
use mainstay_screen::mnemonic::Mnemonic;
use std::io::{BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The longest line of input; what is behind it is the next line.
const LINE: u64 = 1 << 20;

/// A host over a reader and a writer.
pub struct PlainHost<R, W> {
    reader: R,
    writer: W,
    column: usize,
    line: u16,
    clock: SystemClock,
    waits: bool,
    /// Set when the break key was pressed.
    breaks: Option<Arc<AtomicBool>>,
}

impl<R: BufRead, W: Write> PlainHost<R, W> {
    /// A host whose clocks are those of the system, in UTC.
    pub fn new(reader: R, writer: W) -> PlainHost<R, W> {
        PlainHost { reader, writer, column: 0, line: 0, clock: SystemClock::start(), waits: true, breaks: None }
    }

    /// WAIT returns at once.
    pub fn without_waits(self) -> PlainHost<R, W> {
        PlainHost { waits: false, ..self }
    }

    /// The break key sets this flag.
    pub fn with_break_key(self, flag: Arc<AtomicBool>) -> PlainHost<R, W> {
        PlainHost { breaks: Some(flag), ..self }
    }

    fn write(&mut self, text: &[u8]) -> Outcome<()> {
        self.writer.write_all(text).map_err(|error| Fault::with(15, error.to_string()))
    }

    fn new_line(&mut self) -> Outcome<()> {
        self.column = 0;
        self.line = self.line.saturating_add(1);
        self.write(b"\n")
    }

    fn position(&mut self, column: u16, line: Option<u16>) -> Outcome<()> {
        let column = usize::from(column);
        if line.is_some_and(|line| line != self.line) || column < self.column {
            if self.column > 0 {
                self.new_line()?;
            }
            self.line = line.unwrap_or(self.line);
        }
        let blanks = vec![b' '; column.saturating_sub(self.column)];
        self.column = column;
        self.write(&blanks)
    }
}

impl<R: BufRead, W: Write> PlainHost<R, W> {
    fn write_menu(&mut self, items: &[MenuItem], depth: usize) -> Outcome<()> {
        for item in items.iter().filter(|item| !item.text.is_empty()) {
            let marks = [(item.checked, " (checked)"), (!item.enabled, " (disabled)")];
            let marks: String = marks.iter().filter(|(is_set, _)| *is_set).map(|(_, mark)| *mark).collect();
            let text = item.text.replace('\t', "  ");
            self.write(format!("{:indent$}{}: {text}{marks}", "", item.path, indent = 2 * depth).as_bytes())?;
            self.new_line()?;
            self.write_menu(&item.items, depth + 1)?;
        }
        Ok(())
    }
}

impl<R: BufRead, W: Write> Host for PlainHost<R, W> {
    fn output(&mut self, output: Output<'_>) -> Outcome<()> {
        match output {
            Output::Text(text) => {
                let shown = code_page::decode(text);
                self.column += text.len();
                self.write(shown.as_bytes())
            }
            Output::NewLine => self.new_line(),
            Output::Position(column, line) => self.position(column, line),
            Output::Mnemonic(Mnemonic::LineFeed) => self.new_line(),
            Output::Mnemonic(Mnemonic::ClearScreen | Mnemonic::Home) => {
                if self.column > 0 {
                    self.new_line()?;
                }
                self.line = 0;
                Ok(())
            }
            Output::Mnemonic(..) => Ok(()),
        }
    }

    fn input(&mut self, request: &InputRequest) -> Outcome<Input> {
        let mut text = Vec::new();
        let mut line = self.reader.by_ref().take(LINE);
        let count = line.read_until(b'\n', &mut text).map_err(|error| Fault::with(15, error.to_string()))?;
        if count == 0 {
            return fail(2, "no further input");
        }
        while matches!(text.last(), Some(b'\n' | b'\r')) {
            text.pop();
        }
        // The user's own line end has moved the cursor.
        self.column = 0;
        self.line = self.line.saturating_add(1);
        // A line that is the control character of the break key is that key.
        if text == [0x03] {
            return fail(127, "break key");
        }
        let mut text = code_page::import(&text).into_owned();
        let full = request.size.filter(|size| request.limit.is_none() && text.len() >= *size);
        if let Some(size) = full {
            text.truncate(size);
        }
        let cursor = text.len();
        let end = if full.is_some() { Vec::new() } else { vec![b'\r'] };
        Ok(Input { text, ctl: if full.is_some() { 5 } else { 0 }, cursor, end })
    }

    fn flush(&mut self) -> Outcome<()> {
        self.writer.flush().map_err(|error| Fault::with(15, error.to_string()))
    }

    fn wait(&mut self, time: Duration) -> Outcome<()> {
        if self.waits {
            std::thread::sleep(time);
        }
        Ok(())
    }

    fn interrupted(&mut self) -> bool {
        self.breaks.as_ref().is_some_and(|flag| flag.swap(false, Ordering::Relaxed))
    }

    fn clock(&mut self) -> Clock {
        self.clock.now()
    }

    fn monotonic(&mut self) -> Duration {
        self.clock.elapsed()
    }

    fn message_box(&mut self, text: &str, title: &str, _: &str) -> Outcome<String> {
        if self.column > 0 {
            self.new_line()?;
        }
        self.write(format!("[{title}] {text}").as_bytes())?;
        self.new_line()?;
        Ok("OK".to_owned())
    }

    /// Writes the elements with the letters that choose them, and reads such letters.
    fn popup_menu(&mut self, menu: Popup, _: Option<(u16, u16)>) -> Outcome<Option<Choice>> {
        if self.column > 0 {
            self.new_line()?;
        }
        self.write_menu(&menu.items, 1)?;
        let input = self.input(&InputRequest::default())?;
        Ok(menu.choice(code_page::decode(&input.text).trim()))
    }
}
