//! An index file that an area has open.
//!
//! Its pages are those of one state of the file. Another program that changes the index counts up a number in its header
//! (Harbour's CDX at byte 8, NTX at byte 2) after its pages; when that or the file's stamp has changed, the file is read
//! anew. Files without that number are read anew at every look while their stamp is young.
//!
//! What the area's own writer changes is known: see [`IndexFile::note_state`].

use mainstay_base::Result;
use mainstay_vfs::{File, FileSystem, Stamp};
use mainstay_xbase::index::write::BagState;
use mainstay_xbase::index::{Bag, BagKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The bytes at the start of the file in which every format keeps its counter.
const HEAD_BYTES: usize = 16;

/// One open index file.
#[derive(Debug)]
pub(crate) struct IndexFile {
    /// A number that no other file of the area has or had.
    pub(crate) number: u32,
    pub(crate) path: PathBuf,
    pub(crate) bag: Bag,
    /// Counts how often the file was read anew.
    pub(crate) version: u64,
    file: Arc<dyn File>,
    head: [u8; HEAD_BYTES],
    stamp: Stamp,
    /// How often the writer had seen others write, when it was in the same state.
    reloads: Option<u64>,
    /// Whether a later write is certain to give the file another stamp.
    settled: bool,
    kept: usize,
    alone: bool,
}

impl IndexFile {
    pub(crate) fn open(fs: &dyn FileSystem, path: &Path, number: u32, alone: bool) -> Result<IndexFile> {
        let file = fs.open(path)?;
        let (now, head) = (SystemTime::now(), head(&*file)?);
        let bag = Bag::open(Arc::clone(&file))?;
        let (path, kept, stamp) = (path.to_owned(), bag.kept_bytes(), bag.stamp());
        let settled = stamp.is_settled(now);
        Ok(IndexFile { number, path, bag, version: 1, file, head, stamp, reloads: None, settled, kept, alone })
    }

    /// Looks whether the file has changed, and reads it anew if so.
    pub(crate) fn look(&mut self) -> Result<()> {
        if self.alone || self.is_same()? {
            return Ok(());
        }
        self.read_anew()
    }

    /// Whether pages that were read since the last call belong to the state that was looked at.
    pub(crate) fn is_consistent(&mut self) -> Result<bool> {
        let kept = self.bag.kept_bytes();
        if self.alone || kept == self.kept {
            return Ok(true);
        }
        self.kept = kept;
        Ok(self.file.stamp()? == self.stamp && head(&*self.file)? == self.head)
    }

    /// The writer of the same area is in this state now, before it writes or after. If it was in the same state as what
    /// was read here, and nobody but it has written since, what was read still holds but for the trees that the change
    /// touched.
    pub(crate) fn note_state(&mut self, state: BagState) {
        let own_only = self.reloads == Some(state.reloads);
        if (state.head, state.stamp) == (self.head, self.stamp) {
            self.reloads = Some(state.reloads);
        } else if own_only && self.counts() {
            (self.head, self.stamp, self.settled) = (state.head, state.stamp, false);
        } else {
            self.reloads = None;
        }
    }

    /// Whether everybody who writes to the file counts that up in its header: FoxPro does not.
    fn counts(&self) -> bool {
        match self.bag.kind() {
            BagKind::Ntx | BagKind::CompoundNtx => true,
            BagKind::Cdx => self.bag.tags().first().is_some_and(|tag| tag.by_harbour),
            BagKind::CompactIdx | BagKind::PlainIdx => false,
        }
    }

    fn is_same(&mut self) -> Result<bool> {
        if self.settled {
            return Ok(self.file.stamp()? == self.stamp);
        }
        if !self.counts() {
            return Ok(false);
        }
        let now = SystemTime::now();
        let same = self.file.stamp()? == self.stamp && head(&*self.file)? == self.head;
        // Whoever wrote under the same stamp would have counted: so far nobody did, and later nobody can.
        self.settled = same && self.stamp.is_settled(now);
        Ok(same)
    }

    /// Reads the file anew.
    pub(crate) fn read_anew(&mut self) -> Result<()> {
        let now = SystemTime::now();
        self.head = head(&*self.file)?;
        self.bag = Bag::open(Arc::clone(&self.file))?;
        self.stamp = self.bag.stamp();
        self.settled = self.stamp.is_settled(now);
        self.reloads = None;
        self.kept = self.bag.kept_bytes();
        self.version += 1;
        Ok(())
    }
}

fn head(file: &dyn File) -> Result<[u8; HEAD_BYTES]> {
    let mut head = [0; HEAD_BYTES];
    file.read_exact_at(&mut head, 0)?;
    Ok(head)
}
