//! Helpers of the tests of tables with indexes: a table with tags of all kinds, and the comparison of its maintained
//! indexes with new ones.

#![allow(dead_code)]

use mainstay_types::{Date, Result, Timestamp, Value, ValueRef};
use mainstay_vfs::{Create, FileSystem, Memory};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::index::{Bag, BagKind, Tag};
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable};
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::ops::{Bound, ControlFlow};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub type Entry = (Vec<u8>, u32);

pub fn options(access: Access) -> WriteOptions {
    let clock = || Timestamp::new(Date::from_ymd(2026, 11, 22).unwrap(), 0);
    WriteOptions { clock, ..WriteOptions::new(access) }
}

/// A table of names, numbers, days, truths and notes.
pub fn table_spec(format: Format) -> TableSpec {
    let fields = vec![
        FieldSpec::new("name", b'C', 12, 0),
        FieldSpec::new("number", b'N', 8, 2),
        FieldSpec::new("born", b'D', 8, 0),
        FieldSpec::new("here", b'L', 1, 0),
        FieldSpec::new("note", b'M', 0, 0),
    ];
    TableSpec::new(format, fields)
}

/// Tags of many kinds over that table.
pub fn tag_specs() -> Vec<IndexSpec> {
    let condition = |spec: IndexSpec, text: &str| IndexSpec { condition: Some(text.into()), ..spec };
    vec![
        IndexSpec::new("NAME", "UPPER(NAME)"),
        IndexSpec { descending: true, ..IndexSpec::new("NUMBER", "NUMBER") },
        IndexSpec::new("BORN", "DTOS(BORN)+NAME"),
        condition(IndexSpec::new("HERE", "NAME"), "HERE .AND. .NOT. DELETED()"),
        IndexSpec { unique: true, ..IndexSpec::new("FIRST", "LEFT(NAME,2)") },
        IndexSpec::new("RECENT", "STR(RECNO(),7)"),
        condition(IndexSpec { descending: true, ..IndexSpec::new("LIVE", "BORN") }, ".NOT. DELETED()"),
    ]
}

pub fn create(fs: &Arc<dyn FileSystem>, path: &Path, spec: &TableSpec) {
    writer::create(&**fs, path, spec, &options(Access::Exclusive)).unwrap();
}

pub fn open(fs: &Arc<dyn FileSystem>, path: &Path, access: Access) -> IndexedTable {
    IndexedTable::open(Arc::clone(fs), path, options(access)).unwrap()
}

/// Gives the table these tags: in its structural CDX, or in files of their own, whose paths are given.
pub fn index(table: &mut IndexedTable, kind: BagKind, specs: &[IndexSpec]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for spec in specs {
        let path = file_of(table.path(), kind, &spec.name);
        // Tags that the format does not support are left out.
        if kind == BagKind::PlainIdx && spec.descending {
            continue;
        }
        table.create_index(path.as_deref(), kind, spec, Building::default()).unwrap();
        if let Some(path) = path.filter(|path| !files.contains(path)) {
            files.push(path);
        }
    }
    files
}

fn file_of(table: &Path, kind: BagKind, name: &str) -> Option<PathBuf> {
    let folder = table.parent().unwrap();
    let extension = match kind {
        BagKind::Cdx => return None,
        BagKind::CompoundNtx => return Some(folder.join("all.ntx")),
        BagKind::Ntx => "ntx",
        BagKind::CompactIdx | BagKind::PlainIdx => "idx",
        BagKind::Adi => "adi",
    };
    Some(folder.join(name.to_lowercase()).with_extension(extension))
}

