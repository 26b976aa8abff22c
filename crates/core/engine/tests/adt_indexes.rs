//! Indexes of Advantage tables in SQL: used for conditions and orders without changing an answer, kept up, made and dropped.

#![allow(clippy::disallowed_methods)]

mod support;

use mainstay_engine::Session;
use mainstay_types::Code;
use std::path::Path;
use support::{change, failure, lines, plan, session, value};
use tempfile::TempDir;

/// A folder with the table of all types, with its index or without.
fn folder(extensions: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/adt"));
    for extension in extensions {
        let bytes = std::fs::read(fixtures.join(format!("own-alltypes.{extension}"))).unwrap();
        std::fs::write(folder.path().join(format!("all.{extension}")), bytes).unwrap();
    }
    folder
}

fn sorted(session: &mut Session, sql: &str) -> Vec<String> {
    let mut found = lines(session, sql);
    found.sort();
    found
}

#[test]
fn conditions_have_the_same_rows_with_the_index_and_without() {
    let (with, without) = (folder(&["adt", "adm", "adi"]), folder(&["adt", "adm"]));
    let (mut indexed, mut plain) = (session(with.path()), session(without.path()));
    let conditions = [
        ("id = 5", true),
        ("id BETWEEN 17 AND 23", true),
        ("qty = -1000", true),
        ("qty < -290000", true),
        ("qty > 290000", true),
        ("small IN (-149, -148, 0)", true),
        ("price = -122.2155", true),
        ("price > 240", true),
        ("rate >= 72", true),
        ("stamp < TIMESTAMP '2000-01-03 00:00:00'", true),
        ("stamp = TIMESTAMP '2000-01-01 00:00:00.777'", true),
        ("name = 'beta 1'", true),
        ("name LIKE 'Alpha 2%'", true),
        ("ver = 7", true),
        ("qty IS NULL", false),
        ("name IS NULL", false),
        ("code = 'Ab007'", true),
        // Its index lists only records that have a value.
        ("born < DATE '1901-01-01'", true),
        ("born IS NULL", false),
        ("upper(name) = 'BETA 1'", true),
        ("ok", false),
    ];
    for (condition, must_be_indexed) in conditions {
        let sql = format!("SELECT id FROM \"all\" WHERE {condition}");
        assert_eq!(sorted(&mut indexed, &sql), sorted(&mut plain, &sql), "{condition}");
        let plan = plan(&mut indexed, &sql);
        assert!(plan.contains("index=") || !must_be_indexed, "{condition}: {plan}");
    }
    for order in ["qty", "qty DESC", "price, id", "stamp", "name, id", "rate DESC", "born"] {
        for limit in ["", " LIMIT 7"] {
            let sql = format!("SELECT {} FROM \"all\" ORDER BY {order}{limit}", order.replace(" DESC", ""));
            assert_eq!(lines(&mut indexed, &sql), lines(&mut plain, &sql), "{order}{limit}");
        }
    }
}

#[test]
fn statements_keep_the_index_up_and_unique_tags_refuse() {
    let folder = folder(&["adt", "adm", "adi"]);
    let mut session = session(folder.path());
    change(&mut session, "UPDATE \"all\" SET qty = 77 WHERE id BETWEEN 30 AND 34");
    change(&mut session, "DELETE FROM \"all\" WHERE id = 32");
    change(&mut session, "INSERT INTO \"all\" (name, qty) VALUES ('added', 77)");
    let sql = "SELECT count(*) FROM \"all\" WHERE qty = 77";
    assert!(plan(&mut session, sql).contains("index="), "{}", plan(&mut session, sql));
    assert_eq!(value(&mut session, sql), "5");
    change(&mut session, "CREATE UNIQUE INDEX one ON \"all\" (qty) WHERE qty > 250000");
    change(&mut session, "UPDATE \"all\" SET qty = 299999 WHERE id = 40");
    let error = failure(&mut session, "UPDATE \"all\" SET qty = 299999 WHERE id = 41");
    assert_eq!(error.code(), Code::UniqueViolation);
    assert_eq!(value(&mut session, "SELECT count(*) FROM \"all\" WHERE qty = 299999"), "1");
    change(&mut session, "REINDEX \"all\"");
    support::check(folder.path());
}

#[test]
fn indexes_are_made_shown_and_dropped() {
    let folder = folder(&["adt", "adm"]);
    let mut session = session(folder.path());
    change(&mut session, "CREATE INDEX by_qty ON \"all\" (qty DESC)");
    change(&mut session, "CREATE INDEX by_name ON \"all\" (upper(name), born)");
    assert!(folder.path().join("all.adi").exists());
    let sql = "SELECT id FROM \"all\" WHERE qty = -1000";
    assert!(plan(&mut session, sql).contains("index="), "{}", plan(&mut session, sql));
    assert_eq!(value(&mut session, sql), "1");
    let shown = lines(&mut session, "SHOW INDEXES FROM \"all\"").join("\n");
    assert!(shown.contains("UPPER(Name);Born") && shown.contains("several parts"), "{shown}");
    assert_eq!(failure(&mut session, "CREATE INDEX n ON \"all\" USING cdx (qty)").code(), Code::Unsupported);
    assert_eq!(failure(&mut session, "CREATE INDEX n ON \"all\" (num)").code(), Code::Unsupported);
    support::check(folder.path());
    change(&mut session, "DROP INDEX by_qty ON \"all\"");
    change(&mut session, "DROP INDEX by_name ON \"all\"");
    assert!(!folder.path().join("all.adi").exists());
}

#[test]
fn an_index_of_another_layout_is_named_and_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/adt"));
    for extension in ["adt", "adi"] {
        let bytes = std::fs::read(fixtures.join(format!("openads-leases.{extension}"))).unwrap();
        std::fs::write(folder.path().join(format!("leases.{extension}")), bytes).unwrap();
    }
    let mut session = session(folder.path());
    assert!(value(&mut session, "SELECT count(*) FROM leases").parse::<u32>().unwrap() > 100);
    let error = failure(&mut session, "DELETE FROM leases");
    assert!(error.to_string().contains("Advantage's layout"), "{error}");
}
