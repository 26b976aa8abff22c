//! A vector of fixed capacity that one writer appends to while others read it.
//!
//! Readers of a native table take no locks, and hand whole columns to Arrow without copying. So values must never move
//! and, once they can be seen, never change. A [`Vector`] is one block of memory of fixed size and a length; its one
//! [`Appender`] writes behind the length and then raises it.
//!
//! ```text
//!    slice() of readers          Appender::push
//!   |<------------------------->|
//!   [ v0 | v1 | v2 | ...  | v_n | (not yet initialised)      ]
//!                                ^ length: stored with Release after the values, loaded with Acquire before them
//! ```
//!
//! This file (with `text.rs`, for what Arrow calls views) is the only place of the store with `unsafe` code; what it
//! offers is safe to use in any way. Limits: `T` must be `Copy` (nothing is dropped), and the capacity is for ever.

use arrow_buffer::{ArrowNativeType, Buffer, IntervalMonthDayNano, ScalarBuffer};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The alignment that Arrow recommends for its kernels; also a cache line.
const ALIGNMENT: usize = 64;

/// A block of memory with room for `capacity` values, of which the first `length` can be read.
pub(crate) struct Vector<T> {
    start: NonNull<T>,
    capacity: usize,
    length: AtomicUsize,
    /// Whose memory it is, if the vector did not allocate it: a mapped file's.
    owner: Option<Buffer>,
}

/// Types of which any bytes are a value, so that a vector may lie in memory that came from elsewhere.
pub(crate) trait Plain: Copy {}

macro_rules! plain {
    ($($kind:ty),*) => { $(impl Plain for $kind {})* };
}

plain!(u8, u32, u64, i8, i16, i32, i64, i128, u128, f32, f64, IntervalMonthDayNano, [u8; 16]);

// SAFETY: the block is owned by the vector. Values below `length` are never written again, values above it are written by
// the one appender only, and `length` passes from one to the other with Release and Acquire.
unsafe impl<T: Copy + Send + Sync> Send for Vector<T> {}
// SAFETY: as above; shared access is reading below `length`.
unsafe impl<T: Copy + Send + Sync> Sync for Vector<T> {}

// No reader can meet an incomplete change: all values below `length` are complete.
impl<T> UnwindSafe for Vector<T> {}
impl<T> RefUnwindSafe for Vector<T> {}

/// The one writer of a [`Vector`].
pub(crate) struct Appender<T> {
    vector: Arc<Vector<T>>,
    /// The same as the vector's length, which only this appender changes.
    length: usize,
}

impl<T: Copy> Vector<T> {
    /// An empty vector with room for `capacity` values (at least one), and its writer.
    pub(crate) fn with_capacity(capacity: usize) -> Appender<T> {
        let layout = Vector::<T>::layout(capacity.max(1));
        // SAFETY: the layout is not empty: there is room for one value at least, and `T` is not a type of size zero.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start.cast::<T>()) else { handle_alloc_error(layout) };
        let vector = Vector { start, capacity: capacity.max(1), length: AtomicUsize::new(0), owner: None };
        Appender { vector: Arc::new(vector), length: 0 }
    }

    /// A full vector of the values in a buffer, which are not copied; `None` when they are not aligned for the type.
    pub(crate) fn of_buffer(buffer: &Buffer) -> Option<Arc<Vector<T>>>
    where
        T: Plain,
    {
        let start = NonNull::new(buffer.as_ptr().cast_mut().cast::<T>()).filter(|start| start.is_aligned())?;
        let count = buffer.len() / size_of::<T>();
        let vector = Vector { start, capacity: count, length: AtomicUsize::new(count), owner: Some(buffer.clone()) };
        Some(Arc::new(vector))
    }

    fn layout(capacity: usize) -> Layout {
        const { assert!(size_of::<T>() > 0 && align_of::<T>() <= ALIGNMENT) };
        match Layout::array::<T>(capacity).and_then(|layout| layout.align_to(ALIGNMENT)) {
            Ok(layout) => layout,
            Err(_) => panic!("a vector of {capacity} values is larger than memory"),
        }
    }

