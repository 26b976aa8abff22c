//! Definitions and rows in transactions beside other sessions: statements that proceed, statements that wait and for
//! how long, and their results afterwards.

mod common;

use common::Transcript;
use mainstay_engine::Database;
use mainstay_session::push::Session as _;
use mainstay_tsql_runtime::{Instance, Session};
use std::time::{Duration, Instant};

const NONE: [i32; 0] = [];

fn instance() -> Instance {
    let instance = Instance::new(Database::in_memory().expect("a database in memory"), "test");
    let setup = "CREATE TABLE Orders (id INT PRIMARY KEY, amount INT NOT NULL)
                 CREATE TABLE Stock (id INT PRIMARY KEY, amount INT NOT NULL)
                 INSERT Orders VALUES (1, 10), (2, 20) INSERT Stock VALUES (1, 100), (2, 200)";
    assert_eq!(errors(&mut instance.session(), setup), NONE);
    instance
}

/// The numbers of the errors of a batch.
fn errors(session: &mut Session, batch: &str) -> Vec<i32> {
    let mut transcript = Transcript::default();
    session.batch(batch, &mut transcript);
    transcript.errors.iter().map(|error| error.number).collect()
}

/// The first row of what a query shows.
fn value(session: &mut Session, query: &str) -> String {
    let mut transcript = Transcript::default();
    session.batch(query, &mut transcript);
    assert!(transcript.errors.is_empty(), "{:?}", transcript.errors);
    transcript.text.lines().nth(1).unwrap_or("").to_owned()
}

/// Runs a batch in another thread until it waits, does something, and gives the batch's errors.
fn while_it_waits(session: &mut Session, batch: &str, work: impl FnOnce()) -> Vec<i32> {
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| errors(session, batch));
        std::thread::sleep(Duration::from_millis(300));
        assert!(!waiting.is_finished(), "it waits");
        work();
        waiting.join().expect("a batch")
    })
}

#[test]
fn temporary_tables_in_transactions_block_nobody() {
    let instance = instance();
    let work = |id: u32| {
        format!(
            "SET LOCK_TIMEOUT 0 BEGIN TRAN
             CREATE TABLE #t (id INT PRIMARY KEY, a INT DEFAULT 7)
             DECLARE @v TABLE (a INT) INSERT @v VALUES (1)
             INSERT #t (id) SELECT id FROM Orders
             CREATE INDEX i ON #t (a)
             SELECT a INTO #u FROM #t
             ALTER TABLE #u ADD b INT
             UPDATE Orders SET amount = amount + 1 WHERE id = {id}
             DROP TABLE #u"
        )
    };
    let (mut one, mut other, mut third) = (instance.session(), instance.session(), instance.session());
    assert_eq!(errors(&mut one, &work(1)), NONE);
    assert_eq!(errors(&mut other, &work(2)), NONE);
    assert_eq!(
        errors(&mut third, "SET LOCK_TIMEOUT 0 BEGIN TRAN CREATE TABLE Third (a INT) INSERT Third VALUES (1)"),
        NONE
    );
    for session in [&mut one, &mut other, &mut third] {
        assert_eq!(errors(session, "COMMIT"), NONE);
    }
    assert_eq!(value(&mut one, "SELECT SUM(amount) FROM Orders"), "32");
}

#[test]
fn a_definition_locks_its_own_table() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    assert_eq!(errors(&mut one, "BEGIN TRAN ALTER TABLE Orders ADD note VARCHAR(10) CREATE TABLE News (a INT)"), NONE);
    assert_eq!(errors(&mut other, "SET LOCK_TIMEOUT 20 UPDATE Stock SET amount = 1 WHERE id = 1"), NONE);
    assert_eq!(errors(&mut other, "INSERT Orders VALUES (3, 30)"), [1222]);
    assert_eq!(errors(&mut other, "DROP TABLE Orders"), [1222]);
    assert_eq!(errors(&mut other, "ALTER TABLE Stock ADD note VARCHAR(10)"), NONE);
    // A reader has the table as it was, and nothing that is new.
    assert_eq!(value(&mut other, "SELECT * FROM Orders WHERE id = 2"), "2 | 20");
    assert_eq!(errors(&mut other, "SELECT a FROM News"), [208]);
    assert_eq!(errors(&mut one, "COMMIT"), NONE);
    assert_eq!(errors(&mut other, "INSERT Orders VALUES (3, 30, 'x') INSERT News VALUES (1)"), NONE);
    assert_eq!(value(&mut other, "SELECT COUNT(*) FROM Orders WHERE note = 'x'"), "1");
}

