//! One tag opened for reading: look-ups, ranges and counts.
//!
//! There are two orders. The *order of bytes* is that of the keys, least first (in a tag of a national code page, the
//! order of that: [`KeyOrder`](crate::collation::KeyOrder)); ranges, least and greatest refer to it, whatever the tag's
//! flags are. The *order of the tag* is the one in which a program skips through it: for a descending tag it begins
//! with the greatest key. [`super::Cursor`] follows that one.
//!
//! A range is two positions. Both are searched first, then everything between them is returned without comparing a key,
//! or only counted, from the pages' own counts.
//!
//! A bound shorter than the keys stands for all keys that begin with it: the range from `"abc"` to `"abc"`,
//! both included, is `LIKE 'abc%'`.

use super::cursor::Cursor;
use super::header::TagHeader;
use super::key::KeyType;
use super::tree::{Level, Path, Reading, Tree};
use mainstay_types::Result;
use std::cmp::Ordering;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

/// A tag of an open bag. Cheap to clone; reads through the pages that the bag keeps.
#[derive(Clone, Debug)]
pub struct Tag {
    header: Arc<TagHeader>,
    key_type: KeyType,
    pub(super) tree: Tree,
}

impl Tag {
    pub(crate) fn new(header: Arc<TagHeader>, key_type: KeyType, tree: Tree) -> Tag {
        Tag { header, key_type, tree }
    }

    /// Returns true if both read the same state of the same tag: a place in the one is a place in the other.
    pub fn is_same_state(&self, other: &Tag) -> bool {
        Arc::ptr_eq(&self.tree.pages, &other.tree.pages) && self.tree.root == other.tree.root
    }

    /// The definition.
    pub fn header(&self) -> &TagHeader {
        &self.header
    }

    /// The type of the keys.
    pub fn key_type(&self) -> KeyType {
        self.key_type
    }

    /// The order of a key of the tag and another one, or the beginning of one, as ranges use it.
    pub fn compare(&self, key: &[u8], sought: &[u8]) -> Ordering {
        self.tree.layout.order.compare(key, sought)
    }

    /// Returns true if a key of the tag begins with `sought`, as its order sees it.
    pub fn begins_with(&self, key: &[u8], sought: &[u8]) -> bool {
        self.compare(key, &sought[..sought.len().min(key.len())]) == Ordering::Equal
    }

