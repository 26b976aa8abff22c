//! Statements that grow in one dimension until they are refused, through every door, under limits of memory and time.
//!
//! ```text
//!   core    one process for each statement: mainstay FOLDER -f FILE
//!   tsql    a client of SQL Server's protocol    }  one `mainstay serve` for all statements, and a second
//!   ads     a remote ACE client                  }  client that checks after each that the server answers
//! ```
//!
//! Every statement ends with an answer or an error, soon after its timeout, with a peak of memory near the limit; no
//! process ends, and other sessions go on. Faults break-05, break-07, break-08, break-10 and break-11 are some of the
//! statements. `MAINSTAY_GROWTH=long cargo test --test growth -- --nocapture` lets each dimension grow and prints the
//! figures; without it the sizes are those that once ended the server, or took it minutes or gigabytes.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)]

mod wire;

use mainstay_navigator::client::{Address, Client};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use wire::TdsClient;

/// The limits of statements.
const TIMEOUT: Duration = Duration::from_secs(3);
const LIMITS: [&str; 4] = ["--timeout", "3s", "--memory-limit", "256MB"];

/// The time that a statement may take beyond its limit before it is one that does not end. A step of the planner that nothing
/// interrupts takes seconds in a build without optimisation, on a machine that runs other tests.
const PATIENCE: Duration = Duration::from_secs(25);

/// The peak of a process: the limit, a process without statements, a plan, texts of programs, and memory that the allocator has
/// not given back since earlier statements.
const MOST_BYTES: u64 = 1200 << 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Door {
    Core,
    Tsql,
    Ads,
}

impl Door {
    fn name(self) -> &'static str {
        match self {
            Door::Core => "core",
            Door::Tsql => "tsql",
            Door::Ads => "ads",
        }
    }
}

/// The outcome of a statement.
struct Outcome {
    /// Its error; `None` for an answer.
    error: Option<String>,
    took: Duration,
    peak_bytes: u64,
}

/// A statement that grows.
struct Dimension {
    name: &'static str,
    statement: fn(usize, Door) -> String,
    /// The doors, each with the size that once was too much for it.
    sizes: &'static [(Door, usize)],
}

use Door::{Ads, Core, Tsql};

