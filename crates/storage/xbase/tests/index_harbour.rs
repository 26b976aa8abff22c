//! Indexes that this crate wrote and Harbour then changed.

mod index_common;

use index_common::patch::Patched;
use index_common::people::{self, Row};
use index_common::written::{Model, walk};
use index_common::{Seed, bytes, csv, family, fixture, open_bytes};
use mainstay_vfs::{Create, Disk, FileSystem, Memory};
use mainstay_xbase::index::write::{BagSpec, BagWriter, KeySorter, TagSpec};
use mainstay_xbase::index::{Bag, BagKind, KeyFamily, KeyType};
use std::path::Path;
use std::sync::Arc;

/// Makes one index file of some tags: built from the first rows, then kept up with the rest.
fn maintain(folder: &Path, name: &str, bag: &BagSpec, tags: &[TagSpec], history: &[Step], built: usize) {
    let file = Disk.create(&folder.join(name), Create::Truncate).unwrap();
    let mut sources = Vec::new();
    for tag in tags {
        let header = tag.header(bag).unwrap();
        let mut keys = KeySorter::new(&header);
        for (_, row, record) in &history[..built] {
            if let Some(key) = people::key(tag, &tag.key_type(bag).unwrap(), row) {
                keys.push(&key, *record).unwrap();
            }
        }
        sources.push((tag.clone(), keys));
    }
    drop(BagWriter::create(Arc::clone(&file), bag, sources).unwrap());
    let mut writer = BagWriter::open(file).unwrap();
    for tag in tags {
        let number = if tags.len() == 1 { 0 } else { writer.find(&tag.name).unwrap() };
        writer.set_key_type(number, tag.key_type(bag).unwrap()).unwrap();
    }
    for (step, (old, new, record)) in history[built..].iter().enumerate() {
        for tag in tags {
            let number = if tags.len() == 1 { 0 } else { writer.find(&tag.name).unwrap() };
            people::change(&mut writer, number, tag, (old.as_ref(), Some(new)), *record);
        }
        if step % 7 == 0 {
            writer.flush().unwrap();
        }
    }
    writer.sync().unwrap();
}

/// Files that this crate made and kept up, and that Harbour then opened for sharing, appended to and changed 120 times.
/// `<table>.walk` is what Harbour listed in the end: for each tag, its records in the order of the tag.
const KEPT: [(&str, &[&str]); 4] = [
    ("foxpro", &["foxpro.cdx"]),
    ("harbour", &["harbour.cdx"]),
    ("compound", &["compound.ntx"]),
    ("single", &["single_name.ntx", "single_namedown.ntx", "single_remark.ntx", "single_amt.ntx"]),
];

fn kept(name: &str) -> Vec<u8> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/index_harbour")).join(name);
    Disk.read(&path).unwrap()
}

fn kept_family(tag: &str) -> KeyFamily {
    match tag {
        "ID" | "AMT" | "DEAR" => KeyFamily::Number,
        "BORN" => KeyFamily::Date,
        "FLAG" => KeyFamily::Logical,
        _ => KeyFamily::Character,
    }
}

#[test]
fn files_that_harbour_went_on_with_are_read_as_harbour_reads_them() {
    for (table, bags) in KEPT {
        let text = String::from_utf8(kept(&format!("{table}.walk"))).unwrap();
        let mut walks: Vec<(&str, Vec<u32>)> = Vec::new();
        for line in text.lines() {
            let mut words = line.split(',');
            let name = words.next().unwrap();
            walks.push((name, words.map(|word| word.trim().parse().unwrap()).collect()));
        }
        let mut compared = 0;
        for name in bags {
            let bag = open_bytes(name, &kept(name)).unwrap();
            let mut findings = Vec::new();
            bag.check(None, &[], &mut findings);
            assert!(findings.is_empty(), "{findings:#?}");
            for (number, header) in bag.tags().iter().enumerate() {
                let key_type = KeyType::new(header, kept_family(&header.name), false).unwrap();
                let tag = bag.tag(number, key_type).unwrap();
                let (mut cursor, mut found) = (tag.cursor(), Vec::new());
                while let Some(record) = cursor.next().unwrap() {
                    found.push(record);
                }
                let (_, wanted) = walks.iter().find(|(name, _)| *name == header.name).unwrap();
                assert!(found == *wanted && wanted.len() > 10, "{name}, {}", header.name);
                compared += 1;
            }
        }
        assert_eq!(compared, walks.len(), "{table}");
    }
}