    /// The values that are there.
    #[inline]
    pub(crate) fn slice(&self) -> &[T] {
        let length = self.length.load(Ordering::Acquire);
        // SAFETY: the appender initialised this many values before it stored the length (Release), and nobody writes them
        // again while the vector lives. A vector over a buffer has no appender; its bytes are initialised, aligned and
        // not written to, any of them are values (`Plain`), and the vector keeps the buffer.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), length) }
    }

    /// The memory that the vector takes, in bytes, without that of a buffer that it shares.
    pub(crate) fn bytes(&self) -> usize {
        if self.owner.is_some() { 0 } else { self.capacity * size_of::<T>() }
    }

    /// The number of values that fit in.
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }
}

impl<T: Copy + Send + Sync + 'static> Vector<T> {
    /// The first values, at most `length` of them, as a buffer of Arrow's that keeps the vector alive.
    pub(crate) fn buffer(self: &Arc<Vector<T>>, length: usize) -> Buffer {
        // Once: the next look may find more of them.
        let values = self.slice();
        let bytes = size_of_val(&values[..length.min(values.len())]);
        // SAFETY: these bytes are initialised and are not written again (see `slice`), and `self`, which owns them, lives
        // as long as the buffer does.
        unsafe { Buffer::from_custom_allocation(self.start.cast::<u8>(), bytes, Arc::clone(self) as _) }
    }
}

impl<T: ArrowNativeType + Send + Sync> Vector<T> {
    /// The first `length` values as Arrow's kind of slice.
    pub(crate) fn scalars(self: &Arc<Vector<T>>, length: usize) -> ScalarBuffer<T> {
        ScalarBuffer::from(self.buffer(length))
    }
}

impl<T> Drop for Vector<T> {
    fn drop(&mut self) {
        if self.owner.is_some() {
            return;
        }
        let size = self.capacity * size_of::<T>();
        // SAFETY: this is the layout it was allocated with (`Vector::layout`): an array of this capacity, raised to
        // ALIGNMENT, whose size is a multiple of the element's and so is not padded.
        unsafe { dealloc(self.start.as_ptr().cast::<u8>(), Layout::from_size_align_unchecked(size, ALIGNMENT)) }
    }
}

