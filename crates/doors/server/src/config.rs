//! The settings of the server: the `[server]` part of `mainstay.toml`.
//!
//! Every key is defined once, in [`KEYS`] and [`Config`]; a test generates the reference page `docs/server-settings.md`
//! from [`KEYS`], and compares the defaults.
//!
//! ```toml
//! [server]
//! tds = "0.0.0.0:1433"
//! encryption = "required"
//! certificate = "server.pem"
//! key = "server.key"
//!
//! [[server.users]]
//! name = "app"
//! password_hash = "$argon2id$v=19$..."
//! ```

use mainstay_types::{Code, Error, Result};
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// A shorter limit of requests would refuse what clients send to begin with.
const LEAST_REQUEST_BYTES: usize = 64 << 10;

/// Programs of usual size would not fit into less.
const LEAST_PROGRAM_BYTES: u64 = 16 << 20;

/// The part of a connection that is encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encryption {
    /// Nothing: clients that insist on it are refused.
    Off,
    /// As the client asks; at least the login of all clients that can.
    #[default]
    Optional,
    /// Everything: clients that cannot are refused.
    Required,
}

/// Somebody who may log in.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// The name; its case does not count.
    pub name: String,
    /// The hash of the password, as [`crate::password::hash`] makes it.
    pub password_hash: String,
    /// True if the user may only read.
    #[serde(default)]
    pub read_only: bool,
}

/// Omits the hash, which must not reach a log.
impl std::fmt::Debug for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "User({:?})", self.name)
    }
}

/// The settings.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "KEYS says what each is")]
pub struct Config {
    pub tds: SocketAddr,
    pub http: Option<SocketAddr>,
    pub navigator: Option<SocketAddr>,
    pub sqli: Option<SocketAddr>,
    pub console: Option<SocketAddr>,
    pub console_hosts: Vec<String>,
    pub sqli_version: String,
    pub sqli_databases: Option<PathBuf>,
    pub name: String,
    pub encryption: Encryption,
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
    pub users: Vec<User>,
    pub max_connections: usize,
    pub max_logins: usize,
    pub login_timeout_seconds: u64,
    pub idle_timeout_seconds: u64,
    pub statement_timeout_seconds: u64,
    pub stop_grace_seconds: u64,
    pub packet_bytes: usize,
    pub max_request_bytes: usize,
    pub slow_statement_ms: u64,
    pub program_memory_bytes: u64,
    pub follow_links: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            tds: SocketAddr::from(([127, 0, 0, 1], 1433)),
            http: None,
            navigator: None,
            sqli: None,
            console: None,
            console_hosts: Vec::new(),
            sqli_version: "IBM Informix Dynamic Server Version 14.10.FC7W1DE".into(),
            sqli_databases: None,
            name: "MAINSTAY".into(),
            encryption: Encryption::Optional,
            certificate: None,
            key: None,
            users: Vec::new(),
            max_connections: 1000,
            max_logins: 64,
            login_timeout_seconds: 15,
            idle_timeout_seconds: 0,
            statement_timeout_seconds: 0,
            stop_grace_seconds: 8,
            packet_bytes: 4096,
            max_request_bytes: 256 << 20,
            slow_statement_ms: 1000,
            program_memory_bytes: 1 << 30,
            follow_links: false,
        }
    }
}

/// A key of the settings.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name, below `[server]`.
    pub name: &'static str,
    /// Its default, in TOML; empty where there is none.
    pub default: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
}

