//! Helpers of the tests of index writing: the layouts and tags to try, a model to compare with, and the comparison.

use super::Seed;
use super::build::Item;
use mainstay_types::Result;
use mainstay_vfs::{Create, FileSystem, Memory, WritableFile};
use mainstay_xbase::index::write::{BagSpec, BagWriter, KeySorter, TagSpec};
use mainstay_xbase::index::{Bag, BagKind, KeyFamily, Tag};
use std::ops::{Bound, ControlFlow};
use std::path::Path;
use std::sync::Arc;

/// Every layout of a file.
pub fn layouts() -> Vec<BagSpec> {
    let harbour = BagSpec::harbour_cdx();
    vec![
        BagSpec::cdx(),
        harbour,
        BagSpec { page_len: 1024, pointers_are_pages: true, ..harbour },
        BagSpec { page_len: 8192, ..harbour },
        BagSpec::compact_idx(),
        BagSpec::plain_idx(),
        BagSpec::ntx(),
        BagSpec { pointers_are_pages: true, ..BagSpec::ntx() },
        BagSpec::compound_ntx(),
        BagSpec { pointers_are_pages: true, ..BagSpec::compound_ntx() },
        BagSpec::adi(),
        BagSpec { page_len: 2048, ..BagSpec::adi() },
    ]
}

/// A character tag.
pub fn text_tag(key_len: usize) -> TagSpec {
    TagSpec::new("NAME", "NAME", KeyFamily::Character, key_len)
}

/// Returns true if the tree of such a tag is in descending order.
pub fn is_falling(bag: &BagSpec, tag: &TagSpec) -> bool {
    tag.descending && matches!(bag.kind, BagKind::Ntx | BagKind::CompoundNtx)
}

/// A file in memory.
pub fn file(memory: &Memory, name: &str) -> Arc<dyn WritableFile> {
    memory.create(Path::new(name), Create::OpenOrCreate).unwrap()
}

/// The keys of items, collected.
pub fn sorter(bag: &BagSpec, tag: &TagSpec, items: &[Item]) -> KeySorter {
    let mut sorter = KeySorter::new(&tag.header(bag).unwrap());
    for (key, record) in items {
        sorter.push(key, *record).unwrap();
    }
    sorter
}

/// A file of one tag.
pub fn create(memory: &Memory, name: &str, bag: &BagSpec, tag: &TagSpec, items: &[Item]) -> BagWriter {
    BagWriter::create(file(memory, name), bag, [(tag.clone(), sorter(bag, tag, items))]).unwrap()
}

/// Opens a file of one tag for writing.
pub fn open_writer(memory: &Memory, name: &str, tag: &TagSpec) -> Result<BagWriter> {
    let mut writer = BagWriter::open(file(memory, name))?;
    let key_type = tag.key_type(&writer.spec())?;
    writer.set_key_type(0, key_type)?;
    Ok(writer)
}

/// The items of a tag in the order of bytes, and for equal keys in the order of the tree.
pub fn walk(tag: &Tag) -> Result<Vec<Item>> {
    let mut found = Vec::new();
    tag.range(Bound::Unbounded, Bound::Unbounded, |record, key| {
        found.push((key.to_vec(), record));
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// Sorts items as the walk of a tag lists them.
pub fn sort(items: &mut [Item], falling: bool) {
    items.sort();
    if falling {
        // The walk in the order of bytes goes backwards through the tree.
        items.sort_by(|left, right| left.0.cmp(&right.0).then(right.1.cmp(&left.1)));
    }
}

/// Opens what is in the file, checks every page of it and compares the tag with the items it must list.
pub fn compare(memory: &Memory, name: &str, bag: &BagSpec, tag: &TagSpec, wanted: &[Item], what: &str) {
    let opened = Bag::open(memory.open(Path::new(name)).unwrap()).unwrap();
    // The only tag of an IDX is named like its file.
    let number = if opened.tags().len() == 1 { 0 } else { opened.find(&tag.name).unwrap() };
    let key_type = tag.key_type(bag).unwrap();
    let types: Vec<_> = (0..opened.tags().len()).map(|other| (other == number).then_some(key_type)).collect();
    let mut findings = Vec::new();
    opened.check(None, &types, &mut findings);
    assert!(findings.is_empty(), "{what}: {findings:#?}");
    let reader = opened.tag(number, key_type).unwrap();
    let found = walk(&reader).unwrap();
    assert!(found == wanted, "{what}: {} of {} items, {}", found.len(), wanted.len(), first_difference(&found, wanted));
    assert_eq!(reader.key_count().unwrap(), wanted.len() as u64, "{what}");
    for (key, _) in wanted.iter().step_by(wanted.len() / 50 + 1) {
        assert!(reader.find(key).unwrap().is_some(), "{what}: a key is not found");
    }
}

fn first_difference(found: &[Item], wanted: &[Item]) -> String {
    let at = found.iter().zip(wanted).position(|(a, b)| a != b).unwrap_or(found.len().min(wanted.len()));
    format!("first at {at}: {:?} is not {:?}", found.get(at), wanted.get(at))
}

/// The expected entries of a tag after some operations.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The entries, in no order.
    pub items: Vec<Item>,
    /// The tag is unique.
    pub unique: bool,
    places: std::collections::HashMap<Item, usize>,
    keys: std::collections::HashMap<Vec<u8>, usize>,
}

impl Model {
    /// A model of these entries.
    pub fn new(unique: bool, items: &[Item]) -> Model {
        let mut model = Model { unique, ..Model::default() };
        let mut sorted = items.to_vec();
        sorted.sort();
        for item in sorted {
            model.insert(item);
        }
        model
    }

    /// Adds an entry; false if a tag would not.
    pub fn insert(&mut self, item: Item) -> bool {
        if self.places.contains_key(&item) || (self.unique && self.keys.get(&item.0).is_some_and(|count| *count > 0)) {
            return false;
        }
        *self.keys.entry(item.0.clone()).or_default() += 1;
        self.places.insert(item.clone(), self.items.len());
        self.items.push(item);
        true
    }

    /// Takes an entry out; false if it is not there.
    pub fn delete(&mut self, item: &Item) -> bool {
        let Some(place) = self.places.remove(item) else { return false };
        *self.keys.get_mut(&item.0).unwrap() -= 1;
        self.items.swap_remove(place);
        if let Some(moved) = self.items.get(place) {
            self.places.insert(moved.clone(), place);
        }
        true
    }

    /// The entries as a walk lists them.
    pub fn sorted(&self, falling: bool) -> Vec<Item> {
        let mut items = self.items.clone();
        sort(&mut items, falling);
        items
    }
}

/// Keys that look like those of a table: stems with many repetitions, numbers, blanks, and bytes of any value.
pub fn random_key(seed: &mut Seed, key_len: usize, variety: usize) -> Vec<u8> {
    let stems: [&[u8]; 6] = [b"Anna", b"Annabel", b"", b"Zoe, who has a long name", b"\xff\xfe", b"B"];
    let mut key = match seed.below(8) {
        0 => (0..key_len).map(|_| seed.below(256) as u8).collect(),
        1 => vec![b' '; key_len],
        _ => [stems[seed.below(6)], seed.below(variety).to_string().as_bytes()].concat(),
    };
    key.resize(key_len, b' ');
    key
}
