//! Lock settings of a folder's tables in `mainstay.toml`.
//!
//! ```toml
//! lock_scheme = "harbour64"    # the locks of the programs that share the tables: see LockScheme::by_name
//! lock_timeout_ms = 10000      # time to wait for a lock, unless the program gives its own
//! lock_interval_ms = 50        # time between two tries
//! adt_shared = true            # only Mainstay writes to ADTs, so that several of its processes may at once
//! [tables.stock]
//! lock_scheme = "foxpro"       # overrides the setting above
//! ```
//! The file describes the programs that share the folder, so it overrides the request of a Mainstay program: one that
//! opens a table as ADS_CDX does not know of those others.

use super::{LockScheme, LockWait};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// The name of a folder's settings file.
pub const SETTINGS_FILE: &str = "mainstay.toml";

/// The folder's settings for the locks of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockSettings {
    /// The locks of the programs that share it.
    pub scheme: Option<LockScheme>,
    /// The time to wait for a lock.
    pub timeout: Option<Duration>,
    /// The time between two attempts.
    pub interval: Option<Duration>,
    /// No program but Mainstay writes to ADTs, whose locks are not those of Advantage.
    pub adt_shared: bool,
}

/// The same as the file has it; the rest of the file is not looked at here.
#[derive(Debug, Default, Deserialize)]
struct Said {
    lock_scheme: Option<String>,
    lock_timeout_ms: Option<u64>,
    lock_interval_ms: Option<u64>,
    adt_shared: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
struct SettingsFile {
    #[serde(flatten)]
    all: Said,
    #[serde(default)]
    tables: HashMap<String, Said>,
}

impl LockSettings {
    /// The settings in the folder of a table.
    ///
    /// Errors: `InvalidSetting`.
    pub fn of_table(fs: &dyn FileSystem, table: &Path) -> Result<LockSettings> {
        let path = table.parent().unwrap_or(Path::new("")).join(SETTINGS_FILE);
        if fs.stamp(&path).is_err() {
            return Ok(LockSettings::default());
        }
        let wrong = |error: Error| error.at(path.display());
        let file = SettingsFile::parse(&String::from_utf8_lossy(&fs.read(&path)?)).map_err(wrong)?;
        let name = table.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
        let own = file.tables.iter().find(|(table, _)| table.to_lowercase() == name);
        let all = file.all.understood().map_err(wrong)?;
        let own = own.map(|(_, said)| said.understood()).transpose().map_err(wrong)?.unwrap_or_default();
        Ok(LockSettings {
            scheme: own.scheme.or(all.scheme),
            timeout: own.timeout.or(all.timeout),
            interval: own.interval.or(all.interval),
            adt_shared: own.adt_shared || all.adt_shared,
        })
    }

    /// Returns true if all lock settings of a settings file are understood.
    ///
    /// Errors: `InvalidSetting`.
    pub fn check(text: &str) -> Result<()> {
        let file = SettingsFile::parse(text)?;
        std::iter::once(&file.all).chain(file.tables.values()).try_for_each(|said| said.understood().map(drop))
    }

    /// The scheme of the folder, or else the requested one.
    pub fn scheme_or(&self, asked: Option<LockScheme>) -> Option<LockScheme> {
        self.scheme.or(asked)
    }

    /// The wait for a lock: the requested one, or the folder's where the request has the default.
    pub fn wait_or(&self, asked: LockWait) -> LockWait {
        let usual = LockWait::default();
        let of = |asked: Duration, usual: Duration, said: Option<Duration>| match said {
            Some(said) if asked == usual => said,
            _ => asked,
        };
        LockWait {
            timeout: of(asked.timeout, usual.timeout, self.timeout),
            interval: of(asked.interval, usual.interval, self.interval),
        }
    }
}

impl SettingsFile {
    fn parse(text: &str) -> Result<SettingsFile> {
        toml::from_str(text).map_err(|error| Error::new(Code::InvalidSetting, error.message()))
    }
}

impl Said {
    fn understood(&self) -> Result<LockSettings> {
        let scheme = self.lock_scheme.as_deref().map(scheme).transpose()?;
        Ok(LockSettings {
            scheme,
            timeout: self.lock_timeout_ms.map(Duration::from_millis),
            interval: self.lock_interval_ms.map(Duration::from_millis),
            adt_shared: self.adt_shared.unwrap_or_default(),
        })
    }
}

fn scheme(name: &str) -> Result<LockScheme> {
    LockScheme::by_name(name).ok_or_else(|| {
        Error::new(Code::InvalidSetting, format!("no lock scheme \"{name}\""))
            .hint("write it as clipper, comix, extended, harbour32, foxpro or harbour64")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_vfs::Memory;

    #[test]
    fn a_table_has_its_own_words_before_those_of_its_folder() {
        let fs = Memory::new();
        let of = |table: &str| LockSettings::of_table(&fs, Path::new(table));
        assert_eq!(of("shop/stock.dbf").unwrap(), LockSettings::default());
        let text = "code_page = \"cp850\"\nlock_scheme = \"hb64\"\nlock_interval_ms = 50\n[server]\nport = 1\n\
                    [tables.Stock]\ncode_page = \"cp437\"\nlock_scheme = \"vfp\"\nlock_timeout_ms = 0\n";
        fs.write("shop/mainstay.toml", text.as_bytes().to_vec());
        let stock = of("shop/STOCK.DBF").unwrap();
        assert_eq!((stock.scheme, stock.timeout), (Some(LockScheme::FoxPro), Some(Duration::ZERO)));
        assert_eq!(stock.interval, Some(Duration::from_millis(50)));
        let other = of("shop/other.dbf").unwrap();
        assert_eq!((other.scheme, other.timeout), (Some(LockScheme::Harbour64), None));
        assert_eq!(other.scheme_or(Some(LockScheme::Clipper)), Some(LockScheme::Harbour64));
        assert_eq!(LockSettings::default().scheme_or(Some(LockScheme::Clipper)), Some(LockScheme::Clipper));
        let usual = LockWait::default();
        assert_eq!(stock.wait_or(usual).timeout, Duration::ZERO);
        let asked = LockWait { timeout: Duration::from_millis(7), ..usual };
        assert_eq!(stock.wait_or(asked).timeout, asked.timeout);
        fs.write("shop/mainstay.toml", b"lock_scheme = \"novell\"\n".to_vec());
        let error = of("shop/stock.dbf").unwrap_err();
        assert_eq!(error.code(), Code::InvalidSetting);
        assert!(error.to_string().contains("mainstay.toml") && error.to_string().contains("novell"), "{error}");
        assert!(LockSettings::check("[tables.t]\nlock_scheme = \"x\"\n").is_err());
    }
}
