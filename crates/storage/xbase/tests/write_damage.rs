//! Writing to tables and memo files whose bytes are not what they should be: an error or a change that is read
//! back, never a crash, and never a file that grows without reason.

use mainstay_types::ValueRef;
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::writer::{self, Access, TableWriter, WriteOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count.max(1) as u64) as usize
    }
}

fn options(access: Access) -> WriteOptions {
    let mut options = WriteOptions::new(access);
    options.wait.timeout = Duration::ZERO;
    options
}

/// A sound table with memos and free blocks: its two files.
fn sound(format: Format) -> (Vec<u8>, &'static str, Vec<u8>) {
    let field = FieldSpec::new;
    let mut fields = vec![field("name", b'C', 8, 0), field("number", b'N', 6, 2), field("note", b'M', 0, 0)];
    match format {
        Format::VisualFoxPro => fields.extend([field("v", b'V', 9, 0), field("i", b'I', 0, 0).nullable()]),
        Format::Six => fields.extend([field("any", b'V', 9, 0), field("id", b'+', 4, 0)]),
        _ => {}
    }
    let spec = TableSpec { memo_block_size: 64, ..TableSpec::new(format, fields) };
    let memory = Memory::new();
    let path = Path::new("t.dbf");
    writer::create(&memory, path, &spec, &options(Access::Exclusive)).unwrap();
    let mut table = TableWriter::open(Arc::new(memory.clone()), path, options(Access::Exclusive)).unwrap();
    for number in 0..12usize {
        let note = "memo text ".repeat(number * 3 + 1);
        table.append(&[ValueRef::Text("name"), ValueRef::Integer(number as i64), ValueRef::Text(&note)]).unwrap();
    }
    for number in 0..12 {
        table
            .update(number + 1, &[(2, ValueRef::Text(if number % 2 == 0 { "short" } else { "another one" }))])
            .unwrap();
    }
    table.close().unwrap();
    let memo = ["t.fpt", "t.dbt", "t.smt"].into_iter().find(|memo| memory.stamp(Path::new(memo)).is_ok()).unwrap();
    (memory.read(path).unwrap(), memo, memory.read(Path::new(memo)).unwrap())
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        // Mostly where it hurts: headers, lists of free blocks.
        let near = if random.below(3) > 0 { bytes.len().min(160) } else { bytes.len() };
        let at = random.below(near.max(1));
        match random.below(6) {
            0 => bytes.truncate(random.below(bytes.len() + 1)),
            1 => bytes.extend(std::iter::repeat_n(0x20, random.below(600))),
            2 if at + 4 <= bytes.len() => bytes[at..at + 4].fill(0xFF),
            _ if at < bytes.len() => {
                bytes[at] = [0, 1, 0xFF, 0x7F, 0x80, 0x20, 0x2A][random.below(7)] ^ random.below(2) as u8
            }
            _ => {}
        }
    }
}

#[test]
fn damaged_files_are_refused_or_written_to_without_harm() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (mut opened, mut refused) = (0, 0);
    for format in [Format::DbaseThree, Format::DbaseFour, Format::FoxPro, Format::Six, Format::VisualFoxPro] {
        let (table, memo_name, memo) = sound(format);
        for _ in 0..1500 {
            let (mut table, mut memo) = (table.clone(), memo.clone());
            if random.below(2) == 0 {
                damage(&mut table, &mut random);
            }
            damage(&mut memo, &mut random);
            let memory = Memory::new();
            let most = table.len() + memo.len() + (1 << 20);
            memory.write("t.dbf", table);
            memory.write(memo_name, memo);
            let access = [Access::Exclusive, Access::Shared][random.below(2)];
            match change(&memory, access) {
                true => opened += 1,
                false => refused += 1,
            }
            let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
            let _ = writer::repair(&fs, Path::new("t.dbf"), Path::new("new.dbf"), &options(Access::Exclusive));
            let grown: usize = memory
                .list(Path::new(""))
                .unwrap()
                .iter()
                .filter(|entry| !entry.path.starts_with("new"))
                .map(|entry| memory.read(&entry.path).unwrap().len())
                .sum();
            assert!(grown < 2 * most, "{format:?}: {grown} bytes");
        }
    }
    assert!(opened > 500 && refused > 500, "{opened} opened, {refused} refused");
}

/// Does a bit of everything; whether the table could be opened.
fn change(memory: &Memory, access: Access) -> bool {
    let Ok(mut table) = TableWriter::open(Arc::new(memory.clone()), Path::new("t.dbf"), options(access)) else {
        return false;
    };
    let values = [ValueRef::Text("new"), ValueRef::Integer(7), ValueRef::Text("a note of some length, and more")];
    if let Ok(record) = table.append(&values) {
        let mut bytes = Vec::new();
        table.read(record, &mut bytes).unwrap();
        assert_eq!(bytes.len(), table.dbf().header().record_bytes());
    }
    let _ = table.append_many([&values[..], &values[..]]);
    for record in [1, 5, 12, 13] {
        let _ = table.update(record, &[(2, ValueRef::Text("changed")), (0, ValueRef::Text("x"))]);
        let _ = table.update(record, &[(2, ValueRef::Null)]);
        let _ = table.set_deleted(record, record == 5);
    }
    let _ = table.flush();
    if access == Access::Exclusive {
        let _ = table.pack();
        let _ = table.zap();
    }
    let _ = table.close();
    true
}
