//! Scripts of statements and commands, cut into pieces and run one by one.
//!
//! A statement ends with a semicolon. A command (`.tables`, `\d`, `USE customers`) is one line without one; it is
//! recognized only where a statement may begin. The same rules apply to a script, to standard input and to the prompt,
//! so that input of the prompt can be put into a file.
//!
//! Standard input is run as it comes: a program may write a statement, read the result, and then write
//! the next.

pub(crate) mod server;

use crate::commands::{self, modules};
use crate::errors::{Failure, Origin};
use crate::shell::{Flow, Shell};
use crate::tokens;
use mainstay_types::{Code, Error};
use std::io::{self, BufRead};
use std::path::Path;

/// A piece of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    /// A statement, without its semicolon.
    Statement(&'t str),
    /// The line of a command.
    Command(&'t str),
}

/// A piece and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found<'t> {
    pub(crate) piece: Piece<'t>,
    /// Where it starts.
    pub(crate) start: usize,
    /// Where to look for the next.
    pub(crate) next: usize,
    /// True if a semicolon or the end of a command's line is there.
    pub(crate) ended: bool,
}

/// The first piece from byte `at` on; nothing when there is only blank text.
pub(crate) fn next_piece(text: &str, at: usize) -> Option<Found<'_>> {
    let is_skipped = |token: &tokens::Token| token.is_blank() || token.text(text) == ";";
    let start = tokens::tokens(text, at).find(|token| !is_skipped(token))?.range.start;
    let line_end = text[start..].find('\n').map_or(text.len(), |length| start + length);
    let line = text[start..line_end].trim_end();
    if line.trim_end_matches(';').trim_end().eq_ignore_ascii_case(modules::BEGIN) {
        let (next, ended) = block_end(text, line_end);
        return Some(Found { piece: Piece::Command(text[start..next].trim_end()), start, next, ended });
    }
    if commands::is_command(line) {
        let ended = line_end < text.len();
        return Some(Found { piece: Piece::Command(line), start, next: line_end, ended });
    }
    let end = tokens::statement_end(text, start);
    let next = end.unwrap_or(text.len());
    let statement = text[start..end.map_or(next, |end| end - 1)].trim_end();
    Some(Found { piece: Piece::Statement(statement), start, next, ended: end.is_some() })
}

/// Where the lines of T-SQL behind this one end, and whether their end is there.
fn block_end(text: &str, at: usize) -> (usize, bool) {
    let mut next = at;
    for line in text[at..].split_inclusive('\n') {
        next += line.len();
        if line.trim().eq_ignore_ascii_case(modules::END) {
            return (next, true);
        }
    }
    (next, false)
}

/// Returns true if everything typed so far can be run: the prompt asks for another line otherwise.
pub(crate) fn is_complete(text: &str) -> bool {
    let mut at = 0;
    while let Some(found) = next_piece(text, at) {
        let is_block = matches!(found.piece, Piece::Command(line) if line.contains('\n') || line.eq_ignore_ascii_case(modules::BEGIN));
        if !found.ended && (is_block || matches!(found.piece, Piece::Statement(_))) {
            return false;
        }
        at = found.next;
    }
    tokens::tokens(text, at).all(|token| token.closed)
}

/// Runs all pieces of a text.
pub(crate) fn run(shell: &mut Shell, text: &str, origin: &Origin) -> Result<Flow, Failure> {
    if shell.is_all_remote {
        return server::run(shell, text, origin);
    }
    let mut at = 0;
    let mut failed = false;
    // The place of each piece is counted on from the one before: scripts may have many thousands.
    let (mut place, mut counted) = (origin.at("", 0), 0);
    while let Some(found) = next_piece(text, at) {
        at = found.next;
        place = place.at(&text[counted..], found.start - counted);
        counted = found.start;
        match run_piece(shell, &found.piece, &place) {
            Ok(Flow::Continue) => {}
            Ok(Flow::Quit) => return if failed { Err(Failure::Reported) } else { Ok(Flow::Quit) },
            Err(Failure::Reported) if shell.goes_on() => failed = true,
            Err(failure) => return Err(failure),
        }
    }
    if failed { Err(Failure::Reported) } else { Ok(Flow::Continue) }
}

/// Runs a piece, and tells the person what went wrong with it.
fn run_piece(shell: &mut Shell, piece: &Piece<'_>, origin: &Origin) -> Result<Flow, Failure> {
    let (Piece::Statement(text) | Piece::Command(text)) = piece;
    shell.echo(text)?;
    let done = match piece {
        Piece::Statement(text) => shell.run_statement(text).map(|()| Flow::Continue),
        Piece::Command(line) => commands::run(shell, line),
    };
    done.map_err(|failure| shell.report(failure, text, origin)).and_then(|flow| shell.stop_behind(flow))
}

