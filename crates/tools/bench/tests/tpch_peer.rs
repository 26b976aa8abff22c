//! The peer's script of the tpch suites beside stand-ins for its packages: the clock stops when the answer is fetched, and not
//! when its rows are made.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tpch/peer.py");

/// Making rows takes a second; an answer in columns is there at once.
const DUCKDB: &str = r#"
import datetime, decimal, time

__version__ = "9"
ROWS = [("a", decimal.Decimal("1.50")), (datetime.date(1998, 9, 2), None)]

class Column:
    def __init__(self, values):
        self.values = values

    def to_pylist(self):
        time.sleep(0.5)
        return list(self.values)

class Table:
    columns = [Column(values) for values in zip(*ROWS)]

class Connection:
    def execute(self, sql):
        return self

    sql = execute

    def fetchone(self):
        return (2,)

    def fetchall(self):
        time.sleep(1)
        return ROWS

    def METHOD(self):
        return Table()

def connect(*arguments, **options):
    return Connection()
"#;

/// The lines that the script writes for a task, with the packages of a folder in place of the installed ones.
fn lines(packages: &Path, arguments: &[&str], input: &str) -> Vec<serde_json::Value> {
    let mut command = Command::new("python3");
    command.arg(SCRIPT).args(arguments).env("PYTHONPATH", packages).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn().expect("this test needs python3");
    process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = process.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
#[allow(clippy::disallowed_methods)]
fn rows_are_made_with_the_clock_stopped() {
    let request = r#"{"sql": "SELECT 1", "repeats": 1, "at_most": 1, "enough_ns": 0}"#;
    let rows = serde_json::json!([["a", {"d": "1.50"}], ["1998-09-02", null]]);
    for (method, pyarrow) in [("fetch_arrow_table", true), ("to_arrow_table", true), ("to_arrow_table", false)] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("duckdb.py"), DUCKDB.replace("METHOD", method)).unwrap();
        let package = if pyarrow { "__version__ = '8'" } else { "raise ImportError" };
        fs::write(folder.path().join("pyarrow.py"), package).unwrap();
        let ready = lines(folder.path(), &["check"], "");
        let form = if pyarrow { "Arrow 8" } else { "Python tuples" };
        assert_eq!(ready, [serde_json::json!({ "ready": format!("DuckDB 9, 2 threads, answers as {form}") })]);
        let tables = folder.path().to_str().unwrap();
        let replies = lines(folder.path(), &["run", tables, "-"], &format!("{request}\n"));
        let [reply] = &replies[..] else { panic!("{replies:?}") };
        assert_eq!(reply["rows"], rows, "{reply}");
        for time in [&reply["first"], &reply["times"][0]] {
            assert_eq!(time.as_u64().unwrap() < 1_000_000_000, pyarrow, "{method}: {reply}");
        }
    }
}
