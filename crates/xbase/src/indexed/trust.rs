//! Whether a tag's keys are what its expression gives here.
//!
//! An index does not say in which order its program sorts text, nor which letters are capitals there: Harbour with a
//! national code page writes keys that look like any others. And a program that has not kept an index up leaves no trace
//! either. Changing such a tag by what is understood here would damage it more with every record. Two things are looked
//! at, at little cost:
//!
//! **A key that is not there.** If a record loses a key which the tag does not have, all of the tag is searched for the
//! record. Listed under another key, the expression is another one than is understood: the change is refused. Not listed
//! at all, it was left out by somebody: it gets its new key, and its keys of all other tags, and that is mended. (Harbour
//! reports damage in an NTX.)
//!
//! **A key with letters beyond ASCII**, the first one of each tag: some pages are read, which have to be in the order of
//! bytes, and the keys of this kind in them compared with their records.
//!
//! Tags that list some records only, because of UNIQUE or by their making, lack keys rightly.

use super::bag::Live;
use crate::dbf::Dbf;
use crate::expr::Scratch;
use crate::index::{BagKind, KeyFamily, TagHeader};
use mainstay_base::{Code, Error, Result};
use std::ops::ControlFlow;

/// Pages that are looked at before the first key beyond ASCII is changed.
const PAGES: usize = 256;

/// Keys that are compared with their records then.
const KEYS: usize = 32;

/// Whether the tag has the key of every record that its expressions list.
fn has_all(header: &TagHeader) -> bool {
    // A plain IDX cannot say that it was made over some of the records.
    !(header.unique || header.partial || header.custom || header.kind == BagKind::PlainIdx)
}

impl Live {
    /// A key that was to be taken out is not there. Fails if the record is listed under another one; else gives whether
    /// the record was left out, by mistake.
    pub(super) fn missed(&mut self, tag: usize, record: u32) -> Result<bool> {
        let Some(header) = self.writer.tags().nth(tag).filter(|header| has_all(header)) else { return Ok(false) };
        let name = header.name.clone();
        let mut is_listed = false;
        self.writer.visit_pages(tag, usize::MAX, &mut |_, listed| {
            is_listed = listed == record;
            if is_listed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if is_listed {
            Err(self.distrusted(&name, &format!("lists record {record} under another key")))
        } else {
            Ok(true)
        }
    }

    /// Whether a tag should list every record of its condition, and refuses none.
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
        let (mut scratch, mut bytes, mut other) = (Scratch::new(), Vec::new(), 0);
        for (key, record) in &found {
            // One that was just appended may not be in the file yet; it was made here.
            if dbf.read_record(u64::from(*record).saturating_sub(1), &mut bytes).is_ok() {
                other += usize::from(keys.key_of(&mut scratch, &bytes, *record).is_ok_and(|own| own != *key));
            }
        }
        // Another program may be between a record and its key.
        if other > 2 && other * 2 > found.len() {
            let name = self.writer.tags().nth(tag).map(|header| header.name.clone()).unwrap_or_default();
            return Err(self.distrusted(&name, "has other keys than its expression gives here"));
        }
        self.looked_at.insert(tag);
        Ok(())
    }

    #[cold]
    fn distrusted(&self, name: &str, what: &str) -> Error {
        let message = format!("the tag {name} {what}, so no record is changed");
        let error = Error::new(Code::IndexDamaged, message).at(self.writer.path().display());
        error.hint("reindex the table, or drop the tag if a program with an order or capitals of its own keeps it")
    }
}
