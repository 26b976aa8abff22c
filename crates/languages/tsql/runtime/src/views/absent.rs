//! Views of features that this database never has: services, keys, partitions, full-text catalogs, replicas. Tools that
//! compare, clear or watch a database query all of them, and get no rows.

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

pub(super) static VIEWS: [View; 60] = [
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
    absent(
        "sys.dm_db_task_space_usage",
        "task_address:y8 is_remote_task:b session_id:s request_id:i exec_context_id:i database_id:i \
        user_objects_alloc_page_count:l user_objects_dealloc_page_count:l \
        internal_objects_alloc_page_count:l internal_objects_dealloc_page_count:l",
    ),
    absent(
        "sys.dm_db_session_space_usage",
        "session_id:s database_id:i user_objects_alloc_page_count:l user_objects_dealloc_page_count:l \
        internal_objects_alloc_page_count:l internal_objects_dealloc_page_count:l \
        user_objects_deferred_dealloc_page_count:l",
    ),
    absent(
        "sys.dm_db_missing_index_details",
        "index_handle:i database_id:s object_id:i equality_columns:n4000 inequality_columns:n4000 \
        included_columns:n4000 statement:n4000",
    ),
    absent("sys.dm_db_missing_index_groups", "index_group_handle:i index_handle:i"),
    absent(
        "sys.dm_db_missing_index_group_stats",
        "group_handle:i unique_compiles:l user_seeks:l user_scans:l last_user_seek:d last_user_scan:d \
        avg_total_user_cost:r avg_user_impact:r system_seeks:l system_scans:l last_system_seek:d \
        last_system_scan:d avg_total_system_cost:r avg_system_impact:r",
    ),
    absent(
        "sys.dm_db_missing_index_group_stats_query",
        "group_handle:i query_hash:y8 query_plan_hash:y8 last_sql_handle:y64 last_statement_start_offset:i \
        last_statement_end_offset:i last_statement_sql_handle:y64 user_seeks:l user_scans:l \
        last_user_seek:d last_user_scan:d avg_total_user_cost:r avg_user_impact:r system_seeks:l \
        system_scans:l last_system_seek:d last_system_scan:d avg_total_system_cost:r avg_system_impact:r",
    ),
    absent("sys.dm_db_persisted_sku_features", "feature_name:n feature_id:i"),
    absent(
        "sys.dm_db_column_store_row_group_physical_stats",
        "object_id:i index_id:i partition_number:i row_group_id:i delta_store_hobt_id:l state:t \
        state_desc:n60 total_rows:l deleted_rows:l size_in_bytes:l trim_reason:t trim_reason_desc:n60 \
        transition_to_compressed_state:t transition_to_compressed_state_desc:n60 \
        has_vertipaq_optimization:b generation:l created_time:d closed_time:d",
    ),
    absent(
        "sys.column_store_row_groups",
        "object_id:i index_id:i partition_number:i row_group_id:i delta_store_hobt_id:l state:t \
        state_description:n60 total_rows:l deleted_rows:l size_in_bytes:l",
    ),
    absent(
        "sys.column_store_dictionaries",
        "partition_id:l hobt_id:l column_id:i dictionary_id:i version:i type:i last_id:i entry_count:l \
        on_disk_size:l",
    ),
    absent("sys.dm_tran_version_store_space_usage", "database_id:i reserved_page_count:l reserved_space_kb:l"),
    absent(
        "sys.dm_tran_active_snapshot_database_transactions",
        "transaction_id:l transaction_sequence_num:l commit_sequence_num:l is_snapshot:b session_id:i \
        first_snapshot_sequence_num:l max_version_chain_traversed:i average_version_chain_traversed:r \
        elapsed_time_seconds:l",
    ),
    absent(
        "sys.availability_groups",
        "group_id:g name:n resource_id:n40 resource_group_id:n40 failure_condition_level:i \
        health_check_timeout:i automated_backup_preference:t automated_backup_preference_desc:n60 \
        version:s basic_features:b dtc_support:b db_failover:b is_distributed:b cluster_type:t \
        cluster_type_desc:n60 required_synchronized_secondaries_to_commit:i sequence_number:l \
        is_contained:b",
    ),
    absent(
        "sys.availability_groups_cluster",
        "group_id:g name:n resource_id:n40 resource_group_id:n40 failure_condition_level:i \
        health_check_timeout:i automated_backup_preference:t automated_backup_preference_desc:n60",
    ),
    absent(
        "sys.availability_replicas",
        "replica_id:g group_id:g replica_metadata_id:i replica_server_name:n256 owner_sid:y85 \
        endpoint_url:n256 availability_mode:t availability_mode_desc:n60 failover_mode:t \
        failover_mode_desc:n60 session_timeout:i primary_role_allow_connections:t \
        primary_role_allow_connections_desc:n60 secondary_role_allow_connections:t \
        secondary_role_allow_connections_desc:n60 create_date:d modify_date:d backup_priority:i \
        read_only_routing_url:n256 seeding_mode:t seeding_mode_desc:n60 read_write_routing_url:n256",
    ),
    absent(
        "sys.availability_group_listeners",
        "group_id:g listener_id:n36 dns_name:n63 port:i is_conformant:b \
        ip_configuration_string_from_cluster:x is_distributed_network_name:b",
    ),
    absent("sys.availability_databases_cluster", "group_id:g group_database_id:g database_name:n truncation_lsn:m"),
    absent(
        "sys.dm_hadr_availability_group_states",
        "group_id:g primary_replica:n primary_recovery_health:t primary_recovery_health_desc:n60 \
        secondary_recovery_health:t secondary_recovery_health_desc:n60 synchronization_health:t \
        synchronization_health_desc:n60",
    ),
    absent(
        "sys.dm_hadr_availability_replica_states",
        "replica_id:g group_id:g is_local:b role:t role_desc:n60 operational_state:t \
        operational_state_desc:n60 connected_state:t connected_state_desc:n60 recovery_health:t \
        recovery_health_desc:n60 synchronization_health:t synchronization_health_desc:n60 \
        last_connect_error_number:i last_connect_error_description:n1024 last_connect_error_timestamp:d \
        write_lease_remaining_ticks:l current_configuration_commit_start_time_utc:d",
    ),
    absent(
        "sys.dm_hadr_availability_replica_cluster_states",
        "replica_id:g replica_server_name:n256 group_id:g join_state:t join_state_desc:n60",
    ),
    absent(
        "sys.dm_hadr_database_replica_states",
        "database_id:i group_id:g replica_id:g group_database_id:g is_local:b is_primary_replica:b \
        synchronization_state:t synchronization_state_desc:n60 is_commit_participant:b \
        synchronization_health:t synchronization_health_desc:n60 database_state:t database_state_desc:n60 \
        is_suspended:b suspend_reason:t suspend_reason_desc:n60 recovery_lsn:m truncation_lsn:m \
        last_sent_lsn:m last_sent_time:d last_received_lsn:m last_received_time:d last_hardened_lsn:m \
        last_hardened_time:d last_redone_lsn:m last_redone_time:d log_send_queue_size:l log_send_rate:l \
        redo_queue_size:l redo_rate:l filestream_send_rate:l end_of_log_lsn:m last_commit_lsn:m \
        last_commit_time:d low_water_mark_for_ghosts:l secondary_lag_seconds:l",
    ),
    absent(
        "sys.dm_hadr_cluster",
        "cluster_name:n quorum_type:t quorum_type_desc:n60 quorum_state:t quorum_state_desc:n60",
    ),
    absent(
        "sys.dm_hadr_physical_seeding_stats",
        "local_physical_seeding_id:g remote_physical_seeding_id:g local_database_id:i local_database_name:n \
        remote_machine_name:n role_desc:n60 internal_state_desc:n60 transfer_rate_bytes_per_second:l \
        transferred_size_bytes:l database_size_bytes:l start_time_utc:d end_time_utc:d \
        estimate_time_complete_utc:d total_disk_io_wait_time_ms:l total_network_wait_time_ms:l \
        failure_code:i failure_message:n4000 failure_time_utc:d is_compression_enabled:b",
    ),
    absent(
        "sys.dm_hadr_auto_page_repair",
        "database_id:i file_id:i page_id:l error_type:s page_status:t modification_time:d",
    ),
    absent(
        "sys.dm_db_mirroring_auto_page_repair",
        "database_id:i file_id:i page_id:l error_type:s page_status:t modification_time:d",
    ),
    absent(
        "sys.database_mirroring_endpoints",
        "name:n endpoint_id:i principal_id:i protocol:t protocol_desc:n60 type:t type_desc:n60 state:t \
        state_desc:n60 is_admin_endpoint:b role:t role_desc:n60 is_encryption_enabled:b connection_auth:t \
        connection_auth_desc:n60 certificate_id:i encryption_algorithm:t encryption_algorithm_desc:n60",
    ),
    absent(
        "sys.index_resumable_operations",
        "object_id:i index_id:i name:n sql_text:x last_max_dop_used:s partition_number:i state:t \
        state_desc:n60 start_time:d last_pause_time:d total_execution_time:i percent_complete:r \
        page_count:l",
    ),
    absent(
        "sys.database_event_sessions",
        "event_session_id:i name:n event_retention_mode:c1 event_retention_mode_desc:n60 \
        max_dispatch_latency:i max_memory:i max_event_size:i memory_partition_mode:c1 \
        memory_partition_mode_desc:n60 track_causality:b startup_state:b has_long_running_target:b",
    ),
    absent(
        "sys.plan_guides",
        "plan_guide_id:i name:n create_date:d modify_date:d is_disabled:b query_text:x scope_type:t \
        scope_type_desc:n60 scope_object_id:i scope_batch:x parameters:x hints:x",
    ),
    absent("sys.destination_data_spaces", "partition_scheme_id:i destination_id:i data_space_id:i"),
    absent(
        "sys.partition_parameters",
        "function_id:i parameter_id:i system_type_id:t max_length:s precision:t scale:t collation_name:n \
        user_type_id:i",
    ),
    absent(
        "sys.database_automatic_tuning_options",
        "name:n desired_state:s desired_state_desc:n60 actual_state:s actual_state_desc:n60 reason:s \
        reason_desc:n60",
    ),
    absent(
        "sys.dm_database_encryption_keys",
        "database_id:i encryption_state:i create_date:d regenerate_date:d modify_date:d set_date:d \
        opened_date:d key_algorithm:n32 key_length:i encryptor_thumbprint:y20 encryptor_type:n32 \
        percent_complete:r encryption_state_desc:n32 encryption_scan_state:i \
        encryption_scan_state_desc:n32 encryption_scan_modify_date:d",
    ),
    absent(
        "sys.extended_procedures",
        "name:n object_id:i principal_id:i schema_id:i parent_object_id:i type:c2 type_desc:n60 \
        create_date:d modify_date:d is_ms_shipped:b is_published:b is_schema_published:b dll_name:n260",
    ),
    absent(
        "sys.change_tracking_databases",
        "database_id:i is_auto_cleanup_on:t retention_period:i retention_period_units:t \
        retention_period_units_desc:n60 max_cleanup_version:l",
    ),
];

pub(super) const fn absent(name: &'static str, columns: &'static str) -> View {
    View { name, columns, rows: none }
}

fn none(_: &Facts<'_>) -> Rows {
    Rows::new()
}
