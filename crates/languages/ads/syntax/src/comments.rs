//! Comments that begin with `//`, which the tokens of T-SQL do not know: replaced by blanks, so that all offsets stay.

use std::borrow::Cow;

/// The text with blanks where comments of two slashes stood.
pub(crate) fn without_slashes(text: &str) -> Cow<'_, str> {
    if !text.contains("//") {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        let next = bytes.get(at + 1).copied();
        at = match (byte, next) {
            (b'\'' | b'"', _) => end_of(&bytes, at + 1, byte),
            (b'[', _) => end_of(&bytes, at + 1, b']'),
            (b'-', Some(b'-')) => end_of(&bytes, at + 2, b'\n'),
            (b'/', Some(b'*')) => {
                let close = bytes[at..].windows(2).skip(2).position(|pair| pair == b"*/");
                close.map_or(bytes.len(), |place| at + 2 + place + 2)
            }
            (b'/', Some(b'/')) => {
                let end = end_of(&bytes, at, b'\n');
                for blank in bytes[at..end].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
                    *blank = b' ';
                }
                end
            }
            _ => at + 1,
        };
    }
    // Whole comments became blanks, so what is left is the text it was.
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Behind the next such byte, or the end.
fn end_of(bytes: &[u8], from: usize, close: u8) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.iter().position(|byte| *byte == close).map_or(bytes.len(), |place| from + place + 1)
}

#[cfg(test)]
mod tests {
    use super::without_slashes;

    #[test]
    fn only_comments_become_blanks() {
        let cases = [
            ("a // b\nc", "a     \nc"),
            ("'http://x' // y", "'http://x'     "),
            ("[a//b] \"c//d\"", "[a//b] \"c//d\""),
            ("-- x // y\nz", "-- x // y\nz"),
            ("/* // */ a", "/* // */ a"),
            ("// 'ä\n'b'", "      \n'b'"),
            ("/*/ a // b", "/*/ a // b"),
        ];
        for (text, expected) in cases {
            assert_eq!(without_slashes(text), expected, "{text}");
            assert_eq!(without_slashes(text).len(), text.len());
        }
    }
}
