//! Counts of allocations, beside the clock.
//!
//! The program wraps its allocator in [`Counting`]. While counting is off, an allocation costs one additional check of
//! a flag; times are taken in this state, and allocations are counted in a separate run.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// True if allocations are counted now.
static COUNTS: AtomicBool = AtomicBool::new(false);

thread_local! {
    static COUNTED: Cell<Allocated> = const { Cell::new(Allocated { count: 0, bytes: 0 }) };
}

/// The allocations of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocated {
    /// How often memory was asked for, or for more of it.
    pub count: u64,
    /// How much in all.
    pub bytes: u64,
}

/// An allocator that counts what this thread asks of another one.
#[derive(Debug, Default)]
pub struct Counting<A>(pub A);

fn note(size: usize) {
    if COUNTS.load(Ordering::Relaxed) {
        // A thread that is ending has no counter any more.
        let _ = COUNTED.try_with(|counted| {
            let Allocated { count, bytes } = counted.get();
            counted.set(Allocated { count: count + 1, bytes: bytes + size as u64 });
        });
    }
}

// SAFETY: every call goes to the wrapped allocator as it is.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    // SAFETY: the contract is that of the wrapped allocator, which gets the same call.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { self.0.alloc(layout) }
    }

    // SAFETY: as for `alloc`.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { self.0.alloc_zeroed(layout) }
    }

    // SAFETY: as for `alloc`.
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from the wrapped allocator, with this layout.
        unsafe { self.0.dealloc(pointer, layout) }
    }

    // SAFETY: as for `alloc`.
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size);
        // SAFETY: the pointer came from the wrapped allocator, with this layout.
        unsafe { self.0.realloc(pointer, layout, size) }
    }
}

/// The allocations of this thread while `work` runs: zero in a program whose allocator does not count.
pub fn counted(work: impl FnOnce()) -> Allocated {
    let before = COUNTED.with(Cell::get);
    COUNTS.store(true, Ordering::Relaxed);
    work();
    COUNTS.store(false, Ordering::Relaxed);
    let after = COUNTED.with(Cell::get);
    Allocated { count: after.count - before.count, bytes: after.bytes - before.bytes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::System;

    #[test]
    fn only_what_is_asked_for_meanwhile_counts() {
        let allocator = Counting(System);
        let layout = Layout::from_size_align(24, 8).unwrap();
        let once = || {
            // SAFETY: the layout has a size, and what is allocated is given back with the same layout.
            unsafe { allocator.dealloc(allocator.alloc(layout), layout) }
        };
        once();
        assert_eq!(counted(|| (0..3).for_each(|_| once())), Allocated { count: 3, bytes: 72 });
        once();
        assert_eq!(counted(|| {}), Allocated::default());
    }
}
