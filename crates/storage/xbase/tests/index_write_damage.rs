//! Writing to damaged index files, and to files that fail: no panic, no endless walk, and a failed operation changes
//! nothing.

mod adi_common;
mod index_common;

use index_common::build::Item;
use index_common::written::{Model, compare, create, file, is_falling, layouts, open_writer, random_key, text_tag};
use index_common::{Seed, bytes, index_files};
use mainstay_types::{Code, Result};
use mainstay_vfs::{Create, Fault, Faulty, FileSystem, Memory, Operation};
use mainstay_xbase::index::write::{BagSpec, BagWriter, KeySorter, TagSpec};
use mainstay_xbase::index::{BagKind, KeyFamily, KeyType};
use std::ops::ControlFlow;
use std::path::Path;

fn content(memory: &Memory, name: &str) -> Vec<u8> {
    memory.read(Path::new(name)).unwrap()
}

/// Opens a file that may be damaged, with some type for every tag.
fn open_any(memory: &Memory) -> Result<BagWriter> {
    let mut writer = BagWriter::open(file(memory, "a"))?;
    let headers: Vec<_> = writer.tags().cloned().collect();
    for (tag, header) in headers.iter().enumerate() {
        let family = if header.key_length == 8 { KeyFamily::Number } else { KeyFamily::Character };
        writer.set_key_type(tag, KeyType::new(header, family, false)?)?;
    }
    Ok(writer)
}

/// Writes to every tag of a file that may be damaged. An operation that fails must leave no change behind.
fn write_to(content_before: &[u8], seed: &mut Seed) {
    let memory = Memory::new();
    memory.write("a", content_before);
    let Ok(mut writer) = open_any(&memory) else { return };
    let tags: Vec<usize> = writer.tags().map(|header| header.key_length).collect();
    for (tag, key_len) in tags.into_iter().enumerate().take(6) {
        for _ in 0..6 {
            let (key, other) = (random_key(seed, key_len, 50), random_key(seed, key_len, 50));
            let record = 1 + seed.below(3000) as u32;
            let was_changed = writer.is_changed();
            let results = [
                writer.insert(tag, &key, record).map(drop),
                writer.replace(tag, &key, &other, record).map(drop),
                writer.delete(tag, &other, record).map(drop),
                writer.contains(tag, &key, record).map(drop),
            ];
            if results.iter().all(Result::is_err) {
                assert_eq!(writer.is_changed(), was_changed, "a failed operation left a change");
            }
        }
    }
    if !writer.is_changed() {
        writer.flush().unwrap();
        assert!(content(&memory, "a") == content_before, "nothing was changed, and the file was written to");
    }
    let _ = writer.flush();
    let _ = writer.begin();
    if writer.tags().len() > 0 && writer.drop_tag(0).is_err() {
        let before = content(&memory, "a");
        let _ = writer.flush();
        assert!(content(&memory, "a") == before, "a tag that could not be dropped left a change");
    }
    let _ = writer.flush();
    drop(writer);
    let _ = open_any(&memory);
}

/// The smaller fixtures, and files of every layout.
fn samples() -> Vec<Vec<u8>> {
    let mut seed = Seed(4);
    let mut samples: Vec<Vec<u8>> =
        index_files().into_iter().map(|name| bytes(&name)).filter(|content| content.len() < 200_000).collect();
    samples.push(adi_common::bytes("own-alltypes.adi"));
    for bag in layouts() {
        let memory = Memory::new();
        let items: Vec<Item> = (1..=600).map(|record| (random_key(&mut seed, 12, 90), record)).collect();
        create(&memory, "a", &bag, &text_tag(12), &items);
        samples.push(content(&memory, "a"));
    }
    samples
}

#[test]
fn writing_to_flipped_bytes_never_panics() {
    let mut seed = Seed(0x1234_5678);
    for original in samples() {
        for round in 0..40 {
            let mut damaged = original.clone();
            for _ in 0..1 + round % 5 {
                // Headers and the starts of pages are where damage hurts.
                let at = match seed.below(3) {
                    0 => seed.below(1024.min(damaged.len())),
                    1 => seed.below(damaged.len() / 512) * 512 + seed.below(24),
                    _ => seed.below(damaged.len()),
                };
                damaged[at] = [0, 1, 0xFF, damaged[at] ^ 1 << seed.below(8), seed.below(256) as u8][seed.below(5)];
            }
            write_to(&damaged, &mut seed);
        }
    }
}