#[test]
fn truncate_has_the_table_alone() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    assert_eq!(
        errors(&mut one, "CREATE TABLE News (id INT IDENTITY PRIMARY KEY, a INT) INSERT News VALUES (1), (2)"),
        NONE
    );
    // It waits for rows that are not committed: they would outlive it, with numbers that come again.
    assert_eq!(errors(&mut one, "BEGIN TRAN INSERT News VALUES (3)"), NONE);
    assert_eq!(errors(&mut other, "SET LOCK_TIMEOUT 20 TRUNCATE TABLE News"), [1222]);
    let waited = while_it_waits(&mut other, "SET LOCK_TIMEOUT -1 TRUNCATE TABLE News", || {
        assert_eq!(errors(&mut one, "COMMIT"), NONE);
    });
    assert_eq!(waited, NONE);
    assert_eq!(value(&mut one, "SELECT COUNT(*) FROM News"), "0");
    // A session that inserts waits for it and continues afterwards, by whichever way the row comes.
    let procedure = "CREATE PROCEDURE Put @a INT AS INSERT News (a) VALUES (@a)";
    assert_eq!(errors(&mut other, procedure), NONE);
    assert_eq!(errors(&mut other, "EXEC Put 1 INSERT News (a) SELECT a FROM News"), NONE);
    let merge =
        "MERGE News AS n USING (SELECT 9 AS a) AS s ON n.a = s.a WHEN NOT MATCHED THEN INSERT (a) VALUES (s.a);";
    for batch in ["EXEC Put 1", "INSERT News (a) SELECT 7", "INSERT News VALUES (1), (2)", merge] {
        assert_eq!(errors(&mut one, "BEGIN TRAN TRUNCATE TABLE News"), NONE);
        let inserted = while_it_waits(&mut other, batch, || assert_eq!(errors(&mut one, "COMMIT"), NONE));
        assert_eq!(inserted, NONE, "{batch}");
        assert_eq!(value(&mut one, "SELECT MIN(id) FROM News"), "1", "{batch}");
    }
}

#[test]
fn truncate_takes_what_was_committed_after_its_transaction_looked() {
    for level in ["SNAPSHOT", "REPEATABLE READ", "SERIALIZABLE"] {
        let instance = instance();
        let (mut one, mut other) = (instance.session(), instance.session());
        let table = "CREATE TABLE News (id INT IDENTITY PRIMARY KEY, a INT) INSERT News VALUES (1), (2)";
        assert_eq!(errors(&mut one, table), NONE);
        let begin = format!("SET TRANSACTION ISOLATION LEVEL {level} BEGIN TRAN SELECT COUNT(*) FROM Orders");
        assert_eq!(errors(&mut one, &begin), NONE);
        assert_eq!(errors(&mut other, "INSERT News VALUES (3), (4) UPDATE News SET a = 9 WHERE id = 1"), NONE);
        let truncate = "TRUNCATE TABLE News INSERT News VALUES (5), (6), (7), (8)";
        assert_eq!(errors(&mut one, truncate), NONE, "{level}");
        assert_eq!(errors(&mut one, "COMMIT"), NONE, "{level}");
        assert_eq!(value(&mut other, "SELECT COUNT(*), MIN(a), MAX(id) FROM News"), "4 | 5 | 4", "{level}");
    }
}

#[test]
fn an_object_is_created_once() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    for (kind, body) in [
        ("PROCEDURE", "AS SELECT"),
        ("FUNCTION", "() RETURNS INT AS BEGIN RETURN"),
        ("TRIGGER", "ON Stock AFTER INSERT AS SELECT"),
    ] {
        let end = if kind == "FUNCTION" { " END" } else { "" };
        let text = |verb: &str, number: u8| format!("{verb} {kind} Made {body} {number}{end}");
        // An object that one session has created exists for the other one, which had looked before.
        assert_eq!(errors(&mut one, "BEGIN TRAN"), NONE);
        assert_eq!(errors(&mut one, &text("CREATE", 1)), NONE);
        // A trigger waits for the table before it looks for the name.
        let second = while_it_waits(&mut other, &text("CREATE", 2), || assert_eq!(errors(&mut one, "COMMIT"), NONE));
        assert_eq!(second, [2714], "{kind}");
        let kept = "SELECT definition FROM sys.sql_modules WHERE object_id = OBJECT_ID('Made')";
        assert_eq!(value(&mut one, kept), text("CREATE", 1));
        // An object that one session has dropped is gone for the other one.
        assert_eq!(errors(&mut one, &format!("BEGIN TRAN DROP {kind} Made")), NONE);
        let second = while_it_waits(&mut other, &text("ALTER", 3), || assert_eq!(errors(&mut one, "COMMIT"), NONE));
        assert_eq!(second, [208], "{kind}");
        assert_eq!(value(&mut one, "SELECT COUNT(*) FROM sys.objects WHERE name = 'Made'"), "0");
    }
}

#[test]
fn a_table_has_its_new_name_with_all_that_belongs_to_it_or_not_at_all() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    let table = "CREATE TABLE Old (a INT CONSTRAINT D_Old DEFAULT 7, b INT)";
    let trigger = "CREATE TRIGGER Watch ON Old AFTER INSERT AS UPDATE Stock SET amount = amount + 1 WHERE id = 1";
    assert_eq!(errors(&mut one, table), NONE);
    assert_eq!(errors(&mut one, trigger), NONE);
    // Another session holds the name of the default for a while.
    assert_eq!(errors(&mut other, "BEGIN TRAN EXEC sp_rename 'D_Old', 'D_Other'"), NONE);
    assert_eq!(errors(&mut one, "SET LOCK_TIMEOUT 20 EXEC sp_rename 'Old', 'New'"), [1222]);
    assert_eq!(errors(&mut one, "INSERT Old (b) VALUES (1)"), NONE);
    assert_eq!(value(&mut one, "SELECT amount FROM Stock WHERE id = 1"), "101");
    assert_eq!(errors(&mut other, "COMMIT"), NONE);
    assert_eq!(errors(&mut one, "EXEC sp_rename 'Old', 'New'"), NONE);
    assert_eq!(errors(&mut other, "INSERT New (b) VALUES (1)"), NONE);
    assert_eq!(value(&mut one, "SELECT amount FROM Stock WHERE id = 1"), "102");
    // A trigger that is disabled stays so under another name.
    assert_eq!(errors(&mut one, "DISABLE TRIGGER Watch ON New EXEC sp_rename 'Watch', 'See'"), NONE);
    assert_eq!(errors(&mut other, "INSERT New (b) VALUES (2)"), NONE);
    assert_eq!(value(&mut one, "SELECT amount FROM Stock WHERE id = 1"), "102");
}

