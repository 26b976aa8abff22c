//! Counts of runs: runs, times, rows and logical reads of statements and modules, for `sys.dm_exec_query_stats`,
//! `dm_exec_procedure_stats`, `dm_exec_trigger_stats` and `dm_exec_cached_plans`.
//!
//! A statement by its key takes about a microsecond, so counting has to cost next to nothing:
//!
//! ```text
//!   session 1   compiled text --Counts--\        plain additions, by the thread of the session alone
//!   session 2   compiled text --Counts---+-->  Registry   one entry for a statement of a text, over all sessions
//!   ended       totals, folded ---------/                 added up when somebody looks
//! ```
//!
//! Reading two clocks takes longer than many a statement. The first [`TIMED_FIRST`] runs are timed, and one in
//! [`TIMED_OF`] after them; total times are those of the timed runs, scaled up to all runs. Counts of runs, rows and
//! reads are exact.
//!
//! Limits: [`KEPT`] entries and [`KEPT_BYTES`] of their texts, of which the least recently run ones are evicted until they
//! are compiled again; texts of up to [`LONGEST`] bytes. An entry in its first run is as recent as its compilation.

use mainstay_types::Timestamp;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// So many runs are timed from the first on.
const TIMED_FIRST: u64 = 64;
/// Of later runs one of so many is timed.
const TIMED_OF: u64 = 32;
/// The most entries that are stored.
const KEPT: usize = 2_000;
/// The most bytes of texts that are stored. A text that several entries share is counted for each.
const KEPT_BYTES: usize = 16 << 20;
/// Longer texts are not counted, in bytes.
const LONGEST: usize = 64 * 1024;
/// The number that stands for the text as a whole.
pub(crate) const WHOLE: u32 = u32::MAX;

/// A figure of many runs.
#[derive(Debug, Default)]
struct Figure {
    total: AtomicU64,
    last: AtomicU64,
    least: AtomicU64,
    most: AtomicU64,
}

impl Figure {
    /// Adds a run. Only one thread adds, so nothing is lost by reading and writing one after the other.
    #[inline]
    fn add(&self, value: u64, is_first: bool) {
        let total = self.total.load(Ordering::Relaxed).saturating_add(value);
        self.total.store(total, Ordering::Relaxed);
        self.last.store(value, Ordering::Relaxed);
        if is_first || value < self.least.load(Ordering::Relaxed) {
            self.least.store(value, Ordering::Relaxed);
        }
        if value > self.most.load(Ordering::Relaxed) {
            self.most.store(value, Ordering::Relaxed);
        }
    }

    fn summary(&self) -> Summary {
        Summary {
            total: self.total.load(Ordering::Relaxed),
            last: self.last.load(Ordering::Relaxed),
            least: self.least.load(Ordering::Relaxed),
            most: self.most.load(Ordering::Relaxed),
        }
    }
}

/// A figure as it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) total: u64,
    pub(crate) last: u64,
    pub(crate) least: u64,
    pub(crate) most: u64,
}

impl Summary {
    /// Adds what another session has counted. `is_later` if its last run is the later one.
    fn add(&mut self, other: Summary, (is_empty, is_later): (bool, bool)) {
        self.total = self.total.saturating_add(other.total);
        self.least = if is_empty { other.least } else { self.least.min(other.least) };
        self.most = self.most.max(other.most);
        if is_later {
            self.last = other.last;
        }
    }

    /// The same for more runs than were measured.
    fn scaled(self, runs: u64, measured: u64) -> Summary {
        let total = u128::from(self.total) * u128::from(runs);
        let total = total.checked_div(u128::from(measured)).unwrap_or(0);
        Summary { total: u64::try_from(total).unwrap_or(u64::MAX), ..self }
    }
}

/// One session's counts of a statement, or of a text as a whole.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    runs: AtomicU64,
    timed: AtomicU64,
    /// Nanoseconds.
    elapsed: Figure,
    /// Nanoseconds.
    cpu: Figure,
    rows: Figure,
    reads: Figure,
    last_run: AtomicI64,
}

/// The figures of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Elapsed time and CPU time, if it was timed.
    pub(crate) times: Option<(Duration, Duration)>,
    pub(crate) rows: u64,
    pub(crate) reads: u64,
    /// The time of the run, as far as the session knows.
    pub(crate) at: Timestamp,
}

impl Counts {
    /// Returns true if the next run is to be timed.
    #[inline]
    pub(crate) fn times_next(&self) -> bool {
        let runs = self.runs.load(Ordering::Relaxed);
        runs < TIMED_FIRST || runs.is_multiple_of(TIMED_OF)
    }

