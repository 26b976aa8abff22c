//! Stored procedures and functions: with tables, from clients and from queries; kept with the database; in the catalog.

mod common;

use common::{Client, Shop};
use mainstay_session::{StatementKind, TransactionStep};
use mainstay_types::Value;

fn stock(session: &mut Client) {
    session.run("CREATE TABLE stock (id SERIAL PRIMARY KEY, name CHAR(8) NOT NULL, qty INTEGER, price DECIMAL(8,2))");
    for (name, qty, price) in [("bolt", 5, "1.25"), ("nut", 20, "0.50"), ("gear", 2, "19.99")] {
        session.run(&format!("INSERT INTO stock VALUES (0, '{name}', {qty}, {price})"));
    }
}

#[test]
fn a_function_returns_rows_one_by_one() {
    let shop = Shop::new();
    let mut session = shop.session();
    stock(&mut session);
    session.run(
        "CREATE PROCEDURE low(least INT) RETURNING CHAR(8) AS name, INT AS missing;
           DEFINE n LIKE stock.name; DEFINE q INT;
           FOREACH SELECT name, qty INTO n, q FROM stock WHERE qty < least ORDER BY name
             IF q < 3 THEN RETURN UPPER(n), least - q WITH RESUME; ELSE RETURN n, least - q WITH RESUME; END IF;
           END FOREACH;
         END PROCEDURE DOCUMENT 'what is missing';",
    );
    let call = session.prepare("EXECUTE PROCEDURE low(?)");
    assert_eq!(call.kind, StatementKind::Call);
    let names: Vec<&str> = call.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["name", "missing"]);
    assert_eq!(call.parameters[0].declared.as_ref().map(|declared| &*declared.name), Some("integer"));
    let rows = session.run_with("EXECUTE PROCEDURE low(?)", &[Value::Integer(10)]);
    assert_eq!(rows, ["bolt    |5", "GEAR    |8"]);
    assert_eq!(session.run("{call low(3)}"), ["GEAR    |1"]);
    assert_eq!(session.run("EXECUTE PROCEDURE low(least = 1 + 1)"), Vec::<String>::new());
}

#[test]
fn statements_of_a_routine_see_its_variables() {
    let shop = Shop::new();
    let mut session = shop.session();
    stock(&mut session);
    session.run(
        "CREATE FUNCTION sell(what CHAR(8), n INT DEFAULT 1) RETURNING INT, DECIMAL(8,2);
           DEFINE left_over INT; DEFINE total DECIMAL(8,2); DEFINE found INT;
           SELECT COUNT(*) INTO found FROM stock WHERE name = what;
           IF found = 0 THEN RAISE EXCEPTION -746, 0, 'no ' || TRIM(what); END IF;
           UPDATE stock SET qty = qty - n WHERE name = what;
           SELECT qty, price * n INTO left_over, total FROM stock WHERE name = what;
           INSERT INTO stock (name, qty, price) VALUES ('sold', n, total);
           RETURN left_over, total;
         END FUNCTION;",
    );
    assert_eq!(session.run("EXECUTE FUNCTION sell('nut', 3)"), ["17|1.50"]);
    assert_eq!(session.run("EXECUTE FUNCTION sell('bolt')"), ["4|1.25"]);
    assert_eq!(session.fails("EXECUTE FUNCTION sell('cog')"), (-746, 0, "no cog".to_owned()));
    assert_eq!(
        session.run("SELECT name, qty, price FROM stock WHERE id > 3 ORDER BY id"),
        ["sold|3|1.50", "sold|1|1.25"]
    );
    assert_eq!(session.fails("EXECUTE FUNCTION sell()").0, -674);
    assert_eq!(session.fails("EXECUTE FUNCTION nosuch(1)"), (-674, 0, "nosuch".to_owned()));
}

#[test]
fn errors_of_statements_are_handled() {
    let shop = Shop::new();
    let mut session = shop.session();
    stock(&mut session);
    session.run(
        "CREATE PROCEDURE add(k INT) RETURNING INT, INT, VARCHAR(40), INT;
           DEFINE c, i INT; DEFINE t VARCHAR(40); DEFINE n INT; LET c, i, t = 0, 0, 'none';
           BEGIN
             ON EXCEPTION IN (-268, -206) SET c, i, t END EXCEPTION WITH RESUME;
             INSERT INTO stock (id, name) VALUES (k, 'new');
             DELETE FROM nosuch;
           END
           SELECT COUNT(*) INTO n FROM stock;
           RETURN c, i, t, n;
         END PROCEDURE",
    );
    assert_eq!(session.run("EXECUTE PROCEDURE add(1)"), ["-206|-111|nosuch|3"]);
    assert_eq!(session.run("EXECUTE PROCEDURE add(9)"), ["-206|-111|nosuch|4"]);
    session
        .run("CREATE FUNCTION one() RETURNING INT; DEFINE x INT; SELECT id INTO x FROM stock; RETURN x; END FUNCTION");
    assert_eq!(session.fails("EXECUTE FUNCTION one()").0, -284);
    session.run("CREATE PROCEDURE shell() SYSTEM 'ls'; END PROCEDURE");
    assert_eq!(session.fails("EXECUTE PROCEDURE shell()").0, -668);
}

