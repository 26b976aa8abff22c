//! A keyed file of Business BASIC in one server process: a program in a browser, procedures of T-SQL, Informix SQL and Advantage SQL
//! change its records in turn, and each sees the changes and locks of the others.
#![allow(clippy::disallowed_methods)]

mod wire;

use mainstay_navigator::client::{Address, Client as AceClient, OpenHow, RemoteArea};
use mainstay_sqli::Request;
use mainstay_workarea::{Mode, WorkArea};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use wire::TdsClient;
use wire::informix::Client as InformixClient;
use wire::page::Page;

/// A server process, which is killed with the test.
struct Serving {
    process: Child,
    invitation: String,
    ready: String,
}

impl Serving {
    fn start(folder: &Path) -> Serving {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
        command.arg("serve");
        for door in ["--tds", "--navigator", "--sqli", "--console"] {
            command.args([door, "127.0.0.1:0"]);
        }
        let mut process = command.arg(folder).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let invitation = lines.by_ref().find_map(|line| Some(line.split_once("#invitation=")?.1.to_owned()));
        let ready = lines.by_ref().find_map(|line| Some(line.split_once(" event=ready ")?.1.to_owned()));
        std::thread::spawn(move || lines.for_each(drop));
        let invitation = invitation.expect("the server invites its administrator").trim_matches('"').to_owned();
        Serving { process, invitation, ready: ready.expect("the server says where it listens") }
    }

    fn address(&self, door: &str) -> &str {
        let found = self.ready.split_whitespace().find_map(|word| word.strip_prefix(door)?.strip_prefix('='));
        found.unwrap_or_else(|| panic!("{}", self.ready))
    }

    fn ace(&self) -> Arc<AceClient> {
        let name = format!("tcp://{}", self.address("navigator"));
        let address = Address::parse(&name).unwrap().unwrap();
        AceClient::connect(&name, address, "ada", "", "test").unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn mainstay(folder: &Path, arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_mainstay")).current_dir(folder).args(arguments).output().unwrap();
    let shown = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&shown));
}

/// A program that runs the lines that are typed.
const AGENT: &str = "\
0010 OPEN (1)\"items\"
0020 INPUT C$
0030 EXECUTE C$,ERR=0050
0040 GOTO 0020
0050 PRINT \"<error\",ERR,\">\"
0060 GOTO 0020
";

const VIEW: &str = "CREATE VIEW item_fields AS SELECT record_index, field_text(record, 1, 4) AS id, \
                    field_text(record, 2, 20) AS name, field_number(record, 3, 2) AS owed FROM items";

/// A folder with a keyed file of two records, and its view.
fn shop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("programs");
    std::fs::create_dir(&programs).unwrap();
    std::fs::write(programs.join("agent.bas"), AGENT).unwrap();
    let create = "KEYED \"items\",[1:1:4],[\"NAME\":2:1:20:\"U\"]\nOPEN (1)\"items\"\n\
                  WRITE (1)\"0001\",\"axle\",1.5\nWRITE (1)\"0002\",\"bolt\",2\n";
    std::fs::write(folder.path().join("create.bas"), create).unwrap();
    mainstay(folder.path(), &["run", "--folder", ".", "create.bas"]);
    mainstay(folder.path(), &[".", "-c", VIEW]);
    folder
}

/// The text of an answer without the padding of its tokens.
fn assert_contains(answer: &str, text: &str) {
    assert!(answer.contains(text), "{text:?} is not in {answer:?}");
}

