//! Calls as drivers make them: texts with parameters, prepared handles.

mod common;

use common::Transcript;
use mainstay_engine::Database;
use mainstay_session::push::{
    self, Backend as _, BulkRows, Call, Client, Command, DoneKind, Login, Message, Parameter, ParameterValue,
    Session as _, TableValue,
};
use mainstay_tsql_runtime::{Column, Instance, Session};
use mainstay_tsql_types::{DataType, Length};
use mainstay_types::Value;

fn parameter(name: &str, data_type: DataType, value: Value) -> Parameter {
    Parameter {
        name: name.to_owned(),
        output: false,
        default: false,
        declared: data_type.declared(),
        value: ParameterValue::Single(value),
    }
}

fn column(name: &str, data_type: DataType) -> push::Column {
    (&Column::new(name, data_type)).into()
}

/// A login of a driver that speaks ODBC.
fn login() -> Login {
    Login { user: "sa".to_owned(), has_standard_settings: true, ..Login::default() }
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
    let call = Call { procedure: procedure.to_owned(), parameters };
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

/// The meaning of a text depends on its parameters' types, and on how quotes are read.
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
    // KEYSET with parameters.
    let opened = call(
        &mut session,
        "sp_cursoropen",
        vec![number(0), text(statement), number(0x1001), number(4), number(0), text("@from INT"), int(1)],
    );
    assert!(opened.starts_with("[n int | ROWSTAT int]\n(0 rows)\nstatus 0\n"), "{opened}");
    let values: Vec<&str> = opened.lines().filter(|line| line.starts_with(" = ")).collect();
    assert_eq!(values[1..], [" = 1", " = 4", " = 3"], "{opened}");
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

/// A keyset cursor over this table, for changes; its number.
fn keyset(session: &mut Session, statement: &str, concurrency: i64) -> i64 {
    let parameters = vec![number(0), text(statement), number(1), number(concurrency), number(0)];
    let opened = call(session, "sp_cursoropen", parameters);
    let values: Vec<&str> = opened.lines().filter(|line| line.starts_with(" = ")).collect();
    assert_eq!(values[1..3], [" = 1", &format!(" = {concurrency}")], "{opened}");
    given(&opened)
}

fn named(name: &str, value: Parameter) -> Parameter {
    Parameter { name: name.to_owned(), ..value }
}

fn answer(session: &mut Session, text: &str) -> String {
    let mut transcript = Transcript::default();
    session.batch(text, &mut transcript);
    transcript.text
}

/// Updates, deletes and inserts through a cursor, by the row within those fetched last.
#[test]
fn rows_are_changed_through_cursors() {
    let mut session = session();
    let table = "CREATE TABLE t (n INT PRIMARY KEY, s NVARCHAR(20), CHECK (s <> 'no'));
                 INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL), (4, 'd')";
    answer(&mut session, table);
    let cursor = keyset(&mut session, "SELECT s, n AS number, n * 2 AS twice FROM t ORDER BY n", 4);
    let fetch = |session: &mut Session, kind: i64, row: i64, count: i64| {
        call(session, "sp_cursorfetch", vec![int(cursor), int(kind), int(row), int(count)])
    };
    let change = |session: &mut Session, operation: i64, row: i64, values: Vec<Parameter>| {
        let mut parameters = vec![int(cursor), int(operation), int(row), text("")];
        parameters.extend(values);
        call(session, "sp_cursor", parameters)
    };
    let none = change(&mut session, 1, 1, vec![named("@s", text("x"))]);
    assert!(none.contains("Msg 16931"), "{none}");
    fetch(&mut session, 2, 0, 3);
    assert_eq!(change(&mut session, 0x21, 2, vec![named("@s", text("bb"))]), "(1 rows affected)\nstatus 0\n");
    assert_eq!(change(&mut session, 0x21, 3, vec![named("@s", text("cc"))]), "(1 rows affected)\nstatus 0\n");
    assert_eq!(change(&mut session, 0x22, 1, Vec::new()), "(1 rows affected)\nstatus 0\n");
    // As SQL Server's manual has it: the values as a text.
    assert_eq!(change(&mut session, 1, 3, vec![text("UPDATE t SET s = s + 'C'")]), "(1 rows affected)\nstatus 0\n");
    let again = fetch(&mut session, 0x80, 0, 3);
    assert!(again.ends_with("\na | 1 | 2 | 2\nbb | 2 | 4 | 1\nccC | 3 | 6 | 1\n(3 rows)\nstatus 0\n"), "{again}");
    assert_eq!(answer(&mut session, "SELECT s FROM t ORDER BY n"), "[s nvarchar(20)]\nbb\nccC\nd\n(3 rows)\n");
    let refused = change(&mut session, 1, 2, vec![named("@s", text("no"))]);
    assert!(refused.contains("Msg 547"), "{refused}");
    let added = change(&mut session, 4, 0, vec![named("@n", int(9)), named("@s", text("z"))]);
    assert_eq!(added, "(1 rows affected)\nstatus 0\n");
    let last = fetch(&mut session, 8, 0, 1);
    assert!(last.contains("\nz | 9 | 18 | 1\n"), "{last}");
    // The row is counted from the first, the key is set, and the row is found under its new one.
    assert_eq!(change(&mut session, 0x41, 4, vec![named("@n", int(7))]), "(1 rows affected)\nstatus 0\n");
    assert!(fetch(&mut session, 0x10, 4, 1).contains("\nd | 7 | 14 | 1\n"));
    let unknown = change(&mut session, 1, 9, vec![named("@s", text("x"))]);
    assert!(unknown.contains("Msg 16930"), "{unknown}");
    let other = vec![int(cursor), int(2), int(1), text("elsewhere")];
    assert!(call(&mut session, "sp_cursor", other).contains("Msg 16933"));
}

