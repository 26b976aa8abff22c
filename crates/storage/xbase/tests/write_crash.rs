//! A crash, or an error, at every write.

use mainstay_types::{Date, Timestamp, Value, ValueRef};
use mainstay_vfs::{Create, Fault, Faulty, FileSystem, Memory, Operation, Simulated, explore};
use mainstay_xbase::Severity;
use mainstay_xbase::dbf::{self, Dbf, FieldSpec, Format, OpenOptions, TableSpec};
use mainstay_xbase::memo::Memo;
use mainstay_xbase::writer::{self, Access, TableWriter, WriteOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FORMATS: [Format; 5] = [Format::DbaseThree, Format::DbaseFour, Format::FoxPro, Format::Six, Format::VisualFoxPro];

fn options(access: Access, durable: bool) -> WriteOptions {
    let clock = || Timestamp::new(Date::from_ymd(2026, 11, 22).unwrap(), 0);
    WriteOptions { clock, durable, ..WriteOptions::new(access) }
}

fn path() -> &'static Path {
    Path::new("t.dbf")
}

fn memo_path(fs: &dyn FileSystem) -> Option<PathBuf> {
    ["t.fpt", "t.dbt", "t.smt"].map(PathBuf::from).into_iter().find(|memo| fs.stamp(memo).is_ok())
}

fn spec(format: Format) -> TableSpec {
    let fields = vec![FieldSpec::new("name", b'C', 10, 0), FieldSpec::new("note", b'M', 0, 0)];
    TableSpec { memo_block_size: 64, ..TableSpec::new(format, fields) }
}

fn note(seed: usize) -> String {
    (0..100 + seed * 61 % 700).map(|at| char::from(b'a' + ((at + seed * 5) % 26) as u8)).collect()
}

/// The notes, by record; and whether `check` found anything wrong beyond records that are not counted yet.
fn state(fs: &dyn FileSystem) -> (Vec<String>, Vec<String>) {
    let dbf = Dbf::open(fs.open(path()).unwrap(), OpenOptions::default()).unwrap();
    let memo = memo_path(fs).map(|memo| Memo::open(fs.open(&memo).unwrap(), dbf.header().version).unwrap());
    let mut findings = Vec::new();
    dbf::check(&dbf, memo.as_ref(), &mut findings).unwrap();
    let (mut notes, mut bytes) = (Vec::new(), Vec::new());
    for row in 0..dbf.record_count(dbf.file().stamp().unwrap().len) {
        dbf.read_record(row, &mut bytes).unwrap();
        let value = |field| writer::decode(&dbf, memo.as_ref(), field, &bytes).unwrap();
        let Value::Text(name) = value(0) else { panic!("a name") };
        notes.push(match value(1) {
            Value::Text(note) => format!("{name}: {note}"),
            _ => format!("{name}: unreadable"),
        });
    }
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    (notes, errors.map(ToString::to_string).collect())
}

/// Runs the steps, and returns the number of acknowledged ones.
fn work(fs: Arc<dyn FileSystem>, format: Format, options: WriteOptions) -> usize {
    let mut done = 0;
    let mut run = || -> mainstay_types::Result<()> {
        writer::create(&*fs, path(), &spec(format), &options)?;
        let mut table = TableWriter::open(Arc::clone(&fs), path(), options)?;
        for step in 1..=STEPS {
            apply(&mut table, step)?;
            table.flush()?;
            done = step;
        }
        table.close()
    };
    let _ = run();
    done
}

const STEPS: usize = 9;

fn apply(table: &mut TableWriter, step: usize) -> mainstay_types::Result<()> {
    let text = note(step);
    match step {
        1..=3 => table.append(&[ValueRef::Text("new"), ValueRef::Text(&text)]).map(drop),
        4 | 6 | 8 => table.update(2, &[(1, ValueRef::Text(&text))]).map(drop),
        5 => table.update(1, &[(1, ValueRef::Null)]).map(drop),
        7 => table.append(&[ValueRef::Text("last"), ValueRef::Text(&text)]).map(drop),
        _ => table.set_deleted(3, true).map(drop),
    }
}

/// The notes after so many steps.
fn after(steps: usize) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for step in 1..=steps {
        match step {
            1..=3 => notes.push(format!("new: {}", note(step))),
            4 | 6 | 8 => notes[1] = format!("new: {}", note(step)),
            5 => notes[0] = "new: ".to_owned(),
            7 => notes.push(format!("last: {}", note(step))),
            _ => {}
        }
    }
    notes
}

