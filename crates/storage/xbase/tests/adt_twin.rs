//! The same random operations on an ADT and on a DBF: both have the same rows, and the indexes of both find them.

mod indexed_common;

use indexed_common::options;
use mainstay_types::{Date, Decimal, Value, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::Severity;
use mainstay_xbase::adt::{Type, field_of_type};
use mainstay_xbase::dbf::{FieldSpec, Format, OpenOptions, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable, Transaction};
use mainstay_xbase::table;
use mainstay_xbase::writer::{self, Access};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Key, name, amount, day, truth and note; the same types in both formats.
fn specs() -> [TableSpec; 2] {
    let adt = [
        field_of_type("ID", Type::Integer, 0, 0),
        field_of_type("NAME", Type::Character, 12, 0),
        field_of_type("AMOUNT", Type::Money, 0, 0),
        field_of_type("BORN", Type::Date, 0, 0),
        field_of_type("HERE", Type::Logical, 0, 0),
        field_of_type("NOTE", Type::Memo, 0, 0),
    ];
    let dbf = [(b'I', 4), (b'C', 12), (b'Y', 8), (b'D', 8), (b'L', 1), (b'M', 4)];
    let names = ["ID", "NAME", "AMOUNT", "BORN", "HERE", "NOTE"];
    let dbf = names.iter().zip(dbf).map(|(name, (letter, length))| {
        FieldSpec::new(name, letter, length, if letter == b'Y' { 4 } else { 0 }).nullable()
    });
    [TableSpec::new(Format::Advantage, adt.to_vec()), TableSpec::new(Format::VisualFoxPro, dbf.collect())]
}

fn values(random: &mut Random, id: i64) -> Vec<Value> {
    let mut or_null = |value: Value| if random.below(6) == 0 { Value::Null } else { value };
    vec![
        Value::Integer(id),
        or_null(Value::Text(format!("n{}", id * 31 % 97))),
        or_null(Value::Decimal(Decimal::new(i128::from(id) * 977 % 1_000_003 - 500_000, 4))),
        or_null(Value::Date(Date::from_julian(2_440_000 + (id % 5_000) as i32))),
        or_null(Value::Boolean(id % 2 == 0)),
        or_null(Value::Text(format!("note {id} ").repeat(1 + (id % 40) as usize))),
    ]
}

/// A table with the records of its keys.
struct Twin {
    memory: Memory,
    path: &'static Path,
    table: Option<IndexedTable>,
    records: BTreeMap<i64, u64>,
}

impl Twin {
    fn new(spec: &TableSpec, kind: BagKind, path: &'static str) -> Twin {
        let memory = Memory::new();
        let mut twin = Twin { memory, path: Path::new(path), table: None, records: BTreeMap::new() };
        writer::create(&*twin.fs(), twin.path, spec, &options(Access::Exclusive)).unwrap();
        twin.open(Access::Exclusive);
        for field in ["ID", "NAME", "AMOUNT", "BORN"] {
            let spec = IndexSpec::new(field, field.as_bytes().to_vec());
            twin.table().create_index(None, kind, &spec, Building::default()).unwrap();
        }
        twin.open(Access::Shared);
        twin
    }

    fn fs(&self) -> Arc<dyn FileSystem> {
        Arc::new(self.memory.clone())
    }

    fn open(&mut self, access: Access) {
        if let Some(table) = self.table.take() {
            table.close().unwrap();
        }
        self.table = Some(IndexedTable::open(self.fs(), self.path, options(access)).unwrap());
    }

    fn table(&mut self) -> &mut IndexedTable {
        self.table.as_mut().unwrap()
    }

    fn apply(&mut self, step: &Step) {
        match step {
            Step::Append(id, values) => {
                let given: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
                let record = self.table().append(&given).unwrap();
                self.records.insert(*id, record);
            }
            Step::Update(id, values) => {
                let given: Vec<(usize, ValueRef<'_>)> = values.iter().map(Value::as_ref).enumerate().skip(1).collect();
                let record = self.records[id];
                self.table().update(record, &given).unwrap();
            }
            Step::Delete(id) => {
                let record = self.records.remove(id).unwrap();
                self.table().delete(record).unwrap();
            }
            Step::Undone(steps) => {
                let records = self.records.clone();
                let transaction = Transaction::begin(self.fs());
                self.table().enlist(&transaction).unwrap();
                steps.iter().for_each(|step| self.apply(step));
                transaction.rollback(&mut [self.table()]).unwrap();
                self.records = records;
            }
            Step::Pack => {
                self.open(Access::Exclusive);
                self.table().pack(&mut |_, _| ControlFlow::Continue(())).unwrap();
                self.open(Access::Shared);
                self.number_again();
            }
            Step::Reopen => self.open(Access::Shared),
        }
    }

    /// A pack has given the records other numbers.
    fn number_again(&mut self) {
        self.records = self.rows().into_iter().map(|(id, (record, _))| (id, record)).collect();
    }

    /// The live rows by their keys, with their records.
    fn rows(&mut self) -> BTreeMap<i64, (u64, Vec<Value>)> {
        let (mut rows, mut bytes) = (BTreeMap::new(), Vec::new());
        for record in 1..=self.table().count().unwrap() {
            self.table().read(record, &mut bytes).unwrap();
            let table = self.table();
            if table.dbf().header().layout.is_deleted(&bytes) {
                continue;
            }
            let value = |field| writer::decode(table.dbf(), table.memo(), field, &bytes).unwrap();
            let row: Vec<Value> = (0..6).map(value).collect();
            let Value::Integer(id) = row[0] else { panic!("record {record}") };
            rows.insert(id, (record, row));
        }
        rows
    }

    fn assert_sound(&mut self) {
        self.table().flush().unwrap();
        let findings = table::check(&self.fs(), self.path, OpenOptions::default(), &[]);
        let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", self.path.display());
    }
}

#[derive(Debug)]
enum Step {
    Append(i64, Vec<Value>),
    Update(i64, Vec<Value>),
    Delete(i64),
    Undone(Vec<Step>),
    Pack,
    Reopen,
}

/// A change of the keys that there are.
fn change(random: &mut Random, keys: &mut Vec<i64>, next: &mut i64) -> Step {
    match random.below(10) {
        0..=4 => {
            *next += 1;
            keys.push(*next);
            Step::Append(*next, values(random, *next))
        }
        5..=7 if !keys.is_empty() => {
            let id = keys[random.below(keys.len() as u64) as usize];
            let seed = id + 1 + random.below(900) as i64;
            Step::Update(id, values(random, seed))
        }
        _ if !keys.is_empty() => Step::Delete(keys.remove(random.below(keys.len() as u64) as usize)),
        _ => Step::Reopen,
    }
}

#[test]
fn an_adt_has_the_rows_of_a_dbf_after_the_same_changes() {
    for seed in 1..6 {
        let mut random = Random(seed);
        let [adt, dbf] = specs();
        let mut twins = [Twin::new(&adt, BagKind::Adi, "twin.adt"), Twin::new(&dbf, BagKind::Cdx, "twin.dbf")];
        let (mut keys, mut next) = (Vec::new(), 0);
        for step in 0..400 {
            let step = match step % 37 {
                11 => {
                    let (mut inside, mut after) = (keys.clone(), next);
                    Step::Undone((0..8).map(|_| change(&mut random, &mut inside, &mut after)).collect())
                }
                // A table is not opened again within a transaction.
                23 if step % 3 == 0 => Step::Pack,
                30 => Step::Reopen,
                _ => change(&mut random, &mut keys, &mut next),
            };
            let has_reopen = |steps: &[Step]| steps.iter().any(|step| matches!(step, Step::Reopen));
            if matches!(&step, Step::Undone(steps) if has_reopen(steps)) {
                continue;
            }
            twins.iter_mut().for_each(|twin| twin.apply(&step));
        }
        let [one, other] = &mut twins;
        let rows = |twin: &mut Twin| -> Vec<Vec<Value>> { twin.rows().into_values().map(|(_, row)| row).collect() };
        assert_eq!(rows(one), rows(other), "seed {seed}");
        assert_eq!(one.rows().len(), keys.len());
        twins.iter_mut().for_each(Twin::assert_sound);
    }
}
