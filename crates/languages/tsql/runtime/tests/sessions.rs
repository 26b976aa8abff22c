//! Visibility between several sessions, and objects that are files.

#![allow(clippy::disallowed_methods)]

mod common;

use common::Transcript;
use mainstay_engine::Database;
use mainstay_session::push::Session as _;
use mainstay_tsql_runtime::{Console, Instance, Session};
use mainstay_vfs::Disk;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn instance() -> Instance {
    Instance::new(Database::in_memory().expect("a database in memory"), "test")
}

fn seen(session: &mut Session, text: &str) -> String {
    let mut transcript = Transcript::default();
    session.batch(text, &mut transcript);
    transcript.text
}

#[test]
fn a_temporary_table_of_all_goes_with_its_session() {
    let instance = instance();
    let (mut first, mut second) = (instance.session(), instance.session());
    seen(&mut first, "CREATE TABLE ##shared (n INT PRIMARY KEY, t VARCHAR(9)); CREATE TABLE #own (n INT)");
    seen(&mut second, "INSERT INTO ##shared VALUES (1, 'one')");
    assert!(seen(&mut first, "SELECT n, t FROM ##SHARED").contains("\n1 | one\n"));
    assert!(seen(&mut second, "SELECT n FROM #own").contains("Msg 208"));
    assert!(seen(&mut second, "CREATE TABLE ##shared (n INT)").contains("Msg 2714"));
    let found = seen(&mut second, "SELECT name FROM tempdb.sys.tables WHERE object_id = OBJECT_ID('tempdb..##shared')");
    assert!(found.contains("\n##shared\n"), "{found}");
    assert!(!seen(&mut second, "SELECT name FROM sys.tables").contains("##shared"));
    seen(&mut second, "SELECT 5 AS five INTO ##second");
    assert!(seen(&mut first, "SELECT five FROM ##second").contains("\n5\n"));
    drop(first);
    assert!(seen(&mut second, "SELECT n FROM ##shared").contains("Msg 208"));
    seen(&mut second, "DROP TABLE ##second; CREATE TABLE ##second (a INT)");
    assert!(seen(&mut second, "SELECT a FROM ##second").contains("(0 rows)"));
}

#[test]
fn a_procedure_makes_temporary_tables_of_all_that_outlive_it() {
    let instance = instance();
    let (mut first, mut second) = (instance.session(), instance.session());
    seen(&mut first, "CREATE PROCEDURE make AS CREATE TABLE ##made (n INT)");
    seen(&mut first, "EXEC make; INSERT INTO ##made VALUES (3)");
    assert!(seen(&mut second, "SELECT n FROM ##made").contains("\n3\n"));
}

/// Fault tsql-03: CREATE PROCEDURE in SQL Server's manual, "Temporary procedures".
#[test]
fn temporary_procedures_end_with_their_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = || Database::open(folder.path()).expect("a database");
    {
        let instance = Instance::new(database(), "test");
        let (mut first, mut second) = (instance.session(), instance.session());
        seen(&mut first, "CREATE PROCEDURE #own AS SELECT 1 AS n");
        seen(&mut first, "CREATE PROCEDURE ##all AS SELECT 2 AS n");
        seen(&mut second, "CREATE PROCEDURE ##other AS SELECT 3 AS n");
        assert!(seen(&mut first, "EXEC #own").contains("\n1\n"));
        assert!(seen(&mut second, "EXEC #own").contains("Msg 2812"));
        assert!(seen(&mut second, "EXEC ##all").contains("\n2\n"));
        // An open transaction of the session that ends is rolled back first.
        seen(&mut first, "BEGIN TRANSACTION; DROP PROCEDURE ##all");
        drop(first);
        assert!(seen(&mut second, "EXEC ##all").contains("Msg 2812"));
        assert!(seen(&mut second, "EXEC ##other").contains("\n3\n"));
        let mut third = instance.session();
        seen(&mut third, "CREATE PROCEDURE ##all AS SELECT 4 AS n");
        assert!(seen(&mut second, "EXEC ##all").contains("\n4\n"));
        // A crash ends no session.
        std::mem::forget((second, third));
    }
    let copy = tempfile::tempdir().expect("a folder");
    copy_folder(folder.path(), copy.path());
    let instance = Instance::new(Database::open(copy.path()).expect("a database"), "test");
    let mut session = instance.session();
    assert!(seen(&mut session, "EXEC ##all").contains("Msg 2812"));
    assert!(seen(&mut session, "EXEC ##other").contains("Msg 2812"));
    assert!(seen(&mut session, "EXEC #own").contains("Msg 2812"));
    assert!(seen(&mut session, "SELECT name FROM tempdb.sys.objects").contains("(0 rows)"));
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => std::fs::copy(entry.path(), target).map(drop).expect("to copy a file"),
        }
    }
}

/// Waits until files are checked again.
fn later() {
    std::thread::sleep(Duration::from_millis(300));
}

