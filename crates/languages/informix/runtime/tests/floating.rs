//! DECIMAL(p): a decimal number of p digits whose point floats.
//!
//! Source of the rules: "DECIMAL" and "Arithmetic operations" in the Guide to SQL: Reference. Values were computed by hand.

mod common;

use common::Shop;
use mainstay_engine::Database;
use mainstay_informix_runtime::Informix;
use mainstay_types::Value;

fn decimal(text: &str) -> Value {
    Value::Decimal(text.parse().unwrap())
}

#[test]
fn values_keep_their_digits_at_every_size() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (k INT, a DECIMAL, b DECIMAL(5))");
    assert_eq!(session.types("SELECT a, b, a * 2 AS c FROM t"), ["a decimal 16", "b decimal 5", "c decimal 32"]);
    for text in ["1e20", "1E-100", "-9.999999999999999E125", "0", "NULL", "123456789.125", "1e-130"] {
        session.run(&format!("INSERT INTO t VALUES (1, {text}, NULL)"));
    }
    session.run_with("INSERT INTO t VALUES (2, ?, ?)", &[decimal("12345678901234567"), decimal("-0.000123456")]);
    session.run_with("INSERT INTO t VALUES (2, ?, ?)", &[Value::Text("1E100".into()), Value::Float(2.5)]);
    assert_eq!(
        session.run("SELECT a, b FROM t ORDER BY a"),
        [
            "NULL|NULL",
            "-9.999999999999999E+125|NULL",
            "0|NULL",
            "1E-130|NULL",
            "1E-100|NULL",
            "123456789.125|NULL",
            "12345678901234570|-0.00012346",
            "100000000000000000000|NULL",
            "1E+100|2.5",
        ]
    );
    assert_eq!(session.fails("INSERT INTO t VALUES (3, 1e126, 0)").0, -1200);
    assert_eq!(session.fails("INSERT INTO t VALUES (3, 1e-131, 0)").0, -1201);
    assert_eq!(session.fails("UPDATE t SET a = a * 1e100 WHERE a = 1e100").0, -1200);
}

#[test]
fn conditions_compare_numbers() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (k INT, a DECIMAL(16), d DECIMAL(8,2), PRIMARY KEY (a))");
    session.run("CREATE INDEX i ON t (a DESC)");
    for (k, a) in [(1, "-1.5"), (2, "0"), (3, "0.25"), (4, "1"), (5, "1e20")] {
        session.run(&format!("INSERT INTO t VALUES ({k}, {a}, {k}.50)"));
    }
    let found = |session: &mut common::Client, condition: &str| {
        session.run(&format!("SELECT k FROM t WHERE {condition} ORDER BY k")).join(" ")
    };
    assert_eq!(found(&mut session, "a > 0"), "3 4 5");
    assert_eq!(found(&mut session, "a = 1.00"), "4");
    assert_eq!(found(&mut session, "1 <= a"), "4 5");
    assert_eq!(found(&mut session, "a BETWEEN -2 AND 0.25"), "1 2 3");
    assert_eq!(found(&mut session, "a IN (1, 100000000000000000000)"), "4 5");
    assert_eq!(found(&mut session, "a < d"), "1 2 3 4");
    assert_eq!(found(&mut session, "a = '0.25'"), "3");
    assert_eq!(found(&mut session, "-a > 1"), "1");
    assert_eq!(found(&mut session, "a IN (SELECT d - 4.5 FROM t WHERE k = 4)"), "2");
    assert_eq!(found(&mut session, "d - 4.5 IN (SELECT a FROM t)"), "4 5");
    assert_eq!(found(&mut session, "a = (SELECT MAX(a) FROM t)"), "5");
    assert_eq!(session.run_with("SELECT k FROM t WHERE a >= ? ORDER BY k", &[decimal("1.0")]), ["4", "5"]);
    assert_eq!(session.fails("INSERT INTO t VALUES (6, 0.250, 0)").0, -268);
}

