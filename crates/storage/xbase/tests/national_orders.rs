//! Indexes in the order of Harbour's national code pages: recognised, walked, searched, written, checked, repaired.
//!
//! `collations.csv` holds words for each code page and their order as Harbour's own comparison has it. Index files over them
//! are put together here page by page, without the engine's writer.

#![allow(clippy::disallowed_methods)]

mod index_common;
mod indexed_common;

use index_common::build::{Item, cdx};
use indexed_common::{create, open, options};
use mainstay_vfs::{Create, FileSystem, Memory};
use mainstay_xbase::collation::{Collation, KeyOrder};
use mainstay_xbase::dbf::{FieldSpec, Format, OpenOptions, TableSpec};
use mainstay_xbase::index::{Bag, Tag};
use mainstay_xbase::indexed::{self, IndexedTable};
use mainstay_xbase::keys::TagKeys;
use mainstay_xbase::table;
use mainstay_xbase::writer::Access;
use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LENGTH: usize = 8;

/// A code page, its words (each the text of a record), and the records in their order.
struct Page {
    name: String,
    is_national: bool,
    words: Vec<Vec<u8>>,
    order: Vec<u32>,
}

impl Page {
    fn collation(&self) -> &'static Collation {
        Collation::by_name(&self.name).unwrap()
    }

    fn items(&self) -> Vec<Item> {
        self.order.iter().map(|record| (self.words[*record as usize - 1].clone(), *record)).collect()
    }

    /// The words as UPPER() of the code page makes them, in its order.
    fn capitals(&self) -> Vec<Item> {
        let case = self.collation().case_table();
        let upper = |word: &Vec<u8>| word.iter().map(|byte| case.upper[usize::from(*byte)]).collect::<Vec<u8>>();
        let mut items: Vec<Item> = self.words.iter().map(upper).zip(1..).collect();
        let compare =
            |left: &Item, right: &Item| self.collation().compare(&left.0, &right.0).then(left.1.cmp(&right.1));
        items.sort_by(compare);
        items
    }
}

fn pages() -> Vec<Page> {
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
    };
    let page = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        Page {
            name: fields[0].to_owned(),
            is_national: fields[1] == "True",
            words: fields[2].split(' ').map(bytes).collect(),
            order: fields[3].split(' ').map(|record| record.parse().unwrap()).collect(),
        }
    };
    include_str!("collations.csv").lines().skip(1).map(page).collect()
}

/// A table of the words, with a CDX of the tags WORD and (with capitals) UPPER(WORD).
fn made(page: &Page) -> (Arc<dyn FileSystem>, PathBuf) {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let (fs, path): (Arc<dyn FileSystem>, _) = (Arc::new(memory), PathBuf::from("shop/t.dbf"));
    // As Harbour leaves it: the header does not say which code page the texts are in.
    let spec = TableSpec::new(Format::FoxPro, vec![FieldSpec::new("word", b'C', LENGTH, 0)]);
    create(&fs, &path, &TableSpec { language: 0, ..spec });
    let mut table = open(&fs, &path, Access::Exclusive);
    for word in &page.words {
        table.append_record(&record(word)).unwrap();
    }
    table.close().unwrap();
    let tags = [("WORD", LENGTH, b' ', page.items()), ("UPPER(WORD)", LENGTH, b' ', page.capitals())];
    let file = fs.create(Path::new("shop/t.cdx"), Create::Truncate).unwrap();
    file.write_at(&cdx(&tags, 512, false), 0).unwrap();
    (fs, path)
}

fn record(word: &[u8]) -> Vec<u8> {
    let mut bytes = vec![b' '; 1 + LENGTH];
    bytes[1..1 + word.len()].copy_from_slice(word);
    bytes
}

