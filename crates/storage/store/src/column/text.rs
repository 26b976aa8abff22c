//! Text and bytes as Arrow views: short values in place, long ones in blocks that never move.
//!
//! ```text
//!   view (16 bytes)    length | up to 12 bytes                           short
//!                      length | first 4 bytes | block | offset           long
//!
//!   blocks             [ 1 KiB ] [ 2 KiB ] [ 4 KiB ] ... [ 4 MiB ] [ 4 MiB ] ...
//! ```
//!
//! A block is a [`Vector`] of bytes; a value that does not fit into what is left of the last block goes whole into a new
//! one, which is as large as the value if need be. Blocks are found through two levels of tables that are filled once, so
//! a reader needs no lock.
//!
//! Limits: a value has at most 2^31 - 1 bytes, and a column of a group 4,096 blocks (at least 16 GiB).

use super::vector::{Appender, Vector, gathered};
use arrow_array::builder::make_view;
use arrow_array::{ArrayRef, BinaryViewArray, StringViewArray};
use arrow_buffer::{Buffer, NullBuffer};
use mainstay_types::{Code, Error, Result};
use std::sync::{Arc, OnceLock};

/// The longest value that is in its view.
const INLINE: usize = 12;
/// Bytes of the first block of a column.
const FIRST_BLOCK: usize = 1 << 10;
/// Bytes from where on blocks do not grow any more.
const LAST_BLOCK: usize = 4 << 20;
/// Blocks of one page, and pages.
const PAGE: usize = 64;

type Page = [OnceLock<Arc<Vector<u8>>>; PAGE];

/// Which blocks there are, for readers.
#[derive(Default)]
struct Blocks {
    pages: OnceLock<Box<[OnceLock<Box<Page>>; PAGE]>>,
}

impl Blocks {
    #[inline]
    fn get(&self, block: usize) -> Option<&Arc<Vector<u8>>> {
        self.pages.get()?.get(block / PAGE)?.get()?[block % PAGE].get()
    }

    /// Adds the block of this number; `false` when there are too many.
    fn add(&self, block: usize, bytes: Arc<Vector<u8>>) -> bool {
        let pages = self.pages.get_or_init(|| Box::new([const { OnceLock::new() }; PAGE]));
        let Some(page) = pages.get(block / PAGE) else { return false };
        page.get_or_init(|| Box::new([const { OnceLock::new() }; PAGE]))[block % PAGE].set(bytes).is_ok()
    }

    fn iter(&self) -> impl Iterator<Item = &Arc<Vector<u8>>> {
        (0..).map_while(|block| self.get(block))
    }
}

/// A column of text or of bytes. Clones share the values.
#[derive(Clone)]
pub(crate) struct Views {
    views: Arc<Vector<u128>>,
    blocks: Arc<Blocks>,
    /// True if all the values are UTF-8: the appender's `text`.
    text: bool,
}

/// The one writer of a [`Views`].
pub(crate) struct ViewAppender {
    views: Appender<u128>,
    blocks: Arc<Blocks>,
    /// The last block, which is being filled, and its number.
    last: Option<(usize, Appender<u8>)>,
    /// True if all the values are UTF-8.
    text: bool,
}

impl Views {
    /// An empty column with room for `capacity` values, which are text or any bytes, and its writer.
    pub(crate) fn with_capacity(capacity: usize, text: bool) -> (ViewAppender, Views) {
        let appender = Vector::with_capacity(capacity);
        let blocks = Arc::new(Blocks::default());
        let views = Views { views: Arc::clone(appender.vector()), blocks: Arc::clone(&blocks), text };
        (ViewAppender { views: appender, blocks, last: None, text }, views)
    }

    /// A full column over a vector's views and blocks, whose values are in them: Arrow's own checks have been made.
    /// `None` when there are too many blocks or something is not aligned.
    pub(crate) fn of_buffers(views: &Buffer, data: &[Buffer], text: bool) -> Option<Views> {
        let blocks = Blocks::default();
        for (number, block) in data.iter().enumerate() {
            if !blocks.add(number, Vector::of_buffer(block)?) {
                return None;
            }
        }
        Some(Views { views: Vector::of_buffer(views)?, blocks: Arc::new(blocks), text })
    }

    /// The bytes of a value, if it is there.
    #[inline]
    pub(crate) fn bytes_at(&self, offset: usize) -> Option<&[u8]> {
        let view = self.views.slice().get(offset)?;
        let length = *view as u32 as usize;
        if length > INLINE {
            let (block, start) = ((*view >> 64) as u32 as usize, (*view >> 96) as usize);
            return self.blocks.get(block)?.slice().get(start..start + length);
        }
        let (_, tail) = inline_bytes(view).split_at(4);
        tail.get(..length)
    }

