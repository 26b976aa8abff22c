//! Conditions as ranges of the keys of one tag.
//!
//! A range may give more rows than the condition (the scan applies the condition again) but never fewer. A key of several
//! parts (`CUST_NO + DTOS(DATE)`) is narrowed from its first part on: as long as a part is fixed to one text, the next one
//! narrows further.
//!
//! ```text
//!   key          STR(CUST_NO,6)      + DTOS(DATE)               + NAME
//!   condition    cust_no IN (5, 7)     date >= 2026-01-01
//!   ranges       "     5"            + "20260101" .. FF
//!                "     7"            + "20260101" .. FF
//! ```
//! `text_keys.rs` and `digit_keys.rs` give the possible texts of a part; each range of a part is an [`Interval`] of
//! beginnings. A text that is fixed may still end in NULs instead of blanks, in front of the key that is fixed: those
//! keys are a range of their own.
//!
//! The parts of an Advantage key need not be text (`UPPER(NAME);QTY`): each has its own type of keys, and a number is fixed by
//! its whole key.

use super::Files;
use super::number_keys;
use super::tag::TableTag;
use super::{digit_keys, text_keys};
use crate::expr::{KeyPart, Kind};
use crate::index::{EncodedKey, KeyType, KeyValue};
use mainstay_columnar::{Comparison, Sought, Term, Test};
use mainstay_types::Value;
use std::ops::Bound;

/// So many ranges are read of one tag.
const MOST_RANGES: usize = 4_096;

/// A range of the keys of a tag, from and to, in full key length.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeyBounds {
    pub(crate) lower: Bound<Vec<u8>>,
    pub(crate) upper: Bound<Vec<u8>>,
}

/// A range of what one part of a key can be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Interval {
    /// The beginning of the least; `None` without a lower bound.
    pub(crate) lower: Option<Vec<u8>>,
    /// The beginning of the greatest; `None` without an upper bound.
    pub(crate) upper: Option<Vec<u8>>,
    /// The one text that all of them are, but for NULs where it has blanks at its end.
    pub(crate) exact: Option<Vec<u8>>,
    /// The condition, for EXPLAIN.
    pub(crate) text: String,
}

/// A test of a term.
pub(crate) type Leaf<'a> = (&'a Term, &'a Test);

/// A tag's answer to some of the conditions of a conjunction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TagRanges {
    /// The ranges, each with what is asked of its keys.
    pub(crate) ranges: Vec<(KeyBounds, String)>,
    /// The conditions that are answered, by their places.
    pub(crate) answered: Vec<usize>,
}

/// The ranges in which the keys of all records are that satisfy the conditions; `None` when the tag does not tell.
pub(crate) fn ranges(tag: &TableTag, files: &Files, leaves: &[Leaf<'_>]) -> Option<TagRanges> {
    let own_parts = tag.keys().own_parts();
    let parts = own_parts.map_or(tag.keys().key.parts(), |(parts, _)| parts);
    let mut found = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        let key_type = own_parts.and_then(|(_, types)| types.get(place)).copied().unwrap_or(tag.tag.key_type());
        let has_own_keys = own_parts.is_some() || parts.len() == 1;
        let of_part = Part { key_type, files, part, is_last: place + 1 == parts.len(), has_own_keys };
        let Some(intervals) = of_part.intervals(leaves) else { break };
        let may_continue = part.length.is_some() && intervals.0.iter().all(|interval| interval.exact.is_some());
        found.push(intervals);
        if !may_continue {
            break;
        }
    }
    let (last, fixed) = found.split_last()?;
    let mut answered: Vec<usize> = Vec::new();
    let mut builder = Builder { tag, heads: vec![Head::default()], done: Vec::new() };
    for ((intervals, of), part) in fixed.iter().zip(parts) {
        builder.fix(intervals, part.length?)?;
        answered.extend(of);
    }
    builder.end(&last.0)?;
    answered.extend(&last.1);
    answered.sort_unstable();
    answered.dedup();
    Some(TagRanges { ranges: builder.done, answered })
}

