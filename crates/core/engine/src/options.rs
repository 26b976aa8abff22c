//! Options for opening a database: those of the caller, and those of the folder's `mainstay.toml`.
//!
//! ```toml
//! code_page = "cp850"          # for all tables whose files do not declare one
//! durability = "os"            # durability of commits of native tables: full, os or none
//! backup_folder = "/backups"   # where clients may make backups, beside the folder itself
//! [tables.customers]
//! code_page = "windows-1252"   # for this one, whatever its file declares
//! ```
//! The section of a CSV table has further keys ([`TableSettings`]). [`LockSettings`] are in the same file; the tables
//! read them themselves.

use crate::table_settings::TableSettings;
use mainstay_csv::CsvOptions;
use mainstay_store::Durability;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use mainstay_xbase::codepage::CodePage;
use mainstay_xbase::lock::{LockSettings, SETTINGS_FILE};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The least memory for rows of native tables.
const LEAST_ROW_BYTES: usize = 8 << 20;

/// How a database is opened.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The code page of all tables, whatever their files say: `cp850`, `windows-1252`, `mazovia`.
    pub code_page: Option<String>,
    /// Bytes that running statements, decoded columns of files, and rows of native tables that are in no file yet may
    /// hold together: one half for the first, a quarter each for the others. Half of the machine's memory unless said
    /// otherwise.
    pub memory_limit_bytes: Option<u64>,
    /// Threads that a statement may use over large tables, and to read uncached groups. The default is the number of
    /// processors.
    pub threads: Option<usize>,
    /// How long a statement may run.
    pub statement_timeout: Option<Duration>,
    /// True if deleted records are shown, as with SET DELETED OFF.
    pub show_deleted: bool,
    /// Runs every statement on the general executor, without the vector kernels and indexes. Slower, and with
    /// the same answer: it is there to compare the two.
    pub general_executor_only: bool,
    /// Optimizer rules to leave out, by their names in [`OPTIONAL_OPTIMIZER_RULES`](crate::OPTIONAL_OPTIMIZER_RULES).
    /// Slower, and with the same answer: it is there for diagnosis, to find the rule that a wrong answer comes from.
    pub disabled_optimizer_rules: Vec<String>,
    /// The durability of commits in sessions that do not set it (`SET durability`). `None` takes that of the folder's
    /// settings file, or `full`.
    pub durability: Option<Durability>,
    /// Leaves the folder's native tables to who has them: those of this database are in memory, so that a transaction
    /// over the files needs nothing that one process at a time has.
    pub files_only: bool,
    /// Lets sessions change nothing but their temporary tables.
    pub read_only: bool,
    /// Native tables whose rows take at most so many bytes in memory are read whole when the database is opened. Of larger
    /// ones files are mapped, and rows and indexes are read when they are needed. `None` means 512 KiB; 0 gives the same
    /// answers and is there to compare.
    pub native_whole_bytes: Option<u64>,
    /// Opens native tables for reading only, with what can still be read where files of them are damaged.
    pub salvage: bool,
}

impl Options {
    pub(crate) fn memory_limit_bytes(&self) -> u64 {
        self.memory_limit_bytes.unwrap_or_else(|| {
            let system = rustix::system::sysinfo();
            // The field's type differs between platforms.
            #[allow(clippy::useless_conversion)]
            let total = u64::from(system.totalram).saturating_mul(u64::from(system.mem_unit));
            total / 2
        })
    }

    /// Bytes that running statements may hold together.
    pub(crate) fn statement_bytes(&self) -> usize {
        usize::try_from(self.memory_limit_bytes() / 2).unwrap_or(usize::MAX)
    }

    /// Bytes of rows of native tables that may be in memory only; with too few, each handful of rows would be written to
    /// a file of its own.
    pub(crate) fn row_bytes(&self) -> usize {
        usize::try_from(self.memory_limit_bytes() / 4).unwrap_or(usize::MAX).max(LEAST_ROW_BYTES)
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
    }
}

/// The contents of a folder's settings file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsFile {
    code_page: Option<String>,
    durability: Option<String>,
    /// [`LockSettings`] reads the lock settings, in here and below.
    #[serde(rename = "lock_scheme")]
    _lock_scheme: Option<String>,
    #[serde(rename = "lock_timeout_ms")]
    _lock_timeout_ms: Option<u64>,
    #[serde(rename = "lock_interval_ms")]
    _lock_interval_ms: Option<u64>,
    #[serde(rename = "adt_shared")]
    _adt_shared: Option<bool>,
    /// A folder outside of this one in which clients may make backups.
    backup_folder: Option<PathBuf>,
    #[serde(default)]
    tables: HashMap<String, TableSettings>,
    /// The server reads its section itself.
    #[serde(default, rename = "server")]
    _server: toml::Table,
}