/// With OPTIMISTIC a row must be as it was fetched; with SCROLL_LOCKS only its key counts.
#[test]
fn rows_that_others_have_changed_are_not_overwritten() {
    let mut session = session();
    answer(&mut session, "CREATE TABLE t (s VARCHAR(20), n INT); INSERT INTO t VALUES ('a', 1), ('b', 2)");
    let change = |session: &mut Session, cursor: i64, operation: i64, value: &str| {
        let values = if operation & 2 == 0 { vec![named("@s", text(value))] } else { Vec::new() };
        call(session, "sp_cursor", [vec![int(cursor), int(operation), int(1), text("t")], values].concat())
    };
    for concurrency in [4, 2] {
        let cursor = keyset(&mut session, "SELECT * FROM t WHERE n = 2", concurrency);
        call(&mut session, "sp_cursorfetch", vec![int(cursor), int(2), int(0), int(1)]);
        answer(&mut session, "UPDATE t SET s = 'B' WHERE n = 2");
        let seen = change(&mut session, cursor, 1, "mine");
        match concurrency {
            4 => assert!(seen.contains("Optimistic concurrency check failed") && seen.contains("Msg 16947"), "{seen}"),
            _ => assert_eq!(seen, "(1 rows affected)\nstatus 0\n"),
        }
        answer(&mut session, "UPDATE t SET s = 'b' WHERE n = 2");
    }
    let cursor = keyset(&mut session, "SELECT s FROM t WHERE n = 2", 4);
    answer(&mut session, "DELETE FROM t WHERE n = 2");
    let gone = call(&mut session, "sp_cursorfetch", vec![int(cursor), int(2), int(0), int(1)]);
    assert!(gone.contains("\nb | 2\n"), "{gone}");
    assert!(change(&mut session, cursor, 2, "").contains("Msg 16947"));
    // A group's rows are none of the table's.
    let grouped = "SELECT COUNT(*) AS c FROM t";
    let opened = call(&mut session, "sp_cursoropen", vec![number(0), text(grouped), number(1), number(4), number(0)]);
    let values: Vec<&str> = opened.lines().filter(|line| line.starts_with(" = ")).collect();
    assert_eq!(values[1..], [" = 8", " = 1", " = 1"], "{opened}");
    call(&mut session, "sp_cursorfetch", vec![int(given(&opened)), int(2), int(0), int(1)]);
    assert!(change(&mut session, given(&opened), 2, "").contains("Msg 16929"));
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
    assert!(help.contains("\nNo rowguidcol column defined.\n"), "{help}");
    assert!(help.contains("\nn | 3 | 2 | 0\n") && help.contains("PRIMARY KEY (clustered)"), "{help}");
}

/// The target of a call within a procedure is kept from run to run.
#[test]
fn procedures_call_the_systems_again_and_again() {
    let mut session = session();
    let made = "CREATE PROCEDURE p @n INT AS EXEC sp_executesql N'SELECT @x * 2 AS d', N'@x INT', @n";
    session.batch(made, &mut Transcript::default());
    for value in 1..4 {
        let seen = call(&mut session, "p", vec![int(value)]);
        assert!(seen.contains(&format!("\n{}\n", value * 2)), "{seen}");
    }
}

