//! Indexes that are damaged or ahead of the table never make a statement fail that could have read the table. Each
//! test is named after what fuzzing found.

mod index_common;

use index_common::{build, bytes};
use mainstay_columnar::{Ordering, Table, VectorCache};
use mainstay_types::Result;
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::dbf::OpenOptions;
use mainstay_xbase::index::ordered_double;
use mainstay_xbase::table::{self, DbfTable};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn open(memory: &Memory, dbf: Vec<u8>, index: &str, content: Vec<u8>) -> DbfTable {
    let memory = memory.clone();
    memory.write("t.dbf", dbf);
    memory.write(index, content);
    let cache = VectorCache::new(1 << 20);
    DbfTable::open(Arc::new(memory), Path::new("t.dbf"), "t", OpenOptions::default(), cache, &[PathBuf::from(index)])
        .unwrap()
}

/// The rows in the order of a column; nothing if the order cannot be had.
fn walked(table: &DbfTable, ordering: &Ordering) -> Result<Option<Vec<u32>>> {
    let mut rows = Vec::new();
    let usable = table.snapshot()?.walk(ordering, &mut |row| {
        rows.push(row);
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(usable.then_some(rows))
}

#[test]
fn a_damaged_root_does_not_fail_an_ordered_statement() {
    let (mut dbf, mut index) = (bytes("t05_ntx.dbf"), bytes("t05num.ntx"));
    // Without records no key is compared before the order is used.
    dbf[4..8].fill(0);
    let root = u32::from_le_bytes(index[4..8].try_into().unwrap()) as usize;
    index[root..root + 2].copy_from_slice(&32_830u16.to_le_bytes());
    let memory = Memory::new();
    let table = open(&memory, dbf, "t05num.ntx", bytes("t05num.ntx"));
    if let Some(ordering) = table.order(1, false) {
        memory.write("t05num.ntx", index);
        assert_eq!(walked(&table, &ordering).unwrap(), None);
    }
    memory.write("t.dbf", bytes("t05_ntx.dbf"));
    memory.write("t05num.ntx", bytes("t05num.ntx"));
    let ordering = table.order(1, false).unwrap();
    let mut damaged = bytes("t05num.ntx");
    damaged[root..root + 2].copy_from_slice(&32_830u16.to_le_bytes());
    memory.write("t05num.ntx", damaged);
    assert_eq!(walked(&table, &ordering).unwrap(), None);
}

/// A table with one number field, NUM of 8 digits.
fn numbers(values: &[u32]) -> Vec<u8> {
    let mut dbf = vec![0; 32 + 32 + 1];
    (dbf[0], dbf[1], dbf[2], dbf[3]) = (3, 126, 11, 21);
    dbf[4] = values.len() as u8;
    (dbf[8], dbf[10]) = (65, 9);
    dbf[32..35].copy_from_slice(b"NUM");
    (dbf[43], dbf[48], dbf[64]) = (b'N', 8, 0x0D);
    values.iter().for_each(|value| dbf.extend_from_slice(format!(" {value:>8}").as_bytes()));
    dbf
}

#[test]
fn a_zero_that_was_appended_later_does_not_fail_an_ordered_statement() {
    let item = |number: f64, record: u32| (ordered_double(number).to_vec(), record);
    let index = build::cdx(&[("NUM", 8, 0, vec![item(0.0, 3), item(4.0, 2), item(7.0, 1)])], 512, false);
    let table = open(&Memory::new(), numbers(&[7, 4]), "t.cdx", index);
    let ordering = table.order(0, false).unwrap();
    assert_eq!(walked(&table, &ordering).unwrap(), Some(vec![1, 0]));
}

/// The findings of a check of `t.dbf`, each with its file.
fn found(memory: &Memory) -> Vec<(String, String)> {
    let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
    let found = table::check(&fs, Path::new("t.dbf"), OpenOptions::default(), &[]);
    found.into_iter().map(|finding| (finding.path.display().to_string(), finding.message)).collect()
}

#[test]
fn what_is_wrong_with_a_memo_file_as_a_whole_is_said_once() {
    let memory = Memory::new();
    memory.write("t.dbf", bytes("t01_alltypes_cdx.dbf"));
    let told = |file: &str, message: &str| vec![(file.to_owned(), message.to_owned())];
    assert_eq!(found(&memory), told("t.dbf", "the table has memo fields, and there is no memo file: they are NULL"));
    let mut memo = bytes("t01_alltypes_cdx.fpt");
    memo[4..8].fill(0);
    memory.write("t.fpt", memo);
    assert_eq!(found(&memory), told("t.fpt", "the memo header says that blocks have 0 bytes: memo fields are NULL"));
    memory.write("t.fpt", bytes("t01_alltypes_cdx.fpt"));
    assert_eq!(found(&memory), []);
}

#[test]
fn a_structural_index_that_is_promised_and_missing_is_found() {
    let memory = Memory::new();
    // Of dBASE IV, whose index is an MDX, or of a program that makes a CDX.
    for (version, names) in [(0x30, "t.cdx"), (0x03, "t.cdx or t.mdx")] {
        let mut dbf = numbers(&[7, 4]);
        (dbf[0], dbf[28]) = (version, 1);
        let promised = format!("the header says that the table has a structural index, and there is no {names}");
        let table = open(&memory, dbf, "other.ntx", Vec::new());
        assert_eq!(table.missing_index().map(|finding| finding.message), Some(promised.clone()));
        // It costs no rows or values: a statement says nothing.
        assert!(table.snapshot().unwrap().notices().is_empty());
        assert_eq!(found(&memory), [("t.dbf".to_owned(), promised)]);
    }
    memory.write("T.MDX", Vec::new());
    let of_dbase = "the index of dBASE IV is not read, and not kept up: the table is not written to";
    assert_eq!(found(&memory), [("T.MDX".to_owned(), of_dbase.to_owned())]);
    memory.write("t.cdx", build::cdx(&[("NUM", 8, 0, vec![])], 512, false));
    assert!(found(&memory).iter().all(|(file, _)| file == "t.cdx" || file == "T.MDX"));
}
