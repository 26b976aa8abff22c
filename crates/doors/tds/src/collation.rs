//! Collations in the protocol: five bytes for the comparison of text and its code page.
//!
//! ```text
//!   bits  0 to 19   the language (LCID)          09 04 D0 00 34 = SQL_Latin1_General_CP1_CI_AS:
//!         20 to 27  what is ignored; bit 26 UTF-8     language 0x00409, ignores case, kana and width, order 52
//!         28 to 31  the version
//!   byte  4         the number of a SQL Server order, 0 for one of Windows
//! ```
//!
//! The protocol needs only the code page: VARCHAR values go over the wire in it. The session
//! compares text. So a column is sent under the one collation of its page that clients know best, whatever its own
//! name is. (MS-TDS 2.2.5.1.2; the code pages are those of "Windows collation designators".)

use mainstay_character_sets::CodePage;

/// A collation, as five bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Collation(pub [u8; 5]);

/// The default is SQL Server's own.
impl Default for Collation {
    fn default() -> Collation {
        Collation::DEFAULT
    }
}

/// Names of common collations.
const NAMES: [(&str, Collation); 9] = [
    ("SQL_Latin1_General_CP1_CI_AS", Collation::DEFAULT),
    ("SQL_Latin1_General_CP1_CS_AS", Collation([0x09, 0x04, 0xC0, 0x00, 51])),
    ("SQL_Latin1_General_CP1_CI_AI", Collation([0x09, 0x04, 0xF0, 0x00, 54])),
    ("Latin1_General_CI_AS", Collation([0x09, 0x04, 0xD0, 0x00, 0])),
    ("Latin1_General_CS_AS", Collation([0x09, 0x04, 0xC0, 0x00, 0])),
    ("Latin1_General_CI_AI", Collation([0x09, 0x04, 0xF0, 0x00, 0])),
    ("Latin1_General_BIN", Collation([0x09, 0x04, 0x00, 0x01, 0])),
    ("Latin1_General_BIN2", Collation([0x09, 0x04, 0x00, 0x02, 0])),
    ("Latin1_General_100_CI_AS_SC_UTF8", Collation([0x09, 0x04, 0xD0, 0x24, 0])),
];

impl Collation {
    /// `SQL_Latin1_General_CP1_CI_AS`: Windows-1252, case does not count.
    pub const DEFAULT: Collation = Collation([0x09, 0x04, 0xD0, 0x00, 0x34]);
    /// `Latin1_General_100_CI_AS_SC_UTF8`: the same in UTF-8.
    pub const UTF8: Collation = Collation([0x09, 0x04, 0xD0, 0x24, 0]);

    /// The common collation of this name, whatever its case.
    pub fn by_name(name: &str) -> Option<Collation> {
        NAMES.iter().find_map(|(known, collation)| known.eq_ignore_ascii_case(name).then_some(*collation))
    }

    /// The name, if it is a common one.
    pub fn name(self) -> Option<&'static str> {
        NAMES.iter().find_map(|(name, collation)| (*collation == self).then_some(*name))
    }

    /// Returns true if VARCHAR is UTF-8 under it.
    pub fn is_utf8(self) -> bool {
        self.0[3] & 0x04 != 0
    }

    /// The language, without its variations.
    fn language(self) -> u16 {
        u16::from_le_bytes([self.0[0], self.0[1]])
    }

    /// A collation of this code page: case does not count, accents do.
    pub fn of_page(page: CodePage) -> Collation {
        let windows = |language: u16| {
            let [low, high] = language.to_le_bytes();
            Collation([low, high, 0xD0, 0x00, 0])
        };
        match page {
            CodePage::Cp437 => Collation([0x09, 0x04, 0xD0, 0x00, 32]),
            CodePage::Cp850 => Collation([0x09, 0x04, 0xD0, 0x00, 42]),
            CodePage::Cp874 => windows(0x041E),
            CodePage::Cp932 => windows(0x0411),
            CodePage::Cp936 => windows(0x0804),
            CodePage::Cp949 => windows(0x0412),
            CodePage::Cp950 => windows(0x0404),
            CodePage::Cp1250 => windows(0x0415),
            CodePage::Cp1251 => windows(0x0419),
            CodePage::Cp1252 => Collation::DEFAULT,
            CodePage::Cp1253 => windows(0x0408),
            CodePage::Cp1254 => windows(0x041F),
            CodePage::Cp1255 => windows(0x040D),
            CodePage::Cp1256 => windows(0x0401),
            CodePage::Cp1257 => windows(0x0427),
            CodePage::Cp1258 => windows(0x042A),
            CodePage::Utf8 => Collation::UTF8,
        }
    }

    /// The code page of VARCHAR under it.
    pub fn code_page(self) -> CodePage {
        if self.is_utf8() {
            return CodePage::Utf8;
        }
        match self.0[4] {
            0 => of_language(self.language()),
            30..=35 => CodePage::Cp437,
            40..=49 | 55..=61 => CodePage::Cp850,
            80..=96 => CodePage::Cp1250,
            104..=108 => CodePage::Cp1251,
            112..=124 => CodePage::Cp1253,
            128..=130 => CodePage::Cp1254,
            136..=138 => CodePage::Cp1255,
            144..=146 => CodePage::Cp1256,
            152..=160 => CodePage::Cp1257,
            192..=193 | 200 => CodePage::Cp932,
            194..=195 | 201 => CodePage::Cp949,
            196..=197 | 202 => CodePage::Cp950,
            198..=199 | 203 => CodePage::Cp936,
            204..=206 => CodePage::Cp874,
            _ => CodePage::Cp1252,
        }
    }

    /// Bytes of VARCHAR as text. Bytes that the code page does not have become U+FFFD.
    pub fn decode(self, bytes: &[u8]) -> String {
        self.code_page().decode(bytes)
    }

    /// Appends a text as bytes of VARCHAR. Characters that the code page does not have become question marks.
    pub fn encode(self, text: &str, out: &mut Vec<u8>) {
        self.code_page().encode_into(text, out);
    }
}

