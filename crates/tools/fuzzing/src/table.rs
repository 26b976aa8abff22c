//! A table with its memo and its index, as a statement reads it: vectors, rows, conditions, orders, the check.
//!
//! ```text
//!   byte 0   bits 0-1 the name of the memo (FPT, DBT, SMT, none), bits 2-3 that of the index (CDX, NTX, IDX, none);
//!            bit 4: an ADT with its ADM and ADI, where these are not "none"
//!   then     the table, MARK, the memo, MARK, the index; files that are missing are empty
//! ```
//!
//! Other tests check that a consistent index gives all rows of a condition: here the index has arbitrary contents, and
//! must do no harm. It names only rows of the table, and its damage never makes a statement fail that could have read
//! the table.

use mainstay_columnar::{Access, Comparison, KeyRange, Predicate, RowSet, Snapshot, Table, VectorCache, vector};
use mainstay_types::{Code, Date, Decimal, Error, Value};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::dbf::OpenOptions;
use mainstay_xbase::table::{DbfTable, check};
use std::ops::{Bound, ControlFlow};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The mark between the files of an input.
pub const MARK: &[u8] = b"\n--next file--\n";

const MEMOS: [Option<&str>; 4] = [Some("t.fpt"), Some("t.dbt"), Some("t.smt"), None];
const INDEXES: [Option<&str>; 4] = [Some("t.cdx"), Some("t.ntx"), Some("t.idx"), None];

/// The bit of byte 0 that says that the table is an ADT.
pub const ADT: u8 = 0x10;

/// Columns that conditions are made on, from the first.
const MOST_COLUMNS: usize = 6;

/// The input for these files. `choice` is byte 0.
pub fn input(choice: u8, files: [&[u8]; 3]) -> Vec<u8> {
    [&[choice][..], files[0], MARK, files[1], MARK, files[2]].concat()
}

/// Reads the input as a table.
pub fn run(input: &[u8]) {
    let (choice, rest) = crate::selector(input);
    let [dbf, memo, index] = split(rest);
    let memory = Memory::new();
    let is_adt = choice & ADT != 0;
    let path = Path::new(if is_adt { "t.adt" } else { "t.dbf" });
    memory.write(path, dbf);
    if let Some(name) = MEMOS[usize::from(choice & 3)] {
        memory.write(if is_adt { "t.adm" } else { name }, memo);
    }
    let mut indexes = Vec::new();
    if let Some(name) = INDEXES[usize::from(choice >> 2 & 3)] {
        let name = if is_adt { "t.adi" } else { name };
        memory.write(name, index);
        indexes.push(PathBuf::from(name));
    }
    let files: Arc<dyn FileSystem> = Arc::new(memory);
    for finding in check(&files, path, OpenOptions::default(), &indexes) {
        let _ = finding.to_string();
    }
    let cache = VectorCache::new(1 << 20);
    let Ok(table) = DbfTable::open(files, path, "t", OpenOptions::default(), cache, &indexes) else { return };
    let Ok(snapshot) = table.snapshot() else { panic!("the files have not changed, and cannot be read again") };
    let _ = (table.findings(), table.indexes(), table.row_counts(), table.kind());
    few_rows(&table, &*snapshot);
    conditions(&table, &*snapshot, rest);
    all_rows(&table, &*snapshot);
    few_rows(&table, &*snapshot);
    orders(&table, &*snapshot);
    let _ = snapshot.notices();
}

/// The three files of an input.
fn split(input: &[u8]) -> [&[u8]; 3] {
    let next = |bytes: &[u8]| bytes.windows(MARK.len()).position(|window| window == MARK);
    let cut = |bytes: &'_ [u8]| next(bytes).map_or((bytes.len(), bytes.len()), |at| (at, at + MARK.len()));
    let (end, from) = cut(input);
    let (dbf, rest) = (&input[..end], &input[from..]);
    let (end, from) = cut(rest);
    [dbf, &rest[..end], &rest[from..]]
}

fn columns(table: &DbfTable) -> Vec<usize> {
    (0..table.schema().fields().len()).collect()
}

fn all_rows(table: &DbfTable, snapshot: &dyn Snapshot) {
    let columns = columns(table);
    let mut rows = 0;
    for group in 0..snapshot.groups() {
        let range = snapshot.group(group);
        assert_eq!(range.start, rows, "groups follow each other");
        rows = range.end;
        let visible = snapshot.visible(group).ok().flatten();
        assert!(visible.is_none_or(|bits| bits.len() == range.len()));
        let Ok(vectors) = snapshot.vectors(group, &columns) else { continue };
        assert!(vectors.iter().all(|vector| vector.len() == range.len()), "values in group {group}");
        for (vector, field) in vectors.iter().zip(table.schema().fields()) {
            match vector::materialize(vector, field.data_type()) {
                Ok(materialized) => assert_eq!(materialized.data_type(), field.data_type(), "{}", field.name()),
                Err(error) => panic!("column {}: {error}", field.name()),
            }
        }
    }
    assert_eq!(rows, snapshot.slots());
}

