//! Characters of a program's strings, which are bytes of one code page.

pub use mainstay_code_page::{decode, encode};

/// The characters of a string in which `SEP` (8A) becomes `separator`.
pub fn decode_fields(bytes: &[u8], separator: char) -> String {
    let character = |byte: &u8| if *byte == 0x8a { separator } else { mainstay_code_page::character(*byte) };
    bytes.iter().map(character).collect()
}

/// The parts of a string between separators.
pub fn split_fields(bytes: &[u8], separator: u8) -> Vec<Vec<u8>> {
    bytes.split(|byte| *byte == separator).map(<[u8]>::to_vec).collect()
}

/// A character that can stand in a cell: control characters are shown as a blank.
pub fn printable(character: char) -> char {
    if character.is_control() { ' ' } else { character }
}

/// The byte that a typed character is in a string, in upper case if that is wanted and the page has it; `?` for a character
/// that the page does not have.
pub fn typed_byte(character: char, upper: bool) -> u8 {
    let mut capital = character.to_uppercase();
    let capital = match (upper, capital.next(), capital.next()) {
        (true, Some(capital), None) => mainstay_code_page::byte(capital),
        _ => None,
    };
    capital.or_else(|| mainstay_code_page::byte(character)).unwrap_or(b'?')
}
