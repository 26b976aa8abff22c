//! The activity of a server, for its administrator.

use crate::border::*;
use crate::calls::management;

entries! {
    "management";
    AdsMgConnect(server_name: Text, user_name: Text, password: Text, server: Out<Handle>) = management::connect;
    AdsMgDisconnect(server: Handle) = management::disconnect;
    AdsMgDumpInternalTables(server: Handle);
    AdsMgGetActivityInfo(server: Handle, activity_info: Pointer, struct_size: Out<u16>) = management::activity;
    AdsMgGetCommStats(server: Handle, comm_stats: Pointer, struct_size: Out<u16>) = management::wire;
    AdsMgGetConfigInfo(
        server: Handle, config_values: Pointer, config_values_struct_size: Out<u16>, config_memory: Pointer,
        config_memory_struct_size: Out<u16>
    ) = management::configuration;
    AdsMgGetInstallInfo(server: Handle, install_info: Pointer, struct_size: Out<u16>) = management::installation;
    AdsMgGetLockOwner(
        server: Handle, table_name: Text, record_number: u32, user_info: Pointer, struct_size: Out<u16>,
        lock_type: Out<u16>
    ) = management::lock_owner;
    AdsMgGetLocks(
        server: Handle, table_name: Text, user_name: Text, conn_number: u16, record_info: Pointer,
        array_len: Out<u16>, struct_size: Out<u16>
    ) = management::locks;
    AdsMgGetOpenIndexes(
        server: Handle, table_name: Text, user_name: Text, conn_number: u16, open_index_info: Pointer,
        array_len: Out<u16>, struct_size: Out<u16>
    ) = management::open_indexes;
    AdsMgGetOpenTables(
        server: Handle, user_name: Text, conn_number: u16, open_table_info: Pointer, array_len: Out<u16>,
        struct_size: Out<u16>
    ) = management::open_tables;
    AdsMgGetServerType(server: Handle, server_type: Out<u16>) = management::server_type;
    AdsMgGetUserNames(
        server: Handle, file_name: Text, user_info: Pointer, array_len: Out<u16>, struct_size: Out<u16>
    ) = management::users;
    AdsMgGetWorkerThreadActivity(
        server: Handle, worker_thread_activity: Pointer, array_len: Out<u16>, struct_size: Out<u16>
    ) = management::threads;
    AdsMgKillUser(server: Handle, user_name: Text, conn_number: u16) = management::end_user;
    AdsMgKillUser90(
        server: Handle, user_name: Text, conn_number: u16, property_id: u16, property: Pointer, property_len: u16
    );
    AdsMgResetCommStats(server: Handle) = management::reset_wire;
}
