//! A script of T-SQL: its batches, their tokens, their trees, and the trees printed and parsed again.
//!
//! Byte 0 is a set of flags: bit 0 SET QUOTED_IDENTIFIER OFF, bit 1 parses the text as one expression. The rest is the
//! text.

use mainstay_tsql_syntax::{Diagnostic, Options, batches, parse, parse_expression, print, print_expression, tokens};

/// Messages about what a text means, which one of the grammar may have; what is printed of it may have others, for it
/// stands on other lines.
const MEANING: [u32; 16] = [109, 110, 111, 119, 132, 133, 134, 135, 136, 137, 141, 154, 178, 179, 1087, 10704];

/// Nested too deeply, which what is printed may be where the text was not: it has parentheses that the text did without.
const TOO_DEEP: u32 = 191;

/// Reads the input as a script.
pub fn run(input: &[u8]) {
    let (choice, text) = crate::selector(input);
    let text = String::from_utf8_lossy(text);
    let options = Options { quoted_identifier: choice & 1 == 0 };
    if choice & 2 != 0 {
        return expression(&text, options);
    }
    let mut line = 1;
    for piece in batches(&text) {
        assert!(piece.first_line >= line && !piece.text.trim().is_empty(), "a batch of line {}", piece.first_line);
        line = piece.first_line;
        batch(piece.text, options);
    }
}

fn batch(text: &str, options: Options) {
    lex(text);
    let parsed = parse(text, options);
    parsed.errors.iter().for_each(|error| is_placed(error, text));
    for statement in &parsed.statements {
        assert!(!statement.span.of(text).is_empty(), "a statement without a text in {text}");
    }
    let _ = (mainstay_tsql_syntax::references(text), mainstay_tsql_syntax::undeclared(text, &[]));
    // Printed, strings are in single quotation marks under either option, and names in brackets.
    let printed = print(&parsed.statements);
    if !is_of_grammar(&parsed.errors) {
        return;
    }
    let again = parse(&printed, Options::default());
    if again.errors.iter().any(|error| error.number == TOO_DEEP) {
        return;
    }
    assert!(is_of_grammar(&again.errors), "{:?} in\n{printed}\nprinted of\n{text}", again.errors);
    assert!(again.statements == parsed.statements, "another tree of\n{printed}\nprinted of\n{text}");
}

fn expression(text: &str, options: Options) {
    let Ok(parsed) = parse_expression(text, options) else { return };
    let printed = print_expression(&parsed);
    match parse_expression(&printed, Options::default()) {
        Ok(again) => assert!(again == parsed, "another tree of\n{printed}\nprinted of\n{text}"),
        Err(errors) => {
            let is_too_deep = errors.iter().any(|error| error.number == TOO_DEEP);
            assert!(is_too_deep, "{errors:?} in\n{printed}\nprinted of\n{text}");
        }
    }
}

/// Tokens come one behind the other and end with the text.
fn lex(text: &str) {
    let (all, errors) = tokens(text);
    let mut end = 0;
    for token in &all {
        assert!(token.span.start >= end && token.span.end >= token.span.start, "{token:?} in {text}");
        assert!(text.get(token.span.start as usize..token.span.end as usize).is_some(), "{token:?} in {text}");
        end = token.span.end;
    }
    assert!(end as usize <= text.len() && !all.is_empty());
    errors.iter().for_each(|error| is_within(error, text));
}

fn is_placed(error: &Diagnostic, text: &str) {
    is_within(error, text);
    assert!(error.line >= 1, "{error} in {text}");
}

fn is_within(error: &Diagnostic, text: &str) {
    let span = error.span;
    assert!(span.start <= span.end && span.end as usize <= text.len(), "{error} in {text}");
    assert!(error.number > 0 && !error.message.is_empty(), "{error} in {text}");
}

fn is_of_grammar(errors: &[Diagnostic]) -> bool {
    errors.iter().all(|error| MEANING.contains(&error.number))
}
