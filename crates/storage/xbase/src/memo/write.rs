//! Storing long values.
//!
//! ```text
//!   store   lock | free blocks: take, write list | value | unlock        then the record, by the caller
//!   free    lock | free blocks: give, write list | unlock                after the record, by the caller
//! ```
//! A value never overwrites the one that a record refers to. It gets new blocks; then the record is written with the
//! new reference; then the old blocks are freed. So a program that is killed anywhere leaves the old text or the new
//! one, and at worst some unused blocks, which packing the table recovers.
//!
//! The lock is the first byte of the memo file, as in Harbour. With exclusive use there is no lock, and the header and
//! the list of free blocks are written only before records that need it ([`MemoWriter::settle`]).

use super::space::{Run, Space};
use super::{DBASE4_MARK, HEADER_LENGTH, Memo, MemoKind, Reference, Window};
use crate::lock::{self, LockWait};
use mainstay_types::{Code, Error, Result};
use mainstay_vfs::{ByteRange, File, WritableFile};
use std::sync::Arc;

/// The byte that stands for the whole memo file.
const LOCK: ByteRange = ByteRange { start: 0, length: 1 };

/// The largest blocks that are written: 64 KB is the most that a program can be told to make.
const MAX_BLOCK_BYTES: u64 = 1 << 16;

/// An open memo file that values are stored in.
#[derive(Debug)]
pub struct MemoWriter {
    file: Arc<dyn WritableFile>,
    memo: Memo,
    flex: bool,
    /// Nobody else has the file open.
    alone: bool,
    wait: LockWait,
    /// The growth of this kind of file is unknown: no value is stored there.
    is_sealed: bool,
    /// The free blocks; kept between calls only with exclusive use.
    space: Option<Space>,
    /// Beside others, blocks that were given back here to a file without a list of them.
    spare: Vec<Run>,
}

impl MemoWriter {
    /// Opens the memo file of a table with this version byte. With `alone`, no other program has it open, so that no
    /// locks are needed.
    pub fn open(file: Arc<dyn WritableFile>, table_version: u8, alone: bool, wait: LockWait) -> Result<MemoWriter> {
        let read: Arc<dyn File> = Arc::clone(&file) as Arc<dyn File>;
        let memo = Memo::open(read, table_version)?;
        if let Some(doubt) = memo.doubt() {
            let message = format!("{doubt}, so nothing is written");
            let error = Error::new(Code::Unsupported, message).at(memo.path().display());
            return Err(
                error.hint("give the memo file the extension of its kind: fpt for FoxPro, dbt for dBASE, smt for Six")
            );
        }
        if memo.block_size > MAX_BLOCK_BYTES {
            let message = format!("the memo header says that blocks have {} bytes", memo.block_size);
            let error = Error::new(Code::Damaged, message).at(memo.path().display());
            return Err(error.hint("repair the table into a new one"));
        }
        let is_sealed = memo.kind == MemoKind::Advantage && advantage_version(&*file)? > 1;
        let mut mark = [0; 9];
        let flex = file.read_at(&mut mark, 512)? == 9 && &mark == b"FlexFile3" && memo.kind == MemoKind::FoxPro;
        Ok(MemoWriter { file, memo, flex, alone, wait, is_sealed, space: None, spare: Vec::new() })
    }

    /// For reading values.
    pub fn memo(&self) -> &Memo {
        &self.memo
    }

    /// Stores a value in blocks of its own; no blocks, and no reference, for an empty one. `letter` is the type of
    /// the field it belongs to.
    ///
    /// Fails with `Code::InvalidValue` for a text with a byte 0x1A in a DBT of dBASE III, where that is the end.
    pub fn store(&mut self, letter: u8, value: &[u8]) -> Result<Option<Reference>> {
        if value.is_empty() {
            return Ok(None);
        }
        self.store_as(
            match letter {
                b'P' if self.memo.kind == MemoKind::FoxPro => 0,
                // In Six's files 2 is a number.
                b'G' if self.memo.kind == MemoKind::FoxPro && !self.memo.six => 2,
                _ => 1,
            },
            value,
        )
    }

