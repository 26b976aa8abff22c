//! Writing Advantage's index files: random operations against a model and against a CDX twin, read back by the small
//! reader of `adi_common`; unique tags, new and dropped tags, reindexing.

mod adi_common;
mod index_common;

use adi_common::{bytes, key_lists, read_index};
use index_common::Seed;
use index_common::build::Item;
use index_common::written::{Model, file, random_key, sorter, walk};
use mainstay_types::{Code, Result};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::index::write::{BagSpec, BagWriter, KeySorter, Rebuild, TagSpec, reindex};
use mainstay_xbase::index::{Bag, KeyFamily, KeyForm, KeyType, TagHeader};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

fn page_lens() -> [BagSpec; 3] {
    [512, 1024, 8192].map(|page_len| BagSpec { page_len, ..BagSpec::adi() })
}

fn content(memory: &Memory, name: &str) -> Vec<u8> {
    memory.read(Path::new(name)).unwrap()
}

fn create(memory: &Memory, name: &str, bag: &BagSpec, tags: &[(TagSpec, Vec<Item>)]) -> BagWriter {
    let sources = tags.iter().map(|(tag, items)| (tag.clone(), sorter(bag, tag, items)));
    let mut writer = BagWriter::create(file(memory, name), bag, sources).unwrap();
    for (number, (tag, _)) in tags.iter().enumerate() {
        writer.set_key_type(number, tag.key_type(bag).unwrap()).unwrap();
    }
    writer
}

/// Tags of every length class of entries, of both pad bytes.
fn tag_specs() -> Vec<TagSpec> {
    let text = |len| TagSpec::new(&format!("TEXT{len}"), "F2", KeyFamily::Character, len);
    let mut tags: Vec<TagSpec> = [1, 10, 30, 60, 100, 200].map(text).into();
    tags.push(TagSpec { descending: true, ..TagSpec::new("NUMBER", "F1", KeyFamily::Number, 8) });
    let parts = TagSpec::new("PARTS", "UPPER(F2);F1", KeyFamily::Parts, 20);
    tags.push(TagSpec { form: Some(KeyForm::Parts { text_last: false }), ..parts });
    tags
}

#[test]
fn random_operations_end_as_in_a_model_and_in_a_cdx_twin() {
    for (round, bag) in page_lens().into_iter().enumerate() {
        for tag in tag_specs() {
            let (mut seed, memory) = (Seed(77 + round as u64), Memory::new());
            let len = tag.key_length;
            let variety = if len == 1 { 60 } else { 900 };
            let key = |seed: &mut Seed| random_key(seed, len, variety);
            let items: Vec<Item> = (1..=700).map(|record| (key(&mut seed), record)).collect();
            let twin_tag = TagSpec::new("T", "T", KeyFamily::Character, len);
            let mut model = Model::new(false, &items);
            let mut writer = create(&memory, "t.adi", &bag, &[(tag.clone(), items.clone())]);
            let mut twin = create(&memory, "t.cdx", &BagSpec::cdx(), &[(twin_tag.clone(), items)]);
            for step in 0..4_000u32 {
                let record = 1 + seed.below(1_200) as u32;
                let growing = step < 1_500 || step % 1_000 < 300;
                if seed.below(10) < if growing { 7 } else { 3 } {
                    let item = (key(&mut seed), record);
                    let added = writer.insert(0, &item.0, record).unwrap();
                    assert_eq!(twin.insert(0, &item.0, record).unwrap(), added);
                    assert_eq!(model.insert(item), added);
                } else if !model.items.is_empty() {
                    let (key, record) = model.items[seed.below(model.items.len())].clone();
                    assert!(writer.delete(0, &key, record).unwrap() && twin.delete(0, &key, record).unwrap());
                    assert!(model.delete(&(key, record)));
                }
                if step % 40 == 0 {
                    writer.flush().unwrap();
                    twin.flush().unwrap();
                }
            }
            writer.flush().unwrap();
            twin.flush().unwrap();
            let wanted = model.sorted(false);
            let small = read_index(&content(&memory, "t.adi")).remove(&tag.name).unwrap();
            assert!(small.entries == wanted, "{bag:?} {}", tag.name);
            assert_eq!((small.pad, small.descending), (tag.form.map_or(small.pad, KeyForm::pad), tag.descending));
            let opened = Bag::open(memory.open(Path::new("t.adi")).unwrap()).unwrap();
            let reader = opened.tag(0, tag.key_type(&bag).unwrap()).unwrap();
            assert!(walk(&reader).unwrap() == wanted);
            let opened = Bag::open(memory.open(Path::new("t.cdx")).unwrap()).unwrap();
            assert!(walk(&opened.tag(0, twin_tag.key_type(&BagSpec::cdx()).unwrap()).unwrap()).unwrap() == wanted);
            let mut findings = Vec::new();
            Bag::open(memory.open(Path::new("t.adi")).unwrap()).unwrap().check(None, &[], &mut findings);
            assert!(findings.is_empty(), "{findings:#?}");
        }
    }
}

