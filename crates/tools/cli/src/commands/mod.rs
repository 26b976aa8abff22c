//! The commands beside SQL: dot commands, psql's backslash commands, and xBase commands.
//!
//! All of them are in one table ([`COMMANDS`]); the look-up of a command, its help and the completion of its name and
//! argument follow from its row. The three families differ in how a name is matched:
//!
//! - `.tables`: the name, or so much of it that only one command is left;
//! - `\dt`: exactly the name;
//! - `LIST STRUCTURE`: words in any case, each cut to four letters or more if one likes, as every xBase
//!   takes them.
//!
//! No statement of SQL starts like that, so nothing has to be escaped.

mod browse;
mod catalog;
mod condition;
mod definitions;
mod foreign;
pub(crate) mod modules;
mod remote;
pub(crate) mod request;
mod settings;
mod structure;
mod transfer;
pub(crate) mod xbase;

use crate::errors::{Failure, nearest, usage};
use crate::shell::{Flow, Shell};
use mainstay_types::{Code, Error};
use std::fmt::Write;

/// The kind of an argument, for completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    Table,
    File,
    Format,
    OnOff,
    Command,
    Setting,
    Sql,
}

type Run = fn(&mut Shell, &str) -> Result<Flow, Failure>;

/// A row of the table.
pub(crate) struct Command {
    /// The name, then its aliases.
    pub(crate) names: &'static [&'static str],
    /// The arguments as help shows them.
    pub(crate) arguments: &'static str,
    /// One line for the list.
    pub(crate) summary: &'static str,
    /// More for `.help COMMAND`; may be empty.
    details: &'static str,
    pub(crate) takes: Takes,
    run: Run,
}

macro_rules! commands {
    ($($names:tt $arguments:literal, $takes:ident, $run:path, $summary:literal $(, $details:literal)?;)*) => {
        &[$(Command {
            names: &$names, arguments: $arguments, summary: $summary, details: concat!($($details)?),
            takes: Takes::$takes, run: $run,
        },)*]
    };
}