/// Killed anywhere, the table is as before the step or as after it, and nothing is wrong with it; the next program
/// goes on writing.
#[test]
fn a_program_that_is_killed_leaves_each_step_done_or_not() {
    for format in FORMATS {
        for access in [Access::Shared, Access::Exclusive] {
            let states = explore(
                0..0,
                |system| work(Arc::new(system.clone()), format, options(access, false)),
                |system, done| {
                    if system.stamp(path()).is_err() {
                        return if *done == 0 { Ok(()) } else { Err("no table".to_owned()) };
                    }
                    let (notes, errors) = state(system);
                    if !errors.is_empty() {
                        return Err(errors.join("; "));
                    }
                    if notes != after(*done) && notes != after((done + 1).min(STEPS)) {
                        return Err(format!("{done} steps done, found {notes:?}"));
                    }
                    goes_on(system, &notes)
                },
            );
            assert!(states.unwrap_or_else(|error| panic!("{format:?} {access:?}: {error}")) > 30);
        }
    }
}

/// Another program changes and appends, and everybody else's values stay.
fn goes_on(system: &Simulated, notes: &[String]) -> Result<(), String> {
    let shared = options(Access::Shared, false);
    let text = |error: mainstay_types::Error| error.to_string();
    let mut table = TableWriter::open(Arc::new(system.clone()), path(), shared).map_err(text)?;
    let mut expected = notes.to_vec();
    for number in 20..26 {
        table.append(&[ValueRef::Text("later"), ValueRef::Text(&note(number))]).map_err(text)?;
        expected.push(format!("later: {}", note(number)));
    }
    if notes.len() > 1 {
        table.update(2, &[(1, ValueRef::Text(&note(30)))]).map_err(text)?;
        expected[1] = format!("new: {}", note(30));
    }
    drop(table);
    let (found, errors) = state(system);
    match found == expected && errors.is_empty() {
        true => Ok(()),
        false => Err(format!("afterwards {errors:?}, {found:?} instead of {expected:?}")),
    }
}

/// The same after a loss of power, with durable writes: acknowledged steps are there, and an unfinished step is
/// complete, absent, or reported and repaired.
#[test]
fn a_lost_power_supply_takes_nothing_that_was_acknowledged() {
    for format in FORMATS {
        for access in [Access::Shared, Access::Exclusive] {
            let states = explore(
                0..24,
                |system| work(Arc::new(system.clone()), format, options(access, true)),
                |system, done| check_power_loss(system, *done),
            );
            assert!(states.unwrap_or_else(|error| panic!("{format:?} {access:?}: {error}")) > 1000);
        }
    }
}

fn check_power_loss(system: &Simulated, done: usize) -> Result<(), String> {
    if system.stamp(path()).is_err() {
        return if done == 0 { Ok(()) } else { Err("no table".to_owned()) };
    }
    let (notes, errors) = state(system);
    let (before, then) = (after(done), after((done + 1).min(STEPS)));
    if errors.is_empty() && (notes == before || notes == then) {
        return Ok(());
    }
    // A record of an append that was under way may be torn; it is behind what the header counts, or `check`
    // says so. All others are as they were.
    let torn_append = notes.len() == before.len() + 1 && notes[..before.len()] == before[..];
    if torn_append && !reported(system) {
        return Err(format!("{done} steps done, found {notes:?} and nothing reported"));
    }
    let into = Path::new("new.dbf");
    let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
    writer::repair(&fs, path(), into, &options(Access::Exclusive, true)).map_err(|error| error.to_string())?;
    match torn_append || !errors.is_empty() && notes.len() >= before.len() {
        true => Ok(()),
        false => Err(format!("{done} steps done, found {notes:?}, reported {errors:?}")),
    }
}

fn reported(system: &Simulated) -> bool {
    let dbf = Dbf::open(system.open(path()).unwrap(), OpenOptions::default()).unwrap();
    let mut findings = Vec::new();
    dbf::check(&dbf, None, &mut findings).unwrap();
    findings.iter().any(|finding| !finding.message.contains("memo file is missing"))
}

/// Packing, emptying and new structures happen or do not, with table and memo together.
#[test]
fn a_crash_while_files_are_replaced_leaves_the_old_ones_or_the_new_ones() {
    for format in [Format::FoxPro, Format::DbaseFour] {
        let prepare = |system: &Simulated| -> mainstay_types::Result<()> {
            let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
            let how = options(Access::Exclusive, true);
            writer::create(&*fs, path(), &spec(format), &how)?;
            let mut table = TableWriter::open(Arc::clone(&fs), path(), how)?;
            for step in 1..=STEPS {
                apply(&mut table, step)?;
            }
            table.close()
        };
        let states = explore(
            0..16,
            |system| {
                let ready = prepare(system).is_ok();
                let how = options(Access::Exclusive, true);
                let packed = || -> mainstay_types::Result<()> {
                    let mut table = TableWriter::open(Arc::new(system.clone()), path(), how)?;
                    table.pack()?;
                    table.close()
                };
                (ready, ready && packed().is_ok())
            },
            |system, (ready, packed)| {
                if !ready {
                    return Ok(());
                }
                // Opening finishes what was begun.
                let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
                let table = TableWriter::open(Arc::clone(&fs), path(), options(Access::Shared, false));
                drop(table.map_err(|error| error.to_string())?);
                let (notes, errors) = state(system);
                let whole = after(STEPS);
                let mut without = whole.clone();
                without.remove(2);
                let expected = if *packed { notes == without } else { notes == without || notes == whole };
                match expected && errors.is_empty() {
                    true => Ok(()),
                    false => Err(format!("packed: {packed}; {errors:?} {notes:?}")),
                }
            },
        );
        states.unwrap_or_else(|error| panic!("{format:?}: {error}"));
    }
}