#[allow(clippy::disallowed_methods, reason = "the files are the test's own")]
fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("to write a file");
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the files are the test's own")]
fn procedures_are_files_of_the_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let deep = folder.path().join("procedures/dbo");
    std::fs::create_dir_all(&deep).expect("folders");
    let file = deep.join("Half.sql");
    write(&file, "SET ANSI_NULLS ON\nGO\nCREATE PROCEDURE dbo.Half @n INT AS\nSELECT @n / 2 AS half\nGO\n");
    let complaints: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = Arc::clone(&complaints);
    let tell = Box::new(move |text: &str| told.lock().expect("a list").push(text.to_owned()));
    let instance = instance().with_procedures(Arc::new(Disk), folder.path(), None, tell);
    instance.read_procedures();
    let mut session = instance.session();
    assert!(seen(&mut session, "EXEC Half 14").contains("\n7\n"));
    assert!(seen(&mut session, "SELECT name FROM sys.procedures").contains("\nHalf\n"));

    // Only the file changes it.
    let told =
        "The procedure 'dbo.Half' is defined by the file procedures/dbo/Half.sql. Change, rename or delete that file.";
    for statement in [
        "ALTER PROCEDURE Half @n INT AS SELECT 0 AS half",
        "CREATE OR ALTER PROCEDURE dbo.Half @n INT AS SELECT 0 AS half",
        "DROP PROCEDURE Half",
        "DROP PROCEDURE IF EXISTS dbo.half",
        "EXEC sp_rename 'Half', 'Whole'",
        "CREATE SCHEMA other EXEC('ALTER SCHEMA other TRANSFER dbo.Half')",
    ] {
        let answer = seen(&mut session, statement);
        assert!(answer.contains("Msg 50000") && answer.contains(told), "{statement}: {answer}");
        assert!(seen(&mut session, "EXEC Half 14").contains("\n7\n"), "{statement}");
    }
    assert!(seen(&mut session, "CREATE PROCEDURE Half AS SELECT 0 AS half").contains("Msg 2714"));

    // A new version is taken; one that does not compile is reported, and the old one stays.
    write(&file, "CREATE OR ALTER PROCEDURE dbo.Half @n INT AS\nSELECT @n / 2.0 AS half");
    later();
    assert!(seen(&mut session, "EXEC Half 7").contains("\n3.500000\n"));
    write(&file, "CREATE PROCEDURE dbo.Half @n INT AS\n\nSELECT @m FROM");
    later();
    let answer = seen(&mut session, "EXEC Half 7");
    assert!(answer.starts_with("procedures/dbo/Half.sql, line 3: ") && answer.contains("\n3.500000\n"), "{answer}");
    assert!(answer.contains("The version before it stays in use."), "{answer}");
    assert_eq!(complaints.lock().expect("a list").len(), 1);
    assert!(!seen(&mut session, "EXEC Half 7").contains("procedures/"));

    // A file that goes takes its procedure along, and a new one brings its own.
    write(&deep.join("Third.SQL"), "CREATE FUNCTION dbo.Third (@n INT) RETURNS INT AS BEGIN RETURN @n / 3 END");
    std::fs::remove_file(&file).expect("to remove it");
    later();
    assert!(seen(&mut session, "SELECT dbo.Third(9) AS third").contains("\n3\n"));
    assert!(seen(&mut session, "EXEC Half 7").contains("Msg 2812"));
}

#[test]
fn a_file_without_an_object_is_told_of() {
    let files = mainstay_vfs::Memory::new();
    let root = Path::new("/shop");
    files.write("/shop/procedures/two.sql", "CREATE PROCEDURE a AS RETURN\nGO\nCREATE PROCEDURE b AS RETURN");
    files.write("/shop/procedures/none.sql", "SELECT 1");
    let instance = instance().with_procedures(Arc::new(files), root, None, Box::new(|_| {}));
    let answer = seen(&mut instance.session(), "SELECT 1 AS n");
    assert!(answer.contains("procedures/none.sql, line 0: The file has no object"), "{answer}");
    assert!(answer.contains("procedures/two.sql, line 3: A file has one object (error 50000)."), "{answer}");
}

#[test]
fn the_console_prints_as_sqlcmd_does() {
    let instance = instance();
    let mut session = instance.session();
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let mut console = Console::new(&mut out, &mut errors);
    let script = "CREATE TABLE t (n INT, name VARCHAR(10))\nGO\nINSERT INTO t VALUES (1, 'one'), (20, NULL)\nGO 2\n\
                  SELECT n, name FROM t WHERE n < 20\nPRINT 'said'\nSELECT 1 / 0\nGO\n\
                  CREATE PROCEDURE p @n INT AS\nRETURN @n * 2\nGO\n.explain p\nEXEC nothing\nGO\n";
    console.script(&mut session, script);
    assert!(console.has_failed());
    let (out, errors) = (String::from_utf8(out).expect("text"), String::from_utf8(errors).expect("text"));
    let rows = "\n(2 rows affected)\n(2 rows affected)\nn name\n- ----\n1 one\n1 one\n\n(2 rows affected)\nsaid\n";
    assert!(format!("\n{out}").starts_with(rows), "{out}");
    assert!(out.contains("routine") && out.contains("return"), "{out}");
    let divided = "Msg 8134, Level 16, State 1, Server MAINSTAY, Line 3\nDivide by zero error encountered.\n";
    let missing = "Msg 2812, Level 16, State 62, Server MAINSTAY, Line 1\nCould not find stored procedure 'nothing'.\n";
    assert_eq!(errors, format!("{divided}{missing}"));
}

