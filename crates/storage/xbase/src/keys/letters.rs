//! The set of letters of the program that maintains a tag.
//!
//! UPPER() of FoxPro makes `É` of `é`, by the table's code page; that of Clipper and Harbour knows the 26 letters, unless the
//! program has chosen a national code page, which has letters of its own: Harbour's RU866 leaves `ё` as it is. An index
//! does not name its program, and one with keys of several kinds is unreliable. So the dialect only gives the expected
//! letters of a tag, and its keys decide: the keys beyond ASCII that agree with their records are counted with the
//! letters of ASCII, of the table's code page, and of Harbour's national pages that sort by bytes. The letters with the
//! most keys win; at a tie, the expected ones. If no letters fit, the keys are those of another expression:
//! `indexed/trust.rs`.
//!
//! In a national order the letters are those of its code page: `order.rs`.

use super::order::{KeySample, Records, may_be_of};
use super::{Conventions, Rules, TagKeys, dialect_of};
use crate::collation::{Collation, collations};
use crate::dbf::Dbf;
use crate::expr::{CaseTable, Dialect};
use crate::index::{Tag, TagHeader};
use mainstay_types::Result;
use std::ops::{Bound, ControlFlow};

/// So many keys beyond ASCII are compared with their records.
const COMPARED: usize = 128;

/// So many keys are looked at that begin with a letter beyond ASCII.
const READ: usize = 2_048;

/// The letters of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// A to Z: Clipper, Harbour.
    Ascii,
    /// All of the table's code page: FoxPro.
    CodePage,
    /// Those of a national code page of Harbour.
    National(&'static Collation),
}

impl Letters {
    /// The default of programs of this dialect.
    pub(super) fn of(dialect: Dialect) -> Letters {
        match dialect {
            Dialect::Clipper => Letters::Ascii,
            Dialect::FoxPro => Letters::CodePage,
        }
    }

    /// The letters for conditions over the records of a table, whatever its indexes are.
    pub fn of_table(dbf: &Dbf) -> Letters {
        Letters::of(dialect_of(dbf))
    }

    /// The letters, for a table.
    pub fn table(self, dbf: &Dbf) -> CaseTable {
        match self {
            Letters::Ascii => CaseTable::ascii(),
            Letters::CodePage => dbf.code_page().case_table().clone(),
            Letters::National(collation) => collation.case_table(),
        }
    }

    fn other(self) -> Letters {
        match self {
            Letters::Ascii | Letters::National(_) => Letters::CodePage,
            Letters::CodePage => Letters::Ascii,
        }
    }

    /// Other letters that a tag in byte order may have been made with.
    fn others(self, dbf: &Dbf) -> Vec<Letters> {
        let is_candidate = |known: &&Collation| known.is_byte_order() && may_be_of(known, dbf);
        let mut national: Vec<&Collation> = collations().iter().filter(is_candidate).collect();
        national.sort_by_key(|collation| !collation.is_of_page(dbf.code_page().number()));
        let national = national.into_iter().map(Letters::National);
        [self.other()].into_iter().chain(national).collect()
    }
}

impl TagKeys {
    /// Returns true if keys or condition depend on which letters are known.
    pub fn depends_on_letters(&self) -> bool {
        let depends = |compiled: &crate::expr::Compiled| compiled.depends_on_letters();
        depends(&self.key)
            || self.advantage.as_ref().is_some_and(|parts| parts.depends_on_letters())
            || self.condition.as_ref().is_some_and(depends)
    }

    /// The conventions that its keys were found to follow, or the expected ones.
    pub fn conventions(&self) -> Conventions {
        Conventions { letters: self.letters, order: self.key_type.order() }
    }

    /// The same tag with these conventions.
    pub fn with_conventions(&self, conventions: Conventions, header: &TagHeader, dbf: &Dbf) -> Result<TagKeys> {
        let Conventions { letters, order } = conventions;
        TagKeys::by(Rules { letters, order, ..Rules::of(header.kind, header.by_harbour, dbf) }, header, dbf)
    }

    fn with_letters(&self, letters: Letters, header: &TagHeader, dbf: &Dbf) -> Result<TagKeys> {
        self.with_conventions(Conventions { letters, ..self.conventions() }, header, dbf)
    }

    /// The same tag with the letters that are not expected of it, if that can make a difference.
    pub fn with_other_letters(&self, header: &TagHeader, dbf: &Dbf) -> Option<TagKeys> {
        // The code page's letters are worked out when they are first asked for.
        if !self.depends_on_letters() || *dbf.code_page().case_table() == CaseTable::ascii() {
            return None;
        }
        self.with_letters(self.letters.other(), header, dbf).ok()
    }

    /// The tag, which sorts by bytes, with the letters that its keys were made with. One that cannot be read has those
    /// that are expected of it: the damage is found when it is used.
    pub(super) fn settled_by(self, tag: &Tag, sample: &KeySample, dbf: &Dbf) -> TagKeys {
        if !self.depends_on_letters() {
            return self;
        }
        let mut found: Vec<(Vec<u8>, u32)> = Vec::new();
        let mut left = READ;
        // Those that begin with such a letter, of which the sample may have none.
        let read = tag.range(Bound::Included([0x80].as_slice()), Bound::Unbounded, |record, key| {
            left -= 1;
            found.push((key.to_vec(), record));
            if left == 0 || found.len() >= COMPARED { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if read.is_err() {
            return self;
        }
        let sampled = sample.beyond_ascii().take(COMPARED).map(|(key, record)| (key.to_vec(), record));
        found.extend(sampled);
        let mut records = Records::of(dbf);
        let mut agreeing = |keys: &TagKeys| records.count(keys, found.iter().map(|(key, record)| (&**key, *record)));
        let (mut most, mut best) = (agreeing(&self), None);
        for letters in self.letters.others(dbf) {
            if most == found.len() {
                break;
            }
            let Ok(other) = self.with_letters(letters, tag.header(), dbf) else { continue };
            let count = agreeing(&other);
            if count > most {
                (most, best) = (count, Some(other));
            }
        }
        if most < found.len() {
            // Keys that are in the order of bytes by chance, or because capitals are.
            let national = self.clone().in_fitting(tag.header(), dbf, sample, sample.fitting(dbf));
            if agreeing(&national) > most {
                return national;
            }
        }
        best.unwrap_or(self)
    }
}
