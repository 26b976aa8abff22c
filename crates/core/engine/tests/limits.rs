//! Statements that are cancelled, that reach the memory limit, that share a plan, or whose answer is not read to its
//! end.

mod common;

use common::dbf::{Cell, Table, column};
use common::{Folder, rows, run};
use mainstay_engine::{Database, Options, Session};
use mainstay_types::Code;
use std::time::{Duration, Instant};

/// 100,000 records with indexes.
const TABLE: &str = "t11_bench100k";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.copy_fixtures("t11");
    folder
}

fn open(folder: &Folder, options: Options) -> Database {
    Database::open_with(folder.path(), Options { threads: Some(2), ..options }).unwrap()
}

/// Statements that would take minutes, each through other operators.
fn endless() -> [String; 4] {
    [
        format!("SELECT sum(a.id + b.id) FROM {TABLE} a CROSS JOIN {TABLE} b"),
        format!("SELECT count(*) FROM {TABLE} a JOIN {TABLE} b ON a.amt + b.amt < -1"),
        format!("SELECT count(*) FROM {TABLE} a JOIN {TABLE} b ON a.tag = b.tag JOIN {TABLE} c ON b.tag = c.tag"),
        format!("SELECT a.id FROM {TABLE} a, {TABLE} b ORDER BY a.amt + b.amt, b.id LIMIT 3"),
    ]
}

#[test]
fn a_cancelled_statement_ends_soon_and_the_session_goes_on() {
    let folder = folder();
    let mut session = open(&folder, Options::default()).session();
    for statement in endless() {
        let cancel = session.cancel_handle();
        let canceller = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(700));
            cancel.cancel();
            Instant::now()
        });
        let error = run(&mut session, &statement).err().unwrap_or_else(|| panic!("{statement} ended"));
        let late = canceller.join().unwrap().elapsed();
        assert_eq!(error.code(), Code::Cancelled, "{statement}\n{error:?}");
        assert!(late < Duration::from_secs(5), "{statement} ended {late:?} after it was cancelled");
        assert_eq!(rows(&mut session, &format!("SELECT count(*) FROM {TABLE}")), ["100000"]);
    }
}

#[test]
fn a_statement_that_runs_too_long_ends() {
    let folder = folder();
    let options = Options { statement_timeout: Some(Duration::from_millis(500)), ..Options::default() };
    let mut session = open(&folder, options).session();
    for statement in endless() {
        let started = Instant::now();
        let error = run(&mut session, &statement).err().unwrap_or_else(|| panic!("{statement} ended"));
        assert_eq!(error.code(), Code::Timeout, "{statement}\n{error:?}");
        assert!(started.elapsed() < Duration::from_secs(6), "{statement} ended after {:?}", started.elapsed());
    }
    session.set("timeout", "0").unwrap();
    assert_eq!(rows(&mut session, &format!("SELECT count(*) FROM {TABLE} WHERE id <= 10")), ["10"]);
}

/// A sum of so many operators is planned for longer than that.
#[test]
fn a_statement_ends_while_it_is_planned() {
    let folder = folder();
    let mut session = open(&folder, Options::default()).session();
    let sum: Vec<String> = (0..490).map(|n| format!("CAST(amt AS DECIMAL(38,2)) * {n}")).collect();
    let statement = format!("SELECT {} FROM {TABLE}", sum.join(" + "));
    session.set("timeout", "300ms").unwrap();
    let started = Instant::now();
    let error = run(&mut session, &statement).err().expect("it was planned in no time");
    assert_eq!(error.code(), Code::Timeout, "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(4), "it ended after {:?}", started.elapsed());
    session.set("timeout", "0").unwrap();
    let cancel = session.cancel_handle();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        cancel.cancel();
        Instant::now()
    });
    let error = run(&mut session, &statement).err().expect("it was planned in no time");
    assert_eq!(error.code(), Code::Cancelled, "{error:?}");
    let late = canceller.join().unwrap().elapsed();
    assert!(late < Duration::from_secs(4), "it ended {late:?} after it was cancelled");
}

