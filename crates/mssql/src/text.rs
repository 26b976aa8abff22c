//! Text as SQL Server's types count and keep it.
//!
//! A VARCHAR is of code page 1252, a byte a character; a character that the page does not have becomes `?`. An NVARCHAR
//! counts units of UTF-16, so a character beyond the first 65,536 is two. Values are UTF-8 here; lengths and positions
//! are counted where they are asked for, without counting for text that is ASCII.
//!
//! Limit: a position between the halves of a two-unit character is moved before it.

use std::borrow::Cow;

/// The characters of bytes 0x80 to 0x9F in code page 1252. (Five bytes have none and stand for the control character of
/// their number.)
const HIGH: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

/// The byte of a character in code page 1252.
pub fn code_page_byte(character: char) -> Option<u8> {
    match u32::from(character) {
        code @ (0..=0x7F | 0xA0..=0xFF) => Some(code as u8),
        _ => HIGH.iter().position(|c| *c == character).map(|index| 0x80 + index as u8),
    }
}

/// The character of a byte in code page 1252.
pub fn code_page_character(byte: u8) -> char {
    match byte {
        0x80..=0x9F => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// The text with `?` for every character that code page 1252 does not have.
pub fn to_code_page(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || text.chars().all(|c| code_page_byte(c).is_some()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if code_page_byte(c).is_some() { c } else { '?' }).collect())
}

/// The bytes of a VARCHAR.
pub fn code_page_bytes(text: &str) -> Vec<u8> {
    if text.is_ascii() {
        return text.as_bytes().to_vec();
    }
    text.chars().map(|c| code_page_byte(c).unwrap_or(b'?')).collect()
}

/// The bytes of an NVARCHAR: UTF-16, low byte first.
pub fn national_bytes(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The VARCHAR of these bytes.
pub fn from_code_page(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| code_page_character(*byte)).collect()
}

/// The NVARCHAR of these bytes; an odd one at the end stands for a unit of its own.
pub fn from_national(bytes: &[u8]) -> String {
    let unit =
        |pair: &[u8]| u16::from_le_bytes([pair.first().copied().unwrap_or(0), pair.get(1).copied().unwrap_or(0)]);
    char::decode_utf16(bytes.chunks(2).map(unit)).map(|c| c.unwrap_or('\u{FFFD}')).collect()
}

/// How many units of its type a character takes.
fn units(character: char, national: bool) -> usize {
    if national { character.len_utf16() } else { 1 }
}

/// The length of a text: units of UTF-16 or bytes of the code page.
pub fn length(text: &str, national: bool) -> usize {
    match (text.is_ascii(), national) {
        (true, _) => text.len(),
        (false, true) => text.encode_utf16().count(),
        (false, false) => text.chars().count(),
    }
}

/// Where the unit of this number (from 0) starts, in bytes of UTF-8; the end of the text when it is shorter.
pub fn offset(text: &str, unit: usize, national: bool) -> usize {
    if text.is_ascii() {
        return unit.min(text.len());
    }
    let mut before = 0;
    for (at, character) in text.char_indices() {
        let after = before + units(character, national);
        if after > unit {
            return at;
        }
        before = after;
    }
    text.len()
}

/// The first so many units.
pub fn left(text: &str, count: usize, national: bool) -> &str {
    text.get(..offset(text, count, national)).unwrap_or(text)
}

/// The last so many units.
pub fn right(text: &str, count: usize, national: bool) -> &str {
    let skip = length(text, national).saturating_sub(count);
    text.get(offset(text, skip, national)..).unwrap_or_default()
}

/// So many units from the one of this number (from 0) on.
pub fn middle(text: &str, start: usize, count: usize, national: bool) -> &str {
    let rest = text.get(offset(text, start, national)..).unwrap_or_default();
    left(rest, count, national)
}

/// Adds blanks until the text has this length.
pub fn pad(text: &mut String, to: usize, national: bool) {
    let blanks = to.saturating_sub(length(text, national));
    text.extend(std::iter::repeat_n(' ', blanks));
}

/// Bytes as messages and CONVERT show them: `0x01AB`.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 + bytes.len() * 2);
    text.push_str("0x");
    push_hex(bytes, &mut text);
    text
}

/// Appends two digits a byte.
pub fn push_hex(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_page_there_and_back() {
        for byte in 0..=255u8 {
            assert_eq!(code_page_byte(code_page_character(byte)), Some(byte));
        }
        assert_eq!(to_code_page("Zł€"), "Z?€");
        assert_eq!(code_page_bytes("é€漢"), [0xE9, 0x80, b'?']);
    }

    #[test]
    fn units_are_counted_by_type() {
        let text = "a😀é";
        assert_eq!((length(text, true), length(text, false)), (4, 3));
        assert_eq!(left(text, 2, true), "a");
        assert_eq!(left(text, 3, true), "a😀");
        assert_eq!(right(text, 1, true), "é");
        assert_eq!(middle("abcdef", 1, 3, false), "bcd");
        assert_eq!(middle("abc", 5, 3, false), "");
        assert_eq!(from_national(&national_bytes(text)), text);
    }
}
