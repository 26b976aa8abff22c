//! Concurrent callers of procedures: visibility by isolation level, and invariants when many of them write.

mod common;
mod procedures;

use common::Transcript;
use mainstay_engine::Database;
use mainstay_session::Cancel;
use mainstay_session::push::Session as _;
use mainstay_tsql_runtime::{Instance, Session};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

fn instance(setup: &str) -> Instance {
    let instance = Instance::new(Database::in_memory().expect("a database in memory"), "test");
    assert_eq!(errors(&mut instance.session(), setup), NONE);
    instance
}

const NONE: [i32; 0] = [];

/// The numbers of the errors of a batch.
fn errors(session: &mut Session, batch: &str) -> Vec<i32> {
    let mut transcript = Transcript::default();
    session.batch(batch, &mut transcript);
    transcript.errors.iter().map(|error| error.number).collect()
}

/// The last line but one that a query shows: its only row.
fn value(session: &mut Session, query: &str) -> String {
    let mut transcript = Transcript::default();
    session.batch(query, &mut transcript);
    assert!(transcript.errors.is_empty(), "{:?}", transcript.errors);
    transcript.text.lines().nth(1).unwrap_or("").to_owned()
}

const ACCOUNTS: &str = "CREATE TABLE Accounts (id INT PRIMARY KEY, balance INT NOT NULL)
    DECLARE @i INT = 1
    WHILE @i <= 10 BEGIN INSERT Accounts VALUES (@i, 100) SET @i += 1 END";

#[test]
fn readers_do_not_wait_for_writers_and_see_what_is_committed() {
    let instance = instance(ACCOUNTS);
    let (mut writer, mut reader) = (instance.session(), instance.session());
    assert_eq!(errors(&mut writer, "BEGIN TRAN UPDATE Accounts SET balance = 0 WHERE id = 1"), NONE);
    let begin = Instant::now();
    for level in ["READ COMMITTED", "READ UNCOMMITTED", "REPEATABLE READ", "SNAPSHOT", "SERIALIZABLE"] {
        let read = format!("SET TRANSACTION ISOLATION LEVEL {level} SELECT balance FROM Accounts WHERE id = 1");
        assert_eq!(value(&mut reader, &read), "100", "{level}");
    }
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert_eq!(value(&mut writer, "SELECT balance FROM Accounts WHERE id = 1"), "0");
    assert_eq!(errors(&mut writer, "COMMIT"), NONE);
    assert_eq!(value(&mut reader, "SELECT balance FROM Accounts WHERE id = 1"), "0");
}

#[test]
fn read_committed_sees_each_commit_and_snapshot_sees_none() {
    let instance = instance(ACCOUNTS);
    let (mut one, mut other) = (instance.session(), instance.session());
    let read = "SELECT SUM(balance) FROM Accounts";
    for (level, expected) in [("READ COMMITTED", "1001"), ("REPEATABLE READ", "1001"), ("SNAPSHOT", "1002")] {
        assert_eq!(errors(&mut one, &format!("SET TRANSACTION ISOLATION LEVEL {level} BEGIN TRAN")), NONE);
        let before = value(&mut one, read);
        assert_eq!(errors(&mut other, "UPDATE Accounts SET balance = balance + 1 WHERE id = 2"), NONE);
        let again = value(&mut one, read);
        match level {
            "READ COMMITTED" => assert_eq!(again, expected),
            _ => assert_eq!(again, before, "{level}"),
        }
        assert_eq!(errors(&mut one, "COMMIT"), NONE);
    }
    assert_eq!(value(&mut one, read), "1003");
}

#[test]
fn increments_are_not_lost_and_read_committed_lets_values_be_overwritten() {
    let instance = instance(ACCOUNTS);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut session = instance.session();
                for _ in 0..25 {
                    assert_eq!(errors(&mut session, "UPDATE Accounts SET balance = balance + 1 WHERE id = 1"), NONE);
                }
            });
        }
    });
    assert_eq!(value(&mut instance.session(), "SELECT balance FROM Accounts WHERE id = 1"), "200");
    // Rows that were read before are not read again: the anomaly that the level allows.
    let (mut one, mut other) = (instance.session(), instance.session());
    let read = "BEGIN TRAN DECLARE @b INT SELECT @b = balance FROM Accounts WHERE id = 2 ";
    assert_eq!(errors(&mut one, "CREATE TABLE #kept (b INT)"), NONE);
    assert_eq!(errors(&mut one, &format!("{read} INSERT #kept VALUES (@b)")), NONE);
    assert_eq!(errors(&mut other, "UPDATE Accounts SET balance = 500 WHERE id = 2"), NONE);
    assert_eq!(errors(&mut one, "UPDATE Accounts SET balance = (SELECT b FROM #kept) + 1 WHERE id = 2 COMMIT"), NONE);
    assert_eq!(value(&mut one, "SELECT balance FROM Accounts WHERE id = 2"), "101");
}

