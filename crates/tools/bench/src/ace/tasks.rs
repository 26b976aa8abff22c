//! Rows of the suite: the task of a run, the condition that must hold afterwards, and the known figures.

use super::calls::{Connection, Mode, Order, Outcome, Table};
use crate::calibration::Calibration;
use crate::xbase::Data;
use mainstay_engine::{Options, Severity};
use std::path::Path;
use std::time::{Duration, Instant};

/// The numbers of the fields.
const ID: usize = 1;
const TAG: usize = 2;
const AMT: usize = 3;

/// Seeks of a run, and changes of one.
const SEEKS: usize = 10_000;
const CHANGES: usize = 2_000;

/// A row.
pub(super) struct Task {
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    /// The calls.
    pub(super) text: &'static str,
    /// The folder whose files a run has a copy of.
    pub(super) copied: Option<&'static str>,
    /// True if a run changes them, so that the next needs another copy.
    pub(super) changes: bool,
    /// Does the work in a folder; gives the time of what is measured.
    pub(super) run: fn(&Path, &Data) -> Outcome<Duration>,
    /// Says what is wrong after the last run.
    pub(super) check: fn(&Path, &Data) -> Outcome<()>,
    pub(super) published: Option<f64>,
    pub(super) openads: Option<f64>,
    pub(super) elsewhere: &'static [(&'static str, f64)],
    pub(super) floor: Option<f64>,
    pub(super) target: Option<f64>,
}

impl Task {
    /// Changes beside others are mostly system calls.
    pub(super) fn calibration(&self) -> Calibration {
        match self.key {
            "updates" | "appends" => Calibration::Append,
            _ => Calibration::Loop,
        }
    }
}

