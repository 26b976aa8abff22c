//! Other programs change the files between statements, and while an answer is being read.

#![allow(clippy::disallowed_methods)]

mod support;

use mainstay_engine::{Database, Options, Session};
use mainstay_types::Code;
use std::path::PathBuf;
use std::time::Duration;
use support::{Records, copy, fixtures, lines, lines_and_notices, plan, session, texts, value};
use tempfile::TempDir;

/// The benchmark table without its indexes: two groups of records, so that an answer comes in parts; one thread, which reads
/// the second when it comes to it.
fn large() -> (TempDir, PathBuf, Session) {
    let folder = support::copy_without_indexes("", &["t11"]);
    let path = folder.path().join("t11_bench100k.dbf");
    let options = Options { threads: Some(1), ..Options::default() };
    let session = Database::open_with(folder.path(), options).unwrap().session();
    (folder, path, session)
}

fn small() -> (TempDir, PathBuf, Session) {
    let folder = copy("", &["t02"]);
    let path = folder.path().join("t02_clipper_dbt.dbf");
    let session = session(folder.path());
    (folder, path, session)
}

const COUNT: &str = "SELECT COUNT(*) FROM t11_bench100k";
const COUNT_SMALL: &str = "SELECT COUNT(*) FROM t02_clipper_dbt WHERE _deleted IS NOT NULL";

#[test]
fn the_next_statement_sees_what_was_appended() {
    let (_folder, path, mut session) = small();
    let before: usize = value(&mut session, COUNT_SMALL).parse().unwrap();
    for more in 1..=5 {
        let mut records = Records::read(&path);
        let record = records.append(1);
        records.put(record, "NAME", &format!("appended {more}"));
        records.write();
        assert_eq!(value(&mut session, COUNT_SMALL), (before + more).to_string());
        let last = format!("SELECT name FROM t02_clipper_dbt WHERE _recno = {record}");
        assert_eq!(value(&mut session, &last), format!("appended {more}"));
    }
}

#[test]
fn a_value_changed_in_place_is_seen_at_once() {
    let (_folder, path, mut session) = small();
    let name = "SELECT name FROM t02_clipper_dbt WHERE _recno = 1";
    assert_eq!(value(&mut session, name), "Customer 001");
    for turn in 0..20 {
        let mut records = Records::read(&path);
        records.put(1, "NAME", &format!("turn {turn}"));
        records.write();
        assert_eq!(value(&mut session, name), format!("turn {turn}"));
    }
}