    /// The text of a value, if it is there and the column is one of text.
    #[inline]
    pub(crate) fn text_at(&self, offset: usize) -> Option<&str> {
        if !self.text {
            return None;
        }
        // SAFETY: an appender of text takes nothing but UTF-8 (`push_text`, `push_bytes`), and what it took never changes;
        // `of_buffers` is given the parts of a vector of text, which is UTF-8.
        self.bytes_at(offset).map(|bytes| unsafe { std::str::from_utf8_unchecked(bytes) })
    }

    /// The first `length` values as a vector of Arrow's.
    pub(crate) fn array(&self, length: usize, nulls: Option<NullBuffer>) -> ArrayRef {
        let views = self.views.scalars(length);
        let buffers: Vec<Buffer> = self.blocks.iter().map(|block| block.buffer(usize::MAX)).collect();
        if self.text {
            // SAFETY: the views were made by `make_view` for bytes that are in these buffers at this place (a block is
            // published before the views into it), and an appender of text takes nothing but `str` (`push`); or both are
            // those of a vector of Arrow's (`of_buffers`).
            Arc::new(unsafe { StringViewArray::new_unchecked(views, buffers, nulls) })
        } else {
            // SAFETY: as above; bytes may be any.
            Arc::new(unsafe { BinaryViewArray::new_unchecked(views, buffers, nulls) })
        }
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.views.slice().len()
    }

    /// True if all the values are UTF-8.
    pub(crate) fn is_text(&self) -> bool {
        self.text
    }

    /// The values that the codes name, which share the blocks; an empty one where a code names none.
    pub(crate) fn gathered(views: &Views, codes: &[u32]) -> Views {
        let gathered = gathered(&views.views, codes, 0);
        Views { views: gathered, blocks: Arc::clone(&views.blocks), text: views.text }
    }

    /// The memory that the column takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.views.bytes() + self.blocks.iter().map(|block| block.bytes()).sum::<usize>()
    }
}

/// The values of a column, one behind the other.
pub(crate) struct TextBlock {
    bytes: Arc<Vector<u8>>,
    /// True if they are UTF-8 as a whole.
    text: bool,
}

impl TextBlock {
    /// The values in this buffer; `None` when they should be text and are not, or are too long.
    pub(crate) fn new(buffer: &Buffer, text: bool) -> Option<TextBlock> {
        let is_sound = i32::try_from(buffer.len()).is_ok() && (!text || std::str::from_utf8(buffer).is_ok());
        is_sound.then(|| Vector::of_buffer(buffer).map(|bytes| TextBlock { bytes, text }))?
    }

    /// True if all the values are UTF-8.
    pub(crate) fn is_text(&self) -> bool {
        self.text
    }

    /// The bytes between two places.
    #[inline]
    pub(crate) fn bytes(&self, start: usize, end: usize) -> Option<&[u8]> {
        self.bytes.slice().get(start..end)
    }

    /// The text between two places, if there are characters between them.
    #[inline]
    pub(crate) fn text(&self, start: usize, end: usize) -> Option<&str> {
        self.whole_text()?.get(start..end)
    }

    fn whole_text(&self) -> Option<&str> {
        // SAFETY: `new` has checked the whole buffer, which does not change.
        self.text.then(|| unsafe { std::str::from_utf8_unchecked(self.bytes.slice()) })
    }

    /// True if these places ascend from the start of the bytes to their end, and cut no character.
    pub(crate) fn is_cut_by(&self, places: &[u64]) -> bool {
        let is_place = |place: &u64| {
            usize::try_from(*place).is_ok_and(|place| self.whole_text().is_none_or(|text| text.is_char_boundary(place)))
        };
        let ends = (places.first().copied(), places.last().copied());
        places.is_sorted() && ends == (Some(0), Some(self.bytes.slice().len() as u64)) && places.iter().all(is_place)
    }

    /// The values between each two of these places as views into the bytes; `None` when they are not in order.
    pub(crate) fn views(&self, places: &[u32]) -> Option<Views> {
        let mut appender = Vector::with_capacity(places.len().saturating_sub(1));
        for pair in places.windows(2) {
            let bytes = self.bytes(pair[0] as usize, pair[1] as usize)?;
            if self.text && self.text(pair[0] as usize, pair[1] as usize).is_none() {
                return None;
            }
            appender.push(make_view(bytes, 0, pair[0]));
        }
        let blocks = Blocks::default();
        blocks.add(0, Arc::clone(&self.bytes));
        Some(Views { views: Arc::clone(appender.vector()), blocks: Arc::new(blocks), text: self.text })
    }
}

/// The sixteen bytes of a view where they are.
#[inline]
fn inline_bytes(view: &u128) -> &[u8; 16] {
    const { assert!(cfg!(target_endian = "little")) };
    // SAFETY: a `u128` is sixteen initialised bytes, and bytes may be anywhere.
    unsafe { &*(view as *const u128).cast::<[u8; 16]>() }
}

