//! Locks that the handles and the statements of one connection share, and no other connection.

#![cfg(target_os = "linux")]

use mainstay_types::ValueRef;
use mainstay_vfs::Disk;
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::lock::{LockSharing, LockWait, Sharer};
use mainstay_xbase::writer::{self, Access, TableWriter, WriteOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn options(access: Access) -> WriteOptions {
    let wait = LockWait { timeout: Duration::ZERO, interval: Duration::from_millis(1) };
    WriteOptions { wait, ..WriteOptions::new(access) }
}

fn open(path: &Path, of: Option<(&LockSharing, Sharer)>) -> TableWriter {
    let _sharing = of.map(|(connection, sharer)| connection.enter(sharer));
    TableWriter::open(Arc::new(Disk), path, options(Access::Shared)).unwrap()
}

/// A table of ten records, with two handles and two statements of a connection, and another's handle.
struct Everybody {
    _folder: tempfile::TempDir,
    connection: LockSharing,
    handle: TableWriter,
    second: TableWriter,
    statement: TableWriter,
    later: TableWriter,
    other: TableWriter,
}

fn everybody() -> Everybody {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.dbf");
    let spec = TableSpec::new(Format::FoxPro, vec![FieldSpec::new("id", b'N', 8, 0)]);
    writer::create(&Disk, &path, &spec, &options(Access::Exclusive)).unwrap();
    let mut table = TableWriter::open(Arc::new(Disk), &path, options(Access::Exclusive)).unwrap();
    for id in 1..=10 {
        table.append(&[ValueRef::Integer(id)]).unwrap();
    }
    table.close().unwrap();
    let connection = LockSharing::default();
    let of = |sharer| open(&path, Some((&connection, sharer)));
    Everybody {
        handle: of(Sharer::Handle),
        second: of(Sharer::Handle),
        statement: of(Sharer::Statement),
        later: of(Sharer::Statement),
        other: open(&path, Some((&LockSharing::default(), Sharer::Handle))),
        connection,
        _folder: folder,
    }
}

#[test]
fn a_record_is_free_when_the_last_has_given_it_back() {
    let mut all = everybody();
    assert!(all.handle.try_lock_record(3).unwrap());
    assert!(all.statement.try_lock_record(3).unwrap() && all.later.try_lock_record(3).unwrap());
    assert!(!all.second.try_lock_record(3).unwrap(), "handles exclude each other");
    assert!(!all.other.try_lock_record(3).unwrap());
    all.handle.unlock_record(3).unwrap();
    all.later.unlock().unwrap();
    assert!(!all.other.try_lock_record(3).unwrap(), "the statement has it");
    assert!(all.second.try_lock_record(3).unwrap(), "and shares it with one handle");
    assert!(!all.handle.try_lock_record(3).unwrap());
    drop(all.statement);
    assert!(!all.other.try_lock_record(3).unwrap());
    drop(all.second);
    assert!(all.other.try_lock_record(3).unwrap());
}

#[test]
fn who_has_the_table_has_its_records() {
    let mut all = everybody();
    assert!(all.handle.try_lock_table().unwrap());
    assert!(all.statement.try_lock_record(5).unwrap());
    assert!(all.statement.append(&[ValueRef::Integer(11)]).is_ok());
    assert!(all.other.append(&[ValueRef::Integer(12)]).is_err() && !all.other.try_lock_record(1).unwrap());
    all.handle.unlock().unwrap();
    assert!(!all.other.try_lock_record(5).unwrap(), "the statement's record keeps the table");
    all.statement.unlock().unwrap();
    assert!(all.other.try_lock_table().unwrap());
    all.other.unlock().unwrap();
    // Bytes that another holds, too, are not given back with the table's: it is not locked then.
    assert!(all.statement.try_lock_record(5).unwrap() && all.handle.try_lock_record(5).unwrap());
    assert!(!all.statement.try_lock_table().unwrap() && !all.handle.try_lock_table().unwrap());
    all.handle.unlock().unwrap();
    assert!(all.statement.try_lock_table().unwrap());
    all.statement.unlock().unwrap();
    assert!(all.other.try_lock_record(5).unwrap());
}

#[test]
fn while_a_handle_writes_statements_are_as_others() {
    let mut all = everybody();
    assert!(all.handle.try_lock_record(7).unwrap());
    let paused = all.connection.pause();
    assert!(!all.statement.try_lock_record(7).unwrap() && all.statement.try_lock_record(8).unwrap());
    drop(paused);
    assert!(all.statement.try_lock_record(7).unwrap());
}
