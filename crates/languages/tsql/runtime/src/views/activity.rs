//! Activity, locks and waits of sessions: `sys.dm_exec_sessions`, `dm_exec_requests`, `dm_tran_locks` and their like.
//!
//! The core's transactions have numbers once they have written, and each session shows that of its own; so what the core
//! tells of waits and locks is brought back to sessions here. A row that a transaction has changed is a KEY in mode X, a
//! record of a DBF table that it has locked is a RID; the core lists ten thousand of them at most.

use super::{Facts, Rows, View, row};
use crate::catalog::kept_id;
use crate::plans::counters::handle;
use crate::session::instance::{FIRST_OTHER, Process};
use crate::session::options::Options;
use mainstay_engine::activity::{RecordLock, SessionWork};
use mainstay_engine::{Awaited, Held, LockMode};
use mainstay_tsql_types::{Settings, Switches};
use mainstay_types::Value;
use std::collections::HashMap;
use std::time::Duration;

pub(super) const VIEWS: [View; 7] = [
    View { name: "sys.dm_exec_sessions", columns: SESSION, rows: sessions },
    View {
        name: "sys.dm_exec_requests",
        columns: "session_id:s request_id:i=0 start_time:d status:n30 command:n32=SELECT sql_handle:y64 \
        statement_start_offset:i=0 statement_end_offset:i=-1 plan_handle:y64 database_id:s user_id:i=1 \
        connection_id:g=null blocking_session_id:s wait_type:n60 wait_time:i last_wait_type:n60 wait_resource:n256= \
        open_transaction_count:i open_resultset_count:i=1 transaction_id:l context_info:y128=null percent_complete:r=0 \
        estimated_completion_time:l=0 cpu_time:i=0 total_elapsed_time:i scheduler_id:i=0 task_address:y8=null reads:l=0 \
        writes:l=0 logical_reads:l text_size:i language:n date_format:n3 date_first:s quoted_identifier:b arithabort:b \
        ansi_null_dflt_on:b ansi_defaults:b ansi_warnings:b ansi_padding:b ansi_nulls:b concat_null_yields_null:b \
        transaction_isolation_level:s lock_timeout:i deadlock_priority:i row_count:l prev_error:i=0 nest_level:i=0 \
        granted_query_memory:i=0 executing_managed_code:b=0 group_id:i=2 query_hash:y8=null query_plan_hash:y8=null \
        statement_sql_handle:y64=null statement_context_id:l=null dop:i=1 parallel_worker_count:i=null \
        external_script_request_id:g=null is_resumable:b=0 page_resource:y8=null page_server_reads:l=0",
        rows: requests,
    },
    View {
        name: "sys.dm_os_waiting_tasks",
        columns: "waiting_task_address:y8=null session_id:s exec_context_id:i=0 wait_duration_ms:l wait_type:n60 \
        resource_address:y8=null blocking_task_address:y8=null blocking_session_id:s blocking_exec_context_id:i=0 \
        resource_description:n=null",
        rows: waiting_tasks,
    },
    View {
        name: "sys.dm_tran_locks",
        columns: "resource_type:n60 resource_subtype:n60= resource_database_id:i=5 \
        resource_description:n256 resource_associated_entity_id:l resource_lock_partition:i=0 request_mode:n60 \
        request_type:n60=LOCK request_status:n60 request_reference_count:s=1 request_lifetime:i=0 \
        request_session_id:i request_exec_context_id:i=0 request_request_id:i=0 \
        request_owner_type:n60",
        rows: locks,
    },
    View {
        name: "sys.dm_tran_session_transactions",
        columns: "session_id:i transaction_id:l transaction_descriptor:y8=null enlist_count:i=0 is_user_transaction:b=1 \
        is_local:b=1 is_enlisted:b=0 is_bound:b=0 open_transaction_count:i",
        rows: open_transactions,
    },
    View {
        name: "sys.dm_tran_active_transactions",
        columns: "transaction_id:l name:n32=user_transaction \
        transaction_begin_time:d transaction_type:i=1 transaction_uow:g=null transaction_state:i=2 transaction_status:i=0 \
        transaction_status2:i=0 dtc_state:i=0 dtc_status:i=0 dtc_isolation_level:i=-1 filestream_transaction_id:y128=null",
        rows: active_transactions,
    },
    View {
        name: "sys.dm_tran_database_transactions",
        columns: "transaction_id:l database_id:i=5 database_transaction_begin_time:d database_transaction_type:i=1 \
        database_transaction_state:i=4 database_transaction_status:i=0 database_transaction_status2:i=0 \
        database_transaction_log_record_count:l=0 database_transaction_replicate_record_count:i=0 \
        database_transaction_log_bytes_used:l=0 database_transaction_log_bytes_reserved:l=0 \
        database_transaction_log_bytes_used_system:i=0 database_transaction_log_bytes_reserved_system:i=0 \
        database_transaction_begin_lsn:m=null database_transaction_last_lsn:m=null \
        database_transaction_most_recent_savepoint_lsn:m=null database_transaction_commit_lsn:m=null \
        database_transaction_last_rollback_lsn:m=null database_transaction_next_undo_lsn:m=null",
        rows: active_transactions,
    },
];

