//! Limits of the operating system that a serving process raises before it listens.
//!
//! **Open files.** Each connection needs three, and for each open table one, with two for each index and two for its
//! memos. Operating systems give a process few by default (1,024 are usual) and more on request, up to a hard limit.
//!
//! **Pages of memory.** Each connection has a thread, and each thread memory of its own from the allocator. With huge pages
//! a few kilobytes of it take two megabytes, which the allocator gives back only when all of them are free: a thousand
//! clients took gigabytes that way, and the server kept them.

use super::log::{Level, Log};
use std::fmt::Display;
use std::io::Write;

/// Raises the limit of open files as far as the system allows, keeps the memory of many threads small, and says so in the
/// log. It is the whole process that is changed, for as long as it lives; doing it again changes nothing.
pub(crate) fn prepare(log: &Log) {
    raise_open_files(log);
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        log.event(Level::Warning, "huge_pages", &[("text", &format!("they cannot be turned off: {error}"))]);
    }
}

fn raise_open_files(log: &Log) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let (before, most) = (limit.current, limit.maximum);
    let number = |limit: Option<u64>| limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string());
    limit.current = most;
    let (level, now) = match setrlimit(Resource::Nofile, limit) {
        Ok(()) => (Level::Info, most),
        Err(_) => (Level::Warning, before),
    };
    let (before, now) = (number(before), number(now));
    let fields: [(&str, &dyn Display); 2] = [("limit", &now), ("before", &before)];
    log.event(level, "open_files", &fields);
}

/// Writes a warning to the log of a server, from outside of it.
pub fn log_warning(log: Box<dyn Write + Send>, event: &str, text: &str) {
    Log::new(log).event(Level::Warning, event, &[("text", &text)]);
}

/// Writes an event to the log of a server, from outside of it.
pub fn log_event(log: Box<dyn Write + Send>, event: &str, fields: &[(&str, &dyn Display)]) {
    Log::new(log).event(Level::Info, event, fields);
}