/// Every read, write, creation and rename fails once: an error, and afterwards the table is sound.
#[test]
fn every_call_can_fail() {
    for operation in [Operation::Write, Operation::Read, Operation::Create, Operation::Sync] {
        for fault in [Fault::Error, Fault::NoSpace] {
            for access in [Access::Shared, Access::Exclusive] {
                let counting = Faulty::counting(Memory::new());
                work(Arc::new(counting.clone()), Format::FoxPro, options(access, true));
                let calls = counting.calls(operation);
                assert!(calls > 0);
                for call in 0..calls {
                    let memory = Memory::new();
                    let faulty = Faulty::failing(memory.clone(), operation, call, fault);
                    let done = work(Arc::new(faulty), Format::FoxPro, options(access, true));
                    if memory.stamp(path()).is_err() {
                        assert_eq!(done, 0);
                        continue;
                    }
                    let (notes, errors) = state(&memory);
                    let sound = notes == after(done) || notes == after((done + 1).min(STEPS));
                    assert!(
                        sound && errors.is_empty(),
                        "{operation:?} {call} {fault:?} {access:?}: {done} {errors:?} {notes:?}"
                    );
                }
            }
        }
    }
}

/// A sync that fails is the last thing that is done.
#[test]
fn nothing_is_written_after_a_sync_that_failed() {
    let memory = Memory::new();
    let how = options(Access::Shared, true);
    writer::create(&memory, path(), &spec(Format::FoxPro), &how).unwrap();
    let faulty = Faulty::failing(memory.clone(), Operation::Sync, 0, Fault::Error);
    let mut table = TableWriter::open(Arc::new(faulty.clone()), path(), how).unwrap();
    assert!(table.append(&[ValueRef::Text("a"), ValueRef::Text("b")]).is_err());
    let writes = faulty.calls(Operation::Write);
    let error = table.append(&[ValueRef::Text("a")]).unwrap_err();
    assert!(error.message().contains("after an earlier error"), "{error}");
    assert!(table.update(1, &[]).is_err() && table.flush().is_err());
    assert_eq!(faulty.calls(Operation::Write), writes);
    drop(table);
    assert!(memory.create(path(), Create::Existing).is_ok());
}

/// Every call of a pack fails once: the table has its old records or the packed ones, and a writer that does not know
/// which writes nothing more.
#[test]
fn every_call_of_a_pack_can_fail() {
    let how = options(Access::Exclusive, true);
    let prepared = || {
        let memory = Memory::new();
        assert_eq!(work(Arc::new(memory.clone()), Format::FoxPro, how), STEPS);
        memory
    };
    let whole = after(STEPS);
    let mut without = whole.clone();
    without.remove(2);
    let kinds =
        [Operation::Write, Operation::Read, Operation::Create, Operation::Sync, Operation::Rename, Operation::Remove];
    for operation in kinds {
        let counting = Faulty::counting(prepared());
        TableWriter::open(Arc::new(counting.clone()), path(), how).unwrap().pack().unwrap();
        for call in 0..counting.calls(operation) {
            let memory = prepared();
            let faulty = Faulty::failing(memory.clone(), operation, call, Fault::Error);
            let Ok(mut table) = TableWriter::open(Arc::new(faulty), path(), how) else { continue };
            let packed = table.pack();
            let appended = table.append(&[ValueRef::Text("new"), ValueRef::Text("appended")]).is_ok();
            let flushed = table.close().is_ok() && appended;
            // The next opening finishes what was begun.
            drop(TableWriter::open(Arc::new(memory.clone()), path(), how).unwrap());
            let (mut notes, errors) = state(&memory);
            assert_eq!(errors, Vec::<String>::new(), "{operation:?} {call}");
            if flushed {
                assert_eq!(notes.pop().unwrap(), "new: appended", "{operation:?} {call}");
            }
            let expected = if packed.is_ok() { notes == without } else { notes == without || notes == whole };
            assert!(expected, "{operation:?} {call}: {packed:?}, {notes:?}");
        }
    }
}