/// The tags as they are recognised by a reader.
fn read(fs: &Arc<dyn FileSystem>, path: &Path) -> Vec<(TagKeys, Tag)> {
    let table = open(fs, path, Access::Shared);
    let bag = Bag::open(fs.open(&path.with_extension("cdx")).unwrap()).unwrap();
    let tag = |number: usize| {
        let keys = TagKeys::new(&bag.tags()[number], table.dbf()).unwrap();
        let keys = keys.clone().recognised(&bag.tag(number, keys.key_type).unwrap(), table.dbf());
        let tag = bag.tag(number, keys.key_type).unwrap();
        (keys, tag)
    };
    (0..bag.tags().len()).map(tag).collect()
}

fn walk(tag: &Tag) -> Vec<Item> {
    let (mut cursor, mut found) = (tag.cursor(), Vec::new());
    while let Some(record) = cursor.next().unwrap() {
        found.push((cursor.key().unwrap().unwrap().to_vec(), record));
    }
    found
}

fn check(fs: &Arc<dyn FileSystem>, path: &Path, what: &str) {
    let findings = table::check(fs, path, OpenOptions::default(), &[]);
    assert!(findings.is_empty(), "{what}: {findings:?}");
}

#[test]
fn texts_compare_as_harbour_compares_them() {
    let pages = pages();
    assert_eq!(pages.len(), 96);
    for page in &pages {
        assert_eq!(page.is_national, !page.collation().is_byte_order(), "{}", page.name);
        let items = page.items();
        for (at, (left, left_record)) in items.iter().enumerate() {
            for (right, right_record) in &items[at + 1..] {
                let order = page.collation().compare(left, right).then(left_record.cmp(right_record));
                assert_eq!(order, Ordering::Less, "{}: {left:x?} {right:x?}", page.name);
            }
        }
    }
}

#[test]
fn every_national_order_is_recognised_and_searched() {
    for page in pages() {
        let (fs, path) = made(&page);
        check(&fs, &path, &page.name);
        for (number, (keys, tag)) in read(&fs, &path).iter().enumerate() {
            let wanted = if number == 0 { page.items() } else { page.capitals() };
            match keys.key_type.order() {
                KeyOrder::Bytes => assert!(wanted.is_sorted_by(|left, right| left.0 <= right.0), "{}", page.name),
                KeyOrder::National(national) => {
                    let follow = |pair: &[Item]| national.collation().compare(&pair[0].0, &pair[1].0).is_le();
                    assert!(wanted.windows(2).all(follow), "{}: {keys:?}", page.name);
                }
                KeyOrder::Unknown => panic!("{}", page.name),
            }
            assert_eq!(walk(tag), wanted, "{}", page.name);
            for (key, record) in &wanted {
                let mut cursor = tag.cursor();
                let first = wanted.iter().find(|(other, _)| tag.compare(other, key).is_eq()).unwrap();
                let found = cursor.seek(key, false, false).unwrap();
                assert!(found.found && found.record == Some(first.1), "{}: {key:x?}", page.name);
                let head = key.trim_ascii_end();
                assert!(cursor.seek(head, false, true).unwrap().found, "{}: {head:x?}", page.name);
                let mut listed = Vec::new();
                let bound = std::ops::Bound::Included(key.as_slice());
                let range = tag.range(bound, bound, |record, _| {
                    listed.push(record);
                    ControlFlow::Continue(())
                });
                range.unwrap();
                assert!(listed.contains(record), "{}: {key:x?}", page.name);
            }
        }
    }
}

/// Changes the words: all of them are appended again, some changed, some deleted.
fn change(fs: &Arc<dyn FileSystem>, path: &Path, page: &Page, access: Access) -> Result<(), mainstay_types::Error> {
    let mut table = open(fs, path, access);
    let count = page.words.len();
    for (at, word) in page.words.iter().enumerate() {
        let other = &page.words[(at + 5) % count];
        let mixed = [&word[..3], &other[..LENGTH - 3]].concat();
        table.append_record(&record(&mixed))?;
        table.write_record(at as u64 + 1, &record(other))?;
    }
    table.close()
}

