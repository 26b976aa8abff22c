//! Writing tables of SQL: columns as fields, values with clear errors, and readers that see a change at once.

mod indexed_common;

use indexed_common::{compare, create, index, open, options, refs, table_spec, tag_specs, values};
use mainstay_columnar::{Table, VectorCache};
use mainstay_types::{Code, Collation, SqlType, Value, ValueRef};
use mainstay_vfs::{Disk, FileSystem, Memory};
use mainstay_xbase::dbf::{Format, OpenOptions, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{self, Building, IndexSpec, IndexedTable, field_spec, field_value, spec_of};
use mainstay_xbase::table::DbfTable;
use mainstay_xbase::writer::{self, Access, Source};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FORMATS: [Format; 6] =
    [Format::DbaseThree, Format::DbaseFour, Format::FoxPro, Format::Six, Format::VisualFoxPro, Format::Dbase7];

fn text(length: Option<u32>) -> SqlType {
    SqlType::VarChar { length, collation: Collation::Binary }
}

/// Values of each type, the hardest among them.
fn hard_values(column: SqlType) -> Vec<Value> {
    let text = |value: &str| Value::Text(value.to_owned());
    let parse = |to, value: &str| mainstay_types::convert::convert(ValueRef::Text(value), to).unwrap();
    match column {
        SqlType::Boolean => vec![Value::Boolean(true), Value::Boolean(false)],
        SqlType::TinyInt => vec![Value::Integer(-128), Value::Integer(127)],
        SqlType::SmallInt => vec![Value::Integer(-32768), Value::Integer(32767)],
        SqlType::Integer => vec![Value::Integer(i32::MIN.into()), Value::Integer(i32::MAX.into())],
        SqlType::BigInt => vec![Value::Integer(i64::MIN), Value::Integer(i64::MAX)],
        SqlType::Decimal { .. } => ["-9999.99", "9999.99", "0.01"].map(|value| parse(column, value)).into(),
        SqlType::Money => ["-922337203685.4775", "0.0001"].map(|value| parse(column, value)).into(),
        SqlType::Real | SqlType::Double => vec![Value::Float(-0.1), Value::Float(1e300)],
        SqlType::Char { .. } | SqlType::VarChar { .. } => vec![text("abc"), text("")],
        SqlType::VarBinary { .. } => vec![Value::Binary(vec![0, 255, 32]), Value::Binary(vec![7])],
        SqlType::Date => vec![parse(column, "0001-01-01"), parse(column, "9999-12-31")],
        SqlType::Timestamp { .. } => vec![parse(column, "1999-12-31 23:59:59.999")],
        SqlType::Time { .. } => vec![parse(column, "23:59:59.999")],
        SqlType::Uuid => vec![Value::Uuid([7; 16])],
        _ => Vec::new(),
    }
}

#[test]
fn every_type_has_a_field_that_gives_its_values_back_or_is_refused() {
    let columns = [
        SqlType::Boolean,
        SqlType::TinyInt,
        SqlType::SmallInt,
        SqlType::Integer,
        SqlType::BigInt,
        SqlType::Decimal { precision: 6, scale: 2 },
        SqlType::Money,
        SqlType::Double,
        SqlType::Char { length: 5, collation: Collation::Binary },
        text(Some(20)),
        text(Some(4000)),
        text(None),
        SqlType::VarBinary { length: Some(20) },
        SqlType::VarBinary { length: None },
        SqlType::Date,
        SqlType::Timestamp { digits: 3 },
        SqlType::Time { digits: 3 },
        SqlType::Uuid,
        SqlType::IntervalDayTime,
    ];
    let mut refused = Vec::new();
    for format in FORMATS {
        for column in columns {
            let spec = match field_spec(format, "value", column, true) {
                Ok(field) => TableSpec::new(format, vec![field]),
                Err(error) => {
                    assert_eq!(error.code(), Code::Unsupported);
                    refused.push((format, column.to_string()));
                    continue;
                }
            };
            let (fs, path): (Arc<dyn FileSystem>, _) = (Arc::new(Memory::new()), Path::new("t.dbf"));
            create(&fs, path, &spec);
            let mut table = open(&fs, path, Access::Exclusive);
            let wanted = hard_values(column);
            assert!(!wanted.is_empty(), "{column}");
            for value in &wanted {
                let fit = field_value(&table.fields()[0], value.as_ref()).unwrap();
                table.append(&[fit.as_ref()]).unwrap_or_else(|error| panic!("{format:?} {column}: {error}"));
            }
            let mut bytes = Vec::new();
            for (row, value) in wanted.iter().enumerate() {
                table.read(row as u64 + 1, &mut bytes).unwrap();
                let found = table.value(0, &bytes).unwrap();
                let found = mainstay_types::convert::convert(found.as_ref(), column).unwrap();
                let value = mainstay_types::convert::convert(value.as_ref(), column).unwrap();
                assert_eq!(found, value, "{format:?} {column}");
            }
        }
    }
    let of = |format| refused.iter().filter(|(refused, _)| *refused == format).count();
    assert_eq!(FORMATS.map(of), [6, 6, 1, 1, 2, 3], "{refused:?}");
    let wide = field_spec(Format::FoxPro, "value", SqlType::Decimal { precision: 19, scale: 2 }, false).unwrap_err();
    assert_eq!(wide.code(), Code::Unsupported);
}

#[test]
fn values_that_do_not_fit_name_their_field() {
    let (fs, path): (Arc<dyn FileSystem>, _) = (Arc::new(Memory::new()), Path::new("t.dbf"));
    create(&fs, path, &table_spec(Format::FoxPro));
    let mut table = open(&fs, path, Access::Exclusive);
    let mut refused = |field: usize, value: ValueRef<'_>| {
        let fit = field_value(&table.fields()[field], value);
        fit.and_then(|fit| table.append_some(&[(field, fit.as_ref())]).map(drop)).unwrap_err().to_string()
    };
    let wrong = [
        (1, ValueRef::Text("123456.78"), "NUMBER"),
        (1, ValueRef::Text("many"), "NUMBER"),
        (0, ValueRef::Text("a name of more than twelve letters"), "NAME"),
        (0, ValueRef::Text("日本"), "NAME"),
        (2, ValueRef::Text("2026-02-30"), "BORN"),
        (3, ValueRef::Text("perhaps"), "HERE"),
    ];
    for (field, value, name) in wrong {
        let message = refused(field, value);
        assert!(message.to_uppercase().contains(name), "{message}");
    }
    assert_eq!(table.count().unwrap(), 0);
    let fit = field_value(&table.fields()[1], ValueRef::Text("-12.345")).unwrap();
    assert_eq!(table.append_some(&[(1, fit.as_ref())]).unwrap(), 1);
}

