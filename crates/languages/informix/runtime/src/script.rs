//! Scripts of a user at this machine: statements one after the other, with their results as text, and LOAD and UNLOAD.
//!
//! ```text
//!   name       qty                    the names of the columns, the rows, how many there were
//!
//!   bolt         5
//!
//!   1 row(s) retrieved.
//! ```
//! A statement that fails ends the script, as it ends one of `dbaccess -a`.

use crate::failure::{of_core, of_syntax, plain};
use mainstay_informix_syntax::script::{PieceKind, field, fields, pieces, records};
use mainstay_informix_syntax::{Field, Type, assign, moment_text};
use mainstay_session::{Column, Failure, Ran, Rows, Session, StatementKind};
use mainstay_types::Value;
use mainstay_vfs::{Create, FileSystem};
use std::fmt;
use std::io::Write;
use std::path::Path;

/// FRACTION(5), the last field of a moment.
const LAST: Field = Field(15);

/// The error of a script and the line where its statement begins.
#[derive(Debug)]
pub struct ScriptError {
    /// The line, from 1.
    pub line: u32,
    /// The error.
    pub failure: Failure,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.failure)?;
        match self.failure.detail {
            0 => Ok(()),
            isam => write!(f, " (ISAM {isam})"),
        }
    }
}

impl std::error::Error for ScriptError {}

/// Runs a script; its results go to `out`. Files of LOAD and UNLOAD are relative to the folder.
///
/// Errors: that of the first statement that fails.
pub(crate) fn run_script(
    session: &mut dyn Session,
    text: &str,
    (files, folder): (&dyn FileSystem, &Path),
    out: &mut dyn Write,
) -> Result<(), ScriptError> {
    let at = |line: u32| move |failure: Failure| ScriptError { line, failure };
    let pieces = pieces(text).map_err(|error| at(1)(of_syntax(&error, text)))?;
    for piece in pieces {
        let line = piece.line;
        let told = match &piece.kind {
            PieceKind::Statement(text) => statement(session, text, out),
            PieceKind::Load(file, delimiter, insert) => load(session, (files, &folder.join(file)), *delimiter, insert),
            PieceKind::Unload(file, delimiter, query) => {
                unload(session, (files, &folder.join(file)), *delimiter, query)
            }
        };
        let told = told.map_err(at(line))?;
        let warning = session.take_warning().map_or_else(String::new, |warning| format!("Warning: {warning}\n"));
        writeln!(out, "{told}\n{warning}").map_err(|error| at(line)(plain(-1, error.to_string())))?;
    }
    Ok(())
}

fn statement(session: &mut dyn Session, text: &str, out: &mut dyn Write) -> Result<String, Failure> {
    let prepared = session.prepare(text)?;
    let ran = session.execute(prepared.id, &[]);
    let told = ran.and_then(|ran| match ran {
        Ran::Rows(rows) => show(rows, &prepared.columns, out),
        Ran::Done(done) => Ok(match prepared.kind {
            StatementKind::Insert => format!("{} row(s) inserted.", done.rows),
            StatementKind::Update => format!("{} row(s) updated.", done.rows),
            StatementKind::Delete => format!("{} row(s) deleted.", done.rows),
            _ if done.has_no_effect => "Warning: accepted without effect.".to_owned(),
            _ => "Done.".to_owned(),
        }),
    });
    session.release(prepared.id);
    told
}

/// The types of columns, as far as they are declared. Moments of all fields are shown without zeros at their end: the core
/// gives them to expressions whose type it does not know.
fn types_of(columns: &[Column]) -> Vec<Option<Type>> {
    let known = |column: &Column| {
        let declared = column.declared.as_ref()?;
        let known = Type::of_arguments(&declared.name, &declared.arguments)?;
        let is_full = matches!(known, Type::DateTime(_, LAST) | Type::Interval(_, _, LAST));
        (!is_full).then_some(known)
    };
    columns.iter().map(known).collect()
}

/// A value of a column as a text of `dbaccess`.
fn text_of(value: &Value, known: Option<Type>) -> Option<String> {
    if value.as_ref().is_null() {
        return None;
    }
    if let Some(text) = moment_text(value.as_ref(), known) {
        return Some(text);
    }
    match assign(value.as_ref(), Type::LVarChar(32_739)) {
        Ok(Value::Text(text)) => Some(text),
        _ => Some(value.to_string()),
    }
}

