//! Statements beside a commit whose sync is under way: `sql-01`.
//!
//! In SQL Server an INSERT of a key that another transaction has just inserted waits for the lock of that transaction,
//! which is released when its log is hardened; then the error is 2627, and every later statement sees the row. The
//! pattern "insert, and if it is there update" depends on that. The syncs of the test's disk are held back until the
//! second statement waits.

mod common;

use common::Transcript;
use mainstay_engine::{Database, Options};
use mainstay_tsql_runtime::{Instance, Session};
use mainstay_vfs::{Faulty, FileSystem, Simulated};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

struct Slow {
    disk: Faulty<Simulated>,
    database: Database,
    instance: Instance,
}

impl Slow {
    fn new(setup: &[&str]) -> Slow {
        let disk = Faulty::counting(Simulated::new());
        disk.create_folder(Path::new("shop")).expect("a folder");
        let database =
            Database::open_on(Arc::new(disk.clone()), Path::new("shop"), Options::default()).expect("a database");
        let instance = Instance::new(database.clone(), "test");
        let slow = Slow { disk, database, instance };
        let mut session = slow.instance.session();
        setup.iter().for_each(|batch| assert_eq!(run(&mut session, batch).0, "", "{batch}"));
        slow
    }

    /// Runs a batch up to the sync of its commit, then `second`, which has to wait for that: what this comes to.
    fn beside<T: Send>(&self, first: &str, second: impl FnOnce() -> T + Send) -> T {
        let mut session = self.instance.session();
        self.disk.hold_syncs();
        std::thread::scope(|scope| {
            let first = scope.spawn(move || run(&mut session, first).1);
            while self.disk.held_syncs() == 0 {
                assert!(!first.is_finished(), "the first commit is not synced");
                std::thread::sleep(Duration::from_millis(1));
            }
            let second = scope.spawn(second);
            std::thread::sleep(Duration::from_millis(150));
            let was_quick = second.is_finished();
            self.disk.release_syncs();
            assert_eq!(first.join().expect("the first batch"), [0; 0]);
            let came_to = second.join().expect("the second batch");
            assert!(!was_quick, "it did not wait for the commit");
            came_to
        })
    }

    fn shown(&self, batch: &str) -> String {
        run(&mut self.instance.session(), batch).0
    }
}

/// The rows of a batch, and the numbers of its errors.
fn run(session: &mut Session, batch: &str) -> (String, Vec<i32>) {
    let mut transcript = Transcript::default();
    session.batch(batch, &mut transcript);
    let rows = transcript.text.lines().filter(|line| !line.starts_with('[') && !line.starts_with('('));
    let rows: Vec<&str> = rows.filter(|line| !line.starts_with("Msg ")).collect();
    (rows.join("\n"), transcript.errors.iter().map(|error| error.number).collect())
}

const RACES: &str = "SET NOCOUNT ON; CREATE TABLE races(id int PRIMARY KEY, n int NOT NULL)";

#[test]
fn insert_else_update_in_a_procedure_updates() {
    let slow = Slow::new(&[
        RACES,
        "CREATE PROCEDURE dbo.put_in @id int AS
         BEGIN
           SET NOCOUNT ON;
           BEGIN TRY INSERT races VALUES (@id, 1); SELECT 'inserted'; END TRY
           BEGIN CATCH
             IF ERROR_NUMBER() <> 2627 THROW;
             UPDATE races SET n += 1 WHERE id = @id;
             IF @@ROWCOUNT = 1 SELECT 'updated'; ELSE SELECT 'lost';
           END CATCH
         END",
    ]);
    let shown = slow.beside("EXEC dbo.put_in 7", || slow.shown("EXEC dbo.put_in 7"));
    assert_eq!(shown, "updated");
    assert_eq!(slow.shown("SELECT n FROM races WHERE id = 7"), "2");
}

#[test]
fn the_next_request_after_2627_finds_the_row() {
    let slow = Slow::new(&[RACES]);
    let mut second = slow.instance.session();
    let (errors, found) = slow.beside("INSERT races VALUES (7, 1)", || {
        (run(&mut second, "INSERT races VALUES (7, 2)").1, run(&mut second, "SELECT n FROM races WHERE id = 7").0)
    });
    assert_eq!((errors, found.as_str()), (vec![2627], "1"));
}

#[test]
fn an_update_of_a_row_that_was_just_put_in_finds_it() {
    let slow = Slow::new(&[RACES]);
    let found = slow.beside("INSERT races VALUES (7, 1)", || {
        slow.shown("SET NOCOUNT ON UPDATE races SET n = 5 WHERE id = 7 SELECT @@ROWCOUNT, n FROM races")
    });
    assert_eq!(found, "1 | 5");
}

#[test]
fn keys_that_are_ignored_are_seen() {
    let slow = Slow::new(&[RACES, "SET NOCOUNT ON CREATE UNIQUE INDEX of_n ON races(n) WITH (IGNORE_DUP_KEY = ON)"]);
    let mut second = slow.instance.session();
    let found = slow.beside("INSERT races VALUES (7, 1)", || {
        let _ = run(&mut second, "INSERT races VALUES (8, 1)");
        run(&mut second, "SELECT id FROM races WHERE n = 1").0
    });
    assert_eq!(found, "7");
}

#[test]
fn a_row_that_refers_to_a_new_one_sees_it() {
    let slow =
        Slow::new(&[RACES, "SET NOCOUNT ON CREATE TABLE laps(id int PRIMARY KEY, race int REFERENCES races(id))"]);
    let found = slow.beside("INSERT races VALUES (7, 1)", || {
        slow.shown("SET NOCOUNT ON INSERT laps VALUES (1, 7) SELECT r.n FROM laps l JOIN races r ON r.id = l.race")
    });
    assert_eq!(found, "1");
}

/// Native SQL: ON CONFLICT has met the row, and so has the next statement.
#[test]
fn on_conflict_meets_the_row() {
    let slow = Slow::new(&[RACES]);
    let mut second = slow.database.session();
    slow.beside("INSERT races VALUES (7, 1)", || {
        let upsert = "INSERT INTO dbo.races VALUES (7, 1) ON CONFLICT (id) DO UPDATE SET n = races.n + 1";
        second.execute(upsert).expect("an upsert");
    });
    assert_eq!(slow.shown("SELECT n FROM races"), "2");
}