#[test]
fn a_record_that_was_looked_for_by_its_key_is_seen_as_it_is_now() {
    let folder = copy("", &["t11"]);
    let path = folder.path().join("t11_bench100k.dbf");
    let mut session = session(folder.path());
    let by_key = "SELECT amt FROM t11_bench100k WHERE id = 50000";
    for turn in 1..=3 {
        let mut records = Records::read(&path);
        records.put(50_000, "AMT", &format!("{turn}.25"));
        records.write();
        // At first the file is too young for anything of it to be kept, then the record is.
        for _ in 0..5 {
            assert_eq!(value(&mut session, by_key), format!("{turn}.25"));
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_statement_keeps_the_record_count_that_it_began_with() {
    let (_folder, path, mut session) = large();
    let mut answer = session.execute("SELECT _recno, id FROM t11_bench100k").unwrap();
    let mut rows = answer.next_batch().unwrap().unwrap().num_rows();
    assert!(rows < 100_000);
    let mut records = Records::read(&path);
    records.append(1);
    records.append(1);
    records.write();
    while let Some(batch) = answer.next_batch().unwrap() {
        rows += batch.num_rows();
    }
    assert_eq!(rows, 100_000);
    drop(answer);
    assert_eq!(value(&mut session, COUNT), "100002");
}

#[test]
fn a_table_replaced_while_it_is_read_is_read_to_its_end() {
    let (_folder, path, mut session) = large();
    let mut answer = session.execute("SELECT id FROM t11_bench100k").unwrap();
    let mut rows = answer.next_batch().unwrap().unwrap().num_rows();
    let mut records = Records::read(&path);
    records.truncate(10, false);
    records.replace();
    while let Some(batch) = answer.next_batch().unwrap() {
        rows += batch.num_rows();
    }
    assert_eq!(rows, 100_000);
    drop(answer);
    assert_eq!(value(&mut session, COUNT), "10");
}

#[test]
fn a_table_cut_while_it_is_read_ends_in_an_error_and_not_in_a_crash() {
    let (_folder, path, mut session) = large();
    let mut answer = session.execute("SELECT id FROM t11_bench100k").unwrap();
    answer.next_batch().unwrap().unwrap();
    let mut records = Records::read(&path);
    records.truncate(10, false);
    records.write();
    let error = answer.collect().unwrap_err();
    assert_eq!(error.code(), Code::Damaged, "{error}");
    assert!(error.to_string().contains("beyond the end of the file"), "{error}");
    assert_eq!(value(&mut session, COUNT), "10");
}

#[test]
fn a_table_cut_between_statements_has_what_is_left() {
    let (_folder, path, mut session) = small();
    value(&mut session, COUNT_SMALL);
    let mut records = Records::read(&path);
    records.truncate(7, true);
    records.write();
    assert_eq!(value(&mut session, COUNT_SMALL), "7");
}

/// The new structure is used, also by a statement that was planned with the old one.
#[test]
fn a_table_of_another_structure_takes_the_place_of_the_old_one() {
    let folder = copy("", &["t02", "t05"]);
    let mut session = session(folder.path());
    let (all, count) = ("SELECT * FROM t02_clipper_dbt", "SELECT COUNT(*) FROM t02_clipper_dbt");
    let names = |session: &mut Session| {
        let batches = support::batches(session, all);
        let fields = batches[0].schema();
        fields.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>().join(" ")
    };
    assert!(names(&mut session).starts_with("NAME QTY"), "{}", names(&mut session));
    value(&mut session, count);
    std::fs::copy(folder.path().join("t05_ntx.dbf"), folder.path().join("t02_clipper_dbt.dbf")).unwrap();
    assert_eq!(names(&mut session), "CODE NUM NEG DT LG");
    assert_eq!(value(&mut session, count), value(&mut session, "SELECT COUNT(*) FROM t05_ntx"));
    let error = session.execute("SELECT name FROM t02_clipper_dbt").map(|_| ()).unwrap_err();
    assert_eq!(error.code(), Code::UnknownColumn, "{error}");
}

#[test]
fn a_field_of_another_width_is_another_structure() {
    let (_folder, path, mut session) = small();
    let sql = "SELECT qty FROM t02_clipper_dbt WHERE _recno = 2";
    let before = value(&mut session, sql);
    // The same bytes with one decimal place more or less mean other numbers.
    let mut bytes = std::fs::read(&path).unwrap();
    assert_eq!(&bytes[64..67], b"QTY");
    bytes[64 + 17] = 1;
    std::fs::write(&path, bytes).unwrap();
    let after = value(&mut session, sql);
    assert_ne!(before, after);
    assert_eq!(before.parse::<f64>().unwrap(), after.parse::<f64>().unwrap());
}

#[test]
fn a_file_that_comes_is_a_table_and_one_that_goes_is_missed() {
    let folder = copy("", &["t02"]);
    let mut session = session(folder.path());
    let sql = "SELECT COUNT(*) FROM t05_ntx";
    let error = session.execute(sql).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), Code::UnknownTable, "{error}");
    std::fs::copy(fixtures("t05_ntx.dbf"), folder.path().join("t05_ntx.dbf")).unwrap();
    assert_eq!(value(&mut session, sql), value(&mut session, "SELECT COUNT(*) FROM T05_NTX"));
    std::fs::remove_file(folder.path().join("t05_ntx.dbf")).unwrap();
    for _ in 0..2 {
        let error = session.execute(sql).and_then(|answer| answer.collect()).unwrap_err();
        assert!(matches!(error.code(), Code::UnknownTable | Code::NotFound), "{error}");
        assert!(error.to_string().contains("t05_ntx"), "{error}");
    }
    assert!(
        !session
            .execute("SHOW TABLES")
            .unwrap()
            .collect()
            .unwrap()
            .iter()
            .flat_map(texts)
            .any(|row| row[0] == "t05_ntx")
    );
    std::fs::copy(fixtures("t05_ntx.dbf"), folder.path().join("t05_ntx.dbf")).unwrap();
    value(&mut session, sql);
}

#[test]
fn a_csv_that_changes_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prices.csv");
    std::fs::write(&path, "id,price\n1,2.50\n2,3.00\n").unwrap();
    let mut session = session(folder.path());
    let sql = "SELECT SUM(price) FROM prices";
    assert_eq!(value(&mut session, sql), "5.50");
    std::fs::write(&path, "id,price\n1,2.50\n2,3.00\n3,4.00\n").unwrap();
    assert_eq!(value(&mut session, sql), "9.50");
    std::fs::write(&path, "id,price\n1,2.50\n2,3.00\n3,5.00\n").unwrap();
    assert_eq!(value(&mut session, sql), "10.50");
    // Other types and columns.
    std::fs::write(&path, "price,name\nx,1\ny,2\n").unwrap();
    assert_eq!(lines(&mut session, "SELECT * FROM prices"), ["x|1", "y|2"]);
    assert_eq!(value(&mut session, "SELECT MAX(price) FROM prices"), "y");
    std::fs::remove_file(&path).unwrap();
    let error = session.execute("SELECT * FROM prices").and_then(|answer| answer.collect()).unwrap_err();
    assert!(matches!(error.code(), Code::UnknownTable | Code::NotFound), "{error}");
}