#[test]
fn a_snapshot_that_would_overwrite_a_commit_fails() {
    let instance = instance(ACCOUNTS);
    let (mut one, mut other) = (instance.session(), instance.session());
    let begin = "SET TRANSACTION ISOLATION LEVEL SNAPSHOT BEGIN TRAN SELECT COUNT(*) FROM Accounts";
    assert_eq!(errors(&mut one, begin), NONE);
    assert_eq!(errors(&mut other, "UPDATE Accounts SET balance = 7 WHERE id = 3"), NONE);
    assert_eq!(errors(&mut one, "UPDATE Accounts SET balance = balance + 1 WHERE id = 3"), [3960]);
    // The error ends the transaction.
    assert_eq!(value(&mut one, "SELECT @@TRANCOUNT"), "0");
    assert_eq!(value(&mut one, "SELECT balance FROM Accounts WHERE id = 3"), "7");
}

/// Two that each look at both rows and change one: whether both may commit.
fn skew(level: &str) -> (Vec<i32>, Vec<i32>, String) {
    let instance = instance(ACCOUNTS);
    let (mut one, mut other) = (instance.session(), instance.session());
    let read = format!(
        "SET TRANSACTION ISOLATION LEVEL {level} BEGIN TRAN
         IF (SELECT SUM(balance) FROM Accounts WHERE id IN (1, 2)) < 200 RAISERROR ('too little', 16, 1)"
    );
    assert_eq!(errors(&mut one, &read), NONE);
    assert_eq!(errors(&mut other, &read), NONE);
    let first = errors(&mut one, "UPDATE Accounts SET balance = balance - 150 WHERE id = 1 COMMIT");
    let second = errors(&mut other, "UPDATE Accounts SET balance = balance - 150 WHERE id = 2 COMMIT");
    let sum = value(&mut instance.session(), "SELECT SUM(balance) FROM Accounts WHERE id IN (1, 2)");
    (first, second, sum)
}

#[test]
fn snapshots_allow_write_skew_and_serializable_does_not() {
    assert_eq!(skew("READ COMMITTED"), (vec![], vec![], "-100".to_owned()));
    assert_eq!(skew("SNAPSHOT"), (vec![], vec![], "-100".to_owned()));
    let (first, second, sum) = skew("SERIALIZABLE");
    assert_eq!(first, NONE);
    assert_eq!(second, [1205], "both have committed");
    assert_eq!(sum, "50");
}

/// Of two transactions that change the rows 1 and 2, each in its own order, one is the victim: what each has met, and how
/// many transactions it had open then.
fn crossing(instance: &Instance, change: impl Fn(i32) -> String + Sync) -> [(Vec<i32>, String); 2] {
    let barrier = Barrier::new(2);
    let run = |first: i32, second: i32| {
        let mut session = instance.session();
        assert_eq!(errors(&mut session, &format!("BEGIN TRAN {}", change(first))), NONE);
        barrier.wait();
        let found = errors(&mut session, &format!("{} COMMIT", change(second)));
        (found, value(&mut session, "SELECT @@TRANCOUNT"))
    };
    let mut both = std::thread::scope(|scope| {
        let one = scope.spawn(|| run(1, 2));
        let other = scope.spawn(|| run(2, 1));
        [one.join().unwrap(), other.join().unwrap()]
    });
    both.sort();
    both
}

fn victim_of_two() -> [(Vec<i32>, String); 2] {
    [(vec![], "0".to_owned()), (vec![1205], "0".to_owned())]
}

#[test]
fn of_two_that_wait_for_each_other_one_is_the_victim() {
    let instance = instance(ACCOUNTS);
    let change = |id: i32| format!("UPDATE Accounts SET balance = balance + 1 WHERE id = {id}");
    assert_eq!(crossing(&instance, change), victim_of_two());
    let mut session = instance.session();
    assert_eq!(value(&mut session, "SELECT SUM(balance) FROM Accounts WHERE id IN (1, 2)"), "202");
}