/// Rows that a client sends.
struct Sent(std::vec::IntoIter<Vec<Value>>, Vec<Value>);

impl BulkRows for Sent {
    fn next_row(&mut self) -> Result<Option<&[Value]>, Message> {
        Ok(self.0.next().map(|row| {
            self.1 = row;
            self.1.as_slice()
        }))
    }
}

#[test]
fn a_bulk_load_fills_in_defaults_unless_it_keeps_nulls() {
    let mut session = session();
    session.batch(
        "CREATE TABLE t (id INT PRIMARY KEY, n INT DEFAULT 7, s VARCHAR(5) DEFAULT 'x', u INT)",
        &mut Transcript::default(),
    );
    let columns = [
        ("id", DataType::Int),
        ("n", DataType::Int),
        ("s", DataType::varchar(Length::Limited(5))),
        ("u", DataType::Int),
    ];
    let columns: Vec<push::Column> = columns.into_iter().map(|(name, data_type)| column(name, data_type)).collect();
    let mut load = |words: &str, id: i64| {
        session
            .batch(&format!("INSERT BULK t (id INT, n INT, s VARCHAR(5), u INT){words}"), &mut Transcript::default());
        let rows = vec![
            vec![Value::Integer(id), Value::Null, Value::Text("a".to_owned()), Value::Null],
            vec![Value::Integer(id + 1), Value::Integer(1), Value::Null, Value::Integer(2)],
        ];
        session.bulk_insert(&columns, &mut Sent(rows.into_iter(), Vec::new()), &mut Transcript::default());
    };
    load("", 1);
    load(" WITH (KEEP_NULLS, TABLOCK, CHECK_CONSTRAINTS)", 3);
    let mut seen = Transcript::default();
    session.batch("SELECT * FROM t", &mut seen);
    assert!(
        seen.text.contains("\n1 | 7 | a | NULL\n2 | 1 | x | 2\n3 | NULL | a | NULL\n4 | 1 | NULL | 2\n"),
        "{}",
        seen.text
    );
}

/// Programs of ODBC name their cursors and change rows by these names.
#[test]
fn a_named_cursor_of_a_driver_is_one_for_where_current_of() {
    let mut session = session();
    answer(
        &mut session,
        "CREATE TABLE t (n INT PRIMARY KEY, s VARCHAR(20)); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')",
    );
    let cursor = keyset(&mut session, "SELECT n, s FROM t ORDER BY n", 4);
    let named = call(&mut session, "sp_cursoroption", vec![int(cursor), int(2), text("SQL_CUR1")]);
    assert_eq!(named, "status 0\n");
    let early = answer(&mut session, "UPDATE t SET s = 'x' WHERE CURRENT OF SQL_CUR1");
    assert!(early.contains("Msg 16931"), "{early}");
    call(&mut session, "sp_cursorfetch", vec![int(cursor), int(2), int(0), int(1)]);
    call(&mut session, "sp_cursorfetch", vec![int(cursor), int(2), int(0), int(1)]);
    let changed = answer(&mut session, "UPDATE t SET s = 'bb' WHERE CURRENT OF SQL_CUR1");
    assert!(changed.starts_with("(1 rows affected)"), "{changed}");
    call(&mut session, "sp_cursorfetch", vec![int(cursor), int(2), int(0), int(1)]);
    let gone = answer(&mut session, "DELETE FROM t WHERE CURRENT OF [sql_cur1]");
    assert!(gone.starts_with("(1 rows affected)"), "{gone}");
    assert_eq!(answer(&mut session, "SELECT * FROM t"), "[n int | s varchar(20)]\n1 | a\n2 | bb\n(2 rows)\n");
    let other = answer(&mut session, "DELETE FROM t WHERE CURRENT OF nobody");
    assert!(other.contains("Msg 16916"), "{other}");
}