const SESSION: &str = "session_id:s login_time:d host_name:n program_name:n host_process_id:i=null \
    client_version:i=7 client_interface_name:n32=ODBC security_id:y85=null login_name:n nt_domain:n=null \
    nt_user_name:n=null status:n30 context_info:y128=null cpu_time:i memory_usage:i=4 total_scheduled_time:i \
    total_elapsed_time:i endpoint_id:i=4 last_request_start_time:d last_request_end_time:d reads:l=0 writes:l=0 \
    logical_reads:l is_user_process:b=1 text_size:i language:n date_format:n3 date_first:s \
    quoted_identifier:b arithabort:b ansi_null_dflt_on:b ansi_defaults:b ansi_warnings:b ansi_padding:b \
    ansi_nulls:b concat_null_yields_null:b transaction_isolation_level:s lock_timeout:i deadlock_priority:i \
    row_count:l prev_error:i=0 original_security_id:y85=null original_login_name:n group_id:i=2 database_id:s \
    authenticating_database_id:i=1 open_transaction_count:i page_server_reads:l=0 contained_availability_group_id:g=null";

fn whole(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The ticks in a millisecond.
pub(super) const TICKS_PER_MS: i64 = 10_000;

/// A session that waits for another one.
pub(super) struct Blocked {
    process: i16,
    /// 0 where the other one is not known: a program that uses the database without T-SQL.
    pub(super) by: i16,
    what: Awaited,
    pub(super) ms: i64,
}

impl Blocked {
    /// The kind of the wait, as SQL Server calls it.
    pub(super) fn kind(&self) -> &'static str {
        match self.what {
            Awaited::Row => "LCK_M_X",
            Awaited::Range => "LCK_M_RIn_NL",
            Awaited::Definition => "LCK_M_SCH_M",
        }
    }
}

/// The numbers of the sessions, those of other doors too, by the numbers of their transactions in the core.
fn sessions_by_transaction(facts: &Facts<'_>, processes: &[Process]) -> HashMap<u64, i16> {
    let own = processes.iter().map(|process| (process.activity.number(), process.number));
    let others = facts.instance.other_sessions().into_iter().zip(FIRST_OTHER..);
    let others = others.filter_map(|(session, number)| Some((session.transaction?.number, number)));
    own.chain(others).filter(|(transaction, _)| *transaction != 0).collect()
}

/// The sessions that wait.
pub(super) fn blocked(facts: &Facts<'_>, processes: &[Process]) -> Vec<Blocked> {
    let waits = facts.instance.database.waits();
    if waits.is_empty() {
        return Vec::new();
    }
    let sessions = sessions_by_transaction(facts, processes);
    let of = |wait: mainstay_engine::Wait| {
        Some(Blocked {
            process: *sessions.get(&wait.transaction)?,
            by: sessions.get(&wait.holder).copied().unwrap_or(0),
            what: wait.what,
            ms: i64::try_from(wait.time.as_millis()).unwrap_or(i64::MAX),
        })
    };
    waits.into_iter().filter_map(of).collect()
}

/// The wait of a session, if it waits.
pub(super) fn wait_of<'b>(blocked: &'b [Blocked], process: &Process) -> Option<&'b Blocked> {
    blocked.iter().find(|wait| wait.process == process.number)
}

/// The options of a session as `text_size` and what follows it show them, up to `deadlock_priority`.
fn option_cells(process: &Process, options: &Options) -> Vec<Value> {
    let Settings { language, date_format, date_first, switches, .. } = options.settings;
    let has = |switch: Switches| switches.has(switch);
    row![
        i64::from(options.text_size),
        language.name,
        date_format.name(),
        i64::from(date_first),
        has(Switches::QUOTED_IDENTIFIER),
        has(Switches::ARITHABORT),
        has(Switches::ANSI_NULL_DFLT_ON),
        options.implicit_transactions && has(Switches::ANSI_DEFAULTS),
        has(Switches::ANSI_WARNINGS),
        has(Switches::ANSI_PADDING),
        has(Switches::ANSI_NULLS),
        has(Switches::CONCAT_NULL_YIELDS_NULL),
        process.activity.isolation(),
        i64::from(options.lock_timeout),
        i64::from(options.deadlock_priority)
    ]
}

/// The options of a session, which the one that asks knows of itself.
fn options_of(facts: &Facts<'_>, process: &Process) -> Options {
    match process.number == facts.state.process {
        true => facts.state.options.clone(),
        false => process.activity.options(),
    }
}

fn sessions(facts: &Facts<'_>) -> Rows {
    let row = |process: Process| {
        let request = process.activity.request();
        let used = process.activity.used();
        let ms = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let mut cells = row![
            i64::from(process.number),
            process.since,
            &process.host,
            &process.application,
            &process.login,
            if process.activity.is_running() { "running" } else { "sleeping" },
            ms(used.cpu),
            ms(used.cpu),
            ms(used.elapsed),
            request.since,
            used.ended,
            whole(process.activity.reads().0)
        ];
        cells.extend(option_cells(&process, &options_of(facts, &process)));
        let row_count = if process.number == facts.state.process { facts.state.row_count } else { used.rows };
        cells.extend(row![row_count, &process.login, 5, process.activity.transactions()]);
        cells
    };
    facts.instance.all_processes().into_iter().map(row).collect()
}

