//! LOGIN7: the identity of a client, and the settings of its session.
//!
//! ```text
//!   0   length, version, packet size, client version, process, connection    6 x 4 bytes
//!   24  option flags 1 and 2, type flags, option flags 3                     4 bytes
//!   28  time zone, language code                                             2 x 4 bytes
//!   36  {offset, length} of host, user, password, application, server, extension, library, language, database
//!   72  client id (6 bytes); then {offset, length} of SSPI, file to attach; from 7.2 on new password, long SSPI length
//! ```
//!
//! Offsets count from the first byte, lengths of texts are in UTF-16 units. The extension points to the features: each
//! a number, a length of four bytes and data, up to FF. (MS-TDS 2.2.6.4.)

use crate::error::{Wire, WireError};
use crate::reader::{Reader, utf16_text};
use crate::version::Version;
use std::fmt;

/// The longest login that is read; the protocol allows no longer one.
pub const LONGEST_LOGIN: usize = 128 * 1024;

/// Texts of a login may have so many UTF-16 units.
const LONGEST_TEXT: u16 = 128;
/// Features a client may ask for; there are fewer.
const MOST_FEATURES: usize = 64;

/// A password, which does not show itself in logs.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Password(pub String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// A feature that a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its number: see the constants.
    pub id: u8,
    /// The client's data about it.
    pub data: Vec<u8>,
}

impl Feature {
    /// A session that is restored after its connection broke.
    pub const SESSION_RECOVERY: u8 = 0x01;
    /// Federated authentication.
    pub const FEDERATED: u8 = 0x02;
    /// VARCHAR may be UTF-8.
    pub const UTF8: u8 = 0x0A;
}

/// A login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// The version that is spoken from here on.
    pub version: Version,
    /// The size of packets that the client wants; 0 leaves it to the server.
    pub packet_size: u32,
    /// The client library's version, as it says itself.
    pub client_version: u32,
    /// The client's process.
    pub process_id: u32,
    /// True if the client only means to read.
    pub read_only: bool,
    /// True if the client speaks ODBC: it wants ANSI settings.
    pub odbc: bool,
    /// True if the login is refused when its database cannot be used.
    pub database_required: bool,
    /// The client's machine.
    pub host: String,
    /// The user.
    pub user: String,
    /// The password, in clear.
    pub password: Password,
    /// The program.
    pub application: String,
    /// The server's name, as the client knows it.
    pub server: String,
    /// The client library.
    pub library: String,
    /// The language of messages that the client wants; empty for the server's.
    pub language: String,
    /// The database that the client wants; empty for the user's own.
    pub database: String,
    /// True if the client wants to be known by its operating system's user, which is not supported.
    pub integrated: bool,
    /// A new password for a user whose own has expired.
    pub new_password: Option<Password>,
    /// The features that it asks for, if it knows of any.
    pub features: Option<Vec<Feature>>,
}

impl Login {
    /// Reads one.
    pub fn decode(message: &[u8]) -> Wire<Login> {
        if message.len() > LONGEST_LOGIN {
            return Err(WireError::TooLong("a login", LONGEST_LOGIN));
        }
        let mut reader = Reader::new(message);
        let length = reader.u32()?;
        if usize::try_from(length).ok() != Some(message.len()) {
            return Err(WireError::Malformed("a login of another length than it says"));
        }
        let requested = reader.u32()?;
        let version = Version::negotiated(requested)
            .ok_or_else(|| WireError::Unsupported(format!("version {requested:08X} of the protocol")))?;
        let (packet_size, client_version, process_id) = (reader.u32()?, reader.u32()?, reader.u32()?);
        let _connection_id = reader.u32()?;
        let [flags1, flags2, type_flags, flags3] = reader.array()?;
        let (_time_zone, _language_code) = (reader.i32()?, reader.u32()?);
        let mut text = || text(message, reader.u16()?, reader.u16()?);
        let (host, user) = (text()?, text()?);
        let password = revealed(slice(message, reader.u16()?, reader.u16()?)?);
        let mut text = || self::text(message, reader.u16()?, reader.u16()?);
        let (application, server) = (text()?, text()?);
        let (extension, extension_length) = (reader.u16()?, reader.u16()?);
        let mut text = || self::text(message, reader.u16()?, reader.u16()?);
        let (library, language, database) = (text()?, text()?, text()?);
        let _client_id = reader.bytes(6)?;
        let (_sspi, sspi_length) = (reader.u16()?, reader.u16()?);
        let _file = (reader.u16()?, reader.u16()?);
        let mut new_password = None;
        if version >= Version::V7_2 {
            let (offset, length) = (reader.u16()?, reader.u16()?);
            if flags3 & 0x01 != 0 {
                new_password = Some(revealed(slice(message, offset, length)?));
            }
        }
        let features = match flags3 & 0x10 != 0 && version >= Version::V7_4 {
            true if extension_length >= 4 => Some(features(message, extension)?),
            _ => None,
        };
        Ok(Login {
            version,
            packet_size,
            client_version,
            process_id,
            read_only: type_flags & 0x20 != 0,
            odbc: flags2 & 0x02 != 0,
            database_required: flags1 & 0x40 != 0,
            host,
            user,
            password,
            application,
            server,
            library,
            language,
            database,
            integrated: flags2 & 0x80 != 0 || sspi_length != 0,
            new_password,
            features,
        })
    }

