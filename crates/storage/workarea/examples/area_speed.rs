//! Speed of moves over a table of 100,000 records: `cargo run --release --example area_speed -- FOLDER`, where
//! the folder has `t11_bench100k.dbf` with its indexes (the fixtures have).

use mainstay_vfs::{Disk, FileSystem};
use mainstay_workarea::{Area, AreaOptions, Mode, NewOrder, SeekHow, SeekKey, untold};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn walk(area: &mut Area, field: usize) -> Result<(u32, f64), mainstay_types::Error> {
    let (mut count, mut sum) = (0, 0.0);
    area.go_top()?;
    while !area.is_eof() {
        sum += area.get_number(field)?;
        count += 1;
        area.skip(1)?;
    }
    Ok((count, sum))
}

fn timed<T>(what: &str, mut run: impl FnMut() -> Result<T, Box<dyn std::error::Error>>) -> Outcome
where
    T: std::fmt::Debug,
{
    let mut best = f64::MAX;
    let mut last = None;
    for _ in 0..7 {
        let begun = Instant::now();
        last = Some(run()?);
        best = best.min(begun.elapsed().as_secs_f64() * 1e3);
    }
    println!("{what:<50} {best:9.3} ms   {last:?}");
    Ok(())
}

fn main() -> Outcome {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "tests/fixtures".into()));
    let path = folder.join("t11_bench100k.dbf");
    let plain = AreaOptions { open_structural: false, ..AreaOptions::default() };
    let open = |options: &AreaOptions| Area::open(Arc::new(Disk), &path, options);
    for (name, mode) in [("others write", Mode::ReadOnly), ("alone", Mode::Exclusive)] {
        println!("-- {name}");
        let indexed = AreaOptions { mode, ..AreaOptions::default() };
        let plain = AreaOptions { mode, ..plain.clone() };
        timed("open, plain", || Ok(open(&plain)?.record_number()))?;
        timed("open, indexed", || Ok(open(&indexed)?.record_number()))?;
        timed("scan by skip, AMT read, first", || Ok(walk(&mut open(&plain)?, 2)?))?;
        let mut area = open(&plain)?;
        timed("scan by skip, AMT read, again", || Ok(walk(&mut area, 2)?))?;
        timed("scan by skip, nothing read", || {
            area.go_top()?;
            while !area.is_eof() {
                area.skip(1)?;
            }
            Ok(area.record_number())
        })?;
        drop(area);
        timed("AOF TAG='AAAA', no index, walk", || {
            let mut area = open(&plain)?;
            let level = area.set_aof("TAG='AAAA'")?;
            Ok((level, walk(&mut area, 2)?))
        })?;
        let mut area = open(&indexed)?;
        area.set_order(area.order_named("ID"))?;
        timed("scan ordered by ID, AMT read", || Ok(walk(&mut area, 2)?))?;
        area.set_order(area.order_named("AMT"))?;
        timed("scan ordered by AMT, AMT read", || Ok(walk(&mut area, 2)?))?;
        area.set_order(area.order_named("ID"))?;
        timed("10,000 seeks by ID, AMT read", || {
            let (mut state, mut found) = (12345u64, 0);
            for _ in 0..10_000 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let id = (state >> 33) % 100_000 + 1;
                if area.seek(&SeekKey::Number(id as f64), SeekHow::default())? {
                    found += 1;
                    area.get_number(2)?;
                }
            }
            Ok(found)
        })?;
        area.set_order(None)?;
        timed("AOF TAG='AAAA', indexed, walk", || {
            let level = area.set_aof("TAG='AAAA'")?;
            Ok((level, walk(&mut area, 2)?))
        })?;
        timed("AOF TAG BETWEEN, indexed, walk", || {
            let level = area.set_aof("TAG >= 'BBBB' .AND. TAG <= 'DDDD'")?;
            Ok((level, walk(&mut area, 2)?))
        })?;
        area.clear_aof();
        timed("filter AMT >= 100 .AND. AMT <= 500, walk", || {
            area.set_filter(Some("AMT >= 100 .AND. AMT <= 500"))?;
            Ok(walk(&mut area, 2)?)
        })?;
        area.set_order(area.order_named("TAG"))?;
        timed("the same ordered by TAG", || Ok(walk(&mut area, 2)?))?;
    }
    writes(&folder)
}

/// Measures filling a table, and changing it with three tags.
fn writes(folder: &Path) -> Outcome {
    let fields =
        vec![FieldSpec::new("ID", b'N', 8, 0), FieldSpec::new("TAG", b'C', 4, 0), FieldSpec::new("AMT", b'N', 8, 2)];
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    for mode in [Mode::Exclusive, Mode::Shared] {
        println!("-- {mode:?}");
        let path = folder.join("area_speed.dbf");
        for extension in ["dbf", "cdx"] {
            // Left over from an earlier run, or not there.
            let _ = fs.remove(&path.with_extension(extension));
        }
        Area::create(&fs, &path, &TableSpec::new(Format::DbaseThree, fields.clone()))?;
        let options = AreaOptions { mode, implicit_locks: true, ..AreaOptions::default() };
        let put = |area: &mut Area, id: u32| -> Result<(), mainstay_types::Error> {
            area.append_blank()?;
            area.set_number(0, f64::from(id))?;
            area.set_bytes(1, &[b'A' + (id % 26) as u8; 4])?;
            area.set_number(2, f64::from(id % 10_000) / 100.0)?;
            if mode == Mode::Shared { area.unlock() } else { area.write() }
        };
        let count = if mode == Mode::Shared { 10_000 } else { 100_000 };
        let mut area = Area::open(Arc::clone(&fs), &path, &options)?;
        let begun = Instant::now();
        (1..=count).try_for_each(|id| put(&mut area, id))?;
        area.close()?;
        println!("{count} appends, no index {:9.3} ms", begun.elapsed().as_secs_f64() * 1e3);
        let alone = AreaOptions { mode: Mode::Exclusive, ..options.clone() };
        let mut area = Area::open(Arc::clone(&fs), &path, &alone)?;
        for name in ["ID", "TAG", "AMT"] {
            let begun = Instant::now();
            area.create_order(&NewOrder::new(name, name), &mut untold)?;
            println!("index on {name} {:9.3} ms", begun.elapsed().as_secs_f64() * 1e3);
        }
        area.close()?;
        let mut area = Area::open(Arc::clone(&fs), &path, &options)?;
        area.set_order(area.order_named("ID"))?;
        let begun = Instant::now();
        for step in 0..2_000u32 {
            area.seek(&SeekKey::Number(f64::from(step * 37 % count + 1)), SeekHow::default())?;
            area.set_bytes(1, &[b'A' + (step % 26) as u8; 4])?;
            area.set_number(2, f64::from(step % 9_000) / 100.0)?;
            area.write()?;
        }
        area.flush()?;
        println!("2,000 updates by key, 3 tags {:9.3} ms", begun.elapsed().as_secs_f64() * 1e3);
        let begun = Instant::now();
        (1..=2_000).try_for_each(|id| put(&mut area, count + id))?;
        area.close()?;
        println!("2,000 appends, 3 tags {:9.3} ms", begun.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}
