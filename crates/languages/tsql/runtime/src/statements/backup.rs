//! BACKUP DATABASE ... TO DISK: the native tables of the folder in one file, while others go on.
//!
//! The file is of a format of our own (docs/formats/backup.md) and is read by `mainstay restore`. One file holds one backup:
//! another one into the same file replaces it, which SQL Server does WITH INIT. It is below the folder of the database: whoever
//! may log in would else write files all over the machine (3201); `.backup` of the command writes anywhere. For the same reason
//! its name is none that means something to Mainstay: no settings, no procedure, no table and nothing that belongs to one.
//! Other options are accepted. DBF, CSV and Parquet files are not in it: they are files, and copied as such. Limits: one DISK;
//! DIFFERENTIAL and LOG are refused.

use crate::session::Inner;
use crate::statements::errors::raised;
use mainstay_tsql_syntax::reduce;
use mainstay_tsql_syntax::tree::{Literal, PhraseItem, Words};
use mainstay_tsql_types::Message;
use mainstay_types::Error;
use mainstay_vfs::client_path;
use mainstay_vm::Raised;
use std::path::{Component, Path, PathBuf};
use std::time::Instant;

/// 3201.
fn cannot_open(file: &str, error: &Error) -> Box<Raised> {
    let text = format!("Cannot open backup device '{file}'. Operating system error: {error}.");
    raised(Message::error(3201, text))
}

/// The extensions that Mainstay, or a program that shares its folder, gives a meaning: tables, memos and indexes, data
/// dictionaries and database containers, procedures, settings, and what is kept beside tables.
const TAKEN: [&str; 30] = [
    "adi", "adm", "adt", "add", "ai", "am", "cdx", "cpg", "csv", "dbc", "dbf", "dbt", "dct", "dcx", "fpt", "idx",
    "link", "mdx", "ndx", "new", "ntx", "parquet", "prj", "shp", "shx", "smt", "sql", "stale", "toml", "tsv",
];

/// The folder of the procedures that are files.
const PROCEDURES: &str = "procedures";

/// The path of a backup that a client names; `None` where it may not be.
fn backup_path(folder: &Path, named: &str) -> Option<PathBuf> {
    let path = client_path(folder, named)?;
    let below = path.strip_prefix(folder).ok()?;
    let extension = below.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let first = below.components().find(|part| !matches!(part, Component::CurDir))?;
    let is_of_procedures = first.as_os_str().eq_ignore_ascii_case(PROCEDURES);
    (!is_of_procedures && !TAKEN.contains(&extension.as_str())).then_some(path)
}

/// The file of the only `DISK = '...'`.
fn disk(rest: &[PhraseItem]) -> Option<&str> {
    let mut files = rest.windows(3).filter_map(|items| match items {
        [PhraseItem::Word(word), PhraseItem::Symbol(equals), PhraseItem::Literal(Literal::String(file))]
            if word.is("DISK") && equals == "=" =>
        {
            Some(file.as_str())
        }
        _ => None,
    });
    files.next().filter(|_| files.next().is_none())
}

impl Inner {
    /// Makes the backup, and says what a client is told of it. A relative name is one below the database's folder.
    ///
    /// Errors: 3021 in a transaction, 3201 where the file cannot be written.
    pub(crate) fn backup(&mut self, words: &Words) -> Result<Message, Box<Raised>> {
        if self.state.transactions > 0 {
            let text = "Cannot perform a backup or restore operation within a transaction.";
            return Err(raised(Message::error(3021, text)));
        }
        let is_partial = |item: &PhraseItem| matches!(item, PhraseItem::Word(word) if word.is("DIFFERENTIAL"));
        if words.rest.iter().any(is_partial) {
            return Err(raised(reduce::not_supported("BACKUP DATABASE WITH DIFFERENTIAL")));
        }
        let Some(file) = disk(&words.rest) else {
            return Err(raised(reduce::not_supported("BACKUP DATABASE to anything but one DISK = 'file'")));
        };
        let begun = Instant::now();
        let database = &self.instance.database;
        let Some(path) = backup_path(database.path(), file) else {
            let text = format!(
                "Cannot open backup device '{file}'. Operating system error 5(Access is denied: backups are made below the \
                 folder of the database only, under no name of a table, a procedure or the server's own files: use one \
                 that ends in .bak.)."
            );
            return Err(raised(Message::error(3201, text)));
        };
        database.backup(&path).map_err(|error| cannot_open(file, &error))?;
        let text = format!("BACKUP DATABASE successfully processed in {:.3} seconds.", begun.elapsed().as_secs_f64());
        Ok(Message { number: 3014, severity: 0, state: 1, text, procedure: None, line: 0 })
    }
}
