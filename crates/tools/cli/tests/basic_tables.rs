//! Files of Business BASIC programs as tables of the other languages, and tables as files of programs.

#![allow(clippy::disallowed_methods)]

use mainstay_basic_database::DatabaseVolume;
use mainstay_basic_files::{
    FileDefinition, FileKind, FolderVolume, KeyDefinitions, OpenMode, OpenOptions, Place, ReadMode, ReadOptions,
    RecordFormat, SessionId, Volume, WriteOptions,
};
use mainstay_basic_tables::TableVolume;
use mainstay_engine::Database;
use mainstay_session::push::{Column, Done, Environment, Message, Sink, Stop};
use mainstay_tsql_runtime::Instance;
use mainstay_types::{Code, ValueRef};
use std::path::Path;
use std::process::Output;
use std::sync::Arc;

/// The rows of a batch of T-SQL, and the numbers of its errors.
#[derive(Default)]
struct Answers {
    rows: Vec<String>,
    errors: Vec<String>,
}

impl Sink for Answers {
    fn columns(&mut self, _: &[Column]) -> Result<(), Stop> {
        Ok(())
    }
    fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), Stop> {
        self.rows.push(values.iter().map(ValueRef::to_string).collect::<Vec<_>>().join("|"));
        Ok(())
    }
    fn message(&mut self, message: &Message) {
        if message.is_error() {
            self.errors.push(message.number.to_string());
        }
    }
    fn order(&mut self, _: &[u16]) {}
    fn done(&mut self, _: Done) {}
    fn return_status(&mut self, _: i32) {}
    fn return_value(&mut self, _: u16, _: &Column, _: ValueRef<'_>) -> Result<(), Stop> {
        Ok(())
    }
    fn environment(&mut self, _: &Environment) {}
    fn flush(&mut self) {}
}

fn record(fields: &[&str]) -> Vec<u8> {
    fields.iter().flat_map(|field| field.bytes().chain([0x8A])).collect()
}

fn volume(database: &Database, folder: &Path) -> DatabaseVolume {
    let plain = Arc::new(FolderVolume::new(Arc::clone(database.files()), folder));
    let keyed = Arc::new(TableVolume::new(database.native_store().unwrap(), plain, database.durability()));
    DatabaseVolume::new(keyed, database.clone())
}

#[test]
fn a_keyed_file_is_a_table_of_sql_and_transact_sql() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    let volume = volume(&database, folder.path());
    let keys = KeyDefinitions::parse("[1:1:4],[\"name\":2:1:10]").unwrap();
    volume.create("orders", &FileDefinition::new(FileKind::Keyed, keys, RecordFormat::DEFAULT)).unwrap();
    volume.set_layout("orders", Some("ID$,NAME$,OWED")).unwrap();
    let mut file = volume.open("orders", &OpenOptions::new(SessionId(1), OpenMode::Shared)).unwrap();
    for (id, name, owed) in [("0001", "Ann", "12.5"), ("0002", "Bob", "-3"), ("0003", "Cy", "none")] {
        file.write(&record(&[id, name, owed]), &WriteOptions::default()).unwrap();
    }
    let instance = Instance::new(database.clone(), "test");
    let mut transact = instance.session();
    let mut run = |text: &str| {
        let mut answers = Answers::default();
        transact.batch(text, &mut answers);
        answers
    };
    // The columns of the layout, with NULL for a text that is not a number.
    let all = run("SELECT id, name, owed FROM orders_fields ORDER BY id");
    assert_eq!(all.rows, ["'0001'|'Ann'|12.5", "'0002'|'Bob'|-3", "'0003'|'Cy'|NULL"], "{:?}", all.errors);
    // A record and its keys go together: a statement that writes one of them alone is refused.
    assert!(!run("UPDATE orders SET record = 0x41").errors.is_empty());
    for change in [
        "UPDATE orders SET record = key_0",
        "UPDATE orders SET key_1 = key_0",
        "INSERT INTO orders (record_index, record, key_0) SELECT 9, record, record FROM orders WHERE record_index = 1",
    ] {
        let refused = database.session().execute(change).err().map(|error| error.code());
        assert_eq!(refused, Some(Code::CheckViolation), "{change}");
    }
    // A row that T-SQL deletes is gone for the program, with its keys.
    assert_eq!(run("DELETE FROM orders WHERE key_1 = CAST('Bob' AS VARBINARY(10))").errors, [""; 0]);
    let missing = file.read(Place::Key(b"0002"), &ReadOptions::default()).unwrap_err();
    assert_eq!(missing.number(), 11);
    // A record that the program replaces shows its new fields; while it is extracted, nobody deletes it.
    file.read(Place::Key(b"0001"), &ReadOptions::new(ReadMode::Extract)).unwrap();
    let held = run("SET LOCK_TIMEOUT 50; DELETE FROM orders WHERE record_index = 1");
    assert_eq!(held.errors, ["1222"]);
    file.write(&record(&["0001", "Anna", "7"]), &WriteOptions::default()).unwrap();
    assert_eq!(run("SELECT name, owed FROM orders_fields WHERE id = '0001'").rows, ["'Anna'|7"]);
}

fn mainstay(arguments: &[&str], folder: &Path) -> Output {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mainstay"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

#[test]
fn a_program_opens_tables_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rates.csv"), "city,rate\nOslo,1.5\nRome,2\n").unwrap();
    std::fs::create_dir(folder.path().join("programs")).unwrap();
    let program = "\
0010 OPEN (1)\"items\"
0020 WRITE (1)\"B\",\"bolt\",2.5
0030 READ (1,KEY=\"A\")C$,N$,P
0040 PRINT C$,\" \",N$,P
0050 OPEN INPUT (2)\"rates\"
0060 READ (2,END=0090)C$,R
0070 PRINT C$,R
0080 GOTO 0060
0090 READ (1,KEY=\"X\",DOM=0110)C$
0100 PRINT \"found\"
0110 PRINT \"ERR\",ERR
0120 END
";
    std::fs::write(folder.path().join("programs/items.bas"), program).unwrap();
    let create = "CREATE TABLE items (code VARCHAR(4) PRIMARY KEY, name VARCHAR(9), price DECIMAL(9,2)); \
                  INSERT INTO items VALUES ('A', 'axle', 10)";
    assert!(mainstay(&[".", "-c", create], folder.path()).status.success());
    let ran = mainstay(&["run", "--folder", ".", "programs/items.bas"], folder.path());
    let shown = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{shown}{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(shown, "A axle 10\nOslo 1.5\nRome 2\nERR 11\n");
    let seen = mainstay(&[".", "-c", "SELECT price FROM items WHERE code = 'B'"], folder.path());
    assert!(String::from_utf8_lossy(&seen.stdout).contains("2.50"));
}
