//! Tables shared by processes: two of Mainstay, and one with independent locks (`raw_locks.py`, which needs `python3`).
//! The locks are read from the system's own list, `/proc/locks`. `MAINSTAY_TEST_SECONDS` makes the long tests longer.

#![cfg(target_os = "linux")]

#[path = "common/other_program.rs"]
mod other_program;

use mainstay_types::{Code, ValueRef};
use mainstay_vfs::{ByteRange, Create, Disk, FileSystem};
use mainstay_xbase::dbf::{self, Dbf, FieldSpec, Format, OpenOptions, TableSpec};
use mainstay_xbase::lock::{LockRanges, LockScheme, LockWait};
use mainstay_xbase::memo::Memo;
use mainstay_xbase::writer::{self, Access, TableWriter, WriteOptions};
use other_program::Other;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One test after the other. A process that starts another is two with the same open files until the new program runs:
/// what one test closes meanwhile stays locked for that long.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn shared(timeout_ms: u64) -> WriteOptions {
    let wait = LockWait { timeout: Duration::from_millis(timeout_ms), interval: Duration::from_micros(300) };
    WriteOptions { wait, ..WriteOptions::new(Access::Shared) }
}

fn spec() -> TableSpec {
    let fields = vec![
        FieldSpec::new("who", b'C', 8, 0),
        FieldSpec::new("number", b'N', 10, 0),
        FieldSpec::new("id", b'+', 4, 0),
        FieldSpec::new("note", b'M', 10, 0),
    ];
    TableSpec::new(Format::FoxPro, fields)
}

fn create(folder: &Path) -> PathBuf {
    let path = folder.join("t.dbf");
    writer::create(&Disk, &path, &spec(), &shared(0)).unwrap();
    path
}

fn open(path: &Path, options: WriteOptions) -> TableWriter {
    TableWriter::open(Arc::new(Disk), path, options).unwrap()
}

