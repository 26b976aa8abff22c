//! Files that the command writes and reads again as tables, and messages about files.
#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mainstay")).arg(folder).args(arguments).output().unwrap()
}

/// The output of a statement, as CSV without names.
#[track_caller]
fn rows(folder: &Path, sql: &str) -> String {
    let output = run(folder, &["--format", "csv", "--no-header", "-c", sql]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), told), (Some(0), String::new()), "{sql}");
    String::from_utf8(output.stdout).unwrap()
}

/// Writes the rows of a query to a file.
#[track_caller]
fn write(folder: &Path, file: &str, format: &str, sql: &str) {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let output = run(folder, &["--format", format, "--output", path.to_str().unwrap(), "-c", sql]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn folders_of_parquet_files_have_columns_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (year, month) in [(2025, 12), (2026, 1), (2026, 2)] {
        let sql = format!("SELECT {month} * 10 AS amount, 'x' AS note UNION ALL SELECT {year}, 'y'");
        write(folder, &format!("sales/year={year}/month={month:02}/a.parquet"), "parquet", &sql);
    }
    assert_eq!(
        rows(folder, "SELECT year, month, sum(amount) FROM sales GROUP BY year, month ORDER BY 1, 2"),
        "2025,12,2145\n2026,1,2036\n2026,2,2046\n"
    );
    assert_eq!(rows(folder, "SELECT count(*), max(note) FROM sales WHERE year = 2026 AND month < 2"), "2,y\n");
    assert_eq!(rows(folder, "SELECT count(*) FROM sales WHERE year = 2024"), "0\n");
    let default = "__HIVE_DEFAULT_PARTITION__";
    write(folder, &format!("sales/year={default}/month=03/a.parquet"), "parquet", "SELECT 7 AS amount, 'n' AS note");
    assert_eq!(rows(folder, "SELECT year, month + 1, amount FROM sales WHERE year IS NULL"), ",4,7\n");
    assert_eq!(rows(folder, "SELECT count(*), max(year) FROM sales WHERE year > 2025"), "4,2026\n");
    write(folder, "towns/town=Lund/a.parquet", "parquet", "SELECT 1 AS n");
    write(folder, &format!("towns/town={default}/a.parquet"), "parquet", "SELECT 2 AS n");
    assert_eq!(rows(folder, "SELECT n, town FROM towns ORDER BY n"), "1,Lund\n2,\n");
    assert_eq!(rows(folder, &format!("SELECT count(*) FROM towns WHERE town = '{default}'")), "0\n");
    assert_eq!(rows(folder, "SELECT n FROM towns WHERE town IS NOT NULL"), "1\n");
    write(folder, "days/day=2026-01-31/a.parquet", "parquet", "SELECT 1 AS n");
    assert_eq!(rows(folder, "SELECT day + INTERVAL '1' DAY, n FROM days"), "2026-02-01,1\n");
}

#[test]
fn files_of_one_folder_may_differ_in_width() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "t/a.parquet", "parquet", "SELECT CAST(1 AS INTEGER) AS n, CAST(1.25 AS DECIMAL(9,2)) AS d");
    write(
        folder,
        "t/b.parquet",
        "parquet",
        "SELECT CAST(5000000000 AS BIGINT) AS n, CAST(2 AS INTEGER) AS d, 'b' AS s",
    );
    assert_eq!(rows(folder, "SELECT n, d, s FROM t ORDER BY n"), "1,1.25,\n5000000000,2.00,b\n");
    assert_eq!(rows(folder, "SELECT count(*) FROM t WHERE n = 1"), "1\n");
    write(folder, "t/c.parquet", "parquet", "SELECT 'text' AS n");
    let output = run(folder, &["-c", "SELECT n FROM t"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && told.contains("c.parquet"), "{told}");
    let output = Command::new(env!("CARGO_BIN_EXE_mainstay")).arg("check").arg(folder).output().unwrap();
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.code() != Some(0) && found.contains("c.parquet") && found.contains("column \"n\""),
        "{found}"
    );
}

/// Readers know the columns of a Parquet file by name.
#[test]
fn columns_of_one_name_are_told_apart_in_parquet_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let path = folder.join("t.parquet");
    let output = run(folder, &["-o", path.to_str().unwrap(), "-c", "SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS \"A\""]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("column 2 is another one called a; its name in the file is a_3"), "{told}");
    assert_eq!(rows(folder, "SELECT * FROM t"), "1,2,3,4\n");
    assert_eq!(rows(folder, "SELECT a_3 FROM t"), "2\n");
}