/// Every command, in the order in which help lists them.
pub(crate) const COMMANDS: &[Command] = commands! {
    [".tables", "\\dt", "\\d+"] "", Nothing, catalog::tables, "list the tables";
    [".schema", "\\d"] "[TABLE]", Table, catalog::schema, "show the columns and indexes of a table",
        "Without a table it lists the tables. An index that cannot be used says why. Of a native table or a view it
shows the statements that define it: defaults, checks, references, identity, the text of the view. Of a procedure,
function, trigger or view of T-SQL it shows the text.";
    [".explain"] "SQL", Sql, explain, "show how a statement would be run",
        "Shows the plan, and with it which indexes answer the conditions.";
    [".mode"] "[FORMAT]", Format, settings::mode, "choose how results are written",
        "table, csv, tsv, json, ndjson, markdown, line, insert, arrow, parquet or xlsx.";
    [".expanded", "\\x"] "[on|off]", OnOff, settings::expanded, "write one line a column instead of a table";
    [".rows"] "[NUMBER|all]", Nothing, settings::rows, "choose how many rows of a table are shown";
    [".headers", "\\t"] "[on|off]", OnOff, settings::headers, "show the names of the columns";
    [".null"] "[TEXT]", Nothing, settings::null, "choose the text for NULL";
    [".timer", "\\timing"] "[on|off]", OnOff, settings::timer, "print how long each statement takes";
    [".import"] "FILE [[AS] TABLE]", File, transfer::import, "make a file a table of this session, or copy its rows into a table",
        "Takes DBF, ADT, CSV and Parquet. .import FILE [AS NAME] reads the file where it is; nothing is copied.
.import FILE TABLE copies the rows: columns by their names if the table has all of them, else in their order.
A table that is not there is made.";
    [".export"] "TABLE|SQL FILE", Sql, transfer::export, "write a table or a result to a file",
        "The ending says the format: .csv .tsv .json .ndjson .md .sql .arrow .parquet .xlsx .txt";
    [".dump"] "[TABLE]", Table, definitions::dump, "write definitions and rows as statements of SQL",
        "Without a table all native tables, sequences and views, as of one moment, then the procedures, functions,
triggers, views and types of T-SQL between .tsql and .end. .output FILE sends them to a file.
Procedures in files of the folder `procedures` are not in it.";
    [".tsql"] "[FILE]", File, modules::run, "run batches of T-SQL: those of a file, or the lines up to .end",
        "A batch ends at a line with GO. Results look as sqlcmd prints them.";
    [".backup"] "[--native-only] FILE", File, transfer::backup, "copy everything that the folder is into one file",
        "Others go on meanwhile. `mainstay restore FILE FOLDER` makes a folder of it again.
With --native-only it has the native tables, and nothing else.";
    [".output", "\\o"] "[FILE]", File, transfer::output, "send results to a file, or back to the screen",
        "The file gets its name when it is finished: with .output alone, or at the end.";
    [".read", "\\i"] "FILE", File, transfer::read, "run the statements and commands in a file";
    [".settings"] "", Nothing, settings::list, "list the settings of the session";
    [".set"] "[NAME VALUE]", Setting, settings::set, "change a setting of the session";
    [".help", "\\?", "HELP"] "[COMMAND]", Command, help, "show this list, or more about a command";
    [".quit", "\\q", ".exit", "QUIT", "EXIT"] "", Nothing, quit, "leave";
    ["USE"] "[TABLE]", Table, xbase::use_table, "open a table in the work area; without a name, close it",
        "The commands below work on this table. SQL needs no USE.";
    ["BROWSE"] "[TABLE]", Table, xbase::browse, "look through the table on the whole screen",
        "Arrows, PgUp, PgDn, Home and End move, q leaves; the record under the bar becomes the current one.";
    ["LIST STRUCTURE", "DISPLAY STRUCTURE"] "", Nothing, structure::show, "show the fields of the table";
    ["LIST"] "[OFF] [ALL|NEXT n|RECORD n|REST] [FIELDS] [FOR CONDITION] [WHILE CONDITION]", Sql, xbase::list,
        "list records of the table",
        "Fields and conditions are those of xBase: LIST name, DTOC(since) FOR name = 'M' .AND. balance > 5.
A condition may also be that of a WHERE: LIST FOR name LIKE '%AB' OR notes IS NULL.
WHILE goes on from the current record to the first one that is not so. OFF leaves out the record numbers.";
    ["DISPLAY"] "[OFF] [ALL|NEXT n|RECORD n|REST] [FIELDS] [FOR CONDITION] [WHILE CONDITION]", Sql, xbase::display,
        "show the current record, or those that are asked for";
    ["COUNT"] "[ALL|NEXT n|RECORD n|REST] [FOR CONDITION] [WHILE CONDITION]", Sql, xbase::count, "count records of the table";
    ["GO", "GOTO"] "n|TOP|BOTTOM", Nothing, xbase::go, "make another record the current one";
    ["SKIP"] "[n]", Nothing, xbase::skip, "move n records on, or back when n is negative";
    ["DIR"] "", Nothing, catalog::tables, "list the tables";
    ["?"] "EXPRESSION", Sql, xbase::print, "show the value of an expression";
    ["SET DELETED"] "ON|OFF", OnOff, xbase::set_deleted, "hide deleted records (ON) or show them (OFF)";
};

impl Command {
    /// Returns true if it is one of xBase's.
    pub(crate) fn is_xbase(&self) -> bool {
        !self.names[0].starts_with(['.', '\\'])
    }
}

/// Returns true if a line, at a place where a statement may begin, is a command.
pub(crate) fn is_command(line: &str) -> bool {
    starts_like_command(line) || find(line).is_some() || foreign::is_foreign(line)
}

pub(crate) fn starts_like_command(line: &str) -> bool {
    line.starts_with('\\') || line.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic()))
}

/// The command that a line names, and its arguments.
pub(crate) fn find(line: &str) -> Option<(&'static Command, &str)> {
    let line = line.trim().trim_end_matches(';').trim_end();
    match line.chars().next()? {
        '\\' | '.' => {
            let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            Some((find_dotted(name)?, rest.trim()))
        }
        _ => find_words(line),
    }
}

