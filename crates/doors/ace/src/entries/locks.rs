//! Locks of records and tables.

use crate::border::*;
use crate::calls::locks;

entries! {
    "locks";
    AdsGetAllLocks(table: Handle, locks: Out<u32>, array_len: Out<u16>) = locks::all;
    AdsGetNumLocks(table: Handle, count: Out<u16>) = locks::count;
    AdsIsRecordLocked(table: Handle, record: u32, locked: Out<u16>) = locks::is_record_locked;
    AdsIsTableLocked(table: Handle, locked: Out<u16>) = locks::is_table_locked;
    AdsLockRecord(table: Handle, record: u32) = locks::lock_record;
    AdsLockRecordImplicitly(table: Handle, record: u32) = locks::lock_record;
    AdsLockTable(table: Handle) = locks::lock_table;
    AdsUnlockTable(table: Handle) = locks::unlock_table;
}
