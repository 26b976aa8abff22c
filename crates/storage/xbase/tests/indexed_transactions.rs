//! Transactions over tables: all changes or none, however they end.

mod indexed_common;

use indexed_common::{compare, create, index, open, options, refs, table_spec, tag_specs, values};
use mainstay_types::{Code, Value, ValueRef};
use mainstay_vfs::{Create, Disk, FileSystem, LockMode, Memory, Simulated, WritableFile, explore};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{IndexSpec, IndexedTable, Transaction};
use mainstay_xbase::lock::LockWait;
use mainstay_xbase::writer::{Access, WriteOptions};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

fn path(name: &str) -> PathBuf {
    Path::new("shop").join(name).with_extension("dbf")
}

fn shop(format: Format, kind: BagKind) -> (Arc<dyn FileSystem>, Vec<PathBuf>) {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    create(&fs, &path("a"), &table_spec(format));
    create(&fs, &path("b"), &table_spec(format));
    let mut files = Vec::new();
    for name in ["a", "b"] {
        let mut table = open(&fs, &path(name), Access::Exclusive);
        for seed in 0..30 {
            table.append(&refs(&values(seed))).unwrap();
        }
        // The second table has the structural index, the first files of its own.
        if name == "a" || kind == BagKind::Cdx {
            files = index(&mut table, kind, &tag_specs());
        }
        table.close().unwrap();
    }
    (fs, files)
}

fn open_with(fs: &Arc<dyn FileSystem>, name: &str, files: &[PathBuf], how: WriteOptions) -> IndexedTable {
    let mut table = IndexedTable::open(Arc::clone(fs), &path(name), how).unwrap();
    for file in files.iter().filter(|_| name == "a") {
        table.open_bag(file).unwrap();
    }
    table
}

/// All values of all records, with the deletion marks.
fn state(table: &mut IndexedTable) -> Vec<(bool, Vec<Value>)> {
    let mut bytes = Vec::new();
    (1..=table.count().unwrap())
        .map(|record| {
            table.read(record, &mut bytes).unwrap();
            let fields = 0..table.fields().len();
            (bytes[0] == b'*', fields.map(|field| table.value(field, &bytes).unwrap()).collect())
        })
        .collect()
}

/// Some changes of a table that a number chooses.
fn change(table: &mut IndexedTable, seed: u64) -> mainstay_types::Result<()> {
    let new = values(seed);
    let record = 1 + seed % table.count()?;
    match seed % 5 {
        0 => table.append(&refs(&new)).map(drop),
        1 => table.set_deleted(record, seed.is_multiple_of(2)).map(drop),
        2 => table.update(record, &[(4, new[4].as_ref()), (0, new[0].as_ref())]).map(drop),
        3 => table.append_many([refs(&new), refs(&values(seed + 1))].iter().map(Vec::as_slice)).map(drop),
        _ => table.update(record, &refs(&new).into_iter().enumerate().collect::<Vec<_>>()).map(drop),
    }
}

fn has_journals(fs: &dyn FileSystem) -> bool {
    fs.list(Path::new("shop/.mainstay-transactions")).is_ok_and(|entries| !entries.is_empty())
}

#[test]
fn rolling_back_brings_back_records_keys_and_memos() {
    for (kind, format) in
        [(BagKind::Cdx, Format::FoxPro), (BagKind::Ntx, Format::DbaseThree), (BagKind::Cdx, Format::Six)]
    {
        for access in [Access::Shared, Access::Exclusive] {
            let (fs, files) = shop(format, kind);
            let mut a = open_with(&fs, "a", &files, options(access));
            let mut b = open_with(&fs, "b", &files, options(access));
            let before = (state(&mut a), state(&mut b));
            for round in 0..6u64 {
                let transaction = Transaction::begin(Arc::clone(&fs));
                a.enlist(&transaction).unwrap();
                b.enlist(&transaction).unwrap();
                for step in 0..20 {
                    change(if step % 3 == 0 { &mut b } else { &mut a }, round * 1_000 + step * 7).unwrap();
                }
                let (middle, savepoint) = ((state(&mut a), state(&mut b)), transaction.savepoint());
                for step in 20..40 {
                    change(if step % 3 == 0 { &mut b } else { &mut a }, round * 1_000 + step * 7).unwrap();
                }
                assert_ne!((state(&mut a), state(&mut b)), middle);
                transaction.rollback_to(savepoint, &mut [&mut a, &mut b]).unwrap();
                assert_eq!((state(&mut a), state(&mut b)), middle);
                change(&mut a, round + 50).unwrap();
                assert!(has_journals(&*fs));
                transaction.rollback(&mut [&mut a, &mut b]).unwrap();
                assert!(transaction.is_ended() && !has_journals(&*fs));
                assert_eq!((state(&mut a), state(&mut b)), before, "{kind:?} {access:?}");
                assert!(access == Access::Exclusive || a.locked_records().is_empty() && b.locked_records().is_empty());
            }
            a.close().unwrap();
            b.close().unwrap();
            compare(&fs, &path("a"), &files).unwrap_or_else(|complaint| panic!("{kind:?} {access:?}: {complaint}"));
            compare(&fs, &path("b"), &[]).unwrap_or_else(|complaint| panic!("{kind:?} {access:?}: {complaint}"));
        }
    }
}

