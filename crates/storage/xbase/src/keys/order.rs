//! Detection of the order of a tag's text keys, and of its program's letters.
//!
//! An index file names neither. Keys of some pages are sampled ([`Tag::sample`]):
//!
//! ```text
//!   keys in the order of bytes                         that is it, as with nearly all programs
//!   else, those of some collations fit                 one of them, all of them are kept: see National
//!   else, hardly any key is out of the order of some   these; the index is damaged
//!   else, they differ from byte order only in letters  a national order that is not known
//!   else                                               damage: the order of bytes is expected, and check reports it
//! ```
//! Keys out of byte order are evidence of a collation only if they are the keys of their records: a damaged page may
//! contain anything. Where the tag is case-sensitive, the letters have to fit, too; see `letters.rs`.
//!
//! If the table declares its code page, collations of other code pages do not count. Of several collations that fit,
//! searches use one of the table's code page, if there is one. One program maintains all tags of a file: the result for
//! one of them applies to the others whose keys fit it ([`TagKeys::joined`]).

use super::{Conventions, Letters, TagKeys};
use crate::collation::{Collation, Fitting, KeyOrder, National, collations};
use crate::dbf::Dbf;
use crate::expr::Scratch;
use crate::index::{BagKind, KeyFamily, Tag, TagHeader};
use std::cmp::Ordering;
use std::ops::ControlFlow;

/// So many pages are looked at, and so many keys of them kept.
const PAGES: usize = 128;
const MOST_BYTES: usize = 1 << 20;

/// So many keys are compared with their records.
const COMPARED: usize = 256;

/// Keys of a tag, as they follow each other in its pages.
#[derive(Debug, Default)]
pub(super) struct KeySample {
    keys: Vec<u8>,
    records: Vec<Option<u32>>,
    /// True if the key before is directly in front of it.
    follows: Vec<bool>,
    length: usize,
    falling: bool,
}

