//! Tables with their indexes: one call changes a record and all its keys, or nothing.

mod indexed_common;

use indexed_common::{compare, create, entries, index, open, refs, table_spec, tag_specs, values};
use mainstay_types::{Code, Value, ValueRef};
use mainstay_vfs::{Create, FileSystem, Memory};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable};
use mainstay_xbase::writer::{Access, Source};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const KINDS: [BagKind; 5] = [BagKind::Cdx, BagKind::CompactIdx, BagKind::PlainIdx, BagKind::Ntx, BagKind::CompoundNtx];

fn shop() -> (Arc<dyn FileSystem>, PathBuf) {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    (Arc::new(memory), PathBuf::from("shop/people.dbf"))
}

/// A table of some records with tags of all kinds; gives the files that are not opened by themselves.
fn people(fs: &Arc<dyn FileSystem>, path: &Path, format: Format, kind: BagKind, count: u64) -> Vec<PathBuf> {
    create(fs, path, &table_spec(format));
    let mut table = open(fs, path, Access::Exclusive);
    for seed in 0..count {
        table.append(&refs(&values(seed))).unwrap();
    }
    let files = index(&mut table, kind, &tag_specs());
    table.close().unwrap();
    files
}

fn open_all(fs: &Arc<dyn FileSystem>, path: &Path, access: Access, files: &[PathBuf]) -> IndexedTable {
    let mut table = open(fs, path, access);
    for file in files {
        table.open_bag(file).unwrap();
    }
    table
}

