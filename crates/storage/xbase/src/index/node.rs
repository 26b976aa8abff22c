//! One node of an index tree, independent of its format.
//!
//! Three formats are read, and everything above this file sees only what they have in common: a node has
//! a number of items in order; an item has a key and a record or a child.
//!
//! | format | keys in branches | children of a node with n items |
//! |---|---|---|
//! | compact (CDX, compact IDX) | copies of the last key of each child | n |
//! | plain (IDX of FoxBASE and FoxPro 1) | copies of the last key of each child | n |
//! | NTX | keys of their own, with records | n + 1 |
//!
//! Nothing in a page is trusted: the count is checked against the page when the node is parsed, offsets
//! when they are followed. An error is a [`Reason`]; the caller knows the page and adds the place.

use super::dialect::RecordBits;
use super::leaf::{Leaf, Packing};
use crate::collation::KeyOrder;
use std::borrow::Cow;
use std::cmp::Ordering;

/// The error of a page.
pub(crate) type Reason = Cow<'static, str>;

/// The formats of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Compact,
    Plain,
    Ntx,
}

/// Properties common to the nodes of one tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) format: Format,
    /// Bytes of a page: a power of two.
    pub(crate) page_len: usize,
    /// Pointers count pages instead of bytes.
    pub(crate) pointers_are_pages: bool,
    pub(crate) key_len: usize,
    /// The byte that a packed leaf leaves out at the end of a key.
    pub(crate) pad: u8,
    /// The division of the entries of new packed leaves.
    pub(crate) record_bits: RecordBits,
    /// The tree itself is in descending order of its keys (NTX).
    pub(crate) falling: bool,
    /// The order of the keys.
    pub(crate) order: KeyOrder,
}

/// A node of which the header is understood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'p> {
    layout: &'p Layout,
    page: &'p [u8],
    count: usize,
    is_leaf: bool,
    packing: Packing,
}

/// The node attributes of compact and plain indexes.
const ROOT: u16 = 1;
const LEAF: u16 = 2;

/// Where the items of branches and of plain leaves begin.
const ITEMS_START: usize = 12;

/// Targets of up to so many bytes are one number.
const SHORT_TARGET: usize = 8;

/// No sibling, in compact and plain nodes.
pub(crate) const NO_PAGE: u32 = u32::MAX;

impl Layout {
    /// The order of a key and another one, or the beginning of one, in the tree.
    #[inline]
    pub(crate) fn compare(&self, key: &[u8], sought: &[u8]) -> Ordering {
        let order = self.order.compare(key, sought);
        if self.falling { order.reverse() } else { order }
    }

    /// The number of the page that a pointer leads to.
    #[inline]
    pub(crate) fn page_number(&self, pointer: u32) -> Result<u32, Reason> {
        if self.pointers_are_pages {
            Ok(pointer)
        } else if pointer & (self.page_len as u32 - 1) == 0 {
            Ok(pointer >> self.page_len.trailing_zeros())
        } else {
            Err(format!("the pointer {pointer} is not the start of a page").into())
        }
    }
}

