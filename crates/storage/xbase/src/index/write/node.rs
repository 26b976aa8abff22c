//! Nodes unpacked for changes, and packed again as pages.
//!
//! In memory all formats look alike: keys side by side in one buffer, the records, the children. The differences are
//! the capacity of a page ([`Unpacked::fits`]) and its bytes ([`Unpacked::encode`]). For a packed leaf the number of
//! packed bytes is kept up to date, so that nothing is packed before it is written.
//!
//! An unpacked page has been checked: its counts and offsets by the reader's own [`Node`], its pointers against the
//! file, and the order of its keys. So the code that changes trees works only on trusted pages.

use super::image::{Image, Packed};
use super::pack::{self, Bits, Counting};
use super::short;
use super::spec::put;
use crate::index::leaf::{ENTRIES_START, Leaf};
use crate::index::node::{Format, Layout, NO_PAGE, Node, Reason};
use mainstay_types::{Code, Error, Result};
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// Properties common to the nodes of one tree, for writing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) layout: Layout,
    /// The most items of an NTX page.
    pub(crate) max_items: usize,
    /// The tree of the file: the offset of its header.
    pub(crate) tree: u64,
}

/// A node taken apart. Pages are numbers; 0 is no page, because the file's header is there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unpacked {
    pub(crate) is_root: bool,
    pub(crate) is_leaf: bool,
    pub(crate) left: u32,
    pub(crate) right: u32,
    /// The keys, each as long as the next.
    pub(crate) keys: Vec<u8>,
    /// Their records: in a plain branch they are 0.
    pub(crate) records: Vec<u32>,
    /// In branches as many as keys, in an NTX page one more, in leaves none.
    pub(crate) children: Vec<u32>,
    /// The packing of a packed leaf.
    pub(crate) bits: Bits,
    pub(crate) counting: Counting,
    /// The bytes that the entries of a packed leaf and their stored keys take.
    pub(crate) used: usize,
    /// The packed leaf as a page, if it is at hand.
    pub(super) image: Option<Image>,
}

/// Where the items of branches and of plain leaves begin.
const ITEMS_START: usize = 12;

impl Shape {
    pub(crate) fn key_len(&self) -> usize {
        self.layout.key_len
    }

    pub(crate) fn is_ntx(&self) -> bool {
        self.layout.format == Format::Ntx
    }

    /// Bytes for entries and stored keys in a packed leaf.
    pub(crate) fn leaf_room(&self) -> usize {
        self.layout.page_len - ENTRIES_START
    }

    /// The most items of a node that is not packed.
    pub(crate) fn most_items(&self) -> usize {
        match self.layout.format {
            Format::Ntx => self.max_items,
            Format::Compact => (self.layout.page_len - ITEMS_START) / (self.layout.key_len + 8),
            Format::Plain => (self.layout.page_len - ITEMS_START) / (self.layout.key_len + 4),
        }
    }

    /// The order of two keys in the tree.
    #[inline]
    pub(crate) fn order(&self, left: &[u8], right: &[u8]) -> Ordering {
        if !self.layout.order.is_bytes() {
            return self.layout.compare(left, right);
        }
        let order = compare(left, right);
        if self.layout.falling { order.reverse() } else { order }
    }

    /// Returns true if keys are compared by their bytes as one number.
    #[inline]
    fn has_words(&self) -> bool {
        self.layout.key_len <= short::LONGEST && self.layout.order.is_bytes()
    }

    /// The pointer to a page; `none` where there is no page.
    pub(crate) fn pointer(&self, page: u32, none: u32) -> u32 {
        match page {
            0 => none,
            page if self.layout.pointers_are_pages => page,
            page => page << self.layout.page_len.trailing_zeros(),
        }
    }

