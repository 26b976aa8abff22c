//! Code pages of Windows and DOS: the bytes of characters, and back.
//!
//! Values are UTF-8 everywhere. Where a column or a protocol has texts of a code page, the page determines the characters of a
//! text (others become `?`), its length in bytes, and the bytes themselves.
//!
//! ```text
//!   Łódź  --cp1250-->  Łódź  --bytes-->  A3 F3 64 9F
//!         --cp1252-->  ?ód?  --bytes-->  3F F3 64 3F
//! ```
//!
//! The pages of Windows are those of the Encoding Standard (`encoding_rs`), those of DOS come from `oem_cp`.
//!
//! Limits: SQL Server substitutes the most similar letter for one that the page lacks (`l` for `ł`); here it becomes
//! `?`.

use encoding_rs::Encoding;
use std::borrow::Cow;
use std::fmt;

/// A code page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CodePage {
    /// DOS, United States.
    Cp437,
    /// DOS, Western Europe.
    Cp850,
    /// Thai.
    Cp874,
    /// Japanese (Shift-JIS).
    Cp932,
    /// Simplified Chinese (GBK).
    Cp936,
    /// Korean.
    Cp949,
    /// Traditional Chinese (Big5).
    Cp950,
    /// Central Europe.
    Cp1250,
    /// Cyrillic.
    Cp1251,
    /// Western Europe: what a database has unless it says another.
    #[default]
    Cp1252,
    /// Greek.
    Cp1253,
    /// Turkish.
    Cp1254,
    /// Hebrew.
    Cp1255,
    /// Arabic.
    Cp1256,
    /// Baltic.
    Cp1257,
    /// Vietnamese.
    Cp1258,
    /// UTF-8.
    Utf8,
}

/// Every page with its number and, where that has it, its name in the Encoding Standard.
const PAGES: [(CodePage, u16, Option<&Encoding>); 17] = [
    (CodePage::Cp437, 437, None),
    (CodePage::Cp850, 850, None),
    (CodePage::Cp874, 874, Some(encoding_rs::WINDOWS_874)),
    (CodePage::Cp932, 932, Some(encoding_rs::SHIFT_JIS)),
    (CodePage::Cp936, 936, Some(encoding_rs::GBK)),
    (CodePage::Cp949, 949, Some(encoding_rs::EUC_KR)),
    (CodePage::Cp950, 950, Some(encoding_rs::BIG5)),
    (CodePage::Cp1250, 1250, Some(encoding_rs::WINDOWS_1250)),
    (CodePage::Cp1251, 1251, Some(encoding_rs::WINDOWS_1251)),
    (CodePage::Cp1252, 1252, Some(encoding_rs::WINDOWS_1252)),
    (CodePage::Cp1253, 1253, Some(encoding_rs::WINDOWS_1253)),
    (CodePage::Cp1254, 1254, Some(encoding_rs::WINDOWS_1254)),
    (CodePage::Cp1255, 1255, Some(encoding_rs::WINDOWS_1255)),
    (CodePage::Cp1256, 1256, Some(encoding_rs::WINDOWS_1256)),
    (CodePage::Cp1257, 1257, Some(encoding_rs::WINDOWS_1257)),
    (CodePage::Cp1258, 1258, Some(encoding_rs::WINDOWS_1258)),
    (CodePage::Utf8, 65001, Some(encoding_rs::UTF_8)),
];

/// As types write it behind themselves: `cp1250`.
impl fmt::Display for CodePage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cp{}", self.number())
    }
}

impl CodePage {
    /// The default code page of a database.
    pub const DEFAULT: CodePage = CodePage::Cp1252;

    /// The page of this number: 1252, 65001.
    pub fn from_number(number: u16) -> Option<CodePage> {
        PAGES.iter().find(|(_, known, _)| *known == number).map(|(page, ..)| *page)
    }

    /// The page as types write it: `cp1250`.
    pub fn by_name(name: &str) -> Option<CodePage> {
        name.strip_prefix("cp")?.parse().ok().and_then(CodePage::from_number)
    }

    /// Its number: 1252; 65001 for UTF-8.
    pub fn number(self) -> u16 {
        PAGES.iter().find(|(page, ..)| *page == self).map_or(1252, |(_, number, _)| *number)
    }

