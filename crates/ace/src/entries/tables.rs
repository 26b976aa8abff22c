//! Opening, creating and closing tables, and what they are.

use crate::border::*;

entries! {
    "tables";
    AdsCloseAllTables();
    AdsCloseCachedTables(connection: Handle);
    AdsCloseTable(table: Handle);
    AdsCreateMemTable(
        connection: Handle, name: Text, table_type: u16, char_type: u16, fields: Text, size: u32, table: Out<Handle>
    );
    AdsCreateMemTable90(
        connection: Handle, name: Text, table_type: u16, char_type: u16, fields: Text, size: u32, collation: Text,
        table: Out<Handle>
    );
    AdsCreateTable(
        connection: Handle, name: Text, alias: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, memo_size: u16, fields: Text, table: Out<Handle>
    );
    AdsCreateTable71(
        connection: Handle, name: Text, dbobj_name: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, memo_size: u16, fields: Text, options: u32, table: Out<Handle>
    );
    AdsCreateTable90(
        connection: Handle, name: Text, dbobj_name: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, memo_size: u16, fields: Text, options: u32, collation: Text, table: Out<Handle>
    );
    AdsGetAllTables(tables: Out<Handle>, array_len: Out<u16>);
    AdsGetNumOpenTables(count: Out<u16>);
    AdsGetTableAlias(table: Handle, alias: Buffer, length: Out<u16>);
    AdsGetTableCharType(table: Handle, char_type: Out<u16>);
    AdsGetTableCollation(table: Handle, collation: Buffer, length: Out<u16>);
    AdsGetTableFilename(table: Handle, option: u16, name: Buffer, length: Out<u16>);
    AdsGetTableHandle(name: Text, table: Out<Handle>);
    AdsGetTableHandle25(connection: Handle, name: Text, table: Out<Handle>);
    AdsGetTableLockType(table: Handle, lock_type: Out<u16>);
    AdsGetTableMemoSize(table: Handle, memo_size: Out<u16>);
    AdsGetTableOpenOptions(table: Handle, options: Out<u32>);
    AdsGetTableRights(table: Handle, rights: Out<u16>);
    AdsGetTableType(table: Handle, kind: Out<u16>);
    AdsGetTableWAN(table: Handle, wan: Out<u16>);
    AdsInternalCloseCachedTables(connection: Handle, open: u16);
    AdsOpenTable(
        connection: Handle, name: Text, alias: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, options: u32, table: Out<Handle>
    );
    AdsOpenTable101(connection: Handle, name: Text, table: Out<Handle>);
    AdsOpenTable90(
        connection: Handle, name: Text, alias: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, options: u32, collation: Text, table: Out<Handle>
    );
    AdsSetBaseTableAccess(table: Handle, access_base: u16);
    AdsSetTableCharType(table: Handle, char_type: u16);
}
