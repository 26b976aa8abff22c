//! Procedures that several sessions run at once keep the isolation level that they set.
//!
//! Each rule is tested twice: at a level that guarantees it, where it must hold in any order, and at the next weaker
//! one, where a violation must occur - otherwise the callers did not overlap, and the first half has shown nothing.
//! They are made to overlap: a procedure waits a little between its read and its write.

use super::{NONE, errors, instance, value};
use mainstay_tsql_runtime::Instance;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// Callers at once.
const CALLERS: usize = 4;
/// The time that two callers have to meet before a test fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// Calls a procedure once in each of several sessions, all at the same time: the return value of each, or the number of
/// the error that ended it.
fn at_once(instance: &Instance, call: &(impl Fn(usize) -> String + Sync)) -> Vec<String> {
    let barrier = Barrier::new(CALLERS);
    let run = |number: usize| {
        let mut session = instance.session();
        let batch = format!(
            "DECLARE @r INT BEGIN TRY EXEC @r = {} END TRY BEGIN CATCH SET @r = ERROR_NUMBER() IF @@TRANCOUNT > 0 ROLLBACK END CATCH
             SELECT @r",
            call(number)
        );
        barrier.wait();
        value(&mut session, &batch)
    };
    std::thread::scope(|scope| {
        let run = &run;
        let running: Vec<_> = (0..CALLERS).map(|number| scope.spawn(move || run(number))).collect();
        running.into_iter().map(|caller| caller.join().unwrap()).collect()
    })
}

/// Repeats a round until it has shown something: whether it has.
fn is_seen(mut round: impl FnMut() -> bool) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if round() {
            return true;
        }
    }
    false
}

fn number(instance: &Instance, query: &str) -> i64 {
    value(&mut instance.session(), query).parse().unwrap()
}

const BANK: &str = "CREATE TABLE Accounts (id INT PRIMARY KEY, balance INT NOT NULL CHECK (balance <> 13))
    INSERT Accounts VALUES (1, 100), (2, 100), (3, 100)
    CREATE TABLE Seen (what INT)";

/// Passes through a state that no session may see, and leaves it by ROLLBACK when `@stays` is 0.
const THROUGH_A_FALSE_STATE: &str = "CREATE PROCEDURE Through @id INT, @stays BIT AS
BEGIN
    SET NOCOUNT ON
    BEGIN TRAN
    UPDATE Accounts SET balance = balance - 1000000 WHERE id = @id
    WAITFOR DELAY '00:00:00.001'
    UPDATE Accounts SET balance = balance + 1000001 WHERE id = @id
    IF @stays = 1 COMMIT ELSE ROLLBACK
    RETURN 0
END";

const LOOK: &str = "CREATE PROCEDURE Look AS
BEGIN
    SET NOCOUNT ON
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED
    DECLARE @turn INT = 0, @least INT, @sum INT, @before INT = 0
    WHILE @turn < 200
    BEGIN
        SELECT @least = MIN(balance), @sum = SUM(balance) FROM Accounts
        IF @least < 0 RETURN 1
        IF @sum < @before RETURN 2
        SELECT @before = @sum, @turn += 1
    END
    RETURN 0
END";

#[test]
fn read_committed_procedures_see_no_state_that_was_not_committed_and_lose_no_increment() {
    let instance = instance(BANK);
    for procedure in [THROUGH_A_FALSE_STATE, LOOK] {
        assert_eq!(errors(&mut instance.session(), procedure), NONE);
    }
    const ROUNDS: usize = 15;
    for round in 0..ROUNDS {
        // One reader, and three writers of the same row, one of which rolls its change back.
        let call = |caller: usize| match caller {
            0 => "Look".to_owned(),
            _ => format!("Through {}, {}", round % 3 + 1, u8::from(caller > 1)),
        };
        assert_eq!(at_once(&instance, &call), ["0"; CALLERS]);
    }
    assert_eq!(number(&instance, "SELECT SUM(balance) FROM Accounts"), 300 + 2 * ROUNDS as i64);
}