#[test]
fn every_national_order_is_written_checked_and_made_anew() {
    let (mut certain, mut refused) = (0, 0);
    for page in pages() {
        for access in [Access::Shared, Access::Exclusive] {
            let (fs, path) = made(&page);
            // Words that other collations order in another way are refused, and nothing is written.
            match change(&fs, &path, &page, access) {
                Ok(()) => certain += 1,
                Err(error) => {
                    assert!(error.message().contains("unknown national order"), "{}: {error}", page.name);
                    refused += 1;
                }
            }
            check(&fs, &path, &page.name);
            let follows = |tag: &Tag| {
                let items = walk(tag);
                let compare = |pair: &[Item]| page.collation().compare(&pair[0].0, &pair[1].0);
                items.windows(2).all(|pair| compare(pair).then(pair[0].1.cmp(&pair[1].1)).is_lt())
            };
            // In the very order of the page, whichever collation was chosen.
            for (keys, tag) in read(&fs, &path) {
                assert!(follows(&tag), "{} {:?}", page.name, keys.key_type.order());
            }
            let mut table = open(&fs, &path, Access::Exclusive);
            table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap();
            table.close().unwrap();
            check(&fs, &path, &page.name);
            assert!(read(&fs, &path).iter().all(|(_, tag)| follows(tag)), "{}", page.name);
            let into = Path::new("shop/new.dbf");
            let repair = indexed::repair(&fs, &path, into, &options(Access::Exclusive), &[]).unwrap();
            assert_eq!(repair.findings().next(), None, "{}", page.name);
            check(&fs, into, &page.name);
            assert!(read(&fs, into).iter().all(|(_, tag)| follows(tag)), "{}", page.name);
        }
    }
    assert!(certain > refused, "{certain} {refused}");
}

/// A damaged index is made anew in the order of its program.
#[test]
fn a_damaged_index_is_repaired_in_its_order() {
    // One damaged key outweighs a single pair by which the keys differ from the order of bytes: words of two pages have no more.
    let tells_enough = |page: &Page| {
        let word = |record: &u32| &page.words[*record as usize - 1];
        page.order.windows(2).filter(|pair| word(&pair[0]) > word(&pair[1])).count() > 1
    };
    let told: Vec<Page> = pages().into_iter().filter(|page| page.is_national && tells_enough(page)).collect();
    assert!(told.len() > 30, "{}", told.len());
    for page in told {
        let (fs, path) = made(&page);
        let cdx = Path::new("shop/t.cdx");
        let mut bytes = fs.read(cdx).unwrap();
        // A letter of a key in the leaf of the first tag: what is stored last is the first key.
        let end = (2..bytes.len() / 512).map(|number| number * 512 + 512).find(|end| bytes[end - 1] != 0).unwrap();
        bytes[end - 2] ^= 0x55;
        fs.create(cdx, Create::Truncate).unwrap().write_at(&bytes, 0).unwrap();
        let findings = table::check(&fs, &path, OpenOptions::default(), &[]);
        assert!(!findings.is_empty(), "{}", page.name);
        let into = Path::new("shop/new.dbf");
        indexed::repair(&fs, &path, into, &options(Access::Exclusive), &[]).unwrap();
        check(&fs, into, &page.name);
        for (_, tag) in read(&fs, into) {
            let items = walk(&tag);
            let compare = |pair: &[Item]| page.collation().compare(&pair[0].0, &pair[1].0);
            assert!(items.windows(2).all(|pair| compare(pair).is_le()), "{}", page.name);
        }
    }
}

