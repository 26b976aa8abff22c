//! The server and its users: `sys.databases`, `sys.database_principals`, `sys.configurations`, the dynamic views.

use super::activity::TICKS_PER_MS;
use super::machine::cores;
use super::{Facts, Rows, View, row};
use crate::session::instance::Process;
use mainstay_tsql_types::language::{self, Language};
use mainstay_types::Value;

pub(super) const VIEWS: [View; 20] = [
    View { name: "sys.databases", columns: DATABASE, rows: databases },
    View { name: "sys.database_files", columns: FILE, rows: files },
    View { name: "sys.master_files", columns: MASTER_FILE, rows: master_files },
    View {
        name: "sys.database_principals",
        columns: "name:n principal_id:i type:c1 type_desc:n60 default_schema_name:n \
        create_date:d modify_date:d owning_principal_id:i sid:y85=null is_fixed_role:b authentication_type:i \
        authentication_type_desc:n60 default_language_name:n=null default_language_lcid:i=null \
        allow_encrypted_value_modifications:b=0",
        rows: principals,
    },
    View {
        name: "sys.database_role_members",
        columns: "role_principal_id:i member_principal_id:i",
        rows: |_| vec![row![16384, 1]],
    },
    View {
        name: "sys.database_permissions",
        columns: "class:t class_desc:n60 major_id:i minor_id:i \
        grantee_principal_id:i grantor_principal_id:i type:c4 permission_name:n state:c1 state_desc:n60",
        rows: |_| Vec::new(),
    },
    View {
        name: "sys.server_permissions",
        columns: "class:t class_desc:n60 major_id:i minor_id:i grantee_principal_id:i grantor_principal_id:i type:c4 \
        permission_name:n state:c1=G state_desc:n60=GRANT",
        rows: server_permissions,
    },
    View {
        name: "sys.endpoints",
        columns: "name:n=TSQL~Default~TCP endpoint_id:i=4 principal_id:i=1 protocol:t=2 protocol_desc:n60=TCP type:t=2 \
        type_desc:n60=TSQL state:t=0 state_desc:n60=STARTED is_admin_endpoint:b=0",
        rows: |_| vec![Vec::new()],
    },
    View { name: "sys.server_principals", columns: LOGIN, rows: logins },
    View { name: "sys.sql_logins", columns: LOGIN, rows: logins },
    View {
        name: "sys.server_role_members",
        columns: "role_principal_id:i member_principal_id:i",
        rows: |_| vec![row![3, 1]],
    },
    View {
        name: "sys.servers",
        columns: "server_id:i=0 name:n=MAINSTAY product:n=SQL~Server provider:n=SQLNCLI \
        data_source:n4000=MAINSTAY is_linked:b=0 is_remote_login_enabled:b=1 is_rpc_out_enabled:b=1 \
        is_data_access_enabled:b=0 is_system:b=0",
        rows: |_| vec![Vec::new()],
    },
    View {
        name: "sys.configurations",
        columns: "configuration_id:i name:n35 value:z minimum:z maximum:z value_in_use:z \
        description:n255 is_dynamic:b=1 is_advanced:b",
        rows: configurations,
    },
    View {
        name: "sys.messages",
        columns: "message_id:i language_id:s=1033 severity:t is_event_logged:b=0 text:n2048",
        rows: messages,
    },
    View {
        name: "sys.syslanguages",
        columns: "langid:s dateformat:c3 datefirst:t upgrade:i=0 name:n alias:n months:n372 shortmonths:n132 days:n217 \
        lcid:i msglangid:s",
        rows: |_| language::ALL.iter().map(|language| language_row(language)).collect(),
    },
    View {
        name: "sys.dm_exec_connections",
        columns: "session_id:i most_recent_session_id:i connect_time:d \
        net_transport:n40=TCP protocol_type:n40=TSQL protocol_version:i endpoint_id:i=4 encrypt_option:n40 \
        auth_scheme:n40=SQL node_affinity:s=0 num_reads:i=0 num_writes:i=0 last_read:d last_write:d net_packet_size:i=4096 \
        client_net_address:v48 client_tcp_port:i=0 local_net_address:v48=127.0.0.1 local_tcp_port:i=1433 \
        connection_id:g=null most_recent_sql_handle:y64",
        rows: connections,
    },
    View {
        name: "sys.dm_os_sys_info",
        columns: "cpu_ticks:l=0 ms_ticks:l cpu_count:i hyperthread_ratio:i=1 physical_memory_kb:l=8388608 \
        virtual_memory_kb:l=137438953344 committed_kb:l=0 committed_target_kb:l=8388608 visible_target_kb:l=8388608 \
        stack_size_in_bytes:i=2093056 os_quantum:l=4 os_error_mode:i=0 os_priority_class:i=32 max_workers_count:i=512 \
        scheduler_count:i scheduler_total_count:i deadlock_monitor_serial_number:i=0 sqlserver_start_time_ms_ticks:l=0 \
        sqlserver_start_time:d affinity_type:i=2 affinity_type_desc:v60=AUTO process_kernel_time_ms:l=0 \
        process_user_time_ms:l=0 time_source:i=0 time_source_desc:n60=QUERY_PERFORMANCE_COUNTER virtual_machine_type:i=0 \
        virtual_machine_type_desc:n60=NONE softnuma_configuration:i=0 softnuma_configuration_desc:n60=OFF \
        process_physical_affinity:n3072= sql_memory_model:i=1 sql_memory_model_desc:n60=CONVENTIONAL socket_count:i=1 \
        cores_per_socket:i numa_node_count:i=1 container_type:i=0 container_type_desc:n60=NONE",
        rows: system,
    },
    View {
        name: "sys.dm_os_host_info",
        columns: "host_platform:n256=Linux host_distribution:n256=Linux \
        host_release:n256= host_service_pack_level:n256= host_sku:i=null os_language_version:i=0 \
        host_architecture:n256=X64",
        rows: |_| vec![Vec::new()],
    },
    View {
        name: "sys.dm_os_performance_counters",
        columns: "object_name:c128 counter_name:c128 instance_name:c128 \
        cntr_value:l cntr_type:i",
        rows: |_| Vec::new(),
    },
    View {
        name: "sys.database_scoped_configurations",
        columns: "configuration_id:i name:n60 value:z \
        value_for_secondary:z is_value_default:b",
        rows: |_| Vec::new(),
    },
];

