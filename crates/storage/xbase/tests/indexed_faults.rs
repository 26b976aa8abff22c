//! Failures while a table and its indexes are changed: every call of the file system fails once, files are found
//! in the middle of a replacement, and tables are encrypted.

mod indexed_common;

use indexed_common::{compare, create, index, open, options, refs, table_spec, tag_specs, values};
use mainstay_columnar::{Table, VectorCache};
use mainstay_types::{Code, Result, Value, ValueRef};
use mainstay_vfs::{Create, Fault, Faulty, FileSystem, Memory, Operation, Simulated, explore};
use mainstay_xbase::dbf::{Format, OpenOptions};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{self, Building, IndexedTable, Transaction};
use mainstay_xbase::table::DbfTable;
use mainstay_xbase::writer::Access;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

fn path() -> &'static Path {
    Path::new("shop/t.dbf")
}

fn prepared() -> Memory {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    create(&fs, path(), &table_spec(Format::FoxPro));
    let mut table = open(&fs, path(), Access::Exclusive);
    for seed in 0..40 {
        table.append(&refs(&values(seed))).unwrap();
    }
    index(&mut table, BagKind::Cdx, &tag_specs());
    table.close().unwrap();
    memory
}

fn change(table: &mut IndexedTable, step: u64) -> Result<()> {
    let new = values(step * 31 + 7);
    match step % 3 {
        0 => table.append(&refs(&new)).map(drop),
        1 => table.update(1 + step, &refs(&new).into_iter().enumerate().collect::<Vec<_>>()).map(drop),
        _ => table.delete(2 + step).map(drop),
    }
}

fn state(fs: &Arc<dyn FileSystem>) -> Vec<(bool, Vec<Value>)> {
    let mut table = open(fs, path(), Access::Shared);
    let mut bytes = Vec::new();
    (1..=table.count().unwrap())
        .map(|record| {
            table.read(record, &mut bytes).unwrap();
            (bytes[0] == b'*', (0..5).map(|field| table.value(field, &bytes).unwrap()).collect())
        })
        .collect()
}

const STEPS: u64 = 6;

/// The states after each step.
fn wanted() -> Vec<Vec<(bool, Vec<Value>)>> {
    let fs: Arc<dyn FileSystem> = Arc::new(prepared());
    let mut states = vec![state(&fs)];
    for step in 0..STEPS {
        change(&mut open(&fs, path(), Access::Shared), step).unwrap();
        states.push(state(&fs));
    }
    states
}

/// An error leaves the change done or not done, with its keys; or it says that the index is to be made anew.
#[test]
fn every_call_can_fail() {
    let states = wanted();
    for operation in [Operation::Write, Operation::Read, Operation::Sync, Operation::Create] {
        let counting = Faulty::counting(prepared());
        let work = |fs: Arc<dyn FileSystem>| -> (usize, Option<mainstay_types::Error>) {
            let mut done = 0;
            let run = || -> Result<()> {
                let mut table = IndexedTable::open(fs, path(), options(Access::Shared))?;
                for step in 0..STEPS {
                    change(&mut table, step)?;
                    done += 1;
                }
                table.close()
            };
            let error = run().err();
            (done, error)
        };
        assert!(work(Arc::new(counting.clone())).1.is_none());
        for call in 0..counting.calls(operation) {
            let memory = prepared();
            let faulty = Faulty::failing(memory.clone(), operation, call, Fault::Error);
            let (done, error) = work(Arc::new(faulty));
            let fs: Arc<dyn FileSystem> = Arc::new(memory);
            let what = format!("{operation:?} {call}: {done} done, {error:?}");
            if let Err(complaint) = compare(&fs, path(), &[]) {
                let told = error.and_then(|error| error.hint_text().map(|hint| hint.contains("reindex")));
                assert_eq!(told, Some(true), "{what}: {complaint}");
                let mut table = open(&fs, path(), Access::Exclusive);
                table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap();
                table.close().unwrap();
                compare(&fs, path(), &[]).unwrap_or_else(|complaint| panic!("{what}: reindexed, {complaint}"));
            }
            let found = state(&fs);
            assert!(found == states[done] || Some(&found) == states.get(done + 1), "{what}");
        }
    }
}

