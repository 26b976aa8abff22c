//! The disk suite: the procedures of the tsql suite over a database in a folder.
//!
//! ```text
//!   durability = os      nine of them: a commit is written to the journal, and not synced
//!   durability = full    TableInsert, one fdatasync a commit: by one caller, and by 16 that share their syncs
//! ```
//!
//! The floor of the rows that sync is measured in the same run: the bytes of a commit in the journal, appended to a
//! file and synced, in the same folder. The limit of one caller is a tenth more. Each of 16 callers waits for the sync
//! that is running and for the one that contains its commit; so the limit of a call is two syncs for 16 commits. All
//! rows run in sessions that have made the call before, as those in memory. SQLite does the work of those whose time is mostly
//! a commit.

use super::procedures::{PROCEDURES, Procedure};
use super::sqlite::{Sqlite, Work};
use super::{CALLS, Client, Subject, call, measured, ready, row_of};
use crate::calibration::Calibration;
use crate::scratch::Scratch;
use crate::statistics::{Statistics, wants_another};
use crate::suite::{About, Bench, Judgement, Measured, Row, Settings, Suite, System, Unit};
use mainstay_engine::{Database, Durability, Options};
use mainstay_tsql_runtime::{Instance, Session};
use mainstay_types::{Code, Error, Result};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The procedures that are called again, with what they may take where that is not what they may in memory.
const AGAIN: [(&str, Option<f64>); 9] = [
    ("simple_select", None),
    ("control_flow", None),
    ("table_insert", Some(4.0)),
    ("table_select", None),
    ("table_select_aggregate", None),
    ("temp_table", None),
    ("nested_3", None),
    ("transaction", Some(6.0)),
    ("complex_procedure", None),
];

/// The procedure whose commits are synced.
const SYNCED: &str = "table_insert";
/// Calls of one run by a caller, each of which waits for the disk.
const SYNCED_CALLS: usize = 50;
/// Callers at once.
const CALLERS: usize = 16;
/// Bytes of a commit of one row in the journal, about.
const FRAME: usize = 96;
/// Syncs of the floor, of which the median is taken.
const SYNCS: usize = 60;

/// The suite.
pub struct Disk;

/// The task of a row.
#[derive(Clone, Copy)]
enum Task {
    Again(&'static Procedure),
    Synced(&'static Procedure, usize),
}

fn procedure(key: &str) -> Option<&'static Procedure> {
    PROCEDURES.iter().find(|procedure| procedure.key == key)
}

/// The rows with what they measure.
fn tasks() -> Vec<(Row, Task)> {
    let again = |(key, target): &(&str, Option<f64>)| {
        let procedure = procedure(key)?;
        let known = row_of(procedure);
        let title = known.title.split(':').next().unwrap_or_default().to_owned() + ", durability = os";
        let target_again = target.or(known.target_again);
        // Those whose commits are a write have a target of their own.
        let calibration = if target.is_some() { Some(Calibration::Append) } else { known.calibration };
        // The figures of others and the floor are those of tables in memory.
        Some((
            Row { title, target_again, calibration, published: None, replaced: None, floor: None, ..known },
            Task::Again(procedure),
        ))
    };
    let floor = bare_sync().map(|time| time.as_secs_f64() * 1e6);
    let synced = |(callers, key, who, share): (usize, &'static str, &str, f64)| {
        let procedure = procedure(SYNCED)?;
        let row = Row {
            key,
            title: format!("TableInsert, durability = full, {who}"),
            text: procedure.text.to_owned(),
            floor,
            // The measurement is exact to tenths only.
            target_again: floor.map(|floor| (floor * share * 10.0).round() / 10.0),
            unit: Some(Unit::microseconds_of_each(callers * SYNCED_CALLS)),
            ..Row::default()
        };
        Some((row, Task::Synced(procedure, callers)))
    };
    let shared = (CALLERS, "insert_full_shared", "16 callers", 2.2 / CALLERS as f64);
    let full = [(1, "insert_full", "one caller", 1.1), shared];
    AGAIN.iter().filter_map(again).chain(full.into_iter().filter_map(synced)).collect()
}

/// The time of appending a few bytes to a file and syncing it, measured once. `None` where that fails.
fn bare_sync() -> Option<Duration> {
    static MEASURED: OnceLock<Option<Duration>> = OnceLock::new();
    *MEASURED.get_or_init(|| Some(Statistics::of(&Scratch::new().ok()?.syncs(FRAME, SYNCS).ok()?)?.median))
}

impl Suite for Disk {
    fn about(&self) -> About {
        About { part_of: Some("tsql"), ..About::of_calls("disk", CALLS) }
    }

    fn title(&self, _: &Settings) -> String {
        "disk: the procedures over tables in a folder (microseconds a call)".to_owned()
    }

    fn rows(&self, _: &Settings) -> Vec<Row> {
        tasks().into_iter().map(|(row, _)| row).collect()
    }