#[test]
fn tablock_has_the_table_of_a_change_alone() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    assert_eq!(errors(&mut other, "SET LOCK_TIMEOUT 20"), NONE);
    for batch in [
        "INSERT Orders WITH (TABLOCK) SELECT id + 10, amount FROM Stock",
        "UPDATE Orders WITH (TABLOCK) SET amount = 5 WHERE id = 1",
        "DELETE o FROM Orders AS o WITH (TABLOCK, XLOCK) WHERE id = 99",
        "MERGE Orders WITH (TABLOCK) AS o USING Stock AS s ON o.id = s.id WHEN MATCHED THEN UPDATE SET amount = 1;",
        "SELECT COUNT(*) FROM Orders WITH (TABLOCKX)",
        "IF EXISTS (SELECT 1 FROM Orders WITH (TABLOCK, UPDLOCK) WHERE id = 99) PRINT 'there'",
    ] {
        assert_eq!(errors(&mut one, &format!("BEGIN TRAN {batch}")), NONE, "{batch}");
        assert_eq!(errors(&mut other, "UPDATE Orders SET amount = 6 WHERE id = 2"), [1222], "{batch}");
        assert_eq!(errors(&mut other, "INSERT Orders VALUES (77, 7)"), [1222], "{batch}");
        assert_eq!(errors(&mut other, "SELECT * FROM Orders WITH (UPDLOCK) WHERE id = 2"), [1222], "{batch}");
        assert_eq!(value(&mut other, "SELECT COUNT(*) FROM Orders WHERE id < 10"), "2", "{batch}");
        assert_eq!(errors(&mut one, "ROLLBACK"), NONE, "{batch}");
    }
    // It waits for a writer, and a shared lock lets others have one.
    assert_eq!(errors(&mut one, "BEGIN TRAN UPDATE Orders SET amount = 5 WHERE id = 1"), NONE);
    assert_eq!(errors(&mut other, "INSERT Orders WITH (TABLOCK) VALUES (50, 5)"), [1222]);
    assert_eq!(errors(&mut one, "ROLLBACK"), NONE);
    let shared = "BEGIN TRAN SELECT MAX(id) FROM Orders WITH (TABLOCK, HOLDLOCK) WHERE id = 1";
    assert_eq!(errors(&mut one, shared), NONE);
    assert_eq!(errors(&mut other, shared), NONE);
    assert_eq!(errors(&mut other, "COMMIT"), NONE);
    assert_eq!(errors(&mut other, "UPDATE Orders SET amount = 6 WHERE id = 2"), [1222]);
    assert_eq!(errors(&mut other, "INSERT Orders VALUES (77, 7)"), [1222]);
    assert_eq!(errors(&mut one, "COMMIT"), NONE);
}

#[test]
fn of_those_in_a_deadlock_the_one_of_the_lowest_priority_gives_way() {
    for (first, second, victim) in [("NORMAL", "NORMAL", 2), ("LOW", "NORMAL", 1), ("-6", "-7", 2), ("3", "HIGH", 1)] {
        let instance = instance();
        let (mut one, mut other) = (instance.session(), instance.session());
        let begin = |priority: &str, table: &str| {
            format!("SET DEADLOCK_PRIORITY {priority} BEGIN TRAN UPDATE {table} SET amount = 0 WHERE id = 1")
        };
        assert_eq!(errors(&mut one, &begin(first, "Orders")), NONE);
        assert_eq!(errors(&mut other, &begin(second, "Stock")), NONE);
        let mut of_other = Vec::new();
        let of_one = while_it_waits(&mut one, "UPDATE Stock SET amount = 1 WHERE id = 1 COMMIT", || {
            of_other = errors(&mut other, "UPDATE Orders SET amount = 2 WHERE id = 1 COMMIT");
        });
        let (told, spared) = if victim == 1 { (of_one, of_other) } else { (of_other, of_one) };
        assert_eq!((told, spared), (vec![1205], vec![]), "{first} {second}");
        let amounts = if victim == 1 { "2 | 0" } else { "0 | 1" };
        let query = "SELECT o.amount, s.amount FROM Orders AS o JOIN Stock AS s ON s.id = o.id WHERE o.id = 1";
        assert_eq!(value(&mut one, query), amounts, "{first} {second}");
    }
}

#[test]
fn a_lock_timeout_is_that_of_the_open_transaction_too() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    assert_eq!(errors(&mut one, "BEGIN TRAN UPDATE Orders SET amount = 5 WHERE id = 1"), NONE);
    let update = "UPDATE Orders SET amount = 6 WHERE id = 1";
    assert_eq!(errors(&mut other, &format!("BEGIN TRAN SET LOCK_TIMEOUT 20 {update}")), [1222]);
    // A session that a pool hands out again waits without a limit.
    other.reset(false);
    let done = while_it_waits(&mut other, update, || assert_eq!(errors(&mut one, "COMMIT"), NONE));
    assert_eq!(done, NONE);
}

