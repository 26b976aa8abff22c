//! Scripts of statements with their expected answers, in the format of sqllogictest.
//!
//! Every file of `sqllogic/` runs in a fresh database. Its expectations are those of ISO SQL and of PostgreSQL's users,
//! not the output of the program at the time of writing.
//!
//! ```text
//!   statement ok                 the next lines, up to a blank one, are a statement that works
//!   statement count 3            one that changes three rows
//!   statement error 23505 text   one that fails; the rest of the line is part of "SQLSTATE code: message"
//!   query IT rowsort             one with rows: a letter for each column's type, the rows after ----,
//!                                sorted as lines of text before they are compared if rowsort is said
//!   connection two               the next record is run by the session of this name
//!   control copy customers.dbf   copies a file of the sample folder into the database's
//!   # ...                        a comment
//! ```
//!
//! Letters: B boolean, I whole numbers, R other numbers, D dates and times, T the rest. Cells are divided by one blank;
//! NULL is `NULL`, an empty text `(empty)`. Blanks at the ends of a line and repeated blanks do not count.
//!
//! `MAINSTAY_REWRITE=1` writes the answers into the files; look at the difference before committing it.
//! `MAINSTAY_SQLLOGIC=text` runs only the files whose names contain this text.

#![allow(clippy::disallowed_methods)]

use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Schema};
use mainstay_columnar::values::value_at;
use mainstay_engine::{Database, OFFSET, Options, Session, TICKS};
use mainstay_types::{Error, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn here(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

#[test]
fn scripts_answer_as_they_say() {
    let rewrite = std::env::var_os("MAINSTAY_REWRITE").is_some();
    let wanted = std::env::var("MAINSTAY_SQLLOGIC").unwrap_or_default();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(here("tests/sqllogic")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let mut complaints = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".slt") || !name.contains(&wanted) {
            continue;
        }
        let script = std::fs::read_to_string(&path).unwrap();
        let outcome = run(&script, false);
        complaints.extend(outcome.complaints.iter().map(|complaint| format!("{name}:{complaint}")));
        if rewrite && outcome.rewritten != script {
            std::fs::write(&path, outcome.rewritten).unwrap();
        }
    }
    assert!(complaints.is_empty() || rewrite, "{} records fail\n\n{}", complaints.len(), complaints.join("\n\n"));
}

/// The general executor alone answers the same, but for the plans that it shows.
#[test]
fn scripts_answer_the_same_without_kernels_and_indexes() {
    let wanted = std::env::var("MAINSTAY_SQLLOGIC").unwrap_or_default();
    let mut complaints = Vec::new();
    for entry in std::fs::read_dir(here("tests/sqllogic")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".slt") && name.contains(&wanted) {
            let outcome = run(&std::fs::read_to_string(&path).unwrap(), true);
            complaints.extend(outcome.complaints.iter().map(|complaint| format!("{name}:{complaint}")));
        }
    }
    assert!(complaints.is_empty(), "{} records fail\n\n{}", complaints.len(), complaints.join("\n\n"));
}

/// The runner itself: a wrong expectation of each kind is found, and rewritten into a right one.
#[test]
fn wrong_expectations_are_found() {
    let wrong = "statement error 42P01\nSELECT 1\n\nstatement ok\nSELECT x\n\nquery I\nSELECT 1\n----\n2\n\n\
                 query T\nSELECT 2\n----\n2\n\nquery I\nSELECT x\n----\n2\n\nstatement error 23505\nSELECT y\n\n\
                 statement count 2\nSELECT 1\n\nquery I rowsort\nVALUES (2), (1)\n----\n1\n2\n";
    let outcome = run(wrong, false);
    assert_eq!(outcome.complaints.len(), 7, "{:#?}", outcome.complaints);
    let again = run(&outcome.rewritten, false);
    assert_eq!(again.complaints, [""; 0], "{}", outcome.rewritten);
    assert_eq!(again.rewritten, outcome.rewritten);
    assert!(outcome.complaints[2].starts_with("7: "), "the line is named: {}", outcome.complaints[2]);
}

/// The result of a script.
#[derive(Default)]
struct Outcome {
    /// For each record that fails its line, and what was expected and came.
    complaints: Vec<String>,
    /// The script as it would not fail.
    rewritten: String,
}

/// A statement with the first line of its record, and the lines that were expected.
struct Record<'s> {
    line: usize,
    head: &'s str,
    sql: String,
    expected: Vec<&'s str>,
}

/// The result of a statement.
enum Answered {
    Rows { types: String, rows: Vec<String>, changed: u64 },
    Failed(Error),
}

fn run(script: &str, general_executor_only: bool) -> Outcome {
    mainstay_tsql_planner::register();
    let folder = tempfile::tempdir().unwrap();
    let options = Options { general_executor_only, ..Options::default() };
    let database = Database::open_with(folder.path(), options).unwrap();
    let mut sessions: HashMap<String, Session> = HashMap::new();
    let mut connection = String::new();
    let mut outcome = Outcome::default();
    let mut lines = script.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["statement" | "query", ..] => {
                let mut record = Record { line: number + 1, head: line, sql: String::new(), expected: Vec::new() };
                let mut is_expected = false;
                while let Some((_, line)) = lines.next_if(|(_, line)| !line.trim().is_empty()) {
                    match line.trim() {
                        "----" => is_expected = true,
                        _ if is_expected => record.expected.push(line),
                        _ => record.sql.push_str(&format!("{line}\n")),
                    }
                }
                let name = std::mem::take(&mut connection);
                let session = sessions.entry(name).or_insert_with(|| database.session());
                let answered = answered(session, record.sql.trim_end());
                if !(general_executor_only && record.sql.starts_with("EXPLAIN")) {
                    judge(&record, answered, &mut outcome);
                }
                continue;
            }
            ["connection", name] => connection = (*name).to_owned(),
            ["control", "copy", name] => {
                std::fs::copy(here("../../../sample").join(name), folder.path().join(name)).unwrap();
            }
            [] => {}
            [first, ..] if first.starts_with('#') => {}
            _ => outcome.complaints.push(format!("{}: not a record: {line}", number + 1)),
        }
        outcome.rewritten.push_str(&format!("{line}\n"));
    }
    outcome
}

