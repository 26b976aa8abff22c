//! Statements and what they are in the SQL of the core.

use mainstay_informix_syntax::reduce::{self, Mode, Scope};
use mainstay_informix_syntax::tree::{ObjectName, Statement};
use mainstay_informix_syntax::{Field, ParameterPlace, SqlError, Type, parameter_places, parse};

struct Shop;

impl Scope for Shop {
    fn table(&self, _: &ObjectName) -> Result<Option<String>, Box<SqlError>> {
        Ok(None)
    }

    fn columns(&self, table: &ObjectName) -> Option<Vec<(String, Type)>> {
        let columns: &[(&str, Type)] = match table.last() {
            "t" => &[("id", Type::Serial), ("c", Type::Char(5)), ("f", Type::Boolean), ("d", Type::Date)],
            "u" => &[("k", Type::Integer), ("v", Type::VarChar(3))],
            _ => return None,
        };
        Some(columns.iter().map(|(name, known)| ((*name).to_owned(), *known)).collect())
    }

    fn user(&self) -> String {
        "ann".to_owned()
    }

    fn server(&self) -> String {
        "mainstay".to_owned()
    }

    fn database_information(&self, words: &[String]) -> Option<String> {
        (words == ["dbname"]).then(|| "'shop'".to_owned())
    }
}

fn reduced(text: &str) -> String {
    let written = match parse(text, false).unwrap().statement {
        Statement::Query(query) => reduce::query(&query, Mode::Execute(&[], &[]), &Shop),
        Statement::Insert(insert) => reduce::insert(&insert, Mode::Execute(&[], &[]), &Shop),
        Statement::Update(update) => reduce::update(&update, Mode::Execute(&[], &[]), &Shop),
        Statement::Delete(delete) => reduce::delete(&delete, Mode::Execute(&[], &[]), &Shop),
        Statement::Merge(merge) => reduce::merge(&merge, Mode::Execute(&[], &[]), &Shop),
        Statement::CreateTable(table) => reduce::create_table(&table, &Shop),
        Statement::CreateIndex(index) => Ok(reduce::create_index(&index, &Shop)),
        Statement::AlterTable(name, actions) => reduce::alter_table(&name, &actions, &Shop).map(|all| all.join("; ")),
        other => panic!("{other:?}"),
    };
    written.unwrap_or_else(|error| error.to_string())
}