    /// The page that a pointer leads to, which must lie in a file of `end` pages; 0 for no page.
    fn page(&self, pointer: u32, end: u32) -> std::result::Result<u32, Reason> {
        if pointer == 0 || pointer == NO_PAGE {
            return Ok(0);
        }
        let page = self.layout.page_number(pointer)?;
        if page < end { Ok(page) } else { Err(format!("the pointer {pointer} leads outside the file").into()) }
    }
}

/// Compares two keys of one length; eight bytes mostly tell.
#[inline]
fn compare(left: &[u8], right: &[u8]) -> Ordering {
    if let (Some(a), Some(b)) = (left.first_chunk::<8>(), right.first_chunk::<8>()) {
        let order = u64::from_be_bytes(*a).cmp(&u64::from_be_bytes(*b));
        if order != Ordering::Equal || left.len() == 8 {
            return order;
        }
    }
    left.cmp(right)
}

impl Unpacked {
    /// An empty leaf, or an NTX page without children.
    pub(crate) fn leaf(shape: &Shape, max_record: u32) -> Unpacked {
        let children = if shape.is_ntx() { vec![0] } else { Vec::new() };
        Unpacked {
            is_leaf: !shape.is_ntx(),
            children,
            bits: Bits::new(shape.layout.record_bits, shape.key_len(), max_record),
            ..Unpacked::default()
        }
    }

    /// Takes a page apart. `end` is the number of pages in the file; `keeps_image` says that single keys of it are likely to
    /// come and go, each with a write of the page.
    pub(crate) fn decode(
        shape: &Shape,
        page: &[u8],
        end: u32,
        keeps_image: bool,
    ) -> std::result::Result<Unpacked, Reason> {
        let layout = &shape.layout;
        let node = Node::parse(layout, page)?;
        let count = node.count();
        if layout.format == Format::Ntx && count > shape.max_items {
            return Err(format!("{count} items are more than the tag allows").into());
        }
        let mut unpacked = Unpacked { is_leaf: node.is_leaf(), ..Unpacked::default() };
        unpacked.is_root = layout.format != Format::Ntx && page.first().is_some_and(|attribute| attribute & 1 != 0);
        if let Some((left, right)) = node.siblings() {
            (unpacked.left, unpacked.right) = (shape.page(left, end)?, shape.page(right, end)?);
        }
        unpacked.keys.reserve_exact((count + 8) * layout.key_len);
        unpacked.records.reserve_exact(count + 8);
        match node.packed_leaf() {
            Some(leaf) if shape.has_words() => {
                unpacked.unpack_short(shape, &leaf, keeps_image)?;
                return unpacked.checked(shape);
            }
            Some(leaf) => unpacked.unpack(&leaf)?,
            None => unpacked.copy_items(&node, layout.key_len)?,
        }
        if layout.format == Format::Plain && !node.is_leaf() {
            // In branches of a plain index this field has the child.
            unpacked.records.fill(0);
        }
        let children = if node.is_leaf() { 0 } else { count + usize::from(layout.format == Format::Ntx) };
        for index in 0..children {
            let child = node.child(index)?.map_or(Ok(0), |pointer| shape.page(pointer, end))?;
            if child == 0 && layout.format != Format::Ntx {
                return Err("a branch has no child".into());
            }
            unpacked.children.push(child);
        }
        unpacked.check_order(shape)?;
        if let Some(leaf) = node.packed_leaf() {
            let highest = unpacked.records.iter().copied().max().unwrap_or(0);
            unpacked.bits = Bits::of(&leaf.packing, layout.record_bits, layout.key_len, highest);
            unpacked.used = unpacked.measure(shape);
            return unpacked.checked(shape);
        }
        Ok(unpacked)
    }

    /// The packed leaf that was taken apart, counted as it can be written again.
    fn checked(mut self, shape: &Shape) -> std::result::Result<Unpacked, Reason> {
        if !self.fits(shape) {
            // It does fit, as it stands there; only written as we write it would it not.
            self.counting = Counting::Tight;
            self.image = None;
            self.used = self.measure(shape);
        }
        if !self.fits(shape) {
            return Err("the leaf is packed in a way that cannot be written again".into());
        }
        Ok(self)
    }