/// A key that neither the client nor an identity gives is not that of the last row that was counted.
#[test]
fn a_row_that_is_put_in_through_a_cursor_is_not_another_one() {
    let mut session = session();
    answer(
        &mut session,
        "CREATE TABLE c (i INT IDENTITY); CREATE TABLE t (n INT DEFAULT 5 PRIMARY KEY, s VARCHAR(5)); INSERT INTO t VALUES (1, 'a')",
    );
    let cursor = keyset(&mut session, "SELECT n, s FROM t ORDER BY n", 4);
    answer(&mut session, "INSERT INTO c DEFAULT VALUES");
    let added = call(&mut session, "sp_cursor", vec![int(cursor), int(4), int(0), text(""), named("@s", text("z"))]);
    assert_eq!(added, "(1 rows affected)\nstatus 0\n");
    let all = call(&mut session, "sp_cursorfetch", vec![int(cursor), int(1), int(0), int(5)]);
    assert_eq!(all.matches("\n1 | a").count(), 1, "{all}");
}

/// A result ends by a token of its own, or clients take the columns of the next one for a broken answer.
#[test]
fn results_of_procedures_end_each_without_counts_too() {
    let mut session = session();
    session.batch("CREATE TABLE t (n INT PRIMARY KEY)", &mut Transcript::default());
    let body = "SET NOCOUNT ON; DECLARE @n INT; SELECT @n = 1; INSERT INTO t VALUES (1); \
                SELECT 1 AS a; SELECT n FROM t; DELETE t OUTPUT deleted.n; DELETE t; EXEC('SELECT 4 AS d')";
    session.batch(&format!("CREATE PROCEDURE results AS {body}"), &mut Transcript::default());
    let mut transcript = Transcript::default();
    session.batch("EXEC results", &mut transcript);
    let ends: Vec<_> = transcript.ends.iter().filter(|end| end.kind == DoneKind::InProcedure).collect();
    let commands: Vec<Command> = ends.iter().map(|end| end.command).collect();
    assert_eq!(commands, [Command::Select, Command::Select, Command::Delete, Command::Select], "{}", transcript.text);
    assert!(ends.iter().all(|end| end.count.is_none()), "{ends:?}");
}

/// Drivers read properties of a result's columns: bulk copies leave out those that the table fills, data sets need to
/// know which may be NULL.
#[test]
fn columns_of_results_say_what_their_tables_know() {
    let mut session = session();
    let setup = "CREATE TABLE t (id INT IDENTITY PRIMARY KEY, n INT, m INT NOT NULL, twice AS n * 2);
                 CREATE TABLE u (id INT PRIMARY KEY)";
    session.batch(setup, &mut Transcript::default());
    let mut flags = |query: &str| {
        let mut transcript = Transcript::default();
        session.batch(query, &mut transcript);
        let flag = |column: &Column| {
            let flags =
                [('i', column.identity), ('c', column.computed), ('u', column.updatable), ('n', column.nullable)];
            flags.iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| *flag).collect::<String>()
        };
        transcript.columns.iter().map(flag).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(flags("SELECT * FROM t"), "i un u cn");
    assert_eq!(flags("SET FMTONLY ON SELECT * FROM t SET FMTONLY OFF"), "i un u cn");
    assert_eq!(flags("SELECT x.m, m + 1, x.id FROM t AS x JOIN u ON u.id = x.id WHERE x.n > 1"), "u n i");
    assert_eq!(flags("SELECT t.m, u.id FROM t LEFT JOIN u ON u.id = t.id"), "un un");
    assert_eq!(flags("SELECT m FROM t GROUP BY ROLLUP (m)"), "un");
    assert_eq!(flags("WITH t AS (SELECT 1 AS m) SELECT m FROM t"), "n");
    assert_eq!(flags("SELECT id FROM t FOR JSON PATH"), "n");
}

/// ODBC sends a table without rows without its columns too.
#[test]
fn an_empty_table_is_one_of_its_type() {
    let mut session = session();
    session.batch("CREATE TYPE Numbers AS TABLE (n INT PRIMARY KEY, t NVARCHAR(9))", &mut Transcript::default());
    let body = "CREATE PROCEDURE listed @all Numbers READONLY AS SELECT n, t FROM @all SELECT COUNT(*) AS c FROM @all";
    session.batch(body, &mut Transcript::default());
    for (name, of, default) in [("", "Numbers", false), ("", "", false), ("@ALL", "", true)] {
        let table = TableValue { name: of.to_owned(), ..TableValue::default() };
        let parameter = Parameter { value: ParameterValue::Table(table), name: name.to_owned(), default, ..text("") };
        let seen = call(&mut session, "listed", vec![parameter]);
        assert!(seen.starts_with("[n int | t nvarchar(9)]\n") && seen.contains("\n0\n"), "{seen}");
    }
}