#[test]
fn locks_of_applications_are_between_sessions() {
    let instance = instance();
    let (mut first, mut second) = (instance.session(), instance.session());
    let take = |session: &mut Session, mode: &str, owner: &str| {
        let text = format!("DECLARE @r int; EXEC @r = sp_getapplock 'Door', '{mode}', '{owner}', 50; SELECT @r AS r");
        let answer = seen(session, &text);
        answer.lines().nth(1).unwrap_or(&answer).to_owned()
    };
    assert_eq!(take(&mut first, "Shared", "Session"), "0");
    assert_eq!(take(&mut second, "Shared", "Session"), "0");
    assert_eq!(take(&mut second, "Exclusive", "Session"), "-1");
    assert_eq!(take(&mut first, "Exclusive", "Transaction"), "-999");
    seen(&mut first, "EXEC sp_releaseapplock 'Door', 'Session'");
    seen(&mut second, "EXEC sp_releaseapplock @Resource = 'Door', @LockOwner = 'Session'");
    let again = seen(&mut second, "EXEC sp_releaseapplock 'Door', 'Session'");
    assert!(again.contains("because it is not currently held"), "{again}");
    // A transaction's locks end with it, a session's with the session.
    seen(&mut first, "BEGIN TRAN");
    assert_eq!(take(&mut first, "Exclusive", "Transaction"), "0");
    assert_eq!(take(&mut second, "Shared", "Session"), "-1");
    seen(&mut first, "COMMIT");
    assert_eq!(take(&mut second, "Exclusive", "Session"), "0");
    drop(second);
    assert_eq!(take(&mut first, "Exclusive", "Session"), "0");
}

#[test]
fn a_session_keeps_what_it_is_told() {
    let mut session = instance().session();
    seen(&mut session, "EXEC sp_set_session_context N'tenant', 7; EXEC sys.sp_set_session_context 'user', 'anna', 1");
    let asked =
        "SELECT CAST(SESSION_CONTEXT(N'TENANT') AS int) AS t, CAST(SESSION_CONTEXT(N'user') AS varchar(9)) AS u";
    assert!(seen(&mut session, asked).contains("\n7 | anna\n"), "{}", seen(&mut session, asked));
    assert!(seen(&mut session, "EXEC sp_set_session_context 'User', 'bert'").contains("Msg 15664"));
}

#[test]
fn tables_columns_and_modules_get_other_names() {
    let mut session = instance().session();
    seen(&mut session, "CREATE TABLE t (a INT PRIMARY KEY, c INT); INSERT INTO t VALUES (1, 2)");
    seen(&mut session, "CREATE PROCEDURE p AS SELECT b FROM u");
    let column = seen(&mut session, "EXEC sp_rename 'dbo.t.a', 'b', 'COLUMN'");
    assert!(column.contains("Caution: Changing any part of an object name"), "{column}");
    seen(&mut session, "EXEC sp_rename 't', 'u'; EXEC sp_rename 'dbo.p', 'q'");
    assert!(seen(&mut session, "EXEC q").contains("[b int]\n1\n"));
    assert!(seen(&mut session, "EXEC p").contains("Msg 2812"));
    assert!(seen(&mut session, "EXEC sp_rename 'nothing', 'x'").contains("Msg 15225"));
    assert!(seen(&mut session, "EXEC sp_rename 'u.z', 'x', 'COLUMN'").contains("Msg 15248"));
    assert!(seen(&mut session, "EXEC sp_rename 'u.b', 'c', 'COLUMN'").contains("Msg 15335"));
    assert!(seen(&mut session, "EXEC sp_rename 'u', 'x', 'THING'").contains("Msg 15249"));
}

/// A procedure that reads and fills a table of another session.
const USER: &str = "CREATE PROCEDURE fill @v VARCHAR(20) AS
    BEGIN
        INSERT INTO #t VALUES (@v)
        SELECT * FROM #t
        UPDATE #t SET v = v
        SELECT MAX(v) AS most FROM #t
        DELETE FROM #t
    END";

