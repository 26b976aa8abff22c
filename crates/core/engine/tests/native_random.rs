//! Random changes and queries of a native table, three ways: with the kernels, the indexes and the row executor; on the
//! general executor alone; and by SQLite. All must do the same and answer the same.
//!
//! Integers stay small and no statement divides, because SQLite's semantics differ there. A seed that ever failed is
//! added to `SEEDS_THAT_FOUND_SOMETHING`.

mod common;

use common::{Random, seeds};
use mainstay_columnar::values::value_at;
use mainstay_engine::{Database, Options, Session};
use mainstay_types::{Value, ValueRef};

const SEEDS: u64 = 12;
const STATEMENTS: usize = 120;
const SEEDS_THAT_FOUND_SOMETHING: [u64; 0] = [];

impl Random {
    fn number(&mut self) -> String {
        if self.below(8) == 0 { "NULL".to_owned() } else { (self.below(40) as i64 - 5).to_string() }
    }

    fn text(&mut self) -> String {
        match self.below(8) {
            0 => "NULL".to_owned(),
            n => format!("'{}'", ["a", "b", "abc", "Abc", "b_c", "", "zz"][n - 1]),
        }
    }

    /// A list for `a`, of values, NULL and what is no value.
    fn list(&mut self) -> String {
        let item = |random: &mut Random| match random.below(6) {
            0 => "id".to_owned(),
            1 => "a + id - id".to_owned(),
            2..4 => ["0", "1", "2"][random.below(3)].to_owned(),
            _ => random.number(),
        };
        let items: Vec<String> = (0..1 + self.below(3)).map(|_| item(self)).collect();
        format!("a {}IN ({})", self.of(&["", "NOT "]), items.join(", "))
    }

    fn condition(&mut self, depth: u32) -> String {
        match self.below(if depth == 0 { 6 } else { 10 }) {
            0 => format!("id = {}", self.below(40)),
            1 => format!("a {} {}", self.of(&["=", "<", ">=", "<>"]), self.number()),
            2 => format!("s {} {}", self.of(&["=", "<", ">", "<>"]), self.text()),
            3 => format!("{} IS {}NULL", self.of(&["a", "s"]), self.of(&["", "NOT "])),
            4 => format!("id BETWEEN {} AND {}", self.below(20), self.below(40)),
            5 => self.list(),
            6 => format!("NOT ({})", self.condition(depth - 1)),
            7 => format!("({} {} {})", self.list(), self.of(&["AND", "OR"]), self.list()),
            _ => {
                let joint = self.of(&["AND", "OR"]);
                format!("({} {joint} {})", self.condition(depth - 1), self.condition(depth - 1))
            }
        }
    }

    fn change(&mut self) -> String {
        let (id, a, s) = (self.below(40), self.number(), self.text());
        match self.below(9) {
            0..=2 => format!("INSERT INTO t (id, a, s) VALUES ({id}, {a}, {s})"),
            3 => format!("INSERT INTO t VALUES ({id}, {a}, {s}) ON CONFLICT (id) DO NOTHING"),
            4 => {
                format!("INSERT INTO t VALUES ({id}, {a}, {s}) ON CONFLICT (id) DO UPDATE SET a = excluded.a, s = t.s")
            }
            5 => format!("UPDATE t SET a = a + {} WHERE {}", self.below(3), self.condition(2)),
            6 => format!("UPDATE t SET s = {s}, a = {a} WHERE id = {id}"),
            7 => format!("DELETE FROM t WHERE {}", self.condition(2)),
            _ => format!("INSERT INTO t SELECT id + 40, a, s FROM t WHERE {} AND id < 40", self.condition(1)),
        }
    }

    fn query(&mut self) -> String {
        let condition = self.condition(2);
        match self.below(6) {
            0 => format!("SELECT id, a, s FROM t WHERE {condition} ORDER BY id"),
            5 => format!("SELECT id FROM t WHERE ({condition}) IS NULL ORDER BY id"),
            1 => format!("SELECT COUNT(*), COUNT(a), SUM(a), MIN(s), MAX(a) FROM t WHERE {condition}"),
            2 => format!("SELECT a, COUNT(*) FROM t WHERE {condition} GROUP BY a ORDER BY a"),
            3 => format!("SELECT DISTINCT s FROM t WHERE {condition} ORDER BY s"),
            _ => format!(
                "SELECT x.id, y.id FROM t x JOIN t y ON x.a = y.id WHERE x.id < 20 AND y.{condition} ORDER BY x.id"
            )
            .replace("y.(", "(")
            .replace("y.NOT", "NOT"),
        }
    }
}

