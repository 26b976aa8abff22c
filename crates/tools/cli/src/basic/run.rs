//! `mainstay run FILE`: a program at the terminal, or in a pipe.

use super::{Shop, folder_of};
use crate::arguments::Engine;
use crate::complain;
use crate::exit::Exit;
use mainstay_basic::Ended;
use mainstay_basic::plain::PlainHost;
use mainstay_engine::Database;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs a program to its end.
pub(crate) fn run(file: &Path, folder: Option<PathBuf>, arguments: Vec<OsString>, engine: &Engine) -> ExitCode {
    match run_file(file, folder, arguments, engine) {
        Ok(code) => code,
        Err(error) => {
            complain(&error);
            Exit::of_opening(&error).into()
        }
    }
}

fn run_file(file: &Path, folder: Option<PathBuf>, arguments: Vec<OsString>, engine: &Engine) -> Result<ExitCode> {
    let home = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let home = Disk.real_path(home)?;
    let Some(name) = file.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return Err(Error::new(Code::NotFound, format!("{} is not a program", file.display())));
    };
    Disk.stamp(&home.join(&name)).map_err(|error| error.at(file.display().to_string()))?;
    let folder = match folder {
        Some(folder) => Disk.real_path(&folder)?,
        None => folder_of(&Disk, &home),
    };
    let database = Database::open_with(&folder, engine.options())?;
    let shop = Shop::open(&database, &folder)?;
    let host = Box::new(PlainHost::new(io::stdin().lock(), io::stdout().lock()));
    let arguments = arguments.into_iter().map(OsString::into_vec).collect();
    let mut session = shop.session(host, &home, arguments);
    Ok(match session.run(&name) {
        Ok(Ended::End) => ExitCode::SUCCESS,
        Ok(Ended::Released(status)) => ExitCode::from(u8::try_from(status).unwrap_or(1)),
        Err(failure) => {
            complain(&Error::new(Code::InvalidValue, failure.to_string()));
            ExitCode::FAILURE
        }
    })
}
