//! SQL through a stand-in for the engine, local and at a server: statements, parameters, and cursors that are tables in
//! every respect.
//!
//! The entries are called as C calls them, from Rust, because the stand-in is part of this program.

extern crate mainstay_ace as ace;

mod common;

use std::ffi::{CStr, c_char};
use std::sync::{Arc, Mutex};

use ace::backend::{Column, Outcome, Parameter, Served, Sql, SqlSession, install_sql};
use mainstay_server::Config;
use mainstay_types::{Code, Collation, Date, Decimal, Error, Result, SqlType, Value};

// SAFETY: these are the declarations of `include/ace.h` for the functions of this library.
unsafe extern "C" {
    fn AdsConnect60(
        path: *const c_char,
        types: u16,
        user: *const c_char,
        password: *const c_char,
        options: u32,
        out: *mut usize,
    ) -> u32;
    fn AdsDisconnect(connection: usize) -> u32;
    fn AdsCreateSQLStatement(connection: usize, statement: *mut usize) -> u32;
    fn AdsPrepareSQL(statement: usize, sql: *const c_char) -> u32;
    fn AdsExecuteSQL(statement: usize, cursor: *mut usize) -> u32;
    fn AdsExecuteSQLDirect(statement: usize, sql: *const c_char, cursor: *mut usize) -> u32;
    fn AdsGetNumParams(statement: usize, count: *mut u16) -> u32;
    fn AdsSetString(object: usize, field: *const c_char, text: *const c_char, length: u32) -> u32;
    fn AdsSetLong(object: usize, field: *const c_char, value: i32) -> u32;
    fn AdsCloseSQLStatement(statement: usize) -> u32;
    fn AdsCloseTable(table: usize) -> u32;
    fn AdsGetHandleType(object: usize, kind: *mut u16) -> u32;
    fn AdsGetRecordCount(object: usize, option: u16, count: *mut u32) -> u32;
    fn AdsGetFieldName(table: usize, field: u16, name: *mut u8, length: *mut u16) -> u32;
    fn AdsGetString(table: usize, field: *const c_char, text: *mut u8, length: *mut u32, option: u16) -> u32;
    fn AdsGetDouble(table: usize, field: *const c_char, value: *mut f64) -> u32;
    fn AdsGetJulian(table: usize, field: *const c_char, day: *mut i32) -> u32;
    fn AdsIsNull(table: usize, field: *const c_char, null: *mut u16) -> u32;
    fn AdsSkip(object: usize, count: i32) -> u32;
    fn AdsAtEOF(object: usize, eof: *mut u16) -> u32;
    fn AdsSetFilter(table: usize, filter: *const c_char) -> u32;
    fn AdsGetSQLStatementHandle(cursor: usize, statement: *mut usize) -> u32;
}

/// Answers a query with three rows, and remembers what it was asked.
#[derive(Default)]
struct StandIn {
    asked: Mutex<Vec<(String, Vec<Parameter>)>>,
}

struct Session(Arc<StandIn>);

/// The installed stand-in.
struct Door(Arc<StandIn>);

impl Sql for Door {
    fn open(&self, _: &std::path::Path, _: &str) -> Result<Box<dyn SqlSession>> {
        Ok(Box::new(Session(Arc::clone(&self.0))))
    }
}

impl SqlSession for Session {
    fn set_read_only(&mut self) {}

    fn execute(&mut self, sql: &str, parameters: &[Parameter]) -> Result<Outcome> {
        self.0.asked.lock().unwrap().push((sql.to_owned(), parameters.to_vec()));
        if sql.starts_with("UPDATE") {
            return Ok(Outcome { affected: 7, ..Outcome::default() });
        }
        if !sql.starts_with("SELECT") {
            return Err(Error::new(Code::Syntax, "that is no statement"));
        }
        let column = |name: &str, sql_type| Column::new(name, sql_type);
        let text = SqlType::VarChar { length: Some(20), collation: Collation::Binary };
        let row = |name: &str, amount: Value| {
            vec![Value::Text(name.to_owned()), amount, Value::Date(Date::from_ymd(2026, 11, 22).unwrap())]
        };
        Ok(Outcome {
            columns: vec![
                column("name", text),
                column("a_rather_long_amount", SqlType::Decimal { precision: 10, scale: 2 }),
                column("born", SqlType::Date),
            ],
            rows: vec![
                row("Ann", Value::Decimal(Decimal::new(1250, 2))),
                row("Bob", Value::Null),
                row("Cid", Value::Decimal(Decimal::new(-5, 2))),
            ],
            ..Outcome::default()
        })
    }

    fn prepare(&mut self, sql: &str) -> Result<Vec<String>> {
        Ok(sql.split(':').skip(1).map(|rest| rest.split(' ').next().unwrap_or("").to_owned()).collect())
    }
}

/// Calls an entry, which must succeed.
macro_rules! ok {
    ($call:expr) => {
        // SAFETY: the pointers are to values of this function, of the types that the header says.
        assert_eq!(unsafe { $call }, 0, stringify!($call))
    };
}

/// Calls an entry, which must answer a code.
macro_rules! answers {
    ($code:expr, $call:expr) => {
        // SAFETY: the pointers are to values of this function, of the types that the header says.
        assert_eq!(unsafe { $call }, $code, stringify!($call))
    };
}

