//! A new table from the readable records of a damaged one.

use super::rejects::{Rejects, rejects_path};
use super::{Plan, Source, empty_like, memo_path, untold, write_files};
use crate::adt::{AUTO_INCREMENT_AT, ROW_VERSION_AT, RecordLayout, Type};
use crate::dbf::{Dbf, Field, FieldKind, OpenOptions, any_blocks, overlapping_memos};
use crate::memo::{Memo, MemoKind, Window, empty_file};
use crate::writer::{WriteOptions, swap};
use crate::{Finding, Severity};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Records that are read at once for their counters.
const RECORDS_AT_ONCE: usize = 1024;

/// The outcome of the repair of a damaged table.
#[derive(Clone, Debug, Default)]
pub struct Repair {
    /// Findings in the old files, and notices.
    pub found: Vec<Finding>,
    /// Values that cannot be read in the old files, and are empty in the new ones: the first of them.
    pub unread: Vec<Finding>,
    /// The number of all such values.
    pub unread_count: u64,
    /// The file that lists them with their bytes, if there are any.
    pub rejects: Option<PathBuf>,
    /// Further losses against the old files: memo files, indexes and their tags.
    pub lost: Vec<Finding>,
}

impl Repair {
    /// All of it.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.found.iter().chain(&self.unread).chain(&self.lost)
    }
}

/// Makes a new table at `into` out of what can be read of a damaged one: all whole records, deleted ones included,
/// with the long values that their references lead to. Values that cannot be read are blank or NULL, and listed with their bytes
/// in `NAME.rejects.txt` beside the new table. The damaged files stay as they are. The indexes have to be built for
/// the new table.
pub fn repair(fs: &Arc<dyn FileSystem>, path: &Path, into: &Path, options: &WriteOptions) -> Result<Repair> {
    for made in [into.to_owned(), rejects_path(into)] {
        if fs.stamp(&made).is_ok() {
            return Err(Error::new(Code::Duplicate, "there is a file of this name already").at(made.display()));
        }
    }
    let dbf = Dbf::open(fs.open(path)?, OpenOptions { code_page: options.code_page })?;
    check_record_length(&dbf)?;
    let mut repair = Repair { found: dbf.findings().to_vec(), ..Repair::default() };
    let mut header = vec![0; dbf.header().header_length as usize];
    dbf.file().read_exact_at(&mut header, 0)?;
    match dbf.header().layout {
        RecordLayout::Dbf => {
            header[4..8].fill(0);
            header[14] = 0;
        }
        RecordLayout::Adt => empty_advantage_header(&dbf, &mut header)?,
    }
    let count = dbf.record_count(dbf.file().stamp()?.len);
    let needs_memo = dbf.fields().iter().any(|field| field.kind.needs_memo());
    let old_memo_path = crate::table::sibling(&**fs, path, dbf.memo_extensions()).filter(|_| needs_memo);
    let mut old_memo = None;
    if let Some(memo_path) = &old_memo_path {
        match Memo::open(fs.open(memo_path)?, dbf.header().version) {
            Ok(memo) => {
                if let Some(doubt) = memo.doubt() {
                    let message = format!("{doubt}: its texts may be others");
                    repair.lost.push(Finding::new(Severity::Error, memo_path, "", message));
                }
                repair.lost.extend(overlapping_memos(&dbf, &memo)?);
                old_memo = Some(memo);
            }
            Err(error) => repair.lost.push(Finding::new(Severity::Error, memo_path, "", error.message())),
        }
    }
    let memo = match (&old_memo, needs_memo) {
        (_, false) => None,
        (Some(memo), true) => Some((with_extension_of(into, memo.path()), empty_like(memo)?)),
        (None, true) => {
            let kind = dbf.memo_kind().unwrap_or(MemoKind::FoxPro);
            let size = match kind {
                MemoKind::FoxPro => 64,
                MemoKind::Advantage => 8,
                _ => 512,
            };
            Some((memo_path(into, kind), empty_file(kind, size, false)))
        }
    };
    let sources: Vec<Source> = (0..dbf.fields().len()).map(Source::Field).collect();
    let mut rejects = Rejects::beside(fs, into);
    let plan = Plan {
        dbf: &dbf,
        memo: old_memo.as_ref(),
        count,
        sources: &sources,
        same: true,
        keep_deleted: true,
        keep_none: false,
        window: Window::default(),
        rejects: Some(&mut rejects),
        progress: &mut untold,
    };
    let new_memo_path = memo.as_ref().map(|(path, _)| path.clone());
    let made = write_files(fs, into, &header, memo, options, plan, &[]);
    if let Err(error) = made {
        swap::discard(&**fs, into, new_memo_path.as_deref());
        rejects.discard();
        return Err(error);
    }
    (repair.unread, repair.unread_count, repair.rejects) = rejects.finish()?;
    if old_memo_path.is_none() && has_memo_references(&dbf)? {
        let message = "there is no memo file, and the new table has none of its texts: look for the file first";
        repair.lost.push(Finding::new(Severity::Error, path, "", message));
    }
    swap::swap(&**fs, into, new_memo_path.as_deref())?;
    Ok(repair)
}

