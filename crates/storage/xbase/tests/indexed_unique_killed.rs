//! A program that is killed within a change leaves no old key in a UNIQUE tag: the next opening of the table undoes the
//! change. In other tags the record's next change detects an old key; in these it could not, because another record may
//! have the new key.

mod indexed_common;

use indexed_common::{compare, options, walk};
use mainstay_types::ValueRef;
use mainstay_vfs::{FileSystem, Simulated, explore};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable};
use mainstay_xbase::writer::Access;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn path() -> PathBuf {
    PathBuf::from("shop/t.dbf")
}

/// A table all of whose tags are UNIQUE, and changes by which keys come, go, and are those of another record.
fn work(system: &Simulated) -> bool {
    let mut is_ready = false;
    let mut run = || -> mainstay_types::Result<()> {
        let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
        system.create_folder(Path::new("shop"))?;
        let fields = vec![FieldSpec::new("NAME", b'C', 60, 0), FieldSpec::new("NOTE", b'C', 5, 0)];
        let spec = TableSpec::new(Format::FoxPro, fields);
        mainstay_xbase::writer::create(system, &path(), &spec, &options(Access::Exclusive))?;
        let mut table = IndexedTable::open(Arc::clone(&fs), &path(), options(Access::Exclusive))?;
        for name in ["Anna", "Bert", "Cora", "Dora"] {
            table.append(&[ValueRef::Text(name), ValueRef::Text("x")])?;
        }
        for (tag, key) in [("NAME", "NAME"), ("LETTER", "LEFT(NAME,1)")] {
            let spec = IndexSpec { unique: true, ..IndexSpec::new(tag, key) };
            table.create_index(None, BagKind::Cdx, &spec, Building::default())?;
        }
        table.close()?;
        let mut table = IndexedTable::open(Arc::clone(&fs), &path(), options(Access::Shared))?;
        is_ready = true;
        for (record, name) in [(1, "Bert"), (3, "Xenia"), (2, "Anna"), (3, "Yvonne"), (4, "Bert")] {
            table.update(record, &[(0, ValueRef::Text(name))])?;
            table.update(record, &[(1, ValueRef::Text(&name[..3]))])?;
        }
        table.append(&[ValueRef::Text("Cora"), ValueRef::Text("y")])?;
        table.append(&[ValueRef::Text("Cora"), ValueRef::Text("z")])?;
        table.close()
    };
    let _ = run();
    is_ready
}

/// Returns true if every key of every tag is that of its record.
fn has_own_keys_only(mut table: IndexedTable) -> Result<(), String> {
    let text = |error: mainstay_types::Error| error.to_string();
    for tag in table.tags() {
        for (key, record) in walk(&table.tag(tag.id).map_err(text)?).map_err(text)? {
            let mut bytes = Vec::new();
            table.read(u64::from(record), &mut bytes).map_err(text)?;
            if table.key_of(tag.id, u64::from(record), &bytes).map_err(text)?.as_ref() != Some(&key) {
                return Err(format!("{}: record {record} under {}", tag.name, String::from_utf8_lossy(&key)));
            }
        }
    }
    table.close().map_err(text)
}

#[test]
fn a_killed_change_leaves_unique_tags_with_the_keys_of_their_records() {
    let check = |system: &Simulated, is_ready: &bool| -> Result<(), String> {
        if !is_ready {
            return Ok(());
        }
        let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
        let table = IndexedTable::open(Arc::clone(&fs), &path(), options(Access::Shared));
        has_own_keys_only(table.map_err(|error| error.to_string())?)?;
        compare(&fs, &path(), &[])
    };
    let states = explore(0..0, work, check).unwrap_or_else(|error| panic!("{error}"));
    assert!(states > 50, "{states}");
}