fn requests(facts: &Facts<'_>) -> Rows {
    let processes = facts.instance.processes();
    let blocked = blocked(facts, &processes);
    let running = processes.iter().filter(|process| process.activity.is_running());
    let row = |process: &Process| {
        let wait = wait_of(&blocked, process);
        let request = process.activity.request();
        let since = request.since;
        let elapsed_ms = (crate::session::now().0 - since.0).max(0) / TICKS_PER_MS;
        let transactions = process.activity.transactions();
        let mut cells = row![
            i64::from(process.number),
            since,
            if wait.is_some() { "suspended" } else { "running" },
            request.handle(),
            request.handle().map(|_| handle(6, &request.text)),
            5,
            wait.map_or(0, |wait| i64::from(wait.by)),
            wait.map(Blocked::kind),
            wait.map_or(0, |wait| wait.ms),
            wait.map_or("MISCELLANEOUS", Blocked::kind),
            transactions,
            if transactions > 0 { i64::from(process.number) } else { 0 },
            elapsed_ms,
            whole(process.activity.reads().1)
        ];
        cells.extend(option_cells(process, &options_of(facts, process)));
        cells.extend(row![if process.number == facts.state.process { facts.state.row_count } else { 0 }]);
        cells
    };
    running.map(row).collect()
}

fn waiting_tasks(facts: &Facts<'_>) -> Rows {
    let row = |wait: &Blocked| row![i64::from(wait.process), wait.ms, wait.kind(), i64::from(wait.by)];
    blocked(facts, &facts.instance.processes()).iter().map(row).collect()
}

fn locks(facts: &Facts<'_>) -> Rows {
    let processes = facts.instance.processes();
    let row = |kind: &str, description: String, object: i64, mode: &str, status: &str, process: i16| {
        let owner = if kind == "DATABASE" { "SHARED_TRANSACTION_WORKSPACE" } else { "TRANSACTION" };
        row![kind, description, object, mode, status, i64::from(process), owner]
    };
    let of_database = |process: &Process| row("DATABASE", String::new(), 0, "S", "GRANT", process.number);
    let mut rows: Rows = processes.iter().map(of_database).collect();
    let sessions = sessions_by_transaction(facts, &processes);
    for lock in facts.instance.database.held_locks() {
        let Some(process) = sessions.get(&lock.transaction).copied() else { continue };
        let (kind, description, mode) = match lock.held {
            Held::Written => ("OBJECT", String::new(), "IX"),
            Held::Defined => ("OBJECT", String::new(), "Sch-M"),
            Held::Changed(row) => ("KEY", format!("({row:012x})"), "X"),
            Held::Row(row, LockMode::Share) => ("KEY", format!("({row:012x})"), "S"),
            Held::Row(row, LockMode::Exclusive) => ("KEY", format!("({row:012x})"), "U"),
        };
        rows.push(row(kind, description, kept_id(lock.table), mode, "GRANT", process));
    }
    let mut of_files = |locks: Vec<RecordLock>, number: i16| {
        for lock in locks {
            let file = lock.table.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (kind, description) = match lock.record {
                Some(record) => ("RID", format!("{file}:{record}")),
                None => ("OBJECT", file),
            };
            rows.push(row(kind, description, 0, "X", "GRANT", number));
        }
    };
    for process in &processes {
        of_files(process.activity.work().map(SessionWork::record_locks).unwrap_or_default(), process.number);
    }
    let others = || facts.instance.other_sessions().into_iter().zip(FIRST_OTHER..);
    others().for_each(|(session, number)| of_files(session.locks, number));
    rows.extend(others().map(|(_, number)| row("DATABASE", String::new(), 0, "S", "GRANT", number)));
    for wait in blocked(facts, &processes) {
        let (kind, mode) = match wait.what {
            Awaited::Row => ("KEY", "X"),
            Awaited::Range => ("KEY", "RangeI-N"),
            Awaited::Definition => ("OBJECT", "Sch-M"),
        };
        rows.push(row(kind, String::new(), 0, mode, "WAIT", wait.process));
    }
    rows
}

/// The sessions that have a transaction open.
fn in_transactions(facts: &Facts<'_>) -> impl Iterator<Item = Process> {
    facts.instance.processes().into_iter().filter(|process| process.activity.transactions() > 0)
}

fn open_transactions(facts: &Facts<'_>) -> Rows {
    let row = |process: Process| {
        let number = i64::from(process.number);
        row![number, number, process.activity.transactions()]
    };
    in_transactions(facts).map(row).collect()
}

fn active_transactions(facts: &Facts<'_>) -> Rows {
    let row = |process: Process| row![i64::from(process.number), process.activity.request().transaction_since];
    in_transactions(facts).map(row).collect()
}
