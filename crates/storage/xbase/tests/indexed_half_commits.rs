//! A transaction over two tables whose commit fails on the way, in a file of the first, of the second, or of the journal:
//! the next opening of the tables finds both unchanged, or both changed.

mod indexed_common;

use indexed_common::{compare, create, index, open, options, refs, table_spec, tag_specs, values};
use mainstay_types::{Error, Result, Value};
use mainstay_vfs::{Fault, Faulty, FileSystem, Memory, Operation};
use mainstay_xbase::dbf::Format;
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{IndexedTable, Transaction};
use mainstay_xbase::writer::Access;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The rows of a table: whether each is deleted, and its values.
type Rows = Vec<(bool, Vec<Value>)>;

/// In two folders, so that each table has a link of its own to the journal.
fn paths() -> [PathBuf; 2] {
    ["orders/a.dbf", "stock/b.dbf"].map(PathBuf::from)
}

fn prepared() -> Memory {
    let memory = Memory::new();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    for path in paths() {
        memory.create_folder(path.parent().unwrap()).unwrap();
        create(&fs, &path, &table_spec(Format::FoxPro));
        let mut table = open(&fs, &path, Access::Exclusive);
        (0..20).for_each(|seed| table.append(&refs(&values(seed))).map(drop).unwrap());
        index(&mut table, BagKind::Cdx, &tag_specs());
        table.close().unwrap();
    }
    memory
}

fn rows(fs: &Arc<dyn FileSystem>, path: &Path) -> Rows {
    let mut table = open(fs, path, Access::Shared);
    let mut bytes = Vec::new();
    (1..=table.count().unwrap())
        .map(|record| {
            table.read(record, &mut bytes).unwrap();
            (bytes[0] == b'*', (0..5).map(|field| table.value(field, &bytes).unwrap()).collect())
        })
        .collect()
}

fn change(table: &mut IndexedTable, seed: u64) -> Result<()> {
    let new = values(seed);
    table.update(3, &refs(&new).into_iter().enumerate().collect::<Vec<_>>())?;
    table.delete(7)?;
    table.append(&refs(&values(seed + 1))).map(drop)
}

/// Changes both tables; the error of the commit, if it is that which fails. A program whose commit fails ends without
/// another call: the tables are closed as they are.
fn work(changing: Arc<dyn FileSystem>, access: Access, commits: impl FnOnce()) -> (Option<Error>, bool) {
    let [first, second] = paths();
    let mut a = IndexedTable::open(Arc::clone(&changing), &first, options(access)).unwrap();
    let mut b = IndexedTable::open(Arc::clone(&changing), &second, options(access)).unwrap();
    let transaction = Transaction::begin(changing);
    a.enlist(&transaction).unwrap();
    b.enlist(&transaction).unwrap();
    change(&mut a, 100).unwrap();
    change(&mut b, 200).unwrap();
    commits();
    let error = transaction.commit(&mut [&mut a, &mut b]).err();
    (error, transaction.is_ended())
}

fn is_sound(fs: &Arc<dyn FileSystem>, path: &Path, what: &str) {
    if compare(fs, path, &[]).is_err() {
        let mut table = open(fs, path, Access::Exclusive);
        table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap();
        table.close().unwrap();
    }
    compare(fs, path, &[]).unwrap_or_else(|complaint| panic!("{what}: {complaint}"));
}

#[test]
fn a_commit_that_fails_halfway_leaves_both_tables_as_before_or_both_changed() {
    let before: Arc<dyn FileSystem> = Arc::new(prepared());
    let before = paths().map(|path| rows(&before, &path));
    let after = prepared();
    assert!(work(Arc::new(after.clone()), Access::Shared, || ()).0.is_none());
    let after: Arc<dyn FileSystem> = Arc::new(after);
    let after = paths().map(|path| rows(&after, &path));
    let mut failed = 0;
    // One that has the tables alone writes more of it at the commit.
    let cases = [Access::Shared, Access::Exclusive].into_iter().flat_map(|access| {
        let operations = [Operation::Write, Operation::Sync, Operation::Remove, Operation::Read, Operation::Create];
        operations.map(|operation| (access, operation))
    });
    for (access, operation) in cases {
        let counting = Faulty::counting(prepared());
        let mut first = 0;
        assert!(work(Arc::new(counting.clone()), access, || first = counting.calls(operation)).0.is_none());
        for (call, lasts) in (first..counting.calls(operation)).flat_map(|call| [(call, false), (call, true)]) {
            let memory = prepared();
            let faulty = match lasts {
                false => Faulty::failing(memory.clone(), operation, call, Fault::Error),
                true => Faulty::lasting(memory.clone(), operation, call, Fault::Error),
            };
            let (error, is_ended) = work(Arc::new(faulty), access, || ());
            let fs: Arc<dyn FileSystem> = Arc::new(memory);
            let what = format!("{access:?}, {operation:?} {call} (goes on: {lasts}): {error:?}");
            let found = paths().map(|path| rows(&fs, &path));
            assert!(found == before || found == after, "{what}");
            // The reported result is the actual one.
            assert!(error.is_some() || found == after, "{what}");
            assert_eq!(is_ended, found == after, "{what}");
            paths().iter().for_each(|path| is_sound(&fs, path, &what));
            failed += usize::from(error.is_some());
        }
    }
    assert!(failed > 5, "{failed} commits failed");
}
