//! Look-ups believe for a moment that an index file is as it was. Whatever another program does to it meanwhile, they find the
//! records: the pages that are in memory are those of the unchanged table, and what is read later is not mixed with them.

mod index_common;

use index_common::bytes;
use mainstay_base::Value;
use mainstay_table::{Access, Comparison, Predicate, RowSet, Table, VectorCache};
use mainstay_vfs::Memory;
use mainstay_xbase::dbf::OpenOptions;
use mainstay_xbase::table::DbfTable;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const INDEX: &str = "t11_bench100k.cdx";

fn access(table: &DbfTable, id: i64) -> Access {
    let predicate = Predicate::Compare { column: 0, op: Comparison::Equal, value: Value::Integer(id) };
    table.access(&predicate, false).unwrap()
}

/// The row slots that the index gives; `None` when it is not used.
fn found(table: &DbfTable, access: &Access) -> Option<Vec<u32>> {
    match table.snapshot().unwrap().rows(access, usize::MAX).unwrap()? {
        RowSet::List(rows) => Some(rows),
        RowSet::Bitmap(bits) => Some(bits.set_indices_u32().collect()),
    }
}

#[test]
fn pages_of_an_index_that_was_overwritten_are_not_mixed_with_those_before() {
    let memory = Memory::new();
    let sound = bytes(INDEX);
    memory.write("t.dbf", bytes("t11_bench100k.dbf"));
    memory.write(INDEX, sound.clone());
    let (cache, index) = (VectorCache::new(1 << 20), [PathBuf::from(INDEX)]);
    let files = Arc::new(memory.clone());
    let table = DbfTable::open(files, Path::new("t.dbf"), "t", OpenOptions::default(), cache, &index).unwrap();
    let near = access(&table, 50_000);
    let far = [10_000, 30_000, 70_000, 90_000].map(|id| access(&table, id));
    assert_eq!(found(&table, &near), Some(vec![49_999]));

    // Leaves in each other's places: no page is damaged, and keys are not where they are looked for.
    let leaves: Vec<usize> = (2..sound.len() / 512).filter(|page| sound[page * 512..][..2] == [2, 0]).collect();
    let mut mixed = sound.clone();
    for (to, from) in leaves.iter().zip(leaves.iter().cycle().skip(7)) {
        mixed[to * 512..][..512].copy_from_slice(&sound[from * 512..][..512]);
    }
    memory.write(INDEX, mixed);
    // Pages that are in memory may answer; pages of the new file must not.
    assert!(found(&table, &near).is_none_or(|rows| rows == [49_999]));
    for access in &far {
        assert_eq!(found(&table, access), None, "of other leaves");
    }
}
