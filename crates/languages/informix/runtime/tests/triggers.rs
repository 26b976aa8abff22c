//! Triggers.

mod common;

use common::{Client, Shop};

fn tables(session: &mut Client) {
    session.run("CREATE TABLE t (id SERIAL PRIMARY KEY, name VARCHAR(10), n INTEGER)");
    session.run("CREATE TABLE log (seq SERIAL, what VARCHAR(40), a INTEGER, b INTEGER)");
}

fn log(session: &mut Client) -> Vec<String> {
    session.run("SELECT what, a, b FROM log ORDER BY seq")
}

#[test]
fn sections_run_before_for_each_row_and_after() {
    let shop = Shop::new();
    let mut session = shop.session();
    tables(&mut session);
    session.run(
        "CREATE TRIGGER g UPDATE OF n ON t REFERENCING OLD AS pre NEW AS post
           BEFORE (INSERT INTO log (what) VALUES ('before'))
           FOR EACH ROW WHEN (post.n > pre.n) (INSERT INTO log VALUES (0, 'up ' || post.name, pre.n, post.n)),
                        (INSERT INTO log (what, a) VALUES ('row', post.id))
           AFTER (INSERT INTO log (what) VALUES ('after'))",
    );
    session.run("INSERT INTO t VALUES (0, 'a', 1)");
    session.run("INSERT INTO t VALUES (0, 'b', 2)");
    session.run("UPDATE t SET name = 'c' WHERE id = 2");
    assert_eq!(log(&mut session), Vec::<String>::new());
    assert_eq!(session.run("UPDATE t SET n = 3 - n"), ["2 rows"]);
    assert_eq!(log(&mut session), ["before|NULL|NULL", "up a|1|2", "row|1|NULL", "row|2|NULL", "after|NULL|NULL"]);
    session.run("DELETE FROM log");
    session.run("SET TRIGGERS FOR t DISABLED");
    session.run("UPDATE t SET n = 5");
    assert_eq!(log(&mut session), Vec::<String>::new());
    session.run("SET TRIGGERS g ENABLED");
    session.run("UPDATE t SET n = 6 WHERE id = 1");
    assert_eq!(log(&mut session).len(), 4);
}

#[test]
fn a_procedure_changes_the_new_row() {
    let shop = Shop::new();
    let mut session = shop.session();
    tables(&mut session);
    session.run("CREATE FUNCTION clean(s VARCHAR(10), n INT) RETURNING VARCHAR(10), INT; RETURN UPPER(s), NVL(n, 0) + 1; END FUNCTION");
    session.run(
        "CREATE TRIGGER g INSERT ON t REFERENCING NEW AS post
           FOR EACH ROW (EXECUTE FUNCTION clean(post.name, post.n) INTO name, n)",
    );
    session.run("INSERT INTO t VALUES (0, 'abc', NULL)");
    assert_eq!(session.run("SELECT * FROM t"), ["1|ABC|1"]);
    assert_eq!(session.run("SELECT DBINFO('sqlca.sqlerrd1') FROM systables WHERE tabid = 1"), ["1"]);
}

#[test]
fn a_trigger_that_fails_undoes_its_statement() {
    let shop = Shop::new();
    let mut session = shop.session();
    tables(&mut session);
    session
        .run("CREATE PROCEDURE refuse(n INT) IF n > 5 THEN RAISE EXCEPTION -746, 0, 'too many'; END IF; END PROCEDURE");
    session.run(
        "CREATE TRIGGER g DELETE ON t REFERENCING OLD AS o
           FOR EACH ROW (INSERT INTO log (what, a) VALUES ('gone', o.id), EXECUTE PROCEDURE refuse(o.n))",
    );
    for n in [1, 9] {
        session.run(&format!("INSERT INTO t VALUES (0, 'x', {n})"));
    }
    assert_eq!(session.fails("DELETE FROM t"), (-746, 0, "too many".to_owned()));
    assert_eq!(session.run("SELECT COUNT(*) FROM t"), ["2"]);
    assert_eq!(log(&mut session), Vec::<String>::new());
    assert_eq!(session.run("DELETE FROM t WHERE n = 1"), ["1 rows"]);
    assert_eq!(log(&mut session), ["gone|1|NULL"]);
    // A trigger that changes its own table again and again ends with an error.
    session.run("CREATE TRIGGER h INSERT ON log FOR EACH ROW (INSERT INTO log (what) VALUES ('again'))");
    assert_eq!(session.fails("INSERT INTO log (what) VALUES ('x')").0, -665);
    assert_eq!(log(&mut session).len(), 1);
}

#[test]
fn definitions_and_mistakes() {
    let shop = Shop::new();
    let mut session = shop.session();
    tables(&mut session);
    let text =
        "CREATE TRIGGER g INSERT ON t REFERENCING NEW AS post FOR EACH ROW (INSERT INTO log (what) VALUES (post.name))";
    session.run(text);
    assert_eq!(session.fails(text).0, -741);
    assert_eq!(session.fails("CREATE TRIGGER h DELETE ON nosuch AFTER (DELETE FROM log)").0, -206);
    assert_eq!(session.fails("CREATE TRIGGER h UPDATE OF nosuch ON t AFTER (DELETE FROM log)").0, -217);
    assert_eq!(session.fails(&text.replace("TRIGGER g", "TRIGGER h").replace("post.name", "post.nosuch")).0, -217);
    let merge = "MERGE INTO t USING log ON t.id = log.seq WHEN MATCHED THEN UPDATE SET n = 1";
    assert_eq!(session.fails(merge).0, -999);
    assert_eq!(session.run("SELECT trigname, event FROM systriggers"), ["g|I"]);
    let body = session.run("SELECT data FROM systrigbody WHERE datakey = 'A'");
    assert!(body[0].starts_with("FOR EACH ROW (INSERT"), "{body:?}");
    session.run("RENAME TABLE t TO u");
    session.run("INSERT INTO u VALUES (0, 'a', 1)");
    assert_eq!(log(&mut session), ["a|NULL|NULL"]);
    session.run("DROP TRIGGER g");
    assert_eq!(session.fails("DROP TRIGGER g").0, -745);
    session.run("DROP TRIGGER IF EXISTS g");
}
