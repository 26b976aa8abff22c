//! Limits of statements inside of routines: time, cancellation, memory and depth; statements of routines as transactions.

mod common;

use common::{Client, Shop};
use mainstay_types::Value;
use std::time::{Duration, Instant};

const ENDLESS: &str = "CREATE PROCEDURE endless() DEFINE i INT; LET i = 0; LOOP LET i = 1 - i; END LOOP; END PROCEDURE";
const ENDLESS_FUNCTION: &str = "CREATE FUNCTION endless_f(a INT) RETURNING INT; DEFINE i INT; LET i = 0; LOOP LET i = 1 - i; END LOOP; RETURN a; \
     END FUNCTION";

fn ends_in_time(session: &mut Client, text: &str) {
    let began = Instant::now();
    assert_eq!(session.fails(text).0, -213, "{text}");
    assert!(began.elapsed() < Duration::from_secs(20), "{text}: {:?}", began.elapsed());
}

#[test]
fn the_time_of_a_statement_ends_the_loops_of_its_routines() {
    let shop = Shop::limited(Some(Duration::from_millis(300)), None);
    let mut session = shop.session();
    session.run("CREATE TABLE t (a INT)");
    session.run("INSERT INTO t VALUES (1)");
    session.run(ENDLESS);
    session.run(ENDLESS_FUNCTION);
    session
        .run("CREATE PROCEDURE counting() DEFINE i INT; LOOP SELECT COUNT(*) INTO i FROM t; END LOOP; END PROCEDURE");
    session.run(
        "CREATE PROCEDURE caught() DEFINE i INT; LET i = 0; LOOP BEGIN ON EXCEPTION END EXCEPTION; LET i = 1 / 0; END \
         END LOOP; END PROCEDURE",
    );
    session.run("CREATE TRIGGER endless_t INSERT ON t BEFORE (EXECUTE PROCEDURE endless())");
    for text in [
        "EXECUTE PROCEDURE endless()",
        "EXECUTE PROCEDURE counting()",
        "EXECUTE PROCEDURE caught()",
        "SELECT endless_f(a) FROM t",
        "SELECT a FROM t WHERE endless_f(a) = 1",
        "INSERT INTO t VALUES (2)",
    ] {
        ends_in_time(&mut session, text);
        // The session goes on, and nothing of the statement is left.
        assert_eq!(session.run("SELECT a FROM t"), ["1"], "{text}");
    }
    session.run("BEGIN WORK");
    session.run("UPDATE t SET a = 5");
    ends_in_time(&mut session, "INSERT INTO t VALUES (3)");
    assert_eq!(session.run("SELECT a FROM t"), ["5"]);
    session.run("ROLLBACK WORK");
    assert_eq!(session.run("SELECT a FROM t"), ["1"]);
}

#[test]
fn a_cancellation_ends_the_loops_of_routines() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a INT)");
    session.run("INSERT INTO t VALUES (1)");
    session.run(ENDLESS);
    session.run(ENDLESS_FUNCTION);
    for text in ["EXECUTE PROCEDURE endless()", "SELECT endless_f(a) FROM t"] {
        let cancel = session.0.canceller();
        let canceller = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            cancel.cancel();
        });
        ends_in_time(&mut session, text);
        canceller.join().unwrap();
        assert_eq!(session.run("SELECT a FROM t"), ["1"]);
    }
}

#[test]
fn texts_of_routines_keep_to_the_memory_of_statements() {
    let shop = Shop::limited(None, Some(64 << 20));
    let mut session = shop.session();
    session.run(
        "CREATE FUNCTION many() RETURNING LVARCHAR(30000); DEFINE t LVARCHAR(30000); DEFINE i INT; LET t = RPAD('x', 30000); \
         LOOP RETURN t WITH RESUME; END LOOP; END FUNCTION",
    );
    assert_eq!(session.fails("EXECUTE FUNCTION many()").0, -208);
    assert_eq!(session.run("SELECT FIRST 1 1 FROM systables"), ["1"]);
}

