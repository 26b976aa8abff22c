//! Calls as drivers make them: texts with parameters, prepared handles.

mod common;

use common::Transcript;
use mainstay_base::Value;
use mainstay_engine::Database;
use mainstay_mssql::{DataType, Length};
use mainstay_tds::{Call, Collation, Parameter, ParameterValue};
use mainstay_transact::{Instance, Session};

fn parameter(name: &str, data_type: DataType, value: Value) -> Parameter {
    Parameter {
        name: name.to_owned(),
        output: false,
        default: false,
        data_type,
        collation: Collation::DEFAULT,
        value: ParameterValue::Single(value),
    }
}

fn text(value: &str) -> Parameter {
    parameter("", DataType::NVarChar(Length::Max), Value::Text(value.to_owned()))
}

fn int(value: i64) -> Parameter {
    parameter("", DataType::Int, Value::Integer(value))
}

fn session() -> Session {
    Instance::new(Database::in_memory().expect("a database in memory"), "test").session()
}

fn call(session: &mut Session, procedure: &str, parameters: Vec<Parameter>) -> String {
    let mut transcript = Transcript::default();
    let call = Call { procedure: procedure.to_owned(), parameters, recompile: false, no_metadata: false };
    session.call(&call, &mut transcript);
    transcript.text
}

/// A plan belongs to its text, however often texts come and go.
#[test]
fn texts_with_parameters_are_never_taken_for_each_other() {
    let mut session = session();
    session.batch("CREATE TABLE t (id INT PRIMARY KEY, n INT)", &mut Transcript::default());
    session.batch("INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)", &mut Transcript::default());
    for round in 0..300 {
        let (added, id) = (round % 7, 1 + round % 3);
        let seen = call(
            &mut session,
            "sp_executesql",
            vec![text(&format!("SELECT @n + {added} + MIN(n) * 0 AS s FROM t")), text("@n INT"), int(round)],
        );
        assert!(seen.contains(&format!("\n{}\n", round + added)), "round {round}: {seen}");
        let seen = call(
            &mut session,
            "sp_executesql",
            vec![text(&format!("SELECT id FROM t WHERE id = @p{added}")), text(&format!("@p{added} INT")), int(id)],
        );
        assert!(seen.contains(&format!("\n{id}\n")), "round {round}: {seen}");
    }
}

/// What a text means depends on its parameters' types, and on how quotes are read.
#[test]
fn the_same_text_is_compiled_for_each_way_to_read_it() {
    let mut session = session();
    let statement = "SELECT @a + @a AS sum";
    let number = call(&mut session, "sp_executesql", vec![text(statement), text("@a INT"), int(21)]);
    assert!(number.contains("\n42\n"), "{number}");
    let joined = call(&mut session, "sp_executesql", vec![text(statement), text("@a NVARCHAR(10)"), text("ab")]);
    assert!(joined.contains("\nabab\n"), "{joined}");

    let quotes = "SELECT \"a\" AS q";
    let mut refused = Transcript::default();
    session.batch(quotes, &mut refused);
    assert!(refused.text.contains("207"), "{}", refused.text);
    let mut transcript = Transcript::default();
    session.batch("SET QUOTED_IDENTIFIER OFF", &mut transcript);
    session.batch(quotes, &mut transcript);
    assert!(transcript.text.ends_with("\na\n(1 rows)\n"), "{}", transcript.text);
}

/// A handle keeps its text and types until it is given back.
#[test]
fn prepared_handles_are_run_again_and_given_back() {
    let mut session = session();
    let prepared = call(&mut session, "sp_prepare", vec![int(0), text("@a INT"), text("SELECT @a * 2 AS d")]);
    assert!(prepared.contains("@handle = 1"), "{prepared}");
    for value in [1, 20, -7] {
        let seen = call(&mut session, "sp_execute", vec![int(1), int(value)]);
        assert!(seen.contains(&format!("\n{}\n", value * 2)), "{seen}");
    }
    call(&mut session, "sp_unprepare", vec![int(1)]);
    let refused = call(&mut session, "sp_execute", vec![int(1), int(5)]);
    assert!(refused.contains("8179"), "{refused}");
}

fn output(data_type: DataType, value: Value) -> Parameter {
    Parameter { output: true, ..parameter("", data_type, value) }
}

fn number(value: i64) -> Parameter {
    output(DataType::Int, Value::Integer(value))
}

/// The number behind the first ` = ` of an answer: a cursor's, or a handle.
fn given(seen: &str) -> i64 {
    let behind = seen.split(" = ").nth(1).and_then(|rest| rest.lines().next());
    behind.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no number: {seen}"))
}

