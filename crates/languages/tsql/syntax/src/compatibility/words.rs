//! Rows of statements that the parser keeps as words: definitions of the server, backups, messages.

use super::constructs as rows;
use crate::tree::{PhraseItem, Words};
use mainstay_types::compatibility::Construct;

/// Definitions that are carried out by doing nothing.
pub const ACCEPTED_DEFINITIONS: [&str; 4] =
    ["ALTER DATABASE SCOPED CONFIGURATION", "CREATE DATABASE", "CREATE PARTITION FUNCTION", "CREATE PARTITION SCHEME"];

/// Statements about users, logins and roles: answered with a warning that they have no effect.
pub const PRINCIPALS: [&str; 6] =
    ["CREATE ROLE", "ALTER ROLE", "CREATE USER", "ALTER USER", "CREATE LOGIN", "ALTER LOGIN"];

/// Kinds that DROP knows.
const DROPPED: [&str; 15] = [
    "TABLE",
    "VIEW",
    "SEQUENCE",
    "SCHEMA",
    "INDEX",
    "PROCEDURE",
    "PROC",
    "FUNCTION",
    "TRIGGER",
    "TYPE",
    "SYNONYM",
    "USER",
    "ROLE",
    "LOGIN",
    "DATABASE",
];

/// Statements and kinds of the Service Broker.
const MESSAGES: [&str; 13] = [
    "SEND",
    "RECEIVE",
    "WAITFOR",
    "BEGIN DIALOG",
    "BEGIN CONVERSATION",
    "END CONVERSATION",
    "GET CONVERSATION",
    "MOVE CONVERSATION",
    "QUEUE",
    "SERVICE",
    "MESSAGE TYPE",
    "CONTRACT",
    "EVENT NOTIFICATION",
];

/// The row of a statement of words; `None` where it works.
pub(super) fn row(words: &Words) -> Option<&'static Construct> {
    let verb = words.verb.as_str();
    let says = |word: &str| words.rest.iter().any(|item| has_word(item, word));
    match verb {
        "ALTER SCHEMA" | "INSERT BULK" => None,
        "BACKUP DATABASE" => says("DIFFERENTIAL").then_some(&rows::BACKUP),
        "RESTORE" if ["VERIFYONLY", "HEADERONLY", "FILELISTONLY"].iter().any(|form| says(form)) => None,
        "BACKUP" | "BACKUP LOG" | "RESTORE" | "RESTORE DATABASE" | "RESTORE LOG" => Some(&rows::BACKUP),
        "ALTER DATABASE" if says("RECURSIVE_TRIGGERS") => None,
        "ALTER DATABASE" => Some(&rows::DATABASE),
        verb if ACCEPTED_DEFINITIONS.contains(&verb) => Some(&rows::DATABASE),
        verb if PRINCIPALS.contains(&verb) => Some(&rows::PRINCIPAL),
        verb => {
            let kind = verb.strip_prefix("CREATE ").or_else(|| verb.strip_prefix("ALTER ")).unwrap_or(verb);
            Some(row_of_kind(kind))
        }
    }
}

/// The row of DROP of a kind; `None` where it works.
pub(super) fn row_of_drop(kind: &str) -> Option<&'static Construct> {
    (!DROPPED.contains(&kind)).then(|| row_of_kind(kind))
}

fn row_of_kind(kind: &str) -> &'static Construct {
    match kind {
        kind if MESSAGES.contains(&kind) => &rows::SERVICE_BROKER,
        "FULLTEXT INDEX" | "FULLTEXT CATALOG" => &rows::FULL_TEXT,
        "XML SCHEMA COLLECTION" | "PRIMARY XML INDEX" | "XML INDEX" | "SPATIAL INDEX" => &rows::XML_SCHEMA,
        "ASSEMBLY" | "AGGREGATE" => &rows::CLR,
        _ => &rows::DEFINITION,
    }
}

fn has_word(item: &PhraseItem, word: &str) -> bool {
    match item {
        PhraseItem::Word(name) => name.is(word),
        PhraseItem::Group(phrases) => phrases.iter().flat_map(|phrase| &phrase.items).any(|item| has_word(item, word)),
        _ => false,
    }
}
