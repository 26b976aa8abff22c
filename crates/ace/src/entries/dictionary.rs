//! Data dictionaries: their objects, properties, users and permissions.

use crate::border::*;
use crate::calls::others;

entries! {
    "dictionary";
    AdsDDAddIndexFile(dictionary: Handle, table_name: Text, index_file_path: Text, comment: Text);
    AdsDDAddProcedure(
        dictionary: Handle, name: Text, container: Text, proc_name: Text, invoke_option: u32, in_params: Text,
        out_params: Text, comments: Text
    );
    AdsDDAddTable(
        dictionary: Handle, table_name: Text, table_path: Text, table_type: u16, char_type: u16, index_files: Text,
        comments: Text
    );
    AdsDDAddTable90(
        dictionary: Handle, table_name: Text, table_path: Text, table_type: u16, char_type: u16, index_files: Text,
        comments: Text, collation: Text
    );
    AdsDDAddUserToGroup(dictionary: Handle, group_name: Text, user_name: Text);
    AdsDDAddView(dictionary: Handle, name: Text, comments: Text, sql: Text);
    AdsDDAutoCreateIndex(connection: Handle, table_name: Text, index_name: Text, collation: Text);
    AdsDDAutoCreateTable(connection: Handle, table_name: Text, collation: Text);
    AdsDDClose(dictionary: Handle);
    AdsDDCreate(dictionary_path: Text, encrypt: u16, description: Text, dictionary: Out<Handle>);
    AdsDDCreateASA(connection: Handle, dictionary_path: Text, encrypt: u16, description: Text, password: Text);
    AdsDDCreateArticle(
        dictionary: Handle, publication_name: Text, object_name: Text, row_ident_columns: Text, filter: Text,
        options: u32
    );
    AdsDDCreateFunction(
        dictionary: Handle, name: Text, return_type: Text, input_param_cnt: u16, input_params: Text, func_body: Text,
        comments: Text
    );
    AdsDDCreateLink(
        connection: Handle, link_alias: Text, linked_ddpath: Text, user_name: Text, password: Text, options: u32
    );
    AdsDDCreateLinkPre71(
        connection: Handle, link_alias: Text, linked_ddpath: Text, user_name: Text, password: Text, options: u32
    );
    AdsDDCreatePackage(dictionary: Handle, name: Text, comments: Text);
    AdsDDCreatePublication(dictionary: Handle, publication_name: Text, comments: Text, options: u32);
    AdsDDCreateRefIntegrity(
        dictionary: Handle, riname: Text, fail_table: Text, parent_table_name: Text, parent_tag_name: Text,
        child_table_name: Text, child_tag_name: Text, update_rule: u16, delete_rule: u16
    );
    AdsDDCreateRefIntegrity62(
        dictionary: Handle, riname: Text, fail_table: Text, parent_table_name: Text, parent_tag_name: Text,
        child_table_name: Text, child_tag_name: Text, update_rule: u16, delete_rule: u16, no_primary_error: Text,
        cascade_error: Text
    );
    AdsDDCreateSubscription(
        dictionary: Handle, subscription_name: Text, publication_name: Text, target: Text, user: Text,
        password: Text, replication_queue: Text, forward: u16, comments: Text, options: u32
    );
    AdsDDCreateTrigger(
        dictionary: Handle, name: Text, table_name: Text, trigger_type: u32, event_types: u32, container_type: u32,
        container: Text, function_name: Text, priority: u32, comments: Text, options: u32
    );
    AdsDDCreateUser(dictionary: Handle, group_name: Text, user_name: Text, password: Text, description: Text);
    AdsDDCreateUserGroup(dictionary: Handle, group_name: Text, description: Text);
    AdsDDDeleteArticle(dictionary: Handle, publication_name: Text, object_name: Text);
    AdsDDDeleteIndex(dictionary: Handle, table_name: Text, index_name: Text);
    AdsDDDeletePublication(dictionary: Handle, publication_name: Text);
    AdsDDDeleteSubscription(dictionary: Handle, subscription_name: Text);
    AdsDDDeleteUser(dictionary: Handle, user_name: Text);
    AdsDDDeleteUserGroup(dictionary: Handle, group_name: Text);
    AdsDDDeployDatabase(
        destination: Text, destination_password: Text, source: Text, source_password: Text, server_types: u16,
        validate_option: u16, backup_files: u16, options: u32
    );
    AdsDDDisableTriggers(dictionary: Handle, object_name: Text, parent: Text, options: u32);
    AdsDDDropFunction(dictionary: Handle, name: Text);
    AdsDDDropLink(connection: Handle, linked_dd: Text, drop_global: u16);
    AdsDDDropLinkPre71(connection: Handle, linked_dd: Text, drop_global: u16);
    AdsDDDropPackage(dictionary: Handle, name: Text);
    AdsDDEnableTriggers(dictionary: Handle, object_name: Text, parent: Text, options: u32);
    AdsDDExecuteProcedure(
        dictionary: Handle, proc_name: Text, input: Text, output: Text, rows_affected: Out<u32>
    );
    AdsDDFindClose(object: Handle, find_handle: Handle);
    AdsDDFindFirstObject(
        object: Handle, find_object_type: u16, parent_name: Text, object_name: Buffer, object_name_len: Out<u16>,
        find_handle: Out<Handle>
    );
    AdsDDFindNextObject(object: Handle, find_handle: Handle, object_name: Buffer, object_name_len: Out<u16>);
    AdsDDFreeTable(table_name: Text, password: Text);
    AdsDDGetArticleProperty(
        object: Handle, publication_name: Text, object_name: Text, property_id: u16, property: Pointer,
        property_len: Out<u16>
    );
    AdsDDGetDatabaseProperty(object: Handle, property_id: u16, property: Pointer, property_len: Out<u16>);
    AdsDDGetFieldProperty(
        object: Handle, table_name: Text, field_name: Text, property_id: u16, property: Pointer,
        property_len: Out<u16>
    );
    AdsDDGetIndexFileProperty(
        object: Handle, table_name: Text, index_file_name: Text, property_id: u16, property: Pointer,
        property_len: Out<u16>
    );
    AdsDDGetIndexProperty(
        object: Handle, table_name: Text, index_name: Text, property_id: u16, property: Pointer,
        property_len: Out<u16>
    );
    AdsDDGetLinkProperty(
        connection: Handle, link_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    );
    AdsDDGetObjectProperty(
        dictionary: Handle, object_type: u16, parent: Text, name: Text, property_id: u16, property: Pointer,
        property_len: Out<u16>
    );
    AdsDDGetPermissions(
        connection: Handle, grantee: Text, object_type: u16, object_name: Text, parent_name: Text,
        get_inherited: u16, permissions: Out<u32>
    );
    AdsDDGetProcedureProperty(
        object: Handle, proc_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    );
    AdsDDGetPublicationProperty(
        object: Handle, publication_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    );
    AdsDDGetRefIntegrityProperty(
        object: Handle, riname: Text, property_id: u16, property: Buffer, property_len: Out<u16>
    );
    AdsDDGetSubscriptionProperty(
        object: Handle, subscription_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    );
    AdsDDGetTableProperty(
        object: Handle, table_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    );
    AdsDDGetTriggerProperty(
        object: Handle, trigger_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    );
    AdsDDGetUserGroupProperty(
        object: Handle, user_group_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    );
    AdsDDGetUserProperty(
        object: Handle, user_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    );
    AdsDDGetViewProperty(
        object: Handle, view_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    );
    AdsDDGrantPermission(
        admin_conn: Handle, object_type: u16, object_name: Text, parent_name: Text, grantee: Text, permissions: u32
    );
    AdsDDModifyLink(
        connection: Handle, link_alias: Text, linked_ddpath: Text, user_name: Text, password: Text, options: u32
    );
    AdsDDMoveObjectFile(
        dictionary: Handle, object_type: u16, object_name: Text, new_path: Text, index_files: Text, parent: Text,
        options: u32
    );
    AdsDDOpen(dictionary_path: Text, password: Text, dictionary: Out<Handle>);
    AdsDDRemoveIndexFile(dictionary: Handle, table_name: Text, index_file_name: Text, delete_file: u16);
    AdsDDRemoveProcedure(dictionary: Handle, name: Text);
    AdsDDRemoveRefIntegrity(dictionary: Handle, riname: Text);
    AdsDDRemoveTable(object: Handle, table_name: Text, delete_files: u16);
    AdsDDRemoveTrigger(dictionary: Handle, name: Text);
    AdsDDRemoveUserFromGroup(dictionary: Handle, group_name: Text, user_name: Text);
    AdsDDRemoveView(dictionary: Handle, name: Text);
    AdsDDRenameObject(
        dictionary: Handle, object_name: Text, new_object_name: Text, object_type: u16, options: u32
    );
    AdsDDRevokePermission(
        admin_conn: Handle, object_type: u16, object_name: Text, parent_name: Text, grantee: Text, permissions: u32
    );
    AdsDDSetActiveDictionary(connection: Handle, link_name: Text, dictionary: Out<Handle>);
    AdsDDSetArticleProperty(
        dictionary: Handle, publication_name: Text, object_name: Text, property_id: u16, property: Pointer,
        property_len: u16
    );
    AdsDDSetDatabaseProperty(dictionary: Handle, property_id: u16, property: Pointer, property_len: u16);
    AdsDDSetFieldProperty(
        dictionary: Handle, table_name: Text, field_name: Text, property_id: u16, property: Pointer,
        property_len: u16, validate_option: u16, fail_table: Text
    );
    AdsDDSetIndexProperty(
        admin_conn: Handle, table_name: Text, index_name: Text, property_id: u16, property: Pointer,
        property_len: u16
    );
    AdsDDSetObjectAccessRights(
        dictionary: Handle, object_name: Text, accessor_name: Text, allowed_access: Text
    );
    AdsDDSetObjectProperty(
        dictionary: Handle, object_type: u16, parent: Text, name: Text, property_id: u16, property: Pointer,
        property_len: u16
    );
    AdsDDSetProcedureProperty(
        dictionary: Handle, procedure_name: Text, property_id: u16, property: Pointer, property_len: u16
    );
    AdsDDSetPublicationProperty(
        dictionary: Handle, publication_name: Text, property_id: u16, property: Pointer, property_len: u16
    );
    AdsDDSetSubscriptionProperty(
        dictionary: Handle, subscription_name: Text, property_id: u16, property: Pointer, property_len: u16
    );
    AdsDDSetTableProperty(
        dictionary: Handle, table_name: Text, property_id: u16, property: Pointer, property_len: u16,
        validate_option: u16, fail_table: Text
    );
    AdsDDSetTriggerProperty(
        dictionary: Handle, trigger_name: Text, property_id: u16, property: Text, property_len: u16
    );
    AdsDDSetUserGroupProperty(
        dictionary: Handle, user_group_name: Text, property_id: u16, property: Pointer, property_len: u16
    );
    AdsDDSetUserProperty(
        dictionary: Handle, user_name: Text, property_id: u16, property: Pointer, property_len: u16
    );
    AdsDDSetViewProperty(
        dictionary: Handle, view_name: Text, property_id: u16, property: Pointer, property_len: u16
    );
    AdsDDVerifyUserRights(object: Handle, table_name: Text, user_rights: Out<u32>);
    AdsGetActiveLinkInfo(connection: Handle, link_num: u16, link_info: Buffer, buffer_len: Out<u16>);
    AdsGetNumActiveLinks(connection: Handle, num_links: Out<u16>) = others::none_of_connection;
}
