//! The pages of one index file, read once and cached.
//!
//! A point look-up wants a few pages and should read no more; a walk wants all of them and should read
//! them in large pieces. So there are two ways to get a page: [`Pages::page`] reads just that page the
//! first time, [`Pages::page_ahead`] reads the 64 KB group it lies in. Either way the bytes stay, and the
//! next reader takes no lock and touches no file:
//!
//! ```text
//!   groups  [ 0 | 1 | 2 | ... ]        one slot per 64 KB of the file, empty until needed
//!             |
//!             +-- whole: 64 KB         filled by a walk
//!             +-- pages: 128 x page    filled by point reads
//! ```
//!
//! A frequently visited page of short keys is cached a second time, as numbers for binary search: a packed
//! leaf alone is read from its first key on ([`Pages::short_keys`]).
//!
//! Point reads that come back to a group again and again end in its being read as a whole: from the
//! [`PAGES_BEFORE_GROUP`]th on, one large read costs less than the small ones that are to be expected.
//!
//! Limits: kept bytes never exceed the limit given at opening. Reads beyond it are not cached, except the newest group,
//! so that a walk over a huge file still reads each byte once. Pages are never evicted: the upper levels of a tree are
//! read first, and they are the ones worth keeping. The pages belong to one state of the file; a caller that sees the
//! file's stamp change opens the bag again.

use mainstay_types::{Code, Error, Result};
use mainstay_vfs::File;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Bytes that a walk reads at once. A multiple of every page length.
const GROUP_LEN: usize = 64 * 1024;

/// So many pages of a group are read singly.
const PAGES_BEFORE_GROUP: usize = 8;

/// From this visit on, the short keys of a page are kept as numbers: making them takes as long as a few searches.
const VISITS_BEFORE_KEYS: u8 = 3;

/// The most groups that a bag may have (256 GB); a longer file is refused before anything is allocated for it.
const MAX_GROUPS: u64 = 1 << 22;

/// All pages of a file.
#[derive(Debug)]
pub(crate) struct Pages {
    file: Arc<dyn File>,
    page_len: usize,
    /// Pages of a group, as a power of two: a division per access would cost more than the access.
    group_shift: u32,
    count: u32,
    groups: Box<[OnceLock<Box<Group>>]>,
    kept: AtomicUsize,
    limit: usize,
    newest: Mutex<Option<(usize, Arc<[u8]>)>>,
    /// The number of reads from the file.
    reads: AtomicU64,
}

#[derive(Debug)]
struct Group {
    /// The number of pages that were read singly.
    singly: AtomicUsize,
    whole: OnceLock<Box<[u8]>>,
    pages: Box<[OnceLock<Box<[u8]>>]>,
    ordered: Box<[AtomicBool]>,
    visited: OnceLock<Visited>,
}

/// Traces of look-ups in a group.
#[derive(Debug)]
struct Visited {
    /// The number of visits to each page.
    visits: Box<[AtomicU8]>,
    /// Its keys as numbers.
    keys: Box<[OnceLock<Box<[u64]>>]>,
}

/// The bytes of one page.
#[derive(Debug)]
pub(crate) enum PageBytes<'a> {
    Kept(&'a [u8]),
    Loose { bytes: Arc<[u8]>, start: usize, len: usize },
}

impl Deref for PageBytes<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            PageBytes::Kept(bytes) => bytes,
            PageBytes::Loose { bytes, start, len } => &bytes[*start..*start + *len],
        }
    }
}

