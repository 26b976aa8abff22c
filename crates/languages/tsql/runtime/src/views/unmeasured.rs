//! Views of figures that SQL Server collects about itself, and Mainstay does not: waits, memory, threads, event
//! sessions.
//!
//! Scripts that watch a server query them, often in one statement with views that have rows here. (The columns are
//! those of "System dynamic management views" in SQL Server's reference.)

use super::{View, absent::absent};

pub(super) static VIEWS: [View; 31] = [
    absent(
        "sys.dm_os_wait_stats",
        "wait_type:n60 waiting_tasks_count:l wait_time_ms:l max_wait_time_ms:l signal_wait_time_ms:l",
    ),
    absent(
        "sys.dm_exec_session_wait_stats",
        "session_id:s wait_type:n60 waiting_tasks_count:l wait_time_ms:l max_wait_time_ms:l \
        signal_wait_time_ms:l",
    ),
    absent(
        "sys.dm_db_wait_stats",
        "wait_type:n60 waiting_tasks_count:l wait_time_ms:l max_wait_time_ms:l signal_wait_time_ms:l",
    ),
    absent("sys.dm_os_latch_stats", "latch_class:n60 waiting_requests_count:l wait_time_ms:l max_wait_time_ms:l"),
    absent(
        "sys.dm_os_memory_clerks",
        "memory_clerk_address:y8 type:n60 name:n256 memory_node_id:s pages_kb:l \
        virtual_memory_reserved_kb:l virtual_memory_committed_kb:l awe_allocated_kb:l \
        shared_memory_reserved_kb:l shared_memory_committed_kb:l page_size_in_bytes:l \
        page_allocator_address:y8 host_address:y8 parent_memory_broker_type:n60",
    ),
    absent(
        "sys.dm_os_memory_cache_counters",
        "cache_address:y8 name:n256 type:n60 pages_kb:l pages_in_use_kb:l entries_count:l \
        entries_in_use_count:l",
    ),
    absent("sys.dm_os_ring_buffers", "ring_buffer_address:y8 ring_buffer_type:n60 timestamp:l record:x"),
    absent(
        "sys.dm_os_buffer_descriptors",
        "database_id:i file_id:i page_id:i page_level:i allocation_unit_id:l page_type:n60 row_count:i \
        free_space_in_bytes:i is_modified:b numa_node:i read_microsec:l is_in_bpool_extension:b",
    ),
    absent(
        "sys.dm_os_tasks",
        "task_address:y8 task_state:n60 context_switches_count:i pending_io_count:i pending_io_byte_count:l \
        pending_io_byte_average:i scheduler_id:i session_id:s exec_context_id:i request_id:i \
        worker_address:y8 host_address:y8 parent_task_address:y8",
    ),
    absent(
        "sys.dm_os_workers",
        "worker_address:y8 status:i is_preemptive:b is_fiber:b is_sick:b is_in_cc_exception:b \
        is_fatal_exception:b is_inside_catch:b is_in_polling_io_completion_routine:b \
        context_switch_count:i pending_io_count:i pending_io_byte_count:l pending_io_byte_average:i \
        wait_started_ms_ticks:l wait_resumed_ms_ticks:l task_bound_ms_ticks:l worker_created_ms_ticks:l \
        exception_num:i exception_severity:i exception_address:y8 affinity:l state:n60 start_quantum:l \
        end_quantum:l last_wait_type:n60 return_code:i quantum_used:l max_quantum:l boost_count:i \
        tasks_processed_count:i fiber_address:y8 task_address:y8 memory_object_address:y8 \
        thread_address:y8 signal_worker_address:y8 scheduler_address:y8 processor_group:s",
    ),
    absent(
        "sys.dm_os_threads",
        "thread_address:y8 started_by_sqlservr:b os_thread_id:i status:i instruction_address:y8 \
        creation_time:d kernel_time:l usermode_time:l stack_base_address:y8 stack_end_address:y8 \
        stack_bytes_committed:i stack_bytes_used:i affinity:l priority:i locale:i token:y8 \
        is_impersonating:i is_waiting_on_loader_lock:i fiber_data:y8 thread_handle:y8 event_handle:y8 \
        scheduler_address:y8 worker_address:y8 fiber_context_address:y8 self_address:y8 processor_group:s",
    ),
    absent("sys.dm_os_cluster_nodes", "NodeName:n status:i status_description:n20 is_current_owner:b"),
    absent(
        "sys.dm_os_windows_info",
        "windows_release:n256 windows_service_pack_level:n256 windows_sku:i os_language_version:i",
    ),
    absent(
        "sys.dm_os_loaded_modules",
        "base_address:y8 file_version:v23 product_version:v23 debug:b patched:b prerelease:b \
        private_build:b special_build:b language:i company:n256 description:n256 name:n255",
    ),
    absent("sys.dm_server_registry", "registry_key:n512 value_name:n512 value_data:z"),
    absent("sys.dm_server_memory_dumps", "filename:n512 creation_time:d size_in_bytes:l"),
    absent(
        "sys.dm_server_audit_status",
        "audit_id:i name:n status:s status_desc:n256 status_time:d event_session_address:y8 \
        audit_file_path:n256 audit_file_size:l",
    ),
    absent(
        "sys.dm_exec_function_stats",
        "database_id:i object_id:i type:c2 type_desc:n60 sql_handle:y64 plan_handle:y64 cached_time:d \
        last_execution_time:d execution_count:l total_worker_time:l last_worker_time:l min_worker_time:l \
        max_worker_time:l total_physical_reads:l last_physical_reads:l min_physical_reads:l \
        max_physical_reads:l total_logical_writes:l last_logical_writes:l min_logical_writes:l \
        max_logical_writes:l total_logical_reads:l last_logical_reads:l min_logical_reads:l \
        max_logical_reads:l total_elapsed_time:l last_elapsed_time:l min_elapsed_time:l max_elapsed_time:l \
        total_num_physical_reads:l last_num_physical_reads:l min_num_physical_reads:l \
        max_num_physical_reads:l total_page_server_reads:l last_page_server_reads:l \
        min_page_server_reads:l max_page_server_reads:l total_num_page_server_reads:l \
        last_num_page_server_reads:l min_num_page_server_reads:l max_num_page_server_reads:l",
    ),
    absent(
        "sys.dm_exec_query_memory_grants",
        "session_id:s request_id:i scheduler_id:i dop:s request_time:d grant_time:d requested_memory_kb:l \
        granted_memory_kb:l required_memory_kb:l used_memory_kb:l max_used_memory_kb:l query_cost:r \
        timeout_sec:i resource_semaphore_id:s queue_id:s wait_order:i is_next_candidate:b wait_time_ms:l \
        plan_handle:y64 sql_handle:y64 group_id:i pool_id:i is_small:b ideal_memory_kb:l \
        reserved_worker_count:i used_worker_count:i max_used_worker_count:i reserved_node_bitmap:l",
    ),
    absent(
        "sys.dm_exec_query_resource_semaphores",
        "resource_semaphore_id:s target_memory_kb:l max_target_memory_kb:l total_memory_kb:l \
        available_memory_kb:l granted_memory_kb:l used_memory_kb:l grantee_count:i waiter_count:i \
        timeout_error_count:l forced_grant_count:l pool_id:i",
    ),
    absent(
        "sys.dm_exec_query_profiles",
        "session_id:s request_id:i sql_handle:y64 plan_handle:y64 physical_operator_name:n256 node_id:i \
        thread_id:i task_address:y8 row_count:l rewind_count:l rebind_count:l end_of_scan_count:l \
        estimate_row_count:l first_active_time:l last_active_time:l open_time:l first_row_time:l \
        last_row_time:l close_time:l elapsed_time_ms:l cpu_time_ms:l database_id:s object_id:i index_id:i \
        scan_count:l logical_read_count:l physical_read_count:l read_ahead_count:l write_page_count:l \
        lob_logical_read_count:l lob_physical_read_count:l lob_read_ahead_count:l segment_read_count:i \
        segment_skip_count:i actual_read_row_count:l estimated_read_row_count:l",
    ),
    absent("sys.dm_exec_query_optimizer_info", "counter:n4000 occurrence:l value:r"),
    absent(
        "sys.dm_io_pending_io_requests",
        "io_completion_request_address:y8 io_type:n7 io_pending_ms_ticks:l io_pending:i \
        io_completion_routine_address:y8 io_user_data_address:y8 scheduler_address:y8 io_handle:y8 \
        io_offset:l io_handle_path:n256",
    ),
    absent(
        "sys.server_event_sessions",
        "event_session_id:i name:n event_retention_mode:c1 event_retention_mode_desc:n60 \
        max_dispatch_latency:i max_memory:i max_event_size:i memory_partition_mode:c1 \
        memory_partition_mode_desc:n60 track_causality:b startup_state:b has_long_running_target:b",
    ),
    absent(
        "sys.dm_xe_sessions",
        "address:y8 name:n256 pending_buffers:i total_regular_buffers:i regular_buffer_size:l \
        total_large_buffers:i large_buffer_size:l total_buffer_size:l buffer_policy_flags:i \
        buffer_policy_desc:n256 flags:i flag_desc:n256 dropped_event_count:i dropped_buffer_count:i \
        blocked_event_fire_time:i create_time:d largest_event_dropped_size:i session_source:n256 \
        buffer_processed_count:l buffer_full_count:l total_bytes_generated:l total_target_memory:l",
    ),
    absent(
        "sys.dm_xe_database_sessions",
        "address:y8 name:n256 pending_buffers:i total_regular_buffers:i regular_buffer_size:l \
        total_large_buffers:i large_buffer_size:l total_buffer_size:l buffer_policy_flags:i \
        buffer_policy_desc:n256 flags:i flag_desc:n256 dropped_event_count:i dropped_buffer_count:i \
        blocked_event_fire_time:i create_time:d largest_event_dropped_size:i session_source:n256 \
        buffer_processed_count:l buffer_full_count:l total_bytes_generated:l total_target_memory:l",
    ),
    absent(
        "sys.dm_xe_session_targets",
        "event_session_address:y8 target_name:n256 target_package_guid:g execution_count:l \
        execution_duration_ms:l target_data:x bytes_written:l failed_buffer_count:l",
    ),
    absent(
        "sys.dm_xe_database_session_targets",
        "event_session_address:y8 target_name:n256 target_package_guid:g execution_count:l \
        execution_duration_ms:l target_data:x bytes_written:l failed_buffer_count:l",
    ),
    absent(
        "sys.traces",
        "id:i status:i path:n260 max_size:l stop_time:d max_files:i is_rowset:b is_rollover:b is_shutdown:b \
        is_default:b buffer_count:i buffer_size:i file_position:l reader_spid:i start_time:d \
        last_event_time:d event_count:l dropped_event_count:i",
    ),
    absent("sys.linked_logins", "server_id:i local_principal_id:i uses_self_credential:b remote_name:n modify_date:d"),
    absent("sys.dm_broker_activated_tasks", "spid:i database_id:s queue_id:i procedure_name:n260 execute_as:i"),
];
