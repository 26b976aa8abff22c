//! ADT tables in files of the disk, changed by several processes at once, and by processes that are killed.

use mainstay_types::{Value, ValueRef};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::Severity;
use mainstay_xbase::adt::{Type, field_of_type};
use mainstay_xbase::dbf::{Dbf, Format, OpenOptions, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable, Transaction};
use mainstay_xbase::memo::Memo;
use mainstay_xbase::table;
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const TABLE: &str = "MAINSTAY_TEST_TABLE";
const WRITER: &str = "MAINSTAY_TEST_WHO";
const CHANGES: &str = "MAINSTAY_TEST_CHANGES";

fn open(path: &Path, access: Access) -> IndexedTable {
    IndexedTable::open(Arc::new(Disk), path, WriteOptions::new(access)).unwrap()
}

fn create(folder: &Path) -> PathBuf {
    let path = folder.join("t.adt");
    let fields = vec![
        field_of_type("id", Type::AutoIncrement, 0, 0),
        field_of_type("who", Type::CiCharacter, 12, 0),
        field_of_type("number", Type::Integer, 0, 0),
        field_of_type("note", Type::Memo, 0, 0),
    ];
    let options = WriteOptions::new(Access::Exclusive);
    writer::create(&Disk, &path, &TableSpec::new(Format::Advantage, fields), &options).unwrap();
    let mut table = open(&path, Access::Exclusive);
    for (name, key) in [("ID", "id"), ("WHO", "who;number")] {
        let spec = IndexSpec::new(name, key.as_bytes().to_vec());
        table.create_index(None, BagKind::Adi, &spec, Building::default()).unwrap();
    }
    table.close().unwrap();
    path
}

fn note(who: &str, number: i64) -> String {
    format!("{who} {number} ").repeat(1 + (number as usize * 13) % 50)
}

fn append(table: &mut IndexedTable, who: &str, number: i64) -> u64 {
    let text = note(who, number);
    let values = [(1, ValueRef::Text(who)), (2, ValueRef::Integer(number)), (3, ValueRef::Text(&text))];
    table.append_some(&values).unwrap()
}

fn update(table: &mut IndexedTable, record: u64, who: &str, number: i64) {
    let text = note(who, number);
    table.update(record, &[(2, ValueRef::Integer(number)), (3, ValueRef::Text(&text))]).unwrap();
}

/// Appends, updates and deletes records of its own; each third of what it appends stays. Run by the tests below.
#[test]
#[ignore = "a process of other tests"]
fn a_process_that_changes_an_adt() {
    let path = PathBuf::from(std::env::var_os(TABLE).unwrap());
    let who = std::env::var(WRITER).unwrap();
    let changes: i64 = std::env::var(CHANGES).unwrap().parse().unwrap();
    let mut table = open(&path, Access::Shared);
    for number in 0..changes {
        let kept = append(&mut table, &who, number);
        let gone = append(&mut table, &who, number + 1_000_000);
        if number % 5 == 0 {
            let transaction = Transaction::begin(Arc::new(Disk));
            table.enlist(&transaction).unwrap();
            update(&mut table, kept, &who, number + 2_000_000);
            table.delete(gone).unwrap();
            transaction.commit(&mut [&mut table]).unwrap();
        } else {
            update(&mut table, kept, &who, number + 2_000_000);
            table.delete(gone).unwrap();
        }
        if number % 16 == 0 {
            table.close().unwrap();
            table = open(&path, Access::Shared);
        }
    }
    table.close().unwrap();
}

fn start(path: &Path, who: &str, changes: i64) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", "a_process_that_changes_an_adt"]);
    command.env(TABLE, path).env(WRITER, who).env(CHANGES, changes.to_string());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The live rows: writer and number. Every note is that of its row, and no file has an error.
fn live(path: &Path) -> Vec<(String, i64)> {
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let findings = table::check(&fs, path, OpenOptions::default(), &[]);
    let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let dbf = Dbf::open(fs.open(path).unwrap(), OpenOptions::default()).unwrap();
    let memo = Memo::open(fs.open(&path.with_extension("adm")).unwrap(), b'A').unwrap();
    let (mut rows, mut ids, mut bytes) = (Vec::new(), BTreeSet::new(), Vec::new());
    for row in 0..dbf.read_count().unwrap() {
        dbf.read_record(row, &mut bytes).unwrap();
        if dbf.header().layout.is_deleted(&bytes) {
            continue;
        }
        let value = |field| writer::decode(&dbf, Some(&memo), field, &bytes).unwrap();
        let (Value::Integer(id), Value::Text(who), Value::Integer(number)) = (value(0), value(1), value(2)) else {
            panic!("record {row}: {bytes:?}")
        };
        assert_eq!(value(3), Value::Text(note(&who, number)), "record {row}");
        assert!(ids.insert(id), "the number {id} was given out twice");
        rows.push((who, number));
    }
    rows.sort();
    rows
}

#[test]
fn two_processes_change_one_table_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = create(folder.path());
    let processes = ["one", "two"].map(|who| start(&path, who, 80));
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let expected = |who: &str| (0..80).map(|number| (who.to_owned(), number + 2_000_000)).collect::<Vec<_>>();
    assert_eq!(live(&path), [expected("one"), expected("two")].concat());
}

/// A step of a change is there or not; a transaction is there as a whole or not at all; and what comes next finds a sound
/// table, whose keys may lack those of the record that was being written.
#[test]
fn processes_that_are_killed_leave_a_table_that_the_next_one_goes_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = create(folder.path());
    let mut all = 0;
    for round in 0..12_u64 {
        let who = format!("k{round}");
        let mut process = start(&path, &who, 1_000_000);
        std::thread::sleep(Duration::from_millis(120 + round * 17));
        process.kill().unwrap();
        process.wait().unwrap();
        // The next process undoes a transaction that was cut off.
        let mut table = open(&path, Access::Exclusive);
        table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap();
        table.close().unwrap();
        let mut numbers: Vec<i64> =
            live(&path).into_iter().filter(|(by, _)| *by == who).map(|(_, number)| number).collect();
        numbers.sort_unstable();
        // Rows of numbers below a million are those of the change that was cut off: one at most, with its other row.
        let unfinished = numbers.iter().filter(|number| **number < 2_000_000).count();
        assert!(unfinished <= 2, "{who}: {numbers:?}");
        let finished: Vec<i64> = numbers.iter().copied().filter(|number| *number >= 2_000_000).collect();
        assert_eq!(finished, (2_000_000..2_000_000 + finished.len() as i64).collect::<Vec<_>>(), "{who}");
        all += finished.len();
    }
    assert!(all > 100, "the processes were killed before they changed anything: {all} rows");
}
