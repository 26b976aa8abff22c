//! Appending, writing, deleting and recalling records; copying and rebuilding tables.

use crate::border::*;
use crate::calls::{expressions, tables};

entries! {
    "records";
    AdsAppendRecord(table: Handle);
    AdsCacheRecords(table: Handle, num_records: u16);
    AdsCancelUpdate(table: Handle);
    AdsCancelUpdate90(table: Handle, options: u32);
    AdsClearRecordBuffer(table: Handle, buffer: Text, length: u32);
    AdsCloneTable(table: Handle, clone: Out<Handle>);
    AdsConvertMillisecondsToString(mseconds: u32, time: Buffer, length: Out<u16>) = expressions::milliseconds_to_string;
    AdsConvertTable(object: Handle, filter_option: u16, file: Text, table_type: u16);
    AdsCopyTable(object: Handle, filter_option: u16, file: Text);
    AdsCopyTableContents(obj_from: Handle, table_to: Handle, filter_option: u16);
    AdsCopyTableStructure(table: Handle, file: Text);
    AdsCopyTableStructure81(table: Handle, file: Text, options: u32);
    AdsCopyTableTop(object: Handle, dest_tbl: Handle, num_top_records: u32);
    AdsDeleteRecord(table: Handle);
    AdsDeleteTable(table: Handle);
    AdsDisableAutoIncEnforcement(connection: Handle);
    AdsEnableAutoIncEnforcement(connection: Handle);
    AdsGetLastAutoinc(object: Handle, auto_inc_val: Out<u32>);
    AdsGetLastTableUpdate(table: Handle, date: Buffer, date_len: Out<u16>) = tables::last_update;
    AdsGetNullRecord(table: Handle, buffer: Buffer, length: u32);
    AdsGetRecord(table: Handle, record: Buffer, length: Out<u32>);
    AdsGetRecordCRC(table: Handle, crc: Out<u32>, options: u32);
    AdsGetRecordLength(table: Handle, length: Out<u32>) = tables::record_length;
    AdsGetRecordPointer(object: Handle, record: Out<Handle>, length: Out<u32>);
    AdsIsRecordDeleted(table: Handle, deleted: Out<u16>);
    AdsPackTable(table: Handle);
    AdsRecallAllRecords(table: Handle);
    AdsRecallRecord(table: Handle);
    AdsRestructureTable(
        object: Handle, name: Text, password: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, add_fields: Text, delete_fields: Text, change_fields: Text
    );
    AdsRestructureTable90(
        object: Handle, name: Text, password: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, add_fields: Text, delete_fields: Text, change_fields: Text, collation: Text
    );
    AdsSetRecord(object: Handle, record: Buffer, length: u32);
    AdsSetRecordPartial(object: Handle, record: Text, length: u32);
    AdsUnlockRecord(table: Handle, record: u32);
    AdsWriteAllRecords();
    AdsWriteRecord(table: Handle);
    AdsZapTable(table: Handle);
}