#[test]
fn writing_to_cut_swapped_and_repeated_pages_never_panics() {
    let mut seed = Seed(77);
    for original in samples() {
        for round in 0..24 {
            let mut damaged = original.clone();
            let unit = [512, 1024][round % 2];
            let pages = damaged.len() / unit;
            let (from, to) = (seed.below(pages) * unit, seed.below(pages) * unit);
            match round % 3 {
                0 => damaged.truncate(seed.below(damaged.len())),
                1 => damaged.copy_within(from..from + unit, to),
                _ => {
                    let page = damaged[from..from + unit].to_vec();
                    damaged.copy_within(to..to + unit, from);
                    damaged[to..to + unit].copy_from_slice(&page);
                }
            }
            write_to(&damaged, &mut seed);
        }
    }
}

#[test]
fn a_list_of_free_pages_that_leads_into_trees_is_left_alone() {
    for bag in layouts() {
        let mut seed = Seed(6);
        let (original, first) = sample(&bag, &mut seed);
        let tag = text_tag(60);
        let at = if matches!(bag.kind, BagKind::Ntx | BagKind::CompoundNtx) { 8 } else { 4 };
        for page in 0..original.len() / bag.page_len {
            let pointer = if bag.pointers_are_pages { page } else { page * bag.page_len } as u32;
            let mut damaged = original.clone();
            damaged[at..at + 4].copy_from_slice(&pointer.to_le_bytes());
            let memory = Memory::new();
            memory.write("a", damaged);
            let mut model = first.clone();
            let mut writer = open_writer(&memory, "a", &tag).unwrap();
            for record in 2000..2060 {
                let item = (random_key(&mut seed, 60, 3000), record);
                assert!(writer.insert(0, &item.0, item.1).unwrap());
                model.insert(item);
            }
            writer.flush().unwrap();
            let what = format!("{bag:?}, page {page}");
            compare(&memory, "a", &bag, &tag, &model.sorted(false), &what);
        }
    }
}

#[test]
fn the_empty_root_of_a_tag_is_not_a_free_page() {
    let bag = BagSpec::compound_ntx();
    let memory = Memory::new();
    let (one, other) = (text_tag(60), TagSpec { name: "OTHER".into(), ..text_tag(60) });
    let keys = [&one, &other].map(|tag| (tag.clone(), KeySorter::new(&tag.header(&bag).unwrap())));
    drop(BagWriter::create(file(&memory, "a"), &bag, keys).unwrap());
    let mut damaged = content(&memory, "a");
    let header = u32::from_le_bytes(damaged[44..48].try_into().unwrap()) as usize;
    let root: [u8; 4] = damaged[header + 4..header + 8].try_into().unwrap();
    damaged[8..12].copy_from_slice(&root);
    memory.write("a", damaged);
    let mut writer = open_any(&memory).unwrap();
    for record in 1..60u32 {
        assert!(writer.insert(0, format!("{record:<60}").as_bytes(), record).unwrap());
    }
    for record in 1..60u32 {
        assert!(writer.insert(1, format!("{record:>60}").as_bytes(), record).unwrap());
    }
    writer.flush().unwrap();
    let items = |right: bool| {
        let key = |record: u32| if right { format!("{record:>60}") } else { format!("{record:<60}") };
        let mut items: Vec<Item> = (1..60).map(|record| (key(record).into_bytes(), record)).collect();
        items.sort();
        items
    };
    compare(&memory, "a", &bag, &one, &items(false), "the first tag");
    compare(&memory, "a", &bag, &other, &items(true), "the second tag");
}

/// A file of some entries, and what it lists.
fn sample(bag: &BagSpec, seed: &mut Seed) -> (Vec<u8>, Model) {
    let items: Vec<Item> = (1..=900).map(|record| (random_key(seed, 60, 3000), record)).collect();
    let memory = Memory::new();
    create(&memory, "a", bag, &text_tag(60), &items);
    (content(&memory, "a"), Model::new(false, &items))
}