/// The rows of the table.
pub(super) const TASKS: [Task; 12] = [
    Task {
        key: "stage",
        title: "append all rows to a new table, exclusive",
        text: "AdsCreateTable; per row AdsAppendRecord, AdsSetDouble, AdsSetString, AdsSetDouble, AdsWriteRecord; AdsCloseTable",
        copied: None,
        changes: true,
        run: stage,
        check: is_as_generated,
        published: Some(34.0),
        openads: Some(2_278.0),
        elsewhere: &[("Harbour", 212.0)],
        floor: Some(1.8),
        target: Some(40.0),
    },
    Task {
        key: "create_index",
        title: "create an index on ID, exclusive",
        text: "AdsCreateIndex61 of a tag in a new CDX",
        copied: Some("plain"),
        changes: true,
        run: create_index,
        check: is_ordered_by_id,
        published: Some(38.0),
        openads: Some(526.0),
        elsewhere: &[("Harbour", 19.0), ("DuckDB", 12.0)],
        floor: Some(0.85),
        target: Some(12.0),
    },
    Task {
        key: "aof_plain",
        title: "AdsSetAOF(TAG='AAAA') and walk, no index",
        text: "AdsOpenTable, AdsSetAOF, AdsGotoTop; per record AdsAtEOF, AdsGetDouble, AdsSkip; AdsCloseTable",
        copied: Some("plain"),
        run: |folder, data| filtered(folder, data, TAG_IS_A, |tag| tag == "AAAA", true),
        published: Some(93.0),
        openads: Some(92.0),
        elsewhere: &[("Harbour filter", 81.0)],
        floor: Some(0.20),
        target: Some(2.0),
        ..READS
    },
    Task {
        key: "aof_indexed",
        title: "the same, TAG indexed",
        text: "AdsSetAOF, AdsGotoTop; per record AdsAtEOF, AdsGetDouble, AdsSkip; AdsClearAOF",
        run: |folder, data| filtered(folder, data, TAG_IS_A, |tag| tag == "AAAA", false),
        published: Some(58.0),
        openads: Some(0.83),
        elsewhere: &[("Harbour scope", 1.0)],
        floor: Some(0.02),
        target: Some(0.3),
        ..READS
    },
    Task {
        key: "aof_between",
        title: "AdsSetAOF(TAG BETWEEN), indexed, walk",
        text: "the same with TAG >= 'BBBB' .AND. TAG <= 'DDDD'",
        run: |folder, data| filtered(folder, data, TAG_IS_B_TO_D, |tag| ("BBBB"..="DDDD").contains(&tag), false),
        published: Some(4.5),
        openads: Some(2.0),
        floor: Some(0.03),
        target: Some(0.8),
        ..READS
    },
    Task {
        key: "seeks",
        title: "10,000 random seeks by ID",
        text: "per seek AdsSeek of a number, AdsGetDouble",
        run: seeks,
        openads: Some(15_914.0),
        elsewhere: &[("Harbour NTX", 28.0), ("Harbour CDX", 49.0)],
        floor: Some(5.0),
        target: Some(12.0),
        ..READS
    },
    Task {
        key: "scan",
        title: "full scan by skip",
        text: "AdsGotoTop; per record AdsAtEOF, AdsGetDouble, AdsSkip",
        run: |folder, data| scan(folder, data, None),
        openads: Some(17.0),
        elsewhere: &[("Harbour", 10.0)],
        target: Some(6.0),
        ..READS
    },
    Task {
        key: "scan_by_id",
        title: "full scan by skip, ordered by ID",
        text: "the same on the handle of the index",
        run: |folder, data| scan(folder, data, Some("ID")),
        openads: Some(31.0),
        elsewhere: &[("Harbour", 13.0)],
        target: Some(8.0),
        ..READS
    },
    Task {
        key: "updates",
        title: "2,000 updates by key, 3 tags",
        text: "per row AdsSeek, AdsLockRecord, AdsSetString, AdsSetDouble, AdsWriteRecord, AdsUnlockRecord; AdsCloseTable",
        changes: true,
        run: |folder, data| updates(folder, data, Mode::Shared),
        check: updates_are_there,
        openads: Some(4_102.0),
        elsewhere: &[("Harbour", 52.0)],
        target: Some(25.0),
        ..READS
    },
    Task {
        key: "appends",
        title: "2,000 appends, 3 tags",
        text: "per row AdsAppendRecord, AdsLockRecord, AdsSetDouble, AdsSetString, AdsSetDouble, AdsWriteRecord, AdsUnlockRecord; AdsCloseTable",
        changes: true,
        run: |folder, data| appends(folder, data, Mode::Shared),
        check: appends_are_there,
        openads: Some(57.0),
        elsewhere: &[("Harbour", 24.0)],
        target: Some(15.0),
        ..READS
    },
    Task {
        key: "updates_alone",
        title: "2,000 updates by key, 3 tags, exclusive",
        text: "per row AdsSeek, AdsSetString, AdsSetDouble, AdsWriteRecord; AdsCloseTable",
        changes: true,
        run: |folder, data| updates(folder, data, Mode::Exclusive),
        check: updates_are_there,
        ..READS
    },
    Task {
        key: "appends_alone",
        title: "2,000 appends, 3 tags, exclusive",
        text: "per row AdsAppendRecord, AdsSetDouble, AdsSetString, AdsSetDouble, AdsWriteRecord; AdsCloseTable",
        changes: true,
        run: |folder, data| appends(folder, data, Mode::Exclusive),
        check: appends_are_there,
        ..READS
    },
];

/// A row that reads the table with its index, and looks at its answer in every run.
const READS: Task = Task {
    key: "",
    title: "",
    text: "",
    copied: Some("indexed"),
    changes: false,
    run: |_, _| Err("nothing to run".to_owned()),
    check: |_, _| Ok(()),
    published: None,
    openads: None,
    elsewhere: &[],
    floor: None,
    target: None,
};

const TAG_IS_A: &str = "TAG='AAAA'";
const TAG_IS_B_TO_D: &str = "TAG >= 'BBBB' .AND. TAG <= 'DDDD'";

/// The records of a walk: their number, and the sum of AMT in cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    records: usize,
    cents: u64,
}