/// As another program writes it.
#[test]
fn a_parquet_file_with_two_columns_of_one_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let column = |value: i32| std::sync::Arc::new(arrow_array::Int32Array::from(vec![value])) as arrow_array::ArrayRef;
    let field = || arrow_schema::Field::new("a", arrow_schema::DataType::Int32, true);
    let schema = std::sync::Arc::new(arrow_schema::Schema::new(vec![field(), field()]));
    let batch = arrow_array::RecordBatch::try_new(schema.clone(), vec![column(1), column(2)]).unwrap();
    let file = std::fs::File::create(folder.join("t.parquet")).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, schema, None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let output = run(folder, &["-c", "SELECT * FROM t"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(
        told.contains("t.parquet") && told.contains("two columns called \"a\"") && told.contains("0A000"),
        "{told}"
    );
    assert_eq!(told.matches("t.parquet").count(), 1, "{told}");
    let output = Command::new(env!("CARGO_BIN_EXE_mainstay")).arg("check").arg(folder).output().unwrap();
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(4) && found.contains("two columns called \"a\""), "{found}");
}

#[test]
fn a_damaged_page_is_told_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sql = "SELECT n, 'some text ' || CAST(n AS VARCHAR) AS t FROM generate_series(1, 5000) AS g(n)";
    for file in ["a", "b", "c"] {
        write(folder, &format!("t/{file}.parquet"), "parquet", sql);
    }
    let path = folder.join("t/b.parquet");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[40..4_000].fill(0x5A);
    std::fs::write(&path, bytes).unwrap();
    let output = run(folder, &["-c", "SELECT max(t), sum(n) FROM t"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && told.contains("b.parquet"), "{told}");
}

/// Writes a file whose column has 100 to 0x5A5A5A5A, and says of itself that it has another greatest value.
fn write_false_claim(folder: &Path, greatest: i32) {
    let sql = "SELECT CAST(v AS INTEGER) AS n FROM (VALUES (100), (7000), (1515870810)) AS q(v)";
    write(folder, "t.parquet", "parquet", sql);
    let path = folder.join("t.parquet");
    let mut bytes = std::fs::read(&path).unwrap();
    let places: Vec<usize> = (0..bytes.len() - 4).filter(|at| bytes[*at..at + 4] == [0x5A; 4]).collect();
    // The first one is the value; what is said of it stands behind all values.
    assert!(places.len() > 1, "{places:?}");
    for at in &places[1..] {
        bytes[*at..at + 4].copy_from_slice(&greatest.to_le_bytes());
    }
    std::fs::write(&path, bytes).unwrap();
}

#[test]
fn what_a_parquet_file_says_of_its_columns_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let checked = || {
        let output = Command::new(env!("CARGO_BIN_EXE_mainstay")).arg("check").arg(folder).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    write_false_claim(folder, 1_515_870_810);
    assert_eq!((checked().0, rows(folder, "SELECT n FROM t WHERE n > 7000")), (Some(0), "1515870810\n".to_owned()));
    // An impossible claim is the error of a statement that uses it; others read the rows.
    write_false_claim(folder, -1);
    let output = run(folder, &["-c", "SELECT n FROM t WHERE n > 7000"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && told.contains("t.parquet") && !told.contains("XX000"), "{told}");
    assert_eq!(rows(folder, "SELECT count(*) FROM t"), "3\n");
    let (code, findings) = checked();
    assert!(code != Some(0) && findings.contains("column \"n\""), "{findings}");
    // A possible claim that is false leaves rows out, which only the check sees.
    write_false_claim(folder, 7_000);
    let (code, findings) = checked();
    assert!(code != Some(0) && findings.contains("it has 1515870810"), "{findings}");
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_not_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert_eq!(run(folder, &["-c", "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)"]).status.code(), Some(0));
    let insert = "INSERT INTO t SELECT n, 'some text of a row ' || n FROM generate_series(1, 100000) AS g(n)";
    // The shell counts blocks of 512 bytes.
    let limited = format!("ulimit -f 1000; exec '{}' \"$@\"", env!("CARGO_BIN_EXE_mainstay"));
    let folder_text = folder.to_str().unwrap();
    let output = Command::new("sh").args(["-c", &limited, "sh", folder_text, "-c", insert]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("58030"), "{told}");
    assert_eq!(rows(folder, "SELECT count(*) FROM t"), "0\n");
}

#[test]
fn a_code_page_that_is_not_known_is_no_fault_of_the_settings_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["--codepage", "cp9999", "-c", "SELECT 1"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("cp9999") && !told.contains("mainstay.toml"), "{told}");
}

/// Files of pyarrow and Spark: a DATE that its writer kept as date64, and values of folders in percent-encoding. DuckDB, pyarrow
/// and Polars read the same.
#[test]
fn parquet_files_of_other_writers_have_their_values() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/parquet"));
    assert_eq!(rows(folder, "SELECT n, key FROM h4 ORDER BY n"), "1,a b\n2,c/d\n3,\n");
    assert_eq!(rows(folder, "SELECT n FROM h4 WHERE key = 'a b'"), "1\n");
    assert_eq!(rows(folder, "SELECT due FROM d64 WHERE due = DATE '2024-02-29'"), "2024-02-29\n");
    assert_eq!(
        rows(folder, "SELECT CAST(due AS VARCHAR) FROM d64 ORDER BY due DESC LIMIT 1"),
        rows(folder, "SELECT max(due) FROM d64")
    );
}
