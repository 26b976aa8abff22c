//! Settings of the door.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// Settings. The default listens on the loopback address alone.
#[derive(Clone, Debug)]
pub struct Config {
    /// The address to listen on; port 0 chooses one.
    pub address: SocketAddr,
    /// Names under which browsers may reach the door, besides `localhost`, `127.0.0.1` and `[::1]`, without ports.
    pub hosts: Vec<String>,
    /// Browsers reach the door through a proxy that speaks TLS: cookies are `Secure`, origins are `https`.
    pub behind_tls: bool,
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
    /// The most connections at a time.
    pub connections: usize,
    /// The size of a program's screen: columns and rows.
    pub screen: (u16, u16),
}

impl Default for Config {
    fn default() -> Config {
        Config {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            hosts: Vec::new(),
            behind_tls: false,
            programs_per_user: 4,
            programs: 100,
            grace: Duration::from_secs(60),
            session_idle: Duration::from_secs(30 * 60),
            session_life: Duration::from_secs(12 * 60 * 60),
            connections: 512,
            screen: (80, 25),
        }
    }
}
