//! Every row of the table of constructs is found in its example, ordinary scripts have none, and no text breaks the walk.

use mainstay_informix_syntax::compatibility::{CONSTRUCTS, Names, assess};
use std::collections::HashSet;

fn found(script: &str) -> Vec<(&'static str, String, u32)> {
    let mut names = Names::default();
    names.add(script);
    let all = assess(script, &names).occurrences.into_iter();
    all.map(|found| (found.construct.id, found.subject.into_owned(), found.line)).collect()
}

#[test]
fn every_row_is_found_in_its_example() {
    let mut ids = HashSet::new();
    for row in CONSTRUCTS {
        assert!(ids.insert(row.id), "{} stands twice", row.id);
        assert!(!row.behaviour.is_empty() && (row.support.needs_review() <= !row.advice.is_empty()), "{}", row.id);
        if !row.example.is_empty() {
            let found = found(row.example);
            assert!(found.iter().any(|(id, ..)| *id == row.id), "{}: {} gives {found:?}", row.id, row.example);
        }
    }
}

/// A script cut at every byte is read or refused, and nothing panics.
#[test]
fn cut_scripts_are_assessed() {
    let script: String = CONSTRUCTS.iter().map(|row| format!("{};\n", row.example)).collect();
    let names = Names::default();
    for (end, _) in script.char_indices() {
        let start = end.saturating_sub(400);
        if script.is_char_boundary(start) {
            assess(&script[start..end], &names);
        }
    }
}

#[test]
fn ordinary_scripts_have_no_row() {
    let script = "CREATE TABLE t (a SERIAL, b VARCHAR(20) DEFAULT 'x' NOT NULL, PRIMARY KEY (a));\n\
        INSERT INTO t VALUES (0, 'y');\nSELECT FIRST 5 a, NVL(b, 'z') FROM t, OUTER u WHERE t.a = u.a AND b MATCHES 'x*';\n\
        CREATE FUNCTION twice(n INT) RETURNING INT;\n  DEFINE m INT;\n  LET m = n * 2;\n  IF m > 10 THEN\n    LET m = 10;\n\
          END IF;\n  RETURN m;\nEND FUNCTION;\nSELECT twice(a) FROM t;\nUPDATE t SET b = UPPER(b) WHERE a = 1;";
    assert_eq!(found(script), []);
}

#[test]
fn every_statement_tells_its_error_with_its_line() {
    let script = "SELECT FROM WHERE;\nSELECT nosuch(a)\nFROM t;\nGRANT ALL ON t TO public;\nCREATE PROCEDURE p()\n  TRACE ON;\n\
        SYSTEM 'x';\nEND PROCEDURE;\nSELECT a FROM stores:t;";
    let found: Vec<_> = found(script).into_iter().map(|(id, _, line)| (id, line)).collect();
    let wanted =
        [("syntax", 1), ("unknown-function", 2), ("grant-revoke", 4), ("trace", 6), ("system", 7), ("database", 9)];
    assert_eq!(found, wanted);
}
