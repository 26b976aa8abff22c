//! A DBF without its memo: the structure, every column of every record, and the check.

use mainstay_xbase::dbf::{Dbf, OpenOptions, check, decode_column, decode_rows, deleted_flags};

/// Records in a run: small, so that inputs have several runs.
const RUN: u64 = 64;

/// Reads the input as a DBF.
pub fn run(input: &[u8]) {
    let Some(file) = crate::file("t.dbf", input) else { return };
    let Ok(dbf) = Dbf::open(file, OpenOptions::default()) else { return };
    let record_length = dbf.header().record_bytes();
    for field in dbf.fields() {
        let end = field.offset.saturating_add(field.length);
        assert!(end <= record_length, "field {} ends at {end} of {record_length}", field.name);
        assert!(field.precision() <= 38, "field {} has {} digits", field.name, field.precision());
    }
    let count = dbf.record_count(input.len() as u64);
    let read = dbf.read_count().unwrap_or(0);
    assert!(read <= input.len() as u64, "{read} records in {} bytes", input.len());
    let mut buffer = Vec::new();
    let mut start = 0;
    while start < count {
        let end = count.min(start + RUN);
        columns(&dbf, start..end, record_length, &mut buffer);
        start = end;
    }
    let mut findings = Vec::new();
    let _ = check(&dbf, None, &mut findings);
    findings.iter().for_each(|finding| drop(finding.to_string()));
}

fn columns(dbf: &Dbf, rows: std::ops::Range<u64>, record_length: usize, buffer: &mut Vec<u8>) {
    let expected = (rows.end - rows.start) as usize;
    let Ok(records) = dbf.read_records(rows.clone(), buffer) else {
        panic!("records {rows:?} were counted and cannot be read")
    };
    assert_eq!(records.len(), expected);
    assert_eq!(deleted_flags(&records, &dbf.decoding(None)).0.len(), expected);
    for field in dbf.fields() {
        let Ok(column) = decode_column(field, &records, &dbf.decoding(None)) else { continue };
        assert_eq!(column.vector.len(), expected, "values of field {}", field.name);
        let few = records.iter().enumerate().step_by(17).map(|(row, record)| (records.number(row), record));
        let wanted = expected.div_ceil(17);
        if let Ok(column) = decode_rows(field, record_length, few, &dbf.decoding(None)) {
            assert_eq!(column.vector.len(), wanted, "some values of field {}", field.name);
        }
    }
}