#[test]
fn who_waited_is_planned_in_its_language_again() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    let trigger = "CREATE TRIGGER Watch ON Orders AFTER INSERT, UPDATE, DELETE AS
                   BEGIN DECLARE @n INT = (SELECT COUNT(*) FROM inserted) + (SELECT COUNT(*) FROM deleted) END";
    assert_eq!(errors(&mut one, trigger), NONE);
    let update = "UPDATE Orders SET amount = amount + 1 WHERE id = 1";
    let merge = "MERGE Orders AS o USING (SELECT 2 AS id) AS s ON o.id = s.id WHEN MATCHED THEN UPDATE SET amount = 9;";
    // The columns that its triggers see are others.
    for batch in [update, "INSERT Orders (id, amount) VALUES (7, 7)", "DELETE Orders WHERE id = 2", merge] {
        for change in ["ADD note INT NULL", "DROP COLUMN note"] {
            assert_eq!(errors(&mut one, &format!("BEGIN TRAN ALTER TABLE Orders {change}")), NONE);
            let done = while_it_waits(&mut other, batch, || assert_eq!(errors(&mut one, "COMMIT"), NONE));
            assert_eq!(done, NONE, "{change}: {batch}");
            let again = "DELETE Orders WHERE id IN (2, 7) INSERT Orders (id, amount) VALUES (2, 20)";
            assert_eq!(errors(&mut one, again), NONE);
        }
    }
    // Values are converted to what the column is then.
    assert_eq!(
        errors(&mut one, "UPDATE Orders SET amount = 100 BEGIN TRAN ALTER TABLE Orders ALTER COLUMN amount TINYINT"),
        NONE
    );
    let overflow = "UPDATE Orders SET amount = amount + 200 WHERE id = 1";
    let done = while_it_waits(&mut other, overflow, || assert_eq!(errors(&mut one, "COMMIT"), NONE));
    assert_eq!(done, [220]);
    assert_eq!(value(&mut other, "SELECT amount FROM Orders WHERE id = 1"), "100");
}

#[test]
fn triggers_are_those_of_the_moment_of_writing() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    let setup = "CREATE TABLE Log (what VARCHAR(20))
                 EXEC ('CREATE TRIGGER Second ON Stock AFTER UPDATE AS INSERT Log VALUES (''second'')')
                 EXEC ('CREATE TRIGGER Third ON Stock AFTER UPDATE AS INSERT Log VALUES (''third'')')
                 EXEC ('CREATE PROCEDURE Put AS UPDATE Stock SET amount = 1 WHERE id = 1')";
    assert_eq!(errors(&mut one, setup), NONE);
    assert_eq!(errors(&mut other, "EXEC Put DELETE Log"), NONE);
    let changes = "BEGIN TRAN
                   EXEC ('CREATE TRIGGER First ON Stock AFTER UPDATE AS INSERT Log VALUES (''first'')')
                   DISABLE TRIGGER Second ON Stock
                   DROP TRIGGER Third";
    assert_eq!(errors(&mut one, changes), NONE);
    let done = while_it_waits(&mut other, "EXEC Put", || assert_eq!(errors(&mut one, "COMMIT"), NONE));
    assert_eq!(done, NONE);
    assert_eq!(value(&mut one, "SELECT STRING_AGG(what, ',') FROM Log"), "first");
}

#[test]
fn a_batch_fires_triggers_that_were_made_while_it_ran() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    let setup = "CREATE TABLE Log (what VARCHAR(20))
                 EXEC ('CREATE PROCEDURE Put AS UPDATE Stock SET amount = amount + 1 WHERE id = 1')";
    assert_eq!(errors(&mut one, setup), NONE);
    let (put, update) = ("EXEC Put", "UPDATE Stock SET amount = amount + 1 WHERE id = 1");
    for change in [put, update] {
        let batch = format!("{change} WAITFOR DELAY '00:00:00.8' {change}");
        let done = while_it_waits(&mut other, &batch, || {
            let trigger = "EXEC ('CREATE TRIGGER First ON Stock AFTER UPDATE AS INSERT Log VALUES (''first'')')";
            assert_eq!(errors(&mut one, trigger), NONE);
        });
        assert_eq!(done, NONE);
        assert_eq!(value(&mut one, "SELECT COUNT(*) FROM Log"), "1", "{change}");
        assert_eq!(errors(&mut one, "DROP TRIGGER First DELETE Log"), NONE);
    }
}

#[test]
fn a_trigger_is_there_while_it_is_altered() {
    let instance = instance();
    let mut session = instance.session();
    let setup = "CREATE TABLE News (id INT IDENTITY PRIMARY KEY, a INT) CREATE TABLE Log (id INT PRIMARY KEY)";
    assert_eq!(errors(&mut session, setup), NONE);
    let trigger = |round: u32| {
        format!(
            "CREATE OR ALTER TRIGGER Watch ON News AFTER INSERT AS
             BEGIN DECLARE @i INT = {round} INSERT Log SELECT id FROM inserted END"
        )
    };
    assert_eq!(errors(&mut session, &trigger(0)), NONE);
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut session = instance.session();
                let mut rounds = 0;
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    rounds += 1;
                    assert_eq!(errors(&mut session, &trigger(rounds)), NONE, "two may alter it at once");
                }
            });
        }
        for _ in 0..150 {
            assert_eq!(errors(&mut session, "INSERT News VALUES (1)"), NONE);
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(value(&mut session, "SELECT (SELECT COUNT(*) FROM News), (SELECT COUNT(*) FROM Log)"), "150 | 150");
}

