//! First words of comments.

use mainstay_tidy::{Repository, assert_none, dependencies, openings};

#[test]
fn comments_begin_with_a_noun_or_a_verb() {
    assert_none(openings::check(&Repository::this()));
}

/// The findings for one crate with this source file, and these lines of the page.
fn invented(source: &str, page: &str) -> Vec<String> {
    let page = format!("```openings\n{page}\n```\n");
    let files = [
        ("crates/core/new/Cargo.toml", "[package]\n"),
        ("crates/core/new/src/rows/scan.rs", source),
        (dependencies::PAGE, page.as_str()),
    ];
    openings::check(&Repository::invented(&files)).iter().map(ToString::to_string).collect()
}

/// Four comments with unwanted first words: of a module, an item, a statement, and behind code.
const UNWANTED: &str =
    "//! What a scan gives.\n\n    /// Whether it ends.\n    // Who waits\nlet a = 1; // That one.\n";

#[test]
fn a_crate_without_a_line_has_no_such_comment() {
    let found = invented(UNWANTED, "");
    let reason = |line: usize, word: &str| {
        format!(
            "crates/core/new/src/rows/scan.rs:{line}: the comment begins with `{word}`: begin with a noun or a verb"
        )
    };
    assert_eq!(found, [reason(1, "What"), reason(3, "Whether"), reason(4, "Who"), reason(5, "That")]);
}

#[test]
fn other_comments_and_literals_are_accepted() {
    let other =
        "//! Rows of a scan.\n/// Whatever follows.\n// A row that\n// what is lower case\nlet a = \"// What\";\n";
    assert_eq!(invented(other, ""), [""; 0]);
}

#[test]
fn numbers_only_fall() {
    assert_eq!(invented(UNWANTED, "core/new: 4"), [""; 0]);
    assert_eq!(invented(UNWANTED, "core/new: 5"), [""; 0]);
    let grown = invented(UNWANTED, "core/new: 3");
    assert_eq!(grown.len(), 5, "{grown:?}");
    assert_eq!(grown[4], "ARCHITECTURE.md:2: `core/new` has 4 such lines: reword the new ones");
}

#[test]
fn lines_have_to_be_right() {
    assert!(invented("//! Rows.\n", "core/new: 1")[0].contains("remove its line"));
    assert!(invented("//! Rows.\n", "core/none: 1")[0].contains("remove its line"));
    assert!(invented("//! Rows.\n", "core/new: some")[0].contains("expected `FOLDER: N`"));
}
