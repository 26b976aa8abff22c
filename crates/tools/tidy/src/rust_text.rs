//! Separation of code, comments and literals of a Rust file.
//!
//! A rule that searches for a word must not find it in a string, and one that counts braces must not count those of a
//! format string. So a file is cut into parts, and [`RustText`] provides it twice: once with everything but the code
//! blanked out, once with everything but the comments. Both are as long as the file and keep its line ends, so that an
//! offset means the same place in each.

use std::ops::Range;

/// The kind of a stretch of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Code,
    Comment,
    Literal,
}

/// A Rust file in its two forms.
#[derive(Clone, Debug)]
pub struct RustText {
    /// Comments and literals are blanks.
    pub code: String,
    /// All but comments is blanks.
    pub comments: String,
}

impl RustText {
    /// Cuts a file into its parts.
    pub fn new(text: &str) -> RustText {
        let (mut code, mut comments) = (blanks(text), blanks(text));
        let mut at = 0;
        while at < text.len() {
            let (part, length) = next_part(&text.as_bytes()[at..], at > 0 && is_word(text.as_bytes()[at - 1]));
            let range = at..(at + length.max(1)).min(text.len());
            match part {
                Part::Code => code[range.clone()].copy_from_slice(&text.as_bytes()[range.clone()]),
                Part::Comment => comments[range.clone()].copy_from_slice(&text.as_bytes()[range.clone()]),
                Part::Literal => {}
            }
            at = range.end;
        }
        // Parts begin and end at ASCII characters, so that no character is cut.
        let whole = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        RustText { code: whole(code), comments: whole(comments) }
    }

    /// Where a word stands in the code, alone: not as a piece of a longer one.
    pub fn code_words<'t>(&'t self, word: &'t str) -> impl Iterator<Item = usize> + 't {
        words(&self.code, word)
    }

    /// From an offset to the brace that closes the next one opened; nothing when a `;` comes first.
    pub fn block(&self, from: usize) -> Option<Range<usize>> {
        let (mut nesting, mut braces) = (0_i32, 0_i32);
        for (at, byte) in self.code.bytes().enumerate().skip(from) {
            match byte {
                b'(' | b'[' => nesting += 1,
                b')' | b']' => nesting -= 1,
                b';' if nesting == 0 && braces == 0 => return None,
                b'{' => braces += 1,
                b'}' => braces -= 1,
                _ => {}
            }
            if byte == b'}' && braces == 0 {
                return Some(from..at + 1);
            }
        }
        None
    }

    /// The items that only tests see: `#[cfg(test)]` to the end of the block after it.
    pub fn test_blocks(&self) -> Vec<Range<usize>> {
        let marks = self.code.match_indices("#[cfg(test)]");
        marks.filter_map(|(at, mark)| self.block(at + mark.len()).map(|block| at..block.end)).collect()
    }
}

/// Where a word stands in a text, alone.
pub fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let bytes = text.as_bytes();
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = *at > 0 && is_word(bytes[at - 1]);
        let after = bytes.get(at + word.len()).is_some_and(|byte| is_word(*byte));
        // After the mark of a macro, `!`, anything may follow.
        !(before || after && word.ends_with(|last: char| last.is_ascii_alphanumeric()))
    })
}

/// The line of an offset, from 1.
pub fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn blanks(text: &str) -> Vec<u8> {
    text.bytes().map(|byte| if byte == b'\n' { b'\n' } else { b' ' }).collect()
}

/// The part at the start of the text, and its length. `in_word`: the text continues a word, so that an `r` is no prefix
/// of a literal.
fn next_part(text: &[u8], in_word: bool) -> (Part, usize) {
    if text.starts_with(b"//") {
        return (Part::Comment, text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len()));
    }
    if text.starts_with(b"/*") {
        return (Part::Comment, block_comment(text));
    }
    if text[0] == b'"' {
        return (Part::Literal, quoted(text));
    }
    if text[0] == b'\'' {
        return character(text).map_or((Part::Code, 1), |length| (Part::Literal, length));
    }
    let raw = if in_word { None } else { raw_string(text) };
    raw.map_or((Part::Code, 1), |length| (Part::Literal, length))
}

/// Comments nest.
fn block_comment(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let step = match &text[at..] {
            [b'/', b'*', ..] => 1,
            [b'*', b'/', ..] => -1,
            _ => 0,
        };
        depth += step;
        at += if step == 0 { 1 } else { 2 };
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// `'x'` or `'\u{e4}'`, but not the lifetime `'x`.
fn character(text: &[u8]) -> Option<usize> {
    if text.get(1) == Some(&b'\\') {
        return Some(3 + text.get(3..)?.iter().position(|byte| *byte == b'\'')? + 1);
    }
    let length = match text.get(1)? {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    (text.get(1 + length) == Some(&b'\'')).then_some(length + 2)
}

/// `r"..."`, `r#"..."#`, and the same after a `b` or `c`.
fn raw_string(text: &[u8]) -> Option<usize> {
    let prefix = usize::from(matches!(text[0], b'b' | b'c'));
    let rest = text.get(prefix..)?.strip_prefix(b"r")?;
    let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
    let body = rest.get(hashes..)?.strip_prefix(b"\"")?;
    let closing: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let length = body.windows(closing.len()).position(|window| window == closing)?;
    Some(prefix + 1 + hashes + 1 + length + closing.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_comments_and_literals_are_told_apart() {
        let text =
            "let a = \"// {\"; // \"b\" {\nlet c: &'a u8 = b'\\''; /* x /* y */ z */ r#\"d \" {\"#; 'ä' '{' '}' for";
        let parts = RustText::new(text);
        assert_eq!(parts.code.split_whitespace().collect::<Vec<_>>().join(" "), "let a = ; let c: &'a u8 = b ; ; for");
        assert_eq!(parts.comments.split_whitespace().collect::<Vec<_>>().join(" "), "// \"b\" { /* x /* y */ z */");
        assert_eq!((parts.code.len(), parts.comments.len()), (text.len(), text.len()));
    }

    #[test]
    fn a_text_that_ends_early_is_no_trouble() {
        for text in ["\"", "'", "'\\", "'\\u", "/*", "r#\"", "b", "r", "\"\\", "'ä", "fn x() {"] {
            let parts = RustText::new(text);
            assert_eq!(parts.code.len(), text.len(), "{text}");
        }
    }

    #[test]
    fn blocks_end_at_their_brace() {
        let parts = RustText::new("fn a(b: [u8; 4]) { \"}\"; { } } fn c();");
        let block = parts.block(0).expect("a block");
        assert_eq!(&parts.code[block.end - 3..], "} } fn c();");
        assert_eq!(parts.block(block.end), None);
    }

    #[test]
    fn words_stand_alone() {
        assert_eq!(words("unsafe unsafe_op un-unsafe xunsafe", "unsafe").collect::<Vec<_>>(), [0, 20]);
        assert_eq!(words("todo!() my_todo!()", "todo!").collect::<Vec<_>>(), [0]);
    }
}
