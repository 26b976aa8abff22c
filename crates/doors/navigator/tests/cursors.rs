//! Statements with many rows: the first come at once, the others are a table of the server.

mod common;

use common::Served;
use mainstay_navigator::client::Client;
use mainstay_navigator::rows::RowSource;
use mainstay_navigator::sql::{Column, Executed, Outcome, Parameter, ServedSql, SqlSession};
use mainstay_types::{Code, Collation, Error, Result, SqlType, Value};
use mainstay_workarea::{Counting, Mode, WorkArea, untold};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};

/// Rows of a number and a text. Behind the first 5,000 they wait until a test lets them on.
struct Numbers {
    next: i64,
    rows: i64,
    may_go_on: Gate,
    /// The text's length is known behind the last row only.
    is_measured: bool,
    fails_at: Option<i64>,
    given: Arc<AtomicUsize>,
}

type Gate = Arc<(Mutex<bool>, Condvar)>;

fn columns(length: u32) -> Vec<Column> {
    let text = SqlType::VarChar { length: Some(length), collation: Collation::Binary };
    [("number", SqlType::Integer), ("a_rather_long_text", text)]
        .map(|(name, sql_type)| Column::new(name, sql_type))
        .to_vec()
}

impl RowSource for Numbers {
    fn columns(&self) -> Option<Vec<Column>> {
        match self.is_measured {
            true if self.next <= self.rows => None,
            _ => Some(columns(20)),
        }
    }

    fn next(&mut self) -> Result<Option<Vec<Vec<Value>>>> {
        if self.next > 5_000 {
            let (gate, opened) = &*self.may_go_on;
            drop(opened.wait_while(gate.lock().unwrap(), |is_open| !*is_open).unwrap());
        }
        if self.fails_at.is_some_and(|at| self.next >= at) {
            let dialect = mainstay_types::DialectError { number: 2120, severity: 16, state: 1 };
            return Err(Error::new(Code::Syntax, "Division by zero").in_dialect(dialect));
        }
        let until = (self.next + 500).min(self.rows + 1);
        let row = |number: i64| vec![Value::Integer(number), Value::Text(format!("row {number}"))];
        let rows: Vec<_> = (self.next..until).map(row).collect();
        (self.next, _) = (until, self.given.fetch_add(rows.len(), SeqCst));
        Ok((!rows.is_empty()).then_some(rows))
    }
}

/// Understands "rows N", "measured N", "failing N" and what changes nothing.
#[derive(Clone, Default, Debug)]
struct Sql {
    gate: Gate,
    given: Arc<AtomicUsize>,
}

impl ServedSql for Sql {
    fn open(&self, _: &Path, _: &str) -> Result<Box<dyn SqlSession>> {
        Ok(Box::new(self.clone()))
    }
}

impl SqlSession for Sql {
    fn set_read_only(&mut self) {}

    fn execute(&mut self, _: &str, _: &[Parameter]) -> Result<Outcome> {
        Ok(Outcome { affected: 1, ..Outcome::default() })
    }

    fn query(&mut self, sql: &str, _: &[Parameter]) -> Result<Executed> {
        let Some((word, rows)) = sql.split_once(' ') else { return self.execute(sql, &[]).map(Executed::Done) };
        let rows = rows.parse().unwrap();
        Ok(Executed::Rows(Box::new(Numbers {
            next: 1,
            rows,
            may_go_on: Arc::clone(&self.gate),
            is_measured: word == "measured",
            fails_at: (word == "failing").then_some(rows / 2),
            given: Arc::clone(&self.given),
        })))
    }

