//! Look-ups trust an index file for a short time without a check. Whatever another program does to it meanwhile, they
//! find the records: the pages in memory are those of the unchanged table, and later reads are not mixed with them.

mod index_common;

use index_common::bytes;
use mainstay_columnar::{Access, Comparison, Predicate, RowSet, Table, VectorCache};
use mainstay_types::Value;
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
    // The index has the table's name: a sample of its keys is compared, and most pages are not in memory.
    memory.write("t11_bench100k.dbf", bytes("t11_bench100k.dbf"));
    memory.write(INDEX, sound.clone());
    let (cache, index) = (VectorCache::new(1 << 20), [PathBuf::from(INDEX)]);
    let files = Arc::new(memory.clone());
    let table =
        DbfTable::open(files, Path::new("t11_bench100k.dbf"), "t", OpenOptions::default(), cache, &index).unwrap();
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

/// The benchmark's table with 50 other IDs, none of them in a record of a sample.
fn with_other_ids() -> Vec<u8> {
    let mut table = bytes("t11_bench100k.dbf");
    let length = |at: usize| usize::from(u16::from_le_bytes([table[at], table[at + 1]]));
    let (header, record) = (length(8), length(10));
    for other in 0..50 {
        let start = header + (40_000 + other * 37 - 1) * record;
        table[start + 1..start + 9].copy_from_slice(format!("{:8}", 900_000 + other).as_bytes());
    }
    table
}

/// Returns true if the index is used for the table, which has the record looked for only if it was changed.
fn is_used(memory: &Memory, table: &str, index: &str) -> bool {
    let (cache, indexes) = (VectorCache::new(1 << 20), [PathBuf::from(index)]);
    let files = Arc::new(memory.clone());
    let table = DbfTable::open(files, Path::new(table), "t", OpenOptions::default(), cache, &indexes).unwrap();
    let predicate = Predicate::Compare { column: 0, op: Comparison::GreaterOrEqual, value: Value::Integer(900_000) };
    table.access(&predicate, false).is_some()
}

#[test]
fn an_index_of_another_table_is_not_believed_by_a_sample() {
    const INDEX: &str = "t11_bench100k_id.ntx";
    let memory = Memory::new();
    memory.write("t11_bench100k.dbf", bytes("t11_bench100k.dbf"));
    memory.write("copy.dbf", bytes("t11_bench100k.dbf"));
    // The index is named for one of them as well, and for another table rather.
    memory.write("archive.dbf", with_other_ids());
    memory.write("t11.dbf", with_other_ids());
    memory.write(INDEX, bytes(INDEX));
    assert!(is_used(&memory, "t11_bench100k.dbf", INDEX));
    assert!(is_used(&memory, "copy.dbf", INDEX), "all keys are those of its records");
    assert!(!is_used(&memory, "archive.dbf", INDEX));
    assert!(!is_used(&memory, "t11.dbf", INDEX));
}

#[test]
fn an_index_that_is_older_than_its_table_is_not_believed_by_a_sample() {
    let memory = Memory::new();
    memory.write(INDEX, bytes(INDEX));
    // The clock of this file system ticks once a second, and at every write.
    let write = |content: Vec<u8>| (0..3).for_each(|_| memory.write("t11_bench100k.dbf", content.clone()));
    write(bytes("t11_bench100k.dbf"));
    assert!(is_used(&memory, "t11_bench100k.dbf", INDEX), "no key was changed");
    write(with_other_ids());
    assert!(!is_used(&memory, "t11_bench100k.dbf", INDEX));
}
