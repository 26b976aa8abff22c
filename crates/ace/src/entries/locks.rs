//! Locks of records and tables.

use crate::border::*;

entries! {
    "locks";
    AdsGetAllLocks(table: Handle, locks: Out<u32>, array_len: Out<u16>);
    AdsGetNumLocks(table: Handle, count: Out<u16>);
    AdsIsRecordLocked(table: Handle, record: u32, locked: Out<u16>);
    AdsIsTableLocked(table: Handle, locked: Out<u16>);
    AdsLockRecord(table: Handle, record: u32);
    AdsLockRecordImplicitly(table: Handle, record: u32);
    AdsLockTable(table: Handle);
    AdsUnlockTable(table: Handle);
}