#[test]
fn files_that_harbour_went_on_with_are_kept_up() {
    for (table, bags) in KEPT {
        let bags: Vec<_> = bags.iter().map(|name| ((*name).to_owned(), kept(name))).collect();
        let mut patched = Patched::new(kept(&format!("{table}.dbf")), &bags, kept_family, |_| "NAME");
        patched.change(700, &mut Seed(8));
        patched.compare(table);
    }
}

/// A row before, if it was there, and after, and its record.
type Step = (Option<Row>, Row, u32);

/// The rows of a table, and how they came: appended, then appended and changed.
fn history(seed: u64, appended: usize, changes: usize) -> (Vec<Row>, Vec<Step>) {
    let mut seed = Seed(seed);
    let mut rows: Vec<Row> = Vec::new();
    let mut history = Vec::new();
    for step in 0..appended + changes {
        let new = people::row(&mut seed);
        if step < appended || rows.is_empty() || seed.below(2) == 0 {
            rows.push(new.clone());
            history.push((None, new, rows.len() as u32));
        } else {
            let place = seed.below(rows.len());
            let old = std::mem::replace(&mut rows[place], new.clone());
            history.push((Some(old), new, place as u32 + 1));
        }
    }
    (rows, history)
}

/// The tables of the fixtures with their indexes, and the tag whose keys begin with those of a unique one.
const FIXTURES: [(&str, &str, &[&str]); 4] = [
    ("t03_cdx_tags", "CITYBORN", &["t03_cdx_tags.cdx"]),
    ("t04_cdx_updated", "CITYBORN", &["t04_cdx_updated.cdx"]),
    ("t05_ntx", "T05CODE", &["t05code", "t05num", "t05neg", "t05dt", "t05uniq", "t05desc", "t05comp"]),
    ("t07_vfp", "NAME", &["t07_vfp.cdx"]),
];

fn patched(table: &str, base: &'static str, bags: &[&str]) -> Patched {
    let orders = csv(&format!("{table}.orders.csv"));
    let full = |bag: &str| if bag.contains('.') { bag.to_owned() } else { format!("{bag}.ntx") };
    let bags: Vec<_> = bags.iter().map(|bag| (full(bag), bytes(&full(bag)))).collect();
    let family_of = |tag: &str| family(&orders.iter().find(|order| order[1] == tag).unwrap()[7]);
    Patched::new(bytes(&format!("{table}.dbf")), &bags, family_of, |_| base)
}

#[test]
fn indexes_of_harbour_are_kept_up() {
    for (table, base, bags) in FIXTURES {
        for changes in [1, 2, 10, 900] {
            let mut patched = patched(table, base, bags);
            patched.change(changes, &mut Seed(changes as u64 + 5));
            patched.compare(&format!("{table}, {changes} changes"));
        }
    }
}

