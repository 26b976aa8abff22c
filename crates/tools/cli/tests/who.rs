//! Sessions and locks of every door: `mainstay who`, the views of activity, the message of a lock
//! (`new-15`).
#![allow(clippy::disallowed_methods)]

mod wire;

use mainstay_navigator::client::{Address, Client, OpenHow, RemoteArea};
use mainstay_workarea::{Mode, WorkArea};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use wire::TdsClient;

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

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_mainstay")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_lock_is_told_with_who_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let table = "CREATE TABLE shop (id DECIMAL(8,0), name CHAR(20)) WITH (FORMAT=dbf, VERSION=foxpro)";
    assert_eq!(run(&[path, "-c", table]).0, Some(0));
    assert_eq!(run(&[path, "-c", "INSERT INTO shop VALUES (1, 'one'), (2, 'two')"]).0, Some(0));
    let (code, nobody, _) = run(&["who", path]);
    assert_eq!((code, nobody.as_str()), (Some(0), "no server has the folder open\n"));

    let serving = Serving::start(folder.path());
    let name = format!("tcp://{}", serving.navigator);
    let client = Client::connect(&name, Address::parse(&name).unwrap().unwrap(), "ann", "", "orders").unwrap();
    let how = OpenHow { mode: Mode::Shared, scheme: None, open_structural: true, hide_deleted: false, exact: false };
    let mut area = RemoteArea::open(&client, &[client.path(Path::new("shop.dbf"))], &how).unwrap();
    assert!(area.try_lock_record(2).unwrap());

    let (code, listed, _) = run(&["who", path]);
    assert_eq!(code, Some(0));
    let line = listed.lines().find(|line| line.starts_with("navigator")).unwrap_or_default();
    assert!(line.contains("ann") && line.contains("orders") && line.contains("127.0.0.1"), "{listed}");
    assert!(listed.contains("  locks shop.dbf, record 2, since 20"), "{listed}");

    // 1222 is SQL Server's error of a lock that is not given back in time.
    let mut sql = TdsClient::connect(&serving.tds);
    let told = sql.answer_text("SET LOCK_TIMEOUT 300; UPDATE shop SET name = 'x' WHERE id = 2");
    let holder = "ecord 2 of shop.dbf is locked by user ann, program orders at 127.0.0.1, since 20";
    assert!(told.contains("Lock request time out period exceeded.") && told.contains(holder), "{told}");
    assert!(
        sql.answer_text("SELECT 'is ' + login_name + '.' FROM sys.dm_exec_sessions WHERE program_name = 'orders'")
            .contains("is ann.")
    );
    assert!(
        sql.answer_text("SELECT 'at ' + resource_description FROM sys.dm_tran_locks WHERE resource_type = 'RID'")
            .contains("at shop.dbf:2")
    );
    assert!(sql.answer_text("EXEC sp_who2").contains("orders"));
    // A client that names no program is listed as one that is not known.
    let listed = run(&["who", path]).1;
    let line = listed.lines().find(|line| line.starts_with("tds")).unwrap_or_default();
    let cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert!(cells.len() == 6 && cells.contains(&"sa"), "{listed}");

    // Another process, such as the prompt, asks the server.
    let (code, _, told) =
        run(&[path, "-c", "SET lock_timeout = '300ms'", "-c", "UPDATE shop SET name = 'x' WHERE id = 2"]);
    assert_eq!(code, Some(1));
    assert!(told.contains(holder), "{told}");
    area.unlock_record(2).unwrap();
    assert_eq!(run(&[path, "-c", "UPDATE shop SET name = 'x' WHERE id = 2"]).0, Some(0));
    assert!(!run(&["who", path]).1.contains("locks shop.dbf"));
}

/// Locks of SQL sessions, of DBF tables as of native ones.
#[test]
fn locks_of_sql_sessions_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let table = "CREATE TABLE shop (id DECIMAL(8,0), name CHAR(20)) WITH (FORMAT=dbf, VERSION=foxpro)";
    assert_eq!(run(&[path, "-c", table]).0, Some(0));
    assert_eq!(run(&[path, "-c", "INSERT INTO shop VALUES (1, 'one'), (2, 'two')"]).0, Some(0));
    let serving = Serving::start(folder.path());
    let mut sql = TdsClient::connect(&serving.tds);
    sql.answer_text("CREATE TABLE orders (id INT PRIMARY KEY, amount INT); INSERT orders VALUES (7, 1), (8, 1)");
    sql.answer_text("BEGIN TRAN; UPDATE orders SET amount = 2 WHERE id = 7; UPDATE shop SET name = 'x' WHERE id = 2");
    let listed = run(&["who", path]).1;
    assert!(listed.contains("  locks orders, row id = 7, since 20"), "{listed}");
    assert!(listed.contains("  locks shop.dbf, record 2, since 20"), "{listed}");
    assert_eq!(listed.matches("  locks ").count(), 2, "{listed}");

    // Another process, such as the prompt, asks the server.
    let change = "UPDATE shop SET name = 'y' WHERE id = 2";
    let (code, _, told) = run(&[path, "-c", "SET lock_timeout = '300ms'", "-c", change]);
    assert_eq!(code, Some(1));
    assert!(told.contains("record 2 of shop.dbf is locked by user sa, program "), "{told}");
    // Another session of the server.
    let mut other = TdsClient::connect(&serving.tds);
    let told = other.answer_text("SET LOCK_TIMEOUT 100; DELETE orders WHERE id = 7");
    assert!(told.contains("Row (id = 7) of orders is locked by user sa, program "), "{told}");
    sql.answer_text("COMMIT");
    assert!(!run(&["who", path]).1.contains("  locks "));
}
