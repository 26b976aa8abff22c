//! How fast record files are: memory files, and a keyed file of 200,000 writes as a native table.
//!
//! `cargo run --release -p mainstay-basic-tables --example file_speed [FOLDER]`; without a folder in a temporary one.

use mainstay_basic_files::{
    Counters, FileDefinition, FolderVolume, MemoryQueue, OpenMode, OpenOptions, Order, Place, ReadMode, ReadOptions,
    RecordFormat, ScanRange, SessionId, Volume, WriteOptions,
};
use mainstay_basic_tables::TableVolume;
use mainstay_store::{Durability, Store, StoreOptions};
use mainstay_vfs::Disk;
use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

fn memory(name: &str) -> Outcome<()> {
    let mut least = f64::MAX;
    let mut count = 0;
    for _ in 0..5 {
        let mut file = MemoryQueue::open(name, None, None, &Arc::default()).ok_or("not a memory file")??;
        let mut random = Random(12345);
        let start = Instant::now();
        for _ in 0..25_000 {
            let key = format!("{:04}{:04}", random.below(10_000), random.below(10_000));
            let record = format!(
                "{key}\u{8a}test data\u{8a}to attept\u{8a}to time\u{8a}the system!!!!!\u{8a}1\u{8a}2\u{8a}3\u{8a}4\u{8a}5\u{8a}"
            );
            file.write(record.as_bytes(), &WriteOptions::key(key.as_bytes()))?;
        }
        least = least.min(start.elapsed().as_secs_f64());
        count = file.information()?.records;
    }
    println!("25,000 keyed writes, {name:22} {least:8.4} s   {count} records");
    Ok(())
}

fn index_reads() -> Outcome<()> {
    let mut file = MemoryQueue::open("*memory*", None, None, &Arc::default()).ok_or("not a memory file")??;
    file.write(&[b'x'; 199], &WriteOptions::default())?;
    let options = ReadOptions::default();
    let start = Instant::now();
    for _ in 0..5_000_000 {
        black_box(file.read(Place::Index(0), &options)?);
    }
    println!("READ IND=0 of a memory file             {:8.1} ns", start.elapsed().as_secs_f64() * 200.0);
    Ok(())
}

fn open_volume(folder: &Path, durability: Durability) -> Outcome<TableVolume> {
    let store = Arc::new(Store::open(Arc::new(Disk), &folder.join(".mainstay"), StoreOptions::default())?);
    let files = FolderVolume::new(Arc::new(Disk), folder);
    Ok(TableVolume::new(store, Arc::new(files), durability))
}

fn load(volume: &TableVolume) -> Outcome<()> {
    let session = SessionId(1);
    // DIRECT "tst3.dat",6,0,0-1000, and OPEN PURGE.
    volume.create("tst3.dat", &FileDefinition::direct(6, None, RecordFormat::Variable(1000)))?;
    let mut file = volume.open("tst3.dat", &OpenOptions::new(session, OpenMode::Purge))?;
    let mut random = Random(777);
    let start = Instant::now();
    for _ in 0..200_000 {
        let key = format!("{:03}{:03}", random.below(1000), random.below(1000));
        let mut record = vec![b'D'; 100 + random.below(100) as usize];
        record.push(0x8A);
        file.write(&record, &WriteOptions::key(key.as_bytes()))?;
    }
    file.flush()?;
    let count = file.information()?.records;
    println!("200,000 keyed writes to a table          {:8.3} s   {count} records", start.elapsed().as_secs_f64());
    Ok(())
}

/// Reads the whole file: seconds, records, block reads.
fn scan(volume: &TableVolume, order: Option<Order>, selects: bool) -> Outcome<(f64, usize, u64)> {
    let counters = Arc::new(Counters::default());
    let options = OpenOptions { counters: Arc::clone(&counters), ..OpenOptions::new(SessionId(1), OpenMode::Shared) };
    let mut file = volume.open("tst3.dat", &options)?;
    let (start, mut count) = (Instant::now(), 0);
    if selects {
        let mut scan = file.scan(&ScanRange { order, ..ScanRange::default() })?;
        while let Some(record) = file.scan_next(&mut scan)? {
            black_box(record.data);
            count += 1;
        }
    } else {
        let read = ReadOptions { order, ..ReadOptions::new(ReadMode::Read) };
        while let Ok(record) = file.read(Place::Next, &read) {
            black_box(record);
            count += 1;
        }
    }
    Ok((start.elapsed().as_secs_f64(), count, counters.block_reads()))
}

fn scans(volume: &TableVolume) -> Outcome<()> {
    let kinds = [
        ("READ, next by key", None, false),
        ("READ KNO=*, next physical", Some(Order::Physical), false),
        ("SELECT KNO=0", Some(Order::Key(0)), true),
        ("SELECT KNO=*", Some(Order::Physical), true),
    ];
    for (name, order, selects) in kinds {
        let (first, count, reads) = scan(volume, order, selects)?;
        let mut least = first;
        for _ in 0..9 {
            least = least.min(scan(volume, order, selects)?.0);
        }
        println!("{name:26}  {least:8.4} s, first {first:8.4} s   {count} records, {reads} block reads");
    }
    Ok(())
}

fn key_reads(volume: &TableVolume) -> Outcome<()> {
    let mut file = volume.open("tst3.dat", &OpenOptions::new(SessionId(1), OpenMode::Shared))?;
    let mut random = Random(99);
    let (start, mut found) = (Instant::now(), 0);
    for _ in 0..200_000 {
        let key = format!("{:03}{:03}", random.below(1000), random.below(1000));
        found += usize::from(file.read(Place::Key(key.as_bytes()), &ReadOptions::default()).is_ok());
    }
    println!("READ KEY=, random                        {:8.0} ns  {found} found", start.elapsed().as_secs_f64() * 5e3);
    Ok(())
}

fn shared_writes(volume: &TableVolume, name: &str, count: u64) -> Outcome<()> {
    let mut file = volume.open("tst3.dat", &OpenOptions::new(SessionId(1), OpenMode::Shared))?;
    let mut random = Random(5);
    let start = Instant::now();
    for _ in 0..count {
        let key = format!("{:06}", random.below(1_000_000));
        file.write(&[b'X'; 120], &WriteOptions::key(key.as_bytes()))?;
    }
    println!(
        "WRITE to a shared file, {name} durability  {:8.1} us",
        start.elapsed().as_secs_f64() * 1e6 / count as f64
    );
    Ok(())
}

fn main() -> Outcome<()> {
    memory("*memory*")?;
    memory("*memory*;KEYDEF=8")?;
    index_reads()?;
    let temporary = tempfile::tempdir()?;
    let folder = std::env::args().nth(1).map_or_else(|| temporary.path().to_owned(), Into::into);
    let volume = open_volume(&folder, Durability::Full)?;
    load(&volume)?;
    drop(volume);
    let start = Instant::now();
    let volume = open_volume(&folder, Durability::Full)?;
    println!("opening the store again                  {:8.3} s", start.elapsed().as_secs_f64());
    scans(&volume)?;
    key_reads(&volume)?;
    shared_writes(&volume, "full", 300)?;
    drop(volume);
    shared_writes(&open_volume(&folder, Durability::Os)?, "os", 100_000)
}
