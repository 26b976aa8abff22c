//! Cost of building and maintaining indexes. Run it with
//! `cargo test --release -p mainstay-xbase --test index_write_speed -- --ignored --nocapture`.

#![allow(clippy::print_stdout, clippy::disallowed_methods)]

mod index_common;

use index_common::Seed;
use index_common::build::Item;
use mainstay_vfs::{Create, Disk, FileSystem};
use mainstay_xbase::index::write::{BagSpec, BagWriter, KeySorter, TagSpec};
use mainstay_xbase::index::{Bag, BagKind, KeyFamily, ordered_double};
use std::time::Instant;

const RECORDS: u32 = 100_000;

/// A tag and the key of each record.
fn keys(tag: &TagSpec, bag: &BagSpec, seed: &mut Seed) -> Vec<Item> {
    let is_text = tag.family == KeyFamily::Character;
    let key = |record: u32, seed: &mut Seed| match (is_text, bag.page_len) {
        (true, _) => {
            let mut key = format!("{} {}", ["Smith", "Jones", "Lee"][seed.below(3)], seed.below(20_000)).into_bytes();
            key.resize(tag.key_length, b' ');
            key
        }
        (false, 512) if tag.name == "ID" => ordered_double(f64::from(record)).to_vec(),
        (false, 512) => ordered_double(seed.below(10_000_000) as f64 / 100.0).to_vec(),
        (false, _) if tag.name == "ID" => format!("{record:08}").into_bytes(),
        (false, _) => format!("{:08}", seed.below(10_000_000)).into_bytes(),
    };
    (1..=RECORDS).map(|record| (key(record, seed), record)).collect()
}

/// Milliseconds that passed, and those that this thread had a processor.
#[derive(Clone, Copy)]
struct Clock(Instant, f64);

impl Clock {
    fn start() -> Clock {
        Clock(Instant::now(), Clock::thread_ms())
    }

    fn thread_ms() -> f64 {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e6
    }

    fn ms(self) -> (f64, f64) {
        (self.0.elapsed().as_secs_f64() * 1e3, Clock::thread_ms() - self.1)
    }
}

fn report(what: &str, times: impl IntoIterator<Item = (f64, f64)>) {
    let (mut passed, mut worked): (Vec<f64>, Vec<f64>) = times.into_iter().unzip();
    passed.sort_by(f64::total_cmp);
    worked.sort_by(f64::total_cmp);
    let middle = passed.len() / 2;
    println!("{what:<52} {:>8.2} ms, of processor time {:>8.2} ms", passed[middle], worked[middle]);
}

#[test]
#[ignore = "measures, and needs a release build"]
fn building_and_keeping_up() {
    let folder = tempfile::tempdir().unwrap();
    for bag in [BagSpec::harbour_cdx(), BagSpec::ntx(), BagSpec::adi()] {
        let tags = [
            TagSpec::new("ID", "ID", KeyFamily::Number, 8),
            TagSpec::new("AMT", "AMT", KeyFamily::Number, 8),
            TagSpec::new("NAME", "NAME", KeyFamily::Character, 24),
        ];
        let mut seed = Seed(3);
        let all: Vec<Vec<Item>> = tags.iter().map(|tag| keys(tag, &bag, &mut seed)).collect();
        let sorter = |tag: &TagSpec, items: &[Item]| {
            let mut keys = KeySorter::new(&tag.header(&bag).unwrap());
            keys.reserve(items.len());
            items.iter().for_each(|(key, record)| keys.push(key, *record).unwrap());
            keys
        };
        let kind = bag.kind;
        for (tag, items) in tags.iter().zip(&all) {
            let times = (0..9).map(|_| {
                let file = Disk.create(&folder.path().join("build"), Create::Truncate).unwrap();
                let start = Clock::start();
                BagWriter::create(file, &bag, [(tag.clone(), sorter(tag, items))]).unwrap();
                start.ms()
            });
            report(&format!("{kind:?}: build {} of {RECORDS} keys", tag.name), times);
        }
        for flush_every in [2000, 1] {
            let mut updates = Vec::new();
            let mut appends = Vec::new();
            for _ in 0..7 {
                let mut writers: Vec<BagWriter> = Vec::new();
                let groups: Vec<Vec<usize>> = if matches!(kind, BagKind::Cdx | BagKind::Adi) {
                    vec![vec![0, 1, 2]]
                } else {
                    vec![vec![0], vec![1], vec![2]]
                };
                for group in &groups {
                    let file = Disk.create(&folder.path().join(format!("keep{}", group[0])), Create::Truncate).unwrap();
                    let sources = group.iter().map(|tag| (tags[*tag].clone(), sorter(&tags[*tag], &all[*tag])));
                    drop(BagWriter::create(std::sync::Arc::clone(&file), &bag, sources).unwrap());
                    let mut writer = BagWriter::open(file).unwrap();
                    for (number, tag) in group.iter().enumerate() {
                        writer.set_key_type(number, tags[*tag].key_type(&bag).unwrap()).unwrap();
                    }
                    writers.push(writer);
                }
                let places: Vec<(usize, usize)> = groups
                    .iter()
                    .enumerate()
                    .flat_map(|(writer, group)| (0..group.len()).map(move |tag| (writer, tag)))
                    .collect();
                let mut changing = all.clone();
                let start = Clock::start();
                for step in 0..2000 {
                    let (record, other) = (seed.below(RECORDS as usize), seed.below(RECORDS as usize));
                    if flush_every == 1 {
                        // An ADI has no counter: it may have to be read again.
                        let is_counted = kind != BagKind::Adi;
                        writers.iter_mut().for_each(|writer| assert!(!(writer.begin().unwrap() && is_counted)));
                    }
                    for (tag, (writer, number)) in places.iter().enumerate() {
                        let writer = &mut writers[*writer];
                        let new = all[tag][other].0.clone();
                        let item = &mut changing[tag][record];
                        writer.replace(*number, &item.0, &new, item.1).unwrap();
                        item.0 = new;
                    }
                    if (step + 1) % flush_every == 0 {
                        writers.iter_mut().for_each(|writer| writer.flush().unwrap());
                    }
                }
                updates.push(start.ms());
                let start = Clock::start();
                for step in 0..2000u32 {
                    let other = seed.below(RECORDS as usize);
                    for (tag, (writer, number)) in places.iter().enumerate() {
                        writers[*writer].insert(*number, &all[tag][other].0, RECORDS + 1 + step).unwrap();
                    }
                    if (step + 1) % flush_every as u32 == 0 {
                        writers.iter_mut().for_each(|writer| writer.flush().unwrap());
                    }
                }
                appends.push(start.ms());
            }
            report(&format!("{kind:?}: 2,000 updates, 3 tags, flushed every {flush_every}"), updates);
            report(&format!("{kind:?}: 2,000 appends, 3 tags, flushed every {flush_every}"), appends);
        }
        seeks(&folder.path().join("keep0"), &tags[0], &bag, &all[0]);
    }
}

fn seeks(path: &std::path::Path, tag: &TagSpec, bag: &BagSpec, items: &[Item]) {
    let mut seed = Seed(8);
    let times = (0..7).map(|_| {
        let bag_file = Bag::open(Disk.open(path).unwrap()).unwrap();
        let reader = bag_file.tag(0, tag.key_type(bag).unwrap()).unwrap();
        let start = Clock::start();
        for _ in 0..10_000 {
            reader.find(&items[seed.below(items.len())].0).unwrap();
        }
        start.ms()
    });
    report(&format!("{:?}: 10,000 seeks in a file just opened", bag.kind), times);
}
