//! Opening, creating and closing tables, and their properties.

use crate::border::*;
use crate::calls::{memos, others, tables};

entries! {
    "tables";
    AdsCloseAllTables() = tables::close_all;
    AdsCloseCachedTables(connection: Handle) = tables::close_cached;
    AdsCloseTable(table: Handle) = tables::close;
    AdsCreateMemTable(
        connection: Handle, name: Text, table_type: u16, char_type: u16, fields: Text, size: u32, table: Out<Handle>
    ) = others::memory_table;
    AdsCreateMemTable90(
        connection: Handle, name: Text, table_type: u16, char_type: u16, fields: Text, size: u32, collation: Text,
        table: Out<Handle>
    ) = others::memory_table_90;
    AdsCreateTable(
        connection: Handle, name: Text, alias: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, memo_size: u16, fields: Text, table: Out<Handle>
    ) = tables::create;
    AdsCreateTable71(
        connection: Handle, name: Text, dbobj_name: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, memo_size: u16, fields: Text, options: u32, table: Out<Handle>
    ) = tables::create_71;
    AdsCreateTable90(
        connection: Handle, name: Text, dbobj_name: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, memo_size: u16, fields: Text, options: u32, collation: Text, table: Out<Handle>
    ) = tables::create_90;
    AdsGetAllTables(tables: Out<Handle>, array_len: Out<u16>) = tables::all;
    AdsGetNumOpenTables(count: Out<u16>) = tables::count_open;
    AdsGetTableAlias(table: Handle, alias: Buffer, length: Out<u16>) = tables::alias;
    AdsGetTableCharType(table: Handle, char_type: Out<u16>) = tables::char_type;
    AdsGetTableCollation(table: Handle, collation: Buffer, length: Out<u16>) = tables::collation;
    AdsGetTableFilename(table: Handle, option: u16, name: Buffer, length: Out<u16>) = tables::file_name;
    AdsGetTableHandle(name: Text, table: Out<Handle>) = tables::by_alias;
    AdsGetTableHandle25(connection: Handle, name: Text, table: Out<Handle>) = tables::by_alias_of;
    AdsGetTableLockType(table: Handle, lock_type: Out<u16>) = tables::lock_type;
    AdsGetTableMemoSize(table: Handle, memo_size: Out<u16>) = memos::block_size;
    AdsGetTableOpenOptions(table: Handle, options: Out<u32>) = tables::open_options;
    AdsGetTableRights(table: Handle, rights: Out<u16>) = tables::rights;
    AdsGetTableType(table: Handle, kind: Out<u16>) = tables::kind;
    AdsGetTableWAN(table: Handle, wan: Out<u16>) = tables::is_far;
    AdsInternalCloseCachedTables(connection: Handle, open: u16) = others::connection_hint;
    AdsOpenTable(
        connection: Handle, name: Text, alias: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, options: u32, table: Out<Handle>
    ) = tables::open;
    AdsOpenTable101(connection: Handle, name: Text, table: Out<Handle>) = tables::open_101;
    AdsOpenTable90(
        connection: Handle, name: Text, alias: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, options: u32, collation: Text, table: Out<Handle>
    ) = tables::open_90;
    AdsSetBaseTableAccess(table: Handle, access_base: u16);
    AdsSetTableCharType(table: Handle, char_type: u16);
}
