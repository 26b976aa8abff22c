//! Expressions, and conversions of texts, dates and times.

use crate::border::*;

entries! {
    "expressions";
    AdsConvertDateToJulian(connection: Handle, date: Text, length: u16, julian: Out<f64>);
    AdsConvertJulianToString(julian: f64, julian_out: Buffer, length: Out<u16>);
    AdsConvertStringToJulian(julian: Text, length: u16, julian_out: Out<f64>);
    AdsConvertStringToMilliseconds(time: Text, length: u16, mseconds: Out<u32>);
    AdsDBFDateToString(dbfdate: Text, formatted_date: Text);
    AdsEvalExpr(table: Handle, pcode: Text, result: Buffer, length: Out<u16>);
    AdsEvalLogicalExpr(table: Handle, expression: Text, result: Out<u16>);
    AdsEvalLogicalExprW(table: Handle, expression: Wide, result: Out<u16>);
    AdsEvalNumericExpr(table: Handle, expression: Text, result: Out<f64>);
    AdsEvalStringExpr(table: Handle, expression: Text, result: Buffer, length: Out<u16>);
    AdsEvalTestExpr(table: Handle, expression: Text, kind: Out<u16>);
    AdsExpressionLongToShort(table: Handle, long_expr: Text, short_expr: Buffer, buffer_len: Out<u16>);
    AdsExpressionLongToShort90(table: Handle, long_expr: Text, short_expr: Buffer, buffer_len: Out<u32>);
    AdsExpressionShortToLong(table: Handle, short_expr: Text, long_expr: Buffer, buffer_len: Out<u16>);
    AdsExpressionShortToLong90(table: Handle, short_expr: Text, long_expr: Buffer, buffer_len: Out<u32>);
    AdsExtractPathPart(part: u16, file: Text, part_out: Buffer, part_len: Out<u16>);
    AdsFreeExpr(table: Handle, pcode: Text);
    AdsIsExprValid(table: Handle, expression: Text, valid: Out<u16>);
    AdsMemCompare90(
        connection: Handle, str1: Text, str1_len: u32, str2: Text, str2_len: u32, char_set: u16, collation_id: u32,
        result: Out<i16>
    );
    AdsMemICompare(
        connection: Handle, str1: Text, str1_len: u32, str2: Text, str2_len: u32, char_set: u16, result: Out<i16>
    );
    AdsMemICompare90(
        connection: Handle, str1: Text, str1_len: u32, str2: Text, str2_len: u32, char_set: u16, collation_id: u32,
        result: Out<i16>
    );
    AdsMemLwr(connection: Handle, str: Text, str_len: u16, char_set: u16);
    AdsMemLwr90(connection: Handle, str: Text, str_len: u16, char_set: u16, collation_id: u32);
    AdsNullTerminateStrings(null_terminate: u16);
}
