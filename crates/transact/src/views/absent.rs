//! Views of what this database never has: services, keys, partitions, full-text catalogs. Tools that compare or clear a
//! database ask for them all, and find none.

use super::{Facts, Rows, View};

const QUEUE: &str = "name:n object_id:i principal_id:i schema_id:i parent_object_id:i type:c2 type_desc:n60 create_date:d \
    modify_date:d is_ms_shipped:b is_published:b is_schema_published:b max_readers:s activation_procedure:n776 \
    execute_as_principal_id:i is_activation_enabled:b is_receive_enabled:b is_enqueue_enabled:b is_retention_enabled:b \
    is_poison_message_handling_enabled:b";
const SYMMETRIC_KEY: &str = "name:n principal_id:i symmetric_key_id:i key_length:i key_algorithm:c2 algorithm_desc:n60 \
    create_date:d modify_date:d key_guid:g key_thumbprint:z provider_type:n60 cryptographic_provider_guid:g \
    cryptographic_provider_algid:z";
const ASYMMETRIC_KEY: &str = "name:n principal_id:i asymmetric_key_id:i pvt_key_encryption_type:c2 \
    pvt_key_encryption_type_desc:n60 thumbprint:y32 algorithm:c2 algorithm_desc:n60 key_length:i sid:y85 string_sid:n128 \
    public_key:y8000 attested_by:n260 provider_type:n120 cryptographic_provider_guid:g cryptographic_provider_algid:z";
const CERTIFICATE: &str = "name:n certificate_id:i principal_id:i pvt_key_encryption_type:c2 pvt_key_encryption_type_desc:n60 \
    is_active_for_begin_dialog:b issuer_name:n442 cert_serial_number:n64 sid:y85 string_sid:n128 subject:n4000 expiry_date:d \
    start_date:d thumbprint:y32 attested_by:n260 pvt_key_last_backup_date:d key_length:i";
const SERVER_TRIGGER: &str = "name:n object_id:i parent_class:t parent_class_desc:n60 parent_id:i type:c2 type_desc:n60 \
    create_date:d modify_date:d is_ms_shipped:b is_disabled:b";
const EXTERNAL_TABLE: &str = "name:n object_id:i principal_id:i schema_id:i parent_object_id:i type:c2 type_desc:n60 \
    create_date:d modify_date:d is_ms_shipped:b max_column_id_used:i uses_ansi_nulls:b data_source_id:i file_format_id:i \
    location:n4000 reject_type:n20 reject_value:r distribution_type:t distribution_desc:n120";
const FULLTEXT_CATALOG: &str = "fulltext_catalog_id:i name:n path:n260 is_default:b is_accent_sensitivity_on:b data_space_id:i \
    file_id:i principal_id:i is_importing:b";
const INTERNAL_TABLE: &str = "name:n object_id:i principal_id:i schema_id:i parent_object_id:i type:c2 type_desc:n60 \
    create_date:d modify_date:d is_ms_shipped:b internal_type:t internal_type_desc:n60 parent_id:i parent_minor_id:i \
    lob_data_space_id:i filestream_data_space_id:i";
const SECURITY_POLICY: &str = "name:n object_id:i principal_id:i schema_id:i parent_object_id:i type:c2 type_desc:n60 \
    create_date:d modify_date:d is_ms_shipped:b is_enabled:b is_not_for_replication:b is_schema_bound:b";
const HASH_INDEX: &str = "object_id:i name:n index_id:i type:t type_desc:n60 is_unique:b data_space_id:i ignore_dup_key:b \
    is_primary_key:b is_unique_constraint:b fill_factor:t is_padded:b is_disabled:b is_hypothetical:b allow_row_locks:b \
    allow_page_locks:b has_filter:b filter_definition:x bucket_count:i auto_created:b";
const INDEX_USAGE: &str = "database_id:s object_id:i index_id:i user_seeks:l user_scans:l user_lookups:l user_updates:l \
    last_user_seek:d last_user_scan:d last_user_lookup:d last_user_update:d system_seeks:l system_scans:l system_lookups:l \
    system_updates:l last_system_seek:d last_system_scan:d last_system_lookup:d last_system_update:d";

pub(super) static VIEWS: [View; 25] = [
    absent("sys.service_queues", QUEUE),
    absent("sys.services", "name:n service_id:i principal_id:i service_queue_id:i"),
    absent("sys.service_contracts", "name:n service_contract_id:i principal_id:i"),
    absent("sys.service_message_types", "name:n message_type_id:i principal_id:i validation:c2 validation_desc:n60"),
    absent(
        "sys.event_notifications",
        "name:n object_id:i parent_class:t parent_class_desc:n60 parent_id:i create_date:d modify_date:d service_name:n256 \
        broker_instance:n128 creator_sid:y85 principal_id:i",
    ),
    absent("sys.symmetric_keys", SYMMETRIC_KEY),
    absent("sys.asymmetric_keys", ASYMMETRIC_KEY),
    absent("sys.certificates", CERTIFICATE),
    absent(
        "sys.credentials",
        "credential_id:i name:n credential_identity:n4000 create_date:d modify_date:d target_type:n100 target_id:i",
    ),
    absent(
        "sys.column_master_keys",
        "name:n column_master_key_id:i create_date:d modify_date:d key_store_provider_name:n key_path:n4000 \
        allow_enclave_computations:b signature:y8000",
    ),
    absent("sys.column_encryption_keys", "name:n column_encryption_key_id:i create_date:d modify_date:d"),
    absent("sys.fulltext_catalogs", FULLTEXT_CATALOG),
    absent("sys.fulltext_stoplists", "stoplist_id:i name:n create_date:d modify_date:d principal_id:i"),
    absent(
        "sys.registered_search_property_lists",
        "property_list_id:i name:n create_date:d modify_date:d principal_id:i",
    ),
    absent(
        "sys.partition_functions",
        "name:n function_id:i type:c2 type_desc:n60 fanout:i boundary_value_on_right:b is_system:b create_date:d modify_date:d",
    ),
    absent("sys.partition_range_values", "function_id:i boundary_id:i parameter_id:i value:z"),
    absent("sys.server_triggers", SERVER_TRIGGER),
    absent("sys.external_tables", EXTERNAL_TABLE),
    absent("sys.periods", "name:n period_type:t period_type_desc:n60 object_id:i start_column_id:i end_column_id:i"),
    absent("sys.security_policies", SECURITY_POLICY),
    absent("sys.internal_tables", INTERNAL_TABLE),
    absent(
        "sys.change_tracking_tables",
        "object_id:i is_track_columns_updated_on:b min_valid_version:l begin_version:l cleanup_version:l",
    ),
    absent("sys.numbered_procedures", "object_id:i procedure_number:s definition:x"),
    absent("sys.hash_indexes", HASH_INDEX),
    absent("sys.dm_db_index_usage_stats", INDEX_USAGE),
];

const fn absent(name: &'static str, columns: &'static str) -> View {
    View { name, columns, rows: none }
}

fn none(_: &Facts<'_>) -> Rows {
    Rows::new()
}