    /// Returns true if the client asks for a feature.
    pub fn asks_for(&self, feature: u8) -> bool {
        self.features.iter().flatten().any(|asked| asked.id == feature)
    }
}

/// So many UTF-16 units, which lie in the message as a whole.
fn slice(message: &[u8], offset: u16, units: u16) -> Wire<&[u8]> {
    if units > LONGEST_TEXT {
        return Err(WireError::TooLong("a text of a login", 2 * usize::from(LONGEST_TEXT)));
    }
    let start = usize::from(offset);
    // The offset of what is empty may be anything.
    if units == 0 {
        return Ok(&[]);
    }
    message.get(start..start + 2 * usize::from(units)).ok_or(WireError::Malformed("a text beyond its end"))
}

fn text(message: &[u8], offset: u16, units: u16) -> Wire<String> {
    slice(message, offset, units).map(utf16_text)
}

/// The password in clear text: each byte is sent with its halves exchanged, and XORed with A5. This does not protect
/// it; TLS does.
fn revealed(hidden: &[u8]) -> Password {
    let bytes: Vec<u8> = hidden.iter().map(|byte| (byte ^ 0xA5).rotate_left(4)).collect();
    Password(utf16_text(&bytes))
}

fn features(message: &[u8], extension: u16) -> Wire<Vec<Feature>> {
    let at = |start: usize| message.get(start..).ok_or(WireError::Malformed("an extension beyond its end"));
    let start = Reader::new(at(usize::from(extension))?).u32()?;
    let mut reader = Reader::new(at(usize::try_from(start).unwrap_or(usize::MAX))?);
    let mut features = Vec::new();
    loop {
        let id = reader.u8()?;
        if id == 0xFF {
            return Ok(features);
        }
        if features.len() == MOST_FEATURES {
            return Err(WireError::Malformed("more features than there are"));
        }
        let length = usize::try_from(reader.u32()?).map_err(|_| WireError::Incomplete)?;
        features.push(Feature { id, data: reader.bytes(length)?.to_vec() });
    }
}

