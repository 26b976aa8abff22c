//! First words of comments.

use mainstay_tidy::{Repository, assert_none, openings};

#[test]
fn comments_begin_with_a_noun_or_a_verb() {
    assert_none(openings::check(&Repository::this()));
}

/// The findings for a source file.
fn invented(source: &str) -> Vec<String> {
    let files = [("crates/core/new/src/rows/scan.rs", source)];
    openings::check(&Repository::invented(&files)).iter().map(ToString::to_string).collect()
}

/// Comments of a module, an item, a statement, and behind code.
#[test]
fn unwanted_first_words_are_found_with_their_places() {
    let source = "//! What a scan gives.\n\n    /// Whether it ends.\n    // Who waits\nlet a = 1; // That one.\n";
    let reason = |line: usize, word: &str| {
        format!(
            "crates/core/new/src/rows/scan.rs:{line}: the comment begins with `{word}`: begin with a noun or a verb"
        )
    };
    assert_eq!(invented(source), [reason(1, "What"), reason(3, "Whether"), reason(4, "Who"), reason(5, "That")]);
}

#[test]
fn other_comments_and_literals_are_accepted() {
    let other =
        "//! Rows of a scan.\n/// Whatever follows.\n// A row that\n// what is lower case\nlet a = \"// What\";\n";
    assert_eq!(invented(other), [""; 0]);
}