    /// The name in INFORMATION_SCHEMA: `iso_1`, `cp1250`.
    pub fn character_set(self) -> &'static str {
        match self {
            CodePage::Cp437 => "cp437",
            CodePage::Cp850 => "cp850",
            CodePage::Cp874 => "cp874",
            CodePage::Cp932 => "cp932",
            CodePage::Cp936 => "cp936",
            CodePage::Cp949 => "cp949",
            CodePage::Cp950 => "cp950",
            CodePage::Cp1250 => "cp1250",
            CodePage::Cp1251 => "cp1251",
            CodePage::Cp1252 => "iso_1",
            CodePage::Cp1253 => "cp1253",
            CodePage::Cp1254 => "cp1254",
            CodePage::Cp1255 => "cp1255",
            CodePage::Cp1256 => "cp1256",
            CodePage::Cp1257 => "cp1257",
            CodePage::Cp1258 => "cp1258",
            CodePage::Utf8 => "UTF-8",
        }
    }

    fn encoding(self) -> Option<&'static Encoding> {
        PAGES.iter().find(|(page, ..)| *page == self).and_then(|(.., encoding)| *encoding)
    }

    /// The most bytes that a character takes.
    pub fn most_bytes(self) -> usize {
        match self {
            CodePage::Cp932 | CodePage::Cp936 | CodePage::Cp949 | CodePage::Cp950 => 2,
            CodePage::Utf8 => 4,
            _ => 1,
        }
    }

    /// The page of a text of these two: the one that is not the default's, or the first.
    pub fn meet(self, other: CodePage) -> CodePage {
        if self == CodePage::DEFAULT { other } else { self }
    }

    /// Appends the bytes of a character; `false`, and nothing, for one that the page does not have.
    fn push(self, character: char, out: &mut Vec<u8>) -> bool {
        if character.is_ascii() {
            out.push(character as u8);
            return true;
        }
        let mut buffer = [0; 4];
        let text: &str = character.encode_utf8(&mut buffer);
        match (self, self.encoding()) {
            (CodePage::Utf8, _) => out.extend_from_slice(text.as_bytes()),
            (_, Some(encoding)) => match encoding.encode(text) {
                (bytes, _, false) => out.extend_from_slice(&bytes),
                (.., true) => return false,
            },
            (page, None) => match dos(page).iter().position(|known| *known == character) {
                Some(place) => out.push(0x80 + place as u8),
                None => return false,
            },
        }
        true
    }

    /// Returns true if the page has a character.
    pub fn has(self, character: char) -> bool {
        self == CodePage::Utf8 || self.push(character, &mut Vec::new())
    }

    /// The number of bytes of a character; one if it becomes `?`.
    pub fn bytes_of(self, character: char) -> usize {
        match self.most_bytes() {
            _ if character.is_ascii() => 1,
            1 => 1,
            4 => character.len_utf8(),
            _ => {
                let mut bytes = Vec::with_capacity(2);
                self.push(character, &mut bytes);
                bytes.len().max(1)
            }
        }
    }

    /// The bytes of a text, with `?` for every character that the page does not have.
    pub fn encode(self, text: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(text.len());
        self.encode_into(text, &mut bytes);
        bytes
    }

    /// Appends the bytes of a text, with `?` for every character that the page does not have.
    pub fn encode_into(self, text: &str, out: &mut Vec<u8>) {
        if text.is_ascii() || self == CodePage::Utf8 {
            out.extend_from_slice(text.as_bytes());
            return;
        }
        if let Some(encoding) = self.encoding()
            && let (bytes, _, false) = encoding.encode(text)
        {
            out.extend_from_slice(&bytes);
            return;
        }
        for character in text.chars() {
            if !self.push(character, out) {
                out.push(b'?');
            }
        }
    }

    /// The text of these bytes. What the page does not define becomes U+FFFD.
    pub fn decode(self, bytes: &[u8]) -> String {
        match self.encoding() {
            Some(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
            None => bytes.iter().map(|byte| self.dos_character(*byte)).collect(),
        }
    }

    fn dos_character(self, byte: u8) -> char {
        match byte {
            0..=0x7F => char::from(byte),
            _ => dos(self)[usize::from(byte & 0x7F)],
        }
    }

    /// The text with `?` for every character that the page does not have.
    pub fn kept(self, text: &str) -> Cow<'_, str> {
        let is_kept = text.is_ascii()
            || match self.encoding() {
                Some(encoding) => !encoding.encode(text).2,
                None => text.chars().all(|c| self.has(c)),
            };
        if is_kept {
            return Cow::Borrowed(text);
        }
        Cow::Owned(text.chars().map(|c| if self.has(c) { c } else { '?' }).collect())
    }
}

/// The characters of the bytes from 0x80 in a page of DOS.
fn dos(page: CodePage) -> &'static [char; 128] {
    match page {
        CodePage::Cp850 => &oem_cp::code_table::DECODING_TABLE_CP850,
        _ => &oem_cp::code_table::DECODING_TABLE_CP437,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_page_of_single_bytes_is_its_character() {
        for (page, ..) in PAGES.iter().filter(|(page, ..)| page.most_bytes() == 1) {
            for byte in 0..=255u8 {
                let text = page.decode(&[byte]);
                if text != "\u{FFFD}" {
                    assert_eq!(page.encode(&text), [byte], "{page} {byte:02X}");
                }
            }
        }
    }

    #[test]
    fn characters_that_a_page_lacks_are_question_marks() {
        for (page, text, bytes) in [
            (CodePage::Cp1252, "Zł€", &[b'Z', b'?', 0x80][..]),
            (CodePage::Cp1250, "Łódź 漢", &[0xA3, 0xF3, b'd', 0x9F, b' ', b'?']),
            (CodePage::Cp1251, "Дом é", &[0xC4, 0xEE, 0xEC, b' ', b'?']),
            (CodePage::Cp437, "äΣ€", &[0x84, 0xE4, b'?']),
            (CodePage::Cp850, "äØ", &[0x84, 0x9D]),
            (CodePage::Cp932, "日本ｱ", &[0x93, 0xFA, 0x96, 0x7B, 0xB1]),
            (CodePage::Cp936, "中", &[0xD6, 0xD0]),
            (CodePage::Cp949, "한", &[0xC7, 0xD1]),
            (CodePage::Cp950, "中", &[0xA4, 0xA4]),
            (CodePage::Utf8, "é", &[0xC3, 0xA9]),
        ] {
            assert_eq!(page.encode(text), bytes, "{page}");
            assert_eq!(page.decode(bytes), page.kept(text), "{page}");
            assert_eq!(text.chars().map(|c| page.bytes_of(c)).sum::<usize>(), bytes.len(), "{page}");
        }
    }

    #[test]
    fn names() {
        for (page, number, _) in PAGES {
            assert_eq!(CodePage::by_name(&page.to_string()), Some(page));
            assert_eq!(CodePage::from_number(number), Some(page));
        }
        assert_eq!(CodePage::by_name("cp1"), None);
        assert_eq!(CodePage::by_name("1252"), None);
    }
}
