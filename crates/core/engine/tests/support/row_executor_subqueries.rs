//! Subqueries and earlier values of rows on the row executor, compared with the general executor.

use super::*;

/// The rows in an order of their own.
fn sorted(outcome: Outcome) -> Outcome {
    outcome.map(|mut rows| {
        rows.sort();
        rows
    })
}

/// Subqueries for one value, EXISTS and IN, and changes that show what rows were or what other tables have, are the row executor's
/// (faults tsql-17 and sql-05): a statement in a loop is planned once.
#[test]
fn subqueries_and_earlier_rows_are_for_the_row_executor() {
    let (mut fast, mut general) = (session(false), session(true));
    for statement in [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, s VARCHAR(10))",
        "CREATE TABLE u (id INTEGER PRIMARY KEY, n INTEGER NOT NULL, s VARCHAR(10))",
        "INSERT INTO t VALUES (1, 10, 'one'), (2, 20, 'two'), (3, 2, NULL), (4, NULL, 'four'), (5, 1, 'five')",
        "INSERT INTO u VALUES (1, 100, 'a'), (2, 200, NULL), (10, 300, 'c')",
    ] {
        fast.execute(statement).unwrap();
        general.execute(statement).unwrap();
    }
    for (text, parameter) in [
        ("SELECT (SELECT s FROM t WHERE id = $1)", 2),
        ("SELECT (SELECT n FROM u WHERE id = $1) AS n", 3),
        ("SELECT (SELECT n FROM u WHERE id = $1) AS n", 2),
        ("SELECT EXISTS (SELECT 1 FROM t WHERE id = $1)", 2),
        ("SELECT EXISTS (SELECT 1 FROM t WHERE id = $1)", 9),
        ("SELECT CASE WHEN (SELECT COUNT(*) FROM t WHERE id > $1) > 2 THEN 'many' ELSE 'few' END", 2),
        ("SELECT s FROM t WHERE id = (SELECT id FROM u WHERE n = 200 AND id = $1)", 2),
        ("SELECT id FROM t WHERE id = $1 AND EXISTS (SELECT 1 FROM u WHERE u.id = t.n)", 1),
        ("SELECT id FROM t WHERE id = $1 AND EXISTS (SELECT 1 FROM u WHERE u.id = t.n)", 2),
        ("SELECT id FROM t WHERE id <= $1 AND NOT EXISTS (SELECT 1 FROM u WHERE u.id = t.n)", 9),
        ("SELECT id FROM t WHERE id <= $1 AND n IN (SELECT id FROM u WHERE n > 150)", 9),
        (
            "SELECT COUNT(*), MAX(id) FROM t WHERE id <= $1 AND EXISTS (SELECT 1 FROM u WHERE u.id = t.n AND u.n < 250)",
            9,
        ),
        (
            "SELECT t.id, x.s FROM t JOIN u x ON x.id = t.n WHERE t.id <= $1 AND NOT EXISTS (SELECT 1 FROM u WHERE u.id = t.id)",
            9,
        ),
        ("UPDATE t SET n = (SELECT n FROM u WHERE id = $1) WHERE id = 2", 1),
        ("UPDATE t SET n = n + 1 WHERE id <= $1 AND EXISTS (SELECT 1 FROM u WHERE u.id = t.id)", 4),
        ("DELETE FROM t WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM u WHERE u.id = t.n)", 4),
        ("UPDATE t SET n = n + $1 WHERE id = 1 RETURNING old.n AS before, new.n AS after, s", 5),
        ("UPDATE t SET n = n + $1 WHERE id <= 3 RETURNING id, old.n AS before, new.n - old.n AS more", 5),
        ("UPDATE t SET n = 7 WHERE id = 1 RETURNING \"returning:before\"(n * $1) AS times, n", 3),
        ("UPDATE t SET s = u.s FROM u WHERE u.id = t.id AND t.id = $1 RETURNING u.n, old.s, t.s AS now", 1),
        ("DELETE FROM t USING u WHERE u.id = t.id AND t.id = $1 RETURNING t.id, u.n", 1),
    ] {
        let query = Query { text: text.to_owned(), parameters: vec![Value::Integer(parameter)] };
        let (found, executor) = rows(&mut fast, text, &query.parameters);
        assert_eq!(executor, Executor::Row, "{text}");
        // Rows of RETURNING come in no order.
        assert_eq!(sorted(found), sorted(executed(&mut general, &bound(&query))), "{text}");
        assert_eq!(
            executed(&mut fast, "SELECT * FROM t ORDER BY id"),
            executed(&mut general, "SELECT * FROM t ORDER BY id")
        );
    }
    // Two rows for one value, and a division that only a CASE keeps from being evaluated.
    let mut two = fast.prepare("SELECT (SELECT n FROM u WHERE id < $1)").unwrap();
    let failed = match two.query(&mut fast, &[ValueRef::Integer(5)]) {
        Ok(mut found) => found.next().map(drop).unwrap_err(),
        Err(error) => error,
    };
    assert_eq!(failed.code().name(), "invalid_value");
    let text = "SELECT CASE WHEN $1 > 0 THEN 1 ELSE (SELECT 1 / (n - n) FROM u WHERE id = 1) END";
    let mut guarded = fast.prepare(text).unwrap();
    let mut found = guarded.query(&mut fast, &[ValueRef::Integer(1)]).unwrap();
    assert_eq!(found.next().unwrap().unwrap().get(0), ValueRef::Integer(1));
}