fn few_rows(table: &DbfTable, snapshot: &dyn Snapshot) {
    let slots = snapshot.slots() as u32;
    let wanted: Vec<u32> = (0..slots).rev().step_by(slots as usize / 5 + 1).collect();
    for visible_only in [false, true] {
        let Ok((vectors, kept)) = snapshot.fetch(&wanted, &columns(table), visible_only) else { continue };
        assert!(visible_only || kept == wanted);
        assert!(vectors.iter().all(|vector| vector.len() == kept.len()));
    }
    assert!(snapshot.fetch(&[slots], &columns(table), false).is_err(), "a row behind the last");
}

/// Values that conditions compare with, and a text from the input.
fn values(input: &[u8]) -> Vec<Value> {
    let text = &input[input.len() / 2..];
    let text = String::from_utf8_lossy(&text[..text.len().min(12)]).into_owned();
    vec![
        Value::Null,
        Value::Integer(0),
        Value::Integer(i64::MIN),
        Value::Decimal(Decimal::new(12_345, 2)),
        Value::Decimal(Decimal::new(i128::MAX, 38)),
        Value::Float(f64::NAN),
        Value::Float(0.1),
        Value::Text(String::new()),
        Value::Text("Smith".into()),
        Value::Text(text),
        Value::Date(Date::from_julian(2_450_000)),
        Value::Boolean(true),
    ]
}

fn conditions(table: &DbfTable, snapshot: &dyn Snapshot, input: &[u8]) {
    use Comparison::{Equal, GreaterOrEqual, Less};
    let values = values(input);
    let hidden = table.fields().len();
    for column in (0..hidden.min(MOST_COLUMNS)).chain([hidden, hidden + 1]) {
        let compare = |op, value: &Value| Predicate::Compare { column, op, value: value.clone() };
        let like =
            Predicate::Like { column, pattern: "Sm%".into(), escape: None, case_insensitive: false, negated: false };
        let mut predicates = vec![like, Predicate::Null { column, negated: false }];
        for (at, value) in values.iter().enumerate() {
            predicates.push(compare([Equal, Less, GreaterOrEqual][at % 3], value));
            predicates.push(Predicate::And(vec![compare(GreaterOrEqual, value), compare(Less, value)]));
        }
        predicates.push(Predicate::In { column, values: values.clone(), negated: false });
        predicates.push(Predicate::Or(predicates[..2].to_vec()));
        for (at, predicate) in predicates.iter().enumerate() {
            if let Some(access) = table.access(predicate, at % 2 == 0) {
                assert_rows(snapshot, &access);
            }
            select(snapshot, column, predicate);
        }
    }
    let bound = |at: usize| Bound::Included(input[at.min(input.len())..].iter().take(8).copied().collect());
    for index in 0..3 {
        let range = KeyRange { index, text: String::new(), lower: bound(40), upper: bound(input.len() / 2) };
        let all = KeyRange { lower: Bound::Unbounded, upper: Bound::Unbounded, ..range.clone() };
        assert_rows(snapshot, &Access::Keys(range.clone()));
        assert_rows(snapshot, &Access::Or(vec![Access::Keys(range.clone()), Access::Keys(all.clone())]));
        assert_rows(snapshot, &Access::And(vec![Access::Keys(all), Access::Keys(range)]));
    }
}

/// The rows that an index gives are there.
fn assert_rows(snapshot: &dyn Snapshot, access: &Access) {
    match snapshot.rows(access, usize::MAX) {
        Ok(Some(RowSet::List(rows))) => {
            assert!(rows.is_sorted_by(|a, b| a < b), "a list that is not ascending");
            assert!(rows.last().is_none_or(|row| (*row as usize) < snapshot.slots()), "a row that is not there");
        }
        Ok(Some(RowSet::Bitmap(bits))) => assert_eq!(bits.len(), snapshot.slots()),
        Ok(None) => {}
        Err(error) => assert_no_index_damage(&error),
    }
}

fn assert_no_index_damage(error: &Error) {
    assert!(error.code() != Code::IndexDamaged, "a damaged index makes a statement fail: {error}");
}

fn select(snapshot: &dyn Snapshot, column: usize, predicate: &Predicate) {
    if snapshot.groups() == 0 {
        return;
    }
    let Ok(vectors) = snapshot.vectors(0, &[column]) else { return };
    let mut sparse = vec![None; column];
    sparse.extend(vectors.into_iter().map(Some));
    if let Ok(selected) = vector::select(predicate, &sparse, snapshot.group(0).len()) {
        assert_eq!(selected.len(), snapshot.group(0).len());
    }
}

fn orders(table: &DbfTable, snapshot: &dyn Snapshot) {
    for column in 0..table.fields().len().min(2 * MOST_COLUMNS) {
        for descending in [false, true] {
            let Some(ordering) = table.order(column, descending) else { continue };
            let mut visited = 0;
            let walked = snapshot.walk(&ordering, &mut |row| {
                visited += 1;
                assert!((row as usize) < snapshot.slots(), "a row that is not there");
                assert!(visited < 1 << 17, "a walk without end");
                Ok(ControlFlow::Continue(()))
            });
            walked.map_or_else(|error| assert_no_index_damage(&error), drop);
        }
    }
}