#[test]
fn a_view_misses_no_rows_of_a_table_that_is_another_since() {
    let changes = [
        "ALTER TABLE Orders ADD note INT NOT NULL DEFAULT 5",
        "ALTER TABLE Orders ADD note INT IDENTITY",
        "ALTER TABLE Orders ADD note INT CREATE INDEX i ON Orders (amount)",
        "ALTER TABLE Orders ADD note INT NULL ALTER TABLE Orders ADD CONSTRAINT c CHECK (amount > 0)",
        "DROP TABLE Orders CREATE TABLE Orders (id INT PRIMARY KEY, amount INT) INSERT Orders VALUES (1, 1)",
    ];
    let levels = [("SNAPSHOT", 3960), ("REPEATABLE READ", 1205), ("SERIALIZABLE", 1205)];
    for change in changes {
        for (level, error) in levels {
            for batch in ["SELECT COUNT(*) FROM Orders", "UPDATE Orders SET amount = 1"] {
                let instance = instance();
                let (mut one, mut other) = (instance.session(), instance.session());
                let begin = format!("SET TRANSACTION ISOLATION LEVEL {level} BEGIN TRAN");
                assert_eq!(errors(&mut one, &begin), NONE);
                assert_eq!(value(&mut one, "SELECT COUNT(*) FROM Stock"), "2");
                assert_eq!(errors(&mut other, change), NONE, "{change}");
                assert_eq!(errors(&mut one, batch), [error], "{level}, {change}: {batch}");
            }
        }
    }
}

#[test]
fn who_waited_for_a_definition_goes_on_with_what_it_has_become() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    let procedure = "CREATE PROCEDURE Put @id INT AS INSERT Orders (id, amount) VALUES (@id, 1)";
    assert_eq!(errors(&mut one, procedure), NONE);
    assert_eq!(errors(&mut other, "EXEC Put 10"), NONE);
    for (number, change) in ["ADD note INT NOT NULL DEFAULT 5", "DROP COLUMN spare"].iter().enumerate() {
        if number > 0 {
            assert_eq!(errors(&mut one, "ALTER TABLE Orders ADD spare INT"), NONE);
        }
        assert_eq!(errors(&mut one, &format!("BEGIN TRAN ALTER TABLE Orders {change}")), NONE);
        let batch = format!("EXEC Put {} UPDATE Orders SET amount = 2 WHERE id = 1", 20 + number);
        let done = while_it_waits(&mut other, &batch, || assert_eq!(errors(&mut one, "COMMIT"), NONE));
        assert_eq!(done, NONE, "{change}");
    }
    assert_eq!(value(&mut one, "SELECT COUNT(*), SUM(note) FROM Orders"), "5 | 25");
    // A dropped object is reported as missing.
    assert_eq!(errors(&mut one, "BEGIN TRAN DROP TABLE Orders"), NONE);
    let done = while_it_waits(&mut other, "EXEC Put 30", || assert_eq!(errors(&mut one, "COMMIT"), NONE));
    assert_eq!(done, [208]);
}

#[test]
fn what_a_transaction_has_defined_is_there_for_others_when_it_is_committed() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    assert_eq!(errors(&mut one, "BEGIN TRAN"), NONE);
    assert_eq!(errors(&mut one, "CREATE PROCEDURE Five AS RETURN 5"), NONE);
    assert_eq!(errors(&mut other, "EXEC Five"), [2812]);
    assert_eq!(errors(&mut one, "COMMIT"), NONE);
    assert_eq!(value(&mut other, "DECLARE @r INT EXEC @r = Five SELECT @r"), "5");
}

#[test]
fn of_two_that_create_a_table_the_second_waits() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    for (end, expected) in [("ROLLBACK", &NONE[..]), ("COMMIT", &[2714])] {
        assert_eq!(errors(&mut one, "BEGIN TRAN CREATE TABLE Same (a INT)"), NONE);
        let create = "CREATE TABLE same (b INT)";
        let done = while_it_waits(&mut other, create, || assert_eq!(errors(&mut one, end), NONE));
        assert_eq!(done, expected);
        assert_eq!(errors(&mut one, "DROP TABLE Same"), NONE);
    }
}

#[test]
fn a_deadlock_of_a_definition_and_a_row_has_a_victim() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    assert_eq!(errors(&mut one, "BEGIN TRAN ALTER TABLE Orders ADD note INT"), NONE);
    assert_eq!(errors(&mut other, "BEGIN TRAN UPDATE Stock SET amount = 0 WHERE id = 1"), NONE);
    let done = while_it_waits(&mut one, "UPDATE Stock SET amount = 1 WHERE id = 1", || {
        assert_eq!(errors(&mut other, "UPDATE Orders SET amount = 0"), [1205]);
    });
    assert_eq!(done, NONE);
    assert_eq!(errors(&mut one, "COMMIT"), NONE);
    assert_eq!(value(&mut other, "SELECT @@TRANCOUNT, amount FROM Stock WHERE id = 1"), "0 | 1");
}

