//! The settings of a session.

use super::Session;
use mainstay_planner::{FileReading, IsolationLevel, Visibility};
use mainstay_types::{Code, Error, Result};
use std::time::Duration;

/// A setting of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value now.
    pub value: String,
    /// The effect of the setting.
    pub description: String,
}

/// The settings, in the order in which they are shown.
const SETTINGS: [(&str, &str); 7] = [
    ("durability", "what a commit waits for: full (on the disk), os (with the operating system), none"),
    (
        "isolation",
        "of transactions: read committed (read uncommitted is the same), repeatable read, snapshot, serializable",
    ),
    (
        "lock_timeout",
        "how long a statement waits for another transaction, or a lock of a DBF: 500ms, 30 (seconds), 5min; 0 for ever, of a DBF 5s",
    ),
    ("timeout", "how long a statement may run: 500ms, 30 (seconds), 5min; 0 for ever"),
    ("show_deleted", "on to show deleted records, as SET DELETED OFF does"),
    ("memory_limit", "bytes for decoded columns and running statements; chosen when the database is opened"),
    ("threads", "threads for a statement over large tables; chosen when the database is opened"),
];

impl Session {
    /// Says how the statements of this session read the fields of files: as they are, to begin with.
    pub fn set_file_reading(&mut self, reading: FileReading) {
        self.reading = reading;
    }

    /// Changes a setting.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match name.to_lowercase().as_str() {
            "timeout" | "statement_timeout" => self.timeout = duration(value)?,
            "lock_timeout" => {
                let timeout = duration(value)?;
                self.transaction.set_waiting(|waiting| waiting.lock_timeout = timeout);
            }
            "durability" => self.transaction.durability = Some(value.parse()?),
            "isolation" | "transaction_isolation" => {
                let unknown = || {
                    let error = Error::new(Code::InvalidSetting, format!("there is no isolation level \"{value}\""));
                    error.hint("read committed, repeatable read, snapshot, serializable")
                };
                self.transaction.isolation = IsolationLevel::by_name(value).ok_or_else(unknown)?;
            }
            "show_deleted" => {
                self.set_show_deleted(switch(name, value)?);
            }
            "deleted" => {
                self.set_show_deleted(!switch(name, value)?);
            }
            "memory_limit" | "threads" => {
                let message = format!("{name} is chosen when the database is opened");
                return Err(Error::new(Code::InvalidSetting, message));
            }
            _ => return Err(unknown_setting(name)),
        }
        Ok(())
    }

    /// Lets queries see deleted records of DBF tables, or no longer, as the setting `show_deleted` does.
    pub fn set_show_deleted(&mut self, shows: bool) {
        self.visibility = if shows { Visibility::Shown } else { Visibility::Live };
    }

    /// All settings.
    pub fn settings(&self) -> Vec<Setting> {
        let options = &self.database.shared.options;
        let value = |name: &str| match name {
            "timeout" => milliseconds(self.timeout),
            "lock_timeout" => milliseconds(self.transaction.waiting.lock_timeout),
            "isolation" => self.transaction.isolation.name().to_owned(),
            "durability" => self.transaction.durability.unwrap_or(self.database.shared.durability).name().to_owned(),
            "show_deleted" => if self.visibility == Visibility::Live { "off" } else { "on" }.to_owned(),
            "memory_limit" => options.memory_limit_bytes().to_string(),
            _ => options.threads().to_string(),
        };
        let setting = |(name, description): (&str, &str)| Setting {
            name: name.to_owned(),
            value: value(name),
            description: description.to_owned(),
        };
        SETTINGS.into_iter().map(setting).collect()
    }
}

fn milliseconds(duration: Option<Duration>) -> String {
    duration.map_or("0".to_owned(), |duration| format!("{}ms", duration.as_millis()))
}

pub(super) fn unknown_setting(name: &str) -> Error {
    let names: Vec<&str> = SETTINGS.iter().map(|(name, _)| *name).collect();
    Error::new(Code::InvalidSetting, format!("no setting \"{name}\"")).hint(format!("there are {}", names.join(", ")))
}

fn switch(name: &str, value: &str) -> Result<bool> {
    match value.to_lowercase().as_str() {
        "on" | "true" | "1" | "yes" => Ok(true),
        "off" | "false" | "0" | "no" => Ok(false),
        _ => Err(Error::new(Code::InvalidSetting, format!("{name} is on or off, not \"{value}\""))),
    }
}

/// `500ms`, `30s`, `5min`, `30` (seconds); 0 for none.
fn duration(value: &str) -> Result<Option<Duration>> {
    let value = value.trim();
    let split = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
    let (number, unit) = value.split_at(split);
    let seconds = match unit.trim().to_lowercase().as_str() {
        "ms" => 0.001,
        "" | "s" | "sec" | "seconds" => 1.0,
        "min" | "m" | "minutes" => 60.0,
        "h" | "hours" => 3_600.0,
        _ => f64::NAN,
    };
    let parsed = number.parse::<f64>().ok().map(|number| number * seconds);
    match parsed.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
        Some(Duration::ZERO) => Ok(None),
        Some(duration) => Ok(Some(duration)),
        None => {
            let error = Error::new(Code::InvalidSetting, format!("\"{value}\" is not a length of time"));
            Err(error.hint("write 500ms, 30s, 5min or 0"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time() {
        assert_eq!(duration("500ms").unwrap(), Some(Duration::from_millis(500)));
        assert_eq!(duration("1.5 min").unwrap(), Some(Duration::from_secs(90)));
        assert_eq!(duration("0").unwrap(), None);
        for bad in ["", "x", "-1s", "5 parsecs", "1e99h"] {
            assert_eq!(duration(bad).unwrap_err().code(), Code::InvalidSetting, "{bad}");
        }
    }
}