#[test]
fn committing_keeps_everything_and_gives_the_locks_back() {
    let (fs, _) = shop(Format::FoxPro, BagKind::Cdx);
    let wait = LockWait { timeout: Duration::ZERO, interval: Duration::from_millis(1) };
    let how = WriteOptions { wait, ..options(Access::Shared) };
    let (mut a, mut other) = (open_with(&fs, "a", &[], how), open_with(&fs, "a", &[], how));
    let transaction = Transaction::begin(Arc::clone(&fs));
    a.enlist(&transaction).unwrap();
    a.lock_record(9).unwrap();
    a.update(3, &[(0, ValueRef::Text("changed")), (4, ValueRef::Text("another note"))]).unwrap();
    a.update(9, &[(0, ValueRef::Text("changed"))]).unwrap();
    let appended = a.append(&[ValueRef::Text("new")]).unwrap();
    // Unlocking is deferred: changes that may yet be undone must not be overwritten.
    a.unlock_record(3).unwrap();
    a.unlock().unwrap();
    a.lock_record(9).unwrap();
    for record in [3, 9, appended] {
        assert_eq!(other.update(record, &[(0, ValueRef::Text("other"))]).unwrap_err().code(), Code::Busy, "{record}");
    }
    let after = other.append(&[ValueRef::Text("another's")]).unwrap();
    assert_eq!(after, appended + 1, "others append meanwhile");
    let error = transaction.commit(&mut []).unwrap_err();
    assert_eq!(error.code(), Code::TransactionState, "the table is missing");
    transaction.commit(&mut [&mut a]).unwrap();
    assert_eq!(a.locked_records(), [9], "the user's own lock stays");
    other.update(3, &[(0, ValueRef::Text("other"))]).unwrap();
    assert_eq!(transaction.commit(&mut [&mut a]).unwrap_err().code(), Code::TransactionState);
    assert!(!has_journals(&*fs));
    drop((a, other));
    compare(&fs, &path("a"), &[]).unwrap();
}

#[test]
fn a_record_behind_which_others_appended_stays_blank_and_deleted() {
    let (fs, _) = shop(Format::FoxPro, BagKind::Cdx);
    let (mut a, mut other) = (open(&fs, &path("a"), Access::Shared), open(&fs, &path("a"), Access::Shared));
    let transaction = Transaction::begin(Arc::clone(&fs));
    a.enlist(&transaction).unwrap();
    let appended = a.append(&refs(&values(3))).unwrap();
    other.append(&[ValueRef::Text("another's")]).unwrap();
    transaction.rollback(&mut [&mut a]).unwrap();
    let found = state(&mut other);
    let (deleted, fields) = &found[appended as usize - 1];
    assert!(*deleted && fields[0] == Value::Text(String::new()) && fields[4] == Value::Text(String::new()));
    assert_eq!(found.len() as u64, appended + 1);
    drop((a, other));
    compare(&fs, &path("a"), &[]).unwrap();
}