#[test]
fn many_sessions_define_and_write_at_once() {
    let instance = instance();
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let instance = &instance;
            scope.spawn(move || {
                let mut session = instance.session();
                for round in 0..10 {
                    let batch = format!(
                        "BEGIN TRAN CREATE TABLE #t (id INT, a INT) INSERT #t VALUES (1, 1), (2, 1)
                         CREATE TABLE T{number}_{round} (id INT PRIMARY KEY REFERENCES Orders, made DATETIME)
                         INSERT T{number}_{round} SELECT id, GETDATE() FROM #t
                         IF {round} % 3 = 1 DROP TABLE T{number}_{round}
                         UPDATE Stock SET amount = amount + a FROM #t WHERE #t.id = Stock.id
                         COMMIT DROP TABLE #t"
                    );
                    // A new table with a reference has the one that it refers to; so two may be in each other's way.
                    loop {
                        let found = errors(&mut session, &batch);
                        if found == NONE {
                            break;
                        }
                        assert_eq!(found, [1205]);
                        assert_eq!(value(&mut session, "SELECT @@TRANCOUNT, OBJECT_ID('tempdb..#t')"), "0 | NULL");
                    }
                }
            });
        }
    });
    assert!(begin.elapsed() < Duration::from_secs(120));
    let mut session = instance.session();
    assert_eq!(value(&mut session, "SELECT SUM(amount) FROM Stock"), "380");
    assert_eq!(value(&mut session, "SELECT COUNT(*) FROM sys.tables WHERE name LIKE 'T[0-9]%'"), "28");
}

/// The levels that SQL Server keeps with locks.
const LEVELS: [&str; 4] = ["READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"];

#[test]
fn changes_wait_for_rows_that_others_have_put_in() {
    // By key, by another index and without one; as plain statements, in procedures, joined, and of what is found by groups.
    let changes = [
        "UPDATE Orders SET amount = 77 WHERE id = 5",
        "DECLARE @id INT = 5 UPDATE Orders SET amount = 77 WHERE id = @id",
        "UPDATE Orders SET amount = 77 WHERE id BETWEEN 4 AND 6",
        "UPDATE Orders SET amount = 77 WHERE amount = 50",
        "UPDATE o SET amount = 77 FROM Orders o JOIN (VALUES (5), (6)) v (id) ON v.id = o.id",
        "UPDATE Orders SET amount = 77 WHERE amount > (SELECT AVG(amount) + 25 FROM Orders WHERE id < 3)",
        "WITH last AS (SELECT TOP (1) * FROM Orders ORDER BY id DESC) UPDATE last SET amount = 77",
        "MERGE Orders AS o USING (VALUES (5, 77)) v (id, amount) ON v.id = o.id
             WHEN MATCHED THEN UPDATE SET amount = v.amount WHEN NOT MATCHED THEN INSERT VALUES (v.id, 0);",
        "BEGIN TRAN DECLARE @a INT SELECT @a = amount FROM Orders WITH (UPDLOCK) WHERE id = 5
             IF @a IS NULL INSERT Orders VALUES (5, 1) ELSE UPDATE Orders SET amount = @a + 27 WHERE id = 5 COMMIT",
    ];
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    for level in LEVELS {
        assert_eq!(errors(&mut other, &format!("SET TRANSACTION ISOLATION LEVEL {level}")), NONE);
        let some = if level == "READ COMMITTED" { changes.len() } else { 2 };
        for change in changes.iter().rev().take(some) {
            assert_eq!(errors(&mut one, "BEGIN TRAN INSERT Orders VALUES (5, 50)"), NONE);
            let done = while_it_waits(&mut other, change, || assert_eq!(errors(&mut one, "COMMIT"), NONE));
            assert_eq!(done, NONE, "{level}: {change}");
            assert_eq!(value(&mut one, "SELECT amount FROM Orders WHERE id = 5"), "77", "{level}: {change}");
            assert_eq!(errors(&mut one, "DELETE Orders WHERE id = 5"), NONE);
        }
    }
}

#[test]
fn a_row_that_was_put_in_and_taken_back_is_not_found() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    for change in
        ["UPDATE Orders SET amount = 77 WHERE id = 5", "DELETE Orders WHERE amount = 50", "TRUNCATE TABLE Stock"]
    {
        assert_eq!(errors(&mut one, "BEGIN TRAN INSERT Orders VALUES (5, 50) INSERT Stock VALUES (5, 50)"), NONE);
        let count = format!("{change} IF @@ROWCOUNT > 0 RAISERROR ('a row', 16, 1)");
        let done = while_it_waits(&mut other, &count, || assert_eq!(errors(&mut one, "ROLLBACK"), NONE));
        assert_eq!(done, NONE, "{change}");
    }
    assert_eq!(value(&mut one, "SELECT SUM(amount) FROM Orders"), "30");
    assert_eq!(value(&mut one, "SELECT COUNT(*) FROM Stock"), "0");
}

#[test]
fn a_row_is_waited_for_that_another_change_makes_match() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    for (end, expected) in [("ROLLBACK", "0"), ("COMMIT", "1")] {
        assert_eq!(errors(&mut one, "BEGIN TRAN UPDATE Orders SET amount = 99 WHERE id = 2"), NONE);
        let delete = "DELETE Orders WHERE amount = 99 INSERT Stock VALUES (90 + @@ROWCOUNT, 0)";
        let done = while_it_waits(&mut other, delete, || assert_eq!(errors(&mut one, end), NONE));
        assert_eq!(done, NONE);
        assert_eq!(value(&mut one, "SELECT MAX(id) - 90 FROM Stock"), expected);
    }
}