/// The key of the records whose whole key is NULL because another field than those of `columns` is: whatever these hold, it
/// is in no range of the tag. `None` without such records.
pub(crate) fn hidden(tag: &TableTag, files: &Files, columns: &[usize]) -> Option<KeyBounds> {
    let is_nullable = |other: &usize| !columns.contains(other) && files.dbf.fields()[*other].null_bit.is_some();
    if !tag.tag.key_type().is_nullable() || !tag.keys().key.fields().iter().any(is_nullable) {
        return None;
    }
    match tag.tag.key_type().encode(&KeyValue::Null)? {
        EncodedKey::Exact(key) => Some(KeyBounds { lower: Bound::Included(key.clone()), upper: Bound::Included(key) }),
        _ => None,
    }
}

/// The fixed bytes of a key's first parts, and the conditions that fix them.
#[derive(Clone, Default)]
struct Head {
    bytes: Vec<u8>,
    asked: Vec<String>,
}

struct Builder<'a> {
    tag: &'a TableTag,
    heads: Vec<Head>,
    done: Vec<(KeyBounds, String)>,
}

impl Builder<'_> {
    /// The next part, of this length, is one of these texts.
    fn fix(&mut self, intervals: &[Interval], length: usize) -> Option<()> {
        self.check(intervals)?;
        let mut heads = Vec::new();
        for head in &self.heads {
            for interval in intervals {
                let exact = interval.exact.as_ref()?;
                let asked = [head.asked.clone(), vec![interval.text.clone()]].concat();
                let blanks = exact.iter().rev().take_while(|byte| **byte == b' ').count();
                if blanks > 0 && interval.lower.as_ref() != Some(exact) {
                    let mut upper = exact.clone();
                    if let Some(last) = upper.last_mut() {
                        *last = b' ' - 1;
                    }
                    let text = format!("{} (with NULs)", asked.join(" and "));
                    self.done.push((self.between(head, interval.lower.as_deref(), Some(&upper)), text));
                }
                let mut bytes = [head.bytes.as_slice(), exact].concat();
                bytes.resize(head.bytes.len() + length, b' ');
                heads.push(Head { bytes, asked });
            }
        }
        self.heads = heads;
        Some(())
    }

    /// The next part is in these intervals, and any part may follow.
    fn end(&mut self, intervals: &[Interval]) -> Option<()> {
        self.check(intervals)?;
        for head in &self.heads {
            for interval in intervals {
                let bounds = self.between(head, interval.lower.as_deref(), interval.upper.as_deref());
                let text = [head.asked.clone(), vec![interval.text.clone()]].concat().join(" and ");
                self.done.push((bounds, text));
            }
        }
        // The ranges of texts that end in NULs come behind those that give rows.
        self.done.sort_by_key(|(_, text)| text.ends_with("(with NULs)"));
        Some(())
    }

    fn check(&self, intervals: &[Interval]) -> Option<()> {
        (self.heads.len().saturating_mul(intervals.len()) <= MOST_RANGES).then_some(())
    }

    fn between(&self, head: &Head, lower: Option<&[u8]>, upper: Option<&[u8]>) -> KeyBounds {
        let key_type = self.tag.tag.key_type();
        let is_text = self.tag.keys().key.result_type().kind == Kind::Character;
        let bound = |end: Option<&[u8]>, fill: u8| match end {
            // Keys of other types are whole already, with the mark that they are not NULL.
            Some(key) if !is_text => Bound::Included(key.to_vec()),
            None if head.bytes.is_empty() => Bound::Unbounded,
            end => {
                let mut key = if key_type.is_nullable() { vec![0x80] } else { Vec::new() };
                key.extend(&head.bytes);
                key.extend(end.unwrap_or_default());
                key.resize(key_type.key_len(), fill);
                Bound::Included(key)
            }
        };
        KeyBounds { lower: bound(lower, 0x00), upper: bound(upper, 0xFF) }
    }
}