/// While a removed record is locked, no program could append the next record of its number.
#[test]
fn the_lock_of_an_appended_record_goes_with_it() {
    let (fs, _) = shop(Format::FoxPro, BagKind::Cdx);
    let (mut a, mut other) = (open(&fs, &path("a"), Access::Shared), open(&fs, &path("a"), Access::Shared));
    other.set_wait(LockWait { timeout: Duration::ZERO, ..LockWait::default() });
    a.lock_record(7).unwrap();
    for others_append in [false, true] {
        let transaction = Transaction::begin(Arc::clone(&fs));
        a.enlist(&transaction).unwrap();
        let appended = a.append_blank_locked().unwrap();
        a.update(appended, &[(0, ValueRef::Text("new"))]).unwrap();
        if others_append {
            assert_eq!(other.append_blank_locked().unwrap(), appended + 1);
            other.unlock().unwrap();
        }
        transaction.rollback(&mut [&mut a]).unwrap();
        assert_eq!(a.locked_records(), [7], "the user's own lock stays");
        let next = other.append_blank_locked().unwrap();
        assert_eq!(next, appended + 2 * u64::from(others_append));
        other.unlock().unwrap();
        // Of a savepoint at once, and a record that is appended again is locked again.
        let transaction = Transaction::begin(Arc::clone(&fs));
        a.enlist(&transaction).unwrap();
        a.update(2, &[(0, ValueRef::Text("kept"))]).unwrap();
        let savepoint = transaction.savepoint();
        a.append_blank_locked().unwrap();
        transaction.rollback_to(savepoint, &mut [&mut a]).unwrap();
        assert_eq!(a.locked_records(), [2, 7]);
        let again = other.append_blank_locked().unwrap();
        other.unlock().unwrap();
        let kept = a.append_blank_locked().unwrap();
        assert_eq!(kept, again + 1);
        transaction.commit(&mut [&mut a]).unwrap();
        assert_eq!(a.locked_records(), [7, kept]);
        a.unlock_record(kept).unwrap();
    }
    drop((a, other));
    compare(&fs, &path("a"), &[]).unwrap();
}

#[test]
fn a_statement_of_many_changes_happens_or_does_not() {
    for access in [Access::Shared, Access::Exclusive] {
        let (fs, _) = shop(Format::FoxPro, BagKind::Cdx);
        let (mut a, mut b) = (open(&fs, &path("a"), access), open(&fs, &path("b"), access));
        let before = state(&mut a);
        let fails = |table: &mut IndexedTable| -> mainstay_types::Result<()> {
            (0..12).try_for_each(|seed| change(table, seed))?;
            // A name of more than twelve letters.
            table.update(1, &[(0, ValueRef::Text("a name that is too long"))]).map(drop)
        };
        assert_eq!(a.atomically(fails).unwrap_err().code(), Code::InvalidValue);
        assert!(state(&mut a) == before && a.transaction().is_none() && !has_journals(&*fs));
        a.atomically(|table| (0..12).try_for_each(|seed| change(table, seed))).unwrap();
        let after = state(&mut a);
        assert!(after != before && (access == Access::Exclusive || a.locked_records().is_empty()));

        let transaction = Transaction::begin(Arc::clone(&fs));
        a.enlist(&transaction).unwrap();
        b.enlist(&transaction).unwrap();
        change(&mut a, 15).unwrap();
        change(&mut b, 15).unwrap();
        let (middle, of_b) = (state(&mut a), state(&mut b));
        assert!(a.atomically(fails).is_err());
        assert!(state(&mut a) == middle && state(&mut b) == of_b && !transaction.is_ended());
        let savepoint = transaction.savepoint();
        change(&mut b, 20).unwrap();
        assert_eq!(transaction.rollback_to(savepoint, &mut [&mut a]).unwrap_err().code(), Code::TransactionState);
        transaction.rollback_to(savepoint, &mut [&mut b]).unwrap();
        assert!(state(&mut b) == of_b);
        transaction.rollback(&mut [&mut a, &mut b]).unwrap();
        assert!(state(&mut a) == after);
        drop((a, b));
        compare(&fs, &path("a"), &[]).unwrap();
        compare(&fs, &path("b"), &[]).unwrap();
    }
}

/// A transaction of very many records takes the table, and gives back what it took and nothing else.
#[test]
fn many_records_are_locked_as_a_table() {
    let (fs, _) = shop(Format::FoxPro, BagKind::Cdx);
    let (mut a, mut other) = (open(&fs, &path("a"), Access::Shared), open(&fs, &path("a"), Access::Shared));
    let rows: Vec<Vec<Value>> = (0..1_500).map(values).collect();
    let rows: Vec<Vec<ValueRef<'_>>> = rows.iter().map(|row| refs(row)).collect();
    a.append_many(rows.iter().map(Vec::as_slice)).unwrap();
    a.lock_record(7).unwrap();
    let before = state(&mut a);
    for others_hold_one in [false, true] {
        if others_hold_one {
            other.lock_record(3).unwrap();
        }
        let transaction = Transaction::begin(Arc::clone(&fs));
        a.enlist(&transaction).unwrap();
        for record in 10..1_200 {
            a.update(record, &[(0, ValueRef::Text("changed"))]).unwrap();
        }
        assert_eq!(a.holds_table(), !others_hold_one);
        for record in [10, 600, 1_199] {
            assert!(!other.try_lock_record(record).unwrap());
        }
        transaction.rollback(&mut [&mut a]).unwrap();
        assert!(!a.holds_table() && a.locked_records() == [7]);
        assert!(other.try_lock_record(600).unwrap() && !other.try_lock_record(7).unwrap());
        other.unlock().unwrap();
    }
    assert!(state(&mut a) == before);
    drop((a, other));
    compare(&fs, &path("a"), &[]).unwrap();
}