/// A load with numbers of its own for the identity column: the next row has the number behind them.
#[test]
fn numbers_that_a_load_brings_are_passed() {
    let mut session = session();
    session.batch("CREATE TABLE t (id INT IDENTITY(10, 5) PRIMARY KEY, n INT)", &mut Transcript::default());
    session.batch("INSERT BULK t (id INT, n INT)", &mut Transcript::default());
    let columns = [column("id", DataType::Int), column("n", DataType::Int)];
    let rows = [200, 100].map(|id| vec![Value::Integer(id), Value::Integer(1)]).to_vec();
    session.bulk_insert(&columns, &mut Sent(rows.into_iter(), Vec::new()), &mut Transcript::default());
    let mut transcript = Transcript::default();
    session.batch("INSERT t VALUES (2); SELECT MAX(id) AS id FROM t", &mut transcript);
    assert!(transcript.text.contains("\n205\n"), "{}", transcript.text);
}

/// The errors of a load are those of an INSERT.
#[test]
fn rows_that_a_load_cannot_put_in_are_explained() {
    let mut session = session();
    let setup = "CREATE TABLE t (n INT NOT NULL CONSTRAINT UQ_n UNIQUE, m INT CONSTRAINT CK_m CHECK (m < 100))";
    session.batch(setup, &mut Transcript::default());
    let mut load = |rows: &[[Value; 2]]| {
        session.batch("INSERT BULK t (n INT, m INT)", &mut Transcript::default());
        let columns = [column("n", DataType::Int), column("m", DataType::Int)];
        let rows: Vec<Vec<Value>> = rows.iter().map(|row| row.to_vec()).collect();
        let mut transcript = Transcript::default();
        session.bulk_insert(&columns, &mut Sent(rows.into_iter(), Vec::new()), &mut transcript);
        transcript.text
    };
    let (one, high) = (Value::Integer(1), Value::Integer(500));
    let twice = load(&[[one.clone(), one.clone()], [one.clone(), one.clone()]]);
    assert!(twice.contains("2627") && twice.contains("UNIQUE KEY constraint 'UQ_n'"), "{twice}");
    let checked = load(&[[one.clone(), high]]);
    assert!(checked.contains("547") && checked.contains("conflicted with the CHECK constraint \"CK_m\""), "{checked}");
    let null = load(&[[Value::Null, one]]);
    assert!(null.contains("515") && null.contains("Cannot insert the value NULL into column 'n'"), "{null}");
}

/// Triggers run where the load requests it, once for all of its rows, with the values of defaults and identities; an
/// error in one rolls the rows back.
#[test]
fn a_load_fires_triggers_where_it_says_so() {
    let mut session = session();
    for setup in [
        "CREATE TABLE t (id INT IDENTITY(5, 1), n INT, m INT DEFAULT 9) CREATE TABLE log (text VARCHAR(50))
         CREATE TABLE v (n INT)",
        "CREATE TRIGGER trg ON t AFTER INSERT AS
         INSERT log SELECT CONCAT(COUNT(*), ' ', MIN(id), ' ', SUM(n), ' ', SUM(m)) FROM inserted
         IF EXISTS (SELECT 1 FROM inserted WHERE n < 0) THROW 50001, 'below nothing', 1",
        "CREATE TRIGGER instead ON v INSTEAD OF INSERT AS RETURN",
    ] {
        session.batch(setup, &mut Transcript::default());
    }
    let mut load = |table: &str, words: &str, rows: &[i64]| {
        let mut transcript = Transcript::default();
        session.batch(&format!("INSERT BULK {table} (n INT){words}"), &mut transcript);
        let columns = [column("n", DataType::Int)];
        let rows: Vec<Vec<Value>> = rows.iter().map(|n| vec![Value::Integer(*n)]).collect();
        session.bulk_insert(&columns, &mut Sent(rows.into_iter(), Vec::new()), &mut transcript);
        let seen = "SELECT (SELECT COUNT(*) FROM t) AS t, @@TRANCOUNT AS open_ones, text FROM log";
        session.batch(seen, &mut transcript);
        transcript.text
    };
    let silent = load("t", " WITH (CHECK_CONSTRAINTS)", &[1, 2]);
    assert!(silent.ends_with("(0 rows)\n"), "{silent}");
    let fired = load("t", " WITH (CHECK_CONSTRAINTS, FIRE_TRIGGERS)", &[3, 4, 5]);
    assert!(fired.contains("\n5 | 0 | 3 7 12 27\n(1 rows)"), "{fired}");
    let failed = load("t", " WITH (FIRE_TRIGGERS)", &[6, -1]);
    assert!(failed.contains("50001") && failed.contains("\n5 | 0 | 3 7 12 27\n(1 rows)"), "{failed}");
    let instead = load("v", " WITH (FIRE_TRIGGERS)", &[1]);
    assert!(instead.contains("40515"), "{instead}");
}

