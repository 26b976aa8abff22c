//! The settings of the program: the form of dates, the visibility of deleted records, the folders in which files are
//! looked up.
//!
//! They belong to the process, as in the interface, and each takes effect at a table's next call: a table compares
//! [`revision`] with that of the settings that it uses.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use crate::border::{Callback, Callback101, ProgressCallback};
use crate::constants::{ADS_LOCAL_SERVER, ADS_REMOTE_SERVER};

/// All of them.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The mask of dates as texts: `MM/DD/CCYY`.
    pub date_format: String,
    /// The first year of the hundred that two digits mean.
    pub epoch: u16,
    /// The decimals of numbers that have none of their own.
    pub decimals: u16,
    /// True if texts are equal only in full length.
    pub exact: bool,
    /// True if deleted records are shown.
    pub show_deleted: bool,
    /// The folder of files without a folder, if no connection has one.
    pub default_path: String,
    /// Further folders, by semicolons or colons.
    pub search_path: String,
    /// The kinds of servers that a connection may use: a sum of ADS_LOCAL_SERVER and its siblings.
    pub server_types: u16,
    /// True if texts end with a NUL where the manual leaves this to the setting.
    pub null_terminate: bool,
    /// The callbacks that receive the progress of long operations.
    pub progress: Progress,
}

/// A function of the program that receives the progress of an operation.
#[derive(Clone, Copy, Debug)]
pub enum Progress {
    /// None.
    Nobody,
    /// By percentage.
    Plain(ProgressCallback),
    /// By percentage and the number that it was registered with.
    Numbered(Callback, u32),
    /// The same with 64 bits.
    Wide(Callback101, i64),
}

impl Progress {
    /// Tells it; false asks to stop.
    pub fn tell(self, percent: u16) -> bool {
        match self {
            Progress::Nobody => true,
            Progress::Plain(function) => function.call(percent) == 0,
            Progress::Numbered(function, id) => function.call(percent, id) == 0,
            Progress::Wide(function, id) => function.call(percent, id) == 0,
        }
    }
}

static SETTINGS: RwLock<Settings> = RwLock::new(Settings {
    date_format: String::new(),
    epoch: 1900,
    decimals: 2,
    exact: false,
    show_deleted: true,
    default_path: String::new(),
    search_path: String::new(),
    server_types: (ADS_LOCAL_SERVER | ADS_REMOTE_SERVER) as u16,
    null_terminate: true,
    progress: Progress::Nobody,
});

static REVISION: AtomicU64 = AtomicU64::new(1);

/// The mask of dates until a program sets one.
pub const DEFAULT_DATE_FORMAT: &str = "MM/DD/CCYY";

/// A number that grows with every change.
pub fn revision() -> u64 {
    REVISION.load(Ordering::Acquire)
}

/// Reads something of the settings.
pub fn read<T>(work: impl FnOnce(&Settings) -> T) -> T {
    work(&SETTINGS.read().unwrap_or_else(PoisonError::into_inner))
}

/// Changes something of them.
pub fn change(work: impl FnOnce(&mut Settings)) {
    work(&mut SETTINGS.write().unwrap_or_else(PoisonError::into_inner));
    REVISION.fetch_add(1, Ordering::Release);
}

/// The mask of dates.
pub fn date_format() -> String {
    let format = read(|settings| settings.date_format.clone());
    if format.is_empty() { DEFAULT_DATE_FORMAT.to_owned() } else { format }
}

/// The form of dates as texts: the mask and the first year of the hundred that two digits mean.
pub fn date_form() -> (String, u16) {
    (date_format(), read(|settings| settings.epoch))
}

/// The folders of the search path, in order.
pub fn search_folders() -> Vec<PathBuf> {
    let paths = read(|settings| settings.search_path.clone());
    // A colon is not a separator after a drive's letter, which a path from another system may have.
    paths.split([';', ':']).filter(|path| !path.is_empty()).map(|path| PathBuf::from(path.replace('\\', "/"))).collect()
}