#[test]
fn a_function_that_calls_itself_through_queries_ends_with_665() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a INT)");
    session.run("INSERT INTO t VALUES (1)");
    // The second text replaces the first one, which makes the name known.
    session.run("CREATE FUNCTION deep(a INT) RETURNING INT; RETURN a; END FUNCTION");
    session.run(
        "CREATE OR REPLACE FUNCTION deep(n INT) RETURNING INT; DEFINE r INT; SELECT deep(n + 1) INTO r FROM t; RETURN r; \
         END FUNCTION",
    );
    let (number, _, subject) = session.fails("SELECT deep(a) FROM t");
    assert_eq!((number, subject.contains("deep")), (-665, true), "{subject}");
    assert!(!subject.contains("mssql"), "{subject}");
    assert_eq!(session.fails("EXECUTE FUNCTION deep(1)").0, -665);
}

/// In a logged database that is not ANSI-compliant each statement without BEGIN WORK is a transaction of its own, those of
/// routines too: "Issuing COMMIT WORK in a Database That Is Not ANSI Compliant" and "Transactions in SPL Routines", Guide to
/// SQL: Syntax.
#[test]
fn statements_of_a_routine_are_transactions_of_their_own() {
    let shop = Shop::new();
    let (mut session, mut other) = (shop.session(), shop.session());
    session.run("CREATE TABLE t (a INT PRIMARY KEY)");
    session.run(
        "CREATE PROCEDURE two() INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); INSERT INTO t VALUES (2); END PROCEDURE",
    );
    assert_eq!(session.fails("EXECUTE PROCEDURE two()").0, -268);
    assert_eq!(other.run("SELECT a FROM t ORDER BY a"), ["1", "2"]);
    session.run("DELETE FROM t");
    session.run("BEGIN WORK");
    assert_eq!(session.fails("EXECUTE PROCEDURE two()").0, -268);
    assert_eq!(other.run("SELECT COUNT(*) FROM t"), ["0"]);
    session.run("ROLLBACK WORK");
    session.run(
        "CREATE PROCEDURE whole() BEGIN WORK; INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); COMMIT WORK; END PROCEDURE",
    );
    session.run("EXECUTE PROCEDURE whole()");
    assert_eq!(other.run("SELECT COUNT(*) FROM t"), ["2"]);
}

#[test]
fn substrings_outside_of_a_variable_are_refused() {
    let shop = Shop::new();
    let mut session = shop.session();
    let create = |range: &str| format!("CREATE PROCEDURE p() DEFINE c CHAR(5); LET c{range} = 'x'; END PROCEDURE");
    for (range, number) in
        [("[2,99999999]", -306), ("[2,4294967295]", -306), ("[6]", -306), ("[3,2]", -307), ("[0,2]", -307)]
    {
        assert_eq!(session.fails(&create(range)).0, number, "{range}");
    }
    session.run("CREATE FUNCTION p() RETURNING CHAR(5); DEFINE c CHAR(5); LET c = 'abcde'; LET c[5] = 'x'; RETURN c; END FUNCTION");
    assert_eq!(session.run("EXECUTE FUNCTION p()"), ["abcdx"]);
}

#[test]
fn parameters_of_expressions_are_numbers() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a INT, p DECIMAL(8,2))");
    session.run("INSERT INTO t VALUES (3, 1.50)");
    let number = |text: &str| Value::Decimal(text.parse().unwrap());
    for (text, values, expected) in [
        ("SELECT a FROM t WHERE a + ? > 4", vec![Value::Integer(2)], "3"),
        ("SELECT a FROM t WHERE a * 2 = ? + 1", vec![Value::Integer(5)], "3"),
        ("SELECT a FROM t WHERE ABS(?) = a", vec![Value::Integer(-3)], "3"),
        ("SELECT a FROM t WHERE ? > 1", vec![number("1.5")], "3"),
        ("SELECT a FROM t WHERE p * ? = 3", vec![Value::Text("2".to_owned())], "3"),
        ("SELECT a FROM t WHERE -? = p", vec![number("-1.5")], "3"),
    ] {
        assert_eq!(session.run_with(text, &values), [expected], "{text}");
    }
    assert_eq!(session.run_with("SELECT ?::INT + 1 FROM t", &[Value::Integer(4)]), ["5"]);
    assert_eq!(session.run_with("SELECT ? || 'x' FROM t", &[Value::Text("a".to_owned())]), ["ax"]);
    let typed = session.prepare("SELECT a FROM t WHERE ?::DATE = TODAY AND ? + 1 > 0");
    let names: Vec<String> =
        typed.parameters.into_iter().map(|known| known.declared.unwrap().name.into_owned()).collect();
    assert_eq!(names, ["date", "decimal"]);
}

