//! The interactive prompt.
//!
//! ```text
//! shop> SELECT name          a statement goes on until its semicolon
//!    -> FROM customers;
//! shop:customers> LIST       USE puts the table into the prompt
//! ```
//!
//! Lines are edited by reedline, with callbacks for the end of a statement, for completion ([`complete`]), and for
//! colours ([`highlight`]). The input is kept as history in the user's state folder
//! (`$XDG_STATE_HOME/mainstay/history`, or `~/.local/state`).

mod complete;
mod highlight;

use crate::errors::{Failure, Origin};
use crate::interrupt;
use crate::remote::{self, Remote};
use crate::script;
use crate::shell::{Flow, Shell};
use complete::{Known, OfSession};
use mainstay_types::{Code, Error};
use reedline::{
    ColumnarMenu, EditCommand, Emacs, FileBackedHistory, InputMode, KeyCode, KeyModifiers, MenuBuilder, Prompt,
    PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus, Reedline, ReedlineEvent, ReedlineMenu, Signal,
    ValidationResult, Validator, default_emacs_keybindings,
};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

const HISTORY_LINES: usize = 10_000;
const MENU: &str = "completion";

/// Reads and runs until the person leaves.
pub(crate) fn run(shell: &mut Shell, path: &Path) -> Result<(), Failure> {
    interrupt::set_at_prompt(true);
    greet(shell, path)?;
    let session = OfSession::default();
    let mut editor = editor(shell, session.clone());
    let of_server = shell.remote.as_mut().map(remote::found::names).unwrap_or_default();
    loop {
        let table = shell.area.as_ref().map(|area| area.table.as_str());
        *session.lock().unwrap_or_else(PoisonError::into_inner) = known(shell, &of_server);
        let line = editor.read_line(&Words::new(path, table));
        match line.map_err(|error| Failure::Error(Error::new(Code::Io, error.to_string())))? {
            Signal::Success(text) => {
                // Written before the statement runs, since a person looks up exactly what went wrong.
                let _ = editor.sync_history();
                match script::run(shell, &text, &Origin::default()) {
                    Ok(Flow::Quit) => return Ok(()),
                    Ok(Flow::Continue) | Err(Failure::Reported) => {}
                    Err(failure) => return Err(failure),
                }
            }
            Signal::CtrlD => return Ok(()),
            _ => {}
        }
    }
}

/// The state of the session for completion.
fn known(shell: &Shell, of_server: &[complete::Named]) -> Known {
    if shell.is_all_remote {
        return Known { in_use: None, own: of_server.to_vec() };
    }
    let own = shell.session.temporary_tables().unwrap_or_default();
    Known {
        in_use: shell.area.as_ref().map(|area| area.table.clone()),
        own: own.into_iter().map(complete::entry).collect(),
    }
}

fn greet(shell: &mut Shell, path: &Path) -> Result<(), Failure> {
    if let Some(place) = shell.remote.as_ref().map(Remote::place) {
        let version = env!("CARGO_PKG_VERSION");
        let how = "T-SQL; a batch ends with ; or GO";
        return shell.tell(&format!("mainstay {version}, connected to {place}: {how}. .tables lists the tables."));
    }
    let tables = match shell.database.table_names() {
        Ok(tables) => crate::output::table::count(tables.len() as u64, "table"),
        Err(error) => return Err(shell.report(error.into(), "", &Origin::default())),
    };
    let version = env!("CARGO_PKG_VERSION");
    shell.tell(&format!("mainstay {version}, {}: {tables}. .tables lists them, .help the commands.", path.display()))
}

fn editor(shell: &Shell, session: OfSession) -> Reedline {
    let mut keys = default_emacs_keybindings();
    let menu = ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext]);
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, menu);
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, ReedlineEvent::MenuPrevious);
    let new_line = ReedlineEvent::Edit(vec![EditCommand::InsertNewline]);
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, new_line);
    let columns = ColumnarMenu::default()
        .with_name(MENU)
        .with_input_mode(InputMode::FullBuffer)
        .with_columns(4)
        .with_column_padding(2);
    let colour = crate::shell::colour();
    let editor = Reedline::create()
        .with_completer(Box::new(complete::Completer::new(complete::Catalog::new(shell.database.clone(), session))))
        .with_quick_completions(true)
        .with_partial_completions(true)
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(columns)))
        .with_highlighter(Box::new(highlight::Highlighter::new(colour)))
        .with_validator(Box::new(UntilEnd {
            is_complete: if shell.is_all_remote { script::server::is_complete } else { script::is_complete },
        }))
        .with_edit_mode(Box::new(Emacs::new(keys)))
        .with_ansi_colors(colour)
        .use_bracketed_paste(true);
    // Without a place for it, the history of this session alone must do.
    match history_file().and_then(|file| FileBackedHistory::with_file(HISTORY_LINES, file).ok()) {
        Some(history) => editor.with_history(Box::new(history)),
        None => editor,
    }
}

/// Where the history is kept (XDG Base Directory Specification).
fn history_file() -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).and_then(absolute);
    let folder = state.or_else(|| std::env::home_dir().map(|home| home.join(".local").join("state")))?;
    Some(folder.join("mainstay").join("history"))
}

/// Asks for another line until the statement ends.
struct UntilEnd {
    is_complete: fn(&str) -> bool,
}

impl Validator for UntilEnd {
    fn validate(&self, text: &str) -> ValidationResult {
        if (self.is_complete)(text) { ValidationResult::Complete } else { ValidationResult::Incomplete }
    }
}

/// The words before the text.
struct Words {
    first: String,
    next: String,
}

impl Words {
    fn new(path: &Path, table: Option<&str>) -> Words {
        let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let name = full.file_name().map_or_else(|| "mainstay".to_owned(), |name| name.to_string_lossy().into_owned());
        let first = table.map_or_else(|| name.clone(), |table| format!("{name}:{table}"));
        let next = " ".repeat(unicode_width::UnicodeWidthStr::width(first.as_str()).saturating_sub(1)) + "-> ";
        Words { first, next }
    }
}

impl Prompt for Words {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.first)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("> ")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.next)
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let failing = matches!(search.status, PromptHistorySearchStatus::Failing);
        Cow::Owned(format!("({}search: {}) ", if failing { "failing " } else { "" }, search.term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{Conduct, Look};

    #[test]
    fn completion_knows_the_sessions_temporary_tables() {
        let folder = tempfile::tempdir().unwrap();
        let database = mainstay_engine::Database::open(folder.path()).unwrap();
        let look = Look {
            format: crate::output::Format::Table,
            is_chosen: false,
            expanded: false,
            header: true,
            null: None,
            max_rows: None,
            csv: crate::output::csv_style::CsvStyle::default(),
        };
        let mut shell = Shell::new(database, look, Conduct::default());
        shell.session.execute("CREATE TABLE everybodys (a INTEGER)").unwrap();
        assert!(known(&shell, &[]).own.is_empty());
        shell.session.execute("CREATE TEMPORARY TABLE mine (x INTEGER, y TEXT)").unwrap();
        assert_eq!(known(&shell, &[]).own, [("mine".to_owned(), vec!["x".to_owned(), "y".to_owned()])]);
        shell.session.execute("DROP TABLE mine").unwrap();
        assert!(known(&shell, &[]).own.is_empty());
    }
}
