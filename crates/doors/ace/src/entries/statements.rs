//! SQL: statements, parameters, cursors.

use crate::border::*;
use crate::calls::{collations, key_columns, sql_text, statements};

entries! {
    "statements";
    AdsClearSQLAbortFunc() = statements::no_abort_function;
    AdsClearSQLParams(statement: Handle) = statements::clear_parameters;
    AdsCloseCachedTrigStatements(connection: Handle, table_id: i32) = statements::no_trigger_statements;
    AdsCloseSQLStatement(statement: Handle) = statements::close;
    AdsCreateSQLStatement(connection: Handle, statement: Out<Handle>) = statements::create;
    AdsExecuteSQL(statement: Handle, cursor: Out<Handle>) = statements::execute;
    AdsExecuteSQLDirect(statement: Handle, sql: Text, cursor: Out<Handle>) = statements::execute_direct;
    AdsExecuteSQLDirectW(statement: Handle, sql: Wide, cursor: Out<Handle>) = statements::execute_direct_wide;
    AdsGetKeyColumn(cursor: Handle, key_column: Buffer, length: Out<u16>) = key_columns::get;
    AdsGetNumParams(statement: Handle, num_params: Out<u16>) = statements::parameter_count;
    AdsGetPreparedFields(statement: Handle, buffer: Buffer, buffer_len: Out<u32>, options: u32);
    AdsGetSQLStatement(stmt: Handle, sql: Buffer, length: Out<u16>) = statements::text;
    AdsGetSQLStatementHandle(cursor: Handle, stmt: Out<Handle>) = statements::of_cursor;
    AdsGetSQLStmtParams(statement: Text);
    AdsPrepareSQL(statement: Handle, sql: Text) = statements::prepare;
    AdsPrepareSQLNow(statement: Handle, sql: Text, field_info: Buffer, field_info_len: Out<u16>);
    AdsPrepareSQLW(statement: Handle, sql: Wide) = statements::prepare_wide;
    AdsRefreshView(cursor: Out<Handle>);
    AdsRemoveSQLComments(statement: Buffer) = sql_text::remove_comments;
    AdsSetSQLTimeout(object: Handle, timeout: u32) = statements::set_timeout;
    AdsSqlPeekStatement(cursor: Handle, is_live: Out<u8>) = statements::is_live;
    AdsStmtClearTablePasswords(statement: Handle) = statements::no_passwords;
    AdsStmtConstrainUpdates(statement: Handle, constrain: u16) = statements::hint;
    AdsStmtDisableEncryption(statement: Handle) = statements::no_passwords;
    AdsStmtEnableEncryption(statement: Handle, password: Text);
    AdsStmtReadAllColumns(statement: Handle, read_columns: u16) = statements::hint;
    AdsStmtSetTableCharType(statement: Handle, char_type: u16) = statements::hint;
    AdsStmtSetTableCollation(statement: Handle, collation: Text) = collations::set_for_statement;
    AdsStmtSetTableLockType(statement: Handle, lock_type: u16) = statements::hint;
    AdsStmtSetTablePassword(statement: Handle, table_name: Text, password: Text);
    AdsStmtSetTableReadOnly(statement: Handle, read_only: u16) = statements::set_read_only;
    AdsStmtSetTableRights(statement: Handle, check_rights: u16) = statements::hint;
    AdsStmtSetTableType(statement: Handle, table_type: u16) = statements::set_table_type;
    AdsVerifySQL(statement: Handle, sql: Text) = statements::verify;
    AdsVerifySQLW(statement: Handle, sql: Wide) = statements::verify_wide;
}