/// By the whole name, or by the start of just one.
fn find_dotted(name: &str) -> Option<&'static Command> {
    let name = name.to_ascii_lowercase();
    if let Some(command) = COMMANDS.iter().find(|command| command.names.contains(&name.as_str())) {
        return Some(command);
    }
    let mut starting = COMMANDS.iter().filter(|command| {
        name.len() > 1 && name.starts_with('.') && command.names.iter().any(|full| full.starts_with(&name))
    });
    starting.next().filter(|_| starting.next().is_none())
}

/// By the words of xBase; the name with the most words wins.
fn find_words(line: &str) -> Option<(&'static Command, &str)> {
    let names = COMMANDS.iter().flat_map(|command| command.names.iter().map(move |name| (command, *name)));
    // Every statement of a script is asked whether it is a command: most differ from all names in the first letter.
    let begins_as =
        |name: &str| name.get(..1).zip(line.get(..1)).is_some_and(|(one, other)| one.eq_ignore_ascii_case(other));
    let matched = names.filter(|(_, name)| begins_as(name)).filter_map(|(command, name)| {
        let rest = after_words(line, name)?;
        Some((name.split(' ').count(), command, rest))
    });
    matched.max_by_key(|(words, ..)| *words).map(|(_, command, rest)| (command, rest))
}

/// The text behind the words of a name, if the line starts with them.
fn after_words<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let mut rest = line;
    for word in name.split(' ') {
        if word == "?" {
            return rest.strip_prefix('?').map(str::trim);
        }
        let (typed, after) = rest.split_at(rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len()));
        let long_enough = typed.len() == word.len() || (4..word.len()).contains(&typed.len());
        let same = word.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed));
        if !long_enough || !same || !after.starts_with(|c: char| c.is_whitespace()) && !after.is_empty() {
            return None;
        }
        rest = after.trim_start();
    }
    Some(rest.trim_end())
}

/// Runs the command in a line.
pub(crate) fn run(shell: &mut Shell, line: &str) -> Result<Flow, Failure> {
    if shell.is_all_remote {
        return remote::run(shell, line);
    }
    match find(line) {
        Some((command, rest)) => (command.run)(shell, rest).map_err(|failure| in_line(failure, line, rest)),
        None => Err(foreign::refusal(shell, line).unwrap_or_else(|| unknown(line))),
    }
}

/// The failure of a command, whose arguments are at the end of a line, with its place in the line. It is of a part of the
/// arguments, or of the name that it is about.
fn in_line(failure: Failure, line: &str, arguments: &str) -> Failure {
    let Failure::Error(error) = failure else { return failure };
    let before = line.trim_end().trim_end_matches(';').trim_end().len().saturating_sub(arguments.len());
    let about = error.subject().or_else(|| error.message().split('"').nth(1)).filter(|name| !name.is_empty());
    let named = |name: &str| arguments.find(name).map(|start| (start, start + name.len()));
    let span = error.text_span().or_else(|| about.and_then(named));
    Failure::Error(match span {
        Some((start, end)) => error.span(before + start, before + end),
        None => error,
    })
}

fn unknown(line: &str) -> Failure {
    let name = line.split_whitespace().next().unwrap_or_default();
    let error = Error::new(Code::Syntax, format!("no command {name}"));
    let names = COMMANDS.iter().flat_map(|command| command.names.iter().copied());
    let family = names.filter(|known| known.starts_with(&name[..name.len().min(1)]));
    let hint = match nearest(name, family) {
        Some(near) => format!("did you mean {near}?"),
        None => ".help lists the commands".to_owned(),
    };
    Failure::Error(error.hint(hint))
}

/// The arguments as words; quotes of either kind hold a word together.
fn words(arguments: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = arguments.trim_start();
    while let Some(first) = rest.chars().next() {
        let quoted =
            matches!(first, '\'' | '"').then(|| rest[1..].find(first).map(|end| (1, end + 1, end + 2))).flatten();
        let plain = || rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (start, end, next) = quoted.unwrap_or_else(|| (0, plain(), plain()));
        words.push(rest[start..end].to_owned());
        rest = rest[next..].trim_start();
    }
    words
}