#[test]
fn a_fused_scan_is_cancelled_between_row_groups() {
    let folder = Folder::new();
    let mut table = Table::new(&[column("ID", 'I', 4, 0, false), column("TEXT", 'C', 20, 0, false)]);
    for id in 0..800_000 {
        table.push(false, &[Cell::Integer(id), Cell::Text(format!("{:x}", i64::from(id) * 7_919))]);
    }
    folder.write("big.dbf", table.dbf());
    let mut session = open(&folder, Options::default()).session();
    let (cancel, progress) = (session.cancel_handle(), session.progress());
    let canceller = std::thread::spawn(move || {
        let started = Instant::now();
        while progress.rows() == 0 && started.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        cancel.cancel();
    });
    let statement = "SELECT count(*), max(text) FROM big WHERE text LIKE '%a%b%' OR id % 7 = 3";
    let fused = "SELECT count(*), max(text) FROM big WHERE text LIKE '%a%b%' OR text LIKE '%c_d%'";
    assert!(rows(&mut session, &format!("EXPLAIN {fused}")).concat().contains("TableAggregate"));
    let error = run(&mut session, fused).err().expect("it ended before it was cancelled");
    canceller.join().unwrap();
    assert_eq!(error.code(), Code::Cancelled, "{error:?}");
    let progress = session.progress();
    assert!(progress.rows() < 800_000, "{} rows were read", progress.rows());
    assert_eq!(progress.rows_total(), Some(800_000));
    assert!(run(&mut session, statement).is_ok());
}