/// The rows, or that it failed: texts of errors differ between systems.
type Outcome = Option<Vec<Vec<Value>>>;

fn mainstay(session: &mut Session, sql: &str) -> Outcome {
    let mut prepared = session.prepare(sql).ok()?;
    let mut rows = prepared.query(session, &[]).ok()?;
    let mut all = Vec::new();
    while let Some(row) = rows.next().ok()? {
        all.push((0..row.len()).map(|column| row.get(column).to_value()).collect());
    }
    Some(all)
}

fn sqlite(connection: &rusqlite::Connection, sql: &str) -> Outcome {
    let mut statement = connection.prepare(sql).ok()?;
    let columns = statement.column_count();
    let mut rows = statement.query([]).ok()?;
    let mut all = Vec::new();
    while let Some(row) = rows.next().ok()? {
        let value = |column| match row.get_ref(column).unwrap() {
            rusqlite::types::ValueRef::Null => Value::Null,
            rusqlite::types::ValueRef::Integer(value) => Value::Integer(value),
            rusqlite::types::ValueRef::Real(value) => Value::Float(value),
            rusqlite::types::ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            rusqlite::types::ValueRef::Blob(bytes) => Value::Binary(bytes.to_owned()),
        };
        all.push((0..columns).map(value).collect());
    }
    Some(all)
}

fn plain(general_executor_only: bool) -> Session {
    let options = Options { general_executor_only, ..Options::default() };
    Database::open_with(":memory:", options).unwrap().session()
}

/// Statements of which a column may be named in two tables are left out: SQLite takes the first.
fn is_ambiguous(sql: &str) -> bool {
    sql.contains(" JOIN ") && sql.contains('(')
}

/// Under a collation members of a group differ: only what they have in common is compared.
fn of_collated(sql: String) -> String {
    let distinct = "SELECT DISTINCT s FROM t WHERE";
    match sql.strip_prefix(distinct).and_then(|rest| rest.strip_suffix("ORDER BY s")) {
        Some(condition) if condition.len() % 2 == 0 => format!("SELECT COUNT(DISTINCT s) FROM t WHERE {condition}"),
        Some(condition) => format!("SELECT LOWER(MAX(s)), COUNT(*) FROM t WHERE {condition} GROUP BY s ORDER BY s"),
        None => sql.replace("MIN(s)", "LOWER(MIN(s))"),
    }
}

/// With `collated` the texts compare without regard to case, as SQLite's NOCASE does it for ASCII.
fn run(seed: u64, collated: bool) {
    let mut random = Random(seed);
    let (mut fast, mut general) = (plain(false), plain(true));
    let reference = rusqlite::Connection::open_in_memory().unwrap();
    let create = "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, s TEXT)";
    let mut log = vec![create.to_owned()];
    if random.below(2) == 0 {
        log.push("CREATE INDEX by_a ON t (a, s DESC)".to_owned());
    }
    if collated {
        log[0] = create.replace("TEXT", "TEXT COLLATE ci_ai");
        log.push("CREATE INDEX by_s ON t (s)".to_owned());
    }
    for sql in &log {
        fast.execute(sql).unwrap();
        general.execute(sql).unwrap();
        reference.execute(&sql.replace("ci_ai", "NOCASE"), []).unwrap();
    }
    for _ in 0..STATEMENTS {
        let mut sql = if random.below(3) == 0 { random.query() } else { random.change() };
        if collated {
            sql = of_collated(sql);
        }
        if is_ambiguous(&sql) {
            continue;
        }
        log.push(sql.clone());
        let all = "SELECT id, a, s FROM t ORDER BY id";
        for sql in [sql.as_str(), all] {
            let (one, two, three) = (mainstay(&mut fast, sql), mainstay(&mut general, sql), sqlite(&reference, sql));
            assert_eq!(one, two, "seed {seed}: the executors differ in {sql}\nafter\n{}", log.join(";\n"));
            assert_eq!(one, three, "seed {seed}: SQLite differs in {sql}\nafter\n{}", log.join(";\n"));
        }
    }
    // The row executor against the planner: every key, there or not.
    let mut point = fast.prepare("SELECT a, s FROM t WHERE id = ?").unwrap();
    for id in -1..90 {
        let mut rows = point.query(&mut fast, &[ValueRef::Integer(id)]).unwrap();
        let row = rows.next().unwrap().map(|row| vec![row.get(0).to_value(), row.get(1).to_value()]);
        let expected = mainstay(&mut general, &format!("SELECT a, s FROM t WHERE id = {id}")).unwrap();
        assert_eq!(row, expected.into_iter().next(), "seed {seed}, id {id}");
    }
}

