//! Filters, optimized filters (AOF), and searching record by record.

use crate::border::*;
use crate::calls::filters;

entries! {
    "filters";
    AdsActivateAOF(table: Handle);
    AdsAddToAOF(table: Handle, filter: Text, operation: u16, which_aof: u16);
    AdsClearAOF(table: Handle) = filters::clear_aof;
    AdsClearCursorAOF(table: Handle);
    AdsClearFilter(table: Handle) = filters::clear_filter;
    AdsContinue(table: Handle, found: Out<u16>) = filters::locate_next;
    AdsCustomizeAOF(table: Handle, num_records: u32, records: Out<u32>, option: u16) = filters::customize;
    AdsDeactivateAOF(table: Handle);
    AdsEvalAOF(table: Handle, filter: Text, opt_level: Out<u16>) = filters::evaluate;
    AdsEvalAOF100(table: Handle, filter: Pointer, options: u32, opt_level: Out<u16>) = filters::evaluate_100;
    AdsGetAOF(table: Handle, filter: Buffer, length: Out<u16>) = filters::get_aof;
    AdsGetAOF100(table: Handle, options: u32, filter: Pointer, length: Out<u32>) = filters::get_aof_100;
    AdsGetAOFOptLevel(table: Handle, opt_level: Out<u16>, non_opt: Buffer, length: Out<u16>) = filters::level;
    AdsGetAOFOptLevel100(table: Handle, opt_level: Out<u16>, non_opt: Pointer, length: Out<u32>, options: u32) = filters::level_100;
    AdsGetCursorAOF(cursor: Handle, filter: Buffer, filter_len: Out<u16>);
    AdsGetFilter(table: Handle, filter: Buffer, length: Out<u16>) = filters::get_filter;
    AdsIsRecordInAOF(table: Handle, record_num: u32, is_in_aof: Out<u16>) = filters::is_in_aof;
    AdsLocate(table: Handle, expression: Text, forward: u16, found: Out<u16>) = filters::locate;
    AdsMergeAOF(table: Handle);
    AdsRefreshAOF(table: Handle) = filters::refresh_aof;
    AdsSetAOF(table: Handle, filter: Text, options: u16) = filters::set_aof;
    AdsSetAOF100(table: Handle, filter: Pointer, options: u32) = filters::set_aof_100;
    AdsSetCursorAOF(table: Handle, filter: Text, resolve: u16);
    AdsSetFilter(table: Handle, filter: Text) = filters::set_filter;
    AdsSetFilter100(table: Handle, filter: Pointer, options: u32) = filters::set_filter_100;
}
