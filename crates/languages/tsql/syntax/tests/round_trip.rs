//! The corpus: every batch parses without a message, and its printed tree parses to the same tree.

use mainstay_tsql_syntax::{Options, batches, parse, print};
use std::path::Path;

/// Files and their texts, in the order of their names.
fn corpus() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    #[expect(clippy::disallowed_methods, reason = "the corpus is part of the sources, not stored data")]
    let read = |path: &Path| std::fs::read_to_string(path).expect("a file of the corpus");
    let mut files: Vec<(String, String)> = folder
        .read_dir()
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), read(&path)))
        .collect();
    files.sort();
    files
}

#[test]
fn every_batch_prints_to_the_same_tree() {
    let (mut statements, mut wrong) = (0, Vec::new());
    for (file, text) in corpus() {
        for batch in batches(&text) {
            let place = format!("{file} line {}", batch.first_line);
            let first = parse(batch.text, Options::default());
            if !first.errors.is_empty() {
                let messages = first.errors.iter().map(|error| format!("{place}: {error}"));
                wrong.extend(messages);
                continue;
            }
            // SET QUOTED_IDENTIFIER OFF makes strings of "x"; printed they are strings under either setting.
            let printed = print(&first.statements);
            let second = parse(&printed, Options::default());
            if !second.errors.is_empty() {
                let line = printed.lines().nth(second.errors[0].line as usize - 1).unwrap_or_default();
                wrong.push(format!("{place}: printed and read again: {} in\n{line}", second.errors[0]));
            } else if second.statements != first.statements {
                let pairs = first.statements.iter().zip(&second.statements);
                let different =
                    pairs.filter(|(first, second)| first != second).map(|(first, _)| first.span.of(batch.text));
                wrong.push(format!("{place}: another tree: {:?}", different.collect::<Vec<_>>()));
            } else if print(&second.statements) != printed {
                wrong.push(format!("{place}: printed differently: {printed}"));
            }
            statements += first.statements.len();
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(statements > 500, "the corpus has only {statements} statements");
}

/// The spans of a statement cover exactly its text.
#[test]
fn spans_and_lines_are_those_of_the_text() {
    let text = "SELECT 1;\n\n  IF @@ROWCOUNT > 0\n    PRINT 'x'\nDELETE FROM [my table] WHERE a = 1 ;";
    let parsed = parse(text, Options::default());
    let found: Vec<(&str, u32)> =
        parsed.statements.iter().map(|statement| (statement.span.of(text), statement.line.0)).collect();
    let expected =
        [("SELECT 1", 1), ("IF @@ROWCOUNT > 0\n    PRINT 'x'", 3), ("DELETE FROM [my table] WHERE a = 1", 5)];
    assert_eq!(found, expected);
}