fn child_seconds() -> u64 {
    std::env::var("MAINSTAY_TEST_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2)
}

/// The work of each process of the next test, which starts this one with the table and its name in variables.
#[test]
#[ignore = "a process of two_processes_lose_no_record, which starts it"]
fn a_process_that_appends_and_updates() {
    let Ok(path) = std::env::var("MAINSTAY_TEST_TABLE") else { return };
    let who = std::env::var("MAINSTAY_TEST_WHO").unwrap();
    let scheme = LockScheme::by_name(&std::env::var("MAINSTAY_TEST_SCHEME").unwrap());
    let mut table = open(Path::new(&path), WriteOptions { scheme, ..shared(20_000) });
    let begun = Instant::now();
    let mut numbers = 0i64;
    while begun.elapsed() < Duration::from_secs(child_seconds()) {
        numbers += 1;
        let note = format!("{who} {numbers} {}", "x".repeat(numbers as usize * 13 % 300));
        let values = [ValueRef::Text(&who), ValueRef::Integer(numbers), ValueRef::Null, ValueRef::Text(&note)];
        table.append(&values).unwrap();
        // A record that both change: under the lock one counts on from what the other has left.
        table.lock_record(1).unwrap();
        let mut record = Vec::new();
        table.read(1, &mut record).unwrap();
        let counted: i64 = std::str::from_utf8(&record[9..19]).unwrap().trim().parse().unwrap();
        let note = format!("count {}", counted + 1);
        table.update(1, &[(1, ValueRef::Integer(counted + 1)), (3, ValueRef::Text(&note))]).unwrap();
        table.unlock_record(1).unwrap();
    }
    table.close().unwrap();
    let report = Disk.create(&Path::new(&path).with_extension(&who), Create::New).unwrap();
    report.write_at(numbers.to_string().as_bytes(), 0).unwrap();
}

#[test]
fn two_processes_lose_no_record() {
    two_processes(["foxpro", "foxpro"]);
}

/// As a program does that opens a table of dBASE as ADS_CDX, beside SQL.
#[test]
fn two_processes_of_different_schemes_lose_no_record() {
    two_processes(["foxpro", "clipper"]);
}

fn two_processes(schemes: [&str; 2]) {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = create(folder.path());
    let mut table = open(&path, shared(0));
    table.append(&[ValueRef::Text("both"), ValueRef::Integer(0), ValueRef::Null, ValueRef::Text("count 0")]).unwrap();
    drop(table);
    let start = |who: &str, scheme: &str| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "--nocapture", "a_process_that_appends_and_updates"]);
        command.env("MAINSTAY_TEST_TABLE", &path).env("MAINSTAY_TEST_WHO", who);
        command.env("MAINSTAY_TEST_SCHEME", scheme);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let processes = [("one", schemes[0]), ("two", schemes[1])].map(|(who, scheme)| (who, start(who, scheme)));
    let mut expected = Vec::new();
    for (who, process) in processes {
        let output = process.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}");
        let numbers = String::from_utf8(Disk.read(&path.with_extension(who)).unwrap()).unwrap().parse::<u64>().unwrap();
        assert!(numbers > 50, "{who} appended only {numbers}");
        expected.push((who, numbers));
    }
    let dbf = Dbf::open(Disk.open(&path).unwrap(), OpenOptions::default()).unwrap();
    let memo = Memo::open(Disk.open(&folder.path().join("t.fpt")).unwrap(), dbf.header().version).unwrap();
    let mut findings = Vec::new();
    dbf::check(&dbf, Some(&memo), &mut findings).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    let all: u64 = expected.iter().map(|(_, numbers)| numbers).sum();
    assert_eq!(dbf.read_count().unwrap(), all + 1);
    let mut seen: Vec<(&str, u64)> = vec![("one", 0), ("two", 0)];
    let mut record = Vec::new();
    for row in 0..=all {
        dbf.read_record(row, &mut record).unwrap();
        let value = |field| writer::decode(&dbf, Some(&memo), field, &record).unwrap();
        let (who, number) = (format!("{:?}", value(0)), value(1).as_f64().unwrap() as u64);
        assert_eq!(value(2), mainstay_types::Value::Integer(row as i64 + 1), "ids without a gap");
        let note = format!("{:?}", value(3));
        if row == 0 {
            assert_eq!((number, note), (all, format!("Text(\"count {all}\")")));
            continue;
        }
        let one = seen.iter_mut().find(|(name, _)| who.contains(name)).unwrap();
        one.1 += 1;
        assert_eq!(number, one.1, "record {}", row + 1);
        assert!(note.contains(&format!("{} {number} ", one.0)), "{note}");
    }
    assert_eq!(seen, expected);
}

/// The first and last bytes of the exclusive locks on a file. The system writes its list in pieces, so that a reading
/// may miss a line while other tests take and give back theirs: what most of several readings say is true.
fn system_locks(path: &Path) -> Vec<(u64, u64)> {
    let mut readings: Vec<_> = (0..9).map(|_| one_reading(path)).collect();
    readings.sort();
    let count = |wanted: &Vec<(u64, u64)>| readings.iter().filter(|reading| *reading == wanted).count();
    readings.iter().max_by_key(|reading| count(reading)).cloned().unwrap_or_default()
}

#[allow(clippy::disallowed_methods)] // The system's list of locks is no stored data.
fn one_reading(path: &Path) -> Vec<(u64, u64)> {
    let inode = format!(":{}", std::fs::metadata(path).unwrap().ino());
    let text = std::fs::read_to_string("/proc/locks").unwrap();
    let of_line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| word.ends_with(&inode))?;
        let ranged = words.contains(&"OFDLCK") || words.contains(&"POSIX");
        (ranged && words.contains(&"WRITE"))
            .then(|| Some((words[at + 1].parse().ok()?, words[at + 2].parse().ok()?)))?
    };
    let mut found: Vec<_> = text.lines().filter_map(of_line).collect();
    found.sort();
    found
}

/// First and last bytes, as the system lists them: ranges that meet are one.
fn bytes(locks: &[LockRanges]) -> Vec<(u64, u64)> {
    let mut all: Vec<_> = locks.iter().flat_map(|ranges| ranges.iter()).map(|it| (it.start, it.end() - 1)).collect();
    all.sort();
    let mut met: Vec<(u64, u64)> = Vec::new();
    for (first, last) in all {
        match met.last_mut().filter(|before| before.1 + 1 >= first) {
            Some(before) => before.1 = before.1.max(last),
            None => met.push((first, last)),
        }
    }
    met
}

