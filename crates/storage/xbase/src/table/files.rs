//! The files that belong to a table: they have its name, and extensions of their own.
//!
//! A DBF and an ADT of one name in one folder share none of them, so the extension of the table decides which ones are looked
//! for.

use mainstay_vfs::FileSystem;
use std::path::{Path, PathBuf};

fn is_adt(table: &Path) -> bool {
    table.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("adt"))
}

/// The extensions of the files that belong to a table: its memo, and its structural index.
pub fn companion_extensions(table: &Path) -> &'static [&'static str] {
    if is_adt(table) { &["adm", "adi"] } else { &["fpt", "dbt", "smt", "cdx"] }
}

/// The files that belong to a table, without the table itself, as far as they are there.
pub fn companions(fs: &dyn FileSystem, table: &Path) -> Vec<PathBuf> {
    companion_extensions(table).iter().filter_map(|extension| sibling(fs, table, &[extension])).collect()
}

/// The file beside `path` with the same name and one of these extensions, in any case.
pub fn sibling(fs: &dyn FileSystem, path: &Path, extensions: &[&str]) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_str()?;
    let upper_case = path.extension().is_some_and(|extension| extension == "DBF" || extension == "ADT");
    let spelled = |extension: &str| if upper_case { extension.to_uppercase() } else { extension.to_owned() };
    let direct = extensions.iter().map(|extension| path.with_extension(spelled(extension)));
    if let Some(found) = direct.into_iter().find(|candidate| fs.stamp(candidate).is_ok()) {
        return Some(found);
    }
    let entries = fs.list(path.parent()?).ok()?;
    entries.into_iter().map(|entry| entry.path).find(|candidate| {
        let same_stem = candidate.file_stem().and_then(|s| s.to_str()).is_some_and(|s| s.eq_ignore_ascii_case(stem));
        let extension = candidate.extension().and_then(|e| e.to_str()).unwrap_or_default();
        same_stem && extensions.iter().any(|wanted| extension.eq_ignore_ascii_case(wanted))
    })
}

/// The production index (MDX) of a table of dBASE IV: the header asks for it, and it is there. A CDX in its place says that
/// the table is FoxPro's by now.
pub(crate) fn production_mdx(fs: &dyn FileSystem, path: &Path) -> Option<PathBuf> {
    let mut header = [0; 32];
    let file = fs.open(path).ok()?;
    file.read_exact_at(&mut header, 0).ok()?;
    if header[28] & 1 == 0 || sibling(fs, path, &["cdx"]).is_some() {
        return None;
    }
    sibling(fs, path, &["mdx"])
}

/// The extension of the index file that has the name of its table: an Advantage table has an ADI, all others a CDX.
pub fn structural_extension(table: &Path) -> &'static str {
    if is_adt(table) { "adi" } else { "cdx" }
}

/// The index file that has the name of its table.
pub fn structural_index(fs: &dyn FileSystem, table: &Path) -> Option<PathBuf> {
    sibling(fs, table, &[structural_extension(table)])
}
