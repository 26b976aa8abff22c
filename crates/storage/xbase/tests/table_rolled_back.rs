//! A statement that has counted the records sees those that are rolled back meanwhile, which shortens the file, as
//! deleted.

mod indexed_common;

use indexed_common::{create, index, open, refs, table_spec, tag_specs, values};
use mainstay_columnar::{Comparison, Predicate, Snapshot, Table, VectorCache};
use mainstay_types::Value;
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::dbf::{Format, OpenOptions};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::Transaction;
use mainstay_xbase::table::DbfTable;
use mainstay_xbase::writer::Access;
use std::path::Path;
use std::sync::Arc;

const RECORDS: usize = 25;

/// A way to read, by its name: it counts the records that it can see.
type Way = (&'static str, fn(&dyn Snapshot) -> usize);

/// All ways to read that a statement has.
fn ways() -> Vec<Way> {
    fn seen(visible: Option<arrow_buffer::BooleanBuffer>, all: usize) -> usize {
        visible.map_or(all, |visible| visible.count_set_bits())
    }
    vec![
        ("count", |state| state.visible_rows().unwrap()),
        ("groups", |state| {
            assert_eq!(state.vectors(0, &[0, 1, 2]).unwrap()[0].len(), state.slots());
            seen(state.visible(0).unwrap(), state.slots())
        }),
        ("run", |state| seen(state.run(0..state.slots(), &[0, 1, 2]).unwrap().1, state.slots())),
        ("one by one", |state| {
            let one = |row| state.fetch(&[row], &[0, 1, 2], true).unwrap().1.len();
            (0..state.slots() as u32).map(one).sum()
        }),
        ("few", |state| {
            let rows: Vec<u32> = (20..state.slots() as u32).collect();
            20 + state.fetch(&rows, &[0, 1, 2], true).unwrap().1.len()
        }),
    ]
}

#[test]
fn records_whose_appending_is_rolled_back_are_deleted_for_who_has_counted_them() {
    for (name, read) in ways() {
        let fs: Arc<dyn FileSystem> = Arc::new(Memory::new());
        let path = Path::new("t.dbf");
        create(&fs, path, &table_spec(Format::FoxPro));
        let mut writer = open(&fs, path, Access::Exclusive);
        (0..RECORDS as u64).for_each(|seed| assert_eq!(writer.append(&refs(&values(seed))).unwrap(), seed + 1));
        let files = index(&mut writer, BagKind::Cdx, &tag_specs());
        writer.close().unwrap();
        let mut writer = open(&fs, path, Access::Shared);
        let transaction = Transaction::begin(Arc::clone(&fs));
        writer.enlist(&transaction).unwrap();
        for seed in 100..103 {
            writer.append(&refs(&values(seed))).unwrap();
        }
        let cache = VectorCache::new(1 << 20);
        let table = DbfTable::open(Arc::clone(&fs), path, "t", OpenOptions::default(), cache, &files).unwrap();
        let state = table.snapshot().unwrap();
        assert_eq!(state.slots(), RECORDS + 3);
        transaction.rollback(&mut [&mut writer]).unwrap();
        assert_eq!(read(&*state), RECORDS, "{name}");
        assert!(state.notices().is_empty(), "{name}: {:?}", state.notices());
        // An index is looked at beside records that are not there any more.
        let wanted = Predicate::Compare { column: 0, op: Comparison::Equal, value: Value::Text("no such".into()) };
        if let Some(access) = table.access(&wanted, false) {
            state.rows(&access, usize::MAX).unwrap();
        }
        assert_eq!(table.snapshot().unwrap().slots(), RECORDS);
    }
}
