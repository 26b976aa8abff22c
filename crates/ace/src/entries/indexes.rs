//! Indexes and their orders, keys, seeks, scopes and relations.

use crate::border::*;

entries! {
    "indexes";
    AdsAddCustomKey(index: Handle);
    AdsBuildKeyFromRecord(tag: Handle, record: Text, record_len: u32, key: Buffer, key_len: Out<u16>);
    AdsBuildRawKey(index: Handle, key: Buffer, key_len: Out<u16>);
    AdsClearAllScopes(table: Handle);
    AdsClearRelation(table_parent: Handle);
    AdsClearScope(index: Handle, scope_option: u16);
    AdsCloseAllIndexes(table: Handle);
    AdsCloseIndex(index: Handle);
    AdsConvertKeyToDouble(key: Text, value: Out<f64>);
    AdsCreateIndex(
        object: Handle, file_name: Text, tag: Text, expression: Text, condition: Text, while_condition: Text,
        options: u32, index: Out<Handle>
    );
    AdsCreateIndex61(
        object: Handle, file_name: Text, tag: Text, expression: Text, condition: Text, while_condition: Text,
        options: u32, page_size: u32, index: Out<Handle>
    );
    AdsCreateIndex90(
        object: Handle, file_name: Text, tag: Text, expression: Text, condition: Text, while_condition: Text,
        options: u32, page_size: u32, collation: Text, index: Out<Handle>
    );
    AdsDeleteCustomKey(index: Handle);
    AdsDeleteIndex(index: Handle);
    AdsDisableUniqueEnforcement(connection: Handle);
    AdsEnableUniqueEnforcement(connection: Handle);
    AdsExtractKey(index: Handle, key: Buffer, length: Out<u16>);
    AdsGetAllIndexes(table: Handle, indexes: Out<Handle>, array_len: Out<u16>);
    AdsGetCollation(connection: Handle, collation: Buffer, length: Out<u16>);
    AdsGetCollationLang(lang: Buffer, length: Out<u16>);
    AdsGetIndexCollation(index: Handle, collation: Buffer, length: Out<u16>);
    AdsGetIndexCondition(index: Handle, expression: Buffer, length: Out<u16>);
    AdsGetIndexExpr(index: Handle, expression: Buffer, length: Out<u16>);
    AdsGetIndexFilename(index: Handle, option: u16, name: Buffer, length: Out<u16>);
    AdsGetIndexFlags(index: Handle, flags: Out<u32>);
    AdsGetIndexHandle(table: Handle, index_order: Text, index: Out<Handle>);
    AdsGetIndexHandleByExpr(table: Handle, expression: Text, descending: u32, index: Out<Handle>);
    AdsGetIndexHandleByOrder(table: Handle, order_num: u16, index: Out<Handle>);
    AdsGetIndexName(index: Handle, name: Buffer, length: Out<u16>);
    AdsGetIndexOrderByHandle(index: Handle, index_order: Out<u16>);
    AdsGetIndexPageSize(index: Handle, page_size: Out<u32>);
    AdsGetKeyCount(index: Handle, filter_option: u16, count: Out<u32>);
    AdsGetKeyLength(index: Handle, key_length: Out<u16>);
    AdsGetKeyNum(index: Handle, filter_option: u16, key: Out<u32>);
    AdsGetKeyType(index: Handle, key_type: Out<u16>);
    AdsGetNumIndexes(table: Handle, count: Out<u16>);
    AdsGetNumSegments(tag: Handle, segments: Out<u16>);
    AdsGetRelKeyPos(index: Handle, pos: Out<f64>);
    AdsGetScope(index: Handle, scope_option: u16, scope: Buffer, length: Out<u16>);
    AdsGetSegmentFieldNumbers(tag: Handle, num_segments: Out<u16>, seg_field_numbers: Out<u16>);
    AdsGetSegmentFieldname(tag: Handle, segment_num: u16, fieldname: Buffer, fldname_len: Out<u16>);
    AdsGetSegmentOffset(tag: Handle, segment_num: u16, offset: Out<u16>);
    AdsInitRawKey(index: Handle);
    AdsIsIndexCandidate(index: Handle, candidate: Out<u16>);
    AdsIsIndexCompound(index: Handle, compound: Out<u16>);
    AdsIsIndexCustom(index: Handle, custom: Out<u16>);
    AdsIsIndexDescending(index: Handle, descending: Out<u16>);
    AdsIsIndexExprValid(table: Handle, expression: Text, valid: Out<u16>);
    AdsIsIndexNullable(index: Handle, nullable: Out<u16>);
    AdsIsIndexPrimaryKey(index: Handle, primary_key: Out<u16>);
    AdsIsIndexUnique(index: Handle, unique: Out<u16>);
    AdsIsIndexUserDefined(index: Handle, user_defined: Out<u16>);
    AdsIsSegmentDescending(tag: Handle, segment_num: u16, descending: Out<u16>);
    AdsLookupKey(index: Handle, key: Text, key_len: u16, data_type: u16, found: Out<u16>);
    AdsOpenIndex(table: Handle, name: Text, indexes: Out<Handle>, array_len: Out<u16>);
    AdsReindex(object: Handle);
    AdsReindex61(object: Handle, page_size: u32);
    AdsSeek(index: Handle, key: Text, key_len: u16, data_type: u16, seek_type: u16, found: Out<u16>);
    AdsSeekLast(index: Handle, key: Text, key_len: u16, data_type: u16, found: Out<u16>);
    AdsSetCollation(connection: Handle, collation: Text);
    AdsSetCollationLang(lang: Text);
    AdsSetCollationSequence(sequence: Text);
    AdsSetIndexDirection(index: Handle, reverse_direction: u16);
    AdsSetRelKeyPos(index: Handle, pos: f64);
    AdsSetRelation(table_parent: Handle, index_child: Handle, expression: Text);
    AdsSetScope(index: Handle, scope_option: u16, scope: Text, scope_len: u16, data_type: u16);
    AdsSetScopedRelation(table_parent: Handle, index_child: Handle, expression: Text);
    AdsSkipUnique(index: Handle, recs: i32);
    AdsStepIndexKey(index: Handle, key: Text, length: u16, direction: i16);
}
