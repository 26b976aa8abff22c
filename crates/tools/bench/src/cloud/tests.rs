//! Both systems pass every row, and a system that omits a little of each fails.

use super::data::{Record, Totals};
use super::native::{Commit, Maker, Native};
use super::*;
use crate::answer::Rows;
use crate::report::Report;
use arrow_array::RecordBatch;
use std::path::Path;

const SETTINGS: Settings = Settings { rows: 100, repeats: 1, peers: true };

fn judgements(suite: &Cloud) -> Vec<(&'static str, Judgement, Option<Judgement>)> {
    let all: Vec<usize> = (0..TASKS.len()).collect();
    let report = Report::measure(suite, &SETTINGS, &all, &mut |_| ()).unwrap();
    let judged = |line: crate::report::Line| {
        let peer = line.peers.into_iter().next().flatten().map(|peer| peer.judgement);
        (line.row.key, line.ours.unwrap().judgement, peer)
    };
    report.lines.into_iter().map(judged).collect()
}

#[test]
fn every_row_is_done_right_by_both_systems() {
    for (row, ours, peer) in judgements(&Cloud::MAINSTAY) {
        assert_eq!(ours, Judgement::Right, "{row}");
        assert_eq!(peer, Some(Judgement::Right), "SQLite, {row}");
    }
}

#[test]
fn whoever_leaves_something_out_is_wrong() {
    let lazy = Maker { name: "Lazy", open: open_lazy, ..sqlite::SQLITE };
    for (row, ours, _) in judgements(&Cloud { subject: lazy, peer: sqlite::SQLITE }) {
        assert!(matches!(ours, Judgement::Wrong(_)), "{row}: {ours:?}");
    }
}

#[test]
fn memory_is_said_when_it_was_measured() {
    let churn = TASKS.iter().position(|&task| task == Task::Churn).unwrap();
    let facts = |row| Report::measure(&Cloud::MAINSTAY, &SETTINGS, &[row], &mut |_| ()).unwrap().facts;
    let labels: Vec<String> = facts(churn).into_iter().map(|(label, _)| label).collect();
    assert_eq!(labels.len(), 6, "{labels:?}");
    assert!(facts(0).is_empty());
}

/// SQLite, but the first of everything is left out.
struct Lazy(Box<dyn Native>);

fn open_lazy(folder: Option<&Path>) -> Result<Box<dyn Native>> {
    Ok(Box::new(Lazy((sqlite::SQLITE.open)(folder)?)))
}

impl Native for Lazy {
    fn execute(&mut self, sql: &str) -> Result<()> {
        self.0.execute(sql)
    }

    fn rows(&mut self, sql: &str) -> Result<Rows> {
        self.0.rows(sql)
    }

    fn insert(&mut self, records: &[Record], commit: Commit) -> Result<Duration> {
        self.0.insert(&records[1..], commit)
    }

    fn append_rows(&mut self, records: &[Record], times: usize) -> Result<Duration> {
        self.0.append_rows(records, times - 1)
    }

    fn append_batch(&mut self, table: &str, batch: &RecordBatch, times: usize) -> Result<Duration> {
        self.0.append_batch(table, &batch.slice(1, batch.num_rows() - 1), times)
    }

    fn scan(&mut self, times: usize) -> Result<(Duration, Totals)> {
        self.0.scan(times - 1)
    }

    fn select(&mut self, ids: &[i64]) -> Result<(Duration, Totals)> {
        self.0.select(&ids[1..])
    }

    fn update(&mut self, amounts: &[(i64, f64)]) -> Result<(Duration, u64)> {
        self.0.update(&amounts[1..]).map(|(time, _)| (time, amounts.len() as u64))
    }

    fn query(&mut self, sql: &str, times: usize) -> Result<(Duration, Rows)> {
        self.0.query(sql, times)
    }

    fn table_bytes(&mut self) -> Result<Option<u64>> {
        self.0.table_bytes()
    }
}