#[test]
fn three_ways_of_running_random_statements_agree() {
    seeds(SEEDS).chain(SEEDS_THAT_FOUND_SOMETHING).for_each(|seed| run(seed, false));
}

#[test]
fn three_ways_of_running_random_statements_agree_under_a_collation() {
    seeds(SEEDS).for_each(|seed| run(seed, true));
}

/// Tables that refer to each other and to themselves, with any actions: SQLite has them, too. It takes rows one by one,
/// so that keys change one at a time here.
fn run_references(seed: u64) {
    let mut random = Random(seed.wrapping_mul(7_919));
    let mut action = || {
        let mut one = || random.of(&["NO ACTION", "CASCADE", "SET NULL", "SET DEFAULT"]);
        format!("ON DELETE {} ON UPDATE {}", one(), one())
    };
    let mut log = vec![
        "CREATE TABLE a (id INTEGER PRIMARY KEY, n INTEGER)".to_owned(),
        format!(
            "CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER DEFAULT 1 REFERENCES a (id) {}, \
             up INTEGER DEFAULT 2 REFERENCES b (id) {}, CHECK (id < 90))",
            action(),
            action()
        ),
        format!(
            "CREATE TABLE c (id INTEGER PRIMARY KEY REFERENCES a (id) {}, b INTEGER DEFAULT 3 REFERENCES b (id) {})",
            action(),
            action()
        ),
        format!("CREATE TABLE d (id INTEGER PRIMARY KEY, c INTEGER REFERENCES c (id) {})", action()),
    ];
    let mut session = plain(false);
    let reference = rusqlite::Connection::open_in_memory().unwrap();
    reference.execute_batch("PRAGMA foreign_keys = ON").unwrap();
    for sql in &log {
        session.execute(sql).unwrap();
        reference.execute(sql, []).unwrap();
    }
    for _ in 0..STATEMENTS * 2 {
        let (table, id, other) = (random.of(&["a", "b", "b", "c", "d"]), random.below(8), random.number());
        let sql = match (random.below(6), table) {
            (0..=2, "b") => format!("INSERT INTO b VALUES ({id}, {other}, {})", random.number()),
            (0..=2, _) => format!("INSERT INTO {table} VALUES ({id}, {other})"),
            (3, _) => format!("UPDATE {table} SET id = {} WHERE id = {id}", random.below(100)),
            (4, "b") => format!("UPDATE b SET a = {other} WHERE id = {id}"),
            (4, _) => format!("DELETE FROM {table} WHERE id > {}", random.below(100)),
            _ => format!("DELETE FROM {table} WHERE id = {id}"),
        };
        log.push(sql.clone());
        let ours = session.execute(&sql).ok().map(|answer| answer.changed());
        let theirs = reference.execute(&sql, []).ok().map(|count| Some(count as u64));
        assert_eq!(ours, theirs, "seed {seed}: {sql}\nafter\n{}", log.join(";\n"));
        for table in ["a", "b", "c", "d"] {
            let all = format!("SELECT * FROM {table} ORDER BY id");
            let (ours, theirs) = (mainstay(&mut session, &all), sqlite(&reference, &all));
            assert_eq!(ours, theirs, "seed {seed}: {table} after\n{}", log.join(";\n"));
        }
    }
}

#[test]
fn random_changes_of_tables_with_references_agree_with_sqlite() {
    (0..16).for_each(run_references);
}

