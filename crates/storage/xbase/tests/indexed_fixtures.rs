//! Tables and indexes that Harbour and other programs made, changed here: every tag stays what a new index would be.

mod indexed_common;

use indexed_common::{compare, create, open, options};
use mainstay_types::{Code, Result, ValueRef};
use mainstay_vfs::{Create, Disk, FileSystem, Memory};
use mainstay_xbase::dbf::{FieldKind, FieldSpec, Format, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable};
use mainstay_xbase::writer::Access;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn fixtures() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures")).to_owned()
}

/// A copy of a table with all files of its name, and the index files named here.
fn copied(table: &str, indexes: &[&str]) -> (Arc<dyn FileSystem>, PathBuf, Vec<PathBuf>) {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let from = fixtures().join(table);
    let stem = from.file_stem().unwrap().to_owned();
    for entry in Disk.list(from.parent().unwrap()).unwrap() {
        let name = entry.path.file_name().unwrap().to_str().unwrap().to_owned();
        if entry.is_folder || entry.path.file_stem() != Some(&stem) && !indexes.contains(&&*name) {
            continue;
        }
        let file = memory.create(&Path::new("shop").join(&name), Create::New).unwrap();
        file.write_at(&Disk.read(&entry.path).unwrap(), 0).unwrap();
    }
    let path = Path::new("shop").join(from.file_name().unwrap());
    (Arc::new(memory), path, indexes.iter().map(|name| Path::new("shop").join(name)).collect())
}