#[test]
fn arithmetic_with_another_number_floats() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a DECIMAL(16), i INT, d DECIMAL(8,2), f FLOAT)");
    session.run("INSERT INTO t VALUES (1e20, 3, 0.50, 0.5)");
    assert_eq!(
        session.run("SELECT a + 1, a - d, a * i, a / i FROM t"),
        ["100000000000000000001|99999999999999999999.5|300000000000000000000|33333333333333333333.333333333333"]
    );
    assert_eq!(session.run("SELECT a * f, -a FROM t"), ["50000000000000000000|-100000000000000000000"]);
    assert_eq!(session.run_with("SELECT a + ? FROM t", &[Value::Integer(5)]), ["100000000000000000005"]);
    assert_eq!(
        session.run("SELECT ROUND(a / i, 2), TRUNC(a / i), ROUND(a, -20), ABS(-a), MOD(a, i), CEIL(d + a) FROM t"),
        [
            "33333333333333333333.33|33333333333333333333|100000000000000000000|100000000000000000000|1|100000000000000000001"
        ]
    );
    assert_eq!(
        session.run("SELECT a::DECIMAL(25,2), (a / 1e18)::INT, a::FLOAT, a::VARCHAR(25), '<' || a || '>' FROM t"),
        ["100000000000000000000.00|100|100000000000000000000|100000000000000000000|<100000000000000000000>"]
    );
    assert_eq!(
        session.run("SELECT NVL(a, 0), CASE WHEN i = 3 THEN a ELSE 0 END, DECODE(i, 3, 1, a), NVL2(a, 1, a) FROM t"),
        ["100000000000000000000|100000000000000000000|1|1"]
    );
    assert_eq!(
        session.run("SELECT '12.5'::DECIMAL(2), 1e20::DECIMAL, SQRT(a) FROM t"),
        ["13|100000000000000000000|10000000000"]
    );
    assert_eq!(session.fails("SELECT a / 0 FROM t").0, -1202);
    assert_eq!(session.fails("SELECT a::DECIMAL(5,2) FROM t").0, -1226);
}

#[test]
fn groups_and_sums() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (g INT, a DECIMAL(16))");
    for (g, a) in [(1, "0.1"), (1, "0.10"), (1, "NULL"), (2, "1e20"), (2, "-1"), (3, "NULL")] {
        session.run(&format!("INSERT INTO t VALUES ({g}, {a})"));
    }
    assert_eq!(
        session
            .run("SELECT g, SUM(a), AVG(a), MIN(a), MAX(a), COUNT(a), COUNT(DISTINCT a) FROM t GROUP BY g ORDER BY g"),
        [
            "1|0.2|0.1|0.1|0.1|2|1",
            "2|99999999999999999999|49999999999999999999.5|-1|100000000000000000000|2|2",
            "3|NULL|NULL|NULL|NULL|0|0",
        ]
    );
    assert_eq!(session.types("SELECT MIN(a) AS m, SUM(a) AS s FROM t"), ["m decimal 32", "s decimal 32"]);
    assert_eq!(session.run("SELECT SUM(DISTINCT a), AVG(DISTINCT a) FROM t WHERE g = 1"), ["0.1|0.1"]);
    assert_eq!(session.run("SELECT g FROM t GROUP BY g HAVING SUM(a) > 1"), ["2"]);
    assert_eq!(session.run("SELECT SUM(a) OVER (ORDER BY a) FROM t WHERE g = 1 AND a IS NOT NULL"), ["0.2", "0.2"]);
    assert_eq!(
        session.run("SELECT a FROM t WHERE g = 1 AND a > 0 UNION SELECT 5 FROM t WHERE g = 2 ORDER BY 1"),
        ["0.1", "5"]
    );
    assert_eq!(session.run("SELECT MAX(x) + 1 FROM (SELECT a * 2 AS x FROM t) s"), ["200000000000000000001"]);
    assert_eq!(session.run("WITH c (x) AS (SELECT a FROM t) SELECT COUNT(*) FROM c WHERE x > 0.05"), ["3"]);
}

