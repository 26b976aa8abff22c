//! Exported records become a file of a volume.

use super::{Description, Exported, Tally};
use crate::error::{FileError, FileErrorKind, Result};
use crate::file::RecordFile;
use crate::options::{
    FileKind, OpenMode, OpenOptions, Order, RecordFormat, ScanRange, SessionId, WriteMode, WriteOptions,
};
use crate::volume::Volume;

/// The outcome of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Lines of the data file that could be read.
    pub read: Tally,
    /// Records that the file took.
    pub taken: Tally,
    /// The tally that the file has to give back when it is read: that of the records taken; of an INDEXED file in any order, and
    /// without records of zeros only, which look like those that were never written.
    pub expected: Tally,
    /// The tally that it gives back.
    pub stored: Tally,
    /// Lines that are no records of the file.
    pub rejected: u64,
    /// The number and message of the error for which the layout was not set. The file has its records all the same.
    pub layout: Option<String>,
}

impl Report {
    /// Differences from the description, and records that the file does not give back: one text each.
    pub fn differences(&self, description: &Description) -> Vec<String> {
        let mut found = Vec::new();
        let lines = self.taken.records + self.rejected;
        let mut compare = |name: &str, wanted: Option<String>, is: String| {
            if let Some(wanted) = wanted.filter(|wanted| *wanted != is) {
                found.push(format!("{name}: {wanted} were exported, {is} arrived"));
            }
        };
        compare("records", description.records.map(|count| count.to_string()), lines.to_string());
        compare("bytes", description.bytes.map(|count| count.to_string()), self.read.bytes.to_string());
        let sum = |checksum: u16| format!("{checksum:04X}");
        compare("checksum", description.checksum.map(sum), sum(self.read.checksum));
        if self.stored != self.expected {
            let (stored, expected) = (self.stored, self.expected);
            found.push(match stored.records == expected.records {
                true => format!("the file gives {} records back with other contents", stored.records),
                false => format!("the file gives {} records back, and took {}", stored.records, expected.records),
            });
        }
        found.extend(self.layout.iter().map(|error| format!("the layout is not set: {error}")));
        found
    }
}

/// Takes a line that is no record: its number from 1, its bytes, and the reason.
pub type Reject<'r> = dyn FnMut(u64, &[u8], &FileError) -> Result<()> + 'r;

/// Makes the file of a description and fills it with the records of lines.
///
/// `next` puts the next line without its end into the buffer, and returns false behind the last one. `reject` gets the number of a
/// line, its bytes and the reason. The file is locked meanwhile, and its layout is set at the end.
///
/// Errors: 12 for a name that exists already, 32 for a layout that cannot be read, both before the file is created; those of `next`, and of the volume where they concern the file and not a record.
pub fn import(
    volume: &dyn Volume,
    description: &Description,
    next: &mut dyn FnMut(&mut Vec<u8>) -> Result<bool>,
    reject: &mut Reject<'_>,
) -> Result<Report> {
    let definition = &description.definition;
    let layout = definition.layout.as_deref();
    let plain = crate::FileDefinition { layout: None, ..definition.clone() };
    if let Some(layout) = layout {
        volume.check_layout(&description.name, layout)?;
    }
    volume.create(&description.name, &plain)?;
    let mut file = volume.open(&description.name, &OpenOptions::new(SessionId(u64::MAX), OpenMode::Lock))?;
    let (mut report, mut line, mut number) = (Report::default(), Vec::new(), 0);
    loop {
        line.clear();
        if !next(&mut line)? {
            break;
        }
        number += 1;
        match take(description, file.as_mut(), &line, &mut report) {
            Err(error) if is_of_record(&error) => {
                report.rejected += 1;
                reject(number, &line, &error)?;
            }
            result => result?,
        }
    }
    file.flush()?;
    report.stored = tally(file.as_mut())?;
    drop(file);
    if layout.is_some() {
        let error = volume.set_layout(&description.name, layout).err();
        report.layout = error.map(|error| format!("error {}: {}", error.number(), error.message()));
    }
    Ok(report)
}

/// True for an error that another record of the file need not have.
fn is_of_record(error: &FileError) -> bool {
    matches!(
        error.kind(),
        FileErrorKind::RecordTooLong
            | FileErrorKind::FileFull
            | FileErrorKind::OutsideOfFile
            | FileErrorKind::DuplicateKey
            | FileErrorKind::InvalidOption
            | FileErrorKind::InvalidInteger
            | FileErrorKind::InvalidLength
            | FileErrorKind::KeyDefinition
    )
}

fn take(description: &Description, file: &mut dyn RecordFile, line: &[u8], report: &mut Report) -> Result<()> {
    let Exported { key, index, mut data } = description.record(line)?;
    let key = key.as_deref();
    report.read.add(key.unwrap_or_default(), &data);
    // A record of an INDEXED file has the place that its index says.
    let mode = if index.is_some() { WriteMode::Replace } else { WriteMode::New };
    let options = WriteOptions { mode, key, index, ..WriteOptions::default() };
    file.write(&data, &options)?;
    if let (RecordFormat::Fixed(length), true) =
        (description.definition.format, description.definition.kind != FileKind::Sort)
    {
        data.resize(data.len().max(length as usize), 0);
    }
    report.taken.add(key.unwrap_or_default(), &data);
    expect(&mut report.expected, description.definition.kind, key.unwrap_or_default(), &data);
    Ok(())
}

/// Adds a record to what the file has to give back, or gives back.
fn expect(tally: &mut Tally, kind: FileKind, key: &[u8], data: &[u8]) {
    if kind != FileKind::Indexed {
        return tally.add(key, data);
    }
    if data.iter().any(|byte| *byte != 0) {
        let mut record = Tally::default();
        record.add(key, data);
        tally.records += 1;
        tally.bytes += record.bytes;
        // The order of the lines need not be that of the indexes.
        tally.checksum = tally.checksum.wrapping_add(record.checksum);
    }
}

/// Counts and the checksum of what the file has, in the order in which it was filled.
fn tally(file: &mut dyn RecordFile) -> Result<Tally> {
    let has_external_key = file.definition().keys.external_length().is_some();
    let kind = file.definition().kind;
    let mut tally = Tally::default();
    let mut scan = file.scan(&ScanRange { order: Some(Order::Physical), ..ScanRange::default() })?;
    while let Some(record) = file.scan_next(&mut scan)? {
        expect(&mut tally, kind, if has_external_key { record.key } else { &[] }, record.data);
    }
    Ok(tally)
}
