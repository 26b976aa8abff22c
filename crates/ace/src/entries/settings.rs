//! Settings of the program, errors, callbacks, and what a handle is.

use crate::border::*;

entries! {
    "settings";
    AdsApplicationExit();
    AdsCacheOpenCursors(open: u16);
    AdsCacheOpenTables(open: u16);
    AdsClearCallbackFunction();
    AdsClearDefault();
    AdsClearLastError();
    AdsClearProgressCallback();
    AdsCreateCriticalSection(object: Handle, options: u32);
    AdsDisableLocalConnections();
    AdsGetDateFormat(format: Buffer, length: Out<u16>);
    AdsGetDateFormat60(connection: Handle, format: Buffer, length: Out<u16>);
    AdsGetDecimals(decimals: Out<u16>);
    AdsGetDefault(path: Buffer, length: Out<u16>);
    AdsGetDeleted(use_deleted: Out<u16>);
    AdsGetEpoch(century: Out<u16>);
    AdsGetErrorString(err_code: u32, buffer: Buffer, length: Out<u16>);
    AdsGetExact(exact: Out<u16>);
    AdsGetExact22(object: Handle, exact: Out<u16>);
    AdsGetHandleINT64(object: Handle, value: Out<u64>);
    AdsGetHandleLong(object: Handle, value: Out<u32>);
    AdsGetHandleType(object: Handle, kind: Out<u16>);
    AdsGetLastError(err_code: Out<u32>, buffer: Buffer, length: Out<u16>);
    AdsGetSearchPath(path: Buffer, length: Out<u16>);
    AdsGetVersion(major: Out<u32>, minor: Out<u32>, letter: Out<u8>, desc: Buffer, desc_len: Out<u16>);
    AdsRegisterCallbackFunction(callback: Callback, callback_id: u32);
    AdsRegisterCallbackFunction101(callback: Callback101, callback_id: i64);
    AdsRegisterProgressCallback(callback: ProgressCallback);
    AdsReleaseObject(object: Handle);
    AdsSetDateFormat(format: Text);
    AdsSetDateFormat60(connection: Handle, format: Text);
    AdsSetDecimals(decimals: u16);
    AdsSetDefault(path: Text);
    AdsSetEpoch(century: u16);
    AdsSetExact(exact: u16);
    AdsSetExact22(object: Handle, exact: u16);
    AdsSetHandleINT64(object: Handle, value: u64);
    AdsSetHandleLong(object: Handle, value: u32);
    AdsSetInternalError(err_code: u32, file: Text, line: u32);
    AdsSetLastError(err_code: u32, details: Text);
    AdsSetProperty(object: Handle, operation: u32, value: u32);
    AdsSetProperty90(object: Handle, operation: u32, value: Out<u64>);
    AdsSetRightsChecking(options: u32);
    AdsSetSearchPath(path: Text);
    AdsSetServerType(server_options: u16);
    AdsShowDeleted(show_deleted: u16);
    AdsShowError(title: Text);
    AdsThreadExit();
    AdsValidateThread();
    AdsWaitForObject(object: Handle, options: u32);
}
