//! The limit on pages of mapped files that are in memory at once.
//!
//! Problem: the files of groups and of index runs are mapped, and every page that is read stays in the memory of the
//! process until the operating system is short of memory as a whole. A store with a limit must not wait for that.
//!
//! Idea: a clock over windows of the mappings. The first read of a window enters it; when the windows that are entered
//! exceed the limit, the hand passes over them:
//!
//! ```text
//!   absent --first read--> read --hand--> kept --hand--> absent, and its pages are released
//!                            ^              |
//!                            +----a read----+
//! ```
//!
//! Released pages stay readable ([`Mapping::release`]), so nothing that holds a reference into a mapping has to know:
//! a statement may scan a table that is larger than the limit with all of its groups pinned.
//!
//! The window that was entered last is not released for its own sake: a file that is larger than the limit would be
//! released and read again with every value that is read of it.
//!
//! **Limits.** One window may exceed the limit by itself: the file of a group is one, and groups that were written under a
//! larger limit are large. A reader that stays within one window while the hand passes brings pages back that are not counted,
//! up to a window for each thread. Files of small tables, which are read whole when the store is opened, are not counted.

use mainstay_vfs::Mapping;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Nothing of the window was read since it was released.
const ABSENT: u8 = 0;
/// It was read, and the hand has passed since.
const KEPT: u8 = 1;
/// It was read.
const READ: u8 = 2;

/// The power of two of a window of a large file: 64 KiB, what Linux maps around a page that is touched.
const WINDOW: u32 = 16;
/// The power of two of a file that is one window.
const WHOLE: u32 = usize::BITS - 1;
/// Entries of the clock that are not worth removing those of dropped mappings.
const FEW: usize = 4096;

/// The windows of all mappings that have a limit together.
#[derive(Debug)]
pub(crate) struct ResidentMemory {
    /// In bytes; `usize::MAX` for none.
    limit: AtomicUsize,
    clock: Mutex<Clock>,
}

#[derive(Debug, Default)]
struct Clock {
    /// Bytes of the windows that are not absent.
    used: usize,
    /// These windows, and some of mappings that are gone. The hand is at the front.
    windows: VecDeque<(Weak<Pages>, u32)>,
}

/// A mapping whose windows are counted.
pub(crate) struct Pages {
    mapping: Mapping,
    /// The power of two of bytes in a window.
    window: u32,
    states: Box<[AtomicU8]>,
    memory: Arc<ResidentMemory>,
}

impl Default for ResidentMemory {
    /// Without a limit.
    fn default() -> ResidentMemory {
        ResidentMemory { limit: AtomicUsize::new(usize::MAX), clock: Mutex::default() }
    }
}

