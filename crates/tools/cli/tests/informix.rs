//! `mainstay serve --sqli` as a process: an Informix client built on the codec, beside a client of SQL Server's
//! protocol.
#![allow(clippy::disallowed_methods)]

mod wire;

use mainstay_navigator::client::{self as navigator, Address, OpenHow, RemoteArea};
use mainstay_sqli::Request;
use mainstay_types::Value;
use mainstay_workarea::{Mode, WorkArea};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use wire::TdsClient;
use wire::informix::Client;

/// A server process, which is killed with the test.
struct Serving {
    process: Child,
    tds: String,
    sqli: String,
    navigator: String,
}

impl Serving {
    fn start(folder: &Path) -> Serving {
        let mut process = Command::new(env!("CARGO_BIN_EXE_mainstay"))
            .args(["serve", "--tds", "127.0.0.1:0", "--navigator", "127.0.0.1:0", "--sqli", "127.0.0.1:0"])
            .arg(folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let ready = lines.by_ref().find_map(|line| line.split_once(" event=ready ").map(|(_, rest)| rest.to_owned()));
        std::thread::spawn(move || lines.for_each(drop));
        let ready = ready.expect("the server says where it listens");
        let address = |door: &str| {
            let found = ready.split_whitespace().find_map(|word| word.strip_prefix(door));
            found.unwrap_or_else(|| panic!("{ready}")).to_owned()
        };
        Serving { process, tds: address("tds="), sqli: address("sqli="), navigator: address("navigator=") }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_table_is_changed_through_two_protocols_and_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().join("shop");
    std::fs::create_dir(&shop).unwrap();
    let rows = [
        vec![Value::Integer(1), Value::Text("one".to_owned())],
        vec![Value::Integer(2), Value::Text("two".to_owned())],
    ];
    {
        let serving = Serving::start(&shop);
        let mut client = Client::connect(&serving.sqli, "shop");
        client.run("CREATE TABLE items (id SERIAL PRIMARY KEY, name VARCHAR(20))");
        client.ask(&[Request::Begin]);
        client.run("INSERT INTO items VALUES (0, 'one')");
        client.ask(&[Request::Commit]);
        let mut other = TdsClient::connect(&serving.tds);
        other.send_batch("INSERT INTO items (name) VALUES ('two')");
        other.wait();
        assert_eq!(client.query("SELECT * FROM items ORDER BY id"), rows);
        client.ask(&[Request::Begin]);
        client.run("DELETE FROM items");
        // The server is killed here, with the transaction open.
    }
    let serving = Serving::start(&shop);
    assert_eq!(Client::connect(&serving.sqli, "shop").query("SELECT * FROM items ORDER BY id"), rows);
}

/// One DBF file, which no protocol has for itself: each sees what the others have changed, and none loses a row.
#[test]
fn a_file_is_changed_through_sqli_tds_ace_and_basic() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().join("shop");
    std::fs::create_dir(&shop).unwrap();
    let mainstay = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_mainstay")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let path = shop.to_str().unwrap();
    mainstay(&[path, "-c", "CREATE TABLE parts (id DECIMAL(8,0), name CHAR(10)) WITH (FORMAT=dbf, VERSION=foxpro)"]);
    let serving = Serving::start(&shop);
    let mut informix = Client::connect(&serving.sqli, "shop");
    let mut tds = TdsClient::connect(&serving.tds);
    let name = format!("tcp://{}", serving.navigator);
    let address = Address::parse(&name).unwrap().unwrap();
    let ace = navigator::Client::connect(&name, address, "ada", "", "test").unwrap();
    let how = OpenHow { mode: Mode::Shared, scheme: None, open_structural: true, hide_deleted: false, exact: false };

    informix.run("INSERT INTO parts VALUES (1, 'bolt')");
    assert!(tds.answer_text("SELECT name FROM parts WHERE id = 1").contains("bolt"));
    tds.send_batch("INSERT INTO parts VALUES (2, 'nut'); UPDATE parts SET name = 'screw' WHERE id = 1");
    tds.wait();
    ace.execute("INSERT INTO parts VALUES (3, 'gear')", &[]).unwrap();
    ace.execute("UPDATE parts SET name = 'cog' WHERE id = 2", &[]).unwrap();
    informix.ask(&[Request::Begin]);
    informix.run("UPDATE parts SET name = 'wheel' WHERE id = 3");
    informix.ask(&[Request::Commit]);
    let shown = |rows: Vec<Vec<Value>>| {
        let cell = |value: &Value| match value {
            Value::Text(text) => text.trim().to_owned(),
            other => other.to_string(),
        };
        rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    let expected = ["1 screw", "2 cog", "3 wheel"];
    assert_eq!(shown(informix.query("SELECT id, name FROM parts ORDER BY id")), expected);
    let mut area = RemoteArea::open(&ace, &[ace.path(Path::new("parts.dbf"))], &how).unwrap();
    area.go_bottom().unwrap();
    assert_eq!(String::from_utf8_lossy(area.get_text(1).unwrap().trim_ascii()), "wheel");
    drop(area);
    assert!(tds.answer_text("SELECT name FROM parts WHERE id = 2").contains("cog"));
    // A program of Business BASIC reads the same file behind the server, which has the native tables for itself.
    drop((informix, tds, ace, serving));
    let program = shop.join("list.bas");
    std::fs::write(&program, "10 OPEN (1) \"parts.dbf\"\n20 READ RECORD (1,ERR=90) R$\n30 PRINT R$\n90 END\n").unwrap();
    assert!(mainstay(&["run", program.to_str().unwrap()]).contains("screw"));
}
