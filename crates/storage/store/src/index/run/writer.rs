//! Writing a run: entries come in ascending order, and blocks go to the file as they fill.
//!
//! The writer keeps one block in memory, and of each written leaf the shortest separator from the leaf before
//! (a few bytes per block of 4,096); the levels above are built from these after the last entry.

use super::Trailer;
use super::page::{PageBuilder, UNIT, seal};
use crate::files::{FileFacts, FileForm, RunImage};
use crate::journal::checksum::continued;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{Create, FileSystem, WritableFile};
use std::path::Path;
use std::sync::Arc;

/// Bytes that gather before they are written.
const BUFFER: usize = 1 << 20;

/// The facts about a run that the manifest stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunFacts {
    /// Bytes of the file.
    pub(crate) length: u64,
    /// The crc32c of all of them.
    pub(crate) checksum: u32,
    /// Its entries.
    pub(crate) entries: u64,
}

impl RunFacts {
    /// The same of the file with this number.
    pub(crate) fn image(self, number: u64) -> RunImage {
        let RunFacts { length, checksum, entries } = self;
        RunImage { file: FileFacts { number, length, checksum, form: FileForm::Run }, entries }
    }
}

/// A run that is being written.
pub(crate) struct RunWriter {
    file: Arc<dyn WritableFile>,
    number: u64,
    width: Option<usize>,
    buffer: Vec<u8>,
    written: u64,
    checksum: u32,
    entries: u64,
    leaf: PageBuilder,
    /// Of each block of the level that is being written: what its keys start from, and its number.
    blocks: Vec<(Vec<u8>, u32)>,
    /// The lower bound of the keys of the leaf.
    separator: Vec<u8>,
    next_block: u32,
    previous_units: u32,
}

impl RunWriter {
    /// A run in this file, whose keys have so many bytes each or any number.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn create(fs: &dyn FileSystem, path: &Path, number: u64, width: Option<usize>) -> Result<RunWriter> {
        Ok(RunWriter {
            file: fs.create(path, Create::Truncate)?,
            number,
            width,
            buffer: Vec::new(),
            written: 0,
            checksum: 0,
            entries: 0,
            leaf: PageBuilder::new(width),
            blocks: Vec::new(),
            separator: Vec::new(),
            next_block: 0,
            previous_units: 0,
        })
    }

    /// Adds an entry, whose key is greater than all before it.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn push(&mut self, key: &[u8], position: u64) -> Result<()> {
        if self.leaf.push(key, position) {
            self.entries += 1;
            return Ok(());
        }
        let separator = self.separator_of(key);
        self.end_leaf()?;
        self.separator = separator;
        self.entries += 1;
        match self.leaf.push(key, position) {
            true => Ok(()),
            false => Err(Error::new(Code::Internal, "an entry does not fit into a block of its own")),
        }
    }

    /// The least bytes that are greater than the last key of the leaf and not greater than this key.
    fn separator_of(&self, key: &[u8]) -> Vec<u8> {
        if self.width.is_some() {
            return key.to_vec();
        }
        let common = self.leaf.last_key().iter().zip(key).take_while(|(one, other)| one == other).count();
        key[..key.len().min(common + 1)].to_vec()
    }

    fn end_leaf(&mut self) -> Result<()> {
        let separator = std::mem::take(&mut self.separator);
        let block = self.leaf.finish(0, self.previous_units, (self.number, self.next_block));
        self.previous_units = (block.len() / UNIT) as u32;
        self.blocks.push((separator, self.next_block));
        self.write(&block)
    }

    fn write(&mut self, block: &[u8]) -> Result<()> {
        self.checksum = continued(self.checksum, block);
        self.buffer.extend_from_slice(block);
        let units = u32::try_from(block.len() / UNIT).ok();
        let next = units.and_then(|units| self.next_block.checked_add(units));
        self.next_block = next.ok_or_else(|| Error::new(Code::Unsupported, "an index file would be too long"))?;
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write_at(&self.buffer, self.written)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Writes the levels above the leaves, of which there is one at least, and syncs the file.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn finish(mut self) -> Result<RunFacts> {
        if !self.leaf.is_empty() {
            self.end_leaf()?;
        }
        let leaves_end = self.next_block;
        let mut levels = 1;
        while self.blocks.len() > 1 {
            let below = std::mem::take(&mut self.blocks);
            self.write_level(&below, levels as u8)?;
            levels += 1;
        }
        let root = self.blocks.first().map_or(0, |(_, block)| *block);
        let trailer = Trailer { width: self.width, entries: self.entries, leaves_end, root, levels };
        let mut trailer = trailer.encode();
        seal(&mut trailer, self.number, self.next_block);
        self.write(&trailer)?;
        self.flush()?;
        self.file.sync()?;
        Ok(RunFacts { length: self.written, checksum: self.checksum, entries: self.entries })
    }

    /// Writes the blocks above those of a level.
    fn write_level(&mut self, below: &[(Vec<u8>, u32)], level: u8) -> Result<()> {
        let mut builder = PageBuilder::above(self.width);
        let mut separator: &[u8] = &[];
        for (key, block) in below {
            // The first block of a level has everything that is less than the second's keys: any key stands for it.
            let probe = if key.is_empty() { vec![0; self.width.unwrap_or(0)] } else { key.clone() };
            if !builder.push(&probe, u64::from(*block)) {
                self.end_inner(&mut builder, separator, level)?;
                if !builder.push(&probe, u64::from(*block)) {
                    return Err(Error::new(Code::Internal, "a separator does not fit into a block of its own"));
                }
                separator = key;
            }
        }
        self.end_inner(&mut builder, separator, level)
    }

    fn end_inner(&mut self, builder: &mut PageBuilder, separator: &[u8], level: u8) -> Result<()> {
        let number = self.next_block;
        let block = builder.finish(level, 0, (self.number, number));
        self.blocks.push((separator.to_vec(), number));
        self.write(&block)
    }
}
