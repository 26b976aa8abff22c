//! Code pages: the bytes of a file to UTF-8 and back.
//!
//! The *language byte* of a DBF's header names the code page of its text ([`CodePage::from_language_byte`]);
//! a `.cpg` file beside it or the user may name another ([`CodePage::by_name`]).
//!
//! **Nothing is lost.** A byte `B` that the page does not define - or that is half of a broken multi-byte
//! character - becomes the private-use character U+F700 + `B`, and [`CodePage::encode`] turns that character
//! back into the byte. [`Decoded::undecodable`] counts them, so that they can be reported. The bytes from 0x80 to 0x9F
//! for which a page of Windows has no character (0x81, 0x8D, 0x8F, 0x90 and 0x9D of 1252) are not among these: they are
//! the control characters U+0081 and so on, into which Windows itself turns them, and come back as they were too.
//!
//! **Fast where it matters.** Nearly all text in business files is ASCII, which every page here shares; that is
//! recognised a machine word at a time and not copied. Other bytes of single-byte pages go through a table of
//! ready-made UTF-8 sequences, built once per page on first use.
//!
//! The pages themselves come from `encoding_rs` (Windows, ISO, Macintosh, multi-byte) and `oem_cp` (DOS);
//! the four that neither has are in `pages.rs`. Code page 936 is decoded as GB 18030, its superset.

mod case;
mod pages;

use pages::{PAGES, Page, Source};
use std::borrow::Cow;
use std::fmt;

/// The base of the characters for bytes that could not be decoded: U+F700 + byte. Only bytes over 127 occur.
const UNDECODABLE: u32 = 0xF700;

/// One code page. Cheap to copy; two are equal if they are the same page.
#[derive(Clone, Copy)]
pub struct CodePage(&'static Page);

/// Text as UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text; borrowed if the bytes were UTF-8 already.
    pub text: Cow<'a, str>,
    /// The number of bytes that the page does not define. Each is a character of its own in `text`.
    pub undecodable: usize,
}

impl CodePage {
    /// The page that byte 29 of a DBF header stands for. `None` for 0 (not said) and for unknown values.
    ///
    /// The values are those that dBASE IV and later, FoxPro and Visual FoxPro document; they do not overlap.
    pub fn from_language_byte(byte: u8) -> Option<CodePage> {
        pages::number_of_language(byte).and_then(CodePage::from_number)
    }

    /// The page for a table whose language byte is 0.
    ///
    /// dBASE and Clipper wrote the DOS code page of the machine, 437 unless something else was installed.
    /// Visual FoxPro is a Windows program and so are most writers of FoxPro 2 tables that forget the byte;
    /// CA-Visual Objects marks its Windows text with the versions 0x07 and 0x87. Those are 1252.
    pub fn default_for_version(version: u8) -> CodePage {
        let number = match version {
            0x30..=0x32 | 0xF5 | 0xFB | 0x07 | 0x87 | crate::adt::VERSION_BYTE => 1252,
            _ => 437,
        };
        CodePage::from_number(number).unwrap_or(CodePage(&PAGES[0]))
    }

    /// The page with this number: 437, 1252, 65001.
    pub fn from_number(number: u16) -> Option<CodePage> {
        PAGES.iter().find(|page| page.number == number).map(CodePage)
    }

    /// The page with this name, in any of the usual spellings: `cp852`, `852`, `OEM 850`, `ANSI 1252`,
    /// `windows-1252`, `mazovia`, `kamenicky`, `ISO-8859-2`, `88592`, `UTF-8`, `LDID/87` (a language byte, in
    /// decimal, as `.cpg` files have it).
    pub fn by_name(name: &str) -> Option<CodePage> {
        let name: String = name.trim().to_ascii_lowercase().chars().filter(|c| !matches!(c, ' ' | '_')).collect();
        if let Some(language) = name.strip_prefix("ldid/") {
            return CodePage::from_language_byte(language.parse().ok()?);
        }
        pages::number_of_name(&name).and_then(CodePage::from_number)
    }

    /// The name that messages use, and that [`CodePage::by_name`] takes: `cp852`, `windows-1252`, `mazovia`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The page's number: 852, 1252.
    pub fn number(self) -> u16 {
        self.0.number
    }