    /// Counts a run. Only the thread of the session does.
    pub(crate) fn add(&self, run: &Run) {
        let runs = self.runs.load(Ordering::Relaxed);
        self.rows.add(run.rows, runs == 0);
        self.reads.add(run.reads, runs == 0);
        if let Some((elapsed, cpu)) = run.times {
            let timed = self.timed.load(Ordering::Relaxed);
            let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            self.elapsed.add(nanoseconds(elapsed), timed == 0);
            self.cpu.add(nanoseconds(cpu), timed == 0);
            self.timed.store(timed + 1, Ordering::Relaxed);
        }
        self.last_run.store(run.at.0, Ordering::Relaxed);
        self.runs.store(runs + 1, Ordering::Relaxed);
    }
}

/// Counts of all sessions together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) runs: u64,
    timed: u64,
    elapsed: Summary,
    cpu: Summary,
    pub(crate) rows: Summary,
    pub(crate) reads: Summary,
    pub(crate) last_run: i64,
}

impl Totals {
    fn add(&mut self, counts: &Counts) {
        let runs = counts.runs.load(Ordering::Relaxed);
        if runs == 0 {
            return;
        }
        let (timed, last_run) = (counts.timed.load(Ordering::Relaxed), counts.last_run.load(Ordering::Relaxed));
        let is_later = last_run >= self.last_run;
        let (all, of_timed) = ((self.runs == 0, is_later), (self.timed == 0, is_later));
        self.rows.add(counts.rows.summary(), all);
        self.reads.add(counts.reads.summary(), all);
        if timed > 0 {
            self.elapsed.add(counts.elapsed.summary(), of_timed);
            self.cpu.add(counts.cpu.summary(), of_timed);
        }
        (self.runs, self.timed) = (self.runs + runs, self.timed + timed);
        self.last_run = self.last_run.max(last_run);
    }

    /// Elapsed times in nanoseconds, the total for all runs.
    pub(crate) fn elapsed(&self) -> Summary {
        self.elapsed.scaled(self.runs, self.timed)
    }

    /// CPU times in nanoseconds, the total for all runs.
    pub(crate) fn cpu(&self) -> Summary {
        self.cpu.scaled(self.runs, self.timed)
    }
}

/// A statement of a text. The batch that creates a procedure may have the same text as the procedure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    text: Arc<str>,
    statement: u32,
    kind: Kind,
}

/// The kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A batch.
    Batch,
    /// A text with parameters.
    Prepared,
    /// A procedure, function or trigger.
    Module,
}

#[derive(Debug)]
struct Entry {
    /// The place of the statement in its text, in characters of UTF-16.
    span: (usize, usize),
    created: Timestamp,
    /// Of sessions that are there.
    counts: Vec<Arc<Counts>>,
    /// Of sessions that have ended.
    ended: Totals,
}

impl Entry {
    /// Takes over what sessions have counted that have ended.
    fn fold(&mut self) {
        let ended = &mut self.ended;
        self.counts.retain(|counts| {
            let is_used = Arc::strong_count(counts) > 1;
            if !is_used {
                ended.add(counts);
            }
            is_used
        });
    }

    /// The time when it was last run or, before its first run has ended, compiled.
    fn last_used(&self) -> i64 {
        self.totals().last_run.max(self.created.0)
    }

    fn totals(&self) -> Totals {
        let mut totals = self.ended;
        self.counts.iter().for_each(|counts| totals.add(counts));
        totals
    }
}

/// An entry as it is shown.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) text: Arc<str>,
    /// [`WHOLE`] for the text.
    pub(crate) statement: u32,
    pub(crate) kind: Kind,
    pub(crate) span: (usize, usize),
    pub(crate) created: Timestamp,
    pub(crate) totals: Totals,
}

impl Listed {
    /// The handle of its text.
    pub(crate) fn sql_handle(&self) -> Vec<u8> {
        handle(if self.kind == Kind::Module { 3 } else { 2 }, &self.text)
    }

    /// The handle of its plan.
    pub(crate) fn plan_handle(&self) -> Vec<u8> {
        handle(if self.kind == Kind::Module { 5 } else { 6 }, &self.text)
    }
}

/// The handle of a text, in 20 bytes: the same for the same text.
pub(crate) fn handle(first: u8, text: &str) -> Vec<u8> {
    [&[first, 0, 0, 0][..], &hash(0, text), &hash(1, text)].concat()
}

/// A hash of a text in 8 bytes.
pub(crate) fn hash(salt: u8, text: &str) -> [u8; 8] {
    let mut hasher = DefaultHasher::new();
    (salt, text).hash(&mut hasher);
    hasher.finish().to_be_bytes()
}

/// The counts of a database.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    by_key: HashMap<Key, Entry>,
    /// The bytes of the texts of all keys.
    bytes: usize,
}

