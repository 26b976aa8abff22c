//! Indexes change how fast an answer comes, never the answer.
//!
//! Each statement runs twice: in a folder with the index files and in one without them, where only a scan
//! can answer. Plans prove that the index was really used.

#![allow(clippy::disallowed_methods)]

mod support;

use mainstay_engine::{Database, Options, Session};
use std::collections::BTreeSet;
use std::path::Path;
use support::{
    Records, copy, copy_without_indexes, csv, fixtures, lines, lines_and_notices, plan, rows, session, value,
};
use tempfile::TempDir;

/// The same tables with and without indexes.
struct Pair {
    indexed: TempDir,
    plain: TempDir,
}

impl Pair {
    fn copy(folder: &str, names: &[&str]) -> Pair {
        Pair { indexed: copy(folder, names), plain: copy_without_indexes(folder, names) }
    }

    fn sessions(&self) -> (Session, Session) {
        (session(self.indexed.path()), session(self.plain.path()))
    }

    /// The indexed session keeps nothing that it decoded: a wide range would be looked for in that. It cannot sort, either.
    fn frugal_sessions(&self) -> (Session, Session) {
        let options = Options { memory_limit_bytes: Some(1 << 12), ..Options::default() };
        let indexed = Database::open_with(self.indexed.path(), options).unwrap().session();
        (indexed, session(self.plain.path()))
    }