/// Tables and transactions go from one thread to another.
#[test]
fn tables_can_be_sent() {
    fn is_send<T: Send>() {}
    is_send::<IndexedTable>();
    is_send::<Transaction>();
}

#[test]
fn what_needs_a_table_as_a_whole_is_refused_in_a_transaction() {
    let (fs, _) = shop(Format::FoxPro, BagKind::Cdx);
    let mut a = open(&fs, &path("a"), Access::Exclusive);
    let transaction = Transaction::begin(Arc::clone(&fs));
    a.enlist(&transaction).unwrap();
    a.enlist(&transaction).unwrap();
    assert!(a.enlist(&Transaction::begin(Arc::clone(&fs))).is_err());
    let go_on = &mut |_, _| ControlFlow::Continue(());
    let id = a.find_tag("NAME").unwrap();
    let refusals = [
        a.pack(go_on).unwrap_err(),
        a.zap().unwrap_err(),
        a.reindex(go_on).unwrap_err(),
        a.drop_tag(id).unwrap_err(),
        a.add_key(id, 1).unwrap_err(),
    ];
    assert!(refusals.iter().all(|error| error.code() == Code::TransactionState));
    transaction.commit(&mut [&mut a]).unwrap();
    a.zap().unwrap();
}

#[test]
fn a_table_that_was_closed_is_rolled_back_too() {
    let (fs, _) = shop(Format::FoxPro, BagKind::Cdx);
    let mut b = open(&fs, &path("b"), Access::Shared);
    let mut a = open(&fs, &path("a"), Access::Shared);
    let before = (state(&mut a), state(&mut b));
    let transaction = Transaction::begin(Arc::clone(&fs));
    a.enlist(&transaction).unwrap();
    b.enlist(&transaction).unwrap();
    (0..10).for_each(|seed| change(&mut a, seed).unwrap());
    (0..10).for_each(|seed| change(&mut b, seed).unwrap());
    drop(a);
    transaction.rollback(&mut [&mut b]).unwrap();
    let mut a = open(&fs, &path("a"), Access::Shared);
    assert_eq!((state(&mut a), state(&mut b)), before);
    assert!(!has_journals(&*fs));
    drop((a, b));
    compare(&fs, &path("a"), &[]).unwrap();
}

/// Two tables, and in each step a transaction that changes both; gives how many were acknowledged.
fn work(system: &Simulated, durable: bool, access: Access) -> usize {
    let mut done = 0;
    let mut run = || -> mainstay_types::Result<()> {
        let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
        let how = WriteOptions { durable, ..options(access) };
        system.create_folder(Path::new("shop"))?;
        if durable {
            system.sync_folder(Path::new(""))?;
        }
        let mut tables = Vec::new();
        for name in ["a", "b"] {
            let alone = WriteOptions { durable, ..options(Access::Exclusive) };
            mainstay_xbase::writer::create(system, &path(name), &small_spec(), &alone)?;
            let mut table = IndexedTable::open(Arc::clone(&fs), &path(name), alone)?;
            for spec in small_tags() {
                table.create_index(None, BagKind::Cdx, &spec, mainstay_xbase::indexed::Building::default())?;
            }
            table.append(&[ValueRef::Text("first"), ValueRef::Text("a note")])?;
            table.append(&[ValueRef::Text("second"), ValueRef::Text("note")])?;
            table.close()?;
            tables.push(IndexedTable::open(Arc::clone(&fs), &path(name), how)?);
        }
        done = 1;
        for step in 1..=STEPS {
            let transaction = Transaction::begin(Arc::clone(&fs));
            for table in &mut tables {
                table.enlist(&transaction)?;
                step_of(table, step)?;
            }
            let mut all: Vec<&mut IndexedTable> = tables.iter_mut().collect();
            match step {
                2 => transaction.rollback(&mut all)?,
                _ => transaction.commit(&mut all)?,
            }
            done = step + 1;
        }
        tables.into_iter().try_for_each(IndexedTable::close)
    };
    let _ = run();
    done
}

