//! Repair: a new table with new indexes from a damaged one.
//!
//! [`crate::writer::repair`] copies the readable records and memos. Only the definitions of the indexes are copied:
//! they are built from the records of the new table, one tag at a time, so that a tag that cannot be built is reported
//! and the others are complete. The damaged files stay as they are, except that an interrupted transaction is undone
//! first, as at every opening of the table.

use super::bag::OpenBag;
use super::build::tag_spec;
use super::recovery::recover;
use super::{IndexSpec, IndexedTable, structural_path};
use crate::collation::{KeyOrder, National};
use crate::dbf::Dbf;
use crate::index::write::BagSpec;
use crate::index::{Bag, TagHeader};
use crate::keys::{Conventions, TagKeys};
use crate::writer::{self, Access, Repair, WriteOptions};
use crate::{Finding, Severity};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::FileSystem;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The way out where tags of an index file cannot be mended alone.
const REPAIR_HINT: &str = "mainstay check --repair makes a new table with the tags that are left";

/// Makes a new table at `into` out of what can be read of a damaged one, with the tags of its structural index and of
/// `index_files`, which are its other index files. Where other index files were made is among what was found. Entries of
/// custom tags are lost.
pub fn repair(
    fs: &Arc<dyn FileSystem>,
    path: &Path,
    into: &Path,
    options: &WriteOptions,
    index_files: &[PathBuf],
) -> Result<Repair> {
    let cut_off = writer::finish_swap(&**fs, path).and_then(|()| recover(fs, path)).err();
    let mut repair = writer::repair(fs, path, into, options)?;
    repair.lost.extend(cut_off.map(|error| {
        let message = format!("what a program has left here that was cut off is not put right: {}", error.message());
        finding(path, Severity::Error, String::new(), message)
    }));
    let structural = crate::table::structural_index(&**fs, path);
    let others = index_files.iter().filter(|file| Some(*file) != structural.as_ref());
    let how = WriteOptions { access: Access::Exclusive, ..*options };
    let mut table = IndexedTable::open(Arc::clone(fs), into, how)?;
    for file in structural.iter().chain(others) {
        let is_structural = structural.as_ref() == Some(file);
        let target = if is_structural { structural_path(into) } else { beside_table(&**fs, into, file) };
        match remade(&mut table, fs, file, &target, is_structural, &mut repair.lost) {
            Ok(true) if !is_structural => {
                let message = format!("the index was made anew as {}", target.display());
                repair.found.push(finding(file, Severity::Warning, String::new(), message));
            }
            Ok(_) => {}
            Err(error) => {
                let message = format!("the index could not be made anew: {}", error.message());
                repair.lost.push(finding(file, Severity::Error, String::new(), message));
            }
        }
    }
    if table.dbf().header().has_structural_index && crate::table::structural_index(&**fs, into).is_none() {
        table.writer.mark_structural_index(false)?;
        let message = "the header asks for an index of the table's name; the new table has none".to_owned();
        repair.lost.push(finding(path, Severity::Warning, String::new(), message));
    }
    table.close()?;
    Ok(repair)
}

fn finding(path: &Path, severity: Severity, place: String, message: String) -> Finding {
    Finding::new(severity, path, place, message)
}

/// Where an index file of the new table goes: its own name in the new table's folder, or with the table's name in front
/// where there is such a file.
fn beside_table(fs: &dyn FileSystem, table: &Path, index: &Path) -> PathBuf {
    let folder = table.parent().unwrap_or(Path::new(""));
    let name = index.file_name().unwrap_or_default();
    let same = folder.join(name);
    if fs.stamp(&same).is_err() {
        return same;
    }
    let mut longer = OsString::from(table.file_stem().unwrap_or_default());
    longer.push("_");
    longer.push(name);
    folder.join(longer)
}

/// Makes the tags of one old file anew; those that cannot be made are findings. Whether there is a new file.
fn remade(
    table: &mut IndexedTable,
    fs: &Arc<dyn FileSystem>,
    old: &Path,
    target: &Path,
    is_structural: bool,
    findings: &mut Vec<Finding>,
) -> Result<bool> {
    let file = fs.open(old)?;
    let bag = Bag::open(Arc::clone(&file))?;
    let layout = BagSpec::of(&bag, &*file)?;
    for (name, error) in bag.broken_tags() {
        let message = format!("the definition of the tag is lost: {}", error.message());
        findings.push(finding(old, Severity::Error, format!("tag {name}"), message));
    }
    if fs.stamp(target).is_ok() {
        return Err(Error::new(Code::Duplicate, "there is a file of this name already").at(target.display()));
    }
    let mut sound: Vec<(IndexSpec, Conventions)> = Vec::new();
    let national = national_of(&bag, table.dbf());
    for (number, header) in bag.tags().iter().enumerate() {
        let known = conventions_of(&bag, number, national.as_ref(), table.dbf());
        let spec = spec_of(header, old, &layout);
        let tried = known.and_then(|known| table.tag_can_be_made(target, (&spec, known), &layout).map(|()| known));
        match tried {
            Ok(known) => sound.push((spec, known)),
            Err(error) => {
                let message = format!("the tag was not made anew: {error}");
                findings.push(finding(old, Severity::Error, format!("tag {}", header.name), message));
            }
        }
        if header.custom {
            let message = "the entries of the tag were chosen by a program, and are lost".to_owned();
            findings.push(finding(old, Severity::Warning, format!("tag {}", header.name), message));
        }
    }
    if sound.is_empty() {
        return Ok(false);
    }
    let mut tags = Vec::with_capacity(sound.len());
    for (spec, _) in &sound {
        tags.push(tag_spec(spec, &layout, table.dbf())?);
    }
    let known: Vec<Conventions> = sound.iter().map(|(_, known)| *known).collect();
    table.make_bag(target, &layout, tags, &known)?;
    table.open_made(target, is_structural).map(|_| true)
}

