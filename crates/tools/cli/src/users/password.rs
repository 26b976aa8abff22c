//! A new password: typed twice at a terminal without an echo, or the first line of standard input.

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal;
use mainstay_types::{Code, Error, Result};
use std::io::{self, BufRead, IsTerminal, Write};

/// Asks for the new password of a user.
///
/// Errors: `InvalidValue` for an empty password, or two that differ; `Cancelled` for Ctrl-C.
pub(super) fn ask(name: &str) -> Result<String> {
    let password = match io::stdin().is_terminal() {
        true => ask_twice(name)?,
        false => first_line()?,
    };
    match password.is_empty() {
        true => Err(Error::new(Code::InvalidValue, "the password is empty")),
        false => Ok(password),
    }
}

fn first_line() -> Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let line = line.strip_suffix('\n').unwrap_or(&line);
    Ok(line.strip_suffix('\r').unwrap_or(line).to_owned())
}

fn ask_twice(name: &str) -> Result<String> {
    let first = typed(&format!("Password for {name}: "))?;
    if first.is_empty() || typed("Once more: ")? == first {
        return Ok(first);
    }
    Err(Error::new(Code::InvalidValue, "the two passwords differ"))
}

/// Puts the terminal back, however typing ends.
struct RawMode;

impl Drop for RawMode {
    fn drop(&mut self) {
        let _ = terminal::disable_raw_mode();
        let _ = writeln!(io::stderr());
    }
}

/// Asks a question at the terminal, without an echo of the answer.
///
/// Errors: `Cancelled` for Ctrl-C.
pub(crate) fn typed(question: &str) -> Result<String> {
    write!(io::stderr(), "{question}")?;
    io::stderr().flush()?;
    terminal::enable_raw_mode()?;
    let _raw = RawMode;
    let mut text = String::new();
    loop {
        let Event::Key(KeyEvent { code, modifiers, kind, .. }) = event::read()? else { continue };
        if kind == KeyEventKind::Release {
            continue;
        }
        match code {
            KeyCode::Enter => return Ok(text),
            KeyCode::Char('c' | 'd') if modifiers.contains(KeyModifiers::CONTROL) => {
                return Err(Error::new(Code::Cancelled, "no password was given"));
            }
            KeyCode::Char('u') if modifiers.contains(KeyModifiers::CONTROL) => text.clear(),
            KeyCode::Char(character) => text.push(character),
            KeyCode::Backspace => drop(text.pop()),
            _ => {}
        }
    }
}
