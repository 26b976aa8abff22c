//! Damaged tables, indexes and journals that are written to: an error, or a change, never a crash of the program.

mod indexed_common;

use indexed_common::{create, index, open, options, refs, table_spec, tag_specs, values};
use mainstay_types::ValueRef;
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::dbf::Format;
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{self, IndexedTable, Transaction};
use mainstay_xbase::lock::LockWait;
use mainstay_xbase::writer::{Access, WriteOptions};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

struct Seed(u64);

impl Seed {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end.max(1)
    }
}

fn path() -> &'static Path {
    Path::new("shop/t.dbf")
}

/// The files of a table with indexes and, if it is wanted, a transaction that was cut off.
fn prepared(kind: BagKind, cut_off: bool) -> (Vec<(PathBuf, Vec<u8>)>, Vec<PathBuf>) {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    create(&fs, path(), &table_spec(Format::FoxPro));
    let mut table = open(&fs, path(), Access::Exclusive);
    for seed in 0..60 {
        table.append(&refs(&values(seed))).unwrap();
    }
    let files = index(&mut table, kind, &tag_specs());
    table.close().unwrap();
    if cut_off {
        let mut table = open(&fs, path(), Access::Shared);
        files.iter().for_each(|file| assert!(table.open_bag(file).is_ok()));
        let transaction = Transaction::begin(Arc::clone(&fs));
        table.enlist(&transaction).unwrap();
        table.append(&refs(&values(61))).unwrap();
        table.update(3, &[(0, ValueRef::Text("changed")), (4, ValueRef::Text("a note"))]).unwrap();
        table.delete(9).unwrap();
        // Nobody ends it: so does a process that is killed.
    }
    let mut found = Vec::new();
    for folder in ["shop", "shop/.mainstay-transactions"] {
        for entry in fs.list(Path::new(folder)).unwrap_or_default() {
            if !entry.is_folder {
                found.push((entry.path.clone(), fs.read(&entry.path).unwrap()));
            }
        }
    }
    (found, files)
}

fn damage(bytes: &mut Vec<u8>, seed: &mut Seed) {
    for _ in 0..1 + seed.below(4) {
        let near = if seed.below(2) == 0 { bytes.len().min(200) } else { bytes.len() };
        let at = seed.below(near);
        match seed.below(5) {
            0 => bytes.truncate(at),
            1 => bytes.extend_from_within(at..),
            2 => bytes[at..].iter_mut().take(40).for_each(|byte| *byte = 0xFF),
            _ if bytes.is_empty() => {}
            _ => bytes[at] = seed.below(256) as u8,
        }
        if bytes.is_empty() {
            return;
        }
    }
}

/// All that can be done with a table; errors are no matter.
fn use_it(fs: &Arc<dyn FileSystem>, files: &[PathBuf], access: Access) {
    let wait = LockWait { timeout: Duration::ZERO, ..LockWait::default() };
    let Ok(mut table) = IndexedTable::open(Arc::clone(fs), path(), WriteOptions { wait, ..options(access) }) else {
        return;
    };
    for file in files {
        let _ = table.open_bag(file);
    }
    for seed in 0..8u64 {
        let new = values(seed * 17);
        let record = 1 + seed * 7;
        let _ = table.append_some(&[(0, new[0].as_ref())]);
        let _ = table.update(record, &[(0, new[0].as_ref())]);
        let _ = table.set_deleted(record, seed.is_multiple_of(2));
        let _ = table.atomically(|table| {
            table.append_blank()?;
            table.update(record, &[(1, new[1].as_ref())])
        });
        let mut bytes = Vec::new();
        let _ = table.read(record, &mut bytes);
        for info in table.tags() {
            let _ = table.key_of(info.id, record, &bytes);
            let _ = table.with_tag(info.id, |tag| tag.key_count());
        }
    }
    if access == Access::Exclusive {
        let _ = table.pack(&mut |_, _| ControlFlow::Continue(()));
        let _ = table.reindex(&mut |_, _| ControlFlow::Continue(()));
        let _ = table.zap();
    }
    let _ = table.close();
}

#[test]
fn writing_to_damaged_files_never_panics() {
    for kind in [BagKind::Cdx, BagKind::Ntx, BagKind::PlainIdx] {
        for cut_off in [false, true] {
            let (sound, files) = prepared(kind, cut_off);
            let total: usize = sound.iter().map(|(_, bytes)| bytes.len()).sum();
            for number in 1..=60u64 {
                let mut seed = Seed(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
                let memory = Memory::new();
                memory.create_folder(Path::new("shop")).unwrap();
                // With a journal, mostly that; else the table or an index.
                let chosen = match cut_off && seed.below(3) > 0 {
                    true => sound.iter().position(|(path, _)| path.extension().is_some_and(|e| e == "undo")).unwrap(),
                    false => seed.below(sound.len()),
                };
                for (at, (path, bytes)) in sound.iter().enumerate() {
                    let mut bytes = bytes.clone();
                    if at == chosen {
                        damage(&mut bytes, &mut seed);
                    }
                    memory.write(path.to_str().unwrap(), bytes);
                }
                let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
                let access = if number.is_multiple_of(2) { Access::Shared } else { Access::Exclusive };
                use_it(&fs, &files, access);
                if number.is_multiple_of(4) {
                    let _ =
                        indexed::repair(&fs, path(), Path::new("shop/new.dbf"), &options(Access::Exclusive), &files);
                }
                let after: u64 = [path().to_owned(), path().with_extension("cdx")]
                    .iter()
                    .filter_map(|path| fs.stamp(path).ok())
                    .map(|stamp| stamp.len)
                    .sum();
                assert!(after < 40 * total as u64, "{kind:?} {number}: the files have grown to {after} bytes");
            }
        }
    }
}