impl KeySample {
    /// Takes keys of a tag; of a damaged one, those that can be read.
    pub(super) fn of(tag: &Tag) -> KeySample {
        let (length, falling) = (tag.header().key_length, tag.is_falling());
        let mut sample = KeySample { length, falling, ..KeySample::default() };
        // A page that cannot be read is reported where it is needed.
        let _ = tag.sample(PAGES, &mut |sampled| {
            sample.keys.extend_from_slice(sampled.key);
            sample.records.push(sampled.record);
            sample.follows.push(sampled.follows);
            if sample.keys.len() < MOST_BYTES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        sample
    }

    fn key(&self, index: usize) -> &[u8] {
        &self.keys[index * self.length..(index + 1) * self.length]
    }

    /// Two keys that follow each other, the one that should be less first.
    fn pairs(&self) -> impl Iterator<Item = (usize, &[u8], &[u8])> {
        let follows = self.follows.iter().enumerate().skip(1).filter(|(_, follows)| **follows);
        follows.map(|(at, _)| match self.falling {
            false => (at, self.key(at - 1), self.key(at)),
            true => (at, self.key(at), self.key(at - 1)),
        })
    }

    /// The number of keys that are not in the order of a collation.
    fn violations(&self, collation: &Collation) -> usize {
        self.pairs().filter(|(_, left, right)| collation.compare(left, right) == Ordering::Greater).count()
    }

    /// The keys that are not in the order of bytes, by their numbers.
    fn out_of_byte_order(&self) -> Vec<usize> {
        self.pairs().filter(|(_, left, right)| left > right).map(|(at, ..)| at).collect()
    }

    /// The collations of national orders that all keys are in, of those that the table may have.
    pub(super) fn fitting(&self, dbf: &Dbf) -> Fitting {
        let is_candidate = |collation: &Collation| !collation.is_byte_order() && may_be_of(collation, dbf);
        let national = collations().iter().enumerate().filter(|(_, collation)| is_candidate(collation));
        let fits = national.filter(|(_, collation)| self.violations(collation) == 0);
        fits.fold(0, |fitting, (at, _)| fitting | 1 << at)
    }

    /// The collations that hardly any key is out of the order of, and many fewer than out of the order of bytes: an index of
    /// one of them that is damaged.
    fn nearly_fitting(&self, dbf: &Dbf, out_of_byte_order: usize) -> Fitting {
        let is_candidate = |collation: &Collation| !collation.is_byte_order() && may_be_of(collation, dbf);
        let national = collations().iter().enumerate().filter(|(_, collation)| is_candidate(collation));
        let counted: Vec<(usize, usize)> = national.map(|(at, collation)| (at, self.violations(collation))).collect();
        let Some(least) = counted.iter().map(|(_, violations)| *violations).min() else { return 0 };
        if 4 * least > out_of_byte_order || 10 * least > self.follows.len() {
            return 0;
        }
        counted.iter().filter(|(_, violations)| *violations == least).fold(0, |fitting, (at, _)| fitting | 1 << at)
    }

    /// Returns true if keys are out of byte order only where they differ by letters beyond ASCII, or by their case.
    fn looks_national(&self, out_of_order: &[usize]) -> bool {
        let is_national = |at: &&usize| {
            let (left, right) = (self.key(**at - 1), self.key(**at));
            let differing = left.iter().zip(right).find(|(one, other)| one != other);
            differing.is_some_and(|(one, other)| {
                let are_letters = one.is_ascii_alphabetic() && other.is_ascii_alphabetic();
                !one.is_ascii()
                    || !other.is_ascii()
                    || are_letters && one.is_ascii_lowercase() != other.is_ascii_lowercase()
            })
        };
        10 * out_of_order.iter().filter(is_national).count() >= 9 * out_of_order.len()
    }

    /// Keys beyond ASCII with their records.
    pub(super) fn beyond_ascii(&self) -> impl Iterator<Item = (&[u8], u32)> {
        let all = self.records.iter().enumerate().filter_map(|(at, record)| Some((self.key(at), (*record)?)));
        all.filter(|(key, _)| !key.is_ascii())
    }
}

/// Compares keys with the records that they name.
pub(super) struct Records<'d> {
    dbf: &'d Dbf,
    scratch: Scratch,
    bytes: Vec<u8>,
}

impl Records<'_> {
    pub(super) fn of(dbf: &Dbf) -> Records<'_> {
        Records { dbf, scratch: Scratch::new(), bytes: Vec::new() }
    }

    /// Returns true if a key is that of its record.
    pub(super) fn agrees(&mut self, keys: &TagKeys, key: &[u8], record: u32) -> bool {
        let read = self.dbf.read_record(u64::from(record).saturating_sub(1), &mut self.bytes);
        read.is_ok() && keys.key_of(&mut self.scratch, &self.bytes, record).is_ok_and(|own| own == key)
    }

    /// The number of these keys that belong to their records.
    pub(super) fn count<'k>(&mut self, keys: &TagKeys, found: impl Iterator<Item = (&'k [u8], u32)>) -> usize {
        found.filter(|(key, record)| self.agrees(keys, key, *record)).count()
    }
}

impl TagKeys {
    /// The tag as its keys show it to be: their order, and the letters that they were made with.
    pub fn recognised(self, tag: &Tag, dbf: &Dbf) -> TagKeys {
        if self.key_type.family() != KeyFamily::Character || tag.header().collation.is_some() {
            return self;
        }
        let sample = KeySample::of(tag);
        let out_of_order = sample.out_of_byte_order();
        // The header of an ADI names its collation.
        if out_of_order.is_empty() || tag.header().kind == BagKind::Adi {
            return self.settled_by(tag, &sample, dbf);
        }
        let fitting = match sample.fitting(dbf) {
            0 => sample.nearly_fitting(dbf, out_of_order.len()),
            fitting => fitting,
        };
        match fitting {
            0 if sample.looks_national(&out_of_order) && self.are_genuine(&sample, &out_of_order, dbf) => {
                let conventions = Conventions { order: KeyOrder::Unknown, ..self.conventions() };
                self.with_conventions(conventions, tag.header(), dbf).unwrap_or(self)
            }
            0 => self,
            fitting if self.depends_on_letters() => self.in_fitting(tag.header(), dbf, &sample, fitting),
            fitting if self.are_genuine(&sample, &out_of_order, dbf) => {
                self.in_fitting(tag.header(), dbf, &sample, fitting)
            }
            _ => self,
        }
    }

