//! Indexes: CDX, ADI, IDX and NTX files, used in place.
//!
//! An index file (a *bag*) holds one or more *tags*: trees of keys in byte order, each with the number of a
//! record. [`Bag::open`] detects the kind of file and lists its tags; [`Bag::tag`] opens one for reading, given the
//! type of its key expression.
//!
//! ```text
//!   Bag       kind, tags, stamp                    bag, header
//!    |
//!   Tag       find, range, count_range    ----+--- tag         the order of bytes
//!   Cursor    first, next, seek, skip     ----+--- cursor      the order that programs see (Place: without the tag)
//!    |
//!   Tree      positions and steps                  tree
//!   Node      the items of one page                node, leaf; dialect: CDX or ADI
//!   Pages     bytes, read once and kept            pages
//! ```
//!
//! [`KeyType`] turns values into the bytes of keys and back. [`Bag::check`] reads everything and reports errors; the
//! readers never trust a page either, and end in an error (`IndexDamaged`) instead of a wrong answer or an endless
//! walk.
//!
//! [`mod@write`] creates and maintains these files. Text keys are in the order of bytes or in that of one of Harbour's
//! national code pages ([`crate::collation`]). Limits: MDX and NDX are refused. Of Advantage's files
//! (ADI), tags of full text and files of a collation that is not known are named and not used. Keys in a collation of FoxPro's
//! ([`TagHeader::collation`]), or in an order that is not known, can be walked and not searched.

mod advantage_key;
mod bag;
mod check;
mod cursor;
mod dialect;
mod header;
mod key;
#[cfg(test)]
mod key_tests;
mod leaf;
mod node;
mod pages;
mod sample;
mod tag;
mod tree;
pub mod write;

pub use advantage_key::KeyForm;
pub use bag::Bag;
pub use cursor::{Cursor, Place, Seek};
pub use header::{BagKind, TagHeader};
pub use key::{EncodedKey, KeyFamily, KeyType, KeyValue, ordered_double};
pub use sample::Sampled;
pub use tag::Tag;
