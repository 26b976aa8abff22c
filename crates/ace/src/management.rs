//! Management calls, answered for the only server that there is here: this process.
//!
//! What they say is true of it: the tables, indexes and locks that it has open, the one user that it is, and how long it
//! runs. What it has not got (a wire, worker threads, a licence) is zero or empty.

use std::sync::OnceLock;
use std::time::Instant;

/// A connection for management calls.
pub struct Server;

static STARTED: OnceLock<Instant> = OnceLock::new();

/// Seconds since the library was first used.
pub fn seconds_up() -> u64 {
    STARTED.get_or_init(Instant::now).elapsed().as_secs()
}

/// Whoever runs this process, by what the environment says.
pub fn user_name() -> String {
    ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default()
}
