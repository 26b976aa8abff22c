//! Tables for the attributes C, L and T: upper case, lower case, and letters without accents, of the code page ISO 8859-1.
//!
//! The tables are fixed: keys that were made with one table cannot be found with another one. DEF UCS, DEF LCS and DEF CVS
//! change the functions of the language, not the keys of files.

/// The upper-case letter of a byte.
pub(super) fn upper(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => byte - 32,
        0xF7 => byte,
        0xE0..=0xFE => byte - 32,
        _ => byte,
    }
}

/// The lower-case letter of a byte.
pub(super) fn lower(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' => byte + 32,
        0xD7 => byte,
        0xC0..=0xDE => byte + 32,
        _ => byte,
    }
}

/// The letter without its accent.
pub fn without_accent(byte: u8) -> u8 {
    /// Of the bytes from C0 to DF; those from E0 to FF are the same in lower case.
    const BASE: [u8; 32] = *b"AAAAAA\xC6CEEEEIIII\xD0NOOOOO\xD7OUUUUY\xDE\xDF";
    match byte {
        0xC0..=0xDF => BASE[usize::from(byte - 0xC0)],
        0xF7 | 0xE6 | 0xF0 | 0xFE => byte,
        0xFF => b'y',
        0xE0..=0xFE => lower(BASE[usize::from(byte - 0xE0)]),
        _ => byte,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_the_code_page() {
        // ISO 8859-1: E9 is e acute, C9 is E acute, F1 is n tilde, D7 and F7 are signs, DF is sharp s.
        assert_eq!((upper(0xE9), lower(0xC9), without_accent(0xE9), without_accent(0xC9)), (0xC9, 0xE9, b'e', b'E'));
        assert_eq!((without_accent(0xF1), without_accent(0xD1), without_accent(0xFF)), (b'n', b'N', b'y'));
        for sign in [0xD7, 0xF7, 0xDF, b'1', b'[', 0xC6, 0xE6] {
            assert_eq!(without_accent(sign), sign);
        }
        assert_eq!((upper(0xF7), lower(0xD7), upper(b'z'), lower(b'A'), upper(0xDF)), (0xF7, 0xD7, b'Z', b'a', 0xDF));
    }
}
