//! Exit codes: one for each outcome that a script may test.

use mainstay_types::{Code, Error};

/// The codes, each defined once; `mainstay --help` prints this table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Everything was done.
    Success = 0,
    /// A statement or a command failed, or `assess` found something to review or to change.
    StatementFailed = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// The folder or file, or the folder's `mainstay.toml`, cannot be opened.
    CannotOpen = 3,
    /// `check` found errors.
    FoundErrors = 4,
    /// A result could not be written.
    CannotWrite = 5,
    /// Ctrl-C stopped it.
    Interrupted = 130,
}

impl Exit {
    /// Every code with what it means, for the help text.
    pub(crate) const MEANINGS: &'static [(Exit, &'static str)] = &[
        (Exit::Success, "everything was done"),
        (Exit::StatementFailed, "a statement or a command failed; assess found something to review"),
        (Exit::Usage, "the command line makes no sense"),
        (Exit::CannotOpen, "the folder or file, or its mainstay.toml, cannot be opened"),
        (Exit::FoundErrors, "check found errors"),
        (Exit::CannotWrite, "a result could not be written"),
        (Exit::Interrupted, "stopped with Ctrl-C"),
    ];
}

impl Exit {
    /// How it ends when a database cannot be opened. A setting without a place is one of the command line.
    pub(crate) fn of_opening(error: &Error) -> Exit {
        let is_of_command_line = error.code() == Code::InvalidSetting && error.place().is_none();
        if is_of_command_line { Exit::Usage } else { Exit::CannotOpen }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        std::process::ExitCode::from(exit as u8)
    }
}
