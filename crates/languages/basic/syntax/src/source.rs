//! Physical lines to statements: numbers, continuations, and the refusal of what is not text.
//!
//! A statement goes on in the next physical line behind `\`, in a line `0200:` behind line 0200, and, as in the lists of the
//! manual and of the program editor, behind `;` at the end of a line: the next line is the next directive of the statement
//! unless it is numbered, empty, or begins with a label (manual, `toolkit1/Using the Program Editor.md`).

use crate::token::{Joined, Token, tokens};
use crate::tree::{Diagnostic, Place};

/// A statement's text with its number.
#[derive(Clone, Debug)]
pub struct RawLine {
    /// The number, if the source has one.
    pub number: Option<u32>,
    /// The text behind the number.
    pub text: Joined,
    /// Where it begins.
    pub place: Place,
}

/// The largest line number.
pub const LAST_LINE: u32 = 64_999;

/// A program file of ProvideX or PxPlus that is stored in compiled form, or no text at all.
pub fn is_tokenised(source: &[u8]) -> bool {
    let head = &source[..source.len().min(4096)];
    head.contains(&0) || head.starts_with(b"\x02") || head.iter().filter(|byte| **byte < 9).count() * 20 > head.len()
}

/// Splits a source into statements.
pub fn lines(source: &[u8], diagnostics: &mut Vec<Diagnostic>) -> Vec<RawLine> {
    let mut out: Vec<RawLine> = Vec::new();
    let (mut continues, mut listed) = (false, false);
    let source = source.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(source);
    for (index, physical) in source.split(|byte| *byte == b'\n').enumerate() {
        let physical = physical.strip_suffix(b"\r").unwrap_or(physical);
        let at = Place { line: index as u32 + 1, column: 1 };
        let (text, goes_on) = without_continuation(physical);
        let is_listed = listed && is_directive(text);
        listed = ends_with_semicolon(text);
        if (std::mem::replace(&mut continues, goes_on) || is_listed)
            && let Some(last) = out.last_mut()
        {
            append(last, text, at);
            continue;
        }
        let (number, skip) = leading_number(text);
        let body = &text[skip..];
        if number.is_some()
            && body.first() == Some(&b':')
            && let Some(last) = out.last_mut().filter(|last| last.number == number)
        {
            append(last, &body[1..], Place { column: skip as u32 + 2, ..at });
            continue;
        }
        if number.is_none() && is_blank(body) && !goes_on {
            continue;
        }
        if number.is_some_and(|number| number == 0 || number > LAST_LINE) {
            diagnostics.push(Diagnostic {
                code: 21,
                place: at,
                number: 0,
                message: "line number out of range".to_owned(),
                hint: format!("line numbers are 1 to {LAST_LINE}"),
            });
        }
        let place = Place { line: at.line, column: skip as u32 + 1 };
        let text = Joined { text: body.to_vec(), starts: vec![(0, place)] };
        out.push(RawLine { number, text, place: at });
    }
    out
}

/// The last token of a physical line is a semicolon, which is not one of a string or a remark.
fn ends_with_semicolon(text: &[u8]) -> bool {
    if !text.trim_ascii_end().ends_with(b";") {
        return false;
    }
    let joined = Joined { text: text.to_vec(), starts: Vec::new() };
    let tokens = tokens(&joined, &mut Vec::new());
    matches!(tokens.as_slice(), [.., last, end] if last.token == Token::Symbol(";") && end.token == Token::End)
}

/// A physical line that can go on with a statement: neither empty, nor numbered, nor a label.
fn is_directive(text: &[u8]) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let body = text.trim_ascii_start();
    let word = body.iter().take_while(|byte| is_word(**byte)).count();
    let is_label = word > 0 && body[word..].trim_ascii_start().first() == Some(&b':');
    !is_blank(text) && !is_label && !body[0].is_ascii_digit()
}

/// Blanks and no-break spaces only.
fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0xA0)
}

fn append(line: &mut RawLine, text: &[u8], place: Place) {
    line.text.text.push(b' ');
    line.text.starts.push((line.text.text.len(), place));
    line.text.text.extend_from_slice(text);
}

fn without_continuation(physical: &[u8]) -> (&[u8], bool) {
    match physical.trim_ascii_end().strip_suffix(b"\\") {
        Some(text) => (text, true),
        None => (physical, false),
    }
}

/// The number at the beginning of a line, and how many bytes it takes.
fn leading_number(text: &[u8]) -> (Option<u32>, usize) {
    let start = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let digits = text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 9 {
        return (None, 0);
    }
    let number = text[start..start + digits].iter().fold(0u32, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    (Some(number), start + digits)
}