impl SettingsFile {
    /// The file at this path; empty settings if there is no file.
    fn read(fs: &dyn FileSystem, path: &Path) -> Result<SettingsFile> {
        if fs.stamp(path).is_err() {
            return Ok(SettingsFile::default());
        }
        let bytes = fs.read(path)?;
        let text = String::from_utf8_lossy(&bytes);
        let settings = toml::from_str(&text).map_err(|error| {
            let span = error.span().unwrap_or_default();
            let line = text[..span.start.min(text.len())].matches('\n').count() + 1;
            Error::new(Code::InvalidSetting, error.message()).at(format!("line {line}")).at(path.display())
        })?;
        LockSettings::check(&text).map_err(|error| error.at(path.display()))?;
        Ok(settings)
    }
}

/// Sections `[tables.x]` of a folder's settings file whose table does not exist, each with the nearest name.
///
/// Errors: as reading the settings.
pub(crate) fn unknown_tables(fs: &dyn FileSystem, folder: &Path, known: &[String]) -> Result<Vec<Error>> {
    let path = folder.join(SETTINGS_FILE);
    let mut named: Vec<String> = SettingsFile::read(fs, &path)?.tables.into_keys().collect();
    named.sort();
    named.retain(|name| !known.contains(&name.to_lowercase()));
    let error = |name: &String| {
        let message = format!("[tables.{name}]: there is no table of this name, and the section has no effect");
        let hint = mainstay_planner::unknown_table(name, known).hint_text().map(str::to_owned);
        let error = Error::new(Code::UnknownTable, message).about(name.clone()).at(path.display());
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    };
    Ok(named.iter().map(error).collect())
}

/// The settings of a folder: the caller's options, and under them the settings file.
#[derive(Debug)]
pub(crate) struct FolderSettings {
    pub(crate) files: FileSettings,
    /// The durability of commits of native tables, unless a session sets another.
    pub(crate) durability: Durability,
    /// Where clients may make backups beside the folder itself.
    pub(crate) backup_folder: Option<PathBuf>,
}

impl FolderSettings {
    pub(crate) fn read(fs: &dyn FileSystem, folder: &Path, options: &Options) -> Result<FolderSettings> {
        let path = folder.join(SETTINGS_FILE);
        let settings = SettingsFile::read(fs, &path)?;
        // An error in the caller's options does not name the file.
        let asked = options.code_page.as_deref().map(code_page).transpose()?;
        let files = FileSettings::of(&settings, asked).map_err(|error| error.at(path.display()))?;
        let said = settings.durability.as_deref().map(str::parse).transpose();
        let said = said.map_err(|error: Error| error.at(path.display()))?;
        let durability = options.durability.or(said).unwrap_or(Durability::Full);
        let backup_folder = settings.backup_folder.map(|backups| folder.join(backups));
        Ok(FolderSettings { files, durability, backup_folder })
    }
}

/// The settings by which the files of other programs are read, table by table.
#[derive(Debug, Default)]
pub(crate) struct FileSettings {
    code_page: Option<CodePage>,
    code_pages: HashMap<String, CodePage>,
    csv: HashMap<String, CsvOptions>,
}

impl FileSettings {
    fn of(settings: &SettingsFile, asked: Option<CodePage>) -> Result<FileSettings> {
        let code_page_of_all = match asked {
            Some(asked) => Some(asked),
            None => settings.code_page.as_deref().map(code_page).transpose()?,
        };
        let mut files = FileSettings { code_page: code_page_of_all, ..FileSettings::default() };
        for (table, settings) in &settings.tables {
            if let Some(name) = &settings.code_page {
                files.code_pages.insert(table.to_lowercase(), code_page(name)?);
            }
            let options = settings.csv_options();
            let options = options.map_err(|error| error.at(format!("[tables.{table}]")))?;
            files.csv.insert(table.to_lowercase(), options);
        }
        Ok(files)
    }

    /// The code page of a DBF table, where a setting gives it.
    pub(crate) fn code_page(&self, table: &str) -> Option<CodePage> {
        self.code_pages.get(table).copied().or(self.code_page)
    }

    /// The options of a CSV table.
    pub(crate) fn csv(&self, table: &str) -> CsvOptions {
        self.csv.get(table).cloned().unwrap_or_default()
    }
}

pub(crate) fn code_page(name: &str) -> Result<CodePage> {
    CodePage::by_name(name).ok_or_else(|| {
        Error::new(Code::InvalidSetting, format!("no code page \"{name}\""))
            .hint("write it as cp437, cp850, windows-1252, mazovia ...")
    })
}
