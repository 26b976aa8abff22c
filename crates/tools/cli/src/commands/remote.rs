//! Commands on a server: those about results are local, those that list tables query the server, others are refused
//! with a hint.

use super::words;
use crate::errors::Failure;
use crate::shell::{Flow, Shell};
use mainstay_types::{Code, Error, Value};

/// Commands that have nothing to do with the place of the tables.
const UNCHANGED: [&str; 11] =
    [".mode", ".expanded", ".rows", ".headers", ".null", ".timer", ".export", ".output", ".read", ".help", ".quit"];

/// Others, and the statements of the server that do the same.
const INSTEAD: [(&str, &str); 7] = [
    (".tsql", "everything is T-SQL here: .read FILE runs one"),
    (".explain", "SET SHOWPLAN_TEXT ON shows plans"),
    (".backup", "BACKUP DATABASE name TO DISK = 'file' copies it"),
    (".settings", "SET statements change the session"),
    (".set", "SET statements change the session"),
    (".import", "BULK INSERT table FROM 'file' reads a file of the server"),
    (".dump", "end the server, or run mainstay FOLDER -c .dump on a restored backup"),
];

const TABLES: &str = "SELECT TABLE_SCHEMA AS [schema], TABLE_NAME AS [table], TABLE_TYPE AS [kind] \
                      FROM INFORMATION_SCHEMA.TABLES ORDER BY TABLE_SCHEMA, TABLE_NAME";

const COLUMNS: &str = "SELECT COLUMN_NAME AS [column], DATA_TYPE AS [type], CHARACTER_MAXIMUM_LENGTH AS [length], \
                       NUMERIC_PRECISION AS [precision], NUMERIC_SCALE AS [scale], IS_NULLABLE AS [null], \
                       COLUMN_DEFAULT AS [default] FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = N'{name}'{schema} \
                       ORDER BY TABLE_SCHEMA, ORDINAL_POSITION";

/// Runs a command while the shell is on a server.
pub(super) fn run(shell: &mut Shell, line: &str) -> Result<Flow, Failure> {
    let Some((command, rest)) = super::find(line) else { return Err(super::unknown(line)) };
    let name = command.names.first().copied().unwrap_or_default();
    match name {
        ".tables" => shell.run_remote(TABLES, 0).map(|()| Flow::Continue),
        ".schema" if rest.is_empty() => shell.run_remote(TABLES, 0).map(|()| Flow::Continue),
        ".schema" => schema(shell, rest),
        _ if UNCHANGED.contains(&name) => (command.run)(shell, rest),
        _ => {
            let hint = INSTEAD.iter().find(|(known, _)| *known == name).map(|(_, hint)| *hint);
            let error = Error::new(Code::Unsupported, format!("{name} is for a folder, and this is a server"));
            Err(Failure::Error(error.hint(hint.unwrap_or(".help lists the commands"))))
        }
    }
}

/// The columns of a table or view, or the text of a procedure, function, trigger or view.
fn schema(shell: &mut Shell, argument: &str) -> Result<Flow, Failure> {
    let words = words(argument);
    let Some(full) = words.first() else { return Ok(Flow::Continue) };
    let plain = full.replace(['[', ']'], "");
    let (schema, name) = plain.rsplit_once('.').map_or((None, plain.as_str()), |(schema, name)| (Some(schema), name));
    let quoted = |text: &str| text.replace('\'', "''");
    let filter = schema.map_or(String::new(), |schema| format!(" AND TABLE_SCHEMA = N'{}'", quoted(schema)));
    let text = match &mut shell.remote {
        Some(remote) => {
            let rows = remote.look_up("SELECT OBJECT_DEFINITION(OBJECT_ID(@p1))", &[Value::Text(full.clone())])?;
            rows.into_iter().flatten().find_map(|value| if let Value::Text(text) = value { Some(text) } else { None })
        }
        None => None,
    };
    shell.run_remote(&COLUMNS.replace("{name}", &quoted(name)).replace("{schema}", &filter), 0)?;
    if let Some(text) = text {
        shell.print(&format!("{}\n", text.trim_end()))?;
    }
    Ok(Flow::Continue)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::COMMANDS;

    #[test]
    fn every_name_is_a_command() {
        let known = |name: &&str| COMMANDS.iter().any(|command| command.names[0] == *name);
        assert!(UNCHANGED.iter().all(&known), "{UNCHANGED:?}");
        assert!(INSTEAD.iter().all(|(name, _)| known(name)));
    }
}
