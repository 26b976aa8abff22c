//! A CSV file: with detected or given settings, all vectors, rows out of order, and the findings.
//!
//! Byte 0 chooses the reader's settings: bits 0-1 the delimiter (detected, `;`, tab, `|`), bits 2-3 the quote
//! (detected, detected, `'`, none), bits 4-5 the header (detected, detected, yes, no), bit 6 windows-1252. The rest is
//! the file.

use mainstay_columnar::{Snapshot, Table, VectorCache};
use mainstay_csv::{CodePage, CsvOptions, CsvTable};
use mainstay_vfs::Memory;
use std::sync::Arc;

/// Rows that are asked for one by one.
const MOST_ROWS: usize = 40;

/// Reads the input as a CSV file.
pub fn run(input: &[u8]) {
    let (choice, content) = crate::selector(input);
    let memory = Memory::new();
    memory.write("t.csv", content);
    let cache = VectorCache::new(1 << 20);
    let Ok(table) = CsvTable::open(Arc::new(memory), "t.csv", "t", cache, options(choice)) else { return };
    let _ = (table.dialect(), table.column_types(), table.bytes());
    for finding in table.findings() {
        let _ = (finding.place(), finding.to_string());
    }
    let Ok(snapshot) = table.snapshot() else { panic!("the file has not changed, and cannot be read again") };
    read(&table, &*snapshot);
    assert!(table.is_current().is_ok_and(|current| current), "the columns have changed, and the file has not");
    if let Ok(again) = table.reopen() {
        assert_eq!(again.schema(), table.schema());
    }
}

fn options(choice: u8) -> CsvOptions {
    CsvOptions {
        delimiter: [None, Some(b';'), Some(b'\t'), Some(b'|')][usize::from(choice & 3)],
        quote: [None, None, Some(b'\''), Some(0)][usize::from(choice >> 2 & 3)],
        header: [None, None, Some(true), Some(false)][usize::from(choice >> 4 & 3)],
        code_page: (choice & 0x40 != 0).then_some(CodePage::Windows1252),
        thousands: (choice & 0x80 != 0).then_some(b'.'),
        decimal: (choice & 0x80 != 0).then_some(b','),
        ..CsvOptions::default()
    }
}

fn read(table: &CsvTable, snapshot: &dyn Snapshot) {
    let columns: Vec<usize> = (0..table.schema().fields().len()).collect();
    let mut rows = 0;
    for group in 0..snapshot.groups() {
        let range = snapshot.group(group);
        assert_eq!(range.start, rows, "groups follow each other");
        rows = range.end;
        match snapshot.vectors(group, &columns) {
            Ok(vectors) => {
                assert_eq!(vectors.len(), columns.len());
                assert!(vectors.iter().all(|vector| vector.len() == range.len()), "values in group {group}");
            }
            Err(error) => panic!("a file that was scanned and has not changed: {error}"),
        }
    }
    assert_eq!(rows, snapshot.slots());
    let mut wanted: Vec<u32> = (0..rows as u32).rev().step_by(rows / MOST_ROWS + 1).collect();
    wanted.extend(wanted.first().copied());
    match snapshot.fetch(&wanted, &columns, true) {
        Ok((vectors, kept)) => {
            assert_eq!(kept, wanted);
            assert!(vectors.iter().all(|vector| vector.len() == wanted.len()));
        }
        Err(error) => panic!("rows that are there: {error}"),
    }
    assert!(columns.is_empty() || snapshot.fetch(&[rows as u32], &columns, true).is_err(), "a row behind the last");
    let _ = snapshot.notices();
}