#[test]
fn a_plan_never_runs_on_a_table_of_another_definition() {
    let instance = instance();
    let (mut first, mut second) = (instance.session(), instance.session());
    seen(&mut first, USER);
    // The same name, one definition after the other, in two sessions that take turns; now and then something else is
    // defined in between.
    let definitions = [
        ("v INT", "7", "[v int]\n7\n(1 rows)", "[most int]\n7\n"),
        ("v VARCHAR(20)", "7", "[v varchar(20)]\n7\n(1 rows)", "[most varchar(20)]\n7\n"),
        ("v DECIMAL(9,2)", "7", "[v decimal(9,2)]\n7.00\n(1 rows)", "[most decimal(9,2)]\n7.00\n"),
        ("v INT", "8", "[v int]\n8\n(1 rows)", "[most int]\n8\n"),
        ("id INT IDENTITY(5,5), v INT", "9", "[id int | v int]\n5 | 9\n(1 rows)", "[most int]\n9\n"),
        ("v INT NOT NULL PRIMARY KEY", "1", "[v int]\n1\n(1 rows)", "[most int]\n1\n"),
        ("v INT CHECK (v < 5)", "4", "[v int]\n4\n(1 rows)", "[most int]\n4\n"),
        ("v INT, w AS v * 2", "3", "[v int | w int]\n3 | 6\n(1 rows)", "[most int]\n3\n"),
        ("v DATE", "20200102", "[v date]\n2020-01-02\n(1 rows)", "[most date]\n2020-01-02\n"),
    ];
    for round in 0..27usize {
        for (at, session) in [&mut first, &mut second].into_iter().enumerate() {
            let (columns, value, rows, most) = definitions[(round * (1 + at) + at * 4) % definitions.len()];
            if round % 4 == 1 {
                seen(session, &format!("CREATE TABLE other{round}_{at} (n INT); DROP TABLE other{round}_{at}"));
            }
            let text = format!("CREATE TABLE #t ({columns}); EXEC fill '{value}'; EXEC fill '{value}'");
            let told = seen(session, &text);
            if columns.contains("IDENTITY") {
                // The second row has the next number.
                assert!(told.contains("\n5 | 9\n") && told.contains("\n10 | 9\n"), "{columns}: {told}");
            } else {
                assert_eq!(told.matches(rows).count(), 2, "{columns}: {told}");
            }
            assert_eq!(told.matches(most).count(), 2, "{columns}: {told}");
            assert!(!told.contains("Msg"), "{columns}: {told}");
        }
        seen(&mut first, "DROP TABLE #t");
        seen(&mut second, "DROP TABLE #t");
    }
    assert!(seen(&mut first, "EXEC fill '1'").contains("Msg 208"));
}

#[test]
fn plans_follow_tables_through_loops_and_nested_calls() {
    let instance = instance();
    let mut session = instance.session();
    for text in [
        // The inner one sees the caller's table, or its own when it has made one.
        "CREATE PROCEDURE inner_one @own BIT AS
         BEGIN
             IF @own = 1 CREATE TABLE #t (a VARCHAR(10), b INT)
             INSERT INTO #t VALUES (40, 2)
             SELECT COUNT(*) AS n, MIN(a) AS least FROM #t
         END",
        "CREATE PROCEDURE outer_one @kind INT AS
         BEGIN
             DECLARE @i INT = 0
             WHILE @i < 3
             BEGIN
                 IF @kind = 1 CREATE TABLE #t (a INT, b INT) ELSE CREATE TABLE #t (a DECIMAL(6,1), b INT)
                 EXEC inner_one 0
                 EXEC inner_one 1
                 EXEC inner_one 0
                 SELECT SUM(a) AS total FROM #t
                 DROP TABLE #t
                 SET @i += 1
             END
         END",
    ] {
        seen(&mut session, text);
    }
    let of = |kind: usize| {
        let (data_type, one, total) = match kind {
            1 => ("int", "40", "[total int]\n80"),
            _ => ("decimal(6,1)", "40.0", "[total decimal(38,1)]\n80.0"),
        };
        let own = "[n int | least varchar(10)]\n1 | 40\n";
        let theirs = |n: usize| format!("[n int | least {data_type}]\n{n} | {one}\n");
        (theirs(1), own, theirs(2), total)
    };
    for kind in [1, 2, 1, 1, 2] {
        let told = seen(&mut session, &format!("EXEC outer_one {kind}"));
        let (one, own, two, total) = of(kind);
        for expected in [one.as_str(), own, two.as_str(), total] {
            assert_eq!(told.matches(expected).count(), 3, "{expected} in {told}");
        }
    }
}

#[test]
fn plans_follow_tables_of_the_database() {
    let instance = instance();
    let (mut first, mut second) = (instance.session(), instance.session());
    seen(&mut first, "CREATE PROCEDURE look AS SELECT * FROM p WHERE id = 1");
    seen(&mut first, "CREATE PROCEDURE put AS INSERT INTO p (id) VALUES (1)");
    let make = ["id INT PRIMARY KEY, x INT", "id INT PRIMARY KEY, x INT", "x INT, id INT", "id BIGINT PRIMARY KEY"];
    let heads = [
        "[id int | x int]\n1 | NULL\n",
        "[id int | x int]\n1 | NULL\n",
        "[x int | id int]\nNULL | 1\n",
        "[id bigint]\n1\n",
    ];
    for round in 0..12 {
        let (columns, head) = (make[round % 4], heads[round % 4]);
        seen(&mut second, &format!("CREATE TABLE p ({columns})"));
        for session in [&mut first, &mut second] {
            seen(session, "EXEC put");
            let told = seen(session, "EXEC look");
            assert!(told.contains(head), "{columns}: {told}");
            seen(session, "DELETE FROM p");
        }
        // A rollback brings the table back under the plans, and one of its own name hides it from them.
        seen(&mut first, "BEGIN TRAN; DROP TABLE p; CREATE TABLE p (id CHAR(3)); EXEC put; ROLLBACK");
        seen(&mut first, "EXEC put");
        assert!(seen(&mut first, "EXEC look").contains(head));
        assert!(seen(&mut second, "EXEC look").contains(head));
        seen(&mut second, "DROP TABLE p");
    }
    assert!(seen(&mut first, "EXEC look").contains("Msg 208"));
}

