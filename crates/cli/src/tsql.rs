//! `mainstay FOLDER --tsql`: scripts of T-SQL, with results and errors as `sqlcmd` prints them.
//!
//! A statement that fails does not end the script, as there; the exit code says that one did.

use crate::arguments::Script;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::{complain, script};
use mainstay_base::Error;
use mainstay_engine::Database;
use mainstay_transact::{Console, Instance, Session};
use mainstay_vfs::{Disk, FileSystem};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;

/// An instance of the folder, with the procedures that are files of it; `tell` hears of those that do not compile.
pub(crate) fn instance(database: Database, path: &Path, tell: fn(&str)) -> Result<Instance, Error> {
    let name = std::path::absolute(path)?.file_name().map(|name| name.to_string_lossy().into_owned());
    let instance = Instance::new(database, name.as_deref().unwrap_or("mainstay"));
    Ok(instance.with_procedures(Arc::new(Disk), path, Box::new(tell)))
}

/// Runs the scripts, or standard input.
pub(crate) fn run(database: Database, path: &Path, scripts: &[Script]) -> Exit {
    let mut session = match instance(database, path, |_| {}) {
        Ok(instance) => instance.session(),
        Err(error) => {
            complain(&error);
            return Exit::CannotOpen;
        }
    };
    let (mut out, mut errors) = (io::BufWriter::new(io::stdout()), io::stderr());
    let mut console = Console::new(&mut out, &mut errors);
    match start(&mut console, &mut session, scripts) {
        Ok(()) if console.has_failed() => Exit::StatementFailed,
        Ok(()) => Exit::Success,
        Err(error) => {
            complain(&error);
            Exit::StatementFailed
        }
    }
}

fn start(console: &mut Console<'_>, session: &mut Session, scripts: &[Script]) -> Result<(), Error> {
    let text = |read: Result<String, Failure>| {
        read.map_err(|failure| match failure {
            Failure::Error(error) => error,
            _ => Error::new(mainstay_base::Code::InvalidValue, "the script cannot be read"),
        })
    };
    if scripts.is_empty() {
        let has_prompt = io::stdin().is_terminal();
        return Ok(console.stream(session, &mut io::stdin().lock(), has_prompt)?);
    }
    for one in scripts {
        match one {
            Script::Text(text) => console.script(session, text),
            Script::File(path) if path.as_os_str() == "-" => console.script(session, &text(script::read_stdin())?),
            Script::File(path) => {
                let bytes = Disk.read(path).map_err(|error| error.at(path.display()))?;
                console.script(session, &text(script::utf8(bytes))?);
            }
        }
    }
    Ok(())
}