/// The same within a transaction that is rolled back after the error, by itself or by the next opening.
#[test]
fn every_call_of_a_transaction_can_fail() {
    let before = wanted()[0].clone();
    for operation in [Operation::Write, Operation::Read, Operation::Create, Operation::Remove] {
        let counting = Faulty::counting(prepared());
        let work = |fs: Arc<dyn FileSystem>| -> Result<()> {
            let mut table = IndexedTable::open(Arc::clone(&fs), path(), options(Access::Shared))?;
            let transaction = Transaction::begin(fs);
            table.enlist(&transaction)?;
            let changed = (0..STEPS).try_for_each(|step| change(&mut table, step));
            transaction.rollback(&mut [&mut table])?;
            changed
        };
        work(Arc::new(counting.clone())).unwrap();
        for call in 0..counting.calls(operation) {
            let memory = prepared();
            let faulty = Faulty::failing(memory.clone(), operation, call, Fault::Error);
            let _ = work(Arc::new(faulty));
            let fs: Arc<dyn FileSystem> = Arc::new(memory);
            assert!(state(&fs) == before, "{operation:?} {call}");
            if compare(&fs, path(), &[]).is_err() {
                let mut table = open(&fs, path(), Access::Exclusive);
                table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap();
            }
            compare(&fs, path(), &[]).unwrap_or_else(|complaint| panic!("{operation:?} {call}: {complaint}"));
        }
    }
}

/// A disk that is full from some write on: what a failed statement of a transaction has changed is undone, or the transaction
/// cannot be committed any more. Memo blocks that cannot be given back are no reason for that.
#[test]
fn a_commit_keeps_no_part_of_a_statement_that_failed() {
    let states = wanted();
    let (mut committed, mut refused) = (0, 0);
    for lasting in [false, true] {
        let counting = Faulty::counting(prepared());
        let work = |fs: Arc<dyn FileSystem>| -> Result<()> {
            let mut table = IndexedTable::open(Arc::clone(&fs), path(), options(Access::Shared))?;
            let transaction = Transaction::begin(fs);
            table.enlist(&transaction)?;
            change(&mut table, 0)?;
            let failed = table.atomically(|table| (1..STEPS).try_for_each(|step| change(table, step)));
            transaction.commit(&mut [&mut table])?;
            failed
        };
        work(Arc::new(counting.clone())).unwrap();
        for call in 0..counting.calls(Operation::Write) {
            let memory = prepared();
            let faulty = match lasting {
                true => Faulty::lasting(memory.clone(), Operation::Write, call, Fault::NoSpace),
                false => Faulty::failing(memory.clone(), Operation::Write, call, Fault::NoSpace),
            };
            let error = work(Arc::new(faulty)).err();
            refused += usize::from(error.as_ref().is_some_and(|error| error.code() == Code::TransactionState));
            let fs: Arc<dyn FileSystem> = Arc::new(memory);
            let found = state(&fs);
            committed += usize::from(found == states[1]);
            let is_whole = match error {
                Some(_) => found == states[0] || found == states[1],
                // Only blocks of old memos were not given back.
                None => Some(&found) == states.last(),
            };
            assert!(is_whole, "write {call}, lasting: {lasting}: {error:?}");
        }
    }
    assert!(committed > 5 && refused > 5, "{committed} {refused}");
}

/// A pack that is interrupted anywhere is finished, or was never begun, at the next opening of the table, even for
/// reading.
#[test]
fn a_pack_that_was_cut_off_is_finished_by_readers_and_writers_alike() {
    let work = |system: &Simulated| {
        let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
        let mut ready = false;
        let mut run = || -> Result<()> {
            system.create_folder(Path::new("shop"))?;
            mainstay_xbase::writer::create(system, path(), &table_spec(Format::FoxPro), &options(Access::Exclusive))?;
            let mut table = IndexedTable::open(Arc::clone(&fs), path(), options(Access::Exclusive))?;
            for spec in tag_specs() {
                table.create_index(None, BagKind::Cdx, &spec, Building::default())?;
            }
            for seed in 0..9 {
                table.append(&refs(&values(seed)))?;
            }
            table.delete(4)?;
            table.flush()?;
            ready = true;
            table.pack(&mut |_, _| ControlFlow::Continue(()))?;
            table.close()
        };
        let _ = run();
        ready
    };
    let check = |system: &Simulated, ready: &bool| -> std::result::Result<(), String> {
        if !ready {
            return Ok(());
        }
        let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
        let cache = VectorCache::new(1 << 20);
        let reader = DbfTable::open(Arc::clone(&fs), path(), "t", OpenOptions::default(), cache, &[]);
        let reader = reader.map_err(|error| error.to_string())?;
        let rows = reader.row_counts().map_err(|error| error.to_string())?;
        let notes = reader.snapshot().and_then(|snapshot| snapshot.fetch(&[0, 1, 2], &[4], false));
        notes.map_err(|error| error.to_string())?;
        if !reader.findings().is_empty() || rows != (8, 0) && rows != (8, 1) {
            return Err(format!("{rows:?} {:?}", reader.findings()));
        }
        drop(reader);
        let table = IndexedTable::open(Arc::clone(&fs), path(), options(Access::Shared));
        drop(table.map_err(|error| error.to_string())?);
        compare(&fs, path(), &[])
    };
    let states = explore(0..0, work, check).unwrap_or_else(|error| panic!("{error}"));
    assert!(states > 50, "{states}");
}