#[test]
fn rules_of_unique_indexes_are_there_after_a_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = || Instance::new(Database::open(folder.path()).expect("a database"), "test");
    let first = open();
    seen(
        &mut first.session(),
        "CREATE TABLE t (A VARCHAR(9) NULL UNIQUE, B INT NULL, S CHAR(1));
         CREATE UNIQUE INDEX ix ON t (B) WHERE S = 'A' AND B IS NOT NULL;
         INSERT t VALUES (NULL, 1, 'A'), ('x', 1, 'B'), ('y', NULL, 'A'), ('z', NULL, 'A')",
    );
    drop(first);
    let second = open();
    let mut session = second.session();
    assert!(seen(&mut session, "INSERT t VALUES (NULL, 2, 'A')").contains("Msg 2627"));
    assert!(seen(&mut session, "INSERT t VALUES ('1', 1, 'a')").contains("Msg 2601"));
    assert!(seen(&mut session, "INSERT t VALUES ('2', 1, 'B')").contains("(1 rows affected)"));
}

#[allow(clippy::disallowed_methods, reason = "a file of another program")]
fn put(path: &Path, content: &[u8]) {
    std::fs::write(path, content).expect("a file");
}

/// A folder with these files, and a session over it.
fn with_files(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Session) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        put(&folder.path().join(name), content);
    }
    let database = Database::open(folder.path()).expect("a database");
    (folder, Instance::new(database, "test").session())
}

fn wide(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    [0xFF, 0xFE].into_iter().chain(units).collect()
}

/// BULK INSERT as scripts of samples use it: terminators of several characters, wide text, quotes, rows that are left out.
#[test]
fn a_file_fires_triggers_where_it_says_so() {
    // The column that is computed has a field, too.
    let rows = b"1\t10\t\t\n2\t20\tx\t\n3\t\ty\t\n";
    let (_folder, mut session) = with_files(&[("rows.txt", rows), ("bad.txt", b"5\t1\tx\t\n5\t1\tx\t\n")]);
    let setup = "CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(5) DEFAULT 'none', twice AS a * 2)
                 CREATE TABLE log (n INT, total INT, twice INT, b VARCHAR(100), open_ INT)";
    assert_eq!(seen(&mut session, setup), "");
    let trigger = "CREATE TRIGGER watch ON t AFTER INSERT AS
                   INSERT log SELECT COUNT(*), SUM(a), SUM(twice), STRING_AGG(b, ',') WITHIN GROUP (ORDER BY id), @@TRANCOUNT
                   FROM inserted HAVING COUNT(*) < 99
                   IF EXISTS (SELECT 1 FROM inserted WHERE a = 20) AND EXISTS (SELECT 1 FROM log WHERE n < 0) ROLLBACK";
    assert_eq!(seen(&mut session, trigger), "");
    assert!(seen(&mut session, "BULK INSERT t FROM 'rows.txt'").ends_with("(3 rows affected)\n"));
    assert!(seen(&mut session, "SELECT COUNT(*) AS n FROM log").contains("\n0\n"));
    let load = "DELETE t; BULK INSERT t FROM 'rows.txt' WITH (FIRE_TRIGGERS, TABLOCK)";
    let told = seen(&mut session, load);
    assert!(told.ends_with("(3 rows affected)\n"), "{told}");
    let told = seen(&mut session, "SELECT * FROM log");
    assert!(told.contains("\n3 | 30 | 60 | none,x,y | 1\n"), "{told}");
    // Nothing stays of a load that fails, or that a trigger rolls back.
    let told = seen(&mut session, "BULK INSERT t FROM 'bad.txt' WITH (FIRE_TRIGGERS)");
    assert!(told.contains("Msg 2627"), "{told}");
    let load = "INSERT log (n) VALUES (-1) DELETE t; BULK INSERT t FROM 'rows.txt' WITH (FIRE_TRIGGERS)";
    let told = seen(&mut session, load);
    assert!(told.contains("Msg 3609"), "{told}");
    assert!(seen(&mut session, "SELECT COUNT(*) AS n FROM t").contains("\n0\n"));
    let instead = "CREATE TRIGGER other ON t INSTEAD OF INSERT AS RETURN";
    assert_eq!(seen(&mut session, instead), "");
    assert!(seen(&mut session, "BULK INSERT t FROM 'rows.txt' WITH (FIRE_TRIGGERS)").contains("Msg 40515"));
}

