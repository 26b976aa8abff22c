//! Index files that several writers share, tags that are created and dropped, and rebuilt files.

mod index_common;

use index_common::Seed;
use index_common::build::Item;
use index_common::written::{
    Model, compare, create, file, is_falling, layouts, open_writer, random_key, sorter, text_tag, walk,
};
use mainstay_types::{Code, Result};
use mainstay_vfs::{Create, Disk, FileSystem, Memory, Simulated, explore};
use mainstay_xbase::index::write::{BagSpec, BagWriter, KeySorter, Progress, Rebuild, TagSpec, reindex};
use mainstay_xbase::index::{Bag, BagKind, KeyFamily, KeyType, TagHeader};
use std::ops::{Bound, ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn items(seed: &mut Seed, count: u32, key_len: usize) -> Vec<Item> {
    (1..=count).map(|record| (random_key(seed, key_len, 400), record)).collect()
}

#[test]
fn two_writers_see_what_the_other_wrote() {
    for bag in layouts() {
        let mut seed = Seed(31);
        let tag = text_tag(16);
        let first = items(&mut seed, 300, 16);
        let memory = Memory::new();
        drop(create(&memory, "a", &bag, &tag, &first));
        let mut writers = [open_writer(&memory, "a", &tag).unwrap(), open_writer(&memory, "a", &tag).unwrap()];
        let mut model = Model::new(false, &first);
        let mut last = 0;
        for record in 301..900u32 {
            // The turn changes now and then, as among programs that take a lock.
            let turn = if seed.below(4) == 0 { 1 - last } else { last };
            let writer = &mut writers[turn];
            let changed = writer.begin().unwrap();
            assert!(changed || turn == last || record == 301, "{bag:?}: the other writer's changes were not noticed");
            last = turn;
            let old = model.items[seed.below(model.items.len())].clone();
            assert!(writer.delete(0, &old.0, old.1).unwrap(), "{bag:?}");
            model.delete(&old);
            let new = (random_key(&mut seed, 16, 400), record);
            assert!(writer.insert(0, &new.0, new.1).unwrap());
            model.insert(new);
            writer.flush().unwrap();
        }
        compare(&memory, "a", &bag, &tag, &model.sorted(is_falling(&bag, &tag)), &format!("{bag:?}"));
    }
}

#[test]
fn changes_made_without_the_lock_are_refused() {
    let (bag, tag, memory) = (BagSpec::harbour_cdx(), text_tag(16), Memory::new());
    drop(create(&memory, "a", &bag, &tag, &[]));
    let (mut one, mut other) = (open_writer(&memory, "a", &tag).unwrap(), open_writer(&memory, "a", &tag).unwrap());
    one.insert(0, b"one             ", 1).unwrap();
    other.insert(0, b"other           ", 2).unwrap();
    other.flush().unwrap();
    assert_eq!(one.begin().unwrap_err().code(), Code::Conflict);
    one.discard().unwrap();
    assert!(!one.is_changed());
    one.insert(0, b"one             ", 1).unwrap();
    one.flush().unwrap();
    let wanted = [(b"one             ".to_vec(), 1), (b"other           ".to_vec(), 2)];
    compare(&memory, "a", &bag, &tag, &wanted, "both");
}

#[test]
fn tags_come_and_go() {
    let compound = layouts().into_iter().filter(|bag| matches!(bag.kind, BagKind::Cdx | BagKind::CompoundNtx));
    for bag in compound {
        let mut seed = Seed(12);
        let memory = Memory::new();
        let mut writer = BagWriter::create(file(&memory, "a"), &bag, []).unwrap();
        let mut wanted: Vec<(TagSpec, Vec<Item>)> = Vec::new();
        for step in 0..120 {
            if step % 3 == 2 || wanted.len() == 40 {
                let (tag, _) = wanted.remove(seed.below(wanted.len()));
                writer.drop_tag(writer.find(&tag.name).unwrap()).unwrap();
            } else {
                let tag =
                    TagSpec { name: format!("TAG{step}"), descending: step % 2 == 0, ..text_tag(1 + seed.below(90)) };
                let items = items(&mut seed, 200, tag.key_length);
                writer.add_tag(&tag, sorter(&bag, &tag, &items), &mut |_| ControlFlow::Continue(())).unwrap();
                let model = Model::new(false, &items);
                wanted.push((tag.clone(), model.sorted(is_falling(&bag, &tag))));
            }
            writer.flush().unwrap();
        }
        assert_eq!(writer.tags().len(), wanted.len());
        for (tag, items) in &wanted {
            compare(&memory, "a", &bag, tag, items, &format!("{bag:?} {}", tag.name));
        }
        let len = file(&memory, "a").stamp().unwrap().len;
        assert!(len < 1_600_000, "{bag:?}: {len} bytes, so dropped tags left their pages unused");
        assert_eq!(writer.drop_tag(99).unwrap_err().code(), Code::Internal);
    }
}

#[test]
fn candidates_refuse_what_unique_tags_leave_out() {
    let memory = Memory::new();
    let bag = BagSpec::cdx();
    let candidate = TagSpec { candidate: true, ..text_tag(4) };
    let mut writer = create(&memory, "a", &bag, &candidate, &[]);
    assert!(writer.insert(0, b"key ", 1).unwrap());
    assert!(!writer.insert(0, b"key ", 1).unwrap(), "the same entry is no violation");
    assert_eq!(writer.insert(0, b"key ", 2).unwrap_err().code(), Code::UniqueViolation);
    assert!(writer.insert(0, b"else", 2).unwrap());
    assert_eq!(writer.replace(0, b"else", b"key ", 2).unwrap_err().code(), Code::UniqueViolation);
    writer.flush().unwrap();
    let wanted = [(b"else".to_vec(), 2), (b"key ".to_vec(), 1)];
    compare(&memory, "a", &bag, &candidate, &wanted, "the refused change took nothing out");

    let unique = TagSpec { unique: true, ..text_tag(4) };
    let mut writer = create(&memory, "b", &bag, &unique, &[(b"key ".to_vec(), 2), (b"key ".to_vec(), 1)]);
    assert!(!writer.insert(0, b"key ", 3).unwrap());
    assert!(!writer.delete(0, b"key ", 2).unwrap(), "the tag lists record 1 only");
    assert!(writer.delete(0, b"key ", 1).unwrap());
    writer.flush().unwrap();
    compare(&memory, "b", &bag, &unique, &[], "no other record takes the place of the first");
}

/// Makes the indexes of a table anew whose records are given.
struct Table {
    items: Vec<Vec<Item>>,
    told: Vec<(usize, u64)>,
    stop_at: Option<usize>,
}

impl Rebuild for Table {
    fn key_type(&mut self, header: &TagHeader) -> Result<KeyType> {
        KeyType::new(header, KeyFamily::Character, false)
    }

    fn collect(&mut self, number: usize, _: &TagHeader, keys: &mut KeySorter) -> Result<()> {
        self.items[number].iter().try_for_each(|(key, record)| keys.push(key, *record))
    }

    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self.told.push((progress.number, progress.keys_done));
        if self.stop_at == Some(progress.number) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn a_damaged_index_is_made_anew() {
    for bag in layouts() {
        let mut seed = Seed(5);
        let tag = TagSpec { condition: Some(b"AGE > 3".to_vec()), ..text_tag(30) };
        let all = items(&mut seed, 20_000, 30);
        let memory = Memory::new();
        memory.create_folder(Path::new("shop")).unwrap();
        create(&memory, "shop/a", &bag, &tag, &all);
        let mut damaged = memory.read(Path::new("shop/a")).unwrap();
        let len = damaged.len();
        damaged[len / 2..].fill(0xEE);
        memory.write("shop/a", damaged);
        let files: Arc<dyn FileSystem> = Arc::new(memory.clone());
        let mut table = Table { items: vec![all[..15_000].to_vec()], told: Vec::new(), stop_at: Some(0) };
        let stopped = reindex(&files, Path::new("shop/a"), 1 << 20, &mut table);
        assert_eq!(stopped.unwrap_err().code(), Code::Cancelled);
        table.stop_at = None;
        reindex(&files, Path::new("shop/a"), 200_000, &mut table).unwrap();
        assert_eq!(files.list(Path::new("shop")).unwrap().len(), 1, "files were left behind");
        let wanted = Model::new(false, &all[..15_000]).sorted(is_falling(&bag, &tag));
        compare(&memory, "shop/a", &bag, &tag, &wanted, &format!("{bag:?}"));
        let header = Bag::open(memory.open(Path::new("shop/a")).unwrap()).unwrap().tags()[0].clone();
        assert_eq!(header.for_text().as_deref(), Some("AGE > 3"));
        assert!(table.told.len() >= 2, "{:?}", table.told);
    }
}

#[test]
fn a_power_failure_leaves_the_old_index_or_the_new() {
    let (bag, tag) = (BagSpec::harbour_cdx(), text_tag(20));
    let mut seed = Seed(5);
    let (old, new) = (items(&mut seed, 100, 20), items(&mut seed, 150, 20));
    let path = Path::new("shop/a.cdx");
    // The acknowledged state: nothing, the old index, the new one.
    let work = |disk: &Simulated| {
        let mut acknowledged = 0;
        let steps = |acknowledged: &mut u8| -> Result<()> {
            disk.create_folder(Path::new("shop"))?;
            disk.sync_folder(Path::new(""))?;
            let file = disk.create(path, Create::New)?;
            BagWriter::create(file, &bag, [(tag.clone(), sorter(&bag, &tag, &old))])?.sync()?;
            disk.sync_folder(Path::new("shop"))?;
            *acknowledged = 1;
            let files: Arc<dyn FileSystem> = Arc::new(disk.clone());
            reindex(&files, path, 1 << 20, &mut Table { items: vec![new.clone()], told: Vec::new(), stop_at: None })?;
            *acknowledged = 2;
            Ok(())
        };
        let _ = steps(&mut acknowledged);
        acknowledged
    };
    let (was, is) = (Model::new(false, &old).sorted(false), Model::new(false, &new).sorted(false));
    let check = |disk: &Simulated, acknowledged: &u8| -> std::result::Result<(), String> {
        if *acknowledged == 0 {
            return Ok(());
        }
        let found = Bag::open(disk.open(path).map_err(|error| error.to_string())?).and_then(|opened| {
            let mut findings = Vec::new();
            opened.check(None, &[Some(tag.key_type(&bag)?)], &mut findings);
            assert!(findings.is_empty(), "{findings:?}");
            walk(&opened.tag(0, tag.key_type(&bag)?)?)
        });
        let found = found.map_err(|error| error.to_string())?;
        if found == is || (*acknowledged == 1 && found == was) {
            Ok(())
        } else {
            Err("neither the old nor the new".into())
        }
    };
    assert!(explore(0..6, work, check).unwrap() > 50);
}

fn set_type(writer: &mut BagWriter) {
    let key_type = KeyType::new(writer.tags().next().unwrap(), KeyFamily::Character, false).unwrap();
    writer.set_key_type(0, key_type).unwrap();
}

/// A program that writes to an index of Harbour's and does not count, as FoxPro does. The counter is in these bytes.
fn insert_uncounted(path: &Path, counted: Range<u64>, key: &[u8], record: u32) {
    let file = Disk.create(path, Create::Existing).unwrap();
    let mut counter = vec![0; (counted.end - counted.start) as usize];
    file.read_exact_at(&mut counter, counted.start).unwrap();
    let mut writer = BagWriter::open(Arc::clone(&file)).unwrap();
    set_type(&mut writer);
    assert!(writer.insert(0, key, record).unwrap());
    writer.flush().unwrap();
    file.write_at(&counter, counted.start).unwrap();
}

/// Returns true if two writes with a stamp read between them always leave different stamps, as since Linux 6.13.
fn tells_writes_apart(path: &Path) -> bool {
    let file = Disk.create(path, Create::New).unwrap();
    (0..50u8).all(|byte| {
        file.write_at(&[byte], 0).unwrap();
        let before = file.stamp().unwrap();
        file.write_at(&[byte], 0).unwrap();
        file.stamp().unwrap() != before
    })
}

/// A write that is not counted is noticed, in a CDX at once.
#[test]
fn a_writer_of_a_cdx_knows_its_own_writes_and_notices_those_that_are_not_counted() {
    notices_what_is_not_counted("a.cdx", BagSpec::harbour_cdx(), 8..12, 0);
}

/// In an NTX own writes are distinguished from others' without reading the stamp after each; a writer that does not
/// raise the counter is noticed at the first check after the tick of the clock.
#[test]
fn a_writer_of_an_ntx_knows_its_own_writes_and_notices_those_that_are_not_counted() {
    notices_what_is_not_counted("a.ntx", BagSpec::ntx(), 2..4, 3);
}

/// `late` is how often another writes a tick of the clock after the own write, and not at once.
fn notices_what_is_not_counted(name: &str, bag: BagSpec, counted: Range<u64>, late: u32) {
    let folder = tempfile::tempdir().unwrap();
    let (path, tag) = (folder.path().join(name), text_tag(8));
    let file = Disk.create(&path, Create::New).unwrap();
    let items: Vec<Item> = (1..200).map(|record| (format!("{record:08}").into_bytes(), record)).collect();
    let mut writer = BagWriter::create(file, &bag, [(tag.clone(), sorter(&bag, &tag, &items))]).unwrap();
    set_type(&mut writer);
    let tick = || std::thread::sleep(Duration::from_millis(25));
    tick();
    writer.begin().unwrap();
    // Many changes at once, and single ones in between, without other writers.
    let mut record = 1000;
    for pause in [0, 0, 0, 0, 1, 2, 3, 5, 8, 12, 15, 20, 30, 0, 0] {
        std::thread::sleep(Duration::from_millis(pause));
        assert!(!writer.begin().unwrap(), "an own write is taken for another's after {pause} ms");
        record += 1;
        assert!(writer.insert(0, format!("{record:08}").as_bytes(), record).unwrap());
        writer.flush().unwrap();
    }
    let tells_apart = tells_writes_apart(&folder.path().join("b"));
    for round in 0..6 {
        if round < late || !tells_apart {
            tick();
        }
        let key = format!("X{round:07}").into_bytes();
        insert_uncounted(&path, counted.clone(), &key, 5000 + round);
        assert!(writer.begin().unwrap(), "what another wrote without counting is not noticed in round {round}");
        assert!(writer.contains(0, &key, 5000 + round).unwrap());
        record += 1;
        assert!(writer.insert(0, format!("{record:08}").as_bytes(), record).unwrap());
        writer.flush().unwrap();
        assert!(!writer.begin().unwrap(), "an own write is taken for another's");
    }
    drop(writer);
    let bag = Bag::open(Disk.open(&path).unwrap()).unwrap();
    let key_type = KeyType::new(&bag.tags()[0], KeyFamily::Character, false).unwrap();
    let tag = bag.tag(0, key_type).unwrap();
    assert_eq!(tag.count_range(Bound::Unbounded, Bound::Unbounded).unwrap(), 199 + 15 + 2 * 6);
}
