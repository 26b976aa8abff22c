//! A tag that a table can use: its expressions understood, its keys compared with the records.
//!
//! Two things prevent the use of a tag. Its *definition*: an expression that is not understood, keys of another
//! collation, a tag that lists only some records. And its *state*: an index that another program did not maintain (a
//! table written while only some of its NTX files were open) gives wrong answers unnoticed. So keys are compared with
//! records, once for every state of table and index: all of them in a table of up to [`COMPARED_WHOLE`] records, and in
//! any table that changed while its index did not. A larger table that is opened is trusted by a sample, because
//! comparing all would cost more than the index saves: the last records, which reveal an append without the index, the
//! first, and some in between. Where the files give cause for doubt, all are compared after a sample that agrees: a
//! file that is not named for the table may be the index of another one with nearly the same records, and one that is
//! older than the table may not have been open when that was changed (`indexes.rs`). `mainstay check` always compares
//! all. Blank records that a program is filling in need no keys yet: `unlisted.rs`.

use super::Files;
use super::compared::{Compared, Source, compare};
use super::listing::Listing;
use super::state::State;
use super::unlisted::{Blank, MOST};
use crate::dbf::Dbf;
use crate::expr::{Context, Expression, Scratch};
use crate::index::{Bag, BagKind, Tag, TagHeader};
use crate::keys::{TagKeys, advantage_condition};
use mainstay_columnar::{Snapshot, Sought};
use mainstay_types::Result;
use std::ops::{Bound, ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};

/// Up to this many records, all are compared with their keys before a tag is trusted.
pub(crate) const COMPARED_WHOLE: usize = 8_192;

/// Of a larger table, so many records at each of so many places all over it, and so many at its end. Neighbours come with
/// one read.
const PLACES: usize = 8;
const NEIGHBOURS: u32 = 2;
const LAST_SAMPLES: u32 = 8;

/// Differences between the keys of a tag and the records of its table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Disagreement {
    pub(crate) message: String,
    /// Most keys agree: the index is this table's, and was not maintained.
    pub(crate) mostly_agrees: bool,
}

/// A tag whose definition is understood.
#[derive(Debug)]
pub(crate) struct TableTag {
    pub(crate) tag: Tag,
    keys: TagKeys,
    /// The same with the letters that are not expected of the tag, if they make a difference.
    other_keys: Option<Box<TagKeys>>,
    /// Its keys turned out to be those.
    is_by_others: AtomicBool,
    /// The records that it lists, if it has a condition.
    listing: Option<Listing>,
}

impl TableTag {
    /// Understands the definition of a tag, or says what is not understood.
    pub(crate) fn new(bag: &Bag, number: usize, dbf: &Dbf) -> Result<TableTag> {
        let header = &bag.tags()[number];
        let keys = TagKeys::new(header, dbf)?;
        let tag = bag.tag(number, keys.key_type)?;
        let keys = keys.recognised(&tag, dbf);
        let tag = bag.tag(number, keys.key_type)?;
        let other_keys = keys.with_other_letters(header, dbf).map(Box::new);
        let listing = header.for_bytes.as_deref().map(|condition| {
            let is_adi = header.kind == BagKind::Adi;
            let (text, fields) =
                if is_adi { advantage_condition(condition, dbf) } else { (condition.to_vec(), Vec::new()) };
            let context = Context::new(if is_adi { &fields } else { dbf.fields() });
            let condition = Expression::parse(text).map(|condition| condition.condition());
            condition.map_or(Listing::Unknown, |condition| Listing::of(&condition, &context))
        });
        Ok(TableTag { tag, keys, other_keys, is_by_others: AtomicBool::new(false), listing })
    }

    /// The key expressions, with the letters that its keys were found to be made with.
    pub(crate) fn keys(&self) -> &TagKeys {
        match &self.other_keys {
            Some(keys) if self.is_by_others.load(Ordering::Relaxed) => keys,
            _ => &self.keys,
        }
    }

    /// Takes the tag for one with other letters, if there are such.
    fn turn(&self) -> bool {
        self.other_keys.is_some() && {
            self.is_by_others.fetch_xor(true, Ordering::Relaxed);
            true
        }
    }