#[test]
fn a_victim_whose_change_fires_triggers_is_told_so_and_keeps_nothing() {
    let instance = instance(ACCOUNTS);
    let mut session = instance.session();
    for definition in [
        "CREATE TABLE Log (text VARCHAR(20))",
        "CREATE TRIGGER Watch ON Accounts AFTER UPDATE AS INSERT Log VALUES ('changed')",
    ] {
        assert_eq!(errors(&mut session, definition), NONE);
    }
    let change = |id: i32| format!("UPDATE Accounts SET balance = balance + 1 WHERE id = {id}");
    assert_eq!(crossing(&instance, change), victim_of_two());
    assert_eq!(value(&mut session, "SELECT COUNT(*) FROM Log"), "2");
    // Caught, it leaves a transaction that can be rolled back and nothing else.
    let caught = |id: i32| {
        format!(
            "BEGIN TRY UPDATE Accounts SET balance = balance + 1 WHERE id = {id} END TRY
            BEGIN CATCH
                IF ERROR_NUMBER() <> 1205 OR XACT_STATE() <> -1 THROW
                ROLLBACK
                BEGIN TRAN
                INSERT Log VALUES ('victim')
            END CATCH"
        )
    };
    assert_eq!(crossing(&instance, caught), [(); 2].map(|()| (vec![], "0".to_owned())));
    assert_eq!(value(&mut session, "SELECT COUNT(*) FROM Log WHERE text = 'changed'"), "4");
    assert_eq!(value(&mut session, "SELECT COUNT(*) FROM Log WHERE text = 'victim'"), "1");
    assert_eq!(value(&mut session, "SELECT SUM(balance) FROM Accounts WHERE id IN (1, 2)"), "204");
}

#[test]
fn a_wait_ends_with_its_time_and_leaves_the_transaction_open() {
    let instance = instance(ACCOUNTS);
    let (mut one, mut other) = (instance.session(), instance.session());
    assert_eq!(errors(&mut one, "BEGIN TRAN UPDATE Accounts SET balance = 1 WHERE id = 1"), NONE);
    let wait = "SET LOCK_TIMEOUT 50 BEGIN TRAN UPDATE Accounts SET balance = 5 WHERE id = 2
        UPDATE Accounts SET balance = 2 WHERE id = 1 SELECT 'goes on'";
    let begin = Instant::now();
    assert_eq!(errors(&mut other, wait), [1222]);
    assert!(begin.elapsed() < Duration::from_secs(10));
    assert_eq!(value(&mut other, "SELECT @@TRANCOUNT"), "1");
    assert_eq!(errors(&mut other, "COMMIT"), NONE);
    assert_eq!(errors(&mut one, "ROLLBACK"), NONE);
    assert_eq!(value(&mut one, "SELECT balance FROM Accounts WHERE id = 2"), "5");
    // Caught like any other error.
    assert_eq!(errors(&mut one, "BEGIN TRAN UPDATE Accounts SET balance = 1 WHERE id = 1"), NONE);
    let caught = "BEGIN TRY UPDATE Accounts SET balance = 2 WHERE id = 1 END TRY
        BEGIN CATCH SELECT ERROR_NUMBER() END CATCH";
    assert_eq!(value(&mut other, caught), "1222");
}

const TRANSFER: &str = "CREATE PROCEDURE Transfer @from INT, @to INT, @amount INT AS
BEGIN
    SET NOCOUNT ON
    SET XACT_ABORT ON
    DECLARE @left INT
    BEGIN TRY
        BEGIN TRAN
        UPDATE Accounts SET @left = balance = balance - @amount WHERE id = @from
        IF @left < 0 THROW 50001, 'too little', 1
        UPDATE Accounts SET balance = balance + @amount WHERE id = @to
        COMMIT
        RETURN 0
    END TRY
    BEGIN CATCH
        IF XACT_STATE() <> 0 ROLLBACK
        RETURN ERROR_NUMBER()
    END CATCH
END";

#[test]
fn transfers_of_many_keep_the_sum_and_no_account_falls_below_nothing() {
    let instance = instance(ACCOUNTS);
    assert_eq!(errors(&mut instance.session(), TRANSFER), NONE);
    std::thread::scope(|scope| {
        for thread in 0..4_i32 {
            let instance = &instance;
            scope.spawn(move || {
                let mut session = instance.session();
                for turn in 0..40_i32 {
                    let draw = (turn * 7 + thread * 13) % 90;
                    let (from, to) = (draw % 10 + 1, (draw / 9 + 3 * thread) % 10 + 1);
                    let call = format!(
                        "DECLARE @r INT = 1205 WHILE @r = 1205 EXEC @r = Transfer {from}, {to}, {}
                         IF @r NOT IN (0, 50001) RAISERROR ('%d', 16, 1, @r)",
                        draw + 1
                    );
                    let mut transcript = Transcript::default();
                    session.batch(&call, &mut transcript);
                    assert!(transcript.errors.is_empty(), "{:?}", transcript.errors);
                }
            });
        }
        // A reader sees the whole sum at any time.
        let mut session = instance.session();
        for _ in 0..20 {
            assert_eq!(value(&mut session, "SELECT SUM(balance) FROM Accounts"), "1000");
        }
    });
    let mut session = instance.session();
    assert_eq!(value(&mut session, "SELECT SUM(balance) FROM Accounts"), "1000");
    assert_eq!(value(&mut session, "SELECT COUNT(*) FROM Accounts WHERE balance < 0"), "0");
}

