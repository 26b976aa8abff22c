//! The memo blocks of deleted records in an ADT are reused by the records that replace them.

use mainstay_types::ValueRef;
use mainstay_vfs::{FileSystem, Memory};
use mainstay_workarea::{Area, AreaOptions, Mode};
use mainstay_xbase::adt::{Type, field_of_type};
use mainstay_xbase::dbf::{Format, TableSpec};
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::path::Path;
use std::sync::Arc;

#[test]
fn blocks_of_deleted_records_are_used_again() {
    let memory = Memory::new();
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let path = Path::new("t.adt");
    let fields = vec![field_of_type("ID", Type::Integer, 0, 0), field_of_type("NOTE", Type::Memo, 0, 0)];
    let options = WriteOptions::new(Access::Exclusive);
    writer::create(&*fs, path, &TableSpec::new(Format::Advantage, fields), &options).unwrap();
    let mut length = 0;
    for round in 0..10 {
        let mut table = IndexedTable::open(Arc::clone(&fs), path, options).unwrap();
        let note = "a note ".repeat(50);
        for id in 0..20 {
            table.append(&[ValueRef::Integer(id), ValueRef::Text(&note)]).unwrap();
        }
        table.close().unwrap();
        let mut area =
            Area::open(Arc::clone(&fs), path, &AreaOptions { mode: Mode::Exclusive, ..AreaOptions::default() })
                .unwrap();
        area.set_hide_deleted(true);
        area.go_top().unwrap();
        while !area.is_eof() {
            area.delete().unwrap();
            area.skip(1).unwrap();
        }
        area.close().unwrap();
        let now = memory.read(Path::new("t.adm")).unwrap().len();
        if round == 1 {
            length = now;
        }
        assert!(round < 2 || now == length, "{length} bytes became {now}");
    }
}