impl<T: Copy> Appender<T> {
    /// The vector, for readers.
    pub(crate) fn vector(&self) -> &Arc<Vector<T>> {
        &self.vector
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The number of values that still fit in.
    pub(crate) fn room(&self) -> usize {
        self.vector.capacity - self.length
    }

    /// Appends a value.
    ///
    /// # Panics
    ///
    /// When the vector is full.
    #[inline]
    pub(crate) fn push(&mut self, value: T) {
        assert!(self.length < self.vector.capacity, "the vector is full");
        // SAFETY: the place is within the block, and behind the length: no reader looks at it, and `&mut self` of the one
        // appender says that nobody else writes.
        unsafe { self.vector.start.as_ptr().add(self.length).write(value) };
        self.publish(1);
    }

    /// Appends the value that another vector has at a place. Returns true if there is one.
    ///
    /// # Panics
    ///
    /// When the vector is full.
    #[inline]
    pub(crate) fn push_of(&mut self, vector: &Vector<T>, place: usize) -> bool {
        match vector.slice().get(place) {
            Some(value) => {
                self.push(*value);
                true
            }
            None => false,
        }
    }

    /// Appends all of these.
    ///
    /// # Panics
    ///
    /// When there is no room for them.
    pub(crate) fn extend(&mut self, values: &[T]) {
        assert!(values.len() <= self.room(), "the vector is full");
        // SAFETY: as in `push`; `values` cannot overlap what nobody can read.
        unsafe {
            let to = self.vector.start.as_ptr().add(self.length);
            to.copy_from_nonoverlapping(values.as_ptr(), values.len());
        }
        self.publish(values.len());
    }

    /// Appends the same value `count` times.
    pub(crate) fn fill(&mut self, value: T, count: usize) {
        for _ in 0..count {
            self.push(value);
        }
    }

    #[inline]
    fn publish(&mut self, count: usize) {
        self.length += count;
        self.vector.length.store(self.length, Ordering::Release);
    }
}

/// The values that the codes name, `none` where one names none.
pub(crate) fn gathered<T: Copy>(values: &Vector<T>, codes: &[u32], none: T) -> Arc<Vector<T>> {
    let values = values.slice();
    let mut out = Vector::with_capacity(codes.len());
    let mut block = [none; 256];
    for codes in codes.chunks(256) {
        let both = block.iter_mut().zip(codes);
        both.for_each(|(to, code)| *to = values.get(*code as usize).copied().unwrap_or(none));
        out.extend(&block[..codes.len()]);
    }
    Arc::clone(out.vector())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pushed_is_read_and_nothing_else() {
        let mut appender = Vector::<u32>::with_capacity(4);
        let vector = Arc::clone(appender.vector());
        assert!(vector.slice().is_empty());
        appender.push(7);
        appender.extend(&[8, 9]);
        assert_eq!((vector.slice(), appender.room(), vector.bytes()), (&[7, 8, 9][..], 1, 16));
        assert_eq!(vector.scalars(2).as_ref(), &[7, 8]);
    }

    #[test]
    fn a_vector_may_lie_in_a_buffer() {
        let buffer = Buffer::from_vec(vec![1i64, 2, 3]);
        let vector = Vector::<i64>::of_buffer(&buffer).unwrap();
        assert!(Vector::<i64>::of_buffer(&buffer.slice_with_length(4, 8)).is_none(), "not aligned");
        let part = Vector::<i64>::of_buffer(&buffer.slice(8)).unwrap();
        drop(buffer);
        assert_eq!((vector.slice(), part.slice()), (&[1, 2, 3][..], &[2, 3][..]));
        assert_eq!(vector.scalars(2).as_ref(), &[1, 2]);
        assert!(Vector::<i128>::of_buffer(&Buffer::from_vec(Vec::<i128>::new())).unwrap().slice().is_empty());
    }

    #[test]
    #[should_panic(expected = "the vector is full")]
    fn nothing_is_written_behind_the_end() {
        let mut appender = Vector::<u64>::with_capacity(2);
        appender.fill(1, 3);
    }

    #[test]
    fn buffers_keep_the_memory_alive() {
        let mut appender = Vector::<u64>::with_capacity(100);
        appender.fill(5, 100);
        let buffer = appender.vector().scalars(100);
        drop(appender);
        assert_eq!(buffer.iter().sum::<u64>(), 500);
    }

    #[test]
    fn readers_beside_the_writer_see_whole_values() {
        let count = if cfg!(miri) { 200 } else { 100_000 };
        let mut appender = Vector::<[u64; 2]>::with_capacity(count);
        let vector = Arc::clone(appender.vector());
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut seen = 0;
                while seen < count {
                    let values = vector.slice();
                    assert!(
                        values[seen..].iter().enumerate().all(|(i, v)| *v == [(seen + i) as u64, !(seen + i) as u64])
                    );
                    seen = values.len();
                    std::thread::yield_now();
                }
            });
            for i in 0..count as u64 {
                appender.push([i, !i]);
            }
        });
    }

    #[test]
    fn buffers_are_taken_beside_the_writer() {
        let (rounds, count) = if cfg!(miri) { (2, 100) } else { (40, 50_000) };
        for _ in 0..rounds {
            let mut appender = Vector::<u64>::with_capacity(count);
            let vector = Arc::clone(appender.vector());
            std::thread::scope(|scope| {
                scope.spawn(move || {
                    while vector.slice().len() < count {
                        let values = vector.scalars(usize::MAX);
                        assert!(values.last().is_none_or(|last| *last + 1 == values.len() as u64));
                    }
                });
                std::thread::yield_now();
                (0..count as u64).for_each(|i| appender.push(i));
            });
        }
    }
}
