//! How long moves take over a table of 100,000 records: `cargo run --release --example area_speed -- FOLDER`, where
//! the folder has `t11_bench100k.dbf` with its indexes (the fixtures have).

use mainstay_vfs::Disk;
use mainstay_workarea::{Area, AreaOptions, Mode, SeekHow, SeekKey};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn walk(area: &mut Area, field: usize) -> Result<(u32, f64), mainstay_base::Error> {
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
        timed("AOF TAG='AAAA', no index, walk", || {
            let mut area = open(&plain)?;
            let level = area.set_aof("TAG='AAAA'")?;
            Ok((level, walk(&mut area, 2)?))
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
    Ok(())
}
