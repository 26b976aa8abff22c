//! The machine and the service as SQL Server shows them: schedulers, nodes, memory, groups of requests, and each
//! database's mirroring, recovery and space.
//!
//! Processors are the machine's own. Sizes that are not measured are 0, and features of SQL Server are off.

use super::{Facts, Rows, View, row};
use mainstay_types::Value;

pub(super) static VIEWS: [View; 14] = [
    View {
        name: "sys.dm_os_schedulers",
        columns: "scheduler_address:y8=null parent_node_id:i=0 scheduler_id:i cpu_id:s status:n60=VISIBLE~ONLINE \
        is_online:b=1 is_idle:b=0 preemptive_switches_count:i=0 context_switches_count:i=0 idle_switches_count:i=0 \
        current_tasks_count:i=0 runnable_tasks_count:i=0 current_workers_count:i=0 active_workers_count:i=0 \
        work_queue_count:l=0 pending_disk_io_count:i=0 load_factor:i=0 yield_count:i=0 last_timer_activity:l=0 \
        failed_to_create_worker:b=0 active_worker_address:y8=null memory_object_address:y8=null \
        task_memory_object_address:y8=null quantum_length_us:l=4000 total_cpu_usage_ms:l=0 total_cpu_idle_capped_ms:l=0 \
        total_scheduler_delay_ms:l=0 ideal_workers_limit:i=0",
        rows: |_| (0..cores()).map(|number| row![number, number]).collect(),
    },
    View {
        name: "sys.dm_os_nodes",
        columns: "node_id:s=0 node_state_desc:n256=ONLINE memory_object_address:y8=null memory_clerk_address:y8=null \
        io_completion_worker_address:y8=null memory_node_id:s=0 cpu_affinity_mask:l=0 online_scheduler_count:s \
        idle_scheduler_count:s=0 active_worker_count:i=0 avg_load_balance:i=0 timer_task_affinity_mask:l=0 \
        permanent_task_affinity_mask:l=0 resource_monitor_state:b=0 online_scheduler_mask:y8=null processor_group:s=0 \
        cpu_count:i",
        rows: |_| vec![row![cores(), cores()]],
    },
    View {
        name: "sys.dm_os_memory_nodes",
        columns: "memory_node_id:s=0 virtual_address_space_reserved_kb:l=0 virtual_address_space_committed_kb:l=0 \
        locked_page_allocations_kb:l=0 pages_kb:l=0 shared_memory_reserved_kb:l=0 shared_memory_committed_kb:l=0 \
        cpu_affinity_mask:l=0 online_scheduler_mask:y8=null processor_group:s=0 foreign_committed_kb:l=0 target_kb:l=0",
        rows: one,
    },
    View {
        name: "sys.dm_os_sys_memory",
        columns: "total_physical_memory_kb:l=8388608 available_physical_memory_kb:l=8388608 total_page_file_kb:l=0 \
        available_page_file_kb:l=0 system_cache_kb:l=0 kernel_paged_pool_kb:l=0 kernel_nonpaged_pool_kb:l=0 \
        system_high_memory_signal_state:b=1 system_low_memory_signal_state:b=0 \
        system_memory_state_desc:n256=Available~physical~memory~is~high",
        rows: one,
    },
    View {
        name: "sys.dm_os_process_memory",
        columns: "physical_memory_in_use_kb:l=0 large_page_allocations_kb:l=0 locked_page_allocations_kb:l=0 \
        total_virtual_address_space_kb:l=137438953344 virtual_address_space_reserved_kb:l=0 \
        virtual_address_space_committed_kb:l=0 virtual_address_space_available_kb:l=137438953344 page_fault_count:l=0 \
        memory_utilization_percentage:i=100 available_commit_limit_kb:l=0 process_physical_memory_low:b=0 \
        process_virtual_memory_low:b=0",
        rows: one,
    },
    View {
        name: "sys.dm_server_services",
        columns: "servicename:n256=SQL~Server~(MAINSTAY) startup_type:i=2 startup_type_desc:n256=Automatic status:i=4 \
        status_desc:n256=Running process_id:i last_startup_time:d service_account:n256= filename:n256= \
        is_clustered:n1=N cluster_nodename:n256=null instant_file_initialization_enabled:n1=N",
        rows: |facts| vec![row![i64::from(std::process::id()), facts.started()]],
    },
    View {
        name: "sys.resource_governor_configuration",
        columns: "classifier_function_id:i=0 is_enabled:b=0 max_outstanding_io_per_volume:i=0",
        rows: one,
    },
    View {
        name: "sys.resource_governor_resource_pools",
        columns: "pool_id:i name:n min_cpu_percent:i=0 max_cpu_percent:i=100 min_memory_percent:i=0 \
        max_memory_percent:i=100 cap_cpu_percent:i=100 min_iops_per_volume:i=0 max_iops_per_volume:i=0",
        rows: |_| vec![row![1, "internal"], row![2, "default"]],
    },
    View {
        name: "sys.resource_governor_workload_groups",
        columns: "group_id:i name:n importance:n=Medium request_max_memory_grant_percent:i=25 \
        request_max_cpu_time_sec:i=0 request_memory_grant_timeout_sec:i=0 max_dop:i=0 group_max_requests:i=0 pool_id:i \
        external_pool_id:i=2 request_max_memory_grant_percent_numeric:r=25",
        rows: |_| vec![row![1, "internal", 1], row![2, "default", 2]],
    },
    View {
        name: "sys.database_mirroring",
        columns: "database_id:i mirroring_guid:g=null mirroring_state:t=null mirroring_state_desc:n60=null \
        mirroring_role:t=null mirroring_role_desc:n60=null mirroring_role_sequence:i=null mirroring_safety_level:t=null \
        mirroring_safety_level_desc:n60=null mirroring_safety_sequence:i=null mirroring_partner_name:n=null \
        mirroring_partner_instance:n=null mirroring_witness_name:n=null mirroring_witness_state:t=null \
        mirroring_witness_state_desc:n60=null mirroring_failover_lsn:m=null mirroring_connection_timeout:i=null \
        mirroring_redo_queue:i=null mirroring_redo_queue_type:n60=null mirroring_end_of_log_lsn:m=null \
        mirroring_replication_lsn:m=null",
        rows: of_databases,
    },
    View {
        name: "sys.database_recovery_status",
        columns: "database_id:i database_guid:g=null family_guid:g=null last_log_backup_lsn:m=null \
        recovery_fork_guid:g=null first_recovery_fork_guid:g=null fork_point_lsn:m=null",
        rows: of_databases,
    },
    View {
        name: "sys.database_query_store_options",
        columns: "desired_state:s=0 desired_state_desc:n60=OFF actual_state:s=0 actual_state_desc:n60=OFF \
        readonly_reason:i=0 current_storage_size_mb:l=0 flush_interval_seconds:l=900 interval_length_minutes:l=60 \
        max_storage_size_mb:l=1000 stale_query_threshold_days:l=30 max_plans_per_query:l=200 query_capture_mode:s=2 \
        query_capture_mode_desc:n60=AUTO capture_policy_execution_count:i=null \
        capture_policy_total_compile_cpu_time_ms:l=null capture_policy_total_execution_cpu_time_ms:l=null \
        capture_policy_stale_threshold_hours:i=null size_based_cleanup_mode:s=1 size_based_cleanup_mode_desc:n60=AUTO \
        wait_stats_capture_mode:s=1 wait_stats_capture_mode_desc:n60=ON actual_state_additional_info:n4000=",
        rows: one,
    },
    View {
        name: "sys.dm_db_file_space_usage",
        columns: "database_id:s=5 file_id:s=1 filegroup_id:s=1 total_page_count:l=1024 allocated_extent_page_count:l=1024 \
        unallocated_extent_page_count:l=0 version_store_reserved_page_count:l=0 user_object_reserved_page_count:l=0 \
        internal_object_reserved_page_count:l=0 mixed_extent_page_count:l=0 modified_extent_page_count:l=0",
        rows: one,
    },
    View {
        name: "sys.dm_db_log_space_usage",
        columns: "database_id:s=5 total_log_size_in_bytes:l=8388608 used_log_space_in_bytes:l=0 \
        used_log_space_in_percent:r=0 log_space_in_bytes_since_last_backup:l=0",
        rows: one,
    },
];

/// The processors of the machine.
pub(super) fn cores() -> i64 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as i64)
}

/// A row whose values are all the same in every database.
fn one(_: &Facts<'_>) -> Rows {
    vec![Vec::new()]
}

/// A row for each database, by its number: those of the system, and this one.
fn of_databases(_: &Facts<'_>) -> Rows {
    (1..=5).map(|number| vec![Value::Integer(number)]).collect()
}
