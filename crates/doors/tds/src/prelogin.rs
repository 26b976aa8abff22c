//! PRELOGIN: the negotiation between client and server before a login, encryption above all.
//!
//! ```text
//!   { option, offset BE, length BE } ... FF   then the options' data, at the offsets
//! ```
//!
//! The same form both ways. (MS-TDS 2.2.6.5.)

use crate::error::{Wire, WireError};
use crate::reader::Reader;

/// The longest that is read: the options that there are take less than 200 bytes.
pub const LONGEST_PRELOGIN: usize = 4096;

const VERSION: u8 = 0;
const ENCRYPTION: u8 = 1;
const INSTANCE: u8 = 2;
const THREAD: u8 = 3;
const MARS: u8 = 4;
const FEDERATED: u8 = 6;
const END: u8 = 0xFF;

/// The encryption option of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encryption {
    /// It can, and would rather only encrypt the login.
    Off,
    /// It wants everything encrypted.
    On,
    /// It cannot.
    NotSupported,
    /// It insists, or has it already.
    Required,
}

impl Encryption {
    fn number(self) -> u8 {
        match self {
            Encryption::Off => 0,
            Encryption::On => 1,
            Encryption::NotSupported => 2,
            Encryption::Required => 3,
        }
    }
}

/// The options of a PRELOGIN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreLogin {
    /// The version of the sender: major, minor, build.
    pub version: (u8, u8, u16),
    /// The encryption option.
    pub encryption: Encryption,
    /// The instance that the client wants; of no importance here.
    pub instance: String,
    /// True if it wants several results at a time (MARS).
    pub mars: bool,
    /// True if it asks, or says, that federated authentication is needed.
    pub federated: Option<bool>,
}

impl PreLogin {
    /// Reads one.
    pub fn decode(message: &[u8]) -> Wire<PreLogin> {
        let mut decoded = PreLogin {
            version: (0, 0, 0),
            encryption: Encryption::NotSupported,
            instance: String::new(),
            mars: false,
            federated: None,
        };
        let mut reader = Reader::new(message);
        loop {
            let option = reader.u8()?;
            if option == END {
                return Ok(decoded);
            }
            let (start, length) = (usize::from(reader.u16_big_endian()?), usize::from(reader.u16_big_endian()?));
            let data = message.get(start..start + length).ok_or(WireError::Malformed("an option beyond its end"))?;
            match (option, data) {
                (VERSION, &[major, minor, high, low, ..]) => {
                    decoded.version = (major, minor, u16::from_be_bytes([high, low]));
                }
                (ENCRYPTION, &[number, ..]) => {
                    decoded.encryption = match number & 0x0F {
                        0 => Encryption::Off,
                        1 => Encryption::On,
                        2 => Encryption::NotSupported,
                        // 4 is said inside TLS that began before (go-mssqldb), where there is nothing left to agree on.
                        3 | 4 => Encryption::Required,
                        _ => return Err(WireError::Malformed("an unknown wish for encryption")),
                    };
                }
                (INSTANCE, name) => {
                    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
                    decoded.instance = String::from_utf8_lossy(name).into_owned();
                }
                (MARS, &[number, ..]) => decoded.mars = number != 0,
                (FEDERATED, &[number, ..]) => decoded.federated = Some(number != 0),
                // Options that come later are not for us, and a client is content without an answer to them.
                _ => {}
            }
        }
    }

    /// Appends it as the bytes of a message.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let (major, minor, build) = self.version;
        let [high, low] = build.to_be_bytes();
        let mut instance = self.instance.clone().into_bytes();
        instance.push(0);
        let mut options = vec![
            (VERSION, vec![major, minor, high, low, 0, 0]),
            (ENCRYPTION, vec![self.encryption.number()]),
            (INSTANCE, instance),
            (THREAD, Vec::new()),
            (MARS, vec![u8::from(self.mars)]),
        ];
        if let Some(federated) = self.federated {
            options.push((FEDERATED, vec![u8::from(federated)]));
        }
        let mut offset = options.len() * 5 + 1;
        for (option, data) in &options {
            out.push(*option);
            out.extend_from_slice(&(offset as u16).to_be_bytes());
            out.extend_from_slice(&(data.len() as u16).to_be_bytes());
            offset += data.len();
        }
        out.push(END);
        options.iter().for_each(|(_, data)| out.extend_from_slice(data));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_by_the_book() {
        let answer = PreLogin {
            version: (16, 0, 1000),
            encryption: Encryption::NotSupported,
            instance: String::new(),
            mars: false,
            federated: None,
        };
        let mut out = Vec::new();
        answer.encode(&mut out);
        let options = [[0, 0, 26, 0, 6], [1, 0, 32, 0, 1], [2, 0, 33, 0, 1], [3, 0, 34, 0, 0], [4, 0, 34, 0, 1]];
        let data = [&[0xFF][..], &[16, 0, 3, 0xE8, 0, 0], &[2], &[0], &[0]].concat();
        assert_eq!(out, [options.concat(), data].concat());
        assert_eq!(PreLogin::decode(&out), Ok(answer));
    }

    #[test]
    fn options_beyond_the_end_are_refused() {
        assert_eq!(PreLogin::decode(&[]), Err(WireError::Incomplete));
        assert!(PreLogin::decode(&[0, 0, 6, 0, 6, 0xFF, 1, 2]).is_err());
        assert!(PreLogin::decode(&[1, 0, 6, 0, 1, 0xFF, 9]).is_err());
        assert!(PreLogin::decode(&[1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]).is_err());
        // A client's certificate (0x80) is not asked for, but said to be there.
        assert_eq!(PreLogin::decode(&[1, 0, 6, 0, 1, 0xFF, 0x81]).map(|it| it.encryption), Ok(Encryption::On));
    }
}
