//! Tables in memory, written with exclusive use and by several writers that share them.

use mainstay_types::{Code, Date, Timestamp, Value, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::dbf::{self, Counter, Dbf, FieldSpec, Format, OpenOptions, TableSpec};
use mainstay_xbase::lock::{LockScheme, LockWait};
use mainstay_xbase::memo::Memo;
use mainstay_xbase::writer::{self, Access, Source, TableWriter, WriteOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const FORMATS: [Format; 6] =
    [Format::DbaseThree, Format::DbaseFour, Format::FoxPro, Format::Six, Format::VisualFoxPro, Format::Dbase7];

fn options(access: Access) -> WriteOptions {
    let clock = || Timestamp::new(Date::from_ymd(2026, 11, 22).unwrap(), 43_200_000);
    let wait = LockWait { timeout: Duration::from_millis(40), interval: Duration::from_millis(1) };
    WriteOptions { clock, wait, ..WriteOptions::new(access) }
}

fn path() -> &'static Path {
    Path::new("t.dbf")
}

struct Shop {
    memory: Memory,
    fs: Arc<dyn FileSystem>,
}

impl Shop {
    fn new(spec: &TableSpec) -> Shop {
        let memory = Memory::new();
        writer::create(&memory, path(), spec, &options(Access::Exclusive)).unwrap();
        Shop { fs: Arc::new(memory.clone()), memory }
    }

    fn open(&self, access: Access) -> TableWriter {
        TableWriter::open(Arc::clone(&self.fs), path(), options(access)).unwrap()
    }

    fn memo_path(&self) -> Option<PathBuf> {
        ["t.fpt", "t.dbt", "t.smt"].map(PathBuf::from).into_iter().find(|memo| self.memory.stamp(memo).is_ok())
    }

    /// Deletion flag and values of all records, as a reader sees them; nothing may be wrong with the table.
    fn rows(&self) -> Vec<(bool, Vec<Value>)> {
        let dbf = Dbf::open(self.memory.open(path()).unwrap(), OpenOptions::default()).unwrap();
        let open = |memo: PathBuf| Memo::open(self.memory.open(&memo).unwrap(), dbf.header().version).unwrap();
        let memo = self.memo_path().map(open);
        let mut findings = Vec::new();
        dbf::check(&dbf, memo.as_ref(), &mut findings).unwrap();
        assert!(findings.is_empty(), "{}", findings.iter().map(|f| f.to_string()).collect::<Vec<_>>().join("\n"));
        let mut rows = Vec::new();
        let mut bytes = Vec::new();
        for row in 0..dbf.read_count().unwrap() {
            dbf.read_record(row, &mut bytes).unwrap();
            let values = (0..dbf.fields().len()).map(|f| writer::decode(&dbf, memo.as_ref(), f, &bytes).unwrap());
            rows.push((bytes[0] == b'*', values.collect()));
        }
        rows
    }

    fn memo_length(&self) -> usize {
        self.memory.read(&self.memo_path().unwrap()).unwrap().len()
    }
}

fn customers(format: Format) -> TableSpec {
    let field = FieldSpec::new;
    let memo = field("note", b'M', 0, 0);
    TableSpec::new(
        format,
        vec![field("name", b'C', 12, 0), field("amount", b'N', 9, 2), field("day", b'D', 0, 0), memo],
    )
}

fn text(length: usize, seed: usize) -> String {
    (0..length).map(|at| char::from(b'a' + ((at * 7 + seed * 3) % 26) as u8)).collect()
}

#[test]
fn every_format_is_created_appended_changed_packed_and_emptied() {
    for format in FORMATS {
        for access in [Access::Exclusive, Access::Shared] {
            let shop = Shop::new(&customers(format));
            let mut table = shop.open(access);
            let day = Date::from_ymd(2026, 2, 28).unwrap();
            for number in 1..=40usize {
                let note = text(number * 37 % 1500, number);
                let values = [
                    ValueRef::Text("Świątek"),
                    ValueRef::Integer(number as i64),
                    ValueRef::Date(day),
                    ValueRef::Text(&note),
                ];
                let values = if number == 7 {
                    [ValueRef::Text("Null"), ValueRef::Null, ValueRef::Null, ValueRef::Null]
                } else {
                    values
                };
                let values = values.map(|v| if v == ValueRef::Text("Świątek") { ValueRef::Text("Swiatek") } else { v });
                assert_eq!(table.append(&values).unwrap(), number as u64);
            }
            let change = table.update(3, &[(1, ValueRef::Integer(-5)), (3, ValueRef::Text("changed"))]).unwrap();
            assert_eq!((change.record, change.old[0], &change.new[1..8]), (3, b' ', &b"Swiatek"[..]));
            assert_ne!(change.old, change.new);
            table.set_deleted(4, true).unwrap();
            table.set_deleted(5, true).unwrap();
            table.set_deleted(5, false).unwrap();
            assert_eq!(table.count().unwrap(), 40);
            table.close().unwrap();

            let rows = shop.rows();
            assert_eq!(rows.len(), 40, "{format:?}");
            assert_eq!(rows.iter().map(|(deleted, _)| *deleted).filter(|d| *d).count(), 1);
            for (number, (deleted, row)) in (1..=40usize).zip(&rows) {
                assert_eq!(*deleted, number == 4);
                let note = match number {
                    3 => "changed".to_owned(),
                    7 => String::new(),
                    _ => text(number * 37 % 1500, number),
                };
                assert_eq!(row[3], Value::Text(note), "{format:?} {access:?} {number}");
                if number != 7 {
                    assert_eq!(row[2], Value::Date(day));
                }
            }
            let last = *shop.memory.read(path()).unwrap().last().unwrap();
            assert_eq!(last, 0x1A);

            let mut table = shop.open(Access::Exclusive);
            let before = shop.memo_length();
            table.pack().unwrap();
            assert_eq!(table.count().unwrap(), 39);
            table.append(&[ValueRef::Text("after"), ValueRef::Integer(1)]).unwrap();
            drop(table);
            let packed = shop.rows();
            let mut expected: Vec<_> = rows.into_iter().filter(|(deleted, _)| !deleted).collect();
            assert_eq!(packed[..39], expected.split_off(0));
            assert_eq!(packed[39].1[0], Value::Text("after".into()));
            assert!(shop.memo_length() <= before, "{format:?}");

            let mut table = shop.open(Access::Exclusive);
            table.zap().unwrap();
            assert_eq!(
                table.append(&[ValueRef::Text("first"), ValueRef::Null, ValueRef::Null, ValueRef::Text("n")]).unwrap(),
                1
            );
            table.close().unwrap();
            assert_eq!(shop.rows()[0].1[3], Value::Text("n".into()));
            let left: Vec<_> = shop.memory.list(Path::new("")).unwrap().into_iter().map(|entry| entry.path).collect();
            assert_eq!(left.len(), 2, "{left:?}");
        }
    }
}

/// Many updates of few records: what they leave behind is used again, where the format has a list of free blocks by
/// everybody, else by the writer that gave them back.
#[test]
fn blocks_of_old_memos_are_used_again() {
    for (format, access) in FORMATS.into_iter().flat_map(|f| [(f, Access::Exclusive), (f, Access::Shared)]) {
        let shop = Shop::new(&TableSpec { memo_block_size: 64, ..customers(format) });
        let mut table = shop.open(access);
        let mut expected = vec![String::new(); 10];
        for _ in 0..10 {
            table.append(&[ValueRef::Text("x")]).unwrap();
        }
        let mut seed = 12345usize;
        for round in 0..1500 {
            seed = (seed * 1_103_515_245 + 12_345) % (1 << 31);
            let record = seed / 8 % 10;
            let note = text(seed / 128 % 900, round);
            table.update(record as u64 + 1, &[(3, ValueRef::Text(&note))]).unwrap();
            expected[record] = note;
            // Another opening finds the list as it was left.
            if round % 300 == 299 {
                drop(table);
                table = shop.open(access);
            }
        }
        drop(table);
        let notes: Vec<Value> = shop.rows().into_iter().map(|(_, mut row)| row.remove(3)).collect();
        assert_eq!(notes, expected.into_iter().map(Value::Text).collect::<Vec<_>>(), "{format:?} {access:?}");
        let length = shop.memo_length();
        // Without a list, what one opening gave back is lost to the next.
        let most = if matches!(format, Format::DbaseThree | Format::VisualFoxPro) { 120_000 } else { 60_000 };
        assert!(length < most, "{format:?} {access:?}: {length} bytes for 10 notes of up to 900");
    }
}

#[test]
fn counters_count_on_through_openings_and_packs() {
    for (format, letter) in [(Format::VisualFoxPro, b'I'), (Format::FoxPro, b'+'), (Format::Dbase7, b'+')] {
        let step = if format == Format::VisualFoxPro { 5 } else { 1 };
        let counter = Some(Counter { next: 100, step });
        let number = FieldSpec { counter, ..FieldSpec::new("id", letter, 4, 0) };
        let shop = Shop::new(&TableSpec::new(format, vec![number, FieldSpec::new("name", b'C', 5, 0)]));
        let step = i64::from(step);
        for (access, from) in [(Access::Exclusive, 0), (Access::Shared, 3), (Access::Exclusive, 6)] {
            let mut table = shop.open(access);
            for _ in 0..3 {
                table.append(&[ValueRef::Null, ValueRef::Text("x")]).unwrap();
            }
            if from == 3 {
                drop(table);
                table = shop.open(Access::Exclusive);
                table.set_deleted(1, true).unwrap();
                table.pack().unwrap();
            }
            drop(table);
        }
        let ids: Vec<Value> = shop.rows().into_iter().map(|(_, mut row)| row.remove(0)).collect();
        let expected: Vec<Value> = (1..9).map(|n| Value::Integer(100 + n * step)).collect();
        assert_eq!(ids, expected, "{format:?}");
        // A new structure goes on counting, or counts as it is told.
        let mut table = shop.open(Access::Exclusive);
        let (fields, counter) = (table.fields().to_vec(), table.dbf().counter(0));
        table.append(&[]).unwrap();
        let with =
            |counter| TableSpec::new(format, vec![FieldSpec::of(&fields[0], counter), FieldSpec::of(&fields[1], None)]);
        let from = [Source::Field(0), Source::Field(1)];
        table.restructure(&with(counter), &from).unwrap();
        table.append(&[]).unwrap();
        let told = table.dbf().counter(0).map(|counter| Counter { next: 7, ..counter });
        table.restructure(&with(told), &from).unwrap();
        table.append(&[]).unwrap();
        drop(table);
        let ids: Vec<Value> = shop.rows().into_iter().map(|(_, mut row)| row.remove(0)).collect();
        assert_eq!(ids[8..], [100 + 9 * step, 100 + 10 * step, 7].map(Value::Integer), "{format:?}");
    }
}

#[test]
fn fields_that_keep_the_last_write_are_kept_up() {
    let fields =
        vec![FieldSpec::new("c", b'C', 5, 0), FieldSpec::new("at", b'=', 8, 0), FieldSpec::new("v", b'^', 8, 0)];
    for access in [Access::Exclusive, Access::Shared] {
        let shop = Shop::new(&TableSpec::new(Format::FoxPro, fields.clone()));
        let mut table = shop.open(access);
        table.append(&[ValueRef::Text("one")]).unwrap();
        table.append(&[ValueRef::Text("two")]).unwrap();
        table.update(1, &[(0, ValueRef::Text("three"))]).unwrap();
        drop(table);
        let rows = shop.rows();
        let noon = Timestamp::new(Date::from_ymd(2026, 11, 22).unwrap(), 43_200_000);
        assert_eq!(rows[0].1[1..], [Value::Timestamp(noon), Value::Integer(3)], "{access:?}");
        assert_eq!(rows[1].1[1..], [Value::Timestamp(noon), Value::Integer(2)], "{access:?}");
    }
}

#[test]
fn a_table_gets_other_fields_and_keeps_its_records() {
    let shop = Shop::new(&customers(Format::VisualFoxPro));
    let mut table = shop.open(Access::Exclusive);
    let day = Date::from_ymd(2025, 12, 31).unwrap();
    let values = [ValueRef::Text("17"), ValueRef::Float(12.5), ValueRef::Date(day), ValueRef::Text("a note")];
    table.append(&values).unwrap();
    table.append(&[ValueRef::Text("18"), ValueRef::Null, ValueRef::Null, ValueRef::Null]).unwrap();
    table.set_deleted(2, true).unwrap();
    let field = FieldSpec::new;
    let fields = vec![
        field("note", b'M', 4, 0),
        field("number", b'I', 4, 0),
        field("amount", b'Y', 8, 0).nullable(),
        field("day", b'T', 8, 0),
        field("kind", b'C', 3, 0),
        field("more", b'N', 5, 1),
    ];
    let spec = TableSpec::new(Format::VisualFoxPro, fields);
    let kind = Value::Text("abc".into());
    let from = [
        Source::Field(3),
        Source::Field(0),
        Source::Field(1),
        Source::Field(2),
        Source::Value(kind.clone()),
        Source::Blank,
    ];
    table.restructure(&spec, &from).unwrap();
    assert_eq!(table.fields().len(), 6);
    table.append(&[ValueRef::Text("new"), ValueRef::Integer(1), ValueRef::Null]).unwrap();
    drop(table);
    let rows = shop.rows();
    let amount = Value::Decimal(mainstay_types::Decimal::new(125_000, 4));
    let first = vec![
        Value::Text("a note".into()),
        Value::Integer(17),
        amount,
        Value::Timestamp(Timestamp::new(day, 0)),
        kind,
        Value::Null,
    ];
    assert_eq!(rows[0], (false, first));
    assert_eq!((rows[1].0, &rows[1].1[2]), (true, &Value::Null));
    assert_eq!(rows.len(), 3);

    // A value that does not fit changes nothing.
    let before = shop.memory.read(path()).unwrap();
    let mut table = shop.open(Access::Exclusive);
    let narrow = TableSpec::new(Format::VisualFoxPro, vec![field("note", b'C', 3, 0)]);
    let error = table.restructure(&narrow, &[Source::Field(0)]).unwrap_err();
    assert!(error.to_string().contains("record 1, field NOTE"), "{error}");
    drop(table);
    assert_eq!(shop.memory.read(path()).unwrap(), before);
    // Without a memo field the memo file goes.
    let mut table = shop.open(Access::Exclusive);
    table
        .restructure(&TableSpec::new(Format::VisualFoxPro, vec![field("n", b'C', 9, 0)]), &[Source::Field(1)])
        .unwrap();
    drop(table);
    assert!(shop.memo_path().is_none());
    assert_eq!(shop.rows()[0].1, [Value::Text("17".into())]);
}

#[test]
fn texts_of_any_type_fields_go_where_there_is_room() {
    let fields = vec![FieldSpec::new("v", b'V', 10, 0), FieldSpec::new("m", b'M', 10, 0)];
    let shop = Shop::new(&TableSpec::new(Format::Six, fields));
    let mut table = shop.open(Access::Exclusive);
    let long = text(700, 1);
    for value in ["", "short", "8 bytes.", "nine byte", &long] {
        table.append(&[ValueRef::Text(value), ValueRef::Text("memo")]).unwrap();
    }
    table.update(5, &[(0, ValueRef::Text("now short"))]).unwrap();
    table.update(2, &[(0, ValueRef::Text(&long))]).unwrap();
    table.set_deleted(1, true).unwrap();
    table.pack().unwrap();
    drop(table);
    let values: Vec<Value> = shop.rows().into_iter().map(|(_, mut row)| row.remove(0)).collect();
    assert_eq!(values, [long.as_str(), "8 bytes.", "nine byte", "now short"].map(|v| Value::Text(v.into())));
}

#[test]
fn two_who_share_lose_nothing_and_exclude_each_other() {
    let schemes =
        ["clipper", "comix", "extended", "foxpro", "harbour64"].map(|name| LockScheme::by_name(name).unwrap());
    for scheme in schemes {
        let shop = Shop::new(&customers(Format::FoxPro));
        let with = WriteOptions { scheme: Some(scheme), ..options(Access::Shared) };
        let open = || TableWriter::open(Arc::clone(&shop.fs), path(), with).unwrap();
        let (mut one, mut two) = (open(), open());
        for round in 0..20 {
            one.append(&[ValueRef::Text("one"), ValueRef::Integer(round)]).unwrap();
            two.append(&[ValueRef::Text("two"), ValueRef::Integer(round)]).unwrap();
        }
        assert_eq!((one.count().unwrap(), two.count().unwrap()), (40, 40));
        one.lock_record(7).unwrap();
        let error = two.update(7, &[(1, ValueRef::Integer(0))]).unwrap_err();
        assert_eq!(error.code(), Code::Busy, "{error}");
        assert!(error.message().starts_with("record 7 is locked by process "), "{error}");
        two.update(8, &[(1, ValueRef::Integer(0))]).unwrap();
        assert_eq!(two.lock_table().unwrap_err().code(), Code::Busy);
        one.update(7, &[(1, ValueRef::Integer(70))]).unwrap();
        one.unlock_record(7).unwrap();
        two.update(7, &[(0, ValueRef::Text("both"))]).unwrap();
        two.lock_table().unwrap();
        assert_eq!(one.append(&[ValueRef::Text("x")]).unwrap_err().code(), Code::Busy);
        assert_eq!(one.set_deleted(1, true).unwrap_err().code(), Code::Busy);
        two.append(&[ValueRef::Text("y")]).unwrap();
        two.unlock().unwrap();
        one.append(&[ValueRef::Text("z")]).unwrap();
        assert_eq!(one.pack().unwrap_err().code(), Code::Busy, "not alone");
        let busy = TableWriter::open(Arc::clone(&shop.fs), path(), options(Access::Exclusive)).unwrap_err();
        assert_eq!(busy.code(), Code::Busy);
        drop((one, two));
        let alone = shop.open(Access::Exclusive);
        assert_eq!(TableWriter::open(Arc::clone(&shop.fs), path(), with).unwrap_err().code(), Code::Busy);
        drop(alone);
        let rows = shop.rows();
        assert_eq!(rows.len(), 42);
        assert_eq!(rows[6].1[..2], [Value::Text("both".into()), Value::Decimal(mainstay_types::Decimal::new(7000, 2))]);
    }
}

#[test]
fn many_are_appended_at_once_and_raw_records_too() {
    for access in [Access::Exclusive, Access::Shared] {
        let shop = Shop::new(&customers(Format::FoxPro));
        let mut table = shop.open(access);
        let note = text(100, 1);
        let row = [ValueRef::Text("n"), ValueRef::Integer(1), ValueRef::Null, ValueRef::Text(&note)];
        let rows = vec![&row[..]; 500];
        assert_eq!(table.append_many(rows.iter().copied()).unwrap(), Some(1..=500));
        assert_eq!(table.append_many([]).unwrap(), None);
        let bad = [ValueRef::Text("n"), ValueRef::Text("no number")];
        assert_eq!(table.append_many([&row[..], &bad[..]]).unwrap_err().code(), Code::TypeMismatch);
        assert_eq!(table.count().unwrap(), if access == Access::Shared { 500 } else { 501 });
        let mut bytes = Vec::new();
        table.read(2, &mut bytes).unwrap();
        bytes[1] = b'R';
        bytes[30..40].fill(b' ');
        let last = table.append_record(&bytes).unwrap();
        assert_eq!(table.append_record(&bytes[1..]).unwrap_err().code(), Code::InvalidValue);
        assert_eq!(table.read(last + 1, &mut bytes).unwrap_err().code(), Code::InvalidValue);
        assert_eq!(table.update(0, &[]).unwrap_err().code(), Code::InvalidValue);
        let change = table.write_record(1, &bytes).unwrap();
        assert_eq!(change.new, bytes);
        table.close().unwrap();
        assert_eq!(shop.rows().len() as u64, last);
    }
}

#[test]
fn what_is_not_understood_in_the_header_stays() {
    let shop = Shop::new(&customers(Format::VisualFoxPro));
    let mut bytes = shop.memory.read(path()).unwrap();
    bytes[12..28].fill(0x77);
    bytes[14] = 0;
    bytes[30] = 0x55;
    let end = bytes.len() - 1;
    bytes[end - 100..end].fill(0x33);
    let before = bytes.clone();
    shop.memory.write(path(), bytes);
    for access in [Access::Shared, Access::Exclusive] {
        let mut table = shop.open(access);
        table.append(&[ValueRef::Text("n"), ValueRef::Integer(1)]).unwrap();
        table.update(1, &[(0, ValueRef::Text("m"))]).unwrap();
        table.flush().unwrap();
        if access == Access::Exclusive {
            table.pack().unwrap();
        }
    }
    let after = shop.memory.read(path()).unwrap();
    assert_eq!(after[1..8], [26, 11, 22, 2, 0, 0, 0]);
    assert_eq!(after[8..end], before[8..end]);
}

#[test]
fn a_header_that_claims_too_much_is_not_written_to_and_repaired_into_a_new_table() {
    let shop = Shop::new(&customers(Format::FoxPro));
    let mut table = shop.open(Access::Exclusive);
    for number in 0..5 {
        let note = text(200, number);
        table
            .append(&[ValueRef::Text("n"), ValueRef::Integer(number as i64), ValueRef::Null, ValueRef::Text(&note)])
            .unwrap();
    }
    drop(table);
    let mut bytes = shop.memory.read(path()).unwrap();
    bytes[4] = 50;
    // A memo reference that leads nowhere.
    let at = usize::from(u16::from_le_bytes([bytes[8], bytes[9]])) + 1 + 12 + 9 + 8;
    bytes[at..at + 10].copy_from_slice(b"    999999");
    shop.memory.write(path(), bytes.clone());
    let error = TableWriter::open(Arc::clone(&shop.fs), path(), options(Access::Shared)).unwrap_err();
    assert_eq!(error.code(), Code::Damaged);
    let found = writer::repair(&shop.fs, path(), Path::new("new.dbf"), &options(Access::Exclusive)).unwrap();
    assert_eq!((found.found.len(), found.unread.len(), found.lost.len()), (1, 1, 0), "{found:?}");
    assert_eq!(shop.memory.read(path()).unwrap(), bytes, "the damaged one stays");
    let new = Path::new("new.dbf");
    assert!(writer::repair(&shop.fs, path(), new, &options(Access::Exclusive)).is_err());
    let dbf = Dbf::open(shop.memory.open(new).unwrap(), OpenOptions::default()).unwrap();
    let memo = Memo::open(shop.memory.open(Path::new("new.fpt")).unwrap(), 0xF5).unwrap();
    let mut findings = Vec::new();
    dbf::check(&dbf, Some(&memo), &mut findings).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    let mut record = Vec::new();
    dbf.read_record(4, &mut record).unwrap();
    assert_eq!(dbf.read_count().unwrap(), 5);
    assert_eq!(writer::decode(&dbf, Some(&memo), 3, &record).unwrap(), Value::Text(text(200, 4)));
    let mut table = TableWriter::open(Arc::clone(&shop.fs), new, options(Access::Shared)).unwrap();
    assert_eq!(table.append(&[ValueRef::Text("six")]).unwrap(), 6);
}

#[test]
fn records_that_the_header_does_not_count_yet_are_not_written_over() {
    let shop = Shop::new(&customers(Format::FoxPro));
    let mut table = shop.open(Access::Exclusive);
    for _ in 0..3 {
        table.append(&[ValueRef::Text("n")]).unwrap();
    }
    drop(table);
    // Another program has written the record, and not the header.
    let mut bytes = shop.memory.read(path()).unwrap();
    bytes[4] = 2;
    shop.memory.write(path(), bytes);
    for access in [Access::Shared, Access::Exclusive] {
        let mut table = shop.open(access);
        let expected = if access == Access::Shared { 4 } else { 5 };
        assert_eq!(table.append(&[ValueRef::Text("m")]).unwrap(), expected);
    }
    assert_eq!(shop.rows().len(), 5);
}

#[test]
fn a_memo_that_stays_what_it_was_is_not_stored_again() {
    let shop = Shop::new(&customers(Format::VisualFoxPro));
    let mut table = shop.open(Access::Shared);
    table.append(&[ValueRef::Text("n"), ValueRef::Null, ValueRef::Null, ValueRef::Text("the note")]).unwrap();
    let length = shop.memo_length();
    for amount in 0..50 {
        let change = table.update(1, &[(1, ValueRef::Integer(amount)), (3, ValueRef::Text("the note"))]).unwrap();
        assert_eq!(change.old[30..34], change.new[30..34]);
    }
    assert_eq!(shop.memo_length(), length);
    table.update(1, &[(3, ValueRef::Text("another"))]).unwrap();
    assert_ne!(shop.memo_length(), length);
    assert_eq!(shop.rows()[0].1[3], Value::Text("another".into()));
}

#[test]
fn an_update_can_be_taken_back() {
    for (format, access) in FORMATS.into_iter().flat_map(|f| [(f, Access::Exclusive), (f, Access::Shared)]) {
        let shop = Shop::new(&customers(format));
        let mut table = shop.open(access);
        let old = text(300, 1);
        table.append(&[ValueRef::Text("n"), ValueRef::Integer(1), ValueRef::Null, ValueRef::Text(&old)]).unwrap();
        table.flush().unwrap();
        let before = shop.rows();
        table.lock_record(1).unwrap();
        let new = text(900, 2);
        let values = [(0, ValueRef::Text("m")), (3, ValueRef::Text(&new))];
        let update = table.update_revocably(1, &values).unwrap();
        assert_ne!(update.change.old, update.change.new);
        table.take_back(update).unwrap();
        table.flush().unwrap();
        assert_eq!(shop.rows(), before, "{format:?} {access:?}");
        // The blocks freed by the rollback are not those of the old value.
        table.append(&[ValueRef::Text("other"), ValueRef::Null, ValueRef::Null, ValueRef::Text(&new)]).unwrap();
        let update = table.update_revocably(1, &values).unwrap();
        table.keep(update);
        table.append(&[ValueRef::Text("third"), ValueRef::Null, ValueRef::Null, ValueRef::Text(&old)]).unwrap();
        table.close().unwrap();
        let notes: Vec<Value> = shop.rows().into_iter().map(|(_, mut row)| row.remove(3)).collect();
        assert_eq!(notes, [&new, &new, &old].map(|note| Value::Text(note.clone())), "{format:?} {access:?}");
    }
}