    /// Makes the same change to both copies of a table.
    fn change(&self, file: &str, mut change: impl FnMut(&mut Records)) {
        for folder in [&self.indexed, &self.plain] {
            let mut records = Records::read(folder.path().join(file));
            change(&mut records);
            records.write();
        }
    }
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

/// Runs a condition on both; tells whether an index was used.
#[track_caller]
fn same_rows(sessions: &mut (Session, Session), table: &str, condition: &str) -> bool {
    let sql = format!("SELECT _recno FROM {table} WHERE {condition}");
    let (indexed, scanned) = (sorted(lines(&mut sessions.0, &sql)), sorted(lines(&mut sessions.1, &sql)));
    assert_eq!(indexed, scanned, "{sql}\n{}", plan(&mut sessions.0, &sql));
    plan(&mut sessions.0, &sql).contains("index=")
}

/// A value as SQL writes it.
fn literal(kind: &str, value: &str) -> String {
    match kind {
        "text" => format!("'{}'", value.replace('\'', "''")),
        "date" => format!("DATE '{value}'"),
        "timestamp" => format!("TIMESTAMP '{}'", value.replace('T', " ")),
        _ => value.to_owned(),
    }
}

/// Some values of a column: the least, the greatest and some between.
fn samples(session: &mut Session, table: &str, column: &str, kind: &str) -> Vec<String> {
    let sql = format!("SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY {column}");
    let all: Vec<String> = lines(session, &sql);
    let step = (all.len() / 6).max(1);
    all.iter().step_by(step).chain(all.last()).map(|value| literal(kind, value)).collect()
}

/// Conditions on one column.
fn conditions(column: &str, kind: &str, values: &[String]) -> Vec<String> {
    let mut conditions = vec![format!("{column} IS NULL")];
    let last = values.len() - 1;
    for (at, value) in values.iter().enumerate() {
        let other = &values[(at + 2).min(last)];
        conditions.extend(["=", "<", "<=", ">", ">="].map(|op| format!("{column} {op} {value}")));
        conditions.push(format!("{column} BETWEEN {value} AND {other}"));
        conditions.push(format!("{column} IN ({value}, {other}, {})", values[0]));
        conditions.push(format!("{column} < {value} OR {column} > {other}"));
        conditions.push(format!("{column} = {value} OR {column} = {other}"));
    }
    if kind == "text" {
        for value in values {
            let text = value.trim_matches('\'');
            for length in [1, 2, 4] {
                let head: String = text.chars().take(length).collect();
                conditions.push(format!("{column} LIKE '{head}%'"));
            }
            conditions.push(format!("{column} LIKE '{text}'"));
            conditions.push(format!("{column} = '{text}   '"));
            conditions.push(format!("{column} = '{text}x'"));
            conditions.push(format!("{column} > '{}'", text.to_lowercase()));
        }
        conditions.push(format!("{column} = ''"));
        conditions.push(format!("{column} LIKE '_%'"));
    }
    if kind == "number" {
        conditions.extend(
            ["= 0", "= 0.005", "< -0.001", ">= 99999999999", "= -1", "BETWEEN -10.5 AND 10.25"]
                .map(|rest| format!("{column} {rest}")),
        );
        conditions.push(format!("{column} + 0 = {}", values[0]));
    }
    conditions
}

/// Columns with tags, of all tables with usable tags.
const COLUMNS: [(&str, &str, &str, &str); 26] = [
    ("", "t03_cdx_tags", "id", "number"),
    ("", "t03_cdx_tags", "name", "text"),
    ("", "t03_cdx_tags", "born", "date"),
    ("", "t03_cdx_tags", "bal", "number"),
    ("", "t03_cdx_tags", "city", "text"),
    ("", "t03_cdx_tags", "wts", "timestamp"),
    ("", "t04_cdx_updated", "id", "number"),
    ("", "t04_cdx_updated", "name", "text"),
    ("", "t04_cdx_updated", "born", "date"),
    ("", "t04_cdx_updated", "bal", "number"),
    ("", "t05_ntx", "code", "text"),
    ("", "t05_ntx", "num", "number"),
    ("", "t05_ntx", "neg", "number"),
    ("", "t05_ntx", "dt", "date"),
    ("", "t07_vfp", "name", "text"),
    ("", "t07_vfp", "qty", "number"),
    ("more", "m18_key_types", "c1", "text"),
    ("more", "m18_key_types", "c250", "text"),
    ("more", "m18_key_types", "f", "number"),
    ("more", "m18_key_types", "i", "number"),
    ("more", "m18_key_types", "i2", "number"),
    ("more", "m18_key_types", "i8", "number"),
    ("more", "m18_key_types", "t", "timestamp"),
    ("more", "m18_key_types", "at", "timestamp"),
    ("more", "m18_key_types", "d3", "date"),
    ("more", "m15_ntx_compound", "id", "number"),
];

#[test]
fn conditions_give_the_same_rows_with_and_without_indexes() {
    for folder in ["", "more"] {
        let pair = Pair::copy(folder, &["t03", "t04", "t05", "t07", "m15", "m18"]);
        let mut sessions = pair.frugal_sessions();
        for (_, table, column, kind) in COLUMNS.iter().filter(|column| column.0 == folder) {
            let values = samples(&mut sessions.1, table, column, kind);
            let mut used = 0;
            let conditions = conditions(column, kind, &values);
            for condition in &conditions {
                used += usize::from(same_rows(&mut sessions, table, condition));
            }
            assert!(
                used * 2 > conditions.len() || *table == "t07_vfp",
                "{table}.{column}: {used} of {}",
                conditions.len()
            );
        }
    }
}

#[test]
fn combined_conditions_give_the_same_rows() {
    let pair = Pair::copy("", &["t03", "t04", "t05"]);
    let mut sessions = pair.frugal_sessions();
    let combined = [
        ("t03_cdx_tags", "id < 3000 AND bal > 0"),
        ("t03_cdx_tags", "id < 3000 AND bal > 0 AND active"),
        ("t03_cdx_tags", "(id < 500 OR bal > 9000) AND name LIKE 'A%'"),
        ("t03_cdx_tags", "id < 500 OR bal > 9000 OR name LIKE 'adam%'"),
        ("t03_cdx_tags", "id < 500 OR memo IS NOT NULL"),
        ("t03_cdx_tags", "NOT (id >= 500 AND bal <= 9000)"),
        ("t03_cdx_tags", "city = 'Roma' AND born BETWEEN DATE '1950-01-01' AND DATE '1960-12-31'"),
        ("t03_cdx_tags", "city IN ('Roma', 'Lima') AND id IN (7919, 5831, 1)"),
        ("t03_cdx_tags", "id > 100 AND id <= 900 AND id <> 500"),
        ("t03_cdx_tags", "id = 9 AND id = 19"),
        ("t03_cdx_tags", "born IS NULL AND bal < 0"),
        ("t03_cdx_tags", "id NOT IN (9, 19, 29) AND id < 100"),
        ("t04_cdx_updated", "id < 3000 AND (bal > 0 OR name > 'P')"),
        ("t05_ntx", "num > 100 AND neg < 0"),
        ("t05_ntx", "num > 100 OR code LIKE 'B%'"),
    ];
    for (table, condition) in combined {
        same_rows(&mut sessions, table, condition);
        for session in [&mut sessions.0, &mut sessions.1] {
            session.set("show_deleted", "on").unwrap();
        }
        same_rows(&mut sessions, table, condition);
        for session in [&mut sessions.0, &mut sessions.1] {
            session.set("show_deleted", "off").unwrap();
        }
    }
}

/// A range that is too wide for its index is looked for in what is decoded.
#[test]
fn wide_ranges_give_the_same_rows_from_the_index_and_from_vectors() {
    let pair = Pair::copy("", &["t11"]);
    let mut session = session(pair.indexed.path());
    let sql = "SELECT _recno, id FROM t11_bench100k WHERE id BETWEEN 10000 AND 20000";
    let by_index = sorted(lines(&mut session, sql));
    assert_eq!(by_index.len(), 10_001);
    lines(&mut session, "SELECT SUM(id) FROM t11_bench100k");
    assert_eq!(sorted(lines(&mut session, sql)), by_index);
}

#[test]
fn the_benchmark_table_answers_from_its_tags() {
    let pair = Pair::copy("", &["t11"]);
    let mut sessions = pair.frugal_sessions();
    for condition in [
        "id = 50000",
        "id BETWEEN 10000 AND 20000",
        "tag = 'AAAA'",
        "tag LIKE 'AB%'",
        "tag IN ('AAAA', 'ZZZZ', 'none') AND id < 1000",
        "amt = 500.25",
        "amt >= 999.9 OR id > 99990",
        "id < 1 OR id > 100000",
    ] {
        assert!(same_rows(&mut sessions, "t11_bench100k", condition), "{condition}");
    }
    let plan = plan(&mut sessions.0, "SELECT * FROM t11_bench100k WHERE id = 50000");
    assert!(plan.contains("index=ID of t11_bench100k.cdx"), "{plan}");
}

#[test]
fn explain_names_the_tag() {
    let folder = copy("", &["t03", "t05"]);
    let mut session = session(folder.path());
    let plan = |session: &mut Session, rest: &str| plan(session, &format!("SELECT * FROM {rest}"));
    for (rest, tag) in [
        ("t03_cdx_tags WHERE id = 9", "ID of t03_cdx_tags.cdx"),
        ("t03_cdx_tags WHERE name = 'Adam'", "NAME of t03_cdx_tags.cdx"),
        ("t03_cdx_tags WHERE born > DATE '1960-01-01'", "BORN of t03_cdx_tags.cdx"),
        ("t03_cdx_tags WHERE city = 'Roma'", "CITYBORN of t03_cdx_tags.cdx"),
        ("t03_cdx_tags WHERE wts < TIMESTAMP '2026-02-01 00:00:00'", "WTST of t03_cdx_tags.cdx"),
        ("t05_ntx WHERE code = 'A'", "T05CODE of t05code.ntx"),
        ("t05_ntx WHERE dt = DATE '2000-01-01'", "T05DT of t05dt.ntx"),
        ("t03_cdx_tags WHERE active AND id = 9", "of t03_cdx_tags.cdx: "),
        ("t03_cdx_tags ORDER BY id", "TableOrder: by=ID of t03_cdx_tags.cdx"),
        ("t05_ntx ORDER BY code DESC", "TableOrder: by=T05CODE of t05code.ntx descending"),
    ] {
        let plan = plan(&mut session, rest);
        assert!(plan.contains(tag), "{rest}: {plan}");
    }
    // Tags that list only some records, or each key once.
    for rest in ["t03_cdx_tags WHERE memo LIKE 'x%'", "t03_cdx_tags WHERE lower(name) LIKE '%x'"] {
        assert!(!plan(&mut session, rest).contains("index="), "{rest}");
    }
}

/// Tags that order a field as SQL does walk the table in the order that the program saw.
#[test]
fn order_by_is_the_walk_of_the_tag() {
    for (folder, table, tag, column) in [
        ("", "t03_cdx_tags", "ID", "id"),
        ("", "t03_cdx_tags", "NAME", "name"),
        ("", "t03_cdx_tags", "BORN", "born"),
        ("", "t03_cdx_tags", "WTST", "wts"),
        ("", "t04_cdx_updated", "ID", "id"),
        ("", "t04_cdx_updated", "NAME", "name"),
        ("", "t05_ntx", "T05CODE", "code"),
        ("", "t05_ntx", "T05DT", "dt"),
        ("more", "m18_key_types", "I", "i"),
        ("more", "m18_key_types", "D3", "d3"),
        ("more", "m11_two_bags", "NAME", "name"),
    ] {
        let folder_copy = copy(folder, &[&table[..3]]);
        let mut session = session(folder_copy.path());
        let sql = format!("SELECT _recno FROM {table} ORDER BY {column}");
        assert!(plan(&mut session, &sql).contains("TableOrder"), "{}", plan(&mut session, &sql));
        let ordered = lines(&mut session, &sql);
        let live: BTreeSet<String> = lines(&mut session, &format!("SELECT _recno FROM {table}")).into_iter().collect();
        let walk = csv(&fixtures(folder).join(table).with_extension("walk.csv"));
        let walk: Vec<&String> =
            walk.iter().filter(|row| row[0] == tag).map(|row| &row[2]).filter(|recno| live.contains(*recno)).collect();
        assert!(ordered.iter().eq(walk.iter().copied()), "{table} {tag}");
    }
}

#[test]
fn order_by_gives_the_same_order_with_and_without_indexes() {
    for folder in ["", "more"] {
        let pair = Pair::copy(folder, &["t03", "t04", "t05", "t07", "m15", "m18"]);
        let mut sessions = pair.sessions();
        for (_, table, column, _) in COLUMNS.iter().filter(|column| column.0 == folder) {
            for rest in ["", " DESC", " LIMIT 25", " DESC LIMIT 25", " NULLS LAST"] {
                let sql = format!("SELECT {column}, _recno FROM {table} ORDER BY {column}{rest}");
                let (indexed, scanned) = (rows(&mut sessions.0, &sql), rows(&mut sessions.1, &sql));
                let values = |rows: &[Vec<String>]| rows.iter().map(|row| row[0].clone()).collect::<Vec<_>>();
                assert_eq!(values(&indexed), values(&scanned), "{sql}\n{}", plan(&mut sessions.0, &sql));
                let records: BTreeSet<&String> = indexed.iter().map(|row| &row[1]).collect();
                assert_eq!(records.len(), scanned.len(), "{sql}: every row once");
            }
            for aggregates in
                [format!("MIN({column}), MAX({column})"), format!("MAX({column})"), format!("MIN({column})")]
            {
                let sql = format!("SELECT {aggregates} FROM {table}");
                assert_eq!(lines(&mut sessions.0, &sql), lines(&mut sessions.1, &sql), "{sql}");
            }
        }
    }
}

#[test]
fn min_and_max_come_from_the_ends_of_an_index() {
    let folder = copy("", &["t11"]);
    let mut session = session(folder.path());
    let sql = "SELECT MIN(id), MAX(id) FROM t11_bench100k";
    assert!(
        plan(&mut session, sql).contains("from the ends of [ID of t11_bench100k.cdx"),
        "{}",
        plan(&mut session, sql)
    );
    assert_eq!(lines(&mut session, sql), ["1|100000"]);
}

/// A UNIQUE tag lists one record of each key: that it lacks the others is nothing to be told of.
#[test]
fn who_looks_at_the_indexes_is_not_warned_of_unique_tags_that_are_sound() {
    for (folder, name) in [("", "t03_cdx_tags"), ("", "t04_cdx_updated"), ("more", "m18_key_types")] {
        let copied = copy(folder, &[name]);
        let mut session = session(copied.path());
        let tags = lines(&mut session, &format!("SHOW INDEXES FROM {name}"));
        assert!(tags.iter().any(|tag| tag.contains("first record of each key")), "{tags:?}");
        let (_, notices) = lines_and_notices(&mut session, &format!("SELECT * FROM {name}"));
        assert_eq!(notices, [""; 0], "{name}");
    }
}

/// The header says that there is one.
#[test]
fn a_structural_index_that_is_missing_is_told_of_by_who_is_asked() {
    let copied = copy_without_indexes("", &["t03_cdx_tags"]);
    let mut session = session(copied.path());
    let missing = "the header says that the table has a structural index, and there is no t03_cdx_tags.cdx";
    let (tags, notices) = lines_and_notices(&mut session, "SHOW INDEXES FROM t03_cdx_tags");
    assert!(tags.is_empty() && notices.len() == 1 && notices[0].contains(missing), "{tags:?} {notices:?}");
    let found = mainstay_engine::check(copied.path(), &Options::default()).unwrap();
    assert!(found.len() == 1 && found[0].message.contains(missing), "{found:?}");
    // No row and no value is missing for it.
    assert_eq!(lines_and_notices(&mut session, "SELECT * FROM t03_cdx_tags LIMIT 1").1, [""; 0]);
    // Nothing is written that it would not list when it is back; a new one is.
    for change in
        ["INSERT INTO t03_cdx_tags (id) VALUES (1)", "UPDATE t03_cdx_tags SET id = 1", "DELETE FROM t03_cdx_tags"]
    {
        let error = session.execute(change).err().unwrap_or_else(|| panic!("{change}: it was done"));
        assert!(error.message().contains(missing), "{change}: {error}");
        assert!(error.to_string().contains("t03_cdx_tags.dbf"), "{change}: {error}");
    }
    session.execute("CREATE INDEX id ON t03_cdx_tags (id)").unwrap();
    assert_eq!(session.execute("INSERT INTO t03_cdx_tags (id) VALUES (1)").unwrap().changed(), Some(1));
}

#[test]
fn tags_of_a_national_collation_are_not_used() {
    let pair = Pair::copy("more", &["m02", "m01_cp1250", "m01_cp852"]);
    let mut sessions = pair.sessions();
    for table in ["m02_pl1250_collated", "m02_pl852_collated"] {
        let names = samples(&mut sessions.1, table, "name", "text");
        for condition in conditions("name", "text", &names) {
            assert!(!same_rows(&mut sessions, table, &condition), "{table}: {condition}");
        }
        let sql = format!("SELECT name FROM {table} ORDER BY name");
        assert_eq!(lines(&mut sessions.0, &sql), lines(&mut sessions.1, &sql));
    }
    for table in ["m01_cp1250", "m01_cp852"] {
        let names = samples(&mut sessions.1, table, "name", "text");
        for condition in conditions("name", "text", &names) {
            same_rows(&mut sessions, table, &condition);
        }
        let sql = format!("SELECT name FROM {table} ORDER BY name");
        assert_eq!(lines(&mut sessions.0, &sql), lines(&mut sessions.1, &sql));
    }
}

#[test]
fn tags_that_do_not_cover_the_table_are_not_used() {
    let pair = Pair::copy("more", &["m17", "m19", "m21", "m11", "m16", "m10"]);
    let mut sessions = pair.frugal_sessions();
    for (table, condition) in [
        ("m17_ntx_custom", "id < 40"),
        ("m17_ntx_custom", "name > 'A'"),
        ("m19_unique_updates", "k > 'A'"),
        ("m21_all_deleted", "id > 0"),
        ("m21_no_rows", "id > 0"),
        ("m21_no_rows_ntx", "id > 0"),
        ("m11_two_bags", "id > 100 AND name LIKE 'n%'"),
        ("m16_ntx_large", "id BETWEEN 10 AND 20 OR name < 'b'"),
        ("m10_long_life", "id < 300"),
        ("m10_long_life", "code LIKE 'A%'"),
        ("m10_long_life", "day IS NULL OR amt > 900"),
    ] {
        same_rows(&mut sessions, table, condition);
        for session in [&mut sessions.0, &mut sessions.1] {
            session.set("show_deleted", "on").unwrap();
        }
        same_rows(&mut sessions, table, condition);
        for session in [&mut sessions.0, &mut sessions.1] {
            session.set("show_deleted", "off").unwrap();
        }
    }
}

/// Statements that would use the tags of t03.
const T03: [&str; 6] = [
    "SELECT _recno FROM t03_cdx_tags WHERE id = 424242 ORDER BY _recno",
    "SELECT _recno FROM t03_cdx_tags WHERE name LIKE 'Zz%' ORDER BY _recno",
    "SELECT _recno FROM t03_cdx_tags WHERE bal > 9000 ORDER BY _recno",
    "SELECT id FROM t03_cdx_tags ORDER BY id",
    "SELECT name FROM t03_cdx_tags ORDER BY name DESC LIMIT 5",
    "SELECT MIN(id), MAX(id) FROM t03_cdx_tags",
];

#[track_caller]
fn same_answers(sessions: &mut (Session, Session), statements: &[&str]) -> Vec<String> {
    let mut all = Vec::new();
    for sql in statements {
        let (indexed, notices) = lines_and_notices(&mut sessions.0, sql);
        assert_eq!(indexed, lines(&mut sessions.1, sql), "{sql}");
        all.extend(notices);
    }
    all
}

fn append(records: &mut Records) {
    let record = records.append(1);
    records.put(record, "ID", "  424242");
    records.put(record, "NAME", "Zzyzx");
}

fn change_in_place(records: &mut Records) {
    records.put(321, "ID", "  424242");
    records.put(321, "NAME", "Zzyzx");
}

/// Appended, or changed, by a program that did not have the index open.
#[test]
fn a_stale_index_is_noticed_when_the_table_is_opened() {
    for change in [append as fn(&mut Records), change_in_place] {
        let pair = Pair::copy("", &["t03"]);
        pair.change("t03_cdx_tags.dbf", change);
        let mut sessions = pair.sessions();
        let notices = same_answers(&mut sessions, &T03);
        assert_eq!(lines(&mut sessions.0, T03[0]).len(), 1);
        assert!(
            notices.iter().any(|notice| notice.contains("t03_cdx_tags.cdx") && notice.contains("disagree")),
            "{notices:?}"
        );
    }
}

#[test]
fn a_stale_index_is_noticed_between_statements() {
    for change in [append as fn(&mut Records), change_in_place] {
        let pair = Pair::copy("", &["t03"]);
        let mut sessions = pair.sessions();
        assert!(same_answers(&mut sessions, &T03).is_empty());
        pair.change("t03_cdx_tags.dbf", change);
        let notices = same_answers(&mut sessions, &T03);
        assert_eq!(lines(&mut sessions.0, T03[0]).len(), 1);
        assert!(!notices.is_empty());
    }
}

/// A change of a large table in place is found because the index did not change with the table.
#[test]
fn a_stale_index_of_a_large_table_is_noticed_between_statements() {
    let pair = Pair::copy("", &["t11"]);
    let mut sessions = pair.sessions();
    let statements = ["SELECT _recno FROM t11_bench100k WHERE id = 424242", "SELECT MAX(id) FROM t11_bench100k"];
    assert!(same_answers(&mut sessions, &statements).is_empty());
    pair.change("t11_bench100k.dbf", |records| records.put(77_777, "ID", "  424242"));
    assert!(!same_answers(&mut sessions, &statements).is_empty());
    assert_eq!(lines(&mut sessions.0, statements[0]), ["77777"]);
}

/// The same of a tag that no statement has needed before.
#[test]
fn a_tag_that_was_not_used_yet_is_noticed_too() {
    for first in ["SELECT COUNT(*) FROM t11_bench100k", "SELECT MAX(amt) FROM t11_bench100k"] {
        let pair = Pair::copy("", &["t11"]);
        let mut sessions = pair.sessions();
        assert!(same_answers(&mut sessions, &[first]).is_empty());
        pair.change("t11_bench100k.dbf", |records| records.put(77_777, "ID", "  424242"));
        let wanted = "SELECT _recno FROM t11_bench100k WHERE id = 424242";
        assert!(!same_answers(&mut sessions, &[wanted]).is_empty(), "{first}");
        assert_eq!(lines(&mut sessions.0, wanted), ["77777"], "{first}");
    }
}

/// Deleting does not touch the keys: the tags stay in use.
#[test]
fn a_record_deleted_by_another_program_leaves_the_index_in_use() {
    let pair = Pair::copy("", &["t03"]);
    let mut sessions = pair.sessions();
    same_answers(&mut sessions, &T03);
    pair.change("t03_cdx_tags.dbf", |records| records.set_deleted(321, true));
    assert!(same_answers(&mut sessions, &T03).is_empty());
    assert!(same_rows(&mut sessions, "t03_cdx_tags", "id < 1000"));
}

/// The index files are exchanged, so that the numbers of the tags change under a planned statement.
#[test]
fn a_planned_statement_survives_other_tags_in_the_index() {
    let pair = Pair::copy("", &["t05"]);
    let mut sessions = pair.sessions();
    let statements = [
        "SELECT _recno FROM t05_ntx WHERE num = 10 ORDER BY _recno",
        "SELECT num FROM t05_ntx ORDER BY num",
        "SELECT code FROM t05_ntx ORDER BY code",
    ];
    same_answers(&mut sessions, &statements);
    let file = |name: &str| pair.indexed.path().join(name);
    std::fs::remove_file(file("t05code.ntx")).unwrap();
    same_answers(&mut sessions, &statements);
    std::fs::copy(file("t05neg.ntx"), file("t05num.ntx")).unwrap();
    same_answers(&mut sessions, &statements);
    std::fs::remove_file(file("t05num.ntx")).unwrap();
    same_answers(&mut sessions, &statements);
}

#[test]
fn an_index_of_another_table_is_not_used() {
    let pair = Pair::copy("", &["t03"]);
    std::fs::copy(fixtures("t04_cdx_updated.cdx"), pair.indexed.path().join("t03_cdx_tags.cdx")).unwrap();
    let notices = same_answers(&mut pair.sessions(), &T03);
    assert!(!notices.is_empty());
}

#[test]
fn a_damaged_index_gives_the_right_answer_and_a_notice() {
    let pair = Pair::copy("", &["t03"]);
    let path = pair.indexed.path().join("t03_cdx_tags.cdx");
    let sound = std::fs::read(&path).unwrap();
    let mut plain = session(pair.plain.path());
    let expected: Vec<Vec<String>> = T03.iter().map(|sql| lines(&mut plain, sql)).collect();
    let mut noticed = 0;
    let mut check = |bytes: &[u8], what: &str| {
        std::fs::write(&path, bytes).unwrap();
        let mut session = session(pair.indexed.path());
        for (sql, expected) in T03.iter().zip(&expected) {
            let (answer, notices) = lines_and_notices(&mut session, sql);
            assert_eq!(answer, *expected, "{what}: {sql}");
            noticed += usize::from(!notices.is_empty());
        }
    };
    for length in [0, 1, 511, 512, 1_024, sound.len() / 2 / 512 * 512, sound.len() - 512, sound.len() - 1] {
        check(&sound[..length], &format!("cut to {length}"));
    }
    for page in (0..sound.len() / 512).step_by(9) {
        let mut bytes = sound.clone();
        match page % 3 {
            0 => bytes[page * 512..][..512].fill(0),
            1 => bytes[page * 512 + 100..][..300].fill(0xFF),
            _ => bytes[page * 512 + 30] ^= 0x41,
        }
        check(&bytes, &format!("page {page}"));
    }
    assert!(noticed > 20, "{noticed}");
}

/// `SHOW INDEXES` says why a tag is not used.
#[test]
fn reasons_are_shown() {
    let folder = copy("", &["t03"]);
    let mut session = session(folder.path());
    let shown = rows(&mut session, "SHOW INDEXES FROM t03_cdx_tags");
    assert_eq!(shown.len(), 19);
    let reason = |tag: &str| shown.iter().find(|row| row[0] == tag).unwrap().last().unwrap().clone();
    assert_eq!(reason("ID"), "NULL");
    assert_eq!(reason("CITYU"), "it lists only the first record of each key");
    // A condition may imply that its records are all that are wanted.
    assert_eq!(reason("IDACT"), "NULL");
    assert!(Path::new(&shown[0][1]).ends_with("t03_cdx_tags.cdx"));
    assert_eq!(value(&mut session, "SELECT COUNT(*) FROM t03_cdx_tags WHERE id > 0"), "924");
}
