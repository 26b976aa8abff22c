//! Trust in tags: their keys are compared with the values of their expressions.
//!
//! An index stores neither its program's text order nor the set of its letters: Harbour with a national code page
//! writes keys that look like any others. (Where the letters are those of the table's code page, or those of ASCII, the
//! keys show it, and the tag is maintained accordingly: `keys/letters.rs`.) A program that did not maintain an index
//! leaves no trace either. Changing such a tag by the wrong rules would damage it more with every record. Two checks
//! are made, at little cost:
//!
//! **A missing key.** If a record loses a key which the tag does not have, the whole tag is searched for the record.
//! There are three results:
//!
//! ```text
//!   not listed                            somebody has left it out                                   mended
//!   under another key, and keys of        a program was killed between the record and its keys:      mended
//!   other records are as they should be   the tag has the key of the values before
//!   under another key, as others are;     the tag's order or expression is another one than is       refused
//!   or under the very key                 understood here
//! ```
//! A repaired record gets its new key and loses keys of earlier values, in all other tags too. (Harbour reports damage
//! in an NTX.)
//!
//! **A key with letters beyond ASCII**, the first one of each tag: some pages are read, which have to be in the order
//! of bytes, and their keys of this kind are compared with their records.
//!
//! Tags that by design list only some records lack keys correctly. A UNIQUE tag does where another record has the key,
//! which is not examined further: updates of records that it does not list are common. Where no record has the key, or
//! another tag shows that the record was left out, it is searched like the others. The changes of a killed Mainstay
//! process are undone before: `safeguard.rs`.

use super::bag::Live;
use crate::dbf::Dbf;
use crate::expr::Scratch;
use crate::index::{BagKind, KeyFamily, TagHeader};
use mainstay_types::{Code, Error, Result};
use std::ops::ControlFlow;

/// Pages that are looked at before the first key beyond ASCII is changed.
const PAGES: usize = 256;

/// Keys that are compared with their records then.
const KEYS: usize = 32;

/// The finding for a record whose key is missing.
#[derive(Debug)]
pub(super) enum Missing {
    /// The tag may lack it.
    Rightly,
    /// It should be there; these keys of earlier values are there instead.
    ByMistake(Vec<Vec<u8>>),
}

/// Keys of a tag, each with its record: so many as are compared, from all of the tag.
#[derive(Debug, Default)]
struct Sample {
    keys: Vec<(Vec<u8>, u32)>,
    /// One of so many is taken, as a power of two.
    shift: u32,
    seen: u64,
}

impl Sample {
    fn add(&mut self, key: &[u8], record: u32) {
        if self.seen.trailing_zeros() >= self.shift {
            if self.keys.len() == 2 * KEYS {
                let mut is_kept = false;
                self.keys.retain(|_| {
                    is_kept = !is_kept;
                    is_kept
                });
                self.shift += 1;
            }
            self.keys.push((key.to_vec(), record));
        }
        self.seen += 1;
    }
}

/// Returns true if the tag has the key of every record that its expressions list; one that is unique has each key once.
fn has_all(header: &TagHeader) -> bool {
    // A plain IDX cannot say that it was made over some of the records.
    !(header.partial || header.custom || header.kind == BagKind::PlainIdx)
}

/// Returns true if this number of keys that differ from the expression's is evidence against it. Another program may be
/// between writing a record and its key, or was interrupted there.
fn are_many(other: usize, all: usize) -> bool {
    other > 2 && other * 2 > all
}

impl Live {
    /// A key that was to be taken out is not there. Fails if that is because the tag is another one than is understood.
    pub(super) fn missed(&mut self, tag: usize, key: &[u8], record: u32, dbf: &Dbf) -> Result<Missing> {
        let Some(header) = self.writer.tags().nth(tag).filter(|header| has_all(header)) else {
            return Ok(Missing::Rightly);
        };
        let is_unique = header.unique;
        if is_unique {
            // It takes a key only if no record has it.
            if !self.writer.insert(tag, key, record)? {
                return Ok(Missing::Rightly);
            }
            self.writer.delete(tag, key, record)?;
        }
        match self.wrong_listings(tag, Some(key), record, dbf)? {
            (_, true) => Err(self.out_of_order(tag, record)),
            // The one that had the key first has another now.
            (wrong, false) if is_unique && wrong.is_empty() => Ok(Missing::Rightly),
            (wrong, false) => Ok(Missing::ByMistake(wrong)),
        }
    }

