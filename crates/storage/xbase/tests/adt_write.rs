//! Writing to ADT tables: random changes against a model, read back by a reader that shares no code with the product's.

use mainstay_types::{Code, Date, Decimal, Time, Timestamp, Value, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::adt::{Type, field_of_type};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::indexed::{IndexedTable, Transaction};
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::path::Path;
use std::sync::Arc;

const PATH: &str = "t.adt";

fn options(access: Access) -> WriteOptions {
    let clock = || Timestamp::new(Date::from_ymd(2026, 11, 22).unwrap(), 1_000);
    WriteOptions { clock, ..WriteOptions::new(access) }
}

/// One field of each type that a program gives values, behind the three that count.
fn spec() -> TableSpec {
    let of = |name: &str, kind, length, decimals| field_of_type(name, kind, length, decimals);
    TableSpec::new(
        Format::Advantage,
        vec![
            of("Id", Type::AutoIncrement, 0, 0),
            of("Version", Type::RowVersion, 0, 0),
            of("Changed", Type::ModTime, 0, 0),
            of("A name of more than ten letters", Type::Character, 12, 0),
            of("Number", Type::Integer, 0, 0),
            of("Small", Type::ShortInt, 0, 0),
            of("Price", Type::Money, 0, 0),
            of("Rate", Type::Double, 0, 0),
            of("Digits", Type::Numeric, 8, 2),
            of("Born", Type::Date, 0, 0),
            of("At", Type::Time, 0, 0),
            of("Moment", Type::TimeStamp, 0, 0),
            of("Ok", Type::Logical, 0, 0),
            of("Note", Type::Memo, 0, 0),
            of("Blob", Type::Binary, 0, 0),
            of("Bytes", Type::Raw, 3, 0),
            of("Varies", Type::VarChar, 10, 0),
            of("Wide", Type::NChar, 6, 0),
        ],
    )
}

/// Fields that are given values begin here.
const FIRST: usize = 3;

/// A small generator: the same values in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn text(&mut self, most: u64) -> String {
        (0..self.below(most + 1)).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }

    fn value(&mut self, field: usize) -> Value {
        if self.below(5) == 0 {
            return Value::Null;
        }
        match field {
            3 => Value::Text(self.text(12)),
            4 => Value::Integer(self.below(1 << 32) as i64 - i64::from(i32::MAX)),
            5 => Value::Integer(self.below(1 << 16) as i64 - i64::from(i16::MAX)).clamp_small(),
            6 => Value::Decimal(Decimal::new(self.below(1 << 40) as i128 - (1 << 39), 4)),
            7 => Value::Float(self.below(1 << 30) as f64 / 8.0 - 1000.0),
            8 => Value::Decimal(Decimal::new(self.below(99_999) as i128 - 9_999, 2)),
            9 => Value::Date(Date(self.below(40_000) as i32 - 20_000)),
            10 => Value::Time(Time::from_nanos(self.below(86_400_000) as i64 * 1_000_000).unwrap()),
            11 => Value::Timestamp(Timestamp::new(Date(self.below(20_000) as i32), self.below(86_400_000) as u32)),
            12 => Value::Boolean(self.below(2) == 1),
            13 => Value::Text(format!("n{}", self.text(300))),
            14 => Value::Binary((0..1 + self.below(50)).map(|_| self.below(256) as u8).collect()),
            15 => Value::Binary(vec![1 + self.below(255) as u8, self.below(256) as u8, self.below(256) as u8]),
            16 => Value::Text(self.text(10)),
            _ => Value::Text(format!("ż{}", self.text(5))),
        }
    }
}

trait Clamped {
    fn clamp_small(self) -> Value;
}

impl Clamped for Value {
    fn clamp_small(self) -> Value {
        match self {
            Value::Integer(value) => Value::Integer(value.clamp(-32_767, 32_767)),
            other => other,
        }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap())
}

/// The findings of the independent reader: for each record its values, none for a deleted one; and the counters.
#[derive(Debug)]
struct Found {
    records: Vec<Option<Vec<Value>>>,
    next_id: u64,
    row_version: u64,
    /// The list of reusable records.
    reusable: Vec<u32>,
}

