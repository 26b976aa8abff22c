//! BACKUP DATABASE ... TO DISK and RESTORE VERIFYONLY, HEADERONLY, FILELISTONLY.
//!
//! A backup contains the whole folder, consistently and while other sessions continue (`mainstay_engine::backup`), in a
//! file of our own format (docs/formats/backup.md). `mainstay restore` makes a folder of it; RESTORE DATABASE is
//! refused with that hint, since an open database is not replaced. One file contains one backup: another one into the
//! same file replaces it, which SQL Server does WITH INIT.
//!
//! The file is below the folder of the database, or below the folder that `backup_folder` in the settings names:
//! otherwise any user who may log in could write files anywhere on the machine (3201); the command writes anywhere. For
//! the same reason its name must have no meaning to Mainstay: no settings, no procedure, no table and no file that
//! belongs to one. Other options are accepted. Limits: one DISK; DIFFERENTIAL and LOG are refused.

use crate::columns::Column;
use crate::session::Inner;
use crate::statements::errors::raised;
use crate::statements::runner::Runner;
use mainstay_engine::Database;
use mainstay_engine::backup::{self, Contents, FileKind};
use mainstay_tsql_syntax::reduce;
use mainstay_tsql_syntax::tree::{Literal, PhraseItem, Words};
use mainstay_tsql_types::{DataType, Length, Message};
use mainstay_types::{Code, Error, Timestamp, Value};
use mainstay_vfs::client_path;
use mainstay_vm::Raised;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The longest wait of BACKUP DATABASE for the locks of a DBF table.
const WAIT: Duration = Duration::from_secs(30);

/// 3201.
fn cannot_open(file: &str, error: &Error) -> Box<Raised> {
    let text = format!("Cannot open backup device '{file}'. Operating system error: {error}.");
    raised(Message::error(3201, text))
}

/// The extensions that have a meaning to Mainstay, or to a program that shares its folder: tables, memos and indexes,
/// data dictionaries and database containers, procedures, settings, and files beside tables.
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

/// The same below the folder of the database, or below the one that the settings allow.
fn allowed_path(database: &Database, named: &str) -> Option<PathBuf> {
    let outside = || backup_path(database.backup_folder()?, named);
    backup_path(database.path(), named).or_else(outside)
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
    /// Makes the backup, and returns the message to the client. A relative name is one below the database's folder.
    ///
    /// Errors: 3021 in a transaction, 262 for a user who may only read, 911 for the name of another database, 3201 where
    /// the file cannot be written.
    pub(crate) fn backup(&mut self, words: &Words) -> Result<Message, Box<Raised>> {
        if self.state.transactions > 0 {
            let text = "Cannot perform a backup or restore operation within a transaction.";
            return Err(raised(Message::error(3021, text)));
        }
        if self.core.is_read_only() {
            let text = format!("BACKUP DATABASE permission denied in database '{}'.", self.state.database);
            return Err(raised(Message::error(262, text).severity(14)));
        }
        // The value of a variable is not read: the statement has one database to back up.
        let name = words.name.as_ref().map(|name| name.last()).filter(|name| !name.starts_with('@'));
        name.map_or(Ok(()), |name| self.instance.check_database(name)).map_err(raised)?;
        let is_partial = |item: &PhraseItem| matches!(item, PhraseItem::Word(word) if word.is("DIFFERENTIAL"));
        if words.rest.iter().any(is_partial) {
            return Err(raised(reduce::not_supported("BACKUP DATABASE WITH DIFFERENTIAL")));
        }
        let Some(file) = disk(&words.rest) else {
            return Err(raised(reduce::not_supported("BACKUP DATABASE to anything but one DISK = 'file'")));
        };
        let begun = Instant::now();
        let database = &self.instance.database;
        let Some(path) = allowed_path(database, file) else {
            let text = format!(
                "Cannot open backup device '{file}'. Operating system error 5(Access is denied: backups are made below the \
                 folder of the database, or below the folder that backup_folder in mainstay.toml names, under no name of a \
                 table, a procedure or the server's own files: use one that ends in .bak.)."
            );
            return Err(raised(Message::error(3201, text)));
        };
        let taken = backup::take(database, &path, WAIT).map_err(|error| cannot_open(file, &error))?;
        let remarks: String = taken.remarks.iter().map(|remark| format!(" {remark}.")).collect();
        let seconds = begun.elapsed().as_secs_f64();
        let text =
            format!("BACKUP DATABASE successfully processed {} in {seconds:.3} seconds.{remarks}", taken.contents);
        Ok(Message { number: 3014, severity: 0, state: 1, text, procedure: None, line: 0 })
    }
}

/// 3241: the file is no backup, or not as it was written.
fn wrong_media(file: &str, error: &Error) -> Box<Raised> {
    let text = format!("The media family on device '{file}' is incorrectly formed. {error}.");
    raised(Message::error(3241, text))
}