fn answered(session: &mut Session, sql: &str) -> Answered {
    let mut all = || {
        let mut answer = session.execute(sql)?;
        let types = letters(answer.schema());
        let mut rows = Vec::new();
        while let Some(batch) = answer.next_batch()? {
            rows.extend(texts(&batch));
        }
        Ok(Answered::Rows { types, rows, changed: answer.changed().unwrap_or_default() })
    };
    all().unwrap_or_else(Answered::Failed)
}

fn letters(schema: &Schema) -> String {
    let letter = |data_type: &DataType| match data_type {
        DataType::Boolean => 'B',
        &TICKS | &OFFSET => 'D',
        other if other.is_integer() => 'I',
        other if other.is_numeric() => 'R',
        other if other.is_temporal() => 'D',
        _ => 'T',
    };
    schema.fields().iter().map(|field| letter(field.data_type())).collect()
}

fn texts(batch: &RecordBatch) -> Vec<String> {
    let options = FormatOptions::default()
        .with_null("NULL")
        .with_timestamp_format(Some("%Y-%m-%d %H:%M:%S%.f"))
        .with_timestamp_tz_format(Some("%Y-%m-%d %H:%M:%S%.f%:z"));
    let readable: Vec<ArrayRef> = batch.columns().iter().map(readable).collect();
    let columns: Vec<ArrayFormatter<'_>> =
        readable.iter().map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
    let cell = |column: &ArrayFormatter<'_>, row| match column.value(row).to_string() {
        empty if empty.is_empty() => "(empty)".to_owned(),
        text => text,
    };
    let line = |row| normal(&columns.iter().map(|column| cell(column, row)).collect::<Vec<_>>().join(" "));
    (0..batch.num_rows()).map(line).collect()
}

/// Moments that Arrow has no type for, as text.
fn readable(column: &ArrayRef) -> ArrayRef {
    if ![TICKS, OFFSET].contains(column.data_type()) {
        return Arc::clone(column);
    }
    let text = |row| match value_at(column.as_ref(), row).unwrap() {
        Value::Timestamp(moment) => Some(moment.to_string()),
        Value::TimestampWithOffset { utc, offset_minutes } => Some(utc.display_with_offset(offset_minutes).to_string()),
        _ => None,
    };
    Arc::new((0..column.len()).map(text).collect::<StringArray>())
}

/// A line without blanks that do not count.
fn normal(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Compares what came with what the record says, and writes the record as it would be right.
fn judge(record: &Record<'_>, answered: Answered, outcome: &mut Outcome) {
    let words: Vec<&str> = record.head.split_whitespace().collect();
    let sorted = words.get(2) == Some(&"rowsort");
    let is_query = words[0] == "query";
    let mut came: Vec<String> = Vec::new();
    let (is_right, head) = match &answered {
        Answered::Failed(error) => {
            let shown = format!("{} {}: {error}", error.code().sqlstate(), error.code().name());
            let wanted = words.get(2..).unwrap_or_default().join(" ");
            came.push(shown.clone());
            let head = format!("{} error {} {}", words[0], error.code().sqlstate(), error.code().name());
            (words.get(1) == Some(&"error") && shown.contains(&wanted), head)
        }
        Answered::Rows { types, rows, .. } if is_query => {
            came = rows.clone();
            if sorted {
                came.sort();
            }
            let head = if sorted { format!("query {types} rowsort") } else { format!("query {types}") };
            let mut expected: Vec<String> = record.expected.iter().map(|line| normal(line)).collect();
            if sorted {
                expected.sort();
            }
            (came == expected && words.get(1) == Some(&types.as_str()), head)
        }
        Answered::Rows { changed, .. } if words.get(1) == Some(&"count") => {
            came.push(format!("{changed} rows changed"));
            let head = format!("statement count {changed}");
            (head == words.join(" "), head)
        }
        Answered::Rows { .. } => {
            came.push("no error".to_owned());
            (words.get(1) == Some(&"ok"), "statement ok".to_owned())
        }
    };
    let head = if is_right { record.head } else { &head };
    outcome.rewritten.push_str(&format!("{head}\n{}", record.sql));
    if is_query && let Answered::Rows { .. } = answered {
        outcome.rewritten.push_str("----\n");
        let kept: Vec<String> = record.expected.iter().map(|line| (*line).to_owned()).collect();
        for line in if is_right { &kept } else { &came } {
            outcome.rewritten.push_str(&format!("{line}\n"));
        }
    }
    if !is_right {
        let expected = record.expected.join("\n    ");
        let came = came.join("\n    ");
        let (line, sql) = (record.line, record.sql.trim_end());
        outcome
            .complaints
            .push(format!("{line}: {}\n{sql}\n  expected\n    {expected}\n  came ({head})\n    {came}", record.head));
    }
}
