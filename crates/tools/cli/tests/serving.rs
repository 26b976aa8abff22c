//! `mainstay serve` as a process: its costs with many clients, and the access of other processes to its folder.
#![allow(clippy::disallowed_methods)]

mod wire;

use mainstay_navigator::client::{Address, Client, OpenHow, RemoteArea};
use mainstay_workarea::Mode;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wire::TdsClient;

/// A server process, which is ended with the test.
struct Serving {
    process: Child,
    /// Where SQL Server's clients connect.
    tds: String,
    /// Where remote ACE clients do.
    address: String,
    /// Its log lines until it listened.
    said: Vec<String>,
}

impl Serving {
    /// Serves a folder with a soft limit of so many open files.
    fn start(folder: &Path, open_files: u32) -> Serving {
        let mut process = Command::new("sh")
            .args(["-c", &format!("ulimit -Sn {open_files}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_mainstay")])
            .args(["serve", "--tds", "127.0.0.1:0", "--navigator", "127.0.0.1:0"])
            .arg(folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let (mut said, mut addresses) = (Vec::new(), None);
        for line in lines.by_ref() {
            let ready = line.split_once(" event=ready tds=").map(|(_, rest)| rest.to_owned());
            said.push(line);
            if let Some(ready) = ready {
                addresses = ready.split_once(" navigator=").map(|(tds, own)| (tds.to_owned(), own.to_owned()));
                break;
            }
        }
        std::thread::spawn(move || lines.for_each(drop));
        let (tds, address) = addresses.expect("the server says where it listens");
        Serving { process, tds, address, said }
    }

    fn resident_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    fn client(&self) -> Arc<Client> {
        let name = format!("tcp://{}", self.address);
        Client::connect(&name, Address::parse(&name).unwrap().unwrap(), "ada", "", "test").unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn mainstay(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mainstay")).args(arguments).output().unwrap()
}

fn done(folder: &Path, statement: &str) {
    let output = mainstay(&[folder.to_str().unwrap(), "-c", statement]);
    assert!(output.status.success(), "{statement}: {}", String::from_utf8_lossy(&output.stderr));
}

fn folder_of_a_table() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), "CREATE TABLE shop (id DECIMAL(8,0), name CHAR(20)) WITH (FORMAT=dbf, VERSION=foxpro)");
    done(folder.path(), "CREATE INDEX id ON shop (id)");
    done(folder.path(), "INSERT INTO shop VALUES (1, 'one'), (2, 'two')");
    folder
}

/// A server that is started with few open files takes as many clients as it may have; each costs kilobytes, not the
/// megabytes of huge pages.
#[cfg(target_os = "linux")]
#[test]
fn many_clients_cost_little() {
    const CLIENTS: u64 = 60;
    let folder = folder_of_a_table();
    let serving = Serving::start(folder.path(), 200);
    assert!(serving.said.iter().any(|line| line.contains("event=open_files") && line.contains("before=200")));
    let how = OpenHow { mode: Mode::Shared, scheme: None, open_structural: true, hide_deleted: false, exact: false };
    let open = || {
        let client = serving.client();
        RemoteArea::open(&client, &[client.path(Path::new("shop.dbf"))], &how).unwrap()
    };
    let _first = open();
    let before = serving.resident_bytes();
    let areas: Vec<RemoteArea> = (0..CLIENTS).map(|_| open()).collect();
    let each = serving.resident_bytes().saturating_sub(before) / CLIENTS;
    assert!(each < 1 << 20, "a client costs {each} bytes");
    drop(areas);
}

