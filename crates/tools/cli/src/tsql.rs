//! `mainstay FOLDER --tsql`: scripts of T-SQL, with results and errors as `sqlcmd` prints them.
//!
//! As in `sqlcmd`, a failed statement does not end the script, unless `:on error exit` is set; the exit code reports
//! it. Commands of `sqlcmd` itself are read by the module `sqlcmd`. Ctrl-C ends the running batch, and a script with
//! it; interactive input goes on.

use crate::arguments::{Arguments, Script};
use crate::exit::Exit;
use crate::interrupt::{self, OnConsole};
use crate::output::Destination;
use crate::{complain, script};
use mainstay_engine::Database;
use mainstay_tsql_runtime::batches;
use mainstay_tsql_runtime::sqlcmd::{Piece, Variables, pieces};
use mainstay_tsql_runtime::{CodePage, Console, Instance, Session, script_text};
use mainstay_types::{Code, Error};
use mainstay_vfs::{Disk, FileSystem};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;

/// An instance of the folder, with the procedures that are files of it; `page` is the code page of those without a byte
/// order mark, and `tell` hears of those that do not compile.
pub(crate) fn instance(
    database: Database,
    path: &Path,
    files: Arc<dyn FileSystem>,
    page: Option<CodePage>,
    tell: fn(&str),
) -> Result<Instance, Error> {
    let name = std::path::absolute(path)?.file_name().map(|name| name.to_string_lossy().into_owned());
    let instance = Instance::new(database, name.as_deref().unwrap_or("mainstay"));
    Ok(instance.with_procedures(files, path, page, Box::new(tell)))
}

/// The settings with which scripts are read.
struct Reading {
    variables: Variables,
    /// The code page of texts without a byte order mark.
    page: Option<CodePage>,
}

/// Runs the scripts, or standard input; what they print goes to a file, if there is one.
pub(crate) fn run(database: Database, path: &Path, scripts: &[Script], arguments: &Arguments) -> Exit {
    let output = arguments.output.output.as_deref();
    let cannot_write = |error: io::Error| {
        let place = output.map_or(String::new(), |path| path.display().to_string());
        complain(&Error::from(error).at(place));
        Exit::CannotWrite
    };
    let mut out = match output.map_or_else(|| Ok(Destination::stdout()), Destination::create) {
        Ok(out) => out,
        Err(error) => return cannot_write(error),
    };
    let mut session = match instance(database, path, Arc::new(Disk), arguments.script_codepage, |_| {}) {
        Ok(instance) => instance.session(),
        Err(error) => {
            complain(&error);
            return Exit::CannotOpen;
        }
    };
    let mut errors = io::stderr();
    interrupt::install();
    let interactive = scripts.is_empty() && io::stdin().is_terminal();
    let interrupts = OnConsole { interactive };
    let mut console = Console::new(&mut out, &mut errors).interrupted_by(&interrupts);
    let variable = |given: &String| {
        let (name, value) = given.split_once('=').unwrap_or((given, ""));
        (name.trim().to_lowercase(), value.trim_matches('"').to_owned())
    };
    let variables: Variables = arguments.variables.iter().map(variable).collect();
    let mut reading = Reading { variables, page: arguments.script_codepage };
    let done = start(&mut console, &mut session, scripts, &mut reading);
    let ended = match done {
        Ok(()) if !interactive && interrupt::was_asked() => Exit::Interrupted,
        Ok(()) if console.has_failed() => Exit::StatementFailed,
        Ok(()) => Exit::Success,
        Err(error) => {
            complain(&error);
            Exit::StatementFailed
        }
    };
    out.finish().map_or_else(cannot_write, |()| ended)
}

fn start(
    console: &mut Console<'_>,
    session: &mut Session,
    scripts: &[Script],
    reading: &mut Reading,
) -> Result<(), Error> {
    if scripts.is_empty() {
        if io::stdin().is_terminal() {
            return Ok(console.stream(session, &mut io::stdin().lock(), true)?);
        }
        return play(console, session, &read_stdin(reading.page)?, reading).map(drop);
    }
    for one in scripts {
        let goes_on = match one {
            Script::Text(text) => play(console, session, text, reading)?,
            Script::File(path) if path.as_os_str() == "-" => {
                play(console, session, &read_stdin(reading.page)?, reading)?
            }
            Script::File(path) => play(console, session, &read_script(path, reading.page)?, reading)?,
        };
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// The text of a file.
fn read_script(path: &Path, page: Option<CodePage>) -> Result<String, Error> {
    let bytes = script::read_bytes(path).map_err(|error| error.at(path.display()))?;
    Ok(decoded(&bytes, page, &path.display()))
}

/// The text of standard input, all of it.
fn read_stdin(page: Option<CodePage>) -> Result<String, Error> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::stdin().lock(), &mut bytes)?;
    Ok(decoded(&bytes, page, &"standard input"))
}

/// A script's text: by its byte order mark, in the given code page, or in UTF-8. A message tells the user if it is none
/// of these.
fn decoded(bytes: &[u8], page: Option<CodePage>, place: &dyn std::fmt::Display) -> String {
    let read = script_text(bytes, page);
    if read.is_assumed {
        eprintln!("{place}: neither UTF-8 nor UTF-16; read as Windows-1252 (--script-codepage says another)");
    }
    read.text
}

/// Runs a script; false when an error has ended it and those behind it.
fn play(console: &mut Console<'_>, session: &mut Session, script: &str, reading: &mut Reading) -> Result<bool, Error> {
    let page = reading.page;
    let read = |file: &str| read_script(Path::new(file), page).map_err(|error| error.to_string());
    let pieces =
        pieces(script, &mut reading.variables, &read).map_err(|reason| Error::new(Code::InvalidValue, reason))?;
    let mut ends_on_error = false;
    for piece in pieces {
        if interrupt::was_asked() {
            return Ok(false);
        }
        match piece {
            Piece::EndsOnError(ends) => ends_on_error = ends,
            Piece::Text(text) if !ends_on_error => console.script(session, &text),
            Piece::Text(text) => {
                for batch in batches(&text) {
                    console.script(session, &format!("{}\nGO {}\n", batch.text, batch.count));
                    if console.has_failed() {
                        return Ok(false);
                    }
                }
            }
        }
    }
    Ok(!interrupt::was_asked())
}