/// One part of the keys of a tag.
pub(crate) struct Part<'a> {
    /// The type of its keys.
    pub(crate) key_type: KeyType,
    pub(crate) files: &'a Files,
    pub(crate) part: &'a KeyPart,
    pub(crate) is_last: bool,
    /// Its bytes are whole keys of that type, and not a piece of a text.
    pub(crate) has_own_keys: bool,
}

impl Part<'_> {
    /// Where the part is in the records that satisfy the conditions, and which of these say so.
    fn intervals(&self, leaves: &[Leaf<'_>]) -> Option<(Vec<Interval>, Vec<usize>)> {
        let term = self.part.term.as_ref().filter(|_| !self.part.descending)?;
        if let Term::Digits { number, decimals, zeros, .. } = term {
            let Term::Column(column) = number.as_ref() else { return None };
            return digit_keys::intervals((*column, self.part.length?, *decimals, *zeros), self.files, leaves);
        }
        let mut all: Option<Vec<Interval>> = None;
        let mut answered = Vec::new();
        for (place, leaf) in leaves.iter().enumerate() {
            let Some(intervals) = self.of_leaf(term, *leaf) else { continue };
            answered.push(place);
            all = Some(match all {
                None => intervals,
                Some(known) => both(known, intervals),
            });
        }
        Some((all?, answered))
    }

    fn of_leaf(&self, term: &Term, leaf: Leaf<'_>) -> Option<Vec<Interval>> {
        let (of, test) = leaf;
        match test {
            Test::In(values) => {
                let equal = |value: &Value| self.of_leaf(term, (of, &Test::Compare(Comparison::Equal, value.clone())));
                // NULL is equal to nothing.
                let values = values.iter().filter(|value| **value != Value::Null);
                let each: Option<Vec<Vec<Interval>>> = values.map(equal).collect();
                each.map(|each| each.concat()).filter(|all| !all.is_empty() && all.len() <= MOST_RANGES)
            }
            _ => {
                let text = self.text_of(leaf);
                let mut intervals = match self.part.kind {
                    Kind::Character => text_keys::intervals(self, term, leaf)?,
                    _ if self.has_own_keys => vec![number_keys::interval(self, term, leaf)?],
                    _ => return None,
                };
                for interval in &mut intervals {
                    let remark = std::mem::take(&mut interval.text);
                    interval.text = format!("{text}{remark}");
                }
                Some(intervals)
            }
        }
    }

    fn text_of(&self, (term, test): Leaf<'_>) -> String {
        text_of(self.files, term, test)
    }
}

/// The condition as SQL text.
pub(crate) fn text_of(files: &Files, term: &Term, test: &Test) -> String {
    let mut names: Vec<&str> = files.dbf.fields().iter().map(|field| field.name.as_str()).collect();
    names.extend(super::OWN_COLUMNS);
    Sought::Leaf(term.clone(), test.clone()).display(&names).to_string()
}

/// The intersection of two lists of intervals.
fn both(some: Vec<Interval>, others: Vec<Interval>) -> Vec<Interval> {
    if some.len().saturating_mul(others.len()) > MOST_RANGES {
        return some;
    }
    some.iter().flat_map(|a| others.iter().map(move |b| common(a, b))).collect()
}

fn common(a: &Interval, b: &Interval) -> Interval {
    let lower = match (&a.lower, &b.lower) {
        // Of two beginnings of which one goes on, the longer one leaves fewer.
        (Some(a), Some(b)) => Some(a.max(b).clone()),
        (one, other) => one.as_ref().or(other.as_ref()).cloned(),
    };
    let upper = match (&a.upper, &b.upper) {
        (Some(a), Some(b)) if a.starts_with(b) => Some(a.clone()),
        (Some(a), Some(b)) if b.starts_with(a) => Some(b.clone()),
        (Some(a), Some(b)) => Some(a.min(b).clone()),
        (one, other) => one.as_ref().or(other.as_ref()).cloned(),
    };
    let exact = a.exact.as_ref().or(b.exact.as_ref()).cloned();
    Interval { lower, upper, exact, text: format!("{} and {}", a.text, b.text) }
}
