//! A DBF table as the file of a program, beside SQL statements and a program of xBase.

use mainstay_basic_database::DatabaseVolume;
use mainstay_basic_files::{
    FolderVolume, KeyFunction, OpenMode, OpenOptions, Order, Place, ReadMode, ReadOptions, RecordFile, ScanRange,
    SessionId, Volume, WriteMode, WriteOptions,
};
use mainstay_basic_tables::TableVolume;
use mainstay_engine::Database;
use mainstay_vfs::{Disk, FileSystem};
use mainstay_workarea::{Area, AreaOptions, Mode, NewOrder, SeekHow, SeekKey, untold};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

struct Shop {
    folder: tempfile::TempDir,
    database: Database,
    volume: DatabaseVolume,
}

fn area(folder: &Path, mode: Mode) -> Area {
    let options = AreaOptions { mode, implicit_locks: true, ..AreaOptions::default() };
    Area::open(Arc::new(Disk), &folder.join("customers.dbf"), &options).unwrap()
}

/// Three customers, with tags of the identifier and of the name in upper case.
fn shop() -> Shop {
    let folder = tempfile::tempdir().unwrap();
    let files: Arc<dyn FileSystem> = Arc::new(Disk);
    let fields = vec![
        FieldSpec::new("ID", b'C', 4, 0),
        FieldSpec::new("NAME", b'C', 12, 0),
        FieldSpec::new("OWED", b'N', 9, 2),
        FieldSpec::new("SINCE", b'D', 8, 0),
    ];
    let path = folder.path().join("customers.dbf");
    Area::create(&files, &path, &TableSpec::new(Format::FoxPro, fields)).unwrap();
    let mut table = area(folder.path(), Mode::Exclusive);
    table.create_order(&NewOrder::new("BY_ID", "ID"), &mut untold).unwrap();
    table.create_order(&NewOrder::new("BY_NAME", "UPPER(NAME)"), &mut untold).unwrap();
    for (id, name, owed, since) in
        [("C3", "adams", 12.5, "20240229"), ("C1", "Zorn", 0.0, ""), ("C2", "Miller", -3.25, "19991231")]
    {
        table.append_blank().unwrap();
        table.set_bytes(0, id.as_bytes()).unwrap();
        table.set_bytes(1, name.as_bytes()).unwrap();
        table.set_number(2, owed).unwrap();
        table.set_bytes(3, since.as_bytes()).unwrap();
        table.write().unwrap();
    }
    table.close().unwrap();
    let database = Database::open(folder.path()).unwrap();
    let plain = Arc::new(FolderVolume::new(Arc::clone(database.files()), folder.path()));
    let keyed = Arc::new(TableVolume::new(database.native_store().unwrap(), plain, database.durability()));
    Shop { folder, volume: DatabaseVolume::new(keyed, database.clone()), database }
}

impl Shop {
    fn open(&self, name: &str, session: u64) -> Box<dyn RecordFile> {
        self.volume.open(name, &OpenOptions::new(SessionId(session), OpenMode::Shared)).unwrap()
    }

    fn sql(&self, statement: &str) -> Result<u64, mainstay_types::Error> {
        let mut session = self.database.session();
        session.set("lock_timeout", "50ms")?;
        session.prepare(statement)?.execute(&mut session, &[])
    }

    fn cell(&self, query: &str) -> String {
        let mut session = self.database.session();
        let mut prepared = session.prepare(query).unwrap();
        let mut rows = prepared.query(&mut session, &[]).unwrap();
        rows.next().unwrap().unwrap().get(0).to_string()
    }
}

fn shown(data: &[u8]) -> String {
    data.iter().map(|byte| if *byte == 0x8A { '|' } else { char::from(*byte) }).collect()
}

fn next(file: &mut dyn RecordFile) -> Result<String, u16> {
    file.read(Place::Next, &ReadOptions::default()).map(shown).map_err(|error| error.number())
}

fn key(file: &mut dyn RecordFile, order: usize, key: &str) -> Result<String, u16> {
    let options = ReadOptions::in_order(Order::Key(order));
    file.read(Place::Key(key.as_bytes()), &options).map(shown).map_err(|error| error.number())
}

fn record(fields: &[&str]) -> Vec<u8> {
    fields.iter().flat_map(|field| field.bytes().chain([0x8A])).collect()
}

