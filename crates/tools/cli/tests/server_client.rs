//! `mainstay tds://...`: the prompt as a client of `mainstay serve`, as real processes, and a folder that a server has open.
#![allow(clippy::disallowed_methods)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A server process, which is killed with the test.
struct Serving {
    process: Child,
    tds: String,
}

impl Serving {
    fn start(folder: &Path) -> Serving {
        let mut process = Command::new(env!("CARGO_BIN_EXE_mainstay"))
            .args(["serve", "--tds", "127.0.0.1:0"])
            .arg(folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let tds = lines.by_ref().find_map(|line| line.split_once(" event=ready tds=").map(|(_, rest)| rest.to_owned()));
        std::thread::spawn(move || lines.for_each(drop));
        Serving { process, tds: tds.expect("the server says where it listens") }
    }

    /// The address with these options, for this user.
    fn address(&self, user: &str, options: &str) -> String {
        format!("tds://{user}@{}{options}", self.tds)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn start(arguments: &[&str], password: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_mainstay"))
        .args(arguments)
        .env("MAINSTAY_PASSWORD", password)
        .env_remove("MAINSTAY_USER")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

struct Done {
    code: Option<i32>,
    out: String,
    errors: String,
}

fn ended(output: Output) -> Done {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Done { code: output.status.code(), out: text(output.stdout), errors: text(output.stderr) }
}

fn run_with(arguments: &[&str], input: &str, password: &str) -> Done {
    let mut child = start(arguments, password);
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    ended(child.wait_with_output().unwrap())
}

fn run(arguments: &[&str], input: &str) -> Done {
    run_with(arguments, input, "")
}

/// The output of a statement, which must succeed.
fn printed(arguments: &[&str]) -> String {
    let done = run(arguments, "");
    assert_eq!(done.code, Some(0), "{arguments:?}: {}", done.errors);
    done.out
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    printed(&[
        path,
        "-c",
        "CREATE TABLE kept (id INT PRIMARY KEY, name VARCHAR(20)); INSERT INTO kept VALUES (1, 'one')",
    ]);
    printed(&[path, "-c", "CREATE TABLE papers (id DECIMAL(8,0)) WITH (FORMAT=dbf, VERSION=foxpro)"]);
    printed(&[path, "-c", "INSERT INTO papers VALUES (7), (8)"]);
    folder
}

#[test]
fn results_messages_errors_and_exit_codes() {
    let folder = folder();
    let server = Serving::start(folder.path());
    let address = server.address("sa", "");
    let csv = |text: &str| run(&[&address, "--format", "csv", "-c", text], "");
    assert_eq!(csv("SELECT id, name FROM kept").out, "id,name\n1,one\n");
    // Several results, a message and a count of one batch; a file of the folder is a table as well.
    let several = csv("PRINT 'hello'; SELECT COUNT(*) AS n FROM papers; SELECT 2 AS two, N'å' AS three");
    assert_eq!((several.code, several.out.as_str()), (Some(0), "n\n2\ntwo,three\n2,å\n"));
    assert_eq!(several.errors, "hello\n");
    // The number and the line of an error, counted in the script; nothing runs behind it.
    let script = folder.path().join("script.sql");
    std::fs::write(&script, "SELECT 1 AS a\nGO\nSELECT 2 AS b\nSELECT * FROM nowhere\nGO\nSELECT 3 AS c\n").unwrap();
    let script = script.to_str().unwrap();
    let failed = run(&[&address, "--format", "csv", "-f", script], "");
    assert_eq!(failed.code, Some(1));
    assert!(
        failed.errors.contains("Msg 208, Level 16, State 1, Line 4\nInvalid object name 'nowhere'"),
        "{}",
        failed.errors
    );
    assert!(failed.out.starts_with("a\n1\n") && !failed.out.contains('c'), "{}", failed.out);
    let on = run(&[&address, "--format", "csv", "--continue-on-error", "-f", script], "");
    assert_eq!(on.code, Some(1));
    assert!(on.out.ends_with("c\n3\n"), "{}", on.out);
    // Values are never part of the text.
    let values = ["--param", "O'Hara", "--param", "41"];
    let sql = "SELECT @p1 AS a, @p2 + 1 AS b";
    let arguments = [&[address.as_str(), "--format", "ndjson", "-c", sql][..], &values].concat();
    assert_eq!(printed(&arguments), "{\"a\":\"O'Hara\",\"b\":42}\n");
    // Standard input, and commands of the prompt.
    let typed = run(&[&address], ".mode csv\n.headers off\nSELECT 5\nGO\n.tables\n.schema kept\n");
    assert_eq!(typed.code, Some(0), "{}", typed.errors);
    assert!(typed.out.starts_with("5\n") && typed.out.contains("dbo,kept,BASE TABLE"), "{}", typed.out);
    assert!(typed.out.contains("name,nvarchar,"), "{}", typed.out);
    let refused = run(&[&address, "-c", ".import x.csv"], "");
    assert_eq!(refused.code, Some(1));
    assert!(refused.errors.contains("BULK INSERT"), "{}", refused.errors);
}

#[test]
fn messages_have_lines_and_parameters_any_case() {
    let folder = folder();
    let server = Serving::start(folder.path());
    let address = server.address("sa", "");
    let timed = run(&[&address, "-c", "SET STATISTICS TIME ON; SELECT COUNT(*) FROM kept"], "");
    assert_eq!(timed.code, Some(0), "{}", timed.errors);
    let lines: Vec<&str> = timed.errors.lines().collect();
    let heading = lines.iter().position(|line| *line == " SQL Server Execution Times:");
    assert!(heading.is_some_and(|at| lines[at + 1].starts_with("   CPU time = ")), "{}", timed.errors);
    let csv = |sql: &str| run(&[&address, "--format", "csv", "--param", "41", "-c", sql], "");
    assert_eq!(csv("SELECT @P1 + 1 AS a").out, "a\n42\n");
    // A batch that only mentions them is no call: what it declares is its own.
    assert_eq!(csv("DECLARE @p10 INT = 7; SELECT @p10 AS [@p1], '@p1' AS b").out, "@p1,b\n7,@p1\n");
}

#[test]
fn a_row_beyond_the_memory_limit_ends_the_connection_and_not_the_script() {
    let folder = folder();
    let server = Serving::start(folder.path());
    let address = server.address("sa", "");
    let script =
        "SELECT REPLICATE(CAST('x' AS VARCHAR(MAX)), 3000000) AS a\nGO\nSELECT LEN(REPLICATE('x', 5)) AS b\nGO\n";
    let arguments = [address.as_str(), "--format", "csv", "--memory-limit", "1MiB", "--continue-on-error"];
    let done = run(&arguments, script);
    assert_eq!((done.code, done.out.as_str()), (Some(1), "b\n5\n"), "{}", done.errors);
    assert!(done.errors.contains("the server sent a row of more than 1048576 bytes"), "{}", done.errors);
    assert!(done.errors.contains("raise --memory-limit") && done.errors.contains("connected again"), "{}", done.errors);
    assert_eq!(run(&arguments[..3], script).out.len(), "a\n\nb\n5\n".len() + 3_000_000);
}

/// The values are those that SQL Server's documentation gives for these conversions.
#[test]
fn every_type_arrives() {
    let folder = tempfile::tempdir().unwrap();
    let server = Serving::start(folder.path());
    let address = server.address("sa", "");
    let cases = [
        ("CAST(1 AS BIT)", "true"),
        ("CAST(255 AS TINYINT)", "255"),
        ("CAST(-9223372036854775808 AS BIGINT)", "-9223372036854775808"),
        ("CAST(1.5 AS REAL)", "1.5"),
        ("CAST(0.1 AS FLOAT)", "0.1"),
        ("CAST('-12345678901234567890.12' AS DECIMAL(38,2))", "-12345678901234567890.12"),
        ("CAST(922337203685477.5807 AS MONEY)", "922337203685477.5807"),
        ("CAST('2024-02-29' AS DATE)", "2024-02-29"),
        ("CAST('23:59:59.1234567' AS TIME(7))", "23:59:59.123456700"),
        ("CAST('2024-02-29T23:59:59.997' AS DATETIME)", "2024-02-29 23:59:59.997"),
        ("CAST('0001-01-01T00:00:00.1234567' AS DATETIME2(7))", "0001-01-01 00:00:00.1234567"),
        ("CAST('2024-02-29 12:00:00 +05:30' AS DATETIMEOFFSET(0))", "2024-02-29 12:00:00+05:30"),
        ("CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF' AS UNIQUEIDENTIFIER)", "6f9619ff-8b86-d011-b42d-00c04fc964ff"),
        ("CAST(0x01FF AS VARBINARY(8))", "\\x01ff"),
        ("CAST('Müller' AS VARCHAR(20))", "Müller"),
        ("CAST(N'漢字😀' AS NVARCHAR(MAX))", "漢字😀"),
        ("CAST('ab' AS CHAR(4))", "ab  "),
        ("CAST(NULL AS INT)", ""),
        ("CAST('<a/>' AS XML)", "<a/>"),
        ("CAST(7 AS SQL_VARIANT)", "7"),
        ("LEN(REPLICATE(CAST('x' AS VARCHAR(MAX)), 300000))", "300000"),
    ];
    let columns: Vec<String> = cases.iter().map(|(sql, _)| format!("SELECT {sql}")).collect();
    let out = printed(&[&address, "--format", "tsv", "--no-header", "--null", "", "-c", &columns.join("\n")]);
    let lines: Vec<&str> = out.split_terminator('\n').collect();
    assert_eq!(lines.len(), cases.len(), "{out}");
    for ((sql, wanted), line) in cases.iter().zip(lines) {
        assert_eq!(line.replace("\\\\", "\\"), *wanted, "{sql}");
    }
    // A value of many packets, and many rows.
    let long =
        printed(&[&address, "--format", "csv", "-c", "SELECT REPLICATE(CAST('x' AS VARCHAR(MAX)), 300000) AS x"]);
    assert_eq!(long.len(), 300_000 + 3);
    let rows = "WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n OPTION (MAXRECURSION 0)";
    let rows = printed(&[&address, "--format", "csv", "--no-header", "-c", rows]);
    assert_eq!((rows.lines().count(), rows.lines().last()), (20_000, Some("20000")));
}

#[test]
fn an_interrupt_stops_the_batch_on_the_server() {
    let folder = folder();
    let server = Serving::start(folder.path());
    let address = server.address("sa", "");
    let began = Instant::now();
    let child = start(&[&address, "-c", "WAITFOR DELAY '00:01:00'\nGO\nSELECT 1 AS never"], "");
    std::thread::sleep(Duration::from_secs(2));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let done = ended(child.wait_with_output().unwrap());
    assert_eq!(done.code, Some(130), "{}", done.errors);
    assert!(done.errors.contains("stopped") && !done.out.contains("never"), "{} {}", done.errors, done.out);
    assert!(began.elapsed() < Duration::from_secs(30));
}

/// `--timeout` holds for the batches of a server: it is told to stop, and the next batch runs.
#[test]
fn a_batch_on_the_server_ends_with_its_time() {
    let folder = folder();
    let server = Serving::start(folder.path());
    let address = server.address("sa", "");
    let began = Instant::now();
    let script = "WAITFOR DELAY '00:01:00'\nGO\nSELECT 7 AS n\nGO\n";
    let done = run(&[&address, "--timeout", "1s", "--continue-on-error"], script);
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert!(done.errors.contains("took longer than 1s"), "{}", done.errors);
    assert!(done.out.contains('7'), "{}{}", done.out, done.errors);
}

#[test]
fn users_passwords_and_encryption() {
    let folder = folder();
    let path = folder.path().to_str().unwrap();
    assert_eq!(run(&["user", "add", "ann", "--folder", path], "s3cret\n").code, Some(0));
    let certificate = rcgen::generate_simple_self_signed(vec!["127.0.0.1".into(), "localhost".into()]).unwrap();
    let (pem, other) = (folder.path().join("server.pem"), folder.path().join("other.pem"));
    std::fs::write(&pem, certificate.cert.pem()).unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".into()]).unwrap();
    std::fs::write(&other, made.cert.pem()).unwrap();
    let key = folder.path().join("server.key");
    std::fs::write(&key, certificate.signing_key.serialize_pem()).unwrap();
    let settings = folder.path().join("mainstay.toml");
    let users = std::fs::read_to_string(&settings).unwrap();
    let server = format!("[server]\nencryption = 'required'\ncertificate = {pem:?}\nkey = {key:?}\n");
    std::fs::write(&settings, format!("{server}\n{users}")).unwrap();
    let server = Serving::start(folder.path());
    let select = |options: &str, password: &str| {
        let address = server.address("ann", options);
        run_with(&[&address, "--format", "csv", "-c", "SELECT name FROM kept"], "", password)
    };
    let trust = |file: &Path| format!("?trust={}", file.display());
    for options in [String::new(), trust(&pem), "?encrypt=strict".into(), format!("{}&encrypt=strict", trust(&pem))] {
        let done = select(&options, "s3cret");
        assert_eq!((done.code, done.out.as_str()), (Some(0), "name\none\n"), "{options}: {}", done.errors);
    }
    for (options, password, reason) in [
        (String::new(), "wrong", "Login failed for user 'ann'"),
        ("?encrypt=off".to_owned(), "s3cret", "requires encryption"),
        (trust(&other), "s3cret", "no encrypted connection"),
        ("?encrypt=maybe".to_owned(), "s3cret", "on, off or strict"),
    ] {
        let done = select(&options, password);
        assert!(matches!(done.code, Some(2 | 3)) && done.errors.contains(reason), "{options}: {}", done.errors);
        assert!(!done.errors.contains("s3cret"));
    }
    let nobody = run(&["tds://sa@127.0.0.1:1", "-c", "SELECT 1"], "");
    assert_eq!(nobody.code, Some(3));
    assert!(nobody.errors.contains("no connection to the server"), "{}", nobody.errors);
}

/// Statements about native tables that a server has open go there; others stay what they are.
#[test]
fn a_folder_that_a_server_has_open_is_reached_through_it() {
    let folder = folder();
    let path = folder.path().to_str().unwrap();
    let server = Serving::start(folder.path());
    let csv = |sql: &str| run(&[path, "--format", "csv", "-c", sql], "");
    let through = csv("SELECT name FROM kept");
    assert_eq!((through.code, through.out.as_str()), (Some(0), "name\none\n"), "{}", through.errors);
    assert!(through.errors.contains(&format!("go to {} as sa", server.tds)), "{}", through.errors);
    // LIMIT is not T-SQL: a statement about files runs here.
    let here = csv("SELECT id FROM papers ORDER BY id DESC LIMIT 1");
    assert_eq!((here.code, here.out.as_str(), here.errors.as_str()), (Some(0), "ID\n8\n", ""));
    // One transaction is all of it on the server.
    let changed = csv("BEGIN TRANSACTION; UPDATE kept SET name = 'two'; INSERT INTO papers VALUES (9); ROLLBACK;");
    assert_eq!(changed.code, Some(0), "{}", changed.errors);
    assert_eq!(csv("SELECT name FROM kept").out, "name\none\n");
    assert_eq!(csv("SELECT COUNT(*) AS n FROM papers").out, "n\n2\n");
    // The same with scripts of T-SQL.
    let script = run(&[path, "--tsql", "-c", "SELECT name FROM kept"], "");
    assert!(script.code == Some(0) && script.out.contains("one"), "{}{}", script.out, script.errors);
    // A read-only client cannot change rows this way either.
    let read_only = run(&[path, "--read-only", "-c", "DELETE FROM kept"], "");
    assert_eq!(read_only.code, Some(1), "{}", read_only.errors);
    drop(server);
    assert_eq!(csv("SELECT name FROM kept").out, "name\none\n");
}

/// A running server takes users and passwords that `mainstay user` has changed, at the next login.
#[test]
fn changed_users_log_in_without_a_restart() {
    let folder = folder();
    let path = folder.path().to_str().unwrap();
    let user = |words: &[&str], input: &str| {
        let done = run(&[&["user", "--folder", path][..], words].concat(), input);
        assert_eq!(done.code, Some(0), "{}", done.errors);
    };
    user(&["add", "ann"], "first\n");
    let server = Serving::start(folder.path());
    let logs_in = |name: &str, password: &str| {
        run_with(&[&server.address(name, ""), "-c", "SELECT 1"], "", password).code == Some(0)
    };
    assert!(logs_in("ann", "first") && !logs_in("bob", "b"));
    user(&["add", "bob", "--read-only"], "b\n");
    assert!(logs_in("bob", "b"));
    let refused = run_with(&[&server.address("bob", ""), "-c", "DELETE FROM kept"], "", "b");
    assert_eq!(refused.code, Some(1), "{}", refused.errors);
    user(&["passwd", "ann"], "second\n");
    assert!(!logs_in("ann", "first") && logs_in("ann", "second"));
    user(&["remove", "bob"], "");
    assert!(!logs_in("bob", "b"));
    // The last user is kept until the server starts again: it is never open to everybody by accident.
    user(&["remove", "ann"], "");
    assert!(!logs_in("sa", "") && logs_in("ann", "second"));
}