/// Every index file among the further fixtures, and the lines about its tags in the tables' lists of orders.
fn further() -> Vec<(String, Vec<Vec<String>>)> {
    let files = Disk.list(&fixture("more")).unwrap();
    let names: Vec<String> =
        files.iter().map(|entry| entry.path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    let orders: Vec<Vec<String>> = names
        .iter()
        .filter(|name| name.ends_with(".orders.csv"))
        .flat_map(|name| csv(&format!("more/{name}")))
        .collect();
    let of = |bag: &str| orders.iter().filter(|order| order[2] == bag).cloned().collect();
    // One is in the order of a Polish collation, which nothing in it says.
    let is_index = |name: &&String| (name.ends_with(".cdx") || name.ends_with(".ntx")) && !name.contains("collated");
    names.iter().filter(is_index).map(|name| (name.clone(), of(name))).collect()
}

#[test]
fn every_index_among_the_fixtures_is_kept_up() {
    let mut changed = 0;
    for (name, orders) in further() {
        let memory = Memory::new();
        memory.write(&name, bytes(&format!("more/{name}")));
        let path = Path::new(&name);
        let before = Bag::open(memory.open(path).unwrap()).unwrap();
        let mut writer = BagWriter::open(memory.create(path, Create::OpenOrCreate).unwrap()).unwrap();
        let mut models = Vec::new();
        for (tag, header) in before.tags().iter().enumerate() {
            let Some(order) = orders.iter().find(|order| order[1] == header.name) else { continue };
            let key_type = KeyType::new(header, family(&order[7]), false).unwrap();
            writer.set_key_type(tag, key_type).unwrap();
            let items = walk(&before.tag(tag, key_type).unwrap()).unwrap();
            let mut model = Model::new(header.unique, &items);
            assert_eq!(model.items.len(), items.len());
            let mut seed = Seed(tag as u64 + 1);
            for record in 1..500u32 {
                let known = (!model.items.is_empty()).then(|| model.items[seed.below(model.items.len())].clone());
                let (mut key, _) = known.clone().unwrap_or((vec![b' '; header.key_length], 0));
                if let Some(old) = known.filter(|_| seed.below(2) == 0) {
                    assert!(writer.delete(tag, &old.0, old.1).unwrap() && model.delete(&old), "{name}");
                } else {
                    let at = seed.below(key.len());
                    key[at] = key[at].wrapping_add(seed.below(4) as u8);
                    let added = writer.insert(tag, &key, 100_000 + record).unwrap();
                    assert_eq!(added, model.insert((key, 100_000 + record)), "{name}, {}", header.name);
                }
                changed += 1;
            }
            models.push((tag, key_type, model));
        }
        writer.flush().unwrap();
        let after = Bag::open(memory.open(path).unwrap()).unwrap();
        for (tag, key_type, model) in models {
            let mut found = walk(&after.tag(tag, key_type).unwrap()).unwrap();
            assert!(found.is_sorted_by(|left, right| left.0 <= right.0), "{name}, tag {tag}");
            found.sort();
            assert!(found == model.sorted(false), "{name}, tag {tag}");
        }
        let mut findings = Vec::new();
        after.check(None, &[], &mut findings);
        assert!(findings.is_empty(), "{name}: {findings:#?}");
    }
    assert!(changed > 20_000, "{changed}");
}

#[test]
#[ignore = "writes files for a Harbour program into the folder that MAINSTAY_INDEX_FOLDER names"]
fn change_fixtures_for_harbour() {
    let folder = std::env::var_os("MAINSTAY_INDEX_FOLDER").expect("MAINSTAY_INDEX_FOLDER names a folder");
    let write = |name: &str, content: &[u8]| {
        let file = Disk.create(&Path::new(&folder).join(name), Create::Truncate).unwrap();
        file.write_at(content, 0).unwrap();
    };
    for (table, base, bags) in FIXTURES {
        let mut patched = patched(table, base, bags);
        patched.change(1500, &mut Seed(99));
        write(&format!("{table}.dbf"), patched.dbf());
        if table != "t05_ntx" {
            write(&format!("{table}.fpt"), &bytes(&format!("{table}.fpt")));
        }
        for (name, content) in patched.files() {
            write(&name, &content);
        }
    }
}

#[test]
#[ignore = "writes files for a Harbour program into the folder that MAINSTAY_INDEX_FOLDER names"]
fn write_files_for_harbour() {
    let folder = std::env::var_os("MAINSTAY_INDEX_FOLDER").expect("MAINSTAY_INDEX_FOLDER names a folder");
    let folder = Path::new(&folder);
    let sizes = [(0, 0), (0, 40), (700, 0), (600, 900), (3000, 9000)];
    for (number, (built, changes)) in sizes.into_iter().enumerate() {
        let (rows, history) = history(number as u64 + 11, built, changes);
        let harbour = BagSpec::harbour_cdx();
        let layouts = [
            ("f", BagSpec::cdx()),
            ("h", harbour),
            ("l", BagSpec { page_len: 1024, pointers_are_pages: true, ..harbour }),
            ("p", BagSpec { page_len: 8192, ..harbour }),
            ("n", BagSpec::ntx()),
            ("c", BagSpec::compound_ntx()),
            ("d", BagSpec { pointers_are_pages: true, ..BagSpec::compound_ntx() }),
        ];
        for (letter, bag) in layouts {
            let table = format!("{letter}{number}");
            let dbf = Disk.create(&folder.join(format!("{table}.dbf")), Create::Truncate).unwrap();
            dbf.write_at(&people::dbf(&rows), 0).unwrap();
            let tags = people::tags(&bag);
            match bag.kind {
                BagKind::Ntx => {
                    for tag in &tags {
                        let name = format!("{table}{}.ntx", tag.name.to_ascii_lowercase());
                        maintain(folder, &name, &bag, std::slice::from_ref(tag), &history, built);
                    }
                }
                BagKind::CompoundNtx => maintain(folder, &format!("{table}.ntx"), &bag, &tags, &history, built),
                _ => maintain(folder, &format!("{table}.cdx"), &bag, &tags, &history, built),
            }
        }
    }
}