#[test]
fn locks_of_another_program_are_respected_and_ours_by_it() {
    let _alone = alone();
    for name in ["clipper", "comix", "extended", "foxpro", "harbour64"] {
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path());
        let options = WriteOptions { scheme: LockScheme::by_name(name), ..shared(30) };
        let mut table = open(&path, options);
        for number in 1..=5 {
            table.append(&[ValueRef::Text("n"), ValueRef::Integer(number)]).unwrap();
        }
        let mut other = Other::start(&path);
        let locks = table.lock_bytes();
        let record = |number| locks.records(&(number..=number));

        // Theirs.
        assert!(other.lock(record(3)));
        let error = table.update(3, &[(1, ValueRef::Integer(0))]).unwrap_err();
        let expected = format!("record 3 is locked by python3 (process {})", other.process.id());
        assert!(error.code() == Code::Busy && error.message().starts_with(&expected), "{name}: {error}");
        table.update(2, &[(1, ValueRef::Integer(22))]).unwrap();
        assert_eq!(table.lock_table().unwrap_err().code(), Code::Busy);
        other.unlock(record(3));
        assert!(other.lock(locks.header()));
        assert_eq!(table.append(&[]).unwrap_err().code(), Code::Busy, "{name}");
        table.update(3, &[(1, ValueRef::Integer(33))]).unwrap();
        other.unlock(locks.header());
        assert!(other.lock(locks.table()));
        let error = table.append(&[]).unwrap_err();
        // Clipper's bytes of all records are FoxPro's of the header, too, which is usual for this table.
        assert!(error.code() == Code::Busy && error.message().contains("is locked by python3"), "{name}: {error}");
        assert_eq!(table.set_deleted(5, true).unwrap_err().code(), Code::Busy);
        other.unlock(locks.table());
        assert_eq!(table.append(&[]).unwrap(), 6);
        assert_eq!(system_locks(&path), [], "{name}: all is given back");

        // Ours.
        table.lock_record(2).unwrap();
        table.lock_record(5).unwrap();
        let plan = table.lock_plan();
        let expected = bytes(&[plan.records(&(2..=2)), plan.records(&(5..=5))]);
        assert_eq!(system_locks(&path), expected, "{name}");
        // A file that is opened and closed beside it takes no locks away.
        drop(Disk.open(&path).unwrap());
        assert!(!other.lock(record(2)) && !other.lock(locks.table()) && other.lock(record(3)), "{name}");
        other.unlock(record(3));
        table.unlock_record(2).unwrap();
        assert!(other.lock(record(2)));
        other.unlock(record(2));
        table.unlock().unwrap();
        table.lock_table().unwrap();
        assert_eq!(system_locks(&path), bytes(&[plan.table()]), "{name}");
        assert!(!other.lock(record(1)) && !other.lock(record(7)));
        table.append(&[]).unwrap();
        table.update(7, &[(1, ValueRef::Integer(1))]).unwrap();
        assert_eq!(system_locks(&path), bytes(&[plan.table()]), "{name}");
        table.unlock().unwrap();
        assert!(other.lock(locks.table()));
    }
}