fn read(table: &DbfTable, field: usize) -> Vec<String> {
    let snapshot = table.snapshot().unwrap();
    let rows: Vec<u32> = (0..snapshot.slots() as u32).collect();
    let (vectors, _) = snapshot.fetch(&rows, &[field], false).unwrap();
    (0..vectors[0].len()).map(|row| arrow_cast_text(&vectors[0], row)).collect()
}

/// The text of a name, whatever its vector is.
fn arrow_cast_text(vector: &arrow_array::ArrayRef, row: usize) -> String {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    assert_eq!(vector.data_type(), &arrow_schema::DataType::Utf8View);
    vector.as_string_view().value(row).to_owned()
}

#[test]
fn a_reader_sees_each_change_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let path = folder.path().join("t.dbf");
    create(&fs, &path, &table_spec(Format::FoxPro));
    let reader =
        DbfTable::open(Arc::clone(&fs), &path, "t", OpenOptions::default(), VectorCache::new(1 << 20), &[]).unwrap();
    let mut table = reader.writer(options(Access::Shared)).unwrap();
    assert!(read(&reader, 0).is_empty());
    table.append(&[ValueRef::Text("first")]).unwrap();
    for step in 0..300 {
        // The same length and, within a tick of the file system's clock, the same time.
        let name = format!("name {step}");
        table.update(1, &[(0, ValueRef::Text(&name))]).unwrap();
        assert_eq!(read(&reader, 0), [name]);
    }
    table.append(&[ValueRef::Text("second")]).unwrap();
    assert_eq!(read(&reader, 0).len(), 2);
    table.delete(1).unwrap();
    assert_eq!(reader.row_counts().unwrap(), (1, 1));
}