/// Values by the examples of "Expressions" in the Guide to SQL: Syntax, or by hand.
#[test]
fn functions_of_texts_numbers_and_dates() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a INT, s VARCHAR(20), d DATE)");
    session.run("INSERT INTO t VALUES (6, 'mainstay', MDY(5, 17, 2024))");
    session.run("INSERT INTO t VALUES (16, 'x', MDY(12, 31, 2024))");
    for (value, expected) in [
        ("LEFT(s, 4)", "main"),
        ("RIGHT(s, 4)", "stay"),
        ("CHARINDEX('stay', s)", "5"),
        ("'a' || SPACE(2) || 'b'", "a  b"),
        ("QUARTER(d)", "2"),
        ("BITAND(a, 3)", "2"),
        ("BITOR(a, 9)", "15"),
        ("SIGN(-a)", "-1"),
        ("MOD(a, 4)", "2"),
        ("LAST_DAY(d)", "DATE '2024-05-31'"),
        ("ADD_MONTHS(d, 9)", "DATE '2025-02-17'"),
        ("ADD_MONTHS(MDY(1, 31, 2024), 1)", "DATE '2024-02-29'"),
        ("ADD_MONTHS(MDY(2, 29, 2024), 1)", "DATE '2024-03-31'"),
        ("ADD_MONTHS(MDY(1, 30, 2023), 1)", "DATE '2023-02-28'"),
        ("ROUND(ROOT(a + 3))", "3"),
        ("TO_CHAR(d, '%Y/%m/%d')", "2024/05/17"),
    ] {
        let found = session.run(&format!("SELECT {value} FROM t WHERE a = 6"));
        assert_eq!(found, [expected], "{value}");
    }
    assert_eq!(session.run("SELECT RANGE(a) FROM t"), ["10"]);
}

#[test]
fn the_catalog_is_read_when_a_query_is_executed() {
    let shop = Shop::new();
    let (mut session, mut other) = (shop.session(), shop.session());
    let find = session.prepare("SELECT tabname FROM systables WHERE tabname = ?");
    let found = |session: &mut Client, name: &str| {
        let mainstay_session::Ran::Rows(mut rows) =
            session.0.execute(find.id, &[Value::Text(name.to_owned())]).unwrap()
        else {
            panic!("no rows")
        };
        rows.next().unwrap().is_some()
    };
    assert!(!found(&mut session, "later"));
    other.run("CREATE TABLE later (a INT CHECK (a > 0 AND a < 1000000 AND a <> 77777777))");
    assert!(found(&mut session, "later"));
    session.run("BEGIN WORK");
    session.run("CREATE TABLE own (a INT)");
    assert!(found(&mut session, "own"));
    assert_eq!(other.run("SELECT tabname FROM systables WHERE tabname = 'own'"), Vec::<String>::new());
    session.run("ROLLBACK WORK");
    assert!(!found(&mut session, "own"));
    let checks = session.run(
        "SELECT c.seqno, c.checktext FROM syschecks c, sysconstraints n WHERE c.constrid = n.constrid AND c.type = 'T' ORDER BY 1",
    );
    assert!(checks.len() >= 2 && checks[0].starts_with("0|") && checks.concat().contains("77777777"), "{checks:?}");
    assert_eq!(session.run("SELECT 1 + 1 FROM sysmaster:sysdual"), ["2"]);
}