const STEPS: usize = 3;

fn small_spec() -> TableSpec {
    TableSpec::new(Format::FoxPro, vec![FieldSpec::new("name", b'C', 200, 0), FieldSpec::new("note", b'M', 0, 0)])
}

fn small_tags() -> [IndexSpec; 3] {
    [IndexSpec::new("NAME", "NAME"), IndexSpec::new("NUMBER", "RECNO()"), IndexSpec::new("LIVE", "DELETED()")]
}

fn step_of(table: &mut IndexedTable, step: usize) -> mainstay_types::Result<()> {
    let (name, note) = (format!("name of step {step}"), "text ".repeat(step * 30));
    table.append(&[ValueRef::Text(&name), ValueRef::Text(&note)])?;
    table.update(2, &[(1, ValueRef::Text(&note)), (0, ValueRef::Text(&name))])?;
    table.update(1, &[(0, ValueRef::Text(&note[..100.min(note.len())]))])?;
    table.delete(step as u64).map(drop)
}

/// The expected contents of the tables after so many steps.
fn wanted(steps: usize) -> Vec<Vec<(bool, Vec<Value>)>> {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    let of = |name: &str| {
        create(&fs, &path(name), &small_spec());
        let mut table = open(&fs, &path(name), Access::Exclusive);
        table.append(&[ValueRef::Text("first"), ValueRef::Text("a note")]).unwrap();
        table.append(&[ValueRef::Text("second"), ValueRef::Text("note")]).unwrap();
        (1..=steps).filter(|step| *step != 2).for_each(|step| step_of(&mut table, step).unwrap());
        state(&mut table)
    };
    vec![of("a"), of("b")]
}

fn check(system: &Simulated, done: usize) -> Result<(), String> {
    if done == 0 {
        return Ok(());
    }
    let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
    let mut found = Vec::new();
    for name in ["a", "b"] {
        let table = IndexedTable::open(Arc::clone(&fs), &path(name), options(Access::Shared));
        let mut table = table.map_err(|error| format!("{name} cannot be opened: {error}"))?;
        found.push(state(&mut table));
    }
    if has_journals(system) {
        return Err("a journal is left".to_owned());
    }
    if found != wanted(done - 1) && found != wanted(done.min(STEPS)) {
        return Err(format!("after {done} steps: {found:#?}"));
    }
    for name in ["a", "b"] {
        compare(&fs, &path(name), &[])?;
    }
    Ok(())
}

#[test]
fn a_program_that_is_killed_leaves_each_transaction_done_or_not() {
    for access in [Access::Shared, Access::Exclusive] {
        let states = explore(0..0, |system| work(system, false, access), |system, done| check(system, *done));
        let states = states.unwrap_or_else(|error| panic!("{access:?}: {error}"));
        assert!(states > 100, "{states}");
    }
}

#[test]
fn a_lost_power_supply_leaves_each_transaction_done_or_not() {
    // Seed 8 once found a header that counted a record which was cut off already.
    let states = explore(0..9, |system| work(system, true, Access::Shared), |system, done| check(system, *done));
    let states = states.unwrap_or_else(|error| panic!("{error}"));
    assert!(states > 500, "{states}");
}

