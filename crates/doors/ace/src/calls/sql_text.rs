//! Operations on the text of a statement that do not run it.

use crate::border::*;
use crate::failure::Result;

/// Takes the comments out of a statement, in its place: `--` and `//` to the end of their line, `/*` to `*/`. What is in
/// quotes or brackets stays. Each comment leaves a blank behind, or its line's end.
pub fn remove_comments(statement: Buffer) -> Result<()> {
    let text = statement.text().required()?;
    // It is never longer than it was, so the place has room for it and its NUL.
    statement.set_known(&without_comments(&text))
}

fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        let length = match (first, behind.first()) {
            (b'-', Some(b'-')) | (b'/', Some(b'/')) => {
                let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
                rest = rest.get(end..).unwrap_or_default();
                continue;
            }
            (b'/', Some(b'*')) => {
                let end = rest.windows(2).skip(2).position(|pair| pair == b"*/").map_or(rest.len(), |end| end + 4);
                kept.push(b' ');
                rest = rest.get(end..).unwrap_or_default();
                continue;
            }
            (b'\'' | b'"', _) => quoted(behind, *first),
            (b'[', _) => quoted(behind, b']'),
            _ => 1,
        };
        let (taken, left) = rest.split_at(length.min(rest.len()));
        kept.extend_from_slice(taken);
        rest = left;
    }
    kept
}

/// The length of what is in quotes, both quotes included; without the second one it is the rest.
fn quoted(behind: &[u8], quote: u8) -> usize {
    behind.iter().position(|byte| *byte == quote).map_or(behind.len() + 1, |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_go_and_texts_stay() {
        let kept = |text: &str| String::from_utf8(without_comments(text.as_bytes())).unwrap();
        assert_eq!(kept("SELECT 1 -- one\nFROM a"), "SELECT 1 \nFROM a");
        assert_eq!(kept("SELECT 1 // one"), "SELECT 1 ");
        assert_eq!(kept("a/* x */b/* never ended"), "a b ");
        assert_eq!(kept("'--' || \"//\" [/*] - / '"), "'--' || \"//\" [/*] - / '");
        assert_eq!(kept("'it''s -- in' --out"), "'it''s -- in' ");
        assert_eq!(kept("/*/ */x"), " x");
        assert_eq!(kept(""), "");
    }
}
