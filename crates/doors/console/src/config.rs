//! Settings of the door.

use std::time::Duration;

/// Settings.
#[derive(Clone, Debug)]
pub struct Config {
    /// Names under which browsers may reach the door, besides `localhost`, `127.0.0.1` and `[::1]`, without ports.
    pub hosts: Vec<String>,
    /// The most programs of a user at a time.
    pub programs_per_user: usize,
    /// The most programs at a time.
    pub programs: usize,
    /// The time that a program waits for a page that was lost.
    pub grace: Duration,
    /// The time after which a session without requests and programs ends.
    pub session_idle: Duration,
    /// The time after which every session ends.
    pub session_life: Duration,
    /// The size of a program's screen: columns and rows.
    pub screen: (u16, u16),
}

impl Default for Config {
    fn default() -> Config {
        Config {
            hosts: Vec::new(),
            programs_per_user: 4,
            programs: 100,
            grace: Duration::from_secs(60),
            session_idle: Duration::from_secs(30 * 60),
            session_life: Duration::from_secs(12 * 60 * 60),
            screen: (80, 25),
        }
    }
}