#[test]
fn queries() {
    let cases = [
        (
            "SELECT SKIP 5 FIRST 10 * FROM t ORDER BY id DESC",
            "SELECT * FROM \"t\" AS \"t\" ORDER BY \"id\" DESC NULLS LAST LIMIT 10 OFFSET 5",
        ),
        ("select unique c[2,3] from shop:ann.t x", "SELECT DISTINCT substr(\"c\", 2, 2) AS \"c\" FROM \"t\" AS \"x\""),
        (
            "SELECT id/2, COUNT(*), 'x' FROM t WHERE f = 't'",
            "SELECT (1.0 * \"id\" / 2) AS \"(expression)\", count(*) AS \"(count)\", 'x' AS \"(constant)\" FROM \"t\" AS \"t\" WHERE (\"f\" = TRUE)",
        ),
        (
            "SELECT t.id, v FROM t, OUTER u WHERE t.id = u.k AND u.v = 'a' AND t.id > 3",
            "SELECT \"t\".\"id\", \"v\" FROM \"t\" AS \"t\" LEFT JOIN \"u\" AS \"u\" ON (\"t\".\"id\" = \"u\".\"k\") AND (\"u\".\"v\" = 'a') WHERE (\"t\".\"id\" > 3)",
        ),
        (
            "SELECT c FROM t WHERE c MATCHES 'a*' OR c NOT MATCHES '[ab]?'",
            "SELECT \"c\" FROM \"t\" AS \"t\" WHERE ((\"c\" LIKE 'a%' ESCAPE '\\') OR (NOT (\"c\" ~ '^[ab].$')))",
        ),
        (
            "SELECT NVL(c, \"none\"), d + 1, d - d FROM t",
            "SELECT coalesce(\"c\", 'none') AS \"(expression)\", CAST((\"d\" + INTERVAL '1' day) AS DATE) AS \"(expression)\", CAST((\"d\" - \"d\") AS INTEGER) AS \"(expression)\" FROM \"t\" AS \"t\"",
        ),
        (
            "SELECT id FROM t WHERE id = ? AND c LIKE ?",
            "SELECT \"id\" FROM \"t\" AS \"t\" WHERE (\"id\" = $1) AND (\"c\" LIKE $2)",
        ),
        (
            "SELECT DATETIME (2024-02-29 10:34) YEAR TO MINUTE, INTERVAL (3 04) DAY TO HOUR, 5 UNITS DAY FROM u",
            "SELECT CAST('2024-02-29 10:34:00' AS TIMESTAMP(0)) AS \"(expression)\", INTERVAL '3 04' day TO hour AS \"(expression)\", INTERVAL '5' day AS \"(expression)\" FROM \"u\" AS \"u\"",
        ),
        (
            "SELECT DBINFO('dbname'), USER, DECODE(k, 1, 'a', NULL, 'b', 'c') FROM u",
            "SELECT 'shop' AS \"(expression)\", 'ann' AS \"(expression)\", CASE WHEN \"k\" = 1 THEN 'a' WHEN \"k\" IS NULL THEN 'b' ELSE 'c' END AS \"(expression)\" FROM \"u\" AS \"u\"",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(reduced(text), expected, "{text}");
    }
}

#[test]
fn changes() {
    let cases = [
        ("INSERT INTO t VALUES (0, 'abcdefgh', 'f', ?)", "INSERT INTO \"t\" VALUES (DEFAULT, 'abcde', FALSE, $1)"),
        (
            "INSERT INTO t (id, c) VALUES (7, UPPER('x'))",
            "INSERT INTO \"t\" (\"id\", \"c\") VALUES (7, CAST(upper('x') AS CHAR(5)))",
        ),
        (
            "UPDATE t SET f = 't', (c, d) = (?, TODAY) WHERE id = 3",
            "UPDATE \"t\" AS \"t\" SET \"f\" = TRUE, \"c\" = $1, \"d\" = CURRENT_DATE WHERE (\"id\" = 3)",
        ),
        ("DELETE FROM t WHERE f <> 'f'", "DELETE FROM \"t\" AS \"t\" WHERE (\"f\" <> FALSE)"),
        ("INSERT INTO t VALUES (1)", "-236: Number of values in INSERT is not equal to number of columns."),
    ];
    for (text, expected) in cases {
        assert_eq!(reduced(text), expected, "{text}");
    }
}

#[test]
fn merges() {
    let cases = [
        (
            "MERGE INTO t USING u ON id = k WHEN MATCHED THEN UPDATE SET c = v WHEN NOT MATCHED THEN INSERT (id, c) VALUES (k, ?)",
            "MERGE INTO \"t\" AS \"t\" USING \"u\" AS \"u\" ON (\"id\" = \"k\") WHEN MATCHED THEN UPDATE SET \"c\" = CAST(\"v\" AS CHAR(5)) \
             WHEN NOT MATCHED THEN INSERT (\"id\", \"c\") VALUES (\"k\", $1)",
        ),
        (
            "MERGE INTO t AS x USING (SELECT k FROM u) y ON (x.id = y.k) WHEN NOT MATCHED THEN INSERT VALUES (0, 'abcdefg', 't', TODAY)",
            "MERGE INTO \"t\" AS \"x\" USING (SELECT \"k\" FROM \"u\" AS \"u\") AS \"y\" ON (\"x\".\"id\" = \"y\".\"k\") \
             WHEN NOT MATCHED THEN INSERT (\"c\", \"f\", \"d\") VALUES ('abcde', TRUE, CURRENT_DATE)",
        ),
        (
            "MERGE INTO t USING u ON id = k WHEN MATCHED THEN DELETE",
            "MERGE INTO \"t\" AS \"t\" USING \"u\" AS \"u\" ON (\"id\" = \"k\") WHEN MATCHED THEN DELETE",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(reduced(text), expected, "{text}");
    }
    let parsed =
        parse("MERGE INTO t USING u ON id = k WHEN NOT MATCHED THEN INSERT (id, c) VALUES (?, ?)", false).unwrap();
    let places = parameter_places(&parsed.statement, parsed.parameters);
    assert!(matches!(&places[1], ParameterPlace::Column(name, tables) if name == "c" && tables[0].0.last() == "t"));
}

#[test]
fn rows_of_cursors_are_found_by_their_numbers() {
    assert_eq!(
        reduced("UPDATE t SET c = ? WHERE CURRENT OF cur"),
        "UPDATE \"t\" AS \"t\" SET \"c\" = $1 WHERE \"_rowid\" = $2"
    );
    assert_eq!(reduced("DELETE FROM t WHERE CURRENT OF cur"), "DELETE FROM \"t\" AS \"t\" WHERE \"_rowid\" = $1");
    let parsed = parse("SELECT id FROM t x WHERE id > 3 FOR UPDATE OF c", false).unwrap();
    assert!(parsed.is_for_update && !parse("SELECT id FROM t FOR READ ONLY", false).unwrap().is_for_update);
    let Statement::Query(query) = parsed.statement else { panic!("no query") };
    assert_eq!(
        reduce::query_for_update(&query, Mode::Execute(&[], &[]), true, &Shop).unwrap(),
        "SELECT \"id\", \"x\".\"_rowid\" FROM \"t\" AS \"x\" WHERE (\"id\" > 3) FOR UPDATE"
    );
    let Statement::Query(count) = parse("SELECT COUNT(*) FROM t FOR UPDATE", false).unwrap().statement else {
        panic!()
    };
    assert!(reduce::updatable_table(&count).is_none());
}

#[test]
fn sequences_synonyms_and_rights() {
    assert_eq!(
        reduced("SELECT s.NEXTVAL, t.id FROM t WHERE id > s.currval"),
        "SELECT nextval('s') AS \"nextval\", \"t\".\"id\" FROM \"t\" AS \"t\" WHERE (\"id\" > currval('s'))"
    );
    let statement = |text: &str| parse(text, false).unwrap().statement;
    assert!(matches!(statement("CREATE PUBLIC SYNONYM s FOR ann.t"), Statement::CreateSynonym(name, table, false)
        if name.last() == "s" && table.last() == "t"));
    assert!(matches!(statement("DROP SYNONYM IF EXISTS s"), Statement::Drop(kind, _, true) if kind == "SYNONYM"));
    let rights = [
        ("GRANT SELECT, UPDATE (c, d) ON t TO ann, 'bob' WITH GRANT OPTION AS carl", "GRANT", Some("t")),
        ("REVOKE ALL ON ann.t FROM PUBLIC CASCADE", "REVOKE", Some("t")),
        ("GRANT CONNECT TO PUBLIC", "GRANT", None),
        ("GRANT EXECUTE ON PROCEDURE p (INT, CHAR(3)) TO ann", "GRANT", None),
    ];
    for (text, word, table) in rights {
        let Statement::Rights(found, on) = statement(text) else { panic!("{text}") };
        assert_eq!((found.as_str(), on.as_ref().map(|name| name.last())), (word, table), "{text}");
    }
    assert_eq!(parse("GRANT SELECT ON t", false).unwrap_err().code, -201);
    assert_eq!(parse("GRANT TO ann", false).unwrap_err().code, -201);
}

#[test]
fn fractions_of_seconds_are_cut() {
    let cases = [
        ("SELECT DATETIME (10:34:56.789) HOUR TO FRACTION(2) FROM u", "CAST('10:34:56.78' AS TIME(2))"),
        (
            "SELECT CURRENT YEAR TO SECOND FROM u",
            "CAST(date_trunc('second', CAST(CURRENT_TIMESTAMP AS TIMESTAMP(6))) AS TIMESTAMP(0))",
        ),
        (
            "SELECT CURRENT YEAR TO FRACTION(2) FROM u",
            "CAST((CAST(CURRENT_TIMESTAMP AS TIMESTAMP(6)) - INTERVAL '0.005' second) AS TIMESTAMP(2))",
        ),
        (
            "SELECT CURRENT HOUR TO SECOND FROM u",
            "CAST(CAST(date_trunc('second', CAST(CURRENT_TIMESTAMP AS TIMESTAMP(6))) AS TIMESTAMP(0)) AS TIME(0))",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(reduced(text), format!("SELECT {expected} AS \"(expression)\" FROM \"u\" AS \"u\""), "{text}");
    }
}

#[test]
fn definitions() {
    assert_eq!(
        reduced(
            "CREATE TABLE t (id SERIAL(100) PRIMARY KEY, m MONEY, w DATETIME YEAR TO FRACTION(3) DEFAULT CURRENT YEAR TO FRACTION(3), f BOOLEAN DEFAULT 't' NOT NULL, UNIQUE (m) CONSTRAINT u1) IN dbs EXTENT SIZE 16 LOCK MODE ROW"
        ),
        "CREATE TABLE \"t\" (\"id\" \"declared:INTEGER=informix:serial\" GENERATED BY DEFAULT AS IDENTITY (START WITH 100) NOT NULL PRIMARY KEY, \
         \"m\" \"declared:DECIMAL(16,2)=informix:money 16 2\", \
         \"w\" \"declared:TIMESTAMP(3)=informix:datetime 0 13\" DEFAULT CAST(date_trunc('millisecond', CAST(CURRENT_TIMESTAMP AS TIMESTAMP(6))) AS TIMESTAMP(3)), \
         \"f\" \"declared:BOOLEAN=informix:boolean\" DEFAULT TRUE NOT NULL, CONSTRAINT \"u1\" UNIQUE (\"m\"))"
    );
    assert_eq!(
        reduced("CREATE UNIQUE INDEX i ON t (a DESC, b)"),
        "CREATE UNIQUE INDEX \"i\" ON \"t\" (\"a\" DESC, \"b\")"
    );
    assert_eq!(
        reduced("ALTER TABLE t ADD (x INT, y VARCHAR(3)), DROP c"),
        "ALTER TABLE \"t\" ADD COLUMN \"x\" \"declared:INTEGER=informix:integer\"; ALTER TABLE \"t\" ADD COLUMN \"y\" \"declared:VARCHAR(3)=informix:varchar 3\"; ALTER TABLE \"t\" DROP COLUMN \"c\""
    );
}

#[test]
fn parameters_meet_columns() {
    let parsed = parse("SELECT FIRST ? id FROM t x WHERE x.c = ? AND c MATCHES ? AND ? > 3", false).unwrap();
    let places = parameter_places(&parsed.statement, parsed.parameters);
    assert_eq!(places[0], ParameterPlace::Count);
    assert!(matches!(&places[1], ParameterPlace::Column(name, tables) if name == "c" && tables[0].1 == "x"));
    assert_eq!(places[2..], [ParameterPlace::Pattern, ParameterPlace::Value(Type::Decimal(32, Some(16)))]);
    let parsed = parse("INSERT INTO t VALUES (?, ?)", false).unwrap();
    let places = parameter_places(&parsed.statement, parsed.parameters);
    assert!(matches!(&places[1], ParameterPlace::Position(1, name) if name.last() == "t"));
}

#[test]
fn errors_have_codes_and_places() {
    let code = |text: &str| parse(text, false).unwrap_err().code;
    assert_eq!(code("SELCT 1"), -201);
    assert_eq!(code("SELECT * FROM"), -201);
    assert_eq!(code("SELECT 'a FROM t"), -282);
    assert_eq!(code("SELECT ~ FROM t"), -202);
    assert_eq!(code(&format!("SELECT {}1{} FROM t", "(".repeat(500), ")".repeat(500))), -665);
    assert_eq!(code("MERGE INTO t USING u ON 1 = 1"), -201);
    assert_eq!(code("CREATE PROCEDURE FROM 'a.sql'"), -999);
    assert_eq!(code("ALTER TABLE t ADD (a INT BEFORE b)"), -999);
    assert_eq!(code("CREATE TRIGGER t SELECT ON u AFTER (DELETE FROM v)"), -999);
    assert_eq!(code("CREATE PROCEDURE p() RETURN; END FUNCTION x"), -201);
    for text in
        ["EXECUTE PROCEDURE p(1)", "execute function shop:p(?)", "CALL p()", "{call p()}", " { ? = CALL p(?) } "]
    {
        let parsed = parse(text, false).unwrap();
        assert!(matches!(&parsed.statement, Statement::Execute(call) if call.name.last() == "p"), "{text}");
    }
    let error = parse("SELECT * FORM t x y", false).unwrap_err();
    assert_eq!(error.span.map(|span| span.start), Some(9));
    assert_eq!(parse("SELECT nosuch(1) FROM t", false).map(|_| ()), Ok(()));
    assert!(reduced("SELECT nosuch(1) FROM t").starts_with("-674"));
}

#[test]
fn cut_and_changed_texts_do_no_harm() {
    let routine = "CREATE FUNCTION f(a INT DEFAULT 1) RETURNING INT, CHAR(3); DEFINE b, c LIKE t.k; ON EXCEPTION IN (-1) SET b LET c = 1; END EXCEPTION WITH RESUME FOREACH x FOR SELECT k INTO b FROM t IF b = 1 THEN UPDATE t SET k = b WHERE CURRENT OF x; END IF; END FOREACH; FOR b IN (1 TO 3, 4) RETURN b, 'x' WITH RESUME; END FOR; END FUNCTION";
    let trigger = "CREATE TRIGGER g UPDATE OF a ON t REFERENCING OLD AS o NEW AS n FOR EACH ROW WHEN (o.a > 1) (INSERT INTO u VALUES (n.a), EXECUTE PROCEDURE p(n.a) INTO a)";
    for text in [routine, trigger] {
        assert!(parse(text, false).is_ok());
        for end in 0..text.len() {
            let _ = parse(&text[..end], false);
            let _ = parse(&text[end..], true);
        }
    }
    let text = "SELECT SKIP 1 FIRST 2 a.c[1,2], x::datetime year to second FROM t a, OUTER (u, v) WHERE a MATCHES 'b*' AND y IN (SELECT z FROM w) ORDER BY 1";
    for end in 0..text.len() {
        let _ = parse(&text[..end], false);
        let _ = parse(&text[end..], true);
    }
    let field = Field::of_name("fraction");
    assert_eq!(field, Some(Field(13)));
}