/// The rows of a statement are not kept when its client has them, nor the memory that they were in.
#[cfg(target_os = "linux")]
#[test]
fn what_a_statement_took_is_given_back() {
    let folder = folder_of_a_table();
    done(
        folder.path(),
        "INSERT INTO shop SELECT v, 'name ' || CAST(v AS VARCHAR) FROM generate_series(3, 200000) AS g(v)",
    );
    let serving = Serving::start(folder.path(), 1024);
    let client = serving.client();
    assert_eq!(client.execute("SELECT id FROM shop WHERE id < 10", &[]).unwrap().rows.len(), 9);
    let before = serving.resident_bytes();
    assert_eq!(client.execute("SELECT * FROM shop", &[]).unwrap().rows.len(), 200_000);
    let end = Instant::now() + Duration::from_secs(30);
    while serving.resident_bytes() > before + (32 << 20) {
        assert!(Instant::now() < end, "{} bytes before and {} now", before, serving.resident_bytes());
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// A client of either door finds nothing behind a link that leads out of the folder, and makes nothing there, unless the
/// settings say otherwise. In the folder links lead where they lead, and the command follows all.
#[test]
fn links_out_of_the_folder_are_not_followed_for_clients() {
    use std::os::unix::fs::symlink;
    let (folder, outside) = (folder_of_a_table(), folder_of_a_table());
    symlink(outside.path().join("shop.dbf"), folder.path().join("secret.dbf")).unwrap();
    symlink(outside.path(), folder.path().join("away")).unwrap();
    symlink(outside.path().join("made.dbf"), folder.path().join("made.dbf")).unwrap();
    symlink(folder.path().join("shop.dbf"), folder.path().join("alias.dbf")).unwrap();
    let how = OpenHow { mode: Mode::Shared, scheme: None, open_structural: true, hide_deleted: false, exact: false };
    let open = |client: &Arc<Client>, name: &str| {
        RemoteArea::open(client, &[client.path(Path::new(name))], &how).map(drop).map_err(|error| error.code())
    };
    let far = [
        "SELECT * FROM secret",
        "SELECT * FROM [away/shop]",
        "SELECT * INTO made FROM shop",
        "SELECT * INTO [away/new] FROM shop",
        "CREATE TABLE [away/other] ( id INTEGER )",
    ];
    let serving = Serving::start(folder.path(), 1024);
    let client = serving.client();
    for name in ["secret.dbf", "away/shop.dbf", "made.dbf"] {
        assert!(open(&client, name).is_err(), "{name}");
    }
    assert_eq!(open(&client, "alias.dbf"), Ok(()));
    for statement in far {
        assert!(client.execute(statement, &[]).is_err(), "{statement}");
    }
    assert_eq!(client.execute("SELECT * FROM alias", &[]).unwrap().rows.len(), 2);
    let names = || {
        let entries = std::fs::read_dir(outside.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        names
    };
    assert_eq!(names(), ["shop.cdx", "shop.dbf"]);
    drop((client, serving));
    done(folder.path(), "SELECT * FROM secret");

    std::fs::write(folder.path().join("mainstay.toml"), "[server]\nfollow_links = true\n").unwrap();
    let serving = Serving::start(folder.path(), 1024);
    let client = serving.client();
    for name in ["secret.dbf", "away/shop.dbf"] {
        assert_eq!(open(&client, name), Ok(()), "{name}");
    }
    assert_eq!(client.execute("SELECT * FROM secret", &[]).unwrap().rows.len(), 2);
}

/// One process at a time has the native tables: another server of the folder says so when it starts, and a check looks at
/// everything else.
#[test]
fn others_are_told_who_has_the_native_tables() {
    let folder = folder_of_a_table();
    let path = folder.path().to_str().unwrap();
    done(folder.path(), "CREATE TABLE native (id INT PRIMARY KEY)");
    let first = Serving::start(folder.path(), 1024);
    let says = |serving: &Serving| serving.said.iter().any(|line| line.contains("event=native_tables_in_use"));
    assert!(!says(&first), "{:?}", first.said);
    let second = Serving::start(folder.path(), 1024);
    assert!(says(&second), "{:?}", second.said);

    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let sound = mainstay(&["check", path]);
    assert_eq!((sound.status.code(), text(&sound.stdout)), (Some(3), String::new()));
    assert!(text(&sound.stderr).contains("the native tables were not checked"), "{}", text(&sound.stderr));
    let table = folder.path().join("shop.dbf");
    let bytes = std::fs::read(&table).unwrap();
    std::fs::write(&table, &bytes[..bytes.len() - 10]).unwrap();
    let damaged = mainstay(&["check", path]);
    assert_eq!(damaged.status.code(), Some(4));
    assert!(text(&damaged.stdout).contains("shop.dbf"), "{}", text(&damaged.stdout));
    assert!(text(&damaged.stderr).contains("the native tables were not checked"), "{}", text(&damaged.stderr));
    drop((first, second));
    std::fs::write(&table, &bytes).unwrap();
    assert_eq!(mainstay(&["check", path]).status.code(), Some(0));
}

/// SIGTERM: a request that runs has its grace, then it is stopped and its transaction rolled back, and the process ends well.
#[test]
fn a_signal_ends_what_runs_after_its_grace_and_takes_it_back() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mainstay.toml"), "[server]\nstop_grace_seconds = 1\n").unwrap();
    done(folder.path(), "CREATE TABLE kept (id INT PRIMARY KEY)");
    let mut serving = Serving::start(folder.path(), 1024);
    let mut client = TdsClient::connect(&serving.tds);
    client.send_batch("INSERT INTO kept VALUES (1)");
    client.wait();
    client.send_batch("BEGIN TRAN; INSERT INTO kept VALUES (2); WAITFOR DELAY '00:00:30'; COMMIT");
    std::thread::sleep(Duration::from_millis(500));
    let began = Instant::now();
    let kill = Command::new("kill").args(["-TERM", &serving.process.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let status = serving.process.wait().unwrap();
    let took = began.elapsed();
    assert_eq!(status.code(), Some(0));
    assert!((Duration::from_millis(900)..Duration::from_secs(15)).contains(&took), "{took:?}");
    let rows = mainstay(&[folder.path().to_str().unwrap(), "--format", "csv", "-c", "SELECT id FROM kept"]);
    assert_eq!(String::from_utf8_lossy(&rows.stdout), "id\n1\n");
}

/// An error in a file of procedures is an event of the log like every other, and so are the addresses of the doors.
#[test]
fn the_log_has_an_event_for_a_procedure_that_does_not_compile() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("procedures")).unwrap();
    std::fs::write(folder.path().join("procedures/a.sql"), "CREATE PROCEDURE a AS\nSELEC 1\n").unwrap();
    let serving = Serving::start(folder.path(), 1024);
    let wrong: Vec<&String> = serving.said.iter().filter(|line| line.contains("procedures/a.sql")).collect();
    let [wrong] = wrong[..] else { panic!("{:?}", serving.said) };
    let rest = wrong.split_once('Z').map(|(_, rest)| rest).unwrap_or_default();
    assert!(rest.starts_with(" level=warning event=procedure_not_compiled text=\"procedures/a.sql, line "), "{wrong}");
    let bare: Vec<&String> = serving.said.iter().filter(|line| !line.contains("Z level=")).collect();
    assert!(bare.is_empty(), "{bare:?}");
}
