//! Indexes and their orders, keys, seeks, scopes and relations.

use crate::border::*;
use crate::calls::{collations, expressions, indexes, keys, moves, others, raw_keys, records};

entries! {
    "indexes";
    AdsAddCustomKey(index: Handle) = indexes::add_key;
    AdsBuildKeyFromRecord(tag: Handle, record: Text, record_len: u32, key: Buffer, key_len: Out<u16>) = raw_keys::of_record;
    AdsBuildRawKey(index: Handle, key: Buffer, key_len: Out<u16>) = raw_keys::build;
    AdsClearAllScopes(table: Handle) = keys::clear_scopes;
    AdsClearRelation(table_parent: Handle) = indexes::clear_relations;
    AdsClearScope(index: Handle, scope_option: u16) = keys::clear_scope;
    AdsCloseAllIndexes(table: Handle) = indexes::close_all;
    AdsCloseIndex(index: Handle) = indexes::close;
    AdsConvertKeyToDouble(key: Text, value: Out<f64>) = others::key_to_number;
    AdsCreateIndex(
        object: Handle, file_name: Text, tag: Text, expression: Text, condition: Text, while_condition: Text,
        options: u32, index: Out<Handle>
    ) = indexes::create;
    AdsCreateIndex61(
        object: Handle, file_name: Text, tag: Text, expression: Text, condition: Text, while_condition: Text,
        options: u32, page_size: u32, index: Out<Handle>
    ) = indexes::create_61;
    AdsCreateIndex90(
        object: Handle, file_name: Text, tag: Text, expression: Text, condition: Text, while_condition: Text,
        options: u32, page_size: u32, collation: Text, index: Out<Handle>
    ) = indexes::create_90;
    AdsDeleteCustomKey(index: Handle) = indexes::drop_key;
    AdsDeleteIndex(index: Handle) = indexes::delete;
    AdsDisableUniqueEnforcement(connection: Handle);
    AdsEnableUniqueEnforcement(connection: Handle);
    AdsExtractKey(index: Handle, key: Buffer, length: Out<u16>) = keys::extract;
    AdsGetAllIndexes(table: Handle, indexes: Out<Handle>, array_len: Out<u16>) = indexes::all;
    AdsGetCollation(connection: Handle, collation: Buffer, length: Out<u16>) = collations::get;
    AdsGetCollationLang(lang: Buffer, length: Out<u16>);
    AdsGetIndexCollation(index: Handle, collation: Buffer, length: Out<u16>) = indexes::collation;
    AdsGetIndexCondition(index: Handle, expression: Buffer, length: Out<u16>) = indexes::condition;
    AdsGetIndexExpr(index: Handle, expression: Buffer, length: Out<u16>) = indexes::expression;
    AdsGetIndexFilename(index: Handle, option: u16, name: Buffer, length: Out<u16>) = indexes::file_name;
    AdsGetIndexFlags(index: Handle, flags: Out<u32>) = indexes::flags;
    AdsGetIndexHandle(table: Handle, index_order: Text, index: Out<Handle>) = indexes::by_name;
    AdsGetIndexHandleByExpr(table: Handle, expression: Text, descending: u32, index: Out<Handle>) = indexes::by_expression;
    AdsGetIndexHandleByOrder(table: Handle, order_num: u16, index: Out<Handle>) = indexes::by_number;
    AdsGetIndexName(index: Handle, name: Buffer, length: Out<u16>) = indexes::name;
    AdsGetIndexOrderByHandle(index: Handle, index_order: Out<u16>) = indexes::number;
    AdsGetIndexPageSize(index: Handle, page_size: Out<u32>) = indexes::page_size;
    AdsGetKeyCount(index: Handle, filter_option: u16, count: Out<u32>) = keys::count;
    AdsGetKeyLength(index: Handle, key_length: Out<u16>) = indexes::key_length;
    AdsGetKeyNum(index: Handle, filter_option: u16, key: Out<u32>) = keys::number;
    AdsGetKeyType(index: Handle, key_type: Out<u16>) = indexes::key_type;
    AdsGetNumIndexes(table: Handle, count: Out<u16>) = indexes::count;
    AdsGetNumSegments(tag: Handle, segments: Out<u16>) = raw_keys::segment_count;
    AdsGetRelKeyPos(index: Handle, pos: Out<f64>) = keys::get_position;
    AdsGetScope(index: Handle, scope_option: u16, scope: Buffer, length: Out<u16>) = keys::get_scope;
    AdsGetSegmentFieldNumbers(tag: Handle, num_segments: Out<u16>, seg_field_numbers: Out<u16>) = raw_keys::segment_numbers;
    AdsGetSegmentFieldname(tag: Handle, segment_num: u16, fieldname: Buffer, fldname_len: Out<u16>) = raw_keys::segment_name;
    AdsGetSegmentOffset(tag: Handle, segment_num: u16, offset: Out<u16>) = raw_keys::segment_offset;
    AdsInitRawKey(index: Handle) = raw_keys::begin;
    AdsIsIndexCandidate(index: Handle, candidate: Out<u16>) = indexes::is_candidate;
    AdsIsIndexCompound(index: Handle, compound: Out<u16>) = indexes::is_compound;
    AdsIsIndexCustom(index: Handle, custom: Out<u16>) = indexes::is_custom;
    AdsIsIndexDescending(index: Handle, descending: Out<u16>) = indexes::is_descending;
    AdsIsIndexExprValid(table: Handle, expression: Text, valid: Out<u16>) = expressions::is_valid;
    AdsIsIndexNullable(index: Handle, nullable: Out<u16>) = raw_keys::is_nullable;
    AdsIsIndexPrimaryKey(index: Handle, primary_key: Out<u16>) = indexes::is_never;
    AdsIsIndexUnique(index: Handle, unique: Out<u16>) = indexes::is_unique;
    AdsIsIndexUserDefined(index: Handle, user_defined: Out<u16>) = indexes::is_never;
    AdsIsSegmentDescending(tag: Handle, segment_num: u16, descending: Out<u16>) = raw_keys::segment_descends;
    AdsLookupKey(index: Handle, key: Text, key_len: u16, data_type: u16, found: Out<u16>) = keys::look_up;
    AdsOpenIndex(table: Handle, name: Text, indexes: Out<Handle>, array_len: Out<u16>) = indexes::open;
    AdsReindex(object: Handle) = records::reindex;
    AdsReindex61(object: Handle, page_size: u32) = records::reindex_61;
    AdsSeek(index: Handle, key: Text, key_len: u16, data_type: u16, seek_type: u16, found: Out<u16>) = keys::seek;
    AdsSeekLast(index: Handle, key: Text, key_len: u16, data_type: u16, found: Out<u16>) = keys::seek_last;
    AdsSetCollation(connection: Handle, collation: Text) = collations::set;
    AdsSetCollationLang(lang: Text);
    AdsSetCollationSequence(sequence: Text);
    AdsSetIndexDirection(index: Handle, reverse_direction: u16) = indexes::turn;
    AdsSetRelKeyPos(index: Handle, pos: f64) = keys::set_position;
    AdsSetRelation(table_parent: Handle, index_child: Handle, expression: Text) = indexes::relate;
    AdsSetScope(index: Handle, scope_option: u16, scope: Text, scope_len: u16, data_type: u16) = keys::set_scope;
    AdsSetScopedRelation(table_parent: Handle, index_child: Handle, expression: Text) = indexes::relate_scoped;
    AdsSkipUnique(index: Handle, recs: i32) = moves::skip_unique;
    AdsStepIndexKey(index: Handle, key: Text, length: u16, direction: i16);
}
