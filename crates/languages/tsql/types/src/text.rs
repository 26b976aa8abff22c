//! Lengths and storage of text in SQL Server's types.
//!
//! A VARCHAR is of the code page of its collation; a character that the page does not have becomes `?`. LEN and positions
//! count its characters, the length of its type and DATALENGTH its bytes. An NVARCHAR counts units of UTF-16 in both, so a
//! character beyond the first 65,536 is two. Values are UTF-8 here; lengths and positions are counted on demand, in
//! constant time for ASCII text.
//!
//! Limit: a position between the halves of a two-unit character is moved before it.

use mainstay_character_sets::CodePage;
use std::borrow::Cow;

/// The encoding of a text: the unit that its type's length counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-16: NCHAR, NVARCHAR and NTEXT, which count its units.
    National,
    /// A code page: CHAR, VARCHAR and TEXT, which count its bytes.
    Page(CodePage),
}

impl Encoding {
    /// Of a VARCHAR that nothing else is said of.
    pub const DEFAULT: Encoding = Encoding::Page(CodePage::DEFAULT);

    /// The encoding of a text made of two: the N types win, then the page that is not the default's.
    pub fn meet(self, other: Encoding) -> Encoding {
        match (self, other) {
            (Encoding::Page(one), Encoding::Page(other)) => Encoding::Page(one.meet(other)),
            _ => Encoding::National,
        }
    }

    /// Returns true if it is UTF-16.
    pub fn is_national(self) -> bool {
        self == Encoding::National
    }

    /// The longest length that a type without MAX has.
    pub fn most(self) -> usize {
        if self.is_national() { 4000 } else { 8000 }
    }

    /// The length that a type needs for a text of so many characters.
    pub fn room_for(self, characters: usize) -> usize {
        match self {
            Encoding::National => characters,
            Encoding::Page(page) => characters.saturating_mul(page.most_bytes()),
        }
    }

    /// The length of a text in its type's units: code units of UTF-16, or bytes.
    pub fn size(self, text: &str) -> usize {
        match self {
            _ if text.is_ascii() => text.len(),
            Encoding::National => text.encode_utf16().count(),
            Encoding::Page(page) => text.chars().map(|c| page.bytes_of(c)).sum(),
        }
    }

    /// As much of the text, from its start, as a length has room for.
    pub fn fitting(self, text: &str, room: usize) -> &str {
        if text.is_ascii() {
            return text.get(..room).unwrap_or(text);
        }
        let mut size = 0;
        let end = text.char_indices().find(|(_, character)| {
            size += match self {
                Encoding::National => character.len_utf16(),
                Encoding::Page(page) => page.bytes_of(*character),
            };
            size > room
        });
        end.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
    }

    /// Cuts off what a length has no room for.
    pub fn cut(self, text: &mut String, room: usize) {
        let end = self.fitting(text, room).len();
        text.truncate(end);
    }

    /// Adds blanks until the text fills this length.
    pub fn pad(self, text: &mut String, room: usize) {
        let blanks = room.saturating_sub(self.size(text));
        text.extend(std::iter::repeat_n(' ', blanks));
    }

    /// The text with `?` for every character that the page lacks.
    pub fn kept(self, text: &str) -> Cow<'_, str> {
        match self {
            Encoding::National => Cow::Borrowed(text),
            Encoding::Page(page) => page.kept(text),
        }
    }

    /// The bytes of a text.
    pub fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Encoding::National => national_bytes(text),
            Encoding::Page(page) => page.encode(text),
        }
    }

    /// The text of these bytes.
    pub fn decode(self, bytes: &[u8]) -> String {
        match self {
            Encoding::National => from_national(bytes),
            Encoding::Page(page) => page.decode(bytes),
        }
    }
}

/// The bytes of an NVARCHAR: UTF-16, low byte first.
pub fn national_bytes(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The NVARCHAR of these bytes; an odd one at the end stands for a unit of its own.
pub fn from_national(bytes: &[u8]) -> String {
    let unit =
        |pair: &[u8]| u16::from_le_bytes([pair.first().copied().unwrap_or(0), pair.get(1).copied().unwrap_or(0)]);
    char::decode_utf16(bytes.chunks(2).map(unit)).map(|c| c.unwrap_or('\u{FFFD}')).collect()
}

/// The number of its type's units that a character takes.
fn units(character: char, national: bool) -> usize {
    if national { character.len_utf16() } else { 1 }
}

/// The length of a text as LEN has it: units of UTF-16 or characters of the code page.
pub fn length(text: &str, national: bool) -> usize {
    match (text.is_ascii(), national) {
        (true, _) => text.len(),
        (false, true) => text.encode_utf16().count(),
        (false, false) => text.chars().count(),
    }
}

/// Where the unit of this number (from 0) starts, in bytes of UTF-8; the end of the text when it is shorter.
pub fn offset(text: &str, unit: usize, national: bool) -> usize {
    if text.is_ascii() {
        return unit.min(text.len());
    }
    let mut before = 0;
    for (at, character) in text.char_indices() {
        let after = before + units(character, national);
        if after > unit {
            return at;
        }
        before = after;
    }
    text.len()
}

/// The first so many units.
pub fn left(text: &str, count: usize, national: bool) -> &str {
    text.get(..offset(text, count, national)).unwrap_or(text)
}

/// The last so many units.
pub fn right(text: &str, count: usize, national: bool) -> &str {
    let skip = length(text, national).saturating_sub(count);
    text.get(offset(text, skip, national)..).unwrap_or_default()
}

/// So many units from the one of this number (from 0) on.
pub fn middle(text: &str, start: usize, count: usize, national: bool) -> &str {
    let rest = text.get(offset(text, start, national)..).unwrap_or_default();
    left(rest, count, national)
}

/// Bytes as messages and CONVERT show them: `0x01AB`.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 + bytes.len() * 2);
    text.push_str("0x");
    push_hex(bytes, &mut text);
    text
}

/// Appends two digits a byte.
pub fn push_hex(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in bytes {
        out.push(char::from(DIGITS[usize::from(byte >> 4)]));
        out.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_types_count_bytes() {
        let japanese = Encoding::Page(CodePage::Cp932);
        assert_eq!(
            (japanese.size("日本a"), Encoding::National.size("日本a"), Encoding::DEFAULT.size("日本a")),
            (5, 3, 3)
        );
        assert_eq!((japanese.fitting("日本a", 3), japanese.fitting("日本a", 5)), ("日", "日本a"));
        let mut padded = "日".to_owned();
        japanese.pad(&mut padded, 4);
        assert_eq!(padded, "日  ");
        assert_eq!(Encoding::DEFAULT.meet(japanese), japanese);
        assert_eq!(japanese.meet(Encoding::National), Encoding::National);
    }

    #[test]
    fn units_are_counted_by_type() {
        let text = "a😀é";
        assert_eq!((length(text, true), length(text, false)), (4, 3));
        assert_eq!(left(text, 2, true), "a");
        assert_eq!(left(text, 3, true), "a😀");
        assert_eq!(right(text, 1, true), "é");
        assert_eq!(middle("abcdef", 1, 3, false), "bcd");
        assert_eq!(middle("abc", 5, 3, false), "");
        assert_eq!(from_national(&national_bytes(text)), text);
    }
}