/// Keys in an order of no code page: letters beyond ASCII backwards, before all others.
#[test]
fn an_unknown_order_is_named_and_not_written() {
    let mut words: Vec<Vec<u8>> =
        (0..60u8).map(|at| [&[0xFF - 2 * at % 90, b'a' + at % 26][..], b"      "].concat()).collect();
    words.sort_by(|left, right| right[0].cmp(&left[0]).then(left[1].cmp(&right[1])));
    let order = (1..=words.len() as u32).collect();
    let page = Page { name: "PL852".to_owned(), is_national: true, words, order };
    let (fs, path) = made(&page);
    let findings = table::check(&fs, &path, OpenOptions::default(), &[]);
    let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(texts.iter().any(|text| text.contains("tag WORD: the keys are in an unknown national order")), "{texts:?}");
    assert!(!texts.iter().any(|text| text.contains("tag WORD") && text.starts_with("error")), "{texts:?}");
    let before = (fs.read(&path).unwrap(), fs.read(Path::new("shop/t.cdx")).unwrap());
    let mut table = open(&fs, &path, Access::Exclusive);
    let error = table.append_record(&record(b"new")).unwrap_err();
    assert!(error.message().contains("unknown national order"), "{error}");
    let error = table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap_err();
    assert!(error.message().contains("unknown national order"), "{error}");
    drop(table);
    assert!((fs.read(&path).unwrap(), fs.read(Path::new("shop/t.cdx")).unwrap()) == before);
    let table = IndexedTable::open(Arc::clone(&fs), &path, options(Access::Shared)).unwrap();
    drop(table);
}

/// Tables and indexes as Harbour wrote them with HB_CODEPAGE PL852, RU866 and PLWIN, and its walk through them.
#[test]
fn harbours_own_files_are_walked_and_searched_in_their_order() {
    use mainstay_vfs::Disk;
    for (table, index) in [
        ("national/t08_cp_pl852", "cdx"),
        ("national/t08_cp_ru866", "cdx"),
        ("national/t08_cp_pl852", "ntx"),
        ("national/t08_cp_ru866", "ntx"),
        ("more/m02_pl1250_collated", "cdx"),
        ("more/m02_pl852_collated", "ntx"),
    ] {
        let file = |extension: &str| index_common::fixture(&format!("{table}.{extension}"));
        let fs: Arc<dyn FileSystem> = Arc::new(Disk);
        let dbf = mainstay_xbase::dbf::Dbf::open(fs.open(&file("dbf")).unwrap(), OpenOptions::default()).unwrap();
        let bag = Bag::open(fs.open(&file(index)).unwrap()).unwrap();
        let findings = table::check(&fs, &file("dbf"), OpenOptions::default(), &[file(index)]);
        assert!(findings.is_empty(), "{table}: {findings:?}");
        let walks = index_common::csv(&format!("{table}.walk.csv"));
        for (number, header) in bag.tags().iter().enumerate() {
            let keys = TagKeys::new(header, &dbf).unwrap();
            let keys = keys.clone().recognised(&bag.tag(number, keys.key_type).unwrap(), &dbf);
            let tag = bag.tag(number, keys.key_type).unwrap();
            // The only tag of a Harbour NTX has the name of its file here, and that of its field in the walk.
            let name = if index == "ntx" && bag.tags().len() == 1 { "WORD" } else { &header.name };
            let wanted: Vec<u32> =
                walks.iter().filter(|row| row[0] == name).map(|row| row[2].parse().unwrap()).collect();
            assert!(!wanted.is_empty(), "{table}: {name}");
            let found = walk(&tag);
            assert_eq!(found.iter().map(|(_, record)| *record).collect::<Vec<u32>>(), wanted, "{table}: {name}");
            let (mut bytes, mut scratch) = (Vec::new(), mainstay_xbase::expr::Scratch::new());
            for (key, record) in &found {
                dbf.read_record(u64::from(*record) - 1, &mut bytes).unwrap();
                assert_eq!(&keys.key_of(&mut scratch, &bytes, *record).unwrap(), key, "{table}: {name}");
                let sought = tag.cursor().seek(key, false, false).unwrap();
                assert!(sought.found && sought.record.is_some(), "{table}: {name} {record}");
            }
        }
    }
}