impl Pages {
    /// The pages of a file of this length, which keep at most `limit` bytes. `page_len` is a power of two.
    pub(crate) fn new(file: Arc<dyn File>, file_len: u64, page_len: usize, limit: usize) -> Result<Pages> {
        let groups = file_len.div_ceil(GROUP_LEN as u64);
        let count = u32::try_from(file_len / page_len as u64).ok().filter(|_| groups <= MAX_GROUPS);
        let Some(count) = count else {
            let path = file.path().display().to_string();
            return Err(Error::new(Code::Unsupported, "the index file is larger than its pointers can reach").at(path));
        };
        let groups = (0..groups).map(|_| OnceLock::new()).collect();
        let group_shift = (GROUP_LEN / page_len).trailing_zeros();
        Ok(Pages {
            file,
            page_len,
            group_shift,
            count,
            groups,
            kept: AtomicUsize::new(0),
            limit,
            newest: Mutex::new(None),
            reads: AtomicU64::new(0),
        })
    }

    /// The number of whole pages of the file.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The number of bytes in the cache.
    pub(crate) fn kept_bytes(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }

    /// The number of reads from the file: as long as it does not grow, all pages seen are of the state of the first
    /// ones.
    pub(crate) fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }

    /// Bytes of a page.
    pub(crate) fn page_len(&self) -> usize {
        self.page_len
    }

    /// The file, for messages and headers.
    pub(crate) fn file(&self) -> &dyn File {
        &*self.file
    }

    /// An error about the page with this number.
    pub(crate) fn damaged(&self, page: u32, reason: impl Into<String>) -> Error {
        let offset = u64::from(page) * self.page_len as u64;
        let error = Error::new(Code::IndexDamaged, reason).at(format_args!("page at byte {offset}"));
        error.at(self.file.path().display())
    }

    /// A page; the first time, only the page itself is read.
    #[inline]
    pub(crate) fn page(&self, page: u32) -> Result<PageBytes<'_>> {
        match self.kept(page) {
            Some(bytes) => Ok(PageBytes::Kept(bytes)),
            None => self.read_page(page),
        }
    }

    /// A page; the first time, everything in its group is read.
    #[inline]
    pub(crate) fn page_ahead(&self, page: u32) -> Result<PageBytes<'_>> {
        match self.kept(page) {
            Some(bytes) => Ok(PageBytes::Kept(bytes)),
            None => self.read_group(page),
        }
    }

    /// Returns true if the keys of this page were found to be in order before.
    #[inline]
    pub(crate) fn is_ordered(&self, page: u32) -> bool {
        let (group, index) = self.slot(page);
        let group = self.groups.get(group).and_then(OnceLock::get);
        group.and_then(|group| group.ordered.get(index)).is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Remembers that the keys of this page are in order, if its bytes are kept.
    pub(crate) fn set_ordered(&self, page: u32) {
        if self.kept(page).is_some() {
            let (group, index) = self.slot(page);
            if let Some(flag) = self.groups[group].get().and_then(|group| group.ordered.get(index)) {
                flag.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The keys of this page, so many, as `make` gives them, once look-ups have come to it often enough; `None` before, where
    /// its bytes are not kept, or where there is no room for the keys.
    pub(crate) fn short_keys<E>(
        &self,
        page: u32,
        count: usize,
        make: impl FnOnce() -> Result<Box<[u64]>, E>,
    ) -> Result<Option<&[u64]>, E> {
        let (group, index) = self.slot(page);
        let Some(group) = self.groups.get(group).and_then(OnceLock::get) else { return Ok(None) };
        let visited = group.visited.get_or_init(|| Visited::new(GROUP_LEN / self.page_len));
        let (Some(keys), Some(visits)) = (visited.keys.get(index), visited.visits.get(index)) else { return Ok(None) };
        if let Some(keys) = keys.get() {
            return Ok(Some(keys));
        }
        // Visits of other threads that are not counted only put it off.
        let before = visits.load(Ordering::Relaxed);
        visits.store(before.saturating_add(1), Ordering::Relaxed);
        if before < VISITS_BEFORE_KEYS || self.kept(page).is_none() {
            return Ok(None);
        }
        // Space first: without space for them, building the numbers at every look-up would take longer than the
        // searches.
        if !self.may_keep(8 * count) {
            return Ok(None);
        }
        match make() {
            Ok(made) => Ok(Some(keys.get_or_init(|| made))),
            Err(reason) => {
                self.kept.fetch_sub(8 * count, Ordering::Relaxed);
                Err(reason)
            }
        }
    }

    #[inline]
    fn slot(&self, page: u32) -> (usize, usize) {
        (page as usize >> self.group_shift, page as usize & ((1 << self.group_shift) - 1))
    }

    #[inline]
    fn kept(&self, page: u32) -> Option<&[u8]> {
        let (group, index) = self.slot(page);
        let group = self.groups.get(group)?.get()?;
        match group.whole.get() {
            Some(whole) => whole.get(index * self.page_len..(index + 1) * self.page_len),
            None => group.pages.get(index)?.get().map(|page| &**page),
        }
    }

    #[cold]
    fn read_page(&self, page: u32) -> Result<PageBytes<'_>> {
        self.check_inside(page)?;
        if let Some(bytes) = self.in_newest(page) {
            return Ok(bytes);
        }
        let (group, index) = self.slot(page);
        let known = self.groups.get(group).and_then(OnceLock::get);
        if known.is_some_and(|group| group.singly.load(Ordering::Relaxed) >= PAGES_BEFORE_GROUP) {
            return self.read_group(page);
        }
        let mut bytes = vec![0; self.page_len];
        self.read(&mut bytes, u64::from(page) * self.page_len as u64)?;
        if !self.may_keep(self.page_len) {
            return Ok(PageBytes::Loose { bytes: bytes.into(), start: 0, len: self.page_len });
        }
        let group = self.group(group);
        group.singly.fetch_add(1, Ordering::Relaxed);
        Ok(PageBytes::Kept(group.pages[index].get_or_init(|| bytes.into_boxed_slice())))
    }

    #[cold]
    fn read_group(&self, page: u32) -> Result<PageBytes<'_>> {
        self.check_inside(page)?;
        if let Some(bytes) = self.in_newest(page) {
            return Ok(bytes);
        }
        let (group, index) = self.slot(page);
        let pages_per_group = GROUP_LEN / self.page_len;
        let pages = pages_per_group.min(self.count as usize - group * pages_per_group);
        let mut bytes = vec![0; pages * self.page_len];
        self.read(&mut bytes, (group * GROUP_LEN) as u64)?;
        let (start, len) = (index * self.page_len, self.page_len);
        if self.may_keep(bytes.len()) {
            let whole = self.group(group).whole.get_or_init(|| bytes.into_boxed_slice());
            return Ok(PageBytes::Kept(&whole[start..start + len]));
        }
        let bytes: Arc<[u8]> = bytes.into();
        if let Ok(mut newest) = self.newest.lock() {
            *newest = Some((group, Arc::clone(&bytes)));
        }
        Ok(PageBytes::Loose { bytes, start, len })
    }

    fn read(&self, bytes: &mut [u8], offset: u64) -> Result<()> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.file.read_exact_at(bytes, offset)
    }

    fn check_inside(&self, page: u32) -> Result<()> {
        if page < self.count { Ok(()) } else { Err(self.damaged(page, "the page lies outside the file")) }
    }

    fn in_newest(&self, page: u32) -> Option<PageBytes<'_>> {
        let (group, index) = self.slot(page);
        let newest = self.newest.lock().ok()?;
        let (_, bytes) = newest.as_ref().filter(|(number, _)| *number == group)?;
        Some(PageBytes::Loose { bytes: Arc::clone(bytes), start: index * self.page_len, len: self.page_len })
    }

    fn may_keep(&self, len: usize) -> bool {
        let before = self.kept.fetch_add(len, Ordering::Relaxed);
        let fits = before.saturating_add(len) <= self.limit;
        if !fits {
            self.kept.fetch_sub(len, Ordering::Relaxed);
        }
        fits
    }

    fn group(&self, group: usize) -> &Group {
        self.groups[group].get_or_init(|| {
            let pages = GROUP_LEN / self.page_len;
            Box::new(Group {
                singly: AtomicUsize::new(0),
                whole: OnceLock::new(),
                pages: (0..pages).map(|_| OnceLock::new()).collect(),
                ordered: (0..pages).map(|_| AtomicBool::new(false)).collect(),
                visited: OnceLock::new(),
            })
        })
    }
}