#[test]
fn an_operation_whose_reads_fail_changes_nothing() {
    for bag in layouts() {
        let mut seed = Seed(21);
        let (original, first) = sample(&bag, &mut seed);
        let tag = text_tag(60);
        for failing in 0.. {
            let memory = Memory::new();
            memory.write("a", original.clone());
            // Opening takes some reads; the operations begin behind them.
            let counting = Faulty::counting(memory.clone());
            drop(BagWriter::open(counting.create(Path::new("a"), Create::OpenOrCreate).unwrap()).unwrap());
            let faulty = Faulty::new(memory.clone(), counting.reads() + failing, Fault::Error);
            let mut writer = BagWriter::open(faulty.create(Path::new("a"), Create::OpenOrCreate).unwrap()).unwrap();
            writer.set_key_type(0, tag.key_type(&bag).unwrap()).unwrap();
            let mut model = first.clone();
            let mut failures = 0;
            for record in 1..120u32 {
                let old = model.items[seed.below(model.items.len())].clone();
                let new = (random_key(&mut seed, 60, 3000), 2000 + record);
                let removed = writer.delete(0, &old.0, old.1);
                failures += usize::from(removed.is_err());
                if removed.or_else(|_| writer.delete(0, &old.0, old.1)).unwrap() {
                    model.delete(&old);
                }
                let added = writer.insert(0, &new.0, new.1);
                failures += usize::from(added.is_err());
                if added.or_else(|_| writer.insert(0, &new.0, new.1)).unwrap() {
                    model.insert(new);
                }
            }
            if failures == 0 {
                // The run has fewer reads.
                assert!(failing > 2, "{bag:?}: hardly a read failed in an operation");
                break;
            }
            assert_eq!(failures, 1);
            writer.flush().unwrap();
            compare(&memory, "a", &bag, &tag, &model.sorted(is_falling(&bag, &tag)), &format!("{bag:?} {failing}"));
        }
    }
}

#[test]
fn a_flush_that_fails_ends_the_writing() {
    let bag = BagSpec::harbour_cdx();
    let mut seed = Seed(3);
    let (original, model) = sample(&bag, &mut seed);
    let memory = Memory::new();
    memory.write("a", original);
    let faulty = Faulty::failing(memory, Operation::Write, 0, Fault::Error);
    let mut writer = BagWriter::open(faulty.create(Path::new("a"), Create::OpenOrCreate).unwrap()).unwrap();
    writer.set_key_type(0, text_tag(60).key_type(&bag).unwrap()).unwrap();
    let (key, record) = model.items[0].clone();
    writer.delete(0, &key, record).unwrap();
    assert_eq!(writer.flush().unwrap_err().code(), Code::Io);
    for error in [writer.flush().unwrap_err(), writer.insert(0, &key, record).unwrap_err(), writer.begin().unwrap_err()]
    {
        assert_eq!(error.code(), Code::IndexDamaged, "{error}");
    }
}

#[test]
fn a_build_that_is_stopped_or_fails_leaves_the_file() {
    let bag = BagSpec::harbour_cdx();
    let mut seed = Seed(9);
    let (original, model) = sample(&bag, &mut seed);
    let tag = text_tag(60);
    let other = TagSpec { name: "OTHER".into(), ..text_tag(10) };
    let memory = Memory::new();
    memory.write("a", original);
    let mut writer = open_writer(&memory, "a", &tag).unwrap();
    let keys = || {
        let mut keys = KeySorter::new(&other.header(&bag).unwrap());
        (1..=40_000u32).for_each(|record| keys.push(format!("{record:<10}").as_bytes(), record).unwrap());
        keys
    };
    let stopped = writer.add_tag(&other, keys(), &mut |_| ControlFlow::Break(()));
    assert_eq!(stopped.unwrap_err().code(), Code::Cancelled);
    assert_eq!(writer.add_tag(&tag, keys(), &mut |_| ControlFlow::Continue(())).unwrap_err().code(), Code::Duplicate);
    let wanted = model.sorted(false);
    compare(&memory, "a", &bag, &tag, &wanted, "after a build that was stopped");
    // And the room behind the end is used by the next.
    let number = writer.add_tag(&other, keys(), &mut |_| ControlFlow::Continue(())).unwrap();
    writer.flush().unwrap();
    assert_eq!((number, writer.tags().len()), (1, 2));
    compare(&memory, "a", &bag, &tag, &wanted, "beside a new tag");
    assert!(writer.insert(1, b"new       ", 40_001).unwrap());
    writer.drop_tag(1).unwrap();
    writer.flush().unwrap();
    compare(&memory, "a", &bag, &tag, &wanted, "after the new tag went");
    let len = content(&memory, "a").len();
    let items: Vec<Item> = (1..=3000).map(|record| (random_key(&mut seed, 60, 3000), 5000 + record)).collect();
    for (key, record) in &items {
        writer.insert(0, key, *record).unwrap();
    }
    writer.flush().unwrap();
    assert_eq!(content(&memory, "a").len(), len, "the pages of the tag that went are not used again");
}
