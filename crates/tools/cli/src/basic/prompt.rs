//! `mainstay basic` and `mainstay run --console`: the console mode of Business BASIC in a terminal or a pipe.
//!
//! Programs write line by line here. In a terminal lines are edited by reedline, and Ctrl-C stops a running program; a
//! pipe supplies lines of the prompt and the input of programs in turn.

use super::{Shop, folder_of};
use crate::arguments::Engine;
use crate::complain;
use crate::exit::Exit;
use mainstay_basic::console::{Console, Lines};
use mainstay_basic::plain::PlainHost;
use mainstay_types::Result;
use mainstay_vfs::{Disk, FileSystem};
use reedline::{Prompt, PromptEditMode, PromptHistorySearch, Reedline, Signal};
use std::borrow::Cow;
use std::io::{self, BufReader, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Opens the console of a folder, and says what it is.
pub(crate) fn basic(folder: &Path, memory_bytes: Option<u64>, engine: &Engine) -> ExitCode {
    let opened = Disk.real_path(folder).and_then(|home| {
        let folder = folder_of(&Disk, &home);
        let database = super::open_enclosed(&folder, engine.options())?;
        Ok((Shop::open(&database, &folder)?.with_memory(memory_bytes).with_own_user(), home))
    });
    match opened.and_then(|(shop, home)| converse(&shop, &home, None, Vec::new())) {
        Ok(code) => code,
        Err(error) => {
            complain(&error);
            Exit::of_opening(&error).into()
        }
    }
}

/// Runs a program if one is given, and reads lines to the end of the session.
pub(super) fn converse(shop: &Shop, home: &Path, program: Option<&str>, arguments: Vec<Vec<u8>>) -> Result<ExitCode> {
    let breaks = Arc::new(AtomicBool::new(false));
    // It fails only where signals cannot be handled at all; then the key ends the process.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&breaks));
    let host = PlainHost::new(BufReader::new(io::stdin()), io::stdout()).with_break_key(breaks);
    let mut console = Console::new(shop.session(Box::new(host), home, arguments));
    let status = match program.and_then(|program| console.run_program(program)) {
        Some(status) => status,
        None if io::stdin().is_terminal() && io::stdout().is_terminal() => {
            if program.is_none() {
                greet(home)?;
            }
            let mut lines = EditedLines(Reedline::create());
            console.converse(Some(&mut lines))
        }
        None => console.converse(None),
    };
    Ok(ExitCode::from(u8::try_from(status).unwrap_or(1)))
}

/// Says on a terminal where the user is, and how to leave.
fn greet(home: &Path) -> Result<()> {
    let name = home.file_name().unwrap_or(home.as_os_str()).to_string_lossy();
    let commands = "numbered lines, LIST, LOAD \"NAME\", RUN, HELP; BYE ends";
    writeln!(io::stdout(), "Business BASIC in {name}: {commands}.")?;
    Ok(())
}

/// Lines of the terminal, edited.
struct EditedLines(Reedline);

impl Lines for EditedLines {
    fn next_line(&mut self, prompt: &str) -> Option<Vec<u8>> {
        loop {
            match self.0.read_line(&Plain(prompt)) {
                Ok(Signal::Success(line)) => return Some(mainstay_code_page::encode(&line).into_owned()),
                Ok(Signal::CtrlD) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }
}

/// A prompt of one piece.
struct Plain<'a>(&'a str);

impl Prompt for Plain<'_> {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed(" ")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("  ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Owned(format!("(search: {}) ", search.term))
    }
}
