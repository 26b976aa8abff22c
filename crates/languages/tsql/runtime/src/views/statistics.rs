//! Statistics of statements and modules since the server started: `sys.dm_exec_query_stats`, `dm_exec_procedure_stats`,
//! `dm_exec_trigger_stats`, `dm_exec_cached_plans`, and the texts that `sys.dm_exec_sql_text` reads.
//!
//! Columns are those of SQL Server's reference. Times are in microseconds. A logical read is a scanned group of rows,
//! or a row that an index returned. Figures that are not counted here are 0, as for a database in memory: physical
//! reads, logical writes, spills, memory grants, threads. The counts of a text include all sessions.

use super::{Facts, Rows, View, row};
use crate::catalog::Object;
use crate::plans::counters::{Kind, Listed, Summary, WHOLE, hash};
use mainstay_types::{Timestamp, Value};
use std::collections::{HashMap, HashSet};

/// Columns of the counts of procedures and triggers.
const MODULE_STATS: &str = "database_id:i object_id:i type:c2 type_desc:n60 sql_handle:y64 plan_handle:y64 cached_time:d \
    last_execution_time:d execution_count:l total_worker_time:l last_worker_time:l min_worker_time:l \
    max_worker_time:l total_physical_reads:l=0 last_physical_reads:l=0 min_physical_reads:l=0 \
    max_physical_reads:l=0 total_logical_writes:l=0 last_logical_writes:l=0 min_logical_writes:l=0 \
    max_logical_writes:l=0 total_logical_reads:l last_logical_reads:l min_logical_reads:l \
    max_logical_reads:l total_elapsed_time:l last_elapsed_time:l min_elapsed_time:l max_elapsed_time:l \
    total_spills:l=0 last_spills:l=0 min_spills:l=0 max_spills:l=0 total_num_physical_reads:l=0 \
    last_num_physical_reads:l=0 min_num_physical_reads:l=0 max_num_physical_reads:l=0 \
    total_page_server_reads:l=0 last_page_server_reads:l=0 min_page_server_reads:l=0 max_page_server_reads:l=0 \
    total_num_page_server_reads:l=0 last_num_page_server_reads:l=0 min_num_page_server_reads:l=0 \
    max_num_page_server_reads:l=0";

pub(super) static VIEWS: [View; 5] = [
    View {
        name: "sys.dm_exec_query_stats",
        columns: "sql_handle:y64 statement_start_offset:i statement_end_offset:i plan_generation_num:l=1 \
        plan_handle:y64 creation_time:d last_execution_time:d execution_count:l total_worker_time:l \
        last_worker_time:l min_worker_time:l max_worker_time:l total_physical_reads:l=0 last_physical_reads:l=0 \
        min_physical_reads:l=0 max_physical_reads:l=0 total_logical_writes:l=0 last_logical_writes:l=0 \
        min_logical_writes:l=0 max_logical_writes:l=0 total_logical_reads:l last_logical_reads:l \
        min_logical_reads:l max_logical_reads:l total_clr_time:l=0 last_clr_time:l=0 min_clr_time:l=0 \
        max_clr_time:l=0 total_elapsed_time:l last_elapsed_time:l min_elapsed_time:l max_elapsed_time:l \
        query_hash:y8 query_plan_hash:y8=null total_rows:l last_rows:l min_rows:l max_rows:l \
        statement_sql_handle:y64=null statement_context_id:l=null total_dop:l=0 last_dop:l=0 min_dop:l=0 max_dop:l=0 \
        total_grant_kb:l=0 last_grant_kb:l=0 min_grant_kb:l=0 max_grant_kb:l=0 total_used_grant_kb:l=0 \
        last_used_grant_kb:l=0 min_used_grant_kb:l=0 max_used_grant_kb:l=0 total_ideal_grant_kb:l=0 \
        last_ideal_grant_kb:l=0 min_ideal_grant_kb:l=0 max_ideal_grant_kb:l=0 total_reserved_threads:l=0 \
        last_reserved_threads:l=0 min_reserved_threads:l=0 max_reserved_threads:l=0 total_used_threads:l=0 \
        last_used_threads:l=0 min_used_threads:l=0 max_used_threads:l=0 total_columnstore_segment_reads:l=0 \
        last_columnstore_segment_reads:l=0 min_columnstore_segment_reads:l=0 max_columnstore_segment_reads:l=0 \
        total_columnstore_segment_skips:l=0 last_columnstore_segment_skips:l=0 min_columnstore_segment_skips:l=0 \
        max_columnstore_segment_skips:l=0 total_spills:l=0 last_spills:l=0 min_spills:l=0 max_spills:l=0 \
        total_num_physical_reads:l=0 last_num_physical_reads:l=0 min_num_physical_reads:l=0 \
        max_num_physical_reads:l=0 total_page_server_reads:l=0 last_page_server_reads:l=0 \
        min_page_server_reads:l=0 max_page_server_reads:l=0 total_num_page_server_reads:l=0 \
        last_num_page_server_reads:l=0 min_num_page_server_reads:l=0 max_num_page_server_reads:l=0",
        rows: queries,
    },
    View { name: "sys.dm_exec_procedure_stats", columns: MODULE_STATS, rows: |facts| modules(facts, "P") },
    View { name: "sys.dm_exec_trigger_stats", columns: MODULE_STATS, rows: |facts| modules(facts, "TR") },
    View {
        name: "sys.dm_exec_cached_plans",
        columns: "bucketid:i=0 refcounts:i=1 usecounts:i size_in_bytes:i memory_object_address:y8=null \
        cacheobjtype:n34=Compiled~Plan objtype:n16 plan_handle:y64 pool_id:i=2 parent_plan_handle:y64=null",
        rows: plans,
    },
    // Source of `sys.dm_exec_sql_text`.
    View { name: "sys.mainstay_requests", columns: "sql_handle:y64 is_call:b object_id:i text:x", rows: texts },
];

