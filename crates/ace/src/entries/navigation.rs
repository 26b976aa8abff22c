//! Moving through a table.

use crate::border::*;

entries! {
    "navigation";
    AdsAtBOF(table: Handle, bof: Out<u16>);
    AdsAtEOF(table: Handle, eof: Out<u16>);
    AdsCompareBookmarks(bookmark1: Text, bookmark2: Text, result: Out<i32>);
    AdsGetBookmark(table: Handle, bookmark: Out<Handle>);
    AdsGetBookmark60(object: Handle, bookmark: Buffer, length: Out<u32>);
    AdsGetBookmarkLength(object: Handle, length: Out<u32>);
    AdsGetROWIDPrefix(table: Handle, row_idprefix: Text, buffer_len: u16);
    AdsGetRecordCount(table: Handle, filter_option: u16, count: Out<u32>);
    AdsGetRecordNum(table: Handle, filter_option: u16, record: Out<u32>);
    AdsGotoBOF(object: Handle);
    AdsGotoBookmark(table: Handle, bookmark: Handle);
    AdsGotoBookmark60(object: Handle, bookmark: Text);
    AdsGotoBottom(object: Handle);
    AdsGotoEOF(object: Handle);
    AdsGotoRecord(table: Handle, record: u32);
    AdsGotoTop(object: Handle);
    AdsIsFound(object: Handle, found: Out<u16>);
    AdsIsRecordVisible(object: Handle, visible: Out<u16>);
    AdsReadRecordNumbers(
        object: Handle, record_num: u32, direction: u8, records: Out<u32>, array_len: Out<u32>, hit_eof: Out<u16>
    );
    AdsReadRecords(object: Handle, record_num: u32, direction: u8);
    AdsRefreshRecord(table: Handle);
    AdsSetBOFFlag(table: Handle, bof: u16);
    AdsSkip(object: Handle, recs: i32);
}