const DIMENSIONS: &[Dimension] = &[
    Dimension {
        name: "parts of an expression",
        statement: |n, _| format!("SELECT {} FROM t", list(n, "+", |_| "a".into())),
        sizes: &[(Core, 100_000), (Tsql, 100_000), (Ads, 100_000)],
    },
    Dimension {
        name: "nesting",
        statement: |n, _| format!("SELECT {}1{} FROM t", "(".repeat(n), ")".repeat(n)),
        sizes: &[(Core, 100_000), (Tsql, 100_000), (Ads, 100_000)],
    },
    Dimension {
        name: "queries within each other",
        statement: |n, _| {
            format!("SELECT a FROM {}t{}", "(SELECT a FROM ".repeat(n), list(n, "", |i| format!(") x{i}")))
        },
        sizes: &[(Core, 5_000), (Tsql, 5_000), (Ads, 5_000)],
    },
    Dimension {
        name: "columns",
        statement: |n, _| format!("SELECT {} FROM t", list(n, ",", |i| format!("a AS c{i}"))),
        sizes: &[(Core, 20_000), (Tsql, 20_000), (Ads, 20_000)],
    },
    Dimension {
        name: "literals in IN",
        statement: |n, _| format!("SELECT COUNT(*) FROM t WHERE a IN ({})", list(n, ",", |i| i.to_string())),
        sizes: &[(Core, 20_000), (Tsql, 5_000), (Ads, 5_000)],
    },
    Dimension {
        name: "rows of VALUES",
        statement: |n, _| format!("SELECT COUNT(*) FROM (VALUES {}) v(a, b)", list(n, ",", |i| format!("({i},{i})"))),
        sizes: &[(Core, 5_000), (Tsql, 5_000)],
    },
    Dimension {
        name: "joins by commas",
        statement: |n, _| format!("SELECT COUNT(*) FROM {}", list(n, ",", |i| format!("t t{i}"))),
        sizes: &[(Core, 500), (Tsql, 500), (Ads, 500)],
    },
    Dimension {
        name: "inner joins",
        statement: |n, _| {
            let join = |i: usize| format!("JOIN t t{} ON t{}.a = t{i}.a", i + 1, i + 1);
            format!("SELECT COUNT(*) FROM t t0 {}", list(n, " ", join))
        },
        sizes: &[(Core, 250), (Tsql, 80)],
    },
    Dimension {
        name: "left joins",
        statement: |n, _| {
            let join = |i: usize| format!("LEFT JOIN t t{} ON t{}.a = t0.a", i + 1, i + 1);
            format!("SELECT COUNT(*) FROM t t0 {}", list(n, " ", join))
        },
        sizes: &[(Core, 300), (Tsql, 250), (Ads, 300)],
    },
    Dimension {
        name: "common table expressions in a chain",
        statement: |n, _| {
            let next = |i: usize| format!(", c{} AS (SELECT a FROM c{i})", i + 1);
            format!("WITH c0 AS (SELECT 1 a){} SELECT COUNT(*) FROM c{n}", list(n, "", next))
        },
        sizes: &[(Core, 5_000), (Tsql, 1_000)],
    },
    Dimension {
        name: "common table expressions twice each",
        statement: |n, _| {
            let next = |i: usize| format!(", c{} AS (SELECT x.a FROM c{i} x CROSS JOIN c{i} y)", i + 1);
            format!("WITH c0 AS (SELECT 1 a){} SELECT COUNT(*) FROM c{n}", list(n, "", next))
        },
        sizes: &[(Core, 39), (Tsql, 39)],
    },
    Dimension {
        name: "UNION ALL",
        statement: |n, _| list(n, " UNION ALL ", |i| format!("SELECT {i} AS a FROM t")),
        sizes: &[(Core, 5_000), (Tsql, 5_000), (Ads, 5_000)],
    },
    Dimension {
        name: "EXCEPT",
        statement: |n, _| list(n, " EXCEPT ", |i| format!("SELECT a FROM t WHERE b <> {i}")),
        sizes: &[(Core, 250), (Tsql, 250)],
    },
    Dimension {
        name: "branches of CASE",
        statement: |n, _| format!("SELECT CASE a {} END FROM t", list(n, " ", |i| format!("WHEN {i} THEN {i}"))),
        sizes: &[(Core, 3_000), (Tsql, 3_000), (Ads, 1_000)],
    },
    Dimension {
        name: "EXISTS",
        statement: |n, _| {
            let exists = |_: usize| -> String { "EXISTS (SELECT 1 FROM t x WHERE x.b > -5 AND x.a = t.a)".into() };
            format!("SELECT * FROM t WHERE {}", list(n, " AND ", exists))
        },
        sizes: &[(Core, 300), (Tsql, 300), (Ads, 300)],
    },
    Dimension {
        name: "IN of queries",
        statement: |n, _| {
            let within = |i: usize| format!("a IN (SELECT a FROM t WHERE b > {i} - 2000)");
            format!("SELECT * FROM t WHERE {}", list(n, " AND ", within))
        },
        sizes: &[(Core, 300), (Tsql, 300), (Ads, 300)],
    },
    Dimension {
        name: "windows",
        statement: |n, _| {
            format!("SELECT {} FROM t", list(n, ",", |i| format!("SUM(a) OVER (ORDER BY b + {i}) AS c{i}")))
        },
        sizes: &[(Core, 1_000), (Tsql, 1_000)],
    },
    Dimension {
        name: "characters of a name",
        statement: |n, _| format!("SELECT a AS {} FROM t", "x".repeat(n)),
        sizes: &[(Core, 1_000_000), (Tsql, 1_000_000), (Ads, 1_000_000)],
    },
    Dimension {
        name: "repeat",
        statement: |n, door| match door {
            Door::Tsql => format!("SELECT LEN(REPLICATE(CAST('x' AS varchar(max)), {n}))"),
            _ => format!("SELECT LENGTH(repeat('x', {n}))"),
        },
        sizes: &[(Core, 2_147_483_647), (Tsql, 2_147_483_647)],
    },
    Dimension {
        name: "rpad of rows",
        statement: |n, _| {
            format!("SELECT SUM(LENGTH(rpad(CAST(v AS VARCHAR), {n}))) FROM generate_series(1, 10000) g(v)")
        },
        sizes: &[(Core, 2_000_000_000), (Core, 30_000)],
    },
    Dimension {
        name: "replace",
        statement: |n, door| match door {
            Door::Tsql => format!(
                "SELECT LEN(REPLACE(REPLICATE(CAST('x' AS varchar(max)), {n}), 'x', REPLICATE(CAST('y' AS varchar(max)), {n})))"
            ),
            _ => format!("SELECT LENGTH(replace(repeat('x', {n}), 'x', repeat('y', {n})))"),
        },
        sizes: &[(Core, 100_000), (Tsql, 100_000)],
    },
    Dimension {
        name: "concat of twenty",
        statement: |n, door| match door {
            Door::Tsql => {
                let part = |_: usize| format!("REPLICATE(CAST('x' AS varchar(max)), {n})");
                format!("SELECT LEN(CONCAT({}))", list(20, ",", part))
            }
            _ => format!("SELECT LENGTH(concat({}))", list(20, ",", |_| format!("repeat('x', {n})"))),
        },
        sizes: &[(Core, 150_000_000), (Tsql, 10_000_000)],
    },
    Dimension {
        name: "string_agg of megabytes",
        statement: |n, door| match door {
            Door::Tsql => format!(
                "SELECT LEN(STRING_AGG(REPLICATE(CAST('x' AS varchar(max)), 1000000), ',')) FROM GENERATE_SERIES(1, {n})"
            ),
            _ => format!("SELECT LENGTH(string_agg(repeat('x', 1000000), ',')) FROM generate_series(1, {n}) g(v)"),
        },
        sizes: &[(Core, 100)],
    },
    Dimension {
        name: "generate_series",
        statement: |n, door| match door {
            Door::Tsql => format!("SELECT COUNT(*) FROM GENERATE_SERIES(CAST(1 AS bigint), {n})"),
            _ => format!("SELECT COUNT(*) FROM generate_series(1, {n}) g(v)"),
        },
        sizes: &[(Core, 9_223_372_036_854_775_807), (Tsql, 9_223_372_036_854_775_807)],
    },
    Dimension {
        name: "rows in random order",
        statement: |n, door| match door {
            Door::Tsql => format!("SELECT TOP 5 value FROM GENERATE_SERIES(1, {n}) ORDER BY NEWID()"),
            _ => format!("SELECT v FROM generate_series(1, {n}) g(v) ORDER BY random() LIMIT 5"),
        },
        sizes: &[(Core, 100_000_000), (Tsql, 100_000_000)],
    },
    Dimension {
        name: "rows into a temporary table",
        statement: |n, _| format!("SELECT value AS v INTO #t FROM GENERATE_SERIES(1, {n})"),
        sizes: &[(Tsql, 500_000)],
    },
    Dimension {
        name: "texts into a temporary table",
        statement: |n, _| {
            format!("CREATE TEMPORARY TABLE h AS SELECT repeat('x', 1000) || v AS v FROM generate_series(1, {n}) g(v)")
        },
        sizes: &[(Core, 1_000_000)],
    },
    Dimension {
        name: "string_agg of constants",
        statement: |n, door| match door {
            Door::Tsql => {
                format!("SELECT LEN(STRING_AGG(CAST('0123456789' AS varchar(max)), ',')) FROM GENERATE_SERIES(1, {n})")
            }
            _ => format!("SELECT LENGTH(string_agg('0123456789', ',')) FROM generate_series(1, {n}) g(v)"),
        },
        sizes: &[(Core, 30_000_000), (Tsql, 30_000_000)],
    },
    Dimension {
        name: "classes in PATINDEX",
        statement: |n, _| {
            let pattern = "%[a-z]".repeat(n);
            format!("SELECT PATINDEX('{pattern}%b%', REPLICATE(CAST('a' AS varchar(max)), 100000))")
        },
        sizes: &[(Tsql, 100)],
    },
];