#[test]
fn records_are_read_in_all_orders() {
    let shop = shop();
    let mut file = shop.open("customers", 1);
    assert_eq!(next(file.as_mut()).unwrap(), "C3|adams|12.5|20240229|");
    assert_eq!(next(file.as_mut()).unwrap(), "C1|Zorn|0||");
    assert_eq!(next(file.as_mut()).unwrap(), "C2|Miller|-3.25|19991231|");
    assert_eq!(next(file.as_mut()), Err(2));
    assert_eq!(key(file.as_mut(), 1, "C2").unwrap(), "C2|Miller|-3.25|19991231|");
    assert_eq!(next(file.as_mut()).unwrap(), "C3|adams|12.5|20240229|");
    assert_eq!(key(file.as_mut(), 1, "C0"), Err(11));
    assert_eq!(next(file.as_mut()).unwrap(), "C1|Zorn|0||");
    assert_eq!(key(file.as_mut(), 9, "C0"), Err(80));
    assert_eq!(key(file.as_mut(), 0, "x"), Err(46));
    let by_name = file.definition().keys.number_of("by_name").unwrap();
    let first = file.key(KeyFunction::First, Some(by_name)).unwrap();
    assert_eq!(shown(&first), "ADAMS");
    assert_eq!(shown(&file.key(KeyFunction::Last, Some(by_name)).unwrap()), "ZORN");
    assert_eq!(shown(&file.key(KeyFunction::First, Some(0)).unwrap()), "0000000001");
    let range = ScanRange { order: Some(Order::Key(1)), begin: Some(b"C2"), ..ScanRange::default() };
    let mut scan = file.scan(&range).unwrap();
    let mut seen = Vec::new();
    while let Some(found) = file.scan_next(&mut scan).unwrap() {
        seen.push(shown(found.key));
    }
    assert_eq!(seen, ["C2", "C3"]);
}

#[test]
fn each_door_sees_the_changes_of_the_others() {
    let shop = shop();
    let mut file = shop.open("customers.dbf", 1);
    // A new record of the program, in the answer to SQL and in the index of xBase.
    let new = WriteOptions { mode: WriteMode::New, ..WriteOptions::default() };
    file.write(&record(&["C4", "Nemo", "7.5", "20260101"]), &new).unwrap();
    assert_eq!(shop.cell("SELECT name FROM customers WHERE id = 'C4'"), "'Nemo'");
    let mut xbase = area(shop.folder.path(), Mode::Shared);
    xbase.set_order(xbase.order_named("BY_NAME")).unwrap();
    assert!(xbase.seek(&SeekKey::Text(b"NEMO".to_vec()), SeekHow::default()).unwrap());
    // A change by xBase, read by the program in the order of the tag.
    xbase.set_number(2, 99.0).unwrap();
    xbase.write().unwrap();
    assert_eq!(key(file.as_mut(), 1, "C4").unwrap(), "C4|Nemo|99|20260101|");
    // A change by SQL of a key, found by the program.
    assert_eq!(shop.sql("UPDATE customers SET id = 'C9', owed = 1 WHERE id = 'C1'").unwrap(), 1);
    assert_eq!(key(file.as_mut(), 1, "C9").unwrap(), "C9|Zorn|1||");
    assert_eq!(key(file.as_mut(), 1, "C1"), Err(11));
    // The program replaces an extracted record, and removes another one.
    let extract = ReadOptions { order: Some(Order::Key(1)), ..ReadOptions::new(ReadMode::Extract) };
    file.read(Place::Key(b"C9"), &extract).unwrap();
    file.write(&record(&["C9", "Zorn", "2.25", "20250615"]), &WriteOptions::default()).unwrap();
    assert_eq!(shop.cell("SELECT owed FROM customers WHERE id = 'C9'"), "2.25");
    key(file.as_mut(), 1, "C3").unwrap();
    file.remove(None, None, Duration::ZERO).unwrap();
    assert_eq!(shop.cell("SELECT COUNT(*) FROM customers"), "3");
}