    /// The text that these bytes are.
    pub fn decode(self, bytes: &[u8]) -> Decoded<'_> {
        if bytes.is_ascii()
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            return Decoded { text: Cow::Borrowed(text), undecodable: 0 };
        }
        let mut utf8 = Vec::with_capacity(bytes.len() + bytes.len() / 2);
        let undecodable = self.decode_into(bytes, &mut utf8);
        let text = String::from_utf8(utf8).unwrap_or_default();
        Decoded { text: Cow::Owned(text), undecodable }
    }

    /// Appends the text as UTF-8, and gives the number of undecodable bytes.
    pub fn decode_into(self, bytes: &[u8], utf8: &mut Vec<u8>) -> usize {
        if bytes.is_ascii() {
            utf8.extend_from_slice(bytes);
            return 0;
        }
        match self.0.source {
            Source::Utf8 => decode_utf8(bytes, utf8),
            Source::Multi(encoding) => decode_multi(encoding, bytes, utf8),
            _ => self.decode_single(bytes, utf8),
        }
    }

    fn decode_single(self, bytes: &[u8], utf8: &mut Vec<u8>) -> usize {
        let table = self.0.table();
        let mut undecodable = 0;
        for &byte in bytes {
            if byte < 0x80 {
                utf8.push(byte);
                continue;
            }
            let high = usize::from(byte & 0x7F);
            let (sequence, length) = table.sequences[high];
            utf8.extend_from_slice(&sequence[..usize::from(length)]);
            undecodable += usize::from(table.undefined >> high & 1 == 1);
        }
        undecodable
    }

    /// The bytes of this text, or `None` if the page lacks one of its characters.
    pub fn encode(self, text: &str) -> Option<Vec<u8>> {
        if text.is_ascii() {
            return Some(text.as_bytes().to_vec());
        }
        let mut bytes = Vec::with_capacity(text.len());
        let mut buffer = [0; 4];
        for character in text.chars() {
            if character.is_ascii() {
                bytes.push(character as u8);
            } else if let Some(byte) = undecodable_byte(character) {
                bytes.push(byte);
            } else {
                match self.0.source {
                    Source::Utf8 => bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes()),
                    Source::Multi(encoding) => {
                        let (encoded, _, failed) = encoding.encode(character.encode_utf8(&mut buffer));
                        if failed {
                            return None;
                        }
                        bytes.extend_from_slice(&encoded);
                    }
                    _ => bytes.push(self.0.table().byte_of(character)?),
                }
            }
        }
        Some(bytes)
    }
}

fn undecodable_byte(character: char) -> Option<u8> {
    (UNDECODABLE + 0x80..=UNDECODABLE + 0xFF).contains(&(character as u32)).then_some(character as u8)
}

