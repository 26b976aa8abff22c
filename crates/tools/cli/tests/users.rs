//! `mainstay user`, and the rights of read-only users, with processes.
#![allow(clippy::disallowed_methods)]

mod wire;

use mainstay_navigator::client::{Address, Client, OpenHow, RemoteArea};
use mainstay_types::Code;
use mainstay_workarea::{Mode, WorkArea};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use wire::{TdsClient, readable};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the command with this standard input.
fn mainstay(arguments: &[&str], input: &str) -> Output {
    let mut process = Command::new(env!("CARGO_BIN_EXE_mainstay"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    process.wait_with_output().unwrap()
}

fn user(folder: &Path, words: &[&str], input: &str) -> Output {
    let mut arguments = vec!["user", "--folder", folder.to_str().unwrap()];
    arguments.extend(words);
    mainstay(&arguments, input)
}

fn done(folder: &Path, statement: &str) {
    let output = mainstay(&[folder.to_str().unwrap(), "-c", statement], "");
    assert!(output.status.success(), "{statement}: {}", text(&output.stderr));
}

/// A server process, which is killed with the test.
struct Serving {
    process: Child,
    tds: String,
    navigator: String,
}

impl Serving {
    fn start(folder: &Path) -> Serving {
        let mut process = Command::new(env!("CARGO_BIN_EXE_mainstay"))
            .args(["serve", "--tds", "127.0.0.1:0", "--navigator", "127.0.0.1:0"])
            .arg(folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let ready =
            lines.by_ref().find_map(|line| line.split_once(" event=ready tds=").map(|(_, rest)| rest.to_owned()));
        std::thread::spawn(move || lines.for_each(drop));
        let ready = ready.expect("the server says where it listens");
        let (tds, navigator) = ready.split_once(" navigator=").unwrap();
        Serving { process, tds: tds.to_owned(), navigator: navigator.to_owned() }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn users_are_added_changed_listed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("mainstay.toml");
    let own = "# the shop's settings\ncode_page = \"cp850\" # all tables\n";
    std::fs::write(&settings, own).unwrap();
    std::fs::set_permissions(&settings, PermissionsExt::from_mode(0o640)).unwrap();

    let added = user(folder.path(), &["add", "ann"], "first secret\nnot this\n");
    assert_eq!(added.status.code(), Some(0), "{}", text(&added.stderr));
    assert!(text(&added.stderr).contains("user \"ann\" added"), "{}", text(&added.stderr));
    assert_eq!(user(folder.path(), &["add", "bob", "--read-only"], "bobs").status.code(), Some(0));
    let listed = user(folder.path(), &["list"], "");
    assert_eq!(text(&listed.stdout), "ann  read and write\nbob  read-only\n");
    let now = std::fs::read_to_string(&settings).unwrap();
    assert!(now.starts_with(own), "{now}");
    assert!(!now.contains("secret"), "{now}");
    assert_eq!(std::fs::metadata(&settings).unwrap().permissions().mode() & 0o777, 0o640);

    let again = user(folder.path(), &["add", "ANN"], "x\n");
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("already"), "{}", text(&again.stderr));
    assert_eq!(user(folder.path(), &["add", "carl"], "\n").status.code(), Some(1), "an empty password");
    assert_eq!(user(folder.path(), &["passwd", "dora"], "x\n").status.code(), Some(1), "nobody of this name");

    assert_eq!(user(folder.path(), &["passwd", "ann"], "second secret\n").status.code(), Some(0));
    let serving = Serving::start(folder.path());
    let refused = readable(&TdsClient::connect_as(&serving.tds, "ann", "first secret").1);
    assert!(refused.contains("Login failed for user 'ann'"), "{refused}");
    let mut ann = TdsClient::connect_as(&serving.tds, "ann", "second secret").0;
    assert!(ann.answer_text("SELECT 'it is ' + SUSER_SNAME()").contains("it is ann"));
    drop((ann, serving));

    assert_eq!(user(folder.path(), &["remove", "ann"], "").status.code(), Some(0));
    let last = user(folder.path(), &["remove", "bob"], "");
    assert!(text(&last.stderr).contains("no users are left"), "{}", text(&last.stderr));
    assert_eq!(std::fs::read_to_string(&settings).unwrap().trim_end(), own.trim_end());
}

#[test]
fn a_new_settings_file_is_its_owners_alone_and_a_wrong_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(user(folder.path(), &["add", "ann"], "x\n").status.code(), Some(0));
    let settings = folder.path().join("mainstay.toml");
    assert_eq!(std::fs::metadata(&settings).unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::write(&settings, "[server]\nport = 1\n").unwrap();
    let refused = user(folder.path(), &["add", "bob"], "x\n");
    assert_eq!(refused.status.code(), Some(3));
    assert!(text(&refused.stderr).contains("line 2"), "{}", text(&refused.stderr));
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), "[server]\nport = 1\n");
    assert_eq!(user(&folder.path().join("nowhere"), &["list"], "").status.code(), Some(3));
}

#[test]
fn users_who_may_only_read_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), "CREATE TABLE shop (id DECIMAL(8,0), name CHAR(20)) WITH (FORMAT=dbf, VERSION=foxpro)");
    done(folder.path(), "INSERT INTO shop VALUES (1, 'one'), (2, 'two')");
    done(folder.path(), "CREATE TABLE stock (id INT PRIMARY KEY, n INT)");
    done(folder.path(), "INSERT INTO stock VALUES (1, 10)");
    assert_eq!(user(folder.path(), &["add", "ann"], "a\n").status.code(), Some(0));
    assert_eq!(user(folder.path(), &["add", "bob", "--read-only"], "b\n").status.code(), Some(0));
    let before = std::fs::read(folder.path().join("shop.dbf")).unwrap();
    let serving = Serving::start(folder.path());

    let mut bob = TdsClient::connect_as(&serving.tds, "bob", "b").0;
    for change in [
        "INSERT INTO stock VALUES (2, 20)",
        "UPDATE stock SET n = 11 WHERE id = 1",
        "DELETE stock",
        "TRUNCATE TABLE stock",
        "MERGE stock s USING (SELECT 1 AS id) o ON s.id = o.id WHEN MATCHED THEN DELETE;",
        "EXEC('INSERT INTO stock VALUES (3, 30)')",
        "EXEC sp_executesql N'UPDATE stock SET n = @n', N'@n INT', @n = 5",
        "BEGIN TRAN; UPDATE stock SET n = 12; COMMIT",
        "UPDATE shop SET name = 'x' WHERE id = 1",
        "INSERT INTO shop VALUES (3, 'three')",
        "DELETE FROM shop",
        "CREATE TABLE mine (id INT)",
        "DROP TABLE stock",
        "ALTER TABLE stock ADD m INT",
        "CREATE VIEW v AS SELECT 1 AS one",
        "CREATE PROCEDURE p AS SELECT 1",
        "SELECT * INTO copied FROM stock",
        "BACKUP DATABASE x TO DISK = 'x.bak'",
        "KILL 99",
    ] {
        let answer = bob.answer_text(change);
        let is_refused = ["permissions were denied", "permission denied", "does not have permission"]
            .iter()
            .any(|words| answer.contains(words));
        assert!(is_refused, "{change}: {answer}");
    }
    let temporary = "CREATE TABLE #t (v VARCHAR(20)); INSERT #t VALUES ('is there'); UPDATE #t SET v = v + ' still'; \
                     DECLARE @t TABLE (id INT); INSERT @t SELECT id FROM stock; \
                     SELECT v + ':' + CAST(n AS VARCHAR(9)) FROM #t, stock JOIN @t t ON t.id = stock.id";
    assert!(bob.answer_text(temporary).contains("is there still:10"));

    let connect = |user: &str, password: &str| {
        let name = format!("tcp://{}", serving.navigator);
        Client::connect(&name, Address::parse(&name).unwrap().unwrap(), user, password, "test").unwrap()
    };
    let how = OpenHow { mode: Mode::Shared, scheme: None, open_structural: true, hide_deleted: false, exact: false };
    let bob = connect("bob", "b");
    let mut area = RemoteArea::open(&bob, &[bob.path(Path::new("shop.dbf"))], &how).unwrap();
    area.go_top().unwrap();
    assert_eq!(area.record_number(), 1);
    assert!(area.append_blank().is_err());
    for statement in ["UPDATE shop SET name = 'y'", "DELETE FROM shop", "CREATE TABLE made ( id INTEGER )"] {
        assert_eq!(bob.execute(statement, &[]).unwrap_err().code(), Code::NotPermitted, "{statement}");
    }
    assert_eq!(bob.execute("SELECT * FROM shop", &[]).unwrap().rows.len(), 2);
    assert_eq!(std::fs::read(folder.path().join("shop.dbf")).unwrap(), before);
    assert!(!folder.path().join("made.dbf").exists());

    // The other user may do all of it.
    let ann = connect("ann", "a");
    ann.execute("UPDATE shop SET name = 'y'", &[]).unwrap();
    let mut ann = TdsClient::connect_as(&serving.tds, "ann", "a").0;
    assert!(ann.answer_text("UPDATE stock SET n = 12; SELECT 'now ' + STR(n, 2) FROM stock").contains("now 12"));
}
