//! `mainstay backup` and `mainstay restore`.

use crate::complain;
use crate::exit::Exit;
use mainstay_engine::backup::{self, Contents};
use mainstay_engine::{Database, Options};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long the locks of a table are waited for, unless the command line says it.
pub(crate) const WAIT: Duration = Duration::from_secs(30);

/// Takes a backup: the lines to show.
///
/// Errors: those of taking it.
pub(crate) fn take(database: &Database, file: &Path, native_only: bool, wait: Duration) -> Result<Vec<String>> {
    if native_only {
        database.backup(file)?;
        let mut lines = vec![format!("the native tables, and nothing else, are in {}", file.display())];
        let others = files_beside(database);
        if others > 0 {
            lines.push(format!("{others} files of the folder are not in it: a backup without --native-only has them"));
        }
        return Ok(lines);
    }
    let taken = backup::take(database, file, wait)?;
    let mut lines = vec![format!("{}: {}", file.display(), taken.contents)];
    lines.extend(taken.remarks);
    Ok(lines)
}

/// How many files a backup of the native tables leaves out; a folder that cannot be read has none to tell of.
fn files_beside(database: &Database) -> usize {
    let is_table = |path: &Path| !matches!(backup::FileKind::of(path), backup::FileKind::Other);
    let entries = database.files().list(database.path()).unwrap_or_default();
    entries.iter().filter(|entry| !entry.is_folder && is_table(&entry.path)).count()
}

/// `mainstay backup FOLDER FILE`.
pub(crate) fn run(folder: &Path, file: &Path, native_only: bool, wait: Duration) -> Exit {
    let taken = Database::open_with(folder, Options::default())
        .and_then(|database| take(&database, file, native_only, wait).map(|lines| (database.damage(), lines)));
    match taken {
        Ok((damage, lines)) => {
            damage.iter().for_each(crate::warn);
            show(&lines)
        }
        Err(error) => {
            complain(&error);
            Exit::of_opening(&error)
        }
    }
}

/// `mainstay restore FILE FOLDER`, and `mainstay restore --verify FILE`.
pub(crate) fn restore(file: &Path, folder: Option<&Path>) -> Exit {
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let done = match folder {
        Some(folder) => backup::restore(&fs, file, folder).map(|contents| restored(&contents, folder)),
        None => backup::verify(&*fs, file).map(|contents| verified(&contents, file)),
    };
    match done {
        Ok(lines) => show(&lines),
        Err(error) => {
            complain(&error);
            match error.code() {
                Code::Damaged | Code::NotThisFormat => Exit::FoundErrors,
                _ => Exit::CannotOpen,
            }
        }
    }
}

fn restored(contents: &Contents, folder: &Path) -> Vec<String> {
    vec![format!("{}: {}", folder.display(), contents)]
}

fn verified(contents: &Contents, file: &Path) -> Vec<String> {
    let mut lines = vec![format!("{}: whole; {}", file.display(), contents)];
    lines.extend(contents.files.iter().map(|entry| format!("{:>12}  {}", entry.bytes, entry.path.display())));
    lines
}

/// Writes lines to standard output.
fn show(lines: &[String]) -> Exit {
    let mut out = io::stdout();
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&Error::from(error).at("the output"));
            Exit::CannotWrite
        }
        _ => Exit::Success,
    }
}