/// Reads the bytes by the page `docs/formats/adt.md`.
fn read(fs: &dyn FileSystem) -> Found {
    let bytes = fs.read(Path::new(PATH)).unwrap();
    let memo = fs.read(Path::new("t.adm")).unwrap();
    assert_eq!(&bytes[..16], b"Advantage Table\0");
    assert_eq!((u16_at(&bytes, 356), u32_at(&bytes, 20)), (4, 1));
    let (count, start, length) = (u32_at(&bytes, 24), u32_at(&bytes, 32) as usize, u32_at(&bytes, 36) as usize);
    let fields = usize::from(u16_at(&bytes, 358));
    assert_eq!(start, 400 + 200 * fields);
    assert!(bytes.len() >= start + count as usize * length, "{} bytes", bytes.len());
    let record = |number: u32| &bytes[start + (number as usize - 1) * length..start + number as usize * length];
    let describe = |field: usize| {
        let one = &bytes[400 + 200 * field..600 + 200 * field];
        (u16_at(one, 129), u32_at(one, 131) as usize, usize::from(u16_at(one, 135)))
    };
    let value = |record: &[u8], field: usize| {
        let (kind, at, length) = describe(field);
        value(kind, &record[at..at + length], &memo)
    };
    let of = |number| {
        let record = record(number);
        assert!(record[0] == 4 || record[0] == 5, "flags {}", record[0]);
        let is_live = record[0] == 4;
        assert!(!is_live || u32_at(record, 1) == 0, "a live record {number} with a link");
        is_live.then(|| (0..fields).map(|field| value(record, field)).collect())
    };
    let (mut reusable, mut at) = (Vec::new(), u32_at(&bytes, 40));
    while at != 0 {
        assert!(at <= count && !reusable.contains(&at), "a list that leads to {at}");
        assert_eq!(record(at)[0], 5, "record {at} on the list is not deleted");
        reusable.push(at);
        at = u32_at(record(at), 1);
    }
    assert_eq!(u32_at(&bytes, 48) as usize, reusable.len());
    let records = (1..=count).map(of).collect();
    Found { records, next_id: u64_at(&bytes, 80), row_version: u64_at(&bytes, 360), reusable }
}

/// The value of a cell: table 1.4 of the page.
fn value(kind: u16, cell: &[u8], memo: &[u8]) -> Value {
    let text = |bytes: &[u8]| Value::Text(String::from_utf8(bytes.to_vec()).unwrap().trim_end().to_owned());
    let moment = |day: u32, ms: u32| Timestamp::new(Date(day as i32 - 2_440_588), ms);
    let long = || {
        let (block, length) = (u32_at(cell, 0) as usize, u32_at(cell, 4) as usize);
        let size = u32::from_be_bytes(memo[4..8].try_into().unwrap()) as usize;
        (block > 0).then(|| memo[block * size..block * size + length].to_vec())
    };
    match kind {
        15 => Value::Integer(u32_at(cell, 0).into()),
        21 => Value::Integer(u64_at(cell, 0) as i64),
        14 | 22 if u32_at(cell, 0) == 0 => Value::Null,
        14 | 22 => Value::Timestamp(moment(u32_at(cell, 0), u32_at(cell, 4))),
        4 | 26 | 16 if cell.iter().all(|&byte| byte == 0) => Value::Null,
        4 => text(cell),
        26 => {
            let units: Vec<u16> = cell.chunks(2).map(|unit| u16_at(unit, 0)).collect();
            Value::Text(String::from_utf16(&units).unwrap().trim_end().to_owned())
        }
        16 => Value::Binary(cell.to_vec()),
        11 if u32_at(cell, 0) == 1 << 31 => Value::Null,
        11 => Value::Integer((u32_at(cell, 0) as i32).into()),
        12 if u16_at(cell, 0) == 1 << 15 => Value::Null,
        12 => Value::Integer((u16_at(cell, 0) as i16).into()),
        18 if u64_at(cell, 0) == 1 << 63 => Value::Null,
        18 => Value::Decimal(Decimal::new((u64_at(cell, 0) as i64).into(), 4)),
        10 if cell == [0x20, 0, 0, 0, 0, 0, 0, 0x80] => Value::Null,
        10 => Value::Float(f64::from_bits(u64_at(cell, 0))),
        2 if cell[0] == 0 => Value::Null,
        2 => {
            let text = std::str::from_utf8(cell).unwrap().trim();
            assert_eq!(text.find('.'), Some(text.len() - 3), "two decimals");
            Value::Decimal(Decimal::new(text.replace('.', "").parse().unwrap(), 2))
        }
        3 if u32_at(cell, 0) == 0 => Value::Null,
        3 => Value::Date(Date(u32_at(cell, 0) as i32 - 2_440_588)),
        13 if u32_at(cell, 0) == u32::MAX => Value::Null,
        13 => Value::Time(Time::from_nanos(i64::from(u32_at(cell, 0)) * 1_000_000).unwrap()),
        1 if cell == b" " => Value::Null,
        1 => Value::Boolean(cell == b"T"),
        5 => long().map_or(Value::Null, |bytes| Value::Text(String::from_utf8(bytes).unwrap())),
        6 => long().map_or(Value::Null, Value::Binary),
        23 => match u16_at(cell, cell.len() - 2) {
            u16::MAX => Value::Null,
            length => Value::Text(String::from_utf8(cell[..usize::from(length)].to_vec()).unwrap()),
        },
        other => panic!("type {other}"),
    }
}