impl Registry {
    /// The counts of a session for a statement of a text; `None` for a text that is too long.
    fn register(&self, text: &Arc<str>, place: (u32, Kind, (usize, usize)), now: Timestamp) -> Option<Arc<Counts>> {
        if text.len() > LONGEST {
            return None;
        }
        let (statement, kind, span) = place;
        let counts = Arc::<Counts>::default();
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let key = Key { text: Arc::clone(text), statement, kind };
        if !entries.by_key.contains_key(&key) {
            entries.make_place(text.len());
            entries.bytes += text.len();
        }
        let new = || Entry { span, created: now, counts: Vec::new(), ended: Totals::default() };
        let entry = entries.by_key.entry(key).or_insert_with(new);
        entry.fold();
        entry.counts.push(Arc::clone(&counts));
        Some(counts)
    }

    /// Everything that was run.
    pub(crate) fn list(&self) -> Vec<Listed> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let listed = |(key, entry): (&Key, &mut Entry)| {
            entry.fold();
            let Entry { span, created, .. } = *entry;
            let Key { text, statement, kind } = key.clone();
            Listed { text, statement, kind, span, created, totals: entry.totals() }
        };
        let all = entries.by_key.iter_mut().map(listed);
        let mut listed: Vec<Listed> = all.filter(|listed| listed.totals.runs > 0).collect();
        listed.sort_by(|one, other| (&one.text, one.statement).cmp(&(&other.text, other.statement)));
        listed
    }
}

impl Entries {
    /// Removes entries, if an entry of a text of this length has no place: those that were not used for the longest time,
    /// until three quarters of the number and of the bytes are left at most.
    fn make_place(&mut self, length: usize) {
        if self.by_key.len() < KEPT && self.bytes + length <= KEPT_BYTES {
            return;
        }
        let mut used: Vec<(i64, usize)> =
            self.by_key.iter().map(|(key, entry)| (entry.last_used(), key.text.len())).collect();
        used.sort_unstable();
        let (mut number, mut bytes, mut latest, mut ties) = (used.len(), self.bytes, i64::MIN, 0_usize);
        for (at, length) in used {
            if number <= KEPT / 4 * 3 && bytes <= KEPT_BYTES / 4 * 3 {
                break;
            }
            (number, bytes) = (number - 1, bytes - length);
            ties = if at == latest { ties + 1 } else { 1 };
            latest = at;
        }
        self.by_key.retain(|_, entry| {
            let at = entry.last_used();
            let goes = at < latest || at == latest && ties > 0;
            ties -= usize::from(goes && at == latest);
            !goes
        });
        self.bytes = self.by_key.keys().map(|key| key.text.len()).sum();
    }
}

/// The counts of a compiled text and its statements, which begin to exist when they are first run.
#[derive(Debug)]
pub(crate) struct TextCounts {
    whole: OnceLock<Option<Arc<Counts>>>,
    statements: Box<[OnceLock<Option<Arc<Counts>>>]>,
}

impl TextCounts {
    /// Of a text with so many statements.
    pub(crate) fn new(statements: usize) -> TextCounts {
        TextCounts { whole: OnceLock::new(), statements: (0..statements).map(|_| OnceLock::new()).collect() }
    }

    /// The counts of the text as a whole.
    #[inline]
    pub(crate) fn whole(
        &self,
        registry: &Registry,
        text: &Arc<str>,
        kind: Kind,
        now: Timestamp,
    ) -> Option<&Arc<Counts>> {
        self.whole.get_or_init(|| registry.register(text, (WHOLE, kind, (0, 0)), now)).as_ref()
    }

