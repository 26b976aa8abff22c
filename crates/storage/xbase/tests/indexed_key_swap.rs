//! Records that exchange candidate keys, interrupted at every operation: afterwards all of them have their old keys, or
//! all have the new ones, and no two records have the same key.

mod indexed_common;

use indexed_common::{compare, options};
use mainstay_types::{Code, Result, Value, ValueRef};
use mainstay_vfs::{FileSystem, Simulated, explore};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable};
use mainstay_xbase::writer::{Access, WriteOptions};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

const PATH: &str = "shop/places.dbf";
const RECORDS: u64 = 30;

/// Steps of keys that are passed on: which record gets which number, each one that another of them has.
fn steps() -> Vec<Vec<(u64, i64)>> {
    let turned = (1..=RECORDS).map(|record| (record, i64::try_from(record % RECORDS + 1).unwrap()));
    vec![vec![(3, 4), (4, 3)], turned.collect(), vec![(10, 13), (11, 12), (12, 11)]]
}

/// The numbers after so many steps.
fn numbers(done: usize) -> Vec<i64> {
    let mut numbers: Vec<i64> = (1..=RECORDS as i64).collect();
    for (record, number) in steps().into_iter().take(done).flatten() {
        numbers[record as usize - 1] = number;
    }
    numbers
}

fn pass_on(table: &mut IndexedTable, step: &[(u64, i64)]) -> Result<()> {
    let records: Vec<u64> = step.iter().map(|(record, _)| *record).collect();
    table.atomically(|table| {
        table.passing_keys(&records, |table| {
            step.iter()
                .try_for_each(|(record, number)| table.update(*record, &[(0, ValueRef::Integer(*number))]).map(drop))
        })
    })
}

/// Gives how many steps were acknowledged, 1 more than that once the table is made.
fn work(system: &Simulated, durable: bool, access: Access) -> usize {
    let mut done = 0;
    let mut run = || -> Result<()> {
        let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
        let alone = WriteOptions { durable, ..options(Access::Exclusive) };
        system.create_folder(Path::new("shop"))?;
        if durable {
            system.sync_folder(Path::new(""))?;
        }
        let fields = vec![FieldSpec::new("place", b'N', 6, 0), FieldSpec::new("name", b'C', 100, 0)];
        mainstay_xbase::writer::create(system, Path::new(PATH), &TableSpec::new(Format::VisualFoxPro, fields), &alone)?;
        let mut table = IndexedTable::open(Arc::clone(&fs), Path::new(PATH), alone)?;
        let place = IndexSpec { candidate: true, ..IndexSpec::new("PLACE", "PLACE") };
        table.create_index(None, BagKind::Cdx, &place, Building::default())?;
        table.create_index(None, BagKind::Cdx, &IndexSpec::new("BOTH", "STR(PLACE,6)+NAME"), Building::default())?;
        for record in 1..=RECORDS as i64 {
            table.append(&[ValueRef::Integer(record), ValueRef::Text(&format!("name {}", record * 7 % 5))])?;
        }
        table.close()?;
        let mut table = IndexedTable::open(fs, Path::new(PATH), WriteOptions { durable, ..options(access) })?;
        done = 1;
        for step in steps() {
            pass_on(&mut table, &step)?;
            done += 1;
        }
        table.close()
    };
    let _ = run();
    done
}

fn found(fs: &Arc<dyn FileSystem>) -> Result<Vec<i64>> {
    let mut table = IndexedTable::open(Arc::clone(fs), Path::new(PATH), options(Access::Shared))?;
    let mut bytes = Vec::new();
    (1..=table.count()?)
        .map(|record| {
            table.read(record, &mut bytes)?;
            match table.value(0, &bytes)? {
                Value::Integer(number) => Ok(number),
                Value::Decimal(number) => Ok(number.to_string().parse().unwrap_or(-1)),
                _ => Ok(-1),
            }
        })
        .collect()
}

fn check(system: &Simulated, done: usize) -> std::result::Result<(), String> {
    if done == 0 {
        return Ok(());
    }
    let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
    let found = found(&fs).map_err(|error| error.to_string())?;
    if found.iter().collect::<BTreeSet<_>>().len() != found.len() {
        return Err(format!("a key of two records: {found:?}"));
    }
    if found != numbers(done - 1) && found != numbers(done) {
        return Err(format!("after {done} steps: {found:?}"));
    }
    compare(&fs, Path::new(PATH), &[])
}

#[test]
fn a_program_that_is_killed_leaves_all_keys_passed_on_or_none() {
    for access in [Access::Shared, Access::Exclusive] {
        let states = explore(0..0, |system| work(system, false, access), |system, done| check(system, *done));
        let states = states.unwrap_or_else(|error| panic!("{access:?}: {error}"));
        assert!(states > 50, "{states}");
    }
}

#[test]
fn a_lost_power_supply_leaves_all_keys_passed_on_or_none() {
    let states = explore(0..3, |system| work(system, true, Access::Shared), |system, done| check(system, *done));
    let states = states.unwrap_or_else(|error| panic!("{error}"));
    assert!(states > 500, "{states}");
}

#[test]
fn keys_that_are_not_passed_on_to_the_end_are_taken_back() {
    let system = Simulated::new();
    assert_eq!(work(&system, false, Access::Shared), steps().len() + 1);
    let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
    let mut table = IndexedTable::open(Arc::clone(&fs), Path::new(PATH), options(Access::Shared)).unwrap();
    let before = numbers(steps().len());
    // Record 2 gets the number of record 5, which keeps it.
    let refused = pass_on(&mut table, &[(1, before[1]), (2, before[4])]).unwrap_err();
    assert_eq!(refused.code(), Code::UniqueViolation);
    table.close().unwrap();
    assert_eq!(found(&fs).unwrap(), before);
    compare(&fs, Path::new(PATH), &[]).unwrap();
}
