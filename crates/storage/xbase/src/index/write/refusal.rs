//! Tags that are not written to, and the errors about them.

use super::bag::TagState;
use crate::collation::KeyOrder;
use crate::index::TagHeader;
use mainstay_types::{Code, Error, Result};
use std::path::Path;

/// Fails for a tag of which the order or the type of the keys is not known.
pub(super) fn check_writable(state: &TagState) -> Result<()> {
    let header = &state.header;
    if let Some(collation) = &header.collation {
        let message = format!("tag {} is in the collating sequence {collation}, and is not written to", header.name);
        return Err(Error::new(Code::Unsupported, message));
    }
    match state.key_type {
        None => Err(Error::new(Code::Internal, format!("tag {}: the type of its keys is not known", header.name))),
        Some(key_type) if key_type.order() == KeyOrder::Unknown => Err(unknown_order(&header.name)),
        Some(_) => Ok(()),
    }
}

/// The error for a change of a tag whose order is not known.
#[cold]
pub(crate) fn unknown_order(tag: &str) -> Error {
    let message = format!("tag {tag} is in an unknown national order, and is not written to");
    let hint = "change the table with the program that keeps the index, or drop the tag";
    Error::new(Code::Unsupported, message).hint(hint)
}

/// A tag whose expressions make no sense, as after damage to its header: there is nothing to make its keys of.
pub(crate) fn without_definition(path: &Path, header: &TagHeader, error: &Error) -> Error {
    let (tag, key) = (&header.name, header.key_bytes.escape_ascii());
    let message = format!("the definition of tag {tag} is damaged: {key}: {}", error.message());
    let hint = "drop the tag, or restore the index from a backup; create it again with the expression that it had";
    Error::new(Code::IndexDamaged, message).at(path.display()).hint(hint)
}
