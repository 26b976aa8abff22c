//! The records of a table, read in blocks of about 16 KB and cached.
//!
//! A block belongs to a *generation*: the state of the file at the last check. A check that finds the file changed
//! begins a new one, and blocks of older ones are read again at their next use. With its bytes a block has the set of
//! its visible records, computed for all of them at once when the area walks through it.
//!
//! Limits: at most `kept_bytes` are cached; when they are used up, all but the newest block are dropped, which costs
//! nothing in a walk over a larger table and little in random access.
//!
//! When the table is closed, its blocks are cached for the next area that opens it: see `kept.rs`.

use crate::bits::Bits;
use crate::freshness::{Freshness, Seen};
use crate::kept::{self, Kept};
use crate::test::Run;
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::File;
use mainstay_xbase::adt::RecordLayout;
use mainstay_xbase::dbf::{Dbf, blank_deleted, read_counted};
use std::sync::Arc;

/// About how many bytes are read at once.
const BLOCK_BYTES: usize = 16 << 10;

/// The generation of blocks that were there when the table was opened.
const FIRST_GENERATION: u64 = 1;

/// The records of one table.
#[derive(Debug)]
pub(crate) struct Blocks {
    file: Arc<dyn File>,
    layout: RecordLayout,
    header_length: u64,
    record_length: usize,
    /// Records in a block, as a power of two.
    shift: u32,
    blocks: Vec<Option<Box<Block>>>,
    kept: usize,
    limit: usize,
    generation: u64,
    pub(crate) freshness: Freshness,
    /// The number of records at the last look.
    count: u32,
    /// Something of it is not from the file.
    is_patched: bool,
    /// The file's length when its records were last all there; and whether some are not any more.
    length: u64,
    is_cut: bool,
    /// A record that is as good as none.
    blank: Vec<u8>,
}

/// Some records, and which of them are visible.
#[derive(Debug, Default)]
pub(crate) struct Block {
    generation: u64,
    bytes: Vec<u8>,
    /// The number of the visibility, and its bits.
    visible: Option<(u64, Bits)>,
}

impl Blocks {
    pub(crate) fn new(dbf: &Dbf, alone: bool, limit: usize) -> Result<Blocks> {
        let file = Arc::clone(dbf.file());
        let freshness = Freshness::new(&*file, alone)?;
        let record_length = dbf.header().record_bytes().max(1);
        let records = (BLOCK_BYTES / record_length).max(1);
        let header_length = u64::from(dbf.header().header_length);
        let count = narrow(dbf.count_now()?);
        let shift = records.ilog2();
        let mut new = Blocks {
            file,
            layout: dbf.header().layout,
            header_length,
            record_length,
            shift,
            blocks: Vec::new(),
            kept: 0,
            limit,
            generation: FIRST_GENERATION,
            freshness,
            count,
            is_patched: false,
            length: 0,
            is_cut: false,
            blank: blank_deleted(dbf),
        };
        new.length = new.file.stamp()?.len;
        new.take_kept();
        Ok(new)
    }

    /// Reuses the blocks cached at the last closing of the file, if it is in the same state.
    fn take_kept(&mut self) {
        let Some(stamp) = self.freshness.settled_stamp().filter(|_| self.file.is_on_disk()) else { return };
        if let Some(kept) = kept::take(&stamp, self.header_length, self.record_length)
            && kept.bytes <= self.limit
        {
            (self.blocks, self.kept) = (kept.blocks, kept.bytes);
        }
    }

    /// Leaves to others what is as it is in the file.
    fn leave(&mut self) {
        let Some(stamp) = self.freshness.settled_stamp().filter(|_| self.file.is_on_disk()) else { return };
        if self.is_patched {
            return;
        }
        let (mut blocks, mut bytes) = (std::mem::take(&mut self.blocks), 0);
        for place in &mut blocks {
            match place {
                Some(block) if block.generation == self.generation => {
                    bytes += block.bytes.len();
                    (block.generation, block.visible) = (FIRST_GENERATION, None);
                }
                _ => *place = None,
            }
        }
        let (header_length, record_length) = (self.header_length, self.record_length);
        kept::leave(Kept { stamp, header_length, record_length, blocks, bytes });
    }

    /// Bytes of blocks that are in memory.
    #[cfg(test)]
    pub(crate) fn bytes_at_hand(&self) -> usize {
        self.kept
    }

    /// The number of records at the last look.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Looks whether the file has changed; what is read after this is at least as new as the call.
    pub(crate) fn look(&mut self, dbf: &Dbf) -> Result<bool> {
        let count = match self.freshness.look(&*self.file)? {
            Seen::Same if self.is_cut => self.count_in(dbf, self.file.stamp()?.len)?,
            Seen::Same => return Ok(false),
            Seen::Changed(length) => self.count_in(dbf, length)?,
            Seen::Written => dbf.count_by_mark(self.count.into())?,
        };
        self.generation += 1;
        self.count = narrow(count);
        Ok(true)
    }

    /// The number of records in a file of this length.
    ///
    /// Errors: `Damaged` for one that has become shorter than its own count of records says.
    fn count_in(&mut self, dbf: &Dbf, length: u64) -> Result<u64> {
        self.is_cut = length < self.length && dbf.counts_beyond(length)?;
        if self.is_cut {
            let message = "the file was cut off while it was open: it holds fewer records than it counts";
            let error = Error::new(Code::Damaged, message).at(dbf.path().display());
            return Err(error.hint("restore it, or repair it into a new table"));
        }
        self.length = length;
        dbf.count_in(length)
    }

