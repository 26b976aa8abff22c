//! Areas without their tables: every record reads there as it does in its table, and changes made there are those that
//! the table's own area would make.

mod common;

use common::copied;
use mainstay_vfs::FileSystem;
use mainstay_workarea::{Area, AreaOptions, FieldValue, Mode};
use std::path::Path;
use std::sync::Arc;

fn opened(files: &Arc<dyn FileSystem>, name: &str) -> Area {
    let options = AreaOptions { mode: Mode::Shared, implicit_locks: true, ..AreaOptions::default() };
    Area::open(Arc::clone(files), Path::new(name), &options).unwrap()
}

#[test]
fn records_read_the_same() {
    for (table, memo) in [
        ("t01_alltypes_cdx.dbf", "t01_alltypes_cdx.fpt"),
        ("t02_clipper_dbt.dbf", "t02_clipper_dbt.dbt"),
        ("t06_fpt_blk1.dbf", "t06_fpt_blk1.fpt"),
    ] {
        let files: Arc<dyn FileSystem> = Arc::new(copied(&[table, memo]));
        let mut area = opened(&files, table);
        let mut detached = Area::detached(Path::new("far/away.dbf"), &area.form_of_table().unwrap()).unwrap();
        assert_eq!(detached.fields(), area.fields());
        let mut lent = 0;
        while !area.is_eof() {
            let bytes = area.record().unwrap().to_vec();
            detached.show(area.position(), 1000, Some(&bytes));
            assert_eq!(detached.record_number(), area.record_number());
            for field in 0..area.fields().len() {
                if detached.lacks_value(field).unwrap() {
                    detached.lend_value(field, area.get(field).unwrap());
                    lent += 1;
                }
                let values = (detached.get(field), area.get(field));
                assert_eq!(format!("{:?}", values.0), format!("{:?}", values.1), "{table}, field {field}");
            }
            area.skip(1).unwrap();
        }
        assert!(lent > 0, "{table} has no memos");
    }
}

#[test]
fn changes_go_to_the_table() {
    let names = ["t01_alltypes_cdx.dbf", "t01_alltypes_cdx.fpt"];
    let files: Arc<dyn FileSystem> = Arc::new(copied(&names));
    let mut area = opened(&files, names[0]);
    let mut detached = Area::detached(Path::new("far.dbf"), &area.form_of_table().unwrap()).unwrap();
    let bytes = area.record().unwrap().to_vec();
    detached.show(area.position(), 1000, Some(&bytes));
    assert!(!detached.has_pending() && detached.changes().pieces.is_empty());
    let memo = (0..area.fields().len()).find(|field| area.fields()[*field].letter == b'M').unwrap();
    let text = (0..area.fields().len()).find(|field| area.fields()[*field].letter == b'C').unwrap();
    detached.set(text, &FieldValue::Text(b"changed far away".to_vec())).unwrap();
    detached.set_memo(memo, b"a long value").unwrap();
    detached.delete().unwrap();
    let changes = detached.changes();
    assert!(changes.pieces.len() >= 2 && changes.memos.len() == 1, "{changes:?}");
    area.put_changes(&changes).unwrap();
    area.write().unwrap();
    drop(area);
    let mut area = opened(&files, names[0]);
    assert!(area.is_deleted().unwrap());
    assert!(area.get_text(text).unwrap().starts_with(b"changed far away"));
    assert_eq!(area.memo_bytes(memo).unwrap().unwrap(), b"a long value");

    let mut wrong = changes.clone();
    wrong.pieces.push((u16::MAX, vec![1]));
    assert!(area.put_changes(&wrong).is_err());
    wrong = changes;
    wrong.memos[0].0 = text as u16;
    assert!(area.put_changes(&wrong).is_err());
}

#[test]
fn a_header_that_is_none_is_refused() {
    let names = ["t01_alltypes_cdx.dbf", "t01_alltypes_cdx.fpt"];
    let files: Arc<dyn FileSystem> = Arc::new(copied(&names));
    let form = opened(&files, names[0]).form_of_table().unwrap();
    for length in [0, 5, 11, 31, 33, form.header.len() / 2] {
        let mut cut = form.clone();
        cut.header.truncate(length);
        assert!(Area::detached(Path::new("far.dbf"), &cut).is_err(), "{length}");
    }
    let mut cut = form;
    cut.memo = Some(("exe".into(), Vec::new()));
    assert!(Area::detached(Path::new("far.dbf"), &cut).is_err());
}