/// A load is one statement: rows that it inserted before it fails are rolled back, and the transaction goes on.
#[test]
fn a_load_that_fails_in_a_transaction_leaves_none_of_its_rows() {
    let mut session = session();
    session.batch("CREATE TABLE t (n INT UNIQUE) BEGIN TRAN INSERT t VALUES (7)", &mut Transcript::default());
    session.batch("INSERT BULK t (n INT)", &mut Transcript::default());
    let rows = [1, 2, 2].map(|n| vec![Value::Integer(n)]);
    let mut transcript = Transcript::default();
    let columns = [column("n", DataType::Int)];
    session.bulk_insert(&columns, &mut Sent(Vec::from(rows).into_iter(), Vec::new()), &mut transcript);
    assert!(transcript.text.contains("2627"), "{}", transcript.text);
    let mut transcript = Transcript::default();
    session.batch("SELECT @@TRANCOUNT AS deep, COUNT(*) AS n, MAX(n) AS most FROM t COMMIT", &mut transcript);
    assert!(transcript.text.contains("\n1 | 1 | 7\n"), "{}", transcript.text);
}

/// Texts of UTF-16 become those of their column's code page, and what it has no room for is refused.
#[test]
fn a_load_converts_texts_to_the_code_page_of_their_column() {
    let mut session = session();
    let setup = "CREATE TABLE t (s VARCHAR(4) COLLATE Polish_CI_AS, d VARCHAR(4))";
    session.batch(setup, &mut Transcript::default());
    let mut load = |word: &str| {
        session.batch("INSERT BULK t (s NVARCHAR(10), d NVARCHAR(10))", &mut Transcript::default());
        let columns = ["s", "d"].map(|name| column(name, DataType::NVarChar(Length::Limited(10))));
        let rows = vec![vec![Value::Text(word.to_owned()), Value::Text(word.to_owned())]];
        let mut transcript = Transcript::default();
        session.bulk_insert(&columns, &mut Sent(rows.into_iter(), Vec::new()), &mut transcript);
        session.batch("SELECT s, d, CAST(s AS VARBINARY(4)) AS b FROM t", &mut transcript);
        transcript.text
    };
    assert!(load("Łódź").contains("\nŁódź | ?ód? | 0xA3F3649F\n"));
    let long = load("Łódźź");
    assert!(long.contains("2628") && long.contains("column 's'"), "{long}");
}

/// A table as drivers send it: its columns have no names.
fn table(name: &str, table_type: &str, types: &[DataType], rows: Vec<Vec<Value>>) -> Parameter {
    let columns: Vec<push::Column> = types.iter().map(|data_type| column("", *data_type)).collect();
    let defaulted = vec![false; columns.len()];
    let table = TableValue { schema: String::new(), name: table_type.into(), columns, defaulted, rows };
    let plain = parameter(name, DataType::Int, Value::Null);
    Parameter { value: ParameterValue::Table(table), ..plain }
}

fn pair(a: i64, b: &str) -> Vec<Value> {
    vec![Value::Integer(a), Value::Text(b.to_owned())]
}

const PAIR: [DataType; 2] = [DataType::Int, DataType::NVarChar(Length::Limited(20))];

fn instance_with_pairs() -> Instance {
    let instance = Instance::new(Database::in_memory().expect("a database in memory"), "test");
    let mut session = instance.session();
    answer(&mut session, "CREATE TYPE Pairs AS TABLE (a INT PRIMARY KEY, b NVARCHAR(20))");
    answer(&mut session, "CREATE PROCEDURE listed @t dbo.Pairs READONLY AS SELECT a, b FROM @t");
    instance
}

#[test]
fn a_table_is_taken_by_the_first_call_of_a_connection() {
    let mut session = instance_with_pairs().session();
    for (a, b) in [(1, "one"), (7, "seven")] {
        let seen = call(&mut session, "listed", vec![table("@t", "Pairs", &PAIR, vec![pair(a, b)])]);
        assert!(seen.contains(&format!("[a int | b nvarchar(20)]\n{a} | {b}\n(1 rows)")), "{seen}");
    }
}

