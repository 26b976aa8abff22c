//! Tables and memo files of other programs, changed here: unchanged parts stay, byte for byte where they are bytes, and
//! the files pass the check afterwards.

use mainstay_types::{Value, ValueRef};
use mainstay_vfs::{Disk, FileSystem, Memory};
use mainstay_xbase::dbf::{self, Dbf, FieldKind, OpenOptions};
use mainstay_xbase::memo::Memo;
use mainstay_xbase::writer::{self, Access, TableWriter, WriteOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Tables with memos of every kind: DBT III, FPT with all block sizes and lists, SMT, DBT IV.
const TABLES: [&str; 15] = [
    "t01_alltypes_cdx.fpt",
    "t02_clipper_dbt.dbt",
    "t03_cdx_tags.fpt",
    "t06_fpt_blk1.fpt",
    "t06_fpt_blk32.fpt",
    "t06_fpt_blk64.fpt",
    "t06_fpt_blk1024.fpt",
    "t07_vfp.fpt",
    "more/m12_smt.smt",
    "more/m13_dbt_cdx.dbt",
    "more/m14_fpt_clip.fpt",
    "more/m14_fpt_flex.fpt",
    "more/m14_fpt_six.fpt",
    "dbase4/d4_memo512.dbt",
    "dbase4/d4_memo1024.dbt",
];

/// Values of all records, with what is wrong with the table.
fn read(memory: &Memory, table: &Path, memo: &Path) -> (Vec<Vec<Value>>, Vec<String>) {
    let dbf = Dbf::open(memory.open(table).unwrap(), OpenOptions::default()).unwrap();
    let memo = Memo::open(memory.open(memo).unwrap(), dbf.header().version).unwrap();
    let mut findings = Vec::new();
    dbf::check(&dbf, Some(&memo), &mut findings).unwrap();
    let mut rows = Vec::new();
    let mut bytes = Vec::new();
    for row in 0..dbf.record_count(dbf.file().stamp().unwrap().len) {
        dbf.read_record(row, &mut bytes).unwrap();
        let values = (0..dbf.fields().len()).map(|field| writer::decode(&dbf, Some(&memo), field, &bytes).unwrap());
        rows.push(values.collect());
    }
    (rows, findings.iter().map(ToString::to_string).collect())
}

#[test]
fn memos_of_other_programs_are_changed_and_the_rest_stays() {
    for name in TABLES {
        for access in [Access::Exclusive, Access::Shared] {
            change_and_compare(name, access);
        }
    }
}

fn change_and_compare(name: &str, access: Access) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures");
    let memory = Memory::new();
    let memo = PathBuf::from("t").with_extension(Path::new(name).extension().unwrap());
    let table = Path::new("t.dbf");
    memory.write(&memo, Disk.read(&folder.join(name)).unwrap());
    memory.write(table, Disk.read(&folder.join(name).with_extension("dbf")).unwrap());
    let (mut expected, before) = read(&memory, table, &memo);
    let length = memory.read(&memo).unwrap().len();
    let mut writer = TableWriter::open(Arc::new(memory.clone()), table, WriteOptions::new(access)).unwrap();
    let fields = writer.fields().to_vec();
    let memos: Vec<usize> = (0..fields.len()).filter(|&at| fields[at].kind == FieldKind::Memo).collect();
    let Some(&first) = memos.first() else { panic!("{name} has no memo field") };
    let mut seed = 7usize;
    for round in 0..400usize {
        seed = (seed * 1_103_515_245 + 12_345) % (1 << 31);
        let record = seed / 16 % expected.len().min(12);
        let field = memos[seed / 1024 % memos.len()];
        let text = format!("{round} {}", "text ".repeat(seed / 4096 % 120));
        let text = text.trim_end();
        writer.update(record as u64 + 1, &[(field, ValueRef::Text(text))]).unwrap_or_else(|e| panic!("{name}: {e}"));
        expected[record][field] = Value::Text(text.to_owned());
    }
    let mut row = vec![Value::Null; fields.len()];
    row[first] = Value::Text("of a new record".to_owned());
    let number = writer.append_some(&[(first, row[first].as_ref())]).unwrap();
    assert_eq!(number as usize, expected.len() + 1);
    writer.close().unwrap();
    let (mut found, after) = read(&memory, table, &memo);
    assert_eq!(found.pop().unwrap()[first], row[first], "{name}");
    // Findings of values that were changed are gone.
    assert!(after.iter().all(|finding| before.contains(finding)), "{name} {access:?}: {after:?} after {before:?}");
    for (record, (found, expected)) in found.iter_mut().zip(&mut expected).enumerate() {
        // Fields that keep the last write have it.
        for (at, field) in fields.iter().enumerate() {
            if matches!(field.kind, FieldKind::ModificationTime | FieldKind::RowVersion) {
                (found[at], expected[at]) = (Value::Null, Value::Null);
            }
        }
        assert_eq!(found, expected, "{name} {access:?}, record {}", record + 1);
    }
    let grown = memory.read(&memo).unwrap().len() - length;
    let has_list = ["smt", "flex", "six"].iter().any(|part| name.contains(part));
    assert!(!has_list || grown < 150_000, "{name} {access:?} grew by {grown}");

    let mut writer = TableWriter::open(Arc::new(memory.clone()), table, WriteOptions::new(Access::Exclusive)).unwrap();
    writer.pack().unwrap_or_else(|error| panic!("{name}: {error}"));
    writer.close().unwrap();
    let (packed, findings) = read(&memory, table, &memo);
    assert!(findings.iter().all(|finding| before.contains(finding)), "{name}: {findings:?}");
    assert!(packed.len() <= found.len() + 1 && packed.len() * 2 > found.len(), "{name}");
}
