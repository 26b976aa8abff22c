//! The statements of a script, each parsed by itself where the script as a whole has an error.

use crate::error::Parse;
use crate::parser::parse;
use crate::reserved::is_reserved;
use crate::tree::Statement;
use mainstay_syntax::{TokenKind, tokens};

/// The statements of a script, or of each of its pieces, with the byte at which the piece begins.
pub(super) fn parsed(text: &str) -> Vec<(Parse<Vec<Statement>>, u32)> {
    let read = |text: &str| parse(text).map(|parsed| parsed.statements);
    match read(text) {
        Ok(statements) => vec![(Ok(statements), 0)],
        Err(error) => {
            let pieces = pieces(text);
            // A piece that is all of the script has its error already.
            if let [_] = &pieces[..] {
                return vec![(Err(error), 0)];
            }
            pieces.into_iter().map(|(piece, start)| (read(piece), start)).collect()
        }
    }
}

/// A script cut at the semicolons outside of blocks.
fn pieces(text: &str) -> Vec<(&str, u32)> {
    let (tokens, _) = tokens(text, is_reserved);
    let words: Vec<String> = tokens.iter().map(|token| token.span.of(text).to_ascii_uppercase()).collect();
    let (mut found, mut start, mut depth) = (Vec::new(), 0usize, 0i32);
    let mut cut = |start: usize, end: usize| {
        let piece = text.get(start..end).unwrap_or("");
        if !piece.trim().is_empty() {
            found.push((piece, start as u32));
        }
    };
    for (place, token) in tokens.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|place| words.get(place)).map_or("", String::as_str);
        let after = words.get(place + 1).map_or("", String::as_str);
        let is_word = matches!(token.kind, TokenKind::Word | TokenKind::Reserved);
        match words.get(place).map_or("", String::as_str) {
            "IF" | "WHILE" | "TRY" | "CASE" if is_word && before != "END" => depth += 1,
            "BEGIN" if is_word && after != "TRANSACTION" => depth += 1,
            "END" if is_word => depth = (depth - 1).max(0),
            ";" if depth == 0 => {
                cut(start, token.span.end as usize);
                start = token.span.end as usize;
            }
            _ => {}
        }
    }
    cut(start, text.len());
    found
}