#[test]
fn what_a_killed_session_has_done_is_undone() {
    let instance = instance(ACCOUNTS);
    let mut session = instance.session();
    let number = value(&mut session, "SELECT @@SPID");
    let begun = Barrier::new(2);
    std::thread::scope(|scope| {
        let killed = scope.spawn(|| {
            let mut session = session;
            let taken = errors(&mut session, "BEGIN TRAN UPDATE Accounts SET balance = balance - 60 WHERE id = 1");
            begun.wait();
            let begin = Instant::now();
            errors(
                &mut session,
                "WAITFOR DELAY '00:01:00' UPDATE Accounts SET balance = balance + 60 WHERE id = 2 COMMIT",
            );
            (taken, begin.elapsed())
        });
        begun.wait();
        // It may not have come to its wait yet.
        let mut other = instance.session();
        while !killed.is_finished() {
            let _ = errors(&mut other, &format!("KILL {number}"));
            std::thread::sleep(Duration::from_millis(20));
        }
        let (taken, time) = killed.join().unwrap();
        assert_eq!(taken, NONE);
        assert!(time < Duration::from_secs(30));
        assert_eq!(value(&mut other, "SELECT SUM(balance) FROM Accounts"), "1000");
        assert_eq!(errors(&mut other, "SET LOCK_TIMEOUT 1000 UPDATE Accounts SET balance = 100 WHERE id = 1"), NONE);
    });
}

/// The ways of inserting or incrementing a row that are safe on SQL Server: no key comes twice, no increment is lost,
/// and there is no deadlock victim.
#[test]
fn rows_that_are_not_there_are_held_by_who_looked_for_them() {
    let upserts = [
        "BEGIN TRAN
         IF NOT EXISTS (SELECT 1 FROM Counts WITH (UPDLOCK, HOLDLOCK) WHERE k = @k) INSERT Counts VALUES (@k, 1)
         ELSE UPDATE Counts SET n = n + 1 WHERE k = @k
         COMMIT",
        "BEGIN TRAN
         UPDATE Counts WITH (UPDLOCK, SERIALIZABLE) SET n = n + 1 WHERE k = @k
         IF @@ROWCOUNT = 0 INSERT Counts VALUES (@k, 1)
         COMMIT",
        "DECLARE @n INT
         BEGIN TRAN
         SELECT @n = n FROM Counts WITH (XLOCK, HOLDLOCK) WHERE k = @k
         IF @n IS NULL INSERT Counts VALUES (@k, 1) ELSE UPDATE Counts SET n = @n + 1 WHERE k = @k
         COMMIT",
        "MERGE Counts WITH (UPDLOCK, HOLDLOCK) AS c USING (SELECT @k AS k) AS s ON c.k = s.k
         WHEN MATCHED THEN UPDATE SET n = c.n + 1 WHEN NOT MATCHED THEN INSERT VALUES (s.k, 1);",
        "INSERT Counts SELECT @k, 0 WHERE NOT EXISTS (SELECT 1 FROM Counts WITH (UPDLOCK, HOLDLOCK) WHERE k = @k)
         UPDATE Counts SET n = n + 1 WHERE k = @k",
    ];
    for (key, of_key) in [("INT", "@i % 15"), ("VARCHAR(10)", "CONCAT(''key'', @i % 15)")] {
        // Text as a key takes the same ways: one of them is enough.
        for upsert in upserts.iter().take(if key == "INT" { 5 } else { 1 }) {
            let instance = instance(&format!(
                "CREATE TABLE Counts (k {key} PRIMARY KEY, n INT NOT NULL)
                 EXEC('CREATE PROCEDURE Count1 @i INT AS SET NOCOUNT ON DECLARE @k {key} = {of_key}; {}')",
                upsert.replace('\'', "''"),
            ));
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        let calls = "DECLARE @i INT = 0 WHILE @i < 30 BEGIN EXEC Count1 @i; SET @i += 1 END";
                        assert_eq!(errors(&mut instance.session(), calls), NONE, "{upsert}");
                    });
                }
            });
            let counted =
                value(&mut instance.session(), "SELECT CONCAT(COUNT(*), ' ', SUM(n), ' ', MIN(n)) FROM Counts");
            assert_eq!(counted, "15 120 8", "{upsert}");
        }
    }
}

