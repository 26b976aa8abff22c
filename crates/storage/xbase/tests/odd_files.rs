//! Files as other programs leave them: memo files under another name, index files that are cut, long names of NTX files, a
//! directory of tags in another order.

#![allow(clippy::disallowed_methods)]

mod index_common;
mod indexed_common;

use indexed_common::{compare, create, open, options, table_spec};
use mainstay_columnar::VectorCache;
use mainstay_types::{Code, ValueRef};
use mainstay_vfs::{Create, FileSystem, Memory};
use mainstay_xbase::dbf::{Dbf, FieldSpec, Format, OpenOptions, TableSpec};
use mainstay_xbase::index::{Bag, BagKind};
use mainstay_xbase::indexed::{self, Building, IndexSpec, IndexedTable};
use mainstay_xbase::memo::{Memo, MemoKind};
use mainstay_xbase::writer::{self, Access};
use mainstay_xbase::{Finding, Severity, table};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn memory() -> (Memory, Arc<dyn FileSystem>) {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    (memory, fs)
}

fn errors(findings: &[Finding]) -> Vec<String> {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(ToString::to_string).collect()
}

/// A table of version F5 whose memo is an FPT that is called DBT, as Clipper, Harbour and Visual Objects programs with
/// another memo extension write it.
fn foxpro_memo_in_a_dbt() -> (Arc<dyn FileSystem>, PathBuf) {
    let (memory, fs) = memory();
    let content = |name: &str| std::fs::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files")).join(name));
    memory.write("shop/notes.DBF", content("notes.DBF").unwrap());
    memory.write("shop/notes.DBT", content("notes.DBT").unwrap());
    (fs, PathBuf::from("shop/notes.DBF"))
}

fn notes(fs: &Arc<dyn FileSystem>, table: &Path, memo: &Path) -> Vec<String> {
    let dbf = Dbf::open(fs.open(table).unwrap(), OpenOptions::default()).unwrap();
    let memo = Memo::open(fs.open(memo).unwrap(), dbf.header().version).unwrap();
    assert_eq!(memo.kind(), MemoKind::FoxPro);
    let field = dbf.fields().iter().position(|field| field.name == "NOTE").unwrap();
    let count = dbf.read_count().unwrap();
    let mut bytes = Vec::new();
    (0..count)
        .map(|record| {
            dbf.read_record(record, &mut bytes).unwrap();
            match writer::decode(&dbf, Some(&memo), field, &bytes).unwrap() {
                mainstay_types::Value::Text(text) => text,
                other => format!("{other:?}"),
            }
        })
        .collect()
}

#[test]
fn a_foxpro_memo_that_is_called_dbt_is_read_and_written_as_what_it_is() {
    let (fs, path) = foxpro_memo_in_a_dbt();
    let memo = Path::new("shop/notes.DBT");
    let before = notes(&fs, &path, memo);
    for (record, length) in [(1, 156), (2, 159), (299, 177)] {
        let note = &before[record - 1];
        assert!(note.starts_with(&format!("Customer {record}")), "{note}");
        assert_eq!(note.len(), length, "{note}");
    }
    let findings = table::check(&fs, &path, OpenOptions::default(), &[]);
    assert!(findings.is_empty(), "{findings:?}");
    for access in [Access::Shared, Access::Exclusive] {
        let mut table = open(&fs, &path, access);
        let field = table.fields().iter().position(|field| field.name == "NOTE").unwrap();
        table.update(30, &[(field, ValueRef::Text("new remark"))]).unwrap();
        table.append_some(&[(field, ValueRef::Text("another"))]).unwrap();
        table.close().unwrap();
        // The header is the owner's: next block and block size, high byte first.
        let bytes = fs.read(memo).unwrap();
        let next = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        assert_eq!(bytes[4..8], [0, 0, 0, 64]);
        assert_eq!(u64::from(next), (bytes.len() as u64).div_ceil(64));
        let after = notes(&fs, &path, memo);
        assert_eq!(after[29], "new remark");
        assert_eq!(after.last().unwrap(), "another");
        assert!(after.iter().zip(&before).enumerate().all(|(at, (now, then))| at == 29 || now == then));
    }
    let mut table = open(&fs, &path, Access::Exclusive);
    table.pack(&mut |_, _| ControlFlow::Continue(())).unwrap();
    table.close().unwrap();
    assert_eq!(notes(&fs, &path, memo)[298], before[298], "the memo file keeps its name");
    let into = Path::new("shop/new.DBF");
    let repair = indexed::repair(&fs, &path, into, &options(Access::Exclusive), &[]).unwrap();
    assert_eq!(repair.findings().next(), None);
    assert_eq!(notes(&fs, into, Path::new("shop/new.DBT"))[298], before[298]);
}