const DATABASE: &str = "name:n database_id:i source_database_id:i=null owner_sid:y85=null create_date:d \
    compatibility_level:t=160 collation_name:n=SQL_Latin1_General_CP1_CI_AS user_access:t=0 \
    user_access_desc:n60=MULTI_USER is_read_only:b=0 is_auto_close_on:b=0 is_auto_shrink_on:b=0 state:t=0 \
    state_desc:n60=ONLINE is_in_standby:b=0 is_cleanly_shutdown:b=0 is_supplemental_logging_enabled:b=0 \
    snapshot_isolation_state:t=1 snapshot_isolation_state_desc:n60=ON is_read_committed_snapshot_on:b=1 \
    recovery_model:t=1 recovery_model_desc:n60=FULL page_verify_option:t=2 page_verify_option_desc:n60=CHECKSUM \
    is_auto_create_stats_on:b=1 is_auto_create_stats_incremental_on:b=0 is_auto_update_stats_on:b=1 \
    is_auto_update_stats_async_on:b=0 is_ansi_null_default_on:b=0 is_ansi_nulls_on:b=0 is_ansi_padding_on:b=0 \
    is_ansi_warnings_on:b=0 is_arithabort_on:b=0 is_concat_null_yields_null_on:b=0 is_numeric_roundabort_on:b=0 \
    is_quoted_identifier_on:b=0 is_recursive_triggers_on:b is_cursor_close_on_commit_on:b=0 \
    is_local_cursor_default:b=0 is_fulltext_enabled:b=0 is_trustworthy_on:b=0 is_db_chaining_on:b=0 \
    is_parameterization_forced:b=0 is_master_key_encrypted_by_server:b=0 is_query_store_on:b=0 is_published:b=0 \
    is_subscribed:b=0 is_merge_published:b=0 is_distributor:b=0 is_sync_with_backup:b=0 service_broker_guid:g=null \
    is_broker_enabled:b=0 log_reuse_wait:t=0 log_reuse_wait_desc:n60=NOTHING is_date_correlation_on:b=0 \
    is_cdc_enabled:b=0 is_encrypted:b=0 is_honor_broker_priority_on:b=0 replica_id:g=null group_database_id:g=null \
    resource_pool_id:i=1 default_language_lcid:s=null default_language_name:n=null containment:t=0 \
    containment_desc:n60=NONE target_recovery_time_in_seconds:i=60 delayed_durability:i=0 \
    delayed_durability_desc:n60=DISABLED is_memory_optimized_elevate_to_snapshot_on:b=0 is_federation_member:b=0 \
    is_remote_data_archive_enabled:b=0 is_mixed_page_allocation_on:b=0 is_temporal_history_retention_enabled:b=1 \
    is_ledger_on:b=0 physical_database_name:n";