#[test]
fn the_row_of_a_cursor_is_changed() {
    let shop = Shop::new();
    let mut session = shop.session();
    stock(&mut session);
    session.run(
        "CREATE PROCEDURE raise_prices(pct INT)
           DEFINE p DECIMAL(8,2);
           FOREACH c FOR SELECT price INTO p FROM stock WHERE qty > 2
             LET p = p + p * pct / 100;
             UPDATE stock SET price = p WHERE CURRENT OF c;
           END FOREACH;
         END PROCEDURE",
    );
    session.run("EXECUTE PROCEDURE raise_prices(10)");
    assert_eq!(session.run("SELECT price FROM stock ORDER BY id"), ["1.38", "0.55", "19.99"]);
}

#[test]
fn functions_in_queries_are_called_for_each_row() {
    let shop = Shop::new();
    let mut session = shop.session();
    stock(&mut session);
    session.run("CREATE FUNCTION twice(n INT) RETURNING INT; RETURN n * 2; END FUNCTION");
    session.run(
        "CREATE FUNCTION in_stock(what CHAR(8)) RETURNING INT; DEFINE q INT;
           SELECT qty INTO q FROM stock WHERE name = what; RETURN q; END FUNCTION",
    );
    assert_eq!(
        session.run("SELECT name, twice(qty) FROM stock WHERE twice(qty) > 5 ORDER BY id"),
        ["bolt|10", "nut|40"]
    );
    assert_eq!(session.types("SELECT twice(qty) t FROM stock"), ["t integer"]);
    // A function sees what the statement's transaction has changed.
    session.0.transaction(&TransactionStep::Begin).unwrap();
    session.run("UPDATE stock SET qty = 7 WHERE name = 'gear'");
    assert_eq!(session.run("SELECT in_stock(name) FROM stock WHERE id = 3"), ["7"]);
    session.0.transaction(&TransactionStep::Rollback).unwrap();
    session.run("CREATE FUNCTION bad(n INT) RETURNING INT; DELETE FROM stock; RETURN n; END FUNCTION");
    assert_eq!(session.fails("SELECT bad(id) FROM stock").0, -675);
    assert_eq!(session.run("SELECT COUNT(*) FROM stock"), ["3"]);
    assert_eq!(session.fails("SELECT 1 / twice(id - 1) FROM stock").0, -1202);
}

#[test]
fn dynamic_sql() {
    let shop = Shop::new();
    let mut session = shop.session();
    stock(&mut session);
    session.run(
        "CREATE FUNCTION names(t VARCHAR(20), least INT) RETURNING VARCHAR(10);
           DEFINE n VARCHAR(10); DEFINE done INT; LET done = 0;
           EXECUTE IMMEDIATE 'CREATE TEMP TABLE found (a INT) WITH NO LOG';
           EXECUTE IMMEDIATE 'INSERT INTO found VALUES (' || least || ')';
           PREPARE s FROM 'SELECT name FROM ' || t || ' WHERE qty > ? ORDER BY name';
           DECLARE c CURSOR FOR s;
           OPEN c USING least;
           WHILE done = 0
             FETCH c INTO n;
             IF SQLCODE = 100 THEN LET done = 1; ELSE RETURN TRIM(n) WITH RESUME; END IF;
           END WHILE;
           CLOSE c; FREE c; FREE s;
         END FUNCTION",
    );
    assert_eq!(session.run("EXECUTE FUNCTION names('stock', 2)"), ["bolt", "nut"]);
    assert_eq!(session.run("SELECT a FROM found"), ["2"]);
}

