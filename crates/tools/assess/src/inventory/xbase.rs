//! The inventory of a DBF or ADT: header, records, memo and index files, read as `mainstay check` reads them.

use super::{CodePage, Memo, Suspicion, Table, Tag};
use mainstay_types::Result;
use mainstay_vfs::FileSystem;
use mainstay_xbase::Severity;
use mainstay_xbase::codepage::CodePage as Page;
use mainstay_xbase::dbf::{Dbf, FieldKind, OpenOptions, deleted_flags};
use mainstay_xbase::table::{CheckedTag, TagState, check_with_tags, declared_text, sibling};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// About how many bytes are read at a time.
const RUN_BYTES: u64 = 4 << 20;

/// The inventory of a table. `setting` is the code page that the folder's settings give.
pub(super) fn table(fs: &Arc<dyn FileSystem>, path: &Path, setting: Option<Page>, index_files: &[PathBuf]) -> Table {
    let mut table = Table { path: path.to_owned(), ..Table::default() };
    match read(fs.as_ref(), path, setting, &mut table) {
        Ok(()) => {
            let options = OpenOptions { code_page: setting };
            let (findings, tags) = check_with_tags(fs, path, options, index_files);
            table.tags = tags.into_iter().map(tag).collect();
            for finding in &findings {
                let is_error = finding.severity == Severity::Error;
                let (path, cause, place) = (finding.path.clone(), finding.cause().to_owned(), finding.place.clone());
                table.add_suspicion(Suspicion { path, cause, is_error, count: finding.count, place });
            }
        }
        Err(error) => {
            let is_adt = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("adt"));
            table.kind = if is_adt { "ADT" } else { "DBF" }.to_owned();
            table.error = error.message().to_owned();
        }
    }
    table
}

/// Reads header and records.
fn read(fs: &dyn FileSystem, path: &Path, setting: Option<Page>, table: &mut Table) -> Result<()> {
    let declared = declared_text(fs, path);
    let of_file = declared.as_ref().and_then(|(_, text)| Page::by_name(text));
    let dbf = Dbf::open(fs.open(path)?, OpenOptions { code_page: setting.or(of_file) })?;
    let product = dbf.header().product();
    table.kind = if product == "Advantage" { "ADT".to_owned() } else { format!("DBF ({product})") };
    table.columns = dbf.fields().len() as u64;
    if dbf.fields().iter().any(|field| field.kind.needs_memo()) {
        let memo = sibling(fs, path, dbf.memo_extensions());
        let bytes = memo.as_deref().and_then(|memo| fs.stamp(memo).ok()).map_or(0, |stamp| stamp.len);
        table.memo = Some(Memo { path: memo.unwrap_or_default(), bytes });
    }
    let letters = count_records(&dbf, table)?;
    let declared = declared.map(|(file, text)| (file, text, of_file.is_some()));
    table.code_page = Some(code_page(&dbf, setting, declared, letters));
    Ok(())
}

/// Counts rows, deleted ones, and those with letters beyond ASCII, which it gives.
fn count_records(dbf: &Dbf, table: &mut Table) -> Result<u64> {
    let texts: Vec<(usize, usize)> = dbf
        .fields()
        .iter()
        .filter(|field| matches!(field.kind, FieldKind::Character | FieldKind::Varchar))
        .map(|field| (field.offset, field.offset + field.length))
        .collect();
    let decoding = dbf.decoding(None);
    let count = dbf.record_count(dbf.file().stamp()?.len);
    let run = (RUN_BYTES / u64::from(dbf.header().record_length).max(1)).max(1);
    let (mut start, mut deleted, mut letters, mut buffer) = (0, 0, 0, Vec::new());
    while start < count {
        let records = dbf.read_records(start..count.min(start + run), &mut buffer)?;
        deleted += deleted_flags(&records, &decoding).0.count_set_bits() as u64;
        let has_letters =
            |record: &&[u8]| texts.iter().any(|(from, to)| record.get(*from..*to).is_some_and(|text| !text.is_ascii()));
        letters += records.iter().filter(has_letters).count() as u64;
        start += run;
    }
    (table.rows, table.deleted) = (count.saturating_sub(deleted), deleted);
    Ok(letters)
}

/// The code page of a table, and where it comes from. `declared` is what a `.cpg` file says, and whether that is known.
fn code_page(dbf: &Dbf, setting: Option<Page>, declared: Option<(PathBuf, String, bool)>, letters: u64) -> CodePage {
    let name = dbf.code_page().name().to_owned();
    let language = dbf.header().language;
    let file = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (evidence, detail) = match (setting, &declared) {
        (Some(_), _) => ("setting", "code_page in mainstay.toml".to_owned()),
        (_, Some((path, text, true))) => ("cpg file", format!("{} says {text}", file(path))),
        _ if dbf.header().product() == "Advantage" => ("format", "the ANSI page of Advantage".to_owned()),
        _ if Page::from_language_byte(language).is_some() => ("header", format!("language byte {language:#04x}")),
        (_, Some((path, text, _))) => {
            ("assumed", format!("{} says '{}', which is not known", file(path), text.escape_debug()))
        }
        _ if language == 0 => ("assumed", "the header says none".to_owned()),
        _ => ("assumed", format!("language byte {language:#04x} is not known")),
    };
    CodePage { name, evidence, detail, letters }
}

fn tag(tag: CheckedTag) -> Tag {
    let state = match tag.state {
        TagState::Usable => "usable",
        TagState::NotUsed => "not used",
        TagState::UnknownOrder => "unknown order",
        TagState::Stale => "stale",
        TagState::Damaged => "damaged",
    };
    let condition = tag.condition.unwrap_or_default();
    Tag { path: tag.file, name: tag.name, key: tag.key, condition, keys: tag.keys, state, reason: tag.reason }
}