#[test]
fn texts_with_parameters_take_tables() {
    let mut session = instance_with_pairs().session();
    for statement in ["SELECT a, b FROM @p", "EXEC listed @p"] {
        let sent = table("@p", "Pairs", &PAIR, vec![pair(3, "three")]);
        let seen = call(&mut session, "sp_executesql", vec![text(statement), text("@p dbo.Pairs READONLY"), sent]);
        assert!(seen.contains("\n3 | three\n"), "{statement}: {seen}");
    }
    let texts = "DECLARE @x Pairs; INSERT INTO @x VALUES (5, N'five'); \
                 EXEC sp_executesql N'SELECT a, b FROM @p', N'@p Pairs READONLY', @x";
    assert!(answer(&mut session, texts).contains("\n5 | five\n"));
}

#[test]
fn tables_are_of_their_types() {
    let mut session = instance_with_pairs().session();
    let mut listed = |types: &[DataType], rows| call(&mut session, "listed", vec![table("@t", "Pairs", types, rows)]);
    assert!(listed(&PAIR, vec![]).contains("(0 rows)"));
    // NULL, or no rows: the columns are not described.
    assert!(listed(&[], vec![]).contains("(0 rows)"));
    assert!(call(&mut session, "listed", vec![]).contains("(0 rows)"));
    let mut listed = |types: &[DataType], rows| call(&mut session, "listed", vec![table("@t", "Pairs", types, rows)]);
    assert!(listed(&PAIR, vec![pair(1, "one"), pair(1, "two")]).contains("Msg 2627"));
    assert!(listed(&PAIR[..1], vec![vec![Value::Integer(1)]]).contains("Msg 500"));
    // A client may leave the type to the server.
    assert!(call(&mut session, "listed", vec![table("", "", &PAIR, vec![pair(1, "one")])]).contains("\n1 | one\n"));
    let unknown = call(&mut session, "listed", vec![table("@t", "Triples", &PAIR, vec![])]);
    assert!(unknown.contains("Msg 2715"), "{unknown}");
}

/// A value that does not fit is reported as by an INSERT, with the parameter's name.
#[test]
fn rows_of_tables_that_do_not_fit_are_told_in_words_of_the_language() {
    let mut session = session();
    let setup = "CREATE TYPE Checked AS TABLE (a INT CHECK (a > 0), b NVARCHAR(3), c VARBINARY(2))";
    session.batch(setup, &mut Transcript::default());
    session.batch("CREATE PROCEDURE shown @t Checked READONLY AS SELECT a, b, c FROM @t", &mut Transcript::default());
    let texts = [
        DataType::NVarChar(Length::Limited(10)),
        DataType::NVarChar(Length::Limited(10)),
        DataType::VarBinary(Length::Max),
    ];
    let mut shown = |a: &str, b: &str, c: &[u8]| {
        let row = vec![Value::Text(a.into()), Value::Text(b.into()), Value::Binary(c.to_vec())];
        call(&mut session, "shown", vec![table("@t", "Checked", &texts, vec![row])])
    };
    assert!(shown("1", "abc", &[1, 2]).contains("\n1 | abc | 0x0102\n"));
    let long = shown("1", "abcd", &[]);
    assert!(long.contains("Msg 2628") && long.contains("table '@t', column 'b'"), "{long}");
    assert!(shown("1", "abc", &[1, 2, 3]).contains("Msg 2628"));
    let text = shown("one", "abc", &[]);
    assert!(text.contains("Msg 245") && text.contains("data type int"), "{text}");
    let check = shown("0", "abc", &[]);
    assert!(check.contains("Msg 547") && check.contains("@t") && !check.contains("@parameter"), "{check}");
}

