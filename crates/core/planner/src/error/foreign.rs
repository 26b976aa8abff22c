//! Fallback for DataFusion's messages about a statement: no form of its trees and no name of its parts reaches the
//! user.
//!
//! Everyday mistakes have separate messages ([`super::words`]), and unsupported forms are refused before planning
//! ([`crate::reduce::unsupported`]). Of the rest, the part of the message that is a sentence is kept, with the place
//! that a tree in it gives.

use crate::parse::text::Text;
use mainstay_types::{Code, Error};

/// Names of the libraries and of their parts.
const NAMES: [&str; 12] = [
    "datafusion",
    "sqlparser",
    "sqltorel",
    "exprplanner",
    "logicalplan",
    "logical plan",
    "physical plan",
    "physicalexpr",
    "dfschema",
    "arrow error",
    "scalarvalue",
    "columnarvalue",
];

/// Names of types of values that are made of several words.
const VALUES: [&str; 6] = ["BinaryView", "LargeUtf8", "LargeBinary", "FixedSizeBinary", "YearMonth", "DayTime"];

/// The error with a message in words; the error as it is if its message is such already.
pub(super) fn hidden(error: Error, text: Option<&Text>) -> Error {
    let message = error.message();
    let sentence = sentence_of(message);
    let is_sentence = sentence.len() == message.len();
    let has_name = NAMES.iter().any(|name| sentence.to_lowercase().contains(name)) || has_compound(sentence);
    if is_sentence && !has_name && error.code() != Code::Internal {
        return error;
    }
    let words = sentence.trim_end_matches([' ', ':', ',', '\'', '(', '.']);
    let words = words.strip_suffix("got").unwrap_or(words).trim_end_matches([' ', ':', ',']);
    let is_empty = has_name || !words.contains(' ');
    let (what, hint) = match error.code() {
        Code::Internal => ("the statement cannot be run", "please report it: it is a fault of Mainstay"),
        Code::Unsupported => ("a part of the statement is not supported", "write it in another way"),
        _ => ("a part of the statement is not as it has to be", "write it in another way"),
    };
    let shown = if is_empty { what.to_owned() } else { format!("{what}: {}", super::lower_first(words)) };
    let mut told = Error::new(error.code(), shown).hint(error.hint_text().unwrap_or(hint));
    if let Some(cause) = error.cause() {
        told = told.because(cause);
    }
    if let Some(subject) = error.subject() {
        told = told.about(subject);
    }
    let place = text.zip(location_of(message)).map(|(text, (line, column))| text.span_at(line, column));
    match place.or(error.text_span()) {
        Some((start, end)) => told.span(start, end),
        None => told,
    }
}

/// The part of a message before the first tree: a name in capitals of a type with its parts in parentheses or braces,
/// `Identifier(Ident { ...`. Names of types, `Decimal128(11, 1)`, are no trees.
fn sentence_of(message: &str) -> &str {
    let bytes = message.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while is_word(at) {
            at += 1;
        }
        let word = &message[start..at];
        let opens = message[at..].starts_with('(') || message[at..].starts_with(" { ");
        let has_capital = word.starts_with(|first: char| first.is_ascii_uppercase());
        // A function's name is in small letters, a keyword in capitals.
        let is_mixed = word.chars().any(|letter| letter.is_ascii_lowercase());
        if opens && has_capital && is_mixed && !is_type(word) {
            return &message[..start];
        }
        if at == start {
            at += message[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    message
}

fn is_type(word: &str) -> bool {
    let stem = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    matches!(
        stem,
        "Decimal" | "Timestamp" | "Time" | "Interval" | "Duration" | "FixedSizeBinary" | "List" | "Dictionary"
    )
}

/// Reports a compound word in mixed case outside of quotes: the name of a type of the program, and not of one of values.
fn has_compound(words: &str) -> bool {
    let outside = words.split(['\'', '"', '`']).step_by(2);
    let all = outside.flat_map(|part| part.split(|letter: char| !letter.is_ascii_alphanumeric()));
    all.filter(|word| !VALUES.contains(word)).any(|word| {
        let pairs = word.as_bytes().windows(2);
        pairs.into_iter().any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
    })
}

/// The line and the column of the first `Location(line,column)`.
fn location_of(message: &str) -> Option<(u64, u64)> {
    let (line, rest) = message.split_once("Location(")?.1.split_once(',')?;
    let column: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    Some((line.trim().parse().ok()?, column.parse().ok()?)).filter(|(line, _)| *line > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: Code, message: &str) -> (String, Option<(usize, usize)>) {
        let text = Text::new("SELECT a FROM t JOIN u").unwrap();
        let error = hidden(Error::new(code, message), Some(&text));
        (error.message().to_owned(), error.text_span())
    }

    #[test]
    fn trees_become_a_place() {
        let message =
            "Unsupported JOIN operator Semi(On(Ident { value: \"a\", span: Span(Location(1,17)..Location(1,18)) }))";
        let (shown, place) = told(Code::Unsupported, message);
        assert_eq!(shown, "a part of the statement is not supported: unsupported JOIN operator");
        assert_eq!(place, Some((16, 20)));
        let (shown, _) =
            told(Code::Unsupported, "GetFieldAccess not supported by ExprPlanner: RawFieldAccessExpr { x: 1 }");
        assert_eq!(shown, "a part of the statement is not supported");
        let (shown, _) = told(Code::Internal, "ScalarSubqueryExpr evaluated before the subquery was executed");
        assert_eq!(shown, "the statement cannot be run");
    }

    #[test]
    fn sentences_stay() {
        for message in ["the sum has MORE(digits) than DECIMAL(38, 0)", "f(x) of Decimal128(11, 1) { no tree }"] {
            assert_eq!(told(Code::InvalidValue, message).0, message);
        }
    }
}
