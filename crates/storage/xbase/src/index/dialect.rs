//! The differences between FoxPro's compact index files (CDX, compact IDX) and Advantage's (ADI).
//!
//! Both are the same tree: a directory of tag names, headers of 1,024 bytes, branches of whole keys, leaves of packed
//! entries. [`CompactDialect`] lists everything in which they differ, so that readers and writers of pages are written
//! once:
//!
//! ```text
//!                        CDX                                  ADI
//!   pointers             bytes (Harbour: pages, if marked)    pages
//!   length of a page     512 (Harbour: header, byte 18)       header, byte 18; 0: 512
//!   tag names            10 bytes                             128 bytes
//!   pad byte of a key    by the type of the key               header, byte 15
//!   entry of a leaf      3, 4 or 5 bytes by the key's length  the fewest with 12 bits for the record
//!   "unique"             lists the first record of a key      refuses a second record
//!   free pages           a list                               no list: found by a walk (`write/reclaim.rs`)
//!   update counter       Harbour's                            none
//! ```
//! The bytes of keys differ too: see [`super::KeyType`] and `docs/formats/adi.md`.

use super::header::{BagKind, NODE_LEN};

/// A dialect of compact index files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CompactDialect {
    /// FoxPro's, which Clipper's and Harbour's drivers share.
    #[default]
    Cdx,
    /// Advantage's.
    Adi,
}

/// The number of bits for the record number in an entry of a new leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RecordBits {
    /// The remainder of a fixed number of bytes: 3 for keys of up to 255 bytes, 4 for up to 4,095, else 5.
    #[default]
    OfFixedEntry,
    /// At least so many, in the fewest bytes.
    AtLeast(u32),
}

impl CompactDialect {
    /// The dialect of a kind of file.
    pub(crate) fn of(kind: BagKind) -> CompactDialect {
        if kind == BagKind::Adi { CompactDialect::Adi } else { CompactDialect::Cdx }
    }

    /// Bytes of a tag's name in the directory.
    pub(crate) const fn name_len(self) -> usize {
        match self {
            CompactDialect::Cdx => 10,
            CompactDialect::Adi => 128,
        }
    }

    /// The record bits of a leaf of a tag, or of the directory.
    pub(crate) fn record_bits(self, is_directory: bool) -> RecordBits {
        match self {
            CompactDialect::Cdx => RecordBits::OfFixedEntry,
            CompactDialect::Adi => RecordBits::AtLeast(if is_directory { 32 } else { 12 }),
        }
    }

    /// The longest key in pages of this length. Advantage's rule: two keys fit a branch.
    pub(crate) fn max_key_len(self, page_len: usize) -> usize {
        match self {
            CompactDialect::Cdx if page_len == NODE_LEN => 240,
            _ => (page_len - 12) / 2 - 8,
        }
    }

    /// True if the file's header names the first of a list of free pages.
    pub(crate) fn lists_free_pages(self) -> bool {
        self == CompactDialect::Cdx
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Advantage's help: 242 bytes with pages of 512, 498 with 1,024, 4,082 with 8,192.
    #[test]
    fn longest_keys_are_those_of_the_vendors_help() {
        let longest = [512, 1024, 8192].map(|page_len| CompactDialect::Adi.max_key_len(page_len));
        assert_eq!(longest, [242, 498, 4082]);
        assert_eq!(CompactDialect::Cdx.max_key_len(512), 240);
    }
}