/// Every key, in the order of the reference page.
pub const KEYS: &[Key] = &[
    Key {
        name: "tds",
        default: "\"127.0.0.1:1433\"",
        meaning: "The address and port for SQL Server's clients. One that is not of this machine alone needs users, and encryption that is not off.",
    },
    Key {
        name: "http",
        default: "",
        meaning: "The address and port for `/metrics` (Prometheus) and `/health`. None without it. It has no users and no \
                  encryption: the log warns of an address that other machines can reach.",
    },
    Key {
        name: "navigator",
        default: "",
        meaning: "The address and port for remote ACE clients (`tcp://host:port/` in place of a path; their default port is 6262). None without it. The same users, certificate and limits, and the same rules for an address that is not of this machine alone.",
    },
    Key {
        name: "sqli",
        default: "",
        meaning: "The address and port for Informix clients (the port that `onsoctcp` names, 9088 by custom). None without it. The same users, certificate and limits, and the same rules for an address that is not of this machine alone. A client that begins with TLS is served with it on the same port.",
    },
    Key {
        name: "console",
        default: "",
        meaning: "The address and port for browsers, which run the Business BASIC programs in the folder `programs` ([console.md](console.md)). None without it. The same users, certificate and limits, and the same rules for an address that is not of this machine alone. A browser that begins with TLS is served with it on the same port; without it only this machine is served, and nobody where `encryption` is `required`.",
    },
    Key {
        name: "console_hosts",
        default: "[]",
        meaning: "Names, without ports, under which browsers reach the server, besides `localhost`, `127.0.0.1` and `[::1]`. Requests under other names are refused.",
    },
    Key {
        name: "sqli_version",
        default: "\"IBM Informix Dynamic Server Version 14.10.FC7W1DE\"",
        meaning: "The product and version that Informix clients are told: `<product> Version <x.yy.FCn>`, from which they take both apart.",
    },
    Key {
        name: "sqli_databases",
        default: "",
        meaning: "A folder below the served one, such as `databases`, in which Informix clients make a database by CREATE DATABASE: a folder of its name. DROP DATABASE deletes it with everything in it. Without it there is one database, that of the folder itself.",
    },
    Key { name: "name", default: "\"MAINSTAY\"", meaning: "The server's name in messages." },
    Key {
        name: "encryption",
        default: "\"optional\"",
        meaning: "`off`: nothing, and clients that insist on it are refused. `optional`: what the client wants, and the login of every client that can. `required`: everything, and clients that cannot are refused.",
    },
    Key {
        name: "certificate",
        default: "",
        meaning: "A file with the certificate and those it depends on, in PEM. Without it one is made at the start and kept in memory: clients have to trust it unseen.",
    },
    Key { name: "key", default: "", meaning: "A file with the certificate's private key, in PEM." },
    Key {
        name: "users",
        default: "[]",
        meaning: "A list of tables with `name`, `password_hash` (argon2id) and `read_only` (`true` for a user who changes nothing but temporary tables; `false` without it). `mainstay user` writes them, and a server that runs takes changes at the next login. While it is empty, `sa` may log in without a password, from this machine only.",
    },
    Key {
        name: "max_connections",
        default: "1000",
        meaning: "Connections of all doors at a time, at least 1. Further ones are closed at once.",
    },
    Key {
        name: "max_logins",
        default: "64",
        meaning: "Connections of all doors at a time that have not logged in yet, at least 1. When one more comes, the one that has waited longest is closed, of the address that has most of them.",
    },
    Key {
        name: "login_timeout_seconds",
        default: "15",
        meaning: "A connection that has not logged in after this time is closed. At least 1.",
    },
    Key {
        name: "idle_timeout_seconds",
        default: "0",
        meaning: "A connection that asks for nothing for this long is closed, and its transaction rolled back. 0: never.",
    },
    Key {
        name: "statement_timeout_seconds",
        default: "0",
        meaning: "A batch, call or bulk load of SQL Server's clients that runs longer is ended with error 8649, wherever it is: in a loop, a query, a change or a wait. The statement is undone, and its transaction stays open unless XACT_ABORT is on. 0: none. `mainstay serve --timeout` goes before it.",
    },
    Key {
        name: "stop_grace_seconds",
        default: "8",
        meaning: "When the server is told to stop, requests that run may go on for this long; then they are stopped and rolled back.",
    },
    Key {
        name: "packet_bytes",
        default: "4096",
        meaning: "The size of packets for clients that leave it to the server, 512 to 32767.",
    },
    Key {
        name: "max_request_bytes",
        default: "268435456",
        meaning: "A request (or one row of a bulk load) that is longer ends its connection. At least 65536.",
    },
    Key {
        name: "slow_statement_ms",
        default: "1000",
        meaning: "A request that takes this long or longer is written to the log with the start of its text. 0: none.",
    },
    Key {
        name: "program_memory_bytes",
        default: "1073741824",
        meaning: "Memory that a Business BASIC program in a browser may hold: variables, arrays, objects, records in memory, compiled text. A program that needs more gets error 31. At least 16777216. `mainstay serve --program-memory` goes before it.",
    },
    Key {
        name: "follow_links",
        default: "false",
        meaning: "Whether symbolic links in the folder, and paths in its files, may lead out of it. While they may not, what is behind such a link is not there for any client, and the journal of a transaction that names a file elsewhere is refused. Hard links lead wherever they lead; the links `.mainstay` and `mainstay.toml` are always followed.",
    },
];

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    server: Config,
}

impl Config {
    /// From the text of a settings file, of which only `[server]` is looked at.
    pub fn from_toml(text: &str) -> Result<Config> {
        let file: File = toml::from_str(text).map_err(|error| {
            let start = error.span().unwrap_or_default().start.min(text.len());
            let line = text.get(..start).unwrap_or_default().matches('\n').count() + 1;
            Error::new(Code::InvalidSetting, error.message()).at(format!("line {line}"))
        })?;
        file.server.check()?;
        Ok(file.server)
    }