/// Total, last, least and most of a figure, in microseconds where `of_time`.
fn four(summary: Summary, of_time: bool) -> [Value; 4] {
    let shown = |value: u64| {
        let value = if of_time { value / 1_000 } else { value };
        Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    };
    [summary.total, summary.last, summary.least, summary.most].map(shown)
}

fn whole(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn queries(facts: &Facts<'_>) -> Rows {
    let row = |listed: Listed| {
        let totals = listed.totals;
        // The offsets are in bytes of UTF-16, and the last one is that of the last character.
        let (start, end) = (listed.span.0 as i64 * 2, (listed.span.1 as i64 - 1) * 2);
        let mut cells = row![
            listed.sql_handle(),
            start,
            end,
            listed.plan_handle(),
            listed.created,
            Timestamp(totals.last_run),
            whole(totals.runs)
        ];
        cells.extend(four(totals.cpu(), true));
        cells.extend(four(totals.reads, false));
        cells.extend(four(totals.elapsed(), true));
        cells.extend(row![hash(listed.statement as u8, &listed.text).to_vec()]);
        cells.extend(four(totals.rows, false));
        cells
    };
    let statements = facts.instance.counts.list().into_iter().filter(|listed| listed.statement != WHOLE);
    statements.map(row).collect()
}

/// Objects of the database by their texts.
fn by_text<'f>(facts: &'f Facts<'_>) -> HashMap<&'f str, &'f Object> {
    let objects = facts.catalog.objects.iter();
    objects.filter_map(|object| Some((object.text.as_deref()?, object))).collect()
}

fn modules(facts: &Facts<'_>, kind: &str) -> Rows {
    let objects = by_text(facts);
    let row = |listed: Listed| {
        let object = objects.get(listed.text.as_ref()).filter(|object| object.kind == kind)?;
        let totals = listed.totals;
        let (sql_handle, plan_handle) = (listed.sql_handle(), listed.plan_handle());
        let mut cells = row![5, object.id, object.kind, object.description(), sql_handle, plan_handle];
        cells.extend(row![listed.created, Timestamp(totals.last_run), whole(totals.runs)]);
        cells.extend(four(totals.cpu(), true));
        cells.extend(four(totals.reads, false));
        cells.extend(four(totals.elapsed(), true));
        Some(cells)
    };
    let of_modules = |listed: &Listed| listed.statement == WHOLE && listed.kind == Kind::Module;
    facts.instance.counts.list().into_iter().filter(of_modules).filter_map(row).collect()
}

fn plans(facts: &Facts<'_>) -> Rows {
    let objects = by_text(facts);
    let row = |listed: Listed| {
        let kind = match listed.kind {
            Kind::Batch => "Adhoc",
            Kind::Prepared => "Prepared",
            Kind::Module => match objects.get(listed.text.as_ref()).map(|object| object.kind) {
                Some("TR") => "Trigger",
                _ => "Proc",
            },
        };
        row![whole(listed.totals.runs), Value::Null, kind, listed.plan_handle()]
    };
    let texts = facts.instance.counts.list().into_iter().filter(|listed| listed.statement == WHOLE);
    texts.map(row).collect()
}

/// The texts of requests, and of what is counted under the handles of both its text and its plan.
fn texts(facts: &Facts<'_>) -> Rows {
    let mut seen = HashSet::new();
    let mut rows = Rows::new();
    for process in facts.instance.processes() {
        let request = process.activity.request();
        if let Some(handle) = request.handle().filter(|handle| seen.insert(handle.clone())) {
            rows.push(row![handle, request.is_call, Value::Null, request.text]);
        }
    }
    let objects = by_text(facts);
    for listed in facts.instance.counts.list() {
        let object = objects.get(listed.text.as_ref()).map(|object| object.id);
        for handle in [listed.sql_handle(), listed.plan_handle()] {
            if seen.insert(handle.clone()) {
                rows.push(row![handle, false, object, &*listed.text]);
            }
        }
    }
    rows
}