/// The entries of a tag, in the order of the file.
pub fn walk(tag: &Tag) -> Result<Vec<Entry>> {
    let mut found = Vec::new();
    tag.range(Bound::Unbounded, Bound::Unbounded, |record, key| {
        found.push((key.to_vec(), record));
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// A copy of all files of a folder.
pub fn copy(fs: &dyn FileSystem, folder: &Path) -> Arc<dyn FileSystem> {
    let memory = Memory::new();
    memory.create_folder(folder).unwrap();
    for entry in fs.list(folder).unwrap().iter().filter(|entry| !entry.is_folder) {
        let file = memory.create(&entry.path, Create::Truncate).unwrap();
        file.write_at(&fs.read(&entry.path).unwrap(), 0).unwrap();
    }
    Arc::new(memory)
}

/// All tags of a table, with their entries; what is wrong with a page is an error.
pub fn entries(fs: &Arc<dyn FileSystem>, path: &Path, files: &[PathBuf]) -> Result<Vec<(String, bool, Vec<Entry>)>> {
    let mut table = IndexedTable::open(Arc::clone(fs), path, options(Access::Shared))?;
    for file in files {
        table.open_bag(file)?;
    }
    let bags: Vec<PathBuf> = table.bags().map(Path::to_owned).collect();
    let infos = table.tags();
    for (number, bag) in bags.iter().enumerate() {
        let of_bag: Vec<_> = infos.iter().filter(|info| info.id.bag == number).map(|info| info.id).collect();
        // As the keys show the tags to be, their order included.
        let types: Vec<_> = of_bag.iter().map(|id| table.tag(*id).ok().map(|tag| tag.key_type())).collect();
        let mut findings = Vec::new();
        let count = u32::try_from(table.count()?).unwrap();
        Bag::open(fs.open(bag)?)?.check(Some(count), &types, &mut findings);
        if let Some(finding) = findings.first() {
            return Err(mainstay_types::Error::new(mainstay_types::Code::IndexDamaged, finding.to_string()));
        }
    }
    let mut found = Vec::new();
    for info in infos {
        let tag = table.tag(info.id)?;
        found.push((info.name.clone(), info.unique, walk(&tag)?));
    }
    Ok(found)
}

/// Compares the indexes as they are with indexes made anew from the records of a copy.
pub fn compare(fs: &Arc<dyn FileSystem>, path: &Path, files: &[PathBuf]) -> std::result::Result<(), String> {
    let text = |error: mainstay_types::Error| error.to_string();
    let kept_up = entries(&copy(&**fs, path.parent().unwrap()), path, files).map_err(text)?;
    let anew = copy(&**fs, path.parent().unwrap());
    let mut table = IndexedTable::open(Arc::clone(&anew), path, options(Access::Exclusive)).map_err(text)?;
    for file in files {
        table.open_bag(file).map_err(text)?;
    }
    table.reindex(&mut |_, _| ControlFlow::Continue(())).map_err(text)?;
    table.close().map_err(text)?;
    let anew = entries(&anew, path, files).map_err(text)?;
    for ((name, unique, found), (_, _, wanted)) in kept_up.iter().zip(&anew) {
        // A unique tag that was kept up may list another record of a key, or none once the first is gone.
        let mut keys: Vec<&[u8]> = found.iter().map(|(key, _)| key.as_slice()).collect();
        keys.dedup();
        // Programs differ in the order of equal keys.
        let sorted = |entries: &[Entry]| {
            let mut entries = entries.to_vec();
            entries.sort_unstable();
            entries
        };
        let same = match unique {
            false => found == wanted || sorted(found) == sorted(wanted),
            true => keys.len() == found.len() && keys.iter().all(|key| wanted.iter().any(|(other, _)| other == key)),
        };
        if !same {
            let extra = found.iter().find(|entry| !wanted.contains(entry));
            let missing = wanted.iter().find(|entry| !found.contains(entry));
            return Err(format!(
                "tag {name}: {} entries of {}; one too many: {extra:?}; missing: {missing:?}",
                found.len(),
                wanted.len()
            ));
        }
    }
    Ok(())
}

/// The values of a record made from a number.
pub fn values(seed: u64) -> Vec<Value> {
    let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    let names = ["Anna", "Bert", "Cleo", "annabel", "Zoe", "", "Dora"];
    let born = Date::from_ymd(1950 + (mixed % 70) as i32, 1 + (mixed % 12) as u32, 1 + (mixed % 28) as u32);
    vec![
        Value::Text(format!("{}{}", names[mixed as usize % names.len()], mixed % 50)),
        Value::Float((mixed % 20_000) as f64 / 100.0 - 100.0),
        if mixed.is_multiple_of(9) { Value::Null } else { born.map_or(Value::Null, Value::Date) },
        Value::Boolean(mixed.is_multiple_of(3)),
        if mixed.is_multiple_of(4) { Value::Null } else { Value::Text("note ".repeat(mixed as usize % 60)) },
    ]
}

/// Values as the calls take them.
pub fn refs(values: &[Value]) -> Vec<ValueRef<'_>> {
    values.iter().map(Value::as_ref).collect()
}
