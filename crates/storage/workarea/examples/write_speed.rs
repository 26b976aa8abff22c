//! Speed of filling a table, and of changing one of 100,000 records with three tags beside other programs:
//! `cargo run --release --example write_speed -- FOLDER [ROW [REPEATS]]`, with the rows `stage`, `updates`, `appends`
//! and `index`. The folder must exist; the created files stay there.

use mainstay_types::Error;
use mainstay_vfs::{Disk, FileSystem};
use mainstay_workarea::{Area, AreaOptions, Mode, NewOrder, SeekHow, SeekKey, untold};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::lock::LockScheme;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Error>;

/// Does the work of a row, and gives its time.
type Row = fn(&Bench) -> Outcome<Duration>;

const RECORDS: u32 = 100_000;
const CHANGES: u32 = 2_000;

struct Bench {
    fs: Arc<dyn FileSystem>,
    folder: PathBuf,
}

impl Bench {
    fn open(&self, name: &str, mode: Mode) -> Outcome<Area> {
        let scheme = Some(LockScheme::FoxPro);
        let options = AreaOptions { mode, scheme, implicit_locks: true, ..AreaOptions::default() };
        Area::open(Arc::clone(&self.fs), &self.folder.join(name), &options)
    }

    fn stage(&self) -> Outcome<Duration> {
        let path = self.folder.join("stage.dbf");
        let fields = vec![
            FieldSpec::new("ID", b'N', 8, 0),
            FieldSpec::new("TAG", b'C', 4, 0),
            FieldSpec::new("AMT", b'N', 8, 2),
        ];
        for extension in ["dbf", "cdx"] {
            // Left over from an earlier run, or not there.
            let _ = self.fs.remove(&path.with_extension(extension));
        }
        let begun = Instant::now();
        Area::create(&self.fs, &path, &TableSpec::new(Format::FoxPro, fields))?;
        let mut area = self.open("stage.dbf", Mode::Exclusive)?;
        let mut random = 1u64;
        for id in 1..=RECORDS {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            area.append_blank()?;
            put(&mut area, id, (random >> 33) as u32 % 100_000)?;
            area.write()?;
        }
        area.close()?;
        Ok(begun.elapsed())
    }

    fn index(&self) -> Outcome<Duration> {
        let mut area = self.open("stage.dbf", Mode::Exclusive)?;
        let begun = Instant::now();
        for name in ["ID", "TAG", "AMT"] {
            area.create_order(&NewOrder::new(name, name), &mut untold)?;
        }
        let time = begun.elapsed();
        area.close()?;
        Ok(time)
    }

    /// A copy of the table with its index, as a run of the benchmark has it.
    fn copy(&self) -> Outcome<()> {
        for extension in ["dbf", "cdx"] {
            let bytes = self.fs.read(&self.folder.join("stage").with_extension(extension))?;
            self.fs.replace(&self.folder.join("run").with_extension(extension), &bytes)?;
        }
        Ok(())
    }

    fn updates(&self) -> Outcome<Duration> {
        self.copy()?;
        let mut area = self.open("run.dbf", Mode::Shared)?;
        let order = area.order_named("ID");
        let begun = Instant::now();
        for step in 0..CHANGES {
            let id = 1 + step * 37 % RECORDS;
            area.set_order(order)?;
            assert!(area.seek(&SeekKey::Number(id.into()), SeekHow::default())?, "there is no ID {id}");
            area.try_lock_record(area.record_number())?;
            area.set_bytes(1, &[b'A' + (id % 26) as u8; 4])?;
            area.set_number(2, f64::from(step % 9_000) / 100.0)?;
            area.write()?;
            area.unlock_record(area.record_number())?;
        }
        area.close()?;
        Ok(begun.elapsed())
    }

    fn appends(&self) -> Outcome<Duration> {
        self.copy()?;
        let mut area = self.open("run.dbf", Mode::Shared)?;
        let begun = Instant::now();
        for step in 1..=CHANGES {
            area.append_blank()?;
            put(&mut area, RECORDS + step, step)?;
            area.write()?;
            area.unlock_record(area.record_number())?;
        }
        area.close()?;
        Ok(begun.elapsed())
    }
}

fn put(area: &mut Area, id: u32, cents: u32) -> Outcome<()> {
    area.set_number(0, id.into())?;
    area.set_bytes(1, &[b'A' + (id.wrapping_sub(1) % 26) as u8; 4])?;
    area.set_number(2, f64::from(cents) / 100.0)
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| ".".into()));
    let only = arguments.next();
    let repeats = arguments.next().and_then(|repeats| repeats.parse().ok()).unwrap_or(15);
    let bench = Bench { fs: Arc::new(Disk), folder };
    let rows: [(&str, Row); 4] =
        [("stage", Bench::stage), ("index", Bench::index), ("updates", Bench::updates), ("appends", Bench::appends)];
    for (name, run) in rows.iter().filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name)) {
        let mut times = Vec::new();
        for _ in 0..repeats {
            if *name == "index" {
                // Left over from an earlier run, or not there.
                let _ = bench.fs.remove(Path::new(&bench.folder.join("stage.cdx")));
            }
            times.push(run(&bench)?.as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        println!("{name:<10} best {:8.2} ms   median {:8.2} ms", times[0], times[times.len() / 2]);
    }
    Ok(())
}