/// `on` or `off`; without an argument, the other of what is.
fn switch(argument: &str, now: bool) -> Result<bool, Failure> {
    match argument.to_ascii_lowercase().as_str() {
        "" => Ok(!now),
        "on" | "yes" | "true" | "1" => Ok(true),
        "off" | "no" | "false" | "0" => Ok(false),
        other => Err(usage(format!("\"{other}\" is neither on nor off"))),
    }
}

fn explain(shell: &mut Shell, sql: &str) -> Result<Flow, Failure> {
    if sql.is_empty() {
        return Err(usage(".explain needs a statement"));
    }
    shell.run_made(&format!("EXPLAIN {sql}"))
}

fn quit(_: &mut Shell, _: &str) -> Result<Flow, Failure> {
    Ok(Flow::Quit)
}

fn help(shell: &mut Shell, name: &str) -> Result<Flow, Failure> {
    if name.is_empty() {
        shell.print(&overview())?;
        return Ok(Flow::Continue);
    }
    let found = find(name).map(|(command, _)| command).or_else(|| find_dotted(&format!(".{name}")));
    let command = found.ok_or_else(|| unknown(name))?;
    let mut text = format!("{} {}\n  {}\n", command.names[0], command.arguments, command.summary);
    for line in command.details.lines() {
        let _ = writeln!(text, "  {line}");
    }
    if let [_, aliases @ ..] = command.names
        && !aliases.is_empty()
    {
        let _ = writeln!(text, "  also: {}", aliases.join(" "));
    }
    shell.print(&text)?;
    Ok(Flow::Continue)
}

/// The list of all commands.
fn overview() -> String {
    let mut text = String::from("Statements of SQL end with a semicolon. Commands are one line:\n\n");
    for command in COMMANDS {
        if command.names[0] == "USE" {
            text.push_str("\nFor xBase hands, on the table in use:\n\n");
        }
        let short = if command.arguments.len() > 24 { "..." } else { command.arguments };
        let also = command.names[1..].join(" ");
        let _ = writeln!(text, "  {:<28} {:<20} {}", format!("{} {short}", command.names[0]), also, command.summary);
    }
    text.push_str("\nTab completes, Ctrl-R searches the history, Ctrl-C cancels, Ctrl-D leaves.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<(&'static str, &str)> {
        find(line).map(|(command, rest)| (command.names[0], rest))
    }

    #[test]
    fn names_are_found_in_every_family() {
        assert_eq!(found(".tables"), Some((".tables", "")));
        assert_eq!(found(".ti on"), Some((".timer", "on")));
        assert_eq!(found("\\d Orders ;"), Some((".schema", "Orders")));
        assert_eq!(found("use customers"), Some(("USE", "customers")));
        assert_eq!(found("disp stru"), Some(("LIST STRUCTURE", "")));
        assert_eq!(found("LIST name, city FOR x > 1"), Some(("LIST", "name, city FOR x > 1")));
        assert_eq!(found("SET DELE ON"), Some(("SET DELETED", "ON")));
        assert_eq!(found("? 1 + 1"), Some(("?", "1 + 1")));
        assert_eq!(found("?1"), Some(("?", "1")));
    }

    #[test]
    fn sql_is_no_command() {
        for sql in
            ["SELECT 1", "SET x = 1", "LISTEN", "users", "go_on", "us", "lists", ".5", "", "WITH a AS (SELECT 1)"]
        {
            assert!(!is_command(sql), "{sql}");
        }
        assert!(is_command(".nonsense") && found(".nonsense").is_none());
        assert_eq!(found(".s"), None);
    }

    #[test]
    fn quotes_hold_words_together() {
        assert_eq!(words("'my file.csv'  AS \"x y\" z"), ["my file.csv", "AS", "x y", "z"]);
        assert_eq!(words("it's"), ["it's"]);
        assert_eq!(words("'open"), ["'open"]);
    }

    #[test]
    fn no_two_commands_share_a_name() {
        let mut names: Vec<&str> = COMMANDS.iter().flat_map(|command| command.names).copied().collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn the_overview_is_as_its_golden_file() {
        crate::golden::check("commands/help.golden.txt", overview().as_bytes());
    }
}
