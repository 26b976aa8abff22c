//! Scripts of T-SQL on a screen: batches that end at lines with GO, results and errors as `sqlcmd` prints them.
//!
//! A line `.explain NAME` at the beginning of a batch prints the form that a procedure, function or trigger is compiled to.
//!
//! Columns are as wide as the values in their first thousand rows; sqlcmd derives the width from their types.

use crate::columns::Column;
use crate::session::Session;
use mainstay_session::push::{self, Command, Done, Environment, Sink, Stop};
use mainstay_tsql_syntax::{Batch, batches};
use mainstay_tsql_types::convert::{convert, general};
use mainstay_tsql_types::{Context, DataType, Length, variant};
use mainstay_types::{Value, ValueRef};
use std::io::{self, BufRead, Write};

/// The number of rows that decide about the widths of columns.
const MEASURED: usize = 1000;

/// The key that ends what runs.
pub trait Interrupts {
    /// A batch begins, which this ends.
    fn begin(&self, stop: Box<dyn Fn() + Send>);

    /// It has ended.
    fn end(&self);

    /// Returns true if the key was pressed, so that the rest of the script is not run.
    fn has_come(&self) -> bool;
}

/// A screen: where results go, and where errors go.
pub struct Console<'w> {
    out: &'w mut dyn Write,
    errors: &'w mut dyn Write,
    columns: Vec<Column>,
    /// Rows that wait for the widths of their columns.
    waiting: Vec<Vec<String>>,
    widths: Vec<usize>,
    failed: bool,
    interrupts: Option<&'w dyn Interrupts>,
}

impl<'w> Console<'w> {
    /// A screen of these two.
    pub fn new(out: &'w mut dyn Write, errors: &'w mut dyn Write) -> Console<'w> {
        let (columns, waiting, widths) = (Vec::new(), Vec::new(), Vec::new());
        Console { out, errors, columns, waiting, widths, failed: false, interrupts: None }
    }

    /// The same, whose batches a key ends.
    pub fn interrupted_by(mut self, interrupts: &'w dyn Interrupts) -> Console<'w> {
        self.interrupts = Some(interrupts);
        self
    }

    fn is_interrupted(&self) -> bool {
        self.interrupts.is_some_and(Interrupts::has_come)
    }

    /// Returns true if any statement has failed.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// Runs the batches of a script.
    pub fn script(&mut self, session: &mut Session, script: &str) {
        for batch in batches(script) {
            self.batch(session, &batch);
            if self.is_interrupted() {
                break;
            }
        }
        let _ = self.out.flush();
    }

    /// Runs batches as they come, each at its GO; a prompt shows the line's number within its batch.
    ///
    /// Errors: those of reading.
    pub fn stream(&mut self, session: &mut Session, input: &mut dyn BufRead, has_prompt: bool) -> io::Result<()> {
        let mut text = String::new();
        loop {
            if has_prompt {
                write!(self.errors, "{}> ", text.lines().count() + 1)?;
                self.errors.flush()?;
            }
            let read = input.read_line(&mut text)?;
            let asked = has_prompt && matches!(text.trim().to_ascii_lowercase().as_str(), "exit" | "quit");
            if read == 0 || asked {
                if !asked {
                    self.script(session, &text);
                }
                return Ok(());
            }
            if is_at_end(&text) || text.trim_start().starts_with(".explain ") && !text.trim().contains('\n') {
                self.script(session, &text);
                text.clear();
            }
        }
    }

    fn batch(&mut self, session: &mut Session, batch: &Batch<'_>) {
        let mut text = batch.text;
        while let Some(behind) = text.trim_start().strip_prefix(".explain ") {
            let (name, rest) = behind.split_once('\n').unwrap_or((behind, ""));
            match session.explain(name.trim().trim_end_matches(';')) {
                Ok(form) => self.line(&form),
                Err(message) => self.message(&(&message).into()),
            }
            text = rest;
        }
        if text.trim().is_empty() {
            return;
        }
        for _ in 0..batch.count {
            if let Some(interrupts) = self.interrupts {
                interrupts.begin(Box::new(session.stop()));
            }
            session.batch(text, self);
            if let Some(interrupts) = self.interrupts {
                interrupts.end();
            }
            self.show();
            self.columns.clear();
            if self.is_interrupted() {
                return;
            }
        }
    }

    fn line(&mut self, text: &str) {
        // An error means that the screen was closed: nobody reads the output.
        let _ = writeln!(self.out, "{}", text.trim_end_matches('\n'));
    }

    /// Writes the heads and the rows that wait.
    fn show(&mut self) {
        if self.widths.is_empty() && !self.columns.is_empty() {
            let width = |(place, column): (usize, &Column)| {
                let cells = self.waiting.iter().filter_map(|row| row.get(place));
                let longest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
                longest.max(column.name.chars().count()).max(1)
            };
            self.widths = self.columns.iter().enumerate().map(width).collect();
            let heads: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
            let dashes: Vec<String> = self.widths.iter().map(|width| "-".repeat(*width)).collect();
            let (heads, dashes) = (self.laid_out(&heads, true), self.laid_out(&dashes, true));
            self.line(&heads);
            self.line(&dashes);
        }
        for row in std::mem::take(&mut self.waiting) {
            let row = self.laid_out(&row, false);
            self.line(&row);
        }
    }

    fn laid_out(&self, cells: &[String], is_head: bool) -> String {
        let cell = |((cell, width), column): ((&String, &usize), &Column)| {
            let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
            if column.data_type.is_number() && !is_head { format!("{blanks}{cell}") } else { format!("{cell}{blanks}") }
        };
        let cells: Vec<String> = cells.iter().zip(&self.widths).zip(&self.columns).map(cell).collect();
        cells.join(" ").trim_end().to_owned()
    }
}