    /// Begins a new generation of blocks: those in memory may differ from the file after a write.
    pub(crate) fn begin_generation(&mut self, dbf: &Dbf) -> Result<()> {
        self.generation += 1;
        self.count = narrow(dbf.count_now()?);
        Ok(())
    }

    /// The number of records that the caller knows of.
    pub(crate) fn set_count(&mut self, count: u32) {
        self.count = count;
        self.is_patched = true;
    }

    /// A record has these bytes now.
    pub(crate) fn patch(&mut self, record: u32, bytes: &[u8]) {
        self.is_patched = true;
        let place = record.wrapping_sub(1) as usize >> self.shift;
        let at = (record.wrapping_sub(1) as usize & ((1 << self.shift) - 1)) * self.record_length;
        if let Some(Some(block)) = self.blocks.get_mut(place) {
            block.visible = None;
            if let Some(cell) = block.bytes.get_mut(at..at + self.record_length) {
                cell.copy_from_slice(bytes);
            }
        }
    }

    /// The first record of a block, and how many records it has.
    pub(crate) fn block_of(&self, record: u32) -> (u32, usize) {
        let first = (record.saturating_sub(1) >> self.shift) << self.shift;
        (first + 1, (self.count.saturating_sub(first) as usize).min(1 << self.shift))
    }

    /// The bytes of a record, which counts from 1.
    #[inline]
    pub(crate) fn record(&mut self, record: u32) -> Result<&[u8]> {
        let at = (record.wrapping_sub(1) as usize & ((1 << self.shift) - 1)) * self.record_length;
        let length = self.record_length;
        let block = self.block(record)?;
        Ok(block.bytes.get(at..at + length).unwrap_or_default())
    }

    /// The block that a record is in, as it is in the file (as of the last look).
    #[inline]
    fn block(&mut self, record: u32) -> Result<&mut Block> {
        let place = record.wrapping_sub(1) as usize >> self.shift;
        let first = (place << self.shift) as u32;
        if record == 0 || record > self.count {
            return Err(Error::new(Code::Internal, format!("record {record} of {}", self.count)));
        }
        let wanted = (self.count - first).min(1 << self.shift) as usize * self.record_length;
        let is_ready = matches!(self.blocks.get(place),
            Some(Some(block)) if block.generation == self.generation && block.bytes.len() >= wanted);
        if !is_ready {
            self.read(place, wanted)?;
        }
        match self.blocks.get_mut(place) {
            Some(Some(block)) => Ok(block),
            _ => Err(Error::new(Code::Internal, "a block that was read is not there")),
        }
    }

    #[cold]
    fn read(&mut self, place: usize, wanted: usize) -> Result<()> {
        let mut block = match self.blocks.get_mut(place) {
            Some(kept) => kept.take().unwrap_or_default(),
            None => Box::default(),
        };
        self.kept = self.kept.saturating_sub(block.bytes.len());
        if self.kept + wanted > self.limit {
            self.blocks.clear();
            self.kept = 0;
        }
        block.bytes.resize(wanted, 0);
        let lengths = (self.layout, self.header_length, self.record_length);
        let there = read_counted(&*self.file, lengths, (place << self.shift) as u64, &mut block.bytes)?;
        // Records that were taken back since the last look, which the next one counts no more.
        for record in block.bytes.chunks_exact_mut(self.record_length).skip(there) {
            record.copy_from_slice(&self.blank);
            self.is_patched = true;
        }
        block.generation = self.generation;
        block.visible = None;
        if self.blocks.len() <= place {
            self.blocks.resize_with(place + 1, || None);
        }
        self.kept += wanted;
        self.blocks[place] = Some(block);
        Ok(())
    }

    /// The visible records of the block that `record` is in, if they are known for this visibility.
    #[inline]
    pub(crate) fn visible(&mut self, record: u32, version: u64) -> Result<Option<&Bits>> {
        let block = self.block(record)?;
        Ok(block.visible.as_ref().filter(|(known, _)| *known == version).map(|(_, bits)| bits))
    }

    /// The first visible record behind `record` in the same block, if all of that is at hand and known for this visibility.
    #[inline]
    pub(crate) fn visible_after(&self, record: u32, version: u64) -> Option<u32> {
        let place = record as usize >> self.shift;
        let block = self.blocks.get(place)?.as_ref().filter(|block| block.generation == self.generation)?;
        let (_, bits) = block.visible.as_ref().filter(|(known, _)| *known == version)?;
        let at = bits.next(record as usize & ((1 << self.shift) - 1))?;
        let found = ((place << self.shift) + at + 1) as u32;
        (found <= self.count).then_some(found)
    }

    /// Computes them: those of `shown`, a bit for each record of the block, that `narrow` leaves.
    pub(crate) fn compute_visible(
        &mut self,
        record: u32,
        version: u64,
        mut shown: Bits,
        narrow: impl FnOnce(&Run<'_>, &mut Bits) -> Result<()>,
    ) -> Result<()> {
        let (first, records) = self.block_of(record);
        let length = self.record_length;
        let block = self.block(record)?;
        let bytes = block.bytes.get(..records * length).unwrap_or_default();
        narrow(&Run { first, bytes, length }, &mut shown)?;
        block.visible = Some((version, shown));
        Ok(())
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Record numbers have 32 bits in every index.
fn narrow(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX - 1)
}
