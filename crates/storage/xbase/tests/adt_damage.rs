//! Damaged ADT tables and memo files: whatever the bytes are, opening, reading, checking and changing end with values, findings or
//! an error.

#![allow(clippy::disallowed_methods)]

mod dbf_support;

use dbf_support::fixtures;
use mainstay_types::ValueRef;
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::dbf::{Dbf, OpenOptions, check};
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::memo::Memo;
use mainstay_xbase::writer::{Access, WriteOptions, decode};
use std::path::Path;
use std::sync::Arc;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }
}

/// Changes a few bytes, mostly of the header, or cuts the end off.
fn damage(random: &mut Random, bytes: &mut Vec<u8>, header: usize) {
    for _ in 0..1 + random.below(4) {
        let limit = if random.below(3) == 0 { bytes.len() } else { header.min(bytes.len()) };
        let at = random.below(limit);
        let value = [0, 1, 0x7F, 0x80, 0xFF, random.below(256) as u8][random.below(6)];
        if let Some(byte) = bytes.get_mut(at) {
            *byte = value;
        }
    }
    if random.below(8) == 0 {
        bytes.truncate(random.below(bytes.len()));
    }
}

/// Reads everything; whether there was a table.
fn read(fs: &Arc<dyn FileSystem>) -> bool {
    let file = fs.open(Path::new("t.adt")).unwrap();
    let Ok(dbf) = Dbf::open(file, OpenOptions::default()) else { return false };
    let memo = fs.open(Path::new("t.adm")).and_then(|file| Memo::open(file, b'A')).ok();
    let mut findings = Vec::new();
    let _ = check(&dbf, memo.as_ref(), &mut findings);
    let mut record = Vec::new();
    for row in 0..dbf.read_count().unwrap().min(20) {
        dbf.read_record(row, &mut record).unwrap();
        for field in 0..dbf.fields().len() {
            let _ = decode(&dbf, memo.as_ref(), field, &record);
        }
    }
    true
}

/// Changes what can be changed.
fn change(fs: &Arc<dyn FileSystem>) {
    let options = WriteOptions::new(Access::Exclusive);
    let Ok(mut table) = IndexedTable::open(Arc::clone(fs), Path::new("t.adt"), options) else { return };
    let _ = table.append_blank();
    let _ = table.delete(1);
    let _ = table.delete(2);
    let _ = table.append_some(&[(1, ValueRef::Text("x"))]);
    let _ = table.recall(1);
    let _ = table.close();
}

#[test]
fn damaged_tables_are_read_and_changed_without_harm() {
    let folder = fixtures().join("adt");
    let bytes = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    for (name, memo) in [("own-alltypes", true), ("openads-landlords", true), ("abrgru", false), ("rubytest", false)] {
        let table = bytes(&format!("{name}.adt"));
        let header = u32::from_le_bytes(table[32..36].try_into().unwrap()) as usize;
        let adm = if memo { bytes(&format!("{name}.adm")) } else { Vec::new() };
        let mut opened = 0;
        for _ in 0..300 {
            let memory = Memory::new();
            let (mut table, mut adm) = (table.clone(), adm.clone());
            damage(&mut random, &mut table, header);
            damage(&mut random, &mut adm, 1024);
            memory.write("t.adt", table);
            if memo {
                memory.write("t.adm", adm);
            }
            let fs: Arc<dyn FileSystem> = Arc::new(memory);
            opened += usize::from(read(&fs));
            change(&fs);
            read(&fs);
        }
        assert!(opened > 20, "{name}: hardly any damaged table is one");
    }
}
