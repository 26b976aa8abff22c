//! The rows of a list: byte strings in chunks, so that appending copies a row once and nothing else moves.
//!
//! A program that fills a list of 32,768 lines calls [`Rows::push`] as often, and a list over a file may have a million. A chunk
//! keeps up to 512 rows in one buffer with their ends; inserting or removing a row moves the bytes of its chunk only. Finding
//! a row by number walks the chunks, which are few.

use crate::error::{LENGTH, MEMORY, Result, ScreenError};

/// The most rows of a chunk.
const CHUNK_ROWS: usize = 512;
/// The bytes after which a chunk takes no further row.
const CHUNK_BYTES: usize = 1 << 20;
/// The longest row in bytes: the manual's 8 KB for an element.
pub const LONGEST_ROW: usize = 8 << 10;
/// The most bytes that the rows of one list take.
pub const MOST_BYTES: usize = 256 << 20;

/// Rows that lie together.
#[derive(Clone, Debug, Default)]
struct Chunk {
    bytes: Vec<u8>,
    /// The end of each row in `bytes`.
    ends: Vec<u32>,
}

impl Chunk {
    fn start(&self, at: usize) -> usize {
        at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end as usize)
    }

    fn row(&self, at: usize) -> Option<&[u8]> {
        self.bytes.get(self.start(at)..*self.ends.get(at)? as usize)
    }

    fn is_full(&self) -> bool {
        self.ends.len() >= CHUNK_ROWS || self.bytes.len() >= CHUNK_BYTES
    }

    fn insert(&mut self, at: usize, row: &[u8]) {
        let start = self.start(at);
        self.bytes.splice(start..start, row.iter().copied());
        self.ends.insert(at, start as u32);
        for end in self.ends.iter_mut().skip(at) {
            *end += row.len() as u32;
        }
    }

    fn remove(&mut self, at: usize) {
        let start = self.start(at);
        let Some(end) = self.ends.get(at).map(|end| *end as usize) else { return };
        self.bytes.drain(start..end);
        self.ends.remove(at);
        for later in self.ends.iter_mut().skip(at) {
            *later -= (end - start) as u32;
        }
    }

    /// Moves the second half of the rows into a chunk of its own.
    fn split(&mut self) -> Chunk {
        let at = self.ends.len() / 2;
        let start = self.start(at);
        let bytes = self.bytes.split_off(start);
        let ends = self.ends.split_off(at).into_iter().map(|end| end - start as u32).collect();
        Chunk { bytes, ends }
    }
}

/// The rows of a list, numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    chunks: Vec<Chunk>,
    count: usize,
    bytes: usize,
}

impl Rows {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Appends a row.
    ///
    /// Errors: 46 for a row longer than 8 KB, 31 beyond 256 MB of rows.
    pub fn push(&mut self, row: &[u8]) -> Result<()> {
        self.admit(row)?;
        match self.chunks.last_mut() {
            Some(chunk) if !chunk.is_full() => {
                chunk.bytes.extend_from_slice(row);
                chunk.ends.push(chunk.bytes.len() as u32);
            }
            last => {
                // Rows of a list tend to be of one length: the buffer is made once.
                let bytes = last.map_or(0, |chunk| chunk.bytes.len());
                let mut chunk = Chunk { bytes: Vec::with_capacity(bytes), ends: Vec::with_capacity(CHUNK_ROWS) };
                chunk.bytes.extend_from_slice(row);
                chunk.ends.push(row.len() as u32);
                self.chunks.push(chunk);
            }
        }
        Ok(())
    }

    fn admit(&mut self, row: &[u8]) -> Result<()> {
        if row.len() > LONGEST_ROW {
            return Err(ScreenError::new(LENGTH, format!("A list element of {} bytes is longer than 8 KB", row.len())));
        }
        if self.bytes + row.len() + self.count * 4 > MOST_BYTES {
            return Err(ScreenError::new(MEMORY, "A list takes no more than 256 MB"));
        }
        self.bytes += row.len();
        self.count += 1;
        Ok(())
    }

    /// The chunk of a row and its place there.
    fn find(&self, at: usize) -> Option<(usize, usize)> {
        let mut left = at;
        for (index, chunk) in self.chunks.iter().enumerate() {
            if left < chunk.ends.len() {
                return Some((index, left));
            }
            left -= chunk.ends.len();
        }
        None
    }

    /// Inserts a row before the one at `at`; behind the last one it is appended. Errors as for [`Rows::push`].
    pub fn insert(&mut self, at: usize, row: &[u8]) -> Result<()> {
        let Some((index, place)) = self.find(at) else { return self.push(row) };
        self.admit(row)?;
        let Some(chunk) = self.chunks.get_mut(index) else { return Ok(()) };
        if !chunk.is_full() || chunk.ends.len() < 2 {
            chunk.insert(place, row);
            return Ok(());
        }
        let mut second = chunk.split();
        let first = chunk.ends.len();
        if place < first {
            chunk.insert(place, row)
        } else {
            second.insert(place - first, row)
        }
        self.chunks.insert(index + 1, second);
        Ok(())
    }

    /// Removes a row and returns whether it existed.
    pub fn remove(&mut self, at: usize) -> bool {
        let Some((index, place)) = self.find(at) else { return false };
        let Some(chunk) = self.chunks.get_mut(index) else { return false };
        self.bytes -= chunk.row(place).map_or(0, <[u8]>::len);
        self.count -= 1;
        chunk.remove(place);
        if chunk.ends.is_empty() {
            self.chunks.remove(index);
        }
        true
    }

    /// A row.
    pub fn get(&self, at: usize) -> Option<&[u8]> {
        let (index, place) = self.find(at)?;
        self.chunks.get(index)?.row(place)
    }

    /// The rows from `at` on.
    pub fn iter_from(&self, at: usize) -> impl Iterator<Item = &[u8]> {
        let (first, place) = self.find(at).unwrap_or((self.chunks.len(), 0));
        let chunks = self.chunks.iter().enumerate().skip(first);
        chunks.flat_map(move |(index, chunk)| {
            let skip = if index == first { place } else { 0 };
            (skip..chunk.ends.len()).filter_map(move |at| chunk.row(at))
        })
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        *self = Rows::default();
    }
}