/// A login as a client sends it.
impl Login {
    /// Appends it as the bytes of a message.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let plain = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
        let hide = |text: &str| plain(text).iter().map(|byte| byte.rotate_left(4) ^ 0xA5).collect::<Vec<u8>>();
        let extension = if self.features.is_some() { vec![0; 4] } else { Vec::new() };
        let new_password = self.new_password.clone().unwrap_or_default();
        let parts = [
            (plain(&self.host), 2),
            (plain(&self.user), 2),
            (hide(&self.password.0), 2),
            (plain(&self.application), 2),
            (plain(&self.server), 2),
            (extension, 1),
            (plain(&self.library), 2),
            (plain(&self.language), 2),
            (plain(&self.database), 2),
        ];
        let version = match self.version {
            Version::V8_0 => 0x0800_0000,
            other => u32::from_be_bytes(other.acknowledged()),
        };
        let start = out.len();
        let flags3 = u8::from(self.new_password.is_some()) | if self.features.is_some() { 0x10 } else { 0 };
        let numbers = [0, version, self.packet_size, self.client_version, self.process_id, 0];
        numbers.iter().for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        let flags1 = 0xA0 | if self.database_required { 0x40 } else { 0 };
        let flags2 = if self.odbc { 2 } else { 0 } | if self.integrated { 0x80 } else { 0 };
        out.extend_from_slice(&[flags1, flags2, if self.read_only { 0x20 } else { 0 }, flags3]);
        out.extend_from_slice(&[0; 8]);
        let header = if self.version >= Version::V7_2 { 94 } else { 86 };
        let (mut data, mut extension_at) = (Vec::new(), 0);
        let mut place = |out: &mut Vec<u8>, part: &[u8], unit: usize| {
            out.extend_from_slice(&((header + data.len()) as u16).to_le_bytes());
            out.extend_from_slice(&((part.len() / unit) as u16).to_le_bytes());
            if unit == 1 {
                extension_at = data.len();
            }
            data.extend_from_slice(part);
        };
        parts.iter().for_each(|(part, unit)| place(out, part, *unit));
        out.extend_from_slice(&[0; 6]);
        place(out, &[], 2);
        place(out, &[], 2);
        if self.version >= Version::V7_2 {
            place(out, &hide(&new_password.0), 2);
            out.extend_from_slice(&[0; 4]);
        }
        if let Some(features) = &self.features {
            let at = ((header + data.len()) as u32).to_le_bytes();
            data.splice(extension_at..extension_at + 4, at);
            for feature in features {
                data.push(feature.id);
                data.extend_from_slice(&(feature.data.len() as u32).to_le_bytes());
                data.extend_from_slice(&feature.data);
            }
            data.push(0xFF);
        }
        out.extend_from_slice(&data);
        let length = (out.len() - start) as u32;
        out.splice(start..start + 4, length.to_le_bytes());
    }

    /// A plain login of a user, for tests.
    pub fn of(user: &str, password: &str, version: Version) -> Login {
        Login {
            version,
            packet_size: 4096,
            client_version: 7,
            process_id: 1,
            read_only: false,
            odbc: true,
            database_required: false,
            host: "client".into(),
            user: user.into(),
            password: Password(password.into()),
            application: "test".into(),
            server: "server".into(),
            library: "mainstay".into(),
            language: String::new(),
            database: String::new(),
            integrated: false,
            new_password: None,
            features: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(login: &Login) -> Vec<u8> {
        let mut out = Vec::new();
        login.encode(&mut out);
        out
    }

    #[test]
    fn logins_of_all_versions_come_back() {
        let versions = [Version::V7_1, Version::V7_2, Version::V7_3A, Version::V7_3B, Version::V7_4, Version::V8_0];
        for version in versions {
            let mut login = Login::of("sa", "p@ss wörd €", version);
            login.database = "shop".into();
            if version >= Version::V7_4 {
                let data = vec![1, 2, 3];
                login.features = Some(vec![Feature { id: 1, data }, Feature { id: Feature::UTF8, data: Vec::new() }]);
                login.new_password = Some(Password("new".into()));
            }
            let decoded = Login::decode(&encoded(&login)).unwrap();
            assert_eq!(decoded, login);
            assert_eq!(decoded.asks_for(Feature::UTF8), version >= Version::V7_4);
        }
    }

    #[test]
    fn passwords_are_turned_as_the_protocol_says_and_never_shown() {
        // MS-TDS, 2.2.6.4: 'a' is 0x61 0x00, exchanged 0x16 0x00, turned 0xB3 0xA5.
        assert_eq!(revealed(&[0xB3, 0xA5]).0, "a");
        assert!(!format!("{:?}", Login::of("sa", "secret", Version::V7_4)).contains("secret"));
    }

    #[test]
    fn what_is_beyond_the_end_is_refused() {
        let good = encoded(&Login::of("sa", "", Version::V7_4));
        for length in 0..good.len() {
            assert!(Login::decode(&good[..length]).is_err(), "{length}");
        }
        for field in 0..9 {
            let mut bad = good.clone();
            bad[36 + 4 * field + 2] = 100;
            bad[36 + 4 * field] = 0xF0;
            let decoded = Login::decode(&bad);
            // The extension is not looked at where its flag is not set.
            assert_eq!(decoded.is_err(), field != 5, "{field}");
        }
        let mut old = good;
        old[4..8].copy_from_slice(&0x7000_0000u32.to_le_bytes());
        assert!(matches!(Login::decode(&old), Err(WireError::Unsupported(_))));
    }
}