    /// Unpacks the entries of a packed leaf of short keys, which are in order.
    fn unpack_short(&mut self, shape: &Shape, leaf: &Leaf<'_>, keeps_image: bool) -> std::result::Result<(), Reason> {
        let taken = short::unpack(leaf, &mut self.keys, &mut self.records)?;
        self.bits = Bits::of(&leaf.packing, shape.layout.record_bits, shape.key_len(), taken.highest);
        self.used = self.count() * self.bits.entry_len + taken.stored;
        if keeps_image && taken.is_as_packed && self.bits.are_of(&leaf.packing) {
            self.image = Image::of(leaf.page, &self.bits, self.count(), self.used);
        }
        Ok(())
    }

    /// Unpacks the entries of a packed leaf.
    fn unpack(&mut self, leaf: &Leaf<'_>) -> std::result::Result<(), Reason> {
        let (mut key, mut entries, mut text_len) = (vec![0; leaf.key_len], leaf.entries(), leaf.key_len);
        while let Some(entry) = entries.advance()? {
            entry.apply(&mut key, &mut text_len, leaf.pad);
            self.keys.extend_from_slice(&key);
            self.records.push(entry.record);
        }
        Ok(())
    }

    fn copy_items(&mut self, node: &Node<'_>, key_len: usize) -> std::result::Result<(), Reason> {
        let mut scratch = vec![0; key_len];
        let flow = node.each((0, node.count()), &mut scratch, |record, key| {
            self.keys.extend_from_slice(key);
            self.records.push(record);
            ControlFlow::Continue(())
        })?;
        debug_assert!(flow.is_continue());
        Ok(())
    }

    fn check_order(&self, shape: &Shape) -> std::result::Result<(), Reason> {
        let mut keys = self.keys.chunks_exact(shape.key_len());
        let Some(mut before) = keys.next() else { return Ok(()) };
        for key in keys {
            if shape.order(before, key) == Ordering::Greater {
                return Err("the keys of the page are not in their order".into());
            }
            before = key;
        }
        Ok(())
    }