    /// A cursor before the first record in the order of the tag.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor::new(self)
    }

    /// The first record, in the order of bytes, whose key is `key`, or begins with it if it is shorter.
    pub fn find(&self, key: &[u8]) -> Result<Option<u32>> {
        if !self.tree.layout.falling {
            match self.tree.find(key) {
                Ok(record) => return Ok(record),
                Err(Some(error)) => return Err(error),
                Err(None) => {}
            }
        }
        self.find_by_position(key)
    }

    #[cold]
    fn find_by_position(&self, key: &[u8]) -> Result<Option<u32>> {
        let falling = self.tree.layout.falling;
        let (mut path, _) = self.tree.search(key, falling, Reading::Point)?;
        if falling {
            self.tree.step_back(&mut path, Reading::Point)?;
        }
        let mut found = Vec::new();
        let record = self.tree.item(&path, &mut found)?;
        Ok(record.filter(|_| self.begins_with(&found, key)))
    }

    /// The record with the least key in the order of bytes, and the key.
    pub fn least(&self) -> Result<Option<(u32, Vec<u8>)>> {
        self.extreme(self.tree.layout.falling)
    }

    /// The record with the greatest key in the order of bytes, and the key.
    pub fn greatest(&self) -> Result<Option<(u32, Vec<u8>)>> {
        self.extreme(!self.tree.layout.falling)
    }

    fn extreme(&self, last: bool) -> Result<Option<(u32, Vec<u8>)>> {
        let path = if last { self.tree.last(Reading::Point)? } else { self.tree.first(Reading::Point)? };
        if let Some(Level { page, .. }) = path.top() {
            self.tree.ordered_node(page, &self.tree.load(page, Reading::Point)?)?;
        }
        let mut key = Vec::new();
        Ok(self.tree.item(&path, &mut key)?.map(|record| (record, key)))
    }

    /// The number of keys of the tag: the sum of the counts of its pages.
    pub fn key_count(&self) -> Result<u64> {
        self.tree.count(&self.tree.first(Reading::Ahead)?, &Path::end())
    }

    /// Hands out records and keys between two bounds, least key first, until `visit` breaks.
    ///
    /// The key is valid until `visit` returns. An error may come after some keys were handed out: then the
    /// tag is damaged, and what came before must not be used either.
    pub fn range(
        &self,
        lower: Bound<&[u8]>,
        upper: Bound<&[u8]>,
        visit: impl FnMut(u32, &[u8]) -> ControlFlow<()>,
    ) -> Result<()> {
        self.visit_range(lower, upper, false, visit)
    }

    /// The same, greatest key first.
    pub fn range_back(
        &self,
        lower: Bound<&[u8]>,
        upper: Bound<&[u8]>,
        visit: impl FnMut(u32, &[u8]) -> ControlFlow<()>,
    ) -> Result<()> {
        self.visit_range(lower, upper, true, visit)
    }

    /// The number of keys between two bounds. Reads every page between them, and only the counts of those in the
    /// middle.
    pub fn count_range(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> Result<u64> {
        match self.ends(lower, upper)? {
            Some((start, end)) => self.tree.count(&start, &end),
            None => Ok(0),
        }
    }

    /// Hands out the records whose keys begin with `key`, in the order of the tag's file, if one page tells them
    /// all. Otherwise false: then what was handed out does not count, and [`range`](Tag::range) has the answer.
    pub fn equal(&self, key: &[u8], visit: impl FnMut(u32)) -> Result<bool> {
        self.tree.equal(key, visit)
    }

    fn visit_range(
        &self,
        lower: Bound<&[u8]>,
        upper: Bound<&[u8]>,
        backward: bool,
        visit: impl FnMut(u32, &[u8]) -> ControlFlow<()>,
    ) -> Result<()> {
        let Some((start, end)) = self.ends(lower, upper)? else { return Ok(()) };
        if backward != self.tree.layout.falling {
            self.tree.walk_back(&start, end, visit)
        } else {
            self.tree.walk(start, &end, visit)
        }
    }

    /// The positions of the first item in a range and of the first after it, in the order of the tree.
    fn ends(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> Result<Option<(Path, Path)>> {
        let (from, to) = if self.tree.layout.falling { (upper, lower) } else { (lower, upper) };
        let start = match from {
            Bound::Unbounded => self.tree.first(Reading::Point)?,
            Bound::Included(key) => self.tree.search(key, false, Reading::Point)?.0,
            Bound::Excluded(key) => self.tree.search(key, true, Reading::Point)?.0,
        };
        let end = match to {
            Bound::Unbounded => Path::end(),
            Bound::Included(key) => self.tree.search(key, true, Reading::Point)?.0,
            Bound::Excluded(key) => self.tree.search(key, false, Reading::Point)?.0,
        };
        Ok(start.is_before(&end).then_some((start, end)))
    }
}

impl Tree {
    /// Hands out the items from `path` to before `end`, in the order of the tree.
    fn walk(&self, mut path: Path, end: &Path, mut visit: impl FnMut(u32, &[u8]) -> ControlFlow<()>) -> Result<()> {
        path.restart();
        let mut key = vec![0; self.layout.key_len];
        // The last key of the run before: the next run must go on from there.
        let mut last = Vec::with_capacity(self.layout.key_len);
        while let Some(Level { page, index }) = path.top() {
            let bytes = self.load(page, Reading::Ahead)?;
            let node = self.ordered_node(page, &bytes)?;
            let (from, to) = self.run(page, &node, index as usize, end)?;
            if from == to {
                return Ok(());
            }
            let mut goes_on = true;
            let mut is_first = true;
            let flow = node.each((from, to), &mut key, |record, key| {
                if is_first {
                    is_first = false;
                    goes_on = last.is_empty() || node.order(&last, key) != Ordering::Greater;
                    if !goes_on {
                        return ControlFlow::Break(());
                    }
                }
                visit(record, key)
            });
            let flow = flow.map_err(|reason| self.damaged(page, reason))?;
            if !goes_on {
                return Err(self.damaged(page, "the page begins with a key that belongs before it"));
            }
            if flow.is_break() {
                return Ok(());
            }
            path.set_index(to - 1);
            self.last_key(page, &node, to - 1, &key, &mut last)?;
            self.step(&mut path, Reading::Ahead)?;
        }
        if end.is_end() { Ok(()) } else { Err(self.damaged(self.root, "the walk does not reach the end of its range")) }
    }

    /// Keeps the key of the last item of a run. A packed leaf has left it in `key`.
    fn last_key(
        &self,
        page: u32,
        node: &super::node::Node<'_>,
        index: usize,
        key: &[u8],
        last: &mut Vec<u8>,
    ) -> Result<()> {
        last.clear();
        if node.packed_leaf().is_some() {
            last.extend_from_slice(key);
        } else {
            last.extend_from_slice(node.fixed_key(index).map_err(|reason| self.damaged(page, reason))?);
        }
        Ok(())
    }

    /// The items from `index` on that follow each other within a page, before `end`.
    fn run(&self, page: u32, node: &super::node::Node<'_>, index: usize, end: &Path) -> Result<(usize, usize)> {
        let mut to = node.count();
        if let Some(level) = end.top().filter(|level| level.page == page) {
            to = to.min(level.index as usize);
        }
        if node.is_leaf() {
            return Ok((index.min(to), to));
        }
        // An NTX page: the run ends before the next item that has a child.
        let mut next = index;
        while next < to {
            next += 1;
            if node.child(next).map_err(|reason| self.damaged(page, reason))?.is_some() {
                break;
            }
        }
        Ok((index.min(next), next))
    }

    /// Hands out the items from before `path` back to `start`.
    fn walk_back(
        &self,
        start: &Path,
        mut path: Path,
        mut visit: impl FnMut(u32, &[u8]) -> ControlFlow<()>,
    ) -> Result<()> {
        path.restart();
        let mut items = super::cursor::Items::default();
        let mut last: Vec<u8> = Vec::with_capacity(self.layout.key_len);
        loop {
            self.step_back(&mut path, Reading::Ahead)?;
            let Some(Level { page, index }) = path.top() else {
                return Err(self.damaged(self.root, "the walk does not reach the start of its range"));
            };
            let bytes = self.load(page, Reading::Ahead)?;
            let node = self.ordered_node(page, &bytes)?;
            items.read(self, page, &node)?;
            let lowest = start.top().filter(|level| level.page == page).map(|level| level.index as usize);
            let mut index = index as usize;
            loop {
                let Some((record, key)) = items.get(index) else {
                    return Err(self.damaged(page, "the page has fewer items than its parent leads to"));
                };
                if !last.is_empty() && node.order(key, &last) == Ordering::Greater {
                    return Err(self.damaged(page, "the page ends with a key that belongs behind it"));
                }
                if visit(record, key).is_break() || lowest == Some(index) {
                    return Ok(());
                }
                let child = node.child(index).map_err(|reason| self.damaged(page, reason))?;
                if index == 0 || child.is_some() {
                    last.clear();
                    last.extend_from_slice(key);
                    break;
                }
                index -= 1;
            }
            path.set_index(index);
        }
    }

    /// The position `before` items after this one, in the order of the tree.
    pub(crate) fn nth(&self, mut path: Path, mut before: u64) -> Result<Path> {
        path.restart();
        while let Some(Level { page, index }) = path.top() {
            let bytes = self.load(page, Reading::Ahead)?;
            let node = self.node(page, &bytes)?;
            let (from, to) = self.run(page, &node, index as usize, &Path::end())?;
            let here = (to - from) as u64;
            if before < here {
                path.set_index(from + before as usize);
                break;
            }
            before -= here;
            if from == to {
                return Ok(Path::end());
            }
            path.set_index(to - 1);
            self.step(&mut path, Reading::Ahead)?;
        }
        path.restart();
        Ok(path)
    }

    /// Counts the items from `start` to before `end`.
    pub(crate) fn count(&self, start: &Path, end: &Path) -> Result<u64> {
        let mut path = *start;
        path.restart();
        let mut total = 0;
        while let Some(Level { page, index }) = path.top() {
            let bytes = self.load(page, Reading::Ahead)?;
            let node = self.node(page, &bytes)?;
            let (from, to) = self.run(page, &node, index as usize, end)?;
            if from == to {
                return Ok(total);
            }
            total += (to - from) as u64;
            path.set_index(to - 1);
            self.step(&mut path, Reading::Ahead)?;
        }
        if end.is_end() {
            Ok(total)
        } else {
            Err(self.damaged(self.root, "the walk does not reach the end of its range"))
        }
    }
}