fn list(n: usize, between: &str, part: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0..n {
        if i > 0 {
            text.push_str(between);
        }
        // Writing to a string does not fail.
        let _ = write!(text, "{}", part(i));
    }
    text
}

/// A line of `/proc/PID/status` in bytes.
fn status(pid: u32, key: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|line| line.trim_matches([':', ' ', '\t', 'k', 'B']).trim().parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn mainstay(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
    command.args(arguments);
    command
}

/// Runs a statement and one behind it in a process of its own.
fn run_core(folder: &Path, statement: &str) -> Outcome {
    let file = |name: &str| -> PathBuf { folder.join(name) };
    std::fs::write(file("statement.sql"), format!("{statement};\nSELECT 'goes on' AS it")).unwrap();
    let [out, err] = ["out.txt", "err.txt"].map(|name| File::create(file(name)).unwrap());
    let mut command = mainstay(&LIMITS);
    command.args(["--format", "csv", "--continue-on-error", "-f"]).arg(file("statement.sql")).arg(folder.join("db"));
    let mut child = command.stdout(out).stderr(err).spawn().unwrap();
    let (began, mut peak_bytes) = (Instant::now(), 0);
    let status = loop {
        peak_bytes = peak_bytes.max(status(child.id(), "VmHWM"));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > TIMEOUT + PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("no end after {:?}", began.elapsed());
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let took = began.elapsed();
    let [out, err] =
        ["out.txt", "err.txt"].map(|name| String::from_utf8_lossy(&std::fs::read(file(name)).unwrap()).into_owned());
    assert!(matches!(status.code(), Some(0 | 1)), "the process ended by {status}: {err}");
    assert!(out.trim_end().ends_with("goes on"), "the session did not go on: {err}");
    let error = (!status.success()).then(|| err.lines().next().unwrap_or_default().to_owned());
    Outcome { error, took, peak_bytes }
}

/// A server for the other doors.
struct Serving {
    process: Child,
    tds: String,
    navigator: String,
}

impl Serving {
    fn start(folder: &Path) -> Serving {
        let mut command = mainstay(&["serve", "--tds", "127.0.0.1:0", "--navigator", "127.0.0.1:0"]);
        let mut process = command.args(LIMITS).arg(folder).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let ready = lines.by_ref().find_map(|line| {
            let (_, rest) = line.split_once(" event=ready tds=")?;
            let (tds, navigator) = rest.split_once(" navigator=")?;
            Some((tds.to_owned(), navigator.to_owned()))
        });
        std::thread::spawn(move || lines.for_each(drop));
        let (tds, navigator) = ready.expect("the server says where it listens");
        Serving { process, tds, navigator }
    }

    fn run(&self, door: Door, statement: &str) -> Outcome {
        // From here on the peak counts anew.
        std::fs::write(format!("/proc/{}/clear_refs", self.process.id()), "5").unwrap();
        let began = Instant::now();
        let error = match door {
            Door::Ads => {
                let name = format!("tcp://{}", self.navigator);
                let address = Address::parse(&name).unwrap().unwrap();
                let client = Client::connect(&name, address, "ada", "", "growth").unwrap();
                client.execute(statement, &[]).err().map(|error| error.to_string())
            }
            _ => {
                let mut client = TdsClient::connect(&self.tds);
                client.stream.set_read_timeout(Some(TIMEOUT + PATIENCE)).unwrap();
                client.send_batch(statement);
                let answer = client.answer().unwrap_or_else(|error| panic!("no answer: {error}"));
                // The session goes on.
                client.send_batch("SELECT 1");
                client.wait();
                error_of(&answer)
            }
        };
        let took = began.elapsed();
        let peak_bytes = status(self.process.id(), "VmHWM");
        // So do others.
        let mut other = TdsClient::connect(&self.tds);
        other.stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        other.send_batch("SELECT COUNT(*) FROM t");
        assert!(error_of(&other.answer().expect("other sessions are answered")).is_none());
        Outcome { error, took, peak_bytes }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The first error of an answer: a token 0xAA with its length, number, state, class, and text of 16-bit characters.
fn error_of(answer: &[u8]) -> Option<String> {
    let at = |place: usize| answer.get(place).copied().map(usize::from);
    let short = |place: usize| Some(at(place)? | at(place + 1)? << 8);
    (0..answer.len()).find_map(|start| {
        let length = short(start + 1)?;
        let (number, class, characters) =
            (short(start + 3)? | short(start + 5)? << 16, at(start + 8)?, short(start + 9)?);
        let text = answer.get(start + 11..start + 11 + characters * 2)?;
        let is_error =
            answer[start] == 0xAA && (11..=25).contains(&class) && number < 100_000 && characters * 2 < length;
        let units: Vec<u16> = text.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        is_error.then(|| format!("{number}: {}", String::from_utf16_lossy(&units)))
    })
}

/// A folder with a table of one row, for the doors.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("db")).unwrap();
    let mut made = mainstay(&["-c", "CREATE TABLE t (a INT, b INT); INSERT INTO t VALUES (1, 1)"]);
    assert!(made.arg(folder.path().join("db")).output().unwrap().status.success());
    folder
}

fn check(name: &str, door: Door, size: usize, outcome: &Outcome) {
    let Outcome { took, peak_bytes, .. } = outcome;
    let what = format!("{name} x {size}, {}", door.name());
    assert!(*took < TIMEOUT + PATIENCE, "{what}: {took:?}");
    assert!(*peak_bytes < MOST_BYTES, "{what}: {} MB", peak_bytes >> 20);
}

fn shown(name: &str, door: Door, size: usize, outcome: &Outcome) {
    let Outcome { error, took, peak_bytes } = outcome;
    let error = error.as_deref().unwrap_or("an answer");
    let error = error.char_indices().nth(110).map_or(error, |(end, _)| &error[..end]);
    let (seconds, peak) = (took.as_secs_f64(), peak_bytes >> 20);
    println!("{name:36} {:5} {size:>20} {seconds:>6.1} s {peak:>5} MB  {error}", door.name());
}

#[test]
fn statements_end_whatever_their_size() {
    let folder = folder();
    // The folder is open for writing in one process at a time, and the server has it when the others are done.
    let is_long = std::env::var_os("MAINSTAY_GROWTH").is_some_and(|how| how == "long");
    for door in [Core, Tsql, Ads] {
        let serving = (door != Core).then(|| Serving::start(&folder.path().join("db")));
        for Dimension { name, statement, sizes } in DIMENSIONS {
            let run = |size: usize| {
                let text = statement(size, door);
                let outcome = match &serving {
                    None => run_core(folder.path(), &text),
                    Some(serving) => serving.run(door, &text),
                };
                shown(name, door, size, &outcome);
                check(name, door, size, &outcome);
                outcome.error.is_some()
            };
            for (_, size) in sizes.iter().filter(|(of, _)| *of == door) {
                // In the long run from small sizes on, until one is refused.
                let mut growing = if is_long { 16.min(*size) } else { *size };
                while !run(growing) && growing < *size {
                    growing = growing.saturating_mul(4).min(*size);
                }
            }
        }
    }
}
