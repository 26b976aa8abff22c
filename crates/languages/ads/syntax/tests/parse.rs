//! The dialect's statements: parsed, printed, and parsed again; errors with their numbers and places.

use mainstay_ads_syntax::{parse, print};
use mainstay_ads_types::native;

const CORPUS: &str = include_str!("corpus.sql");

/// A series of numbers that is the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

#[test]
fn what_is_written_reads_the_same() {
    for text in CORPUS.split("\n\n") {
        let first = parse(text).unwrap_or_else(|error| panic!("{text}\n{}", error.sentence(text)));
        let written = print(&first.statements);
        let second = parse(&written).unwrap_or_else(|error| panic!("{written}\n{}", error.sentence(&written)));
        assert_eq!(first.statements, second.statements, "{text}\n{written}");
        assert_eq!(written, print(&second.statements), "{text}");
    }
}

#[test]
fn errors_say_what_and_where() {
    let cases = [
        ("SELECT * FORM emp", native::UNEXPECTED, "Unexpected token: FORM", "10 (line: 1 column: 10)"),
        ("SELECT *\nFROM WHERE", native::EXPECTED, "<identifier>", "15 (line: 2 column: 6)"),
        ("INSERT INTO t (a, b) VALUES (1)", native::INSERT_COUNT, "Unequal number", "29 (line: 1 column: 29)"),
        ("IF a = 1 THEN b = 2;", native::SCRIPT_END, "Unexpected end", "21"),
        ("TRY a = 1; END TRY;", native::SCRIPT, "without CATCH", "1 (line"),
        ("SELECT {x 'a'} FROM t", native::ESCAPE, "escape", "11"),
        ("SELECT CAST(a AS SQL_NOTHING) FROM t", native::TYPE, "SQL_NOTHING", "18"),
        ("DECLARE a Nothing;", native::TYPE, "Nothing", "11"),
        ("SELECT 'abc FROM t", native::EXPECTED, "closing", "8"),
        ("CREATE PROCEDURE p() FUNCTION x IN LIBRARY y", native::UNSUPPORTED, "libraries", ""),
        ("a = 1 b = 2", native::UNEXPECTED, "Unexpected token: b", "7"),
    ];
    for (text, number, message, place) in cases {
        let error = parse(text).expect_err(text);
        assert_eq!(error.number, number, "{text}: {error}");
        let sentence = error.sentence(text);
        assert!(sentence.contains(message) && sentence.contains(place), "{text}: {sentence}");
    }
}

#[test]
fn parameters_are_listed_once_each() {
    let parsed = parse("SELECT :a, ?, :B FROM t WHERE x = :b OR y = ?").expect("it is right");
    assert_eq!(parsed.parameters, ["a", "?1", "B", "?2"]);
}

#[test]
fn damaged_statements_are_refused_or_read() {
    let statements: Vec<&str> = CORPUS.split("\n\n").collect();
    let words: Vec<&str> = CORPUS.split([' ', '\n']).collect();
    let mut random = Random(17);
    for _ in 0..4_000 {
        let mut text = statements[random.below(statements.len())].to_owned();
        for _ in 0..=random.below(4) {
            let mut at = random.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            match random.below(3) {
                0 => text.truncate(at),
                1 => text.insert_str(at, words[random.below(words.len())]),
                _ => {
                    let rest = text.split_off(at);
                    text.push_str(rest.get(1..).unwrap_or(""));
                }
            }
        }
        if let Ok(parsed) = parse(&text) {
            let written = print(&parsed.statements);
            assert_eq!(parse(&written).map(|again| again.statements), Ok(parsed.statements), "{text}\n{written}");
        }
    }
}

#[test]
fn nothing_overflows_the_stack() {
    let deep =
        ["(", "NOT ", "- ", "CASE WHEN ", "f(", "(SELECT ", "x IN (", "{fn ", "IF a = 1 THEN ", "a + ", "x IS NULL = "];
    for piece in deep {
        let text = format!("SELECT {}", piece.repeat(50_000));
        assert!(parse(&text).is_err(), "{piece}");
        assert!(parse(&piece.repeat(50_000)).is_err(), "{piece}");
    }
    let long = format!("SELECT a FROM t WHERE {}", vec!["x = 1"; 20_000].join(" OR "));
    assert!(parse(&long).is_ok());
    let unions = vec!["SELECT a FROM t"; 20_000].join(" UNION ");
    assert!(parse(&unions).is_err());
}
