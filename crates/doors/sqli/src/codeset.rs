//! Codesets of texts on the wire.
//!
//! A client names its locale at login (`CLIENT_LOCALE=en_US.8859-1`); the part behind the point is the codeset of all texts
//! in both directions. ISO 8859-1 is the default of IBM's drivers (codeset 819), UTF-8 the other one in use (57372).

use crate::error::WireError;

/// A codeset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codeset {
    /// ISO 8859-1: each byte is the character of its number.
    #[default]
    Latin1,
    /// UTF-8.
    Utf8,
}

impl Codeset {
    /// The codeset of a locale such as `en_US.utf8`. Locales without a known codeset have the default.
    pub fn of_locale(locale: &str) -> Codeset {
        let codeset = locale.rsplit_once('.').map_or("", |(_, codeset)| codeset).split('@').next().unwrap_or("");
        match codeset.to_ascii_lowercase().as_str() {
            "utf8" | "utf-8" | "57372" => Codeset::Utf8,
            _ => Codeset::Latin1,
        }
    }

    /// The text of these bytes.
    ///
    /// Errors: `Malformed` for bytes that are not UTF-8 where that is the codeset.
    pub fn decode(self, bytes: &[u8]) -> Result<String, WireError> {
        match self {
            Codeset::Latin1 => Ok(bytes.iter().copied().map(char::from).collect()),
            Codeset::Utf8 => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(text.to_owned()),
                Err(_) => Err(WireError::Malformed("a text is not UTF-8")),
            },
        }
    }

    /// Appends a text. A character that the codeset lacks becomes a question mark.
    pub fn encode(self, text: &str, out: &mut Vec<u8>) {
        match self {
            Codeset::Utf8 => out.extend_from_slice(text.as_bytes()),
            Codeset::Latin1 if text.is_ascii() => out.extend_from_slice(text.as_bytes()),
            Codeset::Latin1 => out.extend(text.chars().map(|letter| u8::try_from(letter).unwrap_or(b'?'))),
        }
    }

    /// Appends the start of a text that fits into this many bytes, cut between characters.
    pub fn encode_cut(self, text: &str, most_bytes: usize, out: &mut Vec<u8>) {
        let from = out.len();
        self.encode(text, out);
        let mut end = out.len().min(from + most_bytes);
        if self == Codeset::Utf8 {
            while end < out.len() && end > from && out.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
                end -= 1;
            }
        }
        out.truncate(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codesets_are_taken_from_locales() {
        assert_eq!(Codeset::of_locale("en_US.8859-1"), Codeset::Latin1);
        assert_eq!(Codeset::of_locale("en_us.utf8"), Codeset::Utf8);
        assert_eq!(Codeset::of_locale("de_DE.UTF-8@euro"), Codeset::Utf8);
        assert_eq!(Codeset::of_locale("C"), Codeset::Latin1);
    }

    #[test]
    fn texts_are_cut_between_characters() {
        let mut out = Vec::new();
        Codeset::Utf8.encode_cut("aäb", 2, &mut out);
        assert_eq!(out, b"a");
        out.clear();
        Codeset::Latin1.encode_cut("ä€b", 2, &mut out);
        assert_eq!(out, [0xE4, b'?']);
    }
}
