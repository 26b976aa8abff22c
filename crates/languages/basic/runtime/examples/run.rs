//! Runs a Business BASIC program in a plain terminal: `run FILE [FOLDER] [--limit N] [-- arguments]`.
//!
//! Files are those of the folder (the program's own without one): text as files, keyed files as native tables below
//! `.mainstay`. `--limit` ends a program after so many operations.

use mainstay_basic::plain::PlainHost;
use mainstay_basic::{Ended, FolderPrograms, Parts, Session};
use mainstay_basic_files::{FolderVolume, SessionId, Volume};
use mainstay_basic_tables::TableVolume;
use mainstay_store::{Durability, Store, StoreOptions};
use mainstay_vfs::{Disk, FileSystem};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

struct Arguments {
    file: PathBuf,
    folder: Option<PathBuf>,
    limit: Option<u64>,
    check: bool,
    rest: Vec<Vec<u8>>,
}

fn arguments() -> Option<Arguments> {
    let mut words = std::env::args().skip(1);
    let mut arguments = Arguments { file: PathBuf::new(), folder: None, limit: None, check: false, rest: Vec::new() };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--" => arguments.rest = words.by_ref().map(String::into_bytes).collect(),
            "--limit" => arguments.limit = Some(words.next()?.parse().ok()?),
            "--check" => arguments.check = true,
            _ if arguments.file.as_os_str().is_empty() => arguments.file = word.into(),
            _ => arguments.folder = Some(word.into()),
        }
    }
    (!arguments.file.as_os_str().is_empty()).then_some(arguments)
}

fn volume(files: &Arc<dyn FileSystem>, folder: &Path) -> Result<Arc<dyn Volume>, String> {
    let plain = Arc::new(FolderVolume::new(Arc::clone(files), folder));
    let options = StoreOptions {
        durability: Durability::Os,
        checkpoint_bytes: None,
        memory_bytes: None,
        ..StoreOptions::DEFAULT
    };
    let store =
        Store::open(Arc::clone(files), &folder.join(".mainstay"), options).map_err(|error| error.to_string())?;
    Ok(Arc::new(TableVolume::new(Arc::new(store), plain, Durability::Os)))
}

fn run(arguments: Arguments) -> Result<ExitCode, String> {
    let files: Arc<dyn FileSystem> = Arc::new(Disk);
    let source_folder =
        arguments.file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let source_folder = files.real_path(source_folder).map_err(|error| error.to_string())?;
    let name = arguments.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if arguments.check {
        let source = files.read(&arguments.file).map_err(|error| error.to_string())?;
        let diagnostics = mainstay_basic::check(&name, &source);
        for found in &diagnostics {
            let place = format!("{}:{}:{}", name, found.place.line, found.place.column);
            println!("{place}: line {:04}: error {}: {} {}", found.number, found.code, found.message, found.hint);
        }
        return Ok(ExitCode::from(u8::from(!diagnostics.is_empty())));
    }
    let folder = arguments.folder.unwrap_or(source_folder.clone());
    let folder = files.real_path(&folder).map_err(|error| error.to_string())?;
    let mut session = Session::new(Parts {
        host: Box::new(PlainHost::new(std::io::stdin().lock(), std::io::stdout().lock())),
        volume: volume(&files, &folder)?,
        programs: Box::new(FolderPrograms::new(files, &source_folder)),
        session: SessionId(1),
        arguments: arguments.rest,
    });
    if let Some(limit) = arguments.limit {
        session.limit_operations(limit);
    }
    match session.run(&name) {
        Ok(Ended::End) => Ok(ExitCode::SUCCESS),
        Ok(Ended::Released(status)) => Ok(ExitCode::from(status as u8)),
        Err(failure) => Err(failure.to_string()),
    }
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("usage: run FILE [FOLDER] [--limit OPERATIONS] [--check] [-- ARGUMENTS]");
        return ExitCode::from(2);
    };
    run(arguments).unwrap_or_else(|message| {
        eprintln!("{message}");
        ExitCode::FAILURE
    })
}
