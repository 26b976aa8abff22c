//! Characters of a program's strings, which are bytes.
//!
//! Text is UTF-8. A byte that is not part of a valid sequence is a character of Windows-1252, so that programs and files of
//! older systems show as they did there; its five undefined bytes are characters of the Unicode block of controls.

use std::borrow::Cow;

/// Windows-1252 from 80 to 9F.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The characters of a string.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| windows(*byte)));
    }
    Cow::Owned(text)
}

/// The characters of a string in which `SEP` (8A) becomes `separator`. A byte 8A within a UTF-8 sequence separates nothing.
pub fn decode_fields(bytes: &[u8], separator: char) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| if *byte == 0x8a { separator } else { windows(*byte) }));
    }
    text
}

fn windows(byte: u8) -> char {
    let index = usize::from(byte.wrapping_sub(0x80));
    WINDOWS.get(index).copied().unwrap_or(char::from(byte))
}

/// A character that can stand in a cell: control characters are shown as a blank.
pub fn printable(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}