    /// The number of keys.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.records.len()
    }

    /// A key.
    #[inline]
    pub(crate) fn key(&self, shape: &Shape, index: usize) -> &[u8] {
        let len = shape.key_len();
        &self.keys[index * len..(index + 1) * len]
    }

    /// The last key and its record.
    pub(crate) fn last(&self, shape: &Shape) -> Option<(&[u8], u32)> {
        let last = self.count().checked_sub(1)?;
        Some((self.key(shape, last), self.records[last]))
    }

    /// The first item that does not come before this key and record.
    #[inline]
    pub(crate) fn lower_bound(&self, shape: &Shape, key: &[u8], record: u32) -> usize {
        let (mut low, mut high) = (0, self.count());
        if shape.has_words() && !shape.layout.falling {
            // Of one length, so nothing has to tell where a key ends.
            let wanted = (short::word_of(key, 0), record);
            while low < high {
                let middle = (low + high) / 2;
                let found = (short::word_of(self.key(shape, middle), 0), self.records[middle]);
                if found < wanted { low = middle + 1 } else { high = middle }
            }
            return low;
        }
        while low < high {
            let middle = (low + high) / 2;
            let order = shape.order(self.key(shape, middle), key).then_with(|| self.records[middle].cmp(&record));
            if order == Ordering::Less { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Puts a key and its record in front of item `index`; the caller sees to the children.
    pub(crate) fn insert(&mut self, shape: &Shape, index: usize, key: &[u8], record: u32) {
        if self.is_leaf && shape.layout.format == Format::Compact {
            let widened = self.bits.widen(record);
            let image = self.image.take().filter(|_| widened == 0);
            self.image = image.and_then(|mut image| {
                image.insert(&self.packed(shape, index, index), index, key, record).then_some(image)
            });
            self.used += widened * self.count();
            let (more, less) = self.growth(shape, index, key);
            self.used = self.used + self.bits.entry_len + more - less;
        }
        let (start, len) = (index * shape.key_len(), shape.key_len());
        let end = self.keys.len();
        self.keys.extend_from_slice(key);
        if start != end {
            self.keys.copy_within(start..end, start + len);
            self.keys[start..start + len].copy_from_slice(key);
        }
        self.records.insert(index, record);
    }

    /// Gives an item of a node that is not packed another key and record; in a plain branch there are no records.
    pub(crate) fn set_item(&mut self, shape: &Shape, index: usize, key: &[u8], record: u32) {
        let len = shape.key_len();
        self.keys[index * len..(index + 1) * len].copy_from_slice(key);
        self.records[index] = if shape.layout.format == Format::Plain { 0 } else { record };
    }

    /// Puts a key in front of item `index`, without a child of its own.
    pub(crate) fn insert_childless(&mut self, shape: &Shape, index: usize, key: &[u8], record: u32) {
        self.insert(shape, index, key, record);
        if shape.is_ntx() {
            self.children.insert(index + 1, 0);
        }
    }

    /// Removes a key and, in an NTX, the empty child pointer at `child`.
    pub(crate) fn remove_childless(&mut self, shape: &Shape, index: usize, child: usize) {
        self.remove(shape, index);
        if shape.is_ntx() {
            self.children.remove(child);
        }
    }

    /// Takes a key out; the caller sees to the children.
    pub(crate) fn remove(&mut self, shape: &Shape, index: usize) {
        let (start, len) = (index * shape.key_len(), shape.key_len());
        let end = self.keys.len() - len;
        if self.is_leaf && shape.layout.format == Format::Compact {
            // Removing the key saves the bytes that inserting it again would add.
            let mut key = [0; 256];
            let mut long_key = Vec::new();
            let key = match key.get_mut(..len) {
                Some(key) => key,
                None => {
                    long_key.resize(len, 0);
                    &mut long_key[..]
                }
            };
            key.copy_from_slice(&self.keys[start..start + len]);
            self.image = self
                .image
                .take()
                .and_then(|mut image| image.remove(&self.packed(shape, index, index + 1), index, key).then_some(image));
            self.keys.copy_within(start + len.., start);
            self.keys.truncate(end);
            self.records.remove(index);
            let (more, less) = self.growth(shape, index, key);
            self.used = self.used + less - self.bits.entry_len - more;
            return;
        }
        self.keys.copy_within(start + len.., start);
        self.keys.truncate(end);
        self.records.remove(index);
    }

    /// The packed leaf for its image: a key comes or goes between the one in front of item `index` and item `after`.
    fn packed(&self, shape: &Shape, index: usize, after: usize) -> Packed<'_> {
        let Unpacked { bits, counting, used, .. } = *self;
        Packed {
            bits,
            counting,
            pad: shape.layout.pad,
            count: self.count(),
            used,
            before: index.checked_sub(1).map(|before| self.key(shape, before)),
            after: self.records.get(after).map(|record| (self.key(shape, after), *record)),
        }
    }

    /// The bytes that a key in front of item `index` of a packed leaf and the item itself are stored in, and those that
    /// the item is without it. Where keys share pad bytes ([`Counting::Tight`]) these may be more.
    fn growth(&self, shape: &Shape, index: usize, key: &[u8]) -> (usize, usize) {
        let pad = shape.layout.pad;
        let before = (index > 0).then(|| self.key(shape, index - 1));
        let own = pack::stored_len(before, key, pad, self.counting);
        if index == self.count() {
            return (own, 0);
        }
        let next = self.key(shape, index);
        let follows = |before| pack::stored_len(before, next, pad, self.counting);
        (own + follows(Some(key)), follows(before))
    }

    /// The bytes that a packed leaf takes, from its keys.
    pub(crate) fn measure(&self, shape: &Shape) -> usize {
        if shape.key_len() <= short::LONGEST && self.counting == Counting::Usual {
            let stored = short::stored_bytes(&self.keys, shape.key_len(), shape.layout.pad);
            return self.count() * self.bits.entry_len + stored;
        }
        let mut before = None;
        let mut used = self.count() * self.bits.entry_len;
        for key in self.keys.chunks_exact(shape.key_len()) {
            used += pack::stored_len(before, key, shape.layout.pad, self.counting);
            before = Some(key);
        }
        used
    }

    /// Returns true if the node fits its page.
    #[inline]
    pub(crate) fn fits(&self, shape: &Shape) -> bool {
        if self.is_leaf && shape.layout.format == Format::Compact {
            self.used <= shape.leaf_room()
        } else {
            self.count() <= shape.most_items()
        }
    }

    /// Returns true if the node takes less than half of its page.
    pub(crate) fn is_thin(&self, shape: &Shape) -> bool {
        if self.is_leaf && shape.layout.format == Format::Compact {
            self.used < shape.leaf_room() / 2
        } else {
            self.count() < shape.most_items().div_ceil(2)
        }
    }

    /// Returns true if this node and the one to its right surely fit one page.
    pub(crate) fn fits_with(&self, shape: &Shape, right: &Unpacked) -> bool {
        if !self.is_leaf || shape.layout.format != Format::Compact {
            return self.count() + right.count() <= shape.most_items();
        }
        if self.counting != Counting::Usual || right.counting != Counting::Usual {
            return false;
        }
        let entry_len = self.bits.entry_len.max(right.bits.entry_len);
        let widened = |node: &Unpacked| node.used + node.count() * (entry_len - node.bits.entry_len);
        widened(self) + widened(right) <= shape.leaf_room()
    }

    /// Takes over everything of the node to the right.
    pub(crate) fn absorb(&mut self, shape: &Shape, right: &Unpacked) {
        self.keys.extend_from_slice(&right.keys);
        self.records.extend_from_slice(&right.records);
        self.children.extend_from_slice(&right.children);
        self.right = right.right;
        self.image = None;
        if self.is_leaf {
            let highest = self.records.iter().copied().max().unwrap_or(0);
            self.bits = Bits::new(shape.layout.record_bits, shape.key_len(), highest);
            self.used = self.measure(shape);
        }
    }

    /// The items from `start` to before `end` as a node of their own.
    pub(crate) fn part(&self, shape: &Shape, start: usize, end: usize) -> Unpacked {
        let len = shape.key_len();
        let mut keys = Vec::with_capacity((end - start + 1) * len);
        keys.extend_from_slice(&self.keys[start * len..end * len]);
        let mut part = Unpacked {
            is_leaf: self.is_leaf,
            keys,
            records: self.records[start..end].to_vec(),
            children: if self.is_leaf { Vec::new() } else { self.children[start..end].to_vec() },
            ..Unpacked::default()
        };
        if self.is_leaf {
            part.bits = self.bits;
            part.used = part.measure(shape);
        }
        part
    }

    /// The bytes of the page. An error means that a node was not cut in time, which must never reach the file.
    pub(crate) fn encode(&self, shape: &Shape, page: &mut [u8]) -> Result<()> {
        page.fill(0);
        if !self.fits(shape) {
            return Err(Error::new(Code::Internal, "a node of an index is too large for its page"));
        }
        match shape.layout.format {
            Format::Ntx => self.encode_ntx(shape, page),
            Format::Compact if self.is_leaf => {
                self.encode_start(shape, page);
                return self.encode_leaf(shape, page);
            }
            Format::Compact | Format::Plain => {
                self.encode_start(shape, page);
                self.encode_items(shape, page);
            }
        }
        Ok(())
    }

    /// The same for a leaf that is likely to be written again: its image is kept.
    pub(crate) fn encode_again(&mut self, shape: &Shape, page: &mut [u8]) -> Result<()> {
        if let Some(image) = self.image.as_ref().filter(|image| image.bytes().len() == page.len()) {
            page.copy_from_slice(image.bytes());
            self.encode_start(shape, page);
            debug_assert!(self.is_encoded(shape, page), "the image of a leaf is not what packing gives");
            return Ok(());
        }
        self.encode(shape, page)?;
        self.image = (self.is_leaf && shape.layout.format == Format::Compact).then(|| Image::new(page));
        Ok(())
    }

    /// Returns true if a page is this node.
    fn is_encoded(&self, shape: &Shape, page: &[u8]) -> bool {
        let mut packed = vec![0; page.len()];
        self.encode(shape, &mut packed).is_ok() && packed == page
    }

    fn encode_start(&self, shape: &Shape, page: &mut [u8]) {
        page[0] = u8::from(self.is_root) | u8::from(self.is_leaf) << 1;
        put(page, 2, &(self.count() as u16).to_le_bytes());
        put(page, 4, &shape.pointer(self.left, NO_PAGE).to_le_bytes());
        put(page, 8, &shape.pointer(self.right, NO_PAGE).to_le_bytes());
    }

    fn encode_leaf(&self, shape: &Shape, page: &mut [u8]) -> Result<()> {
        let pad = shape.layout.pad;
        let too_large = || Error::new(Code::Internal, "a leaf of an index is larger than it was measured");
        if shape.key_len() <= short::LONGEST && self.counting == Counting::Usual {
            let packed = short::pack(page, &self.bits, &self.keys, &self.records, shape.key_len(), pad);
            return if packed { Ok(()) } else { Err(too_large()) };
        }
        let entries_end = ENTRIES_START + self.count() * self.bits.entry_len;
        let (mut before, mut bottom) = (None, page.len());
        for (index, key) in self.keys.chunks_exact(shape.key_len()).enumerate() {
            let (duplicates, trailing) = pack::counts(before, key, pad, self.counting);
            self.bits.write_entry(page, index, self.records[index], duplicates, trailing);
            let stored = &key[duplicates..key.len() - trailing];
            if bottom < entries_end + stored.len() {
                return Err(too_large());
            }
            bottom -= stored.len();
            put(page, bottom, stored);
            before = Some(key);
        }
        self.bits.write(page, bottom - entries_end);
        Ok(())
    }

    fn encode_items(&self, shape: &Shape, page: &mut [u8]) {
        let mut at = ITEMS_START;
        for (index, key) in self.keys.chunks_exact(shape.key_len()).enumerate() {
            put(page, at, key);
            at += key.len();
            if self.is_leaf || shape.layout.format == Format::Compact {
                put(page, at, &self.records[index].to_be_bytes());
                at += 4;
            }
            if !self.is_leaf {
                put(page, at, &shape.pointer(self.children[index], 0).to_be_bytes());
                at += 4;
            }
        }
    }

    /// Every slot has its offset, used or not: Clipper and Harbour move offsets, not items.
    fn encode_ntx(&self, shape: &Shape, page: &mut [u8]) {
        let (len, item_len) = (shape.key_len(), shape.key_len() + 8);
        let first = 2 * (shape.max_items + 2);
        put(page, 0, &(self.count() as u16).to_le_bytes());
        for index in 0..=shape.max_items {
            let at = first + index * item_len;
            put(page, 2 + 2 * index, &(at as u16).to_le_bytes());
            let child = self.children.get(index).copied().unwrap_or(0);
            put(page, at, &shape.pointer(child, 0).to_le_bytes());
            if let Some(record) = self.records.get(index) {
                put(page, at + 4, &record.to_le_bytes());
                put(page, at + 8, &self.keys[index * len..(index + 1) * len]);
            }
        }
    }
}