/// The code page of a language's Windows collations.
fn of_language(language: u16) -> CodePage {
    match language {
        0x041E => CodePage::Cp874,
        0x0411 => CodePage::Cp932,
        0x0804 => CodePage::Cp936,
        0x0412 => CodePage::Cp949,
        0x0404 | 0x0C04 | 0x1404 => CodePage::Cp950,
        0x0405 | 0x040E | 0x0415 | 0x0418 | 0x041A | 0x041B | 0x041C | 0x0424 | 0x0442 | 0x081A | 0x141A => {
            CodePage::Cp1250
        }
        0x0419 | 0x0422 | 0x042F | 0x043F | 0x0444 | 0x046D | 0x0485 | 0x082C | 0x0C1A | 0x201A => CodePage::Cp1251,
        0x0408 => CodePage::Cp1253,
        0x041F | 0x042C | 0x0443 => CodePage::Cp1254,
        0x040D => CodePage::Cp1255,
        0x0401 | 0x0420 | 0x0429 | 0x0480 | 0x048C => CodePage::Cp1256,
        0x0425..=0x0427 => CodePage::Cp1257,
        0x042A => CodePage::Cp1258,
        _ => CodePage::Cp1252,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(collation: Collation, text: &str) -> Vec<u8> {
        let mut out = vec![0xAA];
        collation.encode(text, &mut out);
        out.split_off(1)
    }

    #[test]
    fn varchar_is_in_the_code_page_of_its_collation() {
        assert_eq!(encoded(Collation::DEFAULT, "Malmö €"), b"Malm\xF6 \x80");
        assert_eq!(encoded(Collation::DEFAULT, "日本 Łódź"), b"?? ?\xF3d?");
        assert_eq!(encoded(Collation([0x15, 0x04, 0xD0, 0, 0]), "Łódź"), b"\xA3\xF3d\x9F");
        assert_eq!(encoded(Collation([0x11, 0x04, 0xD0, 0, 0]), "日本"), b"\x93\xFA\x96\x7B");
        assert_eq!(encoded(Collation::UTF8, "日"), "日".as_bytes());
        assert_eq!(Collation::DEFAULT.decode(b"Malm\xF6 \x80"), "Malmö €");
        assert_eq!(Collation::UTF8.decode(b"a\xFF"), "a\u{FFFD}");
    }

    #[test]
    fn every_byte_of_the_default_code_page_survives() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(encoded(Collation::DEFAULT, &Collation::DEFAULT.decode(&bytes)), bytes);
        let long = "ö".repeat(10_000);
        assert_eq!(encoded(Collation::DEFAULT, &long).len(), 10_000);
        assert_eq!(encoded(Collation::DEFAULT, &"日".repeat(1000)), vec![b'?'; 1000]);
    }

    #[test]
    fn names_go_both_ways() {
        assert_eq!(Collation::by_name("sql_latin1_general_cp1_ci_as"), Some(Collation::default()));
        assert_eq!(Collation::by_name("Latin1_General_BIN2").and_then(Collation::name), Some("Latin1_General_BIN2"));
        assert_eq!((Collation::by_name("Klingon_CI_AS"), Collation([1; 5]).name()), (None, None));
        assert!(Collation::UTF8.is_utf8() && !Collation::DEFAULT.is_utf8());
    }
    #[test]
    fn a_collation_of_a_page_has_that_page() {
        for number in [437, 850, 874, 932, 936, 949, 950, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258, 65001] {
            let page = CodePage::from_number(number).unwrap();
            assert_eq!(Collation::of_page(page).code_page(), page);
        }
    }
}
