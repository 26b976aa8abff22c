//! Speed of appending and changing records: measured, not asserted. Run with
//! `cargo test --release -p mainstay-xbase --test write_speed -- --ignored --nocapture`.

use mainstay_types::{Date, Decimal, ValueRef};
use mainstay_vfs::Disk;
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::writer::{self, Access, TableWriter, WriteOptions};
use std::sync::Arc;
use std::time::Instant;

#[test]
#[ignore = "a measurement"]
fn appends_and_updates() {
    let field = FieldSpec::new;
    let fields = vec![
        field("id", b'N', 10, 0),
        field("name", b'C', 30, 0),
        field("city", b'C', 20, 0),
        field("balance", b'N', 12, 2),
        field("since", b'D', 8, 0),
        field("active", b'L', 1, 0),
    ];
    let spec = TableSpec::new(Format::FoxPro, fields);
    let day = Date::from_ymd(2026, 11, 22).unwrap();
    for access in [Access::Exclusive, Access::Shared] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.dbf");
        let options = WriteOptions::new(access);
        writer::create(&Disk, &path, &spec, &options).unwrap();
        let mut table = TableWriter::open(Arc::new(Disk), &path, options).unwrap();
        let values = |number: i64| {
            [
                ValueRef::Integer(number),
                ValueRef::Text("Somebody with a name"),
                ValueRef::Text("Oslo"),
                ValueRef::Decimal(Decimal::new(i128::from(number) * 37, 2)),
                ValueRef::Date(day),
                ValueRef::Boolean(number % 2 == 0),
            ]
        };
        let begun = Instant::now();
        for number in 0..100_000 {
            table.append(&values(number)).unwrap();
        }
        table.flush().unwrap();
        println!("{access:?}: 100,000 appends one by one in {:?}", begun.elapsed());
        let rows: Vec<_> = (0..100_000).map(values).collect();
        let begun = Instant::now();
        table.append_many(rows.iter().map(|row| &row[..])).unwrap();
        table.flush().unwrap();
        println!("{access:?}: 100,000 appended at once in {:?}", begun.elapsed());
        let begun = Instant::now();
        for number in 1..=100_000 {
            table.update(number, &[(3, ValueRef::Integer(7))]).unwrap();
        }
        println!("{access:?}: 100,000 updates in {:?}", begun.elapsed());
        table.close().unwrap();
    }
}