/// Table and index damaged all over: what can be kept is in new files, and agrees.
#[test]
fn a_damaged_table_is_repaired_into_new_files_with_its_indexes() {
    let mut kept = 0;
    for seed in 1..60usize {
        let memory = prepared();
        let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
        let mut table = open(&fs, path(), Access::Exclusive);
        let ntx = Path::new("shop/name.ntx");
        table.create_index(Some(ntx), BagKind::Ntx, &tag_specs()[0], Building::default()).unwrap();
        table.close().unwrap();
        // A page of the index, a record, and the count of the records.
        let cdx = Path::new("shop/t.cdx");
        let mut bytes = memory.read(cdx).unwrap();
        let at = 1024 + seed * 7919 % (bytes.len() - 1024);
        let end = bytes.len().min(at + 300);
        bytes[at..end].fill(0xEE);
        memory.write("shop/t.cdx", bytes);
        let mut bytes = memory.read(path()).unwrap();
        bytes[4] = 41;
        let at = 400 + seed * 31 % 900;
        bytes[at] ^= 0x11;
        memory.write("shop/t.dbf", bytes);
        let into = Path::new("shop/new.dbf");
        let how = options(Access::Exclusive);
        let repair = indexed::repair(&fs, path(), into, &how, &[ntx.to_owned()]).unwrap();
        let findings: Vec<_> = repair.findings().collect();
        assert!(!findings.is_empty());
        let new_ntx = Path::new("shop/new_name.ntx").to_owned();
        compare(&fs, into, &[new_ntx]).unwrap_or_else(|complaint| panic!("{seed}: {complaint}\n{findings:#?}"));
        let mut table = open(&fs, into, Access::Shared);
        assert_eq!(table.count().unwrap(), 40);
        let lost = tag_specs().len() - table.tags().len();
        let reported = findings.iter().filter(|finding| finding.path == cdx).count();
        assert!(lost == 0 || reported >= 1, "{seed}: {lost} tags are missing\n{findings:#?}");
        kept += usize::from(lost == 0);
    }
    assert!(kept > 20, "{kept}");
}

/// The MDX of a table of dBASE IV would not list what is written: nothing is, until the file is taken away.
#[test]
fn a_table_with_an_index_of_dbase_four_is_not_written_to() {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    create(&fs, path(), &table_spec(Format::FoxPro));
    let mut bytes = memory.read(path()).unwrap();
    bytes[28] |= 1;
    memory.write(path(), bytes.clone());
    memory.write("shop/T.MDX", vec![2; 1024]);
    for access in [Access::Shared, Access::Exclusive] {
        let error = IndexedTable::open(Arc::clone(&fs), path(), options(access)).unwrap_err();
        assert_eq!(error.code(), Code::Unsupported, "{error}");
        assert!(error.to_string().contains("T.MDX"), "{error}");
    }
    let findings = mainstay_xbase::table::check(&fs, path(), OpenOptions::default(), &[]);
    assert!(findings.iter().any(|found| found.path == Path::new("shop/T.MDX")), "{findings:?}");
    assert!(memory.read(path()).unwrap() == bytes);
    let cache = VectorCache::new(1 << 20);
    DbfTable::open(Arc::clone(&fs), path(), "t", OpenOptions::default(), cache, &[]).unwrap();
    fs.remove(Path::new("shop/T.MDX")).unwrap();
    open(&fs, path(), Access::Shared).append(&refs(&values(1))).unwrap();
}

#[test]
fn encrypted_tables_are_refused() {
    for (at, byte) in [(15, 1), (0, 0x06), (0, 0x86), (0, 0xE6), (0, 0xF6)] {
        let memory = prepared();
        let mut bytes = memory.read(path()).unwrap();
        bytes[at] = byte;
        memory.create(path(), Create::Existing).unwrap().write_at(&bytes[..32], 0).unwrap();
        let fs: Arc<dyn FileSystem> = Arc::new(memory);
        for access in [Access::Shared, Access::Exclusive] {
            let error = IndexedTable::open(Arc::clone(&fs), path(), options(access)).unwrap_err();
            assert_eq!(error.code(), Code::Encrypted, "{error}");
            assert!(error.hint_text().is_some());
        }
        let cache = VectorCache::new(1 << 20);
        let error = DbfTable::open(Arc::clone(&fs), path(), "t", OpenOptions::default(), cache, &[]).unwrap_err();
        assert_eq!(error.code(), Code::Encrypted);
        assert!(fs.read(path()).unwrap() == bytes);
    }
    // A value of bytes that only look encrypted is a value.
    let fs: Arc<dyn FileSystem> = Arc::new(prepared());
    open(&fs, path(), Access::Shared).append(&[ValueRef::Text("####")]).unwrap();
}