/// A crash while the last crash is put right, at every operation of that.
#[test]
fn undoing_can_be_cut_off_too() {
    let whole = Simulated::new();
    work(&whole, true, Access::Shared);
    let mut tried = 0;
    for crash in (100..whole.operations()).step_by(23) {
        let system = Simulated::new();
        system.crash_at(crash);
        let done = work(&system, true, Access::Shared);
        if done == 0 || !has_journals(&system.after_kill()) {
            continue;
        }
        for again in 0.. {
            let found = system.after_kill();
            found.crash_at(again);
            let fs: Arc<dyn FileSystem> = Arc::new(found.clone());
            let opened = IndexedTable::open(fs, &path("a"), options(Access::Shared)).map(drop);
            for seed in 0..3 {
                check(&found.after_crash(seed), done)
                    .unwrap_or_else(|complaint| panic!("{crash}, then {again}, seed {seed}: {complaint}"));
            }
            check(&found.after_kill(), done).unwrap_or_else(|complaint| panic!("{crash}, then {again}: {complaint}"));
            tried += 1;
            if !found.is_crashed() {
                opened.unwrap();
                break;
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

/// Without a transaction: an append with a memo and three tags, killed between any two writes.
#[test]
fn a_killed_append_is_done_or_not_or_its_index_is_made_anew() {
    let work = |system: &Simulated| {
        let mut ready = false;
        let mut run = || -> mainstay_types::Result<()> {
            let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
            system.create_folder(Path::new("shop"))?;
            mainstay_xbase::writer::create(system, &path("a"), &small_spec(), &options(Access::Exclusive))?;
            let mut table = IndexedTable::open(Arc::clone(&fs), &path("a"), options(Access::Exclusive))?;
            for spec in small_tags() {
                table.create_index(None, BagKind::Cdx, &spec, mainstay_xbase::indexed::Building::default())?;
            }
            table.append(&[ValueRef::Text("first"), ValueRef::Text("a note")])?;
            table.close()?;
            let mut table = IndexedTable::open(Arc::clone(&fs), &path("a"), options(Access::Shared))?;
            ready = true;
            // Enough of them that pages are cut.
            for step in 0..6 {
                table.append(&[ValueRef::Text(&"xyz".repeat(60)[step..]), ValueRef::Text("some note")])?;
            }
            table.close()
        };
        let _ = run();
        ready
    };
    let mut repaired = std::cell::Cell::new(0);
    let check = |system: &Simulated, ready: &bool| -> Result<(), String> {
        if !ready {
            return Ok(());
        }
        let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
        let text = |error: mainstay_types::Error| error.to_string();
        if compare(&fs, &path("a"), &[]).is_err() {
            repaired.set(repaired.get() + 1);
            let mut table =
                IndexedTable::open(Arc::clone(&fs), &path("a"), options(Access::Exclusive)).map_err(text)?;
            table.reindex(&mut |_, _| ControlFlow::Continue(())).map_err(text)?;
        }
        let mut table = IndexedTable::open(Arc::clone(&fs), &path("a"), options(Access::Shared)).map_err(text)?;
        let found = state(&mut table);
        let sound = found.iter().enumerate().all(|(at, (deleted, fields))| {
            let note = if at == 0 { "a note" } else { "some note" };
            !deleted && fields[1] == Value::Text(note.to_owned())
        });
        drop(table);
        if !sound {
            return Err(format!("{found:?}"));
        }
        compare(&fs, &path("a"), &[])
    };
    explore(0..0, work, check).unwrap_or_else(|error| panic!("{error}"));
    assert!(repaired.get_mut() > &mut 0, "no crash hit between a record and its keys");
}

/// A program that has the table open when another dies does not build on what that one had not committed.
#[test]
fn who_goes_on_after_anothers_death_sees_what_was_before() {
    let (fs, _) = shop(Format::FoxPro, BagKind::Cdx);
    let mut other = open(&fs, &path("a"), Access::Shared);
    let before = state(&mut other);
    for round in 0..4 {
        let mut dying = open(&fs, &path("a"), Access::Shared);
        let transaction = Transaction::begin(Arc::clone(&fs));
        dying.enlist(&transaction).unwrap();
        dying.update(3, &[(0, ValueRef::Text("uncommitted"))]).unwrap();
        dying.append(&[ValueRef::Text("uncommitted")]).unwrap();
        assert!(!other.try_lock_record(3).unwrap());
        drop((dying, transaction));
        match round {
            0 => other.lock_record(3).unwrap(),
            1 => assert!(other.try_lock_record(3).unwrap()),
            2 => other.lock_table().unwrap(),
            _ => drop(other.update(3, &[(1, ValueRef::Integer(7))]).unwrap()),
        }
        let mut wanted = before.clone();
        if round == 3 {
            wanted[2].1[1] = Value::Decimal(mainstay_types::Decimal::new(700, 2));
        }
        assert!(state(&mut other) == wanted && !has_journals(&*fs), "round {round}");
        other.unlock().unwrap();
    }
    drop(other);
    compare(&fs, &path("a"), &[]).unwrap();
}

/// Leaves the change of another process's transaction in record 3, with only the lock of its journal left: the lock of
/// the record is lost first when a process is killed, and a process that undoes a transaction holds its journal, too.
fn dying(fs: &Arc<dyn FileSystem>, access: Access) -> Arc<dyn WritableFile> {
    let mut table = open(fs, &path("a"), access);
    let transaction = Transaction::begin(Arc::clone(fs));
    table.enlist(&transaction).unwrap();
    table.update(3, &[(0, ValueRef::Text("uncommitted"))]).unwrap();
    let journals = Path::new("shop/.mainstay-transactions");
    let journal = fs.read(&fs.list(journals).unwrap()[0].path).unwrap();
    let file = fs.create(&journals.join("0-0-0.undo"), Create::New).unwrap();
    assert!(file.try_share(LockMode::Exclusive).unwrap());
    file.write_at(&journal, 0).unwrap();
    transaction.commit(&mut [&mut table]).unwrap();
    file
}

/// A record whose lock could be had before its owner is dead is not had with what that one had not committed.
#[test]
fn who_gets_the_lock_of_one_who_is_dying_waits_until_its_change_is_undone() {
    let (fs, _) = shop(Format::FoxPro, BagKind::Cdx);
    let mut other = open(&fs, &path("a"), Access::Shared);
    let before = state(&mut other);
    let at_once = LockWait { timeout: Duration::ZERO, ..LockWait::default() };
    for round in 0..4 {
        let journal = dying(&fs, Access::Shared);
        assert!(!other.try_lock_record(3).unwrap() && other.try_lock_record(4).unwrap());
        assert!(!other.try_lock_table().unwrap() && other.is_locked(4) && !other.is_locked(3));
        other.unlock().unwrap();
        other.set_wait(at_once);
        assert_eq!(other.lock_record(3).unwrap_err().code(), Code::Busy);
        assert_eq!(other.lock_table().unwrap_err().code(), Code::Busy);
        assert_eq!(other.update(3, &[(1, ValueRef::Integer(7))]).unwrap_err().code(), Code::Busy);
        assert!(other.locked_records().is_empty() && !other.holds_table());
        other.set_wait(LockWait::default());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                drop(journal);
            });
            match round {
                0 => other.lock_record(3).unwrap(),
                1 => other.lock_table().unwrap(),
                2 => drop(other.update(3, &[(0, before[2].1[0].as_ref())]).unwrap()),
                _ => while !other.try_lock_record(3).unwrap() {},
            }
        });
        assert!(state(&mut other) == before && !has_journals(&*fs), "round {round}");
        other.unlock().unwrap();
    }
    drop(other);
    compare(&fs, &path("a"), &[]).unwrap();
}