impl IndexedTable {
    /// Drops a tag of the structural index whose definition is damaged, so that the table can be written to again: the other
    /// tags are made anew from the records. False if no tag of this name is damaged. The table must be open for exclusive use.
    ///
    /// Errors: `Unsupported` if there are several damaged tags, of which one cannot be dropped alone, or if another tag has
    /// entries that a program chose; those of making the other tags.
    pub fn drop_damaged_tag(&mut self, name: &str) -> Result<bool> {
        let Some(number) = self.indexes.bags.iter().position(|bag| bag.is_structural) else { return Ok(false) };
        let path = self.indexes.bags[number].path.clone();
        let file = self.fs.open(&path)?;
        let bag = Bag::open(Arc::clone(&file))?;
        let damaged: Vec<&str> = bag.broken_tags().iter().map(|(name, _)| name.as_str()).collect();
        if !damaged.iter().any(|tag| tag.eq_ignore_ascii_case(name)) {
            return Ok(false);
        }
        let refused = |message: String| Error::new(Code::Unsupported, message).at(path.display()).hint(REPAIR_HINT);
        if damaged.len() > 1 {
            return Err(refused(format!("the definitions of several tags are damaged: {}", damaged.join(", "))));
        }
        if let Some(custom) = bag.tags().iter().find(|header| header.custom) {
            let message = format!("a program chose the entries of tag {}, which would be lost", custom.name);
            return Err(refused(message));
        }
        self.must_be_alone("a damaged tag be dropped")?;
        self.must_have_no_transaction("dropping a tag")?;
        let layout = BagSpec::of(&bag, &*file)?;
        let national = national_of(&bag, self.dbf());
        let (mut tags, mut known) = (Vec::new(), Vec::new());
        for (number, header) in bag.tags().iter().enumerate() {
            known.push(conventions_of(&bag, number, national.as_ref(), self.dbf())?);
            tags.push(tag_spec(&spec_of(header, &path, &layout), &layout, self.dbf())?);
        }
        if tags.is_empty() {
            self.indexes.bags.remove(number);
            self.fs.remove(&path)?;
            self.writer.mark_structural_index(false)?;
            return Ok(true);
        }
        self.make_bag(&path, &layout, tags, &known)?;
        self.indexes.bags[number] = OpenBag::structural(&*self.fs, &path, &self.indexes.dbf, self.indexes.sharing)?;
        Ok(true)
    }
}

/// The definition of an old tag. One that is named like its file will be named like the new file.
fn spec_of(header: &TagHeader, file: &Path, layout: &BagSpec) -> IndexSpec {
    let is_files = file.file_stem().is_some_and(|stem| stem.to_string_lossy().eq_ignore_ascii_case(&header.name));
    let spec = IndexSpec::of(header);
    if is_files && layout.is_single() { IndexSpec { name: String::new(), ..spec } } else { spec }
}

/// The order and the letters that an old tag's keys show: the new one gets them, too. One that is damaged beyond that has
/// those of the other tags of its file, of which `national` is the order.
fn conventions_of(bag: &Bag, number: usize, national: Option<&National>, dbf: &Dbf) -> Result<Conventions> {
    let keys = TagKeys::new(&bag.tags()[number], dbf)?;
    let tag = bag.tag(number, keys.key_type)?;
    let keys = keys.recognised(&tag, dbf);
    Ok(match national {
        Some(national) => keys.joined(&tag, dbf, national).conventions(),
        None => keys.conventions(),
    })
}

/// The national order that the tags of a file are in, if one of them is.
fn national_of(bag: &Bag, dbf: &Dbf) -> Option<National> {
    let of_tag = |number| conventions_of(bag, number, None, dbf).ok().map(|known| known.order);
    (0..bag.tags().len()).filter_map(of_tag).find_map(|order| match order {
        KeyOrder::National(national) => Some(national),
        _ => None,
    })
}