impl ResidentMemory {
    /// Sets the limit in bytes. It must be set before anything is mapped.
    pub(crate) fn limit_to(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// Enters a window that was absent, and releases others if that is too much.
    fn enter(&self, pages: &Arc<Pages>, entered: usize) {
        let limit = self.limit.load(Ordering::Relaxed);
        if limit == usize::MAX {
            return;
        }
        let mut clock = self.clock();
        clock.used += pages.range(entered).len();
        clock.windows.push_back((Arc::downgrade(pages), entered as u32));
        if clock.windows.len() > FEW && clock.windows.len().is_power_of_two() {
            clock.windows.retain(|(pages, _)| pages.strong_count() > 0);
        }
        // Twice over all of them: once to mark, once to release.
        let mut steps = 2 * clock.windows.len();
        while clock.used > limit && steps > 0 {
            steps -= 1;
            let Some((weak, window)) = clock.windows.pop_front() else { break };
            let Some(others) = weak.upgrade() else { continue };
            let stays = window as usize == entered && Arc::ptr_eq(&others, pages);
            if others.pass(window as usize, stays) {
                clock.used -= others.range(window as usize).len();
            } else {
                clock.windows.push_back((weak, window));
            }
            // Dropping the last owner takes the lock.
            drop(clock);
            drop(others);
            clock = self.clock();
        }
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    fn used(&self) -> usize {
        self.clock().used
    }
}

impl Pages {
    /// A mapping that is read a part at a time.
    pub(crate) fn in_windows(mapping: Mapping, memory: &Arc<ResidentMemory>) -> Arc<Pages> {
        Pages::of(mapping, WINDOW, memory)
    }

    /// A mapping that is read as a whole.
    pub(crate) fn whole(mapping: Mapping, memory: &Arc<ResidentMemory>) -> Arc<Pages> {
        Pages::of(mapping, WHOLE, memory)
    }

    fn of(mapping: Mapping, window: u32, memory: &Arc<ResidentMemory>) -> Arc<Pages> {
        let windows = (mapping.len().saturating_sub(1) >> window) + 1;
        let states = (0..windows).map(|_| AtomicU8::new(ABSENT)).collect();
        Arc::new(Pages { mapping, window, states, memory: Arc::clone(memory) })
    }

    /// The bytes.
    pub(crate) fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Says that the byte at this offset, or others of its window, are about to be read.
    #[inline]
    pub(crate) fn touch(self: &Arc<Pages>, offset: usize) {
        let window = offset >> self.window;
        if let Some(state) = self.states.get(window)
            && state.load(Ordering::Relaxed) != READ
        {
            self.enter(window);
        }
    }

    #[cold]
    fn enter(self: &Arc<Pages>, window: usize) {
        if self.states[window].swap(READ, Ordering::AcqRel) == ABSENT {
            self.memory.enter(self, window);
        }
    }

    /// Lets the hand pass over a window, which is not released if it `stays`. Returns true if it was released.
    fn pass(&self, window: usize, stays: bool) -> bool {
        let state = &self.states[window];
        if state.compare_exchange(READ, KEPT, Ordering::AcqRel, Ordering::Acquire).is_ok() || stays {
            return false;
        }
        let is_released = state.compare_exchange(KEPT, ABSENT, Ordering::AcqRel, Ordering::Acquire).is_ok();
        if is_released {
            self.mapping.release(self.range(window));
        }
        is_released
    }

    fn range(&self, window: usize) -> Range<usize> {
        let bytes = 1usize << self.window;
        let start = window.saturating_mul(bytes);
        start..start.saturating_add(bytes).min(self.mapping.len())
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        let entered = self.states.iter().enumerate().filter(|(_, state)| state.load(Ordering::Acquire) != ABSENT);
        let bytes: usize = entered.map(|(window, _)| self.range(window).len()).sum();
        if bytes > 0 && self.memory.limit.load(Ordering::Relaxed) != usize::MAX {
            let mut clock = self.memory.clock();
            clock.used = clock.used.saturating_sub(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(pages: &Pages) -> Vec<u8> {
        pages.states.iter().map(|state| state.load(Ordering::Relaxed)).collect()
    }

    #[test]
    fn the_hand_releases_what_was_not_read_since_it_passed() {
        let memory = Arc::new(ResidentMemory::default());
        memory.limit_to(2 << WINDOW);
        // Four windows, the last of a single byte.
        let pages = Pages::in_windows(Mapping::copy_of(&vec![7; (3 << WINDOW) + 1]), &memory);
        (0..2).for_each(|window| pages.touch(window << WINDOW));
        assert_eq!((state(&pages), memory.used()), (vec![READ, READ, ABSENT, ABSENT], 2 << WINDOW));
        // A third one: the hand marks all three, and releases the first.
        pages.touch(2 << WINDOW);
        assert_eq!((state(&pages), memory.used()), (vec![ABSENT, KEPT, KEPT, ABSENT], 2 << WINDOW));
        // The second is read again, so that the third goes.
        pages.touch(1 << WINDOW);
        pages.touch(3 << WINDOW);
        assert_eq!(state(&pages)[1..3], [KEPT, ABSENT]);
        assert_eq!(memory.used(), (1 << WINDOW) + 1);
        pages.touch(usize::MAX);
        drop(pages);
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn whole_files_go_at_once_and_one_larger_than_the_limit_stays_until_another_is_read() {
        let memory = Arc::new(ResidentMemory::default());
        memory.limit_to(100);
        let files: Vec<_> = (1..4).map(|_| Pages::whole(Mapping::copy_of(&[1; 60]), &memory)).collect();
        files.iter().for_each(|file| file.touch(59));
        assert_eq!(files.iter().map(|file| state(file)[0]).collect::<Vec<_>>(), [ABSENT, ABSENT, READ]);
        let large = Pages::whole(Mapping::copy_of(&[1; 101]), &memory);
        (0..2).for_each(|_| large.touch(0));
        assert_eq!((state(&large)[0], state(&files[2])[0], memory.used()), (READ, ABSENT, 101));
        files[0].touch(0);
        assert_eq!((state(&large)[0], state(&files[0])[0], memory.used()), (ABSENT, KEPT, 60));
    }

    #[test]
    fn without_a_limit_nothing_is_counted() {
        let memory = Arc::new(ResidentMemory::default());
        let pages = Pages::in_windows(Mapping::copy_of(&[0; 10]), &memory);
        pages.touch(3);
        assert_eq!((state(&pages), memory.used(), memory.clock().windows.len()), (vec![READ], 0, 0));
    }
}