/// Reads, waits, and writes what it has read and one more.
fn read_then_write(level: &str) -> String {
    format!(
        "CREATE PROCEDURE AddOne @id INT AS
         BEGIN
             SET NOCOUNT ON
             SET TRANSACTION ISOLATION LEVEL {level}
             DECLARE @b INT
             BEGIN TRAN
             SELECT @b = balance FROM Accounts WHERE id = @id
             WAITFOR DELAY '00:00:00.005'
             UPDATE Accounts SET balance = @b + 1 WHERE id = @id
             COMMIT
             RETURN 0
         END"
    )
}

/// Returns true if a round of [`read_then_write`] has lost an increment, and true if it has refused one with this
/// error.
fn increments(instance: &Instance, error: &str) -> (bool, bool) {
    let read = "SELECT balance FROM Accounts WHERE id = 2";
    let before = number(instance, read);
    let returned = at_once(instance, &|_| "AddOne 2".to_owned());
    let done = returned.iter().filter(|status| *status == "0").count();
    let refused = returned.iter().filter(|status| *status == error).count();
    assert_eq!(done + refused, CALLERS, "{returned:?}");
    (number(instance, read) - before < done as i64, refused > 0)
}

#[test]
fn no_increment_is_lost_from_snapshots_on_and_who_was_late_is_told() {
    for (level, error) in [("REPEATABLE READ", "1205"), ("SNAPSHOT", "3960"), ("SERIALIZABLE", "1205")] {
        let instance = instance(BANK);
        assert_eq!(errors(&mut instance.session(), &read_then_write(level)), NONE);
        let is_met = is_seen(|| {
            let (lost, refused) = increments(&instance, error);
            assert!(!lost, "{level} has lost an increment");
            refused
        });
        assert!(is_met, "nobody was late at {level}");
    }
    // Read committed does not promise it, and the same callers show that.
    let instance = instance(BANK);
    assert_eq!(errors(&mut instance.session(), &read_then_write("READ COMMITTED")), NONE);
    assert!(is_seen(|| increments(&instance, "3960").0), "the callers do not meet");
}

/// Reads twice, with time between: 0 for the same sum and count, 1 for others.
fn read_twice(level: &str) -> String {
    format!(
        "CREATE PROCEDURE ReadTwice AS
         BEGIN
             SET NOCOUNT ON
             SET TRANSACTION ISOLATION LEVEL {level}
             DECLARE @sum INT, @count INT, @again INT, @recount INT
             BEGIN TRAN
             SELECT @sum = SUM(balance), @count = COUNT(*) FROM Accounts
             WAITFOR DELAY '00:00:00.005'
             SELECT @again = SUM(balance), @recount = COUNT(*) FROM Accounts
             COMMIT
             RETURN IIF(@sum = @again AND @count = @recount, 0, 1)
         END"
    )
}

/// Changes a row and adds another one, now and a little later.
const WRITE: &str = "CREATE PROCEDURE Write AS
BEGIN
    SET NOCOUNT ON
    DECLARE @turn INT = 0
    WHILE @turn < 4
    BEGIN
        UPDATE Accounts SET balance = balance + 1 WHERE id = 1
        INSERT Accounts SELECT MAX(id) + 1, 1 FROM Accounts
        WAITFOR DELAY '00:00:00.002'
        SET @turn += 1
    END
    RETURN 0
END";

#[test]
fn what_a_procedure_reads_again_is_the_same_from_repeatable_read_on() {
    let one_writes = |caller: usize| if caller == 0 { "Write" } else { "ReadTwice" }.to_owned();
    for level in ["REPEATABLE READ", "SNAPSHOT", "SERIALIZABLE"] {
        let instance = instance(BANK);
        assert_eq!(errors(&mut instance.session(), &read_twice(level)), NONE);
        assert_eq!(errors(&mut instance.session(), WRITE), NONE);
        for _ in 0..5 {
            assert_eq!(at_once(&instance, &one_writes), ["0"; CALLERS], "{level}");
        }
    }
    let instance = instance(BANK);
    assert_eq!(errors(&mut instance.session(), &read_twice("READ COMMITTED")), NONE);
    assert_eq!(errors(&mut instance.session(), WRITE), NONE);
    assert!(is_seen(|| at_once(&instance, &one_writes).iter().any(|status| status == "1")), "the callers do not meet");
}