/// HOLDLOCK of the target of a change is enough: a session that reads a key to change or insert it has it alone.
/// Sources of several rows hold more than their keys, and a call that puts in several keys in a transaction of its own,
/// too.
#[test]
fn what_a_change_holds_it_has_alone() {
    let merge = |hint: &str, source: &str| {
        format!(
            "MERGE Counts WITH ({hint}) AS c USING ({source}) AS s ON c.k = s.k
             WHEN MATCHED THEN UPDATE SET n = c.n + 1 WHEN NOT MATCHED THEN INSERT (k, n) VALUES (s.k, 1);"
        )
    };
    let update =
        |update: &str| format!("BEGIN TRAN {update} IF @@ROWCOUNT = 0 INSERT Counts (k, n) VALUES (@k, 1) COMMIT");
    for upsert in [
        merge("HOLDLOCK", "SELECT @k AS k"),
        merge("SERIALIZABLE", "SELECT k FROM Wanted WHERE k = @k"),
        format!("BEGIN TRAN {} COMMIT", merge("HOLDLOCK", "SELECT @k AS k")),
        format!(
            "SET XACT_ABORT ON BEGIN TRAN {} SELECT @k = COUNT(*) FROM Counts COMMIT",
            merge("HOLDLOCK, ROWLOCK", "SELECT @k AS k")
        ),
        update("UPDATE Counts WITH (SERIALIZABLE) SET n = n + 1 WHERE k = @k"),
        update("UPDATE c SET n += 1 FROM Counts AS c WITH (HOLDLOCK) WHERE c.k = @k"),
        update(
            "UPDATE Counts SET n += 1 FROM Counts WITH (HOLDLOCK) JOIN Wanted AS w ON w.k = Counts.k WHERE w.k = @k",
        ),
    ] {
        let is_merge = upsert.starts_with("MERGE");
        for key in ["INT PRIMARY KEY", "INT NOT NULL UNIQUE, id INT IDENTITY PRIMARY KEY"] {
            // The other ways are the same with either key.
            if !is_merge && key.contains("UNIQUE") {
                continue;
            }
            let instance = instance(&format!(
                "CREATE TABLE Counts (k {key}, n INT NOT NULL)
                 CREATE TABLE Wanted (k INT PRIMARY KEY) INSERT Wanted SELECT value FROM GENERATE_SERIES(0, 14)
                 EXEC('CREATE PROCEDURE Count1 @i INT AS SET NOCOUNT ON DECLARE @k INT = @i % 15; {upsert}')"
            ));
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        let calls = "DECLARE @i INT = 0 WHILE @i < 15 BEGIN EXEC Count1 @i; SET @i += 1 END";
                        assert_eq!(errors(&mut instance.session(), calls), NONE, "{upsert}");
                    });
                }
            });
            let counted =
                value(&mut instance.session(), "SELECT CONCAT(COUNT(*), ' ', SUM(n), ' ', MIN(n)) FROM Counts");
            assert_eq!(counted, "15 120 8", "{key}: {upsert}");
        }
    }
}

/// Other keys are not locked, and shared ranges that two sessions want to fill are a deadlock with one victim.
#[test]
fn a_held_range_keeps_out_no_more_than_its_rows() {
    let instance = instance("CREATE TABLE Counts (k INT PRIMARY KEY, n INT NOT NULL)");
    let (mut one, mut other) = (instance.session(), instance.session());
    assert_eq!(errors(&mut other, "SET LOCK_TIMEOUT 50"), NONE);
    let held = "BEGIN TRAN SELECT COUNT(*) FROM Counts WITH (HOLDLOCK) WHERE k BETWEEN 5 AND 7";
    assert_eq!(errors(&mut one, held), NONE);
    assert_eq!(errors(&mut other, "INSERT Counts VALUES (4, 0), (8, 0)"), NONE);
    assert_eq!(errors(&mut other, "INSERT Counts VALUES (6, 0)"), [1222]);
    assert_eq!(errors(&mut other, "UPDATE Counts SET k = 6 WHERE k = 8"), [1222]);
    assert_eq!(errors(&mut other, "UPDATE Counts SET n = 6 WHERE k = 8"), NONE);
    let alone = "BEGIN TRAN SELECT n FROM Counts WITH (UPDLOCK, HOLDLOCK) WHERE k = ";
    assert_eq!(errors(&mut other, &format!("{alone} 7 ROLLBACK")), [1222, 3903][..1]);
    assert_eq!(errors(&mut other, "IF @@TRANCOUNT > 0 ROLLBACK"), NONE);
    assert_eq!(errors(&mut other, &format!("{alone} 9 ROLLBACK")), NONE);
    assert_eq!(errors(&mut one, "ROLLBACK"), NONE);
    assert_eq!(errors(&mut other, "INSERT Counts VALUES (6, 0)"), NONE);

    let held = "BEGIN TRAN SELECT n FROM Counts WITH (HOLDLOCK) WHERE k = 20";
    assert_eq!(errors(&mut one, held), NONE);
    assert_eq!(errors(&mut other, &format!("SET LOCK_TIMEOUT -1 {held}")), NONE);
    let insert = "INSERT Counts VALUES (20, 1) IF @@TRANCOUNT > 0 COMMIT";
    let mut outcomes = std::thread::scope(|scope| {
        let first = scope.spawn(|| errors(&mut one, insert));
        let second = scope.spawn(|| errors(&mut other, insert));
        [first.join().expect("the first"), second.join().expect("the second")]
    });
    outcomes.sort();
    assert_eq!(outcomes, [vec![], vec![1205]]);
}