/// Changes that a transaction of another process rolled back to a savepoint are no longer locked by it.
#[test]
fn a_journal_that_was_cut_off_names_what_it_has_then() {
    let (fs, _) = shop(Format::FoxPro, BagKind::Cdx);
    let mut other = open(&fs, &path("a"), Access::Shared);
    let journal = dying(&fs, Access::Shared);
    assert!(!other.try_lock_record(3).unwrap());
    journal.set_len(16).unwrap();
    assert!(other.try_lock_record(3).unwrap());
}

/// The process that undoes a transaction may open the table exclusively, and a process that opens it then waits.
#[test]
fn who_opens_a_table_waits_until_it_is_undone() {
    let (fs, _) = shop(Format::FoxPro, BagKind::Cdx);
    for access in [Access::Shared, Access::Exclusive] {
        let journal = dying(&fs, Access::Exclusive);
        let alone = fs.create(&path("a"), Create::Existing).unwrap();
        assert!(alone.try_share(LockMode::Exclusive).unwrap());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                drop(alone);
                drop(journal);
            });
            let how = WriteOptions { open_timeout: Some(Duration::ZERO), ..options(access) };
            IndexedTable::open(Arc::clone(&fs), &path("a"), how).unwrap();
        });
        IndexedTable::open(Arc::clone(&fs), &path("a"), options(access)).unwrap();
        assert!(!has_journals(&*fs));
    }
    // Without a transaction to undo, there is no wait.
    let _alone = open(&fs, &path("a"), Access::Exclusive);
    let how = WriteOptions { open_timeout: Some(Duration::ZERO), ..options(Access::Shared) };
    let begun = std::time::Instant::now();
    assert_eq!(IndexedTable::open(Arc::clone(&fs), &path("a"), how).unwrap_err().code(), Code::Busy);
    assert!(begun.elapsed() < Duration::from_secs(2));
}