impl ViewAppender {
    /// Appends a value of a column of bytes. In a column of text it must be UTF-8.
    ///
    /// Errors: `InvalidValue` when it is too long or not text, `OutOfMemory` when the group has too many long values.
    #[inline]
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) -> Result<()> {
        if self.text && std::str::from_utf8(bytes).is_err() {
            return Err(Error::new(Code::InvalidValue, "the bytes are not text"));
        }
        self.push_any(bytes)
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.views.len()
    }

    /// Appends a value of another column, in its stored form if it is short. Returns true if it exists and is of the
    /// same kind.
    ///
    /// Errors: as [`ViewAppender::push_bytes`].
    #[inline]
    pub(crate) fn push_of(&mut self, column: &Views, offset: usize) -> Result<bool> {
        if column.text != self.text {
            return Ok(false);
        }
        match column.views.slice().get(offset) {
            Some(view) if *view as u32 as usize <= INLINE => self.views.push(*view),
            _ => match column.bytes_at(offset) {
                // Text, if the other column is of text.
                Some(bytes) => self.push_any(bytes)?,
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// Appends a value of a column of text or of bytes.
    #[inline]
    pub(crate) fn push_text(&mut self, text: &str) -> Result<()> {
        self.push_any(text.as_bytes())
    }

    #[inline]
    fn push_any(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.len() <= INLINE {
            let mut view = [0; 16];
            view[..4].copy_from_slice(&(bytes.len() as u32).to_le_bytes());
            view[4..4 + bytes.len()].copy_from_slice(bytes);
            self.views.push(u128::from_le_bytes(view));
            return Ok(());
        }
        let (block, offset) = self.store(bytes)?;
        self.views.push(make_view(bytes, block, offset));
        Ok(())
    }

    /// Puts a long value into a block: which one, and where.
    fn store(&mut self, bytes: &[u8]) -> Result<(u32, u32)> {
        if i32::try_from(bytes.len()).is_err() {
            return Err(Error::new(Code::InvalidValue, "the value is longer than 2,147,483,647 bytes"));
        }
        if self.last.as_ref().is_none_or(|(_, appender)| appender.room() < bytes.len()) {
            self.add_block(bytes.len())?;
        }
        match &mut self.last {
            Some((block, appender)) => {
                let offset = appender.len();
                appender.extend(bytes);
                Ok((*block as u32, offset as u32))
            }
            None => Err(Error::new(Code::Internal, "a column has no block")),
        }
    }

    fn add_block(&mut self, at_least: usize) -> Result<()> {
        let (number, size) = match &self.last {
            Some((number, appender)) => (number + 1, (appender.vector().capacity() * 2).min(LAST_BLOCK)),
            None => (0, FIRST_BLOCK),
        };
        let appender = Vector::with_capacity(size.max(at_least));
        if !self.blocks.add(number, Arc::clone(appender.vector())) {
            return Err(Error::new(Code::OutOfMemory, "too many long values in one run of rows"));
        }
        self.last = Some((number, appender));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::cast::AsArray;

    #[test]
    fn short_and_long_values_are_read_as_they_were_written() {
        let values: Vec<String> =
            (0..300).map(|i| "Malmö ".repeat(i % 40)).chain([String::from("x").repeat(5000)]).collect();
        let (mut appender, views) = Views::with_capacity(values.len(), true);
        for value in &values {
            appender.push_text(value).unwrap();
        }
        let array = views.array(values.len(), None);
        for (i, value) in values.iter().enumerate() {
            assert_eq!(views.text_at(i).unwrap(), value);
            assert_eq!(array.as_string_view().value(i), value);
        }
        assert_eq!(views.bytes_at(values.len()), None);
    }

    #[test]
    fn text_takes_only_text() {
        let (mut appender, _) = Views::with_capacity(4, true);
        assert!(appender.push_bytes(b"\xff").is_err());
        let (mut appender, views) = Views::with_capacity(4, false);
        appender.push_bytes(b"\xff").unwrap();
        assert_eq!((views.bytes_at(0), views.text_at(0)), (Some(&b"\xff"[..]), None));
    }

    #[test]
    fn vectors_of_a_part_stay_right_while_more_is_written() {
        let (mut appender, views) = Views::with_capacity(100, true);
        let mut arrays = Vec::new();
        for i in 0..100 {
            appender.push_text(&format!("a value of some length, number {i}")).unwrap();
            arrays.push(views.array(i + 1, None));
        }
        for (i, array) in arrays.iter().enumerate() {
            assert_eq!(array.as_string_view().value(i), format!("a value of some length, number {i}"));
        }
    }
}
