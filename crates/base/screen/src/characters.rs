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

/// The parts of a string between separators. A separator that is not ASCII separates nothing within a UTF-8 sequence.
pub fn split_fields(bytes: &[u8], separator: u8) -> Vec<Vec<u8>> {
    let mut fields = vec![Vec::new()];
    let mut put = |byte: u8, separates: bool| match fields.last_mut() {
        Some(field) if !separates => field.push(byte),
        _ => fields.push(Vec::new()),
    };
    for chunk in bytes.utf8_chunks() {
        chunk.valid().bytes().for_each(|byte| put(byte, byte == separator && separator.is_ascii()));
        chunk.invalid().iter().for_each(|byte| put(*byte, *byte == separator));
    }
    fields
}

/// The byte of a character in Windows-1252, which PDF calls WinAnsi; none for others.
pub fn to_windows(character: char) -> Option<u8> {
    let above = WINDOWS.iter().position(|known| *known == character).map(|index| index as u8 + 0x80);
    above.or_else(|| u8::try_from(u32::from(character)).ok().filter(|byte| !(0x80..0xa0).contains(byte)))
}

fn windows(byte: u8) -> char {
    let index = usize::from(byte.wrapping_sub(0x80));
    WINDOWS.get(index).copied().unwrap_or(char::from(byte))
}

/// A character that can stand in a cell: control characters are shown as a blank.
pub fn printable(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}
