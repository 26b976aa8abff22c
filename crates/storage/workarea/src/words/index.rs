//! The words of one field, each with the records that have it, and the records that a condition can be true for.

use super::file::Definition;
use crate::bits::Bits;
use mainstay_full_text::{Node, Pattern, Splitter, Term};
use mainstay_vfs::Stamp;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// The state of a file, by which a change is noticed: see [`Stamp`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(super) length: u64,
    pub(super) modified: i64,
    pub(super) changed: i64,
    pub(super) identity: u64,
}

impl State {
    pub(super) fn of(stamp: &Stamp) -> State {
        let nanoseconds = |time: SystemTime| match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanoseconds| -nanoseconds),
        };
        State {
            length: stamp.len,
            modified: nanoseconds(stamp.modified),
            changed: nanoseconds(stamp.changed),
            identity: stamp.identity,
        }
    }
}

/// The states of a table and its memo file, and whether later writes are certain to give others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Basis {
    pub(super) table: State,
    pub(super) memo: State,
    pub(super) is_settled: bool,
}

/// The words of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    /// The state of the files that it was made from.
    pub(super) basis: Basis,
    /// The number of records then.
    pub(super) records: u32,
    /// The records of each word, in order: each as the distance from the one before, seven bits a byte.
    pub(super) words: BTreeMap<String, Vec<u8>>,
}

/// Collects the words of records, which come in order.
#[derive(Default)]
pub(crate) struct Builder {
    words: BTreeMap<String, (u32, Vec<u8>)>,
}

impl Builder {
    pub(super) fn add(&mut self, record: u32, text: &str, splitter: &Splitter) {
        for word in splitter.words(text) {
            let word = splitter.indexed(&word);
            if !self.words.contains_key(word) {
                self.words.insert(word.to_owned(), (0, Vec::new()));
            }
            if let Some((last, distances)) = self.words.get_mut(word)
                && *last < record
            {
                let mut distance = record - *last;
                while distance >= 0x80 {
                    distances.push(distance as u8 | 0x80);
                    distance >>= 7;
                }
                distances.push(distance as u8);
                *last = record;
            }
        }
    }

    pub(super) fn finish(self, basis: Basis, records: u32) -> Contents {
        let words = self.words.into_iter().map(|(word, (_, distances))| (word, distances)).collect();
        Contents { basis, records, words }
    }
}

/// Marks the records of one word.
fn mark(distances: &[u8], bits: &mut Bits) {
    let (mut record, mut distance, mut shift) = (0_usize, 0_usize, 0);
    for byte in distances {
        distance |= usize::from(byte & 0x7F) << shift;
        shift = (shift + 7).min(28);
        if byte & 0x80 == 0 {
            record = record.saturating_add(distance);
            bits.set(record.wrapping_sub(1), true);
            (distance, shift) = (0, 0);
        }
    }
}

impl Contents {
    /// The records that may have a word like this, and whether they are certain to have it.
    fn look_up(&self, pattern: &Pattern, splitter: &Splitter, count: usize) -> (Bits, bool) {
        let mut bits = Bits::filled(count, false);
        let longest = splitter.options().longest.max(1) as usize;
        if pattern.any_before {
            // A word that was cut may go on with what is looked for.
            let (mut is_exact, is_whole) = (true, |word: &str| word.chars().count() < longest);
            for (word, distances) in &self.words {
                let is_cut = !is_whole(word);
                if is_cut || pattern.matches(word) {
                    is_exact &= !is_cut;
                    mark(distances, &mut bits);
                }
            }
            return (bits, is_exact);
        }
        let beginning = splitter.indexed(&pattern.text);
        let is_exact = pattern.text.chars().count() < longest;
        if pattern.any_after && beginning.len() == pattern.text.len() {
            let from = self.words.range::<str, _>((std::ops::Bound::Included(beginning), std::ops::Bound::Unbounded));
            for (_, distances) in from.take_while(|(word, _)| word.starts_with(beginning)) {
                mark(distances, &mut bits);
            }
            return (bits, true);
        }
        if let Some(distances) = self.words.get(beginning) {
            mark(distances, &mut bits);
        }
        (bits, is_exact)
    }
}

/// An index that a search may ask: its contents and how its field is split.
pub(crate) struct Asked<'c> {
    pub(super) contents: &'c Contents,
    pub(super) splitter: &'c Splitter,
}

/// The records that a condition may be true for.
pub(crate) struct Candidates {
    pub(crate) bits: Bits,
    /// True if it is true for all of them.
    pub(crate) is_exact: bool,
}

/// The records that a condition can be true for, of `count`; `None` if the indexes do not tell. `fields` are those of the
/// terms' forms.
pub(crate) fn candidates(node: &Node, fields: &[Asked<'_>], count: usize) -> Option<Candidates> {
    match node {
        Node::Term(term) => Some(of_term(term, fields, count)),
        Node::And(parts) => {
            let mut found = Candidates { bits: Bits::filled(count, true), is_exact: true };
            let mut is_any = false;
            for part in parts {
                match candidates(part, fields, count) {
                    Some(part) => {
                        found.bits.intersect(&part.bits);
                        found.is_exact &= part.is_exact;
                        is_any = true;
                    }
                    None => found.is_exact = false,
                }
            }
            is_any.then_some(found)
        }
        Node::Or(parts) => {
            let mut found = Candidates { bits: Bits::filled(count, false), is_exact: true };
            for part in parts {
                let part = candidates(part, fields, count)?;
                found.bits.unite(&part.bits);
                found.is_exact &= part.is_exact;
            }
            Some(found)
        }
        Node::Not(part) => candidates(part, fields, count).filter(|part| part.is_exact).map(Candidates::others),
        Node::Near(left, right, _) => {
            let (left, right) = (candidates(left, fields, count)?, candidates(right, fields, count)?);
            let mut bits = left.bits;
            bits.intersect(&right.bits);
            Some(Candidates { bits, is_exact: false })
        }
    }
}

impl Candidates {
    /// The records that are not candidates.
    pub(crate) fn others(self) -> Candidates {
        let mut bits = Bits::filled(self.bits.len(), true);
        for at in self.bits.ones_from(0) {
            bits.set(at, false);
        }
        Candidates { bits, is_exact: self.is_exact }
    }
}

fn of_term(term: &Term, fields: &[Asked<'_>], count: usize) -> Candidates {
    let mut found = Candidates { bits: Bits::filled(count, false), is_exact: true };
    for (field, form) in fields.iter().zip(&term.forms) {
        let Some(form) = form else { continue };
        let mut bits = Bits::filled(count, true);
        for pattern in form {
            let (records, is_exact) = field.contents.look_up(pattern, field.splitter, count);
            bits.intersect(&records);
            // The words of a phrase may stand apart.
            found.is_exact &= is_exact && form.len() == 1;
        }
        found.bits.unite(&bits);
    }
    found
}

impl Definition {
    /// The splitter for the texts of its field.
    pub(super) fn splitter(&self) -> Splitter {
        Splitter::new(&self.options)
    }
}