/// The expected content of the table: for each record, by its number, the id and the values; none where it is deleted.
#[derive(Clone, Debug, Default)]
struct Model {
    records: Vec<Option<(u64, Vec<Value>)>>,
    next_id: u64,
    writes: u64,
}

impl Model {
    fn put(&mut self, record: u64, values: Vec<Value>) {
        let place = record as usize - 1;
        if self.records.len() <= place {
            self.records.resize(place + 1, None);
        }
        self.records[place] = Some((self.next_id, values));
        self.next_id += 1;
        self.writes += 1;
    }

    fn live(&self) -> Vec<u64> {
        let live = self.records.iter().enumerate().filter(|(_, record)| record.is_some());
        live.map(|(place, _)| place as u64 + 1).collect()
    }

    fn compare(&self, found: &Found) {
        assert_eq!(found.records.len(), self.records.len());
        for (number, (found, expected)) in found.records.iter().zip(&self.records).enumerate() {
            let (Some(found), Some((id, values))) = (found, expected) else {
                assert_eq!(found.is_some(), expected.is_some(), "record {}", number + 1);
                continue;
            };
            assert_eq!(found[0], Value::Integer(*id as i64), "record {}", number + 1);
            assert_eq!(found[FIRST..], values[..], "record {}", number + 1);
            let clock = (options(Access::Shared).clock)();
            assert_eq!(found[2], Value::Timestamp(clock), "the time of the last write");
        }
        let deleted = self.records.iter().filter(|record| record.is_none()).count();
        assert_eq!(found.reusable.len(), deleted, "every deleted record is on the list");
    }
}

fn values_of(random: &mut Random) -> Vec<Value> {
    (FIRST..spec().fields.len()).map(|field| random.value(field)).collect()
}

fn given(values: &[Value]) -> Vec<(usize, ValueRef<'_>)> {
    values.iter().enumerate().map(|(at, value)| (at + FIRST, value.as_ref())).collect()
}

fn new_table(access: Access) -> (Arc<dyn FileSystem>, IndexedTable) {
    let fs: Arc<dyn FileSystem> = Arc::new(Memory::new());
    writer::create(&*fs, Path::new(PATH), &spec(), &options(Access::Exclusive)).unwrap();
    let table = IndexedTable::open(Arc::clone(&fs), Path::new(PATH), options(access)).unwrap();
    (fs, table)
}

/// A change that is made to both. Deleted records are used again before the table grows.
fn step(random: &mut Random, table: &mut IndexedTable, model: &mut Model) {
    let live = model.live();
    match random.below(10) {
        0..=3 => {
            let values = values_of(random);
            let has_deleted = live.len() < model.records.len();
            let record = table.append_some(&given(&values)).unwrap();
            assert_eq!(record <= model.records.len() as u64, has_deleted, "record {record}");
            model.put(record, values);
        }
        4 => {
            let rows: Vec<Vec<Value>> = (0..3).map(|_| values_of(random)).collect();
            let nulls = [ValueRef::Null; FIRST];
            let full: Vec<Vec<ValueRef<'_>>> =
                rows.iter().map(|row| nulls.into_iter().chain(row.iter().map(Value::as_ref)).collect()).collect();
            if table.transaction().is_some() {
                return;
            }
            for (row, values) in full.iter().zip(&rows) {
                model.put(table.append(row).unwrap(), values.clone());
            }
        }
        5..=7 if !live.is_empty() => {
            let record = live[random.below(live.len() as u64) as usize];
            let field = FIRST + random.below((spec().fields.len() - FIRST) as u64) as usize;
            let value = random.value(field);
            table.update(record, &[(field, value.as_ref())]).unwrap();
            if let Some((_, values)) = &mut model.records[record as usize - 1] {
                values[field - FIRST] = value;
            }
        }
        _ if !live.is_empty() => {
            let record = live[random.below(live.len() as u64) as usize];
            table.delete(record).unwrap();
            model.records[record as usize - 1] = None;
        }
        _ => {}
    }
}

#[test]
fn random_changes_give_the_bytes_that_the_format_has() {
    for access in [Access::Shared, Access::Exclusive] {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let (fs, mut table) = new_table(access);
        let mut model = Model { next_id: 1, ..Model::default() };
        for round in 0..400 {
            step(&mut random, &mut table, &mut model);
            if round % 20 == 0 {
                table.flush().unwrap();
                model.compare(&read(&*fs));
            }
        }
        table.close().unwrap();
        let found = read(&*fs);
        model.compare(&found);
        assert_eq!(found.next_id, model.next_id);
        assert!(found.row_version > model.writes, "every write has a number of its own");
        let mut versions: Vec<String> = found.records.iter().flatten().map(|record| record[1].to_string()).collect();
        versions.sort();
        let all = versions.len();
        versions.dedup();
        assert_eq!(versions.len(), all);
    }
}