/// The whole fixture, made anew from its key lists, is the fixture to a reader; and it is maintained from there.
#[test]
fn the_fixture_is_opened_changed_and_put_back() {
    let (memory, original) = (Memory::new(), bytes("own-alltypes.adi"));
    memory.write("t.adi", original.clone());
    let mut writer = BagWriter::open(file(&memory, "t.adi")).unwrap();
    let lists = key_lists("own-alltypes.keys.txt");
    let names: Vec<String> = writer.tags().map(|tag| tag.name.clone()).collect();
    for number in 0..names.len() {
        let header = writer.tags().nth(number).unwrap().clone();
        writer.set_key_type(number, KeyType::new(&header, KeyFamily::Parts, false).unwrap()).unwrap();
    }
    let mut seed = Seed(5);
    for (number, name) in names.iter().enumerate() {
        let mut order: Vec<&(Vec<u8>, u32)> = lists[name].iter().collect();
        for at in (1..order.len()).rev() {
            order.swap(at, seed.below(at + 1));
        }
        for (key, record) in &order {
            assert!(writer.delete(number, key, *record).unwrap(), "{name}");
            assert!(!writer.contains(number, key, *record).unwrap());
        }
        writer.flush().unwrap();
        assert!(read_index(&content(&memory, "t.adi"))[name].entries.is_empty(), "{name}");
        for (key, record) in &order {
            assert!(writer.insert(number, key, *record).unwrap(), "{name}");
        }
        writer.flush().unwrap();
    }
    assert!(read_index(&content(&memory, "t.adi")) == read_index(&original));
    let now = content(&memory, "t.adi");
    assert_eq!(now[..1024], original[..1024], "the file's header stays as it was");
}

#[test]
fn a_second_record_with_a_unique_key_is_refused() {
    let (memory, bag) = (Memory::new(), BagSpec::adi());
    let key = |text: &str| format!("{text:<8}").into_bytes();
    for tag in [
        TagSpec { unique: true, ..TagSpec::new("T", "F1", KeyFamily::Character, 8) },
        TagSpec { candidate: true, ..TagSpec::new("T", "F1", KeyFamily::Character, 8) },
    ] {
        let mut writer = create(&memory, "t.adi", &bag, &[(tag.clone(), vec![(key("a"), 1), (key("b"), 2)])]);
        assert_eq!(writer.insert(0, &key("a"), 3).unwrap_err().code(), Code::UniqueViolation);
        assert!(!writer.insert(0, &key("a"), 1).unwrap(), "the entry is there already");
        assert!(writer.insert(0, &key("c"), 3).unwrap());
        assert_eq!(writer.replace(0, &key("c"), &key("b"), 3).unwrap_err().code(), Code::UniqueViolation);
        writer.flush().unwrap();
        let small = read_index(&content(&memory, "t.adi"));
        assert_eq!((small["T"].options, small["T"].entries.len()), (0x61, 3));
        let repeated = sorter(&bag, &tag, &[(key("a"), 1), (key("a"), 2)]);
        let refused = BagWriter::create(file(&memory, "u.adi"), &bag, [(tag, repeated)]).unwrap_err();
        assert_eq!(refused.code(), Code::UniqueViolation);
    }
}

#[test]
fn tags_come_and_go_and_the_others_stay() {
    let memory = Memory::new();
    for bag in page_lens() {
        let items = |seed: u64, len: usize| -> Vec<Item> {
            let mut seed = Seed(seed);
            (1..=500).map(|record| (random_key(&mut seed, len, 300), record)).collect()
        };
        let name = "CUSTOMERS_BY_FAMILY_NAME_AND_BIRTHDAY";
        let long = TagSpec::new(name, "F2;F14", KeyFamily::Character, 40);
        let conditional = TagSpec { condition: Some(b"F4 <> NULL".to_vec()), ..long.clone() };
        let number = TagSpec::new("N", "F1", KeyFamily::Number, 8);
        let mut writer = create(&memory, "t.adi", &bag, &[(conditional.clone(), items(1, 40))]);
        let mut go_on = |_| ControlFlow::Continue(());
        for _ in 0..4 {
            writer.add_tag(&number, sorter(&bag, &number, &items(2, 8)), &mut go_on).unwrap();
            assert_eq!(
                writer.add_tag(&number, sorter(&bag, &number, &[]), &mut go_on).unwrap_err().code(),
                Code::Duplicate
            );
            writer.flush().unwrap();
            let small = read_index(&content(&memory, "t.adi"));
            assert_eq!(small.keys().collect::<Vec<_>>(), [name, "N"]);
            assert_eq!(small[name].condition, "F4 <> NULL");
            let mut wanted = items(2, 8);
            wanted.sort();
            assert!(small["N"].entries == wanted);
            writer.drop_tag(1).unwrap();
            writer.flush().unwrap();
            let small = read_index(&content(&memory, "t.adi"));
            assert_eq!(small.len(), 1);
            let mut wanted = items(1, 40);
            wanted.sort();
            assert!(small[name].entries == wanted);
        }
        let pages = content(&memory, "t.adi").len() / bag.page_len;
        writer.add_tag(&number, sorter(&bag, &number, &items(2, 8)), &mut go_on).unwrap();
        writer.flush().unwrap();
        let after = content(&memory, "t.adi").len() / bag.page_len;
        assert!(after <= pages + 4, "pages of a dropped tag are used anew by the same writer: {pages}, {after}");
    }
}

