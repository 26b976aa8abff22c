//! The code page of strings and records of Business BASIC: bytes to characters and back.
//!
//! **Problem.** Strings of a program are bytes, and a character is one of them: LEN( ), POS( ), substrings and lengths in files count
//! so. Terminals, browsers, SQL and today's source files have Unicode.
//!
//! **Idea.** Strings and records have one code page, and every border converts: [`encode`] on the way in, [`decode`] on the way out.
//! Nothing looks at a string to guess its encoding. Text from a file or a pipe is the exception ([`import`]): legacy files
//! are 8-bit text already.
//!
//! The page is Windows-1252. Its undefined bytes (81, 8D, 8F, 90, 9D) are the control characters of their numbers, and so is 8A,
//! the separator of fields: the letter that Windows-1252 has there would divide a field. All 256 bytes thus are different
//! characters, and what was decoded encodes to the same bytes. A character that the page does not have becomes `?`.

use std::borrow::Cow;

/// Bytes 80 to 9F.
const UPPER: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', '\u{8a}', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
    '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The byte of characters that the page does not have.
const MISSING: u8 = b'?';

/// The character of a byte.
pub fn character(byte: u8) -> char {
    let index = usize::from(byte.wrapping_sub(0x80));
    UPPER.get(index).copied().unwrap_or(char::from(byte))
}

/// The byte of a character, if the page has it.
pub fn byte(character: char) -> Option<u8> {
    match u8::try_from(u32::from(character)) {
        Ok(byte) if self::character(byte) == character => Some(byte),
        _ => (0x80_u8..).zip(UPPER).find(|(_, known)| *known == character).map(|(byte, _)| byte),
    }
}

/// The characters of a string.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.is_ascii() => Cow::Borrowed(text),
        _ => Cow::Owned(bytes.iter().map(|byte| character(*byte)).collect()),
    }
}

/// The bytes of a text, with `?` for characters that the page does not have.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    match text.is_ascii() {
        true => Cow::Borrowed(text.as_bytes()),
        false => Cow::Owned(text.chars().map(|character| byte(character).unwrap_or(MISSING)).collect()),
    }
}

/// The bytes of a text from a file or a pipe: one that is valid UTF-8 is encoded, without its byte order mark; another one is 8-bit
/// text already.
pub fn import(text: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(text) {
        Ok(text) => encode(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(_) => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_come_back() {
        let all: Vec<u8> = (0..=255).collect();
        let text = decode(&all).into_owned();
        assert_eq!((text.chars().count(), encode(&text).as_ref()), (256, &all[..]));
    }

    #[test]
    fn letters_are_those_of_windows_1252() {
        assert_eq!(encode("Müller, 5 €").as_ref(), b"M\xFCller, 5 \x80");
        assert_eq!(decode(b"M\xC3\xBCller"), "MÃ¼ller");
        // 8A is the separator of fields.
        assert_eq!(encode("→Škoda").as_ref(), b"??koda");
    }

    #[test]
    fn files_are_utf_8_or_8_bit_text() {
        assert_eq!(import("\u{feff}é".as_bytes()).as_ref(), b"\xE9");
        assert_eq!(import(b"caf\xE9 \xC3\xA9").as_ref(), b"caf\xE9 \xC3\xA9");
    }
}