impl<'p> Node<'p> {
    /// Understands the header of a node.
    #[inline]
    pub(crate) fn parse(layout: &'p Layout, page: &'p [u8]) -> Result<Node<'p>, Reason> {
        let (Some(first), Some(second)) = (short(page, 0), short(page, 2)) else {
            return Err("the page is too short".into());
        };
        if layout.format == Format::Ntx {
            let count = usize::from(first);
            if (count + 1) * (layout.key_len + 10) + 2 > page.len() {
                return Err(format!("{count} items do not fit into the page").into());
            }
            return Ok(Node { layout, page, count, is_leaf: false, packing: Packing::default() });
        }
        if first & !(ROOT | LEAF) != 0 {
            return Err(format!("{first} is not the attribute of a node").into());
        }
        let (is_leaf, count) = (first & LEAF != 0, usize::from(second));
        let mut node = Node { layout, page, count, is_leaf, packing: Packing::default() };
        if is_leaf && layout.format == Format::Compact {
            node.packing = Packing::parse(page, count)?;
        } else if ITEMS_START + count * node.item_len() > page.len() {
            return Err(format!("{count} keys do not fit into the node").into());
        }
        Ok(node)
    }

    /// The number of items of the node.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns true if the node has items with records and no children. In an NTX every node has records, and
    /// each item says for itself whether it has a child.
    #[inline]
    pub(crate) fn is_leaf(&self) -> bool {
        self.is_leaf
    }

    /// Returns true if items of this node are entries of the index.
    #[inline]
    pub(crate) fn has_records(&self) -> bool {
        self.is_leaf || self.layout.format == Format::Ntx
    }

    /// The pointers to the siblings, where the format has them.
    pub(crate) fn siblings(&self) -> Option<(u32, u32)> {
        match self.layout.format {
            Format::Ntx => None,
            _ => Some((long(self.page, 4)?, long(self.page, 8)?)),
        }
    }

    /// The free space that a packed leaf says it has, and the free space it has.
    pub(crate) fn free_space(&self) -> Option<Result<(usize, usize), Reason>> {
        let leaf = self.packed_leaf().filter(|leaf| leaf.count > 0)?;
        let said = usize::from(short(self.page, 12)?);
        Some(leaf.free().map(|free| (said, free)))
    }

    /// The packed leaf, if this node is one.
    #[inline]
    pub(crate) fn packed_leaf(&self) -> Option<Leaf<'p>> {
        let Layout { format, key_len, pad, .. } = *self.layout;
        (self.is_leaf && format == Format::Compact).then_some(Leaf {
            page: self.page,
            count: self.count,
            key_len,
            pad,
            packing: self.packing,
        })
    }

    #[inline]
    fn item_len(&self) -> usize {
        self.layout.key_len + if self.layout.format == Format::Compact { 8 } else { 4 }
    }

    /// An item of fixed length: of a branch, a plain leaf, or an NTX page (where item `count` exists and
    /// has only a child).
    #[inline]
    fn item(&self, index: usize) -> Result<&'p [u8], Reason> {
        let item = if self.layout.format == Format::Ntx {
            let offset = short(self.page, 2 + 2 * index).map_or(usize::MAX, usize::from);
            // The offsets themselves are no items, although a damaged offset may point at them.
            let smallest = 2 + 2 * (self.count + 1);
            let end = offset.saturating_add(self.layout.key_len + 8);
            if offset < smallest { None } else { self.page.get(offset..end) }
        } else {
            let start = ITEMS_START + index * self.item_len();
            self.page.get(start..start + self.item_len())
        };
        item.ok_or_else(|| format!("item {index} lies outside the page").into())
    }

    /// The child pointer at an index, or `None` where there is none: in leaves, and where an NTX item has
    /// nothing below it. A branch has children 0 to `count - 1`, an NTX page 0 to `count`.
    #[inline]
    pub(crate) fn child(&self, index: usize) -> Result<Option<u32>, Reason> {
        if self.is_leaf {
            return Ok(None);
        }
        let item = self.item(index)?;
        let pointer = match self.layout.format {
            Format::Ntx => long(item, 0).filter(|pointer| *pointer != 0),
            _ => long(item, item.len() - 4).map(u32::swap_bytes),
        };
        Ok(pointer)
    }

    /// The record and the key of an item of fixed length.
    #[inline]
    fn fixed_item(&self, index: usize) -> Result<(u32, &'p [u8]), Reason> {
        let item = self.item(index)?;
        let key_len = self.layout.key_len;
        Ok(match self.layout.format {
            Format::Ntx => (long(item, 4).unwrap_or(0), &item[8..8 + key_len]),
            _ => (long(item, key_len).map_or(0, u32::swap_bytes), &item[..key_len]),
        })
    }

    /// The key of an item of fixed length.
    #[inline]
    pub(crate) fn fixed_key(&self, index: usize) -> Result<&'p [u8], Reason> {
        self.fixed_item(index).map(|(_, key)| key)
    }

    /// The record of an item. In a branch: the record of the last item below it (plain branches have none).
    #[inline]
    pub(crate) fn record(&self, index: usize) -> Result<u32, Reason> {
        if let Some(leaf) = self.packed_leaf() {
            return Ok(leaf.record(index));
        }
        self.fixed_item(index).map(|(record, _)| record)
    }

    /// The order of two keys in this tree; the second may be the beginning of one.
    #[inline]
    pub(crate) fn order(&self, left: &[u8], right: &[u8]) -> Ordering {
        self.layout.compare(left, right)
    }

    /// The first item whose key does not come before `target` in the order of the tree, and whether its key
    /// starts with it. With `past_equal`, the first after all keys that start with `target`.
    #[inline]
    pub(crate) fn search(&self, target: &[u8], past_equal: bool) -> Result<(usize, bool), Reason> {
        let len = target.len().min(self.layout.key_len);
        if let Some(leaf) = self.packed_leaf() {
            if !self.layout.order.is_bytes() {
                return self.search_unpacked(&leaf, &target[..len], past_equal);
            }
            return leaf.search(target, past_equal);
        }
        if let Some(found) = self.search_short(&target[..len], past_equal) {
            return Ok(found);
        }
        let (mut low, mut high, mut equal) = (0, self.count, false);
        while low < high {
            let middle = (low + high) / 2;
            let order = self.order(self.fixed_key(middle)?, &target[..len]);
            if order == Ordering::Less || (past_equal && order == Ordering::Equal) {
                low = middle + 1;
            } else {
                high = middle;
                equal = order == Ordering::Equal;
            }
        }
        Ok((low, equal))
    }

    /// The same in a packed leaf of keys that are not in the order of bytes: each is unpacked and compared.
    fn search_unpacked(&self, leaf: &Leaf<'_>, target: &[u8], past_equal: bool) -> Result<(usize, bool), Reason> {
        let (mut key, mut entries, mut text_len) = (vec![0; leaf.key_len], leaf.entries(), leaf.key_len);
        let mut index = 0;
        while let Some(entry) = entries.advance()? {
            entry.apply(&mut key, &mut text_len, leaf.pad);
            let order = self.order(&key, target);
            if order == Ordering::Greater || order == Ordering::Equal && !past_equal {
                return Ok((index, order == Ordering::Equal));
            }
            index += 1;
        }
        Ok((index, false))
    }

    /// The same for a target of up to eight bytes among items that lie side by side: these are compared as numbers.
    #[inline]
    fn search_short(&self, target: &[u8], past_equal: bool) -> Option<(usize, bool)> {
        let (len, item_len) = (target.len(), self.item_len());
        let is_plain = !self.layout.falling && self.layout.order.is_bytes();
        if self.layout.format == Format::Ntx || !is_plain || len == 0 || item_len < SHORT_TARGET {
            return None;
        }
        let mut bytes = [0; SHORT_TARGET];
        bytes.get_mut(..len)?.copy_from_slice(target);
        let unused = 8 * (SHORT_TARGET - len) as u32;
        let wanted = u64::from_be_bytes(bytes) >> unused;
        let items = self.page.get(ITEMS_START..ITEMS_START + self.count * item_len)?;
        let (mut low, mut high, mut equal) = (0, self.count, false);
        while low < high {
            let middle = (low + high) / 2;
            let key = u64::from_be_bytes(*items.get(middle * item_len..)?.first_chunk()?) >> unused;
            if key < wanted || (past_equal && key == wanted) {
                low = middle + 1;
            } else {
                high = middle;
                equal = key == wanted;
            }
        }
        Some((low, equal))
    }

    /// Calls `visit` with each item from `start` to before `end`: its record and its key, which is built in
    /// `key` when the page does not hold it whole. Stops when `visit` says so.
    #[inline]
    pub(crate) fn each(
        &self,
        (start, end): (usize, usize),
        key: &mut [u8],
        mut visit: impl FnMut(u32, &[u8]) -> std::ops::ControlFlow<()>,
    ) -> Result<std::ops::ControlFlow<()>, Reason> {
        if let Some(leaf) = self.packed_leaf() {
            let mut entries = leaf.entries();
            let mut text_len = key.len();
            for index in 0..end {
                let Some(entry) = entries.advance()? else { break };
                entry.apply(key, &mut text_len, leaf.pad);
                if index >= start && visit(entry.record, key).is_break() {
                    return Ok(std::ops::ControlFlow::Break(()));
                }
            }
        } else {
            for index in start..end {
                let (record, key) = self.fixed_item(index)?;
                if visit(record, key).is_break() {
                    return Ok(std::ops::ControlFlow::Break(()));
                }
            }
        }
        Ok(std::ops::ControlFlow::Continue(()))
    }

    /// Returns true if the keys of this node are in the order of the tree; `key` is scratch space for one key.
    pub(crate) fn is_ordered(&self, key: &mut [u8]) -> Result<bool, Reason> {
        if let Some(leaf) = self.packed_leaf() {
            if !self.layout.order.is_bytes() {
                return self.is_unpacked_ordered(&leaf);
            }
            if leaf.has_short_keys() {
                let (mut before, mut is_ordered) = (0, true);
                leaf.words(|word, _, _, _| {
                    is_ordered &= before <= word;
                    before = word;
                })?;
                return Ok(is_ordered);
            }
            let mut entries = leaf.entries();
            let (mut is_first, mut text_len) = (true, key.len());
            while let Some(entry) = entries.advance()? {
                if !is_first && entry.is_before(key, leaf.pad) {
                    return Ok(false);
                }
                entry.apply(key, &mut text_len, leaf.pad);
                is_first = false;
            }
            return Ok(true);
        }
        for index in 1..self.count {
            if self.order(self.fixed_key(index - 1)?, self.fixed_key(index)?) == Ordering::Greater {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Node<'_> {
    /// Returns true if the keys of a packed leaf that are not in the order of bytes are in that of the tree.
    fn is_unpacked_ordered(&self, leaf: &Leaf<'_>) -> Result<bool, Reason> {
        let (mut key, mut entries, mut text_len) = (vec![0; leaf.key_len], leaf.entries(), leaf.key_len);
        let mut before: Option<Vec<u8>> = None;
        while let Some(entry) = entries.advance()? {
            entry.apply(&mut key, &mut text_len, leaf.pad);
            match &mut before {
                Some(before) if self.order(before, &key) == Ordering::Greater => return Ok(false),
                Some(before) => before.copy_from_slice(&key),
                None => before = Some(key.clone()),
            }
        }
        Ok(true)
    }
}

#[inline]
pub(crate) fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

#[inline]
pub(crate) fn long(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}
