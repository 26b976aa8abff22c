//! Parquet files as tables of column vectors (`planner::leaves::parquet::column_table`): the same answers as native tables of
//! the same rows, over several row groups, for the first time and again; files that change; and the filters that joins give
//! the scans of their probe sides (`planner::execute::join_filters`).

#![allow(clippy::disallowed_methods)]

mod support;

use mainstay_engine::{Database, Session};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::path::Path;
use support::{lines, plan, value};

/// Every type that is read as vectors, with NULLs; `code` has few texts, `note` one for each row.
const ROWS: &str = "SELECT CAST(g AS BIGINT) AS id, CAST(g % 100 AS INTEGER) AS n,
                           CASE WHEN g % 7 <> 0 THEN CAST(g AS DECIMAL(15,2)) / 4 END AS price,
                           CASE WHEN g % 5 <> 0 THEN CAST(g * 1000000000 AS DECIMAL(18,2)) END AS large,
                           CAST(g AS DOUBLE PRECISION) / 8 AS share, g % 3 = 0 AS flag,
                           DATE '2024-01-01' + CAST(g / 100 AS INTEGER) AS day,
                           CASE WHEN g % 11 <> 0 THEN 'a code that is longer than a view ' || g % 9 END AS code,
                           'note ' || g AS note, CAST('2024-02-29 12:00:00' AS TIMESTAMP) AS stamp
                    FROM generate_series(1, 5000) AS q(g)";

/// Writes the rows of a query, in row groups of 1,000.
fn write(path: &Path, sql: &str) {
    let mut source = Database::in_memory().unwrap().session();
    let mut answer = source.execute(sql).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1_000)).build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, answer.schema().clone(), Some(properties)).unwrap();
    while let Some(batch) = answer.next_batch().unwrap() {
        writer.write(&batch).unwrap();
    }
    writer.close().unwrap();
}

/// Gives a file a time at which it is no longer taken to change.
fn settle(path: &Path) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    file.set_modified(then).unwrap();
}

fn session_over(folder: &Path) -> Session {
    Database::open(folder).unwrap().session()
}

#[test]
fn answers_are_those_of_native_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("columns.parquet");
    write(&path, ROWS);
    for is_settled in [false, true] {
        if is_settled {
            settle(&path);
        }
        let mut session = session_over(folder.path());
        session.execute(&format!("CREATE TABLE native AS {ROWS}")).unwrap();
        for query in [
            "SELECT COUNT(*), COUNT(price), SUM(price), MIN(price), MAX(large), AVG(price) FROM t",
            "SELECT * FROM t WHERE id IN (1, 1000, 1001, 4999, 7777) ORDER BY id",
            "SELECT id, note FROM t WHERE day = DATE '2024-02-01' ORDER BY id LIMIT 5",
            "SELECT code, COUNT(*), SUM(large), MIN(day), MAX(note) FROM t GROUP BY code ORDER BY code",
            "SELECT n, flag, COUNT(*) FROM t WHERE price > 100.505 GROUP BY n, flag ORDER BY n, flag",
            "SELECT id FROM t WHERE code LIKE '%view 3' AND share < 100 ORDER BY id DESC LIMIT 3",
            "SELECT id FROM t WHERE price IS NULL AND large IS NULL ORDER BY id LIMIT 4",
            "SELECT COUNT(*) FROM t WHERE stamp = TIMESTAMP '2024-02-29 12:00:00' AND NOT flag",
            "SELECT COUNT(DISTINCT note), COUNT(DISTINCT code), COUNT(DISTINCT day) FROM t",
            "SELECT SUM(price * n) FROM t WHERE day BETWEEN DATE '2024-01-10' AND DATE '2024-01-20'",
            "SELECT id, price, note FROM t WHERE id > 990 LIMIT 30",
        ] {
            let over = |table: &str| query.replace("FROM t", &format!("FROM {table}"));
            let expected = lines(&mut session, &over("native"));
            assert!(!expected.is_empty(), "{query}");
            for run in ["first", "again"] {
                assert_eq!(lines(&mut session, &over("columns")), expected, "{query}, {run}, settled: {is_settled}");
            }
        }
        session.execute("DROP TABLE native").unwrap();
    }
    let explained = plan(&mut session_over(folder.path()), "SELECT id FROM columns WHERE n = 7");
    assert!(explained.contains("TableScan: table=columns, where="), "{explained}");
}

/// Nothing but its time and its length shows that a file is another one.
#[test]
fn a_file_that_was_replaced_is_read_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("columns.parquet");
    let mut session = session_over(folder.path());
    for (round, rows) in [(1, 2_500), (2, 3_000), (3, 1_000)] {
        write(&path, &format!("SELECT CAST(g AS BIGINT) * {round} AS id FROM generate_series(1, {rows}) AS q(g)"));
        if round == 2 {
            settle(&path);
        }
        let sum: i64 = (1..=rows).sum::<i64>() * round;
        for _ in 0..2 {
            assert_eq!(value(&mut session, "SELECT SUM(id) FROM columns"), sum.to_string());
            assert_eq!(value(&mut session, "SELECT MAX(id) FROM columns WHERE id > 5"), (rows * round).to_string());
        }
    }
}

/// A plan is kept, and the keys of the build side are others with each run.
#[test]
fn filters_of_joins_are_those_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("lines.parquet"), ROWS);
    settle(&folder.path().join("lines.parquet"));
    let mut session = session_over(folder.path());
    session.execute("CREATE TABLE parts (n INTEGER, kind VARCHAR(10))").unwrap();
    session.execute("INSERT INTO parts SELECT CAST(g AS INTEGER), 'none' FROM generate_series(0, 99) AS q(g)").unwrap();
    let query = "SELECT COUNT(*), SUM(id) FROM parts JOIN lines ON lines.n = parts.n WHERE kind = 'some'";
    let explained = plan(&mut session, query);
    assert!(explained.contains("filters of joins=[n]"), "{explained}");
    assert_eq!(lines(&mut session, query), ["0|NULL"]);
    // Of 5,000 lines 50 have each n from 0 to 99: their ids are n, n + 100 ... n + 4,900; those of 0 begin with 100.
    let sum = |n: i64| (0..50).map(|at| at * 100 + if n == 0 { 100 } else { n }).sum::<i64>();
    for (n, count, total) in [(3, 50, sum(3)), (0, 100, sum(3) + sum(0)), (99, 150, sum(3) + sum(0) + sum(99))] {
        session.execute(&format!("UPDATE parts SET kind = 'some' WHERE n = {n}")).unwrap();
        assert_eq!(lines(&mut session, query), [format!("{count}|{total}")], "after {n}");
    }
    session.execute("UPDATE parts SET kind = 'none' WHERE n <> 99").unwrap();
    assert_eq!(lines(&mut session, query), [format!("50|{}", sum(99))]);
}