#[test]
fn definitions_and_copies() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a DECIMAL(16) DEFAULT -1.5, i INT, CHECK (a < 1000))");
    session.run("INSERT INTO t (i) VALUES (1)");
    session.run("INSERT INTO t (a, i) VALUES (2.25, 2)");
    assert_eq!(session.fails("INSERT INTO t VALUES (1000, 3)").0, -530);
    session.run("CREATE VIEW v (x, y) AS SELECT a, a * 10 FROM t");
    assert_eq!(session.run("SELECT x, y FROM v WHERE x > 0"), ["2.25|22.5"]);
    assert_eq!(session.types("SELECT x, y FROM v"), ["x decimal 16", "y decimal 32"]);
    session.run("SELECT a, i FROM t INTO TEMP s WITH NO LOG");
    assert_eq!(session.run("SELECT a + 1 FROM s ORDER BY 1"), ["-0.5", "3.25"]);
    session.run("CREATE TABLE f (a DECIMAL(8,1), b DECIMAL(16), c VARCHAR(10))");
    session.run("INSERT INTO f SELECT a, i, a FROM t");
    assert_eq!(session.run("SELECT a, b, c FROM f ORDER BY b"), ["-1.5|1|-1.5", "2.3|2|2.25"]);
    session.run("UPDATE f SET a = b * 1.1, b = a WHERE b = 2");
    assert_eq!(session.run("SELECT a, b FROM f WHERE b > 2"), ["2.2|2.3"]);
    session.run("ALTER TABLE f MODIFY (a DECIMAL(16))");
    assert_eq!(session.run("SELECT a * 1e20 FROM f WHERE b > 2"), ["220000000000000000000"]);
    session.run("ALTER TABLE f MODIFY (a DECIMAL(8,2))");
    assert_eq!(session.run("SELECT a FROM f WHERE b > 2"), ["2.20"]);
    session.run("MERGE INTO f USING t ON f.b = t.i WHEN MATCHED THEN UPDATE SET f.b = t.a + 10 WHEN NOT MATCHED THEN INSERT VALUES (t.a, t.a, 'x')");
    assert_eq!(session.run("SELECT b FROM f ORDER BY b"), ["2.25", "2.3", "8.5"]);
    let rows = session.run(
        "SELECT c.colname, c.coltype, c.collength FROM syscolumns c, systables t WHERE t.tabid = c.tabid AND t.tabname = 'f' ORDER BY c.colno",
    );
    assert_eq!(rows[1], format!("b|5|{}", 16 * 256 + 255));
}

#[test]
fn routines_compute_with_them() {
    let shop = Shop::new();
    let mut session = shop.session();
    session.run("CREATE TABLE t (a DECIMAL(16))");
    session.run("INSERT INTO t VALUES (1e20)");
    session.run(
        "CREATE FUNCTION f (x DECIMAL, n INT) RETURNING DECIMAL(20); DEFINE s DECIMAL(32); DEFINE c CHAR(30); DEFINE y DECIMAL; DEFINE i INT; \
         LET s = 0; FOR i = 1 TO n LET s = s + x / 4; END FOR; \
         SELECT MAX(a) INTO y FROM t; IF s > y THEN LET s = -s; END IF; LET c = s; \
         INSERT INTO t VALUES (s); RETURN c::DECIMAL; END FUNCTION",
    );
    assert_eq!(session.run("EXECUTE FUNCTION f(1e20, 3)"), ["75000000000000000000"]);
    assert_eq!(session.run("EXECUTE FUNCTION f('8e20', 3)"), ["-600000000000000000000"]);
    assert_eq!(
        session.run("SELECT a FROM t ORDER BY a"),
        ["-600000000000000000000", "75000000000000000000", "100000000000000000000"]
    );
    session.run("CREATE FUNCTION half (x DECIMAL) RETURNING DECIMAL; RETURN x / 2; END FUNCTION");
    assert_eq!(session.run("SELECT half(a) + 1 FROM t WHERE a = 1e20"), ["50000000000000000001"]);
    session.run("CREATE TABLE log (a DECIMAL(16), b DECIMAL(12,2))");
    session.run(
        "CREATE TRIGGER r UPDATE OF a ON t REFERENCING OLD AS o NEW AS n FOR EACH ROW (INSERT INTO log VALUES (n.a - o.a, n.a / 1e18))",
    );
    session.run("UPDATE t SET a = a + 1 WHERE a = 1e20");
    assert_eq!(session.run("SELECT a, b FROM log"), ["0|100.00"]);
}

#[test]
fn bytes_of_no_number_are_an_error() {
    let database = Database::in_memory().unwrap();
    let shop = Shop { backend: Informix::new(database.clone(), "shop", "mainstay", "Version 14.10.FC7W1DE") };
    let mut session = shop.session();
    session.run("CREATE TABLE t (k INT, a DECIMAL)");
    session.run("INSERT INTO t VALUES (1, 1.5)");
    let mut answer = database.session().execute("INSERT INTO t VALUES (2, X'C1FF')").unwrap();
    while answer.next_batch().unwrap().is_some() {}
    // A digit of base 100 is 99 at most.
    assert_eq!(session.fails("SELECT a FROM t WHERE k = 2").0, -1213);
    assert_eq!(session.run("SELECT a FROM t WHERE k = 1"), ["1.5"]);
}
