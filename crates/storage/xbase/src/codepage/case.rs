//! Capitals and small letters as the bytes of a code page.

use super::CodePage;
use super::pages::Source;
use crate::expr::CaseTable;

/// Signs that Unicode has a capital for and no program that knows code pages: the micro sign is no letter of a word, and
/// the Turkish letters without and with a dot are pairs in no table of Windows but Turkish ones.
const NO_LETTERS: [char; 3] = ['\u{B5}', '\u{130}', '\u{131}'];

impl CodePage {
    /// The letters of the page: each byte's capital and small letter. One whose partner the page lacks stays as it is, and so
    /// does every byte beyond ASCII of a page whose characters have several bytes. No letter beyond ASCII has one of ASCII
    /// as its partner.
    pub fn case_table(self) -> &'static CaseTable {
        self.0.case.get_or_init(|| self.make_case_table())
    }

    /// Returns true if each character is one byte.
    pub fn is_single_byte(self) -> bool {
        !matches!(self.0.source, Source::Multi(_) | Source::Utf8)
    }

    /// Returns true if the page may have accents that are characters by themselves, behind their letters.
    pub fn has_accents_alone(self) -> bool {
        let is_accent = |byte: u8| {
            let decoded = self.decode(std::slice::from_ref(&byte)).text.into_owned();
            decoded.chars().any(|sign| ('\u{300}'..='\u{36F}').contains(&sign))
        };
        !self.is_single_byte() || (0x80..=0xFF).any(is_accent)
    }

    /// The characters beyond ASCII of which Unicode's capitals (or small letters) begin with a letter of ASCII, as `SS` of
    /// `ß` does: their bytes, and what becomes of them. `None` for a page whose characters have several bytes.
    pub fn ascii_forms(self, capitals: bool) -> Option<&'static [(u8, String)]> {
        let form = |byte: u8| {
            let text = self.decode(std::slice::from_ref(&byte)).text.into_owned();
            let form = if capitals { text.to_uppercase() } else { text.to_lowercase() };
            form.starts_with(|first: char| first.is_ascii()).then_some((byte, form))
        };
        let make = || (0x80..=0xFFu8).filter_map(form).collect();
        self.is_single_byte().then(|| self.0.ascii_forms[usize::from(capitals)].get_or_init(make).as_slice())
    }

    fn make_case_table(self) -> CaseTable {
        let mut table = CaseTable::ascii();
        if matches!(self.0.source, Source::Multi(_) | Source::Utf8) {
            return table;
        }
        let character = |byte: u8| {
            let decoded = self.decode(std::slice::from_ref(&byte)).text.into_owned();
            decoded.chars().next().filter(|letter| letter.is_alphabetic() && !NO_LETTERS.contains(letter))
        };
        let byte_of = |letter: Option<char>| letter.and_then(|letter| self.0.table().byte_of(letter));
        for byte in 0x80..=0xFFu8 {
            let Some(letter) = character(byte) else { continue };
            if let Some(capital) = byte_of(only(letter.to_uppercase())) {
                table.upper[usize::from(byte)] = capital;
            }
            if let Some(small) = byte_of(only(letter.to_lowercase())) {
                table.lower[usize::from(byte)] = small;
            }
        }
        table
    }
}

/// The one letter of a mapping; `ß` has two capitals, and stays.
fn only(mut letters: impl ExactSizeIterator<Item = char>) -> Option<char> {
    if letters.len() == 1 { letters.next() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_letters_become_letters_of_ascii() {
        let page = |name| CodePage::by_name(name).unwrap();
        let forms = |name, capitals| page(name).ascii_forms(capitals).map(<[(u8, String)]>::to_vec);
        assert_eq!(forms("cp437", true), Some(vec![(0xE1, "SS".to_owned())]));
        assert_eq!(forms("windows-1252", true), Some(vec![(0xDF, "SS".to_owned())]));
        assert_eq!(forms("cp866", true), Some(Vec::new()));
        assert_eq!(forms("windows-1252", false), Some(Vec::new()));
        assert_eq!(forms("windows-1254", true), Some(vec![(0xDF, "SS".to_owned()), (0xFD, "I".to_owned())]));
        assert_eq!(forms("windows-1254", false), Some(vec![(0xDD, "i\u{307}".to_owned())]));
        assert!(!page("utf-8").is_single_byte() && forms("cp932", true).is_none());
    }

    /// Each page with letters, their capitals, and what stays.
    #[test]
    fn capitals_of_many_pages() {
        for (page, small, capital) in [
            ("windows-1252", "caféßüÿœµ", "CAFÉßÜŸŒµ"),
            ("cp850", "éàñåø", "ÉÀÑÅØ"),
            ("cp437", "éàñ", "ÉàÑ"),
            ("cp852", "ąęłóśźž", "ĄĘŁÓŚŹŽ"),
            ("windows-1250", "łódźžř", "ŁÓDŹŽŘ"),
            ("cp866", "москваё", "МОСКВАЁ"),
            ("windows-1251", "москваё", "МОСКВАЁ"),
            ("windows-1253", "άς", "ΆΣ"),
            ("windows-1254", "ışğ", "ıŞĞ"),
            ("mazovia", "żółć", "ŻÓŁĆ"),
            ("932", "a日", "A日"),
            ("utf-8", "aé", "Aé"),
        ] {
            let page = CodePage::by_name(page).unwrap();
            let mut bytes = page.encode(small).unwrap();
            bytes.iter_mut().for_each(|byte| *byte = page.case_table().upper[usize::from(*byte)]);
            assert_eq!(page.decode(&bytes).text, capital, "{page:?}");
        }
    }

    #[test]
    fn no_letter_crosses_the_border_of_ascii() {
        for page in super::super::pages::PAGES.iter().map(CodePage) {
            let case = page.case_table();
            for byte in 0x80..=0xFFusize {
                assert!(case.upper[byte] >= 0x80 && case.lower[byte] >= 0x80, "{page:?} {byte:#x}");
            }
        }
    }
}
