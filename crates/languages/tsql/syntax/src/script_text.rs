//! The text of a script, as the tools of SQL Server write it: UTF-8 or UTF-16, or in a code page.

use mainstay_tsql_types::CodePage;

/// A script's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptText {
    /// Without a byte order mark.
    pub text: String,
    /// True if nothing says what its bytes are, so that they were taken for those of Windows-1252.
    pub is_assumed: bool,
}

/// Reads a script: UTF-16 or UTF-8 by its byte order mark, else in the code page that is said. Where none is said it is
/// UTF-8, or else taken for text in Windows-1252, the code page of the database.
pub fn script_text(bytes: &[u8], page: Option<CodePage>) -> ScriptText {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    let (text, is_assumed) = match bytes {
        [0xFF, 0xFE, rest @ ..] => (wide(rest, u16::from_le_bytes), false),
        [0xFE, 0xFF, rest @ ..] => (wide(rest, u16::from_be_bytes), false),
        [0xEF, 0xBB, 0xBF, rest @ ..] if std::str::from_utf8(rest).is_ok() => {
            (String::from_utf8_lossy(rest).into_owned(), false)
        }
        bytes => match (page, std::str::from_utf8(bytes)) {
            (Some(page), _) => (page.decode(bytes), false),
            (None, Ok(text)) => (text.to_owned(), false),
            (None, Err(_)) => (CodePage::DEFAULT.decode(bytes), true),
        },
    };
    ScriptText { text, is_assumed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read_by_their_marks() {
        let plain = "SELECT N'Mal\u{f6} \u{1F600}'";
        let wide = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            std::iter::once(0xFEFF).chain(plain.encode_utf16()).flat_map(unit).collect()
        };
        let marked = format!("\u{feff}{plain}");
        for bytes in [wide(u16::to_le_bytes), wide(u16::to_be_bytes), marked.into_bytes(), plain.as_bytes().to_vec()] {
            assert_eq!(script_text(&bytes, None), ScriptText { text: plain.to_owned(), is_assumed: false });
        }
        let old = script_text(b"SELECT 'Mal\xF6 \x80'", None);
        assert_eq!(old, ScriptText { text: "SELECT 'Mal\u{f6} \u{20AC}'".to_owned(), is_assumed: true });
    }

    #[test]
    fn scripts_without_a_mark_are_in_the_page_that_is_said() {
        let read = |bytes: &[u8], page| script_text(bytes, CodePage::from_number(page));
        let known = |text: &str| ScriptText { text: text.to_owned(), is_assumed: false };
        assert_eq!(read(b"Mal\x94 \x9C", 850), known("Mal\u{f6} \u{a3}"));
        assert_eq!(read(b"\xCC\xE8\xF0", 1251), known("\u{41c}\u{438}\u{440}"));
        assert_eq!(read(b"\x93\xFA\x96\x7B", 932), known("\u{65e5}\u{672c}"));
        // Bytes that would be UTF-8 as well are of the page, and a mark comes before it.
        assert_eq!(read("\u{f6}".as_bytes(), 1252), known("\u{c3}\u{b6}"));
        assert_eq!(read("\u{feff}\u{f6}".as_bytes(), 850), known("\u{f6}"));
        assert_eq!(read(b"\xFF\xFE\xF6\0", 850), known("\u{f6}"));
        assert_eq!(read(b"a\xF6", 65001), known("a\u{fffd}"));
    }
}
