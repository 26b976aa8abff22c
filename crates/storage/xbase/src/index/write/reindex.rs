//! Reindexing: all tags are built from the records into a new file that then replaces the old one.
//!
//! The old file is not touched until the new one is complete and synced; a power failure leaves the one or the other.
//! The tags keep their headers byte for byte, except for the places of their roots, so that flags of other programs are
//! preserved. This repairs an index of which only the pages are damaged, because only its headers are read.
//!
//! The caller has exclusive use of the table and the index: a program that has the old file open goes on reading the
//! old file.

use super::bag::{BagWriter, DAMAGED_TAG_HINT};
use super::create::Plan;
use super::sort::KeySorter;
use super::spec::BagSpec;
use crate::collation::KeyOrder;
use crate::index::bag::Bag;
use crate::index::header::{BagKind, COMPACT_HEADER_LEN, NODE_LEN, TagHeader};
use crate::index::key::KeyType;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, File, FileSystem, WritableFile};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The progress of a reindexing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'p> {
    /// The name of the tag that is being built.
    pub tag: &'p str,
    /// Its number, and how many there are.
    pub number: usize,
    /// The number of tags.
    pub tags: usize,
    /// Keys that are in the new tree.
    pub keys_done: u64,
    /// Keys that were collected for it; a unique tag will list fewer.
    pub keys: u64,
}

/// The services of the table that a reindexing needs.
pub trait Rebuild {
    /// The type of a tag's keys.
    fn key_type(&mut self, header: &TagHeader) -> Result<KeyType>;

    /// Pushes the keys of the records that a tag lists. For a custom tag Harbour pushes none; a caller that keeps its
    /// entries reads them from the old file.
    fn collect(&mut self, number: usize, header: &TagHeader, keys: &mut KeySorter) -> Result<()>;

    /// Is told how far it is, a few times per tag; `Break` stops, and the old file stays.
    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        let _ = progress;
        ControlFlow::Continue(())
    }
}

/// Makes the index file at `path` anew. At most about `memory_bytes` of keys are in memory at a time. Uses the names
/// `<path>.new` and `<path>.runs`, which a crash may leave behind.
pub fn reindex(files: &Arc<dyn FileSystem>, path: &Path, memory_bytes: usize, rebuild: &mut dyn Rebuild) -> Result<()> {
    let old = files.open(path)?;
    let bag = Bag::open(Arc::clone(&old))?;
    if let Some((_, error)) = bag.broken_tags().first() {
        return Err(error.clone().hint(DAMAGED_TAG_HINT));
    }
    let plans = plans(&bag, &*old, rebuild)?;
    let new_path = beside(path, ".new");
    let file = files.create(&new_path, Create::Truncate)?;
    let mut job = Job { files, path, memory_bytes, rebuild };
    let built = job.build(file, &bag, &*old, &plans);
    if let Err(error) = built {
        // The first error is reported; a failure to remove the remains would not help the caller.
        let _ = files.remove(&new_path);
        return Err(error);
    }
    files.rename(&new_path, path)?;
    files.sync_folder(path.parent().unwrap_or(Path::new("")))
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The tags of the old file, with their headers.
fn plans(bag: &Bag, old: &dyn File, rebuild: &mut dyn Rebuild) -> Result<Vec<Plan>> {
    let mut plans = Vec::with_capacity(bag.tags().len());
    for header in bag.tags() {
        if let Some(collation) = &header.collation {
            let message = format!(
                "tag {} is in the collating sequence {collation}, whose keys only FoxPro can make",
                header.name
            );
            return Err(Error::new(Code::Unsupported, message).at(bag.path().display()));
        }
        let key_type = rebuild.key_type(header)?;
        if key_type.order() == KeyOrder::Unknown {
            return Err(super::unknown_order(&header.name).at(bag.path().display()));
        }
        let mut bytes = vec![0; if bag.kind() == BagKind::PlainIdx { NODE_LEN } else { COMPACT_HEADER_LEN }];
        old.read_exact_at(&mut bytes, header.header_offset)?;
        plans.push(Plan { name: header.name_bytes.clone(), header: bytes, key_type });
    }
    Ok(plans)
}

struct Job<'j> {
    files: &'j Arc<dyn FileSystem>,
    path: &'j Path,
    memory_bytes: usize,
    rebuild: &'j mut dyn Rebuild,
}

impl Job<'_> {
    fn build(&mut self, file: Arc<dyn WritableFile>, bag: &Bag, old: &dyn File, plans: &[Plan]) -> Result<()> {
        let spec = BagSpec::of(bag, old)?;
        let mut header = vec![0; COMPACT_HEADER_LEN];
        let len = old.read_at(&mut header, 0)?;
        let mut writer = BagWriter::begin_file(file, &spec, Some(&header[..len]))?;
        for (number, (plan, header)) in plans.iter().zip(bag.tags()).enumerate() {
            let runs = beside(self.path, ".runs");
            let keys = KeySorter::new(header).in_order(plan.key_type.order());
            let mut keys = keys.with_limit(self.memory_bytes, Arc::clone(self.files), &runs);
            self.rebuild.collect(number, header, &mut keys)?;
            let count = keys.len();
            let rebuild = &mut *self.rebuild;
            let mut tell = |keys_done| {
                let tags = plans.len();
                rebuild.progress(&Progress { tag: &header.name, number, tags, keys_done, keys: count })
            };
            if tell(0).is_break() {
                return Err(super::stopped());
            }
            writer.build(plan, keys, &mut tell)?;
        }
        writer.end_file()?;
        writer.sync()
    }
}
