//! Starts `mainstay bench`, which is a separate program, `mainstay-bench`, beside this one.
//!
//! The benchmark links SQLite and contains the procedures and data of all suites. A database installation needs none of
//! it, and a build without it is a minute shorter. So the command replaces itself by the other program, as `git` and
//! `cargo` do with theirs: output, signals and the exit code are the benchmark's.

use crate::exit::Exit;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// The program, and what builds it.
const PROGRAM: &str = "mainstay-bench";
const BUILD: &str = "cargo build --release --workspace --bin mainstay-bench";

/// Runs the benchmark with the arguments after `bench`; gives its exit code.
pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    let program = beside_this_one().unwrap_or_else(|| PathBuf::from(PROGRAM));
    match replace_this_process(Command::new(&program).args(arguments)) {
        Ok(code) => code,
        Err(error) => {
            let hint = format!("it stands beside mainstay or in the PATH; {BUILD} makes it");
            eprintln!("mainstay: cannot start {}: {error}\n  hint: {hint}", program.display());
            Exit::CannotOpen.into()
        }
    }
}

/// The program in the folder of this one, where builds and packages put it.
fn beside_this_one() -> Option<PathBuf> {
    let this = std::env::current_exe().ok()?;
    let program = this.with_file_name(format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX));
    program.is_file().then_some(program)
}

/// Never comes back but with the reason why not: signals then reach the benchmark itself.
#[cfg(unix)]
fn replace_this_process(command: &mut Command) -> std::io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

#[cfg(not(unix))]
fn replace_this_process(command: &mut Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(Exit::StatementFailed as u8)))
}
