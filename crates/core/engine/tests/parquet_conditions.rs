//! Conditions over Parquet files: one that keeps rows from another that fails for them does so, whatever part of the rows it is
//! estimated to leave (`planner::leaves::parquet`), as over native tables.

#![allow(clippy::disallowed_methods)]

mod common;

use common::rows;
use mainstay_engine::Database;
use parquet::arrow::ArrowWriter;

const ROWS: &str = "SELECT CAST(g % 10 AS INTEGER) AS b, CASE WHEN g % 2 = 0 THEN '12' ELSE 'x' END AS s
                    FROM generate_series(1, 20000) AS q(g)";

#[test]
fn conditions_guard_the_ones_behind_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = Database::in_memory().unwrap().session();
    let mut answer = source.execute(ROWS).unwrap();
    let file = std::fs::File::create(folder.path().join("guarded.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, answer.schema().clone(), None).unwrap();
    while let Some(batch) = answer.next_batch().unwrap() {
        writer.write(&batch).unwrap();
    }
    writer.close().unwrap();
    let mut session = Database::open(folder.path()).unwrap().session();
    session.execute(&format!("CREATE TABLE native AS {ROWS}")).unwrap();
    // By hand: of 1 to 9 100 by b is 20 or more for 1 to 5; every second s is a number, and 12 is more than 1.
    for (condition, expected) in [
        ("b <> 0 AND 100 / b >= 20", 10_000),
        ("b = 5 AND 100 / b >= 20", 2_000),
        ("s = '12' AND CAST(s AS INTEGER) > 1", 10_000),
    ] {
        for table in ["guarded", "native"] {
            let sql = format!("SELECT COUNT(*) FROM {table} WHERE {condition}");
            assert_eq!(rows(&mut session, &sql), [expected.to_string()], "{sql}");
        }
    }
}
