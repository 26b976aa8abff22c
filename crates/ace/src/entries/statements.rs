//! SQL: statements, parameters, cursors.

use crate::border::*;

entries! {
    "statements";
    AdsClearSQLAbortFunc();
    AdsClearSQLParams(statement: Handle);
    AdsCloseCachedTrigStatements(connection: Handle, table_id: i32);
    AdsCloseSQLStatement(statement: Handle);
    AdsCreateSQLStatement(connection: Handle, statement: Out<Handle>);
    AdsExecuteSQL(statement: Handle, cursor: Out<Handle>);
    AdsExecuteSQLDirect(statement: Handle, sql: Text, cursor: Out<Handle>);
    AdsExecuteSQLDirectW(statement: Handle, sql: Wide, cursor: Out<Handle>);
    AdsGetKeyColumn(cursor: Handle, key_column: Buffer, length: Out<u16>);
    AdsGetNumParams(statement: Handle, num_params: Out<u16>);
    AdsGetPreparedFields(statement: Handle, buffer: Buffer, buffer_len: Out<u32>, options: u32);
    AdsGetSQLStatement(stmt: Handle, sql: Buffer, length: Out<u16>);
    AdsGetSQLStatementHandle(cursor: Handle, stmt: Out<Handle>);
    AdsGetSQLStmtParams(statement: Text);
    AdsPrepareSQL(statement: Handle, sql: Text);
    AdsPrepareSQLNow(statement: Handle, sql: Text, field_info: Buffer, field_info_len: Out<u16>);
    AdsPrepareSQLW(statement: Handle, sql: Wide);
    AdsRefreshView(cursor: Out<Handle>);
    AdsRemoveSQLComments(statement: Text);
    AdsSetSQLTimeout(object: Handle, timeout: u32);
    AdsSqlPeekStatement(cursor: Handle, is_live: Out<u8>);
    AdsStmtClearTablePasswords(statement: Handle);
    AdsStmtConstrainUpdates(statement: Handle, constrain: u16);
    AdsStmtDisableEncryption(statement: Handle);
    AdsStmtEnableEncryption(statement: Handle, password: Text);
    AdsStmtReadAllColumns(statement: Handle, read_columns: u16);
    AdsStmtSetTableCharType(statement: Handle, char_type: u16);
    AdsStmtSetTableCollation(statement: Handle, collation: Text);
    AdsStmtSetTableLockType(statement: Handle, lock_type: u16);
    AdsStmtSetTablePassword(statement: Handle, table_name: Text, password: Text);
    AdsStmtSetTableReadOnly(statement: Handle, read_only: u16);
    AdsStmtSetTableRights(statement: Handle, check_rights: u16);
    AdsStmtSetTableType(statement: Handle, table_type: u16);
    AdsVerifySQL(statement: Handle, sql: Text);
    AdsVerifySQLW(statement: Handle, sql: Wide);
}