    /// The keys under which a tag lists a record beside `right`, and whether that one is there. Fails if there are such
    /// keys, and those of other records are not those of its expression either.
    pub(super) fn wrong_listings(
        &mut self,
        tag: usize,
        right: Option<&[u8]>,
        record: u32,
        dbf: &Dbf,
    ) -> Result<(Vec<Vec<u8>>, bool)> {
        let (mut wrong, mut has_right, mut sample) = (Vec::new(), false, Sample::default());
        self.writer.visit_pages(tag, usize::MAX, &mut |key, other| {
            match other == record {
                true if Some(key) == right => has_right = true,
                true => wrong.push(key.to_vec()),
                false => sample.add(key, other),
            }
            ControlFlow::Continue(())
        })?;
        let other = if wrong.is_empty() { 0 } else { self.others(tag, &sample.keys, dbf) };
        if are_many(other, sample.keys.len()) || other > 0 && other == sample.keys.len() {
            return Err(self.distrusted(tag, &format!("lists record {record} and others under other keys")));
        }
        Ok((wrong, has_right))
    }

    /// Takes a key out that was found in a tag. One that is not where it should be is there in another order.
    pub(super) fn take_out(&mut self, tag: usize, key: &[u8], record: u32) -> Result<()> {
        match self.writer.delete(tag, key, record)? {
            true => Ok(()),
            false => Err(self.out_of_order(tag, record)),
        }
    }

    fn out_of_order(&self, tag: usize, record: u32) -> Error {
        self.distrusted(tag, &format!("lists record {record} in another order than that of bytes"))
    }

    /// The number of these keys that differ from the values of the tag's expression for their records.
    fn others(&self, tag: usize, found: &[(Vec<u8>, u32)], dbf: &Dbf) -> usize {
        let Some(Ok(keys)) = self.keys.get(tag) else { return found.len() };
        let (mut scratch, mut bytes, mut other) = (Scratch::new(), Vec::new(), 0);
        for (key, record) in found {
            // One that was just appended may not be in the file yet; it was made here.
            if dbf.read_record(u64::from(*record).saturating_sub(1), &mut bytes).is_ok() {
                other += usize::from(keys.key_of(&mut scratch, &bytes, *record).is_ok_and(|own| own != *key));
            }
        }
        other
    }

    /// Returns true if a tag should list every record of its condition, or the first one of each key, and refuses none.
    pub(super) fn lists_all(&self, tag: usize) -> bool {
        self.writer.tags().nth(tag).is_some_and(|header| has_all(header) && !header.candidate)
    }

    /// Looks at a tag before the first key with a byte beyond ASCII is changed in it.
    pub(super) fn look_at_text(&mut self, tag: usize, key: &[u8], dbf: &Dbf) -> Result<()> {
        let Some(Ok(keys)) = self.keys.get(tag) else { return Ok(()) };
        if key.is_ascii() || keys.key_type.family() != KeyFamily::Character || self.looked_at.contains(&tag) {
            return Ok(());
        }
        let mut found: Vec<(Vec<u8>, u32)> = Vec::new();
        self.writer.visit_pages(tag, PAGES, &mut |key, record| {
            if !key.is_ascii() && found.len() < KEYS {
                found.push((key.to_vec(), record));
            }
            ControlFlow::Continue(())
        })?;
        if are_many(self.others(tag, &found, dbf), found.len()) {
            return Err(self.distrusted(tag, "has other keys than its expression gives here"));
        }
        self.looked_at.insert(tag);
        Ok(())
    }

    #[cold]
    fn distrusted(&self, tag: usize, what: &str) -> Error {
        let name = self.writer.tags().nth(tag).map(|header| header.name.as_str()).unwrap_or_default();
        let message = format!("the tag {name} {what}, so no record is changed");
        let error = Error::new(Code::IndexDamaged, message).at(self.writer.path().display());
        error.hint("reindex the table, or drop the tag if a program with an order or capitals of its own keeps it")
    }
}