/// Returns true if the bytes of a memo field refer to a block: a number in binary, one in digits, or, in a field of any type,
/// a value that does not lie in the record itself.
fn is_memo_reference(field: &Field, cell: &[u8]) -> bool {
    match (field.kind, cell.len()) {
        (FieldKind::Any, _) => any_blocks(cell).is_some(),
        (_, 4 | 9) => cell.iter().any(|byte| *byte != 0) && cell.iter().any(|byte| *byte != b' '),
        _ => cell.iter().any(|byte| !matches!(byte, 0 | b' ' | b'0')),
    }
}

/// Refuses a DBF whose header has another record length than its fields, where the file shows that the fields are right: what
/// would be read are no records.
///
/// Errors: `Unsupported`, with the bytes to correct.
fn check_record_length(dbf: &Dbf) -> Result<()> {
    let header = dbf.header();
    let described = 1 + dbf.fields().iter().map(|field| field.length as u64).sum::<u64>();
    let length = dbf.file().stamp()?.len;
    // The byte behind the last record may be missing.
    let fits = |record: u64| {
        let end = u64::from(header.header_length) + u64::from(header.record_count) * record;
        (end..=end + 1).contains(&length)
    };
    let said = u64::from(header.record_length);
    if header.layout != RecordLayout::Dbf || said == described || fits(said) || !fits(described) {
        return Ok(());
    }
    let message =
        format!("the header says that a record has {said} bytes; by the fields and the file it has {described}");
    let bytes = described.to_le_bytes();
    let hint = format!("write {:02X} {:02X} to the bytes 10 and 11 of a copy, and check that", bytes[0], bytes[1]);
    Err(Error::new(Code::Unsupported, message).hint(hint))
}

/// Returns true if a record refers to a text in the memo file.
fn has_memo_references(dbf: &Dbf) -> Result<bool> {
    let fields = || dbf.fields().iter().filter(|field| field.kind.needs_memo());
    if fields().next().is_none() {
        return Ok(false);
    }
    let count = dbf.record_count(dbf.file().stamp()?.len);
    let mut buffer = Vec::new();
    for start in (0..count).step_by(RECORDS_AT_ONCE) {
        let records = dbf.read_records(start..count.min(start + RECORDS_AT_ONCE as u64), &mut buffer)?;
        let refers = |record: &[u8]| {
            fields().any(|field| {
                let cell = record.get(field.offset..field.offset + field.length);
                cell.is_some_and(|cell| is_memo_reference(field, cell))
            })
        };
        if records.iter().any(refers) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The header of an ADT without records and reusable records, whose counters are behind all values that live records have: a
/// damaged counter would give numbers out again.
fn empty_advantage_header(dbf: &Dbf, header: &mut [u8]) -> Result<()> {
    [24, 40, 48].iter().for_each(|at| header[*at..*at + 4].fill(0));
    let counted = |kind: Type| dbf.fields().iter().find(|field| field.adt == Some(kind));
    let places = [
        (counted(Type::AutoIncrement), AUTO_INCREMENT_AT as usize, 1),
        (counted(Type::RowVersion), ROW_VERSION_AT as usize, 0),
    ];
    let count = dbf.record_count(dbf.file().stamp()?.len);
    let (mut buffer, mut greatest) = (Vec::new(), [0_u64; 2]);
    for start in (0..count).step_by(RECORDS_AT_ONCE) {
        let records = dbf.read_records(start..count.min(start + RECORDS_AT_ONCE as u64), &mut buffer)?;
        for record in records.iter().filter(|record| !RecordLayout::Adt.is_deleted(record)) {
            for ((field, ..), greatest) in places.iter().zip(&mut greatest) {
                let Some(field) = field else { continue };
                let mut bytes = [0; 8];
                bytes[..field.length].copy_from_slice(&record[field.offset..field.offset + field.length]);
                *greatest = u64::from_le_bytes(bytes).max(*greatest);
            }
        }
    }
    for ((field, at, step), greatest) in places.iter().zip(greatest) {
        if field.is_some() {
            let mut stored = [0; 8];
            stored.copy_from_slice(&header[*at..*at + 8]);
            let next = u64::from_le_bytes(stored).max(greatest.saturating_add(*step));
            header[*at..*at + 8].copy_from_slice(&next.to_le_bytes());
        }
    }
    Ok(())
}

/// The memo file of a new table: with the extension of the old one, which programs look for.
fn with_extension_of(table: &Path, memo: &Path) -> PathBuf {
    memo.extension().map_or_else(|| table.to_owned(), |extension| table.with_extension(extension))
}