    fn start(&self, settings: &Settings, _: &[usize]) -> Result<Bench> {
        let scratch = Scratch::new()?;
        let folder = scratch.folder("os")?;
        let options = Options { durability: Some(Durability::Os), ..Options::default() };
        let session = ready(&Instance::new(Database::open_with(folder, options)?, "bench"))?;
        let where_it_is = "in a folder, durability = os".to_owned();
        let lazy = Subject { session, where_it_is, allocated: Vec::new() };
        let tasks: Vec<Task> = tasks().into_iter().map(|(_, task)| task).collect();
        let peers = if settings.peers { vec![sqlite(&tasks)?] } else { Vec::new() };
        let subject = Box::new(OnDisk { lazy, scratch, tasks });
        let floor = bare_sync().map_or("unknown".to_owned(), |time| format!("{:.0} us", time.as_secs_f64() * 1e6));
        let facts = vec![("A bare append of a few bytes with fdatasync, here".to_owned(), floor)];
        Ok(Bench { subject, peers, absent: Vec::new(), facts })
    }
}

/// SQLite, which does the work of the procedures whose time is mostly a commit.
fn sqlite(tasks: &[Task]) -> Result<Box<dyn System>> {
    let work = |task: &Task| match task {
        Task::Again(procedure) if procedure.key == SYNCED => Some(Work::Insert { calls: CALLS, is_synced: false }),
        Task::Again(procedure) if procedure.key == "transaction" => Some(Work::Transaction),
        Task::Synced(_, 1) => Some(Work::Insert { calls: SYNCED_CALLS, is_synced: true }),
        _ => None,
    };
    Ok(Box::new(Sqlite { scratch: Scratch::new()?, tasks: tasks.iter().map(work).collect() }))
}

struct OnDisk {
    /// Whose commits nobody waits for.
    lazy: Subject,
    scratch: Scratch,
    tasks: Vec<Task>,
}

impl OnDisk {
    /// Calls by so many callers at once, each call a commit that the disk keeps.
    fn synced(
        &self,
        procedure: &Procedure,
        callers: usize,
        repeats: usize,
    ) -> std::result::Result<Vec<Duration>, Judgement> {
        let folder = self.scratch.folder(&format!("full{callers}"))?;
        let options = Options { durability: Some(Durability::Full), ..Options::default() };
        let instance = Instance::new(Database::open_with(folder, options)?, "bench");
        let mut first = ready(&instance)?;
        run_synced(&instance, procedure, callers)?;
        let mut times = Vec::new();
        while wants_another(&times, repeats) {
            times.push(run_synced(&instance, procedure, callers)?);
        }
        let wanted = ((times.len() + 1) * callers * (SYNCED_CALLS + 1)).to_string() + ";";
        let mut client = Client { keeps: true, ..Client::default() };
        first.batch("SELECT COUNT(*) FROM Target", &mut client);
        match client.error {
            Some(error) => Err(Judgement::Failed(error)),
            None if client.rows == wanted => Ok(times),
            None => Err(Judgement::Wrong(format!("{} rows and not {wanted}", client.rows))),
        }
    }
}

/// Calls by sessions that have made one before: the first call of a session makes its plans.
fn run_synced(instance: &Instance, procedure: &Procedure, callers: usize) -> Result<Duration> {
    let call = call(procedure);
    let mut sessions: Vec<Session> = (0..callers).map(|_| instance.session()).collect();
    let mut client = Client::default();
    sessions.iter_mut().for_each(|session| session.call(&call, &mut client));
    if let Some(error) = client.error {
        return Err(Error::new(Code::Internal, error));
    }
    let begin = Instant::now();
    let failed = std::thread::scope(|scope| {
        let run = |mut session: Session| {
            let mut client = Client::default();
            (0..SYNCED_CALLS).for_each(|_| session.call(&call, &mut client));
            client.error
        };
        let running: Vec<_> = sessions.into_iter().map(|session| scope.spawn(move || run(session))).collect();
        let ended = running.into_iter().map(|it| it.join().unwrap_or_else(|_| Some("a caller panicked".to_owned())));
        ended.flatten().next()
    });
    let time = begin.elapsed();
    failed.map_or(Ok(time), |error| Err(Error::new(Code::Internal, error)))
}

impl System for OnDisk {
    fn name(&self) -> &str {
        "Mainstay"
    }

    fn description(&self) -> String {
        let own = self.lazy.description();
        format!("{own}; durability = full: {SYNCED_CALLS} calls by each caller")
    }

    fn facts(&self) -> Vec<(String, String)> {
        self.lazy.facts()
    }

    fn measure(&mut self, row: usize, repeats: usize) -> Option<Measured> {
        let times = match *self.tasks.get(row)? {
            Task::Again(procedure) => self.lazy.measure_row(procedure, repeats),
            Task::Synced(procedure, callers) => self.synced(procedure, callers, repeats),
        };
        Some(measured(times))
    }
}
