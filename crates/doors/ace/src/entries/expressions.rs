//! Expressions, and conversions of texts, dates and times.

use crate::border::*;
use crate::calls::{expressions, others, settings};

entries! {
    "expressions";
    AdsConvertDateToJulian(connection: Handle, date: Text, length: u16, julian: Out<f64>) = expressions::date_to_julian;
    AdsConvertJulianToString(julian: f64, julian_out: Buffer, length: Out<u16>) = expressions::julian_to_string;
    AdsConvertStringToJulian(julian: Text, length: u16, julian_out: Out<f64>) = expressions::string_to_julian;
    AdsConvertStringToMilliseconds(time: Text, length: u16, mseconds: Out<u32>) = expressions::string_to_milliseconds;
    AdsDBFDateToString(dbfdate: Text, formatted_date: Buffer) = expressions::stored_date_to_string;
    AdsEvalExpr(table: Handle, pcode: Text, result: Buffer, length: Out<u16>);
    AdsEvalLogicalExpr(table: Handle, expression: Text, result: Out<u16>) = expressions::logical;
    AdsEvalLogicalExprW(table: Handle, expression: Wide, result: Out<u16>) = expressions::logical_wide;
    AdsEvalNumericExpr(table: Handle, expression: Text, result: Out<f64>) = expressions::numeric;
    AdsEvalStringExpr(table: Handle, expression: Text, result: Buffer, length: Out<u16>) = expressions::string;
    AdsEvalTestExpr(table: Handle, expression: Text, kind: Out<u16>) = expressions::kind;
    AdsExpressionLongToShort(table: Handle, long_expr: Text, short_expr: Buffer, buffer_len: Out<u16>) = expressions::same;
    AdsExpressionLongToShort90(table: Handle, long_expr: Text, short_expr: Buffer, buffer_len: Out<u32>) = expressions::same_90;
    AdsExpressionShortToLong(table: Handle, short_expr: Text, long_expr: Buffer, buffer_len: Out<u16>) = expressions::same;
    AdsExpressionShortToLong90(table: Handle, short_expr: Text, long_expr: Buffer, buffer_len: Out<u32>) = expressions::same_90;
    AdsExtractPathPart(part: u16, file: Text, part_out: Buffer, part_len: Out<u16>) = expressions::path_part;
    AdsFreeExpr(table: Handle, pcode: Text);
    AdsIsExprValid(table: Handle, expression: Text, valid: Out<u16>) = expressions::is_valid;
    AdsMemCompare90(
        connection: Handle, str1: Text, str1_len: u32, str2: Text, str2_len: u32, char_set: u16, collation_id: u32,
        result: Out<i16>
    ) = expressions::compare;
    AdsMemICompare(
        connection: Handle, str1: Text, str1_len: u32, str2: Text, str2_len: u32, char_set: u16, result: Out<i16>
    ) = expressions::compare_without_case;
    AdsMemICompare90(
        connection: Handle, str1: Text, str1_len: u32, str2: Text, str2_len: u32, char_set: u16, collation_id: u32,
        result: Out<i16>
    ) = expressions::compare_without_case_90;
    AdsMemLwr(connection: Handle, str: Buffer, str_len: u16, char_set: u16) = others::lower;
    AdsMemLwr90(connection: Handle, str: Buffer, str_len: u16, char_set: u16, collation_id: u32) = others::lower_90;
    AdsNullTerminateStrings(null_terminate: u16) = settings::null_terminate_strings;
}
