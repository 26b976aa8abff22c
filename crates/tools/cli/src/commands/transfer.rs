//! Commands that import and export files.

use super::request::{Made, Typed};
use super::words;
use crate::errors::{Failure, usage};
use crate::output::Format;
use crate::shell::{Flow, Shell};
use crate::tokens::quote_name;
use mainstay_engine::TableInfo;
use mainstay_types::{Code, Error};
use std::path::{Path, PathBuf};

/// Scripts inside of scripts; a script that runs itself must not end the process.
const DEEPEST: usize = 16;

/// Makes a file a table of this session.
pub(super) fn import(shell: &mut Shell, arguments: &str) -> Result<Flow, Failure> {
    let words = words(arguments);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (file, name) = match words[..] {
        [file] => (file, table_name(Path::new(file))),
        [file, word, name] if word.eq_ignore_ascii_case("as") => (file, name.to_owned()),
        [file, table] => return copy_into(shell, file, table),
        _ => return Err(usage(".import takes FILE, FILE AS NAME or FILE TABLE; a name with blanks goes in quotes")),
    };
    let path = expand_home(file);
    if let Some(known) = shell.session.file_named(&name)?
        && path.canonicalize().ok() != known.canonicalize().ok()
    {
        let message = format!("there is a table {} already: {}", quote_name(&name), known.display());
        return Err(Error::new(Code::Duplicate, message).hint("give it another name with AS").into());
    }
    shell.session.attach(&path, &name)?;
    shell.tell(&format!("{file} is table {}", quote_name(&name)))?;
    Ok(Flow::Continue)
}

/// Copies the rows of a file into a table, which is made if it is not there.
fn copy_into(shell: &mut Shell, file: &str, table: &str) -> Result<Flow, Failure> {
    let path = expand_home(file);
    let known = shell.database.table_names()?;
    let mut taken = (0u32..).map(|number| format!("imported_{number}"));
    let source = taken.find(|name| !known.contains(name)).unwrap_or_default();
    shell.session.attach(&path, &source)?;
    let done = copied(shell, &source, table);
    shell.session.detach(&source);
    let rows = done?;
    shell.tell(&format!("{} from {file} are in {}", crate::output::table::count(rows, "row"), quote_name(table)))?;
    Ok(Flow::Continue)
}

fn copied(shell: &mut Shell, source: &str, table: &str) -> Result<u64, Failure> {
    let columns = |info: &TableInfo| info.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
    let given = columns(&shell.look_up(|session| session.describe(source))?);
    let from = quote_name(source);
    let into = quote_name(table);
    let statement = match shell.look_up(|session| session.describe(table)) {
        Err(error) if error.code() == Code::UnknownTable => format!("CREATE TABLE {into} AS SELECT * FROM {from}"),
        Err(error) => return Err(error.into()),
        Ok(info) => {
            let there = columns(&info);
            let has = |name: &String| there.iter().any(|known| known.eq_ignore_ascii_case(name));
            match given.iter().all(has) {
                true => {
                    let names = given.iter().map(|name| quote_name(name)).collect::<Vec<_>>().join(", ");
                    format!("INSERT INTO {into} ({names}) SELECT {names} FROM {from}")
                }
                false => format!("INSERT INTO {into} SELECT * FROM {from}"),
            }
        }
    };
    let creates = statement.starts_with("CREATE");
    let changed = shell.run_for_count(&statement)?;
    match creates {
        false => Ok(changed),
        true => Ok(shell.look_up(|session| session.describe(table))?.rows.unwrap_or(changed)),
    }
}

fn table_name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// `~/` at the start as the home folder; the prompt has no other shell to do it.
fn expand_home(file: &str) -> PathBuf {
    match (file.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(file),
    }
}

/// Writes a table or the result of a statement to a file.
pub(super) fn export(shell: &mut Shell, arguments: &str) -> Result<Flow, Failure> {
    let (what, file) =
        split_last(arguments).ok_or_else(|| usage(".export takes a table or a statement, and a file"))?;
    let path = expand_home(&file);
    let format = Format::for_file(Path::new(&file))?;
    let made = match what.trim_matches('"') {
        name if !what.contains(char::is_whitespace) || what.starts_with('"') => {
            Made { sql: select_all(shell, name)?, typed: Vec::new() }
        }
        _ => {
            let sql = what.trim_end_matches(';').to_owned();
            let at = arguments.len() - arguments.trim_start().len();
            Made { typed: vec![Typed { start: 0, at, length: sql.len() }], sql }
        }
    };
    shell.export(&made, &path, format)?;
    Ok(Flow::Continue)
}

/// Copies everything that the folder is into one file, or the native tables alone.
pub(super) fn backup(shell: &mut Shell, arguments: &str) -> Result<Flow, Failure> {
    let words = words(arguments);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (file, native_only) = match words[..] {
        ["--native-only", file] | [file, "--native-only"] => (file, true),
        [file] => (file, false),
        _ => return Err(usage(".backup takes a file, and --native-only for the native tables alone")),
    };
    for line in crate::backup::take(&shell.database, &expand_home(file), native_only, crate::backup::WAIT)? {
        shell.tell(&line)?;
    }
    Ok(Flow::Continue)
}

/// The statement for a whole table, under the name that the catalog has for it.
pub(super) fn select_all(shell: &Shell, name: &str) -> Result<String, Failure> {
    let name = shell.database.describe(name).map_or_else(|_| name.to_owned(), |table| table.name);
    Ok(format!("SELECT * FROM {}", quote_name(&name)))
}

/// The last word, which may be in quotes, and what stands before it.
fn split_last(arguments: &str) -> Option<(&str, String)> {
    let last = words(arguments).pop()?;
    let in_quotes = arguments.trim_end().ends_with(['\'', '"']);
    let length = last.len() + if in_quotes { 2 } else { 0 };
    let before = arguments.trim_end();
    let before = before.get(..before.len().checked_sub(length)?)?.trim();
    (!before.is_empty()).then_some((before, last))
}

/// Sends results to a file, or back to the screen.
pub(super) fn output(shell: &mut Shell, argument: &str) -> Result<Flow, Failure> {
    match words(argument).first() {
        None => shell.finish_output()?,
        Some(file) => shell.write_to(&expand_home(file), None)?,
    }
    Ok(Flow::Continue)
}

/// Runs a file.
pub(super) fn read(shell: &mut Shell, argument: &str) -> Result<Flow, Failure> {
    let words = words(argument);
    let [file] = words.as_slice() else { return Err(usage(".read takes one file")) };
    if shell.depth == DEEPEST {
        return Err(usage(format!("scripts run each other more than {DEEPEST} deep")));
    }
    shell.depth += 1;
    let done = crate::run_file(shell, &expand_home(file));
    shell.depth -= 1;
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_the_last_word() {
        assert_eq!(split_last("orders out.csv"), Some(("orders", "out.csv".to_owned())));
        assert_eq!(
            split_last("SELECT 'a b' FROM t 'my file.csv'"),
            Some(("SELECT 'a b' FROM t", "my file.csv".to_owned()))
        );
        assert_eq!(split_last("orders"), None);
        assert_eq!(split_last(""), None);
    }
}