/// Runs standard input as it comes.
pub(crate) fn run_stream(shell: &mut Shell, mut input: impl BufRead) -> Result<Flow, Failure> {
    let mut origin = Origin::default();
    let mut text = String::new();
    let mut failed = false;
    loop {
        let before = text.len();
        let at_end = read_line(&mut input, &mut text).map_err(|error| shell.report(error, "", &origin))?;
        // Only a semicolon or a line at the start of a statement can complete anything.
        let ends_block = text[before..].trim().eq_ignore_ascii_case(modules::END);
        let may_run = at_end || ends_block || text[before..].contains(';') || text[..before].trim().is_empty();
        let runs = match shell.is_all_remote {
            true => server::is_at_go(&text),
            false => may_run && is_complete(&text),
        };
        if !(at_end || runs) {
            continue;
        }
        match run(shell, &text, &origin) {
            Ok(Flow::Continue) => {}
            Err(Failure::Reported) if shell.goes_on() => failed = true,
            other => return other,
        }
        if at_end {
            return if failed { Err(Failure::Reported) } else { Ok(Flow::Continue) };
        }
        shell.flush()?;
        origin = origin.at(&text, text.len());
        text.clear();
    }
}

/// Appends a line; says whether the input has ended.
fn read_line(input: &mut impl BufRead, text: &mut String) -> Result<bool, Failure> {
    let mut line = Vec::new();
    let length = input.read_until(b'\n', &mut line).map_err(|error| Failure::Error(Error::from(error)))?;
    text.push_str(&utf8(line)?);
    Ok(length == 0)
}

/// The text of a script, which must be UTF-8.
fn utf8(bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map(|text| text.trim_start_matches('\u{feff}').to_owned()).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("the statements are not UTF-8 (from byte {at})");
        Error::new(Code::InvalidValue, message).hint("save the script as UTF-8")
    })
}

/// Everything that standard input still holds.
pub(crate) fn read_stdin() -> Result<String, Error> {
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::stdin().lock(), &mut bytes)?;
    utf8(bytes)
}

/// The text of a file.
pub(crate) fn read_file(path: &Path) -> Result<String, Error> {
    read_bytes(path).and_then(utf8).map_err(|error| error.at(path.display()))
}

/// The bytes of a file.
#[expect(clippy::disallowed_methods, reason = "a script may come from a pipe, whose length nobody knows")]
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<Piece<'_>> {
        let mut at = 0;
        std::iter::from_fn(|| {
            let found = next_piece(text, at)?;
            at = found.next;
            Some(found.piece)
        })
        .collect()
    }

    #[test]
    fn statements_end_at_semicolons_and_commands_at_lines() {
        let text = "-- first\n.tables\nSELECT 1; SELECT ';'\n;;\nUSE customers\n\\d orders\nSELECT\n.5";
        assert_eq!(
            pieces(text),
            [
                Piece::Command(".tables"),
                Piece::Statement("SELECT 1"),
                Piece::Statement("SELECT ';'"),
                Piece::Command("USE customers"),
                Piece::Command("\\d orders"),
                Piece::Statement("SELECT\n.5"),
            ]
        );
        assert_eq!(pieces(" -- nothing\n ; /* here */ "), []);
    }

    #[test]
    fn lines_of_t_sql_are_one_command() {
        let text = "SELECT 1; \n.tsql\nCREATE PROCEDURE p AS SELECT 1;\nGO\n.end\nSELECT 2;";
        let block = ".tsql\nCREATE PROCEDURE p AS SELECT 1;\nGO\n.end";
        let all = [Piece::Statement("SELECT 1"), Piece::Command(block), Piece::Statement("SELECT 2")];
        assert_eq!(pieces(text), all);
        assert!(!is_complete(".tsql\nSELECT 1;\n") && !is_complete(".tsql") && is_complete(block));
    }

    #[test]
    fn the_prompt_asks_on_until_a_statement_ends() {
        for complete in ["", "  ", "SELECT 1;", ".tables", "use x", "SELECT 1; -- done", "list for a > 1", "? 1+1"] {
            assert!(is_complete(complete), "{complete}");
        }
        for incomplete in ["SELECT 1", "SELECT ';", "SELECT 1; SELECT", "/* open", "usex"] {
            assert!(!is_complete(incomplete), "{incomplete}");
        }
    }
}