#[test]
fn nothing_is_written_to_a_memo_file_of_uncertain_kind() {
    let (fs, path) = foxpro_memo_in_a_dbt();
    let memo = Path::new("shop/notes.DBT");
    let mut bytes = fs.read(memo).unwrap();
    bytes[..8].copy_from_slice(b"rubbish!");
    fs.create(memo, Create::Truncate).unwrap().write_at(&bytes, 0).unwrap();
    let found = errors(&table::check(&fs, &path, OpenOptions::default(), &[]));
    assert!(found.iter().any(|text| text.contains("it is not certain of which kind the memo file is")), "{found:?}");
    let error = IndexedTable::open(Arc::clone(&fs), &path, options(Access::Shared)).unwrap_err();
    assert_eq!(error.code(), Code::Unsupported, "{error}");
    let repair = indexed::repair(&fs, &path, Path::new("shop/new.DBF"), &options(Access::Exclusive), &[]);
    let lost = repair.map(|repair| repair.lost.len());
    assert!(lost.is_ok_and(|lost| lost > 0), "a copy of which it is not certain that it has its memos is not sound");
    assert!(fs.read(memo).unwrap() == bytes);
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files")).join(name)).unwrap()
}

/// The values of a field, and what was found on the way.
fn values(name: &str, field: &str) -> (Vec<mainstay_types::Value>, Vec<Finding>) {
    let (memory, fs) = memory();
    let path = PathBuf::from(format!("shop/{name}"));
    memory.write(&path, file(name));
    let dbf = Dbf::open(fs.open(&path).unwrap(), OpenOptions::default()).unwrap();
    let number = dbf.fields().iter().position(|known| known.name.eq_ignore_ascii_case(field)).unwrap();
    let mut bytes = Vec::new();
    let value = |record| {
        dbf.read_record(record, &mut bytes).unwrap();
        writer::decode(&dbf, None, number, &bytes).unwrap()
    };
    let values = (0..dbf.read_count().unwrap()).map(value).collect();
    (values, table::check(&fs, &path, OpenOptions::default(), &[]))
}