/// Texts and bytes that are longer than their columns are reported as by an INSERT.
#[test]
fn a_load_does_not_cut_texts_and_bytes() {
    let mut session = session();
    session.batch("CREATE TABLE t (s NVARCHAR(3), b VARBINARY(2))", &mut Transcript::default());
    let mut load = |s: &str, b: &[u8]| {
        session.batch("INSERT BULK t (s NVARCHAR(10), b VARBINARY(10))", &mut Transcript::default());
        let types = [DataType::NVarChar(Length::Limited(10)), DataType::VarBinary(Length::Limited(10))];
        let columns = [("s", types[0]), ("b", types[1])].map(|(name, data_type)| column(name, data_type));
        let rows = vec![vec![Value::Text(s.to_owned()), Value::Binary(b.to_vec())]];
        let mut transcript = Transcript::default();
        session.bulk_insert(&columns, &mut Sent(rows.into_iter(), Vec::new()), &mut transcript);
        transcript.text
    };
    assert!(!load("abc", &[1, 2]).contains("Msg"));
    let long = load("abcd", &[1]);
    assert!(long.contains("Msg 2628") && long.contains("column 's'"), "{long}");
    let long = load("abc", &[1, 2, 3]);
    assert!(long.contains("Msg 2628") && long.contains("column 'b'"), "{long}");
}

/// A column that takes its default is not sent.
#[test]
fn tables_have_the_defaults_and_identities_of_their_types() {
    let mut session = session();
    answer(&mut session, "CREATE TYPE Lines AS TABLE (id INT IDENTITY(5, 1), a INT, s VARCHAR(9) DEFAULT 'none')");
    answer(&mut session, "CREATE PROCEDURE numbered @t Lines READONLY AS SELECT id, a, s FROM @t");
    let types = [DataType::Int, DataType::Int, DataType::varchar(Length::Limited(9))];
    let rows =
        vec![vec![Value::Null, Value::Integer(1), Value::Null], vec![Value::Null, Value::Integer(2), Value::Null]];
    let mut sent = table("@t", "Lines", &types, rows);
    if let ParameterValue::Table(table) = &mut sent.value {
        table.defaulted = vec![true, false, true];
    }
    let seen = call(&mut session, "numbered", vec![sent]);
    assert!(seen.contains("\n5 | 1 | none\n6 | 2 | none\n"), "{seen}");
}

/// A client of DB-Library has no option of the standard until it puts it on, and has none again after a reset.
#[test]
fn options_are_those_that_the_login_asks_for() {
    let instance = Instance::new(Database::in_memory().expect("a database in memory"), "test");
    let client = Client {
        session_id: 51,
        address: "127.0.0.1".to_owned(),
        encrypted: false,
        read_only: false,
        protocol_version: 0x7400_0004,
    };
    let begin = |login: Login| instance.log_in(&login, &client).expect("a session");
    let asked = "SELECT @@OPTIONS AS o, 'a' + NULL AS c, @@LANGUAGE AS l";
    let seen = |session: &mut Session, text: &str| {
        let mut transcript = Transcript::default();
        session.batch(text, &mut transcript);
        transcript.text
    };
    let mut driver = begin(login());
    assert!(seen(&mut driver, asked).contains("\n5432 | NULL | us_english\n"), "{}", seen(&mut driver, asked));
    let german = Login { has_standard_settings: false, language: "German".to_owned(), ..login() };
    let mut old = begin(german);
    assert!(seen(&mut old, asked).contains("\n0 | a | Deutsch\n"), "{}", seen(&mut old, asked));
    seen(&mut old, "SET CONCAT_NULL_YIELDS_NULL, ANSI_NULLS ON; SET LANGUAGE us_english");
    assert!(seen(&mut old, asked).contains("\n4128 | NULL | us_english\n"), "{}", seen(&mut old, asked));
    old.reset(false);
    assert!(seen(&mut old, asked).contains("\n0 | a | Deutsch\n"), "{}", seen(&mut old, asked));
}

/// A procedure that a client calls has the options of the session, whatever it was compiled for before.
#[test]
fn a_procedure_that_is_called_again_has_the_options_that_there_are() {
    let mut session = session();
    session.batch(
        "CREATE PROCEDURE p @a VARCHAR(5) AS SELECT 'x' + @a AS s, CAST('01/02/2003' AS DATE) AS d",
        &mut Transcript::default(),
    );
    let null = || vec![parameter("@a", DataType::VarChar(Length::Limited(5), Default::default()), Value::Null)];
    for _ in 0..2 {
        assert!(call(&mut session, "p", null()).contains("\nNULL | 2003-01-02\n"));
        session.batch("SET CONCAT_NULL_YIELDS_NULL OFF; SET DATEFORMAT dmy", &mut Transcript::default());
        assert!(call(&mut session, "p", null()).contains("\nx | 2003-02-01\n"));
        session.reset(false);
    }
}