#[test]
fn a_writer_takes_the_indexes_along_that_are_the_tables_own() {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    let (path, other) = (PathBuf::from("shop/people.dbf"), PathBuf::from("shop/other.dbf"));
    for (path, first) in [(&path, 0), (&other, 1000)] {
        create(&fs, path, &table_spec(Format::DbaseThree));
        let mut table = open(&fs, path, Access::Exclusive);
        for seed in first..first + 50 {
            table.append(&refs(&values(seed))).unwrap();
        }
        let folder = path.with_extension("");
        fs.create_folder(&folder).unwrap();
        let name = folder.file_name().unwrap().to_str().unwrap();
        for (spec, letter) in tag_specs().iter().take(3).zip(["a", "b", "c"]) {
            let file = PathBuf::from("shop").join(format!("{letter}{name}.ntx"));
            table.create_index(Some(&file), BagKind::Ntx, spec, Building::default()).unwrap();
        }
        table.close().unwrap();
    }
    let all: Vec<PathBuf> = ["apeople", "bpeople", "cpeople", "aother", "bother", "cother"]
        .map(|name| PathBuf::from("shop").join(name).with_extension("ntx"))
        .into();
    let cache = VectorCache::new(1 << 20);
    let reader = DbfTable::open(Arc::clone(&fs), &path, "people", OpenOptions::default(), cache, &all).unwrap();
    let mut table = reader.writer(options(Access::Shared)).unwrap();
    let open_files: Vec<PathBuf> = table.bags().map(Path::to_owned).collect();
    assert_eq!(open_files, all[..3]);
    table.append(&refs(&values(77))).unwrap();
    table.close().unwrap();
    compare(&fs, &path, &all[..3]).unwrap();
    compare(&fs, &other, &all[3..]).unwrap();
}

#[test]
fn a_table_can_be_altered() {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    let path = PathBuf::from("shop/people.dbf");
    for format in FORMATS {
        let columns = [("name", text(Some(12)), true), ("age", SqlType::Integer, true), ("note", text(None), true)];
        let spec = indexed::table_spec(format, &columns).unwrap();
        create(&fs, &path, &spec);
        let mut table = IndexedTable::open(Arc::clone(&fs), &path, options(Access::Exclusive)).unwrap();
        index(&mut table, BagKind::Cdx, &[IndexSpec::new("NAME", "NAME")]);
        table.append(&[ValueRef::Text("Anna"), ValueRef::Integer(33), ValueRef::Text("a note")]).unwrap();
        let mut spec = spec_of(table.dbf(), table.memo());
        assert!(format == Format::Dbase7 || spec.format.memo_kind() == format.memo_kind(), "{format:?}");
        let format = spec.format;
        spec.fields.push(field_spec(format, "city", text(Some(10)), true).unwrap());
        let sources: Vec<Source> =
            (0..3).map(Source::Field).chain([Source::Value(Value::Text("Rome".into()))]).collect();
        table.restructure(&spec, &sources, &mut |_, _| ControlFlow::Continue(())).unwrap();
        let mut bytes = Vec::new();
        table.read(1, &mut bytes).unwrap();
        let found: Vec<String> = (0..4).map(|field| table.value(field, &bytes).unwrap().to_string()).collect();
        assert_eq!(found.len(), 4);
        assert!(found[0].contains("Anna") && found[2].contains("a note") && found[3].contains("Rome"), "{found:?}");
        table.close().unwrap();
        compare(&fs, &path, &[]).unwrap();
        for entry in fs.list(Path::new("shop")).unwrap() {
            fs.remove(&entry.path).unwrap();
        }
    }
    assert!(
        writer::create(&*fs, &path, &TableSpec::new(Format::FoxPro, Vec::new()), &options(Access::Exclusive)).is_err()
    );
}