    /// The same tag, if its keys are in the national order of another tag of its file, too.
    pub fn joined(self, tag: &Tag, dbf: &Dbf, peer: &National) -> TagKeys {
        let is_other = self.key_type.order() == KeyOrder::Unknown || tag.header().kind == BagKind::Adi;
        if self.key_type.family() != KeyFamily::Character || is_other {
            return self;
        }
        let sample = KeySample::of(tag);
        match sample.fitting(dbf) & (peer.fitting() | bit_of(peer.collation())) {
            0 => self,
            fitting => self.in_fitting(tag.header(), dbf, &sample, fitting),
        }
    }

    /// The tag in one of these collations.
    pub(super) fn in_fitting(self, header: &TagHeader, dbf: &Dbf, sample: &KeySample, fitting: Fitting) -> TagKeys {
        let known = |at: &usize| fitting >> at & 1 == 1;
        let mut candidates: Vec<(usize, &'static Collation)> =
            (0..collations().len()).filter(known).map(|at| (at, &collations()[at])).collect();
        // Those of the table's own code page first.
        let page = dbf.code_page().number();
        candidates.sort_by_key(|(_, collation)| !collation.is_of_page(page));
        let in_collation = |collation: &'static Collation, fitting| {
            let order = KeyOrder::National(National::chosen_from(collation, fitting));
            let conventions = Conventions { letters: Letters::National(collation), order };
            self.with_conventions(conventions, header, dbf).ok()
        };
        if !self.depends_on_letters() {
            let chosen = candidates.first().and_then(|(_, collation)| in_collation(collation, fitting));
            return chosen.unwrap_or(self);
        }
        let (mut records, mut best, mut best_fitting) = (Records::of(dbf), None, 0);
        let compared = sample.beyond_ascii().take(COMPARED).count();
        for (at, collation) in &candidates {
            let Some(keys) = in_collation(collation, fitting) else { continue };
            let agreeing = records.count(&keys, sample.beyond_ascii().take(COMPARED));
            match best {
                Some((most, _)) if agreeing < most => {}
                Some((most, _)) if agreeing == most => best_fitting |= 1 << at,
                _ => (best, best_fitting) = (Some((agreeing, *collation)), 1 << at),
            }
        }
        // Where hardly any key is that of its record, the order is chance.
        let best = best.filter(|(agreeing, _)| 2 * agreeing >= compared);
        best.and_then(|(_, collation)| in_collation(collation, best_fitting)).unwrap_or(self)
    }

    /// Returns true if keys out of byte order, and those in front of them, are mostly those of their records.
    fn are_genuine(&self, sample: &KeySample, out_of_order: &[usize], dbf: &Dbf) -> bool {
        let mut records = Records::of(dbf);
        let places = out_of_order.iter().take(COMPARED).flat_map(|at| [*at - 1, *at]);
        let entries: Vec<(&[u8], u32)> = places.filter_map(|at| Some((sample.key(at), sample.records[at]?))).collect();
        // With one kind of letters or the other; with none where other tables say nothing.
        let other = if self.depends_on_letters() { None } else { Some(self) };
        let agreeing = match other {
            Some(keys) => records.count(keys, entries.iter().copied()),
            None => entries.len(),
        };
        2 * agreeing >= entries.len()
    }
}

/// Returns true if the programs of a table may have this collation: if the table says in which code page it is, it has
/// to be one of that.
pub(super) fn may_be_of(collation: &Collation, dbf: &Dbf) -> bool {
    dbf.stated_code_page().is_none_or(|page| collation.is_of_page(page.number()))
}

fn bit_of(collation: &'static Collation) -> Fitting {
    collations().iter().position(|known| known == collation).map_or(0, |at| 1 << at)
}