struct FromLists(std::collections::BTreeMap<String, Vec<Item>>);

impl Rebuild for FromLists {
    fn key_type(&mut self, header: &TagHeader) -> Result<KeyType> {
        KeyType::new(header, KeyFamily::Parts, false)
    }

    fn collect(&mut self, _: usize, header: &TagHeader, keys: &mut KeySorter) -> Result<()> {
        self.0[&header.name].iter().try_for_each(|(key, record)| keys.push(key, *record))
    }
}

#[test]
fn a_reindexed_file_is_the_same_to_a_reader_and_keeps_its_header() {
    let memory = Memory::new();
    let mut original = bytes("own-alltypes.adi");
    // The word of the collation, and bytes of which nothing is known.
    original[20..24].copy_from_slice(&0x2905_8C73u32.to_le_bytes());
    original[100..104].copy_from_slice(b"kept");
    memory.write("t.adi", original.clone());
    let files: Arc<dyn FileSystem> = Arc::new(memory.clone());
    reindex(&files, Path::new("t.adi"), 1 << 20, &mut FromLists(key_lists("own-alltypes.keys.txt"))).unwrap();
    let now = content(&memory, "t.adi");
    assert!(read_index(&now) == read_index(&original));
    assert_eq!(now[4..1024], original[4..1024]);
    assert!(now.len() <= original.len(), "{} of {}", now.len(), original.len());
    let order = |content: &[u8]| -> Vec<String> {
        memory.write("u.adi", content);
        let bag = Bag::open(memory.open(Path::new("u.adi")).unwrap()).unwrap();
        bag.tags().iter().map(|tag| tag.name.clone()).collect()
    };
    assert_eq!(order(&now), order(&original), "the first tag made is the first");
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let tag = TagSpec::new("T", "F1", KeyFamily::Character, 10);
    let bag = BagSpec::adi();
    let refused = [
        TagSpec { name: "A;B".into(), ..tag.clone() },
        TagSpec { name: "X".repeat(129), ..tag.clone() },
        TagSpec { key: vec![b'F'; 600], ..tag.clone() },
        TagSpec { key_length: 243, ..tag.clone() },
        TagSpec { custom: true, ..tag.clone() },
        TagSpec { partial: true, ..tag.clone() },
        TagSpec { ignore_case: true, ..tag.clone() },
        TagSpec { family: KeyFamily::Number, key_length: 4, ..tag.clone() },
    ];
    for spec in &refused {
        assert!(spec.header(&bag).is_err(), "{spec:?}");
    }
    assert_eq!(TagSpec { key_length: 242, ..tag.clone() }.header(&bag).unwrap().key_length, 242);
    let large = BagSpec { page_len: 8192, ..bag };
    assert!(TagSpec { key_length: 4082, ..tag.clone() }.header(&large).is_ok());
    assert!(tag.header(&BagSpec { pointers_are_pages: false, ..bag }).is_err());
    let made = TagSpec { unique: true, descending: true, ..tag }.header(&bag).unwrap();
    assert_eq!((made.candidate, made.unique, made.descending), (true, false, true));
}

#[test]
fn a_file_with_a_full_text_tag_or_an_unknown_collation_is_never_written_to() {
    let memory = Memory::new();
    let mut full_text = bytes("own-alltypes.adi");
    full_text[9 * 512 + 14] = 0x70;
    memory.write("t.adi", full_text.clone());
    let refused = BagWriter::open(file(&memory, "t.adi")).unwrap_err();
    assert_eq!(refused.code(), Code::Unsupported, "{refused}");
    let mut other = bytes("own-alltypes.adi");
    other[20..24].copy_from_slice(&0x1EF6_C429u32.to_le_bytes());
    memory.write("t.adi", other.clone());
    let mut writer = BagWriter::open(file(&memory, "t.adi")).unwrap();
    let header = writer.tags().next().unwrap().clone();
    writer.set_key_type(0, KeyType::new(&header, KeyFamily::Number, false).unwrap()).unwrap();
    assert_eq!(writer.insert(0, &[9; 8], 7).unwrap_err().code(), Code::Unsupported);
    writer.flush().unwrap();
    assert!(content(&memory, "t.adi") == other);
}
