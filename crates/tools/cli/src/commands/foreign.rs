//! xBase commands that the prompt does not support: refused with an alternative, instead of being taken for the first
//! line of a statement.

use crate::errors::Failure;
use crate::shell::Shell;
use crate::tokens::quote_name;
use mainstay_types::{Code, Error};

/// A verb, the words one of which follows it (none: it stands alone, or anything follows), and the hint. `{table}` is the table in
/// use, `{record}` the number of the current record.
struct Verb {
    words: &'static str,
    follows: Follows,
    hint: &'static str,
}

/// The text behind a verb.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follows {
    /// Anything, or nothing.
    Anything,
    /// Nothing: with a table behind it, it is a statement of SQL.
    Nothing,
    /// Nothing, or a scope of xBase: what follows in SQL is FROM or a table.
    Scope,
}

/// Words that begin a scope.
const SCOPES: [&str; 6] = ["ALL", "NEXT", "RECORD", "REST", "FOR", "WHILE"];

const fn verb(words: &'static str, follows: Follows, hint: &'static str) -> Verb {
    Verb { words, follows, hint }
}

const VERBS: [Verb; 31] = [
    verb("REPLACE", Follows::Anything, "write UPDATE {table} SET field = value WHERE _recno = {record}"),
    verb("SEEK", Follows::Anything, "write SELECT * FROM {table} WHERE field = value: the index is found and used"),
    verb("FIND", Follows::Anything, "write SELECT * FROM {table} WHERE field = value: the index is found and used"),
    verb("LOCATE", Follows::Anything, "write LIST FOR condition"),
    verb("CONTINUE", Follows::Nothing, "write LIST FOR condition"),
    verb("APPEND FROM", Follows::Anything, ".import FILE, and INSERT INTO {table} SELECT * FROM file"),
    verb("APPEND", Follows::Anything, "write INSERT INTO {table} (field, ...) VALUES (value, ...)"),
    verb("DELETE", Follows::Scope, "write DELETE FROM {table} WHERE _recno = {record}"),
    verb("RECALL", Follows::Anything, "SET DELETED OFF lists deleted records; a program takes them back"),
    verb("PACK", Follows::Nothing, "write PACK {table};"),
    verb("ZAP", Follows::Nothing, "write ZAP {table};"),
    verb("REINDEX", Follows::Nothing, "write REINDEX {table};"),
    verb("INDEX ON", Follows::Anything, "write CREATE INDEX name ON {table} (field)"),
    verb("SET ORDER", Follows::Anything, "write SELECT * FROM {table} ORDER BY field: an index in this order is used"),
    verb("SET INDEX", Follows::Anything, "indexes beside the table are found; .schema {table} lists them"),
    verb("SET FILTER", Follows::Anything, "write LIST FOR condition, or SELECT * FROM {table} WHERE condition"),
    verb("SET RELATION", Follows::Anything, "write SELECT ... FROM {table} JOIN other ON ..."),
    verb(
        "SET EXACT",
        Follows::Anything,
        "in SQL, = compares whole texts without trailing blanks, and LIKE 'x%' the start",
    ),
    verb("SET EXCLUSIVE", Follows::Anything, "tables are shared; a statement locks what it changes"),
    verb("COPY TO", Follows::Anything, "write .export {table} FILE"),
    verb(
        "COPY STRUCTURE",
        Follows::Anything,
        "write CREATE TABLE new WITH (FORMAT = dbf) AS SELECT * FROM {table} LIMIT 0",
    ),
    verb("SORT TO", Follows::Anything, "write .export \"SELECT * FROM {table} ORDER BY field\" FILE"),
    verb("SORT ON", Follows::Anything, "write .export \"SELECT * FROM {table} ORDER BY field\" FILE"),
    verb("SUM", Follows::Anything, "write SELECT SUM(field) FROM {table}"),
    verb("AVERAGE", Follows::Anything, "write SELECT AVG(field) FROM {table}"),
    verb("EDIT", Follows::Anything, "write UPDATE {table} SET field = value WHERE _recno = {record}"),
    verb("CHANGE", Follows::Anything, "write UPDATE {table} SET field = value WHERE _recno = {record}"),
    verb("MODIFY STRUCTURE", Follows::Anything, "write ALTER TABLE {table} ADD field CHAR(10)"),
    verb("STORE", Follows::Anything, "the prompt has no variables; ? shows the value of an expression"),
    verb("CLOSE", Follows::Anything, "write USE without a name"),
    verb("CLEAR", Follows::Anything, "Ctrl-L clears the screen"),
];

/// The text behind the words, if a line begins with them.
fn after<'l>(line: &'l str, words: &str) -> Option<&'l str> {
    let mut rest = line.trim();
    for word in words.split(' ') {
        let (typed, behind) = rest.split_at_checked(word.len())?;
        let ends = behind.chars().next().is_none_or(char::is_whitespace);
        if !typed.eq_ignore_ascii_case(word) || !ends {
            return None;
        }
        rest = behind.trim_start();
    }
    Some(rest)
}

fn find(line: &str) -> Option<&'static Verb> {
    let line = line.trim().trim_end_matches(';').trim_end();
    VERBS.iter().find(|verb| {
        let Some(rest) = after(line, verb.words) else { return false };
        match verb.follows {
            Follows::Anything => !rest.starts_with(['=', '(']),
            Follows::Nothing => rest.is_empty(),
            Follows::Scope => rest.is_empty() || SCOPES.iter().any(|scope| after(rest, scope).is_some()),
        }
    })
}

/// True if a line begins with such words.
pub(super) fn is_foreign(line: &str) -> bool {
    find(line).is_some()
}

/// The error of such a line; `None` for any other.
pub(super) fn refusal(shell: &Shell, line: &str) -> Option<Failure> {
    let verb = find(line)?;
    let (table, record) = match &shell.area {
        Some(area) => (quote_name(&area.table), area.record.to_string()),
        None => ("table".to_owned(), "number".to_owned()),
    };
    let hint = verb.hint.replace("{table}", &table).replace("{record}", &record);
    let error = Error::new(Code::Unsupported, format!("{} is not done here", verb.words));
    Some(Failure::Error(error.span(0, verb.words.len()).hint(hint)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_told_from_statements() {
        let foreign = [
            "REPLACE city WITH 'Wien'",
            "pack",
            "SEEK 'x'",
            "append blank",
            "DELETE",
            "delete for x = 1",
            "Delete next 5",
            "INDEX ON name TO x",
            "set order to 1",
            "copy to x.dbf",
            "sum amount",
        ];
        for line in foreign {
            assert!(is_foreign(line), "{line}");
        }
        let others = [
            "DELETE FROM t",
            "PACK customers",
            "REINDEX TABLE t",
            "SET timeout = 5",
            "CREATE INDEX i ON t (a)",
            "SELECT 1",
            "sums",
            "COPY t",
            "UPDATE t SET a = 1",
        ];
        for line in others {
            assert!(!is_foreign(line), "{line}");
        }
    }
}