/// Cursors of the protocol: what `sp_cursoropen` and its family answer.
#[test]
fn cursors_of_drivers_scroll_over_their_rows() {
    let mut session = session();
    session.batch("CREATE TABLE t (n INT PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)", &mut Transcript::default());
    let statement = "SELECT n FROM t WHERE n >= @from ORDER BY n";
    // KEYSET with parameters; what comes is static and read-only.
    let opened = call(
        &mut session,
        "sp_cursoropen",
        vec![number(0), text(statement), number(0x1001), number(4), number(0), text("@from INT"), int(1)],
    );
    assert!(opened.starts_with("[n int | ROWSTAT int]\n(0 rows)\nstatus 0\n"), "{opened}");
    let values: Vec<&str> = opened.lines().filter(|line| line.starts_with(" = ")).collect();
    assert_eq!(values[1..], [" = 8", " = 1", " = 3"], "{opened}");
    let cursor = given(&opened);
    let mut fetch = |kind: i64, row: i64, count: i64| {
        call(&mut session, "sp_cursorfetch", vec![int(cursor), int(kind), int(row), int(count)])
    };
    let heads = "[n int | ROWSTAT int]\n";
    assert_eq!(fetch(2, 0, 2), format!("{heads}1 | 1\n2 | 1\n(2 rows)\nstatus 0\n"));
    assert_eq!(fetch(2, 0, 2), format!("{heads}3 | 1\n(1 rows)\nstatus 0\n"));
    assert_eq!(fetch(2, 0, 2), format!("{heads}(0 rows)\nstatus 0\n"));
    assert_eq!(fetch(0x10, 2, 1), format!("{heads}2 | 1\n(1 rows)\nstatus 0\n"));
    assert_eq!(fetch(1, 0, 1), format!("{heads}1 | 1\n(1 rows)\nstatus 0\n"));
    let asked = call(&mut session, "sp_cursorfetch", vec![int(cursor), int(0x100), number(0), number(0)]);
    assert_eq!(asked, " = 1\n = 3\nstatus 0\n");
    assert_eq!(call(&mut session, "sp_cursorclose", vec![int(cursor)]), "status 0\n");
    let closed = call(&mut session, "sp_cursorfetch", vec![int(cursor), int(2), int(0), int(1)]);
    assert!(closed.contains("Msg 16909"), "{closed}");
}

#[test]
fn cursors_are_prepared_and_send_their_first_rows() {
    let mut session = session();
    let statement = "SELECT @a AS a UNION ALL SELECT @a + 1 ORDER BY a";
    let prepared = call(
        &mut session,
        "sp_cursorprepare",
        vec![number(0), text("@a INT"), text(statement), int(1), number(16), number(1)],
    );
    assert!(prepared.starts_with("[a int]\n(0 rows)\n"), "{prepared}");
    let handle = given(&prepared);
    // FAST_FORWARD with AUTO_FETCH of one row.
    let opened = call(
        &mut session,
        "sp_cursorexecute",
        vec![int(handle), number(0), number(0x2010), number(1), number(1), int(7)],
    );
    assert!(opened.starts_with("[a int | ROWSTAT int]\n7 | 1\n(1 rows)\n"), "{opened}");
    let next = call(&mut session, "sp_cursorfetch", vec![int(given(&opened)), int(2), int(0), int(5)]);
    assert!(next.contains("\n8 | 1\n(1 rows)\n"), "{next}");
    assert_eq!(call(&mut session, "sp_cursorunprepare", vec![int(handle)]), "status 0\n");
    let gone = call(&mut session, "sp_cursorexecute", vec![int(handle), number(0)]);
    assert!(gone.contains("Msg 8179"), "{gone}");
}

/// A text that gives no result, or several, runs without a cursor where the driver allows it.
#[test]
fn texts_without_one_result_run_without_a_cursor() {
    let mut session = session();
    let two = "SELECT 1 AS a; SELECT 2 AS b";
    let direct = call(&mut session, "sp_cursoropen", vec![number(0), text(two), number(8), number(0x2001), number(0)]);
    assert!(direct.contains("Executing SQL directly") && direct.contains("[b int]\n2\n"), "{direct}");
    let refused = call(&mut session, "sp_cursoropen", vec![number(0), text(two), number(8), number(1), number(0)]);
    assert!(refused.contains("Msg 16937"), "{refused}");
}

/// SET FMTONLY and the description of results run nothing.
#[test]
fn a_text_that_does_not_end_is_described_all_the_same() {
    let mut session = session();
    session.batch("CREATE TABLE e (a INT)", &mut Transcript::default());
    let endless = text("WHILE NOT EXISTS (SELECT 1 FROM e) INSERT INTO e VALUES (1)");
    let seen = call(&mut session, "sp_describe_first_result_set", vec![endless]);
    assert!(seen.contains("11513"), "{seen}");
    let help = {
        session.batch("CREATE TABLE t (n INT IDENTITY(3, 2) PRIMARY KEY)", &mut Transcript::default());
        call(&mut session, "sp_help", vec![text("dbo.t")])
    };
    assert!(help.contains("\nn | int | no | 4 | 10    | 0     | no | (n/a) | (n/a) | NULL\n"), "{help}");
    assert!(help.contains("\nn | 3 | 2 | 0\n") && help.contains("PRIMARY KEY (clustered)"), "{help}");
}