fn show(mut rows: Box<dyn Rows>, columns: &[Column], out: &mut dyn Write) -> Result<String, Failure> {
    let failed = |error: std::io::Error| plain(-1, error.to_string());
    let width = |column: &Column| {
        let declared = column.declared.clone().unwrap_or_default();
        let own = match &*declared.name {
            name if name.contains("char") => declared.arguments.first().copied().unwrap_or(20).min(60) as usize,
            "smallint" => 6,
            "integer" | "serial" | "date" => 11,
            _ => 20,
        };
        own.max(column.name.chars().count())
    };
    let widths: Vec<usize> = columns.iter().map(width).collect();
    let line = |cells: Vec<String>, out: &mut dyn Write| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let padded: Vec<String> = padded.collect();
        writeln!(out, "{}", padded.join(" ").trim_end())
    };
    line(columns.iter().map(|column| column.name.clone()).collect(), out).map_err(failed)?;
    writeln!(out).map_err(failed)?;
    let types = types_of(columns);
    let mut count = 0_u64;
    while let Some(row) = rows.next()? {
        let cells = row.iter().zip(&types).map(|(value, known)| text_of(value, *known).unwrap_or_default());
        line(cells.collect(), out).map_err(failed)?;
        count += 1;
    }
    writeln!(out).map_err(failed)?;
    Ok(format!("{count} row(s) retrieved."))
}

/// LOAD: each record of the file is a row of the INSERT, all in one transaction.
fn load(
    session: &mut dyn Session,
    (files, path): (&dyn FileSystem, &Path),
    delimiter: char,
    insert: &str,
) -> Result<String, Failure> {
    let bytes = files.read(path).map_err(|error| of_core(&error, false))?;
    let text =
        String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().iter().map(|byte| *byte as char).collect());
    let records = records(&text);
    let Some(count) = records.first().map(|record| fields(record, delimiter).len()) else {
        return Ok("0 row(s) loaded.".to_owned());
    };
    let marks = vec!["?"; count].join(", ");
    let prepared = session.prepare(&format!("{insert} VALUES ({marks})"))?;
    let is_own = !session.is_in_transaction();
    if is_own {
        session.transaction(&mainstay_session::TransactionStep::Begin)?;
    }
    let loaded = records.iter().enumerate().try_for_each(|(place, record)| {
        let values = fields(record, delimiter);
        if values.len() != count {
            let message =
                format!("Number of values in load file is not equal to number of columns, line {}.", place + 1);
            return Err(plain(-846, message));
        }
        let values = values.iter().zip(&prepared.parameters).map(|(text, column)| value_of(text, column));
        let values = values.collect::<Result<Vec<Value>, Failure>>()?;
        session.execute(prepared.id, &values).map(drop)
    });
    session.release(prepared.id);
    if is_own {
        let step = match loaded {
            Ok(()) => mainstay_session::TransactionStep::Commit,
            Err(_) => mainstay_session::TransactionStep::Rollback,
        };
        session.transaction(&step)?;
    }
    loaded.map(|()| format!("{} row(s) loaded.", records.len()))
}

/// A field of a file as a value of its column; an empty one is NULL.
fn value_of(text: &str, column: &Column) -> Result<Value, Failure> {
    if text.is_empty() {
        return Ok(Value::Null);
    }
    let declared = column.declared.clone().unwrap_or_default();
    let known = Type::of_arguments(&declared.name, &declared.arguments).filter(|known| !known.is_text());
    match known {
        Some(known) => assign(mainstay_types::ValueRef::Text(text), known).map_err(|error| of_syntax(&error, "")),
        None => Ok(Value::Text(text.to_owned())),
    }
}

/// UNLOAD: each row is a record whose fields end with the delimiter.
fn unload(
    session: &mut dyn Session,
    (files, path): (&dyn FileSystem, &Path),
    delimiter: char,
    query: &str,
) -> Result<String, Failure> {
    let prepared = session.prepare(query)?;
    let ran = session.execute(prepared.id, &[]);
    let done = ran.and_then(|ran| match ran {
        Ran::Rows(rows) => write_records((rows, types_of(&prepared.columns)), (files, path), delimiter),
        Ran::Done(_) => Err(plain(-201, "UNLOAD takes a query.")),
    });
    session.release(prepared.id);
    done.map(|count| format!("{count} row(s) unloaded."))
}

/// Bytes of records that are written at once.
const PIECE: usize = 1 << 20;

fn write_records(
    (mut rows, types): (Box<dyn Rows>, Vec<Option<Type>>),
    (files, path): (&dyn FileSystem, &Path),
    delimiter: char,
) -> Result<u64, Failure> {
    let failed = |error: mainstay_types::Error| of_core(&error, false);
    let file = files.create(path, Create::Truncate).map_err(failed)?;
    let (mut text, mut written, mut count) = (String::new(), 0_u64, 0_u64);
    loop {
        let row = rows.next()?;
        if text.len() >= PIECE || row.is_none() {
            file.write_at(text.as_bytes(), written).map_err(failed)?;
            written += text.len() as u64;
            text.clear();
        }
        let Some(row) = row else { break };
        for (value, known) in row.iter().zip(&types) {
            // A text that is empty differs from NULL by a backslash and a blank.
            let cell = text_of(value, *known).map(|cell| match cell.is_empty() {
                true => "\\ ".to_owned(),
                false => field(&cell, delimiter),
            });
            text.push_str(&cell.unwrap_or_default());
            text.push(delimiter);
        }
        text.push('\n');
        count += 1;
    }
    Ok(count)
}
