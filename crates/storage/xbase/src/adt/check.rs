//! Findings about the header of an ADT that its values alone do not show: the list of reusable records and the AutoIncrement
//! counter.
//!
//! A list that leads to a live record would let the next insert overwrite it, and a cyclic list has no end. A counter
//! that is not above all values repeats numbers. A length that differs from the list's remains after a program is
//! killed between two writes.

use super::header::{AUTO_INCREMENT_AT, word};
use super::layout::RecordLayout;
use super::reuse::{Place, ReuseList};
use super::types::Type;
use crate::dbf::Dbf;
use crate::{Finding, Severity};
use mainstay_types::Result;

/// Records that are read at once.
const RUN: u64 = 4096;

/// Adds what is wrong with the list and the counter of a table; nothing for a DBF.
pub(crate) fn check(table: &Dbf, count: u64, findings: &mut Vec<Finding>) -> Result<()> {
    if table.header().layout != RecordLayout::Adt {
        return Ok(());
    }
    let mut report = |severity, place: &str, cause, message: String| {
        findings.push(Finding::new(severity, table.path(), place, message).of_cause(cause));
    };
    match walk_list(table, count)? {
        Ok((listed, length)) if listed != length => {
            let message = format!("the header counts {length} reusable records, and the list has {listed}");
            let cause = "the header counts other reusable records than the list has";
            report(Severity::Warning, "reusable records", cause, message);
        }
        Ok(_) => {}
        Err(message) => {
            report(Severity::Error, "reusable records", "the list of reusable records is broken", message);
        }
    }
    if let Some((next, greatest)) = counter(table, count)?.filter(|(next, greatest)| next <= greatest) {
        let message = format!("the next AutoIncrement value is {next}, and a record has {greatest} already");
        report(Severity::Error, "header", "the next AutoIncrement value is in use already", message);
    }
    Ok(())
}

/// The records on the list, and the number that the header says; a text if the list is broken.
fn walk_list(table: &Dbf, count: u64) -> Result<Result<(u64, u64), String>> {
    let header = table.header();
    let place = Place { header_length: header.header_length.into(), record_length: header.record_length.into(), count };
    let file = &**table.file();
    let list = ReuseList::read(file)?;
    let (mut at, mut listed) = (list.first, 0);
    while at != 0 {
        let Some(prefix) = place.prefix(file, at)? else {
            return Ok(Err(format!("the list leads to record {at}, and the table has {count}")));
        };
        if !RecordLayout::Adt.is_deleted(&prefix) {
            return Ok(Err(format!("the list leads to record {at}, which is not deleted")));
        }
        listed += 1;
        if listed > count {
            return Ok(Err("the list leads back to itself".to_owned()));
        }
        at = RecordLayout::Adt.link(&prefix);
    }
    Ok(Ok((listed, list.length.into())))
}

/// The next AutoIncrement value of the header, and the greatest of the live records.
fn counter(table: &Dbf, count: u64) -> Result<Option<(u64, u64)>> {
    let Some(field) = table.fields().iter().find(|field| field.adt == Some(Type::AutoIncrement)) else {
        return Ok(None);
    };
    let mut next = [0; 8];
    table.file().read_exact_at(&mut next, AUTO_INCREMENT_AT)?;
    let (mut buffer, mut greatest) = (Vec::new(), 0);
    for start in (0..count).step_by(RUN as usize) {
        let records = table.read_records(start..count.min(start + RUN), &mut buffer)?;
        let live = records.iter().filter(|record| !RecordLayout::Adt.is_deleted(record));
        let readable = live.filter(|record| !RecordLayout::Adt.is_encrypted(record));
        greatest = readable.map(|record| u64::from(word(record, field.offset))).fold(greatest, u64::max);
    }
    Ok(Some((u64::from_le_bytes(next), greatest)))
}
