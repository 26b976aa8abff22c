//! UUIDs: 16 bytes, in the order in which their text shows them (RFC 9562).
//!
//! SQL Server stores the first three fields of a UNIQUEIDENTIFIER in reverse byte order, on the wire and on
//! disk. Its door converts them; here the bytes are those of the text.

use crate::Result;
use crate::scan::not_a;
use std::fmt;

/// Where a hyphen stands before a byte.
const HYPHENS: [usize; 4] = [4, 6, 8, 10];

/// Reads the 36 characters of a UUID in any case, in braces or not; or its 32 digits without hyphens.
pub fn parse(text: &str) -> Result<[u8; 16]> {
    let trimmed = text.trim_ascii();
    let inner = trimmed.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(trimmed);
    let form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx in hexadecimal digits";
    bytes(inner.as_bytes()).ok_or_else(|| not_a("a UUID", text, form))
}

fn bytes(mut text: &[u8]) -> Option<[u8; 16]> {
    let hyphens = text.len() == 36;
    let mut uuid = [0; 16];
    for (i, byte) in uuid.iter_mut().enumerate() {
        if hyphens && HYPHENS.contains(&i) {
            text = text.strip_prefix(b"-")?;
        }
        let (&[high, low], rest) = text.split_first_chunk()?;
        *byte = (digit(high)? << 4) | digit(low)?;
        text = rest;
    }
    text.is_empty().then_some(uuid)
}

fn digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).map(|digit| digit as u8)
}

/// As text: 36 characters, digits in lower case.
pub fn display(uuid: [u8; 16]) -> impl fmt::Display {
    Shown(uuid)
}

struct Shown([u8; 16]);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, byte) in self.0.iter().enumerate() {
            if HYPHENS.contains(&i) {
                f.write_str("-")?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let text = "00112233-4455-6677-8899-aabbccddeeff";
        let uuid = parse(text).unwrap();
        assert_eq!((uuid[0], uuid[15], display(uuid).to_string()), (0, 0xFF, text.to_owned()));
        for same in [format!("{{{text}}}"), text.to_uppercase(), text.replace('-', ""), format!(" {text} ")] {
            assert_eq!(parse(&same).unwrap(), uuid, "{same}");
        }
        for wrong in ["", "{", "0011", &text[1..], &text.replace('f', "g"), &format!("{{{text}"), &format!("{text}00")]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse("0011223-34455-6677-8899-aabbccddeeff").is_err());
    }
}
