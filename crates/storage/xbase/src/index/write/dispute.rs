//! Keys whose place depends on the unknown collation of the tag.
//!
//! The keys of a tag may be in the order of several collations ([`National`](crate::collation::National)). A key goes into a
//! tree only if each of them puts it into the same place, which is decided page by page on the way down.

use super::node::{Shape, Unpacked};
use crate::collation::KeyOrder;
use crate::index::node::Format;
use mainstay_types::{Code, Error, Result};

impl Shape {
    /// Fails where a key does not come between these entries in all collations that the tree may be in.
    pub(crate) fn check_place(&self, node: &Unpacked, index: usize, key: &[u8], record: u32) -> Result<()> {
        let KeyOrder::National(national) = &self.layout.order else { return Ok(()) };
        // Branches of a plain IDX have no records, so equal keys in them say nothing.
        let has_records = node.is_leaf || self.layout.format != Format::Plain;
        let entry = |at: usize| (node.key(self, at), if has_records { node.records[at] } else { record });
        let own = (key, record);
        let before = index.checked_sub(1).map(|at| (entry(at), own));
        let after = (index < node.count()).then(|| (own, entry(index)));
        for (left, right) in before.into_iter().chain(after) {
            // Equal keys are in the order of their records whichever way the tree goes.
            let dispute = match self.layout.falling {
                true => national.dispute((right.0, left.1), (left.0, right.1)),
                false => national.dispute(left, right),
            };
            if let Some(other) = dispute {
                return Err(disputed(national.collation().name(), other.name()));
            }
        }
        Ok(())
    }
}

/// The error for a key whose place depends on which of the fitting collations is the tag's.
#[cold]
pub(crate) fn disputed(one: &str, other: &str) -> Error {
    let message = format!(
        "the keys of the tag are in an unknown national order: those of {one} and of {other} both fit, and put this key \
         into different places"
    );
    let hint = "change the table with the program that keeps the index, or drop the tag";
    Error::new(Code::Unsupported, message).hint(hint)
}