#[test]
fn a_parquet_file_that_changes_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let sample = |name: &str| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../sample")).join(name);
    let path = folder.path().join("history.parquet");
    std::fs::copy(sample("history.parquet"), &path).unwrap();
    let mut session = session(folder.path());
    let sql = "SELECT COUNT(*) FROM history";
    let count: u64 = value(&mut session, sql).parse().unwrap();
    assert!(count > 0);
    assert_eq!(value(&mut session, sql), count.to_string());
    // A folder of files in its place: two of them are twice the rows.
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(folder.path().join("years")).unwrap();
    for name in ["a.parquet", "b.parquet"] {
        std::fs::copy(sample("history.parquet"), folder.path().join("years").join(name)).unwrap();
        let files = if name == "a.parquet" { 1 } else { 2 };
        assert_eq!(value(&mut session, "SELECT COUNT(*) FROM years"), (count * files).to_string());
    }
    let error = session.execute(sql).and_then(|answer| answer.collect()).unwrap_err();
    assert!(matches!(error.code(), Code::UnknownTable | Code::NotFound), "{error}");
}

/// A statement that fails names the file, and the next one works.
#[test]
fn a_file_that_becomes_damaged_gives_a_clear_error() {
    let (_folder, path, mut session) = small();
    let sound = std::fs::read(&path).unwrap();
    value(&mut session, COUNT_SMALL);
    std::fs::write(&path, b"not a table").unwrap();
    let error = session.execute(COUNT_SMALL).and_then(|answer| answer.collect()).unwrap_err();
    assert!(error.to_string().contains("t02_clipper_dbt.dbf"), "{error}");
    std::fs::write(&path, sound).unwrap();
    value(&mut session, COUNT_SMALL);
}

#[test]
fn the_index_of_a_table_that_is_maintained_stays_in_use() {
    let folder = copy("", &["t03", "t04"]);
    let mut session = session(folder.path());
    let sql = "SELECT _recno FROM t03_cdx_tags WHERE id < 100 ORDER BY _recno";
    lines(&mut session, sql);
    assert!(plan(&mut session, sql).contains("index=ID of t03_cdx_tags.cdx"));
    // t04 is t03 after updates by a program that had the index open.
    for extension in ["dbf", "fpt", "cdx"] {
        let file = |name: &str| folder.path().join(name).with_extension(extension);
        std::fs::copy(file("t04_cdx_updated"), file("t03_cdx_tags")).unwrap();
    }
    let (updated, notices) = lines_and_notices(&mut session, sql);
    assert_eq!(notices, [""; 0]);
    assert_eq!(updated, lines(&mut session, "SELECT _recno FROM t04_cdx_updated WHERE id + 0 < 100 ORDER BY _recno"));
    assert!(plan(&mut session, sql).contains("index=ID of t03_cdx_tags.cdx"));
}