#[test]
fn routines_call_each_other() {
    let shop = Shop::new();
    let mut session = shop.session();
    stock(&mut session);
    session.run("CREATE FUNCTION series(n INT) RETURNING INT; DEFINE i INT; FOR i = 1 TO n RETURN i WITH RESUME; END FOR; END FUNCTION");
    session.run("CREATE FUNCTION pair(n INT) RETURNING INT, INT; RETURN n, n * n; END FUNCTION");
    session.run(
        "CREATE FUNCTION all_of(n INT) RETURNING INT, INT, INT; DEFINE GLOBAL calls INT DEFAULT 0; DEFINE i, a, b INT;
           FOREACH EXECUTE FUNCTION series(n) INTO i
             CALL pair(i) RETURNING a, b; LET calls = calls + 1;
             RETURN a, b, calls WITH RESUME;
           END FOREACH;
           LET a, b = pair(100); RETURN a, b, calls WITH RESUME;
         END FUNCTION",
    );
    assert_eq!(session.run("EXECUTE FUNCTION all_of(2)"), ["1|1|1", "2|4|2", "100|10000|2"]);
    assert_eq!(session.run("EXECUTE FUNCTION all_of(0)"), ["100|10000|2"]);
    session.run("CREATE TABLE t (a INT)");
    assert_eq!(session.run("INSERT INTO t EXECUTE FUNCTION series(3)"), ["3 rows"]);
    assert_eq!(session.run("SELECT SUM(a) FROM t"), ["6"]);
    session.run("CREATE FUNCTION too_many() RETURNING INT; DEFINE x INT; LET x = series(2); RETURN x; END FUNCTION");
    assert_eq!(session.fails("EXECUTE FUNCTION too_many()").0, -686);
    session.run("CREATE PROCEDURE deep(n INT) CALL deep(n + 1); END PROCEDURE");
    assert_eq!(session.fails("EXECUTE PROCEDURE deep(1)").0, -665);
}

#[test]
fn definitions_are_part_of_the_database() {
    let shop = Shop::new();
    let (mut session, mut other) = (shop.session(), shop.session());
    session.run("CREATE FUNCTION f() RETURNING INT; RETURN 1; END FUNCTION");
    assert_eq!(other.run("EXECUTE FUNCTION f()"), ["1"]);
    assert_eq!(session.fails("CREATE FUNCTION f() RETURNING INT; RETURN 2; END FUNCTION"), (-673, 0, "f".to_owned()));
    session.run("CREATE FUNCTION IF NOT EXISTS f() RETURNING INT; RETURN 3; END FUNCTION");
    session.run("CREATE FUNCTION f(a INT) RETURNING INT; RETURN a; END FUNCTION");
    assert_eq!(other.run("EXECUTE FUNCTION f(5)"), ["5"]);
    session.run("CREATE OR REPLACE FUNCTION f() RETURNING INT; RETURN 4; END FUNCTION");
    assert_eq!(other.run("EXECUTE FUNCTION f()"), ["4"]);
    assert_eq!(session.fails("DROP FUNCTION f").0, -9700);
    session.run("DROP FUNCTION f(INT)");
    assert_eq!(other.fails("EXECUTE FUNCTION f(5)").0, -674);
    // A definition in a transaction is taken back with it.
    session.0.transaction(&TransactionStep::Begin).unwrap();
    session.run("DROP FUNCTION f");
    assert_eq!(session.fails("EXECUTE FUNCTION f()").0, -674);
    session.0.transaction(&TransactionStep::Rollback).unwrap();
    assert_eq!(session.run("EXECUTE FUNCTION f()"), ["4"]);
    session.run("DROP PROCEDURE f");
    assert_eq!(session.fails("DROP PROCEDURE f"), (-674, 0, "f".to_owned()));
    session.run("DROP PROCEDURE IF EXISTS f");
    assert_eq!(session.fails("CREATE PROCEDURE p() LET x = 1; END PROCEDURE"), (-667, 0, "x".to_owned()));
}

#[test]
fn routines_of_the_system_are_accepted() {
    let shop = Shop::new();
    let mut session = shop.session();
    assert_eq!(session.run("EXECUTE PROCEDURE ifx_allow_newline('t')"), ["0 rows"]);
}

#[test]
fn the_catalog_has_routines() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE PROCEDURE p(a INT, b CHAR(3)) TRACE ON; END PROCEDURE");
    let rows = session.run("SELECT procname, isproc, numargs, paramtypes FROM sysprocedures");
    assert_eq!(rows, ["p|t|2|integer,char"]);
    let body =
        session.run("SELECT b.data FROM sysprocbody b, sysprocedures p WHERE p.procid = b.procid AND b.datakey = 'T'");
    assert!(body[0].starts_with("CREATE PROCEDURE p(a INT"), "{body:?}");
    let columns = session.run("SELECT paramname, paramtype, paramlen FROM sysproccolumns ORDER BY paramid");
    assert_eq!(columns, ["a|2|4", "b|0|3"]);
}