    /// Stores a value with the type that it had in another file of this kind, also an empty one.
    pub(crate) fn store_as(&mut self, kind: u32, value: &[u8]) -> Result<Option<Reference>> {
        let six = match self.memo.kind {
            MemoKind::Six | MemoKind::Advantage => Some((kind as u16, self.length(value)?)),
            _ => None,
        };
        let bytes = self.framed(kind, value)?;
        let block = self.put(&bytes)?;
        Ok(Some(Reference { block, six }))
    }

    /// Stores bytes without a header, as fields of any type have them, and gives the number of the first block.
    pub fn store_raw(&mut self, value: &[u8]) -> Result<u64> {
        let mut bytes = value.to_vec();
        self.fill(&mut bytes);
        self.put(&bytes)
    }

    /// Writes whole blocks to where there is room for them.
    fn put(&mut self, bytes: &[u8]) -> Result<u64> {
        if self.is_sealed {
            let message = "a memo file of layout version 2, whose lists of free blocks are not known in full";
            let error = Error::new(Code::Unsupported, message).at(self.memo.path().display());
            return Err(error.hint("pack the table: that makes a memo file of version 0"));
        }
        let mut space = self.begin()?;
        let result = self.put_into(&mut space, bytes);
        self.end(space, result)
    }

    fn put_into(&self, space: &mut Space, bytes: &[u8]) -> Result<u64> {
        let block = space.take((bytes.len() as u64).div_ceil(self.memo.block_size).max(1));
        if !self.alone || !space.may_wait() {
            space.write(&*self.file)?;
        }
        self.file.write_at(bytes, block * self.memo.block_size)?;
        Ok(block)
    }

    /// Gives back the blocks of a value that no record refers to any more. A reference to nothing sound changes
    /// nothing: its blocks may be another's.
    pub fn free(&mut self, reference: &Reference) -> Result<()> {
        let Ok(extent) = self.memo.extent(reference, &mut Window::default())? else { return Ok(()) };
        // A DBT of dBASE III has the end mark too.
        let mark = u64::from(self.memo.kind == MemoKind::DbaseThree);
        self.free_raw(reference.block, extent.end - extent.start + mark)
    }

    /// Gives back the blocks of this many bytes that have no header.
    pub fn free_raw(&mut self, block: u64, length: u64) -> Result<()> {
        if self.is_sealed {
            return Ok(());
        }
        let mut space = self.begin()?;
        space.give(Run { block, count: length.div_ceil(self.memo.block_size) });
        let result = if self.alone && space.may_wait() { Ok(()) } else { space.write(&*self.file) };
        self.end(space, result)
    }

    /// Writes the changes deferred under exclusive use: to be called before a record is written.
    pub fn settle(&mut self) -> Result<()> {
        match &mut self.space {
            Some(space) => space.write(&*self.file),
            None => Ok(()),
        }
    }

    /// Returns when what was stored is on the disk.
    pub fn sync(&mut self) -> Result<()> {
        self.settle()?;
        self.file.sync()
    }

    fn begin(&mut self) -> Result<Space> {
        if let Some(space) = self.space.take() {
            return Ok(space);
        }
        if !self.alone {
            lock::take(&*self.file, LOCK, self.wait, || "the memo file".to_owned())?;
        }
        let space = Space::read(&*self.file, self.memo.kind, self.memo.block_size);
        if space.is_err() && !self.alone {
            self.file.unlock_range(LOCK)?;
        }
        let mut space = space?;
        if !space.is_listed() {
            std::mem::take(&mut self.spare).into_iter().for_each(|run| space.give(run));
        }
        Ok(space)
    }

    fn end<T>(&mut self, space: Space, result: Result<T>) -> Result<T> {
        if self.alone {
            // Kept also after an error: what it gave out stays given out.
            self.space = Some(space);
            return result;
        }
        if !space.is_listed() {
            // Nobody else knows of these blocks, and no record refers to them: they are this writer's to use again.
            self.spare = space.into_runs();
        }
        let unlocked = self.file.unlock_range(LOCK);
        result.and_then(|done| unlocked.map(|()| done))
    }