impl Seen {
    /// The expected result for the records with these IDs.
    fn of(data: &Data, wanted: impl Fn(usize) -> bool) -> Seen {
        let mut seen = Seen::default();
        for id in (1..=data.len()).filter(|id| wanted(*id)) {
            seen.add(data.cents(id).unwrap_or_default());
        }
        seen
    }

    fn add(&mut self, cents: u32) {
        self.records += 1;
        self.cents += u64::from(cents);
    }

    fn walk(table: &Table, order: Option<Order>) -> Outcome<Seen> {
        let mut seen = Seen::default();
        table.walk(order, AMT, |amount| seen.add(cents(amount)))?;
        Ok(seen)
    }

    fn must_be(self, expected: Seen) -> Outcome<()> {
        if self == expected { Ok(()) } else { Err(format!("{self:?} and not {expected:?}")) }
    }
}

fn cents(amount: f64) -> u32 {
    (amount * 100.0).round() as u32
}

fn amount(cents: u32) -> f64 {
    f64::from(cents) / 100.0
}

/// Fills the current record with a row of the data.
fn put(table: &Table, data: &Data, id: usize) -> Outcome<()> {
    table.set_number(ID, id as f64)?;
    table.set_text(TAG, &Data::tag(id))?;
    table.set_number(AMT, amount(data.cents(id).unwrap_or_default()))?;
    table.write()
}

fn stage(folder: &Path, data: &Data) -> Outcome<Duration> {
    let connection = Connection::open(folder)?;
    let begin = Instant::now();
    let table = connection.create("bench", "ID,N,8,0;TAG,C,4;AMT,N,8,2")?;
    for id in 1..=data.len() {
        table.append()?;
        put(&table, data, id)?;
    }
    table.close()?;
    Ok(begin.elapsed())
}

fn is_as_generated(folder: &Path, data: &Data) -> Outcome<()> {
    let connection = Connection::open(folder)?;
    let table = connection.table("bench", Mode::Shared)?;
    let (mut place, mut wrong) = (0, None);
    table.walk(None, ID, |id| {
        place += 1;
        if id != place as f64 {
            wrong.get_or_insert((place, id));
        }
    })?;
    if let Some((place, id)) = wrong {
        return Err(format!("record {place} has the ID {id}"));
    }
    Seen::walk(&table, None)?.must_be(Seen::of(data, |_| true))?;
    is_sound(folder)
}

/// No finding in the table and its index: all keys are there, in order, and those of their records.
fn is_sound(folder: &Path) -> Outcome<()> {
    let findings = mainstay_engine::check(folder, &Options::default()).map_err(|error| error.to_string())?;
    match findings.iter().find(|finding| finding.severity == Severity::Error) {
        Some(finding) => Err(finding.to_string()),
        None => Ok(()),
    }
}

fn create_index(folder: &Path, _: &Data) -> Outcome<Duration> {
    let connection = Connection::open(folder)?;
    let table = connection.table("bench", Mode::Exclusive)?;
    let begin = Instant::now();
    table.create_tag("ID")?;
    let time = begin.elapsed();
    table.close()?;
    Ok(time)
}

fn is_ordered_by_id(folder: &Path, data: &Data) -> Outcome<()> {
    scan(folder, data, Some("ID"))?;
    is_sound(folder)
}

/// Sets a filter and walks what it leaves; from opening the table on, or with the table open.
fn filtered(folder: &Path, data: &Data, condition: &str, wanted: fn(&str) -> bool, opens: bool) -> Outcome<Duration> {
    let connection = Connection::open(folder)?;
    let mut begin = Instant::now();
    let table = connection.table("bench", Mode::Shared)?;
    if !opens {
        begin = Instant::now();
    }
    table.set_aof(condition)?;
    let seen = Seen::walk(&table, None)?;
    if !opens {
        table.clear_aof()?;
    }
    let time = begin.elapsed();
    table.close()?;
    seen.must_be(Seen::of(data, |id| wanted(&Data::tag(id))))?;
    Ok(time)
}

