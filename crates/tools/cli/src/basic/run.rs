//! `mainstay run FILE`: a program at the terminal, or in a pipe.

use super::{Shop, folder_of};
use crate::arguments::Engine;
use crate::complain;
use crate::exit::Exit;
use mainstay_basic::plain::PlainHost;
use mainstay_basic::{Ended, Failure, ScreenHost};
use mainstay_screen::Screen;
use mainstay_screen::field::InputRequest;
use mainstay_screen::session::share;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Disk, FileSystem};
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The smallest screen of a program: columns and rows.
const SCREEN: (u16, u16) = (80, 25);
/// The stack of a program's thread; only the used part of it takes memory.
const STACK_BYTES: usize = 16 << 20;
const LAST_WORDS: &[u8] = b"\r\n[The program has ended: press Enter] ";

/// The program that the command names.
pub(crate) struct Start<'a> {
    pub(crate) file: &'a Path,
    /// The folder of its files; without one that of its database.
    pub(crate) folder: Option<PathBuf>,
    /// The memory limit of its session.
    pub(crate) memory_bytes: Option<u64>,
    /// The prompt comes behind it.
    pub(crate) console: bool,
}

/// Runs a program to its end.
pub(crate) fn run(start: Start<'_>, arguments: Vec<OsString>, engine: &Engine) -> ExitCode {
    match run_file(start, arguments, engine) {
        Ok(code) => code,
        Err(error) => {
            complain(&error);
            Exit::of_opening(&error).into()
        }
    }
}

fn run_file(start: Start<'_>, arguments: Vec<OsString>, engine: &Engine) -> Result<ExitCode> {
    let Start { file, folder, memory_bytes, console } = start;
    if Disk.is_folder(file) {
        let error = Error::new(Code::InvalidValue, "it is a folder, not a program").at(file.display().to_string());
        return Err(error.hint(format!("mainstay basic {} opens the prompt of a folder", file.display())));
    }
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
    let database = super::open_enclosed(&folder, engine.options())?;
    let shop = Shop::open(&database, &folder)?.with_memory(memory_bytes).with_own_user();
    let arguments =
        arguments.into_iter().map(|argument| mainstay_code_page::import(&argument.into_vec()).into_owned()).collect();
    if console {
        return super::prompt::converse(&shop, &home, Some(&name), arguments);
    }
    let ended = match io::stdin().is_terminal() && io::stdout().is_terminal() {
        true => on_terminal(&shop, &home, &name, arguments)?,
        false => {
            let host = Box::new(PlainHost::new(io::stdin().lock(), io::stdout().lock()));
            shop.session(host, &home, arguments).run(&name)
        }
    };
    Ok(match ended {
        Ok(Ended::End) => ExitCode::SUCCESS,
        Ok(Ended::Released(status)) => ExitCode::from(u8::try_from(status).unwrap_or(1)),
        Err(failure) => {
            complain(&Error::new(Code::InvalidValue, failure.to_string()));
            ExitCode::FAILURE
        }
    })
}

/// Runs a program on a thread of its own, with its screen on the terminal.
///
/// Errors: those of the terminal.
fn on_terminal(
    shop: &Shop,
    home: &Path,
    name: &str,
    arguments: Vec<Vec<u8>>,
) -> Result<std::result::Result<Ended, Failure>> {
    let (columns, rows) = crossterm::terminal::size().unwrap_or(SCREEN);
    let (screen, watch) = share(Screen::new(columns.max(SCREEN.0), rows.max(SCREEN.1)));
    std::thread::scope(|scope| {
        let program = std::thread::Builder::new().name("program".into()).stack_size(STACK_BYTES);
        let program = program.spawn_scoped(scope, move || {
            let host = Box::new(ScreenHost::new(screen.clone()));
            let ended = shop.session(host, home, arguments).run(name);
            if matches!(ended, Ok(Ended::End)) {
                // The last screen stays until a key is pressed; without a terminal there is nothing to wait for.
                let _ = screen.with(|screen| screen.print(LAST_WORDS));
                let _ = screen.input(InputRequest { length: Some(1), size: Some(1), ..Default::default() }, None);
            }
            screen.end();
            ended
        })?;
        mainstay_basic_terminal::run(&watch)?;
        program.join().map_err(|_| Error::new(Code::Internal, "the program ended by an internal error"))
    })
}
