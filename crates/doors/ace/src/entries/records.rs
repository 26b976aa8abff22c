//! Appending, writing, deleting and recalling records; copying and rebuilding tables.

use crate::border::*;
use crate::calls::{expressions, locks, others, records, tables};

entries! {
    "records";
    AdsAppendRecord(table: Handle) = records::append;
    AdsCacheRecords(table: Handle, num_records: u16) = others::table_hint;
    AdsCancelUpdate(table: Handle) = records::cancel;
    AdsCancelUpdate90(table: Handle, options: u32) = records::cancel_90;
    AdsClearRecordBuffer(table: Handle, buffer: Buffer, length: u32) = others::blank;
    AdsCloneTable(table: Handle, clone: Out<Handle>) = others::clone_table;
    AdsConvertMillisecondsToString(mseconds: u32, time: Buffer, length: Out<u16>) = expressions::milliseconds_to_string;
    AdsConvertTable(object: Handle, filter_option: u16, file: Text, table_type: u16) = records::convert;
    AdsCopyTable(object: Handle, filter_option: u16, file: Text) = records::copy;
    AdsCopyTableContents(obj_from: Handle, table_to: Handle, filter_option: u16) = records::copy_contents;
    AdsCopyTableStructure(table: Handle, file: Text) = records::copy_structure;
    AdsCopyTableStructure81(table: Handle, file: Text, options: u32) = records::copy_structure_81;
    AdsCopyTableTop(object: Handle, dest_tbl: Handle, num_top_records: u32) = others::copy_top;
    AdsDeleteRecord(table: Handle) = records::delete;
    AdsDeleteTable(table: Handle) = others::delete_table;
    AdsDisableAutoIncEnforcement(connection: Handle) = others::count_freely;
    AdsEnableAutoIncEnforcement(connection: Handle) = others::count_alone;
    AdsGetLastAutoinc(object: Handle, auto_inc_val: Out<u32>) = records::last_counter;
    AdsGetLastTableUpdate(table: Handle, date: Buffer, date_len: Out<u16>) = tables::last_update;
    AdsGetNullRecord(table: Handle, buffer: Buffer, length: u32) = others::blank;
    AdsGetRecord(table: Handle, record: Buffer, length: Out<u32>) = records::get;
    AdsGetRecordCRC(table: Handle, crc: Out<u32>, options: u32) = others::record_sum;
    AdsGetRecordLength(table: Handle, length: Out<u32>) = tables::record_length;
    AdsGetRecordPointer(object: Handle, record: Out<Handle>, length: Out<u32>);
    AdsIsRecordDeleted(table: Handle, deleted: Out<u16>) = records::is_deleted;
    AdsPackTable(table: Handle) = records::pack;
    AdsRecallAllRecords(table: Handle) = records::recall_all;
    AdsRecallRecord(table: Handle) = records::recall;
    AdsRestructureTable(
        object: Handle, name: Text, password: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, add_fields: Text, delete_fields: Text, change_fields: Text
    ) = records::restructure;
    AdsRestructureTable90(
        object: Handle, name: Text, password: Text, table_type: u16, char_type: u16, lock_type: u16,
        check_rights: u16, add_fields: Text, delete_fields: Text, change_fields: Text, collation: Text
    ) = records::restructure_90;
    AdsSetRecord(object: Handle, record: Buffer, length: u32) = records::set;
    AdsSetRecordPartial(object: Handle, record: Buffer, length: u32) = records::set_partial;
    AdsUnlockRecord(table: Handle, record: u32) = locks::unlock_record;
    AdsWriteAllRecords() = records::write_all;
    AdsWriteRecord(table: Handle) = records::write;
    AdsZapTable(table: Handle) = records::zap;
}