#[test]
fn other_rows_snapshots_and_those_who_pass_by_do_not_wait() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    assert_eq!(errors(&mut one, "BEGIN TRAN INSERT Orders VALUES (5, 50)"), NONE);
    let free = [
        "UPDATE Orders SET amount = 10 WHERE id = 1",
        "UPDATE Orders SET amount = 20 WHERE amount = 20",
        "DELETE Orders WHERE id = 6",
        "DELETE TOP (1) FROM Orders WITH (READPAST) WHERE id > 4",
        "SELECT * FROM Orders WITH (UPDLOCK, READPAST) WHERE id = 5",
        "SELECT * FROM Orders WHERE id = 5",
        "SET TRANSACTION ISOLATION LEVEL SNAPSHOT UPDATE Orders SET amount = 77 WHERE id = 5",
    ];
    assert_eq!(errors(&mut other, "SET LOCK_TIMEOUT 50"), NONE);
    for statement in free {
        assert_eq!(errors(&mut other, statement), NONE, "{statement}");
    }
    assert_eq!(errors(&mut other, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"), NONE);
    for statement in
        ["UPDATE Orders SET amount = 77 WHERE id = 5", "SELECT * FROM Orders WITH (UPDLOCK, NOWAIT) WHERE amount = 50"]
    {
        assert_eq!(errors(&mut other, statement), [1222], "{statement}");
    }
    assert_eq!(errors(&mut one, "COMMIT"), NONE);
}

#[test]
fn a_row_that_comes_to_a_transaction_which_has_read_makes_it_a_victim() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    for (level, expected) in [("READ COMMITTED", &NONE[..]), ("REPEATABLE READ", &[1205]), ("SERIALIZABLE", &[1205])] {
        assert_eq!(errors(&mut one, "BEGIN TRAN INSERT Orders VALUES (5, 50)"), NONE);
        let read = format!("SET TRANSACTION ISOLATION LEVEL {level} BEGIN TRAN SELECT COUNT(*) FROM Orders");
        assert_eq!(errors(&mut other, &read), NONE);
        let change = "UPDATE Orders SET amount = 77 WHERE id = 5 COMMIT";
        let done = while_it_waits(&mut other, change, || assert_eq!(errors(&mut one, "COMMIT"), NONE));
        assert_eq!(done, expected, "{level}");
        assert_eq!(errors(&mut one, "DELETE Orders WHERE id = 5"), NONE);
    }
}

#[test]
fn the_first_statement_of_a_transaction_waits_at_every_level_and_goes_on() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    for level in LEVELS {
        assert_eq!(errors(&mut one, "UPDATE Orders SET amount = 10 BEGIN TRAN UPDATE Orders SET amount = 11"), NONE);
        let change = format!("SET TRANSACTION ISOLATION LEVEL {level} UPDATE Orders SET amount += 5 WHERE id = 1");
        let done = while_it_waits(&mut other, &change, || assert_eq!(errors(&mut one, "COMMIT"), NONE));
        assert_eq!(done, NONE, "{level}");
        assert_eq!(value(&mut one, "SELECT amount FROM Orders WHERE id = 1"), "16", "{level}");
    }
}

#[test]
fn a_deadlock_of_rows_that_were_put_in_has_a_victim() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    assert_eq!(errors(&mut one, "BEGIN TRAN INSERT Orders VALUES (5, 50)"), NONE);
    assert_eq!(errors(&mut other, "BEGIN TRAN INSERT Orders VALUES (6, 60)"), NONE);
    let done = while_it_waits(&mut one, "UPDATE Orders SET amount = 61 WHERE id = 6", || {
        assert_eq!(errors(&mut other, "DELETE Orders WHERE amount = 50"), [1205]);
    });
    assert_eq!(done, NONE);
    assert_eq!(errors(&mut one, "COMMIT"), NONE);
    assert_eq!(value(&mut other, "SELECT COUNT(*), MAX(id) FROM Orders"), "3 | 5");
}

#[test]
fn who_says_nowait_waits_for_nobody() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    let held = "BEGIN TRAN SELECT * FROM Orders WITH (UPDLOCK, HOLDLOCK) WHERE id = 1";
    assert_eq!(errors(&mut one, held), NONE);
    // A setting that would wait for long; the statements give up at once.
    assert_eq!(errors(&mut other, "SET LOCK_TIMEOUT 20000"), NONE);
    let start = Instant::now();
    for hurried in [
        "SELECT * FROM Orders WITH (UPDLOCK, HOLDLOCK, ROWLOCK, NOWAIT) WHERE id = 1",
        "SELECT * FROM Orders WITH (UPDLOCK, NOWAIT) WHERE id = 1",
        "UPDATE Orders WITH (NOWAIT) SET amount = 1 WHERE id = 1",
        "DELETE FROM Orders WITH (NOWAIT) WHERE id = 1",
    ] {
        assert_eq!(errors(&mut other, hurried), [1222], "{hurried}");
    }
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(value(&mut other, "SELECT @@LOCK_TIMEOUT"), "20000");
    // The setting is in force again: this one waits.
    let waits = "UPDATE Orders SET amount = 11 WHERE id = 1";
    assert_eq!(while_it_waits(&mut other, waits, || assert_eq!(errors(&mut one, "COMMIT"), NONE)), NONE);
}

/// The texts of the errors of a batch.
fn texts(session: &mut Session, batch: &str) -> Vec<String> {
    let mut transcript = Transcript::default();
    session.batch(batch, &mut transcript);
    transcript.errors.iter().map(|error| error.text.clone()).collect()
}

