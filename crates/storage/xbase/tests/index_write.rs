//! Index files that are written and maintained, compared with a sorted list: after any run of changes the file passes
//! the reader's own check, has the entries of the list, and equals a newly built file.

mod index_common;

use index_common::Seed;
use index_common::build::Item;
use index_common::written::{Model, compare, create, file, is_falling, layouts, open_writer, random_key, text_tag};
use mainstay_vfs::Memory;
use mainstay_xbase::index::BagKind;
use mainstay_xbase::index::write::{BagSpec, TagSpec};

/// The tags to try in a layout, by key length.
fn tags(bag: &BagSpec, key_len: usize) -> Vec<TagSpec> {
    let plain = text_tag(key_len);
    let unique = TagSpec { unique: true, ..plain.clone() };
    if bag.kind == BagKind::Adi {
        // A unique tag of Advantage refuses keys instead of leaving records out: see adi_write.rs.
        return vec![plain.clone(), TagSpec { descending: true, ..plain }];
    }
    let mut tags = vec![plain.clone(), unique.clone()];
    if bag.kind != BagKind::PlainIdx {
        tags.push(TagSpec { descending: true, ..plain });
        tags.push(TagSpec { descending: true, ..unique });
    }
    tags
}

fn items(seed: &mut Seed, count: usize, key_len: usize, variety: usize) -> Vec<Item> {
    (1..=count as u32).map(|record| (random_key(seed, key_len, variety), record)).collect()
}

#[test]
fn built_files_of_every_size() {
    let mut seed = Seed(17);
    for bag in layouts() {
        for key_len in [1, 7, 10, 100, 240] {
            for tag in tags(&bag, key_len) {
                for count in [0, 1, 2, 30, 700, 2000] {
                    let items = items(&mut seed, count, key_len, count + 1);
                    let memory = Memory::new();
                    create(&memory, "built", &bag, &tag, &items);
                    let model = Model::new(tag.unique, &items);
                    let what = format!("{bag:?}, {count} keys of {key_len}");
                    compare(&memory, "built", &bag, &tag, &model.sorted(is_falling(&bag, &tag)), &what);
                }
            }
        }
    }
}

/// One run: a file of some items, then changes, with everything compared in the end.
fn run(bag: &BagSpec, tag: &TagSpec, start: usize, changes: usize, number: u64) {
    let key_len = tag.key_length;
    let mut seed = Seed(number * 7919 + key_len as u64 + 1);
    let variety = [3, 40, 5000][seed.below(3)];
    let what = format!("{bag:?} {tag:?}, {start} keys, run {number}");
    let memory = Memory::new();
    let first = items(&mut seed, start, key_len, variety);
    drop(create(&memory, "run", bag, tag, &first));
    let mut model = Model::new(tag.unique, &first);
    let mut writer = open_writer(&memory, "run", tag).unwrap();
    if number.is_multiple_of(3) {
        // So little that pages are forgotten and read again all the time.
        writer.keep_at_most(10_000);
    }
    let mut records = start as u32;
    // The tendency of the run: grow, shrink to nothing, or stay.
    let growth = [80, 50, 20][seed.below(3)];
    for _ in 0..changes {
        let known = (!model.items.is_empty()).then(|| model.items[seed.below(model.items.len())].clone());
        match (seed.below(100), known) {
            (kind, _) if kind < growth => {
                records += 1;
                let item = (random_key(&mut seed, key_len, variety), records);
                let added = writer.insert(0, &item.0, item.1).unwrap();
                assert_eq!(added, model.insert(item), "{what}");
            }
            (kind, Some(item)) if kind < 90 => {
                assert!(writer.delete(0, &item.0, item.1).unwrap(), "{what}");
                assert!(model.delete(&item));
            }
            (_, Some(item)) => {
                let new = random_key(&mut seed, key_len, variety);
                let replaced = writer.replace(0, &item.0, &new, item.1).unwrap();
                let removed = new != item.0 && model.delete(&item);
                let added = model.insert((new, item.1));
                assert_eq!((replaced.removed, replaced.added), (removed, added), "{what}");
            }
            (_, None) => {
                let key = random_key(&mut seed, key_len, variety);
                assert!(!writer.delete(0, &key, 1).unwrap(), "{what}");
            }
        }
        match seed.below(60) {
            0 => writer.flush().unwrap(),
            1 => {
                writer.flush().unwrap();
                writer = open_writer(&memory, "run", tag).unwrap();
            }
            _ => {}
        }
    }
    writer.flush().unwrap();
    let wanted = model.sorted(is_falling(bag, tag));
    compare(&memory, "run", bag, tag, &wanted, &what);
    create(&memory, "new", bag, tag, &wanted);
    compare(&memory, "new", bag, tag, &wanted, &what);
}