#[test]
fn files_are_put_into_tables() {
    let (folder, mut session) = with_files(&[
        ("plain.txt", b"n\tname\tat\n1\tAnn\t2001-02-03\n2\t\t\n3\tB\xe4r\t20010204 10:00\n"),
        ("wide.csv", &wide("1+|two\nlines+|0A0B+|&|\r\n2+|+|+|x&|\r\n")),
        ("quoted.csv", "id,name\r\n7,\"a, \"\"b\"\"\"\r\n8,ä\r\n".as_bytes()),
        ("bad.txt", b"1,much too long\n2,ok\nx,ok\n4,ok\n"),
        ("short.txt", b"1,a\n2\n"),
        ("page.txt", b"1\t\xC4\xEE\xEC\n"),
    ]);
    let setup = "CREATE TABLE page (id INT, name VARCHAR(3) COLLATE Cyrillic_General_CI_AS)
         CREATE TABLE plain (n INT IDENTITY PRIMARY KEY, name VARCHAR(10) DEFAULT 'none', at DATETIME NULL)
         CREATE TABLE wide (id INT, t NVARCHAR(MAX), b VARBINARY(10), twice AS id * 2, rest NVARCHAR(5))
         CREATE TABLE quoted (id INT PRIMARY KEY, name NVARCHAR(20))
         CREATE TABLE small (id INT, name VARCHAR(5), CHECK (id < 100))";
    assert_eq!(seen(&mut session, setup), "");
    let loaded = seen(&mut session, "BULK INSERT plain FROM 'plain.txt' WITH (FIRSTROW = 2, DATAFILETYPE = 'char')");
    assert_eq!(loaded, "(3 rows affected)\n");
    let rows = seen(&mut session, "SELECT n, name, CONVERT(CHAR(16), at, 120) AS at FROM plain ORDER BY n");
    assert!(rows.contains("1 | Ann | 2001-02-03 00:00\n2 | none | NULL\n3 | Bär | 2001-02-04 10:00\n"), "{rows}");
    // Numbers of the file, no defaults, and only some of the rows.
    let again =
        "DELETE plain; BULK INSERT plain FROM 'plain.txt' WITH (FIRSTROW = 3, LASTROW = 3, KEEPIDENTITY, KEEPNULLS)
         INSERT plain (name) VALUES ('next') SELECT n, name FROM plain ORDER BY n";
    assert!(seen(&mut session, again).ends_with("\n2 | NULL\n4 | next\n(2 rows)\n"));

    // The table has a column that is computed: its field is passed over.
    let text = "1+|two\nlines+|0A0B+|2+|&|\r\n2+|+|+|+|x&|\r\n";
    put(&folder.path().join("wide.csv"), &wide(text));
    let path = folder.path().join("wide.csv");
    let load = format!(
        "BULK INSERT dbo.wide FROM '{}' WITH (CODEPAGE = 'ACP', DATAFILETYPE = 'widechar', FIELDTERMINATOR = '+|',
         ROWTERMINATOR = '&|\\n', KEEPIDENTITY, TABLOCK)",
        path.display()
    );
    assert_eq!(seen(&mut session, &load), "(2 rows affected)\n");
    let rows = seen(&mut session, "SELECT id, REPLACE(t, CHAR(10), '/') AS t, b, twice, rest FROM wide ORDER BY id");
    assert!(rows.contains("\n1 | two/lines | 0x0A0B | 2 | NULL\n2 | NULL | NULL | 4 | x\n"), "{rows}");

    let load = "BULK INSERT quoted FROM 'quoted.csv' WITH (FORMAT = 'CSV', FIRSTROW = 2, CODEPAGE = '65001')
                SELECT * FROM quoted ORDER BY id";
    assert!(seen(&mut session, load).ends_with("\n7 | a, \"b\"\n8 | ä\n(2 rows)\n"));

    let load = "BULK INSERT page FROM 'page.txt' WITH (CODEPAGE = '1251') SELECT id, name FROM page";
    assert!(seen(&mut session, load).ends_with("\n1 | Дом\n(1 rows)\n"));

    let load = "BULK INSERT small FROM 'bad.txt' WITH (FIELDTERMINATOR = ',', MAXERRORS = 2) SELECT id FROM small";
    let told = seen(&mut session, load);
    assert!(told.contains("Msg 4863") && told.contains("(truncation) for row 1, column 2 (name)."), "{told}");
    assert!(told.contains("Msg 4864") && told.contains("for row 3, column 1 (id)."), "{told}");
    assert!(told.ends_with("\n2\n4\n(2 rows)\n"), "{told}");
    for (load, number) in [
        ("'bad.txt' WITH (FIELDTERMINATOR = ',', MAXERRORS = 1)", "Msg 7330"),
        ("'short.txt' WITH (FIELDTERMINATOR = ',')", "Msg 4832"),
        ("'nothing.txt'", "Msg 4860"),
        ("'/etc/hostname'", "Msg 4861"),
        ("'../up.txt'", "Msg 4861"),
        ("'bad.txt' WITH (FORMATFILE = 'f.fmt')", "Msg 40515"),
    ] {
        let told = seen(&mut session, &format!("BULK INSERT small FROM {load}"));
        assert!(told.contains(number), "{load}: {told}");
    }
    assert!(seen(&mut session, "BULK INSERT nobody FROM 'bad.txt'").contains("Msg 4701"));
    let whole =
        "SELECT f.BulkColumn AS c, (SELECT LEN(BulkColumn) FROM OPENROWSET(BULK 'wide.csv', SINGLE_NCLOB) AS w) AS n
                 FROM OPENROWSET(BULK N'short.txt', SINGLE_CLOB) AS f
                 SELECT CONVERT(VARBINARY(4), BulkColumn) AS b FROM OPENROWSET(BULK 'wide.csv', SINGLE_BLOB) AS f";
    let told = seen(&mut session, whole);
    assert!(told.contains("[c varchar(max) | n bigint]\n1,a\n2\n | 41\n"), "{told}");
    assert!(told.contains("\n0xFFFE3100\n"), "{told}");
    for (from, number) in
        [("BULK '../x', SINGLE_CLOB", "Msg 4861"), ("BULK 'short.txt', FORMATFILE = 'f'", "Msg 40515")]
    {
        let told = seen(&mut session, &format!("SELECT * FROM OPENROWSET({from}) AS f"));
        assert!(told.contains(number), "{from}: {told}");
    }
    // The failed statement has left nothing behind.
    assert!(seen(&mut session, "SELECT COUNT(*) FROM small").contains("\n2\n"));
}