    /// Refuses settings that contradict each other.
    pub fn check(&self) -> Result<()> {
        let invalid = |message: String| Err(Error::new(Code::InvalidSetting, message));
        if self.certificate.is_some() != self.key.is_some() {
            return invalid("certificate and key belong together: one of them is missing".into());
        }
        if !(512..=32_767).contains(&self.packet_bytes) {
            return invalid(format!("packet_bytes is {}, and has to be 512 to 32767", self.packet_bytes));
        }
        if self.max_request_bytes < LEAST_REQUEST_BYTES {
            let is = self.max_request_bytes;
            return invalid(format!("max_request_bytes is {is}, and has to be at least {LEAST_REQUEST_BYTES}"));
        }
        if self.program_memory_bytes < LEAST_PROGRAM_BYTES {
            let is = self.program_memory_bytes;
            return invalid(format!("program_memory_bytes is {is}, and has to be at least {LEAST_PROGRAM_BYTES}"));
        }
        let never_none = [
            ("max_connections", self.max_connections as u64),
            ("max_logins", self.max_logins as u64),
            ("login_timeout_seconds", self.login_timeout_seconds),
        ];
        if let Some((name, _)) = never_none.iter().find(|(_, value)| *value == 0) {
            return invalid(format!("{name} is 0, with which nobody could log in; it has to be at least 1"));
        }
        self.check_reachable(self.tds)?;
        self.navigator.map_or(Ok(()), |address| self.check_reachable(address))?;
        self.sqli.map_or(Ok(()), |address| self.check_reachable(address))?;
        for user in &self.users {
            crate::password::check_hash(&user.password_hash)
                .map_err(|error| error.at(format!("user {}", user.name)))?;
        }
        Ok(())
    }

    /// Refuses an address that other machines can reach without what protects it.
    pub(crate) fn check_reachable(&self, address: SocketAddr) -> Result<()> {
        let missing = match address.ip().is_loopback() {
            true => return Ok(()),
            false if self.users.is_empty() => "no users are set",
            false if self.encryption == Encryption::Off => "encryption is off",
            false => return Ok(()),
        };
        let message = format!("the address {address} can be reached from other machines, and {missing}");
        Err(Error::new(Code::InvalidSetting, message).hint("listen on 127.0.0.1, or add what is missing"))
    }

    pub(crate) fn login_timeout(&self) -> Duration {
        Duration::from_secs(self.login_timeout_seconds)
    }

    /// How long a batch or call may run.
    pub fn statement_timeout(&self) -> Option<Duration> {
        (self.statement_timeout_seconds > 0).then(|| Duration::from_secs(self.statement_timeout_seconds))
    }

    pub(crate) fn idle_timeout(&self) -> Option<Duration> {
        (self.idle_timeout_seconds > 0).then(|| Duration::from_secs(self.idle_timeout_seconds))
    }
}

/// The reference page of the settings.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# Settings of the server\n\n<!-- Written from crates/doors/server/src/config.rs by its tests; do not edit. -->\n\n\
         They stand below `[server]` in `mainstay.toml`.\n\n| key | default | meaning |\n|---|---|---|\n",
    );
    for key in KEYS {
        let default = if key.default.is_empty() { "none".to_owned() } else { format!("`{}`", key.default) };
        page.push_str(&format!("| `{}` | {default} | {} |\n", key.name, key.meaning));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_reference_page() {
        let lines = KEYS.iter().filter(|key| !key.default.is_empty());
        let text: String = lines.map(|key| format!("{} = {}\n", key.name, key.default)).collect();
        assert_eq!(Config::from_toml(&format!("[server]\n{text}")).unwrap(), Config::default());
        assert_eq!(Config::from_toml("code_page = 'cp850'").unwrap(), Config::default());
        // Every field is a key: a struct without one of them could not be written.
        let fields = format!("{:?}", Config::default()).matches(": ").count();
        assert_eq!(fields, KEYS.len());
        assert_eq!(Config::default().statement_timeout(), None);
        let limited = Config::from_toml("[server]\nstatement_timeout_seconds = 30").unwrap();
        assert_eq!(limited.statement_timeout(), Some(Duration::from_secs(30)));
    }

    #[test]
    fn wrong_settings_are_refused_with_their_line() {
        let wrong = |text: &str| Config::from_toml(text).unwrap_err().to_string();
        assert!(wrong("a = 1\n[server]\nport = 3\n").starts_with("line 3: unknown field"));
        assert!(wrong("[server]\npacket_bytes = 100").contains("512 to 32767"));
        assert!(wrong("[server]\nmax_request_bytes = 1").contains("at least 65536"));
        for key in ["max_connections", "max_logins", "login_timeout_seconds"] {
            assert!(wrong(&format!("[server]\n{key} = 0")).contains(&format!("{key} is 0")));
        }
        assert!(wrong("[server]\ncertificate = 'a.pem'").contains("belong together"));
        assert!(wrong("[server]\ntds = '0.0.0.0:1433'").contains("no users"));
        assert!(wrong("[server]\nnavigator = '0.0.0.0:6262'").contains("no users"));
        assert!(wrong("[[server.users]]\nname = 'a'\npassword_hash = 'secret'").contains("user a"));
    }
}
