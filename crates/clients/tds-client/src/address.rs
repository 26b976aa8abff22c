//! Addresses of servers: `tds://user:password@host:port/database?encrypt=on&trust=server.pem`.
//!
//! Every part but the host may be left out. Names may be percent-encoded (RFC 3986, 2.1); an IPv6 address stands in brackets.

use mainstay_tds::Password;
use mainstay_types::{Code, Error, Result};
use std::fmt;

/// The beginning of an address.
pub const SCHEME: &str = "tds://";
/// The port of SQL Server's default instance.
pub const DEFAULT_PORT: u16 = 1433;

/// The part of the conversation that is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encrypt {
    /// Nothing.
    Off,
    /// Everything, if the server can. A server of another machine that cannot is refused.
    On,
    /// Everything, from the first byte on (TDS 8.0).
    Strict,
}

/// The certificates that are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Any for a server of this machine, else those that the certificates of the system confirm.
    Default,
    /// Any.
    Any,
    /// The one in this file (PEM), or those that it confirms.
    File(String),
}

/// The address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The user, if the address names one.
    pub user: Option<String>,
    /// The password, if the address has one.
    pub password: Option<Password>,
    /// The name or address of the machine, without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The database; empty for the user's own.
    pub database: String,
    /// The part that is encrypted.
    pub encrypt: Encrypt,
    /// The certificates that are accepted.
    pub trust: Trust,
}

impl Address {
    /// Reads an address; `None` if the text does not begin as one.
    ///
    /// Errors: `InvalidSetting` with the part that is wrong.
    pub fn parse(text: &str) -> Option<Result<Address>> {
        let scheme = text.get(..SCHEME.len())?;
        scheme.eq_ignore_ascii_case(SCHEME).then(|| parse_after_scheme(&text[SCHEME.len()..]))
    }

    /// True if the machine is this one.
    pub fn is_loopback(&self) -> bool {
        let address: Option<std::net::IpAddr> = self.host.parse().ok();
        address.map_or_else(|| self.host.eq_ignore_ascii_case("localhost"), |address| address.is_loopback())
    }
}

/// Without user and password.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, close) = if self.host.contains(':') { ("[", "]") } else { ("", "") };
        write!(f, "{open}{}{close}:{}", self.host, self.port)
    }
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(Code::InvalidSetting, message).hint("an address is tds://user@host:port/database")
}

fn parse_after_scheme(rest: &str) -> Result<Address> {
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    let (person, place) = authority.rsplit_once('@').map_or((None, authority), |(person, place)| (Some(person), place));
    let (user, password) =
        match person.map(|person| person.split_once(':').map_or((person, None), |(u, p)| (u, Some(p)))) {
            None => (None, None),
            Some((user, password)) => (Some(decoded(user)?), password.map(decoded).transpose()?.map(Password)),
        };
    let (host, port) = host_and_port(place)?;
    let mut address = Address {
        user,
        password,
        host,
        port,
        database: decoded(database.trim_end_matches('/'))?,
        encrypt: Encrypt::On,
        trust: Trust::Default,
    };
    for option in query.split('&').filter(|option| !option.is_empty()) {
        set_option(&mut address, option)?;
    }
    Ok(address)
}

fn host_and_port(place: &str) -> Result<(String, u16)> {
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, behind) =
                rest.split_once(']').ok_or_else(|| invalid("a bracket of the address is not closed"))?;
            (host, behind.strip_prefix(':'))
        }
        None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
    };
    if host.is_empty() {
        return Err(invalid("the address names no host"));
    }
    let port = match port.filter(|port| !port.is_empty()) {
        None => DEFAULT_PORT,
        Some(port) => port.parse().ok().filter(|port| *port > 0).ok_or_else(|| {
            invalid(format!("the port of the address is \"{port}\", and has to be a number from 1 to 65535"))
        })?,
    };
    Ok((host.to_owned(), port))
}

fn set_option(address: &mut Address, option: &str) -> Result<()> {
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    let value = decoded(value)?;
    match name {
        "encrypt" => {
            address.encrypt = match value.to_ascii_lowercase().as_str() {
                "off" | "no" | "false" => Encrypt::Off,
                "on" | "yes" | "true" | "" => Encrypt::On,
                "strict" => Encrypt::Strict,
                other => return Err(invalid(format!("encrypt is \"{other}\", and has to be on, off or strict"))),
            }
        }
        "trust" => {
            address.trust = match value.to_ascii_lowercase().as_str() {
                "yes" | "true" | "any" | "" => Trust::Any,
                "no" | "false" | "system" => Trust::Default,
                _ => Trust::File(value),
            }
        }
        other => return Err(invalid(format!("the address has no option \"{other}\": there are encrypt and trust"))),
    }
    Ok(())
}

/// The text behind percent-encoding.
fn decoded(text: &str) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
        match (digit(), digit()) {
            (Some(high), Some(low)) => bytes.push((high * 16 + low) as u8),
            _ => return Err(invalid("a % of the address is not followed by two hexadecimal digits (%25 is a %)")),
        }
    }
    String::from_utf8(bytes).map_err(|_| invalid("a name of the address is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Address {
        Address::parse(text).unwrap().unwrap()
    }

    #[test]
    fn parts_have_defaults() {
        let bare = parsed("tds://db");
        assert_eq!((bare.user.as_deref(), bare.host.as_str(), bare.port), (None, "db", 1433));
        assert_eq!((bare.encrypt, bare.trust, bare.database.as_str()), (Encrypt::On, Trust::Default, ""));
        let full = parsed("TDS://ann%40shop:p%3A%2Fx@[::1]:1500/my%20shop?encrypt=strict&trust=ca.pem");
        assert_eq!((full.user.as_deref(), full.password), (Some("ann@shop"), Some(Password("p:/x".into()))));
        assert_eq!((full.host.as_str(), full.port, full.database.as_str()), ("::1", 1500, "my shop"));
        assert_eq!((full.encrypt, &full.trust), (Encrypt::Strict, &Trust::File("ca.pem".into())));
        assert_eq!(parsed("tds://[::1]:1500").to_string(), "[::1]:1500");
    }

    #[test]
    fn loopback_addresses_are_known() {
        for host in ["127.0.0.1", "localhost", "[::1]", "127.9.9.9"] {
            assert!(parsed(&format!("tds://{host}")).is_loopback(), "{host}");
        }
        assert!(!parsed("tds://db").is_loopback() && !parsed("tds://10.0.0.1").is_loopback());
    }

    #[test]
    fn wrong_parts_are_named() {
        assert!(Address::parse("shop").is_none() && Address::parse("td").is_none());
        for (text, part) in [
            ("tds://", "no host"),
            ("tds://ann@/shop", "no host"),
            ("tds://db:x", "port"),
            ("tds://db:0", "port"),
            ("tds://[::1", "bracket"),
            ("tds://db?encrypt=maybe", "encrypt"),
            ("tds://db?x=1", "option"),
            ("tds://a%4@db", "%25"),
        ] {
            let error = Address::parse(text).unwrap().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