/// Tables that are files are read as others; what is no table of DBF is not changed.
#[test]
fn files_of_the_folder_are_tables() {
    let (_folder, mut session) = with_files(&[("prices.csv", b"item,price\nbolt,2.50\nnut,0.75\n")]);
    let read = "SELECT TOP (1) item, price * 2 AS twice FROM prices WHERE item LIKE 'b%' ORDER BY price DESC
                SELECT COUNT(*) AS n FROM prices AS p JOIN (VALUES ('nut')) AS v (item) ON v.item = p.item
                CREATE TABLE kept (item VARCHAR(10)) INSERT kept SELECT item FROM prices SELECT COUNT(*) AS n FROM kept";
    let told = seen(&mut session, read);
    assert!(told.contains("\nbolt | 5.00\n(1 rows)\n[n int]\n1\n(1 rows)\n(2 rows affected)\n[n int]\n2\n"), "{told}");
    // Text of files compares as that of tables does.
    assert!(seen(&mut session, "SELECT item FROM prices WHERE item = 'NUT'").ends_with("\nnut\n(1 rows)\n"));
    for change in ["UPDATE prices SET price = 1", "DELETE prices", "INSERT prices VALUES ('x', 1)"] {
        assert!(seen(&mut session, change).contains("Msg 50000, Level 16"), "{change}");
    }
    assert!(seen(&mut session, "SELECT SUM(price) AS s FROM prices").contains("\n3.25\n"));
}

/// A temporary table is described where it is.
#[test]
fn temporary_tables_are_told_of_in_tempdb() {
    let mut session = instance().session();
    seen(&mut session, "CREATE TABLE #told (id INT IDENTITY PRIMARY KEY, name VARCHAR(20) NOT NULL DEFAULT 'x')");
    let told = seen(&mut session, "EXEC tempdb..sp_help '#told'");
    for line in [
        "\n#told | dbo | user table | ",
        "\nname | varchar | no | 20 | ",
        "\nid | 1 | 1 | 0\n",
        "\nDEFAULT on column name | ",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(seen(&mut session, "EXEC sp_help '#told'").contains("Msg 15009, "));
}

/// The procedures about the server show two sessions and one database.
#[test]
fn the_server_tells_who_is_there() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    let own = seen(&mut one, "SELECT @@SPID AS n").lines().nth(1).unwrap_or("").to_owned();
    let others = seen(&mut other, "SELECT @@SPID AS n").lines().nth(1).unwrap_or("").to_owned();
    assert_ne!(own, others);
    for procedure in ["sp_who", "sp_who2", "EXEC sp_who"] {
        let told = seen(&mut one, procedure);
        let first = |line: &str| line.split(" | ").next().map(|cell| cell.trim().to_owned());
        let numbers: Vec<String> = told.lines().filter_map(first).collect();
        assert!(numbers.contains(&own) && numbers.contains(&others), "{procedure}: {told}");
    }
    let told = seen(&mut one, "sp_helpdb");
    assert!(told.starts_with("[name ") && told.lines().any(|line| line.starts_with("test | ")), "{told}");
    drop(other);
    assert!(!seen(&mut one, "sp_who").lines().any(|line| line.starts_with(&format!("{others} |"))));
}