fn string(cursor: usize, field: &CStr) -> String {
    let (mut text, mut length) = ([0_u8; 64], 64_u32);
    ok!(AdsGetString(cursor, field.as_ptr(), text.as_mut_ptr(), &mut length, 3));
    String::from_utf8_lossy(&text[..length as usize]).into_owned()
}

#[test]
fn statements_and_cursors() {
    let stand_in = Arc::new(StandIn::default());
    assert!(install_sql(Arc::new(Door(Arc::clone(&stand_in)))));
    let folder = tempfile::tempdir().unwrap();
    work(folder.path().to_str().unwrap(), &stand_in);
    // The same at a server, which has the same stand-in: but only from when it is given it.
    let door = common::Door::open(Config::default(), folder.path(), Box::new(std::io::sink()));
    let address = format!("tcp://{}", door.address);
    refused(&address);
    assert!(door.service.serve_sql(Arc::new(Served(Arc::new(Door(Arc::clone(&stand_in)))))));
    work(&address, &stand_in);
    assert!(door.stop());
}

/// A server that runs no SQL says so.
fn refused(address: &str) {
    let path = std::ffi::CString::new(address).unwrap();
    let (mut connection, mut statement, mut cursor) = (0, 0, 0);
    ok!(AdsConnect60(path.as_ptr(), 2, std::ptr::null(), std::ptr::null(), 0, &mut connection));
    ok!(AdsCreateSQLStatement(connection, &mut statement));
    answers!(5042, AdsExecuteSQLDirect(statement, c"SELECT name FROM people".as_ptr(), &mut cursor));
    ok!(AdsDisconnect(connection));
}

fn work(path: &str, stand_in: &StandIn) {
    let path = std::ffi::CString::new(path).unwrap();
    let (mut connection, mut statement, mut cursor, mut back) = (0, 0, 0, 0);
    ok!(AdsConnect60(path.as_ptr(), 1, std::ptr::null(), std::ptr::null(), 0, &mut connection));
    ok!(AdsCreateSQLStatement(connection, &mut statement));

    ok!(AdsExecuteSQLDirect(statement, c"SELECT name FROM people".as_ptr(), &mut cursor));
    let (mut kind, mut count, mut eof, mut null) = (0_u16, 0_u32, 9_u16, 9_u16);
    ok!(AdsGetHandleType(cursor, &mut kind));
    assert_eq!(kind, 5, "a cursor");
    ok!(AdsGetRecordCount(cursor, 2, &mut count));
    assert_eq!(count, 3);
    let (mut name, mut length) = ([0_u8; 64], 64_u16);
    ok!(AdsGetFieldName(cursor, 2, name.as_mut_ptr(), &mut length));
    assert_eq!(&name[..length as usize], b"a_rather_long_amount");
    assert_eq!(string(cursor, c"NAME"), "Ann");
    let (mut amount, mut day) = (0.0, 0);
    ok!(AdsGetDouble(cursor, c"A_RATHER_LONG_AMOUNT".as_ptr(), &mut amount));
    assert_eq!(amount, 12.5);
    ok!(AdsGetJulian(cursor, c"born".as_ptr(), &mut day));
    assert_eq!(day, 2_461_367);
    ok!(AdsSkip(cursor, 1));
    ok!(AdsIsNull(cursor, c"a_rather_long_amount".as_ptr(), &mut null));
    assert_eq!(null, 1);
    ok!(AdsSkip(cursor, 2));
    ok!(AdsAtEOF(cursor, &mut eof));
    assert_eq!(eof, 1);
    // A cursor takes what a table takes.
    ok!(AdsSetFilter(cursor, c"Name = 'Cid'".as_ptr()));
    ok!(AdsGetRecordCount(cursor, 1, &mut count));
    assert_eq!(count, 1);
    ok!(AdsGetSQLStatementHandle(cursor, &mut back));
    assert_eq!(back, statement);
    answers!(5109, AdsExecuteSQLDirect(statement, c"SELECT name FROM people".as_ptr(), &mut back));
    ok!(AdsCloseTable(cursor));

    let mut parameters = 0;
    ok!(AdsPrepareSQL(statement, c"UPDATE people SET name = :who WHERE id = :id ".as_ptr()));
    ok!(AdsGetNumParams(statement, &mut parameters));
    assert_eq!(parameters, 2);
    ok!(AdsSetString(statement, c"who".as_ptr(), c"Eve".as_ptr(), 3));
    ok!(AdsSetLong(statement, std::ptr::without_provenance(2), 42));
    answers!(5111, AdsSetLong(statement, c"nothing".as_ptr(), 42));
    answers!(5110, AdsSetLong(statement, std::ptr::without_provenance(3), 42));
    ok!(AdsExecuteSQL(statement, &mut cursor));
    assert_eq!(cursor, 0, "no rows, no cursor");
    ok!(AdsGetRecordCount(statement, 2, &mut count));
    assert_eq!(count, 7);
    let asked = stand_in.asked.lock().unwrap().last().cloned().unwrap();
    let values: Vec<Value> = asked.1.into_iter().map(|parameter| parameter.value).collect();
    assert_eq!(values, [Value::Text("Eve".to_owned()), Value::Integer(42)]);

    answers!(7200, AdsExecuteSQLDirect(statement, c"NONSENSE".as_ptr(), &mut cursor));
    ok!(AdsCloseSQLStatement(statement));
    answers!(5106, AdsCloseSQLStatement(statement));
    ok!(AdsDisconnect(connection));
}
