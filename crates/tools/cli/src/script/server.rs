//! Text for a server, cut into batches and commands.
//!
//! A batch ends at a line with GO, as in `sqlcmd`; GO with a number runs it so often. At the prompt a semicolon at the
//! end of a line ends it, too, unless the batch begins as a construct that contains semicolons: a procedure, DECLARE,
//! BEGIN, IF, WHILE. A command (`.tables`, `\d`) is one line at the beginning of a batch.

use crate::commands;
use crate::errors::{Failure, Origin};
use crate::shell::{Flow, Shell};
use crate::tokens;
use mainstay_tsql_runtime::batches;

/// Runs all batches and commands of a text.
pub(crate) fn run(shell: &mut Shell, text: &str, origin: &Origin) -> Result<Flow, Failure> {
    let mut failed = false;
    for batch in batches(text) {
        let mut rest = batch.text;
        let mut line = batch.first_line as usize;
        let mut flow = Ok(Flow::Continue);
        while let Some((command, behind, lines)) = leading_command(rest, shell.conduct.interactive) {
            flow = piece(shell, command, origin, true, line);
            (rest, line) = (behind, line + lines);
            if !matches!(flow, Ok(Flow::Continue)) && !goes_on(shell, &flow) {
                break;
            }
            failed |= flow.is_err();
            flow = Ok(Flow::Continue);
        }
        for _ in 0..batch.count {
            if !matches!(flow, Ok(Flow::Continue)) || rest.trim().is_empty() {
                break;
            }
            flow = piece(shell, rest, origin, false, line);
        }
        match flow {
            Ok(Flow::Continue) => {}
            flow if goes_on(shell, &flow) => failed = true,
            Ok(Flow::Quit) => return if failed { Err(Failure::Reported) } else { Ok(Flow::Quit) },
            Err(failure) => return Err(failure),
        }
    }
    if failed { Err(Failure::Reported) } else { Ok(Flow::Continue) }
}

fn goes_on(shell: &Shell, flow: &Result<Flow, Failure>) -> bool {
    matches!(flow, Err(Failure::Reported)) && shell.goes_on()
}

/// Runs a command, or the text of a batch whose first line is this one of the script.
fn piece(shell: &mut Shell, text: &str, origin: &Origin, is_command: bool, first_line: usize) -> Result<Flow, Failure> {
    let text = if is_command { text } else { text.trim_end() };
    shell.echo(text)?;
    let lines_before = origin.lines_before + first_line - 1;
    let done = match is_command {
        true => commands::run(shell, text),
        false => shell.run_remote(text, lines_before).map(|()| Flow::Continue),
    };
    let place = Origin { name: origin.name.clone(), lines_before, columns_before: 0 };
    done.map_err(|failure| shell.report(failure, text, &place)).and_then(|flow| shell.stop_behind(flow))
}

/// The command at the beginning of a text, what follows it, and the lines up to there.
fn leading_command(text: &str, interactive: bool) -> Option<(&str, &str, usize)> {
    let start = text.len() - text.trim_start().len();
    let length = text[start..].find('\n').unwrap_or(text.len() - start);
    let line = text[start..start + length].trim_end();
    is_command(line, interactive).then(|| {
        let end = (start + length + 1).min(text.len());
        (line, &text[end..], text[..end].matches('\n').count())
    })
}

/// True if a line is a command. The words that leave, and HELP, are commands for a person only: `exit` may be an alias.
fn is_command(line: &str, interactive: bool) -> bool {
    let word = line.trim_end_matches(';').trim();
    let leaves = ["exit", "quit", "help"].iter().any(|known| word.eq_ignore_ascii_case(known));
    commands::starts_like_command(line) || interactive && leaves
}

