//! CSV and Parquet files, and data dictionaries.

use super::{CodePage, Dictionary, Suspicion, Table};
use mainstay_columnar::{Table as _, VectorCache};
use mainstay_csv::{CsvOptions, CsvTable};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use mainstay_xbase::dbf::{Dbf, OpenOptions};
use parquet::file::metadata::{FooterTail, ParquetMetaDataReader};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Decoded columns that are kept.
const CACHE_BYTES: u64 = 64 << 20;
/// The first bytes of Mainstay's own dictionaries.
const OWN: &[u8] = b"mainstay dictionary ";
/// Bytes of the metadata of a Parquet file that are read.
const MOST_METADATA: u64 = 256 << 20;

/// The inventory of a CSV file.
pub(super) fn csv(fs: &Arc<dyn FileSystem>, path: &Path, options: CsvOptions) -> Table {
    let mut table = Table { path: path.to_owned(), kind: "CSV".to_owned(), ..Table::default() };
    let said = options.code_page.is_some();
    match CsvTable::open(Arc::clone(fs), path, "t", VectorCache::new(CACHE_BYTES), options) {
        Ok(csv) => {
            table.columns = csv.column_types().len() as u64;
            match csv.snapshot().and_then(|snapshot| snapshot.visible_rows()) {
                Ok(rows) => table.rows = rows as u64,
                Err(error) => table.error = error.message().to_owned(),
            }
            let (evidence, name) = if said { ("setting", "as set") } else { ("format", "guessed from the bytes") };
            let detail = csv.reading();
            table.code_page = Some(CodePage { name: name.to_owned(), evidence, detail, letters: 0 });
            for finding in csv.findings() {
                let is_error = finding.severity == mainstay_csv::Severity::Error;
                let (cause, count, place) = (finding.cause.to_owned(), finding.count, finding.place());
                table.add_suspicion(Suspicion { path: finding.path, cause, is_error, count, place });
            }
        }
        Err(error) => table.error = error.message().to_owned(),
    }
    table
}

/// The inventory of a Parquet file, by its metadata.
pub(super) fn parquet(fs: &dyn FileSystem, path: &Path) -> Table {
    let mut table = Table { path: path.to_owned(), kind: "Parquet".to_owned(), ..Table::default() };
    match metadata(fs, path) {
        Ok((rows, columns)) => (table.rows, table.columns) = (rows, columns),
        Err(error) => table.error = error.message().to_owned(),
    }
    table
}

/// Rows and columns of a Parquet file.
fn metadata(fs: &dyn FileSystem, path: &Path) -> Result<(u64, u64)> {
    const TAIL: usize = 8;
    let damaged = |what: &str| Error::new(Code::Damaged, what);
    let file = fs.open(path)?;
    let length = file.stamp()?.len;
    let at = length.checked_sub(TAIL as u64).ok_or_else(|| damaged("the file is too short"))?;
    let mut tail = [0; TAIL];
    file.read_exact_at(&mut tail, at)?;
    let tail = FooterTail::try_new(&tail).map_err(|error| damaged(&error.to_string()))?;
    let bytes = tail.metadata_length() as u64;
    let start = at.checked_sub(bytes).filter(|_| bytes <= MOST_METADATA);
    let start = start.ok_or_else(|| damaged("the metadata do not fit into the file"))?;
    let mut content = vec![0; usize::try_from(bytes).unwrap_or(0)];
    file.read_exact_at(&mut content, start)?;
    let metadata = ParquetMetaDataReader::decode_metadata(&content).map_err(|error| damaged(&error.to_string()))?;
    let about = metadata.file_metadata();
    Ok((u64::try_from(about.num_rows()).unwrap_or(0), about.schema_descr().num_columns() as u64))
}

/// A data dictionary, and whether it is Mainstay's own. A database container of Visual FoxPro is a DBF with one record for each
/// object; Mainstay's dictionaries are texts with one line for each.
pub(super) fn dictionary(fs: &dyn FileSystem, path: &Path) -> (Dictionary, bool) {
    let described =
        |kind: &str, contents: String| Dictionary { path: path.to_owned(), kind: kind.to_owned(), contents };
    if crate::collect::extension(path) == "dbc" {
        let contents = objects(fs, path).unwrap_or_else(|error| format!("cannot be read: {}", error.message()));
        return (described("database container of Visual FoxPro", contents), false);
    }
    let bytes = match crate::collect::content(fs, path) {
        Ok(bytes) => bytes,
        Err(reason) => return (described("data dictionary", format!("cannot be read: {reason}")), false),
    };
    if !bytes.starts_with(OWN) {
        return (described("data dictionary of Advantage", format!("{} bytes", bytes.len())), false);
    }
    let text = String::from_utf8_lossy(&bytes);
    let kinds = text.lines().filter_map(|line| line.strip_prefix("object ")?.split(' ').next());
    (described("data dictionary of Mainstay", counted(kinds.map(str::to_owned))), true)
}

/// Texts with their numbers: `2 table, 1 user`.
fn counted(texts: impl Iterator<Item = String>) -> String {
    let mut kinds = BTreeMap::<String, u64>::new();
    texts.for_each(|kind| *kinds.entry(kind).or_default() += 1);
    let listed: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    listed.join(", ")
}

/// The objects of a container by type, from the field OBJECTTYPE of its records.
fn objects(fs: &dyn FileSystem, path: &Path) -> Result<String> {
    let dbf = Dbf::open(fs.open(path)?, OpenOptions::default())?;
    let field = dbf.field("OBJECTTYPE").ok_or_else(|| Error::new(Code::NotThisFormat, "it has no field OBJECTTYPE"))?;
    let (from, to) = (field.offset, field.offset + field.length);
    let count = dbf.record_count(dbf.file().stamp()?.len);
    let (mut kinds, mut record) = (Vec::new(), Vec::new());
    for row in 0..count {
        dbf.read_record(row, &mut record)?;
        let kind = record.get(from..to).unwrap_or_default();
        kinds.push(String::from_utf8_lossy(kind).trim().to_owned());
    }
    Ok(counted(kinds.into_iter()))
}