fn seeks(folder: &Path, data: &Data) -> Outcome<Duration> {
    let connection = Connection::open(folder)?;
    let table = connection.table("bench", Mode::Shared)?;
    let order = table.order("ID")?;
    let (mut state, mut seen, mut expected) = (12_345u64, Seen::default(), Seen::default());
    // Knuth's multiplier for 64 bits.
    let keys = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        1 + (state >> 33) as usize % data.len()
    });
    let keys: Vec<usize> = keys.take(SEEKS).collect();
    let begin = Instant::now();
    for &key in &keys {
        if table.seek(order, key as f64)? {
            seen.add(cents(table.number(AMT)?));
        }
    }
    let time = begin.elapsed();
    keys.iter().for_each(|&key| expected.add(data.cents(key).unwrap_or_default()));
    seen.must_be(expected)?;
    Ok(time)
}

fn scan(folder: &Path, data: &Data, order: Option<&str>) -> Outcome<Duration> {
    let connection = Connection::open(folder)?;
    let table = connection.table("bench", Mode::Shared)?;
    let order = order.map(|name| table.order(name)).transpose()?;
    let begin = Instant::now();
    let seen = Seen::walk(&table, order)?;
    let time = begin.elapsed();
    seen.must_be(Seen::of(data, |_| true))?;
    Ok(time)
}

/// The ID and the new values of a change; no ID comes twice.
fn change(step: usize, data: &Data) -> (usize, String, u32) {
    let id = 1 + step * 37 % data.len();
    (id, Data::tag(id + 1), (step % 9_000) as u32)
}

/// An exclusive user needs no locks.
fn updates(folder: &Path, data: &Data, mode: Mode) -> Outcome<Duration> {
    let connection = Connection::open(folder)?;
    let table = connection.table("bench", mode)?;
    let is_shared = mode == Mode::Shared;
    let order = table.order("ID")?;
    let begin = Instant::now();
    for step in 0..CHANGES.min(data.len()) {
        let (id, tag, cents) = change(step, data);
        if !table.seek(order, id as f64)? {
            return Err(format!("there is no ID {id}"));
        }
        if is_shared {
            table.lock()?;
        }
        table.set_text(TAG, &tag)?;
        table.set_number(AMT, amount(cents))?;
        table.write()?;
        if is_shared {
            table.unlock()?;
        }
    }
    table.close()?;
    Ok(begin.elapsed())
}

fn updates_are_there(folder: &Path, data: &Data) -> Outcome<()> {
    let mut expected = Seen::of(data, |_| true);
    for step in 0..CHANGES.min(data.len()) {
        let (id, _, cents) = change(step, data);
        expected.cents = expected.cents + u64::from(cents) - u64::from(data.cents(id).unwrap_or_default());
    }
    are_there(folder, expected)
}

fn appends(folder: &Path, data: &Data, mode: Mode) -> Outcome<Duration> {
    let connection = Connection::open(folder)?;
    let table = connection.table("bench", mode)?;
    let is_shared = mode == Mode::Shared;
    let begin = Instant::now();
    for step in 1..=CHANGES {
        table.append()?;
        if is_shared {
            table.lock()?;
        }
        table.set_number(ID, (data.len() + step) as f64)?;
        table.set_text(TAG, &Data::tag(step))?;
        table.set_number(AMT, amount(step as u32))?;
        table.write()?;
        if is_shared {
            table.unlock()?;
        }
    }
    table.close()?;
    Ok(begin.elapsed())
}

fn appends_are_there(folder: &Path, data: &Data) -> Outcome<()> {
    let mut expected = Seen::of(data, |_| true);
    (1..=CHANGES).for_each(|step| expected.add(step as u32));
    are_there(folder, expected)
}

/// The table shows this in every order, and is sound.
fn are_there(folder: &Path, expected: Seen) -> Outcome<()> {
    let connection = Connection::open(folder)?;
    let table = connection.table("bench", Mode::Shared)?;
    Seen::walk(&table, None)?.must_be(expected)?;
    for order in ["ID", "TAG", "AMT"] {
        Seen::walk(&table, Some(table.order(order)?))?.must_be(expected)?;
    }
    table.close()?;
    is_sound(folder)
}