/// A session of a pool is reset for its next user, and others see its state meanwhile.
#[test]
fn a_session_is_reset_to_where_it_began() {
    let instance = instance();
    let mut session = instance.session();
    let mut other = instance.session();
    let own = seen(&mut session, "SELECT @@SPID AS n").lines().nth(1).unwrap_or("").to_owned();
    let mut told = || {
        let query = format!(
            "SELECT transaction_isolation_level, open_transaction_count FROM sys.dm_exec_sessions WHERE session_id = {own}"
        );
        seen(&mut other, &query).lines().nth(1).unwrap_or("").to_owned()
    };
    assert_eq!(told(), "2 | 0");
    seen(&mut session, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN TRAN; BEGIN TRAN; USE tempdb");
    assert_eq!((told().as_str(), session.database().as_str()), ("4 | 2", "tempdb"));
    session.reset(false);
    assert_eq!((told().as_str(), session.database().as_str()), ("2 | 0", "test"));
}

/// A session sees that another one waits for it.
#[test]
fn it_is_shown_who_waits_for_whom() {
    let instance = instance();
    let (mut one, mut other, mut third) = (instance.session(), instance.session(), instance.session());
    let number = |session: &mut Session| seen(session, "SELECT @@SPID AS n").lines().nth(1).unwrap_or("").to_owned();
    let (holder, waiter) = (number(&mut one), number(&mut other));
    let mut told = |query: &str| {
        let seen = seen(&mut third, query);
        let rows = seen.lines().filter(|line| !line.starts_with(['[', '(']));
        rows.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(told("SELECT COUNT(*) FROM sys.dm_os_waiting_tasks"), "0");
    seen(&mut one, "CREATE TABLE Held (id INT PRIMARY KEY, a INT) INSERT Held VALUES (1, 1)");
    seen(&mut one, "BEGIN TRAN UPDATE Held SET a = 2 WHERE id = 1");
    std::thread::scope(|scope| {
        scope.spawn(|| seen(&mut other, "UPDATE Held SET a = 3"));
        std::thread::sleep(std::time::Duration::from_millis(400));
        let blocked = format!("{waiter} | {holder} | LCK_M_X | suspended | 1");
        let query = "SELECT session_id, blocking_session_id, wait_type, status, IIF(wait_time > 100, 1, 0)
                     FROM sys.dm_exec_requests WHERE blocking_session_id > 0";
        assert_eq!(told(query), blocked);
        let query = "SELECT session_id, blocking_session_id, wait_type FROM sys.dm_os_waiting_tasks";
        assert_eq!(told(query), format!("{waiter} | {holder} | LCK_M_X"));
        let who = told("sp_who2");
        let line = who.split("; ").find(|line| line.starts_with(&waiter)).unwrap_or("").to_owned();
        assert!(line.contains("suspended") && line.split(" | ").nth(4).is_some_and(|by| by.trim() == holder), "{who}");
        let query = "SELECT request_session_id, resource_type, request_mode, request_status FROM sys.dm_tran_locks
                     WHERE resource_type <> 'DATABASE' ORDER BY 4, 1, 2";
        // Both have written the table; the second one has nothing of it yet.
        let locks = format!(
            "{holder} | KEY | X | GRANT; {holder} | OBJECT | IX | GRANT; {waiter} | OBJECT | IX | GRANT; \
             {waiter} | KEY | X | WAIT"
        );
        assert_eq!(told(query), locks);
        let query =
            "SELECT OBJECT_NAME(resource_associated_entity_id) FROM sys.dm_tran_locks WHERE request_mode = 'IX'";
        assert_eq!(told(query), "Held; Held");
        assert_eq!(told("SELECT session_id FROM sys.dm_tran_session_transactions"), holder);
        assert_eq!(told("SELECT COUNT(*) FROM sys.dm_tran_active_transactions"), "1");
        assert!(told(&format!("DBCC INPUTBUFFER({waiter})")).starts_with("Language Event | 0 | UPDATE Held SET a = 3"));
        assert!(seen(&mut one, "DBCC OPENTRAN").contains(&format!("SPID (server process ID): {holder}")));
        let rows = told("DBCC OPENTRAN WITH TABLERESULTS, NO_INFOMSGS");
        assert!(
            rows.starts_with(&format!("OLDACT_SPID | {holder}; OLDACT_UID | -1; OLDACT_NAME | user_tra")),
            "{rows}"
        );
        let taken = "CREATE TABLE #open (what VARCHAR(25), details NVARCHAR(100))
                     INSERT #open EXEC ('DBCC OPENTRAN WITH TABLERESULTS, NO_INFOMSGS')
                     SELECT details FROM #open WHERE what = 'OLDACT_SPID'";
        assert!(told(taken).ends_with(&holder));
        let text = format!(
            "SELECT r.session_id, t.text FROM sys.dm_exec_requests AS r
                            CROSS APPLY sys.dm_exec_sql_text(r.sql_handle) AS t WHERE r.session_id = {waiter}"
        );
        assert_eq!(told(&text), format!("{waiter} | UPDATE Held SET a = 3"));
        let text = format!(
            "DECLARE @h BINARY(20) = (SELECT sql_handle FROM sys.sysprocesses WHERE spid = {waiter})
                            SELECT s.text FROM sys.dm_exec_sql_text(@h) AS s JOIN sys.dm_exec_connections AS c
                            ON c.most_recent_sql_handle = @h"
        );
        assert_eq!(told(&text), "UPDATE Held SET a = 3");
        seen(&mut one, "COMMIT");
    });
    assert_eq!(told("SELECT COUNT(*) FROM sys.dm_exec_requests WHERE status = 'suspended'"), "0");
    assert!(seen(&mut one, "DBCC OPENTRAN").contains("No active open transactions."));
}
