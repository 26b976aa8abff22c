//! Every row of the table of constructs is found in its example, ordinary scripts have none, and no text breaks the
//! walk.

use mainstay_ads_syntax::compatibility::{CONSTRUCTS, Names, assess};
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
    let script = "DECLARE i Integer;\ni = 0;\nWHILE i < 3 DO\n  INSERT INTO t ( a, b ) VALUES ( i, UPPER( 'x' ) );\n  i = i + 1;\n\
        END;\nTRY\n  UPDATE t SET b = 'y' WHERE a = 1;\nCATCH ALL\n  RAISE;\nEND;\n\
        SELECT TOP 2 a, IIF( a > 1, 'x', 'y' ) FROM t WHERE b LIKE 'x%' ORDER BY a;\n\
        CREATE FUNCTION twice ( n Integer ) RETURNS Integer BEGIN RETURN n * 2; END;\nSELECT twice( a ) FROM t;\n\
        EXECUTE PROCEDURE sp_PackTable( 't' );";
    assert_eq!(found(script), []);
}

/// Every statement reports its error, although the parser ends at the first.
#[test]
fn a_script_with_errors_tells_them_all() {
    let script = "SELECT FROM t;\nSELECT a FROM t;\nIF 1 = 1 THEN\n  SELECT nosuch( a ) FROM t;\nEND;\n\
        GRANT SELECT ON t TO x;\nSELECT (;\n";
    let found: Vec<_> = found(script).into_iter().map(|(id, _, line)| (id, line)).collect();
    assert_eq!(found, [("syntax", 1), ("unknown-function", 4), ("statement", 6), ("syntax", 7)]);
}