/// Gives a record the values that another has, in all fields that keys can be made of.
fn copy_values(table: &mut IndexedTable, from: u64, to: u64) -> Result<()> {
    let mut bytes = Vec::new();
    table.read(from, &mut bytes)?;
    let mut values = Vec::new();
    for (number, field) in table.fields().iter().enumerate() {
        let counts = table.dbf().counter(number).is_some();
        let is_plain = !matches!(field.kind, FieldKind::Unknown | FieldKind::RowVersion | FieldKind::ModificationTime);
        if is_plain && !field.kind.needs_memo() && !counts {
            values.push((number, table.value(number, &bytes)?));
        }
    }
    let values: Vec<(usize, ValueRef<'_>)> = values.iter().map(|(number, value)| (*number, value.as_ref())).collect();
    if to == 0 { table.append_some(&values).map(drop) } else { table.update(to, &values).map(drop) }
}

fn change_a_lot(table: &str, indexes: &[&str], access: Access) {
    let (fs, path, files) = copied(table, indexes);
    compare(&fs, &path, &files).unwrap_or_else(|complaint| panic!("{table} as it came: {complaint}"));
    let mut open = IndexedTable::open(Arc::clone(&fs), &path, options(access)).unwrap();
    for file in &files {
        open.open_bag(file).unwrap();
    }
    let tags = open.tags();
    assert!(!tags.is_empty(), "{table}");
    let refused: Vec<&str> = tags.iter().filter(|tag| tag.refusal.is_some()).map(|tag| tag.name.as_str()).collect();
    assert!(refused.is_empty(), "{table}: {refused:?}");
    let count = open.count().unwrap();
    let mut changed = 0;
    for step in 0..300u64 {
        let (from, to) = (1 + step * 7919 % count, 1 + step * 104_729 % count);
        let done = match step % 5 {
            0 | 1 => copy_values(&mut open, from, to),
            2 => copy_values(&mut open, from, 0),
            3 => open.delete(to).map(drop),
            _ => open.recall(to - 1).or_else(|_| open.recall(to)).map(drop),
        };
        match done {
            Ok(()) => changed += 1,
            // A value in the table may be one that the field cannot have.
            Err(error) => {
                assert!(matches!(error.code(), Code::InvalidValue | Code::UniqueViolation), "{table}: {error}")
            }
        }
    }
    assert!(changed > 200, "{table}: {changed}");
    open.close().unwrap();
    compare(&fs, &path, &files).unwrap_or_else(|complaint| panic!("{table} {access:?}: {complaint}"));
}

#[test]
fn tags_of_other_programs_are_kept_up() {
    let ntx = ["t05code.ntx", "t05comp.ntx", "t05desc.ntx", "t05dt.ntx", "t05neg.ntx", "t05num.ntx", "t05uniq.ntx"];
    for access in [Access::Shared, Access::Exclusive] {
        change_a_lot("t03_cdx_tags.dbf", &[], access);
        change_a_lot("t04_cdx_updated.dbf", &[], access);
        change_a_lot("t05_ntx.dbf", &ntx, access);
        change_a_lot("t07_vfp.dbf", &[], access);
    }
}

#[test]
fn tags_with_text_in_any_code_page_are_kept_up() {
    let ntx = ["m01_cp737", "m01_cp850", "m01_cp852", "m01_cp857", "m01_kamenicky", "m01_mazovia", "m21_no_rows_ntx"];
    let cdx = ["m01_cp1250", "m01_cp1251", "m01_cp1252", "m01_cp1253", "m01_cp1254", "m01_cp866", "m10_long_life"];
    for table in cdx.into_iter().chain(["m11_two_bags", "m18_key_types", "m21_all_deleted"]) {
        change_a_lot(&format!("more/{table}.dbf"), &[], Access::Shared);
    }
    for table in ntx.into_iter().chain(["m15_ntx_compound"]) {
        let index = format!("{table}.ntx");
        if table != "m21_no_rows_ntx" {
            change_a_lot(&format!("more/{table}.dbf"), &[&index], Access::Shared);
        }
    }
    change_a_lot("more/m19_unique_updates.dbf", &[], Access::Exclusive);
    for (table, index) in [("m21_no_rows", None), ("m21_no_rows_ntx", Some("m21_no_rows_ntx.ntx"))] {
        let indexes: Vec<&str> = index.into_iter().collect();
        let (fs, path, files) = copied(&format!("more/{table}.dbf"), &indexes);
        let mut open = IndexedTable::open(Arc::clone(&fs), &path, options(Access::Shared)).unwrap();
        files.iter().for_each(|file| assert!(open.open_bag(file).is_ok()));
        (1..=200).for_each(|number| assert!(open.append_some(&[(0, ValueRef::Integer(number * 37 % 101))]).is_ok()));
        open.close().unwrap();
        compare(&fs, &path, &files).unwrap_or_else(|complaint| panic!("{table}: {complaint}"));
    }
}

/// Keys in the order of a national code page of Harbour, which the file does not tell of.
#[test]
fn tags_in_a_national_order_are_kept_up_in_it() {
    for (table, index) in [("m02_pl1250_collated", None), ("m02_pl852_collated", Some("m02_pl852_collated.ntx"))] {
        let indexes: Vec<&str> = index.into_iter().collect();
        let (fs, path, files) = copied(&format!("more/{table}.dbf"), &indexes);
        let bag = path.with_extension(if index.is_some() { "ntx" } else { "cdx" });
        for access in [Access::Shared, Access::Exclusive] {
            let mut open = IndexedTable::open(Arc::clone(&fs), &path, options(access)).unwrap();
            files.iter().for_each(|file| assert!(open.open_bag(file).is_ok()));
            let field = open.fields().iter().position(|field| field.name == "NAME").unwrap();
            for name in ["\u{141}\u{f3}d\u{17a}", "\u{105}", "Z\u{142}oty", "plain"] {
                open.append_some(&[(field, ValueRef::Text(name))]).unwrap();
                open.update(2, &[(field, ValueRef::Text(name))]).unwrap();
            }
            open.close().unwrap();
            let findings = mainstay_xbase::table::check(&fs, &path, Default::default(), std::slice::from_ref(&bag));
            assert!(findings.is_empty(), "{table}: {findings:?}");
            compare(&fs, &path, &files).unwrap_or_else(|complaint| panic!("{table}: {complaint}"));
        }
    }
}

/// Keys that are not those of the tag's expression, and missing keys.
#[test]
fn a_key_under_another_value_refuses_the_change_and_a_missing_one_is_mended() {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    let path = Path::new("shop/t.dbf");
    for kind in [BagKind::Cdx, BagKind::Ntx] {
        create(&fs, path, &TableSpec::new(Format::FoxPro, vec![FieldSpec::new("name", b'C', 12, 0)]));
        let mut table = open(&fs, path, Access::Exclusive);
        let ntx = PathBuf::from("shop/t.ntx");
        let files: Vec<PathBuf> = (kind == BagKind::Ntx).then_some(ntx).into_iter().collect();
        let spec = IndexSpec::new("T", "LOWER(NAME)");
        let id = table.create_index(files.first().map(PathBuf::as_path), kind, &spec, Building::default()).unwrap();
        for number in 0..50 {
            table.append(&[ValueRef::Text(&format!("Name {}", number * 7 % 50))]).unwrap();
        }
        assert!(table.drop_key(id, 5).unwrap());
        table.update(5, &[(0, ValueRef::Text("mended"))]).unwrap();
        table.close().unwrap();
        compare(&fs, path, &files).unwrap();

        let bag = path.with_extension(if kind == BagKind::Ntx { "ntx" } else { "cdx" });
        let mut bytes = fs.read(&bag).unwrap();
        let at = bytes.windows(11).position(|window| window == b"LOWER(NAME)").unwrap();
        bytes[at..at + 5].copy_from_slice(b"UPPER");
        fs.create(&bag, Create::Existing).unwrap().write_at(&bytes, 0).unwrap();
        let before = fs.read(path).unwrap();
        let mut table = open(&fs, path, Access::Shared);
        files.iter().for_each(|file| assert!(table.open_bag(file).is_ok()));
        let error = table.update(7, &[(0, ValueRef::Text("other"))]).unwrap_err();
        assert!(error.code() == Code::IndexDamaged && error.message().contains("under other keys"), "{error}");
        table.close().unwrap();
        assert!(fs.read(path).unwrap() == before);
        for entry in fs.list(Path::new("shop")).unwrap() {
            fs.remove(&entry.path).unwrap();
        }
    }
}

/// A tag over some of the records says so, and takes in a record when that is changed.
#[test]
fn a_tag_of_some_records_lacks_the_others_rightly() {
    for kind in [BagKind::Cdx, BagKind::CompactIdx, BagKind::PlainIdx, BagKind::Ntx] {
        let memory = Memory::new();
        memory.create_folder(Path::new("shop")).unwrap();
        let fs: Arc<dyn FileSystem> = Arc::new(memory);
        let path = Path::new("shop/t.dbf");
        create(&fs, path, &TableSpec::new(Format::FoxPro, vec![FieldSpec::new("name", b'C', 12, 0)]));
        let mut table = open(&fs, path, Access::Exclusive);
        (0..30).for_each(|number| assert!(table.append(&[ValueRef::Text(&format!("Name {number}"))]).is_ok()));
        let file = Path::new("shop/some.idx");
        let building = Building { while_condition: Some(b"RECNO() <= 10"), ..Building::default() };
        let id = table.create_index(Some(file), kind, &IndexSpec::new("T", "NAME"), building).unwrap();
        table.update(3, &[(0, ValueRef::Text("changed"))]).unwrap();
        table.update(20, &[(0, ValueRef::Text("changed"))]).unwrap();
        table.append(&[ValueRef::Text("new")]).unwrap();
        let keys = indexed_common::walk(&table.tag(id).unwrap()).unwrap();
        assert_eq!(keys.len(), 12, "{kind:?}");
        assert!(keys.iter().any(|(_, record)| *record == 20) && keys.iter().any(|(_, record)| *record == 31));
    }
}
