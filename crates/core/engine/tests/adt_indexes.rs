//! Indexes of Advantage tables in SQL: used for conditions and orders without a change of the answer, maintained,
//! created and dropped.

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
    assert!(shown.contains("UPPER(Name);Born") && !shown.contains("several parts"), "{shown}");
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

/// The leading parts of a key answer equality, and the next one a range: with the rows of a scan.
#[test]
fn keys_of_several_parts_answer_conditions_on_their_leading_parts() {
    let (with, without) = (folder(&["adt", "adm"]), folder(&["adt", "adm"]));
    let (mut indexed, mut plain) = (session(with.path()), session(without.path()));
    for definition in
        ["one ON \"all\" (small, price)", "two ON \"all\" (code, qty)", "three ON \"all\" (upper(name), born)"]
    {
        change(&mut indexed, &format!("CREATE INDEX {definition}"));
    }
    let conditions = [
        ("small = 5", true),
        ("small IN (-3, 7, 11)", true),
        ("small BETWEEN -3 AND 3", true),
        ("small = 5 AND price > 0", true),
        ("small IN (5, 6) AND price BETWEEN -50 AND 50", true),
        ("small = 5 AND price IS NULL", true),
        ("small < -140", true),
        ("price > 240", false),
        ("code = 'AB007'", true),
        ("code = 'ab007' AND qty > -1000", true),
        ("upper(name) = 'BETA 1'", true),
        ("upper(name) LIKE 'BETA%' AND born > DATE '1990-01-01'", true),
        ("upper(name) = 'BETA 1' AND born >= DATE '1900-01-01'", true),
    ];
    for (condition, must_be_indexed) in conditions {
        let sql = format!("SELECT id FROM \"all\" WHERE {condition}");
        assert_eq!(sorted(&mut indexed, &sql), sorted(&mut plain, &sql), "{condition}");
        let plan = plan(&mut indexed, &sql);
        assert_eq!(plan.contains("index="), must_be_indexed, "{condition}: {plan}");
    }
    change(&mut indexed, "UPDATE \"all\" SET small = 5, price = 1.5 WHERE id = 3");
    assert!(lines(&mut indexed, "SELECT id FROM \"all\" WHERE small = 5 AND price = 1.5").contains(&"3".to_owned()));
    support::check(with.path());
}

/// The letters of a CICharacter differ in their accents and not in their case, whatever a statement does with them.
#[test]
fn cicharacter_compares_without_case() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    let create = "CREATE TABLE people (id INTEGER, name CHAR(12) COLLATE nocase, town CHAR(12)) WITH (FORMAT = adt)";
    change(&mut session, create);
    for (id, name) in ["anna", "ANNA", "Bert", "bERT ", "carl", "\u{c9}va", "\u{e9}va"].iter().enumerate() {
        change(&mut session, &format!("INSERT INTO people VALUES ({id}, '{name}', '{name}')"));
    }
    change(&mut session, "INSERT INTO people (id) VALUES (7)");
    let check = |session: &mut Session| {
        for (condition, expected) in [
            ("name = 'anna'", "0 1"),
            ("name = 'AnNa '", "0 1"),
            ("town = 'anna'", "0"),
            ("name IN ('bert', 'CARL')", "2 3 4"),
            ("name LIKE 'an%'", "0 1"),
            ("name = '\u{e9}VA'", "5 6"),
            ("name BETWEEN 'ANNB' AND 'BERT'", "2 3"),
            ("name < 'b'", "0 1"),
            ("name <> 'anna' AND id < 5", "2 3 4"),
            ("name IS NULL", "7"),
        ] {
            let sql = format!("SELECT id FROM people WHERE {condition} ORDER BY id");
            assert_eq!(lines(session, &sql).join(" "), expected, "{condition}");
        }
        let mut groups = lines(session, "SELECT count(*) FROM people GROUP BY name");
        groups.sort();
        assert_eq!(groups.join(" "), "1 1 2 2 2");
        assert_eq!(value(session, "SELECT count(DISTINCT name) FROM people"), "4");
        let joined = "SELECT count(*) FROM people a JOIN people b ON a.name = b.name";
        assert_eq!(value(session, joined), "13");
    };
    check(&mut session);
    change(&mut session, "CREATE INDEX by_name ON people (name, id)");
    assert!(plan(&mut session, "SELECT id FROM people WHERE name = 'ANNA'").contains("index="));
    check(&mut session);
    change(&mut session, "DROP INDEX by_name ON people");
    change(&mut session, "CREATE INDEX by_name ON people (name)");
    assert!(plan(&mut session, "SELECT id FROM people WHERE name = 'ANNA'").contains("index="));
    check(&mut session);
    change(&mut session, "CREATE TABLE copy WITH (FORMAT = adt) AS SELECT name FROM people");
    assert_eq!(value(&mut session, "SELECT count(*) FROM copy WHERE name = 'ANNA'"), "2");
    support::check(folder.path());
}
