//! The rows of a query, streamed.

use mainstay_ads_runtime::Engine;
use mainstay_area_session::{Executed, Sql};

/// Rows that come piece by piece are those that all come at once, in columns of the same types.
#[test]
fn rows_that_come_are_those_that_are_there_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = Engine::default().open(folder.path(), "ada").expect("a session");
    let mut run = |sql: &str| session.execute(sql, &[]).unwrap_or_else(|error| panic!("{sql}: {error}"));
    run("CREATE TABLE many ( id INTEGER, name CHAR( 10 ), amount NUMERIC( 8, 2 ), note MEMO )");
    run("INSERT INTO many VALUES ( 1, 'one', 1.50, 'short' ), ( 2, 'two', NULL, 'a note' ), ( 3, '', -7.25, NULL )");
    (0..10).for_each(|_| drop(run("INSERT INTO many SELECT id + 3, name, amount, note FROM many")));
    let queries = [
        ("SELECT id, name, amount FROM many", true),
        ("SELECT * FROM many ORDER BY id DESC", true),
        ("SELECT RECNO() AS number, UPPER( name ) + 'x' AS word FROM many", false),
        ("SELECT COUNT(*) AS rows_, SUM( amount ) FROM many", false),
        ("SELECT id FROM many WHERE id < 0", true),
    ];
    for (sql, is_known) in queries {
        let whole = session.execute(sql, &[]).expect(sql);
        let Executed::Rows(mut source) = session.query(sql, &[]).expect(sql) else {
            panic!("{sql}: no rows that come")
        };
        assert_eq!(source.columns().is_some(), is_known, "{sql}");
        let mut rows = Vec::new();
        while let Some(mut some) = source.next().expect(sql) {
            assert!(some.len() <= 1024);
            rows.append(&mut some);
        }
        assert_eq!(source.columns().expect(sql), whole.columns, "{sql}");
        assert_eq!(rows, whole.rows, "{sql}");
    }
    for sql in ["SELECT TOP 10 PERCENT id FROM many", "SELECT id INTO other FROM many", "DELETE FROM many WHERE id = 1"]
    {
        assert!(matches!(session.query(sql, &[]), Ok(Executed::Done(_))), "{sql}");
    }
    assert!(session.query("SELECT none FROM many", &[]).is_err());
}