/// UPDLOCK in joins, groups and pages locks the rows of the hinted table that are read, and no others.
#[test]
fn hints_lock_what_joins_groups_and_pages_read() {
    let instance = instance(
        "CREATE TABLE Customers (id INT PRIMARY KEY, city VARCHAR(10), n INT)
         CREATE TABLE Orders (id INT PRIMARY KEY, customer INT, n INT)
         INSERT Customers VALUES (1, 'A', 0), (2, 'B', 0)
         INSERT Orders VALUES (10, 1, 0), (11, 1, 0), (20, 2, 0)",
    );
    let (mut one, mut other) = (instance.session(), instance.session());
    assert_eq!(errors(&mut other, "SET LOCK_TIMEOUT 50"), NONE);
    let joined = "FROM Customers AS c JOIN Orders AS o WITH (UPDLOCK) ON o.customer = c.id WHERE c.city = 'A'";
    for query in [
        format!("SELECT o.id {joined}"),
        format!("SELECT SUM(o.n) {joined}"),
        format!("SELECT DISTINCT c.city {joined}"),
        format!("SELECT o.id {joined} ORDER BY o.id OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY"),
        "DECLARE @n INT = 2 SELECT TOP (@n) id FROM Orders WITH (XLOCK) ORDER BY id".to_owned(),
        "DECLARE @c INT = 1 SELECT MAX(n) FROM Orders WITH (REPEATABLEREAD) WHERE customer = @c".to_owned(),
        "IF EXISTS (SELECT 1 FROM Orders WITH (UPDLOCK) WHERE customer = 1) SELECT 1".to_owned(),
    ] {
        assert_eq!(errors(&mut one, &format!("BEGIN TRAN {query}")), NONE, "{query}");
        for id in [10, 11] {
            assert_eq!(errors(&mut other, &format!("UPDATE Orders SET n = 1 WHERE id = {id}")), [1222], "{query}");
        }
        assert_eq!(errors(&mut other, "UPDATE Orders SET n = 1 WHERE id = 20"), NONE, "{query}");
        assert_eq!(errors(&mut other, "UPDATE Customers SET n = 1 WHERE id = 1"), NONE, "{query}");
        assert_eq!(errors(&mut one, "COMMIT"), NONE);
        assert_eq!(errors(&mut other, "UPDATE Orders SET n = 0"), NONE, "{query}");
    }
}

/// Runs a batch that has to wait in a session of its own, stops it, and gives its errors.
fn stopped_while_it_waits(instance: &Instance, batch: &str, stop: impl FnOnce(&Arc<dyn Cancel>, &str)) -> Vec<i32> {
    let mut waiter = instance.session();
    let number = value(&mut waiter, "SELECT @@SPID");
    let cancel = waiter.cancel_handle();
    std::thread::scope(|scope| {
        let ended = scope.spawn(|| errors(&mut waiter, batch));
        std::thread::sleep(Duration::from_millis(100));
        assert!(!ended.is_finished(), "{batch} does not wait");
        stop(&cancel, &number);
        let began = Instant::now();
        let errors = ended.join().expect("no panic");
        assert!(began.elapsed() < Duration::from_secs(5), "{batch}");
        errors
    })
}