const FILE: &str = "file_id:i file_guid:g=null type:t type_desc:n60 data_space_id:i name:n physical_name:n260 state:t=0 \
    state_desc:n60=ONLINE size:i=1024 max_size:i=-1 growth:i=8192 is_media_read_only:b=0 is_read_only:b=0 is_sparse:b=0 \
    is_percent_growth:b=0";

const MASTER_FILE: &str = "database_id:i file_id:i file_guid:g=null type:t type_desc:n60 data_space_id:i name:n \
    physical_name:n260 state:t=0 state_desc:n60=ONLINE size:i=1024 max_size:i=-1 growth:i=8192";

const LOGIN: &str = "name:n principal_id:i sid:y85=null type:c1 type_desc:n60 is_disabled:b=0 create_date:d modify_date:d \
    default_database_name:n=master default_language_name:n=us_english credential_id:i=null owning_principal_id:i=null \
    is_fixed_role:b is_policy_checked:b=0 is_expiration_checked:b=0";

fn language_row(language: &Language) -> Vec<Value> {
    row![
        i64::from(language.id),
        language.date_format.name(),
        i64::from(language.date_first),
        language.name,
        language.alias,
        language.months.join(","),
        language.short_months.join(","),
        language.days.join(","),
        i64::from(language.locale),
        i64::from(language.locale),
    ]
}

fn databases(facts: &Facts<'_>) -> Rows {
    let own = &facts.catalog.database;
    let name = &*facts.instance.name;
    let mut rows: Rows = ["master", "tempdb", "model", "msdb"]
        .into_iter()
        .zip(1i64..)
        .map(|(name, id)| row![name, id, facts.started(), false, name])
        .collect();
    let is_other = ["master", "tempdb", "model", "msdb"].iter().any(|known| own.eq_ignore_ascii_case(known));
    let shown = if is_other { name } else { own.as_str() };
    rows.push(row![shown, 5, facts.started(), facts.catalog.recursive_triggers, shown]);
    rows
}

fn files(facts: &Facts<'_>) -> Rows {
    let name = &*facts.instance.name;
    let log = format!("{name}_log");
    vec![row![1, 0, "ROWS", 1, name, format!("{name}.mdf")], row![2, 1, "LOG", 0, &log, format!("{log}.ldf")]]
}

fn master_files(facts: &Facts<'_>) -> Rows {
    let with = |row: Vec<Value>| [vec![Value::Integer(5)], row].concat();
    files(facts).into_iter().map(with).collect()
}

fn principals(facts: &Facts<'_>) -> Rows {
    let mut rows = Vec::new();
    let users = [("dbo", 1, "dbo"), ("guest", 2, "guest"), ("INFORMATION_SCHEMA", 3, ""), ("sys", 4, "")];
    let role = |name: &str, id: i64, fixed: bool| {
        row![name, id, "R", "DATABASE_ROLE", Value::Null, facts.started(), facts.started(), 1, fixed, 0, "NONE"]
    };
    rows.push(role("public", 0, false));
    for (name, id, schema) in users {
        let (kind, words) = if id == 1 { (1, "INSTANCE") } else { (0, "NONE") };
        let schema = (!schema.is_empty()).then_some(schema);
        rows.push(row![
            name,
            id,
            "S",
            "SQL_USER",
            schema,
            facts.started(),
            facts.started(),
            Value::Null,
            false,
            kind,
            words
        ]);
    }
    let roles = [
        "db_owner",
        "db_accessadmin",
        "db_securityadmin",
        "db_ddladmin",
        "",
        "db_backupoperator",
        "db_datareader",
        "db_datawriter",
        "db_denydatareader",
        "db_denydatawriter",
    ];
    rows.extend(
        roles.iter().zip(16_384i64..).filter(|(name, _)| !name.is_empty()).map(|(name, id)| role(name, id, true)),
    );
    rows
}

