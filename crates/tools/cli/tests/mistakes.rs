//! Everyday mistakes, and their messages: the place, the words of the user, and the correct form.
//!
//! `mistakes/everyday.sql` has a statement or a command a line. All of them are run over the sample folder, and
//! `mistakes/everyday.out` has the output. Statements behind `-- No place` have errors that depend on the rows, not on
//! a part of the text. `MAINSTAY_REWRITE=1` rewrites the output: look at the difference before committing it.
#![allow(clippy::disallowed_methods)]

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mistakes");
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../sample");

/// Statements before the mistakes: a table beside those of the sample, and the one in use.
const BEFORE: &str = "CREATE TABLE notebook (id INTEGER NOT NULL, day DATE, word VARCHAR(10));\nUSE customers\n";

/// Words of the planner, the vectors and the parser, which say nothing to who wrote the statement.
const INTERNAL_WORDS: [&str; 17] = [
    "DataFusion",
    "Arrow",
    "arrow",
    "Utf8",
    "Int32",
    "Int64",
    "Float64",
    "Decimal128",
    "Date32",
    "coerc",
    "signature",
    "Projection",
    "SortExpr",
    "LogicalPlan",
    "Schema",
    "Expr",
    "Failed to",
];

fn copied_sample() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(SAMPLE).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    folder
}

/// The output of a script, results and errors in their order.
fn printed(folder: &Path, script: &str) -> String {
    let path = folder.join("printed.txt");
    let out = File::options().create(true).append(true).open(&path).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_mainstay"))
        .arg(folder)
        .args(["--echo", "--continue-on-error", "--format", "csv"])
        .stdin(Stdio::piped())
        .stdout(out.try_clone().unwrap())
        .stderr(out)
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    std::fs::read_to_string(&path).unwrap()
}

/// A statement without what ends it, as it is echoed.
fn without_end(line: &str) -> &str {
    line.trim_end_matches(';').trim_end()
}

/// The output for each line, in pairs.
fn told<'t>(lines: &[&'t str], printed: &'t str) -> Vec<(&'t str, String)> {
    let mut rest = printed.lines().peekable();
    let mut told = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(rest.next().map(without_end), Some(without_end(line)), "what is printed behind line {number}");
        let next = lines.get(number + 1).map(|next| without_end(next));
        let mut own = String::new();
        while let Some(shown) = rest.next_if(|shown| Some(without_end(shown)) != next) {
            own.push_str(shown);
            own.push('\n');
        }
        told.push((*line, own));
    }
    told
}

/// The mistakes that are of no place in the text.
fn placeless(mistakes: &str) -> impl Iterator<Item = &str> {
    let section = mistakes.lines().skip_while(|line| !line.starts_with("-- No place")).skip(1);
    section.take_while(|line| !line.starts_with("--"))
}

#[test]
fn every_mistake_is_told_with_its_place_and_in_words_of_its_language() {
    let folder = copied_sample();
    let mistakes = std::fs::read_to_string(Path::new(HERE).join("everyday.sql")).unwrap();
    let printed = printed(folder.path(), &format!("{BEFORE}{mistakes}"));
    let lines: Vec<&str> = BEFORE.lines().chain(mistakes.lines()).filter(|line| !line.starts_with("--")).collect();
    let (mut all, mut complaints) = (String::new(), String::new());
    let has_place = |line: &str| !placeless(&mistakes).any(|other| other == line);
    for (line, told) in told(&lines, &printed).into_iter().skip(BEFORE.lines().count()) {
        let _ = writeln!(all, "{line}\n{told}");
        let internal = INTERNAL_WORDS.iter().find(|word| told.contains(**word) && !line.contains(**word));
        if !told.contains("error: ") || has_place(line) != told.contains("--> line ") || internal.is_some() {
            let _ = writeln!(complaints, "{line}\n{told}");
        }
    }
    let path = Path::new(HERE).join("everyday.out");
    if std::env::var_os("MAINSTAY_REWRITE").is_some() {
        std::fs::write(&path, &all).unwrap();
    }
    assert!(complaints.is_empty(), "no error, without a place, or in words of the program's own:\n\n{complaints}");
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(all == expected, "--- expected\n{expected}\n--- printed\n{all}");
}

/// Words of libraries, in messages of any kind: what a statement is about is in SQL's words.
const LIBRARY_WORDS: [&str; 34] = [
    "DataFusion",
    "datafusion",
    "Arrow",
    "arrow",
    "LogicalPlan",
    "logical plan",
    "physical",
    "Utf8",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "Float32",
    "Float64",
    "Decimal128",
    "Decimal32",
    "Decimal64",
    "Date32",
    "Time64",
    "BinaryView",
    "LargeBinary",
    "Nanosecond",
    "MonthDayNano",
    "Schema error",
    "Internal error",
    "Execution error",
    "Error during planning",
    "sqlparser",
    "ParserError",
    "EOF",
    "coerc",
    "match any signature",
    "andidate functions",
    "panicked",
];

/// A corpus of wrong statements of all kinds, and every operator with every pair of types, have messages without a word of a
/// library (`new-10`).
#[test]
fn no_message_has_words_of_a_library() {
    let folder = copied_sample();
    let mut statements: Vec<String> =
        std::fs::read_to_string(Path::new(HERE).join("corpus.sql")).unwrap().lines().map(str::to_owned).collect();
    let values = [
        "1",
        "1.5",
        "'x'",
        "TRUE",
        "DATE '2020-01-01'",
        "TIMESTAMP '2020-01-01 00:00:00'",
        "TIME '10:00:00'",
        "INTERVAL '1 day'",
        "NULL",
        "x'00'",
    ];
    for operator in ["+", "-", "*", "/", "%", "||", "<", "AND", "LIKE", "&", "<<", "^"] {
        let pairs = values.iter().flat_map(|left| values.iter().map(move |right| (left, right)));
        statements.extend(pairs.map(|(left, right)| format!("SELECT {left} {operator} {right};")));
    }
    for name in [
        "abs",
        "ceil",
        "chr",
        "date_trunc",
        "lower",
        "lpad",
        "round",
        "sqrt",
        "substr",
        "to_date",
        "trim",
        "sum",
        "avg",
    ] {
        let arguments =
            values.iter().copied().chain(["", "*", "1, 2", "'x', 1, DATE '2020-01-01'", "1, 2, 3, 4, 5, 6"]);
        statements.extend(arguments.map(|arguments| format!("SELECT {name}({arguments});")));
    }
    for data_type in
        ["TINYINT", "INTEGER", "DECIMAL(5,2)", "VARCHAR(3)", "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "UUID"]
    {
        statements.extend(values.iter().map(|value| format!("SELECT CAST({value} AS {data_type});")));
    }
    let printed = printed(folder.path(), &(BEFORE.to_owned() + &statements.join("\n") + "\n"));
    let mut wrong = Vec::new();
    let (mut errors, mut before) = (0, "");
    for line in printed.lines() {
        if !line.starts_with("error: ") && !line.starts_with("hint: ") {
            before = if line.starts_with(' ') { before } else { line };
            continue;
        }
        errors += usize::from(line.starts_with("error: "));
        // Text in quotation marks is the statement's.
        let outside: String = line.split(['\'', '"', '`']).step_by(2).collect();
        if let Some(word) = LIBRARY_WORDS.iter().find(|word| outside.contains(**word)) {
            wrong.push(format!("{word}: {before}\n    {line}"));
        }
    }
    assert!(errors > 900, "{errors} of {} statements are wrong", statements.len());
    assert!(wrong.is_empty(), "{} messages\n{}", wrong.len(), wrong.join("\n"));
}
