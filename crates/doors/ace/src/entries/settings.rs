//! Settings of the program, errors, callbacks, and the type of a handle.

use crate::border::*;
use crate::calls::{sections, settings};

entries! {
    "settings";
    AdsApplicationExit() = settings::application_exit;
    AdsCacheOpenCursors(open: u16) = settings::cache_hint;
    AdsCacheOpenTables(open: u16) = settings::cache_hint;
    AdsClearCallbackFunction() = settings::clear_callback;
    AdsClearDefault() = settings::clear_default;
    AdsClearLastError() = settings::clear_last_error;
    AdsClearProgressCallback() = settings::clear_callback;
    AdsCreateCriticalSection(object: Handle, options: u32) = sections::create;
    AdsDisableLocalConnections() = settings::disable_local_connections;
    AdsGetDateFormat(format: Buffer, length: Out<u16>) = settings::get_date_format;
    AdsGetDateFormat60(connection: Handle, format: Buffer, length: Out<u16>) = settings::get_date_format_of;
    AdsGetDecimals(decimals: Out<u16>) = settings::get_decimals;
    AdsGetDefault(path: Buffer, length: Out<u16>) = settings::get_default;
    AdsGetDeleted(use_deleted: Out<u16>) = settings::get_deleted;
    AdsGetEpoch(century: Out<u16>) = settings::get_epoch;
    AdsGetErrorString(err_code: u32, buffer: Buffer, length: Out<u16>) = settings::get_error_string;
    AdsGetExact(exact: Out<u16>) = settings::get_exact;
    AdsGetExact22(object: Handle, exact: Out<u16>) = settings::get_exact_of;
    AdsGetHandleINT64(object: Handle, value: Out<u64>) = settings::get_handle_int64;
    AdsGetHandleLong(object: Handle, value: Out<u32>) = settings::get_handle_long;
    AdsGetHandleType(object: Handle, kind: Out<u16>) = settings::get_handle_type;
    AdsGetLastError(err_code: Out<u32>, buffer: Buffer, length: Out<u16>) => settings::get_last_error;
    AdsGetSearchPath(path: Buffer, length: Out<u16>) = settings::get_search_path;
    AdsGetVersion(major: Out<u32>, minor: Out<u32>, letter: Out<u8>, desc: Buffer, desc_len: Out<u16>) = settings::get_version;
    AdsRegisterCallbackFunction(callback: Callback, callback_id: u32) = settings::register_callback;
    AdsRegisterCallbackFunction101(callback: Callback101, callback_id: i64) = settings::register_callback_101;
    AdsRegisterProgressCallback(callback: ProgressCallback) = settings::register_progress_callback;
    AdsReleaseObject(object: Handle) = sections::leave;
    AdsSetDateFormat(format: Text) = settings::set_date_format;
    AdsSetDateFormat60(connection: Handle, format: Text) = settings::set_date_format_of;
    AdsSetDecimals(decimals: u16) = settings::set_decimals;
    AdsSetDefault(path: Text) = settings::set_default;
    AdsSetEpoch(century: u16) = settings::set_epoch;
    AdsSetExact(exact: u16) = settings::set_exact;
    AdsSetExact22(object: Handle, exact: u16) = settings::set_exact_of;
    AdsSetHandleINT64(object: Handle, value: u64) = settings::set_handle_int64;
    AdsSetHandleLong(object: Handle, value: u32) = settings::set_handle_long;
    AdsSetInternalError(err_code: u32, file: Text, line: u32);
    AdsSetLastError(err_code: u32, details: Text) => settings::set_last_error;
    AdsSetProperty(object: Handle, operation: u32, value: u32);
    AdsSetProperty90(object: Handle, operation: u32, value: Out<u64>);
    AdsSetRightsChecking(options: u32) = settings::set_rights_checking;
    AdsSetSearchPath(path: Text) = settings::set_search_path;
    AdsSetServerType(server_options: u16) = settings::set_server_type;
    AdsShowDeleted(show_deleted: u16) = settings::show_deleted;
    AdsShowError(title: Text) => settings::show_error;
    AdsThreadExit() = settings::thread_exit;
    AdsValidateThread() = settings::validate_thread;
    AdsWaitForObject(object: Handle, options: u32) = sections::enter;
}
