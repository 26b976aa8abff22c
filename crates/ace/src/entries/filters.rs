//! Filters, optimized filters (AOF), and searching record by record.

use crate::border::*;

entries! {
    "filters";
    AdsActivateAOF(table: Handle);
    AdsAddToAOF(table: Handle, filter: Text, operation: u16, which_aof: u16);
    AdsClearAOF(table: Handle);
    AdsClearCursorAOF(table: Handle);
    AdsClearFilter(table: Handle);
    AdsContinue(table: Handle, found: Out<u16>);
    AdsCustomizeAOF(table: Handle, num_records: u32, records: Out<u32>, option: u16);
    AdsDeactivateAOF(table: Handle);
    AdsEvalAOF(table: Handle, filter: Text, opt_level: Out<u16>);
    AdsEvalAOF100(table: Handle, filter: Pointer, options: u32, opt_level: Out<u16>);
    AdsGetAOF(table: Handle, filter: Buffer, length: Out<u16>);
    AdsGetAOF100(table: Handle, options: u32, filter: Pointer, length: Out<u32>);
    AdsGetAOFOptLevel(table: Handle, opt_level: Out<u16>, non_opt: Buffer, length: Out<u16>);
    AdsGetAOFOptLevel100(table: Handle, opt_level: Out<u16>, non_opt: Pointer, length: Out<u32>, options: u32);
    AdsGetCursorAOF(cursor: Handle, filter: Buffer, filter_len: Out<u16>);
    AdsGetFilter(table: Handle, filter: Buffer, length: Out<u16>);
    AdsIsRecordInAOF(table: Handle, record_num: u32, is_in_aof: Out<u16>);
    AdsLocate(table: Handle, expression: Text, forward: u16, found: Out<u16>);
    AdsMergeAOF(table: Handle);
    AdsRefreshAOF(table: Handle);
    AdsSetAOF(table: Handle, filter: Text, options: u16);
    AdsSetAOF100(table: Handle, filter: Pointer, options: u32);
    AdsSetCursorAOF(table: Handle, filter: Text, resolve: u16);
    AdsSetFilter(table: Handle, filter: Text);
    AdsSetFilter100(table: Handle, filter: Pointer, options: u32);
}