/// SQL Server's text of 1222 is `Lock request time out period exceeded.`; the lock and its holder follow it.
fn assert_held(session: &mut Session, batch: &str, lock: &str) {
    let start = format!("Lock request time out period exceeded. {lock} is locked by user sa, program ");
    let found = texts(session, batch);
    assert_eq!(found.len(), 1, "{batch}: {found:?}");
    assert!(found[0].starts_with(&start) && found[0].contains(", since 20"), "{batch}: {found:?}");
}

#[test]
fn a_lock_timeout_names_the_row_and_its_holder() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    let pairs = "CREATE TABLE Pairs (a INT, b VARCHAR(5), c INT, PRIMARY KEY (a, b)) CREATE TABLE Bare (a INT)
                 INSERT Pairs VALUES (1, 'x', 0) INSERT Bare VALUES (1)";
    assert_eq!(errors(&mut one, pairs), NONE);
    let work = "BEGIN TRAN UPDATE Orders SET amount = 11 WHERE id = 2 INSERT Orders VALUES (5, 50)
                UPDATE Pairs SET c = 1 SELECT * FROM Stock WITH (UPDLOCK) WHERE id = 1 UPDATE Bare SET a = 2";
    assert_eq!(errors(&mut one, work), NONE);
    assert_eq!(errors(&mut other, "SET LOCK_TIMEOUT 20"), NONE);
    assert_held(&mut other, "UPDATE Orders SET amount = 5 WHERE id = 2", "Row (id = 2) of Orders");
    assert_held(&mut other, "INSERT Orders VALUES (5, 51)", "Row (id = 5) of Orders");
    assert_held(&mut other, "DELETE Pairs", "Row (a = 1, b = 'x') of Pairs");
    assert_held(&mut other, "UPDATE Stock SET amount = 1 WHERE id = 1", "Row (id = 1) of Stock");
    let bare = texts(&mut other, "DELETE Bare");
    assert!(bare[0].contains(" Row number ") && bare[0].contains(" of Bare is locked by user sa"), "{bare:?}");
    assert_held(&mut other, "ALTER TABLE Orders ADD note INT", "The definition of Orders");
    assert_eq!(errors(&mut one, "COMMIT"), NONE);
    assert_eq!(errors(&mut other, "UPDATE Orders SET amount = 5 WHERE id = 2"), NONE);
}

#[test]
fn rows_that_a_transaction_has_changed_are_listed() {
    let instance = instance();
    let (mut one, mut other) = (instance.session(), instance.session());
    let number = value(&mut one, "SELECT @@SPID");
    let work = "BEGIN TRAN UPDATE Orders SET amount = 11 WHERE id = 2 UPDATE Orders SET amount = 12 WHERE id = 2
                DELETE Orders WHERE id = 1 INSERT Stock VALUES (3, 300)
                SELECT * FROM Stock WITH (UPDLOCK) WHERE id IN (1, 3)";
    assert_eq!(errors(&mut one, work), NONE);
    let listed = |mode: &str| {
        format!(
            "SELECT COUNT(*), COUNT(DISTINCT resource_description) FROM sys.dm_tran_locks
             WHERE resource_type = 'KEY' AND request_mode = '{mode}' AND request_session_id = {number}"
        )
    };
    assert_eq!(value(&mut other, &listed("X")), "3 | 3");
    assert_eq!(value(&mut other, &listed("U")), "1 | 1");
    assert_eq!(errors(&mut one, "ROLLBACK"), NONE);
    assert_eq!(value(&mut other, &listed("X")), "0 | 0");
    // A list is bounded; the transaction is not.
    let many = "BEGIN TRAN INSERT Stock SELECT 10 + value, 0 FROM GENERATE_SERIES(1, 12000)";
    assert_eq!(errors(&mut one, many), NONE);
    assert_eq!(value(&mut other, &listed("X")), "10000 | 10000");
    assert_eq!(errors(&mut one, "ROLLBACK"), NONE);
}

#[test]
fn records_of_dbf_tables_are_listed_and_their_holder_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = Database::open(folder.path()).expect("a database");
    let table = "CREATE TABLE shop (id DECIMAL(8,0), name CHAR(20)) WITH (FORMAT=dbf, VERSION=foxpro)";
    for statement in [table, "INSERT INTO shop VALUES (1, 'one'), (2, 'two')"] {
        database.session().execute(statement).expect("a statement");
    }
    let instance = Instance::new(database, "test");
    let (mut one, mut other) = (instance.session(), instance.session());
    let number = value(&mut one, "SELECT @@SPID");
    assert_eq!(errors(&mut one, "BEGIN TRAN UPDATE shop SET name = 'x' WHERE id = 2"), NONE);
    let listed = "SELECT request_session_id, resource_description, request_mode, request_status
                  FROM sys.dm_tran_locks WHERE resource_type = 'RID'";
    assert_eq!(value(&mut other, listed), format!("{number} | shop.dbf:2 | X | GRANT"));
    let change = "SET LOCK_TIMEOUT 50 UPDATE shop SET name = 'y' WHERE id = 2";
    assert_held(&mut other, change, "Record 2 of shop.dbf");
    assert_eq!(errors(&mut one, "ROLLBACK"), NONE);
    assert_eq!(value(&mut other, listed), "(0 rows)");
    assert_eq!(errors(&mut other, change), NONE);
}