    fn prepare(&mut self, _: &str) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

impl Sql {
    fn go_on(&self) {
        *self.gate.0.lock().unwrap() = true;
        self.gate.1.notify_all();
    }
}

fn served() -> (Served, Sql) {
    let (served, sql) = (Served::new(), Sql::default());
    assert!(served.service.serve_sql(Arc::new(sql.clone())));
    (served, sql)
}

fn cursor(client: &Arc<Client>, sql: &str) -> Box<dyn WorkArea> {
    match client.query(sql, &[]).unwrap() {
        Executed::Table { columns: found, area } => {
            assert_eq!(found, columns(20));
            area
        }
        Executed::Done(outcome) => panic!("{} rows at once", outcome.rows.len()),
        Executed::Rows(_) => panic!("rows that come"),
    }
}

fn number(area: &mut dyn WorkArea) -> f64 {
    area.get(0).unwrap().as_number().unwrap()
}

#[test]
fn few_rows_come_as_they_are() {
    let (served, _) = served();
    let Executed::Done(outcome) = served.client("ada").query("rows 1500", &[]).unwrap() else { panic!("a table") };
    assert_eq!((outcome.columns.clone(), outcome.rows.len()), (columns(20), 1500));
}

#[test]
fn the_first_page_comes_before_the_last_row() {
    let (served, sql) = served();
    let client = served.client("ada");
    let mut area = cursor(&client, "rows 30000");
    let trips = client.traffic().round_trips;
    for expected in 1..500 {
        assert_eq!((number(&mut *area), area.record_number()), (f64::from(expected), expected as u32));
        area.skip(1).unwrap();
    }
    assert_eq!(client.traffic().round_trips, trips, "the first page is here");
    assert!(sql.given.load(SeqCst) <= 5_000);
    sql.go_on();
    assert_eq!(area.record_count(Counting::All).unwrap(), 30_000);
    area.go_bottom().unwrap();
    assert_eq!(number(&mut *area), 30_000.0);
    area.skip(-4_000).unwrap();
    assert_eq!(number(&mut *area), 26_000.0);
    area.go_to(99).unwrap();
    assert_eq!(number(&mut *area), 99.0);
    area.set_filter(Some("number > 29990")).unwrap();
    area.go_top().unwrap();
    assert_eq!((number(&mut *area), area.key_count(Counting::Visible).unwrap()), (29_991.0, 10));
    area.set_filter(None).unwrap();
    area.set_aof("number = 7000").unwrap();
    area.go_top().unwrap();
    assert_eq!(number(&mut *area), 7_000.0);
    area.clear_aof();
    area.go_top().unwrap();
    let mut seen = 0;
    while !area.is_eof() {
        seen += 1;
        assert_eq!(number(&mut *area), f64::from(seen));
        area.skip(1).unwrap();
    }
    assert_eq!(seen, 30_000);
    let folder = served.folder.path().join("copy.dbf");
    assert_eq!(area.copy_to(&client.path(Path::new("copy.dbf")), &Default::default(), &mut untold).unwrap(), 30_000);
    assert!(folder.exists());
    area.close().unwrap();
}

/// A cursor whose fields need the longest value has its first page behind the last row.
#[test]
fn rows_are_measured_without_being_kept() {
    let (served, sql) = served();
    sql.go_on();
    let mut area = cursor(&served.client("ada"), "measured 50000");
    assert_eq!(area.record_count(Counting::All).unwrap(), 50_000);
    for record in [1, 25_000, 50_000] {
        area.go_to(record).unwrap();
        assert_eq!(number(&mut *area), f64::from(record));
    }
}

/// Changes of the client after its statement are not in the rows: the next statement waits for them.
#[test]
fn statements_and_changes_wait_for_the_rows_of_the_one_before() {
    let (served, sql) = served();
    served.make_numbers("t.dbf", 3);
    let client = served.client("ada");
    let area = cursor(&client, "rows 30000");
    let begun = Arc::new(AtomicBool::new(false));
    let (other, is_done) = (Arc::clone(&client), Arc::clone(&begun));
    let statement = std::thread::spawn(move || {
        other.query("change", &[]).unwrap();
        is_done.store(true, SeqCst);
    });
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert!(!begun.load(SeqCst));
    sql.go_on();
    statement.join().unwrap();
    assert_eq!(sql.given.load(SeqCst), 30_000);
    // And transactions pass the rows by.
    client.begin().unwrap();
    let mut table = served.open(&client, "t.dbf", Mode::Shared);
    table.append_blank().unwrap();
    table.write().unwrap();
    client.roll_back().unwrap();
    drop(area);
}

/// An error behind the first rows is that of the calls that need more, in the interface's number.
#[test]
fn an_error_behind_the_first_rows_is_told_with_the_rows_that_are_missing() {
    let (served, sql) = served();
    let mut area = cursor(&served.client("ada"), "failing 20000");
    assert_eq!(number(&mut *area), 1.0);
    sql.go_on();
    for _ in 0..2 {
        let error = area.go_bottom().unwrap_err();
        assert_eq!(mainstay_navigator::dictionary::code_of(&error), Some(7200), "{error}");
        assert!(error.message().contains("Division by zero"));
    }
    area.close().unwrap();
}

/// A client that closes a cursor does not wait for its rows, nor does the server compute the rest.
#[test]
fn a_cursor_that_is_closed_ends_its_statement() {
    let (served, sql) = served();
    let client = served.client("ada");
    cursor(&client, "rows 100000000").close().unwrap();
    sql.go_on();
    client.query("change", &[]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(50));
    let given = sql.given.load(SeqCst);
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert_eq!(sql.given.load(SeqCst), given);
}

/// Rows that are lost with the connection are said to be; the connection is made again for others.
#[test]
fn rows_are_lost_with_the_connection() {
    let (served, sql) = served();
    sql.go_on();
    let (client, is_cut) = served.cuttable_client();
    let mut area = cursor(&client, "rows 20000");
    is_cut.store(true, SeqCst);
    for _ in 0..2 {
        assert_eq!(area.go_bottom().unwrap_err().code(), Code::ConnectionLost);
    }
    area.close().unwrap();
    assert_eq!(cursor(&client, "rows 20000").record_count(Counting::All).unwrap(), 20_000);
}