fn push_undecodable(byte: u8, utf8: &mut Vec<u8>) {
    let character = char::from_u32(UNDECODABLE + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
    utf8.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

fn decode_utf8(bytes: &[u8], utf8: &mut Vec<u8>) -> usize {
    let mut undecodable = 0;
    for chunk in bytes.utf8_chunks() {
        utf8.extend_from_slice(chunk.valid().as_bytes());
        chunk.invalid().iter().for_each(|&byte| push_undecodable(byte, utf8));
        undecodable += chunk.invalid().len();
    }
    undecodable
}

/// Decodes the whole text at once if it is sound; else character by character, setting single bytes aside
/// where neither two bytes nor one make a character.
fn decode_multi(encoding: &'static encoding_rs::Encoding, bytes: &[u8], utf8: &mut Vec<u8>) -> usize {
    let sound = |bytes| encoding.decode_without_bom_handling_and_without_replacement(bytes);
    if let Some(text) = sound(bytes) {
        utf8.extend_from_slice(text.as_bytes());
        return 0;
    }
    let (mut rest, mut undecodable) = (bytes, 0);
    while let Some(&first) = rest.first() {
        let ascii = rest.iter().take_while(|byte| byte.is_ascii()).count();
        let taken = if ascii > 0 {
            utf8.extend_from_slice(&rest[..ascii]);
            ascii
        } else if let Some(text) = rest.get(..2).and_then(sound) {
            utf8.extend_from_slice(text.as_bytes());
            2
        } else {
            match sound(&rest[..1]) {
                Some(text) => utf8.extend_from_slice(text.as_bytes()),
                None => {
                    push_undecodable(first, utf8);
                    undecodable += 1;
                }
            }
            1
        };
        rest = &rest[taken..];
    }
    undecodable
}

impl PartialEq for CodePage {
    fn eq(&self, other: &CodePage) -> bool {
        self.0.number == other.0.number
    }
}

impl Eq for CodePage {}

impl fmt::Debug for CodePage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str) -> CodePage {
        CodePage::by_name(name).unwrap()
    }

    #[test]
    fn known_words_in_many_pages() {
        for (name, bytes, text) in [
            ("cp852", &b"\xA5ilin\xA0"[..], "ąiliná"),
            ("mazovia", b"\xA7\xA2\x92\x86", "żółą"),
            ("kamenicky", b"P\xA9\xA1li\xA8", "Příliš"),
            ("cp866", b"\x8C\xAE\xE1\xAA\xA2\xA0", "Москва"),
            ("737", b"\x80\x98", "Αα"),
            ("windows-1252", b"caf\xE9 \x80", "café €"),
            ("932", b"\x93\xFA\x96\x7B \xB1", "日本 ｱ"),
            ("949", b"\xC7\xD1", "한"),
        ] {
            let decoded = page(name).decode(bytes);
            assert_eq!((decoded.text.as_ref(), decoded.undecodable), (text, 0), "{name}");
            assert_eq!(page(name).encode(text).as_deref(), Some(bytes), "{name}");
        }
    }

    #[test]
    fn every_byte_of_every_single_byte_page_survives_the_round_trip() {
        let all: Vec<u8> = (0..=255).collect();
        for page in PAGES.iter().map(CodePage).filter(|page| !matches!(page.0.source, Source::Multi(_))) {
            let decoded = page.decode(&all);
            assert_eq!(page.encode(&decoded.text).as_ref(), Some(&all), "{page:?}");
        }
    }

    /// As Windows does with its own pages.
    #[test]
    fn bytes_without_a_character_in_the_pages_of_windows_are_control_characters() {
        for (name, bytes) in [
            ("windows-1250", &b"\x81\x83\x88\x90\x98"[..]),
            ("windows-1251", b"\x98"),
            ("windows-1252", b"\x81\x8D\x8F\x90\x9D"),
            ("windows-1253", b"\x81\x88\x8A\x8C\x8D\x8E\x8F\x90\x98\x9A\x9C\x9D\x9E\x9F"),
            ("windows-1254", b"\x81\x8D\x8E\x8F\x90\x9D\x9E"),
            ("windows-1255", b"\x81\x8A\x8C\x8D\x8E\x8F\x90\x9A\x9C\x9D\x9E\x9F"),
            ("windows-1257", b"\x81\x83\x88\x8A\x8C\x90\x98\x9A\x9C\x9F"),
            ("windows-1258", b"\x81\x8A\x8D\x8E\x8F\x90\x9A\x9D\x9E"),
            ("windows-874", b"\x81\x82\x83\x84\x86\x90\x98\x9F"),
        ] {
            let decoded = page(name).decode(bytes);
            let expected: String = bytes.iter().map(|byte| char::from(*byte)).collect();
            assert_eq!((decoded.text.as_ref(), decoded.undecodable), (expected.as_str(), 0), "{name}");
            assert_eq!(page(name).encode(&expected).as_deref(), Some(bytes), "{name}");
        }
    }

    #[test]
    fn broken_sequences_are_kept_byte_by_byte_and_counted() {
        for page in PAGES.iter().map(CodePage).filter(|page| matches!(page.0.source, Source::Multi(_))) {
            let decoded = page.decode(b"a\xFF\xFFb");
            assert_eq!((decoded.text.as_ref(), decoded.undecodable), ("a\u{F7FF}\u{F7FF}b", 2), "{page:?}");
            assert_eq!(page.encode(&decoded.text).as_deref(), Some(&b"a\xFF\xFFb"[..]));
        }
        let utf8 = CodePage::from_number(65001).unwrap();
        assert_eq!(utf8.decode("né\u{20AC}".as_bytes()).undecodable, 0);
        assert_eq!(utf8.decode(b"n\xE9x").text, "n\u{F7E9}x");
        assert_eq!(page("1253").decode(b"\xFF").undecodable, 1);
    }

    #[test]
    fn names_and_language_bytes() {
        for (name, number) in [
            ("ISO-8859-1", 1252),
            ("88591", 1252),
            ("ISO 8859-2", 28592),
            ("UTF-8", 65001),
            ("1252", 1252),
            ("ANSI 1252", 1252),
            ("OEM 850", 850),
            ("LDID/87", 1252),
            ("LDID/38", 866),
            ("CP1250", 1250),
            ("Big5", 950),
            ("Kamenický", 0),
            ("nonsense", 0),
        ] {
            assert_eq!(CodePage::by_name(name).map_or(0, CodePage::number), number, "{name}");
        }
        for byte in 0..=255 {
            if let Some(number) = pages::number_of_language(byte) {
                assert!(CodePage::from_number(number).is_some(), "language byte {byte:#04x}");
            }
        }
        assert_eq!(CodePage::from_language_byte(0x69).map(CodePage::name), Some("mazovia"));
        assert_eq!(CodePage::from_language_byte(0), None);
        for page in PAGES.iter().map(CodePage) {
            assert_eq!(CodePage::by_name(page.name()), Some(page));
        }
    }

    #[test]
    fn a_character_the_page_lacks_is_no_bytes() {
        assert_eq!(page("437").encode("Ж"), None);
        assert_eq!(page("932").encode("Ğ"), None);
    }
}
