//! `mainstay FOLDER --informix`: scripts of Informix SQL, as `dbaccess` runs them, with LOAD and UNLOAD.
//!
//! A failed statement ends the script and sets the exit code.

use crate::arguments::{Arguments, Script};
use crate::exit::Exit;
use crate::output::Destination;
use crate::{complain, script};
use mainstay_engine::Database;
use mainstay_informix_runtime::Informix;
use mainstay_types::Error;
use mainstay_vfs::Disk;
use std::io::{self, Read, Write};
use std::path::Path;

/// The user of scripts, and the product that they are told.
const USER: &str = "informix";
const VERSION: &str = "IBM Informix Dynamic Server Version 14.10.FC7W1DE";

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
    if let Some(table) = &arguments.schema {
        let name = Some(table.as_str()).filter(|table| !table.is_empty());
        let ended = print_schema(database, path, name, &mut out);
        return out.finish().map_or_else(cannot_write, |()| ended);
    }
    let texts = match texts(scripts) {
        Ok(texts) => texts,
        Err(error) => {
            complain(&error);
            return Exit::StatementFailed;
        }
    };
    let informix = informix_of(database, path);
    let folder = std::env::current_dir().unwrap_or_default();
    let ended = match informix.run_scripts(USER, &texts, (&Disk, &folder), &mut out) {
        Ok(()) => Exit::Success,
        Err(error) => {
            // Nobody hears of it if there is no standard error.
            let _ = writeln!(io::stderr(), "{error}");
            Exit::StatementFailed
        }
    };
    out.finish().map_or_else(cannot_write, |()| ended)
}

/// The database under the name of its folder.
fn informix_of(database: Database, path: &Path) -> Informix {
    let name = std::path::absolute(path)
        .ok()
        .and_then(|path| path.file_name().map(|name| name.to_string_lossy().into_owned()));
    Informix::new(database, name.as_deref().unwrap_or("mainstay"), "mainstay", VERSION)
}

/// Prints the definitions of the database or of one table.
fn print_schema(database: Database, path: &Path, table: Option<&str>, out: &mut dyn Write) -> Exit {
    match informix_of(database, path).schema(USER, table) {
        Ok(text) if out.write_all(text.as_bytes()).is_ok() => Exit::Success,
        Ok(_) => Exit::CannotWrite,
        Err(failure) => {
            // Nobody hears of it if there is no standard error.
            let _ = writeln!(io::stderr(), "{failure}");
            Exit::StatementFailed
        }
    }
}

fn texts(scripts: &[Script]) -> Result<Vec<String>, Error> {
    let stdin = || {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes).map_err(Error::from)
    };
    let decoded = |bytes: Vec<u8>| match String::from_utf8(bytes) {
        Ok(text) => text,
        // Scripts of old installations are in ISO 8859-1.
        Err(error) => error.into_bytes().iter().map(|byte| *byte as char).collect(),
    };
    if scripts.is_empty() {
        return Ok(vec![decoded(stdin()?)]);
    }
    let text = |one: &Script| match one {
        Script::Text(text) => Ok(text.clone()),
        Script::File(path) if path.as_os_str() == "-" => stdin().map(decoded),
        Script::File(path) => script::read_bytes(path).map(decoded).map_err(|error| error.at(path.display())),
    };
    scripts.iter().map(text).collect()
}
