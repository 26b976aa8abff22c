//! Keys in capitals beyond ASCII: FoxPro's by the code page, those of other programs, and those that are neither.

mod indexed_common;

use indexed_common::{compare, create, entries, open, options};
use mainstay_types::{Code, ValueRef};
use mainstay_vfs::{Create, FileSystem, Memory};
use mainstay_xbase::codepage::CodePage;
use mainstay_xbase::dbf::{FieldSpec, Format, OpenOptions, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable};
use mainstay_xbase::table;
use mainstay_xbase::writer::Access;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NAMES: [&str; 6] = ["été", "Ångström", "müller", "Zoe", "ÿ", "straße"];

fn memory() -> Arc<dyn FileSystem> {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    Arc::new(memory)
}

/// A table of names in Windows' page 1252, with an index file on `key`.
fn made(format: Format, language: u8, kind: BagKind, key: &str) -> (Arc<dyn FileSystem>, PathBuf, Vec<PathBuf>) {
    let (fs, path) = (memory(), PathBuf::from("shop/t.dbf"));
    let spec = TableSpec::new(format, vec![FieldSpec::new("name", b'C', 12, 0)]);
    create(&fs, &path, &TableSpec { language, ..spec });
    let mut table = open(&fs, &path, Access::Exclusive);
    for name in NAMES {
        table.append(&[ValueRef::Text(name)]).unwrap();
    }
    let file = (kind != BagKind::Cdx).then(|| PathBuf::from("shop/t_name.idx"));
    let spec = IndexSpec::new("NAME", key);
    table.create_index(file.as_deref(), kind, &spec, Building::default()).unwrap();
    table.close().unwrap();
    (fs, path, file.into_iter().collect())
}

/// The keys of the only tag as texts, in the order of the index.
fn keys(fs: &Arc<dyn FileSystem>, path: &Path, files: &[PathBuf], page: &str) -> Vec<String> {
    let page = CodePage::by_name(page).unwrap();
    let tags = entries(fs, path, files).unwrap();
    tags[0].2.iter().map(|(key, _)| page.decode(key).text.trim_end().to_owned()).collect()
}

