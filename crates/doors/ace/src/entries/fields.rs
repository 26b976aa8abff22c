//! Fields of the current record: their properties, their values, and setting values.

use crate::border::*;
use crate::calls::{fields, sets};

entries! {
    "fields";
    AdsAccessVfpSystemField(table: Handle, field: Field, buffer: Text, options: u32, flag: Out<u16>);
    AdsGetBaseFieldName(table: Handle, field_number: u16, name: Buffer, length: Out<u16>) = fields::name;
    AdsGetBaseFieldNum(cursor: Handle, column_name: Field, base_field_num: Out<u16>) = fields::field_number;
    AdsGetColumnPermissions(table: Handle, column_num: u16, permissions: Text);
    AdsGetDataLength(table: Handle, field: Field, options: u32, length: Out<u32>) = fields::data_length;
    AdsGetDate(table: Handle, field: Field, buffer: Buffer, length: Out<u16>) = fields::date;
    AdsGetDouble(table: Handle, field: Field, value: Out<f64>) = fields::double;
    AdsGetField(table: Handle, field: Field, buffer: Buffer, length: Out<u32>, option: u16) = fields::text;
    AdsGetFieldDecimals(table: Handle, field: Field, decimals: Out<u16>) = fields::decimals;
    AdsGetFieldLength(table: Handle, field: Field, length: Out<u32>) = fields::length;
    AdsGetFieldLength100(table: Handle, field: Field, options: u32, length: Out<u32>) = fields::length_100;
    AdsGetFieldName(table: Handle, field_number: u16, name: Buffer, length: Out<u16>) = fields::name;
    AdsGetFieldNum(table: Handle, field: Field, count: Out<u16>) = fields::field_number;
    AdsGetFieldOffset(table: Handle, field: Field, offset: Out<u32>) = fields::offset;
    AdsGetFieldRaw(table: Handle, field: Field, buffer: Buffer, length: Out<u32>) = fields::raw;
    AdsGetFieldType(table: Handle, field: Field, kind: Out<u16>) = fields::field_type;
    AdsGetFieldW(table: Handle, field: Field, buffer: WideBuffer, length: Out<u32>, option: u16) = fields::text_wide;
    AdsGetJulian(table: Handle, field: Field, date: Out<i32>) = fields::julian;
    AdsGetLogical(table: Handle, field: Field, value: Out<u16>) = fields::logical;
    AdsGetLong(table: Handle, field: Field, value: Out<i32>) = fields::long;
    AdsGetLongLong(table: Handle, field: Field, value: Out<i64>) = fields::long_long;
    AdsGetMilliseconds(table: Handle, field: Field, time: Out<i32>) = fields::milliseconds;
    AdsGetMoney(table: Handle, field: Field, value: Out<i64>) = fields::money;
    AdsGetNumFields(table: Handle, count: Out<u16>) = fields::count;
    AdsGetShort(table: Handle, field: Field, value: Out<i16>) = fields::short;
    AdsGetString(table: Handle, field: Field, buffer: Buffer, length: Out<u32>, option: u16) = fields::text;
    AdsGetStringW(table: Handle, field: Field, buffer: WideBuffer, length: Out<u32>, option: u16) = fields::text_wide;
    AdsGetTime(table: Handle, field: Field, buffer: Buffer, length: Out<u16>) = fields::time;
    AdsIsEmpty(table: Handle, field: Field, empty: Out<u16>) = fields::is_empty;
    AdsIsNull(table: Handle, field: Field, is_null: Out<u16>) = fields::is_null;
    AdsIsNullable(table: Handle, field: Field, nullable: Out<u16>) = fields::is_nullable;
    AdsSetDate(object: Handle, field: Field, value: Text, length: u16) = sets::date;
    AdsSetDouble(object: Handle, field: Field, value: f64) = sets::double;
    AdsSetEmpty(object: Handle, field: Field) = sets::empty;
    AdsSetField(object: Handle, field: Field, buffer: Text, length: u32) = sets::string;
    AdsSetFieldRaw(object: Handle, field: Field, buffer: Buffer, length: u32) = sets::raw;
    AdsSetFieldW(object: Handle, field: Field, text: Wide, length: u32) = sets::string_wide;
    AdsSetJulian(object: Handle, field: Field, date: i32) = sets::julian;
    AdsSetLogical(object: Handle, field: Field, value: u16) = sets::logical;
    AdsSetLong(object: Handle, field: Field, value: i32) = sets::long;
    AdsSetLongLong(object: Handle, field: Field, value: i64) = sets::long_long;
    AdsSetMilliseconds(object: Handle, field: Field, time: i32) = sets::milliseconds;
    AdsSetMoney(object: Handle, field: Field, value: i64) = sets::money;
    AdsSetNull(table: Handle, field: Field) = sets::null;
    AdsSetShort(object: Handle, field: Field, value: i16) = sets::short;
    AdsSetString(object: Handle, field: Field, buffer: Text, length: u32) = sets::string;
    AdsSetStringW(object: Handle, field: Field, text: Wide, length: u32) = sets::string_wide;
    AdsSetTime(object: Handle, field: Field, value: Text, length: u16) = sets::time;
    AdsSetTimeStamp(object: Handle, field: Field, buffer: Text, length: u32) = sets::moment;
    AdsSetTimeStampRaw(object: Handle, field: Field, buffer: Out<u64>, length: u32) = sets::moment_raw;
}
