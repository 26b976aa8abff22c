//! What a server is doing, for its administrator.

use crate::border::*;

entries! {
    "management";
    AdsMgConnect(server_name: Text, user_name: Text, password: Text, server: Out<Handle>);
    AdsMgDisconnect(server: Handle);
    AdsMgDumpInternalTables(server: Handle);
    AdsMgGetActivityInfo(server: Handle, activity_info: Pointer, struct_size: Out<u16>);
    AdsMgGetCommStats(server: Handle, comm_stats: Pointer, struct_size: Out<u16>);
    AdsMgGetConfigInfo(
        server: Handle, config_values: Pointer, config_values_struct_size: Out<u16>, config_memory: Pointer,
        config_memory_struct_size: Out<u16>
    );
    AdsMgGetInstallInfo(server: Handle, install_info: Pointer, struct_size: Out<u16>);
    AdsMgGetLockOwner(
        server: Handle, table_name: Text, record_number: u32, user_info: Pointer, struct_size: Out<u16>,
        lock_type: Out<u16>
    );
    AdsMgGetLocks(
        server: Handle, table_name: Text, user_name: Text, conn_number: u16, record_info: Pointer,
        array_len: Out<u16>, struct_size: Out<u16>
    );
    AdsMgGetOpenIndexes(
        server: Handle, table_name: Text, user_name: Text, conn_number: u16, open_index_info: Pointer,
        array_len: Out<u16>, struct_size: Out<u16>
    );
    AdsMgGetOpenTables(
        server: Handle, user_name: Text, conn_number: u16, open_table_info: Pointer, array_len: Out<u16>,
        struct_size: Out<u16>
    );
    AdsMgGetServerType(server: Handle, server_type: Out<u16>);
    AdsMgGetUserNames(
        server: Handle, file_name: Text, user_info: Pointer, array_len: Out<u16>, struct_size: Out<u16>
    );
    AdsMgGetWorkerThreadActivity(
        server: Handle, worker_thread_activity: Pointer, array_len: Out<u16>, struct_size: Out<u16>
    );
    AdsMgKillUser(server: Handle, user_name: Text, conn_number: u16);
    AdsMgKillUser90(
        server: Handle, user_name: Text, conn_number: u16, property_id: u16, property: Pointer, property_len: u16
    );
    AdsMgResetCommStats(server: Handle);
}