impl Visited {
    fn new(pages: usize) -> Visited {
        Visited {
            visits: (0..pages).map(|_| AtomicU8::new(0)).collect(),
            keys: (0..pages).map(|_| OnceLock::new()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_vfs::{Faulty, FileSystem, Memory};
    use std::path::Path;

    fn pages(limit: usize) -> (Faulty<Memory>, Pages) {
        let memory = Memory::new();
        let content: Vec<u8> = (0..300u32).flat_map(|page| [page as u8; 512]).collect();
        memory.write("a", content);
        let counting = Faulty::counting(memory);
        let file = counting.open(Path::new("a")).unwrap();
        let len = file.stamp().unwrap().len;
        (counting, Pages::new(file, len, 512, limit).unwrap())
    }

    #[test]
    fn a_page_is_read_once_and_a_walk_reads_groups() {
        let (counting, pages) = pages(1 << 20);
        for _ in 0..3 {
            assert_eq!(pages.page(5).unwrap()[0], 5);
        }
        assert_eq!(counting.reads(), 1);
        for page in 0..300 {
            assert_eq!(pages.page_ahead(page).unwrap()[511], page as u8);
        }
        assert_eq!(counting.reads(), 4);
        assert_eq!(pages.page(300).unwrap_err().code(), Code::IndexDamaged);
    }

    #[test]
    fn point_reads_that_come_back_to_a_group_end_in_one_read_of_it() {
        let (counting, pages) = pages(1 << 20);
        for page in 0..128 {
            assert_eq!(pages.page(page).unwrap()[0], page as u8);
        }
        assert_eq!(counting.reads(), PAGES_BEFORE_GROUP as u64 + 1);
        assert_eq!(pages.page(200).unwrap()[0], 200, "another group is read by the page");
        assert!(pages.kept_bytes() < 2 * GROUP_LEN);
    }

    #[test]
    fn short_keys_are_made_once_for_pages_that_are_visited_often_and_within_the_limit() {
        let (_, pages) = pages(1 << 20);
        let mut made = 0;
        let mut ask = |pages: &Pages, page| {
            let keys = pages.short_keys(page, 2, || -> Result<Box<[u64]>> {
                made += 1;
                Ok([3, 4].into())
            });
            (keys.unwrap().map(<[u64]>::to_vec), made)
        };
        pages.page(5).unwrap();
        for _ in 0..VISITS_BEFORE_KEYS {
            assert_eq!(ask(&pages, 5), (None, 0));
        }
        let before = pages.kept_bytes();
        for _ in 0..3 {
            assert_eq!(ask(&pages, 5), (Some(vec![3, 4]), 1));
        }
        assert_eq!(pages.kept_bytes(), before + 16);

        let (_, full) = super::tests::pages(512);
        full.page(5).unwrap();
        for _ in 0..2 * VISITS_BEFORE_KEYS {
            assert_eq!(ask(&full, 5), (None, 1), "there is no room, so none are made");
        }
        assert!(full.kept_bytes() <= 512);
    }

    #[test]
    fn the_limit_holds_and_everything_is_still_readable() {
        let (counting, pages) = pages(70_000);
        for page in 0..300 {
            assert_eq!(pages.page_ahead(page).unwrap()[0], page as u8);
            assert!(pages.kept_bytes() <= 70_000);
        }
        assert_eq!(counting.reads(), 3);
        assert!(!pages.is_ordered(200));
        pages.set_ordered(200);
        assert!(!pages.is_ordered(200), "bytes that are not kept may be other bytes the next time");
    }
}