#[test]
fn every_change_of_a_record_changes_all_its_keys() {
    for kind in KINDS {
        for access in [Access::Shared, Access::Exclusive] {
            let (fs, path) = shop();
            let files = people(&fs, &path, Format::FoxPro, kind, 300);
            let mut table = open_all(&fs, &path, access, &files);
            assert!(table.tags().len() >= 5, "{kind:?}");
            for seed in 300..700 {
                let record = 1 + seed % 300;
                match seed % 5 {
                    0 => drop(table.append(&refs(&values(seed))).unwrap()),
                    1 => drop(table.delete(record).unwrap()),
                    2 => drop(table.recall(record - 1).unwrap()),
                    3 => drop(table.update(record, &[(0, values(seed)[0].as_ref())]).unwrap()),
                    _ => {
                        let new = values(seed);
                        let all: Vec<(usize, ValueRef<'_>)> = refs(&new).into_iter().enumerate().collect();
                        table.update(record, &all).unwrap();
                    }
                }
            }
            table.append_blank().unwrap();
            let rows: Vec<Vec<Value>> = (0..50).map(values).collect();
            let rows: Vec<Vec<ValueRef<'_>>> = rows.iter().map(|row| refs(row)).collect();
            table.append_many(rows.iter().map(Vec::as_slice)).unwrap();
            table.close().unwrap();
            compare(&fs, &path, &files).unwrap_or_else(|complaint| panic!("{kind:?} {access:?}: {complaint}"));
        }
    }
}

#[test]
fn own_changes_are_seen_at_once() {
    for access in [Access::Shared, Access::Exclusive] {
        let (fs, path) = shop();
        people(&fs, &path, Format::FoxPro, BagKind::Cdx, 10);
        let mut table = open(&fs, &path, access);
        let id = table.find_tag("name").unwrap();
        let record = table.append(&[ValueRef::Text("Quentin")]).unwrap();
        assert_eq!(table.tag(id).unwrap().find(b"QUENTIN     ").unwrap(), Some(record as u32));
        table.update(record, &[(0, ValueRef::Text("Yves"))]).unwrap();
        let found = table.with_tag(id, |tag| Ok((tag.find(b"QUENTIN     ")?, tag.find(b"YVES        ")?))).unwrap();
        assert_eq!(found, (None, Some(record as u32)));
        let mut bytes = Vec::new();
        table.read(record, &mut bytes).unwrap();
        assert_eq!(table.key_of(id, record, &bytes).unwrap().unwrap(), b"YVES        ");
        assert_eq!(table.value(0, &bytes).unwrap(), Value::Text("Yves".into()));
    }
}

#[test]
fn a_key_that_is_not_understood_refuses_every_change() {
    let (fs, path) = shop();
    people(&fs, &path, Format::FoxPro, BagKind::Cdx, 10);
    // The key of a tag is made one of a function that only its program knows.
    let cdx = Path::new("shop/people.cdx");
    let mut bytes = fs.read(cdx).unwrap();
    let at = bytes.windows(11).position(|window| window == b"UPPER(NAME)").unwrap();
    bytes[at..at + 11].copy_from_slice(b"MYKEY(NAME)");
    fs.create(cdx, Create::Truncate).unwrap().write_at(&bytes, 0).unwrap();
    let before = fs.read(&path).unwrap();
    for access in [Access::Shared, Access::Exclusive] {
        let mut table = open(&fs, &path, access);
        let id = table.find_tag("NAME").unwrap();
        let info = table.tags().into_iter().find(|info| info.id == id).unwrap();
        assert_eq!(info.refusal.unwrap().code(), Code::UnknownFunction);
        for error in [
            table.append(&[ValueRef::Text("new")]).unwrap_err(),
            table.update(1, &[(0, ValueRef::Text("new"))]).unwrap_err(),
            table.delete(1).unwrap_err(),
        ] {
            assert_eq!(error.code(), Code::UnknownFunction);
            assert!(error.to_string().contains("MYKEY(NAME)") && error.to_string().contains("NAME"), "{error}");
        }
        assert_eq!(table.count().unwrap(), 10);
        table.close().unwrap();
    }
    assert!(fs.read(&path).unwrap() == before, "the table was changed");
    let mut table = open(&fs, &path, Access::Exclusive);
    let id = table.find_tag("NAME").unwrap();
    table.drop_tag(id).unwrap();
    table.append(&[ValueRef::Text("new")]).unwrap();
    table.close().unwrap();
    compare(&fs, &path, &[]).unwrap();
}

#[test]
fn a_candidate_key_refuses_the_second_record_and_changes_nothing() {
    for access in [Access::Shared, Access::Exclusive] {
        let (fs, path) = shop();
        create(&fs, &path, &table_spec(Format::VisualFoxPro));
        let mut table = open(&fs, &path, Access::Exclusive);
        let number = IndexSpec::new("NUMBER", "NUMBER");
        let specs = [number, IndexSpec { candidate: true, ..IndexSpec::new("NAME", "NAME") }, tag_specs()[2].clone()];
        index(&mut table, BagKind::Cdx, &specs);
        table.close().unwrap();
        let mut table = open(&fs, &path, access);
        for (number, name) in [(1, "one"), (2, "two")] {
            table.append(&[ValueRef::Text(name), ValueRef::Integer(number)]).unwrap();
        }
        let refused = table.append(&[ValueRef::Text("one"), ValueRef::Integer(3)]).unwrap_err();
        assert_eq!(refused.code(), Code::UniqueViolation);
        let refused = table.update(2, &[(1, ValueRef::Integer(7)), (0, ValueRef::Text("one"))]).unwrap_err();
        assert_eq!(refused.code(), Code::UniqueViolation);
        let rows = [[ValueRef::Text("three"), ValueRef::Integer(3)], [ValueRef::Text("two"), ValueRef::Integer(4)]];
        assert!(table.append_many(rows.iter().map(|row| &row[..])).is_err());
        let appended = table.count().unwrap();
        assert_eq!(appended, if access == Access::Shared { 2 } else { 3 });
        table.close().unwrap();
        compare(&fs, &path, &[]).unwrap();
        let tags = entries(&fs, &path, &[]).unwrap();
        assert!(tags.iter().all(|(_, _, entries)| entries.len() as u64 == appended));
        let mut table = open(&fs, &path, Access::Exclusive);
        table.append(&[ValueRef::Text("eleven"), ValueRef::Integer(2)]).unwrap();
        let again = IndexSpec { candidate: true, ..IndexSpec::new("AGAIN", "NUMBER") };
        let refused = table.create_index(None, BagKind::Cdx, &again, Building::default()).unwrap_err();
        assert_eq!(refused.code(), Code::UniqueViolation);
        assert!(table.find_tag("AGAIN").is_none());
        table.close().unwrap();
        compare(&fs, &path, &[]).unwrap();
    }
}

#[test]
fn custom_tags_are_changed_by_hand_only() {
    let (fs, path) = shop();
    people(&fs, &path, Format::FoxPro, BagKind::Cdx, 20);
    let mut table = open(&fs, &path, Access::Exclusive);
    let spec = IndexSpec { custom: true, ..IndexSpec::new("CHOSEN", "NAME") };
    let id = table.create_index(None, BagKind::Cdx, &spec, Building::default()).unwrap();
    assert_eq!(table.tag(id).unwrap().key_count().unwrap(), 0);
    assert!(table.add_key(id, 3).unwrap() && table.add_key(id, 7).unwrap() && !table.add_key(id, 7).unwrap());
    table.append(&refs(&values(99))).unwrap();
    assert!(table.drop_key(id, 3).unwrap() && !table.drop_key(id, 3).unwrap());
    assert_eq!(table.tag(id).unwrap().key_count().unwrap(), 1);
    table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap();
    let id = table.find_tag("CHOSEN").unwrap();
    assert_eq!(table.tag(id).unwrap().key_count().unwrap(), 1, "a chosen entry was lost");
    table.close().unwrap();
}

#[test]
fn nulls_have_keys_in_visual_foxpro() {
    let (fs, path) = shop();
    let fields = vec![FieldSpec::new("city", b'C', 10, 0).nullable(), FieldSpec::new("id", b'I', 4, 0).nullable()];
    create(&fs, &path, &TableSpec::new(Format::VisualFoxPro, fields));
    let mut table = open(&fs, &path, Access::Exclusive);
    index(&mut table, BagKind::Cdx, &[IndexSpec::new("CITY", "CITY"), IndexSpec::new("ID", "ID")]);
    table.append(&[ValueRef::Text("Rome"), ValueRef::Integer(-3)]).unwrap();
    table.append(&[ValueRef::Null, ValueRef::Null]).unwrap();
    table.update(1, &[(0, ValueRef::Null)]).unwrap();
    table.append(&[ValueRef::Text(""), ValueRef::Integer(5)]).unwrap();
    table.close().unwrap();
    compare(&fs, &path, &[]).unwrap();
    let tags = entries(&fs, &path, &[]).unwrap();
    let records = |at: usize| tags[at].2.iter().map(|(_, record)| *record).collect::<Vec<_>>();
    assert_eq!((records(0), records(1)), (vec![1, 2, 3], vec![2, 1, 3]));
    assert_eq!(tags[1].2[0].0, [0; 5]);
}

#[test]
fn a_build_can_be_stopped_and_take_some_records() {
    let (fs, path) = shop();
    people(&fs, &path, Format::FoxPro, BagKind::Cdx, 300);
    let mut table = open(&fs, &path, Access::Exclusive);
    let spec = IndexSpec::new("OTHER", "NAME");
    let mut told = 0;
    let mut stop = |_, _| {
        told += 1;
        ControlFlow::Break(())
    };
    let building = Building { progress: Some(&mut stop), ..Building::default() };
    let stopped = table.create_index(None, BagKind::Cdx, &spec, building).unwrap_err();
    assert_eq!((stopped.code(), told), (Code::Cancelled, 1));
    assert!(table.find_tag("OTHER").is_none());
    let stopped = table.reindex(&mut |_, _| ControlFlow::Break(())).unwrap_err();
    assert_eq!(stopped.code(), Code::Cancelled);
    let mut some = [5u64, 9, 11, 200].into_iter();
    let building =
        Building { records: Some(&mut some), while_condition: Some(b"RECNO() < 100"), ..Building::default() };
    let id = table.create_index(Some(Path::new("shop/some.ntx")), BagKind::Ntx, &spec, building).unwrap();
    assert_eq!(table.tag(id).unwrap().key_count().unwrap(), 3);
    let building = Building { while_condition: Some(b"RECNO() < 100"), ..Building::default() };
    let id = table.create_index(Some(Path::new("shop/some.ntx")), BagKind::Ntx, &spec, building).unwrap();
    assert_eq!((table.tag(id).unwrap().key_count().unwrap(), table.bags().len()), (99, 2));
    table.close_bag(id.bag).unwrap();
    table.close().unwrap();
    compare(&fs, &path, &[]).unwrap();
}

#[test]
fn who_shares_a_table_does_not_rebuild_its_index() {
    let (fs, path) = shop();
    people(&fs, &path, Format::FoxPro, BagKind::Cdx, 10);
    let mut table = open(&fs, &path, Access::Shared);
    let id = table.find_tag("NAME").unwrap();
    let other = open(&fs, &path, Access::Shared);
    let refusals = [
        table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap_err(),
        table.drop_tag(id).unwrap_err(),
        table.create_index(None, BagKind::Cdx, &IndexSpec::new("X", "NAME"), Building::default()).unwrap_err(),
    ];
    assert!(refusals.iter().all(|error| error.code() == Code::Busy));
    drop(other);
    // An index of one's own is another matter.
    let own = Path::new("shop/own.cdx");
    table.create_index(Some(own), BagKind::Cdx, &IndexSpec::new("X", "NAME"), Building::default()).unwrap();
    table.create_index(Some(own), BagKind::Cdx, &IndexSpec::new("Y", "NUMBER"), Building::default()).unwrap();
    table.append(&refs(&values(5))).unwrap();
    let id = table.find_tag("Y").unwrap();
    assert_eq!(table.tag(id).unwrap().key_count().unwrap(), 11);
    table.drop_tag(id).unwrap();
    drop(table);
    compare(&fs, &path, &[own.to_owned()]).unwrap();
}

#[test]
fn packing_emptying_and_new_fields_take_the_indexes_along() {
    for kind in KINDS {
        let (fs, path) = shop();
        let files = people(&fs, &path, Format::FoxPro, kind, 200);
        let mut table = open_all(&fs, &path, Access::Exclusive, &files);
        (1..=200).step_by(3).for_each(|record| drop(table.delete(record).unwrap()));
        table.pack(&mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(table.count().unwrap(), 133);
        table.append(&refs(&values(7))).unwrap();
        table.flush().unwrap();
        compare(&fs, &path, &files).unwrap_or_else(|complaint| panic!("{kind:?} packed: {complaint}"));

        let mut spec = table_spec(Format::FoxPro);
        spec.fields[0].length = 20;
        spec.fields.insert(1, FieldSpec::new("more", b'N', 3, 0));
        let sources: Vec<Source> =
            [Source::Field(0), Source::Blank].into_iter().chain((1..5).map(Source::Field)).collect();
        table.restructure(&spec, &sources, &mut |_, _| ControlFlow::Continue(())).unwrap();
        table.append(&[ValueRef::Text("a name of 20 letters"), ValueRef::Integer(7)]).unwrap();
        table.flush().unwrap();
        compare(&fs, &path, &files).unwrap_or_else(|complaint| panic!("{kind:?} restructured: {complaint}"));

        let without_name = TableSpec { fields: spec.fields[1..].to_vec(), ..spec };
        let sources: Vec<Source> = (1..6).map(Source::Field).collect();
        let refused = table.restructure(&without_name, &sources, &mut |_, _| ControlFlow::Continue(())).unwrap_err();
        assert_eq!(refused.code(), Code::UnknownColumn);
        assert_eq!((table.fields().len(), table.count().unwrap()), (6, 135));

        table.zap().unwrap();
        let emptied = indexed_common::copy(&*fs, Path::new("shop"));
        assert!(entries(&emptied, &path, &files).unwrap().iter().all(|(_, _, entries)| entries.is_empty()));
        table.append(&[ValueRef::Text("first")]).unwrap();
        table.close().unwrap();
        compare(&fs, &path, &files).unwrap_or_else(|complaint| panic!("{kind:?} emptied: {complaint}"));
        assert!(!fs.list(Path::new("shop")).unwrap().iter().any(|entry| entry.path.ends_with("people.dbf.stale")));
    }
}