/// While there never was a transaction in a folder, a lock asks whether something has come into it, and notices the first
/// transaction that is cut off.
#[test]
fn who_has_locked_often_sees_the_first_transaction_that_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let path = folder.path().join("a.dbf");
    create(&fs, &path, &table_spec(Format::FoxPro));
    let mut table = open(&fs, &path, Access::Exclusive);
    (0..5).for_each(|seed| assert_eq!(table.append(&refs(&values(seed))).unwrap(), seed + 1));
    table.close().unwrap();
    let mut other = open(&fs, &path, Access::Shared);
    let before = state(&mut other);
    for _ in 0..4 {
        // From when the folder's time is old enough to tell something.
        std::thread::sleep(Duration::from_millis(40));
        for _ in 0..40 {
            other.lock_record(3).unwrap();
            other.unlock().unwrap();
        }
    }
    let mut dying = open(&fs, &path, Access::Shared);
    let transaction = Transaction::begin(Arc::clone(&fs));
    dying.enlist(&transaction).unwrap();
    dying.update(3, &[(0, ValueRef::Text("uncommitted"))]).unwrap();
    drop((dying, transaction));
    assert!(folder.path().join(".mainstay-transactions").read_dir().unwrap().count() > 0);
    other.lock_record(3).unwrap();
    assert!(state(&mut other) == before);
}

const SUM: i64 = 10_000;

#[test]
#[ignore = "a process of processes_that_are_killed_lose_no_money, which starts it"]
fn a_process_that_moves_money() {
    let Ok(folder) = std::env::var("MAINSTAY_TEST_FOLDER") else { return };
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let folder = PathBuf::from(folder);
    let mut tables: Vec<IndexedTable> =
        ["a", "b"].map(|name| open(&fs, &folder.join(name).with_extension("dbf"), Access::Shared)).into();
    let mut seed = u64::from(std::process::id());
    loop {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let transaction = Transaction::begin(Arc::clone(&fs));
        let (record, amount) = (1 + seed % 20, (seed >> 40) as i64 % 50);
        for (table, sign) in tables.iter_mut().zip([-1, 1]) {
            table.enlist(&transaction).unwrap();
            let mut bytes = Vec::new();
            table.lock_record(record).unwrap();
            table.read(record, &mut bytes).unwrap();
            let held = table.value(0, &bytes).unwrap().as_f64().unwrap() as i64;
            let note = "n".repeat(amount as usize * 9);
            table.update(record, &[(0, ValueRef::Integer(held + sign * amount)), (1, ValueRef::Text(&note))]).unwrap();
            table.unlock_record(record).unwrap();
            table.append(&[ValueRef::Integer(0), ValueRef::Text("moved")]).unwrap();
        }
        let mut all: Vec<&mut IndexedTable> = tables.iter_mut().collect();
        if seed >> 60 == 0 {
            transaction.rollback(&mut all).unwrap();
        } else {
            transaction.commit(&mut all).unwrap();
        }
    }
}

#[test]
fn processes_that_are_killed_lose_no_money() {
    let folder = tempfile::tempdir().unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let spec =
        TableSpec::new(Format::FoxPro, vec![FieldSpec::new("held", b'N', 10, 0), FieldSpec::new("note", b'M', 0, 0)]);
    let paths = ["a", "b"].map(|name| folder.path().join(name).with_extension("dbf"));
    for path in &paths {
        create(&fs, path, &spec);
        let mut table = open(&fs, path, Access::Exclusive);
        index(&mut table, BagKind::Cdx, &[IndexSpec::new("HELD", "HELD"), IndexSpec::new("NUMBER", "STR(RECNO())")]);
        for _ in 0..20 {
            table.append(&[ValueRef::Integer(SUM), ValueRef::Text("")]).unwrap();
        }
        table.close().unwrap();
    }
    let mut cut_off = 0;
    let start = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "--nocapture", "a_process_that_moves_money"]);
        command.env("MAINSTAY_TEST_FOLDER", folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    for round in 0..12u64 {
        // The second goes on for a while beside what the first has left.
        let mut processes = vec![start(), start()];
        for process in &mut processes {
            std::thread::sleep(Duration::from_millis(40 + round * 7));
            process.kill().unwrap();
            process.wait().unwrap();
        }
        let journals = folder.path().join(".mainstay-transactions");
        cut_off += fs.list(&journals).map_or(0, |entries| entries.len());
        let mut sum = 0;
        for path in &paths {
            let mut table = open(&fs, path, Access::Shared);
            // An appended record that was undone and has others behind it is blank.
            sum += state(&mut table).iter().map(|(_, fields)| fields[0].as_f64().unwrap_or(0.0) as i64).sum::<i64>();
        }
        assert_eq!(sum, 40 * SUM, "round {round}");
        assert!(fs.list(&journals).is_ok_and(|entries| entries.is_empty()));
        for path in &paths {
            compare(&fs, path, &[]).unwrap_or_else(|complaint| panic!("round {round}: {complaint}"));
        }
    }
    assert!(cut_off > 0, "no process was killed within a transaction");
}
