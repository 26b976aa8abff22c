//! Cost of a commit: `cargo run --release --example journal_cost -- FOLDER`.
//!
//! Prints the time of `append + wait` for `None`, `Os` and `Full`, with one thread and with sixteen, beside a bare
//! `write` and a bare write and sync of the same number of bytes, on the file system of the folder.

use mainstay_store::journal::checksum::crc32c;
use mainstay_store::journal::redo::RedoBuffer;
use mainstay_store::journal::{Durability, JournalHeader, JournalReader, JournalWriter};
use mainstay_types::{Error, Result, SqlType, ValueRef};
use mainstay_vfs::{Create, Disk, FileSystem};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

const HEADER: JournalHeader = JournalHeader { number: 1, first_sequence: 1, salt: 7 };
const TYPES: [SqlType; 3] = [SqlType::BigInt, SqlType::TEXT, SqlType::Double];

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let path = Path::new(&folder).join("journal-cost.tmp");
    let payload = payload();
    println!("payload of one row: {} bytes", payload.len());
    let report = |what: &str, commits: u32, time: Duration| {
        println!("{what:34} {:>10.3} us a commit", time.as_secs_f64() * 1e6 / f64::from(commits));
    };
    for _ in 0..3 {
        bare(&path, payload.len() + 24, 200_000).map(|time| report("bare write", 200_000, time))?;
        for (name, durability, commits) in [("None", Durability::None, 500_000), ("Os", Durability::Os, 200_000)] {
            report(&format!("append + wait, {name}"), commits, one(&path, &payload, durability, commits)?);
        }
        report("append + wait, Full (median)", 1, median_full(&path, &payload)?);
        report("bare write + sync, room (median)", 1, median_bare(&path, payload.len() + 24, 4 << 20)?);
        report("bare write + sync, grows (median)", 1, median_bare(&path, payload.len() + 24, 0)?);
        report("append + wait, Full, 16 threads", 3200, sixteen(&path, &payload, Durability::Full, 200)?);
        report("append + wait, Os, 16 threads", 160_000, sixteen(&path, &payload, Durability::Os, 10_000)?);
        encode(1_000_000);
        one(&path, &payload, Durability::None, 1_000_000)?;
        let started = Instant::now();
        let mut reader = JournalReader::open(Disk.open(&path)?)?;
        let mut frames = 0;
        while reader.next_frame()?.is_some() {
            frames += 1;
        }
        report("reading back", frames, started.elapsed());
    }
    Disk.remove(&path)
}

fn payload() -> Vec<u8> {
    let mut redo = RedoBuffer::new();
    let row = [ValueRef::Integer(1_000_000), ValueRef::Text("a short text"), ValueRef::Float(1.5)];
    let written = redo.insert_row(3, &TYPES, 500_000, row);
    written.map(|()| redo.seal(77).to_vec()).unwrap_or_default()
}

fn encode(rows: u32) {
    let mut redo = RedoBuffer::new();
    let started = Instant::now();
    for row in 0..u64::from(rows) {
        redo.clear();
        let values = [ValueRef::Integer(row as i64), ValueRef::Text("a short text"), ValueRef::Float(1.5)];
        drop(black_box(redo.insert_row(3, &TYPES, row, values)));
        black_box(redo.seal(row));
    }
    println!(
        "{:34} {:>10.1} ns",
        "redo of a one-row transaction",
        started.elapsed().as_secs_f64() * 1e9 / f64::from(rows)
    );
    let megabytes = vec![7; 16 << 20];
    let started = Instant::now();
    black_box(crc32c(&megabytes));
    println!("{:34} {:>10.2} GB/s", "crc32c", megabytes.len() as f64 / started.elapsed().as_secs_f64() / 1e9);
}

/// The median of single commits, each with its sync: a mean would tell of the rare one that waits for others' writes.
fn median(mut commit: impl FnMut() -> Result<()>) -> Result<Duration> {
    let mut times = Vec::new();
    for _ in 0..300 {
        let started = Instant::now();
        commit()?;
        times.push(started.elapsed());
    }
    times.sort();
    Ok(times[times.len() / 2])
}

fn median_full(path: &Path, payload: &[u8]) -> Result<Duration> {
    let writer = JournalWriter::create(&Disk, path, HEADER)?;
    median(|| writer.wait(writer.append(payload)?, Durability::Full))
}

/// Without room made in advance, the file grows with every write.
fn median_bare(path: &Path, bytes: usize, room: u64) -> Result<Duration> {
    let file = Disk.create(path, Create::Truncate)?;
    file.set_len(room)?;
    file.sync()?;
    let (bytes, mut offset) = (vec![7; bytes], 0);
    median(|| {
        file.write_at(&bytes, offset)?;
        offset += bytes.len() as u64;
        file.sync()
    })
}

fn bare(path: &Path, bytes: usize, writes: u32) -> Result<Duration> {
    let file = Disk.create(path, Create::Truncate)?;
    file.set_len(64 << 20)?;
    file.sync()?;
    let bytes = vec![7; bytes];
    let started = Instant::now();
    for write in 0..u64::from(writes) {
        file.write_at(&bytes, write * bytes.len() as u64)?;
    }
    Ok(started.elapsed())
}

fn one(path: &Path, payload: &[u8], durability: Durability, commits: u32) -> Result<Duration> {
    let writer = JournalWriter::create(&Disk, path, HEADER)?;
    let started = Instant::now();
    for _ in 0..commits {
        writer.wait(writer.append(payload)?, durability)?;
    }
    Ok(started.elapsed())
}

fn sixteen(path: &Path, payload: &[u8], durability: Durability, commits: u32) -> Result<Duration> {
    let writer = JournalWriter::create(&Disk, path, HEADER)?;
    let started = Instant::now();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|_| scope.spawn(|| (0..commits).try_for_each(|_| writer.wait(writer.append(payload)?, durability))))
            .collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(Error::from(std::io::Error::other("a thread died")))));
        joined.collect::<Result<Vec<()>>>()
    })?;
    Ok(started.elapsed())
}