/// Either the right answer, by spilling, or the error that says why not.
#[test]
fn a_memory_limit_is_kept() {
    let folder = folder();
    let sorted = format!("SELECT id FROM {TABLE} ORDER BY amt + 1, id");
    let statements = [
        format!("SELECT count(*), sum(a.amt) FROM {TABLE} a JOIN {TABLE} b ON a.id = b.id"),
        format!("SELECT count(*) FROM (SELECT id + 1 AS k, tag, count(*) FROM {TABLE} GROUP BY id + 1, tag) q"),
        format!("SELECT count(*) FROM (SELECT id, amt, tag FROM {TABLE} GROUP BY id, amt, tag) q"),
        format!("SELECT count(DISTINCT amt + id) FROM {TABLE}"),
        format!("SELECT count(*) FROM {TABLE} a CROSS JOIN (SELECT 1 AS x) q"),
        format!(
            "SELECT id, row_number() OVER (PARTITION BY tag ORDER BY amt + 1, id) AS r FROM {TABLE} ORDER BY r, id"
        ),
        sorted.clone(),
    ];
    let mut plenty = open(&folder, Options::default()).session();
    let expected: Vec<Vec<String>> = statements.iter().map(|statement| rows(&mut plenty, statement)).collect();
    let mut refused = 0;
    for limit in [1_000, 3_000_000, 12_000_000] {
        let mut session = open(&folder, Options { memory_limit_bytes: Some(limit), ..Options::default() }).session();
        for (statement, expected) in statements.iter().zip(&expected) {
            match run(&mut session, statement) {
                Ok(answer) => {
                    let answer: Vec<String> = answer.rows.iter().map(|row| row.join("|")).collect();
                    assert!(answer == *expected, "{statement} is wrong with {limit} bytes");
                }
                Err(error) => {
                    assert_eq!(error.code(), Code::OutOfMemory, "{statement} with {limit} bytes\n{error:?}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 0, "the limit limits nothing");
}

/// Not in words of the executor's, nor with its settings.
#[test]
fn memory_that_is_not_there_is_told_in_our_words() {
    let folder = folder();
    let options = Options { memory_limit_bytes: Some(1_000_000), ..Options::default() };
    let mut session = open(&folder, options).session();
    for (statement, what) in [
        (format!("SELECT id FROM {TABLE} ORDER BY amt + 1, id"), "no memory for a sort: "),
        (format!("SELECT count(*), sum(a.amt) FROM {TABLE} a JOIN {TABLE} b ON a.id = b.id"), "no memory for a join: "),
    ] {
        let error = run(&mut session, &statement).err().unwrap_or_else(|| panic!("{statement} fits"));
        assert_eq!(error.code(), Code::OutOfMemory, "{error:?}");
        assert!(error.message().starts_with(what), "{error:?}");
        assert!(error.message().ends_with("; running statements may hold 500000 together"), "{error:?}");
        assert_eq!(error.hint_text(), Some("raise the memory limit"), "{error:?}");
    }
}

/// Threads that hand each other rows which do not fit go on: they waited for each other, in about every second run.
#[test]
fn groups_that_do_not_fit_come_to_an_end() {
    let folder = Folder::new();
    let mut session = open(&folder, Options::default()).session();
    run(&mut session, "CREATE TABLE b (id BIGINT PRIMARY KEY, s VARCHAR(60))").unwrap();
    let text = "'this is some text to fill the row ' || g";
    run(&mut session, &format!("INSERT INTO b SELECT g, {text} FROM generate_series(1, 1500000) q(g)")).unwrap();
    drop(session);
    let limit = Some(48_000_000);
    let options =
        Options { memory_limit_bytes: limit, statement_timeout: Some(Duration::from_secs(100)), ..Options::default() };
    let mut session = open(&folder, options).session();
    for _ in 0..4 {
        assert_eq!(rows(&mut session, "SELECT count(DISTINCT s) FROM b"), ["1500000"]);
    }
    let grouped = "SELECT sum(n) FROM (SELECT s, count(*) AS n FROM b WHERE id % 1 = 0 GROUP BY s) q";
    assert_eq!(rows(&mut session, grouped), ["1500000"]);
}

/// A table `b` of so many rows with texts, and a session that may hold so much.
fn session_with_texts(folder: &Folder, rows: u32, limit: u64) -> Session {
    let mut session = open(folder, Options::default()).session();
    run(&mut session, "CREATE TABLE b (id BIGINT PRIMARY KEY, s VARCHAR(60))").unwrap();
    // Neither in the order of the keys nor in any other.
    let text = "'this is some text to fill the row ' || ((g * 7919) % 1000003)";
    run(&mut session, &format!("INSERT INTO b SELECT g, {text} FROM generate_series(1, {rows}) q(g)")).unwrap();
    drop(session);
    open(folder, Options { memory_limit_bytes: Some(limit), ..Options::default() }).session()
}

/// Several threads sort what does not fit into memory, and it goes to files whoever merges it then.
#[test]
fn sorts_and_windows_that_do_not_fit_come_to_an_end() {
    let folder = Folder::new();
    let mut session = session_with_texts(&folder, 800_000, 32 << 20);
    let sorted = rows(&mut session, "SELECT s, id FROM b WHERE id > 0 ORDER BY s, id");
    assert_eq!(sorted.len(), 800_000);
    assert!(sorted.is_sorted_by(|one, next| one < next), "the rows are in no order");
    let numbered =
        "SELECT sum(n), max(n) FROM (SELECT row_number() OVER (PARTITION BY id % 3 ORDER BY s, id) AS n FROM b) q";
    assert_eq!(rows(&mut session, numbered), ["106667066667|266667"]);
    let first = "SELECT s, id FROM b ORDER BY s DESC, id LIMIT 500000 OFFSET 7";
    let first = rows(&mut session, first);
    assert!(first.iter().eq(sorted.iter().rev().skip(7).take(500_000)), "they are not the first rows");
}

/// Twenty-four tests within each other were looked at sixteen million times.
#[test]
fn tests_within_each_other_are_planned_at_once() {
    let folder = Folder::new();
    let mut session = open(&folder, Options::default()).session();
    run(&mut session, "CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER)").unwrap();
    run(&mut session, "INSERT INTO t SELECT g, g % 50 FROM generate_series(1, 100) q(g)").unwrap();
    let nested = |test: &dyn Fn(usize, &str) -> String| {
        let innermost = "SELECT id FROM t".to_owned();
        let query = (0..24).fold(innermost, |inner, depth| format!("SELECT id FROM t WHERE {}", test(depth, &inner)));
        format!("SELECT count(*), min(id) FROM ({query}) q")
    };
    let all_in = nested(&|depth, inner| format!("id > {depth} AND id IN ({inner})"));
    assert_eq!(rows(&mut session, &all_in), ["77|24"]);
    let mixed = nested(&|depth, inner| match depth % 4 {
        0 => format!("k <> {depth} AND id NOT IN (SELECT id + 90 FROM ({inner}) q)"),
        1 => format!("(id = {depth} OR id IN ({inner}))"),
        2 => format!("EXISTS ({inner}) AND id > 2"),
        _ => format!("id IN ({inner} UNION SELECT 7)"),
    });
    let expected = {
        let mut ids: Vec<i32> = (1..=100).collect();
        for depth in 0..24 {
            ids = (1..=100)
                .filter(|id| match depth % 4 {
                    0 => id % 50 != depth && !ids.iter().any(|inner| inner + 90 == *id),
                    1 => *id == depth || ids.contains(id),
                    2 => !ids.is_empty() && *id > 2,
                    _ => ids.contains(id) || *id == 7,
                })
                .collect();
        }
        format!("{}|{}", ids.len(), ids[0])
    };
    assert_eq!(rows(&mut session, &mixed), [expected]);
}

/// A join of which neither side fits is made of sorted sides.
#[test]
fn joins_that_do_not_fit_come_to_an_end() {
    let folder = Folder::new();
    let mut session = session_with_texts(&folder, 400_000, 20 << 20);
    let joins = [
        "SELECT count(*), sum(x.id - y.id), max(y.s) FROM b x JOIN b y ON x.s = y.s",
        "SELECT count(*), count(y.id), sum(y.id) FROM b x LEFT JOIN b y ON x.s = y.s AND y.id = x.id AND y.id % 3 = x.id % 2",
        "SELECT count(x.id), count(y.id) FROM (SELECT * FROM b WHERE id % 2 = 0) x FULL JOIN (SELECT * FROM b WHERE id % 3 = 0) y ON x.s = y.s",
        "SELECT count(*), sum(x.id) FROM b x WHERE EXISTS (SELECT * FROM b y WHERE y.s = x.s AND y.id % 5 = 0)",
        "SELECT count(*), sum(x.id) FROM b x WHERE NOT EXISTS (SELECT * FROM b y WHERE y.s = x.s AND y.id <> x.id AND y.id % 5 = 0)",
        "SELECT count(*), sum(x.id) FROM (SELECT * FROM b UNION ALL SELECT * FROM b) x JOIN (SELECT * FROM b UNION ALL SELECT id, s || '!' FROM b) y ON y.s = x.s AND y.id = x.id",
    ];
    let few: Vec<Vec<String>> = joins.iter().map(|join| rows(&mut session, join)).collect();
    drop(session);
    let mut plenty = open(&folder, Options::default()).session();
    for (join, few) in joins.iter().zip(few) {
        assert_eq!(rows(&mut plenty, join), few, "{join}");
    }
}

#[test]
fn sessions_run_one_plan_at_the_same_time() {
    let folder = folder();
    let database = open(&folder, Options::default());
    let statements = [
        format!("SELECT count(*), sum(a.amt) FROM {TABLE} a JOIN {TABLE} b ON a.id = b.id + 1 WHERE b.id < 3000"),
        format!("SELECT tag, count(*) FROM {TABLE} WHERE amt > 500 GROUP BY tag ORDER BY tag"),
        format!("SELECT id FROM {TABLE} WHERE id IN (SELECT id * 2 FROM {TABLE} WHERE id < 500) ORDER BY id"),
        format!("SELECT id, amt FROM {TABLE} ORDER BY amt DESC, id LIMIT 5"),
        format!(
            "SELECT a.id, b.id FROM {TABLE} a LEFT JOIN {TABLE} b ON a.id = b.id AND b.id < 5 WHERE a.id < 9 ORDER BY 1"
        ),
        format!("SELECT count(*) FROM {TABLE} a, (SELECT id FROM {TABLE} WHERE id < 4) b WHERE a.id < 100"),
    ];
    let expected: Vec<Vec<String>> =
        statements.iter().map(|statement| rows(&mut database.session(), statement)).collect();
    let work = |mut session: Session, turn: usize| {
        for i in 0..statements.len() * 4 {
            let at = (i + turn) % statements.len();
            assert_eq!(rows(&mut session, &statements[at]), expected[at], "{}", statements[at]);
        }
    };
    std::thread::scope(|scope| {
        for turn in [0, 0, 3] {
            let session = database.session();
            scope.spawn(move || work(session, turn));
        }
    });
}

#[test]
fn two_answers_of_one_plan_are_read_in_turns() {
    let folder = folder();
    let database = open(&folder, Options::default());
    let statement = format!("SELECT a.id FROM {TABLE} a JOIN {TABLE} b ON a.id = b.id WHERE b.id <= 60000");
    let mut sessions = [database.session(), database.session()];
    let mut answers: Vec<_> = sessions.iter_mut().map(|session| session.execute(&statement).unwrap()).collect();
    let mut counts = [0, 0];
    let mut ended = false;
    while !ended {
        ended = true;
        for (answer, count) in answers.iter_mut().zip(&mut counts) {
            if let Some(batch) = answer.next_batch().unwrap() {
                *count += batch.num_rows();
                ended = false;
            }
        }
    }
    assert_eq!(counts, [60_000, 60_000]);
}

#[test]
fn an_answer_dropped_halfway_gives_everything_back() {
    let folder = folder();
    let options = Options { memory_limit_bytes: Some(64_000_000), ..Options::default() };
    let mut session = open(&folder, options).session();
    let statements = [
        format!("SELECT a.id, a.tag, b.amt FROM {TABLE} a JOIN {TABLE} b ON a.id = b.id"),
        format!("SELECT id, tag, amt FROM {TABLE} ORDER BY amt + 1, id"),
        format!("SELECT * FROM {TABLE}"),
    ];
    for _ in 0..15 {
        for statement in &statements {
            let mut answer = session.execute(statement).unwrap();
            let batch = answer.next_batch().unwrap_or_else(|error| panic!("{statement}\n{error:?}"));
            assert!(batch.is_some_and(|batch| batch.num_rows() > 0), "{statement}");
        }
    }
    assert_eq!(rows(&mut session, &format!("SELECT count(*) FROM {TABLE}")), ["100000"]);
}

#[test]
fn many_different_statements_do_not_pile_up() {
    let folder = folder();
    let mut session = open(&folder, Options::default()).session();
    // Every text is another one, and so is every third shape.
    for i in 0..1_200 {
        let statement = format!("SELECT {} + id AS x{} FROM {TABLE} WHERE id = {}", i % 7, i / 3, i + 1);
        assert_eq!(rows(&mut session, &statement), [(i % 7 + i + 1).to_string()]);
    }
}

#[test]
fn a_join_without_equal_keys_that_does_not_fit_gives_no_row_twice() {
    let folder = Folder::new();
    let mut plenty = open(&folder, Options::default()).session();
    for statement in [
        "CREATE TABLE u (id INTEGER PRIMARY KEY, k INTEGER, s VARCHAR(40))",
        "INSERT INTO u SELECT g, g, 'some text of a row ' || g FROM generate_series(1, 100000) q(g)",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER)",
        "INSERT INTO t SELECT g, g FROM generate_series(1, 1000000) q(g)",
    ] {
        run(&mut plenty, statement).unwrap();
    }
    let joined = "SELECT count(*), count(b.id), max(a.s) FROM u a \
                  LEFT JOIN (SELECT * FROM t WHERE k % 100000 = 3) b ON a.k > b.k + 900000";
    assert_eq!(rows(&mut plenty, joined), ["100000|0|'some text of a row 99999'"]);
    drop(plenty);
    let little = Options { memory_limit_bytes: Some(8_000_000), ..Options::default() };
    let error = run(&mut open(&folder, little).session(), joined).err().expect("the left side fits");
    assert_eq!(error.code(), Code::OutOfMemory, "{error:?}");
}

/// Rows that wait for each other's keys and rows that RETURNING gives are held until the statement is done, and count.
#[test]
fn rows_that_a_change_keeps_count() {
    let folder = Folder::new();
    let mut session = open(&folder, Options { memory_limit_bytes: Some(24 << 20), ..Options::default() }).session();
    let mut outcome = |sql: &str| run(&mut session, sql).map(|answer| answer.rows.len());
    outcome("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)").unwrap();
    outcome("INSERT INTO t SELECT g, 'some text of the row ' || g FROM generate_series(1, 100000) q(g)").unwrap();
    for statement in [
        "UPDATE t SET id = id + 1",
        "UPDATE t SET v = v WHERE id <= 90000 RETURNING id, v, v || v || v",
        "DELETE FROM t RETURNING *",
        "INSERT INTO t SELECT id + 1000000, v FROM t WHERE id > 5 RETURNING *",
        "MERGE INTO t USING (SELECT id AS k FROM t) q ON t.id = q.k WHEN MATCHED THEN DELETE RETURNING k",
    ] {
        let error = outcome(statement).expect_err(statement);
        assert_eq!(error.code(), Code::OutOfMemory, "{statement}: {error:?}");
    }
    assert_eq!(outcome("SELECT id FROM t WHERE v = 'some text of the row ' || id").unwrap(), 100_000);
    assert_eq!(outcome("UPDATE t SET id = id + 1 WHERE id > 99000").unwrap(), 0);
    assert_eq!(outcome("DELETE FROM t WHERE id <= 1000 RETURNING *").unwrap(), 1_000);
}

/// The memory of a change counts before it is done: the rows that are taken before the first is written. The journal
/// records of a large transaction are in a file, and do not count.
#[test]
fn the_changes_of_a_transaction_keep_the_memory_limit() {
    let folder = Folder::new();
    let mut session = open(&folder, Options { memory_limit_bytes: Some(16 << 20), ..Options::default() }).session();
    let mut text_of = |sql: &str| run(&mut session, sql).map(|answer| answer.rows.concat().concat());
    text_of("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)").unwrap();
    let rows = |from: u32, to: u32| {
        format!("INSERT INTO t SELECT g, 'some text of the row ' || g FROM generate_series({from}, {to}) q(g)")
    };
    let refused = |outcome: mainstay_types::Result<String>| {
        let error = outcome.expect_err("it fits");
        assert_eq!(error.code(), Code::OutOfMemory, "{error:?}");
    };
    // 600,000 rows are some 20 MB of journal, more than the limit.
    text_of("BEGIN").unwrap();
    text_of(&rows(1, 600_000)).unwrap();
    assert_eq!(text_of("SELECT count(*) FROM t").unwrap(), "600000");
    text_of("ROLLBACK").unwrap();
    assert_eq!(text_of("SELECT count(*) FROM t").unwrap(), "0");
    text_of(&rows(1, 100_000)).unwrap();
    text_of(&rows(100_001, 200_000)).unwrap();
    refused(text_of("UPDATE t SET v = v || ' and of another one, and of another one, and of another one'"));
    refused(text_of("INSERT INTO t SELECT id + 1000000, v || v || v || v FROM t"));
    assert_eq!(text_of("SELECT count(*), max(length(v)) FROM t").unwrap(), "20000027");
    // Statement by statement, too; what is refused is undone, and the transaction goes on.
    text_of("BEGIN").unwrap();
    for round in 0..20 {
        text_of(&rows(1_000_000 + round * 40_000, 1_000_000 + round * 40_000 + 39_999)).unwrap();
    }
    refused(text_of("UPDATE t SET v = v || ' and of another one, and of another one, and of another one'"));
    assert_eq!(text_of("SELECT count(*) FROM t").unwrap(), "1000000");
    text_of("COMMIT").unwrap();
    assert_eq!(text_of("SELECT count(*) FROM t").unwrap(), "1000000");
    text_of("DELETE FROM t WHERE id > 200000").unwrap();
}

/// The rows of temporary tables count for as long as the tables are there, and those of any table until its creation is
/// committed.
#[test]
fn temporary_tables_keep_the_memory_limit() {
    let folder = Folder::new();
    let mut session = open(&folder, Options { memory_limit_bytes: Some(32 << 20), ..Options::default() }).session();
    let mut text_of = |sql: &str| run(&mut session, sql).map(|answer| answer.rows.concat().concat());
    let rows = |count: u32| format!("SELECT g AS id, repeat('x', 200) || g AS v FROM generate_series(1, {count}) q(g)");
    let refused = |outcome: mainstay_types::Result<String>| {
        let error = outcome.expect_err("it fits");
        assert_eq!(error.code(), Code::OutOfMemory, "{error:?}");
    };
    // 200,000 rows are 40 MB.
    for word in ["TEMPORARY TABLE", "TABLE"] {
        refused(text_of(&format!("CREATE {word} h AS {}", rows(200_000))));
        assert_eq!(text_of("SELECT count(*) FROM h").expect_err("it is gone").code(), Code::UnknownTable);
    }
    for round in 0..3 {
        text_of(&format!("CREATE TEMPORARY TABLE h AS {}", rows(20_000))).unwrap();
        let inserts = (0..20).map(|_| text_of(&format!("INSERT INTO h {}", rows(20_000))));
        let done = inserts.take_while(|insert| insert.is_ok()).count();
        assert!((1..8).contains(&done), "{round}: {done}");
        assert_eq!(text_of("SELECT count(*) FROM h").unwrap(), (20_000 * (done + 1)).to_string());
        refused(text_of(&format!("INSERT INTO h {}", rows(20_000))));
        // Dropping it makes room.
        text_of("DROP TABLE h").unwrap();
    }
}

/// INSERT ... SELECT into a DBF table writes its rows as they come: what it holds is what undoing it takes, which counts.
/// Fault core-07: all rows were held as values, 2.5 KB each.
#[test]
fn rows_of_a_query_go_into_a_dbf_as_they_come() {
    let folder = Folder::new();
    let mut session = open(&folder, Options { memory_limit_bytes: Some(16 << 20), ..Options::default() }).session();
    let mut text_of = |sql: &str| run(&mut session, sql).map(|answer| answer.rows.concat().join("|"));
    text_of("CREATE TABLE d (id NUMERIC(9), a CHAR(40), b CHAR(40), n NUMERIC(12,2)) WITH (FORMAT = dbf)").unwrap();
    let insert = |rows: u32| {
        format!(
            "INSERT INTO d SELECT i, 'some text of a row', 'and another one', i / 4.0 FROM generate_series(1, {rows}) g(i)"
        )
    };
    // 30,000 records of 102 bytes: as values they were 75 MB.
    text_of(&insert(30_000)).unwrap();
    let sums = "SELECT count(*), sum(id), sum(n) FROM d";
    let before = "30000|450015000|112503750.00";
    assert_eq!(text_of(sums).unwrap(), before);
    // An INSERT that does not fit is undone, and so is one that a later row refuses.
    let error = text_of(&insert(400_000)).expect_err("it fits");
    assert_eq!(error.code(), Code::OutOfMemory, "{error:?}");
    assert_eq!(text_of(sums).unwrap(), before);
    let refused = "INSERT INTO d (id) SELECT i * 10000000 FROM generate_series(1, 20000) g(i)";
    assert_eq!(text_of(refused).expect_err("200,000,000,000 has twelve digits").code(), Code::InvalidValue);
    assert_eq!(text_of(sums).unwrap(), before);
    // A query over the table itself does not meet its own rows.
    text_of("INSERT INTO d SELECT id + 100000, a, b, n FROM d WHERE id <= 20000").unwrap();
    assert_eq!(text_of("SELECT count(*), max(id) FROM d").unwrap(), "50000|120000");
    assert_eq!(text_of("INSERT INTO d (id) SELECT 7 FROM generate_series(1, 3) g(i) RETURNING id").unwrap(), "7|7|7");
}
