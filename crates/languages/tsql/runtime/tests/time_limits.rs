//! The time limit of a batch or call: it ends at any point, the client is told, and the state is the same as after an
//! attention. And the memory limit: a batch ends when there is none left.

mod common;

use common::Transcript;
use mainstay_engine::{Database, Options};
use mainstay_session::push::{Call, Parameter, ParameterValue};
use mainstay_tsql_runtime::{Instance, Session};
use mainstay_tsql_types::{DataType, Length};
use mainstay_types::Value;
use std::time::{Duration, Instant};

const NONE: [i32; 0] = [];
/// 8649 of severity 17: some limit that the administrator has set.
const OUT_OF_TIME: [i32; 1] = [8649];
const LIMIT: Duration = Duration::from_secs(1);

const SETUP: [&str; 5] = [
    "CREATE TABLE Accounts (id INT PRIMARY KEY, balance INT NOT NULL)
     INSERT Accounts VALUES (1, 100), (2, 100)
     CREATE TABLE Numbers (id INT PRIMARY KEY)
     INSERT Numbers SELECT value FROM GENERATE_SERIES(1, 3000)",
    "CREATE PROCEDURE Turn AS WHILE 1 = 1 BEGIN TRY DECLARE @n INT = 1 / 0 END TRY BEGIN CATCH SET @n = 1 END CATCH",
    "CREATE PROCEDURE Fill AS CREATE TABLE #Own (id INT) WHILE 1 = 1 INSERT #Own SELECT id FROM Numbers WHERE id < 4",
    "CREATE FUNCTION Spin (@n INT) RETURNS INT AS BEGIN WHILE 1 = 1 SET @n = 3 - @n RETURN @n END",
    "CREATE FUNCTION Search (@n INT) RETURNS INT AS BEGIN
     RETURN (SELECT COUNT(*) FROM Numbers a, Numbers b, Numbers c, Numbers d WHERE a.id + b.id + c.id + d.id = -@n) END",
];

fn instance() -> Instance {
    let options = Options { statement_timeout: Some(LIMIT), ..Options::default() };
    let instance = Instance::new(Database::open_with(":memory:", options).expect("a database in memory"), "test");
    for batch in SETUP {
        assert_eq!(errors(&mut instance.session(), batch), NONE);
    }
    instance
}

fn ran(session: &mut Session, batch: &str) -> Transcript {
    let mut transcript = Transcript::default();
    session.batch(batch, &mut transcript);
    transcript
}

fn numbers(transcript: &Transcript) -> Vec<i32> {
    transcript.errors.iter().map(|error| error.number).collect()
}

fn errors(session: &mut Session, batch: &str) -> Vec<i32> {
    numbers(&ran(session, batch))
}

/// The first row of what a query shows.
fn value(session: &mut Session, query: &str) -> String {
    let transcript = ran(session, query);
    assert_eq!(numbers(&transcript), NONE);
    transcript.text.lines().nth(1).unwrap_or("").to_owned()
}

/// Runs something that does not end by itself.
fn ended<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let outcome = run();
    let took = began.elapsed();
    assert!((LIMIT..LIMIT * 6).contains(&took), "{what} took {took:?}");
    outcome
}

#[test]
fn a_batch_ends_wherever_it_is() {
    let instance = instance();
    let mut session = instance.session();
    for statement in [
        "WHILE 1 = 1 SET @x = 3 - @x",
        "WHILE 1 = 1 SELECT @x = COUNT(*) FROM Accounts",
        "BEGIN TRY WAITFOR DELAY '00:10:00' END TRY BEGIN CATCH INSERT Accounts VALUES (98, 0) END CATCH",
        "EXEC Turn",
        "EXEC Fill",
        "EXEC ('EXEC Turn')",
        "SELECT @x = COUNT(*) FROM Numbers a, Numbers b, Numbers c, Numbers d WHERE a.id + b.id + c.id + d.id = -1",
        "SELECT @x = dbo.Spin(id) FROM Accounts",
        "SET @x = dbo.Spin(1)",
        "SELECT @x = dbo.Search(id) FROM Accounts",
        "UPDATE Accounts SET balance = dbo.Spin(1)",
        "INSERT Accounts SELECT a.id + 100, b.id FROM Numbers a, Numbers b, Numbers c WHERE dbo.Spin(1) = 7",
    ] {
        for (abort, open, left) in [("OFF", "1", "7"), ("ON", "0", "100")] {
            let batch = format!(
                "SET XACT_ABORT {abort} DECLARE @x INT = 1 BEGIN TRAN UPDATE Accounts SET balance = 7 WHERE id = 1
                 {statement}
                 INSERT Accounts VALUES (99, 0)"
            );
            let transcript = ended(&batch, || ran(&mut session, &batch));
            assert_eq!(numbers(&transcript), OUT_OF_TIME, "{batch}");
            assert_eq!((transcript.errors[0].severity, transcript.ends.last().map(|end| end.error)), (17, Some(true)));
            assert_eq!(value(&mut session, "SELECT @@TRANCOUNT"), open, "{batch}");
            assert_eq!(value(&mut session, "SELECT balance FROM Accounts WHERE id = 1"), left, "{batch}");
            assert_eq!(value(&mut session, "SELECT COUNT(*) FROM Accounts"), "2", "{batch}");
            assert_eq!(value(&mut session, "SELECT ISNULL(OBJECT_ID('tempdb..#Own'), 0)"), "0", "{batch}");
            assert_eq!(errors(&mut session, "IF @@TRANCOUNT > 0 ROLLBACK"), NONE, "{batch}");
        }
    }
}

