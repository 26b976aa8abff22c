//! Transactions and savepoints.

use crate::border::*;
use crate::calls::{others, transactions};

entries! {
    "transactions";
    AdsBeginTransaction(connection: Handle) = transactions::begin;
    AdsCommitTransaction(connection: Handle) = transactions::commit;
    AdsCreateSavepoint(connection: Handle, savepoint: Text, options: u32) = transactions::savepoint;
    AdsFailedTransactionRecovery(server: Text) = transactions::recover;
    AdsGetTransactionCount(connection: Handle, count: Out<u32>) = transactions::count;
    AdsInTransaction(connection: Handle, in_trans: Out<u16>) = transactions::is_open;
    AdsIsTableTransactionFree(table: Handle, trans_free: Out<u16>) = transactions::is_free;
    AdsRollbackTransaction(connection: Handle) = transactions::roll_back;
    AdsRollbackTransaction80(connection: Handle, savepoint: Text, options: u32) = transactions::roll_back_80;
    AdsSetTableTransactionFree(table: Handle, trans_free: u16) = others::transaction_free;
}
