//! The decoded columns of a table that is written to: those of a state without readers are freed.

use mainstay_columnar::{Table, VectorCache};
use mainstay_types::ValueRef;
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::dbf::{FieldSpec, Format, OpenOptions, TableSpec};
use mainstay_xbase::table::DbfTable;
use mainstay_xbase::writer::{self, Access, TableWriter, WriteOptions};
use std::sync::Arc;

#[test]
fn only_the_vectors_of_the_last_state_and_of_those_that_are_read_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dbf");
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let options = WriteOptions::new(Access::Exclusive);
    let fields = vec![FieldSpec::new("ID", b'C', 12, 0), FieldSpec::new("N", b'N', 10, 0)];
    writer::create(&*fs, &path, &TableSpec::new(Format::FoxPro, fields), &options).unwrap();
    let mut writer = TableWriter::open(Arc::clone(&fs), &path, options).unwrap();
    for number in 0..5_000 {
        writer.append(&[ValueRef::Text("k"), ValueRef::Integer(number)]).unwrap();
    }
    writer.close().unwrap();
    let cache = VectorCache::new(1 << 30);
    let table = DbfTable::open(Arc::clone(&fs), &path, "t", OpenOptions::default(), cache.clone(), &[]).unwrap();
    let read = || {
        let snapshot = table.snapshot().unwrap();
        for column in 0..2 {
            snapshot.vectors(0, &[column]).unwrap();
        }
        snapshot
    };
    let held = read();
    let one = cache.bytes();
    assert!(one > 5_000 * 20, "{one}");
    for turn in 0..20 {
        let mut writer = TableWriter::open(Arc::clone(&fs), &path, WriteOptions::new(Access::Shared)).unwrap();
        writer.update(7, &[(1, ValueRef::Integer(turn))]).unwrap();
        writer.close().unwrap();
        drop(read());
        assert!(cache.bytes() <= 2 * one + one / 8, "turn {turn}: {} bytes for two states of {one}", cache.bytes());
    }
    // Values that the statement of the first state reads again are in the cache.
    assert!(held.vectors(0, &[1]).is_ok());
    drop(held);
    assert!(cache.bytes() <= one + one / 8, "{} bytes for one state of {one}", cache.bytes());
}

/// Groups are decoded by several threads, and one may overtake the other.
#[test]
#[allow(clippy::disallowed_methods)]
fn what_is_wrong_with_records_is_told_in_their_order_whichever_group_is_decoded_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dbf");
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let options = WriteOptions::new(Access::Exclusive);
    let fields = vec![FieldSpec::new("N", b'N', 4, 0)];
    writer::create(&*fs, &path, &TableSpec::new(Format::FoxPro, fields), &options).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes.truncate(header);
    let records = 70_000u32;
    bytes[4..8].copy_from_slice(&records.to_le_bytes());
    for record in 1..=records {
        bytes.extend_from_slice(if matches!(record, 3 | 69_999) { b" a\xB7?1" } else { b"   12" });
    }
    std::fs::write(&path, bytes).unwrap();
    let cache = VectorCache::new(1 << 30);
    let table = DbfTable::open(fs, &path, "t", OpenOptions::default(), cache, &[]).unwrap();
    let snapshot = table.snapshot().unwrap();
    for group in [1, 0] {
        snapshot.vectors(group, &[0]).unwrap();
    }
    let told = snapshot.notices();
    assert!(matches!(&told[..], [a, b] if a.contains("record 3,") && b.contains("record 69999,")), "{told:?}");
}
