//! Moving through a table.

use crate::border::*;
use crate::calls::{moves, others};

entries! {
    "navigation";
    AdsAtBOF(table: Handle, bof: Out<u16>) = moves::at_bof;
    AdsAtEOF(table: Handle, eof: Out<u16>) = moves::at_eof;
    AdsCompareBookmarks(bookmark1: Text, bookmark2: Text, result: Out<i32>) = moves::compare_bookmarks;
    AdsGetBookmark(table: Handle, bookmark: Out<Handle>) = moves::get_bookmark;
    AdsGetBookmark60(object: Handle, bookmark: Buffer, length: Out<u32>) = moves::get_bookmark_60;
    AdsGetBookmarkLength(object: Handle, length: Out<u32>) = moves::bookmark_length;
    AdsGetROWIDPrefix(table: Handle, row_idprefix: Text, buffer_len: u16);
    AdsGetRecordCount(table: Handle, filter_option: u16, count: Out<u32>) = moves::record_count;
    AdsGetRecordNum(table: Handle, filter_option: u16, record: Out<u32>) = moves::record_number;
    AdsGotoBOF(object: Handle) = moves::beginning;
    AdsGotoBookmark(table: Handle, bookmark: Handle) = moves::go_to_bookmark;
    AdsGotoBookmark60(object: Handle, bookmark: Text) = moves::go_to_bookmark_60;
    AdsGotoBottom(object: Handle) = moves::bottom;
    AdsGotoEOF(object: Handle) = moves::end;
    AdsGotoRecord(table: Handle, record: u32) = moves::record;
    AdsGotoTop(object: Handle) = moves::top;
    AdsIsFound(object: Handle, found: Out<u16>) = moves::is_found;
    AdsIsRecordVisible(object: Handle, visible: Out<u16>) = moves::is_visible;
    AdsReadRecordNumbers(
        object: Handle, record_num: u32, direction: u8, records: Out<u32>, array_len: Out<u32>, hit_eof: Out<u16>
    ) = others::record_numbers;
    AdsReadRecords(object: Handle, record_num: u32, direction: u8);
    AdsRefreshRecord(table: Handle) = moves::refresh;
    AdsSetBOFFlag(table: Handle, bof: u16);
    AdsSkip(object: Handle, recs: i32) = moves::skip;
}