/// The rows of a query go into a table by the batch where its columns take them as they are. RETURNING wants rows, and has
/// them written one by one: both must give the same rows, counts and errors.
#[test]
fn rows_of_a_query_are_inserted_by_batches_as_they_are_one_by_one() {
    let mut session = Database::open(":memory:").unwrap().session();
    for text in [
        "CREATE TABLE s (a BIGINT, b BIGINT, t VARCHAR(30), d DOUBLE PRECISION, n DATE, f BOOLEAN, m DECIMAL(9,2))",
        "INSERT INTO s VALUES (1, 10, 'one', 0.5, DATE '2026-01-02', TRUE, 1.25), (2, -20, 'zwölf', 1.5, NULL, FALSE, 2), \
         (3, NULL, NULL, NULL, DATE '1999-12-31', NULL, NULL), (4, 70000, 'four letters and more', 2.5, NULL, TRUE, -4)",
        "CREATE TABLE parent (id BIGINT PRIMARY KEY)",
        "INSERT INTO parent VALUES (1), (2), (4)",
    ] {
        outcome(&mut session, text).unwrap();
    }
    let wide = "a BIGINT PRIMARY KEY, b BIGINT, t VARCHAR(30), d DOUBLE PRECISION, n DATE, f BOOLEAN";
    for (definition, columns, select) in [
        (wide, "a, b, t, d, n, f", "a, b, t, d, n, f FROM s"),
        (wide, "f, n, d, t, b, a", "f, n, d, t, b, a FROM s"),
        (wide, "b, a", "b, a FROM s"),
        (wide, "a, b", "a, b FROM s WHERE a > 100"),
        (wide, "a, b", "a, a + b FROM s ORDER BY a DESC"),
        (wide, "a", "1 FROM s"),
        (wide, "a", "a + 9223372036854775807 FROM s"),
        (wide, "b", "b FROM s"),
        (wide, "a, b", "a FROM s"),
        ("a SMALLINT PRIMARY KEY, b INTEGER", "a, b", "a, b FROM s"),
        ("a INTEGER, b SMALLINT", "a, b", "a, b FROM s"),
        ("a INTEGER, b SMALLINT", "a, b", "a, b FROM s WHERE b < 100"),
        ("a TINYINT NOT NULL, b BIGINT NOT NULL", "a, b", "a, b FROM s"),
        ("a BIGINT, t VARCHAR(5)", "a, t", "a, t FROM s"),
        ("a BIGINT, t VARCHAR(5)", "a, t", "a, t FROM s WHERE a < 4"),
        ("a BIGINT, t CHAR(30)", "a, t", "a, t || '  ' FROM s"),
        ("a DOUBLE PRECISION, b REAL", "a, b", "b, d FROM s"),
        ("a VARCHAR(20), b BIGINT", "a, b", "a, t FROM s WHERE t = 'one'"),
        ("a BIGINT, m DECIMAL(5,1)", "a, m", "a, m FROM s"),
        ("a BIGINT DEFAULT 7, b BIGINT", "b", "b FROM s"),
        ("a BIGINT, b BIGINT CHECK (b > 0)", "a, b", "a, b FROM s"),
        ("a BIGINT, b BIGINT GENERATED ALWAYS AS (a * 2) STORED", "a", "a FROM s"),
        ("a BIGINT REFERENCES parent (id), b BIGINT", "a, b", "a, b FROM s"),
        ("a BIGINT REFERENCES parent (id), b BIGINT", "a, b", "a, b FROM s WHERE a <> 3"),
    ] {
        let mut outcomes = Vec::new();
        for (table, returning) in [("batches", ""), ("singles", "RETURNING 1 AS one")] {
            outcome(&mut session, &format!("CREATE TABLE {table} ({definition})")).unwrap();
            // A row that stays when the statement fails.
            let before =
                outcome(&mut session, &format!("INSERT INTO {table} (a) VALUES (100)")).map(|(count, _)| count);
            let text = format!("INSERT INTO {table} ({columns}) SELECT {select} {returning}");
            let inserted = outcome(&mut session, &text).map(|(count, _)| count);
            let (_, mut rows) = outcome(&mut session, &format!("SELECT * FROM {table}")).unwrap();
            rows.sort();
            outcome(&mut session, &format!("DROP TABLE {table}")).unwrap();
            outcomes.push((before, inserted, rows));
        }
        assert_eq!(outcomes[0], outcomes[1], "{definition}: {select}");
    }
}

/// The number of changed rows, and the rows as texts; or the code of the error.
fn outcome(session: &mut Session, text: &str) -> Result<(Option<u64>, Vec<String>), String> {
    let mut run = || -> mainstay_types::Result<(Option<u64>, Vec<String>)> {
        let (mut answer, mut rows) = (session.execute(text)?, Vec::new());
        while let Some(batch) = answer.next_batch()? {
            for row in 0..batch.num_rows() {
                let values = batch.columns().iter().map(|column| Ok(value_at(column, row)?.to_string()));
                rows.push(values.collect::<mainstay_types::Result<Vec<String>>>()?.join("|"));
            }
        }
        Ok((answer.changed(), rows))
    };
    run().map_err(|error| error.code().name().to_owned())
}
