//! Transactions and savepoints.

use crate::border::*;

entries! {
    "transactions";
    AdsBeginTransaction(connection: Handle);
    AdsCommitTransaction(connection: Handle);
    AdsCreateSavepoint(connection: Handle, savepoint: Text, options: u32);
    AdsFailedTransactionRecovery(server: Text);
    AdsGetTransactionCount(connection: Handle, count: Out<u32>);
    AdsInTransaction(connection: Handle, in_trans: Out<u16>);
    AdsIsTableTransactionFree(table: Handle, trans_free: Out<u16>);
    AdsRollbackTransaction(connection: Handle);
    AdsRollbackTransaction80(connection: Handle, savepoint: Text, options: u32);
    AdsSetTableTransactionFree(table: Handle, trans_free: u16);
}
