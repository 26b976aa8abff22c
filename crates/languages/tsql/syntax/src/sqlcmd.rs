//! Commands to sqlcmd in scripts: variables, other files, and the reaction to errors.
//!
//! ```text
//!   :setvar Table "Orders"            :r setup.sql            :on error exit
//!   SELECT * FROM $(Table)
//! ```
//!
//! A command is a line of its own that begins with a colon. `$(name)` stands for the variable's text anywhere, in strings as
//! well; an undefined one ends the script, but only if the script defines any: other scripts may contain a literal
//! `$(`. `:exit`, `:quit`, `:out`, `:error`, `:list`, `:reset` and the like are ignored; `!!` is not a command here.
//! (sqlcmd's reference, "sqlcmd commands" and "Use sqlcmd with scripting variables".)

use std::collections::BTreeMap;

/// Files that are read within files, no deeper than this.
const DEPTH: usize = 32;
/// Commands that change nothing that is seen here.
const PASSED_OVER: [&str; 12] =
    ["connect", "ed", "error", "exit", "help", "list", "listvar", "out", "perftrace", "quit", "reset", "serverlist"];

/// A part of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Batches.
    Text(String),
    /// True if an error ends the script, from here on.
    EndsOnError(bool),
}

/// The variables, by their names in lower case.
pub type Variables = BTreeMap<String, String>;

/// The parts of a script, with the files that it reads and the values of its variables. `read` gives a file's text.
///
/// Errors: a text that says which variable or file there is not.
pub fn pieces(
    script: &str,
    variables: &mut Variables,
    read: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Vec<Piece>, String> {
    let mut found = Vec::new();
    gather(script, variables, read, 0, &mut found)?;
    Ok(found)
}

fn gather(
    script: &str,
    variables: &mut Variables,
    read: &dyn Fn(&str) -> Result<String, String>,
    depth: usize,
    found: &mut Vec<Piece>,
) -> Result<(), String> {
    for line in script.split_inclusive('\n') {
        let Some((command, rest)) = command(line) else {
            let line = substituted(line, variables)?;
            match found.last_mut() {
                Some(Piece::Text(text)) => text.push_str(&line),
                _ => found.push(Piece::Text(line)),
            }
            continue;
        };
        let rest = substituted(rest, variables)?;
        match command.as_str() {
            "setvar" => {
                let (name, value) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
                match unquoted(value.trim()) {
                    "" => drop(variables.remove(&name.to_lowercase())),
                    value => drop(variables.insert(name.to_lowercase(), value.to_owned())),
                }
            }
            "on" => {
                let ends = rest.to_ascii_lowercase().contains("exit");
                found.push(Piece::EndsOnError(ends));
            }
            "r" if depth < DEPTH => {
                let text = read(unquoted(rest.trim()))?;
                gather(&text, variables, read, depth + 1, found)?;
            }
            "r" => return Err(format!("files are read within files more than {DEPTH} deep")),
            _ => {}
        }
        // The lines of a batch are counted with its commands.
        if let Some(Piece::Text(text)) = found.last_mut() {
            text.push('\n');
        }
    }
    Ok(())
}

/// A script for tools that only examine it: commands become empty lines, files that it reads are left out, and the
/// variables that it sets stand for their texts. One that is not set, and is to be given on the command line, stands
/// for its own name.
pub fn without_commands(script: &str) -> String {
    let mut variables = Variables::new();
    let mut out = String::new();
    for line in script.split_inclusive('\n') {
        match command(line) {
            Some((name, rest)) => {
                if let ("setvar", Some((name, value))) = (name.as_str(), rest.trim().split_once(char::is_whitespace)) {
                    variables.insert(name.to_lowercase(), unquoted(value.trim()).to_owned());
                }
                out.push_str(if line.ends_with('\n') { "\n" } else { "" });
            }
            None => out.push_str(&with_names(line, &variables)),
        }
    }
    out
}

/// A text with the values of its variables, and the names of those that have none.
fn with_names(text: &str, variables: &Variables) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("$(") {
        out.push_str(before);
        match behind.split_once(')').filter(|(name, _)| is_name(name)) {
            Some((name, after)) => {
                out.push_str(variables.get(&name.to_lowercase()).map_or(name, String::as_str));
                rest = after;
            }
            None => {
                out.push_str("$(");
                rest = behind;
            }
        }
    }
    out + rest
}

/// A line that is a command: its name in lower case, and what follows.
fn command(line: &str) -> Option<(String, &str)> {
    let rest = line.trim_start().strip_prefix(':')?;
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let name = name.to_ascii_lowercase();
    let is_known = ["setvar", "on", "r"].contains(&name.as_str()) || PASSED_OVER.contains(&name.as_str());
    (is_known && !rest.starts_with(':')).then_some((name, rest))
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// A text with the values of its variables.
fn substituted(text: &str, variables: &Variables) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("$(") {
        out.push_str(before);
        let name = behind.split_once(')').filter(|(name, _)| is_name(name));
        match name {
            Some((name, after)) if !variables.is_empty() => {
                let value = variables.get(&name.to_lowercase());
                out.push_str(value.ok_or_else(|| format!("'{name}' scripting variable not defined."))?);
                rest = after;
            }
            _ => {
                out.push_str("$(");
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    Ok(out)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &str) -> Result<String, String> {
        match file {
            "in.sql" => Ok("SELECT '$(Name)'\n".to_owned()),
            "round.sql" => Ok(":r round.sql\n".to_owned()),
            _ => Err(format!("no {file}")),
        }
    }

    fn run(script: &str) -> Result<Vec<Piece>, String> {
        pieces(script, &mut Variables::new(), &read)
    }

    fn text(text: &str) -> Piece {
        Piece::Text(text.to_owned())
    }

    #[test]
    fn variables_stand_for_their_texts_from_where_they_are_set() {
        let script =
            "SELECT '$(x)'\n:setvar Name \"two words\"\n:on error exit\n:r in.sql\n:setvar Name b\nGO $(NAME)\n";
        let wanted = [text("SELECT '$(x)'\n\n"), Piece::EndsOnError(true), text("SELECT 'two words'\n\n\nGO b\n")];
        assert_eq!(run(script), Ok(wanted.to_vec()));
    }

    #[test]
    fn lines_stay_where_they_are_without_commands() {
        let script = ":setvar db \"my shop\"\n:r other.sql\nUSE [$(db)]\nSELECT '$(later)'\n:on error exit";
        assert_eq!(without_commands(script), "\n\nUSE [my shop]\nSELECT 'later'\n");
    }

    #[test]
    fn what_is_not_there_is_said() {
        assert_eq!(run(":setvar a 1\nSELECT $(b)\n"), Err("'b' scripting variable not defined.".to_owned()));
        assert_eq!(run(":r \"out.sql\"\n"), Err("no out.sql".to_owned()));
        assert!(run(":r round.sql\n").is_err());
        // No commands, and no variables.
        let script = "SELECT geography::Point\n::x\n:unknown\nSELECT '$(a b)', '$('\n";
        assert_eq!(run(script), Ok(vec![text(script)]));
    }
}
