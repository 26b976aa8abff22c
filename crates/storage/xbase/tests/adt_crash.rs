//! A program that changes an ADT is killed between any two writes: each step is complete or absent, and the list of
//! reusable records contains only deleted records.

use mainstay_types::{Date, Timestamp, Value, ValueRef};
use mainstay_vfs::{FileSystem, explore};
use mainstay_xbase::Severity;
use mainstay_xbase::adt::{Type, field_of_type};
use mainstay_xbase::dbf::{self, Dbf, Format, OpenOptions, TableSpec};
use mainstay_xbase::indexed::IndexedTable;
use mainstay_xbase::memo::Memo;
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::path::Path;
use std::sync::Arc;

const STEPS: usize = 10;

fn options(access: Access, durable: bool) -> WriteOptions {
    let clock = || Timestamp::new(Date::from_ymd(2026, 11, 22).unwrap(), 0);
    WriteOptions { clock, durable, ..WriteOptions::new(access) }
}

fn path() -> &'static Path {
    Path::new("t.adt")
}

fn spec() -> TableSpec {
    let fields = vec![
        field_of_type("id", Type::AutoIncrement, 0, 0),
        field_of_type("name", Type::Character, 10, 0),
        field_of_type("note", Type::Memo, 0, 0),
    ];
    TableSpec::new(Format::Advantage, fields)
}

fn note(seed: usize) -> String {
    (0..100 + seed * 61 % 700).map(|at| char::from(b'a' + ((at + seed * 5) % 26) as u8)).collect()
}

fn apply(table: &mut IndexedTable, step: usize) -> mainstay_types::Result<()> {
    let text = note(step);
    let append = |table: &mut IndexedTable, name: &str| {
        table.append_some(&[(1, ValueRef::Text(name)), (2, ValueRef::Text(&text))]).map(drop)
    };
    match step {
        1..=3 => append(table, "new"),
        4 => table.update(2, &[(2, ValueRef::Text(&text))]).map(drop),
        5 => table.delete(2).map(drop),
        6 => table.delete(1).map(drop),
        // In the places of 1 and 2.
        7 | 8 => append(table, "again"),
        // Both or nothing.
        9 => table.atomically(|table| {
            table.delete(3)?;
            table.update(1, &[(2, ValueRef::Null)])?;
            Ok(())
        }),
        _ => table.recall(3).map(drop),
    }
}

/// The live records after so many steps, by their numbers.
fn after(steps: usize) -> Vec<(u64, String)> {
    let mut live: Vec<Option<String>> = Vec::new();
    for step in 1..=steps {
        match step {
            1..=3 => live.push(Some(format!("new: {}", note(step)))),
            4 => live[1] = Some(format!("new: {}", note(step))),
            5 => live[1] = None,
            6 => live[0] = None,
            7 => live[0] = Some(format!("again: {}", note(step))),
            8 => live[1] = Some(format!("again: {}", note(step))),
            9 => (live[0], live[2]) = (Some("again: ".to_owned()), None),
            _ => live[2] = Some(format!("new: {}", note(3))),
        }
    }
    let numbered = live.into_iter().enumerate();
    numbered.filter_map(|(at, text)| text.map(|text| (at as u64 + 1, text))).collect()
}

/// The live records, and what is wrong.
fn state(fs: &dyn FileSystem) -> (Vec<(u64, String)>, Vec<String>) {
    let dbf = Dbf::open(fs.open(path()).unwrap(), OpenOptions::default()).unwrap();
    let memo = Memo::open(fs.open(Path::new("t.adm")).unwrap(), b'A').unwrap();
    let mut findings = Vec::new();
    dbf::check(&dbf, Some(&memo), &mut findings).unwrap();
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    let mut errors: Vec<String> = errors.map(ToString::to_string).collect();
    let (mut live, mut links) = (Vec::new(), Vec::new());
    for row in 0..dbf.read_count().unwrap() {
        let mut bytes = Vec::new();
        dbf.read_record(row, &mut bytes).unwrap();
        let layout = dbf.header().layout;
        links.push((layout.is_deleted(&bytes), layout.link(&bytes)));
        if layout.is_deleted(&bytes) {
            continue;
        }
        let text = |field| match writer::decode(&dbf, Some(&memo), field, &bytes).unwrap() {
            Value::Text(text) => text,
            _ => String::new(),
        };
        live.push((row + 1, format!("{}: {}", text(1), text(2))));
    }
    let header = fs.read(path()).unwrap();
    let (mut at, mut seen) = (u32::from_le_bytes(header[40..44].try_into().unwrap()) as usize, 0);
    while at != 0 {
        seen += 1;
        match links.get(at - 1) {
            Some((true, next)) if seen <= links.len() => at = *next as usize,
            other => {
                errors.push(format!("the list leads to {at}, {other:?}"));
                break;
            }
        }
    }
    (live, errors)
}

fn work(fs: Arc<dyn FileSystem>, options: WriteOptions) -> usize {
    let mut done = 0;
    let mut run = || -> mainstay_types::Result<()> {
        writer::create(&*fs, path(), &spec(), &options)?;
        let mut table = IndexedTable::open(Arc::clone(&fs), path(), options)?;
        for step in 1..=STEPS {
            apply(&mut table, step)?;
            table.flush()?;
            done = step;
        }
        table.close()
    };
    let _ = run();
    done
}

#[test]
fn a_program_that_is_killed_leaves_each_step_done_or_not() {
    for access in [Access::Shared, Access::Exclusive] {
        let states = explore(
            0..0,
            |system| work(Arc::new(system.clone()), options(access, false)),
            |system, done| {
                if system.stamp(path()).is_err() {
                    return if *done == 0 { Ok(()) } else { Err("no table".to_owned()) };
                }
                // The next program undoes a transaction that was cut off, and goes on.
                let fs: Arc<dyn FileSystem> = Arc::new(system.clone());
                let text = |error: mainstay_types::Error| error.to_string();
                let mut table = IndexedTable::open(fs, path(), options(Access::Shared, false)).map_err(text)?;
                let (live, errors) = state(system);
                if !errors.is_empty() {
                    return Err(errors.join("; "));
                }
                if live != after(*done) && live != after((done + 1).min(STEPS)) {
                    return Err(format!("{done} steps done, found {live:?}"));
                }
                let mut expected = live;
                for number in 20..24 {
                    let values = [(1, ValueRef::Text("later")), (2, ValueRef::Text(&note(number)))];
                    let record = table.append_some(&values).map_err(text)?;
                    expected.push((record, format!("later: {}", note(number))));
                }
                expected.sort();
                table.close().map_err(text)?;
                match state(system) {
                    (live, errors) if live == expected && errors.is_empty() => Ok(()),
                    (live, errors) => Err(format!("went on to {live:?}: {errors:?}")),
                }
            },
        );
        assert!(states.unwrap_or_else(|error| panic!("{access:?}: {error}")) > 30);
    }
}
