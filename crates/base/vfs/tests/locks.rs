//! Locks of the operating system: between handles of one process, and their holders.

use mainstay_types::Code;
use mainstay_vfs::{ByteRange, Create, Disk, FileSystem, LockMode, Memory};
use std::path::Path;

/// The rules that hold on every file system.
fn handles_exclude_each_other(system: &dyn FileSystem, path: &Path) {
    assert_eq!(system.create(path, Create::Existing).unwrap_err().code(), Code::NotFound);
    let one = system.create(path, Create::New).unwrap();
    let two = system.create(path, Create::Existing).unwrap();
    let far = ByteRange { start: 0x7F00_0000_0000_0001, length: 3 };
    let last = ByteRange { start: far.start + 2, length: 1 };
    assert!(one.try_lock_range(far, LockMode::Exclusive).unwrap());
    assert!(!two.try_lock_range(last, LockMode::Exclusive).unwrap());
    let holder = two.range_holder(last, LockMode::Shared).unwrap().unwrap();
    assert_eq!((holder.range, holder.mode, holder.process), (far, LockMode::Exclusive, Some(std::process::id())));
    assert_eq!(one.range_holder(far, LockMode::Exclusive).unwrap(), None, "its own lock is nobody's in its way");
    // A handle that is closed takes no other handle's locks with it.
    drop(system.open(path).unwrap());
    drop(system.create(path, Create::Existing).unwrap());
    assert!(!two.try_lock_range(last, LockMode::Exclusive).unwrap());
    one.unlock_range(last).unwrap();
    assert!(two.try_lock_range(last, LockMode::Exclusive).unwrap());
    assert!(!two.try_lock_range(far, LockMode::Exclusive).unwrap(), "the rest is still held");
    assert!(one.try_share(LockMode::Shared).unwrap() && two.try_share(LockMode::Shared).unwrap());
    assert!(!two.try_share(LockMode::Exclusive).unwrap());
    drop(one);
    assert!(two.try_share(LockMode::Exclusive).unwrap());
    assert!(two.try_lock_range(far, LockMode::Exclusive).unwrap());
}

#[test]
fn handles_of_one_process_exclude_each_other_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dbf");
    handles_exclude_each_other(&Disk, &path);
    let beyond = ByteRange { start: u64::MAX - 5, length: 2 };
    let file = Disk.create(&path, Create::Existing).unwrap();
    let error = file.try_lock_range(beyond, LockMode::Shared).unwrap_err();
    assert!(error.place().is_some_and(|place| place.contains("a.dbf")), "{error}");
}

#[test]
fn handles_of_one_process_exclude_each_other_in_memory() {
    handles_exclude_each_other(&Memory::new(), Path::new("a.dbf"));
    handles_exclude_each_other(&mainstay_vfs::Simulated::new(), Path::new("a.dbf"));
}
