//! Which letters the program knows that keeps a tag.
//!
//! UPPER() of FoxPro makes `É` of `é`, by the table's code page; that of Clipper and Harbour knows the 26 letters, unless the
//! program has chosen a national code page. An index does not name its program, and one with keys of both kinds finds
//! nothing reliably. So the dialect says only what is expected of a tag, and its keys decide:
//!
//! ```text
//!   keys beyond ASCII, of which the two kinds differ for their records
//!     more of them are the expected ones, or there are none      the dialect's letters
//!     more of them are the others                                the other letters
//!     they are neither                                           another order or expression: indexed/trust.rs
//! ```

use super::{Rules, TagKeys, dialect_of};
use crate::dbf::Dbf;
use crate::expr::{CaseTable, Dialect, Scratch};
use crate::index::{KeyFamily, Tag, TagHeader};
use mainstay_types::Result;
use std::ops::{Bound, ControlFlow};

/// So many keys decide.
const VOTES: i32 = 32;

/// So many keys beyond ASCII are compared with their records, and so many keys of any kind are looked at.
const COMPARED: usize = 256;
const LOOKED_AT: usize = 16_384;

/// So many keys are read at each of two places of a tag that is not written to.
const READ: usize = 2_048;

/// The letters of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letters {
    /// A to Z: Clipper, Harbour.
    Ascii,
    /// All of the table's code page: FoxPro.
    CodePage,
}

impl Letters {
    /// What programs of this dialect know, unless they are told otherwise.
    pub(super) fn of(dialect: Dialect) -> Letters {
        match dialect {
            Dialect::Clipper => Letters::Ascii,
            Dialect::FoxPro => Letters::CodePage,
        }
    }

    /// What conditions over the records of a table know, whatever its indexes are.
    pub fn of_table(dbf: &Dbf) -> Letters {
        Letters::of(dialect_of(dbf))
    }

    /// The letters, for a table.
    pub fn table(self, dbf: &Dbf) -> CaseTable {
        match self {
            Letters::Ascii => CaseTable::ascii(),
            Letters::CodePage => dbf.code_page().case_table().clone(),
        }
    }

    fn other(self) -> Letters {
        match self {
            Letters::Ascii => Letters::CodePage,
            Letters::CodePage => Letters::Ascii,
        }
    }
}

/// Shows keys of a tag with their records, until the visitor has enough.
pub type Visit<'v> = &'v mut dyn FnMut(&mut dyn FnMut(&[u8], u32) -> ControlFlow<()>) -> Result<()>;

impl TagKeys {
    /// Whether keys or condition depend on which letters are known.
    pub fn depends_on_letters(&self) -> bool {
        let depends = |compiled: &crate::expr::Compiled| compiled.depends_on_letters();
        depends(&self.key) || self.condition.as_ref().is_some_and(depends)
    }

    /// The same tag with these letters.
    pub fn with_letters(&self, letters: Letters, header: &TagHeader, dbf: &Dbf) -> Result<TagKeys> {
        TagKeys::by(Rules { letters, ..Rules::of(header.kind, header.by_harbour, dbf) }, header, dbf)
    }

    /// The same tag with the letters that are not expected of it, if that can make a difference.
    pub fn with_other_letters(&self, header: &TagHeader, dbf: &Dbf) -> Option<TagKeys> {
        // The code page's letters are worked out when they are first asked for.
        if !self.depends_on_letters() || *dbf.code_page().case_table() == CaseTable::ascii() {
            return None;
        }
        self.with_letters(self.letters.other(), header, dbf).ok()
    }

    /// The tag with the letters that its keys were made with. One that cannot be read has those that are expected of it:
    /// who uses it finds the damage.
    pub fn settled(self, header: &TagHeader, dbf: &Dbf, visit: Visit<'_>) -> TagKeys {
        if self.key_type.family() != KeyFamily::Character {
            return self;
        }
        let Some(other) = self.with_other_letters(header, dbf) else { return self };
        let (mut scratch, mut bytes, mut votes, mut compared, mut seen) = (Scratch::new(), Vec::new(), 0i32, 0, 0);
        let visited = visit(&mut |key, record| {
            seen += 1;
            if !key.is_ascii() && dbf.read_record(u64::from(record).saturating_sub(1), &mut bytes).is_ok() {
                compared += 1;
                let mut is_of = |keys: &TagKeys| keys.key_of(&mut scratch, &bytes, record).is_ok_and(|own| own == key);
                votes += i32::from(is_of(&other)) - i32::from(is_of(&self));
            }
            match votes.abs() >= VOTES || compared >= COMPARED || seen >= LOOKED_AT {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        if visited.is_ok() && votes > 0 { other } else { self }
    }

    /// The same of a tag that is only read: the keys that begin with a letter beyond ASCII are looked at, and some of the
    /// others.
    pub fn settled_by(self, tag: &Tag, dbf: &Dbf) -> TagKeys {
        self.settled(tag.header(), dbf, &mut |see| {
            for lower in [Bound::Included([0x80].as_slice()), Bound::Unbounded] {
                let (mut left, mut ended) = (READ, false);
                tag.range(lower, Bound::Unbounded, |record, key| {
                    left -= 1;
                    let seen = see(key, record);
                    ended = seen.is_break();
                    if left == 0 { ControlFlow::Break(()) } else { seen }
                })?;
                if ended {
                    break;
                }
            }
            Ok(())
        })
    }
}