#[test]
fn any_changes_leave_what_a_new_index_would_be() {
    let mut number = 0;
    for bag in layouts() {
        for key_len in [1, 4, 10, 30, 100, 240] {
            for tag in tags(&bag, key_len) {
                for (start, changes) in [(0, 300), (60, 500), (1200, 600)] {
                    number += 1;
                    run(&bag, &tag, start, changes, number);
                }
            }
        }
    }
}

#[test]
fn keys_appended_in_order_and_taken_away_again() {
    for bag in layouts() {
        for key_len in [8, 30, 240] {
            let tag = text_tag(key_len);
            let memory = Memory::new();
            let mut writer = create(&memory, "run", &bag, &tag, &[]);
            let key = |record: u32| format!("{record:0>key_len$}").into_bytes();
            let mut wanted = Vec::new();
            for record in 1..=2000 {
                assert!(writer.insert(0, &key(record), record).unwrap());
                assert!(!writer.insert(0, &key(record), record).unwrap(), "added twice");
                wanted.push((key(record), record));
            }
            writer.flush().unwrap();
            let what = format!("{bag:?} {key_len}");
            compare(&memory, "run", &bag, &tag, &wanted, &what);
            let full_len = file(&memory, "run").stamp().unwrap().len;
            for record in (1..=2000).rev() {
                assert!(writer.delete(0, &key(record), record).unwrap());
            }
            writer.flush().unwrap();
            compare(&memory, "run", &bag, &tag, &[], &what);
            for (key, record) in &wanted {
                writer.insert(0, key, *record).unwrap();
            }
            writer.flush().unwrap();
            compare(&memory, "run", &bag, &tag, &wanted, &what);
            let len = file(&memory, "run").stamp().unwrap().len;
            assert!(len <= full_len, "{what}: free pages were not used again: {full_len} bytes became {len}");
        }
    }
}

#[test]
fn records_that_need_more_bits_than_the_leaf_has() {
    for bag in layouts() {
        for key_len in [1, 6, 30, 240] {
            let tag = text_tag(key_len);
            let memory = Memory::new();
            let mut seed = Seed(5);
            let mut items = items(&mut seed, 300, key_len, 100);
            let mut writer = create(&memory, "run", &bag, &tag, &items);
            for (place, record) in [300, 70_000, 17_000_000, 1 << 29, u32::MAX].into_iter().enumerate() {
                let item = (random_key(&mut seed, key_len, 100 + place), record);
                assert!(writer.insert(0, &item.0, item.1).unwrap());
                items.push(item);
            }
            writer.flush().unwrap();
            index_common::written::sort(&mut items, false);
            compare(&memory, "run", &bag, &tag, &items, &format!("{bag:?} {key_len}"));
            create(&memory, "new", &bag, &tag, &items);
            compare(&memory, "new", &bag, &tag, &items, &format!("{bag:?} {key_len}, built"));
        }
    }
}

#[test]
fn the_longest_keys_do_not_make_a_list_of_the_tree() {
    // A branch of such a tree has two children, and a leaf one or two keys.
    let tag = text_tag(240);
    let key = |number: u64, seed: &mut Seed| {
        let mut key = number.to_be_bytes().to_vec();
        key.extend((0..232).map(|_| 1 + seed.below(255) as u8));
        key
    };
    for pattern in 0..4u64 {
        let mut seed = Seed(pattern + 3);
        let memory = Memory::new();
        let mut writer = create(&memory, "run", &BagSpec::cdx(), &tag, &[]);
        let mut items = Vec::new();
        for record in 1..=6000u64 {
            let number = match pattern {
                0 => record,
                1 => 1_000_000 - record,
                2 => seed.below(1 << 40) as u64,
                // Always into the middle of what is there.
                _ if record % 2 == 0 => 1_000_000 + 6000 - record,
                _ => 1_000_000 - 6000 + record,
            };
            let key = key(number, &mut seed);
            writer.insert(0, &key, record as u32 + 70_000).unwrap();
            items.push((key, record as u32 + 70_000));
        }
        writer.flush().unwrap();
        items.sort();
        compare(&memory, "run", &BagSpec::cdx(), &tag, &items, &format!("pattern {pattern}"));
    }
}