impl Runner<'_> {
    /// RESTORE VERIFYONLY, HEADERONLY and FILELISTONLY.
    ///
    /// Errors: 3201 for a file that cannot be read, 3241 for one that is no whole backup; RESTORE DATABASE is refused.
    pub(crate) fn restore(&mut self, words: &Words) -> Result<(), Box<Raised>> {
        let wish = words.rest.first().and_then(|item| match item {
            PhraseItem::Word(word) if words.verb == "RESTORE" => Some(word.text.to_ascii_uppercase()),
            _ => None,
        });
        let wish = wish.filter(|wish| ["VERIFYONLY", "HEADERONLY", "FILELISTONLY"].contains(&wish.as_str()));
        let Some(wish) = wish else {
            let text = format!(
                "{} is not supported in this version of Mainstay: 'mainstay restore FILE FOLDER' makes a new folder of a backup.",
                words.verb
            );
            return Err(raised(Message::error(40515, text)));
        };
        let Some(file) = disk(&words.rest) else {
            return Err(raised(reduce::not_supported("RESTORE from anything but one DISK = 'file'")));
        };
        let database = &self.inner.instance.database;
        let Some(path) = allowed_path(database, file) else {
            let text = format!(
                "Cannot open backup device '{file}'. Operating system error 5(Access is denied: backups are read below the \
                 folder of the database, or below the folder that backup_folder in mainstay.toml names.)."
            );
            return Err(raised(Message::error(3201, text)));
        };
        let files = database.files_of_backup(&path).map_err(|error| cannot_open(file, &error))?;
        let contents = backup::verify(&*files, &path).map_err(|error| match error.code() {
            Code::NotThisFormat | Code::Damaged | Code::Unsupported => wrong_media(file, &error),
            _ => cannot_open(file, &error),
        })?;
        match wish.as_str() {
            "VERIFYONLY" => {
                self.note(3262, "The backup set on file 1 is valid.");
                Ok(())
            }
            "HEADERONLY" => self.show_header(&contents),
            _ => self.show_files(&contents),
        }
    }

    /// The columns of SQL Server's answer that a backup of ours has a value for, in its order.
    fn show_header(&mut self, contents: &Contents) -> Result<(), Box<Raised>> {
        let name = DataType::NVarChar(Length::Limited(128));
        let columns = [
            Column::new("BackupName", name),
            Column::new("BackupType", DataType::SmallInt),
            Column::new("Position", DataType::SmallInt),
            Column::new("DeviceType", DataType::TinyInt),
            Column::new("ServerName", name),
            Column::new("DatabaseName", name),
            Column::new("BackupSize", DataType::BigInt),
            Column::new("BackupStartDate", DataType::DateTime),
            Column::new("SoftwareVersion", name),
            Column::new("FormatVersion", DataType::Int),
        ];
        let row = vec![
            Value::Null,
            // A full backup on a disk.
            Value::Integer(1),
            Value::Integer(1),
            Value::Integer(2),
            Value::Text(self.inner.instance.name.to_string()),
            Value::Text(contents.database.clone()),
            Value::Integer(i64::try_from(contents.bytes).unwrap_or(i64::MAX)),
            time(contents.begun),
            Value::Text(contents.program.clone()),
            Value::Integer(i64::from(contents.version)),
        ];
        self.show_table(&columns, vec![row])
    }

    /// A row a file: its path as the logical name, D for data.
    fn show_files(&mut self, contents: &Contents) -> Result<(), Box<Raised>> {
        let name = DataType::NVarChar(Length::Limited(260));
        let columns = [
            Column::new("LogicalName", name),
            Column::new("PhysicalName", name),
            Column::new("Type", DataType::NVarChar(Length::Limited(1))),
            Column::new("Size", DataType::BigInt),
            Column::new("FileId", DataType::BigInt),
            Column::new("BackupSizeInBytes", DataType::BigInt),
            Column::new("Modified", DataType::DateTime),
        ];
        let rows = contents.files.iter().enumerate().map(|(number, file)| {
            let path = file.path.display().to_string();
            let logical = if file.kind == FileKind::Native { "native tables".to_owned() } else { path.clone() };
            let bytes = Value::Integer(i64::try_from(file.bytes).unwrap_or(i64::MAX));
            vec![
                Value::Text(logical),
                Value::Text(path),
                Value::Text("D".to_owned()),
                bytes.clone(),
                Value::Integer(number as i64 + 1),
                bytes,
                time(file.modified),
            ]
        });
        let rows = rows.collect();
        self.show_table(&columns, rows)
    }
}

fn time(time: SystemTime) -> Value {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    // Ticks of 100 ns.
    Value::Timestamp(Timestamp(i64::try_from(since.as_nanos() / 100).unwrap_or(i64::MAX)))
}