#[test]
fn four_languages_change_a_keyed_file_in_turn() {
    let folder = shop();
    let serving = Serving::start(folder.path());
    let mut basic = Page::start(serving.address("console"), &serving.invitation, "agent.bas");
    let mut tds = TdsClient::connect(serving.address("tds"));
    let name = folder.path().file_stem().unwrap().to_string_lossy().into_owned();
    let mut informix = InformixClient::connect(serving.address("sqli"), &name);
    let ace = serving.ace();

    // A procedure of T-SQL changes what the program reads, by key and by the order of the name.
    tds.answer_text(
        "CREATE PROCEDURE rename_item @id VARCHAR(4), @name VARCHAR(20) AS \
         UPDATE item_fields SET name = @name, owed = owed + 1 WHERE id = @id",
    );
    tds.answer_text("EXEC rename_item '0001', 'zinc'");
    basic.type_line("READ (1,KEY=\"0001\")A$,B$,N; PRINT \"<\"+B$+STR(N)+\">\"");
    basic.wait_for("<zinc2.5>");
    basic.type_line("READ (1,KNO=\"NAME\",KEY=\"zinc\")A$; PRINT \"<id\"+A$+\">\"");
    basic.wait_for("<id0001>");
    // The others see what the program writes; Informix SQL goes on from there, then Advantage SQL.
    basic.type_line("WRITE (1)\"0003\",\"cog\",3; PRINT \"<\"+\"written>\"");
    basic.wait_for("<written>");
    assert_contains(&tds.answer_text("SELECT name FROM item_fields WHERE id = '0003'"), "cog");
    informix.run("UPDATE item_fields SET name = 'wheel' WHERE id = '0003'");
    informix.run("INSERT INTO item_fields (id, name, owed) VALUES ('0004', 'gear', 7.25)");
    ace.execute("UPDATE item_fields SET name = 'gearbox' WHERE id = '0004'", &[]).unwrap();
    ace.execute("INSERT INTO item_fields (id, name) VALUES ('0005', 'nut')", &[]).unwrap();
    ace.execute("DELETE FROM item_fields WHERE id = '0002'", &[]).unwrap();
    basic.type_line("READ (1,KNO=\"NAME\",KEY=\"gearbox\")A$,B$,N; PRINT \"<\"+A$+STR(N)+\">\"");
    basic.wait_for("<00047.25>");
    basic.type_line("SELECT A$,B$ FROM 1; PRINT \"(\"+B$+\")\",; NEXT RECORD");
    basic.wait_for("(gearbox)(nut)(wheel)(zinc)");
    assert_eq!(informix.query("SELECT id FROM item_fields WHERE name = 'nut'").len(), 1);
    let rows = ace.execute("SELECT id FROM item_fields ORDER BY name", &[]).unwrap().rows;
    assert_eq!(rows.len(), 4);

    // A key that is there already is each dialect's error of a duplicate.
    assert_contains(&tds.answer_text("UPDATE item_fields SET name = 'nut' WHERE id = '0001'"), "duplicate key");
    assert_contains(&tds.answer_text("INSERT INTO item_fields (id) VALUES ('0001')"), "duplicate key");
    let failure = informix.try_run("INSERT INTO item_fields (id, name) VALUES ('0001', 'x')").unwrap_err();
    assert_eq!((failure.code, failure.isam), (-268, -100));
    assert!(ace.execute("INSERT INTO item_fields (id, name) VALUES ('0001', 'x')", &[]).is_err());
    basic.type_line("INSERT (1)\"0001\",\"x\",1");
    basic.wait_for("error 11>");

    // A record that the program has extracted is locked for the others.
    basic.type_line("EXTRACT (1,KNO=0,KEY=\"0001\")A$; PRINT \"<\"+\"extracted>\"");
    basic.wait_for("<extracted>");
    assert_contains(&tds.answer_text("SET LOCK_TIMEOUT 100; EXEC rename_item '0001', 'x'"), "Lock request time out");
    informix.run("SET LOCK MODE TO NOT WAIT");
    assert!(informix.try_run("UPDATE item_fields SET name = 'x' WHERE id = '0001'").is_err());
    basic.type_line("EXTRACT RELEASE (1); PRINT \"<\"+\"released>\"");
    basic.wait_for("<released>");
    informix.run("UPDATE item_fields SET name = 'tin' WHERE id = '0001'");

    // A row that a transaction of SQL has changed is error 0 for the program, until the transaction ends.
    tds.answer_text("BEGIN TRANSACTION; EXEC rename_item '0001', 'iron'");
    basic.type_line("WRITE (1)\"0001\",\"lead\",0");
    basic.wait_for("error 0>");
    tds.answer_text("ROLLBACK");
    basic.type_line("READ (1,KEY=\"0001\")A$,B$; PRINT \"<\"+B$+\" again>\"");
    basic.wait_for("<tin again>");
    informix.ask(&[Request::Begin]);
    informix.run("UPDATE item_fields SET name = 'brass' WHERE id = '0001'");
    informix.ask(&[Request::Commit]);
    basic.type_line("READ (1,KEY=\"0001\")A$,B$; PRINT \"<\"+B$+\" now>\"");
    basic.wait_for("<brass now>");
}

