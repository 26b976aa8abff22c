//! Candidate keys and transactions: a rollback leaves nothing behind (`break-04`), and a key that depends on another
//! transaction is waited for (`sql-01`).

mod indexed_common;

use indexed_common::{compare, create, index, open, options};
use mainstay_types::{Code, ConstraintKind, Date, Decimal, Timestamp, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::Severity;
use mainstay_xbase::dbf::{FieldSpec, Format, OpenOptions, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{IndexSpec, IndexedTable, Transaction};
use mainstay_xbase::lock::LockWait;
use mainstay_xbase::table;
use mainstay_xbase::writer::{Access, WriteOptions};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const TABLE: &str = "shop/dk.dbf";

/// A table of one kind of key field and a name, with a candidate tag.
fn shop(field: FieldSpec, format: Format, key: &str) -> Arc<dyn FileSystem> {
    let memory = Memory::new();
    memory.create_folder(Path::new("shop")).unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(memory);
    create(&fs, Path::new(TABLE), &TableSpec::new(format, vec![field, FieldSpec::new("name", b'C', 8, 0)]));
    let mut table = open(&fs, Path::new(TABLE), Access::Exclusive);
    let candidate = IndexSpec { candidate: true, ..IndexSpec::new("ID", key) };
    index(&mut table, BagKind::Cdx, &[candidate, IndexSpec::new("NAME", "name")]);
    table.close().unwrap();
    fs
}

fn beside(fs: &Arc<dyn FileSystem>, timeout: Duration) -> IndexedTable {
    let wait = LockWait { timeout, interval: Duration::from_millis(1) };
    let how = WriteOptions { wait, ..options(Access::Shared) };
    IndexedTable::open(Arc::clone(fs), Path::new(TABLE), how).unwrap()
}

/// No finding of `mainstay check`, and indexes made anew have the same keys.
fn is_sound(fs: &Arc<dyn FileSystem>, what: &str) {
    let findings = table::check(fs, Path::new(TABLE), OpenOptions::default(), &["shop/dk.cdx".into()]);
    let findings: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    assert!(findings.is_empty(), "{what}: {findings:?}");
    compare(fs, Path::new(TABLE), &[]).unwrap_or_else(|complaint| panic!("{what}: {complaint}"));
}

/// The field, the format of its table, and values that others use.
fn kinds() -> Vec<(FieldSpec, Format, &'static str, Vec<ValueRef<'static>>)> {
    let day = |day| ValueRef::Date(Date::from_ymd(2026, 11, day).unwrap());
    let moment = |day| ValueRef::Timestamp(Timestamp::new(Date::from_ymd(2026, 11, day).unwrap(), 1_000));
    let whole = || (20..26).map(ValueRef::Integer).collect::<Vec<_>>();
    let texts = || ["a2", "b2", "c2", "d2", "e2", "f2"].map(ValueRef::Text).to_vec();
    let prices = (20..26).map(|units| ValueRef::Decimal(Decimal { unscaled: units, scale: 2 })).collect();
    vec![
        (FieldSpec::new("id", b'N', 5, 0), Format::FoxPro, "id", whole()),
        (FieldSpec::new("id", b'N', 8, 2), Format::FoxPro, "id", prices),
        (FieldSpec::new("id", b'C', 10, 0), Format::FoxPro, "id", texts()),
        (FieldSpec::new("id", b'C', 2, 0), Format::FoxPro, "UPPER(id)", texts()),
        (FieldSpec::new("id", b'D', 8, 0), Format::FoxPro, "id", (1..7).map(day).collect()),
        (FieldSpec::new("id", b'N', 5, 0), Format::FoxPro, "STR(id,5)+name", whole()),
        (FieldSpec::new("id", b'I', 4, 0), Format::VisualFoxPro, "id", whole()),
        (FieldSpec::new("id", b'T', 8, 0), Format::VisualFoxPro, "id", (1..7).map(moment).collect()),
        (FieldSpec::new("id", b'B', 8, 2), Format::VisualFoxPro, "id", whole()),
        (FieldSpec::new("id", b'Y', 8, 4), Format::VisualFoxPro, "id", whole()),
    ]
}

/// Another takes the key, and gives it back.
fn is_free(fs: &Arc<dyn FileSystem>, table: &mut IndexedTable, key: ValueRef<'_>, what: &str) {
    let transaction = Transaction::begin(Arc::clone(fs));
    table.enlist(&transaction).unwrap();
    table.append(&[key, ValueRef::Text("x")]).unwrap_or_else(|error| panic!("{what}: {error}"));
    transaction.rollback(&mut [table]).unwrap();
    is_sound(fs, what);
}

#[test]
fn a_key_that_was_rolled_back_is_free_and_its_record_blank() {
    for (field, format, key, values) in kinds() {
        let what = format!("{} {format:?} {key}", char::from(field.letter));
        let fs = shop(field, format, key);
        let (mut a, mut b) = (beside(&fs, Duration::ZERO), beside(&fs, Duration::ZERO));
        // From the second time on the blank key is taken: others have appended behind what was undone.
        for (round, other) in values[..5].iter().enumerate() {
            let what = format!("{what}, round {round}");
            let transaction = Transaction::begin(Arc::clone(&fs));
            a.enlist(&transaction).unwrap();
            let start = transaction.savepoint();
            let undone = a.append(&[values[5], ValueRef::Text("x")]).unwrap();
            b.append(&[*other, ValueRef::Text("x")]).unwrap();
            if round % 2 == 1 {
                transaction.rollback_to(start, &mut [&mut a]).unwrap();
                is_free(&fs, &mut b, values[5], &what);
            }
            transaction.rollback(&mut [&mut a]).unwrap();
            let mut bytes = Vec::new();
            a.read(undone, &mut bytes).unwrap();
            assert_eq!(bytes[0], b'*', "{what}");
            assert_ne!(a.value(0, &bytes).unwrap().as_ref(), values[5], "{what}");
            is_free(&fs, &mut b, values[5], &what);
        }
        drop((a, b));
        let mut table = open(&fs, Path::new(TABLE), Access::Exclusive);
        table.reindex(&mut |_, _| ControlFlow::Continue(())).unwrap();
        table.pack(&mut |_, _| ControlFlow::Continue(())).unwrap();
        assert_eq!(table.count().unwrap(), 5, "{what}: what was rolled back goes with the next PACK");
    }
}

/// A process that is killed: its journal is abandoned, and the next opening of the table undoes its changes.
#[test]
fn a_key_of_a_process_that_was_killed_is_free_too() {
    for (field, format, key, values) in kinds() {
        let what = format!("{} {format:?} {key}", char::from(field.letter));
        let fs = shop(field, format, key);
        for (round, other) in values[..4].iter().enumerate() {
            let mut a = beside(&fs, Duration::ZERO);
            let transaction = Transaction::begin(Arc::clone(&fs));
            a.enlist(&transaction).unwrap();
            a.append(&[values[5], ValueRef::Text("x")]).unwrap();
            beside(&fs, Duration::ZERO).append(&[*other, ValueRef::Text("x")]).unwrap();
            drop((a, transaction));
            is_free(&fs, &mut beside(&fs, Duration::ZERO), values[5], &format!("{what}, round {round}"));
        }
    }
}

#[test]
fn the_error_names_the_table_the_tag_and_the_value() {
    let fs = shop(FieldSpec::new("id", b'N', 5, 0), Format::FoxPro, "id");
    let mut table = beside(&fs, Duration::ZERO);
    table.append(&[ValueRef::Integer(20), ValueRef::Text("x")]).unwrap();
    let error = table.append(&[ValueRef::Integer(20), ValueRef::Text("y")]).unwrap_err();
    assert_eq!(error.code(), Code::UniqueViolation);
    assert_eq!((error.place(), error.subject()), (Some("dk, unique index ID"), Some("20")));
    let broken = error.constraint().unwrap();
    assert_eq!((broken.kind, broken.table.as_str(), broken.name.as_str()), (ConstraintKind::UniqueIndex, "dk", "ID"));
}

#[test]
fn the_error_of_a_missing_value_names_the_table_and_the_field() {
    let fs = shop(FieldSpec::new("id", b'I', 4, 0), Format::VisualFoxPro, "id");
    let error = beside(&fs, Duration::ZERO).append(&[ValueRef::Null, ValueRef::Text("x")]).unwrap_err();
    assert_eq!(error.code(), Code::NotNullViolation);
    let broken = error.constraint().unwrap();
    assert_eq!((broken.kind, broken.table.as_str(), broken.name.as_str()), (ConstraintKind::NotNull, "dk", "ID"));
}

#[test]
fn who_wants_a_key_of_an_open_transaction_waits_for_its_end() {
    let (free, taken) = (ValueRef::Integer(7), ValueRef::Integer(20));
    for is_committed in [false, true] {
        // A key that the transaction has taken, and one that it has given up.
        for wanted in [taken, free] {
            let fs = shop(FieldSpec::new("id", b'N', 5, 0), Format::FoxPro, "id");
            let (mut a, mut b) = (beside(&fs, Duration::ZERO), beside(&fs, Duration::from_secs(20)));
            let first = a.append(&[free, ValueRef::Text("first")]).unwrap();
            let transaction = Transaction::begin(Arc::clone(&fs));
            a.enlist(&transaction).unwrap();
            a.append(&[taken, ValueRef::Text("a")]).unwrap();
            a.update(first, &[(0, ValueRef::Integer(8))]).unwrap();
            // A key that has nothing to do with it is not waited for.
            b.append(&[ValueRef::Integer(99), ValueRef::Text("b")]).unwrap();
            let outcome = std::thread::scope(|scope| {
                let waiting = scope.spawn(|| b.append(&[wanted, ValueRef::Text("b")]));
                std::thread::sleep(Duration::from_millis(60));
                assert!(!waiting.is_finished(), "it depends on the transaction");
                match is_committed {
                    true => transaction.commit(&mut [&mut a]).unwrap(),
                    false => transaction.rollback(&mut [&mut a]).unwrap(),
                }
                waiting.join().unwrap()
            });
            let is_there = (wanted == taken) == is_committed;
            assert_eq!(
                outcome.map(drop).map_err(|error| error.code()),
                match is_there {
                    true => Err(Code::UniqueViolation),
                    false => Ok(()),
                }
            );
            drop((a, b));
            is_sound(&fs, "waited for");
        }
    }
}

#[test]
fn the_wait_for_a_key_ends_like_one_for_a_lock() {
    let fs = shop(FieldSpec::new("id", b'N', 5, 0), Format::FoxPro, "id");
    let (mut a, mut b) = (beside(&fs, Duration::ZERO), beside(&fs, Duration::from_millis(30)));
    let transaction = Transaction::begin(Arc::clone(&fs));
    a.enlist(&transaction).unwrap();
    a.append(&[ValueRef::Integer(20), ValueRef::Text("a")]).unwrap();
    assert_eq!(b.append(&[ValueRef::Integer(20), ValueRef::Text("b")]).unwrap_err().code(), Code::Busy);
    // An own key is not waited for, and neither is one that a savepoint has taken back.
    assert_eq!(a.append(&[ValueRef::Integer(20), ValueRef::Text("a")]).unwrap_err().code(), Code::UniqueViolation);
    let savepoint = transaction.savepoint();
    a.append(&[ValueRef::Integer(21), ValueRef::Text("a")]).unwrap();
    transaction.rollback_to(savepoint, &mut [&mut a]).unwrap();
    b.append(&[ValueRef::Integer(21), ValueRef::Text("b")]).unwrap();
    transaction.rollback(&mut [&mut a]).unwrap();
    b.append(&[ValueRef::Integer(20), ValueRef::Text("b")]).unwrap();
    drop((a, b));
    is_sound(&fs, "after a wait");
}