#[test]
fn who_waits_for_others_ends() {
    let instance = instance();
    let (mut holder, mut waiter) = (instance.session(), instance.session());
    let held = "BEGIN TRAN UPDATE Accounts SET balance = 0 WHERE id = 2
                EXEC sp_getapplock 'one', 'Exclusive', 'Session'";
    assert_eq!(errors(&mut holder, held), NONE);
    for batch in [
        "UPDATE Accounts SET balance += 1 WHERE id = 2",
        "BEGIN TRY DELETE Accounts END TRY BEGIN CATCH PRINT 'caught' END CATCH",
        "EXEC sp_getapplock 'one', 'Exclusive', 'Session' PRINT 'went on'",
    ] {
        let transcript = ended(batch, || ran(&mut waiter, batch));
        assert_eq!(numbers(&transcript), OUT_OF_TIME, "{batch}");
        assert!(!transcript.text.contains("caught") && !transcript.text.contains("went on"), "{}", transcript.text);
    }
    assert_eq!(errors(&mut holder, "ROLLBACK"), NONE);
    assert_eq!(value(&mut waiter, "SELECT SUM(balance) FROM Accounts"), "200");
}

#[test]
fn a_call_has_its_own_time_and_short_ones_add_up_to_nothing() {
    let instance = instance();
    let mut session = instance.session();
    let text = |text: &str| Parameter {
        name: String::new(),
        output: false,
        default: false,
        declared: DataType::NVarChar(Length::Max).declared(),
        value: ParameterValue::Single(Value::Text(text.into())),
    };
    let call = |parameters: Vec<Parameter>, procedure: &str| {
        let procedure = procedure.to_owned();
        Call { procedure, parameters }
    };
    for call in [call(Vec::new(), "Turn"), call(vec![text("WHILE 1 = 1 PRINT 'again'")], "sp_executesql")] {
        let mut transcript = Transcript::default();
        ended("a call", || session.call(&call, &mut transcript));
        assert_eq!(numbers(&transcript), OUT_OF_TIME);
    }
    for _ in 0..4 {
        assert_eq!(errors(&mut session, "WAITFOR DELAY '00:00:00.500'"), NONE);
    }
}

#[test]
fn a_batch_ends_where_there_is_no_memory() {
    let options = Options { memory_limit_bytes: Some(1 << 20), ..Options::default() };
    let instance = Instance::new(Database::open_with(":memory:", options).expect("a database in memory"), "test");
    let mut session = instance.session();
    let greedy = "SELECT LEN(REPLICATE(CAST('x' AS VARCHAR(MAX)), 100000000 + value)) FROM GENERATE_SERIES(1, 2)";
    let looped = format!("DECLARE @n INT = 0 WHILE @n < 3 BEGIN SET @n += 1 {greedy} END PRINT 'goes on'");
    assert_eq!(errors(&mut session, &looped), [701]);
    let caught = format!("BEGIN TRY {greedy} END TRY BEGIN CATCH PRINT CONCAT('caught ', ERROR_NUMBER()) END CATCH");
    assert!(ran(&mut session, &caught).text.contains("caught 701"));
}

/// Rows that wait between two statements count in the memory of running statements, and are given back.
#[test]
fn rows_that_are_collected_count_in_the_memory() {
    let options = Options { memory_limit_bytes: Some(16 << 20), ..Options::default() };
    let instance = Instance::new(Database::open_with(":memory:", options).expect("a database in memory"), "test");
    let mut session = instance.session();
    let rows = |count: u32| format!("SELECT value AS n, REPLICATE('x', 1000) AS t FROM GENERATE_SERIES(1, {count})");
    let statements = |count: u32| {
        let rows = rows(count);
        [
            format!("DECLARE c CURSOR LOCAL STATIC FOR {rows} OPEN c CLOSE c DEALLOCATE c"),
            format!(
                "CREATE TABLE #e (n INT, t VARCHAR(MAX)) INSERT #e EXEC ('{}') DROP TABLE #e",
                rows.replace('\'', "''")
            ),
            format!("SELECT n, t INTO #i FROM ({rows}) r DROP TABLE #i"),
            format!("DECLARE @s VARCHAR(9) = '' SELECT @s = RIGHT(@s + t, 9) FROM ({rows}) r"),
        ]
    };
    for (small, large) in statements(2_000).iter().zip(&statements(40_000)) {
        assert_eq!(errors(&mut session, small), NONE, "{small}");
        assert_eq!(errors(&mut session, large), [701], "{large}");
        assert_eq!(errors(&mut session, "IF OBJECT_ID('tempdb..#e') IS NOT NULL DROP TABLE #e"), NONE);
        assert_eq!(errors(&mut session, small), NONE, "after what was refused: {small}");
    }
}