    /// The counts of a statement; `span` is its place in the text, in bytes.
    #[inline]
    pub(crate) fn statement(
        &self,
        statement: usize,
        (registry, text, kind): (&Registry, &Arc<str>, Kind),
        span: (usize, usize),
        now: Timestamp,
    ) -> Option<&Arc<Counts>> {
        let new = || {
            let wide = |end: usize| text.get(..end).map_or(0, |before| before.encode_utf16().count());
            let place = (u32::try_from(statement).ok()?, kind, (wide(span.0), wide(span.1)));
            registry.register(text, place, now)
        };
        self.statements.get(statement)?.get_or_init(new).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::{Counts, KEPT, Kind, Registry, Run, Summary, TIMED_FIRST};
    use mainstay_types::Timestamp;
    use std::sync::Arc;
    use std::time::Duration;

    fn run(elapsed: u64, rows: u64, at: i64) -> Run {
        let times = Some((Duration::from_nanos(elapsed), Duration::from_nanos(elapsed / 2)));
        Run { times, rows, reads: rows * 2, at: Timestamp(at) }
    }

    #[test]
    fn sessions_are_added_up_and_outlive_their_ends() {
        let registry = Registry::default();
        let text: Arc<str> = Arc::from("SELECT 1");
        let of = || registry.register(&text, (0, Kind::Batch, (0, 8)), Timestamp(5)).expect("a short text");
        let (one, two) = (of(), of());
        one.add(&run(100, 3, 10));
        one.add(&run(300, 1, 20));
        two.add(&run(50, 7, 15));
        drop(two);
        let listed = registry.list();
        let totals = listed[0].totals;
        assert_eq!((listed.len(), totals.runs, totals.last_run), (1, 3, 20));
        assert_eq!(totals.rows, Summary { total: 11, last: 1, least: 1, most: 7 });
        assert_eq!(totals.elapsed(), Summary { total: 450, last: 300, least: 50, most: 300 });
        assert_eq!(totals.reads.total, 22);
        drop(one);
        assert_eq!(registry.list()[0].totals.rows, totals.rows);
    }

    /// A client may send nothing but the text of a procedure to create it.
    #[test]
    fn a_batch_and_a_procedure_of_one_text_are_two() {
        let registry = Registry::default();
        let text: Arc<str> = Arc::from("CREATE PROCEDURE p AS SELECT 1");
        for (kind, runs) in [(Kind::Batch, 1), (Kind::Module, 3)] {
            let counts = registry.register(&text, (super::WHOLE, kind, (0, 0)), Timestamp(0)).expect("a short text");
            (0..runs).for_each(|at| counts.add(&run(1, 1, at)));
        }
        let runs: Vec<(Kind, u64)> = registry.list().iter().map(|listed| (listed.kind, listed.totals.runs)).collect();
        assert!(runs.len() == 2 && runs.contains(&(Kind::Batch, 1)) && runs.contains(&(Kind::Module, 3)), "{runs:?}");
    }

    #[test]
    fn later_runs_are_timed_now_and_then() {
        let counts = Counts::default();
        let timed = (0..10 * TIMED_FIRST).filter(|_| {
            let is_timed = counts.times_next();
            let times = is_timed.then_some((Duration::from_nanos(10), Duration::ZERO));
            counts.add(&Run { times, rows: 0, reads: 0, at: Timestamp(0) });
            is_timed
        });
        assert_eq!(timed.count() as u64, TIMED_FIRST + 9 * TIMED_FIRST / super::TIMED_OF);
        let mut totals = super::Totals::default();
        totals.add(&counts);
        assert_eq!(totals.elapsed().total, 10 * 10 * TIMED_FIRST);
    }

    #[test]
    fn the_entries_are_bounded_and_the_recent_ones_stay() {
        let registry = Registry::default();
        for number in 0..3 * KEPT {
            let text: Arc<str> = format!("SELECT {number}").into();
            let counts = registry.register(&text, (0, Kind::Batch, (0, 1)), Timestamp(0)).expect("a short text");
            counts.add(&run(1, 1, number as i64));
        }
        let listed = registry.list();
        assert!(listed.len() <= KEPT, "{}", listed.len());
        assert!(listed.iter().any(|listed| listed.text.as_ref() == format!("SELECT {}", 3 * KEPT - 1)));
        assert!(!listed.iter().any(|listed| listed.text.as_ref() == "SELECT 0"));
    }

    /// A statement that runs for long is not the least recently used one.
    #[test]
    fn an_entry_in_its_first_run_stays() {
        let registry = Registry::default();
        let register = |text: String, at: i64| {
            let text: Arc<str> = text.into();
            registry.register(&text, (0, Kind::Batch, (0, 1)), Timestamp(at)).expect("a short text")
        };
        for number in 0..KEPT as i64 - 1 {
            register(format!("SELECT {number}"), number).add(&run(1, 1, number));
        }
        let long = register("WAITFOR DELAY '1:00'".to_owned(), KEPT as i64);
        register("SELECT 'evicts'".to_owned(), KEPT as i64 + 1);
        long.add(&run(1, 1, KEPT as i64 + 2));
        assert!(registry.list().iter().any(|listed| listed.text.starts_with("WAITFOR")));
    }

    /// Entries of long texts take no more than the bytes that are stored.
    #[test]
    fn the_bytes_of_texts_are_bounded() {
        let registry = Registry::default();
        let count = 2 * super::KEPT_BYTES / super::LONGEST;
        for number in 0..count {
            let text: Arc<str> = format!("{}{number:06}", "0".repeat(super::LONGEST - 6)).into();
            let counts = registry.register(&text, (0, Kind::Batch, (0, 1)), Timestamp(0)).expect("a text that fits");
            counts.add(&run(1, 1, number as i64));
        }
        let listed = registry.list();
        let bytes: usize = listed.iter().map(|listed| listed.text.len()).sum();
        assert!(bytes <= super::KEPT_BYTES && !listed.is_empty(), "{bytes}");
        assert!(listed.iter().any(|listed| listed.text.ends_with(&format!("0{}", count - 1))));
    }
}