fn findings(fs: &Arc<dyn FileSystem>, path: &Path, files: &[PathBuf]) -> Vec<String> {
    let found = table::check(fs, path, OpenOptions::default(), files);
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn foxpros_capitals_are_those_of_the_code_page() {
    let (fs, path, _) = made(Format::VisualFoxPro, 0x03, BagKind::Cdx, "UPPER(NAME)");
    assert_eq!(keys(&fs, &path, &[], "1252"), ["MÜLLER", "STRAßE", "ZOE", "Ÿ", "ÅNGSTRÖM", "ÉTÉ"]);
    for access in [Access::Shared, Access::Exclusive] {
        let mut table = open(&fs, &path, access);
        table.append(&[ValueRef::Text("çedille")]).unwrap();
        table.update(1, &[(0, ValueRef::Text("élan"))]).unwrap();
        table.update(1, &[(0, ValueRef::Text("Œuvre"))]).unwrap();
        table.close().unwrap();
        compare(&fs, &path, &[]).unwrap();
        assert_eq!(findings(&fs, &path, &[]), Vec::<String>::new());
    }
    for (language, page, key, wanted) in [
        (0x02, "850", "UPPER(NAME)", ["MÜLLER", "STRAßE", "ZOE", "ÅNGSTRÖM", "ÉTÉ", "ÿ"]),
        (0x03, "1252", "LOWER(NAME)", ["müller", "straße", "zoe", "ångström", "été", "ÿ"]),
        (0x03, "1252", "IIF(ISLOWER(NAME),'a','b')", ["a", "a", "a", "a", "b", "b"]),
    ] {
        let (fs, path, _) = made(Format::VisualFoxPro, language, BagKind::Cdx, key);
        let mut found = keys(&fs, &path, &[], page);
        found.sort();
        assert_eq!(found, wanted, "{page} {key}");
    }
}

#[test]
fn clippers_capitals_are_those_of_ascii() {
    for (format, kind) in [(Format::FoxPro, BagKind::Cdx), (Format::VisualFoxPro, BagKind::Ntx)] {
        let (fs, path, files) = made(format, 0x03, kind, "UPPER(NAME)");
        let wanted = ["MüLLER", "STRAßE", "ZOE", "ÅNGSTRöM", "éTé", "ÿ"];
        assert_eq!(keys(&fs, &path, &files, "1252"), wanted, "{format:?}");
    }
}

/// The tables of two programs are the same; each gets the other's index.
#[test]
fn the_keys_tell_which_letters_their_program_knows() {
    for (format, other, capital) in
        [(Format::VisualFoxPro, Format::FoxPro, "éCLAIR"), (Format::FoxPro, Format::VisualFoxPro, "ÉCLAIR")]
    {
        let (fs, path, files) = made(format, 0x03, BagKind::CompactIdx, "UPPER(NAME)");
        let (others, _, _) = made(other, 0x03, BagKind::CompactIdx, "UPPER(NAME)");
        let index = others.read(&files[0]).unwrap();
        fs.create(&files[0], Create::Truncate).unwrap().write_at(&index, 0).unwrap();
        assert_eq!(findings(&fs, &path, &files), Vec::<String>::new(), "{format:?}");
        for access in [Access::Shared, Access::Exclusive] {
            let mut table = open(&fs, &path, access);
            table.open_bag(&files[0]).unwrap();
            table.append(&[ValueRef::Text("éclair")]).unwrap();
            table.update(3, &[(0, ValueRef::Text("éclair"))]).unwrap();
            table.close().unwrap();
            assert!(keys(&fs, &path, &files, "1252").contains(&capital.to_owned()), "{format:?} {access:?}");
            assert_eq!(findings(&fs, &path, &files), Vec::<String>::new(), "{format:?}");
        }
        // Made anew, in whatever way, it stays what it was.
        let mut table = open(&fs, &path, Access::Exclusive);
        table.open_bag(&files[0]).unwrap();
        table.delete(1).unwrap();
        table.pack(&mut |_, _| ControlFlow::Continue(())).unwrap();
        table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap();
        table.close().unwrap();
        assert!(keys(&fs, &path, &files, "1252").contains(&capital.to_owned()), "{format:?} made anew");
    }
}

/// Keys that are those of the expression with no letters at all.
#[test]
fn a_tag_whose_keys_are_of_neither_kind_is_left_alone() {
    let (fs, path, files) = made(Format::VisualFoxPro, 0x03, BagKind::CompactIdx, "UPPER(NAME)");
    let mut table = open(&fs, &path, Access::Exclusive);
    table.open_bag(&files[0]).unwrap();
    for number in 0..40 {
        table.append(&[ValueRef::Text(&format!("é{number:02}"))]).unwrap();
    }
    table.close().unwrap();
    let mut bytes = fs.read(&files[0]).unwrap();
    let text = bytes.windows(11).position(|window| window == b"UPPER(NAME)").unwrap();
    bytes[text..text + 11].copy_from_slice(b"LOWER(NAME)");
    fs.create(&files[0], Create::Existing).unwrap().write_at(&bytes, 0).unwrap();
    let before = (fs.read(&path).unwrap(), fs.read(&files[0]).unwrap());
    let mut table = IndexedTable::open(Arc::clone(&fs), &path, options(Access::Shared)).unwrap();
    table.open_bag(&files[0]).unwrap();
    let error = table.append(&[ValueRef::Text("événement")]).unwrap_err();
    assert_eq!(error.code(), Code::IndexDamaged, "{error}");
    table.close().unwrap();
    assert!((fs.read(&path).unwrap(), fs.read(&files[0]).unwrap()) == before);
}
