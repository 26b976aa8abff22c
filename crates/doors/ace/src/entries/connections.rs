//! Connections to folders and servers, and the files found through them.

use crate::border::*;
use crate::calls::dictionary::relations;
use crate::calls::{connections, others, records, tables};

entries! {
    "connections";
    AdsBackupDatabase(
        connection: Handle, output_table: Handle, source_path: Text, source_mask: Text, dest_path: Text,
        options: Text, free_table_passwords: Text, char_type: u16, locking_mode: u16, check_rights: u16,
        table_type: u16, collation: Text, ddconn: u8
    );
    AdsCheckExistence(connection: Handle, file_name: Text, on_disk: Out<u16>) = connections::exists;
    AdsConnect(server_name: Text, connection: Out<Handle>) = connections::connect;
    AdsConnect101(connect_string: Text, options: Out<Handle>, connection: Out<Handle>) = connections::connect_101;
    AdsConnect26(server_name: Text, server_types: u16, connection: Out<Handle>) = connections::connect_26;
    AdsConnect60(
        server_path: Text, server_types: u16, user_name: Text, password: Text, options: u32, connection: Out<Handle>
    ) = connections::connect_60;
    AdsDeleteFile(connection: Handle, file_name: Text) = connections::delete_file;
    AdsDisableRI(connection: Handle) = relations::disable;
    AdsDisconnect(connection: Handle) = connections::disconnect;
    AdsEcho(connection: Handle, data: Text, length: u16) = others::echo;
    AdsEnableRI(connection: Handle) = relations::enable;
    AdsFindClose(connection: Handle, handle: Handle) = connections::find_close;
    AdsFindConnection(server_name: Text, connection: Out<Handle>) = connections::find;
    AdsFindConnection25(full_path: Text, connection: Out<Handle>) = connections::find;
    AdsFindFirstTable(
        connection: Handle, file_mask: Text, first_file: Buffer, file_len: Out<u16>, handle: Out<Handle>
    ) = connections::find_first;
    AdsFindFirstTable62(
        connection: Handle, file_mask: Text, first_dd: Buffer, ddlen: Out<u16>, first_file: Buffer,
        file_len: Out<u16>, handle: Out<Handle>
    ) = others::find_first_62;
    AdsFindNextTable(connection: Handle, handle: Handle, file_name: Buffer, file_len: Out<u16>) = connections::find_next;
    AdsFindNextTable62(
        connection: Handle, handle: Handle, ddname: Buffer, ddlen: Out<u16>, file_name: Buffer, file_len: Out<u16>
    ) = others::find_next_62;
    AdsFindServers(options: u32, table: Out<Handle>);
    AdsFlushFileBuffers(table: Handle) = records::flush;
    AdsGetConnectionPath(connection: Handle, connection_path: Buffer, length: Out<u16>) = connections::path;
    AdsGetConnectionProperty(connection: Handle, property_id: u16, property: Pointer, property_len: Out<u32>) = connections::property;
    AdsGetConnectionType(connection: Handle, connect_type: Out<u16>) = connections::kind;
    AdsGetServerName(connection: Handle, name: Buffer, length: Out<u16>) = connections::server_name;
    AdsGetServerTime(
        connection: Handle, date_buf: Buffer, date_buf_len: Out<u16>, time: Out<i32>, time_buf: Buffer,
        time_buf_len: Out<u16>
    ) = connections::server_time;
    AdsGetTableConnection(table: Handle, connection: Out<Handle>) = tables::connection;
    AdsIsConnectionAlive(connection: Handle, connection_is_alive: Out<u16>) = connections::is_alive;
    AdsIsServerLoaded(server: Text, loaded: Out<u16>) = connections::is_server_loaded;
    AdsPerformRI(table: Handle, rec_num: u32, rec_buffer: Text);
    AdsResetConnection(connection: Handle) = connections::reset;
    AdsRestoreDatabase(
        connection: Handle, output_table: Handle, source_path: Text, source_password: Text, dest_path: Text,
        dest_password: Text, options: Text, free_table_passwords: Text, char_type: u16, locking_mode: u16,
        check_rights: u16, table_type: u16, collation: Text, ddconn: u8
    );
    AdsSetFlushFlag(connection: Handle, flush_every_update: u16) = others::connection_hint;
    AdsSetPacketSize(connection: Handle, packet_length: u16) = others::connection_hint;
    AdsSetupRI(connection: Handle, table_id: i32, open: u8, server_wan: u32);
    AdsVerifyRI(connection: Handle, exclusive: u16) = relations::verify;
}