/// Takes from one of two accounts if both together have enough; adds a row if there are fewer than five. Each session
/// reads rows that another one writes, and writes rows that no other does: a snapshot sees no conflict.
fn looks_and_writes(level: &str) -> [String; 2] {
    let procedure = |name: &str, condition: &str, change: &str| {
        format!(
            "CREATE PROCEDURE {name} @number INT AS
             BEGIN
                 SET NOCOUNT ON
                 SET TRANSACTION ISOLATION LEVEL {level}
                 DECLARE @is BIT
                 BEGIN TRAN
                 SELECT @is = {condition}
                 WAITFOR DELAY '00:00:00.005'
                 IF @is = 1 {change}
                 COMMIT
                 RETURN 0
             END"
        )
    };
    let enough = "IIF(SUM(balance) >= 200, 1, 0) FROM Accounts WHERE id <= 2";
    let few = "IIF(COUNT(*) < 5, 1, 0) FROM Accounts WHERE id >= 3";
    [
        procedure("Withdraw", enough, "UPDATE Accounts SET balance = balance - 150 WHERE id = @number % 2 + 1"),
        procedure("Book", few, "INSERT Accounts VALUES (100 + @number, 1)"),
    ]
}

/// Returns true if a round of calls has broken an invariant of the accounts, and the results of the calls.
fn is_broken(instance: &Instance) -> (bool, Vec<String>) {
    let clean =
        "UPDATE Accounts SET balance = 100 WHERE id <= 3 DELETE Accounts WHERE id > 3 INSERT Accounts VALUES (10, 1)
        INSERT Accounts VALUES (11, 1)";
    assert_eq!(errors(&mut instance.session(), clean), NONE);
    let calls = |caller: usize| format!("{} {caller}", if caller < 2 { "Withdraw" } else { "Book" });
    let returned = at_once(instance, &calls);
    let sum = number(instance, "SELECT SUM(balance) FROM Accounts WHERE id <= 2");
    let count = number(instance, "SELECT COUNT(*) FROM Accounts WHERE id >= 3");
    (sum < 0 || count > 5, returned)
}

#[test]
fn serializable_procedures_that_look_at_what_others_write_do_as_if_alone() {
    let serializable = instance(BANK);
    for procedure in looks_and_writes("SERIALIZABLE") {
        assert_eq!(errors(&mut serializable.session(), &procedure), NONE);
    }
    let is_met = is_seen(|| {
        let (broken, returned) = is_broken(&serializable);
        assert!(!broken, "{returned:?}");
        assert!(returned.iter().all(|status| status == "0" || status == "1205"), "{returned:?}");
        returned.iter().any(|status| status == "1205")
    });
    assert!(is_met, "nobody was refused");
    let snapshots = instance(BANK);
    for procedure in looks_and_writes("SNAPSHOT") {
        assert_eq!(errors(&mut snapshots.session(), &procedure), NONE);
    }
    assert!(is_seen(|| is_broken(&snapshots).0), "the callers do not meet");
}

#[test]
fn the_level_that_a_procedure_sets_ends_with_it() {
    let instance = instance(BANK);
    let procedure = "CREATE PROCEDURE Sets AS BEGIN SET TRANSACTION ISOLATION LEVEL SNAPSHOT RETURN 0 END";
    assert_eq!(errors(&mut instance.session(), procedure), NONE);
    let (mut one, mut other) = (instance.session(), instance.session());
    assert_eq!(errors(&mut one, "EXEC Sets"), NONE);
    let read = "SELECT balance FROM Accounts WHERE id = 1";
    assert_eq!(errors(&mut one, "BEGIN TRAN"), NONE);
    assert_eq!(value(&mut one, read), "100");
    assert_eq!(errors(&mut other, "UPDATE Accounts SET balance = 7 WHERE id = 1"), NONE);
    assert_eq!(value(&mut one, read), "7");
    assert_eq!(errors(&mut one, "COMMIT"), NONE);
}