/// One DBF table for a program in a browser, a procedure of T-SQL and a work area of the ACE library.
#[test]
fn three_languages_change_a_dbf_in_turn() {
    let folder = shop();
    let table = "CREATE TABLE parts (id CHAR(4), name CHAR(12), qty DECIMAL(6,0)) WITH (FORMAT=dbf, VERSION=foxpro)";
    mainstay(folder.path(), &[".", "-c", table]);
    let serving = Serving::start(folder.path());
    let mut basic = Page::start(serving.address("console"), &serving.invitation, "agent.bas");
    let mut tds = TdsClient::connect(serving.address("tds"));
    let ace = serving.ace();
    let how = OpenHow { mode: Mode::Shared, scheme: None, open_structural: true, hide_deleted: false, exact: false };

    // The program adds a record, the procedure changes it, and the work area reads and changes it.
    basic.type_line("OPEN (2)\"parts\"; WRITE (2)\"P001\",\"axle\",5; PRINT \"<\"+\"added>\"");
    basic.wait_for("<added>");
    tds.answer_text(
        "CREATE PROCEDURE take @id CHAR(4), @count INT AS UPDATE parts SET qty = qty - @count WHERE id = @id",
    );
    tds.answer_text("EXEC take 'P001', 2");
    let mut area = RemoteArea::open(&ace, &[ace.path(Path::new("parts.dbf"))], &how).unwrap();
    area.go_top().unwrap();
    assert_eq!(area.get_number(2).unwrap(), 3.0);
    area.set_bytes(1, b"axle, long").unwrap();
    area.write().unwrap();
    area.append_blank().unwrap();
    area.set_bytes(0, b"P002").unwrap();
    area.set_number(2, 40.0).unwrap();
    area.write().unwrap();
    area.unlock().unwrap();
    basic.type_line("READ (2,IND=1)A$,B$,N; PRINT \"<\"+B$+STR(N)+\">\"");
    basic.wait_for("<axle, long3>");
    assert_contains(&tds.answer_text("SELECT name FROM parts WHERE qty = 3"), "axle, long");
    basic.type_line("READ (2,IND=2)A$,B$,N; PRINT \"<\"+A$+STR(N)+\">\"");
    basic.wait_for("<P00240>");

    // The lock of the program keeps out the others, and theirs the program.
    basic.type_line("EXTRACT (2,IND=1)A$; PRINT \"<\"+\"extracted>\"");
    basic.wait_for("<extracted>");
    assert!(!area.try_lock_record(1).unwrap() && area.try_lock_record(2).unwrap());
    assert_contains(&tds.answer_text("SET LOCK_TIMEOUT 100; EXEC take 'P001', 1"), "Lock request time out");
    basic.type_line("WRITE (2)A$,\"shaft\",9; PRINT \"<\"+\"written>\"");
    basic.wait_for("<written>");
    basic.type_line("EXTRACT (2,IND=2,TIM=0)A$; PRINT \"none\"");
    basic.wait_for("error 0>");
    area.unlock().unwrap();
    tds.answer_text("EXEC take 'P001', 1");
    area.go_top().unwrap();
    area.refresh().unwrap();
    assert_eq!(area.get_number(2).unwrap(), 8.0);
}
