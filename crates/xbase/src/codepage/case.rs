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