#[test]
fn who_waits_for_a_lock_can_be_stopped() {
    let instance = instance(ACCOUNTS);
    let mut holder = instance.session();
    let hold = "BEGIN TRAN UPDATE Accounts SET balance = 1 WHERE id = 1 EXEC sp_getapplock 'A', 'Exclusive'
        CREATE TABLE Taken (n INT)";
    assert_eq!(errors(&mut holder, hold), NONE);
    for batch in [
        "UPDATE Accounts SET balance = 7 WHERE id = 1; INSERT Accounts VALUES (11, 0)",
        "BEGIN TRY DELETE Accounts END TRY BEGIN CATCH INSERT Accounts VALUES (12, 0) END CATCH",
        "SELECT * FROM Accounts WITH (UPDLOCK); INSERT Accounts VALUES (13, 0)",
        "CREATE TABLE Taken (n INT); INSERT Accounts VALUES (14, 0)",
        "ALTER TABLE Accounts ADD note INT; INSERT Accounts VALUES (16, 0)",
        "EXEC sp_getapplock 'A', 'Exclusive', 'Session'; INSERT Accounts VALUES (15, 0)",
    ] {
        assert_eq!(stopped_while_it_waits(&instance, batch, |cancel, _| cancel.cancel()), NONE, "{batch}");
        let mut other = instance.session();
        let kill = |_: &Arc<dyn Cancel>, number: &str| assert_eq!(errors(&mut other, &format!("KILL {number}")), NONE);
        assert_eq!(stopped_while_it_waits(&instance, batch, kill), NONE, "{batch}");
    }
    assert_eq!(errors(&mut holder, "COMMIT"), NONE);
    assert_eq!(value(&mut holder, "SELECT SUM(balance) * 100 + COUNT(*) FROM Accounts"), "90110");
}

/// TABLOCKX keeps others from rows that the statement did not read, and from those that are not there.
#[test]
fn a_table_that_is_locked_is_changed_by_nobody_else() {
    let instance = instance(ACCOUNTS);
    let mut holder = instance.session();
    for hold in [
        "BEGIN TRAN SELECT MAX(id) FROM Accounts WITH (TABLOCKX) WHERE id < 0",
        "BEGIN TRAN SELECT TOP 1 a.id FROM Accounts AS a WITH (TABLOCKX) JOIN Accounts AS b ON b.id = a.id",
    ] {
        assert_eq!(errors(&mut holder, hold), NONE);
        let mut other = instance.session();
        for change in
            ["INSERT Accounts VALUES (99, 1)", "UPDATE Accounts SET balance = 2 WHERE id = 5", "DELETE Accounts"]
        {
            assert_eq!(errors(&mut other, &format!("SET LOCK_TIMEOUT 50 {change}")), [1222], "{hold}: {change}");
        }
        assert_eq!(value(&mut other, "SELECT COUNT(*) FROM Accounts"), "10");
        assert_eq!(errors(&mut holder, "UPDATE Accounts SET balance += 1 WHERE id = 1 COMMIT"), NONE);
        assert_eq!(errors(&mut other, "UPDATE Accounts SET balance += 1 WHERE id = 5"), NONE);
    }
}

/// A reader of a queue that waited for a row which another one has taken gets the next one.
#[test]
fn changes_of_some_rows_go_on_to_others_when_theirs_are_gone() {
    for change in [
        "DELETE TOP (1) Jobs OUTPUT deleted.id",
        "UPDATE TOP (1) Jobs SET done = 1 OUTPUT inserted.id",
        "SET ROWCOUNT 1 DELETE Jobs OUTPUT deleted.id",
        "WITH j AS (SELECT TOP (1) * FROM Jobs ORDER BY id) DELETE j OUTPUT deleted.id",
        "DELETE Jobs OUTPUT deleted.id WHERE id = (SELECT MIN(id) FROM Jobs)",
    ] {
        let instance = instance("CREATE TABLE Jobs (id INT PRIMARY KEY, done INT) INSERT Jobs VALUES (1, 0), (2, 0)");
        let (mut first, mut second) = (instance.session(), instance.session());
        assert_eq!(errors(&mut first, "BEGIN TRAN DELETE Jobs WHERE id = 1"), NONE);
        std::thread::scope(|scope| {
            let taken = scope.spawn(|| value(&mut second, change));
            std::thread::sleep(Duration::from_millis(200));
            assert_eq!(errors(&mut first, "COMMIT"), NONE);
            assert_eq!(taken.join().expect("a reader of the queue"), "2", "{change}");
        });
    }
}