/// ArcGIS declares F(13,11) and F(19,11) and lets values use the width as they need (fme documentation; DotSpatial#573 has the
/// exponents). GDAL and dbfread read the same values.
#[test]
fn numbers_of_gis_programs_have_their_values() {
    use mainstay_types::Value::{Float, Null};
    let (depths, findings) = values("wells.dbf", "depth");
    let wanted = [Float(12.3456), Float(123.456), Float(45678.9), Float(-9876.54), Float(12.345), Float(123.45), Null];
    assert_eq!(depths, wanted);
    assert!(findings.is_empty(), "{findings:?}");
    let (areas, findings) = values("parcels.dbf", "shape_area");
    assert!(areas.contains(&Float(2.236_033_666_63e9)) && areas.contains(&Float(1.234_567_890_12e-12)), "{areas:?}");
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn numbers_of_gis_programs_are_sought_and_changed() {
    let (memory, fs) = memory();
    let path = Path::new("shop/wells.dbf");
    memory.write(path, file("wells.dbf"));
    let mut table = open(&fs, path, Access::Exclusive);
    let field = table.fields().iter().position(|field| field.name.eq_ignore_ascii_case("depth")).unwrap();
    table.create_index(None, BagKind::Cdx, &IndexSpec::new("DEPTH", "DEPTH"), Building::default()).unwrap();
    let added = table.append_some(&[(field, ValueRef::Float(250.5))]).unwrap();
    table.update(1, &[(field, ValueRef::Float(1.5e-9))]).unwrap();
    let id = table.find_tag("DEPTH").unwrap();
    let tag = table.tag(id).unwrap();
    for (value, record) in [(250.5, added as u32), (45678.9, 3), (1.5e-9, 1), (-9876.54, 4)] {
        let key = mainstay_xbase::index::ordered_double(value);
        assert_eq!(tag.find(&key).unwrap(), Some(record), "{value}");
    }
    table.close().unwrap();
    compare(&fs, path, &[]).unwrap();
    let findings = table::check(&fs, path, OpenOptions::default(), &[]);
    assert!(findings.is_empty(), "{findings:?}");
}

/// `Varchar (binary)` of Visual FoxPro is text that is not converted between code pages.
#[test]
fn varchar_with_the_binary_flag_is_text() {
    let (names, findings) = values("varchar_binary.dbf", "name");
    let text = |text: &str| mainstay_types::Value::Text(text.to_owned());
    assert_eq!(names, [text("Bad Meets Evil"), text("London")]);
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn a_cpg_file_is_understood_or_reported() {
    for (content, text, reported) in [
        (&b"\xef\xbb\xbfUTF-8"[..], "M\u{fc}ller", false),
        (b"UTF-8\0\0", "M\u{fc}ller", false),
        (b"1252\r\n", "M\u{c3}\u{bc}ller", false),
        (b"whatever", "M\u{251c}\u{255d}ller", true),
    ] {
        let (memory, fs) = memory();
        let path = Path::new("shop/t.dbf");
        let spec = TableSpec::new(Format::DbaseThree, vec![FieldSpec::new("name", b'C', 12, 0)]);
        create(&fs, path, &TableSpec { language: 0, ..spec });
        let mut table = open(&fs, path, Access::Exclusive);
        table.append_record(b" M\xc3\xbcller     ").unwrap();
        table.close().unwrap();
        memory.write("shop/t.cpg", content);
        let findings = table::check(&fs, path, OpenOptions::default(), &[]);
        let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(texts.iter().any(|text| text.contains("t.cpg")), reported, "{texts:?}");
        let table =
            table::DbfTable::open(Arc::clone(&fs), path, "t", Default::default(), VectorCache::new(1 << 20), &[])
                .unwrap();
        let page = table.code_page();
        assert_eq!(page.decode(b"M\xc3\xbcller").text, text, "{content:?}");
    }
}

/// Names that Excel, Access, Visual Objects and GIS programs give.
#[test]
fn fields_of_odd_names_are_kept_by_a_change_of_the_structure() {
    for name in ["odd.dbf", "odd3.dbf", "intl.dbf"] {
        let (memory, fs) = memory();
        let path = PathBuf::from(format!("shop/{name}"));
        memory.write(&path, file(name));
        let mut table = open(&fs, &path, Access::Exclusive);
        let before: Vec<String> = table.fields().iter().map(|field| field.name.clone()).collect();
        let mut spec = indexed::spec_of(table.dbf(), None);
        spec.fields.push(FieldSpec::new("z", b'N', 4, 0));
        let mut sources: Vec<writer::Source> = (0..before.len()).map(writer::Source::Field).collect();
        sources.push(writer::Source::Blank);
        table.restructure(&spec, &sources, &mut |_, _| ControlFlow::Continue(())).unwrap();
        let after: Vec<String> = table.fields().iter().map(|field| field.name.clone()).collect();
        assert_eq!(after[..before.len()], before);
        // The first goes; a new one of such a name is refused.
        let mut spec = indexed::spec_of(table.dbf(), None);
        spec.fields.remove(0);
        let sources: Vec<writer::Source> = (1..after.len()).map(writer::Source::Field).collect();
        table.restructure(&spec, &sources, &mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(table.fields().len(), before.len());
        spec.fields.push(FieldSpec::new("2ND", b'C', 4, 0));
        let sources: Vec<writer::Source> =
            (0..before.len()).map(writer::Source::Field).chain([writer::Source::Blank]).collect();
        let error = table.restructure(&spec, &sources, &mut |_, _| ControlFlow::Continue(())).unwrap_err();
        assert_eq!(error.code(), Code::InvalidValue, "{error}");
        table.close().unwrap();
        let findings = table::check(&fs, &path, OpenOptions::default(), &[]);
        assert!(findings.is_empty(), "{findings:?}");
    }
}

/// The NTX files of t05_ntx, one of them cut, emptied or overwritten.
#[test]
fn a_cut_index_file_is_reported() {
    let names = ["t05_ntx.dbf", "t05code.ntx", "t05num.ntx"];
    let whole = index_common::bytes("t05code.ntx");
    let noise: Vec<u8> = (0..whole.len() as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let cut = [1024, 2048, 3072, 4096, 8192, 20_480].map(|length| whole[..length].to_vec());
    for content in cut.into_iter().chain([Vec::new(), noise]) {
        let (memory, fs) = memory();
        for name in names {
            memory.write(format!("shop/{name}"), index_common::bytes(name));
        }
        let (path, index) = (Path::new("shop/t05_ntx.dbf"), PathBuf::from("shop/t05code.ntx"));
        memory.write(&index, content.as_slice());
        let files = [index.clone(), PathBuf::from("shop/t05num.ntx")];
        let mut findings = table::check(&fs, path, OpenOptions::default(), &files);
        findings.extend(table::check_index_files(&*fs, &files));
        let found = errors(&findings);
        assert!(found.iter().any(|text| text.contains("t05code.ntx")), "{} bytes: {findings:?}", content.len());
        assert!(!found.iter().any(|text| text.contains("t05num.ntx")), "{found:?}");
    }
}

#[test]
fn an_ntx_of_any_name_is_made_and_made_anew() {
    for (file, tag, kept) in [
        ("clientes_por_nombre", "clientes_por_nombre", "CLIENTES_POR_NOMBRE"),
        ("customercode", "customercode", "CUSTOMERCODE"),
        ("short", "a_longer_name", "A_LONGER_N"),
        ("kunden nr", "kunden nr", "KUNDEN NR"),
    ] {
        let (_, fs) = memory();
        let (path, index) = (Path::new("shop/t.dbf"), PathBuf::from(format!("shop/{file}.ntx")));
        create(&fs, path, &TableSpec::new(Format::DbaseThree, vec![FieldSpec::new("name", b'C', 12, 0)]));
        let mut table = open(&fs, path, Access::Exclusive);
        for name in ["Cleo", "Anna", "Bert"] {
            table.append(&[ValueRef::Text(name)]).unwrap();
        }
        let spec = IndexSpec::new(tag, "NAME");
        table.create_index(Some(&index), BagKind::Ntx, &spec, Building::default()).unwrap();
        assert_eq!(table.tags()[0].name, kept);
        // Harbour keeps ten characters of an order's name, and none where the order is called as its file.
        let header = fs.read(&index).unwrap()[538..550].to_vec();
        let stored = if kept.eq_ignore_ascii_case(file) { "" } else { kept };
        assert_eq!(String::from_utf8_lossy(&header).trim_end_matches('\0'), stored);
        let structure = TableSpec::new(Format::DbaseThree, vec![FieldSpec::new("name", b'C', 14, 0)]);
        table.restructure(&structure, &[writer::Source::Field(0)], &mut |_, _| ControlFlow::Continue(())).unwrap();
        table.close().unwrap();
        compare(&fs, path, std::slice::from_ref(&index)).unwrap();
        let into = Path::new("shop/new.dbf");
        let how = options(Access::Exclusive);
        let repair = indexed::repair(&fs, path, into, &how, std::slice::from_ref(&index)).unwrap();
        assert!(repair.lost.is_empty(), "{repair:?}");
        let made = PathBuf::from(format!("shop/new_{file}.ntx"));
        compare(&fs, into, &[made]).unwrap();
    }
}

/// OpenADS lists tags in the order of their making.
#[test]
fn a_directory_of_tags_in_another_order_is_no_damage() {
    let (_, fs) = memory();
    let path = Path::new("shop/t.dbf");
    create(&fs, path, &table_spec(Format::FoxPro));
    let mut table = open(&fs, path, Access::Exclusive);
    for name in ["LASTNAME", "NUMBER"] {
        table.create_index(None, BagKind::Cdx, &IndexSpec::new(name, "NAME"), Building::default()).unwrap();
    }
    table.close().unwrap();
    let cdx = Path::new("shop/t.cdx");
    let mut bytes = fs.read(cdx).unwrap();
    // The second name becomes a lesser one than the first.
    let root = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
    let at = root + bytes[root..root + 512].windows(6).position(|name| name == b"NUMBER").unwrap();
    bytes[at..at + 2].copy_from_slice(b"AA");
    fs.create(cdx, Create::Truncate).unwrap().write_at(&bytes, 0).unwrap();
    assert_eq!(Bag::open(fs.open(cdx).unwrap()).unwrap().tags().len(), 2);
    let findings = table::check(&fs, path, OpenOptions::default(), &[]);
    assert_eq!(errors(&findings), Vec::<String>::new());
    let texts: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(texts.iter().any(|text| text.contains("directory")), "{texts:?}");
}
