//! The store at every isolation level, under the checker; and with rules broken on purpose, which the checker must notice.
//!
//! `MAINSTAY_HISTORY_SECONDS` sets the time for each level, one second without it. Rounds have the seeds 1, 2, 3, ...

use crate::checker::{Anomaly, Found, check, forbids};
use crate::history::History;
use crate::workload::{Broken, Plan, lists, run};
use mainstay_store::{Isolation, Store};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const LEVELS: [Isolation; 4] =
    [Isolation::ReadCommitted, Isolation::RepeatableRead, Isolation::Snapshot, Isolation::Serializable];

/// A broken rule must show within this time, however slow the machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time for each level.
fn budget() -> Duration {
    let seconds = std::env::var("MAINSTAY_HISTORY_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    Duration::from_secs_f64(seconds.unwrap_or(1.0))
}

fn plan(isolation: Isolation, broken: Broken, seed: u64) -> Plan {
    Plan { isolation, broken, threads: 4, transactions: 120, seed }
}

/// A round in memory, with vacuum going on beside it unless old views are looked at without the store's knowledge.
fn round(plan: Plan) -> History {
    let store = Store::in_memory();
    let table = store.create_table(lists()).unwrap();
    let is_honest = matches!(plan.broken, Broken::Nothing | Broken::Splits | Broken::ForgetsReads | Broken::Overwrites);
    run(&store, &table, plan, |store| {
        if is_honest {
            store.vacuum().unwrap();
        }
    })
}

fn tell(found: &[&Found]) -> String {
    found.iter().take(3).map(|found| format!("{:?}: {}\n", found.anomaly, found.witness)).collect()
}

/// Runs rounds at a level and checks each. Returns the number of commits, and the anomalies that the level allows.
fn hold(isolation: Isolation, round: impl Fn(Plan) -> History) -> (usize, BTreeMap<Anomaly, usize>) {
    let begin = Instant::now();
    let (mut committed, mut allowed) = (0, BTreeMap::new());
    for seed in 1.. {
        let history = round(plan(isolation, Broken::Nothing, seed));
        let found = check(&history);
        let forbidden: Vec<&Found> = found.iter().filter(|found| forbids(isolation, found.anomaly)).collect();
        assert!(forbidden.is_empty(), "{isolation:?}, seed {seed}, {} anomalies\n{}", found.len(), tell(&forbidden));
        committed += history.transactions.iter().filter(|transaction| transaction.is_committed).count();
        found.iter().for_each(|found| *allowed.entry(found.anomaly).or_default() += 1);
        if begin.elapsed() >= budget() {
            break;
        }
    }
    (committed, allowed)
}

#[test]
fn each_level_shows_nothing_that_it_forbids() {
    for isolation in LEVELS {
        let (committed, _) = hold(isolation, round);
        assert!(committed >= 100, "{isolation:?}: only {committed} transactions committed");
    }
}

/// The same on a disk, while checkpoints put mapped files in the place of groups, and with so little memory for rows that
/// writers wait for more of them.
#[test]
fn each_level_holds_beside_checkpoints() {
    for isolation in LEVELS {
        let (committed, _) = hold(isolation, |plan| {
            let folder = tempfile::tempdir().unwrap();
            let (store, table) = on_disk(folder.path());
            let history = run(&store, &table, plan, |store| {
                store.checkpoint().unwrap();
                store.vacuum().unwrap();
            });
            drop(table);
            store.close().unwrap();
            history
        });
        assert!(committed >= 100, "{isolation:?}: only {committed} transactions committed");
    }
}

/// A store on the disk with the table of the lists in its catalog.
fn on_disk(folder: &std::path::Path) -> (Store, std::sync::Arc<mainstay_store::NativeTable>) {
    use mainstay_store::files::catalog::CatalogChange;
    use mainstay_store::{Durability, StoreOptions};
    let options = StoreOptions {
        durability: Durability::Os,
        checkpoint_bytes: None,
        memory_bytes: Some(64 << 10),
        // Indexes are left to their runs by every checkpoint.
        whole_bytes: 0,
        encodes: true,
    };
    let store = Store::open(std::sync::Arc::new(mainstay_vfs::Disk), folder, options).unwrap();
    let mut definition = crate::common::catalog::table(10, "lists");
    definition.columns[1].sql_type = mainstay_types::SqlType::VarBinary { length: None };
    let mut transaction = store.begin(Isolation::ReadCommitted);
    store.change_catalog(&mut transaction, crate::common::catalog::schema()).unwrap();
    store.change_catalog(&mut transaction, CatalogChange::PutTable(definition)).unwrap();
    transaction.commit().unwrap();
    let table = store.table_of(10).unwrap();
    (store, table)
}

/// Runs rounds until a history shows one of these anomalies.
fn expect(isolation: Isolation, broken: Broken, wanted: &[Anomaly]) {
    let begin = Instant::now();
    for seed in 1.. {
        let found = check(&round(plan(isolation, broken, seed)));
        if found.iter().any(|found| wanted.contains(&found.anomaly)) {
            return;
        }
        let others: Vec<&Found> = found.iter().collect();
        assert!(begin.elapsed() < PATIENCE, "{broken:?} at {isolation:?} shows no {wanted:?} but\n{}", tell(&others));
    }
}

#[test]
fn weaker_levels_do_not_pass_for_stronger_ones() {
    expect(Isolation::ReadCommitted, Broken::Nothing, &[Anomaly::GSingle]);
    expect(Isolation::RepeatableRead, Broken::Nothing, &[Anomaly::G2]);
    expect(Isolation::Snapshot, Broken::Nothing, &[Anomaly::G2]);
}

#[test]
fn reading_what_is_not_committed_is_found() {
    for isolation in LEVELS {
        expect(isolation, Broken::DirtyReads, &[Anomaly::G1a]);
        expect(isolation, Broken::DirtyReads, &[Anomaly::G1b]);
    }
    // Validation of what was read lets hardly any circle of writers through, even of those that read dirt.
    for isolation in &LEVELS[..3] {
        expect(*isolation, Broken::DirtyReads, &[Anomaly::G1c]);
    }
}

#[test]
fn reading_outside_of_the_transaction_is_found() {
    for isolation in &LEVELS[1..] {
        expect(*isolation, Broken::ReadsElsewhere, &[Anomaly::GSingle]);
    }
}

#[test]
fn reading_at_an_old_view_is_found() {
    for isolation in LEVELS {
        expect(isolation, Broken::StaleReads, &[Anomaly::Stale]);
    }
}

#[test]
fn a_transaction_cut_in_two_is_found() {
    expect(Isolation::ReadCommitted, Broken::Splits, &[Anomaly::G0, Anomaly::G1b, Anomaly::G1c]);
    for isolation in &LEVELS[1..] {
        expect(*isolation, Broken::Splits, &[Anomaly::GSingle]);
    }
}

#[test]
fn validation_that_is_left_out_is_found() {
    expect(Isolation::Serializable, Broken::ForgetsReads, &[Anomaly::G2]);
}

#[test]
fn an_update_that_is_written_over_is_found() {
    expect(Isolation::ReadCommitted, Broken::Overwrites, &[Anomaly::Lost]);
}