#[test]
fn code_pages_come_from_options_and_from_the_settings_file() {
    let folder = copy("more", &["m01_cp852"]);
    let name = "SELECT name FROM m01_cp852 WHERE _recno = 1";
    let mut declared = session(folder.path());
    let right = value(&mut declared, name);
    let mut bytes = std::fs::read(folder.path().join("m01_cp852.dbf")).unwrap();
    bytes[29] = 0;
    std::fs::write(folder.path().join("m01_cp852.dbf"), bytes).unwrap();
    let mut undeclared = session(folder.path());
    assert_ne!(value(&mut undeclared, name), right);

    let with = |options: Options| Database::open_with(folder.path(), options).map(|database| database.session());
    let option = Options { code_page: Some("cp852".into()), ..Options::default() };
    assert_eq!(value(&mut with(option).unwrap(), name), right);
    let settings = folder.path().join("mainstay.toml");
    std::fs::write(&settings, "code_page = \"cp852\"\n").unwrap();
    assert_eq!(value(&mut with(Options::default()).unwrap(), name), right);
    std::fs::write(&settings, "code_page = \"cp866\"\n[tables.M01_CP852]\ncode_page = \"852\"\n").unwrap();
    assert_eq!(value(&mut with(Options::default()).unwrap(), name), right);
    std::fs::write(&settings, "code_page = \"latin-77\"\n").unwrap();
    let error = with(Options::default()).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), Code::InvalidSetting, "{error}");
    std::fs::write(&settings, "kode_page = \"cp852\"\n").unwrap();
    let error = with(Options::default()).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("mainstay.toml"), "{error}");
}

#[test]
fn settings_of_a_csv_file_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    file("prices.csv", "Prices of May\narticle;price;count\nA0;1.000,50;1.000\nA1;12,00;2.500\n");
    let sums = "SELECT SUM(price), SUM(count) FROM prices";
    let with = || Database::open(folder.path()).map(|database| database.session());
    let (_, notices) = lines_and_notices(&mut with().unwrap(), "SELECT article FROM prices");
    assert!(notices.iter().any(|notice| notice == "rows above the table that are not part of it: 1"), "{notices:?}");
    file("mainstay.toml", "[tables.Prices]\ndecimal = ','\nthousands = '.'\n");
    assert_eq!(lines(&mut with().unwrap(), sums), ["1012.50|3500"]);
    let (_, notices) = lines_and_notices(&mut with().unwrap(), "SHOW COLUMNS FROM prices");
    assert!(notices.iter().any(|notice| notice.contains("decimal sign ,, thousands .")), "{notices:?}");
    file("mainstay.toml", "[tables.prices]\nskip = 2\nheader = false\ntypes = { column3 = 'integer' }\n");
    assert_eq!(lines(&mut with().unwrap(), "SELECT column1, column3 FROM prices"), ["A0|NULL", "A1|NULL"]);
    let findings = mainstay_engine::check(folder.path(), &Options::default()).unwrap();
    assert!(findings.len() == 2 && findings[0].message.contains("is not of its declared type"), "{findings:?}");
    for wrong in ["delimiter = ';;'", "decimal = 'x'", "types = { a = 'money' }", "separator = ';'"] {
        file("mainstay.toml", &format!("[tables.prices]\n{wrong}\n"));
        let error = with().map(|_| ()).unwrap_err();
        assert_eq!(error.code(), Code::InvalidSetting, "{error}");
        assert!(error.to_string().contains("mainstay.toml"), "{error}");
    }
}

#[test]
fn record_numbers_find_records() {
    let (_folder, _, mut session) = large();
    assert_eq!(
        lines(&mut session, "SELECT _recno, id FROM t11_bench100k WHERE _recno IN (1, 70000)"),
        ["1|1", "70000|70000"]
    );
    assert_eq!(value(&mut session, "SELECT COUNT(*) FROM t11_bench100k WHERE _recno <= 1000"), "1000");
    assert_eq!(value(&mut session, "SELECT MAX(_recno) FROM t11_bench100k"), "100000");
    assert_eq!(
        lines(&mut session, "SELECT id, _recno FROM t11_bench100k ORDER BY _recno DESC LIMIT 2"),
        ["100000|100000", "99999|99999"]
    );
}