/// Returns true if the last line of a text is a GO.
fn is_at_end(text: &str) -> bool {
    const MARK: &str = "mark";
    let marked = format!("{text}{MARK}");
    text.ends_with('\n') && batches(&marked).last().is_some_and(|batch| batch.text == MARK) && text.trim() != ""
}

impl Sink for Console<'_> {
    fn columns(&mut self, columns: &[push::Column]) -> Result<(), Stop> {
        self.show();
        self.columns = columns.iter().map(Column::from).collect();
        self.widths.clear();
        Ok(())
    }

    fn order(&mut self, _: &[u16]) {}

    fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), Stop> {
        let cells = values.iter().zip(&self.columns).map(|(value, column)| shown(*value, column.data_type)).collect();
        self.waiting.push(cells);
        if self.waiting.len() >= MEASURED || !self.widths.is_empty() {
            self.show();
        }
        Ok(())
    }

    fn done(&mut self, done: Done) {
        self.show();
        self.columns.clear();
        self.widths.clear();
        if let Some(count) = done.count {
            let rows = if count == 1 { "row" } else { "rows" };
            let blank = if done.command == Command::Select { "\n" } else { "" };
            self.line(&format!("{blank}({count} {rows} affected)"));
        }
    }

    fn message(&mut self, message: &push::Message) {
        self.show();
        self.columns.clear();
        self.widths.clear();
        if !message.is_error() {
            return self.line(&message.text);
        }
        self.failed = true;
        let procedure = message.procedure.as_ref().map_or_else(String::new, |name| format!(", Procedure {name}"));
        let push::Message { number, severity, state, line, text, .. } = message;
        let head = format!("Msg {number}, Level {severity}, State {state}, Server MAINSTAY{procedure}, Line {line}");
        let _ = self.out.flush();
        let _ = writeln!(self.errors, "{head}\n{text}");
    }

    fn return_status(&mut self, _: i32) {}

    fn return_value(&mut self, _: u16, _: &push::Column, _: ValueRef<'_>) -> Result<(), Stop> {
        Ok(())
    }

    fn environment(&mut self, change: &Environment) {
        if let Environment::Database { new, .. } = change {
            self.line(&format!("Changed database context to '{new}'."));
        }
    }

    fn flush(&mut self) {
        self.show();
        let _ = self.out.flush();
    }
}

/// A value as sqlcmd shows it.
fn shown(value: ValueRef<'_>, data_type: DataType) -> String {
    if value.is_null() {
        return "NULL".to_owned();
    }
    let within = (data_type == DataType::SqlVariant).then(|| variant::decode(value));
    let (from, value) = within.as_ref().map_or((data_type, value), |(from, value)| (*from, value.as_ref()));
    if let ValueRef::Float(number) = value {
        return shown_float(number, if from == DataType::Real { 8 } else { 17 });
    }
    let style = match from {
        from if from.is_moment() => Some(121),
        from if from.is_binary() => Some(1),
        from if from.is_money() => Some(2),
        _ => None,
    };
    match convert(&Context::default(), value, from, DataType::NVarChar(Length::Max), style) {
        Ok(Value::Text(text)) => text,
        Ok(other) => other.to_string(),
        Err(_) => value.to_string(),
    }
}

/// A floating point number as the ODBC driver writes it: all digits that its type has, one behind the point at least.
fn shown_float(number: f64, digits: usize) -> String {
    let shown = general(number, digits);
    let (mantissa, exponent) = shown.split_once('e').map_or((&*shown, None), |(m, e)| (m, Some(e)));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    match exponent.and_then(|exponent| exponent.parse::<i32>().ok()) {
        Some(exponent) => format!("{mantissa}{point}E{exponent:+}"),
        None => format!("{mantissa}{point}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_at_end, shown_float};

    #[test]
    fn floats_have_all_their_digits() {
        let shown = [0.1, 1.0, -2.5, 2.2, 1e10, 1e20, 1.5e-7, 0.0].map(|number| shown_float(number, 17));
        let wanted = [
            "0.10000000000000001",
            "1.0",
            "-2.5",
            "2.2000000000000002",
            "10000000000.0",
            "1.0E+20",
            "1.4999999999999999E-7",
            "0.0",
        ];
        assert_eq!(shown, wanted);
        assert_eq!(shown_float(f64::from(0.1_f32), 8), "0.1");
    }

    #[test]
    fn a_batch_ends_at_go_and_nowhere_else() {
        assert!(is_at_end("SELECT 1\nGO\n") && is_at_end("SELECT 1\ngo 3\n"));
        assert!(!is_at_end("SELECT 1\n") && !is_at_end("SELECT '\nGO\n") && !is_at_end("\n") && !is_at_end(""));
    }
}