    fn length(&self, value: &[u8]) -> Result<u32> {
        let most = u32::MAX - 8;
        u32::try_from(value.len()).ok().filter(|length| *length <= most).ok_or_else(|| {
            let message = format!("a memo has at most {most} bytes, not {}", value.len());
            Error::new(Code::InvalidValue, message)
        })
    }

    /// The value with its head or its end mark, as whole blocks.
    fn framed(&self, kind: u32, value: &[u8]) -> Result<Vec<u8>> {
        let length = self.length(value)?;
        let mut bytes = Vec::with_capacity(value.len() + 8 + self.memo.block_size as usize);
        match self.memo.kind {
            MemoKind::DbaseThree if value.contains(&0x1A) => {
                let message = "a text with a character 0x1A, which ends a memo of this kind";
                return Err(Error::new(Code::InvalidValue, message).at(self.memo.path().display()));
            }
            MemoKind::DbaseThree | MemoKind::Six | MemoKind::Advantage => bytes.extend_from_slice(value),
            MemoKind::DbaseFour => {
                bytes.extend_from_slice(&DBASE4_MARK);
                bytes.extend_from_slice(&(length + 8).to_le_bytes());
                bytes.extend_from_slice(value);
            }
            MemoKind::FoxPro => {
                bytes.extend_from_slice(&kind.to_be_bytes());
                bytes.extend_from_slice(&length.to_be_bytes());
                bytes.extend_from_slice(value);
            }
        }
        if self.memo.kind == MemoKind::DbaseThree {
            bytes.push(0x1A);
            if !(bytes.len() as u64).is_multiple_of(self.memo.block_size) {
                bytes.push(0x1A);
            }
        }
        self.fill(&mut bytes);
        Ok(bytes)
    }

    /// Fills the last block. FlexFile marks its end.
    fn fill(&self, bytes: &mut Vec<u8>) {
        let used = bytes.len();
        let whole = (used as u64).div_ceil(self.memo.block_size).max(1) * self.memo.block_size;
        bytes.resize(usize::try_from(whole).unwrap_or(used), 0);
        if let (true, Some(last)) = (self.flex && bytes.len() > used, bytes.last_mut()) {
            *last = 0xAF;
        }
    }
}

/// The layout version of an ADM.
fn advantage_version(file: &dyn File) -> Result<u16> {
    let mut version = [0; 2];
    file.read_exact_at(&mut version, 10)?;
    Ok(u16::from_le_bytes(version))
}

/// The bytes of a new memo file without values. `flex` asks for FlexFile's list of free blocks in an FPT, as
/// Harbour makes it; FoxPro knows no list.
pub fn empty_file(kind: MemoKind, block_size: u32, flex: bool) -> Vec<u8> {
    let flex = flex && kind == MemoKind::FoxPro;
    let size = block_size.max(1);
    let header = if flex || kind == MemoKind::Advantage { 1024 } else { HEADER_LENGTH as u32 };
    let next = header.div_ceil(size);
    // Up to where the first value begins.
    let mut bytes = vec![0; (next as usize * size as usize).max(header as usize)];
    match kind {
        MemoKind::DbaseThree => {
            bytes[..4].copy_from_slice(&next.to_le_bytes());
            bytes[16] = 3;
        }
        MemoKind::DbaseFour => {
            bytes[..4].copy_from_slice(&next.to_le_bytes());
            bytes[20..22].copy_from_slice(&(size as u16).to_le_bytes());
        }
        MemoKind::Advantage => {
            bytes[..4].copy_from_slice(&next.to_be_bytes());
            bytes[4..8].copy_from_slice(&size.to_be_bytes());
        }
        MemoKind::FoxPro => {
            bytes[..4].copy_from_slice(&next.to_be_bytes());
            bytes[4..8].copy_from_slice(&size.to_be_bytes());
            if flex {
                bytes[512..522].copy_from_slice(b"FlexFile3\x03");
            }
        }
        MemoKind::Six => {
            bytes[..4].copy_from_slice(&next.to_le_bytes());
            bytes[4..8].copy_from_slice(&size.to_le_bytes());
            bytes[8..15].copy_from_slice(b"SIxMemo");
        }
    }
    bytes
}
