//! The log: a file that the environment names, for calls that are not supported and for faults.
//!
//! Off unless MAINSTAY_ACE_LOG contains a path. A library must not write to a program's standard streams.

use std::env;
use std::io::Write;
use std::sync::{Mutex, OnceLock};

static LOG: OnceLock<Option<Mutex<std::fs::File>>> = OnceLock::new();

/// Adds a line, if there is a log. A line that cannot be written is lost: a program must not fail for its log.
pub fn write(line: &str) {
    let log = LOG.get_or_init(|| {
        let path = env::var_os("MAINSTAY_ACE_LOG").filter(|path| !path.is_empty())?;
        std::fs::OpenOptions::new().create(true).append(true).open(path).ok().map(Mutex::new)
    });
    if let Some(Ok(mut file)) = log.as_ref().map(Mutex::lock) {
        let _ = writeln!(file, "{line}");
    }
}