#[test]
fn extracted_records_keep_the_other_doors_out() {
    let shop = shop();
    let (mut one, mut two) = (shop.open("customers", 1), shop.open("customers", 2));
    let extract = ReadOptions { order: Some(Order::Key(1)), ..ReadOptions::new(ReadMode::Extract) };
    one.read(Place::Key(b"C1"), &extract).unwrap();
    assert_eq!(key(two.as_mut(), 1, "C1"), Err(0));
    assert_eq!(two.read(Place::Key(b"C1"), &extract).unwrap_err().number(), 0);
    assert!(key(two.as_mut(), 1, "C2").is_ok());
    let refused = shop.sql("UPDATE customers SET owed = 5 WHERE id = 'C1'").unwrap_err();
    assert_eq!(refused.code(), mainstay_types::Code::LockTimeout);
    assert!(!area(shop.folder.path(), Mode::Shared).try_lock_record(2).unwrap());
    one.release().unwrap();
    assert_eq!(shop.sql("UPDATE customers SET owed = 5 WHERE id = 'C1'").unwrap(), 1);
    assert_eq!(key(two.as_mut(), 1, "C1").unwrap(), "C1|Zorn|5||");
}

#[test]
fn native_tables_and_csv_files_are_channels() {
    let shop = shop();
    let create = "CREATE TABLE items (code VARCHAR(4) PRIMARY KEY, name VARCHAR(20), price DECIMAL(9,2) NOT NULL)";
    shop.database.session().execute(create).unwrap();
    let mut items = shop.open("items", 1);
    for (code, name, price) in [("B", "nut", "0.1"), ("A", "bolt", "2.50")] {
        items.write(&record(&[code, name, price]), &WriteOptions::default()).unwrap();
    }
    let new = WriteOptions { mode: WriteMode::New, ..WriteOptions::default() };
    assert_eq!(items.write(&record(&["A", "x", "1"]), &new).unwrap_err().number(), 11);
    items.write(&record(&["A", "screw", "3"]), &WriteOptions::default()).unwrap();
    assert_eq!(items.write(&record(&["A", "x", "1", "y"]), &WriteOptions::default()).unwrap_err().number(), 1);
    assert_eq!(shop.cell("SELECT price FROM items WHERE name = 'screw'"), "3.00");
    assert_eq!(key(items.as_mut(), 0, "A").unwrap(), "A|screw|3|");
    assert_eq!(next(items.as_mut()).unwrap(), "B|nut|0.1|");
    let extract = ReadOptions { order: Some(Order::Key(0)), ..ReadOptions::new(ReadMode::Extract) };
    items.read(Place::Key(b"B"), &extract).unwrap();
    let refused = shop.sql("UPDATE items SET price = 5 WHERE code = 'B'").unwrap_err();
    assert_eq!(refused.code(), mainstay_types::Code::LockTimeout);
    items.release().unwrap();
    mainstay_vfs_write(&shop, "rates.csv", "city,rate\nOslo,1.5\nRome,2\n");
    let mut rates = shop.open("rates", 1);
    assert_eq!(next(rates.as_mut()).unwrap(), "Oslo|1.5|");
    assert_eq!(next(rates.as_mut()).unwrap(), "Rome|2|");
    assert_eq!(next(rates.as_mut()), Err(2));
    assert_eq!(rates.write(&record(&["Bonn", "3"]), &WriteOptions::default()).unwrap_err().number(), 13);
}

#[allow(clippy::disallowed_methods)]
fn mainstay_vfs_write(shop: &Shop, name: &str, text: &str) {
    std::fs::write(shop.folder.path().join(name), text).unwrap();
}

#[test]
fn letters_are_the_same_for_programs_and_sql() {
    let shop = shop();
    let mut file = shop.open("customers", 1);
    // FC is the letter in strings; the table has code page 437.
    file.write(b"C9\x8AM\xFCller\x8A1\x8A\x8A", &WriteOptions::default()).unwrap();
    assert_eq!(shop.cell("SELECT name FROM customers WHERE id = 'C9'"), "'Müller'");
    // 80 is the sign of the euro, which the table's code page does not have.
    let refused = file.write(b"C8\x8A5 \x80\x8A1\x8A\x8A", &WriteOptions::default()).unwrap_err();
    assert_eq!(refused.number(), 13);
    shop.sql("UPDATE customers SET name = 'Höller' WHERE id = 'C9'").unwrap();
    let options = ReadOptions::in_order(Order::Key(1));
    assert_eq!(file.read(Place::Key(b"C9"), &options).unwrap(), b"C9\x8AH\xF6ller\x8A1\x8A\x8A");
}