    pub(crate) fn header(&self) -> &TagHeader {
        self.tag.header()
    }

    /// Why the tag cannot narrow down the rows of a statement, whatever its keys are.
    pub(crate) fn unusable(&self) -> Option<String> {
        let header = self.header();
        if let Some(collation) = &header.collation {
            return Some(format!("its keys are in the collation {collation}"));
        }
        if let Some(order) = self.tag.key_type().order().description() {
            return Some(format!("its keys are in {order}"));
        }
        let unclear = self.listing.as_ref().is_some_and(|listing| !listing.is_understood());
        let reasons = [
            (header.unique, "it lists only the first record of each key"),
            (header.custom, "its keys are chosen by a program"),
            (self.keys().has_parts() && self.keys().own_parts().is_none(), "its keys have several parts"),
            (header.partial, "it lists only some records"),
            (header.ignore_case, "its keys are stored in upper case"),
            (unclear, "it lists only the records of its FOR condition"),
        ];
        reasons.iter().find(|(applies, _)| *applies).map(|(_, reason)| (*reason).to_owned())
    }

    /// Returns true if it lists fewer records than those that are not deleted.
    pub(crate) fn is_conditional(&self) -> bool {
        self.listing.is_some() && !self.keys().condition_is_not_deleted
    }

    /// Returns true if it lists every record of which all that is known holds; with `visible_only` deleted ones are not
    /// asked for.
    pub(crate) fn lists_all_of(&self, files: &Files, known: &[&Sought], visible_only: bool) -> bool {
        // Advantage's tags list no deleted records.
        let may_list_all = visible_only || self.header().kind != BagKind::Adi;
        let Some(listing) = self.listing.as_ref().filter(|_| may_list_all) else { return may_list_all };
        let fields = files.dbf.fields();
        // The hidden columns follow the fields: the number of a record, and whether it is deleted.
        let deleted = fields.len() + 1;
        visible_only && self.keys().condition_is_not_deleted || listing.has_all(known, fields, deleted, visible_only)
    }

    /// Compares keys with records: all, or a sample. Gives the row slots of blank records that are to be listed later.
    pub(crate) fn verify(&self, state: &State, thorough: bool) -> Result<Vec<u32>, Disagreement> {
        let compared = self.verify_as_it_is(state, thorough);
        if compared.is_ok() || !self.turn() {
            return compared;
        }
        self.verify_as_it_is(state, thorough).or_else(|_| {
            self.turn();
            compared
        })
    }

    fn verify_as_it_is(&self, state: &State, thorough: bool) -> Result<Vec<u32>, Disagreement> {
        let slots = u32::try_from(state.slots()).unwrap_or(u32::MAX);
        let header = self.header();
        // Where a program has chosen the records, none can be said to be missing: its keys themselves are looked at.
        let compared = match thorough || header.custom || header.partial {
            true => self.verify_all(state, slots),
            false => self.verify_samples(state, slots),
        };
        // An index that cannot be walked is damaged: whose it is, is then not the question.
        compared.unwrap_or_else(|error| Err(Disagreement { message: error.to_string(), mostly_agrees: true }))
    }

    fn verify_samples(&self, state: &State, slots: u32) -> Result<Result<Vec<u32>, Disagreement>> {
        let (blank, mut unlisted) = (Blank::of(state), self.unlisted(state)?);
        let (mut piece, mut scratch): (Vec<u8>, _) = (Vec::new(), Scratch::new());
        let length = state.files.dbf.header().record_bytes().max(1);
        let step = (slots as usize / PLACES).max(1);
        let places = (0..slots).step_by(step).map(|row| row..slots.min(row + NEIGHBOURS));
        let last = slots.saturating_sub(LAST_SAMPLES)..slots;
        let (mut agreeing, mut first_other, mut samples) = (0, None, 0);
        for rows in places.chain([last]) {
            piece.resize(rows.len() * length, 0);
            state.read_counted(rows.start as usize, &mut piece)?;
            for (row, record) in rows.zip(piece.chunks_exact(length)) {
                samples += 1;
                match self.has(&mut scratch, record, row + 1)? {
                    true => agreeing += 1,
                    false if unlisted.contains(&row) => agreeing += 1,
                    false if blank.is(record) => unlisted.push(row),
                    false => first_other = first_other.or(Some(row + 1)),
                }
            }
        }
        Ok(verdict(first_other, agreeing * 2 >= samples).map(|()| unlisted))
    }