#[test]
fn what_a_transaction_did_is_undone_with_the_list_of_reusable_records() {
    for access in [Access::Shared, Access::Exclusive] {
        let mut random = Random(0x2545_F491_4F6C_DD1D);
        let (fs, mut table) = new_table(access);
        let mut model = Model { next_id: 1, ..Model::default() };
        for _ in 0..40 {
            for _ in 0..6 {
                step(&mut random, &mut table, &mut model);
            }
            let before = model.clone();
            let transaction = Transaction::begin(Arc::clone(&fs));
            table.enlist(&transaction).unwrap();
            for _ in 0..8 {
                step(&mut random, &mut table, &mut model);
            }
            if random.below(2) == 0 {
                transaction.commit(&mut [&mut table]).unwrap();
            } else {
                transaction.rollback(&mut [&mut table]).unwrap();
                // Numbers that were given out are not given out again; records at the end are gone or deleted.
                let next_id = model.next_id;
                model = Model { next_id, ..before };
            }
            table.flush().unwrap();
            let found = read(&*fs);
            model.records.resize(found.records.len(), None);
            model.compare(&found);
        }
    }
}

#[test]
fn pack_zap_and_a_new_structure_make_whole_tables() {
    let (fs, mut table) = new_table(Access::Exclusive);
    let mut random = Random(7);
    let mut model = Model { next_id: 1, ..Model::default() };
    for _ in 0..120 {
        step(&mut random, &mut table, &mut model);
    }
    table.pack(&mut |_, _| std::ops::ControlFlow::Continue(())).unwrap();
    model.records.retain(Option::is_some);
    table.flush().unwrap();
    let found = read(&*fs);
    model.compare(&found);
    assert_eq!(found.next_id, model.next_id, "the counter goes on");
    // A field more, behind the others; a deleted record stays one, and is on the list.
    table.delete(1).unwrap();
    model.records[0] = None;
    let mut wider = spec();
    wider.fields.push(field_of_type("More", Type::Character, 5, 0));
    let mut sources: Vec<writer::Source> = (0..spec().fields.len()).map(writer::Source::Field).collect();
    sources.push(writer::Source::Value(Value::Text("new".into())));
    table.restructure(&wider, &sources, &mut |_, _| std::ops::ControlFlow::Continue(())).unwrap();
    table.flush().unwrap();
    for (_, values) in model.records.iter_mut().flatten() {
        values.push(Value::Text("new".into()));
    }
    model.compare(&read(&*fs));
    table.zap().unwrap();
    table.flush().unwrap();
    assert!(read(&*fs).records.is_empty());
}

#[test]
fn values_that_stand_for_null_and_odd_fields_are_refused() {
    let (_, mut table) = new_table(Access::Exclusive);
    let mut code = |field: usize, value: ValueRef<'_>| table.append_some(&[(field, value)]).unwrap_err().code();
    assert_eq!(code(4, ValueRef::Integer(i32::MIN.into())), Code::InvalidValue);
    assert_eq!(code(5, ValueRef::Integer(i16::MIN.into())), Code::InvalidValue);
    assert_eq!(code(5, ValueRef::Integer(40_000)), Code::InvalidValue);
    assert_eq!(code(15, ValueRef::Binary(&[0, 0, 0])), Code::InvalidValue);
    assert_eq!(code(16, ValueRef::Text("eleven char")), Code::InvalidValue);
    let create = |fields: Vec<FieldSpec>| {
        let spec = TableSpec::new(Format::Advantage, fields);
        writer::create(&Memory::new(), Path::new(PATH), &spec, &options(Access::Exclusive)).map_err(|e| e.code())
    };
    let counter = |name: &str| field_of_type(name, Type::AutoIncrement, 0, 0);
    assert_eq!(create(vec![]), Err(Code::InvalidValue));
    assert_eq!(create(vec![counter("a"), counter("b")]), Err(Code::Unsupported));
    assert_eq!(create(vec![counter("a"), counter("A")]), Err(Code::Duplicate));
    assert_eq!(create(vec![counter("a;b")]), Err(Code::InvalidValue));
    assert_eq!(create(vec![field_of_type("n", Type::Numeric, 40, 0)]), Err(Code::InvalidValue));
    assert_eq!(create(vec![field_of_type("c", Type::Character, 65_531, 0)]), Err(Code::InvalidValue));
    assert_eq!(create(vec![field_of_type(&"x".repeat(128), Type::Date, 0, 0)]), Ok(()));
}