/// A row that is deleted and put in again is the row of its key.
#[test]
fn a_change_by_key_finds_the_row_that_has_come_in_the_place_of_another() {
    let instance = instance("CREATE TABLE Jobs (id INT PRIMARY KEY, done INT) INSERT Jobs VALUES (1, 0)");
    let (mut first, mut second) = (instance.session(), instance.session());
    assert_eq!(errors(&mut first, "BEGIN TRAN DELETE Jobs WHERE id = 1 INSERT Jobs VALUES (1, 7)"), NONE);
    std::thread::scope(|scope| {
        let changed = scope.spawn(|| errors(&mut second, "UPDATE Jobs SET done += 1 WHERE id = 1"));
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(errors(&mut first, "COMMIT"), NONE);
        assert_eq!(changed.join().expect("a change"), NONE);
    });
    assert_eq!(value(&mut second, "SELECT done FROM Jobs"), "8");
}

/// A statement whose client does not want it any more does nothing, and the transaction goes on as it was before it; with
/// XACT_ABORT it is rolled back. The batch ends, and no CATCH hears of it.
#[test]
fn an_attention_ends_what_a_batch_writes_and_leaves_the_transaction() {
    let instance = instance(&format!(
        "{ACCOUNTS}
        CREATE TABLE Big (id INT PRIMARY KEY, n INT NOT NULL)
        INSERT Big VALUES (0, 0)
        DECLARE @c INT = 1
        WHILE @c < 32768 BEGIN INSERT Big SELECT id + @c, 0 FROM Big SET @c *= 2 END"
    ));
    let mut session = instance.session();
    let procedure = "CREATE PROCEDURE Fill AS CREATE TABLE #Own (id INT) WHILE 1 = 1 INSERT #Own SELECT id FROM Big";
    assert_eq!(errors(&mut session, procedure), NONE);
    for statement in [
        "WHILE 1 = 1 UPDATE Big SET n += 1",
        "WHILE 1 = 1 BEGIN UPDATE Accounts SET balance += 1 WHERE id = 2 UPDATE Accounts SET balance -= 1 WHERE id = 2 END",
        "WHILE 1 = 1 BEGIN TRY UPDATE Big SET n += 1 END TRY BEGIN CATCH INSERT Accounts VALUES (98, 0) END CATCH",
        "WHILE 1 = 1 BEGIN DELETE Big WHERE n = 0 INSERT Big SELECT id + 100000, 1 FROM Big WHERE id < 0 END",
        "EXEC Fill",
        "WAITFOR DELAY '00:10:00'",
    ] {
        for (abort, open, left) in [("OFF", "1", "7"), ("ON", "0", "100")] {
            let (cancel, mut watcher) = (session.cancel_handle(), instance.session());
            let canceller = std::thread::spawn(move || {
                // The lock is taken behind the transaction's first change: what comes then is what is to be ended.
                let deadline = Instant::now() + Duration::from_secs(60);
                let is_free = "SELECT APPLOCK_TEST('public', 'Begun', 'Exclusive', 'Session')";
                while value(&mut watcher, is_free) == "1" && Instant::now() < deadline {
                    std::thread::sleep(Duration::from_millis(5));
                }
                std::thread::sleep(Duration::from_millis(50));
                cancel.cancel();
                Instant::now()
            });
            let batch = format!(
                "SET XACT_ABORT {abort} BEGIN TRAN UPDATE Accounts SET balance = 7 WHERE id = 1;
                EXEC sp_getapplock 'Begun', 'Exclusive', 'Session';
                {statement};
                INSERT Accounts VALUES (99, 0)"
            );
            assert_eq!(errors(&mut session, &batch), NONE, "{batch}");
            let late = canceller.join().expect("no panic").elapsed();
            assert!(late < Duration::from_secs(20), "{batch} ended {late:?} after it was to stop");
            assert_eq!(errors(&mut session, "EXEC sp_releaseapplock 'Begun', 'Session'"), NONE, "{batch}");
            assert_eq!(value(&mut session, "SELECT @@TRANCOUNT"), open, "{batch}");
            assert_eq!(value(&mut session, "SELECT balance FROM Accounts WHERE id = 1"), left, "{batch}");
            // Each statement was done or not.
            assert_eq!(value(&mut session, "SELECT COUNT(DISTINCT n) FROM Big").len(), 1, "{batch}");
            assert_eq!(value(&mut session, "SELECT COUNT(*) FROM Accounts WHERE id > 10"), "0", "{batch}");
            assert_eq!(value(&mut session, "SELECT ISNULL(OBJECT_ID('tempdb..#Own'), 0)"), "0", "{batch}");
            assert_eq!(errors(&mut session, "IF @@TRANCOUNT > 0 ROLLBACK"), NONE, "{batch}");
            assert_eq!(value(&mut session, "SELECT SUM(n) + COUNT(*) FROM Big"), "32768", "{batch}");
            assert_eq!(value(&mut session, "SELECT SUM(balance) FROM Accounts"), "1000", "{batch}");
        }
    }
}
