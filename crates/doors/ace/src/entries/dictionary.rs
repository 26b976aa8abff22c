//! Data dictionaries: their objects, properties, users and permissions.

use crate::border::*;
use crate::calls::dictionary::{self, links, programs, property_calls, relations, search, tables, users};

entries! {
    "dictionary";
    AdsDDAddIndexFile(dictionary: Handle, table_name: Text, index_file_path: Text, comment: Text) = tables::add_index_file;
    AdsDDAddProcedure(
        dictionary: Handle, name: Text, container: Text, proc_name: Text, invoke_option: u32, in_params: Text,
        out_params: Text, comments: Text
    ) = programs::add_procedure;
    AdsDDAddTable(
        dictionary: Handle, table_name: Text, table_path: Text, table_type: u16, char_type: u16, index_files: Text,
        comments: Text
    ) = tables::add;
    AdsDDAddTable90(
        dictionary: Handle, table_name: Text, table_path: Text, table_type: u16, char_type: u16, index_files: Text,
        comments: Text, collation: Text
    ) = tables::add_90;
    AdsDDAddUserToGroup(dictionary: Handle, group_name: Text, user_name: Text) = users::join_group;
    AdsDDAddView(dictionary: Handle, name: Text, comments: Text, sql: Text) = programs::add_view;
    AdsDDAutoCreateIndex(connection: Handle, table_name: Text, index_name: Text, collation: Text);
    AdsDDAutoCreateTable(connection: Handle, table_name: Text, collation: Text);
    AdsDDClose(dictionary: Handle) = dictionary::close;
    AdsDDCreate(dictionary_path: Text, encrypt: u16, description: Text, dictionary: Out<Handle>) = dictionary::create;
    AdsDDCreateASA(connection: Handle, dictionary_path: Text, encrypt: u16, description: Text, password: Text);
    AdsDDCreateArticle(
        dictionary: Handle, publication_name: Text, object_name: Text, row_ident_columns: Text, filter: Text,
        options: u32
    ) = links::create_article;
    AdsDDCreateFunction(
        dictionary: Handle, name: Text, return_type: Text, input_param_cnt: u16, input_params: Text, func_body: Text,
        comments: Text
    ) = programs::create_function;
    AdsDDCreateLink(
        connection: Handle, link_alias: Text, linked_ddpath: Text, user_name: Text, password: Text, options: u32
    ) = links::create;
    AdsDDCreateLinkPre71(
        connection: Handle, link_alias: Text, linked_ddpath: Text, user_name: Text, password: Text, options: u32
    ) = links::create;
    AdsDDCreatePackage(dictionary: Handle, name: Text, comments: Text) = programs::create_package;
    AdsDDCreatePublication(dictionary: Handle, publication_name: Text, comments: Text, options: u32) = links::create_publication;
    AdsDDCreateRefIntegrity(
        dictionary: Handle, riname: Text, fail_table: Text, parent_table_name: Text, parent_tag_name: Text,
        child_table_name: Text, child_tag_name: Text, update_rule: u16, delete_rule: u16
    ) = relations::create;
    AdsDDCreateRefIntegrity62(
        dictionary: Handle, riname: Text, fail_table: Text, parent_table_name: Text, parent_tag_name: Text,
        child_table_name: Text, child_tag_name: Text, update_rule: u16, delete_rule: u16, no_primary_error: Text,
        cascade_error: Text
    ) = relations::create_62;
    AdsDDCreateSubscription(
        dictionary: Handle, subscription_name: Text, publication_name: Text, target: Text, user: Text,
        password: Text, replication_queue: Text, forward: u16, comments: Text, options: u32
    ) = links::create_subscription;
    AdsDDCreateTrigger(
        dictionary: Handle, name: Text, table_name: Text, trigger_type: u32, event_types: u32, container_type: u32,
        container: Text, function_name: Text, priority: u32, comments: Text, options: u32
    ) = programs::create_trigger;
    AdsDDCreateUser(dictionary: Handle, group_name: Text, user_name: Text, password: Text, description: Text) = users::create_user;
    AdsDDCreateUserGroup(dictionary: Handle, group_name: Text, description: Text) = users::create_group;
    AdsDDDeleteArticle(dictionary: Handle, publication_name: Text, object_name: Text) = links::delete_article;
    AdsDDDeleteIndex(dictionary: Handle, table_name: Text, index_name: Text) = tables::delete_index;
    AdsDDDeletePublication(dictionary: Handle, publication_name: Text) = links::delete_publication;
    AdsDDDeleteSubscription(dictionary: Handle, subscription_name: Text) = links::delete_subscription;
    AdsDDDeleteUser(dictionary: Handle, user_name: Text) = users::delete_user;
    AdsDDDeleteUserGroup(dictionary: Handle, group_name: Text) = users::delete_group;
    AdsDDDeployDatabase(
        destination: Text, destination_password: Text, source: Text, source_password: Text, server_types: u16,
        validate_option: u16, backup_files: u16, options: u32
    );
    AdsDDDisableTriggers(dictionary: Handle, object_name: Text, parent: Text, options: u32) = programs::disable_triggers;
    AdsDDDropFunction(dictionary: Handle, name: Text) = programs::drop_function;
    AdsDDDropLink(connection: Handle, linked_dd: Text, drop_global: u16) = links::drop_link;
    AdsDDDropLinkPre71(connection: Handle, linked_dd: Text, drop_global: u16) = links::drop_link;
    AdsDDDropPackage(dictionary: Handle, name: Text) = programs::drop_package;
    AdsDDEnableTriggers(dictionary: Handle, object_name: Text, parent: Text, options: u32) = programs::enable_triggers;
    AdsDDExecuteProcedure(
        dictionary: Handle, proc_name: Text, input: Text, output: Text, rows_affected: Out<u32>
    );
    AdsDDFindClose(object: Handle, find_handle: Handle) = search::close;
    AdsDDFindFirstObject(
        object: Handle, find_object_type: u16, parent_name: Text, object_name: Buffer, object_name_len: Out<u16>,
        find_handle: Out<Handle>
    ) = search::first;
    AdsDDFindNextObject(object: Handle, find_handle: Handle, object_name: Buffer, object_name_len: Out<u16>) = search::next;
    AdsDDFreeTable(table_name: Text, password: Text) = tables::free;
    AdsDDGetArticleProperty(
        object: Handle, publication_name: Text, object_name: Text, property_id: u16, property: Pointer,
        property_len: Out<u16>
    ) = property_calls::of_article;
    AdsDDGetDatabaseProperty(object: Handle, property_id: u16, property: Pointer, property_len: Out<u16>) = property_calls::of_database;
    AdsDDGetFieldProperty(
        object: Handle, table_name: Text, field_name: Text, property_id: u16, property: Pointer,
        property_len: Out<u16>
    ) = property_calls::of_table_field;
    AdsDDGetIndexFileProperty(
        object: Handle, table_name: Text, index_file_name: Text, property_id: u16, property: Pointer,
        property_len: Out<u16>
    ) = property_calls::of_index_file;
    AdsDDGetIndexProperty(
        object: Handle, table_name: Text, index_name: Text, property_id: u16, property: Pointer,
        property_len: Out<u16>
    ) = property_calls::of_table_index;
    AdsDDGetLinkProperty(
        connection: Handle, link_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    ) = property_calls::of_link;
    AdsDDGetObjectProperty(
        dictionary: Handle, object_type: u16, parent: Text, name: Text, property_id: u16, property: Pointer,
        property_len: Out<u16>
    ) = property_calls::of_object;
    AdsDDGetPermissions(
        connection: Handle, grantee: Text, object_type: u16, object_name: Text, parent_name: Text,
        get_inherited: u16, permissions: Out<u32>
    ) = users::permissions;
    AdsDDGetProcedureProperty(
        object: Handle, proc_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    ) = property_calls::of_procedure;
    AdsDDGetPublicationProperty(
        object: Handle, publication_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    ) = property_calls::of_publication;
    AdsDDGetRefIntegrityProperty(
        object: Handle, riname: Text, property_id: u16, property: Buffer, property_len: Out<u16>
    ) = property_calls::of_relation_as_buffer;
    AdsDDGetSubscriptionProperty(
        object: Handle, subscription_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    ) = property_calls::of_subscription;
    AdsDDGetTableProperty(
        object: Handle, table_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    ) = property_calls::of_table;
    AdsDDGetTriggerProperty(
        object: Handle, trigger_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    ) = property_calls::of_trigger;
    AdsDDGetUserGroupProperty(
        object: Handle, user_group_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    ) = property_calls::of_group;
    AdsDDGetUserProperty(
        object: Handle, user_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    ) = property_calls::of_user;
    AdsDDGetViewProperty(
        object: Handle, view_name: Text, property_id: u16, property: Pointer, property_len: Out<u16>
    ) = property_calls::of_view;
    AdsDDGrantPermission(
        admin_conn: Handle, object_type: u16, object_name: Text, parent_name: Text, grantee: Text, permissions: u32
    ) = users::grant;
    AdsDDModifyLink(
        connection: Handle, link_alias: Text, linked_ddpath: Text, user_name: Text, password: Text, options: u32
    ) = links::modify;
    AdsDDMoveObjectFile(
        dictionary: Handle, object_type: u16, object_name: Text, new_path: Text, index_files: Text, parent: Text,
        options: u32
    ) = tables::move_files;
    AdsDDOpen(dictionary_path: Text, password: Text, dictionary: Out<Handle>) = dictionary::open;
    AdsDDRemoveIndexFile(dictionary: Handle, table_name: Text, index_file_name: Text, delete_file: u16) = tables::remove_index_file;
    AdsDDRemoveProcedure(dictionary: Handle, name: Text) = programs::remove_procedure;
    AdsDDRemoveRefIntegrity(dictionary: Handle, riname: Text) = relations::remove;
    AdsDDRemoveTable(object: Handle, table_name: Text, delete_files: u16) = tables::remove;
    AdsDDRemoveTrigger(dictionary: Handle, name: Text) = programs::remove_trigger;
    AdsDDRemoveUserFromGroup(dictionary: Handle, group_name: Text, user_name: Text) = users::leave_group;
    AdsDDRemoveView(dictionary: Handle, name: Text) = programs::remove_view;
    AdsDDRenameObject(
        dictionary: Handle, object_name: Text, new_object_name: Text, object_type: u16, options: u32
    ) = tables::rename;
    AdsDDRevokePermission(
        admin_conn: Handle, object_type: u16, object_name: Text, parent_name: Text, grantee: Text, permissions: u32
    ) = users::revoke;
    AdsDDSetActiveDictionary(connection: Handle, link_name: Text, dictionary: Out<Handle>);
    AdsDDSetArticleProperty(
        dictionary: Handle, publication_name: Text, object_name: Text, property_id: u16, property: Pointer,
        property_len: u16
    ) = property_calls::set_of_article;
    AdsDDSetDatabaseProperty(dictionary: Handle, property_id: u16, property: Pointer, property_len: u16) = property_calls::set_of_database;
    AdsDDSetFieldProperty(
        dictionary: Handle, table_name: Text, field_name: Text, property_id: u16, property: Pointer,
        property_len: u16, validate_option: u16, fail_table: Text
    ) = property_calls::set_of_field;
    AdsDDSetIndexProperty(
        admin_conn: Handle, table_name: Text, index_name: Text, property_id: u16, property: Pointer,
        property_len: u16
    ) = property_calls::set_of_index;
    AdsDDSetObjectAccessRights(
        dictionary: Handle, object_name: Text, accessor_name: Text, allowed_access: Text
    ) = users::set_rights;
    AdsDDSetObjectProperty(
        dictionary: Handle, object_type: u16, parent: Text, name: Text, property_id: u16, property: Pointer,
        property_len: u16
    ) = property_calls::set_of_object;
    AdsDDSetProcedureProperty(
        dictionary: Handle, procedure_name: Text, property_id: u16, property: Pointer, property_len: u16
    ) = property_calls::set_of_procedure;
    AdsDDSetPublicationProperty(
        dictionary: Handle, publication_name: Text, property_id: u16, property: Pointer, property_len: u16
    ) = property_calls::set_of_publication;
    AdsDDSetSubscriptionProperty(
        dictionary: Handle, subscription_name: Text, property_id: u16, property: Pointer, property_len: u16
    ) = property_calls::set_of_subscription;
    AdsDDSetTableProperty(
        dictionary: Handle, table_name: Text, property_id: u16, property: Pointer, property_len: u16,
        validate_option: u16, fail_table: Text
    ) = property_calls::set_of_table;
    AdsDDSetTriggerProperty(
        dictionary: Handle, trigger_name: Text, property_id: u16, property: Text, property_len: u16
    ) = property_calls::set_of_trigger;
    AdsDDSetUserGroupProperty(
        dictionary: Handle, user_group_name: Text, property_id: u16, property: Pointer, property_len: u16
    ) = property_calls::set_of_group;
    AdsDDSetUserProperty(
        dictionary: Handle, user_name: Text, property_id: u16, property: Pointer, property_len: u16
    ) = property_calls::set_of_user;
    AdsDDSetViewProperty(
        dictionary: Handle, view_name: Text, property_id: u16, property: Pointer, property_len: u16
    ) = property_calls::set_of_view;
    AdsDDVerifyUserRights(object: Handle, table_name: Text, user_rights: Out<u32>) = users::verify;
    AdsGetActiveLinkInfo(connection: Handle, link_num: u16, link_info: Buffer, buffer_len: Out<u16>) = links::active;
    AdsGetNumActiveLinks(connection: Handle, num_links: Out<u16>) = links::count_active;
}