/// Permissions of every login: to connect to the server, and to see its databases.
fn server_permissions(facts: &Facts<'_>) -> Rows {
    let mut rows = vec![row![100, "SERVER", 0, 0, 1, 1, "COSQ", "CONNECT SQL"]];
    rows.push(row![100, "SERVER", 0, 0, 2, 1, "VWDB", "VIEW ANY DATABASE"]);
    rows.push(row![105, "ENDPOINT", 4, 0, 2, 1, "CO", "CONNECT"]);
    if !facts.state.login.eq_ignore_ascii_case("sa") {
        rows.push(row![100, "SERVER", 0, 0, 257, 1, "COSQ", "CONNECT SQL"]);
    }
    rows
}

fn logins(facts: &Facts<'_>) -> Rows {
    let login = &facts.state.login;
    let row = |name: &str, id: i64, kind: &str, words: &str, fixed: bool| {
        row![name, id, kind, words, facts.started(), facts.started(), fixed]
    };
    let mut rows = vec![
        row("sa", 1, "S", "SQL_LOGIN", false),
        row("public", 2, "R", "SERVER_ROLE", false),
        row("sysadmin", 3, "R", "SERVER_ROLE", true),
    ];
    if !login.eq_ignore_ascii_case("sa") {
        rows.push(row(login, 257, "S", "SQL_LOGIN", false));
    }
    rows
}

/// Settings that tools ask for: number, name, value, least, greatest, description, whether it is an advanced one.
pub(crate) const SETTINGS: [(i64, &str, i64, i64, i64, &str, bool); 16] = [
    (101, "recovery interval (min)", 0, 0, 32_767, "Maximum recovery interval in minutes", true),
    (102, "allow updates", 0, 0, 1, "Allow updates to system tables", false),
    (103, "user connections", 0, 0, 32_767, "Number of user connections allowed", true),
    (109, "fill factor (%)", 0, 0, 100, "Default fill factor percentage", true),
    (115, "nested triggers", 1, 0, 1, "Allow triggers to be invoked within triggers", false),
    (116, "server trigger recursion", 1, 0, 1, "Allow recursion for server level triggers", false),
    (117, "remote access", 1, 0, 1, "Allow remote access", false),
    (124, "default language", 0, 0, 9_999, "default language", false),
    (505, "network packet size (B)", 4_096, 512, 32_767, "Network packet size", true),
    (518, "show advanced options", 0, 0, 1, "show advanced options", false),
    (1534, "user options", 0, 0, 32_767, "user options", false),
    (1538, "cost threshold for parallelism", 5, 0, 32_767, "cost threshold for parallelism", true),
    (1539, "max degree of parallelism", 0, 0, 32_767, "maximum degree of parallelism", true),
    (1544, "max server memory (MB)", 2_147_483_647, 128, 2_147_483_647, "Maximum size of server memory (MB)", true),
    (1562, "clr enabled", 0, 0, 1, "CLR user code execution enabled in the server", false),
    (16390, "xp_cmdshell", 0, 0, 1, "Enable or disable command shell", true),
];

fn configurations(_: &Facts<'_>) -> Rows {
    let row = |(id, name, value, least, greatest, words, advanced): &(i64, &str, i64, i64, i64, &str, bool)| {
        row![*id, *name, *value, *least, *greatest, *value, *words, *advanced]
    };
    SETTINGS.iter().map(row).collect()
}

fn messages(facts: &Facts<'_>) -> Rows {
    let own = facts.modules.kept().messages.iter();
    let own = own.map(|(number, (severity, text))| row![i64::from(*number), i64::from(*severity), text]);
    (1..50_000)
        .filter_map(|number| {
            mainstay_tsql_types::messages::find(number).map(|(severity, text)| (number, severity, text))
        })
        .map(|(number, severity, text)| row![i64::from(number), i64::from(severity), text])
        .chain(own)
        .collect()
}

fn connections(facts: &Facts<'_>) -> Rows {
    let row = |process: Process| {
        let number = i64::from(process.number);
        let handle = process.activity.request().handle();
        let encrypted = if process.connection.is_encrypted { "TRUE" } else { "FALSE" };
        let (since, address, version) = (process.since, process.connection.address, process.connection.version);
        row![number, number, since, i64::from(version), encrypted, since, since, address, handle]
    };
    facts.instance.processes().into_iter().map(row).collect()
}

fn system(facts: &Facts<'_>) -> Rows {
    let cores = cores();
    let ms = (crate::session::now().0 - facts.catalog.started.0).max(0) / TICKS_PER_MS;
    vec![row![ms, cores, cores, cores, facts.started(), cores]]
}
