//! Changes to a table without evaluating expressions: records change places, and copies of records are appended. Every
//! key that the table then needs is in its indexes already.

use super::Seed;
use super::written::{Model, sort, walk};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::index::write::BagWriter;
use mainstay_xbase::index::{Bag, BagKind, KeyFamily, KeyType};
use std::collections::HashMap;
use std::path::Path;

/// The state of a tag before a change.
struct Known {
    bag: usize,
    tag: usize,
    name: String,
    key_type: KeyType,
    /// The key of each record that the tag lists, or would list if it were not unique.
    keys: HashMap<u32, Vec<u8>>,
    model: Model,
}

/// A table and its indexes in memory, with the changes made to both.
pub struct Patched {
    pub memory: Memory,
    dbf: Vec<u8>,
    bags: Vec<String>,
    known: Vec<Known>,
    writers: Vec<BagWriter>,
}

impl Patched {
    /// Takes a table and its indexes; `family` says of which type a tag's keys are, and `base` of which tag the keys
    /// begin with those of a unique tag.
    pub fn new(
        dbf: Vec<u8>,
        bags: &[(String, Vec<u8>)],
        family: impl Fn(&str) -> KeyFamily,
        base: impl Fn(&str) -> &'static str,
    ) -> Patched {
        let memory = Memory::new();
        let (mut known, mut writers, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for (place, (name, content)) in bags.iter().enumerate() {
            memory.write(name, content.clone());
            let bag = Bag::open(memory.open(Path::new(name)).unwrap()).unwrap();
            let mut writer = BagWriter::open(super::written::file(&memory, name)).unwrap();
            for (tag, header) in bag.tags().iter().enumerate() {
                let key_type = KeyType::new(header, family(&header.name), false).unwrap();
                writer.set_key_type(tag, key_type).unwrap();
                let items = walk(&bag.tag(tag, key_type).unwrap()).unwrap();
                let keys = items.iter().map(|(key, record)| (*record, key.clone())).collect();
                let (name, model) = (header.name.clone(), Model::new(header.unique, &items));
                known.push(Known { bag: place, tag, name, key_type, keys, model });
            }
            writers.push(writer);
            names.push(name.clone());
        }
        for unique in (0..known.len()).filter(|place| known[*place].model.unique).collect::<Vec<_>>() {
            let name = base(&known[unique].name);
            let base: &Known = known.iter().find(|known| known.name == name).unwrap();
            let len = known[unique].key_type.key_len();
            let keys = base.keys.iter().map(|(record, key)| (*record, key[..len].to_vec())).collect();
            known[unique].keys = keys;
        }
        Patched { memory, dbf, bags: names, known, writers }
    }

    fn record_range(&self, record: u32) -> std::ops::Range<usize> {
        let number = |at: usize| usize::from(u16::from_le_bytes([self.dbf[at], self.dbf[at + 1]]));
        let start = number(8) + (record as usize - 1) * number(10);
        start..start + number(10)
    }

    fn record_count(&self) -> u32 {
        u32::from_le_bytes(self.dbf[4..8].try_into().unwrap())
    }

    /// Makes some changes, and writes the index files now and then.
    pub fn change(&mut self, changes: usize, seed: &mut Seed) {
        for step in 0..changes {
            let mut record = || 1 + seed.below(self.record_count() as usize) as u32;
            let (first, second) = (record(), record());
            if first % 3 == 0 || first == second {
                self.append_copy(first);
            } else {
                self.swap(first, second);
            }
            if step % 9 == 0 {
                self.writers.iter_mut().for_each(|writer| writer.flush().unwrap());
            }
        }
        self.writers.iter_mut().for_each(|writer| writer.sync().unwrap());
    }

    fn append_copy(&mut self, record: u32) {
        let count = self.record_count();
        let copy = self.dbf[self.record_range(record)].to_vec();
        let end = self.record_range(count).end;
        self.dbf.truncate(end);
        self.dbf.extend(copy);
        self.dbf.push(0x1A);
        self.dbf[4..8].copy_from_slice(&(count + 1).to_le_bytes());
        for known in &mut self.known {
            let Some(key) = known.keys.get(&record).cloned() else { continue };
            let added = self.writers[known.bag].insert(known.tag, &key, count + 1).unwrap();
            assert_eq!(added, known.model.insert((key.clone(), count + 1)));
            known.keys.insert(count + 1, key);
        }
    }

    fn swap(&mut self, first: u32, second: u32) {
        let (a, b) = (self.record_range(first), self.record_range(second));
        let (old_a, old_b) = (self.dbf[a.clone()].to_vec(), self.dbf[b.clone()].to_vec());
        self.dbf[a].copy_from_slice(&old_b);
        self.dbf[b].copy_from_slice(&old_a);
        for known in &mut self.known {
            let keys = [known.keys.remove(&first), known.keys.remove(&second)];
            let writer = &mut self.writers[known.bag];
            let before = [(first, &keys[0]), (second, &keys[1])];
            let after = [(first, &keys[1]), (second, &keys[0])];
            for (record, key) in before {
                let Some(key) = key else { continue };
                let removed = writer.delete(known.tag, key, record).unwrap();
                assert_eq!(removed, known.model.delete(&(key.clone(), record)));
                assert!(removed || known.model.unique);
            }
            for (record, key) in after {
                let Some(key) = key else { continue };
                let added = writer.insert(known.tag, key, record).unwrap();
                assert_eq!(added, known.model.insert((key.clone(), record)));
                assert!(added || known.model.unique);
                known.keys.insert(record, key.clone());
            }
        }
    }

    /// Compares every tag with what it must list, and checks every page. Where another program had equal keys in
    /// another order than that of records, only the keys' order counts.
    pub fn compare(&self, what: &str) {
        for (place, name) in self.bags.iter().enumerate() {
            let bag = Bag::open(self.memory.open(Path::new(name)).unwrap()).unwrap();
            let mut findings = Vec::new();
            bag.check(Some(self.record_count()), &[], &mut findings);
            assert!(findings.is_empty(), "{what}, {name}: {findings:#?}");
            for known in self.known.iter().filter(|known| known.bag == place) {
                let tag = bag.tag(known.tag, known.key_type).unwrap();
                let is_ntx = matches!(bag.kind(), BagKind::Ntx | BagKind::CompoundNtx);
                let (mut found, mut wanted) = (walk(&tag).unwrap(), known.model.items.clone());
                assert!(found.is_sorted_by(|a, b| a.0 <= b.0), "{what}, {name}, {}", known.name);
                if is_ntx {
                    sort(&mut found, false);
                }
                sort(&mut wanted, false);
                assert!(found == wanted, "{what}, {name}, {}", known.name);
            }
        }
    }

    /// The table and its indexes as they are now.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        self.bags.iter().map(|name| (name.clone(), self.memory.read(Path::new(name)).unwrap())).collect()
    }

    /// The table as it is now.
    pub fn dbf(&self) -> &[u8] {
        &self.dbf
    }
}