    fn verify_all(&self, state: &State, slots: u32) -> Result<Result<Vec<u32>, Disagreement>> {
        let record_bytes = state.files.dbf.header().record_bytes();
        let read = |rows: Range<u32>, buffer: &mut Vec<u8>| {
            buffer.resize(rows.len() * record_bytes, 0);
            state.read_counted(rows.start as usize, buffer)
        };
        let compared = compare(&self.tag, self.keys(), &mut Source { rows: slots, record_bytes, read }, false)?;
        let (mut record, mut scratch) = (Vec::new(), Scratch::new());
        let mut first_other = compared.first_surplus;
        let agreeing = compared.found.iter().filter(|found| **found).count() as u64;
        if self.lacks_rightly() {
            return Ok(verdict(first_other, agreeing >= compared.surplus).map(|()| Vec::new()));
        }
        let (blank, mut unlisted, mut missing) = (Blank::of(state), Vec::new(), 0);
        for (row, _) in (0..slots).zip(&compared.found).filter(|(_, found)| !**found) {
            state.record(row, &mut record)?;
            if blank.is(&record) && unlisted.len() < MOST {
                unlisted.push(row);
            } else if self.keys().lists(&mut scratch, &record, row + 1)? {
                first_other = Some(first_other.map_or(row + 1, |first| first.min(row + 1)));
                missing += 1;
                if missing > agreeing + MOST as u64 {
                    break;
                }
            }
        }
        let agreeing = agreeing + unlisted.len() as u64;
        Ok(verdict(first_other, agreeing >= missing.max(compared.surplus)).map(|()| unlisted))
    }

    /// Returns true if the tag lacks records that its condition lists, and may: those whose key another record has,
    /// those that a program has not chosen.
    fn lacks_rightly(&self) -> bool {
        let header = self.header();
        header.unique || header.custom || header.partial
    }

    /// Compares all keys with the records, by the letters with which more of them agree; `with_condition` evaluates the FOR
    /// condition for each record.
    pub(crate) fn compare_all_by_best<F: FnMut(Range<u32>, &mut Vec<u8>) -> Result<()>>(
        &self,
        source: &mut Source<F>,
        with_condition: bool,
    ) -> Result<Compared> {
        let compared = compare(&self.tag, self.keys(), source, with_condition)?;
        if compared.surplus == 0 || !self.turn() {
            return Ok(compared);
        }
        let by_others = compare(&self.tag, self.keys(), source, with_condition)?;
        if by_others.surplus < compared.surplus {
            return Ok(by_others);
        }
        self.turn();
        Ok(compared)
    }

    /// Returns true if the record is listed under its key; true for a record that is not to be listed, and where the
    /// tag is UNIQUE and another record has the key.
    pub(crate) fn has(&self, scratch: &mut Scratch, record: &[u8], recno: u32) -> Result<bool> {
        if !self.keys().lists(scratch, record, recno)? {
            return Ok(true);
        }
        let key = self.keys().key_of(scratch, record, recno)?;
        let (mut found, any) = (false, self.header().unique);
        // Most keys have one page to themselves; what it hands out is in the tag, even if it is not everything.
        if self.tag.equal(&key, |listed| found |= any || listed == recno)? || found {
            return Ok(found);
        }
        self.tag.range(Bound::Included(&key), Bound::Included(&key), |listed, _| {
            found = any || listed == recno;
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(found)
    }
}

fn verdict(first_other: Option<u32>, mostly_agrees: bool) -> Result<(), Disagreement> {
    match first_other {
        None => Ok(()),
        Some(recno) => {
            let message = format!("its keys disagree with the table at record {recno}; reindex the table");
            Err(Disagreement { message, mostly_agrees })
        }
    }
}

impl Files {
    /// The bytes that a text has in the table's code page, if it has all of its characters.
    pub(crate) fn encode(&self, text: &str) -> Option<Vec<u8>> {
        if text.is_ascii() { Some(text.as_bytes().to_vec()) } else { self.dbf.code_page().encode(text) }
    }
}