/// True if what was typed can be run: the prompt asks for another line otherwise.
pub(crate) fn is_complete(text: &str) -> bool {
    let Some(last) = text.trim_end().lines().last() else { return true };
    if leading_command(text, true).is_some_and(|(_, rest, _)| rest.trim().is_empty()) || is_at_go(text) {
        return true;
    }
    last.trim_end().ends_with(';') && !has_inner_statements(text) && tokens::tokens(text, 0).all(|token| token.closed)
}

/// True if the last line is a GO: a stream is run up to there. Asked for every line of a stream, and so the line itself is
/// looked at first; a GO in a text or a comment is none.
pub(crate) fn is_at_go(text: &str) -> bool {
    let text = text.trim_end();
    let last_line = &text[text.rfind('\n').map_or(0, |at| at + 1)..];
    let ends = |text: &str| batches(&format!("{text}\nmark")).last().is_some_and(|batch| batch.text.trim() == "mark");
    !last_line.is_empty() && ends(last_line) && ends(text)
}

/// True if semicolons do not end the statement that a text begins with.
fn has_inner_statements(text: &str) -> bool {
    const MODULES: [&str; 4] = ["PROCEDURE", "PROC", "FUNCTION", "TRIGGER"];
    let mut words =
        tokens::tokens(text, 0).filter(|token| !token.is_blank()).map(|token| token.text(text).to_uppercase());
    match words.next().as_deref() {
        Some("DECLARE" | "IF" | "WHILE") => true,
        Some("BEGIN") => !matches!(words.next().as_deref(), Some("TRAN" | "TRANSACTION" | "DISTRIBUTED")),
        Some("CREATE" | "ALTER") => words.take(3).any(|word| MODULES.contains(&word.as_str())),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_knows_where_a_batch_ends() {
        let complete = [
            "",
            "SELECT 1;",
            "SELECT 1\nGO",
            "select 1\ngo 3\n",
            ".tables",
            "\\d t",
            "exit",
            "BEGIN TRAN;",
            "CREATE TABLE t (a INT);",
            "CREATE PROCEDURE p AS SELECT 1;\nGO",
            "SELECT [a;b] FROM t;",
        ];
        for text in complete {
            assert!(is_complete(text), "{text}");
        }
        let incomplete = [
            "SELECT 1",
            "SELECT ';",
            "CREATE PROCEDURE p AS SELECT 1;",
            "CREATE OR ALTER PROC p AS SELECT 1;",
            "DECLARE @a INT = 1;",
            "BEGIN SELECT 1;",
            "IF 1 = 1 SELECT 1;",
            ".tables\nSELECT 1",
            "SELECT '\nGO",
        ];
        for text in incomplete {
            assert!(!is_complete(text), "{text}");
        }
    }

    /// A script of 2 MB without GO, as it comes line by line. Looking at all of it for every line takes minutes.
    #[test]
    fn a_long_stream_without_go_is_looked_at_once() {
        let begun = std::time::Instant::now();
        let mut text = String::new();
        for number in 0..40_000 {
            text.push_str(&format!("INSERT INTO stock (id, name) VALUES ({number}, 'bolt');\n"));
            assert!(!is_at_go(&text));
        }
        text.push_str("SELECT '\nGO\n");
        assert!(!is_at_go(&text));
        text.push_str("'\ngo 2 -- twice\n\n");
        assert!(is_at_go(&text) && begun.elapsed().as_secs() < 10, "{:?}", begun.elapsed());
    }

    #[test]
    fn commands_stand_before_a_batch() {
        let text = "\n.mode csv\n.headers off\nSELECT 1\n";
        let (first, rest, lines) = leading_command(text, false).unwrap();
        assert_eq!((first, lines), (".mode csv", 2));
        let (second, rest, _) = leading_command(rest, false).unwrap();
        assert_eq!((second, rest), (".headers off", "SELECT 1\n"));
        assert!(leading_command(rest, false).is_none());
        assert!(leading_command("exit", false).is_none() && leading_command("exit", true).is_some());
        assert!(is_at_go("SELECT 1\nGO\n") && !is_at_go("SELECT 1\n") && !is_at_go(""));
    }
}