/// Programs of one scheme know nothing of another's. Two of ours exclude each other in any.
#[test]
fn a_record_is_one_programs_in_whatever_schemes_ours_lock_it() {
    let _alone = alone();
    let names = ["clipper", "comix", "extended", "foxpro", "harbour64"];
    for (first, second) in names.iter().flat_map(|first| names.map(|second| (*first, second))) {
        let what = format!("{first} and {second}");
        let folder = tempfile::tempdir().unwrap();
        let path = create(folder.path());
        let [mut one, mut two] =
            [first, second].map(|name| open(&path, WriteOptions { scheme: LockScheme::by_name(name), ..shared(20) }));
        for number in 1..=5 {
            one.append(&[ValueRef::Text("n"), ValueRef::Integer(number)]).unwrap();
        }
        one.lock_record(2).unwrap();
        assert!(!two.try_lock_record(2).unwrap(), "{what}");
        let error = two.update(2, &[(1, ValueRef::Integer(0))]).unwrap_err();
        assert!(error.code() == Code::Busy && error.message().starts_with("record 2 is locked by"), "{what}: {error}");
        assert!(two.record_lock_holder(2).unwrap().is_some(), "{what}");
        assert_eq!(two.lock_table().unwrap_err().code(), Code::Busy, "{what}");
        assert!(two.try_lock_record(4).unwrap() && two.try_lock_record(1).unwrap(), "{what}");
        assert!(!two.try_lock_table().unwrap() && two.table_lock_holder().unwrap().is_some(), "{what}");
        assert!(!one.try_lock_record(4).unwrap() && !one.try_lock_record(1).unwrap(), "{what}");
        assert!(one.try_lock_record(3).unwrap(), "{what}");
        one.unlock().unwrap();
        // A table that could not be had in the second of its schemes takes no record away that is held.
        let mut foreign = Other::start(&path);
        assert!(foreign.lock(two.lock_bytes().records(&(2..=2))), "{what}");
        assert!(!two.try_lock_table().unwrap(), "{what}");
        assert!(!one.try_lock_record(4).unwrap() && !one.try_lock_record(1).unwrap(), "{what}");
        assert!(one.try_lock_record(5).unwrap(), "{what}: nothing else is kept");
        drop(foreign);
        two.unlock().unwrap();
        one.unlock().unwrap();
        one.lock_table().unwrap();
        assert_eq!(two.append(&[]).unwrap_err().code(), Code::Busy, "{what}");
        one.unlock().unwrap();
        assert_eq!(two.append(&[]).unwrap(), 6, "{what}");
        assert_eq!(system_locks(&path), [], "{what}: all is given back");
    }
}

#[test]
fn a_lock_that_is_given_back_in_time_is_waited_for() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = create(folder.path());
    let mut table = open(&path, shared(10_000));
    table.append(&[]).unwrap();
    let mut other = Other::start(&path);
    let range = table.lock_bytes().records(&(1..=1));
    assert!(other.lock(range));
    let waiting = std::thread::spawn(move || table.update(1, &[(1, ValueRef::Integer(7))]).map(drop));
    std::thread::sleep(Duration::from_millis(50));
    assert!(!waiting.is_finished());
    other.unlock(range);
    waiting.join().unwrap().unwrap();
}

#[test]
fn exclusive_use_excludes_and_is_excluded() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = create(folder.path());
    let exclusive = WriteOptions { access: Access::Exclusive, ..shared(30) };
    let mut other = Other::start(&path);
    assert!(other.ask("share"));
    assert_eq!(TableWriter::open(Arc::new(Disk), &path, exclusive).unwrap_err().code(), Code::Busy);
    let mut table = open(&path, shared(30));
    assert!(!other.ask("alone"));
    table.append(&[]).unwrap();
    drop(table);
    assert!(other.ask("alone"));
    let error = TableWriter::open(Arc::new(Disk), &path, shared(30)).unwrap_err();
    assert!(error.code() == Code::Busy && error.message().contains("for itself alone"), "{error}");
    assert!(other.ask("share"));
    drop(other);
    let mut table = open(&path, exclusive);
    assert!(!Other::start(&path).ask("share"));
    // The new file that a pack makes is taken at once, too.
    table.pack().unwrap();
    assert!(!Other::start(&path).ask("share"));
    table.close().unwrap();
}

/// The memo file's own lock.
#[test]
fn the_memo_file_is_locked_while_a_value_is_stored() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = create(folder.path());
    let mut table = open(&path, shared(30));
    let mut other = Other::start(&folder.path().join("t.fpt"));
    let byte = ByteRange { start: 0, length: 1 };
    assert!(other.lock(byte));
    let values = [ValueRef::Text("n"), ValueRef::Integer(1), ValueRef::Null, ValueRef::Text("a note")];
    let error = table.append(&values).unwrap_err();
    assert!(error.message().contains("the memo file is locked by python3"), "{error}");
    other.unlock(byte);
    assert_eq!(table.append(&values).unwrap(), 1);
    assert!(other.lock(byte));
}
